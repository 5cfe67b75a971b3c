//! How people write what the plan language says with one function, in each dialect, beside how it is rendered.
//!
//! `arg_0` and `arg_1` stand for any expression. **A new way of saying something is a new line.**

use crate::plan::{CastType, DatePart, DateUnit, EpochUnit, Expr, Function, TimeUnit};
use crate::sql::Dialect;

/// What an idiom means: a function of its arguments.
pub(super) type Meaning = fn(Vec<Expr>) -> Expr;

/// How else people write functions of dates in SQLite.
const SQLITE: &[(&str, Function)] = &[
    ("strftime('%Y-%m-01', arg_0)", Function::Truncate(DateUnit::Month)),
    ("strftime('%Y-01-01', arg_0)", Function::Truncate(DateUnit::Year)),
    ("strftime('%Y-%m-%d', arg_0)", Function::Truncate(DateUnit::Day)),
    ("date(arg_0, '-6 days', 'weekday 1')", Function::Truncate(DateUnit::Week)),
    ("date(arg_0, 'weekday 0', '-6 day')", Function::Truncate(DateUnit::Week)),
    ("strftime('%Y', arg_0) || '-' || strftime('%m', arg_0)", Function::Label(DateUnit::Month)),
    (
        "strftime('%Y', arg_0) || '-Q' || ((CAST(strftime('%m', arg_0) AS INTEGER) + 2) / 3)",
        Function::Label(DateUnit::Quarter),
    ),
    ("(strftime('%m', arg_0) + 2) / 3", Function::Extract(DatePart::Quarter)),
    ("(strftime('%m', arg_0) - 1) / 3 + 1", Function::Extract(DatePart::Quarter)),
    ("(CAST(strftime('%m', arg_0) AS INTEGER) - 1) / 3 + 1", Function::Extract(DatePart::Quarter)),
    ("julianday(arg_1) - julianday(arg_0)", Function::Elapsed(TimeUnit::Day)),
    ("(julianday(arg_1) - julianday(arg_0)) * 24", Function::Elapsed(TimeUnit::Hour)),
    ("(julianday(arg_1) - julianday(arg_0)) * 24.0", Function::Elapsed(TimeUnit::Hour)),
    ("(julianday(arg_1) - julianday(arg_0)) * 1440", Function::Elapsed(TimeUnit::Minute)),
    ("(julianday(arg_1) - julianday(arg_0)) * 1440.0", Function::Elapsed(TimeUnit::Minute)),
    ("(julianday(arg_1) - julianday(arg_0)) * 24 * 60", Function::Elapsed(TimeUnit::Minute)),
    ("(julianday(arg_1) - julianday(arg_0)) * 86400", Function::Elapsed(TimeUnit::Second)),
    ("(julianday(arg_1) - julianday(arg_0)) * 86400.0", Function::Elapsed(TimeUnit::Second)),
    ("unixepoch(arg_1) - unixepoch(arg_0)", Function::Elapsed(TimeUnit::Second)),
    ("(unixepoch(arg_1) - unixepoch(arg_0)) / 60.0", Function::Elapsed(TimeUnit::Minute)),
    ("(unixepoch(arg_1) - unixepoch(arg_0)) / 3600.0", Function::Elapsed(TimeUnit::Hour)),
    ("(unixepoch(arg_1) - unixepoch(arg_0)) / 86400.0", Function::Elapsed(TimeUnit::Day)),
    (
        "CAST(strftime('%Y', arg_1) AS INTEGER) - CAST(strftime('%Y', arg_0) AS INTEGER) - (strftime('%m-%d', arg_1) < strftime('%m-%d', arg_0))",
        Function::Elapsed(TimeUnit::Year),
    ),
    (
        "strftime('%Y', arg_1) - strftime('%Y', arg_0) - (strftime('%m%d', arg_1) < strftime('%m%d', arg_0))",
        Function::Elapsed(TimeUnit::Year),
    ),
];

