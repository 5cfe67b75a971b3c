//! Codes that a table of several kinds of codes explains are shown as what they stand for.

use crate::rules::knowledge::Knowledge;
use sqlogue_sql::plan::{ColumnRef, Condition, Expr, Join, JoinKind, QueryPlan, Source, TableUse};
use sqlogue_sql::schema::Codes;

/// Shows what codes stand for in place of the codes, in the list and in what groups are made by. Rows whose code is not in
/// the table stay.
pub(super) fn show_meanings(plan: &mut QueryPlan, knowledge: &Knowledge) {
    for named in &mut plan.with {
        show_meanings(&mut named.query, knowledge);
    }
    if !plan.set_operations.is_empty() {
        return;
    }
    let select = &mut plan.select;
    let Source::Table(first) = &select.from else { return };
    let uses: Vec<&TableUse> =
        std::iter::once(first).chain(select.joins.iter().map(|join| &join.table)).collect();
    let is_plain = |name: &str| uses.iter().any(|used| used.alias.is_none() && used.table == name);
    let shown = select.projection.iter().filter_map(|shown| match &shown.expr {
        Expr::Column(column) if is_plain(&column.table) => Some(column.clone()),
        _ => None,
    });
    let mut explained: Vec<(ColumnRef, &Codes)> = Vec::new();
    for column in shown {
        let codes = knowledge
            .table_named(&column.table)
            .and_then(|table| knowledge.column_named(table, &column.column))
            .and_then(|id| knowledge.column(id).codes.as_ref());
        if let Some(codes) = codes
            && !explained.iter().any(|(known, _)| *known == column)
        {
            explained.push((column, codes));
        }
    }
    for (column, codes) in explained {
        let alias = format!("{}_text", column.column);
        let of = |name: &str| ColumnRef::new(alias.clone(), name.to_owned());
        let table = TableUse { alias: Some(alias.clone()), ..TableUse::new(codes.table.clone()) };
        let is_kind =
            Condition::equal(Expr::Column(of(&codes.kind_column)), Expr::literal(codes.kind.as_str()));
        let on = vec![(column.clone(), of(&codes.code_column))];
        select.joins.push(Join::new(JoinKind::Left, table, on).only(is_kind));
        let (code, text) = (Expr::Column(column), Expr::Column(of(&codes.text_column)));
        for shown in select.projection.iter_mut().filter(|shown| shown.expr == code) {
            shown.expr = text.clone();
        }
        for by in select.group_by.iter_mut().filter(|by| **by == code) {
            *by = text.clone();
        }
        for order in plan.order_by.iter_mut().filter(|order| order.expr == code) {
            order.expr = text.clone();
        }
    }
}
