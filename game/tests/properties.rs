//! Properties of whole random games on boards of every size.

use std::collections::HashMap;

use hippolyta_game::{
    Bitboard, Board, Move, Position, Setup, Side, SolveLimits, Symmetry, TerritoryCounter, solve,
};
use proptest::prelude::*;

/// The position with amazons, at least two, on these squares, White's and Black's in turn: where one stands already
/// there is no other, and Black has one at least. Of the other squares those in `closed` are.
fn arranged(board: Board, amazons: Vec<usize>, closed: u128, side: Side) -> Position {
    let mut sets = [Bitboard::EMPTY; 2];
    for (turn, dense) in amazons.into_iter().enumerate() {
        let square = board.square(dense % board.area());
        if !(sets[0] | sets[1]).contains(square) {
            sets[turn % 2] = sets[turn % 2].with(square);
        }
    }
    if sets[1].is_empty() {
        sets[1] = (board.squares() - sets[0]).into_iter().take(1).collect();
    }
    let arrows = (Bitboard(closed) & board.squares()) - sets[0] - sets[1];
    Position::from_setup(&Setup { board, amazons: sets, arrows, side }).expect("built to be playable")
}

/// A random playable position: one to four amazons a side, the rest partly closed.
fn positions() -> impl Strategy<Value = Position> {
    (3..=10usize, 3..=10usize, prop::collection::vec(0..100usize, 2..8), any::<[u128; 2]>(), any::<bool>())
        .prop_map(|(files, ranks, amazons, [closed, thin], white)| {
            let board = Board::new(files, ranks).expect("sides from 3 to 10");
            let side = if white { Side::White } else { Side::Black };
            arranged(board, amazons, closed & thin, side)
        })
}

fn legal(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves
}

/// The winner by trying everything.
fn winner_by_force(position: &Position, known: &mut HashMap<Position, Side>) -> Side {
    if let Some(&winner) = known.get(position) {
        return winner;
    }
    let side = position.side();
    let wins =
        legal(position).into_iter().any(|m| winner_by_force(&position.play_unchecked(m), known) == side);
    let winner = if wins { side } else { !side };
    known.insert(*position, winner);
    winner
}

