//! PostgreSQL asked for what it must not do, by a role that could.

use std::time::{Duration, Instant};

use sqlogue::database::{Database as _, DatabaseError, Limits};
use sqlogue::sql::{Dialect, guard};
use tokio_util::sync::CancellationToken;

use crate::postgres::{query, query_within};
use crate::postgres_server::server;

const TABLES: &str = "
CREATE TABLE t (id serial PRIMARY KEY, name text);
INSERT INTO t (name) SELECT 'row ' || n FROM generate_series(1, 100) AS n;
CREATE SEQUENCE s;
CREATE FUNCTION wipe() RETURNS integer LANGUAGE sql VOLATILE AS 'DELETE FROM public.t; SELECT 1';
CREATE FUNCTION lower(integer) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
  BEGIN PERFORM pg_sleep(60); RETURN 'x'; END $$;
CREATE VIEW trap AS SELECT wipe() AS gone;
CREATE VIEW counting AS SELECT nextval('s') AS n;
";

/// Statements that would write, wait, lock, tell secrets or outlive themselves.
const HOSTILE: &[&str] = &[
    "DELETE FROM t",
    "INSERT INTO t VALUES (1)",
    "UPDATE t SET name = 'x'",
    "TRUNCATE t",
    "DROP TABLE t",
    "CREATE TABLE u (a integer)",
    "CREATE TEMP TABLE t AS SELECT 1",
    "SELECT * INTO u FROM t",
    "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d",
    "WITH d AS (INSERT INTO t VALUES (1000) RETURNING *) SELECT * FROM d",
    "EXPLAIN ANALYZE SELECT 1",
    "EXPLAIN (ANALYZE) DELETE FROM t",
    "EXPLAIN ANALYZE CREATE TABLE u AS SELECT 1",
    "COMMIT; DROP TABLE t",
    "SELECT 1; DROP TABLE t",
    "COMMIT",
    "BEGIN",
    "ROLLBACK",
    "SET TRANSACTION READ WRITE",
    "SET statement_timeout = 0",
    "SET SESSION AUTHORIZATION boss",
    "SET ROLE boss",
    "RESET ALL",
    "SHOW all",
    "PREPARE p AS SELECT 1",
    "DISCARD ALL",
    "LISTEN x",
    "NOTIFY x",
    "LOCK TABLE t",
    "VACUUM",
    "COPY t TO '/tmp/out'",
    "COPY t FROM '/etc/passwd'",
    "COPY (SELECT 1) TO PROGRAM 'touch /tmp/x'",
    "DO $$ BEGIN DELETE FROM t; END $$",
    "CALL wipe()",
    "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
    "SELECT * FROM t FOR UPDATE",
    "SELECT * FROM (SELECT * FROM t FOR SHARE) AS x",
    "SELECT wipe()",
    "SELECT public.wipe()",
    "SELECT \"wipe\"()",
    "SELECT * FROM wipe()",
    "SELECT * FROM t WHERE wipe() = 1",
    "SELECT count(*) FROM t GROUP BY wipe()",
    "SELECT count(*) FILTER (WHERE wipe() = 1) FROM t",
    "SELECT * FROM t, LATERAL wipe()",
    "VALUES (wipe())",
    "SELECT * FROM trap",
    "SELECT * FROM counting",
    "SELECT lower(5)",
    "SELECT nextval('s')",
    "SELECT setval('s', 1)",
    "SELECT set_config('statement_timeout', '0', false)",
    "SELECT current_setting('data_directory')",
    "SELECT pg_sleep(60)",
    "SELECT pg_catalog.pg_sleep(60)",
    "SELECT pg_advisory_lock(1)",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_ls_dir('.')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_create(0)",
    "SELECT pg_terminate_backend(pg_backend_pid())",
    "SELECT pg_reload_conf()",
    "SELECT pg_notify('x', 'y')",
    "SELECT dblink('x', 'y')",
    "SELECT query_to_xml('DELETE FROM t', true, false, '')",
    "SELECT ts_stat('SELECT 1')",
    "SELECT * FROM ts_stat('DELETE FROM t')",
    "SELECT txid_current()",
    "SELECT pg_export_snapshot()",
    "SELECT pg_logical_emit_message(true, 'a', 'b')",
    "SELECT * FROM pg_authid",
    "SELECT * FROM pg_catalog.pg_shadow",
    "SELECT * FROM pg_stat_activity",
    "SELECT * FROM pg_settings",
    "SELECT 'a\\'; DROP TABLE t; --'",
    "SELECT E'\\'; DROP TABLE t; --",
    "SELECT $a$x$b$; DROP TABLE t; --$a$; DELETE FROM t",
    "SELECT 1 -- \r DROP TABLE t",
    "SELECT 1 /* /* */ ; DROP TABLE t; */",
    "SELECT 1\0; DROP TABLE t",
];

