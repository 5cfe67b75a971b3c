//! Conversations kept by the command line, and what happens where they cannot be kept.

use std::fs;

use sqlogue::Engine;
use sqlogue::conversation::{ConversationState, Status};
use sqlogue::dialog::{Databases, Notice, Session};
use sqlogue::engine::open;
use sqlogue::error::Error;
use sqlogue::store::{Keep, SqliteOptions, SqliteStore, StoreError};

use crate::cli_kit::{ECOMMERCE, Outcome, call};
use crate::store_conformance::sqlite;
use crate::support::File;

const HOW_MANY: &str = "How many customers are there?";

fn shop() -> File {
    File::new("shop.sqlite", ECOMMERCE)
}

fn run(file: &File, arguments: &[&str], input: &str) -> Outcome {
    let mut all = vec!["--db", "shop.sqlite", "--store", "kept.sqlite"];
    all.extend_from_slice(arguments);
    let outcome = call(file.folder(), &all, input);
    outcome.is_sound();
    outcome
}

#[test]
fn a_conversation_is_gone_on_with_in_another_program() {
    let file = shop();
    run(&file, &["ask", HOW_MANY, "--session", "a"], "");
    let second = run(&file, &["ask", "only from Rome", "--session", "a"], "");
    assert!(second.stdout.contains("WHERE city = 'Rome'"), "{second:?}");
    let chat =
        run(&file, &["chat", "--session", "a"], "/undo\n/undo\n/undo\n/redo\n/redo\n/redo\n/history\n");
    let said: Vec<&str> = chat.stdout.lines().filter(|line| line.contains("back")).collect();
    assert_eq!(
        said,
        [
            "Took back: only from Rome",
            "Took back: How many customers are there?",
            "There is nothing to take back.",
            "Brought back: How many customers are there?",
            "Brought back: only from Rome",
            "There is nothing to bring back.",
        ]
    );
    let branched =
        run(&file, &["chat", "--session", "a"], "/branch b\n/undo\nonly from Oslo\n/clear\n/undo\n");
    assert!(branched.stdout.contains("On the branch b now"), "{branched:?}");
    let listed = run(&file, &["sessions", "list", "--format", "jsonl"], "").lines();
    assert_eq!(listed.len(), 2);
    let shown = run(&file, &["sessions", "show", "a"], "");
    assert!(shown.stdout.contains("  2 ▶ only from Rome  completed"), "{shown:?}");
    let shown = run(&file, &["sessions", "show", "b"], "");
    assert!(shown.stdout.contains("▶ only from Oslo  completed"), "{shown:?}");
    let diff = run(&file, &["sessions", "show", "a", "--turn", "2", "--diff"], "");
    assert!(diff.stdout.contains("+ status: \"completed\"") || diff.stdout.contains("+ turn_number: 2"));
    let state = run(&file, &["sessions", "show", "a", "--turn", "2", "--step", "1"], "");
    assert!(state.stdout.contains("\"user_question\": \"only from Rome\""));
    run(&file, &["sessions", "show", "a", "--turn", "2", "--step", "99"], "").fails(2, "has no step 99");
    run(&file, &["sessions", "show", "a", "--turn", "9"], "").fails(2, "has no turn 9");
    let drawn = run(&file, &["graph", "--session", "a", "--format", "mermaid"], "");
    assert!(drawn.stdout.contains("router<br/>"), "{drawn:?}");
}

#[test]
fn a_conversation_is_asked_again() {
    let file = shop();
    run(&file, &["ask", HOW_MANY, "--session", "a"], "");
    run(&file, &["ask", "only from Rome", "--session", "a"], "");
    let same = run(&file, &["sessions", "rerun", "a"], "");
    assert_eq!((same.code, same.stdout.lines().last()), (0, Some("2 turns, all the same")));
    file.execute("ALTER TABLE customers RENAME COLUMN city TO town");
    let changed = run(&file, &["sessions", "rerun", "a", "--format", "json"], "");
    assert_eq!(changed.code, 3);
    let lines: serde_json::Value = serde_json::from_str(&changed.stdout).unwrap();
    assert_eq!((&lines[0]["same"], &lines[1]["same"]), (&true.into(), &false.into()));
}

