//! `router`: where a follow-up goes.

use super::readings::{BESIDE_TIME, without_rows};
use super::{Judges, Memory, Trying, as_doubt, judged, memory, no_surer};
use crate::ambiguity::{self, Correction, Replaced};
use crate::config::IntentStrategy;
use crate::conversation::{Change, ConversationState, ErrorKind, Readings, Route, RouterMode, TurnError};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::intent::{Intent, Rule, Signal};
use crate::plan::{Confidence, QueryPlan};
use crate::reasoner::{Alternatives, Ask, Assurance, JudgedIntent, RouterOutput, grant, not_granted};
use crate::sql;

/// Turns the classifier's intent into a route, and an inline revision into SQL.
pub struct Router {
    /// Who judges what words mean.
    pub judges: Judges,
    /// What was learnt.
    pub memory: Memory,
    /// Who runs the other ways to take a follow-up.
    pub trying: Trying,
    /// Who tells follow-ups from new questions.
    pub intent_strategy: IntentStrategy,
}

impl Node<ConversationState> for Router {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut changes = Vec::new();
        if state.error.is_some() {
            // There is nothing to route: the input itself cannot be used.
            return Ok(Outcome::Done(vec![routed(Route::Update, None, None)]));
        }
        if state.intent == Some(Intent::Correction)
            && state.pending.is_none()
            && let Some(Readings { choices, .. }) = &state.readings
            && let Some(correction) = ambiguity::taken(&state.user_question, choices)
        {
            return Ok(Outcome::Done(settled(correction)));
        }
        if state.intent == Some(Intent::Correction)
            && state.pending.is_none()
            && !state.corrections.is_empty()
        {
            // The correction came in structured form.
            return Ok(Outcome::Done(vec![routed(Route::Correction, None, None)]));
        }
        if let Some(replaced) = self.replaced(state).await? {
            return Ok(Outcome::Done(replaced));
        }
        if state.intent == Some(Intent::Command) && state.pending.is_some() {
            // What was asked of the session is answered already, and the question asked back stays.
            return Ok(Outcome::Done(vec![routed(Route::Correction, None, None)]));
        }
        if let Some(pending) = &state.pending {
            let knowledge = self.judges.knowledge().await?;
            if let Some(note) = ambiguity::mistake(&state.user_question, pending, knowledge.schema()) {
                // A slip in an answer does not end the question: it stays.
                let slip = vec![Change::Noted { note }, routed(Route::Correction, None, None)];
                return Ok(Outcome::Done(slip));
            }
            if let Some(correction) = ambiguity::answer(&state.user_question, pending) {
                return Ok(Outcome::Done(settled(correction)));
            }
            changes.push(Change::PendingDropped);
            changes.push(Change::Noted { note: format!("Not answered, and dropped: {}", pending.question) });
        }
        let intent = self.intent(state, context, &mut changes).await?;
        let refines = matches!(intent, Some(Intent::Refinement));
        if !refines || state.current_query.is_none() {
            if refines {
                let note = "Starting new query (no previous query to refine)".to_owned();
                changes.push(Change::Noted { note });
            }
            changes.push(routed(Route::New, None, None));
            return Ok(Outcome::Done(changes));
        }
        let knowledge = self.judges.knowledge().await?;
        let recalled = self.memory.recalled_for_follow_up(state, knowledge.schema());
        changes.extend(recalled.iter().cloned());
        // What an earlier question asked for says nothing about this one.
        let ask = Ask {
            question: &state.user_question,
            lessons: memory::after(&recalled, state),
            ..self.judges.ask(state, &knowledge, context)
        };
        let mut output = match judged(self.judges.reasoner(ask).route(ask).await, &mut changes) {
            Ok(output) => output,
            Err(error) => RouterOutput::Failed(error),
        };
        let alternatives = output.take_alternatives();
        changes.extend(sent(output, ask));
        if let Some(alternatives) = alternatives {
            changes.extend(self.beside(alternatives, ask, context).await);
        }
        Ok(Outcome::Done(changes))
    }
}

impl Router {
    /// `use X instead of Y`, where the last query has Y: its changes.
    async fn replaced(&self, state: &ConversationState) -> Result<Option<Vec<Change>>, NodeError> {
        let (None, Some(plan)) = (&state.pending, state.current_plan()) else { return Ok(None) };
        let other = ambiguity::the_other(&state.user_question, &state.corrections);
        let said = other.as_deref().unwrap_or(&state.user_question);
        if !said.contains("instead of") && !said.contains("not ") {
            return Ok(None);
        }
        let knowledge = self.judges.knowledge().await?;
        let question = state.original_question.clone();
        let asked = Change::Routed {
            route: Route::Inline,
            mode: None,
            instructions: None,
            edits: Vec::new(),
            question,
        };
        Ok(match ambiguity::replace(said, plan, knowledge.schema()) {
            None => None,
            Some(Replaced::Query { plan, correction }) => {
                let query = sql::render_named(&plan, self.judges.dialect());
                let asked_first = state.original_question.as_deref().unwrap_or_default();
                let recalled = self.memory.recalled(asked_first, state, knowledge.schema());
                let changes = [asked, Change::CorrectionAdded { correction }];
                // What the person says is meant is as good as they say it.
                let confidence = state.current_confidence().unwrap_or_default().max(Confidence::Medium);
                let judged = Change::AnswerJudged { confidence, left_out: Vec::new(), doubts: Vec::new() };
                let set = Change::QuerySet { query, plan: Some(plan) };
                Some(changes.into_iter().chain(recalled).chain([judged, set]).collect())
            }
            Some(Replaced::Impossible { message }) => Some(vec![
                routed(Route::Update, None, None),
                Change::TurnFailed { error: TurnError::new(ErrorKind::NotUnderstood, message) },
            ]),
        })
    }

