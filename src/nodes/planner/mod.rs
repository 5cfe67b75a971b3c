//! `planner`: from a question to a plan, as a graph of its own.
//!
//! A new plan goes through all phases: what was learnt of such questions is recalled, every table is judged alone, those kept
//! are judged together, what the query has to do is put together, the joins are inferred, the query is written where it has
//! to be, readings are tried, and the plan is composed. A follow-up that changes the previous plan goes straight to `update_plan`.

mod compose;
mod phases;
mod try_readings;
mod write_query;

pub use compose::{ComposePlan, UpdatePlan};
pub use phases::{
    ApplyCorrections, EvaluateTables, InferJoins, RecallLessons, RefineTables, SynthesizeRequirements,
};
pub use try_readings::TryReadings;
pub use write_query::WriteQuery;

use std::sync::Arc;

use super::{Judges, Known, Memory, Trying, asked, judged, memory};
use crate::ambiguity::Ambiguity;
use crate::conversation::{Change, ConversationState, ErrorKind, TurnError};
use crate::graph::{NodeError, Outcome};
use crate::plan::PlannerOutput;
use crate::reasoner::{Ask, Knowledge, Reading, grant};

/// The change that a plan makes.
fn planned(reading: Reading, knowledge: &Knowledge) -> Change {
    let Reading { output, sql, evidence } = reading;
    let schema = Arc::new(knowledge.schema().filtered(|table| mentions(&output, &table.name)));
    Change::PlanAdded { output: Box::new(output), sql, schema, explanation: evidence }
}

/// What a phase found, or the end of planning where something could not be judged.
fn found(changes: Vec<Change>, judged: Result<Vec<Change>, TurnError>) -> Result<Outcome<Change>, NodeError> {
    let last = judged.unwrap_or_else(|error| vec![Change::TurnFailed { error }]);
    Ok(Outcome::Done(changes.into_iter().chain(last).collect()))
}

fn mentions(output: &PlannerOutput, table: &str) -> bool {
    output.tables.iter().any(|planned| planned.name.eq_ignore_ascii_case(table))
}

fn failed(kind: ErrorKind, message: impl Into<String>) -> Change {
    Change::TurnFailed { error: TurnError::new(kind, message) }
}

fn raised(ambiguity: Ambiguity) -> Change {
    Change::AmbiguityRaised { ambiguity: Box::new(ambiguity) }
}

/// Applies to a typed plan what was wanted beside the question; what could not be done, as notes. A plan in words is applied
/// to once it is SQL.
fn granted(ask: Ask<'_>, output: &mut PlannerOutput) -> Vec<Change> {
    let wanted = &ask.state.scratch.asked.wanted;
    let Some(plan) = output.query_plan.clone().filter(|_| !wanted.is_empty()) else { return Vec::new() };
    let granted = grant(ask, wanted, plan);
    *output =
        PlannerOutput::from_plan(&granted.plan, std::mem::take(&mut output.reasoning), output.confidence);
    granted.notes.into_iter().map(|note| Change::Noted { note }).collect()
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
