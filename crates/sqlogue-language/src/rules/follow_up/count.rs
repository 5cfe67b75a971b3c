//! Summaries of what was shown: `how many are there?`, `the average price?`, `and the minimum?`.

use super::Proposal;
use super::previous::{Found, Previous};
use super::reading::{self, Reading};
use super::totals;
use crate::rules::cue::Cue;
use sqlogue_sql::plan::{Aggregate, Direction, Expr, PlanEdit};

/// `how many are there?`, `count them`.
pub(super) fn count(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let asks = reading.starts(&[
        "how many",
        "count",
        "what is the number",
        "what is the count",
        "what is the total number",
        "give me the number",
        "what's the count",
        "number of",
        "show the number",
        "show the count",
        "how long is that list",
        "how long is this list",
        "how long is the list",
        "tell me how many",
        "find the number",
    ]);
    if !asks || reading.number().is_some() {
        return None;
    }
    let ignored = &[
        "how",
        "many",
        "count",
        "number",
        "total",
        "exist",
        "exists",
        "altogether",
        "tell",
        "find",
        "what's",
        "different",
        "distinct",
        "unique",
        "entries",
        "such",
        "much",
        "long",
    ];
    let rest = reading.content(ignored);
    let of_entity = |chunk: &crate::rules::link::Chunk| {
        chunk.values.is_empty()
            && chunk.tables.iter().any(|(table, score)| *score > 0.6 && *table == previous.entity().1)
    };
    let refers = ["list", "them", "those", "these", "that", "they", "there", "it", "such", "ones"]
        .iter()
        .any(|word| reading.has(&[word]));
    // *how many people work there?* after a number for each department does not count departments.
    let is_grouped = !previous.plan.select.group_by.is_empty();
    let of_shown = |chunk| of_entity(chunk) && (!is_grouped || totals::names_group(chunk, previous));
    let plain = rest.iter().all(|chunk| of_shown(chunk));
    // `how many different cities are there?` after the cities were shown
    let shown = rest.iter().all(|chunk| {
        reading::column(chunk, previous).is_some_and(|found| {
            previous.plan.select.projection.iter().any(|shown| shown.expr == found.expr())
        })
    });
    if (plain && (refers || rest.is_empty())) || (shown && !rest.is_empty()) {
        if previous.is_one_summary() {
            return None;
        }
        // Of an attribute that many rows share, the different values were meant: `how many` of the cities shown.
        let distinct = previous.shown_attribute().is_some()
            || reading.has(&["different", "distinct", "unique"])
                && previous.plan.select.projection.len() == 1;
        let mut edits = Vec::new();
        if distinct && previous.plan.select.group_by.is_empty() && !previous.plan.select.distinct {
            edits.push(PlanEdit::SetDistinct { distinct: true });
        }
        edits.push(PlanEdit::Aggregate { function: Aggregate::Count, argument: None });
        return Some(Proposal::new("the shown rows are counted", edits));
    }
    None
}

/// `what about the maximum?` after a summary.
pub(super) fn other_summary(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let summaries = previous.summaries();
    if summaries.is_empty()
        || reading.starts(&["which", "who"])
        || reading.number().is_some_and(|number| number > 1)
    {
        return None;
    }
    let functions = functions(reading);
    let arguments: Vec<Expr> =
        summaries.iter().flat_map(|expr| expr.columns()).map(|column| Expr::Column(column.clone())).collect();
    let ignored = &[
        "maximum",
        "minimum",
        "average",
        "total",
        "mean",
        "sum",
        "max",
        "min",
        "highest",
        "lowest",
        "largest",
        "smallest",
        "count",
        "number",
        "statistics",
        "stats",
        "figures",
        "among",
    ];
    let rest = reading.content(ignored);
    let nothing_else = rest.iter().all(|chunk| {
        function(chunk).is_some()
            || matches!(chunk.cue, Some(Cue::And | Cue::Show | Cue::Comma | Cue::Or))
            || reading::is_known_table(chunk, previous)
            || reading::names_any(chunk, &arguments, previous)
            || chunk.number.is_none() && previous.has_said(&chunk.text)
    });
    // What stands behind *instead of* is not asked for, which the grammar knows.
    let in_place = functions.len() > 1 && reading.says_what_goes();
    if functions.is_empty() || in_place || !nothing_else {
        return None;
    }
    // What was only counted is no number: a key has no average.
    let argument = summaries.iter().find_map(|expr| match expr {
        Expr::Aggregate { function: Aggregate::Count, .. } => None,
        Expr::Aggregate { argument, .. } => Some((**argument).clone()),
        _ => None,
    })?;
    let new = functions.iter().map(|function| Expr::aggregate(*function, argument.clone()));
    // What the groups are stays beside their summary.
    let kept = previous.plan.select.projection.iter().map(|shown| &shown.expr);
    let kept =
        kept.filter(|expr| !expr.is_aggregate() || reading.also && !reading.has(&["give me"])).cloned();
    let columns = kept.chain(new).collect();
    Some(Proposal::new("another summary of the same", vec![PlanEdit::ReplaceColumns { columns }]))
}

pub(super) fn function(chunk: &crate::rules::link::Chunk) -> Option<Aggregate> {
    // `the minimum of` may also begin a bound.
    if let Some(word) = chunk.text.split(' ').find(|word| ["minimum", "maximum"].contains(word)) {
        return Some(if word == "minimum" { Aggregate::Min } else { Aggregate::Max });
    }
    chunk.cues().find_map(|cue| match cue {
        Cue::Aggregate(function) => Some(function),
        Cue::Superlative(Direction::Descending, None) => Some(Aggregate::Max),
        Cue::Superlative(Direction::Ascending, None) => Some(Aggregate::Min),
        _ => None,
    })
}

