//! A typed state-machine graph: nodes that read a state and return changes, decisions that choose the way, and
//! an engine that walks, journals, resumes and draws it.
//!
//! It knows nothing of what it is used for. What a graph never does: change the state behind
//! [`State::apply`], run a node whose changes are in its journal, walk for ever, or panic.
//!
//! # A graph in one page
//!
//! A [`State`] says what can happen to it. A [`Node`] reads it and returns changes. Nodes and branches are
//! closed enums, so an unknown name, or a branch that leads nowhere, does not compile.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use sqlogue_graph::{
//!     Context, Graph, Node, NodeError, Outcome, RunOptions, State, To, branches, decision, node_fn, nodes,
//! };
//!
//! #[derive(Clone, Default, Serialize, Deserialize)]
//! struct Guess { low: u32, high: u32, tries: u32 }
//!
//! #[derive(Clone, Debug, Serialize, Deserialize)]
//! enum Change { Between(u32, u32), Tried }
//!
//! impl State for Guess {
//!     type Change = Change;
//!     const VERSION: u32 = 1;
//!
//!     fn apply(&mut self, change: &Change) {
//!         match change {
//!             Change::Between(low, high) => (self.low, self.high) = (*low, *high),
//!             Change::Tried => self.tries += 1,
//!         }
//!     }
//! }
//!
//! /// Halves the range in which 42 must be.
//! struct Halve;
//!
//! impl Node<Guess> for Halve {
//!     async fn run(&self, guess: &Guess, _: &Context) -> Result<Outcome<Change>, NodeError> {
//!         let middle = u32::midpoint(guess.low, guess.high);
//!         let half = if middle < 42 { Change::Between(middle + 1, guess.high) } else { Change::Between(guess.low, middle) };
//!         Ok(Outcome::Done(vec![half, Change::Tried]))
//!     }
//! }
//!
//! nodes! { pub enum Stage { Start => "set_up", Halve => "halve" } }
//! branches! { pub enum Found { Yes => "found", No => "not yet" } }
//!
//! let graph = Graph::<Guess>::builder::<Stage>("guess")
//!     .start(Stage::Start)
//!     .node(Stage::Start, node_fn(|_: &Guess, _| Ok(Outcome::Done(vec![Change::Between(0, 100)]))))
//!     .node(Stage::Halve, Halve)
//!     .edge(Stage::Start, Stage::Halve)
//!     .decide(
//!         Stage::Halve,
//!         decision("found", |guess: &Guess, budgets| {
//!             if guess.low == guess.high || budgets.left("tries") == 0 { Found::Yes } else { Found::No }
//!         }),
//!         |found| match found {
//!             Found::Yes => To::end(),
//!             Found::No => To::node(Stage::Halve).within("tries"),
//!         },
//!     )
//!     .budget("tries", 20)
//!     .build()?;
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let ended = graph.run(Guess::default(), RunOptions::new()).await?;
//! assert_eq!((ended.state().low, ended.state().tries), (42, 7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What the builder refuses
//!
//! [`build`](Builder::build) reports every [`BuildProblem`] at once: no start, targets that were never added,
//! nodes that cannot be reached, dead ends, loops with no way out, loops without a budget, several
//! unconditional edges from one node, budgets that do not add up. What is left to the compiler: a name that
//! does not exist, and a branch that was forgotten.
//!
//! ```compile_fail
//! # use serde::{Deserialize, Serialize};
//! # use sqlogue_graph::*;
//! # #[derive(Clone, Serialize, Deserialize)] struct S;
//! # impl State for S { type Change = (); const VERSION: u32 = 1; fn apply(&mut self, _: &()) {} }
//! # nodes! { pub enum Stage { A => "a" } }
//! # branches! { pub enum Found { Yes => "yes", No => "no" } }
//! # let builder = Graph::<S>::builder::<Stage>("g");
//! builder.decide(Stage::A, decision("found", |_: &S, _| Found::Yes), |found| match found {
//!     Found::Yes => To::end(), // `Found::No` is forgotten.
//! });
//! ```
//!
//! # Loops and budgets
//!
//! Every loop passes an edge [within](To::within) a named budget. The engine counts, the decision sees what is
//! [left](Budgets::left) and takes another branch when nothing is; if it does not, the run ends with
//! [`RunErrorKind::BudgetSpent`]. A [step limit](RunOptions::step_limit) stands behind it all, and its error names
//! the nodes that repeat.
//!
//! # Nested graphs
//!
//! [`nested`](Builder::nested) adds a whole graph under one name. To the graph around it, it is a node; in
//! journals, events and drawings its own nodes appear as `planner/infer_joins`. Its budgets are its own and
//! start afresh whenever it is entered.
//!
//! # Journals, crashes and interrupts
//!
//! With a [`Journal`], every step is written in one transaction, after the walk has moved on: the changes, the
//! decisions, where the walk stands, the budgets. [`Graph::resume`] replays the changes and goes on at the node
//! that was not done. The guarantee: **the changes of a node happen exactly once, its effects on the outside at
//! least once.** A node that was cut off runs again, with the same [idempotency
//! key](Context::idempotency_key).
//!
//! A journal grows with the changes, not with the state: a run that names its [parent](RunOptions::parent) stores
//! no state, but for every thirty-second or so.
//!
//! ```
//! # use std::sync::Arc;
//! # use serde::{Deserialize, Serialize};
//! # use sqlogue_graph::*;
//! # #[derive(Clone, Default, Serialize, Deserialize)] struct Order { paid: bool, approved: bool }
//! # #[derive(Clone, Debug, Serialize, Deserialize)] enum Change { Approved, Paid }
//! # impl State for Order {
//! #     type Change = Change;
//! #     const VERSION: u32 = 1;
//! #     fn apply(&mut self, change: &Change) {
//! #         match change { Change::Approved => self.approved = true, Change::Paid => self.paid = true }
//! #     }
//! # }
//! nodes! { pub enum Stage { Pay => "pay" } }
//! # let graph = Graph::<Order>::builder::<Stage>("order").start(Stage::Pay)
//! #     .node(Stage::Pay, node_fn(|_: &Order, _| Ok(Outcome::Done(vec![Change::Paid])))).end(Stage::Pay).build()?;
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let journal = Arc::new(MemoryJournal::new());
//! let options = RunOptions::new().journal(journal.clone()).pause_before("pay");
//! let asked = graph.run(Order::default(), options).await?;
//! assert!(!asked.is_finished() && !asked.state().paid);
//!
//! // Tomorrow, perhaps in another process: the answer is applied, and the walk goes on.
//! let answer = RunOptions::new().answer(vec![Change::Approved]);
//! let ended = graph.resume(journal, asked.run(), answer).await?;
//! assert!(ended.state().approved && ended.state().paid);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Watching and drawing
//!
//! An [`Observer`] sees one stream of typed [`Event`]s; a [`Recorder`] is one that keeps the path.
//! [`Graph::picture`] draws the graph as DOT, Mermaid, SVG or JSON, and [`Graph::picture_of`] paints a recorded run
//! on it. [`Graph::paths`] lists every way through the graph, for tests that drive each of them.
//!
//! # What it costs
//!
//! The state is never cloned nor serialised on the way; an event borrows what it shows; a timer is armed only
//! for a node that waits. A turn of five nodes with events takes one to two microseconds whatever the size of
//! the state, and some hundred and fifty with an SQLite journal written after every node.

