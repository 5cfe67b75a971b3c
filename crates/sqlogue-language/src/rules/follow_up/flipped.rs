//! The other side of what was asked for: `how about higher than the average?`, `and those not from Rome?`

use super::Proposal;
use super::previous::Previous;
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Aggregate, ColumnRef, Comparison, Condition, Expr, PlanEdit};
use sqlogue_sql::schema::Value;

/// `how about higher than the average?` after those below it.
pub(super) fn comparison(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    if !(reading.again || reading.instead || reading.and) || reading.number().is_some() {
        return None;
    }
    let operator = reading.chunks.iter().flat_map(Chunk::cues).find_map(|cue| match cue {
        Cue::Compare(operator) => Some(operator),
        _ => None,
    })?;
    let (left, right, held) = previous.conditions().find_map(|condition| match condition {
        Condition::Compare { left, operator, right: right @ Expr::Query(_) } => {
            Some((left, right, *operator))
        }
        _ => None,
    })?;
    let summary = match right {
        Expr::Query(query) => query.select.projection.first().and_then(|shown| match shown.expr {
            Expr::Aggregate { function, .. } => Some(function),
            _ => None,
        }),
        _ => None,
    };
    let is_summary = |chunk: &Chunk| {
        summary.is_some_and(|function| chunk.cues().any(|cue| cue == Cue::Aggregate(function)))
            || summary == Some(Aggregate::Avg) && ["average", "mean"].contains(&chunk.text.as_str())
    };
    let nothing_else = reading.content(&["than", "that", "it"]).iter().all(|chunk| {
        is_summary(chunk)
            || chunk.cues().any(|cue| matches!(cue, Cue::Compare(_) | Cue::Stop))
            || reading::is_known_table(chunk, previous)
            || reading::names_any(chunk, std::slice::from_ref(left), previous)
    });
    let is_bound = !matches!(operator, Comparison::Equal | Comparison::NotEqual);
    if !nothing_else || !is_bound || operator == held {
        return None;
    }
    let condition = Condition::compare(left.clone(), operator, right.clone());
    Some(Proposal::new("the bound from the other side", vec![PlanEdit::ReplaceFilter { condition }]))
}

/// `and the others?` after groups with a bound: those on its other side.
pub(super) fn others(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    const OTHERS: &[&str] = &["others", "rest", "other", "remaining", "ones", "what", "about", "show"];
    let asks = reading.has(&["the others", "the rest", "the other ones", "the remaining ones"]);
    let nothing_else = reading
        .content(OTHERS)
        .iter()
        .all(|chunk| matches!(chunk.cue, Some(Cue::Show | Cue::Stop | Cue::All)));
    let mut bounds = previous.conditions().filter(|condition| condition.is_aggregate());
    let (Some(Condition::Compare { left, operator, right }), None) = (bounds.next(), bounds.next()) else {
        return None;
    };
    if !asks || !nothing_else || previous.plan.limit.is_some() {
        return None;
    }
    let condition = Condition::compare(left.clone(), operator.negated(), right.clone());
    Some(Proposal::new(
        "the groups on the other side of the bound",
        vec![PlanEdit::ReplaceFilter { condition }],
    ))
}

/// `and those not from Rome?` after those from Rome, `what about non-urgent?` after the urgent ones.
pub(super) fn value(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let negative =
        reading.has(&["not", "non", "no", "other than", "outside", "except", "don't", "isn't", "aren't"]);
    if !negative || reading.number().is_some() || !(reading.again || reading.and || reading.chunks.len() <= 6)
    {
        return None;
    }
    let ignored = &[
        "not", "non", "no", "other", "than", "outside", "except", "don't", "isn't", "aren't", "come", "use",
        "list", "show", "thing",
    ];
    let content = reading.content(ignored);
    let mut turned: Option<Condition> = None;
    for chunk in content {
        let asked_before = chunk.values.iter().filter(|link| link.score > 0.6).find_map(|link| {
            let found = previous.find(&[(link.column?, 1.0)])?;
            opposite(previous.condition_on(&found.column)?, &link.value)
        });
        if asked_before.is_some() {
            turned = asked_before;
        } else if !reading::is_known_table(chunk, previous)
            && !matches!(
                chunk.cue,
                Some(
                    Cue::Not
                        | Cue::NotEqual
                        | Cue::Stop
                        | Cue::Show
                        | Cue::Which
                        | Cue::Relative
                        | Cue::But
                        | Cue::HowMany
                )
            )
            && !previous.has_said(&chunk.text)
        {
            return None;
        }
    }
    let condition = turned?;
    Some(Proposal::new("every other value", vec![PlanEdit::ReplaceFilter { condition }]))
}

