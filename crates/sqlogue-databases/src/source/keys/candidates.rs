//! Which keys a column may refer to, by its name or by its values, without comparing everything with everything.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Perhaps;
use super::names::{Agreement, Because, Referred, agreement, agreement_of_tables};
use super::profile::Reader;
use super::read::Read;
use super::words::{Name, variants};
use sqlogue_sql::schema::{ColumnType, Schema};

/// Names that agree less than this say nothing.
const WEAKEST: f32 = 0.3;

/// Names that agree so much say the same.
const SAME: f32 = 0.9;

/// Fewer rows than this are without duplicates by chance.
const SOME: usize = 3;

/// Above so many tables, only names lead to candidates, not values alone; and of the keys that a name may lead to, only so
/// many are compared by their values, those that it agrees with best.
const MANY: usize = 150;
const BEST: usize = 12;

/// The keys of a schema, by the words that lead to them.
#[derive(Debug)]
pub(super) struct Candidates {
    targets: Vec<(usize, usize)>,
    /// Which of them are in each table.
    in_table: Vec<Range<usize>>,
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
    /// The keys that names lead to, by the numbers of the names, as far as they were asked for: in a large schema the same
    /// names return in many tables.
    of_names: HashMap<usize, Vec<(usize, Agreement)>>,
}

impl Candidates {
    /// The columns of a schema that may be referred to: keys, others without duplicates, and what is `perhaps` a key.
    pub(super) fn of(reader: &Reader<'_>, schema: &Schema, read: &Read, perhaps: &Perhaps) -> Self {
        let mut candidates = Self {
            targets: Vec::new(),
            in_table: Vec::new(),
            others: HashSet::new(),
            by_word: HashMap::new(),
            people: Vec::new(),
            calendars: Vec::new(),
            by_values: Vec::new(),
            widely: schema.tables.len() <= MANY,
            of_names: HashMap::new(),
        };
        // Who declares references declares most of them.
        let declares = schema.tables.iter().any(|table| table.foreign_keys.iter().any(|key| key.declared));
        for (at, (table, names)) in schema.tables.iter().zip(&read.tables).enumerate() {
            let alone = table.primary_key().count() == 1;
            let first = candidates.targets.len();
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
                let roles = names.name.roles;
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
            candidates.in_table.push(first..candidates.targets.len());
        }
        candidates
    }

    /// The keys that a column may refer to, with what its name says of each.
    pub(super) fn of_column(
        &mut self,
        read: &Read,
        schema: &Schema,
        from: (usize, usize),
    ) -> Vec<((usize, usize), Agreement)> {
        let (Some(number), Some(own)) = (read.number(from), read.tables.get(from.0)) else {
            return Vec::new();
        };
        if !self.of_names.contains_key(&number) {
            let found = self.of_name(read, read.column(from));
            self.of_names.insert(number, found);
        }
        let mut named: HashMap<usize, Agreement> =
            self.of_names.get(&number).into_iter().flatten().copied().collect();
        named.retain(|number, _| self.targets.get(*number).is_some_and(|(table, _)| *table != from.0));
        // What a row is to another row of its table is another question.
        let key = |number: usize, own: bool| {
            let to = *self.targets.get(number)?;
            let table = read.tables.get(to.0)?;
            Some(Referred { table: &table.name, readings: read.column(to), own })
        };
        let in_own = self.in_table.get(from.0).cloned().unwrap_or_default();
        named.extend(
            in_own
                .clone()
                .filter_map(|number| Some((number, agreement(read.column(from), key(number, true)?)))),
        );
        // A table may be named for another, whatever its columns are called.
        for number in own.name.words.iter().flat_map(|word| self.by_word.get(word).into_iter().flatten()) {
            let Some(key) = key(*number, false).filter(|_| !in_own.contains(number)) else { continue };
            let tables = agreement_of_tables(read.column(from), &own.name, key);
            if tables.score > 0.0 {
                let known = named.entry(*number).or_insert(Agreement::NOTHING);
                *known = known.or(tables);
            }
        }
        for number in &self.by_values {
            named.entry(*number).or_insert(Agreement::NOTHING);
        }
        let mut found: Vec<(usize, Agreement)> = named.into_iter().collect();
        found.sort_unstable_by_key(|(number, _)| *number);
        if !self.widely {
            found.sort_by(|(_, one), (_, other)| other.score.total_cmp(&one.score));
            found.truncate(BEST);
        }
        found
            .into_iter()
            .filter_map(|(number, names)| self.candidate(read, schema, from, (number, names)))
            .collect()
    }

