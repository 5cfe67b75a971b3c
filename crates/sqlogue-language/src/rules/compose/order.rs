//! Ordering: *sorted by age*, *in descending order of price*, *from the oldest to the youngest*.

use super::frame::Measure;
use super::parse::{Parser, Region};
use crate::rules::cue::Cue;
use sqlogue_sql::plan::Direction;

/// Reads an ordering that starts here.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    if let Some(end) = from_to(parser, at).or_else(|| by_after_limit(parser, at)) {
        return Some(end);
    }
    let chunk = parser.chunk(at);
    let order = chunk.may_be(Cue::OrderBy);
    if !order && direction_at(parser, at).is_none() {
        return None;
    }
    // *Sort the students by age*: the verb opens the question; *by age* comes later.
    if order && at == 0 && !chunk.text.ends_with("by") {
        parser.sorting = true;
        parser.mark(0, 1);
        return Some(1);
    }
    if order
        && chunk.is_schema()
        && !chunk.text.ends_with("by")
        && direction_at(parser, at + 1).is_none()
        && parser.text(at + 1) != "by"
    {
        return None;
    }
    let Opening { mut direction, alphabetical, mut end } = opening(parser, at);
    let mut keys = keys(parser, &mut end, &mut direction);
    if let Some((found, after)) = trailing_direction(parser, end) {
        direction = Some(found);
        end = after;
    }
    if keys.is_empty() {
        // An order without a key is by what is returned; a word that asks for none says nothing.
        let measure = unsaid_key(parser, alphabetical);
        if direction.is_none() && !alphabetical {
            return None;
        }
        keys.push((measure, None));
    }
    for (measure, implied) in keys {
        parser.frame.orders.push((measure, direction.or(implied).unwrap_or_default()));
    }
    parser.mark(at, end);
    if parser.region == Region::Description || !parser.frame.outputs.is_empty() {
        parser.region = Region::Description;
    }
    Some(end)
}

/// *The top 5 countries by number of invoices*.
fn by_after_limit(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    if parser.text(at) != "by" || !parser.frame.superlatives.is_empty() {
        return None;
    }
    let count = parser.frame.limit.or(parser.leading)?;
    let (measure, end, _) = measure(parser, at + 1)?;
    let superlative =
        super::frame::Superlative { measure, direction: Direction::Descending, count, of: None };
    parser.frame.superlatives.push(superlative);
    parser.mark(at, end);
    Some(end)
}

/// The words that open an ordering, before its keys.
struct Opening {
    direction: Option<Direction>,
    alphabetical: bool,
    end: usize,
}

fn opening(parser: &Parser<'_>, at: usize) -> Opening {
    const FILLERS: [&str; 13] = [
        "by",
        "the",
        "of",
        "their",
        "on",
        "its",
        "in",
        "order",
        "according to",
        "to",
        "with",
        "respect",
        "based",
    ];
    let mut opening = Opening {
        direction: direction_at(parser, at),
        alphabetical: parser.is(at, Cue::Alphabetical),
        end: at + 1,
    };
    loop {
        if let Some(found) = direction_at(parser, opening.end) {
            opening.alphabetical |= parser.is(opening.end, Cue::Alphabetical);
            opening.direction = Some(found);
        } else if !FILLERS.contains(&parser.text(opening.end)) && !parser.is(opening.end, Cue::OrderBy) {
            return opening;
        }
        opening.end += 1;
    }
}

/// The keys that are said, each with the direction that its words imply; a direction behind one ends them.
fn keys(
    parser: &mut Parser<'_>,
    end: &mut usize,
    direction: &mut Option<Direction>,
) -> Vec<(Measure, Option<Direction>)> {
    let mut keys = Vec::new();
    while let Some((measure, after, implied)) = measure(parser, *end) {
        keys.push((measure, implied));
        *end = after;
        // What comes between two keys: *and*, *then by*.
        let mut next = *end;
        while parser.is(next, Cue::And)
            || parser.is(next, Cue::Comma)
            || ["then", "by", "the", "their"].contains(&parser.text(next))
        {
            next += 1;
        }
        if let Some(found) = direction_at(parser, *end) {
            *direction = Some(found);
            *end += 1;
            break;
        }
        if next == *end || !parser.chunk(next).is_schema() || parser.chunk(next).column_score() < 0.6 {
            break;
        }
        *end = next;
    }
    keys
}

/// What is sorted by where no key is said. *The number of orders in descending order*: what was named last, where it is a
/// number.
fn unsaid_key(parser: &mut Parser<'_>, alphabetical: bool) -> Measure {
    let number = parser.frame.outputs.last().filter(|output| !matches!(output, Measure::Plain(_))).cloned();
    match number {
        Some(number) if !alphabetical && parser.oracle.decide("orders_by_last_number", true) => number,
        _ => Measure::First,
    }
}

fn direction_at(parser: &Parser<'_>, at: usize) -> Option<Direction> {
    parser.chunk(at).cues().find_map(|cue| match cue {
        Cue::Direction(direction) => Some(direction),
        Cue::Alphabetical => Some(Direction::Ascending),
        _ => None,
    })
}

