//! Expressions.

use sqlparser::ast::{BinaryOperator, DateTimeField, Expr as Tree, Ident, UnaryOperator, Value as Literal};

use super::idioms::{bare, chain, type_name};
use super::kind::Kind;
use super::scope::Scope;
use super::{Lifter, literal};
use crate::plan::{Arithmetic, CastType, Comparison, Condition, DatePart, DateUnit, Expr, TimeUnit};
use crate::schema::Value;
use crate::sql::Dialect;

/// The stack that must be left for one more level of an expression, and what it gets where less is left. Chains of
/// operators lean to the left, so that they are as deep as they are long.
const STACK: (usize, usize) = (256 << 10, 4 << 20);

impl Lifter<'_> {
    pub(super) fn expr(&self, tree: &Tree, scope: &Scope<'_>) -> Option<Expr> {
        stacker::maybe_grow(STACK.0, STACK.1, || self.expr_here(bare(tree), scope))
    }

    fn expr_here(&self, tree: &Tree, scope: &Scope<'_>) -> Option<Expr> {
        if let Some(expr) = self.idiom(tree, scope) {
            return Some(expr);
        }
        match tree {
            Tree::Identifier(name) => self.identifier(name, scope),
            Tree::CompoundIdentifier(names) => match names.as_slice() {
                [table, column] => scope.qualified(&table.value, &column.value),
                _ => None,
            },
            Tree::Value(value) => literal(&value.value),
            Tree::TypedString(typed) => match (&typed.value.value, type_name(&typed.data_type)) {
                (Literal::SingleQuotedString(text), "date" | "timestamp") => {
                    Some(Expr::literal(text.as_str()))
                }
                _ => None,
            },
            Tree::UnaryOp { op: UnaryOperator::Plus, expr } => self.expr(expr, scope),
            Tree::UnaryOp { op: UnaryOperator::Minus, expr } => match self.expr(expr, scope)? {
                Expr::Literal(Value::Integer(number)) => {
                    Some(Expr::Literal(Value::Integer(number.checked_neg()?)))
                }
                Expr::Literal(Value::Real(number)) => Some(Expr::Literal(Value::Real(-number))),
                _ => None,
            },
            Tree::BinaryOp { op: BinaryOperator::StringConcat, .. } => self.concat(tree, scope),
            Tree::BinaryOp { left, op, right } => match arithmetic(op) {
                Some(operator) => self.arithmetic(left, operator, right, scope),
                None => self.test(tree, scope),
            },
            Tree::Function(function) => {
                let date = (self.dialect == Dialect::Sqlite).then(|| self.sqlite_date(tree, scope)).flatten();
                date.or_else(|| self.function(function, scope))
            }
            Tree::Cast { expr, data_type, format: None, .. } => self.cast(expr, type_name(data_type), scope),
            Tree::Extract { field, expr, .. } => {
                Some(Expr::part(part(field, self.dialect)?, self.expr(expr, scope)?))
            }
            Tree::Subquery(query) => Some(Expr::Query(Box::new(self.query(query, Some(scope))?))),
            Tree::Case { operand, conditions, else_result, .. } => {
                let mut branches = Vec::with_capacity(conditions.len());
                for when in conditions {
                    let condition = match operand {
                        None => self.condition(&when.condition, scope)?,
                        Some(operand) => self.equality(operand, &when.condition, scope)?,
                    };
                    branches.push((condition, self.expr(&when.result, scope)?));
                }
                let otherwise = else_result.as_ref().map(|tree| self.expr(tree, scope));
                Some(Expr::case(branches, otherwise.map_or(Some(None), |expr| expr.map(Some))?))
            }
            _ => self.test(tree, scope),
        }
    }

    /// What a clause shows, groups or sorts by. There, digits of a date as SQLite's text may be the number they spell.
    pub(super) fn shown(&self, tree: &Tree, scope: &Scope<'_>) -> Option<Expr> {
        match self.digits(tree, scope) {
            Some((expr, _)) => Some(expr),
            None => self.expr(tree, scope),
        }
    }

    /// A condition as a value. PostgreSQL's and BigQuery's truth is no number, and it is shown as such.
    fn test(&self, tree: &Tree, scope: &Scope<'_>) -> Option<Expr> {
        let is_number = matches!(self.dialect, Dialect::Sqlite | Dialect::MySql);
        is_number.then(|| self.condition(tree, scope)).flatten().map(Expr::test)
    }

    fn identifier(&self, name: &Ident, scope: &Scope<'_>) -> Option<Expr> {
        scope.bare(&name.value).or_else(|| {
            // What is no column is a text to SQLite, in double quotes, and people write it so.
            let is_text =
                self.dialect == Dialect::Sqlite && name.quote_style == Some('"') && !scope.knows(&name.value);
            is_text.then(|| Expr::Literal(Value::Text(name.value.clone())))
        })
    }

    fn concat(&self, tree: &Tree, scope: &Scope<'_>) -> Option<Expr> {
        let mut texts = Vec::new();
        for operand in chain(tree, &BinaryOperator::StringConcat) {
            let text = self.expr(operand, scope)?;
            if matches!(self.kind(&text, scope), Kind::Digits(_)) {
                return None;
            }
            texts.push(text);
        }
        Some(Expr::concat(texts))
    }

    fn arithmetic(&self, left: &Tree, operator: Arithmetic, right: &Tree, scope: &Scope<'_>) -> Option<Expr> {
        if matches!(operator, Arithmetic::Add | Arithmetic::Subtract) && self.dialect != Dialect::Sqlite {
            let moved = self.with_interval(left, right, operator == Arithmetic::Subtract, scope);
            if moved.is_some() {
                return moved;
            }
        }
        let mut keeps_fraction = matches!(self.dialect, Dialect::BigQuery | Dialect::MySql | Dialect::DuckDb);
        let mut side = |tree: &Tree, divides: bool| -> Option<Expr> {
            // What a quotient of the plan language does to its dividend by itself.
            // DuckDB divides so without a cast: there one was meant.
            if operator == Arithmetic::Divide
                && !divides
                && self.dialect != Dialect::DuckDb
                && let Some(inner) = self.cast_to_fraction(tree)
            {
                keeps_fraction = true;
                return self.expr(inner, scope);
            }
            // Digits are numbers to an operator of numbers.
            let expr = match (self.date_text(tree, scope), self.seconds_text(tree, scope)) {
                (Some((part, _, date)), _) => Expr::part(part, date),
                (None, Some(seconds)) => seconds,
                (None, None) if divides => self.divisor(tree, scope)?,
                (None, None) => self.expr(tree, scope)?,
            };
            keeps_fraction |= self.kind(&expr, scope) == Kind::Fraction;
            Some(expr)
        };
        let divides =
            matches!(operator, Arithmetic::Divide | Arithmetic::DivideWhole | Arithmetic::Remainder);
        let (left, right) = (side(left, false)?, side(right, divides)?);
        let both = |kind| self.kind(&left, scope) == kind && self.kind(&right, scope) == kind;
        let operator = match operator {
            // Only what makes a number of a text.
            Arithmetic::Add if right == Expr::literal(0) && self.dialect == Dialect::Sqlite => {
                return Some(left);
            }
            // The difference of two days is a number of days.
            Arithmetic::Subtract
                if both(Kind::Day) && matches!(self.dialect, Dialect::Postgres | Dialect::DuckDb) =>
            {
                return Some(Expr::elapsed(TimeUnit::Day, right, left));
            }
            Arithmetic::Divide if keeps_fraction => Arithmetic::Divide,
            // Whole numbers divide to a whole number; where the types are not known, what comes is not.
            Arithmetic::Divide if both(Kind::Whole) => Arithmetic::DivideWhole,
            Arithmetic::Divide => return None,
            Arithmetic::DivideWhole | Arithmetic::Remainder if !both(Kind::Whole) => return None,
            other => other,
        };
        Some(Expr::arithmetic(operator, left, right))
    }

    fn cast(&self, tree: &Tree, target: &str, scope: &Scope<'_>) -> Option<Expr> {
        if target == "integer" {
            if let Some((part, _, date)) = self.date_text(tree, scope) {
                return Some(Expr::part(part, date));
            }
            if let Some(seconds) = self.seconds_text(tree, scope) {
                return Some(seconds);
            }
            if self.dialect == Dialect::Sqlite {
                return Some(Expr::cast(CastType::Integer, self.expr(tree, scope)?));
            }
            // Elsewhere a cast rounds; of what is whole it changes nothing, and truth becomes a number.
            return match self.expr(tree, scope) {
                Some(expr) => (self.kind(&expr, scope) == Kind::Whole).then_some(expr),
                None => self.condition(tree, scope).map(Expr::test),
            };
        }
        let inner = self.expr(tree, scope)?;
        match target {
            "real" => Some(Expr::cast(CastType::Real, inner)),
            "text" => Some(Expr::cast(CastType::Text, inner)),
            // A cast to a date is one to a number in SQLite.
            "date" | "timestamp" if self.dialect == Dialect::Sqlite => None,
            // A day that was moved by an interval is a day.
            "date"
                if matches!(bare(tree), Tree::BinaryOp { .. }) && self.kind(&inner, scope) == Kind::Day =>
            {
                Some(inner)
            }
            "date" => Some(Expr::truncate(DateUnit::Day, inner)),
            "timestamp" => Some(Expr::cast(CastType::Timestamp, inner)),
            _ => None,
        }
    }

    /// What is cast to a number with a fraction, if the expression is such a cast.
    fn cast_to_fraction<'t>(&self, tree: &'t Tree) -> Option<&'t Tree> {
        match bare(tree) {
            // Where every quotient keeps its fraction, a cast is there for itself.
            _ if self.dialect == Dialect::BigQuery => None,
            Tree::Cast { expr, data_type, format: None, .. } => {
                let is_fraction = match type_name(data_type) {
                    "real" => true,
                    "numeric" => self.dialect != Dialect::Sqlite,
                    _ => false,
                };
                is_fraction.then_some(expr)
            }
            _ => None,
        }
    }

    /// `left = right`, with all that a comparison knows of.
    fn equality(&self, left: &Tree, right: &Tree, scope: &Scope<'_>) -> Option<Condition> {
        self.comparison(left, Comparison::Equal, right, scope)
    }
}

