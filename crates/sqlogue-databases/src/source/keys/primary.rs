//! Primary keys that nobody declared: what names each row of a table and no two.

use super::names;
use super::percent;
use super::profile::Profile;
use super::words::{Name, is_key_word};
use sqlogue_base::number::grouped;
use sqlogue_sql::schema::{ColumnType, KeyEvidence, Table};

/// From here on a column is taken for the key.
const ENOUGH: f32 = 0.6;

/// From here on it is one where nothing else comes into question, and where another table refers to it.
const LIKELY: f32 = -1.2;
const PERHAPS: f32 = -2.4;

/// The columns that a key may be made of: tables have few that come into question, and each more doubles the work.
const PARTS: usize = 7;

/// How many columns of a table come into question.
const FEW: usize = 3;

/// A column that may alone be the key.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Single {
    pub(super) column: usize,
    /// True where it is one whatever else is found.
    pub(super) sure: bool,
    /// True where it is one if nothing else comes into question.
    pub(super) likely: bool,
    pub(super) evidence: KeyEvidence,
}

/// The columns that may alone be the key, the likeliest first, with what speaks for each; those that name another table come
/// into question only later, when it is known what they refer to.
pub(super) fn single(
    table: &Table,
    table_name: &Name,
    readings: &[&[Name]],
    profile: Option<&Profile>,
    names_other: impl Fn(usize) -> bool,
) -> Vec<Single> {
    let mut found: Vec<(f32, usize, Vec<String>)> = Vec::new();
    let calendar = table_name.roles.calendar;
    for (at, column) in table.columns.iter().enumerate() {
        let Some((name, said)) = readings.get(at).and_then(|names| name_score(table_name, names, at)) else {
            continue;
        };
        let (values, seen) = match profile {
            Some(profile) if profile.rows > 0 => match value_score(profile, at) {
                Some(found) => found,
                None => continue,
            },
            // Without a row only a plain name is enough.
            _ if name >= 3.0 => (-1.5, "no row says otherwise".to_owned()),
            _ => continue,
        };
        let kind = match column.column_type {
            ColumnType::Integer => 0.4,
            ColumnType::Text | ColumnType::Other => 0.0,
            ColumnType::Real => -0.3,
            ColumnType::Date | ColumnType::DateTime if calendar => 0.4,
            ColumnType::Date | ColumnType::DateTime => -1.0,
            _ => continue,
        };
        let other = if names_other(at) { 2.0 } else { 0.0 };
        let score = name + values + kind - other - 3.0;
        if score >= PERHAPS {
            found.push((score, at, vec![seen, said]));
        }
    }
    // Sorting is stable: of two that are equally likely the first column is it.
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    let single = |(score, column, because)| Single {
        column,
        sure: score >= ENOUGH,
        likely: score >= LIKELY,
        evidence: KeyEvidence { percent: percent(score).max(50), because },
    };
    found.into_iter().take(FEW).map(single).collect()
}

/// What the name and the place of a column say; none where it cannot be the key.
fn name_score(table: &Name, readings: &[Name], at: usize) -> Option<(f32, String)> {
    let place = match at {
        0 => 1.6,
        1 => 0.4,
        _ => 0.0,
    };
    let own = readings.iter().map(|name| {
        if name.is_only_key() {
            return 2.4;
        }
        let agreed = names::suffix(name.core(), &table.words);
        if name.says_key() && agreed > 0.0 { 1.4 + agreed } else { 0.0 }
    });
    let own = own.fold(0.0, f32::max);
    let first = readings.first()?;
    // `pid`, `tid`: a short run that ends so is hardly anything else.
    let short = first.flat.len() <= 4 && first.flat.ends_with("id");
    let says_key = readings.iter().any(Name::says_key);
    let (said, score) = if own > 0.0 {
        ("its name is that of a key of this table", own)
    } else if short {
        ("its name is that of a key", 1.8)
    } else if says_key {
        ("its name is that of a key", 1.0)
    } else if at == 0 {
        ("it is the first column", -0.4)
    } else {
        return None;
    };
    let last = first.words.last().map_or("", String::as_str);
    let label = ["name", "title", "description"].iter().any(|end| last.ends_with(end));
    // What says how much is no key, unless it says so.
    let measure = !says_key && first.roles.measure;
    Some((place + score - if label { 0.8 } else { 0.0 } - if measure { 3.0 } else { 0.0 }, said.to_owned()))
}

