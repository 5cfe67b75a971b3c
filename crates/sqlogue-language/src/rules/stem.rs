//! Word forms: the key under which a word and its inflections meet.
//!
//! Two keys, of different strength. [`stem`] only undoes the plural and folds case and accents, so two words
//! with the same stem are the same word. [`root`] also strips verbal and derivational endings, so it joins
//! *enrolled* and *enrolment*, and now and then two words that have nothing to do with each other: a match on
//! it counts for less.
//!
//! The words of a schema and of the rules' own lists are compared thousands of times in one question, so each thread keeps the
//! keys that it made.

use std::cell::RefCell;
use std::collections::HashMap;
use std::thread::LocalKey;

/// Words with their keys.
type Known = RefCell<HashMap<String, String>>;

/// How many words are kept: those of a large schema. Then they are forgotten together.
const MOST_KNOWN: usize = 8192;

/// The length in bytes of the longest word that is kept: what is longer is no word that comes again.
const LONGEST_KNOWN: usize = 48;

thread_local! {
    static STEMS: Known = RefCell::default();
    static ROOTS: Known = RefCell::default();
}

/// The key of a word, made once.
fn kept(known: &'static LocalKey<Known>, word: &str, make: fn(&str) -> String) -> String {
    if word.len() > LONGEST_KNOWN {
        return make(word);
    }
    if let Some(key) = known.with_borrow(|known| known.get(word).cloned()) {
        return key;
    }
    let key = make(word);
    known.with_borrow_mut(|known| {
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(word.to_owned(), key.clone());
    });
    key
}

/// The word in lower case without accents, in the singular.
pub fn stem(word: &str) -> String {
    kept(&STEMS, word, |word| singular(&fold(word)))
}

/// Lower case, with the accents of Latin letters removed.
pub fn fold(word: &str) -> String {
    word.chars().flat_map(char::to_lowercase).map(unaccent).collect()
}

fn unaccent(letter: char) -> char {
    match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => 'e',
        'ì'..='ï' | 'ī' | 'ı' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'š' | 'ś' | 'ş' => 's',
        'ž' | 'ź' | 'ż' => 'z',
        'ł' => 'l',
        'ř' => 'r',
        'ť' => 't',
        'ď' => 'd',
        'ğ' => 'g',
        '’' => '\'',
        other => other,
    }
}

/// Plurals that no rule below gets right, and words that only look like plurals.
const IRREGULAR: &[(&str, &str)] = &[
    ("people", "person"),
    ("persons", "person"),
    ("men", "man"),
    ("women", "woman"),
    ("children", "child"),
    ("feet", "foot"),
    ("teeth", "tooth"),
    ("mice", "mouse"),
    ("indices", "index"),
    ("indexes", "index"),
    ("matrices", "matrix"),
    ("criteria", "criterion"),
    ("analyses", "analysis"),
    ("diagnoses", "diagnosis"),
    ("crises", "crisis"),
    ("theses", "thesis"),
    ("bases", "base"),
    ("wives", "wife"),
    ("knives", "knife"),
    ("halves", "half"),
    ("shelves", "shelf"),
    ("movies", "movie"),
    ("cookies", "cookie"),
    ("calories", "calorie"),
    ("series", "series"),
    ("species", "species"),
    ("news", "news"),
    ("media", "medium"),
    ("alumni", "alumnus"),
    ("curricula", "curriculum"),
    ("quizzes", "quiz"),
    ("buses", "bus"),
    ("gases", "gas"),
    ("aliases", "alias"),
    ("canvases", "canvas"),
    ("lenses", "lens"),
    ("staffs", "staff"),
    ("data", "data"),
    ("statistics", "statistics"),
    ("physics", "physics"),
    ("mathematics", "mathematics"),
    ("economics", "economics"),
    ("this", "this"),
    ("has", "has"),
    ("does", "does"),
    ("was", "was"),
    ("always", "always"),
    ("goes", "go"),
    ("heroes", "hero"),
    ("potatoes", "potato"),
    ("tomatoes", "tomato"),
    ("echoes", "echo"),
    ("yes", "yes"),
    ("gas", "gas"),
    ("bus", "bus"),
    ("lens", "lens"),
    ("canvas", "canvas"),
    ("alias", "alias"),
    ("atlas", "atlas"),
];

fn singular(word: &str) -> String {
    if let Some((_, one)) = IRREGULAR.iter().find(|(many, _)| *many == word) {
        return (*one).to_owned();
    }
    let Some(cut) = word.strip_suffix('s') else { return word.to_owned() };
    if cut.len() < 2
        || matches!(word, "gps" | "its" | "yes")
        || cut.ends_with(['s', 'u', 'i', '\''])
        || !cut.is_ascii()
    {
        return word.trim_end_matches("'s").to_owned();
    }
    if let Some(base) = cut.strip_suffix("ie") {
        // `ties`, `pies` and the like keep their `ie`.
        return if base.len() >= 2 { format!("{base}y") } else { cut.to_owned() };
    }
    if let Some(base) = cut.strip_suffix('e')
        && ["ss", "sh", "ch", "x", "us", "zz"].iter().any(|ending| base.ends_with(ending))
        && !base.ends_with("ous")
        && !matches!(base, "caus" | "ach" | "cach" | "paus" | "ax" | "us" | "abus" | "excus" | "fus" | "mus")
    {
        return base.to_owned();
    }
    cut.to_owned()
}

