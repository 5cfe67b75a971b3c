//! The order of groups by what an adjective says of their summary: *most expensive first* after the average price of each category.

use super::Proposal;
use super::previous::Previous;
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::lexicon::Lexicon;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Direction, Expr, Order, PlanEdit};

/// `most expensive first`, `the cheapest category first`: by the summary of what the adjective speaks of.
pub(super) fn by_adjective(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let bare = reading.bare();
    if !bare.ends_with(" first") || previous.plan.select.group_by.is_empty() || previous.plan.limit.is_some()
    {
        return None;
    }
    let (direction, index) = reading.chunks.iter().flat_map(Chunk::cues).find_map(|cue| match cue {
        Cue::Superlative(direction, Some(index)) => Some((direction, index)),
        _ => None,
    })?;
    let says_more = |chunk: &&&Chunk| {
        !chunk.cues().any(|cue| matches!(cue, Cue::Superlative(..) | Cue::Show | Cue::OrderBy))
            && !reading::is_known_table(chunk, previous)
            && !reading::names_any(chunk, &previous.plan.select.group_by, previous)
    };
    let adjective = Lexicon::embedded().adjective(index)?;
    let mut summed = previous.summaries().into_iter().filter_map(|summary| {
        Some((summary, direction_of(summary, (&adjective.grows, &adjective.shrinks), direction, previous)?))
    });
    let (summary, direction) = summed.next_back()?;
    if reading.content(&["first", "sort", "order", "put", "list"]).iter().any(|chunk| says_more(&chunk)) {
        return None;
    }
    let order = vec![Order { expr: summary.clone(), direction }];
    Some(Proposal::new("by the summary that the adjective speaks of", vec![PlanEdit::SetOrder { order }]))
}

/// The direction in which a summary has the end first that an adjective names; none where the adjective does not speak of it.
fn direction_of(
    summary: &Expr,
    (grows, shrinks): (&[Vec<String>], &[Vec<String>]),
    direction: Direction,
    previous: &Previous<'_>,
) -> Option<Direction> {
    let Expr::Aggregate { argument, .. } = summary else { return None };
    let Expr::Column(column) = &**argument else { return None };
    let forms = &previous.knowledge.column(previous.id_of(column)?).forms;
    let is_one =
        |names: &[Vec<String>]| names.iter().any(|words| forms.iter().any(|form| form.ends_with(words)));
    if is_one(grows) {
        return Some(direction);
    }
    is_one(shrinks).then(|| direction.opposite())
}
