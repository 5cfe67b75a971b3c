//! Orders that their lines tell of: what they came to, when they were sold, who bought how often, and names side by side.

use sqlogue::QueryInput;

use crate::support::{File, rows};

const SHOP: &str = "
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, product_name TEXT NOT NULL, category TEXT NOT NULL, price REAL NOT NULL);
CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(customer_id), ordered_on TEXT NOT NULL, status TEXT NOT NULL
);
CREATE TABLE order_lines (
  line_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(order_id),
  product_id INTEGER NOT NULL REFERENCES products(product_id), quantity INTEGER NOT NULL, unit_price REAL NOT NULL, returned_on TEXT
);
CREATE TABLE deliveries (
  delivery_id INTEGER PRIMARY KEY, supplier_name TEXT NOT NULL, delivered_on TEXT NOT NULL, qty INTEGER NOT NULL, unt_cst REAL NOT NULL
);
INSERT INTO customers VALUES (1, 'Ann', 'a@x.example'), (2, 'Ben', 'b@x.example'), (3, 'Cid', 'a@x.example');
INSERT INTO products VALUES (1, 'Lamp', 'Light', 100.0), (2, 'Bulb', 'Light', 5.0), (3, 'Desk', 'Wood', 400.0);
INSERT INTO orders VALUES (1, 1, '2025-03-01', 'sent'), (2, 1, '2026-03-05', 'sent'), (3, 2, '2026-04-02', 'cancelled');
INSERT INTO order_lines VALUES
  (1, 1, 3, 1, 400.0, '2026-01-10'), (2, 2, 1, 6, 100.0, NULL), (3, 2, 2, 2, 5.0, NULL), (4, 3, 2, 4, 5.0, '2026-04-20');
INSERT INTO deliveries VALUES (1, 'North', '2026-01-02', 10, 2.0), (2, 'North', '2026-02-02', 5, 4.0), (3, 'South', '2026-02-03', 3, 10.0);
";

#[tokio::test]
async fn an_order_is_as_much_as_its_lines_come_to() {
    let file = File::new("shop.sqlite", SHOP);
    let engine = file.engine();
    for question in ["orders over 500", "orders worth more than 500", "largest order", "largest order ever"] {
        assert_eq!(rows(&engine, question).await, ["2|610"], "{question}");
    }
    assert_eq!(rows(&engine, "customers who spent between 500 and 2000").await, ["Ann|1010"]);
}

#[tokio::test]
async fn what_was_sold_is_as_old_as_its_order() {
    let file = File::new("shop.sqlite", SHOP);
    let engine = file.engine();
    assert_eq!(rows(&engine, "sales by category in 2026").await, ["Light|630"]);
    let state = engine.query_database(QueryInput::new("revenue by month"), None).await.unwrap();
    assert!(state.query.as_ref().unwrap().contains("ordered_on"), "{:?}", state.query);
}

#[tokio::test]
async fn names_side_by_side_mean_the_last() {
    let file = File::new("shop.sqlite", SHOP);
    let engine = file.engine();
    assert_eq!(rows(&engine, "customer orders by year").await, ["2025|1", "2026|2"]);
    assert_eq!(rows(&engine, "total customer orders in 2026").await, ["2"]);
}

#[tokio::test]
async fn pieces_cost_as_often_as_there_are_pieces() {
    let file = File::new("shop.sqlite", SHOP);
    let engine = file.engine();
    assert_eq!(rows(&engine, "delivery cost by supplier").await, ["North|40", "South|30"]);
}

#[tokio::test]
async fn duplicates_shares_of_the_first_and_how_many_have_how_many() {
    let file = File::new("shop.sqlite", SHOP);
    let engine = file.engine();
    for question in ["duplicate emails", "customers with the same email", "emails that appear more than once"]
    {
        assert_eq!(rows(&engine, question).await, ["a@x.example|2"], "{question}");
    }
    for question in ["number of customers by number of orders", "how many customers placed 1, 2, 3 orders?"] {
        assert_eq!(rows(&engine, question).await, ["1|1", "2|1"], "{question}");
    }
    let found = rows(&engine, "share of revenue from the top 1 customers").await;
    assert!(matches!(found.as_slice(), [one] if one.starts_with("98.05")), "{found:?}");
}

const STAFFED: &str = "
CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL, hire_date TEXT NOT NULL);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), employee_id INTEGER REFERENCES employees(id), order_date TEXT NOT NULL
);
CREATE TABLE order_items (
  id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(id), quantity INTEGER NOT NULL, unit_price REAL NOT NULL
);
INSERT INTO employees VALUES (1, 'Rea Rook', 'Sales', '2020-01-01'), (2, 'Sid Sparrow', 'Sales', '2021-01-01');
INSERT INTO customers VALUES (1, 'Ann', 'a@x.example'), (2, 'Ben', 'b@x.example'), (3, 'Cid', 'c@x.example');
INSERT INTO orders VALUES
  (1, 1, 1, '2025-02-01'), (2, 1, 2, '2026-02-01'), (3, 2, 2, '2025-03-01'), (4, 2, 2, '2025-05-01'), (5, 2, 1, '2026-03-01'), (6, 3, 2, '2026-04-01');
INSERT INTO order_items VALUES (1, 1, 1, 10.0), (2, 2, 3, 10.0), (3, 3, 1, 50.0), (4, 4, 1, 40.0), (5, 5, 1, 500.0), (6, 6, 2, 7.0);
";

#[tokio::test]
async fn whoever_served_is_no_customer() {
    let file = File::new("staffed.sqlite", STAFFED);
    let engine = file.engine();
    for question in ["who handled the most orders?", "who processed the most orders?"] {
        assert_eq!(rows(&engine, question).await, ["Sid Sparrow|4"], "{question}");
    }
    assert_eq!(rows(&engine, "who sold the most?").await, ["Rea Rook|510"]);
    assert_eq!(rows(&engine, "who placed the most orders?").await, ["Ben|3"]);
}

#[tokio::test]
async fn each_is_compared_with_itself_a_year_before() {
    let file = File::new("staffed.sqlite", STAFFED);
    let engine = file.engine();
    let found = rows(&engine, "customers who spent more in 2026 than in 2025").await;
    assert_eq!(found, ["Ann|20", "Ben|410", "Cid|14"]);
    assert_eq!(rows(&engine, "customers with fewer orders in 2026 than in 2025").await, ["Ben|-1"]);
}
