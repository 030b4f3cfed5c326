//! Whole moves and their notation.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::square::Square;

/// A whole move: an amazon from `from` to `to`, then its arrow to `arrow`.
///
/// Written `d1-d7/g7`. Reading also takes `d1d7g7`, `d1-d7(g7)`, `d1d7(g7)`, `d1-d7,g7` and `d1d7,d7g7`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Where the amazon stood.
    pub from: Square,
    /// Where it landed.
    pub to: Square,
    /// Where its arrow landed.
    pub arrow: Square,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}/{}", self.from, self.to, self.arrow)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no move in any accepted spelling.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no move: expected from-to/arrow, as in d1-d7/g7")]
pub struct ParseMoveError(pub String);

impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        parse(text.trim()).ok_or_else(|| ParseMoveError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Move> {
    let (from, rest) = Square::split_from(text)?;
    let (to, rest) = Square::split_from(rest.strip_prefix('-').unwrap_or(rest))?;
    // `d1d7,d7g7` repeats the landing square before the arrow's.
    if let Some(pair) = rest.strip_prefix(',')
        && let Some((again, arrow)) = Square::split_from(pair)
        && !arrow.is_empty()
    {
        return (again == to).then_some(Move { from, to, arrow: arrow.parse().ok()? });
    }
    let arrow = match rest.as_bytes().first()? {
        b'(' => rest.strip_prefix('(')?.strip_suffix(')')?,
        b'/' | b',' => &rest[1..],
        _ => rest,
    };
    Some(Move { from, to, arrow: arrow.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_spelling() {
        let expected = Move { from: Square::new(3, 0), to: Square::new(3, 6), arrow: Square::new(6, 9) };
        for text in
            ["d1-d7/g10", "d1d7g10", "d1-d7(g10)", "d1d7(g10)", "d1-d7,g10", "d1d7,d7g10", " D1-D7/G10 "]
        {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        assert_eq!(expected.to_string(), "d1-d7/g10");
    }

    #[test]
    fn reads_tens() {
        let m: Move = "a10a1a10".parse().expect("ten is read as long as it can be");
        assert_eq!(m.to_string(), "a10-a1/a10");
    }

    #[test]
    fn refuses_the_rest() {
        for text in [
            "",
            "d1",
            "d1-d7",
            "d1-d7/",
            "d1-d7/g11",
            "d1-d7(g7",
            "d1d7,d6g7",
            "k1-d7/g7",
            "d0-d7/g7",
            "d1-d7/g7x",
            "é1-d7/g7",
            "d1-d7/é",
        ] {
            assert_eq!(text.parse::<Move>(), Err(ParseMoveError(text.to_owned())));
        }
    }
}
