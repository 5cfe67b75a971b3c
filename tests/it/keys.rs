//! Databases that declare no keys: what is found, what is asked over it, and what people say of it.

use std::fmt::Write as _;

use sqlogue::Engine;
use sqlogue::conversation::Status;
use sqlogue::schema::{ForeignKey, Schema};
use sqlogue::source;

use crate::cli_kit::call;
use crate::support::File;

/// The references of a schema, as `table.column -> table.column`.
fn references(schema: &Schema) -> Vec<String> {
    let of = |table: &str, key: &ForeignKey| {
        format!("{table}.{} -> {}.{}", key.columns.join(","), key.table, key.references.join(","))
    };
    let keys = schema.tables.iter().flat_map(|table| table.foreign_keys.iter().map(|key| (&table.name, key)));
    let mut found: Vec<String> = keys.map(|(table, key)| of(table, key)).collect();
    found.sort();
    found
}

async fn found(engine: &Engine) -> Schema {
    source::introspect(engine.database()).await.unwrap()
}

/// Rows of a table, made from their numbers.
fn rows(table: &str, count: u32, row: impl Fn(u32) -> String) -> String {
    let mut statements = String::new();
    for number in 1..=count {
        writeln!(statements, "INSERT INTO {table} VALUES ({});", row(number)).unwrap();
    }
    statements
}

/// A clinic whose columns have short names.
fn clinic() -> File {
    let mut statements =
        "CREATE TABLE pt (pid INTEGER, surname TEXT); CREATE TABLE visit (vid INTEGER, pid INTEGER, cost REAL);"
            .to_owned();
    statements += &rows("pt", 30, |n| format!("{}, 'Person {n}'", n + 400));
    statements += &rows("visit", 90, |n| format!("{n}, {}, {}.5", n * 7 % 30 + 401, n % 13));
    File::new("clinic.db", &statements)
}

/// A trader: numbers instead of ids, employees with managers, codes, lines that orders have several of.
fn trader() -> File {
    let mut statements = "
        CREATE TABLE customers (number INTEGER, company TEXT);
        CREATE TABLE orders (order_no INTEGER, cust_no INTEGER, state TEXT, placed DATE);
        CREATE TABLE order_lines (order_no INTEGER, line INTEGER, article TEXT, quantity INTEGER);
        CREATE TABLE deliveries (delivery_no INTEGER, order_no INTEGER, line INTEGER, carrier TEXT);
        CREATE TABLE states (code TEXT, label TEXT);
        CREATE TABLE employees (employee_id INTEGER, full_name TEXT, manager_id INTEGER, salary INTEGER);
        CREATE TABLE departments (department_id INTEGER, title TEXT, manager_id INTEGER);
        INSERT INTO states VALUES ('NW', 'new'), ('PD', 'paid'), ('SH', 'shipped'), ('CN', 'cancelled');
    "
    .to_owned();
    let states = ["NW", "PD", "SH", "CN"];
    statements += &rows("customers", 40, |n| format!("{}, 'Company {n}'", n + 1000));
    statements += &rows("orders", 120, |n| {
        let state = states[(n % 4) as usize];
        format!("{}, {}, '{state}', '2024-01-{:02}'", n + 5000, n * 11 % 40 + 1001, n % 28 + 1)
    });
    statements += &rows("order_lines", 300, |n| {
        format!("{}, {}, 'Article {}', {}", (n - 1) / 3 + 5001, (n - 1) % 3 + 1, n * 7 % 23, n % 5 + 1)
    });
    statements += &rows("deliveries", 150, |n| {
        format!("{}, {}, {}, 'Carrier {}'", n + 70_000, (n - 1) / 3 + 5001, (n - 1) % 3 + 1, n % 4)
    });
    statements += &rows("employees", 50, |n| {
        let manager = if n == 1 { "NULL".to_owned() } else { (n / 4 + 1 + 300).to_string() };
        format!("{}, 'Worker {n}', {manager}, {}", n + 300, 2000 + n * 13)
    });
    statements += &rows("departments", 8, |n| format!("{}, 'Department {n}', {}", n + 10, n * 5 + 300));
    File::new("trader.db", &statements)
}

