//! Names that words beside them call, however little of the name is said: *length in words*, *fuel cost*, *the to depot*.

use std::collections::BTreeMap;

use crate::rules::grammar::{amount, price_and_units};
use crate::rules::knowledge::{ColumnId, Item, Knowledge, TableId};
use crate::rules::text::{Question, TokenKind};

/// The columns that a unit names behind a word for a size, each with the span that names it: *length in words*, *distance in km*.
pub(super) fn units(
    question: &Question,
    knowledge: &Knowledge,
    named: &BTreeMap<(usize, usize, Item), f32>,
) -> Vec<(usize, usize, ColumnId, f32)> {
    const SIZES: [&str; 7] = ["length", "distance", "duration", "size", "weight", "height", "volume"];
    let says_size = |at: usize| SIZES.contains(&question.word(at)) && question.word(at + 1) == "in";
    let unit = |(&(start, end, item), &score): (&(usize, usize, Item), &f32)| {
        let size = start.checked_sub(2).filter(|at| says_size(*at))?;
        match item {
            Item::Column(id) if is_amount(knowledge, id) => Some((size, end, id, score)),
            _ => None,
        }
    };
    named.iter().filter_map(unit).collect()
}

/// The rows of a table of people with the word that counts them: *crew members*, *staff member*, where nothing is called a member.
pub(super) fn members(
    question: &Question,
    knowledge: &Knowledge,
    named: &BTreeMap<(usize, usize, Item), f32>,
) -> Vec<(usize, usize, TableId, f32)> {
    if !knowledge.places_of_stem("member").is_empty() {
        return Vec::new();
    }
    let counted = |(&(start, end, item), &score): (&(usize, usize, Item), &f32)| match item {
        Item::Table(table) if matches!(question.word(end), "member" | "members") => {
            Some((start, end + 1, table, score))
        }
        _ => None,
    };
    named.iter().filter_map(counted).collect()
}

/// What is meant by *amount*, *date* and the like among things that are listed: *number, customer, amount and date*. Of each table
/// the column that says what its rows are worth, and the one that says when they happened.
pub(super) fn listed(
    question: &Question,
    knowledge: &Knowledge,
    named: &BTreeMap<(usize, usize, Item), f32>,
) -> Vec<(usize, ColumnId)> {
    const AMOUNTS: [&str; 4] = ["amount", "total", "value", "sum"];
    const DATES: [&str; 3] = ["date", "day", "when"];
    let before = |at: usize, back: usize| at.checked_sub(back).map_or("", |before| question.word(before));
    let is_listed = |at: usize, first: &[&str]| {
        let ahead = if before(at, 1) == "the" { before(at, 2) } else { before(at, 1) };
        first.contains(&ahead)
            && matches!(question.word(at + 1), "" | "," | "and" | "&" | "+" | "." | "?" | ")" | ";")
    };
    let tables = || knowledge.tables().map(|(table, _)| table);
    let mut found = Vec::new();
    for at in 0..question.tokens.len() {
        if AMOUNTS.contains(&question.word(at)) && is_listed(at, &[",", "and", "&", "+", ":"]) {
            found.extend(tables().filter_map(|table| amount(knowledge, table)).map(|id| (at, id)));
        }
        // *with date and driver*, where nothing else has a date of that name.
        if DATES.contains(&question.word(at)) && is_listed(at, &[",", "and", "&", "+", ":", "with", "-"]) {
            let first = |table: &TableId| knowledge.dates(*table).first().copied();
            found.extend(happening(knowledge, named).iter().filter_map(first).map(|id| (at, id)));
        }
    }
    found
}

/// The tables whose rows happen: of those that are named the ones that no other refers to. The date of *repairs with driver and
/// date* is no date of the driver's.
fn happening(knowledge: &Knowledge, named: &BTreeMap<(usize, usize, Item), f32>) -> Vec<TableId> {
    const NAMED: f32 = 0.6;
    let table = |((_, _, item), score): (&(usize, usize, Item), &f32)| match item {
        Item::Table(table) if *score >= NAMED => Some(*table),
        _ => None,
    };
    let mut tables: Vec<TableId> = named.iter().filter_map(table).collect();
    tables.sort_unstable();
    tables.dedup();
    let refers = |from: TableId, to: TableId| from != to && knowledge.joins().refers(from, to);
    tables.iter().copied().filter(|to| !tables.iter().any(|from| refers(*from, *to))).collect()
}

/// True for a number that says how much there is of something.
fn is_amount(knowledge: &Knowledge, id: ColumnId) -> bool {
    let column = knowledge.column(id);
    let counts = column.numeric || column.column_type.is_numeric();
    counts && !column.is_key && !column.is_foreign && !column.kind.is_temporal()
}

/// True where the name of a column that refers to something is said in full, which begins with *from* or *to*: `to_depot`.
pub(super) fn begins_role(question: &Question, knowledge: &Knowledge, at: usize) -> bool {
    let said = question.word(at);
    let next = question.tokens.get(at + 1).map_or("", |token| token.stem.as_str());
    matches!(said, "from" | "to")
        && knowledge.places_of_stem(said).iter().any(|place| match place.item {
            Item::Column(id) => {
                let column = knowledge.column(id);
                let first = column.forms.first().map(Vec::as_slice);
                column.is_foreign && matches!(first, Some([one, other]) if one == said && other == next)
            }
            Item::Table(_) => false,
        })
}

/// The words for what costs something, with the tables that tell what was paid for it by a price and a quantity: *fuel*, where it is
/// asked what that costs, for `fuel_fills`.
pub(super) fn costing(question: &Question, knowledge: &Knowledge) -> Vec<(usize, TableId)> {
    let costs = ["cost", "costs", "spend", "spent", "spending", "pay", "paid", "expense", "expenses"];
    if !question.tokens.iter().any(|token| costs.contains(&token.lower.as_str())) {
        return Vec::new();
    }
    let begins = |table: TableId, word: &str| {
        let forms = &knowledge.table(table).forms;
        forms.iter().any(|form| form.len() > 1 && form.first().is_some_and(|first| first == word))
    };
    let tables = knowledge.tables().map(|(table, _)| table);
    let priced: Vec<TableId> = tables.filter(|table| price_and_units(knowledge, *table).is_some()).collect();
    let tokens = question.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word);
    tokens
        .flat_map(|(at, token)| priced.iter().map(move |table| (at, *table, &token.stem)))
        .filter(|(_, table, word)| begins(*table, word))
        .map(|(at, table, _)| (at, table))
        .collect()
}
