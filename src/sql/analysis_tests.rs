//! What functions of dates, cases and percentiles give, and how each dialect writes them.

use rusqlite::Connection;
use rusqlite::types::Value as Cell;

use super::*;
use crate::plan::{
    Aggregate, CastType, Condition, DatePart, DateUnit, EpochUnit, Expr, Function, NamedQuery, QueryPlan,
    Select, TimeUnit, Window,
};

fn text(text: &str) -> Expr {
    Expr::literal(text)
}

/// What an expression over one row gives in SQLite, as text.
fn value(expr: Expr) -> String {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)").unwrap();
    let sql = render(&QueryPlan::from(Select::from_table("t").project(expr)), Dialect::Sqlite);
    guard::check(&sql, Dialect::Sqlite).unwrap();
    match connection.query_row(&sql, [], |row| row.get::<_, Cell>(0)).unwrap() {
        Cell::Null => "NULL".into(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
        Cell::Text(text) => text,
        Cell::Blob(_) => "blob".into(),
    }
}

#[test]
fn periods_begin_on_their_first_day() {
    let date = "2024-12-30 23:59:59";
    for (unit, first, label) in [
        (DateUnit::Hour, "2024-12-30 23:00:00", "2024-12-30 23:00:00"),
        (DateUnit::Day, "2024-12-30", "2024-12-30"),
        (DateUnit::Week, "2024-12-30", "2024-12-30"),
        (DateUnit::Month, "2024-12-01", "2024-12"),
        (DateUnit::Quarter, "2024-10-01", "2024-Q4"),
        (DateUnit::Year, "2024-01-01", "2024"),
    ] {
        assert_eq!(value(Expr::truncate(unit, text(date))), first, "{}", unit.name());
        assert_eq!(value(Expr::label(unit, text(date))), label, "{}", unit.name());
    }
    // A week begins on Monday, so that Sunday ends one.
    for (day, monday) in [("2025-01-05", "2024-12-30"), ("2025-01-06", "2025-01-06")] {
        assert_eq!(value(Expr::truncate(DateUnit::Week, text(day))), monday);
    }
    for (month, quarter) in
        [("01", "01"), ("03", "01"), ("04", "04"), ("06", "04"), ("07", "07"), ("12", "10")]
    {
        let day = text(&format!("2025-{month}-15"));
        assert_eq!(value(Expr::truncate(DateUnit::Quarter, day)), format!("2025-{quarter}-01"));
    }
}

#[test]
fn parts_of_dates_are_those_of_the_calendar() {
    // 1 January 2027 is a Friday, in the last week of 2026.
    for (part, expected) in [
        (DatePart::Year, "2027"),
        (DatePart::Quarter, "1"),
        (DatePart::Week, "53"),
        (DatePart::DayOfYear, "1"),
        (DatePart::Weekday, "5"),
        (DatePart::Minute, "30"),
    ] {
        assert_eq!(value(Expr::part(part, text("2027-01-01 08:30:00"))), expected, "{}", part.name());
    }
    let name = |function, date| value(Expr::function(function, vec![text(date)]));
    assert_eq!(name(Function::WeekdayName, "2026-07-01"), "Wednesday");
    assert_eq!(name(Function::WeekdayName, "2026-07-05"), "Sunday");
    assert_eq!(name(Function::MonthName, "2026-07-01"), "July");
}

#[test]
fn an_age_grows_on_the_birthday() {
    for (born, on, age, months) in [
        ("2000-07-02", "2026-07-01", "25", "311"),
        ("2000-07-01", "2026-07-01", "26", "312"),
        ("2004-02-29", "2026-02-28", "21", "263"),
        ("2004-02-29", "2026-03-01", "22", "264"),
        ("2026-07-01", "2000-07-02", "-26", "-312"),
    ] {
        assert_eq!(value(Expr::age(text(born), text(on))), age, "{born} {on}");
        assert_eq!(value(Expr::elapsed(TimeUnit::Month, text(born), text(on))), months, "{born} {on}");
    }
    let (from, to) = ("2026-06-30 12:00:00", "2026-07-02");
    for (unit, expected) in [
        (TimeUnit::Second, "129600"),
        (TimeUnit::Minute, "2160"),
        (TimeUnit::Hour, "36"),
        (TimeUnit::Day, "1.5"),
    ] {
        assert_eq!(value(Expr::elapsed(unit, text(from), text(to))), expected, "{}", unit.plural());
    }
}

