//! SQL text as a plan, where it fits the plan language.
//!
//! A follow-up edits plans. SQL that came from a model or a person is lifted into one, so that it can be edited
//! by type and not by text. Lifting never guesses: what the plan language cannot say with the same meaning gives
//! no plan.

mod call;
mod condition;
mod dates;
mod definition;
mod expr;
mod idiom_lines;
mod idioms;
mod kind;
mod scope;
mod select;
mod window;

use std::cell::RefCell;

use sqlparser::ast::{
    Cte, LimitClause, OrderBy, OrderByKind, Query, SetExpr, SetOperator as Operator, SetQuantifier,
    Value as Literal, With,
};

use super::Dialect;
use super::guard::{self, Checked};
use crate::plan::{Expr, NamedQuery, Order, QueryPlan, Select, SetOperation, SetOperator, Source};
use crate::schema::{Schema, Value};
pub use definition::{Definition, DefinitionError};
use kind::Kind;
use scope::{Output, Scope};

/// The plan that a statement stands for, if the plan language can say it.
///
/// Aliases give way to table names where a table is used once, and join conditions in `WHERE` move to their joins.
/// Rendered again, the plan returns the same rows; spelling and column titles may differ.
///
/// ```
/// use sqlogue_sql::schema::{Column, Schema, Table};
/// use sqlogue_sql::sql::{lift, render, Dialect};
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
    let lifter =
        |keep_aliases| Lifter { schema, dialect: checked.dialect(), keep_aliases, named: RefCell::default() };
    // Without its aliases a nested query may hide a table of the query around it; then they are kept.
    let plan = |keep_aliases| lifter(keep_aliases).source_query(checked.tree(), None).map(|(plan, _)| plan);
    plan(false).or_else(|| plan(true))
}

struct Lifter<'a> {
    schema: &'a Schema,
    dialect: Dialect,
    keep_aliases: bool,
    /// The named queries that the query under way may read, the newest last.
    named: RefCell<Vec<Named>>,
}

/// A query that others may read by its name.
struct Named {
    name: String,
    outputs: Vec<Output>,
}

