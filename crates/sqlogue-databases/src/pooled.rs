//! What databases with a pool of sessions have in common: whatever their dialect, a query takes a session, is stopped when
//! nobody waits for it, and tables are looked into by SQL.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use deadpool::managed::Pool;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::flight::{Connect, Flight, sessions};
use crate::sampling::{self, Asked};
use crate::{BoxFuture, ColumnValues, Database, DatabaseError, Limits, Rows, ValueLimits};
use sqlogue_sql::schema::{Schema, Table, Value};
use sqlogue_sql::sql::{Checked, Dialect, guard, quote};

/// How much longer than the deadline a database that does not keep it is waited for.
pub(crate) const GRACE: Duration = Duration::from_millis(250);

/// The time for reading a schema.
pub(crate) const INTROSPECTION: Duration = Duration::from_secs(30);

/// The time for noticing whether it changed, and for an estimate.
pub(crate) const VERSION: Duration = Duration::from_secs(5);

/// What a question of our own may return.
const OWN: Limits = Limits { rows: 1_000_000, bytes: 256 << 20, deadline: INTROSPECTION };

/// A statement to run.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    pub(crate) sql: &'a str,
    /// None for a question of our own.
    pub(crate) checked: Option<&'a Checked>,
}

/// The rows of a query, and whether the session can be used again.
pub struct Outcome {
    pub(crate) result: Result<Rows, DatabaseError>,
    pub(crate) idle: bool,
}

/// A kind of database: how its sessions answer.
pub trait Engine: Connect {
    /// What it is called, in lower case.
    const KIND: &'static str;

    /// The dialect of its SQL.
    fn dialect(&self) -> Dialect;

    /// Runs one statement, which writes nothing, within its limits.
    fn run<'a>(
        &'a self,
        session: &'a mut Self::Type,
        question: Question<'a>,
        limits: &'a Limits,
        deadline: Instant,
    ) -> BoxFuture<'a, Outcome>;

    /// A text that changes with the schema.
    fn version(database: &Pooled<Self>) -> BoxFuture<'_, Result<String, DatabaseError>>
    where
        Self: Sized;

    /// A number that changes with the content, where that is cheap to know.
    fn content(&self) -> Option<i64> {
        None
    }

    /// The schema with its samples.
    fn schema(database: &Pooled<Self>) -> BoxFuture<'_, Result<Schema, DatabaseError>>
    where
        Self: Sized;

    /// As [`Asked::kept_texts`].
    fn kept_texts(&self) -> Option<String> {
        None
    }

    /// As [`Asked::is_cheap`].
    fn is_cheap<'a>(_: &'a Pooled<Self>, _: &'a str) -> BoxFuture<'a, bool>
    where
        Self: Sized,
    {
        Box::pin(std::future::ready(true))
    }

    /// What tells how a query would run, and how many rows are to be read by what that says; none where it cannot be told.
    fn estimate(&self) -> Option<Estimate> {
        None
    }
}

/// How a database tells how many rows a query works on: what stands before the query, and what reads the answer.
pub struct Estimate {
    pub(crate) before: &'static str,
    pub(crate) rows: fn(&Rows) -> Option<f64>,
}

/// A database whose queries run in a few sessions, used for reading only.
pub struct Pooled<E: Engine> {
    /// Tells this database from all others that are open in this process.
    number: u64,
    sessions: Pool<E>,
}

impl<E: Engine> Pooled<E> {
    /// Speaks to nobody yet.
    pub(crate) fn of(engine: E) -> Result<Self, DatabaseError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Ok(Self { number: NUMBER.fetch_add(1, Ordering::Relaxed), sessions: sessions(engine)? })
    }

    /// Makes a first session.
    #[cfg(any(feature = "mysql", feature = "postgres"))]
    pub(crate) async fn connected(self) -> Result<Self, DatabaseError> {
        let limit = Duration::from_secs(60);
        self.begin(Instant::now() + limit, limit).await?.landed();
        Ok(self)
    }

    pub(crate) fn engine(&self) -> &E {
        self.sessions.manager()
    }

    pub(crate) async fn begin(&self, deadline: Instant, limit: Duration) -> Result<Flight<E>, DatabaseError> {
        Flight::begin(&self.sessions, deadline, limit).await
    }

    /// Runs a statement; dropped, it is stopped in the database too.
    async fn run(&self, question: Question<'_>, limits: &Limits) -> Result<Rows, DatabaseError> {
        let started = Instant::now();
        let deadline = started + limits.deadline;
        let work = async {
            let mut flight = self.begin(deadline, limits.deadline).await?;
            let Some(session) = flight.session() else { return Err(DatabaseError::Cancelled) };
            let outcome = self.engine().run(session, question, limits, deadline).await;
            if outcome.idle {
                flight.landed();
            }
            outcome.result
        };
        match timeout_at(deadline + GRACE, work).await {
            Ok(result) => result.map(|rows| Rows { elapsed: started.elapsed(), ..rows }),
            Err(_) => Err(DatabaseError::Deadline { limit: limits.deadline }),
        }
    }

    /// The rows of a query of our own that names what others named. A name that the guard does not take is not looked at.
    async fn quickly(
        &self,
        sql: &str,
        rows: usize,
        deadline: Duration,
    ) -> Result<Vec<Vec<Value>>, DatabaseError> {
        let Ok(query) = guard::check(sql, self.engine().dialect()) else { return Ok(Vec::new()) };
        let limits = Limits { rows, deadline, ..Limits::default() };
        let question = Question { sql: query.sql(), checked: Some(&query) };
        Ok(self.run(question, &limits).await?.rows)
    }
}