/// `and those without that class?` after those of one class.
pub(super) fn of_column(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let negative = reading.has(&["not", "without", "other than", "outside", "except", "no"]);
    let points = reading.has(&["that", "this", "those", "these", "such"]);
    if !negative || !points || reading.number().is_some() {
        return None;
    }
    let content =
        reading.content(&["not", "without", "other", "than", "outside", "except", "no", "such", "thing"]);
    let mut turned: Option<Condition> = None;
    for chunk in content {
        let named = chunk.columns.iter().filter(|(_, score)| *score >= 0.6);
        let there = named.filter_map(|entry| previous.find(std::slice::from_ref(entry))).find_map(|found| {
            let there = previous.condition_on(&found.column)?;
            matches!(there, Condition::Compare { operator: Comparison::Equal, right: Expr::Literal(_), .. })
                .then_some(there)
        });
        match there {
            Some(Condition::Compare { left, right, .. }) if turned.is_none() => {
                turned = Some(Condition::compare(left.clone(), Comparison::NotEqual, right.clone()));
            }
            _ if reading::is_known_table(chunk, previous) => {}
            _ if matches!(
                chunk.cue,
                Some(
                    Cue::Not
                        | Cue::NotEqual
                        | Cue::Stop
                        | Cue::Show
                        | Cue::Which
                        | Cue::Relative
                        | Cue::But
                        | Cue::HowMany
                )
            ) => {}
            _ => return None,
        }
    }
    let condition = turned?;
    Some(Proposal::new("every other value", vec![PlanEdit::ReplaceFilter { condition }]))
}

/// `how about those without any chess?`, after those without any football: the one value inside a nested query gives way.
pub(super) fn nested_value(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    if !(reading.again || reading.instead || reading.and) {
        return None;
    }
    let links = reading.chunks.iter().flat_map(|chunk| chunk.values.iter().take(6));
    let values: Vec<_> =
        links.filter(|link| link.score > 0.6).filter_map(|link| Some((link.column?, &link.value))).collect();
    let id = |column: &ColumnRef| {
        let table = previous.knowledge.table_named(previous.plan.table_in_use(&column.table)?)?;
        previous.knowledge.column_named(table, &column.column)
    };
    let outer: Vec<&ColumnRef> = previous.conditions().flat_map(Condition::columns).collect();
    let mut plan = previous.plan.clone();
    let mut replaced = 0;
    plan.for_each_compared_text_mut(&mut |column, text| {
        let value = values.iter().find_map(|(of, value)| match value {
            Value::Text(new) if id(column) == Some(*of) && !outer.contains(&column) => Some(new),
            _ => None,
        });
        if let Some(value) = value.filter(|value| *value != text) {
            text.clone_from(value);
            replaced += 1;
        }
    });
    (replaced == 1).then(|| {
        Proposal::new("another value inside the condition", vec![PlanEdit::restate(previous.plan, plan)])
    })
}

/// The condition that holds where one that asks for this value does not; none where it asks for another.
fn opposite(there: &Condition, value: &Value) -> Option<Condition> {
    match there {
        Condition::Compare { left, operator: Comparison::Equal, right: right @ Expr::Literal(held) }
            if held == value =>
        {
            Some(Condition::compare(left.clone(), Comparison::NotEqual, right.clone()))
        }
        Condition::In { expr, list, negated: false } if list.contains(&Expr::Literal(value.clone())) => {
            Some(Condition::In { expr: expr.clone(), list: list.clone(), negated: true })
        }
        _ => None,
    }
}
