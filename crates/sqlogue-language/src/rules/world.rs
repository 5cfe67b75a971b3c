//! What everybody calls by several names: countries, states, months, days of the week, currencies.
//!
//! The list is `data/world.tsv`. A code of two or three letters means many things, so it also says by which words a column
//! tells that it holds things of a kind.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::knowledge::{ColumnId, Item, Knowledge};
use super::stem::stem;
use super::values::folded;
use sqlogue_sql::schema::Value;

const TABLE: &str = include_str!("../../../../data/world.tsv");

/// Codes have at most so many letters.
const CODE: usize = 3;

/// One thing with its names.
struct Thing {
    kind: &'static str,
    names: Vec<&'static str>,
}

struct World {
    things: Vec<Thing>,
    /// The things that a folded name may stand for.
    by_name: HashMap<String, Vec<usize>>,
    /// The stems of words by which columns tell what they hold, with the kind.
    words: HashMap<String, &'static str>,
}

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let mut world = World { things: Vec::new(), by_name: HashMap::new(), words: HashMap::new() };
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let mut cells = line.split('\t');
            let (Some(kind), Some(names)) = (cells.next(), cells.next()) else { continue };
            if kind == "kind" {
                let more = cells.next().unwrap_or_default().split('|').filter(|word| !word.is_empty());
                world.words.extend(std::iter::once(names).chain(more).map(|word| (stem(word), names)));
                continue;
            }
            let names: Vec<&str> = names.split('|').collect();
            for name in names.iter().map(|name| folded(name)).filter(|name| !name.is_empty()) {
                world.by_name.entry(name).or_default().push(world.things.len());
            }
            world.things.push(Thing { kind, names });
        }
        world
    })
}

/// The other names of what a folded phrase stands for, each with the kind of thing. A phrase of two letters stands for
/// something only where it `is_code`, in capitals: *in*, *is* and *us* are words.
pub(super) fn other_names(phrase: &str, is_code: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    let world = world();
    let things = if phrase.len() > 2 || is_code { world.by_name.get(phrase) } else { None };
    let things = things.into_iter().flatten().filter_map(|at| world.things.get(*at));
    let names = things.flat_map(|thing| thing.names.iter().map(|name| (thing.kind, *name)));
    let phrase = phrase.to_owned();
    names.filter(move |(_, name)| folded(name) != phrase)
}

/// True where a cell of a column may be that name of a thing: a code only where the column is one of such things, or has few
/// values and tells of no other things.
pub(super) fn may_hold(column: ColumnId, kind: &str, name: &str, knowledge: &Knowledge) -> bool {
    if name.chars().filter(|letter| letter.is_alphabetic()).count() > CODE {
        return true;
    }
    let entry = knowledge.column(column);
    let told: Vec<&str> =
        entry.forms.iter().flatten().filter_map(|word| world().words.get(word).copied()).collect();
    told.contains(&kind) || told.is_empty() && !entry.few_values.is_empty()
}

/// Columns with few values that hold things of the kind that a phrase names, but not that one, with its name as they would
/// write it: nobody is from *Brazil* where `country` has only others.
pub(super) fn absent(phrase: &str, knowledge: &Knowledge) -> Vec<(ColumnId, &'static str)> {
    let world = world();
    if phrase.len() <= CODE {
        return Vec::new();
    }
    let things = world.by_name.get(phrase).into_iter().flatten().filter_map(|at| world.things.get(*at));
    // The words for times say a time, and not only what a column holds.
    let things = things.filter(|thing| !matches!(thing.kind, "month" | "weekday"));
    let mut found = Vec::new();
    for thing in things {
        let words = world.words.iter().filter(|(_, kind)| **kind == thing.kind);
        for place in words.flat_map(|(word, _)| knowledge.places_of_stem(word)) {
            let Item::Column(column) = place.item else { continue };
            let cells = &knowledge.column(column).few_values;
            let texts = || cells.iter().filter_map(Value::as_str);
            let is_known = texts().any(|cell| thing.names.iter().any(|name| folded(name) == folded(cell)));
            let Some(first) = texts().next().filter(|_| !is_known) else { continue };
            let as_code = first.len() <= CODE;
            let name = thing.names.iter().find(|name| !as_code || name.len() == first.len());
            found.extend(name.map(|name| (column, *name)).filter(|place| !found.contains(place)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn others(phrase: &str) -> Vec<&'static str> {
        other_names(phrase, false).map(|(_, name)| name).collect()
    }

    #[test]
    fn things_have_several_names() {
        assert_eq!(others("german"), ["Germany", "Deutschland", "DE", "DEU", "GER"]);
        assert_eq!(others("jan"), ["January"]);
        assert_eq!(others("texas"), ["Texan", "TX"]);
        assert!(others("canadian dollars").contains(&"CAD"));
        // Small words are words.
        assert!(others("in").is_empty());
        assert!(other_names("in", true).any(|(_, name)| name == "Indiana"));
    }

    #[test]
    fn every_line_has_a_kind_that_is_declared_and_no_name_twice() {
        for thing in &world().things {
            assert!(world().words.values().any(|kind| *kind == thing.kind), "{:?}", thing.names);
            let mut names = thing.names.clone();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), thing.names.len(), "{:?}", thing.names);
        }
    }
}
