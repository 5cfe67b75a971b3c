//! A typed state-machine graph: nodes that read a state and return changes, decisions that choose the way, and
//! an engine that walks, journals, resumes and draws it.

mod budget;
mod build;
mod check;
mod context;
mod decision;
pub mod draw;
mod drive;
mod error;
mod event;
pub mod journal;
mod name;
mod node;
mod paths;
mod pen;
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
pub use journal::{Frontier, Journal, JournalError, MemoryJournal, SqliteJournal};
pub use name::{Branch, NodeName};
pub use node::{Node, NodeError, NodeFn, Outcome, State, node_fn};
pub use paths::{Path, PathStep, Paths};
pub use problem::{BuildProblem, BuildProblems};
pub use resume::{LoadError, ResumeError};
pub use run::{DEFAULT_SNAPSHOT_EVERY, DEFAULT_STEP_LIMIT, Durability, Ended, RunOptions, Waiting};
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
        Walk::new(&self.table, state, options).walk().await
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
