//! Superlatives: *the oldest student*, *with the highest salary*, *the most orders*, *the 3 most common cities*.

use super::frame::{Measure, Superlative};
use super::parse::{Parser, Region};
use crate::rules::cue::Cue;
use sqlogue_sql::plan::{Aggregate, Direction};

/// Reads a superlative that starts here.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    if let Some(end) = comes_first(parser, at) {
        parser.mark(at, end);
        return Some(end);
    }
    let (count, cue_at, counted_before) = leading_count(parser, at);
    let cues: Vec<Cue> = parser.chunk(cue_at).cues().collect();
    for cue in cues {
        let end = match cue {
            Cue::MostCommon(direction) => most_common(parser, at, cue_at, count, direction),
            Cue::Most(direction) => most(parser, at, cue_at, count, direction),
            Cue::Superlative(direction, Some(adjective)) => {
                by_adjective(parser, at, cue_at, count, direction, adjective)
            }
            Cue::Superlative(direction, None) => by_number_of(parser, cue_at, count, direction)
                .or_else(|| by_column(parser, at, cue_at, count, direction))
                .or_else(|| plain_adjective(parser, at, cue_at, count)),
            Cue::Ordinal(direction) if counted_before || parser.count_at(cue_at + 1).is_some() => {
                plain_adjective(parser, at, cue_at, count)
                    .or_else(|| first_rows(parser, at, cue_at, count, direction))
            }
            _ => None,
        };
        if let Some(end) = end {
            parser.mark(at, end);
            return Some(end);
        }
    }
    None
}

/// *the oldest first*, *highest price on top*: all rows are meant, in that order.
fn comes_first(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let first = |parser: &Parser<'_>, at: usize| {
        let end = match (parser.text(at), parser.text(at + 1)) {
            ("first" | "on top" | "at the top" | "up top", _) => at + 1,
            ("on", "top") => at + 2,
            ("at", "the") if parser.text(at + 2) == "top" => at + 3,
            _ => return None,
        };
        // *the oldest first edition* asks for a row.
        (!parser.chunk(end).is_schema()).then_some(end)
    };
    let cue_at = parser.skip(at, &["with", "the"]);
    let (direction, adjective) = parser.chunk(cue_at).cues().find_map(|cue| match cue {
        Cue::Superlative(direction, adjective) => Some((direction, adjective)),
        _ => None,
    })?;
    let (slot, direction, end) = match (adjective, first(parser, cue_at + 1)) {
        (Some(adjective), Some(end)) => {
            let table = parser.last_table;
            let (slot, grows) = parser.adjective_slot(cue_at, adjective, table)?;
            (slot, if grows { direction } else { direction.opposite() }, end)
        }
        _ => {
            let end = first(parser, cue_at + 2)?;
            (parser.column_slot(cue_at + 1)?, direction, end)
        }
    };
    parser.frame.orders.push((Measure::Plain(slot), direction));
    Some(end)
}

/// *the 3 most*, *top 3*: how many rows, and where the superlative stands.
fn leading_count(parser: &Parser<'_>, at: usize) -> (Option<u64>, usize, bool) {
    let small = |at: usize| parser.count_at(at).filter(|count| *count <= 1000);
    match small(at) {
        Some(count) if parser.chunk(at).number.as_ref().is_some_and(|number| !number.ordinal) => {
            let next = parser.skip(at + 1, &["of", "the", "with", "that", "who", "have", "has"]);
            if next == at + 1 { (Some(count), next, true) } else { (None, at, false) }
        }
        _ => (
            small(at + 1)
                .filter(|_| parser.chunk(at + 1).number.as_ref().is_some_and(|number| !number.ordinal)),
            at,
            false,
        ),
    }
}

fn push(
    parser: &mut Parser<'_>,
    measure: Measure,
    direction: Direction,
    count: Option<u64>,
    of: Option<usize>,
) {
    let count = count.or(parser.leading).or(parser.frame.limit).unwrap_or(1);
    parser.frame.superlatives.push(Superlative { measure, direction, count, of });
}

