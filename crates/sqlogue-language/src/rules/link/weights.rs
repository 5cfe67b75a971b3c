//! How much of a name its words are.

use super::names::{MIN_COLUMN, MIN_TABLE, WEAK};
use crate::rules::grammar::WordLists;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{Item, Knowledge, WordPlace};

/// What a word before that for a person counts.
const BESIDE_ROLE: f32 = 0.5;

/// True for a name that says that all is meant, where that was not asked for: *cost* is the total cost sooner than another.
pub(super) fn tells_all(words: &[String], used: &[u16]) -> bool {
    let says_all = |(at, word): (usize, &String)| {
        matches!(word.as_str(), "total" | "overall" | "worldwide" | "global")
            && used.iter().all(|used| usize::from(*used) != at)
    };
    words.len() > 1 && words.iter().enumerate().any(says_all)
}

/// How much of a name's reading some of its words are, from one place on.
pub(super) fn cover(knowledge: &Knowledge, place: &WordPlace, words: usize) -> f32 {
    let Some(form) = knowledge.forms(place.item).get(usize::from(place.form)) else { return 0.0 };
    let (table_words, is_table): (&[String], bool) = match place.item {
        Item::Table(_) => (&[], true),
        Item::Column(column) => (knowledge.table_words(knowledge.column(column).table), false),
    };
    let weights = weights_of(knowledge, place.item, form, table_words);
    let said: f32 = weights.iter().skip(usize::from(place.position)).take(words).sum();
    let least = if is_table { MIN_TABLE } else { MIN_COLUMN };
    let cover = said / weights.iter().sum::<f32>().max(0.01) * if place.form == 0 { 1.0 } else { 0.95 };
    if cover >= least { cover } else { 0.0 }
}

/// How much each word of a name counts. Of what a person is to something the last word names the person: *accounts* are no
/// `account_manager_id`.
pub(super) fn weights_of(knowledge: &Knowledge, item: Item, words: &[String], table: &[String]) -> Vec<f32> {
    let mut weights = weights(words, table, matches!(item, Item::Table(_)));
    let column = match item {
        Item::Column(column) => column,
        Item::Table(table) => {
            // A table of tables is called `dining_tables`, and one of records `visit_records`: the other word only says which.
            let plural = knowledge.table(table).name.to_lowercase().ends_with("tables");
            if let Some(last) = weights.last_mut().filter(|_| plural && words.len() > 1) {
                *last = 1.2;
            }
            return weights;
        }
    };
    let is_role = words.last().is_some_and(|last| WordLists::embedded().has("people_roles", last));
    if is_role && knowledge.column(column).kind == ColumnKind::Reference {
        let last = weights.len().saturating_sub(1);
        weights.iter_mut().take(last).for_each(|weight| *weight = f32::min(*weight, BESIDE_ROLE));
    }
    weights
}

/// How much each word of a name counts.
fn weights(words: &[String], table: &[String], is_table: bool) -> Vec<f32> {
    let last = words.len().saturating_sub(1);
    words
        .iter()
        .enumerate()
        .map(|(at, word)| {
            if WEAK.contains(&word.as_str()) {
                0.08
            } else if table.contains(word) && words.len() > 1 {
                0.25
            } else if is_table && words.len() > 1 && says_nothing(word) {
                0.3
            } else if is_table
                && at != last
                && words.iter().skip(at + 1).any(|word| !word.bytes().all(|byte| byte.is_ascii_digit()))
            {
                // *orders* may well be `customer_orders`.
                0.6
            } else if at == last
                && words.iter().take(at).any(|word| !table.contains(word))
                && matches!(word.as_str(), "code" | "name" | "number" | "description" | "id" | "count")
            {
                // *payment method* is `payment_method_code`; *song* is not quite `song_name`.
                0.7
            } else if at == last {
                1.2
            } else {
                1.0
            }
        })
        .collect()
}

/// Words of a table's name that tell it apart from no other.
fn says_nothing(word: &str) -> bool {
    let filler =
        ["detail", "info", "information", "data", "record", "list", "table", "reference", "tbl", "master"];
    filler.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit())
}
