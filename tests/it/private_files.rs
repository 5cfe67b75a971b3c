//! What the program writes of people's data and words is for its owner only, also where everything else is for everybody.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::cli_kit::sqlogue;

const DATABASE: &str =
    "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users VALUES (1, 'Ada');";

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).permissions().mode()
        & 0o777
}

/// Runs the program as a person does whose new files everybody may read.
fn run(folder: &Path, words: &[&str], input: &str) -> String {
    run_with(folder, &[], words, input)
}

fn run_with(folder: &Path, environment: &[(&str, &str)], words: &[&str], input: &str) -> String {
    let program = sqlogue(folder).get_program().to_owned();
    let mut command = assert_cmd::Command::new("sh");
    command.args(["-c", "umask 022; exec \"$0\" \"$@\""]).arg(program).args(words);
    command
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("PATH", std::env::var_os("PATH").unwrap());
    command.envs(environment.iter().copied());
    let output = command.write_stdin(input).timeout(std::time::Duration::from_secs(120)).output().unwrap();
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.code().is_some_and(|code| code == 0 || code == 3), "{words:?}: {said:?}");
    said.concat()
}

fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    rusqlite::Connection::open(folder.path().join("t.db")).unwrap().execute_batch(DATABASE).unwrap();
    folder
}

/// Every file that is there and was not before, made by a call of the program, is private; so is one that was open to all.
fn writes(folder: &Path, names: &[&str], words: &[&str], input: &str) {
    for again in [false, true] {
        if again {
            for name in names {
                fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o644)).unwrap();
            }
        }
        let said = run(folder, words, input);
        for name in names {
            let path = folder.join(name);
            assert!(fs::metadata(&path).is_ok_and(|metadata| metadata.len() > 0), "{name}: {said}");
            assert_eq!(mode(&path), 0o600, "{name}, {}", if again { "again" } else { "new" });
        }
    }
    let hidden = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = hidden.filter(|name| name.ends_with(".new")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn saved_states_and_runs_are_private() {
    let folder = place();
    let words = [
        "--db",
        "t.db",
        "ask",
        "How many users are there?",
        "--save-state",
        "state.json",
        "--save-run",
        "run.json",
    ];
    writes(folder.path(), &["state.json", "run.json"], &words, "");
}

#[test]
fn exports_are_private() {
    let folder = place();
    let names = ["rows.csv", "rows.xlsx", "rows.json", "rows.jsonl", "rows.md", "graph.svg"];
    let mut input = String::from("Show all users\n");
    for name in &names[..5] {
        input.push_str(&format!("/export {name}\n"));
    }
    input.push_str("/graph graph.svg\n/quit\n");
    writes(folder.path(), &names, &["--db", "t.db", "chat"], &input);
}

#[test]
fn stores_and_their_exports_are_private() {
    let folder = place();
    let ask =
        ["--store", "kept.sqlite", "--db", "t.db", "ask", "--session", "one", "How many users are there?"];
    run(folder.path(), &ask, "");
    assert_eq!(mode(&folder.path().join("kept.sqlite")), 0o600);
    for (name, format) in [("talk.json", "json"), ("talk.md", "markdown")] {
        let words =
            ["--store", "kept.sqlite", "--format", format, "sessions", "export", "one", "--output", name];
        writes(folder.path(), &[name], &words, "");
    }
}

#[test]
fn recordings_of_a_model_are_private() {
    let folder = place();
    let words = [
        "--db",
        "t.db",
        "--reasoner",
        "openai",
        "--record",
        "talk.jsonl",
        "ask",
        "How many users are there?",
    ];
    let recorded = |again: bool| {
        if again {
            fs::set_permissions(folder.path().join("talk.jsonl"), fs::Permissions::from_mode(0o644)).unwrap();
        }
        // Nobody answers at this address, which is recorded too.
        let nowhere = [("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"), ("SQLOGUE_MODEL_ATTEMPTS", "1")];
        let said = run_with(folder.path(), &nowhere, &words, "");
        let path = folder.path().join("talk.jsonl");
        assert!(fs::metadata(&path).is_ok_and(|metadata| metadata.len() > 0), "{said}");
        assert_eq!(mode(&path), 0o600);
    };
    recorded(false);
    recorded(true);
}

#[test]
fn lessons_are_private() {
    let folder = place();
    fs::write(folder.path().join("sqlogue.toml"), "memory_folder = \"memory\"\n").unwrap();
    let words = ["--db", "t.db", "lessons", "add", "table", "clients", "users"];
    run(folder.path(), &words, "");
    for name in ["learned_lessons.json", "learned_lessons.lock"] {
        assert_eq!(mode(&folder.path().join("memory").join(name)), 0o600, "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_typed_is_private() {
    let folder = place();
    // `script` runs a command on a terminal of its own; only there are lines remembered.
    if std::process::Command::new("script").arg("--version").output().is_err() {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "SKIPPED the history: `script` is not installed");
        return;
    }
    let path = folder.path().join(".local/share/sqlogue/history.txt");
    for again in [false, true] {
        if again {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        }
        let program = sqlogue(folder.path()).get_program().to_str().unwrap().to_owned();
        let mut script = assert_cmd::Command::new("script");
        script.args(["-q", "-e", "-c", &format!("umask 022; '{program}' --db t.db chat"), "/dev/null"]);
        script
            .current_dir(folder.path())
            .env_remove("XDG_DATA_HOME")
            .env("HOME", folder.path())
            .env("TERM", "xterm");
        drop(script.write_stdin("/quit\r").timeout(std::time::Duration::from_secs(30)).output().unwrap());
        assert_eq!(mode(&path), 0o600);
    }
}
