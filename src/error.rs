//! The error that stops a caller.
//!
//! What a person can cause in a turn is not an [`Error`] but a failed turn: the conversation goes on. An `Error` is what
//! the caller has to settle first.

use std::path::Path;

use thiserror::Error as ThisError;

use crate::config::ConfigError;
use crate::conversation::LoadError;
use crate::database::{DatabaseError, RowError};
use crate::engine::NotAnswered;
use crate::graph::JournalError;
use crate::store::StoreError;

/// Why a call gave no conversation state.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The database cannot be opened or read.
    #[error("{error}{}", hint(.error.hint()))]
    Database {
        /// What is wrong with it.
        #[from]
        error: DatabaseError,
    },
    /// A data dictionary cannot be read.
    #[error(
        "the data dictionary `{path}` cannot be read: {problem} (hint: give the path of an Excel workbook that describes \
         tables and columns, or leave it out)"
    )]
    Dictionary {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The address of a database begins with a kind that is not known.
    #[error(
        "`{scheme}` is no kind of database that sqlogue can ask (hint: it can ask {SOURCES}; save the tables of others as \
         such files)"
    )]
    UnknownScheme {
        /// What the address begins with.
        scheme: String,
    },
    /// The kind of database is known, and this program was built without it.
    #[error(
        "this program was built without `{feature}` and cannot ask such a database (hint: build it with `--features {feature}`)"
    )]
    LeftOut {
        /// The feature that is missing.
        feature: &'static str,
    },
    /// The settings cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A saved conversation cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The conversation speaks of another database than the one that is open.
    #[error(
        "the conversation is about the database `{expected}`, and `{found}` is open (hint: open `{expected}`, or start \
         a new conversation)"
    )]
    OtherDatabase {
        /// The database the conversation is about.
        expected: String,
        /// The database that is open.
        found: String,
    },
    /// A conversation goes on, and nothing says where its database is.
    #[error(
        "the conversation is about the database `{name}`, which was not opened in this program (hint: name it with \
         `QueryInput::database`)"
    )]
    UnknownDatabase {
        /// The database the conversation is about.
        name: String,
    },
    /// No database within reach has this name.
    #[error("there is no database `{name}` here (hint: there {})", listed(known))]
    NoDatabase {
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(JournalError),
    /// The store of conversations cannot be read or written, or the conversation was changed by somebody else.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A turn cannot be resumed from its journal.
    #[error(transparent)]
    Resume(#[from] crate::graph::LoadError),
    /// The caller cancelled the turn.
    #[error("the turn was cancelled")]
    Cancelled,
    /// The turn was paused for an approval that nobody gave.
    #[error("the turn waits for an approval (hint: give it with `Engine::approve`)")]
    NotApproved,
    /// The rows of an answer were asked for, and the question was not answered.
    #[error(transparent)]
    NotAnswered(#[from] NotAnswered),
    /// The rows of an answer are no values of the type that was asked for.
    #[error("the rows do not fit the type that they are read into: {0}")]
    Row(#[from] RowError),
    /// A fault of sqlogue's own.
    #[error("internal error in {place}: {message}")]
    Internal {
        /// Where.
        place: String,
        /// What.
        message: String,
    },
}

/// What can be asked, for people.
const SOURCES: &str = "SQLite files (a path, or `sqlite:PATH`), `postgres://USER@HOST/NAME`, `mysql://USER@HOST/NAME`, \
                       `bigquery://PROJECT/DATASET`, files of CSV, JSON or Parquet, workbooks, and folders of such files";

fn hint(hint: Option<&str>) -> String {
    hint.map(|hint| format!(" (hint: {hint})")).unwrap_or_default()
}

impl Error {
    /// True where the caller gave something that cannot be used: settings, a file, a database, a state.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Database { .. }
                | Self::Dictionary { .. }
                | Self::UnknownScheme { .. }
                | Self::LeftOut { .. }
                | Self::Config(_)
                | Self::Load(_)
                | Self::OtherDatabase { .. }
                | Self::UnknownDatabase { .. }
                | Self::NoDatabase { .. }
                | Self::Store(_)
        )
    }

    /// True where a turn could not be written down, and could be taken all the same by somebody who keeps nothing.
    pub fn is_storage(&self) -> bool {
        match self {
            Self::Journal(error) => !matches!(error, JournalError::Conflict { .. }),
            Self::Store(error) => error.is_storage(),
            _ => false,
        }
    }

    /// The error of reading a data dictionary.
    pub(crate) fn dictionary(path: &Path, error: DatabaseError) -> Self {
        let problem = match error {
            DatabaseError::NotFound { .. } => "there is no such file".to_owned(),
            DatabaseError::Unreadable { problem, .. } | DatabaseError::TooLarge { problem, .. } => problem,
            error => error.to_string(),
        };
        Self::Dictionary { path: path.display().to_string(), problem }
    }

    pub(crate) fn internal(place: impl Into<String>, message: impl ToString) -> Self {
        Self::Internal { place: place.into(), message: message.to_string() }
    }
}

/// A store's own errors come out of a journal as what they are.
impl From<JournalError> for Error {
    fn from(error: JournalError) -> Self {
        match StoreError::from_journal(error) {
            Ok(error) => Self::Store(error),
            Err(error) => Self::Journal(error),
        }
    }
}

/// `is only `a``, `are `a`, `b``.
fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => "are none beside the open one".to_owned(),
        [one] => format!("is only {one}"),
        several => format!("are {}", several.join(", ")),
    }
}
