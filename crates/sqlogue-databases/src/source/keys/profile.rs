//! What is in the columns that may be keys or refer to some, seen in the first rows of their tables.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher as _};
use std::time::{Duration, Instant};

use crate::Database;
use sqlogue_sql::schema::{Column, ColumnType, Table, TableKind, Value};

/// How many rows of a table are looked at: here, and on a server.
const LOCAL: usize = 10_000;
const REMOTE: usize = 2_000;

/// How many keys of one table are looked at where the rows are here.
const KEYS: usize = 200_000;

/// Texts longer than this are no keys.
const LONGEST: usize = 60;

/// The time for one table's rows, and for all that is read: here, and on a server.
const ONE: Duration = Duration::from_millis(250);
const ALL: Duration = Duration::from_secs(2);
const ALL_REMOTE: Duration = Duration::from_millis(800);

/// The first rows of a table.
#[derive(Debug, Default)]
pub(super) struct Profile {
    /// How many rows were seen.
    pub(super) rows: usize,
    /// True where these are all there are.
    pub(super) whole: bool,
    /// One for each column of the table; none where it cannot be a key or refer to one.
    columns: Vec<Option<Seen>>,
    /// The values' marks row by row, for keys of several columns.
    marks: Vec<Vec<Option<u64>>>,
}

/// What was seen of one column.
#[derive(Debug, Default, Clone)]
pub(super) struct Seen {
    /// Cells that are not NULL and not empty.
    pub(super) filled: usize,
    /// A mark for each distinct value, equal for the number 7 and the text `7`.
    pub(super) values: HashSet<u64>,
    /// A few of the values, as they are.
    pub(super) some: Vec<Value>,
    /// The smallest and the largest, where all are whole numbers.
    pub(super) range: Option<(i64, i64)>,
    /// The length of the texts together, where all are texts.
    letters: usize,
    /// True where a value is a number with a fraction, a truth value or bytes.
    unfit: bool,
    /// True where a value is a text that is no number.
    words: bool,
    /// True where numbers or texts that are numbers were seen.
    numbers: bool,
}

impl Seen {
    /// Looks at one more value; gives its mark, where it has one.
    pub(super) fn add(&mut self, value: &Value) -> Option<u64> {
        let mark = match value {
            Value::Null => return None,
            Value::Text(text) if is_nothing(text) => return None,
            Value::Integer(number) => self.add_number(*number),
            Value::Real(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                self.add_number(*number as i64)
            }
            Value::Text(text) => match text.trim().parse::<i64>() {
                // A leading zero is part of a code.
                Ok(number) if number.to_string() == text.trim() => {
                    self.letters += text.len();
                    self.add_number(number)
                }
                _ => {
                    self.words = true;
                    self.unfit |= text.len() > LONGEST;
                    self.letters += text.len();
                    hash(text)
                }
            },
            Value::Real(_) | Value::Boolean(_) | Value::Blob(_) => {
                self.unfit = true;
                return None;
            }
        };
        self.filled += 1;
        if self.values.insert(mark) && self.some.len() < 20 {
            self.some.push(value.clone());
        }
        Some(mark)
    }

    fn add_number(&mut self, number: i64) -> u64 {
        let (low, high) = self.range.unwrap_or((number, number));
        self.range = Some((low.min(number), high.max(number)));
        self.numbers = true;
        hash(number)
    }

    /// True where the values may be keys at all.
    pub(super) fn is_fit(&self) -> bool {
        !self.unfit && self.filled > 0
    }

    /// The smallest and the largest number, where there are only numbers.
    pub(super) fn numbers(&self) -> Option<(i64, i64)> {
        self.range.filter(|_| !self.words)
    }

    /// True for what says yes or no.
    pub(super) fn is_flag(&self) -> bool {
        let bits = self.numbers().is_some_and(|(low, high)| low >= 0 && high <= 1);
        let says = |value: &Value| {
            let text = value.to_string().to_lowercase();
            ["y", "n", "yes", "no", "true", "false", "t", "f"].contains(&text.as_str())
        };
        bits || (self.values.len() <= 2 && self.some.iter().all(says))
    }