#[tokio::test]
async fn hostile_statements_change_nothing() {
    let Some(server) = server("hostile_statements_change_nothing") else { return };
    let name = server.database(TABLES);
    let database = server.open(&name).await;
    let state = "SELECT md5(string_agg(id || name, ',' ORDER BY id)) FROM t;
        SELECT last_value, is_called FROM s; SELECT count(*) FROM pg_class; SELECT count(*) FROM pg_locks WHERE locktype = 'advisory';";
    let before = server.run(&name, state);
    let probe = "SELECT count(*), max(name), current_date > '2000-01-01' FROM t";
    let expected = query(&database, probe).await.unwrap().rows;
    for (number, sql) in HOSTILE.iter().enumerate() {
        let started = Instant::now();
        let result = query(&database, sql).await;
        assert!(started.elapsed() < Duration::from_millis(5_500), "{sql}");
        // Two texts are harmless as PostgreSQL reads them: one text, and a comment in a comment.
        let is_harmless = sql.starts_with("SELECT 'a\\'") || sql.starts_with("SELECT 1 /*");
        match result {
            Ok(rows) => assert!(is_harmless, "{sql} gave {rows:?}"),
            Err(DatabaseError::Refused(refusal)) => assert!(refusal.reason.chars().count() <= 300, "{sql}"),
            Err(error) => assert!(error.is_query_fault(), "{sql}: {error:?}"),
        }
        if number % 5 == 0 {
            assert_eq!(query(&database, probe).await.unwrap().rows, expected, "after {sql}");
        }
    }
    assert_eq!(server.run(&name, state), before);
    assert_eq!(query(&database, probe).await.unwrap().rows, expected);
}

/// The second wall alone: what would get past the guard meets a read-only transaction and one statement at a time.
#[tokio::test]
async fn views_that_write_are_refused_by_the_transaction() {
    let Some(server) = server("views_that_write_are_refused_by_the_transaction") else { return };
    let name = server.database(TABLES);
    let database = server.open(&name).await;
    for sql in ["SELECT * FROM trap", "SELECT n FROM counting"] {
        let error = query(&database, sql).await.unwrap_err();
        let DatabaseError::Refused(refusal) = error else { panic!("{sql}: {error:?}") };
        assert_eq!(refusal.code.name(), "write_statement");
    }
    let DatabaseError::Refused(refusal) = query(&database, "SELECT lower(5)").await.unwrap_err() else {
        panic!()
    };
    assert_eq!(refusal.code.name(), "forbidden_function");
}

const BOMBS: &[&str] = &[
    "SELECT count(*) FROM generate_series(1, 1000000000000)",
    "SELECT count(*) FROM generate_series(1, 100000) AS a, generate_series(1, 100000) AS b",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r WHERE n < 0",
    "SELECT factorial(200000)",
    "SELECT md5(string_agg(md5(n::text), '')) FROM generate_series(1, 100000000) AS n",
];

#[tokio::test]
async fn nothing_runs_past_its_deadline() {
    let Some(server) = server("nothing_runs_past_its_deadline") else { return };
    let name = server.database("CREATE TABLE held (a integer);");
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
    let url = name.clone();
    let holder = std::thread::spawn(move || {
        server.run(&url, "BEGIN; LOCK TABLE held; SELECT pg_sleep(3); COMMIT;");
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
        "SELECT string_agg(state || ' ' || query, ';') FROM pg_stat_activity WHERE datname = '{name}' AND state <> 'idle' AND usename = 'writer';"
    );
    let started = Instant::now();
    loop {
        let doing = server.run(&name.replace(name, "postgres"), &sql).trim().to_owned();
        if doing.is_empty() || started.elapsed() > Duration::from_secs(2) {
            return doing;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_and_abandoned_queries_end_on_the_server() {
    let Some(server) = server("cancelled_and_abandoned_queries_end_on_the_server") else { return };
    let name = server.database("");
    let database = server.open(&name).await;
    let endless = guard::check(BOMBS[1], Dialect::Postgres).unwrap();
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
    let database = server.open(&server.database("")).await;
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("VmHWM: 0 kB").to_owned();
        line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).unwrap_or(0)
    };
    let before = peak();
    for sql in ["SELECT repeat('x', 900000000)", "SELECT repeat('x', 20000000) FROM generate_series(1, 100)"]
    {
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
