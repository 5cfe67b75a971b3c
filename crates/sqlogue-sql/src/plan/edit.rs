//! Typed changes to a plan: what a follow-up does to the query before it.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::compare::{PlanChange, compare, summary};
use super::{Aggregate, ColumnRef, Condition, Expr, Join, Order, QueryPlan, TableUse};

mod aggregate;
mod columns;
mod entity;
mod filter;
mod order;
mod source;

/// One change to a plan, applied with [`QueryPlan::apply`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case")]
pub enum PlanEdit {
    /// Shows something more. Beside every column (`SELECT *`) it is shown once more, at the end.
    AddColumn {
        /// What is shown.
        expr: Expr,
    },
    /// Shows something no longer.
    RemoveColumn {
        /// What was shown.
        expr: Expr,
    },
    /// Shows these instead of what was shown.
    ReplaceColumns {
        /// What is shown; empty for every column.
        columns: Vec<Expr>,
    },
    /// Adds a condition on what the question is about, before it is sorted and cut.
    ///
    /// A condition on an aggregate becomes a condition on groups; in a combination of selections it reaches every
    /// selection that decides about rows.
    AddFilter {
        /// The condition.
        condition: Condition,
    },
    /// Adds a condition on the rows that were shown (`which of them …`): they are cut first and filtered then.
    FilterShown {
        /// The condition.
        condition: Condition,
        /// The column that tells the rows of the first table apart, where rows were cut.
        key: Option<ColumnRef>,
    },
    /// Puts a condition in the place of those on the same thing.
    ReplaceFilter {
        /// The condition.
        condition: Condition,
    },
    /// Takes one condition away.
    RemoveFilter {
        /// The condition.
        condition: Condition,
    },
    /// Takes every condition on rows and groups away.
    ClearFilters,
    /// Sorts by this and nothing else.
    SetOrder {
        /// The ordering, most significant first.
        order: Vec<Order>,
    },
    /// Sorts by one thing more, where the ordering so far leaves rows equal.
    AddOrder {
        /// The further key.
        order: Order,
    },
    /// Turns the ordering round.
    ReverseOrder,
    /// Sorts no longer.
    ClearOrder,
    /// Shows at most this many rows.
    SetLimit {
        /// The limit.
        limit: u64,
    },
    /// Shows all rows.
    ClearLimit,
    /// Shows equal rows once, or as often as they come.
    SetDistinct {
        /// True for once.
        distinct: bool,
    },
    /// Summarises the rows for each value of something.
    GroupBy {
        /// What one row stands for.
        by: Vec<Expr>,
        /// What is shown of each group; empty for what is already summarised, or else the number of rows.
        measures: Vec<Expr>,
    },
    /// Summarises what was shown in one row: counts it, adds it up.
    Aggregate {
        /// How it is summarised.
        function: Aggregate,
        /// What is summarised; nothing for counting rows, or where one column is shown.
        argument: Option<Expr>,
    },
    /// Takes another summary of the same (`what about the maximum?`).
    ChangeAggregate {
        /// The new summary.
        function: Aggregate,
    },
    /// Shows the rows of a table that were *not* meant before (`who do not?`).
    Negate {
        /// The table whose rows are shown.
        entity: TableUse,
        /// The column that tells its rows apart.
        key: ColumnRef,
    },
    /// Joins tables. One that is already there is left as it is.
    AddJoin {
        /// The joins, each referring only to tables before it.
        joins: Vec<Join>,
    },
    /// Puts another plan in the place of this one, where what changes is more than single edits can say.
    Restate {
        /// The plan as it is to be.
        plan: Box<QueryPlan>,
        /// What changes, in a sentence.
        changes: String,
        /// How much of the query that touches.
        weight: EditWeight,
    },
    /// Asks the same of another table.
    ReplaceEntity {
        /// The name of the use that goes.
        from: String,
        /// The table that comes.
        to: TableUse,
        /// Which column takes the place of which.
        columns: Vec<(String, String)>,
    },
}

