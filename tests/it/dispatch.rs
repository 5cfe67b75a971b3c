//! A works that makes, sends and bills: states side by side, what came late, what was done, and money in two units.

use crate::support::{File, rows};

const WORKS: &str = "
CREATE TABLE customers (cust_no INTEGER PRIMARY KEY, cust_name TEXT, region TEXT, active_flg TEXT, contact_email TEXT, credit_limit REAL);
CREATE TABLE jobs (job_no INTEGER PRIMARY KEY, cust_no INTEGER REFERENCES customers(cust_no), job_title TEXT, order_dt TEXT, status TEXT);
CREATE TABLE deliveries (dlv_no INTEGER PRIMARY KEY, job_no INTEGER REFERENCES jobs(job_no), promised_dt TEXT, actual_dt TEXT, carrier TEXT, boxes INTEGER);
CREATE TABLE invoices (inv_no INTEGER PRIMARY KEY, cust_no INTEGER REFERENCES customers(cust_no), job_no INTEGER REFERENCES jobs(job_no), inv_dt TEXT, total_cents INTEGER);
CREATE TABLE payments (pay_no INTEGER PRIMARY KEY, inv_no INTEGER REFERENCES invoices(inv_no), method TEXT, amount REAL, attempted_at TEXT NOT NULL, paid_at TEXT, failed_at TEXT);
CREATE TABLE complaints (compl_no INTEGER PRIMARY KEY, job_no INTEGER REFERENCES jobs(job_no), compl_dt TEXT, reason TEXT);
INSERT INTO customers VALUES
  (1, 'Ash Ltd', 'North', 'Y', 'a@ash.test', 100), (2, 'Birch Ltd', 'North', 'N', NULL, 500), (3, 'Cedar Ltd', 'South', 'Y', NULL, 100);
INSERT INTO jobs VALUES
  (11, 1, 'Posters', '2026-01-05', 'completed'), (12, 1, 'Cards', '2026-02-05', 'completed'),
  (13, 2, 'Books', '2026-02-15', 'cancelled'), (14, 3, 'Labels', '2026-03-05', 'planned');
INSERT INTO deliveries VALUES
  (21, 11, '2026-01-10', '2026-01-12', 'Van', 4), (22, 12, '2026-02-10', '2026-02-09', 'Van', 2),
  (23, 12, '2026-02-20', '2026-03-01', 'Post', 1), (24, 14, '2026-03-20', NULL, 'Post', 3);
INSERT INTO invoices VALUES (31, 1, 11, '2026-01-13', 15000), (32, 3, 14, '2026-03-13', 9000);
INSERT INTO payments VALUES
  (41, 31, 'card', 150, '2026-01-20', '2026-01-20', NULL), (42, 32, 'card', 90, '2026-03-20', NULL, '2026-03-20'),
  (43, 32, 'transfer', 90, '2026-03-25', '2026-04-01', NULL);
INSERT INTO complaints VALUES (51, 11, '2026-01-15', 'late delivery');
";

#[tokio::test]
async fn states_stand_side_by_side() {
    let file = File::new("states.sqlite", WORKS);
    let engine = file.engine();
    let north_and_south = ["North|1|1", "South|1|0"];
    for said in [
        "For each region, how many customers are active and how many are inactive?",
        "active and inactive customers by region",
        "active vs inactive customers by region",
    ] {
        assert_eq!(rows(&engine, said).await, north_and_south, "{said}");
    }
    assert_eq!(rows(&engine, "payments paid vs failed by method").await, ["card|1|1", "transfer|1|0"]);
}

#[tokio::test]
async fn what_was_promised_came_late_or_not() {
    let file = File::new("late.sqlite", WORKS);
    let engine = file.engine();
    assert_eq!(rows(&engine, "how many deliveries were late?").await, ["2"]);
    assert_eq!(rows(&engine, "late deliveries by carrier").await, ["Post|1", "Van|1"]);
    assert_eq!(rows(&engine, "on-time vs late deliveries by carrier").await, ["Post|0|1", "Van|1|1"]);
    // A delivery is of the day on which it was made.
    assert_eq!(rows(&engine, "how many deliveries were there in March 2026?").await, ["1"]);
}

#[tokio::test]
async fn what_is_said_to_have_been_done_counts() {
    let file = File::new("done.sqlite", WORKS);
    let engine = file.engine();
    assert_eq!(rows(&engine, "total amount paid by method").await, ["card|150", "transfer|90"]);
    assert_eq!(rows(&engine, "paid amount by month").await, ["2026-01|150", "2026-04|90"]);
    // Complaints have a `compl_no`, which is nothing that was completed.
    assert_eq!(rows(&engine, "How many completed jobs have no invoice yet?").await, ["1"]);
    assert_eq!(rows(&engine, "complaints per 100 jobs").await, ["25"]);
}

#[tokio::test]
async fn cents_compare_with_whole_money() {
    let file = File::new("limits.sqlite", WORKS);
    let engine = file.engine();
    let above = rows(&engine, "customers whose total invoiced amount is above their credit limit").await;
    assert!(above.len() == 1 && above[0].starts_with("Ash Ltd"), "{above:?}");
    assert_eq!(rows(&engine, "customers with no email on file").await, ["Birch Ltd", "Cedar Ltd"]);
}
