//! DuckDB asked for what it must not do.

use std::time::{Duration, Instant};

use sqlogue::database::{AdbcDatabase, Database as _, DatabaseError, Limits, Rows};
use sqlogue::sql::{Dialect, guard};
use tokio_util::sync::CancellationToken;

use crate::duckdb_files::{File, file};

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

async fn query_within(database: &AdbcDatabase, sql: &str, limits: &Limits) -> Result<Rows, DatabaseError> {
    let checked = guard::check(sql, Dialect::DuckDb)?;
    database.execute(&checked, limits, &CancellationToken::new()).await
}

async fn query(database: &AdbcDatabase, sql: &str) -> Result<Rows, DatabaseError> {
    query_within(database, sql, &Limits::default()).await
}

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

/// Every statement of the corpus would write, wait, read a file, tell secrets or outlive itself. Its id is the code of the
/// guard's refusal; `database` is what only DuckDB can refuse, and `harmless` what only looks hostile.
#[tokio::test]
async fn hostile_statements_change_nothing() {
    #[derive(serde::Deserialize)]
    struct Line {
        id: String,
        sql: String,
    }
    let Some(file) = file("hostile_statements_change_nothing", TABLES) else { return };
    let before = state(&file);
    let database = file.open();
    let probes = [
        "SELECT count(*), max(name), current_date > '2000-01-01' FROM t",
        "SELECT 'a\\' = 'a' || chr(92), 1 / 3, 'A' = 'a', count(*) FROM t",
        "SELECT table_name FROM information_schema.tables ORDER BY 1",
    ];
    let mut expected = Vec::new();
    for probe in probes {
        expected.push(query(&database, probe).await.unwrap().rows);
    }
    let lines = include_str!("../data/hostile_duckdb.jsonl").lines();
    let mut hostile: Vec<Line> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(hostile.len() >= 300);
    fastrand::Rng::with_seed(20).shuffle(&mut hostile);
    for (number, Line { id, sql }) in hostile.iter().enumerate() {
        let started = Instant::now();
        let result = query(&database, sql).await;
        assert!(started.elapsed() < Duration::from_millis(5_500), "{sql}");
        match (id.as_str(), result) {
            ("harmless", Ok(_)) => {}
            ("database", Err(error)) => assert!(error.is_query_fault(), "{sql}: {error:?}"),
            (code, Err(DatabaseError::Refused(refusal))) => {
                assert_eq!(refusal.code.name(), code, "{sql}");
                assert!(refusal.reason.chars().count() <= 300, "{sql}");
            }
            (_, result) => panic!("{sql} gave {result:?}"),
        }
        let at = number % probes.len();
        assert_eq!(query(&database, probes[at]).await.unwrap().rows, expected[at], "after {sql}");
    }
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
    let limits = Limits { deadline: Duration::from_secs(1), ..Limits::default() };
    for sql in BOMBS {
        let started = Instant::now();
        let result = query_within(&database, sql, &limits).await;
        let took = started.elapsed();
        assert!(took < Duration::from_millis(1_500), "{sql} took {took:?}");
        assert!(result.is_err(), "{sql} gave {result:?}");
    }
    assert_eq!(query(&database, "SELECT 1").await.unwrap().rows, [[1.into()]]);
    ends(&file, database).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_and_abandoned_queries_end() {
    let Some(file) = file("cancelled_and_abandoned_queries_end", TABLES) else { return };
    let database = file.open();
    let endless = guard::check(ENDLESS, Dialect::DuckDb).unwrap();
    let limits = Limits { deadline: Duration::from_secs(60), ..Limits::default() };
    let cancel = CancellationToken::new();
    let soon = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        soon.cancel();
    });
    let started = Instant::now();
    let error = database.execute(&endless, &limits, &cancel).await.unwrap_err();
    assert_eq!(error, DatabaseError::Cancelled);
    assert!(started.elapsed() < Duration::from_secs(2));
    let never = CancellationToken::new();
    let abandoned =
        tokio::time::timeout(Duration::from_millis(300), database.execute(&endless, &limits, &never));
    assert!(abandoned.await.is_err());
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
