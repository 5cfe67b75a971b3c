//! Foreign keys that nobody declared.
//!
//! Many databases declare none. A column whose name says whose row it means (`customer_id`, where there is a table
//! `customers` with the key `id`), and whose values are all found there, is as good as one.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::{Database, Limits};
use sqlogue_sql::schema::{Column, ColumnType, ForeignKey, Schema, Table, TableKind, Value};
use sqlogue_sql::sql::guard;
use sqlogue_sql::sql::quote;

/// How many distinct values are looked up before they count as all.
const LOOKED_UP: usize = 1_000;

/// The time for one column's values, and for all columns together.
const ONE: Duration = Duration::from_millis(200);
const ALL: Duration = Duration::from_secs(1);

/// A column that may refer to another table's key.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    table: usize,
    column: String,
    target: String,
    key: String,
}

/// Adds the keys that names suggest and values do not contradict.
pub(super) async fn infer(database: &dyn Database, schema: &mut Schema) {
    let started = Instant::now();
    for candidate in candidates(schema) {
        // A name without a look at the values is no evidence.
        if started.elapsed() > ALL {
            return;
        }
        let Some(from) = schema.tables.get(candidate.table) else { continue };
        if !values_agree(database, from, &candidate).await {
            continue;
        }
        if let Some(table) = schema.tables.get_mut(candidate.table) {
            table.foreign_keys.push(ForeignKey {
                columns: vec![candidate.column],
                table: candidate.target,
                references: vec![candidate.key],
                declared: false,
            });
        }
    }
}

/// The best reading of each column's name, where there is one.
fn candidates(schema: &Schema) -> Vec<Candidate> {
    // Looked up by name, because a thousand tables have a million pairs.
    let mut by_reference: HashMap<String, Vec<(&Table, &Column)>> = HashMap::new();
    for table in &schema.tables {
        let Some(key) = single_key(table) else { continue };
        for name in references(table, key) {
            by_reference.entry(name).or_default().push((table, key));
        }
    }
    let mut found = Vec::new();
    for (at, table) in schema.tables.iter().enumerate().filter(|(_, table)| table.kind == TableKind::Table) {
        for column in &table.columns {
            let declared = table.foreign_keys.iter().any(|key| key.columns.contains(&column.name));
            let own_key = single_key(table).is_some_and(|key| key.name == column.name);
            if declared || own_key {
                continue;
            }
            let targets = readings(&column.name).into_iter().filter_map(|name| by_reference.get(&name));
            let best = targets.flatten().find(|(target, key)| {
                let joined = table.foreign_keys.iter().any(|known| known.table == target.name);
                target.name != table.name && !joined && same_family(column.column_type, key.column_type)
            });
            if let Some((target, key)) = best {
                found.push(Candidate {
                    table: at,
                    column: column.name.clone(),
                    target: target.name.clone(),
                    key: key.name.clone(),
                });
            }
        }
    }
    found
}

/// The column that alone names a table's rows.
fn single_key(table: &Table) -> Option<&Column> {
    let mut keys = table.primary_key();
    match (keys.next(), keys.next()) {
        (Some(key), None) => Some(key),
        (Some(_), Some(_)) => None,
        (None, _) => {
            let is_id = |column: &&Column| {
                let name = column.name.to_ascii_lowercase();
                column.unique && (name == "id" || name.ends_with("_id"))
            };
            table.columns.iter().find(is_id)
        }
    }
}

/// What a column that refers to this table's key may be called, without underscores.
fn references(table: &Table, key: &Column) -> Vec<String> {
    let (table, key) = (flat(&table.name), flat(&key.name));
    let one = pluralizer::pluralize(&table, 1, false);
    let mut names = Vec::new();
    // `id`, `code`, `name` mean something only together with the table.
    let speaks_for_itself = key.len() > 4 && key != "name" && key != "number" && key != "title";
    if speaks_for_itself {
        names.push(key.clone());
    }
    for table in [&one, &table] {
        names.push(format!("{table}{key}"));
        if key == "id" || key == format!("{table}id") {
            names.push(format!("{table}id"));
            names.push(table.clone());
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// A column's name without underscores, and its ends: `home_team_id` is `hometeamid`, and may be `teamid`.
fn readings(column: &str) -> Vec<String> {
    let mut readings = vec![flat(column)];
    let mut rest = column;
    while let Some((_, end)) = rest.split_once('_') {
        if end.contains('_') {
            readings.push(flat(end));
        }
        rest = end;
    }
    readings
}

fn flat(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn same_family(one: ColumnType, other: ColumnType) -> bool {
    one == other || (one.is_numeric() && other.is_numeric())
}

/// True where every value that was looked up is there, and there was at least one.
async fn values_agree(database: &dyn Database, from: &Table, candidate: &Candidate) -> bool {
    let dialect = database.dialect();
    let name = |name: &str| {
        let mut out = String::new();
        quote::name(&mut out, name, dialect);
        out
    };
    let table = |name: &str| {
        let mut out = String::new();
        quote::table(&mut out, name, dialect);
        out
    };
    let sql = format!(
        "SELECT count(*), count(found.k) FROM (SELECT DISTINCT {column} AS v FROM {from} WHERE {column} IS NOT NULL \
         LIMIT {LOOKED_UP}) AS used LEFT JOIN (SELECT {key} AS k FROM {target}) AS found ON found.k = used.v",
        column = name(&candidate.column),
        from = table(&from.name),
        key = name(&candidate.key),
        target = table(&candidate.target),
    );
    let Ok(checked) = guard::check(&sql, dialect) else { return false };
    let limits = Limits { deadline: ONE, ..Limits::default() };
    match database.execute(&checked, &limits, &CancellationToken::new()).await {
        Ok(rows) => match rows.rows.first().map(Vec::as_slice) {
            Some([Value::Integer(used), Value::Integer(found)]) => *used > 0 && used == found,
            _ => false,
        },
        Err(error) => {
            tracing::debug!(table = from.name, column = candidate.column, %error, "values were not compared");
            false
        }
    }
}
