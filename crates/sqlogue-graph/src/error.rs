//! Why a run stopped before its end.

use std::error::Error;
use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::Duration;

use super::context::RunId;
use super::journal::JournalError;
use super::node::NodeError;
use super::run::NodePath;

/// A run that stopped before its end, with the state as far as it came.
pub struct RunError<S> {
    /// The run.
    pub run: RunId,
    /// What went wrong.
    pub kind: RunErrorKind,
    /// The node or point where it went wrong, if the walk had begun.
    pub node: Option<Arc<str>>,
    /// The number of the last step whose changes are in the state.
    pub step: u32,
    /// The state with every change of the steps that were done.
    pub state: Box<S>,
    /// The nodes whose changes are in the state, in the order they ran.
    pub path: Box<NodePath>,
}

/// What went wrong in a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunErrorKind {
    /// The node returned an error.
    NodeFailed(NodeError),
    /// The node did not finish in time.
    NodeTimedOut(Duration),
    /// The run did not finish in time.
    DeadlinePassed,
    /// Something panicked. The message is the panic's, the text says what was being done.
    Panicked {
        /// `node`, `apply` or `decision`.
        what: &'static str,
        /// The panic's message.
        message: String,
    },
    /// The run was cancelled.
    Cancelled,
    /// The run took more steps than its limit allows.
    StepLimit {
        /// The limit.
        limit: u32,
        /// The nodes that repeat, in their order; empty when none does.
        repeating: Vec<Arc<str>>,
    },
    /// A decision took an edge whose budget is spent.
    BudgetSpent {
        /// The budget.
        budget: Arc<str>,
        /// Its limit.
        limit: u32,
        /// The branch the decision took.
        branch: &'static str,
    },
    /// A decision asked for a budget that its graph does not declare.
    UnknownBudget {
        /// What it asked for.
        budget: String,
        /// The decision.
        decision: &'static str,
    },
    /// The path to [follow](super::RunOptions::follow) has another decision here, or none.
    OffScript {
        /// The decision that is not on the path.
        decision: &'static str,
    },
    /// A point to pause at is not in the graph.
    UnknownNode(Arc<str>),
    /// The journal could not be written.
    Journal(JournalError),
    /// The engine came to a place that cannot exist. This is a bug in the engine.
    Bug(&'static str),
}

impl Display for RunErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NodeFailed(error) => write!(f, "{error}"),
            Self::NodeTimedOut(limit) => write!(f, "not done after {limit:?}"),
            Self::DeadlinePassed => f.write_str("the deadline has passed"),
            Self::Panicked { what, message } => write!(f, "the {what} panicked: {message}"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::StepLimit { limit, repeating } if repeating.is_empty() => {
                write!(f, "not at the end after {limit} steps")
            }
            Self::StepLimit { limit, repeating } => {
                write!(f, "not at the end after {limit} steps; the loop is ")?;
                for node in repeating {
                    write!(f, "`{node}` → ")?;
                }
                let first = repeating.first().map_or("", |node| node);
                write!(f, "`{first}`")
            }
            Self::BudgetSpent { budget, limit, branch } => {
                write!(f, "the decision took branch `{branch}`, but budget `{budget}` of {limit} is spent")
            }
            Self::UnknownBudget { budget, decision } => {
                write!(
                    f,
                    "decision `{decision}` asks for budget `{budget}`, which its graph does not declare"
                )
            }
            Self::OffScript { decision } => {
                write!(f, "decision `{decision}` is not next on the path to follow")
            }
            Self::UnknownNode(node) => write!(f, "there is no node `{node}` to pause at"),
            Self::Journal(error) => write!(f, "the journal could not be written: {error}"),
            Self::Bug(text) => write!(f, "bug in the graph engine: {text}"),
        }
    }
}

impl<S> Display for RunError<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Some(node) => write!(f, "node `{node}`: {}", self.kind),
            None => write!(f, "{}", self.kind),
        }
    }
}

impl<S> fmt::Debug for RunError<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunError")
            .field("run", &self.run)
            .field("kind", &self.kind)
            .field("node", &self.node)
            .field("step", &self.step)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl<S> Error for RunError<S> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            // The message is already part of this error's own, so the chain goes on behind it.
            RunErrorKind::NodeFailed(error) => error.source().source(),
            RunErrorKind::Journal(error) => error.source(),
            _ => None,
        }
    }
}
