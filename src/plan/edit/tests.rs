use super::*;
use crate::plan::{Comparison, Direction, JoinKind, Select, SetOperation, SetOperator};

fn column(name: &str) -> Expr {
    Expr::column("customers", name)
}

fn all_customers() -> QueryPlan {
    QueryPlan::from(Select::from_table("customers"))
}

fn names() -> QueryPlan {
    QueryPlan::from(Select::from_table("customers").project(column("name")))
}

fn in_city(city: &str) -> Condition {
    Condition::equal(column("city"), Expr::literal(city))
}

fn orders_join() -> Join {
    Join::new(
        JoinKind::Inner,
        TableUse::new("orders"),
        vec![(ColumnRef::new("customers", "id"), ColumnRef::new("orders", "customer_id"))],
    )
}

fn after(plan: &QueryPlan, edits: &[PlanEdit]) -> String {
    match plan.apply_all(edits) {
        Ok(plan) => format!("{plan:#}"),
        Err(error) => format!("error: {error}"),
    }
}

fn add(name: &str) -> PlanEdit {
    PlanEdit::AddColumn { expr: column(name) }
}

fn only(condition: Condition) -> PlanEdit {
    PlanEdit::AddFilter { condition }
}

fn by(name: &str) -> Vec<Order> {
    vec![Order { expr: column(name), direction: Direction::Ascending }]
}

#[test]
fn columns_are_added_removed_and_replaced() {
    assert_eq!(after(&all_customers(), &[add("vendor")]), "*, vendor from customers");
    assert_eq!(after(&names(), &[add("city"), add("city")]), "name, city from customers");
    assert_eq!(
        after(&names(), &[add("city"), PlanEdit::RemoveColumn { expr: column("name") }]),
        "city from customers"
    );
    assert_eq!(
        after(&names(), &[PlanEdit::RemoveColumn { expr: column("name") }]),
        "error: `customers.name` is the only column shown"
    );
    assert_eq!(
        after(&names(), &[PlanEdit::RemoveColumn { expr: column("city") }]),
        "error: `customers.city` is not shown"
    );
    assert!(
        after(&all_customers(), &[PlanEdit::RemoveColumn { expr: column("name") }])
            .starts_with("error: every")
    );
    assert_eq!(after(&names(), &[PlanEdit::ReplaceColumns { columns: vec![] }]), "* from customers");
    let total = PlanEdit::AddColumn { expr: Expr::column("orders", "total") };
    assert_eq!(
        after(&names(), std::slice::from_ref(&total)),
        "error: the query does not use the table `orders`"
    );
    assert_eq!(
        after(&all_customers(), &[PlanEdit::AddJoin { joins: vec![orders_join()] }, total]),
        "customers.*, total from customers, orders"
    );
}

#[test]
fn a_column_beside_a_summary_needs_groups() {
    let count = PlanEdit::Aggregate { function: Aggregate::Count, argument: None };
    assert!(after(&names(), &[count, add("city")]).starts_with("error: the query summarises"));
    let group = PlanEdit::GroupBy { by: vec![column("city")], measures: vec![] };
    assert_eq!(
        after(&names(), &[group, add("country")]),
        "city, count(*), country from customers for each city, country"
    );
}

#[test]
fn filters_are_added_changed_and_removed() {
    assert_eq!(after(&names(), &[only(in_city("Rome"))]), "name from customers where city = 'Rome'");
    let two = [only(in_city("Rome")), only(Condition::equal(column("status"), Expr::literal("active")))];
    assert_eq!(after(&names(), &two), "name from customers where city = 'Rome' and status = 'active'");
    let rome = names().apply(&only(in_city("Rome"))).unwrap();
    assert_eq!(
        after(&rome, &[PlanEdit::ReplaceFilter { condition: in_city("Paris") }]),
        "name from customers where city = 'Paris'"
    );
    assert_eq!(after(&rome, &[PlanEdit::RemoveFilter { condition: in_city("Rome") }]), "name from customers");
    assert_eq!(after(&rome, &[PlanEdit::ClearFilters]), "name from customers");
    assert_eq!(after(&names(), &[PlanEdit::ClearFilters]), "error: the query has no filters");
    assert!(
        after(&names(), &[PlanEdit::ReplaceFilter { condition: in_city("Paris") }])
            .starts_with("error: the query has no")
    );
}

