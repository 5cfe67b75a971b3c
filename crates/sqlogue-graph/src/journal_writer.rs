//! Writes a walk into its journal.

use std::sync::Arc;

use super::context::{Context, RunId};
use super::error::RunErrorKind;
use super::journal::{Choice, Entry, Header, Journal, JournalError, Mark, StepRecord, Walking};
use super::node::State;
use super::run::{Asked, DEFAULT_SNAPSHOT_EVERY, Durability};
use super::table::Table;

/// What a walk writes with: the journal, and what is not written yet.
pub(crate) struct JournalWriter {
    journal: Arc<dyn Journal>,
    every_node: bool,
    header: Option<Header>,
    steps: Vec<StepRecord>,
    /// The last step in the journal.
    written: Option<u32>,
    /// Whether the journal holds a mark that is no longer true.
    stale_mark: bool,
    /// Whether the last entry marked the run as failed.
    failed: bool,
    /// The decisions taken since the last step.
    pub(crate) decided: Vec<Choice>,
    /// Dropped with the walk: the journal's sign that it goes on.
    _walking: Option<Walking>,
}

impl JournalWriter {
    /// A writer for these options; `None` when nothing is to be written.
    // In a box, which a run that writes nothing does not have.
    pub(crate) fn new<S: State>(asked: &Asked<S>, run: RunId) -> Option<Box<Self>> {
        let journal = asked.journal.as_ref().filter(|_| asked.durability != Durability::None)?;
        Some(Box::new(Self {
            journal: Arc::clone(journal),
            every_node: asked.durability == Durability::EveryNode,
            header: None,
            steps: vec![],
            written: None,
            stale_mark: false,
            failed: false,
            decided: vec![],
            _walking: journal.walking(run),
        }))
    }

    /// Prepares the header of a new run.
    pub(crate) async fn begin<S: State>(
        &mut self,
        table: &Table<S>,
        state: &S,
        asked: Option<&Asked<S>>,
        context: &Context,
    ) -> Result<(), RunErrorKind> {
        let (named, snapshot_every) =
            asked.map_or((None, DEFAULT_SNAPSHOT_EVERY), |asked| (asked.parent, asked.snapshot_every));
        let parent = match named {
            Some(parent) => self.journal.summary(parent).await.map_err(RunErrorKind::Journal)?,
            None => None,
        };
        // Only a finished parent of the same state version ends in the state this run starts from; after
        // any other the state itself is stored, and the parent is remembered as a name only.
        let since = parent
            .filter(|parent| parent.mark == Mark::Finished && parent.header.state_version == S::VERSION)
            .map(|parent| parent.header.since_snapshot.saturating_add(1))
            .filter(|since| *since < snapshot_every);
        let snapshot = match since {
            Some(_) => None,
            None => Some(json(state)?),
        };
        self.header = Some(Header {
            graph: Arc::clone(&table.name),
            fingerprint: Arc::clone(&table.fingerprint),
            state_version: S::VERSION,
            parent: named,
            snapshot,
            since_snapshot: since.unwrap_or(0),
            at: context.now(),
        });
        Ok(())
    }

    /// Goes on where a journal left off.
    pub(crate) fn go_on(&mut self, written: u32, stale_mark: bool) {
        self.written = Some(written);
        self.stale_mark = stale_mark;
    }

    /// Takes a step down, and writes it when it is time.
    pub(crate) async fn step(
        &mut self,
        run: RunId,
        step: StepRecord,
        mark: Option<Mark>,
    ) -> Result<(), RunErrorKind> {
        self.steps.push(step);
        if self.every_node || mark.is_some() { self.write(run, mark).await } else { Ok(()) }
    }

    /// Marks the run as failed, unless its last step did so or there is nothing to come back to.
    pub(crate) async fn fail(&mut self, run: RunId, error: String) -> Result<(), RunErrorKind> {
        let nothing = self.written.is_none() && self.steps.is_empty();
        if self.failed || nothing { Ok(()) } else { self.write(run, Some(Mark::Failed { error })).await }
    }

    /// Writes everything that is not written yet.
    pub(crate) async fn write(&mut self, run: RunId, mark: Option<Mark>) -> Result<(), RunErrorKind> {
        let mark = mark.or_else(|| self.stale_mark.then_some(Mark::Running));
        self.failed = matches!(mark, Some(Mark::Failed { .. }));
        let steps = std::mem::take(&mut self.steps);
        let last = steps.last().map(|step| step.step);
        let entry = Entry { run, header: self.header.take(), after: self.written, steps, mark };
        self.journal.write(entry).await.map_err(RunErrorKind::Journal)?;
        self.written = last.or(self.written);
        self.stale_mark = false;
        Ok(())
    }
}

/// A state or its changes as JSON.
pub(crate) fn json(value: &(impl serde::Serialize + ?Sized)) -> Result<String, RunErrorKind> {
    serde_json::to_string(value).map_err(|error| RunErrorKind::Journal(JournalError::Other(error.into())))
}
