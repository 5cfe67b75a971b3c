use std::sync::Arc;

use super::*;
use crate::SqliteDatabase;

fn shop() -> SqliteDatabase {
    SqliteDatabase::in_memory("shop", |connection| {
        connection.execute_batch(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
             CREATE TABLE teams (team_id INTEGER PRIMARY KEY);
             CREATE TABLE orders (id INTEGER PRIMARY KEY, CustomerID INT, home_team_id INT, product_id INT, name TEXT);
             CREATE TABLE products (id INTEGER PRIMARY KEY);
             INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bo');
             INSERT INTO teams VALUES (7);
             INSERT INTO products VALUES (1);
             INSERT INTO orders VALUES (1, 1, 7, 99, 'Ada'), (2, 1, NULL, 1, 'Bo');",
        )
    })
    .unwrap()
}

#[tokio::test]
async fn keys_are_inferred_from_names_and_values() {
    let schema = introspect(&shop()).await.unwrap();
    let keys: Vec<_> = schema
        .tables
        .iter()
        .flat_map(|table| {
            table.foreign_keys.iter().map(move |key| {
                assert!(!key.declared);
                format!("{}.{} -> {}.{}", table.name, key.columns[0], key.table, key.references[0])
            })
        })
        .collect();
    // Product 99 is nowhere, so `product_id` is no key, whatever its name says.
    assert_eq!(keys, ["orders.CustomerID -> customers.id", "orders.home_team_id -> teams.team_id"]);
}

#[tokio::test]
async fn a_schema_is_read_once_for_each_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let writer = rusqlite::Connection::open(&path).unwrap();
    writer.execute_batch("CREATE TABLE a (x INTEGER)").unwrap();
    let database = SqliteDatabase::open(&path).unwrap();
    let cache = SchemaCache::new();
    let first = cache.schema(&database).await.unwrap();
    assert!(Arc::ptr_eq(&first, &cache.schema(&database).await.unwrap()));
    writer.execute_batch("INSERT INTO a VALUES (1)").unwrap();
    assert!(Arc::ptr_eq(&first, &cache.schema(&database).await.unwrap()));
    writer.execute_batch("CREATE TABLE b (y INTEGER)").unwrap();
    assert_eq!(cache.schema(&database).await.unwrap().tables.len(), 2);
    // Another database of the same name and age has a schema of its own.
    let other =
        SqliteDatabase::in_memory("shop", |connection| connection.execute_batch("CREATE TABLE c (z)"))
            .unwrap();
    assert_eq!(cache.schema(&other).await.unwrap().tables[0].name, "c");
    assert_eq!(cache.schema(&database).await.unwrap().tables.len(), 2);
}

/// The inferred references of a database made by these statements.
async fn inferred(statements: &str) -> Vec<String> {
    let database =
        SqliteDatabase::in_memory("made", |connection| connection.execute_batch(statements)).unwrap();
    let schema = introspect(&database).await.unwrap();
    let keys = schema.tables.iter().flat_map(|table| table.foreign_keys.iter().map(move |key| (table, key)));
    keys.map(|(table, key)| {
        format!("{}.{} -> {}.{}", table.name, key.columns.join(","), key.table, key.references.join(","))
    })
    .collect()
}

#[tokio::test]
async fn a_code_beside_the_key_may_be_referred_to() {
    let found = inferred(
        "CREATE TABLE lenses (id INTEGER, lens_code TEXT, name TEXT);
         CREATE TABLE photos (photo_no INTEGER, lens_code TEXT, name TEXT);
         INSERT INTO lenses VALUES (1, 'TX-20', 'Wide'), (2, 'TX-35', 'Plain'), (3, 'TX-85', 'Long'), (4, 'TX-99', 'Macro');
         INSERT INTO photos VALUES (11, 'TX-20', 'Long'), (12, 'TX-20', 'Wide'), (13, 'TX-85', 'Macro'), (14, 'TX-99', 'Wide'),
             (15, 'TX-35', 'Wide');",
    )
    .await;
    // That both have names says nothing.
    assert_eq!(found, ["photos.lens_code -> lenses.lens_code"]);
}

