//! Rules where they are sure, a model elsewhere.

use std::sync::Arc;

use super::model::{ModelReasoner, RuleHints};
use super::{
    Alternatives, Ask, Judged, JudgedIntent, Judgement, Planned, Reasoner, ReasonerError, RouterOutput,
    RuleReasoner, Trial, WrittenQuery,
};
use crate::conversation::{ErrorKind, Failure, Judge, TurnError};
use crate::model::{ModelError, ModelSettings};
use crate::plan::{
    Confidence, JoinInference, PlannedTable, PlannerOutput, QueryPlan, QueryUnderstanding, TableRefinement,
    TableRelevance,
};

/// Asks the rules first, and the model only where they are not sure.
///
/// Whether they are is decided once a turn, by the plan that they would make, and is kept in the state: with high
/// confidence they judge the whole turn, and nobody is called. Where the model cannot be used, the rules judge the rest of
/// the turn as well as they can.
pub struct HybridReasoner {
    rules: Arc<dyn Reasoner>,
    model: Arc<dyn Reasoner>,
}

impl HybridReasoner {
    /// Asks `rules` first, then `model`.
    pub fn new(rules: Arc<dyn Reasoner>, model: Arc<dyn Reasoner>) -> Self {
        Self { rules, model }
    }

    /// The embedded rules first, then the model of the settings, which is shown what the rules recognised.
    ///
    /// # Errors
    /// As [`ModelReasoner::from_settings`].
    pub fn from_settings(settings: &ModelSettings) -> Result<Self, ModelError> {
        let model = ModelReasoner::from_settings(settings)?.with_hints(Arc::new(RuleHints));
        Ok(Self::new(Arc::new(RuleReasoner::default()), Arc::new(model)))
    }

    /// Who judges the planning of a turn.
    async fn judge_of(&self, ask: Ask<'_>) -> Judge {
        if let Some(judge) = &ask.state.scratch.judge {
            return judge.clone();
        }
        match self.rules.compose_plan(ask).await {
            Ok(Judged { value: Planned::Plan { output, .. }, .. })
                if output.confidence == Confidence::High && self.rules.alternatives(ask, &[]).is_empty() =>
            {
                Judge::Rules
            }
            // What must not be done is not done by asking somebody else.
            Err(error) if error.error.kind == ErrorKind::Refused => Judge::Rules,
            _ => Judge::Model,
        }
    }

    /// A judgement of planning, by whoever judges the turn.
    async fn judge<'a, T>(
        &'a self,
        ask: Ask<'a>,
        rules: impl FnOnce() -> Judgement<'a, T>,
        model: impl FnOnce() -> Judgement<'a, T>,
    ) -> Result<Judged<T>, ReasonerError> {
        let judge = self.judge_of(ask).await;
        let known = ask.state.scratch.judge.as_ref();
        match judge {
            Judge::Model => or_rules(model(), rules).await,
            _ => rules().await,
        }
        .map(|judged| Judged {
            judge: judged.judge.or(Some(judge)).filter(|judge| Some(judge) != known),
            ..judged
        })
    }
}

/// The model's judgement, or that of the rules where the model cannot be used.
async fn or_rules<'a, T>(
    model: Judgement<'a, T>,
    rules: impl FnOnce() -> Judgement<'a, T>,
) -> Result<Judged<T>, ReasonerError> {
    let error = match model.await {
        Ok(judged) => return Ok(judged),
        Err(error) => error,
    };
    tracing::warn!(%error, "the model cannot be used; the rules judge the rest of the turn");
    match rules().await {
        Ok(Judged { value, usage, .. }) => {
            let mut both = error.usage;
            both += usage;
            let judge = Judge::RulesInstead { why: error.error.message };
            Ok(Judged { value, usage: both, judge: Some(judge) })
        }
        Err(_) => Err(error),
    }
}

