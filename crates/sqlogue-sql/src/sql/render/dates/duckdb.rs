//! Dates in DuckDB.

use super::Piece::{Date, Text};
use super::{Dates, Named, is_of_days, singular};
use crate::plan::{DatePart, DateUnit, EpochUnit, Expr, TimeUnit};
use crate::sql::quote::push;
use crate::sql::render::{Renderer, Scope};
use crate::sql::spelling::Around;

pub(super) struct DuckDb;

impl Dates for DuckDb {
    fn part(&self, part: DatePart) -> Around {
        match part {
            DatePart::Year => ("year(", ")"),
            DatePart::Quarter => ("quarter(", ")"),
            DatePart::Month => ("month(", ")"),
            DatePart::Week => ("week(", ")"),
            DatePart::Day => ("day(", ")"),
            DatePart::DayOfYear => ("dayofyear(", ")"),
            DatePart::Weekday => ("dayofweek(", ")"),
            DatePart::Hour => ("hour(", ")"),
            DatePart::Minute => ("minute(", ")"),
        }
    }

    fn label(&self, to: &mut Renderer, unit: DateUnit, date: &Expr, scope: Scope<'_>) {
        match unit {
            DateUnit::Quarter => {
                let (before, between) = ("(strftime(", ", '%Y') || '-Q' || quarter(");
                to.write(&[Text(before), Date(date), Text(between), Date(date), Text("))")], scope);
            }
            DateUnit::Month => to.write(&[Text("strftime("), Date(date), Text(", '%Y-%m')")], scope),
            _ => to.write(&[Text("strftime("), Date(date), Text(", '%Y')")], scope),
        }
    }

    fn name(&self, to: &mut Renderer, named: Named, date: &Expr, scope: Scope<'_>) {
        let before = match named {
            Named::Weekday => "dayname(",
            Named::Month => "monthname(",
        };
        to.write(&[Text(before), Date(date), Text(")")], scope);
    }

    fn whole_years(&self) -> [&'static str; 5] {
        [
            "(year(",
            ") - year(",
            ") - CASE WHEN strftime(",
            ", '%m-%d') < strftime(",
            ", '%m-%d') THEN 1 ELSE 0 END)",
        ]
    }

    fn whole_months(&self) -> [&'static str; 7] {
        [
            "((year(",
            ") - year(",
            ")) * 12 + month(",
            ") - month(",
            ") - CASE WHEN day(",
            ") < day(",
            ") THEN 1 ELSE 0 END)",
        ]
    }

    fn shift(&self, to: &mut Renderer, unit: TimeUnit, date: &Expr, by: &Expr, scope: Scope<'_>) {
        to.push(if is_of_days(unit) { "CAST(" } else { "(" });
        to.timestamp(date, scope);
        to.push(" + ");
        to.operand(by, scope);
        push(&mut to.out, format_args!(" * INTERVAL '1 {}'", singular(unit)));
        to.push(if is_of_days(unit) { " AS date)" } else { ")" });
    }

    fn epoch(&self, unit: EpochUnit) -> Around {
        // Of type TIMESTAMP, where `to_timestamp` gives a time with a zone.
        match unit {
            EpochUnit::Second => ("epoch_ms(CAST(", " AS bigint) * 1000)"),
            EpochUnit::Millisecond => ("date_trunc('second', epoch_ms(CAST(", " AS bigint)))"),
        }
    }

    fn date_key(&self, to: &mut Renderer, number: &Expr, scope: Scope<'_>) {
        to.around(("CAST(strptime(CAST(", " AS varchar), '%Y%m%d') AS date)"), number, scope);
    }
}
