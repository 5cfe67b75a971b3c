//! Cell values: quotations, names, categories and codes.

use super::{Link, Target, ValueLink, told};
use crate::rules::grammar::WordLists;
use crate::rules::knowledge::{Item, Knowledge, TableId, WordPlace};
use crate::rules::lexicon::Lexicon;
use crate::rules::stem::{is_doer, is_irregular, root};
use crate::rules::synonyms;
use crate::rules::text::{Question, Token, TokenKind};
use crate::rules::values::{MatchKind, ValueHit, folded};
use crate::rules::world;
use sqlogue_sql::schema::Value;

/// Values have at most so many words.
const MAX_WORDS: usize = 7;
/// A span keeps at most so many values.
const MAX_VALUES: usize = 24;

/// How well a cell fits that differs from the words by one slip.
const MISSPELT: f32 = 0.5;
/// How well a column fits that holds such things, but not the one that is named.
const ABSENT: f32 = 0.6;

/// True for words so common that a cell with the same text is a coincidence, unless they stand in quotes.
fn is_common(word: &str) -> bool {
    WordLists::embedded().has("no_cell", word)
}

/// All cell values that spans of the question may stand for.
pub(super) fn links(question: &Question, knowledge: &Knowledge) -> Vec<Link> {
    let mut links = Vec::new();
    for start in 0..question.tokens.len() {
        let Some(first) = question.tokens.get(start) else { continue };
        match first.kind {
            TokenKind::Quoted => links.extend(quoted(question, start, knowledge)),
            TokenKind::Word | TokenKind::Number => {
                for end in start + 1..=(start + MAX_WORDS).min(question.tokens.len()) {
                    let quoted =
                        question.tokens.get(end - 1).is_some_and(|token| token.kind == TokenKind::Quoted);
                    if quoted {
                        break;
                    }
                    // What nobody wrote is no part of a name.
                    let is_said = |token: &Token| token.kind != TokenKind::Mark && token.start < token.end;
                    if question.tokens.get(end - 1).is_some_and(is_said) {
                        links.extend(unquoted(question, start, end, knowledge));
                    }
                }
                links.extend(coded(question, start, knowledge));
                links.extend(rated(question, start, knowledge));
                links.extend(opposite(question, start, knowledge));
            }
            TokenKind::Mark | TokenKind::Possessive => {}
        }
    }
    told::tell_apart(&mut links, question, knowledge);
    links
}

/// Cuts quoted names (*"Ada Byron"*) that no cell has as a whole where one table has their parts in two columns.
pub(super) fn divide_names(question: &mut Question, knowledge: &Knowledge) {
    let mut at = 0;
    while at < question.tokens.len() {
        let parts = question.tokens.get(at).and_then(|token| divided(&question.text, token, knowledge));
        if let Some(parts) = parts {
            question.tokens.splice(at..=at, parts);
            at += 1;
        }
        at += 1;
    }
}

fn divided(text: &str, token: &Token, knowledge: &Knowledge) -> Option<[Token; 2]> {
    if token.kind != TokenKind::Quoted || !knowledge.values().find(&token.text).is_empty() {
        return None;
    }
    let start = token.start + text.get(token.start..token.end)?.find(&token.text)?;
    let (first, last) = parts_of_name(&token.text, knowledge)?;
    let end = start + token.text.len();
    Some([Token::quoted(first, start, start + first.len()), Token::quoted(last, end - last.len(), end)])
}

/// The two parts of a name that one table holds in two columns.
fn parts_of_name<'a>(name: &'a str, knowledge: &Knowledge) -> Option<(&'a str, &'a str)> {
    name.match_indices(' ').find_map(|(space, _)| {
        let (first, last) = (name.get(..space)?.trim_end(), name.get(space + 1..)?.trim_start());
        let columns = |part: &str| -> Vec<_> {
            knowledge.values().find(part).into_iter().map(|hit| hit.column).collect()
        };
        let (firsts, lasts) = (columns(first), columns(last));
        let beside = |one: &_, other: &_| {
            one != other && knowledge.column(*one).table == knowledge.column(*other).table
        };
        let found = firsts.iter().any(|one| lasts.iter().any(|other| beside(one, other)));
        found.then_some((first, last))
    })
}

fn value(start: usize, end: usize, hit: ValueHit, score: f32, quoted: bool) -> Link {
    let link =
        ValueLink { column: Some(hit.column), value: Value::Text(hit.text), kind: hit.kind, score, quoted };
    Link { start, end, target: Target::Value(link), score }
}

