//! The engine against a hand-written `match` loop over the same async functions.
//!
//! `cargo bench --bench engine`; the growth of the journal file is printed before the timings.

// The bench is its own program: what it prints is its answer, and it may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark, not the library")]

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use divan::Bencher;
use serde::{Deserialize, Serialize};
use sqlogue_graph::journal::{Journal, SqliteJournal};
use sqlogue_graph::{
    Context, Event, Graph, Node, NodeError, Observer, Outcome, RunId, RunOptions, State, To, branches,
    decision, nodes,
};
use tokio::runtime::{Builder, Runtime};

fn main() {
    report_growth();
    divan::main();
}

/// What a conversation might hold, without a conversation's rules.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Talk {
    follow_up: bool,
    errors_to_come: u32,
    tables: u32,
    sql: String,
    rows: u32,
    turns: u32,
    schema: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Change {
    TurnStarted { follow_up: bool, errors_to_come: u32 },
    TablesFound(u32),
    SqlWritten(String),
    Failed,
    Answered(u32),
    TurnClosed,
}

impl State for Talk {
    type Change = Change;
    const VERSION: u32 = 1;

    fn apply(&mut self, change: &Change) {
        match change {
            Change::TurnStarted { follow_up, errors_to_come } => {
                self.follow_up = *follow_up;
                self.errors_to_come = *errors_to_come;
                self.rows = 0;
            }
            Change::TablesFound(tables) => self.tables = *tables,
            Change::SqlWritten(sql) => self.sql.clone_from(sql),
            Change::Failed => self.errors_to_come = self.errors_to_come.saturating_sub(1),
            Change::Answered(rows) => self.rows = *rows,
            Change::TurnClosed => self.turns += 1,
        }
    }
}

impl Talk {
    fn of_50_kb() -> Self {
        Self { schema: "x".repeat(50_000), ..Self::default() }
    }
}

async fn analyze(_: &Talk) -> Vec<Change> {
    vec![Change::TablesFound(7)]
}

async fn route(_: &Talk) -> Vec<Change> {
    vec![]
}

async fn plan(talk: &Talk) -> Vec<Change> {
    vec![Change::TablesFound(talk.tables + 1)]
}

async fn generate(_: &Talk) -> Vec<Change> {
    vec![Change::SqlWritten("SELECT name FROM company WHERE status = 'active' ORDER BY name".to_owned())]
}

async fn execute(talk: &Talk) -> Vec<Change> {
    vec![if talk.errors_to_come > 0 { Change::Failed } else { Change::Answered(42) }]
}

async fn repair(_: &Talk) -> Vec<Change> {
    vec![Change::SqlWritten("SELECT name FROM companies".to_owned())]
}

async fn close(_: &Talk) -> Vec<Change> {
    vec![Change::TurnClosed]
}

nodes! {
    enum Stage {
        Analyze => "analyze_schema",
        Router => "router",
        Planner => "planner",
        Generate => "generate_query",
        Execute => "execute_query",
        Repair => "handle_error",
        Close => "cleanup",
    }
}

branches! { enum Begin { New => "new conversation", FollowUp => "follow-up" } }
branches! { enum Ran { Rows => "rows", Error => "error, retries left" } }

macro_rules! node {
    ($name:ident, $function:ident) => {
        struct $name;

        impl Node<Talk> for $name {
            async fn run(&self, talk: &Talk, _: &Context) -> Result<Outcome<Change>, NodeError> {
                Ok(Outcome::Done($function(talk).await))
            }
        }
    };
}

node!(Analyze, analyze);
node!(Route, route);
node!(Plan, plan);
node!(Generate, generate);
node!(Execute, execute);
node!(Repair, repair);
node!(Close, close);

fn graph() -> Graph<Talk> {
    Graph::builder::<Stage>("conversation")
        .start_by(
            decision("begin", |talk: &Talk, _| if talk.follow_up { Begin::FollowUp } else { Begin::New }),
            |branch| match branch {
                Begin::New => To::node(Stage::Analyze),
                Begin::FollowUp => To::node(Stage::Router),
            },
        )
        .node(Stage::Analyze, Analyze)
        .node(Stage::Router, Route)
        .node(Stage::Planner, Plan)
        .node(Stage::Generate, Generate)
        .node(Stage::Execute, Execute)
        .node(Stage::Repair, Repair)
        .node(Stage::Close, Close)
        .edge(Stage::Analyze, Stage::Planner)
        .edge(Stage::Router, Stage::Execute)
        .edge(Stage::Planner, Stage::Generate)
        .edge(Stage::Generate, Stage::Execute)
        .decide(
            Stage::Execute,
            decision("ran", |talk: &Talk, budgets| {
                if talk.rows == 0 && budgets.left("retries") > 0 { Ran::Error } else { Ran::Rows }
            }),
            |branch| match branch {
                Ran::Rows => To::node(Stage::Close),
                Ran::Error => To::node(Stage::Repair).within("retries"),
            },
        )
        .edge(Stage::Repair, Stage::Execute)
        .end(Stage::Close)
        .budget("retries", 3)
        .build()
        .unwrap()
}

