//! Values: `what about Rome?`, `only the active ones`, `in 2023`, `remove the filter`, `all of them`.

use super::previous::{Found, Previous};
use super::reading::{self, Reading};
use super::Proposal;
use crate::plan::{Comparison, Condition, Expr, PlanEdit};
use crate::reasoner::rules::cue::Cue;
use crate::reasoner::rules::link::Chunk;
use crate::schema::Value;

/// `all of them`, `remove the filter on city`, `any city`.
pub(super) fn removed(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let text = reading.text.trim_end_matches(['?', '.', '!', ' ']);
    let all = ["all", "all of them", "show all", "show all of them", "show me all", "show me all of them", "everything", "show everything", "list all of them", "give me all of them", "all of these", "i want all of them", "show them all"];
    if all.contains(&text) || reading.has(&["all filters", "every filter", "the filters", "filters", "any filter", "no filter"]) && reading.starts(&["remove", "clear", "drop", "reset", "without", "no", "delete"]) {
        let mut edits = Vec::new();
        if previous.conditions().next().is_some() {
            edits.push(PlanEdit::ClearFilters);
        }
        if previous.plan.limit.is_some() {
            edits.push(PlanEdit::ClearLimit);
        }
        return (!edits.is_empty()).then(|| Proposal::new("every restriction goes", edits));
    }
    let lifts = reading.starts(&["remove", "drop", "clear", "without", "ignore", "any", "all", "regardless of", "for all", "in all", "from all", "for any", "from any", "in any", "no matter", "whatever", "forget"]);
    let filter = reading.has(&["filter", "condition", "restriction", "constraint"]) || !reading.starts(&["remove", "drop", "without"]);
    if !lifts || !filter {
        return None;
    }
    let ignored = &["remove", "drop", "clear", "without", "ignore", "any", "all", "regardless", "filter", "condition", "restriction", "constraint", "no", "matter", "whatever", "forget", "every"];
    let content = reading.content(ignored);
    let mut conditions: Vec<&Condition> = Vec::new();
    for chunk in &content {
        let column = chunk.columns.iter().filter_map(|entry| previous.find(std::slice::from_ref(entry))).find_map(|found| previous.condition_on(&found.column));
        let value = || reading::value(chunk, previous).and_then(|(_, found)| previous.condition_on(&found.column));
        match column.or_else(value) {
            Some(condition) => conditions.push(condition),
            None if matches!(chunk.cue, Some(Cue::All | Cue::Any | Cue::Each)) || reading::is_known_table(chunk, previous) => {}
            None => return None,
        }
    }
    if content.is_empty() {
        let mut all = previous.conditions();
        conditions.push(all.next()?);
        // `remove the filter` where there are several: which one is not said, so all go.
        conditions.extend(all);
    }
    if conditions.is_empty() {
        return None;
    }
    let edits = conditions.into_iter().map(|condition| PlanEdit::RemoveFilter { condition: condition.clone() }).collect();
    Some(Proposal::new("a restriction goes", edits))
}

