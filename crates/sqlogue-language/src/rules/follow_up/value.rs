//! Values: `what about Rome?`, `only the active ones`, `exclude the cancelled orders`.

use super::Proposal;
use super::previous::{Found, Previous};
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Comparison, Condition, Expr, PlanEdit};
use sqlogue_sql::schema::Value;

/// `what about Rome?`, `only the active ones`, `and in 2023?`, `exclude the cancelled ones`.
pub(super) fn changed(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let negative = reading.starts(&[
        "exclude",
        "except",
        "without",
        "not",
        "remove",
        "drop",
        "excluding",
        "but not",
        "leave out",
        "no",
        "omit",
        "hide",
        "filter out",
        "skip",
    ]) || reading.has(&["not in", "not from", "except", "excluding", "other than", "not"]);
    let opens = reading.again
        || reading.only
        || negative
        || reading.starts(&[
            "in",
            "from",
            "for",
            "with",
            "those",
            "these",
            "the ones",
            "ones",
            "show",
            "list",
            "give",
            "now",
            "filter",
            "filter by",
            "filter on",
            "filter for",
            "keep",
            "which of them",
            "which ones",
            "change",
            "make",
            "use",
            "restrict",
            "limit",
            "which",
            "who",
            "only",
        ])
        || reading.chunks.len() <= 3;
    // `also those in Paris`: on top of the value there.
    let widens = reading.also && reading.has(&["those", "these", "ones", "the ones"]) && !negative;
    if !widens && (reading.also || !opens) {
        return None;
    }
    let ignored = &[
        "exclude",
        "except",
        "without",
        "not",
        "remove",
        "drop",
        "excluding",
        "leave",
        "no",
        "omit",
        "hide",
        "filter",
        "skip",
        "keep",
        "change",
        "make",
        "use",
        "restrict",
        "limit",
        "city",
        "if",
        "thing",
        "want",
        "only",
        "year",
        "get",
        "other",
        "than",
        "come",
        "named",
        "called",
        "list",
        "show",
        "type",
        "types",
        "kind",
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
        } else if matches!(
            chunk.cue,
            Some(
                Cue::Show
                    | Cue::And
                    | Cue::Or
                    | Cue::Comma
                    | Cue::Stop
                    | Cue::Not
                    | Cue::Relative
                    | Cue::NotEqual
                    | Cue::Be
                    | Cue::Which
                    | Cue::Who
                    | Cue::Have
                    | Cue::Equal
                    | Cue::All
                    | Cue::But
                    | Cue::Same
            )
        ) && !chunk.is_schema()
        {
        } else if !reading::is_known_table(chunk, previous) {
            return None;
        }
    }
    if let ([], [year]) = (found.as_slice(), numbers.as_slice()) {
        return if widens { None } else { super::bound::year_changed(*year, previous) };
    }
    if found.is_empty() || !numbers.is_empty() || reading.has(&["how many", "count", "number of"]) {
        return None;
    }
    // All values of one column.
    let (_, first, _) = found.first()?;
    let first = first.clone();
    let values: Vec<Value> = found
        .iter()
        .filter(|(_, place, _)| place.column == first.column)
        .map(|(value, _, _)| value.clone())
        .collect();
    if values.len() != found.len() || named.as_ref().is_some_and(|named| named.column != first.column) {
        return None;
    }
    let values: Vec<Value> = match previous.condition_on(&first.column) {
        Some(Condition::Compare { operator: Comparison::Equal, right: Expr::Literal(there), .. })
            if widens =>
        {
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
    let replaces = there.is_some_and(|there| {
        matches!(
            there,
            Condition::Compare { operator: Comparison::Equal, .. }
                | Condition::In { negated: false, .. }
                | Condition::Like { .. }
        )
    });
    edits.push(if replaces && !negative {
        PlanEdit::ReplaceFilter { condition }
    } else {
        PlanEdit::AddFilter { condition }
    });
    Some(Proposal::new(format!("a value of `{}`", first.column), edits))
}

/// The value that a chunk names, unless it names a column or table at least as well.
fn takes_value(chunk: &Chunk, previous: &Previous<'_>) -> Option<(Value, Found)> {
    let (link, found) = reading::value(chunk, previous)?;
    let names = chunk.column_score().max(if reading::is_known_table(chunk, previous) {
        chunk.table_score()
    } else {
        0.0
    });
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
            if stems.contains(&crate::rules::stem::stem(bare)) {
                replaced = true;
                format!("{}{ending}", chunk.text)
            } else {
                word.to_owned()
            }
        })
        .collect();
    replaced.then(|| words.join(" "))
}
