//! MySQL and MariaDB.
//!
//! Checked queries run one at a time in read-only transactions with time limits that the server keeps, as prepared
//! statements, of which the server takes one at a time. Sessions come from a small pool; each is cleaned before it is used
//! again, and ended when a query in it was stopped.

mod address;
mod catalog;
mod errors;
mod query;
mod session;
mod values;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::sampling::{self, Asked};
use super::{BoxFuture, ColumnValues, Database, DatabaseError, Limits, Rows, ValueLimits};
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

/// What a question of our own may return.
const OWN: Limits = Limits { rows: 1_000_000, bytes: 256 << 20, deadline: INTROSPECTION };

/// A MySQL or MariaDB database, used for reading only.
///
/// Queries run as the account that the URL names. Reading is all they can do even where that account could write; one that
/// may only read is still the better choice, because it does not depend on this program.
///
/// Decimal numbers are whole numbers where they are whole and fit, floating-point numbers otherwise, and text where a column
/// is declared with more than fifteen digits. `tinyint(1)` and `bit(1)` are truth values. Times are shown in the time zone of
/// the server's setting. Texts are compared as each column's collation says.
///
/// Connections belong to the Tokio runtime on which they were made; on another, new ones are made.
pub struct MySqlDatabase {
    name: String,
    /// Tells this database from all others that are open in this process.
    number: u64,
    sessions: Sessions,
}

impl MySqlDatabase {
    /// The database at a URL, `mysql://user:password@host:port/database?parameters`; `mariadb` means the same. Nobody is
    /// connected to until the first call.
    ///
    /// Parameters are those of MySQL's own programs: `ssl-mode` (`DISABLED`, `PREFERRED`, `REQUIRED`,
    /// `VERIFY_IDENTITY`), `ssl-ca`, `connect-timeout` in seconds, `socket`. Without a password in the URL that of `MYSQL_PWD`
    /// is used.
    ///
    /// # Errors
    /// Where the URL cannot be read, or its certificate authorities cannot.
    pub fn at(url: &str) -> Result<Self, DatabaseError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let address = Address::parse(url)?;
        Ok(Self {
            name: address.name.clone(),
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            sessions: session::sessions(address)?,
        })
    }

    /// The same as [`MySqlDatabase::at`], with a first connection, so that a wrong address or password is noticed now.
    ///
    /// # Errors
    /// Where the URL cannot be read, nobody answers, or the login is refused.
    pub async fn connect(url: &str) -> Result<Self, DatabaseError> {
        let database = Self::at(url)?;
        let limit = Duration::from_secs(60);
        Flight::begin(&database.sessions, Instant::now() + limit, limit).await?.landed();
        Ok(database)
    }

    /// Runs a statement; dropped, it is stopped on the server too. A checked one is looked at for functions that somebody
    /// made.
    async fn run(
        &self,
        sql: &str,
        checked: Option<&Checked>,
        limits: &Limits,
    ) -> Result<Rows, DatabaseError> {
        let started = Instant::now();
        let deadline = started + limits.deadline;
        let work = async {
            let mut flight = Flight::begin(&self.sessions, deadline, limits.deadline).await?;
            let Some(session) = flight.session() else { return Err(DatabaseError::Cancelled) };
            if let Some(Err(refusal)) = checked.map(|checked| query::no_impostors(session, checked)) {
                flight.landed();
                return Err(refusal.into());
            }
            let outcome = query::run(session, &self.name, sql, limits, deadline).await;
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
        let Ok(query) = guard::check(sql, Dialect::MySql) else { return Ok(Vec::new()) };
        let limits = Limits { rows, deadline, ..Limits::default() };
        Ok(self.run(query.sql(), Some(&query), &limits).await?.rows)
    }
}

/// Without the address: it may hold a password.
impl fmt::Debug for MySqlDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MySqlDatabase").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Asked for MySqlDatabase {
    fn asked_in(&self) -> Dialect {
        Dialect::MySql
    }

    fn ask(&self, sql: String, limit: Duration) -> BoxFuture<'_, Result<Vec<Vec<Value>>, DatabaseError>> {
        Box::pin(async move {
            let limits = Limits { deadline: limit, ..OWN };
            Ok(self.run(&sql, None, &limits).await?.rows)
        })
    }
}

impl Database for MySqlDatabase {
    fn name(&self) -> &str {
        &self.name
    }

    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    fn schema_version(&self) -> BoxFuture<'_, Result<String, DatabaseError>> {
        Box::pin(async move {
            let rows = self.ask(catalog::VERSION.to_owned(), VERSION).await?;
            let version = rows.first().and_then(|row| row.first()).map(ToString::to_string);
            Ok(format!("mysql-{}-{}", self.number, version.unwrap_or_default()))
        })
    }

    fn introspect(&self) -> BoxFuture<'_, Result<Schema, DatabaseError>> {
        Box::pin(async move {
            let ask = |sql: &str| self.ask(sql.to_owned(), INTROSPECTION);
            let tables = ask(catalog::TABLES).await?;
            let columns = ask(catalog::COLUMNS).await?;
            let (keys, uniques) = (ask(catalog::KEYS).await?, ask(catalog::UNIQUES).await?);
            let mut schema = catalog::schema(&tables, &columns, &keys, &uniques);
            sampling::fill(self, &mut schema).await?;
            catalog::doubt_truths(&mut schema);
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
            tokio::select! {
                result = self.run(query.sql(), Some(query), limits) => result,
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
            let sql = quote::first_rows(&table.name, columns, rows, Dialect::MySql);
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
            let sql = quote::which_of(&table.name, column, values, Dialect::MySql);
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
