//! A follow-up as the constructions read it: its words, what each may stand for, and how it opens.

use jiff::civil::Date;

use crate::rules::cue::Cue;
use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::link::{self, Chunk, ValueLink};
use crate::rules::stem::stem;
use crate::rules::text::Question;
use sqlogue_sql::plan::Expr;
use sqlogue_sql::schema::Value;

use super::previous::{Found, Previous};

/// A linked follow-up without its opening politeness.
#[derive(Debug)]
pub(super) struct Reading {
    /// The words one by one, the opening included.
    pub question: Question,
    /// The chunks after the opening.
    pub chunks: Vec<Chunk>,
    /// The words of all chunks, in lower case, with single spaces.
    pub text: String,
    /// `also`, `add`, `too` somewhere: what is asked for comes on top.
    pub also: bool,
    /// `only`, `just`: what is asked for restricts.
    pub only: bool,
    /// `instead`: what is asked for replaces.
    pub instead: bool,
    /// `and their …`: it goes on from what was asked.
    pub and: bool,
    /// `what about`, `and in`, `same for`: the last question again with something else in it.
    pub again: bool,
    /// `among those, …`: it speaks of what was shown.
    pub of_set: bool,
}

/// Words that carry nothing of their own in a follow-up.
const SOFT: &[&str] = &[
    "the",
    "a",
    "an",
    "of",
    "'s",
    "'",
    "is",
    "are",
    "was",
    "were",
    "be",
    "there",
    "me",
    "us",
    "please",
    "them",
    "they",
    "their",
    "it",
    "its",
    "his",
    "her",
    "those",
    "these",
    "that",
    "this",
    "ones",
    "one",
    "in",
    "for",
    "from",
    "with",
    "to",
    "and",
    "or",
    "also",
    "too",
    "only",
    "just",
    "now",
    "then",
    "well",
    "as",
    "by",
    "on",
    "at",
    "who",
    "which",
    "what",
    "does",
    "do",
    "did",
    "have",
    "has",
    "i",
    "you",
    "we",
    "so",
    "ok",
    "okay",
    "but",
    "my",
    "so",
    "can",
    "out",
    "result",
    "results",
    "list",
    "table",
    "all",
    "each",
    "value",
    "values",
    "column",
    "columns",
    "instead",
    "about",
    "how",
    "same",
    "show",
    "give",
    "display",
    "see",
    "return",
    "include",
    "including",
    "add",
    "information",
    "field",
    "question",
    "query",
    "again",
    "along",
    "together",
    "next",
    "besides",
    "corresponding",
    "respective",
    "row",
    "rows",
    "born",
    "based",
    "live",
    "living",
    "located",
    "?",
    ".",
    ",",
    "!",
    ";",
    ":",
];

/// What a follow-up may open with before it comes to the point.
const OPENINGS: &[&str] = &[
    "ok",
    "okay",
    "now",
    "then",
    "so",
    "and",
    "great",
    "good",
    "nice",
    "thanks",
    "thank you",
    "cool",
    "perfect",
    "well",
    "alright",
    "actually",
    "but",
    "next",
    "please",
    ",",
    ".",
    "!",
    "sure",
    "can you",
    "could you",
    "hmm",
    "oh",
];

/// What a request may begin with, the longest first.
const REQUESTS: &[&str] = &[
    "i would like to know",
    "i would like to see",
    "i want to know",
    "i want to see",
    "i need to know",
    "can you please",
    "could you please",
    "could you also",
    "can you",
    "could you",
    "would you",
    "will you",
];

/// First words that say what kind of follow-up it is.
const FIRST_WORDS: &[&str] = &[
    "a", "add", "all", "also", "among", "and", "are", "as", "at", "back", "break", "by", "can", "compare",
    "count", "do", "drop", "exclude", "find", "for", "from", "give", "group", "have", "highest", "how", "i",
    "in", "include", "instead", "is", "just", "leave", "limit", "list", "make", "more", "now", "of", "ok",
    "only", "order", "out", "per", "please", "remove", "return", "round", "same", "show", "sort", "split",
    "tell", "that", "the", "their", "these", "those", "top", "use", "what", "when", "where", "which", "who",
    "whose", "with", "without",
];

/// What opens a follow-up that asks the same of something else.
const AGAIN: &str =
    "what about|how about|same for|the same for|do the same for|what if|as for|same thing for|same with";

/// What says that something is asked for on top.
const ADDS: &str = "also|too|as well|add|include|including|along with|in addition|next to it|next to them|beside it|alongside";

impl Reading {
    /// The first word, where it is one of those that say what kind of follow-up it is.
    pub(super) fn opening(&self) -> &str {
        let first = self.question.word(0);
        FIRST_WORDS.iter().find(|word| **word == first).copied().unwrap_or("other")
    }

