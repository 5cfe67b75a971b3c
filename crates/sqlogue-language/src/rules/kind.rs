//! What a column is: not how its values are stored, but what can be asked of them.
//!
//! A column declared as a number may hold instants, days, cents or yes and no; one declared as text may hold numbers
//! or dates. The declaration, the values seen and the words of the name decide together, and no one of them alone
//! where another contradicts it.

mod flag;

use std::collections::HashMap;
use std::sync::OnceLock;

pub(super) use flag::PAIRS;

use super::names::Forms;
use super::stem::stem;
use sqlogue_sql::plan::EpochUnit;
use sqlogue_sql::schema::{ColumnType, Value};

/// What the values of a column are.
///
/// [`Key`](Self::Key) and [`Reference`](Self::Reference) are said of values that only identify. A key that means
/// something by itself (a date, a month, a name) is called by what it means; that it is a key stands in
/// [`ColumnEntry::is_key`](super::knowledge::ColumnEntry::is_key) and
/// [`is_foreign`](super::knowledge::ColumnEntry::is_foreign).
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Identifies the rows of its own table.
    Key,
    /// Identifies rows of a table that it refers to.
    Reference,
    /// Says yes or no; the values by which it does, as they are stored.
    Flag {
        /// The value that says yes.
        yes: Value,
        /// The value that says no.
        no: Value,
    },
    /// A calendar day: a real date, or ISO text (`2024-05-01`).
    Date,
    /// A day with a time of day: a real timestamp, or ISO text.
    Timestamp,
    /// A time of day.
    Time,
    /// An instant, as a number counted from 1970.
    Epoch(EpochUnit),
    /// A calendar day as `20240501`, a number or a text.
    DateKey,
    /// A month as `2024-05`, a text.
    Month,
    /// A year, a number or a text.
    Year,
    /// An amount of money, in the unit that the name tells.
    Money(MoneyUnit),
    /// A share of something.
    Percentage(PercentScale),
    /// A number that can be compared, and mostly summed.
    Number,
    /// One of a few short texts that repeat: a status, a type, a letter.
    Code,
    /// What rows are called.
    Name,
    /// Any other text.
    #[default]
    Text,
    /// Values that nothing is asked of but whether they are there: bytes, documents.
    Other,
}

/// The unit of an amount of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MoneyUnit {
    /// The currency's own unit.
    Whole,
    /// Hundredths of it.
    Cents,
}

/// How a share is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PercentScale {
    /// Twelve percent is `0.12`.
    OfOne,
    /// Twelve percent is `12`.
    OfHundred,
}

impl ColumnKind {
    /// True where a value tells a day, or more exactly than a day: what can be cut into weeks, months and years.
    pub fn is_date(&self) -> bool {
        matches!(self, Self::Date | Self::Timestamp | Self::Epoch(_) | Self::DateKey)
    }

    /// True where a value tells a time in the calendar, be it only the month or the year.
    pub fn is_temporal(&self) -> bool {
        self.is_date() || matches!(self, Self::Month | Self::Year)
    }

    /// True for numbers that can be summed or averaged. Keys, years and instants are numbers too, but not of this kind.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number | Self::Money(_) | Self::Percentage(_))
    }

    /// The values that say yes and no, in this order.
    pub fn is_flag(&self) -> Option<(&Value, &Value)> {
        match self {
            Self::Flag { yes, no } => Some((yes, no)),
            _ => None,
        }
    }

    /// The unit of an instant that is stored as a number.
    pub fn epoch(&self) -> Option<EpochUnit> {
        match self {
            Self::Epoch(unit) => Some(*unit),
            _ => None,
        }
    }
}

/// Columns with at most so many distinct values keep them as a list.
const FEW: usize = 24;

/// A column with so many samples may have any number of values.
const SAMPLES: usize = 5;

/// What stands in a cell where nothing is known.
const PLACEHOLDERS: &[&str] =
    &["null", "n/a", "na", "n.a.", "-", "--", "—", "–", "?", "none", "nan", "nil", "tbd", "."];

/// A text longer than this is prose, and no code or name.
const CODE_LENGTH: usize = 24;

