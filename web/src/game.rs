//! A game in progress.

use hippolyta_game::notation::{Dialect, Transcript};
use hippolyta_game::{Bitboard, Board, Bounds, Move, Position, Side, Square};
use hippolyta_play::{Outcome, Reason, Session};
use serde::Serialize;
use thiserror::Error;
use wasm_bindgen::prelude::*;

use crate::json;

/// A game: where it began, the moves so far, and who has won.
#[wasm_bindgen(js_name = WasmGame)]
#[derive(Debug)]
pub struct WasmGame {
    session: Session,
    players: [String; 2],
}

/// Why a text or a number from outside is not taken.
#[derive(Debug, Error)]
enum InputError {
    #[error("there is no start for a board of {0} squares a side: expected 6, 8 or 10")]
    Board(u8),
    #[error("'{0}' is not a side: expected white or black")]
    Side(String),
}

#[derive(Serialize)]
struct OutcomeView {
    winner: String,
    reason: &'static str,
}

#[derive(Serialize)]
struct TerritoryView {
    /// Moves of its own that each side can surely make, and at most.
    white: [u32; 2],
    black: [u32; 2],
    /// Empty squares of regions that hold amazons of both sides.
    contested: u32,
    /// Who wins, once the count decides it, and by how many moves at least.
    winner: Option<String>,
    by: u32,
}

#[wasm_bindgen(js_class = WasmGame)]
impl WasmGame {
    /// A game from the start position of a board with so many squares a side: 6, 8 or 10.
    pub fn start(side: u8) -> Result<WasmGame, JsError> {
        let start = Board::played(side).and_then(Position::start).ok_or(InputError::Board(side))?;
        Ok(WasmGame::of(Session::new(start, None)))
    }

    /// A game from a position as FEN.
    #[wasm_bindgen(js_name = fromFen)]
    pub fn from_fen(fen: &str) -> Result<WasmGame, JsError> {
        Ok(WasmGame::of(Session::new(fen.trim().parse()?, None)))
    }

    /// A game as [`WasmGame::save`] wrote it: a FEN, then a move a line.
    pub fn load(text: &str) -> Result<WasmGame, JsError> {
        Ok(WasmGame::of(text.parse()?))
    }

    /// The first game of a text in any notation that is known, SGF among them.
    #[wasm_bindgen(js_name = fromTranscript)]
    pub fn from_transcript(text: &str) -> Result<WasmGame, JsError> {
        let transcript = Transcript::read(text)?;
        let mut session = Session::new(transcript.start, None);
        for m in transcript.moves() {
            session.play(m)?;
        }
        if let Some(winner) = transcript.winner {
            // Does nothing where the position has ended the game already.
            session.resign(!winner);
        }
        Ok(WasmGame { session, players: transcript.players })
    }

    /// What [`WasmGame::load`] reads. A resignation is not kept.
    pub fn save(&self) -> String {
        self.session.to_string()
    }

    /// The position on the board as FEN.
    pub fn fen(&self) -> String {
        self.session.position().to_string()
    }

    /// The position that the game began with as FEN.
    #[wasm_bindgen(js_name = startFen)]
    pub fn start_fen(&self) -> String {
        self.session.start().to_string()
    }

    /// The game as SGF, with the players' names.
    pub fn sgf(&self, white: &str, black: &str) -> Result<String, JsError> {
        let mut transcript = Transcript::new(*self.session.start(), self.session.moves())?;
        transcript.players = [white.to_owned(), black.to_owned()];
        transcript.winner = self.session.outcome().map(|outcome| outcome.winner);
        Ok(transcript.write(Dialect::Sgf)?)
    }

    /// The names of White and Black, as the game's text gave them.
    pub fn players(&self) -> Vec<String> {
        self.players.to_vec()
    }

    /// The side to move: `white` or `black`.
    pub fn side(&self) -> String {
        self.session.position().side().to_string()
    }

