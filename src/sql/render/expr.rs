//! Expressions as text.

use super::{Renderer, Scope};
use crate::plan::{Aggregate, Arithmetic, ColumnRef, Expr, Function};
use crate::schema::Value;
use crate::sql::quote;

impl Renderer {
    pub(super) fn expr(&mut self, expr: &Expr, scope: Scope<'_>) {
        match expr {
            Expr::Column(column) => self.column(column, scope),
            Expr::All(None) => self.push("*"),
            Expr::All(Some(table)) => {
                quote::table(&mut self.out, table, self.dialect);
                self.push(".*");
            }
            Expr::Literal(value) => quote::literal(&mut self.out, value, self.dialect),
            Expr::Aggregate { function, distinct, argument } => {
                self.push(match function {
                    Aggregate::Count => "count(",
                    Aggregate::Sum => "sum(",
                    Aggregate::Avg => "avg(",
                    Aggregate::Min => "min(",
                    Aggregate::Max => "max(",
                });
                self.push(if *distinct { "DISTINCT " } else { "" });
                self.expr(argument, scope);
                self.push(")");
            }
            Expr::Arithmetic { operator, left, right } => self.arithmetic(*operator, left, right, scope),
            Expr::Function { function, arguments } => self.function(*function, arguments, scope),
            Expr::Query(query) => self.nested(query),
        }
    }

    /// An expression beside an operator.
    pub(super) fn operand(&mut self, expr: &Expr, scope: Scope<'_>) {
        match expr {
            Expr::Arithmetic { .. } => self.around(("(", ")"), expr, scope),
            _ => self.expr(expr, scope),
        }
    }

    fn arithmetic(&mut self, operator: Arithmetic, left: &Expr, right: &Expr, scope: Scope<'_>) {
        let symbol = match operator {
            Arithmetic::Add => " + ",
            Arithmetic::Subtract => " - ",
            Arithmetic::Multiply => " * ",
            Arithmetic::Divide => " / ",
        };
        if operator == Arithmetic::Divide && !is_fraction(left) && !is_fraction(right) {
            match self.dialect.dividend() {
                ("", "") => self.operand(left, scope),
                around => self.around(around, left, scope),
            }
        } else if continues(operator, left) {
            self.expr(left, scope);
        } else {
            self.operand(left, scope);
        }
        self.push(symbol);
        match (operator, right) {
            (Arithmetic::Divide, Expr::Literal(value)) if !is_zero(value) => self.operand(right, scope),
            (Arithmetic::Divide, _) => match self.dialect.divisor() {
                ("", "") => self.operand(right, scope),
                around => self.around(around, right, scope),
            },
            _ => self.operand(right, scope),
        }
    }

    fn function(&mut self, function: Function, arguments: &[Expr], scope: Scope<'_>) {
        let name = match function {
            Function::Extract(part) => {
                let (before, after) = self.dialect.extract(part);
                self.push(before);
                self.arguments(arguments, scope);
                return self.push(after);
            }
            Function::Round => {
                self.push("round(");
                for (at, argument) in arguments.iter().enumerate() {
                    self.comma(at);
                    self.around(if at == 0 { self.dialect.rounded() } else { ("", "") }, argument, scope);
                }
                return self.push(")");
            }
            Function::Lower => "lower(",
            Function::Upper => "upper(",
            Function::Length => "length(",
            Function::Abs => "abs(",
            Function::Coalesce => "coalesce(",
        };
        self.push(name);
        self.arguments(arguments, scope);
        self.push(")");
    }

    fn arguments(&mut self, arguments: &[Expr], scope: Scope<'_>) {
        for (at, argument) in arguments.iter().enumerate() {
            self.comma(at);
            self.expr(argument, scope);
        }
    }

    pub(super) fn column(&mut self, column: &ColumnRef, scope: Scope<'_>) {
        // A name without a table is that of a result column, which has none.
        let bare = column.table.is_empty()
            || scope.only.is_some_and(|only| only.eq_ignore_ascii_case(&column.table));
        if !bare {
            quote::table(&mut self.out, &column.table, self.dialect);
            self.push(".");
        }
        self.name(&column.column);
    }
}

/// True where an operator goes on a chain that is read from left to right anyway. Long chains would nest too deeply for
/// the guard otherwise.
fn continues(operator: Arithmetic, left: &Expr) -> bool {
    let is_sum = |operator| matches!(operator, Arithmetic::Add | Arithmetic::Subtract);
    match left {
        Expr::Arithmetic { operator: before, .. } => {
            is_sum(operator) && is_sum(*before)
                || operator == Arithmetic::Multiply && *before == Arithmetic::Multiply
        }
        _ => false,
    }
}

fn is_zero(value: &Value) -> bool {
    matches!(value, Value::Integer(0)) || matches!(value, Value::Real(number) if *number == 0.0)
}

/// True where a value is known to be a fraction, so that a division by it or of it keeps its own.
fn is_fraction(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(Value::Real(_)) | Expr::Aggregate { function: Aggregate::Avg, .. } => true,
        Expr::Arithmetic { operator: Arithmetic::Divide, .. } => true,
        Expr::Arithmetic { left, right, .. } => is_fraction(left) || is_fraction(right),
        _ => false,
    }
}
