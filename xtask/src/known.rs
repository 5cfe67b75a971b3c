//! What the rules know of a database, with or without what is declared of its keys and what English says of its words.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};

use sqlogue::database::{Database, SqliteDatabase, ValueLimits};
use sqlogue::reasoner::rules::Knowledge;
use sqlogue::schema::{Schema, Value};
use sqlogue::source;
use tokio::runtime::Runtime;

/// What is taken away before questions are asked.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Without {
    /// Keys and references that the database declares; they are inferred as where there are none.
    pub(crate) keys: bool,
    /// Keys and references that are inferred too: what is left is what is declared, if it was not taken away.
    pub(crate) inferring: bool,
    /// The table of synonyms.
    pub(crate) synonyms: bool,
}

/// The file of a database: in a folder of its name, or beside the others.
pub(crate) fn file(folder: &Path, name: &str) -> PathBuf {
    let nested = folder.join(name).join(format!("{name}.sqlite"));
    if nested.exists() { nested } else { folder.join(format!("{name}.sqlite")) }
}

/// Takes all declared keys and references out of a schema.
pub(crate) fn take_keys_away(schema: &mut Schema) {
    for table in &mut schema.tables {
        table.foreign_keys.clear();
        for column in &mut table.columns {
            (column.primary_key, column.unique, column.nullable) = (false, false, true);
        }
    }
}

/// Reads a database as the program does.
pub(crate) fn read(database: &SqliteDatabase, without: Without, runtime: &Runtime) -> Knowledge {
    let (schema, values) = runtime.block_on(async {
        let mut schema = database.introspect().await.unwrap();
        if without.keys {
            take_keys_away(&mut schema);
        }
        if !without.inferring {
            source::infer_keys(database, &mut schema).await;
        }
        let values = database.text_values(&schema, &ValueLimits::default()).await.unwrap();
        (schema, values)
    });
    let mut builder = Knowledge::builder(&schema, 64 << 20);
    for column in values {
        builder.values(&column.table, &column.column, column.values.into_iter().map(Value::Text));
    }
    let mut knowledge = builder.finish();
    knowledge.use_synonyms(!without.synonyms);
    knowledge
}
