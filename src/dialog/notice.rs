//! What a session tells besides answers.

use std::fmt;

/// Something that happened to the conversation, which the person should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// What was said sounds like a change, and there is nothing to change.
    NothingToRefine,
    /// The conversation could not be used any further and began anew.
    Reset,
    /// The oldest turns were dropped.
    Trimmed {
        /// How many turns are kept.
        kept: usize,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingToRefine => f.write_str("Starting new query (no previous query to refine)"),
            Self::Reset => f.write_str("Conversation reset due to error"),
            Self::Trimmed { kept } => write!(f, "Conversation history trimmed to last {kept} turns"),
        }
    }
}
