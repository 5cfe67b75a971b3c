//! More ways to take a follow-up that its words cannot mean: by the rows that they lose, and by conditions that nobody said.

use super::previous::Previous;
use super::reading::Reading;
use super::sense::NUMBERS_OF_ROWS;
use super::{set_rows, who};
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Aggregate, Comparison, Condition, Expr, JoinKind, Projection, QueryPlan, Select};
use sqlogue_sql::schema::Value;

/// True for a plan that takes words for what they do not say.
pub(super) fn is_impossible(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    forgets_bound(reading, plan)
        || bounds_key(reading, previous, plan)
        || bounds_twice(reading, previous, plan)
        || loses_rows(reading, previous, plan)
        || loses_those(reading, previous, plan)
        || counts_all(reading, previous, plan)
        || tells_no_time(reading, previous, plan)
        || cuts_extreme(previous, plan)
        || takes_and_leaves(previous, plan)
        || repeats_columns(previous, plan)
        || shows_twice(previous, plan)
        || only_adds(reading, previous, plan)
        || sums_keys(reading, previous, plan)
        || joins_attributes(previous, plan)
        || sums_over_each(reading, plan)
        || counts_nothing(reading, plan)
        || cuts_the_order(reading, previous, plan)
        || lists_all(reading, previous, plan)
}

fn is_new(condition: &Condition, previous: &Previous<'_>) -> bool {
    !previous.conditions().any(|other| other == condition)
}

/// The conditions on rows, or on groups, that were not there before.
fn new<'p>(
    of: Option<&'p Condition>,
    previous: &'p Previous<'_>,
) -> impl Iterator<Item = &'p Condition> + use<'p> {
    of.into_iter().flat_map(Condition::conjuncts).filter(|condition| is_new(condition, previous))
}

/// *which have at least three members?* is nothing without the number. *At least one* is any, and what is older than so many days
/// is compared with a day.
fn forgets_bound(reading: &Reading, plan: &QueryPlan) -> bool {
    const UNITS: &[&str] = &[
        "day", "days", "week", "weeks", "month", "months", "quarter", "quarters", "year", "years", "hour",
        "hours", "minute", "minutes", "times", "%", "percent",
    ];
    let bounded = reading.chunks.windows(2).find_map(|pair| match pair {
        [compared, said] if compared.cues().any(|cue| matches!(cue, Cue::Compare(_))) => {
            let is_plain = said.date.is_none() && !UNITS.contains(&reading.question.word(said.end));
            said.number
                .as_ref()
                .filter(|number| is_plain && !number.ordinal && !number.year && !number.percent)
        }
        _ => None,
    });
    let number = bounded.and_then(|number| number.value.as_f64()).filter(|number| *number > 1.0);
    let Some(number) = number else { return false };
    // Money may be kept in cents, and a share as a fraction.
    let kept = [number, number * 100.0, number / 100.0];
    let whole = number.to_string();
    let holds = |expr: &Expr| match expr {
        Expr::Literal(Value::Text(text)) => text.contains(&whole),
        Expr::Literal(value) => {
            value.as_f64().is_some_and(|value| kept.iter().any(|kept| (kept - value).abs() < 1.001))
        }
        _ => false,
    };
    !anywhere(plan, &holds) && plan.limit.is_none()
}

/// True where a plan has such an expression, in its named and nested queries too.
fn anywhere(plan: &QueryPlan, holds: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    for expr in plan.selects().flat_map(Select::exprs) {
        expr.for_each(&mut |part| found |= holds(part));
    }
    found || plan.queries().into_iter().any(|query| anywhere(query, holds))
}

/// True for a column by which rows are told apart, or referred to.
fn tells_apart(expr: &Expr, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    previous.knowledge.column_of(plan, expr).is_some_and(|id| {
        let entry = previous.knowledge.column(id);
        entry.is_key || entry.is_foreign
    })
}

/// True for a plan of all rows of a table.
fn is_of_all(plan: &QueryPlan) -> bool {
    let select = &plan.select;
    select.filter.is_none()
        && select.having.is_none()
        && select.joins.is_empty()
        && plan.with.is_empty()
        && plan.set_operations.is_empty()
}

/// *with more than 2 students* bounds no number by which rows are told apart.
fn bounds_key(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let is_key = |expr: &Expr| tells_apart(expr, previous, plan);
    let bounds = |condition: &Condition| match condition {
        Condition::Compare { left, operator, right: Expr::Literal(value) } => {
            !matches!(operator, Comparison::Equal | Comparison::NotEqual)
                && value.as_f64().is_some()
                && is_key(left)
        }
        _ => false,
    };
    !reading.has(NUMBERS_OF_ROWS) && new(plan.select.filter.as_ref(), previous).any(bounds)
}

