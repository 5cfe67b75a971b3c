//! Visiting everything inside a plan.

use super::nodes::{Node, NodeMut};
use super::{ColumnRef, Comparison, Condition, Expr, NamedQuery, QueryPlan, Select, Source, TableUse};
use crate::schema::Value;

impl Expr {
    /// Calls `visit` on this expression and on every one inside it, nested queries left out.
    pub fn for_each(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        self.parts().into_iter().for_each(|part| part.for_each(visit));
    }

    /// The expressions directly in it, those of its conditions included, nested queries left out.
    pub fn parts(&self) -> Vec<&Expr> {
        exprs(self.nodes())
    }

    /// The columns it is computed from, nested queries left out.
    pub fn columns(&self) -> Vec<&ColumnRef> {
        match self {
            Self::Column(column) => vec![column],
            _ => self.parts().into_iter().flat_map(Self::columns).collect(),
        }
    }

    /// The queries nested in it, those inside them left out.
    pub fn queries(&self) -> Vec<&QueryPlan> {
        queries(self.nodes())
    }

    /// Puts another expression in the place of each that `replace` knows one for, the outermost first.
    pub fn replace(&mut self, replace: &mut dyn FnMut(&Expr) -> Option<Expr>) {
        match replace(self) {
            Some(other) => *self = other,
            None => self.nodes_mut().into_iter().for_each(|node| replace_in(node, replace)),
        }
    }
}

impl Condition {
    /// The expressions that it compares, nested queries left out.
    pub fn exprs(&self) -> Vec<&Expr> {
        exprs(self.nodes())
    }

    /// The queries nested in it, those in its expressions included, those inside them left out.
    pub fn queries(&self) -> Vec<&QueryPlan> {
        queries(self.nodes())
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
            Self::And(_) => self.as_period().map(|window| window.expr),
            Self::Exists { .. } => None,
            other => other.exprs().into_iter().next(),
        }
    }

    /// True where it needs groups: it compares an aggregate.
    pub fn is_aggregate(&self) -> bool {
        self.exprs().into_iter().any(Expr::is_aggregate)
    }

    /// True where it compares a value that looks at other rows of the result.
    pub fn is_windowed(&self) -> bool {
        self.exprs().into_iter().any(Expr::is_windowed)
    }

    /// As [`Expr::replace`], for every expression in it.
    pub fn replace(&mut self, replace: &mut dyn FnMut(&Expr) -> Option<Expr>) {
        self.nodes_mut().into_iter().for_each(|node| replace_in(node, replace));
    }
}

/// The expressions among these and in the conditions among them.
fn exprs(nodes: Vec<Node<'_>>) -> Vec<&Expr> {
    let each = |node| match node {
        Node::Expr(expr) => vec![expr],
        Node::Condition(condition) => condition.exprs(),
        Node::Query(_) => Vec::new(),
    };
    nodes.into_iter().flat_map(each).collect()
}

fn queries(nodes: Vec<Node<'_>>) -> Vec<&QueryPlan> {
    let each = |node| match node {
        Node::Expr(expr) => expr.queries(),
        Node::Condition(condition) => condition.queries(),
        Node::Query(query) => vec![query],
    };
    nodes.into_iter().flat_map(each).collect()
}

fn replace_in(node: NodeMut<'_>, replace: &mut dyn FnMut(&Expr) -> Option<Expr>) {
    match node {
        NodeMut::Expr(expr) => expr.replace(replace),
        NodeMut::Condition(condition) => condition.replace(replace),
        NodeMut::Query(_) => {}
    }
}

// Trait objects, because a closure of a closure would make ever new types on the way down.
fn rename(node: NodeMut<'_>, change: &mut dyn FnMut(&mut ColumnRef)) {
    match node {
        NodeMut::Expr(Expr::Column(column)) => change(column),
        NodeMut::Expr(expr) => expr.nodes_mut().into_iter().for_each(|node| rename(node, change)),
        NodeMut::Condition(condition) => {
            condition.nodes_mut().into_iter().for_each(|node| rename(node, change));
        }
        NodeMut::Query(query) => rename_in_query(query, change),
    }
}

fn rename_in_query(query: &mut QueryPlan, change: &mut dyn FnMut(&mut ColumnRef)) {
    for (left, right) in
        query.selects_mut().flat_map(|select| &mut select.joins).flat_map(|join| &mut join.on)
    {
        change(left);
        change(right);
    }
    query.nodes_mut().into_iter().for_each(|node| rename(node, change));
}

