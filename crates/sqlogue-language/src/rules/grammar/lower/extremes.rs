//! Both ends of one order: of rows (*the cheapest and the most expensive product*), of the rows of each group, and of groups
//! (*the depots with the most and the fewest vans*).

use super::Lowering;
use super::over::name_columns;
use crate::rules::grammar::columns::{flag, is_date, is_number};
use crate::rules::grammar::form::{Attr, By, Take};
use sqlogue_sql::plan::{
    Aggregate, Comparison, Condition, Direction, Expr, NamedQuery, Order, Projection, QueryPlan, Select,
    Source, TableUse, Window,
};

/// The query whose groups are compared.
const GROUPED: &str = "grouped";
/// The names of the ends within each group.
const LOWEST: &str = "lowest";
const HIGHEST: &str = "highest";

impl Lowering<'_> {
    /// Whether the two ends that are asked for are those of one order, with one row at each.
    pub(super) fn are_ends(&self, take: &Take, ends: &(By, Direction)) -> Option<()> {
        let one = self.direction(&take.by, take.direction);
        let opposite = self.direction(&ends.0, ends.1);
        // *the three cheapest and the three most expensive* are more than the ends.
        let single = self.query.limit.is_none_or(|limit| limit == 1) && self.query.skip.is_none();
        (one != opposite && single).then_some(())
    }

    /// The rows at both ends of an order, those at the low end first; none where the two are not ends of one order.
    pub(super) fn both_ends(
        &self,
        select: Select,
        take: &Take,
        ends: &(By, Direction),
        low: Expr,
    ) -> Option<QueryPlan> {
        self.are_ends(take, ends)?;
        let By::Attr(other) = &ends.0 else { return None };
        let column = match other {
            Attr::Noun(noun) => self.bound(noun)?.column,
            Attr::Adjective(words, _) => self.filler(*words)?.column,
            _ => None,
        };
        // Yes and no are no ends of anything, and nobody is the highest by name.
        let has_order = |id| {
            let counts = is_number(self.knowledge, id) && flag(self.knowledge, id).is_none();
            counts || is_date(self.knowledge, id)
        };
        if self.attr(other)? != low || column.is_some_and(|id| !has_order(id)) {
            return None;
        }
        let mut select = select;
        let end = |function: Aggregate| {
            let mut nested = select.clone();
            nested.distinct = false;
            nested.projection = vec![Projection::from(Expr::aggregate(function, low.clone()))];
            let nested = Expr::Query(Box::new(QueryPlan::from(nested)));
            Condition::compare(low.clone(), Comparison::Equal, nested)
        };
        let ends = Condition::Or(vec![end(Aggregate::Min), end(Aggregate::Max)]);
        let shown = Projection::from(low.clone());
        if !select.projection.iter().any(|other| matches!(other.expr, Expr::All(_)) || *other == shown) {
            select.projection.push(shown);
        }
        let mut plan = QueryPlan::from(select.filter(ends));
        plan.order_by = vec![Order { expr: low, direction: Direction::Ascending }];
        Some(plan)
    }

    /// The rows at both ends within each group: `select` also tells the ends of its group, and `outer` keeps those that lie at
    /// one. The value is shown under its name.
    pub(super) fn ends_within(
        select: Select,
        outer: &mut Select,
        keys: Vec<Expr>,
        by: &Expr,
        ranked: &str,
    ) -> Option<Select> {
        let value = select.projection.iter().find(|shown| shown.expr == *by)?.alias.clone()?;
        let end = |function: Aggregate| {
            let all = Window::aggregate(function, by.clone());
            Expr::from(keys.iter().cloned().fold(all, Window::per))
        };
        let is =
            |name: &str| Condition::equal(Expr::column(ranked, value.clone()), Expr::column(ranked, name));
        outer.filter = Some(Condition::Or(vec![is(LOWEST), is(HIGHEST)]));
        let [low, high] = [end(Aggregate::Min), end(Aggregate::Max)];
        Some(select.project_as(low, LOWEST).project_as(high, HIGHEST))
    }

    /// The groups at both ends of an order, those at the low end first.
    pub(super) fn both_ends_of_groups(&self, mut select: Select, by: Expr) -> Option<QueryPlan> {
        if !select.projection.iter().any(|shown| shown.expr == by) {
            select.projection.push(Projection::from(by.clone()));
        }
        let mut outer = Select { from: Source::Table(TableUse::new(GROUPED)), ..Select::default() };
        name_columns(&mut select, &mut outer, GROUPED);
        let value = select.projection.iter().find(|shown| shown.expr == by)?.alias.clone()?;
        let value = Expr::column(GROUPED, value);
        let end = |function: Aggregate| {
            let all = Select::from_table(GROUPED).project(Expr::aggregate(function, value.clone()));
            Condition::equal(value.clone(), Expr::Query(Box::new(QueryPlan::from(all))))
        };
        outer.filter = Some(Condition::Or(vec![end(Aggregate::Min), end(Aggregate::Max)]));
        let mut plan = QueryPlan::from(outer);
        plan.order_by = vec![Order { expr: value, direction: Direction::Ascending }];
        plan.with = vec![NamedQuery::new(GROUPED, select)];
        Some(plan)
    }
}
