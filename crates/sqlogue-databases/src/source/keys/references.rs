//! How likely it is that a column refers to a key: what names say, weighed against what values say.
//!
//! The evidence is that of the work on foreign keys in data nobody documented: containment, coverage and range of the
//! values, and names (Rostin, Albrecht, Bauckmann, Naumann and Leser, WebDB 2009); and how unlikely the containment
//! would be by chance, because numbers that count from one are contained in each other whatever they mean (Zhang,
//! Hadjieleftheriou, Ooi, Procopiuc and Srivastava, VLDB 2010).

use super::names::{Agreement, Because};
use super::profile::{Seen, mark};
use sqlogue_base::number::grouped;
use sqlogue_sql::schema::ColumnType;

/// Of how many distinct values one may be no key: real data has wrong ones, and rows whose counterparts were deleted.
const ORPHANS: usize = 7;

/// Where only a few values were looked up, names have to say so much.
const WEAK: f32 = 0.5;

/// Of how many that is no more than a slip.
const SLIPS: usize = 50;

/// What values say of a reference.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Found {
    /// Nothing was seen on one of both sides.
    Unseen,
    /// A part of the keys was seen, and not all values are among them.
    Unclear,
    /// Values that are no keys.
    Contradicted,
    /// Some values were looked up, and all, or all but one, are keys.
    LookedUp {
        /// How many.
        asked: usize,
        /// How many of them are no keys.
        orphans: usize,
    },
    /// All values, or all but a few, are keys.
    Contained {
        /// How many distinct values there are.
        distinct: usize,
        /// How many of them are no keys.
        orphans: usize,
        /// The share of the keys that are referred to.
        coverage: f32,
        /// True where the smallest and the largest value are about those of the keys.
        same_range: bool,
        /// How surprising it would be if both had nothing to do with each other, in powers of e.
        surprise: f32,
    },
}

/// Compares the values of a column with keys, all of which were seen where `whole`.
pub(super) fn compare(column: &Seen, keys: &Seen, whole: bool) -> Found {
    if column.values.is_empty() || keys.values.is_empty() {
        return Found::Unseen;
    }
    let distinct = column.values.len();
    // Most columns are ruled out by their first values.
    let mut orphans = column.values.difference(&keys.values).take(distinct / ORPHANS + 2).count();
    // Where keys begin with one, nought says that there is none.
    let nought = mark(0);
    if orphans > 0 && column.values.contains(&nought) && keys.numbers().is_some_and(|(low, _)| low > 0) {
        orphans -= 1;
    }
    if orphans * ORPHANS > distinct {
        return if whole { Found::Contradicted } else { Found::Unclear };
    }
    let coverage = (distinct - orphans) as f32 / keys.values.len() as f32;
    let same_range = match (column.numbers(), keys.numbers()) {
        (Some((low, high)), Some((first, last))) => {
            let slack = (last.saturating_sub(first) / 8).max(1);
            low.saturating_sub(first) <= slack && last.saturating_sub(high) <= slack
        }
        _ => coverage > 0.7,
    };
    Found::Contained { distinct, orphans, coverage, same_range, surprise: surprise(column, keys) }
}

/// What it says that so many of some values are keys.
pub(super) fn of_looked_up(hits: usize, asked: usize) -> Found {
    let orphans = asked.saturating_sub(hits);
    if orphans * ORPHANS > asked { Found::Contradicted } else { Found::LookedUp { asked, orphans } }
}

/// How unlikely it is that a few values hit keys by chance.
fn surprise(column: &Seen, keys: &Seen) -> f32 {
    let one = match keys.numbers() {
        // The share of the numbers up to the largest key that are keys.
        Some((low, high)) => {
            let up_to = high.max(0).saturating_sub(low.min(0)).saturating_add(1);
            (up_to as f32 / keys.values.len() as f32).ln()
        }
        // Texts as long as these: letters and digits, and no more than a few thousand words of each length.
        None => (column.length().max(1) as f32 * 1.3).min(8.0),
    };
    (one.max(0.0) * column.values.len().min(5) as f32).min(8.0)
}

