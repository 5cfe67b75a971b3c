//! Walking a graph from its start to its end, and what can go wrong on the way.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::kit::{Change, Log, Ran, Stage, Tape, conversation, fail, retrying, say, wait};
use crate::{
    Context, Ended, FixedClock, Graph, Node, NodeError, Outcome, RunError, RunErrorKind, RunOptions,
    SequentialIds, To, decision, node_fn, nodes,
};

nodes! { enum One { Only => "only" } }

fn single(node: impl Node<Log> + 'static) -> Graph<Log> {
    Graph::builder::<One>("single").start(One::Only).node(One::Only, node).end(One::Only).build().unwrap()
}

fn run(graph: &Graph<Log>, options: RunOptions<Log>) -> Result<Ended<Log>, RunError<Log>> {
    wait(graph.run(Log::default(), options))
}

struct Sleepy(Duration);

impl Node<Log> for Sleepy {
    async fn run(&self, _: &Log, _: &Context) -> Result<Outcome<Change>, NodeError> {
        tokio::time::sleep(self.0).await;
        Ok(Outcome::Done(vec![Change::Said("awake".to_owned())]))
    }
}

#[test]
fn walks_a_loop_up_to_its_budget() {
    let options = RunOptions::new().input(vec![Change::ErrorsToCome(2)]);
    let ended = run(&retrying(), options).unwrap();
    assert_eq!(ended.state().words, ["read", "run", "repair", "run", "repair", "run", "close"]);
    let ended = run(&retrying(), RunOptions::new().input(vec![Change::ErrorsToCome(9)])).unwrap();
    assert_eq!(ended.path().iter().filter(|node| &***node == "repair").count(), 3);
}

#[test]
fn a_finished_state_starts_the_next_run() {
    let first = run(&retrying(), RunOptions::new()).unwrap();
    let second = wait(retrying().run(first.into_state(), RunOptions::new())).unwrap();
    assert_eq!(second.state().words, ["read", "run", "close", "read", "run", "close"]);
}

#[test]
fn a_run_can_be_spawned() {
    fn assert_send<T: Send>(value: T) -> T {
        value
    }
    let graph = retrying();
    wait(assert_send(graph.run(Log::default(), RunOptions::new()))).unwrap();
}

#[test]
fn a_nested_graph_runs_like_a_node_and_its_budgets_start_afresh() {
    let say_all = |words: &[&str]| words.iter().map(|word| Change::Said((*word).to_owned())).collect();
    let input = say_all(&["tables=found", "executed=rows, or nothing left to try"]);
    let ended = run(&conversation(), RunOptions::new().input(input)).unwrap();
    let path: Vec<_> = ended.path().iter().map(|node| &**node).collect();
    assert_eq!(path[..3], ["analyze_schema", "planner/apply_corrections", "planner/evaluate_tables"]);
    assert_eq!(path[path.len() - 3..], ["generate_query", "execute_query", "cleanup"]);

    nodes! { enum Outer { Inner => "inner", Close => "close" } }
    let graph = Graph::builder::<Outer>("outer")
        .start(Outer::Inner)
        .nested(Outer::Inner, retrying())
        .node(Outer::Close, say("closed"))
        .decide(
            Outer::Inner,
            decision(
                "again",
                |_: &Log, budgets| if budgets.left("again") > 0 { Ran::Error } else { Ran::Rows },
            ),
            |again| match again {
                Ran::Error => To::node(Outer::Inner).within("again"),
                Ran::Rows => To::node(Outer::Close),
            },
        )
        .end(Outer::Close)
        .budget("again", 1)
        .build()
        .unwrap();
    let ended = run(&graph, RunOptions::new().input(vec![Change::ErrorsToCome(99)])).unwrap();
    assert_eq!(ended.path().iter().filter(|node| &***node == "inner/repair").count(), 6);
}

