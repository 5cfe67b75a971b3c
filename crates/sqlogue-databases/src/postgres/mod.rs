//! PostgreSQL, and the databases that speak its protocol and dialect.
//!
//! Checked queries run one at a time in read-only transactions with time limits that the server keeps, by the
//! extended protocol, which takes one statement at a time. Sessions come from a small pool; each is cleaned before
//! it is used again, and ended when a query in it was stopped. What the server sends is metered, because one cell
//! can be a gigabyte.

mod address;
mod catalog;
pub mod client;
mod errors;
mod number;
mod passfile;
mod query;
mod sample;
mod session;
mod socket;
mod text;
mod time;
mod tls;
mod values;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tokio_postgres::{Error, Transaction};
use tokio_util::sync::CancellationToken;

use super::{BoxFuture, ColumnValues, Database, DatabaseError, Limits, Rows, ValueLimits, sampling};
use address::Address;
use session::{Flight, Sessions};
use sqlogue_sql::schema::{Schema, Table, Value};
use sqlogue_sql::sql::{Checked, Dialect, guard, quote};

/// How much longer than the deadline a server that does not keep it is waited for.
const GRACE: Duration = Duration::from_millis(250);

/// The time for reading a schema.
const INTROSPECTION: Duration = Duration::from_secs(30);

/// The time for noticing whether it changed.
const VERSION: Duration = Duration::from_secs(5);

/// A PostgreSQL database, used for reading only.
///
/// Queries run as the role that the URL names. Reading is all they can do even where that role could write; a role
/// that may only read is still the better choice, because it does not depend on this program.
///
/// Numbers of arbitrary precision are whole numbers where they are whole and fit, floating-point numbers otherwise,
/// and text where a column is declared with more than fifteen digits. Times with a zone are shown in the zone of
/// the server's setting. Arrays and records are JSON.
///
/// Connections belong to the Tokio runtime on which they were made; on another, new ones are made.
pub struct PostgresDatabase {
    name: String,
    /// Tells this database from all others that are open in this process.
    number: u64,
    /// Schemas that the URL named; empty for all.
    schemas: Vec<String>,
    sessions: Sessions,
}

impl PostgresDatabase {
    /// The database at a URL, `postgres://user:password@host:port/database?parameters`. Nobody is connected to
    /// until the first call.
    ///
    /// Parameters are those of PostgreSQL's own programs: `sslmode` (`disable`, `prefer`, `require`, `verify-ca`,
    /// `verify-full`), `sslrootcert`, `connect_timeout`, `application_name`, `host` (a folder for a socket), `port`,
    /// `options`, `passfile`; and `search_path`, which limits the schema to the ones named. Without a password in the URL
    /// that of `PGPASSWORD` is used, or that of a file: `passfile`, `PGPASSFILE`, or `~/.pgpass`.
    ///
    /// # Errors
    /// Where the URL cannot be read, or its certificate authorities cannot.
    pub fn at(url: &str) -> Result<Self, DatabaseError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let address = Address::parse(url)?;
        Ok(Self {
            name: address.name.clone(),
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            schemas: address.schemas.clone(),
            sessions: session::sessions(address)?,
        })
    }

    /// The same as [`PostgresDatabase::at`], with a first connection, so that a wrong address or password is
    /// noticed now.
    ///
    /// # Errors
    /// Where the URL cannot be read, nobody answers, or the login is refused.
    pub async fn connect(url: &str) -> Result<Self, DatabaseError> {
        let database = Self::at(url)?;
        let limit = Duration::from_secs(60);
        Flight::begin(&database.sessions, Instant::now() + limit, limit).await?.landed();
        Ok(database)
    }

    /// Runs our own questions in a read-only transaction with a time limit.
    async fn read<T>(
        &self,
        limit: Duration,
        work: impl for<'t> FnOnce(&'t Transaction<'_>) -> BoxFuture<'t, Result<T, Error>> + Send,
    ) -> Result<T, DatabaseError> {
        const BYTES: usize = 256 << 20;
        let deadline = Instant::now() + limit;
        let mut flight = Flight::begin(&self.sessions, deadline, limit).await?;
        let done = async {
            let Some(session) = flight.session() else { return Err(None::<Error>) };
            session.meter.allow(BYTES);
            let transaction =
                session.client.build_transaction().read_only(true).start().await.map_err(Some)?;
            let left = deadline.saturating_duration_since(Instant::now());
            transaction.batch_execute(&query::settings(left)).await.map_err(Some)?;
            let result = work(&transaction).await.map_err(Some);
            let ended = transaction.rollback().await.map_err(Some);
            let value = result?;
            ended?;
            Ok(value)
        };
        match timeout_at(deadline + GRACE, done).await {
            Ok(Ok(value)) => {
                flight.landed();
                Ok(value)
            }
            Ok(Err(Some(error))) => {
                // A question that the server refused leaves the session as good as before.
                if error.as_db_error().is_some() {
                    flight.landed();
                }
                Err(errors::query_error(&error, &self.name, "", limit))
            }
            Ok(Err(None)) | Err(_) => Err(DatabaseError::Deadline { limit }),
        }
    }
}

