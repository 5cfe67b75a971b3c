//! The shapes of answers, one for each task, as they stand in requests.
//!
//! They are what a model is asked for, not what the rest of the crate works with: names are texts here, and only after
//! they were found in the schema do they become a plan's.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A shape of answers.
pub(super) trait Answer: JsonSchema + DeserializeOwned + Send {
    /// The shape's name in requests.
    const NAME: &'static str;
    /// The properties without which an answer is none; all others have defaults.
    const NEEDED: &'static [&'static str];

    /// An answer that is no JSON at all, for shapes that can be told from plain text.
    fn from_text(_text: &str) -> Option<Self> {
        None
    }
}

macro_rules! answer {
    ($type:ty, $name:literal, [$($needed:literal),*]) => {
        impl Answer for $type {
            const NAME: &'static str = $name;
            const NEEDED: &'static [&'static str] = &[$($needed),*];
        }
    };
}

/// Phase 1 for one table, or for one part of its columns.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RelevanceAnswer {
    pub(super) is_relevant: bool,
    pub(super) confidence: f64,
    pub(super) relevant_columns: Vec<String>,
    pub(super) reasoning: String,
}
answer!(RelevanceAnswer, "table_relevance", ["is_relevant"]);

/// Phase 1 for all tables of a small schema at once: those that are relevant.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TablesAnswer {
    pub(super) tables: Vec<RelevantTable>,
}
answer!(TablesAnswer, "relevant_tables", ["tables"]);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RelevantTable {
    pub(super) table: String,
    pub(super) confidence: f64,
    pub(super) relevant_columns: Vec<String>,
    pub(super) reasoning: String,
}

/// Phase 2.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RefinementAnswer {
    pub(super) final_tables: Vec<String>,
    pub(super) removed_tables: Vec<String>,
    pub(super) reasoning: String,
}
answer!(RefinementAnswer, "table_refinement", ["final_tables"]);

/// A table with columns.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct NamedTable {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
}

/// Phase 3.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct UnderstandingAnswer {
    pub(super) tables: Vec<NamedTable>,
    pub(super) joins_needed: Option<bool>,
    pub(super) filters: Vec<String>,
    pub(super) aggregations: Vec<String>,
    pub(super) grouping: Vec<String>,
    pub(super) ordering: Vec<String>,
    pub(super) limit: Option<i64>,
    pub(super) reasoning: String,
}
answer!(UnderstandingAnswer, "query_understanding", []);

/// Two columns that join their tables, each as `table.column`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct NamedJoin {
    pub(super) left: String,
    pub(super) right: String,
}

/// How tables are joined.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct JoinsAnswer {
    pub(super) joins: Vec<NamedJoin>,
    pub(super) confidence: f64,
    pub(super) candidates: Vec<NamedJoins>,
    pub(super) reasoning: String,
}
answer!(JoinsAnswer, "join_inference", ["joins"]);

/// Another way to join the same tables.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct NamedJoins {
    pub(super) joins: Vec<NamedJoin>,
}

/// A plan that was changed.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PlanAnswer {
    pub(super) tables: Vec<NamedTable>,
    pub(super) joins: Vec<NamedJoin>,
    pub(super) filters: Vec<String>,
    pub(super) aggregations: Vec<String>,
    pub(super) grouping: Vec<String>,
    pub(super) ordering: Vec<String>,
    pub(super) limit: Option<i64>,
    pub(super) reasoning: String,
    pub(super) confidence: f64,
}
answer!(PlanAnswer, "plan", ["tables"]);

/// Where a follow-up goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decision {
    ReviseQueryInline,
    UpdatePlan,
    RewritePlan,
    NewQuery,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RouterAnswer {
    pub(super) decision: Decision,
    pub(super) query: Option<String>,
    pub(super) instructions: String,
    pub(super) reasoning: String,
}
answer!(RouterAnswer, "router", ["decision"]);

/// SQL; none where the task allows to leave things as they are.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SqlAnswer {
    pub(super) sql: Option<String>,
    pub(super) reasoning: String,
}
impl Answer for SqlAnswer {
    const NAME: &'static str = "sql_query";
    const NEEDED: &'static [&'static str] = &["sql"];

    fn from_text(text: &str) -> Option<Self> {
        super::call::plain_sql(text)
    }
}

/// What an input wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum NamedIntent {
    NewQuery,
    Refinement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum NamedConfidence {
    High,
    Medium,
    Low,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct IntentAnswer {
    pub(super) intent: NamedIntent,
    pub(super) confidence: NamedConfidence,
    pub(super) reasoning: String,
}
answer!(IntentAnswer, "intent", ["intent"]);
