//! Restrictions that go: `all of them`, `remove the city filter`, `any city`.

use super::Proposal;
use super::previous::Previous;
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use sqlogue_sql::plan::{Condition, PlanEdit};

/// `all of them`, `remove the filter on city`, `any city`.
pub(super) fn lifted(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let text = reading.text.trim_end_matches(['?', '.', '!', ' ']);
    let all = [
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
    if all.contains(&text)
        || reading.has(&["all filters", "every filter", "the filters", "filters", "any filter", "no filter"])
            && reading.starts(&["remove", "clear", "drop", "reset", "without", "no", "delete"])
    {
        let mut edits = Vec::new();
        if previous.conditions().next().is_some() {
            edits.push(PlanEdit::ClearFilters);
        }
        if previous.plan.limit.is_some() {
            edits.push(PlanEdit::ClearLimit);
        }
        return (!edits.is_empty()).then(|| Proposal::new("every restriction goes", edits));
    }
    let lifts = reading.starts(&[
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
    ]);
    let filter = reading.has(&["filter", "condition", "restriction", "constraint"])
        || !reading.starts(&["remove", "drop", "without"]);
    if !lifts || !filter {
        return None;
    }
    let ignored = &[
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
    let content = reading.content(ignored);
    let mut conditions: Vec<&Condition> = Vec::new();
    for chunk in &content {
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
    if content.is_empty() {
        let mut all = previous.conditions();
        conditions.push(all.next()?);
        // `remove the filter` where there are several: which one is not said, so all go.
        conditions.extend(all);
    }
    if conditions.is_empty() {
        return None;
    }
    let edits = conditions
        .into_iter()
        .map(|condition| PlanEdit::RemoveFilter { condition: condition.clone() })
        .collect();
    Some(Proposal::new("a restriction goes", edits))
}
