//! Conditions.

use sqlparser::ast::{BinaryOperator, Expr as Tree, UnaryOperator};

use super::Lifter;
use super::idioms::bare;
use super::kind::Kind;
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
            Tree::BinaryOp { left, op, right } => self.comparison(left, comparison(op)?, right, scope)?,
            // What is not zero holds.
            Tree::Identifier(_) | Tree::CompoundIdentifier(_) => {
                self.truth(self.expr(tree, scope)?, scope)?
            }
            Tree::UnaryOp { op: UnaryOperator::Not, expr } => {
                Condition::Not(Box::new(self.condition(expr, scope)?))
            }
            Tree::Between { expr, negated, low, high } => {
                let (expr, bounds) = self.compared(expr, &[low, high], scope)?;
                let mut bounds = bounds.into_iter();
                let (low, high) = (bounds.next()?, bounds.next()?);
                negate(Condition::Between { expr, low, high }, *negated)
            }
            Tree::InList { expr, list, negated } => {
                let (expr, list) = self.compared(expr, &list.iter().collect::<Vec<_>>(), scope)?;
                Condition::In { expr, list, negated: *negated }
            }
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
            // What is in small letters matches a pattern in small letters as the plan's does.
            Tree::Like { negated, any: false, expr, pattern, escape_char: None } => {
                let Expr::Function { function: Function::Lower, mut arguments } = self.expr(expr, scope)?
                else {
                    return None;
                };
                let Expr::Literal(Value::Text(pattern)) = self.expr(pattern, scope)? else { return None };
                let expr = (pattern.to_lowercase() == pattern).then(|| arguments.pop()).flatten()?;
                Condition::Like { expr, pattern: plain_pattern(&pattern)?, negated: *negated }
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

    pub(super) fn comparison(
        &self,
        left: &Tree,
        operator: Comparison,
        right: &Tree,
        scope: &Scope<'_>,
    ) -> Option<Condition> {
        // A part of a date as text against another of as many digits compares as the numbers do.
        let (left, right) = match (self.spelled(left, scope), self.spelled(right, scope)) {
            (Some((left, width)), Some((right, other))) => (width == other).then_some((left, right))?,
            (Some((part, width)), None) => match self.expr(right, scope)? {
                Expr::Literal(Value::Text(text)) => (part, digits(&text, width)?),
                other => (self.expr(left, scope)?, other),
            },
            (None, Some((part, width))) => match self.expr(left, scope)? {
                Expr::Literal(Value::Text(text)) => (digits(&text, width)?, part),
                other => (other, self.expr(right, scope)?),
            },
            (None, None) => (self.expr(left, scope)?, self.expr(right, scope)?),
        };
        self.are_comparable(&[&left, &right], scope)?;
        let (left, right) = truths(left, right, scope);
        Some(Condition::compare(left, operator, right))
    }

    /// A value and those that it is compared with.
    fn compared(&self, expr: &Tree, others: &[&Tree], scope: &Scope<'_>) -> Option<(Expr, Vec<Expr>)> {
        let lifted = others.iter().map(|other| self.expr(other, scope)).collect::<Option<Vec<_>>>()?;
        if let Some((part, width)) = self.spelled(expr, scope) {
            let number = |other: &Expr| match other {
                Expr::Literal(Value::Text(text)) => digits(text, width),
                _ => None,
            };
            if let Some(numbers) = lifted.iter().map(number).collect() {
                return Some((part, numbers));
            }
        }
        let expr = self.expr(expr, scope)?;
        self.are_comparable(&lifted.iter().chain([&expr]).collect::<Vec<_>>(), scope)?;
        Some((expr, lifted))
    }

    /// What spells a number in SQLite's text and is one in the plan: a part of a date, or a column that holds one.
    fn spelled(&self, tree: &Tree, scope: &Scope<'_>) -> Option<(Expr, usize)> {
        if let Some((part, width, date)) = self.date_text(tree, scope) {
            return Some((Expr::part(part, date), width));
        }
        let is_column = matches!(bare(tree), Tree::Identifier(_) | Tree::CompoundIdentifier(_));
        let column = is_column.then(|| self.expr(tree, scope)).flatten()?;
        match self.kind(&column, scope) {
            Kind::Digits(width) => Some((column, width)),
            _ => None,
        }
    }

    /// Digits that became a number are compared with others alone.
    fn are_comparable(&self, exprs: &[&Expr], scope: &Scope<'_>) -> Option<()> {
        let digits = |expr: &&&Expr| matches!(self.kind(expr, scope), Kind::Digits(_));
        let is_number =
            |expr: &&&Expr| matches!(expr, Expr::Literal(Value::Integer(_)) | Expr::Function { .. });
        let spelled = exprs.iter().filter(digits).count();
        let rest = exprs.iter().filter(|expr| !digits(expr));
        (spelled == 0 || rest.clone().count() == rest.filter(is_number).count()).then_some(())
    }

    /// A column that is a condition by itself.
    fn truth(&self, expr: Expr, scope: &Scope<'_>) -> Option<Condition> {
        if is_truth(&expr, scope) {
            return Some(Condition::equal(expr, Expr::literal(true)));
        }
        let has_numbers = matches!(self.dialect, Dialect::Sqlite | Dialect::MySql);
        let is_number = has_numbers && self.kind(&expr, scope) == Kind::Whole;
        is_number.then(|| Condition::compare(expr, Comparison::NotEqual, Expr::literal(0)))
    }

    fn like(&self, expr: &Tree, pattern: &Tree, negated: bool, scope: &Scope<'_>) -> Option<Condition> {
        match self.expr(pattern, scope)? {
            Expr::Literal(Value::Text(pattern)) => {
                let pattern = if matches!(self.dialect, Dialect::Sqlite | Dialect::DuckDb) {
                    pattern
                } else {
                    plain_pattern(&pattern)?
                };
                let expr = self.expr(expr, scope)?;
                let is_text = !matches!(self.kind(&expr, scope), Kind::Digits(_));
                is_text.then_some(Condition::Like { expr, pattern, negated })
            }
            _ => None,
        }
    }
}

fn is_truth(expr: &Expr, scope: &Scope<'_>) -> bool {
    match expr {
        Expr::Column(column) => scope
            .table_of(column)
            .and_then(|table| table.column(&column.column))
            .is_some_and(|column| column.column_type == ColumnType::Boolean),
        _ => false,
    }
}

/// A number that is compared with a column of truth values is one: where there are none, people write `paid = 1`.
fn truths(left: Expr, right: Expr, scope: &Scope<'_>) -> (Expr, Expr) {
    let truth = |expr: Expr| match expr {
        Expr::Literal(Value::Integer(number @ (0 | 1))) => Expr::Literal(Value::Boolean(number == 1)),
        other => other,
    };
    if is_truth(&left, scope) {
        (left, truth(right))
    } else if is_truth(&right, scope) {
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

/// A pattern without the escapes that other dialects than SQLite know; none where it escapes more than a backslash.
fn plain_pattern(pattern: &str) -> Option<String> {
    let plain = pattern.replace("\\\\", "\\");
    (plain.replace('\\', "\\\\") == pattern).then_some(plain)
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
