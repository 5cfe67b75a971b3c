//! Damage to what was stored is found when it is read: a broken turn is named, and the others are as they were.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use sqlogue::conversation::ConversationState;
use sqlogue::graph::journal::{Journal as _, JournalError, Mark, RunRecord};
use sqlogue::graph::{RunId, SqliteJournal};
use sqlogue::store::{Sessions, SqliteOptions, SqliteStore, StoreError, StoredSession, TurnInfo};

use crate::store_kit::{GRAPH, broken_turn, options, turn};

/// How many bits are flipped, and from which number on; the defaults keep the usual run short and the same.
const FLIPS: &str = "SQLOGUE_TEST_FLIPS";
const SEED: &str = "SQLOGUE_TEST_SEED";

fn flips() -> u64 {
    std::env::var(FLIPS).ok().and_then(|flips| flips.parse().ok()).unwrap_or(300)
}

fn seed() -> Random {
    Random(std::env::var(SEED).ok().and_then(|seed| seed.parse().ok()).unwrap_or(7))
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

fn open(path: &Path) -> Result<Sessions, StoreError> {
    Ok(Sessions::new(Arc::new(SqliteStore::open(path, SqliteOptions::default())?)))
}

/// Conversations of every kind: with snapshots, a branch, turns undone, turns not finished.
async fn talk(sessions: &Sessions) {
    for id in ["a", "b"] {
        for number in 0..7 {
            turn(sessions, id, &format!("question {number} of {id}")).await;
        }
    }
    let third = sessions.turns("a").await.unwrap()[2].run;
    sessions.branch("a", Some(third), "branch", jiff::Timestamp::UNIX_EPOCH).await.unwrap();
    turn(sessions, "branch", "another way").await;
    sessions.undo("b").await.unwrap();
    turn(sessions, "b", "instead").await;
    sessions.undo("b").await.unwrap();
    broken_turn(sessions, "a", "broken", 2).await;
    broken_turn(sessions, "new", "broken at once", 1).await;
}

/// Everything that can be read of a store.
#[derive(Default)]
struct Truth {
    sessions: BTreeMap<String, StoredSession>,
    turns: BTreeMap<String, BTreeMap<RunId, TurnInfo>>,
    records: BTreeMap<RunId, RunRecord>,
    states: BTreeMap<(String, RunId), ConversationState>,
    opened: BTreeMap<String, (ConversationState, Vec<TurnInfo>)>,
}

impl Truth {
    async fn of(sessions: &Sessions) -> Self {
        let mut truth = Self::default();
        for session in sessions.list(Default::default()).await.unwrap() {
            let id = session.id.clone();
            for turn in sessions.turns(&id).await.unwrap() {
                truth.records.insert(turn.run, sessions.record(&id, turn.run).await.unwrap());
                let state = sessions.state_at(&id, turn.run, None).await.unwrap();
                truth.states.insert((id.clone(), turn.run), state);
                truth.turns.entry(id.clone()).or_default().insert(turn.run, turn);
            }
            let opened = sessions.open(&id).await.unwrap();
            truth.opened.insert(id.clone(), (opened.state, opened.interrupted));
            truth.sessions.insert(id, session);
        }
        truth
    }

    /// Reads everything again. What differs is said to be damaged; what cannot be read is counted, by the turns that are
    /// named.
    async fn compare(&self, sessions: &Sessions, what: &str) -> Damage {
        let mut damage = Damage::default();
        match sessions.list(Default::default()).await {
            Ok(listed) => {
                let broken = listed.iter().filter(|session| session.damaged.is_some()).count();
                let sound: Vec<_> = listed.iter().filter(|session| session.damaged.is_none()).collect();
                for session in &sound {
                    assert_eq!(self.sessions.get(&session.id), Some(*session), "{what}");
                }
                assert_eq!(sound.len() + broken, self.sessions.len(), "{what}: sessions that are not listed");
                damage.sessions += broken;
            }
            Err(error) => damage.whole(&error, what),
        }
        for (id, turns) in &self.turns {
            self.compare_session(sessions, id, turns, what, &mut damage).await;
        }
        damage
    }

    async fn compare_session(
        &self,
        sessions: &Sessions,
        id: &str,
        turns: &BTreeMap<RunId, TurnInfo>,
        what: &str,
        damage: &mut Damage,
    ) {
        match sessions.turns(id).await {
            Ok(listed) => {
                let (broken, sound): (Vec<_>, Vec<_>) =
                    listed.into_iter().partition(|turn| turn.damaged.is_some());
                for turn in &sound {
                    assert_eq!(turns.get(&turn.run), Some(turn), "{what}");
                }
                let missing = turns.keys().filter(|run| !sound.iter().any(|turn| turn.run == **run));
                damage.turns.extend(missing.clone());
                assert!(
                    missing.count() == 0 || !broken.is_empty(),
                    "{what}: turns of {id} are not listed, and nothing says so"
                );
            }
            Err(error) => damage.whole(&error, what),
        }
        for run in turns.keys() {
            match sessions.record(id, *run).await {
                Ok(record) => assert_eq!(record, self.records[run], "{what}"),
                Err(error) => damage.named(&error, what),
            }
            match sessions.state_at(id, *run, None).await {
                Ok(state) => assert!(state == self.states[&(id.to_owned(), *run)], "{what}: {id} {run}"),
                Err(error) => damage.named(&error, what),
            }
        }
        match sessions.open(id).await {
            Ok(opened) => {
                let (state, interrupted) = &self.opened[id];
                assert!(opened.state == *state, "{what}: {id}");
                assert!(
                    opened.interrupted == *interrupted || !damage.turns.is_empty(),
                    "{what}: {:?}",
                    opened.interrupted
                );
            }
            Err(error) => damage.named(&error, what),
        }
    }
}

/// What could not be read.
#[derive(Default)]
struct Damage {
    turns: BTreeSet<RunId>,
    sessions: usize,
    whole: usize,
}

impl Damage {
    /// An error names a turn or a session, or is about all of the store.
    fn named(&mut self, error: &StoreError, what: &str) {
        let said = error.to_string();
        let run = said.split_whitespace().find_map(|word| word.parse::<RunId>().ok());
        match (run, error) {
            (Some(run), StoreError::Damaged { .. } | StoreError::UnknownTurn { .. }) => {
                self.turns.insert(run);
            }
            _ => self.whole(error, what),
        }
    }

    fn whole(&mut self, error: &StoreError, what: &str) {
        match error {
            StoreError::Damaged { what, .. } if what.starts_with("session `") => self.sessions += 1,
            StoreError::Damaged { .. } | StoreError::NotAStore(_) => self.whole += 1,
            error => panic!("{what}: {error}"),
        }
    }

    fn is_none(&self) -> bool {
        self.turns.is_empty() && self.sessions + self.whole == 0
    }
}

/// The bytes of a store that nobody has open.
fn closed(path: &Path) -> Vec<u8> {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE").unwrap();
    connection.close().unwrap();
    fs::read(path).unwrap()
}

#[tokio::test]
async fn no_flipped_bit_changes_what_is_read_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    talk(&open(&path).unwrap()).await;
    let truth = Truth::of(&open(&path).unwrap()).await;
    let bytes = closed(&path);
    let (mut seed, mut refused, mut found, mut unharmed, mut most) = (seed(), 0, 0, 0, 0);
    for flip in 0..flips() {
        let bit = seed.below(bytes.len() * 8);
        let what = format!("flip {flip}: bit {} of byte {}", bit % 8, bit / 8);
        let path = folder.path().join(format!("{flip}.db"));
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, damaged).unwrap();
        match open(&path) {
            Ok(sessions) => {
                let damage = truth.compare(&sessions, &what).await;
                if damage.whole > 0 {
                    refused += 1;
                } else if damage.is_none() {
                    unharmed += 1;
                } else {
                    found += 1;
                    most = most.max(damage.turns.len());
                }
            }
            Err(
                StoreError::Damaged { .. }
                | StoreError::NotAStore(_)
                | StoreError::NewerFormat { .. }
                | StoreError::ReadOnly(_),
            ) => {
                refused += 1;
            }
            Err(error) => panic!("{what}: {error}"),
        }
        fs::remove_file(&path).unwrap();
    }
    println!(
        "{} flips: {found} named (at most {most} of {} turns), {refused} of the whole file, {unharmed} where nothing is",
        flips(),
        truth.records.len()
    );
    assert!(found > 0 && refused * 10 <= flips(), "{refused} of {} flips took the whole store", flips());
}

