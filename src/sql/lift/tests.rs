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
        (
            "SELECT strftime('%Y', year) FROM concert WHERE strftime('%m', year) = '02'",
            "SELECT strftime('%Y', year) FROM concert WHERE CAST(strftime('%m', year) AS INTEGER) = 2",
        ),
        (
            "SELECT id FROM concert WHERE strftime('%m', year) = '02' AND NOT (id IN (1, 2) OR year IS NULL)",
            "SELECT id FROM concert WHERE CAST(strftime('%m', year) AS INTEGER) = 2 AND NOT (id IN (1, 2) OR year IS NULL)",
        ),
    ] {
        assert_eq!(there_and_back(sql).as_deref().unwrap_or("-"), expected, "{sql}");
    }
}

#[test]
fn what_analysts_write_is_lifted() {
    for (sql, expected) in [
        ("SELECT age / 2, age % 2 FROM singer", "SELECT age / 2, age % 2 FROM singer"),
        ("SELECT name || 'x' || id FROM singer", "SELECT name || 'x' || id FROM singer"),
        (
            "SELECT name FROM singer LEFT JOIN concert ON singer.id = concert.singer_id AND year > 3",
            "SELECT singer.name FROM singer LEFT JOIN concert ON singer.id = concert.singer_id AND concert.year > 3",
        ),
        (
            "SELECT sum(age > 3), count(*) FILTER (WHERE age > 3), iif(age > 3, 1, 0) FROM singer",
            "SELECT sum((age > 3)), count(CASE WHEN age > 3 THEN 1 END), CASE WHEN age > 3 THEN 1 ELSE 0 END FROM singer",
        ),
        (
            "SELECT CASE age WHEN 3 THEN 'three' ELSE 'more' END FROM singer",
            "SELECT CASE WHEN age = 3 THEN 'three' ELSE 'more' END FROM singer",
        ),
        (
            "SELECT strftime('%Y-%m', year) m, 100.0 * count(*) / sum(count(*)) OVER () FROM concert GROUP BY 1",
            "SELECT strftime('%Y-%m', year) AS m, (100.0 * count(*)) / sum(count(*)) OVER () FROM concert GROUP BY strftime('%Y-%m', year)",
        ),
        (
            "SELECT avg((julianday(year) - julianday(id)) * 24), date(year, 'start of month', '+1 month', '-1 day') FROM concert",
            "SELECT avg(((strftime('%s', year) - strftime('%s', id)) / 3600.0)), date(min(date(date(year, 'start of month'), '+1 months'), date(date(year, 'start of month'), 'start of month', '+2 months', '-1 days')), '-1 days') FROM concert",
        ),
        (
            "SELECT id FROM concert WHERE year >= strftime('%s', '2026-07-01', '-90 days') + 0",
            "SELECT id FROM concert WHERE year >= (strftime('%s', date('2026-07-01', '-90 days')) - strftime('%s', '1970-01-01'))",
        ),
        (
            "SELECT id FROM concert WHERE strftime('%w', year) IN ('0', '6') AND strftime('%m', year) BETWEEN '01' AND '06'",
            "SELECT id FROM concert WHERE CAST(strftime('%w', year) AS INTEGER) IN (0, 6) AND CAST(strftime('%m', year) AS INTEGER) BETWEEN 1 AND 6",
        ),
        (
            "WITH m (k, n) AS (SELECT strftime('%H', year), count(*) FROM concert GROUP BY 1), r AS (SELECT *, rank() OVER (ORDER BY n DESC) AS p FROM m) SELECT k FROM r WHERE p <= 3 AND k < '12'",
            "WITH m AS (SELECT CAST(strftime('%H', year) AS INTEGER) AS k, count(*) AS n FROM concert GROUP BY CAST(strftime('%H', year) AS INTEGER)), r AS (SELECT *, rank() OVER (ORDER BY n DESC) AS p FROM m) SELECT k FROM r WHERE p <= 3 AND k < 12",
        ),
        (
            "SELECT s.name FROM singer s JOIN (SELECT singer_id AS who, avg(year) AS y FROM concert GROUP BY 1) singer_years ON singer_years.who = s.id WHERE s.age > singer_years.y",
            "WITH singer_years AS (SELECT singer_id AS who, avg(year) AS y FROM concert GROUP BY singer_id) SELECT singer.name FROM singer JOIN singer_years ON singer.id = singer_years.who WHERE singer.age > singer_years.y",
        ),
        (
            "SELECT name FROM singer ORDER BY age IS NULL, age NULLS LAST, name DESC NULLS FIRST",
            "SELECT name FROM singer ORDER BY (age IS NULL), (age IS NULL), age, (name IS NULL) DESC, name DESC",
        ),
        (
            "SELECT id FROM singer UNION ALL SELECT * FROM (SELECT id FROM concert ORDER BY year LIMIT 3)",
            "SELECT id FROM singer UNION ALL SELECT * FROM (SELECT id FROM concert ORDER BY year LIMIT 3) AS inner_query",
        ),
    ] {
        assert_eq!(there_and_back(sql).as_deref().unwrap_or("-"), expected, "{sql}");
    }
}

