//! How a walk gets from the exit of one node to the next: pauses, decisions, budgets.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde_json::json;
use tracing::debug;

use super::budget::Budgets;
use super::decision::DynDecision;
use super::drive::caught;
use super::error::RunErrorKind;
use super::event::{BudgetUse, Event};
use super::journal::Choice;
use super::node::State;
use super::run::Asked;
use super::table::{END, Kind, Next};
use super::walk::{Fallible, Place, Stop, Walk};

impl<S: State> Walk<'_, S> {
    /// Goes on to the next node, and finds out whether to stop before it.
    pub(super) fn move_on(&mut self) -> Fallible<Option<Stop>> {
        if let Place::After(point) = self.place
            && !self.answered
            && self.pauses_at(point, |asked| &asked.pause_after)
        {
            return Ok(Some(pause("after", self.table.id(point))));
        }
        let moved = matches!(self.place, Place::After(_));
        while let Place::After(from) = self.place {
            self.advance(from)?;
        }
        let Place::Before(point) = self.place else { return Ok(None) };
        if point == END {
            return Ok(Some(Stop::Finished));
        }
        if (moved || !self.answered) && self.pauses_at(point, |asked| &asked.pause_before) {
            return Ok(Some(pause("before", self.table.id(point))));
        }
        Ok(None)
    }

    /// Whether the point is among those to pause at.
    fn pauses_at(&self, point: u32, pauses: impl FnOnce(&Asked<S>) -> &[Arc<str>]) -> bool {
        self.asked.as_deref().is_some_and(|asked| {
            let pauses = pauses(asked);
            !pauses.is_empty() && pauses.iter().any(|pause| **pause == *self.table.id(point))
        })
    }

    /// Takes one edge.
    fn advance(&mut self, from: u32) -> Fallible<()> {
        let table = self.table;
        // Not by `ok_or`, here and below: an error that is made at every step is dropped at every step.
        let Some(point) = table.point(from) else {
            return Err(RunErrorKind::Bug("a walk stands nowhere"));
        };
        let edge = match &point.next {
            Next::Stop => return Err(RunErrorKind::Bug("a walk stands at a dead end")),
            Next::One(edge) => *edge,
            Next::Choice { name, decision, first, count } => {
                first + self.decide(name, &**decision, *first..first + count, point.scope)?
            }
        };
        self.take(edge)
    }

    /// The place of the decision's branch among the edges.
    fn decide(
        &mut self,
        name: &'static str,
        decision: &dyn DynDecision<S>,
        edges: Range<u32>,
        scope: Option<u32>,
    ) -> Fallible<u32> {
        let table = self.table;
        if let Some(script) = self.asked.as_mut().and_then(|asked| asked.script.as_mut()) {
            let branch =
                script.pop_front().filter(|(decision, _)| *decision == name).map(|(_, branch)| branch);
            let mut places = (0..).zip(edges);
            return places
                .find(|(_, edge)| table.edge(*edge).is_some_and(|edge| edge.branch == branch))
                .map(|(place, _)| place)
                .ok_or(RunErrorKind::OffScript { decision: name });
        }
        let budgets = Budgets::new(&table.budgets, &self.used, scope);
        let branch = caught("decision", || decision.decide_index(&self.state, &budgets))?;
        if let Some(budget) = budgets.into_unknown() {
            return Err(RunErrorKind::UnknownBudget { budget, decision: name });
        }
        match u32::try_from(branch) {
            Ok(branch) if branch < edges.end - edges.start => Ok(branch),
            _ => Err(RunErrorKind::Bug("a branch is not in its list")),
        }
    }

    fn take(&mut self, edge: u32) -> Fallible<()> {
        let table = self.table;
        let Some(edge) = table.edge(edge) else {
            return Err(RunErrorKind::Bug("an edge is not in the table"));
        };
        let mut budget_use = None;
        if let Some(index) = edge.budget {
            let budget = table.budgets.get(index as usize).ok_or(RunErrorKind::Bug("no such budget"))?;
            if self.used.is_empty() {
                self.used.resize(table.budgets.len(), 0);
            }
            let used = self.used.get_mut(index as usize).ok_or(RunErrorKind::Bug("no such budget"))?;
            if *used >= budget.limit {
                return Err(RunErrorKind::BudgetSpent {
                    budget: Arc::clone(&budget.id),
                    limit: budget.limit,
                    branch: edge.branch.unwrap_or_default(),
                });
            }
            *used += 1;
            budget_use =
                Some(BudgetUse { name: Cow::Borrowed(&*budget.id), used: *used, limit: budget.limit });
        }
        if let (Some(decision), Some(branch)) = (edge.decision, edge.branch) {
            let (at, to) = (table.id(edge.from), table.id(edge.to));
            debug!(parent: &self.span, at, decision, branch, to, "decided");
            if let Some(writer) = &mut self.writer {
                writer.decided.push(Choice {
                    at: at.into(),
                    decision: decision.into(),
                    branch: branch.into(),
                });
            }
            self.emit(|| Event::Decided {
                run: self.context.run,
                step: self.step,
                at: Cow::Borrowed(at),
                decision: Cow::Borrowed(decision),
                branch: Cow::Borrowed(branch),
                to: Cow::Borrowed(to),
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
}

fn pause(when: &str, node: &str) -> Stop {
    Stop::Interrupted(Box::new(json!({ "pause": when, "node": node })))
}
