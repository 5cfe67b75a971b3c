//! Bounds and years: `above 20`, `how about less than 5?`, `and in 2023?`

use super::Proposal;
use super::previous::{Found, Previous};
use super::reading::{self, Reading};
use crate::rules::compose;
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Aggregate, Comparison, Condition, Expr, PlanEdit, Source};
use sqlogue_sql::schema::Value;

/// `above 20`, `older than 40`, `how about less than 5?`: a bound on what has a bound already, or on the number shown.
pub(super) fn bound(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let at =
        reading.chunks.iter().position(|chunk| chunk.cues().any(|cue| matches!(cue, Cue::Compare(_))))?;
    let operator = reading.chunks.get(at)?.cues().find_map(|cue| match cue {
        Cue::Compare(operator) => Some(operator),
        _ => None,
    })?;
    let number_at = reading
        .chunks
        .iter()
        .position(|chunk| chunk.number.is_some() && chunk.date.is_none())
        .filter(|number| *number > at);
    let column = named_column(reading, previous, at, number_at)?;
    if reading.starts(&["how many", "count"])
        || column.as_ref().is_some_and(|found| !found.joins.is_empty() || asked_for(reading, previous, at))
    {
        return None;
    }
    let Some(number) =
        number_at.and_then(|at| reading.chunks.get(at)).and_then(|chunk| chunk.number.as_ref())
    else {
        // `how about more than?`: the same bound from the other side.
        let there = previous.conditions().find(is_bound).filter(|_| reading.again && column.is_none())?;
        let Condition::Compare { left, right, .. } = there else { return None };
        let condition = Condition::compare(left.clone(), operator, right.clone());
        return Some(Proposal::new(
            "the bound from the other side",
            vec![PlanEdit::ReplaceFilter { condition }],
        ));
    };
    let new = |expr: Expr| {
        let stored = match &expr {
            Expr::Column(column) if number.percent => {
                previous.id_of(column).map(|id| previous.knowledge.column(id).percentage(&number.value))
            }
            _ => None,
        };
        let value = stored.unwrap_or_else(|| number.value.clone());
        Condition::compare(expr, operator, Expr::Literal(value))
    };
    let there = previous.conditions().filter(is_bound).find(|condition| match &column {
        Some(found) => condition.subject() == Some(&found.expr()),
        None => true,
    });
    if let Some(there) = there {
        let condition = new(there.subject()?.clone());
        let edit = if reading.again || same_side(there, operator) {
            PlanEdit::ReplaceFilter { condition }
        } else {
            PlanEdit::AddFilter { condition }
        };
        return Some(Proposal::new("another bound", vec![edit]));
    }
    let adds = |account: &str, expr: Expr| {
        Proposal::new(account, vec![PlanEdit::AddFilter { condition: new(expr) }])
    };
    if let Some(found) = column {
        return previous.knowledge.column(found.id).numeric.then(|| adds("a bound", found.expr()));
    }
    let rows = number_at.and_then(|at| reading.chunks.get(at + 1));
    if let Some(count) = rows.and_then(|rows| counted(rows, previous)) {
        // `with at least 5 reviews` beside their average bounds how many there are.
        return Some(adds("a bound on how many there are", count));
    }
    // A year bounds a date, whatever number is shown.
    if let Some(subject) = number_spoken_of(previous).filter(|_| !number.year) {
        return Some(adds("a bound on what was shown", subject));
    }
    let is_count = number.value.as_f64().is_some_and(|value| value.fract() == 0.0) && !number.year;
    let shown = several_rows_of(previous).filter(|_| is_count)?;
    let edits = vec![
        PlanEdit::GroupBy { by: shown.clone(), measures: vec![Expr::count_all()] },
        PlanEdit::ReplaceColumns { columns: shown },
        PlanEdit::AddFilter { condition: new(Expr::count_all()) },
    ];
    Some(Proposal::new("a bound on how many rows there are of each", edits))
}

