//! What was taken in is not what was paid out: no cost and no purchase price is *revenue*.

use super::knowledge::Knowledge;
use super::stem::stem;
use super::text::Question;
use sqlogue_sql::plan::{Aggregate, Expr, QueryPlan, Select};

/// Words for what was taken in.
const TAKEN_IN: [&str; 5] = ["revenue", "revenues", "takings", "turnover", "income"];
/// Words, in names of columns and in questions, for what is paid out.
const PAID_OUT: [&str; 11] = [
    "cost",
    "purchase",
    "expense",
    "salary",
    "wage",
    "repair",
    "maintenance",
    "refund",
    "spending",
    "profit",
    "margin",
];

/// True where takings are asked for, and a plan adds up what was paid out and nothing else.
pub(super) fn adds_up_costs(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let out = PAID_OUT.map(stem);
    let asks = question.tokens.iter().any(|token| TAKEN_IN.contains(&token.lower.as_str()));
    if !asks || question.tokens.iter().any(|token| out.contains(&token.stem)) {
        return false;
    }
    let is_paid_out = |expr: &Expr| {
        let Expr::Aggregate { function: Aggregate::Sum, argument, .. } = expr else { return false };
        // *this year and last year*: a sum of each is of the same column where a condition holds.
        let summed = match argument.as_ref() {
            Expr::Case { branches, otherwise: None } => branches.first().map(|branch| &branch.then),
            other => Some(other),
        };
        let Some(Expr::Column(column)) = summed else { return false };
        let table = plan.table_in_use(&column.table).and_then(|table| knowledge.table_named(table));
        let id = table.and_then(|table| knowledge.column_named(table, &column.column));
        id.is_some_and(|id| knowledge.column(id).forms.iter().flatten().any(|word| out.contains(word)))
    };
    let nested = plan.queries().into_iter().any(|query| adds_up_costs(query, question, knowledge));
    nested || plan.selects().flat_map(Select::exprs).any(is_paid_out)
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::table;
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema};
    use sqlogue_sql::sql::{Dialect, render};

    #[test]
    fn revenue_is_what_was_paid_to_us() {
        use ColumnType::{Date, Integer, Real, Text};
        let tables = vec![
            table("branches", &[("branch_id", Integer), ("name", Text)], &[]),
            table(
                "cars",
                &[
                    ("car_id", Integer),
                    ("branch_id", Integer),
                    ("purchased_on", Date),
                    ("purchase_price", Real),
                ],
                &[("branch_id", "branches", "branch_id")],
            ),
            table(
                "payments",
                &[("payment_id", Integer), ("car_id", Integer), ("paid_on", Date), ("amount", Real)],
                &[("car_id", "cars", "car_id")],
            ),
        ];
        let knowledge = Knowledge::from_schema(&Schema { tables });
        let first = |question: &str| {
            let read = understand(question, &knowledge, &Options::default());
            read.candidates.first().map(|one| render(&one.plan, Dialect::Sqlite)).unwrap_or_default()
        };
        assert!(
            first("revenue by branch").contains("sum(payments.amount)"),
            "{}",
            first("revenue by branch")
        );
        let both = first("revenue by branch this year compared to last year");
        assert!(both.contains("THEN payments.amount"), "{both}");
        let paid = first("total purchase price by branch");
        assert!(paid.contains("sum(cars.purchase_price)"), "{paid}");
    }
}
