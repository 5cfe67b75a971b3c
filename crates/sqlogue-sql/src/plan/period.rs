//! Windows of time: from a first day until the day after the last.
//!
//! A window is half-open (`x >= first day AND x < day after the last`), so that it means the same on a column of dates and
//! on one of dates with times: `<= last day` would lose every hour of that day but its first moment. In a plan the two ends
//! stand in the list of conditions that must all hold; [`Condition::parts`] gives them as the one condition that they are.

use std::fmt::{self, Formatter};

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::{Comparison, Condition, Expr};
use crate::schema::Value;
use sqlogue_base::calendar::MONTHS;

/// A window of time on one expression, as a condition holds it. At least one end is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Period<'a> {
    /// What lies in it.
    pub expr: &'a Expr,
    /// The first moment inside, as ISO writes it; none where it has no beginning.
    pub from: Option<&'a str>,
    /// The first moment after it; none where it has no end.
    pub until: Option<&'a str>,
}

impl Condition {
    /// `expr` lies on the day `from` or later, and before the day `until`; none where neither end is given.
    ///
    /// Every window of time is made here, so that no last day is lost on a column that holds times.
    pub fn period(expr: Expr, from: Option<Date>, until: Option<Date>) -> Option<Self> {
        let end = |operator, day: Date| Self::compare(expr.clone(), operator, Expr::literal(day.to_string()));
        let from = from.map(|day| end(Comparison::GreaterOrEqual, day));
        let until = until.map(|day| end(Comparison::Less, day));
        Self::all(from.into_iter().chain(until).collect())
    }

    /// The window of time that this condition is; none for other conditions.
    pub fn as_period(&self) -> Option<Period<'_>> {
        match self {
            Self::Compare { left, operator, right: Expr::Literal(Value::Text(text)) } => {
                starts_with_day(text)?;
                let (from, until) = match operator {
                    Comparison::GreaterOrEqual => (Some(text.as_str()), None),
                    Comparison::Less => (None, Some(text.as_str())),
                    _ => return None,
                };
                Some(Period { expr: left, from, until })
            }
            Self::And(both) => {
                let [one, other] = both.as_slice() else { return None };
                one.as_period()?.with(other.as_period()?)
            }
            _ => None,
        }
    }

    /// The conditions that must all hold, with the two ends of a window of time as one.
    pub fn parts(&self) -> Vec<Condition> {
        let mut parts: Vec<Condition> = Vec::new();
        for one in self.conjuncts() {
            let window = one.as_period();
            let partner = parts.iter_mut().find(|other| {
                window.zip(other.as_period()).is_some_and(|(one, other)| one.with(other).is_some())
            });
            match partner {
                Some(other) => {
                    let (first, second) = match window.is_some_and(|window| window.from.is_some()) {
                        true => (one.clone(), other.clone()),
                        false => (other.clone(), one.clone()),
                    };
                    *other = Self::And(vec![first, second]);
                }
                None => parts.push(one.clone()),
            }
        }
        parts
    }
}

impl<'a> Period<'a> {
    /// This end and the other of the same thing; none where that makes no window of two ends.
    fn with(self, other: Self) -> Option<Self> {
        if self.expr != other.expr {
            return None;
        }
        match (self.from, self.until, other.from, other.until) {
            (Some(from), None, None, Some(until)) | (None, Some(until), Some(from), None) => {
                Some(Self { expr: self.expr, from: Some(from), until: Some(until) })
            }
            _ => None,
        }
    }

    /// The first day inside; none where it has no beginning or begins at a time of day.
    pub fn first(&self) -> Option<Date> {
        self.from.and_then(whole_day)
    }

    /// The first day after it; none where it has no end or ends at a time of day.
    pub fn end(&self) -> Option<Date> {
        self.until.and_then(whole_day)
    }

    /// True where nothing can lie in both.
    pub fn excludes(&self, other: &Self) -> bool {
        let before =
            |one: &Self, other: &Self| one.until.zip(other.from).is_some_and(|(until, from)| until <= from);
        before(self, other) || before(other, self)
    }

    /// True where nothing at all can lie in it.
    pub fn is_empty(&self) -> bool {
        self.excludes(self)
    }

    /// The window as a person says it, without what lies in it: `in October 2024`.
    pub(super) fn said(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.from, self.until) {
            (Some(from), Some(until)) => match (whole_day(from), whole_day(until)) {
                (Some(first), Some(end)) => write!(f, "{}", days(first, end)),
                _ => write!(f, "from {from}, before {until}"),
            },
            (Some(from), None) => write!(f, "from {from} on"),
            (None, Some(until)) => write!(f, "before {until}"),
            (None, None) => Ok(()),
        }
    }
}

