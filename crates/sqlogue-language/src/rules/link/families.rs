//! States of one family: `Closed Won` and `Closed Lost` begin with the same word, so that each is named by what is its own (*won*,
//! *lost*), and the day that bears the word which they share tells when a row came to it.

use super::{Link, Target, ValueLink};
use crate::rules::grammar::columns::{is_date, is_planned};
use crate::rules::knowledge::{ColumnId, Item, Knowledge, WordPlace};
use crate::rules::stem::root;
use crate::rules::text::{Question, Token, TokenKind};
use crate::rules::values::{MatchKind, folded};
use sqlogue_sql::schema::Value;

/// How well a word fits that is a state's own: nearly as well as the whole of it.
const OWN: f32 = 0.8;

/// Words that tell nothing of a state: *cancelled by the guest*.
const PARTICLES: [&str; 6] = ["by", "due", "to", "for", "the", "a"];

/// A state of a family.
struct Member {
    text: String,
    shared: String,
    own: Vec<String>,
}

/// The states of a column of which others begin with the same word.
fn members(knowledge: &Knowledge, id: ColumnId) -> Vec<Member> {
    let states = knowledge.column(id).few_values.iter().filter_map(|value| match value {
        Value::Text(text) => {
            let words = folded(text);
            let (shared, own) = words.split_once(' ')?;
            let own = own.split(' ').filter(|word| !PARTICLES.contains(word)).map(root).collect();
            Some(Member { text: text.clone(), shared: shared.to_owned(), own })
        }
        _ => None,
    });
    let states: Vec<Member> = states.filter(|state| is_word(&state.shared)).collect();
    let shared = |word: &str| states.iter().filter(|other| other.shared == word).count() > 1;
    let is_of_family: Vec<bool> = states.iter().map(|state| shared(&state.shared)).collect();
    states.into_iter().zip(is_of_family).filter(|(_, is)| *is).map(|(state, _)| state).collect()
}

fn is_word(text: &str) -> bool {
    text.len() > 2 && text.chars().all(char::is_alphabetic)
}

/// The states that a word names as theirs alone: *won*, *how many did we win*.
pub(super) fn links(question: &Question, knowledge: &Knowledge) -> Vec<Link> {
    let columns = knowledge.tables().flat_map(|(table, _)| &knowledge.table(table).columns);
    let families: Vec<(ColumnId, Vec<Member>)> =
        columns.map(|id| (*id, members(knowledge, *id))).filter(|(_, members)| !members.is_empty()).collect();
    let is_word = |at: usize, token: &Token| {
        // *which depot* is no state *Left depot*, where depots are rows.
        let is_table = |place: &WordPlace| matches!(place.item, Item::Table(_));
        token.kind == TokenKind::Word
            && (at == 0 || !token.is_capitalised())
            && token.root.len() > 2
            && !knowledge.places_of_stem(&token.stem).iter().any(is_table)
    };
    let words = question.tokens.iter().enumerate().filter(|(at, token)| is_word(*at, token));
    let named = words.flat_map(|(at, token)| {
        families.iter().filter_map(move |(id, members)| {
            let mut named = members.iter().filter(|member| member.own == [token.root.as_str()]);
            let (Some(one), None) = (named.next(), named.next()) else { return None };
            let value = Value::Text(one.text.clone());
            let kind = MatchKind::Stemmed;
            let value = ValueLink { column: Some(*id), value, kind, score: OWN, quoted: false };
            Some(Link { start: at, end: at + 1, target: Target::Value(value), score: OWN })
        })
    });
    named.collect()
}

/// The word that a state shares with others, and the states that have it too; none where it shares none.
pub(in crate::rules) fn family_of(
    knowledge: &Knowledge,
    id: ColumnId,
    state: &str,
) -> Option<(String, Vec<String>)> {
    let members = members(knowledge, id);
    let shared = members.iter().find(|member| member.text == state)?.shared.clone();
    let of_family = members.into_iter().filter(|member| member.shared == shared);
    Some((shared.clone(), of_family.map(|member| member.text).collect()))
}

/// The day on which rows came to such a state: the date of their table that bears the word which the state shares with others.
pub(in crate::rules) fn day_of(knowledge: &Knowledge, id: ColumnId, state: &str) -> Option<ColumnId> {
    let shared = root(&family_of(knowledge, id, state)?.0);
    let bears = |day: &&ColumnId| {
        let mut words = knowledge.column(**day).forms.iter().flatten();
        is_date(knowledge, **day) && !is_planned(knowledge, **day) && words.any(|word| root(word) == shared)
    };
    knowledge.table(knowledge.column(id).table).columns.iter().find(bears).copied()
}