#[test]
fn events_tell_the_whole_run() {
    let tape = Tape::new();
    let options = RunOptions::new()
        .input(vec![Change::ErrorsToCome(1)])
        .ids(Arc::new(SequentialIds::default()))
        .clock(Arc::new(FixedClock::new("2026-01-01T00:00:00Z".parse().unwrap())))
        .observer(tape.clone());
    run(&retrying(), options).unwrap();
    let events = tape.lines();
    let kinds: Vec<String> = events
        .iter()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["event"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(kinds[..2], ["run_started", "changed"]);
    assert_eq!(kinds[2..5], ["node_started", "changed", "node_finished"]);
    assert_eq!(kinds.last().unwrap(), "run_finished");
    let decided: Vec<_> = events.iter().filter(|line| line.contains("decided")).collect();
    assert_eq!(
        decided[0],
        r#"{"event":"decided","run":"00000000-0000-0000-0000-000000000001","step":2,"at":"run","decision":"ran","branch":"error, retries left","to":"repair","budget":{"name":"retries","used":1,"limit":3}}"#
    );
    for line in events {
        let event: crate::Event<'static, Change> = serde_json::from_str(&line).unwrap();
        assert_eq!(serde_json::to_string(&event.clone().into_owned()).unwrap(), line);
    }
}

#[test]
fn a_node_s_error_names_it_and_keeps_the_state() {
    let graph = retrying().with_node("run", fail("no connection")).unwrap();
    let error = run(&graph, RunOptions::new()).unwrap_err();
    assert_eq!(error.to_string(), "node `run`: no connection");
    assert_eq!((error.step, &*error.state.words[0]), (1, "read"));
}

#[test]
fn panics_become_errors() {
    let node = single(node_fn(|_: &Log, _| panic!("boom {}", 1)));
    assert_eq!(
        run(&node, RunOptions::new()).unwrap_err().to_string(),
        "node `only`: the node panicked: boom 1"
    );
    let apply = single(node_fn(|_: &Log, _| Ok(Outcome::Done(vec![Change::Explode]))));
    let error = run(&apply, RunOptions::new()).unwrap_err();
    assert!(matches!(error.kind, RunErrorKind::Panicked { what: "apply", .. }), "{error}");
    let decide = Graph::builder::<One>("g")
        .start(One::Only)
        .node(One::Only, say("x"))
        .decide(One::Only, decision("d", |_: &Log, _| -> Ran { panic!("no idea") }), |_| To::end())
        .build()
        .unwrap();
    let error = run(&decide, RunOptions::new()).unwrap_err();
    assert_eq!(error.to_string(), "node `only`: the decision panicked: no idea");
}

#[test]
fn a_slow_node_is_stopped() {
    let graph = single(Sleepy(Duration::from_secs(60)));
    let error = run(&graph, RunOptions::new().node_timeout(Duration::from_millis(5))).unwrap_err();
    assert!(matches!(error.kind, RunErrorKind::NodeTimedOut(_)), "{error}");
    let soon = Instant::now() + Duration::from_millis(5);
    let error = run(&graph, RunOptions::new().deadline(soon)).unwrap_err();
    assert!(matches!(error.kind, RunErrorKind::DeadlinePassed), "{error}");
    let ended = run(&single(Sleepy(Duration::ZERO)), RunOptions::new().node_timeout(Duration::from_secs(60)));
    assert_eq!(ended.unwrap().state().words, ["awake"]);
}

/// Waits for ever, without a timer.
struct Never;

impl Node<Log> for Never {
    async fn run(&self, _: &Log, _: &Context) -> Result<Outcome<Change>, NodeError> {
        std::future::pending().await
    }
}

#[test]
fn a_timeout_without_a_timer_is_an_error() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let options = RunOptions::new().node_timeout(Duration::from_secs(1));
    let error = runtime.block_on(single(Never).run(Log::default(), options)).unwrap_err();
    assert!(matches!(error.kind, RunErrorKind::Panicked { what: "timer", .. }), "{error}");
}

