//! Configurations in layers: a file names its base and what differs from it.

use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;
use toml::{Table, Value};

use super::RunConfig;

/// The text of `configs/base.toml`, which has every key.
pub const BASE: &str = include_str!("../../../configs/base.toml");

/// The key by which a file names its base.
const BASE_KEY: &str = "base";
/// Bases of bases that are followed; more would be a circle.
const MOST_LAYERS: usize = 8;
/// The keys that may change between two calls of `train`. `generations` also sets when the learning rate falls.
const BOUNDS: [&str; 2] = ["generations", "minutes"];

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{fault}", file.display())]
pub struct ConfigFault {
    /// The file that was read.
    pub file: PathBuf,
    /// Where in it, and what is wrong; begins with a comma or a colon.
    pub fault: String,
}

/// A configuration with the whole that it was resolved to.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The typed configuration.
    pub config: RunConfig,
    /// All keys and their values, as `config.toml` keeps them.
    pub table: Table,
    /// Keys such as `train.loss.value` that a frozen configuration did not have: they have the base's value.
    pub added: Vec<String>,
}

/// One file of a configuration.
struct Layer {
    name: String,
    text: String,
}

impl RunConfig {
    /// Reads a configuration with its bases.
    ///
    /// # Errors
    /// When a file cannot be read, or a key or value is wrong.
    pub fn read(path: &Path) -> Result<Resolved, ConfigFault> {
        let failed = |fault: String| ConfigFault { file: path.to_owned(), fault };
        let (mut layers, mut table): (Vec<Layer>, Option<Table>) = (Vec::new(), None);
        let mut next = Some(path.to_owned());
        while let Some(file) = next {
            let text = fs::read_to_string(&file).map_err(|error| match layers.last() {
                None => failed(format!(" cannot be read: {error}")),
                Some(layer) => failed(format!(
                    ": the base of {}, {}, cannot be read: {error}",
                    layer.name,
                    file.display()
                )),
            })?;
            let name = if layers.is_empty() { String::new() } else { file.display().to_string() };
            layers.push(Layer { name, text });
            if layers.len() > MOST_LAYERS {
                return Err(failed(format!(": its bases go on beyond {MOST_LAYERS} files")));
            }
            let layer = layers.last().expect("one was pushed");
            let mut own = parse(layer).map_err(failed)?;
            next = match own.remove(BASE_KEY) {
                None => None,
                Some(Value::String(base)) => Some(file.parent().unwrap_or(Path::new("")).join(base)),
                Some(other) => return Err(failed(format!(": base = {other}: must be the path of a file"))),
            };
            table = Some(match table {
                None => own,
                Some(above) => {
                    merge(&mut own, above);
                    own
                }
            });
        }
        let table = table.expect("the first file was read");
        let config = typed(&table, &layers).map_err(failed)?;
        Ok(Resolved { config, table, added: Vec::new() })
    }

    /// Reads differences from the base that this program was built with; a `base` key is passed over.
    ///
    /// # Errors
    /// What is wrong, without the name of a file.
    pub fn over_base(text: &str) -> Result<Resolved, String> {
        let layer = Layer { name: String::new(), text: text.to_owned() };
        let mut own = parse(&layer)?;
        own.remove(BASE_KEY);
        let (mut table, mut added) = (base(), Vec::new());
        missing("", &table, &own, &mut added);
        merge(&mut table, own);
        let config = typed(&table, &[layer])?;
        Ok(Resolved { config, table, added })
    }
}

impl Resolved {
    /// The whole as a file: each key with its value.
    pub fn text(&self) -> String {
        toml::to_string(&self.table).expect("a table that was read can be written")
    }

    /// Sets a key of the `[run]` table, and resolves anew.
    ///
    /// # Errors
    /// When the value is wrong for the key.
    pub fn with_run_key(mut self, key: &str, value: impl Into<Value>) -> Result<Resolved, String> {
        if let Some(Value::Table(run)) = self.table.get_mut("run") {
            run.insert(key.to_owned(), value.into());
        }
        self.config = typed(&self.table, &[])?;
        Ok(self)
    }
}

/// The base that this program was built with.
fn base() -> Table {
    BASE.parse().expect("the base is checked by a test")
}

fn parse(layer: &Layer) -> Result<Table, String> {
    layer.text.parse::<Table>().map_err(|error| fault(&error, &layer.text, std::slice::from_ref(layer)))
}