#[test]
fn other_dialects_say_the_same() {
    let postgres = [
        (
            "SELECT date_trunc('month', year)::date, EXTRACT(EPOCH FROM (year - id)) / 3600 FROM concert",
            "month of year, hours from id to year from concert",
        ),
        ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM singer", "median(age) from singer"),
        (
            "SELECT date_part('year', age(year, id)), (year > 3)::int FROM concert",
            "whole years from id to year, whether year > 3 from concert",
        ),
        (
            "SELECT age::numeric / nullif(id, 0) FROM singer WHERE lower(name) LIKE '%bo%'",
            "age / id from singer where name contains 'bo'",
        ),
    ];
    let bigquery = [
        (
            "SELECT DATE_TRUNC(DATE(year), ISOWEEK), COUNTIF(id > 3) FROM concert",
            "week of day of year, count(*) where id > 3 from concert",
        ),
        (
            "SELECT SAFE_DIVIDE(id, year), IF(id > 3, 'a', 'b') FROM concert",
            "id / year, ('a' if id > 3, else 'b') from concert",
        ),
        (
            "SELECT DATE_DIFF(year, id, DAY) FROM concert",
            "whole number(days from day of id to day of year) from concert",
        ),
    ];
    for (dialect, lines) in [(Dialect::Postgres, &postgres[..]), (Dialect::BigQuery, &bigquery[..])] {
        for (sql, expected) in lines {
            let said = lift(sql, &schema(), dialect).map(|plan| format!("{plan:#}"));
            assert_eq!(said.as_deref(), Some(*expected), "{sql}");
        }
    }
}

#[test]
fn what_does_not_fit_is_left_alone() {
    for sql in [
        "WITH x AS (SELECT 1) SELECT * FROM x",
        "WITH RECURSIVE x AS (SELECT id FROM singer) SELECT * FROM x",
        "SELECT nothing FROM singer",
        "SELECT * FROM nowhere",
        "SELECT * FROM singer JOIN concert USING (id)",
        "EXPLAIN SELECT * FROM singer",
        "DELETE FROM singer",
        // The types are not known, so whether the quotient is whole is not.
        "SELECT id / (SELECT name FROM singer) FROM singer",
        // What is not said by a day's number alone.
        "SELECT strftime('%W', year) FROM concert",
        "SELECT date('now') FROM concert",
        // The 31st of a month, moved by a month, is another day in SQLite.
        "SELECT date(year, '+1 month') FROM concert",
        // The digits would be a number in one part, and a text in the other.
        "SELECT strftime('%m', year) FROM concert UNION SELECT name FROM singer",
        "SELECT name FROM singer WHERE name IN (SELECT strftime('%m', year) FROM concert)",
        "WITH m AS (SELECT strftime('%m', year) AS m FROM concert) SELECT lower(m) FROM m",
        "SELECT lag(age, 1, 0) OVER (ORDER BY id) FROM singer",
        "SELECT sum(age) OVER (ORDER BY id RANGE 3 PRECEDING) FROM singer",
    ] {
        assert_eq!(there_and_back(sql), None, "{sql}");
    }
}
