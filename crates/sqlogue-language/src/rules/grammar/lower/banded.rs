//! Bands of what rows are worth, where the rows below them tell it: *orders by value: under 50, 50 to 200, over 200*.

use super::Lowering;
use super::grain::Grain;
use super::rows::band;
use super::summary::EACH;
use crate::rules::grammar::amounts::amounts_of;
use crate::rules::grammar::form::{Attr, Key, Measure};
use crate::rules::joins::JoinTree;
use sqlogue_sql::plan::{Aggregate, Direction, Expr, NamedQuery, Order, QueryPlan, Select};

impl Lowering<'_> {
    /// How many rows lie in each band of their totals; none where that is not what is asked for, or each row tells by itself
    /// what it is worth.
    pub(super) fn banded_totals(&self, grain: &Grain) -> Option<(QueryPlan, JoinTree)> {
        let [Key::Bands(attr @ Attr::Amount(noun), bands)] = grain.keys.as_slice() else { return None };
        let [Measure::Count(counted)] = grain.measures.as_slice() else { return None };
        let table = self.table(noun)?;
        let counts_it = counted.as_ref().is_none_or(|noun| self.table(noun) == Some(table));
        if !counts_it || amounts_of(self.knowledge, table)? == table {
            return None;
        }
        let (mut select, tree, _) = self.summed(grain)?;
        let total = Expr::aggregate(Aggregate::Sum, self.attr(attr)?);
        let name = select.heading(&total).unwrap_or_else(|| "total".to_owned());
        select.group_by = self.rows_of(table)?.by;
        let value = Expr::column(EACH, name.clone());
        let band = band(&value, bands);
        let counted = self.knowledge.table(table).name.to_lowercase();
        let shown = Select::from_table(EACH).group(band).project_as(Expr::count_all(), counted);
        let mut plan = QueryPlan::from(shown);
        plan.order_by =
            vec![Order { expr: Expr::aggregate(Aggregate::Min, value), direction: Direction::Ascending }];
        plan.with = vec![NamedQuery::new(EACH, select.project_as(total, name))];
        Some((plan, tree))
    }
}
