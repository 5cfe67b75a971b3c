//! Replays what a journal holds, and goes on from there.

use std::error::Error;
use std::fmt::{self, Display};
use std::sync::Arc;

use serde_json::Value;

use super::context::RunId;
use super::drive::caught;
use super::error::RunError;
use super::journal::{Frontier, Header, Journal, JournalError, Mark, RunRecord, StepRecord};
use super::node::State;
use super::run::{Ended, NodePath, RunOptions, Waiting};
use super::table::{END, Kind, START, Table};
use super::walk::{Place, Stand, Walk};

/// Why a run could not be taken from its journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The journal could not be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal does not know the run.
    #[error("run {run} is not in the journal")]
    UnknownRun {
        /// The run.
        run: RunId,
    },
    /// The run was walked through a graph of another name or structure.
    #[error(
        "run {run} belongs to graph `{recorded}` ({recorded_fingerprint}), not to `{present}` ({fingerprint})"
    )]
    OtherGraph {
        /// The run.
        run: RunId,
        /// The name of the graph it was walked through.
        recorded: Arc<str>,
        /// Its fingerprint.
        recorded_fingerprint: Arc<str>,
        /// The name of this graph.
        present: Arc<str>,
        /// Its fingerprint.
        fingerprint: Arc<str>,
    },
    /// The run was written with another version of the state, and the state could not migrate it.
    #[error("run {run} has state version {recorded}, this is version {present}: {reason}")]
    OtherState {
        /// The run.
        run: RunId,
        /// The version it was written with.
        recorded: u32,
        /// The version of now.
        present: u32,
        /// Why it cannot be migrated.
        reason: String,
    },
    /// What the journal holds makes no sense.
    #[error("the journal of run {run} is damaged: {problem}")]
    Damaged {
        /// The run.
        run: RunId,
        /// What is wrong.
        problem: String,
    },
    /// The run has fewer steps.
    #[error("run {run} has no step {step}")]
    NoSuchStep {
        /// The run.
        run: RunId,
        /// The step.
        step: u32,
    },
    /// The run stands at a node that this graph does not have.
    #[error("run {run} stands at node `{node}`, which this graph does not have")]
    UnknownNode {
        /// The run.
        run: RunId,
        /// The node.
        node: Arc<str>,
    },
    /// The run was given up.
    #[error("run {run} was given up: {reason}")]
    Abandoned {
        /// The run.
        run: RunId,
        /// Why.
        reason: String,
    },
    /// An answer was given, but the run does not wait for one.
    #[error("run {run} does not wait for an answer")]
    NotWaiting {
        /// The run.
        run: RunId,
    },
}

/// Why a run could not be resumed.
pub enum ResumeError<S> {
    /// It could not be taken from its journal; nothing has run.
    Load(LoadError),
    /// It went wrong on the way.
    Run(RunError<S>),
}

impl<S> From<LoadError> for ResumeError<S> {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
}

impl<S> Display for ResumeError<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => Display::fmt(error, f),
            Self::Run(error) => Display::fmt(error, f),
        }
    }
}

impl<S> fmt::Debug for ResumeError<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => f.debug_tuple("Load").field(error).finish(),
            Self::Run(error) => f.debug_tuple("Run").field(error).finish(),
        }
    }
}

impl<S> Error for ResumeError<S> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Load(error) => error.source(),
            Self::Run(error) => error.source(),
        }
    }
}

