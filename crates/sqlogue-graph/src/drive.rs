//! Runs one node: its panic becomes an error, and the clock and the cancellation token can stop it.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::time::Sleep;
use tokio_util::sync::WaitForCancellationFuture;
use tracing::Span;

use super::context::Context;
use super::error::RunErrorKind;
use super::node::{DynNode, NodeError, NodeFuture, Outcome, State};

/// When a node has to be done, and what it means when it is not.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    /// When.
    pub(crate) at: Instant,
    /// The node's own timeout, if that comes before the run's deadline.
    pub(crate) timeout: Option<Duration>,
}

impl Limit {
    /// Whichever comes first of the run's deadline and the node's timeout.
    pub(crate) fn first(deadline: Option<Instant>, timeout: Option<Duration>) -> Option<Self> {
        let own = timeout.map(|timeout| Self { at: Instant::now() + timeout, timeout: Some(timeout) });
        match (own, deadline) {
            (Some(own), Some(deadline)) if deadline < own.at => Some(Self { at: deadline, timeout: None }),
            (Some(own), _) => Some(own),
            (None, deadline) => deadline.map(|at| Self { at, timeout: None }),
        }
    }

    fn error(&self) -> RunErrorKind {
        self.timeout.map_or(RunErrorKind::DeadlinePassed, RunErrorKind::NodeTimedOut)
    }
}

/// What a node's work came to, small enough to be handed on at every step.
pub(crate) struct Done<C> {
    pub(crate) changes: Vec<C>,
    pub(crate) request: Option<Box<Value>>,
}

/// Runs one node.
pub(crate) async fn drive<S: State>(
    node: &dyn DynNode<S>,
    state: &S,
    context: &Context,
    limit: Option<&Limit>,
    span: &Span,
) -> Result<Done<S::Change>, RunErrorKind> {
    let mut work: Option<NodeFuture<'_, S::Change>> = None;
    // Timer and token are armed only when the node has to wait: most nodes are done at the first poll.
    let mut timer: Option<Pin<Box<Sleep>>> = None;
    let mut cancelled: Option<Pin<Box<WaitForCancellationFuture<'_>>>> = None;
    poll_fn(|cx| {
        // Making the future is the node's own code too, and may panic as well.
        let work = || work.get_or_insert_with(|| node.run_boxed(state, context)).as_mut().poll(cx);
        if let Poll::Ready(result) = polled(work, span) {
            return Poll::Ready(result);
        }
        if let Some(limit) = limit {
            let at = tokio::time::Instant::from_std(limit.at);
            // Without tokio's timer the sleep panics; that is an error of the caller, and a typed one.
            let rang = caught("timer", || {
                timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at))).as_mut().poll(cx)
            });
            match rang {
                Ok(Poll::Pending) => {}
                Ok(Poll::Ready(())) => return Poll::Ready(Err(limit.error())),
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        if let Some(token) = context.token() {
            let fired = cancelled.get_or_insert_with(|| Box::pin(token.cancelled()));
            if fired.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(RunErrorKind::Cancelled));
            }
        }
        Poll::Pending
    })
    .await
}

fn polled<C>(
    work: impl FnOnce() -> Poll<Result<Outcome<C>, NodeError>>,
    span: &Span,
) -> Poll<Result<Done<C>, RunErrorKind>> {
    let _entered = span.enter();
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(Ok(Outcome::Done(changes)))) => Poll::Ready(Ok(Done { changes, request: None })),
        Ok(Poll::Ready(Ok(Outcome::Interrupt { changes, request }))) => {
            Poll::Ready(Ok(Done { changes, request: Some(Box::new(request)) }))
        }
        Ok(Poll::Ready(Err(error))) => Poll::Ready(Err(RunErrorKind::NodeFailed(error))),
        Err(panic) => Poll::Ready(Err(panicked("node", &*panic))),
    }
}

/// Turns a panic into an error.
pub(crate) fn caught<T>(what: &'static str, work: impl FnOnce() -> T) -> Result<T, RunErrorKind> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panicked(what, &*panic))
}

fn panicked(what: &'static str, panic: &(dyn Any + Send)) -> RunErrorKind {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    RunErrorKind::Panicked { what, message }
}
