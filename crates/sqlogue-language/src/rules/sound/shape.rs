//! No summary beside single rows, no column of a group that its rows differ in.
//!
//! Some databases refuse such queries, and others answer them with any row of the group, which is worse.

use std::collections::HashSet;

use crate::rules::knowledge::Knowledge;
use sqlogue_sql::plan::{Aggregate, ColumnRef, Condition, Expr, QueryPlan, Select, Source, TableUse};

/// True where every part of the plan, nested queries included, can be answered in one way only.
pub(super) fn is_sound(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    is_sound_inside(plan, knowledge, &[])
}

/// The same for a query inside others, which may speak of the tables that those read.
fn is_sound_inside(plan: &QueryPlan, knowledge: &Knowledge, outer: &[&str]) -> bool {
    plan.selects().all(|select| is_select_sound(select, knowledge, outer))
        && match plan.set_operations.is_empty() {
            true => is_order_sound(plan, knowledge, outer),
            false => plan.order_by.iter().all(|order| shows(&plan.select, &order.expr)),
        }
}

/// True for what a selection shows: a combination of several is sorted by nothing else.
fn shows(select: &Select, expr: &Expr) -> bool {
    let shown = |shown: &Expr| shown == expr || matches!(shown, Expr::All(_));
    select.projection.is_empty() || select.projection.iter().any(|item| shown(&item.expr))
}

/// The names of what a selection reads, and of what those around it read.
fn scope<'a>(select: &'a Select, outer: &[&'a str]) -> Vec<&'a str> {
    let inner = match &select.from {
        Source::Query { alias, .. } => Some(alias.as_str()),
        Source::Table(_) => None,
    };
    outer.iter().copied().chain(inner).chain(select.tables().map(TableUse::name)).collect()
}

/// True where nothing is read twice under one name, so that every column is of one of them.
fn tells_apart(names: &[&str]) -> bool {
    let mut known = HashSet::new();
    names.iter().all(|name| known.insert(name.to_ascii_lowercase()))
}

fn is_select_sound(select: &Select, knowledge: &Knowledge, outer: &[&str]) -> bool {
    if let Source::Query { query, .. } = &select.from
        && !is_sound(query, knowledge)
    {
        return false;
    }
    if !tells_apart(&scope(select, &[])) {
        return false;
    }
    let scope = scope(select, outer);
    let conditions = || select.filter.iter().chain(&select.having);
    let nested = |query: &QueryPlan| is_sound_inside(query, knowledge, &scope);
    if !conditions().flat_map(Condition::queries).all(nested) {
        return false;
    }
    let compared = conditions().flat_map(Condition::exprs);
    let whole = |expr: &&Expr| matches!(expr, Expr::All(_));
    let shown = select.projection.iter().map(|shown| &shown.expr).filter(|expr| !whole(expr));
    if !compared.chain(shown).chain(&select.group_by).all(|expr| is_value(expr, &scope)) {
        return false;
    }
    if select.filter.as_ref().is_some_and(Condition::is_aggregate) {
        return false;
    }
    let shown = select.projection.iter().map(|shown| &shown.expr);
    if select.group_by.is_empty() {
        // What a query of its own tells is the same for all rows, and stands beside summaries too.
        let own_query = |expr: &&Expr| match expr {
            Expr::Query(query) => is_sound(query, knowledge),
            _ => false,
        };
        let summaries = shown.clone().filter(|expr| expr.is_aggregate()).count();
        let alike = summaries + shown.filter(own_query).count();
        return select.having.is_none() && (summaries == 0 || alike == select.projection.len());
    }
    !select.projection.is_empty() && shown.clone().all(|expr| is_of_group(expr, select, knowledge))
}

/// True for one value, computed from columns that are there to be read.
fn is_value(expr: &Expr, scope: &[&str]) -> bool {
    match expr {
        Expr::All(_) => false,
        Expr::Aggregate { function: Aggregate::Count, argument, .. } => {
            matches!(**argument, Expr::All(_)) || is_value(argument, scope)
        }
        Expr::Aggregate { argument, .. } => !argument.is_aggregate() && is_value(argument, scope),
        Expr::Column(column) => scope.contains(&column.table.as_str()),
        Expr::Window(window) => {
            window.exprs().all(|part| matches!(part, Expr::All(_)) || is_value(part, scope))
        }
        other => other.parts().into_iter().all(|part| is_value(part, scope)),
    }
}

/// Rows are sorted by what each row has one value of.
fn is_order_sound(plan: &QueryPlan, knowledge: &Knowledge, outer: &[&str]) -> bool {
    let select = &plan.select;
    let scope = scope(select, outer);
    if !plan.order_by.iter().all(|order| is_value(&order.expr, &scope)) {
        return false;
    }
    // Rows that are shown once have no one value of what is not shown. Where that is refused, it is no reading.
    if select.distinct
        && knowledge.checks_types()
        && !plan.order_by.iter().all(|order| shows(select, &order.expr))
    {
        return false;
    }
    let summarised = select.projection.iter().any(|shown| shown.expr.is_aggregate());
    plan.order_by.iter().all(|order| match select.group_by.is_empty() {
        true => order.expr.is_aggregate() == summarised,
        false => is_of_group(&order.expr, select, knowledge),
    })
}

/// True for what has one value in each group: a summary, what is grouped by, and what that determines.
fn is_of_group(expr: &Expr, select: &Select, knowledge: &Knowledge) -> bool {
    if expr.is_aggregate() || select.group_by.contains(expr) {
        return true;
    }
    match expr {
        Expr::All(_) => false,
        _ => {
            let known = determined(select, knowledge);
            expr.columns().iter().all(|column| known.covers(column))
        }
    }
}

/// What the columns of a grouping determine.
struct Determined<'a> {
    columns: HashSet<&'a ColumnRef>,
    tables: HashSet<&'a str>,
}

