//! Order and number of rows, where nothing is said of what they are sorted by: `the other way round`, `only the top three`.

use super::previous::Previous;
use super::reading::{self, Reading};
use super::{Proposal, extreme, group};
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Direction, Expr, Order, PlanEdit};
use sqlogue_sql::schema::Value;

/// What says that there are to be so many rows.
const OF_LIMITS: &[&str] = &[
    "limit", "top", "first", "keep", "get", "at", "most", "no", "more", "than", "up", "want", "need",
    "results", "entries", "records", "maximum", "max", "too", "many", "few", "restrict", "cut", "best",
    "highest", "largest", "biggest", "most", "last", "bottom", "lowest", "smallest",
];

/// `limit it to 10`, `the top three`, `just one`, `remove the limit`.
pub(super) fn limit(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    if reading.has(&["remove the limit", "no limit", "without limit", "without the limit", "drop the limit"])
    {
        return Some(Proposal::new("the limit goes", vec![PlanEdit::ClearLimit]));
    }
    let is_year = reading.chunks.iter().any(|chunk| chunk.number.as_ref().is_some_and(|number| number.year));
    // `only those of 1948` speaks of a year.
    if is_year && !reading.has(&["limit", "top", "first"]) {
        return None;
    }
    // *the second* is one row, and not two of them.
    let numbers = || reading.chunks.iter().filter_map(|chunk| chunk.number.as_ref());
    if numbers().any(|number| number.ordinal && number.value != Value::Integer(1)) {
        return None;
    }
    // *two or more* bounds a number.
    if reading.chunks.iter().flat_map(Chunk::cues).any(|cue| matches!(cue, Cue::OrBeyond(_))) {
        return None;
    }
    let number = number_of_rows(reading)?;
    let asks = reading.has(&[
        "limit", "top", "first", "only", "just", "at most", "keep", "too many", "restrict", "best", "bottom",
        "last", "lowest", "highest", "smallest", "largest",
    ]) || reading.starts(&["show", "give me", "give", "list", "the"]);
    let rest: Vec<_> = reading
        .content(OF_LIMITS)
        .into_iter()
        .filter(|chunk| chunk.number.is_none() && !reading::is_known_table(chunk, previous))
        .collect();
    if !asks
        || reading.chunks.iter().any(|chunk| matches!(chunk.cue, Some(Cue::Compare(_) | Cue::Comparative(_))))
            && !reading.has(&["limit", "at most", "no more than"])
    {
        return None;
    }
    // `a price of at most 20` bounds the price and not the rows.
    let bounds = reading.chunks.iter().any(|chunk| matches!(chunk.cue, Some(Cue::Compare(_))));
    if bounds && !rest.is_empty() && !reading.has(&["limit"]) {
        return None;
    }
    if rest.is_empty()
        && let Some(first) = extreme::first_few(number, previous)
    {
        return Some(first);
    }
    let mut edits = Vec::new();
    let ranks =
        reading.has(&["top", "best", "highest", "largest", "biggest"]) || reading.has(&["most"]) && !bounds;
    let ranks_up = reading.has(&["bottom", "lowest", "smallest"]);
    match rest.as_slice() {
        [] if (ranks || ranks_up) && previous.plan.order_by.is_empty() => {
            let by =
                previous.summaries().first().map(|expr| (*expr).clone()).or_else(|| only_number(previous))?;
            let direction = if ranks_up { Direction::Ascending } else { Direction::Descending };
            edits.push(PlanEdit::SetOrder { order: vec![Order { expr: by, direction }] });
        }
        // *the top three* after the bottom five are no part of these.
        [] if turns_end(ranks, ranks_up, reading, previous) => edits.push(PlanEdit::ReverseOrder),
        [] if ranks_up && is_other_end(previous, WORST) => {}
        [] if reading.has(&["last", "bottom"]) && !previous.plan.order_by.is_empty() => {
            edits.push(PlanEdit::ReverseOrder)
        }
        [] => {}
        // `top 3 by number of orders`
        [count, of @ ..] if (ranks || ranks_up) && says_number(count) && of.len() < 2 => {
            let (number, by) = number_said(reading, previous)?;
            edits.extend(number);
            let direction = if ranks_up { Direction::Ascending } else { Direction::Descending };
            edits.push(PlanEdit::SetOrder { order: vec![Order { expr: by, direction }] });
        }
        // `the top three by price`
        [one] if ranks || ranks_up => {
            let found = reading::column(one, previous)?;
            if !found.joins.is_empty() {
                return None;
            }
            let direction = if ranks_up { Direction::Ascending } else { Direction::Descending };
            edits.push(PlanEdit::SetOrder { order: vec![Order { expr: found.expr(), direction }] });
        }
        _ => return None,
    }
    edits.push(PlanEdit::SetLimit { limit: number });
    Some(Proposal::new(format!("at most {number} rows"), edits))
}

