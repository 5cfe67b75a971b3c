//! Rules where they are sure, a model elsewhere.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::model::{ModelReasoner, RuleHints};
use super::{
    Ask, Judged, JudgedIntent, Judgement, Planned, Reasoner, ReasonerError, RouterOutput, RuleReasoner,
    WrittenQuery,
};
use crate::conversation::{ErrorKind, Failure, TurnError, Usage};
use crate::model::{ModelError, ModelSettings};
use crate::plan::{
    Confidence, JoinInference, PlannedTable, PlannerOutput, QueryPlan, QueryUnderstanding, TableRefinement,
    TableRelevance,
};

/// Asks the rules first, and the model only where they are not sure.
///
/// Whether they are is decided once a turn, by the plan that they would make: with high confidence they judge the whole
/// turn, and nobody is called. Where the model cannot be used, the rules judge the rest of the turn as well as they can.
pub struct HybridReasoner {
    rules: Arc<dyn Reasoner>,
    model: Arc<dyn Reasoner>,
    turns: Mutex<Turns>,
}

#[derive(Default)]
struct Turns {
    latest: VecDeque<Entry>,
    share: Share,
}

struct Entry {
    turn: String,
    side: Side,
    called: bool,
}

/// Who judges a turn.
#[derive(Debug, Clone, PartialEq)]
enum Side {
    /// The rules are sure.
    Rules,
    /// They are not.
    Model,
    /// They are not, and the model cannot be used, for this reason.
    Fallback(String),
}

/// How many turns were answered without asking the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Turns judged so far.
    pub turns: u64,
    /// Of these, those without a call.
    pub without_call: u64,
}

/// Turns that are remembered; far more than are ever under way at once.
const KEPT: usize = 1024;

impl HybridReasoner {
    /// Asks `rules` first, then `model`.
    pub fn new(rules: Arc<dyn Reasoner>, model: Arc<dyn Reasoner>) -> Self {
        Self { rules, model, turns: Mutex::default() }
    }

    /// The embedded rules first, then the model of the settings, which is shown what the rules recognised.
    ///
    /// # Errors
    /// As [`ModelReasoner::from_settings`].
    pub fn from_settings(settings: &ModelSettings) -> Result<Self, ModelError> {
        let model = ModelReasoner::from_settings(settings)?.with_hints(Arc::new(RuleHints));
        Ok(Self::new(Arc::new(RuleReasoner::default()), Arc::new(model)))
    }

