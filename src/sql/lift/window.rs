//! Window functions.

use sqlparser::ast::{
    self as ast, Expr as Tree, FunctionArgExpr, OrderByExpr, OrderBySort, WindowFrameBound, WindowFrameUnits,
    WindowType,
};

use super::Lifter;
use super::call::{Call, aggregate_named};
use super::dates::number_in;
use super::scope::Scope;
use crate::plan::{Condition, Direction, Expr, Frame, FrameBound, Order, Window, WindowFunction};

impl Lifter<'_> {
    /// A function over a window.
    pub(super) fn windowed(&self, call: Call<'_>, over: &WindowType, scope: &Scope<'_>) -> Option<Expr> {
        let WindowType::WindowSpec(spec) = over else { return None };
        let (name, trees, distinct) = call;
        if distinct || spec.window_name.is_some() {
            return None;
        }
        let (function, trees) = function(&name, &trees)?;
        let mut arguments = Vec::with_capacity(trees.len());
        for tree in trees {
            arguments.push(match tree {
                FunctionArgExpr::Wildcard => Expr::All(None),
                FunctionArgExpr::Expr(tree) => self.expr(tree, scope)?,
                _ => return None,
            });
        }
        let mut window = Window::new(function, arguments);
        for key in &spec.partition_by {
            window.partition_by.push(self.shown(key, scope)?);
        }
        window.order_by = self.orders(&spec.order_by, scope)?;
        window.frame = frame(spec.window_frame.as_ref())?;
        Some(window.into())
    }

    /// Keys of an ordering, those of a window among them.
    fn orders(&self, keys: &[OrderByExpr], scope: &Scope<'_>) -> Option<Vec<Order>> {
        let mut orders = Vec::with_capacity(keys.len());
        for key in keys {
            self.push_order(key, self.shown(&key.expr, scope)?, &mut orders)?;
        }
        Some(orders)
    }

    /// Adds what a key sorts by. NULL is the smallest value in a plan; where it stands elsewhere, whether the value is
    /// missing is a key of its own.
    pub(super) fn push_order(&self, key: &OrderByExpr, expr: Expr, orders: &mut Vec<Order>) -> Option<()> {
        let direction = match key.options.sort {
            None | Some(OrderBySort::Asc) => Direction::Ascending,
            Some(OrderBySort::Desc) => Direction::Descending,
            Some(_) => return None,
        };
        if key.with_fill.is_some() {
            return None;
        }
        let nulls_first = key.options.nulls_first.unwrap_or(direction == Direction::Ascending);
        if nulls_first != (direction == Direction::Ascending) {
            let missing = Expr::test(Condition::IsNull { expr: expr.clone(), negated: false });
            let direction = if nulls_first { Direction::Descending } else { Direction::Ascending };
            orders.push(Order { expr: missing, direction });
        }
        orders.push(Order { expr, direction });
        Some(())
    }
}

/// Which function it is, and what it is computed from.
fn function<'t>(
    name: &str,
    trees: &'t [&'t FunctionArgExpr],
) -> Option<(WindowFunction, &'t [&'t FunctionArgExpr])> {
    let count = |tree: &FunctionArgExpr| match tree {
        FunctionArgExpr::Expr(tree) => number_in(tree)?.parse::<u32>().ok(),
        _ => None,
    };
    Some(match (name, trees) {
        ("row_number", []) => (WindowFunction::RowNumber, trees),
        ("rank", []) => (WindowFunction::Rank, trees),
        ("dense_rank", []) => (WindowFunction::DenseRank, trees),
        ("cume_dist", []) => (WindowFunction::CumulativeShare, trees),
        ("ntile", [parts]) => (WindowFunction::Tile(count(parts)?), &[]),
        ("lag", [_]) => (WindowFunction::Lag(1), trees),
        ("lead", [_]) => (WindowFunction::Lead(1), trees),
        ("lag", [_, rows]) => (WindowFunction::Lag(count(rows)?), trees.get(..1)?),
        ("lead", [_, rows]) => (WindowFunction::Lead(count(rows)?), trees.get(..1)?),
        ("first_value", [_]) => (WindowFunction::First, trees),
        ("last_value", [_]) => (WindowFunction::Last, trees),
        (name, [_]) => (WindowFunction::Aggregate(aggregate_named(name)?), trees),
        _ => return None,
    })
}

fn frame(frame: Option<&ast::WindowFrame>) -> Option<Option<Frame>> {
    let Some(frame) = frame else { return Some(None) };
    let from = bound(&frame.start_bound)?;
    let to = frame.end_bound.as_ref().map_or(Some(FrameBound::Current), bound)?;
    match (frame.units, from, to) {
        (WindowFrameUnits::Rows, ..) => Some(Some(Frame { from, to })),
        // What holds without a frame.
        (WindowFrameUnits::Range, FrameBound::Start, FrameBound::Current) => Some(None),
        // All rows, however they are counted.
        (_, FrameBound::Start, FrameBound::End) => Some(Some(Frame { from, to })),
        _ => None,
    }
}

fn bound(bound: &WindowFrameBound) -> Option<FrameBound> {
    let rows = |tree: &Tree| number_in(tree)?.parse::<u32>().ok();
    Some(match bound {
        WindowFrameBound::CurrentRow => FrameBound::Current,
        WindowFrameBound::Preceding(None) => FrameBound::Start,
        WindowFrameBound::Following(None) => FrameBound::End,
        WindowFrameBound::Preceding(Some(tree)) => FrameBound::Before(rows(tree)?),
        WindowFrameBound::Following(Some(tree)) => FrameBound::After(rows(tree)?),
    })
}
