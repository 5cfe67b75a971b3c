use std::time::{Duration, Instant};

use super::*;
use sqlogue_sql::schema::ColumnType;
use sqlogue_sql::sql::guard;

fn shop() -> SqliteDatabase {
    SqliteDatabase::in_memory("shop", |connection| {
        connection.execute_batch(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, joined TEXT, vip BOOL);
             INSERT INTO customers VALUES (1, 'Ada', 'ada@x.org', '2024-01-31', 1), (2, 'Bo', NULL, '2025-02-01', 0);
             CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, total REAL, data BLOB);
             INSERT INTO orders VALUES (1, 1, 9.5, x'00ff'), (2, 1, 3, NULL), (3, 2, 1.25, NULL);
             CREATE VIEW totals AS SELECT customer_id, sum(total) AS total FROM orders GROUP BY customer_id;",
        )
    })
    .unwrap()
}

pub(super) async fn run(database: &SqliteDatabase, sql: &str) -> Result<Rows, DatabaseError> {
    let checked = guard::check(sql, Dialect::Sqlite)?;
    database.execute(&checked, &Limits::default(), &CancellationToken::new()).await
}

#[tokio::test]
async fn a_query_gives_rows() {
    let rows = run(&shop(), "SELECT name, count(*) AS n, sum(total) FROM customers JOIN orders ON customers.id = orders.customer_id GROUP BY 1 ORDER BY 2 DESC;").await.unwrap();
    assert_eq!(rows.columns, ["name", "n", "sum(total)"]);
    assert_eq!(
        rows.rows,
        [
            vec![Value::from("Ada"), Value::Integer(2), Value::Real(12.5)],
            vec![Value::from("Bo"), Value::Integer(1), Value::Real(1.25)],
        ]
    );
    assert!(!rows.truncated);
}

#[tokio::test]
async fn numbers_that_begin_with_0_and_1_are_known_by_the_greatest() {
    let database = SqliteDatabase::in_memory("games", |connection| {
        connection.execute_batch(
            "CREATE TABLE athletes (id INTEGER PRIMARY KEY, gold INTEGER, injured INTEGER);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
             INSERT INTO athletes SELECT i, CASE WHEN i = 400 THEN 5 ELSE i % 2 END, i % 2 FROM n;",
        )
    })
    .unwrap();
    let schema = database.introspect().await.unwrap();
    let samples = |column: &str| schema.table("athletes").unwrap().column(column).unwrap().samples.clone();
    assert!(samples("gold").contains(&Value::Integer(5)), "{:?}", samples("gold"));
    assert_eq!(samples("injured").len(), 2);
}

#[tokio::test]
async fn the_schema_is_read() {
    let schema = shop().introspect().await.unwrap();
    let names: Vec<_> = schema.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["customers", "orders", "totals"]);
    let customers = schema.table("customers").unwrap();
    let types: Vec<_> = customers.columns.iter().map(|column| column.column_type).collect();
    assert_eq!(
        types,
        [ColumnType::Integer, ColumnType::Text, ColumnType::Text, ColumnType::Date, ColumnType::Boolean]
    );
    assert!(customers.column("email").unwrap().unique && customers.column("id").unwrap().primary_key);
    assert!(!customers.column("name").unwrap().nullable);
    assert_eq!(customers.row_count, Some(2));
    let key = &schema.table("orders").unwrap().foreign_keys[0];
    assert_eq!((key.table.as_str(), key.references[0].as_str()), ("customers", "id"));
    assert_eq!(schema.table("totals").unwrap().column("total").unwrap().column_type, ColumnType::Real);
}

#[tokio::test]
async fn an_endless_query_is_stopped() {
    let database = shop();
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let checked = guard::check(sql, Dialect::Sqlite).unwrap();
    let limits = Limits { deadline: Duration::from_millis(100), ..Limits::default() };
    let error = database.execute(&checked, &limits, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error, DatabaseError::Deadline { limit: limits.deadline });

    let cancel = CancellationToken::new();
    let canceller = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        canceller.cancel();
    });
    let error = database.execute(&checked, &Limits::default(), &cancel).await.unwrap_err();
    assert_eq!(error, DatabaseError::Cancelled);
    assert_eq!(run(&database, "SELECT count(*) FROM orders").await.unwrap().rows, [[Value::Integer(3)]]);
}

#[tokio::test]
async fn values_are_listed() {
    let database = shop();
    let values = database.values("orders", "customer_id", 10).await.unwrap();
    assert_eq!(values, [(Value::Integer(1), 2), (Value::Integer(2), 1)]);
    let schema = database.introspect().await.unwrap();
    let texts = database.text_values(&schema, &ValueLimits::default()).await.unwrap();
    let names = texts.iter().find(|column| column.column == "name").unwrap();
    assert_eq!(names.values, ["Ada", "Bo"]);
    assert!(names.complete);
}

