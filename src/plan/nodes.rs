//! What stands directly inside an expression, a condition or a query: the one place that knows the shape of each.

use super::{Branch, Condition, Expr, Join, Projection, QueryPlan, Select, Source};

/// Something inside a plan.
pub(super) enum Node<'a> {
    Expr(&'a Expr),
    Condition(&'a Condition),
    Query(&'a QueryPlan),
}

/// The same, to change it.
pub(super) enum NodeMut<'a> {
    Expr(&'a mut Expr),
    Condition(&'a mut Condition),
    Query(&'a mut QueryPlan),
}

impl Expr {
    /// What stands directly in it.
    pub(super) fn nodes<'a>(&'a self) -> Vec<Node<'a>> {
        match self {
            Self::Column(_) | Self::All(_) | Self::Literal(_) => Vec::new(),
            Self::Aggregate { argument, .. } => vec![Node::Expr(argument)],
            Self::Arithmetic { left, right, .. } => vec![Node::Expr(left), Node::Expr(right)],
            Self::Function { arguments, .. } => arguments.iter().map(Node::Expr).collect(),
            Self::Query(query) => vec![Node::Query(query)],
            Self::Case { branches, otherwise } => {
                let each = |branch: &'a Branch| [Node::Condition(&branch.when), Node::Expr(&branch.then)];
                let otherwise = otherwise.iter().map(|expr| Node::Expr(expr));
                branches.iter().flat_map(each).chain(otherwise).collect()
            }
            Self::Test(condition) => vec![Node::Condition(condition)],
            Self::Window(window) => window.exprs().map(Node::Expr).collect(),
        }
    }

    /// The same, to change it.
    pub(super) fn nodes_mut<'a>(&'a mut self) -> Vec<NodeMut<'a>> {
        match self {
            Self::Column(_) | Self::All(_) | Self::Literal(_) => Vec::new(),
            Self::Aggregate { argument, .. } => vec![NodeMut::Expr(argument)],
            Self::Arithmetic { left, right, .. } => vec![NodeMut::Expr(left), NodeMut::Expr(right)],
            Self::Function { arguments, .. } => arguments.iter_mut().map(NodeMut::Expr).collect(),
            Self::Query(query) => vec![NodeMut::Query(query)],
            Self::Case { branches, otherwise } => {
                let each =
                    |Branch { when, then }: &'a mut Branch| [NodeMut::Condition(when), NodeMut::Expr(then)];
                let otherwise = otherwise.iter_mut().map(|expr| NodeMut::Expr(expr));
                branches.iter_mut().flat_map(each).chain(otherwise).collect()
            }
            Self::Test(condition) => vec![NodeMut::Condition(condition)],
            Self::Window(window) => window.exprs_mut().map(NodeMut::Expr).collect(),
        }
    }
}

impl Condition {
    /// What stands directly in it, what it speaks of first.
    pub(super) fn nodes(&self) -> Vec<Node<'_>> {
        match self {
            Self::And(all) | Self::Or(all) => all.iter().map(Node::Condition).collect(),
            Self::Not(inner) => vec![Node::Condition(inner)],
            Self::Compare { left, right, .. } => vec![Node::Expr(left), Node::Expr(right)],
            Self::Between { expr, low, high } => vec![Node::Expr(expr), Node::Expr(low), Node::Expr(high)],
            Self::In { expr, list, .. } => std::iter::once(expr).chain(list).map(Node::Expr).collect(),
            Self::InQuery { expr, query, .. } => vec![Node::Expr(expr), Node::Query(query)],
            Self::Like { expr, .. } | Self::IsNull { expr, .. } => vec![Node::Expr(expr)],
            Self::Exists { query, .. } => vec![Node::Query(query)],
        }
    }

    /// The same, to change it.
    pub(super) fn nodes_mut(&mut self) -> Vec<NodeMut<'_>> {
        match self {
            Self::And(all) | Self::Or(all) => all.iter_mut().map(NodeMut::Condition).collect(),
            Self::Not(inner) => vec![NodeMut::Condition(inner)],
            Self::Compare { left, right, .. } => vec![NodeMut::Expr(left), NodeMut::Expr(right)],
            Self::Between { expr, low, high } => {
                vec![NodeMut::Expr(expr), NodeMut::Expr(low), NodeMut::Expr(high)]
            }
            Self::In { expr, list, .. } => std::iter::once(expr).chain(list).map(NodeMut::Expr).collect(),
            Self::InQuery { expr, query, .. } => vec![NodeMut::Expr(expr), NodeMut::Query(query)],
            Self::Like { expr, .. } | Self::IsNull { expr, .. } => vec![NodeMut::Expr(expr)],
            Self::Exists { query, .. } => vec![NodeMut::Query(query)],
        }
    }
}

impl Select {
    /// What stands directly in it, clause by clause.
    pub(super) fn nodes(&self) -> Vec<Node<'_>> {
        let source = match &self.from {
            Source::Query { query, .. } => Some(Node::Query(query)),
            Source::Table(_) => None,
        };
        let shown = self.projection.iter().map(|Projection { expr, .. }| Node::Expr(expr));
        let joined = self.joins.iter().filter_map(|Join { filter, .. }| filter.as_ref());
        let conditions = joined.chain(&self.filter).map(Node::Condition);
        let groups = self.group_by.iter().map(Node::Expr);
        let having = self.having.iter().map(Node::Condition);
        source.into_iter().chain(shown).chain(conditions).chain(groups).chain(having).collect()
    }

    /// The same, to change it.
    pub(super) fn nodes_mut(&mut self) -> Vec<NodeMut<'_>> {
        let source = match &mut self.from {
            Source::Query { query, .. } => Some(NodeMut::Query(query)),
            Source::Table(_) => None,
        };
        let shown = self.projection.iter_mut().map(|Projection { expr, .. }| NodeMut::Expr(expr));
        let joined = self.joins.iter_mut().filter_map(|Join { filter, .. }| filter.as_mut());
        let conditions = joined.chain(&mut self.filter).map(NodeMut::Condition);
        let groups = self.group_by.iter_mut().map(NodeMut::Expr);
        let having = self.having.iter_mut().map(NodeMut::Condition);
        source.into_iter().chain(shown).chain(conditions).chain(groups).chain(having).collect()
    }
}

impl QueryPlan {
    /// What stands directly in it: named queries, then its selections' clauses, then the ordering.
    pub(super) fn nodes(&self) -> Vec<Node<'_>> {
        let named = self.with.iter().map(|named| Node::Query(&named.query));
        let sorted = self.order_by.iter().map(|order| Node::Expr(&order.expr));
        named.chain(self.selects().flat_map(Select::nodes)).chain(sorted).collect()
    }

    /// The same, to change it.
    pub(super) fn nodes_mut(&mut self) -> Vec<NodeMut<'_>> {
        let Self { with, select, set_operations, order_by, limit: _, offset: _ } = self;
        let named = with.iter_mut().map(|named| NodeMut::Query(&mut named.query));
        let others = set_operations.iter_mut().map(|operation| &mut operation.select);
        let selects = std::iter::once(select).chain(others);
        let sorted = order_by.iter_mut().map(|order| NodeMut::Expr(&mut order.expr));
        named.chain(selects.flat_map(Select::nodes_mut)).chain(sorted).collect()
    }
}
