//! Turns and their steps read from SQLite, and checked.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};

use super::super::lease::{self, Lease};
use super::super::listing::{self, Turns, named, nobody};
use super::super::row::{TurnRow, named_by, sum_of_text, with_moved};
use super::super::{Position, StoreError, TurnInfo};
use super::format::run_of;
use super::sessions;
use crate::graph::RunId;
use crate::graph::journal::{Frontier, Header, RunRecord, StepRecord, Summary};

/// So many bits of a step's id are its number.
pub(super) const STEP_BITS: u32 = 20;

const SELECT: &str = "
    SELECT turns.id, run, session, sessions.name AS session_id, sessions.key AS session_key, parent, parent_run, number, graph, fingerprint,
           state_version, since_snapshot, at, mark, input, status, query, snapshot_sum, steps, steps_sum, turns.sum,
           holder, lease
    FROM turns LEFT JOIN sessions ON sessions.id = turns.session";

fn turn_row(row: &Row<'_>) -> rusqlite::Result<TurnRow> {
    Ok(TurnRow {
        id: row.get("id")?,
        run: run_of(row.get("run")?),
        session: row.get("session")?,
        session_id: named_by(row.get("session_id")?, row.get("session_key")?),
        parent: row.get("parent")?,
        number: row.get("number")?,
        header: Header {
            graph: row.get("graph")?,
            fingerprint: row.get("fingerprint")?,
            state_version: row.get("state_version")?,
            parent: row.get::<_, Option<[u8; 16]>>("parent_run")?.map(run_of),
            snapshot: None,
            since_snapshot: row.get("since_snapshot")?,
            at: Timestamp::from_microsecond(row.get("at")?).unwrap_or_default(),
        },
        mark: row.get("mark")?,
        input: row.get("input")?,
        status: row.get("status")?,
        query: row.get("query")?,
        snapshot_sum: row.get("snapshot_sum")?,
        steps: row.get("steps")?,
        steps_sum: row.get("steps_sum")?,
        sum: row.get("sum")?,
        lease: Lease { holder: row.get("holder")?, until: row.get("lease")? },
    })
}

/// A turn's row, whatever its checksum says.
pub(super) fn unchecked(connection: &Connection, turn: i64) -> Result<Option<TurnRow>, StoreError> {
    let mut select = connection.prepare_cached(&format!("{SELECT} WHERE turns.id = ?1"))?;
    select.query_row([turn], turn_row).optional().map_err(|error| of_turn(nobody(), error))
}

pub(super) fn row_of_run(connection: &Connection, run: RunId) -> Result<Option<TurnRow>, StoreError> {
    let mut select = connection.prepare_cached(&format!("{SELECT} WHERE run = ?1"))?;
    let row = select.query_row([run.uuid().as_bytes()], turn_row).optional();
    match row.map_err(|error| of_turn(run, error))? {
        // A damaged index leads to another turn.
        Some(row) if row.run != run => Err(StoreError::damaged(run, "it is not where it should be")),
        row => row.map(TurnRow::checked).transpose(),
    }
}

/// What SQLite said when a turn was read: a value that cannot be one, or a page that makes no sense, is that turn's.
fn of_turn(run: RunId, error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        None | Some(rusqlite::ErrorCode::DatabaseCorrupt) => StoreError::damaged(run, error),
        Some(_) => error.into(),
    }
}

pub(super) fn info(connection: &Connection, run: RunId) -> Result<Option<TurnInfo>, StoreError> {
    row_of_run(connection, run)?.map(|row| row.info(lease::now())).transpose()
}

/// The turns of a session's tree. They are looked up one by one, so that one that is damaged does not hide the others.
pub(super) fn of_session(connection: &Connection, name: &str) -> Result<Vec<TurnInfo>, StoreError> {
    let found = sessions::found(connection, name)?;
    let mut tree = Tree { connection, turns: Turns::new() };
    tree.take_all("SELECT id FROM turns WHERE session = ?1", found.id)?;
    if !found.is_sound() || listing::count(&tree.turns, found.id) != found.turns {
        // The index may be what is damaged.
        tree.take_all("SELECT id FROM turns NOT INDEXED WHERE session = ?1", found.id)?;
    }
    tree.turns.retain(|_, turn| turn.as_ref().map_or(true, |row| row.session == found.id));
    let mut broken = Vec::new();
    if found.is_sound() {
        broken.extend(listing::lost(found.turns - listing::count(&tree.turns, found.id)));
        let Position { head, tip } = found.session.position;
        for run in head.into_iter().chain(tip.filter(|tip| Some(*tip) != head)) {
            match find(connection, run) {
                Ok(Some(id)) => tree.take(id, Some(run))?,
                Ok(None) => broken.push((run, "it cannot be found".to_owned())),
                Err(error) => broken.push((run, named(error)?)),
            }
        }
    }
    tree.climb()?;
    listing::list(&found, name, tree.turns, broken, lease::now())
}

/// Turns that are looked up, and what leads to them.
struct Tree<'a> {
    connection: &'a Connection,
    turns: Turns,
}