/// Why an edit does not fit a plan.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EditError {
    /// The column to take away is not shown.
    #[error("`{0}` is not shown")]
    ColumnNotShown(Box<Expr>),
    /// The plan shows every column, and which those are only the schema knows.
    #[error("every column is shown, so `{0}` cannot be taken away without naming the others")]
    EveryColumnShown(Box<Expr>),
    /// Nothing would be left to show.
    #[error("`{0}` is the only column shown")]
    LastColumn(Box<Expr>),
    /// One row summarises all, so a column of one row cannot stand beside it.
    #[error("the query summarises all rows in one, so `{0}` cannot be shown beside it")]
    Summarised(Box<Expr>),
    /// Single rows are shown, so a summary of many cannot stand beside them, and they cannot be sorted by it.
    #[error("`{0}` summarises rows, and the query shows them one by one")]
    SingleRows(Box<Expr>),
    /// The table is not in the query.
    #[error("the query does not use the table `{0}`")]
    TableNotUsed(String),
    /// The condition to take away or to change is not there.
    #[error("the query has no filter `{0}`")]
    NoSuchFilter(Box<Condition>),
    /// A condition on groups where nothing is grouped.
    #[error("`{0}` is a condition on groups, and the query has none")]
    NotGrouped(Box<Condition>),
    /// There are no conditions to take away.
    #[error("the query has no filters")]
    NoFilters,
    /// There is no ordering to turn round.
    #[error("the query is not sorted")]
    NotSorted,
    /// A combination of selections is sorted by what it shows, and this is not shown.
    #[error("`{0}` is not shown by every part of the query, so the whole cannot be sorted by it")]
    OrderNotShown(Box<Expr>),
    /// There is no limit to take away.
    #[error("the query has no limit")]
    NotLimited,
    /// Several columns are shown, and it is not said which to summarise.
    #[error("the query shows several columns, and it is not said which to summarise")]
    WhichColumn,
    /// There is no summary to change.
    #[error("the query summarises nothing")]
    NotSummarised,
    /// The query combines several selections, which this edit cannot reach into.
    #[error("the query combines several selections")]
    Combined,
    /// Rows were cut, and nothing tells them apart.
    #[error("the shown rows were cut at {0}, and no key tells them apart")]
    NoKey(u64),
    /// A column has no counterpart in the other table.
    #[error("`{0}` has no counterpart in the table `{1}`")]
    NoCounterpart(ColumnRef, String),
    /// The new limit is not a number of rows.
    #[error("a query must show at least one row")]
    EmptyLimit,
}

/// How much of a query an edit touches: which way the turn takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditWeight {
    /// The query's text changes in one place: columns, ordering, limit. No new plan is needed.
    Inline,
    /// The plan changes: filters, grouping, a table more.
    Update,
    /// Another plan: other tables.
    Rewrite,
}

impl PlanEdit {
    /// The edit that puts one plan in the place of another.
    pub fn restate(before: &QueryPlan, after: QueryPlan) -> Self {
        let changes = compare(before, &after);
        let weight = |change: &PlanChange| match change {
            PlanChange::SubjectChanged { .. } => EditWeight::Rewrite,
            PlanChange::ColumnAdded { .. }
            | PlanChange::ColumnRemoved { .. }
            | PlanChange::ColumnsReplaced { .. }
            | PlanChange::OrderChanged { .. }
            | PlanChange::LimitChanged { .. }
            | PlanChange::OffsetChanged { .. }
            | PlanChange::DistinctChanged { .. } => EditWeight::Inline,
            _ => EditWeight::Update,
        };
        let weight = changes.iter().map(weight).max().unwrap_or(EditWeight::Inline);
        Self::Restate { plan: Box::new(after), changes: summary(&changes), weight }
    }

    /// How much of a query this edit touches.
    pub fn weight(&self) -> EditWeight {
        match self {
            Self::AddColumn { .. }
            | Self::RemoveColumn { .. }
            | Self::ReplaceColumns { .. }
            | Self::SetOrder { .. }
            | Self::AddOrder { .. }
            | Self::ReverseOrder
            | Self::ClearOrder
            | Self::SetLimit { .. }
            | Self::ClearLimit
            | Self::SetDistinct { .. } => EditWeight::Inline,
            Self::AddFilter { .. }
            | Self::FilterShown { .. }
            | Self::ReplaceFilter { .. }
            | Self::RemoveFilter { .. }
            | Self::ClearFilters
            | Self::GroupBy { .. }
            | Self::Aggregate { .. }
            | Self::ChangeAggregate { .. }
            | Self::Negate { .. }
            | Self::AddJoin { .. } => EditWeight::Update,
            Self::Restate { weight, .. } => *weight,
            Self::ReplaceEntity { .. } => EditWeight::Rewrite,
        }
    }

    /// The edit as an instruction: `Add filter Status = 'Active'`.
    pub fn instruction(&self) -> String {
        match self {
            Self::AddColumn { expr } => format!("Add column {expr:#}"),
            Self::RemoveColumn { expr } => format!("Remove column {expr:#}"),
            Self::ReplaceColumns { columns } if columns.is_empty() => "Show every column".to_owned(),
            Self::ReplaceColumns { columns } => format!("Show {} instead", short(columns)),
            Self::AddFilter { condition } => format!("Add filter {condition:#}"),
            Self::FilterShown { condition, .. } => format!("Keep of the shown rows those with {condition:#}"),
            Self::ReplaceFilter { condition } => format!("Change filter to {condition:#}"),
            Self::RemoveFilter { condition } => format!("Remove filter {condition:#}"),
            Self::ClearFilters => "Remove all filters".to_owned(),
            Self::SetOrder { order } => format!("Sort by {}", short(order)),
            Self::AddOrder { order } => format!("Sort also by {order:#}"),
            Self::ReverseOrder => "Reverse the order".to_owned(),
            Self::ClearOrder => "Remove the ordering".to_owned(),
            Self::SetLimit { limit } => format!("Limit to {limit}"),
            Self::ClearLimit => "Remove the limit".to_owned(),
            Self::SetDistinct { distinct: true } => "Show equal rows once".to_owned(),
            Self::SetDistinct { distinct: false } => "Show equal rows as often as they come".to_owned(),
            Self::GroupBy { by, measures } if measures.is_empty() => format!("Group by {}", short(by)),
            Self::GroupBy { by, measures } => format!("Show {} for each {}", short(measures), short(by)),
            Self::Aggregate { function, argument: Some(argument) } => {
                format!("Compute {}({argument:#}) of what was shown", function.name())
            }
            Self::Aggregate { function, argument: None } => {
                format!("Compute the {} of what was shown", function.name())
            }
            Self::ChangeAggregate { function } => format!("Compute {} instead", function.name()),
            Self::Negate { entity, .. } => format!("Show the {} that were not meant before", entity.table),
            Self::AddJoin { joins } => {
                let tables: Vec<&str> = joins.iter().map(|join| join.table.table.as_str()).collect();
                format!("Join {}", tables.join(", "))
            }
            Self::Restate { changes, .. } => changes.trim_end_matches('.').to_owned(),
            Self::ReplaceEntity { from, to, .. } => format!("Ask the same of {} instead of {from}", to.table),
        }
    }
}

