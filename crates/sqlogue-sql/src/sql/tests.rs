//! Rendered plans against the parser and SQLite.

use proptest::prelude::*;
use rusqlite::Connection;

use super::*;
use crate::plan::{
    Aggregate, Arithmetic, Comparison, Condition, DatePart, Direction, Expr, Function, Join, JoinKind, Order,
    Projection, QueryPlan, Select, SetOperation, SetOperator, Source, TableUse,
};
use crate::schema::{Column, Schema, Table, Value};

/// Names that need care: reserved words, spaces, quotes, capitals.
const TABLES: [(&str, [&str; 4]); 3] = [
    ("customers", ["id", "name", "group", "Joined On"]),
    ("order", ["id", "customer_id", "Total", "it's \"odd\""]),
    ("Größe", ["id", "select", "x-y", "1st"]),
];

fn connection() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    for (table, columns) in TABLES {
        let quote = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let columns: Vec<String> = columns.iter().map(|column| quote(column)).collect();
        connection.execute_batch(&format!("CREATE TABLE {} ({})", quote(table), columns.join(", "))).unwrap();
        let insert =
            format!("INSERT INTO {} VALUES (1, 'a', 2.5, '2024-02-29'), (2, NULL, -1, 'x')", quote(table));
        connection.execute_batch(&insert).unwrap();
    }
    connection
}

fn schema() -> Schema {
    let table = |(name, columns): (&str, [&str; 4])| Table {
        name: name.into(),
        columns: columns
            .iter()
            .map(|column| Column { name: (*column).into(), ..Column::default() })
            .collect(),
        ..Table::default()
    };
    Schema { tables: TABLES.into_iter().map(table).collect() }
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Boolean),
        any::<i64>().prop_map(Value::Integer),
        any::<f64>().prop_map(Value::Real),
        any::<String>().prop_map(Value::Text),
        "[a-z'\"\\\\\0;% -]{0,8}".prop_map(Value::Text),
        proptest::collection::vec(any::<u8>(), 0..5).prop_map(Value::Blob),
    ]
}

fn column(table: usize) -> impl Strategy<Value = Expr> {
    let (name, columns) = TABLES[table];
    (0..4_usize).prop_map(move |at| Expr::column(name, columns[at]))
}

fn expr(table: usize) -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![3 => column(table), 1 => value().prop_map(Expr::Literal)];
    leaf.prop_recursive(3, 12, 2, |inner| {
        let operators = prop_oneof![
            Just(Arithmetic::Add),
            Just(Arithmetic::Subtract),
            Just(Arithmetic::Multiply),
            Just(Arithmetic::Divide)
        ];
        let functions = prop_oneof![
            Just(Function::Lower),
            Just(Function::Length),
            Just(Function::Abs),
            Just(Function::Round),
            Just(Function::Extract(DatePart::Quarter)),
            Just(Function::Extract(DatePart::Year)),
        ];
        prop_oneof![
            (operators, inner.clone(), inner.clone()).prop_map(|(operator, left, right)| Expr::Arithmetic {
                operator,
                left: Box::new(left),
                right: Box::new(right)
            }),
            (functions, inner.clone())
                .prop_map(|(function, argument)| Expr::Function { function, arguments: vec![argument] }),
            (inner.clone(), inner).prop_map(|(one, other)| Expr::Function {
                function: Function::Coalesce,
                arguments: vec![one, other]
            }),
        ]
    })
}

fn condition(table: usize) -> impl Strategy<Value = Condition> {
    let leaf =
        prop_oneof![
            (expr(table), expr(table)).prop_map(|(left, right)| Condition::compare(
                left,
                Comparison::LessOrEqual,
                right
            )),
            (expr(table), any::<String>(), any::<bool>())
                .prop_map(|(expr, pattern, negated)| Condition::Like { expr, pattern, negated }),
            (expr(table), any::<bool>()).prop_map(|(expr, negated)| Condition::IsNull { expr, negated }),
            (expr(table), proptest::collection::vec(value().prop_map(Expr::Literal), 0..3), any::<bool>())
                .prop_map(|(expr, list, negated)| Condition::In { expr, list, negated }),
            (expr(table), expr(table), expr(table)).prop_map(|(expr, low, high)| Condition::Between {
                expr,
                low,
                high
            }),
        ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Condition::And),
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Condition::Or),
            inner.prop_map(|inner| Condition::Not(Box::new(inner))),
        ]
    })
}

