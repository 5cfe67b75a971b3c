//! What others know of a question, shown to the model.

use super::data::{self, quoted};
use crate::reasoner::Ask;
use crate::reasoner::rules::{Options, understand};

/// Names that are shown for the same words.
const NAMES: usize = 3;

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
    /// What was learnt from earlier questions, a sentence each, the most important first.
    pub lessons: Vec<String>,
}

impl Hints {
    /// One line for each word that was recognised.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |(words, names): &(String, Vec<String>)| {
            let names: Vec<String> = names.iter().take(NAMES).map(|name| quoted(name, data::NAME)).collect();
            format!("{} may mean {}", quoted(words, data::VALUE), names.join(" or "))
        };
        self.recognised.iter().filter(|(_, names)| !names.is_empty()).map(line).collect()
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
        let recognised = understood.recognised.into_iter().map(|found| (found.words, found.names));
        let lessons = ask.lessons.iter().map(ToString::to_string);
        Hints { recognised: recognised.collect(), lessons: lessons.collect() }
    }
}