#[test]
fn what_is_no_database_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("empty.db"), "").unwrap();
    std::fs::write(path("text.db"), "this is a text, and no database at all").unwrap();
    std::fs::write(
        path("noise.db"),
        (0..4096_u32).map(|at| ((at * 7919) >> 3) as u8 | 0x80).collect::<Vec<_>>(),
    )
    .unwrap();
    std::fs::write(path("short.db"), "SQLite format 3\0").unwrap();
    let error = |name: &str| SqliteDatabase::open(path(name)).unwrap_err();
    assert!(matches!(error("missing.db"), DatabaseError::NotFound { .. }));
    assert!(!path("missing.db").exists());
    assert!(matches!(error("."), DatabaseError::NotAFile { .. }));
    assert!(matches!(error("empty.db"), DatabaseError::Empty { .. }));
    assert!(matches!(error("text.db"), DatabaseError::NotADatabase { .. }));
    assert!(matches!(error("noise.db"), DatabaseError::Encrypted { .. }));
    assert!(matches!(error("short.db"), DatabaseError::Incomplete { .. }), "{:?}", error("short.db"));
    assert!(matches!(
        SqliteDatabase::open("file:x.db?mode=rwc").unwrap_err(),
        DatabaseError::NotAFile { .. }
    ));
}

#[tokio::test]
async fn a_database_that_is_being_written_can_be_read() {
    for mode in ["wal", "delete"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a ?b#%.db");
        let writer = Connection::open(&path).unwrap();
        writer.pragma_update(None, "journal_mode", mode).unwrap();
        writer.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1);").unwrap();
        let database = SqliteDatabase::open(&path).unwrap();
        writer.execute_batch("BEGIN IMMEDIATE; INSERT INTO t VALUES (2);").unwrap();
        assert_eq!(run(&database, "SELECT count(*) FROM t").await.unwrap().rows, [[Value::Integer(1)]]);
        writer.execute_batch("COMMIT").unwrap();
        assert_eq!(run(&database, "SELECT count(*) FROM t").await.unwrap().rows, [[Value::Integer(2)]]);
    }
}

#[tokio::test]
async fn a_closed_wal_database_in_a_read_only_folder_can_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    let writer = Connection::open(&path).unwrap();
    writer.pragma_update(None, "journal_mode", "wal").unwrap();
    writer.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1);").unwrap();
    writer.close().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o555)).unwrap();
    let database = SqliteDatabase::open(&path);
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(run(&database.unwrap(), "SELECT count(*) FROM t").await.unwrap().rows, [[Value::Integer(1)]]);
}

#[tokio::test]
async fn odd_content_is_shown_rather_than_refused() {
    let database = SqliteDatabase::in_memory("odd", |connection| {
        connection.execute_batch(
            "CREATE TABLE \"a \"\"b\"\" [c]\" (\"x y\" TEXT, \"order\" INT, g AS (\"order\" * 2), \"\" REAL);
             INSERT INTO \"a \"\"b\"\" [c]\" VALUES (CAST(x'61ff62' AS TEXT), 9223372036854775807, 9e999), (x'00', -9223372036854775808, NULL);
             CREATE VIEW broken AS SELECT * FROM gone;
             CREATE TABLE self (id INTEGER PRIMARY KEY, parent INT REFERENCES self, two INT REFERENCES missing(id));
             CREATE TABLE pair (a INT, b INT, PRIMARY KEY (a, b)) WITHOUT ROWID;
             CREATE TABLE child (a INT, b INT, FOREIGN KEY (a, b) REFERENCES pair);
             CREATE VIRTUAL TABLE docs USING fts5(body);",
        )
    })
    .unwrap();
    let schema = database.introspect().await.unwrap();
    let names: Vec<_> = schema.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["a \"b\" [c]", "self", "pair", "child", "docs"]);
    let columns: Vec<_> = schema.tables[0].columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(columns, ["x y", "order", "g", ""]);
    assert_eq!(schema.tables[1].foreign_keys.len(), 1);
    assert_eq!(schema.tables[3].foreign_keys[0].references, ["a", "b"]);
    assert_eq!(schema.tables[4].columns.len(), 1);
    let rows =
        run(&database, "SELECT \"x y\", \"order\", g, \"\", \"x y\" FROM \"a \"\"b\"\" [c]\"").await.unwrap();
    assert_eq!(rows.columns, ["x y", "order", "g", "", "x y"]);
    assert_eq!(rows.rows[0][0], Value::from("a\u{fffd}b"));
    assert_eq!(rows.rows[0][1], Value::Integer(i64::MAX));
    assert_eq!(rows.rows[0][3], Value::Real(f64::INFINITY));
    assert_eq!(rows.rows[1][0], Value::Blob(vec![0]));
}

