//! No wrong answer without a mark: what is left out is said, follow-ups carry the mark of the answer they go on from, and
//! nothing is run unasked where that costs.

use std::sync::{Arc, Mutex};

use rusqlite::types::ValueRef;
use serde::Deserialize;
use serde_json::json;
use sqlogue::conversation::{Change, ConversationState, Status};
use sqlogue::database::{
    BoxFuture, ColumnValues, Database, DatabaseError, Limits, Rows, SqliteDatabase, ValueLimits,
};
use sqlogue::engine::{TurnOptions, Turned};
use sqlogue::graph::{Event, Observer};
use sqlogue::plan::Confidence;
use sqlogue::schema::{Schema, Value};
use sqlogue::sql::{Checked, Dialect};
use sqlogue::{Engine, sample};
use sqlogue_eval::compare;
use tokio_util::sync::CancellationToken;

use crate::cli_kit::call;
use crate::support::{File, converse, repeatable};

/// A conversation with what each turn may give.
#[derive(Debug, Deserialize)]
struct Talk {
    turns: Vec<Asked>,
}

/// A question with the queries whose rows are right; none where no answer can be right today.
#[derive(Debug, Deserialize)]
struct Asked {
    ask: String,
    right: Vec<String>,
}

pub(crate) fn rows_of(connection: &rusqlite::Connection, sql: &str) -> Vec<Vec<Value>> {
    let mut statement = connection.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let width = statement.column_count();
    let read = |row: &rusqlite::Row<'_>| {
        Ok((0..width)
            .map(|at| match row.get_ref_unwrap(at) {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(number) => Value::Integer(number),
                ValueRef::Real(number) => Value::Real(number),
                ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
                ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
            })
            .collect())
    };
    statement.query_map([], read).unwrap().collect::<Result<_, _>>().unwrap()
}

/// True where an answer says by itself that it may not be what was meant.
fn is_marked(state: &ConversationState) -> bool {
    state.status != Status::Completed
        || state.answer_confidence == Some(Confidence::Low)
        || !state.left_out.is_empty()
}

#[tokio::test]
async fn a_shop_owner_gets_no_wrong_answer_without_a_mark() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.sqlite");
    sample::write(&path).unwrap();
    let gold = rusqlite::Connection::open(&path).unwrap();
    let engine = Engine::builder().today("2026-11-22".parse().unwrap()).build().unwrap();
    let (mut right, mut wrong) = (0, Vec::new());
    for line in include_str!("../data/shop_owner.jsonl").lines() {
        let talk: Talk = serde_json::from_str(line).unwrap();
        let mut state: Option<ConversationState> = None;
        for turn in talk.turns {
            let answer = engine.ask(turn.ask.as_str(), state.take()).await.unwrap();
            assert!(
                answer.left_out().is_empty() || answer.state.answer_confidence == Some(Confidence::Low),
                "{}: {:?}",
                turn.ask,
                answer.state.answer_confidence
            );
            if !is_marked(&answer.state) {
                let given = &answer.rows.as_ref().unwrap().rows;
                let is_right = turn
                    .right
                    .iter()
                    .any(|sql| compare::same(&rows_of(&gold, sql), given, compare::is_ordered(sql)));
                match is_right {
                    true => right += 1,
                    false => wrong.push((turn.ask, answer.state.query.clone().unwrap_or_default())),
                }
            }
            state = Some(answer.state);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(right >= 12, "only {right} answers are right and sure, so the marks say nothing");
}

#[test]
fn every_face_says_which_words_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let question = "How many loyal customers do we have?";
    let asked = call(folder.path(), &["ask", question], "");
    assert!(asked.stdout.contains("not sure that this is what was meant: `loyal` left out"), "{asked:?}");
    for format in ["csv", "markdown", "jsonl"] {
        let asked = call(folder.path(), &["ask", question, "--format", format], "");
        assert!(asked.stderr.contains("`loyal` left out"), "{format}: {asked:?}");
        assert!(!asked.stdout.contains("loyal"), "{format}: {asked:?}");
    }
    let asked = &call(folder.path(), &["ask", question, "--format", "json"], "").lines()[0];
    assert_eq!((&asked["left_out"], &asked["answer_confidence"]), (&json!(["loyal"]), &json!("low")));
    let lines = [question, "How many customers are there?", "Hello"]
        .map(|input| json!({ "input": input }).to_string())
        .join("\n");
    let answers = call(folder.path(), &["batch"], &lines).lines();
    let left_out: Vec<_> = answers.iter().map(|answer| &answer["left_out"]).collect();
    assert_eq!(left_out, [&json!(["loyal"]), &json!([]), &json!([])]);
    let chat = call(folder.path(), &["chat"], &format!("{question}\n/quit\n"));
    assert!(chat.stdout.contains("`loyal` left out"), "{chat:?}");
}

