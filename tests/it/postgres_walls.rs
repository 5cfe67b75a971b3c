//! PostgreSQL asked for what it must not do, by a role that could.

use std::time::Duration;

use crate::postgres_server::server;
use crate::support::query;
use crate::walls::{
    cancels_and_abandons, gives_up_on_a_lock, keeps_deadlines, reads_huge_cells_cheaply, refuses,
    still_doing, withstands,
};

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

#[tokio::test]
async fn hostile_statements_change_nothing() {
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
    withstands(&database, include_str!("../data/hostile_postgres.jsonl"), 200, &probes).await;
    assert_eq!(server.run(&name, state), before);
}

/// The second wall alone: what would get past the guard meets a read-only transaction and one statement at a time.
#[tokio::test]
async fn views_that_write_are_refused_by_the_transaction() {
    let Some(server) = server("views_that_write_are_refused_by_the_transaction") else { return };
    let name = server.database(TABLES);
    let database = server.open(&name).await;
    for sql in ["SELECT * FROM trap", "SELECT n FROM counting"] {
        refuses(&database, sql, "write_statement").await;
    }
    refuses(&database, "SELECT lower(5)", "forbidden_function").await;
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
    keeps_deadlines(&database, BOMBS).await;
    // A table that is being changed.
    let url = name.clone();
    let holder = std::thread::spawn(move || {
        server.run(&url, "BEGIN; LOCK TABLE held; SELECT pg_sleep(3); COMMIT;");
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
        "SELECT string_agg(state || ' ' || query, ';') FROM pg_stat_activity WHERE datname = '{name}' AND state <> 'idle' AND usename = 'writer';"
    );
    still_doing(|| server.run("postgres", &sql))
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_and_abandoned_queries_end_on_the_server() {
    let Some(server) = server("cancelled_and_abandoned_queries_end_on_the_server") else { return };
    let name = server.database("");
    let database = server.open(&name).await;
    cancels_and_abandons(&database, BOMBS[1]).await;
    let at = name.clone();
    assert_eq!(tokio::task::spawn_blocking(move || running(&at)).await.unwrap(), "");
    assert_eq!(query(&database, "SELECT 1").await.unwrap().rows, [[1.into()]]);
}

#[tokio::test]
async fn a_huge_cell_costs_little_memory() {
    let Some(server) = server("a_huge_cell_costs_little_memory") else { return };
    let database = server.open(&server.database("")).await;
    let huge = ["SELECT repeat('x', 900000000)", "SELECT repeat('x', 20000000) FROM generate_series(1, 100)"];
    reads_huge_cells_cheaply(&database, &huge).await;
}
