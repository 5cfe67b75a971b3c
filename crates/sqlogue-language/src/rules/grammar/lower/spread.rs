//! What groups come to together: how many of them have how many rows, and how much the first of them are of all.

use super::Lowering;
use super::summary::EACH;
use sqlogue_sql::plan::{
    Aggregate, Branch, Comparison, Condition, Direction, Expr, NamedQuery, Order, Projection, QueryPlan,
    Select, Window,
};

/// The names of what a group comes to, and of its place among the groups.
const TOTAL: &str = "total";
const PLACE: &str = "place";

/// How many groups there are for each number, in the order of the numbers, in place of the mean of the numbers: *customers by number
/// of orders*.
pub(super) fn by_number(mut plan: QueryPlan) -> Option<QueryPlan> {
    let named = plan.with.first()?;
    let value = named.query.select.projection.last()?.alias.clone()?;
    let value = Expr::column(EACH, value);
    plan.select = Select::from_table(EACH).group(value.clone()).project(Expr::count_all());
    plan.order_by = vec![Order { expr: value, direction: Direction::Ascending }];
    Some(plan)
}

impl Lowering<'_> {
    /// How much of a total the first groups are together, in percent: *the top 10 customers' share of revenue*.
    pub(super) fn share_of_first(&self, mut select: Select, total: Expr) -> Option<QueryPlan> {
        let first = i64::try_from(self.query.limit?).ok()?;
        let place = Window::row_number().by(total.clone(), Direction::Descending);
        select.projection = vec![
            Projection { expr: total, alias: Some(TOTAL.to_owned()) },
            Projection { expr: Expr::from(place), alias: Some(PLACE.to_owned()) },
        ];
        let is_first =
            Condition::compare(Expr::column(EACH, PLACE), Comparison::LessOrEqual, Expr::literal(first));
        let theirs = Expr::Case {
            branches: vec![Branch { when: is_first, then: Expr::column(EACH, TOTAL) }],
            otherwise: None,
        };
        let sum = |of: Expr| Expr::aggregate(Aggregate::Sum, of);
        let percent = Expr::percent(sum(theirs), sum(Expr::column(EACH, TOTAL)));
        let mut plan = QueryPlan::from(Select::from_table(EACH).project_as(percent, "percent"));
        plan.with = vec![NamedQuery::new(EACH, select)];
        Some(plan)
    }
}
