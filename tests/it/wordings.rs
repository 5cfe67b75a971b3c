//! Many ways to say one comparison: no operator that is read is dropped, in first questions and in follow-ups, on the sample
//! and on a library.

use std::collections::HashSet;

use std::sync::Arc;

use sqlogue::{Engine, sample};

use crate::support::{File, repeatable};

const LIBRARY: &str = "
    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER);
    CREATE TABLE books (
        id INTEGER PRIMARY KEY, title TEXT NOT NULL, author_id INTEGER REFERENCES authors(id), pages INTEGER NOT NULL,
        fee REAL NOT NULL, late_share REAL NOT NULL
    );
    CREATE TABLE loans (id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books(id), lent_at TEXT NOT NULL);
    INSERT INTO authors VALUES (1, 'Ada Byron', 1815), (2, 'Bo Lund', 1971);
    INSERT INTO books VALUES
        (1, 'Red Rivers', 1, 120, 2.5, 0.05), (2, 'Maps', 2, 300, 9.75, 0.25), (3, 'The Long Night', 2, 1500, -1.0, 0.5);
    INSERT INTO loans VALUES
        (1, 1, '2024-10-31 23:30:00'), (2, 2, '2024-11-01 00:00:00'), (3, 3, '2024-10-01 00:00:00'), (4, 1, '2023-12-31 09:00:00');
";

fn sample_engine() -> Engine {
    repeatable().database(Arc::new(sample::open().unwrap())).build().unwrap()
}

/// The condition of the SQL that a question becomes, or a follow-up to another.
async fn condition(engine: &Engine, before: Option<&str>, said: &str) -> String {
    let previous = match before {
        Some(question) => Some(engine.query_database(question, None).await.unwrap()),
        None => None,
    };
    let state = engine.query_database(said, previous).await.unwrap();
    let sql = state.query.unwrap_or_else(|| format!("nothing: {:?} {:?}", state.error, state.message));
    let condition = sql.split_once(" WHERE ").map_or(sql.as_str(), |(_, condition)| condition);
    condition.split(" ORDER BY ").next().unwrap_or_default().to_owned()
}