impl Tree<'_> {
    fn take_all(&mut self, query: &str, session: i64) -> Result<(), StoreError> {
        let mut select = self.connection.prepare_cached(query)?;
        let mut rows = select.query([session])?;
        loop {
            match rows.next() {
                Ok(Some(row)) => self.take(row.get(0)?, None)?,
                Ok(None) => return Ok(()),
                // What was found is taken, and how many were not is told.
                Err(error) => return named(of_turn(nobody(), error)).map(|_| ()),
            }
        }
    }

    /// Takes in the turn of a row; `run` is what others call it.
    fn take(&mut self, id: i64, run: Option<RunId>) -> Result<(), StoreError> {
        if self.turns.contains_key(&id) {
            return Ok(());
        }
        let called = |problem| Err((run.unwrap_or_else(nobody), problem));
        let turn = match unchecked(self.connection, id) {
            Ok(Some(row)) => listing::read(row, run)?,
            Ok(None) => called("it cannot be found".to_owned()),
            Err(error) => called(named(error)?),
        };
        self.turns.insert(id, turn);
        Ok(())
    }

    /// Takes in what leads to those that are here.
    fn climb(&mut self) -> Result<(), StoreError> {
        let parent = |row: &TurnRow| Some((row.parent?, row.header.parent));
        let mut next: Vec<_> = self.turns.values().flatten().filter_map(parent).collect();
        while let Some((id, run)) = next.pop() {
            if !self.turns.contains_key(&id) {
                self.take(id, run)?;
                next.extend(self.turns.get(&id).and_then(|turn| turn.as_ref().ok()).and_then(parent));
            }
        }
        Ok(())
    }
}

pub(super) fn unfinished(connection: &Connection, name: &str) -> Result<Vec<TurnInfo>, StoreError> {
    let mut turns = of_session(connection, name)?;
    turns.retain(|turn| turn.session == name && (turn.running || turn.is_interrupted()));
    Ok(turns)
}

pub(super) fn summary(connection: &Connection, run: RunId) -> Result<Option<Summary>, StoreError> {
    row_of_run(connection, run)?.map(TurnRow::summary).transpose()
}

pub(super) fn record(connection: &Connection, run: RunId) -> Result<Option<RunRecord>, StoreError> {
    let Some(row) = row_of_run(connection, run)? else { return Ok(None) };
    let snapshot = snapshot(connection, &row)?;
    let stored = steps(connection, &row)?;
    let mut found = row.without_steps();
    for (step, moved) in &stored {
        found.add(step, moved);
    }
    found.snapshot_sum = snapshot.as_deref().map(sum_of_text);
    // The sum of the row covers those of the steps and of the snapshot.
    let row = found.checked()?;
    let steps = stored.into_iter().map(|(step, moved)| with_moved(run, step, &moved));
    let steps = steps.collect::<Result<_, _>>()?;
    let mark = row.mark()?;
    Ok(Some(RunRecord { header: Header { snapshot, ..row.header }, steps, mark }))
}

pub(super) fn snapshot(connection: &Connection, row: &TurnRow) -> Result<Option<String>, StoreError> {
    let mut select = connection.prepare_cached("SELECT state FROM snapshots WHERE id = ?1")?;
    select.query_row([row.id], |row| row.get(0)).optional().map_err(|error| of_turn(row.run, error))
}

/// The steps of a turn, each without what it moved, and that as it is stored.
pub(super) fn steps(connection: &Connection, row: &TurnRow) -> Result<Vec<(StepRecord, String)>, StoreError> {
    let (first, last) = step_range(row.id);
    let mut select = connection.prepare_cached(
        "SELECT id, node, changes, walk, at, took_us FROM steps WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    )?;
    let rows = select.query_map([first, last], |row| {
        let (number, at, took_us): (i64, i64, i64) = (row.get("id")?, row.get("at")?, row.get("took_us")?);
        let step = StepRecord {
            step: u32::try_from(number - first).unwrap_or_default(),
            node: row.get("node")?,
            changes: row.get("changes")?,
            decided: Vec::new(),
            next: Frontier::End,
            budgets: Vec::new(),
            at: Timestamp::from_microsecond(at).unwrap_or_default(),
            took_us: u64::try_from(took_us).unwrap_or_default(),
        };
        Ok((step, row.get::<_, String>("walk")?))
    })?;
    rows.collect::<Result<_, _>>().map_err(|error| of_turn(row.run, error))
}

/// The number of a turn's row.
pub(super) fn find(connection: &Connection, run: RunId) -> Result<Option<i64>, StoreError> {
    let mut select = connection.prepare_cached("SELECT id FROM turns WHERE run = ?1")?;
    let id = select.query_row([run.uuid().as_bytes()], |row| row.get(0)).optional();
    id.map_err(|error| of_turn(run, error))
}

pub(super) fn step_range(turn: i64) -> (i64, i64) {
    (turn << STEP_BITS, (turn << STEP_BITS) + (1 << STEP_BITS) - 1)
}
