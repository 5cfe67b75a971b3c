//! Times as databases write them, and where the ticks of an axis of times stand.

use jiff::civil::{Date, DateTime, date};
use jiff::{Span, ToSpan as _};

/// How exactly times are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Grain {
    Year,
    Quarter,
    Month,
    #[default]
    Day,
    Second,
}

const DAY: f64 = 86_400.0;

/// A time in seconds since the beginning of 1970, and how exactly it is known. Zones are left aside: two times of one
/// column stand in the same.
pub(super) fn parse(text: &str) -> Option<(f64, Grain)> {
    let text = text.trim();
    let number = |part: Option<&str>| part.and_then(|part| part.parse::<i8>().ok());
    let year: i16 =
        text.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
    let rest = text.get(4..)?;
    let of_day = |year, month, grain| Some((seconds(Date::new(year, month, 1).ok()?), grain));
    if rest.is_empty() {
        return (1000..2500).contains(&year).then(|| of_day(year, 1, Grain::Year))?;
    }
    if let Some(quarter) = rest.strip_prefix("-Q").or_else(|| rest.strip_prefix(" Q")) {
        let quarter = number(Some(quarter)).filter(|quarter| (1..=4).contains(quarter))?;
        return of_day(year, quarter * 3 - 2, Grain::Quarter);
    }
    if !rest.starts_with('-') {
        return None;
    }
    if rest.len() == 3 {
        return of_day(year, number(rest.strip_prefix('-'))?, Grain::Month);
    }
    if rest.len() == 6 {
        return Some((seconds(text.parse::<Date>().ok()?), Grain::Day));
    }
    let time = text.get(..19).or_else(|| text.get(..16)).unwrap_or(text);
    let time: DateTime = time.parse().ok()?;
    let midnight = time.time() == jiff::civil::Time::midnight();
    Some((of_time(time), if midnight { Grain::Day } else { Grain::Second }))
}

/// The beginning of a year.
pub(super) fn of_year(year: i64) -> Option<f64> {
    let year = i16::try_from(year).ok().filter(|year| (1000..2500).contains(year))?;
    Some(seconds(Date::new(year, 1, 1).ok()?))
}

fn seconds(day: Date) -> f64 {
    of_time(day.at(0, 0, 0, 0))
}

fn of_time(time: DateTime) -> f64 {
    let span = date(1970, 1, 1).at(0, 0, 0, 0).duration_until(time);
    span.as_secs_f64()
}

/// The time at so many seconds.
pub(super) fn at(seconds: f64) -> DateTime {
    let begin = date(1970, 1, 1).at(0, 0, 0, 0);
    begin.checked_add(Span::new().seconds(seconds as i64)).unwrap_or(begin)
}

/// Where ticks stand between two times, and what they say: at most `most`, and no finer than the times are known.
pub(super) fn ticks(low: f64, high: f64, grain: Grain, most: usize) -> Vec<(f64, String)> {
    let most = most.max(2);
    let steps = [
        (Grain::Second, 1, 60.0),
        (Grain::Second, 10, 600.0),
        (Grain::Second, 60, 3_600.0),
        (Grain::Second, 360, 6.0 * 3_600.0),
        (Grain::Day, 1, DAY),
        (Grain::Day, 2, 2.0 * DAY),
        (Grain::Day, 7, 7.0 * DAY),
        (Grain::Day, 14, 14.0 * DAY),
        (Grain::Month, 1, 30.4 * DAY),
        (Grain::Month, 2, 60.9 * DAY),
        (Grain::Month, 3, 91.3 * DAY),
        (Grain::Month, 6, 182.6 * DAY),
        (Grain::Year, 1, 365.2 * DAY),
        (Grain::Year, 2, 730.5 * DAY),
        (Grain::Year, 5, 1_826.2 * DAY),
        (Grain::Year, 10, 3_652.4 * DAY),
        (Grain::Year, 25, 9_131.1 * DAY),
        (Grain::Year, 50, 18_262.1 * DAY),
        (Grain::Year, 100, 36_524.3 * DAY),
        (Grain::Year, 500, 182_621.0 * DAY),
    ];
    let known = |unit: Grain, step: i32| match grain {
        Grain::Quarter => unit == Grain::Year || unit == Grain::Month && step % 3 == 0,
        _ => unit <= grain,
    };
    let fitting = steps
        .into_iter()
        .filter(|(unit, step, _)| known(*unit, *step))
        .find(|(_, _, length)| (high - low) / length < most as f64);
    let (unit, step, _) = fitting.unwrap_or((Grain::Year, 500, 0.0));
    let mut ticks = Vec::new();
    let mut tick = first(at(low), unit, step);
    while of_time(tick) <= high && ticks.len() <= most {
        if of_time(tick) >= low {
            ticks.push((of_time(tick), label(tick, unit, grain)));
        }
        let Ok(next) = tick.checked_add(span(unit, step)) else { break };
        tick = next;
    }
    ticks
}

