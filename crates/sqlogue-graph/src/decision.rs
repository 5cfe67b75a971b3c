//! Decisions: named pure functions from the state to one of a closed set of branches.

use std::marker::PhantomData;

use super::budget::Budgets;
use super::name::Branch;

/// Chooses the way out of a node.
///
/// It is pure: the same state and budgets give the same branch. It is asked once, after the node's changes
/// have been applied, and its answer is journaled.
pub trait Decision<S>: Send + Sync {
    /// The closed set of answers.
    type Branch: Branch;

    /// The name in events, journals and drawings.
    fn name(&self) -> &'static str;

    /// Chooses. A branch whose edge has a [budget](Budgets) may only be chosen while some of it is left.
    fn decide(&self, state: &S, budgets: &Budgets<'_>) -> Self::Branch;
}

/// Makes a decision of a function.
///
/// ```
/// use sqlogue_graph::{branches, decision};
///
/// branches! { pub enum Parity { Even => "even", Odd => "odd" } }
///
/// let parity = decision("parity", |number: &u32, _| if number % 2 == 0 { Parity::Even } else { Parity::Odd });
/// # let _ = parity;
/// ```
pub fn decision<S, B, F>(name: &'static str, function: F) -> DecisionFn<B, F>
where
    B: Branch,
    F: Fn(&S, &Budgets<'_>) -> B + Send + Sync,
{
    DecisionFn { name, function, branch: PhantomData }
}

/// A decision that is a function; see [`decision`].
#[derive(Clone, Copy, Debug)]
pub struct DecisionFn<B, F> {
    name: &'static str,
    function: F,
    branch: PhantomData<fn() -> B>,
}

impl<S, B, F> Decision<S> for DecisionFn<B, F>
where
    B: Branch,
    F: Fn(&S, &Budgets<'_>) -> B + Send + Sync,
{
    type Branch = B;

    fn name(&self) -> &'static str {
        self.name
    }

    fn decide(&self, state: &S, budgets: &Budgets<'_>) -> B {
        (self.function)(state, budgets)
    }
}

/// The object-safe twin of [`Decision`]: the branch is its index.
pub(crate) trait DynDecision<S>: Send + Sync {
    fn decide_index(&self, state: &S, budgets: &Budgets<'_>) -> usize;
}

impl<S, D: Decision<S>> DynDecision<S> for D {
    fn decide_index(&self, state: &S, budgets: &Budgets<'_>) -> usize {
        self.decide(state, budgets).index()
    }
}
