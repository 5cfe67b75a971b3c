//! How people really follow up: evidence for and against a refinement, beyond the promised indicators.

use super::indicators::how_many;
use super::lexicon::Class;
use super::reference::references;
use super::rule::{Rule, Signal};
use super::vocabulary::{SqlWords, TableSet, Vocabulary};
use super::words::{Shape, Word, Words};

/// What the last answered turn and the schema say of words.
pub(super) struct Background<'a> {
    /// The last answered question.
    pub(super) question: Words,
    /// Its query.
    pub(super) sql: SqlWords,
    /// The tables that it uses, as the vocabulary knows them.
    pub(super) previous_tables: TableSet,
    /// Stems of the tables of earlier queries.
    pub(super) earlier_tables: Vec<Box<str>>,
    /// The schema, where it is known.
    pub(super) vocabulary: Option<&'a Vocabulary>,
}

/// What a content word names, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    PreviousTable,
    /// A table of an earlier query.
    EarlierTable,
    OtherTable,
    PreviousColumn,
    /// Another column of a table of the last query.
    ColumnBeside,
    OtherColumn,
    PreviousQuestion,
    Unknown,
}

impl Background<'_> {
    fn names(&self, stem: &str) -> Names {
        let has = |list: &[Box<str>]| list.iter().any(|word| &**word == stem);
        let named = self.vocabulary.map(|vocabulary| vocabulary.named(stem)).unwrap_or_default();
        if has(&self.sql.tables) {
            Names::PreviousTable
        } else if has(&self.sql.columns) {
            Names::PreviousColumn
        } else if named.column & self.previous_tables != 0 {
            Names::ColumnBeside
        } else if has(&self.earlier_tables) {
            Names::EarlierTable
        } else if named.table != 0 {
            Names::OtherTable
        } else if named.column != 0 {
            Names::OtherColumn
        } else if self.question.list.iter().any(|word| word.is_content() && word.stem() == stem) {
            Names::PreviousQuestion
        } else {
            Names::Unknown
        }
    }
}

/// Every piece of evidence in an input.
pub(super) fn evidence(words: &Words, background: &Background<'_>) -> Vec<Signal> {
    let mut signals = Vec::with_capacity(8);
    let names: Vec<Option<Names>> =
        words.list.iter().map(|word| word.is_content().then(|| background.names(word.stem()))).collect();
    let names_at = |at: usize| names.get(at).copied().flatten();
    let is_thing = |at: usize| {
        // A verb is no thing: *who placed them* says nothing of who.
        !words.text(at).is_some_and(|text| text.ends_with("ed"))
            && names_at(at).is_some_and(|names| {
                !matches!(names, Names::PreviousColumn | Names::ColumnBeside | Names::OtherColumn)
            })
    };
    references(words, is_thing, &mut signals);
    wording(words, &mut signals);
    subjects(words, &names_at, &mut signals);
    overlap(words, background, &names, &mut signals);
    signals
}

/// What the wording alone shows.
fn wording(words: &Words, signals: &mut Vec<Signal>) {
    let mut add = |rule: Rule, evidence: &str| signals.push(Signal::new(rule, evidence));
    if let Some(word) = words.continues {
        add(Rule::GoesOn, word);
    }
    ellipses(words, &mut add);
    let first = words.text(0).unwrap_or_default();
    match words.class(0) {
        Some(Class::Order) => add(Rule::OrderVerb, first),
        Some(Class::Change) => add(Rule::ChangeVerb, first),
        Some(Class::Continuation) => add(Rule::GoesOn, first),
        Some(
            Class::Preposition
            | Class::Determiner
            | Class::Conjunction
            | Class::Superlative
            | Class::Comparative
            | Class::Number
            | Class::Negation
            | Class::Auxiliary,
        ) => add(Rule::Fragment, first),
        _ => {}
    }
    let inside = words
        .list
        .iter()
        .skip(1)
        .find(|word| word.class == Some(Class::Continuation) && &*word.text != "time");
    if let Some(word) = inside {
        add(Rule::GoesOnInside, &word.text);
    }
    let bare_each = words.list.iter().enumerate().find(|(at, word)| {
        &*word.text == "each"
            && words.list.get(at + 1).is_none_or(|next| {
                next.after_break || matches!(next.class, Some(Class::Auxiliary | Class::Conjunction))
            })
    });
    if bare_each.is_some() {
        add(Rule::BareEach, "each");
    }
    if words.list.len() >= LONG {
        add(Rule::Long, &words.list.len().to_string());
    }
}

