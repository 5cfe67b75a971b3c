//! Walking a graph from its start to its end.

use super::kit::{Change, Log, retrying, wait};
use crate::graph::RunOptions;

#[test]
fn walks_a_loop_up_to_its_budget() {
    let options = RunOptions::new().input(vec![Change::ErrorsToCome(2)]);
    let ended = wait(retrying().run(Log::default(), options)).unwrap();
    assert_eq!(ended.state().words, ["read", "run", "repair", "run", "repair", "run", "close"]);
}

#[test]
fn a_run_can_be_spawned() {
    fn assert_send<T: Send>(value: T) -> T {
        value
    }
    let graph = retrying();
    wait(assert_send(graph.run(Log::default(), RunOptions::new()))).unwrap();
}
