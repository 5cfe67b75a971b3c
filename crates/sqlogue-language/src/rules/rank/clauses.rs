//! The clauses of a plan by name: what [`super::Wording`] compares the words of a question with.

use std::collections::BTreeSet;

use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::Knowledge;
use sqlogue_sql::plan::{
    Aggregate, Comparison, Condition, Direction, Expr, Function, JoinKind, QueryPlan, Select, SetOperator,
    WindowFunction,
};

/// A number above this is as good as this.
const MANY: usize = 4;

/// What a plan does, each thing once and in words: `shows count of rows`, `sorts by a summary, down, first`, `has not in`.
/// The names of tables, columns and values are not among them, so what is learnt of one database holds for others.
pub fn clauses(plan: &QueryPlan, knowledge: &Knowledge) -> Vec<String> {
    let mut found = BTreeSet::new();
    arrangement(plan, &mut found);
    shown(plan, knowledge, &mut found);
    let mut counts = Counts::default();
    within(plan, &mut counts, &mut found);
    found.insert(format!("{} joins", counts.joins.min(MANY)));
    found.insert(format!("{} queries", counts.queries.min(MANY)));
    found.into_iter().collect()
}

/// What becomes of the clauses of a plan: those that are new with a `+`, those that are gone with a `-`.
pub fn clause_changes(before: &[String], after: &[String]) -> Vec<String> {
    let new = after.iter().filter(|clause| !before.contains(clause)).map(|clause| format!("+{clause}"));
    let gone = before.iter().filter(|clause| !after.contains(clause)).map(|clause| format!("-{clause}"));
    new.chain(gone).collect()
}

#[derive(Default)]
struct Counts {
    joins: usize,
    queries: usize,
}

/// How the outermost query is arranged.
fn arrangement(plan: &QueryPlan, found: &mut BTreeSet<String>) {
    let select = &plan.select;
    let mut add = |clause: &str| found.insert(clause.to_owned());
    if select.distinct {
        add("each once");
    }
    add(if select.filter.is_some() { "restricts" } else { "restricts nothing" });
    if select.having.is_some() {
        add("restricts groups");
    }
    if !select.group_by.is_empty() {
        add(&format!("groups by {}", select.group_by.len().min(MANY)));
    }
    let cut = match plan.limit {
        None => "all",
        Some(1) => "one",
        Some(_) => "some",
    };
    if let Some(order) = plan.order_by.first() {
        let what = if order.expr.is_aggregate() { "a summary" } else { "a value" };
        let direction = if order.direction == Direction::Descending { "down" } else { "up" };
        add(&format!("sorts by {what}, {direction}, {cut}"));
    }
    if plan.limit.is_some() {
        add(&format!("takes {cut}"));
    }
    for operation in &plan.set_operations {
        add(match operation.operator {
            SetOperator::Union | SetOperator::UnionAll => "either of two",
            SetOperator::Intersect => "both of two",
            SetOperator::Except => "one without the other",
        });
    }
}

/// What the outermost query shows.
fn shown(plan: &QueryPlan, knowledge: &Knowledge, found: &mut BTreeSet<String>) {
    let kinds: Vec<&str> =
        plan.select.projection.iter().map(|shown| kind(&shown.expr, plan, knowledge)).collect();
    found.insert(format!("shows {}", kinds.len().min(MANY)));
    if let Some(first) = kinds.first() {
        found.insert(format!("shows {first} first"));
    }
    found.extend(kinds.iter().map(|kind| format!("shows {kind}")));
    let different: BTreeSet<&str> = kinds.into_iter().collect();
    found.insert(format!("shows only {}", different.into_iter().collect::<Vec<_>>().join(" and ")));
}

/// What kind of thing an expression is.
fn kind(expr: &Expr, plan: &QueryPlan, knowledge: &Knowledge) -> &'static str {
    match expr {
        Expr::All(_) => "all columns",
        Expr::Aggregate { function: Aggregate::Count, argument, distinct } => match (&**argument, distinct) {
            (Expr::All(_), _) => "the count of rows",
            (_, true) => "the count of different values",
            _ => "the count of values",
        },
        Expr::Aggregate { function, .. } => summary(*function),
        Expr::Window(_) => "a window",
        Expr::Column(column) => knowledge.column_in(plan, column).map_or("a computed column", |id| {
            match knowledge.column(id).kind {
                ColumnKind::Key | ColumnKind::Reference => "a key",
                ColumnKind::Name => "a name",
                ColumnKind::Code | ColumnKind::Flag { .. } => "a code",
                ColumnKind::Number | ColumnKind::Money(_) | ColumnKind::Percentage(_) => "a number",
                ColumnKind::Text | ColumnKind::Other => "a text",
                _ => "a time",
            }
        }),
        _ if expr.is_aggregate() => "a computed summary",
        _ => "a computed value",
    }
}

