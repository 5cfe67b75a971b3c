//! What an answer accounts for: whether all that was asked for is in its plan.
//!
//! Composer and follow-ups say what they made of the words; this looks at the plan itself. It compares the words of a
//! question with the plan that answers it, whoever made it, says which words with content have no part in it, and what
//! else speaks against it. An answer that leaves something out is not sure, whatever its probability.

mod cues;
mod doubt;
mod facts;
mod groups;
mod shape;
mod ties;
mod unread;
mod words;

pub use doubt::Doubt;
pub(in crate::rules) use ties::says_by_what;
pub(in crate::rules) use unread::Unread;

use super::compose::Draft;
use super::knowledge::Knowledge;
use super::link::{Chunk, Linked};
use super::rank::Features;
use super::text::Question;
use facts::Facts;
use sqlogue_sql::plan::{Confidence, QueryPlan};
use words::Words;

/// What speaks against a plan as an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account {
    /// The words with content that the plan does not account for, as they were said.
    pub left_out: Vec<String>,
    /// What else speaks against it.
    pub doubts: Vec<Doubt>,
}

impl Account {
    /// What speaks against the plan of a draft as an answer to the question that it was made for.
    pub(in crate::rules) fn of_question(linked: &Linked, draft: &Draft, knowledge: &Knowledge) -> Self {
        let chunks = linked.cuts.get(draft.cut).map_or(&[][..], |(chunks, _)| chunks);
        let facts = Facts::of(&draft.plan, knowledge);
        let question = &linked.question;
        let words = Words { question, chunks, facts: &facts, before: None, used: &draft.used, knowledge };
        let doubts = shape::doubts(&words, &draft.plan, &draft.meanings);
        Self { left_out: left_out(&words), doubts }
    }

    /// What speaks against a plan that was changed as an answer to the words that asked for the change.
    pub(in crate::rules) fn of_change(
        question: &Question,
        chunks: &[Chunk],
        before: &QueryPlan,
        plan: &QueryPlan,
        knowledge: &Knowledge,
    ) -> Self {
        let (before, facts) = (Facts::of(before, knowledge), Facts::of(plan, knowledge));
        let words = Words { question, chunks, facts: &facts, before: Some(&before), used: &[], knowledge };
        let doubts = shape::doubts(&words, plan, &[]);
        Self { left_out: left_out(&words), doubts }
    }

    /// True where nothing speaks against it.
    pub fn is_clear(&self) -> bool {
        self.left_out.is_empty() && self.doubts.is_empty()
    }

    /// The same as numbers for the ranking.
    pub(in crate::rules) fn features(&self) -> Features {
        let counts = [("left_out", self.left_out.len().min(3)), ("doubts", self.doubts.len().min(2))];
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        let doubts = self.doubts.iter().map(|doubt| (format!("doubt {}", doubt.name()), 1.0));
        counts.map(|(name, count)| (name.to_owned(), count as f32)).chain(doubts).collect()
    }

    /// True where something was taken of which no word says that it is meant, and not something else like it.
    pub fn is_tie(&self) -> bool {
        let is_tie = |doubt: &Doubt| {
            matches!(doubt, Doubt::AnyDate { .. } | Doubt::AnyRole { .. } | Doubt::AnyColumn { .. })
        };
        self.doubts.iter().any(is_tie)
    }

    /// The same as lines for people.
    pub fn lines(&self) -> Vec<String> {
        let left_out = (!self.left_out.is_empty()).then(|| format!("left out: {}", quoted(&self.left_out)));
        left_out.into_iter().chain(self.doubts.iter().map(ToString::to_string)).collect()
    }

    /// How sure an answer may be at most. A word that is left out, or a plan that does not do what the words ask for, makes it
    /// low. Where something had to be chosen, the choice is told, and the answer may be as sure as it is likely, but for `high`.
    pub fn most(&self) -> Confidence {
        match (self.left_out.is_empty(), self.doubts.is_empty()) {
            (true, true) => Confidence::High,
            (true, false) if self.doubts.iter().all(Doubt::is_choice) => Confidence::Medium,
            _ => Confidence::Low,
        }
    }

    /// How sure an answer is that would be so sure if nothing spoke against it.
    pub fn bound(&self, confidence: Confidence) -> Confidence {
        confidence.min(self.most())
    }
}

/// The words that are left out, as they were said.
fn left_out(words: &Words<'_>) -> Vec<String> {
    let said = |at: usize| {
        let chunk = words.chunk(at)?;
        Some(words.question.span_text(chunk.start, chunk.end).to_owned())
    };
    words.left_out().into_iter().filter_map(said).collect()
}

/// Words in backticks, for people.
pub(super) fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
