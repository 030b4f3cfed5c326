//! Samples as the numbers that a step works on.

use hippolyta_game::{Board, Move, Position, Side, Symmetry};
use hippolyta_model::Head;
use hippolyta_model::features::{Features, PLANES};
use hippolyta_model::spec::{MARGIN_BINS, MARGIN_LIMIT};
use hippolyta_search::seed;
use hippolyta_selfplay::VisitedMove;
use rayon::prelude::*;

use crate::window::Sample;

/// A move by the dense indices (`rank * files + file`) of from, to and arrow.
pub type DenseMove = [u8; 3];

/// B samples on one board of S squares, each under a symmetry of its own. All is seen from the side to move;
/// squares are in dense order.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The board of all samples.
    pub board: Board,
    /// `[B, S, 20]`: the input planes, square by square.
    pub planes: Vec<f32>,
    /// Legal moves and target policy of each sample.
    pub policies: Vec<PolicyTarget>,
    /// `[B]`: what the value is trained towards, in [-1, 1].
    pub values: Vec<f32>,
    /// `[B]`: how the games ended, 1 a win, -1 a loss.
    pub results: Vec<f32>,
    /// `[B, S]`: the final owner of each square, +1 the side to move, -1 its opponent, 0 nobody.
    pub owners: Vec<f32>,
    /// `[B, S]`: 1 where the square is empty, so that its fate is open, else 0.
    pub empty: Vec<f32>,
    /// `[B]`: the bin of the final margin, see [`MARGIN_BINS`].
    pub margins: Vec<i64>,
}

/// A target policy: mass for the visited moves, and one lump for all others. No mass at all where there is nothing to
/// learn: the winner is proven, and the first winning move that was found says nothing about others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyTarget {
    /// The legal moves, ordered by from, to and arrow.
    pub moves: Vec<DenseMove>,
    /// Index into `moves` and mass of each visited move, ascending.
    pub visited: Vec<(u32, f32)>,
    /// The mass of all moves that were not visited; 0 when all were. Together with `visited` it sums to 1, or to 0
    /// where there is nothing to learn.
    pub rest: f32,
}

