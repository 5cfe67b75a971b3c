//! Dates: parts of them, the periods they lie in, and the time between two.
//!
//! In SQLite dates are ISO 8601 texts. In PostgreSQL and BigQuery they are of a date or timestamp type; a text column
//! that holds dates is wrapped in [`Expr::cast`] to [`CastType::Timestamp`], a number in [`Expr::from_epoch`] or
//! [`Expr::from_date_key`].

use serde::{Deserialize, Serialize};

use super::{CastType, Expr, Function};

/// A part of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DatePart {
    /// The year, four digits.
    Year,
    /// The quarter, 1 to 4.
    Quarter,
    /// The month, 1 to 12.
    Month,
    /// The week of the year by ISO 8601, 1 to 53.
    Week,
    /// The day of the month, 1 to 31.
    Day,
    /// The day of the year, 1 to 366.
    DayOfYear,
    /// The day of the week, 0 (Sunday) to 6.
    Weekday,
    /// The hour, 0 to 23.
    Hour,
    /// The minute, 0 to 59.
    Minute,
}

/// A period that dates are gathered in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateUnit {
    /// An hour.
    Hour,
    /// A calendar day.
    Day,
    /// A week that begins on Monday.
    Week,
    /// A calendar month.
    Month,
    /// Three calendar months.
    Quarter,
    /// A calendar year.
    Year,
}

/// A measure of the time between two dates, or of how far a date is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    /// Seconds.
    Second,
    /// Minutes, with their fraction.
    Minute,
    /// Hours, with their fraction.
    Hour,
    /// Days, with their fraction.
    Day,
    /// Months completed, a whole number.
    Month,
    /// Years completed, a whole number: an age.
    Year,
}

/// What a number that stands for a time counts since the beginning of 1970 (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EpochUnit {
    /// Seconds.
    Second,
    /// Milliseconds.
    Millisecond,
}

impl DatePart {
    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Quarter => "quarter",
            Self::Month => "month",
            Self::Week => "week",
            Self::Day => "day",
            Self::DayOfYear => "day of year",
            Self::Weekday => "weekday",
            Self::Hour => "hour",
            Self::Minute => "minute",
        }
    }
}

impl DateUnit {
    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }
}

impl TimeUnit {
    /// The name of several, in lower case.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Second => "seconds",
            Self::Minute => "minutes",
            Self::Hour => "hours",
            Self::Day => "days",
            Self::Month => "months",
            Self::Year => "years",
        }
    }
}

impl Expr {
    /// The beginning of the period that a date lies in: the first day (`2026-04-01`), or the first minute of an hour.
    #[must_use]
    pub fn truncate(unit: DateUnit, date: Expr) -> Self {
        Self::function(Function::Truncate(unit), vec![date])
    }

    /// The period that a date lies in as people write it: `2026`, `2026-Q2`, `2026-04`; otherwise as
    /// [`Expr::truncate`]. A text that sorts as the dates do.
    #[must_use]
    pub fn label(unit: DateUnit, date: Expr) -> Self {
        Self::function(Function::Label(unit), vec![date])
    }

    /// A part of a date as a whole number.
    #[must_use]
    pub fn part(part: DatePart, date: Expr) -> Self {
        Self::function(Function::Extract(part), vec![date])
    }

    /// The time from one date to another; negative where the second is the earlier.
    #[must_use]
    pub fn elapsed(unit: TimeUnit, from: Expr, to: Expr) -> Self {
        Self::function(Function::Elapsed(unit), vec![from, to])
    }

    /// An age in whole years, one more on each birthday.
    #[must_use]
    pub fn age(born: Expr, on: Expr) -> Self {
        Self::elapsed(TimeUnit::Year, born, on)
    }

    /// A date moved by a number of units, backwards where it is negative. Days, months and years give a day, and a
    /// month too short for the day gives its last; shorter units give a time.
    #[must_use]
    pub fn shift(unit: TimeUnit, date: Expr, by: Expr) -> Self {
        Self::function(Function::Shift(unit), vec![date, by])
    }

    /// The time that a number counts since the beginning of 1970, as UTC.
    #[must_use]
    pub fn from_epoch(unit: EpochUnit, number: Expr) -> Self {
        Self::function(Function::FromEpoch(unit), vec![number])
    }

    /// The day that a whole number such as `20260401` spells.
    #[must_use]
    pub fn from_date_key(number: Expr) -> Self {
        Self::function(Function::FromDateKey, vec![number])
    }

    /// A value as another type.
    #[must_use]
    pub fn cast(to: CastType, value: Expr) -> Self {
        Self::function(Function::Cast(to), vec![value])
    }
}
