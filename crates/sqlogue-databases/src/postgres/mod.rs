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

use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tokio_postgres::{Error, Transaction};

use super::pooled::{Engine, Estimate, GRACE, INTROSPECTION, Outcome, Pooled, Question, VERSION};
use super::{BoxFuture, DatabaseError, Limits, estimate, sampling};
use address::Address;
use session::{Connector, Session};
use sqlogue_sql::schema::Schema;
use sqlogue_sql::sql::Dialect;

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
pub type PostgresDatabase = Pooled<Connector>;

impl Pooled<Connector> {
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
        Self::of(Connector::to(Address::parse(url)?)?)
    }

    /// The same as [`PostgresDatabase::at`], with a first connection, so that a wrong address or password is
    /// noticed now.
    ///
    /// # Errors
    /// Where the URL cannot be read, nobody answers, or the login is refused.
    pub async fn connect(url: &str) -> Result<Self, DatabaseError> {
        Self::at(url)?.connected().await
    }

    /// Runs our own questions in a read-only transaction with a time limit.
    async fn read<T>(
        &self,
        limit: Duration,
        work: impl for<'t> FnOnce(&'t Transaction<'_>) -> BoxFuture<'t, Result<T, Error>> + Send,
    ) -> Result<T, DatabaseError> {
        const BYTES: usize = 256 << 20;
        let deadline = Instant::now() + limit;
        let mut flight = self.begin(deadline, limit).await?;
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
                Err(errors::query_error(&error, &self.engine().address.name, "", limit))
            }
            Ok(Err(None)) | Err(_) => Err(DatabaseError::Deadline { limit }),
        }
    }
}

impl Engine for Connector {
    const KIND: &'static str = "postgres";

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn run<'a>(
        &'a self,
        session: &'a mut Session,
        question: Question<'a>,
        limits: &'a Limits,
        deadline: Instant,
    ) -> BoxFuture<'a, Outcome> {
        Box::pin(query::run(session, &self.address.name, question, limits, deadline))
    }

    fn version(database: &Pooled<Self>) -> BoxFuture<'_, Result<String, DatabaseError>> {
        Box::pin(database.read(VERSION, |transaction| Box::pin(catalog::version(transaction))))
    }

    fn schema(database: &Pooled<Self>) -> BoxFuture<'_, Result<Schema, DatabaseError>> {
        Box::pin(async move {
            let schemas = database.engine().address.schemas.clone();
            let mut schema = database
                .read(INTROSPECTION, |transaction| Box::pin(catalog::schema(transaction, schemas)))
                .await?;
            sampling::fill(database, &mut schema).await?;
            Ok(schema)
        })
    }

    fn kept_texts(&self) -> Option<String> {
        Some(sample::kept_texts())
    }

    fn is_cheap<'a>(database: &'a Pooled<Self>, sql: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(sample::is_cheap(database, sql))
    }

    fn estimate(&self) -> Option<Estimate> {
        Some(Estimate { before: "EXPLAIN (FORMAT JSON)", rows: estimate::of_postgres })
    }
}
