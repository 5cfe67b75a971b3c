//! A question that was understood as a whole.

use std::borrow::Cow;
use std::sync::Arc;

use super::alternatives::alternatives;
use super::rules;
use super::settle::{self, Evidence, Settled, Taken};
use super::{Alternatives, Ask, Reading, Trial, WrittenQuery, dispute};
use crate::ambiguity::Ambiguity;
use crate::conversation::ProposedQuery;
use crate::plan::{
    Confidence, JoinInference, PlannedTable, QueryPlan, QueryUnderstanding, TableRefinement, TableRelevance,
};

/// What a reading rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Basis {
    /// On the words of the question.
    Words,
    /// On the edits of the router.
    Edits,
    /// On SQL that was typed.
    Statement,
    /// On SQL that is stored for the question.
    Stored,
    /// On SQL that somebody wrote who was asked for it.
    Written,
    /// On the person's choice.
    Choice,
}

impl Basis {
    /// True where the SQL was written by somebody who names the tables in so many words.
    fn is_sql(self) -> bool {
        matches!(self, Self::Statement | Self::Stored | Self::Written)
    }

    /// True where the person has said which reading is meant.
    pub(super) fn is_final(self) -> bool {
        matches!(self, Self::Choice | Self::Stored)
    }
}

/// A question that was understood as a whole: the likeliest reading, and those that it stands among.
#[derive(Debug, Clone)]
pub struct Whole {
    best: Reading,
    basis: Basis,
    /// Tables that look like the one of the best reading.
    alike: Vec<String>,
    /// The ranked readings of the words, where the person has not said which is meant.
    readings: Option<Arc<rules::RankedReadings>>,
    /// What else there is to say of the answer.
    note: Option<String>,
    /// How often whoever wrote the best reading is right, where it was written.
    reliability: f64,
}

/// A reading of words that is so likely needs no second judge. Readings that are less likely may be `high` too, and a call
/// that confirms them is worth its price.
const UNASKED: f32 = 0.95;

/// So many readings of the rules are tried beside a query that was written.
const BESIDE: usize = 6;

impl Whole {
    pub(super) fn new(
        best: Reading,
        basis: Basis,
        alike: Vec<String>,
        readings: Option<Arc<rules::RankedReadings>>,
    ) -> Self {
        let alike = if basis.is_sql() { Vec::new() } else { alike };
        Self { best, basis, alike, readings, note: None, reliability: 1.0 }
    }

    /// A query that was written by somebody who is right so often.
    pub(super) fn written(best: Reading, reliability: f64) -> Self {
        Self { reliability, ..Self::new(best, Basis::Written, Vec::new(), None) }
    }

    /// The same with the readings of the rules beside it, where it was written.
    #[must_use]
    pub(super) fn beside(&self, readings: impl FnOnce() -> Arc<rules::RankedReadings>) -> Self {
        let beside = (self.basis == Basis::Written).then(readings);
        Self { readings: beside.or_else(|| self.readings.clone()), ..self.clone() }
    }

    /// The plan of the likeliest reading.
    pub(super) fn plan(&self) -> Option<&QueryPlan> {
        self.best.output.query_plan.as_ref()
    }

    /// The query that was written.
    pub(super) fn proposed(&self) -> Option<WrittenQuery> {
        let sql = self.best.sql.clone().filter(|_| self.basis == Basis::Written)?;
        Some(WrittenQuery { sql, plan: self.best.output.query_plan.clone(), note: String::new() })
    }

    /// True where the question is answered without any table, as `SELECT 1 + 1` is.
    pub(super) fn needs_no_table(&self) -> bool {
        self.basis.is_sql() && self.best.output.tables.is_empty()
    }

    /// Queries whose rows tell how far an answer can be relied on.
    pub(super) fn worth_trying(&self) -> Vec<QueryPlan> {
        match (&self.readings, self.basis) {
            (Some(readings), Basis::Written) => {
                readings.candidates.iter().take(BESIDE).map(|candidate| candidate.plan.clone()).collect()
            }
            _ => self.words().map(rules::RankedReadings::worth_trying).unwrap_or_default(),
        }
    }

    /// The reading to answer with, from all that was tried.
    pub(super) fn composed(&self, ask: Ask<'_>) -> Reading {
        let scratch = &ask.state.scratch;
        let mut reading = match (&self.readings, &scratch.proposal) {
            (Some(_), Some(proposal)) if self.basis == Basis::Written => {
                self.settled(proposal, &scratch.trials)
            }
            _ => self.as_likely(self.after(&scratch.trials), ask),
        };
        reading.evidence.extend(self.note.clone());
        reading
    }

