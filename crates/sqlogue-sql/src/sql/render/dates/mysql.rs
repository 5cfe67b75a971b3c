//! Dates in MySQL and MariaDB.

use super::Piece::{Date, Text};
use super::{Dates, Named, is_of_days, singular};
use crate::plan::{DatePart, DateUnit, EpochUnit, Expr, TimeUnit};
use crate::sql::quote::push;
use crate::sql::render::{Renderer, Scope};
use crate::sql::spelling::Around;

pub(super) struct MySql;

impl Dates for MySql {
    fn part(&self, part: DatePart) -> Around {
        match part {
            DatePart::Year => ("year(", ")"),
            DatePart::Quarter => ("quarter(", ")"),
            DatePart::Month => ("month(", ")"),
            // Weeks from Monday, the first of a year being the one with its first Thursday.
            DatePart::Week => ("week(", ", 3)"),
            DatePart::Day => ("day(", ")"),
            DatePart::DayOfYear => ("dayofyear(", ")"),
            // MySQL counts from 1, Sunday.
            DatePart::Weekday => ("(dayofweek(", ") - 1)"),
            DatePart::Hour => ("hour(", ")"),
            DatePart::Minute => ("minute(", ")"),
        }
    }

    fn truncate(&self, to: &mut Renderer, unit: DateUnit, date: &Expr, scope: Scope<'_>) {
        match unit {
            DateUnit::Day => to.day(date, scope),
            DateUnit::Hour => {
                let after = ", '%Y-%m-%d %H:00:00') AS DATETIME)";
                to.write(&[Text("CAST(date_format("), Date(date), Text(after)], scope);
            }
            DateUnit::Week => {
                to.push("subdate(");
                to.day(date, scope);
                to.write(&[Text(", weekday("), Date(date), Text("))")], scope);
            }
            DateUnit::Month => {
                let after = ", '%Y-%m-01') AS date)";
                to.write(&[Text("CAST(date_format("), Date(date), Text(after)], scope);
            }
            DateUnit::Quarter => {
                let between = "), 1), INTERVAL quarter(";
                let after = ") - 1 QUARTER)";
                let pieces =
                    [Text("date_add(makedate(year("), Date(date), Text(between), Date(date), Text(after)];
                to.write(&pieces, scope);
            }
            DateUnit::Year => to.write(&[Text("makedate(year("), Date(date), Text("), 1)")], scope),
        }
    }

    fn label(&self, to: &mut Renderer, unit: DateUnit, date: &Expr, scope: Scope<'_>) {
        match unit {
            DateUnit::Quarter => {
                let between = "), '-Q', quarter(";
                to.write(&[Text("concat(year("), Date(date), Text(between), Date(date), Text("))")], scope);
            }
            DateUnit::Month => to.write(&[Text("date_format("), Date(date), Text(", '%Y-%m')")], scope),
            _ => to.write(&[Text("date_format("), Date(date), Text(", '%Y')")], scope),
        }
    }

    fn name(&self, to: &mut Renderer, named: Named, date: &Expr, scope: Scope<'_>) {
        let before = match named {
            Named::Weekday => "dayname(",
            Named::Month => "monthname(",
        };
        to.write(&[Text(before), Date(date), Text(")")], scope);
    }

    fn seconds(&self, to: &mut Renderer, from: &Expr, until: &Expr, scope: Scope<'_>) {
        to.write(&[Text("timestampdiff(SECOND, "), Date(from), Text(", "), Date(until), Text(")")], scope);
    }

    fn whole_years(&self) -> [&'static str; 5] {
        // `timestampdiff` counts by the time of day, too.
        ["(year(", ") - year(", ") - (date_format(", ", '%m-%d') < date_format(", ", '%m-%d')))"]
    }

    fn whole_months(&self) -> [&'static str; 7] {
        ["((year(", ") - year(", ")) * 12 + month(", ") - month(", ") - (day(", ") < day(", ")))"]
    }

    fn shift(&self, to: &mut Renderer, unit: TimeUnit, date: &Expr, by: &Expr, scope: Scope<'_>) {
        to.push("date_add(");
        if is_of_days(unit) {
            to.day(date, scope);
        } else {
            to.timestamp(date, scope);
        }
        to.push(", INTERVAL ");
        to.operand(by, scope);
        push(&mut to.out, format_args!(" {})", singular(unit).to_uppercase()));
    }

    fn epoch(&self, unit: EpochUnit) -> Around {
        // `from_unixtime` gives the time in the session's zone, and none before 1970.
        match unit {
            EpochUnit::Second => ("date_add(CAST('1970-01-01' AS DATETIME), INTERVAL ", " SECOND)"),
            EpochUnit::Millisecond => {
                ("date_add(CAST('1970-01-01' AS DATETIME), INTERVAL ", " DIV 1000 SECOND)")
            }
        }
    }

    fn date_key(&self, to: &mut Renderer, number: &Expr, scope: Scope<'_>) {
        to.around(("str_to_date(", ", '%Y%m%d')"), number, scope);
    }
}
