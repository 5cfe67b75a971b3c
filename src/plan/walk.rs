//! Visiting everything inside a plan.

use super::{ColumnRef, Comparison, Condition, Expr, QueryPlan, Select, Source, TableUse};
use crate::schema::Value;

impl Expr {
    /// Calls `visit` on this expression and on every one inside it, nested queries left out.
    pub fn for_each(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        match self {
            Self::Aggregate { argument, .. } => argument.for_each(visit),
            Self::Arithmetic { left, right, .. } => {
                left.for_each(visit);
                right.for_each(visit);
            }
            Self::Function { arguments, .. } => {
                arguments.iter().for_each(|argument| argument.for_each(visit))
            }
            Self::Column(_) | Self::All(_) | Self::Literal(_) | Self::Query(_) => {}
        }
    }

    /// The columns it is computed from, nested queries left out.
    pub fn columns(&self) -> Vec<&ColumnRef> {
        // A closure passed to `for_each` cannot keep references, so this walks by itself.
        fn collect<'a>(expr: &'a Expr, columns: &mut Vec<&'a ColumnRef>) {
            match expr {
                Expr::Column(column) => columns.push(column),
                Expr::Aggregate { argument, .. } => collect(argument, columns),
                Expr::Arithmetic { left, right, .. } => {
                    collect(left, columns);
                    collect(right, columns);
                }
                Expr::Function { arguments, .. } => arguments.iter().for_each(|expr| collect(expr, columns)),
                Expr::All(_) | Expr::Literal(_) | Expr::Query(_) => {}
            }
        }
        let mut columns = Vec::new();
        collect(self, &mut columns);
        columns
    }

    fn rename(&mut self, rename: &mut impl FnMut(&mut ColumnRef)) {
        match self {
            Self::Column(column) => rename(column),
            Self::Aggregate { argument, .. } => argument.rename(rename),
            Self::Arithmetic { left, right, .. } => {
                left.rename(rename);
                right.rename(rename);
            }
            Self::Function { arguments, .. } => arguments.iter_mut().for_each(|expr| expr.rename(rename)),
            Self::Query(query) => query.for_each_column_mut(rename),
            Self::All(_) | Self::Literal(_) => {}
        }
    }
}

impl Condition {
    /// The expressions that it compares, nested queries left out.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            Self::And(all) | Self::Or(all) => all.iter().flat_map(Self::exprs).collect(),
            Self::Not(inner) => inner.exprs(),
            Self::Compare { left, right, .. } => vec![left, right],
            Self::Between { expr, low, high } => vec![expr, low, high],
            Self::In { expr, list, .. } => std::iter::once(expr).chain(list).collect(),
            Self::InQuery { expr, .. } | Self::Like { expr, .. } | Self::IsNull { expr, .. } => vec![expr],
            Self::Exists { .. } => Vec::new(),
        }
    }

    /// The queries nested in it, those in its expressions included, those inside them left out.
    pub fn queries(&self) -> Vec<&QueryPlan> {
        let own: Vec<&QueryPlan> = match self {
            Self::And(all) | Self::Or(all) => return all.iter().flat_map(Self::queries).collect(),
            Self::Not(inner) => return inner.queries(),
            Self::InQuery { query, .. } | Self::Exists { query, .. } => vec![query],
            _ => Vec::new(),
        };
        let in_exprs = self.exprs().into_iter().filter_map(|expr| match expr {
            Expr::Query(query) => Some(query.as_ref()),
            _ => None,
        });
        own.into_iter().chain(in_exprs).collect()
    }

    /// The columns that it speaks of, nested queries left out.
    pub fn columns(&self) -> Vec<&ColumnRef> {
        self.exprs().into_iter().flat_map(Expr::columns).collect()
    }

    /// The expression that it restricts: the left side of a comparison, the value that lies in a list or in a window of
    /// time.
    pub fn subject(&self) -> Option<&Expr> {
        match self {
            Self::Compare { left: Expr::Literal(_), right, .. } => Some(right),
            Self::Not(inner) => inner.subject(),
            Self::Or(all) => {
                let mut subjects = all.iter().map(Self::subject);
                let first = subjects.next().flatten()?;
                subjects.all(|subject| subject == Some(first)).then_some(first)
            }
            Self::And(_) => self.as_window().map(|window| window.expr),
            Self::Exists { .. } => None,
            other => other.exprs().into_iter().next(),
        }
    }

    /// True where it needs more than one row: it compares an aggregate.
    pub fn is_aggregate(&self) -> bool {
        self.exprs().into_iter().any(Expr::is_aggregate)
    }

    // A trait object, because a closure of a closure would make ever new types on the way down.
    fn for_each_query_mut(&mut self, change: &mut dyn FnMut(&mut QueryPlan)) {
        match self {
            Self::And(all) | Self::Or(all) => {
                all.iter_mut().for_each(|condition| condition.for_each_query_mut(change));
            }
            Self::Not(inner) => inner.for_each_query_mut(change),
            Self::Compare { left, right, .. } => {
                for expr in [left, right] {
                    if let Expr::Query(query) = expr {
                        change(query);
                    }
                }
            }
            Self::InQuery { query, .. } | Self::Exists { query, .. } => change(query),
            Self::Between { .. } | Self::In { .. } | Self::Like { .. } | Self::IsNull { .. } => {}
        }
    }

    fn for_each_compared_text_mut(&mut self, change: &mut impl FnMut(&ColumnRef, &mut String)) {
        match self {
            Self::And(all) | Self::Or(all) => {
                all.iter_mut().for_each(|condition| condition.for_each_compared_text_mut(change));
            }
            Self::Not(inner) => inner.for_each_compared_text_mut(change),
            Self::Compare {
                left: Expr::Column(column),
                operator: Comparison::Equal,
                right: Expr::Literal(Value::Text(text)),
            } => change(column, text),
            Self::Compare { left, right, .. } => {
                for expr in [left, right] {
                    if let Expr::Query(query) = expr {
                        query.for_each_compared_text_mut(change);
                    }
                }
            }
            Self::In { expr: Expr::Column(column), list, negated: false } => {
                for item in list {
                    if let Expr::Literal(Value::Text(text)) = item {
                        change(column, text);
                    }
                }
            }
            Self::InQuery { query, .. } | Self::Exists { query, .. } => {
                query.for_each_compared_text_mut(change)
            }
            Self::Between { .. } | Self::In { .. } | Self::Like { .. } | Self::IsNull { .. } => {}
        }
    }

    fn rename(&mut self, rename: &mut impl FnMut(&mut ColumnRef)) {
        match self {
            Self::And(all) | Self::Or(all) => all.iter_mut().for_each(|condition| condition.rename(rename)),
            Self::Not(inner) => inner.rename(rename),
            Self::Compare { left, right, .. } => {
                left.rename(rename);
                right.rename(rename);
            }
            Self::Between { expr, low, high } => {
                [expr, low, high].into_iter().for_each(|expr| expr.rename(rename));
            }
            Self::In { expr, list, .. } => {
                expr.rename(rename);
                list.iter_mut().for_each(|expr| expr.rename(rename));
            }
            Self::InQuery { expr, query, .. } => {
                expr.rename(rename);
                query.for_each_column_mut(rename);
            }
            Self::Like { expr, .. } | Self::IsNull { expr, .. } => expr.rename(rename),
            Self::Exists { query, .. } => query.for_each_column_mut(rename),
        }
    }
}

