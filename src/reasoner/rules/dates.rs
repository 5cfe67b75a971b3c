//! Dates and spans of time: *2019-05-01*, *May 2020*, *last month*, *in Q2*, *the 2010s*.
//!
//! Every date is a range of days, first and last included: a year is as good a date as a day, and what is compared
//! decides which end matters. Years alone are numbers first (most databases store a year as a number).

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use super::link::{Link, Target};
use super::text::Question;

/// A range of days.
#[derive(Debug, Clone, PartialEq)]
pub struct DateRange {
    /// The first day.
    pub first: Date,
    /// The last day.
    pub last: Date,
}

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// All dates in the question.
pub(super) fn links(question: &Question, today: Date) -> Vec<Link> {
    let mut links = Vec::new();
    for start in 0..question.tokens.len() {
        if let Some((range, length)) = absolute(question, start).or_else(|| relative(question, start, today))
        {
            links.push(Link { start, end: start + length, target: Target::Date(range), score: 1.0 });
        }
    }
    links
}

fn month(word: &str) -> Option<i8> {
    let at = MONTHS.iter().position(|name| {
        *name == word
            || (word.len() >= 3
                && word.len() <= 4
                && *name != "may"
                && name.starts_with(word.trim_end_matches('.')))
    })?;
    i8::try_from(at + 1).ok()
}

fn number(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    digits.replace(',', "").parse().ok()
}

fn day(year: i64, month: i8, day: i64) -> Option<Date> {
    Date::new(i16::try_from(year).ok()?, month, i8::try_from(day).ok()?).ok()
}

fn whole_month(year: i64, month: i8) -> Option<DateRange> {
    let first = day(year, month, 1)?;
    Some(DateRange { first, last: first.last_of_month() })
}

fn whole_year(year: i64) -> Option<DateRange> {
    Some(DateRange { first: day(year, 1, 1)?, last: day(year, 12, 31)? })
}

fn single(date: Date) -> DateRange {
    DateRange { first: date, last: date }
}

/// Dates that name themselves; a bare year is none.
fn absolute(question: &Question, start: usize) -> Option<(DateRange, usize)> {
    let word = question.word(start);
    let parts: Vec<&str> = word.split(['-', '/']).collect();
    if let [one, two, three] = parts.as_slice()
        && let (Some(one), Some(two), Some(three)) = (number(one), number(two), number(three))
    {
        let date = if one > 31 {
            day(one, i8::try_from(two).ok()?, three)
        } else if one > 12 {
            day(three, i8::try_from(two).ok()?, one)
        } else {
            day(three, i8::try_from(one).ok()?, two)
        };
        return Some((single(date?), 1));
    }
    // The 2010s.
    if let Some(decade) = word.strip_suffix('s').and_then(|digits| digits.parse::<i64>().ok())
        && decade % 10 == 0
        && (1000..2200).contains(&decade)
    {
        return Some((DateRange { first: day(decade, 1, 1)?, last: day(decade + 9, 12, 31)? }, 1));
    }
    // Q2 2020.
    if let Some(quarter) =
        word.strip_prefix('q').and_then(|digits| digits.parse::<i8>().ok()).filter(|q| (1..=4).contains(q))
    {
        let year = number(question.word(start + 1)).filter(|year| (1000..2200).contains(year))?;
        let first = day(year, quarter * 3 - 2, 1)?;
        let last = day(year, quarter * 3, 1)?.last_of_month();
        return Some((DateRange { first, last }, 2));
    }
    if let Some(month) = month(word) {
        // May 5, 2010; May 5th 2010; May 2010.
        let next = number(question.word(start + 1))?;
        if (1000..2200).contains(&next) {
            return Some((whole_month(next, month)?, 2));
        }
        let comma = usize::from(question.word(start + 2) == ",");
        let year = number(question.word(start + 2 + comma)).filter(|year| (1000..2200).contains(year))?;
        return Some((single(day(year, month, next)?), 3 + comma));
    }
    // 5 May 2010; 5th of May, 2010.
    let first = number(word).filter(|day| (1..=31).contains(day))?;
    let of = usize::from(question.word(start + 1) == "of");
    let month = month(question.word(start + 1 + of))?;
    let comma = usize::from(question.word(start + 2 + of) == ",");
    let year = number(question.word(start + 2 + of + comma)).filter(|year| (1000..2200).contains(year))?;
    Some((single(day(year, month, first)?), 3 + of + comma))
}