/// Beginnings that leave out what only the conversation tells.
fn ellipses(words: &Words, add: &mut impl FnMut(Rule, &str)) {
    const ELLIPSES: &[&str] = &[
        "what about",
        "how about",
        "same for",
        "same thing",
        "the same",
        "what if",
        "what else",
        "who else",
        "anything else",
        "as for",
        "do the same",
        "why",
        "by",
        "per",
    ];
    if let Some(phrase) = ELLIPSES.iter().find(|phrase| words.has_at(0, phrase)) {
        add(Rule::Ellipsis, phrase);
    }
    // `how many per year?`: of what, only the conversation tells. `how many of the customers` tells itself.
    if words.has_at(0, "how many")
        && words.class(2) == Some(Class::Preposition)
        && words.text(2) != Some("of")
    {
        add(Rule::Ellipsis, "how many");
    }
    // `and the number of products`: beside what, only the conversation tells.
    if words.continues == Some("and")
        && matches!(words.class(0), Some(Class::Determiner | Class::Preposition))
    {
        add(Rule::Ellipsis, "and");
    }
    // `top 3 by price`: of what, only the conversation tells.
    let is_rank = |text: &str| matches!(text, "top" | "bottom" | "first" | "last" | "best" | "worst");
    let start = usize::from(words.text(0) == Some("the"));
    if words.text(start).is_some_and(is_rank)
        && words.list.get(start + 1).is_some_and(is_number)
        && words.text(start + 2) == Some("by")
    {
        add(Rule::Ellipsis, "by");
    }
}

/// Longer than most follow-ups.
const LONG: usize = 12;

/// What the input speaks about.
fn subjects(words: &Words, names_at: &impl Fn(usize) -> Option<Names>, signals: &mut Vec<Signal>) {
    let refers_back = signals
        .iter()
        .any(|signal| matches!(signal.rule, Rule::Anaphora | Rule::Demonstrative | Rule::SetReference));
    let mut add = |rule: Rule, at: usize| {
        signals.push(Signal::new(rule, words.text(at).unwrap_or_default()));
    };
    let positions = || 0..words.list.len();
    let find = |wanted: Names| positions().find(|at| names_at(*at) == Some(wanted));
    let (previous, earlier, other) =
        (find(Names::PreviousTable), find(Names::EarlierTable), find(Names::OtherTable));
    if let Some(at) = previous {
        add(Rule::NamesPreviousTable, at);
    }
    if let Some(at) = earlier {
        add(Rule::NamesEarlierTable, at);
    }
    if let Some(at) = other {
        add(Rule::NamesOtherTable, at);
    }
    if let Some(at) = find(Names::OtherColumn) {
        add(Rule::NamesOtherColumn, at);
    }
    // `which were cancelled?`: what happened to them, but not what they are.
    let happened = |at: usize| {
        names_at(at) == Some(Names::Unknown) && words.text(at).is_some_and(|text| text.ends_with("ed"))
    };
    let only_happened = words.class(0) == Some(Class::Question)
        && words.class(1) == Some(Class::Auxiliary)
        && positions().all(|at| names_at(at).is_none() || happened(at));
    if only_happened || !positions().any(|at| names_at(at).is_some()) {
        add(Rule::NoSubject, 0);
    }
    let subject = positions().find(|at| is_subject(words, *at) && could_be_table(names_at(*at)));
    if let Some(at) = subject {
        add(Rule::NamedSubject, at);
    }
    let which = positions().skip(1).take(3).find(|at| {
        could_be_table(names_at(*at))
            && preceding(words, *at).is_some_and(|before| matches!(before, "which" | "what"))
    });
    if let Some(at) = which {
        add(Rule::WhichSubject, at);
    }
    let whole = positions().find(|at| {
        names_at(*at).is_some()
            && preceding(words, *at).is_some_and(|before| matches!(before, "all" | "each" | "every"))
    });
    // `each of those` speaks of all of what was shown.
    if let Some(at) = whole.filter(|_| !refers_back) {
        add(Rule::WholeSet, at);
    }
    let condition = positions().skip(1).find(|at| starts_condition(words, *at));
    match condition {
        Some(at) => add(Rule::HasCondition, at),
        None if previous.or(earlier).or(other).or(subject).is_some() => add(Rule::PlainListing, 0),
        None => {}
    }
}

