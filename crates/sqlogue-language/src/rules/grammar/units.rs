//! Units of time: those that time is cut into (*per month*, *by day of the week*), and those it is measured in (*hours*).

use crate::rules::text::Question;
use jiff::Span;
use sqlogue_sql::plan::TimeUnit;

/// A unit that time is cut into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// An hour of the day.
    Hour,
    /// A calendar day.
    Day,
    /// A week from Monday.
    Week,
    /// A calendar month.
    Month,
    /// A calendar quarter.
    Quarter,
    /// A calendar year.
    Year,
    /// Ten calendar years.
    Decade,
    /// A day of the week.
    Weekday,
    /// An hour of the day, whatever the day.
    HourOfDay,
    /// A month, whatever the year.
    MonthOfYear,
    /// A quarter, whatever the year.
    QuarterOfYear,
    /// Whether a day is one of the weekend.
    Weekend,
}

impl Unit {
    /// How long so many of them are; none for what has no length of its own.
    pub fn span(self, count: i64) -> Option<Span> {
        let span = Span::new();
        match self {
            Self::Day => span.try_days(count).ok(),
            Self::Week => span.try_weeks(count).ok(),
            Self::Month => span.try_months(count).ok(),
            Self::Quarter => span.try_months(count.checked_mul(3)?).ok(),
            Self::Year => span.try_years(count).ok(),
            _ => None,
        }
    }

    /// True for what comes again: a weekday, and not a day.
    pub fn comes_again(self) -> bool {
        matches!(
            self,
            Self::Weekday | Self::HourOfDay | Self::MonthOfYear | Self::QuarterOfYear | Self::Weekend
        )
    }
}

/// The unit by which a span of tokens cuts time, with the token after it: *per month*, *weekly*, *by day of the week*.
/// With `bare`, also a unit without a word before it.
pub fn bucket(question: &Question, start: usize, bare: bool) -> Option<(Unit, usize)> {
    let word = |at: usize| question.word(at);
    match (word(start), word(start + 1)) {
        ("hourly", _) => return Some((Unit::Hour, start + 1)),
        ("daily", _) => return Some((Unit::Day, start + 1)),
        ("weekly", _) => return Some((Unit::Week, start + 1)),
        ("monthly", _) => return Some((Unit::Month, start + 1)),
        ("quarterly", _) => return Some((Unit::Quarter, start + 1)),
        ("yearly" | "annual" | "annually", _) => return Some((Unit::Year, start + 1)),
        (unit, "by" | "to") if word(start + 2) == unit => {
            return plain_unit(unit).map(|unit| (unit, start + 3));
        }
        ("over", "time") => return Some((Unit::Month, start + 2)),
        ("trend" | "trends", _) => return Some((Unit::Month, start + 1)),
        _ => {}
    }
    let leads = matches!(word(start), "per" | "by" | "each" | "every")
        || word(start) == "for" && matches!(word(start + 1), "each" | "every")
        || word(start) == "in" && matches!(word(start + 1), "each" | "every");
    if !leads && !bare {
        return None;
    }
    let mut at = start;
    while matches!(
        word(at),
        "per"
            | "by"
            | "each"
            | "every"
            | "for"
            | "in"
            | "the"
            | "calendar"
            | "a"
            | "starting"
            | "start"
            | "single"
    ) {
        at += 1;
    }
    let of_day = |at: usize| match (word(at), word(at + 1), word(at + 2)) {
        ("of", "the", "day" | "week") => 3,
        ("of", "day" | "week", _) => 2,
        _ => 0,
    };
    match word(at) {
        "hour" | "hours" => Some(match of_day(at + 1) {
            0 => (Unit::HourOfDay, at + 1),
            more => (Unit::HourOfDay, at + 1 + more),
        }),
        "day" | "days" | "date" => Some(match of_day(at + 1) {
            0 => (Unit::Day, at + 1),
            more => (Unit::Weekday, at + 1 + more),
        }),
        "weekday" | "weekdays" => Some((Unit::Weekday, at + 1)),
        "month" | "months" if matches!((word(at + 1), word(at + 2)), ("of", "year")) => {
            Some((Unit::MonthOfYear, at + 3))
        }
        "month" | "months" if matches!((word(at + 1), word(at + 2), word(at + 3)), ("of", "the", "year")) => {
            Some((Unit::MonthOfYear, at + 4))
        }
        unit => plain_unit(unit.strip_suffix('s').unwrap_or(unit)).map(|unit| (unit, at + 1)),
    }
}

/// The unit in which a time is measured: *hours*, *minutes*.
pub fn measured(word: &str) -> Option<TimeUnit> {
    Some(match word {
        "seconds" | "secs" => TimeUnit::Second,
        "minutes" | "mins" => TimeUnit::Minute,
        "hours" | "hrs" => TimeUnit::Hour,
        "days" => TimeUnit::Day,
        "months" => TimeUnit::Month,
        "years" => TimeUnit::Year,
        _ => return None,
    })
}

/// The same in the singular, or shorter still: *1 hour*, *90 min*.
pub fn measured_one(word: &str) -> Option<TimeUnit> {
    Some(match word {
        "second" | "sec" => TimeUnit::Second,
        "minute" | "min" => TimeUnit::Minute,
        "hour" | "hr" => TimeUnit::Hour,
        "day" => TimeUnit::Day,
        "month" => TimeUnit::Month,
        "year" => TimeUnit::Year,
        _ => return None,
    })
}

/// The unit of a noun in the singular.
fn plain_unit(word: &str) -> Option<Unit> {
    Some(match word {
        "day" => Unit::Day,
        "week" => Unit::Week,
        "month" | "year-month" => Unit::Month,
        "quarter" | "year-quarter" => Unit::Quarter,
        "year" => Unit::Year,
        "decade" => Unit::Decade,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        let unit = |text: &str| bucket(&Question::new(text), 0, false).map(|(unit, _)| unit);
        assert_eq!(unit("per month"), Some(Unit::Month));
        assert_eq!(unit("by day of the week"), Some(Unit::Weekday));
        assert_eq!(unit("by hour of day"), Some(Unit::HourOfDay));
        assert_eq!(unit("weekly"), Some(Unit::Week));
        assert_eq!(unit("by month of the year"), Some(Unit::MonthOfYear));
        assert_eq!(unit("by country"), None);
    }
}
