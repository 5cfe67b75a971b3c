//! The end of planning: a plan, a question back, or a failure that says why.

use super::{Judges, Memory, granted, judged, planned};
use crate::conversation::{Change, ConversationState, Route};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::intent::Rule;
use crate::nodes::{as_doubt, no_surer};
use crate::plan::Confidence;
use crate::reasoner::Reading;

/// `compose_plan`: a plan from all that the phases found.
pub struct ComposePlan {
    /// Who judges what words mean.
    pub judges: Judges,
    /// What was learnt.
    pub memory: Memory,
}

impl Node<ConversationState> for ComposePlan {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let knowledge = self.judges.knowledge().await?;
        let ask = self.judges.ask(state, &knowledge, context);
        let mut changes = Vec::new();
        let understood = judged(self.judges.understand(ask).await, &mut changes);
        let last = match understood.and_then(|understanding| understanding.compose(ask)) {
            Ok(mut reading) => {
                let proposal = state.scratch.proposal.as_ref();
                if reading.sql.is_none() || proposal.is_some() {
                    let mapped = self.memory.mapped(&mut reading.output, state, knowledge.schema());
                    // What was written by a plan was written by what lessons made of it; anything else is rendered anew.
                    let is_kept = mapped.is_none()
                        || reading.output.query_plan.is_none()
                        || proposal.is_some_and(|proposal| proposal.by_phases);
                    reading.sql = reading.sql.filter(|_| is_kept);
                    changes.extend(mapped);
                }
                if reading.sql.is_none() {
                    changes.extend(granted(ask, &mut reading.output));
                }
                planned(self.as_sure_as_may_be(reading, state), &knowledge)
            }
            Err(error) => Change::TurnFailed { error },
        };
        changes.push(last);
        Ok(Outcome::Done(changes))
    }
}

impl ComposePlan {
    /// The same reading, no surer than the conversation and the readings beside it allow.
    fn as_sure_as_may_be(&self, mut reading: Reading, state: &ConversationState) -> Reading {
        if !self.memory.is_written(state) {
            let (confidence, reason) = in_conversation(reading.output.confidence, state);
            reading.output.confidence = confidence;
            if confidence == Confidence::Low {
                let judged = state.doubts.iter().cloned().chain(reason.as_deref().map(as_doubt));
                let new: Vec<String> =
                    judged.filter(|doubt| !reading.output.doubts.contains(doubt)).collect();
                reading.output.doubts.extend(new);
            }
            reading.evidence.extend(reason);
        }
        if state.scratch.readings.is_some() {
            reading.output.confidence = reading.output.confidence.min(Confidence::Medium);
        }
        reading
    }
}

/// How sure a plan is that would be so sure if it stood alone, and the reason where that makes a difference.
fn in_conversation(confidence: Confidence, state: &ConversationState) -> (Confidence, Option<String>) {
    match state.route {
        // The router has judged already how far the input goes on from the last answer.
        Some(Route::Rewrite) => {
            let bound = state.answer_confidence.map_or(confidence, |bound| bound.min(confidence));
            if state.is_new_after_all() { (bound, None) } else { no_surer(bound, state) }
        }
        Some(Route::New) if state.is_continuation && points_back(state) => {
            let reason = "It has words that point back, and it was read as a new question.";
            (Confidence::Low, (confidence > Confidence::Low).then(|| reason.to_owned()))
        }
        Some(Route::New) if state.is_continuation && !is_reset(state) && is_short(&state.user_question) => {
            let reason =
                "So short an input often goes on from the question before, and it was read as a new one.";
            let lower = match confidence {
                Confidence::High => Confidence::Medium,
                _ => Confidence::Low,
            };
            (lower, (lower < confidence).then(|| reason.to_owned()))
        }
        _ => (confidence, None),
    }
}

/// True where the person said that something new begins.
fn is_reset(state: &ConversationState) -> bool {
    state.signals.iter().any(|signal| signal.rule == Rule::Reset)
}

/// True where the input says `they` or `those`, and nothing in it that this could stand for.
fn points_back(state: &ConversationState) -> bool {
    let points =
        |rule| matches!(rule, Rule::Anaphora | Rule::Demonstrative | Rule::SetReference | Rule::Ellipsis);
    state.signals.iter().any(|signal| points(signal.rule))
}

/// True for an input of so few words that more of them than not were meant as follow-ups, as far as was measured.
fn is_short(input: &str) -> bool {
    const WORDS: usize = 8;
    input.split_whitespace().count() <= WORDS
}

/// `update_plan`: the previous plan, changed as the router says.
pub struct UpdatePlan {
    /// Who judges what words mean.
    pub judges: Judges,
}

impl Node<ConversationState> for UpdatePlan {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let knowledge = self.judges.knowledge().await?;
        let ask = self.judges.ask(state, &knowledge, context);
        let mut changes = Vec::new();
        let updated = judged(self.judges.reasoner(ask).update_plan(ask).await, &mut changes);
        let last = match updated.flatten() {
            Ok(mut reading) => {
                changes.extend(granted(ask, &mut reading.output));
                planned(reading, &knowledge)
            }
            Err(error) => Change::TurnFailed { error },
        };
        changes.push(last);
        Ok(Outcome::Done(changes))
    }
}
