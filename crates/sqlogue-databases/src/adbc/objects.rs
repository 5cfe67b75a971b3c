//! The schema of any database, as its driver tells it.

use std::sync::{Arc, PoisonError};

use adbc_core::Connection as _;
use adbc_core::error::Error;
use adbc_core::options::ObjectDepth;
use adbc_driver_manager::ManagedConnection;
use arrow_array::Array as _;
use arrow_schema::DataType;
use serde::Deserialize;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};

use super::address::Kind;
use super::errors;
use super::session::Connector;
use super::values;
use crate::DatabaseError;
use crate::flight::Connect as _;
use crate::pooled::{INTROSPECTION, Pooled};
use sqlogue_sql::schema::{Column, ColumnType, ForeignKey, Schema, Table, TableKind};

/// How many tables are read at most: each costs a call of the driver.
const TABLES: usize = 500;

/// Schemas that databases have for themselves.
const INNER: [&str; 4] = ["information_schema", "pg_catalog", "performance_schema", "sys"];

/// What the driver's list of objects has of a catalog, and of all that is in it. Names are ADBC's.
#[derive(Deserialize)]
struct Catalog {
    catalog_name: Option<String>,
    catalog_db_schemas: Option<Vec<DbSchema>>,
}

#[derive(Deserialize)]
struct DbSchema {
    db_schema_name: Option<String>,
    db_schema_tables: Option<Vec<Listed>>,
}

#[derive(Deserialize)]
struct Listed {
    table_name: String,
    table_type: Option<String>,
    table_columns: Option<Vec<ListedColumn>>,
    table_constraints: Option<Vec<Constraint>>,
}

#[derive(Deserialize)]
struct ListedColumn {
    column_name: String,
    remarks: Option<String>,
    xdbc_type_name: Option<String>,
}

#[derive(Deserialize)]
struct Constraint {
    constraint_type: Option<String>,
    constraint_column_names: Option<Vec<String>>,
    constraint_column_usage: Option<Vec<Usage>>,
}

#[derive(Deserialize)]
struct Usage {
    fk_table: Option<String>,
    fk_column_name: Option<String>,
}

/// The schema without samples.
pub(super) async fn schema(database: &Pooled<Connector>) -> Result<Schema, DatabaseError> {
    let name = database.engine().name().to_owned();
    let deadline = Instant::now() + INTROSPECTION;
    let mut flight = database.begin(deadline, INTROSPECTION).await?;
    let Some(session) = flight.session() else { return Err(DatabaseError::Cancelled) };
    let connection = Arc::clone(&session.connection);
    let work = spawn_blocking(move || read(&mut connection.lock().unwrap_or_else(PoisonError::into_inner)));
    match timeout_at(deadline, work).await {
        Err(_) => Err(DatabaseError::Deadline { limit: INTROSPECTION }),
        Ok(Err(error)) => Err(DatabaseError::Failed { name, message: error.to_string() }),
        Ok(Ok(Err(error))) => Err(errors::of(&error, &name, Kind::Driver, INTROSPECTION)),
        Ok(Ok(Ok(schema))) => {
            flight.landed();
            Ok(schema)
        }
    }
}

fn read(connection: &mut ManagedConnection) -> Result<Schema, Error> {
    let mut catalogs: Vec<Catalog> = Vec::new();
    for batch in connection.get_objects(ObjectDepth::All, None, None, None, None, None)? {
        let rows = arrow_array::StructArray::from(batch?);
        let read = (0..rows.len()).filter_map(|at| serde_json::from_value(values::json(&rows, at)?).ok());
        catalogs.extend(read);
    }
    let mut tables = Vec::new();
    // Where there are several schemas, names say which.
    let places: usize = catalogs.iter().map(|catalog| shown(catalog).count()).sum();
    for catalog in &catalogs {
        for schema in shown(catalog) {
            for listed in schema.db_schema_tables.iter().flatten().take(TABLES.saturating_sub(tables.len())) {
                let place = (catalog.catalog_name.as_deref(), schema.db_schema_name.as_deref());
                tables.extend(table(connection, listed, place, places > 1));
            }
        }
    }
    let names: Vec<String> = tables.iter().map(|table: &Table| table.name.clone()).collect();
    for table in &mut tables {
        table.foreign_keys.retain(|key| names.contains(&key.table));
    }
    Ok(Schema { tables })
}

