//! Comparisons: *older than 20*, *more than 3 orders*, *between 2010 and 2015*, *above the average*.

use super::bare;
use super::frame::{Measure, Test};
use super::parse::{Parser, Region};
use super::subject::{date_slot, measure, open_column};
use crate::rules::cue::Cue;
use crate::rules::dates::DateRange;
use crate::rules::lexicon::Lexicon;
use crate::rules::when::{self, When};
use sqlogue_sql::plan::{Aggregate, Comparison};
use sqlogue_sql::schema::Value;

/// What is compared with.
enum Operand {
    Number(Value, bool),
    Date(DateRange),
    Average(Aggregate),
    Column(usize),
}

/// Reads a comparison that starts here.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    span_of_time(parser, at)
        .or_else(|| between(parser, at))
        .or_else(|| than_another(parser, at))
        .or_else(|| comparison(parser, at))
        .or_else(|| repetition(parser, at))
        .or_else(|| bare::read(parser, at))
}

/// *since May 2024*, *from 2024-03-01 to 2024-03-31*, *last month*: right to the day, with the side that is meant.
fn span_of_time(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let chunks = parser.chunks;
    let When { range, comparison, end } = when::spoken(chunks, at, &|at| when::dated(chunks, at))?;
    let slot = date_slot(parser, at, true)?;
    parser.filter(Measure::Plain(slot), Test::Within(range, Some(comparison)));
    parser.mark(at, end);
    Some(end)
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
            Cue::Superlative(sqlogue_sql::plan::Direction::Descending, _) => Aggregate::Max,
            Cue::Superlative(sqlogue_sql::plan::Direction::Ascending, _) => Aggregate::Min,
            _ => continue,
        };
        return Some((Operand::Average(function), at + 1));
    }
    // *a rate higher than the base price*
    let said = parser.skip(at, &["their", "its", "his", "her", "corresponding", "respective", "in", "own"]);
    let chunk = parser.chunk(said);
    let column =
        chunk.cue.is_none() && chunk.column_score() > 0.7 && chunk.column_score() > chunk.table_score();
    (column && parser.text(at.saturating_sub(1)) != "of").then_some((Operand::Column(said), said + 1))
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
            let measure = Measure::Plain(slot);
            let comparison =
                if shrinks(parser, adjective, &measure) { comparison.turned() } else { comparison };
            parser.filter(measure, Test::Compare(comparison, number.value));
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
    let operand = Operand::Number(number.value.clone(), number.year);
    let beyond = |at: usize| {
        parser.chunk(at).cues().find_map(|cue| match cue {
            Cue::OrBeyond(comparison) => Some(comparison),
            _ => None,
        })
    };
    if let Some(comparison) = beyond(at + 1) {
        return subject(parser, at, at + 2, comparison, None, operand);
    }
    // *300 pages or more*
    let comparison = beyond(at + 2).filter(|_| follows_name(parser, at + 1))?;
    let end = subject(parser, at, at + 1, comparison, None, operand)?;
    parser.mark(end, at + 3);
    Some(end.max(at + 3))
}