    /// How many turns were answered without asking the model, since the reasoner was made.
    pub fn share(&self) -> Share {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner).share
    }

    fn with<T>(&self, turn: &str, act: impl FnOnce(&mut Entry) -> T) -> Option<T> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.latest.iter_mut().rev().find(|entry| entry.turn == turn).map(act)
    }

    /// Remembers a turn that is seen for the first time.
    fn seen(&self, ask: &Ask<'_>, side: Side) {
        let turn = &ask.state.scratch.turn_id;
        if self.with(turn, |entry| entry.side = side.clone()).is_some() {
            return;
        }
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.share.turns += 1;
        turns.share.without_call += 1;
        if turns.latest.len() >= KEPT {
            turns.latest.pop_front();
        }
        turns.latest.push_back(Entry { turn: turn.clone(), side, called: false });
    }

    /// Takes a turn out of those without a call.
    fn called(&self, ask: &Ask<'_>, usage: Usage) {
        if usage.llm_calls == 0 {
            return;
        }
        let first =
            self.with(&ask.state.scratch.turn_id, |entry| !std::mem::replace(&mut entry.called, true));
        if first == Some(true) {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            turns.share.without_call = turns.share.without_call.saturating_sub(1);
        }
    }

    /// Who judges the planning of a turn.
    async fn side(&self, ask: Ask<'_>) -> Side {
        if let Some(side) = self.with(&ask.state.scratch.turn_id, |entry| entry.side.clone()) {
            return side;
        }
        let side = match self.rules.compose_plan(ask).await {
            Ok(Judged { value: Planned::Plan { output, .. }, .. })
                if output.confidence == Confidence::High =>
            {
                Side::Rules
            }
            // What must not be done is not done by asking somebody else.
            Err(error) if error.error.kind == ErrorKind::Refused => Side::Rules,
            _ => Side::Model,
        };
        self.seen(&ask, side.clone());
        side
    }

    /// The model's judgement, or that of the rules where the model cannot be used.
    async fn or_rules<'a, T>(
        &'a self,
        ask: Ask<'a>,
        model: Judgement<'a, T>,
        rules: impl FnOnce() -> Judgement<'a, T>,
    ) -> Result<Judged<T>, ReasonerError> {
        let error = match model.await {
            Ok(judged) => {
                self.called(&ask, judged.usage);
                return Ok(judged);
            }
            Err(error) => error,
        };
        self.called(&ask, error.usage);
        tracing::warn!(%error, "the model cannot be used; the rules judge the rest of the turn");
        self.seen(&ask, Side::Fallback(error.error.message.clone()));
        match rules().await {
            Ok(Judged { value, usage }) => {
                let mut both = error.usage;
                both += usage;
                Ok(Judged { value, usage: both })
            }
            Err(_) => Err(error),
        }
    }

    /// A judgement of planning, by whoever judges the turn.
    async fn judge<'a, T>(
        &'a self,
        ask: Ask<'a>,
        rules: impl FnOnce() -> Judgement<'a, T>,
        model: impl FnOnce() -> Judgement<'a, T>,
    ) -> Result<Judged<T>, ReasonerError> {
        match self.side(ask).await {
            Side::Rules | Side::Fallback(_) => rules().await,
            Side::Model => self.or_rules(ask, model(), rules).await,
        }
    }

    /// Why the model was not asked, if it should have been.
    fn fallback(&self, ask: &Ask<'_>) -> Option<String> {
        match self.with(&ask.state.scratch.turn_id, |entry| entry.side.clone()) {
            Some(Side::Fallback(why)) => Some(why),
            _ => None,
        }
    }

    /// A plan of the rules in place of the model's: where there is none, what kept the model is what to say.
    fn in_place(
        &self,
        ask: &Ask<'_>,
        judged: Result<Judged<Planned>, ReasonerError>,
    ) -> Result<Judged<Planned>, ReasonerError> {
        let Some(why) = self.fallback(ask) else { return judged };
        let (usage, planned) = match judged {
            Ok(Judged { value, usage }) => (usage, value),
            Err(error) => {
                return Err(ReasonerError { error: TurnError::new(ErrorKind::Model, why), ..error });
            }
        };
        match planned {
            Planned::Plan { output, mut explanation } => {
                explanation
                    .push(format!("The embedded rules answered, because the model could not be used: {why}"));
                Ok(Judged { value: Planned::Plan { output, explanation }, usage })
            }
            Planned::Failed(_) => Err(ReasonerError { error: TurnError::new(ErrorKind::Model, why), usage }),
            planned => Ok(Judged { value: planned, usage }),
        }
    }
}

