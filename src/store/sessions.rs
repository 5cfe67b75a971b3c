//! Everything that can be done with stored conversations.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::digest::lacks_rows;
use super::journal::SessionJournal;
use super::{NewSession, Position, SessionFilter, Store, StoreError, StoredSession, TurnInfo, rebuild};
use crate::conversation::{ConversationState, QueryResult, Turn};
use crate::graph::journal::{Mark, RunRecord};
use crate::graph::{Journal, RunId};

/// Stored conversations. Cheap to clone.
#[derive(Clone)]
pub struct Sessions {
    pub(super) store: Arc<dyn Store>,
}

/// A session that was opened.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenedSession {
    /// The session.
    pub session: StoredSession,
    /// The state at its head: what the next turn is given.
    pub state: ConversationState,
    /// Turns that were begun at the head and stand still: their processes died, or they wait.
    pub interrupted: Vec<TurnInfo>,
    /// Turns that were begun at the head and are being walked just now, here or by another process.
    pub running: Vec<TurnInfo>,
}

impl Sessions {
    /// The conversations of a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The journal for turns of a session: given to the engine for one turn or many.
    ///
    /// A turn whose parent is the session's head can begin, and can end as long as the head is there still; its end moves
    /// the head. The first turn of an unknown session makes it.
    pub fn journal(&self, session: impl Into<String>) -> Arc<dyn Journal> {
        Arc::new(SessionJournal { store: Arc::clone(&self.store), session: session.into() })
    }

    /// The sessions that fit the filter, the latest used first.
    ///
    /// # Errors
    /// What the store says.
    pub async fn list(&self, filter: SessionFilter) -> Result<Vec<StoredSession>, StoreError> {
        self.store.sessions(filter).await
    }

    /// A session, its state and what of it was interrupted.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`]; [`StoreError::Damaged`] where the state makes no sense.
    pub async fn open(&self, id: &str) -> Result<OpenedSession, StoreError> {
        let session = self.session(id).await?;
        let state = self.state(&session, session.position.head).await?;
        let mut unfinished = self.store.unfinished(id).await?;
        unfinished.retain(|turn| turn.parent == session.position.head);
        let (running, interrupted) = unfinished.into_iter().partition(|turn| turn.running);
        Ok(OpenedSession { session, state, interrupted, running })
    }

    pub(super) async fn session(&self, id: &str) -> Result<StoredSession, StoreError> {
        self.store.session(id).await?.ok_or_else(|| StoreError::UnknownSession { id: id.to_owned() })
    }

    /// The state of a session at a turn.
    async fn state(
        &self,
        session: &StoredSession,
        head: Option<RunId>,
    ) -> Result<ConversationState, StoreError> {
        let Some(run) = head else {
            return Ok(ConversationState::new(session.id.clone(), session.database.clone()));
        };
        let mut state = rebuild::state_after(&*self.store, run, None).await?;
        state.session_id.clone_from(&session.id);
        state.validate().map_err(|error| StoreError::damaged(run, error))?;
        Ok(state)
    }

    /// All turns of a session's tree, also those undone and those not finished.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`].
    pub async fn turns(&self, id: &str) -> Result<Vec<TurnInfo>, StoreError> {
        self.store.turns(id).await
    }

    /// The turns that were begun in a session and stand still: their processes died, or they wait.
    ///
    /// One whose parent is the session's head can be resumed; another first needs the head to be moved there. All can be
    /// dropped.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`].
    pub async fn interrupted(&self, id: &str) -> Result<Vec<TurnInfo>, StoreError> {
        let mut turns = self.store.unfinished(id).await?;
        turns.retain(TurnInfo::is_interrupted);
        Ok(turns)
    }

    /// The turns of a session that are being walked just now, here or by another process.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`].
    pub async fn running(&self, id: &str) -> Result<Vec<TurnInfo>, StoreError> {
        let mut turns = self.store.unfinished(id).await?;
        turns.retain(|turn| turn.running);
        Ok(turns)
    }

