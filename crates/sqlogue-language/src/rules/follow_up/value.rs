//! Values: `what about Rome?`, `only the active ones`, `exclude the cancelled orders`.

use super::Proposal;
use super::previous::{Found, Previous};
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Comparison, Condition, Expr, PlanEdit};
use sqlogue_sql::schema::Value;

/// How a follow-up opens that leaves values out.
const NEGATIVE: &[&str] = &[
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
];

/// How a follow-up opens that names values.
const OPENINGS: &[&str] = &[
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
];

/// What says nothing of values.
const PASSED_OVER: &[&str] = &[
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

/// `what about Rome?`, `only the active ones`, `and in 2023?`, `exclude the cancelled ones`.
pub(super) fn changed(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let negative = reading.starts(NEGATIVE)
        || reading.has(&["not in", "not from", "except", "excluding", "other than", "not"]);
    let opens =
        reading.again || reading.only || negative || reading.starts(OPENINGS) || reading.chunks.len() <= 3;
    // `also those in Paris`: on top of the value there.
    let widens = reading.also && reading.has(&["those", "these", "ones", "the ones"]) && !negative;
    if !widens && (reading.also || !opens) {
        return None;
    }
    let said = Said::of(reading, previous)?;
    if let ([], [year]) = (said.values.as_slice(), said.years.as_slice()) {
        return if widens { None } else { super::bound::year_changed(*year, previous) };
    }
    if !said.years.is_empty() || reading.has(&["how many", "count", "number of"]) {
        return None;
    }
    let (place, values) = said.of_one_column()?;
    let there = previous.condition_on(&place.column);
    let values = if widens { widened(there?, values)? } else { values };
    let condition = condition(&place, values, negative);
    let mut edits = Vec::new();
    if !place.joins.is_empty() {
        edits.push(PlanEdit::AddJoin { joins: place.joins.clone() });
    }
    edits.push(if there.is_some_and(names_values) && !negative {
        PlanEdit::ReplaceFilter { condition }
    } else {
        PlanEdit::AddFilter { condition }
    });
    Some(Proposal::new(format!("a value of `{}`", place.column), edits))
}

/// What a follow-up names.
#[derive(Default)]
struct Said {
    values: Vec<(Value, Found)>,
    years: Vec<i64>,
    /// The first column that is named beside them.
    column: Option<Found>,
}

impl Said {
    /// What is named; none where something else is said too.
    fn of(reading: &Reading, previous: &Previous<'_>) -> Option<Self> {
        let mut said = Self::default();
        for chunk in reading.content(PASSED_OVER) {
            if let Some(value) = takes_value(chunk, previous) {
                said.values.push(value);
            } else if let Some(number) = chunk.number.as_ref().filter(|number| number.year) {
                let Value::Integer(year) = number.value else { return None };
                said.years.push(year);
            } else if let Some(column) = reading::column(chunk, previous).filter(|_| said.column.is_none()) {
                said.column = Some(column);
            } else if !is_frame(chunk) && !reading::is_known_table(chunk, previous) {
                return None;
            }
        }
        Some(said)
    }

    /// The values, and their column; none where they are of several, or of another than the one that is named.
    fn of_one_column(self) -> Option<(Found, Vec<Value>)> {
        let (_, first) = self.values.first()?;
        let first = first.clone();
        let mut columns = self.values.iter().map(|(_, place)| place).chain(&self.column);
        columns
            .all(|place| place.column == first.column)
            .then(|| (first, self.values.into_iter().map(|(value, _)| value).collect()))
    }
}

/// True for what stands around values and names nothing.
fn is_frame(chunk: &Chunk) -> bool {
    let frames = matches!(
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
    );
    frames && !chunk.is_schema()
}

/// The values that a condition asks for, and more of them; none where it asks for something else.
fn widened(there: &Condition, more: Vec<Value>) -> Option<Vec<Value>> {
    let held: Vec<&Expr> = match there {
        Condition::Compare { operator: Comparison::Equal, right: right @ Expr::Literal(_), .. } => {
            vec![right]
        }
        Condition::In { list, negated: false, .. } => list.iter().collect(),
        _ => return None,
    };
    let held = held.into_iter().filter_map(|expr| match expr {
        Expr::Literal(value) => Some(value.clone()),
        _ => None,
    });
    Some(held.chain(more).collect())
}

/// True for a condition that asks for values of a column.
fn names_values(condition: &Condition) -> bool {
    matches!(
        condition,
        Condition::Compare { operator: Comparison::Equal, .. }
            | Condition::In { negated: false, .. }
            | Condition::Like { .. }
    )
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
