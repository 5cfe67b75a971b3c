//! The schema, by `INFORMATION_SCHEMA`; samples, by listing table data.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use super::address::Address;
use super::http::{Http, Request, encoded};
use super::query;
use super::values::{self, family};
use super::wire::{Field, TableData, TableList};
use crate::{ColumnValues, DatabaseError, Limits, ValueLimits};
use sqlogue_sql::schema::{Column, ColumnType, ForeignKey, Schema, Table, TableKind, Value};

/// The time for reading a schema, and for samples.
const INTROSPECTION: Duration = Duration::from_secs(60);
const SAMPLING: Duration = Duration::from_secs(10);

/// How many rows are looked at for samples, how many samples a column keeps, and how long they may be.
const ROWS: usize = 50;
const SAMPLES: usize = 5;
const SAMPLE_LENGTH: usize = 60;

/// How many rows of a table are listed for texts.
const LISTED: usize = 2_000;

/// The most tables that are listed.
const TABLES: usize = 10_000;

/// A text that changes when tables come and go. Changes of columns are not noticed by it; BigQuery has no cheap way
/// to ask for them.
pub(super) async fn version(http: &Http, address: &Address) -> Result<String, DatabaseError> {
    let mut hasher = DefaultHasher::new();
    let (mut token, mut count) = (None, 0);
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let mut query = vec![("maxResults", "1000".to_owned())];
        query.extend(token.take().map(|token| ("pageToken", token)));
        let path = format!("/projects/{}/datasets/{}/tables", address.project, address.dataset);
        let list: TableList = http.call(&Request { path, query, body: None }, "", deadline).await?;
        count += list.tables.len();
        for table in &list.tables {
            (&table.table_reference.table_id, &table.creation_time).hash(&mut hasher);
        }
        token = list.next_page_token;
        if token.is_none() || count > TABLES {
            return Ok(format!("{count}-{:016x}", hasher.finish()));
        }
    }
}

/// The views of a dataset that describe it.
struct Views<'a> {
    http: &'a Http,
    address: &'a Address,
    deadline: Instant,
}

impl Views<'_> {
    /// The rows of a query in which `{}` stands for the view.
    async fn read(&self, view: &str, sql: &str) -> Result<Vec<Vec<Value>>, DatabaseError> {
        let Address { project, dataset, .. } = self.address;
        let sql = sql.replace("{}", &format!("`{project}.{dataset}.INFORMATION_SCHEMA.{view}`"));
        let limits = Limits { rows: 500_000, bytes: 128 << 20, deadline: INTROSPECTION };
        Ok(query::run(self.http, self.address, &sql, &limits, self.deadline).await?.rows)
    }
}

/// The dataset's tables, columns, keys and descriptions, with samples.
pub(super) async fn schema(http: &Http, address: &Address) -> Result<Schema, DatabaseError> {
    let views = Views { http, address, deadline: Instant::now() + INTROSPECTION };
    let mut schema = Schema::default();
    let tables = views
        .read("TABLES", "SELECT table_name, table_type FROM {} ORDER BY creation_time, table_name")
        .await?;
    for row in tables {
        let [name, kind] = texts_of(&row);
        let kind = if kind.contains("VIEW") { TableKind::View } else { TableKind::Table };
        schema.tables.push(Table { name, kind, ..Table::default() });
    }
    let columns = "SELECT table_name, column_name, data_type, is_nullable FROM {} \
                   WHERE is_hidden = 'NO' ORDER BY table_name, ordinal_position";
    for row in views.read("COLUMNS", columns).await? {
        let [table, name, declared_type, nullable] = texts_of(&row);
        if let Some(table) = exact(&mut schema, &table) {
            let column_type = family(&declared_type);
            let nullable = nullable != "NO";
            table.columns.push(Column { name, declared_type, column_type, nullable, ..Column::default() });
        }
    }
    schema.tables.retain(|table| !table.columns.is_empty());
    // What follows is worth having, but nothing is lost where it cannot be read.
    let descriptions = "SELECT table_name, column_name, description FROM {} \
                        WHERE field_path = column_name AND description IS NOT NULL AND description <> ''";
    for row in views.read("COLUMN_FIELD_PATHS", descriptions).await.unwrap_or_default() {
        let [table, column, description] = texts_of(&row);
        let table = exact(&mut schema, &table);
        if let Some(column) =
            table.and_then(|table| table.columns.iter_mut().find(|known| known.name == column))
        {
            column.description = Some(description);
        }
    }
    let options = "SELECT table_name, option_value FROM {} WHERE option_name = 'description'";
    for row in views.read("TABLE_OPTIONS", options).await.unwrap_or_default() {
        let [table, literal] = texts_of(&row);
        if let Some(table) = exact(&mut schema, &table) {
            table.description = Some(unquoted(&literal)).filter(|text| !text.is_empty());
        }
    }
    keys(&views, &mut schema).await;
    samples(http, address, &mut schema).await;
    Ok(schema)
}