impl Lifter<'_> {
    /// A query inside an expression or a condition.
    fn query(&self, query: &Query, outer: Option<&Scope<'_>>) -> Option<QueryPlan> {
        let (plan, outputs) = self.source_query(query, outer)?;
        // What it is compared with would have to know that digits became a number.
        let digits = outputs.iter().any(|output| matches!(output.kind, Kind::Digits(_)));
        (!digits).then_some(plan)
    }

    /// A query, with the columns of its result.
    fn source_query(&self, query: &Query, outer: Option<&Scope<'_>>) -> Option<(QueryPlan, Vec<Output>)> {
        // The names that it defines are known inside it only.
        let known = self.named.borrow().len();
        let lifted = self.query_with_names(query, outer);
        self.named.borrow_mut().truncate(known);
        lifted
    }

    fn query_with_names(&self, query: &Query, outer: Option<&Scope<'_>>) -> Option<(QueryPlan, Vec<Output>)> {
        let Query { with, body, order_by, limit_clause, fetch: None, pipe_operators, .. } = query else {
            return None;
        };
        if !pipe_operators.is_empty() {
            return None;
        }
        let mut with = match with {
            Some(with) => self.with(with)?,
            None => Vec::new(),
        };
        let (first, rest) = operands(body, self.dialect)?;
        let (select, mut scope) = self.select(first, outer)?;
        with.append(&mut scope.named);
        let mut set_operations = Vec::with_capacity(rest.len());
        for (operator, operand) in rest {
            let (select, mut scope) = match operand {
                Operand::Select(select) => self.select(select, outer)?,
                Operand::Query(query) => self.part(query)?,
            };
            with.append(&mut scope.named);
            // All parts of a combination would have to have a number there.
            if scope.outputs.iter().any(|output| matches!(output.kind, Kind::Digits(_))) {
                return None;
            }
            set_operations.push(SetOperation { operator, select });
        }
        let combined = !set_operations.is_empty();
        if combined && scope.outputs.iter().any(|output| matches!(output.kind, Kind::Digits(_))) {
            return None;
        }
        let order_by = match order_by {
            Some(order_by) => self.order_by(order_by, &select, &scope, combined)?,
            None => Vec::new(),
        };
        let (limit, offset) = match limit_clause {
            Some(clause) => limits(clause)?,
            None => (None, None),
        };
        Some((QueryPlan { with, select, set_operations, order_by, limit, offset }, scope.outputs))
    }

    fn with(&self, with: &With) -> Option<Vec<NamedQuery>> {
        if with.recursive {
            return None;
        }
        let mut queries = Vec::with_capacity(with.cte_tables.len());
        for Cte { alias, query, .. } in &with.cte_tables {
            let (mut plan, mut outputs) = self.source_query(query, None)?;
            let name = alias.name.value.clone();
            let shown = &mut plan.select.projection;
            let named = alias.columns.len();
            if named > 0 && (named != shown.len() || named != outputs.len()) {
                return None;
            }
            for ((column, shown), output) in alias.columns.iter().zip(shown).zip(&mut outputs) {
                shown.alias = Some(column.name.value.clone());
                output.name.clone_from(&column.name.value);
            }
            self.named.borrow_mut().push(Named { name: name.clone(), outputs });
            queries.push(NamedQuery { name, query: plan });
        }
        Some(queries)
    }

    /// A part of a combination that is a whole query: its rows are read from it.
    fn part<'s>(&self, query: &Query) -> Option<(Select, Scope<'s>)> {
        let (query, outputs) = self.source_query(query, None)?;
        let from = Source::Query { query: Box::new(query), alias: "part".to_owned() };
        let scope = Scope { outputs, ..Scope::default() };
        Some((Select { from, ..Select::default() }, scope))
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
            let expr = match scope::result_column(&key.expr, select) {
                Some(expr) => expr,
                None => self.shown(&key.expr, scope)?,
            };
            // The result of a combination has no columns but its own.
            if combined && !select.projection.iter().any(|projected| projected.expr == expr) {
                return None;
            }
            let before = orders.len();
            self.push_order(key, expr, &mut orders)?;
            // What is not shown sorts nothing there.
            if (combined || select.distinct) && orders.len() > before + 1 {
                return None;
            }
        }
        Some(orders)
    }
}

/// One part of a combination.
enum Operand<'a> {
    Select(&'a sqlparser::ast::Select),
    Query(&'a Query),
}

type Operands<'a> = (&'a sqlparser::ast::Select, Vec<(SetOperator, Operand<'a>)>);

/// The selections of a combination from left to right.
fn operands(body: &SetExpr, dialect: Dialect) -> Option<Operands<'_>> {
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
                    SetExpr::Select(select) => Operand::Select(select),
                    SetExpr::Query(query) => match plain_body(query) {
                        Some(SetExpr::Select(select)) => Operand::Select(select),
                        _ => Operand::Query(query),
                    },
                    // SQLite reads from left to right what the parser reads otherwise.
                    _ => return None,
                };
                // Where operators differ in strength, only parentheses say what comes first.
                if dialect == Dialect::Sqlite
                    && matches!(left.as_ref(), SetExpr::SetOperation { op: inner, .. } if inner != op)
                    && *op == Operator::Intersect
                {
                    return None;
                }
                rest.push((operator, right));
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
        Literal::SingleQuotedString(text)
        | Literal::DoubleQuotedString(text)
        | Literal::EscapedStringLiteral(text) => Value::Text(text.clone()),
        Literal::Boolean(truth) => Value::Boolean(*truth),
        Literal::Null => Value::Null,
        _ => return None,
    };
    Some(Expr::Literal(value))
}

#[cfg(test)]
mod tests;
