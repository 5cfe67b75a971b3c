//! Rows that came first or last for those to whom they belong: *revenue from first orders*.

use super::Lowering;
use super::who::is_called;
use crate::rules::grammar::form::Noun;
use sqlogue_sql::plan::{Aggregate, Comparison, Condition, Expr, QueryPlan, Select, Source, TableUse};

impl Lowering<'_> {
    /// Rows that are dated as the first or the last of the same person are, or that are not.
    pub(super) fn at_end(&self, rows: &Noun, end: Aggregate, holds: bool) -> Option<Condition> {
        const OTHERS: &str = "others";
        let table = self.table(rows)?;
        let date = self.knowledge.column(*self.dates(table).first()?);
        let joins = self.knowledge.joins();
        let owner = joins.above(table).find(|owner| is_called(self.knowledge, *owner, "buyers"))?;
        let edge = joins.between(table, owner).into_iter().find(|edge| edge.from == table)?;
        let [(whose, _)] = edge.columns.as_slice() else { return None };
        let name = &self.knowledge.table(table).name;
        let others = TableUse { table: name.clone(), alias: Some(OTHERS.to_owned()) };
        let select = Select { from: Source::Table(others), ..Select::default() };
        let select = select.project(Expr::aggregate(end, Expr::column(OTHERS, date.name.clone())));
        let whose = &self.knowledge.column(*whose).name;
        let [theirs, own] = [OTHERS, name].map(|table| Expr::column(table, whose.clone()));
        let select = select.filter(Condition::compare(theirs, Comparison::Equal, own));
        let operator = if holds { Comparison::Equal } else { Comparison::NotEqual };
        let nested = Expr::Query(Box::new(QueryPlan::from(select)));
        Some(Condition::compare(Expr::column(name.clone(), date.name.clone()), operator, nested))
    }
}
