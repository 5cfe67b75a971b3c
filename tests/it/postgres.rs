//! What PostgreSQL tells: schema, values, types, errors.

use std::time::Duration;

use sqlogue::database::{Database as _, DatabaseError, Limits, PostgresDatabase, ValueLimits};
use sqlogue::schema::{ColumnType, TableKind, Value};
use sqlogue::sql::Dialect;

use crate::postgres_server::server;
use crate::support::{query, query_within};

const SHOP: &str = "
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN cents AS integer CHECK (VALUE >= 0);
CREATE TABLE customers (id serial PRIMARY KEY, name text NOT NULL, email varchar(40) UNIQUE, born date,
  feels mood, balance numeric(10,2), paid cents, joined timestamptz DEFAULT now(), tags text[], extra jsonb);
COMMENT ON TABLE customers IS 'People who buy';
COMMENT ON COLUMN customers.born IS 'Day of birth';
INSERT INTO customers (name, email, born, feels, balance, paid) VALUES
  ('Ada', 'ada@x', '1990-02-03', 'happy', 12.50, 1), ('Bo', NULL, NULL, 'sad', NULL, NULL);
CREATE TABLE \"Odd Names\" (\"A b\" integer, \"select\" text, customer_id integer REFERENCES customers);
CREATE TABLE lines (order_id integer, line integer, PRIMARY KEY (order_id, line));
CREATE TABLE events (id bigint, at date NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE events_2024 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
INSERT INTO events VALUES (1, '2024-05-05');
CREATE VIEW happy AS SELECT id, name FROM customers WHERE feels = 'happy';
CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n FROM customers;
CREATE UNIQUE INDEX ON \"Odd Names\" (\"A b\");
CREATE SCHEMA sales;
CREATE TABLE sales.orders (id integer PRIMARY KEY, customer_id integer REFERENCES public.customers);
CREATE TABLE sales.customers (id integer);
";

#[tokio::test]
async fn the_schema_is_read_whole() {
    let Some(server) = server("the_schema_is_read_whole") else { return };
    let name = server.database(SHOP);
    let database = server.open(&name).await;
    assert_eq!((database.name(), database.dialect()), (name.as_str(), Dialect::Postgres));
    let schema = database.introspect().await.unwrap();
    let names: Vec<_> = schema.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(
        names,
        ["customers", "Odd Names", "lines", "events", "happy", "counted", "sales.orders", "sales.customers"]
    );
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
            "id integer Integer (false, true, true)",
            "name text Text (false, false, false)",
            "email character varying(40) Text (true, false, true)",
            "born date Date (true, false, false)",
            "feels mood Text (true, false, false)",
            "balance numeric(10,2) Real (true, false, false)",
            "paid cents Integer (true, false, false)",
            "joined timestamp with time zone DateTime (true, false, false)",
            "tags text[] Other (true, false, false)",
            "extra jsonb Other (true, false, false)",
        ]
    );
    assert_eq!(customers.column("born").unwrap().description.as_deref(), Some("Day of birth"));
    assert_eq!(customers.column("born").unwrap().samples, ["1990-02-03".into()]);
    assert_eq!(customers.column("feels").unwrap().samples, ["sad".into(), "happy".into()]);
    assert_eq!(customers.column("balance").unwrap().samples, [12.5.into()]);
    let odd = schema.table("Odd Names").unwrap();
    assert!(odd.column("A b").unwrap().unique);
    assert_eq!(odd.foreign_keys[0].table, "customers");
    assert_eq!(odd.foreign_keys[0].references, ["id"]);
    assert_eq!(schema.table("lines").unwrap().primary_key().count(), 2);
    assert_eq!(schema.table("happy").unwrap().kind, TableKind::View);
    assert_eq!(schema.table("events").unwrap().columns[1].column_type, ColumnType::Date);
    assert_eq!(schema.table("sales.orders").unwrap().foreign_keys[0].table, "customers");

    // Only the schemas that the URL names.
    let url = format!("{}?search_path=sales", server.url(&name));
    let sales = PostgresDatabase::connect(&url).await.unwrap();
    let schema = sales.introspect().await.unwrap();
    let names: Vec<_> = schema.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["orders", "customers"]);
    assert_eq!(query(&sales, "SELECT count(*) FROM orders").await.unwrap().rows, [[0.into()]]);
}

