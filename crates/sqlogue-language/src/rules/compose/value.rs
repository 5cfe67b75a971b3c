//! Conditions on cells: *from France*, *whose city is Boston*, *named 'Ann' or 'Bob'*, *both A and B*.

use super::frame::{Connective, Filler, Measure, Test};
use super::parse::Parser;
use crate::rules::cue::Cue;
use crate::rules::dates;
use crate::rules::kind;
use crate::rules::knowledge::{ColumnId, TableId};
use crate::rules::link::{Chunk, ValueLink};
use sqlogue_sql::schema::{ColumnType, Value};

/// Reads a value, with the column it is said of where there is one, and the values listed with it.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    if !reads_as_value(parser, at) {
        return None;
    }
    let (column_at, mut end) = column_of(parser, at);
    let options = options(parser, at, column_at);
    if options.is_empty() {
        return None;
    }
    let both = parser.both;
    let first = parser.add_slot(at, options);
    if parser.connective == Connective::Or && parser.frame.filters.is_empty() {
        parser.connective = Connective::And;
    }
    parser.filter(Measure::Plain(first), Test::IsValue);
    parser.mark(at, end.max(at + 1));
    if let Some(column) = column_at {
        parser.mark(column, column + 1);
        parser.last_column_used = true;
    }
    // The values listed with it: *A, B or C*, *both A and B*.
    let mut members = vec![parser.frame.filters.len() - 1];
    let mut found_or = false;
    let mut found_and = false;
    loop {
        let mut next = end;
        let (mut or, mut and) = (false, false);
        while parser.is(next, Cue::And)
            || parser.is(next, Cue::Or)
            || parser.is(next, Cue::Comma)
            || ["the", "also", "in", "from"].contains(&parser.text(next)) && (or || and)
        {
            or |= parser.is(next, Cue::Or);
            and |= parser.is(next, Cue::And) || parser.is(next, Cue::Comma);
            next += 1;
        }
        if next == end
            || !reads_as_value(parser, next)
            || parser.chunk(next).is_schema()
                && !parser.chunk(next).values.iter().any(|value| value.quoted)
                && parser.chunk(next).column_score() > 0.9
        {
            break;
        }
        let (_, after) = column_of(parser, next);
        let more = self::options(parser, next, column_at);
        let shared = more.iter().any(|one| {
            parser
                .frame
                .slots
                .get(first)
                .is_some_and(|slot| slot.options.iter().any(|other| other.column == one.column))
        });
        if more.is_empty() || !shared {
            break;
        }
        let slot = parser.add_slot(next, more);
        if let Some(slot) = parser.frame.slots.get_mut(slot) {
            slot.tie = Some(first);
        }
        let negated =
            members.first().and_then(|at| parser.frame.filters.get(*at)).is_some_and(|filter| filter.negated);
        parser.negated = negated;
        parser.filter(Measure::Plain(slot), Test::IsValue);
        members.push(parser.frame.filters.len() - 1);
        parser.mark(end, after.max(next + 1));
        found_or |= or;
        found_and |= and;
        end = after.max(next + 1);
    }
    if members.len() > 1 {
        let connective = connective(parser, &members, found_or, found_and, both);
        for member in members.into_iter().skip(1) {
            if let Some(filter) = parser.frame.filters.get_mut(member) {
                filter.connective = connective;
            }
        }
        parser.both = false;
    }
    Some(end.max(at + 1))
}

/// How values that are listed go together.
fn connective(parser: &mut Parser<'_>, members: &[usize], or: bool, and: bool, both: bool) -> Connective {
    if parser.negatives(members) {
        return Connective::And;
    }
    // *France and Italy*: one of them, or each of them?
    let alternatives = or && !and || parser.oracle.decide("listed_values_are_alternatives", !both);
    if alternatives { Connective::Or } else { Connective::Both }
}

impl Parser<'_> {
    fn negatives(&self, members: &[usize]) -> bool {
        members.iter().all(|at| self.frame.filters.get(*at).is_some_and(|filter| filter.negated))
    }
}

