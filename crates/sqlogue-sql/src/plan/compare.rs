//! What changed from one plan to the next: the refinement summary, derived and never asked for.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::layers::Flat;
use super::{Condition, Expr, Order, Projection, QueryPlan};

/// One difference between two plans. Its [`Display`] is a sentence without the full stop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum PlanChange {
    /// Other tables altogether.
    SubjectChanged {
        /// The tables before.
        before: Vec<String>,
        /// The tables now.
        after: Vec<String>,
    },
    /// A table was joined.
    TableAdded {
        /// Its name.
        table: String,
    },
    /// A table is no longer joined.
    TableRemoved {
        /// Its name.
        table: String,
    },
    /// Something more is shown.
    ColumnAdded {
        /// What.
        expr: Expr,
    },
    /// Something is no longer shown.
    ColumnRemoved {
        /// What.
        expr: Expr,
    },
    /// Something else is shown.
    ColumnsReplaced {
        /// What is shown now; empty for every column.
        after: Vec<Expr>,
    },
    /// A condition more.
    FilterAdded {
        /// The condition.
        condition: Condition,
    },
    /// A condition less.
    FilterRemoved {
        /// The condition.
        condition: Condition,
    },
    /// A condition on the same thing, with another value or comparison.
    FilterChanged {
        /// The condition before.
        before: Condition,
        /// The condition now.
        after: Condition,
    },
    /// Rows are grouped otherwise; empty for not at all.
    GroupingChanged {
        /// What one row stands for now.
        after: Vec<Expr>,
    },
    /// Rows are sorted otherwise; empty for not at all.
    OrderChanged {
        /// The ordering now.
        after: Vec<Order>,
    },
    /// Another number of rows at most; none for all.
    LimitChanged {
        /// The limit now.
        after: Option<u64>,
    },
    /// Another number of rows skipped.
    OffsetChanged {
        /// The rows skipped now.
        after: Option<u64>,
    },
    /// Whether equal rows are shown once.
    DistinctChanged {
        /// Whether they are now.
        after: bool,
    },
    /// Selections are combined otherwise.
    CombinationChanged {
        /// The whole as it is now.
        after: Box<QueryPlan>,
    },
    /// The rows of the previous query are now what is asked about.
    AskedOfAnswer,
}

/// What changed from one plan to the next, in the order in which people would say it.
///
/// Two equal plans have no changes.
pub fn compare(before: &QueryPlan, after: &QueryPlan) -> Vec<PlanChange> {
    let mut changes = Vec::new();
    if asks_of_answer(before, after) {
        changes.push(PlanChange::AskedOfAnswer);
        changes.extend(column_changes(&[Expr::All(None)], &shown(&after.select.projection)));
        let conditions: Vec<Condition> = after.select.filter.iter().flat_map(Condition::parts).collect();
        changes.extend(condition_changes(&[], &conditions));
        return changes;
    }
    let (old, new) = (Flat::of(before), Flat::of(after));
    changes.extend(table_changes(&old.tables, &new.tables));
    changes.extend(match changes.as_slice() {
        // The number of something else is another column, even where it is called the same.
        [PlanChange::SubjectChanged { .. }] => vec![PlanChange::ColumnsReplaced { after: new.shown.clone() }],
        _ => column_changes(&old.shown, &same_all(&new, &old)),
    });
    changes.extend(condition_changes(&old.filters, &new.filters));
    if old.groups != new.groups {
        changes.push(PlanChange::GroupingChanged { after: new.groups });
    }
    changes.extend(condition_changes(&old.having, &new.having));
    if before.select.distinct != after.select.distinct {
        changes.push(PlanChange::DistinctChanged { after: after.select.distinct });
    }
    if before.set_operations != after.set_operations {
        changes.push(PlanChange::CombinationChanged { after: Box::new(after.clone()) });
    }
    if old.order_by != new.order_by {
        changes.push(PlanChange::OrderChanged { after: new.order_by });
    }
    if before.limit != after.limit {
        changes.push(PlanChange::LimitChanged { after: after.limit });
    }
    if before.offset != after.offset {
        changes.push(PlanChange::OffsetChanged { after: after.offset });
    }
    changes
}

