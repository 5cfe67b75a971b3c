//! Dates and spans of time: *2019-05-01*, *May 2020*, *last month*, *in Q2*, *the 2010s*.
//!
//! Every date is a range of days, first and last included: a year is as good a date as a day, and what is compared
//! decides which end matters. Years alone are numbers first (most databases store a year as a number).

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use super::link::{Link, Target};
use super::text::Question;
use sqlogue_base::calendar;

/// A range of days.
#[derive(Debug, Clone, PartialEq)]
pub struct DateRange {
    /// The first day.
    pub first: Date,
    /// The last day.
    pub last: Date,
}

/// All dates in the question.
pub(super) fn links(question: &Question, today: Date) -> Vec<Link> {
    let mut links = Vec::new();
    for start in 0..question.tokens.len() {
        let date = absolute(question, start)
            .or_else(|| shared(question, start, 0))
            .or_else(|| relative(question, start, today));
        if let Some((range, length)) = date {
            links.push(Link { start, end: start + length, target: Target::Date(range), score: 1.0 });
        }
    }
    links
}

/// The number of a month by its name, or by three or four letters of it.
pub(super) fn month(word: &str) -> Option<i8> {
    let month = calendar::month(word.trim_end_matches('.'))?;
    let is_whole = calendar::MONTHS.iter().any(|name| name.eq_ignore_ascii_case(word));
    (is_whole || word.len() <= 4).then_some(i8::try_from(month).ok()?)
}

fn number(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    digits.replace(',', "").parse().ok()
}

fn day(year: i64, month: i8, day: i64) -> Option<Date> {
    Date::new(i16::try_from(year).ok()?, month, i8::try_from(day).ok()?).ok()
}

/// The days of a month.
pub(super) fn whole_month(year: i64, month: i8) -> Option<DateRange> {
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
    if let [year, month] = parts.as_slice()
        && let (Some(year), Some(month)) = (year_named(year), number(month))
        && word.contains('-')
    {
        // 2024-10; but 2003-04 is a season as often.
        let season = (year + 1) % 100 == month;
        let month = i8::try_from(month).ok().filter(|month| (1..=12).contains(month) && !season)?;
        return Some((whole_month(year, month)?, 1));
    }
    // Q2 2020; the second quarter of 2020; 2020 Q2.
    if let Some((quarter, length)) = quarter(question, start) {
        let of = usize::from(question.word(start + length) == "of");
        let year = year_named(question.word(start + length + of))?;
        return Some((whole_quarter(year, quarter)?, length + of + 1));
    }
    if let Some(year) = year_named(word)
        && let Some((quarter, length)) = quarter(question, start + 1)
    {
        return Some((whole_quarter(year, quarter)?, length + 1));
    }
    // May 5, 2010; May 2010; 5 May 2010; May 5-7, 2010.
    let (spoken, length) = without_year(question, start)?;
    let after = question.word(start + length);
    let skipped = usize::from(matches!(after, "," | "of" | "."));
    let year = year_named(question.word(start + length + skipped))?;
    Some((spoken.of(year)?, length + skipped + 1))
}

/// Four digits that may be a year.
fn year_named(word: &str) -> Option<i64> {
    let digits = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    number(word).filter(|year| digits && (1000..2200).contains(year))
}

/// The quarter that is named, with how many tokens do it: *q2*, *the second quarter*.
pub(super) fn quarter(question: &Question, start: usize) -> Option<(i8, usize)> {
    let word = question.word(start);
    if let Some(quarter) = word.strip_prefix('q').and_then(|digits| digits.parse::<i8>().ok()) {
        return (1..=4).contains(&quarter).then_some((quarter, 1));
    }
    let quarter = match word {
        "first" | "1st" => 1,
        "second" | "2nd" => 2,
        "third" | "3rd" => 3,
        "fourth" | "4th" => 4,
        _ => return None,
    };
    (question.word(start + 1) == "quarter").then_some((quarter, 2))
}

/// The days of a quarter.
pub(super) fn whole_quarter(year: i64, quarter: i8) -> Option<DateRange> {
    let first = day(year, quarter * 3 - 2, 1)?;
    Some(DateRange { first, last: day(year, quarter * 3, 1)?.last_of_month() })
}

