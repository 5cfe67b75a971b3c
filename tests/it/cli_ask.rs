//! `ask`: the flow's three turns through files, formats, approval, and input of every bad kind.

use serde_json::{Value, json};

use crate::cli_kit::{ECOMMERCE, call, call_bytes, sqlogue};
use crate::support::{COMPANIES, File};

#[test]
fn three_turns_through_a_saved_state() {
    let file = File::new("companies.db", COMPANIES);
    let turns = ["Show me companies", "Add vendor column", "Only active companies"];
    let mut states: Vec<Value> = Vec::new();
    for (number, question) in turns.iter().enumerate() {
        let mut arguments = vec!["--db", "companies.db", "ask", question, "--save-state", "talk.json"];
        if number > 0 {
            arguments.extend(["--state", "talk.json"]);
        }
        let outcome = call(file.folder(), &arguments, "");
        assert_eq!(outcome.code, 0, "{outcome:?}");
        states.push(
            serde_json::from_str(&std::fs::read_to_string(file.folder().join("talk.json")).unwrap()).unwrap(),
        );
    }
    let field = |name: &str| states.iter().map(|state| state[name].clone()).collect::<Vec<_>>();
    let lengths =
        |name: &str| field(name).iter().map(|list| list.as_array().unwrap().len()).collect::<Vec<_>>();
    assert_eq!(field("is_continuation"), [json!(false), json!(true), json!(true)]);
    assert_eq!(lengths("user_questions"), [1, 2, 3]);
    assert_eq!(lengths("queries"), [1, 2, 3]);
    assert_eq!(lengths("planner_outputs"), [1, 1, 2]);
    assert_eq!(field("router_mode"), [Value::Null, Value::Null, json!("update")]);
    let instructions = states[2]["router_instructions"].as_str().unwrap();
    assert!(instructions.contains("Status") && instructions.contains("Active"), "{instructions}");
    assert!(states.iter().all(|state| state["session_id"] == states[0]["session_id"]));
    assert_eq!(field("user_question"), turns.map(|turn| json!(turn)));
    let names = |state: &Value| -> Vec<Value> {
        let columns = state["result"]["columns"].as_array().unwrap();
        let name = columns.iter().position(|column| column == "Name").unwrap();
        state["result"]["rows"].as_array().unwrap().iter().map(|row| row[name].clone()).collect()
    };
    assert_eq!(names(&states[0]), [json!("Acme"), json!("Globex"), json!("Umbrella")]);
    assert_eq!(names(&states[1]), [json!("Acme"), json!("Globex"), json!("Umbrella")]);
    assert_eq!(names(&states[2]), [json!("Acme"), json!("Umbrella")]);
    assert!(states[1]["result"]["columns"].as_array().unwrap().contains(&json!("Vendor")));
    let leftovers: Vec<_> =
        std::fs::read_dir(file.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(leftovers.len(), 2, "only the database and the state: {leftovers:?}");
}

#[test]
fn every_format_has_all_rows() {
    let file = File::new("companies.db", COMPANIES);
    let print = |format| {
        let outcome = call(
            file.folder(),
            &["--db", "companies.db", "ask", "Show me companies", "--format", format],
            "",
        );
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert_eq!(outcome.stderr, "");
        outcome.stdout
    };
    assert_eq!(
        print("csv"),
        "Id,Name,Vendor,Status\r\n1,Acme,Initech,Active\r\n2,Globex,Hooli,Inactive\r\n3,Umbrella,,Active\r\n"
    );
    assert_eq!(
        print("jsonl").lines().last().unwrap(),
        r#"{"Id":3,"Name":"Umbrella","Vendor":null,"Status":"Active"}"#
    );
    assert!(print("markdown").starts_with("| Id | Name | Vendor | Status |\n| ---: | --- | --- | --- |\n"));
    let table = print("table");
    assert!(
        table.starts_with("SELECT * FROM Companies\n\n| Id | Name     | Vendor  | Status   |\n"),
        "{table}"
    );
    assert!(table.contains("| NULL "), "{table}");
    assert!(table.contains("\n3 rows ("), "{table}");
    let line: Value = serde_json::from_str(&print("json")).unwrap();
    let keys: Vec<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "id",
            "session",
            "turn",
            "status",
            "intent",
            "confidence",
            "route",
            "sql",
            "answer_confidence",
            "columns",
            "rows",
            "row_count",
            "truncated",
            "message",
            "options",
            "left_out",
            "doubts",
            "readings",
            "refinement_summary",
            "path",
            "usage",
            "elapsed_ms",
        ]
    );
    assert_eq!(
        line["path"],
        json!(["analyze_schema", "planner", "generate_query", "execute_query", "cleanup"])
    );
    assert_eq!(line["usage"], json!({"llm_calls": 0, "prompt_tokens": 0, "completion_tokens": 0}));
}

