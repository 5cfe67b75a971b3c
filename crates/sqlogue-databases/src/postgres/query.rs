//! Running one checked query within its limits.

use std::pin::pin;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use tokio::time::Instant;
use tokio_postgres::{Statement, Transaction};

use super::errors::query_error;
use super::session::Session;
use super::values::{Raw, Reading, Zone};
use crate::pooled::{Outcome, Question};
use crate::{DatabaseError, Limits, Rows, impostors};
use sqlogue_sql::schema::Value;

/// What a single row may take beyond the limit of all, in bytes.
const ONE_ROW: usize = 24 << 20;

/// How long a lock is waited for: readers meet one only while tables are being changed.
const LOCK: Duration = Duration::from_secs(2);

/// Runs a query in a read-only transaction of its own. A checked one is looked at for functions that somebody made.
pub(super) async fn run(
    session: &mut Session,
    name: &str,
    Question { sql, checked }: Question<'_>,
    limits: &Limits,
    deadline: Instant,
) -> Outcome {
    if let Some(Err(refusal)) = checked.map(|checked| impostors::refuse(&session.impostors, checked)) {
        return Outcome { result: Err(refusal.into()), idle: true };
    }
    // What is read from the wire takes at most about twice what it takes as values.
    session.meter.allow(limits.bytes.saturating_mul(2).saturating_add(ONE_ROW));
    let mut cut_off = false;
    let result = collect(session, sql, limits, deadline, &mut cut_off).await;
    let spent = session.meter.is_spent();
    let idle = !cut_off && !spent && !session.client.is_closed();
    let result = result.map_err(|stopped| match stopped {
        _ if spent => {
            DatabaseError::Limit { what: "room in one row", limit: format!("{} MB", ONE_ROW >> 20) }
        }
        Stopped::Known(error) => error,
        Stopped::Server(error) => query_error(&error, name, sql, limits.deadline),
    });
    Outcome { result, idle }
}

enum Stopped {
    Known(DatabaseError),
    Server(tokio_postgres::Error),
}

impl From<tokio_postgres::Error> for Stopped {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Server(error)
    }
}

fn fault(message: &str) -> Stopped {
    Stopped::Known(DatabaseError::Query { message: message.to_owned(), offset: None })
}

async fn collect(
    session: &mut Session,
    sql: &str,
    limits: &Limits,
    deadline: Instant,
    cut_off: &mut bool,
) -> Result<Rows, Stopped> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Stopped::Known(DatabaseError::Deadline { limit: limits.deadline }));
    }
    let zone = session.zone.clone();
    let transaction = session.client.build_transaction().read_only(true).start().await?;
    let result = rows(&transaction, sql, limits, left, &zone, cut_off).await;
    if !*cut_off {
        // Awaited also after a failure: no transaction is left open when the caller has the answer.
        let ended = transaction.rollback().await;
        if result.is_ok() {
            ended?;
        }
    }
    result
}

/// The rows of a statement, read in a transaction. `cut_off` says that the server was still sending.
async fn rows(
    transaction: &Transaction<'_>,
    sql: &str,
    limits: &Limits,
    left: Duration,
    zone: &Zone,
    cut_off: &mut bool,
) -> Result<Rows, Stopped> {
    transaction.batch_execute(&settings(left)).await?;
    let statement = transaction.prepare(sql).await?;
    if statement.columns().is_empty() {
        return Err(fault("the statement is not a query"));
    }
    if !statement.params().is_empty() {
        return Err(fault("the query has placeholders (`$1`) without values"));
    }
    let columns: Vec<String> = statement.columns().iter().map(|column| column.name().to_owned()).collect();
    let statement = readable(transaction, sql, statement).await?;
    let readings: Vec<Reading> = statement.columns().iter().map(Reading::of).collect();
    let mut rows = Rows { columns, ..Rows::default() };
    let portal = transaction.bind(&statement, &[]).await?;
    // One more than are kept, to know whether there are more.
    let most = i32::try_from(limits.rows.saturating_add(1)).unwrap_or(i32::MAX);
    let mut bytes = 0_usize;
    let mut stream = pin!(transaction.query_portal_raw(&portal, most).await?);
    while let Some(row) = stream.try_next().await? {
        if rows.rows.len() >= limits.rows {
            rows.truncated = true;
            break;
        }
        let mut values = Vec::with_capacity(readings.len());
        for (at, reading) in readings.iter().enumerate() {
            let raw: Raw<'_> = row.try_get(at)?;
            values.push(raw.0.map_or(Value::Null, |bytes| reading.value(bytes, zone)));
        }
        bytes = bytes.saturating_add(values.iter().map(Value::size).sum());
        if bytes > limits.bytes {
            // The server is still sending; it is stopped with the session.
            rows.truncated = true;
            *cut_off = true;
            break;
        }
        rows.rows.push(values);
    }
    Ok(rows)
}

/// The settings of one transaction. Nothing in it comes from outside.
pub(super) fn settings(left: Duration) -> String {
    let time = left.as_millis().max(1);
    let lock = time.min(LOCK.as_millis());
    // Backslashes mean what the guard thinks they mean, whatever the server's own setting.
    format!(
        "SET LOCAL statement_timeout = {time}; SET LOCAL lock_timeout = {lock}; \
         SET LOCAL idle_in_transaction_session_timeout = {}; SET LOCAL standard_conforming_strings = on",
        time + 5_000
    )
}

/// The statement itself, or one with the same rows in which columns of types that are not known here are text.
async fn readable(
    transaction: &Transaction<'_>,
    sql: &str,
    statement: Statement,
) -> Result<Statement, tokio_postgres::Error> {
    if statement.columns().iter().all(|column| Reading::of(column).is_known()) {
        return Ok(statement);
    }
    let mut names = Vec::new();
    let mut outputs = Vec::new();
    for (at, column) in statement.columns().iter().enumerate() {
        let cast = if Reading::of(column).is_known() { "" } else { "::text" };
        names.push(format!("c{at}"));
        outputs.push(format!("q.c{at}{cast}"));
    }
    // On a line of its own, because the query may end in a comment.
    let wrapped = format!("SELECT {} FROM (\n{sql}\n) AS q ({})", outputs.join(", "), names.join(", "));
    transaction.prepare(&wrapped).await
}