mod advance;
mod budget;
mod build;
mod check;
pub mod checksum;
mod context;
mod decision;
pub mod draw;
mod drive;
mod error;
mod event;
pub mod journal;
mod journal_writer;
mod name;
mod node;
mod paths;
mod problem;
mod resume;
mod run;
mod table;
mod trace;
mod walk;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

#[doc(inline)]
pub use crate::__graph_branches as branches;
#[doc(inline)]
pub use crate::__graph_nodes as nodes;
pub use budget::Budgets;
pub use build::{Builder, To};
pub use context::{Clock, Context, FixedClock, IdSource, RunId, SequentialIds, SystemClock, SystemIds};
pub use decision::{Decision, DecisionFn, decision};
pub use draw::Picture;
pub use error::{RunError, RunErrorKind};
pub use event::{BudgetUse, Event, Observer, RunEnd};
#[cfg(feature = "sqlite")]
pub use journal::SqliteJournal;
pub use journal::{Frontier, Journal, JournalError, MemoryJournal};
pub use name::{Branch, NodeName};
pub use node::{Node, NodeError, NodeFn, Outcome, State, node_fn};
pub use paths::{Path, PathStep, Paths};
pub use problem::{BuildProblem, BuildProblems};
pub use resume::{LoadError, ResumeError};
pub use run::{DEFAULT_SNAPSHOT_EVERY, DEFAULT_STEP_LIMIT, Durability, Ended, NodePath, RunOptions, Waiting};
use table::Table;
pub use trace::{Recorder, Trace, TraceStep};
use walk::Walk;

