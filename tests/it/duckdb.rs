//! What DuckDB tells: schema, values, types, errors, files of others; and what is said where it cannot be asked.

use std::path::Path;
use std::time::Duration;

use sqlogue::database::{AdbcDatabase, Database as _, DatabaseError, Limits, Rows, ValueLimits};
use sqlogue::schema::{ColumnType, TableKind, Value};
use sqlogue::sql::{Dialect, guard};
use tokio_util::sync::CancellationToken;

use crate::duckdb_files::file;

async fn query(database: &AdbcDatabase, sql: &str) -> Result<Rows, DatabaseError> {
    let checked = guard::check(sql, Dialect::DuckDb)?;
    database.execute(&checked, &Limits::default(), &CancellationToken::new()).await
}

const SHOP: &str = "
CREATE TYPE mood AS ENUM ('sad', 'it''s fine');
CREATE TABLE customers (id integer PRIMARY KEY, name varchar NOT NULL, email varchar UNIQUE, born date, feels mood,
  balance decimal(10, 2), active boolean, joined timestamptz, opens time, photo blob, extra json, tags varchar[],
  account uuid, total hugeint);
COMMENT ON TABLE customers IS 'People who buy';
COMMENT ON COLUMN customers.born IS 'Day of birth';
INSERT INTO customers (id, name, email, born, feels, balance, active, joined, opens, tags) VALUES
  (1, 'Ada', 'ada@x', '1990-02-03', 'sad', 12.50, TRUE, '2024-03-01 12:00:00+02', '08:30', ['a', NULL]),
  (2, 'Bo', NULL, NULL, 'it''s fine', NULL, FALSE, NULL, NULL, NULL);
CREATE TABLE \"odd names\" (\"A b\" int UNIQUE, \"select\" text, customer_id int REFERENCES customers (id));
CREATE TABLE lines (order_id int, line int, PRIMARY KEY (order_id, line));
CREATE TABLE refs (a int, b int, FOREIGN KEY (a, b) REFERENCES lines (order_id, line));
CREATE TABLE \"dotted.name\" (a int);
CREATE VIEW happy AS SELECT id, name FROM customers WHERE feels = 'it''s fine';
CREATE SCHEMA old; CREATE TABLE old.orders (id integer PRIMARY KEY);
";

#[tokio::test]
async fn the_schema_is_read_whole() {
    let Some(file) = file("the_schema_is_read_whole", SHOP) else { return };
    let database = file.open();
    assert_eq!((database.name(), database.dialect()), ("shop", Dialect::DuckDb));
    let schema = database.introspect().await.unwrap();
    let names: Vec<_> = schema.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["customers", "happy", "lines", "odd names", "refs", "old.orders"]);
    let customers = schema.table("customers").unwrap();
    assert_eq!(customers.description.as_deref(), Some("People who buy"));
    assert_eq!(customers.row_count, Some(2));
    assert_eq!(customers.column("born").unwrap().description.as_deref(), Some("Day of birth"));
    assert_eq!(customers.column("feels").unwrap().samples, ["sad".into(), "it's fine".into()]);
    let shown = |name: &str| {
        let column = customers.column(name).unwrap();
        (column.column_type, column.nullable, column.primary_key, column.unique)
    };
    assert_eq!(shown("id"), (ColumnType::Integer, false, true, true));
    assert_eq!(shown("name"), (ColumnType::Text, false, false, false));
    assert_eq!(shown("email"), (ColumnType::Text, true, false, true));
    for (name, expected) in [
        ("born", ColumnType::Date),
        ("feels", ColumnType::Text),
        ("balance", ColumnType::Real),
        ("active", ColumnType::Boolean),
        ("joined", ColumnType::DateTime),
        ("opens", ColumnType::Time),
        ("photo", ColumnType::Blob),
        ("extra", ColumnType::Text),
        ("tags", ColumnType::Other),
        ("total", ColumnType::Integer),
    ] {
        assert_eq!(customers.column(name).unwrap().column_type, expected, "{name}");
    }
    assert_eq!(schema.table("happy").unwrap().kind, TableKind::View);
    let key = &schema.table("odd names").unwrap().foreign_keys[0];
    assert_eq!((key.table.as_str(), key.references.as_slice()), ("customers", ["id".to_owned()].as_slice()));
    assert_eq!(schema.table("refs").unwrap().foreign_keys[0].columns, ["a", "b"]);
    assert!(!schema.table("lines").unwrap().columns[0].unique);
}