#[tokio::test]
async fn what_was_asked_for_must_be_in_the_plan() {
    let engine = repeatable().build().unwrap();
    for (question, left_out) in [
        ("How many loyal customers do we have?", "loyal"),
        ("Which products were ordered by Zanzibar?", "Zanzibar"),
        ("orders over 99999", "99999"),
    ] {
        let answer = engine.ask(question, None).await.unwrap();
        if answer.state.status != Status::Completed {
            continue;
        }
        // What is no condition of the query is said to be left out, and what is one by a guess is said to be that. A number
        // in a comparison needs no word.
        let query = answer.state.query.clone().unwrap_or_default();
        let compares = left_out.parse::<u32>().is_ok() && query.contains(left_out);
        let guess = |reason: &String| {
            reason.to_lowercase().contains(&left_out.to_lowercase()) && reason.contains("guess")
        };
        let said = compares
            || answer.left_out().iter().any(|words| words.contains(left_out))
            || answer.state.explanation.iter().any(guess);
        assert!(said, "{question}: {:?} {:?}", answer.left_out(), answer.state.query);
        assert_eq!(answer.state.answer_confidence, Some(Confidence::Low), "{question}");
    }
    for question in [
        "How many customers are there?",
        "What is the average salary of each department?",
        "List the products with a price above 100",
        "Which customers live in Berlin?",
        "How many orders were still pending?",
    ] {
        let answer = engine.ask(question, None).await.unwrap();
        assert!(answer.left_out().is_empty(), "{question}: {:?}", answer.left_out());
    }
}

#[tokio::test]
async fn a_doubt_about_the_shape_is_said_and_bounds_the_confidence() {
    let file = File::new(
        "school.sqlite",
        "CREATE TABLE pupil (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, title TEXT, fee REAL);
         CREATE TABLE visit (id INTEGER PRIMARY KEY, pupil_id INTEGER REFERENCES pupil(id), place TEXT);
         INSERT INTO pupil VALUES (1, 'Ann', 'Lee', 'head', 10), (2, 'Bob', 'Ray', 'deputy', 20);
         INSERT INTO visit VALUES (1, 1, 'zoo'), (2, 1, 'farm'), (3, 2, 'zoo');",
    );
    let engine = file.engine();
    for (question, said) in [(
        "What is the total fee of pupils who have a visit to the zoo?",
        "rows may be counted more than once",
    )] {
        let state = engine.query_database(question, None).await.unwrap();
        assert_eq!(state.answer_confidence, Some(Confidence::Low), "{:?}", state.query);
        assert!(state.explanation.iter().any(|reason| reason.contains(said)), "{:?}", state.explanation);
    }
}

#[tokio::test]
async fn a_choice_is_told_and_bounds_the_confidence_less() {
    let file = File::new(
        "parcels.sqlite",
        "CREATE TABLE parcels (id INTEGER PRIMARY KEY, weight REAL, packed_on DATE, sent_on DATE, city TEXT);
         INSERT INTO parcels VALUES (1, 2.5, '2024-01-03', '2024-02-04', 'Rome'),
             (2, 3.5, '2024-03-03', '2024-03-04', 'Rome'), (3, 1.5, '2023-12-30', '2024-01-02', 'Oslo');",
    );
    let engine = file.engine();
    let state = engine.query_database("Number of parcels per month", None).await.unwrap();
    assert_eq!(state.answer_confidence, Some(Confidence::Medium), "{:?}", state.query);
    assert_eq!(state.doubts, ["no word says which date is meant; parcels.packed_on was taken"]);
    let restricted = engine.query_database("How many parcels were there in 2024?", None).await.unwrap();
    assert!(is_marked(&restricted), "{:?}", restricted.query);
    let named = engine.query_database("How many parcels were sent in 2024?", None).await.unwrap();
    assert!(named.doubts.is_empty(), "{:?}", named.doubts);
}