/// The same in PostgreSQL.
const POSTGRES: &[(&str, Function)] = &[
    ("date_trunc('hour', arg_0)", Function::Truncate(DateUnit::Hour)),
    ("date_trunc('day', arg_0)", Function::Truncate(DateUnit::Day)),
    ("date_trunc('week', arg_0)", Function::Truncate(DateUnit::Week)),
    ("date_trunc('month', arg_0)", Function::Truncate(DateUnit::Month)),
    ("date_trunc('quarter', arg_0)", Function::Truncate(DateUnit::Quarter)),
    ("date_trunc('year', arg_0)", Function::Truncate(DateUnit::Year)),
    ("CAST(date_trunc('day', arg_0) AS date)", Function::Truncate(DateUnit::Day)),
    ("date(arg_0)", Function::Truncate(DateUnit::Day)),
    ("to_char(arg_0, 'YYYY-MM-DD')", Function::Truncate(DateUnit::Day)),
    ("to_char(arg_0, 'YYYY-\"Q\"Q')", Function::Label(DateUnit::Quarter)),
    ("date_part('year', arg_0)", Function::Extract(DatePart::Year)),
    ("date_part('quarter', arg_0)", Function::Extract(DatePart::Quarter)),
    ("date_part('month', arg_0)", Function::Extract(DatePart::Month)),
    ("date_part('week', arg_0)", Function::Extract(DatePart::Week)),
    ("date_part('day', arg_0)", Function::Extract(DatePart::Day)),
    ("date_part('doy', arg_0)", Function::Extract(DatePart::DayOfYear)),
    ("date_part('dow', arg_0)", Function::Extract(DatePart::Weekday)),
    ("date_part('hour', arg_0)", Function::Extract(DatePart::Hour)),
    ("date_part('minute', arg_0)", Function::Extract(DatePart::Minute)),
    ("EXTRACT(YEAR FROM age(arg_1, arg_0))", Function::Elapsed(TimeUnit::Year)),
    ("date_part('year', age(arg_1, arg_0))", Function::Elapsed(TimeUnit::Year)),
    ("to_date(CAST(arg_0 AS varchar), 'YYYYMMDD')", Function::FromDateKey),
];

/// The same in BigQuery.
const BIGQUERY: &[(&str, Function)] = &[
    ("date(arg_0)", Function::Truncate(DateUnit::Day)),
    ("timestamp_trunc(arg_0, HOUR)", Function::Truncate(DateUnit::Hour)),
    ("timestamp_trunc(arg_0, DAY)", Function::Truncate(DateUnit::Day)),
    ("timestamp_trunc(arg_0, ISOWEEK)", Function::Truncate(DateUnit::Week)),
    ("timestamp_trunc(arg_0, WEEK(MONDAY))", Function::Truncate(DateUnit::Week)),
    ("timestamp_trunc(arg_0, MONTH)", Function::Truncate(DateUnit::Month)),
    ("timestamp_trunc(arg_0, QUARTER)", Function::Truncate(DateUnit::Quarter)),
    ("timestamp_trunc(arg_0, YEAR)", Function::Truncate(DateUnit::Year)),
    ("date_trunc(arg_0, WEEK(MONDAY))", Function::Truncate(DateUnit::Week)),
    ("date_trunc(arg_0, ISOWEEK)", Function::Truncate(DateUnit::Week)),
    ("date_trunc(arg_0, MONTH)", Function::Truncate(DateUnit::Month)),
    ("date_trunc(arg_0, QUARTER)", Function::Truncate(DateUnit::Quarter)),
    ("date_trunc(arg_0, YEAR)", Function::Truncate(DateUnit::Year)),
    ("datetime_trunc(arg_0, HOUR)", Function::Truncate(DateUnit::Hour)),
    ("format_date('%Y-%m', arg_0)", Function::Label(DateUnit::Month)),
    ("format_timestamp('%Y-%m', arg_0)", Function::Label(DateUnit::Month)),
    ("format_datetime('%Y-%m', arg_0)", Function::Label(DateUnit::Month)),
    ("format_date('%Y', arg_0)", Function::Label(DateUnit::Year)),
    ("format_date('%A', arg_0)", Function::WeekdayName),
    ("format_timestamp('%A', arg_0)", Function::WeekdayName),
    ("format_date('%B', arg_0)", Function::MonthName),
    ("timestamp_seconds(arg_0)", Function::FromEpoch(EpochUnit::Second)),
    ("timestamp_millis(arg_0)", Function::FromEpoch(EpochUnit::Millisecond)),
    ("timestamp_diff(arg_1, arg_0, SECOND)", Function::Elapsed(TimeUnit::Second)),
    ("datetime_diff(arg_1, arg_0, SECOND)", Function::Elapsed(TimeUnit::Second)),
];

