//! The HTTP API: real requests to a running server.

use std::io::Cursor;
use std::sync::Arc;

use calamine::{Reader as _, Xlsx};
use serde_json::{Value, json};
use sqlogue::engine::Engine;
use sqlogue::lesson::VolatileLessons;
use sqlogue::store::{SqliteOptions, SqliteStore};
use sqlogue_server::{Limits, Options};

use tokio::task::JoinHandle;

use crate::serve_kit::{Answer, Running, start, start_with};
use crate::support::File;

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_from_its_first_question_to_its_end() {
    let server = start(Options::default()).await;
    let id = server.conversation().await;
    let path = format!("/api/v1/conversations/{id}");
    let first = server.ask(&id, "How many customers are there?").await;
    let second = server.ask(&id, "Only from Germany").await;
    assert_eq!((&first["rows"], &second["rows"]), (&json!([[120]]), &json!([[30]])));
    assert_eq!(
        (&second["session"], &second["turn"], &second["route"]),
        (&json!(id), &json!(2), &json!("update"))
    );

    let undone = server.post(&format!("{path}/undo"), &Value::Null).await.json();
    assert_eq!((&undone["head"], &undone["tip"]), (&first["id"], &second["id"]));
    let redone = server.post(&format!("{path}/redo"), &Value::Null).await.json();
    assert_eq!(redone["head"], second["id"]);
    server.post(&format!("{path}/redo"), &Value::Null).await.is_problem(409, "conflict");

    // What is cleared can be brought back, and taken back again.
    let cleared = server.post(&format!("{path}/clear"), &Value::Null).await.json();
    assert_eq!((&cleared["head"], &cleared["tip"]), (&Value::Null, &second["id"]));
    let back = server.post(&format!("{path}/undo"), &Value::Null).await.json();
    assert_eq!(back["head"], second["id"]);
    let before = server.post(&format!("{path}/undo"), &Value::Null).await.json();
    assert_eq!(before["head"], first["id"]);
    let after = server.post(&format!("{path}/redo"), &Value::Null).await.json();
    assert_eq!(after["head"], second["id"]);

    let branch = server.post(&format!("{path}/branch"), &json!({ "turn": first["id"], "id": "other" })).await;
    assert_eq!((branch.status, &branch.json()["head"]), (201, &first["id"]));
    assert_eq!(server.ask("other", "Only from Italy").await["turn"], 2);
    let turns = server.get(&format!("{path}/turns")).await.json();
    let listed: Vec<_> = turns["turns"].as_array().unwrap().iter().map(|turn| &turn["input"]).collect();
    assert_eq!(listed, ["How many customers are there?", "Only from Germany"]);
    assert_eq!(turns["turns"][1]["parent"], first["id"]);

    let listed = server.get("/api/v1/conversations").await.json();
    assert_eq!(listed["conversations"].as_array().unwrap().len(), 2);
    let deleted = server.send(&format!("DELETE {path}"), &[], "").await;
    assert_eq!((deleted.status, deleted.body.len()), (204, 0));
    server.get(&path).await.is_problem(404, "not_found");
    assert_eq!(server.ask("other", "how many products are there?").await["status"], "completed");
}

