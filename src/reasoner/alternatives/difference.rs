//! What two readings differ in, where that is one thing.

use crate::plan::{
    Aggregate, ColumnRef, Comparison, Condition, Expr, JoinCondition, Order, QueryPlan, Select, Source,
};
use crate::schema::Value;

/// The one thing in which two readings differ, and what each makes of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Difference {
    /// What they differ in.
    pub(super) about: About,
    /// What the one says.
    pub(super) first: Said,
    /// What the other says.
    pub(super) other: Said,
}

/// What two readings differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// What is counted.
    Counted,
    /// Which column is meant.
    Column,
    /// Which rows are meant.
    Rows,
    /// Whether rows need something in another table.
    Related,
    /// What one row of the result stands for.
    Group,
    /// By what rows are sorted.
    Order,
    /// On which columns two tables are joined.
    Join,
}

/// What a reading says of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    /// In a few words that can be typed.
    pub(super) label: String,
    /// In a sentence.
    pub(super) meaning: String,
    /// What it takes for what.
    pub(super) taken: Taken,
}

/// What a reading takes that another does not.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Taken {
    /// A column.
    Column(ColumnRef),
    /// A value of a column.
    Value(ColumnRef, String),
    /// A join.
    Join(JoinCondition),
    /// Something that no single word stands for.
    Whole,
}

impl About {
    /// The question to put to a person.
    pub(super) fn question(self) -> &'static str {
        match self {
            Self::Counted => "What is to be counted?",
            Self::Column => "Which column do you mean?",
            Self::Rows => "Which rows do you mean?",
            Self::Related => "Do you mean all of them, or only those with something in another table?",
            Self::Group => "What is one row of the answer to stand for?",
            Self::Order => "By what is the answer to be sorted?",
            Self::Join => "The tables can be joined in several ways. Which one do you mean?",
        }
    }
}

impl Said {
    fn new(label: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { label: label.into(), meaning: meaning.into(), taken: Taken::Whole }
    }

    fn taking(self, taken: Taken) -> Self {
        Self { taken, ..self }
    }
}

/// The one thing in which two plans differ; `None` where they differ in more, or in what nobody should be asked about.
pub(super) fn difference(one: &QueryPlan, other: &QueryPlan) -> Option<Difference> {
    let (a, b) = (&one.select, &other.select);
    let same_else = a.distinct == b.distinct
        && a.having == b.having
        && one.set_operations == other.set_operations
        && (one.limit, one.offset) == (other.limit, other.offset);
    if !same_else {
        return None;
    }
    let (tables, joins) = (tables(a) == tables(b), joins(a) == joins(b));
    let shown = a.projection == b.projection;
    let filter = a.filter == b.filter;
    let group = a.group_by == b.group_by;
    let order = one.order_by == other.order_by;
    let found = match (tables, joins, shown, filter, group, order) {
        (true, true, false, true, true, true) => shown_differ(a, b),
        (true, true, true, false, true, true) => rows_differ(a, b),
        (true, true, true, true, false, true) => group_differs(a, b),
        (true, true, true, true, true, false) => order_differs(&one.order_by, &other.order_by),
        (true, false, true, true, true, true) => join_differs(a, b),
        (false, _, true, true, true, true) => related_differ(a, b),
        _ => None,
    };
    let found = found.or_else(|| one_column(one, other));
    found.filter(|found| found.first.label != found.other.label)
}

/// Only one thing is shown otherwise.
fn shown_differ(one: &Select, other: &Select) -> Option<Difference> {
    let exprs =
        |select: &Select| select.projection.iter().map(|shown| shown.expr.clone()).collect::<Vec<_>>();
    let (one, other) = only_pair(exprs(one), exprs(other))?;
    match (counted(&one), counted(&other)) {
        (Some(first), Some(other)) => Some(Difference { about: About::Counted, first, other }),
        (None, None) => {
            let (first, other) = (shown(&one)?, shown(&other)?);
            Some(Difference { about: About::Column, first, other })
        }
        // Whether something is counted or shown was misread; nobody should be asked.
        _ => None,
    }
}

fn counted(expr: &Expr) -> Option<Said> {
    match expr {
        Expr::Aggregate { function: Aggregate::Count, distinct: true, argument } => {
            Some(Said::new(format!("each {argument:#} once"), format!("count each `{argument}` once")))
        }
        Expr::Aggregate { function: Aggregate::Count, distinct: false, argument } => match **argument {
            Expr::All(_) => Some(Said::new("every row", "count every row")),
            _ => Some(Said::new(
                format!("every row with {argument:#}"),
                format!("count every row that has a `{argument}`"),
            )),
        },
        _ => None,
    }
}

