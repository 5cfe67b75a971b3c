//! More of what was shown: every column of the rows, and every group after the first.

use super::Proposal;
use super::previous::Previous;
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use sqlogue_sql::plan::{Aggregate, Expr, PlanEdit};

/// What asks for all that is known of rows.
const DETAILS: &[&str] = &[
    "info", "information", "details", "detail", "data", "everything", "all columns", "every column", "all fields",
    "all the columns", "all the fields", "record", "records", "profile", "profiles", "attributes",
];

/// `show all their info` after a number of rows, or after some of their columns.
pub(super) fn rows(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let asks = reading.starts(&["show", "give", "list", "tell", "what", "find", "display", "return", "see", "print"]);
    let select = &previous.plan.select;
    let counted = previous.is_one_summary()
        && previous
            .summaries()
            .iter()
            .all(|expr| matches!(expr, Expr::Aggregate { function: Aggregate::Count, .. }));
    let rows = select.group_by.is_empty() && previous.summaries().is_empty();
    if !asks || !reading.has(DETAILS) || !(counted || rows) || !previous.plan.set_operations.is_empty() {
        return None;
    }
    let nothing_else = reading
        .content(&[
            "info", "details", "detail", "data", "everything", "every", "record", "records", "profile", "profiles",
            "attributes", "fields", "complete", "full", "entire", "whole", "tell", "find", "print", "available",
        ])
        .iter()
        .all(|chunk| {
            reading::is_known_table(chunk, previous)
                || matches!(chunk.cue, Some(Cue::Show | Cue::All | Cue::Details | Cue::Stop | Cue::Which))
        });
    if !nothing_else {
        return None;
    }
    let columns = match select.joins.is_empty() {
        true => Vec::new(),
        false => vec![Expr::All(Some(previous.entity().0.to_owned()))],
    };
    let mut edits = vec![PlanEdit::ReplaceColumns { columns }];
    if select.distinct {
        edits.push(PlanEdit::SetDistinct { distinct: false });
    }
    Some(Proposal::new("every column of the rows", edits))
}

/// `show this for every city` after the city with the most: all groups again.
pub(super) fn groups(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let all = reading.has(&["each", "every", "all", "others", "everyone", "the rest"]);
    let points = reading.has(&["this", "that", "it", "same", "these", "data", "number", "numbers", "them"]);
    let limit = previous.plan.limit?;
    if !all || !points || limit == 0 || previous.plan.select.group_by.is_empty() || reading.number().is_some() {
        return None;
    }
    let shown = previous.shown();
    let nothing_else = reading
        .content(&["each", "every", "data", "number", "numbers", "count", "others", "everyone", "thing", "rest"])
        .iter()
        .all(|chunk| {
            reading::is_known_table(chunk, previous)
                || reading::names_any(chunk, &shown, previous)
                || reading::names_any(chunk, &previous.plan.select.group_by, previous)
                || matches!(chunk.cue, Some(Cue::Show | Cue::All | Cue::Each | Cue::Stop | Cue::Same | Cue::HowMany))
        });
    nothing_else.then(|| Proposal::new("every group", vec![PlanEdit::ClearLimit]))
}