/// `what about Rome?`, `only the active ones`, `and in 2023?`, `exclude the cancelled ones`.
pub(super) fn changed(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let negative = reading.starts(&["exclude", "except", "without", "not", "remove", "drop", "excluding", "but not", "leave out", "no", "omit", "hide", "filter out", "skip"])
        || reading.has(&["not in", "not from", "except", "excluding", "other than", "not"]);
    let opens = reading.again || reading.only || negative || reading.starts(&[
        "in", "from", "for", "with", "those", "these", "the ones", "ones", "show", "list", "give", "now", "filter", "filter by", "filter on", "filter for", "keep", "which of them", "which ones", "change", "make", "use", "restrict", "limit", "which", "who", "only",
    ]) || reading.chunks.len() <= 3;
    // `also those in Paris`: on top of the value there.
    let widens = reading.also && reading.has(&["those", "these", "ones", "the ones"]) && !negative;
    if !opens && !widens || reading.also && !widens {
        return None;
    }
    let ignored = &[
        "exclude", "except", "without", "not", "remove", "drop", "excluding", "leave", "no", "omit", "hide", "filter", "skip",
        "keep", "change", "make", "use", "restrict", "limit", "city", "if", "thing", "want", "only", "year", "get", "other", "than", "come", "named", "called", "list", "show", "type", "types", "kind",
    ];
    let mut found: Vec<(Value, Found, bool)> = Vec::new();
    let mut numbers: Vec<i64> = Vec::new();
    let mut named: Option<Found> = None;
    for chunk in reading.content(ignored) {
        if let Some((link, place)) = takes_value(chunk, previous) {
            found.push((link, place, chunk.values.iter().any(|value| value.quoted)));
        } else if let Some(number) = chunk.number.as_ref().filter(|number| number.year) {
            let Value::Integer(number) = number.value else { return None };
            numbers.push(number);
        } else if let Some(column) = reading::column(chunk, previous).filter(|_| named.is_none()) {
            named = Some(column);
        } else if matches!(chunk.cue, Some(Cue::Show | Cue::And | Cue::Or | Cue::Comma | Cue::Stop | Cue::Not | Cue::Relative | Cue::NotEqual | Cue::Be | Cue::Which | Cue::Who | Cue::Have | Cue::Equal | Cue::All | Cue::But | Cue::Same)) && !chunk.is_schema() {
        } else if !reading::is_known_table(chunk, previous) {
            return None;
        }
    }
    if let ([], [year]) = (found.as_slice(), numbers.as_slice()) {
        return if widens { None } else { year_changed(*year, previous) };
    }
    if found.is_empty() || !numbers.is_empty() || reading.has(&["how many", "count", "number of"]) {
        return None;
    }
    // All values of one column.
    let (_, first, _) = found.first()?;
    let first = first.clone();
    let values: Vec<Value> = found.iter().filter(|(_, place, _)| place.column == first.column).map(|(value, _, _)| value.clone()).collect();
    if values.len() != found.len() || named.as_ref().is_some_and(|named| named.column != first.column) {
        return None;
    }
    let values: Vec<Value> = match previous.condition_on(&first.column) {
        Some(Condition::Compare { operator: Comparison::Equal, right: Expr::Literal(there), .. }) if widens => {
            std::iter::once(there.clone()).chain(values).collect()
        }
        Some(Condition::In { list, negated: false, .. }) if widens => {
            let there = list.iter().filter_map(|expr| match expr {
                Expr::Literal(value) => Some(value.clone()),
                _ => None,
            });
            there.chain(values).collect()
        }
        _ if widens => return None,
        _ => values,
    };
    let condition = condition(&first, values, negative);
    let mut edits = Vec::new();
    if !first.joins.is_empty() {
        edits.push(PlanEdit::AddJoin { joins: first.joins.clone() });
    }
    let there = previous.condition_on(&first.column);
    let replaces = there.is_some_and(|there| matches!(there, Condition::Compare { operator: Comparison::Equal, .. } | Condition::In { negated: false, .. } | Condition::Like { .. }));
    edits.push(if replaces && !negative { PlanEdit::ReplaceFilter { condition } } else { PlanEdit::AddFilter { condition } });
    Some(Proposal::new(format!("a value of `{}`", first.column), edits))
}

/// `above 20`, `older than 40`, `how about less than 5?`: a bound on what has a bound already, or on the number shown.
pub(super) fn bound(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let at = reading.chunks.iter().position(|chunk| chunk.cues().any(|cue| matches!(cue, Cue::Compare(_))))?;
    let operator = reading.chunks.get(at)?.cues().find_map(|cue| match cue {
        Cue::Compare(operator) => Some(operator),
        _ => None,
    })?;
    let next = reading.chunks.get(at + 1).filter(|chunk| chunk.number.is_some());
    let number = next?.number.as_ref()?.value.clone();
    let nothing_else = reading.chunks.iter().enumerate().all(|(place, chunk)| {
        place == at
            || place == at + 1
            || reading::is_soft(chunk)
            || reading::is_known_table(chunk, previous)
            || matches!(chunk.cue, Some(Cue::Show | Cue::Be | Cue::Relative | Cue::Have | Cue::Which | Cue::Stop | Cue::Comma | Cue::All))
            || ["only", "results", "keep", "filter"].contains(&chunk.text.as_str())
    });
    if !nothing_else || reading.starts(&["how many", "count"]) {
        return None;
    }
    let bounded = |condition: &&Condition| matches!(condition, Condition::Compare { operator, right: Expr::Literal(value), .. }
        if value.as_f64().is_some() && !matches!(operator, Comparison::Equal | Comparison::NotEqual));
    let new = |expr: Expr| Condition::compare(expr, operator, Expr::Literal(number.clone()));
    if let Some(there) = previous.conditions().find(bounded) {
        let condition = new(there.subject()?.clone());
        let edit = if reading.again || same_side(there, operator) {
            PlanEdit::ReplaceFilter { condition }
        } else {
            PlanEdit::AddFilter { condition }
        };
        return Some(Proposal::new("another bound", vec![edit]));
    }
    let shown = previous.shown();
    let mut numbers = shown.iter().filter(|expr| match expr {
        Expr::Column(column) => previous.id_of(column).is_some_and(|id| {
            let column = previous.knowledge.column(id);
            column.numeric && !column.is_key && !column.is_foreign
        }),
        other => other.is_aggregate(),
    });
    let subject = numbers.next().filter(|_| numbers.next().is_none())?;
    Some(Proposal::new("a bound on what was shown", vec![PlanEdit::AddFilter { condition: new(subject.clone()) }]))
}

