//! Conditions.

use sqlparser::ast::{BinaryOperator, Expr as Tree, UnaryOperator};

use super::Lifter;
use super::scope::Scope;
use crate::plan::{Comparison, Condition, Expr, Function};
use crate::schema::{ColumnType, Value};
use crate::sql::Dialect;

impl Lifter<'_> {
    pub(super) fn condition(&self, tree: &Tree, scope: &Scope<'_>) -> Option<Condition> {
        Some(match tree {
            Tree::Nested(inner) => self.condition(inner, scope)?,
            Tree::BinaryOp { op: op @ (BinaryOperator::And | BinaryOperator::Or), .. } => {
                let conditions = self.chain(tree, op, scope)?;
                if *op == BinaryOperator::And {
                    Condition::And(conditions)
                } else {
                    Condition::Or(conditions)
                }
            }
            Tree::BinaryOp { left, op, right } => self.comparison(
                self.expr(left, scope),
                comparison(op)?,
                self.expr(right, scope),
                (left, right),
                scope,
            )?,
            Tree::UnaryOp { op: UnaryOperator::Not, expr } => {
                Condition::Not(Box::new(self.condition(expr, scope)?))
            }
            Tree::Between { expr, negated, low, high } => negate(
                Condition::Between {
                    expr: self.expr(expr, scope)?,
                    low: self.expr(low, scope)?,
                    high: self.expr(high, scope)?,
                },
                *negated,
            ),
            Tree::InList { expr, list, negated } => Condition::In {
                expr: self.expr(expr, scope)?,
                list: list.iter().map(|item| self.expr(item, scope)).collect::<Option<_>>()?,
                negated: *negated,
            },
            Tree::InSubquery { expr, subquery, negated } => Condition::InQuery {
                expr: self.expr(expr, scope)?,
                query: Box::new(self.query(subquery, Some(scope))?),
                negated: *negated,
            },
            // Elsewhere `LIKE` minds case, and the plan's does not.
            Tree::Like { negated, any: false, expr, pattern, escape_char: None }
                if self.dialect == Dialect::Sqlite =>
            {
                self.like(expr, pattern, *negated, scope)?
            }
            Tree::ILike { negated, any: false, expr, pattern, escape_char: None } => {
                self.like(expr, pattern, *negated, scope)?
            }
            Tree::IsNull(expr) => Condition::IsNull { expr: self.expr(expr, scope)?, negated: false },
            Tree::IsNotNull(expr) => Condition::IsNull { expr: self.expr(expr, scope)?, negated: true },
            Tree::Exists { subquery, negated } => {
                Condition::Exists { query: Box::new(self.query(subquery, Some(scope))?), negated: *negated }
            }
            _ => return None,
        })
    }

    /// The operands of a chain of one operator, from left to right. Chains are long and lean to the left, so they
    /// are followed in a loop.
    fn chain(&self, tree: &Tree, operator: &BinaryOperator, scope: &Scope<'_>) -> Option<Vec<Condition>> {
        let mut conditions = Vec::new();
        let mut rest = tree;
        while let Tree::BinaryOp { left, op, right } = rest
            && op == operator
        {
            conditions.push(self.condition(right, scope)?);
            rest = left;
        }
        conditions.push(self.condition(rest, scope)?);
        conditions.reverse();
        // Parentheses round a chain of the same operator change nothing.
        let mut flat = Vec::with_capacity(conditions.len());
        for condition in conditions {
            match (condition, operator) {
                (Condition::And(inner), BinaryOperator::And) | (Condition::Or(inner), BinaryOperator::Or) => {
                    flat.extend(inner);
                }
                (condition, _) => flat.push(condition),
            }
        }
        Some(flat)
    }

    fn comparison(
        &self,
        left: Option<Expr>,
        operator: Comparison,
        right: Option<Expr>,
        trees: (&Tree, &Tree),
        scope: &Scope<'_>,
    ) -> Option<Condition> {
        // A part of a date as text against a text of as many digits compares as the numbers do.
        match (&left, &right) {
            (None, Some(Expr::Literal(Value::Text(text)))) => {
                let (part, width, argument) = self.date_text(trees.0, scope)?;
                let number = digits(text, width)?;
                let left = Expr::Function { function: Function::Extract(part), arguments: vec![argument] };
                return Some(Condition::compare(left, operator, number));
            }
            (Some(Expr::Literal(Value::Text(text))), None) => {
                let (part, width, argument) = self.date_text(trees.1, scope)?;
                let number = digits(text, width)?;
                let right = Expr::Function { function: Function::Extract(part), arguments: vec![argument] };
                return Some(Condition::compare(number, operator, right));
            }
            _ => {}
        }
        let (left, right) = truths(left?, right?, scope);
        Some(Condition::compare(left, operator, right))
    }

    fn like(&self, expr: &Tree, pattern: &Tree, negated: bool, scope: &Scope<'_>) -> Option<Condition> {
        match self.expr(pattern, scope)? {
            Expr::Literal(Value::Text(pattern)) => {
                Some(Condition::Like { expr: self.expr(expr, scope)?, pattern, negated })
            }
            _ => None,
        }
    }
}

/// A number that is compared with a column of truth values is one: where there are none, people write `paid = 1`.
fn truths(left: Expr, right: Expr, scope: &Scope<'_>) -> (Expr, Expr) {
    let is_truth = |expr: &Expr| match expr {
        Expr::Column(column) => scope
            .table_of(column)
            .and_then(|table| table.column(&column.column))
            .is_some_and(|column| column.column_type == ColumnType::Boolean),
        _ => false,
    };
    let truth = |expr: Expr| match expr {
        Expr::Literal(Value::Integer(number @ (0 | 1))) => Expr::Literal(Value::Boolean(number == 1)),
        other => other,
    };
    if is_truth(&left) {
        (left, truth(right))
    } else if is_truth(&right) {
        (truth(left), right)
    } else {
        (left, right)
    }
}

fn comparison(operator: &BinaryOperator) -> Option<Comparison> {
    Some(match operator {
        BinaryOperator::Eq => Comparison::Equal,
        BinaryOperator::NotEq => Comparison::NotEqual,
        BinaryOperator::Lt => Comparison::Less,
        BinaryOperator::LtEq => Comparison::LessOrEqual,
        BinaryOperator::Gt => Comparison::Greater,
        BinaryOperator::GtEq => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

fn negate(condition: Condition, negated: bool) -> Condition {
    if negated { Condition::Not(Box::new(condition)) } else { condition }
}

/// The number that a text of exactly `width` digits spells.
fn digits(text: &str, width: usize) -> Option<Expr> {
    let is_number = text.len() == width && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        text.parse::<i64>().ok().map(|number| Expr::Literal(Value::Integer(number)))
    } else {
        None
    }
}
