//! More of what was shown: every column of the rows, and every group after the first.

use super::Proposal;
use super::counted::different;
use super::previous::{Found, Previous};
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use sqlogue_sql::plan::{Aggregate, Condition, Direction, Expr, Order, PlanEdit};

/// What asks for all that is known of rows.
const DETAILS: &[&str] = &[
    "info",
    "information",
    "details",
    "detail",
    "data",
    "everything",
    "all columns",
    "every column",
    "all fields",
    "all the columns",
    "all the fields",
    "record",
    "records",
    "profile",
    "profiles",
    "attributes",
];

/// `show all their info` after a number of rows, or after some of their columns.
pub(super) fn rows(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let asks = reading
        .starts(&["show", "give", "list", "tell", "what", "find", "display", "return", "see", "print"]);
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
            "info",
            "details",
            "detail",
            "data",
            "everything",
            "every",
            "record",
            "records",
            "profile",
            "profiles",
            "attributes",
            "fields",
            "complete",
            "full",
            "entire",
            "whole",
            "tell",
            "find",
            "print",
            "available",
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
    let all = reading.has(&["each", "every", "all", "others", "everyone", "everybody", "the rest"]);
    // *how do the others compare?* asks for all of them.
    let points = reading.has(&["this", "that", "it", "same", "these", "data", "number", "numbers", "them"])
        || reading.has(&["the others", "everybody else", "everyone else"]);
    let limit = previous.plan.limit?;
    if !all || !points || limit == 0 || previous.plan.select.group_by.is_empty() || reading.number().is_some()
    {
        return None;
    }
    let shown = previous.shown();
    let nothing_else = reading
        .content(&[
            "each",
            "every",
            "data",
            "number",
            "numbers",
            "count",
            "others",
            "everyone",
            "thing",
            "rest",
            "compare",
            "doing",
            "else",
            "everybody",
        ])
        .iter()
        .all(|chunk| {
            reading::is_known_table(chunk, previous)
                || reading::names_any(chunk, &shown, previous)
                || reading::names_any(chunk, &previous.plan.select.group_by, previous)
                || matches!(
                    chunk.cue,
                    Some(Cue::Show | Cue::All | Cue::Each | Cue::Stop | Cue::Same | Cue::HowMany)
                )
        });
    nothing_else.then(|| Proposal::new("every group", vec![PlanEdit::ClearLimit]))
}

/// `show me the first one with its name`, `the details of the top one`, of rows in an order: the first of them.
pub(super) fn first(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    const FIRST: &[&str] = &[
        "first one",
        "top one",
        "first of them",
        "first of these",
        "first of those",
        "first row",
        "first result",
    ];
    if previous.plan.order_by.is_empty() || previous.plan.limit == Some(1) || !reading.has(FIRST) {
        return None;
    }
    let mut columns: Vec<Found> = Vec::new();
    let around = [
        "first",
        "top",
        "one",
        "row",
        "result",
        "information",
        "info",
        "details",
        "data",
        "tell",
        "only",
        "just",
        "find",
    ];
    for chunk in reading.content(&around) {
        match reading::column(chunk, previous) {
            Some(found) if !columns.iter().any(|other| other.column == found.column) => columns.push(found),
            Some(_) => {}
            None if reading::is_known_table(chunk, previous)
                || chunk.cue.is_some() && chunk.number.is_none() => {}
            None if chunk.number.as_ref().is_some_and(|number| number.ordinal || chunk.text == "one") => {}
            None => return None,
        }
    }
    if columns.iter().any(|found| !found.joins.is_empty()) {
        return None;
    }
    let mut edits = Vec::new();
    let mut named: Vec<Expr> = columns.iter().map(Found::expr).collect();
    let shown = &previous.plan.select.projection;
    // *the first one with its price*: beside what was shown, unless that is named too.
    if reading.has(&["with"]) && !shown.iter().any(|one| named.contains(&one.expr)) {
        named = shown.iter().map(|one| one.expr.clone()).chain(named).collect();
    }
    if !columns.is_empty() {
        edits.push(PlanEdit::ReplaceColumns { columns: named });
    }
    edits.push(PlanEdit::SetLimit { limit: 1 });
    Some(Proposal::new("the first of what was shown", edits))
}

