//! The fuzz targets without a fuzzer: texts made from the tests' own by chance, for as long as one likes.
//!
//! `cargo run --release --example fuzz -- guard 600` tries one target for ten minutes; without arguments each of them is
//! tried for ten seconds. It ends at the first finding, which it prints. `cargo fuzz` (docs/security.md) finds more,
//! because it sees which texts lead to new code; `-- seeds fuzz/corpus` writes the texts that it begins with.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    reason = "a test that prints"
)]

#[path = "../fuzz/targets.rs"]
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::Value as Json;
use sqlogue::Engine;

type Target = (&'static str, fn(&str));

const TARGETS: [Target; 4] = [
    ("guard", targets::guard),
    ("state", targets::state),
    ("correction", targets::correction),
    ("intent", targets::intent),
];

/// The longest text.
const LONGEST: usize = 8_000;

/// The stack that threads have by default.
const STACK: usize = 2 << 20;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next();
    if name.as_deref() == Some("seeds") {
        return write_seeds(Path::new(&arguments.next().expect("a folder")));
    }
    let seconds = arguments.next().map_or(10, |seconds| seconds.parse().expect("seconds are a number"));
    let mut known = false;
    for (target, run) in TARGETS {
        if name.as_deref().is_none_or(|name| name == target) {
            known = true;
            let work = move || fuzz(target, run, Duration::from_secs(seconds));
            std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
        }
    }
    assert!(known, "the targets are guard, state, correction and intent; `seeds` writes their texts");
}

/// A folder for each target, and in it a file for each text.
fn write_seeds(folder: &Path) {
    for (target, _) in TARGETS {
        let folder = folder.join(target);
        std::fs::create_dir_all(&folder).unwrap();
        for (number, text) in seeds(target).iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number}")), text).unwrap();
        }
    }
}

fn fuzz(target: &str, run: fn(&str), time: Duration) {
    let seeds = seeds(target);
    let seed = std::time::UNIX_EPOCH.elapsed().unwrap().subsec_nanos().into();
    let mut rng = Rng::with_seed(seed);
    let (started, mut texts) = (Instant::now(), 0_u64);
    while started.elapsed() < time {
        let text = text(&seeds, &mut rng);
        let begun = Instant::now();
        if catch_unwind(AssertUnwindSafe(|| run(&text))).is_err() {
            eprintln!("{target}: a finding after {texts} texts (seed {seed}): {text:?}");
            std::process::exit(1);
        }
        if begun.elapsed() > Duration::from_secs(5) {
            eprintln!("{target}: {:?} for {text:?}", begun.elapsed());
            std::process::exit(1);
        }
        texts += 1;
    }
    println!("{target}: {texts} texts in {} s, no finding (seed {seed})", time.as_secs());
}

/// Texts to begin with.
fn seeds(target: &str) -> Vec<String> {
    let field = |lines: &str, name: &str| -> Vec<String> {
        let read =
            |line: &str| serde_json::from_str::<Json>(line).ok()?.get(name)?.as_str().map(str::to_owned);
        lines.lines().filter_map(read).collect()
    };
    let statements = [
        include_str!("../tests/data/hostile_sqlite.jsonl"),
        include_str!("../tests/data/harmless_sqlite.jsonl"),
        include_str!("../tests/data/hostile_postgres.jsonl"),
    ];
    let inputs = field(include_str!("../tests/data/intent.jsonl"), "input");
    match target {
        "guard" => statements.iter().flat_map(|lines| field(lines, "sql")).collect(),
        "state" => states(),
        "correction" => {
            let answers = ["2", "the second one", "use table orders", "select orders not customers"];
            let joins = ["join orders.id with customers.id", "orders.customer_id = customers.id"];
            let forms = [
                r#"{"type":"table_selection","selected_table":"orders","rejected_tables":["customers"]}"#,
                r#"{"type":"join_clarification","left":{"table":"a","column":"b"},"right":{"table":"c","column":"d"}}"#,
            ];
            answers.into_iter().chain(joins).chain(forms).map(str::to_owned).chain(inputs).collect()
        }
        _ => inputs,
    }
}

/// A conversation, saved after each of its turns.
fn states() -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let engine = Engine::builder().build().unwrap();
        let (mut saved, mut state) = (Vec::new(), None);
        for question in
            ["How many customers are there?", "Only from Germany", "drop table customers", "by city"]
        {
            let after = engine.query_database(question, state).await.unwrap();
            saved.push(after.to_json().unwrap());
            state = Some(after);
        }
        saved
    })
}

/// A text made from those that are known.
fn text(seeds: &[String], rng: &mut Rng) -> String {
    const PIECES: [&str; 40] = [
        "(",
        ")",
        "'",
        "\"",
        "`",
        "[",
        "]",
        "{",
        "}",
        ";",
        "--",
        "/*",
        "*/",
        "\0",
        "\n",
        "\r",
        "\\",
        "$$",
        "E'",
        ",",
        ".",
        "SELECT ",
        "WITH a AS (",
        " UNION SELECT ",
        " FROM t",
        "DELETE FROM t",
        "CASE WHEN ",
        " END",
        "NOT ",
        " IS ",
        "null",
        "1e999",
        "-9223372036854775808",
        "\u{202e}",
        "\u{feff}",
        "ß",
        "💥",
        " only ",
        " instead ",
        "pragma_",
    ];
    let mut text: Vec<char> = rng.choice(seeds).unwrap().chars().collect();
    for _ in 0..rng.usize(1..8) {
        let place = |rng: &mut Rng, text: &[char]| rng.usize(..=text.len());
        let (from, to) = (place(rng, &text), place(rng, &text));
        let (from, to) = (from.min(to), from.max(to));
        match rng.u8(..6) {
            0 => drop(text.drain(from..to.min(from + 40))),
            1 => {
                let copy: Vec<char> = text[from..to.min(from + 200)].to_vec();
                let copies = copy.repeat(rng.usize(1..20));
                text.splice(to..to, copies);
            }
            2 => {
                let other: Vec<char> = rng.choice(seeds).unwrap().chars().collect();
                let (start, end) = (place(rng, &other), place(rng, &other));
                text.splice(from..to, other[start.min(end)..start.max(end)].iter().copied());
            }
            3 => {
                let character = rng.char(..);
                text.insert(from, character);
            }
            4 if from < text.len() => text[from] = rng.char('\0'..'\u{80}'),
            _ => drop(text.splice(from..from, rng.choice(PIECES).unwrap().chars())),
        }
        text.truncate(LONGEST);
    }
    text.into_iter().collect()
}
