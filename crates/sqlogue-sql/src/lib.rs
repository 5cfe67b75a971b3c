//! What a query means, and SQL that is safe to run.
//!
//! - [`schema`]: tables, columns, keys and cell values as plain data;
//! - [`plan`]: typed logical queries, edits to them, and what differs between two;
//! - [`sql`]: plans as SQL text for SQLite, PostgreSQL and BigQuery, foreign SQL back as plans, and the guard that says whether
//!   a text is one read-only statement of bounded size.
//!
//! Nothing here touches a database, a file or the network. The guard is of use to anybody who must run the SQL of others:
//!
//! ```
//! use sqlogue_sql::sql::{Dialect, guard};
//!
//! assert!(guard::check("SELECT name FROM singer LIMIT 3", Dialect::Sqlite).is_ok());
//! let refusal = guard::check("DELETE FROM singer", Dialect::Sqlite).unwrap_err();
//! assert!(!refusal.to_string().is_empty());
//! ```

pub mod plan;
pub mod schema;
pub mod sql;

/// The example of the README, which is run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
