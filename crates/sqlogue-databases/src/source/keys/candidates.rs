//! Which keys a column may refer to, by its name or by its values, without comparing everything with everything.

use std::collections::{HashMap, HashSet};

use super::Perhaps;
use super::names::{Agreement, Because, Referred, Referring, agreement, suffix};
use super::profile::Reader;
use super::words::{Name, readings, roles_of, table_name, variants};
use sqlogue_sql::schema::{ColumnType, Schema, Table, column_prefix, shared_words};

/// Names that agree less than this say nothing.
const WEAKEST: f32 = 0.3;

/// Names that agree so much say the same.
const SAME: f32 = 0.9;

/// Fewer rows than this are without duplicates by chance.
const SOME: usize = 3;

/// Above so many tables, only names lead to candidates, not values alone.
const MANY: usize = 150;

/// The names of a schema, read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) tables: Vec<ReadTable>,
    /// The tables by the last words of their names.
    by_last_word: HashMap<String, Vec<usize>>,
}

/// The names of one table.
#[derive(Debug)]
pub(super) struct ReadTable {
    pub(super) name: Name,
    /// The ways to read the name of each column.
    pub(super) columns: Vec<Vec<Name>>,
}

impl Read {
    pub(super) fn of(schema: &Schema) -> Self {
        let shared = shared_words(&schema.tables);
        let read = |table: &Table| {
            let prefix = column_prefix(table);
            ReadTable {
                name: table_name(&table.name, &shared),
                columns: table.columns.iter().map(|column| readings(&column.name, &prefix)).collect(),
            }
        };
        let tables: Vec<ReadTable> = schema.tables.iter().map(read).collect();
        let mut by_last_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, table) in tables.iter().enumerate() {
            by_last_word.entry(table.name.words.last().cloned().unwrap_or_default()).or_default().push(at);
        }
        Self { tables, by_last_word }
    }

    /// True where a column names another table rather than its own.
    pub(super) fn names_other(&self, place: (usize, usize)) -> bool {
        let Some(own) = self.tables.get(place.0) else { return false };
        self.column(place).iter().filter(|name| name.says_key()).any(|name| {
            let Some(last) = name.core().last() else { return false };
            let others = self.by_last_word.get(last).into_iter().flatten();
            let own = suffix(name.core(), &own.name.words);
            others
                .filter(|other| **other != place.0)
                .filter_map(|other| self.tables.get(*other))
                .any(|other| suffix(name.core(), &other.name.words) > own)
        })
    }

    pub(super) fn column(&self, place: (usize, usize)) -> &[Name] {
        let table = self.tables.get(place.0);
        table.and_then(|table| table.columns.get(place.1)).map_or(&[], Vec::as_slice)
    }

    /// True for a table of people, whatever they do.
    pub(super) fn is_anyone(&self, table: usize) -> bool {
        let last = self.tables.get(table).and_then(|table| table.name.words.last());
        last.is_some_and(|word| matches!(word.as_str(), "person" | "people" | "individual" | "human"))
    }

    /// True where a column is called as its own table is.
    pub(super) fn bears_own_name(&self, place: (usize, usize)) -> bool {
        let Some(table) = self.tables.get(place.0) else { return false };
        self.column(place).iter().any(|name| suffix(name.core(), &table.name.words) >= 0.6)
    }
}

/// The keys of a schema, by the words that lead to them.
#[derive(Debug)]
pub(super) struct Candidates {
    targets: Vec<(usize, usize)>,
    /// Targets that are no keys but have no duplicates: only names that say the same lead to them.
    others: HashSet<usize>,
    by_word: HashMap<String, Vec<usize>>,
    /// Tables of people.
    people: Vec<usize>,
    /// Tables of days.
    calendars: Vec<usize>,
    /// Keys that may be found by their values alone.
    by_values: Vec<usize>,
    /// False where there are so many tables that words must begin with more than one letter in common.
    widely: bool,
}

impl Candidates {
    /// The columns of a schema that may be referred to: keys, others without duplicates, and what is `perhaps` a key.
    pub(super) fn of(reader: &Reader<'_>, schema: &Schema, read: &Read, perhaps: &Perhaps) -> Self {
        let mut candidates = Self {
            targets: Vec::new(),
            others: HashSet::new(),
            by_word: HashMap::new(),
            people: Vec::new(),
            calendars: Vec::new(),
            by_values: Vec::new(),
            widely: schema.tables.len() <= MANY,
        };
        // Who declares references declares most of them.
        let declares = schema.tables.iter().any(|table| table.foreign_keys.iter().any(|key| key.declared));
        for (at, (table, names)) in schema.tables.iter().zip(&read.tables).enumerate() {
            let alone = table.primary_key().count() == 1;
            for (place, column) in table.columns.iter().enumerate() {
                let number = candidates.targets.len();
                if !(column.unique || column.primary_key && alone || perhaps.contains_key(&(at, place))) {
                    if !is_alternate(reader, read, (at, place)) {
                        continue;
                    }
                    candidates.others.insert(number);
                }
                candidates.targets.push((at, place));
                let mut words: HashSet<String> = HashSet::new();
                words.extend(names.name.words.iter().flat_map(|word| variants(word, candidates.widely)));
                words.insert(names.name.words.concat());
                words.insert(names.name.flat.clone());
                words.insert(names.name.words.iter().filter_map(|word| word.chars().next()).collect());
                for name in read.column((at, place)) {
                    words.insert(name.flat.clone());
                    words.extend(name.core().last().cloned());
                }
                for word in words {
                    candidates.by_word.entry(word).or_default().push(number);
                }
                let roles = roles_of(&names.name.words);
                if roles.people || roles.person || roles.role {
                    candidates.people.push(number);
                }
                if roles.calendar {
                    candidates.calendars.push(number);
                }
                let distinctive = matches!(column.column_type, ColumnType::Text | ColumnType::Integer)
                    && !candidates.others.contains(&number);
                if distinctive && candidates.widely && !declares {
                    candidates.by_values.push(number);
                }
            }
        }
        candidates
    }

