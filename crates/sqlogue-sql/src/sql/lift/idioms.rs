//! Idioms: SQL that says with several functions what the plan language says with one.
//!
//! An idiom is a piece of SQL in which `arg_0`, `arg_1` stand for any expression. What the renderer writes for a function
//! of the plan language is one by itself, so that everything rendered is lifted again; the lines of `idiom_lines` add what
//! people write otherwise.

use std::sync::LazyLock;

use sqlparser::ast::{
    BinaryOperator, DataType, Expr as Tree, Function as Call, FunctionArg, FunctionArgExpr,
    FunctionArguments, Ident, SelectItem, SetExpr, Value as Literal,
};

use super::Lifter;
use super::idiom_lines::{Meaning, lines};
use super::scope::Scope;
use crate::plan::{CastType, DatePart, DateUnit, EpochUnit, Expr, Function, QueryPlan, Select, TimeUnit};
use crate::sql::{Dialect, guard, render};

enum Means {
    Function(Function),
    Other(Meaning),
}

struct Idiom {
    tree: Tree,
    means: Means,
}

/// The functions that no dialect has by one plain name, with the number of their arguments.
const WRITTEN_OUT: &[(Function, usize)] = &[
    (Function::Extract(DatePart::Year), 1),
    (Function::Extract(DatePart::Quarter), 1),
    (Function::Extract(DatePart::Month), 1),
    (Function::Extract(DatePart::Week), 1),
    (Function::Extract(DatePart::Day), 1),
    (Function::Extract(DatePart::DayOfYear), 1),
    (Function::Extract(DatePart::Weekday), 1),
    (Function::Extract(DatePart::Hour), 1),
    (Function::Extract(DatePart::Minute), 1),
    (Function::Truncate(DateUnit::Hour), 1),
    (Function::Truncate(DateUnit::Week), 1),
    (Function::Truncate(DateUnit::Month), 1),
    (Function::Truncate(DateUnit::Quarter), 1),
    (Function::Truncate(DateUnit::Year), 1),
    (Function::Label(DateUnit::Month), 1),
    (Function::Label(DateUnit::Quarter), 1),
    (Function::Label(DateUnit::Year), 1),
    (Function::WeekdayName, 1),
    (Function::MonthName, 1),
    (Function::Elapsed(TimeUnit::Second), 2),
    (Function::Elapsed(TimeUnit::Minute), 2),
    (Function::Elapsed(TimeUnit::Hour), 2),
    (Function::Elapsed(TimeUnit::Day), 2),
    (Function::Elapsed(TimeUnit::Month), 2),
    (Function::Elapsed(TimeUnit::Year), 2),
    // Before seconds, which a thousandth of milliseconds are, and before what moves a time, because MySQL moves 1970.
    (Function::FromEpoch(EpochUnit::Millisecond), 1),
    (Function::FromEpoch(EpochUnit::Second), 1),
    (Function::Shift(TimeUnit::Second), 2),
    (Function::Shift(TimeUnit::Minute), 2),
    (Function::Shift(TimeUnit::Hour), 2),
    (Function::Shift(TimeUnit::Day), 2),
    // Before months, which twelve times the years are.
    (Function::Shift(TimeUnit::Year), 2),
    (Function::Shift(TimeUnit::Month), 2),
    (Function::FromDateKey, 1),
    (Function::Cast(CastType::Integer), 1),
    (Function::ToNumber, 1),
];

fn idioms(dialect: Dialect) -> &'static [Idiom] {
    static IDIOMS: LazyLock<[Vec<Idiom>; 5]> = LazyLock::new(|| Dialect::ALL.map(read));
    let [sqlite, postgres, bigquery, mysql, duckdb] = &*IDIOMS;
    match dialect {
        Dialect::Sqlite => sqlite,
        Dialect::Postgres => postgres,
        Dialect::BigQuery => bigquery,
        Dialect::MySql => mysql,
        Dialect::DuckDb => duckdb,
    }
}

fn read(dialect: Dialect) -> Vec<Idiom> {
    let own = WRITTEN_OUT.iter().filter_map(|(function, count)| {
        let arguments = (0..*count).map(|at| Expr::column("", format!("arg_{at}"))).collect();
        let expr = Expr::function(*function, arguments);
        let tree = parsed(&render(&QueryPlan::from(Select::from_table("t").project(expr)), dialect), dialect);
        Some(Idiom { tree: tree?, means: Means::Function(*function) })
    });
    let written = |sql: &str| parsed(&format!("SELECT {sql} FROM t"), dialect);
    let (functions, others) = lines(dialect);
    let functions = functions
        .iter()
        .filter_map(|(sql, function)| Some(Idiom { tree: written(sql)?, means: Means::Function(*function) }));
    let others = others
        .iter()
        .filter_map(|(sql, meaning)| Some(Idiom { tree: written(sql)?, means: Means::Other(*meaning) }));
    own.chain(functions).chain(others).collect()
}

