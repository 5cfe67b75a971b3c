//! What is not there: *students without any orders*, *who never*, *not taught by Ann*.

use super::build::Builder;
use super::conditions;
use super::frame::Filter;
use crate::plan::{Comparison, Condition, Expr, Join, JoinKind, QueryPlan, Select, TableUse};
use crate::reasoner::rules::joins::JoinTree;
use crate::reasoner::rules::knowledge::TableId;

/// The condition of a negated clause. The outer option is none where there is no such clause, the inner one where
/// nothing can be made of it.
pub(crate) fn condition(builder: &mut Builder<'_>) -> Option<Option<Condition>> {
    let slots = builder.frame.absent.clone()?;
    let frame = builder.frame;
    let filters: Vec<&Filter> = frame.filters.iter().filter(|filter| filter.absent).collect();
    let main = builder.main_table()?;
    // The conditions first: they say which tables the clause needs.
    let outer = std::mem::take(&mut builder.tables);
    let mut inner: Vec<Condition> = Vec::new();
    for filter in &filters {
        let made = conditions::condition(builder, filter);
        inner.extend(made);
    }
    let mut tables = std::mem::replace(&mut builder.tables, outer);
    for slot in &slots {
        if let Some(filler) = builder.binding.fillers.get(*slot)
            && (filler.column.is_none() || tables.is_empty())
            && !tables.contains(&filler.table)
        {
            tables.push(filler.table);
        }
    }
    tables.retain(|table| *table != main);
    if tables.is_empty() {
        // All of it is about the row itself: no value there, or another one.
        if inner.is_empty() {
            let column = slots.iter().find_map(|slot| builder.binding.fillers.get(*slot)?.column)?;
            let expr = builder.column(column);
            return Some(Some(Condition::IsNull { expr, negated: false }));
        }
        let all = inner.into_iter().map(negate).collect();
        return Some(Condition::all(all));
    }
    // A table that the main one refers to has one row for each: its value differs, or none is there at all.
    Some(not_in(builder, main, &tables, inner))
}

fn negate(condition: Condition) -> Condition {
    match condition {
        Condition::Compare { left, operator: Comparison::Equal, right } => {
            Condition::compare(left, Comparison::NotEqual, right)
        }
        Condition::Like { expr, pattern, negated } => Condition::Like { expr, pattern, negated: !negated },
        other => Condition::Not(Box::new(other)),
    }
}

/// `main.key NOT IN (SELECT first.reference FROM first JOIN … WHERE …)`.
fn not_in(
    builder: &mut Builder<'_>,
    main: TableId,
    tables: &[TableId],
    inner: Vec<Condition>,
) -> Option<Condition> {
    let mut wanted = vec![main];
    wanted.extend(tables);
    let tree = builder.knowledge.joins().connect(&wanted)?;
    let first = tree.edges.first()?;
    let (from, to) = first.columns.first().copied()?;
    let (own, other) = if first.from == main { (from, to) } else { (to, from) };
    // More joins out of the main table would need it inside too; then the clause selects its key there.
    let branches = tree.edges.iter().skip(1).any(|edge| edge.from == main || edge.to == main);
    let (own, selected, tree) = if branches { (own, own, tree) } else { (own, other, without_first(&tree)) };
    let root = tree.tables.first().copied()?;
    let mut select = Select::from_table(&builder.knowledge.table(root).name)
        .project(Expr::Column(builder.reference(selected)));
    for (at, table) in tree.tables.iter().enumerate().skip(1) {
        let edge = tree.edges.get(at - 1)?;
        let on = edge
            .columns
            .iter()
            .map(|(from, to)| {
                let (old, new) = if edge.from == *table { (*to, *from) } else { (*from, *to) };
                (builder.reference(old), builder.reference(new))
            })
            .collect();
        let table = TableUse::new(&builder.knowledge.table(*table).name);
        select.joins.push(Join { kind: JoinKind::Inner, table, on });
    }
    select.filter = Condition::all(inner);
    let expr = builder.column(own);
    Some(Condition::InQuery { expr, query: Box::new(QueryPlan::from(select)), negated: true })
}

fn without_first(tree: &JoinTree) -> JoinTree {
    JoinTree {
        tables: tree.tables.iter().skip(1).copied().collect(),
        edges: tree.edges.iter().skip(1).cloned().collect(),
        cost: tree.cost,
    }
}
