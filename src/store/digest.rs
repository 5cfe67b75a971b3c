//! What is taken out of a turn's changes before they are stored, and what is put into the listing.

use std::sync::Arc;

use super::{Keep, StoreError};
use crate::ambiguity::Ambiguity;
use crate::conversation::{Change, ConversationState};
use crate::graph::RunId;
use crate::graph::journal::{Entry, Header};

/// What a listing shows of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) input: Option<String>,
    pub(super) status: Option<&'static str>,
    pub(super) query: Option<String>,
}

/// The names of the changes that are looked into; the others are stored as they came.
const LOOKED_INTO: [&str; 8] = [
    "\"ambiguity_raised\"",
    "\"turn_started\"",
    "\"query_set\"",
    "\"query_repaired\"",
    "\"query_refined\"",
    "\"query_executed\"",
    "\"plan_added\"",
    "\"turn_closed\"",
];

/// Takes rows and samples out of an entry, unless they are kept, and says what of it goes into the listing.
pub(super) fn digest(entry: &mut Entry, keep: Keep) -> Result<Digest, StoreError> {
    let mut digest = Digest::default();
    let run = entry.run;
    for step in &mut entry.steps {
        if !LOOKED_INTO.iter().any(|name| step.changes.contains(name)) {
            continue;
        }
        let mut changes: Vec<Change> =
            serde_json::from_str(&step.changes).map_err(|error| StoreError::damaged(run, error))?;
        let mut stripped = false;
        for change in &mut changes {
            stripped |= keep == Keep::Shape && strip(change);
            match change {
                Change::TurnStarted { input, .. } => digest.input = Some(input.clone()),
                Change::QuerySet { query, .. }
                | Change::QueryRepaired { query, .. }
                | Change::QueryRefined { query, .. } => digest.query = Some(query.clone()),
                Change::TurnClosed { status, .. } => digest.status = Some(status.name()),
                _ => {}
            }
        }
        if stripped {
            step.changes =
                serde_json::to_string(&changes).map_err(|error| StoreError::damaged(run, error))?;
        }
    }
    if let (Some(header), Keep::Shape) = (&mut entry.header, keep) {
        strip_snapshot(run, header)?;
    }
    Ok(digest)
}

/// Whether a step's changes hold a result whose rows were taken out: the node that made it has to run again before the
/// turn can end as it would have.
pub(super) fn lacks_rows(run: RunId, changes: &str) -> Result<bool, StoreError> {
    if !changes.contains("\"query_executed\"") {
        return Ok(false);
    }
    let changes: Vec<Change> =
        serde_json::from_str(changes).map_err(|error| StoreError::damaged(run, error))?;
    Ok(changes.iter().any(|change| match change {
        Change::QueryExecuted { result } => result.rows.is_empty() && result.row_count > 0,
        _ => false,
    }))
}

fn strip(change: &mut Change) -> bool {
    match change {
        Change::QueryExecuted { result } if !result.rows.is_empty() => {
            *result = Arc::new(result.shape());
            true
        }
        Change::AmbiguityRaised { ambiguity } => strip_previews(ambiguity),
        Change::PlanAdded { schema, .. } => {
            let columns = Arc::make_mut(schema).tables.iter_mut().flat_map(|table| &mut table.columns);
            empty(columns.map(|column| &mut column.samples))
        }
        _ => false,
    }
}

/// Empties lists; true where one was not empty before.
fn empty<'a, T: 'a>(lists: impl Iterator<Item = &'a mut Vec<T>>) -> bool {
    lists.fold(false, |any, list| {
        let had = !list.is_empty();
        list.clear();
        any || had
    })
}

/// A question back without the rows of its choices.
fn strip_previews(ambiguity: &mut Ambiguity) -> bool {
    let previews = ambiguity.options_mut().iter_mut().map(|choice| choice.preview.take());
    previews.filter(Option::is_some).count() > 0
}

/// A state without rows and samples.
fn strip_state(state: &mut ConversationState) -> bool {
    let mut stripped = false;
    for result in [&mut state.result, &mut state.current_result].into_iter().flatten() {
        if !result.rows.is_empty() {
            *result = Arc::new(result.shape());
            stripped = true;
        }
    }
    if let Some(pending) = &mut state.pending {
        stripped |= strip_previews(pending);
    }
    let aside = state.lines.iter_mut().filter_map(|line| line.schema.as_mut());
    for schema in state.schema.iter_mut().chain(aside) {
        let columns = Arc::make_mut(schema).tables.iter_mut().flat_map(|table| &mut table.columns);
        stripped |= empty(columns.map(|column| &mut column.samples));
    }
    stripped
}

fn strip_snapshot(run: RunId, header: &mut Header) -> Result<(), StoreError> {
    let Some(snapshot) = &header.snapshot else { return Ok(()) };
    let damaged = |error| StoreError::damaged(run, error);
    let mut state: ConversationState = serde_json::from_str(snapshot).map_err(damaged)?;
    if strip_state(&mut state) {
        header.snapshot = Some(serde_json::to_string(&state).map_err(damaged)?);
    }
    Ok(())
}

/// What the session is called after its first question.
pub(super) fn title(input: &str) -> String {
    let line: String =
        input.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    let line = line.trim();
    match line.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line.to_owned(),
    }
}