#[tokio::test]
async fn no_flipped_bit_of_a_journal_changes_what_is_read_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    let journal = Arc::new(SqliteJournal::open(&path).unwrap());
    // The options bring a session's journal along, which this one replaces.
    let nowhere = Sessions::new(Arc::new(sqlogue::store::MemoryStore::default()));
    let (mut state, mut parent, mut truth) = (ConversationState::new("a", "shop"), None, Vec::new());
    for number in 0..8 {
        let (run, options) = options(&nowhere, "a", &format!("question {number}"), parent);
        state = GRAPH.run(state, options.journal(journal.clone())).await.unwrap().into_state();
        parent = Some(run);
        let record = journal.read(run).await.unwrap().unwrap();
        assert_eq!(record.mark, Mark::Finished);
        truth.push((run, record, state.clone()));
    }
    drop(journal);
    let bytes = closed(&path);
    let (mut seed, mut refused, mut found) = (seed(), 0, 0);
    for flip in 0..flips() {
        let bit = seed.below(bytes.len() * 8);
        let what = format!("flip {flip}: bit {} of byte {}", bit % 8, bit / 8);
        let path = folder.path().join(format!("{flip}.db"));
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, damaged).unwrap();
        let Ok(journal) = SqliteJournal::open(&path) else {
            refused += 1;
            continue;
        };
        let mut broken = 0;
        for (run, record, state) in &truth {
            match journal.read(*run).await {
                Ok(Some(read)) => assert_eq!(read, *record, "{what}"),
                // A run that is not found is told as such to whoever asks for it.
                Ok(None) | Err(JournalError::Damaged { .. } | JournalError::NotAJournal(_)) => broken += 1,
                Err(error) => panic!("{what}: {error}"),
            }
            let last = record.steps.last().unwrap().step;
            if let Ok(read) = GRAPH.state_at(&journal, *run, last).await {
                assert!(read == *state, "{what}: {run}");
            }
        }
        found += u64::from(broken > 0);
    }
    println!("{} flips: {found} found, {refused} of the whole file", flips());
    assert!(found > 0 && refused * 10 <= flips(), "{refused} of {} flips took the whole journal", flips());
}