#[test]
fn conversations_travel_in_files_and_are_deleted_for_good() {
    let file = shop();
    run(&file, &["ask", "Show customers from Rome", "--session", "secret"], "");
    run(&file, &["sessions", "export", "secret", "-o", "talk.json"], "");
    let readable = run(&file, &["sessions", "export", "secret", "--format", "markdown"], "");
    assert!(readable.stdout.contains("# Show customers from Rome"), "{readable:?}");
    run(&file, &["sessions", "import", "talk.json", "--session", "copy", "--read-only"], "");
    run(&file, &["ask", "only the first", "--session", "copy"], "").fails(2, "is read-only");
    run(&file, &["sessions", "branch", "copy", "mine"], "");
    assert_eq!(run(&file, &["ask", "sort by name", "--session", "mine"], "").code, 0);
    run(&file, &["sessions", "delete", "secret", "copy", "mine"], "");
    let left: Vec<u8> = ["kept.sqlite", "kept.sqlite-wal"]
        .iter()
        .flat_map(|name| fs::read(file.folder().join(name)).unwrap_or_default())
        .collect();
    assert!(!left.windows(4).any(|bytes| bytes == b"Rome"), "what was deleted is still in the file");
    run(&file, &["sessions", "delete", "secret"], "").fails(2, "there is no session `secret`");
    run(&file, &["sessions", "prune"], "").fails(2, "nothing says what is to be deleted");
    run(&file, &["sessions", "import", "shop.sqlite"], "").fails(2, "cannot be read");
}

#[test]
fn a_damaged_turn_is_named_and_the_others_live() {
    let file = shop();
    for question in [HOW_MANY, "only from Rome", "/new How many users are there?"] {
        run(&file, &["ask", question, "--session", "a"], "");
    }
    run(&file, &["ask", HOW_MANY, "--session", "other"], "");
    let store = rusqlite::Connection::open(file.folder().join("kept.sqlite")).unwrap();
    let turn: Vec<u8> = store.query_row("SELECT run FROM turns WHERE id = 2", [], |row| row.get(0)).unwrap();
    let turn = uuid::Uuid::from_slice(&turn).unwrap().to_string();
    let damage = |sql: &str| assert_eq!(store.execute(sql, []).unwrap(), 1);
    damage("UPDATE steps SET changes = replace(changes, 'Rome', 'Oslo') WHERE id = (2 << 20)");
    // It is listed, for what is listed is whole; what it did cannot be read, nor what it led to.
    let shown = run(&file, &["sessions", "show", "a"], "");
    assert!(shown.stdout.contains("2   only from Rome  completed"), "{shown:?}");
    run(&file, &["sessions", "show", "a", "--turn", "2"], "").fails(2, &format!("turn {turn} is damaged"));
    run(&file, &["sessions", "export", "a"], "").fails(2, &turn);
    assert!(run(&file, &["sessions", "show", "a", "--turn", "3"], "").stdout.contains("FROM users"));
    let asked = run(&file, &["ask", HOW_MANY, "--session", "a"], "");
    assert!(
        asked.code == 0 && asked.stderr.contains("is not kept") && asked.stderr.contains(&turn),
        "{asked:?}"
    );
    // One goes on after the last that is whole.
    let branched = run(&file, &["sessions", "branch", "a", "b", "--turn", "1"], "");
    assert_eq!(branched.code, 0, "{branched:?}");
    let second = run(&file, &["ask", "only from Oslo", "--session", "b"], "");
    assert!(second.stdout.contains("WHERE city = 'Oslo'") && second.stderr.is_empty(), "{second:?}");
    assert_eq!(run(&file, &["ask", "only from Rome", "--session", "other"], "").stderr, "");
    // What stands in the list itself.
    damage("UPDATE turns SET input = 'only from Oslo' WHERE id = 2");
    let shown = run(&file, &["sessions", "show", "a"], "");
    assert!(shown.stdout.contains(&format!("✗ turn {turn}  damaged: its checksum is wrong")), "{shown:?}");
    assert!(shown.stdout.contains(HOW_MANY) && !shown.stdout.contains("Oslo"), "{shown:?}");
    damage("UPDATE sessions SET title = 'something else' WHERE name = 'a'");
    let listed = run(&file, &["sessions", "list"], "");
    assert!(listed.stdout.contains("damaged: its checksum is wrong"), "{listed:?}");
    assert!(listed.stdout.contains("other") && !listed.stdout.contains("something else"), "{listed:?}");
    assert_eq!(run(&file, &["sessions", "delete", "a"], "").code, 0);
    let second = run(&file, &["ask", "How many products are there?", "--session", "b"], "");
    assert!(second.stderr.is_empty(), "{second:?}");
}

