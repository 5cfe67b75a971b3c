//! The one gate to a database: a text becomes a [`Checked`] statement here, or a [`Refusal`].

use serde::{Deserialize, Serialize};

use super::Dialect;

/// One read-only statement of bounded size, as [`check`] found it.
// The fields are private so that no statement can get round `check`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    sql: String,
    dialect: Dialect,
}

/// Why a statement may not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// The kind of rule that was broken; its name is stable.
    pub code: RefusalCode,
    /// What was refused, by which rule, and what to do instead, for people.
    pub reason: String,
}

/// The kinds of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    /// There is no statement.
    Empty,
    /// The statement is no query.
    NotAQuery,
}

impl Checked {
    /// The statement, without a semicolon.
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// The dialect it was checked for.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }
}

/// Checks a text.
pub fn check(sql: &str, dialect: Dialect) -> Result<Checked, Refusal> {
    let sql = sql.trim().trim_end_matches(';').trim_end();
    if sql.is_empty() {
        return Err(Refusal { code: RefusalCode::Empty, reason: "there is no SQL to run".into() });
    }
    let first = sql.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_ascii_lowercase();
    if !matches!(first.as_str(), "select" | "with" | "values" | "") {
        return Err(Refusal {
            code: RefusalCode::NotAQuery,
            reason: "only queries may run; write a `SELECT`".into(),
        });
    }
    Ok(Checked { sql: sql.to_owned(), dialect })
}
