//! Dates in BigQuery.

use super::{Dates, Named, is_of_days, singular};
use crate::plan::{DatePart, DateUnit, EpochUnit, Expr, TimeUnit};
use crate::sql::quote::push;
use crate::sql::render::{Renderer, Scope};
use crate::sql::spelling::Around;

pub(super) struct BigQuery;

impl Dates for BigQuery {
    fn part(&self, part: DatePart) -> Around {
        match part {
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
        }
    }

    fn truncate(&self, to: &mut Renderer, unit: DateUnit, date: &Expr, scope: Scope<'_>) {
        let after = match unit {
            DateUnit::Day => return to.day(date, scope),
            DateUnit::Hour => {
                to.push("datetime_trunc(");
                to.timestamp(date, scope);
                return to.push(", HOUR)");
            }
            DateUnit::Week => ", ISOWEEK)",
            DateUnit::Month => ", MONTH)",
            DateUnit::Quarter => ", QUARTER)",
            DateUnit::Year => ", YEAR)",
        };
        to.push("date_trunc(");
        to.day(date, scope);
        to.push(after);
    }

    fn label(&self, to: &mut Renderer, unit: DateUnit, date: &Expr, scope: Scope<'_>) {
        let format = match unit {
            DateUnit::Quarter => "%Y-Q%Q",
            DateUnit::Month => "%Y-%m",
            _ => "%Y",
        };
        format_date(to, format, date, scope);
    }

    fn name(&self, to: &mut Renderer, named: Named, date: &Expr, scope: Scope<'_>) {
        let format = match named {
            Named::Weekday => "%A",
            Named::Month => "%B",
        };
        format_date(to, format, date, scope);
    }

    fn seconds(&self, to: &mut Renderer, from: &Expr, until: &Expr, scope: Scope<'_>) {
        to.push("datetime_diff(");
        to.timestamp(until, scope);
        to.push(", ");
        to.timestamp(from, scope);
        to.push(", SECOND)");
    }

    fn whole_years(&self) -> [&'static str; 5] {
        [
            "(EXTRACT(YEAR FROM ",
            ") - EXTRACT(YEAR FROM ",
            ") - CASE WHEN format_datetime('%m-%d', ",
            ") < format_datetime('%m-%d', ",
            ") THEN 1 ELSE 0 END)",
        ]
    }

    fn whole_months(&self) -> [&'static str; 7] {
        [
            "((EXTRACT(YEAR FROM ",
            ") - EXTRACT(YEAR FROM ",
            ")) * 12 + EXTRACT(MONTH FROM ",
            ") - EXTRACT(MONTH FROM ",
            ") - CASE WHEN EXTRACT(DAY FROM ",
            ") < EXTRACT(DAY FROM ",
            ") THEN 1 ELSE 0 END)",
        ]
    }

    fn shift(&self, to: &mut Renderer, unit: TimeUnit, date: &Expr, by: &Expr, scope: Scope<'_>) {
        to.push(if is_of_days(unit) { "date_add(" } else { "datetime_add(" });
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
        match unit {
            EpochUnit::Second => ("datetime(timestamp_seconds(", "))"),
            EpochUnit::Millisecond => ("datetime(timestamp_seconds(div(", ", 1000)))"),
        }
    }

    fn date_key(&self, to: &mut Renderer, number: &Expr, scope: Scope<'_>) {
        to.around(("parse_date('%Y%m%d', CAST(", " AS STRING))"), number, scope);
    }
}

fn format_date(to: &mut Renderer, format: &str, date: &Expr, scope: Scope<'_>) {
    push(&mut to.out, format_args!("format_date('{format}', "));
    to.day(date, scope);
    to.push(")");
}