/// The weight of several edits: that of the heaviest; none for no edits.
pub fn weight(edits: &[PlanEdit]) -> Option<EditWeight> {
    edits.iter().map(PlanEdit::weight).max()
}

/// Several edits as one instruction (`Join orders; add filter status = 'open'`).
pub fn instructions(edits: &[PlanEdit]) -> String {
    let mut text = String::new();
    for instruction in edits.iter().map(PlanEdit::instruction) {
        if text.is_empty() {
            text = instruction;
        } else {
            let mut letters = instruction.chars();
            let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
            text = format!("{text}; {first}{}", letters.as_str());
        }
    }
    text
}

impl QueryPlan {
    /// This plan with an edit applied.
    ///
    /// # Errors
    /// [`EditError`] says why the edit does not fit; the plan is then as it was.
    pub fn apply(&self, edit: &PlanEdit) -> Result<Self, EditError> {
        let plan = self.clone();
        match edit {
            PlanEdit::AddColumn { expr } => columns::add(plan, expr),
            PlanEdit::RemoveColumn { expr } => columns::remove(plan, expr),
            PlanEdit::ReplaceColumns { columns } => columns::replace(plan, columns),
            PlanEdit::SetDistinct { distinct } => columns::set_distinct(plan, *distinct),
            PlanEdit::AddFilter { condition } => filter::add(plan, condition),
            PlanEdit::FilterShown { condition, key } => filter::add_to_shown(plan, condition, key.as_ref()),
            PlanEdit::ReplaceFilter { condition } => filter::replace(plan, condition),
            PlanEdit::RemoveFilter { condition } => filter::remove(plan, condition),
            PlanEdit::ClearFilters => filter::clear(plan),
            PlanEdit::SetOrder { order } => order::set(plan, order),
            PlanEdit::AddOrder { order } => order::add(plan, order),
            PlanEdit::ReverseOrder => order::reverse(plan),
            PlanEdit::ClearOrder => order::clear(plan),
            PlanEdit::SetLimit { limit } => order::set_limit(plan, *limit),
            PlanEdit::ClearLimit => order::clear_limit(plan),
            PlanEdit::GroupBy { by, measures } => aggregate::group_by(plan, by, measures),
            PlanEdit::Aggregate { function, argument } => {
                aggregate::summarise(plan, *function, argument.as_ref())
            }
            PlanEdit::ChangeAggregate { function } => aggregate::change(plan, *function),
            PlanEdit::Negate { entity, key } => entity::negate(plan, entity, key),
            PlanEdit::AddJoin { joins } => entity::join(plan, joins),
            PlanEdit::Restate { plan, .. } => Ok(plan.as_ref().clone()),
            PlanEdit::ReplaceEntity { from, to, columns } => entity::replace(plan, from, to, columns),
        }
    }

    /// This plan with several edits applied, one after the other.
    ///
    /// # Errors
    /// The first edit that does not fit says why.
    pub fn apply_all<'a>(&self, edits: impl IntoIterator<Item = &'a PlanEdit>) -> Result<Self, EditError> {
        edits.into_iter().try_fold(self.clone(), |plan, edit| plan.apply(edit))
    }

    /// True where the table is in use under that name in the first selection.
    fn uses(&self, name: &str) -> bool {
        uses(&self.select, name)
    }
}

fn uses(select: &super::Select, name: &str) -> bool {
    select.from.name() == name || select.tables().any(|table| table.name() == name)
}

/// The first table that an expression or condition needs and a selection does not use.
fn unused_table<'a>(
    select: &super::Select,
    columns: impl IntoIterator<Item = &'a ColumnRef>,
) -> Option<&'a str> {
    columns.into_iter().map(|column| column.table.as_str()).find(|table| !uses(select, table))
}

fn short<T: std::fmt::Display>(items: &[T]) -> String {
    items.iter().map(|item| format!("{item:#}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod analysis_tests;
#[cfg(test)]
mod tests;
