//! Sorting by what is said: `sort them by price, the cheapest first`.

use super::Proposal;
use super::order::{default_key, named_direction, number_said};
use super::previous::Previous;
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Direction, Expr, Order, PlanEdit};

/// How a follow-up opens that sorts.
const OPENINGS: &[&str] = &[
    "sort",
    "order",
    "rank",
    "arrange",
    "sorted",
    "ordered",
    "list",
    "show",
    "display",
    "put",
    "can you sort",
    "sort by",
    "order by",
    "sorted by",
    "ordered by",
];

/// What asks for an order and nothing else.
const VERBS: &[&str] = &["sort", "order", "rank", "arrange", "ordered", "sorted"];
/// Words for what was shown, whatever it is.
const ROWS: &[&str] = &["record", "records", "entry", "entries", "info", "data", "lines", "items"];

/// `sort them by name, then by city descending`.
pub(super) fn sort(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let keys = keys(reading, previous)?;
    // `sort that by the most common`
    if let Some(direction) = reading.chunks.iter().find_map(common) {
        let count = previous.summaries().first().map(|expr| (*expr).clone());
        let expr = count.or_else(|| (!previous.plan.select.group_by.is_empty()).then(Expr::count_all))?;
        return Some(sorted("an ordering by number", vec![Order { expr, direction }]));
    }
    if let Some(expr) = super::wanted::measured_in_words(keys, previous) {
        let direction =
            keys.iter().find_map(said_direction).or_else(|| named_direction(reading)).unwrap_or_default();
        return Some(sorted("an ordering", vec![Order { expr, direction }]));
    }
    let mut order: Vec<Order> = Vec::new();
    let mut waiting: Option<Direction> = None;
    for chunk in keys {
        let by = match Key::of(chunk, reading, previous)? {
            Key::Turned(direction) => {
                match order.last_mut() {
                    Some(last) => last.direction = direction,
                    None => waiting = Some(direction),
                }
                continue;
            }
            Key::Number => {
                return stored_number(keys, reading, previous).or_else(|| by_number(reading, previous));
            }
            Key::Column(expr) if order.iter().any(|order| order.expr == expr) => continue,
            Key::Column(expr) | Key::Summary(expr) => expr,
            Key::Nothing => continue,
        };
        order.push(Order { expr: by, direction: Direction::Ascending });
    }
    if order.is_empty() {
        order.push(Order { expr: unsaid(reading, previous)?, direction: Direction::Ascending });
    }
    if let [one] = order.as_mut_slice()
        // `by age, the oldest first`
        && let Some(direction) = waiting.or_else(|| named_direction(reading)).or_else(|| superlative_first(reading))
    {
        one.direction = direction;
    }
    Some(sorted("an ordering", order))
}

fn sorted(how: &str, order: Vec<Order>) -> Proposal {
    Proposal::new(how, vec![PlanEdit::SetOrder { order }])
}

/// What is said behind `sort them by`; none where a follow-up does not sort, or asks for something before.
fn keys<'a>(reading: &'a Reading, previous: &Previous<'_>) -> Option<&'a [Chunk]> {
    let sorts = reading.chunks.iter().any(|chunk| chunk.may_be(Cue::OrderBy))
        || reading.starts(VERBS)
        || reading.starts(&["list", "show", "display"])
            && (named_direction(reading).is_some()
                || reading.has(&["them by", "it by", "these by", "those by", "that by"]));
    if !sorts || !reading.starts(OPENINGS) {
        return None;
    }
    // The keys come after `by`, or after the direction's `of`.
    let start = reading.chunks.iter().position(|chunk| {
        common(chunk).is_some()
            || chunk.text == "by"
            || chunk.text.ends_with(" by")
            || chunk.text.ends_with(" of")
            || chunk.may_be(Cue::OrderBy) && chunk.text.contains("by")
            || chunk.text == "on"
            || matches!(chunk.cue, Some(Cue::Alphabetical))
    })?;
    // `list the names by age` says what to show as well; that is for the composer.
    let before = reading.chunks.get(..start)?;
    // *sort the codes by their number* names what is there.
    let sorts_shown = reading.starts(VERBS);
    let shown = previous.shown();
    let opening = |chunk: &Chunk| {
        reading::is_soft(chunk)
            || matches!(chunk.cue, Some(Cue::Show | Cue::OrderBy | Cue::Direction(_) | Cue::All))
            || chunk.text.split(' ').all(|word| VERBS.contains(&word) || ROWS.contains(&word))
            || is_of_entity(chunk, previous)
            || sorts_shown && reading::names_any(chunk, &shown, previous)
    };
    before.iter().all(opening).then(|| reading.chunks.get(start + 1..))?
}

/// What a chunk behind `by` says of the order.
enum Key {
    /// The direction of what was named before it, or of the only key.
    Turned(Direction),
    /// A summary that is shown.
    Summary(Expr),
    Column(Expr),
    /// The number of something that is not shown.
    Number,
    Nothing,
}

