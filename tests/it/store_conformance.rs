//! What every store promises, checked on each of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sqlogue::conversation::{ConversationState, Status};
use sqlogue::graph::journal::{Entry, Mark};
use sqlogue::graph::{RunErrorKind, RunId, SystemIds};
use sqlogue::store::{
    ImportAs, Keep, MemoryStore, NewSession, Position, Retention, SessionFilter, Sessions, SqliteOptions,
    SqliteStore, StoreError,
};

use crate::store_kit::{CELL, broken_turn, resume, stored, turn, turn_after};

/// A new store, and what must live as long as it.
pub(crate) fn memory(keep: Keep) -> (Sessions, ()) {
    (Sessions::new(Arc::new(MemoryStore::new(keep))), ())
}

pub(crate) fn sqlite(keep: Keep) -> (Sessions, tempfile::TempDir) {
    let folder = tempfile::TempDir::new().unwrap();
    let options = SqliteOptions { keep, ..SqliteOptions::default() };
    let store = SqliteStore::open(folder.path().join("store.db"), options).unwrap();
    (Sessions::new(Arc::new(store)), folder)
}

/// A database of its own on the server of these tests; none where PostgreSQL's programs are not installed.
#[cfg(feature = "postgres")]
pub(crate) fn postgres(keep: Keep, test: &str) -> Option<Sessions> {
    let server = crate::postgres_server::server(test)?;
    let url = server.url(&server.database(""));
    Some(Sessions::new(Arc::new(sqlogue::store::PostgresStore::at(&url, keep).unwrap())))
}

/// Runs each check on each store.
macro_rules! every_store {
    ($($check:ident),+ $(,)?) => {
        mod in_memory {
            $(#[tokio::test]
            async fn $check() {
                let (sessions, _held) = super::memory(sqlogue::store::Keep::Shape);
                super::$check(sessions).await;
            })+
        }
        mod in_sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $check() {
                let (sessions, _held) = super::sqlite(sqlogue::store::Keep::Shape);
                super::$check(sessions).await;
            })+
        }
        #[cfg(feature = "postgres")]
        mod in_postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $check() {
                if let Some(sessions) = super::postgres(sqlogue::store::Keep::Shape, stringify!($check)) {
                    super::$check(sessions).await;
                }
            })+
        }
    };
}