/// What `ask --format json` promises is what a turn is here, in the same order.
#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_what_the_command_line_prints() {
    let server = start(Options::default()).await;
    let turn = server.ask(&server.conversation().await, "How many customers are there?").await;
    let folder = tempfile::tempdir().unwrap();
    let printed = crate::cli_kit::call(
        folder.path(),
        &["ask", "How many customers are there?", "--format", "json"],
        "",
    );
    let printed: Value = serde_json::from_str(&printed.stdout).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&turn), keys(&printed));
    for (key, value) in printed.as_object().unwrap() {
        if !["id", "session", "elapsed_ms"].contains(&key.as_str()) {
            assert_eq!(turn[key], *value, "{key}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_told_as_it_happens() {
    let server = start(Options::default()).await;
    let path = format!("/api/v1/conversations/{}/turns", server.conversation().await);
    let body = json!({ "input": "How many customers are there?" }).to_string();
    let stream = server.send(&format!("POST {path}"), &["Accept: text/event-stream"], &body).await;
    assert_eq!(stream.header("content-type").as_deref(), Some("text/event-stream"));
    let text = stream.text();
    let events: Vec<(&str, Value)> = text
        .split("\n\n")
        .filter(|event| !event.trim().is_empty() && !event.starts_with(':'))
        .map(|event| {
            let (name, data) = event.split_once('\n').unwrap();
            let data = data.strip_prefix("data: ").unwrap();
            (name.strip_prefix("event: ").unwrap(), serde_json::from_str(data).unwrap())
        })
        .collect();
    let place = |name: &str| events.iter().position(|(known, _)| *known == name).unwrap();
    assert_eq!(place("turn"), 0);
    assert!(place("node") < place("sql") && place("sql") < place("rows"), "{text}");
    assert_eq!(place("answer"), events.len() - 1);
    let (_, answer) = events.last().unwrap();
    assert_eq!((&answer["rows"], &answer["id"]), (&json!([[120]]), &events[0].1["id"]));
    let nodes = |status: &str| events.iter().filter(|(_, data)| data["status"] == *status).count();
    assert_eq!(nodes("started"), nodes("finished"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_makes_a_repeated_request_one_turn() {
    let server = start(Options::default()).await;
    let id = server.conversation().await;
    let line = format!("POST /api/v1/conversations/{id}/turns");
    let body = json!({ "input": "How many customers are there?" }).to_string();
    let first = server.send(&line, &["Idempotency-Key: a"], &body).await;
    let again = server.send(&line, &["Idempotency-Key: a"], &body).await;
    assert_eq!(
        (first.header("idempotent-replayed"), again.header("idempotent-replayed")),
        (None, Some("true".into()))
    );
    let (first, again) = (first.json(), again.json());
    for key in ["id", "turn", "sql", "rows", "path", "status"] {
        assert_eq!(first[key], again[key], "{key}");
    }
    let other = server.send(&line, &["Idempotency-Key: b"], &body).await.json();
    assert_eq!((&other["turn"], other["id"] == first["id"]), (&json!(2), false));
    let body = json!({ "input": "How many products are there?" }).to_string();
    server.send(&line, &["Idempotency-Key: a"], &body).await.is_problem(422, "unusable");
    server.send(&line, &["Idempotency-Key:"], &body).await.is_problem(400, "bad_request");
}

/// A key is the same turn at every server of a store, also after the one that took it is gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_known_to_other_servers_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("sessions.sqlite");
    let open = || Arc::new(SqliteStore::open(&place, SqliteOptions::default()).unwrap());
    let engine = Engine::builder().build().unwrap();
    let one = start_with(Options::default(), engine.clone(), Some(open())).await;
    let two = start_with(Options::default(), engine, Some(open())).await;
    let id = one.conversation().await;
    let line = format!("POST /api/v1/conversations/{id}/turns");
    let body = json!({ "input": "How many customers are there?" }).to_string();
    let first = one.send(&line, &["Idempotency-Key: k"], &body).await.json();
    let again = two.send(&line, &["Idempotency-Key: k"], &body).await.json();
    assert_eq!((&again["id"], &again["turn"], &again["row_count"]), (&first["id"], &json!(1), &json!(1)));
    // What one server has done, the other goes on from.
    assert_eq!(two.ask(&id, "Only from Germany").await["rows"], json!([[30]]));
    assert_eq!(one.ask(&id, "Only from Italy instead").await["turn"], 3);
    let rows = two
        .get(&format!("/api/v1/conversations/{id}/turns/{}/rows", first["id"].as_str().unwrap()))
        .await
        .json();
    assert_eq!((&rows["rows"], &rows["asked_again"]), (&json!([[120]]), &json!(true)));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_writers_are_told_how_the_conversation_stands() {
    let file =
        File::new("things.sqlite", "CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1), (2);");
    let server = start_with(Options::default(), file.engine(), None).await;
    let id = server.conversation().await;
    let first = server.ask(&id, "how many numbers are there?").await;
    let second = server.ask(&id, "show all numbers").await;
    let path = format!("/api/v1/conversations/{id}/turns");
    let late = server.post(&path, &json!({ "input": "show all numbers", "after": first["id"] })).await;
    let problem = late.is_problem(409, "conflict");
    assert_eq!(problem["conversation"]["head"], second["id"]);
    assert_eq!(server.get(&path).await.json()["turns"].as_array().unwrap().len(), 2);
    // A turn that waits for its approval holds the conversation too.
    let waiting =
        server.post(&path, &json!({ "input": "how many numbers are there?", "confirm": true })).await;
    assert_eq!((waiting.status, &waiting.json()["status"]), (202, &json!("awaiting_approval")));
    let problem =
        server.post(&path, &json!({ "input": "show all numbers" })).await.is_problem(409, "conflict");
    assert_eq!(problem["conversation"]["waiting"]["turn"], waiting.json()["turn"]);
    let approved =
        server.post(&format!("/api/v1/conversations/{id}/approve"), &json!({ "approved": true })).await;
    assert_eq!((approved.status, &approved.json()["rows"]), (200, &json!([[2]])));
    server
        .post(&format!("/api/v1/conversations/{id}/approve"), &json!({ "approved": true }))
        .await
        .is_problem(409, "conflict");
}

/// A query of `slow` takes as long as it may.
const SLOW: &str = "
    CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO items SELECT value, 'n' || value FROM (WITH RECURSIVE c(value) AS
        (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < 3000) SELECT value FROM c);
    CREATE VIEW slow AS SELECT a.id, a.name FROM items a, items b, items c WHERE a.id + b.id + c.id < 0;
";

/// Asks for something slow, and waits until it runs: what will come of it, and the turn.
async fn asked_slowly(server: &Running, id: &str) -> (JoinHandle<Answer>, Value) {
    let (asks, turns) = (server.same(), format!("/api/v1/conversations/{id}/turns"));
    let asking = tokio::spawn(async move { asks.post(&turns, &json!({ "input": "show all slow" })).await });
    (asking, running(server, id).await)
}

/// The turn that runs in a conversation, as soon as a server knows of it.
async fn running(server: &Running, id: &str) -> Value {
    for _ in 0..200 {
        let running = server.get(&format!("/api/v1/conversations/{id}")).await.json()["running"].clone();
        if !running.is_null() {
            return running;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("no turn ever ran");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_turn_is_cancelled() {
    let file = File::new("things.sqlite", SLOW);
    let server = start_with(Options::default(), file.engine(), None).await;
    let id = server.conversation().await;
    let (asking, running) = asked_slowly(&server, &id).await;
    let path = format!("/api/v1/conversations/{id}");
    let late = server.post(&format!("{path}/turns"), &json!({ "input": "how many items are there?" })).await;
    assert_eq!(late.is_problem(409, "conflict")["conversation"]["running"], running);
    assert_eq!(server.post(&format!("{path}/cancel"), &Value::Null).await.status, 202);
    asking.await.unwrap().is_problem(409, "cancelled");
    let answer = server.ask(&id, "how many items are there?").await;
    assert_eq!((&answer["rows"], &answer["turn"]), (&json!([[3000]]), &json!(1)));
    server.post(&format!("{path}/cancel"), &Value::Null).await.is_problem(409, "conflict");
}

/// Any server of a store cancels what another one runs, and says that it runs.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_turn_is_cancelled_at_another_server() {
    let file = File::new("things.sqlite", SLOW);
    let store =
        Arc::new(SqliteStore::open(file.folder().join("s.sqlite"), SqliteOptions::default()).unwrap());
    // Time has to go on here, since the store judges by it who is alive.
    let engine = || Engine::builder().database(file.path().to_str().unwrap()).build().unwrap();
    let here = start_with(Options::default(), engine(), Some(store.clone())).await;
    let there = start_with(Options::default(), engine(), Some(store)).await;
    let id = here.conversation().await;
    let (asking, turn) = asked_slowly(&here, &id).await;
    let path = format!("/api/v1/conversations/{id}");
    assert_eq!(running(&there, &id).await, turn);
    assert_eq!(there.post(&format!("{path}/cancel"), &Value::Null).await.status, 202);
    asking.await.unwrap().is_problem(409, "cancelled");
    let answer = there.ask(&id, "how many items are there?").await;
    assert_eq!((&answer["rows"], &answer["turn"]), (&json!([[3000]]), &json!(1)));
    there.post(&format!("{path}/cancel"), &Value::Null).await.is_problem(409, "conflict");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_come_in_pages_and_files() {
    let server = start(Options::default()).await;
    let id = server.conversation().await;
    let turn = server.ask(&id, "show all customers").await;
    assert_eq!((&turn["row_count"], &turn["truncated"]), (&json!(120), &json!(true)));
    assert_eq!(turn["rows"].as_array().unwrap().len(), 100);
    let path = format!("/api/v1/conversations/{id}/turns/{}", turn["id"].as_str().unwrap());
    let page = server.get(&format!("{path}/rows?offset=110&limit=7")).await.json();
    assert_eq!((page["rows"].as_array().unwrap().len(), &page["next"]), (7, &json!(117)));
    let last = server.get(&format!("{path}/rows?offset=117")).await.json();
    assert_eq!((last["rows"].as_array().unwrap().len(), &last["next"]), (3, &Value::Null));
    let csv = server.get(&format!("{path}/rows?format=csv")).await;
    assert_eq!(
        (csv.text().lines().count(), csv.header("content-type").as_deref()),
        (121, Some("text/csv; charset=utf-8"))
    );
    let book = server.get(&format!("{path}/rows?format=xlsx")).await;
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(book.body)).unwrap();
    assert_eq!(book.worksheet_range_at(0).unwrap().unwrap().height(), 121);
    let drawing = server.get(&format!("{path}/graph")).await;
    assert_eq!(drawing.header("content-type").as_deref(), Some("image/svg+xml"));
    assert!(drawing.text().starts_with("<svg"));
    let picture = server.get(&format!("{path}/chart")).await.json();
    assert!(picture["kind"].is_string() && picture["reason"].is_string(), "{picture}");
    let drawing = server.get(&format!("{path}/chart?format=svg&theme=dark&width=300")).await;
    assert!(drawing.text().starts_with("<svg") && drawing.text().contains("300"), "{}", drawing.text());
    let looked = server.get(&path).await.json();
    assert_eq!(looked["sentence"], "There are 120 customers.", "{looked}");
    assert!(looked["explanation"].as_array().is_some_and(|reasons| !reasons.is_empty()), "{looked}");
    server.get(&format!("{path}/rows?format=pdf")).await.is_problem(400, "bad_request");
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_of_ones_own_passes_the_guard_or_does_not_run() {
    let server = start(Options::default()).await;
    let path = "/api/v1/databases/sample/query";
    let rows =
        server.post(path, &json!({ "sql": "SELECT name FROM products ORDER BY id", "rows": 2 })).await.json();
    assert_eq!((rows["rows"].as_array().unwrap().len(), &rows["truncated"]), (2, &json!(true)));
    assert!(rows.get("picture").is_none(), "{rows}");
    let counted = "SELECT country, count(*) AS number FROM customers GROUP BY country";
    let drawn = server.post(path, &json!({ "sql": counted, "picture": { "theme": "dark" } })).await.json();
    assert_eq!(drawn["picture"]["kind"], "bars");
    assert!(drawn["picture"]["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg")), "{drawn}");
    let refused = server.post(path, &json!({ "sql": "DELETE FROM products" })).await;
    assert_eq!(refused.is_problem(422, "refused")["code"], "write_statement");
    server.post(path, &json!({ "sql": "SELECT nothing FROM products" })).await.is_problem(422, "unusable");
    let examples = server.get("/api/v1/databases/sample/examples").await.json();
    for question in examples["questions"].as_array().unwrap() {
        let id = server.conversation().await;
        let answer = server.ask(&id, question.as_str().unwrap()).await;
        assert_eq!((&answer["status"], &answer["answer_confidence"]), (&json!("completed"), &json!("high")));
    }
    server
        .post("/api/v1/databases/none/query", &json!({ "sql": "SELECT 1" }))
        .await
        .is_problem(404, "not_found");
    let verdict = server.post("/api/v1/check", &json!({ "sql": "DROP TABLE products" })).await.json();
    assert_eq!((&verdict["verdict"], &verdict["code"]), (&json!("reject"), &json!("schema_change")));
    assert_eq!(
        server.post("/api/v1/check", &json!({ "sql": "SELECT 1" })).await.json(),
        json!({ "verdict": "allow" })
    );
    let metrics = server.get("/metrics").await.text();
    assert!(metrics.contains("sqlogue_refused_sql_total{code=\"write_statement\"} 1"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_words_mean_can_be_defined() {
    let lessons = Arc::new(VolatileLessons::new([]));
    let engine = Engine::builder().lessons(lessons).build().unwrap();
    let server = start_with(Options::default(), engine, None).await;
    let path = "/api/v1/databases/sample/definitions";
    let defined = server
        .post(path, &json!({ "name": "german customer", "expression": "customers.country = 'Germany'" }))
        .await;
    assert_eq!(defined.status, 201, "{}", defined.text());
    let answer = server.ask(&server.conversation().await, "how many german customers are there?").await;
    assert_eq!(answer["rows"], json!([[30]]));
    server.post(path, &json!({ "name": "x", "expression": "no.such = 1" })).await.is_problem(422, "unusable");
    let lessons = server.get("/api/v1/lessons").await.json();
    let id = lessons["lessons"][0]["id"].as_str().unwrap();
    assert_eq!(server.send(&format!("DELETE /api/v1/lessons/{id}"), &[], "").await.status, 204);
    server.send(&format!("DELETE /api/v1/lessons/{id}"), &[], "").await.is_problem(404, "not_found");
    // Where nothing says where lessons are kept, that is said.
    let server = start(Options::default()).await;
    server
        .post(path, &json!({ "name": "x", "expression": "customers.id = 1" }))
        .await
        .is_problem(409, "conflict");
}

/// The document describes the routes that there are: each answers as something other than *there is nothing here*.
#[tokio::test(flavor = "multi_thread")]
async fn the_document_describes_every_route() {
    let server = start(Options::default()).await;
    let document = server.get("/api/v1/openapi.json").await.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let paths = document["paths"].as_object().unwrap();
    let mut operations = Vec::new();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().unwrap() {
            let line = path
                .replace("{id}", "none")
                .replace("{turn}", "none")
                .replace("{name}", "none")
                .replace("{key}", "none");
            let body = if operation.get("requestBody").is_some() { "{}" } else { "" };
            let answer = server.send(&format!("{} {line}", method.to_uppercase()), &[], body).await;
            assert!(
                answer.status != 405 && !answer.text().contains("there is nothing here"),
                "{method} {path}"
            );
            assert!(
                operation["summary"].as_str().or(operation["description"].as_str()).is_some(),
                "{method} {path}"
            );
            operations.push(operation["operationId"].as_str().unwrap().to_owned());
        }
    }
    operations.sort();
    operations.dedup();
    assert!(operations.len() >= 25, "{operations:?}");
    // Every reference leads somewhere.
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let place = reference.split('"').next().unwrap();
        assert!(document.pointer(place).is_some(), "{place}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shared_conversation_is_read_and_stays_as_it_was() {
    let server = start(Options::default()).await;
    let id = server.conversation().await;
    server.ask(&id, "How many customers are there?").await;
    let shared = server.post(&format!("/api/v1/conversations/{id}/share"), &Value::Null).await;
    assert_eq!(shared.status, 201);
    let key = shared.json()["key"].as_str().unwrap().to_owned();
    server.ask(&id, "Only from Germany").await;
    let read = server.get(&format!("/api/v1/shared/{key}")).await.json();
    assert_eq!(read["turns"].as_array().unwrap().len(), 1);
    assert_eq!(read["turns"][0]["sql"], "SELECT count(*) FROM customers");
    server.get("/api/v1/shared/0123").await.is_problem(404, "not_found");
    let listed = server.get("/api/v1/conversations").await.json();
    assert_eq!(listed["conversations"].as_array().unwrap().len(), 1);
}

/// A shutdown waits for the turn that runs, and its answer arrives.
#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_finishes_what_runs() {
    let mut server = start(Options { limits: Limits::default(), ..Options::default() }).await;
    let id = server.conversation().await;
    let (stop, served) = (server.stop.clone(), server.served.take().unwrap());
    let asking = server.ask(&id, "How many customers are there?");
    let stopping = async {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        stop.cancel();
    };
    let (answer, ()) = tokio::join!(asking, stopping);
    assert_eq!(answer["rows"], json!([[120]]));
    served.await.unwrap().unwrap();
    assert!(tokio::net::TcpStream::connect(server.address).await.is_err());
}
