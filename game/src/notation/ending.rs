//! How a game ended, in the words of each dialect.

use crate::side::Side;

/// What a text says where a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// A side won.
    Won(Side),
    /// The side to move resigned.
    Resigned,
    /// Nobody has won yet.
    Open,
}

impl Ending {
    /// The ending as a comment on a line that was not played.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Ending::Won(Side::White) => "White wins.",
            Ending::Won(Side::Black) => "Black wins.",
            Ending::Resigned => "The side to move resigns.",
            Ending::Open => "",
        }
    }

    /// The ending that stands at the front of a text, and what follows it.
    pub(super) fn at_front(text: &str) -> Option<(Ending, &str)> {
        let (first, after) = word(text)?;
        let ending = match first.to_lowercase().as_str() {
            "1-0" | "1\u{2013}0" | "先手胜" => Ending::Won(Side::White),
            "0-1" | "0\u{2013}1" | "后手胜" => Ending::Won(Side::Black),
            "*" => Ending::Open,
            verb if resigns(verb) || verb == "认输" => Ending::Resigned,
            name => {
                let side = named(name)?;
                let (verb, after) = word(after.trim_start_matches([' ', '\t']))?;
                return Some((Ending::Won(said_to_win(side, verb)?), after));
            }
        };
        Some((ending, after))
    }
}

/// The longest word of an ending in bytes; longer ones need no look.
const LONGEST: usize = 16;

/// The word at the front of a text and what follows it, if it can be an ending's.
fn word(text: &str) -> Option<(&str, &str)> {
    let end = text
        .char_indices()
        .take(LONGEST)
        .find(|&(_, c)| c.is_whitespace() || matches!(c, '{' | '(' | ')' | ';' | '；' | ','))
        .map_or(text.len(), |(at, _)| at);
    let (word, after) = text.split_at(end);
    (1..=LONGEST).contains(&end).then(|| (word.trim_end_matches(['.', '!', '。']), after))
}

/// The side of a name or a letter.
pub(super) fn named(text: &str) -> Option<Side> {
    match text.to_lowercase().as_str() {
        "w" | "white" => Some(Side::White),
        "b" | "black" => Some(Side::Black),
        _ => None,
    }
}

/// Whether a word, in small letters, says that a player resigned.
fn resigns(word: &str) -> bool {
    matches!(word, "resign" | "resigns" | "resigned")
}

/// Whether a move's text says that its player resigned.
pub(super) fn is_resignation(text: &str) -> bool {
    text.len() <= LONGEST && resigns(&text.to_lowercase())
}

/// Who won when a text says `verb` of `side`.
fn said_to_win(side: Side, verb: &str) -> Option<Side> {
    match verb.to_lowercase().as_str() {
        "won" | "win" | "wins" => Some(side),
        verb if resigns(verb) || matches!(verb, "lost" | "loses") => Some(!side),
        _ => None,
    }
}

/// The colour that SGF's `RE` names as the winner: `W+`, `B+Resign`, `White wins`, `Black resigns`.
pub(super) fn winning_colour(result: &str) -> Option<Side> {
    let result = result.trim();
    if let Some((winner, _)) = result.split_once('+') {
        return named(winner.trim());
    }
    let mut words = result.split_whitespace();
    let side = named(words.next()?)?;
    match words.next() {
        Some(verb) => said_to_win(side, verb.trim_end_matches(['.', '!', ','])),
        None => Some(side),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_words_of_each_dialect() {
        let check = |text: &str, expected| assert_eq!(Ending::at_front(text), expected, "{text}");
        check("1-0 x", Some((Ending::Won(Side::White), " x")));
        check("White resigns.\nx", Some((Ending::Won(Side::Black), "\nx")));
        check("black won", Some((Ending::Won(Side::Black), "")));
        check("resign", Some((Ending::Resigned, "")));
        check("后手胜。", Some((Ending::Won(Side::Black), "")));
        check("*", Some((Ending::Open, "")));
        for text in ["", "white", "white Alice", "white\nwins", "1-0-0", "resigning", "d1-d7/g7"] {
            check(text, None);
        }
    }

    #[test]
    fn reads_the_result_of_an_sgf_game() {
        for (text, winner) in [
            ("W+", Some(Side::White)),
            ("B+R", Some(Side::Black)),
            (" white + resign ", Some(Side::White)),
            ("Black resigns", Some(Side::White)),
            ("Black", Some(Side::Black)),
            ("0", None),
            ("Draw", None),
            ("", None),
            ("?", None),
        ] {
            assert_eq!(winning_colour(text), winner, "{text}");
        }
    }
}