/// Skips the number between *top* and its noun.
fn after_count(parser: &Parser<'_>, at: usize) -> usize {
    let at = parser.skip(at, &["the", "of", "a", "an", "total", "number"]);
    if parser.count_at(at).is_some() { at + 1 } else { at }
}

/// *the most common city*: by how often.
fn most_common(
    parser: &mut Parser<'_>,
    at: usize,
    cue_at: usize,
    count: Option<u64>,
    direction: Direction,
) -> Option<usize> {
    let noun = after_count(parser, cue_at + 1);
    let chunk = parser.chunk(noun);
    if !chunk.is_schema() || chunk.cue == Some(Cue::Stop) {
        // *which city is the most common*; *used most often*
        push(parser, Measure::Count(None, false), direction, count, None);
        return Some(cue_at + 1);
    }
    let as_table = chunk.table_score() > chunk.column_score();
    let slot = if as_table { parser.table_slot(noun) } else { parser.column_slot(noun) }?;
    if parser.region == Region::Head && super::parse::outputs_open(parser, at) {
        parser.frame.outputs.push(Measure::Plain(slot));
        if as_table {
            parser.frame.entity.get_or_insert(slot);
        }
    }
    push(parser, Measure::Count(None, false), direction, count, Some(slot));
    Some(noun + 1)
}

/// *the most orders*: by a count of rows, or by a number that has that name.
fn most(
    parser: &mut Parser<'_>,
    at: usize,
    cue_at: usize,
    count: Option<u64>,
    direction: Direction,
) -> Option<usize> {
    let noun = after_count(parser, cue_at + 1);
    if let Some(revenue) = super::revenue::measure(parser, noun, None) {
        push(parser, revenue, direction, count, None);
        return Some(noun + 1);
    }
    let chunk = parser.chunk(noun);
    if !chunk.is_schema() || chunk.cue == Some(Cue::Stop) {
        // *earns the most*, *costs the least*: by the column that the verb speaks of.
        let lexicon = crate::rules::lexicon::Lexicon::embedded();
        let before = parser.before(at).text.rsplit(' ').next().unwrap_or_default().to_owned();
        if let Some(verb) = lexicon.adjective_named(&before) {
            let verb_at = at.saturating_sub(1);
            // *who earns the most* asks for the one who does, not for what was earned.
            if let Some(Measure::Plain(slot)) = parser.frame.outputs.last().cloned()
                && parser.frame.slots.get(slot).is_some_and(|slot| slot.chunk == verb_at)
            {
                parser.frame.outputs.pop();
                keep_numeric(parser, slot);
                push(parser, Measure::Plain(slot), direction, count, None);
                return Some(cue_at + 1);
            }
            if let Some(end) = by_adjective(parser, at, cue_at, count, direction, verb) {
                parser.mark(verb_at, at);
                return Some(end);
            }
        }
        if parser.region == Region::Description {
            push(parser, Measure::Count(None, false), direction, count, None);
            return Some(cue_at + 1);
        }
        return None;
    }
    let text = parser.text(cue_at).trim_start_matches("the ");
    let extremum = text.starts_with("max") || text.starts_with("min");
    if extremum
        && parser.region == Region::Head
        && (!parser.pending.is_empty() || super::parse::outputs_open(parser, at))
        && chunk.column_score() > 0.6
    {
        // *the minimum number of floors* is asked for.
        parser.pending.push((if text.starts_with("max") { Aggregate::Max } else { Aggregate::Min }, false));
        return Some(noun);
    }
    let numeric = chunk.columns.iter().filter(|(column, _)| {
        let entry = parser.knowledge.column(*column);
        entry.numeric && !entry.is_key && !entry.is_foreign
    });
    let best_number = numeric.map(|(_, score)| *score).fold(0.0, f32::max);
    let table = chunk.table_score();
    let usual_table = table >= best_number;
    let by_rows = if table > 0.3 && best_number > 0.4 {
        parser.oracle.decide("most_counts_rows", usual_table)
    } else {
        usual_table || best_number < 0.5
    };
    if by_rows {
        let slot = parser.table_slot(noun).or_else(|| parser.column_slot(noun))?;
        push(parser, Measure::Count(Some(slot), false), direction, count, None);
    } else {
        let slot = parser.column_slot(noun)?;
        keep_numeric(parser, slot);
        // A number of the rows themselves, or its total over the rows of each group.
        let measure = if parser.oracle.decide("most_of_one_row", true) {
            Measure::Plain(slot)
        } else {
            Measure::Summary(Aggregate::Sum, false, slot)
        };
        push(parser, measure, direction, count, None);
    }
    if parser.region == Region::Head && at > 0 && !parser.frame.outputs.is_empty() {
        parser.region = Region::Description;
    }
    Some(noun + 1)
}

