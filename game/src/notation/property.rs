//! Properties of SGF that say nothing about Amazons, kept as they were written.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

/// A property of SGF, with the values as they were written: marks on a board, times, the event.
///
/// Only a reader makes one, so that its text is always a property's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    name: String,
    values: Vec<String>,
}

impl Property {
    /// The name, in capital letters.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The values, in order: at least one, escapes not resolved.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// A property of these values, escaped as they must be.
    pub(super) fn new(name: &str, values: Vec<String>) -> Property {
        Property { name: name.to_owned(), values }
    }

    /// Adds a value behind the others.
    pub(super) fn add_value(&mut self, value: String) {
        self.values.push(value);
    }

    /// The same values under another name.
    pub(super) fn renamed(self, name: &str) -> Property {
        Property { name: name.to_owned(), values: self.values }
    }

    /// Appends it to `out` as it was written.
    pub(super) fn write(&self, out: &mut String) {
        out.push_str(&self.name);
        for value in &self.values {
            out.extend(["[", value, "]"]);
        }
    }
}

/// The properties with one of each name, in the order of their first values. Takes time linear in their number.
pub(super) fn merged(properties: Vec<Property>) -> Vec<Property> {
    if properties.len() < 2 {
        return properties;
    }
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut merged: Vec<Property> = Vec::new();
    for property in properties {
        match places.entry(property.name.clone()) {
            Entry::Occupied(place) => merged[*place.get()].values.extend(property.values),
            Entry::Vacant(place) => {
                place.insert(merged.len());
                merged.push(property);
            }
        }
    }
    merged
}
