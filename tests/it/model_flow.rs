//! Whole conversations with a model behind a real server: the three turns of the flow, faults, caps, recordings.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlogue::conversation::{Change, ConversationState, ErrorKind, Judge, Route, RouterMode, Status};
use sqlogue::engine::{TurnOptions, Turned, open};
use sqlogue::graph::{Event, Observer};
use sqlogue::model::ModelSettings;
use sqlogue::reasoner::{HybridReasoner, ModelReasoner, RuleReasoner};
use tokio_util::sync::CancellationToken;

use crate::model_phases::{Script, engine_with};
use crate::model_server::{Act, KEY, Server};
use crate::support::{COMPANIES, File, repeatable, with_snapshots};

const NAMED: &str = "companies";

fn script() -> Script {
    let table = json!({"name": NAMED, "columns": ["Id", "Name", "Status"]});
    Script::default()
        .on("table_relevance", &[json!({"is_relevant": true, "confidence": 0.95, "relevant_columns": ["Name"], "reasoning": "named"})])
        .on("query_understanding", &[json!({"tables": [table], "joins_needed": false, "reasoning": "all of them"})])
        .on("router", &[
            json!({"decision": "revise_query_inline", "query": "SELECT Name, Vendor FROM Companies", "instructions": "", "reasoning": "a column is added"}),
            json!({"decision": "update_plan", "query": null, "instructions": "Add the filter Status = 'Active'", "reasoning": "a filter"}),
        ])
        .on("plan", &[json!({"tables": [table], "filters": ["Companies.Status = 'Active'"], "reasoning": "only active ones", "confidence": 0.9})])
        .sql(&["SELECT Name FROM Companies", "SELECT Name, Vendor FROM Companies WHERE Status = 'Active'"])
}

const TURNS: [&str; 3] = ["Show me companies", "Add vendor column", "Only active companies"];

async fn converse(engine: &sqlogue::Engine) -> Vec<ConversationState> {
    let mut states: Vec<ConversationState> = Vec::new();
    for input in TURNS {
        states.push(engine.query_database(input, states.last().cloned()).await.unwrap());
    }
    states
}

#[tokio::test]
async fn the_three_turns_of_the_flow() {
    let server = script().serve().await;
    let file = File::new("companies.sqlite", COMPANIES);
    let states = converse(&engine_with(&file, &server.settings())).await;
    let routes: Vec<_> = states.iter().map(|state| (state.status, state.route, state.router_mode)).collect();
    assert_eq!(
        routes[1..],
        [
            (Status::Completed, Some(Route::Inline), None),
            (Status::Completed, Some(Route::Update), Some(RouterMode::Update)),
        ],
        "{:?}",
        states.iter().map(|state| &state.error).collect::<Vec<_>>()
    );
    let last = states.last().unwrap();
    assert_eq!(
        last.queries,
        [
            "SELECT Name FROM Companies",
            "SELECT Name, Vendor FROM Companies",
            "SELECT Name, Vendor FROM Companies WHERE Status = 'Active'"
        ]
    );
    assert_eq!(last.planner_outputs.len(), 2);
    assert_eq!(last.router_instructions.as_deref(), Some("Add the filter Status = 'Active'"));
    assert_eq!(last.total_usage().llm_calls, 3 + 1 + 3);
    let update =
        server.received().iter().find(|received| received.shape() == "plan").unwrap().message("user");
    assert!(
        update.contains("<previous_plan>")
            && update.contains("<instructions>")
            && update.contains("<history>")
    );
    assert!(!update.contains("<schema>"), "{update}");
    with_snapshots(|| {
        let evolution: Vec<Value> = states
            .iter()
            .map(|state| {
                json!({
                    "is_continuation": state.is_continuation, "user_questions": state.user_questions,
                    "queries": state.queries, "plans": state.planner_outputs.len(), "route": state.route,
                    "router_mode": state.router_mode, "router_instructions": state.router_instructions,
                    "explanation": state.explanation, "rows": state.result.as_ref().map(|result| &result.rows),
                    "usage": state.usage, "total_usage": state.total_usage(),
                })
            })
            .collect();
        insta::assert_json_snapshot!("model_flow_states", evolution);
    });
}

