//! Insane: the networks that are shipped with the program.

use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, anyhow};
use hippolyta_game::{Board, Position};
use hippolyta_model::{ModelFile, Network};
use hippolyta_play::{Choice, Limits, Player, PlayerError};
use hippolyta_run::evaluators::native_of;
use hippolyta_run::seats::network_player;

/// A network of `models/`, which is part of the binary.
struct Shipped {
    /// Squares on a side of the board that it is for.
    side: usize,
    file: &'static [u8],
    network: OnceLock<Arc<Network>>,
}

/// One network a board, from the smallest to the largest.
static SHIPPED: [Shipped; 3] = [
    Shipped::new(6, include_bytes!("../models/insane-6x6.safetensors")),
    Shipped::new(8, include_bytes!("../models/insane-8x8.safetensors")),
    Shipped::new(10, include_bytes!("../models/insane-10x10.safetensors")),
];

impl Shipped {
    const fn new(side: usize, file: &'static [u8]) -> Shipped {
        Shipped { side, file, network: OnceLock::new() }
    }

    /// The place in [`SHIPPED`] of the network for a board: the first one for a board that is at least as large.
    fn for_board(board: Board) -> usize {
        let needed = board.area();
        SHIPPED
            .iter()
            .position(|shipped| shipped.side * shipped.side >= needed)
            .expect("10x10 is the largest board")
    }

    fn network(&self) -> anyhow::Result<&Arc<Network>> {
        if let Some(network) = self.network.get() {
            return Ok(network);
        }
        let model = ModelFile::from_bytes(self.file)?;
        let network = native_of(&model, model.precision())
            .with_context(|| format!("the shipped network for {0}x{0} cannot be run", self.side))?;
        Ok(self.network.get_or_init(|| network))
    }
}

/// The strongest opponent on each board: the shipped network of that board, with search.
///
/// It needs no file and no run. A board that has no network of its own is played by that of the next larger one.
pub(crate) struct Insane {
    /// The players of the boards so far, in the order of [`SHIPPED`]; each is made when its board comes up.
    players: [Option<Box<dyn Player>>; SHIPPED.len()],
    seed: u64,
}

impl Insane {
    /// The name under which results are reported.
    pub(crate) const NAME: &str = "insane";

    pub(crate) fn new() -> Insane {
        Insane { players: [const { None }; SHIPPED.len()], seed: 0 }
    }

    fn player(&mut self, board: Board) -> anyhow::Result<&mut dyn Player> {
        let index = Shipped::for_board(board);
        if self.players[index].is_none() {
            let network = SHIPPED[index].network()?;
            let mut player = network_player(Insane::NAME, network).map_err(|error| anyhow!(error))?;
            player.new_game(self.seed);
            self.players[index] = Some(player);
        }
        Ok(self.players[index].as_deref_mut().expect("it was just made"))
    }
}

impl Player for Insane {
    fn name(&self) -> &str {
        Insane::NAME
    }

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
        for player in self.players.iter_mut().flatten() {
            player.new_game(seed);
        }
    }

    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError> {
        let player = self.player(position.board()).expect("a test runs every shipped network");
        player.choose(position, limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_has_a_network_that_plays() {
        let mut insane = Insane::new();
        for (side, network) in [(4, 6), (6, 6), (7, 8), (8, 8), (9, 10), (10, 10)] {
            let board = Board::new(side, side).unwrap();
            assert_eq!(SHIPPED[Shipped::for_board(board)].side, network, "{side}x{side}");
            let Some(position) = Position::start(board) else { continue };
            insane.new_game(1);
            let choice = insane.choose(&position, &Limits::visits(16)).unwrap();
            assert!(position.is_legal(choice.best));
        }
    }

    #[test]
    fn the_shipped_networks_stay_small_enough_to_carry() {
        let bytes: usize = SHIPPED.iter().map(|shipped| shipped.file.len()).sum();
        assert!(bytes <= 6_000_000, "{bytes} bytes");
    }
}
