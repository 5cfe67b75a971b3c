//! Words that are read as others: *w/* as *with*, *order no* as *order number*; what is only polite is left out.

use super::{Token, TokenKind, token};
use crate::rules::grammar::WordLists;

/// Openings that say nothing about the data.
const POLITE: &[&str] = &[
    "please",
    "kindly",
    "hi",
    "hello",
    "hey",
    "thanks",
    "can you",
    "could you",
    "would you",
    "will you",
    "can i",
    "may i",
    "i want to know",
    "i want to see",
    "i want",
    "i would like to know",
    "i would like to see",
    "i would like",
    "i'd like to know",
    "i'd like to see",
    "i'd like",
    "i need to know",
    "i need to see",
    "i need to find out",
    "i have to know",
    "i need",
    "we need to know",
    "we would like to know",
    "we'd like to know",
    "remind me",
    "quick question",
    "we want to know",
    "do you know",
    "let me know",
    "help me",
    "i am interested in",
    "i wonder",
];

/// Puts tokens as the rules read them.
pub(super) fn plainly(tokens: &mut Vec<Token>) {
    tell_slips(tokens);
    tell_first(tokens);
    tell_with(tokens);
    tell_plus(tokens);
    strip_asides(tokens);
    strip_politeness(tokens);
    share_nouns(tokens);
    tell_returns(tokens);
    tell_counts(tokens);
    tell_times(tokens);
    tell_lists(tokens);
    tell_dates(tokens);
    tell_evils(tokens);
    tell_decades(tokens);
    tell_percent(tokens);
}

/// Small words with two letters the wrong way round, which name nothing: *teh*.
fn tell_slips(tokens: &mut [Token]) {
    const SLIPS: [(&str, &str); 10] = [
        ("teh", "the"),
        ("hte", "the"),
        ("adn", "and"),
        ("wich", "which"),
        ("whcih", "which"),
        ("hwo", "who"),
        ("waht", "what"),
        ("wiht", "with"),
        ("shwo", "show"),
        ("thier", "their"),
    ];
    for (at, said) in tokens.iter_mut().enumerate() {
        let is_word = said.kind == TokenKind::Word;
        // A name has a capital, and so has the first word.
        if let Some((_, meant)) = SLIPS
            .iter()
            .find(|(slip, _)| is_word && said.lower == *slip && (at == 0 || !said.is_capitalised()))
        {
            *said = token(meant, TokenKind::Word, said.start, said.end);
        }
    }
}

/// *starting with the cheapest* puts the *cheapest first*.
fn tell_first(tokens: &mut Vec<Token>) {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let is_utmost =
        |at: usize| word(at).ends_with("est") || matches!(word(at), "most" | "least" | "best" | "worst");
    let begins = |at: &usize| {
        matches!(word(*at), "starting" | "beginning")
            && word(at + 1) == "with"
            && word(at + 2) == "the"
            && is_utmost(at + 3)
    };
    let Some(at) = (1..tokens.len()).find(begins) else { return };
    let ends = |at: &usize| matches!(word(*at), "" | "." | "?" | "," | "!");
    let Some(end) = (at + 4..at + 7).find(ends) else { return };
    let Some(last) = tokens.get(end - 1) else { return };
    let first = token("first", TokenKind::Word, last.end, last.end);
    tokens.insert(end, first);
    tokens.drain(at..at + 3);
}

/// *by birth decade* is *by decade of birth*.
fn tell_decades(tokens: &mut Vec<Token>) {
    for at in 0..tokens.len() {
        let Some([by, what, decade]) = tokens.get(at..at + 3) else { return };
        let leads = matches!(by.lower.as_str(), "by" | "per" | "each" | "every");
        if leads && decade.lower == "decade" && !matches!(what.lower.as_str(), "the" | "each" | "calendar") {
            let of = token("of", TokenKind::Word, what.start, what.start);
            tokens.splice(at + 1..at + 3, [decade.clone(), of, what.clone()]);
        }
    }
}

