//! The interactive workflow's requirements, scenario by scenario, on a real SQLite file with the rule reasoner.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlogue::Error;
use sqlogue::dialog::{Reply, Said, Session};
use sqlogue::engine::TurnOptions;
use sqlogue::intent::Intent;
use sqlogue::plan::Confidence;
use tokio_util::sync::CancellationToken;

use crate::cli_kit::ECOMMERCE;
use crate::support::File;

fn session(file: &File) -> Session {
    Session::with_id(file.engine(), "abc-123")
}

fn enriched(reply: &Reply) -> Value {
    serde_json::to_value(&reply.result).unwrap()
}

fn path(reply: &Reply) -> &[String] {
    &reply.answer.as_ref().unwrap().path
}

#[tokio::test]
async fn irw_req_01_handle_new_query_turn() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    let reply = session.say("Show me all users").await;
    assert_eq!(path(&reply), ["analyze_schema", "planner", "generate_query", "execute_query", "cleanup"]);
    let result = enriched(&reply);
    assert_eq!(result["query"], "SELECT * FROM users");
    assert_eq!((&result["intent"], &result["turnNumber"]), (&json!("new_query"), &json!(1)));
    assert_eq!(session.state().turns.len(), 1);
}

#[tokio::test]
async fn irw_req_01_handle_refinement_turn() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    session.say("Show me all users").await;
    let context = session.context("Only from last month");
    assert_eq!(context.original_question.as_deref(), Some("Show me all users"));
    assert_eq!(context.current_query.as_deref(), Some("SELECT * FROM users"));
    assert_eq!(context.feedback, "Only from last month");
    let reply = session.say("Only from last month").await;
    let result = enriched(&reply);
    assert_eq!(
        result["query"], "SELECT * FROM users WHERE created_at >= '2026-05-01' AND created_at < '2026-06-01'",
        "the clock of the tests stands in June 2026"
    );
    assert_eq!((&result["intent"], &result["turnNumber"]), (&json!("refinement"), &json!(2)));
    assert_eq!(session.state().turns.len(), 2);
}

#[tokio::test]
async fn irw_req_02_route_to_generation_workflow() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    session.say("Show me all users").await;
    session.say("Only active").await;
    let reply = session.say("Show me all products").await;
    assert_eq!(reply.result.intent, Intent::NewQuery);
    let path = path(&reply);
    assert!(path.contains(&"analyze_schema".to_owned()) && path.contains(&"planner".to_owned()), "{path:?}");
    // Nothing is carried over from the query before.
    assert_eq!(reply.result.query.as_deref(), Some("SELECT * FROM products"));
    assert_eq!(session.state().router_instructions, None);
    assert_eq!(session.state().original_question.as_deref(), Some("Show me all products"));
}

#[tokio::test]
async fn irw_req_02_route_to_refinement_workflow() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    session.say("Show me all users").await;
    let reply = session.say("Only active").await;
    assert_eq!(reply.result.intent, Intent::Refinement);
    assert_eq!(path(&reply).first().unwrap(), "router");
    assert!(!path(&reply).contains(&"analyze_schema".to_owned()));
    assert_eq!(reply.result.query.as_deref(), Some("SELECT * FROM users WHERE status = 'active'"));
}

#[tokio::test]
async fn irw_req_03_update_state_after_successful_turn() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    for number in 1..=3 {
        session.say("Show me all users").await;
        let state = session.state();
        assert_eq!((state.turn_number, state.turns.len() as u64), (number, number));
        assert_eq!(state.current_query, state.query);
        assert_eq!(state.current_result, state.result);
        assert_eq!(state.current_result.as_ref().unwrap().rows.len(), 3);
    }
}

#[tokio::test]
async fn irw_req_03_handle_failed_turn_gracefully() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    session.say("Show me all users").await;
    let before = session.state().clone();
    let reply = session.say("/new blorp florp quux").await;
    assert!(reply.result.error && reply.result.message.is_some());
    let state = session.state();
    assert_eq!(
        (&state.current_query, &state.current_result),
        (&before.current_query, &before.current_result)
    );
    assert_eq!(state.turns.len(), 2);
    assert!(state.turns[1].error.is_some());
    assert!(!session.say("Show me all products").await.result.error, "the conversation goes on");
}

