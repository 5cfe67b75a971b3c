//! What a reasoner may know of a database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::rules;
use crate::plan::ColumnRef;
use crate::schema::{Schema, Value};
use crate::sql::Dialect;

/// The schema of a database, the words of it, and an index of its values. Built once, shared by all conversations.
pub struct Knowledge {
    id: u64,
    schema: Arc<Schema>,
    words: rules::Knowledge,
}

impl Knowledge {
    /// Builds it from a schema and the values of columns: a table's name, a column's name, and its distinct texts.
    pub fn build(
        schema: Arc<Schema>,
        values: impl IntoIterator<Item = (String, String, Vec<String>)>,
        index_bytes: usize,
    ) -> Self {
        let mut builder = rules::Knowledge::builder(&schema, index_bytes);
        for (table, column, texts) in values {
            builder.values(&table, &column, texts.into_iter().map(Value::Text));
        }
        static LAST_ID: AtomicU64 = AtomicU64::new(0);
        let id = LAST_ID.fetch_add(1, Ordering::Relaxed) + 1;
        Self { id, schema, words: builder.finish() }
    }

    /// The same for a database of that dialect, which says whether types are checked. SQLite does not check them.
    #[must_use]
    pub fn of_dialect(mut self, dialect: Dialect) -> Self {
        self.words.check_types(dialect != Dialect::Sqlite);
        self
    }

    /// A number that no other knowledge of this process has: what was found out with this one holds for this one.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The words and values, as the rules link them.
    pub fn words(&self) -> &rules::Knowledge {
        &self.words
    }

    /// Whether a cell of a column has this very text, in whatever case.
    pub fn is_value(&self, column: &ColumnRef, text: &str) -> bool {
        let Some(table) = self.words.table_named(&column.table) else { return false };
        let Some(column) = self.words.column_named(table, &column.column) else { return false };
        let hits = self.words.values().find(text);
        hits.iter().any(|hit| hit.column == column && hit.text.eq_ignore_ascii_case(text))
    }

    /// The cell of a column that comes nearest to `text`, where no cell of it is that very text.
    pub fn near_value(&self, table: &str, column: &str, text: &str) -> Option<String> {
        let table = self.words.table_named(table)?;
        let column = self.words.column_named(table, column)?;
        let values = self.words.values();
        let hits = values.find(text).into_iter().chain(values.near_in(column, text));
        let mut best = None;
        for hit in hits.filter(|hit| hit.column == column) {
            if hit.text == text {
                return None;
            }
            best = best.or(Some(hit.text));
        }
        best
    }

    /// The cells of a column with few texts, where `text` is none of them.
    pub fn cells_instead(&self, table: &str, column: &str, text: &str) -> Option<Vec<&str>> {
        let table = self.words.table_named(table)?;
        let column = self.words.column(self.words.column_named(table, column)?);
        let cells: Vec<&str> = column.few_values.iter().filter_map(Value::as_str).collect();
        (!cells.is_empty() && !cells.contains(&text)).then_some(cells)
    }
}
