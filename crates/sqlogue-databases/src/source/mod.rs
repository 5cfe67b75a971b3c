//! Where schemas come from: a database, and what can be inferred about it.
//!
//! [`introspect`] reads a schema and adds the foreign keys that nobody declared; a [`SchemaCache`] keeps schemas, so
//! that a second turn does not read them again. [`excel`] reads data dictionaries, and [`merge`](merge()) adds what
//! they say, and a [`Described`] database says it too. Nothing here reasons about questions.

mod described;
pub mod excel;
mod keys;
mod merge;
mod schema_cache;

pub use described::Described;
pub use keys::infer_keys;
pub use merge::{Conflict, merge};
pub use schema_cache::SchemaCache;

use crate::{Database, DatabaseError};
use sqlogue_sql::schema::Schema;

/// Reads a database's schema and adds foreign keys that names and values speak for, marked as not declared.
///
/// # Errors
/// Where the database cannot be read.
pub async fn introspect(database: &dyn Database) -> Result<Schema, DatabaseError> {
    let mut schema = database.introspect().await?;
    infer_keys(database, &mut schema).await;
    Ok(schema)
}

#[cfg(test)]
mod tests;
