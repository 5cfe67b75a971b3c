//! What kind of value an expression gives, as far as its meaning hangs on it.

use super::Lifter;
use super::scope::Scope;
use crate::plan::{
    Aggregate, Arithmetic, CastType, DateUnit, Expr, Function, QueryPlan, TimeUnit, WindowFunction,
};
use crate::schema::{Column, ColumnType, Value};
use crate::sql::Dialect;

/// A kind of value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// A whole number by type.
    Whole,
    /// A number that is never whole by type.
    Fraction,
    /// A calendar day by type.
    Day,
    /// A part of a date that the SQL has as a text of so many digits, and the plan as a number.
    Digits(usize),
    /// Any other, or not known.
    #[default]
    Other,
}

impl Lifter<'_> {
    pub(super) fn kind(&self, expr: &Expr, scope: &Scope<'_>) -> Kind {
        let all = |parts: &[&Expr], kind| parts.iter().all(|part| self.kind(part, scope) == kind);
        match expr {
            Expr::Column(column) => scope.kind_of(column, self.dialect),
            Expr::Literal(Value::Integer(_)) | Expr::Test(_) => Kind::Whole,
            Expr::Literal(Value::Real(_)) => Kind::Fraction,
            Expr::Aggregate { function, argument, .. } => self.summary_kind(*function, argument, scope),
            Expr::Arithmetic { operator: Arithmetic::Divide, .. } => Kind::Fraction,
            Expr::Arithmetic { left, right, .. } => {
                let sides = [self.kind(left, scope), self.kind(right, scope)];
                if sides.contains(&Kind::Fraction) {
                    Kind::Fraction
                } else if sides == [Kind::Whole, Kind::Whole] {
                    Kind::Whole
                } else {
                    Kind::Other
                }
            }
            Expr::Function { function, arguments } => self.call_kind(*function, arguments, scope),
            Expr::Case { branches, otherwise } => {
                let values: Vec<&Expr> =
                    branches.iter().map(|branch| &branch.then).chain(otherwise.as_deref()).collect();
                let kinds = [Kind::Whole, Kind::Fraction, Kind::Day];
                kinds.into_iter().find(|kind| all(&values, *kind)).unwrap_or_default()
            }
            Expr::Window(window) => match (window.function, window.arguments.first()) {
                (WindowFunction::CumulativeShare, _) => Kind::Fraction,
                (WindowFunction::Aggregate(function), Some(argument)) => {
                    self.summary_kind(function, argument, scope)
                }
                (_, Some(argument)) => self.kind(argument, scope),
                (_, None) => Kind::Whole,
            },
            Expr::Query(query) => self.only_kind(query),
            Expr::All(_) | Expr::Literal(_) => Kind::Other,
        }
    }

    fn summary_kind(&self, function: Aggregate, argument: &Expr, scope: &Scope<'_>) -> Kind {
        match function {
            Aggregate::Count => Kind::Whole,
            Aggregate::Avg | Aggregate::Percentile(_) | Aggregate::Deviation | Aggregate::Variance => {
                Kind::Fraction
            }
            Aggregate::Sum | Aggregate::Min | Aggregate::Max | Aggregate::PercentileValue(_) => {
                self.kind(argument, scope)
            }
        }
    }

    fn call_kind(&self, function: Function, arguments: &[Expr], scope: &Scope<'_>) -> Kind {
        match function {
            Function::Length
            | Function::Extract(_)
            | Function::Elapsed(TimeUnit::Month | TimeUnit::Year)
            | Function::Cast(CastType::Integer) => Kind::Whole,
            Function::Elapsed(TimeUnit::Second) if self.dialect == Dialect::Sqlite => Kind::Whole,
            Function::Elapsed(_) | Function::Cast(CastType::Real) | Function::ToNumber => Kind::Fraction,
            Function::Truncate(unit) if unit != DateUnit::Hour => Kind::Day,
            Function::FromDateKey | Function::Shift(TimeUnit::Day | TimeUnit::Month | TimeUnit::Year) => {
                Kind::Day
            }
            Function::Round if self.dialect == Dialect::Sqlite => Kind::Fraction,
            Function::Abs | Function::NullIf | Function::Round => {
                arguments.first().map(|first| self.kind(first, scope)).unwrap_or_default()
            }
            Function::Coalesce => {
                let mut kinds = arguments.iter().map(|argument| self.kind(argument, scope));
                let first = kinds.next().unwrap_or_default();
                if kinds.all(|kind| kind == first) { first } else { Kind::Other }
            }
            _ => Kind::Other,
        }
    }

    /// The kind of what a nested query of one column returns, as far as it shows without its names.
    fn only_kind(&self, query: &QueryPlan) -> Kind {
        match query.select.projection.as_slice() {
            [shown] => match &shown.expr {
                Expr::Aggregate { function: Aggregate::Count, .. } => Kind::Whole,
                Expr::Aggregate { function: Aggregate::Avg, .. } => Kind::Fraction,
                Expr::Aggregate { argument, .. } => match &**argument {
                    Expr::Column(column) => query
                        .table_in_use(&column.table)
                        .and_then(|table| self.schema.table(table)?.column(&column.column))
                        .map(|column| column_kind(column, self.dialect))
                        .unwrap_or_default(),
                    _ => Kind::Other,
                },
                _ => Kind::Other,
            },
            _ => Kind::Other,
        }
    }
}

/// The kind of a column by its type.
pub(super) fn column_kind(column: &Column, dialect: Dialect) -> Kind {
    let declared = column.declared_type.to_ascii_uppercase();
    let has = |part: &str| declared.contains(part);
    let exact = dialect != Dialect::Sqlite && (has("NUMERIC") || has("DECIMAL"));
    if has("INT") && !has("INTERVAL") && !has("POINT") {
        Kind::Whole
    } else if exact || has("REAL") || has("FLOA") || has("DOUB") {
        Kind::Fraction
    } else if column.column_type == ColumnType::Date && dialect != Dialect::Sqlite {
        Kind::Day
    } else {
        Kind::Other
    }
}
