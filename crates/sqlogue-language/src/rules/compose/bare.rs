//! Numbers without a comparison: *in 2019*, *room 12*, *have 3 orders*.

use super::frame::{Filler, Measure, Test};
use super::parse::{Parser, Region};
use super::subject::{date_slot, is_temporal, measure, number_fits, open_column, takes_number};
use crate::rules::cue::Cue;
use sqlogue_sql::plan::Comparison;
use sqlogue_sql::schema::Value;

/// `measure = value`, and the numbers listed with it: *12 or 13*.
fn equals(parser: &mut Parser<'_>, at: usize, slot: usize, measure: Measure, value: Value) -> usize {
    parser.filter(measure, Test::Compare(Comparison::Equal, value));
    parser.mark(at, at + 1);
    let mut end = at + 1;
    while (parser.is(end, Cue::Or) || parser.is(end, Cue::And)) && parser.chunk(end + 1).number.is_some() {
        if let Some(number) = parser.chunk(end + 1).number.clone() {
            let either = parser.is(end, Cue::Or)
                || !parser.both && parser.oracle.decide("listed_numbers_are_alternatives", false);
            parser.connective =
                if either { super::frame::Connective::Or } else { super::frame::Connective::Both };
            parser.filter(Measure::Plain(slot), Test::Compare(Comparison::Equal, number.value));
            parser.mark(end, end + 2);
        }
        end += 2;
    }
    end
}

/// *the names of the 3 employees who …*: how many rows are wanted, not which.
fn leads_things(parser: &Parser<'_>, at: usize) -> bool {
    let next = parser.chunk(at + 1);
    ["the", "for", "of"].contains(&parser.before(at).text.as_str())
        && next.table_score() > 0.5
        && next.table_score() >= next.column_score()
        && next.cue.is_none()
}

/// *Department 70*: the keys of the tables that a number follows.
fn keys_before(parser: &Parser<'_>, at: usize) -> Option<Vec<Filler>> {
    let before = parser.before(at);
    if before.table_score() <= 0.6
        || before.table_score() <= before.column_score() - 0.1
        || parser.is(at.saturating_sub(1), Cue::Have)
    {
        return None;
    }
    let keys: Vec<Filler> = before
        .tables
        .iter()
        .take(3)
        .flat_map(|(table, score)| {
            parser.knowledge.table(*table).key.iter().take(1).map(move |key| Filler {
                column: Some(*key),
                table: *table,
                value: None,
                score: 0.8 * *score,
            })
        })
        .filter(|filler| filler.column.is_some_and(|column| takes_number(parser, column)))
        .collect();
    (!keys.is_empty()).then_some(keys)
}

/// A number without a comparison: *in 2019*, *room 12*, *have 3 orders*.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let chunk = parser.chunk(at);
    let number = chunk.number.as_ref()?;
    // *the three cities with the most …*
    if !number.ordinal
        && !number.year
        && parser.region == Region::Head
        && (parser.frame.outputs.is_empty() && parser.chunk(at + 1).is_schema() || leads_things(parser, at))
        && parser.pending.is_empty()
    {
        parser.leading = parser.count_at(at);
        parser.mark(at, at + 1);
        return Some(at + 1);
    }
    if number.ordinal || chunk.values.iter().any(|value| value.score > 0.9) && parser.last_column.is_none() {
        return None;
    }
    let value = number.value.clone();
    let year = number.year;
    let preposition = ["in", "on", "during", "for", "of", "year", "at", "from", "by"]
        .contains(&parser.before(at).text.as_str());
    if !year && let Some(keys) = keys_before(parser, at) {
        let slot = parser.add_slot(at, keys);
        return Some(equals(parser, at, slot, Measure::Plain(slot), value));
    }
    // *room 12*, *grade is 5*
    let open = open_column(parser, at).filter(|(column, _)| {
        // *the games in 1998*: a year is no number of games.
        let of_time = ["in", "during", "year", "since"].contains(&parser.before(at).text.as_str());
        let columns = &parser.chunk(*column).columns;
        columns.iter().any(|(column, _)| takes_number(parser, *column))
            && (!year
                || !of_time
                || columns.iter().take(4).any(|(column, _)| is_temporal(parser, *column, false)))
    });
    if let Some((column, function)) = open {
        let slot = parser.column_slot(column)?;
        let knowledge = parser.knowledge;
        if let Some(slot) = parser.frame.slots.get_mut(slot) {
            let dated = |column| year && knowledge.column(column).column_type.is_temporal();
            slot.options.retain(|option| {
                option.column.is_some_and(|column| number_fits(knowledge, column) || dated(column))
            });
        }
        parser.last_column_used = true;
        parser.mark(column, column + 1);
        let measure =
            function.map_or(Measure::Plain(slot), |function| Measure::Summary(function, false, slot));
        return Some(equals(parser, at, slot, measure, value));
    }
    if year && (preposition || parser.both || parser.region == Region::Description) {
        let slot = date_slot(parser, at, false)?;
        return Some(equals(parser, at, slot, Measure::Plain(slot), value));
    }
    // *3 or 4 stars*: the noun comes after the last of them.
    let noun = parser.chunk(at + 3);
    if parser.region == Region::Description
        && (parser.is(at + 1, Cue::Or) || parser.is(at + 1, Cue::And))
        && parser.chunk(at + 2).number.is_some()
        && noun.column_score() > 0.6
        && noun.cue.is_none()
    {
        let slot = parser.column_slot(at + 3)?;
        let end = equals(parser, at, slot, Measure::Plain(slot), value);
        parser.mark(end, end + 1);
        return Some(end + 1);
    }
    // *have 3 orders*
    if parser.region == Region::Description
        && parser.chunk(at + 1).is_schema()
        && parser.chunk(at + 1).cue.is_none()
    {
        let mut end = at + 1;
        let measure = measure(parser, at, &mut end, None, false)?;
        parser.filter(measure, Test::Compare(Comparison::Equal, value));
        parser.mark(at, end);
        return Some(end);
    }
    None
}
