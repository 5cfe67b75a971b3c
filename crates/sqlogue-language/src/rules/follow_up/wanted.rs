//! What is wanted of a plan beside its question: rows of a time, rows in an order. The words are read as those of a
//! follow-up that says nothing else.

use super::previous::Previous;
use super::reading::{self, Reading};
use super::{count, order, window};
use crate::rules::cue::Cue;
use crate::rules::lexicon::Lexicon;
use crate::rules::link::Chunk;
use crate::rules::{Knowledge, Options, event_date};
use sqlogue_sql::plan::{Condition, Direction, Expr, Order, PlanEdit, QueryPlan};

/// The plan with only the rows of a time: `last month`, `since 2024`. None where the words name no time, or nothing that
/// the plan is about has a date.
pub fn in_time(plan: &QueryPlan, words: &str, knowledge: &Knowledge, options: &Options) -> Option<QueryPlan> {
    let previous = Previous::new(plan, "", knowledge)?.today(options.today);
    let reading = Reading::new(words, knowledge, options.today);
    let (found, condition) = window::named(&reading, &previous)?;
    let there: Vec<Condition> = previous.conditions().cloned().collect();
    if there.contains(&condition) {
        return Some(plan.clone());
    }
    let join = (!found.joins.is_empty()).then(|| PlanEdit::AddJoin { joins: found.joins.clone() });
    let edits: Vec<PlanEdit> = join.into_iter().chain([PlanEdit::AddFilter { condition }]).collect();
    plan.apply_all(&edits).ok().filter(|plan| previous.stays_sound(plan))
}

/// The plan sorted by what the words name: `name`, `price descending`, `newest first`. None where they name nothing that the
/// rows of the answer have.
pub fn sorted(plan: &QueryPlan, words: &str, knowledge: &Knowledge, options: &Options) -> Option<QueryPlan> {
    let previous = Previous::new(plan, "", knowledge)?.today(options.today);
    let words = words.to_lowercase();
    let pieces = words.replace(" and then ", ",").replace(" then ", ",").replace(" and ", ",");
    let mut order: Vec<Order> = Vec::new();
    for piece in pieces.split([',', ';']).map(str::trim).filter(|piece| !piece.is_empty()) {
        let key = key(&Reading::new(piece, knowledge, options.today), &previous);
        match (key, order.last_mut()) {
            (Some(key), _) => order.push(key),
            // *by price, highest first*
            (None, Some(last)) => last.direction = end_first(&Reading::new(piece, knowledge, options.today))?,
            (None, None) => return None,
        }
    }
    let plan = plan.apply(&PlanEdit::SetOrder { order }).ok()?;
    (!plan.order_by.is_empty() && previous.stays_sound(&plan)).then_some(plan)
}

/// Words that say how and not by what.
const FRAME: &[&str] = &[
    "sort", "sorted", "order", "ordered", "rank", "ranked", "arrange", "arranged", "by", "first", "then",
    "going", "down", "up", "rows", "highest", "largest", "biggest", "greatest", "top", "most", "lowest",
    "smallest", "least", "fewest", "asc", "desc",
];

/// One key of an ordering.
fn key(reading: &Reading, previous: &Previous<'_>) -> Option<Order> {
    let direction = direction(reading).or_else(|| end_first(reading));
    let content: Vec<&Chunk> = reading
        .content(FRAME)
        .into_iter()
        .filter(|chunk| !matches!(chunk.cue, Some(Cue::Direction(_) | Cue::OrderBy | Cue::Comma | Cue::Stop)))
        .collect();
    let plain = direction.unwrap_or_default();
    match content.as_slice() {
        [] if reading.cue(Cue::Alphabetical) => {
            Some(Order { expr: order::default_key(previous, true)?, direction: plain })
        }
        // *Highest first*: by the number that is shown.
        [] => Some(Order { expr: order::only_number(previous)?, direction: direction? }),
        [one] if by_adjective(one, previous).is_some() && measured(&[one], previous).is_none() => {
            by_adjective(one, previous)
        }
        several => Some(Order { expr: measured(several, previous)?, direction: plain }),
    }
}

fn direction(reading: &Reading) -> Option<Direction> {
    reading.chunks.iter().flat_map(Chunk::cues).find_map(|cue| match cue {
        Cue::Direction(direction) => Some(direction),
        Cue::Alphabetical => Some(Direction::Ascending),
        _ => None,
    })
}

/// `highest first`, `lowest first`.
fn end_first(reading: &Reading) -> Option<Direction> {
    reading.chunks.iter().flat_map(Chunk::cues).find_map(|cue| match cue {
        Cue::Superlative(direction, None) | Cue::Most(direction) => Some(direction),
        _ => None,
    })
}

