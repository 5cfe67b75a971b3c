//! Hostile statements put to an engine in every way that leads to its database, and what it answers afterwards.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use sqlogue::Engine;
use sqlogue::conversation::Status;
use sqlogue::database::{Database, DatabaseError, Limits, Rows, SqliteDatabase};
use sqlogue::schema::Value;
use sqlogue::sql::{Dialect, RefusalCode, guard};
use tokio_util::sync::CancellationToken;

use crate::support::{File, repeatable};

const TABLES: &str = "
    CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, n REAL);
    INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two; DROP TABLE t', NULL), (3, 'th''ree', -2);
    CREATE TABLE log (x);
    CREATE VIEW v AS SELECT name FROM t;
    CREATE VIRTUAL TABLE docs USING fts5(body);
    INSERT INTO docs VALUES ('read only'), ('write never');
";

/// What is asked after each statement; case, settings and temporary tables would show in the answers.
const PROBES: [&str; 5] = [
    "SELECT count(*), 'A' LIKE 'a', sum(n) FROM t",
    "SELECT name FROM v ORDER BY name",
    "SELECT body FROM docs WHERE docs MATCH 'read'",
    "SELECT name, sql FROM sqlite_schema ORDER BY name",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT sum(i) FROM n",
];

/// The files of a folder with their content.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

async fn run(engine: &Engine, sql: &str) -> Result<Rows, DatabaseError> {
    let checked = guard::check(sql, engine.database().dialect())?;
    engine.database().execute(&checked, &engine.services().limits, &CancellationToken::new()).await
}

