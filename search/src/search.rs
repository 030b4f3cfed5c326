//! The search: visits from the root to a leaf, in two half-steps round the evaluator.

use hippolyta_game::{Move, Position};

use crate::completed::Term;
use crate::config::{ConfigError, SearchConfig};
use crate::evaluator::{Evaluation, Query};
use crate::exact::{self, Exact, Outcome};
use crate::root::GumbelRoot;
use crate::select;
use crate::tree::{NO_CHILD, Tree};

/// What a search is to do in one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Visits to make, each from the root to a leaf. The evaluation of the root itself does not count; with 0
    /// visits it is all that happens. `u32::MAX` goes on until the caller stops, the root is proven or the tree full.
    pub visits: u32,
    /// How moves are selected.
    pub mode: Mode,
}

/// How moves are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Sequential halving at the root, visits in proportion to the improved policy below.
    Gumbel {
        /// The most moves considered at the root; a quarter of the visits or fewer is good.
        considered: u32,
        /// The seed of the root's noise; `None` plays its best.
        noise: Option<u64>,
    },
    /// PUCT everywhere. It needs not know how many visits there will be.
    Puct,
}

/// What a search needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An evaluation of [`Search::query`], to be given to [`Search::apply`].
    Evaluate,
    /// Nothing: some visits ended in exact values, and the caller gets a chance to stop. Gather again.
    Pause,
    /// The plan is fulfilled, the root proven or the tree full.
    Done,
}

/// The visits with exact values that one [`Search::gather`] makes at most.
const EXACT_VISITS_A_STEP: u32 = 64;

/// A position that waits for its evaluation.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    Nothing,
    Root,
    Leaf(Position),
}

/// A tree search over one position after another. It keeps its memory, and between moves the part of its tree that
/// [`Search::advance`] leads to.
///
/// ```
/// use hippolyta_game::{Board, Position};
/// use hippolyta_search::{Mode, Plan, Search, SearchConfig, Step, UniformEvaluator, run};
///
/// # let config = SearchConfig { c_visit: 50.0, c_scale: 1.0, puct_init: 1.25, puct_base: 19652.0, fpu_reduction: 0.2,
/// #     max_children: 64, max_nodes: 100_000, endgame_squares: 12, endgame_nodes: 100 };
/// let mut search = Search::new(config)?;
/// let position = Position::start(Board::SIX).expect("6x6 has a start");
/// search.begin(&position, &Plan { visits: 32, mode: Mode::Gumbel { considered: 8, noise: Some(1) } });
/// let result = run(&mut search, &mut UniformEvaluator);
/// assert!(position.is_legal(result.chosen));
/// search.advance(result.chosen);
/// # Ok::<(), hippolyta_search::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Search {
    pub(crate) config: SearchConfig,
    pub(crate) tree: Tree,
    /// The other arena of [`Search::advance`].
    spare: Tree,
    pub(crate) root: Option<Position>,
    pub(crate) plan: Plan,
    pub(crate) gumbel: GumbelRoot,
    /// The moves that the root is restricted to; all legal ones when empty.
    among: Vec<Move>,
    /// Whether this search has looked at its root.
    started: bool,
    pub(crate) visits: u32,
    pub(crate) network_calls: u32,
    pub(crate) depth: u32,
    waiting: Waiting,
    exact: Exact,
    /// The legal moves of the position that waits.
    moves: Vec<Move>,
    /// The nodes and edges from the root to the leaf.
    path: Vec<(u32, usize)>,
    terms: Vec<Term>,
}

impl Search {
    /// An empty search.
    ///
    /// # Errors
    /// The first value of `config` that is out of its range.
    pub fn new(config: SearchConfig) -> Result<Search, ConfigError> {
        config.validate()?;
        Ok(Search {
            exact: Exact::new(&config),
            config,
            tree: Tree::default(),
            spare: Tree::default(),
            root: None,
            plan: Plan { visits: 0, mode: Mode::Puct },
            gumbel: GumbelRoot::default(),
            among: Vec::new(),
            started: false,
            visits: 0,
            network_calls: 0,
            depth: 0,
            waiting: Waiting::Nothing,
            moves: Vec::new(),
            path: Vec::new(),
            terms: Vec::new(),
        })
    }