#[tokio::test]
async fn a_group_that_the_plan_does_not_have_is_left_out() {
    let file = File::new(
        "films.sqlite",
        "CREATE TABLE film (film_id INTEGER PRIMARY KEY, title TEXT, rental_rate REAL, rating TEXT);
         CREATE TABLE store (store_id INTEGER PRIMARY KEY, town TEXT);
         CREATE TABLE inventory (inventory_id INTEGER PRIMARY KEY, film_id INTEGER REFERENCES film(film_id),
             store_id INTEGER REFERENCES store(store_id));
         INSERT INTO film VALUES (1, 'Ali', 2.99, 'PG'), (2, 'Big', 4.99, 'R');
         INSERT INTO store VALUES (1, 'Rome'), (2, 'Oslo');
         INSERT INTO inventory VALUES (1, 1, 1), (2, 1, 2), (3, 2, 2);",
    );
    let engine = file.engine();
    for question in ["average rental rate by rating and store", "average rental rate by rating and by store"]
    {
        let state = engine.query_database(question, None).await.unwrap();
        let query = state.query.as_deref().unwrap_or_default();
        assert!(query.contains("store") || is_marked(&state), "{question}: {query}");
    }
}

#[tokio::test]
async fn a_follow_up_says_what_it_leaves_out() {
    let engine = repeatable().build().unwrap();
    let states =
        converse(&engine, &["How many customers are in each city?", "only cities with more than 15"]).await;
    let [first, second] = states.as_slice() else { unreachable!() };
    assert_eq!((first.answer_confidence.is_some(), first.left_out.is_empty()), (true, true));
    // Either both the condition and the counts are there, or it says that something is not.
    let query = second.query.as_deref().unwrap_or_default();
    let whole = query.contains("> 15") && query.matches("count(*)").count() > 1;
    assert!(whole || is_marked(second), "{query}: {:?} {:?}", second.answer_confidence, second.left_out);
    for (input, expected) in
        [("sort them by price", Confidence::Medium), ("and the purple ones", Confidence::Low)]
    {
        let states = converse(&engine, &["List the products with their prices", input]).await;
        let last = states.last().unwrap();
        if last.status == Status::Completed {
            assert!(last.answer_confidence.is_some(), "{input} has no confidence");
            assert!(last.answer_confidence <= Some(Confidence::High.max(expected)), "{input}");
            assert_eq!(last.answer_confidence == Some(Confidence::Low), is_marked(last), "{input}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_not_sure_says_why() {
    let engine = repeatable().build().unwrap();
    let mut doubted = 0;
    for talk in [
        ["How many customers are there?", "only from Germany", "and France?", "revenue by category"],
        ["orders per month in 2025", "per quarter", "top 3", "and the purple ones"],
        ["List the products with their prices", "below 20", "who bought them?", "how much is that together?"],
        ["Show the email of the loyal customers", "How many are there?", "by city", "employees and managers"],
        ["largest orders", "by customer", "the last 5 days", "what did they pay on average?"],
    ] {
        for state in converse(&engine, &talk).await {
            let is_low = state.answer_confidence == Some(Confidence::Low);
            if state.status != Status::Completed || state.query.is_none() {
                continue;
            }
            let has_reason = !state.left_out.is_empty() || !state.doubts.is_empty();
            assert!(is_low || !has_reason, "{}: {:?}", state.user_question, state.doubts);
            let says_why = has_reason || !state.other_readings().is_empty();
            assert!(says_why || !is_low, "{}: {:?}", state.user_question, state.explanation);
            doubted += usize::from(is_low);
        }
    }
    assert!(doubted > 3, "{doubted} answers are not sure");
}

#[tokio::test]
async fn a_follow_up_is_no_surer_than_the_answer_it_goes_on_from() {
    let engine = repeatable().build().unwrap();
    let unsure = "Show the email of the loyal customers";
    let states = converse(&engine, &[unsure, "How many are there?"]).await;
    assert_eq!(states[0].left_out, ["loyal"]);
    assert!(states[1].left_out.is_empty());
    assert_eq!(states[1].answer_confidence, Some(Confidence::Low));
    let carried = |state: &ConversationState| {
        state.explanation.iter().any(|reason| reason.contains("an answer that is not sure"))
    };
    assert!(carried(&states[1]), "{:?}", states[1].explanation);
    assert_eq!(states[1].doubts, ["it goes on from an answer that is not sure"]);
    // The mark is part of what is saved.
    let saved = ConversationState::from_json(&states[0].to_json().unwrap()).unwrap();
    let after = engine.query_database("How many are there?", Some(saved)).await.unwrap();
    assert_eq!(after.answer_confidence, Some(Confidence::Low));
    // Who says that it is right has the last word.
    let states = converse(&engine, &[unsure, "Yes, that's right.", "How many are there?"]).await;
    assert_eq!(states[1].current_confidence(), Some(Confidence::High));
    assert!(states[2].answer_confidence > Some(Confidence::Low), "{:?}", states[2].explanation);
    assert!(!carried(&states[2]));
    // A new question stands for itself, also where its form is that of many follow-ups.
    let states = converse(&engine, &[unsure, "Number of products per category"]).await;
    assert!(!carried(&states[1]), "{:?}", states[1].explanation);
    assert!(states[1].answer_confidence > Some(Confidence::Low), "{:?}", states[1].explanation);
    let states =
        converse(&engine, &[unsure, "New question: How many orders are there in the shop in all?"]).await;
    assert!(!carried(&states[1]), "{:?}", states[1].explanation);
}

#[test]
fn a_stored_query_is_used_for_its_question_and_reported_only_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let memory = folder.path().join("memory");
    std::fs::write(folder.path().join("sqlogue.toml"), format!("memory_folder = {:?}\n", memory)).unwrap();
    let run = |arguments: &[&str]| call(folder.path(), arguments, "");
    let stored = "SELECT count(*) AS loyal FROM (SELECT customer_id FROM orders GROUP BY customer_id HAVING count(*) > 5)";
    let question = "How many loyal customers do we have?";
    let added = run(&["lessons", "add", "query", question, stored]);
    assert_eq!(added.code, 0, "{added:?}");
    let asked =
        &run(&["ask", "how many loyal  customers do we have", "--format", "json", "--explain"]).lines()[0];
    assert_eq!(asked["sql"], json!(stored), "{asked}");
    assert_eq!((&asked["columns"], &asked["answer_confidence"]), (&json!(["loyal"]), &json!("high")));
    let by_lesson = |asked: &serde_json::Value| asked["explanation"].to_string().contains("By lesson");
    assert!(by_lesson(asked), "{asked}");
    let used = || run(&["lessons", "list", "--format", "json"]).lines()[0][0]["usage_count"].clone();
    assert_eq!(used(), json!(1));
    // A question that is only like it is answered in another way, and does not count.
    let asked = &run(&["ask", "How many customers do we have?", "--format", "json", "--explain"]).lines()[0];
    assert_ne!(asked["sql"], json!(stored));
    assert!(!by_lesson(asked), "{asked}");
    assert_eq!(used(), json!(1));
    // What does not fit the database any longer is not run, and that is said.
    let asked =
        run(&["lessons", "add", "--everywhere", "query", "list the gadgets", "SELECT name FROM gadgets"]);
    assert_eq!(asked.code, 0, "{asked:?}");
    let asked = &run(&["ask", "List the gadgets", "--format", "json", "--explain"]).lines()[0];
    assert!(!asked.to_string().contains("FROM gadgets"), "{asked}");
    assert!(!by_lesson(asked), "{asked}");
}

#[test]
fn a_stored_query_that_does_not_fit_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sqlogue.toml"), "memory_folder = \"memory\"\n").unwrap();
    let run = |arguments: &[&str]| call(folder.path(), arguments, "");
    let question = "How many customers are there?";
    run(&["lessons", "add", "--everywhere", "query", question, "SELECT count(*) FROM clients"]);
    let asked = run(&["ask", question]);
    assert!(asked.stdout.contains("SELECT count(*) FROM customers"), "{asked:?}");
    assert!(asked.stdout.contains("The query stored for this question"), "{asked:?}");
    assert!(asked.stdout.contains("clients"), "{asked:?}");
}

