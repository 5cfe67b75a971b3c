//! Edits of plans with window functions, cases and named queries.

use super::*;
use crate::plan::{
    Comparison, DateUnit, Direction, JoinKind, NamedQuery, Projection, Select, Source, Window, compare,
    summary,
};

fn customer(name: &str) -> Expr {
    Expr::column("customers", name)
}

fn order(name: &str) -> Expr {
    Expr::column("orders", name)
}

fn total() -> Expr {
    Expr::aggregate(Aggregate::Sum, order("total"))
}

fn with_customers(select: Select) -> Select {
    let on = vec![(ColumnRef::new("orders", "customer_id"), ColumnRef::new("customers", "id"))];
    let mut select = select;
    select.joins.push(Join::new(JoinKind::Inner, TableUse::new("customers"), on));
    select
}

/// The best three customers of each country, by way of two named queries.
fn best_of_each() -> QueryPlan {
    let spent = with_customers(Select::from_table("orders"))
        .group(customer("country"))
        .group(customer("name"))
        .project_as(total(), "spent");
    let column = |name| Expr::column("spent_by", name);
    let place = Window::row_number().per(column("country")).by(column("spent"), Direction::Descending);
    let ranked = Select::from_table("spent_by")
        .project(column("country"))
        .project(column("name"))
        .project(column("spent"))
        .project_as(place.into(), "place");
    let best = |name| Expr::column("ranked", name);
    let select = Select::from_table("ranked")
        .project(best("country"))
        .project(best("name"))
        .filter(Condition::compare(best("place"), Comparison::LessOrEqual, Expr::literal(3)));
    QueryPlan {
        with: vec![NamedQuery::new("spent_by", spent), NamedQuery::new("ranked", ranked)],
        ..QueryPlan::from(select)
    }
}

/// Totals by month with their share and rank.
fn by_month() -> QueryPlan {
    let month = Expr::truncate(DateUnit::Month, order("placed"));
    let share = Expr::percent(total(), Window::aggregate(Aggregate::Sum, total()).into());
    let rank = Window::rank().by(total(), Direction::Descending);
    let by_month = Window::lag(total(), 1).by(month.clone(), Direction::Ascending);
    let select = Select::from_table("orders").group_as(month, "month").project_as(total(), "revenue");
    select.project(share).project(rank.into()).project(by_month.into()).into()
}