#[tokio::test]
async fn a_recorded_conversation_replays_without_a_server() {
    let file = File::new("companies.sqlite", COMPANIES);
    let path = file.folder().join("talk.jsonl");
    let live = {
        let server = script().serve().await;
        converse(&engine_with(&file, &ModelSettings { record: Some(path.clone()), ..server.settings() }))
            .await
    };
    let recording = std::fs::read_to_string(&path).unwrap();
    assert!(recording.lines().count() == 7 && !recording.contains(KEY));
    let settings = ModelSettings { replay: Some(path), ..ModelSettings::default() };
    let replayed = converse(&engine_with(&file, &settings)).await;
    assert_eq!(live, replayed);
    // Another question is not in the recording, and the error says what differs.
    let other = engine_with(&file, &settings).query_database("Show me vendors", None).await.unwrap();
    let message = other.error.unwrap().message;
    assert!(message.contains("was `Show me companies` and is `Show me vendors`"), "{message}");
}

#[tokio::test]
async fn the_key_is_seen_nowhere() {
    let file = File::new("companies.sqlite", COMPANIES);
    let act =
        Act::json(401, json!({"error": {"message": format!("Incorrect API key: {KEY}, bearer {KEY}")}}));
    let server = Server::always(act).await;
    let path = file.folder().join("talk.jsonl");
    let settings = ModelSettings { record: Some(path.clone()), ..server.settings() };
    let reasoner = ModelReasoner::from_settings(&settings).unwrap();
    let shown = format!("{settings:?} {reasoner:?} {}", serde_json::to_string(&settings).unwrap());
    let engine = engine_with(&file, &settings);
    let state = engine.query_database(TURNS[0], None).await.unwrap();
    let error = state.error.clone().unwrap();
    assert_eq!((state.status, error.kind), (Status::Failed, ErrorKind::Model));
    let everything = [
        shown,
        error.message,
        state.to_json().unwrap(),
        format!("{state:?}"),
        std::fs::read_to_string(&path).unwrap(),
    ];
    for text in everything {
        assert!(!text.contains(KEY), "{text}");
    }
    assert!(server.received()[0].headers.contains(KEY), "but it was sent");
}

#[tokio::test]
async fn a_fault_in_one_turn_leaves_the_conversation_and_the_next_turn_works() {
    let file = File::new("companies.sqlite", COMPANIES);
    let good = script().serve().await;
    let first = engine_with(&file, &good.settings()).query_database(TURNS[0], None).await.unwrap();
    let cut = json!({"choices": [{"message": {"content": "SELECT"}, "finish_reason": "length"}]});
    for act in [
        Act::Hang,
        Act::Close,
        Act::json(500, json!({})),
        Act::json(200, cut),
        Act::say("<think>DROP"),
        Act::say("no idea"),
    ] {
        let bad = Server::always(act).await;
        let began = Instant::now();
        let engine = engine_with(&file, &bad.settings());
        let failed = engine.query_database("Show me all vendors", Some(first.clone())).await.unwrap();
        assert!(began.elapsed() < Duration::from_millis(4500), "{:?}", began.elapsed());
        assert_eq!((failed.status, failed.error.as_ref().unwrap().kind), (Status::Failed, ErrorKind::Model));
        assert_eq!(failed.current_query, first.current_query);
        assert_eq!(failed.turns.len(), 2);
        let good = script().serve().await;
        let next = engine_with(&file, &good.settings()).query_database(TURNS[0], Some(failed)).await.unwrap();
        assert_eq!(next.status, Status::Completed, "{:?}", next.error);
    }
}