#[tokio::test]
async fn irw_req_04_enrich_new_query_result() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    let mut result = enriched(&session.say("Show me all users").await);
    let explanation = result.as_object_mut().unwrap().remove("explanation").unwrap();
    assert!(!explanation.as_str().unwrap().is_empty());
    assert_eq!(
        result,
        json!({
            "query": "SELECT * FROM users",
            "confidence": "high",
            "intent": "new_query",
            "turnNumber": 1,
            "sessionId": "abc-123",
            "conversationContext": [],
        })
    );
}

#[tokio::test]
async fn irw_req_04_enrich_refinement_result() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    session.say("Show me all users").await;
    session.say("Only active").await;
    let result = enriched(&session.say("Only from last month").await);
    let mut fields: Vec<&str> = result.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    let mut expected = [
        "query",
        "explanation",
        "confidence",
        "intent",
        "turnNumber",
        "sessionId",
        "refinementSummary",
        "conversationContext",
    ];
    expected.sort_unstable();
    assert_eq!(fields, expected);
    assert_eq!((&result["intent"], &result["turnNumber"]), (&json!("refinement"), &json!(3)));
    assert_eq!(result["sessionId"], "abc-123");
    let summary = result["refinementSummary"].as_str().unwrap();
    assert!(summary.starts_with("Added filter: users.created_at"), "{summary}");
    let inputs: Vec<_> = result["conversationContext"]
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| turn["userInput"].clone())
        .collect();
    assert_eq!(inputs, ["Show me all users", "Only active"]);
}

#[tokio::test]
async fn irw_req_05_handle_generation_failure() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    let reply = session.say("blorp florp quux").await;
    let result = enriched(&reply);
    assert_eq!((&result["error"], &result["canRetry"]), (&json!(true), &json!(true)));
    assert!(!result["message"].as_str().unwrap().is_empty());
    assert_eq!(session.state().current_query, None);
    assert_eq!(session.say("Show me all users").await.result.query.as_deref(), Some("SELECT * FROM users"));
}

#[tokio::test]
async fn irw_req_05_a_turn_that_cannot_begin_changes_nothing() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    session.say("Show me all users").await;
    let before = session.state().clone();
    let cancellation = CancellationToken::new();
    cancellation.cancel();
    let options = TurnOptions { cancellation: Some(cancellation), ..TurnOptions::default() };
    let Said::Reply(reply) = session.turn("Only active", options).await else {
        panic!("nothing was to be approved")
    };
    let result = enriched(&reply);
    assert_eq!(
        (&result["error"], &result["canRetry"], &result["turnNumber"]),
        (&json!(true), &json!(true), &json!(2))
    );
    assert_eq!(*session.state(), before);
    assert!(!session.say("Only active").await.result.error);
}

/// Ctrl-C ends the turn under way and nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn irw_req_05_a_cancelled_turn_changes_nothing() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    session.say("Show me all users").await;
    let before = session.state().clone();
    let cancellation = CancellationToken::new();
    let fired = cancellation.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        fired.cancel();
    });
    let uses: Vec<String> = (0..24).map(|number| format!("users u{number}")).collect();
    let slow = format!("SELECT count(*) FROM {}", uses.join(", "));
    let options = TurnOptions { cancellation: Some(cancellation), ..TurnOptions::default() };
    let started = Instant::now();
    let Said::Reply(reply) = session.turn(&slow, options).await else { panic!("nothing was to be approved") };
    assert!(matches!(reply.failure, Some(Error::Cancelled)), "{:?}", reply.failure);
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    assert_eq!(*session.state(), before);
    assert!(!session.say("Only active").await.result.error);
}