#[test]
fn a_result_limit_cuts_what_is_shown() {
    let file = File::new("companies.db", COMPANIES);
    let arguments =
        ["--db", "companies.db", "--result-limit", "2", "--format", "json", "ask", "Show me companies"];
    let line = &call(file.folder(), &arguments, "").lines()[0];
    assert_eq!(line["rows"].as_array().unwrap().len(), 2);
    assert_eq!((&line["row_count"], &line["truncated"]), (&json!(3), &json!(true)));
}

#[test]
fn sql_runs_only_after_a_yes() {
    let file = File::new("companies.db", COMPANIES);
    let ask = |input| {
        call(file.folder(), &["--db", "companies.db", "ask", "Show me companies", "--confirm"], input)
    };
    let yes = ask("y\n");
    assert_eq!(yes.code, 0, "{yes:?}");
    assert!(yes.stderr.contains("SELECT * FROM Companies\nRun this? [y/N]"), "{yes:?}");
    assert!(yes.stdout.contains("Umbrella"));
    for input in ["n\n", "", "yesterday\n"] {
        let no = ask(input);
        no.fails(3, "not confirmed");
        assert!(!no.stdout.contains("Umbrella"));
    }
}

#[test]
fn an_answer_can_be_explained_and_recorded() {
    let file = File::new("companies.db", COMPANIES);
    let arguments =
        ["--db", "companies.db", "ask", "Show me companies", "--explain", "--save-run", "run.json"];
    let outcome = call(file.folder(), &arguments, "");
    assert!(outcome.stdout.contains("taken for  a new question"), "{outcome:?}");
    assert!(outcome.stdout.contains("path       analyze_schema → planner"), "{outcome:?}");
    let drawn = call(file.folder(), &["graph", "--format", "json", "--run", "run.json"], "");
    let picture: Value = serde_json::from_str(&drawn.stdout).unwrap();
    assert_eq!(picture["painted"], true);
    assert!(call(file.folder(), &["graph"], "").stdout.starts_with("digraph"));
    call(file.folder(), &["graph", "--run", "companies.db"], "").fails(2, "cannot be read: it is not text");
    call(file.folder(), &["graph", "--format", "csv"], "")
        .fails(2, "hint: use one of: dot, mermaid, svg, json");
}

#[test]
fn a_database_that_cannot_be_used_is_a_mistake_of_usage() {
    let file = File::new("companies.db", COMPANIES);
    let folder = file.folder();
    std::fs::write(folder.join("text.db"), "This is no database, whatever its name says.\n").unwrap();
    std::fs::write(folder.join("empty.db"), "").unwrap();
    for (database, said) in [
        ("missing.db", "no database at `missing.db`\nhint: "),
        ("text.db", "`text.db` is not a SQLite database\nhint: "),
        ("empty.db", "`empty.db` is empty\nhint: "),
        (".", "there is no CSV, JSON, Parquet or Excel file in the folder"),
        ("mssql://host/x", "`mssql`"),
    ] {
        let outcome = call(folder, &["--db", database, "ask", "How many companies are there?"], "");
        outcome.fails(2, said);
        assert!(outcome.stderr.starts_with("error: "), "{outcome:?}");
    }
    let outcome = sqlogue(folder).env("SQLOGUE_DATABASE", "missing.db").args(["ask", "hi"]).output().unwrap();
    assert_eq!(outcome.status.code(), Some(2));
}

#[test]
fn a_database_without_tables_is_said_to_have_none() {
    let file = File::new("bare.db", "CREATE TABLE t (a); DROP TABLE t;");
    let outcome = call(file.folder(), &["--db", "bare.db", "ask", "How many companies are there?"], "");
    outcome.fails(3, "no tables");
    assert_eq!(
        call(file.folder(), &["--db", "bare.db", "schema"], "").stdout,
        "The database has no tables.\n"
    );
}

