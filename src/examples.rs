//! Questions that can be asked of a database: made from its tables, and kept where the rules answer them surely.

use crate::plan::Confidence;
use crate::reasoner::Knowledge;
use crate::reasoner::rules::{ColumnKind, Options, understand};
use crate::schema::{Column, Schema, Table, pieces, row_words};

/// So many tables are looked at: those with the most rows and references, which people come for.
const MOST_TABLES: usize = 6;

/// A column of at most so many different values is one to group by.
const FEW_VALUES: usize = 20;

/// So many questions are tried before there are enough; understanding one takes about a millisecond.
const MOST_TRIED: usize = 24;

/// Words in the names of times that programs write down of each row, which say nothing of when a thing happened.
const KEPT_BY_PROGRAMS: [&str; 8] =
    ["update", "updated", "modified", "changed", "inserted", "imported", "loaded", "synced"];

/// At most `most` questions about different things that the rules answer with high confidence, the simplest first. Empty
/// where they know too little of the database.
pub fn examples(knowledge: &Knowledge, most: usize) -> Vec<String> {
    let schema = knowledge.schema();
    let tables = foremost(schema);
    let options = Options::default();
    let mut found: Vec<String> = Vec::new();
    let mut tried = 0;
    // One of each kind, each about another table where that can be.
    for (place, kind) in [how_many, by_kind, summarised, over_time, ranked].into_iter().enumerate() {
        let around = (0..tables.len()).filter_map(|at| tables.get((at + place) % tables.len()));
        let asked = around.flat_map(|table| kind(table, knowledge));
        for question in asked.take(MOST_TRIED / 4) {
            if found.len() == most || tried == MOST_TRIED {
                return found;
            }
            tried += 1;
            if is_sure(&question, knowledge, &options) {
                found.push(question);
                break;
            }
        }
    }
    found
}

fn is_sure(question: &str, knowledge: &Knowledge, options: &Options) -> bool {
    let understanding = understand(question, knowledge.words(), options);
    let sure = understanding.answer().is_some_and(|best| {
        best.confidence == Confidence::High
            && best.account.left_out.is_empty()
            && best.account.doubts.is_empty()
    });
    sure && understanding.is_convincing()
}

/// The tables that people come for, the foremost first.
fn foremost(schema: &Schema) -> Vec<&Table> {
    let referred = |table: &Table| {
        let keys = schema.tables.iter().flat_map(|other| &other.foreign_keys);
        keys.filter(|key| key.table.eq_ignore_ascii_case(&table.name)).count()
    };
    let mut tables: Vec<&Table> = schema
        .tables
        .iter()
        .filter(|table| table.row_count != Some(0) && table.foreign_keys.len() + 1 < table.columns.len())
        .collect();
    tables.sort_by_key(|table| std::cmp::Reverse((referred(table).min(3), table.row_count.unwrap_or(0))));
    tables.truncate(MOST_TABLES);
    tables
}

/// What many rows of a table are called.
fn things(table: &Table) -> String {
    pluralizer::pluralize(&row_words(&table.name).join(" "), 2, false)
}

fn words(column: &Column) -> String {
    pieces(&column.name).join(" ")
}

/// The columns of a table, each with what it is and how many values it has, where they are few.
fn columns<'a>(
    table: &'a Table,
    knowledge: &'a Knowledge,
) -> impl Iterator<Item = (&'a Column, &'a ColumnKind, usize)> {
    let rules = knowledge.words();
    let id = rules.table_named(&table.name);
    table.columns.iter().filter_map(move |column| {
        let entry = rules.column(rules.column_named(id?, &column.name)?);
        (!entry.is_key && !entry.is_foreign && !entry.unique).then_some((
            column,
            &entry.kind,
            entry.few_values.len(),
        ))
    })
}

/// The columns by whose values rows can be grouped.
fn groups<'a>(table: &'a Table, knowledge: &'a Knowledge) -> impl Iterator<Item = &'a Column> {
    // What hardly comes twice is no group, and neither is what a row is called; *customers per active* is no English.
    let groups = table.row_count.map_or(usize::MAX, |rows| usize::try_from(rows / 2).unwrap_or(usize::MAX));
    let few = columns(table, knowledge).filter(move |(_, kind, values)| {
        (2..=FEW_VALUES.min(groups)).contains(values)
            && !matches!(kind, ColumnKind::Name | ColumnKind::Flag { .. })
    });
    few.filter(|(column, ..)| column.column_type == crate::schema::ColumnType::Text)
        .map(|(column, ..)| column)
}

fn how_many(table: &Table, _: &Knowledge) -> Vec<String> {
    vec![format!("How many {} are there?", things(table))]
}

fn by_kind(table: &Table, knowledge: &Knowledge) -> Vec<String> {
    groups(table, knowledge)
        .map(|column| format!("Number of {} per {}", things(table), words(column)))
        .collect()
}

fn summarised(table: &Table, knowledge: &Knowledge) -> Vec<String> {
    let measured = columns(table, knowledge).filter(|(_, kind, _)| {
        matches!(kind, ColumnKind::Money(_) | ColumnKind::Percentage(_) | ColumnKind::Number)
    });
    let measured: Vec<String> = measured.map(|(column, ..)| words(column)).collect();
    let by = groups(table, knowledge).next();
    let asked = measured.iter().map(|measured| match by {
        Some(by) => format!("Average {measured} by {}", words(by)),
        None => format!("What is the highest {measured} of all {}?", things(table)),
    });
    asked.collect()
}

fn over_time(table: &Table, knowledge: &Knowledge) -> Vec<String> {
    let dated = columns(table, knowledge).any(|(column, kind, _)| {
        matches!(kind, ColumnKind::Date | ColumnKind::Timestamp | ColumnKind::Epoch(_))
            && !pieces(&column.name).iter().any(|piece| KEPT_BY_PROGRAMS.contains(&piece.as_str()))
    });
    if dated { vec![format!("Number of {} per month", things(table))] } else { Vec::new() }
}

/// Things by how many others refer to them.
fn ranked(table: &Table, knowledge: &Knowledge) -> Vec<String> {
    let schema = knowledge.schema();
    let referring = schema.tables.iter().filter(|other| {
        other.name != table.name
            && other.foreign_keys.iter().any(|key| key.table.eq_ignore_ascii_case(&table.name))
    });
    referring.map(|other| format!("Top 5 {} by number of {}", things(table), things(other))).collect()
}
