//! The schema as the server's catalog tells it.

use std::collections::HashMap;

use sqlogue_sql::schema::{Column, ColumnType, ForeignKey, Schema, Table, TableKind, Value};

/// How many labels of an enumeration are kept as samples of its columns.
const LABELS: usize = 20;

/// Tables and views that the account may read.
pub(super) const TABLES: &str = "SELECT TABLE_NAME, TABLE_TYPE, TABLE_COMMENT, TABLE_ROWS \
    FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() \
    AND TABLE_TYPE IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED') ORDER BY TABLE_NAME";

pub(super) const COLUMNS: &str = "SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE, COLUMN_COMMENT \
    FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, ORDINAL_POSITION";

/// Keys with a row for each of their columns.
pub(super) const KEYS: &str = "SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME \
    FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_SCHEMA = DATABASE() \
    ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION";

/// Indexes without duplicates, with a row for each of their columns; a part of a text does not make the text unique.
pub(super) const UNIQUES: &str = "SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME, SUB_PART \
    FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND NON_UNIQUE = 0 \
    ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX";

/// A text that changes with the tables, their columns, keys and comments.
pub(super) const VERSION: &str = "SELECT CONCAT_WS('-', \
    (SELECT CONCAT(COUNT(*), '.', COALESCE(SUM(CRC32(CONCAT_WS('/', TABLE_NAME, TABLE_TYPE, TABLE_COMMENT))), 0)) \
     FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()), \
    (SELECT CONCAT(COUNT(*), '.', COALESCE(SUM(CRC32(CONCAT_WS('/', TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, COLUMN_TYPE, \
     IS_NULLABLE, COLUMN_KEY, COLUMN_COMMENT))), 0)) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()), \
    (SELECT CONCAT(COUNT(*), '.', COALESCE(SUM(CRC32(CONCAT_WS('/', TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, \
     REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME))), 0)) FROM information_schema.KEY_COLUMN_USAGE \
     WHERE TABLE_SCHEMA = DATABASE()))";

/// A row of the catalog.
type Row = Vec<Value>;

fn text(row: &Row, at: usize) -> &str {
    match row.get(at) {
        Some(Value::Text(text)) => text,
        _ => "",
    }
}

/// A comment, where there is one.
fn comment(row: &Row, at: usize) -> Option<String> {
    Some(text(row, at)).filter(|comment| !comment.is_empty()).map(str::to_owned)
}

/// The schema without samples, from the rows of the four queries above.
pub(super) fn schema(tables: &[Row], columns: &[Row], keys: &[Row], uniques: &[Row]) -> Schema {
    let mut tables: Vec<Table> = tables.iter().filter_map(table).collect();
    let index: HashMap<String, usize> =
        tables.iter().enumerate().map(|(at, table)| (table.name.clone(), at)).collect();
    for row in columns {
        if let Some(table) = index.get(text(row, 0)).and_then(|at| tables.get_mut(*at)) {
            table.columns.push(column(row));
        }
    }
    for key in uniques.chunk_by(is_same_key) {
        let table = key.first().and_then(|row| index.get(text(row, 0))).and_then(|at| tables.get_mut(*at));
        if let Some(table) = table {
            unique(table, key);
        }
    }
    for key in keys.chunk_by(is_same_key) {
        let Some(first) = key.first() else { continue };
        let target = text(first, 3).to_owned();
        let table = index.get(text(first, 0)).and_then(|at| tables.get_mut(*at));
        if let Some(table) = table.filter(|_| index.contains_key(&target)) {
            let names = |at: usize| key.iter().map(|row| text(row, at).to_owned()).collect();
            table.foreign_keys.push(ForeignKey {
                columns: names(2),
                table: target,
                references: names(4),
                declared: true,
                ..ForeignKey::default()
            });
        }
    }
    tables.retain(|table| !table.columns.is_empty());
    Schema { tables }
}

fn is_same_key(one: &Row, other: &Row) -> bool {
    text(one, 0) == text(other, 0) && text(one, 1) == text(other, 1)
}

