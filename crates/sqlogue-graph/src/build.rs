//! The builder: says what leads where, and lets nothing through that cannot be walked to its end.

use std::sync::Arc;

use super::Graph;
use super::budget::Budget;
use super::check;
use super::decision::{Decision, DynDecision};
use super::name::{Branch, NodeName};
use super::node::{DynNode, Node, State};
use super::problem::{BuildProblem, BuildProblems};
use super::table::{Cluster, END, Edge, Kind, Next, Point, START, Table};

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct To<N> {
    pub(crate) target: Option<N>,
    pub(crate) budget: Option<&'static str>,
}

impl<N> To<N> {
    /// To a node, or into the nested graph of that name.
    pub const fn node(node: N) -> Self {
        Self { target: Some(node), budget: None }
    }

    /// To the end of this graph.
    pub const fn end() -> Self {
        Self { target: None, budget: None }
    }

    /// Lets the edge be taken only as often as the named budget allows. Every loop needs one such edge.
    pub const fn within(mut self, budget: &'static str) -> Self {
        self.budget = Some(budget);
        self
    }
}

/// What leads on from a node or the start.
pub(crate) enum Exit<S, N> {
    Edge(To<N>),
    Choice { name: &'static str, decision: Arc<dyn DynDecision<S>>, arms: Vec<(&'static str, To<N>)> },
}

impl<S, N: NodeName> Exit<S, N> {
    /// The targets, each with the label of its branch.
    pub(crate) fn targets(&self) -> Vec<To<N>> {
        match self {
            Self::Edge(to) => vec![*to],
            Self::Choice { arms, .. } => arms.iter().map(|(_, to)| *to).collect(),
        }
    }
}

/// What is added under a node's name.
pub(crate) enum Body<S: State> {
    Node(Arc<dyn DynNode<S>>),
    Nested(Graph<S>),
}

/// Collects nodes, edges, decisions and budgets; [`build`](Self::build) checks them.
///
/// Nothing is refused before `build`, so that all problems are reported together.
#[must_use = "a builder does nothing until `build` is called"]
pub struct Builder<S: State, N: NodeName> {
    pub(crate) name: &'static str,
    pub(crate) starts: Vec<Exit<S, N>>,
    pub(crate) nodes: Vec<(N, Body<S>)>,
    pub(crate) exits: Vec<(N, Exit<S, N>)>,
    pub(crate) budgets: Vec<(&'static str, u32)>,
    pub(crate) problems: Vec<BuildProblem>,
}

impl<S: State, N: NodeName> Builder<S, N> {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, starts: vec![], nodes: vec![], exits: vec![], budgets: vec![], problems: vec![] }
    }

    /// Every walk starts at this node.
    pub fn start(mut self, node: N) -> Self {
        self.starts.push(Exit::Edge(To::node(node)));
        self
    }

    /// A decision chooses where a walk starts. `arms` is called once for every branch.
    pub fn start_by<D>(mut self, decision: D, arms: impl Fn(D::Branch) -> To<N>) -> Self
    where
        D: Decision<S> + 'static,
    {
        let exit = self.choice(decision, arms);
        self.starts.push(exit);
        self
    }

    /// Adds a node under its name.
    pub fn node(mut self, name: N, node: impl Node<S> + 'static) -> Self {
        self.nodes.push((name, Body::Node(Arc::new(node))));
        self
    }

    /// Adds a whole graph as one node.
    ///
    /// It is walked from its own start to its own end, and then the walk goes on from here. Its nodes appear
    /// in journals and events under this name: `planner/infer_joins`.
    pub fn nested(mut self, name: N, graph: Graph<S>) -> Self {
        self.nodes.push((name, Body::Nested(graph)));
        self
    }

    /// After `from` always comes `to`.
    pub fn edge(mut self, from: N, to: N) -> Self {
        self.exits.push((from, Exit::Edge(To::node(to))));
        self
    }

    /// After `from` the walk ends.
    pub fn end(mut self, from: N) -> Self {
        self.exits.push((from, Exit::Edge(To::end())));
        self
    }

    /// After `from` a decision chooses. `arms` is called once for every branch, so a `match` in it cannot
    /// forget one, and every edge is known before the first run.
    pub fn decide<D>(mut self, from: N, decision: D, arms: impl Fn(D::Branch) -> To<N>) -> Self
    where
        D: Decision<S> + 'static,
    {
        let exit = self.choice(decision, arms);
        self.exits.push((from, exit));
        self
    }

    /// Declares how often, in one run, the edges [within](To::within) this budget may be taken together.
    pub fn budget(mut self, name: &'static str, limit: u32) -> Self {
        self.budgets.push((name, limit));
        self
    }

    /// Checks the graph.
    ///
    /// # Errors
    /// Every [`BuildProblem`] there is, not only the first.
    pub fn build(self) -> Result<Graph<S>, BuildProblems> {
        let mut problems = self.problems.clone();
        problems.extend(check::problems(&self));
        if !problems.is_empty() {
            return Err(BuildProblems { graph: self.name, problems });
        }
        let name = self.name;
        match Assembly::default().assemble(self) {
            Some(table) => Ok(Graph::from_table(table)),
            None => Err(BuildProblems { graph: name, problems: vec![BuildProblem::TooLarge] }),
        }
    }

    fn choice<D>(&mut self, decision: D, arms: impl Fn(D::Branch) -> To<N>) -> Exit<S, N>
    where
        D: Decision<S> + 'static,
    {
        let name = decision.name();
        let branches = D::Branch::ALL;
        if branches.iter().enumerate().any(|(place, branch)| branch.index() != place) {
            self.problems.push(BuildProblem::MisnumberedBranches { decision: name });
        }
        let arms: Vec<_> = branches.iter().map(|branch| (branch.label(), arms(*branch))).collect();
        for (place, (label, _)) in arms.iter().enumerate() {
            if arms.iter().take(place).any(|(earlier, _)| earlier == label) {
                self.problems.push(BuildProblem::DuplicateBranch { decision: name, label });
            }
        }
        Exit::Choice { name, decision: Arc::new(decision), arms }
    }
}

