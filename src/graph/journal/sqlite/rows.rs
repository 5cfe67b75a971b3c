//! Rows of a journal: runs and their steps, checked when they are read.

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::super::{Frontier, Header, JournalError, Moved, RunRecord, StepRecord, Summary};
use super::failure;
use crate::graph::checksum::Checksum;
use crate::graph::context::RunId;

/// A step's row id is its run's, shifted by this many bits, plus its number: rows of one run lie together, and
/// writing a step twice is a conflict without a second index.
const STEP_BITS: u32 = 20;

fn step_range(id: i64) -> (i64, i64) {
    (id << STEP_BITS, (id << STEP_BITS) + (1 << STEP_BITS) - 1)
}

pub(super) fn step_id(run: RunId, id: i64, step: u32) -> Result<i64, JournalError> {
    if step >> STEP_BITS != 0 {
        return Err(JournalError::Damaged { run, problem: format!("step {step} is too many") });
    }
    Ok((id << STEP_BITS) + i64::from(step))
}

pub(super) const SUMMARY: &str =
    "SELECT id, run, graph, fingerprint, state_version, parent, since_snapshot, at, mark,
                              snapshot_sum, steps, steps_sum, sum FROM runs";

/// A row of `SUMMARY`, before what is in it was understood.
pub(super) struct RunRow {
    pub(super) id: i64,
    pub(super) run: RunId,
    pub(super) header: Header,
    pub(super) mark: String,
    pub(super) snapshot_sum: Option<i64>,
    /// One more than the number of the last step; 0 before there is one.
    pub(super) steps: u32,
    pub(super) steps_sum: i64,
    pub(super) sum: i64,
}

impl RunRow {
    /// The checksum that the row should have.
    pub(super) fn summed(&self) -> i64 {
        let sum = Checksum::new().number(self.id).bytes(self.run.uuid().as_bytes());
        self.header
            .summed(sum)
            .text(&self.mark)
            .maybe(self.snapshot_sum, Checksum::number)
            .number(self.steps.into())
            .number(self.steps_sum)
            .signed()
    }

    pub(super) fn checked(self) -> Result<Self, JournalError> {
        if self.sum == self.summed() { Ok(self) } else { Err(damaged(self.run)) }
    }

    pub(super) fn last_step(&self) -> Option<u32> {
        self.steps.checked_sub(1)
    }

    pub(super) fn add(&mut self, step: &StepRecord, moved: &str) {
        self.steps = step.step.saturating_add(1);
        self.steps_sum = step.chained(self.steps_sum, moved);
    }

    pub(super) fn summary(self) -> Result<Summary, JournalError> {
        let last_step = self.last_step();
        Ok(Summary { run: self.run, header: self.header, mark: from_json(self.run, &self.mark)?, last_step })
    }
}

fn damaged(run: RunId) -> JournalError {
    JournalError::Damaged { run, problem: "its checksum is wrong".to_owned() }
}

pub(super) fn sum_of_text(text: &str) -> i64 {
    Checksum::new().text(text).signed()
}

pub(super) fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let at: i64 = row.get("at")?;
    Ok(RunRow {
        id: row.get("id")?,
        run: RunId::new(Uuid::from_bytes(row.get("run")?)),
        header: Header {
            graph: row.get("graph")?,
            fingerprint: row.get("fingerprint")?,
            state_version: row.get("state_version")?,
            parent: row
                .get::<_, Option<[u8; 16]>>("parent")?
                .map(|parent| RunId::new(Uuid::from_bytes(parent))),
            snapshot: None,
            since_snapshot: row.get("since_snapshot")?,
            at: Timestamp::from_microsecond(at).unwrap_or_default(),
        },
        mark: row.get("mark")?,
        snapshot_sum: row.get("snapshot_sum")?,
        steps: row.get("steps")?,
        steps_sum: row.get("steps_sum")?,
        sum: row.get("sum")?,
    })
}

pub(super) fn store_sums(connection: &Connection, row: &RunRow) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE runs SET mark = ?2, snapshot_sum = ?3, steps = ?4, steps_sum = ?5, sum = ?6 WHERE id = ?1",
        )?
        .execute(params![row.id, row.mark, row.snapshot_sum, row.steps, row.steps_sum, row.summed()])?;
    Ok(())
}

pub(super) fn find_row(connection: &Connection, run: RunId) -> Result<Option<RunRow>, JournalError> {
    let row = connection
        .prepare_cached(&format!("{SUMMARY} WHERE run = ?1"))
        .and_then(|mut select| select.query_row([run.uuid().as_bytes()], run_row).optional())
        .map_err(|error| of_run(run, error))?;
    // An index that was damaged leads to another run.
    match row {
        Some(row) if row.run == run => row.checked().map(Some),
        Some(_) => Err(damaged(run)),
        None => Ok(None),
    }
}

pub(super) fn snapshot(connection: &Connection, id: i64) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT state FROM snapshots WHERE id = ?1")
        .and_then(|mut select| select.query_row([id], |row| row.get(0)).optional())
}

pub(super) fn read(connection: &mut Connection, run: RunId) -> Result<Option<RunRecord>, JournalError> {
    // One transaction, so that header, steps and mark belong together.
    let transaction = connection.transaction()?;
    let Some(row) = find_row(&transaction, run)? else { return Ok(None) };
    let snapshot = snapshot(&transaction, row.id).map_err(|error| of_run(run, error))?;
    let mut found = RunRow { steps: 0, steps_sum: 0, ..row };
    let stored = steps_of(&transaction, &found)?;
    for (step, moved) in &stored {
        found.add(step, moved);
    }
    found.snapshot_sum = snapshot.as_deref().map(sum_of_text);
    // The sum covers those of the steps and of the snapshot.
    let row = found.checked()?;
    let mut steps = Vec::with_capacity(stored.len());
    for (step, moved) in stored {
        let Moved { decided, next, budgets } = from_json(run, &moved)?;
        steps.push(StepRecord { decided, next, budgets, ..step });
    }
    let mark = from_json(run, &row.mark)?;
    Ok(Some(RunRecord { header: Header { snapshot, ..row.header }, steps, mark }))
}

/// The steps of a run, each without what it moved, and that as it is stored.
pub(super) fn steps_of(
    connection: &Connection,
    row: &RunRow,
) -> Result<Vec<(StepRecord, String)>, JournalError> {
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
    let mut steps = Vec::new();
    for found in rows {
        steps.push(found.map_err(|error| of_run(row.run, error))?);
    }
    Ok(steps)
}

pub(super) fn to_json(value: &impl Serialize) -> Result<String, rusqlite::Error> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

pub(super) fn from_json<'a, T: Deserialize<'a>>(run: RunId, text: &'a str) -> Result<T, JournalError> {
    serde_json::from_str(text).map_err(|error| JournalError::Damaged { run, problem: error.to_string() })
}

/// The same for what was read of one run: a value that cannot be one, or a page that makes no sense, is that run's.
fn of_run(run: RunId, error: rusqlite::Error) -> JournalError {
    match error.sqlite_error_code() {
        None | Some(ErrorCode::DatabaseCorrupt) => JournalError::Damaged { run, problem: error.to_string() },
        Some(_) => failure(error),
    }
}
