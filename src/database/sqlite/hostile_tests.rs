//! Statements that must not get through, and harmless ones that look as if they should not.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::gold_tests::plain;
use super::*;
use crate::sql::{RefusalCode, guard};

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

/// (statement, the code of its refusal)
const HOSTILE: &[(&str, RefusalCode)] = &[
    ("", RefusalCode::Empty),
    (" ;; -- nothing\n;", RefusalCode::Empty),
    ("/* only a comment */", RefusalCode::Empty),
    ("INSERT INTO t VALUES (9, 'x', 0)", RefusalCode::WriteStatement),
    ("insert into t select * from t", RefusalCode::WriteStatement),
    ("REPLACE INTO t VALUES (1, 'x', 0)", RefusalCode::WriteStatement),
    ("UPDATE t SET name = 'x'", RefusalCode::WriteStatement),
    ("DELETE FROM t", RefusalCode::WriteStatement),
    ("delete from t where id = 1 returning *", RefusalCode::WriteStatement),
    ("/* SELECT */ DELETE FROM t", RefusalCode::WriteStatement),
    ("-- SELECT\nDELETE FROM t", RefusalCode::WriteStatement),
    ("WITH x AS (SELECT 1) DELETE FROM t", RefusalCode::WriteStatement),
    ("WITH x AS (SELECT 1) INSERT INTO t SELECT 9, 'x', 0", RefusalCode::WriteStatement),
    ("WITH x AS (SELECT 1) UPDATE t SET n = 0", RefusalCode::WriteStatement),
    ("WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", RefusalCode::WriteStatement),
    ("SELECT * INTO u FROM t", RefusalCode::WriteStatement),
    ("DROP TABLE t", RefusalCode::SchemaChange),
    ("CREATE TABLE u AS SELECT * FROM t", RefusalCode::SchemaChange),
    ("CREATE TEMP VIEW t AS SELECT 1", RefusalCode::SchemaChange),
    ("CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END", RefusalCode::SeveralStatements),
    ("ALTER TABLE t RENAME TO u", RefusalCode::SchemaChange),
    ("CREATE VIRTUAL TABLE u USING fts5(x)", RefusalCode::SchemaChange),
    ("REINDEX t", RefusalCode::SchemaChange),
    ("PRAGMA user_version = 1", RefusalCode::Pragma),
    ("PRAGMA writable_schema = ON", RefusalCode::Pragma),
    ("PRAGMA case_sensitive_like = 1", RefusalCode::Pragma),
    ("PRAGMA query_only = OFF", RefusalCode::Pragma),
    ("PRAGMA table_info(t)", RefusalCode::Pragma),
    ("pragma hard_heap_limit=1", RefusalCode::Pragma),
    ("EXPLAIN PRAGMA case_sensitive_like = 1", RefusalCode::Explain),
    ("EXPLAIN QUERY PLAN DELETE FROM t", RefusalCode::Explain),
    ("EXPLAIN DELETE FROM t", RefusalCode::Explain),
    ("EXPLAIN ANALYZE SELECT 1", RefusalCode::Explain),
    ("BEGIN", RefusalCode::Transaction),
    ("BEGIN IMMEDIATE", RefusalCode::Transaction),
    ("COMMIT", RefusalCode::Transaction),
    ("END", RefusalCode::Transaction),
    ("ROLLBACK", RefusalCode::Transaction),
    ("SAVEPOINT a", RefusalCode::Transaction),
    ("RELEASE a", RefusalCode::Transaction),
    ("ATTACH '/etc/passwd' AS p", RefusalCode::Attach),
    ("ATTACH DATABASE 'new.db' AS n", RefusalCode::Attach),
    ("DETACH main", RefusalCode::Attach),
    ("VACUUM", RefusalCode::Maintenance),
    ("VACUUM INTO 'copy.db'", RefusalCode::Maintenance),
    ("ANALYZE", RefusalCode::Maintenance),
    ("SELECT 1; DELETE FROM t", RefusalCode::SeveralStatements),
    ("SELECT 1;SELECT 2", RefusalCode::SeveralStatements),
    ("SELECT 1; -- ok\n; PRAGMA user_version = 1", RefusalCode::SeveralStatements),
    ("SELECT ';' ; DROP TABLE t; --'", RefusalCode::SeveralStatements),
    ("SELECT [;] FROM t; COMMIT", RefusalCode::SeveralStatements),
    ("SELECT load_extension('x.so')", RefusalCode::ForbiddenFunction),
    ("SELECT name FROM t WHERE load_extension('x')", RefusalCode::ForbiddenFunction),
    ("SELECT \"load_extension\"('x')", RefusalCode::ForbiddenFunction),
    ("SELECT [load_extension]('x')", RefusalCode::ForbiddenFunction),
    ("SELECT LOAD_EXTENSION/**/('x')", RefusalCode::ForbiddenFunction),
    ("SELECT writefile('x', 'y')", RefusalCode::ForbiddenFunction),
    ("SELECT readfile('/etc/passwd')", RefusalCode::ForbiddenFunction),
    ("SELECT edit('x')", RefusalCode::ForbiddenFunction),
    ("SELECT fts3_tokenizer('simple')", RefusalCode::ForbiddenFunction),
    ("SELECT sqlite_log(1, 'x')", RefusalCode::ForbiddenFunction),
    ("SELECT sqlite_compileoption_get(1)", RefusalCode::ForbiddenFunction),
    ("SELECT * FROM t ORDER BY load_extension('x')", RefusalCode::ForbiddenFunction),
    ("SELECT count(*) FILTER (WHERE load_extension('x')) FROM t", RefusalCode::ForbiddenFunction),
    ("SELECT sum(n) OVER (ORDER BY load_extension('x')) FROM t", RefusalCode::ForbiddenFunction),
    ("SELECT * FROM t LIMIT load_extension('x')", RefusalCode::ForbiddenFunction),
    ("SELECT * FROM t JOIN t AS u ON load_extension('x')", RefusalCode::ForbiddenFunction),
    ("VALUES (load_extension('x'))", RefusalCode::ForbiddenFunction),
    ("SELECT * FROM fsdir('.')", RefusalCode::ForbiddenFunction),
    ("SELECT * FROM pragma_table_info('t')", RefusalCode::ForbiddenFunction),
    ("SELECT * FROM pragma_user_version", RefusalCode::ForbiddenTable),
    ("SELECT * FROM main.pragma_database_list", RefusalCode::ForbiddenTable),
    ("SELECT * FROM \"pragma_database_list\"", RefusalCode::ForbiddenTable),
    ("SELECT * FROM dbstat", RefusalCode::ForbiddenTable),
    ("SELECT * FROM sqlite_dbpage", RefusalCode::ForbiddenTable),
    ("SELECT 1\0; DROP TABLE t", RefusalCode::ControlCharacters),
    ("SELECT 'a\0b'", RefusalCode::ControlCharacters),
    ("SELECT 1 --\r; DROP TABLE t", RefusalCode::ControlCharacters),
    ("\u{feff}DROP TABLE t", RefusalCode::ControlCharacters),
    ("SELECT 1 \u{202e} -- 1 TCELES", RefusalCode::ControlCharacters),
    ("SELECT \u{7f}1", RefusalCode::ControlCharacters),
    ("SELECT 'open", RefusalCode::Syntax),
    ("SELECT FROM WHERE", RefusalCode::Syntax),
    ("SELECT 1 FROM t WHERE (", RefusalCode::Syntax),
    ("show me all singers", RefusalCode::Pragma),
    ("What is the name of the oldest singer?", RefusalCode::NotAQuery),
    ("CALL x()", RefusalCode::NotAQuery),
    ("DO $$ x $$", RefusalCode::NotAQuery),
    ("SELECT * FROM t FOR UPDATE", RefusalCode::Locking),
];

