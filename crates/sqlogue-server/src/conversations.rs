//! The conversations of one server: those in use are held open, all are in the store.
//!
//! The store leads. Before anything is done with a conversation that is held open, it is compared with where the store has
//! it, because another server may share the store and have gone on with it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sqlogue::dialog::{Session, Waiting};
use sqlogue::graph::RunId;
use sqlogue::graph::journal::Mark;
use sqlogue::store::{SessionFilter, Sessions, StoredSession, TurnInfo};
use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;

use crate::databases::Databases;
use crate::owner::Owner;
use crate::problem::Problem;
use crate::wire::{Approval, Conversation};

/// So many conversations are held open; what is used longest ago is opened again when it is needed.
const HELD: usize = 512;

/// All conversations.
pub(crate) struct Conversations {
    pub(crate) databases: Databases,
    pub(crate) sessions: Sessions,
    held: Mutex<HashMap<String, Arc<Slot>>>,
    uses: AtomicU64,
}

/// The place of one conversation, by its stored id.
#[derive(Default)]
struct Slot {
    /// Locked while somebody changes the conversation.
    open: Arc<tokio::sync::Mutex<Option<Open>>>,
    now: Mutex<Now>,
    used: AtomicU64,
}

/// What is known of a conversation while it is locked.
#[derive(Default, Clone)]
struct Now {
    running: Option<(RunId, CancellationToken)>,
    waiting: Option<Approval>,
}

/// A conversation that is held open.
pub(crate) struct Open {
    pub(crate) session: Session,
    /// The turn that waits for an approval.
    pub(crate) waiting: Option<(RunId, Waiting)>,
}

/// The right to change a conversation, for as long as it lives.
pub(crate) struct Held {
    guard: OwnedMutexGuard<Option<Open>>,
    slot: Arc<Slot>,
}

impl Held {
    /// The conversation. It is there: only [`Conversations::hold`] makes one of these, and opens it.
    pub(crate) fn open(&mut self) -> Result<&mut Open, Problem> {
        self.guard.as_mut().ok_or_else(|| Problem::internal("a conversation that is held is not open"))
    }

    /// Forgets what is held open, because the store has moved on; it is opened again when it is needed.
    pub(crate) fn forget(&mut self) {
        *self.guard = None;
    }

    /// Says that a turn runs, and how it can be cancelled.
    pub(crate) fn begin(&self, run: RunId, cancellation: CancellationToken) {
        lock(&self.slot.now).running = Some((run, cancellation));
    }

    /// Says that no turn runs any more, and which one waits.
    pub(crate) fn end(&self, waiting: Option<Approval>) {
        *lock(&self.slot.now) = Now { running: None, waiting };
    }
}

/// Whatever became of a turn, it runs no more.
impl Drop for Held {
    fn drop(&mut self) {
        lock(&self.slot.now).running = None;
    }
}

impl Conversations {
    pub(crate) fn new(databases: Databases, sessions: Sessions) -> Self {
        Self { databases, sessions, held: Mutex::default(), uses: AtomicU64::new(0) }
    }

    /// The right to change a conversation, opened as the store has it.
    ///
    /// # Errors
    /// There is no such conversation; somebody changes it just now.
    pub(crate) async fn hold(&self, owner: &Owner, id: &str) -> Result<Held, Problem> {
        let stored_id = owner.stored(id).ok_or_else(|| Problem::no_conversation(id))?;
        let stored = self.stored(&stored_id, id).await?;
        let slot = self.slot(&stored_id);
        let Ok(guard) = Arc::clone(&slot.open).try_lock_owned() else {
            return Err(Problem::conflict(
                "another turn of this conversation is running (hint: wait for it, or cancel it)",
            ));
        };
        let mut held = Held { guard, slot };
        let stands = held.guard.as_ref().is_some_and(|open| head(&open.session) == stored.position.head);
        if !stands {
            held.end(None);
            *held.guard = Some(Open { session: self.opened(&stored_id).await?, waiting: None });
        }
        Ok(held)
    }

    async fn opened(&self, id: &str) -> Result<Session, Problem> {
        let database = self.sessions.open(id).await?.state.database;
        let engine = self.databases.engine(Some(&database)).ok_or_else(|| {
            Problem::conflict(format!(
                "the conversation is about the database `{database}`, which is not open here"
            ))
        })?;
        let session = Session::open(engine.clone(), id).await?;
        let mut session = session.led_by_store().with_databases(self.databases.clone());
        // Turns that stand still are told by the list of turns, to whoever asks for it.
        drop(session.take_notices());
        Ok(session)
    }

    /// A conversation as the store has it.
    ///
    /// # Errors
    /// There is none; the store cannot be read.
    async fn stored(&self, stored_id: &str, id: &str) -> Result<StoredSession, Problem> {
        let stored = self.sessions.store().session(stored_id).await?;
        stored.ok_or_else(|| Problem::no_conversation(id))
    }