fn after(plan: &QueryPlan, edit: PlanEdit) -> String {
    match plan.apply(&edit) {
        Ok(plan) => format!("{plan:#}"),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn a_filter_reaches_the_query_that_reads_its_table() {
    let only = PlanEdit::AddFilter { condition: Condition::equal(customer("city"), Expr::literal("Rome")) };
    let plan = best_of_each().apply(&only).unwrap();
    assert_eq!(plan.select.filter, best_of_each().select.filter);
    let inner = format!("{:#}", plan.with[0].query);
    assert_eq!(
        inner,
        "country, name, sum(total) from orders, customers where city = 'Rome' for each country, name"
    );
    assert_eq!(summary(&compare(&best_of_each(), &plan)), "Added filter: customers.city = 'Rome'.");
    let away =
        PlanEdit::RemoveFilter { condition: Condition::equal(customer("city"), Expr::literal("Rome")) };
    assert_eq!(plan.apply(&away).unwrap(), best_of_each());
    let other = Condition::equal(customer("city"), Expr::literal("Bath"));
    let changed = plan.apply(&PlanEdit::ReplaceFilter { condition: other }).unwrap();
    assert_eq!(
        summary(&compare(&plan, &changed)),
        "Changed filter: customers.city = 'Rome' is now customers.city = 'Bath'."
    );
    // The first three of each stay what is asked for.
    let cleared = plan.apply(&PlanEdit::ClearFilters).unwrap();
    assert_eq!(cleared, best_of_each());
    assert_eq!(after(&cleared, PlanEdit::ClearFilters), "error: the query has no filters");
    let nowhere =
        PlanEdit::AddFilter { condition: Condition::equal(Expr::column("cars", "id"), Expr::literal(1)) };
    assert_eq!(after(&cleared, nowhere), "error: the query does not use the table `cars`");
}

#[test]
fn a_column_comes_out_of_the_queries_inside() {
    let plan = best_of_each().apply(&PlanEdit::AddColumn { expr: customer("email") }).unwrap();
    assert_eq!(
        format!("{plan:#}"),
        "country, name, email from ranked where place <= 3, \
         where spent_by is (country, name, sum(total), email from orders, customers for each country, name, email), \
         ranked is (country, name, spent, number by spent descending for each country, email from spent_by)"
    );
    assert_eq!(
        summary(&compare(&best_of_each(), &plan)),
        "Added column: email. Grouped by country, name, email."
    );
    // A second column of a name gets a longer one.
    let again = plan.apply(&PlanEdit::AddColumn { expr: order("name") }).unwrap();
    let last = again.select.projection.last().map(|shown| shown.expr.clone());
    assert_eq!(last, Some(Expr::column("ranked", "orders_name")));
}

#[test]
fn a_condition_on_a_rank_is_on_the_ranked_rows() {
    let rank = Window::rank().by(order("total"), Direction::Descending);
    let listing = QueryPlan::from(Select::from_table("orders").project(order("id")));
    let best = Condition::compare(rank.into(), Comparison::LessOrEqual, Expr::literal(3));
    assert_eq!(
        after(&listing, PlanEdit::AddFilter { condition: best }),
        "id from (id, rank by total descending from orders) where rank <= 3"
    );
}

#[test]
fn a_window_stands_beside_groups_where_it_is_one_of_groups() {
    let over_rows = Window::rank().by(order("total"), Direction::Descending);
    assert!(after(&by_month(), PlanEdit::AddColumn { expr: over_rows.into() }).starts_with("error: "));
    let over_groups = Window::running(Aggregate::Sum, total()).by(total(), Direction::Ascending);
    assert!(by_month().apply(&PlanEdit::AddColumn { expr: over_groups.into() }).is_ok());
    // Single rows have no summary beside them.
    let listing = QueryPlan::from(Select::from_table("orders").project(order("id")));
    assert_eq!(
        after(&listing, PlanEdit::AddColumn { expr: total() }),
        "error: `sum(orders.total)` summarises rows, and the query shows them one by one"
    );
}

#[test]
fn other_groups_keep_what_is_not_of_the_old_ones() {
    let country = PlanEdit::GroupBy { by: vec![order("country")], measures: vec![] };
    assert_eq!(
        after(&by_month(), country),
        "country, sum(total), (100 * sum(total)) / (sum(sum(total)) of all), rank by sum(total) descending \
         from orders for each country"
    );
}

#[test]
fn a_summary_of_windows_is_one_of_what_was_shown() {
    let rank: Expr = Window::rank().by(order("total"), Direction::Descending).into();
    let ranked = QueryPlan::from(Select::from_table("orders").project(rank.clone()));
    assert_eq!(
        after(&ranked, PlanEdit::Aggregate { function: Aggregate::Avg, argument: Some(rank) }),
        "avg(value) from (rank by total descending from orders)"
    );
    let of_some = Expr::count_where(Condition::equal(order("status"), Expr::literal("open")));
    let counted = QueryPlan::from(Select::from_table("orders").project(of_some));
    assert_eq!(
        after(&counted, PlanEdit::ChangeAggregate { function: Aggregate::Avg }),
        "error: the query shows several columns, and it is not said which to summarise"
    );
}

#[test]
fn who_did_not_is_asked_safely_where_partners_may_miss() {
    let mut select = Select::from_table("customers").project(customer("name"));
    let on = vec![(ColumnRef::new("customers", "id"), ColumnRef::new("orders", "customer_id"))];
    let recent = Condition::compare(order("placed"), Comparison::GreaterOrEqual, Expr::literal("2026-01-01"));
    select.joins.push(Join::new(JoinKind::Left, TableUse::new("orders"), on).only(recent));
    let key = ColumnRef::new("customers", "id");
    let negate = PlanEdit::Negate { entity: TableUse::new("customers"), key };
    assert_eq!(
        after(&select.into(), negate),
        "name from customers where id not in (id from customers, orders with placed from 2026-01-01 on where id is known)"
    );
}

#[test]
fn plans_of_before_are_still_read() {
    let json = r#"{"select": {"projection": [{"expr": {"aggregate": {"function": "count", "argument": {"all": null}}}}],
        "from": {"table": {"table": "customers"}},
        "joins": [{"kind": "left", "table": {"table": "orders"}, "on": [[{"table": "customers", "column": "id"},
                  {"table": "orders", "column": "customer_id"}]]}]}, "limit": 3}"#;
    let plan: QueryPlan = serde_json::from_str(json).unwrap();
    assert!(plan.with.is_empty() && plan.select.joins[0].filter.is_none());
    // What is new is written only where it is there.
    let written = serde_json::to_string(&plan).unwrap();
    assert!(!written.contains("with") && !written.contains("filter"), "{written}");
    for plan in [best_of_each(), by_month()] {
        let json = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<QueryPlan>(&json).unwrap(), plan);
    }
}

#[test]
fn columns_get_names_that_people_would_choose() {
    let mut plan = by_month();
    plan.name_columns();
    let names: Vec<&str> = plan.select.projection.iter().filter_map(|shown| shown.alias.as_deref()).collect();
    assert_eq!(names, ["month", "revenue", "total_percent", "rank", "previous_total"]);
    // No name hides a column, and none is given twice.
    let mut plan = QueryPlan::from(
        Select::from_table("orders")
            .group(order("month"))
            .project(Expr::count_all())
            .project(Expr::count_all()),
    );
    plan.select.projection.push(Projection::from(Expr::truncate(DateUnit::Month, order("placed"))));
    plan.name_columns();
    let names: Vec<&str> = plan.select.projection.iter().filter_map(|shown| shown.alias.as_deref()).collect();
    assert_eq!(names, ["orders", "orders_2", "month_2"]);
    assert!(matches!(plan.select.from, Source::Table(_)));
    // One number of rows needs no name; one of rows that are picked would be headed by all that picks them.
    let large = Condition::compare(order("total"), Comparison::Greater, Expr::literal(100));
    for (counted, name) in [(Expr::count_all(), None), (Expr::count_where(large), Some("count"))] {
        let mut plan = QueryPlan::from(Select::from_table("orders").project(counted));
        plan.name_columns();
        assert_eq!(plan.select.projection[0].alias.as_deref(), name);
    }
}
