//! What can go wrong with a database, in words for people.

use std::time::Duration;

use sqlogue_sql::sql::Refusal;

/// Why a database could not be opened, or a query not be answered.
///
/// Messages name what and where; [`DatabaseError::hint`] says what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// There is no such file.
    #[error("no database at `{path}`")]
    NotFound {
        /// The path as given.
        path: String,
    },
    /// The path is a folder, a device, or an address that is not taken.
    #[error("`{path}` cannot be opened as a database: {problem}")]
    NotAFile {
        /// The path as given.
        path: String,
        /// What it is instead.
        problem: &'static str,
    },
    /// The file is there, but not a database.
    #[error("`{path}` is not a SQLite database")]
    NotADatabase {
        /// The path as given.
        path: String,
    },
    /// The file has no content at all, so it is no database yet.
    #[error("`{path}` is empty")]
    Empty {
        /// The path as given.
        path: String,
    },
    /// The file looks as if it were encrypted.
    #[error("`{path}` is encrypted, or not a SQLite database")]
    Encrypted {
        /// The path as given.
        path: String,
    },
    /// The file may not be read.
    #[error("permission denied to read `{path}`")]
    Permission {
        /// The path as given.
        path: String,
    },
    /// The file is damaged.
    #[error("the database `{name}` is damaged: {message}")]
    Damaged {
        /// The database's name.
        name: String,
        /// What the database said.
        message: String,
    },
    /// Part of the file is not there: it is being copied or written, or was cut.
    #[error("`{path}` is incomplete: {problem}")]
    Incomplete {
        /// The path as given.
        path: String,
        /// How much is there, and how much there should be.
        problem: String,
    },
    /// Whoever wrote the database stopped in the middle of a change, and what is in the file cannot be trusted.
    #[error(
        "a program stopped while it was writing `{path}`, and the database cannot be recovered in a copy: {problem}"
    )]
    Unfinished {
        /// The path as given.
        path: String,
        /// What stands in the way.
        problem: String,
    },
    /// Somebody else changed the file while it was read.
    #[error("`{path}` is being changed by another program while it is read")]
    Changing {
        /// The path as given.
        path: String,
    },
    /// Somebody else kept the database locked for too long.
    #[error("the database `{name}` is locked by another program")]
    Locked {
        /// The database's name.
        name: String,
    },
    /// The query took too long.
    #[error(
        "the query was stopped after {} s (hint: ask for less at once, or allow more by `query_timeout` in the settings)",
        .limit.as_secs_f64()
    )]
    Deadline {
        /// The longest time allowed.
        limit: Duration,
    },
    /// The caller cancelled the query.
    #[error("the query was cancelled")]
    Cancelled,
    /// The query needed more of something than it may have.
    #[error("the query needs more {what} than is allowed ({limit})")]
    Limit {
        /// Of what.
        what: &'static str,
        /// The limit, with its unit.
        limit: String,
    },
    /// The statement may not run.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The database could not run the query: an unknown name, a type that does not fit.
    #[error("{message}")]
    Query {
        /// What the database said.
        message: String,
        /// Where in the SQL, in bytes from its beginning, where the database says so.
        offset: Option<usize>,
    },
    /// The address of a database cannot be read as one.
    #[error("the database's address cannot be used: {problem}")]
    Address {
        /// What is wrong with it, without any part that may be secret.
        problem: String,
    },
    /// Nobody answers where the database should be.
    #[error("the database `{name}` cannot be reached: {message}")]
    Unreachable {
        /// The database's name.
        name: String,
        /// What was tried and what came of it.
        message: String,
    },
    /// The database does not let us in.
    #[error("the database `{name}` refused the login: {message}")]
    Login {
        /// The database's name.
        name: String,
        /// What the database said.
        message: String,
    },
    /// A file of data cannot be read as what its name says.
    #[error("`{path}` cannot be read: {problem}")]
    Unreadable {
        /// The path as given.
        path: String,
        /// What is wrong, and where in the file.
        problem: String,
    },
    /// A file of data is, or unpacks to, more than is loaded.
    #[error("`{path}` is too large: {problem}")]
    TooLarge {
        /// The path as given.
        path: String,
        /// What of it, and how much is allowed.
        problem: String,
    },
    /// The library that speaks with a database is not there, or cannot be loaded.
    #[error("the driver `{driver}` cannot be used: {problem}")]
    NoDriver {
        /// The library's file.
        driver: String,
        /// What is wrong, and where it was looked for.
        problem: String,
        /// What to do.
        advice: String,
    },
    /// Anything else: the disk failed, the database's thread is gone.
    #[error("the database `{name}` failed: {message}")]
    Failed {
        /// The database's name.
        name: String,
        /// What the database said.
        message: String,
    },
}

