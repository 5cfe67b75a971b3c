//! The first time and the last: rows by when the first or the last of another table's rows that refer to them came to be.

use super::Lowering;
use crate::rules::grammar::form::{Key, Measure, Pred, Show};
use crate::rules::joins::JoinTree;
use crate::rules::knowledge::TableId;
use sqlogue_sql::plan::{
    Aggregate, ColumnRef, Condition, Direction, Expr, Join, JoinKind, NamedQuery, Order, Projection,
    QueryPlan, Select, TableUse,
};

/// The row that each time belongs to.
const ONE: &str = "one";

impl Lowering<'_> {
    /// The subject's rows by when they first, or last, had a row of `events`: counted for each unit of time or in all, or listed.
    pub(super) fn by_utmost(&self, events: TableId, last: bool) -> Option<(QueryPlan, JoinTree)> {
        let (times, time, end) = match last {
            true => ("lasts", "last", Aggregate::Max),
            false => ("firsts", "first", Aggregate::Min),
        };
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
        let found = Select::from_table(self.knowledge.table(events).name.clone())
            .group_as(self.expr(*refers), ONE)
            .project_as(Expr::aggregate(end, self.date_expr(date)), time);
        let told = || Expr::column(times, time);
        let table = self.knowledge.table(subject).name.clone();
        let mut conditions = vec![Condition::IsNull { expr: Expr::column(times, ONE), negated: true }];
        let mut of_subject = Vec::new();
        for pred in &query.preds {
            match pred {
                Pred::In(None, window) => {
                    conditions.push(Condition::period(told(), window.from, window.until)?);
                }
                other => of_subject.push(self.own(other, &table)?),
            }
        }
        // Without a window there is nothing that the time decides.
        if query.keys.is_empty() && conditions.len() == 1 {
            return None;
        }
        let counts = query.show.iter().all(|show| {
            matches!(show, Show::Measure(Measure::Count(None) | Measure::Distinct(_)))
                || matches!(show, Show::Measure(Measure::Count(Some(noun))) if self.table(noun) == Some(subject))
        });
        if !counts {
            return None;
        }
        let lists = query.show.is_empty() && !query.counts && query.keys.is_empty();
        let mut select = match lists || !of_subject.is_empty() {
            true => {
                let mut select = Select::from_table(table);
                let on = vec![(self.reference(*key), ColumnRef::new(times, ONE))];
                let table = TableUse::new(times);
                select.joins.push(Join { kind: JoinKind::Inner, table, on, filter: None });
                select
            }
            false => Select::from_table(times),
        };
        let mut order = Vec::new();
        match query.keys.as_slice() {
            [Key::Time(unit, None)] => {
                let period = Self::bucket_of(*unit, told());
                order.push(Order { expr: period.clone(), direction: Direction::Ascending });
                select = select.group(period).project(Expr::count_all());
            }
            [] if lists => {
                select.projection =
                    self.label(subject).into_iter().map(|id| Projection::from(self.expr(id))).collect();
                select = select.project_as(told(), time);
            }
            [] => select = select.project(Expr::count_all()),
            _ => return None,
        }
        conditions.extend(of_subject);
        select.filter = Condition::all(conditions);
        let mut plan = QueryPlan::from(select);
        plan.order_by = order;
        plan.with = vec![NamedQuery::new(times, found)];
        Some((plan, way))
    }

    /// A condition on the subject's own columns.
    fn own(&self, pred: &Pred, table: &str) -> Option<Condition> {
        let condition = match pred {
            Pred::Is { values, negated, .. } => self.is(values, *negated)?,
            Pred::Flag(noun, state) => self.flagged(noun, *state)?,
            _ => return None,
        };
        condition.columns().iter().all(|column| column.table == table).then_some(condition)
    }
}
