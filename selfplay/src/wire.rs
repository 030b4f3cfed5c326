//! The stored form of a record: plain numbers, checked when they are read.
//!
//! A square is its index in row-major order from a1. The order and types of the fields are the format; a change is
//! a new frame version.

use hippolyta_game::{Bitboard, Board, Move, Position, Setup, Side, Square};
use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;
use crate::record::{GameRecord, ModelHash, Opening, OpeningKind, RecordError, SearchedPly, VisitedMove};

#[derive(Serialize, Deserialize)]
pub(crate) struct WireGame {
    generation: u32,
    game: u32,
    seed: u64,
    model: ModelHash,
    files: u8,
    ranks: u8,
    /// White's amazons, Black's, arrows.
    start: [u128; 3],
    /// 0 for White, 1 for Black; so everywhere.
    side: u8,
    /// 0 for moves drawn from the policy, 1 for moves drawn from all alike.
    opening_kind: u8,
    opening_plies: u16,
    moves: Vec<[u8; 3]>,
    searched: Vec<WirePly>,
    evaluations: u32,
    visits: u32,
    winner: u8,
    owners: [u128; 2],
    white_margin: i16,
}

#[derive(Serialize, Deserialize)]
struct WirePly {
    ply: u16,
    full: bool,
    value: f32,
    improved_value: f32,
    proven: bool,
    network_value: f32,
    surprise: f32,
    weight: f32,
    visited: Vec<([u8; 3], f32)>,
}

impl From<&GameRecord> for WireGame {
    fn from(record: &GameRecord) -> WireGame {
        let Setup { board, amazons: [white, black], arrows, side } = record.start.setup();
        let squares = |set: Bitboard| set.into_iter().fold(0, |bits, s| bits | 1u128 << board.dense(s));
        let triple = |m: Move| [m.from, m.to, m.arrow].map(|square| board.dense(square) as u8);
        let searched = record.searched.iter().map(|search| WirePly {
            ply: search.ply,
            full: search.full,
            value: search.value,
            improved_value: search.improved_value,
            proven: search.proven,
            network_value: search.network_value,
            surprise: search.surprise,
            weight: search.weight,
            visited: search.visited.iter().map(|visited| (triple(visited.mv), visited.mass)).collect(),
        });
        WireGame {
            generation: record.generation,
            game: record.game,
            seed: record.seed,
            model: record.model,
            files: board.files(),
            ranks: board.ranks(),
            start: [white, black, arrows].map(squares),
            side: side.index() as u8,
            opening_kind: record.opening.kind as u8,
            opening_plies: record.opening.plies,
            moves: record.moves.iter().map(|m| triple(*m)).collect(),
            searched: searched.collect(),
            evaluations: record.evaluations,
            visits: record.visits,
            winner: record.outcome.winner.index() as u8,
            owners: record.outcome.owners.map(squares),
            white_margin: record.outcome.white_margin,
        }
    }
}

impl TryFrom<WireGame> for GameRecord {
    type Error = RecordError;

    fn try_from(wire: WireGame) -> Result<GameRecord, RecordError> {
        let board = Board::new(wire.files.into(), wire.ranks.into())?;
        let [white, black, arrows] = wire.start;
        let setup = Setup {
            board,
            amazons: [squares(board, white)?, squares(board, black)?],
            arrows: squares(board, arrows)?,
            side: side(wire.side)?,
        };
        let [white, black] = wire.owners;
        let outcome = Outcome {
            winner: side(wire.winner)?,
            owners: [squares(board, white)?, squares(board, black)?],
            white_margin: wire.white_margin,
        };
        let searched = wire.searched.into_iter().map(|ply| searched(board, ply));
        let record = GameRecord {
            generation: wire.generation,
            game: wire.game,
            seed: wire.seed,
            model: wire.model,
            start: Position::from_setup(&setup)?,
            opening: Opening { kind: opening_kind(wire.opening_kind)?, plies: wire.opening_plies },
            moves: wire.moves.into_iter().map(|m| triple(board, m)).collect::<Result<_, _>>()?,
            searched: searched.collect::<Result<_, _>>()?,
            evaluations: wire.evaluations,
            visits: wire.visits,
            outcome,
        };
        record.check()?;
        Ok(record)
    }
}

fn searched(board: Board, wire: WirePly) -> Result<SearchedPly, RecordError> {
    let visited = wire.visited.into_iter();
    let visited = visited.map(|(m, mass)| Ok(VisitedMove { mv: triple(board, m)?, mass }));
    Ok(SearchedPly {
        ply: wire.ply,
        full: wire.full,
        value: wire.value,
        improved_value: wire.improved_value,
        proven: wire.proven,
        network_value: wire.network_value,
        surprise: wire.surprise,
        weight: wire.weight,
        visited: visited.collect::<Result<_, RecordError>>()?,
    })
}

fn opening_kind(found: u8) -> Result<OpeningKind, RecordError> {
    match found {
        0 => Ok(OpeningKind::Policy),
        1 => Ok(OpeningKind::Uniform),
        _ => Err(RecordError::Wire { what: "kind of opening", found: found.into() }),
    }
}

fn side(found: u8) -> Result<Side, RecordError> {
    let side = Side::ALL.get(usize::from(found)).copied();
    side.ok_or(RecordError::Wire { what: "side", found: found.into() })
}

fn square(board: Board, found: u8) -> Result<Square, RecordError> {
    let on_board = usize::from(found) < board.area();
    let square = on_board.then(|| board.square(found.into()));
    square.ok_or(RecordError::Wire { what: "square", found: found.into() })
}

fn triple(board: Board, [from, to, arrow]: [u8; 3]) -> Result<Move, RecordError> {
    Ok(Move { from: square(board, from)?, to: square(board, to)?, arrow: square(board, arrow)? })
}

fn squares(board: Board, mut bits: u128) -> Result<Bitboard, RecordError> {
    let mut set = Bitboard::EMPTY;
    while bits != 0 {
        set = set.with(square(board, bits.trailing_zeros() as u8)?);
        bits &= bits - 1;
    }
    Ok(set)
}
