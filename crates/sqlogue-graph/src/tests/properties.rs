//! Random graphs: what `build()` accepts can be walked to its end, whatever the decisions say.

use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;

use super::kit::{Log, say, wait};
use crate::{Budgets, Builder, Graph, RunOptions, To, branches, decision, nodes};

nodes! { enum N { A => "a", B => "b", C => "c", D => "d", E => "e" } }
branches! { enum Way { One => "one", Two => "two", Three => "three" } }

const NODES: [N; 5] = [N::A, N::B, N::C, N::D, N::E];

/// Where a branch leads, and whether within the budget; the sixth target is the end.
type Arm = (usize, bool);

#[derive(Clone, Debug)]
enum Exit {
    Edge(usize),
    Choice([Arm; 3]),
}

fn target((place, budgeted): Arm) -> To<N> {
    let to = NODES.get(place).map_or(To::end(), |node| To::node(*node));
    if budgeted { to.within("turns") } else { to }
}

fn exit() -> impl Strategy<Value = Exit> {
    let arm = || (0..6_usize, any::<bool>());
    prop_oneof![(0..6_usize).prop_map(Exit::Edge), [arm(), arm(), arm()].prop_map(Exit::Choice)]
}

/// A graph whose decisions follow the dice, and never take a spent edge if another is free.
fn build(exits: &[Exit; 5], seed: u64) -> Builder<Log, N> {
    let mut builder = Graph::builder("random").start(N::A).budget("turns", 3);
    for (node, exit) in NODES.into_iter().zip(exits) {
        builder = builder.node(node, say("x"));
        builder = match exit {
            Exit::Edge(place) => match NODES.get(*place) {
                Some(to) => builder.edge(node, *to),
                None => builder.end(node),
            },
            Exit::Choice(arms) => {
                let dice = AtomicU64::new(seed);
                let free: [bool; 3] = arms.map(|(_, budgeted)| !budgeted);
                let roll = decision("roll", move |_: &Log, budgets: &Budgets<'_>| {
                    let next = |old: u64| old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
                    let rolled =
                        dice.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(next(old)));
                    let first = (rolled.unwrap_or_default() >> 33) as usize % 3;
                    let open = |way: &usize| budgets.left("turns") > 0 || free[*way];
                    let way = (0..3).map(|step| (first + step) % 3).find(open).unwrap_or(first);
                    [Way::One, Way::Two, Way::Three][way]
                });
                let arms = *arms;
                builder.decide(node, roll, move |way| match way {
                    Way::One => target(arms[0]),
                    Way::Two => target(arms[1]),
                    Way::Three => target(arms[2]),
                })
            }
        };
    }
    builder
}

/// Whether the start, and every node that can be come to without spending, can reach the end without spending.
fn never_stuck(exits: &[Exit; 5]) -> bool {
    exits.iter().all(|exit| match exit {
        Exit::Edge(_) => true,
        Exit::Choice(arms) => arms.iter().any(|(_, budgeted)| !budgeted),
    })
}

proptest! {
    #[test]
    fn accepted_graphs_end(exits in [exit(), exit(), exit(), exit(), exit()], seed in any::<u64>()) {
        if let Ok(graph) = build(&exits, seed).build() {
            let result = wait(graph.run(Log::default(), RunOptions::new()));
            match result {
                Ok(ended) => prop_assert!(ended.is_finished()),
                // A node all of whose edges are within the spent budget ends in a typed error.
                Err(error) => prop_assert!(!never_stuck(&exits), "{error}"),
            }
            for path in graph.paths(200) {
                prop_assert!(wait(graph.run(Log::default(), RunOptions::new().follow(&path))).is_ok());
            }
        }
    }

    #[test]
    fn refused_graphs_say_why(exits in [exit(), exit(), exit(), exit(), exit()]) {
        if let Err(problems) = build(&exits, 0).build() {
            prop_assert!(!problems.problems().is_empty());
            prop_assert!(problems.to_string().contains("hint:"));
        }
    }

    #[test]
    fn pictures_are_well_formed(exits in [exit(), exit(), exit(), exit(), exit()]) {
        if let Ok(graph) = build(&exits, 0).build() {
            let picture = graph.picture();
            prop_assert_eq!(picture.svg().matches("<path d=\"M").count(), picture.edges.len() + 3);
            prop_assert!(!picture.svg().contains("NaN") && !picture.svg().contains("inf"));
            let back: crate::Picture = serde_json::from_str(&picture.json()).unwrap();
            prop_assert_eq!(back, picture);
        }
    }
}