fn arithmetic(operator: &BinaryOperator) -> Option<Arithmetic> {
    Some(match operator {
        BinaryOperator::Plus => Arithmetic::Add,
        BinaryOperator::Minus => Arithmetic::Subtract,
        BinaryOperator::Multiply => Arithmetic::Multiply,
        BinaryOperator::Divide => Arithmetic::Divide,
        BinaryOperator::MyIntegerDivide | BinaryOperator::DuckIntegerDivide => Arithmetic::DivideWhole,
        BinaryOperator::Modulo => Arithmetic::Remainder,
        _ => return None,
    })
}

fn part(field: &DateTimeField, dialect: Dialect) -> Option<DatePart> {
    Some(match field {
        DateTimeField::Year | DateTimeField::Years => DatePart::Year,
        DateTimeField::Quarter => DatePart::Quarter,
        DateTimeField::Month | DateTimeField::Months => DatePart::Month,
        DateTimeField::Day | DateTimeField::Days => DatePart::Day,
        DateTimeField::Dow => DatePart::Weekday,
        DateTimeField::Doy | DateTimeField::DayOfYear => DatePart::DayOfYear,
        DateTimeField::IsoWeek => DatePart::Week,
        // Weeks begin on Sunday in the other.
        DateTimeField::Week(None) if matches!(dialect, Dialect::Postgres | Dialect::DuckDb) => DatePart::Week,
        DateTimeField::Hour | DateTimeField::Hours => DatePart::Hour,
        DateTimeField::Minute | DateTimeField::Minutes => DatePart::Minute,
        _ => return None,
    })
}
