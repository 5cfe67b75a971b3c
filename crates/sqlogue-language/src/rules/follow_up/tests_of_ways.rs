//! Constructions of which the weights are not asked: each line is one of the ways to take what is said.

use super::tests::{KNOWLEDGE, list, options};
use super::{Answered, ways};
use sqlogue_sql::plan::{
    ColumnRef, Comparison, Condition, Direction, Expr, Join, JoinKind, Order, Projection, QueryPlan, Select,
    Source, TableUse,
};

fn with(mut plan: QueryPlan, condition: Condition) -> QueryPlan {
    plan.select = plan.select.filter(condition);
    plan
}

fn is(table: &str, column: &str, value: &str) -> Condition {
    Condition::equal(Expr::column(table, column), Expr::literal(value))
}

fn bound(operator: Comparison, number: i64) -> Condition {
    Condition::compare(Expr::column("products", "price"), operator, Expr::literal(number))
}

fn buyers(status: &str) -> QueryPlan {
    let mut plan = with(list("customers", &["name"]), is("orders", "status", status));
    plan.select.joins.push(Join::new(
        JoinKind::Inner,
        TableUse::new("orders"),
        vec![(ColumnRef::new("customers", "id"), ColumnRef::new("orders", "customer_id"))],
    ));
    plan
}

fn first(column: &str, limit: Option<u64>) -> QueryPlan {
    let mut plan = list("products", &["name"]);
    plan.order_by = vec![Order { expr: Expr::column("products", column), direction: Direction::Descending }];
    plan.limit = limit;
    plan
}

fn count(table: &str) -> QueryPlan {
    QueryPlan::from(Select::from_table(table).project(Expr::count_all()))
}

/// The plans in words that come of what is said after some answers.
fn all(earlier: &[(&str, QueryPlan)], said: &str) -> Vec<String> {
    let answered: Vec<Answered<'_>> = earlier.iter().map(|(said, plan)| Answered { said, plan }).collect();
    let last = &earlier.last().unwrap().1;
    let ways = ways(said, last, &answered, None, &KNOWLEDGE, &options());
    ways.iter().map(|way| format!("{:#}", way.plan)).collect()
}

#[track_caller]
fn reads(earlier: &[(&str, QueryPlan)], said: &str, wanted: &str) {
    let all = all(earlier, said);
    assert!(all.iter().any(|plan| plan == wanted), "{said}\n  wanted {wanted}\n  got\n{}", all.join("\n"));
}

#[test]
fn the_last_two_answers_are_put_together() {
    let cities = |segment: &str| with(list("customers", &["city"]), is("customers", "segment", segment));
    let two = [
        ("Cities of business customers", cities("Business")),
        ("And of those in education?", cities("Education")),
    ];
    let all_of = |said: &str| all(&two, said);
    for said in ["Show the cities in both groups", "intersect those", "which cities appear in both lists?"] {
        assert!(all_of(said).iter().any(|plan| plan.contains("intersect")), "{said}: {:?}", all_of(said));
    }
    for said in ["combine the two lists", "give me the union of these", "cities in either group"] {
        assert!(all_of(said).iter().any(|plan| plan.contains("union")), "{said}: {:?}", all_of(said));
    }
    let counts = [
        ("How many cost less than 20?", with(count("products"), bound(Comparison::Less, 20))),
        ("And more than 100?", with(count("products"), bound(Comparison::Greater, 100))),
    ];
    reads(&counts, "give the union of these", "count(*) from products where (price < 20 or price > 100)");
}

#[test]
fn two_values_of_joined_rows_hold_for_what_was_shown() {
    let pending = [("Which customers have pending orders?", buyers("pending"))];
    let found = all(&pending, "Which of them also have cancelled orders?");
    assert!(found.iter().any(|plan| plan.contains("intersect")), "{found:?}");
}

#[test]
fn the_other_side_is_asked_for() {
    let mean = Expr::aggregate(sqlogue_sql::plan::Aggregate::Avg, Expr::column("products", "price"));
    let mean = QueryPlan::from(Select::from_table("products").project(mean));
    let below =
        Condition::compare(Expr::column("products", "price"), Comparison::Less, Expr::Query(Box::new(mean)));
    let cheap = [("How many products cost less than the average?", with(count("products"), below))];
    let found = all(&cheap, "How about more than the average?");
    assert!(found.iter().any(|plan| plan.contains("price > ")), "{found:?}");
    let rome = [("Customers in Rome", with(list("customers", &["name"]), is("customers", "city", "Rome")))];
    reads(&rome, "And those not in Rome?", "name from customers where city != 'Rome'");
    reads(&rome, "What about those not in that city?", "name from customers where city != 'Rome'");
}

#[test]
fn the_opposite_of_the_first_are_the_last() {
    let dear = [("The dearest three products", first("price", Some(3)))];
    reads(&dear, "Opposite?", "name from products sorted by price limit 3");
}

#[test]
fn what_begins_with_non_is_the_opposite() {
    let business =
        [("Business customers", with(list("customers", &["name"]), is("customers", "segment", "Business")))];
    reads(&business, "What about non-business?", "name from customers where segment != 'Business'");
}

#[test]
fn a_word_in_what_was_shown_restricts_it() {
    let names = [("List the products", list("products", &["name"]))];
    reads(&names, "Which ones contain the word \"desk\"?", "name from products where name contains 'desk'");
    reads(&names, "only those that start with S", "name from products where name starts with 'S'");
}

