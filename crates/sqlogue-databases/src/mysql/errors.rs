//! The server's errors in our words.

use std::time::Duration;

use mysql_async::{DriverError, Error, IoError};

use super::address::ONE_ROW;
use crate::DatabaseError;
use sqlogue_sql::sql::{Refusal, RefusalCode};

/// What stopped a query means.
pub(super) fn query_error(error: &Error, name: &str, deadline: Duration) -> DatabaseError {
    let name = name.to_owned();
    let said = match error {
        Error::Server(said) => said,
        _ if is_too_large(error) => {
            return DatabaseError::Limit { what: "room in one row", limit: format!("{} MB", ONE_ROW >> 20) };
        }
        _ => return DatabaseError::Failed { name, message: printable(&error.to_string()) },
    };
    let message = printable(&said.message);
    match said.code {
        // Interrupted, and the time limits of MySQL and MariaDB.
        1317 | 3024 | 1969 => DatabaseError::Deadline { limit: deadline },
        // A lock was waited for in vain, by itself or in a circle.
        1205 | 1213 | 3572 => DatabaseError::Locked { name },
        // The transaction, the server or the account reads only.
        1792 | 1290 | 1836 => DatabaseError::Refused(Refusal {
            code: RefusalCode::WriteStatement,
            reason: format!("the database refused to write: {message}; write a `SELECT` that only reads"),
        }),
        // Memory, sort memory, stack, temporary tables, the disk, and packets.
        1037 | 1038 | 1041 | 1114 | 1021 | 1153 | 1301 | 1436 => {
            DatabaseError::Limit { what: "memory or disk", limit: "what the server has".into() }
        }
        1044 | 1045 | 1049 | 1698 => DatabaseError::Login { name, message },
        // It shuts down, has too many connections, or fails by itself.
        1040 | 1053 | 1077 | 1105 | 1203 => DatabaseError::Failed { name, message },
        _ => DatabaseError::Query { message, offset: None },
    }
}

/// What stopped a login means.
pub(super) fn connect_error(error: &Error, name: &str, place: &str) -> DatabaseError {
    let name = name.to_owned();
    match error {
        Error::Server(said) => {
            let message = printable(&said.message);
            match said.code {
                1045 | 1698 if message.contains("using password: NO") => {
                    let way = "set `MYSQL_PWD`, or be asked for it with `--password`";
                    DatabaseError::Login { name, message: format!("{message}; to give a password, {way}") }
                }
                // The database, the account, the host that it may come from, an old password.
                1044 | 1045 | 1049 | 1130 | 1698 | 1820 | 1862 | 3159 => {
                    DatabaseError::Login { name, message }
                }
                _ => DatabaseError::Unreachable { name, message: format!("{place}: {message}") },
            }
        }
        Error::Driver(DriverError::NoClientSslFlagFromServer) => {
            let message = format!("{place}: the server does not encrypt, and `ssl-mode` asks for it");
            DatabaseError::Unreachable { name, message }
        }
        _ => DatabaseError::Unreachable { name, message: printable(&format!("{place}: {}", plain(error))) },
    }
}

/// True where the server cannot encrypt.
pub(super) fn has_no_encryption(error: &Error) -> bool {
    matches!(error, Error::Driver(DriverError::NoClientSslFlagFromServer))
}

/// True where the connection is of no more use.
pub(super) fn is_broken(error: &Error) -> bool {
    error.is_fatal()
}

fn is_too_large(error: &Error) -> bool {
    matches!(error, Error::Driver(DriverError::PacketTooLarge))
        || ["packet too large", "packet is larger"]
            .iter()
            .any(|said| error.to_string().to_ascii_lowercase().contains(said))
}

/// The message without the client's words around it.
fn plain(error: &Error) -> String {
    match error {
        Error::Io(IoError::Io(inner)) => inner.to_string(),
        Error::Io(IoError::Tls(inner)) => inner.to_string(),
        other => other.to_string(),
    }
}

/// A text without control characters, cut to a length that people read.
pub(super) fn printable(text: &str) -> String {
    const LENGTH: usize = 300;
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).take(LENGTH).collect()
}
