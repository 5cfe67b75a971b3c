//! The executor: one loop that runs a node, applies its changes, takes the edge and writes it down.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tracing::{Span, debug, info_span};
use uuid::Uuid;

use super::context::{Context, Given, ProgressSink, RunId};
use super::drive::{Done, Limit, caught, drive};
use super::error::{RunError, RunErrorKind};
use super::event::{Event, Observer, RunEnd};
use super::journal::{Frontier, Mark, StepRecord};
use super::journal_writer::{self, JournalWriter};
use super::node::State;
use super::run::{Asked, Ended, NodePath, RunOptions, Waiting};
use super::table::{END, Kind, START, Table};

/// Where a walk stands: the indexed form of [`Frontier`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Before(u32),
    After(u32),
}

/// Where an earlier walk left off.
pub(crate) struct Stand {
    pub(crate) place: Place,
    pub(crate) step: u32,
    pub(crate) used: Vec<u32>,
    pub(crate) path: Vec<u32>,
    /// Whether it waits for an answer, so that it must not pause at the same place again.
    pub(crate) interrupted: bool,
    /// Whether the journal says anything but that it is being walked.
    pub(crate) marked: bool,
}

/// A run between two of its steps.
pub(crate) struct Walk<'g, S: State> {
    pub(super) table: &'g Table<S>,
    pub(super) state: S,
    pub(super) place: Place,
    pub(super) step: u32,
    /// How often each budget was used; empty until one is.
    pub(super) used: Vec<u32>,
    path: Vec<u32>,
    resumed: bool,
    /// Whether the pause before the next node was answered already.
    pub(super) answered: bool,
    pub(super) context: Context,
    /// None where nobody watches.
    observers: Option<Arc<Observers<S>>>,
    input: Vec<S::Change>,
    step_limit: u32,
    pub(super) asked: Option<Box<Asked<S>>>,
    pub(super) writer: Option<Box<JournalWriter>>,
    pub(super) span: Span,
}

/// The observers of a run, shared with the context so that nodes can be heard.
struct Observers<S: State>(Vec<Arc<dyn Observer<S>>>);

impl<S: State> Observers<S> {
    fn emit(&self, event: &Event<'_, S::Change>) {
        for observer in &self.0 {
            observer.on_event(event);
        }
    }
}

impl<S: State> ProgressSink for Observers<S> {
    fn progress(&self, run: RunId, step: u32, node: &str, message: &str) {
        self.emit(&Event::Progress { run, step, node: Cow::Borrowed(node), message: Cow::Borrowed(message) });
    }
}

/// Why the loop stops.
pub(crate) enum Stop {
    Finished,
    // In a box, because it passes through every step, and rarely is one.
    Interrupted(Box<Value>),
}

pub(crate) type Fallible<T> = Result<T, RunErrorKind>;

impl<'g, S: State> Walk<'g, S> {
    /// A walk that has not begun.
    pub(crate) fn new(table: &'g Table<S>, state: S, options: RunOptions<S>) -> Self {
        let RunOptions { input, step_limit, mut asked } = options;
        let observers = asked.as_mut().map(|asked| std::mem::take(&mut asked.observers));
        let observers = observers.filter(|all| !all.is_empty()).map(|all| Arc::new(Observers(all)));
        let given = asked.as_ref().map(|asked| {
            Arc::new(Given {
                clock: asked.clock.clone(),
                ids: asked.ids.clone(),
                cancellation: asked.cancellation.clone(),
                pauses: !asked.pause_before.is_empty() || !asked.pause_after.is_empty(),
                sink: observers.clone().map(|observers| observers as Arc<dyn ProgressSink>),
            })
        });
        let mut context = Context {
            run: RunId::new(Uuid::nil()),
            step: 0,
            names: Arc::clone(&table.names),
            at: START,
            deadline: asked.as_ref().and_then(|asked| asked.deadline),
            given,
        };
        let run = asked.as_ref().and_then(|asked| asked.run).unwrap_or_else(|| RunId::new(context.new_id()));
        context.run = run;
        Self {
            table,
            state,
            place: Place::After(START),
            step: 0,
            used: vec![],
            path: Vec::with_capacity(8),
            resumed: false,
            answered: false,
            context,
            observers,
            writer: asked.as_ref().and_then(|asked| JournalWriter::new(asked, run)),
            input,
            step_limit,
            asked,
            span: info_span!("run", graph = %table.name, run = %run),
        }
    }

