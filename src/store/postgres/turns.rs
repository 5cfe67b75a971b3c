//! Turns and their steps in PostgreSQL.

use jiff::Timestamp;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Error, Row, Transaction};

use super::super::digest::{Digest, title};
use super::super::row::{Moved, database_of, from_json, to_json};
use super::super::{NewSession, Position, StoreError, TurnInfo};
use super::sessions::{self, run_of};
use crate::graph::RunId;
use crate::graph::journal::{Entry, Header, Mark, RunRecord, StepRecord, Summary};

const SELECT: &str = "
    SELECT turns.id, run, sessions.name AS session, parent_run, number, graph, fingerprint, state_version,
           since_snapshot, at, mark, input, status, query,
           (SELECT max(step) FROM sqlogue.steps WHERE steps.turn = turns.id) AS last_step
    FROM sqlogue.turns JOIN sqlogue.sessions ON sessions.id = turns.session";

/// A turn's row, before what is in it was understood.
struct TurnRow {
    id: i64,
    run: Option<RunId>,
    session: String,
    number: i64,
    header: Header,
    mark: String,
    input: String,
    status: Option<String>,
    query: Option<String>,
    last_step: Option<u32>,
}

fn small(row: &Row, name: &str) -> Result<u32, Error> {
    row.try_get::<_, i64>(name).map(|number| u32::try_from(number).unwrap_or_default())
}

fn turn_row(row: &Row) -> Result<TurnRow, Error> {
    let text = |name: &str| row.try_get::<_, &str>(name).map(Into::into);
    Ok(TurnRow {
        id: row.try_get("id")?,
        run: run_of(Some(row.try_get("run")?)),
        session: row.try_get("session")?,
        number: row.try_get("number")?,
        header: Header {
            graph: text("graph")?,
            fingerprint: text("fingerprint")?,
            state_version: small(row, "state_version")?,
            parent: run_of(row.try_get("parent_run")?),
            snapshot: None,
            since_snapshot: small(row, "since_snapshot")?,
            at: Timestamp::from_microsecond(row.try_get("at")?).unwrap_or_default(),
        },
        mark: row.try_get("mark")?,
        input: row.try_get("input")?,
        status: row.try_get("status")?,
        query: row.try_get("query")?,
        last_step: row.try_get::<_, Option<i64>>("last_step")?.and_then(|step| u32::try_from(step).ok()),
    })
}

fn to_info(row: TurnRow) -> Result<TurnInfo, StoreError> {
    let run = row.run.ok_or_else(|| StoreError::Other("a turn has no id".into()))?;
    Ok(TurnInfo {
        run,
        session: row.session,
        parent: row.header.parent,
        number: u64::try_from(row.number).unwrap_or_default(),
        at: row.header.at,
        mark: from_json(run, &row.mark)?,
        input: row.input,
        status: row.status,
        query: row.query,
        steps: row.last_step.map_or(0, |last| last + 1),
    })
}

async fn row_of(transaction: &Transaction<'_>, run: RunId) -> Result<Option<TurnRow>, StoreError> {
    let uuid = run.uuid();
    let bytes = uuid.as_bytes().as_slice();
    let row = transaction.query_opt(&format!("{SELECT} WHERE run = $1"), &[&bytes]).await?;
    Ok(row.as_ref().map(turn_row).transpose()?)
}