#[test]
fn the_schema_tells_what_the_index_of_values_takes() {
    let file = File::new("companies.db", COMPANIES);
    let said = call(file.folder(), &["--db", "companies.db", "schema"], "").stdout;
    let last = said.lines().last().unwrap_or_default();
    assert!(last.starts_with("Index of values: ") && last.contains(" MB of at most 64 MB"), "{said}");
    let bounded = sqlogue(file.folder())
        .env("SQLOGUE_INDEX_MEGABYTES", "0")
        .args(["--db", "companies.db", "schema"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&bounded.stdout).into_owned();
    assert!(said.contains("Index of values: 0 values") && said.contains("left out"), "{said}");
}

#[test]
fn questions_of_every_bad_kind_get_an_answer() {
    let file = File::new("companies.db", COMPANIES);
    let ask = |question: &str| call(file.folder(), &["--db", "companies.db", "ask", "--", question], "");
    for question in ["", "   ", "?!", "\u{1}\u{2}"] {
        ask(question).fails(3, "no question");
    }
    for question in [
        "Wie viele Firmen gibt es hier eigentlich?",
        "有多少家公司？",
        "\u{1b}[31mblorp\u{7} florp",
        "DROP TABLE Companies",
    ] {
        let outcome = ask(question);
        assert!([0, 3, 4].contains(&outcome.code), "{outcome:?}");
        outcome.is_sound();
        assert!(outcome.code == 0 || !outcome.stderr.is_empty() || !outcome.stdout.is_empty());
    }
    // Arguments have a limit of their own, so a megabyte comes by another way.
    let line = json!({"id": 1, "input": "company ".repeat(131_072)}).to_string()
        + "\n{\"id\":2,\"input\":\"Show me companies\"}\n";
    let outcome = call(file.folder(), &["--db", "companies.db", "batch"], &line);
    let lines = outcome.lines();
    assert_eq!(
        (lines.len(), &lines[0]["status"], &lines[1]["status"]),
        (2, &json!("failed"), &json!("completed"))
    );
    assert!(lines[0]["message"].as_str().unwrap().contains("long"), "{}", lines[0]["message"]);
}

#[test]
fn a_state_that_cannot_be_used_is_a_mistake_of_usage() {
    let file = File::new("companies.db", COMPANIES);
    let folder = file.folder();
    let save = ["--db", "companies.db", "ask", "Show me companies", "--save-state", "talk.json"];
    assert_eq!(call(folder, &save, "").code, 0);
    let saved: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("talk.json")).unwrap()).unwrap();
    let ask = |state: &str| {
        std::fs::write(folder.join("bad.json"), state).unwrap();
        call(folder, &["--db", "companies.db", "ask", "Add vendor column", "--state", "bad.json"], "")
    };
    let with = |field: &str, value: Value| {
        let mut state = saved.clone();
        state[field] = value;
        ask(&state.to_string())
    };
    with("version", json!(99)).fails(2, "version 99");
    with("database", json!("other")).fails(2, "`other`");
    with("turns", json!("none")).fails(2, "damaged");
    with("session_id", json!("")).fails(2, "session_id");
    ask("").fails(2, "damaged");
    ask("[[[[").fails(2, "damaged");
    ask(&"[".repeat(100_000)).fails(2, "damaged");
    ask("\u{0}").fails(2, "damaged");
    call(folder, &["ask", "hi", "--state", "missing.json"], "").fails(2, "hint: leave `--state` out");
    std::fs::write(folder.join("bytes.json"), [0xff, 0xfe]).unwrap();
    call_bytes(folder, &["ask", "hi", "--state", "bytes.json"], b"").fails(2, "UTF-8");
    let nowhere = ["--db", "companies.db", "ask", "Show me companies", "--save-state", "missing/talk.json"];
    let outcome = call(folder, &nowhere, "");
    outcome.fails(2, "cannot be saved as `missing/talk.json`: there is no such folder");
    assert!(outcome.stdout.contains("Umbrella"), "the answer is shown all the same");
}

#[test]
fn usage_and_settings_are_checked() {
    let file = File::new("shop.db", ECOMMERCE);
    let folder = file.folder();
    call(folder, &["batc"], "").fails(2, "batch");
    call(folder, &["ask"], "").fails(2, "QUESTION");
    call(folder, &["--reasoner", "oracle", "ask", "hi"], "").fails(2, "oracle");
    call(folder, &["--format", "dot", "ask", "hi"], "").fails(2, "does not print `dot`");
    assert_eq!(call(folder, &["--version"], "").code, 0);
    assert!(call(folder, &["--help"], "").stdout.contains("Exit codes:"));
    std::fs::write(folder.join("sqlogue.toml"), "reslt_limit = 3\n").unwrap();
    call(folder, &["ask", "hi"], "").fails(2, "did you mean `result_limit`?");
    std::fs::write(folder.join("sqlogue.toml"), "database = \"shop.db\"\n").unwrap();
    let outcome = call(folder, &["ask", "How many users are there?", "--format", "jsonl"], "");
    assert_eq!((outcome.code, outcome.stdout.contains(":3}")), (0, true), "{outcome:?}");
    call(folder, &["--config", "missing.toml", "ask", "hi"], "").fails(2, "missing.toml");
}

#[test]
fn nobody_reading_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("sqlogue"))
        .args(["ask", "Show me all orders", "--format", "csv"])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}
