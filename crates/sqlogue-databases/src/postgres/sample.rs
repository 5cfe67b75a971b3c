//! What PostgreSQL knows of large tables and dear views without reading them.

use std::time::Duration;

use super::PostgresDatabase;
use crate::sampling::{Asked as _, SCANNED};
use sqlogue_sql::schema::Value;

/// The most frequent texts of large tables, and some of the others, as `ANALYZE` found them; those of a partitioned table
/// are of all its partitions. The view shows nothing of columns that the role may not read.
const STATISTICS: &str = "
SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN c.relname::text ELSE n.nspname || '.' || c.relname END,
  s.attname::text, s.n_distinct > 0 AND s.histogram_bounds IS NULL,
  unnest(coalesce(s.most_common_vals::text::text[], '{}') || coalesce(s.histogram_bounds::text::text[], '{}'))
FROM pg_catalog.pg_stats AS s
  JOIN pg_catalog.pg_namespace AS n ON n.nspname = s.schemaname
  JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = s.tablename
  JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attname = s.attname
  JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
WHERE c.reltuples > {SCANNED} AND t.typcategory IN ('S', 'E') AND s.inherited = (c.relkind = 'p')
  AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
ORDER BY c.oid, a.attnum";

/// What a question about a view may cost by the server's own estimate, where reading a page of 8 kB in order costs 1.
const CHEAP: f64 = 1_000.0;

/// The time for one estimate.
const PLANNING: Duration = Duration::from_millis(250);

/// A question for the texts that the server keeps as statistics of large tables.
pub(super) fn kept_texts() -> String {
    STATISTICS.replace("{SCANNED}", &SCANNED.to_string())
}

/// False where the server expects that a question about a view would read much of the tables below it.
pub(super) async fn is_cheap(database: &PostgresDatabase, sql: &str) -> bool {
    let Ok(rows) = database.ask(format!("EXPLAIN (FORMAT JSON) {sql}"), PLANNING).await else { return false };
    let plan = match rows.first().and_then(|row| row.first()) {
        Some(Value::Text(text)) => serde_json::from_str::<serde_json::Value>(text).unwrap_or_default(),
        _ => return false,
    };
    let cost = plan.pointer("/0/Plan/Total Cost").and_then(serde_json::Value::as_f64);
    cost.is_some_and(|cost| cost <= CHEAP)
}
