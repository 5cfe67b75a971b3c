//! What holds behind the guard: DuckDB, shut.

use tokio_util::sync::CancellationToken;

use crate::{AdbcDatabase, Database as _, DatabaseError, Limits};
use sqlogue_sql::schema::Value;
use sqlogue_sql::sql::{Dialect, guard};

const TABLES: &str =
    "CREATE TABLE t (id int); INSERT INTO t SELECT range FROM range(100); CREATE SEQUENCE s;";

/// The second wall alone: what would get past the guard meets a database that is shut.
#[tokio::test]
async fn what_passes_the_guard_meets_a_shut_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    match super::write(&path("shop.duckdb"), TABLES) {
        // The tests of the whole program say what they skip, and fail where it must be there.
        Err(DatabaseError::NoDriver { .. }) => return,
        result => result.unwrap(),
    }
    let before = std::fs::read(path("shop.duckdb")).unwrap();
    let csv = path("visits.csv");
    let database = AdbcDatabase::at(&format!("duckdb:{}", path("shop.duckdb"))).unwrap();
    std::fs::write(&csv, "id,city\n1,Rome\n2,Oslo\n").unwrap();
    let of_files = AdbcDatabase::at(&format!("duckdb:{csv}")).unwrap();
    for sql in [
        "INSERT INTO t VALUES (1000, 'x')",
        "DELETE FROM t",
        "CREATE TABLE x (a int)",
        "CREATE OR REPLACE VIEW visits AS SELECT 1",
        "DROP VIEW visits",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/etc/*')",
        "COPY (SELECT 1) TO '/tmp/sqlogue_duck_out.csv'",
        "ATTACH '/tmp/sqlogue_duck_new.db'",
        "EXPORT DATABASE '/tmp/sqlogue_duck_dump'",
        "INSTALL httpfs",
        "LOAD spatial",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET allowed_paths = ['/etc/passwd']",
        "SET memory_limit = '100GB'",
        "PRAGMA threads = 64",
        "SELECT nextval('s')",
    ] {
        let unguarded = guard::unguarded(sql).unwrap();
        for database in [&database, &of_files] {
            let result = database.execute(&unguarded, &Limits::default(), &CancellationToken::new()).await;
            assert!(result.is_err(), "{sql} gave {result:?}");
        }
    }
    for (database, sql, rows) in
        [(&of_files, "SELECT count(*) FROM visits", 2), (&database, "SELECT count(*) FROM t", 100)]
    {
        let checked = guard::check(sql, Dialect::DuckDb).unwrap();
        let found = database.execute(&checked, &Limits::default(), &CancellationToken::new()).await.unwrap();
        assert_eq!(found.rows, [[Value::from(rows)]]);
    }
    drop((database, of_files));
    assert_eq!(std::fs::read(path("shop.duckdb")).unwrap(), before);
    for written in ["/tmp/sqlogue_duck_out.csv", "/tmp/sqlogue_duck_new.db", "/tmp/sqlogue_duck_dump"] {
        assert!(!std::path::Path::new(written).exists(), "{written} was written");
    }
}
