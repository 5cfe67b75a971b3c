//! The checks of `build()`. They look at one graph; a nested graph was checked when it was built, and is one
//! node here.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, EdgeRef, Reversed};

use super::build::{Builder, Exit, To};
use super::name::NodeName;
use super::node::State;
use super::problem::BuildProblem;

/// Everything that is wrong.
pub(crate) fn problems<S: State, N: NodeName>(builder: &Builder<S, N>) -> Vec<BuildProblem> {
    let mut problems = names(builder);
    problems.extend(declarations(builder));
    problems.extend(budgets(builder));
    problems.extend(structure(builder));
    problems
}

fn names<S: State, N: NodeName>(builder: &Builder<S, N>) -> Vec<BuildProblem> {
    let mut problems = vec![];
    let bad = |name: &str| name.is_empty() || name.contains(['/', '[', ']']);
    for (place, node) in N::ALL.iter().enumerate() {
        let name = node.name();
        if bad(name) {
            problems.push(BuildProblem::BadName { name: name.to_owned() });
        }
        if N::ALL.iter().take(place).any(|earlier| earlier.name() == name) {
            problems.push(BuildProblem::DuplicateName { name });
        }
    }
    if bad(builder.name) {
        problems.push(BuildProblem::BadName { name: builder.name.to_owned() });
    }
    problems
}

fn declarations<S: State, N: NodeName>(builder: &Builder<S, N>) -> Vec<BuildProblem> {
    let mut problems = vec![];
    match builder.starts.len() {
        0 => problems.push(BuildProblem::NoStart),
        1 => {}
        count => problems.push(BuildProblem::SeveralStarts { count }),
    }
    for node in N::ALL {
        let name = node.name();
        let added = builder.nodes.iter().filter(|(known, _)| known == node).count();
        let exits: Vec<_> = builder.exits.iter().filter(|(from, _)| from == node).collect();
        let named = builder
            .exits
            .iter()
            .map(|(_, exit)| exit)
            .chain(&builder.starts)
            .any(|exit| exit.targets().iter().any(|to| to.target == Some(*node)));
        match added {
            0 if !exits.is_empty() => problems.push(BuildProblem::MissingSource { from: name }),
            0 if !named => problems.push(BuildProblem::NeverAdded { node: name }),
            0 => {}
            1 => {}
            _ => problems.push(BuildProblem::DuplicateNode { node: name }),
        }
        if added > 0 && exits.iter().all(|(_, exit)| exit.targets().is_empty()) {
            problems.push(BuildProblem::DeadEnd { node: name });
        }
        if exits.len() > 1 {
            let exits = exits.iter().map(|(_, exit)| describe(exit)).collect();
            problems.push(BuildProblem::SeveralExits { node: name, exits });
        }
    }
    for (from, exit) in sources(builder) {
        let mut reported = vec![];
        for target in exit.targets().into_iter().filter_map(|to| to.target) {
            if !is_added(builder, target) && !reported.contains(&target) {
                reported.push(target);
                problems.push(BuildProblem::MissingTarget { from: from.clone(), to: target.name() });
            }
        }
    }
    problems
}

fn budgets<S: State, N: NodeName>(builder: &Builder<S, N>) -> Vec<BuildProblem> {
    let mut problems = vec![];
    for (place, (budget, _)) in builder.budgets.iter().enumerate() {
        if builder.budgets.iter().take(place).any(|(earlier, _)| earlier == budget) {
            problems.push(BuildProblem::DuplicateBudget { budget });
            continue;
        }
        let used = sources(builder)
            .iter()
            .any(|(_, exit)| exit.targets().iter().any(|to| to.budget == Some(*budget)));
        if !used {
            problems.push(BuildProblem::UnusedBudget { budget });
        }
    }
    for (from, exit) in sources(builder) {
        for to in exit.targets() {
            let Some(budget) = to.budget else { continue };
            if !builder.budgets.iter().any(|(name, _)| *name == budget) {
                let to = target_text(&to);
                problems.push(BuildProblem::UndeclaredBudget { from: from.clone(), to, budget });
            }
        }
    }
    problems
}

