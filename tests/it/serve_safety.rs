//! What the server refuses: other sites, other names, other people, too much.

use std::time::Duration;

use serde_json::{Value, json};
use sqlogue::engine::Engine;
use sqlogue_server::{Databases, Limits, Options, Server, StartError, Tokens, Waits};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::serve_kit::{Running, start};

const ANN: &str = "Authorization: Bearer ann-0123456789abcdef";
const BOB: &str = "Authorization: Bearer bob-0123456789abcdef";

fn tokens() -> Options {
    let tokens = Tokens::read("ann ann-0123456789abcdef\nbob bob-0123456789abcdef").unwrap();
    Options { tokens, ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_sites_and_other_names_are_refused() {
    let server = start(Options { hosts: vec!["sqlogue.example".to_owned()], ..Options::default() }).await;
    let at = server.address;
    let refused: [(&str, &[&str], u16); 9] = [
        ("GET /api/v1/databases", &["Host: evil.example"], 421),
        ("GET /", &["Host: evil.example:80"], 421),
        ("GET /api/v1/databases", &["Host: localhost.evil.example"], 421),
        ("POST /mcp", &["Host: evil.example"], 421),
        ("GET /api/v1/databases", &["Host: 127.0.0.1", "Host: evil.example"], 400),
        ("POST /api/v1/conversations", &["Origin: http://evil.example"], 403),
        ("POST /api/v1/conversations", &["Origin: null"], 403),
        ("POST /mcp", &["Origin: http://evil.example"], 403),
        ("GET /api/v1/databases", &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"], 403),
    ];
    for (line, headers, status) in refused {
        let answer = server.send(line, headers, "").await;
        assert_eq!(answer.status, status, "{line} {headers:?}: {}", answer.text());
    }
    // Another port of this machine is another site.
    let other = format!("Origin: http://127.0.0.1:{}", at.port() ^ 1);
    assert_eq!(server.send("POST /api/v1/conversations", &[&other], "").await.status, 403);
    let own = format!("Origin: http://{at}");
    let port = format!("Host: localhost:{}", at.port());
    let taken: [(&str, &[&str], u16); 5] = [
        ("POST /api/v1/conversations", &[&own, "Sec-Fetch-Site: same-origin"], 201),
        ("GET /api/v1/databases", &[&port], 200),
        ("GET /api/v1/databases", &["Host: sqlogue.example"], 200),
        ("GET /api/v1/databases", &["Host: [::1]:80"], 200),
        ("GET /", &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"], 200),
    ];
    for (line, headers, status) in taken {
        assert_eq!(server.send(line, headers, "").await.status, status, "{line} {headers:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_there_is_nothing_to_see() {
    let server = start(tokens()).await;
    let wrong: [&[&str]; 5] = [
        &[],
        &["Authorization: Bearer ann"],
        &["Authorization: Basic ann-0123456789abcdef"],
        &["Authorization: Bearer"],
        &["Authorization: Bearer ann-0123456789abcdefg"],
    ];
    for headers in wrong {
        for line in ["GET /api/v1/databases", "POST /api/v1/conversations", "GET /metrics", "POST /mcp"] {
            let answer = server.send(line, headers, "").await;
            answer.is_problem(401, "unauthorized");
            assert_eq!(answer.header("www-authenticate").as_deref(), Some("Bearer"));
        }
    }
    assert_eq!(server.send("GET /api/v1/databases", &[ANN], "").await.status, 200);
    for open in ["GET /healthz", "GET /readyz", "GET /", "GET /api/v1/openapi.json"] {
        assert_eq!(server.send(open, &[], "").await.status, 200, "{open}");
    }
}

async fn begun(server: &Running, owner: &str, id: &str) {
    let body = json!({ "id": id }).to_string();
    assert_eq!(server.send("POST /api/v1/conversations", &[owner], &body).await.status, 201);
    let line = format!("POST /api/v1/conversations/{id}/turns");
    let body = json!({ "input": "How many customers are there?" }).to_string();
    assert_eq!(server.send(&line, &[owner], &body).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn anothers_conversation_does_not_exist() {
    let server = start(tokens()).await;
    begun(&server, ANN, "mine").await;
    let turns = server.send("GET /api/v1/conversations/mine/turns", &[ANN], "").await.json();
    let turn = turns["turns"][0]["id"].as_str().unwrap();
    begun(&server, BOB, "other").await;
    for id in ["mine", "@ann/mine", "%40ann%2Fmine", "..%2Fann%2Fmine", "@ann%2fmine"] {
        for rest in [
            "",
            "/turns",
            &format!("/turns/{turn}"),
            &format!("/turns/{turn}/rows"),
            &format!("/turns/{turn}/graph"),
        ] {
            let answer = server.send(&format!("GET /api/v1/conversations/{id}{rest}"), &[BOB], "").await;
            assert_eq!(answer.status, 404, "{id}{rest}: {}", answer.text());
        }
        for what in ["undo", "redo", "clear", "branch", "share", "cancel", "resume"] {
            let answer = server.send(&format!("POST /api/v1/conversations/{id}/{what}"), &[BOB], "").await;
            assert_eq!(answer.status, 404, "{id} {what}: {}", answer.text());
        }
        assert_eq!(server.send(&format!("DELETE /api/v1/conversations/{id}"), &[BOB], "").await.status, 404);
    }
    // A turn of hers is none of his conversation either.
    for rest in ["", "/rows", "/graph"] {
        let line = format!("GET /api/v1/conversations/other/turns/{turn}{rest}");
        server.send(&line, &[BOB], "").await.is_problem(404, "not_found");
    }
    let body = json!({ "turn": turn }).to_string();
    assert_eq!(server.send("POST /api/v1/conversations/other/branch", &[BOB], &body).await.status, 404);
    let listed = server.send("GET /api/v1/conversations", &[BOB], "").await.json();
    let ids: Vec<_> =
        listed["conversations"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids, [json!("other")]);
    // The same name is another conversation.
    begun(&server, BOB, "mine").await;
    assert_eq!(server.send("GET /api/v1/conversations/mine/turns", &[ANN], "").await.json(), turns);
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_lead_nowhere_else() {
    let server = start(Options::default()).await;
    for path in [
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2f..%2fetc/passwd",
        "//etc/passwd",
        "/page/../../src/lib.rs",
        "/api/v1/conversations/..%2f..%2f",
        "/api/v1/databases/..%2fsample/schema",
        "/api/v1/shared/..%2f@local",
        "/api/v1/conversations/%00",
        "/api/v1/conversations/%ff",
        "/mcp/../api/v1/databases",
        "/index.html%00.js",
    ] {
        let answer = server.get(path).await;
        assert!(matches!(answer.status, 400 | 404), "{path}: {} {}", answer.status, answer.text());
    }
    for id in ["", ".\u{7}", "a/b", "@ann", &"x".repeat(65)] {
        server.post("/api/v1/conversations", &json!({ "id": id })).await.is_problem(422, "unusable");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_not_read() {
    let server = start(Options::default()).await;
    let id = server.conversation().await;
    let path = format!("/api/v1/conversations/{id}/turns");
    let body = json!({ "input": "x".repeat(100_000) });
    server.post(&path, &body).await.is_problem(413, "bad_request");
    // A gigabyte is refused by what its header says, before any of it was sent.
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n",
        server.address
    );
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    tokio::time::timeout(Duration::from_secs(5), stream.read_exact(&mut answer)).await.unwrap().unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    // One without a length is read no further than is allowed.
    let chunk = format!("10000\r\n{}\r\n", "y".repeat(0x10000)).repeat(2);
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\
         Connection: close\r\n\r\n{chunk}",
        server.address
    );
    assert_eq!(server.raw(&request).await.status, 413);
    let large = format!("GET / HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n", server.address, "z".repeat(200_000));
    assert!(matches!(server.raw(&large).await.status, 400 | 431));
    for (body, status) in [
        ("{", 400),
        ("[]", 422),
        ("[\"a\"]", 422),
        ("{\"input\":1}", 422),
        ("{\"input\":\"a\",\"x\":1}", 422),
        ("{\"input\":\"a\",\"rows\":10001}", 422),
    ] {
        assert_eq!(server.send(&format!("POST {path}"), &[], body).await.status, status, "{body}");
    }
    let form = server.send(&format!("POST {path}"), &["Content-Type: text/plain"], "").await;
    assert_eq!(form.status, 415, "{}", form.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn too_much_at_a_time_is_told_to_wait() {
    let limits = Limits { rate: 1, ..Limits::default() };
    let server = start(Options { limits, ..tokens() }).await;
    let mut statuses = Vec::new();
    for _ in 0..14 {
        let answer = server.send("GET /api/v1/databases", &[ANN], "").await;
        if answer.status == 429 {
            assert!(answer.header("retry-after").is_some());
            answer.is_problem(429, "too_many");
        }
        statuses.push(answer.status);
    }
    assert_eq!((statuses[0], *statuses.last().unwrap()), (200, 429));
    assert_eq!(server.send("GET /api/v1/databases", &[BOB], "").await.status, 200);
}

/// Half-open connections do not keep others out, and do not live for ever.
#[tokio::test(flavor = "multi_thread")]
async fn connections_are_bounded() {
    let limits = Limits { connections: 2, ..Limits::default() };
    let server = start(Options { limits, ..Options::default() }).await;
    let mut first = TcpStream::connect(server.address).await.unwrap();
    let second = TcpStream::connect(server.address).await.unwrap();
    first.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n").await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let waits = tokio::time::timeout(Duration::from_millis(300), server.get("/healthz")).await;
    assert!(waits.is_err(), "a third connection was served");
    drop(second);
    let served = tokio::time::timeout(Duration::from_secs(5), server.get("/healthz")).await.unwrap();
    assert_eq!(served.status, 200);
}

/// Who begins a request and says no more, keeps a connection for nothing, sends a body drop by drop, or takes no answer, is
/// let go.
#[tokio::test(flavor = "multi_thread")]
async fn who_keeps_the_server_waiting_is_let_go() {
    let short = Duration::from_millis(300);
    let waits = Waits { head: short, body: short, reader: short };
    let server = start(Options { waits, ..Options::default() }).await;
    let id = server.conversation().await;
    let path = format!("/api/v1/conversations/{id}/turns");
    let post = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
    );
    for (begun, status) in [
        ("GET / HTTP/1.1\r\nHost: local", ""),
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "200"),
        (&post, "408"),
    ] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let (mut answer, mut request) = stream.split();
        request.write_all(begun.as_bytes()).await.unwrap();
        let drops = async {
            while begun.starts_with("POST") && request.write_all(b" ").await.is_ok() {
                tokio::time::sleep(short / 3).await;
            }
            std::future::pending::<()>().await
        };
        let mut said = Vec::new();
        let ends = tokio::time::timeout(Duration::from_secs(10), answer.read_to_end(&mut said));
        let ends = tokio::select! { ends = ends => ends, () = drops => unreachable!() };
        assert!(ends.is_ok(), "{begun}: the connection is open still");
        let said = String::from_utf8_lossy(&said);
        assert_eq!(said.split(' ').nth(1).unwrap_or_default(), status, "{begun}: {said}");
    }
    // More answers than fit into the buffers between the two, of which nothing is taken.
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let request = "GET /app.js HTTP/1.1\r\nHost: localhost\r\n\r\n";
    stream.write_all(request.repeat(3_000).as_bytes()).await.unwrap();
    let only_this = || async { server.get("/metrics").await.text().contains("sqlogue_connections_open 1\n") };
    assert!(!only_this().await, "the connection was never open");
    for _ in 0..100 {
        if only_this().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("a reader that takes nothing is waited for");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_is_guarded_by_its_headers() {
    let server = start(Options::default()).await;
    for path in ["/", "/api/v1/databases", "/nothing", "/healthz"] {
        let answer = server.get(path).await;
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options").as_deref(), Some("nosniff"), "{path}");
        assert_eq!(answer.header("x-frame-options").as_deref(), Some("DENY"), "{path}");
        assert!(answer.header("access-control-allow-origin").is_none(), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_machines_need_a_token() {
    let engine = Engine::builder().build().unwrap();
    let databases = Databases::new(engine, Vec::new(), Vec::new());
    let everywhere = "0.0.0.0:1".parse().unwrap();
    let open = Server::new(databases.clone(), Options::default());
    assert!(matches!(open.may_serve(&everywhere), Err(StartError::Open { .. })));
    for near in ["127.0.0.1:1", "[::1]:1", "127.8.8.8:1", "[::ffff:127.0.0.1]:1"] {
        assert!(open.may_serve(&near.parse().unwrap()).is_ok(), "{near}");
    }
    assert!(Server::new(databases, tokens()).may_serve(&everywhere).is_ok());
    let folder = tempfile::tempdir().unwrap();
    let refused = crate::cli_kit::call(folder.path(), &["serve", "--listen", "0.0.0.0:0"], "");
    refused.fails(2, "without a token");
    std::fs::write(folder.path().join("tokens"), "short").unwrap();
    let refused = crate::cli_kit::call(folder.path(), &["serve", "--token-file", "tokens"], "");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(!refused.stderr.contains("`short`"), "{refused:?}");
}

/// A file of tokens that others may read is not used, except where systemd hands it to the service alone.
#[cfg(unix)]
#[test]
fn tokens_are_read_where_nobody_else_can() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, "short").unwrap();
    for (mode, credentials, said) in [
        (0o600, false, "too short"),
        (0o440, false, "others may read"),
        (0o440, true, "too short"),
        (0o444, true, "others may read"),
    ] {
        std::fs::set_permissions(&tokens, std::fs::Permissions::from_mode(mode)).unwrap();
        let mut program = std::process::Command::new(assert_cmd::cargo::cargo_bin!("sqlogue"));
        program.args(["serve", "--token-file"]).arg(&tokens).env_clear().env("HOME", folder.path());
        if credentials {
            program.env("CREDENTIALS_DIRECTORY", folder.path());
        }
        let ended = program.output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.code() == Some(2) && told.contains(said), "{mode:o} {credentials}: {told}");
    }
}

/// No row, no question and no token is in what is logged.
#[tokio::test(flavor = "multi_thread")]
async fn the_log_holds_no_rows() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let mut program = Command::new(assert_cmd::cargo::cargo_bin!("sqlogue"))
        .args(["serve", "--listen", "127.0.0.1:0", "-v"])
        .current_dir(folder.path())
        .env_clear()
        .env("HOME", folder.path())
        .env("SQLOGUE_TOKEN", "ann-0123456789abcdef")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().parse().unwrap();
    let stop = tokio_util::sync::CancellationToken::new();
    let server = Running { address, stop, served: None };
    begun(&server, ANN, "c").await;
    let line = "POST /api/v1/conversations/c/turns";
    let body = json!({ "input": "show the email of customers" }).to_string();
    let turn = server.send(line, &[ANN], &body).await.json();
    let cell = turn["rows"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row.as_array().unwrap())
        .find_map(Value::as_str);
    let cell = cell.unwrap().to_owned();
    program.kill().unwrap();
    let mut log = String::new();
    program.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    program.wait().unwrap();
    assert!(!log.is_empty() && !log.contains(&cell) && !log.contains("0123456789abcdef"), "{log}");
}
