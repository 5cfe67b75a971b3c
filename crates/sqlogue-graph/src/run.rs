//! What a run is given and what it comes to.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::context::{Clock, IdSource, RunId};
use super::event::Observer;
use super::journal::{Frontier, Journal};
use super::node::State;
use super::paths::Path;

/// How many steps a run may take unless [`RunOptions::step_limit`] says otherwise: far more than a sensible
/// walk, and few enough to notice at once.
pub const DEFAULT_STEP_LIMIT: u32 = 100;

/// How many runs may follow one another in a journal before one stores a whole state again.
pub const DEFAULT_SNAPSHOT_EVERY: u32 = 32;

/// Everything about one run that is not the graph or the state.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Clone, Serialize, Deserialize)] struct Basket;
/// # #[derive(Clone, Debug, Serialize, Deserialize)] enum Change { ApplesAdded(u32) }
/// # impl sqlogue_graph::State for Basket {
/// #     type Change = Change;
/// #     const VERSION: u32 = 1;
/// #     fn apply(&mut self, _: &Change) {}
/// # }
/// use std::time::Duration;
/// use sqlogue_graph::RunOptions;
///
/// let options = RunOptions::<Basket>::new()
///     .input(vec![Change::ApplesAdded(1)])
///     .node_timeout(Duration::from_secs(30))
///     .step_limit(50);
/// # let _ = options;
/// ```
#[must_use = "options do nothing until they are given to a run"]
pub struct RunOptions<S: State> {
    pub(crate) input: Vec<S::Change>,
    pub(crate) step_limit: u32,
    /// In a box, and there only where somebody asked for something: most runs ask for little, and pay for no more.
    pub(crate) asked: Option<Box<Asked<S>>>,
}

/// What a run is asked for beyond walking.
pub(crate) struct Asked<S: State> {
    pub(crate) run: Option<RunId>,
    pub(crate) parent: Option<RunId>,
    pub(crate) node_timeout: Option<Duration>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) cancellation: Option<CancellationToken>,
    pub(crate) observers: Vec<Arc<dyn Observer<S>>>,
    pub(crate) clock: Option<Arc<dyn Clock>>,
    pub(crate) ids: Option<Arc<dyn IdSource>>,
    pub(crate) journal: Option<Arc<dyn Journal>>,
    pub(crate) durability: Durability,
    pub(crate) snapshot_every: u32,
    pub(crate) pause_before: Vec<Arc<str>>,
    pub(crate) pause_after: Vec<Arc<str>>,
    pub(crate) accept_other_graph: bool,
    pub(crate) script: Option<VecDeque<(&'static str, &'static str)>>,
}

impl<S: State> Default for RunOptions<S> {
    fn default() -> Self {
        Self { input: vec![], step_limit: DEFAULT_STEP_LIMIT, asked: None }
    }
}

impl<S: State> Default for Asked<S> {
    fn default() -> Self {
        Self {
            run: None,
            parent: None,
            node_timeout: None,
            deadline: None,
            cancellation: None,
            observers: vec![],
            clock: None,
            ids: None,
            journal: None,
            durability: Durability::EveryNode,
            snapshot_every: DEFAULT_SNAPSHOT_EVERY,
            pause_before: vec![],
            pause_after: vec![],
            accept_other_graph: false,
            script: None,
        }
    }
}

impl<S: State> RunOptions<S> {
    /// No input, no journal, no observer, [`DEFAULT_STEP_LIMIT`], the system's clock and random ids.
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes applied before the first node, journaled as step 0.
    pub fn input(mut self, changes: Vec<S::Change>) -> Self {
        self.input = changes;
        self
    }

    /// Changes that answer an interrupt, applied before the walk goes on; only for a run that is resumed.
    /// An approval that changes nothing needs no answer.
    pub fn answer(self, changes: Vec<S::Change>) -> Self {
        self.input(changes)
    }

    /// The run's id; by default a new one.
    pub fn run(mut self, run: RunId) -> Self {
        self.asked().run = Some(run);
        self
    }

    /// The run whose final state this one starts from.
    ///
    /// The state given to the run must be exactly that one: the journal then stores the changes only.
    pub fn parent(mut self, parent: RunId) -> Self {
        self.asked().parent = Some(parent);
        self
    }

    /// How many steps the run may take; [`DEFAULT_STEP_LIMIT`] by default.
    pub fn step_limit(mut self, steps: u32) -> Self {
        self.step_limit = steps;
        self
    }

    /// How long one node may take; by default as long as it likes. Needs tokio's timer.
    pub fn node_timeout(mut self, timeout: Duration) -> Self {
        self.asked().node_timeout = Some(timeout);
        self
    }

