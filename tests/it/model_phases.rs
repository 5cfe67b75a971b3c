//! The main workflow of a text-to-SQL agent, box by box and arrow by arrow, with the model behind a real server.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sqlogue::Engine;
use sqlogue::ambiguity::AmbiguityKind;
use sqlogue::conversation::{ErrorKind, Route, Status};
use sqlogue::engine::{TurnOptions, Turned, open};
use sqlogue::graph::{Journal as _, MemoryJournal};
use sqlogue::model::{ModelSettings, PhaseUse};
use sqlogue::reasoner::ModelReasoner;
use tokio_util::sync::CancellationToken;

use crate::model_server::{Act, Received, Server};
use crate::support::{File, repeatable};

const SHOP: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    CREATE TABLE prod_customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, payer_id INTEGER, total REAL);
    CREATE TABLE weather (day TEXT, temperature REAL);
    INSERT INTO customers VALUES (1, 'Ann', 'Paris'), (2, 'Bob', 'Rome');
    INSERT INTO prod_customers VALUES (1, 'Ann', 'Paris');
    INSERT INTO orders VALUES (1, 1, 2, 10), (2, 1, 1, 30), (3, 2, 2, 5);
";

/// A model that answers each task as said; tasks that are not said are a mistake of the test.
#[derive(Clone, Default)]
pub struct Script {
    answers: Vec<(&'static str, Vec<String>)>,
}

impl Script {
    /// Answers a task with these texts in turn, the last one for ever.
    pub fn on(mut self, shape: &'static str, answers: &[serde_json::Value]) -> Self {
        self.answers.push((shape, answers.iter().map(ToString::to_string).collect()));
        self
    }

    pub fn sql(self, statements: &[&str]) -> Self {
        let answers: Vec<_> =
            statements.iter().map(|sql| json!({"sql": sql, "reasoning": "as asked"})).collect();
        self.on("sql_query", &answers)
    }