/// `how about at least three?` after those who have some: what was shown, where several rows may show the same.
pub(super) fn several_rows_of(previous: &Previous<'_>) -> Option<Vec<Expr>> {
    let (plan, select) = (previous.plan, &previous.plan.select);
    let is_plain = plan.set_operations.is_empty()
        && plan.limit.is_none()
        && plan.with.is_empty()
        && select.group_by.is_empty()
        && matches!(select.from, Source::Table(_));
    let entity = previous.entity().0;
    let refers = |expr: &Expr| match expr {
        Expr::Column(column) => {
            previous.id_of(column).is_some_and(|id| previous.knowledge.column(id).is_foreign)
        }
        _ => false,
    };
    let shown: Vec<Expr> = select.projection.iter().map(|one| one.expr.clone()).collect();
    let of_one = shown.iter().all(|expr| matches!(expr, Expr::Column(column) if column.table == entity));
    let repeats = !select.joins.is_empty() || matches!(shown.as_slice(), [one] if refers(one));
    (is_plain && of_one && repeats && !shown.is_empty()).then_some(shown)
}

fn is_bound(condition: &&Condition) -> bool {
    matches!(
        condition,
        Condition::Compare { operator, .. } if !matches!(operator, Comparison::Equal | Comparison::NotEqual)
    )
}

/// The column that a follow-up with a bound names, if any; none at all where it says something else.
fn named_column(
    reading: &Reading,
    previous: &Previous<'_>,
    at: usize,
    number_at: Option<usize>,
) -> Option<Option<Found>> {
    let mut column = None;
    for (place, chunk) in reading.chunks.iter().enumerate() {
        let is_bound = place == at || Some(place) == number_at;
        let found = reading::column(chunk, previous).filter(|_| column.is_none() && !is_bound);
        if found.is_some() {
            column = found;
        } else if !is_bound && !is_frame(chunk, previous) {
            return None;
        }
    }
    Some(column)
}

/// True for what stands around a bound and says nothing of its own.
fn is_frame(chunk: &Chunk, previous: &Previous<'_>) -> bool {
    reading::is_soft(chunk)
        || reading::is_known_table(chunk, previous)
        || matches!(
            chunk.cue,
            Some(
                Cue::Show
                    | Cue::Be
                    | Cue::Relative
                    | Cue::Have
                    | Cue::Which
                    | Cue::Stop
                    | Cue::Comma
                    | Cue::All
            )
        )
        || ["only", "results", "keep", "filter"].contains(&chunk.text.as_str())
}

/// The one number that is shown; where none is, the one that the rows are sorted by.
fn number_spoken_of(previous: &Previous<'_>) -> Option<Expr> {
    let is_number = |expr: &Expr| match expr {
        Expr::Column(column) => previous.id_of(column).is_some_and(|id| {
            let column = previous.knowledge.column(id);
            column.numeric && !column.is_key && !column.is_foreign
        }),
        other => other.is_aggregate(),
    };
    let shown = previous.shown();
    let sorted_by = || previous.plan.order_by.iter().map(|order| order.expr.clone()).collect();
    let of_what: Vec<Expr> = if shown.iter().any(is_number) { shown } else { sorted_by() };
    let mut numbers = of_what.into_iter().filter(is_number);
    numbers.next().filter(|_| numbers.next().is_none())
}

/// How many rows there are in each group, where words name the rows that are summarised by something else.
fn counted(rows: &Chunk, previous: &Previous<'_>) -> Option<Expr> {
    let select = &previous.plan.select;
    let Source::Table(table) = &select.from else { return None };
    let summarised = previous.knowledge.table_named(&table.table)?;
    let named = rows.tables.iter().any(|(named, score)| *named == summarised && *score >= 0.8);
    let counts = |expr: &Expr| matches!(expr, Expr::Aggregate { function: Aggregate::Count, .. });
    let is_summary =
        previous.summaries().iter().all(|expr| !counts(expr)) && !previous.summaries().is_empty();
    (named && is_summary && !select.group_by.is_empty()).then(Expr::count_all)
}

