//! Traces by OpenTelemetry: a real program sends them to a collector, which reads what arrives.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::serve_kit::Running;

/// A span as it arrives.
#[derive(Debug, Clone, Default)]
struct Span {
    trace: String,
    id: String,
    parent: String,
    name: String,
    kind: u64,
    attributes: BTreeMap<String, String>,
    events: usize,
}

/// What a collector has been sent.
#[derive(Default)]
struct Collected {
    bodies: Mutex<Vec<Vec<u8>>>,
}

impl Collected {
    /// All spans, and the names of the services that sent them.
    fn spans(&self) -> (Vec<Span>, Vec<String>) {
        let (mut spans, mut services) = (Vec::new(), Vec::new());
        for body in self.bodies.lock().unwrap().iter() {
            for resource_spans in Message(body).of(1) {
                let resource = attributes(&resource_spans.of(1)[0], 1);
                services.push(resource["service.name"].clone());
                for scope_spans in resource_spans.of(2) {
                    spans.extend(scope_spans.of(2).iter().map(span));
                }
            }
        }
        (spans, services)
    }
}

/// A message in the form of protocol buffers.
#[derive(Clone, Copy)]
struct Message<'a>(&'a [u8]);

impl<'a> Message<'a> {
    /// All fields: their numbers, their bytes where they have some, and otherwise their values.
    fn fields(self) -> Vec<(u64, &'a [u8], u64)> {
        let (mut rest, mut fields) = (self.0, Vec::new());
        while !rest.is_empty() {
            let key = number(&mut rest);
            let (bytes, value) = match key & 7 {
                0 => (&rest[..0], number(&mut rest)),
                1 => (taken(&mut rest, 8), 0),
                2 => {
                    let length = usize::try_from(number(&mut rest)).unwrap();
                    (taken(&mut rest, length), 0)
                }
                5 => (taken(&mut rest, 4), 0),
                other => panic!("a field of the kind {other}"),
            };
            fields.push((key >> 3, bytes, value));
        }
        fields
    }

    /// The messages in a field.
    fn of(self, field: u64) -> Vec<Message<'a>> {
        self.fields()
            .into_iter()
            .filter(|(known, ..)| *known == field)
            .map(|(_, bytes, _)| Message(bytes))
            .collect()
    }

    fn bytes(self, field: u64) -> &'a [u8] {
        self.of(field).first().map_or(&[], |message| message.0)
    }

    fn text(self, field: u64) -> String {
        String::from_utf8(self.bytes(field).to_vec()).unwrap()
    }
}

/// A number of as many bytes as it needs.
fn number(rest: &mut &[u8]) -> u64 {
    let mut number = 0;
    for place in 0.. {
        let byte = taken(rest, 1)[0];
        number |= u64::from(byte & 127) << (7 * place);
        if byte < 128 {
            break;
        }
    }
    number
}

fn taken<'a>(rest: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, left) = rest.split_at(length);
    *rest = left;
    taken
}

/// Attributes in a field; a value that is no text is told by its bytes.
fn attributes(message: &Message<'_>, field: u64) -> BTreeMap<String, String> {
    let value = |pair: &Message<'_>| {
        let value = pair.of(2)[0];
        let text = value.text(1);
        if text.is_empty() { format!("{:?}", value.fields()) } else { text }
    };
    message.of(field).iter().map(|pair| (pair.text(1), value(pair))).collect()
}

fn span(message: &Message<'_>) -> Span {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    Span {
        trace: hex(message.bytes(1)),
        id: hex(message.bytes(2)),
        parent: hex(message.bytes(4)),
        name: message.text(5),
        kind: message.fields().iter().find(|(field, ..)| *field == 6).map_or(0, |(.., value)| *value),
        attributes: attributes(message, 9),
        events: message.of(11).len(),
    }
}

/// A collector that listens, and what it has been sent.
async fn collector() -> (SocketAddr, Arc<Collected>) {
    let collected = Arc::<Collected>::default();
    let take = async |State(collected): State<Arc<Collected>>, body: axum::body::Bytes| {
        collected.bodies.lock().unwrap().push(body.to_vec());
    };
    let router = Router::new().route("/v1/traces", post(take)).with_state(Arc::clone(&collected));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, collected)
}

