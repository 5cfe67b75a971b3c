//! The schema as SQLite knows it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::errors::Failure;
use super::query::{value, was_interrupted, within};
use super::types;
use super::values::quoted;
use sqlogue_sql::schema::{Column, ForeignKey, Schema, Table, TableKind, Value};

/// How many rows of a table are looked at for types and samples.
const ROWS: usize = 200;

/// How many samples a column keeps, and how long they may be.
const SAMPLES: usize = 5;
const SAMPLE_LENGTH: usize = 60;

/// Up to how many rows a table's are counted; counting more takes too long.
const COUNTED: u64 = 5_000_000;

/// The time for counting and sampling: of one table, and of all. A table not reached keeps its declared types.
const ONE_TABLE: Duration = Duration::from_millis(100);
const ALL_TABLES: Duration = Duration::from_secs(2);

/// A number that changes with the schema.
pub(super) fn schema_version(connection: &Connection) -> Result<i64, Failure> {
    Ok(connection.query_row("PRAGMA schema_version", [], |row| row.get(0))?)
}

/// A number that changes when another connection has written.
pub(super) fn content_version(connection: &Connection) -> Result<i64, Failure> {
    Ok(connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
}

/// A number that differs where the statements differ by which the tables were made.
pub(super) fn fingerprint(connection: &Connection) -> rusqlite::Result<u64> {
    let mut hasher = DefaultHasher::new();
    let mut statement = connection.prepare("SELECT name, sql FROM sqlite_schema")?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        for at in 0..2 {
            row.get_ref(at)?.as_bytes_or_null()?.hash(&mut hasher);
        }
    }
    Ok(hasher.finish())
}

/// Reads the schema, within a transaction, so that all of it is one state. Rows are counted where `counts` does not say how many
/// there are.
pub(super) fn schema(connection: &mut Connection, counts: &HashMap<String, u64>) -> Result<Schema, Failure> {
    let mut tables = tables(connection)?;
    let columns = columns(connection)?;
    let uniques = uniques(connection)?;
    for (table, table_columns) in columns {
        if let Some(table) = tables.iter_mut().find(|known| known.name == table) {
            table.columns = table_columns;
        }
    }
    tables.retain(|table| !table.columns.is_empty());
    for table in &mut tables {
        let keys = table.primary_key().count();
        for column in &mut table.columns {
            column.unique = (column.primary_key && keys == 1)
                || uniques.get(&table.name).is_some_and(|unique| unique.contains(&column.name));
        }
    }
    foreign_keys(connection, &mut tables)?;
    let started = Instant::now();
    for table in &mut tables {
        if started.elapsed() < ALL_TABLES {
            look_inside(connection, table, counts.get(&table.name).copied())?;
        }
        for column in &mut table.columns {
            column.column_type = types::family(&column.declared_type, &column.samples);
            keep_samples(&mut column.samples);
        }
    }
    Ok(Schema { tables })
}

/// Tables and views in the order in which they were made; SQLite's own and those behind virtual tables left out.
fn tables(connection: &Connection) -> Result<Vec<Table>, Failure> {
    let mut statement = connection.prepare(
        "SELECT list.name, list.type FROM pragma_table_list AS list JOIN sqlite_schema AS made ON made.name = list.name \
         WHERE list.schema = 'main' AND list.type IN ('table', 'view', 'virtual') AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         ORDER BY made.rowid",
    )?;
    let tables = statement.query_map([], |row| {
        let kind = if row.get_ref(1)?.as_bytes()? == b"view" { TableKind::View } else { TableKind::Table };
        Ok(Table { name: lossy(row, 0)?, kind, ..Table::default() })
    })?;
    Ok(tables.collect::<Result<_, _>>()?)
}

