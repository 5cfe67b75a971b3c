//! Expressions.

use sqlparser::ast::{
    self as ast, BinaryOperator, DateTimeField, DuplicateTreatment, Expr as Tree, FunctionArg,
    FunctionArgExpr, FunctionArguments, Ident, UnaryOperator,
};

use super::scope::Scope;
use super::{Lifter, literal};
use crate::plan::{Aggregate, Arithmetic, DatePart, Expr, Function};
use crate::schema::Value;
use crate::sql::Dialect;

impl Lifter<'_> {
    pub(super) fn expr(&self, tree: &Tree, scope: &Scope<'_>) -> Option<Expr> {
        match tree {
            Tree::Nested(inner) => self.expr(inner, scope),
            Tree::Identifier(name) => self.identifier(name, scope),
            Tree::CompoundIdentifier(names) => match names.as_slice() {
                [table, column] => scope.qualified(&table.value, &column.value),
                _ => None,
            },
            Tree::Value(value) => literal(&value.value),
            Tree::UnaryOp { op: UnaryOperator::Plus, expr } => self.expr(expr, scope),
            Tree::UnaryOp { op: UnaryOperator::Minus, expr } => match self.expr(expr, scope)? {
                Expr::Literal(Value::Integer(number)) => {
                    Some(Expr::Literal(Value::Integer(number.checked_neg()?)))
                }
                Expr::Literal(Value::Real(number)) => Some(Expr::Literal(Value::Real(-number))),
                _ => None,
            },
            Tree::BinaryOp { left, op, right } => self.arithmetic(left, op, right, scope),
            Tree::Function(function) => self.function(function, scope),
            Tree::Cast { expr, data_type, format: None, .. } => {
                let is_whole = data_type.to_string().to_ascii_uppercase().contains("INT");
                let (part, _, argument) = is_whole.then(|| self.date_text(expr, scope)).flatten()?;
                Some(Expr::Function { function: Function::Extract(part), arguments: vec![argument] })
            }
            Tree::Extract { field, expr, .. } => {
                let part = match field {
                    DateTimeField::Year | DateTimeField::Years => DatePart::Year,
                    DateTimeField::Quarter => DatePart::Quarter,
                    DateTimeField::Month | DateTimeField::Months => DatePart::Month,
                    DateTimeField::Day | DateTimeField::Days => DatePart::Day,
                    DateTimeField::Hour | DateTimeField::Hours => DatePart::Hour,
                    _ => return None,
                };
                Some(Expr::Function {
                    function: Function::Extract(part),
                    arguments: vec![self.expr(expr, scope)?],
                })
            }
            Tree::Subquery(query) => Some(Expr::Query(Box::new(self.query(query, Some(scope))?))),
            _ => None,
        }
    }

    fn identifier(&self, name: &Ident, scope: &Scope<'_>) -> Option<Expr> {
        scope.bare(&name.value).or_else(|| {
            // What is no column is a text to SQLite, in double quotes, and people write it so.
            let is_text =
                self.dialect == Dialect::Sqlite && name.quote_style == Some('"') && !scope.knows(&name.value);
            is_text.then(|| Expr::Literal(Value::Text(name.value.clone())))
        })
    }

    fn arithmetic(
        &self,
        left: &Tree,
        operator: &BinaryOperator,
        right: &Tree,
        scope: &Scope<'_>,
    ) -> Option<Expr> {
        let operator = match operator {
            BinaryOperator::Plus => Arithmetic::Add,
            BinaryOperator::Minus => Arithmetic::Subtract,
            BinaryOperator::Multiply => Arithmetic::Multiply,
            BinaryOperator::Divide => Arithmetic::Divide,
            _ => return None,
        };
        let mut keeps_fraction = self.dialect == Dialect::BigQuery;
        let mut side = |tree: &Tree| -> Option<Expr> {
            if operator == Arithmetic::Divide
                && let Some(inner) = cast_to_fraction(tree)
            {
                keeps_fraction = true;
                return self.expr(inner, scope);
            }
            let expr = self.expr(tree, scope)?;
            keeps_fraction |= self.is_fraction(&expr, scope);
            Some(expr)
        };
        let (left, right) = (side(left)?, side(right)?);
        // Whole numbers divide to a whole number, which the plan cannot say.
        if operator == Arithmetic::Divide && !keeps_fraction {
            return None;
        }
        Some(Expr::Arithmetic { operator, left: Box::new(left), right: Box::new(right) })
    }

    /// True where a value is never a whole number by type.
    fn is_fraction(&self, expr: &Expr, scope: &Scope<'_>) -> bool {
        match expr {
            Expr::Literal(Value::Real(_)) | Expr::Aggregate { function: Aggregate::Avg, .. } => true,
            Expr::Column(column) => {
                let column = scope.table_of(column).and_then(|table| table.column(&column.column));
                column.is_some_and(|column| {
                    let declared = column.declared_type.to_ascii_uppercase();
                    let has = |part: &str| declared.contains(part);
                    let exact = self.dialect != Dialect::Sqlite && (has("NUMERIC") || has("DECIMAL"));
                    !has("INT") && (exact || has("REAL") || has("FLOA") || has("DOUB"))
                })
            }
            Expr::Aggregate {
                function: Aggregate::Sum | Aggregate::Min | Aggregate::Max, argument, ..
            } => self.is_fraction(argument, scope),
            Expr::Arithmetic { operator: Arithmetic::Divide, .. } => true,
            Expr::Arithmetic { left, right, .. } => {
                self.is_fraction(left, scope) || self.is_fraction(right, scope)
            }
            _ => false,
        }
    }

    fn function(&self, function: &ast::Function, scope: &Scope<'_>) -> Option<Expr> {
        let (name, arguments, distinct) = call(function)?;
        let aggregate = match (name.as_str(), arguments.as_slice()) {
            ("count", [FunctionArgExpr::Wildcard]) if !distinct => return Some(Expr::count_all()),
            ("count", [_]) => Some(Aggregate::Count),
            ("sum", [_]) => Some(Aggregate::Sum),
            ("avg", [_]) => Some(Aggregate::Avg),
            ("min", [_]) => Some(Aggregate::Min),
            ("max", [_]) => Some(Aggregate::Max),
            _ => None,
        };
        let mut lifted = Vec::with_capacity(arguments.len());
        for argument in &arguments {
            let FunctionArgExpr::Expr(argument) = argument else { return None };
            lifted.push(self.expr(argument, scope)?);
        }
        if let Some(aggregate) = aggregate {
            return Some(Expr::Aggregate {
                function: aggregate,
                distinct,
                argument: Box::new(lifted.pop()?),
            });
        }
        let function = match (name.as_str(), lifted.len()) {
            _ if distinct => return None,
            ("lower", 1) => Function::Lower,
            ("upper", 1) => Function::Upper,
            ("length", 1) => Function::Length,
            ("abs", 1) => Function::Abs,
            ("round", 1 | 2) => Function::Round,
            ("coalesce", 2..) | ("ifnull", 2) => Function::Coalesce,
            _ => return None,
        };
        Some(Expr::Function { function, arguments: lifted })
    }

    /// A part of a date as text: which part, how many digits it has, and of what.
    pub(super) fn date_text(&self, tree: &Tree, scope: &Scope<'_>) -> Option<(DatePart, usize, Expr)> {
        let function = match tree {
            Tree::Nested(inner) => return self.date_text(inner, scope),
            Tree::Function(function) if self.dialect == Dialect::Sqlite => function,
            _ => return None,
        };
        let (name, arguments, false) = call(function)? else { return None };
        let [FunctionArgExpr::Expr(format), FunctionArgExpr::Expr(argument)] = arguments.as_slice() else {
            return None;
        };
        let Expr::Literal(Value::Text(format)) = self.expr(format, scope)? else { return None };
        let (part, width) = match (name.as_str(), format.as_str()) {
            ("strftime", "%Y") => (DatePart::Year, 4),
            ("strftime", "%m") => (DatePart::Month, 2),
            ("strftime", "%d") => (DatePart::Day, 2),
            ("strftime", "%w") => (DatePart::Weekday, 1),
            ("strftime", "%H") => (DatePart::Hour, 2),
            _ => return None,
        };
        Some((part, width, self.expr(argument, scope)?))
    }
}