/// The first expression that a statement returns.
fn parsed(sql: &str, dialect: Dialect) -> Option<Tree> {
    let checked = guard::check(sql, dialect).ok()?;
    let SetExpr::Select(select) = checked.tree().body.as_ref() else { return None };
    match select.projection.first() {
        Some(SelectItem::UnnamedExpr(tree)) => Some(tree.clone()),
        _ => None,
    }
}

impl Lifter<'_> {
    /// The meaning of an expression that is an idiom.
    pub(super) fn idiom(&self, tree: &Tree, scope: &Scope<'_>) -> Option<Expr> {
        // A name or a constant alone is none, and most expressions are these.
        if matches!(tree, Tree::Identifier(_) | Tree::CompoundIdentifier(_) | Tree::Value(_)) {
            return None;
        }
        idioms(self.dialect).iter().find_map(|idiom| {
            let mut found = [Vec::new(), Vec::new()];
            if !self.matches(&idiom.tree, tree, &mut found) {
                return None;
            }
            let mut arguments = Vec::new();
            for trees in found.iter().filter(|trees| !trees.is_empty()) {
                let (first, others) = trees.split_first()?;
                let argument = self.expr(first, scope)?;
                // An argument that comes twice is the same both times, if not in its spelling.
                let is_same =
                    |other: &&Tree| other == first || self.expr(other, scope).as_ref() == Some(&argument);
                if !others.iter().all(is_same) {
                    return None;
                }
                arguments.push(argument);
            }
            Some(match &idiom.means {
                Means::Function(function) => Expr::function(*function, arguments),
                Means::Other(meaning) => meaning(arguments),
            })
        })
    }

    fn matches<'t>(&self, idiom: &Tree, tree: &'t Tree, found: &mut [Vec<&'t Tree>; 2]) -> bool {
        if let Some(place) = argument(idiom).and_then(|at| found.get_mut(at)) {
            place.push(bare(tree));
            return true;
        }
        match (bare(idiom), bare(tree)) {
            // What a type makes sure of is often sure without it; MySQL's functions take what has a time of day as well.
            (Tree::Cast { expr, data_type, .. }, other)
                if argument(expr).is_some()
                    && is_date(data_type)
                    && !matches!(self.dialect, Dialect::Sqlite | Dialect::MySql) =>
            {
                let inner = match other {
                    Tree::Cast { expr, data_type: own, .. } if type_name(own) == type_name(data_type) => expr,
                    _ => other,
                };
                self.matches(expr, inner, found)
            }
            (Tree::Cast { expr, data_type, .. }, Tree::Cast { expr: other, data_type: own, .. }) => {
                type_name(data_type) == type_name(own) && self.matches(expr, other, found)
            }
            (Tree::Function(call), Tree::Function(other)) => self.call_matches(call, other, found),
            (
                Tree::BinaryOp { left, op, right },
                Tree::BinaryOp { left: other_left, op: other_op, right: other_right },
            ) => {
                op == other_op
                    && self.matches(left, other_left, found)
                    && self.matches(right, other_right, found)
            }
            (Tree::UnaryOp { op, expr }, Tree::UnaryOp { op: other_op, expr: other }) => {
                op == other_op && self.matches(expr, other, found)
            }
            (Tree::Extract { field, expr, .. }, Tree::Extract { field: own, expr: other, .. }) => {
                field.to_string().eq_ignore_ascii_case(&own.to_string()) && self.matches(expr, other, found)
            }
            (
                Tree::AtTimeZone { timestamp, time_zone },
                Tree::AtTimeZone { timestamp: other, time_zone: own },
            ) => self.matches(timestamp, other, found) && self.matches(time_zone, own, found),
            (Tree::Interval(interval), Tree::Interval(other)) => {
                interval.leading_field == other.leading_field
                    && self.matches(&interval.value, &other.value, found)
            }
            (Tree::Case { .. }, Tree::Case { .. }) => self.case_matches(idiom, tree, found),
            (
                Tree::RLike { negated: false, expr, pattern, .. },
                Tree::RLike { negated: false, expr: other, pattern: own, .. },
            ) => self.matches(expr, other, found) && self.matches(pattern, own, found),
            (
                Tree::Substring { expr, substring_from: Some(from), substring_for: Some(length), .. },
                Tree::Substring {
                    expr: other,
                    substring_from: Some(own),
                    substring_for: Some(own_length),
                    ..
                },
            ) => {
                self.matches(expr, other, found)
                    && self.matches(from, own, found)
                    && self.matches(length, own_length, found)
            }
            (Tree::Identifier(name), Tree::Identifier(other)) => {
                name.value.eq_ignore_ascii_case(&other.value)
            }
            (Tree::Value(value), Tree::Value(other)) => match (&value.value, &other.value) {
                // Where whole numbers do not divide to whole numbers, a number is what it is worth.
                (Literal::Number(one, _), Literal::Number(other, _)) if self.dialect != Dialect::Sqlite => {
                    one.parse::<f64>().ok() == other.parse::<f64>().ok()
                }
                (one, other) => one == other,
            },
            _ => false,
        }
    }

    fn call_matches<'t>(&self, call: &Call, other: &'t Call, found: &mut [Vec<&'t Tree>; 2]) -> bool {
        let is_plain = other.filter.is_none() && other.over.is_none() && other.within_group.is_empty();
        if !is_plain || !call.name.to_string().eq_ignore_ascii_case(&other.name.to_string()) {
            return false;
        }
        let (FunctionArguments::List(list), FunctionArguments::List(own)) = (&call.args, &other.args) else {
            return false;
        };
        list.args.len() == own.args.len()
            && own.duplicate_treatment.is_none()
            && own.clauses.is_empty()
            && list.args.iter().zip(&own.args).all(|pair| match pair {
                (
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(one)),
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(other)),
                ) => self.matches(one, other, found),
                _ => false,
            })
    }

    fn case_matches<'t>(&self, idiom: &Tree, tree: &'t Tree, found: &mut [Vec<&'t Tree>; 2]) -> bool {
        let (
            Tree::Case { operand, conditions, else_result, .. },
            Tree::Case { operand: own_operand, conditions: own_conditions, else_result: own_else, .. },
        ) = (bare(idiom), bare(tree))
        else {
            return false;
        };
        let both =
            |one: &Option<Box<Tree>>, other: &'t Option<Box<Tree>>, found: &mut [Vec<&'t Tree>; 2]| match (
                one, other,
            ) {
                (None, None) => true,
                (Some(one), Some(other)) => self.matches(one, other, found),
                _ => false,
            };
        both(operand, own_operand, found)
            && conditions.len() == own_conditions.len()
            && conditions.iter().zip(own_conditions).all(|(one, other)| {
                self.matches(&one.condition, &other.condition, found)
                    && self.matches(&one.result, &other.result, found)
            })
            && both(else_result, own_else, found)
    }
}