/// A direction a few soft words away: *by age, in descending order*; *age descendingly*.
fn trailing_direction(parser: &Parser<'_>, at: usize) -> Option<(Direction, usize)> {
    let next = parser.skip(at, &["in", "the", "an", "a", ",", "from"]);
    let direction = direction_at(parser, next)?;
    // *in descending order of …* has a key of its own.
    (parser.text(next + 1) != "of").then_some((direction, next + 1))
}

/// What is ordered by: a count, a summary, a column, or an adjective's column.
fn measure(parser: &mut Parser<'_>, at: usize) -> Option<(Measure, usize, Option<Direction>)> {
    let at = parser
        .skip(at, &["the", "their", "its", "of", "each", "a", "corresponding", "respective", "his", "her"]);
    let taken = parser.skip(at, &["total"]);
    if let Some(revenue) = super::revenue::measure(parser, taken, None) {
        return Some((revenue, taken + 1, None));
    }
    for cue in parser.chunk(at).cues() {
        match cue {
            Cue::HowMany if parser.chunk(at).column_score() <= 0.8 => {
                let noun = parser.skip(at + 1, &["the", "of", "their", "different", "distinct", "each"]);
                let slot = parser.table_slot(noun).or_else(|| parser.column_slot(noun));
                if let Some(slot) = slot
                    && super::name::holds_numbers(parser, slot)
                    && !parser.oracle.decide("number_sorts_by_count", false)
                {
                    return Some((Measure::Plain(slot), noun + 1, None));
                }
                // *sorted by the count*: of what was counted.
                let end = if slot.is_some() { noun + 1 } else { at + 1 };
                return Some((Measure::Count(slot, false), end, None));
            }
            Cue::Aggregate(function) if parser.chunk(at).column_score() <= 0.8 => {
                let noun = parser.skip(at + 1, &["the", "of", "their", "number"]);
                let slot = parser.column_slot(noun)?;
                return Some((Measure::Summary(function, false, slot), noun + 1, None));
            }
            _ => {}
        }
    }
    if parser.chunk(at).column_score() > 0.4
        && !matches!(parser.chunk(at).cue, Some(Cue::Direction(_) | Cue::Comma | Cue::Stop | Cue::And))
    {
        let slot = parser.column_slot(at)?;
        of_groups(parser, slot);
        return Some((Measure::Plain(slot), at + 1, None));
    }
    None
}

/// Groups are sorted by something of theirs: *revenue by customer, sorted by name*.
fn of_groups(parser: &mut Parser<'_>, slot: usize) {
    let slots = &mut parser.frame.slots;
    let grouped: Vec<_> = parser
        .frame
        .groups
        .iter()
        .filter_map(|group| slots.get(*group))
        .flat_map(|group| group.options.iter().take(3).map(|option| (option.table, 0.9 * option.score)))
        .collect();
    if let Some(slot) = slots.get_mut(slot) {
        slot.hints.extend(grouped);
    }
}

/// *from the oldest to the youngest*, *from most to least recent*.
fn from_to(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    if parser.text(at) != "from" {
        return None;
    }
    let first = parser.skip(at + 1, &["the"]);
    let mut to = first + 1;
    while to < first + 4 && parser.text(to) != "to" {
        to += 1;
    }
    if parser.text(to) != "to" {
        return None;
    }
    let last = parser.skip(to + 1, &["the"]);
    let superlative = |at: usize| {
        parser
            .chunk(at)
            .cues()
            .find_map(|cue| match cue {
                Cue::Superlative(direction, adjective) => Some((direction, adjective)),
                Cue::Comparative(adjective) => Some((Direction::Descending, Some(adjective))),
                _ => None,
            })
            .or_else(|| {
                let lexicon = crate::rules::lexicon::Lexicon::embedded();
                lexicon
                    .adjective_named(parser.text(at))
                    .map(|adjective| (Direction::Descending, Some(adjective)))
            })
    };
    let (direction, adjective) = superlative(first)?;
    superlative(last)?;
    let entry = adjective.and_then(|adjective| {
        let table = parser.last_table;
        parser.adjective_slot(first, adjective, table)
    });
    // An ordering by a column already said keeps that column.
    let already = matches!(parser.frame.orders.last(), Some((Measure::Plain(_), _)));
    match entry {
        Some((_, grows)) if already => {
            if let Some(order) = parser.frame.orders.last_mut() {
                order.1 = if grows { direction } else { direction.opposite() };
            }
        }
        Some((slot, grows)) => {
            let direction = if grows { direction } else { direction.opposite() };
            parser.frame.orders.push((Measure::Plain(slot), direction));
        }
        None if already => {
            if let Some(order) = parser.frame.orders.last_mut() {
                order.1 = direction;
            }
        }
        None => return None,
    }
    parser.mark(at, last + 1);
    Some(last + 1)
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::reads;

    #[test]
    fn orders() {
        reads(&[
            (
                "List the titles of books sorted by price in descending order.",
                "SELECT title FROM book ORDER BY price DESC",
            ),
            ("Show the names of authors in alphabetical order.", "SELECT name FROM author ORDER BY name"),
        ]);
    }
}
