//! How long a classification takes, and how large a session gets.
//!
//! `cargo bench --bench intent`
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use sqlogue::Engine;
use sqlogue::dialog::Session;
use sqlogue::engine::open;
use sqlogue::intent::{DialogContext, PastTurn, Vocabulary, classify};
use sqlogue::source;

/// A labelled input, as the tests have them.
#[derive(Deserialize)]
struct Labelled {
    history: Vec<Past>,
    input: String,
}

#[derive(Deserialize, Clone)]
struct Past {
    input: String,
    sql: String,
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(intent());
    runtime.block_on(session());
}

/// 100 inputs, each after five turns, with and without the words of a schema.
async fn intent() {
    let rows: Vec<Labelled> = include_str!("../tests/data/intent.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let engine = Engine::builder().build().unwrap();
    let schema = source::introspect(engine.database()).await.unwrap();
    let vocabulary = Arc::new(Vocabulary::of(&schema));
    for with_words in [false, true] {
        let mut times = Vec::new();
        for row in &rows {
            let turns =
                row.history.iter().cycle().take(5).map(|past| PastTurn::answered(&past.input, &past.sql));
            let mut context = DialogContext::new(turns);
            if with_words {
                context = context.with_vocabulary(Arc::clone(&vocabulary));
            }
            for _ in 0..200 {
                let started = Instant::now();
                std::hint::black_box(classify(std::hint::black_box(&row.input), &context));
                times.push(started.elapsed());
            }
        }
        let name = if with_words { "intent, with the words of the schema" } else { "intent" };
        report(name, times);
    }
}

/// Ten turns whose results are wide: 40 columns of 40 characters.
async fn session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.db");
    let columns: Vec<String> = (0..40).map(|number| format!("field_{number} TEXT")).collect();
    let cells: Vec<&str> = (0..40).map(|_| "hex(zeroblob(20))").collect();
    let statements = format!(
        "CREATE TABLE measurements (id INTEGER PRIMARY KEY, {});
         WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000)
         INSERT INTO measurements SELECT x, {} FROM n;",
        columns.join(", "),
        cells.join(", ")
    );
    rusqlite::Connection::open(&path).unwrap().execute_batch(&statements).unwrap();
    let engine = Engine::builder().database(open(path.to_str().unwrap()).unwrap()).build().unwrap();
    let mut session = Session::new(engine);
    for number in 0..10 {
        let input = match number % 2 {
            0 => "Show me all measurements".to_owned(),
            _ => format!("limit {}", 500 + number),
        };
        let reply = session.say(&input).await;
        assert!(!reply.result.error, "{:?}", reply.result.message);
    }
    println!("{:<40} {:>8.1} KB", "a session of ten turns, 41 columns", session.size() as f64 / 1024.0);
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1e6;
    println!("{what:<40} median {:>6.1} µs   p95 {:>6.1} µs   p99 {:>6.1} µs", at(50), at(95), at(99));
}
