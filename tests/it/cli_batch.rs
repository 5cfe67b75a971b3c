//! `batch`, `classify` and `check`: JSON lines in, JSON lines out.

use serde_json::{Value, json};

use crate::cli_kit::{ECOMMERCE, call, call_bytes};
use crate::support::{COMPANIES, File};

fn statuses(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["status"].as_str().unwrap()).collect()
}

#[test]
fn sessions_are_conversations_and_lines_keep_their_order() {
    let file = File::new("shop.db", ECOMMERCE);
    let mut input = String::new();
    for session in 0..8 {
        for (turn, question) in ["Show me all users", "Only active", "sort by name"].iter().enumerate() {
            let line = json!({"id": format!("{session}-{turn}"), "session": session, "input": question});
            input.push_str(&(line.to_string() + "\n"));
        }
        input.push_str("{\"id\":\"alone\",\"input\":\"Show me all products\"}\n");
    }
    let run = |jobs| call(file.folder(), &["--db", "shop.db", "batch", "--jobs", jobs], &input).lines();
    let (one, four) = (run("1"), run("4"));
    assert_eq!(one.len(), 32);
    let comparable = |lines: &[Value]| -> Vec<Value> {
        let fields = ["id", "session", "turn", "status", "sql", "rows", "route", "intent"];
        lines.iter().map(|line| fields.iter().map(|field| line[*field].clone()).collect()).collect()
    };
    assert_eq!(comparable(&one), comparable(&four));
    assert_eq!(
        one.iter().take(4).map(|line| line["turn"].as_u64().unwrap()).collect::<Vec<_>>(),
        [1, 2, 3, 1]
    );
    assert_eq!(one[0]["session"], json!(0));
    assert_eq!(one[1]["row_count"], json!(2));
    assert_eq!(one[3]["row_count"], json!(3));
}

/// Conversations that were put away are gone on with as if they had stayed in memory.
#[test]
fn conversations_come_back_after_many_others() {
    let file = File::new("shop.db", ECOMMERCE);
    let mut input = String::new();
    for question in ["Show me all users", "Only active", "sort by name"] {
        for session in 0..40 {
            input.push_str(&(json!({"session": session, "input": question}).to_string() + "\n"));
        }
    }
    let run = |arguments: &[&str]| {
        let mut all = vec!["--db", "shop.db", "batch"];
        all.extend_from_slice(arguments);
        let outcome = call(file.folder(), &all, &input);
        outcome.is_sound();
        let fields = ["session", "turn", "status", "sql", "rows", "route", "intent"];
        let comparable =
            |line: &Value| -> Value { fields.iter().map(|field| line[*field].clone()).collect() };
        outcome.lines().iter().map(comparable).collect::<Vec<_>>()
    };
    let all_stay = run(&["--sessions-in-memory", "1000"]);
    assert!(all_stay[80..].iter().all(|line| line[1] == json!(3)), "{:?}", all_stay[80]);
    assert_eq!(run(&["--sessions-in-memory", "1"]), all_stay);
    assert_eq!(run(&["--sessions-in-memory", "7", "--jobs", "4"]), all_stay);
    std::fs::write(file.folder().join("sqlogue.toml"), "sessions_in_memory = 3\n").unwrap();
    assert_eq!(run(&[]), all_stay);
    std::fs::write(file.folder().join("sqlogue.toml"), "sessions_in_memory = 0\n").unwrap();
    call(file.folder(), &["batch"], "").fails(2, "`sessions_in_memory` must be at least 1");
    assert_eq!(std::fs::read_dir(file.folder()).unwrap().count(), 2, "nothing is left behind");
}

