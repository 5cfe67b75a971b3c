//! Groups beside what is usual among those of their own kind: *agents whose average rating is below the average of their own team*,
//! *customers with more orders than the average of their city*.

use super::Lowering;
use super::grain::Grain;
use super::measure::Over;
use super::over::name_columns;
use crate::rules::grammar::form::{Against, Key, Measure, Noun};
use crate::rules::joins::JoinTree;
use sqlogue_sql::plan::{
    Aggregate, Condition, Expr, NamedQuery, Projection, QueryPlan, Select, Source, TableUse, Window,
};

/// The query of all groups with their measure, and what is usual there.
const MEASURED: &str = "measured";
const USUAL: &str = "usual";
const VALUE: &str = "value";

impl Lowering<'_> {
    /// The kind among which a group is compared.
    pub(super) fn own_kind(&self) -> Option<&Noun> {
        self.query.having.iter().find_map(|having| match &having.with {
            Against::MeanOfKind(kind) => Some(kind),
            _ => None,
        })
    }

    /// The groups that lie above or below what is usual among their kind. A mean is that of all rows of the kind together; a total
    /// or a number of rows is compared with the mean of the groups'.
    pub(super) fn beside_kind(&self, kind: &Noun, grain: &Grain) -> Option<(QueryPlan, JoinTree)> {
        let ([having], [key]) = (self.query.having.as_slice(), grain.keys.as_slice()) else { return None };
        let plain = self.query.take.is_none()
            && self.query.compare.is_none()
            && self.query.versus.is_empty()
            && !self.query.share_of_groups
            && !grain.counts_groups
            && grain.attrs.is_empty();
        if !plain || matches!(key, Key::Noun(own) if self.bound(own) == self.bound(kind)) {
            return None;
        }
        let mut wider = grain.clone();
        wider.keys.push(Key::Noun(kind.clone()));
        let (mut select, tree, _) = self.summed(&wider)?;
        let over = Over { grain: &wider, tree: &tree, grouped: true, optional: false };
        let value = self.measure(&having.measure, over)?;
        let (group, of_kind) = (self.grouped(key, &wider)?, self.grouped(wider.keys.last()?, &wider)?);
        let all = |function: Aggregate, of: Expr| {
            let window = Window::aggregate(function, of);
            Expr::from(of_kind.by.iter().cloned().fold(window, Window::per))
        };
        let usual = match &having.measure {
            // What one row is worth may be told by several others: then the groups' means are compared.
            Measure::Of(Aggregate::Avg, attr)
                if value == Expr::aggregate(Aggregate::Avg, self.attr(attr)?) =>
            {
                let each = self.attr(attr)?;
                let [sum, count] = [Aggregate::Sum, Aggregate::Count]
                    .map(|function| all(Aggregate::Sum, Expr::aggregate(function, each.clone())));
                Expr::ratio(sum, count)
            }
            Measure::Count(_)
            | Measure::Distinct(_)
            | Measure::Of(Aggregate::Sum | Aggregate::Avg, _)
            | Measure::Ratio(..) => all(Aggregate::Avg, value.clone()),
            _ => return None,
        };
        select.group_by = group.by.iter().chain(&of_kind.by).cloned().collect();
        select.projection = group.shown.iter().chain(&of_kind.shown).cloned().collect();
        let mut outer = Select { from: Source::Table(TableUse::new(MEASURED)), ..Select::default() };
        name_columns(&mut select, &mut outer, MEASURED);
        for (expr, name) in [(value, VALUE), (usual, USUAL)] {
            select = select.project_as(expr, name);
            outer.projection.push(Projection::from(Expr::column(MEASURED, name)));
        }
        self.join_roles(&mut select);
        let [value, usual] = [VALUE, USUAL].map(|name| Expr::column(MEASURED, name));
        outer.filter = Some(Condition::compare(value, having.operator, usual));
        let mut plan = QueryPlan::from(outer);
        plan.with = vec![NamedQuery::new(MEASURED, select)];
        Some((plan, tree))
    }
}
