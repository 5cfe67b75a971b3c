//! Which of several columns with the same value is meant: the one of whose name more is said.

use super::{Link, Target};
use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::lexicon::Lexicon;
use crate::rules::text::Question;

/// How much each word of a column's name that is said makes its cells better.
const TOLD: f32 = 0.04;
/// Words that are as near as this mean the same.
const SAME: f32 = 0.86;

/// Of several columns of a table that hold the same value, the one is meant of whose name more is said: *born in Boston* is of
/// `birth_city`, and *died in Boston* of `death_city`.
pub(super) fn tell_apart(links: &mut [Link], question: &Question, knowledge: &Knowledge) {
    let column = |link: &Link| match &link.target {
        Target::Value(value) => value.column,
        _ => None,
    };
    let place = |link: &Link| column(link).map(|id| (link.start, link.end, knowledge.column(id).table));
    let places: Vec<_> = links.iter().filter_map(place).collect();
    for link in links {
        let is_one_of_several =
            place(link).is_some_and(|own| places.iter().filter(|other| **other == own).count() > 1);
        let Some(id) = column(link).filter(|_| is_one_of_several) else { continue };
        let told = words_told(question, knowledge, id) as f32 * TOLD;
        link.score += told;
        if let Target::Value(value) = &mut link.target {
            value.score += told;
        }
    }
}

/// How many words of a column's name are said, in these words or the same in others: *born in Japan* tells of `birth_country`.
pub(in crate::rules) fn words_told(question: &Question, knowledge: &Knowledge, column: ColumnId) -> usize {
    let is_told = |word: &&String| {
        question.tokens.iter().any(|token| {
            let same = |(other, alike): &(String, f32)| other == *word && *alike >= SAME;
            token.stem == **word || Lexicon::embedded().similar(&token.stem).iter().any(same)
        })
    };
    knowledge.column(column).forms.first().map_or(0, |form| form.iter().filter(is_told).count())
}