    pub(super) fn new(input: &str, knowledge: &Knowledge, today: Date) -> Self {
        let linked = link::link(input, knowledge, today);
        let chunks = linked.cuts.into_iter().next().map(|(chunks, _)| chunks).unwrap_or_default();
        let mut reading = Self {
            question: linked.question,
            text: String::new(),
            chunks,
            also: false,
            only: false,
            instead: false,
            and: false,
            again: false,
            of_set: false,
        };
        reading.strip();
        let texts: Vec<&str> = reading.chunks.iter().map(|chunk| chunk.text.as_str()).collect();
        let text = texts.join(" ");
        let padded = format!(" {text} ");
        let has = |phrases: &[&str]| phrases.iter().any(|phrase| padded.contains(&format!(" {phrase} ")));
        reading.also |= ADDS.split('|').any(|phrase| has(&[phrase]));
        reading.only |= has(&["only", "just"]);
        reading.instead |= has(&["instead", "rather", "change to", "replace"]);
        reading.again |= AGAIN.split('|').any(|phrase| text.starts_with(phrase));
        reading.and |= text.starts_with("and ");
        reading.text = text;
        reading
    }

    /// Drops what is said before the point, and remembers `and`.
    fn strip(&mut self) {
        let mut at = 0;
        while let Some(chunk) = self.chunks.get(at) {
            if let Some(length) = self.request(at) {
                at += length;
                continue;
            }
            if !OPENINGS.contains(&chunk.text.as_str()) || at + 1 >= self.chunks.len() {
                break;
            }
            self.and |= chunk.text == "and";
            self.again |= matches!(chunk.text.as_str(), "and" | "but");
            at += 1;
        }
        self.chunks.drain(..at);
    }

    /// How many chunks a polite request takes that begins at one and has the point behind it: *could you*, *I want to know*.
    fn request(&self, at: usize) -> Option<usize> {
        REQUESTS.iter().find_map(|phrase| {
            let mut text = String::new();
            for (length, chunk) in self.chunks.get(at..)?.iter().enumerate() {
                if text == *phrase {
                    return Some(length);
                }
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(&chunk.text);
                if text.len() > phrase.len() {
                    return None;
                }
            }
            None
        })
    }

    /// True where something is said to take the place of what is named: *the median instead of the total*.
    pub(super) fn says_what_goes(&self) -> bool {
        self.has(&["instead of", "rather than"])
    }

    /// True where somebody or something that was shown is spoken of by a pronoun of its own.
    pub(super) fn speaks_of_them(&self) -> bool {
        self.has(&["they", "them", "he", "she", "him"])
    }

    /// True where it points at what was shown.
    pub(super) fn refers(&self) -> bool {
        const WORDS: &[&str] = &[
            "their", "its", "his", "her", "them", "these", "those", "they", "it", "ones", "he", "she",
            "each one",
        ];
        let points = |pair: &[Chunk]| match pair {
            // `this visitor`; `that` alone opens a clause.
            [one, next] => matches!(one.text.as_str(), "this" | "that") && next.is_schema(),
            _ => false,
        };
        // `who works there?`, and not `how many are there?`.
        let bare = self.bare();
        let is_place = bare.ends_with(" there")
            && !["is there", "are there", "was there", "were there"].iter().any(|end| bare.ends_with(end));
        self.of_set || is_place || self.has(WORDS) || self.chunks.windows(2).any(points)
    }

    /// What was said without the signs at its end.
    pub(super) fn bare(&self) -> &str {
        self.text.trim_end_matches(['?', '.', '!', ' '])
    }

    pub(super) fn starts(&self, words: &[&str]) -> bool {
        words.iter().any(|word| {
            self.text
                .strip_prefix(word)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '?', '.', ',', '!']))
        })
    }

    /// True where one of the phrases stands in it, as whole words.
    pub(super) fn has(&self, phrases: &[&str]) -> bool {
        let padded = format!(" {} ", self.text);
        phrases.iter().any(|phrase| padded.contains(&format!(" {phrase} ")))
    }

    /// The chunks that say something, without those of these words.
    pub(super) fn content(&self, ignored: &[&str]) -> Vec<&Chunk> {
        self.chunks
            .iter()
            .filter(|chunk| {
                !is_soft(chunk)
                    && !chunk.text.split(' ').all(|word| ignored.contains(&word) || SOFT.contains(&word))
            })
            .collect()
    }

    pub(super) fn cue(&self, wanted: Cue) -> bool {
        self.chunks.iter().any(|chunk| chunk.may_be(wanted))
    }

    /// True where a number says which row or which time is meant, and not how many: *only store 1*, *before 2010*.
    pub(super) fn says_which(&self, number: u64) -> bool {
        if self.has(&["top", "limit", "first", "last", "best", "bottom"]) {
            return false;
        }
        let is_it = |chunk: &Chunk| {
            chunk.number.as_ref().is_some_and(|said| {
                !said.ordinal && said.value == Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
            })
        };
        let names_one = |pair: &[Chunk]| match pair {
            [thing, said] => {
                is_it(said) && thing.number.is_none() && thing.is_schema() && stem(&thing.text) == thing.text
            }
            _ => false,
        };
        let is_year = |chunk: &Chunk| is_it(chunk) && chunk.number.as_ref().is_some_and(|said| said.year);
        self.chunks.windows(2).any(names_one) || self.chunks.iter().any(is_year)
    }

    /// True where it asks for an order, and for no number of rows: *in order of age*, *order them by age*.
    pub(super) fn only_sorts(&self) -> bool {
        const FEW: &[&str] = &["top", "first", "only", "just", "limit", "one", "best", "last", "bottom"];
        let sorts = self.starts(&["sort", "order", "rank", "arrange"])
            || self.has(&[
                "in order of",
                "in the order of",
                "order them",
                "sort them",
                "sorted by",
                "ordered by",
            ]);
        sorts && self.number().is_none() && !self.has(FEW)
    }

    /// The whole number in it, where there is exactly one.
    pub(super) fn number(&self) -> Option<u64> {
        let all = || self.chunks.iter().filter_map(|chunk| chunk.number.as_ref());
        // `the first three`: the ordinal counts only where it is alone.
        let ordinals_only = all().all(|number| number.ordinal);
        let mut numbers = all().filter(|number| !number.ordinal || ordinals_only);
        let number = numbers.next()?;
        if numbers.next().is_some() {
            return None;
        }
        match number.value {
            Value::Integer(value) => u64::try_from(value).ok(),
            _ => None,
        }
    }
}