/// *% customers without an order* and *customers without an order, %* ask for a percentage of what else is said.
fn tell_percent(tokens: &mut Vec<Token>) {
    // What says already what is divided by what.
    const SAID: [&str; 22] = [
        "share",
        "shares",
        "percentage",
        "percent",
        "proportion",
        "rate",
        "ratio",
        "growth",
        "change",
        "increase",
        "decrease",
        "drop",
        "margin",
        "difference",
        "in",
        "as",
        "what",
        "which",
        "how",
        "show",
        "than",
        "discount",
    ];
    const DESCRIBES: [&str; 7] = ["of", "that", "who", "which", "with", "without", "from"];
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let last = tokens.iter().rposition(|token| token.lower != "?").unwrap_or_default();
    let describes = || tokens.iter().skip(1).any(|token| DESCRIBES.contains(&token.lower.as_str()));
    let is_said = || tokens.iter().any(|token| SAID.contains(&token.lower.as_str()));
    let follows_words = last > 1
        && tokens.get(last - 1).is_some_and(|before| before.kind != TokenKind::Number)
        && !tokens.iter().take(last).any(|token| token.lower == "%");
    let sign = if word(0) == "%" && describes() {
        0
    } else if word(last) == "%" && follows_words && !is_said() {
        last
    } else {
        return;
    };
    let Token { start, end, .. } = tokens.remove(sign);
    if tokens.get(sign.wrapping_sub(1)).is_some_and(|before| before.lower == ",") {
        tokens.remove(sign - 1);
    }
    let has_of = tokens.first().is_some_and(|first| first.lower == "of");
    let said = ["percentage", "of"].into_iter().take(if has_of { 1 } else { 2 });
    tokens.splice(0..0, said.map(|word| token(word, TokenKind::Word, start, end)));
}

/// *the worst delay* is the longest, and *the best* is the shortest: what nobody wants is bad where there is much of it.
fn tell_evils(tokens: &mut [Token]) {
    const EVILS: [&str; 32] = [
        "delay",
        "delays",
        "loss",
        "losses",
        "error",
        "errors",
        "defect",
        "defects",
        "complaint",
        "complaints",
        "churn",
        "attrition",
        "absence",
        "absences",
        "absenteeism",
        "latency",
        "downtime",
        "waiting",
        "wait",
        "shortage",
        "shortages",
        "backlog",
        "debt",
        "debts",
        "overrun",
        "overruns",
        "unemployment",
        "mortality",
        "pollution",
        "congestion",
        "failure",
        "failures",
    ];
    for at in 0..tokens.len() {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
        let meant = match word(at) {
            "worst" => "highest",
            "best" => "lowest",
            _ => continue,
        };
        let is_of_evil = (at + 1..at + 4)
            .take_while(|next| !matches!(word(*next), "" | "by" | "in" | "of" | "for" | "with" | "," | "and"))
            .any(|next| EVILS.contains(&word(next)));
        if let Some(token) = tokens.get_mut(at).filter(|_| is_of_evil) {
            token.lower = meant.to_owned();
            token.stem = super::super::stem::stem(meant);
            token.root = super::super::stem::root(meant);
        }
    }
}

/// *subject, place and when opened*: a date among other things that are listed.
fn tell_dates(tokens: &mut Vec<Token>) {
    const BEFORE: [&str; 8] = [",", "and", "&", "+", ":", "with", "plus", "including"];
    const ENDS: [&str; 9] = ["", ",", ".", "?", "!", ";", ")", "and", "&"];
    for at in 1..tokens.len() {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
        let is_listed = BEFORE.contains(&word(at - 1)) && word(at) == "when" && ENDS.contains(&word(at + 2));
        let Some([when, deed]) = tokens.get(at..at + 2) else { return };
        if is_listed && deed.lower.ends_with("ed") {
            let deed = Token { start: when.start, ..deed.clone() };
            let date = Token { start: deed.end, end: deed.end, ..token("date", TokenKind::Word, 0, 0) };
            tokens.splice(at..at + 2, [deed, date]);
        }
    }
}

/// *return rate*, *orders per return reason*: *return* is a noun there, and no wish to be shown something.
fn tell_returns(tokens: &mut [Token]) {
    const ASKS: [&str; 9] = ["please", "and", "then", "to", "also", "just", "now", "must", "should"];
    const NAMED: [&str; 11] = [
        "rate",
        "rates",
        "reason",
        "reasons",
        "share",
        "quota",
        "percentage",
        "volume",
        "value",
        "policy",
        "policies",
    ];
    for at in 0..tokens.len() {
        let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str());
        let before = at.checked_sub(1).and_then(word);
        let asks =
            before.is_none_or(|before| ASKS.contains(&before) || !before.starts_with(char::is_alphabetic));
        let names = word(at + 1).is_some_and(|next| NAMED.contains(&next));
        // *returning customers* have come again, and brought nothing back.
        let comes_again = word(at) == Some("returning")
            && tokens.get(at + 1).is_some_and(|next| WordLists::embedded().has("buyers", &next.stem));
        let is_named = word(at) == Some("return") && (names || !asks);
        let Some(said) = tokens.get_mut(at) else { return };
        if comes_again {
            *said = token("repeat", TokenKind::Word, said.start, said.end);
        } else if is_named {
            said.lower.push('s');
        }
    }
}

