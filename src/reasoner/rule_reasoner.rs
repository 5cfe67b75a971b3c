//! The embedded reasoner behind the trait: what `rules` understands, in the terms of the graph's phases.

use super::{Ask, Judged, Judgement, Planned, Reasoner, RouterOutput, WrittenQuery};
use crate::conversation::{ErrorKind, Failure, TurnError};
use crate::plan::{
    JoinInference, PlannedTable, PlannerOutput, QueryPlan, QueryUnderstanding, TableRefinement, TableRelevance,
};
use crate::sql;

/// Judges by embedded rules: deterministic, in milliseconds, without a model, a key or a network.
#[derive(Debug, Default)]
pub struct RuleReasoner {}

fn ready<'a, T: Send + 'a>(value: T) -> Judgement<'a, T> {
    Box::pin(std::future::ready(Ok(Judged::free(value))))
}

fn not_understood() -> TurnError {
    TurnError::new(ErrorKind::NotUnderstood, "not understood")
}

impl Reasoner for RuleReasoner {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn route<'a>(&'a self, _ask: Ask<'a>) -> Judgement<'a, RouterOutput> {
        ready(RouterOutput::Failed(not_understood()))
    }

    fn evaluate_tables<'a>(&'a self, _ask: Ask<'a>, tables: &'a [String]) -> Judgement<'a, Vec<TableRelevance>> {
        ready(tables.iter().map(|table| TableRelevance { table: table.clone(), ..Default::default() }).collect())
    }

    fn refine_tables<'a>(
        &'a self,
        _ask: Ask<'a>,
        _candidates: &'a [TableRelevance],
    ) -> Judgement<'a, TableRefinement> {
        ready(TableRefinement::default())
    }

    fn synthesize<'a>(&'a self, _ask: Ask<'a>, _tables: &'a [PlannedTable]) -> Judgement<'a, QueryUnderstanding> {
        ready(QueryUnderstanding::default())
    }

    fn infer_joins<'a>(
        &'a self,
        _ask: Ask<'a>,
        _understanding: &'a QueryUnderstanding,
    ) -> Judgement<'a, JoinInference> {
        ready(JoinInference::default())
    }

    fn compose_plan<'a>(&'a self, _ask: Ask<'a>) -> Judgement<'a, Planned> {
        ready(Planned::Failed(not_understood()))
    }

    fn update_plan<'a>(&'a self, _ask: Ask<'a>) -> Judgement<'a, Planned> {
        ready(Planned::Failed(not_understood()))
    }

    fn generate_sql<'a>(&'a self, ask: Ask<'a>, plan: &'a PlannerOutput) -> Judgement<'a, WrittenQuery> {
        let plan = plan.query_plan.clone().unwrap_or_default();
        ready(WrittenQuery { sql: sql::render(&plan, ask.dialect), plan: Some(plan), note: String::new() })
    }

    fn repair<'a>(&'a self, _ask: Ask<'a>, _failure: &'a Failure) -> Judgement<'a, Option<WrittenQuery>> {
        ready(None)
    }

    fn refine<'a>(
        &'a self,
        _ask: Ask<'a>,
        _sql: &'a str,
        _plan: Option<&'a QueryPlan>,
    ) -> Judgement<'a, Option<WrittenQuery>> {
        ready(None)
    }
}