/// Goes on with a run where its journal left off.
pub(crate) async fn resume<S: State>(
    table: &Table<S>,
    journal: Arc<dyn Journal>,
    run: RunId,
    mut options: RunOptions<S>,
) -> Result<Ended<S>, ResumeError<S>> {
    let record = read(&*journal, run).await?;
    if record.header.fingerprint != table.fingerprint && !accepts_other(&options) {
        return Err(ResumeError::Load(LoadError::OtherGraph {
            run,
            recorded: record.header.graph,
            recorded_fingerprint: record.header.fingerprint,
            present: Arc::clone(&table.name),
            fingerprint: Arc::clone(&table.fingerprint),
        }));
    }
    let state = replay(&*journal, run, &record, &record.steps).await?;
    let path = path(table, &record.steps);
    let Some(last) = record.steps.last() else {
        return Err(damaged(run, "it has no steps").into());
    };
    if record.mark == Mark::Finished {
        let path = NodePath::new(Arc::clone(&table.names), path);
        return Ok(Ended::Finished { run, state, path, step: last.step });
    }
    if let Mark::Abandoned { reason } = record.mark {
        return Err(LoadError::Abandoned { run, reason }.into());
    }
    let waits = matches!(record.mark, Mark::Interrupted { .. } | Mark::Failed { .. });
    if !options.input.is_empty() && !waits {
        return Err(LoadError::NotWaiting { run }.into());
    }
    let stand = Stand {
        place: place(table, run, &last.next)?,
        step: last.step,
        used: used(table, &last.budgets),
        path,
        interrupted: matches!(record.mark, Mark::Interrupted { .. }),
        marked: record.mark != Mark::Running,
    };
    let asked = options.asked();
    (asked.journal, asked.run, asked.parent) = (Some(journal), Some(run), record.header.parent);
    let mut walk = Box::new(Walk::resumed(table, state, stand, options));
    let stop = walk.walk().await;
    walk.end(stop).map_err(ResumeError::Run)
}

/// Goes on with an interrupted run that the caller kept.
pub(crate) async fn proceed<S: State>(
    table: &Table<S>,
    state: S,
    waiting: &Waiting,
    mut options: RunOptions<S>,
) -> Result<Ended<S>, ResumeError<S>> {
    let run = waiting.run;
    if waiting.graph != table.fingerprint && !accepts_other(&options) {
        return Err(ResumeError::Load(LoadError::OtherGraph {
            run,
            recorded: Arc::from("unknown"),
            recorded_fingerprint: Arc::clone(&waiting.graph),
            present: Arc::clone(&table.name),
            fingerprint: Arc::clone(&table.fingerprint),
        }));
    }
    let stand = Stand {
        place: place(table, run, &waiting.at)?,
        step: waiting.step,
        used: used(table, &waiting.budgets),
        path: vec![],
        interrupted: true,
        marked: true,
    };
    options.asked().run = Some(run);
    let mut walk = Box::new(Walk::resumed(table, state, stand, options));
    let stop = walk.walk().await;
    walk.end(stop).map_err(ResumeError::Run)
}

/// The state after a step.
pub(crate) async fn state_at<S: State>(journal: &dyn Journal, run: RunId, step: u32) -> Result<S, LoadError> {
    let record = read(journal, run).await?;
    let Some(count) = record.steps.iter().position(|known| known.step == step) else {
        return Err(LoadError::NoSuchStep { run, step });
    };
    let steps = record.steps.get(..=count).unwrap_or_default();
    replay(journal, run, &record, steps).await
}

async fn read(journal: &dyn Journal, run: RunId) -> Result<RunRecord, LoadError> {
    journal.read(run).await?.ok_or(LoadError::UnknownRun { run })
}

/// The state after these steps of a run, from the nearest snapshot on.
async fn replay<S: State>(
    journal: &dyn Journal,
    run: RunId,
    record: &RunRecord,
    steps: &[StepRecord],
) -> Result<S, LoadError> {
    let mut ancestors: Vec<(RunId, RunRecord)> = vec![];
    loop {
        let (child, header) =
            ancestors.last().map_or((run, &record.header), |(run, record)| (*run, &record.header));
        if header.snapshot.is_some() {
            break;
        }
        let Some(parent) = header.parent else {
            return Err(damaged(child, "it has neither snapshot nor parent"));
        };
        let parent_record = read(journal, parent).await?;
        // Each ancestor is one nearer to a snapshot, so a circle of parents cannot trap the replay.
        if parent_record.header.since_snapshot.checked_add(1) != Some(header.since_snapshot) {
            return Err(damaged(child, "its parent is not one nearer to a snapshot"));
        }
        ancestors.push((parent, parent_record));
    }
    let (oldest, header) =
        ancestors.last().map_or((run, &record.header), |(run, record)| (*run, &record.header));
    let mut state = base(oldest, header)?;
    for (run, record) in ancestors.iter().rev() {
        apply(&mut state, *run, record.header.state_version, &record.steps)?;
    }
    apply(&mut state, run, record.header.state_version, steps)?;
    Ok(state)
}

