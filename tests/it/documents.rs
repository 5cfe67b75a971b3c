//! Every example in the README and the documentation is read by the program, and run where that needs nothing but files.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use sqlogue::config::Settings;
use sqlogue::lesson::Lessons;

use crate::cli_kit::call;
use crate::support::{File, root};

/// What the examples speak of.
const SHOP: &str = "
    CREATE TABLE PROD_Customers (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), total REAL, status TEXT,
        order_date DATE);
    INSERT INTO customers VALUES (1, 'Ada', 'Rome'), (2, 'Bo', 'Oslo');
    INSERT INTO orders VALUES (1, 1, 9.5, 'open', '2025-03-01');
";

/// Why a line is not run. The part of it that is sqlogue's is still read.
const NOT_RUN: [(&str, &str); 20] = [
    ("ollama ", "another program"),
    ("vllm ", "another program"),
    ("llama-server ", "another program"),
    ("cargo install ", "needs the network"),
    ("cargo +nightly ", "needs another compiler"),
    ("cargo xtask ", "a program for developers, and needs data that is not here"),
    ("cargo run --example ", "a program for developers"),
    ("cargo run --release --example ", "a program for developers, and needs data that is not here"),
    ("docs/recording.sh ", "needs tmux and an optimised build"),
    ("export OPENAI_API_KEY", "says only where a key is kept"),
    ("--reasoner openai", "asks a model"),
    ("--reasoner hybrid", "asks a model"),
    ("--replay ", "needs the recording of a model"),
    ("sqlogue serve", "serves until it is stopped"),
    (" DATA", "needs data that is not here"),
    ("show ID", "needs the id of a lesson of one's own"),
    ("remove ID", "needs the id of a lesson of one's own"),
    ("schema accept ", "needs a reference that nobody declared"),
    ("schema reject ", "needs a reference that nobody declared"),
    ("schema add ", "needs tables of one's own"),
];

/// A fenced example.
struct Example {
    /// The file and the line where it begins.
    place: String,
    kind: String,
    text: String,
}

fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        docs.filter(|path| path.extension().is_some_and(|kind| kind == "md")).collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

fn examples() -> Vec<Example> {
    let mut examples = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let mut open: Option<Example> = None;
        for (number, line) in text.lines().enumerate() {
            match (line.strip_prefix("```"), &mut open) {
                (Some(kind), None) => {
                    let place = format!("{}:{}", page.strip_prefix(root()).unwrap().display(), number + 1);
                    open = Some(Example { place, kind: kind.to_owned(), text: String::new() });
                }
                (Some(_), Some(_)) => examples.extend(open.take()),
                (None, Some(example)) => example.text.push_str(&format!("{line}\n")),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{} has an example that does not end", page.display());
    }
    examples
}

#[test]
fn every_example_is_of_a_kind_that_is_checked() {
    let kinds: BTreeSet<String> = examples().into_iter().map(|example| example.kind).collect();
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    // `rust,no_run` is compiled with the documentation, `rust` is part of a program in `examples`, and `json` is compared with
    // what the program prints; `text` is nothing that is run.
    assert_eq!(kinds, ["json", "rust", "rust,no_run", "sh", "text", "toml", "yaml"]);
}

#[test]
fn settings_are_read() {
    for Example { place, text, .. } in examples().iter().filter(|example| example.kind == "toml") {
        if text.contains("[dependencies]") {
            let manifest: toml::Table = text.parse().unwrap_or_else(|error| panic!("{place}: {error}"));
            assert!(manifest["dependencies"].as_table().unwrap().contains_key("sqlogue"), "{place}");
            continue;
        }
        let read = Settings::from_sources(Some((place, text)), []);
        read.unwrap_or_else(|error| panic!("{place}: {error}"));
    }
}

#[test]
fn lessons_are_read() {
    for Example { place, text, .. } in examples().iter().filter(|example| example.kind == "yaml") {
        let (lessons, problems) = Lessons::from_yaml(text).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert!(problems.is_empty() && !lessons.is_empty(), "{place}: {problems:?}");
    }
}

/// The lines of a shell example: continued lines are joined, comments are left out.
fn lines(text: &str) -> Vec<String> {
    text.replace("\\\n", " ")
        .lines()
        .map(|line| line.split("  #").next().unwrap().trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

/// The line with the program that was built in place of how people begin it.
fn with_program(line: &str) -> String {
    let program = format!("'{}'", assert_cmd::cargo::cargo_bin!("sqlogue").display());
    if let Some(rest) = line.strip_prefix("cargo run --release") {
        return format!("{program} {}", rest.trim_start().trim_start_matches("-- "));
    }
    line.split(' ')
        .map(|word| if word == "sqlogue" { program.as_str() } else { word })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(unix)]
#[test]
fn commands_run() {
    let file = File::new("shop.db", SHOP);
    fs::copy(file.path(), file.folder().join("your.db")).unwrap();
    let mut left = Vec::new();
    for Example { place, text, .. } in examples().iter().filter(|example| example.kind == "sh") {
        for line in lines(text) {
            let reason = NOT_RUN.iter().find(|(part, _)| line.contains(part));
            let is_ours = line.split(' ').any(|word| word == "sqlogue");
            let command = match reason {
                None => with_program(&line),
                Some(_) if is_ours => {
                    // Where it stands last, `--help` is shown only if all before it was understood.
                    with_program(&line).replace(" > ", " --help > /dev/null; : ") + " --help"
                }
                Some((_, reason)) => {
                    left.push(format!("{place}: `{line}`: {reason}"));
                    continue;
                }
            };
            let output = Command::new("sh")
                .args(["-c", &command])
                .current_dir(file.folder())
                .env_clear()
                .env("HOME", file.folder())
                .env("PATH", std::env::var_os("PATH").unwrap())
                .env("SQLOGUE_MEMORY_FOLDER", "memory")
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            // A failed turn is an answer too: the example was understood.
            assert!(
                matches!(output.status.code(), Some(0 | 3 | 4)),
                "{place}: `{line}` gave {:?}: {said}",
                output.status
            );
            assert!(!said.contains("panicked"), "{place}: {said}");
        }
    }
    println!("not run:\n{}", left.join("\n"));
}

/// What stands between backticks in running text and tables.
fn inline_code() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let mut is_fenced = false;
        for (number, line) in text.lines().enumerate() {
            is_fenced ^= line.starts_with("```");
            if is_fenced || line.starts_with("```") {
                continue;
            }
            let place = format!("{}:{}", page.strip_prefix(root()).unwrap().display(), number + 1);
            found.extend(line.split('`').skip(1).step_by(2).map(|code| (place.clone(), code.to_owned())));
        }
    }
    found
}

#[test]
fn commands_in_running_text_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    for (place, code) in inline_code() {
        let Some(rest) = code.strip_prefix("sqlogue ") else { continue };
        let words = rest.replace('"', "");
        let words: Vec<&str> =
            words.split(' ').filter(|word| *word != "…" && !word.is_empty()).chain(["--help"]).collect();
        let outcome = call(folder.path(), &words, "");
        assert_eq!(outcome.code, 0, "{place}: `{code}` gave {outcome:?}");
    }
}