const HARMLESS: &[&str] = &[
    "SELECT 'DROP TABLE t'",
    "SELECT 'a;b' AS \"x;y\"",
    "SELECT name FROM t WHERE name = 'two; DROP TABLE t'",
    "SELECT 1 -- ; DROP TABLE t",
    "SELECT 1 /* ; DELETE FROM t */ + 1;",
    "SELECT /* -- */ 1",
    "select replace(name, 'o', 'insert') from t",
    "SELECT name AS \"delete\" FROM t",
    "SELECT 'it''s', \"name\", [name], `name` FROM t",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT sum(i) FROM n",
    "WITH a AS (SELECT 1 AS x), b AS MATERIALIZED (SELECT x + 1 AS y FROM a) SELECT * FROM a, b",
    "VALUES (1, 'update'), (2, 'x')",
    "SELECT * FROM (VALUES (1), (2))",
    "EXPLAIN QUERY PLAN SELECT * FROM t",
    "EXPLAIN SELECT * FROM t",
    "SELECT name FROM sqlite_master ORDER BY 1",
    "SELECT name FROM sqlite_schema WHERE type = 'view'",
    "SELECT rank() OVER (ORDER BY n), lag(name) OVER w FROM t WINDOW w AS (PARTITION BY n ORDER BY id)",
    "SELECT sum(n) FILTER (WHERE n > 0) FROM t",
    "SELECT json_extract('{\"a\": [1, 2]}', '$.a[1]'), '{\"a\": 3}' ->> 'a', '{\"a\": 3}' -> '$.a'",
    "SELECT value FROM json_each('[1, 2]') UNION SELECT key FROM json_tree('{\"a\": 1}')",
    "SELECT group_concat(name, ';') FROM t",
    "SELECT date('2024-01-31', '+1 month'), strftime('%Y', '2024-05-01'), julianday('2024-01-01')",
    "SELECT CASE WHEN n IS NULL THEN 'none' WHEN n > 0 THEN 'plus' ELSE 'minus' END FROM t",
    "SELECT * FROM t WHERE name LIKE '%!%%' ESCAPE '!' OR name GLOB 't*' OR NOT name IN ('a', 'b')",
    "SELECT id FROM t EXCEPT SELECT 1 UNION ALL SELECT 5 INTERSECT SELECT 5",
    "SELECT EXISTS (SELECT 1 FROM t), NOT EXISTS (SELECT 1 FROM log)",
    "SELECT coalesce(n, 0), ifnull(n, 1), nullif(n, 1.5), iif(n > 0, 1, 2) FROM t",
    "SELECT printf('%d %s', id, name), format('%.1f', n) FROM t",
    "SELECT hex(x'00ff'), quote(name), typeof(n), unicode('a'), char(65, 66) FROM t",
    "SELECT upper(name) || '!' || lower(name), trim(' x '), substr(name, 1, 2), instr(name, 'o') FROM t",
    "SELECT t.*, t.rowid FROM t",
    "SELECT body FROM docs WHERE docs MATCH 'read' ORDER BY rank",
    "SELECT snippet(docs, 0, '<', '>', '…', 5), bm25(docs) FROM docs WHERE body MATCH 'never'",
    "SELECT * FROM v",
    "SELECT a.name FROM t a LEFT JOIN t b ON a.id = b.id + 1 NATURAL JOIN t c",
    "SELECT * FROM t a FULL OUTER JOIN t b ON a.id = b.id + 1",
    "SELECT count(DISTINCT name), total(n), avg(n), min(n), max(name) FROM t",
    "SELECT id, count(*) FROM t GROUP BY id HAVING count(*) > 0 ORDER BY 1 DESC LIMIT 2 OFFSET 1",
    "SELECT * FROM t LIMIT 1, 2",
    "SELECT 1 IS NULL, 1 IS NOT 2, NULL IS NOT DISTINCT FROM NULL",
    "SELECT ~5, 5 & 3, 5 | 3, 1 << 4, 7 % 3, -n, +n FROM t",
    "SELECT CAST('12' AS INTEGER), CAST(1 AS TEXT), CAST(n AS REAL) FROM t",
    "SELECT 0x1F, 1e3, .5, 5., 1_000",
    "SELECT (SELECT max(n) FROM t), (1, 2) = (1, 2)",
    "SELECT name COLLATE NOCASE FROM t ORDER BY name COLLATE NOCASE DESC NULLS LAST",
    "SELECT changes(), last_insert_rowid(), sqlite_version() IS NOT NULL",
    "SELECT n BETWEEN 0 AND 2, n NOT BETWEEN 0 AND 2 FROM t",
    "SELECT DISTINCT name FROM main.t",
    "SELECT 'ünïcödé ☃' AS \"größe\"",
    "SELECT length(zeroblob(10)), abs(-3), round(2.567, 2), sign(-4)",
    "SELECT id FROM t WHERE id == 1 AND name <> 'x' AND n != 3",
    "select\n\tname\r\nfrom\nt",
    "SELECT max(id, 2), min(1, 2) FROM t",
    "SELECT * FROM t INDEXED BY nothing_here",
    "SELECT * FROM t NOT INDEXED",
    "SELECT id ISNULL, id NOTNULL, id NOT NULL FROM t",
    "SELECT row_number() OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM t",
];

