//! Running the readings of a question before one is taken, to see how far they agree.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::Services;
use crate::database::{DatabaseError, Limits};
use crate::plan::QueryPlan;
use crate::reasoner::Trial;
use crate::sql::{self, guard};

/// All readings together may take so long; those that come too late are not tried.
const TIME: Duration = Duration::from_millis(100);

/// Readings are compared by so many rows at most.
const ROWS: usize = 1_000;

/// Readings are compared by so many bytes at most.
const BYTES: usize = 1 << 20;

impl Services {
    /// What came of running each of the readings. Nothing is run where somebody would have to pay or wait for it.
    pub(super) async fn tried(&self, readings: &[QueryPlan], cancel: &CancellationToken) -> Vec<Trial> {
        let mut trials = Vec::new();
        if !self.database.is_local() {
            return trials;
        }
        let end = Instant::now() + TIME;
        for reading in readings {
            let left = end.saturating_duration_since(Instant::now());
            let trial =
                if left.is_zero() { Trial::Untried } else { self.try_one(reading, left, cancel).await };
            trials.push(trial);
        }
        trials
    }

    async fn try_one(&self, reading: &QueryPlan, left: Duration, cancel: &CancellationToken) -> Trial {
        let dialect = self.database.dialect();
        let Ok(checked) = guard::check(&sql::render(reading, dialect), dialect) else { return Trial::Failed };
        let limits = Limits {
            rows: ROWS.min(self.limits.rows),
            bytes: BYTES.min(self.limits.bytes),
            deadline: left.min(self.limits.deadline),
        };
        match self.database.execute(&checked, &limits, cancel).await {
            Ok(rows) => Trial::of(&rows.rows),
            Err(DatabaseError::Refused(_) | DatabaseError::Query { .. }) => Trial::Failed,
            Err(_) => Trial::Untried,
        }
    }
}
