//! Grouping: `for each city`, `group them by status`, `broken down by month`.

use super::Proposal;
use super::previous::Previous;
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::knowledge::TableId;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Aggregate, ColumnRef, DatePart, DateUnit, Expr, Function, PlanEdit};

const OPENINGS: &[&str] = &[
    "group",
    "grouped",
    "break",
    "broken down",
    "split",
    "by",
    "per",
    "for each",
    "for every",
    "in each",
    "in every",
    "each",
    "how many",
    "count",
    "and for each",
    "show the number for each",
    "show the count for each",
    "show the number",
    "what is it for each",
    "show it by",
    "show that by",
    "show this by",
    "show them by",
    "how is it for each",
    "what about each",
    "what about per",
    "how about for each",
    "what about for each",
];

/// One row for each value of something.
pub(super) fn group(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    // *by customer instead of month* says what goes, which the grammar knows.
    if !reading.starts(OPENINGS) || reading.says_what_goes() {
        return None;
    }
    let start = reading.chunks.iter().position(|chunk| {
        chunk.may_be(Cue::Each) || chunk.text == "by" || chunk.text.ends_with(" by") || chunk.text == "per"
    })?;
    let (before, after) = (reading.chunks.get(..start)?, reading.chunks.get(start + 1..)?);
    // `for each of the courses, show …` asks for something else of each.
    if after.iter().any(|chunk| matches!(chunk.cue, Some(Cue::Show | Cue::Which | Cue::Who))) {
        return None;
    }
    let words =
        ["group", "grouped", "break", "broken", "down", "split", "how", "many", "count", "number", "counts"];
    let nothing_before = before.iter().all(|chunk| {
        reading::is_soft(chunk)
            || chunk.text.split(' ').all(|word| words.contains(&word))
            || chunk.tables.iter().any(|(table, score)| *score > 0.6 && *table == previous.entity().1)
    });
    if !nothing_before {
        return None;
    }
    let mut by: Vec<Expr> = Vec::new();
    let mut edits = Vec::new();
    for chunk in after {
        if let Some(cut) = period(&chunk.text) {
            by.push(cut(date_column(previous)?));
            continue;
        }
        if let Some(found) = reading::column(chunk, previous) {
            if !found.joins.is_empty() {
                edits.push(PlanEdit::AddJoin { joins: found.joins.clone() });
            }
            by.push(found.expr());
        } else if chunk.table_score() > 0.6 {
            // `for each customer`: the rows of a table, by what names them.
            let (table, _) = chunk.table()?;
            let label = previous.knowledge.table(table).label.first().copied()?;
            let found = previous.find(&[(label, 1.0)])?;
            if !found.joins.is_empty() {
                edits.push(PlanEdit::AddJoin { joins: found.joins.clone() });
            }
            by.push(found.expr());
        } else if !reading::is_soft(chunk) && !matches!(chunk.cue, Some(Cue::And | Cue::Comma)) {
            return None;
        }
    }
    if by.is_empty() {
        return None;
    }
    let measures = match reading.has(&["how many", "count", "number"]) {
        true => vec![Expr::count_all()],
        false => Vec::new(),
    };
    edits.push(PlanEdit::GroupBy { by, measures });
    Some(Proposal::new("grouping", edits))
}

/// `and the number of products`, `how many products does it have?`, of groups of them: their number on top.
pub(super) fn measured(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let asks_of_groups = reading.has(&["have", "has", "had"]) && reading.refers();
    if previous.plan.select.group_by.is_empty()
        || !(reading.also || reading.again || asks_of_groups || reading.and)
    {
        return None;
    }
    let content = reading.content(&["have", "has", "had"]);
    let (first, rest) = content.split_first()?;
    let of_groups = rest.iter().all(|chunk| {
        matches!(chunk.cue, Some(Cue::Have | Cue::Stop | Cue::Show)) && !chunk.is_schema()
            || chunk.table().is_some_and(|(table, score)| score > 0.6 && previous.uses(table).is_some())
    });
    let number = size(rest, previous);
    if !super::order::says_number(first) || !of_groups || previous.shown().contains(&number) {
        return None;
    }
    Some(Proposal::new("the size of each group", vec![PlanEdit::AddColumn { expr: number }]))
}