    /// Makes an interrupted turn ready to be resumed with [`Graph::resume`](crate::graph::Graph::resume) and the
    /// session's [`journal`](Self::journal).
    ///
    /// Where rows are not kept, the node that fetched them has to run again; its step is taken back. It only reads, so the
    /// answer is the same. Sample values of columns stay away: the resumed state's schema has none.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the session has moved on, [`StoreError::Running`] when the turn did not stop,
    /// [`StoreError::Finished`], [`StoreError::Abandoned`], [`StoreError::UnknownTurn`].
    pub async fn prepare_resume(&self, id: &str, run: RunId) -> Result<(), StoreError> {
        let session = self.session(id).await?;
        let record = self.store.record(run).await?.ok_or(StoreError::UnknownTurn { run })?;
        match record.mark {
            Mark::Finished => return Err(StoreError::Finished { run }),
            Mark::Abandoned { .. } => return Err(StoreError::Abandoned { run }),
            _ => {}
        }
        let (expected, found) = (record.header.parent, session.position.head);
        if expected != found {
            return Err(StoreError::Conflict { session: session.id, expected, found });
        }
        if self.store.turn(run).await?.is_some_and(|turn| turn.running) {
            return Err(StoreError::Running { run });
        }
        // From here on no other process can resume it too.
        self.store.hold(run).await?;
        for step in &record.steps {
            if lacks_rows(run, &step.changes)? {
                return self.store.rewind(run, step.step).await;
            }
        }
        Ok(())
    }

    /// Drops an interrupted turn. False when there was none.
    ///
    /// # Errors
    /// [`StoreError::Finished`] when it was finished meanwhile.
    pub async fn drop_turn(&self, run: RunId) -> Result<bool, StoreError> {
        self.store.drop_turn(run).await
    }

    /// Gives up an unfinished turn that another process walks, which hears of it when it next writes or looks. False when there
    /// was none.
    ///
    /// # Errors
    /// [`StoreError::Finished`] when it was finished meanwhile.
    pub async fn give_up(&self, run: RunId, reason: &str) -> Result<bool, StoreError> {
        self.store.give_up(run, reason).await
    }

    /// The state of a session after a turn, or after one of the turn's steps; step 0 is the input.
    ///
    /// # Errors
    /// [`StoreError::UnknownTurn`] when the turn is none of this session's, [`StoreError::NoSuchStep`].
    pub async fn state_at(
        &self,
        id: &str,
        run: RunId,
        step: Option<u32>,
    ) -> Result<ConversationState, StoreError> {
        self.session(id).await?;
        self.own(id, run).await?;
        let mut state = rebuild::state_after(&*self.store, run, step).await?;
        id.clone_into(&mut state.session_id);
        Ok(state)
    }

    /// Everything written of a turn: what `graph --run` draws.
    ///
    /// # Errors
    /// [`StoreError::UnknownTurn`] when the turn is none of this session's.
    pub async fn record(&self, id: &str, run: RunId) -> Result<RunRecord, StoreError> {
        self.own(id, run).await?;
        self.store.record(run).await?.ok_or(StoreError::UnknownTurn { run })
    }

    async fn own(&self, id: &str, run: RunId) -> Result<TurnInfo, StoreError> {
        let turns = self.store.turns(id).await?;
        turns.into_iter().find(|turn| turn.run == run).ok_or(StoreError::UnknownTurn { run })
    }

    /// The turns from the beginning to the head, each as the conversation records it. Unlike the state's own list it is
    /// never pruned.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`], [`StoreError::Damaged`].
    pub async fn history(&self, id: &str) -> Result<Vec<Turn>, StoreError> {
        Ok(self.answers(id).await?.into_iter().map(|(turn, _)| turn).collect())
    }

    /// The same, each with its result as far as it is stored.
    pub(super) async fn answers(
        &self,
        id: &str,
    ) -> Result<Vec<(Turn, Option<Arc<QueryResult>>)>, StoreError> {
        let session = self.session(id).await?;
        let Some(head) = session.position.head else { return Ok(Vec::new()) };
        let (mut state, mut answers) = (None, Vec::new());
        for (run, record) in rebuild::line(&*self.store, head, false).await? {
            rebuild::fold(&mut state, run, &record, &record.steps)?;
            let state = state.as_ref();
            answers.extend(state.and_then(|state| Some((state.turns.last()?.clone(), state.result.clone()))));
        }
        Ok(answers)
    }

