//! What a caller wants beside the question holds: its order, its limit, its time.

use std::sync::Arc;

use sqlogue::conversation::Status;
use sqlogue::{ConversationState, Engine, QueryInput, sample};

use crate::support::{File, repeatable};

fn engine() -> Engine {
    repeatable().database(Arc::new(sample::open().unwrap())).build().unwrap()
}

fn sql(state: &ConversationState) -> &str {
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    state.query.as_deref().unwrap()
}

#[tokio::test]
async fn order_limit_and_time_hold_in_first_questions() {
    let engine = engine();
    let customers = || QueryInput::new("Show all customers from Germany");
    let orders = || QueryInput::new("Show all orders");
    for (input, expected) in [
        (customers().result_limit(5), "SELECT * FROM customers WHERE country = 'Germany' LIMIT 5"),
        (customers().sort_order("name"), "SELECT * FROM customers WHERE country = 'Germany' ORDER BY name"),
        (
            customers().sort_order("city descending, name"),
            "SELECT * FROM customers WHERE country = 'Germany' ORDER BY city DESC, name",
        ),
        (
            customers().sort_order("newest first").result_limit(3),
            "SELECT * FROM customers WHERE country = 'Germany' ORDER BY joined DESC LIMIT 3",
        ),
        (
            orders().time_filter("last month"),
            "SELECT * FROM orders WHERE order_date >= '2026-05-01' AND order_date < '2026-06-01'",
        ),
        (orders().time_filter("since 2026"), "SELECT * FROM orders WHERE order_date >= '2026-01-01'"),
        (
            orders().time_filter("2025").sort_order("order date").result_limit(2),
            "SELECT * FROM orders WHERE order_date >= '2025-01-01' AND order_date < '2026-01-01' ORDER BY order_date LIMIT 2",
        ),
        (
            QueryInput::new("How many orders are there per status?")
                .sort_order("count descending")
                .result_limit(3),
            "SELECT status, count(*) AS orders FROM orders GROUP BY status ORDER BY orders DESC LIMIT 3",
        ),
        (
            QueryInput::new("How many orders are there?")
                .time_filter("from 2024-10-01 to 2024-10-31")
                .result_limit(9),
            "SELECT count(*) FROM orders WHERE order_date >= '2024-10-01' AND order_date < '2024-11-01'",
        ),
    ] {
        let question = format!("{input:?}");
        let state = engine.query_database(input, None).await.unwrap();
        assert_eq!(sql(&state), expected, "{question}");
        assert_eq!(state.message, None, "{question}");
    }
}

#[tokio::test]
async fn the_smaller_limit_holds() {
    let engine = engine();
    for (limit, expected) in [(10, "LIMIT 3"), (2, "LIMIT 2")] {
        let input = QueryInput::new("What are the 3 most expensive products?").result_limit(limit);
        let state = engine.query_database(input, None).await.unwrap();
        assert!(sql(&state).ends_with(expected), "{:?}", state.query);
    }
}

#[tokio::test]
async fn they_hold_in_follow_ups_and_stay() {
    let engine = engine();
    let first = QueryInput::new("Show all orders").time_filter("2025").result_limit(50);
    let first = engine.query_database(first, None).await.unwrap();
    let second = engine.query_database("only the pending ones", Some(first.clone())).await.unwrap();
    assert_eq!(
        sql(&second),
        "SELECT * FROM orders WHERE order_date >= '2025-01-01' AND order_date < '2026-01-01' AND status = 'pending' LIMIT 50"
    );
    assert!(second.wanted.is_empty());
    let input = QueryInput::new("only the shipped ones").sort_order("oldest first").result_limit(4);
    let third = engine.query_database(input, Some(first.clone())).await.unwrap();
    assert!(sql(&third).ends_with("status = 'shipped' ORDER BY order_date LIMIT 4"), "{:?}", third.query);
    // A change of the SQL in one place takes them too.
    let input = QueryInput::new("Also show the customer id").time_filter("before March 2025");
    let fourth = engine.query_database(input, Some(first)).await.unwrap();
    assert!(sql(&fourth).contains("order_date < '2025-03-01'"), "{:?}", fourth.query);
}

#[tokio::test]
async fn what_cannot_be_applied_is_said() {
    let engine = engine();
    for (input, note) in [
        (
            QueryInput::new("Show all products").time_filter("last month"),
            "time filter `last month` was not applied",
        ),
        (
            QueryInput::new("Show all orders").time_filter("whenever"),
            "time filter `whenever` was not applied",
        ),
        (
            QueryInput::new("Show all products").sort_order("shoe size"),
            "sort order `shoe size` was not applied",
        ),
        (QueryInput::new("Show all products").result_limit(0), "limit of 0 rows was not applied"),
    ] {
        let state = engine.query_database(input, None).await.unwrap();
        assert_eq!(state.status, Status::Completed);
        assert!(state.message.as_deref().unwrap_or_default().contains(note), "{:?}", state.message);
    }
}

#[tokio::test]
async fn they_wait_for_the_answer_to_a_question_back() {
    let songs = "
        CREATE TABLE song (song_id INTEGER PRIMARY KEY, song_name TEXT, language TEXT, country TEXT);
        INSERT INTO song VALUES (1, 'Alpha', 'English', 'Malta'), (2, 'Beta', 'Maltese', 'Malta'),
            (3, 'Gamma', 'Georgia', 'USA'), (4, 'Delta', 'Georgian', 'Georgia'), (5, 'Epsilon', 'English', 'Georgia');
    ";
    let file = File::new("songs.db", songs);
    let engine = file.engine();
    let input =
        QueryInput::new("Show the names of songs of Georgia.").result_limit(1).sort_order("name descending");
    let asked = engine.query_database(input, None).await.unwrap();
    assert_eq!(asked.status, Status::AwaitingCorrection, "{:?}", asked.query);
    let saved = ConversationState::from_json(&asked.to_json().unwrap()).unwrap();
    let answered = engine.query_database("country", Some(saved)).await.unwrap();
    assert!(sql(&answered).contains("= 'Georgia'"), "{:?}", answered.query);
    assert!(sql(&answered).ends_with(" ORDER BY song_name DESC LIMIT 1"), "{:?}", answered.query);
}
