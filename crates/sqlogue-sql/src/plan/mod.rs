//! The typed logical query: what a question means, before it is SQL.
//!
//! A [`QueryPlan`] speaks of tables and columns by their schema names and knows no SQL text and no dialect; `sql`
//! renders it. Everything the crate does to a query (compose it, edit it for a follow-up, compare two for a
//! summary of what changed) it does here, on values that can be matched and tested.

mod alias;
mod case;
mod compare;
mod condition;
mod dates;
mod describe;
mod edit;
mod exclude;
mod expr;
mod layers;
mod nodes;
mod output;
mod percentile;
mod period;
mod phases;
mod query;
mod walk;
mod window;
mod with_table;

pub use case::Branch;
pub use compare::{PlanChange, compare, summary};
pub use condition::{Comparison, Condition};
pub use dates::{DatePart, DateUnit, EpochUnit, TimeUnit};
pub use edit::{EditError, EditWeight, PlanEdit, instructions, weight};
pub use expr::{Aggregate, Arithmetic, CastType, ColumnRef, Expr, Function};
pub use output::{Confidence, JoinCondition, PlannedTable, PlannerOutput};
pub use period::Period;
pub use phases::{JoinInference, QueryUnderstanding, TableRefinement, TableRelevance};
pub use query::{
    Direction, Join, JoinKind, NamedQuery, Order, Projection, QueryPlan, Select, SetOperation, SetOperator,
    Source, TableUse,
};
pub use window::{Frame, FrameBound, Window, WindowFunction};
