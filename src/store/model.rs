//! Sessions and turns as they are listed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::graph::RunId;
use crate::graph::journal::Mark;

/// What of results is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Keep {
    /// Their columns and how many rows there were.
    #[default]
    Shape,
    /// The rows too, as far as a conversation keeps them, and the sample values of columns.
    Rows,
}

/// A stored conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSession {
    /// Its id.
    pub id: String,
    /// The database it began with.
    pub database: String,
    /// Its first question; empty before there is one.
    pub title: String,
    /// When it was made.
    pub created: Timestamp,
    /// When a turn was last finished.
    pub updated: Timestamp,
    /// Where it stands.
    #[serde(flatten)]
    pub position: Position,
    /// Whether it is there to be read only.
    pub read_only: bool,
    /// What is wrong with what is stored of it; nothing else here is to be trusted then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damaged: Option<String>,
}

/// Where a session stands in the tree of turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The turn whose state is the session's; `None` at the beginning.
    pub head: Option<RunId>,
    /// The turn that redo leads to in the end; the head where nothing was undone.
    pub tip: Option<RunId>,
}

impl Position {
    /// At a turn, with nothing to redo.
    pub fn at(turn: Option<RunId>) -> Self {
        Self { head: turn, tip: turn }
    }
}

/// A session to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Its id.
    pub id: String,
    /// The database it begins with.
    pub database: String,
    /// Its title.
    pub title: String,
    /// The time of now.
    pub at: Timestamp,
    /// Where it stands.
    pub position: Position,
    /// Whether it is there to be read only.
    pub read_only: bool,
}

/// Which sessions are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Only those that began with this database.
    pub database: Option<String>,
    /// Only those whose id begins so.
    pub id_begins: Option<String>,
    /// Only those last used before.
    pub used_before: Option<Timestamp>,
    /// Leaves out so many of the latest.
    pub skip: usize,
    /// At most so many.
    pub limit: Option<usize>,
}

/// A turn as it is listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnInfo {
    /// The turn's id, which is its run's.
    pub run: RunId,
    /// The session in which it was taken.
    pub session: String,
    /// The turn before it.
    pub parent: Option<RunId>,
    /// How many turns lead to it, itself too.
    pub number: u64,
    /// When it began.
    pub at: Timestamp,
    /// How it stands.
    pub mark: Mark,
    /// What was said.
    pub input: String,
    /// How it ended, in the words of [`Status`](crate::conversation::Status).
    pub status: Option<String>,
    /// The SQL it ended with.
    pub query: Option<String>,
    /// How many steps are written, the input too.
    pub steps: u32,
    /// Whether a living process walks it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub running: bool,
    /// What is wrong with what is stored of it; nothing else here is to be trusted then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damaged: Option<String>,
}

impl TurnInfo {
    /// Whether it came to its end.
    pub fn is_finished(&self) -> bool {
        self.mark == Mark::Finished && self.damaged.is_none()
    }

    /// Whether it was begun and stands still: its process died, or it waits, or it failed. It can be resumed or dropped.
    pub fn is_interrupted(&self) -> bool {
        let is_over = matches!(self.mark, Mark::Finished | Mark::Abandoned { .. });
        !is_over && !self.running && self.damaged.is_none()
    }

    /// A turn of which nothing can be trusted but that it is there.
    pub(super) fn broken(run: RunId, session: &str, problem: impl std::fmt::Display) -> Self {
        Self {
            run,
            session: session.to_owned(),
            parent: None,
            number: 0,
            at: Timestamp::UNIX_EPOCH,
            mark: Mark::Running,
            input: String::new(),
            status: None,
            query: None,
            steps: 0,
            running: false,
            damaged: Some(problem.to_string()),
        }
    }
}

/// Checks an id: what can be typed and shown.
pub(super) fn check_id(id: &str) -> Result<(), StoreError> {
    let fits = !id.is_empty() && id.len() <= 200 && !id.contains(char::is_control);
    if fits { Ok(()) } else { Err(StoreError::BadId) }
}

impl StoredSession {
    /// A session of which nothing can be trusted but that it is there.
    pub(super) fn broken(id: String, problem: impl std::fmt::Display) -> Self {
        Self {
            id,
            database: String::new(),
            title: String::new(),
            created: Timestamp::UNIX_EPOCH,
            updated: Timestamp::UNIX_EPOCH,
            position: Position::default(),
            read_only: true,
            damaged: Some(problem.to_string()),
        }
    }

    /// Checks that it stands where the caller thinks it does.
    pub(super) fn stands_at(&self, expected: Option<RunId>) -> Result<(), StoreError> {
        let found = self.position.head;
        if found == expected {
            return Ok(());
        }
        Err(StoreError::Conflict { session: self.id.clone(), expected, found })
    }
}

impl SessionFilter {
    pub(super) fn fits(&self, session: &StoredSession) -> bool {
        self.database.as_ref().is_none_or(|database| *database == session.database)
            && self.id_begins.as_ref().is_none_or(|begin| session.id.starts_with(begin.as_str()))
            && self.used_before.is_none_or(|before| session.updated < before)
    }
}
