//! What traders ask of a small shop with a store: who comes first in each group, what grew, how far apart orders lie, what is in
//! stock.

use crate::support::{self, File, rows};
use sqlogue::plan::Confidence;

const SHOP: &str = "
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL, credit_limit REAL);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, cost_price REAL NOT NULL);
CREATE TABLE stock_levels (
  id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES products(id), warehouse TEXT NOT NULL, quantity INTEGER NOT NULL
);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), order_date DATE NOT NULL);
CREATE TABLE order_lines (
  id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(id), product_id INTEGER NOT NULL REFERENCES products(id),
  quantity INTEGER NOT NULL, unit_price REAL NOT NULL
);
CREATE TABLE reviews (
  id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES products(id),
  customer_id INTEGER NOT NULL REFERENCES customers(id), rating INTEGER NOT NULL, review_date DATE NOT NULL
);
INSERT INTO customers VALUES (1, 'Ann', 'Peru', 100), (2, 'Ben', 'Peru', 500), (3, 'Cleo', 'Chad', 900), (4, 'Dov', 'Chad', 50);
INSERT INTO products VALUES (1, 'Chair', 'Furniture', 10), (2, 'Table', 'Furniture', 40), (3, 'Lamp', 'Lighting', 5);
INSERT INTO stock_levels VALUES (1, 1, 'North', 7), (2, 1, 'South', 3), (3, 3, 'North', 20);
INSERT INTO orders VALUES
  (1, 1, '2025-03-01'), (2, 1, '2025-03-11'), (3, 2, '2025-05-01'), (4, 3, '2026-02-01'), (5, 3, '2026-02-21'), (6, 2, '2026-03-01');
INSERT INTO order_lines VALUES
  (1, 1, 1, 2, 20), (2, 2, 3, 4, 10), (3, 3, 2, 1, 80), (4, 4, 3, 30, 10), (5, 5, 1, 1, 20), (6, 6, 1, 1, 20);
INSERT INTO reviews VALUES (1, 3, 2, 5, '2026-03-05'), (2, 1, 1, 4, '2026-03-06'), (3, 1, 4, 2, '2026-03-07');
";

async fn answers(cases: &[(&str, &[&str])]) {
    support::all_give(SHOP, cases).await;
}

#[tokio::test]
async fn the_first_of_each_group_are_people_and_no_groups() {
    answers(&[
        ("who spent the most in each country?", &["Chad|Cleo|320", "Peru|Ben|100"]),
        ("top 1 customers per country", &["Chad|Cleo|320", "Peru|Ben|100"]),
    ])
    .await;
}

#[tokio::test]
async fn what_grew_is_told_by_two_times() {
    answers(&[
        ("which category grew the most in 2026?", &["Lighting|260"]),
        ("which product lost the most in 2026 compared to 2025?", &["Table|-80"]),
        ("which country had the biggest drop in revenue in 2026?", &["Peru|-140"]),
    ])
    .await;
}

#[tokio::test]
async fn orders_lie_so_far_apart_as_those_of_one_customer_do() {
    answers(&[
        ("average days between orders", &["111.33333333333333"]),
        ("average days between orders by country", &["Chad|20", "Peru|157"]),
        ("how many days are there between two orders of a customer on average?", &["111.33333333333333"]),
    ])
    .await;
}

#[tokio::test]
async fn what_was_bought_is_not_what_was_reviewed() {
    answers(&[
        ("customers who only bought Furniture", &["Ben"]),
        ("customers who bought nothing but Lighting", &[]),
        ("customers with both orders and reviews", &["Ann", "Ben"]),
        ("customers who reviewed but never ordered", &["Dov"]),
    ])
    .await;
}

#[tokio::test]
async fn a_price_of_whole_orders_is_what_they_come_to() {
    answers(&[
        ("orders between 50 and 100", &["3|80"]),
        ("customers who paid more than 100 in total", &["Cleo|320"]),
        ("second best selling product", &["Chair|4"]),
        ("90th percentile of order value", &["190"]),
        ("did we sell more in February 2026 than in March 2026?", &["320|20"]),
    ])
    .await;
}

#[tokio::test]
async fn stock_is_what_the_store_holds() {
    answers(&[
        ("how much stock do we have by category", &["Furniture|10", "Lighting|20"]),
        ("stock value by warehouse", &["North|170", "South|30"]),
    ])
    .await;
}

