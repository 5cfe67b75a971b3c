//! After the number of different values of a column, or after these values: which they are, and how many rows have each.

use super::Proposal;
use super::previous::Previous;
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use sqlogue_sql::plan::{Aggregate, Expr, PlanEdit};

/// `what are they?` after `how many different cities are there?`
pub(super) fn values(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    const ASKS: &[&str] = &[
        "what are",
        "which are",
        "what were",
        "list",
        "show",
        "name",
        "give",
        "tell",
        "display",
        "which ones",
        "and which",
        "return",
    ];
    let column = different(previous)?;
    let words = ["they", "details", "name", "names", "tell", "return"];
    let nothing_else = reading.content(&words).iter().all(|chunk| {
        matches!(chunk.cue, Some(Cue::Show | Cue::Which | Cue::Be | Cue::Stop | Cue::All | Cue::Distinct))
            || reading::names_any(chunk, std::slice::from_ref(&column), previous)
    });
    if !reading.starts(ASKS) || !nothing_else || reading.also || reading.number().is_some() {
        return None;
    }
    let edits =
        vec![PlanEdit::ReplaceColumns { columns: vec![column] }, PlanEdit::SetDistinct { distinct: true }];
    Some(Proposal::new("the values that were counted", edits))
}

/// `how many customers are in each of them?` after `how many different cities are there?`, or after the cities.
pub(super) fn of_each(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let listed = || {
        let select = &previous.plan.select;
        (select.distinct && select.group_by.is_empty())
            .then(|| previous.shown_attribute())
            .flatten()
            .map(Expr::Column)
    };
    let column = different(previous).or_else(listed)?;
    let asks = reading.starts(&[
        "how many",
        "count",
        "what is the number",
        "show the number",
        "and how many",
        "number of",
    ]);
    let of_each =
        reading.has(&["each", "each one", "each of them", "each of those", "each of these", "every one"]);
    let words = [
        "many", "number", "count", "belong", "come", "are", "there", "every", "fall", "into", "under",
        "live", "work",
    ];
    let rows = reading.content(&words).iter().all(|chunk| {
        reading::is_known_table(chunk, previous)
            || reading::names_any(chunk, std::slice::from_ref(&column), previous)
            || matches!(
                chunk.cue,
                Some(Cue::HowMany | Cue::Each | Cue::Be | Cue::Have | Cue::Stop | Cue::Show)
            )
    });
    if !asks || !of_each || !rows {
        return None;
    }
    let count = Expr::count_all();
    let mut edits = Vec::new();
    if previous.plan.select.distinct {
        edits.push(PlanEdit::SetDistinct { distinct: false });
    }
    edits.push(PlanEdit::ReplaceColumns { columns: vec![column.clone()] });
    edits.push(PlanEdit::GroupBy { by: vec![column.clone()], measures: vec![count.clone()] });
    edits.push(PlanEdit::ReplaceColumns { columns: vec![column, count] });
    Some(Proposal::new("how many rows have each of the values", edits))
}

/// The column whose different values were counted.
pub(super) fn different(previous: &Previous<'_>) -> Option<Expr> {
    match previous.summaries().as_slice() {
        [Expr::Aggregate { function: Aggregate::Count, distinct: true, argument }]
            if previous.is_one_summary() && !matches!(**argument, Expr::All(_)) =>
        {
            Some((**argument).clone())
        }
        _ => None,
    }
}
