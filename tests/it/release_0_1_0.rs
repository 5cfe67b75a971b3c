//! What release 0.1.0 wrote is read and gone on with.
//!
//! The files stay as that release wrote them. Later releases add fields and change formats, so what is compared is what
//! people see: questions, queries and answers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlogue::conversation::{ConversationState, Status};
use sqlogue::dialog::{Databases, Session};
use sqlogue::engine::{Turned, open};
use sqlogue::graph::journal::{Mark, RunRecord, Summary};
use sqlogue::graph::{Journal, LoadError, RunId, SqliteJournal, SystemIds, Trace};
use sqlogue::store::{ImportAs, Keep, Sessions, SqliteOptions, SqliteStore, Store};
use sqlogue::{Engine, Error};

use crate::support::File;

/// The questions of the stored conversation `talk`, and the query of each.
const TALK: [(&str, &str); 4] = [
    ("List the names of customers", "SELECT name FROM customers"),
    ("only from Germany", "SELECT name FROM customers WHERE country = 'Germany'"),
    ("How many orders are there?", "SELECT count(*) FROM orders"),
    ("How many products are there?", "SELECT count(*) FROM products"),
];

fn written(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/release-0.1.0").join(name)
}

fn saved(name: &str) -> ConversationState {
    ConversationState::from_json(&fs::read_to_string(written(name)).unwrap()).unwrap()
}

/// A copy that may be written.
fn copied(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::copy(written(name), &path).unwrap();
    (folder, path)
}

fn said(state: &ConversationState) -> (&str, Option<&str>) {
    (&state.user_question, state.query.as_deref())
}

async fn ask(engine: &Engine, question: &str, state: ConversationState) -> ConversationState {
    let state = engine.query_database(question, Some(state)).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{question}: {:?}", state.error);
    state
}

#[tokio::test]
async fn a_saved_conversation_goes_on() {
    let engine = Engine::builder().build().unwrap();
    let state = saved("conversation.json");
    let inputs: Vec<&str> = state.turns.iter().map(|turn| turn.input.as_str()).collect();
    assert_eq!(
        inputs,
        ["How many orders are there?", "List the names of customers from Germany", "sort by name"]
    );
    assert_eq!(state.result.as_ref().unwrap().row_count, 30);
    let next = ask(&engine, "only from Berlin", state.clone()).await;
    assert_eq!((next.turn_number, next.turns.len()), (4, 4));
    assert_eq!(
        next.query.as_deref(),
        Some("SELECT name FROM customers WHERE country = 'Germany' AND city = 'Berlin' ORDER BY name")
    );
    assert_eq!(next.turns[..3], state.turns);
    let again = ConversationState::from_json(&next.to_json().unwrap()).unwrap();
    assert_eq!(again, next);
}

#[tokio::test]
async fn a_question_back_can_still_be_answered() {
    let engine = Engine::builder().build().unwrap();
    let state = saved("pending.json");
    assert_eq!(
        (state.status, state.pending.as_ref().unwrap().options().len()),
        (Status::AwaitingCorrection, 2)
    );
    for (answer, counted, rows) in [("1", "count(*)", "294"), ("2", "count(DISTINCT customers.id)", "22")] {
        let state = ask(&engine, answer, state.clone()).await;
        assert!(
            state.query.as_deref().unwrap().starts_with(&format!("SELECT {counted} FROM")),
            "{:?}",
            state.query
        );
        assert_eq!(state.result.unwrap().rows[0][0].to_string(), rows);
    }
}

struct Two(File, File);

impl Databases for Two {
    fn names(&self) -> Vec<String> {
        vec!["shop".to_owned(), "zoo".to_owned()]
    }

    fn open(&self, name: &str) -> Result<Engine, Error> {
        let file = if name == "shop" { &self.0 } else { &self.1 };
        Engine::builder().database(open(file.path().to_str().unwrap()).unwrap()).build()
    }
}

#[tokio::test]
async fn a_conversation_about_two_databases_goes_on_in_each() {
    let two = Two(
        File::new(
            "shop.sqlite",
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
             INSERT INTO customers VALUES (1, 'Dee', 'Rome'), (2, 'Eli', 'Oslo');",
        ),
        File::new(
            "zoo.sqlite",
            "CREATE TABLE animals (id INTEGER PRIMARY KEY, name TEXT, home TEXT);
             INSERT INTO animals VALUES (1, 'Leo', 'Kenya'), (2, 'Kit', 'Chile');",
        ),
    );
    let state = saved("databases.json");
    assert_eq!(said(&state).1, Some("SELECT count(*) FROM customers WHERE city = 'Rome'"));
    assert_eq!(state.query_about("zoo"), Some("SELECT count(*) FROM animals WHERE home = 'Kenya'"));
    let mut session = Session::resume(two.open("shop").unwrap(), state).unwrap().with_databases(two);
    let reply = session.say("@zoo sort by name").await;
    assert_eq!(reply.answer.unwrap().state.database, "zoo");
    let reply = session.say("@shop How many customers are there?").await;
    assert_eq!(said(&reply.answer.unwrap().state).1, Some("SELECT count(*) FROM customers"));
}

