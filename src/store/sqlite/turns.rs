//! Turns and their steps written to SQLite.

use std::time::Duration;

use rusqlite::{Connection, ErrorCode, named_params, params};

use super::super::digest::{Digest, title};
use super::super::lease::{self, Lease};
use super::super::model::NewSession;
use super::super::row::{GIVEN_UP, SessionRow, TurnRow, database_of, sum_of_text, to_json};
use super::super::{Position, StoreError};
use super::records::{self, STEP_BITS, find, row_of_run, step_range};
use super::sessions;
use crate::graph::RunId;
use crate::graph::journal::{Entry, Header, Mark, Moved, StepRecord};

/// Writes an entry. Where the session has moved on before the turn's end, the turn is given up, and the conflict comes back
/// as what was done.
pub(super) fn write(
    connection: &Connection,
    session: &str,
    entry: &Entry,
    digest: &Digest,
    lease: Duration,
) -> Result<Result<(), StoreError>, StoreError> {
    let run = entry.run;
    let mut turn = match &entry.header {
        Some(header) => begin(connection, session, run, header, digest)?,
        None => row_of_run(connection, run)?.ok_or(StoreError::UnknownTurn { run })?,
    };
    let now = lease::now();
    turn.follows(entry, now)?;
    if entry.mark == Some(Mark::Finished) {
        let mut known = sessions::known(connection, session)?;
        if let Err(conflict) = turn.finish(&mut known.session, entry)? {
            turn.give_up(GIVEN_UP)?;
            update(connection, &turn)?;
            return Ok(Err(conflict));
        }
        sessions::update(connection, &known)?;
    }
    insert_steps(connection, &mut turn, &entry.steps)?;
    turn.take(entry, digest, Lease::mine(now, lease))?;
    update(connection, &turn)?;
    Ok(Ok(()))
}

fn insert_steps(connection: &Connection, turn: &mut TurnRow, steps: &[StepRecord]) -> Result<(), StoreError> {
    let run = turn.run;
    let mut insert = connection.prepare_cached(
        "INSERT INTO steps (id, node, changes, walk, at, took_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for step in steps {
        let StepRecord { step: number, node, changes, at, took_us, .. } = step;
        let moved = to_json(&Moved::by(step))?;
        let id = step_id(run, turn.id, *number)?;
        let took_us = i64::try_from(*took_us).unwrap_or(i64::MAX);
        let inserted = insert.execute(params![id, &**node, changes, moved, at.as_microsecond(), took_us]);
        match inserted {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                return Err(StoreError::TurnConflict { run, step: *number });
            }
            inserted => inserted?,
        };
        turn.add(step, &moved);
    }
    Ok(())
}

/// Writes what can change of a turn, and its checksum.
pub(super) fn update(connection: &Connection, row: &TurnRow) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "UPDATE turns SET session = :session, mark = :mark, status = :status, query = :query,
                              snapshot_sum = :snapshot_sum, steps = :steps, steps_sum = :steps_sum, sum = :sum,
                              holder = :holder, lease = :lease
             WHERE id = :id",
        )?
        .execute(named_params! {
            ":id": row.id,
            ":session": row.session,
            ":mark": row.mark,
            ":status": row.status,
            ":query": row.query,
            ":snapshot_sum": row.snapshot_sum,
            ":steps": row.steps,
            ":steps_sum": row.steps_sum,
            ":sum": row.summed(),
            ":holder": row.lease.holder,
            ":lease": row.lease.until,
        })?;
    Ok(())
}

/// Begins a turn, and its session where there is none yet.
fn begin(
    connection: &Connection,
    name: &str,
    run: RunId,
    header: &Header,
    digest: &Digest,
) -> Result<TurnRow, StoreError> {
    if find(connection, run)?.is_some() {
        return Err(StoreError::TurnConflict { run, step: 0 });
    }
    let said = digest.input.clone().unwrap_or_default();
    let mut known = match sessions::find(connection, name)? {
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
            sessions::create(connection, &new)?
        }
    };
    if known.session.read_only {
        return Err(StoreError::ReadOnlySession { id: name.to_owned() });
    }
    known.session.stands_at(header.parent)?;
    if known.session.title.is_empty() {
        known.session.title = title(&said);
    }
    known.turns += 1;
    sessions::update(connection, &known)?;
    let row = new_row(connection, &known, run, header, said)?;
    connection
        .prepare_cached(
            "INSERT INTO turns (id, run, session, parent, parent_run, number, graph, fingerprint, state_version,
                                since_snapshot, at, mark, input)
             VALUES (:id, :run, :session, :parent, :parent_run, :number, :graph, :fingerprint, :state_version,
                     :since_snapshot, :at, :mark, :input)",
        )?
        .execute(named_params! {
            ":id": row.id,
            ":run": run.uuid().as_bytes(),
            ":session": row.session,
            ":parent": row.parent,
            ":parent_run": header.parent.map(|parent| parent.uuid().into_bytes()),
            ":number": row.number,
            ":graph": &*header.graph,
            ":fingerprint": &*header.fingerprint,
            ":state_version": header.state_version,
            ":since_snapshot": header.since_snapshot,
            ":at": header.at.as_microsecond(),
            ":mark": row.mark,
            ":input": row.input,
        })?;
    if let Some(snapshot) = &header.snapshot {
        connection
            .prepare_cached("INSERT INTO snapshots (id, state) VALUES (?1, ?2)")?
            .execute(params![row.id, snapshot])?;
    }
    Ok(row)
}

