//! Checks against question collections that are not in the repository.
//!
//! `SQLOGUE_GOLD` names folders in the shape of Spider (`train.json`) or SParC (`dev.json`), separated by colons;
//! without it there is nothing to check.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use serde_json::Value as Json;

use super::query::value;
use super::*;
use sqlogue_sql::sql::guard;

/// The gold queries of each database, in order.
pub(crate) fn gold() -> BTreeMap<PathBuf, BTreeSet<String>> {
    let mut gold: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    for folder in std::env::var("SQLOGUE_GOLD").unwrap_or_default().split(':').filter(|f| !f.is_empty()) {
        let folder = Path::new(folder);
        let text = std::fs::read_to_string(folder.join("train.json"))
            .or_else(|_| std::fs::read_to_string(folder.join("dev.json")))
            .unwrap();
        for entry in serde_json::from_str::<Vec<Json>>(&text).unwrap() {
            let database = entry["db_id"].as_str().or(entry["database_id"].as_str()).unwrap();
            let path = folder.join(format!("database/{database}/{database}.sqlite"));
            let queries = gold.entry(path).or_default();
            if let Some(query) = entry["query"].as_str() {
                queries.insert(query.to_owned());
            }
            for turn in entry["interaction"].as_array().into_iter().flatten() {
                if turn["executable"] != Json::Bool(false) {
                    queries.insert(turn["query"].as_str().unwrap().to_owned());
                }
            }
        }
    }
    gold
}

/// What SQLite returns without any of our walls.
pub(crate) fn plain(connection: &Connection, sql: &str) -> Result<Vec<Vec<Value>>, rusqlite::Error> {
    let mut statement = connection.prepare(sql)?;
    let width = statement.column_count();
    let mut rows = statement.raw_query();
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push((0..width).map(|at| value(row.get_ref(at).unwrap())).collect());
    }
    Ok(all)
}

#[tokio::test]
async fn every_gold_query_is_allowed_and_returns_what_sqlite_returns() {
    let (mut queries, mut refused, mut different, mut errors) = (0, vec![], vec![], 0);
    let (mut checking, mut resolving, mut slowest) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for (path, gold) in gold() {
        let database = SqliteDatabase::open(&path).unwrap();
        let schema = database.introspect().await.unwrap();
        let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        for sql in gold {
            queries += 1;
            let started = Instant::now();
            let checked = guard::check(&sql, Dialect::Sqlite);
            checking += started.elapsed();
            slowest = slowest.max(started.elapsed());
            let checked = match checked {
                Ok(checked) => checked,
                Err(refusal) => {
                    refused.push(format!("{sql}\n    {refusal}"));
                    continue;
                }
            };
            let findings = sqlogue_sql::sql::resolve(&checked, &schema);
            resolving += started.elapsed();
            let limits = Limits { rows: usize::MAX, bytes: usize::MAX, ..Limits::default() };
            let ours = database.execute(&checked, &limits, &CancellationToken::new()).await;
            match (plain(&connection, &sql), ours) {
                (Ok(expected), Ok(rows)) if rows.rows == expected && findings.is_empty() => {}
                (Err(_), Err(_)) => errors += 1,
                (expected, ours) => different.push(format!(
                    "{}: {sql}\n    {:?}\n    {:?} {findings:?}",
                    path.display(),
                    expected.map(|rows| rows.len()),
                    ours.map(|rows| rows.len())
                )),
            }
        }
    }
    println!(
        "{queries} queries, {} refused, {} different, {errors} fail in both",
        refused.len(),
        different.len()
    );
    println!(
        "guard: {:?} on average, {slowest:?} at most; with names resolved {:?}",
        checking / queries.max(1),
        resolving / queries.max(1)
    );
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[tokio::test]
async fn every_database_can_be_read() {
    for (path, _) in gold() {
        let started = Instant::now();
        let database = SqliteDatabase::open(&path).unwrap();
        let schema = database.introspect().await.unwrap();
        let introspected = started.elapsed();
        let values = database.text_values(&schema, &ValueLimits::default()).await.unwrap();
        let count: usize = values.iter().map(|column| column.values.len()).sum();
        let keys: usize = schema.tables.iter().map(|table| table.foreign_keys.len()).sum();
        println!(
            "{:30} {:3} tables {:4} columns {keys:3} keys {:8.1?}; {count:6} values {:8.1?}",
            database.name(),
            schema.tables.len(),
            schema.column_count(),
            introspected,
            started.elapsed() - introspected
        );
        assert!(!schema.tables.is_empty());
    }
}

/// Rows in an order that does not depend on the query's.
fn sorted(mut rows: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    rows.sort_by_cached_key(|row| format!("{row:?}"));
    rows
}

#[tokio::test]
async fn gold_queries_survive_being_lifted_and_rendered() {
    let (mut queries, mut lifted, mut exact) = (0, 0, 0);
    let (mut left, mut different) = (vec![], vec![]);
    for (path, gold) in gold() {
        let database = SqliteDatabase::open(&path).unwrap();
        let schema = database.introspect().await.unwrap();
        let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        for sql in gold {
            queries += 1;
            let Some(plan) = sqlogue_sql::sql::lift(&sql, &schema, Dialect::Sqlite) else {
                left.push(sql);
                continue;
            };
            lifted += 1;
            let rendered = sqlogue_sql::sql::render(&plan, Dialect::Sqlite);
            let again = sqlogue_sql::sql::lift(&rendered, &schema, Dialect::Sqlite);
            let expected = plain(&connection, &sql).unwrap();
            match guard::check(&rendered, Dialect::Sqlite).map(|checked| plain(&connection, checked.sql())) {
                Ok(Ok(rows)) if rows == expected => exact += 1,
                Ok(Ok(rows)) if sorted(rows.clone()) == sorted(expected) => {}
                other => different.push(format!(
                    "{sql}\n    {rendered}\n    {:?}",
                    other.map(|rows| rows.map(|rows| rows.len()))
                )),
            }
            if again.as_ref() != Some(&plan) {
                different.push(format!("lifted again it is another plan: {sql}\n    {rendered}"));
            }
        }
    }
    println!(
        "{queries} queries, {lifted} lifted, {exact} with the same rows in the same order, {} different",
        different.len()
    );
    println!("{}", left.join("\n"));
    assert!(different.is_empty(), "{}", different.join("\n"));
}