impl Select {
    /// Every expression of it, conditions and joins included, nested queries left out.
    pub fn exprs(&self) -> Vec<&Expr> {
        let conditions = self.filter.iter().chain(&self.having).flat_map(Condition::exprs);
        self.projection
            .iter()
            .map(|projection| &projection.expr)
            .chain(&self.group_by)
            .chain(conditions)
            .collect()
    }
}

impl QueryPlan {
    /// The selections, from left to right; one where nothing is combined.
    pub fn selects(&self) -> impl Iterator<Item = &Select> {
        std::iter::once(&self.select).chain(self.set_operations.iter().map(|operation| &operation.select))
    }

    /// The same, to change them.
    pub(super) fn selects_mut(&mut self) -> impl Iterator<Item = &mut Select> {
        std::iter::once(&mut self.select)
            .chain(self.set_operations.iter_mut().map(|operation| &mut operation.select))
    }

    /// Calls `change` on every column in the plan, those of nested queries and joins included.
    pub fn for_each_column_mut(&mut self, change: &mut impl FnMut(&mut ColumnRef)) {
        for select in self.selects_mut() {
            if let Source::Query { query, .. } = &mut select.from {
                query.for_each_column_mut(change);
            }
            select.projection.iter_mut().for_each(|projection| projection.expr.rename(change));
            for (left, right) in select.joins.iter_mut().flat_map(|join| &mut join.on) {
                change(left);
                change(right);
            }
            select.group_by.iter_mut().for_each(|expr| expr.rename(change));
            let conditions = select.filter.iter_mut().chain(&mut select.having);
            conditions.for_each(|condition| condition.rename(change));
        }
        self.order_by.iter_mut().for_each(|order| order.expr.rename(change));
    }

    /// Calls `change` on every text that a column is compared with for equality, with the use of the table and the
    /// column, those of nested queries included.
    pub fn for_each_compared_text_mut(&mut self, change: &mut impl FnMut(&ColumnRef, &mut String)) {
        for select in self.selects_mut() {
            if let Source::Query { query, .. } = &mut select.from {
                query.for_each_compared_text_mut(change);
            }
            if let Some(filter) = &mut select.filter {
                filter.for_each_compared_text_mut(change);
            }
        }
    }

    /// The table that a name of a use stands for, in this plan or one nested in it.
    pub fn table_in_use(&self, name: &str) -> Option<&str> {
        self.selects().find_map(|select| {
            let own = select.tables().find(|table| table.name() == name).map(|table| table.table.as_str());
            let nested = || {
                let conditions = select.filter.iter().chain(&select.having);
                conditions.flat_map(Condition::queries).find_map(|query| query.table_in_use(name))
            };
            let source = || match &select.from {
                Source::Query { query, .. } => query.table_in_use(name),
                Source::Table(_) => None,
            };
            own.or_else(nested).or_else(source)
        })
    }

    /// Calls `change` on every use of a table, those of nested queries included.
    pub fn for_each_table_mut(&mut self, change: &mut impl FnMut(&mut TableUse)) {
        for select in self.selects_mut() {
            match &mut select.from {
                Source::Table(table) => change(table),
                Source::Query { query, .. } => query.for_each_table_mut(change),
            }
            select.joins.iter_mut().for_each(|join| change(&mut join.table));
            for condition in select.filter.iter_mut().chain(&mut select.having) {
                condition.for_each_query_mut(&mut |query| query.for_each_table_mut(change));
            }
        }
    }
}