/// True where a chunk is best read as a value.
pub(super) fn reads_as_value(parser: &Parser<'_>, at: usize) -> bool {
    let chunk = parser.chunk(at);
    let Some(best) = chunk.values.first() else { return false };
    if best.quoted {
        return true;
    }
    if chunk.number.is_some() || chunk.date.is_some() {
        return false;
    }
    let name = chunk.table_score().max(chunk.column_score());
    if chunk.cue.is_some() && best.score < 0.8 {
        return false;
    }
    let after_column = parser.last_column.is_some_and(|column| column < at && at - column <= 3);
    best.score > name || (after_column && best.score + 0.25 > name && best.column.is_some())
}

/// The chunk that names the column of a value, and where the words about it end.
fn column_of(parser: &Parser<'_>, at: usize) -> (Option<usize>, usize) {
    let values = &parser.chunk(at).values;
    let fits = |chunk: &Chunk| {
        chunk
            .columns
            .iter()
            .any(|(column, score)| *score > 0.5 && values.iter().any(|value| value.column == Some(*column)))
    };
    let unknown = values.iter().all(|value| value.column.is_none());
    // Before: *city is Boston*; the words between are soft.
    if let Some(column) = parser.last_column
        && column < at
        && (!parser.last_column_used || at - column <= 3)
        && at - column <= 5
        && (fits(parser.chunk(column)) || unknown)
    {
        let between_soft = (column + 1..at)
            .all(|between| !parser.chunk(between).is_schema() || parser.frame.used.contains(&between));
        if between_soft {
            return (Some(column), at + 1);
        }
    }
    if fits(parser.before(at)) {
        return (at.checked_sub(1), at + 1);
    }
    // After: *the Math department*, *'x' as its name*.
    let next = parser.chunk(at + 1);
    if fits(next) && next.column_score() >= 0.5 && next.cue.is_none() {
        return (Some(at + 1), at + 2);
    }
    if parser.text(at + 1) == "as" {
        let after = parser.skip(at + 2, &["the", "its", "their", "his", "her", "a"]);
        if parser.chunk(after).column_score() > 0.6 {
            return (Some(after), after + 1);
        }
    }
    if unknown && let Some(column) = parser.last_column.filter(|column| *column < at && at - *column <= 6) {
        return (Some(column), at + 1);
    }
    (None, at + 1)
}

/// What the condition may be about.
fn options(parser: &Parser<'_>, at: usize, column_at: Option<usize>) -> Vec<Filler> {
    let chunk = parser.chunk(at);
    let named = column_at.map(|at| parser.chunk(at));
    let mut options: Vec<Filler> = Vec::new();
    let mut add = |column: ColumnId, value: Value, score: f32| {
        if !options.iter().any(|known| known.column == Some(column) && known.value.as_ref() == Some(&value)) {
            let table = parser.knowledge.column(column).table;
            options.push(Filler { column: Some(column), table, value: Some(value), score });
        }
    };
    for link in &chunk.values {
        let Some(column) = link.column else { continue };
        let name_score = named.and_then(|chunk| {
            chunk.columns.iter().find(|(other, _)| *other == column).map(|(_, score)| *score)
        });
        let score = match (name_score, named) {
            (Some(name), _) => (0.5 * link.score + 0.5 * name + 0.1).min(1.1),
            (None, Some(_)) => link.score * 0.5,
            (None, None) => link.score,
        };
        // A key that repeats a name elsewhere is less likely meant than the name.
        let entry = parser.knowledge.column(column);
        let score = if entry.is_foreign && named.is_none() { score * 0.93 } else { score };
        add(column, link.value.clone(), score);
    }
    let literal = chunk.values.iter().find(|link| link.column.is_none());
    let is_month = |literal: &ValueLink| {
        !literal.quoted && literal.value.as_str().is_some_and(|text| dates::month(text).is_some())
    };
    if let Some(literal) = literal {
        let known = chunk.values.iter().any(|link| link.column.is_some());
        match named {
            Some(named) => {
                for (column, score) in &named.columns {
                    let entry = parser.knowledge.column(*column);
                    let fits = literal.quoted || entry.column_type == ColumnType::Text || !entry.seen;
                    // A month is a time, unless the column tells months: *Customer Since* holds no *January*.
                    let tells_months = || entry.forms.iter().flatten().any(|word| word == "month");
                    let fits = fits && (!is_month(literal) || tells_months());
                    if fits && !(known && *score < 0.6) {
                        add(
                            *column,
                            cast(&literal.value, entry.numeric && !entry.text_numbers),
                            if known { 0.45 } else { 0.75 } * score.min(1.0),
                        );
                    }
                }
            }
            None if !known && !is_month(literal) => {
                for (column, score) in unheld(parser, at) {
                    add(column, literal.value.clone(), score);
                }
            }
            None => {}
        }
    }
    options.sort_by(|one, other| other.score.total_cmp(&one.score));
    options.truncate(16);
    options
}