#[tokio::test]
async fn the_version_changes_with_the_schema_only() {
    let Some(server) = server("the_version_changes_with_the_schema_only") else { return };
    let name = server.database("CREATE TABLE a (x integer);");
    let database = server.open(&name).await;
    let version = || async { database.schema_version().await.unwrap() };
    let first = version().await;
    server.run(&name, "INSERT INTO a VALUES (1); ANALYZE a;");
    assert_eq!(version().await, first);
    for change in
        ["ALTER TABLE a ADD y text", "COMMENT ON TABLE a IS 'b'", "CREATE TABLE b ()", "DROP TABLE b"]
    {
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
        "CREATE TABLE t (a text, b integer, c text); \
         INSERT INTO t VALUES ('x', 1, ''), ('y', 2, repeat('z', 200)), ('x', 3, 'w'), (NULL, 4, NULL);",
    );
    let database = server.open(&name).await;
    let values = database.values("t", "a", 5).await.unwrap();
    assert_eq!(values, [("x".into(), 2), ("y".into(), 1)]);
    let schema = database.introspect().await.unwrap();
    let texts = database.text_values(&schema, &ValueLimits::default()).await.unwrap();
    assert_eq!(texts.len(), 2);
    assert_eq!(
        (texts[0].values.as_slice(), texts[0].complete),
        (["x".to_owned(), "y".to_owned()].as_slice(), true)
    );
    assert_eq!(
        (texts[1].values.as_slice(), texts[1].complete),
        ([String::new(), "w".to_owned()].as_slice(), false)
    );
    assert!(matches!(database.values("t", "nope", 5).await, Err(DatabaseError::Query { .. })));
}

