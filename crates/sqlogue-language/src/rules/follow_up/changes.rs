//! What a way to take a follow-up changes of the plan before, as the ranking of the ways sees it.

use super::previous::Previous;
use super::reading::Reading;
use super::ways::summarises;
use crate::rules::rank::Features;
use sqlogue_sql::plan::{Expr, PlanChange, QueryPlan, compare};

/// What becomes of the plan before, beside the words that ask for it.
pub(super) fn of_change(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> Features {
    let mut features = Features::new();
    let mut add = |name: String| features.push((name, 1.0));
    let opening = reading.opening();
    let mut kinds: Vec<&str> = compare(previous.plan, plan).iter().map(kind).collect();
    if kinds.is_empty() {
        kinds.push("nothing");
    }
    kinds.sort_unstable();
    kinds.dedup();
    for kind in &kinds {
        add(format!("does {kind}"));
        add(format!("opens {opening} does {kind}"));
        for (name, said) in [
            ("also", reading.also),
            ("only", reading.only),
            ("instead", reading.instead),
            ("again", reading.again),
            ("and", reading.and),
            ("refers", reading.refers()),
        ] {
            if said {
                add(format!("says {name} does {kind}"));
            }
        }
    }
    add(format!("does {}", kinds.join("+")));
    let before = previous.plan;
    let shown = |plan: &QueryPlan| plan.select.projection.len() as i64;
    add(format!("columns {}", (shown(plan) - shown(before)).clamp(-3, 3)));
    let sorts = plan.order_by.first().map(|order| &order.expr);
    let is_shown = |expr: &Expr| plan.select.projection.iter().any(|shown| shown.expr == *expr);
    if let Some(sorts) = sorts {
        add(format!("sorted shown {}", is_shown(sorts)));
        add(format!("sorted shown {} {opening}", is_shown(sorts)));
    }
    add(format!("summary {} to {}", summarises(before), summarises(plan)));
    add(format!("summary {} to {} {opening}", summarises(before), summarises(plan)));
    let tables = |plan: &QueryPlan| plan.select.tables().count().min(4);
    add(format!("tables {} to {}", tables(before), tables(plan)));
    features
}

fn kind(change: &PlanChange) -> &'static str {
    match change {
        PlanChange::SubjectChanged { .. } => "subject",
        PlanChange::TableAdded { .. } => "join",
        PlanChange::TableRemoved { .. } => "unjoin",
        PlanChange::ColumnAdded { .. } => "show",
        PlanChange::ColumnRemoved { .. } => "hide",
        PlanChange::ColumnsReplaced { .. } => "replace",
        PlanChange::FilterAdded { .. } => "filter",
        PlanChange::FilterRemoved { .. } => "unfilter",
        PlanChange::FilterChanged { .. } => "refilter",
        PlanChange::GroupingChanged { .. } => "group",
        PlanChange::OrderChanged { .. } => "order",
        PlanChange::LimitChanged { .. } => "limit",
        PlanChange::OffsetChanged { .. } => "offset",
        PlanChange::DistinctChanged { .. } => "distinct",
        PlanChange::CombinationChanged { .. } => "combine",
        PlanChange::AskedOfAnswer => "of_answer",
    }
}
