//! A store in an SQLite file. Everything that is SQL is in this folder.

mod format;
mod records;
mod sessions;
mod turns;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, MAIN_DB, Transaction, TransactionBehavior};
use tokio::runtime::Handle;
use tokio::sync::Mutex;

use format::KIND;

use super::digest::digest;
use super::lease::LEASE;
use super::model::check_id;
use super::{
    Keep, NewSession, Position, SessionFilter, Store, StoreError, StoreFuture, StoredSession, TurnInfo,
};
use crate::graph::RunId;
use crate::graph::journal::{Entry, Mark, RunRecord, Summary};

/// Keeps conversations in an SQLite file, shared by any number of processes.
///
/// The file is in WAL mode and readable by its owner only. A write takes some ten microseconds and is done at once, or after
/// those of this process that came before it; only when another process holds the file does it move to a blocking thread and
/// wait there, for [`WAIT`](Self::WAIT) at most.
#[derive(Clone)]
pub struct SqliteStore {
    connection: Arc<Mutex<Connection>>,
    options: SqliteOptions,
}

/// How an [`SqliteStore`] stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqliteOptions {
    /// What of results is kept.
    pub keep: Keep,
    /// What a finished turn survives.
    pub safety: Safety,
    /// How large the file may grow; what does not fit then is refused as if the disk were full.
    pub max_bytes: Option<u64>,
    /// For how long a process that says no more is taken for alive; ten minutes at most.
    pub lease: Duration,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { keep: Keep::default(), safety: Safety::default(), max_bytes: None, lease: LEASE }
    }
}

/// What a finished turn survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Safety {
    /// The death of the process. After a power cut the file is whole, but may lack the last moments.
    #[default]
    ProcessDeath,
    /// A power cut too: the end of a turn waits for the disk.
    PowerCut,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("options", &self.options).finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// How long a write waits for another process.
    pub const WAIT: Duration = Duration::from_secs(5);

    /// Opens a store, or makes a new one where there is no file, with its folder.
    ///
    /// # Errors
    /// [`StoreError::NotAStore`] for any other file, [`StoreError::NewerFormat`] for one of a later release,
    /// [`StoreError::ReadOnly`] where it may not be written.
    pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, StoreError> {
        let path = path.as_ref();
        make_file(path).map_err(|error| StoreError::ReadOnly(format!("`{}`: {error}", path.display())))?;
        Self::prepare(Connection::open(plain(path))?, options)
    }

    fn prepare(connection: Connection, options: SqliteOptions) -> Result<Self, StoreError> {
        KIND.prepare(&connection, Self::WAIT, format::migrate)?;
        // What is deleted is overwritten, in the file and when pages are given back.
        connection.pragma_update(None, "secure_delete", "on")?;
        let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        if let Some(bytes) = options.max_bytes {
            let pages = bytes / u64::try_from(pragma("page_size")?.max(1)).unwrap_or(1);
            let pages = i64::try_from(pages.max(1)).unwrap_or(i64::MAX);
            connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
        }
        if connection.is_readonly(MAIN_DB)? {
            return Err(StoreError::ReadOnly("it may only be read".to_owned()));
        }
        connection.busy_timeout(Duration::ZERO)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(Self { connection: Arc::new(Mutex::new(connection)), options })
    }

    /// Works on the connection as soon as it is free, and waits for other processes on a blocking thread.
    async fn with<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let runtime = Handle::try_current();
        let tried = match (self.connection.try_lock(), &runtime) {
            (Ok(mut connection), _) => work(&mut connection),
            // As a task and not as a thread: where hundreds of turns wait for each other, each would cost its stack.
            (Err(_), Ok(_)) => work(&mut *self.connection.lock().await),
            (Err(_), Err(_)) => Err(StoreError::Locked),
        };
        if !matches!(tried, Err(StoreError::Locked)) {
            return tried;
        }
        let connection = Arc::clone(&self.connection);
        // The connection is let go between two attempts, so that readers, who need no lock, do not wait as well.
        let patient = move || {
            let deadline = Instant::now() + Self::WAIT;
            let mut pause = Duration::from_micros(200);
            loop {
                let tried = work(&mut connection.blocking_lock());
                match tried {
                    Err(StoreError::Locked) if Instant::now() < deadline => {
                        std::thread::sleep(pause);
                        pause = (pause * 2).min(Duration::from_millis(5));
                    }
                    tried => return tried,
                }
            }
        };
        match runtime {
            Ok(runtime) => {
                runtime.spawn_blocking(patient).await.map_err(|error| StoreError::Other(error.into()))?
            }
            Err(_) => patient(),
        }
    }

    /// Works in one transaction that takes the write lock at once, so that what it reads stays true.
    async fn change<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        self.with(move |connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
        .await
    }

    /// Looks in one transaction, so that all it sees belongs together.
    async fn look<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        self.with(move |connection| work(&connection.transaction()?)).await
    }
}