fn functions(reading: &Reading) -> Vec<Aggregate> {
    reading.chunks.iter().filter_map(function).fold(Vec::new(), |mut all, function| {
        if !all.contains(&function) {
            all.push(function);
        }
        all
    })
}

/// What asks for a summary, and names no column.
const PASSED_OVER: &[&str] = &[
    "what",
    "does",
    "do",
    "that",
    "this",
    "it",
    "they",
    "all",
    "together",
    "altogether",
    "add",
    "adds",
    "come",
    "comes",
    "to",
    "much",
    "maximum",
    "minimum",
    "average",
    "total",
    "mean",
    "sum",
    "max",
    "min",
    "highest",
    "lowest",
    "largest",
    "smallest",
    "calculate",
    "compute",
    "number",
    "up",
    "amount",
    "tell",
    "find",
    "among",
    "statistics",
    "stats",
    "figures",
];

/// `what is their average price?`, `the total of it?`
pub(super) fn summary(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let mut functions = functions(reading);
    if functions.is_empty() {
        functions.extend(totals::said(reading));
    }
    if functions.is_empty()
        || previous.is_one_summary() && reading.chunks.iter().any(|chunk| chunk.table_score() > 0.8)
    {
        return None;
    }
    let columns = summarised(reading, previous)?;
    let arguments = arguments(&functions, &columns, previous)?;
    // The largest price is a number; the largest city is a row.
    if reading.starts(&["which", "who"]) {
        return None;
    }
    // After a summary of all rows it is those rows that are summarised, not their summary.
    if let ([function], [argument]) = (functions.as_slice(), arguments.as_slice())
        && !previous.is_one_summary()
        && !is_extreme_of_different(*function, argument, previous)
    {
        let edit = PlanEdit::Aggregate { function: *function, argument: Some(argument.clone()) };
        return Some(Proposal::new(format!("the {} of what was shown", function.name()), vec![edit]));
    }
    if previous.plan.limit.is_some() || !previous.plan.select.group_by.is_empty() {
        return None;
    }
    let columns = functions
        .iter()
        .flat_map(|function| arguments.iter().map(|argument| Expr::aggregate(*function, argument.clone())))
        .collect();
    let mut edits = vec![PlanEdit::ReplaceColumns { columns }];
    if previous.plan.select.distinct {
        edits.push(PlanEdit::SetDistinct { distinct: false });
    }
    if !previous.plan.order_by.is_empty() {
        edits.push(PlanEdit::ClearOrder);
    }
    Some(Proposal::new("summaries of what was shown", edits))
}

/// True for the largest or smallest of different values, which is that of all.
fn is_extreme_of_different(function: Aggregate, argument: &Expr, previous: &Previous<'_>) -> bool {
    let plan = previous.plan;
    matches!(function, Aggregate::Max | Aggregate::Min)
        && plan.select.distinct
        && plan.limit.is_none()
        && plan.select.group_by.is_empty()
        && plan.set_operations.is_empty()
        && plan.select.projection.iter().any(|shown| shown.expr == *argument)
}

/// The columns that are named; none where something else is said.
fn summarised(reading: &Reading, previous: &Previous<'_>) -> Option<Vec<Found>> {
    let mut columns = Vec::new();
    for chunk in reading.content(PASSED_OVER) {
        if let Some(found) = reading::column(chunk, previous) {
            columns.push(found);
        } else if function(chunk).is_none()
            && !matches!(chunk.cue, Some(Cue::And | Cue::Comma | Cue::Show | Cue::HowMany))
            && !reading::is_known_table(chunk, previous)
            && (chunk.number.is_some() || !previous.has_said(&chunk.text))
        {
            return None;
        }
    }
    Some(columns)
}

/// What the functions are of: the columns that are named, else what is shown, where they can be of that.
fn arguments(functions: &[Aggregate], columns: &[Found], previous: &Previous<'_>) -> Option<Vec<Expr>> {
    let is_number = |expr: &Expr| {
        // Money in cents is shown divided by 100.
        let column = match expr {
            Expr::Arithmetic { left, right, .. } if matches!(right.as_ref(), Expr::Literal(_)) => {
                left.as_ref()
            }
            other => other,
        };
        matches!(column, Expr::Column(column) if previous.id_of(column).is_some_and(|id| {
            let column = previous.knowledge.column(id);
            column.numeric && !column.is_key && !column.is_foreign
        }))
    };
    let is_date = |expr: &Expr| {
        matches!(expr, Expr::Column(column) if previous.id_of(column).is_some_and(|id| {
            previous.knowledge.column(id).column_type.is_temporal()
        }))
    };
    let extremes = functions.iter().all(|function| matches!(function, Aggregate::Max | Aggregate::Min));
    if columns.is_empty() {
        let shown = previous.shown();
        let numbers: Vec<Expr> = shown.iter().filter(|expr| is_number(expr)).cloned().collect();
        return match (shown.as_slice(), numbers.len()) {
            (_, 1) => Some(numbers),
            // Every kind of value has a largest and a smallest.
            ([one], _) if extremes && !one.is_aggregate() => Some(shown),
            _ => None,
        };
    }
    if columns.iter().any(|found| !found.joins.is_empty()) {
        return None;
    }
    let named: Vec<Expr> = columns.iter().map(Found::expr).collect();
    (named.iter().all(is_number) || extremes && named.iter().all(is_date)).then_some(named)
}
