//! What `build()` refuses, each problem with the names involved and a hint.

use std::error::Error;
use std::fmt::{self, Display};

/// Everything that is wrong with a graph, found in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildProblems {
    pub(crate) graph: &'static str,
    pub(crate) problems: Vec<BuildProblem>,
}

impl BuildProblems {
    /// The problems, at least one.
    pub fn problems(&self) -> &[BuildProblem] {
        &self.problems
    }
}

impl Display for BuildProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.problems.len();
        let s = if count == 1 { "" } else { "s" };
        write!(f, "graph `{}` has {count} problem{s}", self.graph)?;
        for problem in &self.problems {
            write!(f, "\n  {problem}\n    hint: {}", problem.hint())?;
        }
        Ok(())
    }
}

impl Error for BuildProblems {}

/// One thing that is wrong with a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildProblem {
    /// Nothing says where a walk starts.
    #[error("no start was set")]
    NoStart,
    /// The start was set more than once.
    #[error("the start was set {count} times")]
    SeveralStarts {
        /// How often.
        count: usize,
    },
    /// A name is empty or contains a character that ids are made with.
    #[error("{name:?} cannot be a name")]
    BadName {
        /// The name.
        name: String,
    },
    /// Two nodes of the enum have one name.
    #[error("two nodes have the name `{name}`")]
    DuplicateName {
        /// The name.
        name: &'static str,
    },
    /// Two branches of one decision have one label.
    #[error("decision `{decision}` has two branches labelled `{label}`")]
    DuplicateBranch {
        /// The decision.
        decision: &'static str,
        /// The label.
        label: &'static str,
    },
    /// A decision's branches have indexes that are not their places in `ALL`.
    #[error("the branches of decision `{decision}` are not numbered as in their list")]
    MisnumberedBranches {
        /// The decision.
        decision: &'static str,
    },
    /// A node was added more than once.
    #[error("node `{node}` was added more than once")]
    DuplicateNode {
        /// The node.
        node: &'static str,
    },
    /// A name of the enum was neither added nor used.
    #[error("node `{node}` was never added")]
    NeverAdded {
        /// The node.
        node: &'static str,
    },
    /// An edge leads to a node that was not added.
    #[error("{from} leads to `{to}`, which was never added")]
    MissingTarget {
        /// The start or a node, as it reads in a sentence.
        from: String,
        /// The target.
        to: &'static str,
    },
    /// An edge leaves a node that was not added.
    #[error("an edge leaves `{from}`, which was never added")]
    MissingSource {
        /// The node.
        from: &'static str,
    },
    /// Nothing says where to go after a node.
    #[error("node `{node}` is a dead end")]
    DeadEnd {
        /// The node.
        node: &'static str,
    },
    /// No walk from the start comes to a node.
    #[error("node `{node}` cannot be reached from the start")]
    Unreachable {
        /// The node.
        node: &'static str,
    },
    /// A node has several ways on and nothing that chooses.
    #[error("node `{node}` has several ways on and nothing chooses: {}", exits.join(", "))]
    SeveralExits {
        /// The node.
        node: &'static str,
        /// What was declared, each as it reads in a list.
        exits: Vec<String>,
    },
    /// Nodes that lead only to one another.
    #[error("no way leads out of the loop {}", path(nodes))]
    EndlessLoop {
        /// The nodes of the loop.
        nodes: Vec<&'static str>,
    },
    /// A loop that can be walked for ever.
    #[error("the loop {} passes no budget", path(nodes))]
    LoopWithoutBudget {
        /// The nodes of the loop.
        nodes: Vec<&'static str>,
    },
    /// A budget was declared more than once.
    #[error("budget `{budget}` was declared more than once")]
    DuplicateBudget {
        /// The budget.
        budget: &'static str,
    },
    /// A budget that no edge is within.
    #[error("budget `{budget}` is not used by any edge")]
    UnusedBudget {
        /// The budget.
        budget: &'static str,
    },
    /// An edge within a budget that was not declared.
    #[error("{from} leads to {to} within budget `{budget}`, which was never declared")]
    UndeclaredBudget {
        /// The start or a node, as it reads in a sentence.
        from: String,
        /// The end or a node, as it reads in a sentence.
        to: String,
        /// The budget.
        budget: &'static str,
    },
    /// Two nested graphs or more were declared with so much in them that the table is full.
    #[error("the graph has too many nodes or edges")]
    TooLarge,
}

fn path(nodes: &[&str]) -> String {
    let mut text: String = nodes.iter().map(|node| format!("`{node}` → ")).collect();
    if let Some(first) = nodes.first() {
        text.push_str(&format!("`{first}`"));
    }
    text
}

impl BuildProblem {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoStart => "call `.start(node)` or `.start_by(decision, …)`".into(),
            Self::SeveralStarts { .. } => "keep one; `.start_by` chooses between several first nodes".into(),
            Self::BadName { .. } => "a name is not empty and contains no `/`, `[` or `]`".into(),
            Self::DuplicateName { .. } | Self::DuplicateBranch { .. } => "give each its own".into(),
            Self::MisnumberedBranches { .. } => "let the `branches!` macro write the enum".into(),
            Self::DuplicateNode { node } => format!("keep one `.node` or `.nested` for `{node}`"),
            Self::NeverAdded { node } => format!("add it with `.node`, or remove `{node}` from the enum"),
            Self::MissingTarget { to, .. } => format!("add `{to}` with `.node` or `.nested`"),
            Self::MissingSource { from } => format!("add `{from}` with `.node` or `.nested`"),
            Self::DeadEnd { node } => format!("give `{node}` an `.edge`, a `.decide` or an `.end`"),
            Self::Unreachable { node } => format!("lead an edge to `{node}`, or remove it"),
            Self::SeveralExits { .. } => "keep one, or choose between them with one `.decide`".into(),
            Self::EndlessLoop { .. } => "let a decision in the loop lead out of it".into(),
            Self::LoopWithoutBudget { .. } => {
                "declare `.budget(name, limit)` and add `.within(name)` to the edge that goes back".into()
            }
            Self::DuplicateBudget { budget } => format!("keep one `.budget` for `{budget}`"),
            Self::UnusedBudget { budget } => {
                format!("add `.within(\"{budget}\")` to the edge it limits, or remove it")
            }
            Self::UndeclaredBudget { budget, .. } => {
                format!("declare it with `.budget(\"{budget}\", limit)`")
            }
            Self::TooLarge => "split it into graphs that run one after the other".into(),
        }
    }
}
