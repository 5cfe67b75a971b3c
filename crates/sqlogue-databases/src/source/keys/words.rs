//! Names as words, as far as references need it: which word may be short for which, and which only say that something
//! is a key.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use sqlogue_sql::schema::{SharedNames, is_subsequence, pieces, table_words};

/// Words that say that something identifies rows, not which rows.
const KEY_WORDS: &[&str] = &[
    "id",
    "ids",
    "no",
    "nr",
    "num",
    "nbr",
    "number",
    "code",
    "cd",
    "key",
    "ref",
    "fk",
    "pk",
    "sk",
    "uuid",
    "guid",
    "identifier",
];

/// How such words end names that are written together.
const KEY_ENDS: &[&str] = &["id", "no", "nr", "num", "nbr", "code", "cd", "key"];

/// A name, read. What is asked of it many times is found out once.
#[derive(Debug, Clone)]
pub(super) struct Name {
    /// Letters and digits only, in lower case.
    pub(super) flat: String,
    /// The words, in the singular.
    pub(super) words: Vec<String>,
    /// True where the last word stands in the plural: what there are several of is counted and not referred to.
    pub(super) plural: bool,
    /// Which of the words do not only say that it is a key.
    core: Range<usize>,
    /// What all of its words say.
    pub(super) roles: Roles,
    /// What the words of its core say.
    pub(super) core_roles: Roles,
    says_key: bool,
}

impl Name {
    fn new(flat: String, words: Vec<String>, plural: bool) -> Self {
        let core = core(&words);
        let core_roles = roles_of(words.get(core.clone()).unwrap_or_default());
        let roles = roles_of(&words);
        let says_key = words.iter().any(|word| is_key_word(word));
        Self { flat, words, plural, core, roles, core_roles, says_key }
    }

    fn of_words(words: Vec<String>) -> Self {
        let flat = words.concat();
        let last = words.last().cloned();
        let words: Vec<String> = words.into_iter().map(|word| singular(&word)).collect();
        let plural = words.last() != last.as_ref();
        Self::new(flat, words, plural)
    }

    /// The words without those that only say that it is a key.
    pub(super) fn core(&self) -> &[String] {
        self.words.get(self.core.clone()).unwrap_or_default()
    }

    /// True where a word says that it is a key.
    pub(super) fn says_key(&self) -> bool {
        self.says_key
    }

    /// True where nothing but such words is left.
    pub(super) fn is_only_key(&self) -> bool {
        self.core().is_empty()
    }
}

/// Which words do not only say that something is a key.
fn core(words: &[String]) -> Range<usize> {
    // `owner_id_1` and `owner_id_2` are two roles of an owner.
    let says_nothing = |word: &String| is_key_word(word) || word.bytes().all(|byte| byte.is_ascii_digit());
    let end = words.iter().rposition(|word| !says_nothing(word)).map_or(0, |last| last + 1);
    let first = words.iter().take(end).position(|word| !matches!(word.as_str(), "id" | "fk"));
    first.unwrap_or(end)..end
}

/// The name of a table, without what says nothing of its rows.
pub(super) fn table_name(table: &str, shared: &SharedNames) -> Name {
    let mut words = table_words(table, shared);
    if words.len() > 1 && words.first().is_some_and(|first| matches!(first.as_str(), "ref" | "app" | "sys")) {
        words.remove(0);
    }
    let name = Name::of_words(words);
    // A table of codes is one of what the codes stand for.
    match name.core() {
        [] => name,
        core => Name::new(name.flat.clone(), core.to_vec(), name.plural),
    }
}

/// The ways to read a column's name: as it is, without the letters that most columns of its table begin with, and with a
/// word that says *key* cut off.
pub(super) fn readings(column: &str, prefix: &str) -> Vec<Name> {
    let words = pieces(column);
    let mut readings = vec![Name::of_words(words.clone())];
    let flat = words.concat();
    if let Some(rest) = flat.strip_prefix(prefix).filter(|rest| !prefix.is_empty() && !rest.is_empty()) {
        // The words behind the prefix, wherever their spelling says they end.
        let mut left = prefix.len();
        let mut kept: Vec<String> = Vec::new();
        for word in &words {
            let cut = left.min(word.len());
            left -= cut;
            kept.extend(word.get(cut..).filter(|rest| !rest.is_empty()).map(str::to_owned));
        }
        let reading = if kept.is_empty() { vec![rest.to_owned()] } else { kept };
        readings.push(Name::of_words(reading));
    }
    for at in 0..readings.len() {
        let cut = readings.get(at).and_then(|name| {
            let (last, before) = name.words.split_last()?;
            let end = KEY_ENDS.iter().find(|end| last.len() > end.len() && last.ends_with(*end))?;
            let mut words = before.to_vec();
            words.push(last.strip_suffix(end)?.to_owned());
            words.push((*end).to_owned());
            Some(Name::new(name.flat.clone(), words, false))
        });
        readings.extend(cut);
    }
    readings.extend(words_of_run(&words).map(Name::of_words));
    readings
}