/// How many rows a group has; of a table whose rows come several times, by what refers to them, each is counted once.
fn size(named: &[&Chunk], previous: &Previous<'_>) -> Expr {
    let select = previous.select();
    let repeated = named.iter().filter_map(|chunk| chunk.table()).find_map(|(table, _)| {
        let name = previous.uses(table)?;
        let [key] = previous.knowledge.table(table).key.as_slice() else { return None };
        let key = ColumnRef::new(name, &previous.knowledge.column(*key).name);
        let pairs = || select.joins.iter().flat_map(|join| &join.on);
        pairs().any(|(one, other)| *one == key || *other == key).then_some(key)
    });
    match repeated {
        Some(key) if !select.group_by.contains(&Expr::Column(key.clone())) => Expr::Aggregate {
            function: Aggregate::Count,
            argument: Box::new(Expr::Column(key)),
            distinct: true,
        },
        _ => Expr::count_all(),
    }
}

/// `for each of them, show the number of orders`, `also show their number of orders`.
///
/// The groups are what was shown.
pub(super) fn of_each_shown(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let each = reading.starts(&["for each of", "for each", "for every one", "for every", "of each"])
        || reading.has(&[
            "for each of them",
            "for each of those",
            "for each of these",
            "for each one",
            "each of them",
            "each of those",
            "each of these",
        ])
        || reading.text.trim_end_matches(['.', '?', ' ']).ends_with("for each");
    let theirs = reading.has(&["their", "its"]) && reading.also;
    let measure_at = reading
        .chunks
        .iter()
        .position(|chunk| chunk.may_be(Cue::HowMany) || super::count::function(chunk).is_some())?;
    if !each && !theirs
        || reading
            .chunks
            .iter()
            .any(|chunk| !chunk.values.is_empty() && chunk.values.iter().any(|value| value.quoted))
    {
        return None;
    }
    // What stands between `each` and the measure must be what was shown.
    let before = reading.chunks.get(..measure_at)?;
    let shown = previous.shown();
    let is_shown = |chunk: &Chunk| {
        reading::is_soft(chunk)
            || reading::is_known_table(chunk, previous)
            || reading::names_any(chunk, &shown, previous)
            || matches!(chunk.cue, Some(Cue::Each | Cue::Show | Cue::Comma | Cue::All))
            || ["corresponding", "respective"].contains(&chunk.text.as_str())
    };
    if !before.iter().all(is_shown) || previous.is_one_summary() {
        return None;
    }
    let after = reading.chunks.get(measure_at..)?;
    let mut edits = Vec::new();
    let function = after.iter().find_map(super::count::function);
    let counts = after.first().is_some_and(|chunk| chunk.may_be(Cue::HowMany));
    let mut measure = Expr::count_all();
    for chunk in after.iter().skip(1) {
        if !counts
            && function.is_some()
            && let Some(found) = reading::column(chunk, previous)
        {
            if !found.joins.is_empty() {
                edits.push(PlanEdit::AddJoin { joins: found.joins.clone() });
            }
            measure = Expr::aggregate(function?, found.expr());
            break;
        }
        if counts && let Some((table, _)) = chunk.table().filter(|(_, score)| *score > 0.6) {
            let joins = previous.joins_to(table)?;
            if !joins.is_empty() {
                edits.push(PlanEdit::AddJoin { joins });
            }
            break;
        }
    }
    if !counts && measure == Expr::count_all() {
        return None;
    }
    let (by, shows) = shown_as_groups(previous)?;
    edits.push(PlanEdit::GroupBy { by, measures: vec![measure.clone()] });
    edits.push(PlanEdit::ReplaceColumns { columns: shows.into_iter().chain(Some(measure)).collect() });
    Some(Proposal::new("a summary for each of what was shown", edits))
}