type Call<'a> = (String, Vec<&'a FunctionArgExpr>, bool);

/// A plain call: its name in lower case, its arguments, and whether equal values count once.
fn call(function: &ast::Function) -> Option<Call<'_>> {
    let ast::Function { name, args, filter: None, null_treatment: None, over: None, within_group, .. } =
        function
    else {
        return None;
    };
    let FunctionArguments::List(list) = args else { return None };
    if !within_group.is_empty() || !list.clauses.is_empty() {
        return None;
    }
    let arguments = list.args.iter().map(unnamed).collect::<Option<Vec<_>>>()?;
    let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
    Some((name.to_string().to_ascii_lowercase(), arguments, distinct))
}

fn unnamed(argument: &FunctionArg) -> Option<&FunctionArgExpr> {
    match argument {
        FunctionArg::Unnamed(argument) => Some(argument),
        FunctionArg::Named { .. } | FunctionArg::ExprNamed { .. } => None,
    }
}

/// What is cast to a floating-point number, if the expression is such a cast.
fn cast_to_fraction(tree: &Tree) -> Option<&Tree> {
    match tree {
        Tree::Nested(inner) => cast_to_fraction(inner),
        Tree::Cast { expr, data_type, format: None, .. } => {
            let name = data_type.to_string().to_ascii_uppercase();
            ["REAL", "FLOAT", "DOUBLE"].iter().any(|fraction| name.starts_with(fraction)).then_some(expr)
        }
        _ => None,
    }
}
