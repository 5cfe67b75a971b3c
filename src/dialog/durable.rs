//! A session whose conversation is kept in a store: opened again, undone, branched, and gone on with where it fails.
//!
//! What this process remembers leads, because it has the rows; the store follows. Only what this process has not seen
//! itself, a conversation of yesterday, is undone by the store.

use uuid::Uuid;

use super::history::History;
use super::notice::Notice;
use super::session::Session;
use crate::conversation::{Change, ConversationState, Status};
use crate::engine::Engine;
use crate::error::Error;
use crate::graph::{Clock as _, RunId, SystemClock};
use crate::store::{Sessions, StoreError};

impl Session {
    /// A session by its id, from the engine's store: gone on with where there is one, and otherwise a new one. The first
    /// reply tells of turns that were interrupted, and of those that others are taking just now.
    ///
    /// # Errors
    /// The store cannot be read; the conversation is about another database.
    pub async fn open(engine: Engine, id: &str) -> Result<Self, Error> {
        let Some(sessions) = engine.sessions() else { return Ok(Self::with_id(engine, id)) };
        let opened = match sessions.open(id).await {
            Ok(opened) => opened,
            Err(StoreError::UnknownSession { .. }) => return Ok(Self::with_id(engine, id)),
            Err(error) => return Err(error.into()),
        };
        let mut session = Self::resume(engine, opened.state)?;
        for turn in opened.interrupted {
            session.notices.push(Notice::Interrupted { input: turn.input, session: id.to_owned() });
        }
        session.notices.extend(opened.running.into_iter().map(|turn| Notice::Running { input: turn.input }));
        Ok(session)
    }

    /// What there is to tell before anything was said.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Tells something with the next reply.
    pub fn tell(&mut self, notice: Notice) {
        self.notices.push(notice);
    }

    /// Removes all turns. The id and the database stay; the next input is a new query. It can be undone.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when somebody else changed the stored conversation.
    pub async fn clear(&mut self) -> Result<(), Error> {
        let before = self.state.clone();
        self.follow(last_run(&before), None).await?;
        self.state.apply(&Change::Cleared);
        self.afresh = false;
        self.told_of_trimming = false;
        self.history.record("/clear", &before, &self.state);
        Ok(())
    }

    /// Takes back the last turn that changed something, or the last clearing; gives what was said in it, and nothing at
    /// the beginning. A turn that failed changed nothing, so it goes with the one before it.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when somebody else changed the stored conversation.
    pub async fn undo(&mut self) -> Result<Option<String>, Error> {
        let history = self.history.clone();
        let from = last_run(&self.state);
        if let Some((label, state)) = self.history.undo(&self.state) {
            if let Err(error) = self.follow(from, last_run(&state)).await {
                self.history = history;
                return Err(error);
            }
            return Ok(Some(self.stand_at(label, state)));
        }
        let (Some(sessions), Some(run)) = (self.engine.sessions(), from) else { return Ok(None) };
        let Some((taken, label)) = last_that_changed(&self.state) else { return Ok(None) };
        match before(sessions, self.id(), run, taken).await {
            Ok(state) => Ok(Some(self.stand_by_store(label, state))),
            Err(error) => self.gave_up(error),
        }
    }

    /// Brings back what was taken back last; gives what was said in it, and nothing where nothing was taken back.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when somebody else changed the stored conversation.
    pub async fn redo(&mut self) -> Result<Option<String>, Error> {
        let history = self.history.clone();
        let from = last_run(&self.state);
        if let Some((label, state)) = self.history.redo(&self.state) {
            if let Err(error) = self.follow(from, last_run(&state)).await {
                self.history = history;
                return Err(error);
            }
            return Ok(Some(self.stand_at(label, state)));
        }
        let Some(sessions) = self.engine.sessions() else { return Ok(None) };
        match sessions.redo(self.id()).await {
            Ok(opened) => {
                let label = opened.state.user_question.clone();
                Ok(Some(self.stand_by_store(label, opened.state)))
            }
            Err(error) => self.gave_up(error),
        }
    }

    /// Goes on in a session of its own from here: what is said now leaves the old one as it is. Gives the new id, the one
    /// asked for or a new one.
    ///
    /// # Errors
    /// [`StoreError::SessionExists`]; the store cannot be written.
    pub async fn branch(&mut self, id: Option<&str>) -> Result<String, Error> {
        let id = id.map_or_else(|| Uuid::now_v7().to_string(), str::to_owned);
        if let (Some(sessions), Some(run)) = (self.engine.sessions(), last_run(&self.state)) {
            sessions.branch(self.id(), Some(run), &id, SystemClock.now()).await?;
        }
        self.state.session_id.clone_from(&id);
        Ok(id)
    }

    /// Goes on in memory from here.
    pub(super) fn keep_no_longer(&mut self, error: &Error) -> Notice {
        tracing::warn!(%error, "the conversation is not kept any more");
        self.engine = self.engine.without_store();
        Notice::NotKept { problem: error.to_string() }
    }

    /// Stands where the store has gone by itself: what is remembered here leads elsewhere.
    fn stand_by_store(&mut self, label: String, state: ConversationState) -> String {
        self.history = History::default();
        self.stand_at(label, state)
    }

    fn stand_at(&mut self, label: String, state: ConversationState) -> String {
        self.state = state;
        self.afresh = false;
        label
    }

    /// Moves the store's pointer to where this process has gone.
    async fn follow(&mut self, from: Option<RunId>, to: Option<RunId>) -> Result<(), Error> {
        let Some(sessions) = self.engine.sessions() else { return Ok(()) };
        match sessions.move_to(self.id(), from, to).await {
            // Nothing was said yet.
            Ok(()) | Err(StoreError::UnknownSession { .. }) => Ok(()),
            Err(error) if error.is_storage() => {
                let notice = self.keep_no_longer(&error.into());
                self.notices.push(notice);
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Where the store could not go: nothing is there, or it fails.
    fn gave_up(&mut self, error: StoreError) -> Result<Option<String>, Error> {
        match error {
            StoreError::NothingTo { .. } | StoreError::UnknownSession { .. } => Ok(None),
            error if error.is_storage() => {
                let notice = self.keep_no_longer(&error.into());
                self.notices.push(notice);
                Ok(None)
            }
            error => Err(error.into()),
        }
    }
}

/// The turn that left this state.
fn last_run(state: &ConversationState) -> Option<RunId> {
    state.turns.last()?.id.parse().ok()
}

/// The last turn that did not fail, and what was said in it. Where all turns kept failed, that is the first of them if
/// others were dropped before it, and none if there were no others.
fn last_that_changed(state: &ConversationState) -> Option<(RunId, String)> {
    let first_kept = state.turns.first().filter(|turn| turn.number > 1);
    let turn = state.turns.iter().rev().find(|turn| turn.status != Status::Failed).or(first_kept)?;
    Some((turn.id.parse().ok()?, turn.input.clone()))
}

/// Moves a stored session from where it stands to the turn before one.
async fn before(
    sessions: &Sessions,
    id: &str,
    stands: RunId,
    run: RunId,
) -> Result<ConversationState, StoreError> {
    let turn = sessions.store().turn(run).await?.ok_or(StoreError::UnknownTurn { run })?;
    sessions.move_to(id, Some(stands), turn.parent).await?;
    Ok(sessions.open(id).await?.state)
}