async fn all(engine: &Engine, before: Option<&str>, cases: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (expected, wordings) in cases {
        for said in *wordings {
            let got = condition(engine, before, said).await;
            if got != *expected {
                wrong.push(format!("{said}\n  wanted {expected}\n  got    {got}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn comparisons_of_prices_on_the_sample() {
    let cases: [(&str, &[&str]); 8] = [
        (
            "price > 9.5",
            &[
                "Which products have a price > 9.5?",
                "products with price>9.5",
                "products with a price over 9.5",
                "products with a price exceeding $9.50",
                "products that cost more than 9.5",
                "products with a price above 9.5",
            ],
        ),
        (
            "price >= 9.5",
            &[
                "products with price >= 9.5",
                "products with price>=9.5",
                "products with price ≥ 9.5",
                "products with a price of at least 9.5",
                "products with a price of 9.5 or more",
                "products with a price of 9.5 or higher",
                "products with a price no less than 9.5",
            ],
        ),
        (
            "price <= 20",
            &[
                "products with price <= 20",
                "products with a price of at most 20",
                "products that cost no more than 20",
                "products with a price of 20 or less",
                "products with a price of 20 or lower",
                "products with a price up to 20",
            ],
        ),
        (
            "price < 1000",
            &[
                "products with price < 1,000",
                "products with a price under 1,000",
                "products with a price below $1,000",
            ],
        ),
        (
            "price != 45",
            &["products with price != 45", "products with price <> 45", "products with price≠45"],
        ),
        ("price = 45", &["products with price = 45", "products with a price of exactly 45"]),
        (
            "price BETWEEN 10 AND 20",
            &[
                "products with a price between 10 and 20",
                "products with a price from 10 to 20",
                "products with a price from 20 to 10",
            ],
        ),
        (
            "stock < -5",
            &[
                "products with stock below -5",
                "products with stock < -5",
                "products with a stock of less than -5",
            ],
        ),
    ];
    all(&sample_engine(), None, &cases).await;
}

#[tokio::test]
async fn comparisons_follow_up_on_the_sample() {
    let cases: [(&str, &[&str]); 5] = [
        (
            "price > 9.5",
            &["only those with price > 9.5", "only those with a price over 9.5", "with a price above 9.5"],
        ),
        ("price >= 9.5", &["only those with price >= 9.5", "only those with a price of at least 9.5"]),
        ("price <= 20", &["only those with price <= 20", "only those with a price of at most 20"]),
        ("price < 1000", &["only those with price < 1,000", "only those with a price under 1,000"]),
        ("price BETWEEN 10 AND 20", &["only those with a price between 10 and 20"]),
    ];
    all(&sample_engine(), Some("Show all products"), &cases).await;
}

#[tokio::test]
async fn days_are_kept_on_the_sample() {
    let cases: [(&str, &[&str]); 5] = [
        (
            "order_date >= '2024-05-03'",
            &[
                "orders on or after 2024-05-03",
                "orders since 2024-05-03",
                "orders from 2024-05-03 onwards",
                "orders not before 2024-05-03",
            ],
        ),
        ("order_date >= '2024-05-04'", &["orders after 2024-05-03", "orders later than May 3, 2024"]),
        ("order_date < '2024-05-03'", &["orders before 2024-05-03", "orders earlier than 2024-05-03"]),
        (
            "order_date < '2024-05-04'",
            &["orders until 2024-05-03", "orders on or before 2024-05-03", "orders no later than 2024-05-03"],
        ),
        (
            "order_date >= '2024-10-01' AND order_date < '2024-11-01'",
            &[
                "orders in October 2024",
                "orders from 2024-10-01 to 2024-10-31",
                "orders between 2024-10-01 and 2024-10-31",
                "orders from 2024-10-31 to 2024-10-01",
            ],
        ),
    ];
    all(&sample_engine(), None, &cases).await;
}

#[tokio::test]
async fn a_library_is_asked_the_same_ways() {
    let file = File::new("library.db", LIBRARY);
    let engine = file.engine();
    let cases: [(&str, &[&str]); 6] = [
        (
            "pages > 300",
            &["books with pages > 300", "books with more than 300 pages", "books with pages>300"],
        ),
        (
            "pages >= 300",
            &[
                "books with pages >= 300",
                "books with at least 300 pages",
                "books with 300 pages or more",
                "books with 300 or more pages",
            ],
        ),
        (
            "pages <= 1200",
            &[
                "books with pages <= 1,200",
                "books with at most 1,200 pages",
                "books with no more than 1200 pages",
            ],
        ),
        ("fee < 0.5", &["books with fee < .5", "books with a fee below 0.5", "books with a fee under $0.50"]),
        ("fee <= -1", &["books with fee <= -1", "books with a fee of at most -1"]),
        ("late_share > 0.2", &["books with a late share over 20%", "books with late share > 20 percent"]),
    ];
    all(&engine, None, &cases).await;
    let follow_ups: [(&str, &[&str]); 3] = [
        ("pages > 300", &["only those with pages > 300", "only those with more than 300 pages"]),
        ("fee >= 2.5", &["only those with fee >= 2.5", "only those with a fee of at least 2.5"]),
        ("late_share <= 0.25", &["only those with a late share of at most 25%"]),
    ];
    all(&engine, Some("Show all books"), &follow_ups).await;
}

#[tokio::test]
async fn the_last_day_keeps_its_hours() {
    let file = File::new("library.db", LIBRARY);
    let engine = file.engine();
    for (question, rows) in [
        ("How many loans were lent in October 2024?", 2),
        ("How many loans between 2024-10-01 and 2024-10-31?", 2),
        ("How many loans on 2024-10-31?", 1),
        ("How many loans after 2024-10-31?", 1),
        ("How many loans until 2024-10-31?", 3),
        ("How many loans in 2023?", 1),
    ] {
        let state = engine.query_database(question, None).await.unwrap();
        let result = state.result.clone().unwrap_or_else(|| panic!("{question}: {:?}", state.error));
        assert_eq!(result.rows, [[sqlogue::schema::Value::Integer(rows)]], "{question}: {:?}", state.query);
    }
    let start = engine.query_database("How many loans in October 2024?", None).await.unwrap();
    let next = engine.query_database("what about November?", Some(start)).await.unwrap();
    assert_eq!(
        next.refinement_summary.as_deref(),
        Some("Changed filter: loans.lent_at in October 2024 is now loans.lent_at in November 2024.")
    );
}

#[tokio::test]
async fn an_ordering_makes_no_more_groups() {
    let engine = sample_engine();
    for question in [
        "revenue by customer sorted by name",
        "sales by employee sorted by employee name",
        "average salary by department sorted by name",
    ] {
        let sql = engine.query_database(question, None).await.unwrap().query.unwrap();
        let (_, groups) = sql.split_once(" GROUP BY ").unwrap_or_else(|| panic!("{question}: {sql}"));
        let (keys, order) = groups.split_once(" ORDER BY ").unwrap_or_else(|| panic!("{question}: {sql}"));
        // A key and the name beside it are one group.
        let tables: HashSet<&str> = keys.split(", ").filter_map(|key| key.split('.').next()).collect();
        assert!(tables.len() == 1 || !keys.contains(','), "{question}: {sql}");
        assert!(order.ends_with("name") || order == keys, "{question}: {sql}");
    }
    let twice = engine.query_database("list customers sorted by name and by name", None).await.unwrap();
    assert_eq!(twice.query.as_deref(), Some("SELECT name FROM customers ORDER BY name"));
}

/// *place* is the verb, and no word for a city, whoever is said to do it and however it is spelt.
#[tokio::test]
async fn the_verb_behind_a_subject_names_nothing() {
    for said in [
        "How many orders did each customer place?",
        "How many orders did each client place?",
        "How many ordrs did each custmer place?",
    ] {
        let state = sample_engine().query_database(said, None).await.unwrap();
        let sql = state.query.unwrap_or_default();
        assert!(sql.contains("GROUP BY customers.id") && !sql.contains("city"), "{said}: {sql}");
    }
}
