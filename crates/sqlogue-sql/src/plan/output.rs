//! The planner's answer in words that people and models share.

use serde::{Deserialize, Serialize};

use super::{ColumnRef, Condition, Expr, QueryPlan, Select};

/// What the planner understood of a question: tables, joins, filters, and why.
///
/// The lists are for people, prompts and lessons. Where the reasoner can give it, `query_plan` holds the same as a
/// typed query, from which SQL is rendered without asking anybody.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannerOutput {
    /// The tables that the query needs, with the columns it uses of each.
    pub tables: Vec<PlannedTable>,
    /// Whether more than one table must be joined.
    pub joins_needed: bool,
    /// The join conditions, once inferred.
    #[serde(default)]
    pub joins: Vec<JoinCondition>,
    /// The conditions on rows and groups, one a line (`orders.status = 'open'`).
    #[serde(default)]
    pub filters: Vec<String>,
    /// The aggregates (`count(*)`, `sum(order_items.quantity)`).
    #[serde(default)]
    pub aggregations: Vec<String>,
    /// What one row stands for, where rows are grouped.
    #[serde(default)]
    pub grouping: Vec<String>,
    /// The ordering, most significant first (`orders.total descending`).
    #[serde(default)]
    pub ordering: Vec<String>,
    /// At most this many rows.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Why this reading and no other.
    #[serde(default)]
    pub reasoning: String,
    /// How sure the reasoner is.
    #[serde(default)]
    pub confidence: Confidence,
    /// The words of the question that the plan does not account for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// What else speaks against the plan, one reason each; where there are any, it is not sure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// The same as a typed query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_plan: Option<QueryPlan>,
}

/// A table in a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannedTable {
    /// The table's name in the schema.
    pub name: String,
    /// The columns of it that the query uses, in schema spelling.
    pub columns: Vec<String>,
}

/// One pair of columns that joins two tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinCondition {
    /// The one side.
    pub left: ColumnRef,
    /// The other side.
    pub right: ColumnRef,
}

/// How sure somebody is, in the three steps that people can tell apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// More a guess than an answer.
    #[default]
    Low,
    /// Probably right.
    Medium,
    /// As good as certain.
    High,
}

impl Confidence {
    /// The name as written in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl JoinCondition {
    /// Whether it joins these two tables, whichever comes first.
    pub fn is_between(&self, one: &str, other: &str) -> bool {
        let (left, right) = (&self.left.table, &self.right.table);
        left.eq_ignore_ascii_case(one) && right.eq_ignore_ascii_case(other)
            || left.eq_ignore_ascii_case(other) && right.eq_ignore_ascii_case(one)
    }
}

impl PlannerOutput {
    /// A plan in words, with the reason for it.
    ///
    /// Tables of nested queries are listed too, since the query needs them; the other lists speak of the outer
    /// query, with nested ones inside their conditions.
    pub fn from_plan(plan: &QueryPlan, reasoning: impl Into<String>, confidence: Confidence) -> Self {
        let mut output = Self {
            reasoning: reasoning.into(),
            confidence,
            limit: plan.limit,
            ordering: plan.order_by.iter().map(ToString::to_string).collect(),
            query_plan: Some(plan.clone()),
            ..Self::default()
        };
        output.add_tables(plan, &mut Vec::new());
        for select in plan.selects() {
            output.joins_needed |= !select.joins.is_empty();
            let on = select.joins.iter().flat_map(|join| &join.on);
            output
                .joins
                .extend(on.map(|(left, right)| JoinCondition { left: left.clone(), right: right.clone() }));
            let partners = select.joins.iter().filter_map(|join| join.filter.as_ref());
            let conditions = partners.chain(&select.filter).chain(&select.having).flat_map(Condition::parts);
            output.filters.extend(conditions.map(|condition| condition.to_string()));
            output.grouping.extend(select.group_by.iter().map(ToString::to_string));
            let sorted = plan.order_by.iter().map(|order| &order.expr);
            for expr in select.exprs().into_iter().chain(sorted) {
                expr.for_each(&mut |part| {
                    if matches!(part, Expr::Aggregate { .. }) {
                        push_new(&mut output.aggregations, part.to_string());
                    }
                });
            }
        }
        output
    }

    /// Adds the tables that a plan reads. `named` are the names of queries that are read like tables there.
    fn add_tables(&mut self, plan: &QueryPlan, named: &mut Vec<String>) {
        let outside = named.len();
        named.extend(plan.with.iter().map(|query| query.name.clone()));
        for select in plan.selects() {
            for table in select.tables() {
                let is_named = named.iter().any(|name| name.eq_ignore_ascii_case(&table.table));
                if !is_named && !self.tables.iter().any(|planned| planned.name == table.table) {
                    self.tables.push(PlannedTable { name: table.table.clone(), columns: Vec::new() });
                }
            }
            let on = select.joins.iter().flat_map(|join| &join.on).flat_map(|(left, right)| [left, right]);
            let sorted = plan.order_by.iter().flat_map(|order| order.expr.columns());
            let used = select.exprs().into_iter().flat_map(Expr::columns).chain(on).chain(sorted);
            for column in used {
                self.add_column(select, column);
            }
        }
        for query in plan.queries() {
            self.add_tables(query, named);
        }
        named.truncate(outside);
    }

    fn add_column(&mut self, select: &Select, column: &ColumnRef) {
        let Some(table) = select.tables().find(|table| table.name() == column.table) else { return };
        if let Some(planned) = self.tables.iter_mut().find(|planned| planned.name == table.table) {
            push_new(&mut planned.columns, column.column.clone());
        }
    }
}

fn push_new(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) {
        list.push(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Comparison, Direction, Join, JoinKind, Order, TableUse};

    #[test]
    fn a_plan_fills_every_list() {
        let column = Expr::column;
        let mut select =
            Select::from_table("customers").project(column("customers", "name")).project(Expr::count_all());
        select.joins.push(Join::new(
            JoinKind::Inner,
            TableUse::new("orders"),
            vec![(ColumnRef::new("customers", "id"), ColumnRef::new("orders", "customer_id"))],
        ));
        let items =
            QueryPlan::from(Select::from_table("order_items").project(column("order_items", "order_id")));
        select = select.filter(Condition::InQuery {
            expr: column("orders", "id"),
            query: Box::new(items),
            negated: false,
        });
        select.group_by = vec![column("customers", "name")];
        select.having = Some(Condition::compare(Expr::count_all(), Comparison::Greater, Expr::literal(5)));
        let mut plan = QueryPlan::from(select);
        plan.order_by = vec![Order { expr: Expr::count_all(), direction: Direction::Descending }];
        plan.limit = Some(3);
        let output = PlannerOutput::from_plan(&plan, "test", Confidence::High);
        let tables: Vec<String> = output
            .tables
            .iter()
            .map(|table| format!("{}({})", table.name, table.columns.join(" ")))
            .collect();
        assert_eq!(tables, ["customers(name id)", "orders(id customer_id)", "order_items(order_id)"]);
        assert_eq!(output.filters, ["orders.id in (order_items.order_id from order_items)", "count(*) > 5"]);
        assert_eq!(output.aggregations, ["count(*)"]);
        assert_eq!(output.grouping, ["customers.name"]);
        assert_eq!(output.ordering, ["count(*) descending"]);
        assert!(output.joins_needed && output.joins.len() == 1 && output.limit == Some(3));
    }
}