/// The columns of all tables and views, in one query, because a thousand queries take a second.
fn columns(connection: &Connection) -> Result<Vec<(String, Vec<Column>)>, Failure> {
    let all = "SELECT made.name, info.name, info.type, info.\"notnull\", info.pk, info.hidden \
               FROM sqlite_schema AS made JOIN pragma_table_xinfo(made.name) AS info \
               WHERE made.type IN ('table', 'view')";
    let mut columns = Vec::new();
    if read_columns(connection, all, &mut columns).is_ok() {
        return Ok(columns);
    }
    // A view whose tables are gone, or a virtual table whose module is not here, fails the whole; the others
    // are still worth having.
    columns.clear();
    let mut statement =
        connection.prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")?;
    let names: Vec<String> = statement.query_map([], |row| lossy(row, 0))?.collect::<Result<_, _>>()?;
    for name in names {
        let one = format!("{all} AND made.name = '{}'", name.replace('\'', "''"));
        if let Err(failure) = read_columns(connection, &one, &mut columns) {
            tracing::warn!(?failure, "a table or view was left out of the schema because it cannot be read");
        }
    }
    Ok(columns)
}

fn read_columns(
    connection: &Connection,
    sql: &str,
    columns: &mut Vec<(String, Vec<Column>)>,
) -> Result<(), Failure> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        let table = lossy(row, 0)?;
        let (not_null, key, hidden): (bool, i64, i64) = (row.get(3)?, row.get(4)?, row.get(5)?);
        // Hidden columns of virtual tables are parameters; generated columns (2 and 3) are columns like others.
        if hidden == 1 {
            continue;
        }
        let column = Column {
            name: lossy(row, 1)?,
            declared_type: lossy(row, 2)?,
            nullable: !not_null && key == 0,
            primary_key: key > 0,
            ..Column::default()
        };
        match columns.last_mut() {
            Some((last, all)) if *last == table => all.push(column),
            _ => columns.push((table, vec![column])),
        }
    }
    Ok(())
}

/// The columns that a unique index of their own keeps free of duplicates, by table.
fn uniques(connection: &Connection) -> Result<HashMap<String, Vec<String>>, Failure> {
    let mut statement = connection.prepare(
        "SELECT made.name, max(part.name) FROM sqlite_schema AS made JOIN pragma_index_list(made.name) AS list \
         JOIN pragma_index_info(list.name) AS part \
         WHERE made.type = 'table' AND list.\"unique\" AND NOT list.partial \
         GROUP BY made.name, list.name HAVING count(*) = 1 AND max(part.name) IS NOT NULL",
    )?;
    let mut uniques: HashMap<String, Vec<String>> = HashMap::new();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        uniques.entry(lossy(row, 0)?).or_default().push(lossy(row, 1)?);
    }
    Ok(uniques)
}

/// The declared foreign keys whose tables and columns are there, in schema spelling.
fn foreign_keys(connection: &Connection, tables: &mut [Table]) -> Result<(), Failure> {
    let mut statement = connection.prepare(
        "SELECT made.name, list.id, list.\"table\", list.\"from\", list.\"to\" FROM sqlite_schema AS made \
         JOIN pragma_foreign_key_list(made.name) AS list WHERE made.type = 'table' \
         ORDER BY made.rowid, list.id DESC, list.seq",
    )?;
    // SQLite numbers keys from the last declared to the first.
    let mut found: Vec<(String, i64, ForeignKey)> = Vec::new();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        let (table, id, target, from) = (lossy(row, 0)?, row.get(1)?, lossy(row, 2)?, lossy(row, 3)?);
        let to = if row.get_ref(4)? != ValueRef::Null { Some(lossy(row, 4)?) } else { None };
        let same = found.last().is_some_and(|(last, last_id, _)| *last == table && *last_id == id);
        if !same {
            let key = ForeignKey {
                columns: Vec::new(),
                table: target,
                references: Vec::new(),
                declared: true,
                ..ForeignKey::default()
            };
            found.push((table, id, key));
        }
        if let Some((_, _, key)) = found.last_mut() {
            key.columns.push(from);
            key.references.extend(to);
        }
    }
    for (table, _, key) in found {
        let Some(key) = spelled(key, &table, tables) else { continue };
        if let Some(table) = tables.iter_mut().find(|known| known.name == table)
            && !table.foreign_keys.contains(&key)
        {
            table.foreign_keys.push(key);
        }
    }
    Ok(())
}