#[test]
fn a_moved_date_stays_in_its_month() {
    let moved = |date: &str, by: i64, unit| value(Expr::shift(unit, text(date), Expr::literal(by)));
    assert_eq!(moved("2026-01-31", 1, TimeUnit::Month), "2026-02-28");
    assert_eq!(moved("2026-03-31", -1, TimeUnit::Month), "2026-02-28");
    assert_eq!(moved("2024-02-29", 1, TimeUnit::Year), "2025-02-28");
    assert_eq!(moved("2024-02-29", 4, TimeUnit::Year), "2028-02-29");
    assert_eq!(moved("2026-12-31", 1, TimeUnit::Day), "2027-01-01");
    assert_eq!(moved("2026-12-31", -90, TimeUnit::Minute), "2026-12-30 22:30:00");
}

#[test]
fn numbers_and_texts_that_are_dates_are_read() {
    let epoch = |unit, number| value(Expr::from_epoch(unit, Expr::literal(number)));
    assert_eq!(epoch(EpochUnit::Second, 1_782_864_000), "2026-07-01 00:00:00");
    assert_eq!(epoch(EpochUnit::Millisecond, 1_782_864_000_999), "2026-07-01 00:00:00");
    assert_eq!(value(Expr::from_date_key(Expr::literal(20_260_228))), "2026-02-28");
    let number = |said: &str| value(Expr::function(Function::ToNumber, vec![text(said)]));
    let read = ["12", "-3.5", ".5", "N/A", "", "1-2", "1.2.3", "-", "12 kg"].map(number);
    assert_eq!(read, ["12", "-3.5", "0.5", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL"].map(String::from));
    assert_eq!(value(Expr::cast(CastType::Integer, Expr::literal(-2.7))), "-2");
}

/// The rows of a plan over prices in two groups, one of them all unknown.
fn over_prices(plan: &QueryPlan) -> Vec<String> {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE TABLE sale (kind TEXT, price REAL);
             INSERT INTO sale VALUES ('a', 1), ('a', 2), ('a', 2), ('a', 10), ('b', 5), ('b', NULL),
                                     ('b', 7), ('b', 6), ('c', NULL)",
        )
        .unwrap();
    let sql = render(plan, Dialect::Sqlite);
    guard::check(&sql, Dialect::Sqlite).unwrap();
    let mut statement = connection.prepare(&sql).unwrap();
    let columns = statement.column_count();
    let row = |row: &rusqlite::Row<'_>| {
        (0..columns)
            .map(|at| row.get::<_, Cell>(at).map(|cell| format!("{cell:?}")))
            .collect::<Result<Vec<_>, _>>()
    };
    statement.query_map([], row).unwrap().map(|cells| cells.unwrap().join(" ")).collect()
}

#[test]
fn percentiles_leave_out_what_is_unknown() {
    let price = || Expr::column("sale", "price");
    let select = Select::from_table("sale")
        .group(Expr::column("sale", "kind"))
        .project(Expr::median(price()))
        .project(Expr::aggregate(Aggregate::Percentile(25), price()))
        .project(Expr::aggregate(Aggregate::PercentileValue(90), price()))
        .project(Expr::count_all());
    assert_eq!(
        over_prices(&select.into()),
        [
            "Text(\"a\") Real(2.0) Real(1.75) Real(10.0) Integer(4)",
            "Text(\"b\") Real(6.0) Real(5.5) Real(7.0) Integer(4)",
            "Text(\"c\") Null Null Null Integer(1)",
        ]
    );
}