/// The changes as one line: `Added filter: customers.city = 'Rome'. Sorted by name.`
///
/// Tables and columns that come or go are said together (`Added columns: price, stock.`). Of another subject it is said what is
/// asked of it, and not what went with the one before. Empty where nothing changed.
pub fn summary(changes: &[PlanChange]) -> String {
    let is_other = changes.iter().any(|change| matches!(change, PlanChange::SubjectChanged { .. }));
    let told: Vec<&PlanChange> =
        changes.iter().filter(|change| !(is_other && change.only_takes_away())).collect();
    let alike = |one: &&PlanChange, other: &&PlanChange| {
        one.listed().zip(other.listed()).is_some_and(|((one, _), (other, _))| one == other)
    };
    let said = told.chunk_by(alike).map(|alike| match alike {
        [first, _, ..] => {
            let items: Vec<String> =
                alike.iter().filter_map(|one| one.listed()).map(|(_, item)| item).collect();
            let what = first.listed().map_or("", |(what, _)| what);
            format!("{what}s: {}.", items.join(", "))
        }
        one => one.iter().map(|change| format!("{change}.")).collect(),
    });
    said.collect::<Vec<_>>().join(" ")
}

/// True where the new plan reads its rows from the old one.
fn asks_of_answer(before: &QueryPlan, after: &QueryPlan) -> bool {
    match &after.select.from {
        super::Source::Query { query, .. } => {
            after.select.joins.is_empty() && query.select.from == before.select.from
        }
        super::Source::Table(_) => false,
    }
}

fn table_changes(before: &[String], after: &[String]) -> Vec<PlanChange> {
    let has = |tables: &[String], name: &str| tables.iter().any(|table| table.eq_ignore_ascii_case(name));
    if !before.is_empty() && !after.is_empty() && !before.iter().any(|table| has(after, table)) {
        return vec![PlanChange::SubjectChanged { before: before.to_vec(), after: after.to_vec() }];
    }
    let removed = before.iter().filter(|table| !has(after, table));
    let added = after.iter().filter(|table| !has(before, table));
    removed
        .map(|table| PlanChange::TableRemoved { table: table.clone() })
        .chain(added.map(|table| PlanChange::TableAdded { table: table.clone() }))
        .collect()
}

/// What is shown, where every column of the only table before is said as before: a join beside it shows no others.
fn same_all(new: &Flat, old: &Flat) -> Vec<Expr> {
    let (all, [only]) = (Expr::All(None), old.tables.as_slice()) else { return new.shown.clone() };
    let is_same = |table: &str| table.eq_ignore_ascii_case(only) && old.shown.contains(&all);
    let plain = |expr: &Expr| match expr {
        Expr::All(Some(table)) if is_same(table) => all.clone(),
        other => other.clone(),
    };
    new.shown.iter().map(plain).collect()
}

fn column_changes(before: &[Expr], after: &[Expr]) -> Vec<PlanChange> {
    if before == after {
        return Vec::new();
    }
    if !before.iter().any(|expr| after.contains(expr)) {
        return vec![PlanChange::ColumnsReplaced { after: after.to_vec() }];
    }
    let removed = before.iter().filter(|expr| !after.contains(expr));
    let added = after.iter().filter(|expr| !before.contains(expr));
    removed
        .map(|expr| PlanChange::ColumnRemoved { expr: expr.clone() })
        .chain(added.map(|expr| PlanChange::ColumnAdded { expr: expr.clone() }))
        .collect()
}

fn shown(projection: &[Projection]) -> Vec<Expr> {
    match projection {
        [] => vec![Expr::All(None)],
        some => some.iter().map(|projection| projection.expr.clone()).collect(),
    }
}