fn table(row: &Row) -> Option<Table> {
    let name = text(row, 0).to_owned();
    // A dot in a name would be read as the one between a database and a table.
    if name.contains('.') {
        tracing::warn!(table = name, "a table was left out of the schema because its name has a dot");
        return None;
    }
    let kind = if text(row, 1) == "VIEW" { TableKind::View } else { TableKind::Table };
    // The comment of a view is the server's own.
    let description = comment(row, 2).filter(|_| kind == TableKind::Table);
    // An estimate, of the storage engine's making.
    let row_count = match row.get(3) {
        Some(Value::Integer(rows)) if kind == TableKind::Table => u64::try_from(*rows).ok(),
        _ => None,
    };
    Some(Table { name, kind, description, row_count: row_count.filter(|rows| *rows > 0), ..Table::default() })
}

fn column(row: &Row) -> Column {
    let (kind, declared) = (text(row, 2).to_lowercase(), text(row, 3));
    let samples = if kind == "enum" { labels(declared) } else { Vec::new() };
    Column {
        name: text(row, 1).to_owned(),
        column_type: family(&kind, declared),
        declared_type: declared.to_owned(),
        nullable: text(row, 4) == "YES",
        description: comment(row, 5),
        samples,
        ..Column::default()
    }
}

/// The family of a type.
fn family(kind: &str, declared: &str) -> ColumnType {
    match kind {
        // `boolean` is a name for it.
        "tinyint" if declared.starts_with("tinyint(1)") => ColumnType::Boolean,
        "bit" if declared == "bit(1)" => ColumnType::Boolean,
        "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "year" => ColumnType::Integer,
        "decimal" if declared.contains(",0)") => ColumnType::Integer,
        "decimal" | "float" | "double" => ColumnType::Real,
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" | "enum" | "set" => {
            ColumnType::Text
        }
        "date" => ColumnType::Date,
        "datetime" | "timestamp" => ColumnType::DateTime,
        "time" => ColumnType::Time,
        "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => ColumnType::Blob,
        _ => ColumnType::Other,
    }
}

/// The labels of `enum('sad','it''s')`: all values that there can be.
fn labels(declared: &str) -> Vec<Value> {
    let inner = declared.strip_prefix("enum(").and_then(|rest| rest.strip_suffix(')')).unwrap_or_default();
    let mut labels = Vec::new();
    let mut label = String::new();
    let mut is_inside = false;
    let mut characters = inner.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, is_inside) {
            ('\'', true) if characters.peek() == Some(&'\'') => label.extend(characters.next()),
            ('\'', true) => {
                labels.push(Value::Text(std::mem::take(&mut label)));
                is_inside = false;
            }
            ('\'', false) => is_inside = true,
            (other, true) => label.push(other),
            _ => {}
        }
    }
    labels.truncate(LABELS);
    labels
}

/// Marks the columns of an index without duplicates.
fn unique(table: &mut Table, key: &[Row]) {
    let is_primary = key.first().is_some_and(|row| text(row, 1) == "PRIMARY");
    let is_whole = key.iter().all(|row| matches!(row.get(3), None | Some(Value::Null)));
    for column in &mut table.columns {
        if key.iter().any(|row| text(row, 2) == column.name) {
            column.primary_key |= is_primary;
            column.nullable &= !is_primary;
            column.unique |= key.len() == 1 && is_whole;
        }
    }
}

/// Takes what is called a truth value for a number where other numbers were seen in it.
pub(super) fn doubt_truths(schema: &mut Schema) {
    let columns = schema.tables.iter_mut().flat_map(|table| &mut table.columns);
    for column in columns.filter(|column| column.column_type == ColumnType::Boolean) {
        if column.samples.iter().any(|sample| matches!(sample, Value::Integer(_))) {
            column.column_type = ColumnType::Integer;
            for sample in &mut column.samples {
                if let Value::Boolean(truth) = sample {
                    *sample = Value::Integer(i64::from(*truth));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read() {
        assert_eq!(labels("enum('a','it''s',',)','')"), ["a".into(), "it's".into(), ",)".into(), "".into()]);
        assert_eq!(labels("int(11)"), []);
    }
}