    /// The moves so far, as in `d1-d7/g7`.
    #[wasm_bindgen(js_name = movesPlayed)]
    pub fn moves_played(&self) -> Vec<String> {
        self.session.moves().iter().map(ToString::to_string).collect()
    }

    /// All legal moves; none once the game is over.
    #[wasm_bindgen(js_name = legalMoves)]
    pub fn legal_moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        if self.session.outcome().is_none() {
            self.session.position().moves(&mut moves);
        }
        moves.iter().map(ToString::to_string).collect()
    }

    /// The squares of the amazons that can move now.
    pub fn movable(&self) -> Vec<String> {
        names(self.session.movable())
    }

    /// Where the amazon on a square can go.
    pub fn targets(&self, from: &str) -> Result<Vec<String>, JsError> {
        Ok(names(self.session.targets(self.square(from)?)))
    }

    /// Where the arrow can land once the amazon on `from` has gone to `to`.
    pub fn shots(&self, from: &str, to: &str) -> Result<Vec<String>, JsError> {
        Ok(names(self.session.shots(self.square(from)?, self.square(to)?)))
    }

    /// Plays a move of the side to move, and gives it as it is written.
    pub fn play(&mut self, text: &str) -> Result<String, JsError> {
        let m: Move = text.trim().parse()?;
        self.session.play(m)?;
        Ok(m.to_string())
    }

    /// Takes the last move back and gives it; a resignation is taken back with it.
    pub fn undo(&mut self) -> Option<String> {
        self.session.undo().map(|m| m.to_string())
    }

    /// Ends the game as lost for a side, unless it is over.
    pub fn resign(&mut self, side: &str) -> Result<(), JsError> {
        self.session.resign(parse_side(side)?);
        Ok(())
    }

    /// The end of the game as JSON, `{"winner", "reason"}`; nothing while it goes on.
    pub fn outcome(&self) -> Option<String> {
        let Outcome { winner, reason } = self.session.outcome()?;
        let reason = match reason {
            Reason::NoMove => "no-move",
            Reason::Time => "time",
            Reason::Resignation => "resignation",
        };
        Some(json(&OutcomeView { winner: winner.to_string(), reason }))
    }

    /// How many squares the amazons of a side can move to now.
    pub fn reach(&self, side: &str) -> Result<u32, JsError> {
        Ok(self.session.reach(parse_side(side)?))
    }

    /// What each side's regions are worth, as JSON: see the package's `Territory`.
    pub fn territory(&self) -> String {
        let position = self.session.position();
        let territory = position.territory();
        let [white, black] = territory.moves;
        let winner = territory.winner(position.side());
        let by = winner.map_or(0, |winner| {
            let sure = territory.moves[winner.index()].low;
            let other = territory.moves[(!winner).index()].high + territory.contested;
            // With as many moves, the side to move is the one that lacks one more.
            sure - other + u32::from(winner != position.side())
        });
        let pair = |bounds: Bounds| [bounds.low, bounds.high];
        json(&TerritoryView {
            white: pair(white),
            black: pair(black),
            contested: territory.contested,
            winner: winner.map(|side| side.to_string()),
            by,
        })
    }
}

impl WasmGame {
    fn of(session: Session) -> WasmGame {
        WasmGame { session, players: [String::new(), String::new()] }
    }

    /// A square of this board.
    fn square(&self, name: &str) -> Result<Square, JsError> {
        let square: Square = name.trim().parse()?;
        if !self.session.position().board().contains(square) {
            return Err(JsError::new(&format!("{square} is outside the board of {}", self.fen())));
        }
        Ok(square)
    }
}

fn names(squares: Bitboard) -> Vec<String> {
    squares.into_iter().map(|square| square.to_string()).collect()
}

fn parse_side(text: &str) -> Result<Side, JsError> {
    match text {
        "white" => Ok(Side::White),
        "black" => Ok(Side::Black),
        _ => Err(InputError::Side(text.to_owned()).into()),
    }
}
