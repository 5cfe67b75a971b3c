//! MCP: a dialog of JSON-RPC, written by hand, over both ways.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use sqlogue_server::{Options, Tokens};

use crate::serve_kit::{Answer, Running, start};

/// The program as an assistant starts it.
struct Spoken {
    program: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: u64,
}

impl Spoken {
    fn start(folder: &std::path::Path) -> Self {
        let mut program = Command::new(assert_cmd::cargo::cargo_bin!("sqlogue"))
            .arg("mcp")
            .current_dir(folder)
            .env_clear()
            .env("HOME", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (program.stdin.take().unwrap(), program.stdout.take().unwrap());
        let mut spoken = Self { program, input, output: BufReader::new(output), number: 0 };
        let begun = spoken.call("initialize", hello());
        assert_eq!(begun["serverInfo"]["name"], "sqlogue");
        assert!(begun["capabilities"]["tools"].is_object() && begun["capabilities"]["resources"].is_object());
        spoken.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        spoken
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    /// Calls a method; its result, or its error under `error`.
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let id = self.number;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the program ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer.get("result").cloned().unwrap_or(answer);
            }
        }
    }

    fn tool(&mut self, name: &str, arguments: Value) -> Value {
        self.call("tools/call", json!({ "name": name, "arguments": arguments }))
    }
}

impl Drop for Spoken {
    fn drop(&mut self) {
        drop(self.program.kill());
        drop(self.program.wait());
    }
}

fn hello() -> Value {
    json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } })
}

#[test]
fn an_assistant_asks_on_standard_input_and_output() {
    let folder = tempfile::tempdir().unwrap();
    let mut spoken = Spoken::start(folder.path());
    let tools = spoken.call("tools/list", json!({}))["tools"].clone();
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ask", "run_sql", "describe_schema", "explain", "undo"]);
    for tool in tools.as_array().unwrap() {
        assert_eq!(
            (&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]),
            (&json!("object"), &json!("object"))
        );
        assert_eq!(tool["annotations"]["readOnlyHint"], tool["name"] != "undo", "{tool}");
        assert_eq!(tool["annotations"]["destructiveHint"], false);
    }
    // Nothing was asked yet.
    assert_eq!(spoken.tool("explain", json!({}))["isError"], true);

    let first = spoken.tool("ask", json!({ "question": "How many customers are there?" }));
    assert_eq!(first["structuredContent"]["rows"], json!([[120]]));
    let text: Value = serde_json::from_str(first["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, first["structuredContent"]);
    let second = spoken.tool("ask", json!({ "question": "Only from Germany" }))["structuredContent"].clone();
    assert_eq!(
        (&second["rows"], &second["session"]),
        (&json!([[30]]), &first["structuredContent"]["session"])
    );

    let why = spoken.tool("explain", json!({}))["structuredContent"].clone();
    assert_eq!(why["question"], "Only from Germany");
    assert!(!why["explanation"].as_array().unwrap().is_empty());
    let undone = spoken.tool("undo", json!({}))["structuredContent"].clone();
    assert_eq!(undone["head"], first["structuredContent"]["id"]);

    let rows = spoken.tool("run_sql", json!({ "sql": "SELECT name FROM products ORDER BY id", "rows": 1 }));
    assert_eq!(rows["structuredContent"]["rows"].as_array().unwrap().len(), 1);
    let refused = spoken.tool("run_sql", json!({ "sql": "DELETE FROM products" }));
    assert!(
        refused["isError"] == true && refused["content"][0]["text"].as_str().unwrap().contains("write rows"),
        "{refused}"
    );
    let schema =
        spoken.tool("describe_schema", json!({ "tables": ["customers"] }))["structuredContent"].clone();
    assert_eq!(
        (&schema["database"], schema["schema"]["tables"].as_array().unwrap().len()),
        (&json!("sample"), 1)
    );
    assert_eq!(spoken.tool("ask", json!({ "query": "x" }))["isError"], true);
    assert!(spoken.tool("drop", json!({}))["error"].is_object());
}

#[test]
fn schemas_and_drawings_are_resources() {
    let folder = tempfile::tempdir().unwrap();
    let mut spoken = Spoken::start(folder.path());
    let listed = spoken.call("resources/list", json!({}))["resources"].clone();
    let uris: Vec<_> =
        listed.as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap().to_owned()).collect();
    assert_eq!(uris, ["sqlogue://schema/sample", "sqlogue://graph"]);
    let read = |spoken: &mut Spoken, uri: &str| spoken.call("resources/read", json!({ "uri": uri }));
    let schema = read(&mut spoken, &uris[0])["contents"][0]["text"].as_str().unwrap().to_owned();
    assert!(serde_json::from_str::<Value>(&schema).unwrap()["tables"].is_array());
    let turn = spoken.tool("ask", json!({ "question": "How many products are there?" }))["structuredContent"]
        .clone();
    let (session, id) = (turn["session"].as_str().unwrap(), turn["id"].as_str().unwrap());
    for uri in [uris[1].clone(), format!("sqlogue://graph/{session}/{id}")] {
        let drawing = read(&mut spoken, &uri);
        assert_eq!(drawing["contents"][0]["mimeType"], "image/svg+xml", "{uri}");
    }
    for uri in ["sqlogue://schema/other", "sqlogue://graph/a/b", "file:///etc/passwd"] {
        assert!(read(&mut spoken, uri)["error"].is_object(), "{uri}");
    }
}

