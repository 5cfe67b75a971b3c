//! Journals: where runs are written down, step by step, so that they survive the process.

#[cfg(feature = "sqlite")]
pub mod file;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use memory::MemoryJournal;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteJournal;

use super::checksum::Checksum;
use super::context::RunId;

/// The future of a journal's method.
pub type JournalFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, JournalError>> + Send + 'a>>;

/// Stores runs.
///
/// It stores what is already serialised and knows nothing of states and changes, so one journal serves every
/// graph.
pub trait Journal: Send + Sync {
    /// Writes one entry, all of it or nothing.
    ///
    /// # Errors
    /// [`JournalError::Conflict`] when a step exists already, when a run is begun twice, or when the mark is
    /// set by someone who does not know the latest step: two processes walk the same run.
    fn write(&self, entry: Entry) -> JournalFuture<'_, ()>;

    /// Everything about a run; `None` when it is not known.
    fn read(&self, run: RunId) -> JournalFuture<'_, Option<RunRecord>>;

    /// A run without its steps; `None` when it is not known.
    fn summary(&self, run: RunId) -> JournalFuture<'_, Option<Summary>>;

    /// All runs, the oldest first.
    fn runs(&self) -> JournalFuture<'_, Vec<Summary>>;

    /// Called when a walk of a run begins or goes on. What is returned is dropped when the walk is over, however it ends,
    /// so that a journal can tell a run that is being walked from one whose process died.
    fn walking(&self, run: RunId) -> Option<Walking> {
        let _ = run;
        None
    }
}

/// Lives as long as a run is walked.
pub type Walking = Box<dyn Any + Send + Sync>;

/// What is written together.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The run.
    pub run: RunId,
    /// Begins the run.
    pub header: Option<Header>,
    /// The last step the writer knows to be in the journal; `None` with a header.
    pub after: Option<u32>,
    /// Steps that follow one another.
    pub steps: Vec<StepRecord>,
    /// How the run stands after them.
    pub mark: Option<Mark>,
}

/// What is known of a run when it begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The name of the graph.
    pub graph: Arc<str>,
    /// The fingerprint of the graph's structure.
    pub fingerprint: Arc<str>,
    /// The version of the state's saved form.
    pub state_version: u32,
    /// The run whose final state this one starts from.
    pub parent: Option<RunId>,
    /// The state at the start as JSON; `None` when it is the parent's final state.
    pub snapshot: Option<String>,
    /// How many runs lie between this one and the nearest snapshot.
    pub since_snapshot: u32,
    /// When it began.
    pub at: Timestamp,
}

/// One step of a run, written after the walk has moved on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Its number; 0 is the input.
    pub step: u32,
    /// The node's id, or `[start]` for the input and `[answer]` for an answer.
    pub node: Arc<str>,
    /// The changes as a JSON array.
    pub changes: String,
    /// The decisions taken on the way to the next node.
    pub decided: Vec<Choice>,
    /// Where the walk stands now.
    pub next: Frontier,
    /// How often each budget was used so far; unused ones are left out.
    pub budgets: Vec<(Arc<str>, u32)>,
    /// When it was done.
    pub at: Timestamp,
    /// How long it took, in microseconds.
    pub took_us: u64,
}

impl StepRecord {
    /// The checksum of a run's steps up to this one, from that of those before it. `moved` is how decisions, frontier and
    /// budgets are stored.
    pub fn chained(&self, before: i64, moved: &str) -> i64 {
        Checksum::after(before)
            .number(self.step.into())
            .text(&self.node)
            .text(&self.changes)
            .text(moved)
            .number(self.at.as_microsecond())
            .number(i64::try_from(self.took_us).unwrap_or(i64::MAX))
            .signed()
    }
}

/// What a step moved: how a database stores it, in one column.
#[derive(Serialize, Deserialize)]
pub struct Moved {
    /// The decisions taken on the way to the next node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decided: Vec<Choice>,
    /// Where the walk stands now.
    pub next: Frontier,
    /// How often each budget was used so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<(Arc<str>, u32)>,
}

impl Moved {
    /// What this step moved.
    pub fn by(step: &StepRecord) -> Self {
        let StepRecord { decided, next, budgets, .. } = step;
        Self { decided: decided.clone(), next: next.clone(), budgets: budgets.clone() }
    }
}

impl Header {
    /// Adds everything but the snapshot to a checksum.
    pub fn summed(&self, sum: Checksum) -> Checksum {
        sum.text(&self.graph)
            .text(&self.fingerprint)
            .number(self.state_version.into())
            .maybe(self.parent, |sum, parent| sum.bytes(parent.uuid().as_bytes()))
            .number(self.since_snapshot.into())
            .number(self.at.as_microsecond())
    }
}

/// A decision that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Where: a node's id, or the start or end of a graph.
    pub at: Arc<str>,
    /// The decision's name.
    pub decision: Arc<str>,
    /// The branch's label.
    pub branch: Arc<str>,
}

/// Where a walk stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frontier {
    /// This node has not run yet.
    Before(Arc<str>),
    /// This node is done; where to go has not been decided.
    After(Arc<str>),
    /// At the end of the graph.
    End,
}

/// How a run stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It is being walked, or its process died.
    #[default]
    Running,
    /// It waits for an answer.
    Interrupted {
        /// What is asked.
        request: Value,
    },
    /// It came to the end.
    Finished,
    /// It stopped with an error; it can be resumed at the node that failed.
    Failed {
        /// The error's message.
        error: String,
    },
    /// It was given up: what it would have led to is not wanted any more, and it cannot be resumed.
    Abandoned {
        /// Why.
        reason: String,
    },
}

/// A run without its steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The run.
    pub run: RunId,
    /// What was known when it began, without the snapshot.
    pub header: Header,
    /// How it stands.
    pub mark: Mark,
    /// The number of the last step; `None` when nothing but the header was written.
    pub last_step: Option<u32>,
}

/// Everything about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// What was known when it began.
    pub header: Header,
    /// The steps in order.
    pub steps: Vec<StepRecord>,
    /// How it stands.
    pub mark: Mark,
}

/// Why a journal could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// Someone else has written this step, or more of this run than the writer knows.
    #[error("another process works on run {run}: step {step} is written already")]
    Conflict {
        /// The run.
        run: RunId,
        /// The step.
        step: u32,
    },
    /// The run is not in the journal.
    #[error("run {run} is not in the journal")]
    UnknownRun {
        /// The run.
        run: RunId,
    },
    /// Another process keeps the journal locked.
    #[error("the journal is locked by another process")]
    Locked,
    /// There is no room.
    #[error("the disk is full: the journal cannot be written")]
    Full,
    /// The file or its folder cannot be written.
    #[error("the journal cannot be written: {0}")]
    ReadOnly(String),
    /// The journal was written by a newer release.
    #[error("the journal has format {found}, newer than {known}, the newest this release knows")]
    NewerFormat {
        /// The journal's format.
        found: i64,
        /// The newest format known here.
        known: i64,
    },
    /// The file is no journal.
    #[error("the file is no journal: {0}")]
    NotAJournal(String),
    /// What was read makes no sense.
    #[error("the journal of run {run} is damaged: {problem}")]
    Damaged {
        /// The run.
        run: RunId,
        /// What is wrong.
        problem: String,
    },
    /// Anything else that went wrong with storing.
    #[error("the journal failed: {0}")]
    Other(#[source] Box<dyn std::error::Error + Send + Sync>),
}
