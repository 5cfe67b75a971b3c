//! Dates and times as people write them, to ISO 8601.

use sqlogue_base::calendar::{is_weekday, month};

/// The order in which a date's parts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Order {
    /// `2024-12-31`
    YearFirst,
    /// `31/12/2024`
    DayFirst,
    /// `12/31/2024`
    MonthFirst,
    /// `31 Dec 2024`, `December 31, 2024`
    Named,
}

impl Order {
    pub(super) const ALL: [Self; 4] = [Self::YearFirst, Self::DayFirst, Self::MonthFirst, Self::Named];
}

/// A text taken apart into a date and a time of day, either of which may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment<'a> {
    pub(super) date: &'a str,
    pub(super) time: &'a str,
}

/// Takes a text apart where it can be a moment at all.
pub(super) fn moment(text: &str) -> Option<Moment<'_>> {
    if !(3..=40).contains(&text.len()) || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let Some(colon) = text.find(':') else { return Some(Moment { date: text, time: "" }) };
    let before = text.get(..colon)?;
    let hour = before.trim_end_matches(|character: char| character.is_ascii_digit()).len();
    let (date, time) = (text.get(..hour)?, text.get(hour..)?);
    let is_joined = date.is_empty() || date.ends_with([' ', 'T', ',', '\t']);
    is_joined.then(|| Moment { date: date.trim_end_matches([' ', 'T', ',', '\t']), time })
}

/// The date as `YYYY-MM-DD`, read in an order.
pub(super) fn date(text: &str, order: Order) -> Option<String> {
    let (year, month, day) = match order {
        Order::Named => named(text)?,
        _ => {
            let (separator, [one, two, three]) = numeric(text)?;
            let (year, month, day) = match order {
                Order::YearFirst => (one, two, three),
                Order::DayFirst => (three, two, one),
                // Nobody writes the month first with points.
                _ if separator == b'.' => return None,
                _ => (three, one, two),
            };
            (self::year(year)?, number(month)?, number(day)?)
        }
    };
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// Three numbers with the same sign between them.
fn numeric(text: &str) -> Option<(u8, [&str; 3])> {
    let separator = text.bytes().find(|byte| !byte.is_ascii_digit())?;
    if !matches!(separator, b'-' | b'/' | b'.') {
        return None;
    }
    let mut parts = text.split(char::from(separator));
    let three = [parts.next()?, parts.next()?, parts.next()?];
    let all_digits = three
        .iter()
        .all(|part| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()));
    (parts.next().is_none() && all_digits).then_some((separator, three))
}

fn named(text: &str) -> Option<(u32, u32, u32)> {
    let mut parts = text.split([' ', ',', '-', '/', '.', '\t']).filter(|part| !part.is_empty());
    let (one, two, three) = (parts.next()?, parts.next()?, parts.next()?);
    // `Tue, 31 Dec 2024`
    let (one, two, three) = match parts.next() {
        None => (one, two, three),
        Some(four) if is_weekday(one) && parts.next().is_none() => (two, three, four),
        Some(_) => return None,
    };
    let (month, day) = match (month(one).map(u32::from), month(two).map(u32::from)) {
        (Some(month), None) => (month, two),
        (None, Some(month)) => (month, one),
        _ => return None,
    };
    let day = day.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    Some((year(three)?, month, number(day)?))
}

