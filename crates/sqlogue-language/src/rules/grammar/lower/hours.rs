//! Conditions on what comes round again: the day of the week, the hour of the day.

use super::Lowering;
use crate::rules::grammar::recurring::{MIDNIGHT, Recurring};
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::ColumnId;
use sqlogue_sql::plan::{Arithmetic, Comparison, Condition, DatePart, Expr};

impl Lowering<'_> {
    /// True where a date falls on such days, or at such hours; none for hours of what has none.
    pub(super) fn recurs(&self, id: ColumnId, times: &Recurring) -> Option<Condition> {
        match times {
            Recurring::Days(days) => {
                let list =
                    days.iter().map(|day| Expr::literal(i64::from(day.to_sunday_zero_offset()))).collect();
                let expr = Expr::part(DatePart::Weekday, self.date_expr(id));
                Some(Condition::In { expr, list, negated: false })
            }
            Recurring::Hours { .. } if self.knowledge.column(id).kind == ColumnKind::Date => None,
            Recurring::Hours { from, until } => self.at_hours(id, *from, *until),
        }
    }

    fn at_hours(&self, id: ColumnId, from: i64, until: i64) -> Option<Condition> {
        let hour = Expr::part(DatePart::Hour, self.date_expr(id));
        let are_whole = from % 60 == 0 && until % 60 == 0;
        let (time, unit) = match are_whole {
            true => (hour, 60),
            false => {
                let minutes = Expr::arithmetic(Arithmetic::Multiply, hour, Expr::literal(60));
                (
                    Expr::arithmetic(
                        Arithmetic::Add,
                        minutes,
                        Expr::part(DatePart::Minute, self.date_expr(id)),
                    ),
                    1,
                )
            }
        };
        let bound =
            |operator, minute: i64| Condition::compare(time.clone(), operator, Expr::literal(minute / unit));
        let first = (from > 0).then(|| bound(Comparison::GreaterOrEqual, from));
        let last = (until < MIDNIGHT).then(|| bound(Comparison::Less, until));
        match (first, last) {
            // *at night* goes over midnight.
            (Some(first), Some(last)) if from >= until => Some(Condition::Or(vec![first, last])),
            (first, last) => Condition::all(first.into_iter().chain(last).collect()),
        }
    }
}
