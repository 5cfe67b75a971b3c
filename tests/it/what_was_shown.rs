//! What is asked of the rows that were shown, what is worst of something bad, and what payments come to.

use sqlogue::plan::Confidence;

use crate::support::{File, rows, rows_after};

const COURIER: &str = "
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL);
CREATE TABLE drivers (driver_id INTEGER PRIMARY KEY, name TEXT NOT NULL, hired_on TEXT NOT NULL);
CREATE TABLE deliveries (
  delivery_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(customer_id),
  driver_id INTEGER NOT NULL REFERENCES drivers(driver_id), delivered_on TEXT NOT NULL, status TEXT NOT NULL
);
CREATE TABLE payments (
  payment_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(customer_id), paid_on TEXT NOT NULL,
  amount REAL NOT NULL, method TEXT NOT NULL
);
INSERT INTO customers VALUES (1, 'Ann', 'Riga'), (2, 'Ben', 'Riga'), (3, 'Cid', 'Oslo');
INSERT INTO drivers VALUES (1, 'Dora', '2020-01-01'), (2, 'Eli', '2021-01-01');
INSERT INTO deliveries VALUES
  (1, 1, 1, '2026-01-05', 'done'), (2, 1, 1, '2026-02-05', 'failed'), (3, 2, 2, '2026-03-05', 'failed'), (4, 2, 2, '2026-04-05', 'failed'),
  (5, 3, 1, '2026-05-05', 'done'), (6, 3, 2, '2026-06-05', 'done');
INSERT INTO payments VALUES
  (1, 1, '2026-01-10', 10.0, 'card'), (2, 1, '2026-01-11', 10.0, 'card'), (3, 1, '2026-01-12', 10.0, 'cash'), (4, 2, '2026-02-10', 500.0, 'cash'),
  (5, 3, '2026-03-10', 90.0, 'card');
";

#[tokio::test]
async fn what_is_asked_of_the_rows_shown_stands_beside_them() {
    let file = File::new("courier.sqlite", COURIER);
    let engine = file.engine();
    let top = "top 2 customers by payments";
    assert_eq!(rows(&engine, top).await, ["Ben|500", "Cid|90"]);
    let paid = rows_after(&engine, &[top, "when did they last pay?"]).await;
    assert_eq!(paid, ["Ben|2026-02-10|500", "Cid|2026-03-10|90"]);
    let delivered =
        rows_after(&engine, &["customers in Riga", "how many deliveries did each of them get?"]).await;
    assert_eq!(delivered, ["Ann|2", "Ben|2"]);
    let hired = rows_after(&engine, &["names of the drivers", "when were they hired?"]).await;
    assert!(hired.iter().any(|row| row.contains("Dora") && row.contains("2020-01-01")), "{hired:?}");
    assert_eq!(rows_after(&engine, &[top, "and the third?"]).await, ["Ann|30"]);
}

#[tokio::test]
async fn what_stands_beside_the_rows_stays_there() {
    let file = File::new("courier.sqlite", COURIER);
    let engine = file.engine();
    let talk = ["customers in Riga", "how many deliveries did each of them get?", "how much did they pay?"];
    assert_eq!(rows_after(&engine, &talk).await, ["Ann|2|30", "Ben|2|500"]);
    let moved = [talk[0], talk[1], "and in Oslo?"];
    assert_eq!(rows_after(&engine, &moved).await, ["Cid|2"]);
}

#[tokio::test]
async fn the_worst_is_the_most_of_what_is_bad() {
    let file = File::new("courier.sqlite", COURIER);
    let engine = file.engine();
    let failed = "failed deliveries by driver";
    assert_eq!(rows_after(&engine, &[failed, "worst first"]).await, ["Eli|2", "Dora|1"]);
    assert_eq!(rows_after(&engine, &[failed, "which is the best one?"]).await, ["Dora|1"]);
}

#[tokio::test]
async fn a_share_of_the_number_of_payments_is_marked() {
    let file = File::new("courier.sqlite", COURIER);
    let engine = file.engine();
    let answer = engine.ask("share of payments by method", None).await.unwrap();
    assert_eq!(answer.state.answer_confidence, Some(Confidence::Low), "{:?}", answer.state.query);
}
