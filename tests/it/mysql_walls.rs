//! MariaDB asked for what it must not do, by an account that may do everything.

use std::time::Duration;

use crate::mysql_server::{Server, server};
use crate::support::query;
use crate::walls::{
    cancels_and_abandons, gives_up_on_a_lock, keeps_deadlines, reads_huge_cells_cheaply, refuses,
    still_doing, withstands,
};

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

#[tokio::test]
async fn hostile_statements_change_nothing() {
    let Some(server) = server("hostile_statements_change_nothing") else { return };
    let name = server.database(TABLES);
    let database = server.open(&name).await;
    let before = state(server, &name);
    let probes = [
        "SELECT count(*), max(name), current_date > '2000-01-01' FROM t",
        "SELECT 'a\\\\' = \"a\\\\\", 1 / 3, 'A' = 'a', count(*) FROM t",
        "SELECT table_name FROM information_schema.tables WHERE table_schema NOT IN ('mysql') AND table_name LIKE 'trap%' LIMIT 1",
    ];
    withstands(&database, include_str!("../data/hostile_mysql.jsonl"), 300, &probes).await;
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
        refuses(&database, sql, "write_statement").await;
    }
    refuses(&database, "SELECT regexp_like(name, 'x') FROM t", "forbidden_function").await;
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
    keeps_deadlines(&database, BOMBS).await;
    // A table that is being changed.
    let at = name.clone();
    let holder = std::thread::spawn(move || {
        server.run(&at, "LOCK TABLES held WRITE; DO SLEEP(3); UNLOCK TABLES;");
    });
    tokio::time::sleep(Duration::from_millis(700)).await;
    gives_up_on_a_lock(&database, "SELECT * FROM held").await;
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
    still_doing(|| server.run("mysql", &sql))
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_and_abandoned_queries_end_on_the_server() {
    let Some(server) = server("cancelled_and_abandoned_queries_end_on_the_server") else { return };
    let name = server.database(NUMBERS);
    let database = server.open(&name).await;
    cancels_and_abandons(&database, ENDLESS).await;
    let at = name.clone();
    assert_eq!(tokio::task::spawn_blocking(move || running(&at)).await.unwrap(), "");
    assert_eq!(query(&database, "SELECT 1").await.unwrap().rows, [[1.into()]]);
}

#[tokio::test]
async fn a_huge_cell_costs_little_memory() {
    let Some(server) = server("a_huge_cell_costs_little_memory") else { return };
    let database = server.open(&server.database(NUMBERS)).await;
    let huge = ["SELECT repeat('x', 900000000)", "SELECT repeat('x', 20000000) FROM n"];
    reads_huge_cells_cheaply(&database, &huge).await;
}
