//! What a `go` line of UCI asks for.

use std::time::Duration;

use hippolyta_game::{Move, Position};

use super::Think;

/// Time kept back from each limit for the way to the other side.
const MARGIN: Duration = Duration::from_millis(5);

/// The limits of a `go` line, as they stand there.
#[derive(Debug, Default)]
pub(super) struct Go {
    movetime: Option<u64>,
    nodes: Option<u64>,
    depth: Option<u64>,
    mate: Option<u64>,
    left: [Option<u64>; 2],
    increment: [Option<u64>; 2],
    moves_left: Option<u64>,
    infinite: bool,
    /// The moves behind `searchmoves` that are legal.
    among: Vec<Move>,
    /// Whether `searchmoves` stood there.
    is_restricted: bool,
}

impl Go {
    /// Reads the words behind `go`, and says what it could not take; the rest counts.
    pub(super) fn parse(words: &[&str], position: &Position) -> (Go, Vec<String>) {
        let (mut go, mut errors) = (Go::default(), Vec::new());
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" | "ponder" => go.infinite = true,
                "searchmoves" => {
                    go.is_restricted = true;
                    while let Some(word) = words.next_if(|word| !is_limit(word)) {
                        match move_in(word, position) {
                            Ok(m) if go.among.contains(&m) => {}
                            Ok(m) => go.among.push(m),
                            Err(error) => errors.push(error),
                        }
                    }
                }
                _ => match go.place(word) {
                    None => errors.push(format!("'{word}' is not a limit that go knows")),
                    Some(place) => match words.next_if(|word| !is_limit(word)) {
                        None => errors.push(format!("'{word}' needs a number")),
                        Some(text) => match number(text) {
                            Some(number) => *place = Some(number),
                            None => errors.push(format!("'{text}' is not a number for '{word}'")),
                        },
                    },
                },
            }
        }
        (go, errors)
    }

    fn place(&mut self, word: &str) -> Option<&mut Option<u64>> {
        match word {
            "movetime" => Some(&mut self.movetime),
            "nodes" => Some(&mut self.nodes),
            "depth" => Some(&mut self.depth),
            "mate" => Some(&mut self.mate),
            "wtime" => Some(&mut self.left[0]),
            "btime" => Some(&mut self.left[1]),
            "winc" => Some(&mut self.increment[0]),
            "binc" => Some(&mut self.increment[1]),
            "movestogo" => Some(&mut self.moves_left),
            _ => None,
        }
    }

    /// Whether none of the moves behind `searchmoves` can be played.
    pub(super) fn has_nothing_to_choose(&self) -> bool {
        self.is_restricted && self.among.is_empty()
    }

    /// The thought that the line asks for.
    pub(super) fn think(self, position: Position, lines: usize) -> Think {
        let side = position.side().index();
        let fixed = self.movetime.map(|millis| Duration::from_millis(millis).saturating_sub(MARGIN));
        let shared = self.left[side].map(|left| {
            let left = Duration::from_millis(left).saturating_sub(MARGIN);
            // A game is mostly decided by the time that half of the empty squares are gone, a quarter of them by
            // each side.
            let moves = self.moves_left.unwrap_or_else(|| u64::from(position.empty().count()) / 4 + 2).max(1);
            let share = left / u32::try_from(moves).unwrap_or(u32::MAX);
            let gain = Duration::from_millis(self.increment[side].unwrap_or(0)).saturating_sub(MARGIN);
            (share + gain).min(left)
        });
        let time = if self.infinite { None } else { fixed.into_iter().chain(shared).min() };
        // A win in n moves of its own is one within 2n - 1 plies.
        let plies_to_win = self.mate.map(|moves| moves.saturating_mul(2).saturating_sub(1));
        let depth = self.depth.into_iter().chain(plies_to_win).min();
        Think {
            position,
            visits: self.nodes,
            depth: depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX).max(1)),
            among: self.among,
            time,
            infinite: self.infinite,
            lines,
        }
    }
}

/// Whether a word begins another limit.
fn is_limit(word: &str) -> bool {
    matches!(word, "infinite" | "ponder" | "searchmoves") || Go::default().place(word).is_some()
}

/// A number as programs write it: clocks of some run below zero, others give fractions.
fn number(text: &str) -> Option<u64> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(number.max(0) as u64);
    }
    // What is too large for an integer saturates.
    text.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number.max(0.0) as u64)
}

fn move_in(word: &str, position: &Position) -> Result<Move, String> {
    let m: Move = word.parse().map_err(|error| format!("{error}"))?;
    position.play(m).map(|_| m).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;

    use super::*;

    fn parse(line: &str) -> (Think, Vec<String>) {
        let position = Position::start(Board::TEN).expect("10x10 has a start");
        let words: Vec<&str> = line.split_whitespace().collect();
        let (go, errors) = Go::parse(&words, &position);
        (go.think(position, 1), errors)
    }

    #[test]
    fn clocks_are_shared_out() {
        let at = |line: &str| parse(line).0.time;
        assert_eq!(at("movetime 100"), Some(Duration::from_millis(95)));
        // 92 squares are empty: 25 moves.
        assert_eq!(at("wtime 60005 btime 1 winc 1005 binc 9"), Some(Duration::from_millis(2400 + 1000)));
        assert_eq!(at("wtime 1005 movestogo 1"), Some(Duration::from_secs(1)));
        assert_eq!(at("wtime -20 btime 100"), Some(Duration::ZERO));
        assert_eq!(at("infinite"), None);
    }

    #[test]
    fn fractions_are_numbers() {
        assert_eq!(parse("movetime 1000.0").0.time, Some(Duration::from_millis(995)));
        assert_eq!(parse("movetime 1e30 nodes -0.5").0.visits, Some(0));
        for text in ["inf", "nan", "ten", "0x10"] {
            let (think, errors) = parse(&format!("movetime {text} nodes 7"));
            assert_eq!((think.time, think.visits), (None, Some(7)));
            assert_eq!(errors, [format!("'{text}' is not a number for 'movetime'")]);
        }
    }

    #[test]
    fn depth_and_mate_are_plies() {
        let at = |line: &str| parse(line).0.depth;
        assert_eq!(at("depth 3"), Some(3));
        assert_eq!(at("depth 0"), Some(1));
        assert_eq!(at("mate 2"), Some(3));
        assert_eq!(at("mate 2 depth 2"), Some(2));
        assert_eq!(at("depth 99999999999"), Some(u32::MAX));
        assert_eq!(at("nodes 1"), None);
    }

    #[test]
    fn moves_to_choose_from_end_with_the_next_limit() {
        let (think, errors) = parse("searchmoves d1d7,d7g7 a1a1,a1a1 d1d7,d7g7 g1g2,g2g1 movetime 55");
        let moves: Vec<String> = think.among.iter().map(Move::to_string).collect();
        assert_eq!(moves, ["d1-d7/g7", "g1-g2/g1"]);
        assert_eq!((errors.len(), think.time), (1, Some(Duration::from_millis(50))));
    }

    #[test]
    fn what_it_does_not_know_is_said_and_passed_over() {
        let (think, errors) = parse("movetime nodes 5 colour red depth");
        assert_eq!((think.time, think.visits, think.depth), (None, Some(5), None));
        let expected = [
            "'movetime' needs a number",
            "'colour' is not a limit that go knows",
            "'red' is not a limit that go knows",
            "'depth' needs a number",
        ];
        assert_eq!(errors, expected);
    }
}
