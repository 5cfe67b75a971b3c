//! The turns of a session as they are listed: those that read as they were written, and what is wrong with the others.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::row::{SessionRow, TurnRow};
use super::{StoreError, TurnInfo};
use crate::graph::RunId;

/// A turn that cannot be read: what it is called, and what is wrong with it.
pub(super) type Broken = (RunId, String);

/// Turns by their rows.
pub(super) type Turns = BTreeMap<i64, Result<TurnRow, Broken>>;

/// The name of a turn of which nothing is known.
pub(super) fn nobody() -> RunId {
    RunId::new(Uuid::nil())
}

/// What is wrong with a turn that is damaged; any other error stays one.
pub(super) fn named(error: StoreError) -> Result<String, StoreError> {
    match error {
        StoreError::Damaged { problem, .. } => Ok(problem),
        error => Err(error),
    }
}

/// A row that was read for a turn which others call `run`.
pub(super) fn read(row: TurnRow, run: Option<RunId>) -> Result<Result<TurnRow, Broken>, StoreError> {
    if let Some(run) = run.filter(|run| *run != row.run) {
        return Ok(Err((run, "another is in its place".to_owned())));
    }
    let run = row.run;
    Ok(match row.checked() {
        Ok(row) => Ok(row),
        Err(error) => Err((run, named(error)?)),
    })
}

/// How many turns are a session's own. One that cannot be read may be.
pub(super) fn count(turns: &Turns, session: i64) -> i64 {
    let own = turns.values().filter(|turn| turn.as_ref().map_or(true, |row| row.session == session));
    i64::try_from(own.count()).unwrap_or(i64::MAX)
}

/// Lists what was found of the tree of the session `id`, those that cannot be read last.
pub(super) fn list(
    session: &SessionRow,
    id: &str,
    turns: Turns,
    mut broken: Vec<Broken>,
    now: i64,
) -> Result<Vec<TurnInfo>, StoreError> {
    let mut listed = Vec::with_capacity(turns.len());
    for mut turn in turns.into_values() {
        // The name by which the session was found, also where the one in its row is damaged.
        if let Ok(row) = &mut turn
            && row.session == session.id
        {
            row.session_id = Some(id.to_owned());
        }
        match turn.map(|row| (row.run, row.info(now))) {
            Ok((_, Ok(info))) => listed.push(info),
            Ok((run, Err(error))) => broken.push((run, named(error)?)),
            Err(found) => broken.push(found),
        }
    }
    listed.extend(broken.into_iter().map(|(run, problem)| TurnInfo::broken(run, id, problem)));
    Ok(listed)
}

/// Says that so many of a session's turns cannot be found.
pub(super) fn lost(number: i64) -> Option<Broken> {
    (number > 0).then(|| (nobody(), format!("{number} of the session's turns cannot be found")))
}
