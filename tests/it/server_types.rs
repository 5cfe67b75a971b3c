//! What SQLite lets pass fails on servers, or means something else there: types are checked before a query runs, so that no
//! answer ends in an error of types. The questions are made from every column of the sample and of a table with the types that the sample lacks.

use std::collections::HashMap;
use std::sync::Arc;

use sqlogue::Engine;
use sqlogue::conversation::{ConversationState, ErrorKind};
use sqlogue::database::Database;
use sqlogue::schema::Schema;
use sqlogue::sql::Dialect;

use crate::server_conversation::sample_for;
use crate::support::repeatable;

#[cfg(feature = "postgres")]
const VISITS: &str = "
    CREATE TYPE mood AS ENUM ('sad', 'glad');
    CREATE TABLE visits (
        id integer PRIMARY KEY, code uuid, mood mood, score text, note text, seen boolean, started timestamp,
        opens time, details jsonb, born text
    );
    INSERT INTO visits VALUES
        (1, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'sad', '10', 'long', true, '2024-10-31 23:30', '08:00', '{}', '2024-10-31 23:30'),
        (2, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12', 'glad', '9', 'short', false, '2024-11-01 00:10', '09:00', '{}', '2024-11-01 00:10');
";

#[cfg(feature = "mysql")]
const MYSQL_VISITS: &str = "
    CREATE TABLE visits (
        id integer PRIMARY KEY, code uuid, mood enum('sad', 'glad'), score text, note text, seen boolean, started datetime,
        opens time, details json, born text
    );
    INSERT INTO visits VALUES
        (1, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'sad', '10', 'long', true, '2024-10-31 23:30', '08:00', '{}', '2024-10-31 23:30'),
        (2, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12', 'glad', '9', 'short', false, '2024-11-01 00:10', '09:00', '{}', '2024-11-01 00:10');
";

#[cfg(feature = "adbc")]
const DUCKDB_VISITS: &str = "
    CREATE TYPE mood AS ENUM ('sad', 'glad');
    CREATE TABLE visits (
        id integer PRIMARY KEY, code uuid, mood mood, score text, note text, seen boolean, started timestamp,
        opens time, details json, born text
    );
    INSERT INTO visits VALUES
        (1, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'sad', '10', 'long', true, '2024-10-31 23:30', '08:00', '{}', '2024-10-31 23:30'),
        (2, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12', 'glad', '9', 'short', false, '2024-11-01 00:10', '09:00', '{}', '2024-11-01 00:10');
";

const QUESTIONS: [&str; 14] = [
    "What is the average {column} of the {table}?",
    "total {column} of {table}",
    "What is the highest {column} of the {table}?",
    "{table} with {column} over 5",
    "{table} with {column} >= 2.5",
    "{table} whose {column} is 'the whole of a sentence'",
    "{table} with {column} containing 'a'",
    "{table} with {column} between 1 and 9",
    "{table} with {column} in 2024",
    "{table} with {column} above the average",
    "number of {table} for each {column}",
    "different {column} of {table} sorted by id",
    "{table} without {column}",
    "{table} sorted by {column} that are not 'glad'",
];

const FOLLOW_UPS: [&str; 6] = [
    "only those with {column} above 5",
    "which of them have {column} 'some text'?",
    "what is the average {column}?",
    "sort them by {column}",
    "how many for each {column}?",
    "only those with {column} after 2024",
];

fn said(template: &str, table: &str, column: &str) -> String {
    template.replace("{table}", &table.replace('_', " ")).replace("{column}", &column.replace('_', " "))
}

/// Whether a turn ran into an error of the database, be it one that was repaired.
fn failed(state: &ConversationState) -> Option<String> {
    let error = state.error.as_ref().filter(|error| error.kind == ErrorKind::QueryFailed);
    (error.is_some() || state.retry_count > 0)
        .then(|| format!("{}\n  {:?}\n  {:?}", state.user_question, state.query, error))
}

/// So many columns of a type are asked about: enough for all questions twice, where the type has so many columns.
const OF_A_TYPE: usize = 4;

async fn ask_all(engine: &Engine, schema: &Schema) -> (usize, Vec<String>) {
    let (mut answered, mut failures) = (0, Vec::new());
    let mut asked: HashMap<String, usize> = HashMap::new();
    for table in &schema.tables {
        let start = engine.query_database(format!("Show all {}", table.name), None).await.unwrap();
        for column in &table.columns {
            let at = asked.entry(column.declared_type.clone()).or_default();
            *at += 1;
            if *at > OF_A_TYPE {
                continue;
            }
            // Half of the questions for each column, so that two columns of a type have them all.
            for template in QUESTIONS.iter().skip(*at % 2).step_by(2) {
                let question = said(template, &table.name, &column.name);
                let state = engine.query_database(question, None).await.unwrap();
                answered += usize::from(state.result.is_some());
                failures.extend(failed(&state));
            }
            for template in FOLLOW_UPS {
                let input = said(template, &table.name, &column.name);
                let state = engine.query_database(input, Some(start.clone())).await.unwrap();
                answered += usize::from(state.result.is_some());
                failures.extend(failed(&state));
            }
        }
    }
    (answered, failures)
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn no_question_ends_in_an_error_of_types_on_postgres() {
    let test = "no_question_ends_in_an_error_of_types_on_postgres";
    let Some(server) = crate::postgres_server::server(test) else { return };
    let script = sample_for(Dialect::Postgres).await;
    asks_without_errors(Arc::new(server.open(&server.database(&format!("{script}\n{VISITS}"))).await)).await;
}

#[cfg(feature = "mysql")]
#[tokio::test]
async fn no_question_ends_in_an_error_of_types_on_mariadb() {
    let test = "no_question_ends_in_an_error_of_types_on_mariadb";
    let Some(server) = crate::mysql_server::server(test) else { return };
    let script = sample_for(Dialect::MySql).await;
    let theirs = server.open(&server.database(&format!("{script}\n{MYSQL_VISITS}"))).await;
    asks_without_errors(Arc::new(theirs)).await;
}

#[cfg(feature = "adbc")]
#[tokio::test]
async fn no_question_ends_in_an_error_of_types_on_duckdb() {
    let test = "no_question_ends_in_an_error_of_types_on_duckdb";
    let script = format!("{}\n{DUCKDB_VISITS}", sample_for(Dialect::DuckDb).await);
    let Some(file) = crate::duckdb_files::file(test, &script) else { return };
    asks_without_errors(Arc::new(file.open())).await;
}

async fn asks_without_errors(server: Arc<dyn Database>) {
    let schema = server.introspect().await.unwrap();
    let engine = repeatable().database(server).build().unwrap();
    let (answered, failures) = ask_all(&engine, &schema).await;
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
    assert!(answered > 250, "only {answered} were answered");
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn windows_keep_their_last_day_on_postgres() {
    let test = "windows_keep_their_last_day_on_postgres";
    let Some(server) = crate::postgres_server::server(test) else { return };
    keeps_last_days(Arc::new(server.open(&server.database(VISITS)).await)).await;
}

#[cfg(feature = "adbc")]
#[tokio::test]
async fn windows_keep_their_last_day_on_duckdb() {
    let test = "windows_keep_their_last_day_on_duckdb";
    let Some(file) = crate::duckdb_files::file(test, DUCKDB_VISITS) else { return };
    keeps_last_days(Arc::new(file.open())).await;
}

#[cfg(feature = "mysql")]
#[tokio::test]
async fn windows_keep_their_last_day_on_mariadb() {
    let test = "windows_keep_their_last_day_on_mariadb";
    let Some(server) = crate::mysql_server::server(test) else { return };
    keeps_last_days(Arc::new(server.open(&server.database(MYSQL_VISITS)).await)).await;
}

async fn keeps_last_days(server: Arc<dyn Database>) {
    let engine = repeatable().database(server).build().unwrap();
    for (question, rows) in [
        ("How many visits started in October 2024?", 1),
        ("How many visits started between 2024-10-01 and 2024-10-31?", 1),
        ("How many visits started on 2024-10-31?", 1),
        ("How many visits started after 2024-10-31?", 1),
        ("How many visits started until 2024-10-31?", 1),
        ("How many visits started in 2024?", 2),
    ] {
        let mut state = engine.query_database(question, None).await.unwrap();
        // On a server no reading is run to see whether it differs, so it may be asked which is meant; the likeliest is.
        if state.pending.is_some() {
            state = engine.query_database("1", Some(state)).await.unwrap();
        }
        let result = state.result.unwrap_or_else(|| panic!("{question}: {:?}", state.error));
        assert_eq!(result.rows, [[sqlogue::schema::Value::Integer(rows)]], "{question}: {:?}", state.query);
    }
}
