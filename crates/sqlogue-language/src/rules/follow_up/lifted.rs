//! Restrictions that go: `all of them`, `remove the city filter`, `any city`.

use super::Proposal;
use super::previous::Previous;
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Condition, PlanEdit};

/// What asks for everything.
const ALL: &[&str] = &[
    "all",
    "all of them",
    "show all",
    "show all of them",
    "show me all",
    "show me all of them",
    "everything",
    "show everything",
    "list all of them",
    "give me all of them",
    "all of these",
    "i want all of them",
    "show them all",
];

/// How a follow-up opens that lets a restriction go.
const LIFTS: &[&str] = &[
    "remove",
    "drop",
    "clear",
    "without",
    "ignore",
    "any",
    "all",
    "regardless of",
    "for all",
    "in all",
    "from all",
    "for any",
    "from any",
    "in any",
    "no matter",
    "whatever",
    "forget",
];

/// What names no restriction.
const PASSED_OVER: &[&str] = &[
    "remove",
    "drop",
    "clear",
    "without",
    "ignore",
    "any",
    "all",
    "regardless",
    "filter",
    "condition",
    "restriction",
    "constraint",
    "no",
    "matter",
    "whatever",
    "forget",
    "every",
];

/// `all of them`, `remove the filter on city`, `any city`.
pub(super) fn lifted(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    if asks_for_all(reading) {
        let mut edits = Vec::new();
        if previous.conditions().next().is_some() {
            edits.push(PlanEdit::ClearFilters);
        }
        if previous.plan.limit.is_some() {
            edits.push(PlanEdit::ClearLimit);
        }
        return (!edits.is_empty()).then(|| Proposal::new("every restriction goes", edits));
    }
    let names_filter = reading.has(&["filter", "condition", "restriction", "constraint"])
        || !reading.starts(&["remove", "drop", "without"]);
    if !names_filter || !reading.starts(LIFTS) {
        return None;
    }
    let edits: Vec<PlanEdit> = meant(&reading.content(PASSED_OVER), previous)?
        .into_iter()
        .map(|condition| PlanEdit::RemoveFilter { condition: condition.clone() })
        .collect();
    (!edits.is_empty()).then(|| Proposal::new("a restriction goes", edits))
}

fn asks_for_all(reading: &Reading) -> bool {
    ALL.contains(&reading.bare())
        || reading.has(&["all filters", "every filter", "the filters", "filters", "any filter", "no filter"])
            && reading.starts(&["remove", "clear", "drop", "reset", "without", "no", "delete"])
}

/// The conditions that are named; where nothing is, all of them: `remove the filter`. None where something else is said.
fn meant<'a>(content: &[&Chunk], previous: &'a Previous<'_>) -> Option<Vec<&'a Condition>> {
    if content.is_empty() {
        return Some(previous.conditions().collect());
    }
    let mut conditions: Vec<&Condition> = Vec::new();
    for chunk in content {
        let column = chunk
            .columns
            .iter()
            .filter_map(|entry| previous.find(std::slice::from_ref(entry)))
            .find_map(|found| previous.condition_on(&found.column));
        let value =
            || reading::value(chunk, previous).and_then(|(_, found)| previous.condition_on(&found.column));
        match column.or_else(value) {
            Some(condition) => conditions.push(condition),
            None if matches!(chunk.cue, Some(Cue::All | Cue::Any | Cue::Each))
                || reading::is_known_table(chunk, previous) => {}
            None => return None,
        }
    }
    Some(conditions)
}
