//! Windows of time: *last 30 days*, *since March*, *Q2 2026*, *year to date*, *from April to June*.
//!
//! A window is half-open, from its first day up to the day after its last: a day, a month or a quarter on a column with
//! times loses nothing. Windows relative to today are counted from a day that the caller gives.

mod relative;
mod spoken;
mod window;

pub use window::Window;

use jiff::ToSpan;
use jiff::civil::Date;

use super::recurring::{self, Recurring};
use crate::rules::dates;
use crate::rules::link::number_word;
use crate::rules::text::Question;

/// Something about time that a span of tokens says.
#[derive(Debug, Clone, PartialEq)]
pub enum Timed {
    /// When.
    Window(Window),
    /// Only at times that come round again.
    Recurring(Recurring),
}

/// What is said about time, with the tokens that say it: first token, token after the last.
pub fn windows(question: &Question, today: Date) -> Vec<(usize, usize, Timed)> {
    let reader = Reader { question, today };
    let mut found = Vec::new();
    for start in 0..question.tokens.len() {
        if let Some((window, end)) = reader.bounded(start) {
            found.push((start, end, Timed::Window(window)));
        }
        if let Some((window, end)) = reader.range(start) {
            found.push((start, end, Timed::Window(window)));
        }
        if let Some((window, end)) = reader.days_of_one_month(start) {
            found.push((start, end, Timed::Window(window)));
        }
        if let Some((window, end)) = reader.months_in_a_row(start) {
            found.push((start, end, Timed::Window(window)));
        }
        if let Some((window, end)) = reader.plain(start) {
            found.push((start, end, Timed::Window(window)));
        }
        for (times, end) in recurring::read(question, start) {
            found.push((start, end, Timed::Recurring(times)));
        }
    }
    found
}