fn shown(expr: &Expr) -> Option<Said> {
    let name = expr.to_string();
    let taken = match expr.columns().as_slice() {
        [column] => Taken::Column((*column).clone()),
        _ => Taken::Whole,
    };
    (*expr != Expr::All(None)).then(|| Said::new(name.clone(), format!("take `{name}`")).taking(taken))
}

/// Only one condition is another: on another column, or with another value.
fn rows_differ(one: &Select, other: &Select) -> Option<Difference> {
    let list = |select: &Select| {
        select.filter.as_ref().map(|filter| filter.conjuncts().to_vec()).unwrap_or_default()
    };
    let (one, other) = only_pair(list(one), list(other))?;
    let plain = |condition: &Condition| match condition {
        Condition::Compare {
            left: Expr::Column(column),
            operator: Comparison::Equal,
            right: Expr::Literal(value),
        } => Some((column.clone(), value.clone())),
        _ => None,
    };
    let (place, other_place) = (plain(&one)?, plain(&other)?);
    // Another value in another table is another question.
    if place.0.table != other_place.0.table && place.1 != other_place.1 {
        return None;
    }
    let said = |condition: &Condition, (column, value): (ColumnRef, Value)| {
        let taken = match value {
            Value::Text(text) => Taken::Value(column, text),
            _ => Taken::Column(column),
        };
        Said::new(condition.to_string(), format!("only rows in which {condition}")).taking(taken)
    };
    Some(Difference { about: About::Rows, first: said(&one, place), other: said(&other, other_place) })
}

fn group_differs(one: &Select, other: &Select) -> Option<Difference> {
    let ([one], [other]) = (one.group_by.as_slice(), other.group_by.as_slice()) else { return None };
    let said = |expr: &Expr| Said::new(format!("each {expr}"), format!("one row for each `{expr}`"));
    Some(Difference { about: About::Group, first: said(one), other: said(other) })
}

fn order_differs(one: &[Order], other: &[Order]) -> Option<Difference> {
    let (one, other) = only_pair(one.to_vec(), other.to_vec())?;
    let said = |order: &Order| {
        let taken = match &order.expr {
            Expr::Column(column) => Taken::Column(column.clone()),
            _ => Taken::Whole,
        };
        Said::new(order.expr.to_string(), format!("sort by `{}`", order.expr)).taking(taken)
    };
    let same_direction = one.direction == other.direction;
    same_direction.then(|| Difference { about: About::Order, first: said(&one), other: said(&other) })
}

fn join_differs(one: &Select, other: &Select) -> Option<Difference> {
    let (one, other) = only_pair(joins(one), joins(other))?;
    let said = |join: JoinCondition| Said {
        label: format!("{} = {}", join.left, join.right),
        meaning: format!(
            "join `{}` and `{}` where {} = {}",
            join.left.table, join.right.table, join.left, join.right
        ),
        taken: Taken::Join(join),
    };
    Some(Difference { about: About::Join, first: said(one), other: said(other) })
}

/// The one joins tables that the other does without.
fn related_differ(one: &Select, other: &Select) -> Option<Difference> {
    let (fewer, more) = if one.joins.len() < other.joins.len() { (one, other) } else { (other, one) };
    let (few, many) = (tables(fewer), tables(more));
    let keys = joins(more);
    if !few.iter().all(|table| many.contains(table)) || !joins(fewer).iter().all(|join| keys.contains(join)) {
        return None;
    }
    let added: Vec<String> =
        many.into_iter().filter(|table| !few.contains(table)).map(|table| format!("`{table}`")).collect();
    let added = added.join(" and ");
    let bare = added.replace('`', "");
    let without = Said::new("all", format!("all, whether or not there is something of theirs in {added}"));
    let with = Said::new(
        format!("only with {bare}"),
        format!("only those with something in {added}, once for each"),
    );
    let (first, other) = if std::ptr::eq(fewer, one) { (without, with) } else { (with, without) };
    Some(Difference { about: About::Related, first, other })
}

/// The names of the tables, in the order of the alphabet.
fn tables(select: &Select) -> Vec<&str> {
    let mut names: Vec<&str> = match &select.from {
        // What is read from a nested query is the same only where the query is.
        Source::Query { alias, .. } => vec![alias],
        Source::Table(_) => Vec::new(),
    };
    names.extend(select.tables().map(|table| table.name()));
    names.sort_unstable();
    names
}

/// The joins, each the same way round whichever table came first.
fn joins(select: &Select) -> Vec<JoinCondition> {
    let on = select.joins.iter().flat_map(|join| &join.on);
    let mut joins: Vec<JoinCondition> = on
        .map(|(one, other)| {
            let turned = (&one.table, &one.column) > (&other.table, &other.column);
            let (left, right) = if turned { (other, one) } else { (one, other) };
            JoinCondition { left: left.clone(), right: right.clone() }
        })
        .collect();
    joins.sort_by_key(|join| format!("{} {}", join.left, join.right));
    joins
}

