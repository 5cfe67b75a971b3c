//! The phases of query understanding.

use super::{Judges, Known, Memory, asked, failed, found, judged, kept_tables, memory, raised};
use crate::ambiguity::{Correction, detect};
use crate::conversation::{Change, ConversationState, ErrorKind, Route};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::plan::TableRelevance;
use crate::reasoner::{Ask, Knowledge};

/// `recall_lessons`: what was learnt that bears on the question.
pub struct RecallLessons {
    /// What is known of the database.
    pub known: Known,
    /// What was learnt.
    pub memory: Memory,
}

impl Node<ConversationState> for RecallLessons {
    async fn run(&self, state: &ConversationState, _context: &Context) -> Result<Outcome<Change>, NodeError> {
        let knowledge = self.known.knowledge().await?;
        let question = match state.route {
            Some(Route::Correction) => asked(state),
            // Of a follow-up, what was said; the router went by the same lessons.
            _ => &state.user_question,
        };
        let mut changes = self.memory.recalled(question, state, knowledge.schema());
        changes.extend(self.memory.models(state));
        Ok(Outcome::Done(changes))
    }
}

/// `apply_corrections`: what the person settled narrows the tables before any is judged.
pub struct ApplyCorrections {
    /// What is known of the database.
    pub known: Known,
    /// What was learnt.
    pub memory: Memory,
    /// How many corrections one question may take.
    pub max_correction_attempts: u32,
}

impl Node<ConversationState> for ApplyCorrections {
    async fn run(&self, state: &ConversationState, _context: &Context) -> Result<Outcome<Change>, NodeError> {
        if state.correction_attempts() > self.max_correction_attempts {
            let tried: Vec<String> = state.corrections.iter().map(ToString::to_string).collect();
            let message = format!(
                "I gave up after {} corrections: {}. Please ask the question anew.",
                tried.len(),
                tried.join(", ")
            );
            return Ok(Outcome::Done(vec![failed(ErrorKind::TooManyCorrections, message)]));
        }
        let knowledge = self.known.knowledge().await?;
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
        let set_aside = self.memory.set_aside(state);
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
    /// Who judges what words mean.
    pub judges: Judges,
}

impl Node<ConversationState> for EvaluateTables {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut changes = Vec::new();
        let left = &state.scratch.tables_left;
        if left.is_empty() {
            return Ok(Outcome::Done(changes));
        }
        let knowledge = self.judges.knowledge().await?;
        let ask = self.judges.ask(state, &knowledge, context);
        let judged = async {
            let understanding = judged(self.judges.understand(ask).await, &mut changes)?;
            let now =
                left.get(..left.len().min(understanding.tables_at_once(ask).max(1))).unwrap_or_default();
            let evaluated = judged(understanding.evaluate_tables(ask, now).await, &mut changes)?;
            let (relevant, irrelevant): (Vec<_>, Vec<_>) =
                evaluated.into_iter().partition(|relevance| relevance.is_relevant);
            context.progress(&format!("{} tables judged, {} not needed", now.len(), irrelevant.len()));
            // Whatever was not judged relevant is done with, also a table that the reasoner forgot.
            let tables: Vec<String> = left.iter().skip(now.len()).cloned().collect();
            let none = tables.is_empty()
                && relevant.is_empty()
                && !state.scratch.evaluated.iter().any(|table| table.is_relevant)
                && !understanding.needs_no_table();
            let mut found: Vec<Change> =
                relevant.into_iter().map(|relevance| Change::TableEvaluated { relevance }).collect();
            found.push(Change::TablesToEvaluate { tables });
            found.extend(none.then(|| no_relevant_tables(&knowledge)));
            Ok(found)
        }
        .await;
        found(changes, judged)
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
    /// Who judges what words mean.
    pub judges: Judges,
}

impl Node<ConversationState> for RefineTables {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut changes = Vec::new();
        let candidates: Vec<TableRelevance> = state.scratch.evaluated.clone();
        let knowledge = self.judges.knowledge().await?;
        let ask = self.judges.ask(state, &knowledge, context);
        let judged = async {
            let understanding = judged(self.judges.understand(ask).await, &mut changes)?;
            let refinement = judged(understanding.refine_tables(ask, &candidates).await, &mut changes)?;
            Ok(vec![Change::TablesRefined { refinement }])
        }
        .await;
        found(changes, judged)
    }
}

/// `synthesize_requirements`: phase 3, what the query has to do.
pub struct SynthesizeRequirements {
    /// Who judges what words mean.
    pub judges: Judges,
    /// What was learnt.
    pub memory: Memory,
}

impl Node<ConversationState> for SynthesizeRequirements {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut changes = Vec::new();
        let tables = kept_tables(state);
        let knowledge = self.judges.knowledge().await?;
        let ask = self.judges.ask(state, &knowledge, context);
        let judged = async {
            let understanding = judged(self.judges.understand(ask).await, &mut changes)?;
            let mut needed = judged(understanding.synthesize(ask, &tables).await, &mut changes)?;
            let mut found = Vec::new();
            let mut unclear = detect::tables(&needed, &state.corrections)
                .filter(|_| detect::may_stand_for_each_other(&needed.tables, knowledge.schema()));
            if let Some(several) = &unclear
                && let Some((table, recalled)) = self.memory.settled(several, state, knowledge.schema())
            {
                needed.tables.retain(|planned| planned.name == table);
                found.push(recalled);
                unclear = None;
            }
            found.push(Change::RequirementsSynthesized { understanding: needed });
            found.extend(unclear.map(raised));
            Ok(found)
        }
        .await;
        found(changes, judged)
    }
}

/// `infer_joins`: how the tables are joined.
pub struct InferJoins {
    /// Who judges what words mean.
    pub judges: Judges,
    /// What was learnt.
    pub memory: Memory,
    /// Below this confidence (0 to 1) a join with several candidates is asked about.
    pub confidence_threshold: f64,
}

impl Node<ConversationState> for InferJoins {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let Some(understanding) = &state.scratch.understanding else {
            return Err(NodeError::message("there are no requirements to infer joins for"));
        };
        let knowledge = self.judges.knowledge().await?;
        let learnt = self.memory.joined(&understanding.tables, state, knowledge.schema());
        let (known, recalled): (Vec<_>, Vec<_>) = learnt.into_iter().unzip();
        let ask = self.judges.ask(state, &knowledge, context);
        let ask = Ask { lessons: memory::after(&recalled, state), ..ask };
        let mut changes = recalled.clone();
        let judged = async {
            let understood = judged(self.judges.understand(ask).await, &mut changes)?;
            let mut inference = judged(understood.infer_joins(ask, understanding).await, &mut changes)?;
            known.into_iter().flatten().for_each(|join| inference.settle(join));
            let unclear = detect::joins(&inference, self.confidence_threshold, &state.corrections);
            Ok([Change::JoinsInferred { inference }].into_iter().chain(unclear.map(raised)).collect())
        }
        .await;
        found(changes, judged)
    }
}
