//! The engine's own turns in a store: the store is the engine's journal.

use std::sync::Arc;

use sqlogue::conversation::{ConversationState, Status};
use sqlogue::engine::{TurnOptions, Turned};
use sqlogue::store::{Keep, Sessions, Store, StoreError};
use sqlogue::{Engine, Error};

use crate::store_conformance::{memory, sqlite};
use crate::store_kit::stored;

const QUESTIONS: [&str; 4] = [
    "How many customers are there?",
    "List the names of customers",
    "only the first 3",
    "How many orders are there?",
];

fn engine(sessions: &Sessions, id: &str) -> Engine {
    Engine::builder().journal(sessions.journal(id)).build().unwrap()
}

async fn begin(sessions: &Sessions, id: &str) -> ConversationState {
    match sessions.open(id).await {
        Ok(opened) => opened.state,
        Err(_) => ConversationState::new(id, engine(sessions, id).database().name()),
    }
}

async fn talk(sessions: Sessions) {
    for question in QUESTIONS {
        // Each turn in a new program.
        let state = begin(&sessions, "a").await;
        let state = engine(&sessions, "a").query_database(question, Some(state)).await.unwrap();
        assert!(sessions.open("a").await.unwrap().state == stored(state), "after {question}");
    }
    let turns = sessions.history("a").await.unwrap();
    assert_eq!(turns.iter().map(|turn| turn.input.as_str()).collect::<Vec<_>>(), QUESTIONS);
    let runs = sessions.turns("a").await.unwrap();
    assert!(runs.iter().skip(1).all(|turn| turn.parent.is_some()));
    let snapshots = {
        let mut snapshots = 0;
        for turn in &runs {
            let record = sessions.record("a", turn.run).await.unwrap();
            snapshots += usize::from(record.header.snapshot.is_some());
        }
        snapshots
    };
    assert_eq!(snapshots, 1, "a turn is stored as its changes");

    let undone = sessions.undo("a").await.unwrap().state;
    assert_eq!(undone.user_question, QUESTIONS[2]);
    let state = engine(&sessions, "a").query_database(QUESTIONS[0], Some(undone.clone())).await.unwrap();
    assert_eq!(state.turn_number, 4);
    // Somebody else went on meanwhile.
    let error = engine(&sessions, "a").query_database(QUESTIONS[0], Some(undone)).await.unwrap_err();
    let Error::Store(error) = error else { panic!("{error}") };
    assert!(matches!(error, StoreError::Conflict { .. }), "{error}");
}

#[tokio::test]
async fn turns_are_stored_in_memory() {
    talk(memory(Keep::Shape).0).await;
}

#[tokio::test]
async fn turns_are_stored_in_a_file() {
    let (sessions, _folder) = sqlite(Keep::Shape);
    talk(sessions).await;
}

/// Cut after each of its steps, a turn ends as it would have ended.
#[tokio::test]
async fn a_turn_that_was_cut_anywhere_ends_the_same() {
    let (sessions, _folder) = sqlite(Keep::Shape);
    let state = begin(&sessions, "a").await;
    let first = engine(&sessions, "a").query_database(QUESTIONS[0], Some(state)).await.unwrap();
    let whole = engine(&sessions, "a").ask(QUESTIONS[1], Some(first)).await.unwrap();
    assert_eq!(whole.state.status, Status::Completed);
    let record = sessions.record("a", whole.run).await.unwrap();
    sessions.undo("a").await.unwrap();
    for kept in 1..record.steps.len() {
        let id = format!("cut after {kept}");
        let head = sessions.open("a").await.unwrap().session.position.head;
        sessions.branch("a", head, &id, jiff::Timestamp::UNIX_EPOCH).await.unwrap();
        let run = sqlogue::graph::RunId::new(uuid::Uuid::from_u128(kept as u128));
        let entry = sqlogue::graph::journal::Entry {
            run,
            header: Some(record.header.clone()),
            after: None,
            steps: record.steps[..kept].to_vec(),
            mark: None,
        };
        sessions.store().write(&id, entry).await.unwrap();
        sessions.prepare_resume(&id, run).await.unwrap();
        let Turned::Done(resumed) = engine(&sessions, &id).resume(run).await.unwrap() else { panic!() };
        let mut expected = whole.state.clone();
        expected.session_id.clone_from(&id);
        assert!(resumed.state.result == expected.result, "its rows, after {kept} steps");
        assert!(stored(resumed.state) == stored(expected.clone()), "after {kept} steps");
        assert!(sessions.open(&id).await.unwrap().state == stored(expected));
    }
}

#[tokio::test]
async fn a_turn_that_waits_for_an_approval_can_be_left_waiting() {
    let (sessions, _folder) = sqlite(Keep::Shape);
    let state = begin(&sessions, "a").await;
    let options = TurnOptions { confirm: true, ..TurnOptions::default() };
    let turned = engine(&sessions, "a").turn(QUESTIONS[0], Some(state), options).await.unwrap();
    let Turned::Paused(paused) = turned else { panic!("it did not wait") };
    let opened = sessions.open("a").await.unwrap();
    assert_eq!(opened.interrupted.len(), 1);
    assert_eq!(opened.interrupted[0].run, paused.run());
    assert_eq!(opened.interrupted[0].query.as_deref(), Some(paused.sql()));
    // Days later, in another program.
    sessions.prepare_resume("a", paused.run()).await.unwrap();
    let Turned::Done(answer) = engine(&sessions, "a").resume(paused.run()).await.unwrap() else { panic!() };
    assert_eq!(answer.state.status, Status::Completed);
    assert_eq!(sessions.open("a").await.unwrap().interrupted, []);
    let store: &Arc<dyn Store> = sessions.store();
    assert!(store.size().await.unwrap() > 0);
}