/// `which are out of stock?`: none of a number is left.
pub(super) fn used_up(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let out_of = |pair: &[Chunk]| matches!(pair, [out, of] if out.text == "out" && of.text == "of");
    let at = reading.chunks.windows(2).position(out_of)? + 1;
    let found = reading::column(reading.chunks.get(at + 1)?, previous)?;
    let entry = previous.knowledge.column(found.id);
    let nothing_else = reading.content(&["out", "only"]).iter().all(|chunk| {
        chunk.start == reading.chunks.get(at + 1).map_or(0, |chunk| chunk.start)
            || reading::is_known_table(chunk, previous)
            || matches!(
                chunk.cue,
                Some(Cue::Which | Cue::Be | Cue::Show | Cue::Stop | Cue::Relative | Cue::Have)
            )
    });
    if !entry.numeric || entry.is_key || entry.is_foreign || !found.joins.is_empty() || !nothing_else {
        return None;
    }
    let condition = Condition::equal(found.expr(), Expr::literal(0));
    Some(Proposal::new("nothing of it is left", vec![PlanEdit::AddFilter { condition }]))
}

/// `which cost more than that?` after one summary: rows compared with it.
pub(super) fn than_that(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    if !previous.is_one_summary() || previous.plan.select.projection.len() != 1 {
        return None;
    }
    let summaries = previous.summaries();
    let [Expr::Aggregate { argument, .. }] = summaries.as_slice() else { return None };
    let of = (**argument).clone();
    if matches!(of, Expr::All(_)) {
        return None;
    }
    let at = reading
        .chunks
        .iter()
        .position(|chunk| chunk.cues().any(|cue| matches!(cue, Cue::Compare(_) | Cue::Comparative(_))))?;
    let words = reading.chunks.get(at)?.text.clone();
    let falls = [
        "less", "lower", "fewer", "smaller", "below", "under", "younger", "shorter", "cheaper", "before",
        "earlier",
    ];
    let operator = reading.chunks.get(at)?.cues().find_map(|cue| match cue {
        Cue::Compare(operator) => Some(operator),
        _ => None,
    });
    let falling = words.split(' ').any(|word| falls.contains(&word));
    let operator = operator.unwrap_or(if falling { Comparison::Less } else { Comparison::Greater });
    let after = reading.chunks.get(at + 1..)?;
    let points = |text: &str| {
        text.split(' ')
            .any(|word| ["that", "this", "it", "average", "mean", "value", "number"].contains(&word))
    };
    let compares = after.iter().any(|chunk| points(&chunk.text))
        && after.iter().all(|chunk| {
            points(&chunk.text)
                || reading::is_soft(chunk)
                || chunk.text == "than"
                || reading::column(chunk, previous).is_some_and(|found| found.expr() == of)
        });
    if !compares {
        return None;
    }
    // What is asked for stands before the comparison; without it the rows by their name.
    let before: Vec<Expr> = reading
        .chunks
        .get(..at)?
        .iter()
        .filter_map(|chunk| reading::column(chunk, previous))
        .filter(|found| found.joins.is_empty() && found.expr() != of)
        .map(|found| found.expr())
        .collect();
    let (name, table) = previous.entity();
    let labels = &previous.knowledge.table(table).label;
    let label = labels.iter().map(|id| Expr::column(name, &previous.knowledge.column(*id).name)).collect();
    let columns = if before.is_empty() { label } else { before };
    let condition = Condition::compare(of, operator, Expr::Query(Box::new(previous.plan.clone())));
    let mut edits = vec![PlanEdit::ReplaceColumns { columns }];
    if previous.conditions().next().is_some() {
        edits.push(PlanEdit::ClearFilters);
    }
    edits.push(PlanEdit::AddFilter { condition });
    Some(Proposal::new("rows compared with the last answer", edits))
}