    /// The keys that a column may refer to, with what its name says of each.
    pub(super) fn of_column(
        &self,
        read: &Read,
        schema: &Schema,
        from: (usize, usize),
    ) -> Vec<((usize, usize), Agreement)> {
        let names = read.column(from);
        let mut numbers: HashSet<usize> = HashSet::new();
        let mut by_word = |word: &str| numbers.extend(self.by_word.get(word).into_iter().flatten());
        for name in names {
            by_word(&name.flat);
            by_word(&name.core().concat());
            for word in &name.words {
                variants(word, self.widely).iter().for_each(|variant| by_word(variant));
            }
            // What a run ends with may be a key's name: `fromstationid`.
            for at in 1..name.flat.len().saturating_sub(4) {
                name.flat.get(at..).into_iter().for_each(&mut by_word);
            }
        }
        let own = |number: &usize| self.targets.get(*number).is_some_and(|(table, _)| *table == from.0);
        for roles in names.iter().map(|name| roles_of(name.core())) {
            if roles.role || roles.person {
                numbers.extend(&self.people);
            }
            if roles.day {
                numbers.extend(&self.calendars);
            }
            if roles.itself {
                numbers.extend((0..self.targets.len()).filter(own));
            }
        }
        // A table may be named for another, whatever its columns are called.
        let own = read.tables.get(from.0).map_or(&[][..], |table| &table.name.words);
        numbers.extend(own.iter().flat_map(|word| self.by_word.get(word).into_iter().flatten()));
        numbers.extend(&self.by_values);
        let mut numbers: Vec<usize> = numbers.into_iter().collect();
        numbers.sort_unstable();
        numbers.into_iter().filter_map(|number| self.candidate(read, schema, from, number)).collect()
    }

    fn candidate(
        &self,
        read: &Read,
        schema: &Schema,
        from: (usize, usize),
        number: usize,
    ) -> Option<((usize, usize), Agreement)> {
        let to = *self.targets.get(number)?;
        if to == from {
            return None;
        }
        let table = read.tables.get(to.0)?;
        let key = Referred { table: &table.name, readings: read.column(to), own: to.0 == from.0 };
        let own = &read.tables.get(from.0)?.name;
        let names = agreement(Referring { readings: read.column(from), table: own }, key);
        // A row's other columns are not named for the row's own key, but for what another row of the table is to it.
        if to.0 == from.0 && matches!(names.because, Because::NamesTable | Because::SameName) {
            return None;
        }
        if self.others.contains(&number) && names.score < SAME {
            return None;
        }
        // Where a column is called for the other table, that one is why the table is named for it.
        let is_named = |place: usize| {
            let readings = read.column((from.0, place));
            place != from.1 && agreement(Referring { readings, table: own }, key).score >= SAME
        };
        let columns = schema.tables.get(from.0).map_or(0, |table| table.columns.len());
        let taken = names.because == Because::TableNames && (0..columns).any(is_named);
        let names = if taken { Agreement { score: 0.0, because: Because::Nothing } } else { names };
        let by_values = names.score < WEAKEST;
        let measure = read.column(from).iter().any(|name| roles_of(&name.words).measure);
        if by_values && (to.0 == from.0 || measure || !self.by_values.contains(&number)) {
            return None;
        }
        let column = schema.tables.get(from.0)?.columns.get(from.1)?;
        let fits = !by_values || matches!(column.column_type, ColumnType::Text | ColumnType::Integer);
        let nothing = Agreement { score: 0.0, because: Because::Nothing };
        fits.then_some((to, if by_values { nothing } else { names }))
    }
}

/// True for a column that names each row as well as the key does: a code, a number, a name that says whose it is.
fn is_alternate(reader: &Reader<'_>, read: &Read, place: (usize, usize)) -> bool {
    let Some(profile) = reader.profile(place.0) else { return false };
    let Some(name) = read.column(place).first() else { return false };
    let roles = roles_of(&name.words);
    profile.rows >= SOME
        && (name.says_key() || !roles.measure && !roles.label)
        && profile.is_unique(&[place.1])
}
