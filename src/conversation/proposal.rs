//! A query that was written for a question as a whole.

use serde::{Deserialize, Serialize};
use sqlogue_language::Trial;

use super::QueryResult;

/// What somebody wrote who was asked for the query of a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProposedQuery {
    /// The SQL; none where no use can be made of what was written, so that the question is found out phase by phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The model that wrote it, as its server calls it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// True where it was written by a plan that the phases came to.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_phases: bool,
    /// Why it is so, a sentence.
    pub reasoning: String,
    /// What was done to it before it was tried, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What came of running it.
    pub trial: Trial,
    /// How often its author was asked for it, where that was more than once.
    #[serde(skip_serializing_if = "is_zero")]
    pub samples: u32,
    /// Of these, how many came to the same as it, itself included.
    #[serde(skip_serializing_if = "is_zero")]
    pub alike: u32,
    /// The readings of the rules that come to the same, by their places, the likeliest being 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub like: Vec<usize>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What a model wrote for a question that was answered: all that is needed to tell later whether it was right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// The model, as its server calls it.
    pub by: String,
    /// The SQL.
    pub sql: String,
    /// What came of running it.
    pub trial: Trial,
}

impl Written {
    /// Whether it gave the same as the statement that is right; `None` where that cannot be told from what is kept.
    pub fn agrees(&self, sql: &str, result: Option<&QueryResult>) -> Option<bool> {
        if self.sql == sql {
            return Some(true);
        }
        match (self.trial, result) {
            (Trial::Failed, _) => Some(false),
            (Trial::Rows { .. }, Some(result)) if !result.truncated => {
                Some(Trial::of(&result.rows) == self.trial)
            }
            _ => None,
        }
    }
}
