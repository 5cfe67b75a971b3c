//! What is not there: *students without any orders*, *who never*, *not taught by Ann*.

use super::build::{Builder, is_on_groups};
use super::conditions;
use super::frame::Filter;
use crate::rules::grammar::columns::flag;
use crate::rules::joins::JoinTree;
use crate::rules::knowledge::TableId;
use sqlogue_sql::plan::{
    Comparison, Condition, Expr, Join, JoinKind, Projection, QueryPlan, Select, TableUse,
};

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
    let mut of_groups: Vec<Condition> = Vec::new();
    for filter in &filters {
        let made = conditions::condition(builder, filter);
        if is_on_groups(filter) { of_groups.extend(made) } else { inner.extend(made) }
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
            // *without newsletter*, where the column says yes or no.
            let condition = match flag(builder.knowledge, column) {
                Some((_, no)) => Condition::equal(expr, Expr::literal(no)),
                None => Condition::IsNull { expr, negated: false },
            };
            return Some(Some(condition));
        }
        let all = inner.into_iter().map(negate).collect();
        return Some(Condition::all(all));
    }
    // A table that the main one refers to has one row for each: its value differs, or none is there at all.
    Some(not_in(builder, main, &tables, inner, of_groups))
}

/// What is returned, of the rows that the negated clause describes: taken away from the rest, where the words are
/// about what is returned and not about rows (*the cities without a shop opened after 2000*). None where there is no
/// such clause, or where it is read as a condition.
pub(crate) fn taken_away(builder: &mut Builder<'_>, projection: &[Expr]) -> Option<Select> {
    let slots = builder.frame.absent.clone()?;
    let frame = builder.frame;
    let plain = frame.groups.is_empty()
        && frame.orders.is_empty()
        && frame.superlatives.is_empty()
        && frame.limit.is_none()
        && !frame.filters.iter().any(is_on_groups)
        && projection.iter().all(|expr| matches!(expr, Expr::Column(_)))
        // Two things may have one name; what is without something is told by its key.
        && !projection.iter().all(|expr| names_a_thing(builder, expr));
    if !plain || !builder.oracle.decide("absence_takes_away", false) {
        return None;
    }
    let outer = std::mem::take(&mut builder.tables);
    let select = described(builder, projection, &slots);
    builder.tables = outer;
    select
}

/// True for a column that tells which thing a row is about.
fn names_a_thing(builder: &Builder<'_>, expr: &Expr) -> bool {
    let Expr::Column(column) = expr else { return false };
    let Some(table) = builder.knowledge.table_named(&column.table) else { return false };
    let Some(id) = builder.knowledge.column_named(table, &column.column) else { return false };
    let entry = builder.knowledge.column(id);
    entry.is_key || entry.unique || builder.knowledge.table(table).label.contains(&id)
}

/// The rows of the negated clause, without its negation.
fn described(builder: &mut Builder<'_>, projection: &[Expr], slots: &[usize]) -> Option<Select> {
    for expr in projection {
        if let Expr::Column(column) = expr
            && let Some(table) = builder.knowledge.table_named(&column.table)
        {
            builder.need(table);
        }
    }
    let frame = builder.frame;
    let mut inner: Vec<Condition> = Vec::new();
    for filter in frame.filters.iter().filter(|filter| filter.absent) {
        inner.push(conditions::condition(builder, filter)?);
    }
    for slot in slots {
        let filler = builder.binding.fillers.get(*slot)?;
        if filler.column.is_none() {
            builder.need(filler.table);
        }
    }
    if inner.is_empty() && builder.tables.len() < 2 {
        return None;
    }
    let (from, joins) = builder.connect()?;
    Some(Select {
        projection: projection.iter().cloned().map(Projection::from).collect(),
        from,
        joins,
        filter: Condition::all(inner),
        ..Select::default()
    })
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
    of_groups: Vec<Condition>,
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
        select.joins.push(Join::new(JoinKind::Inner, table, on));
    }
    select.filter = Condition::all(inner);
    if !of_groups.is_empty() {
        // *without more than 3 orders*: counted for each of them.
        select.group_by = vec![Expr::Column(builder.reference(selected))];
        select.having = Condition::all(of_groups);
    }
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
