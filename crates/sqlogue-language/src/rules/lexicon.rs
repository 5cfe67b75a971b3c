//! The words the reasoner knows: abbreviations, synonyms, coded values, cue phrases, adjectives.
//!
//! They live in `data/*.tsv`, are compiled in, and are parsed once. Nothing here depends on a database.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::cue::Cue;
use super::short::skeleton;
use super::stem::{fold, stem};
use sqlogue_sql::plan::Direction;

/// Everything from the data files, indexed for look-up.
#[derive(Debug, Default)]
pub struct Lexicon {
    abbreviations: HashMap<String, Vec<Vec<String>>>,
    /// Words for a deed, and those by which a date tells when it was done.
    deeds: Vec<(Vec<String>, Vec<String>)>,
    similar: HashMap<String, Vec<(String, f32)>>,
    codes: HashMap<String, Vec<String>>,
    cues: HashMap<String, Vec<Phrase>>,
    adjectives: Vec<Adjective>,
    words: HashSet<String>,
    /// Words of schemas by their consonants.
    spelt: HashMap<String, Vec<String>>,
    soft: HashSet<String>,
    soft_in_follow_ups: HashSet<String>,
    generic: HashSet<String>,
    one_of_many: HashSet<String>,
    rows: HashSet<String>,
    units: HashSet<String>,
    states: HashSet<String>,
    verbs: HashSet<String>,
}

/// A cue phrase, in lower-case words.
#[derive(Debug)]
struct Phrase {
    words: Vec<String>,
    cue: Cue,
}

/// Adjectives that name the two ends of one scale.
const OPPOSITE: [(&str, &str); 20] = [
    ("old", "young"),
    ("old", "new"),
    ("old", "late"),
    ("early", "late"),
    ("early", "new"),
    ("long", "short"),
    ("thick", "thin"),
    ("tall", "short"),
    ("high", "low"),
    ("heavy", "light"),
    ("large", "small"),
    ("big", "small"),
    ("expensive", "cheap"),
    ("fast", "slow"),
    ("rich", "poor"),
    ("hot", "cold"),
    ("good", "bad"),
    ("near", "far"),
    ("paid", "poorly paid"),
    ("old", "recent"),
];

/// An adjective with the columns it speaks of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Adjective {
    /// The plain form (*old*).
    pub base: String,
    /// True for a verb, which asks for what it speaks of: *what does she earn*.
    pub is_verb: bool,
    /// Names of columns that grow with it (*age*), as stems, best first.
    pub grows: Vec<Vec<String>>,
    /// Names of columns that shrink with it (*date of birth*), as stems, best first.
    pub shrinks: Vec<Vec<String>>,
}

impl Adjective {
    /// True where it may speak of when something was: *oldest*, *latest*. The *longest* trip is not the one that began last.
    pub fn speaks_of_dates(&self) -> bool {
        let is_date = |name: &Vec<String>| name.iter().any(|word| word == "date" || word == "birth");
        self.grows.iter().chain(&self.shrinks).any(is_date)
    }
}

/// How much a synonym counts against the word itself.
const SAME: f32 = 0.86;
/// How much a word of related meaning counts against the word itself.
const NEAR: f32 = 0.72;

