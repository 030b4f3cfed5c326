//! Configurations and games for tests.

use hippolyta_game::{Board, Position};
use hippolyta_search::seed::derive;
use hippolyta_selfplay::{GameRecord, Opening, OpeningKind, Outcome, SearchedPly, VisitedMove};

use crate::config::{OptimizerConfig, TrainConfig, TrunkOptimizer, WindowConfig};

/// The base configuration with few steps.
pub(crate) fn config() -> TrainConfig {
    let base: toml::Table = include_str!("../../configs/base.toml").parse().unwrap();
    let base: TrainConfig = base["train"].clone().try_into().unwrap();
    TrainConfig {
        threads: 1,
        batch: 16,
        min_positions: 10,
        average_decay: 0.95,
        estimated_norms: true,
        open_owners: true,
        window: WindowConfig { scale: 10_000.0, ..base.window },
        loss: base.loss,
        optimizer: OptimizerConfig {
            trunk: TrunkOptimizer::Muon,
            learning_rate: 2e-3,
            warmup_steps: 5,
            beta2: 0.99,
            weight_decay: 1e-4,
            ..base.optimizer
        },
        ..base
    }
}

/// A whole game of moves drawn by `seed`, as if every position had been searched, every second one in full.
pub(crate) fn record(board: Board, seed: u64) -> GameRecord {
    let mut positions = vec![Position::start(board).unwrap()];
    let (mut moves, mut searched, mut legal) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let position = *positions.last().unwrap();
        position.moves(&mut legal);
        if legal.is_empty() {
            break;
        }
        let ply = moves.len() as u16;
        let draw = |part: u64| derive(seed, &[ply.into(), part]);
        let unit = |part| (draw(part) % 1000) as f32 / 1000.0;
        let count = legal.len().div_ceil(7) as f32;
        searched.push(SearchedPly {
            ply,
            full: ply.is_multiple_of(2),
            value: 1.0 - 2.0 * unit(2),
            improved_value: 1.0 - 2.0 * unit(5),
            proven: false,
            network_value: 1.0 - 2.0 * unit(3),
            surprise: unit(4),
            weight: 1.0,
            visited: legal.iter().step_by(7).map(|m| VisitedMove { mv: *m, mass: 0.8 / count }).collect(),
        });
        let m = legal[(draw(0) % legal.len() as u64) as usize];
        moves.push(m);
        positions.push(position.play_unchecked(m));
    }
    let winner = positions.last().unwrap().winner().unwrap();
    let outcome = Outcome::of(&positions, winner);
    GameRecord {
        generation: 0,
        game: seed as u32,
        seed,
        model: [0; 32],
        start: positions[0],
        opening: Opening { kind: OpeningKind::Policy, plies: 0 },
        moves,
        searched,
        evaluations: 0,
        visits: 0,
        outcome,
    }
}
