//! A follow-up said in full: references replaced by what they stand for.

use super::previous::Previous;
use super::reading::Reading;
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use crate::rules::text::{Question, TokenKind};

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
    let noun = previous.noun();
    let skipped = question
        .tokens
        .len()
        .saturating_sub(reading.chunks.iter().map(|chunk| chunk.end - chunk.start).sum());
    let mut words: Vec<String> = Vec::new();
    let mut refers = reading.of_set;
    let tokens: Vec<(&str, &str, TokenKind)> = question
        .tokens
        .iter()
        .enumerate()
        .skip(skipped)
        .map(|(at, token)| (token.lower.as_str(), question.span_text(at, at + 1), token.kind))
        .collect();
    let names_entity = reading
        .chunks
        .iter()
        .any(|chunk| chunk.tables.iter().any(|(table, score)| *score > 0.6 && *table == previous.entity().1));
    let lower = |at: usize| tokens.get(at).map_or("", |token| token.0);
    let names_thing = |at: usize| {
        // `these battles`: the noun says what they are.
        reading.chunks.iter().any(|chunk| {
            chunk.start == at + skipped && (chunk.table_score() > 0.6 || chunk.column_score() > 0.6)
        })
    };
    let negative =
        NEGATIVE.iter().find(|phrase| phrase.split(' ').enumerate().all(|(at, word)| lower(at) == word));
    let mut at = negative.map_or(0, |phrase| phrase.split(' ').count());
    while let Some((word, text, kind)) = tokens.get(at).copied() {
        let mut step = 1;
        if kind != TokenKind::Word {
            words.push(text.to_owned());
        } else {
            match word {
                "which" | "what" | "any" | "all" | "some" | "most"
                    if lower(at + 1) == "of" && matches!(lower(at + 2), "them" | "those" | "these") =>
                {
                    refers = true;
                    words.extend([word.to_owned(), noun.clone()]);
                    step = if names_thing(at + 3) {
                        words.pop();
                        3
                    } else {
                        3
                    };
                }
                "which" if matches!(lower(at + 1), "one" | "ones") => {
                    refers = true;
                    words.extend([word.to_owned(), noun.clone()]);
                    step = 2;
                }
                "the" if matches!(lower(at + 1), "ones" | "one") => {
                    refers = true;
                    words.push(noun.clone());
                    step = 2;
                }
                "those" | "these" | "this" | "that" if names_thing(at + 1) => {
                    refers = true;
                    words.push("the".to_owned());
                    step = 1;
                }
                "those" | "these" | "ones" | "them" | "they" | "he" | "she" | "it" | "him" => {
                    refers = true;
                    if matches!(lower(at + 1), "ones" | "one") {
                        step = 2;
                    }
                    words.push(noun.clone());
                }
                "his" if lower(at + 1) == "or" => {
                    refers = true;
                    words.push(noun.clone());
                    step = 3;
                }
                "their" | "its" | "his" | "her" => {
                    refers = true;
                    // A noun before it in the sentence is what it stands for.
                    let inside = reading.chunks.iter().any(|chunk| {
                        chunk.end <= at + skipped
                            && chunk.table_score() > 0.8
                            && chunk.table().is_some_and(|(table, _)| table != previous.entity().1)
                    });
                    words.push(if inside { "the".to_owned() } else { noun.clone() });
                }
                "also" | "only" | "just" | "too" | "instead" | "now" | "then" => {}
                _ => words.push(text.to_owned()),
            }
        }
        at += step;
    }
    let first = tokens.first().map_or("", |token| token.0);
    let first_word = words.iter().position(|word| word.chars().any(char::is_alphanumeric)).unwrap_or(0);
    words.drain(..first_word);
    let opens = words.first().map(|word| word.to_lowercase()).unwrap_or_default();
    let asks = ["show", "list", "which", "what", "give", "find", "return", "display", "who", "how"]
        .contains(&opens.as_str());
    // `hired after 2018`, `above 20`: only which rows is said.
    let participle = first.len() > 4
        && first.ends_with("ed")
        && !reading.starts(&["sorted", "ordered", "grouped", "combined"]);
    let bounds = [
        "older", "younger", "more", "less", "between", "before", "after", "since", "above", "below", "over",
        "under",
    ];
    let keeps_columns = participle || bounds.contains(&first) || keeps_columns(reading, previous);
    let mut question = words.join(" ");
    let fragment = matches!(
        first,
        "with"
            | "in"
            | "from"
            | "for"
            | "who"
            | "whose"
            | "where"
            | "that"
            | "having"
            | "older"
            | "younger"
            | "more"
            | "less"
            | "between"
            | "at"
            | "before"
            | "after"
            | "since"
            | "not"
            | "without"
            | "above"
            | "below"
            | "over"
            | "under"
    ) || participle;
    if !names_entity && !refers {
        if fragment || reading.only && !asks {
            question = format!("show {noun} {question}");
        } else if reading.starts(&["which is", "which are", "which has", "which have", "who"]) {
            question = question.replacen(first, &format!("which {noun}"), 1);
        } else if !reading.chunks.iter().any(|chunk| chunk.table_score() > 0.75) {
            let ending = question.trim_end_matches(['?', '.', '!', ' ']).len();
            question.truncate(ending);
            question = format!("{question} of the {noun}");
        }
    } else if fragment || reading.only && !asks {
        question = format!("show {question}");
    }
    if negative.is_some() {
        question = format!("show {question}");
    }
    Resolved { question, refers, names_entity, negative: negative.is_some(), keeps_columns }
}

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