fn conditions(node: NodeMut<'_>, change: &mut dyn FnMut(&mut Condition)) {
    let nodes = match node {
        NodeMut::Expr(expr) => expr.nodes_mut(),
        NodeMut::Condition(condition) => {
            change(condition);
            condition.nodes_mut()
        }
        NodeMut::Query(query) => query.nodes_mut(),
    };
    nodes.into_iter().for_each(|node| conditions(node, change));
}

fn tables(query: &mut QueryPlan, change: &mut dyn FnMut(&mut TableUse)) {
    fn inside(node: NodeMut<'_>, change: &mut dyn FnMut(&mut TableUse)) {
        let nodes = match node {
            NodeMut::Query(query) => return tables(query, change),
            NodeMut::Expr(expr) => expr.nodes_mut(),
            NodeMut::Condition(condition) => condition.nodes_mut(),
        };
        nodes.into_iter().for_each(|node| inside(node, change));
    }
    for select in query.selects_mut() {
        if let Source::Table(table) = &mut select.from {
            change(table);
        }
        select.joins.iter_mut().for_each(|join| change(&mut join.table));
    }
    query.nodes_mut().into_iter().for_each(|node| inside(node, change));
}

fn exprs_mut(node: NodeMut<'_>, change: &mut dyn FnMut(&mut Expr)) {
    let nodes = match node {
        NodeMut::Query(query) => query.nodes_mut(),
        NodeMut::Condition(condition) => condition.nodes_mut(),
        NodeMut::Expr(expr) => {
            change(expr);
            expr.nodes_mut()
        }
    };
    nodes.into_iter().for_each(|node| exprs_mut(node, change));
}

impl Select {
    /// Every expression of it, conditions and joins included, nested queries left out.
    pub fn exprs(&self) -> Vec<&Expr> {
        exprs(self.nodes())
    }

    /// The queries nested in it, its source included, those inside them left out.
    pub fn queries(&self) -> Vec<&QueryPlan> {
        queries(self.nodes())
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

    /// The queries nested in it, named ones and sources included, those inside them left out.
    pub fn queries(&self) -> Vec<&QueryPlan> {
        queries(self.nodes())
    }

    /// The uses of tables and of named queries, those of nested queries included.
    pub fn tables(&self) -> Vec<&TableUse> {
        let nested = self.queries().into_iter().flat_map(Self::tables);
        self.selects().flat_map(Select::tables).chain(nested).collect()
    }

    /// The named query of this plan that a table's name stands for.
    pub fn named(&self, name: &str) -> Option<&NamedQuery> {
        self.with.iter().find(|named| named.name.eq_ignore_ascii_case(name))
    }

    /// Calls `change` on every column in the plan, those of nested queries and joins included.
    pub fn for_each_column_mut(&mut self, change: &mut impl FnMut(&mut ColumnRef)) {
        rename_in_query(self, change);
    }

    /// Calls `change` on every text that a column is compared with for equality, with the use of the table and the
    /// column, those of nested queries included.
    pub fn for_each_compared_text_mut(&mut self, change: &mut impl FnMut(&ColumnRef, &mut String)) {
        self.for_each_condition_mut(&mut |condition| match condition {
            Condition::Compare {
                left: Expr::Column(column),
                operator: Comparison::Equal,
                right: Expr::Literal(Value::Text(text)),
            } => change(column, text),
            Condition::In { expr: Expr::Column(column), list, negated: false } => {
                for item in list {
                    if let Expr::Literal(Value::Text(text)) = item {
                        change(column, text);
                    }
                }
            }
            _ => {}
        });
    }

    /// Calls `change` on every condition in the plan, first the whole and then its parts, those of nested queries included.
    pub fn for_each_condition_mut(&mut self, change: &mut impl FnMut(&mut Condition)) {
        conditions(NodeMut::Query(self), change);
    }

    /// Calls `change` on every expression in the plan, first the whole and then its parts, those of nested queries included.
    pub fn for_each_expr_mut(&mut self, change: &mut impl FnMut(&mut Expr)) {
        exprs_mut(NodeMut::Query(self), change);
    }

    /// The table that a name of a use stands for, in this plan or one nested in it.
    pub fn table_in_use(&self, name: &str) -> Option<&str> {
        let own = self.selects().flat_map(Select::tables).find(|table| table.name() == name);
        own.map(|table| table.table.as_str())
            .or_else(|| self.queries().into_iter().find_map(|query| query.table_in_use(name)))
    }

    /// Calls `change` on every use of a table or of a named query, those of nested queries included.
    pub fn for_each_table_mut(&mut self, change: &mut impl FnMut(&mut TableUse)) {
        tables(self, change);
    }
}