fn keep_numeric(parser: &mut Parser<'_>, slot: usize) {
    let knowledge = parser.knowledge;
    if let Some(slot) = parser.frame.slots.get_mut(slot) {
        let numbers = |option: &super::frame::Filler| {
            option.column.is_some_and(|column| knowledge.column(column).numeric)
        };
        if slot.options.iter().any(numbers) {
            slot.options.retain(numbers);
        }
    }
}

/// *the oldest student*, *who is the youngest*.
fn by_adjective(
    parser: &mut Parser<'_>,
    at: usize,
    cue_at: usize,
    count: Option<u64>,
    direction: Direction,
    adjective: usize,
) -> Option<usize> {
    // *the oldest age*, *the longest duration*: the column is said.
    let noun = after_count(parser, cue_at + 1);
    let chunk = parser.chunk(noun);
    let numeric = chunk.columns.iter().any(|(column, score)| {
        let entry = parser.knowledge.column(*column);
        *score > 0.6 && !entry.is_key && (entry.numeric || entry.column_type.is_temporal())
    });
    let entry = crate::rules::lexicon::Lexicon::embedded().adjective(adjective);
    let shrinks_only = entry.is_some_and(|entry| entry.grows.is_empty());
    if numeric && !parser.pending.is_empty() && parser.region == Region::Head {
        // *the average and the largest salary*: a summary like the one before.
        return None;
    }
    if numeric && chunk.column_score() > chunk.table_score() && chunk.cue.is_none() {
        let direction = if shrinks_only { direction.opposite() } else { direction };
        return by_column(parser, at, cue_at, count, direction);
    }
    let table =
        chunk.table().map(|(table, _)| table).filter(|_| chunk.table_score() > 0.5).or(parser.last_table);
    let (slot, grows) = parser
        .adjective_slot(cue_at, adjective, table)
        .or_else(|| parser.adjective_slot(cue_at, adjective, None))?;
    let direction = if grows { direction } else { direction.opposite() };
    push(parser, Measure::Plain(slot), direction, count, None);
    Some(
        cue_at + 1 + usize::from(noun > cue_at + 1 && count.is_some() && parser.count_at(noun - 1).is_some()),
    )
}

/// *the top 3 number of orders*: by how many.
fn by_number_of(
    parser: &mut Parser<'_>,
    cue_at: usize,
    count: Option<u64>,
    direction: Direction,
) -> Option<usize> {
    let mut at = parser.skip(cue_at + 1, &["the"]);
    at += usize::from(parser.count_at(at).is_some());
    let noun = parser.skip(at + 1, &["the", "of"]);
    if parser.region != Region::Description
        || !parser.is(at, Cue::HowMany)
        || parser.chunk(noun).table_score() < 0.5
    {
        return None;
    }
    let slot = parser.table_slot(noun)?;
    push(parser, Measure::Count(Some(slot), false), direction, count, None);
    Some(noun + 1)
}

