//! Functions of dates as text.
//!
//! Every dialect has its own; what they give is the same: days as `2026-04-01`, weeks from Monday, weekdays from 0
//! (Sunday), ages by the birthday, and the last day of a month where a date is moved to a day that the month lacks.

use super::{Renderer, Scope};
use crate::plan::{CastType, DatePart, DateUnit, EpochUnit, Expr, Function, TimeUnit};
use crate::schema::Value;
use crate::sql::Dialect;
use crate::sql::quote::push;

/// A piece of a format: text as it is, or one of the arguments.
enum Piece<'a> {
    Text(&'a str),
    /// A date.
    Date(&'a Expr),
    /// Any other value.
    Value(&'a Expr),
}

use Piece::{Date, Text};

impl Renderer {
    pub(super) fn date_function(&mut self, function: Function, arguments: &[Expr], scope: Scope<'_>) {
        match (function, arguments) {
            (Function::Extract(part), [date]) => self.extract(part, date, scope),
            (Function::Truncate(unit), [date]) => self.truncate(unit, date, scope),
            (Function::Label(unit), [date]) => self.label(unit, date, scope),
            (Function::WeekdayName, [date]) => self.name_of("%w", "FMDay", "%A", &WEEKDAYS, date, scope),
            (Function::MonthName, [date]) => self.name_of("%m", "FMMonth", "%B", &MONTHS, date, scope),
            (Function::Elapsed(unit), [from, to]) => self.elapsed(unit, from, to, scope),
            (Function::Shift(unit), [date, by]) => self.shift(unit, date, by, scope),
            (Function::FromEpoch(unit), [number]) => self.epoch(unit, number, scope),
            (Function::FromDateKey, [number]) => self.date_key(number, scope),
            // No function has this many arguments; the database says so.
            (function, arguments) => {
                push(&mut self.out, format_args!("{}(", function.name().replace(' ', "_")));
                self.arguments(arguments, scope);
                self.push(")");
            }
        }
    }

    fn write(&mut self, pieces: &[Piece<'_>], scope: Scope<'_>) {
        for piece in pieces {
            match piece {
                Text(text) => self.push(text),
                Date(date) => self.date(date, scope),
                Piece::Value(value) => self.operand(value, scope),
            }
        }
    }

    /// A date as an argument of a date function.
    fn date(&mut self, date: &Expr, scope: Scope<'_>) {
        match (self.dialect, date) {
            // Dates are texts here, and its functions read them.
            (
                Dialect::Sqlite,
                Expr::Function { function: Function::Cast(CastType::Timestamp), arguments },
            ) => {
                self.arguments(arguments, scope);
            }
            (Dialect::Sqlite, _) => self.expr(date, scope),
            // A text alone is of no type yet.
            (_, Expr::Literal(Value::Text(_))) => {
                self.around(self.dialect.cast(CastType::Timestamp), date, scope)
            }
            _ => self.expr(date, scope),
        }
    }

    /// A date with its time of day, whatever its type was.
    fn timestamp(&mut self, date: &Expr, scope: Scope<'_>) {
        match date {
            Expr::Function { function: Function::FromEpoch(_), .. } => self.expr(date, scope),
            Expr::Function { function: Function::Cast(CastType::Timestamp), arguments } => {
                arguments.iter().for_each(|date| self.timestamp(date, scope));
            }
            _ => self.around(self.dialect.cast(CastType::Timestamp), date, scope),
        }
    }

    fn extract(&mut self, part: DatePart, date: &Expr, scope: Scope<'_>) {
        let (before, after) = extract(self.dialect, part);
        self.write(&[Text(before), Date(date), Text(after)], scope);
    }

    fn truncate(&mut self, unit: DateUnit, date: &Expr, scope: Scope<'_>) {
        match (self.dialect, unit) {
            (Dialect::Sqlite, DateUnit::Hour) => {
                self.write(&[Text("strftime('%Y-%m-%d %H:00:00', "), Date(date), Text(")")], scope);
            }
            (Dialect::Sqlite, DateUnit::Quarter) => {
                let start = "date(";
                let month = ", 'start of month', '-' || ((strftime('%m', ";
                self.write(
                    &[Text(start), Date(date), Text(month), Date(date), Text(") + 2) % 3) || ' months')")],
                    scope,
                );
            }
            (Dialect::Sqlite, _) => {
                let after = match unit {
                    DateUnit::Week => ", 'weekday 0', '-6 days')",
                    DateUnit::Month => ", 'start of month')",
                    DateUnit::Year => ", 'start of year')",
                    _ => ")",
                };
                self.write(&[Text("date("), Date(date), Text(after)], scope);
            }
            (_, DateUnit::Day) => self.day(date, scope),
            (Dialect::Postgres, DateUnit::Hour) => {
                self.push("date_trunc('hour', ");
                self.timestamp(date, scope);
                self.push(")");
            }
            (Dialect::Postgres, _) => {
                push(&mut self.out, format_args!("CAST(date_trunc('{}', ", unit.name()));
                self.write(&[Date(date), Text(") AS date)")], scope);
            }
            (Dialect::BigQuery, DateUnit::Hour) => {
                self.push("datetime_trunc(");
                self.timestamp(date, scope);
                self.push(", HOUR)");
            }
            (Dialect::BigQuery, _) => {
                let unit = match unit {
                    DateUnit::Week => ", ISOWEEK)",
                    DateUnit::Month => ", MONTH)",
                    DateUnit::Quarter => ", QUARTER)",
                    _ => ", YEAR)",
                };
                self.push("date_trunc(");
                self.day(date, scope);
                self.push(unit);
            }
        }
    }

    /// The day of a date.
    fn day(&mut self, date: &Expr, scope: Scope<'_>) {
        let type_name = if self.dialect == Dialect::BigQuery { " AS DATE)" } else { " AS date)" };
        self.push("CAST(");
        self.expr(date, scope);
        self.push(type_name);
    }

    fn label(&mut self, unit: DateUnit, date: &Expr, scope: Scope<'_>) {
        let (sqlite, postgres, bigquery) = match unit {
            DateUnit::Year => ("%Y", "YYYY", "%Y"),
            DateUnit::Month => ("%Y-%m", "YYYY-MM", "%Y-%m"),
            DateUnit::Quarter => ("", "YYYY-\"Q\"Q", "%Y-Q%Q"),
            _ => return self.truncate(unit, date, scope),
        };
        match self.dialect {
            Dialect::Sqlite if unit == DateUnit::Quarter => {
                let (year, month) = ("(strftime('%Y', ", ") || '-Q' || ((strftime('%m', ");
                self.write(&[Text(year), Date(date), Text(month), Date(date), Text(") + 2) / 3))")], scope);
            }
            Dialect::Sqlite => self.strftime(sqlite, date, scope),
            Dialect::Postgres => self.date_text(postgres, date, scope),
            Dialect::BigQuery => self.format_date(bigquery, date, scope),
        }
    }

    fn strftime(&mut self, format: &str, date: &Expr, scope: Scope<'_>) {
        push(&mut self.out, format_args!("strftime('{format}', "));
        self.write(&[Date(date), Text(")")], scope);
    }

    fn date_text(&mut self, format: &str, date: &Expr, scope: Scope<'_>) {
        self.push("to_char(");
        self.date(date, scope);
        push(&mut self.out, format_args!(", '{format}')"));
    }

    fn format_date(&mut self, format: &str, date: &Expr, scope: Scope<'_>) {
        push(&mut self.out, format_args!("format_date('{format}', "));
        self.day(date, scope);
        self.push(")");
    }

    fn name_of(
        &mut self,
        sqlite: &str,
        postgres: &str,
        bigquery: &str,
        names: &[(&str, &str)],
        date: &Expr,
        scope: Scope<'_>,
    ) {
        match self.dialect {
            Dialect::Sqlite => {
                self.push("CASE ");
                self.strftime(sqlite, date, scope);
                for (number, name) in names {
                    push(&mut self.out, format_args!(" WHEN '{number}' THEN '{name}'"));
                }
                self.push(" END");
            }
            Dialect::Postgres => self.date_text(postgres, date, scope),
            Dialect::BigQuery => self.format_date(bigquery, date, scope),
        }
    }

    fn elapsed(&mut self, unit: TimeUnit, from: &Expr, to: &Expr, scope: Scope<'_>) {
        let divisor = match unit {
            TimeUnit::Second => "",
            TimeUnit::Minute => " / 60.0",
            TimeUnit::Hour => " / 3600.0",
            TimeUnit::Day => " / 86400.0",
            TimeUnit::Month => return self.whole_months(from, to, scope),
            TimeUnit::Year => return self.whole_years(from, to, scope),
        };
        // Whole seconds, because a fraction of days is not exact, and `<= 1` would miss what lasts one day.
        self.push(if divisor.is_empty() { "" } else { "(" });
        match self.dialect {
            Dialect::Sqlite => {
                let (before, between) = ("(strftime('%s', ", ") - strftime('%s', ");
                self.write(&[Text(before), Date(to), Text(between), Date(from), Text("))")], scope);
            }
            Dialect::Postgres => {
                self.push("EXTRACT(EPOCH FROM (");
                self.timestamp(to, scope);
                self.push(" - ");
                self.timestamp(from, scope);
                self.push("))");
            }
            Dialect::BigQuery => {
                self.push("datetime_diff(");
                self.timestamp(to, scope);
                self.push(", ");
                self.timestamp(from, scope);
                self.push(", SECOND)");
            }
        }
        self.push(divisor);
        self.push(if divisor.is_empty() { "" } else { ")" });
    }

    fn whole_years(&mut self, from: &Expr, to: &Expr, scope: Scope<'_>) {
        let pieces = match self.dialect {
            Dialect::Sqlite => [
                "(strftime('%Y', ",
                ") - strftime('%Y', ",
                ") - (strftime('%m-%d', ",
                ") < strftime('%m-%d', ",
                ")))",
            ],
            Dialect::Postgres => [
                "CAST(EXTRACT(YEAR FROM ",
                ") - EXTRACT(YEAR FROM ",
                ") - CASE WHEN to_char(",
                ", 'MM-DD') < to_char(",
                ", 'MM-DD') THEN 1 ELSE 0 END AS integer)",
            ],
            Dialect::BigQuery => [
                "(EXTRACT(YEAR FROM ",
                ") - EXTRACT(YEAR FROM ",
                ") - CASE WHEN format_datetime('%m-%d', ",
                ") < format_datetime('%m-%d', ",
                ") THEN 1 ELSE 0 END)",
            ],
        };
        let [a, b, c, d, e] = pieces;
        if self.dialect == Dialect::BigQuery {
            for (text, date) in [(a, to), (b, from), (c, to), (d, from)] {
                self.push(text);
                self.timestamp(date, scope);
            }
            return self.push(e);
        }
        self.write(
            &[Text(a), Date(to), Text(b), Date(from), Text(c), Date(to), Text(d), Date(from), Text(e)],
            scope,
        );
    }

    fn whole_months(&mut self, from: &Expr, to: &Expr, scope: Scope<'_>) {
        let [a, b, c, d, e, f, g] = match self.dialect {
            Dialect::Sqlite => [
                "((strftime('%Y', ",
                ") - strftime('%Y', ",
                ")) * 12 + strftime('%m', ",
                ") - strftime('%m', ",
                ") - (strftime('%d', ",
                ") < strftime('%d', ",
                ")))",
            ],
            Dialect::Postgres => [
                "CAST((EXTRACT(YEAR FROM ",
                ") - EXTRACT(YEAR FROM ",
                ")) * 12 + EXTRACT(MONTH FROM ",
                ") - EXTRACT(MONTH FROM ",
                ") - CASE WHEN EXTRACT(DAY FROM ",
                ") < EXTRACT(DAY FROM ",
                ") THEN 1 ELSE 0 END AS integer)",
            ],
            Dialect::BigQuery => [
                "((EXTRACT(YEAR FROM ",
                ") - EXTRACT(YEAR FROM ",
                ")) * 12 + EXTRACT(MONTH FROM ",
                ") - EXTRACT(MONTH FROM ",
                ") - CASE WHEN EXTRACT(DAY FROM ",
                ") < EXTRACT(DAY FROM ",
                ") THEN 1 ELSE 0 END)",
            ],
        };
        for (text, date) in [(a, to), (b, from), (c, to), (d, from), (e, to), (f, from)] {
            self.write(&[Text(text), Date(date)], scope);
        }
        self.push(g);
    }

    fn shift(&mut self, unit: TimeUnit, date: &Expr, by: &Expr, scope: Scope<'_>) {
        match self.dialect {
            Dialect::Sqlite => self.shift_text(unit, date, by, scope),
            Dialect::Postgres => {
                let is_day = matches!(unit, TimeUnit::Day | TimeUnit::Month | TimeUnit::Year);
                self.push(if is_day { "CAST(" } else { "(" });
                self.timestamp(date, scope);
                self.push(" + ");
                self.operand(by, scope);
                push(&mut self.out, format_args!(" * interval '1 {}'", singular(unit)));
                self.push(if is_day { " AS date)" } else { ")" });
            }
            Dialect::BigQuery => {
                let is_day = matches!(unit, TimeUnit::Day | TimeUnit::Month | TimeUnit::Year);
                self.push(if is_day { "date_add(" } else { "datetime_add(" });
                if is_day {
                    self.day(date, scope);
                } else {
                    self.timestamp(date, scope);
                }
                self.push(", INTERVAL ");
                self.operand(by, scope);
                push(&mut self.out, format_args!(" {})", singular(unit).to_uppercase()));
            }
        }
    }

    fn shift_text(&mut self, unit: TimeUnit, date: &Expr, by: &Expr, scope: Scope<'_>) {
        if !matches!(unit, TimeUnit::Month | TimeUnit::Year) {
            let name = if unit == TimeUnit::Day { "date(" } else { "datetime(" };
            self.write(&[Text(name), Date(date), Text(", ")], scope);
            self.modifier(by, 1, 0, unit.plural(), scope);
            return self.push(")");
        }
        // A day that the month lacks runs over into the next here; the last day of the month is the earlier one.
        let months = if unit == TimeUnit::Year { 12 } else { 1 };
        self.write(&[Text("min(date("), Date(date), Text(", ")], scope);
        self.modifier(by, months, 0, "months", scope);
        self.write(&[Text("), date("), Date(date), Text(", 'start of month', ")], scope);
        self.modifier(by, months, 1, "months", scope);
        self.push(", '-1 days'))");
    }

    /// A text such as `'+3 days'`: so many times the number, and some more.
    fn modifier(&mut self, by: &Expr, times: i64, more: i64, unit: &str, scope: Scope<'_>) {
        if let Expr::Literal(Value::Integer(number)) = by {
            let number = number.saturating_mul(times).saturating_add(more);
            return push(&mut self.out, format_args!("'{number:+} {unit}'"));
        }
        self.push("(");
        self.operand(by, scope);
        if times != 1 {
            push(&mut self.out, format_args!(" * {times}"));
        }
        if more != 0 {
            push(&mut self.out, format_args!(" + {more}"));
        }
        push(&mut self.out, format_args!(") || ' {unit}'"));
    }

    fn epoch(&mut self, unit: EpochUnit, number: &Expr, scope: Scope<'_>) {
        let (before, after) = match (self.dialect, unit) {
            (Dialect::Sqlite, EpochUnit::Second) => ("datetime(", ", 'unixepoch')"),
            (Dialect::Sqlite, EpochUnit::Millisecond) => ("datetime(", " / 1000, 'unixepoch')"),
            (Dialect::Postgres, EpochUnit::Second) => ("(to_timestamp(", ") AT TIME ZONE 'UTC')"),
            (Dialect::Postgres, EpochUnit::Millisecond) => {
                ("(to_timestamp(trunc(", " / 1000.0)) AT TIME ZONE 'UTC')")
            }
            (Dialect::BigQuery, EpochUnit::Second) => ("datetime(timestamp_seconds(", "))"),
            (Dialect::BigQuery, EpochUnit::Millisecond) => ("datetime(timestamp_seconds(div(", ", 1000)))"),
        };
        self.write(&[Text(before), Piece::Value(number), Text(after)], scope);
    }

    fn date_key(&mut self, number: &Expr, scope: Scope<'_>) {
        match self.dialect {
            Dialect::Sqlite => {
                for (text, part) in [
                    ("date(substr(", ", 1, 4) || '-'"),
                    (" || substr(", ", 5, 2) || '-'"),
                    (" || substr(", ", 7, 2))"),
                ] {
                    self.push(text);
                    self.expr(number, scope);
                    self.push(part);
                }
            }
            Dialect::Postgres => self.around(("to_date(CAST(", " AS text), 'YYYYMMDD')"), number, scope),
            Dialect::BigQuery => self.around(("parse_date('%Y%m%d', CAST(", " AS STRING))"), number, scope),
        }
    }
}

fn singular(unit: TimeUnit) -> &'static str {
    unit.plural().trim_end_matches('s')
}

/// What SQLite counts the days of the week by, and what they are called.
pub(in crate::sql) const WEEKDAYS: [(&str, &str); 7] = [
    ("0", "Sunday"),
    ("1", "Monday"),
    ("2", "Tuesday"),
    ("3", "Wednesday"),
    ("4", "Thursday"),
    ("5", "Friday"),
    ("6", "Saturday"),
];

/// The same for months.
pub(in crate::sql) const MONTHS: [(&str, &str); 12] = [
    ("01", "January"),
    ("02", "February"),
    ("03", "March"),
    ("04", "April"),
    ("05", "May"),
    ("06", "June"),
    ("07", "July"),
    ("08", "August"),
    ("09", "September"),
    ("10", "October"),
    ("11", "November"),
    ("12", "December"),
];

/// What stands around a date to get a part of it as a whole number.
fn extract(dialect: Dialect, part: DatePart) -> (&'static str, &'static str) {
    match dialect {
        Dialect::Sqlite => match part {
            DatePart::Year => ("CAST(strftime('%Y', ", ") AS INTEGER)"),
            // Whole numbers divide to whole numbers here, which is what a quarter needs.
            DatePart::Quarter => ("((CAST(strftime('%m', ", ") AS INTEGER) + 2) / 3)"),
            DatePart::Month => ("CAST(strftime('%m', ", ") AS INTEGER)"),
            // The Thursday of a week lies in the year that the week is counted in.
            DatePart::Week => ("((strftime('%j', ", ", '-3 days', 'weekday 4') - 1) / 7 + 1)"),
            DatePart::Day => ("CAST(strftime('%d', ", ") AS INTEGER)"),
            DatePart::DayOfYear => ("CAST(strftime('%j', ", ") AS INTEGER)"),
            DatePart::Weekday => ("CAST(strftime('%w', ", ") AS INTEGER)"),
            DatePart::Hour => ("CAST(strftime('%H', ", ") AS INTEGER)"),
            DatePart::Minute => ("CAST(strftime('%M', ", ") AS INTEGER)"),
        },
        Dialect::Postgres => match part {
            DatePart::Year => ("CAST(EXTRACT(YEAR FROM ", ") AS integer)"),
            DatePart::Quarter => ("CAST(EXTRACT(QUARTER FROM ", ") AS integer)"),
            DatePart::Month => ("CAST(EXTRACT(MONTH FROM ", ") AS integer)"),
            DatePart::Week => ("CAST(EXTRACT(WEEK FROM ", ") AS integer)"),
            DatePart::Day => ("CAST(EXTRACT(DAY FROM ", ") AS integer)"),
            DatePart::DayOfYear => ("CAST(EXTRACT(DOY FROM ", ") AS integer)"),
            DatePart::Weekday => ("CAST(EXTRACT(DOW FROM ", ") AS integer)"),
            DatePart::Hour => ("CAST(EXTRACT(HOUR FROM ", ") AS integer)"),
            DatePart::Minute => ("CAST(EXTRACT(MINUTE FROM ", ") AS integer)"),
        },
        Dialect::BigQuery => match part {
            DatePart::Year => ("EXTRACT(YEAR FROM ", ")"),
            DatePart::Quarter => ("EXTRACT(QUARTER FROM ", ")"),
            DatePart::Month => ("EXTRACT(MONTH FROM ", ")"),
            DatePart::Week => ("EXTRACT(ISOWEEK FROM ", ")"),
            DatePart::Day => ("EXTRACT(DAY FROM ", ")"),
            DatePart::DayOfYear => ("EXTRACT(DAYOFYEAR FROM ", ")"),
            // BigQuery counts from 1, Sunday.
            DatePart::Weekday => ("(EXTRACT(DAYOFWEEK FROM ", ") - 1)"),
            DatePart::Hour => ("EXTRACT(HOUR FROM ", ")"),
            DatePart::Minute => ("EXTRACT(MINUTE FROM ", ")"),
        },
    }
}
