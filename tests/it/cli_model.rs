//! The program with a model behind a real server: by the environment, recorded, and replayed without the server.

use std::path::Path;

use serde_json::json;

use crate::cli_kit::{Outcome, sqlogue};
use crate::model_phases::Script;
use crate::model_server::KEY;
use crate::support::{COMPANIES, File};

const SQL: &str = "SELECT Name FROM Companies WHERE Status = 'Active'";

fn script() -> Script {
    let table = json!({"name": "Companies", "columns": ["Name", "Status"]});
    let relevant =
        json!({"is_relevant": true, "confidence": 0.95, "relevant_columns": ["Name"], "reasoning": "named"});
    Script::default()
        .on("table_relevance", &[relevant])
        .on(
            "query_understanding",
            &[json!({"tables": [table], "joins_needed": false, "reasoning": "active ones"})],
        )
        .sql(&[SQL])
}

async fn ask(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Outcome {
    let mut command = sqlogue(folder);
    command.args(["ask", "Which firms are still in business?", "--format", "json", "--db"]).args(arguments);
    command.envs(environment.iter().copied());
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_of_the_environment_answers_and_is_recorded_and_replayed() {
    let server = script().serve().await;
    let file = File::new("companies.sqlite", COMPANIES);
    let folder = tempfile::tempdir().unwrap();
    let database = file.path().to_str().unwrap().to_owned();
    let url = server.url.clone();
    let environment = [("OPENAI_BASE_URL", url.as_str()), ("OPENAI_API_KEY", KEY)];
    let recorded = ask(folder.path(), &[&database, "--record", "talk.jsonl", "-vvv"], &environment).await;
    assert_eq!(recorded.code, 0, "{recorded:?}");
    let answer = recorded.lines();
    assert_eq!(answer[0]["sql"], SQL, "{recorded:?}");
    assert!(!server.received().is_empty());
    let recording = std::fs::read_to_string(folder.path().join("talk.jsonl")).unwrap();
    for text in [&recorded.stdout, &recorded.stderr, &recording] {
        assert!(!text.contains(KEY), "the key is shown: {text}");
    }
    drop(server);
    let replayed = ask(folder.path(), &[&database, "--replay", "talk.jsonl"], &[]).await;
    assert_eq!(replayed.code, 0, "{replayed:?}");
    assert_eq!(replayed.lines()[0]["rows"], answer[0]["rows"]);
    let rules = [("SQLOGUE_REASONER", "rules")];
    let unasked = ask(folder.path(), &[&database], &[environment[0], environment[1], rules[0]]).await;
    assert_eq!(unasked.lines()[0]["usage"]["llm_calls"], 0, "the settings choose the rules: {unasked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_fails_the_turn_and_says_so() {
    let file = File::new("companies.sqlite", COMPANIES);
    let folder = tempfile::tempdir().unwrap();
    let database = file.path().to_str().unwrap().to_owned();
    let nowhere = [("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"), ("SQLOGUE_MODEL_ATTEMPTS", "1")];
    let outcome = ask(folder.path(), &[&database], &nowhere).await;
    outcome.fails(3, "");
    assert!(outcome.stdout.contains("127.0.0.1:9") || outcome.stderr.contains("127.0.0.1:9"), "{outcome:?}");
    let wrong = [("OPENAI_BASE_URL", "no address"), ("OPENAI_API_KEY", KEY)];
    let outcome = ask(folder.path(), &[&database], &wrong).await;
    outcome.fails(2, "`base_url` is no URL");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_prints_the_prompt_and_asks_nobody() {
    let server = script().serve().await;
    let file = File::new("companies.sqlite", COMPANIES);
    let folder = tempfile::tempdir().unwrap();
    let database = file.path().to_str().unwrap().to_owned();
    let url = server.url.clone();
    let environment = [("OPENAI_BASE_URL", url.as_str()), ("OPENAI_API_KEY", KEY)];
    let shown = ask(folder.path(), &[&database, "--dry-run"], &environment).await;
    assert_eq!((shown.code, server.hits()), (0, 0), "{shown:?}");
    for part in ["=== answer_question: system ===", "<question>", "Which firms", "table \"Companies\""] {
        assert!(shown.stdout.contains(part), "{part} is not in {}", shown.stdout);
    }
    assert!(!shown.stdout.contains(KEY));
    let rules = ask(folder.path(), &[&database, "--dry-run", "--reasoner", "rules"], &environment).await;
    assert_eq!(rules.stdout, "No model would be asked.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_chat_says_what_a_model_was_asked() {
    let server = script().serve().await;
    let file = File::new("companies.sqlite", COMPANIES);
    let folder = tempfile::tempdir().unwrap();
    let mut command = sqlogue(folder.path());
    command.args(["chat", "--db", file.path().to_str().unwrap()]);
    command
        .env("OPENAI_BASE_URL", &server.url)
        .write_stdin("Which firms are still in business?\n/cost\n/why\n");
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("last answer   1 model call, 100 tokens of prompts and 20 of answers"), "{said}");
    assert!(said.contains("cost       1 model call"), "{said}");
    assert!(said.contains("cells sent    ") && said.contains("cells sent "), "{said}");
}
