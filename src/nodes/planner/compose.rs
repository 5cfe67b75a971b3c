//! The end of planning: a plan, a question back, or a failure that says why.

use super::{Services, judged, planned};
use crate::conversation::{Change, ConversationState, Route};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::intent::Rule;
use crate::nodes::no_surer;
use crate::plan::Confidence;
use crate::plan::PlannerOutput;
use crate::reasoner::{Alternatives, Ask, Planned, grant};
use crate::sql;

/// `compose_plan`: a plan from all that the phases found.
pub struct ComposePlan {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for ComposePlan {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let knowledge = self.services.knowledge().await?;
        let ask = self.services.ask(state, &knowledge, context);
        let mut readings = self.services.readings(context);
        let trials = readings.trials(&self.services.reasoner(ask).worth_trying(ask)).await;
        let ask = Ask { trials: &trials, ..ask };
        let mut changes = Vec::new();
        let mut composed = match judged(self.services.reasoner(ask).compose_plan(ask).await, &mut changes) {
            Ok(composed) => composed,
            Err(error) => Planned::Failed(error),
        };
        let mut offered = None;
        if let Planned::Unsure { alternatives, .. } = &mut composed {
            self.as_they_run(alternatives, ask);
            offered = readings.apart(alternatives).await;
        }
        changes.extend(readings.change());
        if self.asks_first(&composed)
            && let Some(unclear) = offered
        {
            changes.push(Change::AmbiguityRaised { ambiguity: Box::new(unclear) });
            return Ok(Outcome::Done(changes));
        }
        if let Planned::Plan { output, .. } | Planned::Unsure { output, .. } = &mut composed {
            changes.extend(self.services.mapped(output, state, knowledge.schema()));
            changes.extend(granted(ask, output));
        }
        if let Planned::Plan { output, explanation } | Planned::Unsure { output, explanation, .. } =
            &mut composed
        {
            let written = self.services.is_written(state);
            let (confidence, reason) = match written {
                true => (output.confidence, None),
                false => in_conversation(output.confidence, state),
            };
            output.confidence = match offered {
                Some(_) => confidence.min(Confidence::Medium),
                None => confidence,
            };
            explanation.extend(reason);
        }
        if let Some(mut readings) = offered {
            // Their rows would only make the conversation larger.
            readings.options_mut().iter_mut().for_each(|choice| choice.preview = None);
            changes.push(Change::ReadingsOffered { readings: Box::new(readings) });
        }
        changes.push(planned(composed, &knowledge));
        Ok(Outcome::Done(changes))
    }
}

impl ComposePlan {
    /// Whether nothing is answered before the person has chosen a reading: an answer costs something, or it would be drawn
    /// by lot.
    fn asks_first(&self, planned: &Planned) -> bool {
        let Planned::Unsure { alternatives, .. } = planned else { return false };
        !self.services.database.is_local() || alternatives.iter().any(|unclear| unclear.is_tie)
    }

    /// Puts into each choice the SQL that taking it would run: under the names that lessons give, and with what is wanted
    /// beside the question. That is also what choices are compared by.
    fn as_they_run(&self, alternatives: &mut [Alternatives], ask: Ask<'_>) {
        for (choice, plan) in alternatives.iter_mut().flat_map(|unclear| &mut unclear.readings) {
            let mut output = PlannerOutput::from_plan(plan, String::new(), Confidence::Medium);
            // What it took is said once, of the reading that is answered.
            let _ = self.services.mapped(&mut output, ask.state, ask.knowledge.schema());
            let _ = granted(ask, &mut output);
            if let Some(run) = output.query_plan {
                choice.sql = Some(sql::render(&run, ask.dialect));
                *plan = run;
            }
        }
    }
}

/// How sure a plan is that would be so sure if it stood alone, and the reason where that makes a difference.
fn in_conversation(confidence: Confidence, state: &ConversationState) -> (Confidence, Option<String>) {
    match state.route {
        // The router has judged already how far the input goes on from the last answer.
        Some(Route::Rewrite) => {
            no_surer(state.answer_confidence.map_or(confidence, |bound| bound.min(confidence)), state)
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

/// True for an input of so few words that more of them than not were meant as follow-ups, as far as was measured.
fn is_short(input: &str) -> bool {
    const WORDS: usize = 8;
    input.split_whitespace().count() <= WORDS
}

/// `update_plan`: the previous plan, changed as the router says.
pub struct UpdatePlan {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for UpdatePlan {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let knowledge = self.services.knowledge().await?;
        let ask = self.services.ask(state, &knowledge, context);
        let mut changes = Vec::new();
        let change = match judged(self.services.reasoner(ask).update_plan(ask).await, &mut changes) {
            Ok(mut updated) => {
                if let Planned::Plan { output, .. } | Planned::Unsure { output, .. } = &mut updated {
                    changes.extend(granted(ask, output));
                }
                planned(updated, &knowledge)
            }
            Err(error) => Change::TurnFailed { error },
        };
        changes.push(change);
        Ok(Outcome::Done(changes))
    }
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
