//! How fast CSV becomes a database, beside the `sqlite3` shell's `.import` in the same run.
//!
//! `cargo bench --bench loading` prints one line each; `ROWS=100000` makes it shorter.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench is a test that prints"
)]

use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use sqlogue::database::memory_tables;

fn main() {
    let rows: u64 = std::env::var("ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sales.csv");
    let content = content(rows);
    std::fs::write(&path, &content).unwrap();
    println!("{rows} rows, 8 columns, {} MB", content.len() >> 20);
    let ours = best_of(3, || {
        let loaded = memory_tables::load(&path, &mut |_| {}).unwrap();
        assert_eq!(loaded.tables[0].rows, rows);
    });
    report("typed, into a private file", rows, ours);
    let import = format!(".import --csv '{}' sales", path.display());
    if Command::new("sqlite3").arg("--version").output().is_ok() {
        let theirs = best_of(3, || {
            let status = Command::new("sqlite3").args([":memory:", &import]).status().unwrap();
            assert!(status.success());
        });
        report("sqlite3 .import, all text", rows, theirs);
        println!("ours takes {:.2} times as long", ours.as_secs_f64() / theirs.as_secs_f64());
    } else {
        println!("SKIPPED the comparison: `sqlite3` is not installed");
    }
}

/// What a shop's export looks like.
fn content(rows: u64) -> String {
    let mut content = String::from("id,day,customer,city,product,quantity,price,paid\n");
    let cities = ["London", "Berlin", "Paris", "New York", "Tokyo"];
    for row in 1..=rows {
        let (month, day) = (row % 12 + 1, row % 28 + 1);
        let city = cities[usize::try_from(row % 5).unwrap()];
        let (quantity, price) = (row % 9 + 1, row % 1000);
        let paid = if row % 3 == 0 { "yes" } else { "no" };
        writeln!(
            content,
            "{row},2024-{month:02}-{day:02},Customer {},{city},\"Product, {}\",{quantity},{price}.{:02},{paid}",
            row % 5000,
            row % 200,
            row % 100
        )
        .unwrap();
    }
    content
}

fn best_of(times: u32, mut work: impl FnMut()) -> Duration {
    let run = |_| {
        let started = Instant::now();
        work();
        started.elapsed()
    };
    (0..times).map(run).min().unwrap()
}

fn report(what: &str, rows: u64, took: Duration) {
    println!("{what}: {:.2} s, {:.0} rows/s", took.as_secs_f64(), rows as f64 / took.as_secs_f64());
}
