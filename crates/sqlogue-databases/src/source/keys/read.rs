//! The names of a schema, read: each that differs from the others once, however many tables have it.

use std::collections::HashMap;

use super::names::suffix;
use super::words::{Name, is_anyone, readings, table_name};
use sqlogue_sql::schema::{Schema, SharedNames, column_prefix};

/// The names of a schema, read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) tables: Vec<ReadTable>,
    /// The ways to read each name that a column has.
    names: Vec<Vec<Name>>,
    /// The tables by the last words of their names.
    by_last_word: HashMap<String, Vec<usize>>,
}

/// The names of one table.
#[derive(Debug)]
pub(super) struct ReadTable {
    pub(super) name: Name,
    /// The number of each column's name.
    columns: Vec<usize>,
}

impl Read {
    pub(super) fn of(schema: &Schema) -> Self {
        let shared = SharedNames::of(&schema.tables);
        let mut names: Vec<Vec<Name>> = Vec::new();
        let mut known: HashMap<(&str, String), usize> = HashMap::new();
        let mut tables = Vec::with_capacity(schema.tables.len());
        for table in &schema.tables {
            let prefix = column_prefix(table);
            let columns = table.columns.iter().map(|column| {
                *known.entry((&column.name, prefix.clone())).or_insert_with(|| {
                    names.push(readings(&column.name, &prefix));
                    names.len() - 1
                })
            });
            tables.push(ReadTable { columns: columns.collect(), name: table_name(&table.name, &shared) });
        }
        let mut by_last_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, table) in tables.iter().enumerate() {
            by_last_word.entry(table.name.words.last().cloned().unwrap_or_default()).or_default().push(at);
        }
        Self { tables, names, by_last_word }
    }

    /// True where a column names another table rather than its own.
    pub(super) fn names_other(&self, place: (usize, usize)) -> bool {
        let Some(own) = self.tables.get(place.0) else { return false };
        self.column(place).iter().filter(|name| name.says_key()).any(|name| {
            let Some(last) = name.core().last() else { return false };
            let others = self.by_last_word.get(last).into_iter().flatten();
            let own = suffix(name.core(), &own.name.words);
            others
                .filter(|other| **other != place.0)
                .filter_map(|other| self.tables.get(*other))
                .any(|other| suffix(name.core(), &other.name.words) > own)
        })
    }

    /// The ways to read a column's name.
    pub(super) fn column(&self, place: (usize, usize)) -> &[Name] {
        self.number(place).and_then(|number| self.names.get(number)).map_or(&[], Vec::as_slice)
    }

    /// The ways to read the names of a table's columns.
    pub(super) fn columns(&self, table: usize) -> Vec<&[Name]> {
        let columns = self.tables.get(table).map_or(0, |table| table.columns.len());
        (0..columns).map(|at| self.column((table, at))).collect()
    }

    /// The number of a column's name: columns with the same number are read the same way.
    pub(super) fn number(&self, place: (usize, usize)) -> Option<usize> {
        self.tables.get(place.0)?.columns.get(place.1).copied()
    }

    /// True for a table of people, whatever they do.
    pub(super) fn is_anyone(&self, table: usize) -> bool {
        self.tables.get(table).is_some_and(|table| is_anyone(&table.name))
    }

    /// True where a column is called as its own table is.
    pub(super) fn bears_own_name(&self, place: (usize, usize)) -> bool {
        let Some(table) = self.tables.get(place.0) else { return false };
        self.column(place).iter().any(|name| suffix(name.core(), &table.name.words) >= 0.6)
    }
}
