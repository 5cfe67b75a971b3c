//! Statements that must not get through, and harmless ones that look as if they should not.
//!
//! The statements are in `tests/data/`, in the form that `sqlogue check` reads; the id of a hostile one is the code
//! of its refusal.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::gold_tests::plain;
use super::*;
use sqlogue_sql::sql::{RefusalCode, guard};

const HOSTILE: &str = include_str!("../../../../tests/data/hostile_sqlite.jsonl");
const HARMLESS: &str = include_str!("../../../../tests/data/harmless_sqlite.jsonl");

/// The statements of a corpus, each after its id.
fn corpus<T: serde::de::DeserializeOwned>(lines: &str) -> Vec<(T, String)> {
    #[derive(serde::Deserialize)]
    struct Line<T> {
        id: T,
        sql: String,
    }
    let read = |line| serde_json::from_str::<Line<T>>(line).unwrap();
    lines.lines().map(read).map(|line| (line.id, line.sql)).collect()
}

const TABLES: &str = "
    CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, n REAL);
    INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two; DROP TABLE t', NULL), (3, 'th''ree', -2);
    CREATE TABLE log (x);
    CREATE VIEW v AS SELECT name FROM t;
    CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); END;
    CREATE VIRTUAL TABLE docs USING fts5(body);
    INSERT INTO docs VALUES ('read only'), ('write never');
    PRAGMA user_version = 7;
";

/// The files of a folder with their content.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

fn folder() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    Connection::open(&path).unwrap().execute_batch(TABLES).unwrap();
    (folder, path)
}