/// The JSON of an answer that came as one event.
fn event(answer: &Answer) -> Value {
    let text = answer.text();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: ")).find(|data| data.starts_with('{'));
    serde_json::from_str(data.unwrap_or(&text)).unwrap_or_else(|error| panic!("{error}: {answer:?} {text}"))
}

async fn post(server: &Running, headers: &[&str], body: &Value) -> Answer {
    let mut all = vec!["Accept: application/json, text/event-stream"];
    all.extend(headers);
    // A stream of events may stay open; this one ends with its answer.
    server.send("POST /mcp", &all, &body.to_string()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assistant_asks_over_http_and_keeps_its_conversation() {
    let tokens = Tokens::read("ann ann-0123456789abcdef\nbob bob-0123456789abcdef").unwrap();
    let server = start(Options { tokens, ..Options::default() }).await;
    let ann = "Authorization: Bearer ann-0123456789abcdef";
    let begun = post(
        &server,
        &[ann],
        &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello() }),
    )
    .await;
    assert_eq!(event(&begun)["result"]["serverInfo"]["name"], "sqlogue");
    let session = format!("Mcp-Session-Id: {}", begun.header("mcp-session-id").unwrap());
    post(&server, &[ann, &session], &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
    let ask = |id: u64, question: &str| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": { "name": "ask", "arguments": { "question": question } } })
    };
    let first = event(&post(&server, &[ann, &session], &ask(2, "How many customers are there?")).await);
    assert_eq!(first["result"]["structuredContent"]["rows"], json!([[120]]));
    let second = event(&post(&server, &[ann, &session], &ask(3, "Only from Germany")).await);
    assert_eq!(second["result"]["structuredContent"]["rows"], json!([[30]]));
    // The conversation is hers over HTTP too, and nobody else's.
    let id = second["result"]["structuredContent"]["session"].as_str().unwrap();
    assert_eq!(server.send(&format!("GET /api/v1/conversations/{id}"), &[ann], "").await.status, 200);
    let bob = "Authorization: Bearer bob-0123456789abcdef";
    let third = event(&post(&server, &[bob, &session], &ask(4, "Only from Italy")).await);
    assert_ne!(third["result"]["structuredContent"]["session"], id);
    let named = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": { "name": "ask", "arguments": { "question": "Only from Italy", "conversation": id } } });
    assert_eq!(event(&post(&server, &[bob, &session], &named).await)["result"]["isError"], true);
    // It ends when the assistant says so.
    assert_eq!(server.send("DELETE /mcp", &[ann, &session], "").await.status, 204);
}
