//! What the tests share: databases made on the spot, engines whose clock and ids repeat, and snapshots.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlogue::database::{Database, DatabaseError, Limits, Rows, SqliteDatabase};
use sqlogue::engine::{EngineBuilder, open};
use sqlogue::graph::{FixedClock, SequentialIds};
use sqlogue::schema::Value;
use sqlogue::sql::guard;
use sqlogue::{ConversationState, Engine, QueryInput};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// The tables of the flow's example.
pub(crate) const COMPANIES: &str = "
    CREATE TABLE Companies (Id INTEGER PRIMARY KEY, Name TEXT NOT NULL, Vendor TEXT, Status TEXT NOT NULL);
    INSERT INTO Companies VALUES
        (1, 'Acme', 'Initech', 'Active'),
        (2, 'Globex', 'Hooli', 'Inactive'),
        (3, 'Umbrella', NULL, 'Active');
";

/// A SQLite file in a folder of its own that goes when the value does.
pub(crate) struct File {
    folder: TempDir,
    path: PathBuf,
}

impl File {
    /// A database made by these statements, in a file of that name.
    pub(crate) fn new(name: &str, statements: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch(statements).unwrap();
        connection.close().unwrap();
        Self { folder, path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Changes the database from outside.
    pub(crate) fn execute(&self, statements: &str) {
        rusqlite::Connection::open(&self.path).unwrap().execute_batch(statements).unwrap();
    }

    /// An engine on the file whose clock and ids are the same in every run.
    pub(crate) fn engine(&self) -> Engine {
        self.builder().build().unwrap()
    }

    pub(crate) fn builder(&self) -> EngineBuilder {
        repeatable().database(open(self.path.to_str().unwrap()).unwrap())
    }
}

/// An engine whose clock and ids are the same in every run: it is noon of 15 June 2026, and each look at the clock takes a
/// second.
pub(crate) fn repeatable() -> EngineBuilder {
    let clock = FixedClock::new("2026-06-15T12:00:00Z".parse().unwrap()).stepping(Duration::from_secs(1));
    Engine::builder().clock(Arc::new(clock)).ids(Arc::new(SequentialIds::default()))
}

fn joined(row: &[Value]) -> String {
    row.iter().map(ToString::to_string).collect::<Vec<_>>().join("|")
}

/// The rows of an answer, the cells of each joined by a bar, in alphabetical order.
pub(crate) async fn rows(engine: &Engine, question: &str) -> Vec<String> {
    let state = engine.query_database(QueryInput::new(question), None).await.unwrap();
    let result = state.result.unwrap_or_else(|| panic!("{question}: {:?}", state.message));
    let mut rows: Vec<String> = result.rows.iter().map(|row| joined(row)).collect();
    rows.sort();
    rows
}

/// The rows of the last answer of a conversation, in their order, the cells of each joined by a bar.
pub(crate) async fn rows_after(engine: &Engine, said: &[&str]) -> Vec<String> {
    let mut state = None;
    for input in said {
        state = Some(engine.query_database(*input, state.take()).await.unwrap());
    }
    let state = state.unwrap_or_else(|| panic!("nothing was said"));
    let result = state.result.unwrap_or_else(|| panic!("{said:?}: {:?}", state.message));
    result.rows.iter().map(|row| joined(row)).collect()
}

/// The answers to questions of which each begins a conversation, about a database made by these statements.
pub(crate) async fn answers(statements: &str, questions: &[&str]) -> Vec<ConversationState> {
    let file = File::new("asked.sqlite", statements);
    let database = Arc::new(SqliteDatabase::open(file.path()).unwrap());
    let engine: Engine = repeatable().database(database).build().unwrap();
    let mut answers = Vec::new();
    for question in questions {
        answers.push(engine.query_database(*question, None).await.unwrap());
    }
    answers
}

/// Each question about such a database is answered by these rows, each by its cells joined with a stroke.
pub(crate) async fn all_give(statements: &str, cases: &[(&str, &[&str])]) {
    let file = File::new("asked.sqlite", statements);
    let engine = file.engine();
    let mut others = Vec::new();
    for (question, wanted) in cases {
        let found = rows(&engine, question).await;
        if found != *wanted {
            others.push((question, found));
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

/// Each question about such a database becomes SQL that has these words in it.
pub(crate) async fn all_have(statements: &str, cases: &[(&str, &str)]) {
    let questions: Vec<&str> = cases.iter().map(|(question, _)| *question).collect();
    let mut wrong = Vec::new();
    for ((question, wanted), state) in cases.iter().zip(answers(statements, &questions).await) {
        let sql = state.query.unwrap_or_default();
        if !sql.contains(wanted) {
            wrong.push(format!("{question}\n  wanted {wanted}\n  got    {sql}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The conversation after all of `inputs`, turn by turn.
pub(crate) async fn converse(engine: &Engine, inputs: &[&str]) -> Vec<ConversationState> {
    let mut states: Vec<ConversationState> = Vec::new();
    for input in inputs {
        let previous = states.last().cloned();
        states.push(engine.query_database(*input, previous).await.unwrap());
    }
    states
}

pub(crate) async fn query(database: &dyn Database, sql: &str) -> Result<Rows, DatabaseError> {
    query_within(database, sql, &Limits::default()).await
}

/// The rows of a query, which passes the guard first as every other.
pub(crate) async fn query_within(
    database: &dyn Database,
    sql: &str,
    limits: &Limits,
) -> Result<Rows, DatabaseError> {
    let checked = guard::check(sql, database.dialect())?;
    database.execute(&checked, limits, &CancellationToken::new()).await
}

/// The folder of the whole house; these tests belong to a package further down.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Runs `check` with snapshots in the folder at the top of the repository.
pub(crate) fn with_snapshots(check: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(check);
}
