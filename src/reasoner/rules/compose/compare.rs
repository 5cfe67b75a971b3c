//! Comparisons: *older than 20*, *more than 3 orders*, *between 2010 and 2015*, *above the average*, *in 2019*.

use super::frame::{Filler, Measure, Test};
use super::parse::{Parser, Region};
use crate::plan::{Aggregate, Comparison};
use crate::reasoner::rules::cue::Cue;
use crate::reasoner::rules::dates::DateRange;
use crate::reasoner::rules::knowledge::TableId;
use crate::schema::{ColumnType, Value};

/// What is compared with.
enum Operand {
    Number(Value, bool),
    Date(DateRange),
    Average(Aggregate),
}

/// Reads a comparison that starts here.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    between(parser, at)
        .or_else(|| comparison(parser, at))
        .or_else(|| repetition(parser, at))
        .or_else(|| bare(parser, at))
}

/// The comparison that a cue stands for, and the adjective it comes from.
fn operator(cue: Cue) -> Option<(Comparison, Option<usize>)> {
    match cue {
        Cue::Compare(comparison) => Some((comparison, None)),
        Cue::Comparative(adjective) => Some((Comparison::Greater, Some(adjective))),
        Cue::Equal => Some((Comparison::Equal, None)),
        Cue::NotEqual => Some((Comparison::NotEqual, None)),
        _ => None,
    }
}

fn operand(parser: &Parser<'_>, at: usize) -> Option<(Operand, usize)> {
    let at = parser.skip(at, &["the", "a", "year", "$", "of", "number", "number of", "overall", "value"]);
    let chunk = parser.chunk(at);
    if let Some(date) = &chunk.date {
        return Some((Operand::Date(date.clone()), at + 1));
    }
    if let Some(number) = chunk.number.as_ref().filter(|number| !number.ordinal) {
        return Some((Operand::Number(number.value.clone(), number.year), at + 1));
    }
    if let Some(value) = chunk.values.iter().find(|value| value.quoted) {
        return Some((Operand::Number(super::value::cast(&value.value, true), false), at + 1));
    }
    for cue in chunk.cues() {
        let function = match cue {
            Cue::Aggregate(function @ (Aggregate::Avg | Aggregate::Max | Aggregate::Min)) => function,
            Cue::Superlative(crate::plan::Direction::Descending, _) => Aggregate::Max,
            Cue::Superlative(crate::plan::Direction::Ascending, _) => Aggregate::Min,
            _ => continue,
        };
        return Some((Operand::Average(function), at + 1));
    }
    None
}

/// *more than 20*, *older than the average*, *20 or more*.
fn comparison(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let chunk = parser.chunk(at);
    let mut found = chunk.cues().filter_map(|cue| Some((cue, operator(cue)?))).collect::<Vec<_>>();
    // An adjective says which column; without one in reach, the plain comparison holds.
    found.sort_by_key(|(_, (_, adjective))| adjective.is_none());
    for (_, (comparison, adjective)) in found {
        // *above age 46*, *after year 2000*
        let named = parser.skip(at + 1, &["the", "an", "a"]);
        let number_at = parser.skip(named + 1, &["of", "is"]);
        if parser.chunk(named).column_score() > 0.6
            && parser.chunk(named).number.is_none()
            && parser.chunk(named).cue.is_none()
            && let Some(number) = parser.chunk(number_at).number.clone()
        {
            let slot = parser.column_slot(named)?;
            let comparison = if shrinks_only(adjective) { turned(comparison) } else { comparison };
            parser.filter(Measure::Plain(slot), Test::Compare(comparison, number.value));
            parser.mark(at, number_at + 1);
            return Some(number_at + 1);
        }
        let Some((operand, end)) = operand(parser, at + 1) else { continue };
        // *named 'x'* is a condition on a cell, which knows better where the text occurs.
        let text = matches!(operand, Operand::Number(Value::Text(_), _));
        if text && matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
            continue;
        }
        if comparison == Comparison::NotEqual && matches!(operand, Operand::Average(_)) {
            continue;
        }
        // *2 or more* style is read at the number.
        return subject(parser, at, end, comparison, adjective, operand);
    }
    let number = chunk.number.as_ref().filter(|number| !number.ordinal)?;
    let Some(Cue::OrBeyond(comparison)) =
        parser.chunk(at + 1).cues().find(|cue| matches!(cue, Cue::OrBeyond(_)))
    else {
        return None;
    };
    let operand = Operand::Number(number.value.clone(), number.year);
    subject(parser, at, at + 2, comparison, None, operand)
}

