//! `who placed them?`: the people whom the rows refer to.

use super::Proposal;
use super::previous::{Found, Previous};
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::grammar::people_of;
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
    let people = people_of(previous.knowledge, previous.entity().1, &verb.text)?;
    let label = &previous.knowledge.table(people).label;
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
    Some(Proposal::new("the people whom the rows refer to", edits))
}
