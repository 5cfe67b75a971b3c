//! `who placed them?`: the people whom the rows refer to.

use super::Proposal;
use super::previous::{Found, Previous};
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::grammar::{has_people, people_of};
use crate::rules::knowledge::TableId;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Expr, PlanEdit};

/// `who placed them?`, `who sold those?` after rows that tell what people did.
pub(super) fn who(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let points = reading.has(&["them", "those", "these", "it", "this", "that"]);
    if !reading.starts(&["who"]) || !points || reading.number().is_some() {
        return None;
    }
    let select = &previous.plan.select;
    if !select.group_by.is_empty() || !previous.plan.set_operations.is_empty() {
        return None;
    }
    // Besides what it points at there is nothing but the verb, which may name the rows themselves: *who rented them?*
    let says_more = |chunk: &&Chunk| {
        !reading::is_soft(chunk)
            && !reading::is_known_table(chunk, previous)
            && !matches!(chunk.cue, Some(Cue::Who | Cue::Stop))
    };
    let (mut said, verb) = (reading.chunks.iter().filter(says_more), reading.chunks.get(1)?);
    let is_verb = |chunk: &Chunk| chunk.start == verb.start && chunk.number.is_none();
    if !said.all(is_verb) || verb.values.iter().any(|value| value.score > 0.9) {
        return None;
    }
    Some(Proposal::new(
        "the people whom the rows refer to",
        names_of(people(previous, &verb.text)?, previous)?,
    ))
}

/// The people whom the rows refer to, or who refer to them: a van is driven by the one to whom it belongs.
fn people(previous: &Previous<'_>, verb: &str) -> Option<TableId> {
    let (knowledge, (_, rows)) = (previous.knowledge, previous.entity());
    let below = || knowledge.joins().below(rows).find(|table| has_people(knowledge, *table));
    people_of(knowledge, rows, verb).or_else(below)
}

/// The edits that show what rows of another table are called, each once, in the place of what was shown.
fn names_of(table: TableId, previous: &Previous<'_>) -> Option<Vec<PlanEdit>> {
    let label = &previous.knowledge.table(table).label;
    let columns: Vec<Found> = label.iter().filter_map(|id| previous.find(&[(*id, 1.0)])).collect();
    let joins = columns.first()?.joins.clone();
    let mut edits = Vec::new();
    if !joins.is_empty() {
        edits.push(PlanEdit::AddJoin { joins });
    }
    let columns: Vec<Expr> = columns.iter().map(Found::expr).collect();
    edits.push(PlanEdit::ReplaceColumns { columns });
    // One who did it twice is one.
    edits.push(PlanEdit::SetDistinct { distinct: true });
    Some(edits)
}

/// What asks whose rows are.
const WHOSE: &[&str] = &[
    "who are they for",
    "who are those for",
    "who are these for",
    "who is it for",
    "who is that for",
    "who is this for",
    "who are they from",
    "who are those from",
    "who is it from",
    "who is that from",
    "whose are they",
    "whose are those",
    "whose are these",
    "whose is it",
    "whose is that",
    "whose is this",
    "who do they belong to",
    "who does it belong to",
    "see whose they are",
    "know whose they are",
    "whose they are",
];

/// `who are they for?` after invoices: the people beside the rows, so that it is seen which are whose.
pub(super) fn whose(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let bare = reading.bare();
    let select = &previous.plan.select;
    let is_list = select.group_by.is_empty()
        && previous.summaries().is_empty()
        && previous.plan.set_operations.is_empty()
        && !select.distinct;
    if !is_list || !WHOSE.iter().any(|asks| bare == *asks || bare.ends_with(&format!(" {asks}"))) {
        return None;
    }
    let label = &previous.knowledge.table(people(previous, "")?).label;
    let columns = label.iter().filter_map(|id| previous.find(&[(*id, 1.0)]));
    let columns: Vec<Found> = columns.map(|found| previous.beside_every_row(found)).collect();
    let joins = columns.first()?.joins.clone();
    let mut edits = if joins.is_empty() { Vec::new() } else { vec![PlanEdit::AddJoin { joins }] };
    edits.extend(columns.iter().map(|found| PlanEdit::AddColumn { expr: found.expr() }));
    Some(Proposal::new("whose the rows are", edits))
}

/// `which customers?`, `which products are those?` after rows of something else: the table that is named, where nothing else is said.
pub(super) fn other_things(reading: &Reading, previous: &Previous<'_>) -> Option<TableId> {
    let says_more = |chunk: &&Chunk| {
        !matches!(chunk.cue, Some(Cue::Which | Cue::Be | Cue::Stop))
            && !matches!(
                chunk.text.as_str(),
                "?" | "." | "!" | "they" | "those" | "these" | "that" | "it" | "this" | "are" | "is" | "were"
            )
    };
    let mut said = reading.chunks.iter().filter(says_more);
    let (things, None) = (said.next()?, said.next()) else { return None };
    let (table, score) = things.table()?;
    let named = score > 0.6 && things.column_score() <= score && things.values.is_empty();
    (reading.starts(&["which"]) && named && previous.uses(table).is_none()).then_some(table)
}

/// The rows of another table to which those that were shown belong.
pub(super) fn which(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let table = other_things(reading, previous)?;
    let is_plain = previous.plan.select.group_by.is_empty()
        && previous.plan.set_operations.is_empty()
        && previous.plan.with.is_empty();
    let edits = names_of(table, previous).filter(|_| is_plain && previous.plan.limit.is_none())?;
    Some(Proposal::new("what the rows belong to", edits))
}
