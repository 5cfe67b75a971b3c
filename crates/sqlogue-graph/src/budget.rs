//! Budgets: how often a loop may be taken.

use std::cell::RefCell;
use std::sync::Arc;

/// A declared budget, in the table of a built graph.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    /// The name as declared; unique within one graph.
    pub(crate) name: &'static str,
    /// The name with the path of the nested graph before it; unique in the whole table.
    pub(crate) id: Arc<str>,
    pub(crate) limit: u32,
    /// The nested graph that declared it.
    pub(crate) cluster: Option<u32>,
}

/// What a decision sees of the budgets of its own graph.
///
/// The engine counts: every time an edge [within](super::To::within) a budget is taken, one is used. The
/// budgets of a nested graph are its own, and start afresh each time it is entered.
#[derive(Debug)]
pub struct Budgets<'a> {
    budgets: &'a [Budget],
    /// Empty where none was used yet.
    used: &'a [u32],
    scope: Option<u32>,
    unknown: RefCell<Option<String>>,
}

impl<'a> Budgets<'a> {
    pub(crate) fn new(budgets: &'a [Budget], used: &'a [u32], scope: Option<u32>) -> Self {
        Self { budgets, used, scope, unknown: RefCell::new(None) }
    }

    /// How often the budget was used in this run.
    pub fn used(&self, name: &str) -> u32 {
        self.find(name).map_or(0, |(used, _)| used)
    }

    /// How often the budget may still be used.
    ///
    /// Asking for a budget that the graph did not declare ends the run with
    /// [`RunErrorKind::UnknownBudget`](super::RunErrorKind::UnknownBudget).
    pub fn left(&self, name: &str) -> u32 {
        self.find(name).map_or(0, |(used, limit)| limit.saturating_sub(used))
    }

    /// The limit that was declared.
    pub fn limit(&self, name: &str) -> u32 {
        self.find(name).map_or(0, |(_, limit)| limit)
    }

    fn find(&self, name: &str) -> Option<(u32, u32)> {
        let is_it = |budget: &Budget| budget.cluster == self.scope && budget.name == name;
        match self.budgets.iter().position(is_it).and_then(|at| Some((at, self.budgets.get(at)?))) {
            Some((at, budget)) => Some((self.used.get(at).copied().unwrap_or(0), budget.limit)),
            None => {
                *self.unknown.borrow_mut() = Some(name.to_owned());
                None
            }
        }
    }

    /// The first name that was asked for and does not exist.
    pub(crate) fn into_unknown(self) -> Option<String> {
        self.unknown.into_inner()
    }
}
