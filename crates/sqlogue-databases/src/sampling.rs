//! What is in the columns of a server's tables: samples, frequent values, texts. Asked in SQL, the same for all servers.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::{BoxFuture, ColumnValues, DatabaseError, ValueLimits};
use sqlogue_sql::schema::{Column, ColumnType, Schema, Table, TableKind, Value};
use sqlogue_sql::sql::{Dialect, quote};

/// How many rows of a table are looked at for samples, how many samples a column keeps, and how long they may be.
const ROWS: usize = 100;
const SAMPLES: usize = 5;
const SAMPLE_LENGTH: usize = 60;

/// How many rows of a table are looked at for values. Of larger tables the server's own statistics are read, where it has
/// some.
pub(crate) const SCANNED: usize = 20_000;

/// How many rows are looked at for the most frequent values of one column, which a question asks for.
const COUNTED: usize = 200_000;

/// How many columns are read by one statement.
const AT_ONCE: usize = 40;

/// The time for sampling: of one table, and of all. A table not reached has no samples. Samples, keys and texts together
/// take three seconds at most, so that a new database can be asked then, however large and far away it is.
const ONE_TABLE: Duration = Duration::from_millis(250);
const ALL_TABLES: Duration = Duration::from_millis(800);

/// The time for the texts of all columns.
const ALL_TEXTS: Duration = Duration::from_millis(800);

/// The time for one column's most frequent values.
const FREQUENT: Duration = Duration::from_secs(2);

/// A server that answers questions of our own.
pub(crate) trait Asked: Sync {
    /// The dialect of its SQL.
    fn asked_in(&self) -> Dialect;

    /// The rows of a question of our own, within a time.
    fn ask(&self, sql: String, limit: Duration) -> BoxFuture<'_, Result<Vec<Vec<Value>>, DatabaseError>>;

    /// A question for texts that the server keeps as statistics of tables of more than [`SCANNED`] rows: the table's name as
    /// in the schema, the column's, whether these are all texts of the column, and a text. None where it keeps none.
    fn kept_texts(&self) -> Option<String> {
        None
    }

    /// False where the server expects that a question of our own about a view would read much of the tables below it.
    fn is_cheap<'a>(&'a self, sql: &'a str) -> BoxFuture<'a, bool> {
        let _ = sql;
        Box::pin(std::future::ready(true))
    }
}

/// Asks about a table, unless it is a view that would have to be computed for that.
async fn ask_about(
    server: &dyn Asked,
    table: &Table,
    sql: String,
    limit: Duration,
) -> Result<Vec<Vec<Value>>, DatabaseError> {
    if table.kind == TableKind::View && !server.is_cheap(&sql).await {
        tracing::debug!(table = table.name, "the view is not looked at: that would read the tables below it");
        return Ok(Vec::new());
    }
    server.ask(sql, limit).await
}

fn table_name(name: &str, dialect: Dialect) -> String {
    let mut out = String::new();
    quote::table(&mut out, name, dialect);
    out
}

fn column_name(name: &str, dialect: Dialect) -> String {
    let mut out = String::new();
    quote::name(&mut out, name, dialect);
    out
}

/// The first characters of a value as text, cut by the server. Equal texts are those with the same bytes.
fn beginning(expr: &str, length: usize, dialect: Dialect) -> String {
    match dialect {
        // Functions that somebody made under the same name are in another schema.
        Dialect::Postgres => format!("pg_catalog.left({expr}::text, {length})"),
        Dialect::MySql => format!("left(CAST({expr} AS CHAR), {length}) COLLATE utf8mb4_bin"),
        Dialect::Sqlite | Dialect::BigQuery => format!("substr({expr}, 1, {length})"),
    }
}

