//! What the rows of every store on a database have in common: what stands in them, and their checksums.

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::lease::Lease;
use super::{Position, StoreError, StoredSession, TurnInfo};
use crate::graph::RunId;
use crate::graph::checksum::Checksum;
use crate::graph::journal::{Entry, Header, Mark, Moved, StepRecord, Summary};

/// Why a turn is given up.
pub(super) const GIVEN_UP: &str = "the session had moved on before it was done";

/// A turn's row, before what is in it was understood.
pub(super) struct TurnRow {
    pub(super) id: i64,
    pub(super) run: RunId,
    /// The row of its session.
    pub(super) session: i64,
    /// The name of its session; none where the session is gone or its name is damaged.
    pub(super) session_id: Option<String>,
    /// The row of the turn before it.
    pub(super) parent: Option<i64>,
    pub(super) number: i64,
    /// Without the snapshot.
    pub(super) header: Header,
    pub(super) mark: String,
    pub(super) input: String,
    pub(super) status: Option<String>,
    pub(super) query: Option<String>,
    pub(super) snapshot_sum: Option<i64>,
    /// One more than the number of the last step; 0 before there is one.
    pub(super) steps: u32,
    /// The checksum of all steps.
    pub(super) steps_sum: i64,
    /// The checksum of all above.
    pub(super) sum: i64,
    pub(super) lease: Lease,
}

impl TurnRow {
    /// The checksum that the row should have. The lease is not part of it: it changes while a node works, and says nothing
    /// of the turn.
    pub(super) fn summed(&self) -> i64 {
        let sum = Checksum::new()
            .number(self.id)
            .bytes(self.run.uuid().as_bytes())
            .number(self.session)
            .maybe(self.parent, Checksum::number)
            .number(self.number);
        self.header
            .summed(sum)
            .text(&self.mark)
            .text(&self.input)
            .maybe(self.status.as_deref(), Checksum::text)
            .maybe(self.query.as_deref(), Checksum::text)
            .maybe(self.snapshot_sum, Checksum::number)
            .number(self.steps.into())
            .number(self.steps_sum)
            .signed()
    }

    /// The row as it was written.
    pub(super) fn checked(self) -> Result<Self, StoreError> {
        if self.sum == self.summed() { Ok(self) } else { Err(StoreError::wrong_sum(self.run)) }
    }

    pub(super) fn last_step(&self) -> Option<u32> {
        self.steps.checked_sub(1)
    }

    /// Adds a step to what the row says of its steps.
    pub(super) fn add(&mut self, step: &StepRecord, moved: &str) {
        self.steps = step.step.saturating_add(1);
        self.steps_sum = step.chained(self.steps_sum, moved);
    }

    /// The row after all but the first steps were taken back.
    pub(super) fn rewound(self, stored: &[(StepRecord, String)], steps: u32) -> Result<Self, StoreError> {
        let mark = to_json(&Mark::Running)?;
        let mut row = Self { mark, status: None, ..self.without_steps() };
        for (step, moved) in stored.iter().filter(|(step, _)| step.step < steps) {
            row.add(step, moved);
        }
        Ok(row)
    }

    /// Moves the session to the turn, which is done. A conflict where the session does not stand any more where it began.
    pub(super) fn finish(
        &self,
        session: &mut StoredSession,
        entry: &Entry,
    ) -> Result<Result<(), StoreError>, StoreError> {
        let run = self.run;
        if is_over(&self.mark()?) {
            return Err(StoreError::TurnConflict { run, step: self.last_step().unwrap_or(0) });
        }
        if let Err(conflict) = session.stands_at(self.header.parent) {
            return Ok(Err(conflict));
        }
        session.position = Position::at(Some(run));
        session.updated = session.updated.max(entry.steps.last().map_or(self.header.at, |step| step.at));
        Ok(Ok(()))
    }

    /// Marks the turn as one that leads nowhere any more.
    pub(super) fn give_up(&mut self, reason: &str) -> Result<(), StoreError> {
        self.mark = to_json(&Mark::Abandoned { reason: reason.to_owned() })?;
        self.lease = Lease::default();
        Ok(())
    }

    /// The same row without any steps, to which those that are found are added.
    pub(super) fn without_steps(self) -> Self {
        Self { steps: 0, steps_sum: 0, ..self }
    }

    pub(super) fn mark(&self) -> Result<Mark, StoreError> {
        from_json(self.run, &self.mark)
    }

    /// Whether the writer of an entry knows all that was written, and nobody else has gone on with the turn.
    pub(super) fn follows(&self, entry: &Entry, now: i64) -> Result<(), StoreError> {
        let given_up = is_abandoned(&self.mark()?);
        if self.last_step() == entry.after && !given_up && !self.lease.is_held_by_another(now) {
            return Ok(());
        }
        let step = entry.steps.first().map_or_else(|| self.last_step().unwrap_or(0), |step| step.step);
        Err(StoreError::TurnConflict { run: self.run, step })
    }