/// What names the lower end of an order.
const WORST: &[&str] = &["bottom", "worst", "lowest", "least", "fewest", "smallest"];

/// True where the rows before were taken from an end that these words name.
fn is_other_end(previous: &Previous<'_>, words: &[&str]) -> bool {
    let said = previous.question.to_lowercase();
    let mut words_said = said.split(|letter: char| !letter.is_alphanumeric());
    previous.plan.limit.is_some() && words_said.any(|word| words.contains(&word))
}

/// True where the other end is asked for than the rows before were taken from.
fn turns_end(ranks: bool, ranks_up: bool, reading: &Reading, previous: &Previous<'_>) -> bool {
    let [order] = previous.plan.order_by.as_slice() else { return false };
    let rises = order.direction == Direction::Ascending;
    ranks && !ranks_up && rises && !reading.only && is_other_end(previous, WORST)
}

/// How many rows are asked for: the number, or one where `just one` is said.
fn number_of_rows(reading: &Reading) -> Option<u64> {
    let number = reading.number().filter(|number| *number > 0 && !reading.says_which(*number));
    number.or_else(|| {
        (reading.has(&[
            "limit it to one",
            "only one",
            "just one",
            "only the first one",
            "just the first one",
            "only the first",
            "just the first",
            "only show the first one",
        ]))
        .then_some(1)
    })
}

/// True for `number of`, `count`.
pub(super) fn says_number(chunk: &Chunk) -> bool {
    const WORDS: &[&str] = &["count", "counts", "number", "numbers"];
    chunk.may_be(Cue::HowMany) || WORDS.contains(&chunk.text.as_str())
}

/// The number that `number of orders` speaks of: one that is shown or groups have, or that of another table's rows.
pub(super) fn number_said(reading: &Reading, previous: &Previous<'_>) -> Option<(Vec<PlanEdit>, Expr)> {
    if let Some(count) = previous.summaries().first() {
        return Some((Vec::new(), (*count).clone()));
    }
    if !previous.plan.select.group_by.is_empty() {
        return Some((Vec::new(), Expr::count_all()));
    }
    let tables = reading.chunks.iter().filter_map(Chunk::table);
    let (table, _) =
        tables.into_iter().find(|(table, score)| *score > 0.6 && *table != previous.entity().1)?;
    group::number_of(table, previous)
}

/// The only number that is shown and is no key.
pub(super) fn only_number(previous: &Previous<'_>) -> Option<Expr> {
    let shown = previous.shown();
    let mut numbers = shown.iter().filter(|expr| {
        matches!(expr, Expr::Column(column) if previous.id_of(column).is_some_and(|id| {
            let column = previous.knowledge.column(id);
            column.numeric && !column.is_key && !column.is_foreign
        }))
    });
    numbers.next().cloned().filter(|_| numbers.next().is_none())
}

/// `the other way round`, `in descending order`.
pub(super) fn direction(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    if reading.has(&[
        "the other way round",
        "the other way around",
        "in reverse",
        "reverse order",
        "opposite order",
        "in the opposite order",
        "flip the order",
        "invert the order",
    ]) || reading.starts(&["reverse"])
    {
        return Some(Proposal::new("the order is turned round", vec![PlanEdit::ReverseOrder]));
    }
    if reading.has(&[
        "remove the order",
        "remove the sorting",
        "remove the ordering",
        "unsorted",
        "do not sort",
    ]) {
        return Some(Proposal::new("the order goes", vec![PlanEdit::ClearOrder]));
    }
    let direction = named_direction(reading)?;
    let ignored = &["order", "sort", "sorted", "ordered", "make", "arrange", "rank", "first", "put", "want"];
    let rest = reading.content(ignored);
    let ends_first = reading.has(&["first"]);
    // `most expensive first`; where there is no order yet, the word says by what it is.
    let says_end = ends_first && !previous.plan.order_by.is_empty();
    let only_direction = rest.iter().all(|chunk| {
        says_end && matches!(chunk.cue, Some(Cue::Superlative(_, Some(_))))
            || matches!(chunk.cue, Some(Cue::Direction(_) | Cue::Alphabetical | Cue::OrderBy | Cue::Show))
            || ["largest", "smallest", "highest", "lowest"].iter().any(|word| chunk.text.ends_with(word))
            || reading::is_known_table(chunk, previous)
    });
    if !only_direction {
        return None;
    }
    let alphabetical = reading.cue(Cue::Alphabetical);
    let order = match previous.plan.order_by.as_slice() {
        [] => vec![Order { expr: default_key(previous, alphabetical)?, direction }],
        some => some.iter().map(|order| Order { expr: order.expr.clone(), direction }).collect(),
    };
    Some(Proposal::new("the direction of the order", vec![PlanEdit::SetOrder { order }]))
}

