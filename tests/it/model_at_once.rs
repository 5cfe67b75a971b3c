//! A small schema is asked about in one call, and nothing that the model got right is lost on the way.

use std::sync::Arc;

use serde_json::json;
use sqlogue::Engine;
use sqlogue::conversation::{ErrorKind, Route, Status};
use sqlogue::engine::open;
use sqlogue::model::{ModelSettings, PhaseUse};
use sqlogue::reasoner::{ModelReasoner, SecondedReasoner};

use crate::model_phases::Script;
use crate::model_server::{Act, Server};
use crate::support::{File, repeatable};

const SHOP: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    CREATE TABLE suppliers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total REAL);
    INSERT INTO customers VALUES (1, 'Ann', 'Paris'), (2, 'Bob', 'Rome');
    INSERT INTO suppliers VALUES (1, 'Zoe', 'Oslo');
    INSERT INTO orders VALUES (1, 1, 10), (2, 1, 30), (3, 2, 5);
";

fn engine(file: &File, settings: &ModelSettings) -> Engine {
    let reasoner = ModelReasoner::from_settings(settings).unwrap();
    let database = open(file.path().to_str().unwrap()).unwrap();
    repeatable().database(database).reasoner(Arc::new(reasoner)).build().unwrap()
}

#[tokio::test]
async fn a_small_schema_takes_one_call() {
    let sql = "SELECT c.name, sum(o.total) FROM orders AS o JOIN customers AS c ON o.customer_id = c.id GROUP BY c.name";
    let server = Script::default().sql(&[sql]).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let answer = engine(&file, &server.settings()).ask("Total by customer", None).await.unwrap();
    assert_eq!(answer.state.status, Status::Completed, "{:?}", answer.state.error);
    assert_eq!((answer.state.usage.llm_calls, server.hits()), (1, 1));
    // It runs as it was written, and what it reads is known all the same.
    assert_eq!(answer.state.query.as_deref(), Some(sql));
    let plan = answer.state.planner_output.unwrap();
    let tables: Vec<&str> = plan.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!((tables, plan.joins.len()), (vec!["orders", "customers"], 1));
    let prompt = server.received()[0].message("user");
    for shown in ["<question>", "table \"customers\"", "table \"suppliers\"", "\"customer_id\""] {
        assert!(prompt.contains(shown), "{shown} is not in\n{prompt}");
    }
}

#[tokio::test]
async fn tables_that_are_combined_without_a_join_are_neither_refused_nor_asked_about() {
    for sql in [
        "SELECT name FROM customers UNION SELECT name FROM suppliers",
        "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)",
        "SELECT city FROM customers EXCEPT SELECT city FROM suppliers",
    ] {
        let table = |name: &str| json!({"table": name, "confidence": 0.9, "relevant_columns": ["name"], "reasoning": "named"});
        let needed = |name: &str| json!({"name": name, "columns": ["name"]});
        let server = Script::default()
            .on("relevant_tables", &[json!({"tables": [table("customers"), table("suppliers")]})])
            .on("table_refinement", &[json!({"final_tables": ["customers", "suppliers"], "reasoning": "both"})])
            .on("query_understanding", &[json!({"tables": [needed("customers"), needed("suppliers")], "joins_needed": true, "reasoning": "both"})])
            .on("join_inference", &[json!({"joins": [], "confidence": 0.9, "candidates": [], "reasoning": "none"})])
            .sql(&[sql])
            .serve()
            .await;
        let file = File::new("shop.sqlite", SHOP);
        for phases in [PhaseUse::Auto, PhaseUse::Always] {
            let settings = ModelSettings { phases, ..server.settings() };
            let state = engine(&file, &settings).query_database("Names of all partners", None).await.unwrap();
            assert_eq!(state.status, Status::Completed, "{phases:?} {:?} {:?}", state.error, state.pending);
            assert_eq!(state.query.as_deref(), Some(sql));
        }
    }
}

