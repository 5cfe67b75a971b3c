//! A span of days, and the spans beside it.

use jiff::ToSpan;
use jiff::civil::Date;

/// A span of days, open at either end where nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// The first day.
    pub from: Option<Date>,
    /// The day after the last.
    pub until: Option<Date>,
}

impl Window {
    /// From a day on.
    pub fn since(day: Date) -> Self {
        Self { from: Some(day), until: None }
    }

    /// Up to the end of a day.
    pub(super) fn to(day: Date) -> Option<Self> {
        Some(Self { from: None, until: Some(day.tomorrow().ok()?) })
    }

    /// From a day to another, both included.
    pub fn days(first: Date, last: Date) -> Option<Self> {
        Some(Self { from: Some(first), until: Some(last.tomorrow().ok()?) })
    }

    pub fn year(year: i16) -> Option<Self> {
        Self::days(Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?)
    }

    pub(super) fn months(year: i16, month: i8, count: i32) -> Option<Self> {
        let first = Date::new(year, month, 1).ok()?;
        Some(Self { from: Some(first), until: Some(first.checked_add(count.months()).ok()?) })
    }

    /// The window of the same kind before this one: the month before a month, the year before a year.
    pub fn before(&self) -> Option<Self> {
        let (from, until) = (self.from?, self.until?);
        let start = match self.whole_months() {
            Some(months) => from.checked_sub(months.months()).ok()?,
            // A part of a year is compared with the same part of the year before.
            None if until.since(from).ok()?.get_days() > 7 => {
                let [from, until] = [from, until].map(|day| day.checked_sub(1.year()).ok());
                return Some(Self { from, until });
            }
            None => from.checked_sub(until.since(from).ok()?).ok()?,
        };
        Some(Self { from: Some(start), until: Some(from) })
    }

    /// The window of the same kind after this one: the month after a month, the year after a year.
    pub fn next(&self) -> Option<Self> {
        let (from, until) = (self.from?, self.until?);
        let end = match self.whole_months() {
            Some(months) => until.checked_add(months.months()).ok()?,
            None => until.checked_add(until.since(from).ok()?).ok()?,
        };
        Some(Self { from: Some(until), until: Some(end) })
    }

    /// How many months it has, from a day of one month to the same day of another; none for other windows.
    pub fn whole_months(&self) -> Option<i32> {
        let (from, until) = (self.from?, self.until?);
        let months = (i32::from(until.year()) - i32::from(from.year())) * 12 + i32::from(until.month())
            - i32::from(from.month());
        (until.day() == from.day() && months > 0).then_some(months)
    }

    /// A window with one end only, which lies inside this one, with the other end of this one; none for others.
    pub fn narrowed(&self, said: &Self) -> Option<Self> {
        let inside = |day: Date| {
            self.from.is_none_or(|from| from < day) && self.until.is_none_or(|until| day <= until)
        };
        match (said.from, said.until) {
            (None, Some(until)) if inside(until) => Some(Self { from: self.from, until: Some(until) }),
            (Some(from), None) if inside(from) => Some(Self { from: Some(from), until: self.until }),
            _ => None,
        }
    }

    /// The same so many months earlier.
    pub fn months_earlier(&self, months: i32) -> Option<Self> {
        let earlier = |day: Option<Date>| match day {
            Some(day) => day.checked_sub(months.months()).ok().map(Some),
            None => Some(None),
        };
        Some(Self { from: earlier(self.from)?, until: earlier(self.until)? })
    }

    /// The year that this window is, from its first day to its last.
    pub fn one_year(&self) -> Option<i16> {
        let year = self.from?.year();
        (Self::year(year)? == *self).then_some(year)
    }

    /// The same part of another year.
    pub fn in_year(&self, year: i16) -> Option<Self> {
        self.months_earlier((i32::from(self.from?.year()) - i32::from(year)) * 12)
    }

    /// True for whole calendar years, and for one up to a day of it.
    pub fn is_years(&self) -> bool {
        self.from.is_some_and(|from| from.day_of_year() == 1)
            && self
                .until
                .zip(self.from)
                .is_some_and(|(until, from)| until.day_of_year() == 1 || until.year() == from.year())
    }

    /// The last day inside.
    pub fn last(&self) -> Option<Date> {
        self.until.and_then(|until| until.yesterday().ok())
    }
}