/// What is known of both columns besides names and values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Circumstances {
    /// The referring column is the key of its own table.
    pub(super) from_key: bool,
    /// It bears the name of its own table: it is that table's own.
    pub(super) from_own_name: bool,
    /// The table referred to is one of people, whatever they do.
    pub(super) to_anyone: bool,
    /// The column referred to is the primary key, not only unique.
    pub(super) to_primary: bool,
    /// The family of the referring column.
    pub(super) column_type: ColumnType,
    /// The referring column says yes or no.
    pub(super) is_flag: bool,
}

/// The logarithm of the odds that it is a reference; none where something rules it out.
pub(super) fn score(names: Agreement, found: &Found, known: Circumstances) -> Option<f32> {
    let mut score = -4.0 + 7.0 * names.score;
    match found {
        Found::Contradicted => return None,
        // Names alone must be plain.
        Found::Unseen => {
            if names.score < 0.92 {
                return None;
            }
            score -= 1.2;
        }
        Found::Unclear => {
            if names.score < 0.8 {
                return None;
            }
            score -= 1.0;
        }
        Found::LookedUp { asked, orphans } => {
            if names.score < WEAK || *orphans > 0 && names.score < 0.97 {
                return None;
            }
            score += 0.4 * (1.0 + *asked as f32).ln() - if *orphans > 0 { 2.0 } else { 0.0 };
        }
        // One value may be anywhere, and two numbers too.
        Found::Contained { distinct: 1, .. } if names.score == 0.0 => return None,
        Found::Contained { distinct: 2, .. }
            if names.score == 0.0 && known.column_type != ColumnType::Text =>
        {
            return None;
        }
        Found::Contained { distinct, orphans, coverage, same_range, surprise } => {
            score += 0.4 * (1.0 + *distinct as f32).ln().min(4.0) + surprise * 0.9;
            score += match coverage {
                0.5.. => 0.6,
                0.1.. => 0.0,
                _ => -0.4,
            };
            if *same_range {
                score += 0.7;
            }
            let needed = if *orphans * SLIPS > *distinct { 0.97 } else { 0.85 };
            if *orphans > 0 && names.score < needed {
                return None;
            }
            if *orphans > 0 {
                score -= 2.0;
            }
        }
    }
    // A teacher is a person, but no student.
    if known.from_own_name && names.because == Because::NamesRole && !known.to_anyone {
        return None;
    }
    if known.from_key {
        score -= 1.0;
    }
    if known.from_own_name {
        score -= 1.0;
    }
    if !known.to_primary {
        score -= 0.8;
    }
    if known.is_flag && names.score < 0.85 {
        return None;
    }
    // Days are in calendars, and in all other columns of days as well.
    if known.column_type.is_temporal() && names.score < 0.5 {
        return None;
    }
    Some(score)
}

/// The evidence in words.
pub(super) fn because(names: Agreement, found: &Found, key: &str) -> Vec<String> {
    let named = match names.because {
        Because::SameName => Some("it is called as the key is"),
        Because::EndsAsKey => Some("its name ends as the key's does"),
        Because::NamesTable => Some("it is called as the table is"),
        Because::NamesRole => Some("its name says what a row of the table is to this one"),
        Because::NamesValue => Some("its name is what some rows of the table are said to be"),
        Because::TableNames => Some("its table is named for the other"),
        Because::Nothing => None,
    };
    let values = match found {
        Found::Contained { distinct, orphans: 0, .. } => {
            let all = if *distinct == 1 {
                "its only value is".to_owned()
            } else {
                format!("all {} of its values are", grouped(*distinct as u64))
            };
            Some(format!("{all} in `{key}`"))
        }
        Found::Contained { distinct, orphans, .. } => {
            let (both, distinct) = (grouped((distinct - orphans) as u64), grouped(*distinct as u64));
            Some(format!("{both} of its {distinct} values are in `{key}`"))
        }
        Found::LookedUp { asked, orphans } => {
            Some(format!("{} of {asked} values that were looked up are in `{key}`", asked - orphans))
        }
        Found::Unseen => Some("no values were there to compare".to_owned()),
        Found::Unclear => Some(format!("too much is in `{key}` to compare all values")),
        Found::Contradicted => None,
    };
    values.into_iter().chain(named.map(str::to_owned)).collect()
}
