//! What stands side by side: numbers of several tables (*how many orders and how many customers*).

use super::Lowering;
use super::grain::Grain;
use super::measure::{Over, less};
use crate::rules::grammar::form::Measure;
use crate::rules::joins::JoinTree;
use crate::rules::kind::{ColumnKind, MoneyUnit};
use crate::rules::knowledge::TableId;
use sqlogue_sql::plan::{ColumnRef, Condition, Expr, Projection, QueryPlan};

impl Lowering<'_> {
    /// How many rows several tables have, each counted alone: a join would lose the rows that have no partner, and
    /// repeat those that have several. None where they are of one table, or where groups or conditions bring them together.
    pub(super) fn numbers_apart(&self, grain: &Grain) -> Option<(QueryPlan, JoinTree)> {
        let query = self.query;
        let together = !grain.keys.is_empty()
            || !grain.attrs.is_empty()
            || !query.preds.is_empty()
            || !query.having.is_empty()
            || !query.versus.is_empty()
            || query.compare.is_some()
            || query.take.is_some()
            || query.zeros
            || query.share_of_groups
            || grain.counts_groups;
        let counts = grain.measures.iter().all(|measure| matches!(measure, Measure::Count(_)));
        if together || !counts {
            return None;
        }
        let homes: Vec<TableId> =
            grain.measures.iter().map(|measure| self.home(measure)).collect::<Option<_>>()?;
        let (first, others) = homes.split_first()?;
        if others.is_empty()
            || others
                .iter()
                .enumerate()
                .any(|(at, home)| homes.iter().take(at + 1).any(|other| other == home))
        {
            return None;
        }
        let (mut select, tree) = self.joined(&[*first])?;
        let named = |expr: Expr, table: TableId| {
            let alias = Some(self.knowledge.table(table).name.to_lowercase());
            Projection { expr, alias }
        };
        select.projection = vec![named(Expr::count_all(), *first)];
        for home in others {
            let (nested, _) = self.joined(&[*home])?;
            let nested = Expr::Query(Box::new(QueryPlan::from(nested.project(Expr::count_all()))));
            select.projection.push(named(nested, *home));
        }
        Some((QueryPlan::from(select), tree))
    }

    /// What is left of a number of one table once that of another is taken off, or how many percent it is of that, each made by
    /// itself.
    pub(super) fn two_apart(&self, grain: &Grain) -> Option<(QueryPlan, JoinTree)> {
        let (one, other, put_together): (_, _, fn(Expr, Expr) -> Expr) = match grain.measures.as_slice() {
            [Measure::Less(one, other)] => (one, other, less),
            [Measure::Percent(one, other)] => (one, other, Expr::percent),
            _ => return None,
        };
        let together = !grain.keys.is_empty()
            || !grain.attrs.is_empty()
            || !self.query.having.is_empty()
            || !self.query.versus.is_empty()
            || self.query.take.is_some()
            || self.home(one)? == self.home(other)?;
        if together {
            return None;
        }
        let alone = |measure: &Measure| {
            let entity = self.home(measure)?;
            let date = self.dates(entity).first().copied();
            let measures = vec![measure.clone()];
            let inner = Grain { entity, date, measures, ..grain.clone() };
            let (mut select, tree) = self.joined(&self.tables(&inner))?;
            let over = Over { grain: &inner, tree: &tree, grouped: false, optional: false };
            let value = self.measure(measure, over)?;
            select.filter = Condition::all(self.conditions(&inner)?);
            Some((select, tree, value))
        };
        let (select, tree, one) = alone(one)?;
        let (nested, _, other) = alone(other)?;
        // Money in cents is no part of whole money.
        let in_cents = |expr: &Expr| {
            let column = |column: &ColumnRef| {
                self.knowledge.column_named(self.knowledge.table_named(&column.table)?, &column.column)
            };
            let mut money = expr.columns().into_iter().filter_map(column);
            money.any(|id| self.knowledge.column(id).kind == ColumnKind::Money(MoneyUnit::Cents))
        };
        if in_cents(&one) != in_cents(&other) {
            return None;
        }
        let other = Expr::Query(Box::new(QueryPlan::from(nested.project(other))));
        Some((QueryPlan::from(select.project(put_together(one, other))), tree))
    }
}