#[test]
fn nothing_is_none_of_an_unknown() {
    let kinds =
        |condition| Select::from_table("sale").project(Expr::column("sale", "kind")).filter(condition);
    let known = Condition::IsNull { expr: Expr::column("sale", "price"), negated: false };
    let unknown_price = Select::from_table("sale").project(Expr::column("sale", "price")).filter(known);
    let all = Condition::none_of(Expr::literal(1), unknown_price.clone().into());
    assert_eq!(over_prices(&kinds(all).into()).len(), 9);
    // The NULL comes out of a summary, and is left out there.
    let highest = Select::from_table("sale")
        .project(Expr::aggregate(Aggregate::Max, Expr::column("sale", "price")))
        .filter(Condition::equal(Expr::column("sale", "kind"), text("c")));
    let all = Condition::none_of(Expr::literal(1), highest.into());
    assert_eq!(over_prices(&kinds(all).into()).len(), 9);
}

#[test]
fn a_sorted_name_is_that_of_the_column() {
    // PostgreSQL calls the cast by its column's name too.
    let id = || Expr::column("sale", "kind");
    let mut plan = QueryPlan::from(Select::from_table("sale").project(Expr::cast(CastType::Text, id())));
    plan.order_by.push(crate::plan::Order { expr: id(), direction: crate::plan::Direction::Ascending });
    let sql = render(&plan, Dialect::Postgres);
    assert!(sql.ends_with("ORDER BY sale.kind NULLS FIRST"), "{sql}");
}

#[test]
fn every_dialect_has_its_own_words() {
    let at = || Expr::column("o", "at");
    let exprs = [
        Expr::truncate(DateUnit::Week, at()),
        Expr::truncate(DateUnit::Quarter, at()),
        Expr::truncate(DateUnit::Hour, at()),
        Expr::label(DateUnit::Month, at()),
        Expr::part(DatePart::Week, at()),
        Expr::function(Function::WeekdayName, vec![at()]),
        Expr::age(Expr::column("o", "born"), text("2026-07-01")),
        Expr::elapsed(TimeUnit::Day, at(), Expr::column("o", "until")),
        Expr::shift(TimeUnit::Month, at(), Expr::literal(3)),
        Expr::from_epoch(EpochUnit::Second, at()),
        Expr::from_date_key(at()),
        Expr::function(Function::ToNumber, vec![at()]),
        Expr::count_where(Condition::equal(at(), Expr::literal(1))),
        Expr::test(Condition::equal(at(), Expr::literal(1))),
        Expr::median(at()),
        Window::running(Aggregate::Sum, at())
            .per(Expr::column("o", "k"))
            .by(at(), crate::plan::Direction::Descending)
            .into(),
    ];
    let mut lines = Vec::new();
    for expr in exprs {
        lines.push(format!("{expr:#}"));
        for dialect in Dialect::ALL {
            let sql = render(&QueryPlan::from(Select::from_table("o").project(expr.clone())), dialect);
            guard::check(&sql, dialect).unwrap();
            lines.push(format!("    {}", sql.trim_start_matches("SELECT ").trim_end_matches(" FROM o")));
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn named_queries_stand_before_the_query() {
    let inner =
        Select::from_table("o").group_as(Expr::column("o", "k"), "part").project_as(Expr::count_all(), "n");
    let outer = Select::from_table("totals")
        .project(Expr::column("totals", "part"))
        .filter(Condition::equal(Expr::column("totals", "n"), Expr::literal(1)));
    let plan = QueryPlan { with: vec![NamedQuery::new("totals", inner)], ..QueryPlan::from(outer) };
    let sql = "WITH totals AS (SELECT k AS part, count(*) AS n FROM o GROUP BY k) SELECT part FROM totals WHERE n = 1";
    assert_eq!(render(&plan, Dialect::Sqlite), sql);
    // In a nested query the names belong to it alone.
    let nested = Select::from_table("o").project(Expr::Query(Box::new(plan)));
    assert_eq!(render(&nested.into(), Dialect::Sqlite), format!("SELECT ({sql}) FROM o"));
}