    /// True where some of the values are texts that are no numbers.
    pub(super) fn is_words(&self) -> bool {
        self.words
    }

    /// True for texts, and for numbers of which most up to the largest are missing.
    pub(super) fn is_sparse(&self) -> bool {
        self.numbers().is_none_or(|(_, high)| high / 3 > self.values.len() as i64)
    }

    /// The mean length of the texts.
    pub(super) fn length(&self) -> usize {
        self.letters / self.filled.max(1)
    }
}

/// True for texts that say that there is nothing.
fn is_nothing(text: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || ["null", "n/a", "none", "nil", "-", "--"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The mark of a number, whatever form it has.
pub(super) fn mark(number: i64) -> u64 {
    hash(number)
}

fn hash(value: impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Profile {
    /// What was seen of a column, where it may be a key or refer to one.
    pub(super) fn column(&self, at: usize) -> Option<&Seen> {
        self.columns.get(at)?.as_ref().filter(|seen| seen.is_fit())
    }

    /// True where a word is one of the few values of a column.
    pub(super) fn says(&self, word: &str) -> bool {
        let is_kind =
            |seen: &&Seen| seen.values.len() <= seen.some.len() && seen.values.len() * 2 <= seen.filled;
        let says = |value: &Value| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case(word));
        self.columns.iter().flatten().filter(is_kind).any(|seen| seen.some.iter().any(says))
    }

    /// True where no two rows have the same values in these columns, and none is missing.
    pub(super) fn is_unique(&self, columns: &[usize]) -> bool {
        if let [one] = columns {
            return self
                .column(*one)
                .is_some_and(|seen| seen.filled == self.rows && seen.values.len() == self.rows);
        }
        self.tuples(columns).is_some_and(|(tuples, filled)| filled == self.rows && tuples.len() == filled)
    }

    /// The distinct combinations of values in these columns, and how many rows have all of them.
    pub(super) fn tuples(&self, columns: &[usize]) -> Option<(HashSet<Vec<u64>>, usize)> {
        let lists: Vec<&Vec<Option<u64>>> =
            columns.iter().map(|at| self.marks.get(*at)).collect::<Option<_>>()?;
        let mut tuples = HashSet::with_capacity(self.rows);
        let mut filled = 0;
        for row in 0..self.rows {
            let tuple: Option<Vec<u64>> =
                lists.iter().map(|marks| marks.get(row).copied().flatten()).collect();
            if let Some(tuple) = tuple {
                filled += 1;
                tuples.insert(tuple);
            }
        }
        Some((tuples, filled))
    }

    fn of_rows(table: &Table, wanted: &[usize], rows: &[Vec<Value>], whole: bool) -> Self {
        let mut profile = Self {
            rows: rows.len(),
            whole,
            columns: vec![None; table.columns.len()],
            marks: vec![Vec::new(); table.columns.len()],
        };
        for (place, at) in wanted.iter().enumerate() {
            let mut seen = Seen::default();
            let marks = rows.iter().map(|row| row.get(place).and_then(|value| seen.add(value))).collect();
            if let (Some(column), Some(known)) = (profile.columns.get_mut(*at), profile.marks.get_mut(*at)) {
                (*column, *known) = (Some(seen), marks);
            }
        }
        profile
    }
}

/// Reads tables once each, as long as there is time.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    database: &'a dyn Database,
    started: Instant,
    profiles: Vec<Option<Profile>>,
    /// The keys of large tables that were asked for, by table and column.
    large: Vec<((usize, usize), Option<Seen>)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(database: &'a dyn Database, tables: usize) -> Self {
        let profiles = std::iter::repeat_with(|| None).take(tables).collect();
        Self { database, started: Instant::now(), profiles, large: Vec::new() }
    }

    /// What was read of a table.
    pub(super) fn profile(&self, at: usize) -> Option<&Profile> {
        self.profiles.get(at)?.as_ref()
    }

    /// True where reading costs nobody anything but a moment of this machine.
    pub(super) fn is_local(&self) -> bool {
        self.database.is_local()
    }

    /// True where no more is read.
    fn is_late(&self) -> bool {
        self.started.elapsed() > if self.is_local() { ALL } else { ALL_REMOTE }
    }

    /// Reads the first rows of a table, unless that was done or there is no time left. Views are not read: their rows would
    /// have to be computed.
    pub(super) async fn read(&mut self, tables: &[Table], at: usize) {
        let Some(table) = tables.get(at).filter(|table| table.kind == TableKind::Table) else { return };
        if self.profile(at).is_some() || self.is_late() {
            return;
        }
        let columns = table.columns.iter().enumerate();
        let wanted: Vec<usize> = columns.filter(|(_, column)| may_be_key(column)).map(|(at, _)| at).collect();
        if wanted.is_empty() {
            return;
        }
        let most = if self.is_local() { LOCAL } else { REMOTE };
        let profile = match self.rows(table, &wanted, most).await {
            // One more than is looked at shows whether there are more.
            Some(mut rows) => {
                let whole = rows.len() <= most;
                rows.truncate(most);
                Profile::of_rows(table, &wanted, &rows, whole)
            }
            None => return,
        };
        if let Some(place) = self.profiles.get_mut(at) {
            *place = Some(profile);
        }
    }

    /// All keys of a table of which the first rows were not all, where they can be had cheaply.
    pub(super) async fn keys(&mut self, tables: &[Table], at: usize, column: usize) -> Option<&Seen> {
        let place = (at, column);
        if !self.large.iter().any(|(known, _)| *known == place) {
            let table = tables.get(at)?;
            let mut seen = None;
            if self.is_local() && !self.is_late() {
                let rows = self.rows(table, &[column], KEYS).await.filter(|rows| rows.len() <= KEYS);
                let profile = rows.map(|rows| Profile::of_rows(table, &[column], &rows, true));
                seen = profile.and_then(|mut profile| profile.columns.get_mut(column)?.take());
            }
            self.large.push((place, seen));
        }
        self.large.iter().find(|(known, _)| *known == place)?.1.as_ref()
    }

    /// How many of some values of a column are keys of a table, and how many were asked for, where that can be had cheaply:
    /// a declared key has an index.
    pub(super) async fn looked_up(
        &self,
        table: &Table,
        column: usize,
        seen: &Seen,
    ) -> Option<(usize, usize)> {
        let key = table.columns.get(column).filter(|key| key.unique && key.key_evidence.is_none())?;
        if self.is_late() || seen.some.is_empty() {
            return None;
        }
        match self.database.look_up(table, &key.name, &seen.some, ONE).await {
            Ok(found) => Some((found?.len(), seen.some.len())),
            Err(error) => {
                tracing::debug!(table = table.name, %error, "values were not looked up in the table");
                None
            }
        }
    }

    /// The first rows of a table, in some of its columns, and one more than asked for where there are more.
    pub(super) async fn rows(
        &self,
        table: &Table,
        columns: &[usize],
        most: usize,
    ) -> Option<Vec<Vec<Value>>> {
        let names: Vec<&str> =
            columns.iter().filter_map(|at| Some(table.columns.get(*at)?.name.as_str())).collect();
        match self.database.peek(table, &names, most + 1, ONE).await {
            // A server that gives nothing may have something.
            Ok(rows) if rows.is_empty() && !self.is_local() => None,
            Ok(rows) => Some(rows),
            Err(error) => {
                tracing::debug!(table = table.name, %error, "the table's rows were not looked at");
                None
            }
        }
    }
}

/// True for columns whose values may identify something, by what is known without looking.
fn may_be_key(column: &Column) -> bool {
    let whole = |value: &Value| match value {
        Value::Real(number) => number.fract() == 0.0,
        Value::Integer(_) => true,
        _ => false,
    };
    match column.column_type {
        ColumnType::Integer | ColumnType::Date | ColumnType::DateTime => true,
        ColumnType::Real => !column.samples.is_empty() && column.samples.iter().all(whole),
        ColumnType::Text => {
            column.samples.iter().all(|value| value.as_str().is_none_or(|text| text.len() <= LONGEST))
        }
        // Identifiers that are neither numbers nor texts.
        ColumnType::Other => column.declared_type.eq_ignore_ascii_case("uuid"),
        ColumnType::Boolean | ColumnType::Time | ColumnType::Blob => false,
    }
}