/// One number bounds the rows or the groups, and not both.
fn bounds_twice(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let said = reading.chunks.iter().filter(|chunk| chunk.number.is_some()).count();
    let value = |condition: &Condition| match condition {
        Condition::Compare { right: Expr::Literal(value), .. } => value.as_f64(),
        _ => None,
    };
    let of_rows: Vec<f64> = new(plan.select.filter.as_ref(), previous).filter_map(value).collect();
    said == 1
        && new(plan.select.having.as_ref(), previous)
            .filter_map(value)
            .any(|number| of_rows.contains(&number))
}

/// *how many have more than one?*, *which also won?* speak of the rows that were shown, and name no others.
fn loses_rows(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    const OF_THEM: &[&str] = &[
        "how many have",
        "how many has",
        "how many had",
        "how many are",
        "how many were",
        "how many do",
        "how many did",
        "how many can",
        "which have also",
        "which also",
        "who also",
    ];
    let says_all = reading.has(&["in total", "overall", "altogether", "in all"]);
    let bare = reading.bare();
    (reading.starts(OF_THEM) || bare == "which ones")
        && !says_all
        && previous.plan.set_operations.is_empty()
        && previous.conditions().any(|condition| !holds_in(plan, condition))
}

/// *how many of those students have an advisor?* is asked of those that were shown: of those that a condition, a limit or a join picked.
fn loses_those(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    const OF_THEM: &[&str] = &["of those", "of these", "of them", "among those", "among these", "among them"];
    const SO_MANY: &[&str] =
        &["all of", "most of", "each of", "every one of", "none of", "some of", "any of"];
    let before = &previous.plan;
    if !reading.has(OF_THEM)
        || reading.has(SO_MANY)
        || !before.set_operations.is_empty()
        || !plan.set_operations.is_empty()
    {
        return false;
    }
    let is_limited = |query: &QueryPlan| query.limit.is_some();
    let loses_limit = is_limited(before) && !is_limited(plan) && !plan.queries().into_iter().any(is_limited);
    let joined = before.select.joins.iter().filter(|join| join.kind == JoinKind::Inner);
    let mut joined = joined.filter_map(|join| before.table_in_use(join.table.name()));
    let loses_join = previous.conditions().next().is_none() && joined.any(|table| !uses(plan, table));
    loses_limit || loses_join || previous.conditions().any(|condition| !holds_in(plan, condition))
}

fn uses(query: &QueryPlan, table: &str) -> bool {
    query.select.tables().any(|used| used.table == table)
        || query.queries().into_iter().any(|inner| uses(inner, table))
}

/// True where a query has a condition, or another on the same, in one of its parts.
pub(super) fn holds_in(query: &QueryPlan, condition: &Condition) -> bool {
    let own = query.select.filter.iter().chain(&query.select.having).flat_map(Condition::conjuncts);
    own.into_iter().any(|other| other == condition || other.subject() == condition.subject())
        || query.queries().into_iter().any(|inner| holds_in(inner, condition))
}

/// *how many rooms?* after some of the rooms counts these.
fn counts_all(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let is_mark = |chunk: &&Chunk| !matches!(chunk.text.as_str(), "?" | "." | "!");
    let mut said = reading.chunks.iter().filter(is_mark);
    let (Some(first), Some(rows), None) = (said.next(), said.next(), said.next()) else { return false };
    let of_rows = rows.tables.iter().any(|(table, score)| *score > 0.6 && *table == previous.entity().1);
    first.text == "how many"
        && of_rows
        && is_of_all(plan)
        && plan.queries().is_empty()
        && (previous.conditions().next().is_some() || previous.plan.limit.is_some())
}

/// *when are they shown?* asks for a time, and not for the same once more.
fn tells_no_time(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let before = &previous.plan.select.projection;
    let is_time = |expr: &Expr| match expr {
        Expr::Column(column) => previous.id_of(column).is_none_or(|id| {
            let entry = previous.knowledge.column(id);
            entry.column_type.is_temporal() || entry.kind.is_temporal()
        }),
        _ => true,
    };
    let shown = &plan.select.projection;
    reading.starts(&["when", "and when", "since when"])
        && !before.is_empty()
        && !before.iter().any(|one| is_time(&one.expr))
        && !shown.is_empty()
        && shown.iter().all(|one| before.iter().any(|other| other.expr == one.expr))
}

/// The largest of all has no first three: *the top three most recent ones* after the most recent one.
fn cuts_extreme(previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let is_extreme = |condition: &Condition| match condition {
        Condition::Compare { left, operator: Comparison::Equal, right: Expr::Query(query) } => {
            matches!(
                query.select.projection.as_slice(),
                [Projection { expr: Expr::Aggregate { function: Aggregate::Min | Aggregate::Max, argument, .. }, .. }]
                    if argument.columns().last().map(|column| &column.column)
                        == left.columns().last().map(|column| &column.column)
            )
        }
        _ => false,
    };
    let is_cut = plan.limit.is_some() && plan.limit != previous.plan.limit;
    is_cut
        && previous.plan.limit.is_none()
        && plan.select.filter.iter().flat_map(Condition::conjuncts).any(is_extreme)
}

