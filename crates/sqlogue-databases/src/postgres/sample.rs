//! What is in the columns: samples, frequent values, texts.

use std::time::{Duration, Instant};

use tokio_postgres::Row;

use super::PostgresDatabase;
use super::address::quoted;
use super::values::{Raw, Reading, Zone};
use crate::{ColumnValues, DatabaseError, ValueLimits};
use sqlogue_sql::schema::{Column, ColumnType, Schema, Table, Value};

/// How many rows of a table are looked at for samples, how many samples a column keeps, and how long they may be.
const ROWS: usize = 100;
const SAMPLES: usize = 5;
const SAMPLE_LENGTH: usize = 60;

/// How many rows of a table are looked at for values; more would take too long on large tables.
const SCANNED: usize = 200_000;

/// How many columns are read by one statement.
const AT_ONCE: usize = 40;

/// The time for sampling: of one table, and of all. A table not reached has no samples.
const ONE_TABLE: Duration = Duration::from_millis(250);
const ALL_TABLES: Duration = Duration::from_secs(2);

/// The time for one column's most frequent values.
const FREQUENT: Duration = Duration::from_secs(2);

/// A table's name as SQL; a dot in it separates the schema from the table.
fn table_name(name: &str) -> String {
    name.split('.').map(quoted).collect::<Vec<_>>().join(".")
}

impl PostgresDatabase {
    async fn rows(&self, sql: String, limit: Duration) -> Result<Vec<Row>, DatabaseError> {
        self.read(limit, |transaction| Box::pin(async move { transaction.query_typed(&sql, &[]).await }))
            .await
    }
}

/// Adds samples, and the number of rows of small tables.
pub(super) async fn fill(database: &PostgresDatabase, schema: &mut Schema) -> Result<(), DatabaseError> {
    let started = Instant::now();
    for table in &mut schema.tables {
        if started.elapsed() > ALL_TABLES {
            tracing::debug!("there was no time for samples of all tables");
            break;
        }
        let sql = sample_query(table);
        match database.rows(sql, ONE_TABLE).await {
            Ok(rows) => keep(table, &rows),
            Err(error @ (DatabaseError::Unreachable { .. } | DatabaseError::Login { .. })) => {
                return Err(error);
            }
            Err(error) => tracing::debug!(table = table.name, %error, "no samples of the table"),
        }
    }
    Ok(())
}

/// Reads a few rows. What can be long is cut by the server, and what is shown to nobody is not read.
fn sample_query(table: &Table) -> String {
    let columns = table.columns.iter().take(AT_ONCE * 4).map(|column| {
        let name = quoted(&column.name);
        match column.column_type {
            ColumnType::Text => format!("pg_catalog.left({name}::text, {})", SAMPLE_LENGTH + 1),
            ColumnType::Blob | ColumnType::Other => "NULL::text".to_owned(),
            _ => name,
        }
    });
    format!(
        "SELECT {} FROM {} LIMIT {}",
        columns.collect::<Vec<_>>().join(", "),
        table_name(&table.name),
        ROWS + 1
    )
}

fn keep(table: &mut Table, rows: &[Row]) {
    if rows.len() <= ROWS {
        table.row_count = Some(rows.len() as u64);
    }
    let zone = Zone::named(None);
    for (at, column) in table.columns.iter_mut().enumerate() {
        // An enumeration has its labels.
        if !column.samples.is_empty() {
            continue;
        }
        for row in rows {
            let Some(value) = cell(row, at, &zone) else { continue };
            let fits = match &value {
                Value::Text(text) => !text.is_empty() && text.chars().count() <= SAMPLE_LENGTH,
                Value::Null | Value::Blob(_) => false,
                Value::Boolean(_) | Value::Integer(_) | Value::Real(_) => true,
            };
            if fits && !column.samples.contains(&value) {
                column.samples.push(value);
            }
            if column.samples.len() == SAMPLES {
                break;
            }
        }
    }
}

