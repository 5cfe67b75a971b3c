//! Turns and their steps read from SQLite.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};
use uuid::Uuid;

use super::super::row::{Moved, from_json};
use super::super::{Session, StoreError, TurnInfo};
use super::sessions;
use crate::graph::RunId;
use crate::graph::journal::{Header, RunRecord, StepRecord, Summary};

/// So many bits of a step's id are its number.
pub(super) const STEP_BITS: u32 = 20;

const COLUMNS: &str = "
    SELECT turns.id, run, sessions.name AS session, parent_run, number, graph, fingerprint, state_version,
           since_snapshot, at, mark, input, status, query";

const FROM: &str = "FROM turns JOIN sessions ON sessions.id = turns.session";

/// A turn's row, before what is in it was understood.
pub(super) struct TurnRow {
    pub(super) id: i64,
    run: RunId,
    session: String,
    number: i64,
    pub(super) header: Header,
    pub(super) mark: String,
    input: String,
    status: Option<String>,
    query: Option<String>,
}

fn turn_row(row: &Row<'_>) -> rusqlite::Result<TurnRow> {
    let run = |bytes: [u8; 16]| RunId::new(Uuid::from_bytes(bytes));
    Ok(TurnRow {
        id: row.get("id")?,
        run: run(row.get("run")?),
        session: row.get("session")?,
        number: row.get("number")?,
        header: Header {
            graph: row.get("graph")?,
            fingerprint: row.get("fingerprint")?,
            state_version: row.get("state_version")?,
            parent: row.get::<_, Option<[u8; 16]>>("parent_run")?.map(run),
            snapshot: None,
            since_snapshot: row.get("since_snapshot")?,
            at: Timestamp::from_microsecond(row.get("at")?).unwrap_or_default(),
        },
        mark: row.get("mark")?,
        input: row.get("input")?,
        status: row.get("status")?,
        query: row.get("query")?,
    })
}

pub(super) fn row_of(connection: &Connection, turn: i64) -> Result<Option<TurnRow>, StoreError> {
    let mut select = connection.prepare_cached(&format!("{COLUMNS} {FROM} WHERE turns.id = ?1"))?;
    Ok(select.query_row([turn], turn_row).optional()?)
}

pub(super) fn row_of_run(connection: &Connection, run: RunId) -> Result<Option<TurnRow>, StoreError> {
    let mut select = connection.prepare_cached(&format!("{COLUMNS} {FROM} WHERE run = ?1"))?;
    Ok(select.query_row([run.uuid().as_bytes()], turn_row).optional()?)
}

fn to_info(connection: &Connection, row: TurnRow) -> Result<TurnInfo, StoreError> {
    let steps = last_step(connection, row.id)?.map_or(0, |last| last + 1);
    Ok(TurnInfo {
        run: row.run,
        session: row.session,
        parent: row.header.parent,
        number: u64::try_from(row.number).unwrap_or_default(),
        at: row.header.at,
        mark: from_json(row.run, &row.mark)?,
        input: row.input,
        status: row.status,
        query: row.query,
        steps,
    })
}

pub(super) fn info(connection: &Connection, run: RunId) -> Result<Option<TurnInfo>, StoreError> {
    row_of_run(connection, run)?.map(|row| to_info(connection, row)).transpose()
}

pub(super) fn of_session(connection: &Connection, session: &str) -> Result<Vec<TurnInfo>, StoreError> {
    let (session, _): (i64, Session) = sessions::known(connection, session)?;
    // A cross join keeps SQLite from going through all turns of all sessions to look for those of the tree.
    let mut select = connection.prepare_cached(&format!(
        "WITH RECURSIVE tree (id) AS (
             SELECT id FROM turns WHERE session = ?1 UNION
             SELECT head FROM sessions WHERE id = ?1 AND head IS NOT NULL UNION
             SELECT tip FROM sessions WHERE id = ?1 AND tip IS NOT NULL UNION
             SELECT parent FROM turns JOIN tree USING (id) WHERE parent IS NOT NULL
         )
         {COLUMNS} FROM tree CROSS JOIN turns ON turns.id = tree.id
         JOIN sessions ON sessions.id = turns.session ORDER BY turns.id"
    ))?;
    let rows = select.query_map([session], turn_row)?.collect::<Result<Vec<_>, _>>()?;
    rows.into_iter().map(|row| to_info(connection, row)).collect()
}

pub(super) fn unfinished(connection: &Connection, session: &str) -> Result<Vec<TurnInfo>, StoreError> {
    let (session, _): (i64, Session) = sessions::known(connection, session)?;
    let mut select = connection.prepare_cached(&format!(
        "{COLUMNS} {FROM} WHERE turns.session = ?1 AND mark <> '\"finished\"' ORDER BY turns.id"
    ))?;
    let rows = select.query_map([session], turn_row)?.collect::<Result<Vec<_>, _>>()?;
    rows.into_iter().map(|row| to_info(connection, row)).collect()
}

pub(super) fn summary(connection: &Connection, run: RunId) -> Result<Option<Summary>, StoreError> {
    let Some(row) = row_of_run(connection, run)? else { return Ok(None) };
    let last_step = last_step(connection, row.id)?;
    Ok(Some(Summary { run, header: row.header, mark: from_json(run, &row.mark)?, last_step }))
}

pub(super) fn record(connection: &Connection, run: RunId) -> Result<Option<RunRecord>, StoreError> {
    let Some(row) = row_of_run(connection, run)? else { return Ok(None) };
    let snapshot = connection
        .prepare_cached("SELECT state FROM snapshots WHERE id = ?1")?
        .query_row([row.id], |row| row.get(0))
        .optional()?;
    let (first, last) = step_range(row.id);
    let mut select = connection.prepare_cached(
        "SELECT id, node, changes, moved, at, took_us FROM steps WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    )?;
    let mut rows = select.query([first, last])?;
    let mut steps = Vec::new();
    while let Some(row) = rows.next()? {
        let number: i64 = row.get("id")?;
        let Moved { decided, next, budgets } =
            from_json(run, row.get_ref("moved")?.as_str().unwrap_or_default())?;
        let took_us: i64 = row.get("took_us")?;
        steps.push(StepRecord {
            step: u32::try_from(number - first).unwrap_or_default(),
            node: row.get("node")?,
            changes: row.get("changes")?,
            decided,
            next,
            budgets,
            at: Timestamp::from_microsecond(row.get("at")?).unwrap_or_default(),
            took_us: u64::try_from(took_us).unwrap_or_default(),
        });
    }
    let mark = from_json(run, &row.mark)?;
    Ok(Some(RunRecord { header: Header { snapshot, ..row.header }, steps, mark }))
}

/// The number of a turn's row.
pub(super) fn find(connection: &Connection, run: RunId) -> Result<Option<i64>, StoreError> {
    let mut select = connection.prepare_cached("SELECT id FROM turns WHERE run = ?1")?;
    Ok(select.query_row([run.uuid().as_bytes()], |row| row.get(0)).optional()?)
}

pub(super) fn last_step(connection: &Connection, turn: i64) -> Result<Option<u32>, StoreError> {
    let (first, last) = step_range(turn);
    let step = connection
        .prepare_cached("SELECT max(id) FROM steps WHERE id BETWEEN ?1 AND ?2")?
        .query_row([first, last], |row| row.get::<_, Option<i64>>(0))?;
    Ok(step.and_then(|step| u32::try_from(step - first).ok()))
}

pub(super) fn step_range(turn: i64) -> (i64, i64) {
    (turn << STEP_BITS, (turn << STEP_BITS) + (1 << STEP_BITS) - 1)
}