/// Instants before 1985 and after 2100 are rather other numbers.
const EPOCH_SECONDS: std::ops::RangeInclusive<i64> = 473_385_600..=4_102_444_800;

/// What was seen in a column, counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tally {
    /// Cells that are numbers or truth values.
    numbers: usize,
    /// Cells that are texts and say something.
    texts: usize,
    /// Of the texts, those that read as numbers, ISO dates, ISO dates with a time, and so on.
    text_numbers: usize,
    iso_dates: usize,
    iso_times: usize,
    midnights: usize,
    months: usize,
    years: usize,
    day_numbers: usize,
    fractions: usize,
    up_to_one: usize,
    seconds: usize,
    milliseconds: usize,
    clock_times: usize,
    /// Texts that say that nothing is known.
    placeholders: usize,
    longest: usize,
    /// True where only a few rows were looked at.
    sampled: bool,
    /// The distinct values, as long as they are few, and one more.
    few: Vec<Value>,
}

impl Tally {
    /// Counts the samples of a column.
    pub(super) fn of_samples(samples: &[Value]) -> Self {
        let mut tally = Self { sampled: true, ..Self::default() };
        samples.iter().for_each(|sample| tally.add(sample));
        tally
    }

    /// Adds the numbers of a sample: an index of texts knows only of texts.
    pub(super) fn add_numbers(&mut self, sample: &Self) {
        for value in sample.few.iter().filter(|value| !matches!(value, Value::Text(_))) {
            self.add(value);
        }
    }

    /// Counts one more distinct value.
    pub(super) fn add(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Blob(_) => return,
            Value::Boolean(_) => self.numbers += 1,
            Value::Integer(number) => {
                self.numbers += 1;
                self.years += usize::from((1000..=2200).contains(number));
                self.day_numbers += usize::from(is_day_number(*number));
                self.up_to_one += usize::from((-1..=1).contains(number));
                self.seconds += usize::from(EPOCH_SECONDS.contains(number));
                self.milliseconds += usize::from(EPOCH_SECONDS.contains(&(number / 1000)));
            }
            Value::Real(number) => {
                self.numbers += 1;
                self.fractions += usize::from(number.fract() != 0.0);
                self.up_to_one += usize::from(number.abs() <= 1.0);
            }
            Value::Text(text) => {
                if is_placeholder(text) {
                    self.placeholders += 1;
                } else {
                    self.add_text(text);
                }
            }
        }
        if self.few.len() <= FEW {
            self.few.push(value.clone());
        }
    }

    fn add_text(&mut self, text: &str) {
        let text = text.trim();
        self.texts += 1;
        self.longest = self.longest.max(text.chars().count());
        self.iso_dates += usize::from(is_iso_date(text));
        let is_timed = is_iso_date(text) && text.len() > 10;
        self.iso_times += usize::from(is_timed);
        let at_midnight = |time: &str| time.starts_with("T00:00") || time.starts_with(" 00:00");
        self.midnights += usize::from(is_timed && text.get(10..).is_some_and(at_midnight));
        self.months += usize::from(is_month(text));
        self.clock_times += usize::from(is_clock_time(text));
        if let Ok(number) = text.parse::<f64>() {
            self.text_numbers += 1;
            self.fractions += usize::from(number.fract() != 0.0);
            self.up_to_one += usize::from(number.abs() <= 1.0);
            self.years += usize::from(text.len() == 4 && (1000.0..=2200.0).contains(&number));
            self.day_numbers += usize::from(text.len() == 8 && is_day_number(number as i64));
        }
    }

    /// True where the texts are days with a time of day that is midnight in all of them.
    pub(super) fn is_at_midnight(&self) -> bool {
        self.midnights > 1 && self.texts == self.midnights
    }

    /// True where anything was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers + self.texts + self.placeholders == 0
    }

    /// Some of the distinct values, few or not.
    pub(super) fn kept(&self) -> &[Value] {
        &self.few
    }

    /// The distinct values, where there are few.
    pub(super) fn few(&self) -> &[Value] {
        let most = if self.sampled { SAMPLES - 1 } else { FEW };
        if self.few.len() <= most { &self.few } else { &[] }
    }

    /// True where all cells are numbers, but for those that say that nothing is known.
    pub(super) fn is_numeric(&self) -> bool {
        self.texts == self.text_numbers && self.numbers + self.texts > 0
    }

    fn all_texts(&self, such: usize) -> bool {
        self.texts > 0 && self.texts == such
    }

    fn all(&self, such: usize) -> bool {
        self.numbers + self.texts > 0 && self.numbers + self.texts == such
    }
}