fn cell(row: &Row, at: usize, zone: &Zone) -> Option<Value> {
    let column = row.columns().get(at)?;
    let raw: Raw<'_> = row.try_get(at).ok()?;
    Some(raw.0.map_or(Value::Null, |bytes| Reading::of(column).value(bytes, zone)))
}

/// The most frequent values of a column.
pub(super) async fn frequent(
    database: &PostgresDatabase,
    table: &str,
    column: &str,
    limit: usize,
) -> Result<Vec<(Value, u64)>, DatabaseError> {
    let (table, column) = (table_name(table), quoted(column));
    let sql = format!(
        "SELECT v, pg_catalog.count(*) FROM (SELECT t.{column} AS v FROM {table} AS t LIMIT {SCANNED}) AS t \
         WHERE v IS NOT NULL GROUP BY v ORDER BY 2 DESC, 1 LIMIT {limit}"
    );
    let zone = Zone::named(None);
    let rows = database.rows(sql, FREQUENT).await?;
    Ok(rows
        .iter()
        .filter_map(|row| Some((cell(row, 0, &zone)?, row.try_get::<_, i64>(1).ok()?.unsigned_abs())))
        .collect())
}

/// The distinct texts of every text column, in alphabetical order.
pub(super) async fn texts(
    database: &PostgresDatabase,
    schema: &Schema,
    limits: &ValueLimits,
) -> Result<Vec<ColumnValues>, DatabaseError> {
    let started = Instant::now();
    let mut found: Vec<ColumnValues> = Vec::new();
    let mut bytes = 0;
    for table in &schema.tables {
        let columns: Vec<&Column> =
            table.columns.iter().filter(|column| column.column_type == ColumnType::Text).collect();
        for columns in columns.chunks(AT_ONCE) {
            let left = limits.deadline.saturating_sub(started.elapsed());
            if left.is_zero() || bytes > limits.bytes {
                return Ok(found);
            }
            let rows = match database.rows(texts_query(table, columns, limits), left).await {
                Ok(rows) => rows,
                Err(error @ (DatabaseError::Unreachable { .. } | DatabaseError::Login { .. })) => {
                    return Err(error);
                }
                Err(error) => {
                    tracing::debug!(table = table.name, %error, "no values of the table");
                    continue;
                }
            };
            let is_whole = table.row_count.is_some_and(|rows| rows < SCANNED as u64);
            let first = found.len();
            found.extend(columns.iter().map(|column| ColumnValues {
                table: table.name.clone(),
                column: column.name.clone(),
                values: Vec::new(),
                complete: is_whole,
            }));
            for row in rows {
                let (Ok(at), Ok(text)) = (row.try_get::<_, i32>(0), row.try_get::<_, String>(1)) else {
                    continue;
                };
                let at = first + usize::try_from(at).unwrap_or_default();
                let Some(column) = found.get_mut(at) else { continue };
                if text.len() > limits.length || column.values.len() >= limits.per_column {
                    column.complete = false;
                } else {
                    bytes += text.len();
                    column.values.push(text);
                }
            }
        }
    }
    Ok(found)
}

fn texts_query(table: &Table, columns: &[&Column], limits: &ValueLimits) -> String {
    let name = table_name(&table.name);
    let parts = columns.iter().enumerate().map(|(at, column)| {
        let column = quoted(&column.name);
        // One character more than is kept shows that something was left out.
        format!(
            "(SELECT {at}, v FROM (SELECT DISTINCT pg_catalog.left(s.v::text, {}) AS v \
             FROM (SELECT t.{column} AS v FROM {name} AS t LIMIT {SCANNED}) AS s) AS d \
             WHERE v <> '' ORDER BY v LIMIT {})",
            limits.length + 1,
            limits.per_column + 1
        )
    });
    parts.collect::<Vec<_>>().join(" UNION ALL ")
}
