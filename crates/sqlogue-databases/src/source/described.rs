//! A database under the name that people gave it, with what they wrote about it.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::merge;
use crate::{BoxFuture, ColumnValues, Database, DatabaseError, Limits, Rows, ValueLimits};
use sqlogue_sql::schema::{Schema, Table, Value};
use sqlogue_sql::sql::{Checked, Dialect};

/// A database that goes by a name of the settings instead of its own, or whose schema tells what a data dictionary says as
/// well, or both; in all else it is the database itself.
#[derive(Debug)]
pub struct Described {
    database: Arc<dyn Database>,
    name: Option<String>,
    dictionary: Option<Schema>,
}

impl Described {
    /// The same database under that name.
    pub fn named(name: impl Into<String>, database: Arc<dyn Database>) -> Self {
        Self { database, name: Some(name.into()), dictionary: None }
    }

    /// Adds to `database` what `dictionary` says, as [`merge`](merge()) does. What they disagree about is passed over;
    /// `merge` tells it to who asks.
    pub fn with_dictionary(database: Arc<dyn Database>, dictionary: Schema) -> Self {
        Self { database, name: None, dictionary: Some(dictionary) }
    }
}

impl Database for Described {
    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.database.name())
    }

    fn dialect(&self) -> Dialect {
        self.database.dialect()
    }

    fn is_local(&self) -> bool {
        self.database.is_local()
    }

    fn schema_version(&self) -> BoxFuture<'_, Result<String, DatabaseError>> {
        // The dictionary was read once and does not change.
        self.database.schema_version()
    }

    fn content_version(&self) -> BoxFuture<'_, Result<Option<i64>, DatabaseError>> {
        self.database.content_version()
    }

    fn introspect(&self) -> BoxFuture<'_, Result<Schema, DatabaseError>> {
        let Some(dictionary) = &self.dictionary else { return self.database.introspect() };
        Box::pin(async {
            let mut schema = self.database.introspect().await?;
            let conflicts = merge(&mut schema, dictionary);
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

    fn peek<'a>(
        &'a self,
        table: &'a Table,
        columns: &'a [&'a str],
        rows: usize,
        deadline: Duration,
    ) -> BoxFuture<'a, Result<Vec<Vec<Value>>, DatabaseError>> {
        self.database.peek(table, columns, rows, deadline)
    }

    fn look_up<'a>(
        &'a self,
        table: &'a Table,
        column: &'a str,
        values: &'a [Value],
        deadline: Duration,
    ) -> BoxFuture<'a, Result<Option<Vec<Value>>, DatabaseError>> {
        self.database.look_up(table, column, values, deadline)
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
