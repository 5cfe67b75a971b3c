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
CREATE FUNCTION \"Lower\"(integer) RETURNS text LANGUAGE sql VOLATILE AS 'SELECT nextval(''public.s'')::text';
CREATE VIEW trap AS SELECT wipe() AS gone;
CREATE VIEW counting AS SELECT nextval('s') AS n;
";

/// Every statement of the corpus would write, wait, lock, tell secrets or outlive itself. Its id is the code of the guard's
/// refusal; `database` is what only the walls behind the guard can refuse, and `harmless` what only looks hostile.
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
    let state = "SELECT md5(string_agg(id || name, ',' ORDER BY id)) FROM t;
        SELECT last_value, is_called FROM s; SELECT count(*) FROM pg_class; SELECT count(*) FROM pg_proc;
        SELECT count(*) FROM pg_roles; SELECT count(*) FROM pg_largeobject_metadata;
        SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'; SELECT count(*) FROM pg_prepared_xacts;";
    let before = server.run(&name, state);
    let probes = [
        "SELECT count(*), max(name), current_date > '2000-01-01' FROM t",
        "SELECT setting FROM (VALUES ('it''s')) AS x (setting) WHERE 'a' || E'\\\\' = 'a\\'",
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
    ];
    let mut expected = Vec::new();
    for probe in probes {
        expected.push(query(&database, probe).await.unwrap().rows);
    }
    let lines = include_str!("../data/hostile_postgres.jsonl").lines();
    let mut hostile: Vec<Line> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(hostile.len() >= 200);
    fastrand::Rng::with_seed(15).shuffle(&mut hostile);
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
    assert_eq!(server.run(&name, state), before);
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