/// The number of a turn's row.
pub(super) async fn find(transaction: &Transaction<'_>, run: RunId) -> Result<Option<i64>, StoreError> {
    let uuid = run.uuid();
    let bytes = uuid.as_bytes().as_slice();
    let row = transaction.query_opt("SELECT id FROM sqlogue.turns WHERE run = $1", &[&bytes]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

pub(super) async fn info(transaction: &Transaction<'_>, run: RunId) -> Result<Option<TurnInfo>, StoreError> {
    row_of(transaction, run).await?.map(to_info).transpose()
}

pub(super) async fn of_session(
    transaction: &Transaction<'_>,
    session: &str,
) -> Result<Vec<TurnInfo>, StoreError> {
    let (session, _) = sessions::known(transaction, session).await?;
    let query = format!(
        "WITH RECURSIVE tree (id) AS (
             SELECT ends.id FROM (
                 SELECT id FROM sqlogue.turns WHERE session = $1 UNION
                 SELECT head FROM sqlogue.sessions WHERE id = $1 AND head IS NOT NULL UNION
                 SELECT tip FROM sqlogue.sessions WHERE id = $1 AND tip IS NOT NULL
             ) ends UNION
             SELECT parent FROM sqlogue.turns JOIN tree USING (id) WHERE parent IS NOT NULL
         )
         {SELECT} WHERE turns.id IN (SELECT id FROM tree) ORDER BY turns.id"
    );
    let rows = transaction.query(&query, &[&session]).await?;
    rows.iter().map(|row| to_info(turn_row(row)?)).collect()
}

pub(super) async fn unfinished(
    transaction: &Transaction<'_>,
    session: &str,
) -> Result<Vec<TurnInfo>, StoreError> {
    let (session, _) = sessions::known(transaction, session).await?;
    let query = format!("{SELECT} WHERE turns.session = $1 AND mark <> '\"finished\"' ORDER BY turns.id");
    let rows = transaction.query(&query, &[&session]).await?;
    rows.iter().map(|row| to_info(turn_row(row)?)).collect()
}

pub(super) async fn summary(
    transaction: &Transaction<'_>,
    run: RunId,
) -> Result<Option<Summary>, StoreError> {
    let Some(row) = row_of(transaction, run).await? else { return Ok(None) };
    let mark = from_json(run, &row.mark)?;
    Ok(Some(Summary { run, header: row.header, mark, last_step: row.last_step }))
}

pub(super) async fn record(
    transaction: &Transaction<'_>,
    run: RunId,
) -> Result<Option<RunRecord>, StoreError> {
    let Some(row) = row_of(transaction, run).await? else { return Ok(None) };
    let snapshot = transaction
        .query_one("SELECT snapshot FROM sqlogue.turns WHERE id = $1", &[&row.id])
        .await?
        .try_get::<_, Option<String>>(0)?;
    let rows = transaction
        .query(
            "SELECT step, node, changes, moved, at, took_us FROM sqlogue.steps WHERE turn = $1 ORDER BY step",
            &[&row.id],
        )
        .await?;
    let mut steps = Vec::with_capacity(rows.len());
    for step in &rows {
        let Moved { decided, next, budgets } = from_json(run, step.try_get("moved")?)?;
        steps.push(StepRecord {
            step: small(step, "step")?,
            node: step.try_get::<_, &str>("node")?.into(),
            changes: step.try_get("changes")?,
            decided,
            next,
            budgets,
            at: Timestamp::from_microsecond(step.try_get("at")?).unwrap_or_default(),
            took_us: u64::try_from(step.try_get::<_, i64>("took_us")?).unwrap_or_default(),
        });
    }
    let mark = from_json(run, &row.mark)?;
    Ok(Some(RunRecord { header: Header { snapshot, ..row.header }, steps, mark }))
}

pub(super) async fn write(
    transaction: &Transaction<'_>,
    session: &str,
    entry: &Entry,
    digest: &Digest,
) -> Result<(), StoreError> {
    let run = entry.run;
    if let Some(header) = &entry.header {
        begin(transaction, session, run, header, digest).await?;
    }
    let turn = row_of(transaction, run).await?.ok_or(StoreError::UnknownTurn { run })?;
    if turn.last_step != entry.after {
        let step = entry.steps.first().map_or_else(|| turn.last_step.unwrap_or(0), |step| step.step);
        return Err(StoreError::TurnConflict { run, step });
    }
    for step in &entry.steps {
        let StepRecord { step: number, node, changes, decided, next, budgets, at, took_us } = step;
        let moved = Moved { decided: decided.clone(), next: next.clone(), budgets: budgets.clone() };
        let took_us = i64::try_from(*took_us).unwrap_or(i64::MAX);
        let inserted = transaction
            .execute(
                "INSERT INTO sqlogue.steps (turn, step, node, changes, moved, at, took_us)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                &[
                    &turn.id,
                    &i64::from(*number),
                    &&**node,
                    changes,
                    &to_json(&moved)?,
                    &at.as_microsecond(),
                    &took_us,
                ],
            )
            .await;
        conflict(inserted, run, *number)?;
    }
    let query = digest.query.as_ref().map(|query| query.replace('\0', ""));
    if digest.status.is_some() || query.is_some() {
        transaction
            .execute(
                "UPDATE sqlogue.turns SET status = coalesce($2, status), query = coalesce($3, query) WHERE id = $1",
                &[&turn.id, &digest.status, &query],
            )
            .await?;
    }
    if let Some(mark) = &entry.mark {
        if *mark == Mark::Finished {
            let at = entry.steps.last().map_or(turn.header.at, |step| step.at);
            finish(transaction, session, run, &turn, at).await?;
        }
        transaction
            .execute("UPDATE sqlogue.turns SET mark = $2 WHERE id = $1", &[&turn.id, &to_json(mark)?])
            .await?;
    }
    Ok(())
}

/// Writing what is written already is a conflict.
fn conflict(inserted: Result<u64, Error>, run: RunId, step: u32) -> Result<(), StoreError> {
    match inserted {
        Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {
            Err(StoreError::TurnConflict { run, step })
        }
        inserted => {
            inserted?;
            Ok(())
        }
    }
}

