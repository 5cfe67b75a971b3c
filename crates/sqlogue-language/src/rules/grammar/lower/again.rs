//! The same once more: *customers who bought the same product twice*. What was done is told by the rows that lie between the two.

use super::Lowering;
use super::grain::Grain;
use crate::rules::grammar::columns::price_and_quantity;
use crate::rules::grammar::form::Again;
use crate::rules::knowledge::TableId;
use sqlogue_sql::plan::{Condition, Expr, Projection, QueryPlan};

impl Lowering<'_> {
    /// Rows that have something to do with one and the same row of another table so often.
    pub(super) fn again(&self, again: &Again, grain: &Grain) -> Option<Condition> {
        let subject = self.subject_of(grain)?;
        let same = self.table(&again.same).filter(|same| *same != subject)?;
        let deed = self.deed_between(subject, same, again.sold)?;
        let (mut select, _) = self.joined(&[deed.rows, subject, same])?;
        let [own, other] = [subject, same].map(|table| match self.knowledge.table(table).key.as_slice() {
            [key] => Some(self.expr(*key)),
            _ => None,
        });
        let own = own?;
        let often = match deed.once.map(|once| self.knowledge.table(once).key.as_slice()) {
            None => Expr::count_all(),
            Some(key) => Expr::count_distinct(key.iter().map(|id| self.expr(*id)).collect()),
        };
        if let Some(window) = &again.window {
            let date = *self.dates(deed.once.unwrap_or(deed.rows)).first()?;
            select.filter = Some(self.within(date, window)?);
        }
        select.projection = vec![Projection::from(own.clone())];
        select.group_by = vec![own.clone(), other?];
        select.having = Some(Condition::compare(often, again.operator, Expr::Literal(again.times.clone())));
        Some(Condition::InQuery { expr: own, query: Box::new(QueryPlan::from(select)), negated: false })
    }

    /// The rows that bring two things together: those of what was sold, where that is said.
    fn deed_between(&self, one: TableId, other: TableId, sold: bool) -> Option<Deed> {
        let joins = self.knowledge.joins();
        let lines = [one, other].into_iter().flat_map(|table| joins.below(table));
        let lines = lines.filter(|_| sold).find(|table| price_and_quantity(self.knowledge, *table).is_some());
        let ends: Vec<TableId> = lines.into_iter().chain([one, other]).collect();
        let tree = joins.connect(&ends)?;
        let between: Vec<TableId> =
            tree.tables.iter().copied().filter(|table| *table != one && *table != other).collect();
        match between.as_slice() {
            [rows] => Some(Deed { rows: *rows, once: None }),
            // Two lines of one order are bought at once.
            [a, b] if joins.refers(*a, *b) => Some(Deed { rows: *a, once: Some(*b) }),
            [a, b] if joins.refers(*b, *a) => Some(Deed { rows: *b, once: Some(*a) }),
            _ => None,
        }
    }
}

/// Rows that tell what was done, and what they are parts of that was done at once.
struct Deed {
    rows: TableId,
    once: Option<TableId>,
}