#[tokio::test]
async fn a_hundred_turns_on_a_server_that_fails_every_third_request() {
    let file = File::new("companies.sqlite", COMPANIES);
    let inner = script();
    let dice = std::sync::Mutex::new(fastrand::Rng::with_seed(7));
    let server = Server::start(move |received, _| {
        let (roll, kind) = {
            let mut dice = dice.lock().unwrap();
            (dice.f64(), dice.u8(0..6))
        };
        if roll < 0.3 {
            return match kind {
                0 => Act::Close,
                1 => Act::json(500, json!({"error": "x"})),
                2 => Act::json(429, json!({})),
                3 => Act::say("I would rather not"),
                4 => Act::json(200, json!({"choices": []})),
                _ => Act::Answer(200, vec![], b"<html>".to_vec()),
            };
        }
        let _ = &inner;
        Act::Say(match received.shape() {
            "table_relevance" => json!({"is_relevant": true, "relevant_columns": ["Name"]}).to_string(),
            "query_understanding" => {
                json!({"tables": [{"name": "Companies", "columns": ["Name"]}]}).to_string()
            }
            "router" => json!({"decision": "update_plan", "instructions": "only active"}).to_string(),
            "plan" => json!({"tables": ["Companies"], "filters": ["Status = 'Active'"]}).to_string(),
            _ => "SELECT Name FROM Companies".to_owned(),
        })
    })
    .await;
    let settings = ModelSettings { session_token_limit: 0, ..server.settings() };
    let engine = engine_with(&file, &settings);
    let mut state: Option<ConversationState> = None;
    let mut completed = 0;
    for at in 0..100_u64 {
        let next = engine.query_database(TURNS[(at % 3) as usize], state).await.unwrap();
        assert_eq!(next.turn_number, at + 1);
        assert_eq!(next.turns.last().unwrap().input, TURNS[(at % 3) as usize]);
        assert!(matches!(next.status, Status::Completed | Status::Failed), "{:?}", next.status);
        assert_eq!(next.status == Status::Failed, next.error.is_some());
        completed += u32::from(next.status == Status::Completed);
        state = Some(ConversationState::from_json(&next.to_json().unwrap()).unwrap());
    }
    assert!(completed >= 40, "{completed}");
}

#[tokio::test]
async fn cancelling_a_turn_cancels_its_request() {
    let file = File::new("companies.sqlite", COMPANIES);
    let server = Server::always(Act::Hang).await;
    let engine = engine_with(&file, &server.settings());
    let cancellation = CancellationToken::new();
    let cancel = cancellation.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        cancel.cancel();
    });
    let options = TurnOptions { cancellation: Some(cancellation), ..TurnOptions::default() };
    let began = Instant::now();
    let error = engine.turn(TURNS[0], None, options).await.unwrap_err();
    assert!(matches!(error, sqlogue::Error::Cancelled), "{error}");
    assert!(began.elapsed() < Duration::from_millis(550));
    for _ in 0..50 {
        if server.closed() >= 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the connection stayed open");
}

/// Tells the tests what a person would see while a turn runs.
#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Observer<ConversationState> for Told {
    fn on_event(&self, event: &Event<'_, Change>) {
        if let Event::Progress { node, message, .. } = event {
            self.0.lock().unwrap().push(format!("{node}: {message}"));
        }
    }
}

#[tokio::test]
async fn who_watches_a_turn_is_told_how_answers_grow() {
    let server = script().serve().await;
    let file = File::new("companies.sqlite", COMPANIES);
    let told = Arc::new(Told::default());
    let options = TurnOptions { observer: Some(told.clone()), ..TurnOptions::default() };
    let turn = engine_with(&file, &server.settings()).turn(TURNS[0], None, options).await.unwrap();
    assert!(matches!(turn, Turned::Done(_)));
    assert!(server.received().iter().all(|received| received.body["stream"] == true));
    let told = told.0.lock().unwrap();
    assert!(
        told.contains(&"planner/write_query: the model has written 59 characters".to_owned()),
        "{told:?}"
    );
}

#[tokio::test]
async fn caps_end_a_turn_with_a_clear_message() {
    let file = File::new("companies.sqlite", COMPANIES);
    let server = script().serve().await;
    for (settings, said) in [
        (ModelSettings { turn_token_limit: 1000, ..server.settings() }, "turn_token_limit"),
        (ModelSettings { session_token_limit: 1000, ..server.settings() }, "session_token_limit"),
        (ModelSettings { max_calls: 0, ..server.settings() }, "max_calls"),
    ] {
        let state = engine_with(&file, &settings).query_database(TURNS[0], None).await.unwrap();
        let error = state.error.unwrap();
        assert_eq!((state.status, error.kind), (Status::Failed, ErrorKind::Model), "{said}");
        assert!(error.message.contains(said), "{}", error.message);
    }
}

