//! Processes that are killed in the middle of the engine's turns, again and again, over one file and over one server.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlogue::Engine;
use sqlogue::conversation::{ConversationState, Status};
use sqlogue::dialog::Session;
use sqlogue::engine::Turned;
use sqlogue::store::{Sessions, SqliteOptions, SqliteStore, StoreError, TurnInfo};

const PLACE: &str = "SQLOGUE_TEST_STORE";
/// How many kills; the default keeps the usual run short.
const KILLS: &str = "SQLOGUE_TEST_KILLS";
const SESSION: &str = "killed";
/// Some turns.
const LONGEST_LIFE: Duration = Duration::from_millis(100);

/// What is asked, over and over, with the query and the number of rows that answer it.
const TALK: [(&str, &str, u64); 3] = [
    ("List the names of customers", "SELECT name FROM customers", 120),
    ("only from Germany", "SELECT name FROM customers WHERE country = 'Germany'", 30),
    ("How many orders are there?", "SELECT count(*) FROM orders", 1),
];

/// A store in a file, or on a server.
fn open(place: &str) -> Sessions {
    #[cfg(feature = "postgres")]
    if place.starts_with("postgres:") {
        let store = sqlogue::store::PostgresStore::at(place, Default::default()).unwrap();
        return Sessions::new(Arc::new(store));
    }
    Sessions::new(Arc::new(SqliteStore::open(place, SqliteOptions::default()).unwrap()))
}

fn engine(sessions: &Sessions) -> Engine {
    Engine::builder().store(Arc::clone(sessions.store())).build().unwrap()
}

/// The question, query and number of rows of a turn, the first of which is 1.
fn expected(number: u64) -> (&'static str, &'static str, u64) {
    TALK[(number as usize - 1) % TALK.len()]
}

/// A turn ends as it would have ended if nobody had been killed.
fn check(state: &ConversationState) {
    let rows = state.result.as_ref().map(|result| result.row_count);
    let found = (state.user_question.as_str(), state.query.as_deref(), rows);
    let (question, query, rows) = expected(state.turn_number);
    assert_eq!((state.status, found), (Status::Completed, (question, Some(query), Some(rows))));
}

/// Finishes what was interrupted; the runs.
async fn resume(sessions: &Sessions, engine: &Engine) -> Vec<String> {
    let mut runs = Vec::new();
    for broken in sessions.open(SESSION).await.map(|opened| opened.interrupted).unwrap_or_default() {
        let Turned::Done(answer) = engine.resume(broken.run).await.unwrap() else { panic!() };
        check(&answer.state);
        runs.push(broken.run.to_string());
    }
    runs
}

fn say(words: &str) {
    println!("{words}");
    std::io::stdout().flush().unwrap();
}

/// Not a test of its own: takes turns until it is killed.
#[tokio::test]
#[ignore = "run by the tests below"]
async fn child() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let sessions = open(&place);
    let engine = engine(&sessions);
    // What is read once is read before, so that the kills fall into turns and not into the reading.
    engine.without_store().query_database("How many customers are there?", None).await.unwrap();
    say("ready");
    for run in resume(&sessions, &engine).await {
        say(&format!("done {run}"));
    }
    let mut session = Session::open(engine, SESSION).await.unwrap();
    loop {
        let (question, ..) = expected(session.state().turn_number + 1);
        let answer = session.say(question).await.answer.unwrap();
        check(&answer.state);
        say(&format!("done {}", answer.run));
    }
}

fn kills(usual: u64) -> u64 {
    std::env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(usual)
}