#[tokio::test]
async fn a_role_refers_to_those_who_are_said_to_have_it() {
    let people = "CREATE TABLE clients (client_id INTEGER PRIMARY KEY, full_name TEXT, town TEXT);
         CREATE TABLE employees (employee_id INTEGER PRIMARY KEY, full_name TEXT, job TEXT);
         CREATE TABLE repairs (repair_id INTEGER PRIMARY KEY, client_id INT, mechanic_id INT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
         INSERT INTO clients SELECT i, 'Client ' || i, 'Thun' FROM n;
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
         INSERT INTO employees SELECT i, 'Employee ' || i, CASE i % 2 WHEN 0 THEN 'Mechanic' ELSE 'Sales' END FROM n;
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
         INSERT INTO repairs SELECT i, i % 40 + 1, (i % 6 + 1) * 2 FROM n;";
    let found = inferred(people).await;
    assert!(found.iter().any(|key| key.contains("mechanic_id") && key.contains("employees")), "{found:?}");
    assert!(!found.iter().any(|key| key.contains("mechanic_id") && key.contains("clients")), "{found:?}");
}

#[tokio::test]
async fn columns_of_the_same_names_are_a_key_together() {
    let found = inferred(
        "CREATE TABLE halls (building TEXT, room TEXT, seats INTEGER);
         CREATE TABLE talks (talk_id INTEGER, building TEXT, room TEXT);
         INSERT INTO halls WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
             SELECT 'House ' || (i % 4), 'R' || (i / 4), 30 FROM n;
         INSERT INTO talks WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)
             SELECT i + 500, 'House ' || (i % 4), 'R' || (i % 5) FROM n;",
    )
    .await;
    assert_eq!(found, ["talks.building,room -> halls.building,room"]);
}

#[tokio::test]
async fn a_table_that_is_named_for_another_refers_to_it() {
    let found = inferred(
        "CREATE TABLE people (people_id INTEGER, name TEXT);
         CREATE TABLE trial (trial_id INTEGER, town TEXT);
         CREATE TABLE trial_people (trial_id INTEGER, defending INTEGER, hours INTEGER);
         INSERT INTO people WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
             SELECT i, 'Person ' || i FROM n;
         INSERT INTO trial WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
             SELECT i, 'Town' FROM n;
         INSERT INTO trial_people WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
             SELECT i % 12 + 1, i * 7 % 20 + 1, i % 3 + 1 FROM n;",
    )
    .await;
    assert_eq!(
        found,
        ["trial_people.trial_id -> trial.trial_id", "trial_people.defending -> people.people_id"]
    );
}

#[tokio::test]
async fn codes_of_several_kinds_are_told_from_things_with_their_kinds() {
    let database = SqliteDatabase::in_memory("made", |connection| {
        connection.execute_batch(
            "CREATE TABLE people (no INTEGER, name TEXT, dept TEXT);
             INSERT INTO people VALUES (101, 'Ann Smith', 'Sales'), (102, 'Ben Young', 'Sales'), (103, 'Cy Cole', 'Store'),
               (104, 'Di Dane', 'Store');
             CREATE TABLE lookup (typ TEXT, cd TEXT, txt TEXT);
             INSERT INTO lookup VALUES ('STATE', 'O', 'ongoing'), ('STATE', 'D', 'finished'), ('PRIO', 'H', 'urgent'),
               ('PRIO', 'D', 'trifling');
             CREATE TABLE tasks (task_no INTEGER PRIMARY KEY, person_no INTEGER, state_cd TEXT, prio TEXT);
             INSERT INTO tasks VALUES (1, 101, 'O', 'H'), (2, 102, 'D', 'D'), (3, 104, 'O', 'D'), (4, 103, 'O', 'H');",
        )
    })
    .unwrap();
    let schema = introspect(&database).await.unwrap();
    let kinds: Vec<_> = schema
        .tables
        .iter()
        .flat_map(|table| &table.columns)
        .filter_map(|column| Some(format!("{}: {}", column.name, column.codes.as_ref()?.kind)))
        .collect();
    assert_eq!(kinds, ["state_cd: STATE", "prio: PRIO"]);
}