#[tokio::test]
async fn a_turns_time_has_an_end() {
    let file = File::new("companies.sqlite", COMPANIES);
    let server = Server::always(Act::Hang).await;
    let settings = ModelSettings {
        turn_timeout: 0.5,
        first_byte_timeout: 30.0,
        call_timeout: 30.0,
        ..server.settings()
    };
    let began = Instant::now();
    let state = engine_with(&file, &settings).query_database(TURNS[0], None).await.unwrap();
    assert!(began.elapsed() < Duration::from_millis(1500));
    assert!(state.error.unwrap().message.contains("`turn_timeout`"));
}

fn hybrid(file: &File, settings: &ModelSettings) -> sqlogue::Engine {
    let model = ModelReasoner::from_settings(settings).unwrap();
    let rules = Arc::new(RuleReasoner::default());
    let hybrid = Arc::new(HybridReasoner::new(rules, Arc::new(model)));
    let database = open(file.path().to_str().unwrap()).unwrap();
    repeatable().database(database).reasoner(hybrid).build().unwrap()
}

#[tokio::test]
async fn where_the_rules_are_sure_nobody_is_called() {
    let file = File::new("companies.sqlite", COMPANIES);
    let server = script().serve().await;
    let engine = hybrid(&file, &server.settings());
    let state = engine.query_database("How many companies are there?", None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert_eq!((server.hits(), state.usage.llm_calls), (0, 0));
    assert_eq!(state.turns[0].judge, Some(Judge::Rules));
}

#[tokio::test]
async fn where_the_rules_are_not_sure_the_model_is_asked() {
    let file = File::new("companies.sqlite", COMPANIES);
    let server = script().serve().await;
    let engine = hybrid(&file, &server.settings());
    let state = engine.query_database("Whom would a frobnicator of gizmos ring up?", None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert_eq!((server.hits(), state.usage.llm_calls), (1, 1));
    assert_eq!(state.turns[0].judge, Some(Judge::Model));
}

#[tokio::test]
async fn where_the_model_cannot_be_used_the_rules_do_what_they_can() {
    let file = File::new("companies.sqlite", COMPANIES);
    let server = Server::always(Act::json(500, json!({}))).await;
    let engine = hybrid(&file, &server.settings());
    let state = engine.query_database("Whom would a frobnicator of gizmos ring up?", None).await.unwrap();
    assert_eq!(state.status, Status::Failed);
    let sure = engine.query_database("How many companies are there?", Some(state)).await.unwrap();
    assert_eq!(sure.status, Status::Completed, "{:?}", sure.error);
}

#[tokio::test]
async fn orders_to_change_data_do_not_reach_the_model() {
    let file = File::new("companies.sqlite", COMPANIES);
    let server = script().serve().await;
    let engine = hybrid(&file, &server.settings());
    let state = engine.query_database("delete from companies", None).await.unwrap();
    assert_eq!((state.status, server.hits()), (Status::Failed, 0));
    assert_eq!(state.error.unwrap().kind, ErrorKind::Refused);
}

/// Who judges is in the state from the first judgement on, so a conversation that is saved, sent elsewhere and resumed
/// knows it, and the next node does not ask a model again that could not be used.
#[tokio::test]
async fn who_judged_and_why_is_in_the_state() {
    let file = File::new("companies.sqlite", COMPANIES);
    let server = Server::always(Act::json(500, json!({}))).await;
    let engine = hybrid(&file, &server.settings());
    // The rules can answer it, and are not sure.
    let state = engine.query_database("companies that are somehow active", None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    let Some(Judge::RulesInstead { why }) = &state.turns[0].judge else {
        panic!("{:?}", state.turns[0].judge)
    };
    assert!(state.explanation.iter().any(|reason| reason.contains(why.as_str())), "{:?}", state.explanation);
    let asked = server.hits();
    let saved = ConversationState::from_json(&state.to_json().unwrap()).unwrap();
    assert_eq!(saved.turns[0].judge, state.turns[0].judge);
    let sure = engine.query_database("How many companies are there?", Some(saved)).await.unwrap();
    assert_eq!((sure.turns[1].judge.as_ref(), server.hits()), (Some(&Judge::Rules), asked));
}
