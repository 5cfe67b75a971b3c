//! How far the name of a column says that it refers to a key.

use super::words::{Name, Roles, alike, is_anyone, names_person};

/// A key that may be referred to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Referred<'a> {
    /// The name of its table.
    pub(super) table: &'a Name,
    /// The ways to read its own name.
    pub(super) readings: &'a [Name],
    /// True where the column asked about stands in the same table.
    pub(super) own: bool,
}

/// What names say: how much, from 0 to 1, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Agreement {
    pub(super) score: f32,
    pub(super) because: Because,
}

/// What in a name speaks for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Because {
    /// The column is called as the key is.
    SameName,
    /// Its name ends as the key's does; what stands before says which role the row has.
    EndsAsKey,
    /// It names the table.
    NamesTable,
    /// Some rows of the table are said to be what it is called.
    NamesValue,
    /// It names the role that a row of such a table has.
    NamesRole,
    /// Its table is named for the one referred to: `debate_people`, whatever the column says.
    TableNames,
    /// Nothing.
    Nothing,
}

/// Words that are read into so little that two of them in a row say nothing.
const WEAK: f32 = 0.4;

impl Agreement {
    /// Nothing in common.
    pub(super) const NOTHING: Self = Self { score: 0.0, because: Because::Nothing };

    /// Some rows of the table are what the name says.
    pub(super) const VALUE: Self = Self { score: 0.85, because: Because::NamesValue };

    /// The better of two.
    pub(super) fn or(self, other: Self) -> Self {
        if other.score > self.score { other } else { self }
    }
}

/// How sure the ways to read a name are: what is cut off by letters alone may be cut off wrongly.
fn sure(readings: &[Name]) -> impl Iterator<Item = (f32, &Name)> {
    readings.iter().enumerate().map(|(at, name)| (if at == 0 { 1.0 } else { 0.97 }, name))
}

/// The best of what the readings of a column's name and those of a key say, whatever the column's table is called.
pub(super) fn agreement(column: &[Name], key: Referred<'_>) -> Agreement {
    let mut best = Agreement::NOTHING;
    let mut offer = |score: f32, because| best = best.or(Agreement { score, because });
    for (sure, name) in sure(column) {
        for key_name in key.readings {
            offer(sure * same_name(name, key_name, key.table), Because::SameName);
            offer(sure * ends_as_key(name, key_name, key.table), Because::EndsAsKey);
        }
        offer(sure * names_table(name, key), Because::NamesTable);
        offer(sure * names_role(name, key), Because::NamesRole);
    }
    best
}

/// What it says that the column's table is named for the one referred to.
pub(super) fn agreement_of_tables(column: &[Name], table: &Name, key: Referred<'_>) -> Agreement {
    let scores = sure(column).map(|(sure, name)| sure * table_names(name, table, key));
    Agreement::NOTHING.or(Agreement { score: scores.fold(0.0, f32::max), because: Because::TableNames })
}

/// `customer_id` and `customer_id`, but not `id` and `id`.
fn same_name(name: &Name, key: &Name, table: &Name) -> f32 {
    // Two measures, or what two things are called, may have one name and nothing to do with each other.
    let (says_key, roles) = (name.says_key(), name.roles);
    if name.flat != key.flat || name.is_only_key() || (!says_key && (roles.measure || roles.label)) {
        return 0.0;
    }
    // That the table bears the name too tells it from others with such a column.
    if suffix(key.core(), &table.words) > 0.0 { 1.0 } else { 0.93 }
}

/// `ship_date_key` and `date_key`, `mgr_wid` and `wid`.
fn ends_as_key(name: &Name, key: &Name, table: &Name) -> f32 {
    // A `price_per_bag` refers to no bag.
    if !name.says_key() && name.roles.measure {
        return 0.0;
    }
    if key.is_only_key() || name.flat == key.flat {
        return 0.0;
    }
    let words = name.words.ends_with(&key.words);
    let letters = key.flat.len() >= 5 && name.flat.ends_with(&key.flat);
    // The key's own word without the ones that say *key*: `lens` and `lens_code`.
    let core = name.core().ends_with(key.core()) && suffix(key.core(), &table.words) > 0.0;
    match (words, letters, core) {
        (true, ..) => 0.92,
        (_, true, _) => 0.85,
        (.., true) if name.says_key() => 0.88,
        (.., true) => 0.8,
        _ => 0.0,
    }
}

/// `customer_id`, `cust_no`, `home_team`, `winning_aircraft` and the tables `customers`, `teams`, `aircraft`.
fn names_table(name: &Name, key: Referred<'_>) -> f32 {
    let core = name.core();
    let table = &key.table.words;
    if core.is_empty() || table.is_empty() || (!name.says_key() && name.core_roles.measure) {
        return 0.0;
    }
    let (joined, joined_table) = (core.concat(), table.concat());
    let whole = joined == joined_table || joined == key.table.flat;
    let initials: String = table.iter().filter_map(|word| word.chars().next()).collect();
    let score = if whole {
        1.0
    } else if table.len() > 1 && initials == joined {
        0.6
    } else if joined_table.len() >= 4 && joined.ends_with(&joined_table) {
        0.88
    } else {
        let anywhere = core.iter().any(|word| table.last().is_some_and(|last| alike(word, last) >= 0.9));
        suffix(core, table).max(if anywhere && table.len() == 1 { 0.6 } else { 0.0 })
    };
    // Without a word that says so, a name may be that of a thing and not of its key.
    // A key that is named for something else than its table is that thing's.
    let other = |key: &Name| key.says_key() && !key.is_only_key() && suffix(key.core(), table) == 0.0;
    let score = match key.readings.iter().all(other) {
        true if whole => score * 0.85,
        true => score * 0.6,
        false => score,
    };
    score
        * match (name.says_key(), name.plural) {
            (true, _) => 0.97,
            (false, false) => 0.86,
            (false, true) => 0.5,
        }
}

