//! A journal in an SQLite file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, named_params, params};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Choice, Entry, Frontier, Header, Journal, JournalError, JournalFuture, RunRecord, StepRecord, Summary,
};
use crate::graph::context::RunId;

/// The format of the file, kept in its `user_version`.
const FORMAT: i64 = 1;

/// "sqlg": tells a journal from any other SQLite file.
const APPLICATION: i64 = 0x7371_6c67;

/// A step's row id is its run's, shifted by this many bits, plus its number: rows of one run lie together, and
/// writing a step twice is a conflict without a second index.
const STEP_BITS: u32 = 20;

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
        mark TEXT NOT NULL
    ) STRICT;
    -- Apart from `runs`, so that setting a mark does not write the state again.
    CREATE TABLE snapshots (id INTEGER PRIMARY KEY REFERENCES runs, state TEXT NOT NULL) STRICT;
    CREATE TABLE steps (
        id INTEGER PRIMARY KEY,
        node TEXT NOT NULL,
        changes TEXT NOT NULL,
        moved TEXT NOT NULL,
        at INTEGER NOT NULL,
        took_us INTEGER NOT NULL
    ) STRICT;
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
        connection.busy_timeout(Self::WAIT)?;
        let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let tables = |connection: &Connection| {
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
        };
        let application = pragma("application_id")?;
        let found = pragma("user_version")?;
        if application != APPLICATION && tables(&connection)? > 0 {
            return Err(JournalError::NotAJournal("it is another program's database".to_owned()));
        }
        if found > FORMAT {
            return Err(JournalError::NewerFormat { found, known: FORMAT });
        }
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "normal")?;
        let made = connection.execute_batch("BEGIN IMMEDIATE").and_then(|()| {
            // Asked again under the lock: another process may have made the tables meanwhile.
            if tables(&connection)? == 0 {
                connection.execute_batch(SCHEMA)?;
                connection.pragma_update(None, "application_id", APPLICATION)?;
                connection.pragma_update(None, "user_version", FORMAT)?;
            }
            connection.execute_batch("COMMIT")
        });
        made?;
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

/// SQLite would take a path that begins with `file:` for a URI with options in it.
fn plain(path: &Path) -> PathBuf {
    if path.to_string_lossy().starts_with("file:") { Path::new(".").join(path) } else { path.to_owned() }
}

/// What a step moved, in one column.
#[derive(Serialize, Deserialize)]
struct Moved {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    decided: Vec<Choice>,
    next: Frontier,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    budgets: Vec<(Arc<str>, u32)>,
}

fn write(connection: &mut Connection, entry: &Entry) -> Result<(), JournalError> {
    // A single insert is a transaction of its own.
    if entry.header.is_none() && entry.mark.is_none() && entry.steps.len() == 1 {
        return write_parts(connection, entry);
    }
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    write_parts(&transaction, entry)?;
    transaction.commit().map_err(failure)
}

