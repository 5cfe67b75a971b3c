//! What one row of the result stands for.

use super::build::{Builder, is_on_groups, slot_of};
use super::frame::{Filler, Measure};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use sqlogue_sql::plan::{ColumnRef, Expr, Order, Select};

/// How rows are grouped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grouping {
    /// The keys of the groups.
    pub by: Vec<Expr>,
    /// What tells the groups apart, to be returned with them.
    pub returned: Vec<Expr>,
    /// True where the outputs summarise the groups.
    pub has_counts: bool,
}

/// Decides the groups from what is returned, counted and described.
pub(crate) fn grouping(builder: &mut Builder<'_>, outputs: &[Measure]) -> Grouping {
    let mut grouping = Grouping::default();
    let summarises = |measure: &Measure| !matches!(measure, Measure::Plain(_) | Measure::First);
    let plain: Vec<&Measure> = outputs.iter().filter(|output| !summarises(output)).collect();
    grouping.has_counts = outputs.iter().any(summarises);
    let superlative = builder.frame.superlatives.iter().find(|superlative| summarises(&superlative.measure));
    let having = builder.frame.filters.iter().any(|filter| is_on_groups(filter) && !filter.absent);
    let ordered = builder.frame.orders.iter().any(|(measure, _)| summarises(measure));
    let single_rows = !grouping.has_counts && !having && !ordered && builder.frame.superlatives.is_empty();
    if !builder.frame.groups.is_empty()
        && single_rows
        && !plain.is_empty()
        && builder.oracle.decide("each_names_rows", true)
    {
        grouping.returned = beside_names(builder, outputs);
        return grouping;
    }
    if !builder.frame.groups.is_empty() {
        each(builder, outputs, &mut grouping);
        return grouping;
    }
    if grouping.has_counts && !plain.is_empty() {
        // *the name and the number of orders of the customers*
        for output in plain {
            let Some(filler) = slot_of(output).and_then(|slot| builder.binding.fillers.get(slot)).cloned()
            else {
                continue;
            };
            let counted = outputs
                .iter()
                .filter(|output| summarises(output))
                .find_map(|output| builder.filler(output))
                .map(|filler| filler.table);
            let keys = group_key(builder, &filler, counted);
            for key in keys {
                if !grouping.by.contains(&key) {
                    grouping.by.push(key);
                }
            }
        }
        return grouping;
    }
    if let Some(superlative) = superlative.filter(|one| builder.described(one, outputs).is_none()) {
        let of = superlative.of.and_then(|slot| builder.binding.fillers.get(slot)).cloned();
        let counted = builder.filler(&superlative.measure).map(|filler| filler.table);
        let target = of.or_else(|| first_plain(builder, outputs));
        if let Some(filler) = target {
            grouping.by = group_key(builder, &filler, counted);
        }
        return grouping;
    }
    if (having || ordered) && !grouping.has_counts {
        let counted = builder
            .frame
            .filters
            .iter()
            .filter(|filter| is_on_groups(filter))
            .find_map(|filter| builder.filler(&filter.measure))
            .or_else(|| {
                builder
                    .frame
                    .orders
                    .iter()
                    .filter(|(measure, _)| summarises(measure))
                    .find_map(|(measure, _)| builder.filler(measure))
            })
            .map(|filler| filler.table);
        if let Some(filler) = first_plain(builder, outputs) {
            grouping.by = group_key(builder, &filler, counted);
        }
    }
    grouping
}

/// *For each company, its name and the name of its building*: nothing is summarised, so there are no groups; what is shown of
/// the companies beside what is asked for.
fn beside_names(builder: &mut Builder<'_>, outputs: &[Measure]) -> Vec<Expr> {
    let mut returned = Vec::new();
    for slot in &builder.frame.groups {
        let Some(filler) = builder.binding.fillers.get(*slot).cloned() else { continue };
        builder.need(filler.table);
        let said = outputs.iter().any(|output| {
            builder
                .filler(output)
                .is_some_and(|other| other.column == filler.column && other.table == filler.table)
        });
        if let Some(column) = filler.column.filter(|_| !said)
            && builder.oracle.decide("group_returned", true)
        {
            returned.push(builder.column(column));
        }
    }
    returned
}

/// *For each city*: the keys of what is said, which is returned too where it is not asked for anyway.
fn each(builder: &mut Builder<'_>, outputs: &[Measure], grouping: &mut Grouping) {
    for slot in &builder.frame.groups {
        let Some(filler) = builder.binding.fillers.get(*slot).cloned() else { continue };
        let keys = keys_of(builder, &filler);
        grouping.by.extend(keys);
        let already = outputs.iter().any(|output| match output {
            Measure::Plain(other) => {
                other == slot
                    || builder.binding.fillers.get(*other).is_some_and(|other| {
                        other.table == filler.table && filler.column.is_none()
                            || other.column == filler.column && filler.column.is_some()
                    })
            }
            _ => false,
        });
        if !already && builder.oracle.decide("group_returned", true) {
            let shown = shown(builder, &filler);
            grouping.returned.extend(shown);
        }
    }
}

