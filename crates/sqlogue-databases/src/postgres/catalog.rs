//! The schema as PostgreSQL's catalog tells it.

use std::collections::HashMap;

use tokio_postgres::{Error, Row, Transaction};

use sqlogue_sql::schema::{Column, ColumnType, ForeignKey, Schema, Table, TableKind, Value};

/// How many labels of an enumeration are kept as samples of its columns.
const LABELS: usize = 20;

/// Tables and views that the role may read: those of the search path first, then the others. Partitions are part
/// of their parents; what extensions bring is not the user's data.
const TABLES: &str = "
SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text, pg_catalog.pg_table_is_visible(c.oid),
  pg_catalog.obj_description(c.oid, 'pg_class'),
  CASE WHEN c.relkind = 'p' THEN (SELECT sum(greatest(part.reltuples, 0))::float8 FROM pg_catalog.pg_inherits AS i
    JOIN pg_catalog.pg_class AS part ON part.oid = i.inhrelid WHERE i.inhparent = c.oid)
    ELSE c.reltuples::float8 END
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'crdb_internal'
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
  AND (pg_catalog.has_table_privilege(c.oid, 'SELECT') OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))
  AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e')
ORDER BY 5 DESC, 2, c.oid";

/// The columns of all relations; a domain counts as the type it is made of.
const COLUMNS: &str = "
SELECT a.attrelid, a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,
  pg_catalog.col_description(a.attrelid, a.attnum), coalesce(base.oid, t.oid), coalesce(base.typname, t.typname)::text,
  coalesce(base.typtype, t.typtype)::text
FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
  LEFT JOIN pg_catalog.pg_type AS base ON base.oid = t.typbasetype AND t.typtype = 'd'
WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid = ANY($1)
  AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attrelid, a.attnum";

const KEYS: &str = "
SELECT k.conrelid, k.contype::text, k.confrelid,
  ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(num, ord)
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.num ORDER BY u.ord),
  ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(num, ord)
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.confrelid AND a.attnum = u.num ORDER BY u.ord)
FROM pg_catalog.pg_constraint AS k
WHERE k.contype IN ('p', 'u', 'f') AND k.conrelid = ANY($1)
ORDER BY k.conrelid, k.oid";

/// Columns that an index of their own keeps free of duplicates.
const UNIQUES: &str = "
SELECT i.indrelid, a.attname::text
FROM pg_catalog.pg_index AS i
  JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
WHERE i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indnkeyatts = 1
  AND i.indrelid = ANY($1)";

const ENUMS: &str = "
SELECT enumtypid, enumlabel::text FROM pg_catalog.pg_enum WHERE enumtypid = ANY($1) ORDER BY enumtypid, enumsortorder";

