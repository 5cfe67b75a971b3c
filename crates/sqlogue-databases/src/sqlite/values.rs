//! The values of columns, for an index of them.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};

use super::errors::Failure;
use super::query::{value, was_interrupted, within};
use crate::{ColumnValues, ValueLimits};
use sqlogue_sql::schema::{ColumnType, Schema, Value};

/// The time for one column's most frequent values.
const FREQUENT: Duration = Duration::from_secs(2);

/// Rows of a table in which dates are looked at for empty texts, where nothing else is read any more.
const LOOKED_AT: usize = 10_000;

/// A table and those of its columns that hold text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TextColumns {
    table: String,
    columns: Vec<TextColumn>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct TextColumn {
    name: String,
    /// True for dates kept as text: nothing is read of them but whether some are empty texts.
    dates: bool,
}

/// A name in double quotes.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

pub(super) fn frequent(
    connection: &mut Connection,
    table: &str,
    column: &str,
    limit: usize,
) -> Result<Vec<(Value, u64)>, Failure> {
    let (table, column) = (quoted(table), quoted(column));
    // Qualified, because SQLite takes a quoted name that is no column for a text.
    let sql = format!(
        "SELECT t.{column}, count(*) FROM {table} AS t WHERE t.{column} IS NOT NULL \
         GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {limit}"
    );
    let stop = Arc::new(AtomicBool::new(false));
    within(connection, Instant::now(), FREQUENT, &stop, |connection| {
        let mut statement = connection.prepare(&sql)?;
        let rows = statement
            .query_map([], |row| Ok((value(row.get_ref(0)?), row.get::<_, i64>(1)?.unsigned_abs())))?;
        Ok(rows.collect::<Result<_, _>>()?)
    })
}

/// The columns of a schema that hold text, by table.
pub(super) fn text_columns(schema: &Schema) -> Vec<TextColumns> {
    let tables = schema.tables.iter().map(|table| TextColumns {
        table: table.name.clone(),
        columns: table
            .columns
            .iter()
            .filter(|column| {
                matches!(column.column_type, ColumnType::Text | ColumnType::Boolean)
                    || column.column_type.is_temporal()
            })
            .map(|column| TextColumn { name: column.name.clone(), dates: column.column_type.is_temporal() })
            .collect(),
    });
    tables.filter(|table| !table.columns.is_empty()).collect()
}

/// The values that were found.
pub(super) struct Texts {
    pub(super) values: Vec<ColumnValues>,
    /// False where the time was over before all were looked at.
    pub(super) in_time: bool,
}

/// One pass over each table, whatever the number of its columns.
pub(super) fn texts(
    connection: &mut Connection,
    tables: &[TextColumns],
    limits: &ValueLimits,
) -> Result<Texts, Failure> {
    let mut in_time = true;
    let started = Instant::now();
    let stop = Arc::new(AtomicBool::new(false));
    let mut found = Vec::new();
    let mut bytes = 0;
    for table in tables {
        let mut columns: Vec<Collected> = table.columns.iter().map(|_| Collected::default()).collect();
        let result = within(connection, started, limits.deadline, &stop, |connection| {
            scan(connection, table, &mut columns, limits, &mut bytes)
        });
        let is_complete = match result {
            Ok(complete) => complete,
            Err(failure) if was_interrupted(&failure) => {
                in_time = false;
                false
            }
            Err(failure) => {
                tracing::debug!(table = table.table, ?failure, "no values of the table");
                continue;
            }
        };
        for (column, collected) in table.columns.iter().zip(columns) {
            if column.dates && collected.values.is_empty() {
                continue;
            }
            found.push(ColumnValues {
                table: table.table.clone(),
                column: column.name.clone(),
                values: collected.values,
                complete: is_complete && !collected.cut,
            });
        }
    }
    Ok(Texts { values: found, in_time })
}

#[derive(Default)]
struct Collected {
    values: Vec<String>,
    seen: HashSet<String>,
    cut: bool,
}

fn scan(
    connection: &Connection,
    table: &TextColumns,
    columns: &mut [Collected],
    limits: &ValueLimits,
    bytes: &mut usize,
) -> Result<bool, Failure> {
    let names: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
    let sql = format!("SELECT {} FROM {}", names.join(", "), quoted(&table.table));
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.raw_query();
    let mut number = 0;
    while let Some(row) = rows.next()? {
        number += 1;
        let mut open = number < LOOKED_AT && table.columns.iter().any(|column| column.dates);
        for (at, (of, column)) in table.columns.iter().zip(&mut *columns).enumerate() {
            if of.dates {
                let is_blank = column.values.is_empty() && row.get_ref(at)? == ValueRef::Text(b"");
                column.values.extend(is_blank.then(String::new));
                continue;
            }
            if column.values.len() >= limits.per_column {
                column.cut = true;
                continue;
            }
            open = true;
            let ValueRef::Text(text) = row.get_ref(at)? else { continue };
            if text.len() > limits.length {
                column.cut = true;
                continue;
            }
            let text = String::from_utf8_lossy(text);
            if !column.seen.contains(text.as_ref()) {
                *bytes += text.len();
                column.values.push(text.clone().into_owned());
                column.seen.insert(text.into_owned());
            }
        }
        if !open || *bytes > limits.bytes {
            return Ok(false);
        }
    }
    Ok(true)
}
