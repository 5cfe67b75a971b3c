//! The rows of two queries that were put together, as rows of their table: what is said next is said of them.

use crate::rules::Knowledge;
use sqlogue_sql::plan::{Condition, Expr, Projection, QueryPlan, Select, SetOperation, Source, TableUse};

/// The plan of the same rows with a condition in the place of the set operation; none where they are not the rows of one table.
pub(super) fn as_rows(plan: &QueryPlan, knowledge: &Knowledge) -> Option<QueryPlan> {
    let is_plain =
        plan.with.is_empty() && plan.limit.is_none() && plan.offset.is_none() && plan.order_by.is_empty();
    if plan.set_operations.is_empty() || !is_plain {
        return None;
    }
    let (name, shown) = of_table(&plan.select)?;
    let id = knowledge.table_named(&name)?;
    let entry = knowledge.table(id);
    let [key] = entry.key.as_slice() else { return None };
    let key = &knowledge.column(*key).name;
    let called: Vec<&String> = entry.label.iter().map(|id| &knowledge.column(*id).name).collect();
    let tells = shown.is_empty() || shown.iter().any(|column| column == key || called.contains(&column));
    let keys = |select: &Select| -> Option<Select> {
        let (table, _) = of_table(select).filter(|(table, _)| *table == name)?;
        let mut used = select.tables().filter(|one| one.table == table);
        let alias = used.next()?.name().to_owned();
        let projection = vec![Projection::from(Expr::column(alias, key))];
        (used.next().is_none() && select.group_by.is_empty()).then(|| Select {
            distinct: false,
            projection,
            ..select.clone()
        })
    };
    let select = keys(&plan.select).filter(|_| tells)?;
    let set_operations = plan
        .set_operations
        .iter()
        .map(|one| Some(SetOperation { operator: one.operator, select: keys(&one.select)? }))
        .collect::<Option<Vec<_>>>()?;
    let among = QueryPlan { select, set_operations, ..QueryPlan::default() };
    Some(QueryPlan::from(Select {
        projection: shown.iter().map(|column| Projection::from(Expr::column(&name, column))).collect(),
        from: Source::Table(TableUse::new(&name)),
        filter: Some(Condition::among(Expr::column(&name, key), among)),
        ..Select::default()
    }))
}

/// The table whose columns a selection shows, and which; no columns for all of them.
fn of_table(select: &Select) -> Option<(String, Vec<String>)> {
    let mut shown = Vec::new();
    let mut tables: Vec<&str> = Vec::new();
    for one in &select.projection {
        match &one.expr {
            Expr::Column(column) => {
                shown.push(column.column.clone());
                tables.push(&column.table);
            }
            Expr::All(Some(table)) if select.projection.len() == 1 => tables.push(table),
            Expr::All(None) if select.projection.len() == 1 => {
                let Source::Table(table) = &select.from else { return None };
                tables.push(table.name());
            }
            _ => return None,
        }
    }
    let first = *tables.first()?;
    let used = select.tables().find(|one| one.name() == first)?;
    tables.iter().all(|table| *table == first).then(|| (used.table.clone(), shown))
}