/// Keys, which BigQuery keeps but does not enforce.
async fn keys(views: &Views<'_>, schema: &mut Schema) {
    let used = "SELECT constraint_name, table_name, column_name, CAST(position_in_unique_constraint AS STRING) \
                FROM {} ORDER BY constraint_name, ordinal_position";
    let referred = "SELECT constraint_name, table_name, column_name FROM {}";
    let Ok(used) = views.read("KEY_COLUMN_USAGE", used).await else { return };
    if used.is_empty() {
        return;
    }
    let referred = views.read("CONSTRAINT_COLUMN_USAGE", referred).await.unwrap_or_default();
    let mut targets: HashMap<String, (String, Vec<String>)> = HashMap::new();
    for row in &referred {
        let [name, table, column] = texts_of(row);
        targets.entry(name).or_insert_with(|| (table, Vec::new())).1.push(column);
    }
    let mut sources: Vec<(String, String, Vec<String>, bool)> = Vec::new();
    for row in &used {
        let [name, table, column, position] = texts_of(row);
        match sources.last_mut() {
            Some((last, _, columns, _)) if *last == name => columns.push(column),
            _ => sources.push((name, table, vec![column], !position.is_empty())),
        }
    }
    for (name, table, columns, is_foreign) in &sources {
        if !is_foreign {
            if let Some(table) = exact(schema, table) {
                for column in table.columns.iter_mut().filter(|column| columns.contains(&column.name)) {
                    column.primary_key = true;
                    column.unique |= columns.len() == 1;
                }
            }
            continue;
        }
        let Some((target, references)) = targets.get(name) else { continue };
        let key = ForeignKey {
            columns: columns.clone(),
            table: target.clone(),
            references: references.clone(),
            declared: true,
            ..ForeignKey::default()
        };
        if key.columns.len() == key.references.len()
            && let Some(table) = exact(schema, table)
        {
            table.foreign_keys.push(key);
        }
    }
}

/// Adds samples from the listing of table data. Views have none, because they would have to be computed and billed.
async fn samples(http: &Http, address: &Address, schema: &mut Schema) {
    let deadline = Instant::now() + SAMPLING;
    for table in schema.tables.iter_mut().filter(|table| table.kind == TableKind::Table) {
        let Ok(rows) = listed(http, address, table, ROWS, deadline).await else { return };
        if rows.len() < ROWS {
            table.row_count = Some(rows.len() as u64);
        }
        for row in rows {
            for (column, value) in table.columns.iter_mut().zip(row) {
                let fits = match &value {
                    Value::Text(text) => {
                        column.column_type != ColumnType::Other
                            && !text.is_empty()
                            && text.len() <= SAMPLE_LENGTH
                    }
                    Value::Null | Value::Blob(_) => false,
                    Value::Boolean(_) | Value::Integer(_) | Value::Real(_) => true,
                };
                if fits && column.samples.len() < SAMPLES && !column.samples.contains(&value) {
                    column.samples.push(value);
                }
            }
        }
    }
}

/// The first rows of a table, for nothing.
async fn listed(
    http: &Http,
    address: &Address,
    table: &Table,
    most: usize,
    deadline: Instant,
) -> Result<Vec<Vec<Value>>, DatabaseError> {
    let path = format!(
        "/projects/{}/datasets/{}/tables/{}/data",
        address.project,
        address.dataset,
        encoded(&table.name)
    );
    let query =
        vec![("maxResults", most.to_string()), ("formatOptions.useInt64Timestamp", "true".to_owned())];
    let data: TableData = http.call(&Request { path, query, body: None }, "", deadline).await?;
    // Nested columns are shown to nobody here, so their fields need not be known.
    let fields: Vec<Field> = table
        .columns
        .iter()
        .map(|column| {
            let kind = column.declared_type.split('(').next().unwrap_or_default().to_owned();
            Field { name: column.name.clone(), kind, ..Field::default() }
        })
        .collect();
    Ok(data.rows.into_iter().map(|row| values::row(&fields, row)).collect())
}