/// Which argument a name in an idiom stands for.
fn argument(tree: &Tree) -> Option<usize> {
    match bare(tree) {
        Tree::Identifier(Ident { value, .. }) => value.strip_prefix("arg_")?.parse().ok(),
        _ => None,
    }
}

/// What is in parentheses.
pub(super) fn bare(tree: &Tree) -> &Tree {
    match tree {
        Tree::Nested(inner) => bare(inner),
        _ => tree,
    }
}

/// What a type is called by all who mean the same.
pub(super) fn type_name(data_type: &DataType) -> &'static str {
    let name = data_type.to_string().to_ascii_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    match name.as_str() {
        "date" => "date",
        _ if begins(&["timestamp", "datetime"]) => "timestamp",
        // Before the whole numbers, because an interval begins as they do.
        _ if begins(&["interval"]) => "interval",
        _ if begins(&["int", "bigint", "smallint", "tinyint", "mediumint"]) => "integer",
        _ if begins(&["real", "float", "double"]) => "real",
        _ if begins(&["text", "varchar", "char", "string", "nvarchar"]) => "text",
        _ if begins(&["numeric", "decimal", "bignumeric"]) => "numeric",
        _ => "other",
    }
}

fn is_date(data_type: &DataType) -> bool {
    matches!(type_name(data_type), "date" | "timestamp")
}

/// The operands of a chain of one operator that leans to the left, from left to right.
pub(super) fn chain<'t>(tree: &'t Tree, operator: &BinaryOperator) -> Vec<&'t Tree> {
    let mut operands = Vec::new();
    let mut rest = bare(tree);
    while let Tree::BinaryOp { left, op, right } = rest
        && op == operator
    {
        operands.push(bare(right));
        rest = bare(left);
    }
    operands.push(rest);
    operands.reverse();
    operands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_can_be_read() {
        for dialect in Dialect::ALL {
            let (functions, others) = lines(dialect);
            let written = functions.iter().map(|line| line.0).chain(others.iter().map(|line| line.0));
            for sql in written {
                assert!(guard::check(&format!("SELECT {sql} FROM t"), dialect).is_ok(), "{dialect}: {sql}");
            }
            let expected = WRITTEN_OUT.len() + functions.len() + others.len();
            assert_eq!(idioms(dialect).len(), expected, "{dialect}");
        }
    }
}
