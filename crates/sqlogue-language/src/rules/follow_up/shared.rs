//! After what several rows share: those that so many rows have, as *which ones had only two orders?* and *which appear twice or
//! more?* ask.

use super::Proposal;
use super::bound::several_rows_of;
use super::previous::Previous;
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Aggregate, Comparison, Condition, Expr, PlanEdit, Source};
use sqlogue_sql::schema::Value;

/// What stands around a number of rows and says nothing else.
const PASSED_OVER: &[&str] = &[
    "appear",
    "appears",
    "appeared",
    "occur",
    "occurs",
    "used",
    "shared",
    "listed",
    "mentioned",
    "repeated",
    "time",
    "times",
    "such",
    "across",
    "once",
    "twice",
    "only",
    "just",
    "exactly",
    "or",
    "more",
    "less",
    "fewer",
    "than",
    "least",
    "most",
    "had",
    "at",
    "keep",
    "many",
    "how",
    "what",
    "about",
    "held",
    "got",
];

/// How a follow-up opens that asks for some of what was shown.
const ASKS: &[&str] = &[
    "which",
    "who",
    "only",
    "just",
    "keep",
    "show",
    "list",
    "those",
    "the ones",
    "ones",
    "how many",
    "what about",
    "how about",
    "of which",
];

/// `which ones had only two orders?`, `which are used once?`: what so many rows share.
pub(super) fn by_number(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let number_at = reading
        .chunks
        .iter()
        .position(|chunk| chunk.number.is_some() && chunk.text != "one" || is_alone(chunk));
    let (operator, number, counted) = said(reading, number_at)?;
    let nothing_else = reading.content(PASSED_OVER).iter().all(|chunk| {
        chunk.number.is_some()
            || reading::is_known_table(chunk, previous)
            || reading::names_any(chunk, &previous.shown(), previous)
            || matches!(
                chunk.cue,
                Some(
                    Cue::Which
                        | Cue::Who
                        | Cue::Have
                        | Cue::Be
                        | Cue::Stop
                        | Cue::Show
                        | Cue::HowMany
                        | Cue::Compare(_)
                        | Cue::OrBeyond(_)
                        | Cue::Relative
                        | Cue::All
                )
            ) && !chunk.is_schema()
    });
    let of_rows = counted.is_none_or(|chunk| {
        reading::is_known_table(chunk, previous)
            || matches!(chunk.text.as_str(), "time" | "times" | "such" | "?" | "." | "!")
    });
    if !nothing_else || !of_rows || !reading.starts(ASKS) {
        return None;
    }
    let condition = Condition::compare(Expr::count_all(), operator, Expr::literal(number));
    let mut edits = groups(previous, condition)?;
    if reading.starts(&["how many"]) {
        edits.push(PlanEdit::Aggregate { function: Aggregate::Count, argument: None });
    }
    Some(Proposal::new("what so many rows share", edits))
}

/// True for *once* and *twice*, which are numbers without what they count.
fn is_alone(chunk: &Chunk) -> bool {
    matches!(chunk.text.as_str(), "once" | "twice")
}

/// The number that is said with how it bounds, and what it counts.
fn said(reading: &Reading, at: Option<usize>) -> Option<(Comparison, i64, Option<&Chunk>)> {
    let cues = || reading.chunks.iter().flat_map(Chunk::cues);
    let operator = cues()
        .find_map(|cue| match cue {
            Cue::Compare(operator) | Cue::OrBeyond(operator) => Some(operator),
            _ => None,
        })
        // *what about 2?* is bounded as before.
        .or_else(|| (!reading.again).then_some(Comparison::Equal))?;
    let numbers = reading.chunks.iter().filter(|chunk| chunk.number.is_some() && chunk.text != "one").count();
    if numbers > 1 {
        return None;
    }
    let at = at.or_else(|| {
        // The *one* of *which one* is no number, and that of *more than one* is.
        let ones = |pair: &[Chunk]| matches!(pair, [before, one] if one.text == "one" && (before.text != "which" && before.text != "the"));
        reading.chunks.windows(2).position(ones).map(|before| before + 1)
    })?;
    let chunk = reading.chunks.get(at)?;
    let number = match (chunk.text.as_str(), &chunk.number) {
        ("once", _) => 1,
        ("twice", _) => 2,
        (_, Some(number)) if !number.ordinal && !number.year && !number.percent && !number.money => {
            match number.value {
                Value::Integer(number) => number,
                _ => return None,
            }
        }
        _ => return None,
    };
    let counted =
        reading.chunks.get(at + 1..)?.iter().find(|chunk| !matches!(chunk.cue, Some(Cue::OrBeyond(_))));
    Some((operator, number, counted.filter(|_| !is_alone(chunk))))
}

/// The edits that group the rows by what was shown of them and bound the groups; where they are grouped so already, that bound
/// them in another way.
fn groups(previous: &Previous<'_>, condition: Condition) -> Option<Vec<PlanEdit>> {
    let (plan, select) = (previous.plan, &previous.plan.select);
    let is_plain = plan.set_operations.is_empty()
        && plan.limit.is_none()
        && plan.with.is_empty()
        && matches!(select.from, Source::Table(_));
    let shown: Vec<Expr> = select.projection.iter().map(|one| one.expr.clone()).collect();
    if !is_plain || shown.iter().any(|expr| !matches!(expr, Expr::Column(_))) {
        return None;
    }
    if select.group_by == shown && !shown.is_empty() {
        let bounds = previous.conditions().filter(|condition| condition.is_aggregate()).count();
        return match bounds {
            0 => Some(vec![PlanEdit::AddFilter { condition }]),
            1 => Some(vec![PlanEdit::ReplaceFilter { condition }]),
            _ => None,
        };
    }
    let is_shared = previous.shared_column().is_some() || several_rows_of(previous).is_some();
    if !select.group_by.is_empty() || !is_shared {
        return None;
    }
    let distinct = select.distinct.then_some(PlanEdit::SetDistinct { distinct: false });
    Some(
        distinct
            .into_iter()
            .chain([
                PlanEdit::GroupBy { by: shown.clone(), measures: vec![Expr::count_all()] },
                PlanEdit::ReplaceColumns { columns: shown },
                PlanEdit::AddFilter { condition },
            ])
            .collect(),
    )
}