/// Behind the guard, the database's own walls hold as well: what would not be refused here either only reads.
#[tokio::test]
async fn hostile_statements_are_refused_and_change_nothing() {
    let (folder, path) = folder();
    let before = files(folder.path());
    let database = SqliteDatabase::open(&path).unwrap();
    let probes =
        ["SELECT count(*), 'A' LIKE 'a', sum(n) FROM t", "SELECT body FROM docs WHERE docs MATCH 'read'"]
            .map(|sql| guard::check(sql, Dialect::Sqlite).unwrap());
    let (limits, cancel) = (Limits::default(), CancellationToken::new());
    let mut expected = Vec::new();
    for probe in &probes {
        expected.push(database.execute(probe, &limits, &cancel).await.unwrap().rows);
    }
    let mut hostile = corpus::<RefusalCode>(HOSTILE);
    assert!(hostile.len() >= 200);
    fastrand::Rng::with_seed(7).shuffle(&mut hostile);
    let mut wrong = Vec::new();
    for (code, sql) in hostile {
        match guard::check(&sql, Dialect::Sqlite) {
            Ok(_) => wrong.push(format!("allowed: {sql:?}")),
            Err(refusal) => {
                if refusal.code != code {
                    wrong.push(format!("{:?}, not {code:?}: {sql:?}: {}", refusal.code, refusal.reason));
                }
                assert!(refusal.reason.chars().count() <= 300 && !refusal.reason.contains(char::is_control));
            }
        }
        let unguarded = guard::unguarded(&sql).unwrap();
        let behind = database
            .execute(&unguarded, &Limits { deadline: Duration::from_secs(1), ..limits }, &cancel)
            .await;
        let may_run = matches!(
            code,
            RefusalCode::ForbiddenFunction
                | RefusalCode::ControlCharacters
                | RefusalCode::Explain
                | RefusalCode::TooComplex
                | RefusalCode::TooLong
        );
        if behind.is_ok() && !may_run {
            wrong.push(format!("ran behind the guard: {sql:?} {behind:?}"));
        }
        if sql.contains("load_extension") && !sql.contains("EXISTS") {
            assert!(behind.is_err(), "{sql:?}");
        }
        for (probe, expected) in probes.iter().zip(&expected) {
            assert_eq!(
                database.execute(probe, &limits, &cancel).await.unwrap().rows,
                *expected,
                "after {sql:?}"
            );
        }
    }
    assert_eq!(files(folder.path()), before);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn harmless_statements_return_what_sqlite_returns() {
    let (_folder, path) = folder();
    let database = SqliteDatabase::open(&path).unwrap();
    let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    // SQLite was built without them here, and people count on them.
    super::functions::register(&connection).unwrap();
    let mut wrong = Vec::new();
    let harmless = corpus::<u64>(HARMLESS);
    assert!(harmless.len() >= 100);
    for (_, sql) in &harmless {
        match guard::check(sql, Dialect::Sqlite) {
            Err(refusal) => wrong.push(format!("{sql}\n    {refusal}")),
            Ok(checked) => {
                let ours = database.execute(&checked, &Limits::default(), &CancellationToken::new()).await;
                match (plain(&connection, sql), &ours) {
                    (Ok(expected), Ok(rows)) if rows.rows == expected => {}
                    (Err(_), Err(DatabaseError::Query { .. })) => {}
                    (expected, ours) => wrong.push(format!("{sql}\n    {expected:?}\n    {ours:?}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn bombs_are_stopped_in_time() {
    let (_folder, path) = folder();
    let database = SqliteDatabase::open(&path).unwrap();
    let limits = Limits { deadline: Duration::from_millis(500), ..Limits::default() };
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
    let long = "replace(hex(zeroblob(49000)), '0', 'a')";
    for sql in [
        format!("{endless} SELECT count(*) FROM n"),
        format!("{endless} SELECT i FROM n WHERE i < 0"),
        format!("{endless} SELECT i, hex(randomblob(1000)) AS x FROM n ORDER BY x"),
        format!("{endless} SELECT group_concat(i) FROM n"),
        format!("{endless} SELECT max(a.i) FROM n a, n b, n c"),
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT count(*) FROM n".to_owned(),
        format!(
            "SELECT instr({long}, substr({long}, 1, 40000) || 'b') FROM json_each('[1,2,3,4,5,6,7,8,9]') a, json_each('[1,2,3,4,5,6,7,8,9]') b"
        ),
        format!(
            "SELECT replace({long}, substr({long}, 1, 40000) || 'b', '') FROM json_each('[1,2,3,4,5,6,7,8,9]') a, json_each('[1,2,3,4,5,6,7,8,9]') b"
        ),
        format!("SELECT {long} LIKE '%a%a%a%a%a%a%a%a%a%b'"),
        format!("SELECT ltrim({long}, {long} || 'b') FROM json_each('[1,2,3,4,5,6,7,8,9]')"),
        "SELECT zeroblob(1000000000)".to_owned(),
        "SELECT printf('%999999999d', 1)".to_owned(),
    ] {
        let started = Instant::now();
        let checked = guard::check(&sql, Dialect::Sqlite).unwrap();
        let answer = database.execute(&checked, &limits, &CancellationToken::new()).await;
        let took = started.elapsed();
        println!("{took:8.1?} {:70} {:?}", &sql[..sql.len().min(70)], answer.as_ref().map(Rows::len));
        assert!(took < limits.deadline + Duration::from_secs(3), "{took:?} for {sql}");
    }
    let rows = database
        .execute(
            &guard::check(&format!("{endless} SELECT i FROM n"), Dialect::Sqlite).unwrap(),
            &Limits { rows: 10, ..limits },
            &CancellationToken::new(),
        )
        .await
        .unwrap();
    assert!(rows.truncated && rows.len() == 10);
    let rows = database
        .execute(
            &guard::check(&format!("{endless} SELECT hex(zeroblob(10000)) FROM n"), Dialect::Sqlite).unwrap(),
            &Limits { bytes: 100_000, ..limits },
            &CancellationToken::new(),
        )
        .await
        .unwrap();
    assert!(rows.truncated && rows.len() == 4, "{}", rows.len());
}

#[test]
fn parser_bombs_leave_a_small_stack_alone() {
    let chain = |operator: &str, terms: usize| format!("SELECT {}1", format!("1 {operator} ").repeat(terms));
    let nested = |open: &str, close: &str, depth: usize| {
        format!("SELECT {}1{}", open.repeat(depth), close.repeat(depth))
    };
    let bombs = [
        chain("+", 20_000),
        chain("AND", 20_000),
        chain("||", 299),
        chain("OR", 299),
        chain("UNION SELECT", 64),
        chain("UNION SELECT", 10_000),
        chain("||", 50),
        nested("(", ")", 8),
        nested("(SELECT ", ")", 8),
        nested("NOT ", "", 50),
        nested("(", ")", 45),
        nested("(", ")", 5_000),
        nested("(SELECT ", ")", 45),
        nested("abs(", ")", 45),
        nested("CASE WHEN 1 THEN ", " END", 45),
        nested("NOT ", "", 290),
        nested("- ", "", 290),
        nested("~", "", 290),
        format!("SELECT 1{}", " COLLATE NOCASE".repeat(290)),
        format!("SELECT 1{}", " IS NULL".repeat(290)),
        format!("SELECT a{}", ".a".repeat(5_000)),
        format!("SELECT * FROM t{}", " JOIN t".repeat(290)),
        format!("SELECT * FROM t{}", " JOIN t".repeat(2_800)),
        format!("SELECT CAST(1 AS {}INT64{})", "ARRAY<".repeat(140), ">".repeat(140)),
        format!("SELECT * FROM {}t{}", "(".repeat(45), ")".repeat(45)),
        format!("SELECT 1 IN ({}1)", "1,".repeat(9_000)),
        "SELECT 1;".repeat(2_000),
        "END;".repeat(4_900),
        "END;".repeat(20_000),
        format!("{}SELECT 1", "WITH a AS (".repeat(45)),
        "((((".repeat(4_000),
        "'".repeat(19_999),
        "/*".repeat(9_000),
        format!("SELECT 1 {}", "/**/".repeat(4_000)),
    ];
    // Each depth of its own: somewhere the parser begins to need another stack.
    let nests =
        [("(", ")"), ("(SELECT ", ")"), ("abs(", ")"), ("CASE WHEN 1 THEN ", " END"), ("1 IN (SELECT ", ")")]
            .map(|pair| (pair, 46));
    let prefixes =
        [("NOT ", ""), ("- ", ""), ("INTERVAL ", ""), ("1 COLLATE a JOIN ", "")].map(|pair| (pair, 119));
    let calls = [("POSITION(", ")"), ("POSITION(1 IN ", ")"), ("EXTRACT(YEAR FROM ", ")"), ("ARRAY[", "]")];
    let calls = calls.map(|pair| (pair, 46));
    let nested = nests
        .into_iter()
        .chain(prefixes)
        .chain(calls)
        .flat_map(|((open, close), most)| (1..most).map(move |depth| nested(open, close, depth)));
    let bombs: Vec<String> = bombs.into_iter().chain(nested).collect();
    // The stack that threads have by default, as in a pool of them.
    let work = move || {
        for sql in &bombs {
            for dialect in Dialect::ALL {
                let started = Instant::now();
                let verdict = guard::check(sql, dialect);
                assert!(started.elapsed() < Duration::from_secs(3), "{}", &sql[..60.min(sql.len())]);
                if let Ok(checked) = verdict {
                    let schema = Schema::default();
                    sqlogue_sql::sql::resolve(&checked, &schema);
                    sqlogue_sql::sql::lift_checked(&checked, &schema);
                    assert_eq!(checked.clone(), checked);
                }
            }
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}
