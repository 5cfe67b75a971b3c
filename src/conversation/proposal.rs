//! A query that was written for a question as a whole.

use serde::{Deserialize, Serialize};
use sqlogue_language::Trial;

/// What somebody wrote who was asked for the query of a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Proposal {
    /// The SQL; none where no use can be made of what was written, so that the question is found out phase by phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
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
    /// The readings of the rules that come to the same, by their places, the likeliest being 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub like: Vec<usize>,
}