    /// When the whole run must be done. Needs tokio's timer.
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.asked().deadline = Some(deadline);
        self
    }

    /// Cancels the run when the token fires: between nodes, or by dropping the future of the one that waits.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.asked().cancellation = Some(token);
        self
    }

    /// Adds an observer.
    pub fn observer(mut self, observer: Arc<dyn Observer<S>>) -> Self {
        self.asked().observers.push(observer);
        self
    }

    /// Where nodes get the time from.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.asked().clock = Some(clock);
        self
    }

    /// Where nodes get new ids from; the run's own id too.
    pub fn ids(mut self, ids: Arc<dyn IdSource>) -> Self {
        self.asked().ids = Some(ids);
        self
    }

    /// Where the run is written down.
    pub fn journal(mut self, journal: Arc<dyn Journal>) -> Self {
        self.asked().journal = Some(journal);
        self
    }

    /// How often it is written down; after every node by default.
    pub fn durability(mut self, durability: Durability) -> Self {
        self.asked().durability = durability;
        self
    }

    /// After how many runs in a row the whole state is stored again, which bounds what a resume replays;
    /// [`DEFAULT_SNAPSHOT_EVERY`] by default, 1 for every run.
    pub fn snapshot_every(mut self, runs: u32) -> Self {
        self.asked().snapshot_every = runs;
        self
    }

    /// Pauses whenever the walk comes to this node, before it runs. The node's id: `planner/infer_joins`.
    pub fn pause_before(mut self, node: &str) -> Self {
        self.asked().pause_before.push(node.into());
        self
    }

    /// Pauses whenever this node is done, before it is decided where to go.
    pub fn pause_after(mut self, node: &str) -> Self {
        self.asked().pause_after.push(node.into());
        self
    }

    /// Lets a path answer in the place of the decisions, for tests: the nodes run, and the walk takes the path's
    /// branches whatever the state says.
    pub fn follow(mut self, path: &Path) -> Self {
        self.asked().script = Some(path.choices().collect());
        self
    }

    /// Lets a run be resumed that was journaled by a graph of another structure, as long as the node it
    /// stands at still exists. Budgets carry over by name.
    pub fn accept_other_graph(mut self) -> Self {
        self.asked().accept_other_graph = true;
        self
    }

    pub(crate) fn asked(&mut self) -> &mut Asked<S> {
        self.asked.get_or_insert_default()
    }
}

/// How often a run is written to its journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// After every node: a crash loses the node that was running.
    #[default]
    EveryNode,
    /// Once, when the walk ends or pauses: a crash loses the run.
    PerTurn,
    /// Never.
    None,
}

/// The nodes that ran, in order.
#[derive(Clone)]
pub struct NodePath {
    /// The ids of all points of the graph.
    names: Arc<[Arc<str>]>,
    points: Vec<u32>,
}

impl NodePath {
    pub(crate) fn new(names: Arc<[Arc<str>]>, points: Vec<u32>) -> Self {
        Self { names, points }
    }

    /// How many nodes ran.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether none did.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The ids of the nodes.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<str>> {
        self.points.iter().filter_map(|point| self.names.get(*point as usize))
    }
}

impl PartialEq for NodePath {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for NodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// How a walk ended well.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended<S> {
    /// It came to the end of the graph.
    Finished {
        /// The run.
        run: RunId,
        /// The final state.
        state: S,
        /// The nodes that ran, in order.
        path: NodePath,
        /// The number of the last step.
        step: u32,
    },
    /// It waits for an answer.
    Interrupted {
        /// The run.
        run: RunId,
        /// The state so far.
        state: S,
        /// The nodes that ran, in order.
        path: NodePath,
        /// What is asked: the node's request, or `{"pause": "before", "node": …}` at a pause point.
        request: Value,
        /// Where it waits; [`Graph::proceed`](super::Graph::proceed) goes on from there without a journal.
        waiting: Waiting,
    },
}

impl<S> Ended<S> {
    /// The state, final or so far.
    pub fn state(&self) -> &S {
        match self {
            Self::Finished { state, .. } | Self::Interrupted { state, .. } => state,
        }
    }

    /// The state, final or so far.
    pub fn into_state(self) -> S {
        match self {
            Self::Finished { state, .. } | Self::Interrupted { state, .. } => state,
        }
    }

    /// The run.
    pub fn run(&self) -> RunId {
        match self {
            Self::Finished { run, .. } | Self::Interrupted { run, .. } => *run,
        }
    }

    /// The nodes that ran, in order.
    pub fn path(&self) -> &NodePath {
        match self {
            Self::Finished { path, .. } | Self::Interrupted { path, .. } => path,
        }
    }

    /// Whether it came to the end.
    pub fn is_finished(&self) -> bool {
        matches!(self, Self::Finished { .. })
    }
}

/// Where an interrupted run waits, in a form that can be saved beside the state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The run.
    pub run: RunId,
    /// The fingerprint of the graph.
    pub graph: Arc<str>,
    /// Before or after which node.
    pub at: Frontier,
    /// The number of the last step.
    pub step: u32,
    /// How often each budget was used.
    pub budgets: Vec<(Arc<str>, u32)>,
}
