//! DuckDB: opened so that it reads the files that were named, and nothing else.
//!
//! A database file is opened read-only. Of other files there are views in a database in memory. Then the walls go up, which
//! nothing takes down again while the database is open: no access to files and the network but for the named ones, no
//! extensions, no change of settings. Each query runs in a read-only transaction beside that.

use std::path::{Path, PathBuf};

use adbc_core::error::Error;
use adbc_core::options::{OptionDatabase, OptionValue};
use adbc_core::{Connection as _, Database as _, Driver as _, Statement as _};
use adbc_driver_manager::{ManagedConnection, ManagedDatabase, ManagedDriver};
use tempfile::TempDir;

use super::address::{Address, Kind, wrong};
use super::errors;
use super::files::{self, Group};
use super::query::execute;
use super::session::Connector;
use super::values::Reading;
use crate::DatabaseError;
use crate::pooled::{INTROSPECTION, Pooled};
use crate::sampling::Asked as _;
use sqlogue_sql::schema::{Column, ColumnType, ForeignKey, Schema, Table, TableKind, Value};
use sqlogue_sql::sql::{Dialect, functions, quote};

/// How many files make a database at most.
const FILES: usize = 10_000;

/// How many labels of an enumeration are kept as samples of its columns.
const LABELS: usize = 20;

/// What DuckDB is told when it opens anything.
const SETTINGS: [(&str, &str); 5] = [
    ("autoinstall_known_extensions", "false"),
    ("autoload_known_extensions", "false"),
    ("allow_community_extensions", "false"),
    ("allow_unsigned_extensions", "false"),
    ("max_temp_directory_size", "20GB"),
];

/// A database that is open, behind its walls.
pub(super) struct Ready {
    pub(super) database: ManagedDatabase,
    pub(super) files: Vec<PathBuf>,
    pub(super) rows: Vec<(String, u64)>,
    pub(super) impostors: Vec<String>,
    pub(super) spill: TempDir,
}

/// Opens what an address names.
pub(super) fn open(driver: &mut ManagedDriver, address: &Address) -> Result<Ready, DatabaseError> {
    let failed = |error: Error| errors::of(&error, &address.name, Kind::DuckDb, INTROSPECTION);
    let broken = |error: std::io::Error| DatabaseError::Failed {
        name: address.name.clone(),
        message: format!("there is no room for its temporary files: {error}"),
    };
    let spill = tempfile::Builder::new().prefix("sqlogue-").tempdir().map_err(broken)?;
    let path = Path::new(&address.path);
    let file = (path.is_file() && files::reader(path).is_none()).then_some(path);
    let mut options: Vec<(String, String)> =
        SETTINGS.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    options.extend(address.options.iter().cloned());
    options.push(("temp_directory".into(), spill.path().to_string_lossy().into_owned()));
    if let Some(file) = file {
        refuse_other_files(file)?;
        options.push(("path".into(), file.to_string_lossy().into_owned()));
        options.push(("access_mode".into(), "READ_ONLY".into()));
        options.push(("enable_external_access".into(), "false".into()));
    }
    let options = options
        .into_iter()
        .map(|(key, value)| (OptionDatabase::from(key.as_str()), OptionValue::String(value)));
    let database = driver.new_database_with_opts(options).map_err(|error| unopened(&error, address))?;
    let mut connection = database.new_connection().map_err(failed)?;
    let (mut files, mut rows) = (Vec::new(), Vec::new());
    if file.is_none() {
        files = find(&mut connection, &address.path)?;
        for group in files::groups(&files) {
            rows.extend(view(&mut connection, &group).map_err(|error| unreadable(&group, &error))?);
        }
    }
    for wall in walls(&files, file.is_some()) {
        execute(&mut connection, &wall).map_err(failed)?;
    }
    let macros =
        ask(&mut connection, "SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal");
    let macros = macros.map_err(failed)?.into_iter().flatten().map(|name| name.to_string().to_lowercase());
    let impostors = macros.filter(|name| functions::is_allowed(name, Dialect::DuckDb)).collect();
    Ok(Ready { database, files, rows, impostors, spill })
}