    /// What the input wants: what the classifier says, or the model where the settings have it asked.
    async fn intent(
        &self,
        state: &ConversationState,
        context: &Context,
        changes: &mut Vec<Change>,
    ) -> Result<Option<Intent>, NodeError> {
        if state.current_query.is_none() || !self.asks_model(state) {
            return Ok(state.intent);
        }
        let knowledge = self.judges.knowledge().await?;
        let ask = Ask { question: &state.user_question, ..self.judges.ask(state, &knowledge, context) };
        match judged(self.judges.reasoner(ask).intent(ask).await, changes) {
            Ok(Some(JudgedIntent { intent, confidence, reasoning })) => {
                let mut signals = state.signals.clone();
                signals.insert(0, Signal::new(Rule::Model, reasoning));
                changes.push(Change::IntentDetected { intent, confidence, signals });
                Ok(Some(intent))
            }
            Ok(None) => Ok(state.intent),
            Err(error) => {
                tracing::warn!(
                    input = state.user_question,
                    problem = error.message,
                    "the model cannot tell the intent, so the rules do"
                );
                Ok(state.intent)
            }
        }
    }

    /// The other ways to take a follow-up, as they run: with what is wanted beside it. What has the rows of the answer is no
    /// choice.
    async fn beside(&self, mut others: Alternatives, ask: Ask<'_>, context: &Context) -> Vec<Change> {
        for (choice, plan) in &mut others.readings {
            *plan = grant(ask, &ask.state.wanted, plan.clone()).plan;
            choice.sql = Some(sql::render_named(plan, ask.dialect));
        }
        let mut readings = self.trying.readings(context);
        let offered = readings.apart(std::slice::from_ref(&others), BESIDE_TIME).await;
        let offered =
            offered.map(|offered| Change::ReadingsOffered { readings: Box::new(without_rows(offered)) });
        readings.change(Vec::new()).into_iter().chain(offered).collect()
    }

    fn asks_model(&self, state: &ConversationState) -> bool {
        // What the person said outright needs no judgement.
        let said = state.signals.iter().any(|signal| matches!(signal.rule, Rule::Reset | Rule::Command));
        let open = matches!(state.intent, Some(Intent::NewQuery | Intent::Refinement)) && !said;
        match self.intent_strategy {
            IntentStrategy::Rules => false,
            IntentStrategy::Llm => open,
            IntentStrategy::Hybrid => open && state.confidence == Some(Confidence::Low),
        }
    }
}

/// The way of a correction, back to the question that was asked.
fn settled(correction: Correction) -> Vec<Change> {
    vec![Change::CorrectionAdded { correction }, routed(Route::Correction, None, None)]
}

/// The changes that send a follow-up on its way.
fn sent(output: RouterOutput, ask: Ask<'_>) -> Vec<Change> {
    let state = ask.state;
    let mut changes = Vec::new();
    match output {
        RouterOutput::Inline { query, plan, explanation, assurance } => {
            changes.push(routed(Route::Inline, None, None));
            changes.push(Change::Explained { reasons: explanation });
            changes.extend(judged_answer(assurance, state));
            let (query, plan) = granted(ask, query, plan, &mut changes);
            changes.push(Change::QuerySet { query, plan });
        }
        RouterOutput::Plan { mode, instructions, edits, question, assurance } => {
            let route = match mode {
                RouterMode::Update => Route::Update,
                RouterMode::Rewrite => Route::Rewrite,
            };
            let (mode, instructions) = (Some(mode), Some(instructions));
            changes.push(Change::Routed { route, mode, instructions, edits, question });
            changes.extend(assurance.into_iter().flat_map(|assurance| judged_answer(assurance, state)));
        }
        RouterOutput::New => changes.push(routed(Route::New, None, None)),
        RouterOutput::Failed(error) => {
            changes.push(routed(Route::Update, None, None));
            changes.push(Change::TurnFailed { error });
        }
    }
    changes
}

/// A query with what was wanted beside the question, and notes of what could not be done.
fn granted(
    ask: Ask<'_>,
    query: String,
    plan: Option<Box<QueryPlan>>,
    changes: &mut Vec<Change>,
) -> (String, Option<Box<QueryPlan>>) {
    let wanted = &ask.state.wanted;
    if wanted.is_empty() {
        return (query, plan);
    }
    let Some(plan) = plan else {
        changes.extend(not_granted(wanted).map(|note| Change::Noted { note }));
        return (query, None);
    };
    let granted = grant(ask, wanted, *plan);
    changes.extend(granted.notes.into_iter().map(|note| Change::Noted { note }));
    (sql::render_named(&granted.plan, ask.dialect), Some(Box::new(granted.plan)))
}

/// How far a follow-up can be relied on: no further than the answer that it goes on from, where it goes on from one.
fn judged_answer(assurance: Assurance, state: &ConversationState) -> Vec<Change> {
    let mut reasons = assurance.reasons();
    let Assurance { confidence, left_out, mut doubts, stands_alone, .. } = assurance;
    let (confidence, reason) = if stands_alone { (confidence, None) } else { no_surer(confidence, state) };
    if confidence == Confidence::Low {
        doubts.extend(reason.as_deref().map(as_doubt));
    }
    reasons.extend(reason);
    let reasons = (!reasons.is_empty()).then_some(Change::Explained { reasons });
    let alone = stands_alone.then_some(Change::StandsAlone);
    let judged = Change::AnswerJudged { confidence, left_out, doubts };
    alone.into_iter().chain(reasons).chain([judged]).collect()
}

fn routed(route: Route, mode: Option<RouterMode>, instructions: Option<String>) -> Change {
    Change::Routed { route, mode, instructions, edits: Vec::new(), question: None }
}
