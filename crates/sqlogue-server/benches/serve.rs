//! What serving costs: turns by HTTP beside the same turns by a call of the library, and many conversations at once.
//!
//! `cargo bench --package sqlogue-server --bench serve`. Conversations are kept in an SQLite file, as a server keeps them.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program for developers, which stops where anything fails"
)]

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use sqlogue::conversation::ConversationState;
use sqlogue::engine::Engine;
use sqlogue::store::{SqliteOptions, SqliteStore};
use sqlogue_server::{Databases, Limits, Options, Server};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// Conversations at once.
const CONVERSATIONS: usize = 200;

/// Turns in each of them, in one round.
const EACH: usize = 10;

/// Rounds of other conversations; `SQLOGUE_ROUNDS` asks for more, to see for longer what is kept in memory.
const ROUNDS: usize = 8;

/// Pairs of turns for each input, one by HTTP and one by a call.
const PAIRS: usize = 60;

const TURNS: [&str; 5] = [
    "How many customers are there?",
    "Only from Germany",
    "revenue by month",
    "show the 5 most expensive products",
    "average order value per country",
];

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let engine = Engine::builder().build().expect("the sample opens");
    engine.query_database(question(0), None).await.expect("the schema is read");
    let stop = CancellationToken::new();
    let address = served(engine.with_store(store(&folder.path().join("by_http.sqlite"))), &stop).await;
    let kept = engine.with_store(store(&folder.path().join("by_call.sqlite")));
    compare(&kept, address).await;

    println!("\n{CONVERSATIONS} conversations at once, {EACH} turns in each: a round");
    println!("| conversations | by the clock | by HTTP, median / 95 % | the engine's own | memory after |");
    println!("| --- | --- | --- | --- | --- |");
    println!("| none yet | | | | {} MB |", memory());
    let rounds =
        std::env::var("SQLOGUE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    let mut talks = begun(address).await;
    for round in 1..=ROUNDS / 4 {
        talks = asked(&format!("the same, round {round}"), talks).await;
    }
    drop(talks);
    for round in 1..=rounds {
        let talks = asked(&format!("others, round {round}"), begun(address).await).await;
        // Half of all conversations come to an end, and the others stay.
        if round % 2 == 0 {
            deleted(talks).await;
        }
    }
    by_calls(kept).await;
    let forgetting = served(engine, &stop).await;
    for round in 1..=rounds {
        asked(&format!("a server without a store, round {round}"), begun(forgetting).await).await;
    }
    stop.cancel();
}

async fn deleted(talks: Vec<Talk>) {
    for mut talk in talks {
        talk.stream = connected(talk.address).await;
        let (status, _) = talk.send("DELETE", &format!("/api/v1/conversations/{}", talk.id), "").await;
        assert_eq!(status, 204);
    }
}

/// A server in this process, and where it listens.
async fn served(engine: Engine, stop: &CancellationToken) -> SocketAddr {
    let limits = Limits { running: 1024, waiting: 1024, rate: 0, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let server = Server::new(Databases::new(engine, Vec::new(), Vec::new()), options);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    let stopped = stop.clone();
    tokio::spawn(async move { server.serve(listener, None, stopped).await.expect("it serves") });
    address
}

fn store(path: &Path) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::open(path, SqliteOptions::default()).expect("a store can be made"))
}

fn question(number: usize) -> &'static str {
    TURNS.get(number % TURNS.len()).copied().unwrap_or_default()
}

/// One turn after the other, by HTTP and by a call, in pairs, so that what disturbs the machine disturbs both.
async fn compare(engine: &Engine, address: SocketAddr) {
    println!("one after the other, medians of {PAIRS} pairs (all: the pairs of all questions)");
    println!("| input | by a call | by HTTP | HTTP adds |");
    println!("| --- | --- | --- | --- |");
    let mut all = Pairs::default();
    for said in TURNS {
        let pairs = Pairs::of(said, engine, address).await;
        pairs.tell(said);
        all.0.extend(pairs.0);
    }
    all.tell("all questions");
    Pairs::of("thanks", engine, address).await.tell("thanks, which asks no database");
}

/// How long one turn took by a call and by HTTP.
#[derive(Default)]
struct Pairs(Vec<(Duration, Duration)>);

impl Pairs {
    /// The same input again and again, with a conversation of ten turns before it on both sides.
    async fn of(said: &'static str, engine: &Engine, address: SocketAddr) -> Self {
        let (mut talk, mut state) = (Talk::begin(address).await, None);
        for number in 0..EACH {
            talk.ask(question(number)).await;
            state = Some(called(engine, question(number), state).await.1);
        }
        let mut pairs = Vec::with_capacity(PAIRS);
        for number in 0..PAIRS {
            // Each is the first of the two as often as the other.
            let first = number % 2 == 0;
            let before = if first { Some(talk.ask(said).await.took) } else { None };
            let (by_call, after) = called(engine, said, state).await;
            state = Some(after);
            let by_http = match before {
                Some(took) => took,
                None => talk.ask(said).await.took,
            };
            pairs.push((by_call, by_http));
        }
        Self(pairs)
    }