/// However many conversations there are, memory does not grow with them. `SQLOGUE_TEST_SESSIONS` sets another number.
#[cfg(target_os = "linux")]
#[test]
fn a_batch_takes_no_more_memory_for_more_conversations() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};
    let sessions: usize =
        std::env::var("SQLOGUE_TEST_SESSIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(1_000);
    let folder = tempfile::tempdir().unwrap();
    let mut batch = Command::new(assert_cmd::cargo::cargo_bin!("sqlogue"))
        .args(["batch", "--no-rows", "--sessions-in-memory", "50"])
        .current_dir(folder.path())
        .env_clear()
        // Memory that each thread's own heap keeps for later is not what is measured.
        .env("MALLOC_ARENA_MAX", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let memory = format!("/proc/{}/status", batch.id());
    let memory = || -> u64 {
        let status = std::fs::read_to_string(&memory).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let mut input = batch.stdin.take().unwrap();
    let asking = std::thread::spawn(move || {
        for session in 0..sessions {
            writeln!(input, "{}", json!({"session": session, "input": "Show all customers"})).unwrap();
        }
        // The first comes back.
        writeln!(input, "{}", json!({"session": 0, "input": "only from Germany"})).unwrap();
        input
    });
    let (mut early, mut last) = (0, Value::Null);
    for (number, line) in (1..).zip(BufReader::new(batch.stdout.take().unwrap()).lines()) {
        last = serde_json::from_str(&line.unwrap()).unwrap();
        if number == sessions / 3 {
            early = memory();
        }
        if number == sessions + 1 {
            break;
        }
    }
    let late = memory();
    drop(asking.join().unwrap());
    assert!(batch.wait().unwrap().success());
    assert_eq!((&last["turn"], &last["row_count"]), (&json!(2), &json!(30)), "{last}");
    println!("{sessions} sessions: {early} kB after a third of them, {late} kB at the end");
    // What was kept of each was 66 kB.
    let grown = late.saturating_sub(early);
    assert!(grown < 10_000 + sessions as u64, "{early} kB after a third of them, {late} kB at the end");
}

#[test]
fn no_line_is_lost() {
    let file = File::new("companies.db", COMPANIES);
    let good = "{\"id\":\"good\",\"session\":\"s\",\"input\":\"Show me companies\"}\n";
    let mut input = good.as_bytes().to_vec();
    for bad in [
        "nonsense",
        "",
        "{}",
        "[]",
        "{\"id\":5,\"input\":7}",
        "{\"id\":6,\"input\":\"x\",\"database\":\"companies\"}",
        "{\"id\":7,\"input\":\"\"}",
    ] {
        input.extend(format!("{bad}\n").bytes());
    }
    input.extend(b"\xff\xfe\n");
    input.extend("[".repeat(10_000).bytes());
    input.push(b'\n');
    input.extend("{\"id\":\"last\",\"session\":\"s\",\"input\":\"Add vendor column\"}".bytes());
    let outcome = call_bytes(file.folder(), &["--db", "companies.db", "batch", "--no-rows"], &input);
    outcome.is_sound();
    let lines = outcome.lines();
    assert_eq!((outcome.code, lines.len()), (0, 11), "{outcome:?}");
    assert_eq!(statuses(&lines).iter().filter(|status| **status == "failed").count(), 9);
    assert_eq!(lines[1]["id"], Value::Null);
    assert!(lines[1]["message"].as_str().unwrap().starts_with("line 2: "));
    assert_eq!(lines[5]["id"], json!(5));
    assert!(lines[6]["message"].as_str().unwrap().contains("--database-dir"));
    assert_eq!((&lines[10]["id"], &lines[10]["turn"]), (&json!("last"), &json!(2)));
    assert!(lines[10].get("rows").is_none());
}

#[test]
fn databases_are_found_by_name() {
    let file = File::new("shop.sqlite", ECOMMERCE);
    let folder = file.folder();
    std::fs::create_dir(folder.join("firms")).unwrap();
    let other = File::new("firms.sqlite", COMPANIES);
    std::fs::copy(other.path(), folder.join("firms/firms.sqlite")).unwrap();
    let input = [
        ("shop", "How many users are there?"),
        ("firms", "How many companies are there?"),
        ("../firms/firms", "x"),
        ("none", "x"),
    ]
    .map(|(database, question)| json!({"id": database, "database": database, "input": question}).to_string())
    .join("\n");
    let lines = call(folder, &["batch", "--database-dir", "."], &input).lines();
    assert_eq!(statuses(&lines), ["completed", "completed", "failed", "failed"]);
    assert_eq!((&lines[0]["rows"], &lines[1]["rows"]), (&json!([[3]]), &json!([[3]])));
    assert!(lines[2]["message"].as_str().unwrap().contains("no name of a database"));
    assert!(lines[3]["message"].as_str().unwrap().contains("no database `none`"));
}

#[test]
fn a_conversation_cannot_change_its_database() {
    let file = File::new("shop.sqlite", ECOMMERCE);
    std::fs::copy(File::new("firms.sqlite", COMPANIES).path(), file.folder().join("firms.sqlite")).unwrap();
    let input = [("shop", "Show me all users"), ("firms", "Only active"), ("shop", "Only active")]
        .map(|(database, question)| {
            json!({"session": "s", "database": database, "input": question}).to_string()
        })
        .join("\n");
    let lines = call(file.folder(), &["batch", "--database-dir", "."], &input).lines();
    assert_eq!(statuses(&lines), ["completed", "failed", "completed"]);
    assert_eq!(lines[2]["turn"], json!(2));
}

#[test]
fn inputs_are_classified() {
    let file = File::new("shop.sqlite", ECOMMERCE);
    let history = json!([{"input": "Show me all users", "sql": "SELECT * FROM users"}]);
    let input = [
        json!({"id": "1", "input": "Show me all products"}),
        json!({"id": "2", "database": "shop", "history": history, "input": "Only from last month"}),
        json!({"id": "3", "database": "missing", "history": history, "input": "Show me all products"}),
        json!({"id": "4", "history": null, "input": "/history"}),
        json!({"id": "5"}),
    ]
    .map(|line| line.to_string())
    .join("\n");
    let lines = call(file.folder(), &["classify", "--database-dir", "."], &input).lines();
    let intents: Vec<_> =
        lines.iter().map(|line| (line["intent"].clone(), line["confidence"].clone())).collect();
    assert_eq!(intents[0], (json!("new_query"), json!("high")));
    assert_eq!(intents[1], (json!("refinement"), json!("high")));
    assert_eq!(intents[2], (json!("new_query"), json!("high")));
    assert_eq!(intents[3].0, json!("command"));
    assert_eq!(lines[1]["signals"][0], json!({"rule": "refinement_keyword", "evidence": "only"}));
    assert_eq!(lines[4]["status"], json!("failed"));
}

#[test]
fn sql_is_judged_and_run() {
    let file = File::new("shop.db", ECOMMERCE);
    let statements = [
        "SELECT name FROM users",
        "DELETE FROM users",
        "SELECT nothing FROM users",
        "PRAGMA user_version = 3",
        "",
    ];
    let input = statements.map(|sql| json!({"id": sql, "sql": sql}).to_string()).join("\n");
    let judged = call(file.folder(), &["check"], &input).lines();
    let verdicts: Vec<_> = judged.iter().map(|line| line["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["allow", "reject", "allow", "reject", "reject"]);
    assert_eq!(judged[1]["code"], json!("write_statement"));
    assert!(judged[1]["reason"].is_string() && judged[0].get("outcome").is_none());
    let run = call(file.folder(), &["--db", "shop.db", "check", "--execute"], &input).lines();
    let outcomes: Vec<_> = run.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["rows", "rejected", "error", "rejected", "rejected"]);
    assert_eq!(run[0]["row_count"], json!(3));
    call(file.folder(), &["check", "--execute"], "").fails(2, "hint: name one with `--db`");
    call(file.folder(), &["check", "--dialect", "cobol"], "").fails(2, "unknown SQL dialect");
}

#[test]
fn answers_are_measured_against_gold_queries() {
    let file = File::new("shop.sqlite", ECOMMERCE);
    let singles = json!([
        {"db_id": "shop", "question": "How many users are there?", "query": "SELECT count(*) FROM users"},
        {"db_id": "shop", "question": "Show me all products", "query": "SELECT * FROM users"},
        {"db_id": "shop", "question": "blorp florp", "query": "SELECT 1"},
        {"db_id": "shop", "question": "Show me all users", "query": "SELECT nothing FROM users"},
    ]);
    let talks = json!([
        {"database_id": "shop", "interaction": [
            {"utterance": "Show me all users", "query": "SELECT * FROM users"},
            {"utterance": "Only active", "query": "SELECT * FROM users WHERE status = 'active'"}]},
        {"database_id": "shop", "interaction": [
            {"utterance": "Show me all users", "query": "SELECT * FROM users"},
            {"utterance": "Only active", "query": "SELECT 1"}]},
    ]);
    std::fs::write(file.folder().join("singles.json"), singles.to_string()).unwrap();
    std::fs::write(file.folder().join("talks.json"), talks.to_string()).unwrap();
    let eval = |arguments: &[&str]| {
        let common = ["eval", "--database-dir", ".", "--format", "json", "--questions"];
        call(file.folder(), &[&common, arguments].concat(), "")
    };
    let outcome = eval(&["singles.json", "--details", "details.jsonl"]);
    let report = &outcome.lines()[0];
    assert_eq!(
        (&report["questions"], &report["scored"], &report["right"]),
        (&json!(4), &json!(3), &json!(1))
    );
    assert_eq!(report["precision"], json!(0.5));
    let details = std::fs::read_to_string(file.folder().join("details.jsonl")).unwrap();
    assert_eq!(details.lines().count(), 4);
    let report = &eval(&["talks.json", "--jobs", "2"]).lines()[0];
    assert_eq!(
        (&report["llm_calls"], &report["without_call"]),
        (&0.into(), &1.0.into()),
        "the rules call nobody"
    );
    assert_eq!((&report["accuracy"], &report["interaction_match"]), (&json!(0.75), &json!(0.5)));
    assert_eq!(report["by_turn"], json!([{"right": 2, "of": 2}, {"right": 1, "of": 2}]));
    eval(&["missing.json"]).fails(2, "cannot be read");
    std::fs::write(file.folder().join("none.json"), "{}").unwrap();
    eval(&["none.json"]).fails(2, "expected a list");
}

#[test]
fn a_gold_query_without_an_end_is_stopped_and_not_scored() {
    let file = File::new("shop.sqlite", ECOMMERCE);
    let questions = json!([
        {"db_id": "shop", "question": "How many users are there?", "query": "SELECT count(*) FROM users"},
        {"db_id": "shop", "question": "How many users are there?",
         "query": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"},
    ]);
    std::fs::write(file.folder().join("questions.json"), questions.to_string()).unwrap();
    std::fs::write(file.folder().join("sqlogue.toml"), "query_timeout = 0.3").unwrap();
    let arguments = ["eval", "--database-dir", ".", "--format", "json", "--questions", "questions.json"];
    let outcome = call(file.folder(), &[&arguments[..], &["--misses", "misses.txt"]].concat(), "");
    let report = &outcome.lines()[0];
    assert_eq!(
        (&report["questions"], &report["scored"], &report["right"]),
        (&json!(2), &json!(1), &json!(1))
    );
    assert_eq!(report["by_clause"]["aggregate"]["questions"], json!(1));
    assert_eq!(report["wrong_not_low"], json!(0.0));
    assert_eq!(std::fs::read_to_string(file.folder().join("misses.txt")).unwrap(), "");
}