/// The key with names as the schema spells them; none where a name is not there.
fn spelled(mut key: ForeignKey, table: &str, tables: &[Table]) -> Option<ForeignKey> {
    let from = tables.iter().find(|known| known.name == table)?;
    let to = tables.iter().find(|known| known.name.eq_ignore_ascii_case(&key.table))?;
    // A key that names no columns means the primary key.
    if key.references.is_empty() {
        key.references = to.primary_key().map(|column| column.name.clone()).collect();
    }
    let spell = |names: &[String], table: &Table| -> Option<Vec<String>> {
        names.iter().map(|name| table.column(name).map(|column| column.name.clone())).collect()
    };
    let (columns, references) = (spell(&key.columns, from)?, spell(&key.references, to)?);
    let is_whole = !columns.is_empty() && columns.len() == references.len();
    is_whole.then(|| ForeignKey {
        columns,
        table: to.name.clone(),
        references,
        declared: true,
        ..ForeignKey::default()
    })
}

/// Counts rows, where nobody did, and collects values. A table that takes too long or cannot be read is left as declared.
fn look_inside(connection: &mut Connection, table: &mut Table, counted: Option<u64>) -> Result<(), Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let result = within(connection, Instant::now(), ONE_TABLE, &stop, |connection| sample(connection, table));
    let result = result.and_then(|()| {
        within(connection, Instant::now(), ONE_TABLE, &stop, |connection| widest(connection, table))
    });
    match result {
        Err(failure) if !was_interrupted(&failure) => {
            tracing::debug!(table = table.name, ?failure, "no samples of the table");
        }
        _ => {}
    }
    table.row_count = counted;
    if counted.is_some() {
        return Ok(());
    }
    let result = within(connection, Instant::now(), ONE_TABLE, &stop, |connection| {
        let name = quoted(&table.name);
        let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {name} LIMIT {})", COUNTED + 1);
        Ok(connection.query_row(&sql, [], |row| row.get::<_, i64>(0))?.unsigned_abs())
    });
    table.row_count = result.ok().filter(|count| *count <= COUNTED);
    Ok(())
}

fn sample(connection: &Connection, table: &mut Table) -> Result<(), Failure> {
    let names: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
    let sql = format!("SELECT {} FROM {} LIMIT {ROWS}", names.join(", "), quoted(&table.name));
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        for (at, column) in table.columns.iter_mut().enumerate() {
            let value = value(row.get_ref(at)?);
            // Types are judged by more values than are kept; a few dozen are enough for that.
            if !value.is_null() && column.samples.len() < 40 && !column.samples.contains(&value) {
                column.samples.push(value);
            }
        }
    }
    Ok(())
}

/// Adds the greatest number of each column of which the first rows hold nothing but 0 and 1: three medals make it no yes or no.
fn widest(connection: &Connection, table: &mut Table) -> Result<(), Failure> {
    let is_bit = |value: &Value| matches!(value, Value::Integer(0 | 1));
    let mut bits: Vec<&mut Column> = table
        .columns
        .iter_mut()
        .filter(|column| !column.samples.is_empty() && column.samples.iter().all(is_bit))
        .collect();
    if bits.is_empty() {
        return Ok(());
    }
    let greatest: Vec<String> = bits.iter().map(|column| format!("max({})", quoted(&column.name))).collect();
    let sql = format!("SELECT {} FROM {}", greatest.join(", "), quoted(&table.name));
    let found: Vec<Value> = connection
        .query_row(&sql, [], |row| (0..bits.len()).map(|at| Ok(value(row.get_ref(at)?))).collect())?;
    for (column, value) in bits.iter_mut().zip(found) {
        if !value.is_null() && !column.samples.contains(&value) {
            column.samples.push(value);
        }
    }
    Ok(())
}

fn keep_samples(samples: &mut Vec<Value>) {
    samples.retain(|value| match value {
        Value::Text(text) => !text.is_empty() && text.len() <= SAMPLE_LENGTH,
        Value::Blob(_) | Value::Null => false,
        Value::Boolean(_) | Value::Integer(_) | Value::Real(_) => true,
    });
    samples.truncate(SAMPLES);
    samples.shrink_to_fit();
}

fn lossy(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<String> {
    let bytes = row.get_ref(at)?.as_bytes_or_null()?.unwrap_or_default();
    Ok(String::from_utf8_lossy(bytes).into_owned())
}
