//! After the largest or the smallest of a column: what else the row has, which row it is, and the first few rows.

use super::Proposal;
use super::columns::{is_entity, joins};
use super::previous::{Found, Previous};
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Aggregate, Direction, Expr, Order, PlanEdit};

/// The column whose largest or smallest value was shown alone, and by which direction it comes first.
fn shown(previous: &Previous<'_>) -> Option<(Expr, Direction)> {
    let summaries = previous.summaries();
    let [Expr::Aggregate { function, argument, .. }] = summaries.as_slice() else { return None };
    let direction = match function {
        Aggregate::Min => Direction::Ascending,
        Aggregate::Max => Direction::Descending,
        _ => return None,
    };
    previous.is_one_summary().then(|| ((**argument).clone(), direction))
}

/// The first rows by the column.
fn first_rows(columns: Vec<Expr>, number: u64, (by, direction): (Expr, Direction)) -> [PlanEdit; 3] {
    [
        PlanEdit::ReplaceColumns { columns },
        PlanEdit::SetOrder { order: vec![Order { expr: by, direction }] },
        PlanEdit::SetLimit { limit: number },
    ]
}

/// `and their names` after the highest price: the price with the names beside it.
pub(super) fn beside(columns: &[Found], previous: &Previous<'_>) -> Option<Proposal> {
    let extreme = shown(previous)?;
    let all = std::iter::once(extreme.0.clone()).chain(columns.iter().map(Found::expr)).collect();
    let edits = joins(columns).into_iter().chain(first_rows(all, 1, extreme)).collect();
    Some(Proposal::new("columns of the row with the extreme", edits))
}

/// `the top three` after the highest price: the first rows by it.
pub(super) fn first_few(number: u64, previous: &Previous<'_>) -> Option<Proposal> {
    let extreme = shown(previous)?;
    let called = label(previous).into_iter().map(|found| found.expr()).filter(|expr| *expr != extreme.0);
    let columns = called.chain([extreme.0.clone()]).collect();
    let account = format!("the first {number} rows by what was summarised");
    Some(Proposal::new(account, first_rows(columns, number, extreme).into()))
}

/// What points at a value that was shown.
const VALUES: &[&str] = &[
    "this long",
    "that long",
    "this much",
    "that much",
    "this many",
    "that many",
    "this old",
    "that old",
    "this high",
    "that high",
    "this low",
    "that low",
    "this amount",
    "that amount",
    "has this",
    "has that",
    "has it",
];
/// What kind of value is pointed at.
const OF_VALUES: &[&str] = &["long", "much", "many", "old", "high", "low", "amount"];

/// `which product is that?`, `what is its name?`, `the name of the person with this age`: what is asked of the row.
pub(super) fn row(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let extreme = shown(previous)?;
    let points = reading.has(&["this", "that", "its", "it", "his", "her", "their"]);
    if !points && !reading.starts(&["who", "which one", "which"])
        || reading.number().is_some()
        || reading.also
    {
        return None;
    }
    // *who has worked this long?*, *who makes that much?*: the value itself is pointed at.
    let points_at_value = reading.has(VALUES);
    let is_of_value = |chunk: &Chunk| {
        OF_VALUES.contains(&chunk.text.as_str())
            || !chunk.is_schema() && chunk.values.is_empty() && chunk.cue.is_none()
    };
    let says_more = |chunk: &&Chunk| {
        let is_frame = matches!(
            chunk.cue,
            Some(
                Cue::Show
                    | Cue::Who
                    | Cue::Which
                    | Cue::Be
                    | Cue::Have
                    | Cue::Stop
                    | Cue::And
                    | Cue::Comma
                    | Cue::HowMany
            )
        );
        let is_said = is_frame
            || points_at_value && is_of_value(chunk)
            || is_entity(chunk, previous)
            || reading::names_any(chunk, std::slice::from_ref(&extreme.0), previous);
        !is_said
    };
    let around = ["with", "has", "have", "find", "tell", "print", "get", "same", "person", "whose", "many"];
    let asked = reading.content(&around).into_iter().filter(says_more);
    let named: Vec<Found> =
        asked.map(|chunk| reading::column(chunk, previous)).collect::<Option<Vec<Found>>>()?;
    let columns = if named.is_empty() { label(previous) } else { named };
    if columns.is_empty() {
        return None;
    }
    let shown = columns.iter().map(Found::expr).collect();
    let edits = joins(&columns).into_iter().chain(first_rows(shown, 1, extreme)).collect();
    Some(Proposal::new("the row with the extreme", edits))
}

/// The columns by which the rows are called.
fn label(previous: &Previous<'_>) -> Vec<Found> {
    let label = &previous.knowledge.table(previous.entity().1).label;
    label.iter().filter_map(|id| previous.find(&[(*id, 1.0)])).collect()
}

/// `the longest instead`, `what about the largest weight?` after the first rows by something else: as many rows, by that.
pub(super) fn by_another(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let [order] = previous.plan.order_by.as_slice() else { return None };
    if previous.plan.limit.is_none() || reading.number().is_some() || !(reading.again || reading.instead) {
        return None;
    }
    let direction = reading.chunks.iter().flat_map(Chunk::cues).find_map(|cue| match cue {
        Cue::Superlative(direction, None) | Cue::Most(direction) => Some(direction),
        _ => None,
    })?;
    let mut named: Vec<Found> = Vec::new();
    for chunk in reading.content(&["one", "ones", "what", "about", "number", "amount"]) {
        let says_end = chunk.cues().any(|cue| matches!(cue, Cue::Superlative(_, None) | Cue::Most(_)));
        match reading::column(chunk, previous) {
            Some(found) => named.push(found),
            None if says_end || is_entity(chunk, previous) || chunk.cue == Some(Cue::Stop) => {}
            None => return None,
        }
    }
    let [found] = named.as_slice() else { return None };
    if !found.joins.is_empty() || found.expr() == order.expr {
        return None;
    }
    let mut edits = Vec::new();
    // What was shown because the rows were sorted by it gives way to what they are sorted by now.
    let shown = &previous.plan.select.projection;
    if shown.len() > 1 && shown.iter().any(|one| one.expr == order.expr) {
        let turned =
            shown.iter().map(|one| if one.expr == order.expr { found.expr() } else { one.expr.clone() });
        edits.push(PlanEdit::ReplaceColumns { columns: turned.collect() });
    }
    edits.push(PlanEdit::SetOrder { order: vec![Order { expr: found.expr(), direction }] });
    Some(Proposal::new("the first rows by something else", edits))
}