    /// Takes the last turn back. It stays in the tree, and [`redo`](Self::redo) brings it back until another is taken.
    ///
    /// # Errors
    /// [`StoreError::NothingTo`] at the beginning, [`StoreError::Conflict`] when somebody else is faster.
    pub async fn undo(&self, id: &str) -> Result<OpenedSession, StoreError> {
        let session = self.session(id).await?;
        let Position { head, tip } = session.position;
        let nothing = StoreError::NothingTo { what: "undo", session: id.to_owned() };
        let run = head.ok_or(nothing)?;
        let turn = self.store.turn(run).await?.ok_or(StoreError::UnknownTurn { run })?;
        self.store.move_head(id, head, Position { head: turn.parent, tip }).await?;
        self.open(id).await
    }

    /// Brings back the turn that was undone last.
    ///
    /// # Errors
    /// [`StoreError::NothingTo`] where nothing was undone, [`StoreError::Conflict`] when somebody else is faster.
    pub async fn redo(&self, id: &str) -> Result<OpenedSession, StoreError> {
        let session = self.session(id).await?;
        let Position { head, tip } = session.position;
        let nothing = || StoreError::NothingTo { what: "redo", session: id.to_owned() };
        let mut next = tip.filter(|_| head != tip).ok_or_else(nothing)?;
        // The one turn on the way from the head to the tip whose parent is the head.
        let parents: BTreeMap<RunId, Option<RunId>> =
            self.store.turns(id).await?.into_iter().map(|turn| (turn.run, turn.parent)).collect();
        for _ in 0..=parents.len() {
            match parents.get(&next).copied().flatten() {
                parent if parent == head => {
                    self.store.move_head(id, head, Position { head: Some(next), tip }).await?;
                    return self.open(id).await;
                }
                Some(parent) => next = parent,
                None => break,
            }
        }
        Err(nothing())
    }

    /// Moves the head along the session's own line, if it still is `from`, and keeps what redo leads to in the end.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when somebody else is faster, [`StoreError::UnknownTurn`].
    pub async fn move_to(
        &self,
        id: &str,
        from: Option<RunId>,
        head: Option<RunId>,
    ) -> Result<(), StoreError> {
        let tip = self.session(id).await?.position.tip;
        self.store.move_head(id, from, Position { head, tip }).await
    }

    /// Goes to any turn of the session's tree, or to the beginning: what follows is a new branch there.
    ///
    /// # Errors
    /// [`StoreError::UnknownTurn`] when it is none of this session's or was never finished.
    pub async fn go_to(&self, id: &str, run: Option<RunId>) -> Result<OpenedSession, StoreError> {
        let session = self.session(id).await?;
        if let Some(run) = run {
            self.finished(id, run).await?;
        }
        self.store.move_head(id, session.position.head, Position::at(run)).await?;
        self.open(id).await
    }

    async fn finished(&self, id: &str, run: RunId) -> Result<TurnInfo, StoreError> {
        let turn = self.own(id, run).await?;
        if turn.is_finished() { Ok(turn) } else { Err(StoreError::UnknownTurn { run }) }
    }

    /// Clears a session: back to its beginning, with everything still there to [`redo`](Self::redo).
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when somebody else is faster.
    pub async fn clear(&self, id: &str) -> Result<OpenedSession, StoreError> {
        let Position { head, tip } = self.session(id).await?.position;
        self.store.move_head(id, head, Position { head: None, tip }).await?;
        self.open(id).await
    }

    /// Makes a session that goes on from a turn of another, or from its head. Nothing is copied.
    ///
    /// # Errors
    /// [`StoreError::SessionExists`], [`StoreError::UnknownTurn`].
    pub async fn branch(
        &self,
        id: &str,
        run: Option<RunId>,
        new_id: &str,
        at: Timestamp,
    ) -> Result<OpenedSession, StoreError> {
        let session = self.session(id).await?;
        let head = match run {
            Some(run) => Some(self.finished(id, run).await?.run),
            None => session.position.head,
        };
        let StoredSession { database, title, .. } = session;
        let (id, position) = (new_id.to_owned(), Position::at(head));
        self.store.create(NewSession { id, database, title, at, position, read_only: false }).await?;
        self.open(new_id).await
    }

    /// Deletes a session for good. Turns that a branch of it shares stay with the branch. False when there was none.
    ///
    /// # Errors
    /// What the store says.
    pub async fn delete(&self, id: &str) -> Result<bool, StoreError> {
        self.store.delete(id).await
    }
}