/// A server in a process of its own, with these settings in its environment.
fn serve(folder: &std::path::Path, arguments: &[&str], environment: &[(&str, &str)]) -> (Child, Running) {
    let mut program = Command::new(assert_cmd::cargo::cargo_bin!("sqlogue"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .envs(environment.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().parse().unwrap();
    (program, Running { address, stop: CancellationToken::new(), served: None })
}

/// Asks a program to stop, and waits for its end: what it had not sent yet is sent then.
async fn stopped(program: Child) -> String {
    let asked = Command::new("kill").args(["-TERM", &program.id().to_string()]).status().unwrap();
    assert!(asked.success());
    let ended = tokio::task::spawn_blocking(|| program.wait_with_output().unwrap()).await.unwrap();
    assert!(ended.status.success(), "{ended:?}");
    String::from_utf8(ended.stderr).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_followed_to_the_nodes_of_its_turn() {
    let folder = tempfile::tempdir().unwrap();
    let (place, collected) = collector().await;
    let place = format!("http://{place}");
    let (program, server) =
        serve(folder.path(), &[], &[("OTEL_EXPORTER_OTLP_ENDPOINT", &place), ("OTEL_SERVICE_NAME", "shop")]);
    let id = server.conversation().await;
    let (trace, sender) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
    let traced = format!("traceparent: 00-{trace}-{sender}-01");
    let line = format!("POST /api/v1/conversations/{id}/turns");
    let body = json!({ "input": "show all customers from Germany" }).to_string();
    let turn = server.send(&line, &[&traced], &body).await.json();
    assert_eq!(turn["row_count"], 30);
    stopped(program).await;

    let (all, services) = collected.spans();
    assert!(!services.is_empty() && services.iter().all(|service| service == "shop"), "{services:?}");
    let (ours, others): (Vec<Span>, Vec<Span>) = all.into_iter().partition(|span| span.trace == trace);
    let only = |name: &str| {
        let mut found = ours.iter().filter(|span| span.name == name);
        let first = found.next().unwrap_or_else(|| panic!("no `{name}` in {ours:#?}"));
        assert!(found.next().is_none(), "{name}");
        first
    };
    let request = only("POST /api/v1/conversations/{id}/turns");
    assert_eq!((request.parent.as_str(), request.kind), (sender, 2), "{request:?}");
    let taken = only("turn");
    assert_eq!((&taken.parent, taken.attributes["status"].as_str()), (&request.id, "completed"));
    assert_eq!(taken.attributes["turn"], turn["id"].as_str().unwrap());
    let run = ours.iter().find(|span| span.name == "run conversation").expect("the turn is a run");
    assert_eq!(run.parent, taken.id);
    for node in ["planner", "generate_query", "execute_query", "cleanup"] {
        assert_eq!(only(&format!("node {node}")).parent, run.id, "{node}");
    }
    assert!(
        ours.iter().all(|span| span.id == request.id || ours.iter().any(|known| known.id == span.parent))
    );
    // A request that says nothing of a trace begins one.
    let alone =
        others.iter().find(|span| span.name == "POST /api/v1/conversations").expect("it is traced too");
    assert_eq!(alone.parent, "");
    // Nothing of what was said, asked and found is told.
    for span in ours.iter().chain(&others) {
        let told = format!("{span:?}").to_lowercase();
        for secret in ["germany", "select", "customers", "show all"] {
            assert!(!told.contains(secret), "{told}");
        }
        assert_eq!(span.events, 0, "{span:?}");
    }
}

/// A flag names a collector as well; one that does not answer is told, and harms no turn.
#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_away_harms_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let (program, server) = serve(folder.path(), &["--otlp", "http://127.0.0.1:9/"], &[]);
    let turn = server.ask(&server.conversation().await, "How many customers are there?").await;
    assert_eq!(turn["rows"], json!([[120]]));
    let said = stopped(program).await;
    assert!(said.contains("Export"), "{said}");
    let refused = crate::cli_kit::call(folder.path(), &["serve", "--otlp", "not a url"], "");
    refused.fails(2, "traces cannot be sent");
}