fn condition_changes(before: &[Condition], after: &[Condition]) -> Vec<PlanChange> {
    let mut removed: Vec<Condition> =
        before.iter().filter(|condition| !after.contains(condition)).cloned().collect();
    let mut changes = Vec::new();
    for condition in after.iter().filter(|condition| !before.contains(condition)).cloned() {
        let same =
            removed.iter().position(|old| old.subject().is_some() && old.subject() == condition.subject());
        changes.push(match same {
            Some(at) => PlanChange::FilterChanged { before: removed.remove(at), after: condition },
            None => PlanChange::FilterAdded { condition },
        });
    }
    let gone = removed.into_iter().map(|condition| PlanChange::FilterRemoved { condition });
    gone.chain(changes).collect()
}

impl PlanChange {
    /// What is said in a list: the words before it, and the item.
    fn listed(&self) -> Option<(&'static str, String)> {
        match self {
            Self::TableAdded { table } => Some(("Added table", table.clone())),
            Self::TableRemoved { table } => Some(("Removed table", table.clone())),
            Self::ColumnAdded { expr } => Some(("Added column", format!("{expr:#}"))),
            Self::ColumnRemoved { expr } => Some(("Removed column", format!("{expr:#}"))),
            _ => None,
        }
    }

    /// Whether something is no longer done, and nothing else is done in its place.
    fn only_takes_away(&self) -> bool {
        match self {
            Self::FilterRemoved { .. }
            | Self::LimitChanged { after: None }
            | Self::OffsetChanged { after: None } => true,
            Self::GroupingChanged { after } => after.is_empty(),
            Self::OrderChanged { after } => after.is_empty(),
            Self::DistinctChanged { after } => !after,
            Self::CombinationChanged { after } => after.set_operations.is_empty(),
            _ => false,
        }
    }
}

impl Display for PlanChange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some((what, item)) = self.listed() {
            return write!(f, "{what}: {item}");
        }
        match self {
            Self::SubjectChanged { before, after } => {
                write!(f, "Asked about {} instead of {}", after.join(", "), before.join(", "))
            }
            // They are said as items of a list.
            Self::TableAdded { .. }
            | Self::TableRemoved { .. }
            | Self::ColumnAdded { .. }
            | Self::ColumnRemoved { .. } => Ok(()),
            Self::ColumnsReplaced { after } if after.as_slice() == [Expr::All(None)] => {
                f.write_str("Shows every column")
            }
            Self::ColumnsReplaced { after } => write!(f, "Shows {}", short(after)),
            Self::FilterAdded { condition } => write!(f, "Added filter: {condition}"),
            Self::FilterRemoved { condition } => write!(f, "Removed filter: {condition}"),
            Self::FilterChanged { before, after } => write!(f, "Changed filter: {before} is now {after}"),
            Self::GroupingChanged { after } if after.is_empty() => f.write_str("No longer grouped"),
            Self::GroupingChanged { after } => write!(f, "Grouped by {}", once(after)),
            Self::OrderChanged { after } if after.is_empty() => f.write_str("No longer sorted"),
            Self::OrderChanged { after } => write!(f, "Sorted by {}", short(after)),
            Self::LimitChanged { after: Some(1) } => f.write_str("Limited to 1 row"),
            Self::LimitChanged { after: Some(limit) } => write!(f, "Limited to {limit} rows"),
            Self::LimitChanged { after: None } => f.write_str("Removed the limit"),
            Self::OffsetChanged { after } => write!(f, "Skips {} rows", after.unwrap_or(0)),
            Self::DistinctChanged { after: true } => f.write_str("Shows equal rows once"),
            Self::DistinctChanged { after: false } => f.write_str("Shows equal rows as often as they come"),
            Self::CombinationChanged { after } if after.set_operations.is_empty() => {
                f.write_str("No longer combined with another selection")
            }
            Self::CombinationChanged { after } => {
                f.write_str("Combined with")?;
                for operation in &after.set_operations {
                    let select = QueryPlan::from(operation.select.clone());
                    write!(f, " {} ({select:#})", operation.operator.name())?;
                }
                Ok(())
            }
            Self::AskedOfAnswer => f.write_str("Asked about the rows of the last answer"),
        }
    }
}

