//! Where schemas come from: a database, and what can be inferred about it.
//!
//! [`introspect`] reads a schema and adds the foreign keys that nobody declared; a [`Catalog`] keeps schemas, so
//! that a second turn does not read them again. Nothing here reasons about questions.

mod catalog;
mod keys;

pub use catalog::Catalog;

use crate::database::{Database, DatabaseError};
use crate::schema::Schema;

/// Reads a database's schema and adds foreign keys that names and values speak for, marked as not declared.
///
/// # Errors
/// Where the database cannot be read.
pub async fn introspect(database: &dyn Database) -> Result<Schema, DatabaseError> {
    let mut schema = database.introspect().await?;
    keys::infer(database, &mut schema).await;
    Ok(schema)
}

#[cfg(test)]
mod tests;
