//! Dates and times as Parquet counts them, to ISO 8601.

use ::parquet::basic::TimeUnit;

const DAY: i64 = 86_400;

/// The parts of a second that a unit counts.
fn parts(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::MILLIS => 1_000,
        TimeUnit::MICROS => 1_000_000,
        TimeUnit::NANOS => 1_000_000_000,
    }
}

/// The date that many days after 1 January 1970.
pub(super) fn date(days: i64) -> String {
    // Years are reckoned from March, so that the day that only some have is their last; 400 of them are alike.
    let from_march = days + 719_468;
    let (era, day) = (from_march.div_euclid(146_097), from_march.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The time of day so much after midnight.
pub(super) fn time(since: i64, unit: TimeUnit) -> String {
    clock(since.div_euclid(parts(unit)), since.rem_euclid(parts(unit)) * (1_000_000_000 / parts(unit)))
}

/// The date and time so much after the beginning of 1970.
pub(super) fn moment(since: i64, unit: TimeUnit) -> String {
    let seconds = since.div_euclid(parts(unit));
    let nanoseconds = since.rem_euclid(parts(unit)) * (1_000_000_000 / parts(unit));
    format!("{} {}", date(seconds.div_euclid(DAY)), clock(seconds.rem_euclid(DAY), nanoseconds))
}

/// The same from days and nanoseconds, as old files count.
pub(super) fn old_moment(days: i64, nanoseconds: i64) -> String {
    let (seconds, rest) = (nanoseconds.div_euclid(1_000_000_000), nanoseconds.rem_euclid(1_000_000_000));
    let days = days + seconds.div_euclid(DAY);
    format!("{} {}", date(days), clock(seconds.rem_euclid(DAY), rest))
}

fn clock(seconds: i64, nanoseconds: i64) -> String {
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match nanoseconds {
        0 => format!("{hour:02}:{minute:02}:{second:02}"),
        _ if nanoseconds % 1_000_000 == 0 => {
            format!("{hour:02}:{minute:02}:{second:02}.{:03}", nanoseconds / 1_000_000)
        }
        _ if nanoseconds % 1_000 == 0 => {
            format!("{hour:02}:{minute:02}:{second:02}.{:06}", nanoseconds / 1_000)
        }
        _ => format!("{hour:02}:{minute:02}:{second:02}.{nanoseconds:09}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (19_782, "2024-02-29"),
            (-719_528, "0000-01-01"),
            (2_932_896, "9999-12-31"),
            (2_932_897, "10000-01-01"),
        ] {
            assert_eq!(date(days), expected);
        }
    }

    #[test]
    fn units_are_parts_of_a_second() {
        assert_eq!(moment(0, TimeUnit::MILLIS), "1970-01-01 00:00:00");
        assert_eq!(moment(-1, TimeUnit::MILLIS), "1969-12-31 23:59:59.999");
        assert_eq!(moment(1_706_696_400_000_001, TimeUnit::MICROS), "2024-01-31 10:20:00.000001");
        assert_eq!(moment(1_500_000_000, TimeUnit::NANOS), "1970-01-01 00:00:01.500");
        assert_eq!(time(3_661_000_000_001, TimeUnit::NANOS), "01:01:01.000000001");
        assert_eq!(old_moment(1, 86_400_000_000_000), "1970-01-03 00:00:00");
        assert_eq!(moment(i64::MIN, TimeUnit::MILLIS), "-292275055-05-16 16:47:04.192");
    }
}
