//! What comes round again: days of the week, and hours of the day (*after 5 pm*, *between 8 and 10 am*, *in the morning*).

use crate::rules::text::Question;
use jiff::civil::Weekday;

/// Times that come round again.
#[derive(Debug, Clone, PartialEq)]
pub enum Recurring {
    /// These days of the week.
    Days(Vec<Weekday>),
    /// From one minute of the day to another, which is not among them. Where the second is not later, it is that of the next day.
    Hours {
        /// The first minute, 0 at midnight.
        from: i64,
        /// The minute after the last, at most [`MIDNIGHT`].
        until: i64,
    },
}

/// The minute after the last of a day.
pub const MIDNIGHT: i64 = 24 * 60;

impl Recurring {
    /// All other times.
    pub fn others(self) -> Self {
        match self {
            Self::Days(days) => Self::Days(
                Weekday::Monday.cycle_forward().take(7).filter(|day| !days.contains(day)).collect(),
            ),
            Self::Hours { from, until } => {
                Self::Hours { from: until % MIDNIGHT, until: if from == 0 { MIDNIGHT } else { from } }
            }
        }
    }
}

/// The times that words from here on say, each with the token after the last.
pub fn read(question: &Question, start: usize) -> impl Iterator<Item = (Recurring, usize)> {
    let days = days(question, start).map(|(days, end)| (Recurring::Days(days), end));
    days.into_iter().chain(hours(question, start))
}

/// *weekends*, *Mondays*, *Saturday and Sunday*, *weekdays*.
fn days(question: &Question, start: usize) -> Option<(Vec<Weekday>, usize)> {
    use Weekday::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};
    let named = |at: usize| weekday(question.word(at));
    match question.word(start) {
        "weekend" | "weekends" => return Some((vec![Saturday, Sunday], start + 1)),
        "weekdays" | "workdays" => {
            return Some((vec![Monday, Tuesday, Wednesday, Thursday, Friday], start + 1));
        }
        "working" if question.word(start + 1) == "days" => {
            return Some((vec![Monday, Tuesday, Wednesday, Thursday, Friday], start + 2));
        }
        _ => {}
    }
    let mut days = vec![named(start)?];
    let mut end = start + 1;
    while matches!(question.word(end), "and" | "or" | ",")
        && let Some(next) = named(end + 1)
    {
        days.push(next);
        end += 2;
    }
    Some((days, end))
}