    /// Starts on a position. The tree is kept when its root is this position, after [`Search::advance`] or an earlier
    /// search of the same; else it is emptied. An evaluation that the search waits for is forgotten.
    ///
    /// # Panics
    /// When `position` has no legal move: there is nothing to choose.
    pub fn begin(&mut self, position: &Position, plan: &Plan) {
        self.begin_among(position, plan, &[]);
    }

    /// The same with a root that knows no moves but `among`, in any order; all legal ones when it is empty. What is
    /// proven of the root then holds for these moves. A tree whose root has others is emptied.
    ///
    /// # Panics
    /// When `position` has no legal move, or one of `among` is not legal.
    pub fn begin_among(&mut self, position: &Position, plan: &Plan, among: &[Move]) {
        assert!(position.has_move(), "a search needs a legal move: {position}");
        if let Some(illegal) = among.iter().find(|m| !position.is_legal(**m)) {
            panic!("{illegal} is not legal in {position}");
        }
        let reusable = self.root.as_ref() == Some(position) && self.has_edges() && self.among == among;
        self.among.clear();
        self.among.extend_from_slice(among);
        if !reusable {
            self.tree.clear();
            self.exact.forget();
        }
        self.root = Some(*position);
        self.plan = *plan;
        self.forget_progress();
        if let Mode::Gumbel { considered, noise } = plan.mode {
            self.gumbel.begin(considered, noise);
        }
    }

    /// Forgets the tree, but keeps its memory.
    pub fn clear(&mut self) {
        self.tree.clear();
        self.root = None;
        self.forget_progress();
    }

    /// Follows a move that was played from the root, by either side, and keeps what the tree knows behind it.
    ///
    /// # Panics
    /// When `m` is not legal at the root, or no search has begun.
    pub fn advance(&mut self, m: Move) {
        let root = self.root.expect("a search has a root once it has begun");
        assert!(root.is_legal(m), "{m} is not legal in {root}");
        self.forget_progress();
        let child = if self.has_edges() {
            self.tree.edges(0).iter().find(|edge| edge.mv == m).map_or(NO_CHILD, |edge| edge.child)
        } else {
            NO_CHILD
        };
        if child == NO_CHILD {
            self.tree.clear();
        } else {
            self.tree.copy_subtree(child, &mut self.spare);
            std::mem::swap(&mut self.tree, &mut self.spare);
        }
        self.root = Some(root.play_unchecked(m));
        self.among.clear();
    }

    /// The first half-step: makes visits until one needs an evaluation, and says what comes next.
    ///
    /// # Panics
    /// When no search has begun.
    pub fn gather(&mut self) -> Step {
        if !matches!(self.waiting, Waiting::Nothing) {
            return Step::Evaluate;
        }
        let root = self.root.expect("a search gathers once it has begun");
        if !self.has_edges() {
            root.moves(&mut self.moves);
            self.waiting = Waiting::Root;
            return Step::Evaluate;
        }
        if !self.started {
            self.start(&root);
        }
        for _ in 0..EXACT_VISITS_A_STEP {
            if self.is_done() {
                return Step::Done;
            }
            if let Some(leaf) = self.descend(&root) {
                self.waiting = Waiting::Leaf(leaf);
                return Step::Evaluate;
            }
        }
        if self.is_done() { Step::Done } else { Step::Pause }
    }

