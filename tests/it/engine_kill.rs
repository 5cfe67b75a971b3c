//! A process is killed in the middle of a run, and another one goes on.
//!
//! The test starts its own executable again as the victim, and tells it by the environment what it is.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sqlogue::graph::journal::{Journal, SqliteJournal};
use sqlogue::graph::{
    Context, Graph, IdSource, Node, NodeError, Outcome, RunId, RunOptions, SequentialIds, State, nodes,
};

const JOURNAL: &str = "SQLOGUE_TEST_VICTIM_JOURNAL";
const STOP_AT: &str = "SQLOGUE_TEST_VICTIM_STOPS_AT";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Words(Vec<String>);

impl State for Words {
    type Change = String;
    const VERSION: u32 = 1;

    fn apply(&mut self, change: &String) {
        self.0.push(change.clone());
    }
}

nodes! { enum Step { One => "one", Two => "two", Three => "three", Four => "four" } }

/// Says its name; where it is told to, it says that it is there and waits to be killed.
struct Say;

impl Node<Words> for Say {
    async fn run(&self, _: &Words, context: &Context) -> Result<Outcome<String>, NodeError> {
        if std::env::var(STOP_AT).is_ok_and(|stop| stop == context.node()) {
            println!("\nstopped at {}", context.node());
            tokio::time::sleep(Duration::from_secs(600)).await;
        }
        Ok(Outcome::Done(vec![context.node().to_owned()]))
    }
}

fn graph() -> Graph<Words> {
    Graph::builder::<Step>("victim")
        .start(Step::One)
        .node(Step::One, Say)
        .node(Step::Two, Say)
        .node(Step::Three, Say)
        .node(Step::Four, Say)
        .edge(Step::One, Step::Two)
        .edge(Step::Two, Step::Three)
        .edge(Step::Three, Step::Four)
        .end(Step::Four)
        .build()
        .unwrap()
}

fn run_id() -> RunId {
    RunId::new(SequentialIds::default().next_id())
}

fn open(path: &Path) -> Arc<dyn Journal> {
    Arc::new(SqliteJournal::open(path).unwrap())
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// The victim; without its environment there is nothing to do.
#[test]
fn victim() {
    let Some(path) = std::env::var_os(JOURNAL) else { return };
    let options =
        RunOptions::new().run(run_id()).journal(open(Path::new(&path))).input(vec!["input".to_owned()]);
    wait(graph().run(Words::default(), options)).unwrap();
}

#[test]
fn a_killed_process_loses_nothing_that_was_done() {
    let steps = ["one", "two", "three", "four"];
    for (done, stop) in steps.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["engine_kill::victim", "--exact", "--nocapture"])
            .env(JOURNAL, &path)
            .env(STOP_AT, stop)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(victim.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == format!("stopped at {stop}")), "the victim died by itself");
        victim.kill().unwrap();
        victim.wait().unwrap();

        let journal = open(&path);
        let record = wait(journal.read(run_id())).unwrap().unwrap();
        assert_eq!(record.steps.len(), 1 + done, "killed at {stop}");
        let ended = wait(graph().resume(journal, run_id(), RunOptions::new())).unwrap();
        assert_eq!(ended.state().0, ["input", "one", "two", "three", "four"], "killed at {stop}");
        assert_eq!(ended.path().len(), 4, "killed at {stop}");
    }
}
