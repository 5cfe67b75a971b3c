//! What people ask of a workshop: cars that were bought and sold, jobs of a kind and in a state, invoices of several amounts.

use crate::support;

const WORKSHOP: &str = "
CREATE TABLE staff (id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, role TEXT NOT NULL);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL);
CREATE TABLE cars (
  id INTEGER PRIMARY KEY, make TEXT NOT NULL, purchased_at TEXT NOT NULL, purchase_price INTEGER NOT NULL, sold_at TEXT,
  sale_price INTEGER, sold_by_id INTEGER REFERENCES staff(id)
);
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), job_type TEXT NOT NULL, state TEXT NOT NULL,
  scheduled_on TEXT NOT NULL
);
CREATE TABLE invoices (
  id INTEGER PRIMARY KEY, invoice_no TEXT NOT NULL, job_id INTEGER NOT NULL REFERENCES jobs(id), labour_amount INTEGER NOT NULL,
  parts_amount INTEGER NOT NULL, total_amount INTEGER NOT NULL, issued_on TEXT NOT NULL, due_on TEXT NOT NULL, state TEXT NOT NULL
);
CREATE TABLE vans (id INTEGER PRIMARY KEY, plate_no TEXT NOT NULL, next_inspection_on TEXT NOT NULL);
INSERT INTO staff VALUES (1, 'Ada', 'salesperson'), (2, 'Bo', 'salesperson'), (3, 'Cy', 'mechanic');
INSERT INTO customers VALUES (1, 'Dee', 'private'), (2, 'Eagle Ltd', 'business'), (3, 'Fox Ltd', 'business');
INSERT INTO cars VALUES
  (1, 'Tavaro', '2020-01-01', 100, '2020-01-11', 150, 1), (2, 'Tavaro', '2020-02-01', 200, '2020-02-21', 260, 2),
  (3, 'Omdahl', '2020-02-05', 300, '2020-02-15', 390, 1), (4, 'Omdahl', '2020-02-07', 400, NULL, NULL, NULL);
INSERT INTO jobs VALUES
  (1, 1, 'oil change', 'done', '2020-01-03'), (2, 2, 'oil change', 'open', '2020-02-04'), (3, 2, 'new tyres', 'done', '2020-02-05'),
  (4, 3, 'oil change', 'done', '2020-03-01'), (5, 2, 'oil change', 'void', '2020-01-01');
INSERT INTO invoices VALUES
  (1, 'R1', 1, 10, 20, 30, '2020-01-04', '2020-01-18', 'paid'), (2, 'R2', 2, 10, 30, 40, '2020-02-05', '2020-02-19', 'open'),
  (3, 'R3', 3, 20, 30, 50, '2020-02-06', '2090-02-20', 'open'), (4, 'R4', 4, 40, 40, 80, '2020-03-02', '2020-03-16', 'paid');
INSERT INTO vans VALUES (1, 'AB 1', '2020-01-01'), (2, 'CD 2', '2090-01-01');
";

async fn answers(cases: &[(&str, &[&str])]) {
    support::all_give(WORKSHOP, cases).await;
}

#[tokio::test]
async fn a_date_tells_of_a_deed_by_another_word() {
    answers(&[
        ("how many cars did we buy in February 2020?", &["3"]),
        ("how many cars were bought since February 2020?", &["3"]),
        ("average days from purchase to sale", &["13.333333333333334"]),
        ("average time between buying and selling a car in days", &["13.333333333333334"]),
        ("average days from purchase to sale by make", &["Omdahl|10", "Tavaro|15"]),
    ])
    .await;
}

#[tokio::test]
async fn rows_of_a_kind_make_groups() {
    answers(&[
        ("cars sold per salesperson", &["Ada|2", "Bo|1"]),
        ("number of jobs per business customer", &["Eagle Ltd|3", "Fox Ltd|1"]),
        ("last job date per business customer", &["Eagle Ltd|2020-02-05", "Fox Ltd|2020-03-01"]),
        (
            "last oil change date per customer",
            &["Dee|2020-01-03", "Eagle Ltd|2020-02-04", "Fox Ltd|2020-03-01"],
        ),
    ])
    .await;
}

#[tokio::test]
async fn a_state_is_that_of_the_rows_behind_it() {
    answers(&[
        ("how many done jobs", &["3"]),
        ("number of done jobs per customer", &["Dee|1", "Eagle Ltd|1", "Fox Ltd|1"]),
        ("how many open invoices", &["2"]),
        ("what percentage of jobs are done", &["60"]),
        ("overdue invoices", &["R2"]),
        ("how many unpaid invoices", &["2"]),
        ("vans with overdue inspection", &["AB 1"]),
    ])
    .await;
}

#[tokio::test]
async fn of_several_amounts_the_whole_is_meant() {
    answers(&[
        ("average invoice total", &["50"]),
        ("invoiced amount by month", &["2020-01|30", "2020-02|90", "2020-03|80"]),
        ("top customer by invoiced amount", &["Eagle Ltd|90"]),
    ])
    .await;
}
