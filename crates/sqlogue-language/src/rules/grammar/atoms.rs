//! What a single span of words is by itself, before any rule is tried.

use std::rc::Rc;

use super::bands;
use super::chart::{Item, Part, Phrase};
use super::defined::Term;
use super::form::{Measure, Noun, Pred, Words};
use super::lattice::Lattice;
use super::said::ends;
use super::time::Timed;
use super::units::{self, Unit};
use super::words::WordLists;
use crate::rules::cue::Cue;
use crate::rules::lexicon::Lexicon;
use crate::rules::link::Number;
use crate::rules::text::Question;
use sqlogue_sql::plan::Comparison;
use sqlogue_sql::schema::Value;
use sqlogue_sql::sql::Definition;

/// *revenue* is what was taken in, and no table of sales, unless something bears just that name. *billing a fee* is something
/// that is done.
fn is_revenue(question: &Question, at: usize) -> bool {
    let is_doing = question.word(at).ends_with("ing") && matches!(question.word(at + 1), "a" | "an" | "the");
    !is_doing && WordLists::embedded().says_takings(question.word(at))
}

/// *over time* means months, and years where nothing else is known.
fn known_unit(lattice: &Lattice<'_>, start: usize, unit: Unit) -> Unit {
    let is_open = matches!(lattice.question.word(start), "over" | "trend" | "trends");
    if is_open && lattice.tells_years_only { Unit::Year } else { unit }
}

/// What the spans are that start at a token.
pub(super) fn atoms(lattice: &Lattice<'_>, start: usize) -> Vec<Item> {
    let question = lattice.question;
    let mut items = Vec::new();
    let mut add = |end: usize, phrase: Phrase, worth: f32| {
        items.push(Item { end, phrase, worth, rules: Vec::new() });
    };
    let length = |words: Words| (words.end - words.start) as f32;
    // What people have defined is nothing else.
    if lattice.is_defined(start, start + 1) {
        for term in lattice.terms_at(start) {
            add(term.words.end, defined(term), 1.5 * length(term.words) + 1.0);
        }
        return items;
    }
    let is_revenue = is_revenue(question, start);
    // *ticket revenue* is what the tickets brought in, and no table of ticket sales.
    let ends_in_revenue = |noun: &Noun| {
        let last = noun.words.end.saturating_sub(1);
        last > start && WordLists::embedded().has("revenue", question.word(last))
    };
    let is_noun = |noun: &&Noun| noun.score() >= 0.99 || !is_revenue && !ends_in_revenue(noun);
    for noun in lattice.nouns(start).iter().filter(is_noun) {
        let worth = noun.score().powf(1.3) * length(noun.words) + 0.25 * (length(noun.words) - 1.0);
        add(noun.words.end, Phrase::Noun(noun.clone()), worth);
    }
    for noun in nouns_of(lattice, start) {
        let worth = 2.0 * noun.score().powf(1.3) + 0.5;
        add(noun.words.end, Phrase::Noun(noun), worth);
    }
    let capital = question.tokens.get(start).is_some_and(|token| token.is_capitalised() && start > 0);
    // *who works in sales*
    let word_before = |back: usize| start.checked_sub(back).map_or("", |at| question.word(at));
    let is_workplace = word_before(1) == "in" && word_before(2).starts_with("work");
    for named in lattice.values(start).iter().filter(|_| !is_revenue || capital || is_workplace) {
        let best = named.links.first();
        let score = best.map_or(0.0, |link| link.score);
        let worth = match best.is_some_and(|link| link.quoted) {
            true => 2.0 + score,
            false => score * length(named.words) + 0.1 * (length(named.words) - 1.0),
        };
        add(named.words.end, Phrase::Named(named.clone()), worth);
    }
    for (end, number) in lattice.numbers(start) {
        // *ten percent*
        if !number.percent && matches!(question.word(*end), "percent" | "%") {
            add(*end + 1, Phrase::Percent(number.value.clone()), 1.7);
        }
        for (phrase, worth) in of_number(number, word_before(1)) {
            add(*end, phrase, worth * (end - start) as f32);
        }
    }
    for (end, timed) in lattice.times(start) {
        let phrase = match timed {
            Timed::Window(window) => Phrase::Window(*window),
            Timed::Recurring(times) => Phrase::Recurring(times.clone()),
        };
        add(*end, phrase, 1.05 * (end - start) as f32 + 0.1);
    }
    if let Some((unit, end)) = units::bucket(question, start, false) {
        add(end, Phrase::Unit(known_unit(lattice, start, unit)), 0.95 * (end - start) as f32);
    }
    if let Some((unit, end)) = units::bucket(question, start, true) {
        add(end, Phrase::Period(unit), 0.9 * (end - start) as f32);
    }
    // *1 hour*, *90 min*: behind a number the short words and the singular are units too.
    let behind_number = start.checked_sub(1).is_some_and(|before| !lattice.numbers(before).is_empty());
    let short = || behind_number.then(|| units::measured_one(question.word(start))).flatten();
    if let Some(unit) = units::measured(question.word(start)).or_else(short) {
        add(start + 1, Phrase::Measured(unit), 0.85);
    }
    if let Some((bands, end)) = bands::read(question, start) {
        add(end, Phrase::Bands(Rc::new(bands)), 0.95 * (end - start) as f32);
    }
    for (length, cue) in Lexicon::embedded().cues_at(|ahead| question.word(start + ahead)) {
        if let Cue::Superlative(direction, Some(index)) = cue {
            let words = Words::new(start, start + length);
            add(words.end, Phrase::Adjective(direction, index, words), 0.85 * length as f32);
        }
    }
    for (end, operator) in operators(lattice, start) {
        add(end, Phrase::Operator(operator), 0.85 * (end - start) as f32);
    }
    items
}

