//! The dialog manager's requirements, scenario by scenario, on a real SQLite file with the rule reasoner.

use std::time::Instant;

use sqlogue::conversation::{ErrorKind, Status};
use sqlogue::dialog::{Notice, Session};
use sqlogue::intent::{self, DialogContext, Intent, PastTurn};
use sqlogue::plan::Confidence;

use crate::cli_kit::ECOMMERCE;
use crate::support::File;

fn session(file: &File) -> Session {
    Session::with_id(file.engine(), "abc-123")
}

/// Says all of it, each to be answered.
async fn say(session: &mut Session, inputs: &[&str]) {
    for input in inputs {
        let reply = session.say(input).await;
        assert!(!reply.result.error, "{input}: {:?}", reply.result.message);
    }
}

/// What the last input was taken for.
fn taken(session: &Session) -> (Intent, Confidence) {
    let state = session.state();
    (state.intent.unwrap(), state.confidence.unwrap())
}

#[tokio::test]
async fn dm_req_01_track_multi_turn_conversation() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    say(&mut session, &["Show me all users", "Only from last month"]).await;
    let state = session.state();
    assert_eq!(state.database, "ecommerce");
    assert_eq!(state.turns.len(), 2);
    for (turn, (input, intent)) in state
        .turns
        .iter()
        .zip([("Show me all users", Intent::NewQuery), ("Only from last month", Intent::Refinement)])
    {
        assert_eq!((turn.input.as_str(), turn.intent), (input, intent));
        assert!(turn.result.is_some() && turn.timestamp.as_second() > 0);
    }
    assert_eq!(state.current_query, state.turns[1].query);
    assert_ne!(state.turns[0].query, state.turns[1].query);
    assert_eq!(session.id(), "abc-123");
}

#[tokio::test]
async fn dm_req_02_detect_refinement_from_keyword() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    say(&mut session, &["Show me all users", "Only from last month"]).await;
    assert_eq!(taken(&session), (Intent::Refinement, Confidence::High));
}

#[tokio::test]
async fn dm_req_02_detect_refinement_from_short_modification() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    say(&mut session, &["Show products sorted by price", "limit 10"]).await;
    assert_eq!(taken(&session), (Intent::Refinement, Confidence::Medium));
    assert!(session.state().query.as_deref().unwrap().ends_with("LIMIT 10"));
}

#[tokio::test]
async fn dm_req_03_detect_new_query_from_question_word() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    say(&mut session, &["Show me all users", "Show me all products"]).await;
    assert_eq!(taken(&session), (Intent::NewQuery, Confidence::High));
}

#[tokio::test]
async fn dm_req_03_first_turn_always_new_query() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    for input in ["expensive items", "only active", "limit 10"] {
        let mut session = session(&file);
        session.say(input).await;
        assert_eq!(taken(&session), (Intent::NewQuery, Confidence::High), "{input}");
    }
}

#[tokio::test]
async fn dm_req_03_explicit_reset_command() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    say(&mut session, &["Show me all users", "Only active", "/new show customers"]).await;
    assert_eq!(taken(&session), (Intent::NewQuery, Confidence::High));
    let query = session.state().query.as_deref().unwrap();
    assert!(query.contains("customers") && !query.contains("active"), "{query}");
    assert_eq!(session.state().original_question.as_deref(), Some("show customers"));
}

#[tokio::test]
async fn dm_req_04_ambiguous_input_with_previous_query() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    say(&mut session, &["Show me all users", "Show me only active users"]).await;
    assert_eq!(taken(&session), (Intent::Refinement, Confidence::Low));
}

#[tokio::test]
async fn dm_req_05_history_pruning_at_limit() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    let mut told = Vec::new();
    for number in 1..=12 {
        let reply =
            session.say(if number % 2 == 0 { "Show me all users" } else { "Show me all products" }).await;
        told.extend(reply.notices.into_iter().map(|notice| (number, notice.to_string())));
        assert_eq!(reply.result.turn_number, number);
    }
    let state = session.state();
    assert_eq!(state.turns.len(), 10);
    assert_eq!(state.turns.first().unwrap().number, 3);
    assert_eq!(state.turns.last().unwrap().number, 12);
    assert!(state.current_query.is_some() && state.current_result.is_some());
    assert_eq!((session.id(), state.database.as_str()), ("abc-123", "ecommerce"));
    assert_eq!(told, [(11, "Conversation history trimmed to last 10 turns".to_owned())]);
}

