//! The first time: rows by when the first of another table's rows that refer to them came to be.

use super::Lowering;
use crate::rules::grammar::form::{Key, Measure, Pred, Show};
use crate::rules::joins::JoinTree;
use crate::rules::knowledge::TableId;
use sqlogue_sql::plan::{
    Aggregate, ColumnRef, Condition, Direction, Expr, Join, JoinKind, NamedQuery, Order, Projection,
    QueryPlan, Select, TableUse,
};

/// The query of the first times, the row that each belongs to, and the time.
const FIRSTS: &str = "firsts";
const ONE: &str = "one";
const FIRST: &str = "first";

impl Lowering<'_> {
    /// The subject's rows by when they first had a row of `events`: counted for each unit of time or in all, or listed.
    pub(super) fn by_first(&self, events: TableId) -> Option<(QueryPlan, JoinTree)> {
        let query = self.query;
        let subject = self.table(query.subject.as_ref()?)?;
        let way = self.knowledge.joins().connect(&[subject, events])?;
        let [edge] = way.edges.as_slice() else { return None };
        let [(refers, key)] = edge.columns.as_slice() else { return None };
        let date = *self.dates(events).first()?;
        if edge.from != events || !query.having.is_empty() || query.take.is_some() || query.compare.is_some()
        {
            return None;
        }
        let firsts = Select::from_table(self.knowledge.table(events).name.clone())
            .group_as(self.expr(*refers), ONE)
            .project_as(Expr::aggregate(Aggregate::Min, self.date_expr(date)), FIRST);
        let first = || Expr::column(FIRSTS, FIRST);
        let mut conditions = vec![Condition::IsNull { expr: Expr::column(FIRSTS, ONE), negated: true }];
        for pred in &query.preds {
            let Pred::In(None, window) = pred else { return None };
            conditions.push(Condition::period(first(), window.from, window.until)?);
        }
        let counts = query.show.iter().all(|show| {
            matches!(show, Show::Measure(Measure::Count(None) | Measure::Distinct(_)))
                || matches!(show, Show::Measure(Measure::Count(Some(noun))) if self.table(noun) == Some(subject))
        });
        if !counts {
            return None;
        }
        let mut order = Vec::new();
        let mut select = match query.keys.as_slice() {
            [Key::Time(unit, None)] => {
                let period = Self::bucket_of(*unit, first());
                order.push(Order { expr: period.clone(), direction: Direction::Ascending });
                Select::from_table(FIRSTS).group(period).project(Expr::count_all())
            }
            [] if !query.show.is_empty() || query.counts => {
                Select::from_table(FIRSTS).project(Expr::count_all())
            }
            [] => {
                let mut select = Select::from_table(self.knowledge.table(subject).name.clone());
                select.projection =
                    self.label(subject).into_iter().map(|id| Projection::from(self.expr(id))).collect();
                let table = TableUse::new(FIRSTS);
                let on = vec![(self.reference(*key), ColumnRef::new(FIRSTS, ONE))];
                select.joins.push(Join { kind: JoinKind::Inner, table, on, filter: None });
                select
            }
            _ => return None,
        };
        select.filter = Condition::all(conditions);
        let mut plan = QueryPlan::from(select);
        plan.order_by = order;
        plan.with = vec![NamedQuery::new(FIRSTS, firsts)];
        Some((plan, way))
    }
}
