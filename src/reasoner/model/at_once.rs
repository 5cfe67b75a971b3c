//! A question answered in one call: the whole schema, what is known of the question, and SQL.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _};

use super::answers::SqlAnswer;
use super::budget::Parts;
use super::call::{Trouble, Turn};
use super::context;
use super::data;
use super::describe::Described;
use super::planning::confidence;
use super::prompts::Task;
use super::writing::{tidy, written};
use super::{ModelReasoner, shape};
use crate::conversation::{ErrorKind, ProposedQuery, TurnError};
use crate::model::PhaseUse;
use crate::plan::{PlannedTable, PlannerOutput};
use crate::reasoner::rule_reasoner::chosen;
use crate::reasoner::{Ask, Judged, Reading, ReasonerError, Understanding, Whole, WrittenQuery};

impl ModelReasoner {
    /// What the question means: the query that was written for it, or the phases where it has to be found out by them.
    pub(super) async fn understood<'a>(
        &'a self,
        ask: Ask<'a>,
    ) -> Result<Judged<Understanding<'a>>, ReasonerError> {
        let by_phases = || Understanding::Phases { phases: self, instead: None };
        let turn = self.turn(ask, true);
        let known = ask.state.scratch.proposal.as_ref();
        if let Some(chosen) = chosen(ask) {
            return Ok(Judged::free(Understanding::Whole(Arc::new(chosen))));
        }
        if known.is_none() && !self.answers_at_once(&turn) {
            return Ok(Judged::free(by_phases()));
        }
        let proposal = match known {
            Some(proposal) => proposal.clone(),
            None => self.propose(&turn).await.map_err(|trouble| turn.failed(&trouble))?,
        };
        let is_new = known.is_none();
        let value = match &proposal.sql {
            Some(sql) => Understanding::Whole(Arc::new(self.whole(ask, sql, &proposal))),
            None => by_phases(),
        };
        Ok(Judged { proposal: is_new.then(|| Box::new(proposal)), ..turn.judged(value) })
    }

    /// Whether a question is put in one call.
    fn answers_at_once(&self, turn: &Turn<'_>) -> bool {
        match self.manner.phases {
            PhaseUse::Always => false,
            PhaseUse::Never => true,
            PhaseUse::Auto => {
                let schema = self.shape_tokens(&shape::schema::<SqlAnswer>());
                let parts = self.planning_parts(turn);
                let fitted = self.budget.fit(&self.prompts, Task::AnswerQuestion, &parts, schema);
                let room = fitted.map_or(0, |fitted| self.budget.room().saturating_sub(fitted.tokens));
                let tables = &turn.ask.knowledge.schema().tables;
                Described::whole(tables).fits_by_name(room, self.budget.tokenizer.as_ref())
            }
        }
    }

    /// Asks for the query. An answer of which no use can be made leaves the question to the phases.
    async fn propose(&self, turn: &Turn<'_>) -> Result<ProposedQuery, Trouble> {
        match self.answer(turn, 0).await {
            Ok((Some(sql), reasoning)) => Ok(ProposedQuery {
                sql: Some(sql),
                by: self.model_name(),
                reasoning,
                ..ProposedQuery::default()
            }),
            Ok((None, reasoning)) => Err(Trouble::Nothing(reasoning)),
            Err(Trouble::Unusable(reasoning)) => Ok(ProposedQuery { reasoning, ..ProposedQuery::default() }),
            Err(trouble) => Err(trouble),
        }
    }

    /// What the model answers, and why: SQL, where it has any.
    async fn answer(&self, turn: &Turn<'_>, sample: u8) -> Result<(Option<String>, String), Trouble> {
        let tables = &turn.ask.knowledge.schema().tables;
        let parts = || -> Parts<'_> {
            let parts = self.planning_parts(turn).wish("tables", Described::whole(tables)).sample(sample);
            // A follow-up is shown the history already.
            match turn.ask.state.scratch.asked.mode {
                Some(_) => parts,
                None => parts.wish("examples", context::examples(turn)),
            }
        };
        let check = |answer: SqlAnswer| {
            let sql = answer.sql.as_deref().map(tidy).filter(|sql| !sql.is_empty());
            Ok((sql, data::cut(&answer.reasoning, 400)))
        };
        self.ask_model(turn, Task::AnswerQuestion, parts, check).await
    }

    /// The query of the question written anew, as often as the settings and the caps of the turn allow. What comes of no use is
    /// left out: the first query stands without it.
    pub(super) async fn write_samples(&self, turn: &Turn<'_>) -> Result<Vec<WrittenQuery>, Trouble> {
        let Some(proposal) = &turn.ask.state.scratch.proposal else { return Ok(Vec::new()) };
        let plan = proposal.by_phases.then(|| self.compose_reading(turn.ask).ok()).flatten();
        let again = async |sample: u8| match &plan {
            Some(plan) => self.write_sample(turn, &plan.output, sample).await.map(Some),
            None => self.answer(turn, sample).await.map(|(sql, note)| Some(written(turn.ask, sql?, note))),
        };
        let further = u8::try_from(self.manner.samples.saturating_sub(1)).unwrap_or(u8::MAX);
        let allowed = (1..=further).filter(|_| turn.open.take_call(self.caps.max_calls));
        let asked: Vec<_> = allowed.map(again).collect();
        let outcomes: Vec<_> = stream::iter(asked).buffered(self.caps.concurrency.max(1)).collect().await;
        Ok(outcomes.into_iter().filter_map(|outcome| outcome.ok().flatten()).collect())
    }

    /// The query as a question understood as a whole.
    fn whole(&self, ask: Ask<'_>, sql: &str, proposal: &ProposedQuery) -> Whole {
        let schema = ask.knowledge.schema();
        let query = written(ask, sql.to_owned(), String::new());
        let reliability = self.reliability(ask);
        let sure = confidence(reliability);
        let phases = proposal.by_phases.then(|| self.compose_reading(ask).ok()).flatten();
        if let Some(Reading { mut output, evidence, .. }) = phases {
            output.confidence = output.confidence.min(sure);
            output.query_plan = query.plan;
            let reading = Reading { sql: Some(sql.to_owned()), ..Reading::new(output, evidence) };
            return Whole::written(reading, reliability);
        }
        let output = match &query.plan {
            Some(plan) => PlannerOutput::from_plan(plan, proposal.reasoning.clone(), sure),
            None => {
                let lower = sql.to_lowercase();
                let named = schema.tables.iter().filter(|table| lower.contains(&table.name.to_lowercase()));
                let tables =
                    named.map(|table| PlannedTable { name: table.name.clone(), columns: Vec::new() });
                PlannerOutput {
                    tables: tables.collect(),
                    reasoning: proposal.reasoning.clone(),
                    confidence: sure,
                    ..PlannerOutput::default()
                }
            }
        };
        let mut evidence: Vec<String> =
            Some(proposal.reasoning.clone()).filter(|reason| !reason.is_empty()).into_iter().collect();
        evidence.extend(self.book.left_out(&ask.state.scratch.turn_id));
        let reading = Reading { sql: Some(sql.to_owned()), ..Reading::new(output, evidence) };
        Whole::written(reading, reliability)
    }
}

/// That nothing in the database has to do with the question, in the model's words too.
pub(super) fn nothing(reasoning: &str) -> TurnError {
    let mut message = "Nothing in the database fits the question.".to_owned();
    if !reasoning.is_empty() {
        message.push_str(&format!(" {reasoning}"));
    }
    TurnError::new(ErrorKind::NoRelevantTables, message)
}