impl Key {
    /// None for a chunk that says something else.
    fn of(chunk: &Chunk, reading: &Reading, previous: &Previous<'_>) -> Option<Self> {
        if let Some(direction) = said_direction(chunk) {
            return Some(Self::Turned(direction));
        }
        let summaries = previous.summaries();
        let says_count = ["count", "counts", "number", "numbers", "total", "totals", "amount", "amounts"];
        if chunk.may_be(Cue::HowMany) || says_count.contains(&chunk.text.as_str()) && !summaries.is_empty() {
            return Some(summaries.first().map_or(Self::Number, |count| Self::Summary((*count).clone())));
        }
        // `sort by the average`, of groups that show it
        let function = super::count::function(chunk);
        let is_said = |expr: &&Expr| matches!(expr, Expr::Aggregate { function: there, .. } if Some(*there) == function);
        if let Some(summary) = summaries.into_iter().find(is_said) {
            return Some(Self::Summary(summary.clone()));
        }
        if let Some(found) = reading::column(chunk, previous) {
            // What would need a join is hardly meant beside a column that is there.
            return Some(if found.joins.is_empty() { Self::Column(found.expr()) } else { Self::Nothing });
        }
        let says_which = chunk
            .cues()
            .any(|cue| matches!(cue, Cue::Superlative(..) | Cue::Most(_) | Cue::Ordinal(_) | Cue::Comma));
        // Where no column tells it, what there is most of is the most popular.
        if matches!(chunk.text.as_str(), "popularity" | "frequency") {
            return Some(Self::Number);
        }
        // *by the number of players* after how many players there were.
        let counted =
            reading.chunks.iter().any(super::order::says_number) && !previous.summaries().is_empty();
        let is_known = reading::is_soft(chunk)
            || counted && previous.has_said(&chunk.text)
            || reading::is_known_table(chunk, previous)
            || is_order_word(&chunk.text)
            || says_which && named_direction(reading).is_some();
        is_known.then_some(Self::Nothing)
    }
}

/// What is sorted by where no key is named: `sort by the most common`, `alphabetically`.
fn unsaid(reading: &Reading, previous: &Previous<'_>) -> Option<Expr> {
    let summary = previous.summaries().first().map(|expr| (*expr).clone());
    summary
        .filter(|_| reading.has(&["common", "it", "that"]))
        .or_else(|| reading.cue(Cue::Alphabetical).then(|| default_key(previous, true)).flatten())
}

fn said_direction(chunk: &Chunk) -> Option<Direction> {
    chunk.cues().find_map(|cue| match cue {
        Cue::Direction(direction) => Some(direction),
        Cue::Alphabetical => Some(Direction::Ascending),
        _ => None,
    })
}

/// `by the number of bedrooms`, where each row says how many it has.
fn stored_number(keys: &[Chunk], reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let is_number = |found: &super::previous::Found| {
        let column = previous.knowledge.column(found.id);
        found.joins.is_empty() && column.numeric && !column.is_key && !column.is_foreign
    };
    let mut named = keys.iter().filter_map(|chunk| reading::column(chunk, previous)).filter(is_number);
    let expr = named.next()?.expr();
    let direction = named_direction(reading).unwrap_or_default();
    named.next().is_none().then(|| sorted("an ordering by a number", vec![Order { expr, direction }]))
}

/// `list them by count` of an attribute that rows share: its values by how many rows have them.
fn by_number(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let direction = named_direction(reading).unwrap_or_default();
    if let Some((mut edits, expr)) = number_said(reading, previous) {
        edits.push(PlanEdit::SetOrder { order: vec![Order { expr, direction }] });
        return Some(Proposal::new("what was shown by a number", edits));
    }
    let attribute = Expr::Column(previous.shared_column()?);
    let edits = vec![
        PlanEdit::GroupBy { by: vec![attribute.clone()], measures: vec![Expr::count_all()] },
        PlanEdit::ReplaceColumns { columns: vec![attribute] },
        PlanEdit::SetOrder { order: vec![Order { expr: Expr::count_all(), direction }] },
    ];
    Some(Proposal::new("values by their number", edits))
}

fn common(chunk: &Chunk) -> Option<Direction> {
    chunk.cues().find_map(|cue| match cue {
        Cue::MostCommon(direction) => Some(direction),
        _ => None,
    })
}

fn is_of_entity(chunk: &Chunk, previous: &Previous<'_>) -> bool {
    chunk.tables.iter().any(|(table, score)| *score > 0.6 && *table == previous.entity().1)
        && !chunk.columns.iter().any(|(_, score)| *score > 0.95)
}

fn is_order_word(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "order", "first", "then", "going", "down", "up", "then by", "sort", "sorted", "recent", "early",
        "late", "old", "new", "high", "low", "large", "small", "great", "most", "least",
    ];
    WORDS.contains(&text)
}

/// The direction of a superlative that comes `first`.
fn superlative_first(reading: &Reading) -> Option<Direction> {
    let first = reading.chunks.iter().any(|chunk| chunk.text == "first");
    reading.chunks.iter().flat_map(Chunk::cues).find_map(|cue| match cue {
        Cue::Superlative(direction, _) if first => Some(direction),
        _ => None,
    })
}
