//! Windows as they are spoken of: *since New Year*, *March of this year*, *between now and the end of the month*.

use jiff::ToSpan;
use jiff::civil::Date;

use super::{Reader, Window};
use crate::rules::dates;
use crate::rules::link::number_word;

impl Reader<'_> {
    /// *may* and *march* are also verbs: a capital makes them months, and so does what stands before them.
    pub(super) fn is_month(&self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| self.word(at));
        self.question.tokens.get(at).is_some_and(|token| token.is_capitalised())
            || matches!(
                before(1),
                "in" | "since"
                    | "until"
                    | "till"
                    | "through"
                    | "during"
                    | "of"
                    | "for"
                    | "last"
                    | "this"
                    | "from"
                    | "between"
            )
            || matches!(self.word(at + 1), "to" | "until" | "till" | "through" | "-" | "–")
                && dates::month(self.word(at + 2)).is_some()
            || matches!(before(1), "and" | "to" | "or" | "," | "-" | "–") && dates::month(before(2)).is_some()
    }

    /// *March of this year*, *1 May last year*: a month or a day that does not say its year, in the one said behind it.
    pub(super) fn of_said_year(&self, start: usize, (window, end): (Window, usize)) -> (Window, usize) {
        let known = || (window, end);
        let says_year = (start..end).any(|at| self.year(at).is_some());
        let says_month = (start..end).any(|at| self.month(at).is_some());
        let at = end + usize::from(matches!(self.word(end), "of" | "in"));
        let year = match (self.word(at), self.word(at + 1)) {
            ("this" | "current", "year") => self.today.year(),
            ("last" | "previous", "year") => self.today.year() - 1,
            _ => return known(),
        };
        match window.in_year(year).filter(|_| says_month && !says_year) {
            Some(window) => (window, at + 2),
            None => known(),
        }
    }

    /// *between 22 and 29 November 2026*, *1 to 15 March*: the month is said once, and without a year these are the latest such days
    /// that have begun.
    pub(super) fn days_of_one_month(&self, start: usize) -> Option<(Window, usize)> {
        let is_day = |at: usize| {
            let day = self.word(at).parse::<i8>().ok().filter(|day| (1..=31).contains(day));
            day.or_else(|| self.ordinal_day(at))
        };
        let between = self.word(start) == "between";
        let at = start + usize::from(between || self.word(start) == "from");
        let at = at + usize::from(self.word(at) == "the");
        let first = is_day(at)?;
        let joins = match self.word(at + 1) {
            "to" | "until" | "till" | "through" | "-" | "–" => true,
            "and" => between,
            _ => false,
        };
        let last_at = at + 2 + usize::from(self.word(at + 2) == "the");
        is_day(last_at).filter(|_| joins)?;
        let (last, end) = self.dated(last_at)?;
        let last = last.last()?;
        let from = Date::new(last.year(), last.month(), first).ok().filter(|from| *from <= last)?;
        let says_year = (last_at..end).any(|at| self.year(at).is_some());
        let next = from.checked_add(1.year()).ok()?;
        let years = if !says_year && next <= self.today { 1 } else { 0 };
        Window::days(from.checked_add(years.years()).ok()?, last.checked_add(years.years()).ok()?)
            .map(|window| (window, end))
    }

    /// *22nd*: a day of a month.
    fn ordinal_day(&self, at: usize) -> Option<i8> {
        let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| self.word(at).strip_suffix(ending))?;
        digits.parse().ok().filter(|day| (1..=31).contains(day))
    }

    /// The unit that today is in, where only its name is said: *the beginning of the year*.
    pub(super) fn unit_now(&self, at: usize) -> Option<(Window, usize)> {
        let unit = self.unit(at);
        let from = self.unit_start(unit)?;
        let until = from.checked_add(Self::span(unit, 1)?).ok()?;
        Some((Window { from: Some(from), until: Some(until) }, at + 1))
    }

    /// *New Year*, *New Year's Day*.
    pub(super) fn new_year(&self, at: usize) -> Option<(Window, usize)> {
        if self.word(at) != "new" || !matches!(self.word(at + 1), "year" | "years" | "year's") {
            return None;
        }
        let of = usize::from(self.word(at + 2) == "'s");
        let day = usize::from(self.word(at + 2 + of) == "day");
        let first = Date::new(self.today.year(), 1, 1).ok()?;
        Some((Window::days(first, first)?, at + 2 + of + day))
    }

    /// *now*, as an end of a range.
    pub(super) fn now(&self, at: usize) -> Option<(Window, usize)> {
        if self.word(at) != "now" {
            return None;
        }
        Some((Window::days(self.today, self.today)?, at + 1))
    }

    /// The far end of a range: *to June*, *until now*, *and the end of the year*.
    pub(super) fn far_end(&self, at: usize) -> Option<(Window, usize)> {
        let at = self.skip_article(at);
        if self.word(at) == "end" && self.word(at + 1) == "of" {
            let at = self.skip_article(at + 2);
            return self.plain(at).or_else(|| self.unit_now(at));
        }
        self.plain(at).or_else(|| self.now(at))
    }

    /// *the past half year*: six months up to today.
    pub(super) fn half_year(&self, at: usize) -> Option<(Window, usize)> {
        let end = match (self.word(at), self.word(at + 1)) {
            ("half", "year") => at + 2,
            ("half-year", _) => at + 1,
            _ => return None,
        };
        let from = self.today.checked_sub(6.months()).ok()?;
        Some((Window::days(from, self.today)?, end))
    }

    /// *H1 2026*, *the first half of 2025*, *second half of last year*.
    pub(super) fn half(&self, start: usize) -> Option<(Window, usize)> {
        let (half, at) = match self.word(start) {
            "h1" => (1, start + 1),
            "h2" => (2, start + 1),
            _ => self.said_half(start)?,
        };
        let (year, end) = self.said_year(at).unwrap_or((self.today.year(), at));
        Some((Window::months(year, half * 6 - 5, 6)?, end))
    }

    fn said_half(&self, start: usize) -> Option<(i8, usize)> {
        match (self.word(start), self.word(start + 1)) {
            ("first" | "1st", "half") => Some((1, start + 2)),
            ("second" | "2nd", "half") => Some((2, start + 2)),
            _ => None,
        }
    }

    /// *the first half of May*: the days up to the fifteenth; *the second half of last month*: those after it.
    pub(super) fn half_of_month(&self, start: usize) -> Option<(Window, usize)> {
        let (half, at) = self.said_half(start)?;
        let at = self.skip_article(at + usize::from(matches!(self.word(at), "of" | "in")));
        let (month, end) = self.dated(at).or_else(|| self.month_alone(at)).or_else(|| self.relative(at))?;
        let (from, until) = (month.from?, month.until?);
        if from.checked_add(1.month()).ok()? != until || from.day() != 1 {
            return None;
        }
        let middle = Date::new(from.year(), from.month(), 16).ok()?;
        let (from, until) = if half == 1 { (from, middle) } else { (middle, until) };
        Some((Window { from: Some(from), until: Some(until) }, end))
    }

    /// *the 19th century*: its years.
    pub(super) fn century(&self, start: usize) -> Option<(Window, usize)> {
        let word = self.word(start);
        let (which, end) = match word.strip_suffix("-century") {
            Some(which) => (number_word(which)?, start + 1),
            None if matches!(self.word(start + 1), "century" | "centuries") => {
                (number_word(word)?, start + 2)
            }
            None => return None,
        };
        let (number, true) = which else { return None };
        let last = i16::try_from(number.checked_mul(100)?).ok().filter(|last| (100..=2200).contains(last))?;
        let [from, until] = [last - 99, last + 1].map(|year| Date::new(year, 1, 1).ok());
        Some((Window { from: Some(from?), until: Some(until?) }, end))
    }

    /// *the 1960s*: ten years.
    pub(super) fn decade(&self, start: usize) -> Option<(Window, usize)> {
        let first: i16 = self.word(start).strip_suffix('s')?.parse().ok()?;
        let is_decade = first % 10 == 0 && (1000..=2200).contains(&first);
        let [from, until] = [first, first + 10].map(|year| Date::new(year, 1, 1).ok());
        is_decade.then_some((Window { from: Some(from?), until: Some(until?) }, start + 1))
    }
}
