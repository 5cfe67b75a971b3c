//! Which lessons bear on a question.

use std::sync::Arc;

use super::lessons::Lessons;
use super::model::{Contradiction, Lesson};
use super::names::{contains_phrase, key_words, words};
use super::similar::Rarity;
use super::teaching::Teaching;
use crate::plan::JoinCondition;
use crate::schema::Schema;

/// At most this many lessons are recalled for a question: more would only confuse whoever reads them.
const MOST: usize = 12;

/// At most so many of these are earlier questions with their SQL.
const EXAMPLES: usize = 3;

/// An earlier question must be so much like what is asked to be an example for it.
const LIKE: f64 = 0.15;

/// What is remembered for one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recall {
    /// The lessons that bear on it, the weightiest first.
    pub relevant: Vec<Recalled>,
    /// Lessons about the database that contradict its schema and are not used.
    pub ignored: Vec<Ignored>,
}

/// A lesson that bears on a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// Its weight, from 0 to 1: how well it fits, how far it is trusted, how it fared.
    pub weight: f64,
}

/// A lesson that contradicts the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Ignored {
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// What it says that is not so.
    pub because: Contradiction,
}

impl Lessons {
    /// The lessons that bear on a question about a database with this schema.
    pub fn recall(&self, question: &str, database: &str, schema: &Schema) -> Recall {
        let (in_force, ignored) = self.in_force(database, schema);
        let said = key_words(question);
        let rarity = Rarity::of(in_force.iter().filter_map(|lesson| Some(lesson.teaching.example()?.0)));
        let mut relevant: Vec<Recalled> = in_force
            .into_iter()
            .filter_map(|lesson| {
                let fit = match lesson.teaching.example() {
                    Some((question, sql)) => {
                        Some(rarity.likeness(&said, question, sql)).filter(|likeness| *likeness >= LIKE)
                    }
                    None => fit(&lesson.teaching, &said),
                }?;
                let weight = lesson.confidence * proven(&lesson) * (0.5 + 0.5 * fit);
                Some(Recalled { lesson, weight })
            })
            .collect();
        relevant.sort_by(|one, other| {
            other.weight.total_cmp(&one.weight).then_with(|| one.lesson.id.cmp(&other.lesson.id))
        });
        let mut examples = 0;
        relevant.retain(|recalled| {
            examples += usize::from(recalled.lesson.teaching.example().is_some());
            recalled.lesson.teaching.example().is_none() || examples <= EXAMPLES
        });
        relevant.truncate(MOST);
        Recall { relevant, ignored }
    }

    /// The lessons about an error message of the database, the most trusted first.
    pub fn for_error(&self, message: &str, database: &str, schema: &Schema) -> Vec<Arc<Lesson>> {
        let message = message.to_lowercase();
        let (in_force, _) = self.in_force(database, schema);
        let mut found: Vec<Arc<Lesson>> = in_force
            .into_iter()
            .filter(|lesson| match &lesson.teaching {
                Teaching::ErrorPattern { error, .. } => message.contains(&error.to_lowercase()),
                _ => false,
            })
            .collect();
        found.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        found
    }

    /// The table that is meant among several that fit a question, with the lesson that says so of all the others.
    ///
    /// It need not be called by its name: whoever asks for clients means the same table of customers. Nothing is settled
    /// where one of the others was never set against it, or where the question has a word that speaks for one of the
    /// others (`archived customers`).
    pub fn settle<'a>(
        &self,
        question: &str,
        candidates: &[&'a str],
        database: &str,
        schema: &Schema,
    ) -> Option<(&'a str, Arc<Lesson>)> {
        let said = key_words(question);
        let (in_force, _) = self.in_force(database, schema);
        in_force.into_iter().find_map(|lesson| {
            let Teaching::TableMapping { schema_name, actual_name, instead_of, .. } = &lesson.teaching else {
                return None;
            };
            let chosen = *candidates.iter().find(|candidate| candidate.eq_ignore_ascii_case(actual_name))?;
            let known = |table: &str| {
                table.eq_ignore_ascii_case(actual_name)
                    || table.eq_ignore_ascii_case(schema_name)
                    || instead_of.iter().any(|other| other.eq_ignore_ascii_case(table))
            };
            let all_known = candidates.iter().all(|candidate| known(candidate));
            let plain = all_known && !speaks_for_another(&said, schema_name, actual_name, instead_of);
            plain.then_some((chosen, lesson))
        })
    }