/// A plan of the rules in place of the model's: where there is none, what kept the model is what to say.
fn in_place(
    ask: &Ask<'_>,
    judged: Result<Judged<Planned>, ReasonerError>,
) -> Result<Judged<Planned>, ReasonerError> {
    let now = judged.as_ref().ok().and_then(|judged| judged.judge.as_ref());
    let Some(Judge::RulesInstead { why }) = now.or(ask.state.scratch.judge.as_ref()).cloned() else {
        return judged;
    };
    match judged {
        Ok(Judged { value: Planned::Plan { output, mut explanation }, usage, judge }) => {
            explanation
                .push(format!("The embedded rules answered, because the model could not be used: {why}"));
            Ok(Judged { value: Planned::Plan { output, explanation }, usage, judge })
        }
        Ok(Judged { value: Planned::Failed(_), usage, .. }) => {
            Err(ReasonerError { error: TurnError::new(ErrorKind::Model, why), usage })
        }
        Err(error) => Err(ReasonerError { error: TurnError::new(ErrorKind::Model, why), ..error }),
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
                Err(error) => Ok(Judged { usage: error.usage, ..Judged::free(None) }),
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
            or_rules(self.model.route(ask), || Box::pin(std::future::ready(judged))).await
        })
    }

    fn needs_no_table(&self, ask: Ask<'_>) -> bool {
        self.rules.needs_no_table(ask)
    }

    fn tables_at_once(&self, ask: Ask<'_>) -> usize {
        match ask.state.scratch.judge {
            // Not decided yet: a first round that is too small costs nothing.
            Some(Judge::Model) | None => self.model.tables_at_once(ask),
            Some(_) => self.rules.tables_at_once(ask),
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
        match ask.state.scratch.judge {
            Some(Judge::Model) | None => Vec::new(),
            Some(_) => self.rules.worth_trying(ask),
        }
    }

    fn alternatives(&self, ask: Ask<'_>, trials: &[Trial]) -> Vec<Alternatives> {
        match ask.state.scratch.judge {
            Some(Judge::Model) | None => Vec::new(),
            Some(_) => self.rules.alternatives(ask, trials),
        }
    }

    fn compose_plan<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Planned> {
        Box::pin(async move {
            let judged =
                self.judge(ask, || self.rules.compose_plan(ask), || self.model.compose_plan(ask)).await;
            in_place(&ask, judged)
        })
    }

    fn update_plan<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Planned> {
        Box::pin(async move {
            // The rules are asked with the edits of their own router, or not at all sure.
            let judged = self.rules.update_plan(ask).await;
            let chosen =
                |judged: Judged<Planned>, judge| Judged { judge: judged.judge.or(Some(judge)), ..judged };
            if let Ok(Judged { value: Planned::Plan { output, .. }, .. }) = &judged
                && (output.confidence == Confidence::High || !ask.state.router_edits.is_empty())
            {
                return judged.map(|judged| chosen(judged, Judge::Rules));
            }
            let both = or_rules(self.model.update_plan(ask), || Box::pin(std::future::ready(judged))).await;
            in_place(&ask, both.map(|judged| chosen(judged, Judge::Model)))
        })
    }

    fn generate_sql<'a>(&'a self, ask: Ask<'a>, plan: &'a PlannerOutput) -> Judgement<'a, WrittenQuery> {
        if plan.query_plan.is_some() {
            return self.rules.generate_sql(ask, plan);
        }
        self.model.generate_sql(ask, plan)
    }

    fn repair<'a>(&'a self, ask: Ask<'a>, failure: &'a Failure) -> Judgement<'a, Option<WrittenQuery>> {
        Box::pin(async move {
            match self.rules.repair(ask, failure).await {
                Ok(Judged { value: None, .. }) | Err(_) => {
                    let none = || -> Judgement<'a, Option<WrittenQuery>> {
                        Box::pin(std::future::ready(Ok(Judged::free(None))))
                    };
                    or_rules(self.model.repair(ask, failure), none).await
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
                    or_rules(self.model.refine(ask, sql, plan), none).await
                }
                answered => answered,
            }
        })
    }
}