#[tokio::test]
async fn dm_req_06_retrieve_context_for_refinement() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    say(&mut session, &["Show me all users", "Only active"]).await;
    let context = serde_json::to_value(session.context("sort by name")).unwrap();
    let mut fields: Vec<&str> = context.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["currentQuery", "currentResult", "feedback", "originalQuestion", "previousTurns"]);
    assert_eq!(context["originalQuestion"], "Show me all users");
    assert_eq!(context["currentQuery"], "SELECT * FROM users WHERE status = 'active'");
    assert_eq!(context["currentResult"]["row_count"], 2);
    assert_eq!(context["feedback"], "sort by name");
    let inputs: Vec<_> =
        context["previousTurns"].as_array().unwrap().iter().map(|turn| turn["userInput"].clone()).collect();
    assert_eq!(inputs, ["Show me all users", "Only active"]);
}

#[tokio::test]
async fn dm_req_07_clear_conversation_via_command() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    say(
        &mut session,
        &["Show me all users", "Only active", "sort by name", "limit 10", "Show me all products"],
    )
    .await;
    session.clear().await.unwrap();
    let state = session.state();
    assert!(state.turns.is_empty());
    assert_eq!((session.id(), state.database.as_str()), ("abc-123", "ecommerce"));
    assert_eq!((&state.current_query, &state.current_result), (&None, &None));
    let reply = session.say("Only active users").await;
    assert_eq!((reply.result.turn_number, reply.result.intent), (1, Intent::NewQuery));
}

#[tokio::test]
async fn dm_req_08_intent_detection_performance() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    say(
        &mut session,
        &["Show me all users", "Only active", "sort by name", "limit 10", "Show me all products"],
    )
    .await;
    // Benchmarks measure; this only notices what is wrong by orders of magnitude, on any machine.
    let mut times: Vec<_> = (0..100)
        .map(|_| {
            let started = Instant::now();
            let turns = session.state().turns.iter().map(|turn| PastTurn {
                input: turn.input.clone(),
                sql: turn.query.clone(),
                succeeded: turn.status == Status::Completed,
            });
            let found = intent::classify("Only from last month", &DialogContext::new(turns));
            assert_eq!(found.intent, Intent::Refinement);
            std::hint::black_box(session.context("Only from last month"));
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    assert!(times[95].as_millis() < 20, "{:?}", times[95]);
    assert!(session.state().to_json().unwrap().len() < 100 * 1024);
}

#[tokio::test]
async fn qrd_errors_refinement_called_with_no_previous_query() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    let reply = session.say("Only active users").await;
    assert_eq!(reply.notices, [Notice::NothingToRefine]);
    assert_eq!(reply.notices[0].to_string(), "Starting new query (no previous query to refine)");
    assert_eq!(reply.result.intent, Intent::NewQuery);
    let mut session = Session::with_id(file.engine(), "x");
    assert_eq!(session.say("Show me all users").await.notices, []);
    assert_eq!(session.say("Only active").await.notices, []);
}

#[tokio::test]
async fn qrd_errors_conversation_state_corruption() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    for damaged in ["", "{}", "{\"version\":99}", "[[["] {
        let mut session = Session::resume_json(file.engine(), damaged).unwrap();
        let reply = session.say("Show me all users").await;
        assert_eq!(
            reply.notices.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["Conversation reset due to error"]
        );
        assert_eq!(reply.result.turn_number, 1);
    }
    let mut session = Session::new(file.engine());
    say(&mut session, &["Show me all users"]).await;
    let saved = session.state().to_json().unwrap();
    let mut again = Session::resume_json(file.engine(), &saved).unwrap();
    assert_eq!(again.state(), session.state());
    assert_eq!(again.say("Only active").await.result.turn_number, 2);
    let other = File::new("other.db", ECOMMERCE);
    assert!(Session::resume_json(other.engine(), &saved).is_err());
}

#[tokio::test]
async fn qrd_errors_intent_detection_fails() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    let reply = session.say("🤷").await;
    assert_eq!(
        (reply.result.intent, reply.result.error, reply.result.can_retry),
        (Intent::NewQuery, true, Some(true))
    );
}

