//! The server's errors in our words.

use std::error::Error as _;
use std::time::Duration;

use tokio_postgres::error::{ErrorPosition, SqlState};

use crate::database::DatabaseError;
use crate::sql::{Refusal, RefusalCode};

/// What stopped a query means. `sql` is the text that the server's positions count in.
pub(super) fn query_error(
    error: &tokio_postgres::Error,
    name: &str,
    sql: &str,
    deadline: Duration,
) -> DatabaseError {
    let name = name.to_owned();
    let Some(said) = error.as_db_error() else {
        let message = printable(&with_cause(error));
        return DatabaseError::Failed { name, message };
    };
    let message = match said.hint() {
        Some(hint) => printable(&format!("{} ({hint})", said.message())),
        None => printable(said.message()),
    };
    let code = said.code();
    match (code, code.code().get(..2).unwrap_or_default()) {
        // Every step before ended well as far as the client was told. What ends a transaction even so is the timeout, told
        // between two steps, when nobody listens for errors any more.
        (&SqlState::QUERY_CANCELED | &SqlState::IN_FAILED_SQL_TRANSACTION, _) => {
            DatabaseError::Deadline { limit: deadline }
        }
        (&SqlState::LOCK_NOT_AVAILABLE, _) => DatabaseError::Locked { name },
        (&SqlState::READ_ONLY_SQL_TRANSACTION, _) => DatabaseError::Refused(Refusal {
            code: RefusalCode::WriteStatement,
            reason: format!("the database refused to write: {message}; write a `SELECT` that only reads"),
        }),
        (&SqlState::OUT_OF_MEMORY | &SqlState::DISK_FULL | &SqlState::CONFIGURATION_LIMIT_EXCEEDED, _) => {
            DatabaseError::Limit { what: "memory or disk", limit: "what the server has".into() }
        }
        (&SqlState::PROGRAM_LIMIT_EXCEEDED, _) => {
            DatabaseError::Limit { what: "of something", limit: message }
        }
        (_, "28") => DatabaseError::Login { name, message },
        // Connections, resources, operators, the system, and the server's own faults.
        (_, "08" | "53" | "57" | "58" | "XX") => DatabaseError::Failed { name, message },
        _ => {
            let offset = match said.position() {
                Some(ErrorPosition::Original(position)) => byte_offset(sql, *position),
                _ => None,
            };
            DatabaseError::Query { message, offset }
        }
    }
}

/// What stopped a login means; `unused` is why the file of passwords was not used.
pub(super) fn connect_error(
    error: &tokio_postgres::Error,
    name: &str,
    place: &str,
    unused: Option<&str>,
) -> DatabaseError {
    let name = name.to_owned();
    match error.as_db_error() {
        Some(said) => {
            let message = printable(said.message());
            match said.code().code().get(..2).unwrap_or_default() {
                "28" | "3D" | "42" => DatabaseError::Login { name, message },
                _ => DatabaseError::Unreachable { name, message },
            }
        }
        None => {
            let message = with_cause(error);
            // A missing password is noticed before the server is asked.
            if message.contains("password") {
                let way =
                    "set `PGPASSWORD`, write a line into `~/.pgpass`, or be asked for it with `--password`";
                let message = format!("it asks for a password; {}", unused.unwrap_or(way));
                return DatabaseError::Login { name, message };
            }
            DatabaseError::Unreachable { name, message: printable(&format!("{place}: {message}")) }
        }
    }
}

fn with_cause(error: &tokio_postgres::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// The byte at which the character with that number, counted from one, begins.
fn byte_offset(sql: &str, position: u32) -> Option<usize> {
    let at = usize::try_from(position).ok()?.checked_sub(1)?;
    sql.char_indices().nth(at).map(|(offset, _)| offset)
}

/// A text without control characters, cut to a length that people read.
pub(super) fn printable(text: &str) -> String {
    const LENGTH: usize = 300;
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).take(LENGTH).collect()
}