/// A file that another program reads is not one of DuckDB's, and DuckDB would take some of them.
fn refuse_other_files(file: &Path) -> Result<(), DatabaseError> {
    let mut first = [0_u8; 16];
    let read = std::fs::File::open(file).and_then(|mut file| std::io::Read::read(&mut file, &mut first));
    let path = || file.to_string_lossy().into_owned();
    match read {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(DatabaseError::Permission { path: path() })
        }
        Err(error) => Err(DatabaseError::Unreadable { path: path(), problem: error.to_string() }),
        Ok(0) => Err(DatabaseError::Empty { path: path() }),
        // Where DuckDB writes its name.
        Ok(_) if first.get(8..12) != Some(b"DUCK") => {
            let problem = if first.starts_with(b"SQLite format 3") {
                "it is a SQLite database; give its path without `duckdb:`"
            } else {
                "it is no DuckDB database"
            };
            Err(DatabaseError::Unreadable { path: path(), problem: problem.into() })
        }
        Ok(_) => Ok(()),
    }
}

fn unopened(error: &Error, address: &Address) -> DatabaseError {
    match errors::of(error, &address.name, Kind::DuckDb, INTROSPECTION) {
        DatabaseError::Query { message, .. } | DatabaseError::Failed { message, .. } => {
            DatabaseError::Unreadable { path: address.path.clone(), problem: message }
        }
        other => other,
    }
}

fn unreadable(group: &Group, error: &Error) -> DatabaseError {
    let path = group.files.first().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
    DatabaseError::Unreadable { path, problem: errors::printable(&error.message) }
}

/// The files that a path or pattern means: itself, those in a folder, or those that match.
fn find(connection: &mut ManagedConnection, path: &str) -> Result<Vec<PathBuf>, DatabaseError> {
    let named = Path::new(path);
    let missing = || DatabaseError::NotFound { path: path.to_owned() };
    let found: Vec<PathBuf> = if named.is_file() {
        vec![named.to_path_buf()]
    } else if named.is_dir() {
        let entries =
            std::fs::read_dir(named).map_err(|_| DatabaseError::Permission { path: path.to_owned() })?;
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file()).collect()
    } else if path.contains(['*', '?', '[']) {
        let mut sql = "SELECT file FROM glob(".to_owned();
        quote::string(&mut sql, path, Dialect::DuckDb);
        let rows = ask(connection, &format!("{sql}) LIMIT {}", FILES + 1)).map_err(|_| missing())?;
        rows.into_iter().flatten().map(|file| PathBuf::from(file.to_string())).collect()
    } else {
        return Err(missing());
    };
    let mut files: Vec<PathBuf> = found.into_iter().filter(|file| files::reader(file).is_some()).collect();
    if files.is_empty() {
        let problem = "there is no file of Parquet, CSV or JSON".to_owned();
        return if named.is_dir() {
            Err(DatabaseError::Unreadable { path: path.to_owned(), problem })
        } else {
            Err(missing())
        };
    }
    if files.len() > FILES {
        return Err(wrong(&format!("the pattern matches more than {FILES} files")));
    }
    for file in &mut files {
        // The walls compare whole paths.
        *file = file
            .canonicalize()
            .map_err(|_| DatabaseError::NotFound { path: file.to_string_lossy().into_owned() })?;
    }
    files.sort();
    Ok(files)
}

/// Makes a view of files, or several where they have not the same columns, and says how many rows each has where that is known.
fn view(connection: &mut ManagedConnection, group: &Group) -> Result<Vec<(String, u64)>, Error> {
    let made = execute(connection, &view_sql(group));
    if made.is_err() && group.files.len() > 1 {
        let mut rows = Vec::new();
        for one in files::singly(group) {
            rows.extend(view(connection, &one)?);
        }
        return Ok(rows);
    }
    made?;
    if group.reader != "read_parquet" {
        return Ok(Vec::new());
    }
    let sql = format!("SELECT sum(num_rows) FROM parquet_file_metadata({})", list(&group.files));
    let counted = ask(connection, &sql)?.into_iter().flatten().next();
    let counted = match counted {
        Some(Value::Integer(rows)) => u64::try_from(rows).ok(),
        _ => None,
    };
    Ok(counted.map(|rows| (group.name.clone(), rows)).into_iter().collect())
}

fn view_sql(group: &Group) -> String {
    let mut sql = "CREATE VIEW ".to_owned();
    quote::name(&mut sql, &group.name, Dialect::DuckDb);
    let together = if group.files.len() > 1 { ", union_by_name = true" } else { "" };
    format!("{sql} AS SELECT * FROM {}({}{together})", group.reader, list(&group.files))
}

/// Paths as a list of DuckDB.
fn list(files: &[PathBuf]) -> String {
    let mut out = "[".to_owned();
    for (at, file) in files.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        quote::string(&mut out, &file.to_string_lossy(), Dialect::DuckDb);
    }
    out.push(']');
    out
}