/// The schemas of a catalog that have tables of people's.
fn shown(catalog: &Catalog) -> impl Iterator<Item = &DbSchema> {
    let schemas = catalog.catalog_db_schemas.iter().flatten();
    schemas.filter(|schema| {
        let name = schema.db_schema_name.as_deref().unwrap_or_default().to_ascii_lowercase();
        !INNER.contains(&name.as_str()) && schema.db_schema_tables.iter().flatten().next().is_some()
    })
}

fn table(
    connection: &ManagedConnection,
    listed: &Listed,
    (catalog, schema): (Option<&str>, Option<&str>),
    is_qualified: bool,
) -> Option<Table> {
    let kind = listed.table_type.as_deref().unwrap_or("table").to_ascii_lowercase();
    if listed.table_name.contains('.') || kind.contains("system") || kind.contains("index") {
        return None;
    }
    let qualified = |table: &str| match schema {
        Some(schema) if is_qualified && !schema.is_empty() => format!("{schema}.{table}"),
        _ => table.to_owned(),
    };
    let types = connection.get_table_schema(catalog, schema, &listed.table_name).ok();
    let columns = listed.table_columns.iter().flatten().map(|column| {
        let field = types.as_ref().and_then(|types| types.field_with_name(&column.column_name).ok());
        Column {
            name: column.column_name.clone(),
            column_type: field.map_or(ColumnType::Other, |field| family(field.data_type())),
            declared_type: column.xdbc_type_name.clone().unwrap_or_default(),
            nullable: field.is_none_or(arrow_schema::Field::is_nullable),
            description: column.remarks.clone().filter(|remark| !remark.is_empty()),
            ..Column::default()
        }
    });
    let mut table = Table {
        name: qualified(&listed.table_name),
        kind: if kind.contains("view") { TableKind::View } else { TableKind::Table },
        columns: columns.collect(),
        ..Table::default()
    };
    for constraint in listed.table_constraints.iter().flatten() {
        keep(&mut table, constraint, &qualified);
    }
    (!table.columns.is_empty()).then_some(table)
}

/// Marks the columns of a key, or keeps where it leads.
fn keep(table: &mut Table, constraint: &Constraint, qualified: &dyn Fn(&str) -> String) {
    let columns = constraint.constraint_column_names.clone().unwrap_or_default();
    let kind = constraint.constraint_type.as_deref().unwrap_or_default();
    if kind == "FOREIGN KEY" {
        let usage = constraint.constraint_column_usage.as_deref().unwrap_or_default();
        let Some(target) = usage.first().and_then(|usage| usage.fk_table.as_deref()) else { return };
        let references: Vec<String> = usage.iter().filter_map(|usage| usage.fk_column_name.clone()).collect();
        if references.len() == columns.len() {
            let key = ForeignKey {
                columns,
                table: qualified(target),
                references,
                declared: true,
                ..ForeignKey::default()
            };
            table.foreign_keys.push(key);
        }
        return;
    }
    for column in table.columns.iter_mut().filter(|column| columns.contains(&column.name)) {
        column.primary_key |= kind == "PRIMARY KEY";
        column.unique |= columns.len() == 1 && matches!(kind, "PRIMARY KEY" | "UNIQUE");
    }
}

/// The family of a type of Arrow.
fn family(kind: &DataType) -> ColumnType {
    match kind {
        DataType::Boolean => ColumnType::Boolean,
        DataType::Decimal128(_, 0) => ColumnType::Integer,
        kind if kind.is_integer() => ColumnType::Integer,
        kind if kind.is_numeric() => ColumnType::Real,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => ColumnType::Text,
        DataType::Dictionary(_, values) => family(values),
        DataType::Date32 | DataType::Date64 => ColumnType::Date,
        DataType::Timestamp(_, _) => ColumnType::DateTime,
        DataType::Time32(_) | DataType::Time64(_) => ColumnType::Time,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            ColumnType::Blob
        }
        _ => ColumnType::Other,
    }
}
