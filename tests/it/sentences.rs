//! Answers in a sentence, and questions that are offered.

use sqlogue::conversation::Status;
use sqlogue::engine::Engine;
use sqlogue::examples::examples;
use sqlogue::plan::Confidence;
use sqlogue::sentence::sentence;

use crate::cli_kit::ECOMMERCE;
use crate::support::{COMPANIES, File};

#[tokio::test]
async fn one_table_is_told_of_in_a_sentence() {
    let engine = Engine::builder().build().unwrap();
    for (question, said) in [
        ("How many customers are there?", Some("There are 120 customers.")),
        ("customers from Germany", Some("30 of 120 customers are from Germany.")),
        ("how many orders are delivered?", Some("1,037 of 1,200 orders have the status delivered.")),
        ("products cheaper than 100", Some("24 of 40 products have a price below 100.")),
        ("which customers never ordered?", Some("11 of 120 customers have no orders.")),
        ("employees without a manager", Some("1 of 14 employees has no manager.")),
        (
            "SELECT name FROM products WHERE category = 'Furniture' AND price < 400 AND stock = 0",
            Some("1 of 40 products has the category Furniture, a price below 400 and a stock of 0."),
        ),
        (
            "SELECT name FROM customers WHERE country IN ('Italy', 'Spain') AND joined >= '2023-01-01'",
            Some("11 of 120 customers are from Italy or Spain and joined from 2023-01-01 on."),
        ),
        (
            "SELECT count(*) FROM products WHERE discontinued = 0",
            Some("37 of 40 products are not discontinued."),
        ),
        (
            "SELECT name FROM customers WHERE name LIKE 'Fe%'",
            Some("4 of 120 customers have a name that begins with `Fe`."),
        ),
        (
            "SELECT name FROM products WHERE stock / 10.0 > 19.5",
            Some("5 of 40 products have a stock above 195."),
        ),
        ("SELECT name FROM products WHERE price > 0", Some("All 40 products have a price above 0.")),
        ("SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE id > 9)", None),
        ("show all products", Some("There are 40 products.")),
        (
            "SELECT name FROM customers WHERE city = 'Atlantis'",
            Some("None of the 120 customers are from Atlantis."),
        ),
        ("SELECT id FROM customers WHERE name IS NULL", Some("All 120 customers have a name.")),
        ("orders per status", None),
        ("average price of products", None),
        ("top 3 products by price", None),
        ("revenue by month", None),
    ] {
        let state = engine.query_database(question, None).await.unwrap();
        assert_eq!(state.status, Status::Completed, "{question}");
        assert_eq!(sentence(&state, true).as_deref(), said, "{question}");
        // Without an exact number of rows, no total is named.
        let names_a_total = |said: String| said.split(' ').nth(1) == Some("of");
        assert!(!sentence(&state, false).is_some_and(names_a_total), "{question}");
    }
}

#[tokio::test]
async fn rows_of_a_list_are_rows() {
    let file = File::new(
        "staff.db",
        "CREATE TABLE \"HR List - Q3 (copy)\" (id INTEGER PRIMARY KEY, dept TEXT);
         INSERT INTO \"HR List - Q3 (copy)\" VALUES (1, 'Sales'), (2, 'Sales'), (3, 'Ops');",
    );
    let sql = "SELECT id FROM \"HR List - Q3 (copy)\" WHERE dept = 'Sales'";
    let state = file.engine().query_database(sql, None).await.unwrap();
    assert_eq!(sentence(&state, true).as_deref(), Some("2 of 3 rows have the dept Sales."));
}

#[tokio::test]
async fn questions_are_offered_before_the_values_are_known() {
    let engine = Engine::builder().build().unwrap();
    assert!(engine.outline().is_none(), "nothing was read yet");
    engine.knowledge().await.unwrap();
    let outline = engine.outline().unwrap();
    assert!(outline.words().values().is_empty());
    let offered = examples(&outline, 3);
    assert_eq!(offered.len(), 3, "{offered:?}");
    for question in offered {
        let state = engine.query_database(question.as_str(), None).await.unwrap();
        assert_eq!(state.answer_confidence, Some(Confidence::High), "{question}");
    }
}

#[tokio::test]
async fn offered_questions_are_answered_surely() {
    let shop = File::new("shop.db", ECOMMERCE);
    let companies = File::new("companies.db", COMPANIES);
    for engine in [Engine::builder().build().unwrap(), shop.engine(), companies.engine()] {
        let offered = examples(&engine.knowledge().await.unwrap(), 3);
        assert!(!offered.is_empty(), "{}", engine.database().name());
        for question in offered {
            let state = engine.query_database(question.as_str(), None).await.unwrap();
            assert_eq!(state.status, Status::Completed, "{question}: {:?}", state.error);
            assert_eq!(state.answer_confidence, Some(Confidence::High), "{question}");
            assert!(
                state.left_out.is_empty() && state.result.is_some_and(|rows| rows.row_count > 0),
                "{question}"
            );
        }
    }
    let sample = Engine::builder().build().unwrap();
    assert_eq!(
        examples(&sample.knowledge().await.unwrap(), 5),
        [
            "How many customers are there?",
            "Number of products per category",
            "Average salary by department",
            "Number of orders per month",
            "Top 5 customers by number of orders",
        ]
    );
}
