use super::*;
use crate::schema::{Column, Table};
use crate::sql::render;

fn schema() -> Schema {
    let table = |name: &str, columns: &[&str]| Table {
        name: name.into(),
        columns: columns
            .iter()
            .map(|column| Column {
                name: (*column).into(),
                declared_type: "INTEGER".into(),
                ..Column::default()
            })
            .collect(),
        ..Table::default()
    };
    Schema {
        tables: vec![
            table("singer", &["id", "name", "age"]),
            table("concert", &["id", "singer_id", "year"]),
            table("Companies", &["Id", "Name", "Vendor", "Status"]),
        ],
    }
}

fn there_and_back(sql: &str) -> Option<String> {
    lift(sql, &schema(), Dialect::Sqlite).map(|plan| render(&plan, Dialect::Sqlite))
}

#[test]
fn what_fits_is_lifted() {
    for (sql, expected) in [
        ("select * from companies", "SELECT * FROM Companies"),
        (
            "SELECT *, vendor FROM Companies WHERE status = \"Active\";",
            "SELECT *, Vendor FROM Companies WHERE Status = 'Active'",
        ),
        (
            "SELECT T1.name, count(*) FROM singer T1, concert T2 WHERE T1.id = T2.singer_id AND T2.year > 2000 GROUP BY 1",
            "SELECT singer.name, count(*) FROM singer JOIN concert ON singer.id = concert.singer_id WHERE concert.year > 2000 GROUP BY singer.name",
        ),
        (
            "SELECT name FROM singer s WHERE age > (SELECT avg(age) FROM singer t WHERE t.name = s.name)",
            "SELECT name FROM singer AS s WHERE age > (SELECT avg(age) FROM singer AS t WHERE name = s.name)",
        ),
        (
            "SELECT a.name FROM singer a JOIN singer b ON a.age = b.age",
            "SELECT a.name FROM singer AS a JOIN singer AS b ON a.age = b.age",
        ),
        (
            "SELECT name n, age * 2.0 / 3 FROM singer ORDER BY n DESC LIMIT 3 OFFSET 1",
            "SELECT name AS n, (age * 2.0) / 3 FROM singer ORDER BY name DESC LIMIT 3 OFFSET 1",
        ),
        (
            "SELECT name FROM singer UNION SELECT Name FROM Companies ORDER BY name",
            "SELECT name FROM singer UNION SELECT Name FROM Companies ORDER BY name",
        ),
        ("SELECT strftime('%Y', year) FROM concert WHERE strftime('%m', year) = '02'", "-"),
        (
            "SELECT id FROM concert WHERE strftime('%m', year) = '02' AND NOT (id IN (1, 2) OR year IS NULL)",
            "SELECT id FROM concert WHERE CAST(strftime('%m', year) AS INTEGER) = 2 AND NOT (id IN (1, 2) OR year IS NULL)",
        ),
    ] {
        assert_eq!(there_and_back(sql).as_deref().unwrap_or("-"), expected, "{sql}");
    }
}

#[test]
fn what_does_not_fit_is_left_alone() {
    for sql in [
        "SELECT age / 2 FROM singer",
        "SELECT name || 'x' FROM singer",
        "WITH x AS (SELECT 1) SELECT * FROM x",
        "SELECT rank() OVER (ORDER BY age) FROM singer",
        "SELECT nothing FROM singer",
        "SELECT * FROM nowhere",
        "SELECT * FROM singer JOIN concert USING (id)",
        "SELECT CASE WHEN age > 3 THEN 1 END FROM singer",
        "EXPLAIN SELECT * FROM singer",
        "SELECT name FROM singer LEFT JOIN concert ON singer.id = concert.singer_id AND year > 3",
        "DELETE FROM singer",
    ] {
        assert_eq!(there_and_back(sql), None, "{sql}");
    }
}