    /// Which of two judges to believe, where there are two, with the readings of the rules as likely as they are after trials.
    fn verdict(
        &self,
        proposal: &ProposedQuery,
        trials: &[Trial],
    ) -> Option<(Cow<'_, rules::RankedReadings>, Settled)> {
        let readings = self.readings.as_ref().filter(|_| self.basis == Basis::Written)?.after(trials);
        let candidates = &readings.candidates;
        let probabilities: Vec<f64> =
            candidates.iter().map(|candidate| f64::from(candidate.probability)).collect();
        let leave_out: Vec<bool> =
            candidates.iter().map(|candidate| !candidate.account.left_out.is_empty()).collect();
        let settled = settle::settle(Evidence {
            rules: &probabilities,
            leave_out: &leave_out,
            trials,
            written: proposal.trial,
            like: &proposal.like,
            reliability: self.reliability,
            samples: (proposal.alike.saturating_sub(1), proposal.samples.saturating_sub(proposal.alike)),
        });
        Some((readings, settled))
    }

    /// True where both judges have an answer, and nothing shows that they come to the same.
    pub(super) fn is_disputed(&self, proposal: &ProposedQuery, trials: &[Trial]) -> bool {
        self.verdict(proposal, trials).is_some_and(|(readings, settled)| {
            let is_unknown = proposal.trial == Trial::Untried && proposal.like.is_empty();
            !readings.candidates.is_empty() && (settled.is_disputed || is_unknown)
        })
    }

    /// Both answers to choose from, where the judges differ.
    pub(super) fn disputed(
        &self,
        ask: Ask<'_>,
        proposal: &ProposedQuery,
        trials: &[Trial],
    ) -> Option<Ambiguity> {
        let (readings, settled) = self.verdict(proposal, trials)?;
        let gives_rows = |trial: Option<&Trial>| trial.is_none_or(|trial| trial.count() != Some(0));
        if !self.is_disputed(proposal, trials) || !gives_rows(trials.first()) {
            return None;
        }
        dispute::choices(ask, settled.taken, proposal, readings.candidates.first()?)
    }

    /// The written query or a reading of the rules, whichever is likelier to be right.
    fn settled(&self, proposal: &ProposedQuery, trials: &[Trial]) -> Reading {
        let Some((readings, settled)) = self.verdict(proposal, trials) else { return self.best.clone() };
        let candidates = &readings.candidates;
        let reading_at = |at: usize| candidates.get(at).cloned().map(Reading::from);
        let sorted = |reading: &Reading| {
            reading.output.query_plan.as_ref().is_some_and(|plan| !plan.order_by.is_empty())
        };
        let (reading, why) = match settled.taken {
            // Rows in an order are also the rows without it, and the person may have asked for it.
            Taken::Both(at) => {
                let rules = reading_at(at).filter(|rules| {
                    sorted(rules) && self.best.output.query_plan.is_some() && !sorted(&self.best)
                });
                (rules.unwrap_or_else(|| self.best.clone()), "The embedded rules and the model agree")
            }
            Taken::Rules => match reading_at(0) {
                Some(rules) => {
                    (rules, "The model's query was set aside for the reading of the embedded rules")
                }
                None => (self.best.clone(), "Only the model has an answer"),
            },
            Taken::Written if candidates.is_empty() => (self.best.clone(), "Only the model has an answer"),
            Taken::Written => (self.best.clone(), "The embedded rules read the question otherwise"),
        };
        let mut reading = reading;
        let (percent, confidence) = ((settled.probability * 100.0).round(), settled.confidence());
        reading.evidence.push(format!("{why}: of 100 such answers about {percent} are right."));
        reading.evidence.extend(proposal.notes.iter().cloned());
        // Words that one judge could not place, the other did.
        if matches!(settled.taken, Taken::Both(_)) {
            reading.output.left_out.clear();
        }
        let is_whole = reading.output.left_out.is_empty();
        reading.output.confidence = if is_whole { confidence } else { Confidence::Low };
        match reading.output.confidence {
            Confidence::Low if is_whole => {
                let wrong = 100.0 - percent;
                reading.output.doubts = vec![format!("about {wrong} of 100 such answers are wrong")];
            }
            Confidence::Low => {}
            _ => reading.output.doubts.clear(),
        }
        reading
    }

