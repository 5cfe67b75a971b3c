//! SQL text as a plan, where it fits the plan language.
//!
//! A follow-up edits plans. SQL that came from a model or a person is lifted into one, so that it can be edited
//! by type and not by text. Lifting never guesses: what the plan language cannot say with the same meaning gives
//! no plan.

mod condition;
mod expr;
mod scope;
mod select;

use sqlparser::ast::{
    LimitClause, OrderBy, OrderByKind, Query, SetExpr, SetOperator as Operator, SetQuantifier,
    Value as Literal,
};

use super::Dialect;
use super::guard::{self, Checked};
use crate::plan::{Direction, Expr, Order, QueryPlan, Select, SetOperation, SetOperator};
use crate::schema::{Schema, Value};
use scope::Scope;

/// The plan that a statement stands for, if the plan language can say it.
///
/// Aliases give way to table names where a table is used once, and join conditions in `WHERE` move to their joins.
/// Rendered again, the plan returns the same rows; spelling and column titles may differ.
///
/// ```
/// use sqlogue::schema::{Column, Schema, Table};
/// use sqlogue::sql::{lift, render, Dialect};
///
/// let column = |name: &str| Column { name: name.into(), ..Column::default() };
/// let singer = Table { name: "singer".into(), columns: vec![column("name"), column("age")], ..Table::default() };
/// let schema = Schema { tables: vec![singer] };
/// let plan = lift("select T1.NAME from Singer as T1 where T1.age > 20", &schema, Dialect::Sqlite).unwrap();
/// assert_eq!(render(&plan, Dialect::Sqlite), "SELECT name FROM singer WHERE age > 20");
/// ```
pub fn lift(sql: &str, schema: &Schema, dialect: Dialect) -> Option<QueryPlan> {
    lift_checked(&guard::check(sql, dialect).ok()?, schema)
}

/// As [`lift`], for a statement that the guard has parsed already.
pub fn lift_checked(checked: &Checked, schema: &Schema) -> Option<QueryPlan> {
    // An `EXPLAIN` stands before its query; the plan would be that of the query alone.
    if checked.sql().get(..7).is_some_and(|start| start.eq_ignore_ascii_case("explain")) {
        return None;
    }
    let lifter = |keep_aliases| Lifter { schema, dialect: checked.dialect(), keep_aliases };
    // Without its aliases a nested query may hide a table of the query around it; then they are kept.
    lifter(false).query(checked.tree(), None).or_else(|| lifter(true).query(checked.tree(), None))
}

struct Lifter<'a> {
    schema: &'a Schema,
    dialect: Dialect,
    keep_aliases: bool,
}

impl Lifter<'_> {
    fn query(&self, query: &Query, outer: Option<&Scope<'_>>) -> Option<QueryPlan> {
        let Query { with: None, body, order_by, limit_clause, fetch: None, pipe_operators, .. } = query
        else {
            return None;
        };
        if !pipe_operators.is_empty() {
            return None;
        }
        let (first, rest) = operands(body)?;
        let (select, scope) = self.select(first, outer)?;
        let mut set_operations = Vec::with_capacity(rest.len());
        for (operator, operand) in rest {
            set_operations.push(SetOperation { operator, select: self.select(operand, outer)?.0 });
        }
        let order_by = match order_by {
            Some(order_by) => self.order_by(order_by, &select, &scope, !set_operations.is_empty())?,
            None => Vec::new(),
        };
        let (limit, offset) = match limit_clause {
            Some(clause) => limits(clause)?,
            None => (None, None),
        };
        Some(QueryPlan { with: Vec::new(), select, set_operations, order_by, limit, offset })
    }

    fn order_by(
        &self,
        order_by: &OrderBy,
        select: &Select,
        scope: &Scope<'_>,
        combined: bool,
    ) -> Option<Vec<Order>> {
        let OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None } = order_by else {
            return None;
        };
        let mut orders = Vec::with_capacity(keys.len());
        for key in keys {
            if key.with_fill.is_some() || key.options.nulls_first.is_some() {
                return None;
            }
            let direction = match key.options.sort {
                None | Some(sqlparser::ast::OrderBySort::Asc) => Direction::Ascending,
                Some(sqlparser::ast::OrderBySort::Desc) => Direction::Descending,
                Some(_) => return None,
            };
            let expr = match scope::result_column(&key.expr, select) {
                Some(expr) => expr,
                // The result of a combination has no columns but its own.
                None if combined => {
                    let expr = self.expr(&key.expr, scope)?;
                    select.projection.iter().any(|projected| projected.expr == expr).then_some(expr)?
                }
                None => self.expr(&key.expr, scope)?,
            };
            orders.push(Order { expr, direction });
        }
        Some(orders)
    }
}

