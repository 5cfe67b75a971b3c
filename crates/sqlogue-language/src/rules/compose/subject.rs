//! What a comparison is about: a column said before or after it, a count of things, a date.

use super::frame::{Filler, Measure};
use super::parse::{Parser, Region};
use crate::rules::cue::Cue;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::stem::stem;
use sqlogue_sql::plan::{Aggregate, Comparison};
use sqlogue_sql::schema::ColumnType;

/// What is compared: a column said before or after, a count of things, or what the number suggests.
pub(super) fn measure(
    parser: &mut Parser<'_>,
    at: usize,
    end: &mut usize,
    comparison: Option<Comparison>,
    year: bool,
) -> Option<Measure> {
    // *more than 3 orders*, *at least 20 points*
    let after =
        parser.skip(*end, &["number of", "different", "distinct", "of", "the", "unique", "in", "their"]);
    let next = parser.chunk(after);
    let after_is_name =
        next.is_schema() && next.cue.is_none() && (after == *end || parser.text(*end) != "in");
    let column_before = open_column(parser, at).filter(|(column, _)| {
        let chunk = parser.chunk(*column);
        let numeric = chunk.columns.iter().take(6).any(|(column, _)| {
            let entry = parser.knowledge.column(*column);
            entry.numeric
                || entry.column_type.is_numeric()
                || entry.column_type.is_temporal()
                || is_temporal(parser, *column, true)
        });
        // *teams with more than 3 games*: what follows is counted, not what was returned.
        let verb = chunk.text.ends_with("ed") || chunk.text.ends_with("ing");
        numeric && !(after_is_name && (parser.last_column_used || verb))
    });
    // *at least two records*
    if ["records", "record", "entries", "rows", "instances"].contains(&parser.text(after))
        && !next.is_schema()
    {
        *end = after + 1;
        return Some(Measure::Count(None, false));
    }
    // *number of orders greater than 3*
    if let Some(counted) = counted_before(parser, at) {
        return Some(counted);
    }
    if column_before.is_none() && after_is_name {
        return counted_after(parser, after, end, comparison);
    }
    if let Some((column, function)) = column_before {
        let slot = parser.column_slot(column)?;
        parser.last_column_used = true;
        parser.mark(column, column + 1);
        return Some(match function {
            Some(function) => Measure::Summary(function, false, slot),
            None => Measure::Plain(slot),
        });
    }
    if year {
        return date_slot(parser, at, false).map(Measure::Plain);
    }
    // *at least 10 professors*: rows of that kind are counted; the kind is read next.
    if column_before.is_none() && super::value::reads_as_value(parser, after) {
        *end = after;
        return Some(Measure::Count(None, false));
    }
    // *people under 40*
    if let Some(table) = parser.last_table
        && let Some(column) = parser.knowledge.columns_like(table, &["age".to_owned()]).first().copied()
    {
        let filler = Filler { column: Some(column), table, value: None, score: 0.6 };
        return Some(Measure::Plain(parser.add_slot(at, vec![filler])));
    }
    // A condition in the head about the column just returned.
    let column =
        parser.last_column.filter(|column| at - column <= 4).or(parser.output_column.filter(|column| {
            *column < at
                && parser
                    .chunk(*column)
                    .columns
                    .iter()
                    .take(3)
                    .any(|(column, _)| number_fits(parser.knowledge, *column))
        }));
    let slot = match column {
        Some(column) => parser.column_slot(column),
        None if comparison.is_some() => number_slot(parser, at, *end),
        None => None,
    }?;
    Some(Measure::Plain(slot))
}

