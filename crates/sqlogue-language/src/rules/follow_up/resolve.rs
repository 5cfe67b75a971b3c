//! A follow-up said in full: references replaced by what they stand for.

use super::previous::Previous;
use super::reading::Reading;
use crate::rules::cue::Cue;
use crate::rules::link::{Chunk, ValueLink};
use crate::rules::text::{Question, TokenKind};
use sqlogue_sql::schema::Value;

/// A follow-up in full.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Resolved {
    /// The question as it could have been asked first.
    pub question: String,
    /// Whether it speaks of the rows that were shown (`which of them`, `those`, `their`).
    pub refers: bool,
    /// Whether it names what it is about by itself.
    pub names_entity: bool,
    /// Whether what it describes is to be left out (`do not list those …`).
    pub negative: bool,
    /// Whether it asks to show the same rows otherwise restricted (`show those with …`, `only …`): columns stay.
    pub keeps_columns: bool,
}

/// An input without `among those,` and the like before it, and whether that was there.
pub(super) fn without_set(input: &str) -> (&str, bool) {
    let Some((before, after)) = input.split_once(',') else { return (input, false) };
    let words: Vec<String> = before.split_whitespace().map(str::to_lowercase).collect();
    let opens = matches!(
        words.first().map(String::as_str),
        Some("among" | "of" | "from" | "for" | "out" | "amongst" | "within")
    );
    let points = words.iter().any(|word| matches!(word.as_str(), "these" | "those" | "them"));
    let short = words.len() <= 4 && !words.iter().any(|word| word == "each" || word == "every");
    if opens && points && short && !after.trim().is_empty() {
        (after.trim_start(), true)
    } else {
        (input, false)
    }
}

/// An input that calls the rows the results of them, without that: *the results for those in 2023* are those; none where it does not.
pub(super) fn without_results(input: &str) -> Option<String> {
    const RESULTS: &[&str] =
        &["the results for those", "the result for those", "results for those", "the results of those"];
    let lower = input.to_lowercase();
    if lower.len() != input.len() {
        return None;
    }
    let (at, said) = RESULTS.iter().find_map(|said| Some((lower.find(said)?, said)))?;
    Some(format!("{}those{}", input.get(..at)?, input.get(at + said.len()..)?))
}

/// An input without *I mean*, which says that it puts something right; none where that is not said.
pub(super) fn without_repair(input: &str) -> Option<&str> {
    let bare = input.trim_end_matches(['?', '.', '!', ' ']);
    let lower = bare.to_lowercase();
    let ending = ["i mean", "i meant"].iter().find(|said| lower.ends_with(&format!(" {said}")));
    if let Some(said) = ending.filter(|_| lower.len() == bare.len()) {
        let rest = bare.get(..bare.len() - said.len())?.trim_end_matches([',', ' ', '-', '–']);
        return Some(rest).filter(|rest| !rest.is_empty());
    }
    let opening = ["sorry, i meant ", "sorry, i mean ", "no, i meant ", "no, i mean ", "i meant ", "i mean "];
    let said = opening.iter().find(|said| lower.starts_with(**said))?;
    input.get(said.len()..).map(str::trim_start).filter(|rest| !rest.is_empty())
}

/// True where a name or a value begins with *non*: *non-fiction*.
pub(super) fn names_with_prefix(reading: &Reading) -> bool {
    // A cell that only looks like the word does not count.
    let is_called = |link: &ValueLink| {
        link.column.is_some()
            && matches!(&link.value, Value::Text(text) if text.to_lowercase().contains("non"))
    };
    let names = |chunk: &Chunk| {
        chunk.column_score().max(chunk.table_score()) > 0.8 || chunk.values.iter().any(is_called)
    };
    reading.chunks.iter().any(|chunk| chunk.text.contains("non") && names(chunk))
}

/// *non-urgent* as *not urgent*; none where there is no such word.
pub(super) fn without_prefix(input: &str) -> Option<String> {
    let mut changed = false;
    let words = input.split(' ').map(|word| {
        let rest = word.strip_prefix("non-").or_else(|| word.strip_prefix("Non-"));
        match rest.filter(|rest| rest.chars().next().is_some_and(char::is_alphabetic)) {
            Some(rest) => {
                changed = true;
                format!("not {rest}")
            }
            None => word.to_owned(),
        }
    });
    let words: Vec<String> = words.collect();
    changed.then(|| words.join(" "))
}

