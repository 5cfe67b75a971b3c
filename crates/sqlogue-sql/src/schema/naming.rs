//! Names in schemas: where their words end, and which of their letters say nothing because all names have them.

use std::collections::{HashMap, HashSet};

use super::Table;

/// What tables' names begin with that says what kind of table it is, and not of what.
const KINDS: &[&str] = &["dim", "fct", "fact", "tbl", "tb", "stg", "vw", "v", "lkp", "lookup", "xref", "mst"];

/// What names of files end with that says nothing about what is in them.
const OF_FILES: &[&str] = &["export", "final", "copy", "data", "dump", "extract", "report", "sheet"];

/// Cuts a name at underscores, spaces, changes of case and digits, into lower-case pieces; not behind the letter of `e-mail`.
pub fn pieces(name: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut current = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let previous = at.checked_sub(1).and_then(|before| letters.get(before)).copied().unwrap_or('_');
        let next = letters.get(at + 1).copied().unwrap_or('_');
        let boundary = (letter.is_uppercase() && previous.is_lowercase())
            || (letter.is_uppercase() && previous.is_uppercase() && next.is_lowercase() && next != 's')
            || (letter.is_ascii_digit() != previous.is_ascii_digit() && previous.is_alphanumeric());
        // `E-mail` is the word that others write as `email`.
        if letter == '-' && current == "e" && next.is_alphabetic() {
            continue;
        }
        if !letter.is_alphanumeric() || boundary {
            if !current.is_empty() {
                pieces.push(std::mem::take(&mut current));
            }
            if !letter.is_alphanumeric() {
                continue;
            }
        }
        current.extend(letter.to_lowercase());
    }
    if !current.is_empty() {
        pieces.push(current);
    }
    pieces
}

/// The name of a table without that of the schema or data set before it.
pub fn plain_name(table: &str) -> &str {
    table.rsplit('.').next().unwrap_or(table)
}

/// What the rows of a table are: the words of its name, without those that tell of the file that it was, such as those of
/// `Sales Export (final)`.
///
/// ```
/// use sqlogue_sql::schema::row_words;
///
/// assert_eq!(row_words("Sales Export (final) 2"), ["sales"]);
/// assert_eq!(row_words("exports"), ["exports"]);
/// ```
pub fn row_words(table: &str) -> Vec<String> {
    let name = plain_name(table);
    let outside = name.split_once('(').map_or(name, |(before, _)| before);
    let mut words = pieces(outside);
    // The `Q` of `Q3` is no word of what is in the rows either.
    let of_files = |word: &String| {
        OF_FILES.contains(&word.as_str()) || word.parse::<u32>().is_ok() || word.chars().nth(1).is_none()
    };
    while words.len() > 1 && words.last().is_some_and(of_files) {
        words.pop();
    }
    if words.is_empty() { pieces(name) } else { words }
}

/// What the names of a schema's tables begin with, and what says nothing of their rows: the name of an application, or what
/// kind of table it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedNames {
    /// First words: `acme` in `acme_people`.
    words: HashSet<String>,
    /// First letters of names that are written together: `pk` in `pkgarage`.
    letters: Option<String>,
}

impl SharedNames {
    /// What the names of some tables begin with.
    pub fn of(tables: &[Table]) -> Self {
        Self { words: shared_words(tables), letters: shared_letters(tables) }
    }
}

/// The words of a table's name, without those before it that say nothing: what kind of table it is, and what is `shared`
/// with the others.
pub fn table_words(table: &str, shared: &SharedNames) -> Vec<String> {
    let mut words = pieces(plain_name(table));
    let says_nothing = |word: &String| KINDS.contains(&word.as_str()) || shared.words.contains(word);
    while words.len() > 1 && words.first().is_some_and(says_nothing) {
        words.remove(0);
    }
    if let [run] = words.as_slice() {
        let kind = behind_kind(run).filter(|(kind, _)| shared.words.contains(*kind)).map(|(_, rest)| rest);
        let letters = || run.strip_prefix(shared.letters.as_deref()?).filter(|rest| rest.len() >= SHORTEST);
        if let Some(rest) = kind.or_else(letters) {
            return vec![rest.to_owned()];
        }
    }
    words
}

/// A name written together, cut behind the letters that say what kind of table it is: `TBLCUSTOMER`.
fn behind_kind(run: &str) -> Option<(&str, &str)> {
    let kinds = KINDS.iter().filter(|kind| kind.len() >= 3);
    kinds
        .filter_map(|kind| run.strip_prefix(kind).map(|rest| (*kind, rest)))
        .find(|(_, rest)| rest.len() >= SHORTEST)
}

/// What is left of a name has so many letters at least.
const SHORTEST: usize = 3;

/// The two to four letters that at least three tables whose names are written together begin with, and four in five of such
/// tables. What is left must be the name of something: columns of other tables bear it, as `stfgarage` does that of
/// `pkgarage`.
fn shared_letters(tables: &[Table]) -> Option<String> {
    let runs: Vec<String> = tables
        .iter()
        .filter_map(|table| match pieces(plain_name(&table.name)).as_slice() {
            [run] if run.is_ascii() => Some(run.clone()),
            _ => None,
        })
        .collect();
    let columns: HashSet<String> = tables
        .iter()
        .flat_map(|table| table.columns.iter().map(|column| pieces(&column.name).concat()))
        .collect();
    let is_borne = |run: &str, rest: &str| {
        columns
            .iter()
            .any(|column| column.len() > rest.len() && column.contains(rest) && !column.contains(run))
    };
    (2..=4_usize).rev().find_map(|length| {
        let letters = runs.first()?.get(..length)?.to_owned();
        let rests: Vec<(&String, &str)> = runs
            .iter()
            .filter_map(|run| Some((run, run.strip_prefix(&letters)?)))
            .filter(|(_, rest)| rest.len() >= SHORTEST)
            .collect();
        let borne = rests.iter().filter(|(run, rest)| is_borne(run, rest)).count();
        (rests.len() >= 3 && rests.len() * 5 >= runs.len() * 4 && borne >= 2 && borne * 3 >= rests.len())
            .then_some(letters)
    })
}

