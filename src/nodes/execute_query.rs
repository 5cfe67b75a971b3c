//! `execute_query`: runs the query of the answer, after the guard has checked it.

use std::sync::Arc;
use std::time::Duration;

use super::beyond::Empty;
use super::suspicion::suspicion;
use super::{FullRows, Known, ResultLimits};
use crate::conversation::{Change, ConversationState, ErrorKind, QueryResult, TurnError};
use crate::database::{Database, DatabaseError, Limits, Rows};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::sql::{self, Checked, RefusalCode, guard};

/// Checks the SQL, whoever wrote it, and runs it read-only within the limits.
pub struct ExecuteQuery {
    /// The database, which takes only what the guard made.
    pub database: Arc<dyn Database>,
    /// What is known of it.
    pub known: Known,
    /// The limits of every query.
    pub limits: Limits,
    /// How much of a result a conversation keeps.
    pub result_limits: ResultLimits,
    /// Where all rows go, and where those of the readings are that were tried.
    pub full_rows: Arc<FullRows>,
}

impl Node<ConversationState> for ExecuteQuery {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let Some(query) = state.query.as_deref() else {
            // Nothing was written; the error that says why is in the state.
            return Ok(Outcome::Done(Vec::new()));
        };
        if state.scratch.settled {
            // A repair or a refinement found nothing to change, so running the same again would change nothing.
            return Ok(Outcome::Done(Vec::new()));
        }
        let mut changes = Vec::new();
        let mut doubt = None;
        let change = match self.check(query).await? {
            Err(error) => Change::QueryFailed { error },
            Ok(checked) => match self.rows(query, &checked, context).await {
                Ok(rows) => {
                    // It is said beside the answer, because somebody pays for it.
                    if let Some(cost) = &rows.cost {
                        changes.push(Change::Noted { note: format!("The query read {cost}.") });
                    }
                    changes.extend(self.after_all_dates(state, &rows, context).await);
                    doubt = suspicion(state, &rows, self.known.knowledge().await?.schema());
                    let result = Arc::new(keep(&rows, self.result_limits));
                    self.full_rows.put(context.run(), rows);
                    Change::QueryExecuted { result }
                }
                Err(error) => {
                    tracing::info!(sql = query, verdict = "allowed", %error, "statement failed");
                    Change::QueryFailed { error: turn_error(&error) }
                }
            },
        };
        changes.push(change);
        changes.extend(doubt.map(|doubt| Change::ResultDoubted { doubt }));
        Ok(Outcome::Done(changes))
    }
}

/// The time for finding the last date of a column.
const LOOK: Duration = Duration::from_millis(500);

impl ExecuteQuery {
    /// What is to be said where nothing was found because the time that is asked for lies after all dates that there are; nothing
    /// where somebody pays for looking.
    async fn after_all_dates(
        &self,
        state: &ConversationState,
        rows: &Rows,
        context: &Context,
    ) -> Vec<Change> {
        let Some(empty) = Empty::of(state, rows).filter(|_| self.database.is_local()) else {
            return Vec::new();
        };
        let dialect = self.database.dialect();
        let Ok(checked) = guard::check(&empty.last_date(dialect), dialect) else { return Vec::new() };
        let limits = Limits { rows: 1, deadline: LOOK, ..self.limits };
        let found = self.database.execute(&checked, &limits, context.cancellation()).await;
        let last = found.ok().and_then(|rows| rows.rows.first()?.first().cloned());
        last.map_or_else(Vec::new, |last| empty.changes(&last, dialect))
    }

    /// The rows of a checked statement: those it gave when it was tried as a reading in this turn, if all of them are
    /// there, and otherwise those that it gives now.
    async fn rows(
        &self,
        query: &str,
        checked: &Checked,
        context: &Context,
    ) -> Result<Arc<Rows>, DatabaseError> {
        let Self { database, limits, full_rows, .. } = self;
        if let Some(rows) = full_rows.tried(context.run(), query).filter(|rows| !rows.truncated) {
            return Ok(rows);
        }
        context.progress("running the query");
        let rows = database.execute(checked, limits, context.cancellation()).await?;
        tracing::info!(sql = query, verdict = "allowed", rows = rows.rows.len(), "statement executed");
        Ok(Arc::new(rows))
    }

    /// The guard first, then the names: a name that does not exist is said with what comes near it.
    async fn check(&self, query: &str) -> Result<Result<Checked, TurnError>, NodeError> {
        let dialect = self.database.dialect();
        let checked = match guard::check(query, dialect) {
            Ok(checked) => checked,
            Err(refusal) => {
                tracing::info!(verdict = refusal.code.name(), "statement refused");
                // What does not parse can be repaired; what was meant to do harm is not tried again in other words.
                let kind = match refusal.code {
                    RefusalCode::Syntax => ErrorKind::QueryFailed,
                    _ => ErrorKind::Refused,
                };
                return Ok(Err(TurnError::new(kind, refusal.reason)));
            }
        };
        let knowledge = self.known.knowledge().await?;
        let findings = sql::resolve(&checked, knowledge.schema());
        if findings.is_empty() {
            return Ok(Ok(checked));
        }
        let said: Vec<String> = findings.iter().map(ToString::to_string).collect();
        Ok(Err(TurnError::new(ErrorKind::QueryFailed, said.join("; "))))
    }
}

/// As much of a result as a conversation keeps.
fn keep(rows: &Rows, limits: ResultLimits) -> QueryResult {
    let mut bytes = 0_usize;
    let fitting = rows.rows.iter().take(limits.rows).take_while(|row| {
        bytes += row.iter().map(|value| value.size() + 1).sum::<usize>();
        bytes <= limits.bytes
    });
    let fitting: Vec<_> = fitting.cloned().collect();
    QueryResult {
        columns: rows.columns.clone(),
        truncated: rows.truncated || fitting.len() < rows.rows.len(),
        rows: fitting,
        row_count: rows.rows.len() as u64,
        more: rows.truncated,
    }
}

/// What a database's error is to a conversation.
fn turn_error(error: &DatabaseError) -> TurnError {
    let kind = match error {
        DatabaseError::Refused { .. } => ErrorKind::Refused,
        DatabaseError::Deadline { .. } | DatabaseError::Limit { .. } => ErrorKind::Limit,
        _ => ErrorKind::QueryFailed,
    };
    TurnError::new(kind, error.to_string())
}