/// Adds samples, and the number of rows of small tables.
pub(crate) async fn fill(server: &dyn Asked, schema: &mut Schema) -> Result<(), DatabaseError> {
    let started = Instant::now();
    for table in &mut schema.tables {
        if started.elapsed() > ALL_TABLES {
            tracing::debug!("there was no time for samples of all tables");
            break;
        }
        let sql = sample_query(table, server.asked_in());
        match ask_about(server, table, sql, ONE_TABLE).await {
            Ok(rows) => keep(table, &rows),
            Err(error) if lost(&error) => return Err(error),
            Err(error) => tracing::debug!(table = table.name, %error, "no samples of the table"),
        }
    }
    Ok(())
}

/// Reads a few rows. What can be long is cut by the server, and what is shown to nobody is not read.
fn sample_query(table: &Table, dialect: Dialect) -> String {
    let columns = table.columns.iter().take(AT_ONCE * 4).map(|column| {
        let name = column_name(&column.name, dialect);
        match column.column_type {
            ColumnType::Text => beginning(&name, SAMPLE_LENGTH + 1, dialect),
            ColumnType::Blob | ColumnType::Other => "NULL".to_owned(),
            _ => name,
        }
    });
    format!(
        "SELECT {} FROM {} LIMIT {}",
        columns.collect::<Vec<_>>().join(", "),
        table_name(&table.name, dialect),
        ROWS + 1
    )
}

fn keep(table: &mut Table, rows: &[Vec<Value>]) {
    if rows.len() <= ROWS && table.kind == TableKind::Table {
        table.row_count = Some(rows.len() as u64);
    }
    for (at, column) in table.columns.iter_mut().enumerate() {
        // An enumeration has its labels.
        if !column.samples.is_empty() {
            continue;
        }
        for value in rows.iter().filter_map(|row| row.get(at)) {
            let fits = match value {
                Value::Text(text) => !text.is_empty() && text.chars().count() <= SAMPLE_LENGTH,
                Value::Null | Value::Blob(_) => false,
                Value::Boolean(_) | Value::Integer(_) | Value::Real(_) => true,
            };
            if fits && !column.samples.contains(value) {
                column.samples.push(value.clone());
            }
            if column.samples.len() == SAMPLES {
                break;
            }
        }
    }
}

/// The most frequent values of a column.
pub(crate) async fn frequent(
    server: &dyn Asked,
    table: &str,
    column: &str,
    limit: usize,
) -> Result<Vec<(Value, u64)>, DatabaseError> {
    let dialect = server.asked_in();
    let (table, column) = (table_name(table, dialect), column_name(column, dialect));
    let sql = format!(
        "SELECT v, count(*) FROM (SELECT t.{column} AS v FROM {table} AS t LIMIT {COUNTED}) AS t \
         WHERE v IS NOT NULL GROUP BY v ORDER BY 2 DESC, 1 LIMIT {limit}"
    );
    let rows = server.ask(sql, FREQUENT).await?;
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            let mut cells = row.into_iter();
            match (cells.next(), cells.next()) {
                (Some(value), Some(Value::Integer(count))) => Some((value, count.unsigned_abs())),
                _ => None,
            }
        })
        .collect())
}

