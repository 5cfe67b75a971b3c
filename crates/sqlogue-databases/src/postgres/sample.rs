//! How this server answers what samples and values are read by.

use std::time::Duration;

use tokio_postgres::Row;

use super::PostgresDatabase;
use super::values::{Raw, Reading, Zone};
use crate::sampling::{Asked, SCANNED};
use crate::{BoxFuture, DatabaseError};
use sqlogue_sql::schema::Value;
use sqlogue_sql::sql::Dialect;

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

impl Asked for PostgresDatabase {
    fn asked_in(&self) -> Dialect {
        Dialect::Postgres
    }

    fn ask(&self, sql: String, limit: Duration) -> BoxFuture<'_, Result<Vec<Vec<Value>>, DatabaseError>> {
        Box::pin(async move {
            let rows = self
                .read(limit, |transaction| Box::pin(async move { transaction.query_typed(&sql, &[]).await }))
                .await?;
            let zone = Zone::named(None);
            Ok(rows.iter().map(|row| cells(row, &zone)).collect())
        })
    }

    fn kept_texts(&self) -> Option<String> {
        Some(STATISTICS.replace("{SCANNED}", &SCANNED.to_string()))
    }

    fn is_cheap<'a>(&'a self, sql: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let Ok(rows) = self.ask(format!("EXPLAIN (FORMAT JSON) {sql}"), PLANNING).await else {
                return false;
            };
            let plan = match rows.first().and_then(|row| row.first()) {
                Some(Value::Text(text)) => {
                    serde_json::from_str::<serde_json::Value>(text).unwrap_or_default()
                }
                _ => return false,
            };
            plan.pointer("/0/Plan/Total Cost")
                .and_then(serde_json::Value::as_f64)
                .is_some_and(|cost| cost <= CHEAP)
        })
    }
}

fn cells(row: &Row, zone: &Zone) -> Vec<Value> {
    let columns = row.columns().iter().enumerate();
    columns
        .map(|(at, column)| match row.try_get::<_, Raw<'_>>(at) {
            Ok(Raw(Some(bytes))) => Reading::of(column).value(bytes, zone),
            Ok(Raw(None)) | Err(_) => Value::Null,
        })
        .collect()
}
