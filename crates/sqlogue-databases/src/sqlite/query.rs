//! Running one checked query within its limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode};

use super::errors::Failure;
use super::spill;
use crate::{DatabaseError, Limits, Rows};
use sqlogue_sql::schema::Value;
use sqlogue_sql::sql::Checked;

/// How many of SQLite's operations pass between two looks at the clock. A single operation can take half a
/// second, so that few of them are already too long.
const OPERATIONS: i32 = 16;

/// A query that takes longer than this has a thread that tells it when to look at the clock.
const LONG: Duration = Duration::from_millis(10);

/// How often that thread tells it, and so how late a query may notice that its time is up.
const TICK: Duration = Duration::from_millis(2);

/// When to look at the clock. In a query over a million rows that is a million times, and would be a tenth of all its time.
#[derive(Default)]
struct Ticks {
    /// Raised every [`TICK`]; none where the clock is looked at each time.
    due: Option<Arc<AtomicBool>>,
    began: bool,
}

impl Ticks {
    fn is_due(&self) -> bool {
        let Some(due) = &self.due else { return true };
        let is_due = due.load(Ordering::Relaxed);
        if is_due {
            due.store(false, Ordering::Relaxed);
        }
        is_due
    }

    /// Begins to tick, until this value is dropped. Where no thread can be had, the clock is looked at each time as before.
    fn begin(&mut self) {
        if std::mem::replace(&mut self.began, true) {
            return;
        }
        let due = Arc::new(AtomicBool::new(false));
        let held = Arc::downgrade(&due);
        let ticking = thread::Builder::new().name("sqlite-clock".into()).spawn(move || {
            while let Some(due) = held.upgrade() {
                due.store(true, Ordering::Relaxed);
                drop(due);
                thread::sleep(TICK);
            }
        });
        self.due = ticking.is_ok().then_some(due);
    }
}

/// A query with everything that may stop it.
pub(super) struct Request {
    pub(super) sql: Checked,
    pub(super) limits: Limits,
    /// When the caller began to wait.
    pub(super) started: Instant,
    /// Raised by the caller to stop this query, and no other.
    pub(super) stop: Arc<AtomicBool>,
}

pub(super) fn run(connection: &mut Connection, request: &Request) -> Result<Rows, Failure> {
    let result = within(connection, request.started, request.limits.deadline, &request.stop, |connection| {
        collect(connection, request)
    });
    // A statement that opened a transaction has been refused long before; this holds where all else failed.
    if !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    result
}

/// Runs `work` so that whatever it does in SQLite ends at the deadline, or when `stop` is raised.
pub(super) fn within<T>(
    connection: &mut Connection,
    started: Instant,
    deadline: Duration,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce(&Connection) -> Result<T, Failure>,
) -> Result<T, Failure> {
    const GOING: u8 = 0;
    const LATE: u8 = 1;
    const STOPPED: u8 = 2;
    const FULL: u8 = 3;
    let reason = Arc::new(AtomicU8::new(GOING));
    let mut check = {
        let (reason, stop) = (Arc::clone(&reason), Arc::clone(stop));
        // What others had written to temporary files before is not this query's. It is measured when the query turns out
        // to take its time.
        let (mut measured, mut before) = (Duration::ZERO, None);
        let (mut ticks, begun) = (Ticks::default(), Instant::now());
        move || {
            if stop.load(Ordering::Relaxed) {
                reason.store(STOPPED, Ordering::Relaxed);
                return true;
            }
            if !ticks.is_due() {
                return false;
            }
            let elapsed = started.elapsed();
            if begun.elapsed() >= LONG {
                ticks.begin();
            }
            if elapsed >= deadline {
                reason.store(LATE, Ordering::Relaxed);
            } else if elapsed >= measured + spill::STEP {
                measured = elapsed;
                let size = spill::size();
                if size.saturating_sub(*before.get_or_insert(size)) <= spill::MOST {
                    return false;
                }
                reason.store(FULL, Ordering::Relaxed);
            } else {
                return false;
            }
            true
        }
    };
    // A query may have waited for others until its time was up.
    let result = if check() {
        Err(Failure::Known(DatabaseError::Cancelled))
    } else {
        connection.progress_handler(OPERATIONS, Some(check))?;
        let result = work(connection);
        connection.progress_handler(0, None::<fn() -> bool>)?;
        result
    };
    match (&result, reason.load(Ordering::Relaxed)) {
        (Err(_), LATE) => Err(Failure::Known(DatabaseError::Deadline { limit: deadline })),
        (Err(_), FULL) => Err(Failure::Known(DatabaseError::Limit {
            what: "temporary space",
            limit: format!("{} MB", spill::MOST >> 20),
        })),
        (Err(_), STOPPED) => Err(Failure::Known(DatabaseError::Cancelled)),
        _ => result,
    }
}

fn collect(connection: &Connection, request: &Request) -> Result<Rows, Failure> {
    let mut statement = connection.prepare(request.sql.sql())?;
    // What returns no columns is no query, and what may write is none either, whatever the guard thought.
    if statement.column_count() == 0 || !statement.readonly() {
        return Err(Failure::Known(DatabaseError::Query {
            message: "the statement is not a query".into(),
            offset: None,
        }));
    }
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let width = columns.len();
    let mut rows = Rows { columns, ..Rows::default() };
    let mut bytes = 0;
    let mut cursor = statement.raw_query();
    while let Some(row) = cursor.next()? {
        let mut values = Vec::with_capacity(width);
        for at in 0..width {
            let value = value(row.get_ref(at)?);
            bytes += size(&value);
            values.push(value);
        }
        if rows.rows.len() >= request.limits.rows || bytes > request.limits.bytes {
            rows.truncated = true;
            break;
        }
        rows.rows.push(values);
        // Rows can come without the clock being looked at in between.
        if request.stop.load(Ordering::Relaxed) {
            return Err(Failure::Known(DatabaseError::Cancelled));
        }
    }
    drop(cursor);
    rows.elapsed = request.started.elapsed();
    Ok(rows)
}

/// A cell as our value. Text that is not UTF-8 is shown with replacement characters rather than refused.
pub(super) fn value(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}

/// The bytes a value takes, its place in the row included.
fn size(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::Text(text) => text.len(),
            Value::Blob(bytes) => bytes.len(),
            Value::Null | Value::Boolean(_) | Value::Integer(_) | Value::Real(_) => 0,
        }
}

/// True where SQLite stopped because it was told to.
pub(super) fn was_interrupted(failure: &Failure) -> bool {
    match failure {
        Failure::Sqlite(error) => error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted),
        Failure::Known(error) => matches!(error, DatabaseError::Deadline { .. } | DatabaseError::Cancelled),
    }
}