#[test]
fn a_condition_on_groups_goes_to_the_groups() {
    let many = Condition::compare(Expr::count_all(), Comparison::Greater, Expr::literal(5));
    let group = PlanEdit::GroupBy { by: vec![column("city")], measures: vec![] };
    assert_eq!(
        after(&names(), &[group, only(many.clone()), only(in_city("Rome"))]),
        "city, count(*) from customers where city = 'Rome' for each city having count(*) > 5"
    );
    assert!(after(&names(), &[only(many)]).ends_with("is a condition on groups, and the query has none"));
}

#[test]
fn a_filter_reaches_every_part_of_a_union_and_the_first_of_a_difference() {
    let part = || Select::from_table("customers").project(column("name"));
    for (operator, filters) in
        [(SetOperator::Union, 2), (SetOperator::Except, 1), (SetOperator::Intersect, 1)]
    {
        let mut plan = names();
        plan.set_operations.push(SetOperation { operator, select: part() });
        let text = after(&plan, &[only(in_city("Rome"))]);
        assert_eq!(text.matches("Rome").count(), filters, "{text}");
        assert!(after(&plan, &[PlanEdit::SetOrder { order: by("city") }]).starts_with("error: "));
        assert!(after(&plan, &[PlanEdit::SetOrder { order: by("name") }]).ends_with("sorted by name"));
    }
}

#[test]
fn a_filter_on_cut_rows_filters_what_was_shown() {
    let top = names()
        .apply_all(&[PlanEdit::SetOrder { order: by("age") }, PlanEdit::SetLimit { limit: 5 }])
        .unwrap();
    assert_eq!(
        after(&top, &[only(in_city("Rome"))]),
        "name from customers where city = 'Rome' sorted by age limit 5"
    );
    let key = Some(ColumnRef::new("customers", "id"));
    assert_eq!(
        after(&top, &[PlanEdit::FilterShown { condition: in_city("Rome"), key }]),
        "name from customers where id in (id from customers sorted by age limit 5) and city = 'Rome' sorted by age"
    );
    assert!(
        after(&top, &[PlanEdit::FilterShown { condition: in_city("Rome"), key: None }])
            .starts_with("error: the shown rows")
    );
}

#[test]
fn order_and_limit_change() {
    let sorted = names().apply(&PlanEdit::SetOrder { order: by("name") }).unwrap();
    assert_eq!(after(&sorted, &[PlanEdit::ReverseOrder]), "name from customers sorted by name descending");
    assert_eq!(after(&sorted, &[PlanEdit::ClearOrder]), "name from customers");
    let more = PlanEdit::AddOrder { order: Order { expr: column("city"), direction: Direction::Descending } };
    assert_eq!(after(&sorted, &[more]), "name from customers sorted by name, city descending");
    assert_eq!(after(&names(), &[PlanEdit::ReverseOrder]), "error: the query is not sorted");
    assert_eq!(
        after(&names(), &[PlanEdit::SetLimit { limit: 3 }, PlanEdit::ClearLimit]),
        "name from customers"
    );
    assert_eq!(after(&names(), &[PlanEdit::ClearLimit]), "error: the query has no limit");
    assert!(after(&names(), &[PlanEdit::SetLimit { limit: 0 }]).starts_with("error"));
}

