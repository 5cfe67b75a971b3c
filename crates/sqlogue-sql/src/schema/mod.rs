//! What a database looks like to the rest of the crate: tables, columns, keys, samples and cell values.
//!
//! A [`Schema`] is plain data. It is made by `source` (from a database, an Excel data dictionary, or both) and
//! read by everything that reasons about a question. It knows no SQL dialect and never touches a database.

mod fingerprint;
mod model;
mod naming;
mod value;

pub use fingerprint::Fingerprint;
pub use model::{Codes, Column, ColumnType, ForeignKey, KeyEvidence, Schema, Table, TableKind};
pub use naming::{SharedNames, column_prefix, is_subsequence, pieces, plain_name, row_words, table_words};
pub use value::Value;
