//! Games for tests.

use hippolyta_game::{Board, Position};
use hippolyta_search::SearchConfig;
use hippolyta_search::seed::derive;
use serde::de::DeserializeOwned;

use crate::config::SelfplayConfig;
use crate::outcome::Outcome;
use crate::record::{GameRecord, Opening, OpeningKind, SearchedPly, VisitedMove};
use crate::searches::{SearchSizes, Searches};

/// A whole game of moves drawn by `seed`, with invented but valid search results before every second move.
pub(crate) fn random_record(board: Board, seed: u64) -> GameRecord {
    let start = Position::start(board).unwrap();
    let mut positions = vec![start];
    let mut moves = Vec::new();
    let mut searched = Vec::new();
    let mut legal = Vec::new();
    loop {
        let position = positions.last().unwrap();
        position.moves(&mut legal);
        if legal.is_empty() {
            break;
        }
        let ply = moves.len() as u16;
        let draw = |part: u64| derive(seed, &[ply.into(), part]);
        if ply % 2 == 1 {
            let unit = |part| (draw(part) % 1000) as f32 / 1000.0;
            searched.push(SearchedPly {
                ply,
                full: draw(1) % 4 == 0,
                value: 1.0 - 2.0 * unit(2),
                improved_value: 1.0 - 2.0 * unit(5),
                proven: false,
                network_value: 1.0 - 2.0 * unit(3),
                surprise: unit(4),
                weight: 1.0,
                visited: legal.iter().step_by(50).map(|m| VisitedMove { mv: *m, mass: 0.01 }).collect(),
            });
        }
        let m = legal[(draw(0) % legal.len() as u64) as usize];
        moves.push(m);
        let next = position.play_unchecked(m);
        positions.push(next);
    }
    let winner = positions.last().unwrap().winner().unwrap();
    let outcome = Outcome::of(&positions, winner);
    let model = [seed as u8; 32];
    let (evaluations, visits) = (500, 600);
    GameRecord {
        generation: 3,
        game: seed as u32,
        seed,
        model,
        start,
        opening: Opening { kind: OpeningKind::Uniform, plies: 1 },
        moves,
        searched,
        evaluations,
        visits,
        outcome,
    }
}

/// A table of the base configuration.
fn base<T: DeserializeOwned>(name: &str) -> T {
    let base: toml::Table = include_str!("../../configs/base.toml").parse().unwrap();
    base[name].clone().try_into().unwrap()
}

/// The base configuration made small: 6x6, few visits, files of four games.
pub(crate) fn config() -> SelfplayConfig {
    SelfplayConfig {
        games: 10,
        games_per_file: 4,
        searches: Searches(vec![SearchSizes {
            first: 1,
            full_visits: 8,
            full_considered: 2,
            quick_visits: 3,
            quick_considered: 2,
        }]),
        full_share: 0.25,
        opening_temperature: 1.0,
        uniform_share: 0.25,
        uniform_plies: 3,
        decided_visits: 2,
        ..base("selfplay")
    }
}

/// Constants of a small search.
pub(crate) fn search_config() -> SearchConfig {
    SearchConfig {
        c_scale: 0.2,
        max_children: 16,
        max_nodes: 1000,
        endgame_squares: 0,
        endgame_nodes: 0,
        ..base("search")
    }
}