/// Lays a checked builder out as a flat table.
struct Assembly<S: State> {
    points: Vec<Point<S>>,
    edges: Vec<Edge>,
    budgets: Vec<Budget>,
    clusters: Vec<Cluster>,
}

impl<S: State> Default for Assembly<S> {
    fn default() -> Self {
        Self { points: vec![], edges: vec![], budgets: vec![], clusters: vec![] }
    }
}

/// Where edges to a name arrive, and where they leave from.
#[derive(Clone, Copy)]
struct Ends {
    enter: u32,
    leave: u32,
}

impl<S: State> Assembly<S> {
    /// `None` when the table is too large for its indexes.
    fn assemble<N: NodeName>(mut self, builder: Builder<S, N>) -> Option<Table<S>> {
        for (id, kind) in [("[start]", Kind::Start), ("[end]", Kind::End)] {
            self.points.push(Point {
                id: id.into(),
                label: id,
                kind,
                cluster: None,
                scope: None,
                next: Next::Stop,
            });
        }
        for (name, limit) in builder.budgets {
            self.budgets.push(Budget { name, id: name.into(), limit, cluster: None });
        }
        let mut ends: Vec<(N, Ends)> = vec![];
        for (name, body) in builder.nodes {
            let end = match body {
                Body::Node(node) => {
                    let index = u32::try_from(self.points.len()).ok()?;
                    self.points.push(Point {
                        id: name.name().into(),
                        label: name.name(),
                        kind: Kind::Node(node),
                        cluster: None,
                        scope: None,
                        next: Next::Stop,
                    });
                    Ends { enter: index, leave: index }
                }
                Body::Nested(graph) => self.embed(name.name(), graph.table())?,
            };
            ends.push((name, end));
        }
        let enter = |target: Option<N>| match target {
            None => Some(END),
            Some(name) => ends.iter().find(|(known, _)| *known == name).map(|(_, end)| end.enter),
        };
        for exit in builder.starts {
            self.lead(START, exit, enter)?;
        }
        for (from, exit) in builder.exits {
            let (_, end) = ends.iter().find(|(known, _)| *known == from)?;
            self.lead(end.leave, exit, enter)?;
        }
        let table = Table {
            name: builder.name.into(),
            points: self.points,
            edges: self.edges,
            budgets: self.budgets,
            clusters: self.clusters,
            by_id: Default::default(),
            names: Arc::default(),
            fingerprint: "".into(),
        };
        Some(table.seal())
    }