/// Trips that begin and end somewhere.
fn trips() -> File {
    let mut statements = "
        CREATE TABLE stations (station_id INTEGER, station_name TEXT, district TEXT);
        CREATE TABLE trips (trip_id INTEGER, from_station INTEGER, to_station INTEGER, minutes INTEGER);
    "
    .to_owned();
    statements += &rows("stations", 25, |n| format!("{}, 'Stop {n}', 'District {}'", n * 3 + 100, n % 5));
    statements += &rows("trips", 200, |n| {
        format!("{n}, {}, {}, {}", (n * 7 % 25 + 1) * 3 + 100, (n * 11 % 25 + 1) * 3 + 100, n % 40)
    });
    File::new("trips.db", &statements)
}

#[tokio::test]
async fn references_are_found_whatever_they_are_called() {
    for (file, expected) in [
        (clinic(), &["visit.pid -> pt.pid"][..]),
        (
            trader(),
            &[
                "deliveries.order_no -> orders.order_no",
                "deliveries.order_no,line -> order_lines.order_no,line",
                "departments.manager_id -> employees.employee_id",
                "employees.manager_id -> employees.employee_id",
                "order_lines.order_no -> orders.order_no",
                "orders.cust_no -> customers.number",
                "orders.state -> states.code",
            ],
        ),
        (trips(), &["trips.from_station -> stations.station_id", "trips.to_station -> stations.station_id"]),
    ] {
        let schema = found(&file.engine()).await;
        assert_eq!(references(&schema), expected, "{:?}", file.path());
        for table in &schema.tables {
            for key in &table.foreign_keys {
                let evidence = key.evidence.as_ref().unwrap();
                assert!(!key.declared && evidence.percent >= 75 && !evidence.because.is_empty(), "{key:?}");
            }
        }
    }
}

#[tokio::test]
async fn questions_over_keys_that_nobody_declared_are_answered() {
    for (file, question, joined) in [
        (clinic(), "Show the surname and cost of visits", "pt.pid = visit.pid"),
        (trader(), "What is the company of the customer of order 5003?", "customers.number = orders.cust_no"),
        (trader(), "Show the article and carrier of each delivery", "deliveries.line = order_lines.line"),
        (
            trader(),
            "Show the title of each department and the full name of its manager",
            "departments.manager_id = employees.employee_id",
        ),
        (trader(), "How many orders are there per state label?", "orders.state = states.code"),
    ] {
        let state = file.engine().query_database(question, None).await.unwrap();
        assert_eq!(state.status, Status::Completed, "{question}: {:?}", state.error);
        let sql = state.query.unwrap();
        let (left, right) = joined.split_once(" = ").unwrap();
        let either = sql.contains(joined) || sql.contains(&format!("{right} = {left}"));
        assert!(either, "{question}: {sql}");
    }
}

#[tokio::test]
async fn values_speak_against_names() {
    let file = File::new(
        "shop.db",
        &("CREATE TABLE customers (id INTEGER, name TEXT);
           CREATE TABLE notes (note_no INTEGER, customer_id INTEGER);
           CREATE TABLE levels (id INTEGER, points INTEGER);"
            .to_owned()
            + &rows("customers", 20, |n| format!("{n}, 'Customer {n}'"))
            // A number of another system: none of the ids.
            + &rows("notes", 30, |n| format!("{n}, {}", n + 90_000))
            // Small numbers are ids of everything, and say nothing.
            + &rows("levels", 10, |n| format!("{n}, {}", n % 7 + 1))),
    );
    assert_eq!(references(&found(&file.engine()).await), [""; 0]);
}

