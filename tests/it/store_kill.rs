//! Processes that are killed in the middle of their turns, again and again, over one file.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use sqlogue::store::{Sessions, SqliteOptions, SqliteStore};

use crate::store_kit::{resume, turn};

const FILE: &str = "SQLOGUE_TEST_STORE";
/// How many kills; the default keeps the usual run short.
const KILLS: &str = "SQLOGUE_TEST_KILLS";
const SESSION: &str = "killed";

fn open(path: &Path) -> Sessions {
    Sessions::new(Arc::new(SqliteStore::open(path, SqliteOptions::default()).unwrap()))
}

fn say(words: &str) {
    println!("{words}");
    std::io::stdout().flush().unwrap();
}

/// Not a test of its own: takes turns until it is killed.
#[tokio::test]
#[ignore = "run by no_finished_turn_is_lost_or_doubled_however_often_the_process_is_killed"]
async fn child() {
    let Ok(file) = std::env::var(FILE) else { return };
    let sessions = open(Path::new(&file));
    if let Ok(opened) = sessions.open(SESSION).await {
        for broken in opened.interrupted {
            let state = resume(&sessions, SESSION, broken.run).await;
            assert_eq!(state.result.as_deref().map(|result| result.rows.len()), Some(20));
            say(&format!("resumed {}", broken.run));
        }
    }
    say("ready");
    loop {
        let (run, _) = turn(&sessions, SESSION, "again").await;
        say(&format!("done {run}"));
    }
}

#[tokio::test]
async fn no_finished_turn_is_lost_or_doubled_however_often_the_process_is_killed() {
    let kills: u64 = std::env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(50);
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("store.db");
    let (mut done, mut interrupted, mut seed) = (Vec::new(), 0, 0x9e37_79b9_7f4a_7c15_u64);
    for kill in 0..kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store_kill::child", "--ignored", "--nocapture"])
            .env(FILE, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // From the first moments, in which a turn may be resumed, to some turns later.
        let life = Duration::from_micros((seed >> 33) % 30_000);
        let killer = std::thread::spawn(move || {
            let mut said = Vec::new();
            let mut child = Some(child);
            for line in lines.map_while(Result::ok) {
                if let Some((_, words)) = line.split_once("ready").or(line.split_once("resumed ")) {
                    drop(words.to_owned());
                    if let Some(mut child) = child.take() {
                        std::thread::spawn(move || {
                            std::thread::sleep(life);
                            child.kill().unwrap();
                            child.wait().unwrap();
                        });
                    }
                }
                said.push(line);
            }
            said
        });
        for line in killer.join().unwrap() {
            if let Some(run) = line.strip_prefix("done ").or(line.strip_prefix("resumed ")) {
                done.push(run.to_owned());
            }
        }
        // Nobody is left who writes; everything that was said to be done is there, once, and in order.
        let integrity: String = rusqlite::Connection::open(&path)
            .unwrap()
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(integrity, "ok", "after kill {kill}");
        let sessions = open(&path);
        let Ok(opened) = sessions.open(SESSION).await else { continue };
        interrupted += opened.interrupted.len();
        assert!(opened.interrupted.len() <= 1);
        let turns = sessions.turns(SESSION).await.unwrap();
        let finished: Vec<String> =
            turns.iter().filter(|turn| turn.is_finished()).map(|turn| turn.run.to_string()).collect();
        // One may have been finished a moment before it could be said.
        let said: Vec<&String> = finished.iter().filter(|run| done.contains(run)).collect();
        assert_eq!(said, done.iter().collect::<Vec<_>>(), "after kill {kill}");
        done.clone_from(&finished);
        let numbers: Vec<u64> = turns.iter().filter(|turn| turn.is_finished()).map(|turn| turn.number).collect();
        assert_eq!(numbers, (1..=finished.len() as u64).collect::<Vec<_>>(), "one after the other");
        assert_eq!(opened.state.turn_number, finished.len() as u64);
    }
    let sessions = open(&path);
    for broken in sessions.interrupted(SESSION).await.unwrap() {
        resume(&sessions, SESSION, broken.run).await;
    }
    let history = sessions.history(SESSION).await.unwrap();
    assert_eq!(history.len() as u64, sessions.open(SESSION).await.unwrap().state.turn_number);
    println!("{kills} kills: {} turns finished, {interrupted} interrupted and resumed", history.len());
    assert!(interrupted > 0, "no kill met a turn");
}