fn base<S: State>(run: RunId, header: &Header) -> Result<S, LoadError> {
    let text = header.snapshot.as_deref().unwrap_or_default();
    let unreadable = |error: serde_json::Error| damaged(run, &format!("its snapshot: {error}"));
    if header.state_version == S::VERSION {
        return serde_json::from_str(text).map_err(unreadable);
    }
    let snapshot: Value = serde_json::from_str(text).map_err(unreadable)?;
    let snapshot = S::migrate_snapshot(header.state_version, snapshot)
        .map_err(|reason| other_state::<S>(run, header.state_version, reason))?;
    // As text, like those of this version: a second reader of values would be as large as the first.
    serde_json::from_str(&snapshot.to_string()).map_err(unreadable)
}

fn apply<S: State>(state: &mut S, run: RunId, version: u32, steps: &[StepRecord]) -> Result<(), LoadError> {
    for (expected, step) in (0..).zip(steps) {
        if step.step != expected {
            return Err(damaged(run, &format!("step {expected} is missing")));
        }
        let unreadable = |error: serde_json::Error| damaged(run, &format!("step {expected}: {error}"));
        let changes: Vec<S::Change> = if version == S::VERSION {
            serde_json::from_str(&step.changes).map_err(unreadable)?
        } else {
            let mut migrated = vec![];
            for change in serde_json::from_str::<Vec<Value>>(&step.changes).map_err(unreadable)? {
                let changes = S::migrate_change(version, change)
                    .map_err(|reason| other_state::<S>(run, version, reason))?;
                migrated.extend(changes);
            }
            serde_json::from_str(&Value::Array(migrated).to_string()).map_err(unreadable)?
        };
        caught("apply", || changes.iter().for_each(|change| state.apply(change)))
            .map_err(|error| damaged(run, &format!("step {expected}: {error}")))?;
    }
    Ok(())
}

fn place<S: State>(table: &Table<S>, run: RunId, frontier: &Frontier) -> Result<Place, LoadError> {
    let find = |node: &Arc<str>| {
        let unknown = || LoadError::UnknownNode { run, node: Arc::clone(node) };
        let index = table.by_id.get(node).copied().ok_or_else(unknown)?;
        Ok::<_, LoadError>((index, table.point(index).map(|point| &point.kind)))
    };
    match frontier {
        Frontier::End => Ok(Place::Before(END)),
        Frontier::Before(node) => match find(node)? {
            (index, Some(Kind::Node(_))) => Ok(Place::Before(index)),
            _ => Err(damaged(run, "it stands before something that is no node")),
        },
        Frontier::After(node) => match find(node)? {
            (END, _) => Err(damaged(run, "it stands after the end")),
            (START, _) => Ok(Place::After(START)),
            (index, _) => Ok(Place::After(index)),
        },
    }
}

fn accepts_other<S: State>(options: &RunOptions<S>) -> bool {
    options.asked.as_ref().is_some_and(|asked| asked.accept_other_graph)
}

fn used<S: State>(table: &Table<S>, budgets: &[(Arc<str>, u32)]) -> Vec<u32> {
    let used = |id: &Arc<str>| budgets.iter().find(|(known, _)| known == id).map_or(0, |(_, used)| *used);
    table.budgets.iter().map(|budget| used(&budget.id)).collect()
}

fn path<S: State>(table: &Table<S>, steps: &[StepRecord]) -> Vec<u32> {
    steps
        .iter()
        .filter(|step| is_node(step))
        .filter_map(|step| table.by_id.get(&step.node).copied())
        .collect()
}

fn is_node(step: &StepRecord) -> bool {
    !step.node.starts_with('[')
}

fn damaged(run: RunId, problem: &str) -> LoadError {
    LoadError::Damaged { run, problem: problem.to_owned() }
}

fn other_state<S: State>(run: RunId, recorded: u32, reason: String) -> LoadError {
    LoadError::OtherState { run, recorded, present: S::VERSION, reason }
}