/// What is counted or compared where its name follows the number: *more than 3 orders*, *at least 20 points*.
fn counted_after(
    parser: &mut Parser<'_>,
    after: usize,
    end: &mut usize,
    comparison: Option<Comparison>,
) -> Option<Measure> {
    let next = parser.chunk(after);
    let distinct = (*end..after).any(|at| parser.is(at, Cue::Distinct));
    // *at least 10 professors*, where a professor is a kind of employee: rows of that kind are counted.
    let kind = next.table_score() < 1.0
        && next.values.iter().any(|value| value.column.is_some() && value.score >= 0.7);
    if kind && parser.oracle.decide("counts_rows_of_a_kind", false) {
        *end = after;
        return Some(Measure::Count(None, false));
    }
    if next.table_score() >= next.column_score() - 0.05 && next.table_score() > 0.5 {
        let numeric = next.columns.iter().any(|(column, score)| {
            *score > 0.75
                && parser.knowledge.column(*column).numeric
                && !parser.knowledge.column(*column).is_key
                && !parser.knowledge.column(*column).is_foreign
        });
        if !numeric || parser.oracle.decide("number_counts_rows", true) {
            let slot = parser.table_slot(after)?;
            *end = after + 1;
            return Some(Measure::Count(Some(slot), distinct));
        }
    }
    let slot = parser.column_slot(after)?;
    *end = after + 1;
    let countable = parser
        .frame
        .slots
        .get(slot)
        .and_then(|slot| slot.options.first())
        .and_then(|option| option.column)
        .is_some_and(|column| {
            let entry = parser.knowledge.column(column);
            !entry.numeric || entry.is_key || entry.is_foreign
        });
    // *hotels with 5 star ratings*: the number may be the rating itself.
    let code = comparison.is_none() && next.table_score() < 1.0;
    if countable && code && parser.oracle.decide("number_is_the_value", false) {
        return Some(Measure::Plain(slot));
    }
    Some(match countable {
        true => Measure::Count(Some(slot), distinct || !parser.oracle.decide("having_counts_rows", true)),
        false => Measure::Plain(slot),
    })
}

/// *products over 20*: a slot for the number that a bound without a column is about, which of money is a price.
fn number_slot(parser: &mut Parser<'_>, at: usize, end: usize) -> Option<usize> {
    const PRICES: &[&str] =
        &["price", "cost", "amount", "salary", "fee", "total", "pay", "budget", "revenue"];
    let said = |at: usize| parser.chunk(at).number.as_ref();
    let money = (at..end).filter_map(said).any(|number| number.money);
    let table = parser.last_table?;
    let columns = parser.knowledge.table(table).columns.iter().filter_map(|id| {
        let entry = parser.knowledge.column(*id);
        let number = entry.column_type.is_numeric() && !entry.is_key && !entry.is_foreign;
        let priced = entry.forms.iter().flatten().any(|word| PRICES.iter().any(|price| stem(price) == *word));
        let score = if priced { 0.55 } else { 0.4 };
        (number && (priced || !money)).then_some(Filler { column: Some(*id), table, value: None, score })
    });
    let mut options: Vec<Filler> = columns.collect();
    options.sort_by(|one, other| other.score.total_cmp(&one.score));
    (!options.is_empty()).then(|| parser.add_slot(at, options))
}

/// The column that waits for its condition, with the summary said of it.
pub(super) fn open_column(parser: &Parser<'_>, at: usize) -> Option<(usize, Option<Aggregate>)> {
    let column = parser.last_column?;
    if column >= at || at - column > 5 || (parser.last_column_used && at - column > 3) {
        return None;
    }
    let mut back = column;
    while back > 0 && ["the", "an", "a", "of", "number"].contains(&parser.text(back - 1)) {
        back -= 1;
    }
    let function = parser.before(back).cues().find_map(|cue| match cue {
        Cue::Aggregate(function) if parser.region == Region::Description => Some(function),
        _ => None,
    });
    Some((column, function))
}

/// *the number of orders* just before the comparison.
pub(super) fn counted_before(parser: &mut Parser<'_>, at: usize) -> Option<Measure> {
    let mut back = at;
    while back > 0
        && (["is", "are", "was", "were", "the", "of", "that", "be"].contains(&parser.text(back - 1)))
    {
        back -= 1;
    }
    let noun = back.checked_sub(1)?;
    if !parser.chunk(noun).is_schema() {
        return None;
    }
    let mut count_at = noun;
    while count_at > 0 && ["the", "a", "their"].contains(&parser.text(count_at - 1)) {
        count_at -= 1;
    }
    let count_at = count_at.checked_sub(1)?;
    if !parser.is(count_at, Cue::HowMany) || parser.region != Region::Description {
        return None;
    }
    let returned = parser.frame.outputs.iter().any(|output| {
        super::build::slot_of(output)
            .and_then(|slot| parser.frame.slots.get(slot))
            .is_some_and(|slot| slot.chunk == noun)
    });
    if returned {
        return None;
    }
    let slot = parser.table_slot(noun).or_else(|| parser.column_slot(noun))?;
    Some(Measure::Count(Some(slot), false))
}

