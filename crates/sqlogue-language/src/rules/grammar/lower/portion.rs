//! The first part of all rows: *top 10 percent of customers by revenue* are as many as the tenth part of them, and the products that
//! *make up 80 % of sales* the first whose sales come to that together.

use super::Lowering;
use super::over::name_columns;
use crate::rules::grammar::form::Portion;
use sqlogue_sql::plan::{
    Aggregate, Arithmetic, Comparison, Condition, Direction, Expr, NamedQuery, Order, Projection, QueryPlan,
    Select, Window,
};

/// The query in which rows have their places, and what is told of each there.
const RANKED: &str = "ranked";
const PLACE: &str = "place";
const BEFORE: &str = "before";
const WHOLE: &str = "whole";

impl Lowering<'_> {
    /// Puts the columns of a table in the place of all of them, so that each has a name.
    fn name_all(&self, select: &mut Select) -> Option<()> {
        let is_all = |shown: &Projection| matches!(shown.expr, Expr::All(_));
        if select.projection.iter().any(is_all) {
            let table = self.knowledge.table_named(select.from.name())?;
            let columns = &self.knowledge.table(table).columns;
            let mut shown: Vec<Projection> =
                columns.iter().map(|id| Projection::from(self.expr(*id))).collect();
            shown.extend(select.projection.drain(..).filter(|one| !is_all(one)));
            shown.dedup();
            select.projection = shown;
        }
        Some(())
    }

    /// The first rows of a plan that puts all of them in order: those before which less than the part lies.
    pub(super) fn first_part(&self, plan: QueryPlan, portion: &Portion) -> Option<QueryPlan> {
        let [order] = plan.order_by.as_slice() else { return None };
        if !plan.with.is_empty() || plan.select.distinct || plan.offset.is_some() {
            return None;
        }
        let by = order.expr.clone();
        let in_order = |window: Window| Expr::from(window.by(by.clone(), order.direction));
        let place = in_order(Window::row_number());
        let less = |from: Expr, off: Expr| Expr::arithmetic(Arithmetic::Subtract, from, off);
        let (before, whole) = match portion.of_measure {
            true => {
                let so_far = in_order(Window::running(Aggregate::Sum, by.clone()));
                (less(so_far, by.clone()), Window::aggregate(Aggregate::Sum, by.clone()))
            }
            false => {
                let all = Window::aggregate(Aggregate::Count, Expr::All(None));
                (less(place.clone(), Expr::literal(1)), all)
            }
        };
        let mut select = plan.select;
        self.name_all(&mut select)?;
        let mut outer = Select::from_table(RANKED);
        name_columns(&mut select, &mut outer, RANKED);
        let select = select.project_as(place, PLACE).project_as(before, BEFORE);
        let select = select.project_as(Expr::from(whole), WHOLE);
        let [place, before, whole] = [PLACE, BEFORE, WHOLE].map(|name| Expr::column(RANKED, name));
        let part = Expr::arithmetic(Arithmetic::Multiply, whole, Expr::literal(portion.percent / 100.0));
        outer.filter = Some(Condition::compare(before, Comparison::Less, part));
        let mut first = QueryPlan::from(outer);
        first.with = vec![NamedQuery::new(RANKED, select)];
        first.order_by = vec![Order { expr: place, direction: Direction::Ascending }];
        Some(first)
    }
}