/// So many tables that names alone lead to candidates, and all names are made of the same few words.
#[tokio::test]
async fn in_a_large_schema_each_reference_leads_to_its_own_table() {
    let places = ["north", "south", "field", "web", "mobile", "partner", "audit", "draft", "local", "outer"];
    let things = [
        "order", "customer", "product", "invoice", "store", "shipment", "payment", "review", "supplier",
        "ticket", "contract", "project", "asset", "vehicle", "account", "device",
    ];
    let names: Vec<String> =
        places.iter().flat_map(|place| things.iter().map(move |thing| format!("{place}_{thing}"))).collect();
    let mut statements = format!("CREATE TABLE {0} ({0}_id INTEGER, city TEXT);", names[0]);
    let mut expected = Vec::new();
    for (at, name) in names.iter().enumerate().skip(1) {
        let other = &names[at / 2];
        write!(statements, "CREATE TABLE {name} ({name}_id INTEGER, {other}_id INTEGER, city TEXT);")
            .unwrap();
        expected.push(format!("{name}.{other}_id -> {other}.{other}_id"));
    }
    statements += "BEGIN;";
    for (at, name) in names.iter().enumerate() {
        let row = |n: u32| {
            if at == 0 { format!("{n}, 'City {n}'") } else { format!("{n}, {}, 'City {n}'", n * 5 % 12 + 1) }
        };
        statements += &rows(name, 12, row);
    }
    statements += "COMMIT;";
    expected.sort();
    let file = File::new("large.db", &statements);
    assert_eq!(references(&found(&file.engine()).await), expected);
}

#[test]
fn people_accept_reject_and_add_references() {
    let file = trader();
    let lessons = file.folder().join("lessons");
    std::fs::create_dir(&lessons).unwrap();
    std::fs::write(file.folder().join("sqlogue.toml"), "memory_folder = \"lessons\"\n").unwrap();
    let run = |arguments: &[&str]| {
        let all = [&["--db", "trader.db", "schema"][..], arguments].concat();
        call(file.folder(), &all, "")
    };
    let shown = run(&["orders"]).stdout;
    assert!(shown.contains("cust_no → customers.number") && shown.contains("inferred, "), "{shown}");

    let said = run(&["reject", "orders.cust_no"]);
    assert!(said.stdout.contains("`orders.cust_no` does not refer to `customers.number`"), "{said:?}");
    assert!(!run(&["orders"]).stdout.contains("customers.number"));

    let said = run(&["add", "orders.cust_no", "customers.number"]);
    assert!(said.stdout.contains("`orders.cust_no` refers to `customers.number`"), "{said:?}");
    let shown = run(&["orders"]).stdout;
    assert!(shown.contains("→ customers.number (written down)"), "{shown}");

    let said = run(&["accept", "orders.state", "states.code"]);
    assert_eq!(said.code, 0, "{said:?}");
    run(&["accept", "orders.placed"]).fails(2, "no reference from `orders.placed` was inferred");
    run(&["add", "orders.placed", "customers.nowhere"]).fails(2, "`customers` has no column `nowhere`");
    run(&["add", "orders", "customers.number"]).fails(2, "`orders` is not `table.column`");

    run(&["add", "orders.stat=states.code"]).fails(2, "did you mean `orders.state`?");
    run(&["reject", "order.state"]).fails(2, "did you mean `orders`?");
    run(&["add", "a.b=c.d", "e.f"]).fails(2, "there are three columns");

    // A key alone, and both sides in one word.
    assert!(run(&["add", "orders.state=states.code"]).stdout.contains("`orders.state` refers to"));
    let said = run(&["add", "customers.number"]);
    assert!(said.stdout.contains("`customers.number` is the key of `customers`"), "{said:?}");
    let shown = run(&[]).stdout;
    for line in [
        "accepted: `orders.cust_no` refers to `customers.number`",
        "accepted: `orders.state` refers to `states.code`",
        "`customers.number` is the key of `customers`",
    ] {
        assert!(shown.contains(line), "{shown}");
    }

    // A team shares them as the file that people write.
    let yaml = call(file.folder(), &["lessons", "export"], "").stdout;
    assert!(yaml.contains("references:") && yaml.contains("from: orders.state"), "{yaml}");
    assert!(yaml.contains("keys:") && yaml.contains("columns: customers.number"), "{yaml}");
    let team = trader();
    std::fs::write(team.folder().join("sqlogue.toml"), "memory_folder = \".\"\n").unwrap();
    std::fs::write(team.folder().join("lessons_learned.yaml"), &yaml).unwrap();
    let shown = call(team.folder(), &["--db", "trader.db", "schema", "orders"], "").stdout;
    assert!(shown.contains("→ states.code (written down)"), "{shown}");
    let shown = call(team.folder(), &["--db", "trader.db", "schema"], "").stdout;
    assert!(shown.contains("`customers.number` is the key of `customers`"), "{shown}");
}

