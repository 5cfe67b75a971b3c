//! The planner's answer in words that people and models share.

use serde::{Deserialize, Serialize};

use super::{ColumnRef, QueryPlan};

/// What the planner understood of a question: tables, joins, filters, and why.
///
/// The lists are for people, prompts and lessons. Where the reasoner can give it, `query_plan` holds the same as a
/// typed query, from which SQL is rendered without asking anybody.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannerOutput {
    /// The tables that the query needs, with the columns it uses of each.
    pub tables: Vec<PlannedTable>,
    /// Whether more than one table must be joined.
    pub joins_needed: bool,
    /// The join conditions, once inferred.
    #[serde(default)]
    pub joins: Vec<JoinCondition>,
    /// The conditions on rows and groups, one a line (`orders.status = 'open'`).
    #[serde(default)]
    pub filters: Vec<String>,
    /// The aggregates (`count(*)`, `sum(order_items.quantity)`).
    #[serde(default)]
    pub aggregations: Vec<String>,
    /// What one row stands for, where rows are grouped.
    #[serde(default)]
    pub grouping: Vec<String>,
    /// The ordering, most significant first (`orders.total descending`).
    #[serde(default)]
    pub ordering: Vec<String>,
    /// At most this many rows.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Why this reading and no other.
    #[serde(default)]
    pub reasoning: String,
    /// How sure the reasoner is.
    #[serde(default)]
    pub confidence: Confidence,
    /// The same as a typed query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_plan: Option<QueryPlan>,
}

/// A table in a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannedTable {
    /// The table's name in the schema.
    pub name: String,
    /// The columns of it that the query uses, in schema spelling.
    pub columns: Vec<String>,
}

/// One pair of columns that joins two tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinCondition {
    /// The one side.
    pub left: ColumnRef,
    /// The other side.
    pub right: ColumnRef,
}

/// How sure somebody is, in the three steps that people can tell apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// More a guess than an answer.
    #[default]
    Low,
    /// Probably right.
    Medium,
    /// As good as certain.
    High,
}

impl Confidence {
    /// The name as written in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