/// The columns that a name which no cell holds may be of where nothing says which: what names the rows of the tables at hand,
/// and columns of places for what they are in.
fn unheld(parser: &Parser<'_>, at: usize) -> Vec<(ColumnId, f32)> {
    let knowledge = parser.knowledge;
    let entities = parser.frame.entity.and_then(|slot| parser.frame.slots.get(slot)).into_iter();
    let entities = entities.flat_map(|slot| slot.options.iter().map(|option| option.table)).take(2);
    let tables: Vec<TableId> = parser.last_table.into_iter().chain(entities).collect();
    let columns = |table: &TableId| knowledge.table(*table).columns.clone();
    let is_text = |id: &ColumnId| {
        let entry = knowledge.column(*id);
        entry.column_type == ColumnType::Text && !entry.is_foreign && !kind::is_contact(&entry.forms)
    };
    let says_where =
        at > 0 && ["in", "from", "at", "near", "around", "outside"].contains(&parser.text(at - 1));
    if says_where {
        let is_place = |id: &ColumnId| is_text(id) && kind::is_place(&knowledge.column(*id).forms);
        let places = |tables: &[TableId]| -> Vec<ColumnId> {
            tables.iter().flat_map(columns).filter(is_place).collect()
        };
        let above = |table: &TableId| knowledge.joins().above(*table);
        let mut found = places(&tables);
        if found.is_empty() {
            found = places(&tables.iter().flat_map(above).collect::<Vec<_>>());
        }
        if !found.is_empty() {
            return found.into_iter().map(|id| (id, 0.45)).collect();
        }
    }
    let label = |table: &TableId| knowledge.table(*table).label.clone().into_iter().map(|id| (id, 0.45));
    let other = |table: &TableId| columns(table).into_iter().filter(is_text).map(|id| (id, 0.25));
    tables.iter().flat_map(|table| label(table).chain(other(table))).collect()
}

/// The literal as the column stores it.
pub(super) fn cast(value: &Value, numeric: bool) -> Value {
    match value {
        Value::Text(text) if numeric => {
            let text = text.replace(',', "");
            text.parse::<i64>()
                .map(Value::Integer)
                .or_else(|_| text.parse::<f64>().map(Value::Real))
                .unwrap_or_else(|_| value.clone())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::reads;

    #[test]
    fn cells() {
        reads(&[
            ("What are the titles of crime books?", "SELECT title FROM book WHERE genre = 'crime'"),
            ("How many female members are there?", "SELECT count(*) FROM member WHERE gender = 'F'"),
            (
                "Show the names of authors from France or Norway.",
                "SELECT name FROM author WHERE country = 'France' OR country = 'Norway'",
            ),
            (
                "How old is the member 'Ann Smith'?",
                "SELECT age FROM member WHERE first_name = 'Ann' AND last_name = 'Smith'",
            ),
            ("What is the price of the book titled 'Maps'?", "SELECT price FROM book WHERE title = 'Maps'"),
        ]);
    }
}
