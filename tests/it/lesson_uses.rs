//! What lessons do to an answer, with the embedded rules and with a model: names of tables, joins, columns and values.

use std::sync::Arc;

use serde_json::{Value, json};
use sqlogue::Engine;
use sqlogue::conversation::{ConversationState, Status};
use sqlogue::engine::open;
use sqlogue::graph::journal::{Journal, MemoryJournal};
use sqlogue::lesson::{
    FailedAttempt, Filter, Lesson, LessonMemory, Origin, Outcome, Teaching, TurnFacts, VolatileLessons, learn,
};
use sqlogue::plan::{ColumnRef, JoinCondition};
use sqlogue::reasoner::{ModelReasoner, RuleHints};
use sqlogue::schema::Schema;

use crate::model_phases::Script;
use crate::model_server::Server;
use crate::support::{File, repeatable};

const LEAGUE: &str = "
    CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE matches (id INTEGER PRIMARY KEY, played TEXT, goals INTEGER,
        home_id INTEGER REFERENCES teams(id), away_id INTEGER REFERENCES teams(id));
    INSERT INTO teams VALUES (1, 'Lions'), (2, 'Bears');
    INSERT INTO matches VALUES (1, '2024-01-01', 3, 1, 2), (2, '2024-01-08', 1, 2, 1), (3, '2024-01-15', 5, 1, 2);
";

const SHOP: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, area TEXT);
    CREATE TABLE prod_customers (id INTEGER PRIMARY KEY, name TEXT, area TEXT, since TEXT, credit REAL);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, amount REAL, paid REAL);
    INSERT INTO customers VALUES (1, 'Ada', 'Europe');
    INSERT INTO prod_customers VALUES (1, 'Ada', 'Europe', '2020', 1), (2, 'Bob', 'Asia', '2021', 2), (3, 'Cy', 'Europe', '2022', 3);
    INSERT INTO orders VALUES (1, 'Ada', 10, 8), (2, 'Bob', 30, 30);
";

fn memory(teachings: impl IntoIterator<Item = Teaching>) -> Arc<dyn LessonMemory> {
    let lesson = |teaching| Lesson::new(teaching, None, Origin::HandWritten);
    Arc::new(VolatileLessons::new(teachings.into_iter().map(lesson)))
}

fn rules(file: &File, memory: Option<Arc<dyn LessonMemory>>) -> Engine {
    match memory {
        Some(memory) => file.builder().lessons(memory).build().unwrap(),
        None => file.engine(),
    }
}

fn model(file: &File, server: &Server, memory: Arc<dyn LessonMemory>) -> Engine {
    let reasoner = ModelReasoner::from_settings(&server.phased()).unwrap().with_hints(Arc::new(RuleHints));
    let builder = repeatable().database(open(file.path().to_str().unwrap()).unwrap());
    builder.reasoner(Arc::new(reasoner)).lessons(memory).build().unwrap()
}

