//! Turns to store: a small graph over real conversation states, with rows that can be recognised.

use std::sync::{Arc, LazyLock};

use sqlogue::conversation::{Change, ConversationState, QueryResult, Route, Status};
use sqlogue::graph::{Clock as _, IdSource as _, SystemClock};
use sqlogue::graph::{
    Context, Ended, Graph, Node, NodeError, Outcome, RunErrorKind, RunId, RunOptions, SystemIds, nodes,
};
use sqlogue::intent::Intent;
use sqlogue::plan::{Confidence, PlannedTable, PlannerOutput};
use sqlogue::schema::{Column, Fingerprint, Schema, Table, Value};
use sqlogue::store::{OpenedSession, Sessions};

nodes! {
    /// Three nodes, as a short turn has them.
    pub(crate) enum Stage {
        Plan => "plan",
        Execute => "execute",
        Close => "close",
    }
}

/// Stands in every cell of every result.
pub(crate) const CELL: &str = "CELL-OF-A-ROW";
/// Stands in every sample of every column.
pub(crate) const SAMPLE: &str = "SAMPLE-OF-A-COLUMN";

struct Plan;

impl Node<ConversationState> for Plan {
    async fn run(&self, state: &ConversationState, _: &Context) -> Result<Outcome<Change>, NodeError> {
        let column = |name: &str| Column {
            name: name.to_owned(),
            declared_type: "TEXT".to_owned(),
            samples: vec![Value::Text(SAMPLE.into())],
            ..Column::default()
        };
        let columns = ["id", "name", "city", "country", "since"].map(column).to_vec();
        let schema =
            Schema { tables: vec![Table { name: "customers".to_owned(), columns, ..Table::default() }] };
        let query = format!("SELECT id, name FROM customers WHERE name = '{}'", state.user_question);
        let output = PlannerOutput {
            tables: vec![PlannedTable { name: "customers".to_owned(), columns: vec!["id".to_owned()] }],
            reasoning: "The question speaks of customers.".to_owned(),
            confidence: Confidence::High,
            ..PlannerOutput::default()
        };
        Ok(Outcome::Done(vec![
            Change::SchemaLoaded {
                fingerprint: Fingerprint::of(&schema),
                tables: vec!["customers".to_owned()],
            },
            Change::Routed {
                route: Route::New,
                mode: None,
                instructions: None,
                edits: Vec::new(),
                question: None,
            },
            Change::PlanAdded {
                output: Box::new(output),
                sql: None,
                schema: Arc::new(schema),
                explanation: Vec::new(),
            },
            Change::QuerySet { query, plan: None },
        ]))
    }
}

struct Execute;

impl Node<ConversationState> for Execute {
    async fn run(&self, state: &ConversationState, _: &Context) -> Result<Outcome<Change>, NodeError> {
        let row = |number: i64| {
            vec![Value::Integer(number), Value::Text(format!("{CELL} {}", state.user_question))]
        };
        let result = QueryResult {
            columns: vec!["id".to_owned(), "name".to_owned()],
            rows: (0..20).map(row).collect(),
            row_count: 20,
            truncated: false,
            more: false,
        };
        Ok(Outcome::Done(vec![Change::QueryExecuted { result: Arc::new(result) }]))
    }
}

struct Close;

impl Node<ConversationState> for Close {
    async fn run(&self, _: &ConversationState, _: &Context) -> Result<Outcome<Change>, NodeError> {
        Ok(Outcome::Done(vec![Change::TurnClosed {
            status: Status::Completed,
            message: None,
            refinement_summary: None,
            keep: 10,
        }]))
    }
}

/// The graph of all turns here.
pub(crate) static GRAPH: LazyLock<Graph<ConversationState>> = LazyLock::new(|| {
    Graph::builder::<Stage>("short turn")
        .start(Stage::Plan)
        .node(Stage::Plan, Plan)
        .edge(Stage::Plan, Stage::Execute)
        .node(Stage::Execute, Execute)
        .edge(Stage::Execute, Stage::Close)
        .node(Stage::Close, Close)
        .end(Stage::Close)
        .build()
        .unwrap()
});

/// The options of a turn that follows `state`.
pub(crate) fn options(
    sessions: &Sessions,
    session: &str,
    question: &str,
    parent: Option<RunId>,
) -> (RunId, RunOptions<ConversationState>) {
    let run = RunId::new(SystemIds.next_id());
    let input = vec![
        Change::TurnStarted { id: run.to_string(), at: SystemClock.now(), input: question.to_owned() },
        Change::IntentDetected {
            intent: Intent::NewQuery,
            confidence: Confidence::High,
            signals: Vec::new(),
        },
    ];
    let mut options =
        RunOptions::new().run(run).journal(sessions.journal(session)).input(input).snapshot_every(4);
    if let Some(parent) = parent {
        options = options.parent(parent);
    }
    (run, options)
}

/// A turn after a state that the caller has.
pub(crate) async fn turn_after(
    sessions: &Sessions,
    session: &str,
    state: ConversationState,
    parent: Option<RunId>,
    question: &str,
) -> Result<Ended<ConversationState>, RunErrorKind> {
    let (_, options) = options(sessions, session, question, parent);
    GRAPH.run(state, options).await.map_err(|error| error.kind)
}

/// A turn after a session's head; makes the session where there is none.
pub(crate) async fn turn(sessions: &Sessions, session: &str, question: &str) -> (RunId, ConversationState) {
    let (state, parent) = match sessions.open(session).await {
        Ok(OpenedSession { session, state, .. }) => (state, session.position.head),
        Err(_) => (ConversationState::new(session, "shop"), None),
    };
    let ended = turn_after(sessions, session, state, parent, question).await.unwrap();
    (ended.run(), ended.into_state())
}

/// A turn that dies after so many of its nodes; 0 is after its input.
pub(crate) async fn broken_turn(sessions: &Sessions, session: &str, question: &str, nodes: u32) -> RunId {
    let (state, parent) = match sessions.open(session).await {
        Ok(OpenedSession { session, state, .. }) => (state, session.position.head),
        Err(_) => (ConversationState::new(session, "shop"), None),
    };
    let (run, options) = options(sessions, session, question, parent);
    // The limit on steps stops the walk; taking the mark back leaves what a dead process leaves.
    GRAPH.run(state, options.step_limit(nodes)).await.unwrap_err();
    sessions.store().rewind(run, nodes + 1).await.unwrap();
    run
}

/// Ends an interrupted turn.
pub(crate) async fn resume(sessions: &Sessions, session: &str, run: RunId) -> ConversationState {
    sessions.prepare_resume(session, run).await.unwrap();
    GRAPH.resume(sessions.journal(session), run, RunOptions::new()).await.unwrap().into_state()
}

/// A state as it is stored where rows are not kept.
pub(crate) fn stored(mut state: ConversationState) -> ConversationState {
    for result in [&mut state.result, &mut state.current_result].into_iter().flatten() {
        *result = Arc::new(result.shape());
    }
    if let Some(schema) = &mut state.schema {
        let tables = &mut Arc::make_mut(schema).tables;
        tables.iter_mut().flat_map(|table| &mut table.columns).for_each(|column| column.samples.clear());
    }
    state
}
