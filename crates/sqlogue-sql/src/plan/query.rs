//! Queries: what is selected, from where, in which order.

use serde::{Deserialize, Serialize};

use super::{ColumnRef, Condition, Expr};

/// A whole query: one or more selections combined, then sorted and cut.
///
/// ```
/// use sqlogue_sql::plan::{Expr, QueryPlan, Select};
///
/// let plan = QueryPlan::from(Select::from_table("orders").project(Expr::count_all()));
/// assert_eq!(plan.select.projection.len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryPlan {
    /// Queries that this one, and those nested in it, read as tables ([`TableUse`]) by their names. Each may read those
    /// before it. A name stands for such a query even where the schema has a table of the same name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<NamedQuery>,
    /// The first selection.
    pub select: Select,
    /// What it is combined with, from left to right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_operations: Vec<SetOperation>,
    /// How the whole is sorted, most significant first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order_by: Vec<Order>,
    /// At most this many rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Rows skipped before the first one returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

/// A query under a name. Its columns have the names that its projection gives them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NamedQuery {
    /// The name.
    pub name: String,
    /// The query.
    pub query: QueryPlan,
}

/// One `SELECT` without ordering.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Select {
    /// Whether equal rows are returned once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub distinct: bool,
    /// What is returned, in order. Empty means every column ([`Expr::All`]).
    pub projection: Vec<Projection>,
    /// The first table.
    pub from: Source,
    /// The tables joined to it, in an order in which each refers only to those before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joins: Vec<Join>,
    /// Which rows count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Condition>,
    /// What one row of the result stands for, where rows are grouped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub group_by: Vec<Expr>,
    /// Which groups count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub having: Option<Condition>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// One returned expression, with the name it is given, if any.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Projection {
    /// What is returned.
    pub expr: Expr,
    /// The name of the result's column, where it is not the expression's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
}

/// Where rows come from first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A table, a view, or a named query.
    Table(TableUse),
    /// The rows of another query, under a name.
    Query {
        /// The inner query.
        query: Box<QueryPlan>,
        /// The name by which columns refer to it.
        alias: String,
    },
}

impl Default for Source {
    fn default() -> Self {
        Self::Table(TableUse::default())
    }
}

/// One use of a table, or of a named query, in a query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TableUse {
    /// The table's name in the schema, or that of a named query.
    pub table: String,
    /// The name by which columns refer to this use, where the same table is used more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
}

/// A table added to a selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Join {
    /// What happens to rows without a partner.
    #[serde(default)]
    pub kind: JoinKind,
    /// The table that is added.
    pub table: TableUse,
    /// Pairs of columns that must be equal: one of an earlier table, one of this.
    pub on: Vec<(ColumnRef, ColumnRef)>,
    /// What must hold beside that for two rows to be partners. In a left join, rows without such a partner stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Condition>,
}

/// What a join does with rows that have no partner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JoinKind {
    /// They are left out.
    #[default]
    Inner,
    /// Those of the earlier tables stay, with NULLs.
    Left,
}

/// A second selection combined with what comes before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetOperation {
    /// How the two are combined.
    pub operator: SetOperator,
    /// The second selection.
    pub select: Select,
}

/// How two selections are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetOperator {
    /// Rows of either, equal ones once.
    Union,
    /// Rows of either, equal ones as often as they come.
    UnionAll,
    /// Rows of both.
    Intersect,
    /// Rows of the first that are not in the second.
    Except,
}

/// One key of an ordering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// What is compared.
    pub expr: Expr,
    /// Which end comes first.
    #[serde(default)]
    pub direction: Direction,
}

/// The direction of an ordering.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Smallest first.
    #[default]
    Ascending,
    /// Largest first.
    Descending,
}

impl Direction {
    /// The other direction.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}

impl Join {
    /// A table joined by pairs of columns that must be equal.
    pub fn new(kind: JoinKind, table: TableUse, on: Vec<(ColumnRef, ColumnRef)>) -> Self {
        Self { kind, table, on, filter: None }
    }

    /// The same, with partners only where a condition holds too.
    #[must_use]
    pub fn only(mut self, condition: Condition) -> Self {
        self.filter = Some(match self.filter {
            Some(filter) => filter.and(condition),
            None => condition,
        });
        self
    }
}

impl NamedQuery {
    /// A query under a name.
    pub fn new(name: impl Into<String>, query: impl Into<QueryPlan>) -> Self {
        Self { name: name.into(), query: query.into() }
    }
}

impl TableUse {
    /// A table under its own name.
    pub fn new(table: impl Into<String>) -> Self {
        Self { table: table.into(), alias: None }
    }

    /// The name by which columns refer to this use.
    pub fn name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.table)
    }
}

impl Source {
    /// The name by which columns refer to it.
    pub fn name(&self) -> &str {
        match self {
            Self::Table(table) => table.name(),
            Self::Query { alias, .. } => alias,
        }
    }
}

impl Select {
    /// Every column of one table, or of a named query.
    pub fn from_table(table: impl Into<String>) -> Self {
        Self { from: Source::Table(TableUse::new(table)), ..Self::default() }
    }

    /// Adds an expression to what is returned.
    #[must_use]
    pub fn project(mut self, expr: Expr) -> Self {
        self.projection.push(Projection::from(expr));
        self
    }

    /// Adds an expression under a name to what is returned.
    #[must_use]
    pub fn project_as(mut self, expr: Expr, alias: impl Into<String>) -> Self {
        self.projection.push(Projection { expr, alias: Some(alias.into()) });
        self
    }

    /// Adds something that one row of the result stands for, and returns it.
    #[must_use]
    pub fn group(mut self, key: Expr) -> Self {
        self.group_by.push(key.clone());
        self.project(key)
    }

    /// The same, returned under a name.
    #[must_use]
    pub fn group_as(mut self, key: Expr, alias: impl Into<String>) -> Self {
        self.group_by.push(key.clone());
        self.project_as(key, alias)
    }

    /// Adds a condition that must hold beside those already there.
    #[must_use]
    pub fn filter(mut self, condition: Condition) -> Self {
        self.filter = Some(match self.filter {
            Some(filter) => filter.and(condition),
            None => condition,
        });
        self
    }

    /// The uses of tables and named queries in this selection, the first one included, nested queries left out.
    pub fn tables(&self) -> impl Iterator<Item = &TableUse> {
        let first = match &self.from {
            Source::Table(table) => Some(table),
            Source::Query { .. } => None,
        };
        first.into_iter().chain(self.joins.iter().map(|join| &join.table))
    }
}

impl Order {
    /// The keys of an ordering, each thing once: a second key of the same thing sorts nothing.
    pub fn once(keys: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut once: Vec<Self> = Vec::new();
        for key in keys {
            if !once.iter().any(|other| other.expr == key.expr) {
                once.push(key);
            }
        }
        once
    }
}

impl From<Select> for QueryPlan {
    fn from(select: Select) -> Self {
        Self { select, ..Self::default() }
    }
}

impl From<Expr> for Projection {
    fn from(expr: Expr) -> Self {
        Self { expr, alias: None }
    }
}