#[test]
fn cancels_between_nodes_and_while_one_waits() {
    let token = CancellationToken::new();
    let cancel = token.clone();
    let graph = retrying()
        .with_node(
            "read",
            node_fn(move |_: &Log, _| {
                cancel.cancel();
                Ok(Outcome::Done(vec![Change::Said("read".to_owned())]))
            }),
        )
        .unwrap();
    let error = run(&graph, RunOptions::new().cancellation(token)).unwrap_err();
    assert!(matches!(error.kind, RunErrorKind::Cancelled));
    assert_eq!(error.state.words, ["read"]);

    let token = CancellationToken::new();
    let later = token.clone();
    let error = wait(async {
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            later.cancel();
        });
        let graph = single(Sleepy(Duration::from_secs(60)));
        graph.run(Log::default(), RunOptions::new().cancellation(token)).await.unwrap_err()
    });
    assert!(matches!(error.kind, RunErrorKind::Cancelled));
}

#[test]
fn the_step_limit_names_the_loop_and_keeps_the_state() {
    let options = RunOptions::new().input(vec![Change::ErrorsToCome(9)]).step_limit(5);
    let error = run(&retrying(), options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "node `run`: not at the end after 5 steps; the loop is `run` → `repair` → `run`"
    );
    assert_eq!(error.state.words, ["read", "run", "repair", "run", "repair"]);
}

#[test]
fn a_spent_budget_that_is_taken_is_an_error() {
    let graph = Graph::builder::<Stage>("stubborn")
        .start(Stage::Read)
        .node(Stage::Read, say("read"))
        .node(Stage::Run, say("run"))
        .node(Stage::Repair, say("repair"))
        .node(Stage::Close, say("close"))
        .edge(Stage::Read, Stage::Run)
        .decide(Stage::Run, decision("ran", |_: &Log, _| Ran::Error), |ran| match ran {
            Ran::Rows => To::node(Stage::Close),
            Ran::Error => To::node(Stage::Repair).within("retries"),
        })
        .edge(Stage::Repair, Stage::Run)
        .end(Stage::Close)
        .budget("retries", 2)
        .build()
        .unwrap();
    let error = run(&graph, RunOptions::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "node `run`: the decision took branch `error, retries left`, but budget `retries` of 2 is spent"
    );
    assert_eq!(error.state.words, ["read", "run", "repair", "run", "repair", "run"]);
}

#[test]
fn an_unknown_budget_is_an_error() {
    let graph = Graph::builder::<One>("g")
        .start(One::Only)
        .node(One::Only, say("x"))
        .decide(
            One::Only,
            decision("d", |_: &Log, budgets| if budgets.left("retrys") > 0 { Ran::Rows } else { Ran::Error }),
            |_| To::end(),
        )
        .build()
        .unwrap();
    let error = run(&graph, RunOptions::new()).unwrap_err();
    assert!(error.to_string().contains("budget `retrys`"), "{error}");
}

#[test]
fn a_pause_at_no_node_is_an_error() {
    let error = run(&retrying(), RunOptions::new().pause_before("ran")).unwrap_err();
    assert_eq!(error.to_string(), "there is no node `ran` to pause at");
}

#[test]
fn every_path_can_be_driven() {
    let graph = conversation();
    let paths: Vec<_> = graph.paths(10_000).collect();
    assert!(paths.len() > 100, "{}", paths.len());
    for path in &paths {
        let ended = run(&graph, RunOptions::new().follow(path)).unwrap();
        assert_eq!(
            ended.path().iter().map(|node| &**node).collect::<Vec<_>>(),
            path.nodes().collect::<Vec<_>>()
        );
    }
    let shown: Vec<_> = retrying().paths(2).map(|path| path.to_string()).collect();
    assert_eq!(shown[0], "[start] → read → run -[rows]→ close → [end]");
    assert_eq!(retrying().paths(100).count(), 4);
    let after = retrying().paths(2).nth(1).unwrap().choices_after("run", 1);
    assert_eq!(after, [("ran", "rows")]);
}
