//! Rules where they are sure, a model elsewhere.

use std::sync::Arc;

use super::model::{ModelReasoner, RuleHints};
use super::rule_reasoner::updated;
use super::understanding::in_place;
use super::{
    Ask, Judged, JudgedIntent, Judgement, Reading, Reasoner, ReasonerError, RouterOutput, RuleReasoner,
    Understanding, WrittenQuery, repair,
};
use crate::conversation::{ErrorKind, Failure, Judge, TurnError};
use crate::model::{ModelError, ModelSettings};
use crate::plan::{Confidence, PlannerOutput, QueryPlan};

/// Asks the rules first, and the model only where they are not sure.
///
/// Whether they are is decided once a turn, by the plan that they would make, and is kept in the state: with high
/// confidence they judge the whole turn, and nobody is called. Where the model cannot be used, the rules judge the rest of
/// the turn as well as they can.
pub struct HybridReasoner {
    rules: Arc<RuleReasoner>,
    model: Arc<dyn Reasoner>,
}

impl HybridReasoner {
    /// Asks `rules` first, then `model`.
    pub fn new(rules: Arc<RuleReasoner>, model: Arc<dyn Reasoner>) -> Self {
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
}

impl HybridReasoner {
    /// What the model makes of a question, with the rules as the second judge, or in its place where it cannot be asked on.
    fn seconded<'a>(&'a self, understanding: Understanding<'a>, ask: Ask<'a>) -> Understanding<'a> {
        match understanding {
            Understanding::Phases { phases, .. } => {
                Understanding::Phases { phases, instead: Some(self.rules.as_ref()) }
            }
            whole => whole.beside(&self.rules, ask),
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
                Err(error) => Ok(Judged { usage: error.usage, cells: error.cells, ..Judged::free(None) }),
            }
        })
    }

    fn route<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, RouterOutput> {
        Box::pin(async move {
            let judged = self.rules.route(ask).await;
            let sure = match &judged {
                Ok(Judged { value: RouterOutput::Failed(error), .. }) => error.kind == ErrorKind::Refused,
                // Without a typed plan of the previous query the rules know nothing that they could follow up.
                Ok(Judged { value: RouterOutput::New, .. }) => ask.state.current_plan().is_some(),
                Ok(_) => true,
                Err(_) => false,
            };
            if sure {
                return judged;
            }
            let model = self.model.route(ask).await;
            model.or_else(|error| in_place(error, judged.map(|judged| judged.value)))
        })
    }

    fn understand<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Understanding<'a>> {
        Box::pin(async move {
            let known = ask.state.scratch.judge.clone();
            let whole = match &known {
                Some(Judge::Model) => None,
                _ => Some(self.rules.whole(ask)),
            };
            let judge = known.clone().unwrap_or_else(|| match &whole {
                Some(Ok(whole)) if whole.is_sure() => Judge::Rules,
                // What must not be done is not done by asking somebody else.
                Some(Err(error)) if error.kind == ErrorKind::Refused => Judge::Rules,
                _ => Judge::Model,
            });
            let judged = match (&judge, whole) {
                (Judge::Rules, Some(whole)) => free(whole.map(Understanding::Whole)),
                (Judge::RulesInstead { why }, Some(whole)) => free(
                    whole.map(|whole| Understanding::Whole(Arc::new(whole.noted(answered_instead(why))))),
                ),
                _ => match self.model.understand(ask).await {
                    Ok(judged) => Ok(judged.map(|understanding| self.seconded(understanding, ask))),
                    Err(error) => {
                        let note = answered_instead(&error.error.message);
                        let whole = self.rules.whole(ask).map(|whole| Arc::new(whole.noted(note)));
                        in_place(error, whole.map(Understanding::Whole))
                    }
                },
            };
            judged.map(|judged| Judged {
                judge: judged.judge.clone().or(Some(judge).filter(|_| known.is_none())),
                ..judged
            })
        })
    }

    fn samples<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Vec<WrittenQuery>> {
        self.model.samples(ask)
    }

    fn update_plan<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Result<Reading, TurnError>> {
        Box::pin(async move {
            // The rules are asked with the edits of their own router, or not at all sure.
            let rules = updated(ask);
            if let Ok(reading) = &rules
                && (reading.output.confidence == Confidence::High || !ask.state.router_edits().is_empty())
            {
                return Ok(Judged { judge: Some(Judge::Rules), ..Judged::free(rules) });
            }
            match self.model.update_plan(ask).await {
                Ok(judged) => Ok(Judged { judge: Some(Judge::Model), ..judged }),
                Err(error) => {
                    let note = answered_instead(&error.error.message);
                    let noted = |mut reading: Reading| {
                        reading.evidence.push(note);
                        Ok(reading)
                    };
                    in_place(error, rules.map(noted))
                }
            }
        })
    }

    fn generate_sql<'a>(&'a self, ask: Ask<'a>, plan: &'a PlannerOutput) -> Judgement<'a, WrittenQuery> {
        if plan.query_plan.is_some() {
            return self.rules.generate_sql(ask, plan);
        }
        Box::pin(async move {
            match self.model.generate_sql(ask, plan).await {
                // A plan in words is nothing that the rules could render, but the question has readings of theirs.
                Err(error) => {
                    let written = repair::instead(&self.rules, ask, None).ok_or(());
                    in_place(error, written)
                }
                written => written,
            }
        })
    }

    fn repair<'a>(&'a self, ask: Ask<'a>, failure: &'a Failure) -> Judgement<'a, Option<WrittenQuery>> {
        Box::pin(async move {
            match self.rules.repair(ask, failure).await {
                Ok(Judged { value: None, .. }) | Err(_) => {
                    let repaired = self.model.repair(ask, failure).await;
                    let repaired = repaired.or_else(|error| in_place(error, NOTHING))?;
                    Ok(repaired
                        .map(|written| written.or_else(|| repair::instead(&self.rules, ask, Some(failure)))))
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
                    self.model.refine(ask, sql, plan).await.or_else(|error| in_place(error, NOTHING))
                }
                answered => answered,
            }
        })
    }

    fn reconsider<'a>(
        &'a self,
        ask: Ask<'a>,
        sql: &'a str,
        doubt: &'a str,
    ) -> Judgement<'a, Option<WrittenQuery>> {
        Box::pin(async move {
            let changed = self.model.reconsider(ask, sql, doubt).await;
            changed.or_else(|error| in_place(error, NOTHING))
        })
    }
}

/// What the rules have where the model was to repair a query.
const NOTHING: Result<Option<WrittenQuery>, ReasonerError> = Ok(None);

fn free<T>(value: Result<T, TurnError>) -> Result<Judged<T>, ReasonerError> {
    value.map(Judged::free).map_err(ReasonerError::from)
}

fn answered_instead(why: &str) -> String {
    format!("The embedded rules answered, because the model could not be used: {why}")
}
