//! Dates in SQLite, where they are texts.

use super::Piece::{Date, Text};
use super::{Dates, Named};
use crate::plan::{DatePart, DateUnit, EpochUnit, Expr, TimeUnit};
use crate::schema::Value;
use crate::sql::quote::push;
use crate::sql::render::{Renderer, Scope};
use crate::sql::spelling::Around;
use sqlogue_base::calendar::{MONTHS, WEEKDAYS};

pub(super) struct Sqlite;

impl Dates for Sqlite {
    fn part(&self, part: DatePart) -> Around {
        match part {
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
        }
    }

    fn truncate(&self, to: &mut Renderer, unit: DateUnit, date: &Expr, scope: Scope<'_>) {
        let after = match unit {
            DateUnit::Hour => return strftime(to, "%Y-%m-%d %H:00:00", date, scope),
            DateUnit::Quarter => {
                let month = ", 'start of month', '-' || ((strftime('%m', ";
                let after = ") + 2) % 3) || ' months')";
                return to.write(&[Text("date("), Date(date), Text(month), Date(date), Text(after)], scope);
            }
            DateUnit::Week => ", 'weekday 0', '-6 days')",
            DateUnit::Month => ", 'start of month')",
            DateUnit::Year => ", 'start of year')",
            DateUnit::Day => ")",
        };
        to.write(&[Text("date("), Date(date), Text(after)], scope);
    }

    fn label(&self, to: &mut Renderer, unit: DateUnit, date: &Expr, scope: Scope<'_>) {
        match unit {
            DateUnit::Quarter => {
                let (year, month) = ("(strftime('%Y', ", ") || '-Q' || ((strftime('%m', ");
                to.write(&[Text(year), Date(date), Text(month), Date(date), Text(") + 2) / 3))")], scope);
            }
            DateUnit::Month => strftime(to, "%Y-%m", date, scope),
            _ => strftime(to, "%Y", date, scope),
        }
    }

    fn name(&self, to: &mut Renderer, named: Named, date: &Expr, scope: Scope<'_>) {
        to.push("CASE ");
        match named {
            Named::Weekday => {
                strftime(to, "%w", date, scope);
                // SQLite counts the days of the week from Sunday.
                for (number, name) in WEEKDAYS.iter().cycle().skip(6).take(7).enumerate() {
                    push(&mut to.out, format_args!(" WHEN '{number}' THEN '{name}'"));
                }
            }
            Named::Month => {
                strftime(to, "%m", date, scope);
                for (number, name) in (1..).zip(MONTHS) {
                    push(&mut to.out, format_args!(" WHEN '{number:02}' THEN '{name}'"));
                }
            }
        }
        to.push(" END");
    }

    fn seconds(&self, to: &mut Renderer, from: &Expr, until: &Expr, scope: Scope<'_>) {
        let (before, between) = ("(strftime('%s', ", ") - strftime('%s', ");
        to.write(&[Text(before), Date(until), Text(between), Date(from), Text("))")], scope);
    }

    fn whole_years(&self) -> [&'static str; 5] {
        [
            "(strftime('%Y', ",
            ") - strftime('%Y', ",
            ") - (strftime('%m-%d', ",
            ") < strftime('%m-%d', ",
            ")))",
        ]
    }

    fn whole_months(&self) -> [&'static str; 7] {
        [
            "((strftime('%Y', ",
            ") - strftime('%Y', ",
            ")) * 12 + strftime('%m', ",
            ") - strftime('%m', ",
            ") - (strftime('%d', ",
            ") < strftime('%d', ",
            ")))",
        ]
    }

    fn shift(&self, to: &mut Renderer, unit: TimeUnit, date: &Expr, by: &Expr, scope: Scope<'_>) {
        if !matches!(unit, TimeUnit::Month | TimeUnit::Year) {
            let name = if unit == TimeUnit::Day { "date(" } else { "datetime(" };
            to.write(&[Text(name), Date(date), Text(", ")], scope);
            modifier(to, by, 1, 0, unit.plural(), scope);
            return to.push(")");
        }
        // A day that the month lacks runs over into the next here; the last day of the month is the earlier one.
        let months = if unit == TimeUnit::Year { 12 } else { 1 };
        to.write(&[Text("min(date("), Date(date), Text(", ")], scope);
        modifier(to, by, months, 0, "months", scope);
        to.write(&[Text("), date("), Date(date), Text(", 'start of month', ")], scope);
        modifier(to, by, months, 1, "months", scope);
        to.push(", '-1 days'))");
    }

    fn epoch(&self, unit: EpochUnit) -> Around {
        match unit {
            EpochUnit::Second => ("datetime(", ", 'unixepoch')"),
            EpochUnit::Millisecond => ("datetime(", " / 1000, 'unixepoch')"),
        }
    }

    fn date_key(&self, to: &mut Renderer, number: &Expr, scope: Scope<'_>) {
        for (text, part) in [
            ("date(substr(", ", 1, 4) || '-'"),
            (" || substr(", ", 5, 2) || '-'"),
            (" || substr(", ", 7, 2))"),
        ] {
            to.push(text);
            to.expr(number, scope);
            to.push(part);
        }
    }
}

fn strftime(to: &mut Renderer, format: &str, date: &Expr, scope: Scope<'_>) {
    push(&mut to.out, format_args!("strftime('{format}', "));
    to.write(&[Date(date), Text(")")], scope);
}

/// A text such as `'+3 days'`: so many times the number, and some more.
fn modifier(to: &mut Renderer, by: &Expr, times: i64, more: i64, unit: &str, scope: Scope<'_>) {
    if let Expr::Literal(Value::Integer(number)) = by {
        let number = number.saturating_mul(times).saturating_add(more);
        return push(&mut to.out, format_args!("'{number:+} {unit}'"));
    }
    to.push("(");
    to.operand(by, scope);
    if times != 1 {
        push(&mut to.out, format_args!(" * {times}"));
    }
    if more != 0 {
        push(&mut to.out, format_args!(" + {more}"));
    }
    push(&mut to.out, format_args!(") || ' {unit}'"));
}