/// Every change of a table, a column, a key or a comment writes a row with the number of its transaction.
const VERSION: &str = "
WITH ours AS (SELECT c.oid, c.xmin FROM pg_catalog.pg_class AS c
  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%')
SELECT concat_ws('-', pg_catalog.current_database(),
  (SELECT concat(count(*), '.', sum(xmin::text::int8)) FROM ours),
  (SELECT concat(count(*), '.', sum(a.xmin::text::int8)) FROM pg_catalog.pg_attribute AS a JOIN ours ON ours.oid = a.attrelid),
  (SELECT concat(count(*), '.', sum(k.xmin::text::int8)) FROM pg_catalog.pg_constraint AS k JOIN ours ON ours.oid = k.conrelid),
  (SELECT concat(count(*), '.', sum(d.xmin::text::int8)) FROM pg_catalog.pg_description AS d JOIN ours ON ours.oid = d.objoid))";

/// A text that changes with the schema.
pub(super) async fn version(transaction: &Transaction<'_>) -> Result<String, Error> {
    transaction.query_one(VERSION, &[]).await?.try_get(0)
}

/// The schema without samples. Tables of the search path have bare names, others the schema's before theirs.
pub(super) async fn schema(transaction: &Transaction<'_>, schemas: Vec<String>) -> Result<Schema, Error> {
    let mut tables: Vec<(u32, Table)> = Vec::new();
    for row in transaction.query(TABLES, &[]).await? {
        let place: String = row.try_get(1)?;
        if schemas.is_empty() || schemas.contains(&place) {
            tables.extend(table(&row, &place)?);
        }
    }
    let ids: Vec<u32> = tables.iter().map(|(id, _)| *id).collect();
    let mut index: HashMap<u32, usize> = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let mut kinds: HashMap<(u32, String), u32> = HashMap::new();
    for row in transaction.query(COLUMNS, &[&ids]).await? {
        let id: u32 = row.try_get(0)?;
        let column = column(&row)?;
        if row.try_get::<_, &str>(7)? == "e" {
            kinds.insert((id, column.name.clone()), row.try_get(5)?);
        }
        if let Some((_, table)) = index.get(&id).and_then(|at| tables.get_mut(*at)) {
            table.columns.push(column);
        }
    }
    tables.retain(|(_, table)| !table.columns.is_empty());
    index = tables.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
    keys(transaction, &ids, &index, &mut tables).await?;
    labels(transaction, &kinds, &index, &mut tables).await?;
    Ok(Schema { tables: tables.into_iter().map(|(_, table)| table).collect() })
}

fn table(row: &Row, place: &str) -> Result<Option<(u32, Table)>, Error> {
    let (id, plain): (u32, String) = (row.try_get(0)?, row.try_get(2)?);
    let is_visible: bool = row.try_get(4)?;
    // A dot in a name would be read as the one between a schema and a table.
    if plain.contains('.') || (!is_visible && place.contains('.')) {
        tracing::warn!(table = plain, "a table was left out of the schema because its name has a dot");
        return Ok(None);
    }
    let kind = match row.try_get(3)? {
        "v" | "m" => TableKind::View,
        _ => TableKind::Table,
    };
    // An estimate of the last time the table was looked at; negative where that never happened.
    let rows: Option<f64> = row.try_get(6)?;
    let row_count = rows.filter(|rows| *rows >= 1.0 && kind == TableKind::Table).map(|rows| rows as u64);
    let name = if is_visible { plain } else { format!("{place}.{plain}") };
    Ok(Some((id, Table { name, kind, description: row.try_get(5)?, row_count, ..Table::default() })))
}

fn column(row: &Row) -> Result<Column, Error> {
    let (declared_type, base, class): (String, &str, &str) =
        (row.try_get(2)?, row.try_get(6)?, row.try_get(7)?);
    let column_type = match class {
        "e" => ColumnType::Text,
        _ => family(base, &declared_type),
    };
    Ok(Column {
        name: row.try_get(1)?,
        column_type,
        nullable: !row.try_get::<_, bool>(3)?,
        description: row.try_get(4)?,
        declared_type,
        ..Column::default()
    })
}

/// The family of a type. Types that look like text but have no functions of text (addresses, identifiers) are
/// others.
fn family(base: &str, declared: &str) -> ColumnType {
    match base {
        "int2" | "int4" | "int8" | "oid" => ColumnType::Integer,
        "numeric" if declared.ends_with(",0)") => ColumnType::Integer,
        "numeric" | "float4" | "float8" | "money" => ColumnType::Real,
        "text" | "varchar" | "bpchar" | "name" | "citext" | "char" => ColumnType::Text,
        "bool" => ColumnType::Boolean,
        "date" => ColumnType::Date,
        "timestamp" | "timestamptz" => ColumnType::DateTime,
        "time" | "timetz" => ColumnType::Time,
        "bytea" => ColumnType::Blob,
        _ => ColumnType::Other,
    }
}

async fn keys(
    transaction: &Transaction<'_>,
    ids: &Vec<u32>,
    index: &HashMap<u32, usize>,
    tables: &mut [(u32, Table)],
) -> Result<(), Error> {
    for row in transaction.query(KEYS, &[ids]).await? {
        let (id, kind, target): (u32, &str, u32) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let (columns, references): (Vec<String>, Vec<String>) = (row.try_get(3)?, row.try_get(4)?);
        let target = index.get(&target).and_then(|at| tables.get(*at)).map(|(_, target)| target.name.clone());
        let Some((_, table)) = index.get(&id).and_then(|at| tables.get_mut(*at)) else { continue };
        match (kind, target) {
            ("p", _) => {
                for column in table.columns.iter_mut().filter(|column| columns.contains(&column.name)) {
                    column.primary_key = true;
                    column.unique |= columns.len() == 1;
                    column.nullable = false;
                }
            }
            ("f", Some(target)) => {
                let key = ForeignKey {
                    columns,
                    table: target,
                    references,
                    declared: true,
                    ..ForeignKey::default()
                };
                // Partitions repeat the keys of their parents.
                if !table.foreign_keys.contains(&key) {
                    table.foreign_keys.push(key);
                }
            }
            ("u", _) => unique(table, &columns),
            _ => {}
        }
    }
    for row in transaction.query(UNIQUES, &[ids]).await? {
        let (id, column): (u32, String) = (row.try_get(0)?, row.try_get(1)?);
        if let Some((_, table)) = index.get(&id).and_then(|at| tables.get_mut(*at)) {
            unique(table, &[column]);
        }
    }
    Ok(())
}

fn unique(table: &mut Table, columns: &[String]) {
    if let [one] = columns {
        for column in table.columns.iter_mut().filter(|column| column.name == *one) {
            column.unique = true;
        }
    }
}

/// Gives columns of enumerations the labels as samples: all values that there can be.
async fn labels(
    transaction: &Transaction<'_>,
    kinds: &HashMap<(u32, String), u32>,
    index: &HashMap<u32, usize>,
    tables: &mut [(u32, Table)],
) -> Result<(), Error> {
    if kinds.is_empty() {
        return Ok(());
    }
    let ids: Vec<u32> = kinds.values().copied().collect();
    let mut labels: HashMap<u32, Vec<Value>> = HashMap::new();
    for row in transaction.query(ENUMS, &[&ids]).await? {
        let known = labels.entry(row.try_get(0)?).or_default();
        if known.len() < LABELS {
            known.push(Value::Text(row.try_get(1)?));
        }
    }
    for ((id, name), kind) in kinds {
        let table = index.get(id).and_then(|at| tables.get_mut(*at));
        let column =
            table.and_then(|(_, table)| table.columns.iter_mut().find(|column| column.name == *name));
        if let (Some(column), Some(labels)) = (column, labels.get(kind)) {
            column.samples.clone_from(labels);
        }
    }
    Ok(())
}