#[tokio::test]
async fn a_phase_that_cannot_be_used_is_passed_over() {
    let unusable = json!({"tables": "?", "joins": "?"});
    let server = Script::default()
        .on("relevant_tables", &[json!({"tables": [
            {"table": "customers", "relevant_columns": ["id"]}, {"table": "orders", "relevant_columns": ["customer_id"]}]})])
        .on("table_refinement", &[json!("no idea")])
        .on("query_understanding", &[json!("no idea")])
        .on("join_inference", &[unusable])
        .sql(&["SELECT count(*) FROM orders"])
        .serve()
        .await;
    let file = File::new("shop.sqlite", SHOP);
    let settings = ModelSettings { phases: PhaseUse::Always, max_calls: 20, ..server.settings() };
    let state = engine(&file, &settings).query_database("How many orders?", None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert_eq!(state.query.as_deref(), Some("SELECT count(*) FROM orders"));
}

#[tokio::test]
async fn a_table_that_the_first_phase_left_out_can_come_back() {
    let server = Script::default()
        .on("relevant_tables", &[json!({"tables": [{"table": "orders", "relevant_columns": ["total"]}]})])
        .on("query_understanding", &[json!({"tables": [{"name": "orders", "columns": ["total"]}]})])
        .sql(&[
            "SELECT c.name FROM customers AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.total > 20",
        ])
        .serve()
        .await;
    let file = File::new("shop.sqlite", SHOP);
    let settings = ModelSettings { phases: PhaseUse::Always, ..server.settings() };
    let state = engine(&file, &settings).query_database("Who placed large orders?", None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert_eq!(state.result.unwrap().row_count, 1);
    let prompt = server.received().last().unwrap().message("user");
    assert!(prompt.contains("\"customers\""), "the model knows that there are others:\n{prompt}");
}

#[tokio::test]
async fn where_the_model_has_no_query_the_turn_says_why() {
    let server = Script::default()
        .on("sql_query", &[json!({"sql": null, "reasoning": "No table holds plays."})])
        .serve()
        .await;
    let file = File::new("shop.sqlite", SHOP);
    let state = engine(&file, &server.settings()).query_database("Who wrote Hamlet?", None).await.unwrap();
    let error = state.error.unwrap();
    assert_eq!((state.status, error.kind), (Status::Failed, ErrorKind::NoRelevantTables));
    assert!(error.message.contains("No table holds plays."), "{}", error.message);
    assert_eq!(server.hits(), 1);
}

#[tokio::test]
async fn an_answer_of_which_no_use_can_be_made_leaves_the_question_to_the_phases() {
    let server = Server::start(|received, number| {
        Act::Say(match received.shape() {
            "sql_query" if number < 2 => "I would rather not say.".to_owned(),
            "relevant_tables" => {
                json!({"tables": [{"table": "orders", "relevant_columns": ["id"]}]}).to_string()
            }
            "query_understanding" => json!({"tables": [{"name": "orders", "columns": ["id"]}]}).to_string(),
            _ => "SELECT count(*) FROM orders".to_owned(),
        })
    })
    .await;
    let file = File::new("shop.sqlite", SHOP);
    let state = engine(&file, &server.settings()).query_database("How many orders?", None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    let shapes: Vec<String> = server.received().iter().map(|received| received.shape().to_owned()).collect();
    assert_eq!(shapes, ["sql_query", "sql_query", "relevant_tables", "query_understanding", "sql_query"]);
}

#[tokio::test]
async fn what_is_wanted_beside_the_question_is_added_to_what_was_written() {
    let server = Script::default().sql(&["SELECT name FROM customers"]).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let input = sqlogue::QueryInput::new("List customers").result_limit(1);
    let state = engine(&file, &server.settings()).query_database(input, None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    assert_eq!(state.result.unwrap().row_count, 1, "{:?}", state.query);
}

#[tokio::test]
async fn a_follow_up_that_needs_a_new_plan_takes_one_call_after_its_route() {
    let server = Script::default()
        .on("router", &[json!({"decision": "rewrite_plan", "query": null, "instructions": "Count the orders of each customer", "reasoning": "another table"})])
        .sql(&["SELECT name FROM customers", "SELECT customer_id, count(*) FROM orders GROUP BY customer_id"])
        .serve()
        .await;
    let file = File::new("shop.sqlite", SHOP);
    let engine = engine(&file, &server.settings());
    let first = engine.query_database("List customers", None).await.unwrap();
    let next = engine.query_database("And how many orders do they have?", Some(first)).await.unwrap();
    assert_eq!((next.status, next.route), (Status::Completed, Some(Route::Rewrite)), "{:?}", next.error);
    assert_eq!(next.usage.llm_calls, 2);
    let prompt = server.received().last().unwrap().message("user");
    for shown in ["<instructions>", "<previous_plan>", "<history>", "<schema>"] {
        assert!(prompt.contains(shown), "{shown} is not in\n{prompt}");
    }
}

/// A server that takes less than the settings say is asked again with less, and from then on with so much.
#[tokio::test]
async fn a_prompt_that_is_refused_as_too_long_is_packed_again_smaller() {
    const TAKES: usize = 5_000;
    let server = Server::start(|received, _| {
        let sent: usize = ["system", "user"].iter().map(|role| received.message(role).len()).sum();
        match sent > TAKES {
            true => Act::json(
                400,
                json!({"error": {"code": 400, "type": "exceed_context_size_error", "message": "the request exceeds the available context size"}}),
            ),
            false => Act::say("SELECT count(*) FROM t0"),
        }
    })
    .await;
    let columns: Vec<String> =
        (0..12).map(|at| format!("a_rather_long_name_of_a_column_{at} TEXT")).collect();
    let tables: Vec<String> =
        (0..12).map(|at| format!("CREATE TABLE t{at} ({});", columns.join(", "))).collect();
    let file = File::new("long.sqlite", &tables.concat());
    let settings = ModelSettings { max_tokens: 8000, phases: PhaseUse::Never, ..server.settings() };
    let engine = engine(&file, &settings);
    let state = engine.query_database("How many rows has t0?", None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.error);
    let first = server.hits();
    assert!((2..=4).contains(&first), "{first}");
    engine.query_database("How many rows has t1?", None).await.unwrap();
    assert_eq!(server.hits(), first + 1, "what the server takes is remembered");
}

#[tokio::test]
async fn the_model_is_shown_the_cells_that_the_words_may_mean() {
    let server = Script::default().sql(&["SELECT name FROM customers WHERE city = 'Paris'"]).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let reasoner = SecondedReasoner::from_settings(&server.settings()).unwrap();
    let database = open(file.path().to_str().unwrap()).unwrap();
    let engine = repeatable().database(database).reasoner(Arc::new(reasoner)).build().unwrap();
    engine.query_database("names of customers from paris", None).await.unwrap();
    let prompt = server.received()[0].message("user");
    assert!(prompt.contains("may mean the value \"Paris\" of \"customers.city\""), "{prompt}");
}

#[tokio::test]
async fn the_same_question_asked_again_costs_nothing_where_answers_are_kept() {
    let server = Script::default().sql(&["SELECT count(*) FROM customers"]).serve().await;
    let file = File::new("shop.sqlite", SHOP);
    let engine = engine(&file, &ModelSettings { cache: 10, ..server.settings() });
    let first = engine.query_database("How many customers?", None).await.unwrap();
    let again = engine.query_database("How many customers?", None).await.unwrap();
    assert_eq!((first.usage.llm_calls, again.usage.llm_calls, server.hits()), (1, 0, 1));
    assert_eq!(first.query, again.query);
}
