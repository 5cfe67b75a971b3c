//! What a sales team asks of its deals: which are open, won or lost, and when they came to that; what is there and what is missing; and
//! columns that are listed behind the question.

use crate::support::{File, rows};

const SALES: &str = "
CREATE TABLE reps (rep_id INTEGER PRIMARY KEY, rep_name TEXT NOT NULL, team TEXT NOT NULL);
CREATE TABLE accounts (account_id INTEGER PRIMARY KEY, account_name TEXT NOT NULL, city TEXT NOT NULL, email TEXT, phone TEXT);
CREATE TABLE deals (deal_id INTEGER PRIMARY KEY, deal_name TEXT NOT NULL, account_id INTEGER NOT NULL REFERENCES accounts(account_id),
  rep_id INTEGER NOT NULL REFERENCES reps(rep_id), stage TEXT NOT NULL, amount INTEGER, created_on TEXT NOT NULL,
  expected_close_on TEXT NOT NULL, closed_on TEXT);
CREATE TABLE deal_lines (line_id INTEGER PRIMARY KEY, deal_id INTEGER NOT NULL REFERENCES deals(deal_id), product TEXT NOT NULL,
  unit_price INTEGER NOT NULL, quantity INTEGER NOT NULL);
CREATE TABLE quotas (quota_id INTEGER PRIMARY KEY, rep_id INTEGER NOT NULL REFERENCES reps(rep_id), quota_year INTEGER NOT NULL,
  quota_quarter INTEGER NOT NULL, target_amount INTEGER NOT NULL);
INSERT INTO reps VALUES (1, 'Ada Ash', 'East'), (2, 'Bo Birch', 'East'), (3, 'Cy Cedar', 'West');
INSERT INTO accounts VALUES
  (1, 'Alder & Co', 'Leeds', 'a@alder.example', '111'), (2, 'Beech Ltd', 'Leeds', NULL, '222'),
  (3, 'Cherry plc', 'York', 'c@cherry.example', NULL), (4, 'Damson', 'York', NULL, NULL);
INSERT INTO deals VALUES
  (1, 'One', 1, 1, 'Closed Won', 100, '2025-11-01', '2026-01-20', '2026-01-10'),
  (2, 'Two', 2, 1, 'Closed Won', 300, '2025-10-01', '2026-02-20', '2026-03-10'),
  (3, 'Three', 3, 2, 'Closed Lost', 50, '2026-01-01', '2026-02-20', '2026-02-10'),
  (4, 'Four', 1, 3, 'Closed Won', 70, '2025-01-01', '2025-02-20', '2025-02-28'),
  (5, 'Five', 2, 3, 'Proposal', 500, '2026-03-01', '2026-08-20', NULL),
  (6, 'Six', 4, 2, 'Negotiation', 20, '2025-12-01', '2026-04-20', NULL);
INSERT INTO quotas VALUES (1, 1, 2025, 4, 90), (2, 1, 2026, 1, 100), (3, 2, 2026, 1, 150), (4, 3, 2026, 1, 80), (5, 1, 2026, 2, 120),
  (6, 2, 2026, 2, 160);
INSERT INTO deal_lines VALUES
  (1, 1, 'Seat', 60, 2), (2, 2, 'Seat', 100, 3), (3, 3, 'Desk', 50, 1), (4, 4, 'Desk', 70, 1), (5, 5, 'Seat', 100, 5), (6, 6, 'Desk', 20, 1);
";

#[tokio::test]
async fn a_state_is_called_by_its_last_word() {
    let file = File::new("won.sqlite", SALES);
    let engine = file.engine();
    assert_eq!(rows(&engine, "won deals by team").await, ["East|2", "West|1"]);
    assert_eq!(rows(&engine, "how many deals did we lose?").await, ["1"]);
    assert_eq!(rows(&engine, "open, won and lost deals by team").await, ["East|1|2|1", "West|1|1|0"]);
}

