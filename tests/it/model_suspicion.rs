//! A result that looks wrong is told to the model once.

use std::sync::Arc;

use serde_json::{Value, json};
use sqlogue::conversation::{ConversationState, Status};
use sqlogue::engine::open;
use sqlogue::plan::Confidence;
use sqlogue::reasoner::SecondedReasoner;

use crate::model_server::{Act, Server};
use crate::support::{File, repeatable};

const SHOP: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, fax TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), total REAL);
    INSERT INTO customers VALUES (1, 'Ann', 'Paris', NULL), (2, 'Bob', 'Rome', NULL), (3, 'Cleo', 'Paris', NULL);
    INSERT INTO orders VALUES (1, 1, 10), (2, 1, 30), (3, 2, 5), (4, 3, 8);
";

/// A question that the rules have no reading for, so that the model is alone.
const QUESTION: &str = "Whom would a frobnicator of gizmos ring up?";

/// What comes of a first query and of what the model says when it is told what looks wrong.
async fn told(first: &'static str, then: Option<&'static str>) -> (ConversationState, Server) {
    let server = Server::start(move |received, _| {
        let is_told = received.message("system").contains("looks wrong");
        let sql = if is_told { json!(then) } else { json!(first) };
        Act::Say(json!({"sql": sql, "reasoning": "the join was missing"}).to_string())
    })
    .await;
    let file = File::new("shop.sqlite", SHOP);
    let reasoner = SecondedReasoner::from_settings(&server.settings()).unwrap();
    let database = open(file.path().to_str().unwrap()).unwrap();
    let engine = repeatable().database(database).reasoner(Arc::new(reasoner)).build().unwrap();
    let state = engine.query_database(QUESTION, None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    (state, server)
}

fn rows(state: &ConversationState) -> u64 {
    state.result.as_ref().unwrap().row_count
}

#[tokio::test]
async fn what_looks_wrong_is_told_and_may_be_changed() {
    let joined = "SELECT customers.name FROM customers JOIN orders ON orders.customer_id = customers.id";
    for (first, doubt, then, found) in [
        ("SELECT customers.name FROM customers, orders", "paired with each row", joined, 4),
        ("SELECT customers.name FROM customers CROSS JOIN orders", "paired with each row", joined, 4),
        (
            "SELECT name, fax FROM customers",
            "column `fax` of the result holds nothing but NULL",
            "SELECT name, city FROM customers",
            3,
        ),
        (
            "SELECT name FROM customers WHERE id > 0",
            "removes none of the 3 rows of `customers`",
            "SELECT name FROM customers WHERE id > 1",
            2,
        ),
        (
            "SELECT count(*) FROM customers WHERE id > 0",
            "removes none of the 3 rows",
            "SELECT count(*) FROM customers WHERE id > 1",
            1,
        ),
    ] {
        let (state, server) = told(first, Some(then)).await;
        assert_eq!((server.hits(), rows(&state)), (2, found), "{first}: {:?}", state.explanation);
        let prompt = server.received()[1].message("user");
        assert!(prompt.contains(doubt) && prompt.contains(first), "{prompt}");
        assert_eq!(state.query.as_deref(), Some(then));
        assert!(state.answer_confidence < Some(Confidence::High));
        assert!(
            state.explanation.iter().any(|line| line.contains("The result looked wrong")),
            "{:?}",
            state.explanation
        );
    }
}

#[tokio::test]
async fn a_query_that_the_model_keeps_stands_and_is_told_once() {
    for then in [None, Some("SELECT name, fax FROM customers"), Some("SELECT fax, name FROM customers")] {
        let (state, server) = told("SELECT name, fax FROM customers", then).await;
        assert_eq!((server.hits(), rows(&state)), (2, 3), "{then:?}");
    }
}

#[tokio::test]
async fn a_change_that_fails_or_finds_nothing_is_taken_back() {
    for then in ["SELECT nothing FROM nowhere", "SELECT name FROM customers WHERE id > 99"] {
        let first = "SELECT name, fax FROM customers";
        let (state, _) = told(first, Some(then)).await;
        assert_eq!((state.query.as_deref(), rows(&state)), (Some(first), 3), "{then}: {:?}", state.message);
    }
}

#[tokio::test]
async fn what_looks_right_is_not_asked_about() {
    for first in [
        "SELECT name FROM customers",
        "SELECT name FROM customers WHERE city = 'Paris'",
        "SELECT c.name FROM customers AS c JOIN orders AS o ON o.customer_id = c.id",
        "SELECT city, count(*) FROM customers WHERE id > 0 GROUP BY city",
    ] {
        let (_, server) = told(first, None).await;
        assert_eq!(server.hits(), 1, "{first}");
    }
}

/// The repair of a query is told what comes near its names and its values.
#[tokio::test]
async fn a_repair_is_told_near_names_near_values_and_the_plan() {
    let server = Server::start(|received, _| {
        let sql = match received.message("system").contains("that failed") {
            true => Value::Null,
            false => json!("SELECT nmae FROM customers WHERE city = 'Pariss' ORDER BY qqq"),
        };
        Act::Say(json!({"sql": sql, "reasoning": "?"}).to_string())
    })
    .await;
    let file = File::new("shop.sqlite", SHOP);
    let reasoner = SecondedReasoner::from_settings(&server.settings()).unwrap();
    let database = open(file.path().to_str().unwrap()).unwrap();
    let engine = repeatable().database(database).reasoner(Arc::new(reasoner)).build().unwrap();
    engine.query_database(QUESTION, None).await.unwrap();
    let received = server.received();
    let repair = received.iter().find(|received| received.message("system").contains("that failed")).unwrap();
    let prompt = repair.message("user");
    for told in
        ["near it: `customers.name`", "\"customers\".\"city\" has \"Paris\", near \"Pariss\"", "<plan>"]
    {
        assert!(prompt.contains(told), "{told} is not in\n{prompt}");
    }
}
