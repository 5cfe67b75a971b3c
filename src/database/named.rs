//! A database under a name that somebody gave it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{BoxFuture, ColumnValues, Database, DatabaseError, Limits, Rows, ValueLimits};
use crate::schema::{Schema, Value};
use crate::sql::{Checked, Dialect};

/// A database that people know by another name than its own: the name in the settings instead of the file's.
#[derive(Debug)]
pub struct NamedDatabase {
    name: String,
    database: Arc<dyn Database>,
}

impl NamedDatabase {
    /// The same database under that name.
    pub fn new(name: impl Into<String>, database: Arc<dyn Database>) -> Self {
        Self { name: name.into(), database }
    }
}

impl Database for NamedDatabase {
    fn name(&self) -> &str {
        &self.name
    }

    fn dialect(&self) -> Dialect {
        self.database.dialect()
    }

    fn schema_version(&self) -> BoxFuture<'_, Result<String, DatabaseError>> {
        self.database.schema_version()
    }

    fn introspect(&self) -> BoxFuture<'_, Result<Schema, DatabaseError>> {
        self.database.introspect()
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