/// First words that at least three tables, and two in five, have in common: the name of an application, and of no thing.
/// The letters before names written together count where they say what kind of table it is.
fn shared_words(tables: &[Table]) -> HashSet<String> {
    let firsts = tables.iter().filter_map(|table| {
        let words = pieces(plain_name(&table.name));
        match words.as_slice() {
            [run] => behind_kind(run).map(|(kind, _)| kind.to_owned()),
            _ => words.into_iter().next(),
        }
    });
    let mut counts: HashMap<String, usize> = HashMap::new();
    for first in firsts {
        *counts.entry(first).or_default() += 1;
    }
    // A table that is called by the word alone is what the word means.
    let things: HashSet<String> =
        tables.iter().map(|table| pieces(plain_name(&table.name)).concat()).collect();
    let is_thing = |word: &str| {
        things.contains(word)
            || things.iter().any(|thing| thing.strip_suffix('s').is_some_and(|one| one == word))
    };
    let shared = counts
        .into_iter()
        .filter(|(word, count)| *count >= 3 && count * 5 >= tables.len() * 2 && !is_thing(word));
    shared.map(|(word, _)| word).collect()
}

/// The letters that four in five columns of a table begin with, without underscores and in lower case; none where they
/// have none in common. A single letter counts only where the spelling sets it apart.
pub fn column_prefix(table: &Table) -> String {
    let names: Vec<Vec<String>> = table.columns.iter().map(|column| pieces(&column.name)).collect();
    let flat: Vec<String> = names.iter().map(|words| words.concat()).collect();
    let Some(first) = flat.first().filter(|_| flat.len() >= 3) else { return String::new() };
    // Of four in five columns one is among the first two.
    let second = flat.get(1).unwrap_or(first);
    let such = |prefix: &str| {
        flat.iter().filter(|name| name.starts_with(prefix) && name.len() > prefix.len()).count()
    };
    let set_apart = |prefix: &str| names.iter().any(|words| words.first().is_some_and(|word| word == prefix));
    let prefixes = [first, second].into_iter().filter_map(|name| {
        (1..name.len().min(12))
            .rev()
            .filter_map(|length| name.get(..length))
            .find(|prefix| such(prefix) * 5 >= flat.len() * 4 && (prefix.len() > 1 || set_apart(prefix)))
    });
    prefixes.max_by_key(|prefix| prefix.len()).unwrap_or_default().to_owned()
}

/// True where the letters of one stand in the other in their order, from the first on.
pub fn is_subsequence(short: &str, long: &str) -> bool {
    let mut letters = long.chars();
    short.chars().next() == long.chars().next()
        && short.chars().all(|letter| letters.any(|other| other == letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_kind_of_table_it_is_may_be_written_together_with_its_name() {
        let tables = ["TBLCUSTOMER", "TBLJOB", "TBLJOBPART", "FACTORY"]
            .map(|name| Table { name: name.into(), ..Table::default() });
        let shared = SharedNames::of(&tables);
        assert_eq!(table_words("TBLJOBPART", &shared), ["jobpart"]);
        assert_eq!(table_words("FACTORY", &shared), ["factory"]);
    }

    #[test]
    fn spelling_says_where_words_end() {
        for (name, expected) in [
            ("StudentID", "student id"),
            ("home_team_id", "home team id"),
            ("HTTPStatus2", "http status 2"),
            ("customerIDs", "customer ids"),
            ("ticketid", "ticketid"),
            ("E-mail Address", "email address"),
            ("size-e", "size e"),
            ("", ""),
        ] {
            assert_eq!(pieces(name).join(" "), expected);
        }
    }

    fn table(name: &str, columns: &[&str]) -> Table {
        let column = |name: &&str| crate::schema::Column { name: (*name).to_owned(), ..Default::default() };
        Table { name: name.into(), columns: columns.iter().map(column).collect(), ..Table::default() }
    }

    #[test]
    fn what_all_names_have_says_nothing() {
        let tables = ["acme_orders", "acme_items", "acme_people", "visits"].map(|name| table(name, &[]));
        let shared = SharedNames::of(&tables);
        assert_eq!(table_words("sales.acme_orders", &shared), ["orders"]);
        assert_eq!(table_words("dim_date", &shared), ["date"]);
        assert_eq!(table_words("fct_stock_daily", &shared), ["stock", "daily"]);
        // Where there are orders, an order's lines are named for them.
        let tables = ["order", "order_lines", "order_notes", "order_taxes"].map(|name| table(name, &[]));
        assert!(shared_words(&tables).is_empty());
    }

    #[test]
    fn columns_have_letters_in_common() {
        for (columns, expected) in [
            (&["lbloanno", "lbloanday", "lbloanbookno"][..], "lbloan"),
            (&["id", "name", "country"], ""),
            (&["c_custkey", "c_name", "c_address"], "c"),
            (&["number", "name", "nation"], ""),
        ] {
            assert_eq!(column_prefix(&table("t", columns)), expected, "{columns:?}");
        }
    }
}
