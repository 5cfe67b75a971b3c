//! Figures of several groups together, what is out, and what a last sentence asks to be shown.

use crate::support::{File, rows};

const TOOLS: &str = "
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT, city TEXT);
CREATE TABLE tools (id INTEGER PRIMARY KEY, name TEXT, category TEXT, daily_price INTEGER);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), ordered_on TEXT);
CREATE TABLE order_lines (
  id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), tool_id INTEGER REFERENCES tools(id), quantity INTEGER, unit_price INTEGER
);
CREATE TABLE rentals (
  id INTEGER PRIMARY KEY, tool_id INTEGER REFERENCES tools(id), customer_id INTEGER REFERENCES customers(id), rented_on TEXT, returned_on TEXT
);
INSERT INTO customers VALUES (1, 'Ann', 'ann@a.org', 'Oslo'), (2, 'Bob', 'bob@b.org', 'Bergen'), (3, 'Cem', 'cem@c.org', 'Oslo');
INSERT INTO tools VALUES (1, 'drill', 'power', 20), (2, 'saw', 'hand', 5), (3, 'sander', 'power', 15);
INSERT INTO orders VALUES (1, 1, '2026-01-05'), (2, 1, '2026-02-05'), (3, 2, '2026-02-07');
INSERT INTO order_lines VALUES (1, 1, 1, 1, 100), (2, 2, 2, 2, 25), (3, 3, 1, 1, 100), (4, 3, 3, 1, 50);
INSERT INTO rentals VALUES (1, 1, 1, '2026-03-01', '2026-03-03'), (2, 2, 2, '2026-03-02', NULL), (3, 3, 3, '2026-03-04', NULL);
";

#[tokio::test]
async fn what_repeat_customers_brought_is_one_figure() {
    let file = File::new("tools.sqlite", TOOLS);
    let engine = file.engine();
    for question in ["revenue from repeat customers", "total revenue of customers with at least 2 orders"] {
        // Bob's one order has two lines.
        assert_eq!(rows(&engine, question).await, ["150"], "{question}");
    }
    assert_eq!(rows(&engine, "share of revenue from repeat customers").await, ["50"]);
    let of_each = rows(&engine, "revenue of each customer with at least 2 orders").await;
    assert!(matches!(of_each.as_slice(), [one] if one.starts_with("Ann")), "{of_each:?}");
}

#[tokio::test]
async fn what_is_out_is_not_back() {
    let file = File::new("tools.sqlite", TOOLS);
    let engine = file.engine();
    for question in [
        "which tools are out?",
        "tools that are currently out",
        "tools on loan",
        "which tools are out right now",
    ] {
        assert_eq!(rows(&engine, question).await, ["sander", "saw"], "{question}");
    }
    // Nothing here tells what is out, so that the word is said to be left out.
    let file = File::new(
        "plain.sqlite",
        "CREATE TABLE tools (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO tools VALUES (1, 'drill');",
    );
    let state = file.engine().query_database("which tools are out?", None).await.unwrap();
    assert!(state.query.is_none() || !state.left_out.is_empty(), "{:?}", state.query);
}

#[tokio::test]
async fn the_last_sentence_says_what_is_shown() {
    let file = File::new("tools.sqlite", TOOLS);
    let engine = file.engine();
    let emails = rows(&engine, "Which customers never ordered? Return their emails.").await;
    assert_eq!(emails, ["cem@c.org"]);
    let counted =
        rows(&engine, "How many orders does each customer have? List the customer id and the number.").await;
    assert_eq!(counted, ["1|2", "2|1"]);
    let also = rows(&engine, "Which customers never ordered? Also show their emails.").await;
    assert_eq!(also, ["Cem|cem@c.org"]);
    let named = rows(&engine, "Which customers live in Oslo? Show the customer and the city.").await;
    assert_eq!(named, ["Ann|Oslo", "Cem|Oslo"]);
}

#[tokio::test]
async fn a_list_starts_with_the_utmost() {
    let file = File::new("tools.sqlite", TOOLS);
    let engine = file.engine();
    for question in
        ["list the names of all tools starting with the cheapest", "tools, beginning with the cheapest"]
    {
        let state = engine.query_database(question, None).await.unwrap();
        let sql = state.query.clone().unwrap_or_default();
        assert!(sql.ends_with("ORDER BY daily_price"), "{question}: {sql}");
    }
    assert_eq!(rows(&engine, "tools whose name contains the letter a?").await, ["sander", "saw"]);
    let counted =
        rows(&engine, "How many tools are in each category? Show the category name and the count.").await;
    assert_eq!(counted, ["hand|1", "power|2"]);
}

#[tokio::test]
async fn numbers_of_rows_are_their_keys() {
    let file = File::new("tools.sqlite", TOOLS);
    let engine = file.engine();
    for question in ["customer numbers and names", "the customer number and the name of each customer"] {
        assert_eq!(rows(&engine, question).await, ["1|Ann", "2|Bob", "3|Cem"], "{question}");
    }
    assert_eq!(rows(&engine, "number of customers").await, ["3"]);
}

#[tokio::test]
async fn those_are_the_ones_that_a_join_picked() {
    let file = File::new("tools.sqlite", TOOLS);
    let engine = file.engine();
    let ordered = engine.query_database("which customers have placed an order?", None).await.unwrap();
    let counted = engine.query_database("how many of those live in Oslo?", Some(ordered)).await.unwrap();
    let sql = counted.query.clone().unwrap_or_default();
    assert!(counted.query.is_none() || sql.contains("orders"), "{sql}");
}
