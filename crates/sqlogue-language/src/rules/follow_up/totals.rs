//! Summaries of the numbers that were shown: `sum them up`, `the average of these`, `what is the total?`

use super::Proposal;
use super::previous::Previous;
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Aggregate, Expr, PlanEdit};

/// Words that may stand around a summary and say nothing more.
const AROUND: &[&str] = &[
    "what",
    "whats",
    "what's",
    "calculate",
    "compute",
    "tell",
    "up",
    "together",
    "altogether",
    "overall",
    "over",
    "across",
    "grand",
    "that",
    "make",
    "makes",
    "come",
    "do",
    "does",
    "adds",
    "comes",
    "amount",
    "number",
    "numbers",
    "value",
    "values",
    "figure",
    "figures",
    "sum",
    "total",
    "totals",
    "add",
    "average",
    "mean",
    "median",
    "on",
    "per",
    "whole",
    "everything",
    "above",
    "much",
    "groups",
    "lines",
];

/// Words that point at what was shown, so that a summary can only be one of these numbers.
const POINTS: &[&str] = &[
    "these",
    "those",
    "them",
    "that",
    "this",
    "it",
    "all of them",
    "everything",
    "these numbers",
    "the above",
    "those numbers",
    "across",
    "overall",
];

/// `sum them up`, `the average of these`: of groups with a number each, one number.
///
/// After one summary of all rows there is nothing to sum up. `the average?` alone, after totals, may as well mean the average of
/// each group's rows, so that only what points at the numbers shown is taken; a total of counts or of totals has one meaning.
pub(super) fn totals(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let summaries = previous.summaries();
    let [measure] = summaries.as_slice() else { return None };
    // *the median instead of the total* sums up the same rows in another way.
    let in_place = reading.says_what_goes();
    let adds =
        reading.also && !reading.has(&["add up", "adds up", "add it up", "add them up", "add that up"]);
    if previous.plan.select.group_by.is_empty() || adds || in_place || reading.number().is_some() {
        return None;
    }
    if reading.has(&["cumulative", "cumulatively", "running", "accumulated", "cumulated", "over time"]) {
        return None;
    }
    let function = said(reading)?;
    let adds_up = function == Aggregate::Sum && is_additive(measure);
    // Of rows that were counted there is no other average.
    let of_counts = counts(measure) && matches!(function, Aggregate::Avg | Aggregate::Sum);
    if !adds_up && !of_counts && !reading.has(POINTS) && !names_groups(reading, previous) {
        return None;
    }
    let nothing_else = reading.content(AROUND).iter().all(|chunk| {
        matches!(chunk.cue, Some(Cue::Aggregate(_) | Cue::Show | Cue::Stop | Cue::All | Cue::HowMany))
            || names_group(chunk, previous)
            || reading::is_known_table(chunk, previous) && adds_up
    });
    // A share or a rate of several groups has no total, and the groups are of different size.
    if !nothing_else || function == Aggregate::Sum && !is_additive(measure) {
        return None;
    }
    let edit = PlanEdit::Aggregate { function, argument: Some((*measure).clone()) };
    Some(Proposal::new(format!("the {} of the numbers shown", function.name()), vec![edit]))
}

/// The summary that is asked for.
pub(super) fn said(reading: &Reading) -> Option<Aggregate> {
    const TOTALS: &[&str] = &[
        "come to",
        "comes to",
        "adds up to",
        "amount to",
        "sum",
        "total",
        "in total",
        "altogether",
        "add them up",
        "add up",
        "add it up",
        "sum up",
        "sum it up",
        "sum them up",
        "all together",
        "overall",
        "grand total",
        "together",
        "add up to",
        "worth together",
        "come to together",
        "as a whole",
    ];
    let named = reading.chunks.iter().flat_map(Chunk::cues).find_map(|cue| match cue {
        Cue::Aggregate(function) if function != Aggregate::Count => Some(function),
        _ => None,
    });
    named.or_else(|| reading.has(TOTALS).then_some(Aggregate::Sum))
}

fn counts(measure: &Expr) -> bool {
    matches!(measure, Expr::Aggregate { function: Aggregate::Count, .. })
}

/// True for counts and totals, of which a total is the total of all.
fn is_additive(measure: &Expr) -> bool {
    match measure {
        Expr::Aggregate { function, distinct, .. } => {
            matches!(function, Aggregate::Sum) || matches!(function, Aggregate::Count) && !distinct
        }
        _ => false,
    }
}

/// `per customer`, `across the customers`, after a number for each customer.
fn names_groups(reading: &Reading, previous: &Previous<'_>) -> bool {
    reading.has(&["per", "across", "over all", "for all"])
        && reading.chunks.iter().any(|chunk| names_group(chunk, previous))
}

/// True for the name of what each group is.
pub(super) fn names_group(chunk: &Chunk, previous: &Previous<'_>) -> bool {
    let keys = || previous.plan.select.group_by.iter().flat_map(Expr::columns);
    let is_key = || reading::names_any(chunk, &previous.plan.select.group_by, previous);
    let is_table = |table| {
        previous.uses(table).is_some_and(|name| keys().any(|column| column.table == name))
            && keys().any(|column| {
                previous.id_of(column).is_some_and(|id| {
                    let entry = previous.knowledge.column(id);
                    entry.is_key || previous.is_name(id)
                })
            })
    };
    is_key() || chunk.tables.iter().any(|(table, score)| *score > 0.6 && is_table(*table))
}