#[test]
fn the_way_of_a_turn_is_still_drawn() {
    let trace: Trace = serde_json::from_str(&fs::read_to_string(written("run.json")).unwrap()).unwrap();
    let drawn = Engine::builder().build().unwrap().graph().picture_of(&trace).mermaid();
    assert!(drawn.contains("router<br/>") && drawn.contains("cleanup<br/>"), "{drawn}");
}

/// A graph of another structure cannot walk an old run to its end, and says so; that alone is excused.
fn resumed<T>(engine: &Engine, record: &RunRecord, turned: Result<T, Error>) -> Option<T> {
    match turned {
        Ok(turned) => Some(turned),
        Err(Error::Resume(LoadError::OtherGraph { .. }))
            if *record.header.fingerprint != *engine.graph().fingerprint() =>
        {
            None
        }
        Err(error) => panic!("{error}"),
    }
}

async fn inputs(sessions: &Sessions, id: &str) -> Vec<String> {
    sessions.history(id).await.unwrap().into_iter().map(|turn| turn.input).collect()
}

/// Everything that can be done with the stored conversations.
async fn goes_on(store: Arc<dyn Store>) {
    let sessions = Sessions::new(Arc::clone(&store));
    let engine = Engine::builder().store(store).build().unwrap();
    let mut ids: Vec<String> =
        sessions.list(Default::default()).await.unwrap().into_iter().map(|session| session.id).collect();
    ids.sort();
    assert_eq!(ids, ["branch", "killed", "talk", "waiting"]);

    // `talk`: every turn, undo and redo, and one more.
    let turns = sessions.turns("talk").await.unwrap();
    assert_eq!(turns.len(), 4);
    for (turn, (question, query)) in turns.iter().zip(TALK) {
        assert_eq!((turn.input.as_str(), turn.query.as_deref()), (question, Some(query)));
        let state = sessions.state_at("talk", turn.run, None).await.unwrap();
        assert_eq!(said(&state), (question, Some(query)));
        assert_eq!(sessions.record("talk", turn.run).await.unwrap().mark, Mark::Finished);
    }
    let opened = sessions.open("talk").await.unwrap();
    assert_eq!((said(&opened.state), opened.interrupted.len()), ((TALK[2].0, Some(TALK[2].1)), 0));
    assert_eq!(said(&sessions.redo("talk").await.unwrap().state).0, TALK[3].0);
    assert_eq!(said(&sessions.undo("talk").await.unwrap().state).0, TALK[2].0);
    ask(&engine, "How many employees are there?", opened.state).await;
    assert_eq!(
        inputs(&sessions, "talk").await,
        [TALK[0].0, TALK[1].0, TALK[2].0, "How many employees are there?"]
    );
    assert_eq!(inputs(&sessions, "branch").await.last().unwrap(), "only those that cost more than 100");

    // What was interrupted is seen, and is finished or waits still.
    for (id, question, query) in [
        ("killed", TALK[2].0, TALK[2].1),
        ("waiting", "How many employees are there?", "SELECT count(*) FROM employees"),
    ] {
        let opened = sessions.open(id).await.unwrap();
        assert_eq!(said(&opened.state), (TALK[1].0, Some(TALK[1].1)));
        let [broken] = opened.interrupted.as_slice() else { panic!("{id}: {:?}", opened.interrupted) };
        assert_eq!(broken.input, question);
        let record = sessions.record(id, broken.run).await.unwrap();
        let turned = engine.resume(broken.run).await;
        let Some(Turned::Done(answer)) = resumed(&engine, &record, turned) else {
            assert!(sessions.drop_turn(broken.run).await.unwrap());
            continue;
        };
        assert_eq!(said(&answer.state), (question, Some(query)));
        assert_eq!(sessions.open(id).await.unwrap().interrupted, []);
    }
    let text = sessions.export("talk", Keep::Shape).await.unwrap();
    let copy =
        sessions.import(&text, "copy", ImportAs::Branch, &SystemIds, jiff::Timestamp::now()).await.unwrap();
    assert_eq!(copy.state.turn_number, 4);
    assert!(sessions.delete("talk").await.unwrap());
    assert_eq!(inputs(&sessions, "branch").await.len(), 5, "what a branch shares stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_goes_on() {
    let (_folder, path) = copied("store.sqlite");
    goes_on(Arc::new(SqliteStore::open(&path, SqliteOptions::default()).unwrap())).await;
    // And once more, as a file of this release.
    let sessions = Sessions::new(Arc::new(SqliteStore::open(&path, SqliteOptions::default()).unwrap()));
    assert_eq!(inputs(&sessions, "copy").await.len(), 4);
}

/// One turn that was damaged before its store got checksums does not keep the others from being read.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_with_a_damaged_turn_goes_on() {
    let (_folder, path) = copied("store.sqlite");
    let file = rusqlite::Connection::open(&path).unwrap();
    // As a damaged page would: a value of another type, which a strict table does not take.
    file.execute_batch(
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'steps';",
    )
    .unwrap();
    file.close().unwrap();
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute("UPDATE steps SET changes = x'ff' WHERE id = (2 << 20)", []).unwrap();
    file.close().unwrap();
    let sessions = Sessions::new(Arc::new(SqliteStore::open(&path, SqliteOptions::default()).unwrap()));
    let turns = sessions.turns("talk").await.unwrap();
    assert_eq!(turns.len(), 4);
    let broken = turns.iter().find(|turn| turn.damaged.is_some()).unwrap();
    let error = sessions.open("talk").await.unwrap_err().to_string();
    assert!(error.contains(&broken.run.to_string()), "{error}");
    for turn in turns.iter().filter(|turn| turn.damaged.is_none()) {
        sessions.record("talk", turn.run).await.unwrap();
    }
    assert_eq!(sessions.open("killed").await.unwrap().interrupted.len(), 1);
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn a_store_on_a_server_goes_on() {
    use sqlogue::store::PostgresStore;
    let Some(server) = crate::postgres_server::server("a_store_on_a_server_goes_on") else { return };
    let database = server.database("");
    let dump = fs::read_to_string(written("postgres.sql")).unwrap();
    server.run(&database, &format!("SET ROLE writer; {dump}"));
    let store = || Arc::new(PostgresStore::at(&server.url(&database), Keep::Shape).unwrap());
    goes_on(store()).await;
    assert_eq!(inputs(&Sessions::new(store()), "copy").await.len(), 4);
}

#[tokio::test]
async fn an_exported_conversation_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("store.db"), SqliteOptions::default()).unwrap();
    let sessions = Sessions::new(Arc::new(store));
    let text = fs::read_to_string(written("session.json")).unwrap();
    let now = jiff::Timestamp::now();
    let opened = sessions.import(&text, "talk", ImportAs::Branch, &SystemIds, now).await.unwrap();
    assert_eq!(said(&opened.state), (TALK[2].0, Some(TALK[2].1)));
    assert_eq!(said(&sessions.redo("talk").await.unwrap().state), (TALK[3].0, Some(TALK[3].1)));
}