/// Reachability and loops, on the graph of what was added.
///
/// A node without ways on, or one that was never added, counts as leading to the end: it has been reported
/// already, and everything before it would be reported again.
fn structure<S: State, N: NodeName>(builder: &Builder<S, N>) -> Vec<BuildProblem> {
    let mut graph: DiGraph<Option<N>, bool> = DiGraph::new();
    let start = graph.add_node(None);
    let end = graph.add_node(None);
    let places: Vec<(N, NodeIndex)> =
        N::ALL.iter().map(|node| (*node, graph.add_node(Some(*node)))).collect();
    let place = |node: N| places.iter().find(|(known, _)| *known == node).map_or(end, |(_, place)| *place);
    let mut lead = |from: NodeIndex, to: &To<N>| {
        let target = to.target.map_or(end, place);
        graph.add_edge(from, target, to.budget.is_some());
    };
    for to in builder.starts.iter().flat_map(Exit::targets) {
        lead(start, &to);
    }
    for (from, exit) in &builder.exits {
        for to in exit.targets() {
            lead(place(*from), &to);
        }
    }
    for (_, index) in &places {
        if graph.edges(*index).next().is_none() {
            graph.add_edge(*index, end, false);
        }
    }

    let mut problems = vec![];
    let name = |index: NodeIndex| graph.node_weight(index).copied().flatten().map(NodeName::name);

    let mut reached = vec![];
    let mut walk = Dfs::new(&graph, start);
    while let Some(index) = walk.next(&graph) {
        reached.push(index);
    }
    // Without a start nothing is reachable, which is one problem and not one for every node.
    if !builder.starts.is_empty() {
        for (node, index) in &places {
            if is_added(builder, *node) && !reached.contains(index) {
                problems.push(BuildProblem::Unreachable { node: node.name() });
            }
        }
    }

    let mut ends = vec![];
    let mut back = Dfs::new(Reversed(&graph), end);
    while let Some(index) = back.next(Reversed(&graph)) {
        ends.push(index);
    }
    let is_loop = |component: &[NodeIndex], unbudgeted_only: bool| match component {
        [] => false,
        [single] => {
            graph.edges(*single).any(|edge| edge.target() == *single && !(unbudgeted_only && *edge.weight()))
        }
        _ => true,
    };
    let names_of = |component: &[NodeIndex]| {
        let mut sorted = component.to_vec();
        sorted.sort();
        sorted.into_iter().filter_map(name).collect::<Vec<_>>()
    };

    for component in tarjan_scc(&graph) {
        let leaves =
            component.iter().any(|index| graph.edges(*index).any(|edge| !component.contains(&edge.target())));
        let stuck = component.iter().all(|index| !ends.contains(index));
        if stuck && !leaves && is_loop(&component, false) {
            problems.push(BuildProblem::EndlessLoop { nodes: names_of(&component) });
        }
    }

    let free = graph.filter_map(|_, node| Some(*node), |_, budgeted| (!budgeted).then_some(false));
    for component in tarjan_scc(&free) {
        if is_loop(&component, true) {
            problems.push(BuildProblem::LoopWithoutBudget { nodes: one_loop(&free, &component) });
        }
    }
    problems
}

/// The nodes of one shortest loop within a strongly connected component, in the order they are walked.
fn one_loop<N: NodeName>(graph: &DiGraph<Option<N>, bool>, component: &[NodeIndex]) -> Vec<&'static str> {
    let Some(first) = component.iter().min().copied() else { return vec![] };
    let mut paths = std::collections::VecDeque::from([vec![first]]);
    let mut seen = vec![];
    while let Some(path) = paths.pop_front() {
        let Some(last) = path.last().copied() else { continue };
        let mut targets: Vec<_> = graph.neighbors(last).filter(|to| component.contains(to)).collect();
        targets.sort();
        for to in targets {
            if to == first {
                return path
                    .iter()
                    .filter_map(|index| graph.node_weight(*index).copied().flatten())
                    .map(NodeName::name)
                    .collect();
            }
            if !seen.contains(&to) {
                seen.push(to);
                let mut longer = path.clone();
                longer.push(to);
                paths.push_back(longer);
            }
        }
    }
    vec![]
}

fn is_added<S: State, N: NodeName>(builder: &Builder<S, N>, node: N) -> bool {
    builder.nodes.iter().any(|(known, _)| *known == node)
}

/// Every exit with the place it leaves, as it reads in a sentence.
fn sources<S: State, N: NodeName>(builder: &Builder<S, N>) -> Vec<(String, &Exit<S, N>)> {
    let starts = builder.starts.iter().map(|exit| ("the start".to_owned(), exit));
    let exits = builder.exits.iter().map(|(from, exit)| (format!("node `{}`", from.name()), exit));
    starts.chain(exits).collect()
}

fn describe<S, N: NodeName>(exit: &Exit<S, N>) -> String {
    match exit {
        Exit::Edge(to) => format!("an edge to {}", target_text(to)),
        Exit::Choice { name, .. } => format!("the decision `{name}`"),
    }
}

fn target_text<N: NodeName>(to: &To<N>) -> String {
    to.target.map_or_else(|| "the end".to_owned(), |node| format!("`{}`", node.name()))
}