/// *w/* is *with*, and *w/o* is *without*.
fn tell_with(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at + 1 < tokens.len() {
        let said = |at: usize, wanted: &str| tokens.get(at).is_some_and(|token| token.lower == wanted);
        let touches = |at: usize| match tokens.get(at..at + 2) {
            Some([one, other]) => one.end == other.start,
            _ => false,
        };
        if said(at, "w") && said(at + 1, "/") && touches(at) {
            let is_without = said(at + 2, "o") && touches(at + 1);
            let (word, length) = if is_without { ("without", 3) } else { ("with", 2) };
            let start = tokens.get(at).map_or(0, |token| token.start);
            let end = tokens.get(at + length - 1).map_or(start, |token| token.end);
            tokens.splice(at..at + length, [Token { start, end, ..token(word, TokenKind::Word, 0, 0) }]);
        }
        at += 1;
    }
}

/// *reference + customer* is *reference and customer*, where nothing is added up.
fn tell_plus(tokens: &mut [Token]) {
    const ADDS: [&str; 8] = ["sum", "total", "average", "mean", "much", "add", "plus", "minus"];
    let adds = tokens.iter().any(|token| ADDS.contains(&token.lower.as_str()) || token.lower == "=");
    for at in 1..tokens.len().saturating_sub(1) {
        let is_plus = match tokens.get(at - 1..at + 2) {
            Some([before, plus, after]) => {
                plus.lower == "+"
                    && before.end < plus.start
                    && plus.end < after.start
                    && [before, after].iter().all(|word| word.kind == TokenKind::Word)
            }
            _ => false,
        };
        if is_plus
            && !adds
            && let Some(plus) = tokens.get_mut(at)
        {
            *plus = token("and", TokenKind::Word, plus.start, plus.end);
        }
    }
}

/// *open tickets - subject, place, date*: a dash before a list is a colon, and *order no, date* begins with a number.
fn tell_lists(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        let is_word = tokens.get(at - 1).is_some_and(|before| before.kind == TokenKind::Word);
        let ends = tokens.get(at + 1).is_none_or(|next| next.lower == ",");
        if let Some(word) = tokens.get_mut(at).filter(|word| is_word && ends && word.lower == "no") {
            *word = Token { start: word.start, end: word.end, ..token("number", TokenKind::Word, 0, 0) };
        }
    }
    let is_word = |token: &Token| token.kind == TokenKind::Word;
    let dash = (1..tokens.len()).find(|at| match tokens.get(at - 1..at + 2) {
        Some([before, dash, after]) => {
            matches!(dash.lower.as_str(), "-" | "–")
                && before.end < dash.start
                && dash.end < after.start
                && is_word(before)
                && is_word(after)
        }
        _ => false,
    });
    let lists = |at: &usize| tokens.iter().skip(*at).any(|token| token.lower == ",");
    if let Some(dash) = dash.filter(lists)
        && let Some(token) = tokens.get_mut(dash)
    {
        token.lower = ":".to_owned();
    }
}

/// *genres that count as fiction* are fiction: nothing is counted.
fn tell_counts(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        let is_as = tokens.get(at + 1).is_some_and(|next| next.lower == "as");
        if let Some(verb) = tokens.get_mut(at)
            && is_as
            && matches!(verb.lower.as_str(), "count" | "counts" | "counted")
        {
            *verb = Token { start: verb.start, end: verb.end, ..token("are", TokenKind::Word, 0, 0) };
        }
    }
}

/// *more than twice* is more than 2 times; *twice the average* is not.
fn tell_times(tokens: &mut Vec<Token>) {
    const BOUNDS: [&str; 5] = ["than", "exactly", "only", "just", "most"];
    const MULTIPLIED: [&str; 14] = [
        "as", "the", "that", "what", "their", "its", "his", "her", "our", "a", "an", "of", "this", "average",
    ];
    let mut at = 1;
    while at < tokens.len() {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
        let number = match word(at) {
            "twice" => "2",
            "thrice" => "3",
            _ => "",
        };
        let is_bound = BOUNDS.contains(&word(at - 1)) && !MULTIPLIED.contains(&word(at + 1));
        if !number.is_empty()
            && is_bound
            && let Some(said) = tokens.get_mut(at)
        {
            let (start, end) = (said.start, said.end);
            *said = token(number, TokenKind::Number, start, end);
            // The noun covers no text of its own.
            tokens.insert(at + 1, token("times", TokenKind::Word, end, end));
        }
        at += 1;
    }
}

