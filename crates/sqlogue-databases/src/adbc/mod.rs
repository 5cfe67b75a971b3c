//! DuckDB, and other databases by their ADBC drivers.
//!
//! A driver is a library that is loaded at run time; nothing of it is in this program. Rows come as Arrow batches and are
//! read without a detour through text. Queries run on threads of their own, because drivers wait on the caller's.
//!
//! DuckDB is opened so that it can only read, and only the files that were named (`duckdb.rs`). Of any other database only
//! what its driver offers can be used: a transaction that is rolled back, and the guard before it.

mod address;
mod driver;
mod duckdb;
mod errors;
mod files;
mod objects;
mod query;
mod session;
mod values;
#[cfg(test)]
mod walls_tests;

use tokio::time::Instant;

use super::pooled::{Engine, Estimate, Outcome, Pooled, Question};
use super::{BoxFuture, DatabaseError, Limits, estimate, sampling};
use address::{Address, Kind};
use session::{Connector, Session};
use sqlogue_sql::schema::Schema;
use sqlogue_sql::sql::Dialect;

/// A database behind an ADBC driver, used for reading only: DuckDB, its files and files of Parquet and CSV, or any other.
///
/// Decimal numbers are whole numbers where they are whole and fit, floating-point numbers otherwise, and text where a column
/// is declared with more than fifteen digits. Times with a zone are shown in UTC. Lists, structures and maps are JSON.
pub type AdbcDatabase = Pooled<Connector>;

impl Pooled<Connector> {
    /// The database at an address: `duckdb:shop.duckdb`, `duckdb:sales.parquet`, `duckdb:folder/*.parquet`, or
    /// `adbc:DRIVER?uri=…&dialect=…`.
    ///
    /// The driver is loaded at once. DuckDB's files are opened, too; other databases are spoken to at the first question. Loading
    /// a driver runs its code: an address must come from somebody who may run programs here.
    ///
    /// # Errors
    /// Where the address cannot be read, the driver is not found, or a file cannot be opened.
    pub fn at(address: &str) -> Result<Self, DatabaseError> {
        Self::of(Connector::to(Address::parse(address)?)?)
    }
}

/// Runs a script in a file of DuckDB's that can be written, to make what tests ask.
///
/// # Errors
/// Where there is no driver, or the script fails.
#[cfg(feature = "writes-for-tests")]
#[doc(hidden)]
pub fn write(path: &str, script: &str) -> Result<(), DatabaseError> {
    use adbc_core::options::OptionDatabase;
    use adbc_core::{Database as _, Driver as _};

    let address = Address::parse("duckdb:written")?;
    let failed = |error| errors::of(&error, path, Kind::DuckDb, std::time::Duration::ZERO);
    let options = [(OptionDatabase::from("path"), path.into())];
    let database = driver::load(&address)?.new_database_with_opts(options).map_err(failed)?;
    let mut connection = database.new_connection().map_err(failed)?;
    query::execute(&mut connection, script).map_err(failed)
}

impl Engine for Connector {
    const KIND: &'static str = "adbc";

    fn dialect(&self) -> Dialect {
        self.address.dialect
    }

    fn run<'a>(
        &'a self,
        session: &'a mut Session,
        question: Question<'a>,
        limits: &'a Limits,
        deadline: Instant,
    ) -> BoxFuture<'a, Outcome> {
        Box::pin(query::run(self, session, question, *limits, deadline))
    }

    fn version(database: &Pooled<Self>) -> BoxFuture<'_, Result<String, DatabaseError>> {
        // As long as DuckDB has a file open, nobody else can write to it.
        let content = database.engine().content().unwrap_or_default();
        Box::pin(std::future::ready(Ok(content.to_string())))
    }

    fn content(&self) -> Option<i64> {
        (!self.files.is_empty()).then(|| files::fingerprint(&self.files))
    }

    fn schema(database: &Pooled<Self>) -> BoxFuture<'_, Result<Schema, DatabaseError>> {
        Box::pin(async move {
            let engine = database.engine();
            let mut schema = match engine.address.kind {
                Kind::DuckDb => duckdb::schema(database, &engine.rows).await?,
                Kind::Driver => objects::schema(database).await?,
            };
            sampling::fill(database, &mut schema).await?;
            Ok(schema)
        })
    }

    fn estimate(&self) -> Option<Estimate> {
        (self.address.kind == Kind::DuckDb)
            .then_some(Estimate { before: "EXPLAIN (FORMAT json)", rows: estimate::of_duckdb })
    }
}