/// What a number may be, with what each word of it is worth.
fn of_number(number: &Number, before: &str) -> Vec<(Phrase, f32)> {
    if let (true, Value::Integer(place @ 2..)) = (number.ordinal, &number.value) {
        return vec![(Phrase::Ordinal(place.unsigned_abs()), 0.9)];
    }
    let percent = number.percent.then(|| (Phrase::Percent(number.value.clone()), 0.95));
    if number.percent && takes_first(before) {
        return percent.into_iter().collect();
    }
    let money = number.money.then(|| (Phrase::Money(number.value.clone()), 0.95));
    std::iter::once((Phrase::Number(number.value.clone()), 0.9)).chain(money).chain(percent).collect()
}

/// True for words before a number of the first few: *the top 10 percent* are no ten.
fn takes_first(word: &str) -> bool {
    matches!(
        word,
        "top" | "best" | "bottom" | "worst" | "first" | "last" | "highest" | "lowest" | "largest" | "biggest"
    )
}

/// How two values compare, with the token after the words that say so.
fn operators(lattice: &Lattice<'_>, start: usize) -> Vec<(usize, Comparison)> {
    [
        ("more", Comparison::Greater),
        ("less", Comparison::Less),
        ("at_least", Comparison::GreaterOrEqual),
        ("at_most", Comparison::LessOrEqual),
        ("equal", Comparison::Equal),
    ]
    .into_iter()
    .flat_map(|(list, operator)| {
        let ends = ends(lattice, WordLists::embedded().list(list), start);
        ends.into_iter().map(move |end| (end, operator))
    })
    .collect()
}

/// Columns that are named from behind: *country of the buyer* for `buyer_country`.
fn nouns_of(lattice: &Lattice<'_>, start: usize) -> Vec<Noun> {
    let mut made = Vec::new();
    for noun in lattice.nouns(start) {
        let of = noun.words.end;
        if lattice.question.word(of) != "of" {
            continue;
        }
        let article = matches!(lattice.question.word(of + 1), "the" | "a" | "an" | "our" | "their" | "each");
        for other in lattice.nouns(of + 1 + usize::from(article)) {
            let both = |(id, score): &(_, f32)| {
                let (_, more) = other.columns.iter().find(|(known, _)| known == id)?;
                Some((*id, (score + more).min(1.0)))
            };
            let mut columns: Vec<(_, f32)> = noun.columns.iter().filter_map(both).collect();
            columns.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            columns.retain(|(_, score)| *score > noun.column_score());
            if !columns.is_empty() {
                let words = Words::new(start, other.words.end);
                let says_when = noun.says_when || other.says_when;
                let tables = Rc::from([]);
                made.push(Noun { words, tables, columns: columns.into(), says_when, unsaid: None });
            }
        }
    }
    made
}

/// A defined word as a phrase.
fn defined(term: &Rc<Term>) -> Phrase {
    match (&term.meaning, &term.rows) {
        (Definition::Measure(_), _) => Phrase::Measure(Measure::Defined(Rc::clone(term))),
        (Definition::Rows(_), None) => Phrase::Part(Part::Where(Pred::Defined(Rc::clone(term)))),
        (Definition::Rows(_), Some(rows)) => {
            let which = Part::Where(Pred::Defined(Rc::clone(term)));
            Phrase::Part(Part::All(vec![Part::Subject(rows.clone()), which]))
        }
    }
}
