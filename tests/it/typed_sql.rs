//! SQL where a question is expected: what is a query runs as it was typed.

use sqlogue::conversation::Status;
use sqlogue::schema::Value;

use crate::support::{COMPANIES, File, converse};

#[tokio::test]
async fn queries_run_as_they_were_typed() {
    let engine = File::new("companies.db", COMPANIES);
    let engine = engine.engine();
    let number = Value::Integer;
    for (sql, expected) in [
        ("select 1+1", vec![vec![number(2)]]),
        ("with x as (select 1 as a) select * from x;", vec![vec![number(1)]]),
        ("VALUES (1), (2)", vec![vec![number(1)], vec![number(2)]]),
        ("SELECT json_extract('{\"a\": [1, 2]}', '$.a[1]')", vec![vec![number(2)]]),
        ("SELECT value FROM json_each('[3, 4]') ORDER BY value DESC", vec![vec![number(4)], vec![number(3)]]),
        ("SELECT date('2024-02-28', '+1 day')", vec![vec!["2024-02-29".into()]]),
        (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT sum(i) FROM n",
            vec![vec![number(55)]],
        ),
        (
            "SELECT Name, rank() OVER (ORDER BY Name DESC) AS place FROM Companies WHERE Status = 'Active' ORDER BY 2",
            vec![vec!["Umbrella".into(), number(1)], vec!["Acme".into(), number(2)]],
        ),
        (
            "with active as (select * from companies where status = 'Active') select count(*) from active",
            vec![vec![number(2)]],
        ),
        ("select name from companies union select 'x' order by 1 limit 1", vec![vec!["Acme".into()]]),
    ] {
        let state = engine.query_database(sql, None).await.unwrap();
        assert_eq!(state.status, Status::Completed, "{sql}: {:?}", state.error);
        assert_eq!(state.result.as_ref().unwrap().rows, expected, "{sql}");
    }
    for sql in ["EXPLAIN QUERY PLAN SELECT * FROM Companies", "explain query plan select 1"] {
        let state = engine.query_database(sql, None).await.unwrap();
        assert_eq!(state.query.as_deref(), Some(sql));
        assert_eq!(state.result.as_ref().unwrap().columns, ["id", "parent", "notused", "detail"]);
    }
}

#[tokio::test]
async fn typed_queries_stand_anywhere_in_a_conversation() {
    let file = File::new("companies.db", COMPANIES);
    let states = converse(
        &file.engine(),
        &["Show me companies", "select 40 + 2", "SELECT Name FROM Companies", "only active companies"],
    )
    .await;
    let queries: Vec<_> = states.iter().map(|state| state.query.clone().unwrap_or_default()).collect();
    assert_eq!(
        queries,
        [
            "SELECT * FROM Companies",
            "select 40 + 2",
            "SELECT Name FROM Companies",
            "SELECT Name FROM Companies WHERE Status = 'Active'",
        ]
    );
    // What is no query of this database is read as words, or refused.
    let engine = file.engine();
    for words in ["select the companies you like", "with whom do we work?"] {
        let state = engine.query_database(words, None).await.unwrap();
        assert_ne!(state.query.as_deref(), Some(words));
    }
}

#[tokio::test]
async fn wrong_names_in_typed_sql_are_named() {
    let engine = sqlogue::Engine::builder().build().unwrap();
    for (sql, said) in [
        ("select totl from orders", "There is no column `totl` in `orders`."),
        ("select stats from orders", "There is no column `stats` in `orders`; did you mean `status`?"),
        ("select * from nosuch", "There is no table `nosuch`. The tables are `employees`, "),
        ("select name from custmers", "There is no table `custmers`; did you mean `customers`?"),
        ("select \"nmae\" from customers", "There is no column `nmae` in `customers`; did you mean `name`?"),
        ("select c.nmae from customers c", "There is no column `nmae` in `customers`; did you mean `name`?"),
        (
            "select * from customers where country = Germany",
            "There is no column `Germany`. A text stands between single quotes: `'Germany'`.",
        ),
        (
            "select orders.status from customers",
            "`orders.status` is used, but the query does not read `orders`.",
        ),
        ("select * form orders", "the SQL cannot be parsed: "),
        ("select count(* from orders", "the SQL cannot be parsed: "),
    ] {
        let first = engine.query_database("How many orders are there?", None).await.unwrap();
        for previous in [None, Some(first)] {
            let state = engine.query_database(sql, previous).await.unwrap();
            let error = state.error.unwrap_or_else(|| panic!("{sql}: {:?}", state.query));
            assert!(error.message.starts_with(said), "{sql}: {}", error.message);
        }
    }
    // Sentences that happen to be SQL are read as sentences.
    for (words, query) in [
        ("select names from customers", "SELECT name FROM customers"),
        ("select all customers from Germany", "SELECT name FROM customers WHERE country = 'Germany'"),
    ] {
        let state = engine.query_database(words, None).await.unwrap();
        assert_eq!(state.query.as_deref(), Some(query));
    }
}
