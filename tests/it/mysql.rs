//! What MariaDB tells: schema, values, types, errors.

use std::time::Duration;

use sqlogue::database::{Database as _, DatabaseError, Limits, MySqlDatabase, ValueLimits};
use sqlogue::schema::{ColumnType, TableKind, Value};
use sqlogue::sql::Dialect;

use crate::mysql_server::server;
use crate::support::{query, query_within};

const SHOP: &str = "
CREATE TABLE customers (id int unsigned AUTO_INCREMENT PRIMARY KEY, name varchar(60) NOT NULL, email varchar(40) UNIQUE,
  born date COMMENT 'Day of birth', feels enum('sad','it''s fine'), balance decimal(10,2), active boolean,
  joined timestamp NULL, seen datetime(3), opens time, photo blob, extra json, since year, stars tinyint(1))
  COMMENT 'People who buy';
INSERT INTO customers (name, email, born, feels, balance, active, stars) VALUES
  ('Ada', 'ada@x', '1990-02-03', 'sad', 12.50, TRUE, 5), ('Bo', NULL, NULL, 'it''s fine', NULL, FALSE, 1);
CREATE TABLE `odd names` (`A b` int, `select` text, customer_id int unsigned, UNIQUE (`A b`), UNIQUE (`select`(3)),
  FOREIGN KEY (customer_id) REFERENCES customers (id));
CREATE TABLE `lines` (order_id int, line int, PRIMARY KEY (order_id, line));
CREATE TABLE refs (a int, b int, FOREIGN KEY (a, b) REFERENCES `lines` (order_id, line));
CREATE TABLE `dotted.name` (a int);
CREATE VIEW happy AS SELECT id, name FROM customers WHERE feels = 'it''s fine';
CREATE SEQUENCE counter;
";

#[tokio::test]
async fn the_schema_is_read_whole() {
    let Some(server) = server("the_schema_is_read_whole") else { return };
    let name = server.database(SHOP);
    let database = server.open(&name).await;
    assert_eq!((database.name(), database.dialect()), (name.as_str(), Dialect::MySql));
    let schema = database.introspect().await.unwrap();
    let names: Vec<_> = schema.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["customers", "happy", "lines", "odd names", "refs"]);
    let customers = schema.table("customers").unwrap();
    assert_eq!(customers.description.as_deref(), Some("People who buy"));
    assert_eq!(customers.row_count, Some(2));
    let shown: Vec<_> = customers
        .columns
        .iter()
        .map(|column| {
            let flags = (column.nullable, column.primary_key, column.unique);
            format!("{} {} {:?} {flags:?}", column.name, column.declared_type, column.column_type)
        })
        .collect();
    assert_eq!(
        shown,
        [
            "id int(10) unsigned Integer (false, true, true)",
            "name varchar(60) Text (false, false, false)",
            "email varchar(40) Text (true, false, true)",
            "born date Date (true, false, false)",
            "feels enum('sad','it''s fine') Text (true, false, false)",
            "balance decimal(10,2) Real (true, false, false)",
            "active tinyint(1) Boolean (true, false, false)",
            "joined timestamp DateTime (true, false, false)",
            "seen datetime(3) DateTime (true, false, false)",
            "opens time Time (true, false, false)",
            "photo blob Blob (true, false, false)",
            "extra longtext Text (true, false, false)",
            "since year(4) Integer (true, false, false)",
            "stars tinyint(1) Integer (true, false, false)",
        ]
    );
    assert_eq!(customers.column("born").unwrap().description.as_deref(), Some("Day of birth"));
    assert_eq!(customers.column("born").unwrap().samples, ["1990-02-03".into()]);
    assert_eq!(customers.column("feels").unwrap().samples, ["sad".into(), "it's fine".into()]);
    assert_eq!(customers.column("balance").unwrap().samples, [12.5.into()]);
    assert_eq!(customers.column("active").unwrap().samples, [true.into(), false.into()]);
    assert_eq!(customers.column("stars").unwrap().samples, [5.into(), 1.into()]);
    let odd = schema.table("odd names").unwrap();
    assert!(odd.column("A b").unwrap().unique && !odd.column("select").unwrap().unique);
    assert_eq!(odd.foreign_keys[0].table, "customers");
    assert_eq!(odd.foreign_keys[0].references, ["id"]);
    assert_eq!(schema.table("lines").unwrap().primary_key().count(), 2);
    assert!(!schema.table("lines").unwrap().columns[0].unique);
    assert_eq!(schema.table("refs").unwrap().foreign_keys[0].columns, ["a", "b"]);
    assert_eq!(schema.table("refs").unwrap().foreign_keys[0].references, ["order_id", "line"]);
    let happy = schema.table("happy").unwrap();
    assert_eq!((happy.kind, happy.description.as_deref()), (TableKind::View, None));
    assert_eq!(schema.table("customers").unwrap().column("since").unwrap().column_type, ColumnType::Integer);
}