/// A name that is written together, where both halves are known to be short for something: `orgdep`.
fn words_of_run(words: &[String]) -> Option<Vec<String>> {
    let [run] = words else { return None };
    let is_short = |half: &str| half.len() >= 3 && Known::get().long.contains_key(half);
    let mut halves = (3..=run.len().saturating_sub(3)).filter_map(|at| run.split_at_checked(at));
    let cut = halves.find(|(first, last)| is_short(first) && is_short(last))?;
    (!Known::get().long.contains_key(run.as_str())).then(|| vec![cut.0.to_owned(), cut.1.to_owned()])
}

/// How surely one word of a column's name stands for one of a table's, from 0 to 1.
pub(super) fn alike(word: &str, other: &str) -> f32 {
    if word == other {
        return 1.0;
    }
    let known = Known::get();
    let expands = |short: &str, long: &str| {
        known.long.get(short).is_some_and(|all| all.iter().any(|known| known == long))
    };
    if expands(word, other) || expands(other, word) {
        return 0.92;
    }
    let (short, long) = if word.len() <= other.len() { (word, other) } else { (other, word) };
    // Nobody leaves out the first letter.
    if !short.is_empty() && short.chars().next() != long.chars().next() {
        return known.same_meaning(word, other);
    }
    if long.starts_with(short) {
        return match short.len() {
            0 => 0.0,
            1 => 0.4,
            2 => 0.62,
            _ => 0.86,
        };
    }
    if short.len() >= 2 && skeleton(short) == skeleton(long) {
        return 0.78;
    }
    if short.len() >= 2 && is_subsequence(short, long) {
        return if short.len() == 2 { 0.5 } else { 0.6 };
    }
    known.same_meaning(word, other)
}

/// The first letter and the consonants behind it, each once where it is doubled.
fn skeleton(word: &str) -> String {
    let kept = word.chars().enumerate().filter(|(at, letter)| *at == 0 || !"aeiouy".contains(*letter));
    let mut letters: Vec<char> = kept.map(|(_, letter)| letter).collect();
    letters.dedup();
    letters.into_iter().collect()
}

/// What of a word leads to words that it may stand for, or that may stand for it; `widely` where a first letter in common
/// is enough.
pub(super) fn variants(word: &str, widely: bool) -> Vec<String> {
    let known = Known::get();
    let mut variants = vec![word.to_owned()];
    if let Some(same) = known.same.get(word) {
        variants.extend(same.iter().map(|same| (*same).to_owned()));
    }
    if let Some(long) = known.long.get(word) {
        variants.extend(long.iter().cloned());
    }
    let start = word.get(..if widely { 1 } else { 3 });
    variants.extend(start.map(|start| format!("{start}…")));
    variants
}

/// What words say of the part a row plays.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Roles {
    /// A role that a person has.
    pub(super) role: bool,
    /// A person, by what they do.
    pub(super) person: bool,
    /// A table of people.
    pub(super) people: bool,
    /// A role that only those have who work there.
    pub(super) work: bool,
    /// A table of those for whom others work.
    pub(super) public: bool,
    /// What a row is to another of its table.
    pub(super) itself: bool,
    /// A day.
    pub(super) day: bool,
    /// A table of days.
    pub(super) calendar: bool,
    /// How much, not which.
    pub(super) measure: bool,
    /// What rows of any table are called, or how to reach them.
    pub(super) label: bool,
}

/// The word that says what it is: the last, or that before *per* and *of*: a `price_per_bag` is a price.
fn head(words: &[String]) -> Option<&String> {
    let at = words.iter().position(|word| word == "per" || word == "of").filter(|at| *at > 0);
    words.get(at.unwrap_or(words.len()).checked_sub(1)?)
}

fn roles_of(words: &[String]) -> Roles {
    let says = |kind: &str| words.iter().any(|word| is_role(kind, word));
    let people =
        |word: &String| is_role("people", word) || alike(word, "employee").max(alike(word, "staff")) >= 0.75;
    Roles {
        role: says("person"),
        person: words.last().is_some_and(|word| names_person(word)),
        people: words.last().is_some_and(people),
        work: says("work"),
        public: words.last().is_some_and(|word| is_role("public", word)),
        itself: says("self"),
        day: says("day"),
        calendar: says("calendar"),
        measure: head(words).is_some_and(|word| is_role("measure", word)),
        label: matches!(words, [word] if is_role("label", word)),
    }
}

