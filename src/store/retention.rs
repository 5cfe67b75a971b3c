//! How long conversations are kept.

use jiff::{SignedDuration, Timestamp};

use super::{SessionFilter, Sessions, StoreError, StoredSession};

/// Which sessions are kept; what is not set does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retention {
    /// Only those used within this time.
    pub max_age: Option<SignedDuration>,
    /// At most so many, the latest used.
    pub max_sessions: Option<usize>,
    /// At most so many bytes, of the latest used.
    pub max_bytes: Option<u64>,
}

/// What was deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pruned {
    /// The sessions, in the order in which they were deleted.
    pub sessions: Vec<String>,
    /// How many bytes are in use less than before. [`vacuum`](Sessions::vacuum) gives them back to the system.
    pub bytes: u64,
}

impl Sessions {
    /// Deletes what is not to be kept, the longest unused first.
    ///
    /// # Errors
    /// What the store says; sessions deleted before that stay deleted.
    pub async fn prune(&self, retention: &Retention, now: Timestamp) -> Result<Pruned, StoreError> {
        let before = self.store.size().await?;
        let mut pruned = Vec::new();
        if let Some(age) = retention.max_age {
            let used_before = now.checked_sub(age).unwrap_or(Timestamp::MIN);
            let filter = SessionFilter { used_before: Some(used_before), ..SessionFilter::default() };
            self.delete_all(self.list(filter).await?, &mut pruned).await?;
        }
        if let Some(skip) = retention.max_sessions {
            let filter = SessionFilter { skip, ..SessionFilter::default() };
            self.delete_all(self.list(filter).await?, &mut pruned).await?;
        }
        if let Some(most) = retention.max_bytes {
            let mut left = self.list(SessionFilter::default()).await?;
            while self.store.size().await? > most {
                let Some(oldest) = left.pop() else { break };
                self.delete_all(vec![oldest], &mut pruned).await?;
            }
        }
        let bytes = before.saturating_sub(self.store.size().await?);
        Ok(Pruned { sessions: pruned, bytes })
    }

    async fn delete_all(
        &self,
        sessions: Vec<StoredSession>,
        pruned: &mut Vec<String>,
    ) -> Result<(), StoreError> {
        for session in sessions.into_iter().rev() {
            if self.store.delete(&session.id).await? {
                pruned.push(session.id);
            }
        }
        Ok(())
    }

    /// Gives space that is not in use back to the system.
    ///
    /// # Errors
    /// What the store says.
    pub async fn vacuum(&self) -> Result<(), StoreError> {
        self.store.vacuum().await
    }
}