impl Lexicon {
    /// The lexicon that is compiled in.
    pub fn embedded() -> &'static Self {
        static LEXICON: OnceLock<Lexicon> = OnceLock::new();
        LEXICON.get_or_init(|| {
            let mut lexicon = Lexicon::default();
            lexicon.read_words(include_str!("../../../../data/lexicon.tsv"));
            lexicon.read_adjectives(include_str!("../../../../data/adjectives.tsv"));
            lexicon.read_cues(include_str!("../../../../data/cues.tsv"));
            lexicon.read_content(include_str!("../../../../data/content.tsv"));
            lexicon.words.extend(include_str!("../../../../data/words.txt").split_whitespace().map(stem));
            let words: Vec<String> = lexicon.words.iter().cloned().collect();
            lexicon.spell(words.into_iter());
            lexicon
        })
    }

    /// The long forms of a short word in a name, as words.
    pub fn expansions(&self, short: &str) -> &[Vec<String>] {
        self.abbreviations.get(short).map_or(&[], Vec::as_slice)
    }

    /// Stems that a stem in a question may stand for, with how much such a match counts.
    pub fn similar(&self, stem: &str) -> &[(String, f32)] {
        self.similar.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Words in the names of dates that tell when a deed was done, by a word for it in a question: `purchased` for *bought*.
    pub fn deeds(&self, said: &str) -> Vec<&str> {
        let says = |(words, _): &&(Vec<String>, Vec<String>)| words.iter().any(|word| word == said);
        let named = self.deeds.iter().filter(says).flat_map(|(_, named)| named);
        named.map(String::as_str).filter(|named| *named != said).collect()
    }

    /// How a folded word or phrase may be stored in a cell.
    pub fn codes(&self, phrase: &str) -> &[String] {
        self.codes.get(phrase).map_or(&[], Vec::as_slice)
    }

    /// True for a word that people use, as against a run of abbreviations.
    pub fn is_word(&self, stem: &str) -> bool {
        self.words.contains(stem)
    }

    /// The words of schemas that have these consonants.
    pub(super) fn words_spelt(&self, skeleton: &str) -> impl Iterator<Item = &String> {
        self.spelt.get(skeleton).into_iter().flatten()
    }

    /// True for a word, in lower case, that says nothing of what is asked for.
    pub fn is_soft(&self, word: &str) -> bool {
        self.soft.contains(word)
    }

    /// The same in what is said after an answer.
    pub fn is_soft_in_follow_up(&self, word: &str) -> bool {
        self.soft_in_follow_ups.contains(word)
    }

    /// True for a word, in lower case, for the kind of thing that columns hold.
    pub fn is_generic(&self, word: &str) -> bool {
        self.generic.contains(&stem(word))
    }

    /// True for a word for one of the rows of a table.
    pub fn is_one_of_many(&self, word: &str) -> bool {
        self.one_of_many.contains(&stem(word))
    }

    /// True for a word for the rows of a file, whatever they are: *records*, *everything*.
    pub fn is_rows(&self, word: &str) -> bool {
        self.rows.contains(&stem(word))
    }

    /// True for a unit that numbers are counted in.
    pub fn is_unit(&self, word: &str) -> bool {
        self.units.contains(&stem(word))
    }

    /// True for a word for how things stand now, as *still*.
    pub fn is_of_state(&self, word: &str) -> bool {
        self.states.contains(word)
    }

    /// True for a form of a verb that brings two things together and says nothing of their state.
    pub fn is_verb(&self, word: &str) -> bool {
        let base = |ending: &str| word.strip_suffix(ending);
        let is_known = |base: &str| self.verbs.contains(base);
        // *planned* doubles its last letter, *hiring* drops one.
        let doubled = |base: &str| {
            let mut letters = base.chars().rev();
            let last = letters.next();
            last.is_some()
                && last == letters.next()
                && base.strip_suffix(|letter| Some(letter) == last).is_some_and(is_known)
        };
        ["", "s", "es", "d", "ed", "ing"]
            .iter()
            .filter_map(|ending| base(ending))
            .any(|base| is_known(base) || doubled(base) || self.verbs.contains(&format!("{base}e")))
    }

    /// The forms of adjectives that are one word: *cheaper*, *cheapest*.
    pub fn degrees(&self) -> impl Iterator<Item = &String> {
        let is_degree =
            |phrase: &&Phrase| matches!(phrase.cue, Cue::Comparative(_) | Cue::Superlative(_, Some(_)));
        self.cues.values().flatten().filter(is_degree).filter_map(|phrase| match phrase.words.as_slice() {
            [word] => Some(word),
            _ => None,
        })
    }

    /// An adjective by its number in a cue.
    pub fn adjective(&self, index: usize) -> Option<&Adjective> {
        self.adjectives.get(index)
    }

    /// The number of the adjective with that plain form.
    pub fn adjective_named(&self, base: &str) -> Option<usize> {
        self.adjectives.iter().position(|adjective| adjective.base.split('|').any(|form| form == base))
    }

    /// True for two adjectives, by their numbers, that name the two ends of one scale: *cheap* and *expensive*.
    pub fn are_opposite(&self, one: usize, other: usize) -> bool {
        let is = |index: usize, base: &str| self.adjective_named(base) == Some(index);
        OPPOSITE.iter().any(|(low, high)| is(one, low) && is(other, high) || is(one, high) && is(other, low))
    }

    /// The cue phrases that start at a token: how many tokens each covers, and what it says. `word` gives the
    /// lower-case word at a distance from that token.
    pub fn cues_at<'a>(&self, word: impl Fn(usize) -> &'a str) -> Vec<(usize, Cue)> {
        let Some(phrases) = self.cues.get(word(0)) else { return Vec::new() };
        phrases
            .iter()
            .filter(|phrase| phrase.words.iter().enumerate().all(|(at, wanted)| word(at) == wanted))
            .map(|phrase| (phrase.words.len(), phrase.cue))
            .collect()
    }

    /// Adds words that names may be short for by their consonants.
    fn spell(&mut self, words: impl Iterator<Item = String>) {
        for word in words {
            let same = self.spelt.entry(skeleton(&word)).or_default();
            if !same.contains(&word) {
                same.push(word);
            }
        }
    }

    fn read_words(&mut self, text: &str) {
        for line in lines(text) {
            let mut fields = line.split('\t');
            let (kind, first, second) =
                (fields.next().unwrap_or(""), fields.next().unwrap_or(""), fields.next().unwrap_or(""));
            match kind {
                "abbr" => {
                    let long: Vec<String> = second.split(' ').map(str::to_owned).collect();
                    self.words.extend(long.iter().map(|word| stem(word)));
                    self.abbreviations.entry(first.to_owned()).or_default().push(long);
                }
                "spelt" => self.spell(first.split('|').map(stem)),
                "same" => {
                    let group: Vec<String> = first.split('|').map(stem).collect();
                    for one in &group {
                        for other in group.iter().filter(|other| *other != one) {
                            self.relate(one, other, SAME);
                        }
                    }
                }
                "near" => {
                    for word in second.split('|') {
                        self.relate(&stem(first), &stem(word), NEAR);
                    }
                }
                "deed" => {
                    let words = |field: &str| field.split('|').map(str::to_owned).collect();
                    let named = if second.is_empty() { first } else { second };
                    self.deeds.push((words(first), words(named)));
                }
                "code" => {
                    for phrase in first.split('|') {
                        let codes = self.codes.entry(fold(phrase)).or_default();
                        codes.extend(second.split('|').map(str::to_owned));
                    }
                }
                _ => {}
            }
        }
        let related: Vec<String> = self.similar.keys().cloned().collect();
        self.words.extend(related);
    }

    fn relate(&mut self, from: &str, to: &str, weight: f32) {
        self.words.insert(to.to_owned());
        let related = self.similar.entry(from.to_owned()).or_default();
        if from != to && !related.iter().any(|(known, _)| known == to) {
            related.push((to.to_owned(), weight));
        }
    }

    fn read_adjectives(&mut self, text: &str) {
        for line in lines(text) {
            let fields: Vec<&str> = line.split('\t').collect();
            let field = |at: usize| fields.get(at).copied().unwrap_or("");
            let index = self.adjectives.len();
            let names = |list: &str| -> Vec<Vec<String>> {
                list.split('|')
                    .map(|name| name.split_whitespace().map(stem).collect())
                    .filter(|n: &Vec<String>| !n.is_empty())
                    .collect()
            };
            self.adjectives.push(Adjective {
                base: field(0).to_owned(),
                is_verb: field(1).trim().is_empty() && field(2).trim().is_empty(),
                grows: names(field(3)),
                shrinks: names(field(4)),
            });
            for form in field(1).split('|').map(str::trim).filter(|form| !form.is_empty()) {
                self.add_cue(form, Cue::Comparative(index));
                self.add_cue(&format!("{form} than"), Cue::Comparative(index));
            }
            for form in field(2).split('|').map(str::trim).filter(|form| !form.is_empty()) {
                self.add_cue(form, Cue::Superlative(Direction::Descending, Some(index)));
                self.add_cue(&format!("the {form}"), Cue::Superlative(Direction::Descending, Some(index)));
            }
        }
    }

    fn read_cues(&mut self, text: &str) {
        for line in lines(text) {
            let Some((kind, phrases)) = line.split_once('\t') else { continue };
            let Some(cue) = Cue::named(kind) else { continue };
            for phrase in phrases.split('|').filter(|phrase| !phrase.trim().is_empty()) {
                self.add_cue(phrase.trim(), cue);
            }
        }
        for phrases in self.cues.values_mut() {
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.words.len()));
        }
    }

    fn read_content(&mut self, text: &str) {
        for line in lines(text) {
            let Some((kind, words)) = line.split_once('\t') else { continue };
            let words = words.split('|');
            match kind {
                "soft" => self.soft.extend(words.map(str::to_owned)),
                "follow_up" => self.soft_in_follow_ups.extend(words.map(str::to_owned)),
                "generic" => self.generic.extend(words.map(stem)),
                "unit" => self.units.extend(words.map(stem)),
                "state" => self.states.extend(words.map(str::to_owned)),
                "rows" => self.rows.extend(words.map(stem)),
                "one_of_many" => self.one_of_many.extend(words.map(stem)),
                "verb" => self.verbs.extend(words.map(str::to_owned)),
                _ => {}
            }
        }
    }

    fn add_cue(&mut self, phrase: &str, cue: Cue) {
        // The tokenizer takes `n't` apart, and so must the phrases.
        let phrase = phrase.replace("n't", " not");
        let words: Vec<String> = phrase.split_whitespace().map(fold).collect();
        if let Some(first) = words.first().cloned() {
            self.words.extend(words.iter().map(|word| stem(word)));
            let known = self.cues.entry(first).or_default();
            if !known.iter().any(|other| other.words == words && other.cue == cue) {
                known.push(Phrase { words, cue });
            }
        }
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_files_are_well_formed() {
        for (file, kinds) in [
            (include_str!("../../../../data/cues.tsv"), None),
            (
                include_str!("../../../../data/lexicon.tsv"),
                Some(["abbr", "spelt", "same", "near", "deed", "code"].as_slice()),
            ),
        ] {
            for line in lines(file) {
                let kind = line.split('\t').next().unwrap();
                let known = kinds.map_or_else(|| Cue::named(kind).is_some(), |kinds| kinds.contains(&kind));
                assert!(known, "unknown kind in: {line}");
                assert!(
                    line.split('\t').nth(1).is_some_and(|field| !field.is_empty()),
                    "no words in: {line}"
                );
            }
        }
    }

    #[test]
    fn longer_cues_come_first() {
        let words = ["more", "than", "x"];
        let found = Lexicon::embedded().cues_at(|at| words.get(at).copied().unwrap_or(""));
        assert_eq!(found.first().map(|(length, _)| *length), Some(2));
    }
}
