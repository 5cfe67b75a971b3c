//! Pictures of a graph, plain or with the path of a run painted on it.
//!
//! What is drawn is exactly what can be walked: a [`Picture`] is made from the built graph's own table, and
//! each format only writes it down.

mod dot;
mod layout;
mod mermaid;
mod straighten;
mod svg;

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Graph;
use super::journal::Frontier;
use super::node::State;
use super::table::{Kind, Next, START, Table};
use super::trace::Trace;

/// A graph as it is drawn; as JSON, its machine-readable form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// The name of the graph.
    pub graph: Arc<str>,
    /// The fingerprint of its structure.
    pub fingerprint: Arc<str>,
    /// Whether a run is painted on it.
    pub painted: bool,
    /// The nodes, starts and ends, in the order they were added.
    pub nodes: Vec<PictureNode>,
    /// The edges.
    pub edges: Vec<PictureEdge>,
    /// The nested graphs.
    pub clusters: Vec<PictureCluster>,
}

/// A node, or the start or end of a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureNode {
    /// Unique and stable: the path of names; `[start]` and `[end]` under the path of their graph.
    pub id: Arc<str>,
    /// What is written on it.
    pub label: String,
    /// What it is.
    pub kind: NodeKind,
    /// The id of the nested graph it is in.
    pub cluster: Option<Arc<str>>,
    /// How often the run came here.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub visits: u32,
    /// How long the run spent here, in microseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub took_us: u64,
}

/// What a drawn node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// Where the graph, or a nested one, starts.
    Start,
    /// Where the graph, or a nested one, ends.
    End,
    /// A node that does work.
    Node,
}

/// A way that can be taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureEdge {
    /// The id of the node it leaves.
    pub from: Arc<str>,
    /// The id of the node it leads to.
    pub to: Arc<str>,
    /// The decision that chooses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The branch that takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The budget it is within.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<PictureBudget>,
    /// How often the run took it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub taken: u32,
}

/// The budget of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureBudget {
    /// Its name.
    pub name: String,
    /// How often it may be used.
    pub limit: u32,
}

/// A nested graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureCluster {
    /// Its id: the path of names.
    pub id: Arc<str>,
    /// What is written on it.
    pub label: String,
    /// The id of the nested graph it is in.
    pub parent: Option<Arc<str>>,
}

fn is_zero<T: PartialEq + Default>(number: &T) -> bool {
    *number == T::default()
}

impl PictureEdge {
    /// The label in lines: the branch, then the budget.
    fn label(&self, painted: bool) -> Vec<String> {
        let mut lines: Vec<String> =
            self.branch.iter().flat_map(|branch| branch.lines().map(str::to_owned)).collect();
        if let Some(budget) = &self.budget {
            lines.push(format!("({} ≤ {})", budget.name, budget.limit));
        }
        if painted && self.taken > 0 && (self.taken > 1 || self.budget.is_some()) {
            lines.push(match &self.budget {
                Some(budget) => format!("taken {} of {}", self.taken, budget.limit),
                None => format!("taken {} times", self.taken),
            });
        }
        lines
    }
}

impl PictureNode {
    /// The label in lines: the name, then what the run did here.
    fn lines(&self, painted: bool) -> Vec<String> {
        let mut lines: Vec<String> = self.label.lines().map(str::to_owned).collect();
        if painted && self.visits > 0 && self.kind == NodeKind::Node {
            let times = (self.visits > 1).then(|| format!("{}×", self.visits));
            // A run whose times were taken out of it can be compared with another.
            let took = (self.took_us > 0).then(|| duration(self.took_us));
            let said: Vec<String> = [times, took].into_iter().flatten().collect();
            if !said.is_empty() {
                lines.push(said.join(", "));
            }
        }
        lines
    }
}

fn duration(took_us: u64) -> String {
    match took_us {
        0..1_000 => format!("{took_us} µs"),
        1_000..1_000_000 => format!("{}.{} ms", took_us / 1_000, took_us % 1_000 / 100),
        _ => format!("{}.{} s", took_us / 1_000_000, took_us % 1_000_000 / 100_000),
    }
}

impl Picture {
    /// Graphviz DOT.
    pub fn dot(&self) -> String {
        dot::write(self)
    }

    /// A Mermaid flowchart, as GitHub renders it.
    pub fn mermaid(&self) -> String {
        mermaid::write(self)
    }

