//! Windows as they are spoken of: *since New Year*, *March of this year*, *between now and the end of the month*.

use jiff::ToSpan;
use jiff::civil::Date;

use super::{Reader, Window};

impl Reader<'_> {
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
}