#[tokio::test]
async fn every_common_type_is_read() {
    let Some(server) = server("every_common_type_is_read") else { return };
    let name = server.database("CREATE TYPE pair AS (a integer, b text);");
    let url = format!("{}?options=-ctimezone=Europe/Berlin", server.url(&name));
    let database = PostgresDatabase::connect(&url).await.unwrap();
    let text = |text: &str| Value::from(text);
    for (sql, expected) in [
        ("NULL::text", Value::Null),
        ("true", true.into()),
        ("'a'::char(3)", text("a  ")),
        ("'a'::\"char\"", text("a")),
        ("1::smallint", 1.into()),
        ("9223372036854775807", i64::MAX.into()),
        ("0.1::real", 0.1.into()),
        ("'NaN'::float8", f64::NAN.into()),
        ("0.1 + 0.2", 0.3.into()),
        ("1.50::numeric(4,2)", 1.5.into()),
        ("2::numeric(4,2)", 2.0.into()),
        ("'123456789012345678.12'::numeric(20,2)", text("123456789012345678.12")),
        ("100000000000000000000::numeric", text("100000000000000000000")),
        ("avg(x) FROM (VALUES (1), (2), (2)) AS v (x)", (5.0 / 3.0).into()),
        ("sum(x) FROM (VALUES (1), (2)) AS v (x)", 3.into()),
        ("'NaN'::numeric", f64::NAN.into()),
        ("DATE '2024-02-29'", text("2024-02-29")),
        ("TIMESTAMP '2024-02-29 10:20:30.25'", text("2024-02-29 10:20:30.25")),
        ("TIMESTAMPTZ '2024-07-01 10:00:00+00'", text("2024-07-01 12:00:00+02:00")),
        ("TIME '10:20'", text("10:20:00")),
        ("INTERVAL '1 day 2 hours'", text("1 day 02:00:00")),
        ("'\\x00ff'::bytea", Value::Blob(vec![0, 255])),
        ("'{\"a\": [1, null]}'::json", text("{\"a\": [1, null]}")),
        ("'{\"a\":1}'::jsonb", text("{\"a\": 1}")),
        ("ARRAY['a', NULL, 'c']", text("[\"a\",null,\"c\"]")),
        ("ARRAY[[1,2],[3,4]]", text("[[1,2],[3,4]]")),
        ("'{}'::integer[]", text("[]")),
        ("'67e55044-10b1-426f-9247-bb680e5fe0c8'::uuid", text("67e55044-10b1-426f-9247-bb680e5fe0c8")),
        ("'10.0.0.0/8'::inet", text("10.0.0.0/8")),
        ("'08:00:2b:01:02:03'::macaddr", text("08:00:2b:01:02:03")),
        ("B'101'", text("101")),
        ("'[1,5)'::int4range", text("[1,5)")),
        ("point '(1,2)'", text("(1,2)")),
        ("CAST('(1,x)' AS pair)", text("{\"a\":1,\"b\":\"x\"}")),
        ("'fat & rat'::tsquery", text("'fat' & 'rat'")),
        ("'1.5'::money", text("$1.50")),
        ("'{[1,3)}'::int4multirange", text("{[1,3)}")),
        ("(1, 'a')", text("(1,a)")),
    ] {
        let rows =
            query(&database, &format!("SELECT {sql}")).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        let value = rows.rows[0][0].clone();
        // Not a number is equal to nothing.
        assert_eq!(format!("{value:?}"), format!("{expected:?}"), "{sql}");
    }
    let rows = query(&database, "SELECT 1 AS a, 2 AS a, '1'::money AS m -- end").await.unwrap();
    assert_eq!(rows.columns, ["a", "a", "m"]);
}

#[tokio::test]
async fn errors_say_what_and_where() {
    let Some(server) = server("errors_say_what_and_where") else { return };
    let name = server.database("CREATE TABLE t (a integer);");
    let database = server.open(&name).await;
    let error = query(&database, "SELECT 'é', nope FROM t").await.unwrap_err();
    let DatabaseError::Query { message, offset } = &error else { panic!("{error:?}") };
    assert_eq!((message.as_str(), *offset), ("column \"nope\" does not exist", Some(13)));
    assert!(query(&database, "SELECT 1/0").await.unwrap_err().is_query_fault());
    assert!(query(&database, "SELECT $1").await.unwrap_err().is_query_fault());
    assert!(query(&database, "SELECT a FROM t WHERE a = $1").await.unwrap_err().is_query_fault());
    // The session is as good as before.
    assert_eq!(query(&database, "SELECT 1").await.unwrap().rows, [[1.into()]]);

    let wrong = server.url(&name).replace("wr%2Fte", "hunter2");
    let error = PostgresDatabase::connect(&wrong).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Login { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("hunter2"));
    let error = PostgresDatabase::connect(&server.url("nowhere")).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Login { .. }), "{error:?}");
    let error = PostgresDatabase::connect("postgres://x@127.0.0.1:1/x").await.unwrap_err();
    assert!(matches!(error, DatabaseError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn connections_are_encrypted_and_servers_checked() {
    let Some(server) = server("connections_are_encrypted_and_servers_checked") else { return };
    let Some(authority) = server.authority() else {
        eprintln!("SKIPPED connections_are_encrypted_and_servers_checked: `openssl` is not installed");
        return;
    };
    let name = server
        .database("CREATE VIEW secret AS SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid();");
    let authority = format!("sslrootcert={}", authority.display());
    let connect = |host: &str, parameters: &str| {
        let url = format!("{}?{parameters}", server.url(&name).replace("127.0.0.1", host));
        async move { PostgresDatabase::connect(&url).await }
    };
    for (host, parameters, encrypted) in [
        ("127.0.0.1", "sslmode=disable".to_owned(), false),
        ("127.0.0.1", "sslmode=prefer".into(), true),
        ("127.0.0.1", "sslmode=require".into(), true),
        ("127.0.0.1", format!("sslmode=verify-ca&{authority}"), true),
        ("localhost", format!("sslmode=verify-full&{authority}"), true),
    ] {
        let database =
            connect(host, &parameters).await.unwrap_or_else(|error| panic!("{parameters}: {error}"));
        let rows = query(&database, "SELECT ssl FROM secret").await.unwrap();
        assert_eq!(rows.rows, [[encrypted.into()]], "{parameters}");
    }
    // Another name than the certificate's, and an authority that nobody trusts.
    for (host, parameters) in [
        ("127.0.0.1", format!("sslmode=verify-full&{authority}")),
        ("localhost", "sslmode=verify-full".into()),
    ] {
        let error = connect(host, &parameters).await.unwrap_err();
        assert!(
            matches!(error, DatabaseError::Unreachable { .. } | DatabaseError::Address { .. }),
            "{error:?}"
        );
    }
    // Cancelling goes over an encrypted connection too.
    let database = connect("127.0.0.1", "sslmode=require").await.unwrap();
    let short = Limits { deadline: Duration::from_millis(300), ..Limits::default() };
    let endless = "SELECT count(*) FROM generate_series(1, 1000000000000)";
    let error = query_within(&database, endless, &short).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Deadline { .. }), "{error:?}");
}