fn number(text: &str) -> Option<u32> {
    ((1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

/// A year; two digits are the nearest such year to ours.
fn year(text: &str) -> Option<u32> {
    let number: u32 = text.parse().ok()?;
    match text.len() {
        4 if number > 0 => Some(number),
        2 => Some(if number < 70 { 2000 + number } else { 1900 + number }),
        _ => None,
    }
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The time of day as `HH:MM:SS`, with a fraction and a zone where they are written.
pub(super) fn time(text: &str) -> Option<String> {
    let clock = text.len()
        - text
            .trim_start_matches(|character: char| {
                character.is_ascii_digit() || matches!(character, ':' | '.')
            })
            .len();
    let (clock, rest) = text.split_at_checked(clock)?;
    let mut parts = clock.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() || minute.len() != 2 {
        return None;
    }
    let (second, fraction) = match second.unwrap_or("00").split_once('.') {
        Some((second, fraction)) if !fraction.is_empty() => (second, Some(fraction)),
        Some(_) => return None,
        None => (second.unwrap_or("00"), None),
    };
    if second.len() != 2 {
        return None;
    }
    let (mut hour, minute, second) = (number(hour)?, number(minute)?, number(second)?);
    let rest = rest.trim();
    let zone = match rest.to_ascii_lowercase().as_str() {
        "" => "",
        half @ ("am" | "pm" | "a.m." | "p.m.") => {
            if !(1..=12).contains(&hour) {
                return None;
            }
            hour = hour % 12 + if half.starts_with('p') { 12 } else { 0 };
            ""
        }
        "z" | "utc" => "Z",
        _ if is_zone(rest) => rest,
        _ => return None,
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let fraction = fraction.map(|digits| format!(".{digits}")).unwrap_or_default();
    Some(format!("{hour:02}:{minute:02}:{second:02}{fraction}{zone}"))
}

/// `+01:00`, which SQLite's functions read too.
fn is_zone(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    bytes.len() == 6
        && matches!(bytes.first(), Some(b'+' | b'-'))
        && digits(1..3)
        && bytes.get(3) == Some(&b':')
        && digits(4..6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_their_order() {
        for (text, order, expected) in [
            ("2024-12-31", Order::YearFirst, Some("2024-12-31")),
            ("2024/2/9", Order::YearFirst, Some("2024-02-09")),
            ("31.12.2024", Order::DayFirst, Some("2024-12-31")),
            ("3/4/24", Order::DayFirst, Some("2024-04-03")),
            ("3/4/24", Order::MonthFirst, Some("2024-03-04")),
            ("3.4.2024", Order::MonthFirst, None),
            ("31 Dec 2024", Order::Named, Some("2024-12-31")),
            ("December 31, 2024", Order::Named, Some("2024-12-31")),
            ("5-Sep-99", Order::Named, Some("1999-09-05")),
            ("Tue, 31 Dec 2024", Order::Named, Some("2024-12-31")),
            ("1st May 2024", Order::Named, Some("2024-05-01")),
            ("2023-02-29", Order::YearFirst, None),
            ("2024-13-01", Order::YearFirst, None),
            ("1-2-3", Order::YearFirst, None),
            ("192.168.1", Order::DayFirst, None),
            ("1.2.3.4", Order::DayFirst, None),
        ] {
            assert_eq!(date(text, order).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn moments_are_taken_apart() {
        let parts = |text: &'static str| moment(text).map(|moment| (moment.date, moment.time));
        assert_eq!(parts("2024-12-31T10:20:30Z"), Some(("2024-12-31", "10:20:30Z")));
        assert_eq!(parts("Dec 31, 2024, 10:20"), Some(("Dec 31, 2024", "10:20")));
        assert_eq!(parts("10:20"), Some(("", "10:20")));
        assert_eq!(parts("ratio 1:2"), Some(("ratio", "1:2")));
        assert_eq!(parts("x1:2"), None);
        for (text, expected) in [
            ("10:20", Some("10:20:00")),
            ("9:05:07.250", Some("09:05:07.250")),
            ("12:00 AM", Some("00:00:00")),
            ("1:30pm", Some("13:30:00")),
            ("10:20:30+02:00", Some("10:20:30+02:00")),
            ("10:20Z", Some("10:20:00Z")),
            ("25:00", None),
            ("1:2", None),
            ("10:20:30:40", None),
        ] {
            assert_eq!(time(text).as_deref(), expected, "{text}");
        }
    }
}
