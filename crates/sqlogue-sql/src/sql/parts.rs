//! A walk over the tree of a query.
//!
//! The parser's own visitor is compiled anew, with all of SQL's grammar, for each type that visits. Here is the only one that
//! looks and changes nothing.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, ObjectName, Query, Select, Statement, TableFactor, Visit, Visitor};

/// A part of a query, when the walk comes to it; what is in it follows.
pub(super) enum Part<'a> {
    Query(&'a Query),
    /// The walk leaves the query that it came to last.
    EndOfQuery,
    Select(&'a Select),
    Relation(&'a ObjectName),
    TableFactor(&'a TableFactor),
    Expr(&'a Expr),
    /// A statement within the query.
    Statement,
}

/// Shows each part of a tree, up to the first that is an error.
pub(super) fn walk<E>(tree: &impl Visit, mut show: impl FnMut(Part<'_>) -> Result<(), E>) -> Result<(), E> {
    let mut error = None;
    let mut show = |part: Part<'_>| match show(part) {
        Ok(()) => ControlFlow::Continue(()),
        Err(found) => {
            error = Some(found);
            ControlFlow::Break(())
        }
    };
    let flow = tree.visit(&mut Walker(&mut show));
    debug_assert_eq!(flow.is_break(), error.is_some(), "only an error ends the walk early");
    error.map_or(Ok(()), Err)
}

struct Walker<'a>(&'a mut dyn FnMut(Part<'_>) -> ControlFlow<()>);

impl Visitor for Walker<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        (self.0)(Part::Query(query))
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        (self.0)(Part::EndOfQuery)
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        (self.0)(Part::Select(select))
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        (self.0)(Part::Relation(relation))
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        (self.0)(Part::TableFactor(factor))
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        (self.0)(Part::Expr(expr))
    }

    fn pre_visit_statement(&mut self, _: &Statement) -> ControlFlow<()> {
        (self.0)(Part::Statement)
    }
}
