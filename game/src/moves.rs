//! Whole moves and their notation.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::excerpt::excerpt;
use crate::square::Square;

/// A whole move: an amazon from `from` to `to`, then its arrow to `arrow`.
///
/// Written `d1-d7/g7`. Reading also takes `d1d7g7`, `d1-d7(g7)`, `d1d7(g7)`, `d1-d7,g7`, `d1-d7-g7` and `d1d7,d7g7`,
/// with dashes of any length and the wide forms of the marks between squares.
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

/// A text that is not a move in any accepted spelling; an excerpt of it where it is long.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no move: expected from-to/arrow, as in d1-d7/g7")]
pub struct ParseMoveError(pub String);

impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        parse(text.trim()).ok_or_else(|| ParseMoveError(excerpt(text)))
    }
}

/// Whether a character is a dash: what is typed as a hyphen comes out longer in many programs.
pub(crate) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{ff0d}')
}

fn parse(text: &str) -> Option<Move> {
    let (from, rest) = Square::split_from(text)?;
    let (to, rest) = Square::split_from(rest.strip_prefix(is_dash).unwrap_or(rest))?;
    // `d1d7,d7g7` repeats the landing square before the arrow's.
    if let Some(pair) = rest.strip_prefix([',', '，'])
        && let Some((again, arrow)) = Square::split_from(pair)
        && !arrow.is_empty()
    {
        return (again == to).then_some(Move { from, to, arrow: arrow.parse().ok()? });
    }
    let arrow = if let Some(inside) = rest.strip_prefix(['(', '（']) {
        inside.strip_suffix([')', '）'])?
    } else {
        rest.strip_prefix(|c| is_dash(c) || matches!(c, '/' | ',' | '／' | '，')).unwrap_or(rest)
    };
    Some(Move { from, to, arrow: arrow.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_spelling() {
        let expected = Move { from: Square::new(3, 0), to: Square::new(3, 6), arrow: Square::new(6, 9) };
        for text in [
            "d1-d7/g10",
            "d1d7g10",
            "d1-d7(g10)",
            "d1d7(g10)",
            "d1-d7,g10",
            "d1d7,d7g10",
            " D1-D7/G10 ",
            "d1-d7-g10",
            "d1\u{2013}d7/g10",
            "d1\u{2212}d7\u{2014}g10",
            "d1d7（g10）",
            "D1－D7，G10",
        ] {
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