/// *first and last names* is *first names and last names*: the noun is said once for both.
fn share_nouns(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at + 3 < tokens.len() {
        let word = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.lower.as_str());
        let joined = matches!(word(1), "and" | "or" | "," | "&");
        let pair = (word(0), word(2));
        let noun = matches!(word(3), "name" | "names");
        let shared = joined
            && noun
            && matches!(
                pair,
                ("first", "last") | ("last", "first") | ("given", "family") | ("first", "middle")
            );
        if shared && let Some(noun) = tokens.get(at + 3).cloned() {
            let mut copy = noun;
            // The copy covers no text of its own.
            if let Some(before) = tokens.get(at) {
                copy.start = before.end;
                copy.end = before.end;
            }
            tokens.insert(at + 1, copy);
        }
        at += 1;
    }
}

/// How many words say who wants to know it: *my accountant wants to know how many*, *the bank asked me which*.
fn asked_for_another(tokens: &[Token]) -> Option<usize> {
    const WHOSE: [&str; 6] = ["my", "our", "the", "a", "someone", "somebody"];
    const WANTS: [&str; 4] = ["wants", "want", "needs", "need"];
    const ASKS: [&str; 5] = ["asked", "asks", "asking", "wonders", "wondering"];
    const KNOWS: [&str; 3] = ["know", "see", "find"];
    const BETWEEN: [&str; 7] = ["me", "us", "to", "about", "out", "whether", "if"];
    const ASKED: [&str; 8] = ["how", "what", "which", "who", "whose", "when", "where", "whom"];
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let speaks = |at: usize| WANTS.contains(&word(at)) || ASKS.contains(&word(at));
    let verb = (1..4).find(|at| WHOSE.contains(&word(0)) && speaks(*at))?;
    // *our customers who asked for a refund: which …* says whose orders are meant.
    let says_who = |token: &Token| matches!(token.lower.as_str(), "who" | "that" | "which" | "whose");
    if tokens.get(..verb)?.iter().any(|token| token.kind != TokenKind::Word || says_who(token)) {
        return None;
    }
    let mut at = verb + 1;
    let mut knows = ASKS.contains(&word(verb));
    let mut whether = false;
    while BETWEEN.contains(&word(at)) || KNOWS.contains(&word(at)) {
        knows |= KNOWS.contains(&word(at));
        whether |= matches!(word(at), "whether" | "if");
        at += 1;
    }
    // *whether we grew: how many …*: what is asked stands behind the colon.
    let behind = || (at..tokens.len()).find(|mark| word(*mark) == ":").map(|mark| mark + 1);
    let asked = if whether { behind()? } else { at };
    (knows && ASKED.contains(&word(asked))).then_some(asked)
}

/// What is said beside a question and says nothing of it.
const ASIDES: &[&[&str]] = &[
    &["by", "the", "way"],
    &["btw"],
    &["out", "of", "curiosity"],
    &["just", "out", "of", "curiosity"],
    &["just", "curious"],
    &["just", "wondering"],
    &["while", "we", "are", "at", "it"],
    &["while", "you", "are", "at", "it"],
    &["on", "file"],
];

/// Leaves out *by the way* before a question or behind it; between its words it may mean something.
fn strip_asides(tokens: &mut Vec<Token>) {
    let says = |words: &[Token], aside: &[&str]| {
        words.len() == aside.len() && words.iter().zip(aside).all(|(token, word)| token.lower == *word)
    };
    let is_mark = |token: &Token| token.kind == TokenKind::Mark;
    for aside in ASIDES {
        let end = tokens.len() - tokens.iter().rev().take_while(|token| is_mark(token)).count();
        let start = end.saturating_sub(aside.len());
        if start > 0 && tokens.get(start..end).is_some_and(|words| says(words, aside)) {
            let comma = start - usize::from(tokens.get(start - 1).is_some_and(is_mark));
            tokens.drain(comma..end);
        }
        let is_first = tokens.get(..aside.len()).is_some_and(|words| says(words, aside));
        if is_first && tokens.len() > aside.len() {
            let marks = tokens.iter().skip(aside.len()).take_while(|token| is_mark(token)).count();
            if tokens.len() > aside.len() + marks {
                tokens.drain(..aside.len() + marks);
            }
        }
    }
}

fn strip_politeness(tokens: &mut Vec<Token>) {
    loop {
        let found = POLITE.iter().find_map(|phrase| {
            let words: Vec<&str> = phrase.split(' ').collect();
            let matches = tokens.len() > words.len()
                && tokens.iter().zip(&words).all(|(token, word)| token.lower == *word);
            matches.then_some(words.len())
        });
        let Some(mut length) = found.or_else(|| asked_for_another(tokens)) else { return };
        while tokens.len() > length && tokens.get(length).is_some_and(|token| token.kind == TokenKind::Mark) {
            length += 1;
        }
        tokens.drain(..length);
    }
}