impl Determined<'_> {
    fn covers(&self, column: &ColumnRef) -> bool {
        self.columns.contains(column) || self.tables.contains(column.table.as_str())
    }
}

/// A key determines its row, and a joined column the one it is equal to.
fn determined<'a>(select: &'a Select, knowledge: &Knowledge) -> Determined<'a> {
    let mut known = Determined {
        columns: select
            .group_by
            .iter()
            .filter_map(|expr| match expr {
                Expr::Column(column) => Some(column),
                _ => None,
            })
            .collect(),
        tables: HashSet::new(),
    };
    loop {
        let before = (known.columns.len(), known.tables.len());
        for table in select.tables() {
            let Some(id) = knowledge.table_named(&table.table) else { continue };
            let has = |name: &str| {
                known
                    .columns
                    .iter()
                    .any(|column| column.table == table.name() && column.column.eq_ignore_ascii_case(name))
            };
            let entry = knowledge.table(id);
            let by_key =
                !entry.key.is_empty() && entry.key.iter().all(|key| has(&knowledge.column(*key).name));
            let by_unique = entry.columns.iter().any(|column| {
                let column = knowledge.column(*column);
                column.unique && has(&column.name)
            });
            if by_key || by_unique {
                known.tables.insert(table.name());
            }
        }
        for (left, right) in select.joins.iter().flat_map(|join| &join.on) {
            for (one, other) in [(left, right), (right, left)] {
                if known.covers(one) {
                    known.columns.insert(other);
                }
            }
        }
        if before == (known.columns.len(), known.tables.len()) {
            return known;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlogue_sql::plan::{Comparison, Direction, Join, JoinKind, Order};
    use sqlogue_sql::schema::{Column, Schema, Table};

    fn knowledge() -> Knowledge {
        let column =
            |name: &str| Column { name: name.to_owned(), primary_key: name == "id", ..Column::default() };
        let table = Table {
            name: "staff".to_owned(),
            columns: ["id", "name", "city"].map(column).to_vec(),
            ..Table::default()
        };
        Knowledge::from_schema(&Schema { tables: vec![table] })
    }

    fn grouped(by: &str, shown: &[Expr]) -> QueryPlan {
        let mut select = Select::from_table("staff");
        for expr in shown {
            select = select.project(expr.clone());
        }
        select.group_by = vec![Expr::column("staff", by)];
        QueryPlan::from(select)
    }

    #[test]
    fn a_group_shows_what_its_rows_share() {
        let (name, city) = (Expr::column("staff", "name"), Expr::column("staff", "city"));
        let knowledge = knowledge();
        assert!(is_sound(&grouped("city", &[city.clone(), Expr::count_all()]), &knowledge));
        assert!(is_sound(&grouped("id", &[name.clone(), Expr::count_all()]), &knowledge));
        assert!(!is_sound(&grouped("city", &[name.clone(), Expr::count_all()]), &knowledge));
        assert!(!is_sound(&grouped("city", &[]), &knowledge));
        assert!(!is_sound(&grouped("city", &[Expr::All(None)]), &knowledge));
        let mut sorted = grouped("city", &[city]);
        sorted.order_by = vec![Order { expr: name, direction: Direction::Ascending }];
        assert!(!is_sound(&sorted, &knowledge));
    }

    #[test]
    fn a_table_that_is_read_twice_has_two_names() {
        let twice = |alias: Option<&str>| {
            let mut select = Select::from_table("staff").project(Expr::column("staff", "name"));
            let table = TableUse { alias: alias.map(str::to_owned), ..TableUse::new("staff") };
            let on = vec![(ColumnRef::new("staff", "id"), ColumnRef::new(table.name(), "id"))];
            select.joins.push(Join::new(JoinKind::Inner, table.clone(), on));
            QueryPlan::from(select)
        };
        assert!(is_sound(&twice(Some("other")), &knowledge()));
        assert!(!is_sound(&twice(None), &knowledge()));
    }

    #[test]
    fn rows_and_their_summary_do_not_mix() {
        let name = Expr::column("staff", "name");
        let knowledge = knowledge();
        let rows = Select::from_table("staff").project(name.clone());
        assert!(is_sound(&QueryPlan::from(rows.clone()), &knowledge));
        assert!(!is_sound(&QueryPlan::from(rows.clone().project(Expr::count_all())), &knowledge));
        let alone = |shown: Expr| QueryPlan::from(Select::from_table("staff").project(shown));
        let beside = |nested: QueryPlan| {
            let select = Select::from_table("staff").project(Expr::count_all());
            QueryPlan::from(select.project(Expr::Query(Box::new(nested))))
        };
        assert!(is_sound(&beside(alone(Expr::count_all())), &knowledge));
        assert!(!is_sound(&beside(alone(Expr::column("elsewhere", "name"))), &knowledge));
        let mut sorted = QueryPlan::from(rows.clone());
        sorted.order_by = vec![Order { expr: Expr::count_all(), direction: Direction::Ascending }];
        assert!(!is_sound(&sorted, &knowledge));
        let many =
            Condition::compare(Expr::aggregate(Aggregate::Max, name), Comparison::Greater, Expr::literal(3));
        assert!(!is_sound(&QueryPlan::from(rows.filter(many)), &knowledge));
    }
}
