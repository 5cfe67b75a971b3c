//! States from what is stored: the nearest snapshot, and all changes since.

use super::{Store, StoreError};
use crate::conversation::{Change, ConversationState};
use crate::graph::journal::{RunRecord, StepRecord};
use crate::graph::{RunId, State};

/// More turns than a conversation has; a longer chain of parents goes in a circle.
const LONGEST: usize = 100_000;

/// The state after a turn's steps; all of them, or up to one.
pub(super) async fn state_after(
    store: &dyn Store,
    run: RunId,
    step: Option<u32>,
) -> Result<ConversationState, StoreError> {
    let line = line(store, run, true).await?;
    let mut state = None;
    let last = line.len().saturating_sub(1);
    for (index, (run, record)) in line.iter().enumerate() {
        let steps = match step {
            Some(step) if index == last => {
                let found = record.steps.iter().position(|known| known.step == step);
                let place = found.ok_or(StoreError::NoSuchStep { run: *run, step })?;
                record.steps.get(..=place).unwrap_or_default()
            }
            _ => &record.steps,
        };
        fold(&mut state, *run, record, steps)?;
    }
    state.ok_or(StoreError::UnknownTurn { run })
}

/// The turns that lead to this one, the oldest first: from the nearest snapshot on, or from the beginning.
pub(super) async fn line(
    store: &dyn Store,
    run: RunId,
    from_snapshot: bool,
) -> Result<Vec<(RunId, RunRecord)>, StoreError> {
    let mut line: Vec<(RunId, RunRecord)> = Vec::new();
    let mut next = Some(run);
    while let Some(run) = next {
        let record = store.record(run).await?;
        let Some(record) = record else {
            // A parent that is not stored is a name only where the child has a snapshot.
            if line.last().is_some_and(|(_, child)| child.header.snapshot.is_some()) {
                break;
            }
            return Err(StoreError::UnknownTurn { run });
        };
        let stop = from_snapshot && record.header.snapshot.is_some();
        next = if stop { None } else { record.header.parent };
        line.push((run, record));
        if line.len() > LONGEST {
            return Err(StoreError::damaged(run, "its parents go in a circle"));
        }
    }
    line.reverse();
    Ok(line)
}

/// Adds a turn's steps to the state before it.
pub(super) fn fold(
    state: &mut Option<ConversationState>,
    run: RunId,
    record: &RunRecord,
    steps: &[StepRecord],
) -> Result<(), StoreError> {
    let version = record.header.state_version;
    if let Some(snapshot) = &record.header.snapshot {
        *state = Some(load(run, version, snapshot)?);
    }
    let Some(state) = state else {
        return Err(StoreError::damaged(run, "it has neither snapshot nor parent"));
    };
    for step in steps {
        for change in changes(run, version, &step.changes)? {
            state.apply(&change);
        }
    }
    Ok(())
}

fn load(run: RunId, version: u32, snapshot: &str) -> Result<ConversationState, StoreError> {
    let damaged = |error: serde_json::Error| StoreError::damaged(run, error);
    if version == ConversationState::VERSION {
        return serde_json::from_str(snapshot).map_err(damaged);
    }
    let snapshot = serde_json::from_str(snapshot).map_err(damaged)?;
    let migrated = <ConversationState as State>::migrate_snapshot(version, snapshot)
        .map_err(|problem| StoreError::damaged(run, problem))?;
    // As text, like those of this version: a second reader of values would be as large as the first.
    serde_json::from_str(&migrated.to_string()).map_err(damaged)
}

pub(super) fn changes(run: RunId, version: u32, text: &str) -> Result<Vec<Change>, StoreError> {
    let damaged = |error: serde_json::Error| StoreError::damaged(run, error);
    if version == ConversationState::VERSION {
        return serde_json::from_str(text).map_err(damaged);
    }
    let mut changes = Vec::new();
    for change in serde_json::from_str::<Vec<serde_json::Value>>(text).map_err(damaged)? {
        let migrated = <ConversationState as State>::migrate_change(version, change)
            .map_err(|problem| StoreError::damaged(run, problem))?;
        changes.extend(migrated);
    }
    serde_json::from_str(&serde_json::Value::Array(changes).to_string()).map_err(damaged)
}
