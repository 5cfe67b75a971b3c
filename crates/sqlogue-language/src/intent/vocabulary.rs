//! The words of a schema and of a query's SQL.

use std::collections::HashMap;

use super::words::stem;
use sqlogue_sql::schema::Schema;

/// The words by which people can name the tables and columns of a schema.
///
/// Build it once for a schema and share it: classification looks words up in it and never walks the schema.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vocabulary {
    words: HashMap<Box<str>, Named>,
    tables: HashMap<Box<str>, TableSet>,
}

/// What a word can name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// The tables with the word in their name.
    pub(super) table: TableSet,
    /// The tables that have a column with the word in its name.
    pub(super) column: TableSet,
}

/// A set of tables, one bit each; the tables of a large schema share bits, which costs a little precision.
pub(super) type TableSet = u64;

impl Vocabulary {
    /// The words of all table and column names of a schema.
    pub fn of(schema: &Schema) -> Self {
        let mut vocabulary = Self::default();
        for (at, table) in schema.tables.iter().enumerate() {
            let bit = 1 << (at % TableSet::BITS as usize);
            vocabulary.tables.insert(table.name.to_lowercase().into(), bit);
            vocabulary.add(&table.name, |named| named.table |= bit);
            for column in &table.columns {
                vocabulary.add(&column.name, |named| named.column |= bit);
            }
        }
        vocabulary
    }

    fn add(&mut self, name: &str, mark: impl Fn(&mut Named)) {
        for_each_part(name, |part| mark(self.words.entry(stem(part).into()).or_default()));
    }

    /// The tables with these names, in lower case.
    pub(super) fn tables(&self, names: &[Box<str>]) -> TableSet {
        names.iter().filter_map(|name| self.tables.get(name)).fold(0, |set, bit| set | bit)
    }

    /// What the word with this stem can name.
    pub(super) fn named(&self, stem: &str) -> Named {
        self.words.get(stem).copied().unwrap_or_default()
    }
}

/// What a query's SQL is made of, read from its text without parsing it: also SQL that is no longer valid, or
/// that another system wrote, has words.
#[derive(Debug, Default)]
pub(super) struct SqlWords {
    /// Stems of the words of the tables' names.
    pub(super) tables: Vec<Box<str>>,
    /// The tables' names, in lower case.
    pub(super) table_names: Vec<Box<str>>,
    /// Stems of the words of the columns' names.
    pub(super) columns: Vec<Box<str>>,
    /// The literals, in lower case.
    pub(super) values: Vec<Box<str>>,
}

/// A query longer than this is read up to here.
const MAX_BYTES: usize = 4_000;

impl SqlWords {
    /// Reads a query.
    pub(super) fn read(sql: &str) -> Self {
        Self::read_parts(sql, true)
    }

    /// Reads only the tables of a query, for which no word need be told from a keyword.
    pub(super) fn tables_of(sql: &str) -> Vec<Box<str>> {
        Self::read_parts(sql, false).tables
    }

    fn read_parts(sql: &str, all: bool) -> Self {
        let mut words = Self::default();
        let mut rest = sql;
        let mut table_next = false;
        while let Some(first) = rest.chars().next().filter(|_| sql.len() - rest.len() < MAX_BYTES) {
            if matches!(first, '\'' | '"' | '`' | '[') {
                let close = if first == '[' { ']' } else { first };
                let inside = rest.get(1..).unwrap_or_default();
                let end = inside.find(close).unwrap_or(inside.len());
                let text = inside.get(..end).unwrap_or_default();
                // A double-quoted word is a name in standard SQL, and a text in much SQL that people write.
                if first != '\'' && std::mem::take(&mut table_next) {
                    words.add_table(text);
                } else if all {
                    words.values.push(text.to_lowercase().into());
                }
                rest = inside.get(end + 1..).unwrap_or_default();
            } else if first.is_alphanumeric() || first == '_' {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                let (text, after) = rest.split_at(end);
                let qualifies = after.starts_with('.') && !first.is_ascii_digit();
                if first.is_ascii_digit() {
                    words.values.extend(all.then(|| text.into()));
                } else if std::mem::replace(&mut table_next, is_any(text, &["from", "join"])) && !qualifies {
                    words.add_table(text);
                } else if all && !qualifies && !is_any(text, KEYWORDS) {
                    for_each_part(text, |part| words.columns.push(stem(part).into()));
                }
                rest = after;
            } else {
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
        words
    }

    fn add_table(&mut self, name: &str) {
        self.table_names.push(name.to_lowercase().into());
        for_each_part(name, |part| self.tables.push(stem(part).into()));
    }
}

const KEYWORDS: &[&str] = &[
    "select",
    "from",
    "join",
    "on",
    "as",
    "where",
    "and",
    "or",
    "not",
    "in",
    "like",
    "between",
    "is",
    "null",
    "group",
    "by",
    "having",
    "order",
    "asc",
    "desc",
    "limit",
    "offset",
    "distinct",
    "union",
    "all",
    "intersect",
    "except",
    "inner",
    "left",
    "outer",
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "case",
    "when",
    "then",
    "else",
    "end",
    "cast",
    "exists",
    "with",
];

fn is_any(word: &str, list: &[&str]) -> bool {
    list.iter().any(|entry| entry.eq_ignore_ascii_case(word))
}

/// The parts of a name that people say as words: `order_items`, `OrderItems`, `ship_date2`.
fn for_each_part(name: &str, mut take: impl FnMut(&str)) {
    let lower = name.to_lowercase();
    // A capital inside a name starts a word; where lower case has another length the name is left whole.
    let mut start = 0;
    let mut previous = '_';
    let same_length = lower.len() == name.len();
    for (at, c) in name.char_indices().chain([(name.len(), '_')]) {
        let breaks = !c.is_alphanumeric() || (c.is_uppercase() && previous.is_lowercase() && same_length);
        if breaks {
            if let Some(part) = lower.get(start..at).filter(|part| part.len() > 1) {
                take(part.trim_start_matches('_'));
            }
            start = if c.is_alphanumeric() { at } else { at + c.len_utf8() };
        }
        previous = c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sql_is_read_into_tables_columns_and_values() {
        let words = SqlWords::read(
            "SELECT T1.first_name FROM order_items AS T1 JOIN \"Shop\" ON T1.a = 'New York' WHERE year > 2008",
        );
        let all = |list: &[Box<str>]| list.join(" ");
        assert_eq!(all(&words.tables), "order item shop");
        assert_eq!(all(&words.values), "new york 2008");
        assert!(words.columns.iter().any(|word| &**word == "first"));
        for odd in ["", "'", "SELECT \"", "from", "é'é", "[", "select 'İ'"] {
            let _ = SqlWords::read(odd);
        }
    }

    #[test]
    fn names_fall_into_their_words() {
        let mut parts = Vec::new();
        for_each_part("OrderItems_sku2", |part| parts.push(part.to_owned()));
        assert_eq!(parts, ["order", "items", "sku2"]);
    }
}
