//! Two answers put together: the rows of both, or of either, as `in both groups`, `combine the two lists` and `which of them
//! also …` ask for.

use super::Proposal;
use super::previous::Previous;
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{
    Comparison, Condition, Expr, PlanEdit, QueryPlan, Select, SetOperation, SetOperator,
};

/// What asks for the rows that both of two answers have.
const BOTH: &[&str] = &[
    "both",
    "intersect",
    "intersection",
    "in common",
    "overlap",
    "overlapping",
    "at the same time",
    "common to",
    "shared by",
];

/// What asks for the rows of two answers as one, whatever else is said.
const JOINED: &[&str] = &["union", "combine", "combined", "merge", "merged"];

/// What asks for the rows of either of two answers.
const EITHER: &[&str] = &[
    "union",
    "either",
    "combine",
    "combined",
    "merge",
    "merged",
    "these two",
    "those two",
    "the two",
    "together",
    "all of the above",
];

/// What stands around and names nothing.
const PASSED_OVER: &[&str] = &[
    "both",
    "intersect",
    "intersection",
    "common",
    "overlap",
    "overlapping",
    "time",
    "shared",
    "union",
    "either",
    "combine",
    "combined",
    "merge",
    "merged",
    "two",
    "together",
    "above",
    "group",
    "groups",
    "set",
    "sets",
    "list",
    "lists",
    "query",
    "queries",
    "answer",
    "answers",
    "result",
    "results",
    "condition",
    "conditions",
    "belong",
    "belongs",
    "appear",
    "appears",
    "occur",
    "meet",
    "satisfy",
    "last",
    "previous",
    "previously",
    "find",
    "tell",
    "return",
    "take",
    "get",
    "put",
    "question",
    "questions",
    "fall",
    "into",
    "are",
    "same",
    "people",
    "items",
    "entries",
    "records",
];

/// `show those in both groups`, `combine the two lists`: of the last two answers.
pub(super) fn of_both(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let earlier = previous.earlier?;
    // *combine both lists* asks for either.
    let operator = match (reading.has(JOINED), reading.has(BOTH), reading.has(EITHER)) {
        (true, ..) | (_, false, true) => SetOperator::Union,
        (_, true, _) => SetOperator::Intersect,
        _ => return None,
    };
    let shown = previous.shown();
    let compared: Vec<Expr> = previous.conditions().filter_map(Condition::subject).cloned().collect();
    let nothing_else = reading.content(PASSED_OVER).iter().all(|chunk| {
        reading::is_known_table(chunk, previous)
            || reading::names_any(chunk, &shown, previous)
            || reading::names_any(chunk, &compared, previous)
            || chunk.number.is_some() && chunk.text == "two"
            || matches!(
                chunk.cue,
                Some(
                    Cue::Show
                        | Cue::Both
                        | Cue::Either
                        | Cue::Stop
                        | Cue::Which
                        | Cue::Who
                        | Cue::Be
                        | Cue::All
                        | Cue::And
                )
            ) && !chunk.is_schema()
    });
    if !nothing_else {
        return None;
    }
    if let Some(both) = columns_of_both(previous.plan, earlier).filter(|_| reading.has(&["both"])) {
        let edit = PlanEdit::restate(previous.plan, both);
        return Some(Proposal::new("the columns of both answers", vec![edit]));
    }
    let plan = joined(previous.plan, earlier, operator)?;
    let how =
        if operator == SetOperator::Intersect { "what both answers have" } else { "what either answer has" };
    Some(Proposal::new(how, vec![PlanEdit::restate(previous.plan, plan)]))
}

/// `show both` after two columns of the same rows: both columns.
fn columns_of_both(last: &QueryPlan, earlier: &QueryPlan) -> Option<QueryPlan> {
    let rest = |plan: &QueryPlan| QueryPlan {
        select: Select { projection: Vec::new(), ..plan.select.clone() },
        ..plan.clone()
    };
    let (shown, new) = (&earlier.select.projection, &last.select.projection);
    let apart = new.iter().all(|one| !shown.iter().any(|other| other.expr == one.expr));
    if rest(last) != rest(earlier) || shown.is_empty() || new.is_empty() || !apart {
        return None;
    }
    let mut plan = last.clone();
    plan.select.projection = shown.iter().chain(new).cloned().collect();
    Some(plan)
}

/// Two plans as one; none where they show something else, or only some rows of what they are about.
fn joined(last: &QueryPlan, earlier: &QueryPlan, operator: SetOperator) -> Option<QueryPlan> {
    let exprs = |plan: &QueryPlan| -> Vec<Expr> {
        plan.select.projection.iter().map(|shown| shown.expr.clone()).collect()
    };
    let is_plain = |plan: &QueryPlan| {
        plan.with.is_empty()
            && plan.limit.is_none()
            && plan.offset.is_none()
            && plan.set_operations.is_empty()
    };
    if !is_plain(last) || !is_plain(earlier) || exprs(last) != exprs(earlier) || last.select == earlier.select
    {
        return None;
    }
    if exprs(last).iter().any(Expr::is_aggregate) {
        return one_of_both(last, earlier, operator);
    }
    let mut plan = last.clone();
    plan.order_by.clear();
    plan.select = earlier.select.clone();
    let both = |select: &Select| Select { distinct: false, ..select.clone() };
    plan.select = both(&plan.select);
    plan.set_operations = vec![SetOperation { operator, select: both(&last.select) }];
    Some(plan)
}

