//! MariaDB asked for what it must not do, by an account that may do everything.

use std::time::{Duration, Instant};

use sqlogue::database::{Database as _, DatabaseError, Limits};
use sqlogue::sql::{Dialect, guard};
use tokio_util::sync::CancellationToken;

use crate::mysql::{query, query_within};
use crate::mysql_server::{Server, server};

/// `regexp_like` is MySQL's own; MariaDB has none, and would call what somebody made under that name.
const TABLES: &str = "
CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, name text);
INSERT INTO t (name) SELECT concat('row ', seq) FROM seq_1_to_100;
CREATE TABLE log (x text);
CREATE SEQUENCE s;
DELIMITER //
CREATE FUNCTION wipe() RETURNS int BEGIN DELETE FROM t; RETURN 1; END//
CREATE FUNCTION regexp_like(a text, b text) RETURNS int BEGIN DO SLEEP(60); RETURN 1; END//
CREATE PROCEDURE wipe_all() BEGIN DELETE FROM t; END//
DELIMITER ;
CREATE VIEW trap AS SELECT wipe() AS gone;
CREATE VIEW counting AS SELECT NEXTVAL(s) AS n;
";

/// Everything that a statement could have changed.
fn state(server: &Server, name: &str) -> String {
    let sql = "CHECKSUM TABLE t, log; SELECT next_not_cached_value FROM s;
        SELECT count(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA IN (DATABASE(), 'mysql');
        SELECT count(*) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA IN (DATABASE(), 'mysql');
        SELECT user, host, plugin FROM mysql.user ORDER BY 1, 2; SELECT count(*) FROM mysql.plugin; SELECT count(*) FROM mysql.event;
        SELECT count(*) FROM mysql.servers;
        SELECT VARIABLE_NAME, VARIABLE_VALUE FROM information_schema.GLOBAL_VARIABLES WHERE VARIABLE_NAME NOT LIKE '%gtid%'
          AND VARIABLE_NAME NOT IN ('TIMESTAMP', 'IN_TRANSACTION', 'LAST_INSERT_ID') ORDER BY 1;
        SELECT IS_USED_LOCK('a');";
    for path in ["/tmp/sqlogue_out", "/tmp/sqlogue_dump"] {
        assert!(!std::path::Path::new(path).exists(), "{path} was written");
    }
    // Other tests have their databases beside this one.
    let files = server.files().into_iter().filter(|file| !file.starts_with("test_")).collect::<Vec<_>>();
    format!("{} {files:?}", server.run(name, sql))
}

/// Every statement of the corpus would write, wait, lock, tell secrets or outlive itself. Its id is the code of the guard's
/// refusal; `database` is what only the server can refuse, and `harmless` what only looks hostile.
#[tokio::test]
async fn hostile_statements_change_nothing() {
    #[derive(serde::Deserialize)]
    struct Line {
        id: String,
        sql: String,
    }
    let Some(server) = server("hostile_statements_change_nothing") else { return };
    let name = server.database(TABLES);
    let database = server.open(&name).await;
    let before = state(server, &name);
    let probes = [
        "SELECT count(*), max(name), current_date > '2000-01-01' FROM t",
        "SELECT 'a\\\\' = \"a\\\\\", 1 / 3, 'A' = 'a', count(*) FROM t",
        "SELECT table_name FROM information_schema.tables WHERE table_schema NOT IN ('mysql') AND table_name LIKE 'trap%' LIMIT 1",
    ];
    let mut expected = Vec::new();
    for probe in probes {
        expected.push(query(&database, probe).await.unwrap().rows);
    }
    let lines = include_str!("../data/hostile_mysql.jsonl").lines();
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
    assert_eq!(state(server, &name), before);
}

/// The second wall alone: what would get past the guard meets a read-only transaction and one statement at a time.
#[tokio::test]
async fn what_writes_is_refused_by_the_transaction() {
    let Some(server) = server("what_writes_is_refused_by_the_transaction") else { return };
    let name = server.database(TABLES);
    let database = server.open(&name).await;
    let before = server.run(&name, "CHECKSUM TABLE t, log; SELECT next_not_cached_value FROM s;");
    for sql in ["SELECT * FROM trap", "SELECT n FROM counting"] {
        let error = query(&database, sql).await.unwrap_err();
        let DatabaseError::Refused(refusal) = error else { panic!("{sql}: {error:?}") };
        assert_eq!(refusal.code.name(), "write_statement");
    }
    let DatabaseError::Refused(refusal) =
        query(&database, "SELECT regexp_like(name, 'x') FROM t").await.unwrap_err()
    else {
        panic!()
    };
    assert_eq!(refusal.code.name(), "forbidden_function");
    assert_eq!(server.run(&name, "CHECKSUM TABLE t, log; SELECT next_not_cached_value FROM s;"), before);
}

const ENDLESS: &str = "SELECT count(*) FROM n AS a, n AS b, n AS c, n AS d WHERE a.i + b.i + c.i + d.i < 0";

const BOMBS: &[&str] = &[
    ENDLESS,
    "SELECT max(sha2(concat(a.i, b.i), 512)) FROM n AS a, n AS b",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r, n AS a, n AS b",
    "SELECT count(DISTINCT concat(a.i, '-', b.i)) FROM n AS a, n AS b",
    "SELECT a.i FROM n AS a, n AS b ORDER BY sha1(concat(a.i, b.i))",
];

const NUMBERS: &str = "CREATE TABLE n (i int); INSERT INTO n SELECT seq FROM seq_1_to_20000;";

#[tokio::test]
async fn nothing_runs_past_its_deadline() {
    let Some(server) = server("nothing_runs_past_its_deadline") else { return };
    let name = server.database(&format!("{NUMBERS} CREATE TABLE held (a int);"));
    let database = server.open(&name).await;
    let limits = Limits { deadline: Duration::from_secs(1), ..Limits::default() };
    for sql in BOMBS {
        let started = Instant::now();
        let result = query_within(&database, sql, &limits).await;
        let took = started.elapsed();
        assert!(took < Duration::from_millis(1_500), "{sql} took {took:?}");
        assert!(result.is_err(), "{sql} gave {result:?}");
    }
    // A table that is being changed.
    let at = name.clone();
    let holder = std::thread::spawn(move || {
        server.run(&at, "LOCK TABLES held WRITE; DO SLEEP(3); UNLOCK TABLES;");
    });
    tokio::time::sleep(Duration::from_millis(700)).await;
    let started = Instant::now();
    let error = query_within(&database, "SELECT * FROM held", &limits).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Locked { .. } | DatabaseError::Deadline { .. }), "{error:?}");
    assert!(started.elapsed() < Duration::from_millis(1_500));
    holder.join().unwrap();
    assert_eq!(running(&name), "");
    assert!(query(&database, "SELECT * FROM held").await.unwrap().is_empty());
}

