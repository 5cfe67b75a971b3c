//! A journal in memory, for tests and for runs that only have to survive an interrupt.

use std::sync::{Mutex, PoisonError};

use super::{Entry, Header, Journal, JournalError, JournalFuture, Mark, RunRecord, Summary};
use crate::context::RunId;

/// Keeps runs for as long as it lives.
#[derive(Debug, Default)]
pub struct MemoryJournal {
    runs: Mutex<Vec<(RunId, RunRecord)>>,
}

impl MemoryJournal {
    /// An empty journal.
    pub fn new() -> Self {
        Self::default()
    }

    /// A journal that holds one run already: what was read from another.
    pub fn with_run(run: RunId, record: RunRecord) -> Self {
        Self { runs: Mutex::new(vec![(run, record)]) }
    }

    fn with<T>(&self, look: impl FnOnce(&mut Vec<(RunId, RunRecord)>) -> T) -> T {
        look(&mut self.runs.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn write(runs: &mut Vec<(RunId, RunRecord)>, entry: Entry) -> Result<(), JournalError> {
    let Entry { run, header, after, steps, mark } = entry;
    let conflict = |step| JournalError::Conflict { run, step };
    let known = runs.iter().rposition(|(known, _)| *known == run);
    let record = match (header, known) {
        (Some(_), Some(_)) => return Err(conflict(0)),
        (Some(header), None) => {
            runs.push((run, RunRecord { header, steps: vec![], mark: Mark::Running }));
            runs.last_mut()
        }
        (None, known) => known.and_then(|known| runs.get_mut(known)),
    };
    let Some((_, record)) = record else { return Err(JournalError::UnknownRun { run }) };
    let last = record.steps.last().map(|step| step.step);
    if last != after {
        return Err(conflict(steps.first().map_or_else(|| last.unwrap_or(0), |step| step.step)));
    }
    record.steps.extend(steps);
    if let Some(mark) = mark {
        record.mark = mark;
    }
    Ok(())
}

fn summary(run: RunId, record: &RunRecord) -> Summary {
    Summary {
        run,
        header: Header { snapshot: None, ..record.header.clone() },
        mark: record.mark.clone(),
        last_step: record.steps.last().map(|step| step.step),
    }
}

impl Journal for MemoryJournal {
    fn write(&self, entry: Entry) -> JournalFuture<'_, ()> {
        Box::pin(async move { self.with(|runs| write(runs, entry)) })
    }

    fn read(&self, run: RunId) -> JournalFuture<'_, Option<RunRecord>> {
        Box::pin(async move {
            Ok(self
                .with(|runs| runs.iter().find(|(known, _)| *known == run).map(|(_, record)| record.clone())))
        })
    }

    fn summary(&self, run: RunId) -> JournalFuture<'_, Option<Summary>> {
        Box::pin(async move {
            Ok(self.with(|runs| {
                runs.iter().find(|(known, _)| *known == run).map(|(_, record)| summary(run, record))
            }))
        })
    }

    fn runs(&self) -> JournalFuture<'_, Vec<Summary>> {
        Box::pin(async move {
            Ok(self.with(|runs| runs.iter().map(|(run, record)| summary(*run, record)).collect()))
        })
    }
}
