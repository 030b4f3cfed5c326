//! A number that changes only when the search behaves differently.

use hippolyta_game::Board;
use hippolyta_search::fakes::OpinionatedEvaluator;
use hippolyta_search::{SearchResult, run, seed};

use crate::support::{gumbel, puct, search, start};

/// Mixes everything that a result says, to the last bit.
fn fold(signature: u64, result: &SearchResult) -> u64 {
    let chosen =
        [result.chosen.from, result.chosen.to, result.chosen.arrow].map(|square| square.index() as u64);
    let numbers = [result.value, result.improved_value, result.rest, result.surprise].map(f32::to_bits);
    let counts = [result.visits, result.network_calls, result.depth, result.moves.len() as u32];
    let signature = seed::derive(signature, &chosen);
    let parts: Vec<u64> = numbers.into_iter().chain(counts).map(u64::from).collect();
    let signature = seed::derive(signature, &parts);
    result.moves.iter().fold(signature, |signature, stats| {
        let bits = [stats.prior.to_bits(), stats.improved.to_bits(), stats.visits, stats.value.to_bits()];
        seed::derive(signature, &bits.map(u64::from))
    })
}

fn signature() -> u64 {
    let mut evaluator = OpinionatedEvaluator { seed: 11 };
    let mut signature = 0;
    for board in Board::PLAYED {
        for game in 0..2 {
            let mut search = search();
            let mut position = start(board);
            for ply in 0.. {
                if !position.has_move() {
                    break;
                }
                let noise = seed::derive(game, &[ply]);
                let plan = if game == 0 { gumbel(24, 6, Some(noise)) } else { puct(48) };
                search.begin(&position, &plan);
                let result = run(&mut search, &mut evaluator);
                signature = fold(signature, &result);
                position = position.play_unchecked(result.chosen);
                search.advance(result.chosen);
            }
        }
    }
    signature
}

/// A change of this number means that games are played differently: say so where it is changed.
#[test]
fn the_search_is_what_it_was() {
    assert_eq!(format!("{:016x}", signature()), "9c407ba18b60e192");
}

#[test]
fn the_search_repeats_itself() {
    assert_eq!(signature(), signature());
}
