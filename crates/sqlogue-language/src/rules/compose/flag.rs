//! Columns that say yes or no, as conditions: *which products are discontinued*, *active customers*, *not insured*.

use super::frame::{Filler, Measure, Test};
use super::parse::{Parser, Region};
use crate::rules::cue::Cue;
use crate::rules::kind::PAIRS;
use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::stem::stem;
use sqlogue_sql::schema::{ColumnType, Value};

/// How words say the opposite.
const OPPOSITES: &[&str] = &["non-", "non", "in", "un", "dis"];

/// Reads a flag said of rows.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let chunk = parser.chunk(at);
    let plain =
        chunk.cue.is_none() && chunk.number.is_none() && chunk.column_score().max(chunk.table_score()) < 0.8;
    let (slot, opposite) = match (named(parser, at), plain) {
        (Some(slot), _) => (slot, false),
        (None, true) if !is_cell(parser, at) => (opposed(parser, at)?, true),
        _ => return None,
    };
    parser.negated ^= opposite;
    parser.filter(Measure::Plain(slot), Test::Holds);
    parser.mark(at, at + 1);
    Some(at + 1)
}

/// True where a flag is named here, whatever stands before it.
pub(super) fn may_read(parser: &Parser<'_>, at: usize) -> bool {
    let chunk = parser.chunk(at);
    let best = chunk.columns.iter().find(|(column, _)| is_flag(parser.knowledge, *column));
    best.is_some_and(|(_, score)| *score >= 0.6 && score + 0.05 >= chunk.column_score())
        && !says_its_value(parser, at)
}

/// A chunk that names a flag where a description stands: after a form of *be*, before the things it describes, or
/// after *that* and *who*.
fn named(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let chunk = parser.chunk(at);
    if chunk.cue.is_some() || chunk.column_score() < 0.6 || chunk.table_score() > chunk.column_score() {
        return None;
    }
    if !describes(parser, at) || says_its_value(parser, at) {
        return None;
    }
    let knowledge = parser.knowledge;
    let options: Vec<Filler> = chunk
        .columns
        .iter()
        .filter(|(column, score)| *score >= 0.6 && is_flag(knowledge, *column))
        .map(|(column, score)| filler(knowledge, *column, *score))
        .collect();
    // A column of another kind that is named better is what is meant.
    let best = options.iter().map(|option| option.score).fold(0.0, f32::max);
    (best + 0.05 >= chunk.column_score()).then(|| parser.add_slot(at, options))
}

/// The word at a place, without the end of the sentence that a code may take in.
fn word<'a>(parser: &Parser<'a>, at: usize) -> &'a str {
    parser.text(at).trim_end_matches(|letter: char| !letter.is_alphanumeric())
}

/// True for words that stand in a cell just so.
fn is_cell(parser: &Parser<'_>, at: usize) -> bool {
    let word = word(parser, at);
    parser
        .chunk(at)
        .values
        .iter()
        .any(|value| value.quoted || value.value.to_string().eq_ignore_ascii_case(word))
}

/// A word that no name has, but for what makes it the opposite (*inactive*).
fn opposed(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let knowledge = parser.knowledge;
    let word = word(parser, at);
    let rest = OPPOSITES.iter().find_map(|prefix| word.strip_prefix(prefix)).filter(|rest| rest.len() > 3)?;
    let rest = stem(rest);
    let options: Vec<Filler> = knowledge
        .places_of_stem(&rest)
        .iter()
        .filter_map(|place| match place.item {
            crate::rules::knowledge::Item::Column(column) => Some(column),
            crate::rules::knowledge::Item::Table(_) => None,
        })
        .filter(|column| is_flag(knowledge, *column))
        .map(|column| filler(knowledge, column, 0.9))
        .take(6)
        .collect();
    (!options.is_empty() && describes(parser, at)).then(|| parser.add_slot(at, options))
}

fn filler(knowledge: &Knowledge, column: ColumnId, score: f32) -> Filler {
    Filler { column: Some(column), table: knowledge.column(column).table, value: None, score }
}

/// True where a word stands that says of which rows, not what is returned.
fn describes(parser: &Parser<'_>, at: usize) -> bool {
    let next = parser.chunk(at + 1);
    let before_things = next.table_score() > 0.5 && next.table_score() >= next.column_score();
    let said_of = parser.before(at).may_be(Cue::Be) || parser.before(at).may_be(Cue::Not);
    before_things || parser.region == Region::Description || (said_of && !parser.frame.outputs.is_empty())
}

/// True where the value follows: *whose discontinued is 1*.
fn says_its_value(parser: &Parser<'_>, at: usize) -> bool {
    let next = parser.skip_soft(at + 1);
    let chunk = parser.chunk(next);
    super::value::reads_as_value(parser, next)
        || chunk.number.is_some()
        || chunk.cues().any(|cue| matches!(cue, Cue::Compare(_) | Cue::Equal | Cue::NotEqual | Cue::Null))
}

/// True for a column that says yes or no: by its type, or by its two texts.
fn is_flag(knowledge: &Knowledge, column: ColumnId) -> bool {
    knowledge.column(column).column_type == ColumnType::Boolean || pair(knowledge, column).is_some()
}

/// The texts by which a column says yes and no.
fn pair(knowledge: &Knowledge, column: ColumnId) -> Option<(&'static str, &'static str)> {
    let texts: Vec<String> =
        knowledge.column(column).few_values.iter().map(|value| value.to_string().to_lowercase()).collect();
    let pair = PAIRS
        .iter()
        .find(|(yes, no)| !texts.is_empty() && texts.iter().all(|text| text == yes || text == no))?;
    // `F` alone may be anything; with `T` beside it, it says no.
    (texts.len() == 2 || pair.0.len() > 1).then_some(*pair)
}

/// Yes or no, as the column stores it.
pub(super) fn stored_as(knowledge: &Knowledge, column: ColumnId, wanted: bool) -> Option<Value> {
    let entry = knowledge.column(column);
    let Some((yes, no)) = pair(knowledge, column) else {
        return (entry.column_type == ColumnType::Boolean).then_some(Value::Boolean(wanted));
    };
    let word = if wanted { yes } else { no };
    let stored = entry.few_values.iter().find(|value| value.to_string().eq_ignore_ascii_case(word));
    // A text that no row has yet is spelt as the other one is.
    Some(stored.cloned().unwrap_or_else(|| {
        let upper = entry
            .few_values
            .iter()
            .any(|value| value.to_string().chars().next().is_some_and(char::is_uppercase));
        Value::Text(if upper { word.to_uppercase() } else { word.to_owned() })
    }))
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::reads;

    #[test]
    fn flags() {
        reads(&[
            ("Which members are active?", "SELECT first_name, last_name FROM member WHERE active = 1"),
            ("Which members are inactive?", "SELECT first_name, last_name FROM member WHERE active = 0"),
            ("Which members are not active?", "SELECT first_name, last_name FROM member WHERE active = 0"),
            ("How many active members are there?", "SELECT count(*) FROM member WHERE active = 1"),
            ("Show the titles of books that are reserved.", "SELECT title FROM book WHERE reserved = 'Y'"),
        ]);
    }
}
