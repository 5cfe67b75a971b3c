//! How this server answers what samples and values are read by.

use std::time::Duration;

use tokio_postgres::Row;

use super::PostgresDatabase;
use super::values::{Raw, Reading, Zone};
use crate::sampling::Asked;
use crate::{BoxFuture, DatabaseError};
use sqlogue_sql::schema::Value;
use sqlogue_sql::sql::Dialect;

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