/// `newest first`, `cheapest first`: by the date of what happened, or by the column that the adjective speaks of.
fn by_adjective(chunk: &Chunk, previous: &Previous<'_>) -> Option<Order> {
    let (direction, adjective) = chunk.cues().find_map(|cue| match cue {
        Cue::Superlative(direction, Some(adjective)) => Some((direction, adjective)),
        Cue::Comparative(adjective) => Some((Direction::Descending, adjective)),
        _ => None,
    })?;
    let entry = Lexicon::embedded().adjective(adjective)?;
    let is = |bases: &[&str]| entry.base.split('|').any(|form| bases.contains(&form));
    let earliest = is(&["old", "early"]);
    if (earliest || is(&["new", "recent", "late"]))
        && let Some(id) = event_date::of_tables(previous.knowledge, window::tables_by_event(previous))
    {
        let found = previous.find(&[(id, 1.0)]).filter(|found| found.joins.is_empty())?;
        let direction = if earliest { Direction::Ascending } else { Direction::Descending };
        return Some(Order { expr: found.expr(), direction });
    }
    let table = previous.entity().1;
    let like = |names: &[Vec<String>]| {
        names.iter().find_map(|words| previous.knowledge.columns_like(table, words).first().copied())
    };
    let (id, direction) = like(&entry.grows)
        .map(|id| (id, direction))
        .or_else(|| like(&entry.shrinks).map(|id| (id, direction.opposite())))?;
    let found = previous.find(&[(id, 1.0)])?;
    Some(Order { expr: found.expr(), direction })
}

/// What is shown or summarised under a name of several words: *average price*, *running_total*.
pub(super) fn measured_in_words(chunks: &[Chunk], previous: &Previous<'_>) -> Option<Expr> {
    let says_what = |chunk: &&Chunk| {
        !reading::is_soft(chunk)
            && !FRAME.contains(&chunk.text.as_str())
            && !matches!(chunk.cue, Some(Cue::Direction(_) | Cue::Stop))
    };
    let content: Vec<&Chunk> = chunks.iter().filter(says_what).collect();
    let is_one_name = content.len() > 1 || content.iter().any(|chunk| chunk.text.contains(['_', ' ']));
    let summaries = previous.summaries();
    measured(&content, previous).filter(|found| is_one_name && summaries.contains(&found))
}

/// What is shown or summarised under these words, or a column of the tables in use; none where a word names nothing.
fn measured(chunks: &[&Chunk], previous: &Previous<'_>) -> Option<Expr> {
    let text = chunks.iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>().join(" ");
    let plain = |name: &str| name.to_lowercase().replace('_', " ");
    let named = |alias: &str| plain(alias) == plain(&text);
    // As the columns of the answer are called.
    let mut headed = previous.plan.clone();
    headed.name_columns();
    if let Some(shown) =
        headed.select.projection.into_iter().find(|shown| shown.alias.as_deref().is_some_and(named))
    {
        return Some(shown.expr);
    }
    let summaries = previous.summaries();
    let is_summary = |chunk: &&Chunk| {
        count::function(chunk).is_some() || order::says_number(chunk) || chunk.may_be(Cue::Revenue)
    };
    if chunks.iter().any(is_summary) && !summaries.is_empty() {
        let fits = |summary: &&&Expr| chunks.iter().all(|chunk| names_part(chunk, summary, previous));
        return summaries.iter().find(fits).map(|expr| (**expr).clone());
    }
    let [one] = chunks else {
        // *order date*, in two words of one name.
        let mut found = chunks.iter().filter_map(|chunk| reading::column(chunk, previous));
        let first = found.next()?;
        return found.all(|other| other.column == first.column).then(|| first.expr());
    };
    let shown = previous.shown();
    let best = one.columns.first().map_or(0.0, |(_, score)| *score);
    let of_shown =
        one.columns.iter().filter(|(_, score)| *score + 0.1 >= best && *score >= 0.5).find_map(|(id, _)| {
            shown
                .iter()
                .find(|expr| matches!(expr, Expr::Column(column) if previous.id_of(column) == Some(*id)))
        });
    of_shown.cloned().or_else(|| {
        let found = reading::column(one, previous).filter(|found| found.joins.is_empty())?;
        Some(found.expr())
    })
}

/// True where a word speaks of a summary: of how it is computed, or of what is summarised.
fn names_part(chunk: &Chunk, summary: &Expr, previous: &Previous<'_>) -> bool {
    use sqlogue_sql::plan::Aggregate;
    let Expr::Aggregate { function, argument, .. } = summary else { return false };
    let columns = argument.columns();
    let names_column = chunk
        .columns
        .iter()
        .any(|(id, score)| *score >= 0.5 && columns.iter().any(|column| previous.id_of(column) == Some(*id)));
    count::function(chunk) == Some(*function)
        || order::says_number(chunk) && *function == Aggregate::Count
        || chunk.may_be(Cue::Revenue) && *function == Aggregate::Sum
        || names_column
        || reading::is_known_table(chunk, previous) && *function == Aggregate::Count
}