fn write_parts(connection: &Connection, entry: &Entry) -> Result<(), JournalError> {
    let run = entry.run;
    let id = match &entry.header {
        Some(header) => begin(connection, run, header)?,
        None => find(connection, run)?.ok_or(JournalError::UnknownRun { run })?,
    };
    if entry.steps.is_empty() && entry.header.is_none() {
        let last = last_step(connection, id)?;
        if last != entry.after {
            return Err(JournalError::Conflict { run, step: last.unwrap_or(0) });
        }
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO steps (id, node, changes, moved, at, took_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for step in &entry.steps {
        let moved =
            Moved { decided: step.decided.clone(), next: step.next.clone(), budgets: step.budgets.clone() };
        let inserted = insert.execute(params![
            step_id(run, id, step.step)?,
            &*step.node,
            step.changes,
            to_json(&moved)?,
            step.at.as_microsecond(),
            i64::try_from(step.took_us).unwrap_or(i64::MAX),
        ]);
        match inserted {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                return Err(JournalError::Conflict { run, step: step.step });
            }
            inserted => inserted?,
        };
    }
    if let Some(mark) = &entry.mark {
        connection
            .prepare_cached("UPDATE runs SET mark = ?2 WHERE id = ?1")
            .and_then(|mut update| update.execute(params![id, to_json(mark)?]))?;
    }
    Ok(())
}

fn begin(connection: &Connection, run: RunId, header: &Header) -> Result<i64, JournalError> {
    let mut insert = connection
        .prepare_cached(
            "INSERT INTO runs (run, graph, fingerprint, state_version, parent, since_snapshot, at, mark)
             VALUES (:run, :graph, :fingerprint, :state_version, :parent, :since_snapshot, :at, '\"running\"')",
        )
        ?;
    let inserted = insert.execute(named_params! {
        ":run": run.uuid().as_bytes(),
        ":graph": &*header.graph,
        ":fingerprint": &*header.fingerprint,
        ":state_version": header.state_version,
        ":parent": header.parent.map(|parent| parent.uuid().into_bytes()),
        ":since_snapshot": header.since_snapshot,
        ":at": header.at.as_microsecond(),
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
    Ok(id)
}

fn find(connection: &Connection, run: RunId) -> Result<Option<i64>, JournalError> {
    connection
        .prepare_cached("SELECT id FROM runs WHERE run = ?1")
        .and_then(|mut select| select.query_row([run.uuid().as_bytes()], |row| row.get(0)).optional())
        .map_err(failure)
}

fn last_step(connection: &Connection, id: i64) -> rusqlite::Result<Option<u32>> {
    let (first, last) = step_range(id);
    let step = connection
        .prepare_cached("SELECT max(id) FROM steps WHERE id BETWEEN ?1 AND ?2")?
        .query_row([first, last], |row| row.get::<_, Option<i64>>(0))?;
    Ok(step.and_then(|step| u32::try_from(step - first).ok()))
}

fn step_range(id: i64) -> (i64, i64) {
    (id << STEP_BITS, (id << STEP_BITS) + (1 << STEP_BITS) - 1)
}

fn step_id(run: RunId, id: i64, step: u32) -> Result<i64, JournalError> {
    if step >> STEP_BITS != 0 {
        return Err(JournalError::Damaged { run, problem: format!("step {step} is too many") });
    }
    Ok((id << STEP_BITS) + i64::from(step))
}

const SUMMARY: &str =
    "SELECT id, run, graph, fingerprint, state_version, parent, since_snapshot, at, mark FROM runs";

/// A row of `SUMMARY`, before what is in it was understood.
struct RunRow {
    id: i64,
    run: RunId,
    header: Header,
    mark: String,
}

fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let at: i64 = row.get("at")?;
    Ok(RunRow {
        id: row.get("id")?,
        run: RunId::new(Uuid::from_bytes(row.get("run")?)),
        header: Header {
            graph: row.get("graph")?,
            fingerprint: row.get("fingerprint")?,
            state_version: row.get("state_version")?,
            parent: row
                .get::<_, Option<[u8; 16]>>("parent")?
                .map(|parent| RunId::new(Uuid::from_bytes(parent))),
            snapshot: None,
            since_snapshot: row.get("since_snapshot")?,
            at: Timestamp::from_microsecond(at).unwrap_or_default(),
        },
        mark: row.get("mark")?,
    })
}

fn summarise(connection: &Connection, row: RunRow) -> Result<Summary, JournalError> {
    let last_step = last_step(connection, row.id)?;
    Ok(Summary { run: row.run, header: row.header, mark: from_json(row.run, &row.mark)?, last_step })
}

fn find_row(connection: &Connection, run: RunId) -> Result<Option<RunRow>, JournalError> {
    connection
        .prepare_cached(&format!("{SUMMARY} WHERE run = ?1"))
        .and_then(|mut select| select.query_row([run.uuid().as_bytes()], run_row).optional())
        .map_err(failure)
}

fn read(connection: &mut Connection, run: RunId) -> Result<Option<RunRecord>, JournalError> {
    // One transaction, so that header, steps and mark belong together.
    let transaction = connection.transaction()?;
    let Some(row) = find_row(&transaction, run)? else { return Ok(None) };
    let snapshot = transaction
        .prepare_cached("SELECT state FROM snapshots WHERE id = ?1")
        .and_then(|mut select| select.query_row([row.id], |row| row.get(0)).optional())?;
    let (first, last) = step_range(row.id);
    let mut select = transaction.prepare_cached(
        "SELECT id, node, changes, moved, at, took_us FROM steps WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    )?;
    let mut rows = select.query([first, last])?;
    let mut steps = vec![];
    while let Some(row) = rows.next()? {
        steps.push(step_row(run, first, row)?);
    }
    let mark = from_json(run, &row.mark)?;
    Ok(Some(RunRecord { header: Header { snapshot, ..row.header }, steps, mark }))
}

fn step_row(run: RunId, first: i64, row: &Row<'_>) -> Result<StepRecord, JournalError> {
    let moved: String = row.get("moved")?;
    let Moved { decided, next, budgets } = from_json(run, &moved)?;
    let number: i64 = row.get("id")?;
    let at: i64 = row.get("at")?;
    let took_us: i64 = row.get("took_us")?;
    Ok(StepRecord {
        step: u32::try_from(number - first).unwrap_or_default(),
        node: row.get("node")?,
        changes: row.get("changes")?,
        decided,
        next,
        budgets,
        at: Timestamp::from_microsecond(at).unwrap_or_default(),
        took_us: u64::try_from(took_us).unwrap_or_default(),
    })
}

fn to_json(value: &impl Serialize) -> Result<String, rusqlite::Error> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

fn from_json<'a, T: Deserialize<'a>>(run: RunId, text: &'a str) -> Result<T, JournalError> {
    serde_json::from_str(text).map_err(|error| JournalError::Damaged { run, problem: error.to_string() })
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
        _ => JournalError::Other(error.into()),
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
        Box::pin(self.with(move |connection| {
            find_row(connection, run)?.map(|row| summarise(connection, row)).transpose()
        }))
    }

    fn runs(&self) -> JournalFuture<'_, Vec<Summary>> {
        Box::pin(self.with(|connection| {
            let rows = connection
                .prepare_cached(&format!("{SUMMARY} ORDER BY id"))
                .and_then(|mut select| select.query_map([], run_row)?.collect::<Result<Vec<_>, _>>())?;
            rows.into_iter().map(|row| summarise(connection, row)).collect()
        }))
    }
}
