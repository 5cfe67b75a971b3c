use super::*;
use crate::schema::{Column, Table};
use crate::sql::guard;

fn schema() -> Schema {
    let table = |name: &str, columns: &[&str]| Table {
        name: name.into(),
        columns: columns
            .iter()
            .map(|column| Column { name: (*column).into(), ..Column::default() })
            .collect(),
        ..Table::default()
    };
    Schema {
        tables: vec![
            table("customers", &["id", "name", "city"]),
            table("orders", &["id", "customer_id", "order_date", "status"]),
        ],
    }
}

fn findings(sql: &str) -> Vec<String> {
    let checked = guard::check(sql, Dialect::Sqlite).unwrap();
    resolve(&checked, &schema()).iter().map(ToString::to_string).collect()
}

#[test]
fn unknown_names_are_found_with_those_near_them() {
    for (sql, expected) in [
        ("SELECT * FROM custmers", "there is no table `custmers`; near it: `customers`"),
        ("SELECT nmae FROM customers", "table `customers` has no column `nmae`; near it: `customers.name`"),
        ("SELECT c.date FROM orders c", "table `orders` has no column `date`; near it: `orders.order_date`"),
        (
            "SELECT status FROM customers",
            "table `customers` has no column `status`; near it: `orders.status`",
        ),
        (
            "SELECT orders.status FROM customers",
            "`orders.status` is used, but the query does not read `orders` there",
        ),
        ("SELECT x.name FROM customers c", "there is no table `x`"),
        (
            "SELECT name FROM customers WHERE id IN (SELECT custmer_id FROM orders)",
            "no table in use has a column `custmer_id`; near it: `orders.customer_id`",
        ),
        ("WITH a AS (SELECT id AS k FROM orders) SELECT a.i FROM a", "table `a` has no column `i`"),
        (
            "SELECT nmae FROM customers JOIN orders ON customers.id = customer_id",
            "no table in use has a column `nmae`; near it: `customers.name`",
        ),
        (
            "SELECT \"nmae\" FROM customers",
            "table `customers` has no column `nmae`; near it: `customers.name`",
        ),
        (
            "SELECT max(\"nmae\") FROM customers WHERE city = \"Rome\"",
            "table `customers` has no column `nmae`; near it: `customers.name`",
        ),
        ("SELECT name FROM customers ORDER BY agee", "table `customers` has no column `agee`"),
    ] {
        assert_eq!(findings(sql), [expected], "{sql}");
    }
}

#[test]
fn known_and_uncertain_names_are_not() {
    for sql in [
        "SELECT Name, CITY FROM Customers WHERE \"anything\" = city AND rowid > 1",
        "SELECT name AS n FROM customers WHERE n > 'a' GROUP BY n HAVING n < 'x' ORDER BY n",
        "SELECT c.name, (SELECT count(*) FROM orders WHERE customer_id = c.id) AS n FROM customers AS c ORDER BY n",
        "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < 5) SELECT i FROM t",
        "WITH a AS (SELECT *, 1 AS z FROM orders) SELECT status, z, anything FROM a",
        "SELECT value, key FROM json_each('[1]')",
        "SELECT s.n FROM (SELECT count(*) AS n FROM orders) AS s",
        "SELECT id FROM orders UNION SELECT id FROM customers ORDER BY id",
        "SELECT \"count(*)\" FROM (SELECT count(*) FROM orders)",
        "SELECT rank() OVER w FROM orders WINDOW w AS (ORDER BY order_date)",
        "SELECT name FROM sqlite_schema",
        "SELECT main.customers.name FROM main.customers",
        "SELECT current_date, date('now')",
    ] {
        assert_eq!(findings(sql), Vec::<String>::new(), "{sql}");
    }
}
