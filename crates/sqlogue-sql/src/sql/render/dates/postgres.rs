//! Dates in PostgreSQL.

use super::{Dates, Named, is_of_days, singular};
use crate::plan::{DatePart, DateUnit, EpochUnit, Expr, TimeUnit};
use crate::sql::quote::push;
use crate::sql::render::{Renderer, Scope};
use crate::sql::spelling::Around;

pub(super) struct Postgres;

impl Dates for Postgres {
    fn part(&self, part: DatePart) -> Around {
        match part {
            DatePart::Year => ("CAST(EXTRACT(YEAR FROM ", ") AS integer)"),
            DatePart::Quarter => ("CAST(EXTRACT(QUARTER FROM ", ") AS integer)"),
            DatePart::Month => ("CAST(EXTRACT(MONTH FROM ", ") AS integer)"),
            DatePart::Week => ("CAST(EXTRACT(WEEK FROM ", ") AS integer)"),
            DatePart::Day => ("CAST(EXTRACT(DAY FROM ", ") AS integer)"),
            DatePart::DayOfYear => ("CAST(EXTRACT(DOY FROM ", ") AS integer)"),
            DatePart::Weekday => ("CAST(EXTRACT(DOW FROM ", ") AS integer)"),
            DatePart::Hour => ("CAST(EXTRACT(HOUR FROM ", ") AS integer)"),
            DatePart::Minute => ("CAST(EXTRACT(MINUTE FROM ", ") AS integer)"),
        }
    }

    fn label(&self, to: &mut Renderer, unit: DateUnit, date: &Expr, scope: Scope<'_>) {
        let format = match unit {
            DateUnit::Quarter => "YYYY-\"Q\"Q",
            DateUnit::Month => "YYYY-MM",
            _ => "YYYY",
        };
        to_char(to, format, date, scope);
    }

    fn name(&self, to: &mut Renderer, named: Named, date: &Expr, scope: Scope<'_>) {
        let format = match named {
            Named::Weekday => "FMDay",
            Named::Month => "FMMonth",
        };
        to_char(to, format, date, scope);
    }

    fn whole_years(&self) -> [&'static str; 5] {
        [
            "CAST(EXTRACT(YEAR FROM ",
            ") - EXTRACT(YEAR FROM ",
            ") - CASE WHEN to_char(",
            ", 'MM-DD') < to_char(",
            ", 'MM-DD') THEN 1 ELSE 0 END AS integer)",
        ]
    }

    fn whole_months(&self) -> [&'static str; 7] {
        [
            "CAST((EXTRACT(YEAR FROM ",
            ") - EXTRACT(YEAR FROM ",
            ")) * 12 + EXTRACT(MONTH FROM ",
            ") - EXTRACT(MONTH FROM ",
            ") - CASE WHEN EXTRACT(DAY FROM ",
            ") < EXTRACT(DAY FROM ",
            ") THEN 1 ELSE 0 END AS integer)",
        ]
    }

    fn shift(&self, to: &mut Renderer, unit: TimeUnit, date: &Expr, by: &Expr, scope: Scope<'_>) {
        to.push(if is_of_days(unit) { "CAST(" } else { "(" });
        to.timestamp(date, scope);
        to.push(" + ");
        to.operand(by, scope);
        push(&mut to.out, format_args!(" * interval '1 {}'", singular(unit)));
        to.push(if is_of_days(unit) { " AS date)" } else { ")" });
    }

    fn epoch(&self, unit: EpochUnit) -> Around {
        match unit {
            EpochUnit::Second => ("(to_timestamp(", ") AT TIME ZONE 'UTC')"),
            EpochUnit::Millisecond => ("(to_timestamp(trunc(", " / 1000.0)) AT TIME ZONE 'UTC')"),
        }
    }

    fn date_key(&self, to: &mut Renderer, number: &Expr, scope: Scope<'_>) {
        to.around(("to_date(CAST(", " AS text), 'YYYYMMDD')"), number, scope);
    }
}

fn to_char(to: &mut Renderer, format: &str, date: &Expr, scope: Scope<'_>) {
    to.push("to_char(");
    to.date(date, scope);
    push(&mut to.out, format_args!(", '{format}')"));
}