pub(super) fn named_direction(reading: &Reading) -> Option<Direction> {
    let cue = reading.chunks.iter().flat_map(|chunk| chunk.cues()).find_map(|cue| match cue {
        Cue::Direction(direction) => Some(direction),
        Cue::Alphabetical => Some(Direction::Ascending),
        _ => None,
    });
    if reading.has(&[
        "largest first",
        "highest first",
        "most first",
        "biggest first",
        "newest first",
        "latest first",
        "most expensive first",
        "most common first",
        "most recent first",
    ]) {
        return Some(Direction::Descending);
    }
    if reading.has(&[
        "smallest first",
        "lowest first",
        "least first",
        "oldest first",
        "earliest first",
        "cheapest first",
    ]) {
        return Some(Direction::Ascending);
    }
    from_end_to_end(&reading.text).or(cue)
}

/// `from old to young`, `from the most to the least`, `early to late`: which end comes first.
pub(super) fn from_end_to_end(text: &str) -> Option<Direction> {
    const FALLS: &[&str] = &[
        "old", "oldest", "high", "highest", "higher", "large", "largest", "larger", "big", "biggest",
        "bigger", "great", "greatest", "greater", "most", "late", "latest", "recent", "long", "longest",
        "new", "newest", "top", "best", "z",
    ];
    const RISES: &[&str] = &[
        "young", "youngest", "low", "lowest", "lower", "small", "smallest", "smaller", "little", "least",
        "few", "fewest", "early", "earliest", "short", "shortest", "bottom", "worst", "a",
    ];
    // `from most recent to least recent`: so many words at most are one end.
    const END: usize = 3;
    let words: Vec<&str> = text.split(' ').filter(|word| *word != "the").collect();
    let direction = |at: usize| {
        let (first, rest) = (words.get(at)?, words.get(at + 1..)?);
        let to = rest.iter().take(END).position(|word| *word == "to")?;
        let last = rest.get(to + 1)?;
        match (FALLS.contains(first), RISES.contains(first)) {
            (true, _) if RISES.contains(last) || *last == "old" && *first == "new" => {
                Some(Direction::Descending)
            }
            (_, true) if FALLS.contains(last) => Some(Direction::Ascending),
            // From A to Z, and `from old to new` of what has a date.
            _ => None,
        }
    };
    (0..words.len()).find_map(direction)
}

/// True where nothing but the other end is asked for, of rows of which some came first.
pub(super) fn asks_for_other_end(reading: &Reading, previous: &Previous<'_>) -> bool {
    const OPPOSITE: &[&str] = &[
        "opposite",
        "the opposite",
        "and the opposite",
        "what about the opposite",
        "how about the opposite",
        "now the opposite",
        "the other end",
        "and the other end",
        "what about the other end",
        "vice versa",
    ];
    previous.plan.limit.is_some() && previous.plan.order_by.len() == 1 && OPPOSITE.contains(&reading.bare())
}

