//! `planner`: from a question to a plan, as a graph of its own.
//!
//! A new plan goes through all phases: what was learnt of such questions is recalled, every table is judged alone, those kept are judged together, what the query has to
//! do is put together, the joins are inferred, and the plan is composed. A follow-up that changes the previous plan goes
//! straight to `update_plan`.

mod compose;
mod phases;

pub use compose::{ComposePlan, UpdatePlan};
pub use phases::{
    ApplyCorrections, EvaluateTables, InferJoins, RecallLessons, RefineTables, SynthesizeRequirements,
};

use std::sync::Arc;

use super::{Services, asked, judged, memory};
use crate::conversation::{Change, ConversationState, ErrorKind, TurnError};
use crate::plan::PlannerOutput;
use crate::reasoner::{Knowledge, Planned};

/// The change that a planner's answer makes.
fn planned(planned: Planned, knowledge: &Knowledge) -> Change {
    match planned {
        Planned::Plan { output, explanation } | Planned::Unsure { output, explanation, .. } => {
            let schema = Arc::new(knowledge.schema().filtered(|table| mentions(&output, &table.name)));
            Change::PlanAdded { output, schema, explanation }
        }
        Planned::Failed(error) => Change::TurnFailed { error },
    }
}

fn mentions(output: &PlannerOutput, table: &str) -> bool {
    output.tables.iter().any(|planned| planned.name.eq_ignore_ascii_case(table))
}

fn failed(kind: ErrorKind, message: impl Into<String>) -> Change {
    Change::TurnFailed { error: TurnError::new(kind, message) }
}

/// The tables in which something relevant was found, with their relevant columns.
fn kept_tables(state: &ConversationState) -> Vec<crate::plan::PlannedTable> {
    let relevant = state.scratch.evaluated.iter().filter(|table| table.is_relevant);
    let kept = relevant.filter(|table| match &state.scratch.refinement {
        Some(refinement) => refinement.final_tables.contains(&table.table),
        None => true,
    });
    kept.map(|table| crate::plan::PlannedTable {
        name: table.table.clone(),
        columns: table.relevant_columns.clone(),
    })
    .collect()
}
