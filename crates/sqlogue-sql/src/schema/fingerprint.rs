//! A short name for a schema's exact shape.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::Schema;

/// Sixteen hexadecimal digits that change when a table, a column, a type or a declared key changes, and stay the same
/// when only descriptions, samples, row counts or inferred keys do.
///
/// It tells a saved conversation that the database it speaks of has changed; it is no protection against
/// somebody who wants two schemas to look alike.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// The fingerprint of a schema.
    pub fn of(schema: &Schema) -> Self {
        let mut hasher = DefaultHasher::new();
        for table in &schema.tables {
            // What was inferred depends on the rows, and what people say of references changes without a change of the
            // schema.
            let known = || table.foreign_keys.iter().filter(|key| key.declared);
            (&table.name, table.kind, table.columns.len(), known().count()).hash(&mut hasher);
            for column in &table.columns {
                (&column.name, &column.declared_type, column.column_type).hash(&mut hasher);
                let declared = column.key_evidence.is_none();
                let (key, unique) = (column.primary_key && declared, column.unique && declared);
                (column.nullable, key, unique).hash(&mut hasher);
            }
            for key in known() {
                (&key.columns, &key.table, &key.references, key.declared).hash(&mut hasher);
            }
        }
        Self(format!("{:016x}", hasher.finish()))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