/// No row is among some rows and none of them.
fn takes_and_leaves(previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let clashes = |plan: &QueryPlan| {
        let all: Vec<&Condition> = plan.select.filter.iter().flat_map(Condition::conjuncts).collect();
        all.iter().any(|one| {
            let Condition::InQuery { expr, query, negated: false } = one else { return false };
            all.iter().any(|other| {
                *other == &Condition::none_of(expr.clone(), (**query).clone())
                    || matches!(other, Condition::InQuery { expr: of, query: left_out, negated: true } if of == expr && left_out == query)
            })
        })
    };
    clashes(plan) && !clashes(previous.plan)
}

/// Nobody asks for the same column twice.
fn shows_twice(previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let twice = |plan: &QueryPlan| {
        let shown = &plan.select.projection;
        let again =
            |(at, one): (usize, &Projection)| shown.iter().skip(at + 1).any(|other| other.expr == one.expr);
        shown.iter().enumerate().any(again)
    };
    twice(plan) && !twice(previous.plan)
}

/// Beside some columns nobody asks for all of them.
fn repeats_columns(previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let shows_all = |plan: &QueryPlan| {
        plan.select.projection.is_empty()
            || plan.select.projection.iter().any(|one| matches!(one.expr, Expr::All(None)))
    };
    let is_kept = |one: &Projection| plan.select.projection.iter().any(|other| other.expr == one.expr);
    shows_all(plan) && !shows_all(previous.plan) && previous.plan.select.projection.iter().all(is_kept)
}

/// *more than 50 points instead* leaves nothing of before as it was, and adds no condition to those that were there.
fn only_adds(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let (old, now) = (&previous.plan.select, &plan.select);
    let mut before = previous.conditions().peekable();
    reading.instead
        && before.peek().is_some()
        && old.projection == now.projection
        && old.group_by == now.group_by
        && (&previous.plan.order_by, previous.plan.limit) == (&plan.order_by, plan.limit)
        && before.all(|condition| {
            let kept = now.filter.iter().chain(&now.having).flat_map(Condition::parts);
            kept.into_iter().any(|other| other == *condition)
        })
        && new(now.filter.as_ref(), previous).next().is_some()
}

/// *the longest time they spent* is no number by which they are told apart.
fn sums_keys(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let is_key = |expr: &Expr| tells_apart(expr, previous, plan);
    let sums = |one: &Projection| match &one.expr {
        Expr::Aggregate { function, argument, .. } => *function != Aggregate::Count && is_key(argument),
        _ => false,
    };
    let before = &previous.plan.select.projection;
    let is_new = |one: &&Projection| !before.iter().any(|other| other.expr == one.expr);
    !reading.has(NUMBERS_OF_ROWS) && plan.select.projection.iter().filter(is_new).any(sums)
}

/// The cities of those in both groups are not the cities that both groups have.
fn joins_attributes(previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    !plan.set_operations.is_empty()
        && plan.select.projection != previous.plan.select.projection
        && set_rows::as_rows(previous.plan, previous.knowledge).is_some()
        && set_rows::as_rows(plan, previous.knowledge).is_none()
}

/// *how many each?* asks for more than one number.
fn sums_over_each(reading: &Reading, plan: &QueryPlan) -> bool {
    let select = &plan.select;
    reading.starts(&[
        "how many each",
        "how much each",
        "how many for each",
        "how many in each",
        "how many per",
    ]) && select.group_by.is_empty()
        && plan.with.is_empty()
        && select.projection.iter().all(|one| one.expr.is_aggregate())
}

/// *the oldest first* is an order, and no row is left out of it.
fn cuts_the_order(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let bare = reading.bare();
    let says_end = |cue: Cue| matches!(cue, Cue::Superlative(..) | Cue::Most(_) | Cue::MostCommon(_));
    let asks = bare.ends_with(" first") && reading.chunks.iter().flat_map(Chunk::cues).any(says_end);
    let is_cut = plan.limit.is_some() && previous.plan.limit.is_none() && reading.number().is_none();
    asks && !reading.starts(&["which", "who", "what"])
        && (is_cut || plan.with.len() > previous.plan.with.len())
}

/// *which customers?* after some orders asks for theirs, and not for all customers.
fn lists_all(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let is_restricted = previous.conditions().next().is_some() || previous.plan.limit.is_some();
    is_restricted && who::other_things(reading, previous).is_some() && is_of_all(plan) && plan.limit.is_none()
}

/// *how many were late?* asks for a number.
pub(super) fn counts_nothing(reading: &Reading, plan: &QueryPlan) -> bool {
    const ASKS: &[&str] =
        &["how many were", "how many are", "how many have", "how many had", "how many did not"];
    reading.starts(ASKS)
        && plan.with.is_empty()
        && !plan.select.projection.iter().any(|one| one.expr.is_aggregate())
        && plan.select.projection.iter().all(|one| matches!(one.expr, Expr::Column(_) | Expr::All(_)))
}
