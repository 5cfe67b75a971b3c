//! A database of an old program: short names written together, no keys, and a table that says what codes stand for. And what
//! people ask of things that were sold, and of rows that a column only says they are.

use crate::support;

const COURIER: &str = "
CREATE TABLE stcod (grp TEXT, cod TEXT, txt TEXT);
CREATE TABLE depot (depot_no INTEGER, depnam TEXT, city TEXT);
CREATE TABLE cust (custno INTEGER, cnam TEXT, ctyp TEXT, opndat TEXT, credlim INTEGER);
CREATE TABLE parcel (
  pno INTEGER, custno INTEGER, bkdat TEXT, dlvdat TEXT, srv TEXT, orgdep INTEGER, dstdep INTEGER, wgt_kg REAL, chg REAL
);
INSERT INTO stcod VALUES
  ('srv', 'ST', 'standard'), ('srv', 'EX', 'express'), ('ctyp', 'B', 'business'), ('ctyp', 'P', 'private'), ('srv', 'SD', 'same day');
INSERT INTO depot VALUES (1, 'North Gate', 'Marlow'), (2, 'South Yard', 'Ardham'), (3, 'West End', 'Ostby');
INSERT INTO cust VALUES
  (1001, 'Alder Books', 'B', '2019-05-01', 500), (1002, 'Bram Pots', 'B', '2020-01-10', 800), (1003, 'Cora Dill', 'P', '2020-02-02', 0);
INSERT INTO parcel VALUES
  (51, 1001, '2020-01-03', '2020-01-05', 'ST', 1, 2, 2.0, 10.0), (52, 1001, '2020-01-20', '2020-01-21', 'EX', 1, 3, 1.0, 20.0),
  (53, 1002, '2020-02-01', '2020-02-04', 'ST', 2, 3, 4.0, 12.0), (54, 1003, '2020-02-10', '2020-02-11', 'EX', 3, 1, 1.5, 22.0),
  (55, 1003, '2020-02-11', NULL, 'SD', 1, 2, 2.5, 30.0), (56, 1001, '2020-02-12', NULL, 'ST', 2, 1, 3.0, 11.0);
";

const SHOP: &str = "
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, is_member INTEGER NOT NULL);
CREATE TABLE staff (id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, email TEXT NOT NULL);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price INTEGER NOT NULL, in_service TEXT NOT NULL);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, order_no TEXT NOT NULL, customer_id INTEGER NOT NULL REFERENCES customers(id),
  taken_by_id INTEGER NOT NULL REFERENCES staff(id), channel TEXT NOT NULL, ordered_on TEXT NOT NULL, delivered_on TEXT
);
CREATE TABLE order_lines (
  id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(id), product_id INTEGER NOT NULL REFERENCES products(id),
  quantity INTEGER NOT NULL, unit_price INTEGER NOT NULL
);
CREATE TABLE claims (
  id INTEGER PRIMARY KEY, claim_no TEXT NOT NULL, customer_id INTEGER NOT NULL REFERENCES customers(id), status TEXT NOT NULL,
  opened_on TEXT NOT NULL, closed_on TEXT, target_days INTEGER NOT NULL
);
CREATE TABLE loans (id INTEGER PRIMARY KEY, borrower TEXT NOT NULL, product_id INTEGER NOT NULL REFERENCES products(id), loan_fee INTEGER NOT NULL);
INSERT INTO customers VALUES (1, 'Ann', 'Oslo', 1), (2, 'Ben', 'Bergen', 0), (3, 'Cleo', 'Oslo', 1), (4, 'Dora', 'Bergen', 0);
INSERT INTO staff VALUES (1, 'Eve Hill', 'eve@shop.example'), (2, 'Finn Dale', 'finn@shop.example');
INSERT INTO products VALUES
  (1, 'Lamp', 'light', 10, 'yes'), (2, 'Bulb', 'light', 2, 'yes'), (3, 'Chair', 'seat', 50, 'no'), (4, 'Stool', 'seat', 20, 'yes');
INSERT INTO orders VALUES
  (1, 'A1', 1, 1, 'web', '2020-01-02', '2020-01-04'), (2, 'A2', 1, 1, 'shop', '2020-01-20', '2020-01-25'),
  (3, 'A3', 2, 2, 'web', '2020-02-03', NULL), (4, 'A4', 3, 1, 'web', '2020-02-04', '2020-02-05');