/// *between 10 and 20*, *from 10 to 20*, *10 to 20*.
fn between(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let introduced = parser.is(at, Cue::Between) || parser.text(at) == "from";
    let start = if introduced { at + 1 } else { at };
    let low = parser.chunk(start).number.as_ref().filter(|number| !number.ordinal);
    let low_date = parser.chunk(start).date.clone();
    let joined = parser.is(start + 1, Cue::And) && parser.is(at, Cue::Between)
        || ["to", "-", "through"].contains(&parser.text(start + 1));
    if !joined {
        return None;
    }
    let high_at = start + 2;
    if let (Some(low), Some(high)) = (low_date, parser.chunk(high_at).date.clone()) {
        let range = DateRange { first: low.first, last: high.last };
        let slot = date_slot(parser, at, true)?;
        parser.filter(Measure::Plain(slot), Test::Within(range, None));
        parser.mark(at, high_at + 1);
        return Some(high_at + 1);
    }
    let low = low?.clone();
    let high = parser.chunk(high_at).number.clone()?;
    let mut end = high_at + 1;
    let measure = measure(parser, at, &mut end, None, low.year)?;
    parser.filter(measure, Test::Between(low.value, high.value));
    parser.mark(at, end);
    Some(end)
}

fn subject(
    parser: &mut Parser<'_>,
    at: usize,
    mut end: usize,
    comparison: Comparison,
    adjective: Option<usize>,
    operand: Operand,
) -> Option<usize> {
    match operand {
        Operand::Date(range) => {
            let slot = date_slot(parser, at, true)?;
            let comparison = (comparison != Comparison::Equal).then_some(comparison);
            parser.filter(Measure::Plain(slot), Test::Within(range, comparison));
        }
        Operand::Average(function) => {
            let said = open_column(parser, at).is_some();
            let (measure, grows) = match adjective.filter(|_| !said) {
                Some(adjective) => {
                    let (slot, grows) = parser
                        .adjective_slot(at, adjective, parser.last_table)
                        .or_else(|| parser.adjective_slot(at, adjective, None))?;
                    (Measure::Plain(slot), grows)
                }
                None => (measure(parser, at, &mut end, None, false)?, !shrinks_only(adjective)),
            };
            // *than the average age of all students*: the words after it say the same again.
            if parser.chunk(end).column_score() > 0.6 {
                end += 1;
            }
            parser.filter(
                measure,
                Test::AgainstSummary(if grows { comparison } else { turned(comparison) }, function),
            );
        }
        Operand::Number(value, year) => {
            if parser.is(end, Cue::Times) {
                parser.filter(Measure::Count(None, false), Test::Compare(comparison, value));
                end += 1;
            } else {
                let (measure, grows) = match adjective {
                    Some(adjective) if !follows_name(parser, end) => {
                        let slot = parser
                            .adjective_slot(at, adjective, parser.last_table)
                            .or_else(|| parser.adjective_slot(at, adjective, None));
                        match slot {
                            Some((slot, grows))
                                if parser
                                    .last_column
                                    .is_none_or(|column| parser.last_column_used || at - column > 3) =>
                            {
                                (Measure::Plain(slot), grows)
                            }
                            _ => (
                                measure(parser, at, &mut end, Some(comparison), year)?,
                                !shrinks_only(Some(adjective)),
                            ),
                        }
                    }
                    _ => (measure(parser, at, &mut end, Some(comparison), year)?, !shrinks_only(adjective)),
                };
                parser.filter(
                    measure,
                    Test::Compare(if grows { comparison } else { turned(comparison) }, value),
                );
            }
        }
    }
    parser.mark(at, end);
    Some(end)
}

