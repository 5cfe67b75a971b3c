//! Columns called by the first letters of what they hold: *home runs* of `HR`, *date of birth* of `dob`.

use super::{Link, Target};
use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::lexicon::Lexicon;
use crate::rules::synonyms;
use crate::rules::text::{Question, TokenKind};

/// A name has at least and at most so many letters; of one letter nothing is known.
const LETTERS: std::ops::RangeInclusive<usize> = 2..=4;
/// How well two initials fit, and how well more of them do.
const TWO: f32 = 0.72;
const MORE: f32 = 0.85;
/// Words that name something as well as this are not looked at by their initials.
const NAMED: f32 = 0.9;

/// The columns that words side by side spell with their first letters. `known` are the links by names.
pub(super) fn links(question: &Question, knowledge: &Knowledge, known: &[Link]) -> Vec<Link> {
    let short = knowledge.initials();
    if short.is_empty() {
        return Vec::new();
    }
    let mut links = Vec::new();
    for start in 0..question.tokens.len() {
        for length in LETTERS {
            let Some(words) = question.tokens.get(start..start + length) else { break };
            if words.iter().any(|token| token.kind != TokenKind::Word) {
                break;
            }
            let spelt: String = words.iter().filter_map(|token| token.lower.chars().next()).collect();
            let end = start + length;
            let is_named = || {
                let covers = |link: &&Link| link.start <= start && end <= link.end && link.score >= NAMED;
                known.iter().any(|link| covers(&link))
            };
            let found = || short.iter().filter(|(_, name)| *name == spelt);
            if begins_and_ends(words.iter().map(|token| token.lower.as_str()))
                && found().next().is_some()
                && !is_named()
            {
                let score = if length == 2 { TWO } else { MORE };
                let link = |id: ColumnId| Link { start, end, target: Target::Column(id), score };
                links.extend(found().map(|(id, _)| link(*id)));
            }
        }
    }
    links
}

/// A name as small letters, where it may be the initials of words: it is short, and no word unless it stands in capitals.
pub(in crate::rules) fn initials_of(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let is_short = LETTERS.contains(&lower.len()) && lower.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_word = || Lexicon::embedded().is_word(&lower) || synonyms::is_word(&lower);
    let in_capitals = name.bytes().all(|byte| byte.is_ascii_uppercase());
    (is_short && (in_capitals || !is_word())).then_some(lower)
}

/// True for words that begin and end with one that means something: *of the hits* is no `oth`.
fn begins_and_ends<'a>(mut words: impl DoubleEndedIterator<Item = &'a str>) -> bool {
    let means =
        |word: Option<&str>| word.is_some_and(|word| word.len() > 2 && !super::names::is_silent(word));
    means(words.next()) && means(words.next_back())
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::table;
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema};
    use sqlogue_sql::sql::{Dialect, render};

    #[test]
    fn initials_stand_for_the_words() {
        use ColumnType::{Integer, Text};
        let columns = [("name", Text), ("dob", Text), ("HR", Integer), ("RBI", Integer), ("sb", Integer)];
        let knowledge = Knowledge::from_schema(&Schema { tables: vec![table("hitters", &columns, &[])] });
        let first = |question: &str| {
            let read = understand(question, &knowledge, &Options::default());
            read.candidates.first().map(|one| render(&one.plan, Dialect::Sqlite)).unwrap_or_default()
        };
        for (question, part) in [
            ("which hitter has the most home runs", "ORDER BY HR DESC"),
            ("average runs batted in", "avg(RBI)"),
            ("total stolen bases", "sum(sb)"),
        ] {
            assert!(first(question).contains(part), "{question}: {}", first(question));
        }
    }
}