/// What SQLite's grammar has and the parser has not. Kept here so that it shows when it changes.
const NOT_PARSED: &[&str] = &[];

#[tokio::test]
async fn hostile_statements_are_refused_and_change_nothing() {
    let (folder, path) = folder();
    let before = files(folder.path());
    let database = SqliteDatabase::open(&path).unwrap();
    let probe = guard::check("SELECT count(*), 'A' LIKE 'a', sum(n) FROM t", Dialect::Sqlite).unwrap();
    let (limits, cancel) = (Limits::default(), CancellationToken::new());
    let expected = database.execute(&probe, &limits, &cancel).await.unwrap().rows;
    let mut wrong = Vec::new();
    for (sql, code) in HOSTILE {
        match guard::check(sql, Dialect::Sqlite) {
            Ok(_) => wrong.push(format!("allowed: {sql:?}")),
            Err(refusal) => {
                if refusal.code != *code {
                    wrong.push(format!("{:?}: {sql:?}: {}", refusal.code, refusal.reason));
                }
                assert!(refusal.reason.chars().count() <= 300 && !refusal.reason.contains(char::is_control));
            }
        }
        // Behind the guard, the database's own walls hold as well.
        let unguarded = guard::unguarded(sql);
        let behind = database
            .execute(&unguarded, &Limits { deadline: Duration::from_secs(1), ..limits }, &cancel)
            .await;
        let may_run = matches!(
            code,
            RefusalCode::ForbiddenFunction | RefusalCode::ControlCharacters | RefusalCode::Explain
        );
        if behind.is_ok() && !may_run {
            wrong.push(format!("ran behind the guard: {sql:?} {behind:?}"));
        }
        if sql.contains("load_extension") {
            assert!(behind.is_err(), "{sql:?}");
        }
        assert_eq!(database.execute(&probe, &limits, &cancel).await.unwrap().rows, expected, "after {sql:?}");
    }
    assert_eq!(files(folder.path()), before);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn harmless_statements_return_what_sqlite_returns() {
    let (_folder, path) = folder();
    let database = SqliteDatabase::open(&path).unwrap();
    let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut wrong = Vec::new();
    for sql in HARMLESS {
        match guard::check(sql, Dialect::Sqlite) {
            Err(refusal) if !NOT_PARSED.contains(sql) => wrong.push(format!("{sql}\n    {refusal}")),
            Err(_) => {}
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
        format!("SELECT * FROM t{}", " JOIN t".repeat(2_000)),
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
    // The stack that threads have by default, as in a pool of them.
    let work = move || {
        for sql in &bombs {
            for dialect in Dialect::ALL {
                let started = Instant::now();
                let verdict = guard::check(sql, dialect);
                assert!(started.elapsed() < Duration::from_secs(3), "{}", &sql[..60.min(sql.len())]);
                if let Ok(checked) = verdict {
                    let schema = Schema::default();
                    crate::sql::resolve(&checked, &schema);
                    crate::sql::lift_checked(&checked, &schema);
                    assert_eq!(checked.clone(), checked);
                }
            }
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "it fills the heap that all tests of the process share; run it alone"]
async fn memory_stays_bounded() {
    let peak = || -> i64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let (_folder, path) = folder();
    let database = SqliteDatabase::open(&path).unwrap();
    let before = peak();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
    for sql in [
        format!("{endless} SELECT i, hex(randomblob(40000)) AS x FROM n ORDER BY x"),
        format!("{endless} SELECT count(DISTINCT hex(randomblob(40000))) FROM n"),
        "WITH RECURSIVE n(i, x) AS (SELECT 1, '' UNION SELECT i + 1, hex(randomblob(40000)) FROM n) SELECT count(*) FROM n".to_owned(),
        format!("{endless} SELECT i, hex(zeroblob(40000)) FROM n"),
    ] {
        let checked = guard::check(&sql, Dialect::Sqlite).unwrap();
        let started = Instant::now();
        let answer = database.execute(&checked, &Limits::default(), &CancellationToken::new()).await;
        println!("{:?} {:?} {} MB", started.elapsed(), answer.as_ref().map(Rows::len), (peak() - before) >> 10);
        assert!(matches!(answer, Ok(_) | Err(DatabaseError::Deadline { .. } | DatabaseError::Limit { .. })));
    }
    assert!(peak() - before < 256 << 10, "{} kB", peak() - before);
}