#[test]
fn the_day_can_be_set() {
    let folder = tempfile::tempdir().unwrap();
    let question = "How many orders were there last month?";
    let sql = |today: &str| {
        call(folder.path(), &["ask", question, "--today", today, "--format", "json"], "").lines()[0]["sql"]
            .clone()
    };
    assert!(sql("2025-05-10").to_string().contains("2025-04-01"), "{}", sql("2025-05-10"));
    assert!(sql("2026-01-31").to_string().contains("2025-12-01"), "{}", sql("2026-01-31"));
    call(folder.path(), &["ask", question, "--today", "yesterday"], "").fails(2, "2026-07-01");
    let line = json!({ "input": question }).to_string();
    let batch = &call(folder.path(), &["batch", "--today", "2025-05-10"], &line).lines()[0];
    assert_eq!(batch["sql"], sql("2025-05-10"));
}

/// Counts what is run on a database, which may say that a query costs.
#[derive(Debug)]
struct Counted {
    inner: SqliteDatabase,
    is_local: bool,
    ran: Arc<Mutex<Vec<String>>>,
}

impl Database for Counted {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn schema_version(&self) -> BoxFuture<'_, Result<String, DatabaseError>> {
        self.inner.schema_version()
    }

    fn introspect(&self) -> BoxFuture<'_, Result<Schema, DatabaseError>> {
        self.inner.introspect()
    }

    fn is_local(&self) -> bool {
        self.is_local
    }

    fn execute<'a>(
        &'a self,
        query: &'a Checked,
        limits: &'a Limits,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Rows, DatabaseError>> {
        self.ran.lock().unwrap().push(query.sql().to_owned());
        self.inner.execute(query, limits, cancel)
    }

    fn values<'a>(
        &'a self,
        table: &'a str,
        column: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<(Value, u64)>, DatabaseError>> {
        self.inner.values(table, column, limit)
    }

    fn text_values<'a>(
        &'a self,
        schema: &'a Schema,
        limits: &'a ValueLimits,
    ) -> BoxFuture<'a, Result<Vec<ColumnValues>, DatabaseError>> {
        self.inner.text_values(schema, limits)
    }
}

