//! Connections to a database behind a driver.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use adbc_core::options::{OptionConnection, OptionDatabase, OptionValue};
use adbc_core::{CancelHandle, Connection as _, Database as _, Driver as _, Optionable as _};
use adbc_driver_manager::{ManagedConnection, ManagedDatabase, ManagedDriver};
use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::address::{Address, Kind};
use super::{driver, duckdb, errors};
use crate::DatabaseError;
use crate::flight::Connect;
use crate::pooled::INTROSPECTION;

/// How often a query that is to stop is told so: told before it began, it would not have heard.
const AGAIN: Duration = Duration::from_millis(20);

/// A connection, which one query at a time works with on a thread of its own.
pub struct Session {
    pub(super) connection: Arc<Mutex<ManagedConnection>>,
    pub(super) stopping: Arc<AtomicBool>,
    cancel: Arc<dyn CancelHandle>,
}

/// Makes connections.
pub struct Connector {
    pub(super) address: Address,
    /// Files that are read as tables.
    pub(super) files: Vec<PathBuf>,
    /// How many rows each table of files has.
    pub(super) rows: Vec<(String, u64)>,
    /// The names of functions that may not be called although the guard knows them.
    pub(super) impostors: Vec<String>,
    /// Opened at the first connection, where it is not one of files.
    database: Arc<Mutex<Opened>>,
    /// Where DuckDB puts what does not fit into memory.
    _spill: Option<TempDir>,
}

struct Opened {
    driver: ManagedDriver,
    database: Option<ManagedDatabase>,
}

impl Connector {
    /// Loads the driver, and opens files.
    pub(super) fn to(address: Address) -> Result<Self, DatabaseError> {
        let driver = driver::load(&address)?;
        let mut opened = Opened { driver, database: None };
        let (mut files, mut rows, mut impostors, mut spill) = (Vec::new(), Vec::new(), Vec::new(), None);
        if address.kind == Kind::DuckDb {
            let ready = duckdb::open(&mut opened.driver, &address)?;
            (files, rows, impostors, spill) = (ready.files, ready.rows, ready.impostors, Some(ready.spill));
            opened.database = Some(ready.database);
        }
        Ok(Self { address, files, rows, impostors, database: Arc::new(Mutex::new(opened)), _spill: spill })
    }
}

impl Opened {
    fn connect(
        &mut self,
        options: Vec<(String, String)>,
    ) -> Result<ManagedConnection, adbc_core::error::Error> {
        if let Some(database) = &self.database {
            return database.new_connection();
        }
        let options = options
            .into_iter()
            .map(|(key, value)| (OptionDatabase::from(key.as_str()), OptionValue::String(value)));
        let database = self.driver.new_database_with_opts(options)?;
        let connection = database.new_connection()?;
        self.database = Some(database);
        Ok(connection)
    }
}

/// Asks a driver to let nothing be written, as far as it can.
fn restrain(connection: &mut ManagedConnection) {
    let options = [(OptionConnection::ReadOnly, "true"), (OptionConnection::AutoCommit, "false")];
    for (option, value) in options {
        if let Err(error) = connection.set_option(option, value.into()) {
            tracing::debug!(%error, "the driver does not offer what keeps a connection from writing");
        }
    }
}

impl Manager for Connector {
    type Type = Session;
    type Error = DatabaseError;

    async fn create(&self) -> Result<Session, DatabaseError> {
        let (database, options) = (Arc::clone(&self.database), self.address.options.clone());
        let kind = self.address.kind;
        let made = spawn_blocking(move || {
            let mut connection = database.lock().unwrap_or_else(PoisonError::into_inner).connect(options)?;
            if kind == Kind::Driver {
                restrain(&mut connection);
            }
            Ok(connection)
        });
        let name = &self.address.name;
        match made.await {
            Ok(Ok(connection)) => Ok(Session {
                cancel: Arc::from(connection.get_cancel_handle()),
                connection: Arc::new(Mutex::new(connection)),
                stopping: Arc::default(),
            }),
            Ok(Err(error)) => Err(match errors::of(&error, name, self.address.kind, INTROSPECTION) {
                DatabaseError::Query { message, .. } | DatabaseError::Failed { message, .. } => {
                    DatabaseError::Unreachable { name: name.clone(), message }
                }
                other => other,
            }),
            Err(error) => Err(DatabaseError::Failed { name: name.clone(), message: error.to_string() }),
        }
    }

    async fn recycle(&self, session: &mut Session, _: &Metrics) -> RecycleResult<DatabaseError> {
        if session.connection.is_poisoned() || session.stopping.load(Ordering::Acquire) {
            return Err(RecycleError::message("its query was stopped"));
        }
        Ok(())
    }
}

impl Connect for Connector {
    fn name(&self) -> &str {
        &self.address.name
    }

    /// The runtime waits for the thread that works with the connection.
    fn begin_to_stop(&self, session: &Session) {
        session.stopping.store(true, Ordering::Release);
        if let Err(error) = session.cancel.try_cancel() {
            tracing::debug!(%error, "the driver cannot stop a query");
        }
    }

    /// The thread that works with the connection lets go of it when its query has ended.
    async fn stop(&self, session: Session) -> Result<(), DatabaseError> {
        while Arc::strong_count(&session.connection) > 1 {
            session
                .cancel
                .try_cancel()
                .map_err(|error| errors::of(&error, &self.address.name, self.address.kind, INTROSPECTION))?;
            sleep(AGAIN).await;
        }
        Ok(())
    }
}