#[test]
fn a_rejected_reference_is_not_joined_by() {
    let file = clinic();
    let folder = file.folder();
    std::fs::write(folder.join("sqlogue.toml"), "memory_folder = \"lessons\"\n").unwrap();
    let ask = || {
        call(
            folder,
            &["--db", "clinic.db", "--format", "json", "ask", "Show the surname and cost of visits"],
            "",
        )
    };
    assert!(ask().stdout.contains("JOIN"), "{:?}", ask());
    assert_eq!(call(folder, &["--db", "clinic.db", "schema", "reject", "visit.pid"], "").code, 0);
    assert!(!ask().stdout.contains("JOIN"), "{:?}", ask());
}

/// The authors are none of the rows that are looked at first, and the third column has a role but other values.
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
const PAPERS: &str = "
    CREATE TABLE people (id integer PRIMARY KEY, name text);
    INSERT INTO people SELECT n, concat('Person ', n) FROM (SELECT MANY AS n) AS numbers;
    CREATE TABLE papers (paper_no integer, author_id integer, editor_id integer);
    INSERT INTO papers SELECT n, 20001 - n, 900000 + n FROM (SELECT SOME AS n) AS numbers;";

#[cfg(feature = "postgres")]
#[tokio::test]
async fn postgres_looks_values_up_by_its_indexes() {
    let Some(server) = crate::postgres_server::server("postgres_looks_values_up_by_its_indexes") else {
        return;
    };
    let papers =
        PAPERS.replace("MANY", "generate_series(1, 20000)").replace("SOME", "generate_series(1, 5000)");
    looks_up(&server.open(&server.database(&format!("{papers} ANALYZE;"))).await).await;
}

#[cfg(feature = "mysql")]
#[tokio::test]
async fn mariadb_looks_values_up_by_its_indexes() {
    let Some(server) = crate::mysql_server::server("mariadb_looks_values_up_by_its_indexes") else { return };
    let papers = PAPERS
        .replace("(SELECT MANY AS n)", "(SELECT seq AS n FROM seq_1_to_20000)")
        .replace("(SELECT SOME AS n)", "(SELECT seq AS n FROM seq_1_to_5000)");
    looks_up(&server.open(&server.database(&papers)).await).await;
}

#[cfg(feature = "adbc")]
#[tokio::test]
async fn duckdb_looks_values_up() {
    let papers = PAPERS
        .replace("SELECT MANY", "SELECT unnest(generate_series(1, 20000))")
        .replace("SELECT SOME", "SELECT unnest(generate_series(1, 5000))");
    let Some(file) = crate::duckdb_files::file("duckdb_looks_values_up", &papers) else { return };
    looks_up(&file.open()).await;
}

#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
async fn looks_up(database: &dyn sqlogue::database::Database) {
    let schema = source::introspect(database).await.unwrap();
    assert_eq!(references(&schema), ["papers.author_id -> people.id"]);
    let evidence = schema.table("papers").unwrap().foreign_keys[0].evidence.as_ref().unwrap();
    assert_eq!(evidence.because[0], "20 of 20 values that were looked up are in `people.id`");
}
