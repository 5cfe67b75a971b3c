//! Schemas that were read already.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::introspect;
use crate::{Database, DatabaseError};
use sqlogue_sql::schema::Schema;

/// How many schemas are kept.
const KEPT: usize = 64;

/// Keeps the schema of each database for as long as its version stays the same.
///
/// Row counts and samples are those of the first look: rows that come later do not change a schema's version.
#[derive(Debug, Default)]
pub struct SchemaCache {
    /// The version and the schema, the one used last at the end.
    entries: Mutex<VecDeque<(String, Arc<Schema>)>>,
}

impl SchemaCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// The schema of a database, read only where its version is not known yet.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn schema(&self, database: &dyn Database) -> Result<Arc<Schema>, DatabaseError> {
        let version = database.schema_version().await?;
        if let Some(schema) = self.take(&version) {
            return Ok(schema);
        }
        let schema = Arc::new(introspect(database).await?);
        let mut entries = self.entries();
        if entries.len() >= KEPT {
            entries.pop_front();
        }
        entries.push_back((version, Arc::clone(&schema)));
        Ok(schema)
    }

    /// The schema that was used last, whether or not its database has changed since; none where none was read yet.
    pub fn latest(&self) -> Option<Arc<Schema>> {
        self.entries().back().map(|(_, schema)| Arc::clone(schema))
    }

    fn take(&self, version: &str) -> Option<Arc<Schema>> {
        let mut entries = self.entries();
        let at = entries.iter().position(|(known, _)| known == version)?;
        let entry = entries.remove(at)?;
        let schema = Arc::clone(&entry.1);
        entries.push_back(entry);
        Some(schema)
    }

    fn entries(&self) -> MutexGuard<'_, VecDeque<(String, Arc<Schema>)>> {
        // The list is whole between any two of its operations, whatever a panic interrupted.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