    /// A walk that goes on where an earlier one left off.
    pub(crate) fn resumed(table: &'g Table<S>, state: S, stand: Stand, options: RunOptions<S>) -> Self {
        let mut walk = Self::new(table, state, options);
        if let Some(writer) = &mut walk.writer {
            writer.go_on(stand.step, stand.marked);
        }
        walk.answered = stand.interrupted;
        Self {
            place: stand.place,
            step: stand.step,
            used: stand.used,
            path: stand.path,
            resumed: true,
            ..walk
        }
    }

    /// Walks to the end, a pause or an error.
    // By reference, because a future that owns the walk would move it once more for every level of calls.
    pub(crate) async fn walk(&mut self) -> Result<Stop, RunErrorKind> {
        let run = self.context.run;
        let began = self.time();
        self.emit(|| Event::RunStarted {
            run,
            graph: Cow::Borrowed(&self.table.name),
            parent: self.asked.as_ref().and_then(|asked| asked.parent),
            resumed: self.resumed,
        });
        let mut stop = self.begin_and_walk(began).await;
        if let Err(kind) = &stop {
            let kind = self.mark_failed(kind).await;
            stop = kind.map_or(stop, Err);
        }
        let (end, error) = match &stop {
            Ok(Stop::Finished) => (RunEnd::Finished, None),
            Ok(Stop::Interrupted(request)) => {
                let (Place::Before(point) | Place::After(point)) = self.place;
                let node = Cow::Borrowed(self.table.id(point));
                self.emit(|| Event::Interrupted {
                    run,
                    step: self.step,
                    node,
                    request: Cow::Borrowed(request),
                });
                (RunEnd::Interrupted, None)
            }
            Err(kind) => {
                debug!(parent: &self.span, error = %kind, "failed");
                (RunEnd::Failed, self.observers.is_some().then(|| Cow::Owned(kind.to_string())))
            }
        };
        let took_us = micros(self.time().saturating_sub(began));
        self.emit(|| Event::RunFinished { run, step: self.step, end, error, took_us });
        stop
    }

    /// What the walk came to.
    pub(crate) fn end(self, stop: Result<Stop, RunErrorKind>) -> Result<Ended<S>, RunError<S>> {
        let run = self.context.run;
        let step = self.step;
        match stop {
            Ok(Stop::Finished) => {
                let path = NodePath::new(self.context.names, self.path);
                Ok(Ended::Finished { run, state: self.state, path, step })
            }
            Ok(Stop::Interrupted(request)) => {
                let waiting = Waiting {
                    run,
                    graph: Arc::clone(&self.table.fingerprint),
                    at: self.frontier(),
                    step,
                    budgets: self.budgets_used(),
                };
                let path = NodePath::new(self.context.names, self.path);
                Ok(Ended::Interrupted { run, state: self.state, path, request: *request, waiting })
            }
            Err(kind) => {
                let (Place::Before(point) | Place::After(point)) = self.place;
                let node = (point != START).then(|| self.id(point));
                let path = NodePath::new(self.context.names, self.path);
                Err(RunError { run, kind, node, step, state: Box::new(self.state), path: path.into() })
            }
        }
    }