/// A month, or days of one, of a year that is still to be said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WithoutYear {
    month: i8,
    /// The first and the last day; none for the whole month.
    days: Option<(i64, i64)>,
}

impl WithoutYear {
    /// These days of a year.
    pub(super) fn of(self, year: i64) -> Option<DateRange> {
        match self.days {
            None => whole_month(year, self.month),
            Some((first, last)) => {
                let (first, last) = (day(year, self.month, first)?, day(year, self.month, last)?);
                (first <= last).then_some(DateRange { first, last })
            }
        }
    }
}

/// A month or days of one without their year, with how many tokens say it: *May*, *May 5th*, *the 5th of May*, *May 5-7*.
pub(super) fn without_year(question: &Question, start: usize) -> Option<(WithoutYear, usize)> {
    let of_month = |word: &str| number(word).filter(|day| (1..=31).contains(day) && word.len() <= 4);
    if let Some(month) = month(question.word(start)) {
        let point = usize::from(question.word(start + 1) == ".");
        let next = question.word(start + 1 + point);
        if let Some((first, last)) = next.split_once('-')
            && let (Some(first), Some(last)) = (of_month(first), of_month(last))
        {
            return Some((WithoutYear { month, days: Some((first, last)) }, 2 + point));
        }
        return Some(match of_month(next) {
            Some(day) => (WithoutYear { month, days: Some((day, day)) }, 2 + point),
            None => (WithoutYear { month, days: None }, 1),
        });
    }
    let day = of_month(question.word(start))?;
    let of = usize::from(question.word(start + 1) == "of");
    let month = month(question.word(start + 1 + of))?;
    Some((WithoutYear { month, days: Some((day, day)) }, 2 + of))
}

/// Dates that leave what they share with the next to it: *March to May 2024*, *1 to 15 March 2024*.
fn shared(question: &Question, start: usize, depth: usize) -> Option<(DateRange, usize)> {
    // A year has so many months.
    if depth > 12 {
        return None;
    }
    let next = |length: usize| {
        let mut at = start + length;
        let joins =
            |word: &str| matches!(word, "to" | "and" | "or" | "," | "-" | "–" | "until" | "till" | "through");
        joins(question.word(at)).then_some(())?;
        while joins(question.word(at)) {
            at += 1;
        }
        absolute(question, at).or_else(|| shared(question, at, depth + 1)).map(|(range, _)| range)
    };
    if let Some((spoken, length)) = without_year(question, start) {
        let after = next(length)?;
        let year = i64::from(after.first.year());
        let range = spoken.of(year)?;
        // From November to February, the year turns in between.
        let range = if range.first > after.last { spoken.of(year - 1)? } else { range };
        return Some((range, length));
    }
    let word = question.word(start);
    let of_month = number(word).filter(|day| (1..=31).contains(day) && word.len() <= 4)?;
    let after = next(1).filter(|after| after.first == after.last)?;
    let before = day(i64::from(after.first.year()), after.first.month(), of_month)?;
    (before < after.first).then_some((single(before), 1))
}

/// Dates that depend on today.
fn relative(question: &Question, start: usize, today: Date) -> Option<(DateRange, usize)> {
    match question.word(start) {
        "today" | "tonight" => return Some((single(today), 1)),
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
            ("on Oct. 5, 2010", "2010-10-05", "2010-10-05"),
            ("in 2010-10", "2010-10-01", "2010-10-31"),
            ("in the third quarter of 2020", "2020-07-01", "2020-09-30"),
            ("in 2020 Q3", "2020-07-01", "2020-09-30"),
            ("May 5-7, 2010", "2010-05-05", "2010-05-07"),
            ("from May to June 2010", "2010-05-01", "2010-05-31"),
            ("from November to February 2010", "2009-11-01", "2009-11-30"),
            ("in March, April and May 2010", "2010-03-01", "2010-03-31"),
            ("1 to 15 March 2010", "2010-03-01", "2010-03-01"),
        ] {
            assert_eq!(read(text), Some((first.to_owned(), last.to_owned())), "{text}");
        }
        assert_eq!(read("in 2010"), None);
        assert_eq!(read("last name"), None);
        assert_eq!(read("in the season 2003-04"), None);
        assert_eq!(read("may I see 3 and 4"), None);
    }
}