/// What shuts the database, in this order: the last one makes it stay so.
fn walls(files: &[PathBuf], is_shut: bool) -> Vec<String> {
    let mut walls = vec!["SET GLOBAL TimeZone = 'UTC'".to_owned()];
    if !is_shut {
        walls.push(format!("SET GLOBAL allowed_paths = {}", list(files)));
        walls.push("SET GLOBAL enable_external_access = false".to_owned());
    }
    walls.push("SET GLOBAL lock_configuration = true".to_owned());
    walls
}

/// The rows of a statement of our own, while the database is being opened.
fn ask(connection: &mut ManagedConnection, sql: &str) -> Result<Vec<Vec<Value>>, Error> {
    let mut statement = connection.new_statement()?;
    statement.set_sql_query(sql)?;
    let mut rows = Vec::new();
    for batch in statement.execute()? {
        let batch = batch?;
        let readings: Vec<Reading<'_>> =
            batch.columns().iter().map(|column| Reading::of(column.as_ref())).collect();
        rows.extend(
            (0..batch.num_rows()).map(|at| readings.iter().map(|reading| reading.value(at)).collect()),
        );
    }
    Ok(rows)
}

/// Tables and views, with the schema's name before those that are not in the usual one.
const TABLES: &str = "SELECT schema_name, table_name, 'table', comment, estimated_size FROM duckdb_tables() \
    WHERE database_name = current_database() AND NOT internal AND NOT temporary \
    UNION ALL SELECT schema_name, view_name, 'view', comment, NULL FROM duckdb_views() \
    WHERE database_name = current_database() AND NOT internal AND NOT temporary ORDER BY 1, 2";

const COLUMNS: &str = "SELECT schema_name, table_name, column_name, data_type, is_nullable, comment FROM duckdb_columns() \
    WHERE database_name = current_database() AND NOT internal ORDER BY schema_name, table_name, column_index";

/// Keys, with a row for each of their columns.
const KEYS: &str = "SELECT schema_name, table_name, constraint_index, constraint_type, \
    unnest(constraint_column_names), referenced_table, \
    CASE WHEN constraint_type = 'FOREIGN KEY' THEN unnest(referenced_column_names) END \
    FROM duckdb_constraints() WHERE database_name = current_database() \
    AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY') ORDER BY 1, 2, 3";

/// The schema without samples. `rows` says how many rows the tables of files have.
pub(super) async fn schema(
    database: &Pooled<Connector>,
    rows: &[(String, u64)],
) -> Result<Schema, DatabaseError> {
    let ask = |sql: &str| database.ask(sql.to_owned(), INTROSPECTION);
    let (tables, columns, keys) = (ask(TABLES).await?, ask(COLUMNS).await?, ask(KEYS).await?);
    let is_of_files = !database.engine().files.is_empty();
    let mut schema = Schema { tables: tables.iter().filter_map(|row| table(row, is_of_files)).collect() };
    for table in &mut schema.tables {
        if let Some((_, rows)) = rows.iter().find(|(name, _)| *name == table.name) {
            table.row_count = Some(*rows);
        }
    }
    for row in &columns {
        let name = full_name(row);
        if let Some(table) = schema.tables.iter_mut().find(|table| table.name == name) {
            table.columns.push(column(row));
        }
    }
    for key in keys.chunk_by(|one, other| one.get(..3) == other.get(..3)) {
        let Some(first) = key.first() else { continue };
        let (name, target) = (full_name(first), referenced(first));
        let is_known = schema.tables.iter().any(|table| table.name == target);
        if let Some(table) = schema.tables.iter_mut().find(|table| table.name == name) {
            keep_key(table, key, target, is_known);
        }
    }
    schema.tables.retain(|table| !table.columns.is_empty());
    Ok(schema)
}

fn text(row: &[Value], at: usize) -> &str {
    match row.get(at) {
        Some(Value::Text(text)) => text,
        _ => "",
    }
}

fn full_name(row: &[Value]) -> String {
    qualified(text(row, 0), text(row, 1))
}

/// The table that a key leads to, which is in the same schema.
fn referenced(row: &[Value]) -> String {
    qualified(text(row, 0), text(row, 5))
}

fn qualified(schema: &str, table: &str) -> String {
    if schema == "main" { table.to_owned() } else { format!("{schema}.{table}") }
}