#[tokio::test]
async fn a_journal_goes_on() {
    let (_folder, path) = copied("journal.sqlite");
    let journal = Arc::new(SqliteJournal::open(&path).unwrap());
    let engine = Engine::builder().journal(journal.clone()).build().unwrap();
    let runs: Vec<Summary> = journal.runs().await.unwrap();
    let marks: Vec<&Mark> = runs.iter().map(|run| &run.mark).collect();
    assert_eq!(marks, [&Mark::Finished, &Mark::Finished, &Mark::Running]);
    let state = async |run: RunId| {
        let last = journal.summary(run).await.unwrap().unwrap().last_step.unwrap();
        engine.graph().state_at(&*journal, run, last).await.unwrap()
    };
    for (run, (question, query)) in runs.iter().zip(&TALK[..2]) {
        assert_eq!(said(&state(run.run).await), (*question, Some(*query)));
    }
    let died = runs[2].run;
    let record = journal.read(died).await.unwrap().unwrap();
    let turned = engine.resume(died).await;
    if let Some(Turned::Done(answer)) = resumed(&engine, &record, turned) {
        assert_eq!(said(&answer.state), (TALK[2].0, Some(TALK[2].1)));
        ask(&engine, TALK[3].0, answer.state).await;
        assert_eq!(journal.runs().await.unwrap().len(), 4);
    }
}
