//! The one stream of what happens in a run.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::context::RunId;
use super::node::State;

/// One thing that happened in a run.
///
/// An event borrows from the run, so that looking at it costs nothing; [`into_owned`](Event::into_owned) makes
/// one that can be kept. As JSON every event is an object with an `event` field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[serde(bound(serialize = "C: Serialize", deserialize = "C: serde::de::DeserializeOwned"))]
pub enum Event<'a, C: Clone> {
    /// The walk begins, or goes on after a pause or a crash.
    RunStarted {
        /// The run.
        run: RunId,
        /// The name of the graph.
        graph: Cow<'a, str>,
        /// The run whose final state this one started from.
        parent: Option<RunId>,
        /// Whether an earlier walk is continued.
        resumed: bool,
    },
    /// A node begins its work.
    NodeStarted {
        /// The run.
        run: RunId,
        /// The number of the step.
        step: u32,
        /// The node's id.
        node: Cow<'a, str>,
    },
    /// The state has changed.
    Changed {
        /// The run.
        run: RunId,
        /// The number of the step; 0 for the input.
        step: u32,
        /// The node whose change it is, or `[start]` for the input and `[answer]` for an answer.
        node: Cow<'a, str>,
        /// What changed.
        change: Cow<'a, C>,
    },
    /// A node says what it is doing.
    Progress {
        /// The run.
        run: RunId,
        /// The number of the step.
        step: u32,
        /// The node's id.
        node: Cow<'a, str>,
        /// In the node's words.
        message: Cow<'a, str>,
    },
    /// A node is done and its changes have been applied.
    NodeFinished {
        /// The run.
        run: RunId,
        /// The number of the step.
        step: u32,
        /// The node's id.
        node: Cow<'a, str>,
        /// How long it took, in microseconds.
        took_us: u64,
    },
    /// A decision was taken.
    Decided {
        /// The run.
        run: RunId,
        /// The number of the step after which it was taken.
        step: u32,
        /// Where: a node's id, or the start or end of a graph.
        at: Cow<'a, str>,
        /// The decision's name.
        decision: Cow<'a, str>,
        /// The branch's label.
        branch: Cow<'a, str>,
        /// Where the branch leads.
        to: Cow<'a, str>,
        /// The budget that the edge is within.
        budget: Option<BudgetUse<'a>>,
    },
    /// The run pauses until someone answers.
    Interrupted {
        /// The run.
        run: RunId,
        /// The number of the last step.
        step: u32,
        /// The node before or after which it pauses.
        node: Cow<'a, str>,
        /// What is asked.
        request: Cow<'a, serde_json::Value>,
    },
    /// The walk is over, for now if it was interrupted.
    RunFinished {
        /// The run.
        run: RunId,
        /// The number of the last step.
        step: u32,
        /// How it ended.
        end: RunEnd,
        /// Why it failed.
        error: Option<Cow<'a, str>>,
        /// How long the walk took, in microseconds.
        took_us: u64,
    },
}

/// How much of a budget has been used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetUse<'a> {
    /// The budget's name, with the path of the nested graph before it.
    pub name: Cow<'a, str>,
    /// How often it was used, this time included.
    pub used: u32,
    /// How often it may be used.
    pub limit: u32,
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// It reached the end of the graph.
    Finished,
    /// It waits for an answer.
    Interrupted,
    /// It stopped with an error.
    Failed,
}

impl<C: Clone> Event<'_, C> {
    /// The run in which it happened.
    pub fn run(&self) -> RunId {
        match self {
            Self::RunStarted { run, .. }
            | Self::NodeStarted { run, .. }
            | Self::Changed { run, .. }
            | Self::Progress { run, .. }
            | Self::NodeFinished { run, .. }
            | Self::Decided { run, .. }
            | Self::Interrupted { run, .. }
            | Self::RunFinished { run, .. } => *run,
        }
    }

    /// The same event, borrowing nothing.
    pub fn into_owned(self) -> Event<'static, C> {
        fn own<'a, T: ToOwned + ?Sized + 'a>(value: Cow<'a, T>) -> Cow<'static, T> {
            Cow::Owned(value.into_owned())
        }
        match self {
            Self::RunStarted { run, graph, parent, resumed } => {
                Event::RunStarted { run, graph: own(graph), parent, resumed }
            }
            Self::NodeStarted { run, step, node } => Event::NodeStarted { run, step, node: own(node) },
            Self::Changed { run, step, node, change } => {
                Event::Changed { run, step, node: own(node), change: Cow::Owned(change.into_owned()) }
            }
            Self::Progress { run, step, node, message } => {
                Event::Progress { run, step, node: own(node), message: own(message) }
            }
            Self::NodeFinished { run, step, node, took_us } => {
                Event::NodeFinished { run, step, node: own(node), took_us }
            }
            Self::Decided { run, step, at, decision, branch, to, budget } => Event::Decided {
                run,
                step,
                at: own(at),
                decision: own(decision),
                branch: own(branch),
                to: own(to),
                budget: budget.map(|budget| BudgetUse { name: own(budget.name), ..budget }),
            },
            Self::Interrupted { run, step, node, request } => {
                Event::Interrupted { run, step, node: own(node), request: own(request) }
            }
            Self::RunFinished { run, step, end, error, took_us } => {
                Event::RunFinished { run, step, end, error: error.map(own), took_us }
            }
        }
    }
}

/// Watches runs.
///
/// It is called on the path of the run itself, so it must be quick; hand long work to a channel.
///
/// Any `Fn(&Event<'_, S::Change>)` is an observer.
pub trait Observer<S: State>: Send + Sync {
    /// Sees one event.
    fn on_event(&self, event: &Event<'_, S::Change>);
}

impl<S: State, F: Fn(&Event<'_, S::Change>) + Send + Sync> Observer<S> for F {
    fn on_event(&self, event: &Event<'_, S::Change>) {
        self(event);
    }
}