/// `which is the most popular?` after the values of a column, or their number: the value that most rows have.
pub(super) fn most_common(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    const WORDS: &[&str] = &["popular", "common", "frequent", "frequently", "often"];
    let direction = match (reading.has(&["most"]), reading.has(&["least", "rarest", "fewest"])) {
        (true, false) => Direction::Descending,
        (false, true) => Direction::Ascending,
        _ => return None,
    };
    // *which country has the most people?*, after the countries of people.
    let has_most = || {
        reading.has(&["the most", "the least", "the fewest", "most such"])
            && reading.chunks.iter().any(|chunk| reading::is_known_table(chunk, previous))
    };
    if !(reading.has(WORDS) || has_most()) || reading.number().is_some_and(|number| number > 1) {
        return None;
    }
    let shared = || previous.shared_column().or_else(|| previous.shown_reference()).map(Expr::Column);
    let column = different(previous).or_else(shared)?;
    let groups = &previous.plan.select.group_by;
    if !groups.is_empty() && *groups != [column.clone()] {
        return None;
    }
    let around = [
        "most",
        "least",
        "appear",
        "appears",
        "occur",
        "occurs",
        "is",
        "used",
        "one",
        "among",
        "popular",
        "common",
        "frequent",
        "frequently",
        "often",
        "list",
        "tell",
        "fewest",
        "such",
        "has",
        "have",
    ];
    let nothing_else = reading.content(&around).iter().all(|chunk| {
        reading::is_known_table(chunk, previous)
            || reading::names_any(chunk, std::slice::from_ref(&column), previous)
            || matches!(
                chunk.cue,
                Some(
                    Cue::Which
                        | Cue::Have
                        | Cue::MostCommon(_)
                        | Cue::Most(_)
                        | Cue::Superlative(..)
                        | Cue::Be
                        | Cue::Show
                        | Cue::Stop
                        | Cue::Comma
                )
            )
    });
    if !nothing_else {
        return None;
    }
    let edits = first_by_size(column, direction, previous);
    Some(Proposal::new("the value that most rows have", edits))
}

/// The edits that show the value of a column that most rows have, or fewest.
fn first_by_size(column: Expr, direction: Direction, previous: &Previous<'_>) -> Vec<PlanEdit> {
    let mut edits = Vec::new();
    if previous.plan.select.distinct {
        edits.push(PlanEdit::SetDistinct { distinct: false });
    }
    if previous.plan.limit.is_some() {
        edits.push(PlanEdit::ClearLimit);
    }
    if previous.plan.select.group_by.is_empty() {
        edits.extend([
            PlanEdit::ReplaceColumns { columns: vec![column.clone()] },
            PlanEdit::GroupBy { by: vec![column.clone()], measures: vec![Expr::count_all()] },
            PlanEdit::ReplaceColumns { columns: vec![column] },
        ]);
    }
    edits.extend([
        PlanEdit::SetOrder { order: vec![Order { expr: Expr::count_all(), direction }] },
        PlanEdit::SetLimit { limit: 1 },
    ]);
    edits
}

/// `show all the books of this writer` after the writer of one book: the rows that have the value that was shown.
pub(super) fn with_this_value(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let column = previous.shared_column()?;
    let plain = previous.plan.with.is_empty() && previous.plan.set_operations.is_empty();
    if !plain || previous.conditions().next().is_none() && previous.plan.limit.is_none() {
        return None;
    }
    let shown = Expr::Column(column.clone());
    // The value itself is pointed at: *this writer*, *those cities*, *he*.
    let points = reading.chunks.windows(2).any(|pair| match pair {
        [one, next] => {
            matches!(one.text.as_str(), "this" | "that" | "these" | "those")
                && reading::names_any(next, std::slice::from_ref(&shown), previous)
        }
        _ => false,
    }) || reading.has(&["he", "she"]);
    let (name, table) = previous.entity();
    let [one] = previous.tables.as_slice() else { return None };
    if !points || one.0 != name {
        return None;
    }
    let mut asked: Vec<Found> = Vec::new();
    let mut names_rows = false;
    for chunk in reading.content(&["tell", "find", "all", "other", "same"]) {
        if reading::names_any(chunk, std::slice::from_ref(&shown), previous) {
            continue;
        }
        match reading::column(chunk, previous).filter(|found| found.joins.is_empty()) {
            Some(found) => asked.push(found),
            None if reading::is_known_table(chunk, previous) => names_rows = true,
            None if chunk.cue.is_some() && chunk.number.is_none()
                || chunk.text.len() > 3 && !chunk.is_schema() => {}
            None => return None,
        }
    }
    let label = &previous.knowledge.table(table).label;
    if asked.is_empty() && names_rows {
        asked = label.iter().filter_map(|id| previous.find(&[(*id, 1.0)])).collect();
    }
    if asked.is_empty() {
        return None;
    }
    let condition = Condition::among(shown, previous.plan.clone());
    let mut edits = vec![PlanEdit::ReplaceColumns { columns: asked.iter().map(Found::expr).collect() }];
    if previous.plan.select.distinct {
        edits.push(PlanEdit::SetDistinct { distinct: false });
    }
    if previous.conditions().next().is_some() {
        edits.push(PlanEdit::ClearFilters);
    }
    if previous.plan.limit.is_some() {
        edits.extend([PlanEdit::ClearLimit, PlanEdit::ClearOrder]);
    }
    edits.push(PlanEdit::AddFilter { condition });
    Some(Proposal::new("the rows that have the value shown", edits))
}
