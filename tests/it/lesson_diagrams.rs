//! The diagrams of memory and of ambiguity, box by box, with the embedded rules and with a model behind a real server.

use std::fs;
use std::sync::Arc;

use serde_json::{Value, json};
use sqlogue::ambiguity::{AmbiguityKind, Correction};
use sqlogue::conversation::{ConversationState, ErrorKind, Status};
use sqlogue::engine::open;
use sqlogue::lesson::{
    FailedAttempt, Filter, LessonFiles, LessonMemory, Lessons, Outcome, TableMapper, TurnFacts,
    VolatileLessons, learn,
};
use sqlogue::reasoner::{ModelReasoner, RuleHints};
use sqlogue::{Engine, schema};

use crate::model_phases::Script;
use crate::model_server::Server;
use crate::support::{File, converse, repeatable, with_snapshots};

const SHOP: &str = "
    CREATE TABLE Companies (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE Customers (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE PROD_Customers (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO Companies VALUES (1, 'Acme');
    INSERT INTO Customers VALUES (1, 'Ada');
    INSERT INTO PROD_Customers VALUES (1, 'Ada'), (2, 'Bob');
";

const HAND_WRITTEN: &str = "
table_mappings:
  - schema_name: Customers
    actual_name: PROD_Customers
    transformation_rule: prefix PROD_
    instead_of: [Customers]
";

const QUESTION: &str = "How many customers are there?";

fn shop() -> File {
    File::new("shop.sqlite", SHOP)
}

fn rules(file: &File, memory: Option<Arc<dyn LessonMemory>>) -> Engine {
    let builder = repeatable().database(open(file.path().to_str().unwrap()).unwrap());
    match memory {
        Some(memory) => builder.lessons(memory).build().unwrap(),
        None => builder.build().unwrap(),
    }
}

fn model(file: &File, server: &Server, memory: Option<Arc<dyn LessonMemory>>) -> Engine {
    let reasoner = ModelReasoner::from_settings(&server.phased()).unwrap().with_hints(Arc::new(RuleHints));
    let builder =
        repeatable().database(open(file.path().to_str().unwrap()).unwrap()).reasoner(Arc::new(reasoner));
    match memory {
        Some(memory) => builder.lessons(memory).build().unwrap(),
        None => builder.build().unwrap(),
    }
}

fn relevant(tables: &[&str]) -> Value {
    let tables: Vec<_> = tables
        .iter()
        .map(|table| json!({"table": table, "confidence": 0.9, "relevant_columns": ["id"], "reasoning": "named"}))
        .collect();
    json!({"tables": tables})
}

fn needs(tables: &[&str]) -> Value {
    let tables: Vec<_> = tables.iter().map(|name| json!({"name": name, "columns": ["id"]})).collect();
    json!({"tables": tables, "joins_needed": false, "filters": [], "aggregations": ["count(*)"], "grouping": [],
        "ordering": [], "limit": null, "reasoning": "counted"})
}

fn both(tables: &[&str]) -> Value {
    json!({"final_tables": tables, "removed_tables": [], "reasoning": "both fit"})
}

/// A model that is confused by two tables, and after that told by the list which one there is.
async fn confused() -> Server {
    let two = ["Customers", "PROD_Customers"];
    Script::default()
        .on("relevant_tables", &[relevant(&two), relevant(&["PROD_Customers"])])
        .on("table_relevance", &[json!({"is_relevant": true, "confidence": 0.9, "relevant_columns": ["id"], "reasoning": "named"})])
        .on("table_refinement", &[both(&two)])
        .on("query_understanding", &[needs(&two), needs(&["PROD_Customers"])])
        .sql(&["SELECT count(*) FROM PROD_Customers"])
        .serve()
        .await
}

fn prompts(server: &Server) -> String {
    server.received().iter().map(|received| received.message("user") + &received.message("system")).collect()
}

// Diagram 2: memory.

#[tokio::test]
async fn lessons_are_loaded_from_both_sources() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("lessons_learned.yaml"), HAND_WRITTEN).unwrap();
    let file = shop();
    let memory = Arc::new(LessonFiles::new(folder.path()));
    let state = rules(&file, Some(memory.clone())).query_database(QUESTION, None).await.unwrap();
    assert_eq!(state.query.as_deref(), Some("SELECT count(*) FROM PROD_Customers"));
    assert_eq!(memory.lessons().len(), 1);
    // Used and counted, in the file of what was learnt: the other is people's.
    assert_eq!(memory.lessons().list(&Filter::default()).next().unwrap().usage_count, 1);
    assert_eq!(fs::read_to_string(folder.path().join("lessons_learned.yaml")).unwrap(), HAND_WRITTEN);
}

#[tokio::test]
async fn apply_memory_off_is_the_identity() {
    let (lessons, _) = Lessons::from_yaml(HAND_WRITTEN).unwrap();
    let table = |name: &str| schema::Table { name: name.to_owned(), ..schema::Table::default() };
    let schema = schema::Schema { tables: vec![table("Customers"), table("PROD_Customers")] };
    let on = TableMapper::new(&lessons, "shop", &schema);
    let names = |mapper: &TableMapper| {
        mapper.transform_multiple(["Customers", "Orders"]).into_iter().map(|name| name.to).collect::<Vec<_>>()
    };
    assert_eq!(names(&on), ["PROD_Customers", "Orders"]);
    assert_eq!(names(&TableMapper::identity()), ["Customers", "Orders"]);
}

#[tokio::test]
async fn relevant_lessons_are_constraints_in_the_prompt() {
    let server = Script::default()
        .on("relevant_tables", &[relevant(&["PROD_Customers"])])
        .on("query_understanding", &[needs(&["PROD_Customers"])])
        .sql(&["SELECT count(*) FROM PROD_Customers"])
        .serve()
        .await;
    let (lessons, _) = Lessons::from_yaml(HAND_WRITTEN).unwrap();
    let lesson = lessons.list(&Filter::default()).next().unwrap().as_ref().clone();
    let memory: Arc<dyn LessonMemory> = Arc::new(VolatileLessons::new([lesson]));
    let file = shop();
    let state = model(&file, &server, Some(memory)).query_database(QUESTION, None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert!(prompts(&server).contains("use table `PROD_Customers` for `Customers`"), "{}", prompts(&server));
}

#[test]
fn a_failure_and_a_success_teach_the_mapping() {
    let table = |name: &str| schema::Table { name: name.to_owned(), ..schema::Table::default() };
    let schema = schema::Schema { tables: vec![table("PROD_Customers")] };
    let failed =
        [FailedAttempt { sql: "SELECT count(*) FROM Customers", error: "there is no table `Customers`" }];
    let facts = TurnFacts {
        turn: "1",
        question: QUESTION,
        database: "shop",
        at: jiff::Timestamp::UNIX_EPOCH,
        outcome: Outcome::Succeeded,
        failed: &failed,
        sql: Some("SELECT count(*) FROM PROD_Customers"),
        settled: &[],
        used: &[],
    };
    let memory = VolatileLessons::default();
    memory.record(Some("1"), &learn(&facts, &schema)).unwrap();
    let lessons = memory.lessons();
    let all = Filter::default();
    let lesson = lessons.list(&all).next().unwrap();
    assert_eq!(lesson.to_string(), "use table `PROD_Customers` for `Customers` (prefix PROD_)");
    assert!((0.8..=0.9).contains(&lesson.confidence), "{}", lesson.confidence);
}

#[tokio::test]
async fn a_recovery_in_a_turn_is_learnt() {
    let server = Script::default()
        .on("relevant_tables", &[relevant(&["PROD_Customers"])])
        .on("query_understanding", &[needs(&["PROD_Customers"])])
        .sql(&["SELECT count(*) FROM DEV_Customers", "SELECT count(*) FROM PROD_Customers"])
        .on("sql_repair", &[json!({"sql": "SELECT count(*) FROM PROD_Customers", "reasoning": "the prefix"})])
        .serve()
        .await;
    let memory: Arc<dyn LessonMemory> = Arc::new(VolatileLessons::default());
    let file = shop();
    let state = model(&file, &server, Some(memory.clone())).query_database(QUESTION, None).await.unwrap();
    assert_eq!((state.status, state.retry_count), (Status::Completed, 1), "{:?}", state.error);
    let lessons = memory.lessons();
    let learnt: Vec<String> = lessons.list(&Filter::default()).map(ToString::to_string).collect();
    assert!(learnt.iter().any(|lesson| lesson.contains("PROD_Customers")), "{learnt:?}");
}

#[tokio::test]
async fn corrections_are_learnt_kept_and_loaded_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = shop();
    let memory = || Some(Arc::new(LessonFiles::new(folder.path())) as Arc<dyn LessonMemory>);
    let engine = rules(&file, memory());
    let asked = engine.query_database(QUESTION, None).await.unwrap();
    engine.query_database("use table PROD_Customers", Some(asked)).await.unwrap();
    let saved: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("learned_lessons.json")).unwrap())
            .unwrap();
    let lesson = &saved["lessons"][0];
    assert_eq!(
        (
            &lesson["schema_name"],
            &lesson["actual_name"],
            &lesson["transformation_rule"],
            &lesson["confidence"]
        ),
        (&json!("Customers"), &json!("PROD_Customers"), &json!("prefix PROD_"), &json!(0.95))
    );
    let next = rules(&file, memory()).query_database(QUESTION, None).await.unwrap();
    assert_eq!(next.status, Status::Completed);
    let lessons = LessonFiles::new(folder.path()).lessons();
    let all = Filter::default();
    let lesson = lessons.list(&all).next().unwrap();
    assert_eq!((lesson.usage_count, lesson.success_rate), (1, 1.0), "reinforced");
    assert!(lesson.confidence > 0.95);
}