/// Without the address: it may hold a password.
impl<E: Engine> fmt::Debug for Pooled<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(E::KIND).field("name", &self.engine().name()).finish_non_exhaustive()
    }
}

impl<E: Engine> Asked for Pooled<E> {
    fn asked_in(&self) -> Dialect {
        self.engine().dialect()
    }

    fn ask(&self, sql: String, limit: Duration) -> BoxFuture<'_, Result<Vec<Vec<Value>>, DatabaseError>> {
        Box::pin(async move {
            let limits = Limits { deadline: limit, ..OWN };
            Ok(self.run(Question { sql: &sql, checked: None }, &limits).await?.rows)
        })
    }

    fn kept_texts(&self) -> Option<String> {
        self.engine().kept_texts()
    }

    fn is_cheap<'a>(&'a self, sql: &'a str) -> BoxFuture<'a, bool> {
        E::is_cheap(self, sql)
    }
}

impl<E: Engine> Database for Pooled<E> {
    fn name(&self) -> &str {
        self.engine().name()
    }

    fn dialect(&self) -> Dialect {
        self.engine().dialect()
    }

    fn schema_version(&self) -> BoxFuture<'_, Result<String, DatabaseError>> {
        Box::pin(async move { Ok(format!("{}-{}-{}", E::KIND, self.number, E::version(self).await?)) })
    }

    fn content_version(&self) -> BoxFuture<'_, Result<Option<i64>, DatabaseError>> {
        Box::pin(std::future::ready(Ok(self.engine().content())))
    }

    fn introspect(&self) -> BoxFuture<'_, Result<Schema, DatabaseError>> {
        E::schema(self)
    }

    fn cost<'a>(&'a self, query: &'a Checked) -> BoxFuture<'a, Result<Option<String>, DatabaseError>> {
        Box::pin(async move {
            let Some(estimate) = self.engine().estimate() else { return Ok(None) };
            // What only explains has no cost.
            if query.sql().get(..7).is_some_and(|start| start.eq_ignore_ascii_case("explain")) {
                return Ok(None);
            }
            let sql = format!("{} {}", estimate.before, query.sql());
            let limits = Limits { deadline: VERSION, ..Limits::default() };
            let plan = self.run(Question { sql: &sql, checked: Some(query) }, &limits).await?;
            Ok((estimate.rows)(&plan).map(rows_in_words))
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
            tokio::select! {
                result = self.run(Question { sql: query.sql(), checked: Some(query) }, limits) => result,
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
            let sql = quote::first_rows(&table.name, columns, rows, self.dialect());
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
            let sql = quote::which_of(&table.name, column, values, self.dialect());
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

/// `about 50 million rows to work on`.
fn rows_in_words(rows: f64) -> String {
    let shown = match rows {
        rows if rows >= 1e9 => format!("{:.1} billion", rows / 1e9),
        rows if rows >= 1e6 => format!("{:.1} million", rows / 1e6),
        rows if rows < 1.5 => return "about 1 row to work on".to_owned(),
        rows if rows >= 1e4 => format!("{:.0} thousand", rows / 1e3),
        rows => format!("{rows:.0}"),
    };
    format!("about {} rows to work on", shown.replace(".0 ", " "))
}

#[cfg(test)]
mod tests {
    use super::rows_in_words;

    #[test]
    fn numbers_of_rows_are_said_shortly() {
        for (rows, said) in [
            (0.0, "about 1 row to work on"),
            (3.0, "about 3 rows to work on"),
            (12_345.0, "about 12 thousand rows to work on"),
            (5e7, "about 50 million rows to work on"),
            (1.25e9, "about 1.2 billion rows to work on"),
        ] {
            assert_eq!(rows_in_words(rows), said);
        }
    }
}
