//! The phases of query understanding.

use super::{Services, asked, failed, judged, kept_tables, memory, raised};
use crate::ambiguity::{Correction, detect};
use crate::conversation::{Change, ConversationState, ErrorKind, Route};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::plan::TableRelevance;
use crate::reasoner::{Ask, Knowledge};

/// `recall_lessons`: what was learnt that bears on the question.
pub struct RecallLessons {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for RecallLessons {
    async fn run(&self, state: &ConversationState, _context: &Context) -> Result<Outcome<Change>, NodeError> {
        let knowledge = self.services.knowledge().await?;
        let question = match state.route {
            Some(Route::Correction) => asked(state),
            // Of a follow-up, what was said; the router went by the same lessons.
            _ => &state.user_question,
        };
        Ok(Outcome::Done(self.services.recalled(question, state, knowledge.schema())))
    }
}

/// `apply_corrections`: what the person settled narrows the tables before any is judged.
pub struct ApplyCorrections {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for ApplyCorrections {
    async fn run(&self, state: &ConversationState, _context: &Context) -> Result<Outcome<Change>, NodeError> {
        if state.correction_attempts > self.services.max_correction_attempts {
            let tried: Vec<String> = state.corrections.iter().map(ToString::to_string).collect();
            let message = format!(
                "I gave up after {} corrections: {}. Please ask the question anew.",
                tried.len(),
                tried.join(", ")
            );
            return Ok(Outcome::Done(vec![failed(ErrorKind::TooManyCorrections, message)]));
        }
        let knowledge = self.services.knowledge().await?;
        let mut changes = Vec::new();
        // A plan made anew after a rewrite or in a resumed conversation begins here without `analyze_schema`.
        let tables = match state.scratch.tables_left.is_empty() && state.scratch.evaluated.is_empty() {
            true => knowledge.schema().tables.iter().map(|table| table.name.clone()).collect(),
            false => state.scratch.tables_left.clone(),
        };
        let rejected: Vec<&String> = state
            .corrections
            .iter()
            .filter_map(|correction| match correction {
                Correction::TableSelection { rejected_tables, .. } => Some(rejected_tables),
                _ => None,
            })
            .flatten()
            .collect();
        let set_aside = self.services.set_aside(state);
        let unwanted = |table: &String| {
            rejected.contains(&table) || set_aside.iter().any(|other| other.eq_ignore_ascii_case(table))
        };
        let tables: Vec<String> = tables.into_iter().filter(|table| !unwanted(table)).collect();
        changes.push(Change::TablesToEvaluate { tables });
        Ok(Outcome::Done(changes))
    }
}

/// `evaluate_tables`: phase 1, as many tables at a time as the reasoner takes.
pub struct EvaluateTables {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for EvaluateTables {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut changes = Vec::new();
        let left = &state.scratch.tables_left;
        if left.is_empty() {
            return Ok(Outcome::Done(changes));
        }
        let knowledge = self.services.knowledge().await?;
        let ask = self.services.ask(state, &knowledge, context);
        let reasoner = self.services.reasoner(ask);
        let now = left.get(..left.len().min(reasoner.tables_at_once(ask).max(1))).unwrap_or_default();
        match judged(reasoner.evaluate_tables(ask, now).await, &mut changes) {
            Ok(judged) => {
                let (relevant, irrelevant): (Vec<_>, Vec<_>) =
                    judged.into_iter().partition(|relevance| relevance.is_relevant);
                changes.extend(relevant.into_iter().map(|relevance| Change::TableEvaluated { relevance }));
                // Whatever was not judged relevant is done with, also a table that the reasoner forgot.
                let tables: Vec<String> = left.iter().skip(now.len()).cloned().collect();
                context.progress(&format!("{} tables judged, {} not needed", now.len(), irrelevant.len()));
                let none = tables.is_empty()
                    && !state.scratch.evaluated.iter().any(|table| table.is_relevant)
                    && !changes.iter().any(|change| matches!(change, Change::TableEvaluated { .. }));
                changes.push(Change::TablesToEvaluate { tables });
                if none && !reasoner.needs_no_table(ask) {
                    changes.push(no_relevant_tables(&knowledge));
                }
            }
            Err(error) => changes.push(Change::TurnFailed { error }),
        }
        Ok(Outcome::Done(changes))
    }
}

fn no_relevant_tables(knowledge: &Knowledge) -> Change {
    let tables = &knowledge.schema().tables;
    let mut names: Vec<&str> = tables.iter().take(12).map(|table| table.name.as_str()).collect();
    if tables.len() > names.len() {
        names.push("…");
    }
    let message =
        format!("Nothing in the database fits the question. It has these tables: {}.", names.join(", "));
    failed(ErrorKind::NoRelevantTables, message)
}

/// `refine_tables`: phase 2, the tables that were kept, seen together.
pub struct RefineTables {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for RefineTables {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut changes = Vec::new();
        let candidates: Vec<TableRelevance> = state.scratch.evaluated.clone();
        let knowledge = self.services.knowledge().await?;
        let ask = self.services.ask(state, &knowledge, context);
        match judged(self.services.reasoner(ask).refine_tables(ask, &candidates).await, &mut changes) {
            Ok(refinement) => changes.push(Change::TablesRefined { refinement }),
            Err(error) => changes.push(Change::TurnFailed { error }),
        }
        Ok(Outcome::Done(changes))
    }
}

/// `synthesize_requirements`: phase 3, what the query has to do.
pub struct SynthesizeRequirements {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for SynthesizeRequirements {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut changes = Vec::new();
        let tables = kept_tables(state);
        let knowledge = self.services.knowledge().await?;
        let ask = self.services.ask(state, &knowledge, context);
        match judged(self.services.reasoner(ask).synthesize(ask, &tables).await, &mut changes) {
            Ok(mut understanding) => {
                let mut unclear = detect::tables(&understanding, &state.corrections);
                if let Some(several) = &unclear
                    && let Some((table, recalled)) = self.services.settled(several, state, knowledge.schema())
                {
                    understanding.tables.retain(|planned| planned.name == table);
                    changes.push(recalled);
                    unclear = None;
                }
                changes.push(Change::RequirementsSynthesized { understanding });
                changes.extend(unclear.map(raised));
            }
            Err(error) => changes.push(Change::TurnFailed { error }),
        }
        Ok(Outcome::Done(changes))
    }
}

/// `infer_joins`: how the tables are joined.
pub struct InferJoins {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for InferJoins {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let Some(understanding) = &state.scratch.understanding else {
            return Err(NodeError::message("there are no requirements to infer joins for"));
        };
        let knowledge = self.services.knowledge().await?;
        let learnt = self.services.joined(&understanding.tables, state, knowledge.schema());
        let (known, recalled): (Vec<_>, Vec<_>) = learnt.into_iter().unzip();
        let ask = self.services.ask(state, &knowledge, context);
        let ask = Ask { lessons: memory::after(&recalled, state), ..ask };
        let mut changes = recalled.clone();
        match judged(self.services.reasoner(ask).infer_joins(ask, understanding).await, &mut changes) {
            Ok(mut inference) => {
                known.into_iter().flatten().for_each(|join| inference.settle(join));
                let unclear =
                    detect::joins(&inference, self.services.confidence_threshold, &state.corrections);
                changes.push(Change::JoinsInferred { inference });
                changes.extend(unclear.map(raised));
            }
            Err(error) => changes.push(Change::TurnFailed { error }),
        }
        Ok(Outcome::Done(changes))
    }
}
