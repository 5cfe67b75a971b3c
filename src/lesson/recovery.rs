//! What a success after a failure teaches.

use super::learn::{FailedAttempt, TurnFacts};
use super::model::{Lesson, Origin};
use super::names::plain;
use super::rule::TransformationRule;
use super::sql_names::{SqlNames, names};
use super::teaching::Teaching;
use crate::plan::ColumnRef;
use crate::schema::Schema;

/// The lessons in a turn whose statements failed until one succeeded.
///
/// Something is learned only where exactly one name was exchanged: a table that the schema does not have, or a column
/// that the message complains of, for one that it has. Where more changed, nobody knows what helped.
pub(super) fn recovered(facts: &TurnFacts<'_>, schema: &Schema) -> Vec<Lesson> {
    let Some(sql) = facts.sql else { return Vec::new() };
    let right = names(sql);
    let mut lessons: Vec<Lesson> = Vec::new();
    for failed in facts.failed {
        let wrong = names(failed.sql);
        let lesson = table(&wrong, &right, failed, schema).or_else(|| column(&wrong, &right, failed, schema));
        let Some((teaching, confidence)) = lesson else { continue };
        let origin =
            Origin::Recovery { at: facts.at, question: facts.question.to_owned(), turn: facts.turn.to_owned() };
        let lesson = Lesson { confidence, ..Lesson::new(teaching, Some(facts.database), origin) };
        if !lessons.iter().any(|known| known.id == lesson.id) {
            lessons.push(lesson);
        }
    }
    lessons
}

fn table(wrong: &SqlNames, right: &SqlNames, failed: &FailedAttempt<'_>, schema: &Schema) -> Option<(Teaching, f64)> {
    let (gone, come) = exchanged(&wrong.tables, &right.tables)?;
    if schema.table(gone).is_some() {
        return None;
    }
    let come = &schema.table(come)?.name;
    let teaching = Teaching::table(gone, come);
    let named = mentions(failed.error, gone);
    let ruled = !matches!(&teaching, Teaching::TableMapping { transformation_rule: TransformationRule::Rename, .. });
    // Two independent signs are better than one: the message names the table, and the new name looks like the old.
    Some((teaching, if named && ruled { 0.9 } else { 0.8 }))
}

fn column(wrong: &SqlNames, right: &SqlNames, failed: &FailedAttempt<'_>, schema: &Schema) -> Option<(Teaching, f64)> {
    let (gone, come) = exchanged(&wrong.all, &right.all)?;
    if !mentions(failed.error, gone) {
        return None;
    }
    let mut holders = right.tables.iter().filter_map(|table| schema.table(table)).filter_map(|table| {
        table.column(come).map(|column| ColumnRef::new(table.name.clone(), column.name.clone()))
    });
    // A column of two of the tables would have been ambiguous; that it ran says nothing about which is meant.
    let (column, None) = (holders.next()?, holders.next()) else { return None };
    let teaching = Teaching::ErrorPattern {
        error: pattern(failed.error),
        fix: format!("use `{}.{}` instead of `{gone}`", column.table, column.column),
        wrong: Some(gone.to_owned()),
        right: Some(column),
    };
    Some((teaching, 0.85))
}

/// The one name that is only in `before` and the one that is only in `after`.
fn exchanged<'a>(before: &'a [String], after: &'a [String]) -> Option<(&'a str, &'a str)> {
    let only = |these: &'a [String], those: &[String]| {
        let mut only = these.iter().filter(|name| !those.iter().any(|other| other.eq_ignore_ascii_case(name)));
        match (only.next(), only.next()) {
            (Some(name), None) => Some(name.as_str()),
            _ => None,
        }
    };
    only(before, after).zip(only(after, before))
}

/// Whether a message speaks of a name as a whole word.
fn mentions(message: &str, name: &str) -> bool {
    let (message, name) = (message.to_lowercase(), name.to_lowercase());
    message.match_indices(&name).any(|(start, found)| {
        let part = |character: Option<char>| character.is_some_and(|character| character.is_alphanumeric() || character == '_');
        let before = message.get(..start).and_then(|before| before.chars().next_back());
        let after = message.get(start + found.len()..).and_then(|after| after.chars().next());
        !name.is_empty() && !part(before) && !part(after)
    })
}

/// The part of a message that will come again: its first line, without where in the statement it happened.
fn pattern(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let line = ["(hint:", " at offset", " at line", " in SELECT", " in SQL"]
        .iter()
        .filter_map(|end| line.find(end))
        .min()
        .and_then(|end| line.get(..end))
        .unwrap_or(line);
    plain(line, 200)
}
