//! Running one query within its limits, on a thread of its own.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use adbc_core::error::Error;
use adbc_core::{Connection as _, Statement as _};
use adbc_driver_manager::ManagedConnection;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use super::address::Kind;
use super::errors;
use super::session::{Connector, Session};
use super::values::Reading;
use crate::pooled::{Outcome, Question};
use crate::{DatabaseError, Limits, Rows};
use sqlogue_sql::schema::Value;
use sqlogue_sql::sql::{Refusal, RefusalCode};

/// What stands around each query of DuckDB.
const BEGIN: &str = "BEGIN TRANSACTION READ ONLY";
const END: &str = "ROLLBACK";

/// Runs a statement. A checked one is looked at for functions that somebody made.
pub(super) async fn run(
    connector: &Connector,
    session: &mut Session,
    Question { sql, checked }: Question<'_>,
    limits: Limits,
    deadline: Instant,
) -> Outcome {
    let (connection, stopping) = (Arc::clone(&session.connection), Arc::clone(&session.stopping));
    let kind = connector.address.kind;
    if checked.is_some()
        && let Err(refusal) = no_impostors(sql, &connector.impostors)
    {
        return Outcome { result: Err(refusal.into()), idle: true };
    }
    let work = Work { sql: sql.to_owned(), kind, limits };
    let done = spawn_blocking(move || {
        let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever waited for it may be gone before it began.
        if stopping.load(Ordering::Acquire) || Instant::now() >= deadline {
            return Err(Stopped::Known(DatabaseError::Deadline { limit: limits.deadline }));
        }
        work.run(&mut connection)
    });
    let name = &connector.address.name;
    let (result, idle) = match done.await {
        Ok(Ok(rows)) => (Ok(rows), true),
        Ok(Err(Stopped::Known(error))) => (Err(error), true),
        Ok(Err(Stopped::Driver(error))) => {
            let error = errors::of(&error, name, kind, limits.deadline);
            let idle = error.is_query_fault();
            (Err(error), idle)
        }
        Err(error) => (Err(DatabaseError::Failed { name: name.clone(), message: error.to_string() }), false),
    };
    Outcome { result, idle }
}

struct Work {
    sql: String,
    kind: Kind,
    limits: Limits,
}

enum Stopped {
    Known(DatabaseError),
    Driver(Error),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Driver(error)
    }
}

impl From<arrow_schema::ArrowError> for Stopped {
    fn from(error: arrow_schema::ArrowError) -> Self {
        Self::Driver(Error::from(error))
    }
}

impl Work {
    fn run(&self, connection: &mut ManagedConnection) -> Result<Rows, Stopped> {
        if self.kind != Kind::DuckDb {
            let result = self.rows(connection);
            // A driver without transactions says so, and has nothing to take back.
            let _ = connection.rollback();
            return result;
        }
        execute(connection, BEGIN)?;
        let result = self.rows(connection);
        // Also after a failure: no transaction is left open when the caller has the answer.
        let ended = execute(connection, END);
        let rows = result?;
        ended?;
        Ok(rows)
    }

    fn rows(&self, connection: &mut ManagedConnection) -> Result<Rows, Stopped> {
        let limits = &self.limits;
        let mut statement = connection.new_statement()?;
        statement.set_sql_query(&self.sql)?;
        let batches = statement.execute()?;
        let schema = batches.schema();
        let mut rows = Rows {
            columns: schema.fields().iter().map(|field| field.name().clone()).collect(),
            ..Rows::default()
        };
        let mut bytes = 0_usize;
        for batch in batches {
            let batch = batch?;
            let readings: Vec<Reading<'_>> =
                batch.columns().iter().map(|column| Reading::of(column.as_ref())).collect();
            for at in 0..batch.num_rows() {
                let row: Vec<Value> = readings.iter().map(|reading| reading.value(at)).collect();
                bytes = bytes.saturating_add(row.iter().map(Value::size).sum());
                if rows.rows.len() >= limits.rows || bytes > limits.bytes {
                    rows.truncated = true;
                    return Ok(rows);
                }
                rows.rows.push(row);
            }
        }
        Ok(rows)
    }
}

/// Runs a statement that has no rows.
pub(super) fn execute(connection: &mut ManagedConnection, sql: &str) -> Result<(), Error> {
    let mut statement = connection.new_statement()?;
    statement.set_sql_query(sql)?;
    statement.execute_update()?;
    Ok(())
}

/// Refuses a query that mentions a function which is not the one the guard thinks it is.
fn no_impostors(sql: &str, impostors: &[String]) -> Result<(), Refusal> {
    if impostors.is_empty() {
        return Ok(());
    }
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut words = sql.split(|character| !is_word(character)).map(str::to_lowercase);
    match words.find(|word| impostors.contains(word)) {
        None => Ok(()),
        Some(word) => Err(Refusal {
            code: RefusalCode::ForbiddenFunction,
            reason: format!(
                "somebody made a function `{}` of their own in this database, which is not the one that is meant; write the query without it",
                word.chars().take(60).collect::<String>()
            ),
        }),
    }
}