#[tokio::test]
async fn what_was_won_was_won_on_the_day_it_was_closed() {
    let file = File::new("won_on.sqlite", SALES);
    let engine = file.engine();
    assert_eq!(rows(&engine, "how many deals did we win in 2025?").await, ["1"]);
    assert_eq!(rows(&engine, "won revenue by team in 2026").await, ["East|400"]);
    let first = rows(&engine, "When did each rep win their first deal?").await;
    assert_eq!(first, ["Ada Ash|2026-01-10", "Cy Cedar|2025-02-28"]);
    // A rate is of what has ended, won or lost.
    assert_eq!(rows(&engine, "win rate").await, ["75"]);
    // Who asks for another day gets that.
    assert_eq!(rows(&engine, "how many won deals were created in 2025?").await, ["3"]);
}

#[tokio::test]
async fn what_was_to_be_closed_is_open_all_the_same() {
    let file = File::new("overdue.sqlite", SALES);
    let engine = file.engine();
    assert_eq!(rows(&engine, "how many open deals are there?").await, ["2"]);
}

#[tokio::test]
async fn what_is_missing_is_told_from_what_is_there() {
    let file = File::new("missing.sqlite", SALES);
    let engine = file.engine();
    for said in [
        "accounts without email or phone",
        "accounts with neither an email address nor a phone number",
        "accounts without an email and without a phone number",
    ] {
        assert_eq!(rows(&engine, said).await, ["Damson"], "{said}");
    }
    assert_eq!(rows(&engine, "accounts with a phone but without email").await, ["Beech Ltd"]);
    let apart = rows(&engine, "accounts with and without an email address by city").await;
    assert_eq!(apart, ["Leeds|1|1", "York|1|1"]);
}

#[tokio::test]
async fn what_makes_bands_is_not_added_up() {
    let file = File::new("bands.sqlite", SALES);
    let engine = file.engine();
    let bands = rows(&engine, "deals by amount: up to 50, 51 to 100, over 100").await;
    assert_eq!(bands, ["51 to 100|2", "over 100|2", "up to 50|2"]);
}

#[tokio::test]
async fn what_is_listed_is_shown() {
    let file = File::new("listed.sqlite", SALES);
    let engine = file.engine();
    let over = rows(&engine, "deals over 250: deal number, stage, amount").await;
    assert_eq!(over, ["2|Closed Won|300", "5|Proposal|500"]);
    let cities = rows(&engine, "cities with at least 2 accounts, with count").await;
    assert_eq!(cities, ["Leeds|2", "York|2"]);
}

#[tokio::test]
async fn somebody_is_called_by_what_they_do() {
    let script = "
        CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, job TEXT NOT NULL);
        CREATE TABLE eye_tests (test_id INTEGER PRIMARY KEY, optometrist_id INTEGER, tested_on TEXT NOT NULL, fee INTEGER);
        INSERT INTO staff VALUES (1, 'Ann Ash', 'Optometrist'), (2, 'Ben Birch', 'Manager'), (3, 'Cy Cedar', 'Optometrist'),
          (4, 'Di Dale', 'Assistant'), (5, 'Ed Elm', 'Assistant'), (6, 'Flo Fir', 'Manager');
        INSERT INTO eye_tests VALUES (1, 1, '2026-01-05', 20), (2, 1, '2026-01-06', 20), (3, 3, '2026-01-06', 25),
          (4, 3, '2026-02-06', 25), (5, 3, '2026-02-07', 30), (6, 1, '2026-02-08', 20), (7, 3, '2026-02-09', 20);";
    let file = File::new("optometrists.sqlite", script);
    let engine = file.engine();
    let tests = rows(&engine, "How many eye tests did each optometrist carry out?").await;
    assert_eq!(tests, ["Ann Ash|3", "Cy Cedar|4"]);
}

#[tokio::test]
async fn a_year_and_a_quarter_make_a_date() {
    let file = File::new("quotas.sqlite", SALES);
    let engine = file.engine();
    assert_eq!(
        rows(&engine, "total quota per team in the first quarter of 2026").await,
        ["East|250", "West|80"]
    );
    assert_eq!(rows(&engine, "total quota in Q2 2026").await, ["280"]);
    let quarters = rows(&engine, "total quota by quarter").await;
    assert_eq!(quarters, ["2025-Q4|90", "2026-Q1|330", "2026-Q2|280"]);
}