// Diagram 3: ambiguity.

#[tokio::test]
async fn several_tables_without_joins_await_a_correction() {
    let file = shop();
    let server = confused().await;
    for engine in [rules(&file, None), model(&file, &server, None)] {
        let state = engine.query_database(QUESTION, None).await.unwrap();
        assert_eq!(state.status, Status::AwaitingCorrection, "{:?}", state.error);
        let pending = state.pending.unwrap();
        assert_eq!(pending.kind, AmbiguityKind::TableSelection);
        let labels: Vec<&str> = pending.options().iter().map(|option| option.label.as_str()).collect();
        assert_eq!(labels, ["Customers", "PROD_Customers"]);
        let counts: Vec<usize> =
            pending.options().iter().map(|option| option.preview.as_ref().unwrap().rows.len()).collect();
        assert_eq!(counts, [1, 2], "each with its first rows");
        assert!(state.message.is_some() && !state.session_id.is_empty());
    }
}

#[tokio::test]
async fn a_clear_single_table_is_trusted() {
    let file = shop();
    let server = Script::default()
        .on("relevant_tables", &[relevant(&["Customers"])])
        .on("query_understanding", &[needs(&["Customers"])])
        .sql(&["SELECT count(*) FROM Customers"])
        .serve()
        .await;
    let state = model(&file, &server, None).query_database(QUESTION, None).await.unwrap();
    assert_eq!(state.status, Status::Completed);
    let state = rules(&file, None).query_database("How many companies are there?", None).await.unwrap();
    assert_eq!(state.status, Status::Completed);
}