/// Makes the file before SQLite does, so that nobody else can read it.
fn make_file(path: &Path) -> std::io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    crate::files::ensure(path).map(drop)
}

/// SQLite would take a path that begins with `file:` for a URI with options in it.
fn plain(path: &Path) -> PathBuf {
    if path.to_string_lossy().starts_with("file:") { Path::new(".").join(path) } else { path.to_owned() }
}

fn is_ours_no_more(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, SqlInputError,
    };
    // SQLite's word for whatever is wrong with a statement.
    let is_refused = error.sqlite_error().is_some_and(|error| error.extended_code == 1);
    is_refused
        || matches!(
            error,
            SqlInputError { .. }
                | InvalidColumnType(..)
                | FromSqlConversionFailure(..)
                | IntegralValueOutOfRange(..)
        )
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::ReadOnly(error.to_string())
            }
            Some(ErrorCode::NotADatabase) => Self::NotAStore(error.to_string()),
            Some(ErrorCode::DatabaseCorrupt) => Self::damaged_file(&error),
            // Statements and tables are ours: what is not found in the file, or is of another type, was written otherwise.
            _ if is_ours_no_more(&error) => Self::damaged_file(&error),
            _ => Self::Other(error.into()),
        }
    }
}

impl Store for SqliteStore {
    fn keep(&self) -> Keep {
        self.options.keep
    }