/// What the values say, where no two are the same and none is missing.
fn value_score(profile: &Profile, at: usize) -> Option<(f32, String)> {
    let seen = profile.column(at)?;
    if !profile.is_unique(&[at]) {
        return None;
    }
    let rows = profile.rows;
    // One row is unique in all that it has.
    let many = (rows as f32).ln().min(5.0) * 0.5;
    let dense = seen.numbers().is_some_and(|(low, high)| high.saturating_sub(low) < 2 * rows as i64);
    let long = seen.length() > 24;
    let said = format!("no two of {} have the same value, and none lacks one", rows_seen(profile));
    Some((many + if dense { 0.6 } else { 0.0 } - if long { 1.0 } else { 0.0 }, said))
}

/// The rows that were looked at, as they are spoken of.
fn rows_seen(profile: &Profile) -> String {
    let rows = grouped(profile.rows as u64);
    if profile.whole { format!("{rows} rows") } else { format!("the {rows} rows that were looked at") }
}

/// The fewest columns that together are the key: references, dates, and numbers that count up within them.
pub(super) fn composite(
    table: &Table,
    readings: &[&[Name]],
    profile: &Profile,
    refers: impl Fn(usize) -> bool,
) -> Option<(Vec<usize>, KeyEvidence)> {
    if profile.rows < 2 {
        return None;
    }
    let parts: Vec<(usize, bool)> = table
        .columns
        .iter()
        .enumerate()
        .filter_map(|(at, column)| {
            let seen = profile.column(at)?;
            let name = readings.get(at)?.first()?;
            let is_reference = refers(at);
            let counts = column.column_type == ColumnType::Integer
                && name.words.iter().any(|word| COUNTS.contains(&word.as_str()));
            let fits = is_reference
                || column.column_type == ColumnType::Date
                || counts
                || name.words.last().is_some_and(|word| is_key_word(word))
                || name.words.iter().any(|word| TIMES.contains(&word.as_str()));
            (fits && seen.filled == profile.rows).then_some((at, is_reference))
        })
        .take(PARTS)
        .collect();
    for size in 2..=parts.len().min(4) {
        let mut found: Vec<(usize, usize, Vec<usize>)> = subsets(parts.len(), size)
            .into_iter()
            .filter_map(|subset| {
                let chosen: Vec<&(usize, bool)> = subset.iter().filter_map(|part| parts.get(*part)).collect();
                let references = chosen.iter().filter(|(_, is_reference)| *is_reference).count();
                let columns: Vec<usize> = chosen.iter().map(|(at, _)| *at).collect();
                (references > 0 && profile.is_unique(&columns))
                    .then(|| (columns.iter().sum(), size - references, columns))
            })
            .collect();
        // Those that stand first, and references before others.
        found.sort();
        if let Some((_, _, columns)) = found.into_iter().next() {
            let because =
                vec![format!("no two of {} have the same values in these columns", rows_seen(profile))];
            let score = (profile.rows as f32).ln().min(5.0) * 0.5 - 0.5 * (size as f32 - 2.0);
            return Some((columns, KeyEvidence { percent: percent(score), because }));
        }
    }
    None
}

/// Words of columns that count up within the rows of another table: the line of an order.
const COUNTS: &[&str] =
    &["line", "seq", "sequence", "position", "pos", "item", "index", "idx", "rank", "round", "step"];

/// Words of columns that say when, as numbers or texts.
const TIMES: &[&str] =
    &["date", "day", "month", "year", "quarter", "week", "semester", "season", "hour", "dt", "yr"];

/// All ways to take `size` of the first `count` numbers, in order.
fn subsets(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for _ in 0..size {
        found = found
            .into_iter()
            .flat_map(|subset: Vec<usize>| {
                let next = subset.last().map_or(0, |last| last + 1);
                (next..count).map(move |add| subset.iter().copied().chain([add]).collect())
            })
            .collect();
    }
    found
}
