//! Medians and other percentiles by window functions, for databases that have no aggregate for them.
//!
//! The rows are numbered by value within each group first; the groups are made of the numbered rows, and a percentile is
//! then a summary of those rows whose numbers it falls on.

use std::borrow::Cow;

use super::nodes::{Node, NodeMut};
use super::{
    Aggregate, Arithmetic, ColumnRef, Comparison, Condition, Direction, Expr, Function, Order, Projection,
    QueryPlan, Select, Source, Window,
};

impl QueryPlan {
    /// The same query without [`Aggregate::Percentile`] and [`Aggregate::PercentileValue`], itself where it has none.
    #[must_use]
    pub fn without_percentiles(&self) -> Cow<'_, Self> {
        if !has_percentile(&[Node::Query(self)]) {
            return Cow::Borrowed(self);
        }
        let mut plan = self.clone();
        lower(NodeMut::Query(&mut plan));
        Cow::Owned(plan)
    }
}

fn has_percentile(nodes: &[Node<'_>]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Expr(Expr::Aggregate { function, .. }) if function.is_percentile() => true,
        Node::Expr(expr) => has_percentile(&expr.nodes()),
        Node::Condition(condition) => has_percentile(&condition.nodes()),
        Node::Query(query) => has_percentile(&query.nodes()),
    })
}

/// Goes to the innermost queries first.
fn lower(node: NodeMut<'_>) {
    match node {
        NodeMut::Expr(expr) => expr.nodes_mut().into_iter().for_each(lower),
        NodeMut::Condition(condition) => condition.nodes_mut().into_iter().for_each(lower),
        NodeMut::Query(query) => {
            query.nodes_mut().into_iter().for_each(lower);
            let QueryPlan { select, set_operations, order_by, .. } = query;
            lower_select(select, order_by);
            for operation in set_operations {
                lower_select(&mut operation.select, &mut []);
            }
        }
    }
}

fn lower_select(select: &mut Select, order_by: &mut [Order]) {
    let sorted = order_by.iter().map(|order| &order.expr);
    let is_percentile =
        |expr: &Expr| matches!(expr, Expr::Aggregate { function, .. } if function.is_percentile());
    let mut found = false;
    for expr in select.exprs().into_iter().chain(sorted) {
        expr.for_each(&mut |part| found |= is_percentile(part));
    }
    if !found {
        return;
    }
    let mut rows = NumberedRows::new(select);
    for Projection { expr, alias } in &mut select.projection {
        // The column keeps the title that it had.
        if let (None, Expr::Column(column)) = (&alias, &expr) {
            *alias = Some(column.column.clone());
        }
        expr.replace(&mut |part| rows.outside(part));
    }
    if let Some(having) = &mut select.having {
        having.replace(&mut |part| rows.outside(part));
    }
    for order in order_by {
        order.expr.replace(&mut |part| rows.outside(part));
    }
    for key in &mut select.group_by {
        key.replace(&mut |part| rows.outside(part));
    }
    let inner = Select {
        distinct: false,
        projection: rows.projection,
        from: std::mem::take(&mut select.from),
        joins: std::mem::take(&mut select.joins),
        filter: select.filter.take(),
        ..Select::default()
    };
    select.from = Source::Query { query: Box::new(QueryPlan::from(inner)), alias: rows.name };
}

/// The rows that a selection summarises, with what it needs of each.
struct NumberedRows {
    name: String,
    /// The names of the sources that the rows come from.
    sources: Vec<String>,
    keys: Vec<Expr>,
    projection: Vec<Projection>,
}

impl NumberedRows {
    fn new(select: &Select) -> Self {
        let mut sources: Vec<String> = select.tables().map(|table| table.name().to_owned()).collect();
        sources.push(select.from.name().to_owned());
        let is_free = |name: &String| !sources.contains(name);
        let numbered = (2..).map(|number| format!("numbered_{number}"));
        let name = std::iter::once("numbered".to_owned()).chain(numbered).find(is_free).unwrap_or_default();
        Self { name, sources, keys: select.group_by.clone(), projection: Vec::new() }
    }

    /// What an expression of the selection is outside of the rows' own query.
    fn outside(&mut self, expr: &Expr) -> Option<Expr> {
        match expr {
            Expr::Literal(_) => None,
            _ if self.keys.contains(expr) => Some(self.column("key", expr.clone())),
            Expr::Aggregate { function, argument, .. } if function.is_percentile() => {
                Some(self.percentile(*function, argument))
            }
            Expr::Column(column) if self.sources.contains(&column.table) => {
                Some(self.column("value", expr.clone()))
            }
            _ => None,
        }
    }

    /// The column of the rows that holds an expression, the same one for equal expressions.
    fn column(&mut self, stem: &str, expr: Expr) -> Expr {
        let known = self.projection.iter().find(|shown| shown.expr == expr);
        let name = match known.and_then(|shown| shown.alias.clone()) {
            Some(name) => name,
            None => {
                let name = format!("{stem}_{}", self.projection.len() + 1);
                self.projection.push(Projection { expr, alias: Some(name.clone()) });
                name
            }
        };
        Expr::Column(ColumnRef::new(&self.name, name))
    }

    fn percentile(&mut self, function: Aggregate, argument: &Expr) -> Expr {
        let keys = self.keys.clone();
        let per_key = |window: Window| keys.iter().cloned().fold(window, Window::per);
        // What is unknown is numbered by itself, and does not count.
        let unknown = Condition::IsNull { expr: argument.clone(), negated: false };
        let place =
            per_key(Window::row_number()).per(Expr::test(unknown)).by(argument.clone(), Direction::Ascending);
        let known = per_key(Window::aggregate(Aggregate::Count, argument.clone()));
        let value = self.column("value", argument.clone());
        let place = self.column("place", place.into());
        let known = self.column("known", known.into());
        match function {
            Aggregate::MEDIAN => {
                let middle = Condition::Between {
                    expr: times(place, 2),
                    low: known.clone(),
                    high: Expr::arithmetic(Arithmetic::Add, known, Expr::literal(2)),
                };
                Expr::aggregate_where(Aggregate::Avg, value, middle)
            }
            Aggregate::PercentileValue(percent) => {
                let (place, known) = (times(place, 100), times(known, i64::from(percent.min(100))));
                let reached = Condition::compare(place, Comparison::GreaterOrEqual, known);
                Expr::aggregate_where(Aggregate::Min, value, reached)
            }
            Aggregate::Percentile(percent) => {
                // Two neighbours share the weight by how near each is to where the percentile falls, in hundredths of a
                // place, because whole numbers are exact.
                let less = |expr, other| Expr::arithmetic(Arithmetic::Subtract, expr, other);
                let wanted = times(less(known, Expr::literal(1)), i64::from(percent.min(100)));
                let away = less(times(less(place, Expr::literal(1)), 100), wanted);
                let away = Expr::function(Function::Abs, vec![away]);
                let near = Condition::compare(away.clone(), Comparison::Less, Expr::literal(100));
                let weighted = Expr::arithmetic(Arithmetic::Multiply, value, less(Expr::literal(100), away));
                Expr::ratio(Expr::aggregate_where(Aggregate::Sum, weighted, near), Expr::literal(100))
            }
            _ => Expr::aggregate(function, value),
        }
    }
}

fn times(expr: Expr, factor: i64) -> Expr {
    Expr::arithmetic(Arithmetic::Multiply, expr, Expr::literal(factor))
}
