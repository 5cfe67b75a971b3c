//! A session's turns as a journal of the graph engine.

use std::sync::Arc;

use super::{Store, StoreError, lease};
use crate::graph::journal::{Entry, JournalFuture, RunRecord, Summary, Walking};
use crate::graph::{Journal, RunId};

/// Writes the turns of one session where the store keeps them: the journal *is* the stored conversation.
pub(super) struct SessionJournal {
    pub(super) store: Arc<dyn Store>,
    pub(super) session: String,
}

impl Journal for SessionJournal {
    fn write(&self, entry: Entry) -> JournalFuture<'_, ()> {
        Box::pin(async move { Ok(self.store.write(&self.session, entry).await?) })
    }

    fn read(&self, run: RunId) -> JournalFuture<'_, Option<RunRecord>> {
        Box::pin(async move {
            let Some(mut record) = self.store.record(run).await? else { return Ok(None) };
            if let Some(snapshot) = &mut record.header.snapshot {
                rename(run, snapshot, &self.session)?;
            }
            Ok(Some(record))
        })
    }

    fn summary(&self, run: RunId) -> JournalFuture<'_, Option<Summary>> {
        Box::pin(async move { Ok(self.store.summary(run).await?) })
    }

    fn runs(&self) -> JournalFuture<'_, Vec<Summary>> {
        Box::pin(async move {
            let mut runs = Vec::new();
            for turn in self.store.turns(&self.session).await? {
                runs.extend(self.store.summary(turn.run).await?);
            }
            Ok(runs)
        })
    }

    fn walking(&self, run: RunId) -> Option<Walking> {
        Some(Box::new(lease::Walking::new(&self.store, run)))
    }
}

/// A branch shares turns that were taken under another session's id; its states carry its own.
fn rename(run: RunId, snapshot: &mut String, session: &str) -> Result<(), StoreError> {
    let damaged = |error: serde_json::Error| StoreError::damaged(run, error);
    let mut state: serde_json::Value = serde_json::from_str(snapshot).map_err(damaged)?;
    match state.get_mut("session_id") {
        Some(id) if id.as_str() != Some(session) => {
            *id = session.into();
            *snapshot = state.to_string();
            Ok(())
        }
        _ => Ok(()),
    }
}
