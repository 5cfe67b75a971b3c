//! How the cells of a column spell dates, which decides how a span of time compares with them.

use crate::schema::{ColumnType, Value};

/// How the cells of a column spell dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateCells {
    /// As dates, or as texts that begin as ISO writes them (`2024-05-01 10:00`): they compare with days.
    Iso,
    /// As texts that begin with the year (`2024/05/01`, `2024-25`): they compare with the first days of years.
    YearFirst,
    /// As other texts that hold a year (`May 1, 2024`): they can only be searched for it.
    HoldYears,
}

/// How often the cells of a column spell dates in which way.
#[derive(Debug, Default)]
pub(super) struct Tally {
    texts: usize,
    iso: usize,
    year_first: usize,
    years: usize,
}

impl Tally {
    /// Counts one more cell. A text without any digit (`n/a`, a dash) says nothing about the others.
    pub(super) fn add(&mut self, text: &str) {
        if !text.contains(|letter: char| letter.is_ascii_digit()) {
            return;
        }
        self.texts += 1;
        self.iso += usize::from(is_iso(text));
        self.year_first += usize::from(starts_with_year(text));
        self.years += usize::from(holds_year(text));
    }

    /// How the cells spell dates; none where they hold something else.
    pub(super) fn spelling(&self) -> Option<DateCells> {
        match self.texts {
            0 => None,
            all if self.iso == all => Some(DateCells::Iso),
            all if self.year_first == all => Some(DateCells::YearFirst),
            all if self.years == all => Some(DateCells::HoldYears),
            _ => None,
        }
    }
}

/// How cells spell dates by their type, and by a few of them, before all were seen.
pub(super) fn expected(column_type: ColumnType, samples: &[Value]) -> Option<DateCells> {
    if column_type.is_temporal() {
        return Some(DateCells::Iso);
    }
    let mut tally = Tally::default();
    for sample in samples {
        if let Value::Text(text) = sample {
            tally.add(text);
        }
    }
    tally.spelling()
}

/// True for a text that begins as an ISO date does, be it a day that there is or `0000-00-00`.
fn is_iso(text: &str) -> bool {
    let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    match text.as_bytes() {
        [year @ .., b'-', m1, m2, b'-', d1, d2] if year.len() == 4 => {
            digits(year) && digits(&[*m1, *m2, *d1, *d2])
        }
        longer => {
            longer.get(10).is_some_and(|next| !next.is_ascii_digit())
                && text.get(..10).is_some_and(|day| day.len() < text.len() && is_iso(day))
        }
    }
}

fn starts_with_year(text: &str) -> bool {
    let year = text.get(..4).and_then(|year| year.parse().ok());
    let ends = !text.get(4..5).is_some_and(|next| next.starts_with(|letter: char| letter.is_ascii_digit()));
    matches!(year, Some(1000..=2200)) && ends
}

/// True for a text with four digits in a row that may be a year.
fn holds_year(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_digit())
        .any(|run| run.len() == 4 && matches!(run.parse(), Ok(1000..=2200)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelling(cells: &[&str]) -> Option<DateCells> {
        let mut tally = Tally::default();
        cells.iter().for_each(|cell| tally.add(cell));
        tally.spelling()
    }

    #[test]
    fn spellings_of_dates_are_told_apart() {
        assert_eq!(
            spelling(&["2024-05-01", "2024-05-01 10:00:00", "", "n/a", "0000-00-00"]),
            Some(DateCells::Iso)
        );
        assert_eq!(spelling(&["2024-05-01T10:00Z"]), Some(DateCells::Iso));
        assert_eq!(spelling(&["2024/05/01", "2024-25", "1999"]), Some(DateCells::YearFirst));
        assert_eq!(spelling(&["May 1, 2024", "01/05/2024"]), Some(DateCells::HoldYears));
        assert_eq!(spelling(&["2024-05-01", "room 12"]), None);
        assert_eq!(spelling(&["2024-05-012", "20240501"]), None);
        assert_eq!(spelling(&["-", ""]), None);
        assert_eq!(expected(ColumnType::DateTime, &[]), Some(DateCells::Iso));
        assert_eq!(expected(ColumnType::Text, &[Value::from("2024/1/3")]), Some(DateCells::YearFirst));
    }
}