/// All that decides what a column is.
#[derive(Debug)]
pub(super) struct Looks<'a> {
    /// The stems of the name.
    pub(super) words: &'a [String],
    pub(super) column_type: ColumnType,
    pub(super) is_key: bool,
    pub(super) is_foreign: bool,
    /// The number of rows, where known.
    pub(super) rows: Option<u64>,
    /// The stems of what one of many rows is called; none where the table's name is no plural.
    pub(super) rows_called: &'a [String],
    pub(super) tally: &'a Tally,
}

impl Looks<'_> {
    /// What the column is.
    pub(super) fn kind(&self) -> ColumnKind {
        if let Some(kind) = self.calendar() {
            return kind;
        }
        if self.is_foreign {
            return ColumnKind::Reference;
        }
        let is_text = self.column_type == ColumnType::Text && !self.tally.is_numeric();
        if self.is_key && !(is_text && self.says("name")) {
            return ColumnKind::Key;
        }
        if let Some((yes, no)) = self.flag() {
            return ColumnKind::Flag { yes, no };
        }
        match self.column_type {
            ColumnType::Blob | ColumnType::Other => ColumnKind::Other,
            ColumnType::Time => ColumnKind::Time,
            _ if is_text => self.text(),
            _ => self.number(),
        }
    }

    /// What tells a time in the calendar.
    fn calendar(&self) -> Option<ColumnKind> {
        let Tally { numbers, texts, .. } = *self.tally;
        let tally = self.tally;
        match self.column_type {
            ColumnType::Date => return Some(ColumnKind::Date),
            ColumnType::DateTime => return Some(ColumnKind::Timestamp),
            ColumnType::Integer | ColumnType::Real | ColumnType::Text => {}
            _ => return None,
        }
        if numbers == 0 && tally.all_texts(tally.iso_dates) {
            let timed = tally.iso_times > 0;
            return Some(if timed { ColumnKind::Timestamp } else { ColumnKind::Date });
        }
        if numbers == 0 && tally.all_texts(tally.months) {
            return Some(ColumnKind::Month);
        }
        // Eight digits that always make a day are hardly anything else; a single one may be.
        if tally.all(tally.day_numbers) && (numbers + texts >= 3 || self.says("day")) {
            return Some(ColumnKind::DateKey);
        }
        if self.says("year") && (tally.is_empty() || tally.all(tally.years)) {
            return Some(ColumnKind::Year);
        }
        if texts == 0 && (self.says_time() || self.is_recent() && !self.is_key) {
            if tally.all(tally.seconds) {
                return Some(ColumnKind::Epoch(EpochUnit::Second));
            }
            if tally.all(tally.milliseconds) {
                return Some(ColumnKind::Epoch(EpochUnit::Millisecond));
            }
        }
        None
    }

    fn number(&self) -> ColumnKind {
        if self.tally.fractions > 0
            && self.tally.all(self.tally.up_to_one)
            && (self.says("percent") || self.says("share"))
        {
            return ColumnKind::Percentage(PercentScale::OfOne);
        }
        if self.says("rate") && self.says("rated") {
            let is_part = self.tally.all(self.tally.up_to_one);
            return ColumnKind::Percentage(if is_part {
                PercentScale::OfOne
            } else {
                PercentScale::OfHundred
            });
        }
        if self.says("percent") {
            return ColumnKind::Percentage(PercentScale::OfHundred);
        }
        if self.names_one_row() {
            return ColumnKind::Key;
        }
        if self.says("money") {
            let unit = if self.says("cents") { MoneyUnit::Cents } else { MoneyUnit::Whole };
            return ColumnKind::Money(unit);
        }
        ColumnKind::Number
    }

    fn text(&self) -> ColumnKind {
        let tally = self.tally;
        if tally.all_texts(tally.clock_times) {
            return ColumnKind::Time;
        }
        if self.says("name") {
            return ColumnKind::Name;
        }
        let few = tally.few().len();
        let repeats = self.rows.is_none_or(|rows| few as u64 * 2 <= rows);
        if few > 0 && repeats && tally.longest <= CODE_LENGTH { ColumnKind::Code } else { ColumnKind::Text }
    }

    /// True where a word of the name is one of a kind.
    fn says(&self, kind: &str) -> bool {
        self.words.iter().any(|word| is_word_of(kind, word))
    }

    /// True where all numbers seen are seconds of the years from 2001 to 2034. So many digits that all begin alike are
    /// hardly anything else, as long as the name does not say that they are.
    fn is_recent(&self) -> bool {
        let tally = self.tally;
        let else_named = ["money", "quantity", "share"].iter().any(|kind| self.says(kind));
        let is_recent = |value: &Value| matches!(value, Value::Integer(1_000_000_000..=2_050_000_000));
        !else_named
            && tally.kept().len() >= 4
            && tally.kept().iter().all(is_recent)
            && tally.all(tally.seconds)
    }

    /// True for the number of one of the rows: `flight` of flights. What is measured may be called so as well, as `salary` of
    /// salaries is.
    fn names_one_row(&self) -> bool {
        let [row] = self.rows_called else { return false };
        let called_so = !self.words.is_empty() && self.words.iter().all(|word| word == row);
        let is_measured =
            ["money", "quantity", "share", "percent", "measured"].iter().any(|kind| self.says(kind));
        called_so && self.column_type == ColumnType::Integer && self.tally.fractions == 0 && !is_measured
    }

    fn says_time(&self) -> bool {
        self.says("time") || self.words.last().is_some_and(|word| is_word_of("ends", word))
    }
}

