//! A maker that sells from its showrooms: what is open, late or expired, what an order came to, values at a place, and how long people
//! have been there.

use crate::support::{File, rows};

const MAKER: &str = "
CREATE TABLE staff (emp_no INTEGER PRIMARY KEY, emp_name TEXT, team TEXT, hired_on TEXT NOT NULL, left_on TEXT, target_yr REAL, salary REAL);
CREATE TABLE products (prod_no TEXT PRIMARY KEY, descr TEXT, line TEXT, cost REAL, list_price INTEGER, stock_qty INTEGER, warranty_until TEXT);
CREATE TABLE orders (ord_no INTEGER PRIMARY KEY, emp_no INTEGER REFERENCES staff(emp_no), channel TEXT, ord_dt TEXT NOT NULL,
  promised_dt TEXT, deliv_dt TEXT, status TEXT, total_amt REAL);
CREATE TABLE ord_lines (ord_no INTEGER REFERENCES orders(ord_no), line_no INTEGER, prod_no TEXT REFERENCES products(prod_no),
  qty INTEGER, unit_price REAL, disc_pct INTEGER, PRIMARY KEY (ord_no, line_no));
CREATE TABLE purchases (po_no INTEGER PRIMARY KEY, supplier TEXT, item TEXT, unit_cost REAL, po_dt TEXT NOT NULL, cost_cents INTEGER);
INSERT INTO staff VALUES
  (1, 'Ann Ash', 'North', '2020-03-01', NULL, 500, 40000), (2, 'Bob Birch', 'North', '2022-03-01', NULL, 5000, 50000),
  (3, 'Cem Cedar', 'South', '2023-03-01', '2024-03-01', 900, 45000), (4, 'Dee Dale', 'South', '2024-03-01', NULL, 900, 30000);
INSERT INTO products VALUES
  ('P1', 'Oak table', 'Oak', 700, 900, 2, '2025-01-31'), ('P2', 'Oak chair', 'Oak', 90, 450, 8, '2030-01-31'),
  ('P3', 'Elm bench', 'Elm', 300, 600, 1, '2030-01-31');
INSERT INTO orders VALUES
  (11, 1, 'shop', '2026-01-05', '2026-01-20', '2026-01-25', 'delivered', 810),
  (12, 2, 'web', '2026-01-15', '2026-02-10', '2026-02-05', 'delivered', 450),
  (13, 2, 'web', '2026-02-20', '2026-03-10', NULL, 'cancelled', 600),
  (14, 4, 'web', '2026-03-15', '2026-04-10', NULL, 'in production', 600);
INSERT INTO ord_lines VALUES (11, 1, 'P1', 1, 900, 10), (12, 1, 'P2', 1, 450, 0), (13, 1, 'P3', 1, 600, 0), (14, 1, 'P3', 1, 600, 0);
INSERT INTO purchases VALUES
  (21, 'Timber & Co', 'oak', 12, '2026-01-02', 1200), (22, 'Timber & Co', 'oak', 10, '2026-03-02', 1000),
  (23, 'Hides Ltd', 'leather', 50, '2025-03-02', 5000);
";

#[tokio::test]
async fn what_was_called_off_is_not_open() {
    let file = File::new("called_off.sqlite", MAKER);
    let engine = file.engine();
    assert_eq!(rows(&engine, "how many open orders are there?").await, ["1"]);
    assert_eq!(rows(&engine, "open and delivered orders by channel").await, ["shop|0|1", "web|1|1"]);
    // Who asks for those that were called off gets them.
    assert_eq!(rows(&engine, "number of cancelled orders that are still open").await, ["1"]);
}

#[tokio::test]
async fn before_a_promised_day_is_no_length_of_time() {
    let file = File::new("promised.sqlite", MAKER);
    let engine = file.engine();
    assert_eq!(rows(&engine, "How many orders were delivered before the promised date?").await, ["1"]);
}

#[tokio::test]
async fn an_order_came_to_its_own_total_and_no_stock_was_sold() {
    let file = File::new("own_total.sqlite", MAKER);
    let engine = file.engine();
    assert_eq!(rows(&engine, "revenue by channel in January 2026").await, ["shop|810", "web|450"]);
    // The lines tell what was sold of each product line; what lies in stock does not.
    assert_eq!(rows(&engine, "revenue by product line").await, ["Elm|1200", "Oak|1350"]);
    assert_eq!(rows(&engine, "average price").await, ["650"]);
}

#[tokio::test]
async fn a_place_is_counted_among_values() {
    let file = File::new("places.sqlite", MAKER);
    let engine = file.engine();
    assert_eq!(rows(&engine, "what is the second highest salary?").await, ["45000"]);
    for said in ["second highest salary in each team", "second highest salary per team"] {
        assert_eq!(rows(&engine, said).await, ["North|40000", "South|30000"], "{said}");
    }
    // The latest is no highest.
    assert_eq!(
        rows(&engine, "latest unit cost per item").await,
        ["leather|50|2025-03-02", "oak|10|2026-03-02"]
    );
}

#[tokio::test]
async fn people_stay_and_reach_their_targets() {
    let file = File::new("targets.sqlite", MAKER);
    let engine = file.engine();
    let over = rows(&engine, "Which staff sold more than their yearly target in 2026?").await;
    assert_eq!(over, ["Ann Ash|500"]);
    let years = rows(&engine, "How many years has each employee been with us?").await;
    assert!(years.contains(&"Cem Cedar|1".to_owned()), "{years:?}");
    assert_eq!(rows(&engine, "products out of warranty").await.len(), 1);
    assert_eq!(rows(&engine, "no. of orders in 2026").await, ["4"]);
}

#[tokio::test]
async fn columns_are_called_after_what_they_say() {
    let file = File::new("headings.sqlite", MAKER);
    let engine = file.engine();
    let said = "how many staff are still here and how many have left";
    let columns = engine.ask(said, None).await.unwrap().rows.unwrap().columns.clone();
    assert_eq!(columns, ["not_left", "left"]);
}
