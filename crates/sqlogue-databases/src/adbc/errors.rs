//! Drivers' errors in our words.

use std::time::Duration;

use adbc_core::error::{Error, Status};

use super::address::Kind;
use crate::DatabaseError;
use sqlogue_sql::sql::{Refusal, RefusalCode};

/// What stopped a query, or the opening of a database, means.
pub(super) fn of(error: &Error, name: &str, kind: Kind, deadline: Duration) -> DatabaseError {
    let message = first_line(&error.message);
    let name = name.to_owned();
    match (kind, message.split_once(": ").map_or("", |(what, _)| what)) {
        (Kind::DuckDb, "INTERRUPT Error") => DatabaseError::Deadline { limit: deadline },
        (Kind::DuckDb, "Out of Memory Error") => DatabaseError::Limit {
            what: "memory or disk",
            limit: "what DuckDB was given (`memory-limit` in its address)".into(),
        },
        (Kind::DuckDb, "Permission Error" | "TransactionContext Error") => refused(&message),
        (Kind::DuckDb, _) if message.contains("read-only mode") => refused(&message),
        (Kind::DuckDb, "IO Error") if message.contains("lock on file") => DatabaseError::Locked { name },
        (Kind::DuckDb, "IO Error") if message.contains("not a valid DuckDB") => {
            DatabaseError::Unreadable { path: name, problem: "it is no DuckDB database".into() }
        }
        (Kind::DuckDb, "IO Error" | "Serialization Error" | "FATAL Error" | "INTERNAL Error") => {
            DatabaseError::Failed { name, message }
        }
        (Kind::DuckDb, _) => DatabaseError::Query { message, offset: None },
        (Kind::Driver, _) => match error.status {
            Status::Cancelled | Status::Timeout => DatabaseError::Deadline { limit: deadline },
            Status::Unauthenticated | Status::Unauthorized => DatabaseError::Login { name, message },
            Status::IO => DatabaseError::Unreachable { name, message },
            Status::Internal | Status::Unknown | Status::NotImplemented => {
                DatabaseError::Failed { name, message }
            }
            _ => DatabaseError::Query { message, offset: None },
        },
    }
}

fn refused(message: &str) -> DatabaseError {
    DatabaseError::Refused(Refusal {
        code: RefusalCode::WriteStatement,
        reason: format!(
            "the database refused it: {}; write a `SELECT` that only reads its tables",
            message.chars().take(200).collect::<String>()
        ),
    })
}

/// What is wrong, without the picture of where that DuckDB draws below.
fn first_line(message: &str) -> String {
    let line =
        message.trim().split("\n\n").next().unwrap_or_default().split("\nLINE ").next().unwrap_or_default();
    printable(line)
}

/// A text without control characters, cut to a length that people read.
pub(super) fn printable(text: &str) -> String {
    const LENGTH: usize = 300;
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).take(LENGTH).collect()
}
