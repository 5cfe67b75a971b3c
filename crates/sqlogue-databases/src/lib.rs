//! Databases: read-only, limited, and behind one trait.
//!
//! A [`Database`] takes only SQL that the guard has seen ([`Checked`]), runs it under [`Limits`], and says what
//! went wrong as a [`DatabaseError`]. Adapters never write, never keep a transaction open, and never wait on the
//! caller's thread. They know nothing of questions and plans.

#[cfg(feature = "adbc")]
pub mod adbc;
#[cfg(feature = "bigquery")]
pub mod bigquery;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
mod decimal;
mod error;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
mod estimate;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
mod flight;
#[cfg(any(feature = "mysql", feature = "postgres"))]
mod impostors;
mod limits;
#[cfg_attr(not(feature = "excel"), allow(dead_code, reason = "only workbooks hand over cells with types"))]
pub mod memory_tables;
#[cfg(feature = "mysql")]
pub mod mysql;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
mod pooled;
#[cfg(feature = "postgres")]
pub mod postgres;
mod rows;
pub mod sample;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
mod sampling;
pub mod source;
pub mod sqlite;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
mod url;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

#[cfg(feature = "adbc")]
pub use adbc::AdbcDatabase;
#[cfg(feature = "bigquery")]
pub use bigquery::BigQueryDatabase;
pub use error::DatabaseError;
pub use limits::{Limits, ValueLimits};
#[cfg(feature = "mysql")]
pub use mysql::MySqlDatabase;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
pub use pooled::Pooled;
#[cfg(feature = "postgres")]
pub use postgres::PostgresDatabase;
pub use rows::{ColumnValues, Row, RowError, Rows};
pub use sqlite::SqliteDatabase;

use sqlogue_sql::schema::{Schema, Table, Value};
use sqlogue_sql::sql::{Checked, Dialect, guard, quote};

/// A future in a box, which makes [`Database`] object safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A database that answers queries.
pub trait Database: Send + Sync + fmt::Debug {
    /// The name people know it by; no path and no password.
    fn name(&self) -> &str;

    /// The dialect of SQL it speaks.
    fn dialect(&self) -> Dialect;

    /// A short text that changes whenever the schema may have changed, cheap to get. No two databases that are open
    /// in this process share it; in another process it means nothing.
    fn schema_version(&self) -> BoxFuture<'_, Result<String, DatabaseError>>;

    /// A number that changes when somebody else has written to the database, cheap to get; none where that is not
    /// known, and what was read once is then kept for as long as the schema stays the same.
    fn content_version(&self) -> BoxFuture<'_, Result<Option<i64>, DatabaseError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Reads the schema: tables, columns, keys, samples. Costs what reading a few rows of each table costs.
    fn introspect(&self) -> BoxFuture<'_, Result<Schema, DatabaseError>>;

    /// True where a query costs nobody anything but a moment of this machine, so that several readings of a question may
    /// be tried before one is taken.
    fn is_local(&self) -> bool {
        false
    }

    /// What a query would cost, for people, where the database can say so at no cost: `1.2 GB of at most 10 GB`.
    ///
    /// # Errors
    /// Where the database refuses the query.
    fn cost<'a>(&'a self, _query: &'a Checked) -> BoxFuture<'a, Result<Option<String>, DatabaseError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Runs a query within `limits`. It stops soon after `cancel` is cancelled, and when the future is dropped.
    ///
    /// # Errors
    /// Whatever stops the query, limits included. A result that is cut by the row or byte limit is no error: it
    /// is marked [`Rows::truncated`].
    fn execute<'a>(
        &'a self,
        query: &'a Checked,
        limits: &'a Limits,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Rows, DatabaseError>>;

    /// The first rows of some columns of a table, at most `rows` of them: what is in them, at no price and without reading
    /// the rest of the table. None where that cannot be done, as where every query costs something.
    ///
    /// # Errors
    /// Where the rows cannot be read within `deadline`.
    fn peek<'a>(
        &'a self,
        table: &'a Table,
        columns: &'a [&'a str],
        rows: usize,
        deadline: Duration,
    ) -> BoxFuture<'a, Result<Vec<Vec<Value>>, DatabaseError>> {
        Box::pin(async move {
            if !self.is_local() {
                return Ok(Vec::new());
            }
            let sql = quote::first_rows(&table.name, columns, rows, self.dialect());
            // A name that the guard does not take is not looked at.
            let Ok(query) = guard::check(&sql, self.dialect()) else { return Ok(Vec::new()) };
            let limits = Limits { rows, deadline, ..Limits::default() };
            let found = self.execute(&query, &limits, &CancellationToken::new()).await?;
            Ok(found.rows)
        })
    }

    /// Those of some values that a column of a table has, where an index leads to them; none where finding out would mean to
    /// read the table, or would cost something. The column has no duplicates.
    ///
    /// # Errors
    /// Where they are not found within `deadline`.
    fn look_up<'a>(
        &'a self,
        table: &'a Table,
        column: &'a str,
        values: &'a [Value],
        deadline: Duration,
    ) -> BoxFuture<'a, Result<Option<Vec<Value>>, DatabaseError>> {
        let _ = (table, column, values, deadline);
        Box::pin(async { Ok(None) })
    }

    /// The most frequent values of a column with their counts, at most `limit` of them; NULL is left out.
    fn values<'a>(
        &'a self,
        table: &'a str,
        column: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<(Value, u64)>, DatabaseError>>;

    /// The distinct texts in every text column of `schema`, for an index of values.
    fn text_values<'a>(
        &'a self,
        schema: &'a Schema,
        limits: &'a ValueLimits,
    ) -> BoxFuture<'a, Result<Vec<ColumnValues>, DatabaseError>>;
}