/// `and the lowest?` after the highest: the row at the other end.
pub(super) fn other_end(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let [order] = previous.plan.order_by.as_slice() else { return None };
    if asks_for_other_end(reading, previous) {
        let order = vec![Order { expr: order.expr.clone(), direction: order.direction.opposite() }];
        return Some(Proposal::new("the rows at the other end", vec![PlanEdit::SetOrder { order }]));
    }
    if previous.plan.limit != Some(1) || !(reading.again || reading.and || reading.instead) {
        return None;
    }
    let direction = reading.chunks.iter().flat_map(Chunk::cues).find_map(|cue| match cue {
        Cue::Superlative(direction, None) | Cue::Most(direction) => Some(direction),
        _ => None,
    })?;
    let nothing_else = reading.content(&["one", "what", "about"]).iter().all(|chunk| {
        chunk.cues().any(|cue| matches!(cue, Cue::Superlative(_, None) | Cue::Most(_) | Cue::Stop))
            || reading::is_known_table(chunk, previous)
            || reading::column(chunk, previous).is_some_and(|found| found.expr() == order.expr)
    });
    if !nothing_else || direction == order.direction {
        return None;
    }
    let order = vec![Order { expr: order.expr.clone(), direction }];
    Some(Proposal::new("the row at the other end", vec![PlanEdit::SetOrder { order }]))
}

/// `which one has the most?` of groups with a summary.
pub(super) fn most_of_groups(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let summaries = previous.summaries();
    let [summary] = summaries.as_slice() else { return None };
    if previous.plan.select.group_by.is_empty()
        || !reading.starts(&["which", "who", "what"])
        // The `one` of `which one` is no number of groups.
        || reading.number().is_some_and(|number| number > 1)
    {
        return None;
    }
    let direction = reading.chunks.iter().flat_map(Chunk::cues).find_map(|cue| match cue {
        Cue::Most(direction) | Cue::MostCommon(direction) | Cue::Superlative(direction, None) => {
            Some(direction)
        }
        _ => None,
    })?;
    let shown = previous.shown();
    let nothing_else = reading.content(&["has", "have", "had"]).iter().all(|chunk| {
        chunk.cues().any(|cue| {
            matches!(
                cue,
                Cue::Most(_)
                    | Cue::MostCommon(_)
                    | Cue::Superlative(_, None)
                    | Cue::Which
                    | Cue::Who
                    | Cue::Show
                    | Cue::Have
                    | Cue::Be
                    | Cue::HowMany
                    | Cue::Stop
            )
        }) || reading::is_known_table(chunk, previous)
            || reading::column(chunk, previous).is_some_and(|found| shown.contains(&found.expr()))
    });
    if !nothing_else {
        return None;
    }
    let columns = shown.iter().filter(|expr| !expr.is_aggregate()).cloned().collect();
    let order = vec![Order { expr: (*summary).clone(), direction }];
    let edits = vec![
        PlanEdit::ReplaceColumns { columns },
        PlanEdit::SetOrder { order },
        PlanEdit::SetLimit { limit: 1 },
    ];
    Some(Proposal::new("the group that comes first", edits))
}

/// `which has the most?`, `which two have the fewest?` of what is in an order: the first by it, or the last.
pub(super) fn first_of_sorted(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let [order] = previous.plan.order_by.as_slice() else { return None };
    let number = reading.number().unwrap_or(1);
    if previous.plan.limit.is_some() || !reading.starts(&["which", "who", "what"]) || number > 100 {
        return None;
    }
    let end = |cue: Cue| match cue {
        Cue::Most(direction) | Cue::Superlative(direction, None) => Some(direction),
        _ => None,
    };
    let direction = reading.chunks.iter().flat_map(Chunk::cues).find_map(end)?;
    let nothing_else = reading.content(&["has", "have", "had", "one", "ones"]).iter().all(|chunk| {
        chunk.number.is_some()
            || chunk.cues().any(|cue| {
                end(cue).is_some() || matches!(cue, Cue::Which | Cue::Who | Cue::Have | Cue::Be | Cue::Stop)
            })
            || reading::is_known_table(chunk, previous)
            || reading::names_any(chunk, std::slice::from_ref(&order.expr), previous)
    });
    if !nothing_else {
        return None;
    }
    let order = vec![Order { expr: order.expr.clone(), direction }];
    let edits = vec![PlanEdit::SetOrder { order }, PlanEdit::SetLimit { limit: number }];
    Some(Proposal::new("the first in the order", edits))
}

/// What is sorted by where nothing is said: a name, the summary, the first column.
pub(super) fn default_key(previous: &Previous<'_>, alphabetical: bool) -> Option<Expr> {
    let shown = previous.shown();
    if !alphabetical && let Some(summary) = previous.summaries().first() {
        return Some((*summary).clone());
    }
    let label = previous.knowledge.table(previous.entity().1).label.first().copied();
    let labelled = shown.iter().find(
        |expr| matches!(expr, Expr::Column(column) if label.is_some() && previous.id_of(column) == label),
    );
    labelled.or(shown.first()).cloned()
}