#[tokio::test]
async fn the_socket_and_many_callers_work() {
    let Some(server) = server("the_socket_and_many_callers_work") else { return };
    let name = server.database("");
    let database = PostgresDatabase::at(&server.socket_url(&name)).unwrap();
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
    let name = server.database("");
    let database = server.open(&name).await;
    let few = Limits { rows: 10, ..Limits::default() };
    let rows = query_within(&database, "SELECT * FROM generate_series(1, 1000000)", &few).await.unwrap();
    assert_eq!((rows.len(), rows.truncated), (10, true));
    let rows = query_within(&database, "SELECT * FROM generate_series(1, 10)", &few).await.unwrap();
    assert_eq!((rows.len(), rows.truncated), (10, false));
    let small = Limits { bytes: 100_000, ..Limits::default() };
    let rows = query_within(&database, "SELECT repeat('x', 10000) FROM generate_series(1, 100000)", &small)
        .await
        .unwrap();
    assert_eq!((rows.len(), rows.truncated), (10, true));
    let tiny = Limits { deadline: Duration::ZERO, ..Limits::default() };
    let error = query_within(&database, "SELECT 1", &tiny).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Deadline { .. }), "{error:?}");
}

#[tokio::test]
async fn a_table_command_reads_a_table() {
    let Some(server) = server("a_table_command_reads_a_table") else { return };
    let database = server.open(&server.database(SHOP)).await;
    let whole = query(&database, "SELECT * FROM customers").await.unwrap();
    let table = query(&database, "TABLE customers").await.unwrap();
    assert_eq!((&table.columns, &table.rows), (&whole.columns, &whole.rows));
    assert_eq!(query(&database, "TABLE sales.customers").await.unwrap().rows.len(), 0);
    assert_eq!(query(&database, "TABLE \"Odd Names\" ORDER BY 1 LIMIT 1").await.unwrap().columns.len(), 3);
    let refused = query(&database, "TABLE pg_authid").await.unwrap_err();
    assert!(matches!(refused, DatabaseError::Refused(_)), "{refused:?}");
    let engine = sqlogue::Engine::builder().database(std::sync::Arc::new(database)).build().unwrap();
    let typed = engine.query_database("TABLE customers", None).await.unwrap();
    assert_eq!(typed.query.as_deref(), Some("SELECT * FROM customers"));
    assert_eq!(typed.result.as_ref().map(|result| result.row_count), Some(2));
}
