//! Turns and their steps written to SQLite.

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, named_params, params};

use super::super::digest::{Digest, title};
use super::super::model::NewSession;
use super::super::row::{Moved, database_of, from_json, to_json};
use super::super::{Position, StoreError};
use super::records::{STEP_BITS, find, last_step, row_of, row_of_run, step_range};
use super::sessions;
use crate::graph::RunId;
use crate::graph::journal::{Entry, Header, Mark, StepRecord};

pub(super) fn write(
    connection: &Connection,
    session: &str,
    entry: &Entry,
    digest: &Digest,
) -> Result<(), StoreError> {
    let run = entry.run;
    let turn = match &entry.header {
        Some(header) => begin(connection, session, run, header, digest)?,
        None => find(connection, run)?.ok_or(StoreError::UnknownTurn { run })?,
    };
    let last = last_step(connection, turn)?;
    if last != entry.after {
        let step = entry.steps.first().map_or_else(|| last.unwrap_or(0), |step| step.step);
        return Err(StoreError::TurnConflict { run, step });
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO steps (id, node, changes, moved, at, took_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for step in &entry.steps {
        let StepRecord { step: number, node, changes, decided, next, budgets, at, took_us } = step;
        let moved = Moved { decided: decided.clone(), next: next.clone(), budgets: budgets.clone() };
        let id = step_id(run, turn, *number)?;
        let took_us = i64::try_from(*took_us).unwrap_or(i64::MAX);
        let inserted =
            insert.execute(params![id, &**node, changes, to_json(&moved)?, at.as_microsecond(), took_us]);
        match inserted {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                return Err(StoreError::TurnConflict { run, step: *number });
            }
            inserted => inserted?,
        };
    }
    if digest.status.is_some() || digest.query.is_some() {
        connection
            .prepare_cached(
                "UPDATE turns SET status = coalesce(?2, status), query = coalesce(?3, query) WHERE id = ?1",
            )?
            .execute(params![turn, digest.status, digest.query])?;
    }
    if let Some(mark) = &entry.mark {
        if *mark == Mark::Finished {
            let at = entry.steps.last().map(|step| step.at);
            finish(connection, session, run, turn, at)?;
        }
        connection
            .prepare_cached("UPDATE turns SET mark = ?2 WHERE id = ?1")?
            .execute(params![turn, to_json(mark)?])?;
    }
    Ok(())
}

/// Begins a turn, and its session where there is none yet.
fn begin(
    connection: &Connection,
    name: &str,
    run: RunId,
    header: &Header,
    digest: &Digest,
) -> Result<i64, StoreError> {
    if find(connection, run)?.is_some() {
        return Err(StoreError::TurnConflict { run, step: 0 });
    }
    let said = digest.input.as_deref().unwrap_or_default();
    let (session, known) = match sessions::find(connection, name)? {
        Some(found) => found,
        None => {
            let new = NewSession {
                id: name.to_owned(),
                database: header.snapshot.as_deref().map_or_else(String::new, database_of),
                title: title(said),
                at: header.at,
                position: Position::default(),
                read_only: false,
            };
            sessions::create(connection, &new)?;
            sessions::known(connection, name)?
        }
    };
    if known.read_only {
        return Err(StoreError::ReadOnlySession { id: name.to_owned() });
    }
    sessions::stands_at(&known, header.parent)?;
    if known.title.is_empty() {
        connection
            .prepare_cached("UPDATE sessions SET title = ?2 WHERE id = ?1")?
            .execute(params![session, title(said)])?;
    }
    let parent = header.parent.map(|parent| find(connection, parent)).transpose()?.flatten();
    connection
        .prepare_cached(
            "INSERT INTO turns (run, session, parent, parent_run, number, graph, fingerprint, state_version,
                                since_snapshot, at, mark, input)
             VALUES (:run, :session, :parent, :parent_run,
                     1 + coalesce((SELECT number FROM turns WHERE id = :parent), 0), :graph, :fingerprint,
                     :state_version, :since_snapshot, :at, '\"running\"', :input)",
        )?
        .execute(named_params! {
            ":run": run.uuid().as_bytes(),
            ":session": session,
            ":parent": parent,
            ":parent_run": header.parent.map(|parent| parent.uuid().into_bytes()),
            ":graph": &*header.graph,
            ":fingerprint": &*header.fingerprint,
            ":state_version": header.state_version,
            ":since_snapshot": header.since_snapshot,
            ":at": header.at.as_microsecond(),
            ":input": said,
        })?;
    let turn = connection.last_insert_rowid();
    if let Some(snapshot) = &header.snapshot {
        connection
            .prepare_cached("INSERT INTO snapshots (id, state) VALUES (?1, ?2)")?
            .execute(params![turn, snapshot])?;
    }
    Ok(turn)
}

