//! A journal in an SQLite file.

mod rows;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, TransactionBehavior, named_params, params};

use super::file::{Kind, Unusable};
use super::{Entry, Header, Journal, JournalError, JournalFuture, Mark, Moved, RunRecord, Summary};
use crate::graph::context::RunId;
use rows::{
    RunRow, SUMMARY, find_row, read, run_row, snapshot, step_id, steps_of, store_sums, sum_of_text, to_json,
};

/// Format 1 had no checksums.
const KIND: Kind = Kind {
    // "sqlg"
    application: 0x7371_6c67,
    format: 2,
    schema: SCHEMA,
};

const SCHEMA: &str = "
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        run BLOB NOT NULL UNIQUE,
        graph TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        state_version INTEGER NOT NULL,
        parent BLOB,
        since_snapshot INTEGER NOT NULL,
        at INTEGER NOT NULL,
        mark TEXT NOT NULL,
        snapshot_sum INTEGER,
        steps INTEGER NOT NULL DEFAULT 0,
        steps_sum INTEGER NOT NULL DEFAULT 0,
        sum INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    -- Apart from `runs`, so that setting a mark does not write the state again.
    CREATE TABLE snapshots (id INTEGER PRIMARY KEY REFERENCES runs, state TEXT NOT NULL) STRICT;
    CREATE TABLE steps (
        id INTEGER PRIMARY KEY,
        node TEXT NOT NULL,
        changes TEXT NOT NULL,
        walk TEXT NOT NULL,
        at INTEGER NOT NULL,
        took_us INTEGER NOT NULL
    ) STRICT;
";

/// From format 1. A column gets another name, so that a process of that release which has the file open fails instead of
/// writing runs without checksums.
const FROM_FORMAT_1: &str = "
    ALTER TABLE runs ADD COLUMN snapshot_sum INTEGER;
    ALTER TABLE runs ADD COLUMN steps INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE runs ADD COLUMN steps_sum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE runs ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE steps RENAME COLUMN moved TO walk;
";

/// Keeps runs in an SQLite file.
///
/// The file is readable by its owner only, and in WAL mode with `synchronous=NORMAL`: what was written survives the death of the process, and
/// after a power cut the file is whole but may lack the last moments. A write takes some ten microseconds and
/// is done at once; only when another process holds the file does it move to a blocking thread and wait there,
/// for [`WAIT`](Self::WAIT) at most.
#[derive(Clone)]
pub struct SqliteJournal {
    connection: Arc<Mutex<Connection>>,
}

impl std::fmt::Debug for SqliteJournal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteJournal").finish_non_exhaustive()
    }
}

impl SqliteJournal {
    /// How long a write waits for another process.
    pub const WAIT: Duration = Duration::from_secs(5);

    /// Opens a journal, or makes a new one where there is no file.
    ///
    /// # Errors
    /// [`JournalError::NotAJournal`] for any other file, [`JournalError::NewerFormat`] for one of a later
    /// release, [`JournalError::ReadOnly`] where it may not be written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, JournalError> {
        let path = path.as_ref();
        // Made before SQLite does, so that nobody else can read it. What stands in the way, SQLite says better.
        if !path.exists() {
            drop(crate::files::ensure(path));
        }
        let connection = Connection::open(plain(path))?;
        Self::prepare(connection)
    }

    fn prepare(connection: Connection) -> Result<Self, JournalError> {
        KIND.prepare(&connection, Self::WAIT, |connection, _| {
            connection.execute_batch(FROM_FORMAT_1)?;
            sum_all(connection)
        })?;
        connection.busy_timeout(Duration::ZERO)?;
        connection.set_prepared_statement_cache_capacity(32);
        Ok(Self { connection: Arc::new(Mutex::new(connection)) })
    }

    /// Works on the connection at once if it is free, and otherwise waits for it on a blocking thread.
    async fn with<T, F>(&self, work: F) -> Result<T, JournalError>
    where
        T: Send + 'static,
        F: Fn(&mut Connection) -> Result<T, JournalError> + Send + 'static,
    {
        let tried = match self.connection.try_lock() {
            Ok(mut connection) => Some(work(&mut connection)),
            Err(TryLockError::Poisoned(poisoned)) => Some(work(&mut poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        };
        match tried {
            Some(Err(JournalError::Locked)) | None => {}
            Some(result) => return result,
        }
        let connection = Arc::clone(&self.connection);
        let patient = move || {
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            connection.busy_timeout(Self::WAIT)?;
            let result = work(&mut connection);
            connection.busy_timeout(Duration::ZERO)?;
            result
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                runtime.spawn_blocking(patient).await.map_err(|error| JournalError::Other(error.into()))?
            }
            Err(_) => patient(),
        }
    }
}

/// Gives every run the checksums that format 1 did not have.
fn sum_all(connection: &Connection) -> Result<(), JournalError> {
    let rows = connection.prepare(SUMMARY)?.query_map([], run_row)?.collect::<Result<Vec<_>, _>>()?;
    for mut row in rows {
        row.snapshot_sum = snapshot(connection, row.id)?.as_deref().map(sum_of_text);
        let steps = match steps_of(connection, &row) {
            // It keeps a wrong sum, and the other runs are none the worse.
            Err(JournalError::Damaged { .. }) => continue,
            steps => steps?,
        };
        for (step, moved) in steps {
            row.add(&step, &moved);
        }
        store_sums(connection, &row)?;
    }
    Ok(())
}