#[tokio::test]
async fn every_form_of_a_correction_leads_to_the_answer() {
    let file = shop();
    let engine = rules(&file, None);
    for said in [
        "use table PROD_Customers",
        "select PROD_Customers not Customers",
        "table PROD_Customers",
        "2",
        "the second one",
        "PROD_Customers",
    ] {
        let asked = engine.query_database(QUESTION, None).await.unwrap();
        let state = engine.continue_with_correction(said, asked).await.unwrap();
        assert_eq!(state.query.as_deref(), Some("SELECT count(*) FROM PROD_Customers"), "{said}");
        assert_eq!(state.corrections.len(), 1);
    }
    let asked = engine.query_database(QUESTION, None).await.unwrap();
    let structured: Correction = serde_json::from_value(json!({
        "type": "table_selection", "selected_table": "PROD_Customers", "rejected_tables": ["Customers"]
    }))
    .unwrap();
    let state = engine.continue_with_correction(structured, asked).await.unwrap();
    assert_eq!(state.query.as_deref(), Some("SELECT count(*) FROM PROD_Customers"));
}

#[tokio::test]
async fn constraints_reach_the_model_and_the_check_is_skipped() {
    let file = shop();
    let server = confused().await;
    let engine = model(&file, &server, None);
    let asked = engine.query_database(QUESTION, None).await.unwrap();
    let before = server.hits();
    let state = engine.continue_with_correction("use table PROD_Customers", asked).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    let told: String = server.received()[before..].iter().map(|received| received.message("user")).collect();
    assert!(told.contains("MANDATORY TABLE: use") && told.contains("DO NOT use"), "{told}");
}

