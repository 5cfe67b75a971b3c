//! Who tells follow-ups from new questions: the rules, a model, or both, with the model behind a real server.

use std::sync::Arc;

use serde_json::json;
use sqlogue::Engine;
use sqlogue::config::{IntentStrategy, Settings};
use sqlogue::conversation::{ConversationState, Route, Status};
use sqlogue::engine::open;
use sqlogue::intent::{Intent, Rule};
use sqlogue::plan::Confidence;
use sqlogue::reasoner::{HybridReasoner, ModelReasoner, Reasoner, RuleReasoner};

use crate::model_phases::Script;
use crate::model_server::{Act, Server};
use crate::support::{COMPANIES, File, repeatable};

fn script(intent: &str) -> Script {
    let table = json!({"name": "Companies", "columns": ["Id", "Name", "Status"]});
    let relevant =
        json!({"is_relevant": true, "confidence": 0.95, "relevant_columns": ["Name"], "reasoning": "named"});
    Script::default()
        .on("intent", &[json!({"intent": intent, "confidence": "high", "reasoning": "it names nothing new"})])
        .on("table_relevance", &[relevant])
        .on("query_understanding", &[json!({"tables": [table], "joins_needed": false, "reasoning": "all"})])
        .on("router", &[json!({"decision": "revise_query_inline", "query": "SELECT Name, Status FROM Companies", "instructions": "", "reasoning": "a column"})])
        .sql(&["SELECT Name FROM Companies"])
}

fn engine(file: &File, reasoner: Arc<dyn Reasoner>, strategy: IntentStrategy, refines: bool) -> Engine {
    let settings = Settings {
        intent_detection_strategy: strategy,
        enable_dialog_refinement: refines,
        ..Settings::default()
    };
    let database = open(file.path().to_str().unwrap()).unwrap();
    repeatable().settings(settings).database(database).reasoner(reasoner).build().unwrap()
}

fn model(server: &Server) -> Arc<dyn Reasoner> {
    Arc::new(ModelReasoner::from_settings(&server.settings()).unwrap())
}

async fn say(engine: &Engine, inputs: &[&str]) -> ConversationState {
    let mut state = None;
    for input in inputs {
        state = Some(engine.query_database(*input, state).await.unwrap());
    }
    state.unwrap()
}

fn asked(server: &Server) -> usize {
    server.received().iter().filter(|received| received.shape() == "intent").count()
}

/// Sounds like a new question; the model says otherwise.
const SURE: [&str; 2] = ["Show me companies", "Show me all companies"];
/// The rules are not sure.
const UNSURE: [&str; 2] = ["Show me companies", "Show me only active companies"];

#[tokio::test]
async fn with_llm_the_model_decides_whatever_the_rules_say() {
    let file = File::new("companies.sqlite", COMPANIES);
    let server = script("refinement").serve().await;
    let state = say(&engine(&file, model(&server), IntentStrategy::Llm, true), &SURE).await;
    assert_eq!((state.intent, state.confidence), (Some(Intent::Refinement), Some(Confidence::High)));
    assert_eq!((state.status, state.route), (Status::Completed, Some(Route::Inline)));
    let decided = state.signals.first().unwrap();
    assert_eq!((decided.rule, decided.evidence.as_str()), (Rule::Model, "it names nothing new"));
    assert!(state.signals.len() > 1, "what the rules saw is kept beside it");
    assert_eq!(asked(&server), 1, "the first turn needs no judgement");
    assert_eq!(state.turns.last().unwrap().intent, Intent::Refinement);
}

#[tokio::test]
async fn with_hybrid_the_model_is_asked_only_where_the_rules_are_not_sure() {
    let file = File::new("companies.sqlite", COMPANIES);
    let server = script("new_query").serve().await;
    let engine = engine(&file, model(&server), IntentStrategy::Hybrid, true);
    let state = say(&engine, &SURE).await;
    assert_eq!((state.intent, asked(&server)), (Some(Intent::NewQuery), 0));
    let state = say(&engine, &UNSURE).await;
    assert_eq!((state.intent, asked(&server)), (Some(Intent::NewQuery), 1));
    assert_eq!((state.route, state.signals[0].rule), (Some(Route::New), Rule::Model));
}

#[tokio::test]
async fn the_model_is_not_asked_what_was_said_outright() {
    let file = File::new("companies.sqlite", COMPANIES);
    let server = script("refinement").serve().await;
    let with = |strategy, refines| engine(&file, model(&server), strategy, refines);
    let state = say(&with(IntentStrategy::Llm, true), &["Show me companies", "/new Show me companies"]).await;
    assert_eq!(state.intent, Some(Intent::NewQuery));
    say(&with(IntentStrategy::Llm, true), &["Show me companies", "thanks!"]).await;
    say(&with(IntentStrategy::Rules, true), &UNSURE).await;
    say(&with(IntentStrategy::Llm, false), &UNSURE).await;
    assert_eq!(asked(&server), 0);
}

#[tokio::test]
async fn where_no_model_can_be_used_the_rules_decide() {
    let file = File::new("companies.sqlite", COMPANIES);
    let rules = Arc::new(RuleReasoner::default());
    let state = say(&engine(&file, rules.clone(), IntentStrategy::Llm, true), &UNSURE).await;
    assert_eq!((state.intent, state.confidence), (Some(Intent::Refinement), Some(Confidence::Low)));
    let down = Server::always(Act::json(400, json!({"error": {"message": "no"}}))).await;
    let hybrid = Arc::new(HybridReasoner::new(rules, model(&down)));
    let state = say(&engine(&file, hybrid, IntentStrategy::Hybrid, true), &UNSURE).await;
    assert_eq!((state.intent, state.status), (Some(Intent::Refinement), Status::Completed));
    assert!(state.signals.iter().all(|signal| signal.rule != Rule::Model));
}