#[tokio::test]
async fn what_is_bought_together_stands_on_one_order() {
    let pairs = "INSERT INTO order_lines VALUES (7, 4, 1, 1, 20), (8, 5, 3, 1, 10), (9, 6, 2, 1, 80);";
    let file = File::new("pairs.sqlite", &format!("{SHOP}{pairs}"));
    let engine = file.engine();
    for question in ["which products are often bought together?", "most common pairs of products"] {
        assert_eq!(rows(&engine, question).await, ["Chair|Lamp|2", "Chair|Table|1"], "{question}");
    }
    let state = engine.query_database("which products have never been sold together?", None).await.unwrap();
    assert_eq!(state.answer_confidence, Some(Confidence::Low), "{:?}", state.message);
}

#[tokio::test]
async fn a_time_is_the_best_by_what_it_brought_in() {
    answers(&[
        ("what was our best month?", &["2026-02|320"]),
        ("best customer of each year", &["2025|Ann|80", "2026|Cleo|320"]),
        ("busiest month of each year", &["2025|2025-03|2", "2026|2026-02|2"]),
        ("which country has the highest average revenue per customer?", &["Chad|320"]),
    ])
    .await;
}

#[tokio::test]
async fn a_bound_of_the_same_row_that_is_not_read_is_said() {
    let file = File::new("trade.sqlite", SHOP);
    let engine = file.engine();
    let state = engine.query_database("customers over their credit limit", None).await.unwrap();
    assert_eq!(state.answer_confidence, Some(Confidence::Low), "{:?}", state.message);
}

#[tokio::test]
async fn what_customers_buy_is_sold_to_them() {
    let schema = "
CREATE TABLE customers (id INTEGER PRIMARY KEY, full_name TEXT NOT NULL);
CREATE TABLE cars (
  id INTEGER PRIMARY KEY, make TEXT NOT NULL, body_type TEXT NOT NULL, purchased_at TEXT NOT NULL, purchase_price REAL NOT NULL,
  bought_from_customer_id INTEGER REFERENCES customers(id), asking_price REAL, sold_at TEXT, sale_price REAL,
  sold_to_customer_id INTEGER REFERENCES customers(id)
);
INSERT INTO customers VALUES (1, 'Ann'), (2, 'Ben'), (3, 'Cleo');
INSERT INTO cars VALUES
  (1, 'Arda', 'estate', '2025-03-01', 4000, 2, 6000, '2026-02-01', 5500, 1),
  (2, 'Brix', 'estate', '2026-01-05', 7000, 2, 9000, NULL, NULL, NULL),
  (3, 'Arda', 'van', '2025-06-01', 3000, 3, 5000, '2025-08-01', 4500, 2);";
    let file = File::new("cars.sqlite", schema);
    let engine = file.engine();
    for (question, wanted) in [
        ("customers who never bought a car", &["Cleo"][..]),
        ("number of unsold cars", &["1"]),
        ("what does a car go for on average by body type", &["estate|5500", "van|4500"]),
    ] {
        assert_eq!(rows(&engine, question).await, wanted, "{question}");
    }
}

#[tokio::test]
async fn the_average_of_all_stands_beside_each_group() {
    answers(&[(
        "average cost price by category next to the overall average",
        &["Furniture|25|18.333333333333332", "Lighting|5|18.333333333333332"],
    )])
    .await;
}

#[tokio::test]
async fn ten_percent_are_a_part_and_no_ten() {
    answers(&[
        ("top 10 percent of customers by revenue", &["Cleo|320"]),
        ("top 50 percent of customers by revenue", &["Ben|100", "Cleo|320"]),
    ])
    .await;
}

#[tokio::test]
async fn first_orders_are_those_of_each_customer() {
    answers(&[
        ("revenue from first orders", &["420"]),
        ("income from repeat orders", &["80"]),
        ("average value of first orders", &["140"]),
        ("what did each customer spend on their last order?", &["Ann|40", "Ben|20", "Cleo|20"]),
    ])
    .await;
}

#[tokio::test]
async fn years_beside_each_other_parts_of_all_and_spreads() {
    answers(&[
        ("customers with orders last year and none this year", &["Ann"]),
        ("which customers make up 60 % of revenue?", &["Cleo|320"]),
        ("standard deviation of cost price", &["18.929694486000912"]),
    ])
    .await;
}
