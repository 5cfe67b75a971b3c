//! Sessions in SQLite.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use uuid::Uuid;

use super::super::model::check_id;
use super::super::{NewSession, Position, Session, SessionFilter, StoreError};
use super::{records, turns};
use crate::graph::RunId;

const SELECT: &str = "
    SELECT sessions.id, name, database, title, created, updated, read_only, head.run AS head, tip.run AS tip
    FROM sessions LEFT JOIN turns head ON head.id = sessions.head LEFT JOIN turns tip ON tip.id = sessions.tip";

/// A session and the number of its row.
fn session(row: &Row<'_>) -> rusqlite::Result<(i64, Session)> {
    let time = |name: &str| row.get(name).map(|time| Timestamp::from_microsecond(time).unwrap_or_default());
    let run = |name: &str| {
        row.get::<_, Option<[u8; 16]>>(name).map(|run| run.map(|run| RunId::new(Uuid::from_bytes(run))))
    };
    let session = Session {
        id: row.get("name")?,
        database: row.get("database")?,
        title: row.get("title")?,
        created: time("created")?,
        updated: time("updated")?,
        position: Position { head: run("head")?, tip: run("tip")? },
        read_only: row.get("read_only")?,
    };
    Ok((row.get("id")?, session))
}

pub(super) fn find(connection: &Connection, id: &str) -> Result<Option<(i64, Session)>, StoreError> {
    let mut select = connection.prepare_cached(&format!("{SELECT} WHERE name = ?1"))?;
    Ok(select.query_row([id], session).optional()?)
}

pub(super) fn known(connection: &Connection, id: &str) -> Result<(i64, Session), StoreError> {
    find(connection, id)?.ok_or_else(|| StoreError::UnknownSession { id: id.to_owned() })
}

pub(super) fn list(connection: &Connection, filter: &SessionFilter) -> Result<Vec<Session>, StoreError> {
    let mut select = connection.prepare_cached(&format!(
        "{SELECT}
         WHERE (:database IS NULL OR database = :database) AND (:before IS NULL OR updated < :before)
         ORDER BY updated DESC, sessions.id DESC LIMIT :limit OFFSET :skip"
    ))?;
    let rows = select.query_map(
        named_params! {
            ":database": filter.database,
            ":before": filter.used_before.map(Timestamp::as_microsecond),
            ":limit": filter.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX)),
            ":skip": i64::try_from(filter.skip).unwrap_or(i64::MAX),
        },
        session,
    )?;
    Ok(rows.map(|row| row.map(|(_, session)| session)).collect::<Result<_, _>>()?)
}

pub(super) fn create(connection: &Connection, new: &NewSession) -> Result<Session, StoreError> {
    check_id(&new.id)?;
    if find(connection, &new.id)?.is_some() {
        return Err(StoreError::SessionExists { id: new.id.clone() });
    }
    let (head, tip) = rows_of(connection, new.position)?;
    let at = new.at.as_microsecond();
    connection
        .prepare_cached(
            "INSERT INTO sessions (name, database, title, created, updated, head, tip, read_only)
             VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![new.id, new.database, new.title, at, head, tip, new.read_only])?;
    known(connection, &new.id).map(|(_, session)| session)
}

fn rows_of(connection: &Connection, position: Position) -> Result<(Option<i64>, Option<i64>), StoreError> {
    let row = |run: Option<RunId>| {
        run.map(|run| records::find(connection, run)?.ok_or(StoreError::UnknownTurn { run })).transpose()
    };
    Ok((row(position.head)?, row(position.tip)?))
}

pub(super) fn move_head(
    connection: &Connection,
    id: &str,
    from: Option<RunId>,
    to: Position,
) -> Result<(), StoreError> {
    let (row, session) = known(connection, id)?;
    if session.read_only {
        return Err(StoreError::ReadOnlySession { id: id.to_owned() });
    }
    stands_at(&session, from)?;
    let (head, tip) = rows_of(connection, to)?;
    connection
        .prepare_cached("UPDATE sessions SET head = ?2, tip = ?3 WHERE id = ?1")?
        .execute(params![row, head, tip])?;
    Ok(())
}

pub(super) fn protect(connection: &Connection, id: &str) -> Result<(), StoreError> {
    let (row, _) = known(connection, id)?;
    connection.prepare_cached("UPDATE sessions SET read_only = 1 WHERE id = ?1")?.execute([row])?;
    Ok(())
}

/// Checks that a session stands where the caller thinks it does.
pub(super) fn stands_at(session: &Session, expected: Option<RunId>) -> Result<(), StoreError> {
    let found = session.position.head;
    if found == expected {
        return Ok(());
    }
    Err(StoreError::Conflict { session: session.id.clone(), expected, found })
}

pub(super) fn delete(connection: &Connection, id: &str) -> Result<bool, StoreError> {
    let Some((row, _)) = find(connection, id)? else { return Ok(false) };
    // Turns at which another session stands, or from which it went on, and what led to them, become that session's.
    let mut shared = connection.prepare_cached(
        "SELECT turns.id, sessions.id FROM turns JOIN sessions ON sessions.head = turns.id
         WHERE turns.session = ?1 AND sessions.id <> ?1
         UNION
         SELECT turns.id, sessions.id FROM turns JOIN sessions ON sessions.tip = turns.id
         WHERE turns.session = ?1 AND sessions.id <> ?1
         UNION
         SELECT turns.id, child.session FROM turns JOIN turns child ON child.parent = turns.id
         WHERE turns.session = ?1 AND child.session <> ?1",
    )?;
    let shared = shared.query_map([row], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let shared = shared.collect::<Result<Vec<(i64, i64)>, _>>()?;
    let mut inherit = connection.prepare_cached(
        "WITH RECURSIVE line (id) AS (
             VALUES (?1) UNION
             SELECT parent FROM turns JOIN line USING (id) WHERE parent IS NOT NULL
         )
         UPDATE turns SET session = ?2 WHERE session = ?3 AND id IN line",
    )?;
    for (turn, heir) in shared {
        inherit.execute([turn, heir, row])?;
    }
    let mut rest = connection.prepare_cached("SELECT id FROM turns WHERE session = ?1")?;
    let rest = rest.query_map([row], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    for turn in rest {
        turns::remove(connection, turn)?;
    }
    connection.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([row])?;
    Ok(true)
}
