//! A database together with what people wrote about it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::merge;
use crate::database::{BoxFuture, ColumnValues, Database, DatabaseError, Limits, Rows, ValueLimits};
use crate::schema::{Schema, Value};
use crate::sql::{Checked, Dialect};

/// A database whose schema tells what a data dictionary says as well; in all else it is the database itself.
#[derive(Debug)]
pub struct Described {
    database: Arc<dyn Database>,
    dictionary: Schema,
}

impl Described {
    /// Adds to `database` what `dictionary` says, as [`merge`](merge()) does. What they disagree about is passed over;
    /// `merge` tells it to who asks.
    pub fn new(database: Arc<dyn Database>, dictionary: Schema) -> Self {
        Self { database, dictionary }
    }
}

impl Database for Described {
    fn name(&self) -> &str {
        self.database.name()
    }

    fn dialect(&self) -> Dialect {
        self.database.dialect()
    }

    fn schema_version(&self) -> BoxFuture<'_, Result<String, DatabaseError>> {
        // The dictionary was read once and does not change.
        self.database.schema_version()
    }

    fn introspect(&self) -> BoxFuture<'_, Result<Schema, DatabaseError>> {
        Box::pin(async {
            let mut schema = self.database.introspect().await?;
            let conflicts = merge(&mut schema, &self.dictionary);
            tracing::debug!(conflicts = conflicts.len(), "the data dictionary was added to the schema");
            Ok(schema)
        })
    }

    fn cost<'a>(&'a self, query: &'a Checked) -> BoxFuture<'a, Result<Option<String>, DatabaseError>> {
        self.database.cost(query)
    }

    fn execute<'a>(
        &'a self,
        query: &'a Checked,
        limits: &'a Limits,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Rows, DatabaseError>> {
        self.database.execute(query, limits, cancel)
    }

    fn values<'a>(
        &'a self,
        table: &'a str,
        column: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<(Value, u64)>, DatabaseError>> {
        self.database.values(table, column, limit)
    }

    fn text_values<'a>(
        &'a self,
        schema: &'a Schema,
        limits: &'a ValueLimits,
    ) -> BoxFuture<'a, Result<Vec<ColumnValues>, DatabaseError>> {
        self.database.text_values(schema, limits)
    }
}
