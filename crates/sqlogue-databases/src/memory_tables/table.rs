//! A table in the making: what its columns hold, and its rows on their way into SQLite.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use rusqlite::{Connection, Statement};

use super::cell::stands_for_nothing;
use super::date::{self, Order};
use super::guess::{Guess, Habits, Holds};
use super::{Note, heading, number};

/// The longest text in bytes; queries cannot read longer ones.
const LONGEST: usize = 99_000;

/// The most columns of a table, as SQLite is built.
pub(super) const COLUMNS: usize = 2_000;

/// What is known of a table after all of its cells were seen.
pub(super) struct Survey {
    pub(super) guesses: Vec<Guess>,
    key: Option<Key>,
}

/// A column that may be the table's key: so far all its values differ.
struct Key {
    at: usize,
    /// The values so far, as long as they are few.
    seen: HashSet<u64>,
    hasher: RandomState,
    /// The last value, where every one was greater than the one before. However many such values there are, none comes
    /// twice.
    last: Option<String>,
}

/// So many values of a key are remembered. Beyond them a column is the key only where its values rise, as numbers of rows
/// do: remembering more would take more memory than a query may.
const REMEMBERED: usize = 2_000_000;

impl Key {
    /// Takes note of a value; false where it cannot be the key's.
    fn see(&mut self, text: &str) -> bool {
        // Shorter before longer, so that numbers are in order too.
        let is_greater = |last: &String| (last.len(), last.as_str()) < (text.len(), text);
        match &mut self.last {
            Some(last) if is_greater(last) => {
                last.clear();
                last.push_str(text);
            }
            last => *last = None,
        }
        if self.seen.len() < REMEMBERED {
            return self.seen.insert(self.hasher.hash_one(text));
        }
        self.last.is_some()
    }
}

impl Survey {
    /// A survey of a table with these headings. A column that is called an id may be the key.
    pub(super) fn new(names: &[String]) -> Self {
        let at = names.iter().position(|name| {
            let name = name.to_lowercase();
            name == "id" || name == "key"
        });
        let first = || names.first().filter(|name| is_id(name)).map(|_| 0);
        let key = at.or_else(first);
        let key = key.map(|at| Key {
            at,
            seen: HashSet::new(),
            hasher: RandomState::new(),
            last: Some(String::new()),
        });
        Self { guesses: names.iter().map(|_| Guess::default()).collect(), key }
    }

    /// The guess about a column, which may be one that no heading announced.
    pub(super) fn guess(&mut self, at: usize) -> Option<&mut Guess> {
        if at >= self.guesses.len() && at < COLUMNS {
            self.guesses.resize(at + 1, Guess::default());
        }
        self.guesses.get_mut(at)
    }

    /// Takes note of a text.
    pub(super) fn text(&mut self, at: usize, text: &str) {
        if let Some(guess) = self.guess(at) {
            guess.text(text);
        }
        self.key_value(at, text);
    }

    /// Takes note of a value that may be a key's.
    pub(super) fn key_value(&mut self, at: usize, text: &str) {
        let Some(key) = self.key.as_mut().filter(|key| key.at == at) else { return };
        let text = text.trim();
        if stands_for_nothing(text) || !key.see(text) {
            self.key = None;
        }
    }

    /// True for the column that may be the key.
    pub(super) fn is_key(&self, at: usize) -> bool {
        self.key.as_ref().is_some_and(|key| key.at == at)
    }

    /// Leaves a column out if it never held anything; true where it did not.
    pub(super) fn leave_out(&mut self, at: usize) -> bool {
        if self.guesses.get(at).is_none_or(Guess::is_seen) {
            return false;
        }
        self.guesses.remove(at);
        match &mut self.key {
            Some(key) if key.at > at => key.at -= 1,
            Some(key) if key.at == at => self.key = None,
            _ => {}
        }
        true
    }

    /// Leaves out the columns that have neither a name nor a value; the places of the others.
    pub(super) fn leave_out_nameless(&mut self, headings: &[String]) -> Vec<usize> {
        let is_named =
            |at: usize| headings.get(at).is_some_and(|heading| !heading::clean(heading).is_empty());
        let mut places: Vec<usize> = (0..self.guesses.len()).collect();
        // A file without headings has the columns that it has.
        if (0..headings.len()).any(is_named) {
            for at in (0..places.len()).rev() {
                if !is_named(at) && self.leave_out(at) {
                    places.remove(at);
                }
            }
        }
        places
    }

    /// Settles what the columns hold.
    pub(super) fn shape(
        self,
        name: String,
        headings: &[String],
        semicolons: bool,
        notes: &mut Vec<Note>,
    ) -> Shape {
        let names = heading::names(headings, self.guesses.len());
        let habits = Habits::of(self.guesses.iter(), semicolons);
        let mut holds = Vec::with_capacity(names.len());
        for (guess, column) in self.guesses.iter().zip(&names) {
            let (kind, by_default) = guess.holds(habits);
            if by_default {
                let day_first =
                    matches!(kind, Holds::Date(Order::DayFirst) | Holds::DateTime(Order::DayFirst));
                notes.push(Note::AmbiguousDates { column: column.clone(), day_first });
            }
            if let (Holds::Whole(_) | Holds::Fraction(_), Some(unit)) = (kind, guess.unit()) {
                notes.push(Note::Unit { column: column.clone(), unit });
            }
            holds.push(kind);
        }
        Shape { name, names, holds, key: self.key() }
    }

    /// The column that turned out to be the key.
    pub(super) fn key(self) -> Option<usize> {
        self.key.filter(|key| !key.seen.is_empty()).map(|key| key.at)
    }
}

