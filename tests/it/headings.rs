//! The columns of a result are called as people would call them.

use std::sync::Arc;

use sqlogue::{Engine, QueryInput, sample};

use crate::support::repeatable;

fn engine() -> Engine {
    repeatable().database(Arc::new(sample::open().unwrap())).build().unwrap()
}

#[tokio::test]
async fn computed_columns_have_names_that_people_would_choose() {
    let engine = engine();
    for (question, columns) in [
        ("revenue by month", vec!["month", "total"]),
        ("orders per customer", vec!["name", "orders"]),
        ("average price per category", vec!["category", "average_price"]),
        ("median price per category", vec!["category", "median_price"]),
        ("orders per weekday", vec!["weekday", "orders"]),
        ("share of cancelled orders", vec!["cancelled_percent"]),
        ("average days between order and shipping", vec!["average_days"]),
        ("average number of orders per customer", vec!["average_orders"]),
        ("running total of orders by month in 2025", vec!["month", "running_orders"]),
        ("top 3 products in each category by revenue", vec!["category", "name", "total"]),
        // Columns of two tables that are called alike are told apart.
        ("employees and their managers", vec!["employee_name", "manager_name"]),
        // A number of rows that is all of an answer needs no name.
        ("how many customers are there?", vec!["count(*)"]),
    ] {
        let state = engine.query_database(QueryInput::new(question), None).await.unwrap();
        assert_eq!(state.result.as_ref().unwrap().columns, columns, "{question}: {:?}", state.query);
    }
}

#[tokio::test]
async fn an_answer_is_sorted_by_what_its_columns_are_called() {
    let engine = engine();
    let first = engine.query_database(QueryInput::new("orders per customer"), None).await.unwrap();
    let sorted =
        engine.query_database(QueryInput::new("sort by orders descending"), Some(first)).await.unwrap();
    assert!(sorted.query.as_deref().unwrap().ends_with("ORDER BY orders DESC"), "{:?}", sorted.query);
    let first = engine.query_database(QueryInput::new("average price per category"), None).await.unwrap();
    let sorted = engine.query_database(QueryInput::new("order by average_price"), Some(first)).await.unwrap();
    assert!(sorted.query.as_deref().unwrap().ends_with("ORDER BY average_price"), "{:?}", sorted.query);
}
