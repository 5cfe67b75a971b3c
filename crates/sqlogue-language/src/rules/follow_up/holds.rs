//! A word in what was shown: `which ones contain the word "star"?`, `those that start with A`.

use super::Proposal;
use super::previous::Previous;
use super::reading::{self, Reading};
use crate::rules::link::Chunk;
use crate::rules::text::TokenKind;
use sqlogue_sql::plan::{Condition, Expr, PlanEdit};

/// How people ask for texts that hold another.
const WITHIN: &[&str] = &[
    "contain",
    "contains",
    "containing",
    "contained",
    "with the word",
    "has the word",
    "have the word",
    "include the word",
];
const START: &[&str] =
    &["start with", "starts with", "starting with", "begin with", "begins with", "beginning with"];
const END: &[&str] = &["end with", "ends with", "ending with", "end in", "ends in", "ending in"];

/// What stands around and names nothing.
const PASSED_OVER: &[&str] = &[
    "contain",
    "contains",
    "containing",
    "contained",
    "word",
    "words",
    "letter",
    "letters",
    "string",
    "text",
    "phrase",
    "start",
    "starts",
    "starting",
    "begin",
    "begins",
    "beginning",
    "end",
    "ends",
    "ending",
    "name",
    "names",
    "title",
    "titles",
    "somewhere",
    "inside",
    "list",
    "then",
];

/// Of the rows that were shown, those whose text holds what is said.
pub(super) fn holds(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let text = quoted(reading).or_else(|| letter(reading))?;
    // A text that was looked into before is looked into again, in the same way where nothing is said of it.
    let looked_into = previous.conditions().find_map(|condition| match condition {
        Condition::Like { expr, pattern, .. } => Some((expr.clone(), pattern.clone())),
        _ => None,
    });
    let as_before = || {
        let (_, before) = looked_into.as_ref().filter(|_| reading.again || reading.instead)?;
        let ends = |at_end: bool| if at_end { "%" } else { "" };
        Some(format!("{}{text}{}", ends(before.starts_with('%')), ends(before.ends_with('%'))))
    };
    let pattern = match (reading.has(WITHIN), reading.has(START), reading.has(END)) {
        (_, true, _) => format!("{text}%"),
        (_, _, true) => format!("%{text}"),
        (true, _, _) => format!("%{text}%"),
        _ => as_before()?,
    };
    if previous.is_one_summary() || text.contains(['%', '_']) {
        return None;
    }
    let lower = text.to_lowercase();
    let mut named: Option<Expr> = None;
    for chunk in reading.content(PASSED_OVER) {
        if chunk.text.trim_matches(['"', '\'']) == lower || chunk.values.iter().any(|value| value.quoted) {
            continue;
        }
        match reading::column(chunk, previous).filter(|found| found.joins.is_empty()) {
            Some(found) => named = Some(found.expr()),
            None if reading::is_known_table(chunk, previous) || chunk.cue.is_some() => {}
            None => return None,
        }
    }
    let is_text = |expr: &Expr| {
        let Expr::Column(column) = expr else { return false };
        previous.id_of(column).is_some_and(|id| {
            let entry = previous.knowledge.column(id);
            !entry.numeric && !entry.kind.is_date()
        })
    };
    let looked_into = looked_into.map(|(expr, _)| expr);
    let shown = previous.shown();
    // Else the last text that was asked for.
    let expr =
        named.or(looked_into.clone()).or_else(|| shown.iter().rev().find(|expr| is_text(expr)).cloned())?;
    let condition = Condition::Like { expr, pattern, negated: false };
    let replaces = looked_into.is_some() && (reading.again || !reading.refers()) && !reading.also;
    let edit = match replaces {
        true => PlanEdit::ReplaceFilter { condition },
        false => PlanEdit::AddFilter { condition },
    };
    Some(Proposal::new("a word in what was shown", vec![edit]))
}

/// What stands in quotes.
fn quoted(reading: &Reading) -> Option<String> {
    let question = &reading.question;
    let at = question.tokens.iter().position(|token| token.kind == TokenKind::Quoted)?;
    let text = question
        .span_text(at, at + 1)
        .trim_matches(|c: char| matches!(c, '"' | '\'' | '“' | '”' | '‘' | '’'));
    (!text.is_empty()).then(|| text.to_owned())
}

/// The single letter that texts start or end with: *those that begin with S*.
fn letter(reading: &Reading) -> Option<String> {
    let is_letter =
        |chunk: &&Chunk| chunk.text.chars().count() == 1 && chunk.text.chars().all(char::is_alphabetic);
    let last = reading.chunks.iter().rev().find(|chunk| !matches!(chunk.text.as_str(), "?" | "." | "!"))?;
    Some(last).filter(is_letter).map(|chunk| chunk.text.to_uppercase())
}
