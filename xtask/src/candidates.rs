//! Prints the candidate plans of questions as SQL, best first: for those who work on the rules.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use sqlogue::database::SqliteDatabase;
use sqlogue::nodes::Catalog;
use sqlogue::reasoner::rules::{Options, understand};
use sqlogue::sql::{Dialect, render};

pub(crate) fn main() {
    let mut args = std::env::args().skip(2);
    let folder = PathBuf::from(args.next().expect("a folder of databases"));
    let today = args.next().expect("a day").parse().expect("a day");
    let most: usize = args.next().map_or(30, |most| most.parse().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut known = HashMap::new();
    let mut out = std::io::BufWriter::new(std::io::stdout());
    for line in std::io::stdin().lock().lines() {
        let line: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let name = line["db"].as_str().or(line["db_id"].as_str()).unwrap().to_owned();
        let knowledge = known.entry(name.clone()).or_insert_with(|| {
            let nested = folder.join(&name).join(format!("{name}.sqlite"));
            let path = if nested.exists() { nested } else { folder.join(format!("{name}.sqlite")) };
            let database = SqliteDatabase::open(&path).unwrap();
            let catalog = Catalog::new(64 << 20);
            runtime.block_on(catalog.knowledge(&database, None)).unwrap()
        });
        let knowledge = Arc::clone(knowledge);
        let start = Instant::now();
        let options = Options { today, readings: most, ..Options::default() };
        let understanding = understand(line["question"].as_str().unwrap(), knowledge.words(), &options);
        let took = start.elapsed().as_secs_f64() * 1e3;
        let candidates: Vec<_> = understanding
            .candidates
            .iter()
            .map(|one| {
                serde_json::json!([
                    render(&one.plan, Dialect::Sqlite),
                    one.score,
                    one.grammar,
                    one.probability,
                    one.evidence.unusual,
                    one.evidence.ignored,
                    one.account.lines()
                ])
            })
            .collect();
        let answer = serde_json::json!({ "id": line["id"], "db": name, "question": line["question"], "ms": took, "candidates": candidates, "left": understanding.unexplained });
        writeln!(out, "{answer}").unwrap();
    }
}