    /// How two tables are joined, where a lesson says so.
    pub fn join_between(
        &self,
        one: &str,
        other: &str,
        database: &str,
        schema: &Schema,
    ) -> Option<(JoinCondition, Arc<Lesson>)> {
        let (in_force, _) = self.in_force(database, schema);
        in_force.into_iter().find_map(|lesson| match &lesson.teaching {
            Teaching::QueryPattern { join: Some(join), .. } => {
                join.is_between(one, other).then(|| (join.clone(), Arc::clone(&lesson)))
            }
            _ => None,
        })
    }
}

/// How well a teaching fits what was said, from 0 to 1; `None` where it does not bear on it.
fn fit(teaching: &Teaching, said: &[String]) -> Option<f64> {
    match teaching {
        Teaching::TableMapping { schema_name, actual_name, instead_of, .. } => {
            let named = all_said(schema_name, said).or_else(|| all_said(actual_name, said))?;
            (!speaks_for_another(said, schema_name, actual_name, instead_of)).then_some(named)
        }
        Teaching::ColumnMapping { term, .. } => all_said(term, said),
        Teaching::Definition { name, .. } => all_said(name, said),
        Teaching::ErrorPattern { wrong, right, .. } => {
            let wrong = wrong.as_deref().and_then(|wrong| all_said(wrong, said));
            wrong.or_else(|| {
                right.as_ref().and_then(|right| all_said(&right.table, said)).map(|fit| fit * 0.5)
            })
        }
        Teaching::QueryPattern { join: Some(join), .. } => {
            let (left, right) = (all_said(&join.left.table, said), all_said(&join.right.table, said));
            left.zip(right).map(|(left, right)| (left + right).min(1.0))
        }
        // An example bears on what is like it, and what says what the schema is bears on nothing more than on anything else.
        Teaching::QueryPattern { join: None, .. } | Teaching::Reference { .. } | Teaching::Key { .. } => None,
    }
}

/// The part of what was said that is this name; `None` unless all its words were said.
fn all_said(name: &str, said: &[String]) -> Option<f64> {
    let name = key_words(name);
    let all = !name.is_empty() && name.iter().all(|word| said.contains(word));
    all.then(|| share(name.len(), said.len()))
}

/// Whether something was said that belongs to one of the other tables and neither to the one meant nor to the name.
fn speaks_for_another(said: &[String], schema_name: &str, actual_name: &str, others: &[String]) -> bool {
    let own: Vec<String> = words(schema_name).into_iter().chain(words(actual_name)).collect();
    // A whole name counts even where each of its words is the own table's too.
    let own_phrase = words(actual_name);
    others.iter().any(|other| {
        let other = words(other);
        other.iter().any(|word| !own.contains(word) && said.iter().any(|said| alike(said, word)))
            || (other.len() > 1 && !contains_phrase(&own_phrase, &other) && contains_phrase(said, &other))
    })
}

/// Whether two words are forms of one: `archive`, `archived`.
fn alike(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    one == other || (short.len() >= 4 && long.starts_with(short) && long.len() - short.len() <= 3)
}

/// How a lesson fared, with one success before its first use.
#[expect(clippy::cast_precision_loss, reason = "nobody uses a lesson 2^52 times")]
fn proven(lesson: &Lesson) -> f64 {
    let uses = lesson.usage_count as f64;
    (lesson.success_rate * uses + 1.0) / (uses + 1.0)
}

#[expect(clippy::cast_precision_loss, reason = "questions have few words")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