async fn probe(engine: &Engine) -> Vec<Vec<Vec<Value>>> {
    let mut answers = Vec::new();
    for sql in PROBES {
        answers.push(run(engine, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}")).rows);
    }
    let asked = engine.query_database("How many t are there?", None).await.unwrap();
    assert_eq!(asked.status, Status::Completed, "{:?}", asked.error);
    answers.push(asked.result.as_ref().unwrap().rows.clone());
    answers
}

#[tokio::test]
async fn after_every_hostile_statement_the_engine_answers_as_before() {
    #[derive(Deserialize)]
    struct Line {
        id: RefusalCode,
        sql: String,
    }
    let file = File::new("t.db", TABLES);
    let before = files(file.folder());
    let engine = file.engine();
    let expected = probe(&engine).await;
    let lines = include_str!("../data/hostile_sqlite.jsonl").lines();
    let mut hostile: Vec<Line> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    fastrand::Rng::with_seed(20_261_122).shuffle(&mut hostile);
    for (number, Line { id, sql }) in hostile.iter().enumerate() {
        // Straight to the database.
        match run(&engine, sql).await {
            Err(DatabaseError::Refused(refusal)) => assert_eq!(refusal.code, *id, "{sql:?}"),
            other => panic!("{sql:?} gave {other:?}"),
        }
        // As what somebody types into a conversation. Words that are no SQL may mean something else.
        let state = engine.query_database(sql.as_str(), None).await.unwrap();
        assert_ne!(state.query.as_deref(), Some(sql.trim()), "{sql:?}");
        let message = state.error.as_ref().map(|error| error.message.as_str()).unwrap_or_default();
        assert!(!message.contains(|c: char| c.is_control() && c != '\n'), "{sql:?}: {message:?}");
        if number % 5 == 0 {
            assert_eq!(probe(&engine).await, expected, "after {sql:?}");
        } else {
            assert_eq!(run(&engine, PROBES[0]).await.unwrap().rows, expected[0], "after {sql:?}");
        }
    }
    assert_eq!(probe(&engine).await, expected);
    assert_eq!(files(file.folder()), before);
}

/// Statements that the guard lets through because they are queries, and that would never end or fill the memory.
fn bombs() -> Vec<String> {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
    let long = "replace(hex(zeroblob(49000)), '0', 'a')";
    let ten = "(SELECT value FROM json_each('[1,2,3,4,5,6,7,8,9,10]'))";
    let mut bombs: Vec<String> = [
        "SELECT count(*) FROM n",
        "SELECT i FROM n WHERE i < 0",
        "SELECT i, hex(randomblob(20000)) AS x FROM n ORDER BY x",
        "SELECT count(DISTINCT hex(randomblob(20000))) FROM n",
        "SELECT group_concat(hex(randomblob(1000))) FROM n",
        "SELECT json_group_array(i) FROM n",
        "SELECT json_group_object(i, hex(zeroblob(1000))) FROM n",
        "SELECT i, count(*) FROM n GROUP BY hex(randomblob(20000))",
        "SELECT sum(i) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM n",
        "SELECT DISTINCT hex(randomblob(10000)) FROM n LIMIT -1 OFFSET 1000000",
        "SELECT max(a.i + b.i) FROM n AS a, n AS b",
        "SELECT i FROM n EXCEPT SELECT i FROM n",
        "SELECT * FROM t WHERE id = (SELECT count(*) FROM n)",
        "SELECT EXISTS (SELECT 1 FROM n WHERE i = -1)",
        "SELECT i FROM n LIMIT 1 OFFSET 9000000000000",
    ]
    .map(|query| format!("{endless} {query}"))
    .into();
    bombs.extend([
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT count(*) FROM n".to_owned(),
        "WITH RECURSIVE n(i, x) AS (SELECT 1, '' UNION SELECT i + 1, hex(randomblob(20000)) FROM n) SELECT count(*) FROM n"
            .to_owned(),
        "WITH RECURSIVE n(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM n) SELECT max(length(x)) FROM n".to_owned(),
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n ORDER BY 1) SELECT count(*) FROM n".to_owned(),
        format!("SELECT count(*) FROM {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}", ten),
        format!("SELECT instr({long}, substr({long}, 1, 40000) || 'b') FROM {ten}, {ten}"),
        format!("SELECT sum(length(replace({long}, substr({long}, 1, 40000) || 'b', ''))) FROM {ten}, {ten}"),
        format!("SELECT {long} LIKE '%a%a%a%a%a%a%a%a%a%b'"),
        format!("SELECT {long} GLOB '*a*a*a*a*a*a*a*a*a*b'"),
        format!("SELECT ltrim({long}, {long} || 'b') FROM {ten}"),
        format!("SELECT rtrim('b' || {long}, {long}) FROM {ten}"),
        format!("SELECT json_patch('{{\"a\":' || quote({long}) || '}}', '{{}}') FROM {ten}"),
        "SELECT length(replace(hex(zeroblob(50000)), '0', hex(zeroblob(50000))))".to_owned(),
        "SELECT length(printf('%1000000000d', 1))".to_owned(),
        "SELECT printf('%.*c', 999999999, 'x')".to_owned(),
        "SELECT zeroblob(2000000000)".to_owned(),
        "SELECT hex(zeroblob(99999)), hex(randomblob(1000000000))".to_owned(),
        "SELECT group_concat(printf('%50000d', value), '') FROM json_each('[1,2,3,4,5]')".to_owned(),
        format!("SELECT json_array({})", vec!["hex(zeroblob(49000))"; 90].join(", ")),
        format!("SELECT concat({})", vec!["hex(zeroblob(49000))"; 90].join(", ")),
        format!("SELECT length({})", vec!["hex(zeroblob(49000))"; 90].join(" || ")),
        format!("SELECT json_extract('{}1{}', '$')", "[".repeat(900), "]".repeat(900)),
        format!("SELECT * FROM t WHERE {}", vec!["name LIKE '%a%b%c%'"; 100].join(" OR ")),
        format!("SELECT 1 {}", "UNION SELECT 1 ".repeat(64)),
        format!("SELECT 1{}", " + 1".repeat(299)),
        format!("SELECT {}1{}", "(".repeat(47), ")".repeat(47)),
        format!("SELECT 1 IN ({}1)", "1,".repeat(8_000)),
        format!("SELECT * FROM t{}", ", t".repeat(60)),
    ]);
    bombs
}

/// Texts that stop a parser before any database sees them.
fn parser_bombs() -> Vec<String> {
    let chain = |operator: &str| {
        format!("SELECT 1{}", format!(" {operator} 1").repeat(100_000 / (operator.len() + 3)))
    };
    let nested = |open: &str, close: &str| {
        let depth = 100_000 / (open.len() + close.len());
        format!("SELECT {}1{}", open.repeat(depth), close.repeat(depth))
    };
    let mut bombs: Vec<String> =
        ["+", "-", "||", "AND", "OR", "=", "<<", "IS", "LIKE", "UNION SELECT", "EXCEPT SELECT"]
            .map(chain)
            .into();
    bombs.extend(
        [
            ("(", ")"),
            ("(SELECT ", ")"),
            ("abs(", ")"),
            ("NOT ", ""),
            ("- ", ""),
            ("CASE WHEN 1 THEN ", " END"),
            ("[", "]"),
        ]
        .map(|(open, close)| nested(open, close)),
    );
    bombs.extend([
        "SELECT 1;".repeat(20_000),
        "END;".repeat(20_000),
        "SELECT 1; DROP TABLE t;".repeat(10_000),
        ";".repeat(100_000),
        "(".repeat(100_000),
        "'".repeat(99_999),
        "/*".repeat(50_000),
        "--\n".repeat(30_000),
        format!("SELECT '{}", "\\'".repeat(40_000)),
        "WITH a AS (".repeat(9_000),
        format!("SELECT a{}", ".a".repeat(50_000)),
        format!("SELECT {}", "x".repeat(1_000_000)),
        "\u{1F4A3}".repeat(25_000),
    ]);
    bombs
}

