//! SQLite, embedded: the file is opened for reading, and the connection that runs queries is locked down.
//!
//! Each database has a thread of its own with two connections. One reads the schema and the values; it runs only
//! SQL that is written in this module. The other runs checked queries under SQLite's own restrictions: read-only,
//! `query_only`, defensive, an authorizer that allows only reading, and limits on everything that has one.

mod errors;
mod functions;
#[cfg(test)]
mod gold_tests;
#[cfg(test)]
mod hostile_tests;
mod introspect;
mod lock;
mod look;
mod open;
mod query;
pub(crate) mod remembered;
mod source;
mod spill;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod torn_tests;
mod types;
mod values;
mod worker;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use rusqlite::Connection;
use tokio_util::sync::CancellationToken;

use super::{BoxFuture, ColumnValues, Database, DatabaseError, Limits, Rows, ValueLimits};
use sqlogue_sql::schema::{Schema, Value};
use sqlogue_sql::sql::{Checked, Dialect};
use worker::Worker;

/// A SQLite database, opened for reading only.
///
/// Cells longer than 100 kB cannot be read by queries: SQLite's functions take minutes on longer ones, and cannot
/// be stopped while they do.
#[derive(Debug)]
pub struct SqliteDatabase {
    name: Arc<str>,
    path: Option<PathBuf>,
    /// Which of the databases opened in this process it is.
    number: u64,
    worker: Worker,
    /// Where its values are kept, where nobody writes it any more.
    values: Option<PathBuf>,
    /// How many rows its tables have, where whoever filled them counted.
    counts: Arc<HashMap<String, u64>>,
}

impl SqliteDatabase {
    /// Opens a file for reading. Nothing is ever created or changed.
    ///
    /// # Errors
    /// Where there is no such file, or it is no database, or may not be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, DatabaseError> {
        let path = path.as_ref();
        let name = path.file_stem().map_or_else(|| "database".into(), |stem| stem.to_string_lossy());
        let connections = open::file(path, &name)?;
        Self::start(name.into(), Some(path.to_owned()), connections)
    }

    /// Makes a database in a private file that is gone when the database is; `fill` creates its tables. Afterwards it is
    /// as read-only as any other. Where no temporary file can be made, it is made in memory.
    ///
    /// # Errors
    /// Where `fill` fails, or the room for it is not there.
    pub fn temporary(
        name: &str,
        fill: impl FnOnce(&mut Connection) -> rusqlite::Result<()>,
    ) -> Result<Self, DatabaseError> {
        Self::temporary_and(name, fill, |_| {})
    }

    /// The same; `made` is handed the file when it is whole, before it loses its name. It is not called where the database
    /// is made in memory.
    pub(crate) fn temporary_and(
        name: &str,
        fill: impl FnOnce(&mut Connection) -> rusqlite::Result<()>,
        made: impl FnOnce(&Path),
    ) -> Result<Self, DatabaseError> {
        let connections = open::temporary(name, fill, made)?;
        Self::start(name.into(), None, connections)
    }

    /// Opens a private file that nobody writes any more, with its values beside it.
    pub(crate) fn kept(path: &Path, name: &str) -> Result<Self, DatabaseError> {
        let connections = open::kept(path, name)?;
        Ok(Self::start(name.into(), None, connections)?.kept_as(path))
    }

    /// The same database, whose tables have so many rows, and will have no others: counting many takes longer than a schema may.
    pub(crate) fn counted(self, counts: impl IntoIterator<Item = (String, u64)>) -> Self {
        Self { counts: Arc::new(counts.into_iter().collect()), ..self }
    }

    /// The same database, of which that file is a copy: what is found out about it is kept for those who open the copy.
    pub(crate) fn kept_as(self, copy: &Path) -> Self {
        Self { values: Some(remembered::values_of(copy)), ..self }
    }

    /// Makes a small database in memory; `fill` creates its tables. Afterwards it is as read-only as a file.
    ///
    /// # Errors
    /// Where `fill` fails, or the memory for it is not there.
    pub fn in_memory(
        name: &str,
        fill: impl FnOnce(&mut Connection) -> rusqlite::Result<()>,
    ) -> Result<Self, DatabaseError> {
        let connections = open::memory(name, fill)?;
        Self::start(name.into(), None, connections)
    }

    fn start(
        name: Arc<str>,
        path: Option<PathBuf>,
        connections: worker::Connections,
    ) -> Result<Self, DatabaseError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let worker = Worker::start(Arc::clone(&name), path.clone(), connections)?;
        Ok(Self { name, path, number, worker, values: None, counts: Arc::default() })
    }

    /// The file it was opened from, if it was.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