/// *the highest salary*: a summary where it is asked for, a choice of rows where it describes.
fn by_column(
    parser: &mut Parser<'_>,
    at: usize,
    cue_at: usize,
    count: Option<u64>,
    direction: Direction,
) -> Option<usize> {
    let noun = after_count(parser, cue_at + 1);
    if let Some(revenue) = super::revenue::measure(parser, noun, None) {
        push(parser, revenue, direction, count, None);
        return Some(noun + 1);
    }
    let chunk = parser.chunk(noun);
    // *the highest average salary*, *the largest total*
    let function = chunk.cues().find_map(|cue| match cue {
        Cue::Aggregate(function) if chunk.column_score() < 0.8 => Some(function),
        _ => None,
    });
    let column_at = if function.is_some() { parser.skip(noun + 1, &["the", "of", "number"]) } else { noun };
    let chunk = parser.chunk(column_at);
    // *the top 3 products* names things, whatever other tables call their keys; *by price* says the order.
    let top = ["top", "bottom"].contains(&parser.text(cue_at).trim_start_matches("the "));
    let things =
        top && function.is_none() && chunk.table_score() > 0.5 && chunk.table_score() > chunk.column_score();
    if things && count.is_some() && parser.region == Region::Head && parser.pending.is_empty() {
        parser.leading = count;
        return Some(noun);
    }
    if chunk.column_score() < 0.4 || things {
        return None;
    }
    // *whose highest score is above 50* compares, and chooses no row.
    let verb = parser.skip(column_at + 1, &["is", "are", "was", "were", "of"]);
    if parser.chunk(verb).cues().any(|cue| matches!(cue, Cue::Compare(_) | Cue::Between))
        && parser.chunk(parser.skip(verb + 1, &["than", "the"])).number.is_some()
        && parser.region == Region::Description
    {
        return None;
    }
    let asked = parser.region == Region::Head && super::parse::outputs_open(parser, at) && count.is_none();
    if asked && function.is_none() {
        // Returned, unless it turns out to describe: the usual outputs take it.
        return None;
    }
    let slot = parser.column_slot(column_at)?;
    if function.is_none() {
        keep_numeric(parser, slot);
        if parser.region == Region::Head && super::parse::outputs_open(parser, at) && count.is_some() {
            // *the top 3 highest scores*: they are returned too.
            parser.frame.outputs.push(Measure::Plain(slot));
        }
    }
    let measure = match function {
        Some(function) => Measure::Summary(function, false, slot),
        None => Measure::Plain(slot),
    };
    push(parser, measure, direction, count, None);
    parser.last_column = Some(column_at);
    parser.last_column_used = true;
    Some(column_at + 1)
}

/// *the top 3 expensive rooms*: the adjective alone does for its superlative.
fn plain_adjective(parser: &mut Parser<'_>, at: usize, cue_at: usize, count: Option<u64>) -> Option<usize> {
    let count = count.or_else(|| parser.count_at(cue_at + 1))?;
    let adjective_at = after_count(parser, cue_at + 1);
    let lexicon = crate::rules::lexicon::Lexicon::embedded();
    let adjective = lexicon.adjective_named(parser.text(adjective_at))?;
    by_adjective(parser, at, adjective_at, Some(count), Direction::Descending, adjective)
}

/// *the first 5 orders*, *top 3 students*: the first rows in the order that is said elsewhere.
fn first_rows(
    parser: &mut Parser<'_>,
    _at: usize,
    cue_at: usize,
    count: Option<u64>,
    _direction: Direction,
) -> Option<usize> {
    parser.frame.limit = count.or_else(|| parser.count_at(cue_at + 1));
    Some(cue_at + 2)
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::reads;

    #[test]
    fn superlatives() {
        reads(&[
            (
                "What is the title of the most expensive book?",
                "SELECT title FROM book ORDER BY price DESC LIMIT 1",
            ),
            (
                "What is the last name of the oldest member?",
                "SELECT last_name FROM member ORDER BY age DESC LIMIT 1",
            ),
            ("What are the titles of the 3 cheapest books?", "SELECT title FROM book ORDER BY price LIMIT 3"),
            (
                "What are the titles of the top 3 expensive books?",
                "SELECT title FROM book ORDER BY price DESC LIMIT 3",
            ),
            ("Top 3 books by price", "SELECT title, price FROM book ORDER BY price DESC LIMIT 3"),
            ("Which book costs the most?", "SELECT title FROM book ORDER BY price DESC LIMIT 1"),
            ("What is the average and largest price of books?", "SELECT avg(price), max(price) FROM book"),
            (
                "What is the most common genre of books?",
                "SELECT genre FROM book GROUP BY genre ORDER BY count(*) DESC LIMIT 1",
            ),
        ]);
    }
}