fn summary(function: Aggregate) -> &'static str {
    match function {
        Aggregate::Count => "a count",
        Aggregate::Sum => "a sum",
        Aggregate::Avg => "a mean",
        Aggregate::Min => "a minimum",
        Aggregate::Max => "a maximum",
        Aggregate::Deviation | Aggregate::Variance => "a spread",
        Aggregate::Percentile(_) | Aggregate::PercentileValue(_) => "a percentile",
    }
}

/// What a query and those nested in it have.
fn within(plan: &QueryPlan, counts: &mut Counts, found: &mut BTreeSet<String>) {
    counts.queries += plan.selects().count();
    if !plan.with.is_empty() {
        found.insert("has steps".to_owned());
    }
    for select in plan.selects() {
        within_select(select, counts, found);
    }
    let order = plan.order_by.iter().map(|order| &order.expr);
    order.for_each(|expr| within_expr(expr, found));
    for query in plan.queries() {
        within(query, counts, found);
    }
}

fn within_select(select: &Select, counts: &mut Counts, found: &mut BTreeSet<String>) {
    counts.joins += select.joins.len();
    if select.joins.iter().any(|join| join.kind == JoinKind::Left) {
        found.insert("keeps rows without a partner".to_owned());
    }
    select.filter.iter().chain(&select.having).for_each(|condition| within_condition(condition, found));
    for expr in select.exprs() {
        within_expr(expr, found);
    }
}

fn within_expr(expr: &Expr, found: &mut BTreeSet<String>) {
    expr.for_each(&mut |expr| {
        let clause = match expr {
            Expr::Aggregate { function, .. } => summary(*function),
            Expr::Case { .. } | Expr::Test(_) => "cases",
            Expr::Arithmetic { .. } => "a calculation",
            Expr::Query(_) => "a value of a query",
            Expr::Window(window) => match window.function {
                WindowFunction::Lag(_) | WindowFunction::Lead(_) => "a row before",
                WindowFunction::Aggregate(_) => "a running summary",
                _ => "a rank",
            },
            Expr::Function {
                function: Function::Extract(_) | Function::WeekdayName | Function::MonthName,
                ..
            } => "a part of a date",
            Expr::Function { function: Function::Truncate(_) | Function::Label(_), .. } => "a period",
            Expr::Function { function: Function::Elapsed(_), .. } => "a time between",
            _ => return,
        };
        found.insert(format!("has {clause}"));
    });
}

fn within_condition(condition: &Condition, found: &mut BTreeSet<String>) {
    let clause = match condition {
        Condition::And(all) => {
            all.iter().for_each(|one| within_condition(one, found));
            return;
        }
        Condition::Or(all) => {
            all.iter().for_each(|one| within_condition(one, found));
            "or"
        }
        Condition::Not(one) => {
            within_condition(one, found);
            "not"
        }
        Condition::Compare { operator, .. } => match operator {
            Comparison::Equal => "equal",
            Comparison::NotEqual => "not equal",
            Comparison::Less => "less",
            Comparison::LessOrEqual => "at most",
            Comparison::Greater => "more",
            Comparison::GreaterOrEqual => "at least",
        },
        Condition::Between { .. } => "between",
        Condition::In { negated, .. } => {
            if *negated {
                "in no list"
            } else {
                "in a list"
            }
        }
        Condition::InQuery { negated, .. } => {
            if *negated {
                "not in"
            } else {
                "in"
            }
        }
        Condition::Like { negated, .. } => {
            if *negated {
                "not like"
            } else {
                "like"
            }
        }
        Condition::IsNull { negated, .. } => {
            if *negated {
                "is there"
            } else {
                "is missing"
            }
        }
        Condition::Exists { negated, .. } => {
            if *negated {
                "exists not"
            } else {
                "exists"
            }
        }
    };
    found.insert(format!("has {clause}"));
}
