//! A model that judges every question, with the embedded rules as the second judge.

use std::sync::Arc;

use super::model::{ModelReasoner, RuleHints};
use super::{
    Ask, Judged, JudgedIntent, Judgement, Reading, Reasoner, RouterOutput, RuleReasoner, Understanding,
    WrittenQuery, repair,
};
use crate::conversation::{Failure, TurnError};
use crate::model::{ModelError, ModelSettings};
use crate::plan::{PlannerOutput, QueryPlan};

/// Asks the model about everything. The rules say nothing before it has answered: they tell how far its answer can be relied
/// on, and step in where it has none that runs.
pub struct SecondedReasoner {
    rules: Arc<RuleReasoner>,
    model: Arc<dyn Reasoner>,
}

impl SecondedReasoner {
    /// Asks `model`, and judges its answers beside those of `rules`.
    pub fn new(rules: Arc<RuleReasoner>, model: Arc<dyn Reasoner>) -> Self {
        Self { rules, model }
    }

    /// The model of the settings, which is shown what the rules recognised, and the embedded rules.
    ///
    /// # Errors
    /// As [`ModelReasoner::from_settings`].
    pub fn from_settings(settings: &ModelSettings) -> Result<Self, ModelError> {
        let model = ModelReasoner::from_settings(settings)?.with_hints(Arc::new(RuleHints));
        Ok(Self::new(Arc::new(RuleReasoner::default()), Arc::new(model)))
    }
}

impl Reasoner for SecondedReasoner {
    fn name(&self) -> &'static str {
        self.model.name()
    }

    fn intent<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Option<JudgedIntent>> {
        self.model.intent(ask)
    }

    fn route<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, RouterOutput> {
        self.model.route(ask)
    }

    fn understand<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Understanding<'a>> {
        Box::pin(async move {
            let judged: Judged<Understanding<'a>> = self.model.understand(ask).await?;
            Ok(judged.map(|understanding| understanding.beside(&self.rules, ask)))
        })
    }

    fn samples<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Vec<WrittenQuery>> {
        self.model.samples(ask)
    }

    fn update_plan<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Result<Reading, TurnError>> {
        self.model.update_plan(ask)
    }

    fn generate_sql<'a>(&'a self, ask: Ask<'a>, plan: &'a PlannerOutput) -> Judgement<'a, WrittenQuery> {
        self.model.generate_sql(ask, plan)
    }

    fn repair<'a>(&'a self, ask: Ask<'a>, failure: &'a Failure) -> Judgement<'a, Option<WrittenQuery>> {
        Box::pin(async move {
            let repaired = self.model.repair(ask, failure).await?;
            Ok(repaired.map(|written| written.or_else(|| repair::instead(&self.rules, ask, Some(failure)))))
        })
    }

    fn refine<'a>(
        &'a self,
        ask: Ask<'a>,
        sql: &'a str,
        plan: Option<&'a QueryPlan>,
    ) -> Judgement<'a, Option<WrittenQuery>> {
        self.model.refine(ask, sql, plan)
    }

    fn reconsider<'a>(
        &'a self,
        ask: Ask<'a>,
        sql: &'a str,
        doubt: &'a str,
    ) -> Judgement<'a, Option<WrittenQuery>> {
        self.model.reconsider(ask, sql, doubt)
    }
}
