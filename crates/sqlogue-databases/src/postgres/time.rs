//! Dates, times and intervals, from the wire to ISO 8601.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;

const DAY: i64 = 86_400_000_000;

/// Days from 1970-01-01, where calendars of programs begin, to 2000-01-01, where PostgreSQL's does.
const EPOCH: i64 = 10_957;

/// A date, given in days from 2000-01-01.
pub(super) fn date(days: i32) -> String {
    match days {
        i32::MAX => "infinity".into(),
        i32::MIN => "-infinity".into(),
        days => day(i64::from(days)),
    }
}

/// A time of day, given in microseconds.
pub(super) fn time(micros: i64) -> String {
    let seconds = micros.div_euclid(1_000_000);
    let mut text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    fraction(&mut text, micros.rem_euclid(1_000_000));
    text
}

/// A time of day with the distance of its zone, in seconds west.
pub(super) fn time_with_zone(micros: i64, west: i32) -> String {
    time(micros) + &distance(-i64::from(west))
}

/// A point in time, given in microseconds from 2000-01-01, in a zone where there is one.
pub(super) fn timestamp(micros: i64, zone: Option<&TimeZone>) -> String {
    match micros {
        i64::MAX => return "infinity".into(),
        i64::MIN => return "-infinity".into(),
        _ => {}
    }
    let Some(zone) = zone else { return local(micros) };
    let since_1970 =
        micros.checked_add(EPOCH * DAY).and_then(|micros| Timestamp::from_microsecond(micros).ok());
    let east = since_1970.map_or(0, |timestamp| i64::from(zone.to_offset(timestamp).seconds()));
    local(micros.saturating_add(east * 1_000_000)) + &distance(east)
}

/// A length of time, as PostgreSQL itself writes it.
pub(super) fn interval(micros: i64, days: i32, months: i32) -> String {
    let mut parts = Vec::new();
    let mut count = |number: i32, unit: &str| {
        if number != 0 {
            parts.push(format!("{number} {unit}{}", if number == 1 { "" } else { "s" }));
        }
    };
    count(months / 12, "year");
    count(months % 12, "mon");
    count(days, "day");
    if micros != 0 || parts.is_empty() {
        let sign = if micros < 0 { "-" } else { "" };
        parts.push(format!("{sign}{}", time(i64::try_from(micros.unsigned_abs()).unwrap_or(i64::MAX))));
    }
    parts.join(" ")
}

fn local(micros: i64) -> String {
    format!("{} {}", day(micros.div_euclid(DAY)), time(micros.rem_euclid(DAY)))
}

fn fraction(text: &mut String, micros: i64) {
    if micros > 0 {
        let digits = format!("{micros:06}");
        text.push('.');
        text.push_str(digits.trim_end_matches('0'));
    }
}

/// `+01:00`.
fn distance(east: i64) -> String {
    let (sign, seconds) = if east < 0 { ('-', -east) } else { ('+', east) };
    let mut text = format!("{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
    if seconds % 60 != 0 {
        // Writing to a String cannot fail.
        let _ = write!(text, ":{:02}", seconds % 60);
    }
    text
}

/// The date so many days after 2000-01-01. PostgreSQL's years go far beyond those of calendar libraries.
fn day(days: i64) -> String {
    // Counted in eras of 400 years that begin on the first of March, so that leap days come last.
    let days = days + EPOCH + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    if year > 0 {
        format!("{year:04}-{month:02}-{day:02}")
    } else {
        format!("{:04}-{month:02}-{day:02} BC", 1 - year)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_iso() {
        assert_eq!(date(0), "2000-01-01");
        assert_eq!(date(59), "2000-02-29");
        assert_eq!(date(-1), "1999-12-31");
        assert_eq!(date(9_821), "2026-11-21");
        assert_eq!(date(-730_119), "0001-01-01");
        assert_eq!(date(-730_120), "0001-12-31 BC");
        assert_eq!(date(i32::MAX), "infinity");
        assert_eq!(time(37_230_500_000), "10:20:30.5");
        assert_eq!(time(DAY), "24:00:00");
        assert_eq!(time_with_zone(0, -5_400), "00:00:00+01:30");
        assert_eq!(timestamp(-1, None), "1999-12-31 23:59:59.999999");
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        assert_eq!(timestamp(0, Some(&berlin)), "2000-01-01 01:00:00+01:00");
        assert_eq!(interval(3_723_000_000, 2, 14), "1 year 2 mons 2 days 01:02:03");
        assert_eq!(interval(0, 0, 0), "00:00:00");
        assert_eq!(interval(-1_000_000, 0, 0), "-00:00:01");
    }
}
