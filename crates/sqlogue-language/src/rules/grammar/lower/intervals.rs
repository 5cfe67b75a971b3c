//! The time between one row and the next: *average days between orders*, *how long between two visits of a patient, by town*.

use super::Lowering;
use super::grain::Grain;
use super::of_each::named_keys;
use super::rows::Grouped;
use super::summary::EACH;
use super::who::is_called;
use crate::rules::grammar::form::{Key, Noun};
use crate::rules::joins::JoinTree;
use crate::rules::knowledge::TableId;
use sqlogue_sql::plan::{
    Aggregate, Condition, Direction, Expr, NamedQuery, Projection, QueryPlan, TimeUnit, Window,
};

/// The names of when a row came to be, and of when the one before it did.
const DAY: &str = "day";
const BEFORE: &str = "before";

impl Lowering<'_> {
    /// A summary of the times between the rows of a table that belong to the same one.
    pub(super) fn intervals(
        &self,
        summary: Aggregate,
        (rows, whose): (&Noun, Option<&Noun>),
        unit: TimeUnit,
        grain: &Grain,
    ) -> Option<(QueryPlan, JoinTree)> {
        let table = self.table(rows).filter(|table| *table == grain.entity)?;
        let day = self.date_expr(*self.dates(table).first()?);
        let (mut select, tree, _) = self.summed(grain)?;
        let groups: Vec<Grouped> =
            grain.keys.iter().map(|key| self.grouped(key, grain)).collect::<Option<_>>()?;
        let mut outer = named_keys(&mut select, &groups);
        if whose.is_none() {
            self.supply("rows_of_one_owner", 0.0);
        }
        let mut before = Window::lag(day.clone(), 1);
        if let Some(owner) = self.owner(table, whose, grain) {
            let mut edges = self.knowledge.joins().between(table, owner).into_iter();
            let edge = edges.find(|edge| edge.from == table)?;
            let references = edge.columns.iter().map(|(own, _)| self.expr(*own));
            before = references.fold(before, Window::per);
        }
        let before = Expr::from(before.by(day.clone(), Direction::Ascending));
        select.projection.push(Projection { expr: day, alias: Some(DAY.to_owned()) });
        select.projection.push(Projection { expr: before, alias: Some(BEFORE.to_owned()) });
        let since = Expr::elapsed(unit, Expr::column(EACH, BEFORE), Expr::column(EACH, DAY));
        let called = match summary {
            Aggregate::Max => "most",
            Aggregate::Min => "fewest",
            Aggregate::Percentile(_) => "median",
            _ => "average",
        };
        let name = format!("{called}_{}_between", unit.plural());
        outer.projection.push(Projection { expr: Expr::aggregate(summary, since), alias: Some(name) });
        // Nothing came before the first.
        outer.filter = Some(Condition::IsNull { expr: Expr::column(EACH, BEFORE), negated: true });
        let mut plan = QueryPlan::from(outer);
        plan.with = vec![NamedQuery::new(EACH, select)];
        Some((plan, tree))
    }

    /// To whom the rows of a table belong: what is said, what they are grouped by, else the people who had them done.
    fn owner(&self, table: TableId, whose: Option<&Noun>, grain: &Grain) -> Option<TableId> {
        let joins = self.knowledge.joins();
        let said = whose.and_then(|noun| self.table(noun));
        let key = || {
            grain.keys.iter().find_map(|key| match key {
                Key::Noun(noun) => self.table(noun).filter(|owner| joins.refers(table, *owner)),
                _ => None,
            })
        };
        let people = || joins.above(table).find(|owner| is_called(self.knowledge, *owner, "buyers"));
        said.or_else(key).or_else(people)
    }
}