    /// A reading of words with the doubt that is left where nothing speaks against it, it is not sure, and no others stand
    /// beside it to choose from.
    fn as_likely(&self, mut reading: Reading, ask: Ask<'_>) -> Reading {
        let output = &mut reading.output;
        let is_unexplained = output.confidence == Confidence::Low
            && output.left_out.is_empty()
            && output.doubts.is_empty()
            && ask.state.scratch.readings.is_none();
        if let Some(readings) = self.words().filter(|_| is_unexplained) {
            let readings = readings.after(&ask.state.scratch.trials);
            output.doubts.extend(readings.hesitation().map(|doubt| doubt.to_string()));
        }
        reading
    }

    /// The same, with something to say beside its evidence.
    #[must_use]
    pub(super) fn noted(&self, note: String) -> Self {
        Self { note: Some(note), ..self.clone() }
    }

    /// True where nothing speaks for another reading, before any is tried, so that a second judge would hardly say otherwise.
    pub(super) fn is_sure(&self) -> bool {
        let first = self.words().and_then(|readings| readings.candidates.first());
        self.best.output.confidence == Confidence::High
            && first.is_none_or(|first| first.probability >= UNASKED)
            && self.alternatives(&[]).is_empty()
    }

    fn is_alike(&self, table: &str) -> bool {
        self.alike.iter().any(|alike| alike == table)
    }

    fn planned(&self, table: &str) -> Option<&PlannedTable> {
        self.best.output.tables.iter().find(|planned| planned.name.eq_ignore_ascii_case(table))
    }

    pub(super) fn relevance(&self, table: &str) -> TableRelevance {
        let planned = self.planned(table);
        let reasoning = match planned {
            Some(_) => "The question's words lead here.",
            None if self.is_alike(table) => "It looks like the table that is named.",
            None => "No word of the question leads here.",
        };
        TableRelevance {
            table: table.to_owned(),
            is_relevant: planned.is_some() || self.is_alike(table),
            confidence: match self.best.output.confidence {
                Confidence::High => 0.95,
                Confidence::Medium => 0.75,
                Confidence::Low => 0.5,
            },
            relevant_columns: planned.map(|planned| planned.columns.clone()).unwrap_or_default(),
            reasoning: reasoning.to_owned(),
        }
    }

    pub(super) fn refinement(&self, candidates: &[TableRelevance]) -> TableRefinement {
        let names = candidates.iter().map(|candidate| candidate.table.clone());
        let (final_tables, removed_tables) =
            names.partition(|name| self.is_alike(name) || self.planned(name).is_some());
        let reasoning = "These are the tables of the best reading.".to_owned();
        TableRefinement { final_tables, removed_tables, reasoning }
    }

    pub(super) fn requirements(&self, kept: &[PlannedTable]) -> QueryUnderstanding {
        let output = self.best.output.clone();
        let alike = kept.iter().filter(|table| self.is_alike(&table.name)).cloned();
        QueryUnderstanding {
            // Tables that a nested query or a set operation brings together are joined in the sense of the question.
            joins_needed: output.tables.len() > 1,
            tables: output.tables.into_iter().chain(alike).collect(),
            filters: output.filters,
            aggregations: output.aggregations,
            grouping: output.grouping,
            ordering: output.ordering,
            limit: output.limit,
            reasoning: output.reasoning,
        }
    }

    pub(super) fn joins(&self) -> JoinInference {
        JoinInference {
            joins: self.best.output.joins.clone(),
            confidence: 1.0,
            candidates: Vec::new(),
            reasoning: "The cheapest way along the keys.".to_owned(),
        }
    }

    /// The readings among which trials tell more.
    fn words(&self) -> Option<&rules::RankedReadings> {
        self.readings.as_deref().filter(|_| self.basis == Basis::Words)
    }

    /// The reading to answer with, as sure as it is once others were tried too.
    fn after(&self, trials: &[Trial]) -> Reading {
        let tried = self.words().filter(|_| !trials.is_empty()).map(|readings| readings.after(trials));
        let best = tried.and_then(|tried| tried.answer().cloned());
        best.map_or_else(|| self.best.clone(), Reading::from)
    }

    pub(super) fn alternatives(&self, trials: &[Trial]) -> Vec<Alternatives> {
        // Whoever has just chosen a reading is not asked about it again, nor is who typed SQL, and two judges ask each other.
        let is_open = !matches!(self.basis, Basis::Written | Basis::Statement);
        let Some(readings) = self.readings.as_ref().filter(|_| is_open) else { return Vec::new() };
        alternatives(&readings.after(trials), &self.after(trials).output)
    }
}
