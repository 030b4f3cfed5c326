//! A number that changes only when games are played differently.

use std::sync::Arc;

use hippolyta_game::Board;
use hippolyta_model::{Isa, NetSpec, Network, NetworkEvaluator, Precision, Weights};
use hippolyta_play::MATCH_CONFIG;
use hippolyta_search::{Mode, Plan, Search, run, seed};

use super::network::some_ranges;
use super::positions::undecided;

const POSITIONS: usize = 4;
const MODES: [Plan; 2] = [
    Plan { visits: 64, mode: Mode::Gumbel { considered: 16, noise: Some(7) } },
    Plan { visits: 200, mode: Mode::Puct },
];

/// Searches positions of every board by both kinds of search, with a network whose weights come from a seed, in int8,
/// which has the same bits on every machine; mixes how many nodes were visited, evaluated and how deep, and the moves.
pub(super) fn signature(isa: Isa) -> anyhow::Result<u64> {
    let spec = NetSpec::with_trunk(2, 32, &[0, 1]);
    let weights = Weights::untrained(spec, 1)?;
    let network = Network::new(&weights, Some(&some_ranges(&weights)), Precision::Int8, isa)?;
    let mut evaluator = NetworkEvaluator::new(Arc::new(network));
    let mut search = Search::new(MATCH_CONFIG)?;
    let mut signature = 0;
    for board in Board::PLAYED {
        for position in undecided(board, POSITIONS) {
            for plan in MODES {
                search.clear();
                search.begin(&position, &plan);
                let result = run(&mut search, &mut evaluator);
                let counts = [result.visits, result.network_calls, result.depth].map(u64::from);
                signature = seed::derive(signature, &counts);
                for stats in result.moves {
                    let squares = [stats.mv.from, stats.mv.to, stats.mv.arrow];
                    let [from, to, arrow] = squares.map(|square| square.index() as u64);
                    signature = seed::derive(signature, &[from, to, arrow, stats.visits.into()]);
                }
            }
        }
    }
    Ok(signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change of this number means that networks play differently: say so where it is changed.
    #[test]
    fn networks_play_as_they_did() {
        for isa in Isa::available(Precision::Int8) {
            let found = signature(isa).expect("the network is valid");
            assert_eq!(format!("{found:016x}"), "fef7e6822973c27e", "{isa:?}");
        }
    }
}
