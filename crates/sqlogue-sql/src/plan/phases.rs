//! What the phases of query understanding find out on the way to a plan.
//!
//! The phases are those of a three-phase table identification: every table is judged alone, those that were kept are
//! judged together, and what the query has to do is put together last.

use serde::{Deserialize, Serialize};

use super::{JoinCondition, PlannedTable};

/// Phase 1: one table, judged alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TableRelevance {
    /// The table's name in the schema.
    pub table: String,
    /// Whether the question may need it.
    pub is_relevant: bool,
    /// How sure that is, from 0 to 1.
    #[serde(default)]
    pub confidence: f64,
    /// The columns of it that the question may need.
    #[serde(default)]
    pub relevant_columns: Vec<String>,
    /// Why.
    #[serde(default)]
    pub reasoning: String,
}

/// Phase 2: the tables of phase 1, judged together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TableRefinement {
    /// The tables that stay.
    pub final_tables: Vec<String>,
    /// The tables that are not needed after all.
    #[serde(default)]
    pub removed_tables: Vec<String>,
    /// Why.
    #[serde(default)]
    pub reasoning: String,
}

/// Phase 3: what the query has to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryUnderstanding {
    /// The tables, with the columns used of each.
    pub tables: Vec<PlannedTable>,
    /// Whether more than one of them must be joined.
    #[serde(default)]
    pub joins_needed: bool,
    /// Conditions on rows and groups.
    #[serde(default)]
    pub filters: Vec<String>,
    /// Aggregates.
    #[serde(default)]
    pub aggregations: Vec<String>,
    /// What one row stands for.
    #[serde(default)]
    pub grouping: Vec<String>,
    /// The ordering.
    #[serde(default)]
    pub ordering: Vec<String>,
    /// At most this many rows.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Why, all phases taken together.
    #[serde(default)]
    pub reasoning: String,
}

/// How the tables are joined.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JoinInference {
    /// The conditions chosen.
    pub joins: Vec<JoinCondition>,
    /// How sure that is, from 0 to 1.
    #[serde(default)]
    pub confidence: f64,
    /// Other ways to join the same tables, the likeliest first.
    #[serde(default)]
    pub candidates: Vec<Vec<JoinCondition>>,
    /// Why.
    #[serde(default)]
    pub reasoning: String,
}

impl JoinInference {
    /// Joins the tables of `join` by it and in no other way.
    pub fn settle(&mut self, join: JoinCondition) {
        let (one, other) = (&join.left.table, &join.right.table);
        self.candidates.retain(|way| !way.iter().any(|known| known.is_between(one, other)));
        let Some(place) = self.joins.iter().position(|known| known.is_between(one, other)) else { return };
        self.joins.retain(|known| !known.is_between(one, other));
        self.joins.insert(place, join);
    }
}