#[tokio::test]
async fn too_many_corrections_fail_with_their_history() {
    let file = shop();
    let two = ["Customers", "PROD_Customers"];
    let server = Script::default()
        .on("relevant_tables", &[relevant(&two)])
        .on("table_refinement", &[both(&two)])
        .on("query_understanding", &[needs(&two)])
        .serve()
        .await;
    let mut state = model(&file, &server, None).query_database(QUESTION, None).await.unwrap();
    // A person who is asked the same again and again, whatever is answered.
    let join = Correction::JoinClarification {
        left: sqlogue::plan::ColumnRef::new("Customers", "id"),
        right: sqlogue::plan::ColumnRef::new("PROD_Customers", "id"),
    };
    for attempt in 1..=3 {
        state = model(&file, &server, None).continue_with_correction(join.clone(), state).await.unwrap();
        assert_eq!(state.status, Status::AwaitingCorrection, "attempt {attempt}: {:?}", state.error);
    }
    state = model(&file, &server, None).continue_with_correction(join, state).await.unwrap();
    let error = state.error.unwrap();
    assert_eq!(error.kind, ErrorKind::TooManyCorrections);
    assert!(error.message.contains("join Customers.id with PROD_Customers.id"), "{}", error.message);
}

// The flow with an ambiguity in its second turn, answered in the third.

const FLOW: [&str; 3] = ["Show me companies", QUESTION, "the second one"];

fn evolution(states: &[ConversationState]) -> Value {
    let shown = |state: &ConversationState| {
        let mut value = serde_json::to_value(state).unwrap();
        let object = value.as_object_mut().unwrap();
        // Known from the database and the same all the time, or told elsewhere.
        let elsewhere = ["schema", "schema_fingerprint", "turns", "signals", "planner_outputs"];
        object.retain(|name, _| !elsewhere.contains(&name.as_str()));
        value
    };
    states.iter().map(shown).collect()
}

#[tokio::test]
async fn the_flow_with_an_ambiguity_by_rules() {
    let states = converse(&rules(&shop(), None), &FLOW).await;
    assert_eq!(states[1].status, Status::AwaitingCorrection);
    assert_eq!(states[2].query.as_deref(), Some("SELECT count(*) FROM PROD_Customers"));
    assert_eq!(states[2].user_questions, FLOW);
    with_snapshots(|| insta::assert_json_snapshot!("flow_ambiguity_rules", evolution(&states)));
}

#[tokio::test]
async fn the_flow_with_an_ambiguity_by_a_model() {
    let two = ["Customers", "PROD_Customers"];
    let server = Script::default()
        .on("relevant_tables", &[relevant(&["Companies"]), relevant(&two), relevant(&["PROD_Customers"])])
        .on("table_relevance", &[json!({"is_relevant": true, "confidence": 0.9, "relevant_columns": ["id"], "reasoning": "named"})])
        .on("table_refinement", &[both(&two)])
        .on("query_understanding", &[needs(&["Companies"]), needs(&two), needs(&["PROD_Customers"])])
        .sql(&["SELECT * FROM Companies", "SELECT count(*) FROM PROD_Customers"])
        .serve()
        .await;
    let states = converse(&model(&shop(), &server, None), &FLOW).await;
    assert_eq!(states[1].status, Status::AwaitingCorrection, "{:?}", states[1].error);
    assert_eq!(
        states[2].query.as_deref(),
        Some("SELECT count(*) FROM PROD_Customers"),
        "{:?}",
        states[2].error
    );
    with_snapshots(|| insta::assert_json_snapshot!("flow_ambiguity_model", evolution(&states)));
}
