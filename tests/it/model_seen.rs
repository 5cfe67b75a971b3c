//! What a model sees of a conversation, and that people can see what it saw.

use std::sync::Arc;

use serde_json::json;
use sqlogue::Engine;
use sqlogue::conversation::{ConversationState, SentCells, Status};
use sqlogue::engine::open;
use sqlogue::model::ModelSettings;
use sqlogue::reasoner::SecondedReasoner;

use crate::model_phases::Script;
use crate::model_server::Server;
use crate::support::{File, repeatable};

const SHOP: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER);
    CREATE TABLE secrets (id INTEGER PRIMARY KEY, word TEXT);
    INSERT INTO customers VALUES (1, 'Ann', 'Paris', 30), (2, 'Bob', 'Rome', 41), (3, 'Cleo', 'Paris', 52);
    INSERT INTO secrets VALUES (1, 'opensesame');
";

fn engine(file: &File, settings: &ModelSettings) -> Engine {
    let database = open(file.path().to_str().unwrap()).unwrap();
    let reasoner = SecondedReasoner::from_settings(settings).unwrap();
    repeatable().database(database).reasoner(Arc::new(reasoner)).build().unwrap()
}

async fn follow_up(share_rows: bool) -> (ConversationState, Server) {
    let routed = json!({"decision": "revise_query_inline", "query": "SELECT name FROM customers WHERE city = 'Rome'",
        "instructions": "", "reasoning": "as asked"});
    let server = Script::default()
        .sql(&["SELECT name, age FROM customers WHERE city = 'Paris'"])
        .on("router", &[routed])
        .serve()
        .await;
    let file = File::new("shop.sqlite", SHOP);
    let settings = ModelSettings { share_rows, ..server.settings() };
    let engine = engine(&file, &settings);
    let first = engine.query_database("Name and age of customers from Paris", None).await.unwrap();
    assert_eq!(first.status, Status::Completed, "{:?}", first.error);
    let state = engine.query_database("only those from Rome", Some(first)).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    (state, server)
}

#[tokio::test]
async fn a_follow_up_shows_the_columns_of_the_answer_and_its_rows_only_where_that_is_allowed() {
    for share_rows in [false, true] {
        let (state, server) = follow_up(share_rows).await;
        let prompt = server.received()[1].message("user");
        let (_, shown) = prompt.split_once("<previous_answer>").unwrap();
        let (shown, _) = shown.split_once("</previous_answer>").unwrap();
        assert!(shown.contains("columns: \"name\", \"age\"; number of rows: 2"), "{shown}");
        assert_eq!(shown.contains("row: \"Ann\", 30"), share_rows, "{shown}");
        let sent = |column: &str| state.sent_cells.iter().any(|sent| sent.column == column);
        assert_eq!(sent("age"), share_rows, "{:?}", state.sent_cells);
    }
}

#[tokio::test]
async fn a_follow_up_shows_where_the_rules_would_go() {
    let (_, server) = follow_up(false).await;
    let prompt = server.received()[1].message("user");
    let (_, shown) = prompt.split_once("<candidates>").unwrap();
    assert!(shown.contains("revise_query_inline: SELECT") || shown.contains("update_plan: "), "{shown}");
    assert!(shown.contains("Rome"), "{shown}");
}

/// Every cell in a prompt is named in the answer, and no cell that is named was not sent.
#[tokio::test]
async fn the_cells_that_were_sent_are_in_the_answer() {
    let server = Script::default().sql(&["SELECT name FROM customers WHERE city = 'Paris'"]).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let state = engine(&file, &server.settings()).query_database("customers from Paris", None).await.unwrap();
    let prompt = server.received()[0].message("user");
    assert!(!state.sent_cells.is_empty());
    for SentCells { column, cells } in &state.sent_cells {
        for cell in cells {
            assert!(prompt.contains(cell.as_str()), "{column} {cell}");
        }
    }
    for (column, cell) in
        [("customers.name", "Ann"), ("customers.city", "Paris"), ("secrets.word", "opensesame")]
    {
        let known = state
            .sent_cells
            .iter()
            .any(|sent| sent.column == column && sent.cells.iter().any(|one| one == cell));
        assert_eq!(known, prompt.contains(&format!("\"{cell}\"")), "{column} {cell}");
    }
    let saved = ConversationState::from_json(&state.to_json().unwrap()).unwrap();
    assert_eq!(saved.sent_cells, state.sent_cells);
}

#[tokio::test]
async fn what_the_rules_answer_sends_nothing() {
    let file = File::new("shop.sqlite", SHOP);
    let state = file.engine().query_database("customers from Paris", None).await.unwrap();
    assert!(state.sent_cells.is_empty() && !state.to_json().unwrap().contains("sent_cells"));
}
