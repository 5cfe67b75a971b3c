//! Two judges: what a model writes is tried beside the readings of the rules, and what both come to is sure.

use std::sync::Arc;

use serde_json::json;
use sqlogue::Engine;
use sqlogue::conversation::{ConversationState, Status};
use sqlogue::engine::{TurnOptions, Turned, open};
use sqlogue::model::ModelSettings;
use sqlogue::plan::Confidence;
use sqlogue::reasoner::{HybridReasoner, ModelReasoner, Reasoner, RuleReasoner, SecondedReasoner, Trial};

use crate::model_phases::Script;
use crate::model_server::Server;
use crate::support::{File, repeatable};

const SHOP: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), total REAL);
    INSERT INTO customers VALUES (1, 'Ann', 'Paris', 30), (2, 'Bob', 'Rome', 41), (3, 'Cleo', 'Paris', 52);
    INSERT INTO orders VALUES (1, 1, 10), (2, 1, 30), (3, 2, 5), (4, 3, 8);
";

fn seconded(settings: &ModelSettings) -> Arc<dyn Reasoner> {
    Arc::new(SecondedReasoner::from_settings(settings).unwrap())
}

fn hybrid(settings: &ModelSettings) -> Arc<dyn Reasoner> {
    let model = ModelReasoner::from_settings(settings).unwrap();
    Arc::new(HybridReasoner::new(Arc::new(RuleReasoner::default()), Arc::new(model)))
}

fn engine(file: &File, reasoner: Arc<dyn Reasoner>) -> Engine {
    repeatable().database(open(file.path().to_str().unwrap()).unwrap()).reasoner(reasoner).build().unwrap()
}

async fn answered(question: &str, sql: &str) -> (ConversationState, Server) {
    let server = Script::default().sql(&[sql]).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let engine = engine(&file, seconded(&server.settings()));
    let state = engine.query_database(question, None).await.unwrap();
    (state, server)
}

#[tokio::test]
async fn what_both_come_to_is_sure() {
    let sql = "SELECT COUNT(id) FROM customers WHERE city = 'Paris'";
    let (state, _) = answered("How many customers are from Paris?", sql).await;
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert_eq!((state.query.as_deref(), state.answer_confidence), (Some(sql), Some(Confidence::High)));
    assert!(state.explanation.iter().any(|line| line.contains("agree")), "{:?}", state.explanation);
}

#[tokio::test]
async fn what_only_the_model_says_is_not_sure() {
    let (state, _) = answered("How many frobnicators ring up?", "SELECT count(*) FROM orders").await;
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert!(state.answer_confidence < Some(Confidence::High), "{:?}", state.explanation);
}

#[tokio::test]
async fn where_they_differ_the_surer_judge_is_believed() {
    let (state, server) = answered("How many customers are there?", "SELECT count(*) FROM orders").await;
    assert_eq!(state.result.as_ref().unwrap().rows[0][0], 3.into(), "{:?}", state.explanation);
    assert!(state.query.as_deref().unwrap().contains("customers"), "{:?}", state.query);
    assert!(state.answer_confidence < Some(Confidence::High), "one of two says otherwise");
    assert_eq!(server.hits(), 1);
}

#[tokio::test]
async fn a_wrong_name_is_corrected_without_another_call() {
    let (state, server) =
        answered("Names of customers from Rome", "SELECT names FROM customers WHERE city = 'Rome'").await;
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert_eq!(state.result.as_ref().unwrap().row_count, 1);
    assert_eq!(server.hits(), 1);
}

#[tokio::test]
async fn a_value_spelt_otherwise_is_found_without_another_call() {
    let (state, server) =
        answered("Names of customers from Rome", "SELECT name FROM customers WHERE city = 'ROME'").await;
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert_eq!(state.result.as_ref().unwrap().row_count, 1, "{:?}", state.query);
    assert_eq!((server.hits(), state.answer_confidence), (1, Some(Confidence::High)));
}

#[tokio::test]
async fn where_the_models_query_cannot_be_corrected_the_rules_answer() {
    let server = Script::default()
        .on(
            "sql_query",
            &[
                json!({"sql": "SELECT zzz FROM qqq", "reasoning": "?"}),
                json!({"sql": null, "reasoning": "?"}),
            ],
        )
        .serve()
        .await;
    let file = File::new("shop.sqlite", SHOP);
    for reasoner in [seconded(&server.settings()), hybrid(&server.settings())] {
        let state = engine(&file, reasoner)
            .query_database("age of the customers who are somehow from Paris", None)
            .await
            .unwrap();
        assert_eq!(state.status, Status::Completed, "{:?}", state.error);
        assert!(state.answer_confidence < Some(Confidence::High), "{:?}", state.explanation);
    }
}

/// What was tried is in the journal, and where a person approves what runs, nothing runs before.
#[tokio::test]
async fn nothing_is_tried_before_the_yes() {
    let sql = "SELECT count(*) FROM customers";
    let server = Script::default().sql(&[sql]).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let engine = engine(&file, seconded(&server.settings()));
    let options = TurnOptions { confirm: true, ..TurnOptions::default() };
    let Turned::Paused(paused) = engine.turn("How many customers are there?", None, options).await.unwrap()
    else {
        panic!("the turn did not wait");
    };
    let proposal = paused.state.scratch.proposal.as_ref().unwrap();
    assert_eq!((paused.sql(), proposal.trial), (sql, Trial::Untried));
    // Without rows the plans are compared, and they are the same.
    assert_eq!(proposal.like.first(), Some(&0));
    assert_eq!(paused.state.answer_confidence, Some(Confidence::High), "{:?}", paused.state.explanation);
}

#[tokio::test]
async fn where_nobody_understands_the_question_the_nearest_names_are_taken() {
    let server = Script::default()
        .on(
            "sql_query",
            &[
                json!({"sql": "SELECT names FROM customers", "reasoning": "?"}),
                json!({"sql": null, "reasoning": "?"}),
            ],
        )
        .serve()
        .await;
    let file = File::new("shop.sqlite", SHOP);
    let state = engine(&file, seconded(&server.settings()))
        .query_database("Whom would a frobnicator of gizmos ring up?", None)
        .await
        .unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert_eq!(state.query.as_deref(), Some("SELECT name FROM customers"));
    assert_eq!((server.hits(), state.answer_confidence), (2, Some(Confidence::Low)));
}
