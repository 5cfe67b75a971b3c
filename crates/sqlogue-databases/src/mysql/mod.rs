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

use tokio::time::Instant;

use super::pooled::{Engine, Estimate, INTROSPECTION, Outcome, Pooled, Question, VERSION};
use super::sampling::{self, Asked as _};
use super::{BoxFuture, DatabaseError, Limits, estimate, impostors};
use address::Address;
use session::{Connector, Session};
use sqlogue_sql::schema::Schema;
use sqlogue_sql::sql::Dialect;

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
pub type MySqlDatabase = Pooled<Connector>;

impl Pooled<Connector> {
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
        Self::of(Connector { address: Address::parse(url)? })
    }

    /// The same as [`MySqlDatabase::at`], with a first connection, so that a wrong address or password is noticed now.
    ///
    /// # Errors
    /// Where the URL cannot be read, nobody answers, or the login is refused.
    pub async fn connect(url: &str) -> Result<Self, DatabaseError> {
        Self::at(url)?.connected().await
    }
}

impl Engine for Connector {
    const KIND: &'static str = "mysql";

    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    /// A checked statement is looked at for functions that somebody made.
    fn run<'a>(
        &'a self,
        session: &'a mut Session,
        Question { sql, checked }: Question<'a>,
        limits: &'a Limits,
        deadline: Instant,
    ) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            if let Some(Err(refusal)) = checked.map(|checked| impostors::refuse(&session.impostors, checked))
            {
                return Outcome { result: Err(refusal.into()), idle: true };
            }
            query::run(session, &self.address.name, sql, limits, deadline).await
        })
    }

    fn version(database: &Pooled<Self>) -> BoxFuture<'_, Result<String, DatabaseError>> {
        Box::pin(async move {
            let rows = database.ask(catalog::VERSION.to_owned(), VERSION).await?;
            Ok(rows.first().and_then(|row| row.first()).map(ToString::to_string).unwrap_or_default())
        })
    }

    fn schema(database: &Pooled<Self>) -> BoxFuture<'_, Result<Schema, DatabaseError>> {
        Box::pin(async move {
            let ask = |sql: &str| database.ask(sql.to_owned(), INTROSPECTION);
            let tables = ask(catalog::TABLES).await?;
            let columns = ask(catalog::COLUMNS).await?;
            let (keys, uniques) = (ask(catalog::KEYS).await?, ask(catalog::UNIQUES).await?);
            let mut schema = catalog::schema(&tables, &columns, &keys, &uniques);
            sampling::fill(database, &mut schema).await?;
            catalog::doubt_truths(&mut schema);
            Ok(schema)
        })
    }

    fn estimate(&self) -> Option<Estimate> {
        Some(Estimate { before: "EXPLAIN", rows: estimate::of_mysql })
    }
}
