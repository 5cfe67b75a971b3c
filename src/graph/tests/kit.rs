//! The state that the engine's tests walk over, and graphs on it.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use crate::graph::{
    Event, Graph, Node, NodeError, Observer, Outcome, State, To, branches, decision, node_fn, nodes,
};

/// A list of the words that happened to it, and a number that decisions look at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Log {
    pub(crate) words: Vec<String>,
    pub(crate) errors_to_come: u32,
    pub(crate) filler: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Change {
    Said(String),
    ErrorsToCome(u32),
    Explode,
}

impl State for Log {
    type Change = Change;
    const VERSION: u32 = 1;

    fn apply(&mut self, change: &Change) {
        match change {
            Change::Said(word) => self.words.push(word.clone()),
            Change::ErrorsToCome(count) => self.errors_to_come = *count,
            Change::Explode => panic!("this change explodes"),
        }
    }
}

/// A node that says a word.
pub(crate) fn say(word: &'static str) -> impl Node<Log> + 'static {
    node_fn(move |_: &Log, _| Ok(Outcome::Done(vec![Change::Said(word.to_owned())])))
}

/// A node that fails.
pub(crate) fn fail(message: &'static str) -> impl Node<Log> + 'static {
    node_fn(move |_: &Log, _| Err(NodeError::message(message)))
}

nodes! {
    pub(crate) enum Stage { Read => "read", Run => "run", Repair => "repair", Close => "close" }
}

branches! {
    pub(crate) enum Ran { Rows => "rows", Error => "error, retries left" }
}

/// `read → run ⇄ repair (retries ≤ 3) → close`.
pub(crate) fn retrying() -> Graph<Log> {
    Graph::builder::<Stage>("retrying")
        .start(Stage::Read)
        .node(Stage::Read, say("read"))
        .node(Stage::Run, say("run"))
        .node(
            Stage::Repair,
            node_fn(|log: &Log, _| {
                Ok(Outcome::Done(vec![
                    Change::Said("repair".to_owned()),
                    Change::ErrorsToCome(log.errors_to_come.saturating_sub(1)),
                ]))
            }),
        )
        .node(Stage::Close, say("close"))
        .edge(Stage::Read, Stage::Run)
        .decide(
            Stage::Run,
            decision("ran", |log: &Log, budgets| {
                if log.errors_to_come > 0 && budgets.left("retries") > 0 { Ran::Error } else { Ran::Rows }
            }),
            |branch| match branch {
                Ran::Rows => To::node(Stage::Close),
                Ran::Error => To::node(Stage::Repair).within("retries"),
            },
        )
        .edge(Stage::Repair, Stage::Run)
        .end(Stage::Close)
        .budget("retries", 3)
        .build()
        .unwrap()
}

/// Keeps every event as JSON text.
#[derive(Default)]
pub(crate) struct Tape(Mutex<Vec<String>>);

impl Tape {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Observer<Log> for Tape {
    fn on_event(&self, event: &Event<'_, Change>) {
        self.0.lock().unwrap().push(serde_json::to_string(event).unwrap());
    }
}

/// Runs a future to its end on a runtime with a timer.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