    /// How a conversation stands, also while a turn of it runs.
    ///
    /// # Errors
    /// There is no such conversation.
    pub(crate) async fn look(&self, owner: &Owner, id: &str) -> Result<Conversation, Problem> {
        let stored_id = owner.stored(id).ok_or_else(|| Problem::no_conversation(id))?;
        let stored = self.stored(&stored_id, id).await?;
        let mut conversation = Conversation::of(&stored, id);
        let slot = lock(&self.held).get(&stored_id).cloned();
        if let Some(slot) = slot {
            let Now { running, waiting } = lock(&slot.now).clone();
            conversation.running = running.map(|(run, _)| run.to_string());
            conversation.waiting = waiting;
        }
        if conversation.waiting.is_none() && conversation.running.is_none() {
            let unfinished = self.sessions.store().unfinished(&stored_id).await?;
            let elsewhere = unfinished.iter().find(|turn| turn.running);
            conversation.running = elsewhere.map(|turn| turn.run.to_string());
            conversation.waiting = self.waits_in_store(&stored, unfinished).await?;
        }
        Ok(conversation)
    }

    /// A turn that was left waiting by a server that is gone, or by another one.
    async fn waits_in_store(
        &self,
        stored: &StoredSession,
        unfinished: Vec<TurnInfo>,
    ) -> Result<Option<Approval>, Problem> {
        let waits = |mark: &Mark| matches!(mark, Mark::Interrupted { .. });
        let turn =
            unfinished.into_iter().find(|turn| turn.parent == stored.position.head && waits(&turn.mark));
        let Some(turn) = turn else { return Ok(None) };
        let state = self.sessions.state_at(&stored.id, turn.run, None).await?;
        let sql = state.query.unwrap_or_default();
        Ok(Some(Approval { turn: turn.run.to_string(), status: "awaiting_approval", sql, cost: None }))
    }

    /// Cancels the turn of a conversation that runs here; its id, or none where none does.
    pub(crate) fn cancel(&self, owner: &Owner, id: &str) -> Option<RunId> {
        let slot = lock(&self.held).get(&owner.stored(id)?).cloned()?;
        let (run, cancellation) = lock(&slot.now).running.clone()?;
        cancellation.cancel();
        Some(run)
    }

    /// An owner's conversations, the latest used first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) async fn list(
        &self,
        owner: &Owner,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<Conversation>, Problem> {
        let filter =
            SessionFilter { id_begins: owner.begins(), skip, limit: Some(limit), ..SessionFilter::default() };
        let found = self.sessions.list(filter).await?;
        Ok(found
            .iter()
            .filter_map(|stored| Some(Conversation::of(stored, owner.shown(&stored.id)?)))
            .collect())
    }

    /// Deletes a conversation.
    ///
    /// # Errors
    /// There is none; somebody changes it just now.
    pub(crate) async fn delete(&self, owner: &Owner, id: &str) -> Result<(), Problem> {
        let stored_id = owner.stored(id).ok_or_else(|| Problem::no_conversation(id))?;
        // A conversation whose database is gone can be deleted all the same, so it is not opened here.
        self.stored(&stored_id, id).await?;
        let slot = self.slot(&stored_id);
        let Ok(mut guard) = Arc::clone(&slot.open).try_lock_owned() else {
            return Err(Problem::conflict("a turn of this conversation is running (hint: cancel it first)"));
        };
        *guard = None;
        self.sessions.delete(&stored_id).await?;
        lock(&self.held).remove(&stored_id);
        Ok(())
    }

    fn slot(&self, stored_id: &str) -> Arc<Slot> {
        let used = self.uses.fetch_add(1, Ordering::Relaxed);
        let mut held = lock(&self.held);
        let slot = match held.get(stored_id) {
            Some(slot) => Arc::clone(slot),
            None => {
                make_room(&mut held);
                let slot = Arc::<Slot>::default();
                held.insert(stored_id.to_owned(), Arc::clone(&slot));
                slot
            }
        };
        slot.used.store(used, Ordering::Relaxed);
        slot
    }
}

/// Lets go of the conversation that was used longest ago and that nobody uses now.
fn make_room(held: &mut HashMap<String, Arc<Slot>>) {
    if held.len() < HELD {
        return;
    }
    // One that waits for an approval is in the store too, and is found there.
    let idle =
        held.iter().filter(|(_, slot)| Arc::strong_count(slot) == 1 && Arc::strong_count(&slot.open) == 1);
    let oldest = idle.min_by_key(|(_, slot)| slot.used.load(Ordering::Relaxed)).map(|(id, _)| id.clone());
    if let Some(id) = oldest {
        held.remove(&id);
    }
}

/// The turn that left a session as it is.
pub(crate) fn head(session: &Session) -> Option<RunId> {
    session.state().turns.last()?.id.parse().ok()
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use sqlogue::engine::Engine;
    use sqlogue::store::{Keep, MemoryStore};

    use super::*;

    /// Whoever is not talked to any more is let go, and whoever is talked to stays.
    #[test]
    fn so_many_are_held_and_no_more() {
        let databases = Databases::new(Engine::builder().build().unwrap(), Vec::new(), Vec::new());
        let sessions = Sessions::new(Arc::new(MemoryStore::new(Keep::Shape)));
        let conversations = Conversations::new(databases, sessions);
        let busy = conversations.slot("busy");
        for number in 0..HELD * 2 {
            conversations.slot(&format!("c{number}"));
        }
        let held = lock(&conversations.held);
        assert_eq!(held.len(), HELD);
        assert!(held.contains_key("busy") && held.contains_key(&format!("c{}", HELD * 2 - 1)));
        assert!(!held.contains_key("c0"));
        drop(busy);
    }
}