/// Sorts groups by what each of them has one value of: an ordering never makes more groups. *Sorted by name* is sorted by
/// what the groups are called. None where the words ask for a thing that groups do not have.
pub(crate) fn sort_groups(knowledge: &Knowledge, select: &Select, orders: &mut [Order]) -> Option<()> {
    if select.group_by.is_empty() {
        return Some(());
    }
    let entry = |column: &ColumnRef| {
        let table = knowledge.table_named(&column.table)?;
        Some((table, knowledge.column_named(table, &column.column)?))
    };
    let names_rows = |(table, id): (TableId, ColumnId)| {
        let column = knowledge.column(id);
        column.is_key || column.unique || knowledge.table(table).label.contains(&id)
    };
    for order in orders {
        let Expr::Column(column) = &order.expr else { continue };
        let follows = select.group_by.iter().any(|key| match key {
            Expr::Column(key) => {
                key == column || key.table == column.table && entry(key).is_some_and(names_rows)
            }
            _ => false,
        });
        if follows {
            continue;
        }
        let is_name = entry(column).is_some_and(|(table, id)| knowledge.table(table).label.contains(&id));
        let mut shown = select.projection.iter().map(|item| &item.expr).filter(|expr| !expr.is_aggregate());
        order.expr = shown.next().filter(|_| is_name)?.clone();
    }
    Some(())
}

/// Adds to the groups' keys the columns that are returned or sorted by and do not follow from them: databases other
/// than SQLite accept no others.
pub(crate) fn complete<'e>(
    knowledge: &Knowledge,
    select: &mut Select,
    sorted: impl Iterator<Item = &'e Expr>,
) {
    if select.group_by.is_empty() {
        return;
    }
    let said: Vec<Expr> =
        select.projection.iter().map(|item| item.expr.clone()).chain(sorted.cloned()).collect();
    for expr in said {
        let Expr::Column(column) = &expr else { continue };
        let key = knowledge.table_named(&column.table).map(|table| &knowledge.table(table).key);
        let keyed = |key: &Vec<ColumnId>| {
            !key.is_empty()
                && key.iter().all(|id| {
                    select.group_by.contains(&Expr::column(&column.table, &knowledge.column(*id).name))
                })
        };
        if !select.group_by.contains(&expr) && !key.is_some_and(keyed) {
            select.group_by.push(expr);
        }
    }
}

fn first_plain(builder: &Builder<'_>, outputs: &[Measure]) -> Option<Filler> {
    outputs
        .iter()
        .filter(|output| matches!(output, Measure::Plain(_)))
        .find_map(|output| builder.filler(output))
        .cloned()
}

/// The key of groups for something returned: its own column where the rows counted are of the same table, the key
/// of its table where they are of another.
fn group_key(builder: &mut Builder<'_>, filler: &Filler, counted: Option<TableId>) -> Vec<Expr> {
    let Some(column) = filler.column else { return keys_of(builder, filler) };
    let elsewhere = counted.is_some_and(|counted| counted != filler.table)
        || counted.is_none() && names_rows(builder, column);
    let key = builder.knowledge.table(filler.table).key.clone();
    // *the name and salary of the employee with the most certificates*: a group is an employee.
    let tells_apart = builder.frame.outputs.len() > 1
        && builder
            .frame
            .outputs
            .iter()
            .filter_map(|output| builder.filler(output)?.column)
            .any(|column| names_rows(builder, column) || builder.knowledge.column(column).is_key);
    let things = tells_apart
        && builder.frame.entity.and_then(|slot| builder.binding.fillers.get(slot)).is_some_and(|thing| {
            thing.column.is_none()
                && thing.table == filler.table
                && counted.is_some_and(|counted| counted != thing.table)
        });
    let usual = elsewhere && !key.is_empty() && (names_rows(builder, column) || things);
    if !key.is_empty() && !key.contains(&column) && counted.is_some_and(|counted| counted != filler.table)
        || usual
    {
        let by_key = builder.oracle.decide("groups_by_key", usual);
        if by_key {
            return key.into_iter().take(1).map(|column| builder.column(column)).collect();
        }
    }
    vec![builder.column(column)]
}

/// True for the column by which the rows of its table are named.
fn names_rows(builder: &Builder<'_>, column: ColumnId) -> bool {
    let table = builder.knowledge.column(column).table;
    builder.knowledge.table(table).label.contains(&column)
}

/// The key of groups said in words.
fn keys_of(builder: &mut Builder<'_>, filler: &Filler) -> Vec<Expr> {
    match filler.column {
        Some(column) => vec![builder.column(column)],
        None => {
            let entry = builder.knowledge.table(filler.table);
            let keys = if entry.key.is_empty() { entry.label.clone() } else { entry.key.clone() };
            keys.into_iter().take(1).map(|column| builder.column(column)).collect()
        }
    }
}

/// What is returned to tell groups apart.
fn shown(builder: &mut Builder<'_>, filler: &Filler) -> Vec<Expr> {
    match filler.column {
        Some(column) => vec![builder.column(column)],
        None => {
            let entry = builder.knowledge.table(filler.table);
            let mut readings = Vec::new();
            if !entry.label.is_empty() {
                readings.push(entry.label.clone());
            }
            if !entry.key.is_empty() && entry.key != entry.label {
                readings.push(entry.key.clone());
            }
            let taken = builder.oracle.choose("group_shown_as", readings.len());
            readings
                .get(taken)
                .cloned()
                .unwrap_or_default()
                .into_iter()
                .map(|column| builder.column(column))
                .collect()
        }
    }
}
