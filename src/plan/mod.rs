//! The typed logical query: what a question means, before it is SQL.
//!
//! A [`QueryPlan`] speaks of tables and columns by their schema names and knows no SQL text and no dialect; `sql`
//! renders it. Everything the crate does to a query (compose it, edit it for a follow-up, compare two for a
//! summary of what changed) it does here, on values that can be matched and tested.

mod compare;
mod condition;
mod describe;
mod edit;
mod expr;
mod output;
mod phases;
mod query;
mod walk;
mod window;
mod with_table;

pub use compare::{PlanChange, compare, summary};
pub use condition::{Comparison, Condition};
pub use edit::{EditError, EditWeight, PlanEdit, instructions, weight};
pub use expr::{Aggregate, Arithmetic, ColumnRef, DatePart, Expr, Function};
pub use output::{Confidence, JoinCondition, PlannedTable, PlannerOutput};
pub use phases::{JoinInference, QueryUnderstanding, TableRefinement, TableRelevance};
pub use query::{
    Direction, Join, JoinKind, Order, Projection, QueryPlan, Select, SetOperation, SetOperator, Source,
    TableUse,
};
pub use window::Window;