    /// What is to be evaluated, after [`Step::Evaluate`].
    pub fn query(&self) -> Option<Query<'_>> {
        let position = match &self.waiting {
            Waiting::Nothing => return None,
            Waiting::Root => self.root.as_ref()?,
            Waiting::Leaf(leaf) => leaf,
        };
        Some(Query { position, moves: &self.moves })
    }

    /// The second half-step: takes the evaluation of [`Search::query`] and backs it up.
    ///
    /// # Panics
    /// When nothing waits, a number is not finite, or there is not one logit a move.
    pub fn apply(&mut self, evaluation: &Evaluation) {
        let Evaluation { value, logits } = evaluation;
        self.network_calls += 1;
        match std::mem::replace(&mut self.waiting, Waiting::Nothing) {
            Waiting::Nothing => panic!("an evaluation was applied that no gather asked for"),
            Waiting::Root if self.among.is_empty() => {
                self.tree.clear();
                self.tree.push_open(*value, &self.moves, logits, self.moves.len());
            }
            Waiting::Root => self.push_restricted_root(*value, logits),
            Waiting::Leaf(_) => {
                let keep = self.config.max_children as usize;
                let leaf = self.tree.push_open(*value, &self.moves, logits, keep);
                self.finish_visit(leaf);
            }
        }
    }

    fn push_restricted_root(&mut self, value: f32, logits: &[f32]) {
        assert_eq!(self.moves.len(), logits.len(), "an evaluation has one logit a move");
        let admitted = |(m, _): &(&Move, &f32)| self.among.contains(m);
        let (moves, logits): (Vec<Move>, Vec<f32>) = self.moves.iter().zip(logits).filter(admitted).unzip();
        self.tree.clear();
        self.tree.push_open(value, &moves, &logits, moves.len());
    }

    /// What a search did belongs to its root and plan: a new one starts from nothing.
    fn forget_progress(&mut self) {
        self.started = false;
        self.visits = 0;
        self.network_calls = 0;
        self.depth = 0;
        self.waiting = Waiting::Nothing;
        self.gumbel.clear();
    }

    /// Whether the root has been evaluated.
    fn has_edges(&self) -> bool {
        self.tree.nodes.first().is_some_and(|root| root.edges > 0)
    }

    fn is_done(&self) -> bool {
        self.tree.nodes[0].outcome != Outcome::Open
            || self.visits >= self.plan.visits
            || self.tree.nodes.len() >= self.config.max_nodes as usize
    }

    /// Looks at an evaluated root before its first visit.
    fn start(&mut self, root: &Position) {
        self.started = true;
        root.moves(&mut self.moves);
        if !self.among.is_empty() {
            self.moves.retain(|m| self.among.contains(m));
        }
        if self.tree.nodes[0].truncated {
            self.tree.widen(0, &self.moves);
        }
        if self.tree.nodes[0].outcome == Outcome::Open
            && let Some(winning) = exact::winning_move(root, &self.moves)
        {
            self.take_win(self.moves[winning]);
        } else if let Mode::Gumbel { .. } = self.plan.mode {
            self.gumbel.choose(&mut self.tree, self.plan.visits, &self.config, &mut self.terms);
        }
    }

    /// Visits a root move that leaves the opponent none, whatever the network thinks of it.
    fn take_win(&mut self, m: Move) {
        let visited = self.tree.nodes[0].visited as usize;
        let edge = self.tree.edges(0).iter().position(|edge| edge.mv == m);
        let edge = edge.expect("the root has an edge for each legal move");
        debug_assert!(edge >= visited, "a visited winning move has proven its root");
        self.tree.edges_mut(0).swap(visited, edge);
        self.tree.nodes[0].best_next = false;
        self.path.clear();
        self.path.push((0, visited));
        let leaf = self.tree.push_leaf(-1.0, Outcome::Lost);
        self.finish_visit(leaf);
    }

    /// One visit down to a leaf. Gives the leaf's position if it needs an evaluation; else the visit is finished.
    fn descend(&mut self, root: &Position) -> Option<Position> {
        self.path.clear();
        let mut position = *root;
        let mut node = 0;
        loop {
            let index = self.select(node, &position);
            self.path.push((node, index));
            let edge = self.tree.edges(node)[index];
            position = position.play_unchecked(edge.mv);
            if edge.child == NO_CHILD {
                break;
            }
            node = edge.child;
            debug_assert_eq!(
                self.tree.nodes[node as usize].outcome,
                Outcome::Open,
                "proven nodes are left alone"
            );
        }
        match self.exact.outcome(&position, &mut self.moves) {
            Outcome::Open => Some(position),
            outcome @ (Outcome::Won | Outcome::Lost) => {
                let value = if outcome == Outcome::Won { 1.0 } else { -1.0 };
                let leaf = self.tree.push_leaf(value, outcome);
                self.finish_visit(leaf);
                None
            }
        }
    }

    /// The edge to follow from an open node.
    fn select(&mut self, node: u32, position: &Position) -> usize {
        if let Some(index) = self.try_select(node) {
            return index;
        }
        // All the moves that were kept are proven to lose: the others get their turn.
        debug_assert!(self.tree.nodes[node as usize].truncated, "a node with all its moves lost is proven");
        position.moves(&mut self.moves);
        self.tree.widen(node, &self.moves);
        self.try_select(node).expect("a widened node has an unvisited move")
    }

    fn try_select(&mut self, node: u32) -> Option<usize> {
        let Search { tree, config, terms, gumbel, .. } = self;
        match self.plan.mode {
            Mode::Gumbel { .. } if node == 0 => {
                Some(gumbel.next(tree, self.plan.visits - self.visits, config, terms))
            }
            Mode::Gumbel { .. } => select::improved(tree, node, config, terms),
            Mode::Puct => select::puct(tree, node, config),
        }
    }

    /// Hangs a new leaf at the end of the path and backs its value up.
    fn finish_visit(&mut self, leaf: u32) {
        let &(parent, edge) = self.path.last().expect("a path leads to every leaf but the root");
        self.tree.attach(parent, edge, leaf);
        self.visits += 1;
        self.depth = self.depth.max(self.path.len() as u32);
        self.tree.back_up(&self.path, leaf);
    }
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;

    use super::*;
    use crate::config::tests::config;
    use crate::evaluator::Evaluator;
    use crate::fakes::OpinionatedEvaluator;
    use crate::run;

    /// Plays a game with a kept tree.
    fn play(search: &mut Search) {
        let mut position = Position::start(Board::SIX).expect("6x6 has a start");
        while position.has_move() {
            let plan = Plan { visits: 50, mode: Mode::Gumbel { considered: 8, noise: Some(1) } };
            search.begin(&position, &plan);
            let chosen = run(search, &mut OpinionatedEvaluator { seed: 1 }).chosen;
            search.advance(chosen);
            position = position.play_unchecked(chosen);
        }
    }

    /// A game as long as those before allocates nothing for its tree.
    #[test]
    fn memory_stays_flat() {
        let mut search = Search::new(config()).expect("a valid config");
        // Three games: each leaves the two arenas in the other's place or not, by the number of its moves.
        (0..3).for_each(|_| play(&mut search));
        let room = |search: &Search| {
            let mut arenas = [search.tree.capacity(), search.spare.capacity()];
            arenas.sort_unstable();
            (arenas, search.moves.capacity(), search.path.capacity(), search.terms.capacity())
        };
        let before = room(&search);
        (0..4).for_each(|_| play(&mut search));
        assert_eq!(room(&search), before);
    }

    /// Nodes and edges are what a tree is made of.
    #[test]
    fn nodes_and_edges_are_compact() {
        assert_eq!(size_of::<crate::tree::Edge>(), 12);
        assert_eq!(size_of::<crate::tree::Node>(), 32);
    }

    /// Values of -1 and 1, which make the scale of sigma coarse beside the priors.
    struct Extreme;

    impl Evaluator for Extreme {
        fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
            for (query, answer) in queries.iter().zip(answers) {
                answer.value = if query.position.hash() % 2 == 0 { 1.0 } else { -1.0 };
                answer.logits.clear();
                answer
                    .logits
                    .extend(query.moves.iter().map(|m| (m.from.index() * m.to.index() % 37) as f32 / 7.0));
            }
        }
    }

    /// Rounding must not change the order of candidates whose noise is nearly the same: the edges are in that order.
    #[test]
    fn candidates_are_visited_in_their_order() {
        let position = Position::start(Board::SIX).expect("6x6 has a start");
        let mut search = Search::new(SearchConfig { c_visit: 1e6, ..config() }).expect("a valid config");
        for seed in 0..200 {
            let mode = Mode::Gumbel { considered: 32, noise: Some(seed) };
            search.clear();
            search.begin(&position, &Plan { visits: 64, mode });
            assert_eq!(run(&mut search, &mut Extreme).visits, 64);
        }
    }
}
