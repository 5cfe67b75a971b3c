//! How many rows a query works on, as the database's `EXPLAIN` tells it: the sum of what its tables give. An engine only
//! guesses them, from what it knows of the tables.

#[cfg(any(feature = "adbc", feature = "postgres"))]
use serde_json::Value as Json;

use crate::Rows;
#[cfg(any(feature = "adbc", feature = "postgres"))]
use sqlogue_sql::schema::Value;

/// The text of the only cell, or of the last one where a name stands before it.
#[cfg(any(feature = "adbc", feature = "postgres"))]
fn plan(rows: &Rows) -> Option<Json> {
    match rows.rows.first()?.last()? {
        Value::Text(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}

/// Every object in which a scan of a table is told, with those in it.
#[cfg(any(feature = "adbc", feature = "postgres"))]
fn sum(plan: &Json, rows_of: &dyn Fn(&serde_json::Map<String, Json>) -> Option<f64>) -> f64 {
    match plan {
        Json::Array(list) => list.iter().map(|inner| sum(inner, rows_of)).sum(),
        Json::Object(object) => {
            let inner: f64 = object.values().map(|inner| sum(inner, rows_of)).sum();
            inner + rows_of(object).unwrap_or_default()
        }
        _ => 0.0,
    }
}

/// By PostgreSQL's `EXPLAIN (FORMAT JSON)`.
#[cfg(feature = "postgres")]
pub(crate) fn of_postgres(rows: &Rows) -> Option<f64> {
    let plan = plan(rows)?;
    Some(sum(&plan, &|node| {
        let is_scan = node.get("Relation Name").is_some();
        is_scan.then(|| node.get("Plan Rows")?.as_f64()).flatten()
    }))
}

/// By the rows of MySQL's `EXPLAIN`, one for each table.
#[cfg(feature = "mysql")]
pub(crate) fn of_mysql(rows: &Rows) -> Option<f64> {
    let at = rows.columns.iter().position(|name| name.eq_ignore_ascii_case("rows"))?;
    Some(rows.rows.iter().filter_map(|row| row.get(at)?.to_string().parse::<f64>().ok()).sum())
}

/// By DuckDB's `EXPLAIN (FORMAT json)`.
#[cfg(feature = "adbc")]
pub(crate) fn of_duckdb(rows: &Rows) -> Option<f64> {
    let plan = plan(rows)?;
    Some(sum(&plan, &|node| {
        let is_leaf = node.get("children")?.as_array()?.is_empty();
        let guessed = node.get("extra_info")?.get("Estimated Cardinality")?.as_str()?;
        is_leaf.then(|| guessed.parse().ok()).flatten()
    }))
}
