//! What a database returns.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use sqlogue_sql::schema::Value;

/// The rows of a query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// The names of the columns as the database gives them, equal ones included.
    pub columns: Vec<String>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Vec<Value>>,
    /// True where a limit cut the result: there were more rows than these.
    #[serde(default)]
    pub truncated: bool,
    /// What the query cost, for people, where the database counts it: `1.2 GB of at most 10 GB`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// The time from the call to the last row.
    #[serde(default)]
    pub elapsed: Duration,
}

/// The distinct texts of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnValues {
    /// The table's name in the schema.
    pub table: String,
    /// The column's name in the schema.
    pub column: String,
    /// Distinct values, in the order in which they first occur.
    pub values: Vec<String>,
    /// False where a limit left some out.
    pub complete: bool,
}

impl Rows {
    /// The number of rows returned.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True where no row was returned.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