/// How well the ends of two names agree, word by word: 0 where a word has no counterpart.
pub(super) fn suffix(name: &[String], table: &[String]) -> f32 {
    let mut score = 1.0_f32;
    for (word, other) in name.iter().rev().zip(table.iter().rev()) {
        let one = alike(word, other);
        if one < WEAK || (one < 0.6 && score < 0.6) {
            return 0.0;
        }
        score = score.min(one);
    }
    match name.len().cmp(&table.len()) {
        std::cmp::Ordering::Equal => score,
        // What stands before in the column's name is a role.
        std::cmp::Ordering::Greater => score * if score < 0.6 { 0.6 } else { 0.94 },
        // What stands before in the table's name says which kind.
        std::cmp::Ordering::Less => score * 0.8,
    }
}

/// `author_id` and a table of people, `parent_id` and its own table.
fn names_role(name: &Name, key: Referred<'_>) -> f32 {
    let core = name.core();
    let Some(last) = core.last() else { return 0.0 };
    // *guests* are counted and not referred to.
    if name.plural && !name.says_key() {
        return 0.0;
    }
    let (roles, table) = (name.core_roles, key.table.roles);
    let people = table.people;
    let key_word = if name.says_key() { 1.0 } else { 0.85 };
    match roles {
        Roles { itself: true, role: false, .. } if key.own => 0.72,
        Roles { itself: true, .. } if key.own && (people || table.role || table.person) => 0.72,
        // Who is `recommended_by` somebody is one of them.
        Roles { itself: true, .. } if key.own && last == "by" => 0.72,
        // The manager of a garage is no garage.
        Roles { itself: true, role: true, .. } if key.own => 0.3,
        Roles { itself: true, .. } if key.own => 0.5,
        // Citizens inspect no buildings where others are paid for it.
        Roles { role: true, work: true, .. } if people && table.public && !key.own => 0.5 * key_word,
        Roles { role: true, .. } if people => 0.72 * key_word,
        // Nurses have heads, and instructors advise.
        Roles { role: true, .. } if table.person || table.role => 0.6 * key_word,
        Roles { day: true, .. } if table.calendar => 0.65,
        _ if people && names_person(last) && name.says_key() => {
            // A gymnast is a person, and hardly an employee.
            if is_anyone(key.table) { 0.45 } else { 0.35 }
        }
        _ => 0.0,
    }
}

/// `affirmative` in `debate_people` and the table `people`, as long as the column does not name something else.
fn table_names(name: &Name, table: &Name, key: Referred<'_>) -> f32 {
    let (own, other) = (&table.words, &key.table.words);
    let within = own.len() > other.len() && own.windows(other.len().max(1)).any(|words| words == other);
    let open = !name.says_key() && !name.roles.measure;
    if within && open && !key.own { 0.64 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use sqlogue_sql::schema::SharedNames;

    use super::super::words::{readings, table_name};
    use super::*;

    fn score(column: &str, table: &str, key: &str, own: bool) -> Agreement {
        score_in("t", column, table, key, own)
    }

    fn score_in(of: &str, column: &str, table: &str, key: &str, own: bool) -> Agreement {
        let shared = SharedNames::default();
        let table = table_name(table, &shared);
        let key = readings(key, "");
        let key = Referred { table: &table, readings: &key, own };
        let column = readings(column, "");
        agreement(&column, key).or(agreement_of_tables(&column, &table_name(of, &shared), key))
    }

    #[test]
    fn names_say_what_is_referred_to() {
        for (column, table, key, own, at_least, because) in [
            ("customer_id", "customers", "customer_id", false, 1.0, Because::SameName),
            ("customer_id", "customers", "id", false, 0.95, Because::NamesTable),
            ("pid", "pt", "pid", false, 0.93, Because::SameName),
            ("cust_no", "customers", "number", false, 0.8, Because::NamesTable),
            ("custno", "customers", "custid", false, 0.8, Because::NamesTable),
            ("ship_date_key", "dim_date", "date_key", false, 0.9, Because::EndsAsKey),
            ("mgr_wid", "wkr", "wid", false, 0.9, Because::EndsAsKey),
            ("from_station", "stations", "station_id", false, 0.7, Because::EndsAsKey),
            ("ChiefMemberId", "Members", "MemberId", false, 0.9, Because::EndsAsKey),
            ("away_team", "teams", "team_id", false, 0.7, Because::EndsAsKey),
            ("AuthorId", "Members", "MemberId", false, 0.5, Because::NamesRole),
            ("manager_id", "employees", "employee_id", true, 0.6, Because::NamesRole),
        ] {
            let found = score(column, table, key, own);
            assert!(found.score >= at_least && found.because == because, "{column} {table}: {found:?}");
        }
    }

    #[test]
    fn tables_are_named_for_others() {
        let found = |column| score_in("trial_people", column, "people", "people_id", false);
        assert_eq!(found("defending").because, Because::TableNames);
        assert_eq!(found("hall_id").score, 0.0);
        assert_eq!(found("duration").score, 0.0);
    }

    #[test]
    fn names_without_anything_in_common_say_nothing() {
        for (column, table, key) in [
            ("id", "customers", "id"),
            ("quantity", "customers", "id"),
            ("tag_id", "teams", "team_id"),
            ("amount", "accounts", "account_id"),
            ("price_per_bag", "bags", "bag_id"),
            ("name", "products", "name"),
            ("invited_by", "playlists", "id"),
        ] {
            let found = score(column, table, key, false);
            assert!(found.score < 0.3, "{column} {table}: {found:?}");
        }
    }
}
