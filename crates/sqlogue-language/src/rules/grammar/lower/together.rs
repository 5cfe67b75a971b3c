//! What is sold with what: *which products are bought together most often?* Two lines of the same order make a pair.

use super::Lowering;
use super::list::LARGEST;
use crate::rules::grammar::columns::price_and_quantity;
use crate::rules::joins::JoinTree;
use crate::rules::knowledge::TableId;
use sqlogue_sql::plan::{
    ColumnRef, Comparison, Condition, Expr, Join, JoinKind, Order, Projection, QueryPlan, Select, TableUse,
};

/// So many pairs are shown where no number is said.
const FEW: u64 = 10;

impl Lowering<'_> {
    /// The pairs of things that are sold together most often, with how often they are.
    pub(super) fn sold_together(&self, things: TableId) -> Option<(QueryPlan, JoinTree)> {
        let asks_else =
            !self.query.preds.is_empty() || !self.query.having.is_empty() || !self.query.keys.is_empty();
        if asks_else || self.knowledge.table(things).label.is_empty() {
            return None;
        }
        let joins = self.knowledge.joins();
        let lines = joins.below(things).find(|table| price_and_quantity(self.knowledge, *table).is_some())?;
        let orders = self.bearer(lines).filter(|orders| *orders != things)?;
        let (order, _) = self.reference_to(lines, orders)?;
        let (thing, key) = self.reference_to(lines, things)?;
        let name = |table: TableId| self.knowledge.table(table).name.clone();
        let other = |table: TableId| format!("other_{}", name(table));
        let of_other = |column: &ColumnRef, table| ColumnRef::new(other(table), column.column.clone());
        let mut select = Select::from_table(name(lines));
        let join = |table: TableId, alias: Option<String>, on, filter| Join {
            kind: JoinKind::Inner,
            table: TableUse { alias, ..TableUse::new(name(table)) },
            on: vec![on],
            filter,
        };
        let comes_first = Condition::compare(
            Expr::Column(thing.clone()),
            Comparison::Less,
            Expr::Column(of_other(&thing, lines)),
        );
        let same_order = (order.clone(), of_other(&order, lines));
        select.joins = vec![
            join(things, None, (thing.clone(), key.clone()), None),
            join(lines, Some(other(lines)), same_order, Some(comes_first)),
            join(things, Some(other(things)), (of_other(&thing, lines), of_other(&key, things)), None),
        ];
        let called = self.knowledge.table(things).label.iter().map(|id| self.reference(*id));
        let called: Vec<ColumnRef> = called.collect();
        select.group_by = vec![Expr::Column(key.clone()), Expr::Column(of_other(&key, things))];
        for (column, alias) in called.iter().map(|column| (column.clone(), None)).chain(
            called.iter().map(|column| (of_other(column, things), Some(format!("other_{}", column.column)))),
        ) {
            select.group_by.push(Expr::Column(column.clone()));
            select.projection.push(Projection { expr: Expr::Column(column), alias });
        }
        let often = Expr::count_distinct(vec![Expr::Column(order)]);
        select.projection.push(Projection { expr: often.clone(), alias: Some("times_together".to_owned()) });
        let mut plan = QueryPlan::from(select);
        plan.order_by = vec![Order { expr: often, direction: LARGEST }];
        plan.limit = Some(self.query.limit.unwrap_or(FEW));
        Some((plan, joins.connect(&[lines, things])?))
    }

    /// The one column of a table that refers to another, with the column it refers to.
    fn reference_to(&self, from: TableId, to: TableId) -> Option<(ColumnRef, ColumnRef)> {
        let mut edges = self.knowledge.joins().between(from, to).into_iter().filter(|edge| edge.from == from);
        let edge = edges.next().filter(|_| edges.next().is_none())?;
        let [(own, key)] = edge.columns.as_slice() else { return None };
        Some((self.reference(*own), self.reference(*key)))
    }
}