    fn create(&self, session: NewSession) -> StoreFuture<'_, StoredSession> {
        Box::pin(self.change(move |transaction| Ok(sessions::create(transaction, &session)?.session)))
    }

    fn session<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<StoredSession>> {
        let id = id.to_owned();
        Box::pin(self.look(move |transaction| Ok(sessions::find(transaction, &id)?.map(|row| row.session))))
    }

    fn sessions(&self, filter: SessionFilter) -> StoreFuture<'_, Vec<StoredSession>> {
        Box::pin(self.look(move |transaction| sessions::list(transaction, &filter)))
    }

    fn move_head<'a>(&'a self, id: &'a str, from: Option<RunId>, to: Position) -> StoreFuture<'a, ()> {
        let id = id.to_owned();
        Box::pin(self.change(move |transaction| sessions::move_head(transaction, &id, from, to)))
    }

    fn protect<'a>(&'a self, id: &'a str) -> StoreFuture<'a, ()> {
        let id = id.to_owned();
        Box::pin(self.change(move |transaction| sessions::protect(transaction, &id)))
    }

    fn delete<'a>(&'a self, id: &'a str) -> StoreFuture<'a, bool> {
        let id = id.to_owned();
        Box::pin(async move {
            let deleted = self.change(move |transaction| sessions::delete(transaction, &id)).await?;
            if deleted {
                self.with(checkpoint).await?;
            }
            Ok(deleted)
        })
    }

    fn write<'a>(&'a self, session: &'a str, entry: Entry) -> StoreFuture<'a, ()> {
        let session = session.to_owned();
        let SqliteOptions { keep, safety, lease, .. } = self.options;
        Box::pin(async move {
            check_id(&session)?;
            let mut entry = entry;
            let digest = digest(&mut entry, keep)?;
            let waits_for_disk = safety == Safety::PowerCut && entry.mark == Some(Mark::Finished);
            self.with(move |connection| {
                if waits_for_disk {
                    connection.pragma_update(None, "synchronous", "full")?;
                }
                let written = connection
                    .transaction_with_behavior(TransactionBehavior::Immediate)
                    .map_err(StoreError::from)
                    .and_then(|transaction| {
                        let written = turns::write(&transaction, &session, &entry, &digest, lease)?;
                        transaction.commit()?;
                        Ok(written)
                    });
                if waits_for_disk {
                    connection.pragma_update(None, "synchronous", "normal")?;
                }
                written
            })
            .await?
        })
    }

    fn hold(&self, run: RunId) -> StoreFuture<'_, ()> {
        let lease = self.options.lease;
        Box::pin(self.change(move |transaction| turns::hold(transaction, run, lease)))
    }

    fn lease(&self) -> Duration {
        self.options.lease
    }

    fn turns<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Vec<TurnInfo>> {
        let session = session.to_owned();
        Box::pin(self.look(move |transaction| records::of_session(transaction, &session)))
    }

    fn unfinished<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Vec<TurnInfo>> {
        let session = session.to_owned();
        Box::pin(self.look(move |transaction| records::unfinished(transaction, &session)))
    }

    fn turn(&self, run: RunId) -> StoreFuture<'_, Option<TurnInfo>> {
        Box::pin(self.look(move |transaction| records::info(transaction, run)))
    }

    fn record(&self, run: RunId) -> StoreFuture<'_, Option<RunRecord>> {
        Box::pin(self.look(move |transaction| records::record(transaction, run)))
    }

    fn summary(&self, run: RunId) -> StoreFuture<'_, Option<Summary>> {
        Box::pin(self.look(move |transaction| records::summary(transaction, run)))
    }

    fn rewind(&self, run: RunId, steps: u32) -> StoreFuture<'_, ()> {
        Box::pin(self.change(move |transaction| turns::rewind(transaction, run, steps)))
    }

    fn drop_turn(&self, run: RunId) -> StoreFuture<'_, bool> {
        Box::pin(self.change(move |transaction| turns::drop_unfinished(transaction, run)))
    }

    fn give_up<'a>(&'a self, run: RunId, reason: &'a str) -> StoreFuture<'a, bool> {
        let reason = reason.to_owned();
        Box::pin(self.change(move |transaction| turns::give_up(transaction, run, &reason)))
    }

    fn size(&self) -> StoreFuture<'_, u64> {
        Box::pin(self.with(|connection| {
            let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            let pages = pragma("page_count")? - pragma("freelist_count")?;
            Ok(u64::try_from(pages * pragma("page_size")?).unwrap_or_default())
        }))
    }

    fn vacuum(&self) -> StoreFuture<'_, ()> {
        Box::pin(self.with(|connection| {
            connection.execute_batch("VACUUM")?;
            checkpoint(connection)
        }))
    }
}

/// Moves everything from the log into the file, so that the log does not keep what was deleted. Where another process
/// is reading, it is done when that one is.
fn checkpoint(connection: &mut Connection) -> Result<(), StoreError> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Those who wait for each other in one process wait as tasks: a thread each would be hundreds of stacks.
    #[test]
    fn many_at_once_take_no_threads() {
        let started = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&started);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(4)
            .on_thread_start(move || {
                count.fetch_add(1, Ordering::Relaxed);
            })
            .build()
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("s.sqlite"), SqliteOptions::default()).unwrap();
        runtime.block_on(async {
            let asked = (0..500).map(|_| {
                let store = store.clone();
                tokio::spawn(async move {
                    let rest = |_: &mut _| {
                        std::thread::sleep(Duration::from_micros(200));
                        Ok(())
                    };
                    store.with(rest).await
                })
            });
            for asked in asked.collect::<Vec<_>>() {
                asked.await.unwrap().unwrap();
            }
        });
        assert_eq!(started.load(Ordering::Relaxed), 4);
    }
}
