//! The programs of `docs/library.md` run, and the page shows them as they are.

use std::fs;

use serde_json::{Value as Json, json};
use sqlogue::Engine;
use sqlogue::store::{Keep, MemoryStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::root;

#[path = "../../examples/batch_job.rs"]
#[expect(dead_code, reason = "its `main` is for `cargo run --example`")]
mod batch_job;
#[path = "../../examples/bot.rs"]
#[expect(dead_code, reason = "its `main` is for `cargo run --example`")]
mod bot;
#[path = "../../examples/custom_node.rs"]
#[expect(dead_code, reason = "its `main` is for `cargo run --example`")]
mod custom_node;
#[path = "../../examples/custom_reasoner.rs"]
#[expect(dead_code, reason = "its `main` is for `cargo run --example`")]
mod custom_reasoner;
#[path = "../../examples/web_handler.rs"]
#[expect(dead_code, reason = "its `main` is for `cargo run --example`")]
mod web_handler;

#[test]
fn the_batch_job_reports() {
    assert_eq!(
        batch_job::report("").unwrap(),
        ["120 customers", "United Kingdom: 32 (27 %)", "Germany: 30 (25 %)", "France: 13 (11 %)"]
    );
    let error = batch_job::report("mssql://host/shop").unwrap_err().to_string();
    assert!(error.contains("mssql"), "{error}");
}

#[tokio::test]
async fn the_bot_keeps_threads_apart() {
    let mut bot = bot::Bot::new(Engine::open("").unwrap());
    let mut say = async |thread: &str, text: &str| {
        bot.answer(bot::Message { thread: thread.to_owned(), text: text.to_owned() }).await
    };
    assert_eq!(say("sales", "How many customers are there?").await, "count(*)\n```\n120\n```");
    let products = say("stock", "How many products are there?").await;
    assert_eq!(say("sales", "Only from Germany").await, "count(*)\n```\n30\n```");
    assert!(products.starts_with("count(*)") && !products.contains("120"), "{products}");
    let names = say("stock", "List the names of all customers").await;
    assert!(names.contains("more rows"), "{names}");
    let unclear = say("fun", "What is the meaning of life?").await;
    assert!(unclear.contains("do not understand"), "{unclear}");
}

/// One request over a socket.
async fn post(address: std::net::SocketAddr, body: &Json) -> (u16, String) {
    let mut socket = tokio::net::TcpStream::connect(address).await.unwrap();
    let body = body.to_string();
    let head = format!(
        "POST /ask HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all((head + &body).as_bytes()).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

#[tokio::test]
async fn the_web_handler_keeps_conversations() {
    let store = std::sync::Arc::new(MemoryStore::new(Keep::Shape));
    let engine = Engine::builder().store(store).build().unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async { axum::serve(listener, web_handler::routes(engine)).await });
    let (status, first) = post(address, &json!({"question": "How many customers are there?"})).await;
    let first: Json = serde_json::from_str(&first).unwrap();
    assert_eq!((status, &first["result"]["rows"]), (200, &json!([[120]])));
    let follow_up = json!({"question": "Only from Germany", "conversation": first["conversation"]});
    let (status, second) = post(address, &follow_up).await;
    let second: Json = serde_json::from_str(&second).unwrap();
    assert_eq!((status, &second["result"]["rows"]), (200, &json!([[30]])));
    let (status, problem) = post(address, &json!({"question": "Hm?", "conversation": "none"})).await;
    assert!(status == 404 && problem.contains("none"), "{status} {problem}");
    serving.abort();
}

#[tokio::test]
async fn the_custom_reasoner_knows_the_houses_reports() {
    let engine = custom_reasoner::engine().unwrap();
    let report = engine.ask("The board's numbers", None).await.unwrap();
    let rows: Vec<(String, u64)> = report.rows().unwrap().deserialize().unwrap();
    assert_eq!(rows[..2], [("United Kingdom".to_owned(), 32), ("Germany".to_owned(), 30)]);
    assert!(report.state.explanation.concat().contains("report of the house"));
    let germany = engine.ask("Only Germany", Some(report.state)).await.unwrap();
    assert_eq!(germany.rows().unwrap().deserialize::<(String, u64)>().unwrap(), rows[1..2]);
    let rest = engine.ask("How many products are there?", None).await.unwrap();
    assert_eq!(rest.rows().unwrap().len(), 1);
}

#[tokio::test]
async fn the_custom_node_writes_before_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("audit.log");
    let engine = custom_node::engine("", &log).unwrap();
    let answer = engine.ask("How many customers are there?", None).await.unwrap();
    assert_eq!(answer.rows().unwrap().len(), 1);
    assert_eq!(answer.path, ["analyze_schema", "planner", "generate_query", "execute_query", "cleanup"]);
    let written = fs::read_to_string(&log).unwrap();
    assert!(written.trim_end().ends_with("SELECT count(*) FROM customers"), "{written}");
    let closed = custom_node::audited("", fs::File::open(&log).unwrap()).unwrap();
    let answer = closed.ask("How many customers are there?", None).await.unwrap();
    let reason = answer.rows().unwrap_err().message;
    assert!(reason.contains("audit log"), "{reason}");
}

/// The page shows parts of the programs; what it shows stands in them, line for line.
#[test]
fn the_page_shows_the_programs_as_they_are() {
    let page = fs::read_to_string(root().join("docs/library.md")).unwrap();
    let mut programs = String::new();
    for entry in fs::read_dir(root().join("examples")).unwrap() {
        programs += &fs::read_to_string(entry.unwrap().path()).unwrap();
    }
    let blocks: Vec<&str> =
        page.split("```rust\n").skip(1).map(|block| block.split("\n```\n").next().unwrap()).collect();
    assert!(blocks.len() >= 5);
    for block in blocks {
        for part in block.split("// …\n") {
            let part = part.trim_matches('\n');
            assert!(programs.contains(part), "no program has this part:\n{part}");
        }
    }
    for name in ["batch_job", "bot", "custom_node", "custom_reasoner", "web_handler"] {
        assert!(page.contains(&format!("examples/{name}.rs")), "{name}");
    }
}
