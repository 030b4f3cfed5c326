//! A game record as people and other programs read it: moves, with what the searches found as comments.

use std::fmt::Write as _;

use hippolyta_game::Side;
use hippolyta_game::notation::Transcript;

use crate::record::{GameRecord, ModelHash, OpeningKind, SearchedPly};

/// Why writing to a string cannot fail.
const TAKES_ALL: &str = "a string takes all";

impl GameRecord {
    /// The game with what is known of each ply as its comment. Values there are for the side that moves.
    ///
    /// # Panics
    /// As [`GameRecord::positions`].
    pub fn transcript(&self) -> Transcript {
        let mut transcript =
            Transcript::new(self.start, &self.moves).expect("a checked record has only legal moves");
        let player = player(&self.model);
        transcript.players = [player.clone(), player];
        transcript.winner = Some(self.outcome.winner);
        transcript.comment = self.summary();
        for search in &self.searched {
            let ply = &mut transcript.line[usize::from(search.ply)];
            ply.comment = search.summary(ply.played);
        }
        transcript
    }

    fn summary(&self) -> String {
        let winner = match self.outcome.winner {
            Side::White => "The first player",
            Side::Black => "The second player",
        };
        let opening = match self.opening.kind {
            OpeningKind::Policy => "the network's policy",
            OpeningKind::Uniform => "all legal moves alike",
        };
        let margin = self.outcome.margin(self.outcome.winner);
        format!(
            "Game {} of generation {}, seed {}. {winner} wins by {margin}: the further moves in its own territory \
             that the loser would have needed. {} visits, {} evaluations. The first {} moves are drawn from {opening}. \
             Values are for the side that moves, from -1 to 1.",
            self.game, self.generation, self.seed, self.visits, self.evaluations, self.opening.plies
        )
    }
}

/// The network by the first digits of its SHA-256, as enough to tell it from others.
fn player(model: &ModelHash) -> String {
    if model.iter().all(|&byte| byte == 0) {
        return "no network".to_owned();
    }
    let mut name = "network ".to_owned();
    for byte in &model[..6] {
        write!(name, "{byte:02x}").expect(TAKES_ALL);
    }
    name
}

impl SearchedPly {
    fn summary(&self, played: hippolyta_game::Move) -> String {
        let kind = if self.full { "full" } else { "quick" };
        let mut text = format!(
            "value {:+.3}, improved {:+.3}, network {:+.3}; {kind} search, moves visited: {}",
            self.value,
            self.improved_value,
            self.network_value,
            self.visited.len()
        );
        let best = self.visited.iter().max_by(|a, b| a.mass.total_cmp(&b.mass));
        let best = best.expect("a search visits a move");
        let percent = |mass: f32| 100.0 * mass;
        write!(text, "; best {} with {:.1} % of the policy", best.mv, percent(best.mass)).expect(TAKES_ALL);
        if best.mv != played {
            match self.visited.iter().find(|visited| visited.mv == played) {
                Some(own) => write!(text, ", played with {:.1} %", percent(own.mass)).expect(TAKES_ALL),
                None => text.push_str(", played unvisited"),
            }
        }
        write!(text, "; surprise {:.3}, weight {:.2}", self.surprise, self.weight).expect(TAKES_ALL);
        if self.proven {
            text.push_str(", proven");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;
    use hippolyta_game::notation::Dialect;

    use crate::testing::random_record;

    #[test]
    fn every_search_stands_with_its_move_and_comes_through_sgf() {
        let record = random_record(Board::SIX, 5);
        let transcript = record.transcript();
        assert!(transcript.moves().eq(record.moves.iter().copied()));
        assert_eq!(transcript.winner, Some(record.outcome.winner));
        assert!(transcript.comment.contains(&format!("seed {}", record.seed)), "{}", transcript.comment);
        let commented = transcript.line.iter().filter(|ply| !ply.comment.is_empty()).count();
        assert_eq!(commented, record.searched.len());
        for search in &record.searched {
            let comment = &transcript.line[usize::from(search.ply)].comment;
            let kind = if search.full { "full" } else { "quick" };
            assert!(comment.starts_with(&format!("value {:+.3}", search.value)), "{comment}");
            assert!(comment.contains(&format!("{kind} search")), "{comment}");
        }
        let sgf = transcript.write(Dialect::Sgf).unwrap();
        assert_eq!(hippolyta_game::notation::Transcript::read(&sgf), Ok(transcript));
    }
}