/// The day of the week that a word names.
pub fn weekday(word: &str) -> Option<Weekday> {
    Some(match word.trim_end_matches('s') {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" | "wedne" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

/// The hours of the day.
fn hours(question: &Question, start: usize) -> Option<(Recurring, usize)> {
    let word = |at: usize| question.word(at);
    let hours = |from: i64, until: i64, end: usize| Some((Recurring::Hours { from, until }, end));
    let part = |at: usize| part_of_day(word(at));
    match word(start) {
        "after" | "past" | "from" | "since" | "before" | "until" | "till"
            if clock(question, start + 1).is_some() =>
        {
            let (minute, end) = clock(question, start + 1)?;
            if word(start) == "from" && matches!(word(end), "to" | "until" | "till" | "-") {
                return between(question, start);
            }
            let end = end + usize::from(matches!(word(end), "on" | "onward" | "onwards"));
            match word(start) {
                "before" | "until" | "till" => hours(0, minute, end),
                _ => hours(minute, MIDNIGHT, end),
            }
        }
        "between" | "from" => between(question, start),
        "at" if word(start + 1) == "night" => hours(22 * 60, 6 * 60, start + 2),
        "at" | "for" | "during" | "over" if meal_of_day(word(start + 1)).is_some() => {
            let (from, until) = meal_of_day(word(start + 1))?;
            hours(from, until, start + 2)
        }
        "in" | "during" if word(start + 1) == "the" => {
            let (from, until) = part(start + 2)?;
            hours(from, until, start + 3)
        }
        said => {
            // *morning rides*: before what happens then.
            let follows = |next: &str| !next.is_empty() && next.chars().all(char::is_alphabetic);
            let names_time = said != "night" && said != "nights" && follows(word(start + 1));
            let (from, until) = part(start).filter(|_| names_time || meal_of_day(said).is_some())?;
            hours(from, until, start + 1)
        }
    }
}

/// *between 8 and 10 am*, *from 17:00 to 19:00*.
fn between(question: &Question, start: usize) -> Option<(Recurring, usize)> {
    let links = |at: usize| matches!(question.word(at), "and" | "to" | "until" | "till" | "-");
    let first = clock(question, start + 1);
    let (from, and) = match first {
        Some((minute, end)) => (minute, end),
        None => (whole_hour(question.word(start + 1))? * 60, start + 2),
    };
    if !links(and) {
        return None;
    }
    let (until, end) = clock(question, and + 1)?;
    // *between 2 and 5 pm*: the half of the day is said once.
    let from =
        if first.is_none() && until > 12 * 60 && from + 12 * 60 < until { from + 12 * 60 } else { from };
    Some((Recurring::Hours { from, until: if until == 0 { MIDNIGHT } else { until } }, end))
}

/// When a part of the day begins and ends, as most people have it.
fn part_of_day(word: &str) -> Option<(i64, i64)> {
    Some(match word {
        "morning" | "mornings" => (6 * 60, 12 * 60),
        "afternoon" | "afternoons" => (12 * 60, 18 * 60),
        "evening" | "evenings" => (18 * 60, 22 * 60),
        "night" | "nights" => (22 * 60, 6 * 60),
        meal => return meal_of_day(meal),
    })
}

/// When people have a meal.
fn meal_of_day(word: &str) -> Option<(i64, i64)> {
    Some(match word {
        "breakfast" | "breakfasts" => (6 * 60, 11 * 60),
        "lunch" | "lunches" | "lunchtime" | "lunchtimes" => (11 * 60, 16 * 60),
        "dinner" | "dinners" | "dinnertime" => (17 * 60, MIDNIGHT),
        _ => return None,
    })
}

/// A time of the day, as a minute: *17:00*, *5pm*, *5 pm*, *9 o'clock*, *noon*.
fn clock(question: &Question, at: usize) -> Option<(i64, usize)> {
    let said = question.word(at);
    let half = |word: &str| match word {
        "am" | "a.m" | "a.m." => Some(0),
        "pm" | "p.m" | "p.m." => Some(12),
        _ => None,
    };
    match said {
        "noon" | "midday" => return Some((12 * 60, at + 1)),
        "midnight" => return Some((0, at + 1)),
        _ => {}
    }
    let letters = said.find(|sign: char| sign.is_alphabetic()).unwrap_or(said.len());
    let (digits, suffix) = said.split_at_checked(letters)?;
    let (hour, minute) = match digits.split_once(':') {
        Some((hour, minute)) => {
            (whole_hour(hour)?, minute.parse::<i64>().ok().filter(|minute| (0..60).contains(minute))?)
        }
        None => (whole_hour(digits)?, 0),
    };
    let has_colon = digits.contains(':');
    let (later, end) = match (half(suffix), half(question.word(at + 1)), question.word(at + 1)) {
        (Some(later), ..) => (Some(later), at + 1),
        (None, Some(later), _) if suffix.is_empty() => (Some(later), at + 2),
        (None, None, "o'clock" | "oclock") if suffix.is_empty() => (None, at + 2),
        (None, None, _) if suffix.is_empty() && has_colon => (None, at + 1),
        _ => return None,
    };
    let hour = match later {
        Some(later) if hour <= 12 => hour % 12 + later,
        _ => hour,
    };
    Some((hour * 60 + minute, end))
}

fn whole_hour(digits: &str) -> Option<i64> {
    digits.parse().ok().filter(|hour| (0..=23).contains(hour))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_read_as_people_say_them() {
        let read = |text: &str| match hours(&Question::new(text), 0) {
            Some((Recurring::Hours { from, until }, _)) => Some((from, until)),
            _ => None,
        };
        for (text, wanted) in [
            ("after 5 pm", Some((17 * 60, MIDNIGHT))),
            ("after 5pm", Some((17 * 60, MIDNIGHT))),
            ("before 08:30", Some((0, 8 * 60 + 30))),
            ("between 8 and 10 am", Some((8 * 60, 10 * 60))),
            ("between 2 and 5 pm", Some((14 * 60, 17 * 60))),
            ("between 10 and 2 pm", Some((10 * 60, 14 * 60))),
            ("from 17:00 to 19:00", Some((17 * 60, 19 * 60))),
            ("in the morning", Some((6 * 60, 12 * 60))),
            ("at night", Some((22 * 60, 6 * 60))),
            ("before noon", Some((0, 12 * 60))),
            ("after 5", None),
            ("between 8 and 10", None),
        ] {
            assert_eq!(read(text), wanted, "{text}");
        }
    }
}