    /// An SVG document, laid out here.
    pub fn svg(&self) -> String {
        svg::write(self)
    }

    /// Indented JSON; reading it with serde gives the picture back.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl<S: State> Graph<S> {
    /// The graph as it is drawn.
    pub fn picture(&self) -> Picture {
        picture(self.table())
    }

    /// The graph with the path of a run painted on it. What the trace holds of other graphs is left out.
    pub fn picture_of(&self, trace: &Trace) -> Picture {
        let mut picture = picture(self.table());
        paint(&mut picture, self.table(), trace);
        picture
    }
}

fn picture<S: State>(table: &Table<S>) -> Picture {
    let cluster_id = |index: Option<u32>| {
        index.and_then(|index| table.clusters.get(index as usize)).map(|cluster| Arc::clone(&cluster.id))
    };
    let nodes = table.points.iter().map(|point| {
        let (kind, label) = match &point.kind {
            Kind::Start => (NodeKind::Start, "START"),
            Kind::End => (NodeKind::End, "END"),
            Kind::Enter(_) => (NodeKind::Start, ""),
            Kind::Leave => (NodeKind::End, ""),
            Kind::Node(_) => (NodeKind::Node, point.label),
        };
        PictureNode {
            id: Arc::clone(&point.id),
            label: label.to_owned(),
            kind,
            cluster: cluster_id(point.cluster),
            visits: 0,
            took_us: 0,
        }
    });
    let edges = table.edges.iter().map(|edge| PictureEdge {
        from: table.id(edge.from).into(),
        to: table.id(edge.to).into(),
        decision: edge.decision.map(str::to_owned),
        branch: edge.branch.map(str::to_owned),
        budget: edge
            .budget
            .and_then(|index| table.budgets.get(index as usize))
            .map(|budget| PictureBudget { name: budget.name.to_owned(), limit: budget.limit }),
        taken: 0,
    });
    let clusters = table.clusters.iter().map(|cluster| PictureCluster {
        id: Arc::clone(&cluster.id),
        label: cluster.label.to_owned(),
        parent: cluster_id(cluster.parent),
    });
    Picture {
        graph: Arc::clone(&table.name),
        fingerprint: Arc::clone(&table.fingerprint),
        painted: false,
        nodes: nodes.collect(),
        edges: edges.collect(),
        clusters: clusters.collect(),
    }
}

/// Walks the trace over the table and counts what it touches.
fn paint<S: State>(picture: &mut Picture, table: &Table<S>, trace: &Trace) {
    picture.painted = true;
    let mut visits: HashMap<u32, u32> = HashMap::from([(START, 1)]);
    let mut taken: HashMap<u32, u32> = HashMap::new();
    let mut at = START;
    for step in &trace.steps {
        if let Some(index) = table.by_id.get(&step.node)
            && let Some(Kind::Node(_)) = table.point(*index).map(|point| &point.kind)
        {
            at = *index;
            *visits.entry(at).or_default() += 1;
            if let Some(node) = picture.nodes.get_mut(at as usize) {
                node.took_us += step.took_us;
            }
        }
        if matches!(step.next, Frontier::After(_)) {
            continue;
        }
        let mut decided = step.decided.iter();
        // Between two nodes no point is passed twice but through a decision, so this ends.
        for _ in 0..=table.points.len() + step.decided.len() {
            let edge = match table.point(at).map(|point| &point.next) {
                Some(Next::One(edge)) => *edge,
                Some(Next::Choice { first, count, .. }) => {
                    let Some(choice) = decided.next() else { break };
                    let is_taken = |index: &u32| {
                        table.edge(*index).is_some_and(|edge| edge.branch == Some(&*choice.branch))
                    };
                    let Some(edge) = (*first..first + count).find(is_taken) else { break };
                    edge
                }
                _ => break,
            };
            let Some(to) = table.edge(edge).map(|edge| edge.to) else { break };
            *taken.entry(edge).or_default() += 1;
            at = to;
            match table.point(at).map(|point| &point.kind) {
                Some(Kind::Node(_)) => break,
                _ => *visits.entry(at).or_default() += 1,
            }
        }
    }
    for (index, node) in (0..).zip(&mut picture.nodes) {
        node.visits = visits.get(&index).copied().unwrap_or(0);
    }
    for (index, edge) in (0..).zip(&mut picture.edges) {
        edge.taken = taken.get(&index).copied().unwrap_or(0);
    }
}
