//! What is made of each row of a table, or of each unit of time, and summed up over them: *average number of orders per customer*,
//! *median order value by country*, *the city with the highest average revenue per customer*.

use super::Lowering;
use super::grain::Grain;
use super::measure::Over;
use super::rows::Grouped;
use super::spread::by_number;
use super::summary::EACH;
use crate::rules::grammar::columns::is_date;
use crate::rules::grammar::form::{By, Key, Measure, Per};
use crate::rules::joins::JoinTree;
use sqlogue_sql::plan::{Expr, NamedQuery, Order, Projection, QueryPlan, Select};

impl Lowering<'_> {
    /// The mean or the median of what a measure makes of each row of a table, or of each unit of time.
    pub(super) fn of_each(
        &self,
        inner: &Measure,
        per: &Per,
        grain: &Grain,
        called: &str,
        summary: impl Fn(Expr) -> Expr,
    ) -> Option<(QueryPlan, JoinTree)> {
        let (mut select, tree, _) = self.summed(grain)?;
        let over = Over { grain, tree: &tree, grouped: true, optional: false };
        let value = self.measure(inner, over)?;
        let groups: Vec<Grouped> =
            grain.keys.iter().map(|key| self.grouped(key, grain)).collect::<Option<_>>()?;
        let each = match per {
            Per::Row(per) => match self.bound(per)?.column {
                // *per owner*: a reference tells the rows apart as well as what it refers to, and so do a number of theirs and a
                // name that no table has.
                // *from joining to the first order*: those who joined.
                Some(id) if is_date(self.knowledge, id) => self.rows_of(self.knowledge.column(id).table)?,
                Some(id) => {
                    let entry = self.knowledge.column(id);
                    if !entry.is_foreign && !entry.says_which() && entry.numeric {
                        return None;
                    }
                    let key = self.expr(id);
                    let shown = vec![Projection::from(key.clone())];
                    Grouped { by: vec![key.clone()], shown, sorts: key, in_order: false }
                }
                None => self.rows_of(self.table(per)?)?,
            },
            Per::Whole => self.rows_of(self.bearer(grain.entity)?)?,
            Per::Time(unit) => self.grouped(&Key::Time(*unit, None), grain)?,
        };
        let outer = named_keys(&mut select, &groups);
        select.group_by = groups.iter().flat_map(|group| &group.by).chain(&each.by).cloned().collect();
        let name = select.heading(&value).unwrap_or_else(|| "value".to_owned());
        let summary = summary(Expr::column(EACH, name.clone()));
        let mut plan = QueryPlan::from(outer.project_as(summary, format!("{called}_{name}")));
        select = select.project_as(value, name);
        plan.with = vec![NamedQuery::new(EACH, select)];
        if self.query.by_number {
            return Some((by_number(plan)?, tree));
        }
        self.put_in_order(&mut plan, grain)?;
        Some((plan, tree))
    }

    /// Puts groups in the order of what is shown of them, and keeps the first of them, where that is asked for: *which city has the
    /// highest average revenue per customer?*
    fn put_in_order(&self, plan: &mut QueryPlan, grain: &Grain) -> Option<()> {
        let by = plan.select.projection.last()?.expr.clone();
        let first = self.query.take.as_ref().map(|take| (&take.by, take.direction));
        let said = first.or_else(|| self.query.order.first().map(|(by, direction)| (by, *direction)));
        let Some((said, direction)) = said.filter(|(by, _)| matches!(by, By::Measure(_) | By::Shown)) else {
            return first.is_none().then_some(());
        };
        if grain.keys.is_empty() || grain.each.is_some() {
            return None;
        }
        plan.order_by = vec![Order { expr: by, direction: self.direction(said, direction) }];
        if first.is_some() {
            plan.limit = Some(self.query.limit.unwrap_or(1));
            plan.offset = self.query.skip;
        }
        Some(())
    }
}

/// Gives the keys of groups their names in the query of each row, and the query over it that shows them and groups by them.
pub(super) fn named_keys(select: &mut Select, groups: &[Grouped]) -> Select {
    let mut outer = Select::from_table(EACH);
    for projection in groups.iter().flat_map(|group| &group.shown) {
        let name = format!("key_{}", outer.projection.len() + 1);
        outer = outer.group(Expr::column(EACH, name.clone()));
        if let Some(shown) = outer.projection.last_mut() {
            shown.alias = projection.alias.clone().or_else(|| match &projection.expr {
                Expr::Column(column) => Some(column.column.clone()),
                expr => select.heading(expr),
            });
        }
        select.projection.push(Projection { expr: projection.expr.clone(), alias: Some(name) });
    }
    outer
}