fn table(row: &[Value], is_of_files: bool) -> Option<Table> {
    let name = full_name(row);
    // A dot in a name would be read as the one between a schema and a table.
    if text(row, 0).contains('.') || text(row, 1).contains('.') {
        tracing::warn!(table = name, "a table was left out of the schema because its name has a dot");
        return None;
    }
    let kind = if text(row, 2) == "view" && !is_of_files { TableKind::View } else { TableKind::Table };
    let row_count = match row.get(4) {
        Some(Value::Integer(rows)) => u64::try_from(*rows).ok(),
        _ => None,
    };
    let description = Some(text(row, 3)).filter(|comment| !comment.is_empty()).map(str::to_owned);
    Some(Table { name, kind, description, row_count, ..Table::default() })
}

fn column(row: &[Value]) -> Column {
    let declared = text(row, 3);
    Column {
        name: text(row, 2).to_owned(),
        column_type: family(declared),
        declared_type: declared.to_owned(),
        nullable: row.get(4) != Some(&Value::Boolean(false)),
        description: Some(text(row, 5)).filter(|comment| !comment.is_empty()).map(str::to_owned),
        samples: labels(declared),
        ..Column::default()
    }
}

/// The family of a type.
fn family(declared: &str) -> ColumnType {
    let kind = declared.split('(').next().unwrap_or_default();
    if declared.ends_with(']') {
        return ColumnType::Other;
    }
    match kind {
        "BOOLEAN" => ColumnType::Boolean,
        "TINYINT" | "SMALLINT" | "INTEGER" | "BIGINT" | "HUGEINT" | "UTINYINT" | "USMALLINT" | "UINTEGER"
        | "UBIGINT" | "UHUGEINT" => ColumnType::Integer,
        "DECIMAL" if declared.ends_with(",0)") => ColumnType::Integer,
        "DECIMAL" | "FLOAT" | "DOUBLE" => ColumnType::Real,
        "VARCHAR" | "ENUM" | "JSON" => ColumnType::Text,
        "DATE" => ColumnType::Date,
        "TIME" | "TIME WITH TIME ZONE" | "TIME_NS" => ColumnType::Time,
        "BLOB" | "BIT" | "GEOMETRY" => ColumnType::Blob,
        kind if kind.starts_with("TIMESTAMP") => ColumnType::DateTime,
        _ => ColumnType::Other,
    }
}

/// The labels of `ENUM('sad', 'it''s')`: all values that there can be.
fn labels(declared: &str) -> Vec<Value> {
    let inner = declared.strip_prefix("ENUM(").and_then(|rest| rest.strip_suffix(')')).unwrap_or_default();
    let mut labels = Vec::new();
    let mut rest = inner;
    while let Some(open) = rest.find('\'') {
        let mut label = String::new();
        rest = rest.get(open + 1..).unwrap_or_default();
        while let Some(end) = rest.find('\'') {
            label.push_str(rest.get(..end).unwrap_or_default());
            rest = rest.get(end + 1..).unwrap_or_default();
            match rest.strip_prefix('\'') {
                Some(after) => {
                    label.push('\'');
                    rest = after;
                }
                None => break,
            }
        }
        labels.push(Value::Text(label));
    }
    labels.truncate(LABELS);
    labels
}

/// Marks the columns of a key, or keeps where it leads.
fn keep_key(table: &mut Table, key: &[Vec<Value>], target: String, is_known: bool) {
    let kind = key.first().map_or("", |row| text(row, 3)).to_owned();
    let names = |at: usize| key.iter().map(|row| text(row, at).to_owned()).collect::<Vec<_>>();
    if kind == "FOREIGN KEY" {
        if is_known {
            let key = ForeignKey {
                columns: names(4),
                table: target,
                references: names(6),
                declared: true,
                ..ForeignKey::default()
            };
            table.foreign_keys.push(key);
        }
        return;
    }
    let columns = names(4);
    for column in table.columns.iter_mut().filter(|column| columns.contains(&column.name)) {
        column.primary_key |= kind == "PRIMARY KEY";
        column.nullable &= kind != "PRIMARY KEY";
        column.unique |= columns.len() == 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read() {
        assert_eq!(
            labels("ENUM('a', 'it''s', ',)', '')"),
            ["a".into(), "it's".into(), ",)".into(), "".into()]
        );
        assert_eq!(labels("INTEGER"), []);
    }

    #[test]
    fn types_have_families() {
        for (declared, expected) in [
            ("DECIMAL(18,0)", ColumnType::Integer),
            ("DECIMAL(10,2)", ColumnType::Real),
            ("TIMESTAMP WITH TIME ZONE", ColumnType::DateTime),
            ("VARCHAR[]", ColumnType::Other),
            ("STRUCT(a INTEGER)", ColumnType::Other),
            ("ENUM('a')", ColumnType::Text),
        ] {
            assert_eq!(family(declared), expected, "{declared}");
        }
    }
}
