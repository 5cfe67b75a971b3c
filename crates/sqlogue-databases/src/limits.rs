//! What a query may cost.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What one query may cost. The default is safe; nothing in a question, a state or a model's answer changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most rows that are returned; further ones are cut.
    pub rows: usize,
    /// The most bytes that the returned values take together; rows beyond are cut.
    pub bytes: usize,
    /// The longest time from the call to the last row, waiting for earlier queries included. A query that takes
    /// longer fails, within half a second.
    pub deadline: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rows: 10_000, bytes: 16 << 20, deadline: Duration::from_secs(5) }
    }
}

/// How much of a database is read for an index of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueLimits {
    /// The most distinct values of one column.
    pub per_column: usize,
    /// The longest value in bytes; longer ones are left out.
    pub length: usize,
    /// The most bytes of all values together.
    pub bytes: usize,
    /// The longest time for all columns; columns not reached by then are left out.
    pub deadline: Duration,
}

impl Default for ValueLimits {
    fn default() -> Self {
        Self { per_column: 5_000, length: 100, bytes: 16 << 20, deadline: Duration::from_secs(2) }
    }
}
