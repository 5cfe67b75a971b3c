//! Sessions in SQLite.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::super::model::check_id;
use super::super::row::{SessionRow, key_of};
use super::super::{NewSession, Position, SessionFilter, StoreError, StoredSession};
use super::format::run_of;
use super::{records, turns};
use crate::graph::RunId;

const SELECT: &str = "
    SELECT id, name, database, title, created, updated, read_only, head_run, tip_run, turns, sum FROM sessions";

fn session_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let time = |name: &str| row.get(name).map(|time| Timestamp::from_microsecond(time).unwrap_or_default());
    let run = |name: &str| row.get::<_, Option<[u8; 16]>>(name).map(|run| run.map(run_of));
    let session = StoredSession {
        id: row.get("name")?,
        database: row.get("database")?,
        title: row.get("title")?,
        created: time("created")?,
        updated: time("updated")?,
        position: Position { head: run("head_run")?, tip: run("tip_run")? },
        read_only: row.get("read_only")?,
        damaged: None,
    };
    Ok(SessionRow { id: row.get("id")?, session, turns: row.get("turns")?, sum: row.get("sum")? })
}

/// A session's row, whatever its checksum says.
pub(super) fn unchecked(connection: &Connection, row: i64) -> Result<Option<SessionRow>, StoreError> {
    let mut select = connection.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?;
    Ok(select.query_row([row], session_row).optional()?)
}

/// Two ways to a session, by two indexes: what one of them has lost the other finds.
const BY_NAME_AND_BY_KEY: [&str; 2] = [
    "SELECT id FROM sessions WHERE name = ?1 AND ?2 IS NOT NULL",
    "SELECT id FROM sessions WHERE key = ?2 AND ?1 IS NOT NULL",
];

/// The row of a name, whatever its checksum says; none where there is no such session.
fn look_up(connection: &Connection, id: &str) -> Result<Option<SessionRow>, StoreError> {
    let damaged = |error: rusqlite::Error| match error.sqlite_error_code() {
        None | Some(rusqlite::ErrorCode::DatabaseCorrupt) => StoreError::damaged_session(id),
        Some(_) => error.into(),
    };
    let mut broken = false;
    for query in BY_NAME_AND_BY_KEY {
        let mut select = connection.prepare_cached(query)?;
        let rows = select.query_map(params![id, key_of(id)], |row| row.get(0));
        let rows: Vec<i64> = rows.and_then(Iterator::collect).map_err(damaged)?;
        for row in rows {
            let mut select = connection.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?;
            match select.query_row([row], session_row).optional().map_err(damaged)? {
                Some(found) if found.session.id == id => return Ok(Some(found)),
                // An index that is damaged leads to another session, which is none the worse.
                Some(other) if other.is_sound() => {}
                _ => broken = true,
            }
        }
    }
    if broken { Err(StoreError::damaged_session(id)) } else { Ok(None) }
}

pub(super) fn find(connection: &Connection, id: &str) -> Result<Option<SessionRow>, StoreError> {
    let found = look_up(connection, id)?;
    found.map(|row| if row.is_sound() { Ok(row) } else { Err(StoreError::damaged_session(id)) }).transpose()
}

pub(super) fn known(connection: &Connection, id: &str) -> Result<SessionRow, StoreError> {
    find(connection, id)?.ok_or_else(|| StoreError::UnknownSession { id: id.to_owned() })
}

/// The row of a session, whatever its checksum says: its turns are looked up also where it is damaged itself.
pub(super) fn found(connection: &Connection, id: &str) -> Result<SessionRow, StoreError> {
    look_up(connection, id)?.ok_or_else(|| StoreError::UnknownSession { id: id.to_owned() })
}

pub(super) fn list(
    connection: &Connection,
    filter: &SessionFilter,
) -> Result<Vec<StoredSession>, StoreError> {
    // No index is asked, so that damage in one hides nothing.
    let mut select =
        connection.prepare_cached(&format!("{SELECT} NOT INDEXED ORDER BY updated DESC, id DESC"))?;
    let mut sessions = Vec::new();
    let mut rows = select.query([])?;
    let (mut skip, mut left) = (filter.skip, filter.limit.unwrap_or(usize::MAX));
    while left > 0
        && let Some(row) = rows.next()?
    {
        let session = session_row(row).map_or_else(
            |error| StoredSession::broken(row.get("name").unwrap_or_default(), &error),
            SessionRow::listed,
        );
        if !filter.fits(&session) {
            continue;
        }
        if skip > 0 {
            skip -= 1;
            continue;
        }
        left -= 1;
        sessions.push(session);
    }
    Ok(sessions)
}

