//! How often it is told rightly whether an input goes on from the last answer or asks something new.
//!
//! ```text
//! intent [--split fit|held-out] [--misses FILE] INPUTS@FOLDER
//! ```
//! `INPUTS` has a line of JSON for each input: its database, what was asked before with its SQL, the input, and the label.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use sqlogue::database::{Database, SqliteDatabase};
use sqlogue::intent::{self, DialogContext, PastTurn, Vocabulary};
use sqlogue_eval::split::Split;
use tokio::runtime::Runtime;

use crate::known;

#[derive(Deserialize)]
struct Turn {
    input: String,
    sql: String,
}

#[derive(Deserialize)]
struct Labelled {
    database: String,
    history: Vec<Turn>,
    input: String,
    label: String,
}

/// Inputs with one label, and how many of them are told rightly.
#[derive(Default)]
struct Count {
    all: u32,
    right: u32,
}

impl Count {
    fn part(&self) -> f64 {
        100.0 * f64::from(self.right) / f64::from(self.all.max(1))
    }
}

pub(crate) fn main() {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let wanted = option("--split").and_then(|name| Split::named(&name));
    let mut misses = option("--misses").map(|file| std::fs::File::create(file).unwrap());
    let (inputs, folder) = arguments.iter().find_map(|argument| argument.split_once('@')).unwrap();
    let runtime = Runtime::new().unwrap();
    let mut vocabularies: HashMap<String, Arc<Vocabulary>> = HashMap::new();
    let mut counts: HashMap<String, Count> = HashMap::new();
    for line in std::fs::read_to_string(inputs).unwrap().lines() {
        let asked: Labelled = serde_json::from_str(line).unwrap();
        if wanted.is_some_and(|part| part != Split::of(&asked.database)) {
            continue;
        }
        let vocabulary = vocabularies
            .entry(asked.database.clone())
            .or_insert_with_key(|name| vocabulary(Path::new(folder), name, &runtime));
        let turns = asked.history.iter().map(|turn| PastTurn::answered(&turn.input, turn.sql.clone()));
        let context = DialogContext::new(turns).with_vocabulary(Arc::clone(vocabulary));
        let found = intent::classify(&asked.input, &context);
        let count = counts.entry(asked.label.clone()).or_default();
        count.all += 1;
        if found.intent.name() == asked.label {
            count.right += 1;
        } else if let Some(file) = &mut misses {
            let rules: Vec<&str> = found.signals.iter().map(|signal| signal.rule.name()).collect();
            let before = asked.history.last().map_or("", |turn| turn.input.as_str());
            writeln!(
                file,
                "[{}] {before} ⏎ {}   {} ({})",
                asked.database,
                asked.input,
                asked.label,
                rules.join(" ")
            )
            .unwrap();
        }
    }
    let sum = |of: fn(&Count) -> u32| counts.values().map(of).sum();
    let total = Count { all: sum(|count| count.all), right: sum(|count| count.right) };
    println!("{} inputs, {:.1} % right", total.all, total.part());
    for (label, count) in &counts {
        println!("{label}: {} inputs, {:.1} % right", count.all, count.part());
    }
}

fn vocabulary(folder: &Path, name: &str, runtime: &Runtime) -> Arc<Vocabulary> {
    let database = SqliteDatabase::open(known::file(folder, name)).unwrap();
    Arc::new(Vocabulary::of(&runtime.block_on(database.introspect()).unwrap()))
}
