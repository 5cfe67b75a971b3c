//! What others know of a question, shown to the model.

use std::sync::Arc;

use super::data::{self, quoted};
use crate::lesson::Lesson;
use crate::reasoner::Ask;
use crate::reasoner::rules::{Options, Understanding, understand};
use crate::schema::Value;

/// Names that are shown for the same words.
const NAMES: usize = 3;

/// Readings whose cells are shown.
const READINGS: usize = 3;

/// Cells that are shown at most.
const VALUES: usize = 8;

/// Somebody who knows something of a question before a model is asked.
pub trait Hinter: Send + Sync {
    /// What is known. It must be quick: it is asked before every request.
    fn hints(&self, ask: &Ask<'_>) -> Hints;
}

/// What is known of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hints {
    /// Words of the question with what they may name, as `table` or `table.column`, the likeliest first.
    pub recognised: Vec<(String, Vec<String>)>,
    /// Words of the question with cells that they may mean: a column as `table.column`, and its cell as it is spelt.
    pub values: Vec<(String, String, String)>,
    /// What was learnt from earlier questions, a sentence each, the most important first.
    pub lessons: Vec<String>,
    /// Earlier questions that are like this one, each with SQL that a person found right, the likest first.
    pub confirmed: Vec<(String, String)>,
}

impl Hints {
    /// One line for each word that was recognised.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |(words, names): &(String, Vec<String>)| {
            let names: Vec<String> = names.iter().take(NAMES).map(|name| quoted(name, data::NAME)).collect();
            format!("{} may mean {}", quoted(words, data::VALUE), names.join(" or "))
        };
        let value = |(words, column, cell): &(String, String, String)| {
            let [words, cell] = [words, cell].map(|text| quoted(text, data::VALUE));
            format!("{words} may mean the value {cell} of {}", quoted(column, data::NAME))
        };
        let names = self.recognised.iter().filter(|(_, names)| !names.is_empty()).map(line);
        names.chain(self.values.iter().map(value)).collect()
    }
}

/// What the embedded rules recognise in a question.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleHints;

impl Hinter for RuleHints {
    fn hints(&self, ask: &Ask<'_>) -> Hints {
        let today = ask.now.to_zoned(jiff::tz::TimeZone::UTC).date();
        let understood =
            understand(ask.question, ask.knowledge.words(), &Options { today, ..Options::default() });
        let values = values(&understood);
        let recognised = understood.recognised.into_iter().map(|found| (found.words, found.names));
        let example = |lesson: &Arc<Lesson>| {
            lesson.teaching.example().map(|(question, sql)| (question.to_owned(), sql.to_owned()))
        };
        let confirmed = ask.lessons.iter().filter_map(example).collect();
        let others = ask.lessons.iter().filter(|lesson| lesson.teaching.example().is_none());
        let lessons = others.map(ToString::to_string).collect();
        Hints { recognised: recognised.collect(), values, lessons, confirmed }
    }
}

/// The cells that the likeliest readings compare with, each once.
fn values(understood: &Understanding) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for meaning in understood.candidates.iter().take(READINGS).flat_map(|one| &one.evidence.meanings) {
        let (Some(column), Some(Value::Text(cell))) = (&meaning.meaning.column, &meaning.meaning.value)
        else {
            continue;
        };
        let value = (meaning.words.clone(), format!("{}.{column}", meaning.meaning.table), cell.clone());
        if !found.contains(&value) && found.len() < VALUES {
            found.push(value);
        }
    }
    found
}