fn is_id(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower.ends_with("_id")
        || lower.ends_with(" id")
        || (lower.ends_with("id") && name.ends_with("Id") || name.ends_with("ID"))
}

/// What a table will be.
pub(super) struct Shape {
    pub(super) name: String,
    names: Vec<String>,
    holds: Vec<Holds>,
    key: Option<usize>,
}

/// A value for SQLite, borrowed where it is stored as it stands.
pub(super) enum Stored<'a> {
    Null,
    Whole(i64),
    Fraction(f64),
    Text(&'a str),
    Written(String),
    #[cfg_attr(
        not(feature = "parquet"),
        allow(dead_code, reason = "only Parquet files hold bytes that are no text")
    )]
    Bytes(&'a [u8]),
}

impl Shape {
    /// A table whose file says what its columns hold.
    #[cfg(feature = "parquet")]
    pub(super) fn declared(name: String, names: Vec<String>, holds: Vec<Holds>, key: Option<usize>) -> Self {
        Self { name, names, holds, key }
    }

    /// Creates the table and prepares its filling.
    pub(super) fn create<'c>(&self, connection: &'c Connection) -> rusqlite::Result<Filler<'c>> {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let columns = self.names.iter().zip(&self.holds).enumerate().map(|(at, (name, holds))| {
            let key = if self.key == Some(at) { " PRIMARY KEY" } else { "" };
            format!("{} {}{key}", quoted(name), holds.declaration())
        });
        let columns: Vec<String> = columns.collect();
        let table = quoted(&self.name);
        connection.execute_batch(&format!("CREATE TABLE {table} ({})", columns.join(", ")))?;
        let holes = vec!["?"; self.names.len()].join(", ");
        let statement = connection.prepare(&format!("INSERT INTO {table} VALUES ({holes})"))?;
        Ok(Filler { statement, rows: 0, cut: 0 })
    }

    /// The value of a text in a column.
    pub(super) fn stored<'a>(&self, at: usize, text: &'a str) -> Stored<'a> {
        let holds = self.holds.get(at).copied().unwrap_or(Holds::Text);
        if holds == Holds::Text {
            // Spaces are kept, because they may mean something; what is nothing but spaces means nothing.
            return if text.trim().is_empty() || text == "NULL" || text == "\\N" {
                Stored::Null
            } else {
                Stored::Text(text)
            };
        }
        let text = text.trim();
        let stored = match holds {
            Holds::Whole(style) => {
                let plain = text.parse().ok();
                plain.or_else(|| number::parts(text)?.plain(style).parse().ok()).map(Stored::Whole)
            }
            Holds::Fraction(style) => {
                number::parts(text).and_then(|parts| parts.plain(style).parse().ok()).map(Stored::Fraction)
            }
            Holds::Truth => text
                .bytes()
                .next()
                .map(|first| Stored::Whole(i64::from(matches!(first, b't' | b'T' | b'y' | b'Y')))),
            Holds::Date(order) if order != Order::YearFirst || text.len() != 10 || text.contains('/') => {
                date::date(text, order).map(Stored::Written)
            }
            Holds::Date(_) => (!stands_for_nothing(text)).then_some(Stored::Text(text)),
            Holds::DateTime(order) => date::moment(text).and_then(|moment| {
                let time = if moment.time.is_empty() {
                    Some("00:00:00".to_owned())
                } else {
                    date::time(moment.time)
                };
                Some(Stored::Written(format!("{} {}", date::date(moment.date, order)?, time?)))
            }),
            Holds::Time => date::time(text).map(Stored::Written),
            Holds::Text | Holds::Bytes => None,
        };
        // What was taken note of can be read; what stands for nothing cannot.
        match stored {
            Some(_) if stands_for_nothing(text) => Stored::Null,
            Some(stored) => stored,
            None => Stored::Null,
        }
    }

    pub(super) fn holds(&self, at: usize) -> Holds {
        self.holds.get(at).copied().unwrap_or(Holds::Text)
    }

    pub(super) fn width(&self) -> usize {
        self.holds.len()
    }
}

/// Puts rows into a table.
pub(super) struct Filler<'c> {
    statement: Statement<'c>,
    pub(super) rows: u64,
    pub(super) cut: u64,
}

impl Filler<'_> {
    /// Sets one cell of the next row.
    pub(super) fn set(&mut self, at: usize, value: Stored<'_>) -> rusqlite::Result<()> {
        let place = at + 1;
        match value {
            Stored::Null => self.statement.raw_bind_parameter(place, rusqlite::types::Null),
            Stored::Whole(number) => self.statement.raw_bind_parameter(place, number),
            Stored::Fraction(number) => self.statement.raw_bind_parameter(place, number),
            Stored::Text(text) => {
                let kept = kept(text);
                self.cut += u64::from(kept.len() < text.len());
                self.statement.raw_bind_parameter(place, kept)
            }
            Stored::Written(text) => {
                let kept = kept(&text);
                self.cut += u64::from(kept.len() < text.len());
                self.statement.raw_bind_parameter(place, kept)
            }
            Stored::Bytes(bytes) => {
                let kept = bytes.get(..LONGEST).unwrap_or(bytes);
                self.cut += u64::from(kept.len() < bytes.len());
                self.statement.raw_bind_parameter(place, kept)
            }
        }
    }

    /// Ends a row; cells that were not set keep what the row before had, so all must be.
    pub(super) fn end_row(&mut self) -> rusqlite::Result<()> {
        self.statement.raw_execute()?;
        self.rows += 1;
        Ok(())
    }
}

fn kept(text: &str) -> &str {
    if text.len() <= LONGEST {
        return text;
    }
    let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}