#[tokio::test]
async fn irw_req_05_graceful_degradation_for_ambiguous_intent() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    session.say("Show me all users").await;
    let reply = session.say("Show me only active users").await;
    assert_eq!((reply.result.intent, reply.result.confidence), (Intent::Refinement, Confidence::Low));
    let again = session.say("/new Show me only active users").await;
    assert_eq!(again.result.intent, Intent::NewQuery);
    session.start_afresh();
    assert_eq!(session.say("only active users").await.result.intent, Intent::NewQuery);
}

#[tokio::test]
async fn irw_req_06_initialize_session() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let (one, other) = (Session::new(file.engine()), Session::new(file.engine()));
    assert!(uuid::Uuid::parse_str(one.id()).is_ok());
    assert_ne!(one.id(), other.id());
    assert_eq!(one.state().database, "ecommerce");
    assert_eq!((one.state().turns.len(), one.state().turn_number), (0, 0));
}

#[tokio::test]
async fn irw_req_06_reset_session() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    for input in ["Show me all users", "Only active", "sort by name", "limit 10", "Show me all products"] {
        session.say(input).await;
    }
    assert_eq!(session.state().turns.len(), 5);
    session.clear().await.unwrap();
    assert!(session.state().turns.is_empty());
    assert_eq!((session.id(), session.state().database.as_str()), ("abc-123", "ecommerce"));
    let reply = session.say("Only active users").await;
    assert_eq!((reply.result.turn_number, reply.result.intent), (1, Intent::NewQuery));
}

#[tokio::test]
async fn irw_req_06_terminate_session() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    session.say("Show me all users").await;
    drop(session);
    let entries: Vec<_> =
        std::fs::read_dir(file.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries, ["ecommerce.db"], "nothing outlives the session");
}

#[tokio::test]
async fn irw_req_07_measure_turn_overhead() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    session.say("Show me all users").await;
    // Benchmarks measure; this only notices what is wrong by orders of magnitude, on any machine.
    let mut times = Vec::new();
    for _ in 0..20 {
        let started = Instant::now();
        session.say("Show me all users").await;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    assert!(times[10].as_millis() < 500, "{:?}", times[10]);
}

#[tokio::test]
async fn irw_req_08_delegate_to_sql_generation_workflow() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let engine = file.engine();
    let plain = engine.ask("Show me all users", None).await.unwrap();
    let mut session = Session::new(engine);
    let reply = session.say("Show me all users").await;
    // The session adds to what the engine answers, and changes nothing of it.
    let answer = reply.answer.as_ref().unwrap();
    assert_eq!(
        (&answer.state.query, &answer.state.result, &answer.path),
        (&plain.state.query, &plain.state.result, &plain.path)
    );
    assert_eq!(reply.result.turn_number, 1);
}

#[tokio::test]
async fn irw_req_08_delegate_to_sql_refinement_workflow() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let engine = file.engine();
    let first = engine.query_database("Show me all users", None).await.unwrap();
    let plain = engine.ask("Only active", Some(first)).await.unwrap();
    let mut session = Session::new(engine);
    session.say("Show me all users").await;
    let reply = session.say("Only active").await;
    let answer = reply.answer.as_ref().unwrap();
    assert_eq!(
        (&answer.state.query, &answer.state.result, &answer.path),
        (&plain.state.query, &plain.state.result, &plain.path)
    );
    assert_eq!(reply.result.refinement_summary, plain.state.refinement_summary);
}

#[tokio::test]
async fn a_session_waits_for_a_yes() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    for approved in [true, false] {
        let options = TurnOptions { confirm: true, ..TurnOptions::default() };
        let Said::Waiting(waiting) = session.turn("Show me all users", options).await else {
            panic!("it must wait")
        };
        assert_eq!(waiting.sql(), "SELECT * FROM users");
        let Said::Reply(reply) = session.approve(*waiting, approved, TurnOptions::default()).await else {
            panic!("it must be over")
        };
        assert_eq!(reply.result.error, !approved);
    }
    assert_eq!(session.state().turns.len(), 2);
}