#[tokio::test]
async fn the_version_changes_with_the_schema_only() {
    let Some(server) = server("the_version_changes_with_the_schema_only") else { return };
    let name = server.database("CREATE TABLE a (x int);");
    let database = server.open(&name).await;
    let version = || async { database.schema_version().await.unwrap() };
    let first = version().await;
    server.run(&name, "INSERT INTO a VALUES (1); ANALYZE TABLE a;");
    assert_eq!(version().await, first);
    for change in [
        "ALTER TABLE a ADD y text",
        "ALTER TABLE a COMMENT 'b'",
        "ALTER TABLE a MODIFY y text COMMENT 'c'",
        "ALTER TABLE a ADD PRIMARY KEY (x)",
        "CREATE TABLE b (z int)",
        "DROP TABLE b",
    ] {
        let before = version().await;
        server.run(&name, &format!("{change};"));
        assert_ne!(version().await, before, "{change}");
    }
    assert_ne!(server.open(&name).await.schema_version().await.unwrap(), version().await);
}

#[tokio::test]
async fn values_are_found() {
    let Some(server) = server("values_are_found") else { return };
    let name = server.database(
        "CREATE TABLE t (a varchar(9) COLLATE utf8mb4_general_ci, b int PRIMARY KEY, c text); \
         INSERT INTO t VALUES ('x', 1, ''), ('y', 2, repeat('z', 200)), ('x', 3, 'w'), (NULL, 4, NULL), ('X', 5, NULL);",
    );
    let database = server.open(&name).await;
    let values = database.values("t", "a", 5).await.unwrap();
    assert_eq!(values, [("x".into(), 3), ("y".into(), 1)]);
    let schema = database.introspect().await.unwrap();
    let texts = database.text_values(&schema, &ValueLimits::default()).await.unwrap();
    assert_eq!(texts.len(), 2);
    // Spellings that the collation takes for the same are kept apart.
    assert_eq!((texts[0].values.join(","), texts[0].complete), ("X,x,y".to_owned(), true));
    assert_eq!(
        (texts[1].values.as_slice(), texts[1].complete),
        ([String::new(), "w".to_owned()].as_slice(), false)
    );
    assert!(matches!(database.values("t", "nope", 5).await, Err(DatabaseError::Query { .. })));
    let table = schema.table("t").unwrap();
    let known = [Value::Integer(3), Value::Integer(9)];
    let found = database.look_up(table, "b", &known, Duration::from_secs(1)).await.unwrap();
    assert_eq!(found, Some(vec![3.into()]));
    let rows = database.peek(table, &["b", "a"], 1, Duration::from_secs(1)).await.unwrap();
    assert_eq!(rows.len(), 1);
}