fn plan() -> impl Strategy<Value = QueryPlan> {
    let single = (0..3_usize).prop_flat_map(|table| {
        let aliases = proptest::option::of("[a-z ]{1,6}|order|Total");
        let parts = (
            expr(table),
            aliases,
            proptest::option::of(condition(table)),
            expr(table),
            proptest::option::of(0..9_u64),
            proptest::option::of(0..9_u64),
            any::<(bool, bool, bool)>(),
        );
        parts.prop_map(move |(projected, alias, filter, key, limit, offset, (distinct, joined, combined))| {
            let mut select = Select { distinct, ..Select::from_table(TABLES[table].0) };
            select.projection.push(Projection { expr: projected.clone(), alias });
            select.filter = filter;
            if joined {
                let other = (table + 1) % 3;
                let id = |table: usize| crate::plan::ColumnRef::new(TABLES[table].0, "id");
                let kind = if distinct { JoinKind::Left } else { JoinKind::Inner };
                select.joins.push(Join::new(
                    kind,
                    TableUse::new(TABLES[other].0),
                    vec![(id(table), id(other))],
                ));
            }
            let mut plan = QueryPlan { limit, offset, ..QueryPlan::from(select.clone()) };
            if combined {
                plan.set_operations
                    .push(SetOperation { operator: SetOperator::Except, select: select.clone() });
                plan.set_operations.push(SetOperation { operator: SetOperator::UnionAll, select });
                plan.order_by.push(Order { expr: projected, direction: Direction::Descending });
            } else {
                plan.order_by.push(Order { expr: key, direction: Direction::Ascending });
            }
            plan
        })
    });
    single.prop_flat_map(|inner| {
        let nested = QueryPlan {
            select: Select {
                from: Source::Query { query: Box::new(inner.clone()), alias: "inner query".into() },
                projection: vec![Expr::count_all().into()],
                filter: Some(Condition::Exists { query: Box::new(inner.clone()), negated: false }),
                ..Select::default()
            },
            ..QueryPlan::default()
        };
        let count = Expr::Aggregate {
            function: Aggregate::Max,
            distinct: false,
            argument: Box::new(Expr::Query(Box::new(QueryPlan { limit: Some(1), ..inner.clone() }))),
        };
        let grouped = QueryPlan::from(Select::from_table("customers").project(count));
        prop_oneof![3 => Just(inner), 1 => Just(nested), 1 => Just(grouped)]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn rendered_plans_are_parsed_and_run(plan in plan()) {
        for dialect in Dialect::ALL {
            let sql = render(&plan, dialect);
            let checked = guard::check(&sql, dialect);
            prop_assert!(checked.is_ok(), "{dialect}: {sql}\n{:?}", checked);
            prop_assert_eq!(resolve(&checked.unwrap(), &schema()), vec![], "{}", sql);
        }
        let sql = render(&plan, Dialect::Sqlite);
        let connection = connection();
        let statement = connection.prepare(&sql);
        prop_assert!(statement.is_ok(), "{sql}\n{:?}", statement.err());
        let mut statement = statement.unwrap();
        let mut rows = statement.raw_query();
        loop {
            match rows.next() {
                Ok(Some(_)) => {}
                Ok(None) => break,
                // `abs` of the smallest number there is.
                Err(error) => {
                    prop_assert!(error.to_string().contains("integer overflow"), "{sql}\n{error}");
                    break;
                }
            }
        }
    }

    #[test]
    fn literals_survive_sqlite(value in value()) {
        let plan = QueryPlan::from(Select::from_table("customers").project(Expr::Literal(value.clone())));
        let sql = render(&plan, Dialect::Sqlite);
        let found = connection().query_row(&sql, [], |row| row.get::<_, rusqlite::types::Value>(0)).unwrap();
        let expected = match value {
            Value::Null => rusqlite::types::Value::Null,
            Value::Boolean(truth) => rusqlite::types::Value::Integer(truth.into()),
            Value::Integer(number) => rusqlite::types::Value::Integer(number),
            Value::Real(number) if number.is_nan() => rusqlite::types::Value::Null,
            Value::Real(number) => rusqlite::types::Value::Real(number),
            Value::Text(text) => rusqlite::types::Value::Text(text),
            Value::Blob(bytes) => rusqlite::types::Value::Blob(bytes),
        };
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn the_guard_survives_anything(sql in any::<String>(), pieces in proptest::collection::vec(
        prop_oneof![Just("SELECT"), Just("("), Just(")"), Just("'"), Just("\""), Just(";"), Just("--"), Just("/*"), Just("*/"),
            Just("FROM"), Just("t"), Just("WITH"), Just("AS"), Just(","), Just("*"), Just("1"), Just("CASE"), Just("END"),
            Just("IS"), Just("NOT"), Just("IN"), Just("\n"), Just("ß"), Just("$$"), Just("`"), Just("["), Just("]")], 0..40)) {
        for dialect in Dialect::ALL {
            for sql in [sql.clone(), pieces.join(" "), pieces.concat()] {
                if let Err(refusal) = guard::check(&sql, dialect) {
                    prop_assert!(refusal.reason.chars().count() <= 300);
                    prop_assert!(!refusal.reason.contains(char::is_control));
                }
            }
        }
    }
}

/// Every word that the parser or SQLite knows can name a table, a column and an alias, quoted or not.
#[test]
fn every_keyword_can_be_a_name() {
    let mut wrong = Vec::new();
    for keyword in sqlparser::keywords::ALL_KEYWORDS {
        let word = keyword.to_ascii_lowercase();
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(&format!(
                "CREATE TABLE \"{word}\" (\"{word}\", \"{word}2\"); CREATE TABLE t (\"{word}\");"
            ))
            .unwrap();
        let mut select = Select::from_table(word.clone());
        select.projection.push(Projection { expr: Expr::column(&word, &word), alias: Some(word.clone()) });
        select.projection.push(Expr::aggregate(Aggregate::Sum, Expr::column(&word, &word)).into());
        select.joins.push(Join::new(JoinKind::Inner, TableUse::new("t"), vec![]));
        select = select.filter(Condition::equal(Expr::column(&word, &word), Expr::column("t", &word)));
        select.group_by.push(Expr::column(&word, &word));
        let joined = QueryPlan {
            order_by: vec![Order { expr: Expr::column(&word, &word), direction: Direction::Descending }],
            ..QueryPlan::from(select)
        };
        let mut alone = Select::from_table(&word).project(Expr::column(&word, &word));
        alone.filter = Some(Condition::And(vec![
            Condition::equal(Expr::column(&word, &word), Expr::literal(1)),
            Condition::IsNull { expr: Expr::column(&word, &word), negated: true },
        ]));
        alone.group_by.push(Expr::column(&word, &word));
        for plan in [joined, QueryPlan::from(alone)] {
            for dialect in Dialect::ALL {
                let sql = render(&plan, dialect);
                if let Err(refusal) = guard::check(&sql, dialect) {
                    wrong.push(format!("{dialect} {word}: {}", refusal.reason));
                }
            }
            let sql = render(&plan, Dialect::Sqlite);
            if let Err(error) = connection.prepare(&sql) {
                wrong.push(format!("{word}: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_long_chain_stays_flat() {
    let schema = schema();
    let sql = format!("SELECT id{} FROM customers", " + 1 - 2".repeat(140));
    let plan = lift(&sql, &schema, Dialect::Sqlite).unwrap();
    assert_eq!(render(&plan, Dialect::Sqlite), sql);
    let mixed = "SELECT id * 2 * 3 + 4 - (5 - id) FROM customers";
    let plan = lift(mixed, &schema, Dialect::Sqlite).unwrap();
    assert_eq!(render(&plan, Dialect::Sqlite), "SELECT (id * 2 * 3) + 4 - (5 - id) FROM customers");
}

#[test]
fn dialects_differ_where_they_must() {
    let year = Expr::Function {
        function: Function::Extract(DatePart::Year),
        arguments: vec![Expr::column("orders", "Day")],
    };
    let share = Expr::Arithmetic {
        operator: Arithmetic::Divide,
        left: Box::new(Expr::aggregate(Aggregate::Sum, Expr::column("orders", "paid"))),
        right: Box::new(Expr::count_all()),
    };
    let mut select =
        Select::from_table("orders").project(year.clone()).project(share).filter(Condition::Like {
            expr: Expr::column("orders", "note"),
            pattern: "%Gift\\%".into(),
            negated: false,
        });
    select.group_by.push(year.clone());
    let mut plan = QueryPlan::from(select);
    plan.order_by.push(Order { expr: year, direction: Direction::Descending });
    plan.offset = Some(5);
    let rendered = Dialect::ALL.map(|dialect| render(&plan, dialect));
    insta::assert_snapshot!(rendered.join("\n"), @r#"
    SELECT CAST(strftime('%Y', Day) AS INTEGER), CAST(sum(paid) AS REAL) / count(*) FROM orders WHERE note LIKE '%Gift\%' GROUP BY CAST(strftime('%Y', Day) AS INTEGER) ORDER BY CAST(strftime('%Y', Day) AS INTEGER) DESC LIMIT -1 OFFSET 5
    SELECT CAST(EXTRACT(YEAR FROM "Day") AS integer), CAST(sum(paid) AS double precision) / nullif(count(*), 0) FROM orders WHERE note ILIKE E'%Gift\\\\%' GROUP BY CAST(EXTRACT(YEAR FROM "Day") AS integer) ORDER BY CAST(EXTRACT(YEAR FROM "Day") AS integer) DESC NULLS LAST OFFSET 5
    SELECT EXTRACT(YEAR FROM Day), sum(paid) / nullif(count(*), 0) FROM orders WHERE lower(note) LIKE '%gift\\\\%' GROUP BY EXTRACT(YEAR FROM Day) ORDER BY EXTRACT(YEAR FROM Day) DESC LIMIT 9223372036854775807 OFFSET 5
    SELECT year(Day), CAST(sum(paid) AS DOUBLE) / count(*) FROM orders WHERE lower(note) LIKE '%gift\\\\%' GROUP BY year(Day) ORDER BY year(Day) DESC LIMIT 9223372036854775807 OFFSET 5
    SELECT year(Day), sum(paid) / nullif(count(*), 0) FROM orders WHERE note ILIKE '%Gift\%' GROUP BY year(Day) ORDER BY year(Day) DESC NULLS LAST OFFSET 5
    "#);
}

#[test]
fn a_table_command_is_a_query_of_all_its_rows() {
    let check = |sql: &str| guard::check(sql, Dialect::Postgres);
    let schema = schema();
    for sql in [
        "TABLE customers",
        "(TABLE customers)",
        "EXPLAIN TABLE customers",
        "SELECT * FROM (TABLE customers) AS x",
        "TABLE customers UNION ALL TABLE customers ORDER BY 1",
        "WITH x AS (TABLE customers) TABLE x",
    ] {
        let checked = check(sql).unwrap_or_else(|refusal| panic!("{sql}: {refusal}"));
        assert_eq!(checked.sql(), sql, "the text runs as it is");
        assert_eq!(resolve(&checked, &schema), [], "{sql}");
    }
    let unknown = resolve(&check("TABLE nowhere").unwrap(), &schema);
    assert_eq!(unknown.len(), 1, "{unknown:?}");
    for sql in [
        "TABLE pg_authid",
        "TABLE pg_catalog.pg_authid",
        "TABLE \"pg_authid\"",
        "WITH x AS (TABLE pg_shadow) SELECT * FROM x",
        "SELECT 1 UNION (TABLE pg_shadow)",
        "SELECT 1 UNION TABLE pg_shadow",
        "SELECT (TABLE pg_shadow)",
    ] {
        let code = check(sql).map(|_| ()).unwrap_err().code;
        assert_eq!(code, RefusalCode::ForbiddenTable, "{sql}");
    }
    // The word is also what a column can be called.
    for sql in ["SELECT count(*) table FROM customers", "SELECT 1 AS table", "SELECT (1) table"] {
        assert!(check(sql).is_ok(), "{sql}");
    }
    assert!(guard::check("TABLE customers", Dialect::Sqlite).is_err());
}
