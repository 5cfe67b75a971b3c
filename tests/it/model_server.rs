//! A model server on loopback: real HTTP over a real socket, as faulty as a test wants it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use sqlogue::model::{ModelSettings, PhaseUse};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request as the server got it.
#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    pub headers: String,
    pub body: Value,
}

impl Received {
    /// The name of the shape that the answer is to have, or else the text that tells the task.
    pub fn shape(&self) -> &str {
        self.body.pointer("/response_format/json_schema/name").and_then(Value::as_str).unwrap_or_default()
    }

    /// A message's text.
    pub fn message(&self, role: &str) -> String {
        let messages = self.body["messages"].as_array().unwrap();
        let found = messages.iter().find(|message| message["role"] == role);
        found.and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned()
    }
}

/// What the server does with a request.
#[derive(Clone)]
pub enum Act {
    /// A whole answer with this text.
    Say(String),
    /// A status, headers and a body.
    Answer(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// A header, then pieces with a pause between them, then the end of the connection.
    Pieces(&'static str, Vec<Vec<u8>>, Duration),
    /// A header, then the same piece for ever.
    Endless(&'static str, Vec<u8>, Duration),
    /// Nothing, for ever.
    Hang,
    /// The end of the connection at once.
    Close,
}

impl Act {
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say(text.into())
    }

    pub fn json(status: u16, body: Value) -> Self {
        Self::Answer(status, Vec::new(), body.to_string().into_bytes())
    }
}

/// The server; it stops when it is dropped.
pub struct Server {
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
    closed: Arc<Mutex<u32>>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    pub async fn start(act: impl Fn(&Received, usize) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let closed = Arc::new(Mutex::new(0));
        let act = Arc::new(act);
        let (seen, gone) = (Arc::clone(&received), Arc::clone(&closed));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (act, seen, gone) = (Arc::clone(&act), Arc::clone(&seen), Arc::clone(&gone));
                tokio::spawn(async move {
                    let _ = serve(stream, act.as_ref(), &seen, &gone).await;
                });
            }
        });
        Self { url, received, closed, task }
    }

    /// Always does the same.
    pub async fn always(act: Act) -> Self {
        Self::start(move |_, _| act.clone()).await
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    pub fn hits(&self) -> usize {
        self.received.lock().unwrap().len()
    }

    /// Connections that the client closed while the server was still silent.
    pub fn closed(&self) -> u32 {
        *self.closed.lock().unwrap()
    }

    /// The same settings for a model that is asked phase by phase, however small the schema is.
    pub fn phased(&self) -> ModelSettings {
        ModelSettings { phases: PhaseUse::Always, ..self.settings() }
    }

    /// Settings for this server, with times short enough for tests.
    pub fn settings(&self) -> ModelSettings {
        ModelSettings {
            base_url: self.url.clone(),
            model: "test".to_owned(),
            api_key: KEY.into(),
            connect_timeout: 1.0,
            first_byte_timeout: 0.6,
            call_timeout: 2.0,
            turn_timeout: 4.0,
            ..ModelSettings::default()
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The key of all tests; it must never be seen anywhere but in a header of a request.
pub const KEY: &str = "tk-7f3a9c51e8d24b60";

/// The body of a whole answer.
pub fn completion(text: &str) -> Value {
    json!({
        "id": "x", "object": "chat.completion", "created": 1, "model": "test",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    })
}

/// One event of a streamed answer.
pub fn event(delta: Value, finish: Option<&str>) -> Vec<u8> {
    let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    format!("data: {chunk}\n\n").into_bytes()
}

/// A whole answer as a stream, in two pieces.
fn streamed(text: &str) -> Vec<Vec<u8>> {
    let (first, rest) =
        text.split_at(text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at));
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}});
    vec![
        event(json!({"role": "assistant", "content": first}), None),
        event(json!({"content": rest}), Some("stop")),
        format!("data: {usage}\n\ndata: [DONE]\n\n").into_bytes(),
    ]
}

async fn serve(
    mut stream: TcpStream,
    act: &(dyn Fn(&Received, usize) -> Act + Send + Sync),
    seen: &Mutex<Vec<Received>>,
    gone: &Mutex<u32>,
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        let head_end = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut bytes).await? == 0 {
                return Ok(());
            }
        };
        let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
        let length = head
            .lines()
            .find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length:").map(|n| n.trim().parse().unwrap())
            })
            .unwrap_or(0_usize);
        while bytes.len() < head_end + length {
            if stream.read_buf(&mut bytes).await? == 0 {
                return Ok(());
            }
        }
        let body = serde_json::from_slice(&bytes[head_end..head_end + length]).unwrap_or(Value::Null);
        bytes.drain(..head_end + length);
        let path = head.split_whitespace().nth(1).unwrap_or_default().to_owned();
        let received = Received { path, headers: head, body };
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.push(received.clone());
            seen.len() - 1
        };
        match act(&received, number) {
            Act::Say(text) if received.body["stream"] == true => {
                stream.write_all(opening("text/event-stream").as_bytes()).await?;
                for piece in streamed(&text) {
                    stream.write_all(&piece).await?;
                }
                return Ok(());
            }
            Act::Say(text) => whole(&mut stream, 200, &[], completion(&text).to_string().as_bytes()).await?,
            Act::Answer(status, headers, body) => whole(&mut stream, status, &headers, &body).await?,
            Act::Pieces(kind, pieces, pause) => {
                stream.write_all(opening(kind).as_bytes()).await?;
                for piece in pieces {
                    stream.write_all(&piece).await?;
                    tokio::time::sleep(pause).await;
                }
                return Ok(());
            }
            Act::Endless(kind, piece, pause) => {
                stream.write_all(opening(kind).as_bytes()).await?;
                loop {
                    stream.write_all(&piece).await?;
                    if !pause.is_zero() {
                        tokio::time::sleep(pause).await;
                    }
                }
            }
            Act::Hang => {
                // A client that gives up closes the connection, and reading ends.
                let mut rest = [0; 64];
                while stream.read(&mut rest).await? > 0 {}
                *gone.lock().unwrap() += 1;
                return Ok(());
            }
            Act::Close => return Ok(()),
        }
    }
}

fn opening(kind: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n")
}

async fn whole(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(&'static str, String)],
    body: &[u8],
) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        head.push_str("content-type: application/json\r\n");
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await
}
