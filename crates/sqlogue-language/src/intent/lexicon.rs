//! The closed classes of English words that questions about data are made of.
//!
//! A word that is in no class is a *content* word: it names something of the database, or a value. The lists hold
//! no word because of any particular database.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a word does in a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// `the`, `a`, `some`.
    Determiner,
    /// `all`, `each`, `many`.
    Quantifier,
    /// `and`, `or`, `than`.
    Conjunction,
    /// `of`, `from`, `between`.
    Preposition,
    /// `is`, `did`, `have`.
    Auxiliary,
    /// `what`, `which`, `how`.
    Question,
    /// `show`, `list`, `find`: verbs that ask for something to be returned.
    Opener,
    /// `they`, `its`, `him`: stand for what was said before.
    Pronoun,
    /// `this`, `those`.
    Demonstrative,
    /// `one`, `ones`.
    One,
    /// `same`, `rest`, `others`: need something to be the same as, or the rest of.
    Reference,
    /// `there`, `here`.
    There,
    /// `I`, `me`, `you`: the people in the conversation.
    Person,
    /// `sort`, `ascending`.
    Order,
    /// `limit`, `exclude`, `add`: verbs that change a query.
    Change,
    /// `most`, `oldest`.
    Superlative,
    /// `more`, `older`.
    Comparative,
    /// `name`, `number`, `average`: could be said of anything.
    Generic,
    /// `different`, `unique`.
    Modifier,
    /// `not`, `never`.
    Negation,
    /// `now`, `then`, `also`: go on from something.
    Continuation,
    /// `please`, `thanks`.
    Polite,
    /// `two`, `thousand`.
    Number,
}

const WORDS: &[(Class, &str)] = &[
    (Class::Determiner, "a an the any some"),
    (Class::Quantifier, "all every each both either many much few several whole entire"),
    (Class::Conjunction, "and or nor than as if plus versus vs so because whether while"),
    (
        Class::Preposition,
        "of in on at by for from to with within into under over between among amongst after before since during \
         until till about per through against across near via toward towards regarding according upon onto behind",
    ),
    (
        Class::Auxiliary,
        "is are was were be been being am do does did doing done has have had having can could may might must \
         shall should will would isn aren wasn weren don doesn didn hasn haven hadn won couldn wouldn t d \
         ll ve re m exist exists",
    ),
    (Class::Question, "what which who whom whose where when why how"),
    (
        Class::Opener,
        "show find get list give return display tell select print fetch retrieve report provide compute calculate \
         determine identify look see pull bring output present enumerate need want know search shows finds lists \
         gives",
    ),
    (Class::Pronoun, "it its itself they them their theirs themselves he him his she her hers em"),
    (Class::Demonstrative, "this that these those"),
    (Class::One, "one ones"),
    (
        Class::Reference,
        "same such former latter others other another rest previous above aforementioned remaining resulting",
    ),
    (Class::There, "there here"),
    (Class::Person, "i me my mine myself we us our ours you your yours"),
    (
        Class::Order,
        "sort sorted sorts sorting order ordered ordering arrange arranged rank ranked ranking reverse reversed \
         ascending descending asc desc alphabetical alphabetically alphabetic increasing decreasing increase \
         decrease numerically chronological chronologically",
    ),
    (
        Class::Change,
        "limit limited filter filtered restrict restricted narrow exclude excluded excluding include included \
         including omit drop remove removed add added change changed replace replaced switch keep skip ignore group \
         grouped break split combine combined join joined intersect except without append insert swap",
    ),
    (
        Class::Superlative,
        "most least highest lowest largest smallest biggest greatest oldest youngest longest shortest latest \
         earliest newest first last top bottom best worst maximum minimum max min cheapest fewest nearest heaviest \
         lightest fastest slowest tallest richest poorest",
    ),
    (
        Class::Comparative,
        "more less fewer greater larger smaller bigger higher lower older younger longer shorter later earlier \
         better worse newer cheaper heavier lighter taller faster slower equal exactly below",
    ),
    (
        Class::Generic,
        "name names named number numbers total totals average averages avg mean sum sums amount amounts value values \
         information info detail details data record records result results row rows column columns field fields \
         entry entries table tables id ids kind kinds percentage percent ratio count counts question query answer",
    ),
    (
        Class::Modifier,
        "different distinct unique duplicate duplicates duplicated corresponding respective respectively specific \
         certain particular following available existing overall time times",
    ),
    (Class::Negation, "not no never none n't neither cannot"),
    (
        Class::Continuation,
        "now then also too instead again next just only but further furthermore additionally besides already still \
         actually well along together",
    ),
    (
        Class::Polite,
        "please thanks thank ok okay great good nice cool perfect hi hello hey alright fine sorry oh um hmm yes yeah \
         yep sure right kindly awesome wonderful",
    ),
    (
        Class::Number,
        "zero two three four five six seven eight nine ten eleven twelve twenty hundred thousand million once twice",
    ),
];

