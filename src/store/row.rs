//! What the rows of every store on a database have in common.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::graph::RunId;
use crate::graph::journal::{Choice, Frontier};

/// What a step moved, in one column.
#[derive(Serialize, Deserialize)]
pub(super) struct Moved {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) decided: Vec<Choice>,
    pub(super) next: Frontier,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) budgets: Vec<(Arc<str>, u32)>,
}

pub(super) fn to_json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Other(error.into()))
}

pub(super) fn from_json<'a, T: Deserialize<'a>>(run: RunId, text: &'a str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::damaged(run, error))
}

/// The database that a state is about.
pub(super) fn database_of(snapshot: &str) -> String {
    #[derive(Deserialize)]
    struct Named {
        database: String,
    }
    serde_json::from_str(snapshot).map_or_else(|_| String::new(), |named: Named| named.database)
}