#[tokio::test]
async fn qrd_errors_memory_exhausted() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    for number in 1..=11 {
        let reply = session.say("Show me all users").await;
        let told: Vec<String> = reply.notices.iter().map(ToString::to_string).collect();
        let expected = (number == 11).then(|| "Conversation history trimmed to last 10 turns".to_owned());
        assert_eq!(told, expected.into_iter().collect::<Vec<_>>(), "turn {number}");
    }
    assert_eq!(session.state().turns.len(), 10);
}

/// A courtesy is a turn, asks for nothing and changes nothing.
#[tokio::test]
async fn a_courtesy_leaves_the_query_as_it_is() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    let hello = session.say("hi").await;
    let message = hello.result.message.unwrap_or_default();
    assert!(message.starts_with("Hello!") && message.contains("ecommerce"), "{message}");
    say(&mut session, &["Show products sorted by price"]).await;
    let (query, result) = (session.state().current_query.clone(), session.state().current_result.clone());
    for (number, courtesy) in (3..).zip(["thanks", "Thank you very much!", "ok", "hi", "great, bye"]) {
        let reply = session.say(courtesy).await;
        assert_eq!((reply.result.turn_number, reply.result.error), (number, true), "{courtesy}");
        assert_eq!(session.state().error.as_ref().unwrap().kind, ErrorKind::EmptyInput, "{courtesy}");
        assert_eq!(session.state().current_query, query, "{courtesy}");
        assert_eq!(session.state().current_result, result, "{courtesy}");
    }
    // What follows is a short modification after a successful query, as if nothing had been said between.
    say(&mut session, &["limit 10"]).await;
    assert_eq!(taken(&session), (Intent::Refinement, Confidence::Medium));
    assert!(session.state().query.as_deref().unwrap().ends_with("ORDER BY price LIMIT 10"));
}

#[tokio::test]
async fn undo_and_redo_walk_through_the_states() {
    let file = File::new("ecommerce.db", ECOMMERCE);
    let mut session = session(&file);
    let inputs = ["Show me all users", "Only active", "sort by name", "blorp florp", "Show me all products"];
    let mut states = vec![session.state().clone()];
    for input in inputs.iter().cycle().take(14) {
        session.say(input).await;
        states.push(session.state().clone());
    }
    // Rows of results further back are given up, to keep a session small; everything else is as it was.
    let bare = |state: &sqlogue::ConversationState| {
        let mut state = state.clone();
        (state.result, state.current_result) = (None, None);
        state
    };
    // What failed changed nothing, so it is not what is taken back.
    let turns = states.iter().zip(states.iter().skip(1)).zip(inputs.iter().cycle());
    let turns: Vec<_> = turns.filter(|((_, after), _)| after.status != Status::Failed).collect();
    assert_eq!(turns.len(), 11);
    for ((before, _), input) in turns.iter().rev() {
        assert_eq!(session.undo().await.unwrap().as_deref(), Some(**input));
        assert_eq!(bare(session.state()), bare(before));
    }
    assert_eq!(session.undo().await.unwrap(), None);
    for ((_, after), input) in turns {
        assert_eq!(session.redo().await.unwrap().as_deref(), Some(*input));
        assert_eq!(bare(session.state()), bare(after));
    }
    assert_eq!(session.redo().await.unwrap(), None);
    session.undo().await.unwrap();
    let reply = session.say("How many customers are there?").await;
    assert_eq!(reply.answer.unwrap().state.status, Status::Completed);
    assert_eq!(
        session.redo().await.unwrap(),
        None,
        "what was taken back is gone once something else was said"
    );
}

/// DM-REQ-08: a session stays below 100 KB, what can be undone included.
#[tokio::test]
async fn dm_req_08_memory_per_session() {
    let wide = "CREATE TABLE wide (id INTEGER PRIMARY KEY, name TEXT, note TEXT, text TEXT);
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000)
        INSERT INTO wide SELECT x, 'name ' || x, hex(zeroblob(60)), hex(zeroblob(60)) FROM n;";
    let file = File::new("wide.db", wide);
    let mut session = session(&file);
    for number in 0..14 {
        let input =
            if number % 2 == 0 { "Show me all wide".to_owned() } else { format!("limit {}", 500 + number) };
        session.say(&input).await;
    }
    assert!(session.size() < 100 * 1024, "{} bytes", session.size());
}
