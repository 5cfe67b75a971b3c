//! What a graph works on ([`State`]) and what works on it ([`Node`]).

use std::error::Error;
use std::fmt::{self, Debug, Display};
use std::future::Future;
use std::pin::Pin;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::context::Context;

/// The value a graph is walked over.
///
/// A node only reads it; a run changes it only by [`apply`](State::apply). The list of changes is what
/// the journal keeps, so a state must be a function of the changes applied to it: `apply` uses no clock, no
/// randomness and nothing outside `self` and the change.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use sqlogue::graph::State;
///
/// #[derive(Clone, Default, Serialize, Deserialize)]
/// struct Basket { apples: u32 }
///
/// #[derive(Clone, Debug, Serialize, Deserialize)]
/// enum Change { ApplesAdded(u32) }
///
/// impl State for Basket {
///     type Change = Change;
///     const VERSION: u32 = 1;
///
///     fn apply(&mut self, change: &Change) {
///         match change { Change::ApplesAdded(count) => self.apples += count }
///     }
/// }
/// ```
pub trait State: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// One thing that can happen to the state.
    type Change: Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The version of the saved form of the state and its changes. Raise it when old JSON no longer parses.
    const VERSION: u32;

    /// Lets one change happen.
    fn apply(&mut self, change: &Self::Change);

    /// Turns a snapshot saved by an older `version` into the JSON of the present one.
    ///
    /// # Errors
    /// Says why not. The provided method refuses every version.
    fn migrate_snapshot(version: u32, _snapshot: serde_json::Value) -> Result<serde_json::Value, String> {
        Err(format!("no migration from version {version}"))
    }

    /// Turns one change journaled by an older `version` into the JSON of the changes that replace it.
    ///
    /// # Errors
    /// Says why not. The provided method refuses every version.
    fn migrate_change(version: u32, _change: serde_json::Value) -> Result<Vec<serde_json::Value>, String> {
        Err(format!("no migration from version {version}"))
    }
}

/// One step of work: reads the state and says what changes.
///
/// Expected failures (a query that does not run, nothing found) are changes like any other, so that a
/// decision can route them. An `Err` ends the run.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use sqlogue::graph::{Context, Node, NodeError, Outcome, State};
/// # #[derive(Clone, Serialize, Deserialize)] struct Basket;
/// # #[derive(Clone, Debug, Serialize, Deserialize)] enum Change { ApplesAdded(u32) }
/// # impl State for Basket {
/// #     type Change = Change;
/// #     const VERSION: u32 = 1;
/// #     fn apply(&mut self, _: &Change) {}
/// # }
/// struct PickApples;
///
/// impl Node<Basket> for PickApples {
///     async fn run(&self, _basket: &Basket, context: &Context) -> Result<Outcome<Change>, NodeError> {
///         context.progress("up the tree");
///         Ok(Outcome::Done(vec![Change::ApplesAdded(3)]))
///     }
/// }
/// ```
pub trait Node<S: State>: Send + Sync {
    /// Does the work. Write it as `async fn run`.
    ///
    /// After a crash a node whose changes were not journaled runs again, with the same
    /// [idempotency key](Context::idempotency_key): its effects happen at least once, its changes exactly once.
    ///
    /// # Errors
    /// An error ends the run as failed; the state as it was before the node is kept in the
    /// [`RunError`](super::RunError).
    fn run(
        &self,
        state: &S,
        context: &Context,
    ) -> impl Future<Output = Result<Outcome<S::Change>, NodeError>> + Send;
}

/// What a node's work came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<C> {
    /// The node is done; these changes happen, in order.
    Done(Vec<C>),
    /// The changes happen, and the run pauses after this node until someone answers the request.
    ///
    /// The node is not run again: the answer is applied as changes and the walk goes on from the node's exit.
    Interrupt {
        /// What happens before the pause.
        changes: Vec<C>,
        /// What is asked, in a form of the caller's own.
        request: serde_json::Value,
    },
}

impl<C> From<Vec<C>> for Outcome<C> {
    fn from(changes: Vec<C>) -> Self {
        Self::Done(changes)
    }
}

/// Why a node could not do its work.
///
/// Made from any error by `?`, or from a text with [`NodeError::message`].
// It does not implement `Error` itself, which is what lets every error convert into it.
pub struct NodeError {
    source: Box<dyn Error + Send + Sync>,
}

impl NodeError {
    /// An error that is only a message.
    pub fn message(message: impl Into<String>) -> Self {
        Self { source: message.into().into() }
    }

    /// The error the node returned.
    pub fn source(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.source
    }

    /// The error the node returned, to be downcast.
    pub fn into_source(self) -> Box<dyn Error + Send + Sync> {
        self.source
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for NodeError {
    fn from(error: E) -> Self {
        Self { source: error.into() }
    }
}

impl Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.source, f)
    }
}

impl Debug for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.source, f)
    }
}

/// Makes a node of a synchronous function.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use sqlogue::graph::{Outcome, State, node_fn};
/// # #[derive(Clone, Serialize, Deserialize)] struct Basket { apples: u32 }
/// # #[derive(Clone, Debug, Serialize, Deserialize)] enum Change { ApplesAdded(u32) }
/// # impl State for Basket {
/// #     type Change = Change;
/// #     const VERSION: u32 = 1;
/// #     fn apply(&mut self, _: &Change) {}
/// # }
/// let double = node_fn(|basket: &Basket, _| Ok(Outcome::Done(vec![Change::ApplesAdded(basket.apples)])));
/// # let _ = double;
/// ```
pub fn node_fn<S, F>(function: F) -> NodeFn<F>
where
    S: State,
    F: Fn(&S, &Context) -> Result<Outcome<S::Change>, NodeError> + Send + Sync,
{
    NodeFn { function }
}

/// A node that is a synchronous function; see [`node_fn`].
#[derive(Clone, Copy, Debug)]
pub struct NodeFn<F> {
    function: F,
}

impl<S, F> Node<S> for NodeFn<F>
where
    S: State,
    F: Fn(&S, &Context) -> Result<Outcome<S::Change>, NodeError> + Send + Sync,
{
    async fn run(&self, state: &S, context: &Context) -> Result<Outcome<S::Change>, NodeError> {
        (self.function)(state, context)
    }
}

/// The future of a boxed node.
pub(crate) type NodeFuture<'a, C> = Pin<Box<dyn Future<Output = Result<Outcome<C>, NodeError>> + Send + 'a>>;

/// The object-safe twin of [`Node`], which is what a graph stores.
pub(crate) trait DynNode<S: State>: Send + Sync {
    fn run_boxed<'a>(&'a self, state: &'a S, context: &'a Context) -> NodeFuture<'a, S::Change>;
}

impl<S: State, N: Node<S>> DynNode<S> for N {
    fn run_boxed<'a>(&'a self, state: &'a S, context: &'a Context) -> NodeFuture<'a, S::Change> {
        Box::pin(self.run(state, context))
    }
}