/// True for a word of `data/roles.tsv`, or for what is short for one: `drv` and `ldr` for *driver* and *leader*.
fn is_role(kind: &str, word: &str) -> bool {
    let known = Known::get();
    let Some(words) = known.roles.get(kind) else { return false };
    words.contains(word)
        || known.long.get(word).is_some_and(|all| all.iter().any(|long| words.contains(long.as_str())))
        || kind == "person" && word.len() == 3 && known.persons.contains(word)
}

/// True for a word that says what a person does or is: *gymnast*, *conductor*.
pub(super) fn names_person(word: &str) -> bool {
    // A playlist does nothing.
    let is_list = word.ends_with("list");
    word.len() > 4
        && !is_list
        && ["er", "or", "ist", "ant", "man", "ian"].iter().any(|end| word.ends_with(end))
}

/// True where the rows of a table so called are people, whatever they do.
pub(super) fn is_anyone(table: &Name) -> bool {
    let last = table.words.last();
    last.is_some_and(|word| matches!(word.as_str(), "person" | "people" | "individual" | "human"))
}

pub(super) fn is_key_word(word: &str) -> bool {
    KEY_WORDS.contains(&word)
}

fn singular(word: &str) -> String {
    // Short words are mostly abbreviations, which have no plural.
    if word.len() <= 3 { word.to_owned() } else { pluralizer::pluralize(word, 1, false) }
}

/// What the lexicon says of single words.
#[derive(Default)]
struct Known {
    /// What is short for what, in the singular.
    long: HashMap<&'static str, Vec<String>>,
    same: HashMap<&'static str, HashSet<&'static str>>,
    roles: HashMap<&'static str, HashSet<&'static str>>,
    /// The consonants of what a person is to something.
    persons: HashSet<String>,
}

impl Known {
    /// How surely two words with nothing in common stand for each other.
    fn same_meaning(&self, word: &str, other: &str) -> f32 {
        if self.same.get(word).is_some_and(|same| same.contains(other)) { 0.58 } else { 0.0 }
    }

    fn get() -> &'static Self {
        static KNOWN: OnceLock<Known> = OnceLock::new();
        KNOWN.get_or_init(|| {
            let mut known = Self::default();
            for line in include_str!("../../../../../data/lexicon.tsv").lines() {
                let mut fields = line.split('\t');
                match (fields.next(), fields.next(), fields.next()) {
                    (Some("abbr"), Some(short), Some(long)) => {
                        known.long.entry(short).or_default().push(singular(long))
                    }
                    (Some("same"), Some(words), _) => {
                        let words: Vec<&str> = words.split('|').collect();
                        for word in &words {
                            known.same.entry(word).or_default().extend(words.iter().copied());
                        }
                    }
                    _ => {}
                }
            }
            for line in
                include_str!("../../../../../data/roles.tsv").lines().filter(|line| !line.starts_with('#'))
            {
                if let Some((kind, words)) = line.split_once('\t') {
                    if kind == "person" {
                        known.persons = words.split('|').map(skeleton).collect();
                    }
                    known.roles.insert(kind, words.split('|').collect());
                }
            }
            known
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_without_what_says_nothing() {
        let core = |column: &str, prefix: &str| -> Vec<String> {
            readings(column, prefix).iter().map(|name| name.core().join(" ")).collect()
        };
        assert_eq!(core("home_team_id", ""), ["home team"]);
        assert_eq!(core("CustNo", ""), ["cust"]);
        assert_eq!(core("custno", ""), ["custno", "cust"]);
        assert_eq!(core("o_custkey", "o"), ["o custkey", "custkey", "o cust", "cust"]);
        assert_eq!(core("lbloanbookno", "lbloan"), ["lbloanbookno", "bookno", "lbloanbook", "book"]);
        assert_eq!(core("Owner_ID_1", ""), ["owner"]);
        let tables = ["acme_country_codes", "acme_orders", "acme_people"]
            .map(|name| sqlogue_sql::schema::Table { name: name.into(), ..Default::default() });
        let shared = SharedNames::of(&tables);
        assert_eq!(table_name("sales.acme_country_codes", &shared).words, ["country"]);
    }

    #[test]
    fn words_stand_for_words() {
        for (word, other, at_least) in [
            ("customer", "customer", 1.0),
            ("cust", "customer", 0.86),
            ("emp", "employee", 0.86),
            ("dept", "department", 0.86),
            ("clnt", "client", 0.7),
            ("wh", "warehouse", 0.5),
            ("client", "customer", 0.5),
            ("c", "customer", 0.4),
        ] {
            assert!(alike(word, other) >= at_least, "{word} {other} {}", alike(word, other));
        }
        assert_eq!(alike("tag", "team"), 0.0);
    }
}
