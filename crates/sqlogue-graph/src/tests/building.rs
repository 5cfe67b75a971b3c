//! What `build()` refuses.

use super::kit::{Log, say};
use crate::{Branch, Budgets, BuildProblem, Builder, Decision, Graph, To, branches, decision, nodes};

nodes! { enum N { A => "a", B => "b", C => "c" } }
branches! { enum Way { One => "one", Two => "two" } }

fn pick() -> impl Decision<Log, Branch = Way> + 'static {
    decision("pick", |_: &Log, _: &Budgets<'_>| Way::One)
}

fn builder() -> Builder<Log, N> {
    Graph::builder("g").node(N::A, say("a")).node(N::B, say("b")).node(N::C, say("c"))
}

fn problems(builder: Builder<Log, N>) -> Vec<BuildProblem> {
    builder.build().map(|_| ()).unwrap_err().problems().to_vec()
}

fn only(builder: Builder<Log, N>) -> String {
    let problems = problems(builder);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(!problems[0].hint().is_empty());
    problems[0].to_string()
}

fn line() -> Builder<Log, N> {
    builder().start(N::A).edge(N::A, N::B)
}

#[test]
fn a_line_is_fine() {
    let graph = line().edge(N::B, N::C).end(N::C).build().unwrap();
    assert_eq!(graph.node_ids().collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn no_start() {
    assert_eq!(only(builder().edge(N::A, N::B).edge(N::B, N::C).end(N::C)), "no start was set");
    assert_eq!(only(line().start(N::B).edge(N::B, N::C).end(N::C)), "the start was set 2 times");
}

#[test]
fn an_unknown_target() {
    let builder = Graph::builder("g").node(N::A, say("a")).node(N::B, say("b")).start(N::A);
    let text = only(builder.edge(N::A, N::B).edge(N::B, N::C));
    assert_eq!(text, "node `b` leads to `c`, which was never added");
}

#[test]
fn an_unknown_source() {
    let builder = Graph::builder("g").node(N::A, say("a")).node(N::B, say("b")).start(N::A);
    let text = only(builder.edge(N::A, N::B).end(N::B).edge(N::C, N::A));
    assert_eq!(text, "an edge leaves `c`, which was never added");
}

#[test]
fn a_node_that_was_never_added() {
    let builder = Graph::builder("g").node(N::A, say("a")).node(N::B, say("b")).start(N::A);
    assert_eq!(only(builder.edge(N::A, N::B).end(N::B)), "node `c` was never added");
}

#[test]
fn a_node_that_was_added_twice() {
    let text = only(line().edge(N::B, N::C).end(N::C).node(N::A, say("again")));
    assert_eq!(text, "node `a` was added more than once");
}

#[test]
fn an_unreachable_node() {
    assert_eq!(only(line().end(N::B).end(N::C)), "node `c` cannot be reached from the start");
}

#[test]
fn a_dead_end() {
    assert_eq!(only(line().edge(N::B, N::C)), "node `c` is a dead end");
}

#[test]
fn a_loop_with_no_way_out() {
    let found = problems(line().edge(N::B, N::C).edge(N::C, N::B));
    let text: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        ["no way leads out of the loop `b` → `c` → `b`", "the loop `b` → `c` → `b` passes no budget"]
    );
    let budgeted = line().edge(N::B, N::C).budget("x", 1).decide(N::C, pick(), |way| match way {
        Way::One => To::node(N::B).within("x"),
        Way::Two => To::node(N::A).within("x"),
    });
    assert_eq!(only(budgeted), "no way leads out of the loop `a` → `b` → `c` → `a`");
}

#[test]
fn a_loop_without_a_budget() {
    let back = |way| match way {
        Way::One => To::node(N::A),
        Way::Two => To::end(),
    };
    let text = only(line().edge(N::B, N::C).decide(N::C, pick(), back));
    assert_eq!(text, "the loop `a` → `b` → `c` → `a` passes no budget");
    let itself = line().edge(N::B, N::C).decide(N::C, pick(), |way| match way {
        Way::One => To::node(N::C),
        Way::Two => To::end(),
    });
    assert_eq!(only(itself), "the loop `c` → `c` passes no budget");
}

#[test]
fn two_unconditional_edges() {
    let text = only(line().edge(N::A, N::C).edge(N::B, N::C).end(N::C));
    assert_eq!(text, "node `a` has several ways on and nothing chooses: an edge to `b`, an edge to `c`");
    let text = only(line().edge(N::B, N::C).end(N::C).decide(N::A, pick(), |_| To::node(N::B)));
    assert_eq!(text, "node `a` has several ways on and nothing chooses: an edge to `b`, the decision `pick`");
}

#[test]
fn budgets_that_do_not_add_up() {
    let to_the_end = |_| To::end();
    let line = || line().edge(N::B, N::C);
    assert_eq!(only(line().end(N::C).budget("x", 1)), "budget `x` is not used by any edge");
    let undeclared = line().decide(N::C, pick(), |way| match way {
        Way::One => To::node(N::A).within("x"),
        Way::Two => To::end(),
    });
    assert_eq!(only(undeclared), "node `c` leads to `a` within budget `x`, which was never declared");
    let twice =
        line().decide(N::C, pick(), move |way| to_the_end(way).within("x")).budget("x", 1).budget("x", 2);
    assert_eq!(only(twice), "budget `x` was declared more than once");
}

#[test]
fn names_that_would_be_taken_for_another() {
    nodes! { enum Odd { Slash => "a/b", Same => "same", Again => "same" } }
    let found = Graph::<Log>::builder::<Odd>("odd")
        .start(Odd::Slash)
        .node(Odd::Slash, say(""))
        .node(Odd::Same, say(""))
        .node(Odd::Again, say(""))
        .edge(Odd::Slash, Odd::Same)
        .edge(Odd::Same, Odd::Again)
        .end(Odd::Again)
        .build()
        .unwrap_err();
    assert_eq!(
        found.to_string(),
        "graph `odd` has 2 problems\n  \"a/b\" cannot be a name\n    hint: a name is not empty and contains no `/`, \
         `[` or `]`\n  two nodes have the name `same`\n    hint: give each its own"
    );
}

#[test]
fn branches_that_are_not_their_list() {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Wrong(usize);
    impl Branch for Wrong {
        const ALL: &'static [Self] = &[Self(1), Self(1)];
        fn label(self) -> &'static str {
            "wrong"
        }
        fn index(self) -> usize {
            self.0
        }
    }
    let wrong = decision("wrong", |_: &Log, _: &Budgets<'_>| Wrong(1));
    let found = problems(line().edge(N::B, N::C).decide(N::C, wrong, |_| To::end()));
    let expected = [
        BuildProblem::MisnumberedBranches { decision: "wrong" },
        BuildProblem::DuplicateBranch { decision: "wrong", label: "wrong" },
    ];
    assert_eq!(found, expected);
}

#[test]
fn all_problems_come_at_once() {
    let found = problems(
        Graph::builder("g")
            .node(N::A, say("a"))
            .node(N::B, say("b"))
            .edge(N::A, N::C)
            .edge(N::A, N::B)
            .budget("x", 1),
    );
    assert_eq!(
        found,
        [
            BuildProblem::NoStart,
            BuildProblem::SeveralExits {
                node: "a",
                exits: vec!["an edge to `c`".to_owned(), "an edge to `b`".to_owned()],
            },
            BuildProblem::DeadEnd { node: "b" },
            BuildProblem::MissingTarget { from: "node `a`".to_owned(), to: "c" },
            BuildProblem::UnusedBudget { budget: "x" },
        ]
    );
}