/// A quotation is a value whether or not a cell has it.
fn quoted(question: &Question, at: usize, knowledge: &Knowledge) -> Vec<Link> {
    let Some(token) = question.tokens.get(at) else { return Vec::new() };
    let text = token.text.trim_matches('%');
    let mut links: Vec<Link> = knowledge
        .values()
        .find(text)
        .into_iter()
        .take(MAX_VALUES)
        .map(|hit| {
            let score = match hit.kind {
                MatchKind::Exact => 1.0,
                MatchKind::Folded => 0.95,
                _ => 0.85,
            };
            value(at, at + 1, hit, score, true)
        })
        .collect();
    if links.is_empty() {
        links.extend(knowledge.values().near(text).into_iter().map(|hit| value(at, at + 1, hit, 0.5, true)));
    }
    let literal = literal(text);
    links.push(Link {
        start: at,
        end: at + 1,
        target: Target::Value(ValueLink {
            column: None,
            value: literal,
            kind: MatchKind::Exact,
            score: 0.7,
            quoted: true,
        }),
        score: 0.7,
    });
    links
}

/// A literal as written: a number where it reads as one.
fn literal(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// True for a part of somebody's name: *100 wins* are nobody of the name of Win.
fn is_of_a_person(hit: &ValueHit, knowledge: &Knowledge) -> bool {
    let parts = ["first", "last", "given", "family", "middle", "surname", "forename"];
    let words = knowledge.column(hit.column).forms.first();
    words.into_iter().flatten().any(|word| parts.contains(&word.as_str()))
}

fn unquoted(question: &Question, start: usize, end: usize, knowledge: &Knowledge) -> Vec<Link> {
    let text = question.span_text(start, end);
    let single = end == start + 1;
    let word = question.word(start);
    let capital = |at: usize| {
        question.tokens.get(at).is_some_and(|token| token.is_capitalised())
            && at > 0
            && !sentence_start(question, at)
    };
    let capitalised = (start..end).any(capital);
    let all_capitalised = capital(start)
        && capital(end - 1)
        && (start..end).all(|at| capital(at) || matches!(question.word(at), "of" | "the" | "de" | "&" | "-"));
    let upper = text.len() >= 2 && text.chars().all(char::is_uppercase);
    if single && is_common(word) && (!capitalised || word.len() <= 3 && !upper) {
        let is_state =
            is_one_of_several(question, start) && is_few(question.span_text(start, end), knowledge);
        if !is_state && !is_state_of_rows(question, start, knowledge) {
            return Vec::new();
        }
    }
    if single && word.len() < 2 && !capitalised && !word.starts_with(|c: char| c.is_ascii_digit()) {
        return Vec::new();
    }
    let hits = knowledge.values().find(text);
    let few = |hit: &ValueHit| !knowledge.column(hit.column).few_values.is_empty();
    // *on hold*, *no show*: the words of a state, however common each of them is.
    let is_state = !single && hits.iter().any(few);
    // *the signal box*, where a pub is called so: an article is no reason to pass over all of a name.
    let is_name = word == "the"
        && !single
        && hits.iter().any(|hit| matches!(hit.kind, MatchKind::Exact | MatchKind::Folded));
    if is_common(word) && !single && !capital(start) && !capitalised && !is_state && !is_name {
        return Vec::new();
    }
    let number = single && question.tokens.get(start).is_some_and(|token| token.kind == TokenKind::Number);
    let is_cue = single && !Lexicon::embedded().cues_at(|at| if at == 0 { word } else { "" }).is_empty();
    let mut links = Vec::new();
    let people =
        hits.into_iter().filter(|hit| hit.kind != MatchKind::Stemmed || !is_of_a_person(hit, knowledge));
    for hit in people.take(MAX_VALUES) {
        let few = few(&hit);
        let mut score = alikeness(&hit, word, single, capitalised, few);
        if number {
            score = score.min(0.5);
        }
        if is_cue && !capitalised {
            score *= 0.5;
        }
        if is_common(word) && !single && !is_state {
            score *= 0.85;
        }
        links.push(value(start, end, hit, score, false));
    }
    if links.is_empty() && all_capitalised && !number {
        if single && !is_cue {
            links.extend(
                knowledge
                    .values()
                    .containing(text)
                    .into_iter()
                    .take(8)
                    .map(|hit| value(start, end, hit, 0.4, false)),
            );
        }
        if links.is_empty() {
            let misspelt = knowledge.values().misspelt(text).into_iter();
            links.extend(misspelt.map(|hit| value(start, end, hit, MISSPELT, false)));
        }
        // *Ada Byron* is known by two columns, and no third is called so.
        if parts_of_name(text, knowledge).is_none() {
            let literal = ValueLink {
                column: None,
                value: literal(text),
                kind: MatchKind::Exact,
                score: 0.42,
                quoted: false,
            };
            links.push(Link { start, end, target: Target::Value(literal), score: 0.42 });
        }
    }
    links
}

/// True for one of the states that are named side by side: *new or confirmed*, *urgent and high*.
fn is_one_of_several(question: &Question, at: usize) -> bool {
    const STATES: [&str; 5] = ["new", "old", "used", "high", "low"];
    let before = at.checked_sub(1).map_or("", |before| question.word(before));
    STATES.contains(&question.word(at))
        && (matches!(before, "or" | "and") || matches!(question.word(at + 1), "or" | "and"))
}

/// True for a common word that says how rows stand which are named behind it or before: *done jobs*, *used cars*, *jobs that are
/// done*.
fn is_state_of_rows(question: &Question, at: usize, knowledge: &Knowledge) -> bool {
    if !WordLists::embedded().has("state_of_rows", question.word(at)) {
        return false;
    }
    let before = at.checked_sub(1).map_or("", |before| question.word(before));
    let named = match before {
        "are" | "is" | "were" | "was" | "not" => question.tokens.get(..at),
        _ => question.tokens.get(at + 1..at + 2),
    };
    let names = |table: TableId| {
        let is_table = |place: &WordPlace| place.item == Item::Table(table);
        let mut places = named.into_iter().flatten().flat_map(|token| knowledge.places_of_stem(&token.stem));
        places.any(is_table)
    };
    knowledge.values().find(question.word(at)).iter().any(|hit| {
        let column = knowledge.column(hit.column);
        !column.few_values.is_empty() && names(column.table)
    })
}

/// True for what is a cell of a column that has only few.
fn is_few(text: &str, knowledge: &Knowledge) -> bool {
    let hits = knowledge.values().find(text);
    hits.iter().any(|hit| {
        matches!(hit.kind, MatchKind::Exact | MatchKind::Folded)
            && !knowledge.column(hit.column).few_values.is_empty()
    })
}

/// How sure it is that words name a cell, by what they are alone: `few` where its column has only few values.
fn alikeness(hit: &ValueHit, word: &str, single: bool, capitalised: bool, few: bool) -> f32 {
    match (hit.kind, single) {
        (MatchKind::Exact, false) => 1.0,
        (MatchKind::Folded, false) => 0.92,
        (_, false) => 0.8,
        (MatchKind::Exact, true) if capitalised => 0.98,
        (MatchKind::Exact | MatchKind::Folded, true) if capitalised => 0.95,
        // *the hottest day* is no airport with the code `DAY`.
        (MatchKind::Folded, true) if !few && synonyms::is_word(word) && is_short_code(&hit.text) => 0.3,
        // *reported* is what was done more often than a status.
        (MatchKind::Exact | MatchKind::Folded, true) if word.ends_with("ed") => 0.65,
        (MatchKind::Exact | MatchKind::Folded, true) if few => 0.85,
        (MatchKind::Exact | MatchKind::Folded, true) => 0.7,
        (_, true) if few && capitalised => 0.88,
        (_, true) if few || capitalised => 0.7,
        (_, true) => 0.45,
    }
}

/// True for a few capitals.
fn is_short_code(text: &str) -> bool {
    text.len() <= 4 && text.chars().all(char::is_uppercase)
}

/// Words for what is stored as a code (*female*, `F`), where a column with few values has that code.
fn coded(question: &Question, start: usize, knowledge: &Knowledge) -> Vec<Link> {
    let mut links = Vec::new();
    for length in 1..=4 {
        let end = start + length;
        if end > question.tokens.len() {
            break;
        }
        let phrase = folded(question.span_text(start, end));
        let codes = Lexicon::embedded().codes(&phrase);
        // *What did that cost us*: in small letters it is no country.
        if phrase == "us" && question.tokens.get(start).is_some_and(|token| token.text == token.lower) {
            continue;
        }
        let is_code = question.span_text(start, end).chars().all(char::is_uppercase);
        for (kind, name) in world::other_names(&phrase, is_code) {
            for hit in knowledge.values().find(name) {
                let is_same = hit.kind == MatchKind::Exact || hit.kind == MatchKind::Folded;
                if is_same && world::may_hold(hit.column, kind, name, knowledge) {
                    links.push(value(start, end, ValueHit { kind: MatchKind::Coded, ..hit }, 0.8, false));
                }
            }
        }
        if links.is_empty() && knowledge.values().find(&phrase).is_empty() {
            links.extend(absent(start, end, &phrase, knowledge));
        }
        for code in codes {
            for hit in knowledge.values().find(code) {
                let few = !knowledge.column(hit.column).few_values.is_empty();
                // A short code in a column of many values is no code.
                if hit.text == *code && (few || code.len() > 3) {
                    let score = if few { 0.8 } else { 0.6 };
                    links.push(value(start, end, ValueHit { kind: MatchKind::Coded, ..hit }, score, false));
                }
            }
        }
    }
    links.truncate(MAX_VALUES);
    links
}

/// What columns would hold if they had any such thing: a condition that finds nothing is an answer too.
fn absent(start: usize, end: usize, phrase: &str, knowledge: &Knowledge) -> Vec<Link> {
    let absent = world::absent(phrase, knowledge).into_iter();
    let hit = |(column, name): (_, &str)| ValueHit { column, text: name.to_owned(), kind: MatchKind::Coded };
    absent.map(|place| value(start, end, hit(place), ABSENT, false)).collect()
}

/// Cells of columns with few values that a word in small letters may misspell, where it is no word of English and nothing
/// else explains it.
pub(super) fn misspelt(question: &Question, at: usize, knowledge: &Knowledge) -> Vec<Link> {
    let word = question.word(at);
    if synonyms::is_word(word) {
        return Vec::new();
    }
    let hits = knowledge.values().misspelt(word).into_iter();
    let few = hits.filter(|hit| !knowledge.column(hit.column).few_values.is_empty());
    few.map(|hit| value(at, at + 1, hit, MISSPELT, false)).collect()
}

/// *cancellation rate*, *how many cancellations*, *privately insured*: the state that a rate is of, or that a word of the same
/// root stands for which names nothing here (*cancelled*, *private*).
fn rated(question: &Question, at: usize, knowledge: &Knowledge) -> Vec<Link> {
    let Some(token) = question.tokens.get(at) else { return Vec::new() };
    let is_rate = matches!(question.word(at + 1), "rate" | "rates" | "quota" | "percentage" | "ratio");
    let is_unknown = || {
        (token.lower.len() >= 5 || is_irregular(&token.lower))
            && token.kind == TokenKind::Word
            && !token.is_capitalised()
            && knowledge.places_of_root(&token.root).is_empty()
            && knowledge.values().find(&token.lower).is_empty()
            && !Lexicon::embedded().is_soft(&token.lower)
            && Lexicon::embedded().cues_at(|ahead| question.word(at + ahead)).is_empty()
    };
    if token.root.len() < 3 || !is_rate && !is_unknown() {
        return Vec::new();
    }
    let score = if is_rate { 0.8 } else { 0.74 };
    let mut links = Vec::new();
    for (table, _) in knowledge.tables() {
        for id in &knowledge.table(table).columns {
            for state in &knowledge.column(*id).few_values {
                let Value::Text(text) = state else { continue };
                let state = folded(text);
                if state != token.lower && root(&state) == token.root && !is_doer(&state, &token.lower) {
                    let hit = ValueHit { column: *id, text: text.clone(), kind: MatchKind::Stemmed };
                    links.push(value(at, at + 1, hit, score, false));
                }
            }
        }
    }
    links.truncate(MAX_VALUES);
    links
}

/// *unavailable*, *non-refundable*: what a column that says yes or no says of the opposite.
fn opposite(question: &Question, at: usize, knowledge: &Knowledge) -> Vec<Link> {
    const PREFIXES: [&str; 6] = ["non-", "un", "in", "not-", "dis", "non"];
    let word = question.word(at);
    let Some(rest) =
        PREFIXES.iter().find_map(|prefix| word.strip_prefix(prefix)).filter(|rest| rest.len() > 3)
    else {
        return Vec::new();
    };
    let mut links = Vec::new();
    for place in knowledge.places_of_root(&root(rest)) {
        let Item::Column(id) = place.item else { continue };
        let Some((_, no)) = knowledge.column(id).kind.is_flag() else { continue };
        let score = 0.9;
        let link =
            ValueLink { column: Some(id), value: no.clone(), kind: MatchKind::Coded, score, quoted: false };
        links.push(Link { start: at, end: at + 1, target: Target::Value(link), score });
    }
    links.truncate(MAX_VALUES);
    links
}

fn sentence_start(question: &Question, at: usize) -> bool {
    at == 0 || at.checked_sub(1).is_some_and(|before| matches!(question.word(before), "." | "?" | "!"))
}