fn same_side(condition: &Condition, operator: Comparison) -> bool {
    let up = |operator| matches!(operator, Comparison::Greater | Comparison::GreaterOrEqual);
    matches!(condition, Condition::Compare { operator: there, .. } if up(*there) == up(operator))
}

/// The value that a chunk names, unless it names a column or table at least as well.
fn takes_value(chunk: &Chunk, previous: &Previous<'_>) -> Option<(Value, Found)> {
    let (link, found) = reading::value(chunk, previous)?;
    let names = chunk.column_score().max(if reading::is_known_table(chunk, previous) { chunk.table_score() } else { 0.0 });
    (link.quoted || link.score >= names).then(|| (link.value.clone(), found))
}

fn condition(found: &Found, values: Vec<Value>, negated: bool) -> Condition {
    let expr = found.expr();
    let mut values = values;
    match (values.len(), values.pop()) {
        (1, Some(value)) => {
            let operator = if negated { Comparison::NotEqual } else { Comparison::Equal };
            Condition::compare(expr, operator, Expr::Literal(value))
        }
        (_, last) => {
            let list = values.into_iter().chain(last).map(Expr::Literal).collect();
            Condition::In { expr, list, negated }
        }
    }
}

/// Another year in the place of the one in a condition.
fn year_changed(year: i64, previous: &Previous<'_>) -> Option<Proposal> {
    let old = previous.conditions().find(|condition| years(condition).next().is_some())?;
    let before = years(old).next()?;
    let mut new = old.clone();
    change_year(&mut new, before, year);
    (new != *old).then(|| Proposal::new(format!("another year: {year}"), vec![PlanEdit::ReplaceFilter { condition: new }]))
}

fn years(condition: &Condition) -> impl Iterator<Item = i64> {
    let literals = condition.exprs().into_iter().filter_map(|expr| match expr {
        Expr::Literal(Value::Integer(number)) if (1000..3000).contains(number) => Some(*number),
        Expr::Literal(Value::Text(text)) => text.get(..4).and_then(|year| year.parse().ok()).filter(|year| (1000..3000).contains(year)),
        _ => None,
    });
    let pattern = match condition {
        Condition::Like { pattern, .. } => pattern.get(..4).and_then(|year| year.parse().ok()),
        _ => None,
    };
    literals.chain(pattern).collect::<Vec<_>>().into_iter()
}

fn change_year(condition: &mut Condition, before: i64, after: i64) {
    let change_text = |text: &mut String| {
        if text.starts_with(&before.to_string()) {
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
        Condition::And(all) | Condition::Or(all) => all.iter_mut().for_each(|inner| change_year(inner, before, after)),
        Condition::Not(inner) => change_year(inner, before, after),
        _ => {}
    }
}

/// The previous question with another table in the place of the one it asked about (`what about employees?`).
pub(super) fn other_entity(reading: &Reading, previous: &Previous<'_>) -> Option<String> {
    if !reading.again {
        return None;
    }
    let content = reading.content(&["thing"]);
    let [chunk] = content.as_slice() else { return None };
    let (table, score) = chunk.table()?;
    if score < 0.6 || previous.uses(table).is_some() {
        return None;
    }
    let stems = previous.knowledge.table_words(previous.entity().1);
    let mut replaced = false;
    let words: Vec<String> = previous
        .question
        .split_whitespace()
        .map(|word| {
            let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            let ending = word.get(bare.len()..).unwrap_or_default();
            if stems.contains(&crate::reasoner::rules::stem::stem(bare)) {
                replaced = true;
                format!("{}{ending}", chunk.text)
            } else {
                word.to_owned()
            }
        })
        .collect();
    replaced.then(|| words.join(" "))
}
