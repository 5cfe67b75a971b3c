//! What can go wrong with stored conversations.

use crate::graph::{JournalError, RunId};

/// Why a store could not do what it was asked. What was stored before is unharmed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The session has moved on: somebody else took a turn, or undid one, meanwhile.
    #[error(
        "session `{session}` was changed by somebody else: it stands {}, not {} (hint: open it again)",
        place(.found), place(.expected)
    )]
    Conflict {
        /// The session.
        session: String,
        /// Where the caller thinks it stands.
        expected: Option<RunId>,
        /// Where it stands.
        found: Option<RunId>,
    },
    /// Another process works on the same turn.
    #[error("another process works on turn {run}: step {step} is written already")]
    TurnConflict {
        /// The turn.
        run: RunId,
        /// The step.
        step: u32,
    },
    /// There is no such session.
    #[error("there is no session `{id}`")]
    UnknownSession {
        /// The id.
        id: String,
    },
    /// There is such a session already.
    #[error("there is a session `{id}` already")]
    SessionExists {
        /// The id.
        id: String,
    },
    /// There is no such turn, or not in this session.
    #[error("there is no turn {run}")]
    UnknownTurn {
        /// The turn.
        run: RunId,
    },
    /// The turn has fewer steps.
    #[error("turn {run} has no step {step}")]
    NoSuchStep {
        /// The turn.
        run: RunId,
        /// The step.
        step: u32,
    },
    /// There is nothing before the beginning to undo, or nothing undone to redo.
    #[error("there is nothing to {what} in session `{session}`")]
    NothingTo {
        /// `undo` or `redo`.
        what: &'static str,
        /// The session.
        session: String,
    },
    /// A finished turn is history and is not changed.
    #[error("turn {run} is finished (hint: undo it)")]
    Finished {
        /// The turn.
        run: RunId,
    },
    /// Another process that is alive runs the turn.
    #[error("turn {run} is running in another process (hint: wait until it is done)")]
    Running {
        /// The turn.
        run: RunId,
    },
    /// The turn was given up, because the session had moved on before it was done.
    #[error("turn {run} was given up, because the session had moved on (hint: ask again)")]
    Abandoned {
        /// The turn.
        run: RunId,
    },
    /// The session was imported to be read.
    #[error("session `{id}` is read-only (hint: branch it)")]
    ReadOnlySession {
        /// The session.
        id: String,
    },
    /// An id that no session can have.
    #[error("a session's id has 1 to 200 printable characters")]
    BadId,
    /// Another process keeps the store locked.
    #[error("the store is locked by another process")]
    Locked,
    /// There is no room.
    #[error("the disk is full: the store cannot be written")]
    Full,
    /// The file or its folder cannot be written.
    #[error("the store cannot be written: {0}")]
    ReadOnly(String),
    /// The file was written by a newer release.
    #[error("the store has format {found}, newer than {known}, the newest this release knows")]
    NewerFormat {
        /// The file's format.
        found: i64,
        /// The newest format known here.
        known: i64,
    },
    /// The file is no store.
    #[error("the file is no store of conversations: {0}")]
    NotAStore(String),
    /// What was read makes no sense.
    #[error("{what} is damaged: {problem}")]
    Damaged {
        /// What was read.
        what: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Anything else.
    #[error("the store failed: {0}")]
    Other(#[source] Box<dyn std::error::Error + Send + Sync>),
}

fn place(run: &Option<RunId>) -> String {
    run.map_or_else(|| "at its beginning".to_owned(), |run| format!("at turn {run}"))
}

impl StoreError {
    pub(super) fn damaged(run: RunId, problem: impl std::fmt::Display) -> Self {
        Self::Damaged {
            what: format!("turn {run}"),
            problem: problem.to_string().chars().take(300).collect(),
        }
    }

    /// The file itself makes no sense.
    pub(super) fn damaged_file(problem: &impl std::fmt::Display) -> Self {
        let problem = problem.to_string().lines().next().unwrap_or_default().chars().take(300).collect();
        Self::Damaged { what: "the file of conversations".to_owned(), problem }
    }

    /// What was stored of a turn is not what is read.
    pub(super) fn wrong_sum(run: RunId) -> Self {
        Self::damaged(run, "its checksum is wrong")
    }

    /// What was stored of a session is not what is read.
    pub(super) fn damaged_session(id: &str) -> Self {
        Self::Damaged { what: format!("session `{id}`"), problem: "its checksum is wrong".to_owned() }
    }

    /// The store's error in a journal's, where it is one that journals have no word for: a conflict of sessions.
    ///
    /// A turn whose run ends with such an error was not finished; the conversation goes on from what is stored.
    pub fn of(error: &JournalError) -> Option<&Self> {
        match error {
            JournalError::Other(source) => source.downcast_ref(),
            _ => None,
        }
    }

    /// The store's error in a journal's, by value; the journal's own where there is none.
    ///
    /// # Errors
    /// The journal's error, where no store is behind it.
    pub fn from_journal(error: JournalError) -> Result<Self, JournalError> {
        match error {
            JournalError::Other(source) => match source.downcast::<Self>() {
                Ok(error) => Ok(*error),
                Err(source) => Err(JournalError::Other(source)),
            },
            error => Err(error),
        }
    }

    /// True where the store itself fails, and false where it refuses what makes no sense, such as a conflict.
    pub fn is_storage(&self) -> bool {
        matches!(
            self,
            Self::Locked
                | Self::Full
                | Self::ReadOnly(_)
                | Self::NewerFormat { .. }
                | Self::NotAStore(_)
                | Self::Damaged { .. }
                | Self::Other(_)
        )
    }
}

impl From<StoreError> for JournalError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::TurnConflict { run, step } => Self::Conflict { run, step },
            StoreError::UnknownTurn { run } => Self::UnknownRun { run },
            StoreError::Locked => Self::Locked,
            StoreError::Full => Self::Full,
            StoreError::ReadOnly(problem) => Self::ReadOnly(problem),
            StoreError::NewerFormat { found, known } => Self::NewerFormat { found, known },
            StoreError::NotAStore(problem) => Self::NotAJournal(problem),
            error => Self::Other(error.into()),
        }
    }
}
