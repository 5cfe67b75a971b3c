//! A PostgreSQL database of many tables, with more rows than anybody wants read: ready soon, and never read in full.

use std::time::{Duration, Instant};

use sqlogue::database::{Database as _, ValueLimits};
use sqlogue::nodes::Catalog;

use crate::postgres_server::{Server, server};

/// Orders without any key declared, and a view that would have to read all of them.
const ORDERS: &str = "
CREATE SCHEMA sales;
CREATE TABLE sales.customers (customer_id integer, name text);
CREATE TABLE sales.orders (order_id integer, customer_id integer, status text, note text);
INSERT INTO sales.customers SELECT n, 'Customer ' || n FROM generate_series(1, 1500) AS n;
INSERT INTO sales.orders SELECT n, 1 + n % 1500, CASE WHEN n < 150000 THEN 'shipped' ELSE 'awaiting pickup' END, 'Note ' || n
  FROM generate_series(1, 200000) AS n;
CREATE VIEW sales.notes AS SELECT note, count(*) AS orders FROM sales.orders GROUP BY note;
CREATE VIEW sales.named AS SELECT name FROM sales.customers WHERE customer_id < 10;
ANALYZE;
";

/// How many rows of a table were read in order, once the server has counted them.
async fn rows_read(server: &Server, database: &str, table: &str) -> u64 {
    let counted =
        format!("SELECT seq_scan, seq_tup_read FROM pg_stat_user_tables WHERE relid = '{table}'::regclass");
    for _ in 0..100 {
        let line = server.run(database, &counted);
        if let Some((scans, rows)) = line.trim().split_once('|')
            && scans != "0"
        {
            return rows.parse().unwrap();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the server does not count what is read of {table}");
}

#[tokio::test]
async fn a_large_table_is_known_without_being_read() {
    let Some(server) = server("a_large_table_is_known_without_being_read") else { return };
    let name = server.database(ORDERS);
    server.run(&name, "SELECT pg_stat_reset();");
    let database = server.open(&name).await;
    let catalog = Catalog::new(64 << 20);
    let known = catalog.knowledge(&database, None).await.unwrap();
    let orders = known.schema().table("sales.orders").unwrap();
    assert_eq!(orders.row_count, Some(200_000));
    assert_eq!(orders.foreign_keys[0].table, "sales.customers");
    // What no order of the first rows has is known by the server's statistics.
    assert!(!known.words().values().find("awaiting pickup").is_empty());
    // A view is looked at only where that costs little.
    let texts = database.text_values(known.schema(), &ValueLimits::default()).await.unwrap();
    let of = |table: &str| {
        texts.iter().find(|column| column.table == table).map_or(0, |column| column.values.len())
    };
    assert_eq!((of("sales.notes"), of("sales.named")), (0, 9));
    drop((database, catalog));
    let read = rows_read(server, &name, "sales.orders").await;
    assert!(read < 5_000, "{read} rows were read");
}

/// 300 tables in four schemas, half of them with declared keys; the server believes that they have 20 GB.
const MANY: &str = "
DO $$
DECLARE
  place text; n integer;
BEGIN
  FOREACH place IN ARRAY ARRAY['public', 'sales', 'staff', 'stock'] LOOP
    IF place <> 'public' THEN EXECUTE format('CREATE SCHEMA %I', place); END IF;
    FOR n IN 1..75 LOOP
      EXECUTE format('CREATE TABLE %I.item_%s (item_%s_id integer %s, parent_id integer %s, name text, status text,
        note text, amount numeric(12,2), quantity integer, is_open boolean, opened_on date, changed_at timestamptz)',
        place, n, n, CASE WHEN n % 2 = 1 THEN 'PRIMARY KEY' ELSE '' END,
        CASE WHEN n % 2 = 1 AND n > 2 THEN format('REFERENCES %I.item_%s', place, n - 2) ELSE '' END);
    END LOOP;
  END LOOP;
END $$;
";

/// `cargo test -p sqlogue-cli --test it ready_in_seconds -- --ignored --nocapture` says how long it takes, and what is asked.
#[tokio::test]
#[ignore = "measures time; its figures are in docs/benchmarks.md"]
async fn three_hundred_tables_are_ready_in_seconds() {
    let Some(server) = server("three_hundred_tables_are_ready_in_seconds") else { return };
    let name = server.database(MANY);
    server.run(
        &name,
        "UPDATE pg_class SET reltuples = 800000, relpages = 8900 WHERE relkind = 'r' AND relname LIKE 'item%';
         ALTER ROLE writer SET log_statement = 'all';",
    );
    let before = server.log().len();
    let database = server.open(&name).await;
    let catalog = Catalog::new(64 << 20);
    let started = Instant::now();
    let known = catalog.knowledge(&database, None).await.unwrap();
    let first = started.elapsed();
    let started = Instant::now();
    catalog.knowledge(&database, None).await.unwrap();
    println!("ready after {first:?}; another time {:?}", started.elapsed());
    server.run(&name, "ALTER ROLE writer RESET log_statement;");
    assert_eq!(known.schema().tables.len(), 300);
    let log = server.log();
    let asked: Vec<&str> = log[before..].lines().filter(|line| line.contains("LOG:  ")).collect();
    let of_rows = |line: &&&str| line.contains("FROM") && line.contains("item_");
    let reading: Vec<&&str> = asked.iter().filter(of_rows).collect();
    println!("{} statements, {} of which read rows of tables, the first:", asked.len(), reading.len());
    reading.iter().take(3).for_each(|line| println!("  {line}"));
    assert!(reading.iter().all(|line| line.contains("LIMIT") || line.contains("ANY")), "{reading:#?}");
}
