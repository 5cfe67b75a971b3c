//! Computed numbers rounded, where that is asked for.

use sqlogue_sql::plan::{Aggregate, Expr, Function, QueryPlan};

/// The plan with its computed numbers rounded to so many decimals; none where it computes none that has any.
pub(super) fn rounded(mut plan: QueryPlan, decimals: u32) -> Option<QueryPlan> {
    let mut found = false;
    for shown in &mut plan.select.projection {
        if has_decimals(&shown.expr) {
            // The heading stays that of the number itself.
            let mut arguments = vec![shown.expr.clone()];
            if decimals > 0 {
                arguments.push(Expr::literal(i64::from(decimals)));
            }
            shown.expr = Expr::function(Function::Round, arguments);
            found = true;
        }
    }
    found.then_some(plan)
}

/// True for a number that is computed and may have decimals: a mean, a total, a share.
fn has_decimals(expr: &Expr) -> bool {
    match expr {
        Expr::Aggregate { function, .. } => !matches!(function, Aggregate::Count),
        Expr::Arithmetic { .. } => true,
        Expr::Window(_) => true,
        // What a named query before it has computed.
        Expr::Column(column) => column.column.starts_with("average_") || column.column.starts_with("median_"),
        _ => false,
    }
}