    async fn begin_and_walk(&mut self, mut now: Duration) -> Fallible<Stop> {
        self.check_pauses()?;
        let input = std::mem::take(&mut self.input);
        if !self.resumed {
            if let Some(writer) = &mut self.writer {
                // In boxes, here and below: what only a journal needs would make the future of every walk larger.
                Box::pin(writer.begin(self.table, &self.state, self.asked.as_deref(), &self.context)).await?;
            }
            self.apply(0, "[start]", &input)?;
            let stop = match self.writer {
                None => self.move_on()?,
                Some(_) => self.settle("[start]", &input, None, 0).await?,
            };
            if let Some(stop) = stop {
                return Ok(stop);
            }
        } else if self.answered || !input.is_empty() || matches!(self.place, Place::After(_)) {
            self.apply(self.step + 1, "[answer]", &input)?;
            self.step += 1;
            if let Some(stop) = self.settle("[answer]", &input, None, 0).await? {
                return Ok(stop);
            }
        }
        loop {
            let point = match self.place {
                Place::Before(END) => {
                    if let Some(writer) = &mut self.writer {
                        Box::pin(writer.write(self.context.run, Some(Mark::Finished))).await?;
                    }
                    return Ok(Stop::Finished);
                }
                Place::Before(point) => point,
                Place::After(_) => return Err(RunErrorKind::Bug("a step begins at an exit")),
            };
            if self.step >= self.step_limit {
                return Err(self.step_limit(point));
            }
            if self.asked.is_some() {
                self.check_time()?;
            }
            let started = now;
            let Done { changes, request } = self.run_node(point).await?;
            self.answered = false;
            self.apply(self.step + 1, self.table.id(point), &changes)?;
            self.step += 1;
            self.path.push(point);
            self.place = Place::After(point);
            now = self.time();
            let took_us = micros(now.saturating_sub(started));
            let node = self.table.id(point);
            self.emit(|| Event::NodeFinished {
                run: self.context.run,
                step: self.step,
                node: Cow::Borrowed(node),
                took_us,
            });
            let stop = match (&self.writer, request) {
                (None, None) => self.move_on()?,
                (_, request) => self.settle(node, &changes, request, took_us).await?,
            };
            if let Some(stop) = stop {
                return Ok(stop);
            }
            if self.writer.is_some() {
                // What the journal took is not the next node's time.
                now = self.time();
            }
        }
    }

    async fn run_node(&mut self, point: u32) -> Fallible<Done<S::Change>> {
        let table = self.table;
        let Some(Kind::Node(node)) = table.point(point).map(|point| &point.kind) else {
            return Err(RunErrorKind::Bug("a step begins where there is no node"));
        };
        let step = self.step + 1;
        let id = table.id(point);
        let limit = self.asked.as_ref().and_then(|asked| Limit::first(asked.deadline, asked.node_timeout));
        self.emit(|| Event::NodeStarted { run: self.context.run, step, node: Cow::Borrowed(id) });
        let span = info_span!(parent: &self.span, "node", node = %id, step);
        self.context.step = step;
        self.context.at = point;
        self.context.deadline = limit.map(|limit| limit.at);
        drive(node.as_ref(), &self.state, &self.context, limit.as_ref(), &span).await
    }