fn could_be_table(names: Option<Names>) -> bool {
    names.is_some_and(|names| {
        !matches!(names, Names::PreviousColumn | Names::ColumnBeside | Names::OtherColumn)
    })
}

/// The word before a noun and its adjectives, article left out.
fn preceding(words: &Words, at: usize) -> Option<&str> {
    (0..at)
        .rev()
        .find(|before| {
            !matches!(words.class(*before), None | Some(Class::Determiner | Class::Modifier))
                || words.text(*before) == Some("of")
        })
        .and_then(|before| words.text(before))
}

fn is_number(word: &Word) -> bool {
    word.shape == Shape::Number || word.class == Some(Class::Number)
}

/// Whether the noun at a position is what is counted or listed: `how many orders`, `names of customers`, `all shops`.
fn is_subject(words: &Words, at: usize) -> bool {
    let chosen = |before: usize| {
        words.class(before) == Some(Class::Superlative) || words.list.get(before).is_some_and(is_number)
    };
    at.checked_sub(1).is_some_and(chosen)
        || preceding(words, at).is_some_and(|before| {
            matches!(
                before,
                "of" | "many"
                    | "all"
                    | "each"
                    | "every"
                    | "show"
                    | "list"
                    | "find"
                    | "get"
                    | "me"
                    | "give"
                    | "display"
                    | "return"
                    | "much"
            )
        })
}

fn starts_condition(words: &Words, at: usize) -> bool {
    let text = words.text(at).unwrap_or_default();
    match words.class(at) {
        Some(Class::Superlative | Class::Comparative | Class::Order | Class::Negation | Class::Number) => {
            true
        }
        Some(Class::Question) => !matches!(text, "how" | "many" | "what"),
        Some(Class::Demonstrative) => text == "that",
        Some(Class::Preposition) => matches!(
            text,
            "with"
                | "in"
                | "before"
                | "after"
                | "over"
                | "under"
                | "between"
                | "above"
                | "below"
                | "from"
                | "since"
                | "during"
        ),
        Some(Class::Auxiliary) => false,
        _ => words.list.get(at).is_some_and(|word| matches!(word.shape, Shape::Quoted | Shape::Number)),
    }
}

/// How the input compares with the last question and its query.
fn overlap(words: &Words, background: &Background<'_>, names: &[Option<Names>], signals: &mut Vec<Signal>) {
    let mut add = |rule: Rule, evidence: &str| signals.push(Signal::new(rule, evidence));
    let named: Vec<Names> = names.iter().copied().flatten().collect();
    let previous_column = names.iter().position(|names| *names == Some(Names::PreviousColumn));
    if let Some(text) = previous_column.and_then(|at| words.text(at)) {
        add(Rule::NamesPreviousColumn, text);
    }
    let value = words.list.iter().find(|word| {
        word.class.is_none() && word.text.len() > 1 && background.sql.values.contains(&word.text)
    });
    if let Some(word) = value {
        add(Rule::NamesPreviousValue, &word.text);
    }
    let unknown = named
        .iter()
        .filter(|names| {
            matches!(names, Names::Unknown | Names::OtherColumn | Names::OtherTable | Names::EarlierTable)
        })
        .count();
    if unknown > 0 && unknown * 2 >= named.len() {
        add(Rule::NewWords, &format!("{unknown} of {}", named.len()));
    }
    let said =
        |words: &Words, stem: &str| words.list.iter().any(|word| word.class.is_none() && word.stem() == stem);
    let tables = &background.sql.tables;
    if !tables.is_empty() && tables.iter().all(|table| said(words, table)) {
        add(Rule::RepeatsAllTables, &tables.join(" "));
    }
    let previous = &background.question;
    let missing = |one: &Words, other: &Words| {
        one.list.iter().filter(|word| word.class.is_none() && !said(other, word.stem())).count()
    };
    let count = |words: &Words| words.list.iter().filter(|word| word.class.is_none()).count();
    let (dropped, added) = (missing(previous, words), missing(words, previous));
    let shared = count(words) - added;
    if shared > 0 && dropped == 0 && words.list.len() > previous.list.len() {
        add(Rule::ExtendsPrevious, &how_many(shared));
    } else if shared > 0 && added == 0 && words.list.len() < previous.list.len() {
        add(Rule::DropsCondition, &how_many(shared));
    }
    let same_start = words.list.iter().zip(&previous.list).take_while(|(a, b)| a.text == b.text).count();
    if same_start >= 2 {
        add(Rule::SameShape, &how_many(same_start));
    }
}
