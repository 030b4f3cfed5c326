//! The grammar of SGF: nodes, properties, values. The readers beside this file know what they mean.

use crate::excerpt::excerpt;
use crate::notation::characters::append;
use crate::notation::property::Property;
use crate::notation::transcript::{Dialect, TranscriptError, syntax};

/// A fault in an SGF game.
pub(super) fn problem(problem: impl Into<String>) -> TranscriptError {
    syntax(Dialect::Sgf, problem.into())
}

/// A tree of nodes, flat: children are indices, so no text nests our calls.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
}

impl Tree {
    /// Adds a node behind `parent`, or the root.
    fn add_node(&mut self, parent: Option<usize>) -> Result<usize, TranscriptError> {
        let index = self.nodes.len();
        match parent {
            Some(parent) => self.nodes[parent].children.push(index),
            None if index > 0 => return Err(problem("a game has one root")),
            None => {}
        }
        self.nodes.push(Node::default());
        Ok(index)
    }
}

#[derive(Default)]
pub(super) struct Node {
    pub(super) properties: Vec<Property>,
    pub(super) children: Vec<usize>,
}

impl Node {
    /// The values of a property, escapes resolved; none when the node does not have it.
    pub(super) fn values(&self, name: &str) -> impl Iterator<Item = String> {
        let found = self.properties.iter().filter(move |property| property.name() == name);
        found.flat_map(Property::values).map(|value| without_escapes(value))
    }

    pub(super) fn value(&self, name: &str) -> Option<String> {
        self.values(name).next()
    }

    /// All that the node's comments say.
    pub(super) fn comment(&self) -> String {
        let mut all = String::new();
        self.values("C").for_each(|comment| append(&mut all, &comment));
        all
    }

    /// The moves of this node, as written; a node of a game has one at most.
    pub(super) fn written_moves(&self) -> impl Iterator<Item = WrittenMove> {
        let of = |name, is_black| {
            self.values(name).map(move |text| WrittenMove { is_black, text: text.trim().to_owned() })
        };
        of("B", true).chain(of("W", false))
    }
}

/// A move as its node has it.
pub(super) struct WrittenMove {
    pub(super) is_black: bool,
    pub(super) text: String,
}

/// Reads the game at the front of a text, and gives what follows it. What stands between values and nodes without
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
                here = Some(tree.add_node(here)?);
                name.clear();
            }
            '[' => {
                let value = parse_value(&mut chars)?;
                // Some programs leave out the first semicolon.
                let node = match here {
                    Some(node) => node,
                    None => *here.insert(tree.add_node(None)?),
                };
                let properties = &mut tree.nodes[node].properties;
                if !name.is_empty() {
                    properties.push(Property::new(&std::mem::take(&mut name), vec![value]));
                } else if let Some(property) = properties.last_mut() {
                    property.add_value(value);
                } else {
                    return Err(problem(format!("'[{}]' has no property", excerpt(&value))));
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
    let end = end.ok_or_else(|| problem(format!("no end of the value '{}'", excerpt(rest))))?;
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

/// The text of a value, as it has to be written.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}
