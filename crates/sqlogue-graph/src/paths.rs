//! Every way through a graph, for tests that drive each of them.

use std::fmt::{self, Display};
use std::sync::Arc;

use super::Graph;
use super::node::State;
use super::table::{END, Kind, Next, START, Table};

/// One way through a graph, from its start to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The edges in order.
    pub steps: Vec<PathStep>,
}

/// One edge of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// The id of the point it leaves: a node's id, or the start or end of a graph.
    pub from: Arc<str>,
    /// The decision and its branch, if a decision chose it.
    pub choice: Option<(&'static str, &'static str)>,
    /// The id of the point it leads to.
    pub to: Arc<str>,
}

impl Path {
    /// The nodes that run, in order.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|step| &*step.to).filter(|id| !id.ends_with(']'))
    }

    /// The decisions taken, each with its branch, in order.
    pub fn choices(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.steps.iter().filter_map(|step| step.choice)
    }

    /// What the decisions have to say after the `visit`-th step that leaves `node`, counted from 0: the
    /// decisions from there to the next node.
    pub fn choices_after(&self, node: &str, visit: usize) -> Vec<(&'static str, &'static str)> {
        let leaves = self.steps.iter().enumerate().filter(|(_, step)| &*step.from == node).map(|(at, _)| at);
        let Some(first) = leaves.into_iter().nth(visit) else { return vec![] };
        let mut choices = vec![];
        for step in self.steps.iter().skip(first) {
            choices.extend(step.choice);
            if !step.to.ends_with(']') {
                break;
            }
        }
        choices
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            match step.choice {
                Some((_, branch)) => write!(f, "{} -[{branch}]→ ", step.from)?,
                None => write!(f, "{} → ", step.from)?,
            }
        }
        f.write_str(self.steps.last().map_or("", |last| &last.to))
    }
}

/// The ways through a graph; see [`Graph::paths`].
pub struct Paths<'g, S: State> {
    table: &'g Table<S>,
    frames: Vec<Frame>,
    left: usize,
}

/// A point on the present way, and what has not been tried from there.
struct Frame {
    edges: std::ops::Range<u32>,
    used: Vec<u32>,
    /// The edge that is being followed.
    taken: u32,
}

impl<S: State> Graph<S> {
    /// Every way from the start to the end that budgets allow, loops included, but no more than `limit` of
    /// them.
    ///
    /// They come in a fixed order: depth first, branches in the order of their enum. To drive one in a test,
    /// let scripted nodes make the changes that its [choices](Path::choices) look for, or let
    /// [`RunOptions::follow`](super::RunOptions::follow) answer in the decisions' place.
    pub fn paths(&self, limit: usize) -> Paths<'_, S> {
        let table = self.table();
        let first = Frame { edges: out(table, START), used: vec![0; table.budgets.len()], taken: 0 };
        Paths { table, frames: vec![first], left: limit }
    }
}

fn out<S: State>(table: &Table<S>, point: u32) -> std::ops::Range<u32> {
    match table.point(point).map(|point| &point.next) {
        Some(Next::One(edge)) => *edge..edge + 1,
        Some(Next::Choice { first, count, .. }) => *first..first + count,
        _ => 0..0,
    }
}

impl<S: State> Iterator for Paths<'_, S> {
    type Item = Path;

    fn next(&mut self) -> Option<Path> {
        if self.left == 0 {
            return None;
        }
        loop {
            let frame = self.frames.last_mut()?;
            let Some(index) = frame.edges.next() else {
                self.frames.pop();
                continue;
            };
            let edge = self.table.edge(index)?;
            let mut used = frame.used.clone();
            if let Some(budget) = edge.budget {
                let limit = self.table.budgets.get(budget as usize)?.limit;
                let count = used.get_mut(budget as usize)?;
                if *count >= limit {
                    continue;
                }
                *count += 1;
            }
            frame.taken = index;
            if edge.to == END {
                self.left -= 1;
                return Some(self.present());
            }
            if let Some(Kind::Enter(cluster)) = self.table.point(edge.to).map(|point| &point.kind) {
                for (budget, count) in self.table.budgets.iter().zip(&mut used) {
                    if budget.cluster == Some(*cluster) {
                        *count = 0;
                    }
                }
            }
            self.frames.push(Frame { edges: out(self.table, edge.to), used, taken: 0 });
        }
    }
}

impl<S: State> Paths<'_, S> {
    fn present(&self) -> Path {
        let edges = self.frames.iter().filter_map(|frame| self.table.edge(frame.taken));
        let steps = edges.map(|edge| PathStep {
            from: self.table.id(edge.from).into(),
            choice: edge.decision.zip(edge.branch),
            to: self.table.id(edge.to).into(),
        });
        Path { steps: steps.collect() }
    }
}