#[tokio::test]
async fn a_wrong_name_is_the_querys_fault() {
    let error = run(&shop(), "SELECT nonsense FROM customers").await.unwrap_err();
    assert_eq!(error, DatabaseError::Query { message: "no such column: nonsense".into(), offset: Some(7) });
    assert!(error.is_query_fault());
}

#[tokio::test]
async fn reading_a_wal_database_leaves_no_files_and_misses_no_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    let write = |sql: &str| {
        let writer = Connection::open(&path).unwrap();
        writer.pragma_update(None, "journal_mode", "wal").unwrap();
        writer.execute_batch(sql).unwrap();
        writer
    };
    write("CREATE TABLE t (x); INSERT INTO t VALUES (1);").close().unwrap();
    let count = "SELECT count(*) FROM t";
    let database = SqliteDatabase::open(&path).unwrap();
    assert_eq!(run(&database, count).await.unwrap().rows, [[Value::Integer(1)]]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let writer = write("INSERT INTO t VALUES (2);");
    assert_eq!(run(&database, count).await.unwrap().rows, [[Value::Integer(2)]]);
    writer.close().unwrap();
    write("INSERT INTO t VALUES (3);").close().unwrap();
    assert_eq!(run(&database, count).await.unwrap().rows, [[Value::Integer(3)]]);
    // One that was written and closed between two looks.
    let other = SqliteDatabase::open(&path).unwrap();
    write("INSERT INTO t VALUES (4);").close().unwrap();
    assert_eq!(run(&other, count).await.unwrap().rows, [[Value::Integer(4)]]);
}

#[tokio::test]
async fn a_database_that_somebody_holds_is_said_to_be_locked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1);").unwrap();
    let database = SqliteDatabase::open(&path).unwrap();
    writer.execute_batch("BEGIN EXCLUSIVE; INSERT INTO t VALUES (2);").unwrap();
    let started = Instant::now();
    let error = run(&database, "SELECT count(*) FROM t").await.unwrap_err();
    assert_eq!(error, DatabaseError::Locked { name: "t".into() });
    assert!(started.elapsed() < Duration::from_secs(4));
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(run(&database, "SELECT count(*) FROM t").await.unwrap().rows, [[Value::Integer(2)]]);
}

#[tokio::test]
async fn computed_rows_and_values_are_read_like_others() {
    let database = SqliteDatabase::in_memory("computed", |connection| {
        connection.execute_batch(
            "CREATE TABLE t (n INT, twice INT AS (n * 2) STORED, half REAL GENERATED ALWAYS AS (n / 2.0) VIRTUAL);
             INSERT INTO t VALUES (3), (-9223372036854775808);
             CREATE VIEW big AS SELECT n, twice FROM t WHERE twice > 0;
             CREATE VIEW nested AS SELECT max(twice) AS most FROM big;
             CREATE VIRTUAL TABLE docs USING fts5(body);
             INSERT INTO docs VALUES ('one two'), ('two three');
             CREATE VIRTUAL TABLE places USING rtree(id, x0, x1);
             INSERT INTO places VALUES (1, 0, 10), (2, 20, 30);",
        )
    })
    .unwrap();
    for (sql, expected) in [
        ("SELECT twice, half FROM t WHERE n = 3", vec![Value::Integer(6), Value::Real(1.5)]),
        ("SELECT most FROM nested", vec![Value::Integer(6)]),
        ("SELECT count(*) FROM docs WHERE docs MATCH 'two'", vec![Value::Integer(2)]),
        // SQLite stores no NaN; what has no value is NULL.
        (
            "SELECT 9e999 - 9e999, 9e999, -9e999",
            vec![Value::Null, Value::Real(f64::INFINITY), Value::Real(f64::NEG_INFINITY)],
        ),
        (
            "SELECT -9223372036854775808, 9223372036854775808",
            vec![Value::Integer(i64::MIN), Value::Real(9_223_372_036_854_775_808.0)],
        ),
        ("SELECT length(x'00ff00'), x'00ff00'", vec![Value::Integer(3), Value::Blob(vec![0, 255, 0])]),
    ] {
        assert_eq!(run(&database, sql).await.unwrap().rows, [expected], "{sql}");
    }
    // R-Trees prepare to write before they read, which the authorizer does not let them.
    for sql in ["SELECT abs(n) FROM t", "SELECT id FROM places WHERE x0 > 5"] {
        let error = run(&database, sql).await.unwrap_err();
        assert!(error.is_query_fault(), "{sql}: {error:?}");
    }
}

#[tokio::test]
async fn a_file_that_nobody_may_write_can_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1);").unwrap();
    let allow =
        |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    allow(&path, 0o444);
    allow(folder.path(), 0o555);
    let rows = run(&SqliteDatabase::open(&path).unwrap(), "SELECT x FROM t").await;
    allow(folder.path(), 0o755);
    assert_eq!(rows.unwrap().rows, [[Value::Integer(1)]]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