/// True for a word that says nothing of its own.
pub(super) fn is_soft_word(word: &str) -> bool {
    SOFT.contains(&word)
}

/// True for a chunk without weight: function words, marks.
pub(super) fn is_soft(chunk: &Chunk) -> bool {
    let words_are_soft = chunk.text.split(' ').all(|word| SOFT.contains(&word));
    let named =
        chunk.column_score().max(chunk.table_score()) > 0.85 || chunk.values.iter().any(|value| value.quoted);
    // A stray letter or two mean nothing: `remove te email`.
    let stray = chunk.text.len() <= 2
        && chunk.cue.is_none()
        && chunk.number.is_none()
        && chunk.values.is_empty()
        && !chunk.is_schema();
    (words_are_soft || stray) && !named
}

/// How well a chunk must name a column to be taken for it.
const NAMED: f32 = 0.5;

/// The column that a chunk names, unless it rather names a table or a value.
pub(super) fn column(chunk: &Chunk, previous: &Previous<'_>) -> Option<Found> {
    if let Some(id) = begun(chunk, previous) {
        return previous.find(&[(id, NAMED)]);
    }
    if chunk.column_score() < NAMED || chunk.values.iter().any(|value| value.quoted) {
        return None;
    }
    let found = previous.find(&chunk.columns)?;
    (found.score + 0.05 >= chunk.table_score()).then_some(found)
}

/// The column of what was asked about whose name begins with an unknown word (`weigh`, of `weight`).
fn begun(chunk: &Chunk, previous: &Previous<'_>) -> Option<ColumnId> {
    let unknown =
        chunk.cue.is_none() && !chunk.is_schema() && chunk.values.is_empty() && chunk.number.is_none();
    if !unknown || chunk.text.len() < 4 || chunk.text.contains(' ') || is_soft(chunk) {
        return None;
    }
    let columns = &previous.knowledge.table(previous.entity().1).columns;
    let begins = |id: &&ColumnId| {
        previous
            .knowledge
            .column(**id)
            .forms
            .iter()
            .flatten()
            .any(|word| word.starts_with(&chunk.text) && word.len() <= chunk.text.len() + 2)
    };
    columns.iter().find(begins).copied()
}

/// True where a chunk names a table that is in use, and nothing better.
pub(super) fn is_known_table(chunk: &Chunk, previous: &Previous<'_>) -> bool {
    chunk.tables.iter().any(|(table, score)| *score > 0.6 && previous.uses(*table).is_some())
}

/// The column of which a chunk names a value, best first: one with a condition, one in use, any other.
pub(super) fn value<'c>(chunk: &'c Chunk, previous: &Previous<'_>) -> Option<(&'c ValueLink, Found)> {
    let mut best: Option<(f32, &ValueLink, Found)> = None;
    for value in &chunk.values {
        let Some(id) = value.column else { continue };
        let Some(found) = previous.find(&[(id, value.score)]) else { continue };
        let mut worth = value.score - 0.1 * found.joins.len() as f32;
        if previous.condition_on(&found.column).is_some() {
            worth += 0.3;
        } else if is_of_entity(id, previous) {
            worth += 0.2;
        } else if found.joins.is_empty() {
            worth += 0.1;
        }
        if best.as_ref().is_none_or(|(other, _, _)| worth > *other + 1e-4) {
            best = Some((worth, value, found));
        }
    }
    best.map(|(_, value, found)| (value, found))
}

fn is_of_entity(id: ColumnId, previous: &Previous<'_>) -> bool {
    previous.knowledge.column(id).table == previous.entity().1
}

/// True where a chunk may name one of these expressions, even if it names another column as well or better.
pub(super) fn names_any(chunk: &Chunk, exprs: &[Expr], previous: &Previous<'_>) -> bool {
    chunk.columns.iter().filter(|(_, score)| *score >= NAMED).any(|(id, _)| {
        exprs.iter().any(|expr| matches!(expr, Expr::Column(column) if previous.id_of(column) == Some(*id)))
    })
}
