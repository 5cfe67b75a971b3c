//! The executor: one loop that runs a node, applies its changes, takes the edge and writes it down.

use std::any::Any;
use std::borrow::Cow;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tracing::Span;

use super::budget::Budgets;
use super::context::{Context, IdSource, ProgressSink, RunId, SystemIds};
use super::error::{RunError, RunErrorKind};
use super::event::{BudgetUse, Event, Observer, RunEnd};
use super::journal::Frontier;
use super::node::{DynNode, Outcome, State};
use super::run::{Ended, RunOptions, Waiting};
use super::table::{END, Kind, Next, START, Table};

/// Where a walk stands: the indexed form of [`Frontier`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Before(u32),
    After(u32),
}

/// A run between two of its steps.
pub(crate) struct Walk<'g, S: State> {
    table: &'g Table<S>,
    state: S,
    place: Place,
    step: u32,
    used: Vec<u32>,
    path: Vec<u32>,
    context: Context,
    observers: Arc<Observers<S>>,
    options: RunOptions<S>,
    began: Duration,
}

/// The observers of a run, shared with the context so that nodes can be heard.
pub(crate) struct Observers<S: State>(Vec<Arc<dyn Observer<S>>>);

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
enum Stop {
    Finished,
    Interrupted(Value),
}

type Fallible<T> = Result<T, RunErrorKind>;

impl<'g, S: State> Walk<'g, S> {
    /// A walk that has not begun.
    pub(crate) fn new(table: &'g Table<S>, state: S, mut options: RunOptions<S>) -> Self {
        let run = options.run.unwrap_or_else(|| {
            RunId::new(options.ids.as_ref().map_or_else(|| SystemIds.next_id(), |ids| ids.next_id()))
        });
        let observers = Arc::new(Observers(std::mem::take(&mut options.observers)));
        let sink = (!observers.0.is_empty()).then(|| Arc::clone(&observers) as Arc<dyn ProgressSink>);
        let context = Context {
            run,
            step: 0,
            node: Arc::clone(&table.name),
            clock: options.clock.clone(),
            ids: options.ids.clone(),
            cancellation: options.cancellation.clone(),
            deadline: options.deadline,
            sink,
        };
        let began = context.elapsed();
        Self {
            table,
            state,
            place: Place::After(START),
            step: 0,
            used: vec![0; table.budgets.len()],
            path: vec![],
            context,
            observers,
            options,
            began,
        }
    }

    /// Walks to the end, a pause or an error.
    pub(crate) async fn walk(mut self) -> Result<Ended<S>, RunError<S>> {
        let run = self.context.run;
        self.emit(Event::RunStarted {
            run,
            graph: Cow::Borrowed(&self.table.name),
            parent: self.options.parent,
            resumed: false,
        });
        let stop = self.steps().await;
        let (end, error) = match &stop {
            Ok(Stop::Finished) => (RunEnd::Finished, None),
            Ok(Stop::Interrupted(_)) => (RunEnd::Interrupted, None),
            Err(kind) => (RunEnd::Failed, Some(kind.to_string())),
        };
        let took_us = micros(self.context.elapsed().saturating_sub(self.began));
        self.emit(Event::RunFinished { run, step: self.step, end, error: error.map(Cow::Owned), took_us });
        let path = self.path.iter().map(|point| self.id(*point)).collect();
        match stop {
            Ok(Stop::Finished) => Ok(Ended::Finished { run, state: self.state, path, step: self.step }),
            Ok(Stop::Interrupted(request)) => {
                let waiting = Waiting {
                    run,
                    graph: Arc::clone(&self.table.fingerprint),
                    at: self.frontier(),
                    step: self.step,
                    budgets: self.budgets_used(),
                };
                Ok(Ended::Interrupted { run, state: self.state, path, request, waiting })
            }
            Err(kind) => {
                let (Place::Before(point) | Place::After(point)) = self.place;
                let node = (point != START).then(|| self.id(point));
                Err(RunError { run, kind, node, step: self.step, state: Box::new(self.state), path })
            }
        }
    }

    async fn steps(&mut self) -> Fallible<Stop> {
        let input = std::mem::take(&mut self.options.input);
        self.apply("[start]", &input)?;
        self.advance()?;
        loop {
            let point = match self.place {
                Place::Before(END) => return Ok(Stop::Finished),
                Place::Before(point) => point,
                Place::After(_) => return Err(RunErrorKind::Bug("a step begins at an exit")),
            };
            if self.options.pause_before.iter().any(|node| **node == *self.table.id(point)) {
                return Ok(Stop::Interrupted(json!({ "pause": "before", "node": self.table.id(point) })));
            }
            if self.step >= self.options.step_limit {
                return Err(self.step_limit(point));
            }
            let table = self.table;
            let Some(Kind::Node(node)) = table.point(point).map(|point| &point.kind) else {
                return Err(RunErrorKind::Bug("a step begins where there is no node"));
            };
            let outcome = self.run_node(point, node.as_ref()).await?;
            let (changes, request) = match outcome {
                Outcome::Done(changes) => (changes, None),
                Outcome::Interrupt { changes, request } => (changes, Some(request)),
            };
            self.step += 1;
            self.apply(table.id(point), &changes)?;
            self.path.push(point);
            self.place = Place::After(point);
            if let Some(request) = request {
                return Ok(Stop::Interrupted(request));
            }
            if self.options.pause_after.iter().any(|node| **node == *table.id(point)) {
                return Ok(Stop::Interrupted(json!({ "pause": "after", "node": table.id(point) })));
            }
            self.advance()?;
        }
    }

