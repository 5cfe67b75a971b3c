//! What a session tells besides answers.

use std::fmt;

/// Something that happened to the conversation, which the person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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
    /// The conversation cannot be written down, and goes on in memory only.
    NotKept {
        /// Why.
        problem: String,
    },
    /// A turn was begun earlier and never finished.
    Interrupted {
        /// What was said in it.
        input: String,
        /// The session, whose name finishes or drops it.
        session: String,
    },
    /// Another program, or another task of this one, is taking a turn just now.
    Running {
        /// What was said in it.
        input: String,
    },
    /// The question is about another database than the one before it.
    Switched {
        /// The database.
        database: String,
        /// The query about it that stands, where there is one.
        query: Option<String>,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingToRefine => f.write_str("Starting new query (no previous query to refine)"),
            Self::Reset => f.write_str("Conversation reset due to error"),
            Self::NotKept { problem } => {
                write!(f, "The conversation is not kept any more, and goes on in memory only: {problem}")
            }
            Self::Interrupted { input, session } => write!(
                f,
                "A turn was interrupted: \"{input}\" (`sqlogue sessions resume {session}` finishes it, \
                 `sqlogue sessions drop {session}` drops it)"
            ),
            Self::Running { input } => write!(
                f,
                "A turn of this conversation is running elsewhere: \"{input}\" (what is asked before it is done may \
                 come too late)"
            ),
            Self::Switched { database, query: Some(query) } => {
                write!(f, "About `{database}` now; a follow-up goes on from: {query}")
            }
            Self::Switched { database, query: None } => {
                write!(f, "About `{database}` now, of which nothing was asked yet")
            }
            Self::Trimmed { kept } => write!(f, "Conversation history trimmed to last {kept} turns"),
        }
    }
}