/// SQLite would take a path that begins with `file:` for a URI with options in it.
fn plain(path: &Path) -> PathBuf {
    if path.to_string_lossy().starts_with("file:") { Path::new(".").join(path) } else { path.to_owned() }
}

fn write(connection: &mut Connection, entry: &Entry) -> Result<(), JournalError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    write_parts(&transaction, entry)?;
    transaction.commit().map_err(failure)
}

fn write_parts(connection: &Connection, entry: &Entry) -> Result<(), JournalError> {
    let run = entry.run;
    let mut row = match &entry.header {
        Some(header) => begin(connection, run, header)?,
        None => find_row(connection, run)?.ok_or(JournalError::UnknownRun { run })?,
    };
    if row.last_step() != entry.after {
        let step = entry.steps.first().map_or_else(|| row.last_step().unwrap_or(0), |step| step.step);
        return Err(JournalError::Conflict { run, step });
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO steps (id, node, changes, walk, at, took_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for step in &entry.steps {
        let moved = to_json(&Moved::by(step))?;
        let inserted = insert.execute(params![
            step_id(run, row.id, step.step)?,
            &*step.node,
            step.changes,
            moved,
            step.at.as_microsecond(),
            i64::try_from(step.took_us).unwrap_or(i64::MAX),
        ]);
        match inserted {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                return Err(JournalError::Conflict { run, step: step.step });
            }
            inserted => inserted?,
        };
        row.add(step, &moved);
    }
    if let Some(mark) = &entry.mark {
        row.mark = to_json(mark)?;
    }
    Ok(store_sums(connection, &row)?)
}

fn begin(connection: &Connection, run: RunId, header: &Header) -> Result<RunRow, JournalError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO runs (run, graph, fingerprint, state_version, parent, since_snapshot, at, mark, snapshot_sum)
         VALUES (:run, :graph, :fingerprint, :state_version, :parent, :since_snapshot, :at, :mark, :snapshot_sum)",
    )?;
    let mark = to_json(&Mark::Running)?;
    let snapshot_sum = header.snapshot.as_deref().map(sum_of_text);
    let inserted = insert.execute(named_params! {
        ":run": run.uuid().as_bytes(),
        ":graph": &*header.graph,
        ":fingerprint": &*header.fingerprint,
        ":state_version": header.state_version,
        ":parent": header.parent.map(|parent| parent.uuid().into_bytes()),
        ":since_snapshot": header.since_snapshot,
        ":at": header.at.as_microsecond(),
        ":mark": mark,
        ":snapshot_sum": snapshot_sum,
    });
    match inserted {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            return Err(JournalError::Conflict { run, step: 0 });
        }
        inserted => inserted?,
    };
    let id = connection.last_insert_rowid();
    if let Some(snapshot) = &header.snapshot {
        connection
            .prepare_cached("INSERT INTO snapshots (id, state) VALUES (?1, ?2)")
            .and_then(|mut insert| insert.execute(params![id, snapshot]))?;
    }
    let header = Header { snapshot: None, ..header.clone() };
    Ok(RunRow { id, run, header, mark, snapshot_sum, steps: 0, steps_sum: 0, sum: 0 })
}

/// Says in the journal's words what SQLite said in its own.
fn failure(error: rusqlite::Error) -> JournalError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => JournalError::Locked,
        Some(ErrorCode::DiskFull) => JournalError::Full,
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            JournalError::ReadOnly(error.to_string())
        }
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            JournalError::NotAJournal(error.to_string())
        }
        // The statements are ours: what they do not find in the file was there when it was made.
        _ if matches!(error, rusqlite::Error::SqlInputError { .. })
            || error.sqlite_error().is_some_and(|error| error.extended_code == 1) =>
        {
            JournalError::NotAJournal(error.to_string())
        }
        _ => JournalError::Other(error.into()),
    }
}

impl From<Unusable> for JournalError {
    fn from(problem: Unusable) -> Self {
        match problem {
            Unusable::Foreign(problem) => Self::NotAJournal(problem),
            Unusable::Newer { found, known } => Self::NewerFormat { found, known },
            Unusable::Sqlite(error) => error.into(),
        }
    }
}

impl From<rusqlite::Error> for JournalError {
    fn from(error: rusqlite::Error) -> Self {
        failure(error)
    }
}

impl Journal for SqliteJournal {
    fn write(&self, entry: Entry) -> JournalFuture<'_, ()> {
        Box::pin(self.with(move |connection| write(connection, &entry)))
    }

    fn read(&self, run: RunId) -> JournalFuture<'_, Option<RunRecord>> {
        Box::pin(self.with(move |connection| read(connection, run)))
    }

    fn summary(&self, run: RunId) -> JournalFuture<'_, Option<Summary>> {
        Box::pin(self.with(move |connection| find_row(connection, run)?.map(RunRow::summary).transpose()))
    }

    fn runs(&self) -> JournalFuture<'_, Vec<Summary>> {
        Box::pin(self.with(|connection| {
            let rows = connection
                .prepare_cached(&format!("{SUMMARY} ORDER BY id"))
                .and_then(|mut select| select.query_map([], run_row)?.collect::<Result<Vec<_>, _>>())?;
            rows.into_iter().map(|row| row.checked()?.summary()).collect()
        }))
    }
}