    async fn run_node(&mut self, point: u32, node: &dyn DynNode<S>) -> Fallible<Outcome<S::Change>> {
        self.context.step = self.step + 1;
        self.context.node = self.id(point);
        self.context.deadline = match (self.options.deadline, self.options.node_timeout) {
            (deadline, Some(timeout)) => {
                let limit = Instant::now() + timeout;
                Some(deadline.map_or(limit, |deadline| deadline.min(limit)))
            }
            (deadline, None) => deadline,
        };
        let result = drive(node, &self.state, &self.context, &Span::none()).await;
        result
    }

    fn apply(&mut self, _node: &str, changes: &[S::Change]) -> Fallible<()> {
        let state = &mut self.state;
        caught("apply", || changes.iter().for_each(|change| state.apply(change)))
    }

    /// Follows edges until the next node or the end.
    fn advance(&mut self) -> Fallible<()> {
        loop {
            let Place::After(from) = self.place else { return Ok(()) };
            let table = self.table;
            let point = table.point(from).ok_or(RunErrorKind::Bug("a walk stands nowhere"))?;
            let edge = match &point.next {
                Next::Stop => return Err(RunErrorKind::Bug("a walk stands at a dead end")),
                Next::One(edge) => *edge,
                Next::Choice { name, decision, first, count } => {
                    let budgets = Budgets::new(&table.budgets, &self.used, point.scope);
                    let branch = caught("decision", || decision.decide_index(&self.state, &budgets))?;
                    if let Some(budget) = budgets.into_unknown() {
                        return Err(RunErrorKind::UnknownBudget { budget, decision: name });
                    }
                    match u32::try_from(branch) {
                        Ok(branch) if branch < *count => first + branch,
                        _ => return Err(RunErrorKind::Bug("a branch is not in its list")),
                    }
                }
            };
            self.take(edge)?;
        }
    }

    fn take(&mut self, edge: u32) -> Fallible<()> {
        let table = self.table;
        let edge = table.edge(edge).ok_or(RunErrorKind::Bug("an edge is not in the table"))?;
        let mut budget_use = None;
        if let Some(index) = edge.budget {
            let budget = table.budgets.get(index as usize).ok_or(RunErrorKind::Bug("no such budget"))?;
            let used = self.used.get_mut(index as usize).ok_or(RunErrorKind::Bug("no such budget"))?;
            if *used >= budget.limit {
                return Err(RunErrorKind::BudgetSpent {
                    budget: Arc::clone(&budget.id),
                    limit: budget.limit,
                    decision: edge.decision.unwrap_or_default(),
                    branch: edge.branch.unwrap_or_default(),
                });
            }
            *used += 1;
            budget_use =
                Some(BudgetUse { name: Cow::Borrowed(&*budget.id), used: *used, limit: budget.limit });
        }
        if let (Some(decision), Some(branch)) = (edge.decision, edge.branch) {
            self.emit(Event::Decided {
                run: self.context.run,
                step: self.step,
                at: Cow::Borrowed(table.id(edge.from)),
                decision: Cow::Borrowed(decision),
                branch: Cow::Borrowed(branch),
                to: Cow::Borrowed(table.id(edge.to)),
                budget: budget_use,
            });
        }
        self.place = match table.point(edge.to).map(|point| &point.kind) {
            Some(Kind::Node(_) | Kind::End) => Place::Before(edge.to),
            Some(Kind::Enter(cluster)) => {
                for (budget, used) in table.budgets.iter().zip(&mut self.used) {
                    if budget.cluster == Some(*cluster) {
                        *used = 0;
                    }
                }
                Place::After(edge.to)
            }
            Some(Kind::Leave) => Place::After(edge.to),
            Some(Kind::Start) | None => return Err(RunErrorKind::Bug("an edge leads nowhere")),
        };
        Ok(())
    }

    fn step_limit(&self, next: u32) -> RunErrorKind {
        let since = self.path.iter().rposition(|point| *point == next);
        let repeating = since.map_or_else(Vec::new, |since| {
            self.path.iter().skip(since).map(|point| self.id(*point)).collect()
        });
        RunErrorKind::StepLimit { limit: self.options.step_limit, repeating }
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

    fn emit(&self, event: Event<'_, S::Change>) {
        self.observers.emit(&event);
    }
}

/// Runs one node; its panic becomes an error.
async fn drive<S: State>(
    node: &dyn DynNode<S>,
    state: &S,
    context: &Context,
    span: &Span,
) -> Fallible<Outcome<S::Change>> {
    let mut future = caught("node", || node.run_boxed(state, context))?;
    let work = poll_fn(|cx| {
        let _entered = span.enter();
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(result)) => Poll::Ready(result.map_err(RunErrorKind::NodeFailed)),
            Err(panic) => Poll::Ready(Err(panicked("node", &*panic))),
        }
    });
    pin!(work).await
}

fn caught<T>(what: &'static str, work: impl FnOnce() -> T) -> Fallible<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panicked(what, &*panic))
}

fn panicked(what: &'static str, panic: &(dyn Any + Send)) -> RunErrorKind {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    RunErrorKind::Panicked { what, message }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
