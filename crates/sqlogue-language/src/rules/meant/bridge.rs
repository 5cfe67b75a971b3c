//! The table that brings two others together, where a verb names it: *customers who ordered a desk* are joined with products by
//! their orders, and not by their reviews, although that way is shorter.

use crate::rules::compose::Draft;
use crate::rules::grammar::{Lattice, WordLists, is_called, price_and_quantity};
use crate::rules::joins::{JoinEdge, JoinTree};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::lexicon::Lexicon;
use sqlogue_sql::plan::{ColumnRef, Condition, Expr, QueryPlan, Select, Source};

/// A verb that fits the name of a table as well as this speaks of its rows.
const NAMES: f32 = 0.5;

/// The tables whose rows a question speaks of: those that verbs name, else what was sold where buyers are spoken of.
pub(super) fn events(lattice: &Lattice<'_>, knowledge: &Knowledge) -> Vec<TableId> {
    let named = named_events(lattice, knowledge);
    if named.is_empty() { unsaid_events(lattice, knowledge) } else { named }
}

/// The tables whose rows the verbs of a question speak of.
fn named_events(lattice: &Lattice<'_>, knowledge: &Knowledge) -> Vec<TableId> {
    let mut events: Vec<TableId> = Vec::new();
    let question = lattice.question;
    for at in 0..question.tokens.len() {
        let word = question.word(at);
        let known = events.len();
        // What verbs of trade tell stands where prices and quantities do.
        if WordLists::embedded().has("trading", word) {
            let lines = knowledge.tables().map(|(table, _)| table);
            events.extend(lines.filter(|table| tells_sales(*table, knowledge)));
        }
        if events.len() == known && Lexicon::embedded().is_verb(word) {
            let named = lattice.nouns(at).iter().flat_map(|noun| noun.tables.first());
            events.extend(named.filter(|(_, score)| *score >= NAMES).map(|(table, _)| *table));
        }
    }
    events.sort();
    events.dedup();
    events
}

/// The rows of what was sold, where a question speaks of those who buy and no verb says what they did: *customers by category* are those
/// who bought, and not those who wrote a review. None of what brings the two together may be named either.
fn unsaid_events(lattice: &Lattice<'_>, knowledge: &Knowledge) -> Vec<TableId> {
    const NAMED: f32 = 0.8;
    let named: Vec<TableId> = (0..lattice.question.tokens.len())
        .flat_map(|at| lattice.nouns(at).iter().filter_map(|noun| noun.tables.first()))
        .filter(|(_, score)| *score >= NAMED)
        .map(|(table, _)| *table)
        .collect();
    let are_things =
        |table: &TableId| knowledge.joins().below(*table).any(|below| tells_sales(below, knowledge));
    let tells_of = |table: &TableId| named.iter().any(|other| knowledge.joins().refers(*table, *other));
    let buyers = named.iter().any(|table| is_called(knowledge, *table, "buyers"));
    if !buyers || named.iter().any(|table| tells_of(table) && !are_things(table)) {
        return Vec::new();
    }
    knowledge.tables().map(|(table, _)| table).filter(|table| tells_sales(*table, knowledge)).collect()
}

/// Joins the tables of a draft through a table that a verb names, where it joins them through one that no word names.
pub(super) fn through_named(draft: &mut Draft, events: &[TableId], knowledge: &Knowledge) {
    // *how many customers bought from every category* counts the groups of a query in the query.
    let plan = match draft.plan.with.as_mut_slice() {
        [] => &mut draft.plan,
        [groups] if draft.plan.select.tables().all(|table| table.table == groups.name) => &mut groups.query,
        _ => return,
    };
    if let Some(tree) = rerouted(plan, events, knowledge) {
        draft.joins = tree;
    }
    let conditions = plan.select.filter.iter_mut().flat_map(Condition::conjuncts_mut);
    for condition in conditions {
        if let Condition::InQuery { query, .. } = condition {
            lead_through(query, events, knowledge);
        }
    }
}