#[test]
fn what_was_shown_is_summarised() {
    let count = || PlanEdit::Aggregate { function: Aggregate::Count, argument: None };
    let mean = |of: Option<&str>| PlanEdit::Aggregate { function: Aggregate::Avg, argument: of.map(column) };
    assert_eq!(
        after(&names(), &[PlanEdit::SetOrder { order: by("name") }, count()]),
        "count(*) from customers"
    );
    let distinct = PlanEdit::SetDistinct { distinct: true };
    assert_eq!(after(&names(), &[distinct, count()]), "count(distinct name) from customers");
    assert_eq!(after(&names(), &[mean(Some("age"))]), "avg(age) from customers");
    assert_eq!(after(&names(), &[mean(None)]), "avg(name) from customers");
    assert!(after(&all_customers(), &[mean(None)]).starts_with("error: the query shows several"));
    assert_eq!(
        after(&names(), &[PlanEdit::SetLimit { limit: 5 }, mean(Some("age"))]),
        "avg(age) from (name, age from customers limit 5)"
    );
    let group = PlanEdit::GroupBy { by: vec![column("city")], measures: vec![] };
    assert_eq!(
        after(&names(), &[group.clone(), count()]),
        "count(*) from (city, count(*) from customers for each city)"
    );
    assert_eq!(
        after(&names(), &[group, mean(None)]),
        "avg(value) from (city, count(*) from customers for each city)"
    );
    let highest = PlanEdit::ChangeAggregate { function: Aggregate::Max };
    assert_eq!(after(&names(), &[mean(Some("age")), highest.clone()]), "max(age) from customers");
    assert_eq!(after(&names(), &[highest]), "error: the query summarises nothing");
}

#[test]
fn groups_replace_rows() {
    let group = PlanEdit::GroupBy { by: vec![column("city")], measures: vec![] };
    assert_eq!(
        after(&names(), &[PlanEdit::SetLimit { limit: 5 }, group.clone()]),
        "city, count(*) from customers for each city"
    );
    let mean = PlanEdit::Aggregate { function: Aggregate::Avg, argument: Some(column("age")) };
    assert_eq!(after(&names(), &[mean, group]), "city, avg(age) from customers for each city");
}

#[test]
fn the_opposite_leaves_out_what_was_meant() {
    let negate =
        PlanEdit::Negate { entity: TableUse::new("customers"), key: ColumnRef::new("customers", "id") };
    let buyers = names().apply(&PlanEdit::AddJoin { joins: vec![orders_join()] }).unwrap();
    let others = buyers.apply(&negate).unwrap();
    assert_eq!(format!("{others:#}"), "name from customers where id not in (id from customers, orders)");
    assert_eq!(after(&others, &[negate]), "name from customers where id in (id from customers, orders)");
}

#[test]
fn the_same_is_asked_of_another_table() {
    let replace = |columns: &[(&str, &str)]| PlanEdit::ReplaceEntity {
        from: "customers".to_owned(),
        to: TableUse::new("employees"),
        columns: columns.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect(),
    };
    let rome = names().apply(&only(in_city("Rome"))).unwrap();
    assert_eq!(
        after(&rome, &[replace(&[("name", "full_name"), ("city", "town")])]),
        "full_name from employees where town = 'Rome'"
    );
    assert_eq!(
        after(&rome, &[replace(&[("name", "name")])]),
        "error: `customers.city` has no counterpart in the table `employees`"
    );
}

#[test]
fn edits_say_what_they_do_and_what_they_weigh() {
    let edits = [PlanEdit::AddJoin { joins: vec![orders_join()] }, only(in_city("Rome"))];
    assert_eq!(instructions(&edits), "Join orders; add filter city = 'Rome'");
    assert_eq!(weight(&edits), Some(EditWeight::Update));
    assert_eq!(weight(&[add("city"), PlanEdit::SetLimit { limit: 5 }]), Some(EditWeight::Inline));
    assert_eq!(weight(&[]), None);
    for edit in edits {
        let json = serde_json::to_string(&edit).unwrap();
        assert_eq!(serde_json::from_str::<PlanEdit>(&json).unwrap(), edit);
    }
}