/// Turns a whole table into a configuration and checks it.
fn typed(table: &Table, layers: &[Layer]) -> Result<RunConfig, String> {
    // From text, because then an error has a place in it.
    let text = toml::to_string(table).expect("a table that was read can be written");
    let config: RunConfig = toml::from_str(&text).map_err(|error| fault(&error, &text, layers))?;
    config.validate().map_err(|message| format!(": {message}"))?;
    Ok(config)
}

/// Puts the values of `above` into `table`: tables into tables, anything else in the place of what was there.
fn merge(table: &mut Table, above: Table) {
    for (key, value) in above {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => merge(below, above),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

/// Lists the keys of `base` that `table` does not have.
fn missing(path: &str, base: &Table, table: &Table, found: &mut Vec<String>) {
    for (key, value) in base {
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match (value, table.get(key)) {
            (Value::Table(base), None) => missing(&inner, base, &Table::new(), found),
            (Value::Table(base), Some(Value::Table(table))) => missing(&inner, base, table, found),
            (_, None) => found.push(inner),
            (_, Some(_)) => {}
        }
    }
}

/// What is wrong with `text`, and where in the files that it came from.
fn fault(error: &toml::de::Error, text: &str, layers: &[Layer]) -> String {
    let message = error.message().lines().collect::<Vec<_>>().join(" ");
    let place = error.span().and_then(|span| Place::of(text, span.start));
    let found = place.as_ref().and_then(|place| layers.iter().find_map(|layer| place.in_layer(layer)));
    match (found, place) {
        (Some(found), _) => format!("{found}: {message}"),
        (None, Some(place)) if !place.table.is_empty() => format!(": {message} in [{}]", place.table),
        _ => format!(": {message}"),
    }
}

/// A line of a configuration: the table that it stands in, and what it says.
struct Place {
    table: String,
    line: String,
}

impl Place {
    fn of(text: &str, offset: usize) -> Option<Place> {
        let number = text[..offset.min(text.len())].matches('\n').count();
        let place = places(text).nth(number)?;
        (!place.line.is_empty()).then_some(place)
    }

    /// The line of a file that sets the same key, as words for an error.
    fn in_layer(&self, layer: &Layer) -> Option<String> {
        let key = |line: &str| line.split('=').next().unwrap_or_default().trim().to_owned();
        let mut lines = places(&layer.text).enumerate();
        let same = |place: &Place| place.table == self.table && key(&place.line) == key(&self.line);
        let (number, place) = lines.find(|(_, place)| same(place))?;
        let of = if layer.name.is_empty() { String::new() } else { format!(" of its base {}", layer.name) };
        Some(format!(", line {}{of} ('{}')", number + 1, place.line))
    }
}

/// The lines of a text, each with the table that it stands in or begins.
fn places(text: &str) -> impl Iterator<Item = Place> {
    let mut table = String::new();
    text.lines().map(move |line| {
        let line = line.trim().to_owned();
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            name.trim_start_matches('[').trim().clone_into(&mut table);
        }
        Place { table: table.clone(), line }
    })
}

/// The first key, as in `selfplay.games`, that two whole configurations set differently, apart from the run's bounds.
pub fn first_difference(frozen: &Table, given: &Table) -> Option<String> {
    let unbounded = |table: &Table| {
        let mut table = table.clone();
        if let Some(run) = table.get_mut("run").and_then(Value::as_table_mut) {
            run.retain(|key, _| !BOUNDS.contains(&key));
        }
        Value::Table(table)
    };
    difference("", &unbounded(frozen), &unbounded(given))
}

fn difference(path: &str, frozen: &Value, given: &Value) -> Option<String> {
    use Value::{Array, Float, Integer, Table};
    match (frozen, given) {
        (Table(a), Table(b)) => a.keys().chain(b.keys()).find_map(|key| {
            let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            match (a.get(key), b.get(key)) {
                (Some(frozen), Some(given)) => difference(&inner, frozen, given),
                (Some(_), None) => Some(format!("{inner} is set there only")),
                _ => Some(format!("{inner} is set here only")),
            }
        }),
        (Array(a), Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(index, (frozen, given))| difference(&format!("{path}[{index}]"), frozen, given))
        }
        // A number is the same with a point and without.
        (Integer(whole), Float(number)) | (Float(number), Integer(whole))
            if (*whole as f64).total_cmp(number).is_eq() =>
        {
            None
        }
        _ => (frozen != given).then(|| format!("{path} = {frozen} there and {given} here")),
    }
}