/// Leads a query of those who are among others through a table that a verb names: *who never bought furniture products* looks at what
/// was ordered, and not at what was reviewed.
fn lead_through(query: &mut QueryPlan, events: &[TableId], knowledge: &Knowledge) -> Option<()> {
    let joins = knowledge.joins();
    let [shown] = query.select.projection.as_slice() else { return None };
    let Expr::Column(shown) = &shown.expr else { return None };
    let edge = joins.reference(knowledge.column_in(query, shown)?)?;
    let (bridge, people) = (edge.from, edge.to);
    let tables: Vec<TableId> =
        query.select.tables().map(|table| knowledge.table_named(&table.table)).collect::<Option<_>>()?;
    // What else is done has tables of its own for each of those who do it.
    let sold: Vec<TableId> = events.iter().copied().filter(|event| tells_sales(*event, knowledge)).collect();
    if sold.is_empty() {
        return None;
    }
    let is_near = |table: TableId| is_near(table, &sold, knowledge);
    let is_plain = query.with.is_empty()
        && query.set_operations.is_empty()
        && query.select.group_by.is_empty()
        && query.select.tables().all(|table| table.alias.is_none());
    let used: Vec<TableId> = tables.iter().copied().filter(|table| *table != bridge).collect();
    if !is_plain
        || used.is_empty()
        || is_near(bridge)
        || used.iter().any(|table| is_near(*table) && joins.refers(*table, people))
    {
        return None;
    }
    // That a reference is known guards against missing values only.
    let of_bridge = |condition: &Condition| {
        condition.columns().iter().any(|column| knowledge.table(bridge).name == column.table)
    };
    let conditions = query.select.filter.iter().flat_map(Condition::conjuncts);
    let kept: Vec<Condition> = conditions
        .filter(|one| !matches!(one, Condition::IsNull { negated: true, .. }) || !of_bridge(one))
        .cloned()
        .collect();
    let guarded = query.select.filter.iter().flat_map(Condition::conjuncts).count() > kept.len();
    if kept.iter().any(of_bridge) {
        return None;
    }
    let avoided = edges_of(bridge, knowledge);
    let ways = joins.below(people).filter(|by| *by != bridge && is_near(*by)).filter_map(|by| {
        let mut wanted = used.clone();
        wanted.push(by);
        let tree = joins.connect_avoiding(&wanted, &avoided)?;
        let to_people = joins.between(by, people).into_iter().find(|edge| edge.from == by)?;
        let (column, _) = to_people.columns.first()?;
        (!tree.tables.contains(&people)).then_some((tree, *column))
    });
    let (tree, column) = ways.min_by(|(one, _), (other, _)| one.cost.total_cmp(&other.cost))?;
    let (from, joined) = tree.source(knowledge)?;
    let entry = knowledge.column(column);
    let shown = Expr::Column(ColumnRef::new(knowledge.table(entry.table).name.clone(), entry.name.clone()));
    let guard = (guarded && entry.nullable).then(|| Condition::IsNull { expr: shown.clone(), negated: true });
    let select = &mut query.select;
    (select.from, select.joins) = (from, joined);
    select.filter = Condition::all(kept.into_iter().chain(guard).collect());
    select.projection = vec![shown.into()];
    Some(())
}

/// True for a table of events, and for one that is joined with it directly.
fn is_near(table: TableId, events: &[TableId], knowledge: &Knowledge) -> bool {
    let joins = knowledge.joins();
    events.iter().any(|event| *event == table || joins.refers(table, *event) || joins.refers(*event, table))
}

/// All joins of a table.
fn edges_of(table: TableId, knowledge: &Knowledge) -> Vec<JoinEdge> {
    let joins = knowledge.joins();
    joins.neighbours(table).into_iter().flat_map(|other| joins.between(table, other)).cloned().collect()
}

/// True for the lines of sales, which tell a price and a quantity.
fn tells_sales(table: TableId, knowledge: &Knowledge) -> bool {
    price_and_quantity(knowledge, table).is_some()
}