/// The days from `first` until before `end`, in words.
fn days(first: Date, end: Date) -> String {
    let lasts = |span: jiff::Span| first.checked_add(span).is_ok_and(|after| after == end);
    let (year, month) = (first.year(), first.month());
    if lasts(1.day()) {
        return format!("on {first}");
    }
    if first.day() == 1 && lasts(1.month()) {
        let name = usize::try_from(month - 1).ok().and_then(|at| MONTHS.get(at)).copied().unwrap_or_default();
        return format!("in {name} {year}");
    }
    if first.day() == 1 && month % 3 == 1 && lasts(3.months()) {
        return format!("in Q{} {year}", (month + 2) / 3);
    }
    if first.day() == 1 && month == 1 && lasts(1.year()) {
        return format!("in {year}");
    }
    match end.yesterday() {
        Ok(last) if last >= first => format!("from {first} to {last}"),
        _ => format!("from {first}, before {end}"),
    }
}

/// The day that a text is, where it is one and nothing else.
fn whole_day(text: &str) -> Option<Date> {
    (text.len() == 10).then(|| text.parse().ok()).flatten()
}

/// The day that a text begins with (`2024-05-01 10:00`).
fn starts_with_day(text: &str) -> Option<Date> {
    text.get(..10)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn placed() -> Expr {
        Expr::column("orders", "placed")
    }

    fn window(first: Date, end: Date) -> Condition {
        Condition::period(placed(), Some(first), Some(end)).unwrap()
    }

    #[test]
    fn windows_are_said_as_people_say_them() {
        for (condition, said) in [
            (window(date(2024, 10, 1), date(2024, 11, 1)), "orders.placed in October 2024"),
            (window(date(2024, 12, 1), date(2025, 1, 1)), "orders.placed in December 2024"),
            (window(date(2024, 4, 1), date(2024, 7, 1)), "orders.placed in Q2 2024"),
            (window(date(2024, 1, 1), date(2025, 1, 1)), "orders.placed in 2024"),
            (window(date(2024, 2, 29), date(2024, 3, 1)), "orders.placed on 2024-02-29"),
            (window(date(2024, 10, 1), date(2024, 10, 16)), "orders.placed from 2024-10-01 to 2024-10-15"),
            (
                Condition::period(placed(), Some(date(2024, 5, 4)), None).unwrap(),
                "orders.placed from 2024-05-04 on",
            ),
            (
                Condition::period(placed(), None, Some(date(2024, 5, 4))).unwrap(),
                "orders.placed before 2024-05-04",
            ),
            (
                Condition::Not(Box::new(window(date(2024, 1, 1), date(2025, 1, 1)))),
                "orders.placed not in 2024",
            ),
        ] {
            assert_eq!(condition.to_string(), said);
        }
        assert_eq!(Condition::period(placed(), None, None), None);
    }

    #[test]
    fn the_two_ends_are_one_condition_wherever_they_stand() {
        let open = Condition::equal(Expr::column("orders", "status"), Expr::literal("open"));
        let year = window(date(2024, 1, 1), date(2025, 1, 1));
        let Condition::And(ends) = year.clone() else { panic!("two ends") };
        let [from, until] = ends.as_slice() else { panic!("two ends") };
        let all = Condition::And(vec![until.clone(), open.clone(), from.clone()]);
        assert_eq!(all.parts(), [year.clone(), open.clone()]);
        assert_eq!(all.to_string(), "orders.placed in 2024 and orders.status = 'open'");
        assert_eq!(year.subject(), Some(&placed()));
        // In a plan they stand in one flat list, as SQL that is read back has them.
        assert_eq!(
            Condition::all(vec![open.clone(), year.clone()]),
            Some(Condition::And(vec![open, from.clone(), until.clone()]))
        );
        // Two beginnings make no window.
        let twice = Condition::And(vec![from.clone(), from.clone()]);
        assert_eq!(twice.parts().len(), 2);
    }

    #[test]
    fn windows_apart_exclude_each_other() {
        let (one, other) =
            (window(date(2024, 1, 1), date(2025, 1, 1)), window(date(2025, 1, 1), date(2026, 1, 1)));
        let (one, other) = (one.as_period().unwrap(), other.as_period().unwrap());
        assert!(one.excludes(&other) && other.excludes(&one) && !one.excludes(&one));
        let backwards = window(date(2025, 1, 1), date(2024, 1, 1));
        assert!(backwards.as_period().unwrap().is_empty());
    }
}