/// The same walk by hand.
async fn by_hand(mut talk: Talk, input: Change) -> Talk {
    talk.apply(&input);
    let mut retries = 0;
    let mut next = if talk.follow_up { Stage::Router } else { Stage::Analyze };
    loop {
        let changes = match next {
            Stage::Analyze => analyze(&talk).await,
            Stage::Router => route(&talk).await,
            Stage::Planner => plan(&talk).await,
            Stage::Generate => generate(&talk).await,
            Stage::Execute => execute(&talk).await,
            Stage::Repair => repair(&talk).await,
            Stage::Close => close(&talk).await,
        };
        for change in &changes {
            talk.apply(change);
        }
        next = match next {
            Stage::Analyze => Stage::Planner,
            Stage::Planner => Stage::Generate,
            Stage::Router | Stage::Generate | Stage::Repair => Stage::Execute,
            Stage::Execute if talk.rows == 0 && retries < 3 => {
                retries += 1;
                Stage::Repair
            }
            Stage::Execute => Stage::Close,
            Stage::Close => return talk,
        };
    }
}

/// Counts events, as the cheapest useful observer would.
#[derive(Default)]
struct Counter(AtomicU64);

impl Observer<Talk> for Counter {
    fn on_event(&self, event: &Event<'_, Change>) {
        black_box(event);
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A turn of five nodes; a follow-up of three; an error path of five and twice two more.
#[derive(Clone, Copy, Debug)]
enum Path {
    FiveNodes,
    FollowUp,
    TwoRetries,
}

const PATHS: [Path; 3] = [Path::FiveNodes, Path::FollowUp, Path::TwoRetries];

impl Path {
    fn input(self) -> Change {
        match self {
            Self::FiveNodes => Change::TurnStarted { follow_up: false, errors_to_come: 0 },
            Self::FollowUp => Change::TurnStarted { follow_up: true, errors_to_come: 0 },
            Self::TwoRetries => Change::TurnStarted { follow_up: false, errors_to_come: 2 },
        }
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

#[divan::bench(args = PATHS, sample_size = 200)]
fn a_by_hand(bencher: Bencher, path: Path) {
    let runtime = runtime();
    bencher.with_inputs(Talk::default).bench_values(|talk| runtime.block_on(by_hand(talk, path.input())));
}

fn walk(bencher: Bencher, path: Path, talk: fn() -> Talk, options: impl Fn() -> RunOptions<Talk> + Sync) {
    let (runtime, graph) = (runtime(), graph());
    bencher.with_inputs(|| (talk(), options())).bench_values(|(talk, options)| {
        runtime.block_on(graph.run(talk, options.input(vec![path.input()]))).unwrap().into_state()
    });
}

#[divan::bench(args = PATHS, sample_size = 200)]
fn b_engine_without_events(bencher: Bencher, path: Path) {
    walk(bencher, path, Talk::default, RunOptions::new);
}

#[divan::bench(args = PATHS, sample_size = 200)]
fn c_engine_with_events(bencher: Bencher, path: Path) {
    let counter = Arc::new(Counter::default());
    walk(bencher, path, Talk::default, || RunOptions::new().observer(counter.clone()));
}

#[divan::bench(args = PATHS, sample_size = 50)]
fn d_engine_with_events_50_kb(bencher: Bencher, path: Path) {
    let counter = Arc::new(Counter::default());
    walk(bencher, path, Talk::of_50_kb, || RunOptions::new().observer(counter.clone()));
}

/// One conversation, turn after turn, each written after every node.
struct Conversation {
    journal: Arc<dyn Journal>,
    parent: Option<RunId>,
    talk: Talk,
    _folder: tempfile::TempDir,
}

impl Conversation {
    fn new(talk: Talk) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let journal = Arc::new(SqliteJournal::open(folder.path().join("journal.sqlite")).unwrap());
        Self { journal, parent: None, talk, _folder: folder }
    }

    fn turn(&mut self, runtime: &Runtime, graph: &Graph<Talk>, path: Path, observer: &Arc<Counter>) {
        let mut options = RunOptions::new()
            .input(vec![path.input()])
            .journal(self.journal.clone())
            .observer(observer.clone());
        if let Some(parent) = self.parent {
            options = options.parent(parent);
        }
        let ended = runtime.block_on(graph.run(std::mem::take(&mut self.talk), options)).unwrap();
        self.parent = Some(ended.run());
        self.talk = ended.into_state();
    }
}

fn conversation(bencher: Bencher, path: Path, talk: Talk) {
    let (runtime, graph, counter) = (runtime(), graph(), Arc::default());
    let mut conversation = Conversation::new(talk);
    bencher.bench_local(|| conversation.turn(&runtime, &graph, path, &counter));
}

#[divan::bench(args = PATHS)]
fn e_engine_with_sqlite(bencher: Bencher, path: Path) {
    conversation(bencher, path, Talk::default());
}

#[divan::bench(args = PATHS)]
fn f_engine_with_sqlite_50_kb(bencher: Bencher, path: Path) {
    conversation(bencher, path, Talk::of_50_kb());
}

fn report_growth() {
    const TURNS: u64 = 320;
    let (runtime, graph, counter) = (runtime(), graph(), Arc::default());
    for (name, talk) in [("small", Talk::default()), ("50 KB", Talk::of_50_kb())] {
        let mut conversation = Conversation::new(talk);
        conversation.turn(&runtime, &graph, Path::FiveNodes, &counter);
        let file = conversation._folder.path().join("journal.sqlite");
        let size = || {
            let other = rusqlite::Connection::open(&file).unwrap();
            let _ = other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            drop(other);
            std::fs::metadata(&file).unwrap().len()
        };
        let before = size();
        for _ in 0..TURNS {
            conversation.turn(&runtime, &graph, Path::FiveNodes, &counter);
        }
        let growth = (size() - before) / TURNS;
        println!("journal file, {name} state: {growth} bytes a turn over {TURNS} turns, snapshots included");
    }
}
