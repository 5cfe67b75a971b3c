//! References to what was said before: pronouns, demonstratives, and phrases that need a set to speak of.

use super::lexicon::Class;
use super::rule::{Rule, Signal};
use super::words::{Shape, Words};

/// Adds the references in an input that lead out of it.
///
/// `is_thing` tells whether the word at a position can be what a pronoun stands for: a content word that is not
/// known to be a mere column.
pub(super) fn references(words: &Words, is_thing: impl Fn(usize) -> bool, signals: &mut Vec<Signal>) {
    for (at, word) in words.list.iter().enumerate() {
        let signal = match word.class {
            Some(Class::Pronoun) => Some(pronoun(words, at, &is_thing)),
            Some(Class::Demonstrative) if points_back(words, at) => Some(Rule::Demonstrative),
            Some(Class::One) if stands_alone(words, at) => Some(Rule::Demonstrative),
            Some(Class::There) if counts_nothing(words, at) || is_a_place(words, at) => Some(Rule::Anaphora),
            Some(Class::Reference)
                if &*word.text != "other" && &*word.text != "another" || is_the(words, at) =>
            {
                (word.class == Some(Class::Reference)).then_some(Rule::SetReference)
            }
            _ if counts_in_each(words, at) => Some(Rule::SetReference),
            Some(Class::Generic) if names_the_answer(words, at) => Some(Rule::SetReference),
            _ => None,
        };
        if let Some(rule) = signal.filter(|rule| !signals.iter().any(|signal| signal.rule == *rule)) {
            signals.push(Signal::new(rule, &*word.text));
        }
    }
}

/// A pronoun refers inside its sentence where something stands before it that it can stand for.
///
/// The word right before a subject pronoun is not that thing: in *the products they sell* the products are sold.
fn pronoun(words: &Words, at: usize, is_thing: &impl Fn(usize) -> bool) -> Rule {
    let text = words.text(at).unwrap_or_default();
    let before = |back: usize| at.checked_sub(back).and_then(|at| words.text(at)).unwrap_or_default();
    // `of them`, `for each of them`, `among them` speak of a set that is already there.
    if text == "them" && matches!(before(1), "of" | "among" | "between" | "for") {
        return Rule::Anaphora;
    }
    let is_subject = matches!(text, "they" | "it" | "he" | "she");
    let mut antecedents = (0..at).filter(|candidate| is_thing(*candidate));
    let resolved = if is_subject {
        // `Which cities did they …`: what is asked for is not who they are.
        let asked_for =
            at.checked_sub(2).filter(|_| words.class(at.saturating_sub(1)) == Some(Class::Auxiliary));
        antecedents.any(|candidate| candidate + 1 != at && Some(candidate) != asked_for)
    } else if words.list.get(at.saturating_sub(1)).is_some_and(|verb| verb.is_content()) {
        // `Which employee served them`: who does something to them is somebody else.
        let acts = if words.class(at.saturating_sub(2)) == Some(Class::Auxiliary) { 3 } else { 2 };
        antecedents.any(|candidate| candidate + acts < at)
    } else {
        antecedents.next().is_some()
    };
    if resolved { Rule::AnaphoraInside } else { Rule::Anaphora }
}

/// `that` after a noun opens a clause (`shops that …`); `this year` is a date.
fn points_back(words: &Words, at: usize) -> bool {
    let next = words.text(at + 1).unwrap_or_default();
    match words.text(at) {
        Some("this") => !is_time(next),
        // *how much revenue did we make that month?*
        Some("that") if is_time(next) && words.text(at + 2).is_none_or(|after| after == "?") => true,
        Some("that") => {
            let after_head = at.checked_sub(1).is_some_and(|before| match words.class(before) {
                None | Some(Class::Generic | Class::One | Class::Demonstrative | Class::Modifier) => true,
                _ => words.list.get(before).is_some_and(|word| word.shape != Shape::Plain),
            });
            let opens_clause =
                matches!(words.class(at + 1), Some(Class::Auxiliary | Class::Pronoun)) && at > 0;
            let said_after =
                at.checked_sub(1).is_some_and(|before| words.class(before) == Some(Class::Auxiliary));
            (!after_head && !opens_clause) || said_after
        }
        _ => true,
    }
}

fn is_time(word: &str) -> bool {
    matches!(word, "year" | "month" | "week" | "quarter" | "day")
}

/// `who works there?`: at the end, and after a verb of its own.
fn is_a_place(words: &Words, at: usize) -> bool {
    let does = at.checked_sub(1).and_then(|before| words.list.get(before));
    at + 1 >= words.list.len() && does.is_some_and(|word| word.is_content())
}

/// `which one`, `the ones`: not `one of the`, not a number.
fn stands_alone(words: &Words, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.list.get(at));
    words.text(at) == Some("ones")
        || before.is_some_and(|word| {
            matches!(&*word.text, "which" | "the" | "that" | "this" | "each" | "another" | "last")
        }) && words.text(at + 1) != Some("of")
}

/// `how many are there` without saying of what.
fn counts_nothing(words: &Words, at: usize) -> bool {
    let before = words.list.get(..at).unwrap_or_default();
    before.iter().any(|word| &*word.text == "many")
        && !before.iter().any(|word| {
            word.is_content() || word.class == Some(Class::Generic) || word.shape == Shape::Quoted
        })
}

/// `how many products are in each?`: of those that were shown, where no others are named before.
fn counts_in_each(words: &Words, at: usize) -> bool {
    let says = |place: usize, word: &str| words.text(place) == Some(word);
    let names_others = || (2..at).any(|place| says(place, "and") || says(place, "per"));
    says(at, "each") && at + 1 >= words.list.len() && says(0, "how") && says(1, "many") && !names_others()
}

fn is_the(words: &Words, at: usize) -> bool {
    at.checked_sub(1).and_then(|at| words.text(at)) == Some("the")
}

/// `the results`, `the list`, `these records`: the answer that was shown.
fn names_the_answer(words: &Words, at: usize) -> bool {
    let text = words.text(at).unwrap_or_default();
    let asked_of = words.text(at + 1) == Some("of");
    matches!(
        text,
        "result" | "results" | "list" | "lists" | "output" | "answer" | "entries" | "rows" | "records"
    ) && is_the(words, at)
        && !asked_of
}