pub(super) fn create(connection: &Connection, new: &NewSession) -> Result<SessionRow, StoreError> {
    check_id(&new.id)?;
    if find(connection, &new.id)?.is_some() {
        return Err(StoreError::SessionExists { id: new.id.clone() });
    }
    let NewSession { id, database, title, at, position, read_only } = new.clone();
    check(connection, position)?;
    connection
        .prepare_cached(
            "INSERT INTO sessions (name, database, title, created, updated, read_only, key)
             VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6)",
        )?
        .execute(params![id, database, title, at.as_microsecond(), read_only, key_of(&id)])?;
    // As it is stored, which is to the microsecond.
    let at = Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at);
    let session =
        StoredSession { id, database, title, created: at, updated: at, position, read_only, damaged: None };
    let row = SessionRow { id: connection.last_insert_rowid(), session, turns: 0, sum: 0 };
    update(connection, &row)?;
    Ok(row)
}

/// Writes what can change of a session, and its checksum.
pub(super) fn update(connection: &Connection, row: &SessionRow) -> Result<(), StoreError> {
    let StoredSession { title, updated, position, read_only, .. } = &row.session;
    let run = |run: Option<RunId>| run.map(|run| run.uuid().into_bytes());
    connection
        .prepare_cached(
            "UPDATE sessions SET title = ?2, updated = ?3, head_run = ?4, tip_run = ?5, read_only = ?6, turns = ?7,
                                 sum = ?8
             WHERE id = ?1",
        )?
        .execute(params![
            row.id,
            title,
            updated.as_microsecond(),
            run(position.head),
            run(position.tip),
            read_only,
            row.turns,
            row.summed()
        ])?;
    Ok(())
}

/// Checks that there are the turns at which a session is to stand.
fn check(connection: &Connection, position: Position) -> Result<(), StoreError> {
    for run in [position.head, position.tip].into_iter().flatten() {
        records::find(connection, run)?.ok_or(StoreError::UnknownTurn { run })?;
    }
    Ok(())
}

pub(super) fn move_head(
    connection: &Connection,
    id: &str,
    from: Option<RunId>,
    to: Position,
) -> Result<(), StoreError> {
    let mut row = known(connection, id)?;
    if row.session.read_only {
        return Err(StoreError::ReadOnlySession { id: id.to_owned() });
    }
    row.session.stands_at(from)?;
    check(connection, to)?;
    row.session.position = to;
    update(connection, &row)
}

pub(super) fn protect(connection: &Connection, id: &str) -> Result<(), StoreError> {
    let mut row = known(connection, id)?;
    row.session.read_only = true;
    update(connection, &row)
}

/// Deletes a session. One that is damaged can be deleted too.
pub(super) fn delete(connection: &Connection, id: &str) -> Result<bool, StoreError> {
    let Some(SessionRow { id: row, .. }) = look_up(connection, id)? else { return Ok(false) };
    // Turns at which another session stands, or from which it went on, and what led to them, become that session's.
    let mut shared = connection.prepare_cached(
        "SELECT turns.id, sessions.id FROM turns JOIN sessions ON sessions.head_run = turns.run
         WHERE turns.session = ?1 AND sessions.id <> ?1
         UNION
         SELECT turns.id, sessions.id FROM turns JOIN sessions ON sessions.tip_run = turns.run
         WHERE turns.session = ?1 AND sessions.id <> ?1
         UNION
         SELECT turns.id, child.session FROM turns JOIN turns child ON child.parent = turns.id
         WHERE turns.session = ?1 AND child.session <> ?1",
    )?;
    let shared = shared.query_map([row], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let shared = shared.collect::<Result<Vec<(i64, i64)>, _>>()?;
    let mut line = connection.prepare_cached(
        "WITH RECURSIVE line (id) AS (
             VALUES (?1) UNION
             SELECT parent FROM turns JOIN line USING (id) WHERE parent IS NOT NULL
         )
         SELECT id FROM turns WHERE session = ?2 AND id IN line",
    )?;
    for (turn, heir) in shared {
        let inherited = line.query_map([turn, row], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
        for turn in inherited {
            turns::inherit(connection, turn, heir)?;
        }
    }
    let mut rest = connection.prepare_cached("SELECT id FROM turns WHERE session = ?1")?;
    let rest = rest.query_map([row], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    for turn in rest {
        turns::remove(connection, turn)?;
    }
    connection.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([row])?;
    Ok(true)
}
