//! Calls of functions.

use sqlparser::ast::{
    self as ast, DuplicateTreatment, Expr as Tree, FunctionArg, FunctionArgExpr, FunctionArguments,
};

use super::Lifter;
use super::dates::number_in;
use super::idioms::{bare, type_name};
use super::kind::Kind;
use super::scope::Scope;
use crate::plan::{Aggregate, Arithmetic, Expr, Function};
use crate::schema::Value;
use crate::sql::Dialect;

/// A call: its name in lower case, its arguments, and whether equal values count once.
pub(super) type Call<'a> = (String, Vec<&'a FunctionArgExpr>, bool);

impl Lifter<'_> {
    pub(super) fn function(&self, function: &ast::Function, scope: &Scope<'_>) -> Option<Expr> {
        if !function.within_group.is_empty() {
            return self.percentile(function, scope);
        }
        let call = any_call(function)?;
        if let Some(over) = &function.over {
            return function.filter.is_none().then(|| self.windowed(call, over, scope)).flatten();
        }
        let (name, arguments, distinct) = call;
        if let Some(aggregate) =
            self.aggregate(&name, &arguments, distinct, function.filter.as_deref(), scope)
        {
            return Some(aggregate);
        }
        if distinct || function.filter.is_some() {
            return None;
        }
        let trees = arguments.iter().map(|argument| match argument {
            FunctionArgExpr::Expr(tree) => Some(tree),
            _ => None,
        });
        let trees = trees.collect::<Option<Vec<_>>>()?;
        match (name.as_str(), trees.as_slice()) {
            ("iif" | "if", [when, then, otherwise]) => {
                let when = self.condition(when, scope)?;
                let otherwise = self.expr(otherwise, scope)?;
                return Some(Expr::case(vec![(when, self.expr(then, scope)?)], Some(otherwise)));
            }
            ("iif" | "if", [when, then]) => {
                return Some(Expr::only_where(self.condition(when, scope)?, self.expr(then, scope)?));
            }
            ("div" | "mod" | "safe_divide", [left, right]) => {
                let (left, right) = (self.expr(left, scope)?, self.divisor(right, scope)?);
                let operator = match name.as_str() {
                    "div" => Arithmetic::DivideWhole,
                    "mod" => Arithmetic::Remainder,
                    _ => Arithmetic::Divide,
                };
                return Some(Expr::arithmetic(operator, left, right));
            }
            ("round", [number, digits @ ..]) => {
                let digits = digits.iter().map(|tree| self.expr(tree, scope));
                let number = std::iter::once(self.expr(without_exactness(number), scope));
                let arguments = number.chain(digits).collect::<Option<Vec<_>>>()?;
                return (arguments.len() < 3).then(|| Expr::function(Function::Round, arguments));
            }
            _ => {}
        }
        let lifted = trees.into_iter().map(|tree| self.expr(tree, scope)).collect::<Option<Vec<_>>>()?;
        // Digits that are a number now are no text to work on.
        if lifted.iter().any(|argument| matches!(self.kind(argument, scope), Kind::Digits(_))) {
            return None;
        }
        let function = match (name.as_str(), lifted.len()) {
            ("lower", 1) => Function::Lower,
            ("upper", 1) => Function::Upper,
            // MySQL counts bytes.
            ("length", 1) if self.dialect != Dialect::MySql => Function::Length,
            ("char_length" | "character_length", 1) => Function::Length,
            ("abs", 1) => Function::Abs,
            ("coalesce", 2..) | ("ifnull", 2) => Function::Coalesce,
            ("nullif", 2) => Function::NullIf,
            // Elsewhere it leaves out what is missing.
            ("concat", 1..) if matches!(self.dialect, Dialect::BigQuery | Dialect::MySql) => Function::Concat,
            _ => return None,
        };
        Some(Expr::Function { function, arguments: lifted })
    }

    fn aggregate(
        &self,
        name: &str,
        arguments: &[&FunctionArgExpr],
        distinct: bool,
        filter: Option<&Tree>,
        scope: &Scope<'_>,
    ) -> Option<Expr> {
        let filter = filter.map_or(Some(None), |filter| self.condition(filter, scope).map(Some))?;
        let (function, argument) = match (name, arguments) {
            ("count", [FunctionArgExpr::Wildcard]) if !distinct => (Aggregate::Count, Expr::All(None)),
            ("countif", [FunctionArgExpr::Expr(tree)]) if !distinct && filter.is_none() => {
                return Some(Expr::count_where(self.condition(tree, scope)?));
            }
            (name, [FunctionArgExpr::Expr(tree)]) => (aggregate_named(name)?, self.shown(tree, scope)?),
            _ => return None,
        };
        let argument = match (filter, argument) {
            (Some(filter), Expr::All(_)) => Expr::only_where(filter, Expr::literal(1)),
            (Some(filter), argument) => Expr::only_where(filter, argument),
            (None, argument) => argument,
        };
        Some(Expr::Aggregate { function, distinct, argument: Box::new(argument) })
    }

    /// `percentile_cont(0.5) WITHIN GROUP (ORDER BY total)`.
    fn percentile(&self, function: &ast::Function, scope: &Scope<'_>) -> Option<Expr> {
        let [key] = function.within_group.as_slice() else { return None };
        let FunctionArguments::List(list) = &function.args else { return None };
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(share))] = list.args.as_slice() else { return None };
        let is_plain = function.filter.is_none() && function.over.is_none();
        let ascends = matches!(key.options.sort, None | Some(ast::OrderBySort::Asc))
            && key.options.nulls_first.is_none();
        let percent = number_in(share)?.parse::<f64>().ok()? * 100.0;
        if !is_plain
            || !ascends
            || !(0.0..=100.0).contains(&percent)
            || (percent - percent.round()).abs() > 1e-9
        {
            return None;
        }
        let percent = (0..=100_u8).find(|whole| (f64::from(*whole) - percent).abs() < 1e-6)?;
        let function = match function.name.to_string().to_ascii_lowercase().as_str() {
            "percentile_cont" => Aggregate::Percentile(percent),
            "percentile_disc" => Aggregate::PercentileValue(percent),
            _ => return None,
        };
        Some(Expr::aggregate(function, self.expr(&key.expr, scope)?))
    }

    /// A divisor, which is NULL in every plan where it is zero.
    pub(super) fn divisor(&self, tree: &Tree, scope: &Scope<'_>) -> Option<Expr> {
        match self.expr(tree, scope)? {
            Expr::Function { function: Function::NullIf, mut arguments }
                if arguments.get(1) == Some(&Expr::Literal(Value::Integer(0))) =>
            {
                Some(arguments.swap_remove(0))
            }
            other => Some(other),
        }
    }
}

