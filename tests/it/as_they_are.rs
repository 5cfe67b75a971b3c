//! Columns, labels and values as databases have them, each on a few rows: what is asked, and the query that answers it.

use std::sync::Arc;

use sqlogue::database::SqliteDatabase;
use sqlogue::{ConversationState, Engine, QueryInput};

use crate::support::{File, repeatable};

fn engine(file: &File) -> Engine {
    let today = jiff::civil::date(2024, 6, 15);
    let database = Arc::new(SqliteDatabase::open(file.path()).unwrap());
    repeatable().today(today).database(database).build().unwrap()
}

async fn answer(engine: &Engine, question: &str) -> ConversationState {
    engine.query_database(QueryInput::new(question), None).await.unwrap()
}

/// Asks about a small database, and says which questions came to another query.
pub(crate) async fn asks(statements: &str, questions: &[(&str, &str)]) {
    let file = File::new("small.sqlite", statements);
    let engine = engine(&file);
    let mut wrong = Vec::new();
    for (question, expected) in questions {
        let state = answer(&engine, question).await;
        let sql = state.query.unwrap_or_default();
        if sql != *expected {
            wrong.push(format!("{question}\n  {sql}\n  {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn yes_and_no_in_all_spellings() {
    asks(
        "CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, is_active TEXT, newsletter TEXT, is_vip INTEGER, smoker TEXT,
           insured TEXT, subscribed INTEGER, blocked TEXT, verified TEXT);
         INSERT INTO members VALUES (1, 'Ann', 'Y', 'true', 1, 'yes', 'T', -1, 'on', 'TRUE'),
           (2, 'Ben', 'N', 'false', 0, 'no', 'F', 0, 'off', 'FALSE'),
           (3, 'Cy', 'Y', 'true', 0, 'no', 'T', -1, 'off', 'TRUE'), (4, 'Di', 'Y', 'false', 1, 'no', 'F', 0, 'off', 'TRUE');",
        &[
            ("how many active members", "SELECT count(*) FROM members WHERE is_active = 'Y'"),
            ("members who are not active", "SELECT name FROM members WHERE is_active = 'N'"),
            ("how many members get the newsletter", "SELECT count(*) FROM members WHERE newsletter = 'true'"),
            ("how many vip members", "SELECT count(*) FROM members WHERE is_vip = 1"),
            ("how many smokers", "SELECT count(*) FROM members WHERE smoker = 'yes'"),
            ("insured members", "SELECT name FROM members WHERE insured = 'T'"),
            ("how many subscribed members", "SELECT count(*) FROM members WHERE subscribed = -1"),
            ("how many blocked members", "SELECT count(*) FROM members WHERE blocked = 'on'"),
            ("members who are not verified", "SELECT name FROM members WHERE verified = 'FALSE'"),
            ("members without newsletter", "SELECT name FROM members WHERE newsletter = 'false'"),
        ],
    )
    .await;
}

#[tokio::test]
async fn seconds_since_1970_iso_texts_and_durations() {
    asks(
        "CREATE TABLE trips (id INTEGER PRIMARY KEY, started_at INTEGER, distance_km REAL);
         INSERT INTO trips VALUES (1, 1717200000, 10.5), (2, 1717286400, 4), (3, 1714521600, 9), (4, 1719792000, 3);
         CREATE TABLE logs (id INTEGER PRIMARY KEY, created TEXT, level TEXT);
         INSERT INTO logs VALUES (1, '2024-06-01T10:00:00Z', 'error'), (2, '2024-06-02T11:00:00Z', 'info'),
           (3, '2024-05-02T11:00:00Z', 'error');
         CREATE TABLE songs (id INTEGER PRIMARY KEY, title TEXT, duration TEXT);
         INSERT INTO songs VALUES (1, 'Aria', '00:03:30'), (2, 'Blues', '00:12:05'), (3, 'Canon', '00:05:00');",
        &[
            (
                "how many trips started in June 2024",
                "SELECT count(*) FROM trips WHERE datetime(started_at, 'unixepoch') >= '2024-06-01' AND \
                 datetime(started_at, 'unixepoch') < '2024-07-01'",
            ),
            (
                "how many logs per month",
                "SELECT strftime('%Y-%m', created) AS month, count(*) AS logs FROM logs GROUP BY \
                 strftime('%Y-%m', created) ORDER BY month",
            ),
            ("the longest song", "SELECT * FROM songs ORDER BY duration DESC LIMIT 1"),
        ],
    )
    .await;
}

#[tokio::test]
async fn cents_percentages_and_code_tables() {
    asks(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, total_cents INTEGER, discount_rate REAL, tax_percent REAL,
           status TEXT);
         INSERT INTO orders VALUES (1, 'Ann', 1250, 0.12, 19, 'P'), (2, 'Ben', 3000, 0.05, 7, 'S'), (3, 'Cy', 500, 0, 19, 'S'),
           (4, 'Ann', 7500, 0.25, 19, 'C');
         CREATE TABLE order_status (code TEXT PRIMARY KEY, name TEXT);
         INSERT INTO order_status VALUES ('P', 'Pending'), ('S', 'Shipped'), ('C', 'Cancelled');",
        &[
            ("orders over $20", "SELECT * FROM orders WHERE total_cents > 2000"),
            ("orders with a discount above 10%", "SELECT * FROM orders WHERE discount_rate > 0.1"),
            ("how many orders have 19% tax", "SELECT count(*) FROM orders WHERE tax_percent = 19"),
            (
                "how many pending orders",
                "SELECT count(*) FROM orders JOIN order_status ON orders.status = order_status.code WHERE \
                 order_status.name = 'Pending'",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn stored_counts_are_summed_and_empty_ends_are_open() {
    asks(
        "CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, club TEXT, visits_count INTEGER);
         INSERT INTO members VALUES (1, 'Ann', 'North', 12), (2, 'Ben', 'South', 3), (3, 'Cy', 'North', 7);
         CREATE TABLE contracts (id INTEGER PRIMARY KEY, employee TEXT, start_date TEXT, end_date TEXT);
         INSERT INTO contracts VALUES (1, 'Ann', '2020-01-01', NULL), (2, 'Ben', '2021-01-01', '2023-05-01'),
           (3, 'Cy', '2022-01-01', NULL), (4, 'Di', '2022-03-01', '');",
        &[
            ("total visits", "SELECT sum(visits_count) AS total_visits_count FROM members"),
            (
                "visits per club",
                "SELECT club, sum(visits_count) AS total_visits_count FROM members GROUP BY club",
            ),
            (
                "how many contracts are still running",
                "SELECT count(*) FROM contracts WHERE start_date < '2024-06-16' AND (nullif(end_date, '') IS NULL OR end_date >= \
                 '2024-06-15')",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_year_a_month_and_a_day_are_one_date() {
    let day = "date(substr((year * 10000) + (month * 100) + day, 1, 4) || '-' || substr((year * 10000) + (month * 100) + day, \
               5, 2) || '-' || substr((year * 10000) + (month * 100) + day, 7, 2))";
    asks(
        "CREATE TABLE rainfall (id INTEGER PRIMARY KEY, station TEXT, year INTEGER, month INTEGER, day INTEGER, mm REAL);
         INSERT INTO rainfall VALUES (1, 'North', 2023, 12, 30, 4), (2, 'North', 2024, 1, 2, 6), (3, 'South', 2024, 1, 3, 8),
           (4, 'South', 2024, 5, 20, 1), (5, 'South', 2024, 6, 1, 1);",
        &[
            ("total mm in January 2024", "SELECT sum(mm) AS total_mm FROM rainfall WHERE year = 2024 AND month = 1"),
            (
                "how many rainfall records between 2023-12-01 and 2024-01-02",
                &format!("SELECT count(*) FROM rainfall WHERE {day} >= '2023-12-01' AND {day} < '2024-01-03'"),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_balance_of_each_day_is_that_of_the_last() {
    asks(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
         INSERT INTO customers VALUES (1, 'Ann', 'Oslo'), (2, 'Ben', 'Rome'), (3, 'Cy', 'Oslo');
         CREATE TABLE daily_balances (customer_id INTEGER, day TEXT, balance REAL, PRIMARY KEY (customer_id, day));
         INSERT INTO daily_balances VALUES (1, '2024-06-01', 10), (1, '2024-06-02', 20), (2, '2024-06-01', 5),
           (2, '2024-06-02', 7), (3, '2024-06-01', 1), (3, '2024-06-02', 3);",
        &[
            (
                "total balance",
                "SELECT sum(balance) AS total_balance FROM daily_balances WHERE day = (SELECT max(day) FROM daily_balances)",
            ),
            (
                "total balance per city",
                "SELECT customers.city, sum(daily_balances.balance) AS total_balance FROM daily_balances JOIN customers ON \
                 daily_balances.customer_id = customers.id WHERE daily_balances.day = (SELECT max(day) FROM daily_balances) \
                 GROUP BY customers.city",
            ),
            (
                "total balance on 2024-06-01",
                "SELECT sum(balance) AS total_balance FROM daily_balances WHERE day >= '2024-06-01' AND day < '2024-06-02'",
            ),
        ],
    )
    .await;
}

const PEOPLE: &str = "
CREATE TABLE staff (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, country TEXT, salary INTEGER);
INSERT INTO staff VALUES (1, 'Ada', 'Byron', 'United Kingdom', 90), (2, 'Carl', 'Gauss', 'Germany', 80),
  (3, 'Emmy', 'Noether', 'Germany', 85), (4, 'Blaise', 'Pascal', 'France', 70), (5, 'Alan', 'Turing', 'United States', 88);
CREATE TABLE airports (code TEXT PRIMARY KEY, name TEXT, state TEXT, currency TEXT);
INSERT INTO airports VALUES ('BOS', 'Logan', 'MA', 'USD'), ('SFO', 'San Francisco Intl', 'CA', 'USD'),
  ('YYZ', 'Pearson', 'ON', 'CAD');
CREATE TABLE sales (id INTEGER PRIMARY KEY, month TEXT, weekday TEXT, amount REAL);
INSERT INTO sales VALUES (1, 'January', 'Mon', 5), (2, 'February', 'Tue', 6), (3, 'January', 'Sat', 9);
";

#[tokio::test]
async fn rows_are_named_as_people_name_them() {
    asks(
        PEOPLE,
        &[
            (
                "highest paid staff",
                "SELECT first_name, last_name, salary FROM staff ORDER BY salary DESC LIMIT 1",
            ),
            ("how many countries", "SELECT count(DISTINCT country) FROM staff"),
            ("code of the airport Logan", "SELECT code FROM airports WHERE name = 'Logan'"),
            // The key beside it, where it is asked for.
            ("staff ids and names", "SELECT first_name, last_name, id FROM staff"),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_bill_is_not_called_by_an_address_and_lengths_are_in_any_unit() {
    let file = File::new(
        "music.sqlite",
        "CREATE TABLE invoices (id INTEGER PRIMARY KEY, billed_on TEXT, billing_address TEXT, total REAL);
         INSERT INTO invoices VALUES (1, '2010-01-01', '1 Elm St', 5), (2, '2010-02-03', '7 Oak Ave', 6);
         CREATE TABLE tracks (id INTEGER PRIMARY KEY, name TEXT, milliseconds INTEGER);
         INSERT INTO tracks VALUES (1, 'Aria', 205000), (2, 'Blues', 351000), (3, 'Canon', 190500);",
    );
    let engine = engine(&file);
    let bills = answer(&engine, "invoices in 2010").await.query.unwrap();
    assert!(bills.contains("'2010-01-01'") && !bills.starts_with("SELECT billing_address"), "{bills}");
    let longest = answer(&engine, "the longest track").await.query.unwrap();
    assert_eq!(longest, "SELECT name, milliseconds FROM tracks ORDER BY milliseconds DESC LIMIT 1");
}

#[tokio::test]
async fn what_the_world_calls_otherwise_is_found() {
    asks(
        PEOPLE,
        &[
            ("staff in the UK", "SELECT first_name, last_name FROM staff WHERE country = 'United Kingdom'"),
            ("German staff", "SELECT first_name, last_name FROM staff WHERE country = 'Germany'"),
            ("airports in California", "SELECT name FROM airports WHERE state = 'CA'"),
            (
                "how many airports take canadian dollars",
                "SELECT count(*) FROM airports WHERE currency = 'CAD'",
            ),
            (
                "total sales on Saturday",
                "SELECT sum(amount) AS total_amount FROM sales WHERE weekday = 'Sat'",
            ),
            ("total sales in Jan", "SELECT sum(amount) AS total_amount FROM sales WHERE month = 'January'"),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_value_that_is_not_there_is_named_with_those_that_are() {
    let file = File::new("small.sqlite", PEOPLE);
    let state = answer(&engine(&file), "how many staff are from Brazil?").await;
    assert_eq!(state.query.as_deref(), Some("SELECT count(*) FROM staff WHERE country = 'Brazil'"));
    let state = answer(&engine(&file), "staff from Brazil").await;
    let said = state.message.unwrap_or_default();
    let expected =
        "No `Brazil` in `staff.country`: there are `United Kingdom`, `Germany`, `France`, `United States`.";
    assert_eq!(
        (state.query.as_deref(), said.as_str()),
        (Some("SELECT first_name, last_name FROM staff WHERE country = 'Brazil'"), expected)
    );
}

#[tokio::test]
async fn misspelt_values_are_found() {
    asks(
        PEOPLE,
        &[
            ("how many staff are from Germny?", "SELECT count(*) FROM staff WHERE country = 'Germany'"),
            ("how many staff are from germny?", "SELECT count(*) FROM staff WHERE country = 'Germany'"),
        ],
    )
    .await;
}

/// A table that PostgreSQL folded the name of, outside the search path, with a comment on a column whose name says nothing.
#[cfg(feature = "postgres")]
const CRM: &str = "
CREATE SCHEMA crm;
CREATE TABLE crm.CustomerAccounts (AccountId integer PRIMARY KEY, AccountStatus text, x7 text, OpenedOn date);
COMMENT ON COLUMN crm.CustomerAccounts.x7 IS 'Territory';
INSERT INTO crm.CustomerAccounts VALUES (1, 'open', 'north', '2024-01-01'), (2, 'closed', 'south', '2024-02-01');
CREATE TABLE crm.t_ord (ordid integer PRIMARY KEY, accountid integer, ordamt numeric(10,2));
INSERT INTO crm.t_ord VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5);
";

#[cfg(feature = "postgres")]
#[tokio::test]
async fn names_that_postgres_folded_are_read_and_its_comments_too() {
    use crate::postgres_server::server;

    let Some(server) = server("names_that_postgres_folded_are_read_and_its_comments_too") else { return };
    let database = server.open(&server.database(CRM)).await;
    let engine = repeatable().database(Arc::new(database)).build().unwrap();
    for (question, expected) in [
        ("how many customer accounts are there?", "SELECT count(*) FROM crm.customeraccounts"),
        (
            "how many customer accounts per territory",
            "SELECT x7, count(*) AS customeraccounts FROM crm.customeraccounts GROUP BY x7",
        ),
        (
            "total order amount per account status",
            "SELECT crm.customeraccounts.accountstatus, sum(crm.t_ord.ordamt) AS total_ordamt FROM crm.t_ord JOIN \
             crm.customeraccounts ON crm.t_ord.accountid = crm.customeraccounts.accountid GROUP BY \
             crm.customeraccounts.accountstatus",
        ),
    ] {
        let sql = answer(&engine, question).await.query.unwrap_or_default();
        assert_eq!(sql, expected, "{question}");
    }
}
