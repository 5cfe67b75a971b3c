//! Fitting how the words of questions go with the clauses of plans.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::fit::{Adam, Labelled, Ordered, add, dot};
use sqlogue_language::rules::rank::{ALWAYS, WORD, Weights, Wording};

/// A word counts that so many questions have.
const QUESTIONS: usize = 12;
/// A word counts that is used of so many databases: the words of one of them say nothing of others.
const DATABASES: usize = 6;
/// A word and a clause are looked at together where so many candidates have both.
const CANDIDATES: usize = 20;
/// What is smaller is left out.
const LEAST: f32 = 0.08;
/// How fast weights shrink that nothing speaks for.
const DECAY: f32 = 0.0002;
const ROUNDS: usize = 40;
const BATCH: usize = 64;

/// A question as it is learnt from.
struct Lesson<'a> {
    words: Vec<&'a str>,
    /// Of each candidate its linear score, its clauses that not all have, and whether it is right.
    candidates: Vec<(f32, Vec<&'a str>, bool)>,
}

/// A candidate by numbers: its linear score, what counts how often, and whether it is right.
type Numbered = (f32, Vec<(usize, f32)>, bool);

/// Raises the share of probability that right candidates have among those that come into question, on top of their linear
/// scores.
pub(crate) fn fit_wording(weights: &Weights, questions: &[&Labelled]) -> Wording {
    let common = common_words(questions);
    let lessons: Vec<Lesson<'_>> =
        questions.iter().filter_map(|question| lesson(weights, question, &common)).collect();
    let pairs = pairs(&lessons);
    let numbered: Vec<Vec<Numbered>> = lessons.iter().map(|lesson| lesson.numbered(&pairs)).collect();
    let fitted = fit(&numbered, pairs.len());
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
    fn numbered(&self, pairs: &HashMap<(&'a str, &'a str), usize>) -> Vec<Numbered> {
        let said = || self.words.iter().map(|word| (*word, WORD)).chain([(ALWAYS, 1.0)]);
        let of = |clause: &'a str| {
            said().filter_map(move |(word, counts)| Some((*pairs.get(&(word, clause))?, counts)))
        };
        let numbered = |(linear, clauses, right): &(f32, Vec<&'a str>, bool)| {
            (*linear, clauses.iter().flat_map(|clause| of(clause)).collect(), *right)
        };
        self.candidates.iter().map(numbered).collect()
    }
}

fn fit(questions: &[Vec<Numbered>], size: usize) -> Vec<f32> {
    let mut adam = Adam::new(size);
    let mut gradient = vec![0.0; size];
    for round in 0..ROUNDS {
        for batch in questions.chunks(BATCH) {
            gradient.fill(0.0);
            for question in batch {
                follow(question, &adam.weights, &mut gradient, batch.len() as f32);
            }
            adam.update(&gradient, if round < ROUNDS / 2 { 0.02 } else { 0.005 }, DECAY);
        }
    }
    adam.weights
}

/// Adds the slope of the loss of one question.
fn follow(question: &[Numbered], weights: &[f32], gradient: &mut [f32], of: f32) {
    let scores: Vec<f32> = question.iter().map(|(linear, vector, _)| linear + dot(weights, vector)).collect();
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let powers: Vec<f32> = scores.iter().map(|score| (score - top).exp()).collect();
    let all: f32 = powers.iter().sum();
    let right: f32 =
        powers.iter().zip(question).filter(|(_, candidate)| candidate.2).map(|(power, _)| power).sum();
    for (power, (_, vector, is_right)) in powers.iter().zip(question) {
        let wanted = if *is_right { power / right.max(1e-12) } else { 0.0 };
        add(gradient, vector, (power / all - wanted) / of);
    }
}