/// True for a word of `data/kinds.tsv`, given its stem.
fn is_word_of(kind: &str, word: &str) -> bool {
    static WORDS: OnceLock<HashMap<&'static str, Vec<String>>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let lines = include_str!("../../../../data/kinds.tsv").lines().filter(|line| !line.starts_with('#'));
        let kinds = lines.filter_map(|line| line.split_once('\t'));
        kinds.map(|(kind, words)| (kind, words.split('|').map(stem).collect())).collect()
    });
    words.get(kind).is_some_and(|words| words.iter().any(|known| known == word))
}

/// True for a reference that is meant only where it is named: a backup supplier, the artist who was replaced.
pub fn is_in_reserve(forms: &Forms) -> bool {
    forms.first().into_iter().flatten().any(|word| is_word_of("reserve", word))
}

/// True for a column that says where something is: a city, a country.
pub fn is_place(forms: &Forms) -> bool {
    forms.first().into_iter().flatten().any(|word| is_word_of("place", word)) && !is_contact(forms)
}

/// True for a column of addresses of mail, numbers of telephones and the like, which are known by their form.
pub fn is_contact(forms: &Forms) -> bool {
    forms.first().into_iter().flatten().any(|word| is_word_of("contact", word))
}

fn is_unknown(value: &Value) -> bool {
    matches!(value, Value::Text(text) if is_placeholder(text))
}

/// True for a text that says that nothing is known.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || PLACEHOLDERS.iter().any(|known| known.eq_ignore_ascii_case(text))
}

/// True for a text that begins as an ISO date does.
fn is_iso_date(text: &str) -> bool {
    text.get(..10).is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
}

/// True for `2024-05`.
fn is_month(text: &str) -> bool {
    text.len() == 7
        && text.split_once('-').is_some_and(|(year, month)| {
            year.len() == 4
                && matches!(year.parse(), Ok(1000..=2200))
                && matches!(month.parse::<u8>(), Ok(1..=12))
        })
}

/// True for a number that reads as a day: `20240501`.
fn is_day_number(number: i64) -> bool {
    let (Ok(year), Ok(month), Ok(day)) =
        (i16::try_from(number / 10_000), i8::try_from(number / 100 % 100), i8::try_from(number % 100))
    else {
        return false;
    };
    (1900..=2100).contains(&year) && jiff::civil::Date::new(year, month, day).is_ok()
}

/// True for `09:30` and `09:30:15`.
fn is_clock_time(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    (2..=3).contains(&parts.len())
        && parts.iter().all(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests;