#[test]
fn without_a_store_the_answer_still_comes() {
    let file = shop();
    fs::write(file.folder().join("kept.sqlite"), "this is a letter to a friend, not a database").unwrap();
    let asked = run(&file, &["ask", HOW_MANY, "--session", "a"], "");
    assert_eq!(asked.code, 0);
    assert!(asked.stderr.contains("The conversation is not kept") && asked.stdout.contains('2'), "{asked:?}");
    let chat = run(&file, &["chat"], &format!("{HOW_MANY}\nonly from Rome\n/undo\n"));
    assert!(chat.stdout.contains("goes on in memory only"), "{chat:?}");
    assert!(chat.stdout.contains("Took back: only from Rome"), "{chat:?}");
    run(&file, &["sessions", "list"], "").fails(2, "the file is no store of conversations");
}

#[test]
fn a_store_of_a_newer_release_is_left_alone() {
    let file = shop();
    run(&file, &["ask", HOW_MANY, "--session", "a"], "");
    let store = rusqlite::Connection::open(file.folder().join("kept.sqlite")).unwrap();
    store.pragma_update(None, "user_version", 99).unwrap();
    let asked = run(&file, &["ask", HOW_MANY, "--session", "a"], "");
    assert_eq!(asked.code, 0);
    assert!(asked.stderr.contains("format 99"), "{asked:?}");
}