#[test]
fn more_of_what_was_shown_is_asked_for() {
    let counted =
        [("How many customers are in Rome?", with(count("customers"), is("customers", "city", "Rome")))];
    reads(&counted, "show all their info", "* from customers where city = 'Rome'");
    let sorted = [("Products by price", first("price", None))];
    reads(
        &sorted,
        "give me the category of the first one",
        "category from products sorted by price descending limit 1",
    );
    let cities = [("Which cities do customers live in?", list("customers", &["city"]))];
    let found = all(&cities, "which one is the most popular?");
    assert!(found.iter().any(|plan| plan.contains("limit 1") && plan.contains("city")), "{found:?}");
    let top = [("The most expensive product", first("price", Some(1)))];
    reads(
        &top,
        "what about the highest stock instead?",
        "name from products sorted by stock descending limit 1",
    );
}

#[test]
fn the_rows_that_were_counted_are_spoken_of() {
    let cheap = Expr::count_where(bound(Comparison::Less, 20));
    let some = QueryPlan::from(Select::from_table("products").project(cheap));
    let answered = [("How many of them cost less than 20?", some)];
    for said in ["show their names", "what are their names?"] {
        reads(&answered, said, "name from products where price < 20");
    }
    let mut each = list("orders", &["customer_id"]);
    each.select.group_by = vec![Expr::column("orders", "customer_id")];
    each.select.having = Some(Condition::compare(Expr::count_all(), Comparison::Greater, Expr::literal(2)));
    let from = Source::Query { query: Box::new(each), alias: "counted".to_owned() };
    let number = Select { from, projection: vec![Projection::from(Expr::count_all())], ..Select::default() };
    let answered = [("How many customers have more than 2 orders?", QueryPlan::from(number))];
    assert!(all(&answered, "which ones?").iter().all(|plan| !plan.is_empty()));
}

#[test]
fn a_key_with_one_value_is_not_shown() {
    let mut plan = list("customers", &["country", "segment"]);
    plan.select.group_by = vec![Expr::column("customers", "country"), Expr::column("customers", "segment")];
    plan.select = plan.select.project(Expr::count_all());
    let answered = [("Number of customers by country and segment", plan)];
    for said in ["business only", "only Business"] {
        let wanted = "country, count(*) from customers where segment = 'Business' for each country";
        reads(&answered, said, wanted);
    }
}

#[test]
fn an_order_that_is_asked_for_is_made() {
    let answered = [("List the products", list("products", &["name"]))];
    let all = all(&answered, "sort them by price");
    assert!(!all.is_empty() && all.iter().all(|plan| plan.contains("price")), "{all:?}");
}

#[test]
fn what_so_many_rows_share_is_asked_for() {
    let cities = [("Cities of customers", list("customers", &["city"]))];
    for (said, bound) in [
        ("Which ones have only two customers?", "= 2"),
        ("which of them have more than 3 customers?", "> 3"),
        ("which appear twice or more?", ">= 2"),
        ("which are used only once?", "= 1"),
    ] {
        let found = all(&cities, said);
        let wanted = format!("count(*) {bound}");
        assert!(
            found.iter().any(|plan| plan.contains("city") && plan.contains(&wanted)),
            "{said}: {found:?}"
        );
    }
}

#[test]
fn rows_are_asked_about_by_their_name() {
    let one = with(list("customers", &["city"]), is("customers", "name", "Ada Byron"));
    let answered = [("Where does Ada Byron live?", one)];
    let found = all(&answered, "How many orders does this customer have?");
    assert!(found.iter().any(|plan| plan.contains("orders") && plan.contains("Ada Byron")), "{found:?}");
}

#[test]
fn whose_rows_are_is_asked_for() {
    let pending = [("Pending orders", with(list("orders", &["id"]), is("orders", "status", "pending")))];
    for said in ["who are they for?", "whose are they?"] {
        let found = all(&pending, said);
        assert!(found.iter().any(|plan| plan.contains("id, name from")), "{said}: {found:?}");
    }
    let found = all(&pending, "which customers?");
    assert!(found.iter().any(|plan| plan.contains("name from") && plan.contains("pending")), "{found:?}");
    assert!(!found.iter().any(|plan| plan == "name from customers"), "{found:?}");
}

#[test]
fn an_adjective_says_the_order_of_groups() {
    let mut plan = list("products", &["category"]);
    plan.select.group_by = vec![Expr::column("products", "category")];
    let mean = Expr::aggregate(sqlogue_sql::plan::Aggregate::Avg, Expr::column("products", "price"));
    plan.select = plan.select.project(mean).project(Expr::count_all());
    let answered = [("Average price and number of products by category", plan)];
    for (said, direction) in
        [("most expensive first", "descending"), ("cheapest category first", "ascending")]
    {
        let found = all(&answered, said);
        let is_meant =
            |plan: &String| plan.contains("sorted by avg(price)") || plan.contains("sorted by average");
        assert!(
            found
                .iter()
                .any(|plan| is_meant(plan) && plan.contains(direction) == (direction == "descending")),
            "{said}: {found:?}"
        );
    }
}

#[test]
fn the_rows_of_set_operations_stay_when_columns_change() {
    let first = list("customers", &["name"]);
    let mut plan = with(first, is("customers", "city", "Rome"));
    let other = with(list("customers", &["name"]), is("customers", "segment", "Business"));
    plan.set_operations = vec![sqlogue_sql::plan::SetOperation {
        operator: sqlogue_sql::plan::SetOperator::Intersect,
        select: other.select,
    }];
    let answered = [("Business customers who live in Rome", plan)];
    let found = all(&answered, "what are their phone numbers?");
    assert!(found.iter().any(|plan| plan.contains("name, phone from customers where id in")), "{found:?}");
}
