//! Load: many conversations at once over HTTP, beside the same turns by a call of the library, in one run.
//!
//! `cargo bench --package sqlogue-server --bench serve` takes ten turns in each of 200 conversations.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program for developers, which stops where anything fails"
)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlogue::engine::Engine;
use sqlogue::store::{Keep, MemoryStore};
use sqlogue_server::{Databases, Limits, Options, Server};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

const CONVERSATIONS: usize = 200;

/// Turns in each conversation.
const EACH: usize = 10;

const TURNS: [&str; 5] = [
    "How many customers are there?",
    "Only from Germany",
    "revenue by month",
    "show the 5 most expensive products",
    "average order value per country",
];

#[tokio::main]
async fn main() {
    let engine = Engine::builder().build().expect("the sample opens");
    engine.query_database("How many customers are there?", None).await.expect("the schema is read");
    let limits = Limits { running: 1024, waiting: 1024, rate: 0, ..Limits::default() };
    let server = Server::new(
        Databases::new(engine.clone(), Vec::new(), Vec::new()),
        Options { limits, ..Options::default() },
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let served = tokio::spawn(async move { server.serve(listener, None, stopped).await });

    compare("a courtesy, which asks no database", &["thanks"], 500, &engine, address).await;
    compare("questions", &TURNS, 100, &engine, address).await;
    for round in 1..=3 {
        let before = memory();
        let (mut taken, took) = at_once(|number| over_http(number, address)).await;
        println!(
            "{CONVERSATIONS} conversations at once by HTTP, round {round}: {took:.1} s, {} turns",
            taken.len()
        );
        tell("  a turn, waiting for its place included", &mut taken);
        println!("  memory: {before} MB before, {} MB after", memory());
    }
    let kept = engine.with_store(Arc::new(MemoryStore::new(Keep::Shape)));
    let (mut taken, took) = at_once(|number| by_call(number, kept.clone())).await;
    println!("the same by calls: {took:.1} s, {} turns", taken.len());
    tell("  a turn, waiting for its place included", &mut taken);
    stop.cancel();
    served.await.expect("the server ends").expect("it has served");
}

/// Takes the turns of all conversations at once; how long each turn took, and all together in seconds.
async fn at_once<T>(talk: impl Fn(usize) -> T) -> (Vec<Duration>, f64)
where
    T: Future<Output = Vec<Duration>> + Send + 'static,
{
    let began = Instant::now();
    let talks: Vec<_> = (0..CONVERSATIONS).map(|number| tokio::spawn(talk(number))).collect();
    let mut taken = Vec::new();
    for talk in talks {
        taken.extend(talk.await.expect("no conversation fails"));
    }
    (taken, began.elapsed().as_secs_f64())
}

async fn over_http(number: usize, address: SocketAddr) -> Vec<Duration> {
    let mut talk = Talk::begin(address).await;
    let mut taken = Vec::with_capacity(EACH);
    for turn in 0..EACH {
        taken.push(talk.ask(question(number + turn)).await);
    }
    taken
}

async fn by_call(number: usize, engine: Engine) -> Vec<Duration> {
    let mut state = None;
    let mut taken = Vec::with_capacity(EACH);
    for turn in 0..EACH {
        let began = Instant::now();
        let answer = engine.ask(question(number + turn), state.take()).await.expect("the library answers");
        taken.push(began.elapsed());
        state = Some(answer.state);
    }
    taken
}

/// One turn after the other, by HTTP and by the library in turn, with the same store: what HTTP adds.
async fn compare(what: &str, said: &[&str], turns: usize, engine: &Engine, address: SocketAddr) {
    let kept = engine.with_store(Arc::new(MemoryStore::new(Keep::Shape)));
    let mut talk = Talk::begin(address).await;
    let (mut by_http, mut by_call, mut state) = (Vec::new(), Vec::new(), None);
    for said in said.iter().cycle().take(turns) {
        by_http.push(talk.ask(said).await);
        let began = Instant::now();
        let answer = kept.ask(*said, state.take()).await.expect("the library answers");
        by_call.push(began.elapsed());
        state = Some(answer.state);
    }
    tell(&format!("{what}, one after the other, by HTTP"), &mut by_http);
    tell("  the same by a call", &mut by_call);
}

fn question(number: usize) -> &'static str {
    TURNS.get(number % TURNS.len()).copied().unwrap_or_default()
}

fn tell(what: &str, taken: &mut [Duration]) {
    taken.sort();
    let at = |part: usize| {
        taken.get((taken.len().saturating_sub(1)) * part / 100).copied().unwrap_or_default().as_secs_f64()
            * 1e3
    };
    println!("{what}: median {:.2} ms, p95 {:.2} ms, p99 {:.2} ms", at(50), at(95), at(99));
}

/// What this process holds in memory, in MB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or_default() / 1024
}

/// A conversation over a connection of its own.
struct Talk {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
    id: String,
}

impl Talk {
    async fn begin(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server listens");
        stream.set_nodelay(true).expect("a socket can be set");
        let mut talk = Self { stream: BufReader::new(stream), address, id: String::new() };
        let (_, made) = talk.send("/api/v1/conversations", "").await;
        talk.id = made.get("id").and_then(serde_json::Value::as_str).expect("it has an id").to_owned();
        talk
    }

    async fn ask(&mut self, question: &str) -> Duration {
        let (path, body) = (
            format!("/api/v1/conversations/{}/turns", self.id),
            serde_json::json!({ "input": question }).to_string(),
        );
        let began = Instant::now();
        let (status, turn) = self.send(&path, &body).await;
        let took = began.elapsed();
        assert_eq!(status, 200, "{turn}");
        took
    }

    async fn send(&mut self, path: &str, body: &str) -> (u16, serde_json::Value) {
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\n{kind}Content-Length: {}\r\n\r\n{body}",
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
        (status, serde_json::from_slice(&content).unwrap_or_default())
    }
}
