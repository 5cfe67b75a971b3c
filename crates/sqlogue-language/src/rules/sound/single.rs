//! No summary of groups that are one row each: *the most played artists* are not those of whom the table has one row.

use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use sqlogue_sql::plan::{Aggregate, ColumnRef, Expr, QueryPlan, Select, Source, TableUse};

/// True where no part of the plan summarises groups that are one row each.
pub(super) fn is_sound(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let sorted = plan.order_by.iter().any(|order| order.expr.is_aggregate());
    let summarises = |select: &Select| {
        let shown = select.projection.iter().any(|shown| shown.expr.is_aggregate());
        shown || select.having.is_some()
    };
    let single = |select: &Select| groups_are_rows(select, knowledge);
    !(sorted && single(&plan.select))
        && plan.selects().all(|select| !(summarises(select) && single(select)))
        && plan.selects().all(|select| !counts_its_key(select))
        && plan.with.iter().all(|named| is_sound(&named.query, knowledge))
}

/// The plan with the rows themselves where it takes the greatest of groups that are one row each, of a value that is computed: *how
/// old is each member* is asked of every row.
pub(in crate::rules) fn of_rows(mut plan: QueryPlan, knowledge: &Knowledge) -> QueryPlan {
    let computed = |expr: &Expr| match expr {
        Expr::Aggregate { function: Aggregate::Max, argument, .. } => {
            (!matches!(argument.as_ref(), Expr::Column(_))).then(|| argument.as_ref().clone())
        }
        _ => None,
    };
    let select = &plan.select;
    let is_plain = |expr: &Expr| !expr.is_aggregate() || computed(expr).is_some();
    let greatest = select.projection.iter().any(|shown| computed(&shown.expr).is_some());
    let all = select.projection.iter().map(|shown| &shown.expr);
    let fits = all.chain(plan.order_by.iter().map(|order| &order.expr)).all(is_plain);
    let alone = select.having.is_none() && plan.set_operations.is_empty() && plan.with.is_empty();
    if greatest && fits && alone && groups_are_rows(select, knowledge) {
        plan.select.group_by.clear();
        let shown = plan.select.projection.iter_mut().map(|shown| &mut shown.expr);
        for expr in shown.chain(plan.order_by.iter_mut().map(|order| &mut order.expr)) {
            if let Some(of_row) = computed(expr) {
                *expr = of_row;
            }
        }
    }
    plan
}

/// True where the different values are counted of what groups are made by: each group has one.
fn counts_its_key(select: &Select) -> bool {
    fn of_key(expr: &Expr, select: &Select) -> bool {
        match expr {
            Expr::Aggregate { function: Aggregate::Count, argument, distinct: true, .. } => match &**argument
            {
                Expr::Case { branches, .. } => {
                    branches.iter().all(|branch| select.group_by.contains(&branch.then))
                }
                argument => select.group_by.contains(argument),
            },
            Expr::Window(window) => window.exprs().any(|part| of_key(part, select)),
            other => other.parts().into_iter().any(|part| of_key(part, select)),
        }
    }
    select.projection.iter().any(|shown| of_key(&shown.expr, select))
}

/// True where groups are made by the key of a table whose rows no join repeats.
fn groups_are_rows(select: &Select, knowledge: &Knowledge) -> bool {
    if !matches!(select.from, Source::Table(_)) {
        return false;
    }
    let grouped: Vec<&ColumnRef> = select
        .group_by
        .iter()
        .filter_map(|expr| match expr {
            Expr::Column(column) => Some(column),
            _ => None,
        })
        .collect();
    let has_key = |table: &TableUse| {
        let Some(id) = knowledge.table_named(&table.table) else { return false };
        let key = &knowledge.table(id).key;
        let by = |id: &ColumnId| {
            let name = &knowledge.column(*id).name;
            grouped
                .iter()
                .any(|column| column.table == table.name() && column.column.eq_ignore_ascii_case(name))
        };
        !key.is_empty() && key.iter().all(by)
    };
    select.tables().any(|table| has_key(table) && !is_repeated(table, select, knowledge))
}

/// True where a join goes from the rows of a table, by whatever way, to several rows of another.
fn is_repeated(table: &TableUse, select: &Select, knowledge: &Knowledge) -> bool {
    let mut reached = vec![table.name()];
    loop {
        let mut grew = false;
        for join in &select.joins {
            for (one, other) in join.on.iter().flat_map(|(left, right)| [(left, right), (right, left)]) {
                let from = reached.contains(&one.table.as_str());
                if !from || reached.contains(&other.table.as_str()) {
                    continue;
                }
                if !is_key(other, select, knowledge) {
                    return true;
                }
                reached.push(&other.table);
                grew = true;
            }
        }
        if !grew {
            // What no key leads to may stand beside every row.
            return select.tables().any(|other| !reached.contains(&other.name()));
        }
    }
}

/// True for a column that is the whole key of its table.
fn is_key(column: &ColumnRef, select: &Select, knowledge: &Knowledge) -> bool {
    let id = |table: &TableUse| -> Option<TableId> { knowledge.table_named(&table.table) };
    let table = select.tables().find(|table| table.name() == column.table).and_then(id);
    table.is_some_and(|table| {
        let key = &knowledge.table(table).key;
        matches!(key.as_slice(), [only] if knowledge.column(*only).name.eq_ignore_ascii_case(&column.column))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::compose::testing::library;
    use sqlogue_sql::plan::{Join, JoinKind};

    #[test]
    fn one_row_is_not_summarised() {
        let knowledge = library();
        let counted = |table: &str, by: Expr| Select::from_table(table).project(Expr::count_all()).group(by);
        let alone = |by: Expr| QueryPlan::from(counted("book", by));
        let joined = |by: Expr| {
            let on = vec![(ColumnRef::new("loan", "book_id"), ColumnRef::new("book", "book_id"))];
            let mut select = counted("loan", by);
            select.joins.push(Join::new(JoinKind::Inner, TableUse::new("book"), on));
            QueryPlan::from(select)
        };
        for (plan, sound) in [
            (alone(Expr::column("book", "book_id")), false),
            (alone(Expr::column("book", "pages")), true),
            (joined(Expr::column("book", "book_id")), true),
            (joined(Expr::column("loan", "loan_id")), false),
        ] {
            assert_eq!(is_sound(&plan, &knowledge), sound, "{:?}", plan.select.group_by);
        }
        let genre = || Expr::column("book", "genre");
        let counted = |of: Expr| {
            let different = Expr::count_distinct(vec![of]);
            QueryPlan::from(Select::from_table("book").project(different).group(genre()))
        };
        assert!(!is_sound(&counted(genre()), &knowledge));
        assert!(is_sound(&counted(Expr::column("book", "author_id")), &knowledge));
    }
}
