//! What a question says twice holds in both places: *which furniture products cost more than the average furniture product* compares
//! with furniture, and not with all products.

use crate::rules::stem::stem;
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, Comparison, Condition, Expr, QueryPlan};
use sqlogue_sql::schema::Value;

/// True where two numbers of rows are asked for, the second *of them*, and a plan shows one: *the number of orders and how many of them
/// were cancelled*.
pub(super) fn counts_once(plan: &QueryPlan, asked: &Question) -> bool {
    let numbers: Vec<usize> = (0..asked.tokens.len()).filter(|at| asked.asks_number(*at)).collect();
    let of_them = |at: &usize| {
        let behind = at + if asked.word(*at) == "how" { 2 } else { 1 };
        asked.word(behind) == "of" && matches!(asked.word(behind + 1), "them" | "these" | "those")
    };
    let [_, rest @ ..] = numbers.as_slice() else { return false };
    let counts = |expr: &Expr| {
        let mut found = 0;
        expr.for_each(&mut |part| {
            let is_count = matches!(part, Expr::Aggregate { function: Aggregate::Count, .. });
            found += usize::from(is_count);
        });
        found
    };
    let shown: usize = plan.select.projection.iter().map(|shown| counts(&shown.expr)).sum();
    rest.iter().any(of_them) && shown == 1 && plan.with.is_empty()
}

/// True where rows are compared with the mean of all others, and the words say of which they are twice.
pub(super) fn forgets_second(plan: &QueryPlan, asked: &Question) -> bool {
    let Some(average) =
        asked.tokens.iter().position(|token| matches!(token.lower.as_str(), "average" | "mean"))
    else {
        return false;
    };
    let (before, after) = asked.tokens.split_at(average);
    let is_said_twice = |text: &str| {
        text.split_whitespace().all(|word| {
            let word = stem(&word.to_lowercase());
            before.iter().any(|token| token.stem == word) && after.iter().any(|token| token.stem == word)
        })
    };
    let conjuncts: Vec<&Condition> = plan.select.filter.iter().flat_map(Condition::conjuncts).collect();
    let is_kept = conjuncts.iter().any(|condition| match condition {
        Condition::Compare {
            operator: Comparison::Equal, right: Expr::Literal(Value::Text(text)), ..
        } => is_said_twice(text),
        _ => false,
    });
    let is_of_all = |condition: &&Condition| match condition {
        Condition::Compare { right: Expr::Query(query), .. } => {
            let shown = query.select.projection.first().map(|shown| &shown.expr);
            let is_mean = matches!(shown, Some(Expr::Aggregate { function: Aggregate::Avg, .. }));
            is_mean && query.select.filter.is_none()
        }
        _ => false,
    };
    is_kept && conjuncts.iter().any(is_of_all)
}