#[tokio::test]
async fn values_have_their_types() {
    let Some(file) = file("values_have_their_types", SHOP) else { return };
    let database = file.open();
    let row = "SELECT id, name, born, feels, balance, active, joined, opens, tags FROM customers ORDER BY id LIMIT 1";
    let expected: [Value; 9] = [
        1.into(),
        "Ada".into(),
        "1990-02-03".into(),
        "sad".into(),
        12.5.into(),
        true.into(),
        "2024-03-01 10:00:00".into(),
        "08:30:00".into(),
        "[\"a\",null]".into(),
    ];
    assert_eq!(query(&database, row).await.unwrap().rows, [expected]);
    let computed = "SELECT sum(id), avg(id), 1 / 2, 7 // 2, 0.1, sum(balance), INTERVAL '14 months', {'a': 1}, NULL FROM customers";
    let expected: [Value; 9] = [
        3.into(),
        1.5.into(),
        0.5.into(),
        3.into(),
        0.1.into(),
        12.5.into(),
        "1 year 2 months".into(),
        "{\"a\":1}".into(),
        Value::Null,
    ];
    assert_eq!(query(&database, computed).await.unwrap().rows, [expected]);
    let named = query(&database, "SELECT count(*) AS n, max(name) FROM customers").await.unwrap();
    assert_eq!(named.columns, ["n", "max(\"name\")"]);
    let frequent = database.values("customers", "active", 5).await.unwrap();
    assert_eq!(frequent.len(), 2);
    let schema = database.introspect().await.unwrap();
    let texts = database.text_values(&schema, &ValueLimits::default()).await.unwrap();
    let names = texts.iter().find(|texts| texts.table == "customers" && texts.column == "name").unwrap();
    assert_eq!(
        (names.values.as_slice(), names.complete),
        (["Ada".to_owned(), "Bo".to_owned()].as_slice(), true)
    );
    let checked = guard::check("SELECT name FROM customers", Dialect::DuckDb).unwrap();
    assert_eq!(database.cost(&checked).await.unwrap().as_deref(), Some("about 2 rows to work on"));
}

#[tokio::test]
async fn faults_are_said_in_words() {
    let Some(file) = file("faults_are_said_in_words", SHOP) else { return };
    let database = file.open();
    for (sql, said) in [
        ("SELECT nothing FROM customers", "Referenced column \"nothing\" not found"),
        ("SELECT * FROM nowhere", "Table with name nowhere does not exist"),
        ("SELECT CAST(name AS integer) FROM customers", "Could not convert string"),
        ("SELECT count(*) FROM customers GROUP", "cannot be parsed"),
    ] {
        let error = query(&database, sql).await.unwrap_err();
        assert!(error.is_query_fault() && error.to_string().contains(said), "{sql}: {error}");
        assert!(!error.to_string().contains('^'), "{error}");
    }
}

/// Three files that are parts of one table, one that is another, and one that is none.
#[tokio::test]
async fn files_of_others_are_tables() {
    let made = "CREATE TABLE x (a int);";
    let Some(file) = file("files_of_others_are_tables", made) else { return };
    let path = |name: &str| file.path(name);
    for part in 0..3 {
        let sql = format!(
            "COPY (SELECT range + {part} * 100 AS id, 'city ' || range % 7 AS city, DATE '2024-01-01' + range::int AS day \
             FROM range(100)) TO '{}'",
            path(&format!("visits-{part}.parquet"))
        );
        sqlogue_databases::adbc::write(&path("scratch.db"), &sql).unwrap();
    }
    std::fs::write(path("cities.csv"), "name,people\ncity 0,100\ncity 1,200\n").unwrap();
    std::fs::write(path("notes.txt"), "nothing").unwrap();
    let database = AdbcDatabase::at(&format!("duckdb:{}", file.folder().display())).unwrap();
    let schema = database.introspect().await.unwrap();
    let names: Vec<_> = schema.tables.iter().map(|table| (table.name.as_str(), table.kind)).collect();
    assert_eq!(names, [("cities", TableKind::Table), ("visits", TableKind::Table)]);
    let visits = schema.table("visits").unwrap();
    assert_eq!(visits.row_count, Some(300));
    assert_eq!(visits.column("day").unwrap().column_type, ColumnType::Date);
    let joined = "SELECT c.people, count(*) FROM visits AS v JOIN cities AS c ON c.name = v.city GROUP BY c.people ORDER BY 1";
    let rows = query(&database, joined).await.unwrap().rows;
    assert_eq!(rows, [[Value::from(100), 45.into()], [200.into(), 45.into()]]);
    let pattern = AdbcDatabase::at(&format!("duckdb:{}", path("*.parquet"))).unwrap();
    assert_eq!(query(&pattern, "SELECT count(*) FROM visits").await.unwrap().rows, [[300.into()]]);
    assert!(query(&pattern, "SELECT * FROM cities").await.is_err());
    let before = database.schema_version().await.unwrap();
    std::fs::write(path("cities.csv"), "name,people\ncity 0,100\n").unwrap();
    assert_ne!(database.schema_version().await.unwrap(), before);
}