/// One summary of the rows that meet the conditions of both plans, or of either.
fn one_of_both(last: &QueryPlan, earlier: &QueryPlan, operator: SetOperator) -> Option<QueryPlan> {
    let rest = |plan: &QueryPlan| Select { filter: None, ..plan.select.clone() };
    let (one, other) = (earlier.select.filter.clone()?, last.select.filter.clone()?);
    if rest(last) != rest(earlier) || !last.select.group_by.is_empty() {
        return None;
    }
    // No row has two values in one column.
    let parts = |condition: &Condition| condition.parts();
    let apart = parts(&one).iter().any(|first| {
        parts(&other).iter().any(|second| {
            let equal = |condition: &Condition| {
                matches!(condition, Condition::Compare { operator: Comparison::Equal, .. })
            };
            first.excludes(second)
                || equal(first) && equal(second) && first.subject() == second.subject() && first != second
        })
    });
    if apart && operator == SetOperator::Intersect {
        return None;
    }
    let filter = match operator {
        SetOperator::Intersect => Condition::And(vec![one, other]),
        _ => Condition::Or(vec![one, other]),
    };
    let mut plan = last.clone();
    plan.select.filter = Some(filter);
    Some(plan)
}

/// `which of them also play chess?` after those who play football: a joined row has one value, so that the same rows of the
/// other table cannot have both, and what was shown has to be among the rows of either.
pub(super) fn with_both_values(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let says_both = reading.also || reading.has(&["both", "at the same time", "as well"]);
    let select = &previous.plan.select;
    let is_plain = previous.plan.with.is_empty()
        && previous.plan.limit.is_none()
        && previous.plan.set_operations.is_empty()
        && !select.projection.is_empty()
        && select.group_by.is_empty();
    if !says_both || !is_plain || select.projection.iter().any(|shown| shown.expr.is_aggregate()) {
        return None;
    }
    if reading.has(&["or", "add", "include"])
        || !reading.refers() && !reading.starts(&["which", "who", "what about"])
    {
        return None;
    }
    let other = other_value(reading, previous).or_else(|| other_bound(reading, previous))?;
    let replaced = previous.plan.apply_all(&[PlanEdit::ReplaceFilter { condition: other.clone() }]).ok()?;
    let there = previous.conditions().find(|there| there.subject() == other.subject())?;
    let still = replaced.select.filter.iter().flat_map(Condition::parts).any(|condition| condition == *there);
    if still {
        return None;
    }
    let plan = joined(&replaced, previous.plan, SetOperator::Intersect)?;
    Some(Proposal::new("what both hold for", vec![PlanEdit::restate(previous.plan, plan)]))
}

/// Another value in the place of that of a joined row.
fn other_value(reading: &Reading, previous: &Previous<'_>) -> Option<Condition> {
    let said =
        |chunk: &Chunk| reading::value(chunk, previous).map(|(link, found)| (link.value.clone(), found));
    let (value, found) = reading.chunks.iter().filter_map(said).find(|(value, found)| {
        let there = previous.condition_on(&found.column);
        found.column.table != previous.entity().0
            && there.is_some_and(|there| {
                matches!(there, Condition::Compare { operator: Comparison::Equal, right: Expr::Literal(held), .. } if held != value)
            })
    })?;
    Some(Condition::equal(found.expr(), Expr::Literal(value)))
}

/// A bound that no row meets beside the one that is there, where what was shown is an attribute that rows share: *countries
/// with a stadium above 60000*, and *also with one below 50000*.
fn other_bound(reading: &Reading, previous: &Previous<'_>) -> Option<Condition> {
    previous.shared_column()?;
    const LESS: &[&str] =
        &["less", "lower", "fewer", "smaller", "below", "under", "younger", "shorter", "cheaper"];
    let said = |chunk: &Chunk| {
        chunk.cues().find_map(|cue| match cue {
            Cue::Compare(operator) => Some(operator),
            Cue::Comparative(_) => Some(match chunk.text.split(' ').any(|word| LESS.contains(&word)) {
                true => Comparison::Less,
                false => Comparison::Greater,
            }),
            _ => None,
        })
    };
    let operator = reading.chunks.iter().find_map(said)?;
    // The *one* of *also have one* is no bound.
    let said = reading.chunks.iter().filter(|chunk| chunk.text != "one");
    let mut numbers = said.filter_map(|chunk| chunk.number.as_ref());
    let number = numbers.next().filter(|_| numbers.next().is_none())?;
    previous.conditions().find_map(|there| {
        let other =
            Condition::compare(there.subject()?.clone(), operator, Expr::Literal(number.value.clone()));
        there.excludes(&other).then_some(other)
    })
}