/// True where a column is named as what is shown: `show the names of those above 20`.
fn asked_for(reading: &Reading, previous: &Previous<'_>, bound: usize) -> bool {
    let points = |chunk: &crate::rules::link::Chunk| {
        chunk.text.split(' ').any(|word| matches!(word, "those" | "these" | "ones" | "one" | "them"))
    };
    let set = reading.chunks.iter().take(bound).position(points);
    let names = |chunks: &[crate::rules::link::Chunk]| {
        chunks.iter().any(|chunk| reading::column(chunk, previous).is_some())
    };
    match set {
        Some(set) => reading.chunks.get(..set).is_some_and(names),
        None => {
            !reading.only
                && !reading.again
                && !reading.starts(&["with", "above", "below", "over", "under", "more", "less"])
        }
    }
}

fn same_side(condition: &Condition, operator: Comparison) -> bool {
    let up = |operator| matches!(operator, Comparison::Greater | Comparison::GreaterOrEqual);
    matches!(condition, Condition::Compare { operator: there, .. } if up(*there) == up(operator))
}

/// Another year in the place of the one in a condition.
pub(super) fn year_changed(year: i64, previous: &Previous<'_>) -> Option<Proposal> {
    let old = previous.conditions().find(|condition| years(condition).next().is_some())?;
    let before = years(old).next()?;
    let mut new = old.clone();
    match old.as_period() {
        // Both ends of a window move.
        Some(period) => {
            let span = jiff::Span::new().try_years(year - before).ok()?;
            let moved = |day: jiff::civil::Date| day.checked_add(span).ok();
            let (from, until) = (period.first().and_then(moved), period.end().and_then(moved));
            new = Condition::period(period.expr.clone(), from, until)?;
        }
        None => change_year(&mut new, before, year),
    }
    (new != *old).then(|| {
        Proposal::new(format!("another year: {year}"), vec![PlanEdit::ReplaceFilter { condition: new }])
    })
}

fn years(condition: &Condition) -> impl Iterator<Item = i64> {
    let literals = condition.exprs().into_iter().filter_map(|expr| match expr {
        Expr::Literal(Value::Integer(number)) if (1000..3000).contains(number) => Some(*number),
        Expr::Literal(Value::Text(text)) => {
            text.get(..4).and_then(|year| year.parse().ok()).filter(|year| (1000..3000).contains(year))
        }
        _ => None,
    });
    let pattern = match condition {
        Condition::Like { pattern, .. } => pattern
            .trim_matches('%')
            .get(..4)
            .and_then(|year| year.parse().ok())
            .filter(|year| (1000..3000).contains(year)),
        _ => None,
    };
    literals.chain(pattern).collect::<Vec<_>>().into_iter()
}

fn change_year(condition: &mut Condition, before: i64, after: i64) {
    let change_text = |text: &mut String| {
        if text.trim_start_matches('%').starts_with(&before.to_string()) {
            *text = text.replacen(&before.to_string(), &after.to_string(), 1);
        }
    };
    let change = |expr: &mut Expr| match expr {
        Expr::Literal(Value::Integer(number)) if *number == before => *number = after,
        Expr::Literal(Value::Text(text)) => change_text(text),
        _ => {}
    };
    match condition {
        Condition::Compare { left, right, .. } => [left, right].into_iter().for_each(change),
        Condition::Between { low, high, .. } => [low, high].into_iter().for_each(change),
        Condition::In { list, .. } => list.iter_mut().for_each(change),
        Condition::Like { pattern, .. } => change_text(pattern),
        Condition::And(all) | Condition::Or(all) => {
            all.iter_mut().for_each(|inner| change_year(inner, before, after))
        }
        Condition::Not(inner) => change_year(inner, before, after),
        _ => {}
    }
}

/// False where a comparison with a number or a date was said, and no edit has one.
pub(super) fn heeds_bounds(reading: &Reading, edits: &[PlanEdit]) -> bool {
    let bounds = |edit: &PlanEdit| {
        matches!(
            edit,
            PlanEdit::AddFilter { .. }
                | PlanEdit::ReplaceFilter { .. }
                | PlanEdit::FilterShown { .. }
                | PlanEdit::SetLimit { .. }
        )
    };
    compose::bounds(&reading.chunks).next().is_none() || edits.iter().any(bounds)
}