/// Columns without their tables, as people say them.
fn short<T: Display>(items: &[T]) -> String {
    items.iter().map(|item| format!("{item:#}")).collect::<Vec<_>>().join(", ")
}

/// The same with each of equal words once: the name of a weekday and its number are groups of one thing.
fn once<T: Display>(items: &[T]) -> String {
    let mut said: Vec<String> = Vec::new();
    for item in items.iter().map(|item| format!("{item:#}")) {
        if !said.contains(&item) {
            said.push(item);
        }
    }
    said.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Comparison, Direction, Join, JoinKind, Select, TableUse};

    fn customers() -> QueryPlan {
        QueryPlan::from(Select::from_table("customers").project(Expr::column("customers", "name")))
    }

    fn city(name: &str) -> Condition {
        Condition::equal(Expr::column("customers", "city"), Expr::literal(name))
    }

    fn said(before: &QueryPlan, after: &QueryPlan) -> String {
        summary(&compare(before, after))
    }

    #[test]
    fn a_filter_and_an_ordering_are_said_in_one_line() {
        let mut after = customers();
        after.select = after.select.filter(city("Rome"));
        after.order_by =
            vec![Order { expr: Expr::column("customers", "name"), direction: Direction::Ascending }];
        assert_eq!(said(&customers(), &after), "Added filter: customers.city = 'Rome'. Sorted by name.");
        assert_eq!(said(&after, &customers()), "Removed filter: customers.city = 'Rome'. No longer sorted.");
        assert_eq!(said(&after, &after), "");
    }

    #[test]
    fn a_changed_value_is_one_change() {
        let (mut before, mut after) = (customers(), customers());
        before.select = before.select.filter(city("Rome"));
        after.select = after.select.filter(city("Paris"));
        assert_eq!(
            said(&before, &after),
            "Changed filter: customers.city = 'Rome' is now customers.city = 'Paris'."
        );
    }

    #[test]
    fn columns_tables_and_limits_are_said() {
        let mut after = customers();
        after.select = after.select.project(Expr::count_all());
        after.select.joins.push(Join::new(JoinKind::Inner, TableUse::new("orders"), Vec::new()));
        after.select.group_by = vec![Expr::column("customers", "id")];
        after.select.having =
            Some(Condition::compare(Expr::count_all(), Comparison::Greater, Expr::literal(5)));
        after.limit = Some(3);
        assert_eq!(
            said(&customers(), &after),
            "Added table: orders. Added column: count(*). Grouped by id. Added filter: count(*) > 5. Limited to 3 rows."
        );
    }

    #[test]
    fn another_subject_is_said_as_such() {
        let orders = QueryPlan::from(Select::from_table("orders").project(Expr::count_all()));
        assert_eq!(said(&customers(), &orders), "Asked about orders instead of customers. Shows count(*).");
        // What went with the customers is not told.
        let mut first = customers();
        first.select = first.select.filter(city("Rome"));
        first.limit = Some(3);
        assert_eq!(said(&first, &orders), "Asked about orders instead of customers. Shows count(*).");
    }

    #[test]
    fn what_comes_or_goes_is_said_together() {
        let mut after = customers();
        after.select = after
            .select
            .project(Expr::column("customers", "city"))
            .project(Expr::column("customers", "email"));
        assert_eq!(said(&customers(), &after), "Added columns: city, email.");
        assert_eq!(said(&after, &customers()), "Removed columns: city, email.");
    }
}