/// An aggregate of one argument by its name.
pub(super) fn aggregate_named(name: &str) -> Option<Aggregate> {
    Some(match name {
        "count" => Aggregate::Count,
        "sum" => Aggregate::Sum,
        "avg" => Aggregate::Avg,
        "min" => Aggregate::Min,
        "max" => Aggregate::Max,
        "median" => Aggregate::MEDIAN,
        "stddev_samp" | "stddev" => Aggregate::Deviation,
        "var_samp" | "variance" => Aggregate::Variance,
        _ => return None,
    })
}

/// What is cast to an exact number only because PostgreSQL rounds nothing else to decimals.
fn without_exactness(tree: &Tree) -> &Tree {
    match bare(tree) {
        Tree::Cast { expr, data_type, .. } if type_name(data_type) == "numeric" => expr,
        _ => tree,
    }
}

/// A plain call, over no window and of no part of the rows.
pub(super) fn call(function: &ast::Function) -> Option<Call<'_>> {
    let is_plain = function.filter.is_none() && function.over.is_none() && function.within_group.is_empty();
    is_plain.then(|| any_call(function)).flatten()
}

fn any_call(function: &ast::Function) -> Option<Call<'_>> {
    let ast::Function { name, args: FunctionArguments::List(list), null_treatment: None, .. } = function
    else {
        return None;
    };
    if !list.clauses.is_empty() {
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
