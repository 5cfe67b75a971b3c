//! What the classifier may know of the conversation so far.

use std::sync::Arc;

use super::Vocabulary;

/// The conversation as the classifier sees it.
#[derive(Debug, Clone, Default)]
pub struct DialogContext {
    /// The past turns, oldest first.
    pub turns: Vec<PastTurn>,
    /// The question that the system asked and that is still open, if any.
    pub pending: Option<PendingQuestion>,
    /// The words of the schema, where it is known. Shared, so that a context is cheap to make for every turn.
    pub vocabulary: Option<Arc<Vocabulary>>,
}

/// One past turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastTurn {
    /// What the person said.
    pub input: String,
    /// The query it led to, if it led to one.
    pub sql: Option<String>,
    /// Whether that query was answered.
    pub succeeded: bool,
}

/// A question that the system asked: which of these did you mean?
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PendingQuestion {
    /// The choices as they were shown, in that order.
    pub options: Vec<String>,
}

impl DialogContext {
    /// A context of past turns, oldest first, with nothing pending and no schema.
    pub fn new(turns: impl IntoIterator<Item = PastTurn>) -> Self {
        Self { turns: turns.into_iter().collect(), ..Self::default() }
    }

    /// The same with the words of a schema.
    #[must_use]
    pub fn with_vocabulary(mut self, vocabulary: Arc<Vocabulary>) -> Self {
        self.vocabulary = Some(vocabulary);
        self
    }

    /// The same with an open question.
    #[must_use]
    pub fn with_pending(mut self, options: impl IntoIterator<Item = String>) -> Self {
        self.pending = Some(PendingQuestion { options: options.into_iter().collect() });
        self
    }

    /// The last turn whose query was answered: what a refinement would refine.
    pub(super) fn last_answered(&self) -> Option<(&PastTurn, &str)> {
        self.turns
            .iter()
            .rev()
            .filter(|turn| turn.succeeded)
            .find_map(|turn| Some((turn, turn.sql.as_deref()?)))
    }
}

impl PastTurn {
    /// A turn whose query was answered.
    pub fn answered(input: impl Into<String>, sql: impl Into<String>) -> Self {
        Self { input: input.into(), sql: Some(sql.into()), succeeded: true }
    }

    /// A turn without an answer.
    pub fn failed(input: impl Into<String>) -> Self {
        Self { input: input.into(), sql: None, succeeded: false }
    }
}