/// The distinct texts of every text column, in alphabetical order.
pub(crate) async fn texts(
    server: &dyn Asked,
    schema: &Schema,
    limits: &ValueLimits,
) -> Result<Vec<ColumnValues>, DatabaseError> {
    let started = Instant::now();
    let deadline = limits.deadline.min(ALL_TEXTS);
    let mut kept = kept_texts(server, limits, deadline).await?;
    let mut found: Vec<ColumnValues> = Vec::new();
    let mut bytes = 0;
    let mut add = |values: Vec<ColumnValues>| {
        bytes += values.iter().flat_map(|column| &column.values).map(String::len).sum::<usize>();
        found.extend(values);
        bytes <= limits.bytes
    };
    for table in &schema.tables {
        let texts = table.columns.iter().filter(|column| column.column_type == ColumnType::Text);
        let mut open: Vec<&Column> = Vec::new();
        for column in texts {
            match kept.remove(&(table.name.clone(), column.name.clone())) {
                Some(values) => _ = add(vec![values]),
                None => open.push(column),
            }
        }
        for columns in open.chunks(AT_ONCE) {
            let left = deadline.saturating_sub(started.elapsed());
            if left.is_zero() || !add(texts_of(server, table, columns, limits, left).await?) {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// What the server keeps of its large tables anyway, by table and column.
async fn kept_texts(
    server: &dyn Asked,
    limits: &ValueLimits,
    deadline: Duration,
) -> Result<HashMap<(String, String), ColumnValues>, DatabaseError> {
    let mut kept: HashMap<(String, String), ColumnValues> = HashMap::new();
    let Some(sql) = server.kept_texts() else { return Ok(kept) };
    let rows = match server.ask(sql, deadline).await {
        Ok(rows) => rows,
        Err(error) => {
            if lost(&error) {
                return Err(error);
            }
            tracing::debug!(%error, "the server's statistics were not read");
            return Ok(kept);
        }
    };
    for row in rows {
        let [Value::Text(table), Value::Text(column), Value::Boolean(complete), Value::Text(text)] =
            row.as_slice()
        else {
            continue;
        };
        let known = kept.entry((table.clone(), column.clone())).or_insert_with(|| ColumnValues {
            table: table.clone(),
            column: column.clone(),
            values: Vec::new(),
            complete: *complete,
        });
        keep_text(known, text, limits);
    }
    Ok(kept)
}

/// The texts of some columns of one table, by its first rows.
async fn texts_of(
    server: &dyn Asked,
    table: &Table,
    columns: &[&Column],
    limits: &ValueLimits,
    deadline: Duration,
) -> Result<Vec<ColumnValues>, DatabaseError> {
    let sql = texts_query(table, columns, limits, server.asked_in());
    let rows = match ask_about(server, table, sql, deadline).await {
        Ok(rows) => rows,
        Err(error) if lost(&error) => return Err(error),
        Err(error) => {
            tracing::debug!(table = table.name, %error, "no values of the table");
            return Ok(Vec::new());
        }
    };
    let is_whole = table.row_count.is_some_and(|rows| rows < SCANNED as u64);
    let mut found: Vec<ColumnValues> = columns
        .iter()
        .map(|column| ColumnValues {
            table: table.name.clone(),
            column: column.name.clone(),
            values: Vec::new(),
            complete: is_whole,
        })
        .collect();
    for row in rows {
        let [Value::Integer(at), Value::Text(text)] = row.as_slice() else { continue };
        if let Some(column) = usize::try_from(*at).ok().and_then(|at| found.get_mut(at)) {
            keep_text(column, text, limits);
        }
    }
    Ok(found)
}

fn keep_text(column: &mut ColumnValues, text: &str, limits: &ValueLimits) {
    if text.len() > limits.length || column.values.len() >= limits.per_column {
        column.complete = false;
    } else {
        column.values.push(text.to_owned());
    }
}

/// True where the server itself cannot be reached, and not only this question fails.
fn lost(error: &DatabaseError) -> bool {
    matches!(error, DatabaseError::Unreachable { .. } | DatabaseError::Login { .. })
}

fn texts_query(table: &Table, columns: &[&Column], limits: &ValueLimits, dialect: Dialect) -> String {
    let name = table_name(&table.name, dialect);
    // One character more than is kept shows that something was left out.
    let text = beginning("s.v", limits.length + 1, dialect);
    let parts = columns.iter().enumerate().map(|(at, column)| {
        let column = column_name(&column.name, dialect);
        format!(
            "(SELECT {at}, v FROM (SELECT DISTINCT {text} AS v \
             FROM (SELECT t.{column} AS v FROM {name} AS t LIMIT {SCANNED}) AS s) AS d \
             WHERE v IS NOT NULL ORDER BY v LIMIT {})",
            limits.per_column + 1
        )
    });
    parts.collect::<Vec<_>>().join(" UNION ALL ")
}