/// The first rows of some columns, listed for nothing and not queried. Views have none, because they would be billed.
pub(super) async fn peek(
    http: &Http,
    address: &Address,
    table: &Table,
    columns: &[&str],
    rows: usize,
    deadline: Instant,
) -> Result<Vec<Vec<Value>>, DatabaseError> {
    if table.kind == TableKind::View {
        return Ok(Vec::new());
    }
    let places: Vec<usize> = columns
        .iter()
        .filter_map(|name| table.columns.iter().position(|column| column.name == *name))
        .collect();
    let rows = listed(http, address, table, rows.min(LISTED), deadline).await?;
    let some =
        |row: Vec<Value>| places.iter().map(|at| row.get(*at).cloned().unwrap_or(Value::Null)).collect();
    Ok(rows.into_iter().map(some).collect())
}

/// The most frequent values of a column. This is a query like others, with its price.
pub(super) async fn frequent(
    http: &Http,
    address: &Address,
    table: &str,
    column: &str,
    limit: usize,
) -> Result<Vec<(Value, u64)>, DatabaseError> {
    let sql = format!(
        "SELECT {column} AS v, COUNT(*) AS n FROM {table} WHERE {column} IS NOT NULL GROUP BY v ORDER BY n DESC, v LIMIT {limit}",
        column = quoted(column),
        table = quoted(table),
    );
    let limits = Limits { deadline: Duration::from_secs(20), ..Limits::default() };
    let deadline = Instant::now() + limits.deadline;
    query::check(http, address, &sql, deadline).await?;
    let rows = query::run(http, address, &sql, &limits, deadline).await?;
    let pairs = rows.rows.into_iter().filter_map(|row| match row.as_slice() {
        [value, Value::Integer(count)] => Some((value.clone(), count.unsigned_abs())),
        _ => None,
    });
    Ok(pairs.collect())
}

/// Texts among the first rows of each table.
pub(super) async fn texts(
    http: &Http,
    address: &Address,
    schema: &Schema,
    limits: &ValueLimits,
) -> Result<Vec<ColumnValues>, DatabaseError> {
    let deadline = Instant::now() + limits.deadline;
    let mut found = Vec::new();
    let mut bytes = 0;
    for table in schema.tables.iter().filter(|table| table.kind == TableKind::Table) {
        if Instant::now() >= deadline || bytes > limits.bytes {
            break;
        }
        let Ok(rows) = listed(http, address, table, LISTED, deadline).await else { continue };
        let is_whole = rows.len() < LISTED;
        let columns = table.columns.iter().enumerate();
        for (at, column) in columns.filter(|(_, column)| column.column_type == ColumnType::Text) {
            let mut values: Vec<String> = Vec::new();
            let mut seen = std::collections::HashSet::new();
            let mut complete = is_whole;
            for text in rows.iter().filter_map(|row| row.get(at)?.as_str()).filter(|text| !text.is_empty()) {
                if text.len() > limits.length || values.len() >= limits.per_column {
                    complete = false;
                } else if seen.insert(text) {
                    bytes += text.len();
                    values.push(text.to_owned());
                }
            }
            found.push(ColumnValues {
                table: table.name.clone(),
                column: column.name.clone(),
                values,
                complete,
            });
        }
    }
    Ok(found)
}

fn exact<'a>(schema: &'a mut Schema, name: &str) -> Option<&'a mut Table> {
    schema.tables.iter_mut().find(|table| table.name == name)
}

/// The first cells of a row as texts; NULL is empty.
fn texts_of<const N: usize>(row: &[Value]) -> [String; N] {
    std::array::from_fn(|at| match row.get(at) {
        None | Some(Value::Null) => String::new(),
        Some(value) => value.to_string(),
    })
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

/// The text of a literal in double quotes.
fn unquoted(literal: &str) -> String {
    serde_json::from_str(literal).unwrap_or_else(|_| literal.trim_matches('"').to_owned())
}
