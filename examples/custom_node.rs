//! A node of one's own: every statement is written into an audit log before it runs. Where the log cannot be written,
//! nothing runs.
//!
//! `cargo run --example custom_node`

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use sqlogue::conversation::{Change, ConversationState, ErrorKind, TurnError};
use sqlogue::graph::{Context, Node, NodeError, Outcome};
use sqlogue::nodes::execute_query::ExecuteQuery;
use sqlogue::{Engine, Error};

/// `execute_query` with a log before it.
pub struct Audited {
    inner: ExecuteQuery,
    log: Mutex<File>,
}

impl Audited {
    /// One line for each statement: when, in which conversation, what.
    fn record(&self, state: &ConversationState, sql: &str, context: &Context) -> std::io::Result<()> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        // Texts may hold line breaks, which would make one line look like two.
        let sql = sql.split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!(log, "{}\t{}\t{sql}", context.now(), state.session_id)?;
        log.sync_data()
    }
}

impl Node<ConversationState> for Audited {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        if let Some(sql) = state.query.as_deref().filter(|_| !state.scratch.settled)
            && let Err(error) = self.record(state, sql, context)
        {
            // What a node expects to go wrong is a change: the turn fails, and the conversation goes on.
            let message = format!("The audit log cannot be written, so nothing was run: {error}.");
            let error = TurnError::new(ErrorKind::Refused, message);
            return Ok(Outcome::Done(vec![Change::QueryDeclined { error }]));
        }
        self.inner.run(state, context).await
    }
}

/// An engine that writes what it runs into the file at `log`.
///
/// # Errors
/// The log cannot be opened, or the engine cannot be built.
pub fn engine(url: &str, log: &Path) -> Result<Engine, Box<dyn std::error::Error>> {
    let log = OpenOptions::new().create(true).append(true).open(log)?;
    Ok(audited(url, log)?)
}

/// The same with a log that is open.
///
/// # Errors
/// The engine cannot be built.
pub fn audited(url: &str, log: File) -> Result<Engine, Error> {
    let builder = Engine::builder().database(url).graph(|graph, services| {
        let node = Audited { inner: services.execute_query(), log: Mutex::new(log) };
        graph.with_node("execute_query", node).unwrap_or(graph)
    });
    builder.build()
}

#[allow(clippy::print_stdout, reason = "it is a program")]
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = engine("", Path::new("audit.log"))?;
    let state = engine.query_database("How many customers are there?", None).await?;
    println!("{}", state.result_table());
    Ok(())
}