    pub async fn serve(self) -> Server {
        let used = std::sync::Mutex::new(vec![0_usize; self.answers.len()]);
        Server::start(move |received: &Received, _| {
            let Some(at) = self.answers.iter().position(|(shape, _)| *shape == received.shape()) else {
                return Act::json(
                    400,
                    json!({"error": {"message": format!("nothing scripted for `{}`", received.shape())}}),
                );
            };
            let (_, texts) = &self.answers[at];
            let mut used = used.lock().unwrap();
            let text = texts[used[at].min(texts.len() - 1)].clone();
            used[at] += 1;
            Act::Say(text)
        })
        .await
    }
}

/// An engine that asks phase by phase, however small the schema is.
pub fn engine_with(file: &File, settings: &ModelSettings) -> Engine {
    let settings = ModelSettings { phases: PhaseUse::Always, ..settings.clone() };
    let reasoner = ModelReasoner::from_settings(&settings).unwrap();
    repeatable()
        .database(open(file.path().to_str().unwrap()).unwrap())
        .reasoner(Arc::new(reasoner))
        .build()
        .unwrap()
}

fn relevant(tables: &[(&str, &[&str])]) -> serde_json::Value {
    let tables: Vec<_> = tables
        .iter()
        .map(|(table, columns)| json!({"table": table, "confidence": 0.9, "relevant_columns": columns, "reasoning": "named"}))
        .collect();
    json!({"tables": tables})
}

fn needs(tables: &[(&str, &[&str])], joins: bool) -> serde_json::Value {
    let tables: Vec<_> =
        tables.iter().map(|(name, columns)| json!({"name": name, "columns": columns})).collect();
    json!({"tables": tables, "joins_needed": joins, "filters": [], "aggregations": ["count(*)"], "grouping": [],
        "ordering": [], "limit": null, "reasoning": "counted"})
}

const CUSTOMERS: (&str, &[&str]) = ("customers", &["id", "name"]);
const PROD: (&str, &[&str]) = ("prod_customers", &["id", "name"]);
const ORDERS: (&str, &[&str]) = ("orders", &["customer_id", "total"]);

fn shapes(server: &Server) -> Vec<String> {
    server.received().iter().map(|received| received.shape().to_owned()).collect()
}

#[tokio::test]
async fn no_relevant_tables_fails_the_turn() {
    let server = Script::default().on("relevant_tables", &[relevant(&[])]).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let state =
        engine_with(&file, &server.settings()).query_database("Who wrote Hamlet?", None).await.unwrap();
    assert_eq!((state.status, state.error.unwrap().kind), (Status::Failed, ErrorKind::NoRelevantTables));
    assert_eq!(shapes(&server), ["relevant_tables"]);
}

#[tokio::test]
async fn one_candidate_skips_the_refinement() {
    let server = Script::default()
        .on("relevant_tables", &[relevant(&[CUSTOMERS])])
        .on("query_understanding", &[needs(&[CUSTOMERS], false)])
        .sql(&["SELECT count(*) FROM customers"])
        .serve()
        .await;
    let file = File::new("shop.sqlite", SHOP);
    let answer =
        engine_with(&file, &server.settings()).ask("How many customers are there?", None).await.unwrap();
    assert_eq!(answer.state.status, Status::Completed);
    assert_eq!(answer.state.query.as_deref(), Some("SELECT count(*) FROM customers"));
    assert_eq!(shapes(&server), ["relevant_tables", "query_understanding", "sql_query"]);
    assert_eq!(answer.state.usage.llm_calls, 3);
    assert_eq!((answer.state.usage.prompt_tokens, answer.state.usage.completion_tokens), (300, 60));
    assert_eq!(answer.path, ["analyze_schema", "planner", "generate_query", "execute_query", "cleanup"]);
}

#[tokio::test]
async fn several_candidates_are_refined_together() {
    let server = Script::default()
        .on("relevant_tables", &[relevant(&[CUSTOMERS, PROD])])
        .on("table_refinement", &[json!({"final_tables": ["customers"], "removed_tables": ["prod_customers"], "reasoning": "the same"})])
        .on("query_understanding", &[needs(&[CUSTOMERS], false)])
        .sql(&["SELECT count(*) FROM customers"])
        .serve()
        .await;
    let file = File::new("shop.sqlite", SHOP);
    let state =
        engine_with(&file, &server.settings()).query_database("How many customers?", None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert_eq!(shapes(&server), ["relevant_tables", "table_refinement", "query_understanding", "sql_query"]);
}

#[tokio::test]
async fn several_tables_without_joins_are_asked_about_and_the_answer_is_kept() {
    let server = Script::default()
        .on("relevant_tables", &[relevant(&[CUSTOMERS, PROD])])
        .on("table_refinement", &[json!({"final_tables": ["customers", "prod_customers"], "reasoning": "?"})])
        .on("query_understanding", &[needs(&[CUSTOMERS, PROD], false), needs(&[PROD], false)])
        .sql(&["SELECT count(*) FROM prod_customers"])
        .serve()
        .await;
    let file = File::new("shop.sqlite", SHOP);
    let engine = engine_with(&file, &server.settings());
    let state = engine.query_database("Show customer data", None).await.unwrap();
    assert_eq!(state.status, Status::AwaitingCorrection);
    assert_eq!(state.pending.as_ref().unwrap().kind, AmbiguityKind::TableSelection);
    let corrected = engine.continue_with_correction("use table prod_customers", state);
    let corrected = corrected.await.unwrap();
    assert_eq!(corrected.status, Status::Completed, "{:?}", corrected.error);
    assert_eq!(corrected.route, Some(Route::Correction));
    assert_eq!(corrected.query.as_deref(), Some("SELECT count(*) FROM prod_customers"));
    let last = server.received().last().unwrap().message("user");
    assert!(
        last.contains("MANDATORY TABLE: use \"prod_customers\"")
            && last.contains("DO NOT use: \"customers\""),
        "{last}"
    );
}

fn joined(confidence: f64, candidates: bool) -> serde_json::Value {
    let other = json!([{"joins": [{"left": "orders.payer_id", "right": "customers.id"}]}]);
    json!({"joins": [{"left": "orders.customer_id", "right": "customers.id"}], "confidence": confidence,
        "candidates": if candidates { other } else { json!([]) }, "reasoning": "by name"})
}

fn joining(inference: serde_json::Value) -> Script {
    Script::default()
        .on("relevant_tables", &[relevant(&[CUSTOMERS, ORDERS])])
        .on("table_refinement", &[json!({"final_tables": ["customers", "orders"], "reasoning": "both"})])
        .on("query_understanding", &[needs(&[CUSTOMERS, ORDERS], true)])
        .on("join_inference", &[inference])
        .sql(&["SELECT c.name, sum(o.total) FROM orders o JOIN customers c ON o.customer_id = c.id GROUP BY c.name"])
}

#[tokio::test]
async fn needed_joins_are_inferred() {
    let server = joining(joined(0.9, false)).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let state =
        engine_with(&file, &server.settings()).query_database("Total by customer", None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert!(shapes(&server).contains(&"join_inference".to_owned()));
    assert_eq!(state.planner_output.unwrap().joins.len(), 1);
    assert_eq!(state.result.unwrap().row_count, 2);
}

#[tokio::test]
async fn a_join_that_is_unsure_with_one_candidate_goes_on() {
    let server = joining(joined(0.4, false)).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let state =
        engine_with(&file, &server.settings()).query_database("Total by customer", None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
}

#[tokio::test]
async fn a_join_that_is_unsure_with_several_candidates_is_asked_about() {
    let server = joining(joined(0.5, true)).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let engine = engine_with(&file, &server.settings());
    let state = engine.query_database("Total by customer", None).await.unwrap();
    assert_eq!(state.status, Status::AwaitingCorrection);
    assert_eq!(state.pending.as_ref().unwrap().kind, AmbiguityKind::JoinInference);
    let words = "join orders.payer_id with customers.id";
    let corrected = engine.continue_with_correction(words, state).await.unwrap();
    assert_eq!(corrected.status, Status::Completed, "{:?}", corrected.error);
    let joins = &corrected.planner_output.as_ref().unwrap().joins;
    assert!(
        joins.iter().any(|join| join.left.column == "payer_id" || join.right.column == "payer_id"),
        "{joins:?}"
    );
    let prompt = server.received().last().unwrap().message("user");
    assert!(prompt.contains("MANDATORY JOIN"), "{prompt}");
}

fn one_table() -> Script {
    Script::default()
        .on("relevant_tables", &[relevant(&[CUSTOMERS])])
        .on("query_understanding", &[needs(&[CUSTOMERS], false)])
}

#[tokio::test]
async fn an_execution_error_is_repaired_with_the_error_as_feedback() {
    let server = one_table().sql(&["SELECT nam FROM customers", "SELECT name FROM customers"]).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let answer = engine_with(&file, &server.settings()).ask("List customers", None).await.unwrap();
    assert_eq!((answer.state.status, answer.state.retry_count), (Status::Completed, 1));
    let prompt = server.received().last().unwrap().message("user");
    assert!(
        prompt.contains("SELECT nam FROM customers") && prompt.contains("nam") && prompt.contains("<error>"),
        "{prompt}"
    );
    assert!(answer.path.iter().any(|node| node == "handle_error"));
}

#[tokio::test]
async fn invalid_sql_is_tried_up_to_the_limit() {
    let wrong = [
        "SELECT a1 FROM customers",
        "SELECT a2 FROM customers",
        "SELECT a3 FROM customers",
        "SELECT a4 FROM customers",
    ];
    let server = one_table().sql(&wrong).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let state = engine_with(&file, &server.settings()).query_database("List customers", None).await.unwrap();
    assert_eq!((state.status, state.retry_count), (Status::Failed, 3));
    assert_eq!(server.hits(), 2 + 4);
}

#[tokio::test]
async fn the_same_wrong_sql_again_ends_the_repairs() {
    let server = one_table().sql(&["SELECT nam FROM customers", "select  nam from customers;"]).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let engine = engine_with(&file, &server.settings());
    let state = engine.query_database("List customers", None).await.unwrap();
    assert_eq!(state.status, Status::Failed);
    assert_eq!(server.hits(), 2 + 2);
    assert_eq!(engine.query_database("List customers", Some(state)).await.unwrap().turn_number, 2);
}

#[tokio::test]
async fn a_statement_that_writes_is_refused_and_not_repaired() {
    for sql in ["DELETE FROM customers", "DROP TABLE customers", "SELECT 1; DELETE FROM customers"] {
        let server = one_table().sql(&[sql]).serve().await;
        let file = File::new("shop.sqlite", SHOP);
        let state =
            engine_with(&file, &server.settings()).query_database("List customers", None).await.unwrap();
        assert_eq!((state.status, state.error.unwrap().kind), (Status::Failed, ErrorKind::Refused), "{sql}");
        assert_eq!(server.hits(), 3, "{sql}");
    }
}

#[tokio::test]
async fn an_empty_result_is_refined_by_spelling_only() {
    let before = "SELECT name FROM customers WHERE city = 'paris'";
    for (after, rows) in [
        ("SELECT name FROM customers WHERE city = 'Paris'", 1),
        // Another question's answer is not taken.
        ("SELECT name FROM customers", 0),
    ] {
        let server = one_table().sql(&[before, after]).serve().await;
        let file = File::new("shop.sqlite", SHOP);
        let state =
            engine_with(&file, &server.settings()).query_database("Customers of paris", None).await.unwrap();
        assert_eq!(state.status, Status::Completed, "{:?}", state.error);
        assert_eq!(state.result.as_ref().unwrap().row_count, rows, "{:?}", state.explanation);
        assert_eq!(state.refined_count, 1);
        let prompt = server.received().last().unwrap().message("user");
        assert!(prompt.contains("has \"Paris\", near \"paris\""), "{prompt}");
    }
}

/// Thirty tables, too many for one prompt.
fn large() -> File {
    let mut statements = String::from(SHOP);
    for at in 0..26 {
        let columns: Vec<String> = (0..12).map(|column| format!("measure_{column} REAL")).collect();
        statements.push_str(&format!(
            "CREATE TABLE archive_{at} (id INTEGER PRIMARY KEY, {});",
            columns.join(", ")
        ));
    }
    File::new("large.sqlite", &statements)
}

fn judge_of_many(received: &Received) -> Act {
    let user = received.message("user");
    Act::Say(match received.shape() {
        "table_relevance" => {
            let wanted = ["table \"customers\"", "table \"orders\""].iter().any(|name| user.contains(name));
            json!({"is_relevant": wanted, "confidence": 0.9, "relevant_columns": ["id"], "reasoning": "x"})
                .to_string()
        }
        "table_refinement" => json!({"final_tables": ["customers"], "reasoning": "only"}).to_string(),
        "query_understanding" => needs(&[CUSTOMERS], false).to_string(),
        "sql_query" => "```sql\nSELECT count(*) FROM customers;\n```".to_owned(),
        other => panic!("{other}"),
    })
}

/// Thirty tables are judged one by one, some at a time: N + 2 calls, and one for the SQL.
#[tokio::test]
async fn three_phases_over_thirty_tables() {
    let file = large();
    let server = Server::start(|received, _| judge_of_many(received)).await;
    let state =
        engine_with(&file, &server.settings()).query_database("How many customers?", None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    let shapes = shapes(&server);
    assert_eq!(shapes.iter().filter(|shape| *shape == "table_relevance").count(), 30);
    assert_eq!((shapes.len(), state.usage.llm_calls), (30 + 2 + 1, 33));
    assert_eq!(state.result.unwrap().row_count, 1);
}

/// What was judged before a turn was cut is in its journal, and is not asked again.
#[tokio::test]
async fn a_turn_cut_in_the_first_phase_resumes_where_it_was() {
    let file = large();
    let journal = Arc::new(MemoryJournal::new());
    let builder = |settings: &ModelSettings| {
        repeatable()
            .database(open(file.path().to_str().unwrap()).unwrap())
            .reasoner(Arc::new(ModelReasoner::from_settings(settings).unwrap()))
            .journal(journal.clone())
            .build()
            .unwrap()
    };
    const ANSWERED: usize = 18;
    let server =
        Server::start(|received, number| if number < ANSWERED { judge_of_many(received) } else { Act::Hang })
            .await;
    let cancellation = CancellationToken::new();
    let options = TurnOptions { cancellation: Some(cancellation.clone()), ..TurnOptions::default() };
    let engine = builder(&server.settings());
    let turn = tokio::spawn(async move { engine.turn("How many customers?", None, options).await });
    while server.hits() <= ANSWERED {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    cancellation.cancel();
    assert!(turn.await.unwrap().is_err());
    let run = journal.runs().await.unwrap()[0].run;

    let server = Server::start(|received, _| judge_of_many(received)).await;
    let Turned::Done(answer) = builder(&server.settings()).resume(run).await.unwrap() else {
        panic!("the turn waits")
    };
    assert_eq!(answer.state.status, Status::Completed, "{:?}", answer.state.error);
    // Four are asked at a time, so the rounds that were complete hold sixteen of the eighteen answers.
    let asked = shapes(&server).iter().filter(|shape| *shape == "table_relevance").count();
    assert_eq!(asked, 30 - ANSWERED / 4 * 4);
    assert_eq!(answer.state.usage.llm_calls, 33);
}
