//! Plans: composed from what the phases found, or changed as the router says.

use super::answers::PlanAnswer;
use super::call::{Trouble, Turn};
use super::context;
use super::data;
use super::phases::conditions;
use super::prompts::Task;
use super::{ModelReasoner, names};
use crate::conversation::{ErrorKind, TurnError};
use crate::plan::{Confidence, PlannerOutput};
use crate::reasoner::{Ask, Reading};

impl ModelReasoner {
    /// The plan, from all that the phases found. Nobody is asked.
    pub(super) fn compose_reading(&self, ask: Ask<'_>) -> Result<Reading, TurnError> {
        let state = ask.state;
        let Some(understanding) = &state.scratch.understanding else {
            let message = "No table was found that has to do with the question.";
            return Err(TurnError::new(ErrorKind::NoRelevantTables, message));
        };
        let joins = state.scratch.joins.as_ref();
        let mut evidence = Vec::new();
        let judged = state.scratch.evaluated.iter().filter(|table| {
            table.is_relevant && understanding.tables.iter().any(|used| used.name == table.table)
        });
        let mut sure = joins.map_or(1.0, |joins| joins.confidence);
        for table in judged {
            sure = sure.min(table.confidence);
            if !table.reasoning.is_empty() {
                evidence.push(format!("{}: {}", table.table, table.reasoning));
            }
        }
        let reasons = [
            state.scratch.refinement.as_ref().map(|refinement| &refinement.reasoning),
            Some(&understanding.reasoning),
            joins.map(|joins| &joins.reasoning),
        ];
        evidence.extend(reasons.into_iter().flatten().filter(|reason| !reason.is_empty()).cloned());
        evidence.extend(self.book.left_out(&state.scratch.turn_id));
        let output = PlannerOutput {
            tables: understanding.tables.clone(),
            joins_needed: understanding.joins_needed,
            joins: joins.map(|joins| joins.joins.clone()).unwrap_or_default(),
            filters: understanding.filters.clone(),
            aggregations: understanding.aggregations.clone(),
            grouping: understanding.grouping.clone(),
            ordering: understanding.ordering.clone(),
            limit: understanding.limit,
            reasoning: evidence.join("; "),
            confidence: confidence(sure),
            left_out: Vec::new(),
            doubts: Vec::new(),
            query_plan: None,
        };
        Ok(Reading::new(output, evidence))
    }

    pub(super) async fn judge_update(&self, turn: &Turn<'_>) -> Result<Result<Reading, TurnError>, Trouble> {
        let schema = turn.ask.knowledge.schema();
        let parts = || {
            let mut parts = self.instructed(turn, self.basic_parts(turn));
            if let Some(plan) = context::previous_plan(turn) {
                parts = parts
                    .need("previous_plan", self.budget.cut(&data::fenced(&plan), self.budget.room() / 2));
            }
            self.hinted(turn, self.after_answer(turn, parts).wish("history", context::history(turn)))
        };
        let check = |answer: PlanAnswer| {
            let named = answer.tables.iter().map(|table| (table.name.as_str(), table.columns.as_slice()));
            let tables = names::planned(schema, named)?;
            if tables.is_empty() {
                return Err("`tables` must hold at least one table".to_owned());
            }
            let joins = conditions(schema, &answer.joins)?;
            Ok(PlannerOutput {
                joins_needed: tables.len() > 1,
                tables,
                joins,
                filters: answer.filters,
                aggregations: answer.aggregations,
                grouping: answer.grouping,
                ordering: answer.ordering,
                limit: answer.limit.and_then(|limit| u64::try_from(limit).ok()).filter(|limit| *limit > 0),
                reasoning: data::cut(&answer.reasoning, 600),
                confidence: confidence(answer.confidence),
                left_out: Vec::new(),
                doubts: Vec::new(),
                query_plan: None,
            })
        };
        let output = match self.ask_model::<PlanAnswer, _>(turn, Task::UpdatePlan, parts, check).await {
            Ok(output) => output,
            Err(Trouble::Unusable(problem)) => {
                let message =
                    format!("The model did not change the plan in a way that can be used: {problem}.");
                return Ok(Err(TurnError::new(ErrorKind::Model, message)));
            }
            Err(trouble) => return Err(trouble),
        };
        let evidence = Some(output.reasoning.clone()).filter(|reason| !reason.is_empty());
        Ok(Ok(Reading::new(output, evidence.into_iter().collect())))
    }
}

/// A number from 0 to 1 in the three steps that people can tell apart.
pub(super) fn confidence(sure: f64) -> Confidence {
    match sure {
        sure if sure >= 0.8 => Confidence::High,
        sure if sure >= 0.5 => Confidence::Medium,
        _ => Confidence::Low,
    }
}
