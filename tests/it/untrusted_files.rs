//! Files that are no files, or hold something else than they should.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlogue::ConversationState;

use crate::cli_kit::call;
use crate::support::{COMPANIES, File, converse};

/// Calls the program, which must come to an end soon.
fn soon(folder: &Path, words: &[&str]) -> crate::cli_kit::Outcome {
    let started = Instant::now();
    let outcome = call(folder, words, "");
    assert!(started.elapsed() < Duration::from_secs(20), "{words:?} took {:?}", started.elapsed());
    outcome
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_not_read() {
    let file = File::new("companies.db", COMPANIES);
    let folder = file.folder();
    let link = |name: &str| std::os::unix::fs::symlink("/dev/zero", folder.join(name)).unwrap();
    [
        "zero.csv",
        "zero.jsonl",
        "zero.csv.gz",
        "zero.parquet",
        "zero.tsv",
        "zero.xlsx",
        "zero.xls",
        "zero.db",
        "zero.yaml",
    ]
    .into_iter()
    .for_each(link);
    let ask = ["--db", "companies.db", "ask", "Show me companies"];
    for more in [
        &["--config", "/dev/zero"][..],
        &["--config", "/dev/random"],
        &["--config", "."],
        &["--state", "/dev/zero"],
        &["--state", "."],
        &["--dictionary", "zero.xlsx"],
        &["--dictionary", "zero.xls"],
        &["--dictionary", "/dev/zero"],
        &["--replay", "/dev/zero"],
    ] {
        let outcome = soon(folder, &[&ask[..], more].concat());
        assert_eq!(outcome.code, 2, "{more:?} gave {outcome:?}");
        outcome.is_sound();
    }
    for database in [
        "/dev/zero",
        "zero.csv",
        "zero.jsonl",
        "zero.csv.gz",
        "zero.parquet",
        "zero.tsv",
        "zero.xlsx",
        "zero.xls",
        "zero.db",
    ] {
        soon(folder, &["--db", database, "ask", "hi there"]).fails(2, "error: ");
    }
    soon(folder, &["sessions", "import", "/dev/zero"]).fails(2, "neither a file nor a pipe");
    soon(folder, &["graph", "--run", "/dev/zero"]).fails(2, "neither a file nor a pipe");
    soon(folder, &["eval", "--questions", "/dev/zero", "--database-dir", "."])
        .fails(2, "neither a file nor a pipe");
    fs::create_dir(folder.join("memory")).unwrap();
    for name in ["lessons_learned.yaml", "learned_lessons.json"] {
        std::os::unix::fs::symlink("/dev/zero", folder.join("memory").join(name)).unwrap();
    }
    fs::write(folder.join("memory.toml"), "memory_folder = 'memory'\n").unwrap();
    let outcome = soon(folder, &["--config", "memory.toml", "lessons", "list"]);
    assert!(outcome.stderr.contains("neither a file nor a pipe"), "{outcome:?}");
}

#[cfg(unix)]
#[test]
fn settings_and_conversations_come_through_pipes_too() {
    let file = File::new("companies.db", COMPANIES);
    let pipe = file.folder().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn(move || fs::write(pipe, "database = 'companies.db'\n").unwrap());
    let outcome = call(file.folder(), &["--config", "pipe", "ask", "Show me companies"], "");
    writer.join().unwrap();
    assert!(outcome.code == 0 && outcome.stdout.contains("Umbrella"), "{outcome:?}");
    let outcome = call(
        file.folder(),
        &["--config", "/dev/null", "--db", "companies.db", "ask", "Show me companies"],
        "",
    );
    assert_eq!(outcome.code, 0, "{outcome:?}");
}

#[test]
fn files_that_are_too_large_are_not_read() {
    let file = File::new("companies.db", COMPANIES);
    let folder = file.folder();
    fs::write(folder.join("large.toml"), "# large\n".repeat(200_000)).unwrap();
    soon(folder, &["--config", "large.toml", "ask", "hi"]).fails(2, "it is larger than 1 MB");
    fs::write(folder.join("large.json"), " ".repeat(11 << 20)).unwrap();
    soon(folder, &["ask", "hi", "--state", "large.json"]).fails(2, "it is larger than 10 MB");
}

/// Every object in a value, as a path to it; not those in cells, which are a value's own.
fn objects(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(path.to_owned());
            for (name, value) in fields {
                objects(value, &format!("{path}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                objects(item, &format!("{path}/{number}"), found);
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn a_list_is_no_object_anywhere_in_a_state() {
    let file = File::new("companies.db", COMPANIES);
    let engine = file.engine();
    let inputs =
        ["Show me companies where the status is Active", "sorted by name", "only those with a vendor"];
    let states = converse(&engine, &inputs).await;
    let state = states.last().unwrap();
    let saved: Value = serde_json::from_str(&state.to_json().unwrap()).unwrap();
    let mut paths = Vec::new();
    objects(&saved, "", &mut paths);
    assert!(paths.len() > 30, "{paths:?}");
    for path in &paths {
        let fields = saved.pointer(path).unwrap().as_object().unwrap();
        for list in [json!([]), fields.values().cloned().collect()] {
            let mut changed = saved.clone();
            *changed.pointer_mut(path).unwrap() = list;
            let read = ConversationState::from_json(&changed.to_string());
            assert!(read.is_err(), "a list was taken for the object at {path:?}");
        }
    }
    for field in ["usage", "total_usage", "scratch"] {
        let mut changed = saved.clone();
        changed[field] = json!([]);
        let error = ConversationState::from_json(&changed.to_string()).unwrap_err().to_string();
        assert!(error.contains("list"), "{field}: {error}");
    }
    // The state itself is still what it was.
    assert_eq!(&ConversationState::from_json(&saved.to_string()).unwrap(), state);
}

#[test]
fn a_list_is_no_object_in_a_line() {
    let file = File::new("companies.db", COMPANIES);
    let line =
        "{\"id\":\"1\",\"history\":[[\"Show me companies\",\"SELECT 1\"]],\"input\":\"only active\"}\n";
    let outcome = call(file.folder(), &["classify"], line);
    assert!(outcome.stdout.contains("`history[0]` must be an object, and is a list"), "{outcome:?}");
}
