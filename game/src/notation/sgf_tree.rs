//! The grammar of SGF: nodes, properties, values. What they mean is told in `sgf`.

use super::{TranscriptError, sgf::problem, shown};

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

/// Adds a property to others; a node has one of each name.
pub(super) fn add(properties: &mut Vec<Property>, property: Property) {
    match properties.iter_mut().find(|other| other.name == property.name) {
        Some(other) => other.values.extend(property.values),
        None => properties.push(property),
    }
}

/// A tree of nodes, flat: children are indices, so no text nests our calls.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
}

#[derive(Default)]
pub(super) struct Node {
    pub(super) properties: Vec<Property>,
    pub(super) children: Vec<usize>,
}

impl Node {
    /// The values of a property, escapes resolved; none when the node does not have it.
    pub(super) fn values(&self, name: &str) -> impl Iterator<Item = String> {
        let found = self.properties.iter().filter(move |property| property.name == name);
        found.flat_map(|property| &property.values).map(|value| without_escapes(value))
    }

    pub(super) fn value(&self, name: &str) -> Option<String> {
        self.values(name).next()
    }

    pub(super) fn comment(&self) -> String {
        self.value("C").unwrap_or_default()
    }

    /// The move of this node, as written, and whether it is Black's.
    pub(super) fn written_move(&self) -> Option<(bool, String)> {
        let found = |name, is_black| self.value(name).map(|text| (is_black, text.trim().to_owned()));
        found("B", true).or_else(|| found("W", false)).filter(|(_, text)| !text.is_empty())
    }
}

/// Reads the first game of a collection, and gives what follows it. What stands between values and nodes without
/// meaning is skipped.
pub(super) fn parse(text: &str) -> Result<(Tree, &str), TranscriptError> {
    let mut tree = Tree { nodes: Vec::new() };
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut here: Option<usize> = None;
    let mut name = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '(' => open.push(here),
            ')' => {
                here = open.pop().ok_or_else(|| problem("')' closes nothing"))?;
                if open.is_empty() {
                    return Ok((tree, chars.as_str()));
                }
            }
            ';' => {
                if here.is_none() && !tree.nodes.is_empty() {
                    return Err(problem("a game has one root"));
                }
                let index = tree.nodes.len();
                tree.nodes.push(Node::default());
                if let Some(parent) = here {
                    tree.nodes[parent].children.push(index);
                }
                here = Some(index);
                name.clear();
            }
            '[' => {
                let value = parse_value(&mut chars)?;
                let node = here.ok_or_else(|| problem("a value stands before the first node"))?;
                let properties = &mut tree.nodes[node].properties;
                if !name.is_empty() {
                    properties.push(Property { name: std::mem::take(&mut name), values: vec![value] });
                } else if let Some(property) = properties.last_mut() {
                    property.values.push(value);
                } else {
                    return Err(problem(format!("'[{}]' has no property", shown(&value))));
                }
            }
            // Earlier versions of SGF allow small letters inside names, which mean nothing.
            'A'..='Z' => name.push(c),
            _ => {}
        }
    }
    Err(problem("the game has no end"))
}

/// A value as it is written, up to the bracket that ends it.
fn parse_value(chars: &mut std::str::Chars<'_>) -> Result<String, TranscriptError> {
    let rest = chars.as_str();
    let mut is_escaped = false;
    let end = rest.find(|c| {
        let ends = c == ']' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    let end = end.ok_or_else(|| problem(format!("no end of the value '{}'", shown(rest))))?;
    *chars = rest[end + 1..].chars();
    Ok(rest[..end].to_owned())
}

fn without_escapes(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            // An escaped line break is none.
            '\\' => out.extend(chars.next().filter(|&escaped| escaped != '\n')),
            _ => out.push(c),
        }
    }
    out
}