/// Moves the session's pointers to a turn that is done, if they still stand where it began.
fn finish(
    connection: &Connection,
    session: &str,
    run: RunId,
    turn: i64,
    at: Option<Timestamp>,
) -> Result<(), StoreError> {
    let (row, session) = sessions::known(connection, session)?;
    let turn_row = row_of(connection, turn)?.ok_or(StoreError::UnknownTurn { run })?;
    if from_json::<Mark>(run, &turn_row.mark)? == Mark::Finished {
        return Err(StoreError::TurnConflict { run, step: last_step(connection, turn)?.unwrap_or(0) });
    }
    sessions::stands_at(&session, turn_row.header.parent)?;
    let at = at.unwrap_or(turn_row.header.at).as_microsecond();
    connection
        .prepare_cached("UPDATE sessions SET head = ?2, tip = ?2, updated = max(updated, ?3) WHERE id = ?1")?
        .execute(params![row, turn, at])?;
    Ok(())
}

fn step_id(run: RunId, turn: i64, step: u32) -> Result<i64, StoreError> {
    if step >> STEP_BITS != 0 {
        return Err(StoreError::damaged(run, format_args!("step {step} is too many")));
    }
    Ok((turn << STEP_BITS) + i64::from(step))
}

pub(super) fn rewind(connection: &Connection, run: RunId, steps: u32) -> Result<(), StoreError> {
    let turn = unfinished(connection, run)?.ok_or(StoreError::UnknownTurn { run })?;
    let (first, last) = step_range(turn);
    connection
        .prepare_cached("DELETE FROM steps WHERE id BETWEEN ?1 AND ?2")?
        .execute([first + i64::from(steps), last])?;
    let running = to_json(&Mark::Running)?;
    connection
        .prepare_cached("UPDATE turns SET mark = ?2, status = NULL WHERE id = ?1")?
        .execute(params![turn, running])?;
    Ok(())
}

pub(super) fn drop_unfinished(connection: &Connection, run: RunId) -> Result<bool, StoreError> {
    let Some(turn) = unfinished(connection, run)? else { return Ok(false) };
    remove(connection, turn)?;
    Ok(true)
}

fn unfinished(connection: &Connection, run: RunId) -> Result<Option<i64>, StoreError> {
    match row_of_run(connection, run)? {
        Some(row) if from_json::<Mark>(run, &row.mark)? == Mark::Finished => {
            Err(StoreError::Finished { run })
        }
        row => Ok(row.map(|row| row.id)),
    }
}

/// Removes a turn with all that belongs to it.
pub(super) fn remove(connection: &Connection, turn: i64) -> Result<(), StoreError> {
    let (first, last) = step_range(turn);
    connection.prepare_cached("DELETE FROM steps WHERE id BETWEEN ?1 AND ?2")?.execute([first, last])?;
    connection.prepare_cached("DELETE FROM snapshots WHERE id = ?1")?.execute([turn])?;
    connection.prepare_cached("DELETE FROM turns WHERE id = ?1")?.execute([turn])?;
    Ok(())
}
