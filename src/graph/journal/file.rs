//! An SQLite file of ours: made, or brought to the format of this release, by whichever process comes first.

use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

/// What tells a file of one kind from any other SQLite file.
pub(crate) struct Kind {
    /// Kept in the file's `application_id`.
    pub(crate) application: i64,
    /// The newest format, kept in the file's `user_version`.
    pub(crate) format: i64,
    /// Makes the tables of that format.
    pub(crate) schema: &'static str,
}

/// Why a file cannot be used.
pub(crate) enum Unusable {
    /// It is of another kind.
    Foreign(String),
    /// A later release has written it.
    Newer {
        found: i64,
        known: i64,
    },
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl Unusable {
    fn is_locked(&self) -> bool {
        let Self::Sqlite(error) = self else { return false };
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }
}

/// What a look at a file finds.
enum Found {
    Empty,
    Ready,
    /// Of an earlier format.
    Older(i64),
}

impl Kind {
    /// Makes the file's tables where there are none, and has `migrate` bring those of an earlier format to this one.
    /// Afterwards the file is in WAL mode.
    pub(crate) fn prepare<E: From<Unusable>>(
        &self,
        connection: &Connection,
        wait: Duration,
        migrate: impl Fn(&Connection, i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let sqlite = |error| E::from(Unusable::Sqlite(error));
        connection.busy_timeout(wait).map_err(sqlite)?;
        // Others may be making the file just now, and SQLite itself does not wait for all that they do.
        let deadline = Instant::now() + wait;
        let begun = loop {
            match self.begin(connection) {
                Err(error) if error.is_locked() && Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                begun => break begun?,
            }
        };
        // Where everything is there nothing was locked: opening waits for nobody who writes.
        let Some((making, found)) = begun else { return Ok(()) };
        if let Found::Older(format) = found {
            migrate(&making, format)?;
        } else {
            making.execute_batch(self.schema).map_err(sqlite)?;
        }
        making.pragma_update(None, "application_id", self.application).map_err(sqlite)?;
        making.pragma_update(None, "user_version", self.format).map_err(sqlite)?;
        making.commit().map_err(sqlite)
    }

    /// A transaction in which tables are to be made; none where they are there.
    fn begin<'c>(&self, connection: &'c Connection) -> Result<Option<(Transaction<'c>, Found)>, Unusable> {
        let ready = {
            // In one transaction: otherwise another process may make the tables between two looks.
            let looking = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
            matches!(self.look(&looking)?, Found::Ready)
        };
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "normal")?;
        if ready {
            return Ok(None);
        }
        let making = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        Ok(match self.look(&making)? {
            Found::Ready => None,
            found => Some((making, found)),
        })
    }

    fn look(&self, connection: &Connection) -> Result<Found, Unusable> {
        let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if tables == 0 {
            return Ok(Found::Empty);
        }
        if number("application_id")? != self.application {
            return Err(Unusable::Foreign("it is another program's database".to_owned()));
        }
        match number("user_version")? {
            found if found > self.format => Err(Unusable::Newer { found, known: self.format }),
            found if found == self.format => Ok(Found::Ready),
            found if found > 0 => Ok(Found::Older(found)),
            found => Err(Unusable::Foreign(format!("it has format {found}, which there never was"))),
        }
    }
}