/// What is only in the one list and only in the other, where that is one thing each.
fn only_pair<T: PartialEq>(one: Vec<T>, other: Vec<T>) -> Option<(T, T)> {
    if one.len() != other.len() {
        return None;
    }
    let mut differing = one.into_iter().zip(other).filter(|(one, other)| one != other);
    let pair = differing.next()?;
    differing.next().is_none().then_some(pair)
}

/// The plans are the same but for one column, wherever it stands.
fn one_column(one: &QueryPlan, other: &QueryPlan) -> Option<Difference> {
    let (mut masked, mut columns) = (one.clone(), Vec::new());
    mask(&mut masked, &mut columns);
    let (mut other_masked, mut other_columns) = (other.clone(), Vec::new());
    mask(&mut other_masked, &mut other_columns);
    if masked != other_masked || columns.len() != other_columns.len() {
        return None;
    }
    let mut differing = columns.into_iter().zip(other_columns).filter(|(one, other)| one != other);
    let (one, other) = differing.next()?;
    // A column of another table would need another join, and the plans would differ in it.
    if one.table != other.table || differing.any(|pair| pair != (one.clone(), other.clone())) {
        return None;
    }
    let said = |column: ColumnRef| {
        Said::new(column.to_string(), format!("take `{column}`")).taking(Taken::Column(column))
    };
    Some(Difference { about: About::Column, first: said(one), other: said(other) })
}

/// Takes the names of all columns out of a plan.
fn mask(plan: &mut QueryPlan, columns: &mut Vec<ColumnRef>) {
    plan.for_each_column_mut(&mut |column| {
        columns.push(std::mem::replace(column, ColumnRef::new("", "")));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Join, JoinKind, TableUse};

    fn said(one: &QueryPlan, other: &QueryPlan) -> String {
        difference(one, other).map_or_else(
            || "nothing to ask".to_owned(),
            |found| {
                format!("{} 1. {} 2. {}", found.about.question(), found.first.meaning, found.other.meaning)
            },
        )
    }

    fn orders() -> Select {
        Select::from_table("orders")
    }

    fn count(distinct: bool, argument: Expr) -> Expr {
        Expr::Aggregate { function: Aggregate::Count, distinct, argument: Box::new(argument) }
    }

    fn joined(mut select: Select, column: &str) -> Select {
        let on = vec![(ColumnRef::new("orders", column), ColumnRef::new("customers", "id"))];
        select.joins.push(Join::new(JoinKind::Inner, TableUse::new("customers"), on));
        select
    }

    #[test]
    fn the_one_difference_is_said() {
        let column = |name: &str| Expr::column("orders", name);
        let status = |name: &str, value: &str| Condition::equal(column(name), Expr::literal(value));
        let sorted = |name: &str| QueryPlan {
            order_by: vec![Order { expr: column(name), direction: crate::plan::Direction::Ascending }],
            ..QueryPlan::from(orders().project(column("id")))
        };
        let grouped = |name: &str| {
            let mut select = orders().project(count(false, Expr::All(None)));
            select.group_by = vec![column(name)];
            QueryPlan::from(select)
        };
        let plan = |select: Select| QueryPlan::from(select);
        let shown = |name: &str| orders().project(column(name));
        let pairs = [
            (
                plan(orders().project(count(false, Expr::All(None)))),
                plan(orders().project(count(true, column("customer")))),
            ),
            (plan(shown("ordered")), plan(shown("shipped"))),
            (
                plan(shown("id").filter(status("status", "open"))),
                plan(shown("id").filter(status("state", "open"))),
            ),
            (
                plan(shown("id").filter(status("status", "open"))),
                plan(shown("id").filter(status("status", "opened"))),
            ),
            (grouped("customer"), grouped("customer_name")),
            (sorted("ordered"), sorted("shipped")),
            (plan(joined(shown("id"), "buyer")), plan(joined(shown("id"), "payer"))),
            (plan(joined(shown("id"), "buyer")), plan(shown("id"))),
            // Two differences, a count in place of a column, and equal rows once are not asked about.
            (plan(shown("id").filter(status("status", "open"))), plan(shown("total"))),
            (plan(shown("id")), plan(orders().project(count(false, Expr::All(None))))),
            (plan(shown("id")), plan(Select { distinct: true, ..shown("id") })),
            (plan(shown("id")), plan(shown("id"))),
        ];
        let lines: Vec<String> = pairs.iter().map(|(one, other)| said(one, other)).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