#[test]
fn a_file_that_cannot_be_asked_is_said_to_be_so() {
    let Some(file) = file("a_file_that_cannot_be_asked_is_said_to_be_so", SHOP) else { return };
    let said = |path: &str| AdbcDatabase::at(&format!("duckdb:{path}")).unwrap_err().to_string();
    assert!(said("nowhere.duckdb").contains("no database at `nowhere.duckdb`"), "{}", said("nowhere.duckdb"));
    assert!(said(&file.path("*.parquet")).contains("no database at"));
    for (name, bytes, problem) in [
        ("empty.duckdb", &b""[..], "is empty"),
        ("wrong.duckdb", b"hello, I am no database at all", "no DuckDB database"),
        ("lite.duckdb", b"SQLite format 3\0and more", "give its path without `duckdb:`"),
        ("wrong.parquet", b"hello, I am no Parquet at all", "wrong.parquet"),
        ("damaged.duckdb", b"12345678DUCK and nothing more behind it", "damaged.duckdb"),
    ] {
        std::fs::write(file.path(name), bytes).unwrap();
        assert!(said(&file.path(name)).contains(problem), "{}", said(&file.path(name)));
    }
    std::fs::create_dir(file.path("bare")).unwrap();
    assert!(said(&file.path("bare")).contains("no file of Parquet, CSV or JSON"));
}

#[test]
fn without_a_driver_people_read_where_to_get_it() {
    for (address, missing) in [
        ("duckdb:shop.duckdb?driver=/nowhere/libduckdb.so", "`/nowhere/libduckdb.so`"),
        ("adbc:nowhere?dialect=postgres", "libadbc_driver_nowhere.so"),
        ("adbc:/nowhere/driver.so?dialect=postgres", "`/nowhere/driver.so`"),
    ] {
        let error = AdbcDatabase::at(address).unwrap_err();
        assert!(error.to_string().contains(missing), "{error}");
        assert!(error.hint().is_some(), "{error}");
    }
    let error = AdbcDatabase::at("adbc:nowhere?dialect=postgres").unwrap_err();
    assert!(
        error.to_string().contains("/usr/local/lib") && error.hint().unwrap().contains("ADBC_DRIVER_PATH")
    );
    // A library that is no driver.
    let Some(file) = file("without_a_driver_people_read_where_to_get_it", SHOP) else { return };
    std::fs::write(file.path("libduckdb.so"), "no library").unwrap();
    let error = AdbcDatabase::at(&format!("duckdb:x?driver={}", file.path("libduckdb.so"))).unwrap_err();
    assert!(error.to_string().contains("cannot be loaded"), "{error}");
}

/// The same file by the way of all other drivers: what a driver offers is enough.
#[tokio::test]
async fn any_driver_is_asked_by_its_own_words() {
    let Some(file) = file("any_driver_is_asked_by_its_own_words", SHOP) else { return };
    let folders = std::env::var_os("ADBC_DRIVER_PATH").unwrap_or_default();
    let library =
        std::env::split_paths(&folders).map(|folder| folder.join("libduckdb.so")).find(|path| path.is_file());
    let Some(library) = library else { return };
    let address =
        format!("adbc:{}?path={}&access_mode=READ_ONLY", Path::display(&library), file.path("shop.duckdb"));
    let database = AdbcDatabase::at(&address).unwrap();
    let schema = database.introspect().await.unwrap();
    let customers = schema.tables.iter().find(|table| table.name.ends_with("customers")).unwrap();
    assert_eq!(customers.column("born").unwrap().column_type, ColumnType::Date);
    let sql = format!("SELECT count(*) FROM {}", customers.name);
    assert_eq!(query(&database, &sql).await.unwrap().rows, [[2.into()]]);
    let limits = Limits { deadline: Duration::from_millis(300), ..Limits::default() };
    let endless = guard::check(
        "SELECT count(*) FROM range(100000000000) AS r WHERE hash(r.range) = 7",
        Dialect::DuckDb,
    )
    .unwrap();
    let error = database.execute(&endless, &limits, &CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Deadline { .. }), "{error:?}");
}