/// The most memory that this process ever had, in kB; 0 where the system does not say.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("VmHWM: 0 kB").to_owned();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Set in the process in which bombs are set off: what they may take is measured without the other tests.
const ALONE: &str = "SQLOGUE_TEST_BOMBS";

#[test]
fn bombs_end_in_time_and_take_little_memory() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["hostile::range", "--exact", "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("memory grew by"), "{said}");
}

/// Where the bombs are set off; without its environment there is nothing to do.
#[test]
fn range() {
    if std::env::var_os(ALONE).is_none() {
        return;
    }
    // The stack that the threads of a pool have by default.
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(set_off_bombs());
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

async fn set_off_bombs() {
    let file = File::new("t.db", TABLES);
    let before = files(file.folder());
    let limits = Limits { deadline: Duration::from_secs(1), ..Limits::default() };
    let database: Arc<dyn Database> = Arc::new(SqliteDatabase::open(file.path()).unwrap());
    let engine = repeatable().database(database).limits(limits).build().unwrap();
    let expected = probe(&engine).await;
    let memory = peak();
    let mut late = Vec::new();
    for sql in parser_bombs() {
        let started = Instant::now();
        for dialect in Dialect::ALL {
            let refused = guard::check(&sql, dialect).unwrap_err();
            assert!(refused.reason.chars().count() <= 300);
        }
        let state = engine.query_database(sql.as_str(), None).await.unwrap();
        assert_eq!(state.query, None);
        if started.elapsed() > Duration::from_secs(1) {
            late.push(format!("{:?}: {}", started.elapsed(), shown(&sql)));
        }
    }
    for sql in bombs() {
        let started = Instant::now();
        let answer = run(&engine, &sql).await;
        let took = started.elapsed();
        if took > limits.deadline + Duration::from_millis(500) {
            late.push(format!("{took:?}: {} {:?}", shown(&sql), answer.as_ref().map(Rows::len)));
        }
        match answer {
            Ok(rows) => assert!(rows.len() <= limits.rows),
            Err(
                DatabaseError::Deadline { .. }
                | DatabaseError::Limit { .. }
                | DatabaseError::Query { .. }
                | DatabaseError::Refused(_),
            ) => {}
            Err(error) => panic!("{}: {error:?}", shown(&sql)),
        }
        assert_eq!(run(&engine, PROBES[0]).await.unwrap().rows, expected[0], "after {}", shown(&sql));
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
    sort_on_disk(&engine).await;
    let grown = (peak() - memory) >> 10;
    println!("memory grew by {grown} MB");
    assert!(grown <= 256);
    assert_eq!(probe(&engine).await, expected);
    assert_eq!(files(file.folder()), before);
}

/// What sorting does not have in memory it writes to files, up to a limit, and leaves nothing behind.
async fn sort_on_disk(engine: &Engine) {
    let limits = Limits { deadline: Duration::from_secs(120), ..Limits::default() };
    let run = async |sql: &str| {
        let checked = guard::check(sql, Dialect::Sqlite).unwrap();
        engine.database().execute(&checked, &limits, &CancellationToken::new()).await
    };
    // 400 MB, with every key twice.
    let rows = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) \
                SELECT count(*), sum(c) FROM (SELECT printf('%04000d', i * 7919 % 50000) AS k, count(*) AS c FROM n GROUP BY k)";
    let answer = run(rows).await.unwrap();
    assert_eq!(answer.rows, [[Value::Integer(50_000), Value::Integer(100_000)]]);
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                   SELECT i, hex(randomblob(20000)) AS x FROM n ORDER BY x";
    let error = run(endless).await.unwrap_err();
    assert_eq!(error.to_string(), "the query needs more temporary space than is allowed (1024 MB)");
    assert_eq!(open_without_name(), 0);
    assert_eq!(run(PROBES[0]).await.unwrap().len(), 1);
}

/// How many files this process has open that have no name.
fn open_without_name() -> usize {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return 0 };
    let links = entries.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
    links.filter(|link| link.to_string_lossy().ends_with("(deleted)")).count()
}

fn shown(sql: &str) -> String {
    sql.chars().take(120).collect()
}