/// Keeps what changed.
#[derive(Default)]
struct Changes(Mutex<Vec<Change>>);

impl Observer<ConversationState> for Changes {
    fn on_event(&self, event: &Event<'_, Change>) {
        if let Event::Changed { change, .. } = event {
            self.0.lock().unwrap().push(change.clone().into_owned());
        }
    }
}

/// An engine on the sample that counts what it runs.
fn counting(is_local: bool) -> (Engine, Arc<Mutex<Vec<String>>>) {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let database = Counted { inner: sample::open().unwrap(), is_local, ran: Arc::clone(&ran) };
    (repeatable().database(Arc::new(database)).build().unwrap(), ran)
}

const SEVERAL_READINGS: &str = "Which customers have the most orders?";

#[tokio::test]
async fn readings_are_tried_and_journaled_and_their_rows_used_again() {
    let (engine, ran) = counting(true);
    let changes = Arc::new(Changes::default());
    let options = TurnOptions { observer: Some(changes.clone()), ..TurnOptions::default() };
    let turned = engine.turn(SEVERAL_READINGS, None, options).await.unwrap();
    let Turned::Done(answer) = turned else { panic!("nobody asked for a pause") };
    assert_eq!(answer.state.status, Status::Completed, "{:?}", answer.state.error);
    let changes = changes.0.lock().unwrap();
    let tried: Vec<&str> = changes
        .iter()
        .flat_map(|change| match change {
            Change::ReadingsTried { readings, .. } => {
                readings.iter().map(|tried| tried.sql.as_str()).collect()
            }
            _ => Vec::new(),
        })
        .collect();
    let ran = ran.lock().unwrap();
    assert!(tried.len() > 1, "{tried:?}");
    // Everything that ran is in the journal, and what was tried is not run again to answer.
    assert_eq!(*ran, tried);
    assert!(tried.contains(&answer.state.query.as_deref().unwrap()));
    assert!(answer.rows.is_some_and(|rows| !rows.is_empty()));
}