/// Forms of verbs that no ending tells, with the verb.
const IRREGULAR_VERBS: &[(&str, &str)] = &[
    ("ate", "eat"),
    ("eaten", "eat"),
    ("began", "begin"),
    ("begun", "begin"),
    ("broken", "break"),
    ("built", "build"),
    ("caught", "catch"),
    ("chosen", "choose"),
    ("drawn", "draw"),
    ("driven", "drive"),
    ("drove", "drive"),
    ("flew", "fly"),
    ("flown", "fly"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("held", "hold"),
    ("kept", "keep"),
    ("left", "leave"),
    ("lent", "lend"),
    ("lost", "lose"),
    ("shown", "show"),
    ("taught", "teach"),
    ("won", "win"),
    ("withdrawn", "withdraw"),
    ("withdrew", "withdraw"),
    ("written", "write"),
    ("wrote", "write"),
];

/// True for a verb with forms that no ending tells: *win*, which was *won*.
pub fn is_irregular(verb: &str) -> bool {
    IRREGULAR_VERBS.iter().any(|(_, known)| *known == verb)
}

/// True for a word for who does something, where another of the same root is only the deed: who *writes* or *developed* something
/// need be no writer and no developer.
pub fn is_doer(word: &str, deed: &str) -> bool {
    const ENDINGS: [&str; 5] = ["er", "or", "ist", "ant", "ee"];
    let deed = stem(deed);
    ENDINGS.iter().any(|ending| word.ends_with(ending) && !deed.ends_with(ending))
}

/// Pasts of verbs whose roots stay apart otherwise, because what was *sold* is not what is told of who *sells*.
const PASTS: &[(&str, &str)] = &[
    ("bought", "buy"),
    ("gave", "give"),
    ("given", "give"),
    ("made", "make"),
    ("sent", "send"),
    ("sold", "sell"),
];

/// True for a word for what is done, given its root, or for who does it: the *buyer* bought, and the *bidder* bids.
pub fn names_deed(word: &str, deed: &str) -> bool {
    let deed = PASTS.iter().find(|(past, _)| *past == deed).map_or(deed, |(_, verb)| verb);
    let who = ["er", "or"].iter().find_map(|ending| word.strip_suffix(ending));
    let does = |verb: &str| {
        let doubled = verb.len() > 2 && verb.bytes().last() == verb.bytes().rev().nth(1);
        let single = verb.get(..verb.len() - 1).filter(|_| doubled);
        root(verb) == deed || single.is_some_and(|verb| root(verb) == deed)
    };
    root(word) == deed || who.is_some_and(does)
}

/// The stem without verbal and derivational endings.
pub fn root(word: &str) -> String {
    kept(&ROOTS, word, without_ending)
}

fn without_ending(word: &str) -> String {
    let stem = stem(word);
    if let Some((_, verb)) = IRREGULAR_VERBS.iter().find(|(form, _)| *form == stem) {
        return root(verb);
    }
    if !stem.is_ascii() || stem.len() < 5 {
        return stem;
    }
    let mut root = stem.as_str();
    for ending in [
        "izations", "isation", "ization", "ations", "ation", "ments", "ment", "ances", "ance", "ancy",
        "ence", "ings", "ing", "ions", "ion", "ities", "ity", "ally", "ness", "able", "ible", "ative", "ive",
        "edly", "ed", "ers", "ees", "er", "or", "ee", "ist", "ian", "ish", "al", "ic", "ly", "y", "e", "s",
    ] {
        if let Some(cut) = root.strip_suffix(ending)
            && cut.len() >= 4.min(stem.len() - 1)
        {
            root = cut;
            break;
        }
    }
    let bytes = root.as_bytes();
    let doubled = bytes.len() > 4
        && bytes.last() == bytes.iter().rev().nth(1)
        && !matches!(bytes.last(), Some(b'a' | b'e' | b'i' | b'o' | b'u'));
    let root = if doubled { root.get(..root.len() - 1).unwrap_or(root) } else { root };
    root.strip_suffix('e').filter(|cut| cut.len() >= 4).unwrap_or(root).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_meet_their_singulars() {
        for (many, one) in [
            ("students", "student"),
            ("cities", "city"),
            ("classes", "class"),
            ("courses", "course"),
            ("addresses", "address"),
            ("statuses", "status"),
            ("boxes", "box"),
            ("people", "person"),
            ("matches", "match"),
            ("houses", "house"),
            ("Movies", "movie"),
            ("status", "status"),
            ("campuses", "campus"),
            ("prizes", "prize"),
        ] {
            assert_eq!(stem(many), stem(one), "{many}");
        }
        assert_ne!(stem("customer"), stem("custom"));
    }

    #[test]
    fn verbs_meet_their_nouns() {
        for (one, other) in [
            ("enrolled", "enrolment"),
            ("managed", "manager"),
            ("teaches", "teacher"),
            ("produced", "producer"),
        ] {
            assert_eq!(root(one), root(other), "{one} {other}");
        }
    }

    #[test]
    fn accents_fold() {
        assert_eq!(stem("Cafés"), "cafe");
    }
}