/// True for an adjective like *small*: less of any column that is named.
fn shrinks_only(adjective: Option<usize>) -> bool {
    adjective
        .and_then(|adjective| crate::reasoner::rules::lexicon::Lexicon::embedded().adjective(adjective))
        .is_some_and(|adjective| adjective.grows.is_empty())
}

/// The comparison with its sides changed.
fn turned(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        same => same,
    }
}

fn follows_name(parser: &Parser<'_>, end: usize) -> bool {
    parser.chunk(end).is_schema() && parser.chunk(end).cue.is_none()
}

/// What is compared: a column said before or after, a count of things, or what the number suggests.
fn measure(
    parser: &mut Parser<'_>,
    at: usize,
    end: &mut usize,
    _comparison: Option<Comparison>,
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
        let distinct = (*end..after).any(|at| parser.is(at, Cue::Distinct));
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
        return Some(if countable {
            Measure::Count(Some(slot), distinct || !parser.oracle.decide("having_counts_rows", true))
        } else {
            Measure::Plain(slot)
        });
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
    // A condition in the head about the column just returned, or nothing to compare.
    let column =
        parser.last_column.filter(|column| at - column <= 4).or(parser.output_column.filter(|column| {
            *column < at
                && parser
                    .chunk(*column)
                    .columns
                    .iter()
                    .take(3)
                    .any(|(column, _)| number_fits(parser.knowledge, *column))
        }))?;
    let slot = parser.column_slot(column)?;
    Some(Measure::Plain(slot))
}