/// Raises a flag when the caller no longer waits, so that a dropped future stops its query.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Database for SqliteDatabase {
    fn name(&self) -> &str {
        &self.name
    }

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn is_local(&self) -> bool {
        true
    }

    fn schema_version(&self) -> BoxFuture<'_, Result<String, DatabaseError>> {
        let number = self.number;
        Box::pin(self.worker.run(move |connections| {
            let version = introspect::schema_version(&connections.reader)?;
            // The number alone says nothing where the file was replaced by another one.
            Ok(format!("sqlite-{number}-{version}-{:x}", connections.schema))
        }))
    }

    fn content_version(&self) -> BoxFuture<'_, Result<Option<i64>, DatabaseError>> {
        Box::pin(self.worker.run(|connections| {
            // The number counts from anew where the file was opened anew.
            let version = introspect::content_version(&connections.reader)?;
            Ok(Some((i64::from(connections.generation) << 32).wrapping_add(version)))
        }))
    }

    fn introspect(&self) -> BoxFuture<'_, Result<Schema, DatabaseError>> {
        let counts = Arc::clone(&self.counts);
        Box::pin(self.worker.run(move |connections| introspect::schema(&mut connections.reader, &counts)))
    }

    fn execute<'a>(
        &'a self,
        query: &'a Checked,
        limits: &'a Limits,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Rows, DatabaseError>> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(DatabaseError::Cancelled);
            }
            let started = Instant::now();
            let stop = StopOnDrop(Arc::new(AtomicBool::new(false)));
            let request =
                query::Request { sql: query.clone(), limits: *limits, started, stop: Arc::clone(&stop.0) };
            let answer = self.worker.run(move |connections| query::run(&mut connections.queries, &request));
            let mut answer = std::pin::pin!(answer);
            let answer = tokio::select! {
                answer = &mut answer => answer,
                () = cancel.cancelled() => {
                    // The statement ends within a few operations, and its connection is ready for the next one then.
                    stop.0.store(true, Ordering::Relaxed);
                    answer.await
                }
            };
            match &answer {
                Ok(rows) => tracing::debug!(
                    database = %self.name, sql = query.sql(), rows = rows.len(), truncated = rows.truncated,
                    elapsed = ?rows.elapsed, "query answered"
                ),
                Err(error) => tracing::debug!(
                    database = %self.name, sql = query.sql(), %error, elapsed = ?started.elapsed(), "query failed"
                ),
            }
            answer
        })
    }

    fn values<'a>(
        &'a self,
        table: &'a str,
        column: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<(Value, u64)>, DatabaseError>> {
        let (table, column) = (table.to_owned(), column.to_owned());
        Box::pin(
            self.worker
                .run(move |connections| values::frequent(&mut connections.reader, &table, &column, limit)),
        )
    }

    fn text_values<'a>(
        &'a self,
        schema: &'a Schema,
        limits: &'a ValueLimits,
    ) -> BoxFuture<'a, Result<Vec<ColumnValues>, DatabaseError>> {
        let columns = values::text_columns(schema);
        let (limits, kept) = (*limits, self.values.clone());
        Box::pin(self.worker.run(move |connections| {
            remembered::texts(&mut connections.reader, &columns, &limits, kept.as_deref())
        }))
    }
}