/// How people say that they do not want to see some rows.
const NEGATIVE: &[&str] = &[
    "do not list",
    "do not show",
    "do not include",
    "do not return",
    "exclude",
    "remove",
    "leave out",
    "filter out",
    "without",
];

/// Says a follow-up in full.
pub(super) fn in_full(input: &str, previous: &Previous<'_>, reading: &Reading) -> Resolved {
    let question = Question::new(input);
    let sentence = Sentence::new(&question, previous, reading);
    let names_entity = reading
        .chunks
        .iter()
        .any(|chunk| chunk.tables.iter().any(|(table, score)| *score > 0.6 && *table == previous.entity().1));
    let negative = NEGATIVE
        .iter()
        .map(|phrase| phrase.split(' '))
        .find(|phrase| phrase.clone().enumerate().all(|(at, word)| sentence.lower(at) == word));
    let (mut words, refers) = sentence.without_references(negative.clone().map_or(0, Iterator::count));
    let first_word = words.iter().position(|word| word.chars().any(char::is_alphanumeric)).unwrap_or(0);
    words.drain(..first_word);
    let first = sentence.lower(0);
    // `hired after 2018`, `above 20`: only which rows is said.
    let participle = first.len() > 4
        && first.ends_with("ed")
        && !reading.starts(&["sorted", "ordered", "grouped", "combined"]);
    let keeps_columns = participle || BOUNDS.contains(&first) || keeps_columns(reading, previous);
    let fragment = participle || BOUNDS.contains(&first) || FRAGMENTS.contains(&first);
    let mut question = with_entity(&words, first, fragment, names_entity || refers, &sentence);
    if negative.is_some() {
        question = format!("show {question}");
    }
    Resolved { question, refers, names_entity, negative: negative.is_some(), keeps_columns }
}

/// How a follow-up opens that bounds what was shown.
const BOUNDS: &[&str] = &[
    "older", "younger", "more", "less", "between", "before", "after", "since", "above", "below", "over",
    "under",
];

/// How else a follow-up opens that says only which rows are meant.
const FRAGMENTS: &[&str] =
    &["with", "in", "from", "for", "who", "whose", "where", "that", "having", "at", "not", "without"];

/// The words of a follow-up put so that they say what they are about.
fn with_entity(
    words: &[String],
    first: &str,
    fragment: bool,
    is_said: bool,
    sentence: &Sentence<'_>,
) -> String {
    const REQUESTS: &[&str] =
        &["show", "list", "which", "what", "give", "find", "return", "display", "who", "how"];
    let Sentence { reading, noun, .. } = sentence;
    let opens = words.first().map(|word| word.to_lowercase()).unwrap_or_default();
    let describes = fragment || reading.only && !REQUESTS.contains(&opens.as_str());
    let question = words.join(" ");
    match (describes, is_said) {
        (true, true) => format!("show {question}"),
        (true, false) => format!("show {noun} {question}"),
        (false, true) => question,
        (false, false) if reading.starts(&["which is", "which are", "which has", "which have", "who"]) => {
            question.replacen(first, &format!("which {noun}"), 1)
        }
        (false, false) if reading.chunks.iter().any(|chunk| chunk.table_score() > 0.75) => question,
        (false, false) => format!("{} of the {noun}", question.trim_end_matches(['?', '.', '!', ' '])),
    }
}

/// The tokens of a follow-up after its opening, and what they may refer to.
struct Sentence<'a> {
    /// Each in lower case, as it is written, and its kind.
    tokens: Vec<(&'a str, &'a str, TokenKind)>,
    /// How many tokens the opening has.
    skipped: usize,
    reading: &'a Reading,
    previous: &'a Previous<'a>,
    /// What the previous question is about.
    noun: String,
}

impl<'a> Sentence<'a> {
    fn new(question: &'a Question, previous: &'a Previous<'a>, reading: &'a Reading) -> Self {
        let read: usize = reading.chunks.iter().map(|chunk| chunk.end - chunk.start).sum();
        let skipped = question.tokens.len().saturating_sub(read);
        let tokens = question
            .tokens
            .iter()
            .enumerate()
            .skip(skipped)
            .map(|(at, token)| (token.lower.as_str(), question.span_text(at, at + 1), token.kind))
            .collect();
        Self { tokens, skipped, reading, previous, noun: previous.noun() }
    }

