//! Fitting how the words of questions go with the clauses of plans.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::fit::{Labelled, Ordered};
use super::likelihood::{Schedule, Vector};
use sqlogue_language::rules::rank::{ALWAYS, WORD, Weights, Wording};

/// A word counts that so many questions have.
const QUESTIONS: usize = 12;
/// A word counts that is used of so many databases: the words of one of them say nothing of others.
const DATABASES: usize = 6;
/// A word and a clause are looked at together where so many candidates have both.
const CANDIDATES: usize = 20;
/// What is smaller is left out.
const LEAST: f32 = 0.08;
/// How the weights are fitted.
const SCHEDULE: Schedule = Schedule { quick: 20, rounds: 40, decay: 0.0002 };

/// A question as it is learnt from.
struct Lesson<'a> {
    words: Vec<&'a str>,
    /// Of each candidate its linear score, its clauses that not all have, and whether it is right.
    candidates: Vec<(f32, Vec<&'a str>, bool)>,
}

/// Raises the share of probability that right candidates have among those that come into question, on top of their linear
/// scores.
pub(crate) fn fit_wording(weights: &Weights, questions: &[&Labelled]) -> Wording {
    let common = common_words(questions);
    let lessons: Vec<Lesson<'_>> =
        questions.iter().filter_map(|question| lesson(weights, question, &common)).collect();
    let pairs = pairs(&lessons);
    let numbered: Vec<Vec<Vector>> = lessons.iter().map(|lesson| lesson.numbered(&pairs)).collect();
    let of: Vec<&[Vector]> = numbered.iter().map(Vec::as_slice).collect();
    let fitted = SCHEDULE.fit(&of, pairs.len());
    let mut wording: BTreeMap<String, BTreeMap<String, f32>> = BTreeMap::new();
    for ((word, clause), at) in pairs {
        let weight = fitted.get(at).copied().unwrap_or_default();
        if weight.abs() >= LEAST {
            let rounded = (weight * 100.0).round() / 100.0;
            wording.entry(word.to_owned()).or_default().insert(clause.to_owned(), rounded);
        }
    }
    Wording(wording)
}

/// The words that questions about many databases have.
fn common_words<'a>(questions: &[&'a Labelled]) -> BTreeSet<&'a str> {
    let mut uses: BTreeMap<&str, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for question in questions {
        for word in &question.words {
            let (count, databases) = uses.entry(word).or_default();
            *count += 1;
            databases.insert(&question.database);
        }
    }
    uses.retain(|_, (count, databases)| *count >= QUESTIONS && databases.len() >= DATABASES);
    uses.into_keys().collect()
}

/// What a question teaches; nothing where no candidate is right, or all are.
fn lesson<'a>(weights: &Weights, question: &'a Labelled, common: &BTreeSet<&str>) -> Option<Lesson<'a>> {
    let ordered = Ordered::by_score(weights, question);
    let right = |wanted: bool| ordered.candidates.iter().any(|one| one.right == wanted);
    if !right(true) || !right(false) {
        return None;
    }
    let everywhere =
        |clause: &&str| ordered.candidates.iter().all(|one| one.clauses.iter().any(|other| other == clause));
    let candidates = ordered.candidates.iter().zip(&ordered.standings).map(|(candidate, standing)| {
        let clauses = candidate.clauses.iter().map(String::as_str).filter(|clause| !everywhere(clause));
        (standing.linear, clauses.collect(), candidate.right)
    });
    let words = question.words.iter().map(String::as_str).filter(|word| common.contains(word)).collect();
    Some(Lesson { words, candidates: candidates.collect() })
}

/// The words and clauses that are looked at together, by number.
fn pairs<'a>(lessons: &[Lesson<'a>]) -> HashMap<(&'a str, &'a str), usize> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for lesson in lessons {
        for clause in lesson.candidates.iter().flat_map(|(_, clauses, _)| clauses) {
            for word in lesson.words.iter().chain([&ALWAYS]) {
                *counts.entry((word, clause)).or_default() += 1;
            }
        }
    }
    counts.retain(|_, count| *count >= CANDIDATES);
    counts.into_keys().enumerate().map(|(at, pair)| (pair, at)).collect()
}

impl<'a> Lesson<'a> {
    fn numbered(&self, pairs: &HashMap<(&'a str, &'a str), usize>) -> Vec<Vector> {
        let said = || self.words.iter().map(|word| (*word, WORD)).chain([(ALWAYS, 1.0)]);
        let of = |clause: &'a str| {
            said().filter_map(move |(word, counts)| Some((*pairs.get(&(word, clause))?, counts)))
        };
        let numbered = |(linear, clauses, right): &(f32, Vec<&'a str>, bool)| {
            let values = clauses.iter().flat_map(|clause| of(clause)).collect();
            Vector { base: *linear, values, right: *right }
        };
        self.candidates.iter().map(numbered).collect()
    }
}
