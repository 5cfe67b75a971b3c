//! Running one query within its limits.

use mysql_async::Row;
use mysql_async::prelude::Queryable as _;
use tokio::time::Instant;

use super::errors::{is_broken, query_error};
use super::session::Session;
use super::values::Reading;
use crate::pooled::Outcome;
use crate::{DatabaseError, Limits, Rows};
use sqlogue_sql::schema::Value;

/// Runs a statement in a read-only transaction of its own, as a prepared one, of which the server takes one at a time.
pub(super) async fn run(
    session: &mut Session,
    name: &str,
    sql: &str,
    limits: &Limits,
    deadline: Instant,
) -> Outcome {
    let mut cut_off = false;
    let result = collect(session, sql, limits, deadline, &mut cut_off).await;
    let is_whole = !matches!(&result, Err(Stopped::Server(error)) if is_broken(error));
    let idle = !cut_off && is_whole && !session.conn.is_disconnected();
    let result = result.map_err(|stopped| match stopped {
        Stopped::Known(error) => error,
        Stopped::Server(error) => query_error(&error, name, limits.deadline),
    });
    Outcome { result, idle }
}

enum Stopped {
    Known(DatabaseError),
    Server(mysql_async::Error),
}

impl From<mysql_async::Error> for Stopped {
    fn from(error: mysql_async::Error) -> Self {
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
    let limit = if session.is_mariadb {
        format!("max_statement_time = {}", left.as_secs_f64().max(0.001))
    } else {
        format!("max_execution_time = {}", left.as_millis().max(1))
    };
    session.conn.query_drop(format!("SET SESSION {limit}; START TRANSACTION READ ONLY")).await?;
    let result = rows(session, sql, limits, cut_off).await;
    if !*cut_off && !session.conn.is_disconnected() {
        // Awaited also after a failure: no transaction is left open when the caller has the answer.
        let ended = session.conn.query_drop("ROLLBACK").await;
        if result.is_ok() {
            ended?;
        }
    }
    result
}

/// The rows of a statement. `cut_off` says that the server was still sending.
async fn rows(
    session: &mut Session,
    sql: &str,
    limits: &Limits,
    cut_off: &mut bool,
) -> Result<Rows, Stopped> {
    let statement = session.conn.prep(sql).await?;
    if statement.num_params() > 0 {
        return Err(fault("the query has placeholders (`?`) without values"));
    }
    let mut result = session.conn.exec_iter(&statement, ()).await?;
    let Some(columns) = result.columns() else { return Err(fault("the statement is not a query")) };
    let readings: Vec<Reading> = columns.iter().map(Reading::of).collect();
    let names = columns.iter().map(|column| column.name_str().into_owned()).collect();
    let mut rows = Rows { columns: names, ..Rows::default() };
    let mut bytes = 0_usize;
    while let Some(row) = result.next().await? {
        let row = values(row, &readings);
        bytes = bytes.saturating_add(row.iter().map(Value::size).sum());
        if rows.rows.len() >= limits.rows || bytes > limits.bytes {
            // The server is still sending; it is stopped with the session.
            rows.truncated = true;
            *cut_off = true;
            return Ok(rows);
        }
        rows.rows.push(row);
    }
    drop(result);
    session.conn.close(statement).await?;
    Ok(rows)
}

fn values(row: Row, readings: &[Reading]) -> Vec<Value> {
    row.unwrap_raw()
        .into_iter()
        .zip(readings)
        .map(|(cell, reading)| cell.map_or(Value::Null, |cell| reading.value(cell)))
        .collect()
}