    /// Applies the changes of a step and shows them.
    fn apply(&mut self, step: u32, node: &str, changes: &[S::Change]) -> Fallible<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let state = &mut self.state;
        caught("apply", || changes.iter().for_each(|change| state.apply(change)))?;
        for change in changes.iter().filter(|_| self.observers.is_some()) {
            self.emit(|| Event::Changed {
                run: self.context.run,
                step,
                node: Cow::Borrowed(node),
                change: Cow::Borrowed(change),
            });
        }
        Ok(())
    }

    /// Moves on after a step, finds out whether to stop there, and writes the step down.
    async fn settle(
        &mut self,
        node: &str,
        changes: &[S::Change],
        request: Option<Box<Value>>,
        took_us: u64,
    ) -> Fallible<Option<Stop>> {
        let moved = match request {
            Some(request) => Ok(Some(Stop::Interrupted(request))),
            None => self.move_on(),
        };
        if self.writer.is_some() {
            Box::pin(self.write_down(node, changes, &moved, took_us)).await?;
        }
        moved
    }

    /// Writes a step down, and what came of it.
    async fn write_down(
        &mut self,
        node: &str,
        changes: &[S::Change],
        moved: &Fallible<Option<Stop>>,
        took_us: u64,
    ) -> Fallible<()> {
        let mark = match moved {
            Ok(None) => None,
            Ok(Some(Stop::Finished)) => Some(Mark::Finished),
            Ok(Some(Stop::Interrupted(request))) => Some(Mark::Interrupted { request: (**request).clone() }),
            Err(kind) => Some(Mark::Failed { error: kind.to_string() }),
        };
        let (next, budgets, at) = (self.frontier(), self.budgets_used(), self.context.now());
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let record = StepRecord {
            step: self.step,
            node: node.into(),
            changes: journal_writer::json(changes)?,
            decided: std::mem::take(&mut writer.decided),
            next,
            budgets,
            at,
            took_us,
        };
        writer.step(self.context.run, record, mark).await
    }

    /// Writes down that the run failed. A journal that cannot be written is not asked to write that.
    async fn mark_failed(&mut self, kind: &RunErrorKind) -> Option<RunErrorKind> {
        let writer = self.writer.as_mut()?;
        if matches!(kind, RunErrorKind::Journal(_)) {
            return None;
        }
        Box::pin(writer.fail(self.context.run, kind.to_string())).await.err()
    }

    /// Whether the run may go on at all.
    fn check_time(&self) -> Fallible<()> {
        if self.context.is_cancelled() {
            return Err(RunErrorKind::Cancelled);
        }
        let deadline = self.asked.as_ref().and_then(|asked| asked.deadline);
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(RunErrorKind::DeadlinePassed);
        }
        Ok(())
    }

    /// A pause point that does not exist would silently never pause.
    fn check_pauses(&self) -> Fallible<()> {
        let Some(asked) = &self.asked else { return Ok(()) };
        let mut pauses = asked.pause_before.iter().chain(&asked.pause_after);
        let is_node = |id: &Arc<str>| {
            let point = self.table.by_id.get(id).and_then(|point| self.table.point(*point));
            point.is_some_and(|point| matches!(point.kind, Kind::Node(_)))
        };
        pauses.find(|id| !is_node(id)).map_or(Ok(()), |id| Err(RunErrorKind::UnknownNode(Arc::clone(id))))
    }

    fn step_limit(&self, next: u32) -> RunErrorKind {
        let since = self.path.iter().rposition(|point| *point == next);
        let repeating = since.map_or_else(Vec::new, |since| {
            self.path.iter().skip(since).map(|point| self.id(*point)).collect()
        });
        RunErrorKind::StepLimit { limit: self.step_limit, repeating }
    }

    fn frontier(&self) -> Frontier {
        match self.place {
            Place::Before(END) => Frontier::End,
            Place::Before(point) => Frontier::Before(self.id(point)),
            Place::After(point) => Frontier::After(self.id(point)),
        }
    }

    fn budgets_used(&self) -> Vec<(Arc<str>, u32)> {
        let budgets = self.table.budgets.iter().zip(&self.used);
        budgets.filter(|(_, used)| **used > 0).map(|(budget, used)| (Arc::clone(&budget.id), *used)).collect()
    }

    fn id(&self, point: u32) -> Arc<str> {
        self.table.point(point).map_or_else(|| Arc::clone(&self.table.name), |point| Arc::clone(&point.id))
    }

    /// The time for durations; nobody reads it when there is nobody to tell.
    fn time(&self) -> Duration {
        if self.writer.is_some() || self.observers.is_some() {
            self.context.elapsed()
        } else {
            Duration::ZERO
        }
    }

    /// Tells the observers; where nobody watches, nothing is made to be told.
    pub(super) fn emit<'e>(&self, event: impl FnOnce() -> Event<'e, S::Change>) {
        if let Some(observers) = &self.observers {
            observers.emit(&event());
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
