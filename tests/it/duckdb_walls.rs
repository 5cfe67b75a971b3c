//! DuckDB asked for what it must not do.

use std::time::{Duration, Instant};

use sqlogue::database::{AdbcDatabase, DatabaseError, Limits};

use crate::duckdb_files::{File, file};
use crate::support::{query, query_within};
use crate::walls::{cancels_and_abandons, keeps_deadlines, withstands};

/// Views that read a file and count a sequence up, and macros of the system's names.
const TABLES: &str = "
CREATE TABLE t (id int PRIMARY KEY, name text);
INSERT INTO t SELECT range, 'row ' || range FROM range(100);
CREATE SEQUENCE s;
CREATE MACRO wipe() AS 1;
CREATE MACRO wipe_all() AS TABLE SELECT 1;
CREATE MACRO upper(x) AS 'mine';
CREATE VIEW trap AS SELECT * FROM read_csv('/etc/passwd', header = false, sep = ':');
CREATE VIEW nested_trap AS SELECT * FROM trap;
CREATE VIEW counting AS SELECT nextval('s') AS n;
";

/// Everything that a statement could have changed: the file, what is beside it, and what the statements would have written.
fn state(file: &File) -> String {
    for path in [
        "/tmp/sqlogue_duck_out.csv",
        "/tmp/sqlogue_duck_out.parquet",
        "/tmp/sqlogue_duck_dump",
        "/tmp/sqlogue_duck_new.db",
    ] {
        assert!(!std::path::Path::new(path).exists(), "{path} was written");
    }
    let mut beside: Vec<_> =
        std::fs::read_dir(file.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    beside.sort();
    let bytes = std::fs::read(file.path("shop.duckdb")).unwrap();
    let sum = bytes.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    format!("{beside:?} {} {sum}", bytes.len())
}

#[tokio::test]
async fn hostile_statements_change_nothing() {
    let Some(file) = file("hostile_statements_change_nothing", TABLES) else { return };
    let before = state(&file);
    let database = file.open();
    let probes = [
        "SELECT count(*), max(name), current_date > '2000-01-01' FROM t",
        "SELECT 'a\\' = 'a' || chr(92), 1 / 3, 'A' = 'a', count(*) FROM t",
        "SELECT table_name FROM information_schema.tables ORDER BY 1",
    ];
    withstands(&database, include_str!("../data/hostile_duckdb.jsonl"), 300, &probes).await;
    drop(database);
    assert_eq!(state(&file), before);
}

const ENDLESS: &str =
    "SELECT count(*) FROM range(100000000) AS a, range(100000000) AS b WHERE a.range + b.range < 0";

const BOMBS: &[&str] = &[
    ENDLESS,
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    "SELECT count(DISTINCT md5(concat(a.range, b.range))) FROM range(1000000) AS a, range(1000000) AS b",
    "SELECT a.range FROM range(1000000) AS a, range(10000) AS b ORDER BY md5(concat(a.range, b.range))",
    "SELECT max(repeat('x', 100000)) FROM range(1000000000)",
];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_runs_past_its_deadline() {
    let Some(file) = file("nothing_runs_past_its_deadline", TABLES) else { return };
    let database = AdbcDatabase::at(&format!("{}?memory-limit=256MB", file.address())).unwrap();
    keeps_deadlines(&database, BOMBS).await;
    assert_eq!(query(&database, "SELECT 1").await.unwrap().rows, [[1.into()]]);
    ends(&file, database).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_and_abandoned_queries_end() {
    let Some(file) = file("cancelled_and_abandoned_queries_end", TABLES) else { return };
    let database = file.open();
    cancels_and_abandons(&database, ENDLESS).await;
    assert_eq!(query(&database, "SELECT 1").await.unwrap().rows, [[1.into()]]);
    ends(&file, database).await;
}

/// As long as a query goes on, DuckDB has the file open, and lets nobody write to it.
async fn ends(file: &File, database: AdbcDatabase) {
    drop(database);
    let started = Instant::now();
    while let Err(error) = sqlogue_databases::adbc::write(&file.path("shop.duckdb"), "SELECT 1") {
        assert!(started.elapsed() < Duration::from_secs(3), "a query goes on: {error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn limits_are_kept() {
    let Some(file) = file("limits_are_kept", TABLES) else { return };
    let database = AdbcDatabase::at(&format!("{}?memory-limit=128MB&threads=1", file.address())).unwrap();
    let few = Limits { rows: 10, ..Limits::default() };
    let rows = query_within(&database, "SELECT range FROM range(1000000000000)", &few).await.unwrap();
    assert_eq!((rows.len(), rows.truncated), (10, true));
    let small = Limits { bytes: 100_000, ..Limits::default() };
    let rows = query_within(&database, "SELECT repeat('x', 1000) FROM range(100000)", &small).await.unwrap();
    assert!(rows.truncated && rows.len() <= 100, "{}", rows.len());
    let error =
        query(&database, "SELECT length(string_agg(repeat('x', 1000), '')) FROM range(1000000)").await;
    assert!(matches!(error, Err(DatabaseError::Limit { .. } | DatabaseError::Query { .. })), "{error:?}");
    assert_eq!(query(&database, "SELECT 1").await.unwrap().rows, [[1.into()]]);
}