    /// Takes in what an entry says beside its steps, and renews the lease.
    pub(super) fn take(&mut self, entry: &Entry, digest: &Digest, lease: Lease) -> Result<(), StoreError> {
        let query = digest.query.as_ref().map(|query| query.replace('\0', ""));
        self.status = digest.status.map(str::to_owned).or(self.status.take());
        self.query = query.or(self.query.take());
        if let Some(mark) = &entry.mark {
            self.mark = to_json(mark)?;
        }
        self.lease = if self.mark()? == Mark::Running { lease } else { Lease::default() };
        Ok(())
    }

    /// Refuses a turn that is over, and one that another living process walks.
    pub(super) fn open_to_me(self, now: i64) -> Result<Self, StoreError> {
        let run = self.run;
        match self.mark()? {
            Mark::Finished => Err(StoreError::Finished { run }),
            Mark::Abandoned { .. } => Err(StoreError::Abandoned { run }),
            _ if self.lease.is_held_by_another(now) => Err(StoreError::Running { run }),
            _ => Ok(self),
        }
    }

    /// Refuses a turn that is finished, and one that anybody walks.
    pub(super) fn at_rest(self, now: i64) -> Result<Self, StoreError> {
        let run = self.run;
        match self.mark()? {
            Mark::Finished => Err(StoreError::Finished { run }),
            _ if self.lease.is_held(run, now) => Err(StoreError::Running { run }),
            _ => Ok(self),
        }
    }

    /// Refuses a turn that is finished; others can be given up, whoever walks them.
    pub(super) fn unfinished(self) -> Result<Self, StoreError> {
        match self.mark()? {
            Mark::Finished => Err(StoreError::Finished { run: self.run }),
            _ => Ok(self),
        }
    }

    /// How it is listed; `now` is the time of whoever keeps the leases.
    pub(super) fn info(self, now: i64) -> Result<TurnInfo, StoreError> {
        let run = self.run;
        let mark = self.mark()?;
        let running = !is_over(&mark) && self.lease.is_held(run, now);
        Ok(TurnInfo {
            run,
            session: self
                .session_id
                .ok_or_else(|| StoreError::damaged(run, "its session is gone or damaged"))?,
            parent: self.header.parent,
            number: u64::try_from(self.number).unwrap_or_default(),
            at: self.header.at,
            mark,
            input: self.input,
            status: self.status,
            query: self.query,
            steps: self.steps,
            running,
            damaged: None,
        })
    }

    pub(super) fn summary(self) -> Result<Summary, StoreError> {
        let (mark, last_step) = (self.mark()?, self.last_step());
        Ok(Summary { run: self.run, header: self.header, mark, last_step })
    }
}

pub(super) fn is_abandoned(mark: &Mark) -> bool {
    matches!(mark, Mark::Abandoned { .. })
}

fn is_over(mark: &Mark) -> bool {
    matches!(mark, Mark::Finished | Mark::Abandoned { .. })
}

/// A session's row.
pub(super) struct SessionRow {
    pub(super) id: i64,
    pub(super) session: StoredSession,
    /// How many turns are its own.
    pub(super) turns: i64,
    pub(super) sum: i64,
}

impl SessionRow {
    /// The checksum that the row should have.
    pub(super) fn summed(&self) -> i64 {
        let StoredSession { id, database, title, created, updated, position, read_only, damaged: _ } =
            &self.session;
        let Position { head, tip } = position;
        let run = |sum: Checksum, run: RunId| sum.bytes(run.uuid().as_bytes());
        Checksum::new()
            .number(self.id)
            .text(id)
            .text(database)
            .text(title)
            .number(created.as_microsecond())
            .number(updated.as_microsecond())
            .maybe(*head, run)
            .maybe(*tip, run)
            .number((*read_only).into())
            .number(self.turns)
            .signed()
    }

    /// Whether it reads as it was written.
    pub(super) fn is_sound(&self) -> bool {
        self.sum == self.summed()
    }

    /// The session for a list in which the others are shown too: as it was written, or with what is wrong.
    pub(super) fn listed(self) -> StoredSession {
        let damaged = (!self.is_sound()).then(|| "its checksum is wrong".to_owned());
        StoredSession { damaged, ..self.session }
    }
}

/// A number by which a session is found beside its name.
pub(super) fn key_of(id: &str) -> i64 {
    Checksum::new().bytes(id.as_bytes()).signed()
}

/// A session's name, if its key says that it is what was written.
pub(super) fn named_by(id: Option<String>, key: Option<i64>) -> Option<String> {
    id.filter(|id| Some(key_of(id)) == key)
}

/// The checksum of a snapshot.
pub(super) fn sum_of_text(text: &str) -> i64 {
    Checksum::new().text(text).signed()
}

/// A step from what is stored of it; `moved` is one of its columns.
pub(super) fn with_moved(run: RunId, step: StepRecord, moved: &str) -> Result<StepRecord, StoreError> {
    let Moved { decided, next, budgets } = from_json(run, moved)?;
    Ok(StepRecord { decided, next, budgets, ..step })
}

pub(super) fn to_json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Other(error.into()))
}

pub(super) fn from_json<'a, T: Deserialize<'a>>(run: RunId, text: &'a str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::damaged(run, error))
}

/// The database that a state is about.
pub(super) fn database_of(snapshot: &str) -> String {
    #[derive(Deserialize)]
    struct Named {
        database: String,
    }
    serde_json::from_str(snapshot).map_or_else(|_| String::new(), |named: Named| named.database)
}
