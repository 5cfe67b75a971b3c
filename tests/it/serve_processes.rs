//! Three servers, one store, and a kill in the middle: every turn is taken once, and none is lost.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::serve_kit::Running;

const CONVERSATIONS: usize = 8;
const TURNS: usize = 6;

/// What is asked in turn, and what comes of it.
const QUESTIONS: [(&str, i64); 2] =
    [("How many customers are there?", 120), ("How many products are there?", 40)];

/// A server in a process of its own.
struct Process {
    program: Child,
    at: Running,
}

impl Process {
    fn start(folder: &Path, store: &str) -> Self {
        let mut program = Command::new(assert_cmd::cargo::cargo_bin!("sqlogue"))
            .args(["serve", "--listen", "127.0.0.1:0", "--rate", "0", "--store", store])
            .current_dir(folder)
            .env_clear()
            .env("HOME", folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().parse().unwrap();
        Self { program, at: Running { address, stop: CancellationToken::new(), served: None } }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.program.kill());
        drop(self.program.wait());
    }
}

/// Asks until it is answered, at one server after the other: with the same key it is the same turn.
async fn answered(servers: &[Running], first: usize, id: &str, key: &str, input: &str) -> Value {
    let line = format!("POST /api/v1/conversations/{id}/turns");
    let key = format!("Idempotency-Key: {key}");
    let body = json!({ "input": input }).to_string();
    for attempt in 0..200 {
        let server = &servers[(first + attempt) % servers.len()];
        match server.try_send(&line, &[&key], &body).await {
            Some(answer) if answer.status == 200 => return answer.json(),
            // It is still running, elsewhere or here.
            Some(answer) => assert_eq!(answer.status, 409, "{}", answer.text()),
            None => {}
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{input} was never answered");
}

async fn kill_in_the_middle(store: &str, folder: &Path) {
    let mut processes: Vec<Process> = (0..3).map(|_| Process::start(folder, store)).collect();
    let servers: Arc<Vec<Running>> = Arc::new(processes.iter().map(|process| process.at.same()).collect());
    let done = Arc::new(AtomicUsize::new(0));
    let talks: Vec<_> = (0..CONVERSATIONS)
        .map(|talk| {
            let (servers, done) = (Arc::clone(&servers), Arc::clone(&done));
            tokio::spawn(async move {
                let id = format!("talk-{talk}");
                let made = servers[0].post("/api/v1/conversations", &json!({ "id": id })).await;
                assert_eq!(made.status, 201, "{}", made.text());
                for turn in 0..TURNS {
                    let (input, count) = QUESTIONS[turn % 2];
                    let answer = answered(&servers, talk + turn, &id, &format!("{id}-{turn}"), input).await;
                    assert_eq!((&answer["turn"], &answer["status"]), (&json!(turn + 1), &json!("completed")));
                    let rows = answer["rows"].as_array().unwrap();
                    assert!(rows.is_empty() || rows[0] == json!([count]), "{answer}");
                    done.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    while done.load(Ordering::Relaxed) < CONVERSATIONS * TURNS / 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    processes[2].program.kill().unwrap();
    processes[2].program.wait().unwrap();
    for talk in talks {
        talk.await.unwrap();
    }
    for talk in 0..CONVERSATIONS {
        let turns = servers[0].get(&format!("/api/v1/conversations/talk-{talk}/turns")).await.json();
        let turns = turns["turns"].as_array().unwrap();
        let finished: Vec<_> = turns.iter().filter(|turn| turn["status"] == "completed").collect();
        assert_eq!(finished.len(), TURNS, "{turns:?}");
        for (place, turn) in finished.iter().enumerate() {
            assert_eq!(
                (&turn["number"], &turn["input"]),
                (&json!(place + 1), &json!(QUESTIONS[place % 2].0))
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_servers_of_a_file_survive_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("sessions.sqlite");
    kill_in_the_middle(store.to_str().unwrap(), folder.path()).await;
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn three_servers_of_a_postgres_store_survive_a_kill() {
    let Some(server) = crate::postgres_server::server("three_servers_of_a_postgres_store_survive_a_kill")
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    kill_in_the_middle(&server.url(&server.database("")), folder.path()).await;
}