/// Every column of every table, changed on a server by SQL.
#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn no_value_changed_on_a_server_changes_what_is_read_without_a_word() {
    use sqlogue::store::{Keep, PostgresStore};
    let test = "no_value_changed_on_a_server_changes_what_is_read_without_a_word";
    let Some(server) = crate::postgres_server::server(test) else { return };
    let database = server.database("");
    let store = Arc::new(PostgresStore::at(&server.url(&database), Keep::Shape).unwrap());
    let sessions = Sessions::new(store);
    talk(&sessions).await;
    let truth = Truth::of(&sessions).await;
    let columns = server.run(
        &database,
        "SELECT table_name || ' ' || column_name || ' ' || data_type FROM information_schema.columns
         WHERE table_schema = 'sqlogue' AND table_name <> 'format' AND column_name NOT IN ('holder', 'lease')
           AND NOT (table_name IN ('sessions', 'turns') AND column_name = 'id')
         ORDER BY table_name, column_name;",
    );
    let (mut seed, mut changed, mut most) = (seed(), 0, 0);
    for column in columns.lines() {
        let [table, column, kind] = *column.splitn(3, ' ').collect::<Vec<_>>() else { panic!("{column}") };
        for _ in 0..2 {
            // One bit of a number or of bytes; one character of a text.
            let bit = seed.below(128);
            let value = match kind {
                "bigint" => format!("{column} # (1::bigint << {})", bit % 40),
                "boolean" => format!("NOT {column}"),
                "bytea" => format!("set_bit({column}, {bit}, 1 - get_bit({column}, {bit}))"),
                _ => format!(
                    "overlay({column} placing
                         chr(ascii(substr({column}, 1 + {bit} % greatest(length({column}), 1), 1)) # 1)
                         from 1 + {bit} % greatest(length({column}), 1) for 1)"
                ),
            };
            let pick = seed.below(1_000_000);
            let place = server.run(
                &database,
                &format!(
                    "SELECT ctid FROM sqlogue.{table} WHERE {column} IS NOT NULL AND {column}::text <> ''
                     ORDER BY md5(ctid::text || '{pick}') LIMIT 1;"
                ),
            );
            let place = place.trim();
            if place.is_empty() {
                continue;
            }
            let statement = format!(
                "BEGIN; CREATE TABLE public.saved AS SELECT {column} AS was FROM sqlogue.{table} WHERE ctid = '{place}';
                 UPDATE sqlogue.{table} SET {column} = {value} WHERE ctid = '{place}' RETURNING ctid; COMMIT;"
            );
            let new_place = server.run(&database, &statement);
            let new_place = new_place.trim();
            let damage = truth.compare(&sessions, &format!("{table}.{column} at {place}")).await;
            let is_told = !damage.is_none() || column == "key";
            assert!(is_told && damage.whole == 0, "{table}.{column} at {place}");
            most = most.max(damage.turns.len());
            changed += 1;
            server.run(
                &database,
                &format!(
                    "UPDATE sqlogue.{table} SET {column} = (SELECT was FROM public.saved) WHERE ctid = '{new_place}';
                     DROP TABLE public.saved;"
                ),
            );
        }
    }
    println!("{changed} values changed, at most {most} of {} turns named", truth.records.len());
    assert!(changed > 50);
    // What is gone is missed.
    assert!(truth.compare(&sessions, "as it was").await.is_none());
    for gone in [
        "DELETE FROM sqlogue.steps WHERE turn = (SELECT max(id) FROM sqlogue.turns) AND step = 0",
        "DELETE FROM sqlogue.turns WHERE id = (SELECT max(id) FROM sqlogue.turns WHERE parent IS NOT NULL)",
        "UPDATE sqlogue.turns SET snapshot = NULL WHERE id = (SELECT min(id) FROM sqlogue.turns WHERE snapshot IS NOT NULL)",
    ] {
        let before = truth.compare(&sessions, gone).await.turns.len();
        server.run(&database, &format!("{gone};"));
        assert!(truth.compare(&sessions, gone).await.turns.len() > before, "{gone}");
    }
}