/// A checked graph, ready to be walked. Cloning it is cheap.
pub struct Graph<S: State> {
    table: Arc<Table<S>>,
}

impl<S: State> Graph<S> {
    /// Begins a graph over the nodes that `N` names.
    pub fn builder<N: NodeName>(name: &'static str) -> Builder<S, N> {
        Builder::new(name)
    }

    /// The name it was built under.
    pub fn name(&self) -> &str {
        &self.table.name
    }

    /// A hash of its structure: the same for the same nodes, edges, branches and budgets.
    pub fn fingerprint(&self) -> &str {
        &self.table.fingerprint
    }

    /// The ids of all nodes, nested ones under their path, in the order they were added.
    pub fn node_ids(&self) -> impl Iterator<Item = &str> {
        let nodes = self.table.points.iter().filter(|point| matches!(point.kind, table::Kind::Node(_)));
        nodes.map(|point| &*point.id)
    }

    /// Walks from the start.
    ///
    /// # Errors
    /// A [`RunError`] with the state as far as it came.
    pub async fn run(&self, state: S, options: RunOptions<S>) -> Result<Ended<S>, RunError<S>> {
        // In a box, because whoever awaits it moves the future first, and more than once.
        let mut walk = Walk::new(&self.table, state, options);
        let stop = walk.walk().await;
        walk.end(stop)
    }

    /// Goes on with a run where its journal left off: after a crash or a failure at the node that was not
    /// done, after an interrupt where it waits, with [`answer`](RunOptions::answer) applied first.
    ///
    /// A node whose changes are in the journal is never run again. A run that is finished already gives its
    /// final state, and nothing runs.
    ///
    /// The options' own journal is set to the one given here, and the run's id and parent to the recorded ones.
    ///
    /// # Errors
    /// [`ResumeError::Load`] when the run cannot be read or belongs to another graph or state version,
    /// [`ResumeError::Run`] when it goes wrong on the way.
    pub async fn resume(
        &self,
        journal: Arc<dyn Journal>,
        run: RunId,
        options: RunOptions<S>,
    ) -> Result<Ended<S>, ResumeError<S>> {
        resume::resume(&self.table, journal, run, options).await
    }

    /// Goes on with an interrupted run from its state and where it waits, without reading a journal.
    ///
    /// # Errors
    /// [`ResumeError::Load`] when `waiting` belongs to another graph, [`ResumeError::Run`] when it goes wrong on
    /// the way.
    pub async fn proceed(
        &self,
        state: S,
        waiting: &Waiting,
        options: RunOptions<S>,
    ) -> Result<Ended<S>, ResumeError<S>> {
        resume::proceed(&self.table, state, waiting, options).await
    }

    /// The state after a step of a recorded run; step 0 is the input.
    ///
    /// # Errors
    /// [`LoadError`] when the run or the step is not in the journal, or cannot be read.
    pub async fn state_at(&self, journal: &dyn Journal, run: RunId, step: u32) -> Result<S, LoadError> {
        resume::state_at(journal, run, step).await
    }

    /// The same graph with another node under an id, for tests that script what a node does; `None` when there
    /// is no such node.
    pub fn with_node(&self, id: &str, node: impl Node<S> + 'static) -> Option<Self> {
        let index = self.table.by_id.get(id)?;
        let mut table = Table::clone(&self.table);
        let point = table.points.get_mut(*index as usize)?;
        if !matches!(point.kind, table::Kind::Node(_)) {
            return None;
        }
        point.kind = table::Kind::Node(Arc::new(node));
        Some(Self::from_table(table))
    }

    pub(crate) fn from_table(table: Table<S>) -> Self {
        Self { table: Arc::new(table) }
    }

    pub(crate) fn table(&self) -> &Table<S> {
        &self.table
    }
}

impl<S: State> Clone for Graph<S> {
    fn clone(&self) -> Self {
        Self { table: Arc::clone(&self.table) }
    }
}

impl<S: State> fmt::Debug for Graph<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.table.fmt(f)
    }
}

/// The example of the README, which is run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