    fn tell(&self, what: &str) {
        let median = |of: fn(&(Duration, Duration)) -> f64| at(50, self.0.iter().map(of));
        println!(
            "| {what} | {:.2} ms | {:.2} ms | {:.2} ms |",
            median(|(call, _)| milliseconds(*call)),
            median(|(_, http)| milliseconds(*http)),
            median(|(call, http)| milliseconds(*http) - milliseconds(*call)),
        );
    }
}

async fn called(
    engine: &Engine,
    said: &str,
    state: Option<ConversationState>,
) -> (Duration, ConversationState) {
    let began = Instant::now();
    let answer = engine.ask(said, state).await.expect("the library answers");
    (began.elapsed(), answer.state)
}

/// As many conversations as there are at once.
async fn begun(address: SocketAddr) -> Vec<Talk> {
    let mut talks = Vec::with_capacity(CONVERSATIONS);
    for _ in 0..CONVERSATIONS {
        talks.push(Talk::begin(address).await);
    }
    talks
}

/// One round: all conversations at once, each turn after the other.
async fn asked(what: &str, talks: Vec<Talk>) -> Vec<Talk> {
    let began = Instant::now();
    let asking: Vec<_> = talks
        .into_iter()
        .enumerate()
        .map(|(number, mut talk)| {
            tokio::spawn(async move {
                // A connection that nobody uses between two rounds ends.
                talk.stream = connected(talk.address).await;
                let mut taken = Vec::with_capacity(EACH);
                for turn in 0..EACH {
                    taken.push(talk.ask(question(number + turn)).await);
                }
                (talk, taken)
            })
        })
        .collect();
    let (mut talks, mut taken) = (Vec::with_capacity(CONVERSATIONS), Vec::new());
    for asking in asking {
        let (talk, turns) = asking.await.expect("no conversation fails");
        talks.push(talk);
        taken.extend(turns);
    }
    let by_http = || taken.iter().map(|turn| milliseconds(turn.took));
    let by_engine = || taken.iter().map(|turn| turn.engine);
    println!(
        "| {what} | {:.1} s | {:.0} / {:.0} ms | {:.0} / {:.0} ms | {} MB |",
        began.elapsed().as_secs_f64(),
        at(50, by_http()),
        at(95, by_http()),
        at(50, by_engine()),
        at(95, by_engine()),
        memory()
    );
    talks
}

/// The same without a server.
async fn by_calls(engine: Engine) {
    let began = Instant::now();
    let asking: Vec<_> = (0..CONVERSATIONS)
        .map(|number| {
            let engine = engine.clone();
            tokio::spawn(async move {
                let (mut state, mut taken) = (None, Vec::with_capacity(EACH));
                for turn in 0..EACH {
                    let (took, after) = called(&engine, question(number + turn), state).await;
                    taken.push(milliseconds(took));
                    state = Some(after);
                }
                taken
            })
        })
        .collect();
    let mut taken = Vec::new();
    for asking in asking {
        taken.extend(asking.await.expect("no conversation fails"));
    }
    let (median, most) = (at(50, taken.iter().copied()), at(95, taken.iter().copied()));
    let clock = began.elapsed().as_secs_f64();
    println!("| by calls of the library | {clock:.1} s | | {median:.0} / {most:.0} ms | {} MB |", memory());
}

fn milliseconds(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

/// The value below which so many of a hundred are.
fn at(part: usize, values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) * part / 100).copied().unwrap_or_default()
}

/// What this process holds in memory, in MB; the clients are part of it.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or_default() / 1024
}

/// A turn as its client sees it.
struct Turn {
    took: Duration,
    /// What the engine says that it took, in milliseconds.
    engine: f64,
}

/// A conversation over a connection of its own.
struct Talk {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
    id: String,
}

async fn connected(address: SocketAddr) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(address).await.expect("the server listens");
    stream.set_nodelay(true).expect("a socket can be set");
    BufReader::new(stream)
}

impl Talk {
    async fn begin(address: SocketAddr) -> Self {
        let mut talk = Self { stream: connected(address).await, address, id: String::new() };
        let (_, made) = talk.send("POST", "/api/v1/conversations", "").await;
        let made: Value = serde_json::from_slice(&made).expect("it is JSON");
        talk.id = made.get("id").and_then(Value::as_str).expect("it has an id").to_owned();
        talk
    }

    async fn ask(&mut self, question: &str) -> Turn {
        let path = format!("/api/v1/conversations/{}/turns", self.id);
        let body = serde_json::json!({ "input": question }).to_string();
        let began = Instant::now();
        let (status, turn) = self.send("POST", &path, &body).await;
        // What a client makes of the answer is its own time.
        let took = began.elapsed();
        let turn: Value = serde_json::from_slice(&turn).expect("it is JSON");
        assert_eq!(status, 200, "{turn}");
        Turn { took, engine: turn.get("elapsed_ms").and_then(Value::as_f64).expect("it is told") }
    }

    async fn send(&mut self, method: &str, path: &str, body: &str) -> (u16, Vec<u8>) {
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{kind}Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.stream.write_all(request.as_bytes()).await.expect("it is sent");
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).await.expect("it is answered");
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if line.starts_with("HTTP/1.1 ") {
                status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse().unwrap_or_default();
            }
        }
        let mut content = vec![0; length];
        self.stream.read_exact(&mut content).await.expect("it is whole");
        (status, content)
    }
}
