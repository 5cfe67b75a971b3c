//! A built graph: one flat table of points and the edges between them.
//!
//! A nested graph is not walked by a second executor: its points are part of the same table, between an
//! `Enter` and a `Leave` point, so that journal, events and resume see every node alike.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::budget::Budget;
use super::checksum::Checksum;
use super::decision::DynDecision;
use super::node::{DynNode, State};

/// The index of the point where every walk starts.
pub(crate) const START: u32 = 0;
/// The index of the point where every walk ends.
pub(crate) const END: u32 = 1;

/// The parts of a [`Graph`](super::Graph).
pub(crate) struct Table<S: State> {
    pub(crate) name: Arc<str>,
    pub(crate) points: Vec<Point<S>>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) budgets: Vec<Budget>,
    pub(crate) clusters: Vec<Cluster>,
    pub(crate) by_id: HashMap<Arc<str>, u32>,
    pub(crate) fingerprint: Arc<str>,
}

/// A place a walk can be at.
pub(crate) struct Point<S: State> {
    /// Unique: the path of names, or `[start]` and `[end]` under the path of their graph.
    pub(crate) id: Arc<str>,
    /// The name alone.
    pub(crate) label: &'static str,
    pub(crate) kind: Kind<S>,
    /// The nested graph it is drawn in.
    pub(crate) cluster: Option<u32>,
    /// The nested graph whose decision it is; for a `Leave` that is the outer graph.
    pub(crate) scope: Option<u32>,
    pub(crate) next: Next<S>,
}

/// What is done at a point.
pub(crate) enum Kind<S: State> {
    Start,
    End,
    Node(Arc<dyn DynNode<S>>),
    /// Enters the nested graph with this index.
    Enter(u32),
    Leave,
}

/// The ways on from a point.
pub(crate) enum Next<S: State> {
    Stop,
    /// One edge, unconditionally.
    One(u32),
    /// One edge for each branch; they stand next to each other in the table, in the order of `Branch::ALL`.
    Choice {
        name: &'static str,
        decision: Arc<dyn DynDecision<S>>,
        first: u32,
        count: u32,
    },
}

/// A way from one point to another.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) decision: Option<&'static str>,
    pub(crate) branch: Option<&'static str>,
    pub(crate) budget: Option<u32>,
}

/// A nested graph within the table.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) id: Arc<str>,
    pub(crate) label: &'static str,
    pub(crate) parent: Option<u32>,
    pub(crate) enter: u32,
    pub(crate) leave: u32,
}

// Written by hand because a derive would ask `S: Clone`, and nothing of `S` is held.
impl<S: State> Clone for Kind<S> {
    fn clone(&self) -> Self {
        match self {
            Self::Start => Self::Start,
            Self::End => Self::End,
            Self::Node(node) => Self::Node(Arc::clone(node)),
            Self::Enter(cluster) => Self::Enter(*cluster),
            Self::Leave => Self::Leave,
        }
    }
}

impl<S: State> Clone for Next<S> {
    fn clone(&self) -> Self {
        match self {
            Self::Stop => Self::Stop,
            Self::One(edge) => Self::One(*edge),
            Self::Choice { name, decision, first, count } => {
                Self::Choice { name, decision: Arc::clone(decision), first: *first, count: *count }
            }
        }
    }
}

impl<S: State> Clone for Point<S> {
    fn clone(&self) -> Self {
        Self {
            id: Arc::clone(&self.id),
            label: self.label,
            kind: self.kind.clone(),
            cluster: self.cluster,
            scope: self.scope,
            next: self.next.clone(),
        }
    }
}

impl<S: State> Clone for Table<S> {
    fn clone(&self) -> Self {
        Self {
            name: Arc::clone(&self.name),
            points: self.points.clone(),
            edges: self.edges.clone(),
            budgets: self.budgets.clone(),
            clusters: self.clusters.clone(),
            by_id: self.by_id.clone(),
            fingerprint: Arc::clone(&self.fingerprint),
        }
    }
}

impl<S: State> fmt::Debug for Table<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph")
            .field("name", &self.name)
            .field("points", &self.points.iter().map(|point| &point.id).collect::<Vec<_>>())
            .field("edges", &self.edges.len())
            .field("fingerprint", &self.fingerprint)
            .finish()
    }
}

impl<S: State> Table<S> {
    pub(crate) fn point(&self, index: u32) -> Option<&Point<S>> {
        self.points.get(index as usize)
    }

    pub(crate) fn edge(&self, index: u32) -> Option<&Edge> {
        self.edges.get(index as usize)
    }

    /// The id of a point, for messages.
    pub(crate) fn id(&self, index: u32) -> &str {
        self.point(index).map_or("", |point| &point.id)
    }

    /// Fills in what follows from points and edges.
    pub(crate) fn seal(mut self) -> Self {
        self.by_id = (0..).zip(&self.points).map(|(index, point)| (Arc::clone(&point.id), index)).collect();
        self.fingerprint = self.compute_fingerprint().into();
        self
    }

    /// A hash of the structure: names, edges, branches and budgets, but not the budgets' limits, which are
    /// settings and may differ between a run and its resumption.
    fn compute_fingerprint(&self) -> String {
        let mut sum = Checksum::new();
        let mut feed = |text: &str| sum = sum.bytes(text.as_bytes()).bytes(&[0]);
        feed(&self.name);
        for point in &self.points {
            feed(&point.id);
        }
        for edge in &self.edges {
            feed(self.id(edge.from));
            feed(self.id(edge.to));
            feed(edge.decision.unwrap_or_default());
            feed(edge.branch.unwrap_or_default());
            let budget = edge.budget.and_then(|budget| self.budgets.get(budget as usize));
            feed(budget.map_or("", |budget| &budget.id));
        }
        sum.hex()
    }
}