    /// The keys that a name leads to, whatever table it stands in.
    fn of_name(&self, read: &Read, names: &[Name]) -> Vec<(usize, Agreement)> {
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
        for roles in names.iter().map(|name| name.core_roles) {
            if roles.role || roles.person {
                numbers.extend(&self.people);
            }
            if roles.day {
                numbers.extend(&self.calendars);
            }
        }
        let agreed = |number: usize| {
            let to = *self.targets.get(number)?;
            let table = &read.tables.get(to.0)?.name;
            let agreed = agreement(names, Referred { table, readings: read.column(to), own: false });
            (agreed.score >= WEAKEST).then_some((number, agreed))
        };
        numbers.into_iter().filter_map(agreed).collect()
    }

    fn candidate(
        &self,
        read: &Read,
        schema: &Schema,
        from: (usize, usize),
        (number, names): (usize, Agreement),
    ) -> Option<((usize, usize), Agreement)> {
        let to = *self.targets.get(number)?;
        if to == from {
            return None;
        }
        // A row's other columns are not named for the row's own key, but for what another row of the table is to it.
        if to.0 == from.0 && matches!(names.because, Because::NamesTable | Because::SameName) {
            return None;
        }
        if self.others.contains(&number) && names.score < SAME {
            return None;
        }
        // `dr_id`, with which the rows of `prescribers` begin, says who they are themselves, and to nobody else what.
        let in_own = self.in_table.get(from.0).cloned().unwrap_or_default();
        let is_key =
            |number: usize| self.targets.get(number) == Some(&from) && !self.others.contains(&number);
        if names.because == Because::NamesRole && from.1 == 0 && in_own.clone().any(is_key) {
            return None;
        }
        // Where a column is called for the other table, that one is why the table is named for it.
        let table = &read.tables.get(to.0)?.name;
        let key = Referred { table, readings: read.column(to), own: to.0 == from.0 };
        let is_named =
            |place: usize| place != from.1 && agreement(read.column((from.0, place)), key).score >= SAME;
        let columns = schema.tables.get(from.0).map_or(0, |table| table.columns.len());
        let taken = names.because == Because::TableNames && (0..columns).any(is_named);
        let names = if taken { Agreement::NOTHING } else { names };
        let by_values = names.score < WEAKEST;
        let measure = read.column(from).iter().any(|name| name.roles.measure);
        if by_values && (to.0 == from.0 || measure || !self.by_values.contains(&number)) {
            return None;
        }
        let column = schema.tables.get(from.0)?.columns.get(from.1)?;
        let fits = !by_values || matches!(column.column_type, ColumnType::Text | ColumnType::Integer);
        fits.then_some((to, if by_values { Agreement::NOTHING } else { names }))
    }
}

/// True for a column that names each row as well as the key does: a code, a number, a name that says whose it is.
fn is_alternate(reader: &Reader<'_>, read: &Read, place: (usize, usize)) -> bool {
    let Some(profile) = reader.profile(place.0) else { return false };
    let Some(name) = read.column(place).first() else { return false };
    let roles = name.roles;
    profile.rows >= SOME
        && (name.says_key() || !roles.measure && !roles.label)
        && profile.is_unique(&[place.1])
}
