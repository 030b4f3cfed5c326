//! What the tests share.

use hippolyta_game::{Board, Position};
use hippolyta_search::{Evaluator, Mode, Plan, Search, SearchConfig, SearchResult, run};

pub(crate) fn config() -> SearchConfig {
    SearchConfig {
        c_visit: 50.0,
        c_scale: 1.0,
        puct_init: 1.25,
        puct_base: 19652.0,
        fpu_reduction: 0.2,
        max_children: 64,
        max_nodes: 1_000_000,
        endgame_squares: 0,
        endgame_nodes: 0,
    }
}

pub(crate) fn search() -> Search {
    Search::new(config()).expect("the tests' constants are valid")
}

pub(crate) fn position(fen: &str) -> Position {
    fen.parse().expect("the tests' positions are well formed")
}

pub(crate) fn start(board: Board) -> Position {
    Position::start(board).expect("a board that people play on has a start")
}

pub(crate) fn gumbel(visits: u32, considered: u32, noise: Option<u64>) -> Plan {
    Plan { visits, mode: Mode::Gumbel { considered, noise } }
}

pub(crate) fn puct(visits: u32) -> Plan {
    Plan { visits, mode: Mode::Puct }
}

/// A search from nothing.
pub(crate) fn fresh(position: &Position, plan: &Plan, evaluator: &mut dyn Evaluator) -> SearchResult {
    let mut search = search();
    search.begin(position, plan);
    run(&mut search, evaluator)
}