    /// Adds the edges of one exit.
    fn lead<N: NodeName>(
        &mut self,
        from: u32,
        exit: Exit<S, N>,
        enter: impl Fn(Option<N>) -> Option<u32>,
    ) -> Option<()> {
        let first = u32::try_from(self.edges.len()).ok()?;
        let next = match exit {
            Exit::Edge(to) => {
                self.edges.push(Edge {
                    from,
                    to: enter(to.target)?,
                    decision: None,
                    branch: None,
                    budget: self.own_budget(to.budget),
                });
                Next::One(first)
            }
            Exit::Choice { name, decision, arms } => {
                let count = u32::try_from(arms.len()).ok()?;
                for (label, to) in arms {
                    self.edges.push(Edge {
                        from,
                        to: enter(to.target)?,
                        decision: Some(name),
                        branch: Some(label),
                        budget: self.own_budget(to.budget),
                    });
                }
                Next::Choice { name, decision, first, count }
            }
        };
        self.points.get_mut(from as usize)?.next = next;
        Some(())
    }

    fn own_budget(&self, name: Option<&'static str>) -> Option<u32> {
        let name = name?;
        let found = self.budgets.iter().position(|budget| budget.cluster.is_none() && budget.name == name);
        found.and_then(|index| u32::try_from(index).ok())
    }

    /// Copies a built graph into the table, under a name.
    fn embed(&mut self, name: &'static str, inner: &Table<S>) -> Option<Ends> {
        let points = u32::try_from(self.points.len()).ok()?;
        let edges = u32::try_from(self.edges.len()).ok()?;
        let budgets = u32::try_from(self.budgets.len()).ok()?;
        let cluster = u32::try_from(self.clusters.len()).ok()?;
        let first_inner = cluster.checked_add(1)?;
        let id = |inner: &str| -> Arc<str> { format!("{name}/{inner}").into() };
        let within = |inner: Option<u32>| Some(inner.map_or(cluster, |inner| first_inner + inner));

        self.clusters.push(Cluster {
            id: name.into(),
            label: name,
            parent: None,
            enter: points + START,
            leave: points + END,
        });
        for nested in &inner.clusters {
            self.clusters.push(Cluster {
                id: id(&nested.id),
                label: nested.label,
                parent: within(nested.parent),
                enter: points + nested.enter,
                leave: points + nested.leave,
            });
        }
        for budget in &inner.budgets {
            self.budgets.push(Budget {
                id: id(&budget.id),
                cluster: within(budget.cluster),
                ..budget.clone()
            });
        }
        for edge in &inner.edges {
            self.edges.push(Edge {
                from: points + edge.from,
                to: points + edge.to,
                budget: edge.budget.map(|budget| budgets + budget),
                ..edge.clone()
            });
        }
        for (index, point) in (0..).zip(&inner.points) {
            let kind = match &point.kind {
                Kind::Start => Kind::Enter(cluster),
                Kind::End => Kind::Leave,
                Kind::Enter(nested) => Kind::Enter(first_inner + nested),
                other => other.clone(),
            };
            let next = match &point.next {
                Next::Stop => Next::Stop,
                Next::One(edge) => Next::One(edges + edge),
                Next::Choice { name, decision, first, count } => {
                    Next::Choice { name, decision: Arc::clone(decision), first: edges + first, count: *count }
                }
            };
            self.points.push(Point {
                id: id(&point.id),
                label: point.label,
                kind,
                cluster: within(point.cluster),
                // The end of a nested graph is where the outer graph goes on and decides.
                scope: if index == END { None } else { within(point.scope) },
                next,
            });
        }
        Some(Ends { enter: points + START, leave: points + END })
    }
}