/// A slot for the date or year that a condition without a column is about.
pub(super) fn date_slot(parser: &mut Parser<'_>, at: usize, day: bool) -> Option<usize> {
    if let Some((column, _)) = open_column(parser, at) {
        let temporal =
            parser.chunk(column).columns.iter().take(4).any(|(column, _)| is_temporal(parser, *column, day));
        let in_time = ["in", "during", "since"].contains(&parser.before(at).text.as_str());
        let knowledge = parser.knowledge;
        let year_fits = |column: ColumnId| {
            // *the games in 1998*: a year is no number of games.
            knowledge.column(column).date_cells.is_some() || !in_time && number_fits(knowledge, column)
        };
        let year = !day && parser.chunk(column).columns.iter().any(|(column, _)| year_fits(*column));
        if temporal || year {
            parser.last_column_used = true;
            parser.mark(column, column + 1);
            let slot = parser.column_slot(column)?;
            let options = parser.frame.slots.get(slot)?.options.clone();
            let fitting: Vec<Filler> = options
                .into_iter()
                .filter(|option| {
                    option
                        .column
                        .is_some_and(|column| is_temporal(parser, column, day) || (!day && year_fits(column)))
                })
                .collect();
            parser.frame.slots.get_mut(slot)?.options = fitting;
            return Some(slot);
        }
    }
    let verb: Vec<TableId> = parser
        .chunks
        .iter()
        .take(at + 1)
        .flat_map(|chunk| chunk.tables.iter().take(2).map(|(table, _)| *table))
        .collect();
    // *how many orders did each customer place last year*: what is grouped by is not what happened then.
    let grouped: Vec<TableId> = (1..=at)
        .filter(|noun| parser.is(noun - 1, Cue::Each))
        .filter_map(|noun| parser.chunk(noun).table().map(|(table, _)| table))
        .collect();
    let mut tables: Vec<TableId> = parser.last_table.into_iter().chain(verb).collect();
    tables.dedup();
    if tables.is_empty() {
        tables.extend(parser.knowledge.tables().map(|(id, _)| id).take(50));
    }
    // *the courses offered in fall 2010*: the tables of the values said, then those next to the tables said.
    let of_values = parser.frame.filters.iter().filter_map(|filter| super::build::slot_of(&filter.measure));
    let of_values: Vec<TableId> = of_values
        .filter_map(|slot| parser.frame.slots.get(slot))
        .flat_map(|slot| slot.options.iter().take(3).map(|option| option.table))
        .collect();
    let beside: Vec<TableId> =
        tables.iter().take(2).flat_map(|table| parser.knowledge.joins().neighbours(*table)).take(6).collect();
    for table in of_values.into_iter().chain(beside) {
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    let mut options = Vec::new();
    for (rank, table) in tables.iter().enumerate() {
        for column in &parser.knowledge.table(*table).columns {
            if is_temporal(parser, *column, day) {
                let entry = parser.knowledge.column(*column);
                let named_year = entry.forms.iter().any(|form| form.iter().any(|word| word == "year"));
                let score = if !day && named_year { 0.8 } else { 0.6 } - 0.05 * rank.min(6) as f32;
                options.push(Filler { column: Some(*column), table: *table, value: None, score });
            }
        }
    }
    if options.iter().any(|option| !grouped.contains(&option.table)) {
        options.retain(|option| !grouped.contains(&option.table));
    }
    options.sort_by(|one, other| other.score.total_cmp(&one.score));
    options.truncate(10);
    (!options.is_empty()).then(|| parser.add_slot(at, options))
}

/// True for a column of dates, or of years where a year will do.
pub(super) fn is_temporal(parser: &Parser<'_>, column: ColumnId, day: bool) -> bool {
    let entry = parser.knowledge.column(column);
    let says = |words: &[&str]| {
        entry.forms.iter().any(|form| form.iter().any(|word| words.contains(&word.as_str())))
    };
    matches!(entry.column_type, ColumnType::Date | ColumnType::DateTime)
        || says(&["date", "day", "birthday"])
        || (!day && says(&["year", "season", "founded", "built", "opened", "established"]))
}

/// True where a column's cells may equal a number.
pub(super) fn takes_number(parser: &Parser<'_>, column: ColumnId) -> bool {
    number_fits(parser.knowledge, column)
}

pub(super) fn number_fits(knowledge: &Knowledge, column: ColumnId) -> bool {
    let entry = knowledge.column(column);
    entry.column_type.is_numeric() || entry.numeric || entry.is_key
}
