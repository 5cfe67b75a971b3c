//! A server in this process on a loopback port, and a client that sends exactly what a test says.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use sqlogue::engine::Engine;
use sqlogue::store::Store;
use sqlogue_server::{Databases, Options, Server, StartError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A server that stops when the test is over.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) stop: CancellationToken,
    pub(crate) served: Option<JoinHandle<Result<(), StartError>>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    }

    /// Checks the status and that a problem is told as one.
    #[track_caller]
    pub(crate) fn is_problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{self:?} {}", self.text());
        assert_eq!(self.header("content-type").as_deref(), Some("application/problem+json"));
        let problem = self.json();
        assert_eq!(problem["type"], format!("urn:sqlogue:problem:{code}"), "{problem}");
        assert_eq!(problem["status"], status);
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()));
        problem
    }
}

/// A server about the sample database, which keeps conversations in memory.
pub(crate) async fn start(options: Options) -> Running {
    start_with(options, Engine::builder().build().unwrap(), None).await
}

/// A server about a database, which keeps conversations there.
pub(crate) async fn start_with(options: Options, engine: Engine, store: Option<Arc<dyn Store>>) -> Running {
    let engine = match store {
        Some(store) => engine.with_store(store),
        None => engine,
    };
    let server = Server::new(Databases::new(engine, Vec::new(), Vec::new()), options);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let served = tokio::spawn(async move { server.serve(listener, None, stopped).await });
    Running { address, stop, served: Some(served) }
}

impl Running {
    /// The same server, for somebody else.
    pub(crate) fn same(&self) -> Self {
        Self { address: self.address, stop: CancellationToken::new(), served: None }
    }

    /// Sends a request: the first line without its version, header lines, a body.
    pub(crate) async fn send(&self, line: &str, headers: &[&str], body: &str) -> Answer {
        self.try_send(line, headers, body).await.expect("an answer has a head")
    }

    /// The same; none where nobody answers.
    pub(crate) async fn try_send(&self, line: &str, headers: &[&str], body: &str) -> Option<Answer> {
        let mut request = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        let mut lines: Vec<String> = headers.iter().map(|&line| line.to_owned()).collect();
        if !headers.iter().any(|line| line.starts_with("Host:")) {
            lines.push(format!("Host: {}", self.address));
        }
        if !body.is_empty() {
            lines.push(format!("Content-Length: {}", body.len()));
            if !headers.iter().any(|line| line.starts_with("Content-Type:")) {
                lines.push("Content-Type: application/json".to_owned());
            }
        }
        for line in lines {
            request.push_str(&line);
            request.push_str("\r\n");
        }
        self.try_raw(&format!("{request}\r\n{body}")).await
    }

    pub(crate) async fn raw(&self, request: &str) -> Answer {
        self.try_raw(request).await.expect("an answer has a head")
    }

    async fn try_raw(&self, request: &str) -> Option<Answer> {
        let mut stream = TcpStream::connect(self.address).await.ok()?;
        stream.write_all(request.as_bytes()).await.ok()?;
        answer(&mut stream).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path}"), &[], "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.send(&format!("POST {path}"), &[], &body).await
    }

    /// A new conversation.
    pub(crate) async fn conversation(&self) -> String {
        let made = self.post("/api/v1/conversations", &Value::Null).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.json()["id"].as_str().unwrap().to_owned()
    }

    /// A turn.
    pub(crate) async fn ask(&self, conversation: &str, input: &str) -> Value {
        let path = format!("/api/v1/conversations/{conversation}/turns");
        let answer = self.post(&path, &serde_json::json!({ "input": input })).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }
}

/// Reads an answer to its end, or to that of its connection.
async fn answer(stream: &mut TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    let whole = async {
        // A server that refuses a body closes before all of it was sent, which this side may see as a reset.
        while !is_whole(&bytes) && stream.read_buf(&mut bytes).await.is_ok_and(|read| read > 0) {}
    };
    drop(tokio::time::timeout(Duration::from_secs(60), whole).await);
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = bytes[end + 4..].to_vec();
    let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    Some(Answer { status, head, body: if chunked { unchunked(&body) } else { body } })
}

/// Whether an answer that says its length has all of it. Not everybody who is asked to closes the connection.
fn is_whole(bytes: &[u8]) -> bool {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let length = end.and_then(|end| {
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"))?;
        Some(end + 4 + length.trim().parse::<usize>().ok()?)
    });
    length.is_some_and(|length| bytes.len() >= length)
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap(), 16).unwrap();
        let from = end + 2;
        body.extend_from_slice(&bytes[from..from + size]);
        bytes = &bytes[from + size + 2..];
    }
    body
}