/// What a head is trained towards; see [`hippolyta_model::HeadOutput`].
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// `[B]`: moves and their masses.
    Moves(&'a [PolicyTarget]),
    /// `[B, width]` or `[B, S, width]`: numbers in [-1, 1], and the weight of each in the mean, if not 1.
    Chances(&'a [f32], Option<&'a [f32]>),
    /// `[B]`: the class.
    Classes(&'a [i64]),
}

/// A sample's parts that are not written in place.
struct Targets {
    policy: PolicyTarget,
    value: f32,
    result: f32,
    margin: i64,
}

impl Batch {
    /// Turns samples of one board into numbers, on the threads of the current rayon pool. Each sample's symmetry
    /// is drawn from `seed` and its place. `root_value` is the share of the search's value in the value target.
    ///
    /// # Panics
    /// When there is no sample, or samples are of different boards.
    pub fn new(samples: &[Sample<'_>], root_value: f32, seed: u64) -> Batch {
        let symmetries: Vec<Symmetry> = (0_u64..)
            .zip(samples)
            .map(|(i, sample)| {
                let all = Symmetry::of(sample.position.board());
                all[(seed::derive(seed, &[i]) % all.len() as u64) as usize]
            })
            .collect();
        Batch::with_symmetries(samples, &symmetries, root_value)
    }

    /// [`Batch::new`] under given symmetries, one a sample.
    ///
    /// # Panics
    /// As [`Batch::new`], and when a symmetry does not keep the board.
    pub fn with_symmetries(samples: &[Sample<'_>], symmetries: &[Symmetry], root_value: f32) -> Batch {
        let board = samples[0].position.board();
        let squares = board.area();
        let mut planes = vec![0.0; samples.len() * squares * PLANES];
        let mut owners = vec![0.0; samples.len() * squares];
        let mut empty = vec![0.0; samples.len() * squares];
        let targets: Vec<Targets> = planes
            .par_chunks_exact_mut(squares * PLANES)
            .zip(owners.par_chunks_exact_mut(squares).zip(empty.par_chunks_exact_mut(squares)))
            .zip(samples.par_iter().zip(symmetries))
            .map_init(Scratch::default, |scratch, ((planes, (owners, empty)), (sample, symmetry))| {
                assert_eq!(sample.position.board(), board, "one board a batch");
                let position = symmetry.position(sample.position);
                scratch.features.read(&position);
                scratch.features.write_squares(planes);
                fill_owners(sample, *symmetry, owners);
                position.empty().into_iter().for_each(|square| empty[board.dense(square)] = 1.0);
                scratch.targets(sample, &position, *symmetry, root_value)
            })
            .collect();
        let values = targets.iter().map(|target| target.value).collect();
        let results = targets.iter().map(|target| target.result).collect();
        let margins = targets.iter().map(|target| target.margin).collect();
        let policies = targets.into_iter().map(|target| target.policy).collect();
        Batch { board, planes, policies, values, results, owners, empty, margins }
    }

    /// What a head is trained towards.
    pub fn target(&self, head: Head) -> Target<'_> {
        match head {
            Head::Policy => Target::Moves(&self.policies),
            Head::Value => Target::Chances(&self.values, None),
            Head::Margin => Target::Classes(&self.margins),
            Head::Owner => Target::Chances(&self.owners, Some(&self.empty)),
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.policies.len()
    }

    /// Whether there is no sample: never.
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty()
    }
}

#[derive(Default)]
struct Scratch {
    features: Features,
    moves: Vec<Move>,
}

impl Scratch {
    fn targets(
        &mut self,
        sample: &Sample<'_>,
        position: &Position,
        symmetry: Symmetry,
        root_value: f32,
    ) -> Targets {
        let (board, side) = (position.board(), position.side());
        let policy = if sample.visited.is_empty() {
            PolicyTarget::default()
        } else {
            position.moves(&mut self.moves);
            let image = |visited: &VisitedMove| (symmetry.apply(board, visited.mv), visited.mass);
            policy_target(board, &self.moves, sample.visited.iter().map(image))
        };
        let margin = i32::from(sample.outcome.margin(side)).clamp(-MARGIN_LIMIT, MARGIN_LIMIT);
        let result = sample.outcome.value(side);
        let value = (1.0 - root_value) * result + root_value * sample.root_value;
        Targets { policy, value, result, margin: i64::from(margin + MARGIN_LIMIT) }
    }
}

/// Writes the final owner of each square; nobody's stay as they are.
fn fill_owners(sample: &Sample<'_>, symmetry: Symmetry, owners: &mut [f32]) {
    let board = sample.position.board();
    for owner in Side::ALL {
        let sign = if owner == sample.position.side() { 1.0 } else { -1.0 };
        for square in symmetry.bitboard(board, sample.outcome.owners[owner.index()]) {
            owners[board.dense(square)] = sign;
        }
    }
}

const _: () = assert!(MARGIN_BINS as i32 == 2 * MARGIN_LIMIT + 1);

pub(crate) fn policy_target(
    board: Board,
    legal: &[Move],
    visited: impl Iterator<Item = (Move, f32)>,
) -> PolicyTarget {
    let mut target = PolicyTarget {
        moves: legal.iter().map(|m| [m.from, m.to, m.arrow].map(|s| board.dense(s) as u8)).collect(),
        visited: visited
            .map(|(m, mass)| {
                let index = legal.binary_search(&m).expect("records hold legal moves only");
                (index as u32, mass)
            })
            .collect(),
        rest: 0.0,
    };
    target.visited.sort_unstable_by_key(|(index, _)| *index);
    let total: f32 = target.visited.iter().map(|(_, mass)| mass).sum();
    if target.visited.len() < legal.len() && total <= 1.0 {
        target.rest = 1.0 - total;
    } else if total > 0.0 {
        // Rounding, or a policy over all moves: the visited ones hold everything.
        target.visited.iter_mut().for_each(|(_, mass)| *mass /= total);
    } else {
        let even = 1.0 / legal.len() as f32;
        target.visited.iter_mut().for_each(|(_, mass)| *mass = even);
    }
    target
}

#[cfg(test)]
mod tests {
    use hippolyta_selfplay::GameRecord;
    use rayon::ThreadPoolBuilder;

    use super::*;
    use crate::config::WindowConfig;
    use crate::testing::{config, record};
    use crate::window::ReplayWindow;

    fn window(records: &[GameRecord]) -> ReplayWindow {
        let mut window = ReplayWindow::new(config().window);
        window.extend(records);
        window
    }

    #[test]
    fn targets_are_what_the_record_says() {
        let game = record(Board::SIX, 3);
        let window = window(std::slice::from_ref(&game));
        let samples = window.draw(1, 8);
        let batch = Batch::with_symmetries(&samples, &[Symmetry::IDENTITY; 8], 0.25);
        for (i, sample) in samples.iter().enumerate() {
            let side = sample.position.side();
            let won = if game.outcome.winner == side { 1.0 } else { -1.0 };
            assert_eq!(batch.values[i].to_bits(), (0.75 * won + 0.25 * sample.root_value).to_bits());
            assert_eq!(batch.results[i].to_bits(), f32::to_bits(won));
            assert_eq!(batch.margins[i], i64::from(game.outcome.margin(side)) + 32);
            assert_eq!((batch.margins[i] > 32), (game.outcome.winner == side));
            for square in Board::SIX.squares() {
                let expected =
                    game.outcome.owner(square).map_or(0.0, |owner| if owner == side { 1.0 } else { -1.0 });
                let found = batch.owners[i * 36 + Board::SIX.dense(square)];
                assert_eq!(found.to_bits(), f32::to_bits(expected));
                let is_empty = batch.empty[i * 36 + Board::SIX.dense(square)] > 0.0;
                assert_eq!(is_empty, sample.position.empty().contains(square));
            }
            let target = &batch.policies[i];
            assert_eq!(target.moves.len() as u64, sample.position.count_moves());
            for ((index, mass), visited) in target.visited.iter().zip(sample.visited) {
                let dense = [visited.mv.from, visited.mv.to, visited.mv.arrow].map(|s| Board::SIX.dense(s));
                assert_eq!(target.moves[*index as usize].map(usize::from), dense);
                if target.rest > 0.0 {
                    assert_eq!(mass.to_bits(), visited.mass.to_bits());
                }
            }
            let total: f32 = target.rest + target.visited.iter().map(|(_, mass)| mass).sum::<f32>();
            assert!((total - 1.0).abs() < 1e-5, "{total}");
        }
    }

    /// A symmetric image is the same sample with its squares renamed.
    #[test]
    fn symmetries_rename_squares_and_change_nothing_else() {
        let window = window(&[record(Board::EIGHT, 3)]);
        let samples = window.draw(1, 1);
        let plain = Batch::with_symmetries(&samples, &[Symmetry::IDENTITY], 0.5);
        let board = plain.board;
        for symmetry in Symmetry::ALL {
            let image = Batch::with_symmetries(&samples, &[symmetry], 0.5);
            let goes = |square: usize| board.dense(symmetry.square(board, board.square(square)));
            for square in 0..board.area() {
                let at = |square: usize| square * PLANES..(square + 1) * PLANES;
                assert_eq!(plain.planes[at(square)], image.planes[at(goes(square))], "{symmetry:?}");
                assert_eq!(plain.owners[square].to_bits(), image.owners[goes(square)].to_bits());
                assert_eq!(plain.empty[square].to_bits(), image.empty[goes(square)].to_bits());
            }
            assert_eq!((&plain.values, &plain.margins), (&image.values, &image.margins));
            let masses = |batch: &Batch, rename: &dyn Fn(usize) -> usize| {
                let target = &batch.policies[0];
                let mut named: Vec<(Vec<usize>, u32)> = target
                    .visited
                    .iter()
                    .map(|(index, mass)| {
                        let squares = target.moves[*index as usize];
                        (squares.iter().map(|s| rename(usize::from(*s))).collect(), mass.to_bits())
                    })
                    .collect();
                named.sort_unstable();
                named
            };
            assert_eq!(masses(&plain, &goes), masses(&image, &|square| square));
            assert!(image.policies[0].visited.is_sorted());
        }
    }

    #[test]
    fn a_proven_position_has_no_policy_to_learn() {
        let mut game = record(Board::SIX, 3);
        game.searched.iter_mut().for_each(|search| search.proven = true);
        let mut window = ReplayWindow::new(WindowConfig { proven_policy: false, ..config().window });
        window.extend([&game]);
        let batch = Batch::new(&window.draw(1, 4), 0.5, 1);
        assert!(batch.policies.iter().all(|target| *target == PolicyTarget::default()));
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let window = window(&[record(Board::SIX, 3), record(Board::SIX, 4)]);
        let samples = window.draw(1, 50);
        let on = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Batch::new(&samples, 0.5, 9))
        };
        assert_eq!(on(1), on(3));
        assert_ne!(Batch::new(&samples, 0.5, 9), Batch::new(&samples, 0.5, 10));
    }

    #[test]
    fn a_target_sums_to_one_whatever_the_record_rounds_to() {
        let position = hippolyta_game::Position::start(Board::SIX).unwrap();
        let mut legal = Vec::new();
        position.moves(&mut legal);
        legal.truncate(3);
        let check = |masses: &[f32], rest: f32, expected: &[f32]| {
            let target = policy_target(Board::SIX, &legal, legal.iter().copied().zip(masses.iter().copied()));
            assert!((target.rest - rest).abs() < 1e-6, "{target:?}");
            for ((_, mass), expected) in target.visited.iter().zip(expected) {
                assert!((mass - expected).abs() < 1e-6, "{target:?}");
            }
        };
        check(&[0.25, 0.25], 0.5, &[0.25, 0.25]);
        check(&[0.5, 0.5005], 0.0, &[0.49975, 0.50025]);
        check(&[0.5, 0.2, 0.2], 0.0, &[0.555_555_6, 0.222_222_2, 0.222_222_2]);
        check(&[0.0, 0.0, 0.0], 0.0, &[0.333_333_3, 0.333_333_3, 0.333_333_3]);
    }
}