/// What to do with a file that is no database, by what its name says.
fn instead(path: &str) -> &'static str {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref().unwrap_or_default() {
        "txt" | "dat" | "asc" | "out" => {
            "if its lines are rows with signs between the cells, end its name with `.csv` or `.tsv`"
        }
        "sql" | "dump" => "it is a script; make a database of it first: `sqlite3 new.db < FILE`",
        "duckdb" | "ddb" => "for a DuckDB database, write `duckdb:` before its path",
        "orc" | "avro" | "arrow" | "feather" => "save its tables as Parquet or CSV, and give those",
        "mdb" | "accdb" | "dbf" | "xml" | "html" | "pdf" | "doc" | "docx" | "odt" | "numbers" => {
            "save its tables as CSV or as a workbook (`.xlsx`), and give those"
        }
        "zip" | "tar" | "tgz" | "7z" | "rar" | "bz2" | "xz" | "zst" => {
            "unpack it first, and give the file or the folder; only `.gz` is unpacked here"
        }
        _ => {
            "give the path of a SQLite file, or of CSV, JSON, Parquet or a workbook, named as such (`.csv`, `.xlsx`)"
        }
    }
}

impl DatabaseError {
    /// What to do about it, where there is something to do.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::NoDriver { advice, .. } => Some(advice),
            Self::NotFound { .. } => Some("check the path; sqlogue never creates a database"),
            Self::NotAFile { .. } => Some("give the path of a SQLite file"),
            Self::NotADatabase { path } => Some(instead(path)),
            Self::Empty { .. } => Some("fill the database first; sqlogue only reads"),
            Self::Encrypted { .. } => Some("decrypt the database into a new file first"),
            Self::Permission { .. } => Some("change the file's permissions, or copy it"),
            Self::Damaged { .. } => Some("restore the database, or try `sqlite3 FILE .recover`"),
            Self::Incomplete { .. } => Some("wait until the file is written, or copy it again"),
            Self::Unfinished { .. } => {
                Some("open it once with the program that writes it, or with `sqlite3 FILE .tables`")
            }
            Self::Changing { .. } => Some("ask again when the other program has finished"),
            Self::Locked { .. } => Some("try again when the other program has finished"),
            Self::Deadline { .. } => Some("ask for less: fewer tables, a narrower filter, a shorter time"),
            Self::Limit { .. } => Some("ask for less: fewer columns, a narrower filter, a limit"),
            Self::Address { .. } => Some(
                "write `postgres://USER@HOST/DATABASE`, `mysql://USER@HOST/DATABASE`, `bigquery://PROJECT/DATASET`, `duckdb:FILE` or `adbc:DRIVER?uri=…`",
            ),
            Self::Unreachable { .. } => Some("check the host, the port and that the database is running"),
            Self::Login { .. } => {
                Some("check the name of the database, the user, the password, and what that user may do")
            }
            Self::Unreadable { .. } => Some(
                "check the path; it can be a file of CSV, JSON or Parquet, a workbook, or a folder of them",
            ),
            Self::TooLarge { .. } => {
                Some("save what is asked about as CSV, or import it into an SQLite file and ask that")
            }
            Self::Cancelled | Self::Refused(_) | Self::Query { .. } | Self::Failed { .. } => None,
        }
    }

    /// True where the SQL is at fault, so that other SQL may do better.
    pub fn is_query_fault(&self) -> bool {
        matches!(self, Self::Query { .. } | Self::Refused(_))
    }
}