/// *between 10 and 20*, *from 10 to 20*, *10 to 20*.
fn between(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let introduced = parser.is(at, Cue::Between) || parser.text(at) == "from";
    let start = if introduced { at + 1 } else { at };
    let low = parser.chunk(start).number.as_ref().filter(|number| !number.ordinal);
    let joined = parser.is(start + 1, Cue::And) && parser.is(at, Cue::Between)
        || ["to", "-", "–", "through", "up to", "until", "till"].contains(&parser.text(start + 1));
    if !joined {
        return None;
    }
    let high_at = start + 2;
    let low = low?.clone();
    let high = parser.chunk(high_at).number.clone()?;
    let mut end = high_at + 1;
    let measure = measure(parser, at, &mut end, None, low.year)?;
    // Whoever names the larger one first means the same numbers.
    let (low, high) = if low.value.as_f64() > high.value.as_f64() { (high, low) } else { (low, high) };
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
        Operand::Column(other) => {
            let (column, _) = open_column(parser, at)?;
            let one = parser.column_slot(column)?;
            let other = parser.column_slot(other)?;
            keep_comparable(parser, one, other)?;
            parser.last_column_used = true;
            parser.mark(column, column + 1);
            let measure = Measure::Plain(one);
            let comparison =
                if shrinks(parser, adjective, &measure) { comparison.turned() } else { comparison };
            parser.filter(measure, Test::AgainstColumn(comparison, other));
        }
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
                None => {
                    let measure = measure(parser, at, &mut end, None, false)?;
                    let grows = !shrinks(parser, adjective, &measure);
                    (measure, grows)
                }
            };
            // *than the average age of all students*: the words after it say the same again.
            if parser.chunk(end).column_score() > 0.6 {
                end += 1;
            }
            parser.filter(
                measure,
                Test::AgainstSummary(if grows { comparison } else { comparison.turned() }, function),
            );
        }
        Operand::Number(value, year) => {
            if parser.is(end, Cue::Times) {
                parser.filter(Measure::Count(None, false), Test::Compare(comparison, value));
                end += 1;
            } else {
                let is_far = |parser: &Parser<'_>| {
                    parser.last_column.is_none_or(|column| parser.last_column_used || at - column > 3)
                };
                let of_adjective = adjective.filter(|_| !follows_name(parser, end)).and_then(|adjective| {
                    parser
                        .adjective_slot(at, adjective, parser.last_table)
                        .or_else(|| parser.adjective_slot(at, adjective, None))
                });
                let (measure, grows) = match of_adjective.filter(|_| is_far(parser)) {
                    Some((slot, grows)) => (Measure::Plain(slot), grows),
                    None => {
                        let measure = measure(parser, at, &mut end, Some(comparison), year)?;
                        let grows = !shrinks(parser, adjective, &measure);
                        (measure, grows)
                    }
                };
                parser.filter(
                    measure,
                    Test::Compare(if grows { comparison } else { comparison.turned() }, value),
                );
            }
        }
    }
    parser.mark(at, end);
    Some(end)
}

/// Keeps of two slots what can be compared: numbers with numbers, dates with dates. None where nothing is left.
fn keep_comparable(parser: &mut Parser<'_>, one: usize, other: usize) -> Option<()> {
    let knowledge = parser.knowledge;
    for slot in [one, other] {
        let options = &mut parser.frame.slots.get_mut(slot)?.options;
        options.retain(|option| {
            option.column.is_some_and(|column| {
                let entry = knowledge.column(column);
                let number = entry.numeric || entry.column_type.is_numeric();
                (number || entry.column_type.is_temporal()) && !entry.is_key && !entry.is_foreign
            })
        });
        if options.is_empty() {
            return None;
        }
    }
    Some(())
}

/// *a higher checking balance than savings balance*
fn than_another(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let (comparison, adjective) = parser.chunk(at).cues().find_map(operator)?;
    let first = parser.skip(at + 1, &["the", "a", "an"]);
    let than = (first + 1..first + 4).find(|than| parser.text(*than) == "than")?;
    let second = parser.skip(than + 1, &["the", "its", "their", "in", "a"]);
    let column = |at: usize| parser.chunk(at).cue.is_none() && parser.chunk(at).column_score() > 0.6;
    if !column(first) || !column(second) || parser.chunk(second).number.is_some() {
        return None;
    }
    let (one, other) = (parser.column_slot(first)?, parser.column_slot(second)?);
    keep_comparable(parser, one, other)?;
    let measure = Measure::Plain(one);
    let comparison = if shrinks(parser, adjective, &measure) { comparison.turned() } else { comparison };
    parser.filter(measure, Test::AgainstColumn(comparison, other));
    parser.mark(at, second + 1);
    Some(second + 1)
}

/// True for an adjective like *small*, which is less of any column that is named, and for one like *worse*, where it is so of what
/// is named.
fn shrinks(parser: &Parser<'_>, adjective: Option<usize>, of: &Measure) -> bool {
    let Some(adjective) = adjective.and_then(|adjective| Lexicon::embedded().adjective(adjective)) else {
        return false;
    };
    let slot = match of {
        Measure::Plain(slot) | Measure::Summary(_, _, slot) => parser.frame.slots.get(*slot),
        _ => None,
    };
    let named = slot.and_then(|slot| slot.options.first()).and_then(|option| option.column);
    let bears = |words: &Vec<String>| {
        named.is_some_and(|column| {
            parser.knowledge.columns_like(parser.knowledge.column(column).table, words).contains(&column)
        })
    };
    adjective.grows.is_empty() || adjective.shrinks.iter().any(bears) && !adjective.grows.iter().any(bears)
}

fn follows_name(parser: &Parser<'_>, end: usize) -> bool {
    parser.chunk(end).is_schema() && parser.chunk(end).cue.is_none()
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

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::reads;

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
                "SELECT count(*) FROM loan WHERE loan_date >= '2024-05-01' AND loan_date < '2024-06-01'",
            ),
        ]);
    }
}
