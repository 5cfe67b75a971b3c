//! 10,000 sessions of ten turns each: how long opening and appending take, beside a bare insert in the same run.
//!
//! `cargo bench --bench store`; `SQLOGUE_BENCH_SESSIONS` sets another number of sessions.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark"
)]

#[path = "../tests/it/store_kit.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod store_kit;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlogue::conversation::ConversationState;
use sqlogue::store::{Safety, SessionFilter, Sessions, SqliteOptions, SqliteStore};
use store_kit::{stored, turn, turn_after};

const TURNS: usize = 10;
const SAMPLES: usize = 1000;

fn open(path: &Path, safety: Safety) -> Sessions {
    let options = SqliteOptions { safety, ..SqliteOptions::default() };
    Sessions::new(Arc::new(SqliteStore::open(path, options).unwrap()))
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    println!("{what:<58} median {:>8.3} ms   p95 {:>8.3} ms   max {:>8.3} ms", at(50), at(95), at(100));
}

fn main() {
    let sessions_count: usize =
        std::env::var("SQLOGUE_BENCH_SESSIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(10_000);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(bench(sessions_count));
}

async fn bench(sessions_count: usize) {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("store.db");
    let began = Instant::now();
    let state = fill(&path, sessions_count).await;
    println!("{sessions_count} sessions × {TURNS} turns made in {:.1} s", began.elapsed().as_secs_f64());
    let bytes = std::fs::metadata(&path).unwrap().len();
    println!("{:.1} MB, {} bytes a turn", bytes as f64 / 1e6, bytes / (sessions_count * TURNS) as u64);
    let json = stored(state).to_json().unwrap();
    println!("a state as JSON is {} bytes", json.len());

    // Apart from the process that made them, as a person does who comes back.
    let id = |sample: usize| format!("session {}", (sample * 7919) % sessions_count);
    let sessions = open(&path, Safety::ProcessDeath);
    let mut times = Vec::new();
    for sample in 0..SAMPLES {
        let began = Instant::now();
        std::hint::black_box(sessions.open(&id(sample)).await.unwrap());
        times.push(began.elapsed());
    }
    report("open a session by id", times);
    let mut times = Vec::new();
    for _ in 0..100 {
        let began = Instant::now();
        let filter = SessionFilter { limit: Some(20), ..SessionFilter::default() };
        std::hint::black_box(sessions.list(filter).await.unwrap());
        times.push(began.elapsed());
    }
    report("list the latest 20 sessions", times);

    for (safety, what) in [(Safety::ProcessDeath, "process death"), (Safety::PowerCut, "a power cut")] {
        append(folder.path(), safety, what, &id, &json).await;
    }
    let sessions = open(&path, Safety::ProcessDeath);
    let mut times = Vec::new();
    for sample in 0..100 {
        let began = Instant::now();
        sessions.undo(&id(sample)).await.unwrap();
        times.push(began.elapsed());
    }
    report("undo", times);
    let mut times = Vec::new();
    for sample in 0..20 {
        let began = Instant::now();
        sessions.delete(&id(sample)).await.unwrap();
        times.push(began.elapsed());
    }
    report("delete a session", times);
    turn(&sessions, "the last", "one").await;
}

/// Makes the sessions; gives the last state of the last one.
async fn fill(path: &Path, sessions_count: usize) -> ConversationState {
    let sessions = open(path, Safety::ProcessDeath);
    let mut state = ConversationState::new("", "shop");
    for session in 0..sessions_count {
        let id = format!("session {session}");
        state = ConversationState::new(id.clone(), "shop");
        let mut parent = None;
        for number in 0..TURNS {
            let ended =
                turn_after(&sessions, &id, state, parent, &format!("question {number}")).await.unwrap();
            parent = Some(ended.run());
            state = ended.into_state();
        }
    }
    state
}

/// Appends turns to sessions here and there, beside bare inserts into a file of their own.
async fn append(folder: &Path, safety: Safety, what: &str, id: &impl Fn(usize) -> String, json: &str) {
    let sessions = open(&folder.join("store.db"), safety);
    let (mut times, mut bare, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let connection = baseline(&folder.join(format!("baseline {what}.db")), safety);
    for sample in 0..SAMPLES {
        let opened = sessions.open(&id(sample)).await.unwrap();
        let head = opened.session.position.head;
        let began = Instant::now();
        turn_after(&sessions, &id(sample), opened.state, head, "one more").await.unwrap();
        times.push(began.elapsed());
        // The same moment, so that whatever else the machine does weighs on both.
        let began = Instant::now();
        connection.execute("INSERT INTO bare (text) VALUES (?1)", [&json[..2000.min(json.len())]]).unwrap();
        bare.push(began.elapsed());
        let began = Instant::now();
        connection.execute("INSERT INTO bare (text) VALUES (?1)", [json]).unwrap();
        whole.push(began.elapsed());
    }
    report(&format!("append a turn (4 writes, the graph too), safe from {what}"), times);
    report("  a bare insert of 2 kB, each a transaction", bare);
    report("  a bare insert of the whole state", whole);
}

fn baseline(path: &Path, safety: Safety) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    let synchronous = if safety == Safety::PowerCut { "full" } else { "normal" };
    connection.pragma_update(None, "synchronous", synchronous).unwrap();
    connection.execute_batch("CREATE TABLE bare (id INTEGER PRIMARY KEY, text TEXT)").unwrap();
    connection
}