    fn lower(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.0)
    }

    /// True where a name stands here: `these battles`, the noun says what they are.
    fn names_thing(&self, at: usize) -> bool {
        self.reading.chunks.iter().any(|chunk| {
            chunk.start == at + self.skipped && (chunk.table_score() > 0.6 || chunk.column_score() > 0.6)
        })
    }

    /// The words from a token on, with what references stand for in their place, and whether there were any.
    fn without_references(&self, from: usize) -> (Vec<String>, bool) {
        let mut words: Vec<String> = Vec::new();
        let mut refers = self.reading.of_set;
        let mut at = from;
        while let Some((word, text, kind)) = self.tokens.get(at).copied() {
            let reference = if kind == TokenKind::Word { self.reference(word, at) } else { None };
            match reference {
                Some((stands_for, length)) => {
                    refers = true;
                    words.extend(stands_for);
                    at += length;
                    continue;
                }
                None if kind == TokenKind::Word && ADVERBS.contains(&word) => {}
                None => words.push(text.to_owned()),
            }
            at += 1;
        }
        (words, refers)
    }

    /// What the reference that begins at a token stands for, and how many tokens it has.
    fn reference(&self, word: &str, at: usize) -> Option<(Vec<String>, usize)> {
        let noun = || self.noun.clone();
        let next = self.lower(at + 1);
        let is_ones = matches!(next, "ones" | "one");
        Some(match word {
            "which" | "what" | "any" | "all" | "some" | "most"
                if next == "of" && matches!(self.lower(at + 2), "them" | "those" | "these") =>
            {
                let noun = if self.names_thing(at + 3) { None } else { Some(noun()) };
                (std::iter::once(word.to_owned()).chain(noun).collect(), 3)
            }
            "which" if is_ones => (vec![word.to_owned(), noun()], 2),
            "the" if is_ones => (vec![noun()], 2),
            "those" | "these" | "this" | "that" if self.names_thing(at + 1) => (vec!["the".to_owned()], 1),
            "those" | "these" | "ones" | "them" | "they" | "he" | "she" | "it" | "him" => {
                (vec![noun()], if is_ones { 2 } else { 1 })
            }
            "his" if next == "or" => (vec![noun()], 3),
            "their" | "its" | "his" | "her" => {
                // A noun before it in the sentence is what it stands for.
                let inside = self.reading.chunks.iter().any(|chunk| {
                    chunk.end <= at + self.skipped
                        && chunk.table_score() > 0.8
                        && chunk.table().is_some_and(|(table, _)| table != self.previous.entity().1)
                });
                (vec![if inside { "the".to_owned() } else { noun() }], 1)
            }
            _ => return None,
        })
    }
}

/// What carries nothing of its own in a question in full.
const ADVERBS: &[&str] = &["also", "only", "just", "too", "instead", "now", "then"];

/// `show those with …`, `which of them …`, `only …`: nothing is said of columns before the rows are spoken of.
fn keeps_columns(reading: &Reading, previous: &Previous<'_>) -> bool {
    if reading.starts(&["limit", "restrict", "filter", "narrow", "keep"]) {
        return true;
    }
    let points = |chunk: &Chunk| {
        chunk.text.split(' ').any(|word| matches!(word, "those" | "these" | "ones" | "one" | "them"))
    };
    let describes = |chunk: &Chunk| {
        matches!(chunk.cue, Some(Cue::Relative | Cue::Whose | Cue::Compare(_)))
            || ["with", "that", "who", "whose", "where", "having", "from", "in", "for"]
                .contains(&chunk.text.as_str())
    };
    let Some(at) = reading.chunks.iter().position(|chunk| points(chunk) || reading.only && describes(chunk))
    else {
        return reading.only && !reading.starts(OPENINGS_WITH_COLUMNS);
    };
    let before = reading.chunks.get(..at).unwrap_or_default();
    let asks_for = |chunk: &Chunk| {
        let other_table =
            chunk.table().is_some_and(|(table, score)| score > 0.6 && table != previous.entity().1);
        other_table || super::reading::column(chunk, previous).is_some()
    };
    !before.iter().any(asks_for)
}

/// After these, columns are named: `only show the names`.
const OPENINGS_WITH_COLUMNS: &[&str] = &[
    "show",
    "list",
    "give",
    "display",
    "return",
    "only show",
    "only list",
    "only return",
    "only give",
    "just show",
    "just give",
];
