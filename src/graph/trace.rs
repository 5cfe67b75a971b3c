//! Recorded runs: what a drawing needs to paint the path that was taken.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::context::RunId;
use super::event::{Event, Observer, RunEnd};
use super::journal::{Choice, Frontier, Mark, RunRecord};
use super::node::State;

/// The path of one run, in a form that can be saved and drawn later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The name of the graph.
    pub graph: Arc<str>,
    /// The run.
    pub run: RunId,
    /// The steps in order; the first is the start.
    pub steps: Vec<TraceStep>,
    /// How it ended; `None` while it runs.
    pub end: Option<RunEnd>,
}

/// One step of a recorded run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceStep {
    /// The node's id, or `[start]` for the input and `[answer]` for an answer.
    pub node: Arc<str>,
    /// How long it took, in microseconds.
    pub took_us: u64,
    /// How many changes it made.
    pub changes: usize,
    /// The decisions taken after it.
    pub decided: Vec<Choice>,
    /// Where the walk stood then.
    pub next: Frontier,
}

impl TraceStep {
    fn new(node: &str) -> Self {
        let next = Frontier::After(node.into());
        Self { node: node.into(), took_us: 0, changes: 0, decided: vec![], next }
    }
}

impl Trace {
    /// The trace of a run that a journal holds.
    pub fn of_record(run: RunId, record: &RunRecord) -> Self {
        let steps = record.steps.iter().map(|step| TraceStep {
            node: Arc::clone(&step.node),
            took_us: step.took_us,
            changes: serde_json::from_str::<Vec<serde::de::IgnoredAny>>(&step.changes)
                .map_or(0, |all| all.len()),
            decided: step.decided.clone(),
            next: step.next.clone(),
        });
        let end = match record.mark {
            Mark::Running => None,
            Mark::Finished => Some(RunEnd::Finished),
            Mark::Interrupted { .. } => Some(RunEnd::Interrupted),
            Mark::Failed { .. } | Mark::Abandoned { .. } => Some(RunEnd::Failed),
        };
        Self { graph: Arc::clone(&record.header.graph), run, steps: steps.collect(), end }
    }

    /// The nodes that ran, in order.
    pub fn path(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|step| &*step.node).filter(|node| !node.starts_with('['))
    }
}

/// An observer that keeps the [`Trace`] of every run it sees.
///
/// ```
/// # use std::sync::Arc;
/// # use serde::{Deserialize, Serialize};
/// # use sqlogue::graph::*;
/// # #[derive(Clone, Default, Serialize, Deserialize)] struct Basket;
/// # impl State for Basket {
/// #     type Change = ();
/// #     const VERSION: u32 = 1;
/// #     fn apply(&mut self, _: &()) {}
/// # }
/// # nodes! { enum Room { Only => "only" } }
/// # let graph = Graph::<Basket>::builder::<Room>("house").start(Room::Only)
/// #     .node(Room::Only, node_fn(|_: &Basket, _| Ok(Outcome::Done(vec![])))).end(Room::Only).build().unwrap();
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let recorder = Arc::new(Recorder::new());
/// graph.run(Basket, RunOptions::new().observer(recorder.clone())).await.unwrap();
/// let trace = recorder.last().unwrap();
/// assert_eq!(trace.path().collect::<Vec<_>>(), ["only"]);
/// # });
/// ```
#[derive(Debug, Default)]
pub struct Recorder {
    traces: Mutex<Vec<Trace>>,
}

impl Recorder {
    /// A recorder that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Every run so far, in the order they started.
    pub fn traces(&self) -> Vec<Trace> {
        self.traces.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The run that started last.
    pub fn last(&self) -> Option<Trace> {
        self.traces.lock().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }

    fn with(&self, run: RunId, change: impl FnOnce(&mut Trace)) {
        let mut traces = self.traces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(trace) = traces.iter_mut().rfind(|trace| trace.run == run) {
            change(trace);
        }
    }

    /// Changes the last step, which is there since the run started.
    fn with_step(&self, run: RunId, change: impl FnOnce(&mut TraceStep)) {
        self.with(run, |trace| {
            if let Some(step) = trace.steps.last_mut() {
                change(step);
            }
        });
    }
}

impl<S: State> Observer<S> for Recorder {
    fn on_event(&self, event: &Event<'_, S::Change>) {
        match event {
            Event::RunStarted { run, graph, resumed, .. } => {
                let mut traces = self.traces.lock().unwrap_or_else(PoisonError::into_inner);
                let known = traces.iter_mut().rfind(|trace| trace.run == *run);
                match known.filter(|_| *resumed) {
                    Some(trace) => trace.steps.push(TraceStep::new("[answer]")),
                    None => {
                        let first = TraceStep::new(if *resumed { "[answer]" } else { "[start]" });
                        let graph = (**graph).into();
                        traces.push(Trace { graph, run: *run, steps: vec![first], end: None });
                    }
                }
            }
            Event::NodeStarted { run, node, .. } => self.with(*run, |trace| {
                if let Some(last) = trace.steps.last_mut() {
                    last.next = Frontier::Before((**node).into());
                }
                trace.steps.push(TraceStep::new(node));
            }),
            Event::Changed { run, .. } => self.with_step(*run, |step| step.changes += 1),
            Event::Progress { .. } => {}
            Event::NodeFinished { run, took_us, .. } => self.with_step(*run, |step| step.took_us = *took_us),
            Event::Decided { run, at, decision, branch, .. } => self.with_step(*run, |step| {
                step.decided.push(Choice {
                    at: (**at).into(),
                    decision: (**decision).into(),
                    branch: (**branch).into(),
                });
            }),
            Event::Interrupted { run, node, .. } => self.with_step(*run, |step| {
                if *step.node != **node {
                    step.next = Frontier::Before((**node).into());
                }
            }),
            Event::RunFinished { run, end, .. } => self.with(*run, |trace| {
                trace.end = Some(*end);
                if let (RunEnd::Finished, Some(last)) = (end, trace.steps.last_mut()) {
                    last.next = Frontier::End;
                }
            }),
        }
    }
}
