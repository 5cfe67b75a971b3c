//! The state that the engine's tests walk over, and graphs on it.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use crate::{
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

nodes! {
    pub(crate) enum Planner {
        Correct => "apply_corrections",
        Evaluate => "evaluate_tables",
        Refine => "refine_tables",
        Synthesize => "synthesize_requirements",
        Join => "infer_joins",
        Compose => "compose_plan",
        Update => "update_plan",
    }
}

nodes! {
    pub(crate) enum Turn {
        Analyze => "analyze_schema",
        Router => "router",
        Planner => "planner",
        Generate => "generate_query",
        Execute => "execute_query",
        Repair => "handle_error",
        Refine => "refine_query",
        Close => "cleanup",
    }
}

branches! { pub(crate) enum Mode { Full => "new query, rewrite, correction", Update => "update" } }
branches! { pub(crate) enum Tables { More => "more tables", Found => "found", None => "no table fits" } }
branches! { pub(crate) enum Begin { New => "new conversation", FollowUp => "follow-up" } }
branches! { pub(crate) enum Route { New => "new query", Inline => "inline", Plan => "update, rewrite, correction" } }
branches! { pub(crate) enum Outlook { Planned => "planned", Failed => "failed", Ambiguous => "ambiguous" } }
branches! {
    pub(crate) enum Executed {
        Error => "error, retries left",
        Empty => "empty, refinements left",
        Done => "rows, or nothing left to try",
    }
}

/// Reads the decision's branch from the last word that begins with its name: `route=inline`.
fn told<B: crate::Branch>(name: &'static str) -> impl crate::Decision<Log, Branch = B> + 'static {
    decision(name, move |log: &Log, _| {
        let word = log.words.iter().rev().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        B::ALL.iter().copied().find(|branch| Some(branch.label()) == word).unwrap_or(B::ALL[0])
    })
}

/// The shape of the conversation graph; every decision does what the last word about it says.
pub(crate) fn conversation() -> Graph<Log> {
    use Planner as P;
    use Turn as T;
    let planner = Graph::builder::<P>("planner")
        .start_by(told::<Mode>("mode"), |mode| match mode {
            Mode::Full => To::node(P::Correct),
            Mode::Update => To::node(P::Update),
        })
        .node(P::Correct, say("apply_corrections"))
        .node(P::Evaluate, say("evaluate_tables"))
        .node(P::Refine, say("refine_tables"))
        .node(P::Synthesize, say("synthesize_requirements"))
        .node(P::Join, say("infer_joins"))
        .node(P::Compose, say("compose_plan"))
        .node(P::Update, say("update_plan"))
        .edge(P::Correct, P::Evaluate)
        .decide(P::Evaluate, told::<Tables>("tables"), |tables| match tables {
            Tables::More => To::node(P::Evaluate).within("tables"),
            Tables::Found => To::node(P::Refine),
            Tables::None => To::end(),
        })
        .edge(P::Refine, P::Synthesize)
        .edge(P::Synthesize, P::Join)
        .edge(P::Join, P::Compose)
        .end(P::Compose)
        .end(P::Update)
        .budget("tables", 2)
        .build()
        .unwrap();
    Graph::builder::<T>("conversation")
        .start_by(told::<Begin>("begin"), |begin| match begin {
            Begin::New => To::node(T::Analyze),
            Begin::FollowUp => To::node(T::Router),
        })
        .node(T::Analyze, say("analyze_schema"))
        .node(T::Router, say("router"))
        .nested(T::Planner, planner)
        .node(T::Generate, say("generate_query"))
        .node(T::Execute, say("execute_query"))
        .node(T::Repair, say("handle_error"))
        .node(T::Refine, say("refine_query"))
        .node(T::Close, say("cleanup"))
        .decide(T::Router, told::<Route>("route"), |route| match route {
            Route::New => To::node(T::Analyze),
            Route::Inline => To::node(T::Execute),
            Route::Plan => To::node(T::Planner),
        })
        .edge(T::Analyze, T::Planner)
        .decide(T::Planner, told::<Outlook>("planned"), |planned| match planned {
            Outlook::Planned => To::node(T::Generate),
            Outlook::Failed | Outlook::Ambiguous => To::node(T::Close),
        })
        .edge(T::Generate, T::Execute)
        .decide(T::Execute, told::<Executed>("executed"), |executed| match executed {
            Executed::Error => To::node(T::Repair).within("retries"),
            Executed::Empty => To::node(T::Refine).within("refinements"),
            Executed::Done => To::node(T::Close),
        })
        .edge(T::Repair, T::Execute)
        .edge(T::Refine, T::Execute)
        .end(T::Close)
        .budget("retries", 3)
        .budget("refinements", 1)
        .build()
        .unwrap()
}
