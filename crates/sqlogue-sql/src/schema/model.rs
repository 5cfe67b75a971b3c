//! Tables, columns and keys.

use serde::{Deserialize, Serialize};

use super::Value;

/// Everything known about one database: its tables and views, with keys, descriptions and sample values.
///
/// Table and column names are kept as the database spells them; look-ups ([`Schema::table`], [`Table::column`])
/// ignore ASCII case, as SQL does.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// The tables and views, in the order the database lists them.
    pub tables: Vec<Table>,
}

/// One table or view.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The name as the database spells it.
    pub name: String,
    /// Whether it is a table or a view.
    #[serde(default)]
    pub kind: TableKind,
    /// What people wrote about it (a comment in the database, a data dictionary).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The columns, in declaration order.
    pub columns: Vec<Column>,
    /// The foreign keys, declared or inferred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_keys: Vec<ForeignKey>,
    /// The number of rows when the schema was read, where it was cheap to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_count: Option<u64>,
}

/// Whether rows are stored or computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// Rows are stored.
    #[default]
    Table,
    /// Rows are computed by a query when asked for.
    View,
}

/// One column of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// The name as the database spells it.
    pub name: String,
    /// The type as declared, for people and prompts (`VARCHAR(20)`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub declared_type: String,
    /// The family of the type, for reasoning.
    #[serde(rename = "type", default)]
    pub column_type: ColumnType,
    /// False where the database forbids NULL.
    #[serde(default = "yes")]
    pub nullable: bool,
    /// True where the column is the primary key or a part of it, declared or inferred.
    #[serde(default)]
    pub primary_key: bool,
    /// Why it is taken for the primary key or a part of it; none where the key is declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_evidence: Option<KeyEvidence>,
    /// True where no two rows share a value (a single-column primary key or unique index).
    #[serde(default)]
    pub unique: bool,
    /// What people wrote about it (a comment in the database, a data dictionary).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What its codes stand for, where a table of codes of several kinds says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codes: Option<Codes>,
    /// A few distinct values that occur in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Value>,
}

/// The rows of one kind in a table of codes of several kinds: those of a status, those of a rank.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Codes {
    /// The table of codes.
    pub table: String,
    /// Its column that says of which kind a row is.
    pub kind_column: String,
    /// The kind.
    pub kind: String,
    /// Its column of codes.
    pub code_column: String,
    /// Its column that says what a code stands for.
    pub text_column: String,
    /// The codes of the kind, each with what it stands for.
    pub meanings: Vec<(String, String)>,
}

fn yes() -> bool {
    true
}

/// The family a column's type belongs to: what questions can be asked of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnType {
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction.
    Real,
    /// Text.
    #[default]
    Text,
    /// True or false.
    Boolean,
    /// A calendar date.
    Date,
    /// A date with a time of day.
    DateTime,
    /// A time of day.
    Time,
    /// Bytes.
    Blob,
    /// Anything else (JSON, arrays, geography).
    Other,
}

impl ColumnType {
    /// True for [`ColumnType::Integer`] and [`ColumnType::Real`].
    pub fn is_numeric(self) -> bool {
        matches!(self, Self::Integer | Self::Real)
    }

    /// True for [`ColumnType::Date`] and [`ColumnType::DateTime`].
    pub fn is_temporal(self) -> bool {
        matches!(self, Self::Date | Self::DateTime)
    }
}

/// Why something is taken for a key that nobody declared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeyEvidence {
    /// How likely it is one, in percent.
    pub percent: u8,
    /// What speaks for it and against it, for people.
    pub because: Vec<String>,
}

/// Columns of one table whose values name rows of another, or of the same.
///
/// A column may have two of them that nobody declared, where two tables are about equally likely.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignKey {
    /// The referring columns, in this table.
    pub columns: Vec<String>,
    /// The table referred to.
    pub table: String,
    /// The columns referred to, in the order of `columns`.
    pub references: Vec<String>,
    /// False where the key is not declared in the database but inferred from names and values, or written down by people.
    pub declared: bool,
    /// What an inferred key was inferred from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<KeyEvidence>,
}

impl Schema {
    /// The table of that name, ignoring ASCII case.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// The same schema with only the tables for which `keep` holds.
    pub fn filtered(&self, keep: impl Fn(&Table) -> bool) -> Schema {
        Schema { tables: self.tables.iter().filter(|table| keep(table)).cloned().collect() }
    }

    /// The number of columns in all tables.
    pub fn column_count(&self) -> usize {
        self.tables.iter().map(|table| table.columns.len()).sum()
    }
}

impl Table {
    /// The column of that name, ignoring ASCII case.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// The columns of the primary key, in declaration order.
    pub fn primary_key(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.primary_key)
    }
}
