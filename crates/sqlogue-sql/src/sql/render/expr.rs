//! Expressions as text.

use super::{Renderer, Scope};
use crate::plan::{Aggregate, Arithmetic, Branch, CastType, ColumnRef, Expr, Function, TimeUnit};
use crate::schema::Value;
use crate::sql::Dialect;
use crate::sql::quote::{self, push};

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
                self.aggregate(*function, *distinct, argument, scope);
            }
            Expr::Arithmetic { operator, left, right } => self.arithmetic(*operator, left, right, scope),
            Expr::Function { function, arguments } => self.function(*function, arguments, scope),
            Expr::Query(query) => self.nested(query),
            Expr::Case { branches, otherwise } => self.case(branches, otherwise.as_deref(), scope),
            Expr::Test(condition) => {
                let (before, after) = self.dialect.truth_as_number();
                self.push(before);
                self.condition(condition, scope);
                self.push(after);
            }
            Expr::Window(window) => self.window(window, scope),
        }
    }

    /// An expression beside an operator.
    pub(super) fn operand(&mut self, expr: &Expr, scope: Scope<'_>) {
        match expr {
            Expr::Arithmetic { .. } | Expr::Function { function: Function::Concat, .. } => {
                self.around(("(", ")"), expr, scope);
            }
            _ => self.expr(expr, scope),
        }
    }

    pub(super) fn aggregate(
        &mut self,
        function: Aggregate,
        distinct: bool,
        argument: &Expr,
        scope: Scope<'_>,
    ) {
        let name = match function {
            Aggregate::Count => "count(",
            Aggregate::Sum => "sum(",
            Aggregate::Avg => "avg(",
            Aggregate::Min => "min(",
            Aggregate::Max => "max(",
            Aggregate::Deviation | Aggregate::Variance if self.dialect == Dialect::Sqlite => {
                return self.spread(function, argument, scope);
            }
            Aggregate::Deviation => "stddev_samp(",
            Aggregate::Variance => "var_samp(",
            Aggregate::Percentile(percent) => return self.percentile("cont", percent, argument, scope),
            Aggregate::PercentileValue(percent) => return self.percentile("disc", percent, argument, scope),
        };
        self.push(name);
        self.push(if distinct { "DISTINCT " } else { "" });
        self.expr(argument, scope);
        self.push(")");
    }

    /// SQLite has no name for it: the mean of the squares less the square of the mean, of a sample. It is never below zero,
    /// however numbers are rounded.
    fn spread(&mut self, function: Aggregate, argument: &Expr, scope: Scope<'_>) {
        let deviates = function == Aggregate::Deviation;
        self.push(if deviates { "sqrt(max(0, (sum(1.0 * " } else { "max(0, (sum(1.0 * " });
        self.operand(argument, scope);
        self.push(" * ");
        self.operand(argument, scope);
        self.push(") - 1.0 * ");
        for (before, behind) in
            [("sum(", ") * "), ("sum(", ") / "), ("count(", ")) / ("), ("count(", ") - 1)")]
        {
            self.around((before, behind), argument, scope);
        }
        self.push(if deviates { "))" } else { ")" });
    }

    /// Only PostgreSQL has them; elsewhere the plan has none left.
    fn percentile(&mut self, kind: &str, percent: u8, argument: &Expr, scope: Scope<'_>) {
        let fraction = f64::from(percent.min(100)) / 100.0;
        push(&mut self.out, format_args!("percentile_{kind}({fraction}) WITHIN GROUP (ORDER BY "));
        self.expr(argument, scope);
        self.push(")");
    }

    fn case(&mut self, branches: &[Branch], otherwise: Option<&Expr>, scope: Scope<'_>) {
        if branches.is_empty() {
            return match otherwise {
                Some(otherwise) => self.operand(otherwise, scope),
                None => self.push("NULL"),
            };
        }
        self.push("CASE");
        for Branch { when, then } in branches {
            self.push(" WHEN ");
            self.condition(when, scope);
            self.push(" THEN ");
            self.expr(then, scope);
        }
        if let Some(otherwise) = otherwise {
            self.push(" ELSE ");
            self.expr(otherwise, scope);
        }
        self.push(" END");
    }

    fn arithmetic(&mut self, operator: Arithmetic, left: &Expr, right: &Expr, scope: Scope<'_>) {
        let symbol = match operator {
            Arithmetic::Add => " + ",
            Arithmetic::Subtract => " - ",
            Arithmetic::Multiply => " * ",
            Arithmetic::Divide => " / ",
            Arithmetic::DivideWhole | Arithmetic::Remainder => {
                return self.whole(operator, left, right, scope);
            }
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

    /// Whole numbers divided to whole numbers.
    fn whole(&mut self, operator: Arithmetic, left: &Expr, right: &Expr, scope: Scope<'_>) {
        let (before, between) = self.dialect.whole(operator);
        self.push(before);
        if before.is_empty() {
            self.operand(left, scope);
        } else {
            self.expr(left, scope);
        }
        self.push(between);
        match self.dialect.divisor() {
            ("", "") => self.operand(right, scope),
            around => self.around(around, right, scope),
        }
        self.push(if before.is_empty() { "" } else { ")" });
    }

    fn function(&mut self, function: Function, arguments: &[Expr], scope: Scope<'_>) {
        let name = match function {
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
            // MySQL's own `length` counts bytes.
            Function::Length if self.dialect == Dialect::MySql => "char_length(",
            Function::Length => "length(",
            Function::Abs => "abs(",
            Function::Coalesce => "coalesce(",
            Function::NullIf => "nullif(",
            Function::Concat => return self.concat(arguments, scope),
            Function::Cast(to) => return self.cast(to, arguments, scope),
            Function::ToNumber => return self.number(arguments, scope),
            _ => return self.date_function(function, arguments, scope),
        };
        self.push(name);
        self.arguments(arguments, scope);
        self.push(")");
    }

    fn concat(&mut self, texts: &[Expr], scope: Scope<'_>) {
        if texts.is_empty() {
            return self.push("''");
        }
        // To MySQL the operator is an `OR`.
        if self.dialect == Dialect::MySql {
            self.push("concat(");
            self.arguments(texts, scope);
            return self.push(")");
        }
        for (at, text) in texts.iter().enumerate() {
            self.push(if at > 0 { " || " } else { "" });
            self.operand(text, scope);
        }
    }

    fn cast(&mut self, to: CastType, arguments: &[Expr], scope: Scope<'_>) {
        let (before, after) = self.dialect.cast(to);
        self.push(before);
        self.arguments(arguments, scope);
        self.push(after);
    }

    /// A text is looked at first, because a cast of what is no number is 0 here and an error there.
    fn number(&mut self, arguments: &[Expr], scope: Scope<'_>) {
        let (tests, (before, after)) = self.dialect.number_in_text();
        for (at, (first, then)) in tests.iter().enumerate() {
            self.push(if at == 0 { "CASE WHEN " } else { " AND " });
            self.push(first);
            for argument in arguments {
                self.operand(argument, scope);
            }
            self.push(then);
        }
        self.push(" THEN ");
        self.push(before);
        self.arguments(arguments, scope);
        self.push(after);
        self.push(" END");
    }

    pub(super) fn arguments(&mut self, arguments: &[Expr], scope: Scope<'_>) {
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
        Expr::Literal(Value::Real(_))
        | Expr::Aggregate { function: Aggregate::Avg | Aggregate::Percentile(_), .. } => true,
        Expr::Function { function, .. } => matches!(
            function,
            Function::Cast(CastType::Real)
                | Function::ToNumber
                | Function::Elapsed(TimeUnit::Minute | TimeUnit::Hour | TimeUnit::Day)
        ),
        Expr::Arithmetic { operator: Arithmetic::Divide, .. } => true,
        Expr::Arithmetic { left, right, .. } => is_fraction(left) || is_fraction(right),
        _ => false,
    }
}