#[tokio::test]
async fn no_finished_turn_is_lost_or_doubled_however_often_the_process_is_killed() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("store.db");
    let whole = || {
        if !path.exists() {
            return;
        }
        let store = rusqlite::Connection::open(&path).unwrap();
        let whole: String = store.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(whole, "ok");
    };
    kill_and_compare(path.to_str().unwrap(), kills(100), LONGEST_LIFE, whole).await;
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn no_finished_turn_on_a_server_is_lost_or_doubled_however_often_the_process_is_killed() {
    let test = "no_finished_turn_on_a_server_is_lost_or_doubled_however_often_the_process_is_killed";
    let Some(server) = crate::postgres_server::server(test) else { return };
    let database = server.database("");
    let whole = || {
        // The server may still be doing what the dead process sent.
        let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();";
        let begun = Instant::now();
        while server.run(&database, others).trim() != "0" {
            assert!(begun.elapsed() < Duration::from_secs(20), "somebody stays connected");
            std::thread::sleep(Duration::from_millis(10));
        }
        if server.run(&database, "SELECT to_regclass('sqlogue.steps') IS NULL;").trim() == "t" {
            return;
        }
        // Nothing belongs to nobody, and no two turns have one number.
        let lost = "SELECT (SELECT count(*) FROM sqlogue.steps WHERE turn NOT IN (SELECT id FROM sqlogue.turns))
                         + (SELECT count(*) - count(DISTINCT number) FROM sqlogue.turns WHERE mark = '\"finished\"');";
        assert_eq!(server.run(&database, lost).trim(), "0");
    };
    // A turn there takes longer, for each step is a journey to the server and back.
    kill_and_compare(&server.url(&database), kills(60), 3 * LONGEST_LIFE, whole).await;
}

/// Kills processes that take turns, and compares after each kill what they said with what is stored.
async fn kill_and_compare(place: &str, kills: u64, longest_life: Duration, is_whole: impl Fn()) {
    let (mut done, mut interrupted, mut seed) = (Vec::new(), 0, 0x9e37_79b9_7f4a_7c15_u64);
    for kill in 0..kills {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // From the first moments, in which a turn is resumed, to some turns later.
        let life = Duration::from_micros((seed >> 33) % longest_life.as_micros() as u64);
        done.extend(live(place, life));
        is_whole();
        // Nobody is left who writes; everything that was said to be done is there, once, and in order.
        let sessions = open(place);
        let opened = match sessions.open(SESSION).await {
            Err(StoreError::UnknownSession { .. }) if done.is_empty() => continue,
            opened => opened.unwrap(),
        };
        interrupted += opened.interrupted.len();
        assert!(opened.interrupted.len() <= 1 && opened.running.is_empty(), "after kill {kill}");
        let turns = sessions.turns(SESSION).await.unwrap();
        let finished: Vec<&TurnInfo> = turns.iter().filter(|turn| turn.is_finished()).collect();
        let runs: Vec<String> = finished.iter().map(|turn| turn.run.to_string()).collect();
        // One may have been finished a moment before it could be said.
        let said: Vec<&String> = runs.iter().filter(|run| done.contains(run)).collect();
        assert_eq!(said, done.iter().collect::<Vec<_>>(), "after kill {kill}");
        done = runs;
        for (number, turn) in (1..).zip(&finished) {
            let (question, query, _) = expected(number);
            let found = (turn.number, turn.input.as_str(), turn.query.as_deref());
            assert_eq!(found, (number, question, Some(query)), "one after the other");
        }
        assert_eq!(opened.state.turn_number, finished.len() as u64);
    }
    let sessions = open(place);
    done.extend(resume(&sessions, &engine(&sessions)).await);
    let history = sessions.history(SESSION).await.unwrap();
    assert_eq!(history.iter().map(|turn| turn.id.clone()).collect::<Vec<_>>(), done);
    println!("{kills} kills: {} turns finished, {interrupted} interrupted and resumed", history.len());
    assert!(interrupted > 0, "no kill met a turn");
}

/// A process takes turns for so long after it is ready; the turns that it said were done.
fn live(place: &str, life: Duration) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store_kill::child", "--ignored", "--nocapture"])
        .env(PLACE, place)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (mut child, mut killer, mut done) = (Some(child), None, Vec::new());
    for line in lines.map_while(Result::ok) {
        if let Some(mut child) = child.take_if(|_| line == "ready") {
            killer = Some(std::thread::spawn(move || {
                std::thread::sleep(life);
                child.kill().unwrap();
                child.wait().unwrap()
            }));
        }
        done.extend(line.strip_prefix("done ").map(str::to_owned));
    }
    let ended = killer.expect("the child is ready at some time").join().unwrap();
    assert_eq!(ended.code(), None, "the child came to an end by itself");
    done
}