/// The same in MySQL.
const MYSQL: &[(&str, Function)] = &[
    ("EXTRACT(YEAR FROM arg_0)", Function::Extract(DatePart::Year)),
    ("EXTRACT(QUARTER FROM arg_0)", Function::Extract(DatePart::Quarter)),
    ("EXTRACT(MONTH FROM arg_0)", Function::Extract(DatePart::Month)),
    ("EXTRACT(DAY FROM arg_0)", Function::Extract(DatePart::Day)),
    ("EXTRACT(HOUR FROM arg_0)", Function::Extract(DatePart::Hour)),
    ("EXTRACT(MINUTE FROM arg_0)", Function::Extract(DatePart::Minute)),
    ("dayofmonth(arg_0)", Function::Extract(DatePart::Day)),
    ("weekofyear(arg_0)", Function::Extract(DatePart::Week)),
    ("dayofweek(arg_0) - 1", Function::Extract(DatePart::Weekday)),
    ("date(arg_0)", Function::Truncate(DateUnit::Day)),
    ("date_format(arg_0, '%Y-%m-%d')", Function::Truncate(DateUnit::Day)),
    ("date_format(arg_0, '%Y-%m-01')", Function::Truncate(DateUnit::Month)),
    ("date_format(arg_0, '%Y-01-01')", Function::Truncate(DateUnit::Year)),
    ("date_format(arg_0, '%Y-%m-%d %H:00:00')", Function::Truncate(DateUnit::Hour)),
    ("date_sub(date(arg_0), INTERVAL weekday(arg_0) DAY)", Function::Truncate(DateUnit::Week)),
    ("subdate(date(arg_0), weekday(arg_0))", Function::Truncate(DateUnit::Week)),
    ("concat(year(arg_0), '-Q', quarter(arg_0))", Function::Label(DateUnit::Quarter)),
    ("date_format(arg_0, '%W')", Function::WeekdayName),
    ("date_format(arg_0, '%M')", Function::MonthName),
    ("timestampdiff(MONTH, arg_0, arg_1)", Function::Elapsed(TimeUnit::Month)),
    ("timestampdiff(YEAR, arg_0, arg_1)", Function::Elapsed(TimeUnit::Year)),
    ("timestampdiff(SECOND, arg_0, arg_1) / 60", Function::Elapsed(TimeUnit::Minute)),
    ("timestampdiff(SECOND, arg_0, arg_1) / 3600", Function::Elapsed(TimeUnit::Hour)),
    ("timestampdiff(SECOND, arg_0, arg_1) / 86400", Function::Elapsed(TimeUnit::Day)),
];

/// The same in DuckDB.
const DUCKDB: &[(&str, Function)] = &[
    ("date_trunc('hour', arg_0)", Function::Truncate(DateUnit::Hour)),
    ("date_trunc('day', arg_0)", Function::Truncate(DateUnit::Day)),
    ("date_trunc('week', arg_0)", Function::Truncate(DateUnit::Week)),
    ("date_trunc('month', arg_0)", Function::Truncate(DateUnit::Month)),
    ("date_trunc('quarter', arg_0)", Function::Truncate(DateUnit::Quarter)),
    ("date_trunc('year', arg_0)", Function::Truncate(DateUnit::Year)),
    ("strftime(arg_0, '%Y-%m-%d')", Function::Truncate(DateUnit::Day)),
    ("strftime(arg_0, '%Y-%m')", Function::Label(DateUnit::Month)),
    ("strftime(arg_0, '%Y')", Function::Label(DateUnit::Year)),
    ("strftime(arg_0, '%A')", Function::WeekdayName),
    ("strftime(arg_0, '%B')", Function::MonthName),
    ("EXTRACT(YEAR FROM arg_0)", Function::Extract(DatePart::Year)),
    ("EXTRACT(QUARTER FROM arg_0)", Function::Extract(DatePart::Quarter)),
    ("EXTRACT(MONTH FROM arg_0)", Function::Extract(DatePart::Month)),
    ("EXTRACT(DAY FROM arg_0)", Function::Extract(DatePart::Day)),
    ("EXTRACT(HOUR FROM arg_0)", Function::Extract(DatePart::Hour)),
    ("EXTRACT(MINUTE FROM arg_0)", Function::Extract(DatePart::Minute)),
    ("date_part('year', arg_0)", Function::Extract(DatePart::Year)),
    ("date_part('quarter', arg_0)", Function::Extract(DatePart::Quarter)),
    ("date_part('month', arg_0)", Function::Extract(DatePart::Month)),
    ("date_part('day', arg_0)", Function::Extract(DatePart::Day)),
    ("date_part('hour', arg_0)", Function::Extract(DatePart::Hour)),
    ("dayofmonth(arg_0)", Function::Extract(DatePart::Day)),
    ("weekofyear(arg_0)", Function::Extract(DatePart::Week)),
    ("weekday(arg_0)", Function::Extract(DatePart::Weekday)),
    ("epoch_ms(arg_0)", Function::FromEpoch(EpochUnit::Millisecond)),
    ("datesub('year', arg_0, arg_1)", Function::Elapsed(TimeUnit::Year)),
    ("date_sub('year', arg_0, arg_1)", Function::Elapsed(TimeUnit::Year)),
    ("datesub('month', arg_0, arg_1)", Function::Elapsed(TimeUnit::Month)),
    ("date_sub('month', arg_0, arg_1)", Function::Elapsed(TimeUnit::Month)),
];