/// The last tick at or before a time.
fn first(time: DateTime, unit: Grain, step: i32) -> DateTime {
    let day = time.date();
    let begin = match unit {
        Grain::Year => {
            let year = i32::from(day.year()).div_euclid(step) * step;
            Date::new(year as i16, 1, 1)
        }
        Grain::Month | Grain::Quarter => {
            let month = (i32::from(day.month()) - 1) / step * step + 1;
            Date::new(day.year(), month as i8, 1)
        }
        Grain::Day | Grain::Second => Ok(day),
    };
    begin.unwrap_or(day).at(0, 0, 0, 0)
}

fn span(unit: Grain, step: i32) -> Span {
    match unit {
        Grain::Year => step.years(),
        Grain::Quarter | Grain::Month => step.months(),
        Grain::Day => step.days(),
        Grain::Second => step.minutes(),
    }
}

fn label(time: DateTime, unit: Grain, grain: Grain) -> String {
    match (unit, grain) {
        (Grain::Year, _) => time.strftime("%Y").to_string(),
        (_, Grain::Quarter) => format!("{} Q{}", time.year(), (time.month() + 2) / 3),
        (Grain::Month | Grain::Quarter, _) => time.strftime("%b %Y").to_string(),
        (Grain::Day, _) => time.strftime("%-d %b %Y").to_string(),
        (Grain::Second, _) if time.hour() == 0 && time.minute() == 0 => time.strftime("%-d %b").to_string(),
        (Grain::Second, _) => time.strftime("%H:%M").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_databases_write_them() {
        let read = |text| parse(text).map(|(seconds, grain)| (at(seconds).to_string(), grain));
        let told = |time: &str, grain| Some((time.to_owned(), grain));
        assert_eq!(read("2024"), told("2024-01-01T00:00:00", Grain::Year));
        assert_eq!(read("2024-Q3"), told("2024-07-01T00:00:00", Grain::Quarter));
        assert_eq!(read("2024-02"), told("2024-02-01T00:00:00", Grain::Month));
        assert_eq!(read("1969-02-28"), told("1969-02-28T00:00:00", Grain::Day));
        assert_eq!(read("2024-02-28 00:00:00"), told("2024-02-28T00:00:00", Grain::Day));
        assert_eq!(read("2024-02-28 13:30:05.25+02"), told("2024-02-28T13:30:05", Grain::Second));
        assert_eq!(read("2024-02-28T13:30:05Z"), told("2024-02-28T13:30:05", Grain::Second));
        for no in ["", "0042", "2024-13", "2024-Q5", "2024-02-30", "20240228", "2024-é", "1234-5678", "ABCD"]
        {
            assert_eq!(read(no), None, "{no}");
        }
    }

    #[test]
    fn ticks_are_round_and_few() {
        let said = |low: &str, high: &str, most| -> Vec<String> {
            let ((low, grain), (high, _)) = (parse(low).unwrap(), parse(high).unwrap());
            ticks(low, high, grain, most).into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(said("2024-01", "2025-12", 6), ["Jan 2024", "Jul 2024", "Jan 2025", "Jul 2025"]);
        assert_eq!(said("2024-Q1", "2024-Q4", 8), ["2024 Q1", "2024 Q2", "2024 Q3", "2024 Q4"]);
        assert_eq!(said("2022", "2026", 12), ["2022", "2023", "2024", "2025", "2026"]);
        assert_eq!(
            said("2024-03-01", "2024-03-04", 8),
            ["1 Mar 2024", "2 Mar 2024", "3 Mar 2024", "4 Mar 2024"]
        );
        assert!(said("1000-01-01", "2499-12-31", 4).len() <= 5);
    }
}