#[tokio::test]
async fn every_common_type_is_read() {
    let Some(server) = server("every_common_type_is_read") else { return };
    let name = server.database(
        "SET time_zone = '+00:00'; CREATE TABLE t (at timestamp, d decimal(20,2), w decimal(10,0), f float, b bit(1), bits bit(9),
           u bigint unsigned, p point, v varbinary(4), y year, small decimal(4,2));
         INSERT INTO t VALUES ('2024-07-01 10:00:00', '123456789012345678.12', 7, 0.1, 1, 5, 18446744073709551615, POINT(1, 2),
           x'00ff', 2024, 2);",
    );
    let database = server.open(&name).await;
    let text = |text: &str| Value::from(text);
    for (sql, expected) in [
        ("NULL", Value::Null),
        ("1 = 1", 1.into()),
        ("9223372036854775807", i64::MAX.into()),
        ("u FROM t", text("18446744073709551615")),
        ("f FROM t", 0.1.into()),
        ("0.1 + 0.2", 0.3.into()),
        ("1e0 / 3", (1.0 / 3.0).into()),
        ("1 / 3", 0.333_333_333_333_333.into()),
        ("small FROM t", 2.0.into()),
        ("w FROM t", 7.into()),
        ("d FROM t", text("123456789012345678.12")),
        ("100000000000000000000", text("100000000000000000000")),
        ("sum(x) FROM (SELECT 1 AS x UNION ALL SELECT 2) AS v", 3.into()),
        ("avg(x) FROM (SELECT 1 AS x UNION ALL SELECT 2) AS v", 1.5.into()),
        ("b FROM t", true.into()),
        ("bits FROM t", 5.into()),
        ("DATE '2024-02-29'", text("2024-02-29")),
        ("TIMESTAMP '2024-02-29 10:20:30.25'", text("2024-02-29 10:20:30.25")),
        // In the zone of the server.
        ("at FROM t", text("2024-07-01 12:00:00")),
        ("TIMEDIFF('10:00:00', '60:30:00.5')", text("-50:30:00.5")),
        ("y FROM t", 2024.into()),
        ("v FROM t", Value::Blob(vec![0, 255])),
        ("x'00ff'", Value::Blob(vec![0, 255])),
        ("JSON_EXTRACT('{\"a\": [1, null]}', '$.a')", text("[1, null]")),
        ("st_astext(p) FROM t", text("POINT(1 2)")),
        ("'Gr\u{f6}\u{df}e \u{1f600}'", text("Gr\u{f6}\u{df}e \u{1f600}")),
        ("\"it's \\\"quoted\\\"\"", text("it's \"quoted\"")),
        ("dayname('2024-02-29')", text("Thursday")),
        ("CAST(u - u - 1 AS SIGNED) FROM t", (-1).into()),
    ] {
        let rows =
            query(&database, &format!("SELECT {sql}")).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        let value = rows.rows[0][0].clone();
        assert_eq!(format!("{value:?}"), format!("{expected:?}"), "{sql}");
    }
    let rows = query(&database, "SELECT 1 AS a, 2 AS a, 3 AS `b c` -- end").await.unwrap();
    assert_eq!(rows.columns, ["a", "a", "b c"]);
}

/// Texts are the same where the column's collation says so, as everywhere on that server.
#[tokio::test]
async fn collations_decide_what_is_equal() {
    let Some(server) = server("collations_decide_what_is_equal") else { return };
    let name = server.database(
        "CREATE TABLE t (loose varchar(9) COLLATE utf8mb4_general_ci, strict varchar(9) COLLATE utf8mb4_bin);
         INSERT INTO t VALUES ('Ada', 'Ada'), ('ada', 'ada');",
    );
    let database = server.open(&name).await;
    let count = async |condition: &str| {
        let sql = format!("SELECT count(*) FROM t WHERE {condition}");
        query(&database, &sql).await.unwrap().rows[0][0].clone()
    };
    assert_eq!(count("loose = 'ADA'").await, 2.into());
    assert_eq!(count("strict = 'Ada'").await, 1.into());
    let schema = database.introspect().await.unwrap();
    for column in ["loose", "strict"] {
        let plan = sqlogue::sql::lift(
            &format!("SELECT count(*) FROM t WHERE lower({column}) LIKE 'ad%'"),
            &schema,
            Dialect::MySql,
        );
        let sql = sqlogue::sql::render(&plan.unwrap(), Dialect::MySql);
        assert_eq!(query(&database, &sql).await.unwrap().rows, [[2.into()]], "{sql}");
    }
}

