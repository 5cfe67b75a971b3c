//! Turns and their steps in PostgreSQL.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Error, Row, Transaction};

use super::super::digest::{Digest, title};
use super::super::lease::Lease;
use super::super::listing::{self, Turns, named, nobody};
use super::super::row::{
    GIVEN_UP, SessionRow, TurnRow, database_of, named_by, sum_of_text, to_json, with_moved,
};
use super::super::{NewSession, Position, StoreError, TurnInfo};
use super::sessions::{self, run_of};
use crate::graph::RunId;
use crate::graph::journal::{Entry, Frontier, Header, Mark, Moved, RunRecord, StepRecord, Summary};

/// With the time of the server, by which leases are measured.
pub(super) const SELECT: &str = "
    SELECT turns.id, run, session, sessions.name AS session_id, sessions.key AS session_key, parent, parent_run, number, graph, fingerprint,
           state_version, since_snapshot, at, mark, input, status, query, snapshot_sum, steps, steps_sum,
           turns.sum, holder, lease, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now
    FROM sqlogue.turns LEFT JOIN sqlogue.sessions ON sessions.id = turns.session";

fn small(row: &Row, name: &str) -> Result<u32, Error> {
    row.try_get::<_, i64>(name).map(|number| u32::try_from(number).unwrap_or_default())
}

/// A turn's row, whatever its checksum says, and the time of the server.
pub(super) fn turn_row(row: &Row) -> Result<(TurnRow, i64), StoreError> {
    let run = run_of(row.try_get("run")?).ok_or_else(|| StoreError::damaged(nobody(), "its id is none"))?;
    let read = || -> Result<TurnRow, Error> {
        let text = |name: &str| row.try_get::<_, &str>(name).map(Into::into);
        Ok(TurnRow {
            id: row.try_get("id")?,
            run,
            session: row.try_get("session")?,
            session_id: named_by(row.try_get("session_id")?, row.try_get("session_key")?),
            parent: row.try_get("parent")?,
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
            snapshot_sum: row.try_get("snapshot_sum")?,
            steps: small(row, "steps")?,
            steps_sum: row.try_get("steps_sum")?,
            sum: row.try_get("sum")?,
            lease: Lease { holder: row.try_get("holder")?, until: row.try_get("lease")? },
        })
    };
    Ok((read()?, row.try_get("now")?))
}

/// A turn's row and the time of the server.
async fn row_of(transaction: &Transaction<'_>, run: RunId) -> Result<Option<(TurnRow, i64)>, StoreError> {
    select(transaction, run, "").await
}

/// The same, and nobody else changes the row until the transaction ends.
async fn row_to_change(
    transaction: &Transaction<'_>,
    run: RunId,
) -> Result<Option<(TurnRow, i64)>, StoreError> {
    select(transaction, run, "FOR UPDATE OF turns").await
}

async fn select(
    transaction: &Transaction<'_>,
    run: RunId,
    lock: &str,
) -> Result<Option<(TurnRow, i64)>, StoreError> {
    let uuid = run.uuid();
    let bytes = uuid.as_bytes().as_slice();
    let row = transaction.query_opt(&format!("{SELECT} WHERE run = $1 {lock}"), &[&bytes]).await?;
    let Some(row) = row else { return Ok(None) };
    let (row, now) = turn_row(&row)?;
    Ok(Some((row.checked()?, now)))
}

