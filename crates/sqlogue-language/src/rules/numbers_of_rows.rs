//! Numbers that only say which row is meant: *staff who served more than 100 sales* have served many, and none with a number above 100.

use super::knowledge::Knowledge;
use super::text::Question;
use sqlogue_sql::plan::{ColumnRef, Comparison, Condition, Expr, QueryPlan};
use sqlogue_sql::schema::Value;

/// True where a plan asks which references to other rows are above or below a number, and nobody spoke of their numbers.
pub(super) fn compares_references(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let speaks = |word: &str| matches!(word, "id" | "ids" | "number" | "numbers" | "no" | "key" | "code");
    if question.tokens.iter().any(|token| speaks(&token.lower)) {
        return false;
    }
    let refers = |column: &ColumnRef| {
        knowledge.column_in(plan, column).is_some_and(|id| {
            let entry = knowledge.column(id);
            entry.is_foreign && !entry.is_key
        })
    };
    let compares = |part: &Condition| match part {
        Condition::Compare { left: Expr::Column(column), operator, right: Expr::Literal(value) } => {
            let is_number = matches!(value, Value::Integer(_) | Value::Real(_));
            let by_size = !matches!(operator, Comparison::Equal | Comparison::NotEqual);
            is_number && by_size && refers(column)
        }
        _ => false,
    };
    plan.select.filter.iter().flat_map(Condition::conjuncts).any(compares)
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::of_office;

    #[test]
    fn references_are_compared_where_their_numbers_are_meant_only() {
        let compares =
            |question: &str| of_office(question).iter().any(|sql| sql.contains("district_id > 100"));
        assert!(!compares("districts with more than 100 requests"));
        assert!(!compares("requests of more than 100 districts"));
    }
}