async fn sql(engine: &Engine, question: &str) -> String {
    let state = engine.query_database(question, None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{question}: {:?} {:?}", state.error, state.pending);
    state.query.unwrap()
}

fn relevant(tables: &[&str]) -> Value {
    let judged =
        |table| json!({"table": table, "confidence": 0.9, "relevant_columns": ["id"], "reasoning": "named"});
    json!({"tables": tables.iter().map(judged).collect::<Vec<_>>()})
}

fn needs(tables: &[&str], joins: bool) -> Value {
    let planned = |name| json!({"name": name, "columns": ["id"]});
    json!({"tables": tables.iter().map(planned).collect::<Vec<_>>(), "joins_needed": joins, "filters": [],
        "aggregations": ["count(*)"], "grouping": [], "ordering": [], "limit": null, "reasoning": "counted"})
}

fn both(tables: &[&str]) -> Value {
    json!({"final_tables": tables, "removed_tables": [], "reasoning": "both fit"})
}

/// What the last request said.
fn last_prompt(server: &Server) -> String {
    server.received().last().unwrap().message("user")
}

#[tokio::test]
async fn rules_take_the_name_that_a_table_really_has() {
    let file = File::new("shop.sqlite", SHOP);
    // Nobody says `customers`, so no word recalls the lesson: the name in the plan does.
    let question = "How many clients are there?";
    assert_eq!(sql(&rules(&file, None), question).await, "SELECT count(*) FROM customers");
    let memory = memory([Teaching::table("customers", "prod_customers")]);
    let engine = rules(&file, Some(Arc::clone(&memory)));
    let state = engine.query_database(question, None).await.unwrap();
    assert_eq!(state.query.as_deref(), Some("SELECT count(*) FROM prod_customers"));
    assert_eq!(state.planner_output.unwrap().tables[0].name, "prod_customers");
    assert!(state.explanation.iter().any(|reason| reason.starts_with("By lesson table-")));
    assert_eq!(memory.lessons().list(&Filter::default()).next().unwrap().usage_count, 1);
    // SQL says which table it means.
    let typed = "SELECT count(*) FROM customers";
    assert_eq!(sql(&engine, typed).await, typed);
}

#[tokio::test]
async fn a_model_is_given_the_name_that_a_table_really_has() {
    let file = File::new("shop.sqlite", SHOP);
    let server = Script::default()
        .on("relevant_tables", &[relevant(&["customers"])])
        .on("query_understanding", &[needs(&["customers"], false)])
        .sql(&["SELECT count(*) FROM prod_customers"])
        .serve()
        .await;
    let memory = memory([Teaching::table("customers", "prod_customers")]);
    let question = "How many clients are there?";
    let state = model(&file, &server, Arc::clone(&memory)).query_database(question, None).await.unwrap();
    assert_eq!(state.planner_output.unwrap().tables[0].name, "prod_customers");
    let prompt = last_prompt(&server);
    assert!(prompt.contains("use table `prod_customers` for `customers`"), "{prompt}");
    let (_, schema) = prompt.split_once("<schema>").unwrap();
    assert!(schema.contains("prod_customers"), "that table is shown: {schema}");
}

#[tokio::test]
async fn what_a_model_writes_in_one_go_reads_the_table_that_a_lesson_names() {
    let file = File::new("shop.sqlite", SHOP);
    let server = Script::default().sql(&["SELECT count(*) FROM customers"]).serve().await;
    let reasoner = ModelReasoner::from_settings(&server.settings()).unwrap();
    let database = open(file.path().to_str().unwrap()).unwrap();
    let memory = memory([Teaching::table("customers", "prod_customers")]);
    let engine =
        repeatable().database(database).reasoner(Arc::new(reasoner)).lessons(memory).build().unwrap();
    assert_eq!(sql(&engine, "How many clients are there?").await, "SELECT count(*) FROM prod_customers");
}

#[tokio::test]
async fn a_lesson_answers_what_would_be_asked_about_tables() {
    let look_alikes = "
        CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE prod_customers (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO prod_customers VALUES (1, 'Ada');";
    let file = File::new("shop.sqlite", look_alikes);
    let question = "How many clients are there?";
    let asked = rules(&file, None).query_database(question, None).await.unwrap();
    assert_eq!(asked.status, Status::AwaitingCorrection);
    let lesson = || {
        let mut teaching = Teaching::table("customers", "prod_customers");
        if let Teaching::TableMapping { instead_of, .. } = &mut teaching {
            instead_of.push("customers".to_owned());
        }
        memory([teaching])
    };
    assert_eq!(sql(&rules(&file, Some(lesson())), question).await, "SELECT count(*) FROM prod_customers");

    let two = ["customers", "prod_customers"];
    let server = Script::default()
        .on("relevant_tables", &[relevant(&two)])
        .on("table_refinement", &[both(&two)])
        .on("query_understanding", &[needs(&two, false)])
        .sql(&["SELECT count(*) FROM prod_customers"])
        .serve()
        .await;
    let state = model(&file, &server, lesson()).query_database(question, None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.pending);
    let tables: Vec<String> =
        state.planner_output.unwrap().tables.into_iter().map(|table| table.name).collect();
    assert_eq!(tables, ["prod_customers"]);
}

fn join(column: &str) -> Teaching {
    let join =
        JoinCondition { left: ColumnRef::new("matches", column), right: ColumnRef::new("teams", "id") };
    Teaching::QueryPattern {
        question: "joining matches and teams".to_owned(),
        template: format!("matches JOIN teams ON matches.{column} = teams.id"),
        tables: vec!["matches".to_owned(), "teams".to_owned()],
        join: Some(join),
    }
}

#[tokio::test]
async fn a_lesson_says_to_rules_how_tables_are_joined() {
    let file = File::new("league.sqlite", LEAGUE);
    // The question does not name both tables, so no word recalls the lesson: the tables of the plan do.
    let question = "What is the total number of goals of the Lions?";
    for column in ["home_id", "away_id"] {
        let sql = sql(&rules(&file, Some(memory([join(column)]))), question).await;
        assert!(sql.contains(column), "{sql}");
    }
}

#[tokio::test]
async fn a_lesson_answers_what_would_be_asked_about_joins() {
    let file = File::new("league.sqlite", LEAGUE);
    let two = ["matches", "teams"];
    let inference = json!({"joins": [{"left": "matches.home_id", "right": "teams.id"}], "confidence": 0.5,
        "candidates": [{"joins": [{"left": "matches.away_id", "right": "teams.id"}]}], "reasoning": "either"});
    let script = || {
        Script::default()
            .on("relevant_tables", &[relevant(&two)])
            .on("table_refinement", &[both(&two)])
            .on("query_understanding", &[needs(&two, true)])
            .on("join_inference", std::slice::from_ref(&inference))
            .sql(&["SELECT name FROM teams JOIN matches ON matches.away_id = teams.id"])
    };
    let question = "Which teams played?";
    let server = script().serve().await;
    let asked = model(&file, &server, memory([])).query_database(question, None).await.unwrap();
    assert_eq!(asked.status, Status::AwaitingCorrection);

    let server = script().serve().await;
    let state =
        model(&file, &server, memory([join("away_id")])).query_database(question, None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?} {:?}", state.error, state.pending);
    assert_eq!(state.planner_output.unwrap().joins[0].left.column, "away_id");
    assert!(last_prompt(&server).contains("`matches.away_id` = `teams.id`"), "{}", last_prompt(&server));
}

#[tokio::test]
async fn rules_know_a_value_by_another_word() {
    let file = File::new("shop.sqlite", SHOP);
    let column = ColumnRef::new("prod_customers", "area");
    let lesson =
        Teaching::ColumnMapping { term: "EMEA".to_owned(), column, value: Some("Europe".to_owned()) };
    let engine = rules(&file, Some(memory([lesson])));
    let state = engine.query_database("How many prod customers are in EMEA?", None).await.unwrap();
    assert_eq!(state.query.as_deref(), Some("SELECT count(*) FROM prod_customers WHERE area = 'Europe'"));
    assert_eq!(state.result.unwrap().rows[0][0].to_string(), "2");
}

#[tokio::test]
async fn rules_know_a_column_by_the_name_that_failed_before() {
    let file = File::new("shop.sqlite", SHOP);
    let question = "What is the average turnover of orders?";
    let failed = [FailedAttempt {
        sql: "SELECT avg(turnover) FROM orders",
        error: "no table in use has a column `turnover`",
    }];
    let facts = TurnFacts {
        turn: "1",
        question,
        database: "shop",
        at: jiff::Timestamp::UNIX_EPOCH,
        outcome: Outcome::Succeeded,
        failed: &failed,
        sql: Some("SELECT avg(amount) AS average_amount FROM orders"),
        settled: &[],
        used: &[],
    };
    let memory: Arc<dyn LessonMemory> = Arc::new(VolatileLessons::default());
    memory.record(None, &learn(&facts, &schema(&file).await)).unwrap();
    assert_eq!(memory.lessons().len(), 1);
    assert_eq!(
        sql(&rules(&file, Some(memory)), question).await,
        "SELECT avg(amount) AS average_amount FROM orders"
    );
}

async fn schema(file: &File) -> Schema {
    rules(file, None).database().introspect().await.unwrap()
}

#[tokio::test]
async fn another_value_of_a_column_is_no_other_word_for_it() {
    let memory: Arc<dyn LessonMemory> = Arc::new(VolatileLessons::default());
    let file = File::new("shop.sqlite", SHOP);
    let engine = rules(&file, Some(Arc::clone(&memory)));
    let ask = async |question: &str, before: Option<ConversationState>| {
        engine.query_database(question, before).await.unwrap()
    };
    let first = ask("How many prod customers are from Europe?", None).await;
    let second = ask("use Asia instead of Europe", Some(first)).await;
    assert_eq!(second.query.as_deref(), Some("SELECT count(*) FROM prod_customers WHERE area = 'Asia'"));
    assert!(memory.lessons().is_empty(), "Europe does not mean Asia");
    let third = ask("How many prod customers are from Europe?", Some(second)).await;
    assert!(third.query.unwrap().ends_with("= 'Europe'"));
}

/// Lessons are recalled by a node of the planner, for a correction that a program makes as for one that a person says.
#[tokio::test]
async fn a_node_recalls_lessons_for_corrections_of_both_kinds() {
    let cargo =
        "CREATE TABLE shipment (id INTEGER PRIMARY KEY, port TEXT, net_weight REAL, gross_weight REAL);
        INSERT INTO shipment VALUES (1, 'Oslo', 1, 2), (2, 'Rome', 3, 9);";
    let file = File::new("cargo.sqlite", cargo);
    let journal = Arc::new(MemoryJournal::default());
    let memory = memory([Teaching::column("harbour", "shipment", "port")]);
    let engine = file.builder().lessons(memory).journal(journal.clone()).build().unwrap();
    let asked = engine.query_database("average weight of shipments by harbour", None).await.unwrap();
    assert_eq!(asked.status, Status::AwaitingCorrection, "{:?} {:?}", asked.query, asked.error);
    let second = asked.pending.as_ref().unwrap().options()[1].correction.clone();
    let said = engine.query_database("2", Some(asked.clone())).await.unwrap();
    let made = engine.continue_with_correction(second, asked.clone()).await.unwrap();
    for state in [&asked, &said, &made] {
        let run = state.turns.last().unwrap().id.parse().unwrap();
        let steps = journal.read(run).await.unwrap().unwrap().steps;
        let recalled: Vec<&str> = steps
            .iter()
            .filter(|step| step.changes.contains("lessons_recalled"))
            .map(|step| &*step.node)
            .collect();
        assert_eq!(recalled, ["planner/recall_lessons"]);
    }
    assert!(said.query.is_some());
    assert_eq!((said.status, &said.query), (made.status, &made.query));
}