/// The disk is full in the middle of a conversation.
#[tokio::test(flavor = "multi_thread")]
async fn a_chat_goes_on_in_memory_when_the_disk_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions { keep: Keep::Rows, max_bytes: Some(120_000), ..SqliteOptions::default() };
    let store = SqliteStore::open(folder.path().join("small.sqlite"), options).unwrap();
    let engine = Engine::builder().store(std::sync::Arc::new(store)).build().unwrap();
    let mut session = Session::open(engine, "a").await.unwrap();
    let mut told = Vec::new();
    for _ in 0..60 {
        let reply = session.say("/new Show all customers").await;
        assert_eq!(reply.answer.unwrap().state.status, Status::Completed);
        told.extend(reply.notices.into_iter().filter(|notice| matches!(notice, Notice::NotKept { .. })));
    }
    assert_eq!(told.len(), 1, "it is said once: {told:?}");
    assert!(told[0].to_string().contains("the disk is full"), "{}", told[0]);
    assert!(session.undo().await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_chats_in_one_session_the_later_is_told() {
    let (sessions, _folder) = sqlite(Keep::Shape);
    let open = || Engine::builder().store(std::sync::Arc::clone(sessions.store())).build().unwrap();
    let mut one = Session::open(open(), "a").await.unwrap();
    one.say(HOW_MANY).await;
    let mut other = Session::open(open(), "a").await.unwrap();
    one.say("only from Germany").await;
    let reply = other.say("only from France").await;
    assert!(matches!(reply.failure, Some(Error::Store(StoreError::Conflict { .. }))), "{:?}", reply.failure);
    assert!(reply.result.message.unwrap().contains("was changed by somebody else"));
    assert!(matches!(other.undo().await, Err(Error::Store(StoreError::Conflict { .. }))));
    assert_eq!(sessions.history("a").await.unwrap().len(), 2, "nothing of the two is mixed");
}

/// Turns of an earlier chat are undone by the store, and come back in the order in which they were taken.
#[tokio::test(flavor = "multi_thread")]
async fn undo_and_redo_go_past_the_beginning_of_a_chat() {
    let (sessions, _folder) = sqlite(Keep::Shape);
    let engine = Engine::builder().store(std::sync::Arc::clone(sessions.store())).build().unwrap();
    for id in ["chat", "server"] {
        let mut earlier = Session::open(engine.clone(), id).await.unwrap();
        earlier.say(HOW_MANY).await;
        earlier.say("only from Germany").await;
        let mut session = Session::open(engine.clone(), id).await.unwrap();
        if id == "server" {
            session = session.led_by_store();
        }
        session.say("only from France instead").await;
        for turns in (0..3).rev() {
            assert!(session.undo().await.unwrap().is_some(), "{id}: {turns}");
            assert_eq!(session.state().turns.len(), turns, "{id}");
        }
        assert_eq!(session.undo().await.unwrap(), None, "{id}");
        for turns in 1..=3 {
            assert!(session.redo().await.unwrap().is_some(), "{id}: {turns}");
            assert_eq!(session.state().turns.len(), turns, "{id}");
        }
        assert_eq!(session.redo().await.unwrap(), None, "{id}");
    }
}

/// Two databases for one conversation.
struct Two(File, File);

impl Two {
    fn engine(&self, name: &str) -> Engine {
        let file = if name == "shop" { &self.0 } else { &self.1 };
        Engine::builder().database(open(file.path().to_str().unwrap()).unwrap()).build().unwrap()
    }
}

impl Databases for Two {
    fn names(&self) -> Vec<String> {
        vec!["shop".to_owned(), "zoo".to_owned()]
    }

    fn open(&self, name: &str) -> Result<Engine, Error> {
        Ok(self.engine(name))
    }
}

#[tokio::test]
async fn each_database_has_its_own_line_of_refinement() {
    let zoo = "CREATE TABLE animals (id INTEGER PRIMARY KEY, name TEXT, home TEXT);
               INSERT INTO animals VALUES (1, 'Leo', 'Kenya'), (2, 'Kit', 'Chile');";
    let two = Two(shop(), File::new("zoo.sqlite", zoo));
    let mut session = Session::new(two.engine("shop")).with_databases(two);
    session.say(HOW_MANY).await;
    assert!(session.use_database("park").is_err());
    let notice = session.use_database("Zoo").unwrap();
    assert_eq!(notice.to_string(), "About `zoo` now, of which nothing was asked yet");
    let refined = session.say("only from Kenya").await;
    assert!(refined.notices.contains(&Notice::NothingToRefine), "{:?}", refined.notices);
    let animals = session.say("/new How many animals are there?").await.answer.unwrap().state;
    assert_eq!(animals.query.as_deref(), Some("SELECT count(*) FROM animals"));
    // Back to the shop, where a follow-up goes on from what was asked there.
    let back = session.say("@shop only from Rome").await;
    let told: Vec<String> = back.notices.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["About `shop` now; a follow-up goes on from: SELECT count(*) FROM customers"]);
    let state = back.answer.unwrap().state;
    assert_eq!(state.query.as_deref(), Some("SELECT count(*) FROM customers WHERE city = 'Rome'"));
    let loaded = ConversationState::from_json(&state.to_json().unwrap()).unwrap();
    assert_eq!(loaded, state);
    assert_eq!(session.undo().await.unwrap().as_deref(), Some("only from Rome"));
    assert_eq!(session.state().database, "zoo");
}