/// Begins a turn, and its session where there is none yet.
async fn begin(
    transaction: &Transaction<'_>,
    name: &str,
    run: RunId,
    header: &Header,
    digest: &Digest,
) -> Result<(), StoreError> {
    if find(transaction, run).await?.is_some() {
        return Err(StoreError::TurnConflict { run, step: 0 });
    }
    let said = digest.input.as_deref().unwrap_or_default().replace('\0', "");
    let (session, known) = match sessions::find(transaction, name).await? {
        Some(found) => found,
        None => {
            let new = NewSession {
                id: name.to_owned(),
                database: header.snapshot.as_deref().map_or_else(String::new, database_of),
                title: title(&said),
                at: header.at,
                position: Position::default(),
                read_only: false,
            };
            sessions::create(transaction, &new).await?;
            sessions::known(transaction, name).await?
        }
    };
    if known.read_only {
        return Err(StoreError::ReadOnlySession { id: name.to_owned() });
    }
    sessions::stands_at(&known, header.parent)?;
    if known.title.is_empty() {
        transaction
            .execute("UPDATE sqlogue.sessions SET title = $2 WHERE id = $1", &[&session, &title(&said)])
            .await?;
    }
    let parent = match header.parent {
        Some(parent) => find(transaction, parent).await?,
        None => None,
    };
    let parent_run = header.parent.map(|parent| parent.uuid().as_bytes().to_vec());
    let inserted = transaction
        .execute(
            "INSERT INTO sqlogue.turns (run, session, parent, parent_run, number, graph, fingerprint,
                                        state_version, since_snapshot, at, mark, input, snapshot)
             VALUES ($1, $2, $3, $4, 1 + coalesce((SELECT number FROM sqlogue.turns WHERE id = $3), 0),
                     $5, $6, $7, $8, $9, '\"running\"', $10, $11)",
            &[
                &run.uuid().as_bytes().to_vec(),
                &session,
                &parent,
                &parent_run,
                &&*header.graph,
                &&*header.fingerprint,
                &i64::from(header.state_version),
                &i64::from(header.since_snapshot),
                &header.at.as_microsecond(),
                &said,
                &header.snapshot,
            ],
        )
        .await;
    conflict(inserted, run, 0)
}

/// Moves the session's pointers to a turn that is done, if they still stand where it began.
async fn finish(
    transaction: &Transaction<'_>,
    session: &str,
    run: RunId,
    turn: &TurnRow,
    at: Timestamp,
) -> Result<(), StoreError> {
    let (row, session) = sessions::known(transaction, session).await?;
    if from_json::<Mark>(run, &turn.mark)? == Mark::Finished {
        return Err(StoreError::TurnConflict { run, step: turn.last_step.unwrap_or(0) });
    }
    sessions::stands_at(&session, turn.header.parent)?;
    transaction
        .execute(
            "UPDATE sqlogue.sessions SET head = $2, tip = $2, updated = greatest(updated, $3) WHERE id = $1",
            &[&row, &turn.id, &at.as_microsecond()],
        )
        .await?;
    Ok(())
}

async fn unfinished_row(transaction: &Transaction<'_>, run: RunId) -> Result<Option<i64>, StoreError> {
    match row_of(transaction, run).await? {
        Some(row) if from_json::<Mark>(run, &row.mark)? == Mark::Finished => {
            Err(StoreError::Finished { run })
        }
        row => Ok(row.map(|row| row.id)),
    }
}

pub(super) async fn rewind(transaction: &Transaction<'_>, run: RunId, steps: u32) -> Result<(), StoreError> {
    let turn = unfinished_row(transaction, run).await?.ok_or(StoreError::UnknownTurn { run })?;
    transaction
        .execute("DELETE FROM sqlogue.steps WHERE turn = $1 AND step >= $2", &[&turn, &i64::from(steps)])
        .await?;
    let running = to_json(&Mark::Running)?;
    transaction
        .execute("UPDATE sqlogue.turns SET mark = $2, status = NULL WHERE id = $1", &[&turn, &running])
        .await?;
    Ok(())
}

pub(super) async fn drop_turn(transaction: &Transaction<'_>, run: RunId) -> Result<bool, StoreError> {
    let Some(turn) = unfinished_row(transaction, run).await? else { return Ok(false) };
    transaction.execute("DELETE FROM sqlogue.steps WHERE turn = $1", &[&turn]).await?;
    transaction.execute("DELETE FROM sqlogue.turns WHERE id = $1", &[&turn]).await?;
    Ok(true)
}

/// How many bytes the texts of all turns have. What the server needs for them changes only when it vacuums.
pub(super) async fn size(transaction: &Transaction<'_>) -> Result<u64, StoreError> {
    let row = transaction
        .query_one(
            "SELECT (SELECT coalesce(sum(octet_length(changes) + octet_length(moved)), 0)::bigint FROM sqlogue.steps)
                  + (SELECT coalesce(sum(octet_length(input) + coalesce(octet_length(snapshot), 0)), 0)::bigint
                     FROM sqlogue.turns)",
            &[],
        )
        .await?;
    Ok(u64::try_from(row.try_get::<_, i64>(0)?).unwrap_or_default())
}
