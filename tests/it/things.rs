//! What people call things by, and when in the day: *chairs* for what is an office chair, *after 5 pm*, *what sells best*; and words that
//! say which rows are meant, but name nothing here.

use crate::support::{self, File};
use sqlogue::plan::Confidence;

const SHOP: &str = "
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, segment TEXT NOT NULL, joined DATE NOT NULL);
CREATE TABLE products (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price REAL NOT NULL, cost REAL NOT NULL
);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), placed_at TIMESTAMP NOT NULL, status TEXT NOT NULL
);
CREATE TABLE order_items (
  id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(id), product_id INTEGER NOT NULL REFERENCES products(id),
  quantity INTEGER NOT NULL, unit_price REAL NOT NULL
);
CREATE TABLE reviews (
  id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES products(id),
  customer_id INTEGER NOT NULL REFERENCES customers(id), stars INTEGER NOT NULL
);
INSERT INTO customers VALUES
  (1, 'Ann', 'Business', '2025-01-05'), (2, 'Ben', 'Private', '2025-02-01'), (3, 'Cleo', 'Business', '2025-03-01'),
  (4, 'Dov', 'Private', '2026-01-01');
INSERT INTO products VALUES
  (1, 'Office Chair', 'Furniture', 100, 60), (2, 'Ergonomic Chair', 'Furniture', 300, 270), (3, 'Oak Desk', 'Furniture', 500, 300),
  (4, 'Desk Lamp', 'Lighting', 40, 10), (5, 'Laptop 14', 'Electronics', 900, 700), (6, 'Laptop 16', 'Electronics', 1200, 950);
INSERT INTO orders VALUES
  (1, 1, '2026-01-10 09:15:00', 'paid'), (2, 2, '2026-02-11 17:30:00', 'cancelled'), (3, 3, '2026-02-12 23:10:00', 'paid'),
  (4, 1, '2026-03-01 18:45:00', 'paid');
INSERT INTO order_items VALUES
  (1, 1, 1, 4, 100), (2, 1, 4, 1, 40), (3, 2, 2, 1, 300), (4, 3, 3, 2, 500), (5, 4, 5, 1, 900), (6, 4, 4, 6, 40);
INSERT INTO reviews VALUES (1, 3, 2, 2), (2, 5, 2, 5), (3, 5, 3, 4);
";

async fn answers(cases: &[(&str, &[&str])]) {
    support::all_give(SHOP, cases).await;
}

#[tokio::test]
async fn things_are_called_by_the_last_word_of_their_names() {
    answers(&[
        ("how many chairs did we sell?", &["5"]),
        ("laptops by price", &["Laptop 14|900", "Laptop 16|1200"]),
        ("which chair sells best?", &["Office Chair|4"]),
        ("revenue from desks", &["1000"]),
        ("customers who never bought a chair", &["Cleo", "Dov"]),
        ("laptops", &["Laptop 14", "Laptop 16"]),
        ("which products have desk in their name?", &["Desk Lamp", "Oak Desk"]),
        ("which furniture sells best?", &["Office Chair|4"]),
    ])
    .await;
}

#[tokio::test]
async fn hours_of_the_day_bound_what_has_a_time() {
    answers(&[
        ("how many orders were placed after 5 pm?", &["3"]),
        ("how many orders in the morning", &["1"]),
        ("number of orders between 17:00 and 18:00", &["1"]),
        ("how many orders were placed at night?", &["1"]),
        ("how many orders before noon", &["1"]),
    ])
    .await;
}

#[tokio::test]
async fn what_is_bought_need_not_be_named() {
    answers(&[
        ("what sells best?", &["Desk Lamp|7"]),
        ("what do business customers buy most?", &["Desk Lamp|7"]),
        ("favourite product of private customers", &["Ergonomic Chair|1"]),
        ("share of furniture in revenue", &["59.02777777777778"]),
        ("how much did we sell in 2026?", &["2880"]),
    ])
    .await;
}

#[tokio::test]
async fn buyers_and_things_meet_in_what_was_ordered() {
    answers(&[
        ("number of customers per category", &["Electronics|1", "Furniture|3", "Lighting|1"]),
        ("customers who never bought furniture products", &["Dov"]),
        ("how many reviewers are there?", &["2"]),
    ])
    .await;
}

#[tokio::test]
async fn percent_signs_ask_for_percentages() {
    answers(&[
        ("% of customers without orders", &["25"]),
        ("customers without an order, %", &["25"]),
        ("% orders cancelled", &["25"]),
    ])
    .await;
}

#[tokio::test]
async fn what_is_said_of_rows_is_true_of_them() {
    answers(&[
        ("products that cost more than 450", &["Laptop 14", "Laptop 16", "Oak Desk"]),
        ("which furniture products cost more than the average furniture product?", &["Oak Desk"]),
        ("which customers have an order that is not cancelled?", &["Ann", "Ann", "Cleo"]),
        ("returning customers", &["Ann|2"]),
        ("customers whose orders were all cancelled", &["Ben"]),
        ("customers with only cancelled orders", &["Ben"]),
    ])
    .await;
}

#[tokio::test]
async fn a_participle_that_names_nothing_is_said() {
    let file = File::new("damaged.sqlite", SHOP);
    let engine = file.engine();
    for question in [
        "number of damaged products",
        "average price of damaged products",
        "how many damaged products are there?",
    ] {
        let state = engine.query_database(question, None).await.unwrap();
        assert_eq!(state.answer_confidence, Some(Confidence::Low), "{question}: {:?}", state.message);
        assert!(
            state.left_out.iter().any(|word| word.contains("damaged")),
            "{question}: {:?}",
            state.left_out
        );
    }
}

#[tokio::test]
async fn a_time_that_is_pointed_at_is_that_of_the_answer_before() {
    let file = File::new("that_time.sqlite", SHOP);
    let engine = file.engine();
    let before = engine.query_database("number of orders in February 2026", None).await.unwrap();
    let after =
        engine.query_database("how much revenue did we make that month?", Some(before)).await.unwrap();
    let sql = after.query.unwrap_or_default();
    assert!(sql.contains("'2026-02-01'") && sql.contains("sum("), "{sql}");
}
