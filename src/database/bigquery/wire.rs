//! The API's answers, as far as they are used here.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::database::DatabaseError;

/// The answer to a query, and to a request for more of its rows.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct QueryAnswer {
    pub(super) job_complete: bool,
    pub(super) job_reference: Option<JobReference>,
    pub(super) schema: Option<TableSchema>,
    // Pages of rows are large, and no row is an object that anything depends on.
    #[serde(skip_serializing)]
    pub(super) rows: Vec<TableRow>,
    pub(super) page_token: Option<String>,
    pub(super) total_rows: Option<String>,
    pub(super) errors: Vec<ErrorPart>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JobReference {
    pub(super) project_id: String,
    pub(super) job_id: String,
    pub(super) location: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct TableSchema {
    pub(super) fields: Vec<Field>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Field {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) mode: Option<String>,
    pub(super) fields: Vec<Field>,
    pub(super) description: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TableRow {
    pub(super) f: Vec<TableCell>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TableCell {
    pub(super) v: Json,
}

/// A job, as the answer to a dry run.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Job {
    pub(super) statistics: Statistics,
    pub(super) status: Status,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Statistics {
    pub(super) total_bytes_processed: Option<String>,
    pub(super) query: QueryStatistics,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct QueryStatistics {
    pub(super) statement_type: Option<String>,
    pub(super) total_bytes_processed: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Status {
    pub(super) error_result: Option<ErrorPart>,
}

/// The list of a dataset's tables.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TableList {
    pub(super) tables: Vec<ListedTable>,
    pub(super) next_page_token: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ListedTable {
    pub(super) table_reference: TableReference,
    pub(super) creation_time: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TableReference {
    pub(super) table_id: String,
}

/// Rows of a table without a query.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct TableData {
    // Pages of rows are large, and no row is an object that anything depends on.
    #[serde(skip_serializing)]
    pub(super) rows: Vec<TableRow>,
}

/// A refusal.
#[derive(Debug, Default)]
pub(super) struct ErrorAnswer {
    status: u16,
    error: ErrorBody,
}

#[derive(Debug, Default, Deserialize)]
struct ErrorEnvelope {
    error: ErrorBody,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ErrorBody {
    message: String,
    errors: Vec<ErrorPart>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ErrorPart {
    pub(super) reason: String,
    pub(super) message: String,
}

impl ErrorAnswer {
    pub(super) fn read(status: u16, body: &[u8]) -> Self {
        let error =
            serde_json::from_slice(body).map(|envelope: ErrorEnvelope| envelope.error).unwrap_or_default();
        Self { status, error }
    }

    pub(super) fn error(self, name: &str, sql: &str) -> DatabaseError {
        let part = self.error.errors.into_iter().next().unwrap_or_default();
        let message = if self.error.message.is_empty() { part.message } else { self.error.message };
        ErrorPart { reason: part.reason, message }.error(Some(self.status), name, sql)
    }
}

impl ErrorPart {
    /// The error in our words; `status` is the answer's where it was refused as a whole.
    pub(super) fn error(self, status: Option<u16>, name: &str, sql: &str) -> DatabaseError {
        let name = name.to_owned();
        let message = match self.message.as_str() {
            "" => status.map_or("it failed without a word".into(), |status| {
                format!("it answered with status {status}")
            }),
            message => printable(message),
        };
        match (self.reason.as_str(), status) {
            ("bytesBilledLimitExceeded", _) => {
                DatabaseError::Limit { what: "data to be read", limit: message }
            }
            ("quotaExceeded" | "rateLimitExceeded" | "resourcesExceeded" | "billingTierLimitExceeded", _) => {
                DatabaseError::Limit { what: "of a quota", limit: message }
            }
            ("accessDenied" | "authError" | "required", _) | (_, Some(401 | 403)) => {
                DatabaseError::Login { name, message }
            }
            ("invalidQuery" | "invalid" | "notFound" | "duplicate", _) | (_, Some(400 | 404)) => {
                DatabaseError::Query { offset: position(&message, sql), message }
            }
            _ => DatabaseError::Failed { name, message },
        }
    }
}

/// Where in the SQL an error is, from a message that ends in `at [line:column]`.
fn position(message: &str, sql: &str) -> Option<usize> {
    let (_, rest) = message.rsplit_once(" at [")?;
    let (line, column) = rest.split_once(']')?.0.split_once(':')?;
    let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
    let line = line.checked_sub(1)?;
    let start: usize = sql.split_inclusive('\n').take(line).map(str::len).sum();
    let text = sql.get(start..)?;
    let (offset, _) = text.char_indices().nth(column.checked_sub(1)?)?;
    Some(start + offset)
}

/// A text without control characters, cut to a length that people read.
pub(super) fn printable(text: &str) -> String {
    const LENGTH: usize = 300;
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).take(LENGTH).collect()
}
