//! How long ago something was: from its last date to today.

use super::Lowering;
use super::measure::restricted;
use crate::rules::grammar::form::Attr;
use crate::rules::grammar::units::Unit;
use crate::rules::grammar::waiting::may_lie_ahead;
use sqlogue_sql::plan::{Aggregate, Arithmetic, Condition, DateUnit, Expr, TimeUnit};

/// The days of a week.
const WEEK: f64 = 7.0;

impl Lowering<'_> {
    /// The time from a date to today; none in units that a day without an hour does not tell.
    pub(super) fn since(&self, date: Expr, unit: Unit) -> Option<Expr> {
        let today = Expr::literal(self.today.to_string());
        // Days are counted from one date to the other, whatever the hour.
        let day = || Expr::truncate(DateUnit::Day, date.clone());
        let in_weeks = self.query.in_unit.is_none() && unit == Unit::Week;
        let unit = self.query.in_unit.or(match unit {
            Unit::Day | Unit::Week => Some(TimeUnit::Day),
            Unit::Month => Some(TimeUnit::Month),
            Unit::Year => Some(TimeUnit::Year),
            _ => None,
        })?;
        let passed = match unit {
            TimeUnit::Second | TimeUnit::Minute | TimeUnit::Hour => return None,
            TimeUnit::Day => Expr::elapsed(unit, day(), today),
            TimeUnit::Month | TimeUnit::Year => Expr::elapsed(unit, date, today),
        };
        Some(match in_weeks {
            true => Expr::arithmetic(Arithmetic::Divide, passed, Expr::literal(WEEK)),
            false => passed,
        })
    }

    /// The time from the last of some dates to today. What is only planned is not the last that was. A join that repeats rows
    /// leaves their last date as it is.
    pub(super) fn since_last(&self, date: &Attr, unit: Unit, only: Option<Condition>) -> Option<Expr> {
        let table = self.attr_table(date)?;
        // What the verb tells of is not told by just any rows.
        if let Attr::Use(rows, Some(verb)) = date {
            self.event_named(self.table(rows)?, verb)?;
        }
        let id = match date {
            Attr::Noun(noun) => self.bound(noun)?.column?,
            _ => *self.dates(table).first()?,
        };
        let gone_by = || Condition::period(self.date_expr(id), None, Some(self.today.tomorrow().ok()?));
        let is_gone = may_lie_ahead(self.knowledge, id).then(gone_by).flatten();
        let only = Condition::all(only.into_iter().chain(is_gone).collect());
        self.since(Expr::aggregate(Aggregate::Max, restricted(self.date_attr(date)?, only)), unit)
    }
}