/// The row of a turn that begins.
fn new_row(
    connection: &Connection,
    session: &SessionRow,
    run: RunId,
    header: &Header,
    input: String,
) -> Result<TurnRow, StoreError> {
    let parent = header.parent.map(|parent| row_of_run(connection, parent)).transpose()?.flatten();
    let id = connection.query_row("SELECT coalesce(max(id), 0) + 1 FROM turns", [], |row| row.get(0))?;
    Ok(TurnRow {
        id,
        run,
        session: session.id,
        session_id: Some(session.session.id.clone()),
        parent: parent.as_ref().map(|parent| parent.id),
        number: parent.map_or(0, |parent| parent.number) + 1,
        header: Header { snapshot: None, ..header.clone() },
        mark: to_json(&Mark::Running)?,
        input,
        status: None,
        query: None,
        snapshot_sum: header.snapshot.as_deref().map(sum_of_text),
        steps: 0,
        steps_sum: 0,
        sum: 0,
        lease: Lease::default(),
    })
}

fn step_id(run: RunId, turn: i64, step: u32) -> Result<i64, StoreError> {
    if step >> STEP_BITS != 0 {
        return Err(StoreError::damaged(run, format_args!("step {step} is too many")));
    }
    Ok((turn << STEP_BITS) + i64::from(step))
}

pub(super) fn rewind(connection: &Connection, run: RunId, steps: u32) -> Result<(), StoreError> {
    let turn = row_of_run(connection, run)?.ok_or(StoreError::UnknownTurn { run })?;
    let turn = turn.at_rest(lease::now())?;
    let kept = records::steps(connection, &turn)?;
    let (first, last) = step_range(turn.id);
    connection
        .prepare_cached("DELETE FROM steps WHERE id BETWEEN ?1 AND ?2")?
        .execute([first + i64::from(steps), last])?;
    update(connection, &turn.rewound(&kept, steps)?)
}

pub(super) fn drop_unfinished(connection: &Connection, run: RunId) -> Result<bool, StoreError> {
    let Some(turn) = row_of_run(connection, run)? else { return Ok(false) };
    let turn = turn.at_rest(lease::now())?;
    remove(connection, turn.id)?;
    if let Some(mut session) = sessions::unchecked(connection, turn.session)?.filter(SessionRow::is_sound) {
        session.turns -= 1;
        sessions::update(connection, &session)?;
    }
    Ok(true)
}

pub(super) fn give_up(connection: &Connection, run: RunId, reason: &str) -> Result<bool, StoreError> {
    let Some(turn) = row_of_run(connection, run)? else { return Ok(false) };
    let mut turn = turn.unfinished()?;
    turn.give_up(reason)?;
    update(connection, &turn)?;
    Ok(true)
}

pub(super) fn hold(connection: &Connection, run: RunId, lease: Duration) -> Result<(), StoreError> {
    let turn = row_of_run(connection, run)?.ok_or(StoreError::UnknownTurn { run })?;
    let now = lease::now();
    let turn = turn.open_to_me(now)?;
    let Lease { holder, until } = Lease::mine(now, lease);
    connection
        .prepare_cached("UPDATE turns SET holder = ?2, lease = ?3 WHERE id = ?1")?
        .execute(params![turn.id, holder, until])?;
    Ok(())
}

/// Makes a turn another session's. One that is damaged stays so.
pub(super) fn inherit(connection: &Connection, turn: i64, heir: i64) -> Result<(), StoreError> {
    let sound = records::unchecked(connection, turn).map(|row| row.map(TurnRow::checked));
    match sound {
        Ok(Some(Ok(row))) => update(connection, &TurnRow { session: heir, ..row })?,
        Ok(None) => return Ok(()),
        Ok(Some(Err(StoreError::Damaged { .. }))) | Err(StoreError::Damaged { .. }) => {
            connection
                .prepare_cached("UPDATE turns SET session = ?2 WHERE id = ?1")?
                .execute(params![turn, heir])?;
        }
        Ok(Some(Err(error))) | Err(error) => return Err(error),
    }
    if let Some(mut session) = sessions::unchecked(connection, heir)?.filter(SessionRow::is_sound) {
        session.turns += 1;
        sessions::update(connection, &session)?;
    }
    Ok(())
}

/// Removes a turn with all that belongs to it.
pub(super) fn remove(connection: &Connection, turn: i64) -> Result<(), StoreError> {
    let (first, last) = step_range(turn);
    connection.prepare_cached("DELETE FROM steps WHERE id BETWEEN ?1 AND ?2")?.execute([first, last])?;
    connection.prepare_cached("DELETE FROM snapshots WHERE id = ?1")?.execute([turn])?;
    connection.prepare_cached("DELETE FROM turns WHERE id = ?1")?.execute([turn])?;
    Ok(())
}
