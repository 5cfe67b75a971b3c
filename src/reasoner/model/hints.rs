//! What others know of a question, shown to the model.

use std::sync::Arc;

use super::data::{self, quoted};
use crate::conversation::{RouterMode, SentCells};
use crate::lesson::Lesson;
use crate::reasoner::rules::{Options, RankedReadings, understand};
use crate::reasoner::{Ask, RouterOutput, RuleReasoner};
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

    /// Where a follow-up may go, a line each, the likeliest first: the names of the decisions and what comes of them.
    fn routes(&self, _ask: &Ask<'_>) -> Vec<String> {
        Vec::new()
    }
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
    /// One line for each word that was recognised, with the cell in it.
    pub(super) fn lines(&self) -> Vec<(String, Vec<SentCells>)> {
        let line = |(words, names): &(String, Vec<String>)| {
            let names: Vec<String> = names.iter().take(NAMES).map(|name| quoted(name, data::NAME)).collect();
            (format!("{} may mean {}", quoted(words, data::VALUE), names.join(" or ")), Vec::new())
        };
        let value = |(words, column, cell): &(String, String, String)| {
            let sent = SentCells::one(column.clone(), data::cut(cell, data::VALUE));
            let [words, cell] = [words, cell].map(|text| quoted(text, data::VALUE));
            let line = format!("{words} may mean the value {cell} of {}", quoted(column, data::NAME));
            (line, vec![sent])
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

    fn routes(&self, ask: &Ask<'_>) -> Vec<String> {
        route(RuleReasoner::default().routed(*ask)).into_iter().collect()
    }
}

/// Where a follow-up goes, in the words in which a model is asked for it.
fn route(output: RouterOutput) -> Option<String> {
    let line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(match output {
        RouterOutput::Inline { query, .. } => format!("revise_query_inline: {}", line(query)),
        RouterOutput::Plan { mode: RouterMode::Update, instructions, .. } => {
            format!("update_plan: {}", line(instructions))
        }
        RouterOutput::Plan { mode: RouterMode::Rewrite, instructions, .. } => {
            format!("rewrite_plan: {}", line(instructions))
        }
        RouterOutput::New => "new_query".to_owned(),
        RouterOutput::Failed(_) => return None,
    })
}

/// The cells that the likeliest readings compare with, each once.
fn values(understood: &RankedReadings) -> Vec<(String, String, String)> {
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
