//! Functions of dates as text.
//!
//! Every dialect has its own words ([`Dates`], one file each); what they give is the same: days as `2026-04-01`, weeks from
//! Monday, weekdays from 0 (Sunday), ages by the birthday, and the last day of a month where a date is moved to a day that
//! the month lacks.

mod bigquery;
mod duckdb;
mod mysql;
mod postgres;
mod sqlite;

use super::{Renderer, Scope};
use crate::plan::{CastType, DatePart, DateUnit, EpochUnit, Expr, Function, TimeUnit};
use crate::schema::Value;
use crate::sql::Dialect;
use crate::sql::quote::push;
use crate::sql::spelling::Around;

/// How a dialect writes what is made of dates. What several write alike is written here.
trait Dates {
    /// What stands around a date to get a part of it as a whole number.
    fn part(&self, part: DatePart) -> Around;

    /// The beginning of the period that a date lies in.
    fn truncate(&self, to: &mut Renderer, unit: DateUnit, date: &Expr, scope: Scope<'_>) {
        match unit {
            DateUnit::Day => to.day(date, scope),
            DateUnit::Hour => {
                to.push("date_trunc('hour', ");
                to.timestamp(date, scope);
                to.push(")");
            }
            _ => {
                push(&mut to.out, format_args!("CAST(date_trunc('{}', ", unit.name()));
                to.write(&[Date(date), Text(") AS date)")], scope);
            }
        }
    }

    /// A year, quarter or month as a text that people would write.
    fn label(&self, to: &mut Renderer, unit: DateUnit, date: &Expr, scope: Scope<'_>);

    /// What a date's weekday or month is called in English.
    fn name(&self, to: &mut Renderer, named: Named, date: &Expr, scope: Scope<'_>);

    /// The whole seconds from one time to another.
    fn seconds(&self, to: &mut Renderer, from: &Expr, until: &Expr, scope: Scope<'_>) {
        to.push("EXTRACT(EPOCH FROM (");
        to.timestamp(until, scope);
        to.push(" - ");
        to.timestamp(from, scope);
        to.push("))");
    }

    /// The texts between `until`, `from`, `until`, `from` in a formula for whole years.
    fn whole_years(&self) -> [&'static str; 5];

    /// The texts between `until`, `from`, `until`, `from`, `until`, `from` in a formula for whole months.
    fn whole_months(&self) -> [&'static str; 7];

    /// A date moved by so many units.
    fn shift(&self, to: &mut Renderer, unit: TimeUnit, date: &Expr, by: &Expr, scope: Scope<'_>);

    /// What stands around a number of units since the beginning of 1970 to make a time of it.
    fn epoch(&self, unit: EpochUnit) -> Around;

    /// The day that a number such as 20260401 spells.
    fn date_key(&self, to: &mut Renderer, number: &Expr, scope: Scope<'_>);
}

/// What has a name in a date.
#[derive(Clone, Copy)]
enum Named {
    Weekday,
    Month,
}

/// A piece of a format: text as it is, or one of the arguments.
enum Piece<'a> {
    Text(&'a str),
    /// A date.
    Date(&'a Expr),
    /// Any other value.
    Value(&'a Expr),
}

use Piece::{Date, Text};

fn words(dialect: Dialect) -> &'static dyn Dates {
    match dialect {
        Dialect::Sqlite => &sqlite::Sqlite,
        Dialect::Postgres => &postgres::Postgres,
        Dialect::BigQuery => &bigquery::BigQuery,
        Dialect::MySql => &mysql::MySql,
        Dialect::DuckDb => &duckdb::DuckDb,
    }
}

impl Renderer {
    pub(super) fn date_function(&mut self, function: Function, arguments: &[Expr], scope: Scope<'_>) {
        let words = words(self.dialect);
        match (function, arguments) {
            (Function::Extract(part), [date]) => {
                let (before, after) = words.part(part);
                self.write(&[Text(before), Date(date), Text(after)], scope);
            }
            (Function::Label(unit @ (DateUnit::Year | DateUnit::Quarter | DateUnit::Month)), [date]) => {
                words.label(self, unit, date, scope);
            }
            (Function::Truncate(unit) | Function::Label(unit), [date]) => {
                words.truncate(self, unit, date, scope);
            }
            (Function::WeekdayName, [date]) => words.name(self, Named::Weekday, date, scope),
            (Function::MonthName, [date]) => words.name(self, Named::Month, date, scope),
            (Function::Elapsed(unit), [from, until]) => self.elapsed(unit, from, until, scope),
            (Function::Shift(unit), [date, by]) => words.shift(self, unit, date, by, scope),
            (Function::FromEpoch(unit), [number]) => {
                let (before, after) = words.epoch(unit);
                self.write(&[Text(before), Piece::Value(number), Text(after)], scope);
            }
            (Function::FromDateKey, [number]) => words.date_key(self, number, scope),
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
            (Dialect::Sqlite | Dialect::MySql, _) => self.expr(date, scope),
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
            // MySQL writes these as a time that is moved, and what is moved once more is told by its type.
            Expr::Function { function: Function::FromEpoch(_), .. } if self.dialect != Dialect::MySql => {
                self.expr(date, scope);
            }
            Expr::Function { function: Function::Cast(CastType::Timestamp), arguments } => {
                arguments.iter().for_each(|date| self.timestamp(date, scope));
            }
            _ => self.around(self.dialect.cast(CastType::Timestamp), date, scope),
        }
    }

    /// The day of a date.
    fn day(&mut self, date: &Expr, scope: Scope<'_>) {
        let type_name = if self.dialect == Dialect::BigQuery { " AS DATE)" } else { " AS date)" };
        self.push("CAST(");
        self.expr(date, scope);
        self.push(type_name);
    }

    fn elapsed(&mut self, unit: TimeUnit, from: &Expr, until: &Expr, scope: Scope<'_>) {
        let words = words(self.dialect);
        let divisor = match unit {
            TimeUnit::Second => "",
            TimeUnit::Minute => " / 60.0",
            TimeUnit::Hour => " / 3600.0",
            TimeUnit::Day => " / 86400.0",
            TimeUnit::Month => return self.between(&words.whole_months(), false, from, until, scope),
            // What BigQuery formats must have a time of day, whatever it was before.
            TimeUnit::Year => {
                let timed = self.dialect == Dialect::BigQuery;
                return self.between(&words.whole_years(), timed, from, until, scope);
            }
        };
        // Whole seconds, because a fraction of days is not exact, and `<= 1` would miss what lasts one day.
        self.push(if divisor.is_empty() { "" } else { "(" });
        words.seconds(self, from, until, scope);
        self.push(divisor);
        self.push(if divisor.is_empty() { "" } else { ")" });
    }

    /// Two dates in turns between texts, the later one first.
    fn between(&mut self, texts: &[&str], timed: bool, from: &Expr, until: &Expr, scope: Scope<'_>) {
        for (at, text) in texts.iter().enumerate() {
            if at > 0 {
                let date = if at % 2 == 1 { until } else { from };
                if timed {
                    self.timestamp(date, scope);
                } else {
                    self.date(date, scope);
                }
            }
            self.push(text);
        }
    }
}

fn singular(unit: TimeUnit) -> &'static str {
    unit.plural().trim_end_matches('s')
}

/// True for units that move a day to a day.
fn is_of_days(unit: TimeUnit) -> bool {
    matches!(unit, TimeUnit::Day | TimeUnit::Month | TimeUnit::Year)
}