/// Late positions: at most eight empty squares on small boards.
fn late_positions() -> impl Strategy<Value = Position> {
    (
        3..=6usize,
        3..=6usize,
        prop::collection::vec(0..36usize, 2..6),
        prop::collection::vec(0..36usize, 1..9),
        any::<bool>(),
    )
        .prop_map(|(files, ranks, amazons, empty, white)| {
            let board = Board::new(files, ranks).expect("sides from 3 to 6");
            let place = |dense: usize| board.square(dense % board.area());
            let mut sets = [Bitboard::EMPTY; 2];
            for (turn, dense) in amazons.into_iter().enumerate() {
                if !(sets[0] | sets[1]).contains(place(dense)) {
                    sets[turn % 2] = sets[turn % 2].with(place(dense));
                }
            }
            if sets[1].is_empty() {
                sets[1] = (board.squares() - sets[0]).into_iter().take(1).collect();
            }
            let empty = empty.into_iter().map(place).collect::<Bitboard>() - sets[0] - sets[1];
            let arrows = board.squares() - sets[0] - sets[1] - empty;
            let side = if white { Side::White } else { Side::Black };
            Position::from_setup(&Setup { board, amazons: sets, arrows, side }).expect("built to be playable")
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]
    #[test]
    fn the_verdict_is_never_wrong(position in late_positions()) {
        let truth = winner_by_force(&position, &mut HashMap::new());
        let wide = TerritoryCounter::new(0).verdict(&position);
        prop_assert!(wide.is_none_or(|winner| winner == truth));
        let verdict = position.verdict();
        prop_assert!(verdict.is_none_or(|winner| winner == truth));
        prop_assert!(verdict.is_some() || wide.is_none());
        // Small regions are counted exactly, so only contested squares leave it open.
        prop_assert!(verdict.is_some() || position.territory().contested > 0);
    }
}

/// Random games from random starts on 4x4 to 6x6, until few squares are empty.
fn played_positions() -> impl Strategy<Value = Position> {
    (
        4..=6usize,
        4..=6usize,
        prop::collection::vec(0..36usize, 2..9),
        any::<[u128; 2]>(),
        5..=9u32,
        prop::collection::vec(any::<prop::sample::Index>(), 36),
    )
        .prop_map(|(files, ranks, amazons, [closed, thin], left, choices)| {
            let board = Board::new(files, ranks).expect("sides from 4 to 6");
            let mut position = arranged(board, amazons, closed & thin, Side::White);
            for choice in choices {
                let moves = legal(&position);
                if moves.is_empty() || position.empty().count() <= left {
                    break;
                }
                position = position.play_unchecked(*choice.get(&moves));
            }
            position
        })
}

/// Compares the solver with trying everything: with a table, with hardly any, and within a limit.
fn check_solver(position: &Position) -> Result<(), TestCaseError> {
    let mut known = HashMap::new();
    let truth = winner_by_force(position, &mut known);
    for (nodes, table_bytes) in [(u64::MAX, 1 << 16), (u64::MAX, 0), (2, 1 << 10)] {
        let solution = solve(position, SolveLimits { nodes, table_bytes }).expect("there is memory");
        prop_assert!(solution.nodes <= nodes);
        prop_assert!(solution.winner.is_none_or(|winner| winner == truth), "{position}: {solution:?}");
        prop_assert!(solution.winner.is_some() || solution.nodes == nodes);
        prop_assert_eq!(solution.best.is_some(), solution.winner == Some(position.side()));
        if let Some(m) = solution.best {
            let next = position.play(m).expect("the move is legal");
            prop_assert_eq!(winner_by_force(&next, &mut known), truth, "{}", m);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn the_solver_is_never_wrong(late in late_positions(), played in played_positions()) {
        check_solver(&late)?;
        // What more squares cost without any insight grows too fast to try each of these.
        if played.empty().count() <= 9 {
            check_solver(&played)?;
        }
    }
}

proptest! {
    #[test]
    fn moves_agree_with_stepping(position in positions()) {
        let moves = legal(&position);
        prop_assert_eq!(&moves, &position.moves_by_steps());
        prop_assert_eq!(moves.len() as u64, position.count_moves());
        prop_assert_eq!(position.has_move(), !moves.is_empty());
        prop_assert!(moves.is_sorted());
    }

    #[test]
    fn a_random_game_keeps_its_invariants(mut position in positions(), choices in prop::collection::vec(any::<prop::sample::Index>(), 100)) {
        for choice in choices {
            prop_assert_eq!(position.hash(), position.fresh_hash());
            prop_assert_eq!(position.to_string().parse(), Ok(position));
            prop_assert_eq!(position.passed().passed(), position);
            let moves = legal(&position);
            let Some(m) = (!moves.is_empty()).then(|| *choice.get(&moves)) else {
                prop_assert_eq!(position.winner(), Some(!position.side()));
                return Ok(());
            };
            let next = position.play(m).expect("a generated move is legal");
            prop_assert_eq!(next.empty().count() + 1, position.empty().count());
            position = next;
        }
        prop_assert!(false, "a game of more than 100 plies");
    }

    #[test]
    fn only_generated_moves_are_legal(position in positions(), squares in [0..100usize, 0..100, 0..100]) {
        let [from, to, arrow] = squares.map(|dense| position.board().square(dense % position.board().area()));
        let m = Move { from, to, arrow };
        prop_assert_eq!(position.play(m).is_ok(), legal(&position).contains(&m));
    }

    #[test]
    fn symmetries_keep_the_game(position in positions(), choice: prop::sample::Index) {
        let board = position.board();
        let moves = legal(&position);
        for &symmetry in Symmetry::of(board) {
            let image = symmetry.position(&position);
            let mut mapped: Vec<Move> = moves.iter().map(|&m| symmetry.apply(board, m)).collect();
            mapped.sort();
            prop_assert_eq!(mapped, legal(&image));
            if !moves.is_empty() {
                let m = *choice.get(&moves);
                let after = symmetry.position(&position.play(m).expect("legal"));
                prop_assert_eq!(after, image.play(symmetry.apply(board, m)).expect("the image is legal"));
            }
        }
    }

    #[test]
    fn regions_part_the_board(position in positions()) {
        let mut seen = Bitboard::EMPTY;
        for region in position.regions() {
            let all = region.empty | region.amazons[0] | region.amazons[1];
            prop_assert!((seen & all).is_empty() && (seen.dilated() & all).is_empty());
            seen |= all;
        }
        prop_assert_eq!(seen, position.board().squares() - position.arrows());
    }

    #[test]
    fn no_text_panics(text in "\\PC*", fenlike in "[Qq*0-9/]{0,40} ?[wb]?", movelike in "[a-k0-9(/,) -]{0,12}") {
        for text in [&text, &fenlike, &movelike] {
            let _ = text.parse::<Position>();
            let _ = text.parse::<Move>();
        }
    }
}