every_store! {
    turns_are_put_and_got,
    sessions_are_listed_with_filters_and_limits,
    undo_redo_and_branches_move_a_pointer,
    deleting_spares_what_others_need,
    hostile_ids_are_ids,
    two_writers_of_one_session_do_not_mix,
    many_tasks_share_a_store,
    interrupted_turns_are_seen_resumed_and_dropped,
    a_turn_is_finished_once,
    what_is_old_is_pruned,
    exports_come_back,
    damaged_exports_are_refused,
    a_conversation_is_written_for_people,
    clearing_can_be_undone,
    a_long_conversation_grows_evenly,
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

async fn ids(sessions: &Sessions, filter: SessionFilter) -> Vec<String> {
    sessions.list(filter).await.unwrap().into_iter().map(|session| session.id).collect()
}

async fn inputs(sessions: &Sessions, id: &str) -> Vec<String> {
    sessions.history(id).await.unwrap().into_iter().map(|turn| turn.input).collect()
}

async fn turns_are_put_and_got(sessions: Sessions) {
    assert!(matches!(sessions.open("a").await, Err(StoreError::UnknownSession { .. })));
    let (first, _) = turn(&sessions, "a", "how many?").await;
    let (second, state) = turn(&sessions, "a", "and where?").await;
    let opened = sessions.open("a").await.unwrap();
    assert_eq!(opened.state, stored(state));
    assert_eq!((opened.session.title.as_str(), opened.session.database.as_str()), ("how many?", "shop"));
    assert_eq!(opened.session.position, Position::at(Some(second)));
    assert_eq!(opened.interrupted, []);
    let turns = sessions.turns("a").await.unwrap();
    let listed: Vec<_> = turns.iter().map(|turn| (turn.run, turn.parent, turn.number, turn.steps)).collect();
    assert_eq!(listed, [(first, None, 1, 4), (second, Some(first), 2, 4)]);
    assert_eq!(turns[1].input, "and where?");
    assert_eq!(turns[1].status.as_deref(), Some("completed"));
    assert!(turns[1].query.as_deref().unwrap().contains("and where?"));
    assert_eq!(inputs(&sessions, "a").await, ["how many?", "and where?"]);
    let planned = sessions.state_at("a", second, Some(1)).await.unwrap();
    assert!(planned.query.is_some() && planned.result.is_none());
    assert_eq!(planned.status, Status::Open);
    assert!(matches!(
        sessions.state_at("a", second, Some(9)).await,
        Err(StoreError::NoSuchStep { step: 9, .. })
    ));
    turn(&sessions, "b", "another").await;
    assert!(matches!(sessions.state_at("b", second, None).await, Err(StoreError::UnknownTurn { .. })));
    assert_eq!(sessions.record("a", first).await.unwrap().steps.len(), 4);
}

async fn sessions_are_listed_with_filters_and_limits(sessions: Sessions) {
    for (second, (id, database)) in (1..).zip([("a", "x"), ("b", "y"), ("c", "x"), ("d", "z")]) {
        let (id, database) = (id.to_owned(), database.to_owned());
        let position = Position::default();
        let new =
            NewSession { id, database, title: String::new(), at: at(second), position, read_only: false };
        sessions.store().create(new.clone()).await.unwrap();
        assert!(matches!(sessions.store().create(new).await, Err(StoreError::SessionExists { .. })));
    }
    let all = SessionFilter::default();
    assert_eq!(ids(&sessions, all.clone()).await, ["d", "c", "b", "a"]);
    let of_x = SessionFilter { database: Some("x".to_owned()), ..all.clone() };
    assert_eq!(ids(&sessions, of_x).await, ["c", "a"]);
    let none = SessionFilter { database: Some("X".to_owned()), ..all.clone() };
    assert!(ids(&sessions, none).await.is_empty());
    let old = SessionFilter { used_before: Some(at(3)), ..all.clone() };
    let named = SessionFilter { id_begins: Some("b".to_owned()), ..all.clone() };
    assert_eq!(ids(&sessions, named).await, ["b"]);
    assert_eq!(ids(&sessions, old).await, ["b", "a"]);
    assert_eq!(ids(&sessions, SessionFilter { skip: 1, limit: Some(2), ..all.clone() }).await, ["c", "b"]);
    assert!(ids(&sessions, SessionFilter { limit: Some(0), ..all.clone() }).await.is_empty());
    assert!(ids(&sessions, SessionFilter { skip: 9, ..all.clone() }).await.is_empty());
    turn(&sessions, "a", "now").await;
    assert_eq!(ids(&sessions, all).await, ["a", "d", "c", "b"]);
}

async fn undo_redo_and_branches_move_a_pointer(sessions: Sessions) {
    let mut states = vec![ConversationState::new("a", "shop")];
    let mut runs = Vec::new();
    for question in ["one", "two", "three"] {
        let (run, state) = turn(&sessions, "a", question).await;
        runs.push(run);
        states.push(stored(state));
    }
    assert!(matches!(sessions.redo("a").await, Err(StoreError::NothingTo { what: "redo", .. })));
    for left in [2, 1, 0] {
        assert_eq!(sessions.undo("a").await.unwrap().state, states[left]);
    }
    assert!(matches!(sessions.undo("a").await, Err(StoreError::NothingTo { what: "undo", .. })));
    for done in [1, 2, 3] {
        assert_eq!(sessions.redo("a").await.unwrap().state, states[done]);
    }
    sessions.undo("a").await.unwrap();
    let (other, _) = turn(&sessions, "a", "other").await;
    assert!(matches!(sessions.redo("a").await, Err(StoreError::NothingTo { .. })), "another turn was taken");
    assert_eq!(inputs(&sessions, "a").await, ["one", "two", "other"]);
    assert_eq!(sessions.turns("a").await.unwrap().len(), 4, "what was undone is there still");
    assert_eq!(sessions.go_to("a", Some(runs[2])).await.unwrap().state, states[3]);
    assert_eq!(sessions.go_to("a", Some(other)).await.unwrap().session.position, Position::at(Some(other)));

    let branch = sessions.branch("a", Some(runs[0]), "b", at(9)).await.unwrap();
    let mut expected = states[1].clone();
    expected.session_id = "b".to_owned();
    assert_eq!(branch.state, expected);
    let (_, state) = turn(&sessions, "b", "in b").await;
    assert_eq!(state.session_id, "b");
    assert_eq!(inputs(&sessions, "b").await, ["one", "in b"]);
    assert_eq!(inputs(&sessions, "a").await, ["one", "two", "other"]);
    assert!(matches!(sessions.go_to("b", Some(runs[2])).await, Err(StoreError::UnknownTurn { .. })));
    assert!(matches!(sessions.branch("a", None, "b", at(9)).await, Err(StoreError::SessionExists { .. })));
    let copy = sessions.branch("a", None, "c", at(9)).await.unwrap();
    assert_eq!(copy.session.position, Position::at(Some(other)));
}

async fn deleting_spares_what_others_need(sessions: Sessions) {
    let (first, _) = turn(&sessions, "a", "one").await;
    let (second, _) = turn(&sessions, "a", "two").await;
    let (third, _) = turn(&sessions, "a", "three").await;
    sessions.branch("a", Some(second), "b", at(1)).await.unwrap();
    turn(&sessions, "b", "in b").await;
    sessions.branch("b", None, "c", at(2)).await.unwrap();
    assert!(sessions.delete("a").await.unwrap());
    assert!(!sessions.delete("a").await.unwrap());
    assert!(matches!(sessions.open("a").await, Err(StoreError::UnknownSession { .. })));
    assert_eq!(inputs(&sessions, "b").await, ["one", "two", "in b"]);
    assert!(sessions.store().record(third).await.unwrap().is_none());
    assert!(sessions.store().turn(first).await.unwrap().is_some());
    sessions.delete("b").await.unwrap();
    assert_eq!(inputs(&sessions, "c").await, ["one", "two", "in b"]);
    sessions.delete("c").await.unwrap();
    assert!(sessions.store().turn(first).await.unwrap().is_none());
    assert!(ids(&sessions, SessionFilter::default()).await.is_empty());
}

async fn hostile_ids_are_ids(sessions: Sessions) {
    let long = "x".repeat(200);
    let names = [
        "'; DROP TABLE sessions; --",
        "%",
        "_",
        "a",
        "A",
        "a ",
        " a",
        "../../etc/passwd",
        "\"",
        "é",
        "e\u{301}",
        "🙂",
        "\u{202e}abc",
        "NULL",
        "0",
        "00",
        "1e3",
        &long,
    ];
    for name in names {
        turn(&sessions, name, name).await;
    }
    for name in names {
        let opened = sessions.open(name).await.unwrap();
        assert_eq!((opened.session.id.as_str(), opened.state.user_question.as_str()), (name, name));
        assert_eq!(sessions.turns(name).await.unwrap().len(), 1);
    }
    assert_eq!(ids(&sessions, SessionFilter::default()).await.len(), names.len());
    assert!(sessions.delete("%").await.unwrap());
    assert_eq!(ids(&sessions, SessionFilter::default()).await.len(), names.len() - 1);
    for bad in ["", "a\0b", "a\nb", &"x".repeat(201)] {
        let position = Position::default();
        let (id, database) = (bad.to_owned(), "shop".to_owned());
        let new = NewSession { id, database, title: String::new(), at: at(1), position, read_only: false };
        assert!(matches!(sessions.store().create(new).await, Err(StoreError::BadId)), "{bad:?}");
        let state = ConversationState::new("fine", "shop");
        assert!(turn_after(&sessions, bad, state, None, "?").await.is_err(), "{bad:?}");
    }
}

fn conflict(error: RunErrorKind) -> String {
    let RunErrorKind::Journal(error) = error else { panic!("{error}") };
    match StoreError::of(&error) {
        Some(StoreError::Conflict { session, .. }) => session.clone(),
        _ => panic!("{error}"),
    }
}

async fn two_writers_of_one_session_do_not_mix(sessions: Sessions) {
    let (first, state) = turn(&sessions, "a", "one").await;
    // Both know the first turn; one is faster.
    let (second, _) = turn(&sessions, "a", "two").await;
    let late = turn_after(&sessions, "a", state.clone(), Some(first), "late").await.unwrap_err();
    assert_eq!(conflict(late), "a");
    // Both have begun before one ends.
    let opened = sessions.open("a").await.unwrap();
    let begun = broken_turn(&sessions, "a", "slow", 1).await;
    turn_after(&sessions, "a", opened.state, Some(second), "fast").await.unwrap();
    assert!(matches!(sessions.prepare_resume("a", begun).await, Err(StoreError::Conflict { .. })));
    let resumed =
        crate::store_kit::GRAPH.resume(sessions.journal("a"), begun, sqlogue::graph::RunOptions::new()).await;
    let Err(sqlogue::graph::ResumeError::Run(error)) = resumed else { panic!("the slow one went through") };
    assert_eq!(conflict(error.kind), "a");
    assert_eq!(inputs(&sessions, "a").await, ["one", "two", "fast"]);
    assert_eq!(sessions.interrupted("a").await.unwrap(), [], "nobody is asked to finish the slow one");
    assert!(matches!(sessions.store().hold(begun).await, Err(StoreError::Abandoned { .. })));
    // Undone elsewhere meanwhile.
    let opened = sessions.open("a").await.unwrap();
    sessions.undo("a").await.unwrap();
    let undone =
        turn_after(&sessions, "a", opened.state, opened.session.position.head, "x").await.unwrap_err();
    assert_eq!(conflict(undone), "a");
    // A new conversation under a name that is taken.
    let fresh = turn_after(&sessions, "a", ConversationState::new("a", "shop"), None, "x").await.unwrap_err();
    assert_eq!(conflict(fresh), "a");
    let moved = sessions.store().move_head("a", Some(first), Position::default()).await;
    assert!(matches!(moved, Err(StoreError::Conflict { .. })));
}

async fn many_tasks_share_a_store(sessions: Sessions) {
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..8 {
        let sessions = sessions.clone();
        tasks.spawn(async move {
            for number in 0..6 {
                turn(&sessions, &format!("own {task}"), &format!("{number}")).await;
            }
            // And all at one session: who comes second is told so, and tries again.
            let mut done = 0;
            while done < 3 {
                let opened = sessions.open("shared").await;
                let (state, head) = match opened {
                    Ok(opened) => (opened.state, opened.session.position.head),
                    Err(_) => (ConversationState::new("shared", "shop"), None),
                };
                match turn_after(&sessions, "shared", state, head, &format!("{task}.{done}")).await {
                    Ok(_) => done += 1,
                    Err(error) => drop(conflict(error)),
                }
                tokio::task::yield_now().await;
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    for task in 0..8 {
        assert_eq!(inputs(&sessions, &format!("own {task}")).await, ["0", "1", "2", "3", "4", "5"]);
    }
    let shared = inputs(&sessions, "shared").await;
    assert_eq!(shared.len(), 24);
    assert_eq!(shared.iter().collect::<BTreeSet<_>>().len(), 24);
}

async fn interrupted_turns_are_seen_resumed_and_dropped(sessions: Sessions) {
    let (_, before) = turn(&sessions, "a", "one").await;
    for nodes in 0..3 {
        let run = broken_turn(&sessions, "a", "broken", nodes).await;
        let opened = sessions.open("a").await.unwrap();
        assert_eq!(opened.state, stored(before.clone()), "it did not happen yet");
        let [turn] = opened.interrupted.as_slice() else { panic!("{:?}", opened.interrupted) };
        assert_eq!((turn.run, turn.steps, turn.input.as_str()), (run, nodes + 1, "broken"));
        let state = resume(&sessions, "a", run).await;
        let result = state.result.as_deref().unwrap();
        assert!(result.rows[0][1].to_string().contains(CELL), "the answer has its rows");
        let opened = sessions.open("a").await.unwrap();
        assert_eq!(opened.state, stored(state));
        assert_eq!(opened.interrupted, []);
        assert!(matches!(sessions.drop_turn(run).await, Err(StoreError::Finished { .. })));
        assert!(matches!(sessions.prepare_resume("a", run).await, Err(StoreError::Finished { .. })));
        assert!(matches!(sessions.store().rewind(run, 0).await, Err(StoreError::Finished { .. })));
        sessions.undo("a").await.unwrap();
    }
    let run = broken_turn(&sessions, "a", "unwanted", 2).await;
    assert!(sessions.drop_turn(run).await.unwrap());
    assert!(!sessions.drop_turn(run).await.unwrap());
    assert_eq!(sessions.interrupted("a").await.unwrap(), []);
    // One that is given up is over, whoever walks it.
    let run = broken_turn(&sessions, "a", "given up", 1).await;
    assert!(sessions.give_up(run, "nobody wants it").await.unwrap());
    assert!(matches!(sessions.store().hold(run).await, Err(StoreError::Abandoned { .. })));
    let step = Entry { run, header: None, after: Some(1), steps: Vec::new(), mark: Some(Mark::Finished) };
    assert!(matches!(sessions.store().write("a", step).await, Err(StoreError::TurnConflict { .. })));
    assert_eq!(sessions.interrupted("a").await.unwrap(), []);
    assert!(sessions.drop_turn(run).await.unwrap());
    assert!(!sessions.give_up(run, "nobody wants it").await.unwrap());
    // The very first turn of a session can break too.
    let run = broken_turn(&sessions, "new", "first", 1).await;
    assert_eq!(sessions.open("new").await.unwrap().session.position.head, None);
    resume(&sessions, "new", run).await;
    assert_eq!(inputs(&sessions, "new").await, ["first"]);
    // And one in a branch, whose state carries the branch's name.
    sessions.branch("new", None, "branch", at(1)).await.unwrap();
    let run = broken_turn(&sessions, "branch", "second", 1).await;
    assert_eq!(resume(&sessions, "branch", run).await.session_id, "branch");
}

async fn a_turn_is_finished_once(sessions: Sessions) {
    let (run, _) = turn(&sessions, "a", "one").await;
    let record = sessions.record("a", run).await.unwrap();
    let store = sessions.store();
    let entry =
        |header, after, steps, mark| sqlogue::graph::journal::Entry { run, header, after, steps, mark };
    let again = entry(Some(record.header.clone()), None, record.steps.clone(), Some(record.mark.clone()));
    assert!(matches!(store.write("a", again.clone()).await, Err(StoreError::TurnConflict { .. })));
    assert!(
        matches!(store.write("b", again).await, Err(StoreError::TurnConflict { .. })),
        "in another session"
    );
    let step = record.steps.last().unwrap().clone();
    let late = entry(None, Some(2), vec![step], Some(record.mark.clone()));
    assert!(matches!(store.write("a", late).await, Err(StoreError::TurnConflict { step: 3, .. })));
    let mark = entry(None, Some(3), vec![], Some(record.mark.clone()));
    assert!(matches!(store.write("a", mark).await, Err(StoreError::TurnConflict { .. })));
    let unknown = RunId::new(uuid::Uuid::from_u128(7));
    let nothing =
        sqlogue::graph::journal::Entry { run: unknown, header: None, after: None, steps: vec![], mark: None };
    assert!(matches!(store.write("a", nothing).await, Err(StoreError::UnknownTurn { .. })));
    assert_eq!(sessions.turns("a").await.unwrap().len(), 1);
    assert!(store.session("b").await.unwrap().is_none());
}

async fn what_is_old_is_pruned(sessions: Sessions) {
    for id in ["a", "b", "c", "d"] {
        turn(&sessions, id, "one").await;
    }
    let now = sessions.open("d").await.unwrap().session.updated;
    let nothing = sessions.prune(&Retention::default(), now).await.unwrap();
    assert!(nothing.sessions.is_empty());
    let three = Retention { max_sessions: Some(3), ..Retention::default() };
    assert_eq!(sessions.prune(&three, now).await.unwrap().sessions, ["a"]);
    let old = Retention { max_age: Some(SignedDuration::from_hours(1)), ..Retention::default() };
    assert!(sessions.prune(&old, now).await.unwrap().sessions.is_empty());
    let size = sessions.store().size().await.unwrap();
    let smaller = Retention { max_bytes: Some(size - 1), ..Retention::default() };
    let pruned = sessions.prune(&smaller, now).await.unwrap();
    assert!(pruned.sessions.first().is_some_and(|first| first == "b") && pruned.bytes > 0, "{pruned:?}");
    let later = now.checked_add(SignedDuration::from_hours(2)).unwrap();
    sessions.prune(&old, later).await.unwrap();
    assert!(ids(&sessions, SessionFilter::default()).await.is_empty());
    sessions.vacuum().await.unwrap();
}

async fn exports_come_back(sessions: Sessions) {
    for question in ["one", "two \"quoted\"", "three"] {
        turn(&sessions, "a", question).await;
    }
    sessions.undo("a").await.unwrap();
    turn(&sessions, "a", "other").await;
    sessions.undo("a").await.unwrap();
    broken_turn(&sessions, "a", "broken", 1).await;
    let text = sessions.export("a", Keep::Shape).await.unwrap();
    let (other, _held) = memory(Keep::Shape);
    for (place, id) in [(&sessions, "b"), (&other, "a"), (&other, "again")] {
        let opened = place.import(&text, id, ImportAs::Branch, &SystemIds, at(1)).await.unwrap();
        assert_eq!(inputs(place, id).await, ["one", "two \"quoted\""]);
        let turn_id = opened.state.turns.last().unwrap().id.parse::<RunId>().unwrap();
        assert_eq!(Some(turn_id), opened.session.position.head, "the turn's id is its run's");
        assert_eq!(place.turns(id).await.unwrap().len(), 4);
        place.redo(id).await.unwrap();
        assert_eq!(inputs(place, id).await, ["one", "two \"quoted\"", "other"]);
        turn(place, id, "more").await;
    }
    let taken = sessions.import(&text, "a", ImportAs::Branch, &SystemIds, at(1)).await;
    assert!(matches!(taken, Err(StoreError::SessionExists { .. })));
    let read = sessions.import(&text, "read", ImportAs::ReadOnly, &SystemIds, at(1)).await.unwrap();
    assert!(read.session.read_only);
    assert!(matches!(sessions.undo("read").await, Err(StoreError::ReadOnlySession { .. })));
    let head = read.session.position.head;
    assert!(turn_after(&sessions, "read", read.state, head, "x").await.is_err());
    sessions.branch("read", None, "from read", at(1)).await.unwrap();
    turn(&sessions, "from read", "x").await;
}

async fn damaged_exports_are_refused(sessions: Sessions) {
    turn(&sessions, "a", "one").await;
    turn(&sessions, "a", "two").await;
    let text = sessions.export("a", Keep::Shape).await.unwrap();
    let before = ids(&sessions, SessionFilter::default()).await;
    let mut refused = 0;
    for damaged in [
        String::new(),
        "{}".to_owned(),
        "{}\n{}".to_owned(),
        text.replace("one", "uno"),
        text[..text.len() - 40].to_owned(),
        text.replacen("sqlogue-session", "something", 1),
        text.replacen("\"version\":1", "\"version\":2", 1),
        text.lines().next().unwrap().to_owned(),
    ] {
        let imported = sessions.import(&damaged, "b", ImportAs::Branch, &SystemIds, at(1)).await;
        let error = imported.unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. } | StoreError::NewerFormat { .. }), "{error}");
        assert!(error.to_string().len() < 400);
        refused += 1;
    }
    assert_eq!(refused, 8);
    assert_eq!(ids(&sessions, SessionFilter::default()).await, before);
}

async fn a_conversation_is_written_for_people(sessions: Sessions) {
    turn(&sessions, "a", "how *many*\n# customers?").await;
    turn(&sessions, "a", "```").await;
    let text = sessions.markdown("a").await.unwrap();
    assert!(text.starts_with("# how \\*many\\* \\# customers?\n"), "{text}");
    assert!(text.contains("\n## 1. how \\*many\\* \\# customers?\n"), "{text}");
    assert!(text.contains("\n````sql\n"), "{text}");
    assert!(text.contains("\n20 rows: id, name\n"), "{text}");
    assert!(!text.contains(CELL), "rows are not stored");
}

async fn clearing_can_be_undone(sessions: Sessions) {
    turn(&sessions, "a", "one").await;
    let (_, state) = turn(&sessions, "a", "two").await;
    assert_eq!(sessions.clear("a").await.unwrap().state, ConversationState::new("a", "shop"));
    sessions.redo("a").await.unwrap();
    assert_eq!(sessions.redo("a").await.unwrap().state, stored(state));
    sessions.clear("a").await.unwrap();
    let (_, state) = turn(&sessions, "a", "fresh").await;
    assert_eq!(state.turn_number, 1);
    assert_eq!(inputs(&sessions, "a").await, ["fresh"]);
}

async fn a_long_conversation_grows_evenly(sessions: Sessions) {
    let mut bytes = Vec::new();
    for number in 0..100 {
        let (run, _) = turn(&sessions, "a", &format!("question {number:03}")).await;
        let record = sessions.record("a", run).await.unwrap();
        let steps: usize = record.steps.iter().map(|step| step.changes.len()).sum();
        bytes.push((steps, record.header.snapshot.map_or(0, |snapshot| snapshot.len())));
    }
    // Durations are stored in decimal digits, so like turns differ by how long they took.
    assert!(
        bytes[99].0.abs_diff(bytes[9].0) < 16,
        "like turns cost alike: {} and {}",
        bytes[9].0,
        bytes[99].0
    );
    let snapshots: Vec<usize> =
        bytes.iter().map(|(_, snapshot)| *snapshot).filter(|snapshot| *snapshot > 0).collect();
    assert_eq!(snapshots.len(), 25, "one in four here");
    // A state keeps ten turns, so a snapshot of the hundredth is about as large as one of the twelfth.
    assert!(snapshots[24] < snapshots[3] + 200, "{snapshots:?}");
}