#[tokio::test]
async fn nothing_but_the_answer_is_run_where_a_query_costs() {
    let (engine, ran) = counting(false);
    let answer = engine.ask(SEVERAL_READINGS, None).await.unwrap();
    assert_eq!(answer.state.status, Status::Completed);
    assert_eq!(*ran.lock().unwrap(), [answer.state.query.unwrap()]);
}

#[tokio::test]
async fn nothing_runs_before_the_yes() {
    for is_local in [true, false] {
        let (engine, ran) = counting(is_local);
        let options = TurnOptions { confirm: true, ..TurnOptions::default() };
        let turned = engine.turn(SEVERAL_READINGS, None, options.clone()).await.unwrap();
        let Turned::Paused(paused) = turned else { panic!("it must wait for a yes") };
        assert!(ran.lock().unwrap().is_empty(), "{:?}", ran.lock().unwrap());
        let sql = paused.sql().to_owned();
        let Turned::Done(answer) = engine.approve(*paused, true, options).await.unwrap() else {
            panic!("one yes is enough")
        };
        assert_eq!(answer.state.status, Status::Completed);
        assert_eq!(*ran.lock().unwrap(), [sql]);
    }
}

#[tokio::test]
async fn a_question_back_has_no_preview_where_a_query_costs() {
    let file = File::new(
        "cargo.sqlite",
        "CREATE TABLE shipment (id INTEGER PRIMARY KEY, sent_date DATE, arrival_date DATE, gross_weight REAL, net_weight REAL);
         INSERT INTO shipment VALUES (1, '2024-01-02', '2024-01-05', 10, 8), (2, '2024-02-02', '2024-02-07', 30, 21);",
    );
    for is_local in [true, false] {
        let ran = Arc::new(Mutex::new(Vec::new()));
        let inner = SqliteDatabase::open(file.path()).unwrap();
        let database = Counted { inner, is_local, ran: Arc::clone(&ran) };
        let engine = repeatable().database(Arc::new(database)).build().unwrap();
        let state = engine.query_database("What is the average weight of shipments?", None).await.unwrap();
        let pending = state.pending.as_ref().unwrap_or_else(|| panic!("{:?}", state.query));
        let previews = pending.options().iter().filter(|option| option.preview.is_some()).count();
        assert_eq!(previews > 0, is_local);
        assert_eq!(ran.lock().unwrap().is_empty(), !is_local, "{:?}", ran.lock().unwrap());
    }
}

/// An answer that may be the wrong one is not paid for: where a query costs, the person chooses first.
#[tokio::test]
async fn the_likeliest_reading_is_answered_only_where_that_costs_nothing() {
    let file = File::new(
        "cargo.sqlite",
        "CREATE TABLE shipment (id INTEGER PRIMARY KEY, net_weight REAL, gross_weight REAL);
         INSERT INTO shipment VALUES (1, 8, 30), (2, 21, 22);",
    );
    for is_local in [true, false] {
        let ran = Arc::new(Mutex::new(Vec::new()));
        let inner = SqliteDatabase::open(file.path()).unwrap();
        let database = Counted { inner, is_local, ran: Arc::clone(&ran) };
        let engine = repeatable().database(Arc::new(database)).build().unwrap();
        let state = engine.query_database("heaviest shipment", None).await.unwrap();
        let (offered, asked) = (state.other_readings().len(), state.pending.is_some());
        assert_eq!((offered, asked), (usize::from(is_local), !is_local), "{:?}", state.query);
        assert_eq!(ran.lock().unwrap().is_empty(), !is_local, "{:?}", ran.lock().unwrap());
        let taken = engine.query_database("2", Some(state)).await.unwrap();
        assert!(taken.query.as_ref().unwrap().contains("ORDER BY gross_weight DESC"), "{:?}", taken.query);
    }
}
