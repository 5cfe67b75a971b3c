//! Conversations that outlive the process: nothing is lost, and everything can be undone, branched and shared.
//!
//! A [`Store`] keeps sessions and their turns. Turns form a tree: each is its parent plus its changes, written down
//! step by step while it runs, in the same place and the same form in which the graph engine resumes it. A session is a
//! name and two pointers into the tree, so undo, redo and branch move a pointer and copy nothing:
//!
//! ```text
//! session "a"   1 ── 2 ── 3 ── 4      head: 3 (after an undo), tip: 4 (what redo goes to)
//!                     └── 5           head of session "b", a branch of "a" at turn 2
//! ```
//!
//! [`Sessions`] is what the rest of the program uses; a [`Store`] is the small seam below it, with [`MemoryStore`],
//! [`SqliteStore`] and, for several servers that share sessions, `PostgresStore` behind it.
//!
//! # What is stored, and what is not
//! Questions, SQL, plans, the tables that a plan speaks of, errors, and what a person settled. Literals in SQL are values
//! of the database. Rows of results and the sample values of columns are *not* stored unless
//! [`Keep::Rows`] asks for them: a stored turn says how many rows there were, and asking again gives them again. A
//! deleted session is overwritten in the file, not merely unlinked; a branch of it keeps the turns that it shares.
//!
//! # What is promised
//! A turn that was reported as finished survives the death of the process, and with [`Safety::PowerCut`] that of the
//! machine. A turn is finished once, or not at all. Of two processes that take a turn in one session, the one that is
//! later gets [`StoreError::Conflict`], and nothing of the two is mixed.

mod digest;
mod error;
mod export;
mod journal;
mod lease;
mod listing;
mod markdown;
mod memory;
mod model;
#[cfg(feature = "postgres")]
mod postgres;
mod rebuild;
mod retention;
mod row;
mod sessions;
mod sqlite;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

pub use error::StoreError;
pub use export::{EXPORT_VERSION, ImportAs};
pub use markdown::Added;
pub use memory::MemoryStore;
pub use model::{Keep, NewSession, Position, SessionFilter, StoredSession, TurnInfo};
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
pub use retention::{Pruned, Retention};
pub use sessions::{OpenedSession, Sessions};
pub use sqlite::{Safety, SqliteOptions, SqliteStore};

use crate::graph::RunId;
use crate::graph::journal::{Entry, RunRecord, Summary};

/// The future of a store's method.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps sessions and turns.
///
/// Each method is one transaction: it does all that it says, or nothing. Every implementation passes the same
/// conformance suite.
pub trait Store: Send + Sync {
    /// What of results is kept.
    fn keep(&self) -> Keep;

    /// Makes a session, empty or at a turn that there is already.
    ///
    /// # Errors
    /// [`StoreError::SessionExists`], [`StoreError::BadId`], [`StoreError::UnknownTurn`].
    fn create(&self, session: NewSession) -> StoreFuture<'_, StoredSession>;

    /// The session of that id, exactly as it is written; `None` when there is none.
    fn session<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<StoredSession>>;

    /// The sessions that fit the filter, the latest used first.
    fn sessions(&self, filter: SessionFilter) -> StoreFuture<'_, Vec<StoredSession>>;

    /// Moves a session's pointers, if its head still is `from`.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the head is elsewhere, [`StoreError::UnknownSession`], [`StoreError::UnknownTurn`],
    /// [`StoreError::ReadOnlySession`].
    fn move_head<'a>(&'a self, id: &'a str, from: Option<RunId>, to: Position) -> StoreFuture<'a, ()>;

    /// Makes a session one that can be read and branched only.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`].
    fn protect<'a>(&'a self, id: &'a str) -> StoreFuture<'a, ()>;

    /// Deletes a session and the turns that no other session needs. False when there was none.
    fn delete<'a>(&'a self, id: &'a str) -> StoreFuture<'a, bool>;

    /// Writes an entry of a turn's journal. A header begins the turn, and the session where it is its first; the mark
    /// `Finished` moves the session's pointers to it. Where the session has moved on meanwhile, the turn is marked as
    /// abandoned instead: it has nowhere to go.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the session's head is not the turn's parent, [`StoreError::TurnConflict`] when
    /// somebody else has written of this turn what the writer does not know, [`StoreError::ReadOnlySession`].
    fn write<'a>(&'a self, session: &'a str, entry: Entry) -> StoreFuture<'a, ()>;

    /// Says that this process walks a turn, and will be alive for as long as [`lease`](Self::lease) says.
    ///
    /// # Errors
    /// [`StoreError::Running`] when another living process walks it, [`StoreError::Finished`], [`StoreError::Abandoned`],
    /// [`StoreError::UnknownTurn`].
    fn hold(&self, run: RunId) -> StoreFuture<'_, ()>;

    /// For how long a process that says no more is taken for alive.
    fn lease(&self) -> Duration;

    /// All turns of a session's tree, also those undone and those not finished, parents before children. One that cannot be
    /// read says so of itself, and the others are there.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`].
    fn turns<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Vec<TurnInfo>>;

    /// The turns that were begun in a session and are not over, in the order in which they began; also those that are being
    /// walked.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`].
    fn unfinished<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Vec<TurnInfo>>;

    /// One turn, of whatever session.
    fn turn(&self, run: RunId) -> StoreFuture<'_, Option<TurnInfo>>;

    /// Everything written of a turn.
    fn record(&self, run: RunId) -> StoreFuture<'_, Option<RunRecord>>;

    /// A turn without its steps, as the graph engine asks for it.
    fn summary(&self, run: RunId) -> StoreFuture<'_, Option<Summary>>;

    /// Takes back the steps of an unfinished turn after its first `steps`.
    ///
    /// # Errors
    /// [`StoreError::Finished`], [`StoreError::Running`], [`StoreError::UnknownTurn`].
    fn rewind(&self, run: RunId, steps: u32) -> StoreFuture<'_, ()>;

    /// Drops a turn that was never finished. False when there was none.
    ///
    /// # Errors
    /// [`StoreError::Finished`], [`StoreError::Running`].
    fn drop_turn(&self, run: RunId) -> StoreFuture<'_, bool>;

    /// Gives an unfinished turn up, also one that a living process walks: that process can write no more of it, and hears so
    /// when it holds the turn or writes. False when there was none.
    ///
    /// # Errors
    /// [`StoreError::Finished`].
    fn give_up<'a>(&'a self, run: RunId, reason: &'a str) -> StoreFuture<'a, bool>;

    /// How many bytes are in use.
    fn size(&self) -> StoreFuture<'_, u64>;

    /// Gives space that is not in use back.
    fn vacuum(&self) -> StoreFuture<'_, ()>;
}
