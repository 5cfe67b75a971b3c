//! SQLite's errors in our words.

use rusqlite::{Error, ErrorCode};

use crate::DatabaseError;

/// What stopped a job on the database's thread.
#[derive(Debug)]
pub(super) enum Failure {
    /// Known already.
    Known(DatabaseError),
    /// SQLite says so.
    Sqlite(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        Self::Known(error)
    }
}

/// What a failure means for the database called `name`.
pub(super) fn database_error(failure: Failure, name: &str) -> DatabaseError {
    let error = match failure {
        Failure::Known(error) => return error,
        Failure::Sqlite(error) => error,
    };
    let name = name.to_owned();
    match error {
        Error::SqlInputError { msg, offset, .. } => {
            DatabaseError::Query { message: printable(&msg), offset: usize::try_from(offset).ok() }
        }
        Error::SqliteFailure(code, message) => {
            let message = printable(&message.unwrap_or_else(|| code.to_string()));
            match code.code {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => DatabaseError::Locked { name },
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                    DatabaseError::Damaged { name, message }
                }
                ErrorCode::TooBig => {
                    DatabaseError::Limit { what: "room in one value", limit: "100 kB".into() }
                }
                ErrorCode::OutOfMemory => {
                    DatabaseError::Limit { what: "memory", limit: format!("{} MB", super::lock::HEAP >> 20) }
                }
                ErrorCode::SystemIoFailure | ErrorCode::DiskFull | ErrorCode::CannotOpen => {
                    DatabaseError::Failed { name, message }
                }
                _ => DatabaseError::Query { message, offset: None },
            }
        }
        other => DatabaseError::Failed { name, message: printable(&other.to_string()) },
    }
}

/// A text without control characters, cut to a length that people read.
fn printable(text: &str) -> String {
    const LENGTH: usize = 300;
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).take(LENGTH).collect()
}