/// The column that waits for its condition, with the summary said of it.
fn open_column(parser: &Parser<'_>, at: usize) -> Option<(usize, Option<Aggregate>)> {
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
fn counted_before(parser: &mut Parser<'_>, at: usize) -> Option<Measure> {
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
fn date_slot(parser: &mut Parser<'_>, at: usize, day: bool) -> Option<usize> {
    if let Some((column, _)) = open_column(parser, at) {
        let temporal =
            parser.chunk(column).columns.iter().take(4).any(|(column, _)| is_temporal(parser, *column, day));
        if temporal || !day {
            parser.last_column_used = true;
            parser.mark(column, column + 1);
            return parser.column_slot(column);
        }
    }
    let verb: Vec<TableId> = parser
        .chunks
        .iter()
        .take(at + 1)
        .flat_map(|chunk| chunk.tables.iter().take(2).map(|(table, _)| *table))
        .collect();
    let mut tables: Vec<TableId> = parser.last_table.into_iter().chain(verb).collect();
    tables.dedup();
    if tables.is_empty() {
        tables.extend(parser.knowledge.tables().map(|(id, _)| id).take(50));
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
    options.sort_by(|one, other| other.score.total_cmp(&one.score));
    options.truncate(10);
    (!options.is_empty()).then(|| parser.add_slot(at, options))
}

/// True for a column of dates, or of years where a year will do.
fn is_temporal(parser: &Parser<'_>, column: crate::reasoner::rules::knowledge::ColumnId, day: bool) -> bool {
    let entry = parser.knowledge.column(column);
    let says = |words: &[&str]| {
        entry.forms.iter().any(|form| form.iter().any(|word| words.contains(&word.as_str())))
    };
    matches!(entry.column_type, ColumnType::Date | ColumnType::DateTime)
        || says(&["date", "day", "birthday"])
        || (!day && says(&["year", "season", "founded", "built", "opened", "established"]))
}

/// *more than once*, *at least twice*, *multiple times*.
fn repetition(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let (comparison, count, length) = match (parser.text(at), parser.text(at + 1)) {
        ("more than", "once") => (Comparison::GreaterOrEqual, 2, 2),
        ("more than once", _) => (Comparison::GreaterOrEqual, 2, 1),
        ("at least", "twice") => (Comparison::GreaterOrEqual, 2, 2),
        ("multiple times", _) => (Comparison::GreaterOrEqual, 2, 1),
        ("multiple" | "several", _)
            if parser.region == Region::Description && parser.chunk(at + 1).is_schema() =>
        {
            (Comparison::GreaterOrEqual, 2, 2)
        }
        ("at least", "once") => (Comparison::GreaterOrEqual, 1, 2),
        ("at most", "once") => (Comparison::LessOrEqual, 1, 2),
        ("at most", "twice") => (Comparison::LessOrEqual, 2, 2),
        ("exactly" | "only", "once") => (Comparison::Equal, 1, 2),
        ("exactly" | "only", "twice") => (Comparison::Equal, 2, 2),
        _ if parser.chunk(at).may_be(Cue::Once) && parser.text(at) != "once" => {
            (Comparison::GreaterOrEqual, 2, 1)
        }
        _ => return None,
    };
    parser.filter(Measure::Count(None, false), Test::Compare(comparison, Value::Integer(count)));
    parser.mark(at, at + length);
    Some(at + length)
}

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

/// True where a column's cells may equal a number.
fn takes_number(parser: &Parser<'_>, column: crate::reasoner::rules::knowledge::ColumnId) -> bool {
    number_fits(parser.knowledge, column)
}

fn number_fits(
    knowledge: &crate::reasoner::rules::knowledge::Knowledge,
    column: crate::reasoner::rules::knowledge::ColumnId,
) -> bool {
    let entry = knowledge.column(column);
    entry.column_type.is_numeric() || entry.numeric || entry.is_key
}

/// A number or date without a comparison: *in 2019*, *room 12*, *have 3 orders*.
fn bare(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let chunk = parser.chunk(at);
    if let Some(range) = chunk.date.clone() {
        let slot = date_slot(parser, at, true)?;
        parser.filter(Measure::Plain(slot), Test::Within(range, None));
        parser.mark(at, at + 1);
        return Some(at + 1);
    }
    let number = chunk.number.as_ref()?;
    // *the three cities with the most …*
    if !number.ordinal
        && !number.year
        && parser.region == Region::Head
        && parser.frame.outputs.is_empty()
        && parser.chunk(at + 1).is_schema()
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
    // *department 70*: the key of a table that is followed by a number.
    let before = parser.before(at);
    if !year
        && before.table_score() > 0.6
        && before.table_score() > before.column_score() - 0.1
        && !parser.is(at.saturating_sub(1), Cue::Have)
    {
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
        if !keys.is_empty() {
            let slot = parser.add_slot(at, keys);
            return Some(equals(parser, at, slot, Measure::Plain(slot), value));
        }
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
            slot.options.retain(|option| option.column.is_some_and(|column| number_fits(knowledge, column)));
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

#[cfg(test)]
mod tests {
    use crate::reasoner::rules::compose::testing::reads;

    #[test]
    fn comparisons() {
        reads(&[
            (
                "Show the titles of books with more than 300 pages.",
                "SELECT title FROM book WHERE pages > 300",
            ),
            (
                "Which books have a price between 10 and 20?",
                "SELECT title FROM book WHERE price BETWEEN 10 AND 20",
            ),
            ("Show the last name of members older than 30.", "SELECT last_name FROM member WHERE age > 30"),
            (
                "What are the titles of books whose price is above the average?",
                "SELECT title FROM book WHERE price > (SELECT avg(price) FROM book)",
            ),
            (
                "Which cities have at least 2 female members?",
                "SELECT city FROM member WHERE gender = 'F' GROUP BY city HAVING count(*) >= 2",
            ),
            (
                "How many loans were there last month?",
                "SELECT count(*) FROM loan WHERE loan_date BETWEEN '2024-05-01' AND '2024-05-31'",
            ),
        ]);
    }
}