impl Reasoner for HybridReasoner {
    fn name(&self) -> &'static str {
        "hybrid"
    }

    fn intent<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Option<JudgedIntent>> {
        Box::pin(async move {
            // A turn whose intent was judged is not yet one whose planning was.
            match self.model.intent(ask).await {
                Ok(judged) => Ok(judged),
                Err(error) => Ok(Judged { value: None, usage: error.usage }),
            }
        })
    }

    fn route<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, RouterOutput> {
        Box::pin(async move {
            let judged = self.rules.route(ask).await;
            let sure = match &judged {
                Ok(Judged { value: RouterOutput::Failed(error), .. }) => error.kind == ErrorKind::Refused,
                // Without a typed plan of the previous query the rules know nothing that they could follow up.
                Ok(Judged { value: RouterOutput::New, .. }) => ask.state.current_plan.is_some(),
                Ok(_) => true,
                Err(_) => false,
            };
            if sure {
                return judged;
            }
            self.or_rules(ask, self.model.route(ask), || Box::pin(std::future::ready(judged))).await
        })
    }

    fn needs_no_table(&self, ask: Ask<'_>) -> bool {
        self.rules.needs_no_table(ask)
    }

    fn tables_at_once(&self, ask: Ask<'_>) -> usize {
        match self.with(&ask.state.scratch.turn_id, |entry| entry.side.clone()) {
            Some(Side::Rules | Side::Fallback(_)) => self.rules.tables_at_once(ask),
            // Not decided yet: a first round that is too small costs nothing.
            Some(Side::Model) | None => self.model.tables_at_once(ask),
        }
    }

    fn evaluate_tables<'a>(
        &'a self,
        ask: Ask<'a>,
        tables: &'a [String],
    ) -> Judgement<'a, Vec<TableRelevance>> {
        Box::pin(self.judge(
            ask,
            move || self.rules.evaluate_tables(ask, tables),
            move || self.model.evaluate_tables(ask, tables),
        ))
    }

    fn refine_tables<'a>(
        &'a self,
        ask: Ask<'a>,
        candidates: &'a [TableRelevance],
    ) -> Judgement<'a, TableRefinement> {
        Box::pin(self.judge(
            ask,
            move || self.rules.refine_tables(ask, candidates),
            move || self.model.refine_tables(ask, candidates),
        ))
    }

    fn synthesize<'a>(
        &'a self,
        ask: Ask<'a>,
        tables: &'a [PlannedTable],
    ) -> Judgement<'a, QueryUnderstanding> {
        Box::pin(self.judge(
            ask,
            move || self.rules.synthesize(ask, tables),
            move || self.model.synthesize(ask, tables),
        ))
    }

    fn infer_joins<'a>(
        &'a self,
        ask: Ask<'a>,
        understanding: &'a QueryUnderstanding,
    ) -> Judgement<'a, JoinInference> {
        Box::pin(self.judge(
            ask,
            move || self.rules.infer_joins(ask, understanding),
            move || self.model.infer_joins(ask, understanding),
        ))
    }

    fn worth_trying(&self, ask: Ask<'_>) -> Vec<QueryPlan> {
        match self.with(&ask.state.scratch.turn_id, |entry| entry.side.clone()) {
            Some(Side::Rules | Side::Fallback(_)) => self.rules.worth_trying(ask),
            Some(Side::Model) | None => Vec::new(),
        }
    }

    fn compose_plan<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Planned> {
        Box::pin(async move {
            let judged =
                self.judge(ask, || self.rules.compose_plan(ask), || self.model.compose_plan(ask)).await;
            self.in_place(&ask, judged)
        })
    }

    fn update_plan<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Planned> {
        Box::pin(async move {
            // The rules are asked with the edits of their own router, or not at all sure.
            let judged = self.rules.update_plan(ask).await;
            if let Ok(Judged { value: Planned::Plan { output, .. }, .. }) = &judged
                && (output.confidence == Confidence::High || !ask.state.router_edits.is_empty())
            {
                self.seen(&ask, Side::Rules);
                return judged;
            }
            self.seen(&ask, Side::Model);
            let both = self
                .or_rules(ask, self.model.update_plan(ask), || Box::pin(std::future::ready(judged)))
                .await;
            self.in_place(&ask, both)
        })
    }

    fn generate_sql<'a>(&'a self, ask: Ask<'a>, plan: &'a PlannerOutput) -> Judgement<'a, WrittenQuery> {
        if plan.query_plan.is_some() {
            return self.rules.generate_sql(ask, plan);
        }
        Box::pin(async move {
            let judged = self.model.generate_sql(ask, plan).await;
            self.called(&ask, judged.as_ref().map_or_else(|error| error.usage, |judged| judged.usage));
            judged
        })
    }

    fn repair<'a>(&'a self, ask: Ask<'a>, failure: &'a Failure) -> Judgement<'a, Option<WrittenQuery>> {
        Box::pin(async move {
            match self.rules.repair(ask, failure).await {
                Ok(Judged { value: None, .. }) | Err(_) => {
                    let none = || -> Judgement<'a, Option<WrittenQuery>> {
                        Box::pin(std::future::ready(Ok(Judged::free(None))))
                    };
                    self.or_rules(ask, self.model.repair(ask, failure), none).await
                }
                found => found,
            }
        })
    }

    fn refine<'a>(
        &'a self,
        ask: Ask<'a>,
        sql: &'a str,
        plan: Option<&'a QueryPlan>,
    ) -> Judgement<'a, Option<WrittenQuery>> {
        Box::pin(async move {
            match self.rules.refine(ask, sql, plan).await {
                // What the rules wrote they also know the values of; that nothing comes near is their answer.
                Ok(Judged { value: None, .. }) if plan.is_none() => {
                    let none = || -> Judgement<'a, Option<WrittenQuery>> {
                        Box::pin(std::future::ready(Ok(Judged::free(None))))
                    };
                    self.or_rules(ask, self.model.refine(ask, sql, plan), none).await
                }
                answered => answered,
            }
        })
    }
}
