//! The conversation: its state, the changes that can happen to it, one turn's record, and its saved form.
//!
//! [`ConversationState`] is what `query_database` takes and returns. Nothing mutates it but
//! [`ConversationState::apply`], and every mutation is a [`Change`]: the list of changes of a turn *is* the turn, which
//! is what the journal keeps, what undo takes back and what the snapshots of the tests show.

mod apply;
mod change;
mod line;
mod proposal;
mod saved;
mod sent;
mod state;
mod table;
mod turn;
mod wanted;

pub use change::{Change, TriedReading};
pub use line::RefinementLine;
pub use proposal::{ProposedQuery, Written};
pub use saved::{LoadError, MAX_SAVED_BYTES};
pub use sent::SentCells;
pub use state::{
    Asked, ConversationState, EmptyResult, Failure, Readings, Route, RouterMode, Scratch, Status, Usage,
};
pub use turn::{ErrorKind, Judge, QueryResult, Turn, TurnError};
pub use wanted::Wanted;