/// What other sessions are still doing a moment later.
fn running(name: &str) -> String {
    let server = server("running").unwrap();
    let sql = format!(
        "SELECT INFO FROM information_schema.PROCESSLIST WHERE DB = '{name}' AND COMMAND NOT IN ('Sleep', 'Killed') AND USER = 'writer';"
    );
    let started = Instant::now();
    loop {
        let doing = server.run("mysql", &sql).trim().to_owned();
        if doing.is_empty() || started.elapsed() > Duration::from_secs(2) {
            return doing;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_and_abandoned_queries_end_on_the_server() {
    let Some(server) = server("cancelled_and_abandoned_queries_end_on_the_server") else { return };
    let name = server.database(NUMBERS);
    let database = server.open(&name).await;
    let endless = guard::check(ENDLESS, Dialect::MySql).unwrap();
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
    let at = name.clone();
    assert_eq!(tokio::task::spawn_blocking(move || running(&at)).await.unwrap(), "");
    assert_eq!(query(&database, "SELECT 1").await.unwrap().rows, [[1.into()]]);
}

#[tokio::test]
async fn a_huge_cell_costs_little_memory() {
    let Some(server) = server("a_huge_cell_costs_little_memory") else { return };
    let database = server.open(&server.database(NUMBERS)).await;
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("VmHWM: 0 kB").to_owned();
        line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).unwrap_or(0)
    };
    let before = peak();
    for sql in ["SELECT repeat('x', 900000000)", "SELECT repeat('x', 20000000) FROM n"] {
        match query(&database, sql).await {
            Ok(rows) => assert!(rows.truncated, "{sql}"),
            Err(DatabaseError::Limit { .. } | DatabaseError::Deadline { .. }) => {}
            Err(error) => panic!("{sql}: {error:?}"),
        }
    }
    let grown = (peak() - before) / 1024;
    assert!(grown < 256, "memory grew by {grown} MB");
    assert_eq!(query(&database, "SELECT 1").await.unwrap().rows, [[1.into()]]);
}