INSERT INTO order_lines VALUES
  (1, 1, 1, 2, 10), (2, 1, 2, 10, 2), (3, 2, 3, 1, 50), (4, 3, 2, 5, 2), (5, 4, 1, 1, 10), (6, 4, 4, 3, 20);
INSERT INTO claims VALUES
  (1, 'C1', 1, 'closed', '2020-01-01', '2020-01-11', 7), (2, 'C2', 2, 'open', '2020-02-01', NULL, 7),
  (3, 'C3', 4, 'closed', '2020-02-01', '2020-02-05', 7);
INSERT INTO loans VALUES (1, 'Hall', 1, 5), (2, 'Hall', 2, 7), (3, 'Hall', 3, 9), (4, 'Museum', 1, 100);
";

async fn courier(cases: &[(&str, &[&str])]) {
    support::all_give(COURIER, cases).await;
}

async fn shop(cases: &[(&str, &[&str])]) {
    support::all_give(SHOP, cases).await;
}

#[tokio::test]
async fn short_names_written_together_are_read() {
    courier(&[
        ("how many parcels were delivered in January 2020?", &["2"]),
        ("parcels booked per month in 2020", &["2020-01|2", "2020-02|4"]),
        ("parcels per customer", &["Alder Books|3", "Bram Pots|1", "Cora Dill|2"]),
        ("how many customers have a credit limit over 400", &["2"]),
        ("average weight of parcels", &["2.3333333333333335"]),
        ("average days from booking to delivery", &["1.75"]),
    ])
    .await;
}

#[tokio::test]
async fn two_ends_without_keys_are_joined_by_their_names() {
    courier(&[
        ("parcels by destination depot", &["North Gate|2", "South Yard|2", "West End|2"]),
        ("total charge by origin depot", &["North Gate|60", "South Yard|23", "West End|22"]),
    ])
    .await;
}

#[tokio::test]
async fn codes_are_read_by_the_table_that_explains_them() {
    courier(&[
        ("how many express parcels", &["2"]),
        ("number of business customers", &["2"]),
        ("what % of parcels are express", &["33.333333333333336"]),
    ])
    .await;
}

#[tokio::test]
async fn pieces_sold_are_told_by_lines_below_the_things() {
    shop(&[
        ("how many products were sold per category", &["light|18", "seat|4"]),
        ("products sold by category", &["light|18", "seat|4"]),
        ("products sold per month", &["2020-01|13", "2020-02|9"]),
        ("orders placed by channel", &["shop|1", "web|3"]),
        ("orders taken by employee", &["Eve Hill|3", "Finn Dale|1"]),
    ])
    .await;
}

#[tokio::test]
async fn a_flag_names_the_rows_for_which_it_holds() {
    shop(&[
        ("members", &["Ann", "Cleo"]),
        ("how many members", &["2"]),
        ("orders of each member", &["Ann|2", "Cleo|1"]),
        ("products out of service", &["Chair"]),
    ])
    .await;
}

#[tokio::test]
async fn columns_are_listed_behind_a_comma() {
    shop(&[
        ("orders not yet delivered, number and customer", &["A3|Ben"]),
        ("open claims, number and customer", &["C2|Ben"]),
        ("show name, city of customers with claims", &["Ann|Oslo", "Ben|Bergen", "Dora|Bergen"]),
    ])
    .await;
}

#[tokio::test]
async fn some_rows_and_none_of_others() {
    shop(&[
        ("customers with orders but no claims", &["Cleo"]),
        ("customers with claims but without orders", &["Dora"]),
        ("how many customers have orders but no open claims", &["2"]),
        ("customers whose orders add up to more than 60", &["Ann|90", "Cleo|70"]),
    ])
    .await;
}

#[tokio::test]
async fn counts_are_averaged_and_times_compared_with_what_they_may_take() {
    shop(&[
        ("loans per borrower on average", &["2"]),
        ("average number of loans per borrower", &["2"]),
        ("orders per month on average", &["2"]),
        ("how long does a claim stay open on average", &["7"]),
        ("how many claims took longer than their target", &["1"]),
        ("how many different products did each customer buy", &["Ann|3", "Ben|1", "Cleo|2"]),
    ])
    .await;
}