#[test]
fn settings_in_running_text_are_read() {
    for (place, code) in inline_code() {
        let is_setting = code.split_once(" = ").is_some_and(|(key, value)| {
            key.chars().all(|c| c.is_ascii_lowercase() || c == '_') && !value.contains("PLACE")
        });
        if !is_setting || code.contains("path or URL") {
            continue;
        }
        let in_section = format!("[model]\n{code}\n");
        let read = Settings::from_sources(Some(("text", &format!("{code}\n"))), [])
            .or_else(|_| Settings::from_sources(Some(("text", &in_section)), []));
        read.unwrap_or_else(|error| panic!("{place}: `{code}`: {error}"));
    }
}

#[test]
fn files_that_are_named_exist() {
    let mut texts: Vec<(String, String)> = inline_code();
    for entry in fs::read_dir(root().join("data")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "tsv") {
            let text = fs::read_to_string(&path).unwrap();
            let comments = text.lines().filter(|line| line.starts_with('#'));
            let words = comments.flat_map(|line| line.split(' '));
            texts.extend(
                words.map(|word| (path.display().to_string(), word.trim_end_matches(['.', ',']).to_owned())),
            );
        }
    }
    for (place, name) in texts {
        let is_path = [
            "src/",
            "crates/",
            "xtask/",
            "tests/",
            "examples/",
            "docs/",
            "data/",
            "prompts/",
            "graphs/",
            "benches/",
        ]
        .iter()
        .any(|folder| name.starts_with(folder));
        if is_path && !name.contains([' ', '*']) {
            assert!(root().join(&name).exists(), "{place} names `{name}`, which is not there");
        }
    }
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") || target.is_empty() {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(path.exists(), "{} links to `{target}`, which is not there", page.display());
            if !heading.is_empty() {
                let linked = fs::read_to_string(&path).unwrap();
                let headings = linked.lines().filter(|line| line.starts_with('#')).map(|line| {
                    let words = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
                    words
                        .chars()
                        .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
                        .collect::<String>()
                });
                assert!(
                    headings.into_iter().any(|known| known == heading),
                    "{} links to `{target}`",
                    page.display()
                );
            }
        }
    }
}

/// The first conversation of the README is what the program says.
#[test]
fn the_first_conversation_is_true() {
    let readme =
        examples().into_iter().find(|example| example.text.starts_with("$ cargo run --release\n")).unwrap();
    let asked: Vec<&str> = readme.text.lines().filter_map(|line| line.strip_prefix("> ")).collect();
    let folder = tempfile::tempdir().unwrap();
    let said = call(folder.path(), &["chat"], &(asked.join("\n") + "\n"));
    let mut said_lines = said.stdout.lines();
    for line in readme.text.lines().filter(|line| !line.starts_with(['$', '>']) && !line.is_empty()) {
        assert!(said_lines.any(|said| said == line), "`{line}` is not said, or not there:\n{}", said.stdout);
    }
}