/// Dates that depend on today.
fn relative(question: &Question, start: usize, today: Date) -> Option<(DateRange, usize)> {
    match question.word(start) {
        "today" => return Some((single(today), 1)),
        "yesterday" => return Some((single(today.yesterday().ok()?), 1)),
        "tomorrow" => return Some((single(today.tomorrow().ok()?), 1)),
        _ => {}
    }
    let shift = match question.word(start) {
        "last" | "previous" | "past" => -1_i64,
        "this" | "current" => 0,
        "next" | "coming" => 1,
        _ => return None,
    };
    let (count, unit_at) = match question.tokens.get(start + 1).and_then(|token| {
        token
            .lower
            .parse::<i64>()
            .ok()
            .or_else(|| super::link::number_word(&token.lower).map(|(number, _)| number))
    }) {
        Some(count) => (Some(count), start + 2),
        None => (None, start + 1),
    };
    let length = unit_at + 1 - start;
    let unit = question.tokens.get(unit_at).map(|token| token.stem.clone())?;
    if let Some(count) = count {
        // The last 7 days end today.
        let span: Span = match unit.as_str() {
            "day" => Span::new().try_days(count).ok()?,
            "week" => Span::new().try_weeks(count).ok()?,
            "month" => Span::new().try_months(count).ok()?,
            "year" => Span::new().try_years(count).ok()?,
            _ => return None,
        };
        let range = if shift < 0 {
            DateRange { first: today.checked_sub(span).ok()?, last: today }
        } else {
            DateRange { first: today, last: today.checked_add(span).ok()? }
        };
        return Some((range, length));
    }
    let range = match unit.as_str() {
        "week" => {
            let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
            let first = monday.checked_add((7 * shift).days()).ok()?;
            DateRange { first, last: first.checked_add(6.days()).ok()? }
        }
        "month" => {
            let first = today.first_of_month().checked_add(shift.months()).ok()?;
            DateRange { first, last: first.last_of_month() }
        }
        "quarter" => {
            let month = (today.month() - 1) / 3 * 3 + 1;
            let first = Date::new(today.year(), month, 1).ok()?.checked_add((3 * shift).months()).ok()?;
            DateRange { first, last: first.checked_add(2.months()).ok()?.last_of_month() }
        }
        "year" => whole_year(i64::from(today.year()) + shift)?,
        _ => return None,
    };
    Some((range, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn read(text: &str) -> Option<(String, String)> {
        let today = date(2024, 5, 15);
        links(&Question::new(text), today).into_iter().find_map(|link| match link.target {
            Target::Date(range) => Some((range.first.to_string(), range.last.to_string())),
            _ => None,
        })
    }

    #[test]
    fn ranges() {
        for (text, first, last) in [
            ("on 2019-05-01", "2019-05-01", "2019-05-01"),
            ("on May 5, 2010", "2010-05-05", "2010-05-05"),
            ("in May 2010", "2010-05-01", "2010-05-31"),
            ("last month", "2024-04-01", "2024-04-30"),
            ("last year", "2023-01-01", "2023-12-31"),
            ("this week", "2024-05-13", "2024-05-19"),
            ("last quarter", "2024-01-01", "2024-03-31"),
            ("the last 7 days", "2024-05-08", "2024-05-15"),
            ("in the 2010s", "2010-01-01", "2019-12-31"),
            ("in Q2 2020", "2020-04-01", "2020-06-30"),
            ("on 5th of May 2010", "2010-05-05", "2010-05-05"),
        ] {
            assert_eq!(read(text), Some((first.to_owned(), last.to_owned())), "{text}");
        }
        assert_eq!(read("in 2010"), None);
        assert_eq!(read("last name"), None);
    }
}