/// Joins the tables of a query through a table that a verb names; none where they are not joined anew.
fn rerouted(plan: &mut QueryPlan, events: &[TableId], knowledge: &Knowledge) -> Option<JoinTree> {
    let joins = knowledge.joins();
    let (used, bridges) = tables_of(plan, knowledge)?;
    // Who does it and what it is done with are no event.
    let events: Vec<TableId> = events.iter().copied().filter(|event| !used.contains(event)).collect();
    let is_near = |table: TableId| is_near(table, &events, knowledge);
    if bridges.is_empty() || bridges.iter().any(|bridge| is_near(*bridge)) {
        return None;
    }
    let avoided: Vec<JoinEdge> = bridges.iter().flat_map(|bridge| edges_of(*bridge, knowledge)).collect();
    let below = events.iter().flat_map(|event| joins.below(*event));
    let through = events.iter().copied().chain(below).filter_map(|by| {
        let mut wanted = used.clone();
        wanted.push(by);
        let tree = joins.connect_avoiding(&wanted, &avoided)?;
        let named = tree.tables.iter().all(|table| used.contains(table) || is_near(*table));
        named.then_some(tree)
    });
    let tree = through.min_by(|one, other| one.cost.total_cmp(&other.cost))?;
    let (from, joined) = tree.source(knowledge)?;
    // A window of the table between was never said to be of that table.
    let filter = moved(plan.select.filter.clone(), &bridges, knowledge, || {
        let near = tree.tables.iter().filter(|table| is_near(**table));
        near.filter_map(|table| knowledge.dates(*table).first().copied()).next()
    })?;
    let select = &mut plan.select;
    select.filter = filter;
    (select.from, select.joins) = (from, joined);
    let is_list =
        select.group_by.is_empty() && !select.projection.iter().any(|shown| shown.expr.is_aggregate());
    select.distinct |= is_list && plan.order_by.is_empty();
    Some(tree)
}

/// A filter whose windows are of another date instead of one of `bridges`; none where there is no other date, or none that is
/// stored alike.
#[expect(clippy::option_option, reason = "a query without a filter is not one that cannot be changed")]
fn moved(
    mut filter: Option<Condition>,
    bridges: &[TableId],
    knowledge: &Knowledge,
    date: impl Fn() -> Option<ColumnId>,
) -> Option<Option<Condition>> {
    for part in filter.iter_mut().flat_map(Condition::conjuncts_mut) {
        let Condition::Compare { left: Expr::Column(column), .. } = part else { continue };
        let bridge = bridges.iter().find(|bridge| knowledge.table(**bridge).name == column.table);
        let Some(bridge) = bridge else { continue };
        let before = knowledge.column(knowledge.column_named(*bridge, &column.column)?);
        let date = knowledge.column(date().filter(|id| knowledge.column(*id).kind == before.kind)?);
        *column = ColumnRef::new(knowledge.table(date.table).name.clone(), date.name.clone());
    }
    Some(filter)
}

/// The tables that something is shown or asked of, and those that only join them; none for a query of another shape.
fn tables_of(plan: &QueryPlan, knowledge: &Knowledge) -> Option<(Vec<TableId>, Vec<TableId>)> {
    let select: &Select = &plan.select;
    let is_plain = plan.with.is_empty()
        && plan.set_operations.is_empty()
        && matches!(select.from, Source::Table(_))
        && select.tables().all(|table| table.alias.is_none())
        && !select.projection.iter().any(|shown| matches!(shown.expr, Expr::All(_)));
    if !is_plain || select.joins.is_empty() {
        return None;
    }
    // By when something happened it is bounded, and not shown to be meant.
    let conditions = select.filter.iter().chain(&select.having).flat_map(Condition::conjuncts);
    let is_window =
        |part: &&Condition| part.as_period().is_some_and(|period| matches!(period.expr, Expr::Column(_)));
    let conditions = conditions.filter(|part| !is_window(part)).flat_map(Condition::columns);
    let exprs = select.projection.iter().map(|shown| &shown.expr).chain(&select.group_by);
    let exprs = exprs.chain(plan.order_by.iter().map(|order| &order.expr)).flat_map(Expr::columns);
    let columns: Vec<&str> = conditions.chain(exprs).map(|column| column.table.as_str()).collect();
    let (mut used, mut bridges) = (Vec::new(), Vec::new());
    for table in select.tables() {
        let id = knowledge.table_named(&table.table)?;
        if columns.contains(&table.table.as_str()) { used.push(id) } else { bridges.push(id) }
    }
    (used.len() > 1).then_some((used, bridges))
}