#[tokio::test]
async fn errors_say_what_is_wrong() {
    let Some(server) = server("errors_say_what_is_wrong") else { return };
    let name = server.database("CREATE TABLE t (a int);");
    let database = server.open(&name).await;
    let error = query(&database, "SELECT nope FROM t").await.unwrap_err();
    let DatabaseError::Query { message, .. } = &error else { panic!("{error:?}") };
    assert!(message.contains("Unknown column 'nope'"), "{message}");
    assert!(query(&database, "SELECT ?").await.unwrap_err().is_query_fault());
    assert!(query(&database, "SELECT a FROM t WHERE a = ?").await.unwrap_err().is_query_fault());
    // The session is as good as before.
    assert_eq!(query(&database, "SELECT 1").await.unwrap().rows, [[1.into()]]);

    let connect = async |url: &str| MySqlDatabase::connect(url).await.unwrap_err();
    let wrong = server.url(&name).replace("wr%2Fte", "hunter2");
    let error = connect(&wrong).await;
    assert!(matches!(error, DatabaseError::Login { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("hunter2"));
    let error = connect(&server.url(&name).replace(":wr%2Fte", "")).await.to_string();
    assert!(error.contains("refused the login") && error.contains("MYSQL_PWD"), "{error}");
    let error = connect(&server.url("nowhere")).await;
    assert!(matches!(error, DatabaseError::Login { .. }), "{error:?}");
    assert!(error.to_string().contains("Unknown database 'nowhere'"), "{error}");
    let error = connect("mysql://x@127.0.0.1:1/x").await;
    assert!(matches!(error, DatabaseError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains("127.0.0.1 port 1") && error.hint().is_some(), "{error}");
    let error = connect("mysql://x@127.0.0.1/x?socket=/nowhere/s").await;
    assert!(matches!(error, DatabaseError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn connections_are_encrypted_and_servers_checked() {
    let Some(server) = server("connections_are_encrypted_and_servers_checked") else { return };
    let Some(authority) = server.authority() else {
        eprintln!("SKIPPED connections_are_encrypted_and_servers_checked: `openssl` is not installed");
        return;
    };
    // What the session itself says, where a query may not ask.
    let name = server.database(
        "CREATE VIEW secret AS SELECT VARIABLE_VALUE <> '' AS encrypted FROM information_schema.SESSION_STATUS \
         WHERE VARIABLE_NAME = 'Ssl_cipher';",
    );
    let authority = format!("ssl-ca={}", authority.display());
    let connect = |host: &str, parameters: &str| {
        let url = format!("{}?{parameters}", server.url(&name).replace("127.0.0.1", host));
        async move { MySqlDatabase::connect(&url).await }
    };
    for (host, parameters, encrypted) in [
        ("127.0.0.1", "ssl-mode=DISABLED".to_owned(), 0),
        ("127.0.0.1", "ssl-mode=PREFERRED".into(), 1),
        ("127.0.0.1", "ssl-mode=REQUIRED".into(), 1),
        ("localhost", format!("ssl-mode=REQUIRED&{authority}"), 1),
        ("localhost", format!("ssl-mode=VERIFY_IDENTITY&{authority}"), 1),
    ] {
        let database =
            connect(host, &parameters).await.unwrap_or_else(|error| panic!("{parameters}: {error}"));
        let rows = query(&database, "SELECT encrypted FROM secret").await.unwrap();
        assert_eq!(rows.rows, [[encrypted.into()]], "{parameters}");
    }
    // Another name than the certificate's, and an authority that nobody trusts.
    for (host, parameters) in [
        ("127.0.0.1", format!("ssl-mode=VERIFY_IDENTITY&{authority}")),
        ("localhost", "ssl-mode=VERIFY_IDENTITY".into()),
        ("127.0.0.1", format!("ssl-mode=REQUIRED&{authority}")),
    ] {
        let error = connect(host, &parameters).await.unwrap_err();
        assert!(
            matches!(error, DatabaseError::Unreachable { .. } | DatabaseError::Address { .. }),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn the_socket_and_many_callers_work() {
    let Some(server) = server("the_socket_and_many_callers_work") else { return };
    let name = server.database("");
    let database = MySqlDatabase::at(&server.socket_url(&name)).unwrap();
    let calls = (0..20).map(|number| {
        let database = &database;
        async move { query(database, &format!("SELECT {number}")).await.unwrap().rows[0][0].clone() }
    });
    let answers = futures_util::future::join_all(calls).await;
    assert_eq!(answers, (0..20).map(Value::Integer).collect::<Vec<_>>());
}

#[tokio::test]
async fn results_are_cut_where_the_limits_say() {
    let Some(server) = server("results_are_cut_where_the_limits_say") else { return };
    let name = server.database("CREATE TABLE n (i int); INSERT INTO n SELECT seq FROM seq_1_to_20000;");
    let database = server.open(&name).await;
    let few = Limits { rows: 10, ..Limits::default() };
    let rows = query_within(&database, "SELECT a.i FROM n AS a, n AS b", &few).await.unwrap();
    assert_eq!((rows.len(), rows.truncated), (10, true));
    let rows = query_within(&database, "SELECT i FROM n LIMIT 10", &few).await.unwrap();
    assert_eq!((rows.len(), rows.truncated), (10, false));
    let small = Limits { bytes: 105_000, ..Limits::default() };
    let rows = query_within(&database, "SELECT repeat('x', 10000) FROM n", &small).await.unwrap();
    assert_eq!((rows.len(), rows.truncated), (10, true));
    let tiny = Limits { deadline: Duration::ZERO, ..Limits::default() };
    let error = query_within(&database, "SELECT 1", &tiny).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Deadline { .. }), "{error:?}");
}
