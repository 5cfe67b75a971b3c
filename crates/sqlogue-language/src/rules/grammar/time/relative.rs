//! Windows counted from today: *last 30 days*, *this quarter*, *year to date*, *two weeks ago*.

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use super::{Reader, Window};
use crate::rules::grammar::recurring::weekday;

impl Reader<'_> {
    /// *year to date*, *so far this month*, *this quarter so far*.
    pub(super) fn to_date(&self, start: usize) -> Option<(Window, usize)> {
        let (unit, end) = match (self.word(start), self.word(start + 1), self.word(start + 2)) {
            ("ytd", ..) => ("year", start + 1),
            ("mtd", ..) => ("month", start + 1),
            ("qtd", ..) => ("quarter", start + 1),
            ("wtd", ..) => ("week", start + 1),
            (unit, "to", "date") => (unit, start + 3),
            ("so", "far", "this") => (self.word(start + 3), start + 4),
            ("this", unit, "so") if self.word(start + 3) == "far" => (unit, start + 4),
            _ => return None,
        };
        let first = self.unit_start(unit)?;
        Some((Window::days(first, self.today)?, end))
    }

    /// The first day of the unit that today is in.
    pub(super) fn unit_start(&self, unit: &str) -> Option<Date> {
        let today = self.today;
        match unit {
            "day" => Some(today),
            "week" => today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok(),
            "month" => Some(today.first_of_month()),
            "quarter" => Date::new(today.year(), (today.month() - 1) / 3 * 3 + 1, 1).ok(),
            "year" => Date::new(today.year(), 1, 1).ok(),
            _ => None,
        }
    }

    pub(super) fn span(unit: &str, count: i64) -> Option<Span> {
        match unit {
            "day" => Span::new().try_days(count).ok(),
            "week" => Span::new().try_weeks(count).ok(),
            "month" => Span::new().try_months(count).ok(),
            "quarter" => Span::new().try_months(count.checked_mul(3)?).ok(),
            "year" => Span::new().try_years(count).ok(),
            _ => None,
        }
    }

    pub(super) fn unit(&self, at: usize) -> &str {
        match self.word(at) {
            "days" | "day" => "day",
            "weeks" | "week" => "week",
            "months" | "month" => "month",
            "quarters" | "quarter" => "quarter",
            "years" | "year" => "year",
            _ => "",
        }
    }

    /// *last 30 days*, *past three months*, *last 3 full months*, *next 2 weeks*.
    pub(super) fn counted(&self, start: usize) -> Option<(Window, usize)> {
        let back = match self.word(start) {
            "last" | "past" | "previous" | "recent" | "preceding" => true,
            "next" | "coming" | "following" => false,
            _ => return None,
        };
        if back && let Some(found) = self.half_year(start + 1) {
            return Some(found);
        }
        let count = self.number(start + 1)?;
        let whole = matches!(self.word(start + 2), "full" | "complete" | "whole" | "calendar" | "completed");
        let at = start + 2 + usize::from(whole);
        let unit = self.unit(at);
        let length = Self::span(unit, count)?;
        let mut end = at + 1;
        // *not including this one*, *excluding the current month*.
        let mut closed = whole;
        let says_not = |from: usize| match (self.word(from), self.word(from + 1)) {
            ("not", "including" | "counting") => Some(from + 2),
            ("excluding" | "without", _) => Some(from + 1),
            _ => None,
        };
        let comma = usize::from(self.word(end) == ",");
        if let Some(after) = says_not(end + comma) {
            let mut after = self.skip_article(after);
            if matches!(self.word(after), "this" | "current") {
                after += 1;
                after += usize::from(self.word(after) == "one" || !self.unit(after).is_empty());
                closed = true;
                end = after;
            }
        }
        if closed {
            let until = self.unit_start(unit)?;
            if !back {
                let from = until.checked_add(Self::span(unit, 1)?).ok()?;
                return Some((Window { from: Some(from), until: Some(from.checked_add(length).ok()?) }, end));
            }
            return Some((Window { from: Some(until.checked_sub(length).ok()?), until: Some(until) }, end));
        }
        let window = if back {
            Window::days(self.today.checked_sub(length).ok()?, self.today)?
        } else {
            Window::days(self.today, self.today.checked_add(length).ok()?)?
        };
        Some((window, end))
    }

    /// *today*, *tonight*, *yesterday*, *last Friday*, *last weekend*, *this week*, *last month*, *the current year*, *next quarter*.
    pub(super) fn relative(&self, start: usize) -> Option<(Window, usize)> {
        let single = |day: Date| Some((Window::days(day, day)?, start + 1));
        match self.word(start) {
            "today" | "tonight" => return single(self.today),
            "yesterday" => return single(self.today.yesterday().ok()?),
            "tomorrow" => return single(self.today.tomorrow().ok()?),
            _ => {}
        }
        let shift = match self.word(start) {
            "last" | "previous" | "prior" | "past" => -1,
            "this" | "current" => 0,
            "next" | "coming" => 1,
            _ => return None,
        };
        if let Some(day) = weekday(self.word(start + 1)) {
            let monday = self.unit_start("week")?;
            let this = monday.checked_add(i64::from(day.to_monday_zero_offset()).days()).ok()?;
            let week = 1.week();
            let day = match shift {
                -1 if this < self.today => this,
                -1 => this.checked_sub(week).ok()?,
                0 => this,
                _ if this > self.today => this,
                _ => this.checked_add(week).ok()?,
            };
            return Some((Window::days(day, day)?, start + 2));
        }
        if self.word(start + 1) == "weekend" {
            let saturday = self.unit_start("week")?.checked_add(5.days()).ok()?;
            let saturday = match self.word(start) {
                "next" => saturday.checked_add(1.week()).ok()?,
                _ if shift < 0 => saturday.checked_sub(1.week()).ok()?,
                _ => saturday,
            };
            return Some((Window::days(saturday, saturday.tomorrow().ok()?)?, start + 2));
        }
        // *over the past year* ends today, and *last year* with December.
        if self.word(start) == "past" {
            let unit = self.unit(start + 1);
            let from = self.today.checked_sub(Self::span(unit, 1)?).ok()?;
            return Some((Window::days(from, self.today)?, start + 2));
        }
        let calendar = usize::from(matches!(self.word(start + 1), "calendar" | "full" | "whole"));
        let unit = match self.word(start + 1 + calendar) {
            unit @ ("week" | "month" | "quarter" | "year") => unit,
            _ => return None,
        };
        let now = self.unit_start(unit)?;
        let step = Self::span(unit, 1)?;
        let from = match shift {
            -1 => now.checked_sub(step).ok()?,
            0 => now,
            _ => now.checked_add(step).ok()?,
        };
        let window = Window { from: Some(from), until: Some(from.checked_add(step).ok()?) };
        Some((window, start + 2 + calendar))
    }

    /// *30 days ago*: that day; *more than 30 days ago*, *older than 30 days*, *open for over 30 days*: all before it; *less
    /// than 30 days ago*: from it on.
    pub(super) fn ago(&self, start: usize) -> Option<(Window, usize)> {
        let is_open = || {
            let before = start.checked_sub(1).map_or("", |at| self.word(at));
            matches!(
                before,
                "open" | "unpaid" | "pending" | "overdue" | "waiting" | "outstanding" | "unresolved"
            )
        };
        let lead = usize::from(self.word(start) == "for" && is_open());
        let (length, side) = match (self.word(start + lead), self.word(start + lead + 1)) {
            ("more" | "longer", "than") => (2, Side::Before),
            ("older", "than") => (2, Side::Before),
            ("over", _) => (1, Side::Before),
            ("at", "least") => (2, Side::Before),
            ("less" | "fewer", "than") => (2, Side::Since),
            _ => (0, Side::On),
        };
        let at = start + lead + length;
        let count = self.number(at)?;
        let day = self.today.checked_sub(Self::span(self.unit(at + 1), count)?).ok()?;
        let is_ago = self.word(at + 2) == "ago";
        let end = at + 2 + usize::from(is_ago);
        // How many years old something is its age says, where it has one.
        let is_older = self.word(start + lead) == "older" && !self.word(at + 1).starts_with("year");
        let is_old = is_older || lead == 1 && side == Side::Before;
        let window = match side {
            Side::Before if is_ago || is_old => Window { from: None, until: Some(day) },
            Side::Since if is_ago => Window { from: Some(day), until: None },
            Side::On if is_ago => Window::days(day, day)?,
            _ => return None,
        };
        Some((window, end))
    }
}

/// On which side of a day something lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    On,
    Since,
}