/// Without the address: it may hold a password.
impl fmt::Debug for PostgresDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresDatabase").field("name", &self.name).finish_non_exhaustive()
    }
}

impl PostgresDatabase {
    /// The rows of a query of our own. A name that the guard does not take is not looked at.
    async fn quickly(
        &self,
        sql: &str,
        rows: usize,
        deadline: Duration,
    ) -> Result<Vec<Vec<Value>>, DatabaseError> {
        let Ok(query) = guard::check(sql, Dialect::Postgres) else { return Ok(Vec::new()) };
        let limits = Limits { rows, deadline, ..Limits::default() };
        Ok(self.execute(&query, &limits, &CancellationToken::new()).await?.rows)
    }
}

impl Database for PostgresDatabase {
    fn name(&self) -> &str {
        &self.name
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn schema_version(&self) -> BoxFuture<'_, Result<String, DatabaseError>> {
        Box::pin(async move {
            let version = self.read(VERSION, |transaction| Box::pin(catalog::version(transaction))).await?;
            Ok(format!("postgres-{}-{version}", self.number))
        })
    }

    fn introspect(&self) -> BoxFuture<'_, Result<Schema, DatabaseError>> {
        Box::pin(async move {
            let schemas = self.schemas.clone();
            let mut schema = self
                .read(INTROSPECTION, |transaction| Box::pin(catalog::schema(transaction, schemas)))
                .await?;
            sampling::fill(self, &mut schema).await?;
            Ok(schema)
        })
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
            let deadline = started + limits.deadline;
            let work = async {
                let mut flight = Flight::begin(&self.sessions, deadline, limits.deadline).await?;
                let Some(session) = flight.session() else { return Err(DatabaseError::Cancelled) };
                let outcome = query::run(session, &self.name, query, limits, deadline).await;
                if outcome.idle {
                    flight.landed();
                }
                outcome.result
            };
            // Dropping the work stops the query on the server too.
            tokio::select! {
                result = timeout_at(deadline + GRACE, work) => match result {
                    Ok(result) => result.map(|rows| Rows { elapsed: started.elapsed(), ..rows }),
                    Err(_) => Err(DatabaseError::Deadline { limit: limits.deadline }),
                },
                () = cancel.cancelled() => Err(DatabaseError::Cancelled),
            }
        })
    }

    fn peek<'a>(
        &'a self,
        table: &'a Table,
        columns: &'a [&'a str],
        rows: usize,
        deadline: Duration,
    ) -> BoxFuture<'a, Result<Vec<Vec<Value>>, DatabaseError>> {
        Box::pin(async move {
            let sql = quote::first_rows(&table.name, columns, rows, Dialect::Postgres);
            self.quickly(&sql, rows, deadline).await
        })
    }

    fn look_up<'a>(
        &'a self,
        table: &'a Table,
        column: &'a str,
        values: &'a [Value],
        deadline: Duration,
    ) -> BoxFuture<'a, Result<Option<Vec<Value>>, DatabaseError>> {
        Box::pin(async move {
            let sql = quote::which_of(&table.name, column, values, Dialect::Postgres);
            let found = self.quickly(&sql, values.len(), deadline).await?;
            Ok(Some(found.into_iter().flatten().collect()))
        })
    }

    fn values<'a>(
        &'a self,
        table: &'a str,
        column: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<(Value, u64)>, DatabaseError>> {
        Box::pin(sampling::frequent(self, table, column, limit))
    }

    fn text_values<'a>(
        &'a self,
        schema: &'a Schema,
        limits: &'a ValueLimits,
    ) -> BoxFuture<'a, Result<Vec<ColumnValues>, DatabaseError>> {
        Box::pin(sampling::texts(self, schema, limits))
    }
}
