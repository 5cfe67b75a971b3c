//! What makes bands: *calls by length: up to 10 min, over 10 min* asks how many calls there are of each length, and not how long they
//! were together.

use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, Expr, QueryPlan};

/// Words for something of the rows that is added up.
const MEASURES: [&str; 16] = [
    "total", "sum", "average", "avg", "mean", "much", "amount", "revenue", "turnover", "takings", "sales",
    "spend", "spent", "hours", "minutes", "worth",
];

/// True where a plan adds up the numbers by which it makes bands, and no word asks for that.
pub(super) fn adds_up_what_makes_bands(plan: &QueryPlan, asked: &Question) -> bool {
    let bands = plan.select.group_by.iter().filter(|key| matches!(key, Expr::Case { .. }));
    let banded: Vec<_> = bands.flat_map(Expr::columns).collect();
    let adds = |expr: &Expr| match expr {
        Expr::Aggregate { function: Aggregate::Sum, argument, .. } => match argument.as_ref() {
            Expr::Column(column) => banded.contains(&column),
            _ => false,
        },
        _ => false,
    };
    plan.select.projection.iter().any(|shown| adds(&shown.expr))
        && !asked.tokens.iter().any(|token| MEASURES.contains(&token.lower.as_str()))
}