/// What is more than one function in the plan language, in PostgreSQL.
const POSTGRES_OTHERS: &[(&str, Meaning)] =
    &[("EXTRACT(DAY FROM (arg_1 - arg_0))", whole_days), ("date_part('day', arg_1 - arg_0)", whole_days)];

/// The same in BigQuery.
const BIGQUERY_OTHERS: &[(&str, Meaning)] = &[
    ("date_diff(arg_1, arg_0, DAY)", calendar_days),
    ("timestamp_diff(arg_1, arg_0, DAY)", whole_days),
    ("timestamp_diff(arg_1, arg_0, HOUR)", whole_hours),
    ("timestamp_diff(arg_1, arg_0, MINUTE)", whole_minutes),
];

/// The same in DuckDB.
const DUCKDB_OTHERS: &[(&str, Meaning)] = &[
    ("date_diff('day', arg_0, arg_1)", calendar_days),
    ("datediff('day', arg_0, arg_1)", calendar_days),
    ("date_sub('day', arg_0, arg_1)", whole_days),
    ("date_sub('hour', arg_0, arg_1)", whole_hours),
    ("date_sub('minute', arg_0, arg_1)", whole_minutes),
];

/// The same in MySQL.
const MYSQL_OTHERS: &[(&str, Meaning)] = &[
    ("datediff(arg_1, arg_0)", calendar_days),
    ("timestampdiff(DAY, arg_0, arg_1)", whole_days),
    ("timestampdiff(HOUR, arg_0, arg_1)", whole_hours),
    ("timestampdiff(MINUTE, arg_0, arg_1)", whole_minutes),
];

fn whole(unit: TimeUnit, arguments: Vec<Expr>) -> Expr {
    Expr::cast(CastType::Integer, Expr::function(Function::Elapsed(unit), arguments))
}

fn whole_days(arguments: Vec<Expr>) -> Expr {
    whole(TimeUnit::Day, arguments)
}

fn whole_hours(arguments: Vec<Expr>) -> Expr {
    whole(TimeUnit::Hour, arguments)
}

fn whole_minutes(arguments: Vec<Expr>) -> Expr {
    whole(TimeUnit::Minute, arguments)
}

fn calendar_days(arguments: Vec<Expr>) -> Expr {
    whole_days(arguments.into_iter().map(|date| Expr::truncate(DateUnit::Day, date)).collect())
}

/// What people write in a dialect.
type Lines = (&'static [(&'static str, Function)], &'static [(&'static str, Meaning)]);

pub(super) fn lines(dialect: Dialect) -> Lines {
    match dialect {
        Dialect::Sqlite => (SQLITE, &[]),
        Dialect::Postgres => (POSTGRES, POSTGRES_OTHERS),
        Dialect::BigQuery => (BIGQUERY, BIGQUERY_OTHERS),
        Dialect::MySql => (MYSQL, MYSQL_OTHERS),
        Dialect::DuckDb => (DUCKDB, DUCKDB_OTHERS),
    }
}