struct Reader<'a> {
    question: &'a Question,
    today: Date,
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.question.word(at)
    }

    fn skip_article(&self, at: usize) -> usize {
        at + usize::from(matches!(self.word(at), "the" | "a" | "an"))
    }

    /// *since March*, *before 2025*, *until the end of May*, *from June 2025 on*, *March onwards*.
    fn bounded(&self, start: usize) -> Option<(Window, usize)> {
        let (kind, at) = match (self.word(start), self.word(start + 1)) {
            ("since" | "starting" | "beginning", "in" | "on" | "from" | "with") => ("since", start + 2),
            ("since", _) => ("since", start + 1),
            ("on", "or") if self.word(start + 2) == "after" => ("since", start + 3),
            ("on", "or") if self.word(start + 2) == "before" => ("until", start + 3),
            ("no", "later") if self.word(start + 2) == "than" => ("until", start + 3),
            ("no", "earlier") if self.word(start + 2) == "than" => ("since", start + 3),
            ("not", "before") => ("since", start + 2),
            ("not", "after") => ("until", start + 2),
            ("not", "later") if self.word(start + 2) == "than" => ("until", start + 3),
            ("not", "earlier") if self.word(start + 2) == "than" => ("since", start + 3),
            ("later", "than") => ("after", start + 2),
            ("earlier", "than") | ("prior", "to") => ("before", start + 2),
            ("up", "to") => ("until", start + 2),
            ("after", _) => ("after", start + 1),
            ("before", _) => ("before", start + 1),
            ("until" | "till" | "through", _) => ("until", start + 1),
            ("from", _) => ("onwards", start + 1),
            _ => ("trailing", start),
        };
        let at = self.skip_article(at);
        let edge = match (self.word(at), self.word(at + 1)) {
            ("beginning" | "start", "of") => Some(true),
            ("end", "of") => Some(false),
            _ => None,
        };
        let at = self.skip_article(if edge.is_some() { at + 2 } else { at });
        let unit_now = || edge.and_then(|_| self.unit_now(at));
        let (window, end) = self.plain(at).or_else(unit_now).or_else(|| self.new_year(at))?;
        let first = window.from?;
        let last = window.last();
        let first = if edge == Some(false) { last? } else { first };
        let last = if edge == Some(true) { Some(first) } else { last };
        let onwards = match (self.word(end), self.word(end + 1)) {
            ("on" | "onwards" | "onward", _) => Some(end + 1),
            ("and" | "or", "later" | "after" | "onwards" | "newer" | "since") => Some(end + 2),
            _ => None,
        };
        match kind {
            "since" => Some((Window::since(first), onwards.unwrap_or(end))),
            "after" => Some((Window::since(last?.tomorrow().ok()?), end)),
            "before" => Some((Window { from: None, until: Some(first) }, end)),
            // *until the end of the year* is what is still to come.
            "until" if edge == Some(false) && last? >= self.today => {
                Some((Window::days(self.today, last?)?, end))
            }
            "until" => Some((Window::to(last?)?, end)),
            "onwards" if edge == Some(true) => Some((Window::since(first), onwards.unwrap_or(end))),
            _ => Some((Window::since(first), onwards?)),
        }
    }

    /// *from April to June 2026*, *between May and July*, *December to February*.
    fn range(&self, start: usize) -> Option<(Window, usize)> {
        let lead = matches!(self.word(start), "from" | "between");
        let first_at = self.skip_article(start + usize::from(lead));
        let (first, at) = self.plain(first_at).or_else(|| self.now(first_at))?;
        let joined = match (self.word(at), self.word(at + 1), self.word(at + 2)) {
            ("up", "to", "and") if self.word(at + 3) == "including" => 4,
            ("up", "to", _) => 2,
            ("to" | "until" | "till" | "through" | "-" | "–", ..) => 1,
            ("and", ..) if self.word(start) == "between" => 1,
            _ => return None,
        };
        let (last, end) = self.far_end(at + joined)?;
        let (mut from, until) = (first.from?, last.until?);
        // *April to June 2025*: the year is said once, at the end.
        let yearless = self.month_alone(first_at).is_some_and(|(_, after)| after == at);
        if yearless {
            let year = last.from?.year();
            from = Date::new(year, from.month(), from.day()).ok()?;
            if from >= until {
                from = from.checked_sub(1.year()).ok()?;
            }
        }
        (from < until).then_some((Window { from: Some(from), until: Some(until) }, end))
    }

    /// *July, August and September 2025*: months that follow one another are one window.
    fn months_in_a_row(&self, start: usize) -> Option<(Window, usize)> {
        let (first, mut at) = self.month_alone(start)?;
        let first = first.from?.month();
        let mut count = 1;
        loop {
            let comma = usize::from(self.word(at) == ",");
            let and = usize::from(matches!(self.word(at + comma), "and" | "&"));
            let next = at + comma + and;
            if next == at || self.month(next) != Some((first - 1 + count) % 12 + 1) {
                break;
            }
            count += 1;
            at = next + 1;
        }
        if count < 2 {
            return None;
        }
        let (until, end) = match self.said_year(at) {
            Some((year, end)) => (Window::months(year, (first + count - 2) % 12 + 1, 1)?, end),
            None => self.month_alone(at - 1)?,
        };
        let until = until.until?;
        let from = until.checked_sub(i32::from(count).months()).ok()?;
        Some((Window { from: Some(from), until: Some(until) }, end))
    }

    /// A window that stands for itself.
    fn plain(&self, start: usize) -> Option<(Window, usize)> {
        let of_year = |found: (Window, usize)| self.of_said_year(start, found);
        self.dated(start)
            .map(of_year)
            .or_else(|| self.quarter(start))
            .or_else(|| self.half_of_month(start))
            .or_else(|| self.half(start))
            .or_else(|| self.century(start))
            .or_else(|| self.decade(start))
            .or_else(|| self.to_date(start))
            .or_else(|| self.counted(start))
            .or_else(|| self.relative(start))
            .or_else(|| self.ago(start))
            .or_else(|| self.month_alone(start).map(of_year))
            .or_else(|| self.year_alone(start))
    }

    fn number(&self, at: usize) -> Option<i64> {
        let word = self.word(at);
        let digits = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        digits.parse().ok().or_else(|| number_word(word).map(|(number, _)| number))
    }

    fn year(&self, at: usize) -> Option<i16> {
        let word = self.word(at);
        word.parse::<i16>().ok().filter(|year| word.len() == 4 && (1900..2200).contains(year))
    }

    /// The year at a token, with the token after it: *2025*, *last year*, *of this year*.
    fn said_year(&self, at: usize) -> Option<(i16, usize)> {
        if let Some(year) = self.year(at) {
            return Some((year, at + 1));
        }
        let at = at + usize::from(matches!(self.word(at), "of" | "in"));
        let today = self.today.year();
        match (self.word(at), self.word(at + 1)) {
            ("last" | "previous", "year") => Some((today - 1, at + 2)),
            ("this" | "current", "year") => Some((today, at + 2)),
            ("the", "year") if self.word(at + 2) == "before" => Some((today - 1, at + 3)),
            _ => self.year(at).map(|year| (year, at + 1)),
        }
    }

    fn month(&self, at: usize) -> Option<i8> {
        dates::month(self.word(at).trim_end_matches('.'))
    }

    fn year_alone(&self, at: usize) -> Option<(Window, usize)> {
        let window = Window::year(self.year(at)?)?;
        let so_far = self.word(at + 1) == "so" && self.word(at + 2) == "far";
        Some((window, if so_far { at + 3 } else { at + 1 }))
    }

    /// *June*, *this June*, *last June*: the latest one that has begun, unless a year is said.
    fn month_alone(&self, start: usize) -> Option<(Window, usize)> {
        let (shift, at) = match self.word(start) {
            "this" => (0, start + 1),
            "last" => (-1, start + 1),
            _ => (0, start),
        };
        let month = self.month(at)?;
        if matches!(self.word(at), "may" | "march" | "mar") && !self.is_month(at) {
            return None;
        }
        if self.said_year(at + 1).is_some() {
            return None;
        }
        let mut year = self.today.year();
        if month > self.today.month() {
            year -= 1;
        } else if shift < 0 {
            year -= i16::from(month == self.today.month());
        }
        Some((Window::months(year, month, 1)?, at + 1))
    }

    /// Days and months that say their year.
    fn dated(&self, start: usize) -> Option<(Window, usize)> {
        let word = self.word(start);
        let parts: Vec<&str> = word.split(['-', '/', '.']).collect();
        let numbers: Vec<i64> = parts.iter().filter_map(|part| part.parse().ok()).collect();
        if numbers.len() == parts.len() {
            match *numbers.as_slice() {
                [year, month, day] if year > 31 => return self.single(year, month, day, start + 1),
                [day, month, year] if day > 12 || word.contains('.') => {
                    return self.single(year, month, day, start + 1);
                }
                [month, day, year] => return self.single(year, month, day, start + 1),
                [year, month] if (1900..2200).contains(&year) && word.contains('-') => {
                    let (year, month) = (i16::try_from(year).ok()?, i8::try_from(month).ok()?);
                    return Some((Window::months(year, month, 1)?, start + 1));
                }
                _ => {}
            }
        }
        if let Some(month) = self.month(start) {
            if let Some((year, end)) = self.said_year(start + 1) {
                return Some((Window::months(year, month, 1)?, end));
            }
            let day = self.number(start + 1).filter(|day| (1..=31).contains(day))?;
            let comma = usize::from(self.word(start + 2) == ",");
            return match self.year(start + 2 + comma) {
                Some(year) => self.single(year.into(), month.into(), day, start + 3 + comma),
                None => self.recent(month, day, start + 2),
            };
        }
        let day = self.number(start).or_else(|| self.ordinal(start).map(i64::from));
        let day = day.filter(|day| (1..=31).contains(day))?;
        let in_digits = self.word(start).starts_with(|letter: char| letter.is_ascii_digit());
        // *the first of May*
        if !in_digits && self.word(start + 1) != "of" {
            return None;
        }
        let of = usize::from(self.word(start + 1) == "of");
        let month = self.month(start + 1 + of)?;
        let comma = usize::from(self.word(start + 2 + of) == ",");
        match self.year(start + 2 + of + comma) {
            Some(year) => self.single(year.into(), month.into(), day, start + 3 + of + comma),
            None => self.recent(month, day, start + 2 + of),
        }
    }

    fn single(&self, year: i64, month: i64, day: i64, end: usize) -> Option<(Window, usize)> {
        let year = i16::try_from(year).ok()?;
        let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
        Some((Window::days(date, date)?, end))
    }

    /// A day of a month without a year: the latest that has come.
    fn recent(&self, month: i8, day: i64, end: usize) -> Option<(Window, usize)> {
        let date = Date::new(self.today.year(), month, i8::try_from(day).ok()?).ok()?;
        let date = if date > self.today { date.checked_sub(1.year()).ok()? } else { date };
        Some((Window::days(date, date)?, end))
    }

    /// *Q2 2026*, *second quarter of 2026*, *Q3*.
    fn quarter(&self, start: usize) -> Option<(Window, usize)> {
        let word = self.word(start);
        let (quarter, at) = match word.strip_prefix('q').and_then(|digit| digit.parse::<i8>().ok()) {
            Some(quarter) => (quarter, start + 1),
            None => match (self.ordinal(start)?, self.word(start + 1)) {
                (quarter, "quarter") => (quarter, start + 2),
                // *first and second quarter*
                (quarter, "and" | "vs" | "versus" | "against") => {
                    let other = self.skip_article(start + 2);
                    self.ordinal(other).filter(|_| self.word(other + 1) == "quarter")?;
                    (quarter, start + 1)
                }
                _ => return None,
            },
        };
        if !(1..=4).contains(&quarter) {
            return None;
        }
        let comma = usize::from(self.word(at) == "," && self.year(at + 1).is_some());
        let own = self.said_year(at + comma);
        // *Q1 and Q2 of last year*: both are of the year that is said last.
        let shared = || {
            let (year, _) = self.shared_year(at)?;
            Some((year, at))
        };
        let (year, end) = own.or_else(shared).unwrap_or_else(|| {
            let begun = (self.today.month() - 1) / 3 + 1 >= quarter;
            (self.today.year() - i16::from(!begun), at)
        });
        Some((Window::months(year, quarter * 3 - 2, 3)?, end))
    }

    /// The year of the quarter that another is named beside.
    fn shared_year(&self, at: usize) -> Option<(i16, usize)> {
        let next = self.skip_article(at + 1);
        let is_quarter = self.word(next).strip_prefix('q').is_some_and(|digit| digit.parse::<i8>().is_ok());
        let named = if is_quarter { 1 } else { 2 };
        let beside = matches!(self.word(at), "and" | "vs" | "versus" | "against" | ",");
        let is_other = is_quarter || self.ordinal(next).is_some() && self.word(next + 1) == "quarter";
        if beside && is_other { self.said_year(next + named) } else { None }
    }

    fn ordinal(&self, at: usize) -> Option<i8> {
        match self.word(at) {
            "first" => Some(1),
            "last" => None,
            word => match number_word(word) {
                Some((number, true)) => i8::try_from(number).ok(),
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn read(text: &str) -> Option<(String, String)> {
        let found = windows(&Question::new(text), date(2026, 7, 1));
        let longest = found.into_iter().max_by_key(|(start, end, _)| end - start)?;
        let show = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
        match longest.2 {
            Timed::Window(window) => Some((show(window.from), show(window.until))),
            Timed::Recurring(Recurring::Days(days)) => Some((format!("{days:?}"), String::new())),
            Timed::Recurring(Recurring::Hours { .. }) => None,
        }
    }

    #[test]
    fn windows_are_half_open() {
        for (text, from, until) in [
            ("on 2019-05-01", "2019-05-01", "2019-05-02"),
            ("in May 2020", "2020-05-01", "2020-06-01"),
            ("in 2025", "2025-01-01", "2026-01-01"),
            ("the past 30 days", "2026-06-01", "2026-07-02"),
            ("the last 3 full months", "2026-04-01", "2026-07-01"),
            ("past 3 months not including this one", "2026-04-01", "2026-07-01"),
            ("last month", "2026-06-01", "2026-07-01"),
            ("this quarter", "2026-07-01", "2026-10-01"),
            ("year to date", "2026-01-01", "2026-07-02"),
            ("so far this week", "2026-06-29", "2026-07-02"),
            ("since March", "2026-03-01", ""),
            ("since July last year", "2025-07-01", ""),
            ("in May of last year", "2025-05-01", "2025-06-01"),
            ("between June and August last year", "2025-06-01", "2025-09-01"),
            ("2026 so far", "2026-01-01", "2027-01-01"),
            ("fourth quarter of the year before", "2025-10-01", "2026-01-01"),
            ("since the beginning of June 2026", "2026-06-01", ""),
            ("before June 2026", "", "2026-06-01"),
            ("after 2025", "2026-01-01", ""),
            ("until the end of May", "", "2026-06-01"),
            ("Q2 2026", "2026-04-01", "2026-07-01"),
            ("from Q1 2025 on", "2025-01-01", ""),
            ("second quarter of 2025", "2025-04-01", "2025-07-01"),
            ("H1 2026", "2026-01-01", "2026-07-01"),
            ("first half of last year", "2025-01-01", "2025-07-01"),
            ("the first half of May", "2026-05-01", "2026-05-16"),
            ("second half of last month", "2026-06-16", "2026-07-01"),
            ("from the 19th century", "1801-01-01", "1901-01-01"),
            ("in the 1960s", "1960-01-01", "1970-01-01"),
            ("from April to June 2026", "2026-04-01", "2026-07-01"),
            ("between May and June 2025", "2025-05-01", "2025-07-01"),
            ("December to February", "2025-12-01", "2026-03-01"),
            ("in June", "2026-06-01", "2026-07-01"),
            ("in April, May and June", "2026-04-01", "2026-07-01"),
            ("November, December and January 2025", "2024-11-01", "2025-02-01"),
            ("March through May 2025", "2025-03-01", "2025-06-01"),
            ("in August", "2025-08-01", "2025-09-01"),
            ("on or after 1 January 2025", "2025-01-01", ""),
            ("two weeks ago", "2026-06-17", "2026-06-18"),
            ("since the beginning of the year", "2026-01-01", ""),
            ("since New Year", "2026-01-01", ""),
            ("from March of last year on", "2025-03-01", ""),
            ("since the first of May", "2026-05-01", ""),
            ("from the first of May onwards", "2026-05-01", ""),
            ("since 1 March last year", "2025-03-01", ""),
            ("July to September last year", "2025-07-01", "2025-10-01"),
            ("from January until now", "2026-01-01", "2026-07-02"),
            ("from April up to and including June", "2026-04-01", "2026-07-01"),
            ("between now and the end of the year", "2026-07-01", "2027-01-01"),
            ("until the end of the year", "2026-07-01", "2027-01-01"),
            ("in 2025 or later", "2025-01-01", ""),
            ("the past half year", "2026-01-01", "2026-07-02"),
            ("May this year", "2026-05-01", "2026-06-01"),
            ("on weekends", "[Saturday, Sunday]", ""),
            ("last weekend", "2026-06-27", "2026-06-29"),
            ("this weekend", "2026-07-04", "2026-07-06"),
        ] {
            assert_eq!(read(text), Some((from.to_owned(), until.to_owned())), "{text}");
        }
        assert_eq!(read("last name"), None);
        assert_eq!(read("they may leave"), None);
    }
}