/// The number of a turn's row.
pub(super) async fn find(transaction: &Transaction<'_>, run: RunId) -> Result<Option<i64>, StoreError> {
    let uuid = run.uuid();
    let bytes = uuid.as_bytes().as_slice();
    let row = transaction.query_opt("SELECT id FROM sqlogue.turns WHERE run = $1", &[&bytes]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

pub(super) async fn info(transaction: &Transaction<'_>, run: RunId) -> Result<Option<TurnInfo>, StoreError> {
    row_of(transaction, run).await?.map(|(row, now)| row.info(now)).transpose()
}

/// The turns of a session's tree.
pub(super) async fn of_session(
    transaction: &Transaction<'_>,
    name: &str,
) -> Result<Vec<TurnInfo>, StoreError> {
    let found = sessions::found(transaction, name).await?;
    let query = format!(
        "WITH RECURSIVE tree (id) AS (
             SELECT ends.id FROM (
                 SELECT id FROM sqlogue.turns WHERE session = $1 UNION
                 SELECT id FROM sqlogue.turns WHERE run IN ($2, $3)
             ) ends UNION
             SELECT parent FROM sqlogue.turns JOIN tree USING (id) WHERE parent IS NOT NULL
         )
         {SELECT} WHERE turns.id IN (SELECT id FROM tree) ORDER BY turns.id"
    );
    let position = if found.is_sound() { found.session.position } else { Position::default() };
    let bytes = |run: Option<RunId>| run.map(|run| run.uuid().as_bytes().to_vec());
    let rows = transaction.query(&query, &[&found.id, &bytes(position.head), &bytes(position.tip)]).await?;
    let (mut turns, mut broken, mut time) = (Turns::new(), Vec::new(), 0);
    for row in &rows {
        let id = row.try_get("id")?;
        let read = match turn_row(row) {
            Ok((row, now)) => {
                time = now;
                listing::read(row, None)?
            }
            Err(error) => Err((nobody(), named(error)?)),
        };
        turns.insert(id, read);
    }
    let called = |run: Option<RunId>| (run.unwrap_or_else(nobody), "it cannot be found".to_owned());
    let parents = turns.values().flatten().filter_map(|row| Some((row.parent?, row.header.parent)));
    let gone: Vec<_> =
        parents.filter(|(id, _)| !turns.contains_key(id)).map(|(_, run)| called(run)).collect();
    broken.extend(gone);
    if found.is_sound() {
        let is_here = |run: RunId| {
            turns.values().any(|turn| match turn {
                Ok(row) => row.run == run,
                Err((named, _)) => *named == run,
            })
        };
        let ends = [position.head, position.tip].into_iter().flatten().filter(|run| !is_here(*run));
        broken.extend(ends.map(|run| called(Some(run))).collect::<BTreeMap<_, _>>());
        broken.extend(listing::lost(found.turns - listing::count(&turns, found.id)));
    }
    listing::list(&found, name, turns, broken, time)
}

pub(super) async fn unfinished(
    transaction: &Transaction<'_>,
    session: &str,
) -> Result<Vec<TurnInfo>, StoreError> {
    let found = sessions::known(transaction, session).await?;
    let query = format!("{SELECT} WHERE turns.session = $1 AND mark <> '\"finished\"' ORDER BY turns.id");
    let mut turns = Vec::new();
    for row in transaction.query(&query, &[&found.id]).await? {
        let (row, now) = turn_row(&row)?;
        // One that is damaged is shown as such where the session's turns are listed.
        if let Ok(Ok(row)) = listing::read(row, None) {
            turns.push(row.info(now)?);
        }
    }
    turns.retain(|turn| turn.running || turn.is_interrupted());
    Ok(turns)
}

pub(super) async fn summary(
    transaction: &Transaction<'_>,
    run: RunId,
) -> Result<Option<Summary>, StoreError> {
    row_of(transaction, run).await?.map(|(row, _)| row.summary()).transpose()
}

pub(super) async fn record(
    transaction: &Transaction<'_>,
    run: RunId,
) -> Result<Option<RunRecord>, StoreError> {
    let Some((row, _)) = row_of(transaction, run).await? else { return Ok(None) };
    let snapshot = snapshot(transaction, &row).await?;
    let stored = steps(transaction, &row).await?;
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

pub(super) async fn snapshot(
    transaction: &Transaction<'_>,
    row: &TurnRow,
) -> Result<Option<String>, StoreError> {
    let row = transaction.query_one("SELECT snapshot FROM sqlogue.turns WHERE id = $1", &[&row.id]).await?;
    Ok(row.try_get(0)?)
}

/// The steps of a turn, each without what it moved, and that as it is stored.
pub(super) async fn steps(
    transaction: &Transaction<'_>,
    row: &TurnRow,
) -> Result<Vec<(StepRecord, String)>, StoreError> {
    let rows = transaction
        .query(
            "SELECT step, node, changes, walk, at, took_us FROM sqlogue.steps WHERE turn = $1 ORDER BY step",
            &[&row.id],
        )
        .await?;
    let step = |row: &Row| {
        let step = StepRecord {
            step: small(row, "step")?,
            node: row.try_get::<_, &str>("node")?.into(),
            changes: row.try_get("changes")?,
            decided: Vec::new(),
            next: Frontier::End,
            budgets: Vec::new(),
            at: Timestamp::from_microsecond(row.try_get("at")?).unwrap_or_default(),
            took_us: u64::try_from(row.try_get::<_, i64>("took_us")?).unwrap_or_default(),
        };
        Ok((step, row.try_get("walk")?))
    };
    rows.iter().map(step).collect()
}

/// Writes an entry. Where the session has moved on before the turn's end, the turn is given up, and the conflict comes back
/// as what was done.
pub(super) async fn write(
    transaction: &Transaction<'_>,
    session: &str,
    entry: &Entry,
    digest: &Digest,
    lease: Duration,
) -> Result<Result<(), StoreError>, StoreError> {
    let run = entry.run;
    if let Some(header) = &entry.header {
        begin(transaction, session, run, header, digest).await?;
    }
    let (mut turn, now) = row_to_change(transaction, run).await?.ok_or(StoreError::UnknownTurn { run })?;
    turn.follows(entry, now)?;
    if entry.mark == Some(Mark::Finished) {
        let mut known = sessions::known(transaction, session).await?;
        if let Err(conflict) = turn.finish(&mut known.session, entry)? {
            turn.give_up(GIVEN_UP)?;
            update(transaction, &turn).await?;
            return Ok(Err(conflict));
        }
        sessions::update(transaction, &known).await?;
    }
    insert_steps(transaction, &mut turn, &entry.steps).await?;
    turn.take(entry, digest, Lease::mine(now, lease))?;
    update(transaction, &turn).await?;
    Ok(Ok(()))
}

async fn insert_steps(
    transaction: &Transaction<'_>,
    turn: &mut TurnRow,
    steps: &[StepRecord],
) -> Result<(), StoreError> {
    for step in steps {
        let StepRecord { step: number, node, changes, at, took_us, .. } = step;
        let moved = to_json(&Moved::by(step))?;
        let took_us = i64::try_from(*took_us).unwrap_or(i64::MAX);
        let inserted = transaction
            .execute(
                "INSERT INTO sqlogue.steps (turn, step, node, changes, walk, at, took_us)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                &[&turn.id, &i64::from(*number), &&**node, changes, &moved, &at.as_microsecond(), &took_us],
            )
            .await;
        conflict(inserted, turn.run, *number)?;
        turn.add(step, &moved);
    }
    Ok(())
}

/// Writes what can change of a turn, and its checksum.
async fn update(transaction: &Transaction<'_>, row: &TurnRow) -> Result<(), StoreError> {
    transaction
        .execute(
            "UPDATE sqlogue.turns SET session = $2, mark = $3, status = $4, query = $5, steps = $6, steps_sum = $7,
                                      sum = $8, holder = $9, lease = $10
             WHERE id = $1",
            &[
                &row.id,
                &row.session,
                &row.mark,
                &row.status,
                &row.query,
                &i64::from(row.steps),
                &row.steps_sum,
                &row.summed(),
                &row.lease.holder,
                &row.lease.until,
            ],
        )
        .await?;
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
    let mut known = match sessions::find(transaction, name).await? {
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
            sessions::create(transaction, &new).await?
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
    sessions::update(transaction, &known).await?;
    insert(transaction, &known, run, header, said).await
}

async fn insert(
    transaction: &Transaction<'_>,
    session: &SessionRow,
    run: RunId,
    header: &Header,
    said: String,
) -> Result<(), StoreError> {
    let parent = match header.parent {
        Some(parent) => row_of(transaction, parent).await?.map(|(row, _)| row),
        None => None,
    };
    let mut row = TurnRow {
        id: transaction
            .query_one("SELECT nextval(pg_get_serial_sequence('sqlogue.turns', 'id'))", &[])
            .await?
            .try_get(0)?,
        run,
        session: session.id,
        session_id: None,
        parent: parent.as_ref().map(|parent| parent.id),
        number: parent.map_or(0, |parent| parent.number) + 1,
        header: Header { snapshot: None, ..header.clone() },
        mark: to_json(&Mark::Running)?,
        input: said,
        status: None,
        query: None,
        snapshot_sum: header.snapshot.as_deref().map(sum_of_text),
        steps: 0,
        steps_sum: 0,
        sum: 0,
        lease: Lease::default(),
    };
    row.sum = row.summed();
    let parent_run = header.parent.map(|parent| parent.uuid().as_bytes().to_vec());
    let inserted = transaction
        .execute(
            "INSERT INTO sqlogue.turns (id, run, session, parent, parent_run, number, graph, fingerprint,
                                        state_version, since_snapshot, at, mark, input, snapshot, snapshot_sum, sum)
             OVERRIDING SYSTEM VALUE
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
            &[
                &row.id,
                &run.uuid().as_bytes().to_vec(),
                &row.session,
                &row.parent,
                &parent_run,
                &row.number,
                &&*header.graph,
                &&*header.fingerprint,
                &i64::from(header.state_version),
                &i64::from(header.since_snapshot),
                &header.at.as_microsecond(),
                &row.mark,
                &row.input,
                &header.snapshot,
                &row.snapshot_sum,
                &row.sum,
            ],
        )
        .await;
    conflict(inserted, run, 0)
}

pub(super) async fn rewind(transaction: &Transaction<'_>, run: RunId, steps: u32) -> Result<(), StoreError> {
    let (turn, now) = row_to_change(transaction, run).await?.ok_or(StoreError::UnknownTurn { run })?;
    let turn = turn.at_rest(now)?;
    let stored = self::steps(transaction, &turn).await?;
    transaction
        .execute("DELETE FROM sqlogue.steps WHERE turn = $1 AND step >= $2", &[&turn.id, &i64::from(steps)])
        .await?;
    update(transaction, &turn.rewound(&stored, steps)?).await
}

/// Drops a turn that is not finished; the session is locked by who does so.
pub(super) async fn drop_turn(transaction: &Transaction<'_>, run: RunId) -> Result<bool, StoreError> {
    let Some((turn, now)) = row_to_change(transaction, run).await? else { return Ok(false) };
    let turn = turn.at_rest(now)?;
    transaction.execute("DELETE FROM sqlogue.steps WHERE turn = $1", &[&turn.id]).await?;
    transaction.execute("DELETE FROM sqlogue.turns WHERE id = $1", &[&turn.id]).await?;
    sessions::add_turns(transaction, turn.session, -1).await?;
    Ok(true)
}

pub(super) async fn give_up(
    transaction: &Transaction<'_>,
    run: RunId,
    reason: &str,
) -> Result<bool, StoreError> {
    let Some((turn, _)) = row_to_change(transaction, run).await? else { return Ok(false) };
    let mut turn = turn.unfinished()?;
    turn.give_up(reason)?;
    update(transaction, &turn).await?;
    Ok(true)
}

pub(super) async fn hold(
    transaction: &Transaction<'_>,
    run: RunId,
    lease: Duration,
) -> Result<(), StoreError> {
    let (turn, now) = row_to_change(transaction, run).await?.ok_or(StoreError::UnknownTurn { run })?;
    let turn = turn.open_to_me(now)?;
    let Lease { holder, until } = Lease::mine(now, lease);
    transaction
        .execute(
            "UPDATE sqlogue.turns SET holder = $2, lease = $3 WHERE id = $1",
            &[&turn.id, &holder, &until],
        )
        .await?;
    Ok(())
}

/// Makes a turn another session's. One that is damaged stays so.
pub(super) async fn inherit(transaction: &Transaction<'_>, turn: i64, heir: i64) -> Result<(), StoreError> {
    let row = transaction.query_one(&format!("{SELECT} WHERE turns.id = $1"), &[&turn]).await?;
    if let Ok((row, _)) = turn_row(&row)
        && let Ok(row) = row.checked()
    {
        return update(transaction, &TurnRow { session: heir, ..row }).await;
    }
    transaction.execute("UPDATE sqlogue.turns SET session = $2 WHERE id = $1", &[&turn, &heir]).await?;
    Ok(())
}

/// How many bytes the texts of all turns have. What the server needs for them changes only when it vacuums.
pub(super) async fn size(transaction: &Transaction<'_>) -> Result<u64, StoreError> {
    let row = transaction
        .query_one(
            "SELECT (SELECT coalesce(sum(octet_length(changes) + octet_length(walk)), 0)::bigint FROM sqlogue.steps)
                  + (SELECT coalesce(sum(octet_length(input) + coalesce(octet_length(snapshot), 0)), 0)::bigint
                     FROM sqlogue.turns)",
            &[],
        )
        .await?;
    Ok(u64::try_from(row.try_get::<_, i64>(0)?).unwrap_or_default())
}