type Operands<'a> = (&'a sqlparser::ast::Select, Vec<(SetOperator, &'a sqlparser::ast::Select)>);

/// The selections of a combination from left to right.
fn operands(body: &SetExpr) -> Option<Operands<'_>> {
    let mut rest = Vec::new();
    let mut body = body;
    loop {
        match body {
            SetExpr::Select(select) => {
                rest.reverse();
                return Some((select, rest));
            }
            SetExpr::Query(query) => body = plain_body(query)?,
            SetExpr::SetOperation { left, op, set_quantifier, right } => {
                let operator = match (op, set_quantifier) {
                    (Operator::Union, SetQuantifier::All) => SetOperator::UnionAll,
                    (Operator::Union, SetQuantifier::None | SetQuantifier::Distinct) => SetOperator::Union,
                    (Operator::Intersect, SetQuantifier::None | SetQuantifier::Distinct) => {
                        SetOperator::Intersect
                    }
                    (Operator::Except | Operator::Minus, SetQuantifier::None | SetQuantifier::Distinct) => {
                        SetOperator::Except
                    }
                    _ => return None,
                };
                let right = match right.as_ref() {
                    SetExpr::Query(query) => plain_body(query)?,
                    right => right,
                };
                let SetExpr::Select(select) = right else { return None };
                rest.push((operator, select.as_ref()));
                body = left;
            }
            _ => return None,
        }
    }
}

/// What is in parentheses, where they hold nothing but a body.
fn plain_body(query: &Query) -> Option<&SetExpr> {
    let Query { with: None, body, order_by: None, limit_clause: None, fetch: None, pipe_operators, .. } =
        query
    else {
        return None;
    };
    pipe_operators.is_empty().then_some(body)
}

fn limits(clause: &LimitClause) -> Option<(Option<u64>, Option<u64>)> {
    match clause {
        LimitClause::LimitOffset { limit, offset, limit_by } if limit_by.is_empty() => {
            let limit = limit.as_ref().map(number).map_or(Some(None), |number| number.map(Some))?;
            let offset = offset.as_ref().map(|offset| number(&offset.value));
            Some((limit, offset.map_or(Some(None), |number| number.map(Some))?))
        }
        LimitClause::OffsetCommaLimit { offset, limit } => {
            Some((Some(number(limit)?), Some(number(offset)?)))
        }
        LimitClause::LimitOffset { .. } => None,
    }
}

fn number(expr: &sqlparser::ast::Expr) -> Option<u64> {
    match expr {
        sqlparser::ast::Expr::Value(value) => match &value.value {
            Literal::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// A constant, if the plan language has it.
fn literal(value: &Literal) -> Option<Expr> {
    let value = match value {
        Literal::Number(digits, _) => match digits.parse::<i64>() {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Real(digits.parse().ok()?),
        },
        Literal::SingleQuotedString(text) | Literal::EscapedStringLiteral(text) => Value::Text(text.clone()),
        Literal::Boolean(truth) => Value::Boolean(*truth),
        Literal::Null => Value::Null,
        _ => return None,
    };
    Some(Expr::Literal(value))
}

#[cfg(test)]
mod tests;