/// What was shown as groups, one for each row: what they are grouped by, and what is shown of each.
fn shown_as_groups(previous: &Previous<'_>) -> Option<(Vec<Expr>, Vec<Expr>)> {
    let columns: Vec<Expr> = previous.shown().into_iter().filter(|expr| !expr.is_aggregate()).collect();
    let all = previous.plan.select.projection.is_empty()
        || previous.plan.select.projection.iter().any(|shown| matches!(shown.expr, Expr::All(_)));
    Some(if all {
        let key = Expr::Column(previous.key()?);
        let label = previous.knowledge.table(previous.entity().1).label.first().copied();
        let label = label.and_then(|label| previous.find(&[(label, 1.0)])).map(|found| found.expr());
        (vec![key.clone()], vec![label.unwrap_or(key)])
    } else {
        // Rows of the table are told apart by its key, whatever they are called.
        let names_rows = !previous.plan.select.distinct
            && columns.iter().any(|expr| {
                matches!(expr, Expr::Column(column) if column.table == previous.entity().0
                    && previous.id_of(column).is_some_and(|id| previous.is_name(id)))
            });
        let of_entity =
            columns.iter().flat_map(Expr::columns).all(|column| column.table == previous.entity().0);
        match previous.key() {
            Some(key) if names_rows && of_entity => (vec![Expr::Column(key)], columns),
            _ => (columns.clone(), columns),
        }
    })
}

/// The number of rows of a table for each of what was shown: how to get it, and the number itself.
pub(super) fn number_of(table: TableId, previous: &Previous<'_>) -> Option<(Vec<PlanEdit>, Expr)> {
    let select = &previous.plan.select;
    if !select.group_by.is_empty() || previous.is_one_summary() || table == previous.entity().1 {
        return None;
    }
    let mut edits = Vec::new();
    let joins = previous.joins_to(table)?;
    if !joins.is_empty() {
        edits.push(PlanEdit::AddJoin { joins });
    }
    let (by, shows) = shown_as_groups(previous)?;
    let number = Expr::count_all();
    edits.push(PlanEdit::GroupBy { by, measures: vec![number.clone()] });
    edits.push(PlanEdit::ReplaceColumns { columns: shows.into_iter().chain([number.clone()]).collect() });
    Some((edits, number))
}

/// How a date is cut to a period: those of different years stay apart.
fn period(text: &str) -> Option<fn(Expr) -> Expr> {
    Some(match text {
        "year" | "years" => |date| Expr::part(DatePart::Year, date),
        "quarter" | "quarters" => |date| Expr::label(DateUnit::Quarter, date),
        "month" | "months" => |date| Expr::label(DateUnit::Month, date),
        "weekday" | "day of the week" => |date| Expr::function(Function::WeekdayName, vec![date]),
        _ => return None,
    })
}

/// The date of what was asked about: one with a condition, or the first of the table.
fn date_column(previous: &Previous<'_>) -> Option<Expr> {
    let is_date = |expr: &Expr| matches!(expr, Expr::Column(column) if previous.id_of(column).is_some_and(|id| previous.knowledge.column(id).column_type.is_temporal()));
    let in_conditions =
        previous.conditions().filter_map(|condition| condition.subject()).find(|expr| is_date(expr)).cloned();
    in_conditions.or_else(|| {
        previous.tables.iter().find_map(|(name, table)| {
            let columns = &previous.knowledge.table(*table).columns;
            columns
                .iter()
                .map(|id| previous.knowledge.column(*id))
                .find(|column| column.column_type.is_temporal())
                .map(|column| Expr::column(name, &column.name))
        })
    })
}
