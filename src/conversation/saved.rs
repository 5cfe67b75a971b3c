//! The saved form of a conversation: JSON with a version, checked when it is read.

use serde::Deserialize;
use thiserror::Error;

use super::ConversationState;
use crate::base::json;

/// A saved conversation larger than this is refused before it is parsed.
///
/// A conversation of ten turns stays below 100 KB; what is a hundred times larger is no conversation.
pub const MAX_SAVED_BYTES: usize = 10 * 1024 * 1024;

/// Why a saved conversation could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The text is longer than [`MAX_SAVED_BYTES`].
    #[error("the saved conversation is {bytes} bytes long, more than the {MAX_SAVED_BYTES} that are read")]
    TooLarge {
        /// The length of the text.
        bytes: usize,
    },
    /// The text is not JSON, or not that of a conversation.
    #[error("the saved conversation is damaged: {problem}")]
    Damaged {
        /// What is wrong, and where.
        problem: String,
    },
    /// The conversation was saved by a version of sqlogue that this one does not know.
    #[error(
        "the saved conversation has version {found}, and this sqlogue reads version {} (hint: use the sqlogue that \
         saved it, or start a new conversation)",
        ConversationState::VERSION
    )]
    UnknownVersion {
        /// The version it says it has.
        found: u64,
    },
}

impl LoadError {
    fn damaged(problem: impl std::fmt::Display) -> Self {
        let mut problem: String =
            problem.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect();
        if problem.is_empty() {
            problem.push_str("nothing is known about what is wrong");
        }
        Self::Damaged { problem }
    }
}

impl ConversationState {
    /// The saved form, as one line of JSON.
    ///
    /// # Errors
    /// None that a state can cause; serde's signature has one.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Reads a saved conversation and checks it.
    ///
    /// # Errors
    /// [`LoadError`] says what is wrong. Nothing in a saved conversation can make this panic.
    pub fn from_json(text: &str) -> Result<Self, LoadError> {
        if text.len() > MAX_SAVED_BYTES {
            return Err(LoadError::TooLarge { bytes: text.len() });
        }
        #[derive(Deserialize)]
        struct Versioned {
            version: Option<u64>,
        }
        let Versioned { version } = serde_json::from_str(text).map_err(LoadError::damaged)?;
        match version {
            Some(version) if version == u64::from(Self::VERSION) => {}
            Some(found) => return Err(LoadError::UnknownVersion { found }),
            None => return Err(LoadError::damaged("it has no `version`")),
        }
        let state: Self = json::read(text).map_err(LoadError::damaged)?;
        state.validate()?;
        Ok(state)
    }

    /// Checks what the types cannot say.
    pub(crate) fn validate(&self) -> Result<(), LoadError> {
        if self.session_id.is_empty()
            || self.session_id.len() > 200
            || self.session_id.contains(char::is_control)
        {
            return Err(LoadError::damaged("`session_id` must have 1 to 200 printable characters"));
        }
        let mut numbers = self.turns.iter().map(|turn| turn.number);
        if !numbers.clone().is_sorted_by(|one, next| one < next) {
            return Err(LoadError::damaged("`turns` are not in order of their numbers"));
        }
        if numbers.next_back().is_some_and(|last| last > self.turn_number) {
            return Err(LoadError::damaged("`turn_number` is smaller than the number of the last turn"));
        }
        for (field, result) in [("result", &self.result), ("current_result", &self.current_result)] {
            let Some(result) = result else { continue };
            if result.rows.iter().any(|row| row.len() != result.columns.len()) {
                return Err(LoadError::damaged(format_args!(
                    "`{field}` has a row that is not as long as `columns`"
                )));
            }
        }
        let awaited = self.status == super::Status::AwaitingCorrection;
        if awaited && self.pending.is_none()
            || self.pending.is_some() && self.status == super::Status::Completed
        {
            return Err(LoadError::damaged("`pending` and `status` contradict each other"));
        }
        Ok(())
    }
}