static CLASSES: LazyLock<HashMap<&'static str, Class>> = LazyLock::new(|| {
    WORDS
        .iter()
        .flat_map(|(class, words)| words.split_ascii_whitespace().map(move |word| (word, *class)))
        .collect()
});

/// The class of a lower-case word; none for a content word.
pub(super) fn class_of(word: &str) -> Option<Class> {
    CLASSES.get(word).copied()
}

/// The words worth repairing when mistyped: those whose loss would change the intent.
const REPAIRABLE: &[&str] = &[
    "which", "what", "where", "when", "show", "list", "find", "give", "only", "also", "their", "them",
    "they", "those", "these", "there", "sort", "limit", "filter", "remove", "exclude", "instead", "actually",
    "change", "about", "many", "order", "please", "same", "wrong", "missing", "just",
];

/// The word meant by a mistyped one: two neighbouring letters swapped, one letter left out or typed twice.
///
/// A letter replaced by another is not repaired, since it mostly makes another word (`shop` is not `show`).
pub fn repaired(word: &str) -> Option<&'static str> {
    REPAIRABLE.iter().copied().find(|right| is_slip_of(word, right))
}

/// True where `typed` is `right` with two neighbouring letters swapped, one letter left out or typed twice; short words
/// are too near to others to tell.
pub fn is_slip_of(typed: &str, right: &str) -> bool {
    // Of three letters only a missing one inside is sure to be a slip: `wht`.
    let long_enough = typed.len() >= 4 || typed.len() == 3 && right.len() == 4;
    long_enough && typed.is_ascii() && is_slip(typed.as_bytes(), right.as_bytes())
}

fn is_slip(typed: &[u8], right: &[u8]) -> bool {
    let same = typed.iter().zip(right).take_while(|(a, b)| a == b).count();
    if same == 0 {
        return false;
    }
    let last_same = same.checked_sub(1).and_then(|at| right.get(at));
    match (typed.get(same..).unwrap_or_default(), right.get(same..).unwrap_or_default()) {
        // Swapped: `onyl`.
        ([a, b, typed @ ..], [c, d, right @ ..]) if a == d && b == c => typed == right,
        // Left out: `exlude`. At the end of the word the loss is an abbreviation or another word.
        (typed, [_, right @ ..]) if !right.is_empty() && typed == right => true,
        // Typed twice: `filtter`. Other additions are endings: `lists`, `showed`.
        ([extra, typed @ ..], right) if typed == right => last_same == Some(extra),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_in_two_classes() {
        let count: usize = WORDS.iter().map(|(_, words)| words.split_ascii_whitespace().count()).sum();
        assert_eq!(count, CLASSES.len());
    }

    #[test]
    fn slips_are_repaired_and_words_are_not() {
        assert_eq!(repaired("onyl"), Some("only"));
        assert_eq!(repaired("thier"), Some("their"));
        assert_eq!(repaired("exlude"), Some("exclude"));
        assert_eq!(repaired("filtter"), Some("filter"));
        assert_eq!(repaired("wihch"), Some("which"));
        assert_eq!(repaired("wht"), Some("what"));
        for word in ["for", "the", "shop", "ship", "sorts", "fine", "order", "fund", "gives", "stores"] {
            assert_eq!(repaired(word).filter(|right| *right != word), None, "{word}");
        }
    }
}
