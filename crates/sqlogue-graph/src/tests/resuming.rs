//! Journals, crashes, interrupts: what is kept, and what is run again.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::kit::{Change, Log, Stage, retrying, say, wait};
use crate::journal::{Entry, Journal, JournalFuture, Mark, MemoryJournal, RunRecord, SqliteJournal, Summary};
use crate::{
    Durability, Ended, Graph, IdSource, JournalError, LoadError, Outcome, ResumeError, RunErrorKind, RunId,
    RunOptions, SequentialIds, State, node_fn,
};

fn run_id(number: u64) -> RunId {
    RunId::new(SequentialIds::after(number - 1).next_id())
}

fn errors(count: u32) -> RunOptions<Log> {
    RunOptions::new().input(vec![Change::ErrorsToCome(count)]).run(run_id(1))
}

/// Every journal, each with a folder that lives as long as it is used.
fn journals() -> Vec<(Arc<dyn Journal>, Option<tempfile::TempDir>)> {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteJournal::open(folder.path().join("journal.sqlite")).unwrap();
    vec![(Arc::new(MemoryJournal::new()), None), (Arc::new(sqlite), Some(folder))]
}

/// Dies after so many entries: what is written later is lost, as with a killed process.
struct Dying {
    inner: MemoryJournal,
    entries_left: AtomicU32,
}

impl Journal for Dying {
    fn write(&self, entry: Entry) -> JournalFuture<'_, ()> {
        if self.entries_left.load(Ordering::Relaxed) == 0 {
            return Box::pin(async { Err(JournalError::Full) });
        }
        self.entries_left.fetch_sub(1, Ordering::Relaxed);
        self.inner.write(entry)
    }

    fn read(&self, run: RunId) -> JournalFuture<'_, Option<RunRecord>> {
        self.inner.read(run)
    }

    fn summary(&self, run: RunId) -> JournalFuture<'_, Option<Summary>> {
        self.inner.summary(run)
    }

    fn runs(&self) -> JournalFuture<'_, Vec<Summary>> {
        self.inner.runs()
    }
}

#[test]
fn a_run_cut_anywhere_ends_as_if_it_had_not_been() {
    let whole_journal = Arc::new(MemoryJournal::new());
    let whole = wait(retrying().run(Log::default(), errors(2).journal(whole_journal.clone()))).unwrap();
    let record = wait(whole_journal.read(run_id(1))).unwrap().unwrap();
    assert_eq!(record.steps.len(), 8);

    for kept in 1..=record.steps.len() as u32 {
        let dying = Dying { inner: MemoryJournal::new(), entries_left: AtomicU32::new(kept) };
        let dying = Arc::new(dying);
        let cut = wait(retrying().run(Log::default(), errors(2).journal(dying.clone())));
        assert_eq!(cut.is_ok(), kept == record.steps.len() as u32);

        let kept_record = wait(dying.read(run_id(1))).unwrap().unwrap();
        let journal = Arc::new(MemoryJournal::with_run(run_id(1), kept_record));
        let ended = wait(retrying().resume(journal.clone(), run_id(1), RunOptions::new())).unwrap();
        assert_eq!(ended.state(), whole.state(), "after {kept} entries");
        assert_eq!(ended.path(), whole.path(), "after {kept} entries");
        let resumed = wait(journal.read(run_id(1))).unwrap().unwrap();
        let changes = |record: &RunRecord| {
            record
                .steps
                .iter()
                .map(|step| (step.step, step.node.clone(), step.changes.clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(changes(&resumed), changes(&record), "after {kept} entries");
        assert_eq!(resumed.mark, Mark::Finished);
    }
}

#[test]
fn a_node_whose_changes_are_in_the_journal_is_not_run_again() {
    let runs = Arc::new(Mutex::new(vec![]));
    let fail_once = Arc::new(AtomicU32::new(1));
    let graph = || {
        let (runs, fails) = (Arc::clone(&runs), Arc::clone(&fail_once));
        let noted = Arc::clone(&runs);
        Graph::builder::<Stage>("fails once")
            .start(Stage::Read)
            .node(
                Stage::Read,
                node_fn(move |_: &Log, context| {
                    noted.lock().unwrap().push(context.idempotency_key());
                    Ok(Outcome::Done(vec![Change::Said("read".to_owned())]))
                }),
            )
            .node(
                Stage::Run,
                node_fn(move |_: &Log, context| {
                    runs.lock().unwrap().push(context.idempotency_key());
                    if fails.swap(0, Ordering::Relaxed) == 1 {
                        return Err("no connection".into());
                    }
                    Ok(Outcome::Done(vec![Change::Said("run".to_owned())]))
                }),
            )
            .node(Stage::Repair, say("repair"))
            .node(Stage::Close, say("close"))
            .edge(Stage::Read, Stage::Run)
            .edge(Stage::Run, Stage::Repair)
            .edge(Stage::Repair, Stage::Close)
            .end(Stage::Close)
            .build()
            .unwrap()
    };
    for (journal, _folder) in journals() {
        runs.lock().unwrap().clear();
        fail_once.store(1, Ordering::Relaxed);
        let error = wait(graph().run(Log::default(), errors(0).journal(journal.clone()))).unwrap_err();
        assert_eq!(error.to_string(), "node `run`: no connection");
        assert_eq!(error.state.words, ["read"]);
        assert!(matches!(wait(journal.summary(run_id(1))).unwrap().unwrap().mark, Mark::Failed { .. }));

        let ended = wait(graph().resume(journal.clone(), run_id(1), RunOptions::new())).unwrap();
        assert_eq!(ended.state().words, ["read", "run", "repair", "close"]);
        let keys = ["1", "2", "2"].map(|step| format!("{}:{step}", run_id(1)));
        assert_eq!(*runs.lock().unwrap(), keys);
        assert_eq!(wait(journal.summary(run_id(1))).unwrap().unwrap().mark, Mark::Finished);

        let again = wait(graph().resume(journal.clone(), run_id(1), RunOptions::new())).unwrap();
        assert_eq!(again, ended);
        assert_eq!(runs.lock().unwrap().len(), 3);
    }
}

#[test]
fn budgets_survive_a_resume() {
    for kept in 1..=9 {
        let dying = Arc::new(Dying { inner: MemoryJournal::new(), entries_left: AtomicU32::new(kept) });
        let _ = wait(retrying().run(Log::default(), errors(9).journal(dying.clone())));
        let record = wait(dying.read(run_id(1))).unwrap().unwrap();
        let journal = Arc::new(MemoryJournal::with_run(run_id(1), record));
        let ended = wait(retrying().resume(journal, run_id(1), RunOptions::new())).unwrap();
        assert_eq!(ended.state().words.iter().filter(|word| *word == "repair").count(), 3);
    }
}

#[test]
fn pauses_before_a_node_and_goes_on_with_an_answer() {
    for (journal, _folder) in journals() {
        let options = || RunOptions::new().pause_before("run").pause_after("close");
        let first =
            wait(retrying().run(Log::default(), options().run(run_id(1)).journal(journal.clone()))).unwrap();
        let Ended::Interrupted { request, .. } = &first else { panic!("{first:?}") };
        assert_eq!(*request, serde_json::json!({ "pause": "before", "node": "run" }));
        assert_eq!(first.state().words, ["read"]);

        let answer = options().answer(vec![Change::Said("yes".to_owned())]);
        let second = wait(retrying().resume(journal.clone(), run_id(1), answer)).unwrap();
        assert!(!second.is_finished());
        assert_eq!(second.state().words, ["read", "yes", "run", "close"]);

        let third = wait(retrying().resume(journal.clone(), run_id(1), options())).unwrap();
        assert!(third.is_finished());
        assert_eq!(third.path().iter().map(|node| &**node).collect::<Vec<_>>(), ["read", "run", "close"]);

        let too_late = RunOptions::new().answer(vec![Change::ErrorsToCome(1)]);
        let finished = wait(retrying().resume(journal.clone(), run_id(1), too_late)).unwrap();
        assert_eq!(finished.state(), third.state());
    }
}

#[test]
fn goes_on_without_a_journal() {
    let first = wait(retrying().run(Log::default(), RunOptions::new().pause_before("run"))).unwrap();
    let Ended::Interrupted { state, waiting, .. } = first else { panic!() };
    let saved = serde_json::to_string(&waiting).unwrap();
    let waiting = serde_json::from_str(&saved).unwrap();
    let second = wait(retrying().proceed(state, &waiting, RunOptions::new())).unwrap();
    assert_eq!(second.state().words, ["read", "run", "close"]);
}

#[test]
fn a_follow_up_stores_its_changes_only() {
    for (journal, _folder) in journals() {
        let big = Log { filler: "x".repeat(50_000), ..Log::default() };
        let mut state = wait(retrying().run(big, errors(0).journal(journal.clone()))).unwrap().into_state();
        for turn in 2..=6 {
            let options =
                RunOptions::new().run(run_id(turn)).parent(run_id(turn - 1)).journal(journal.clone());
            state = wait(retrying().run(state, options.snapshot_every(4))).unwrap().into_state();
        }
        for turn in 1..=6 {
            let record = wait(journal.read(run_id(turn))).unwrap().unwrap();
            assert_eq!(record.header.snapshot.is_some(), turn == 1 || turn == 5, "turn {turn}");
        }
        let replayed = wait(retrying().state_at(&*journal, run_id(6), 3)).unwrap();
        assert_eq!(replayed, state);
        let before = wait(retrying().state_at(&*journal, run_id(4), 1)).unwrap();
        assert_eq!(before.words.len(), 3 * 3 + 1);
        let error = wait(retrying().state_at(&*journal, run_id(4), 9)).unwrap_err();
        assert!(matches!(error, LoadError::NoSuchStep { step: 9, .. }));
    }
}

#[test]
fn two_walkers_of_one_run_conflict() {
    for (journal, _folder) in journals() {
        wait(retrying().run(Log::default(), errors(0).pause_before("run").journal(journal.clone()))).unwrap();
        let error = wait(retrying().run(Log::default(), errors(0).journal(journal.clone()))).unwrap_err();
        let RunErrorKind::Journal(JournalError::Conflict { step: 0, .. }) = error.kind else {
            panic!("{error}")
        };

        let stale = wait(journal.read(run_id(1))).unwrap().unwrap();
        let entry = Entry {
            run: run_id(1),
            header: None,
            after: Some(0),
            steps: vec![stale.steps[1].clone()],
            mark: None,
        };
        let error = wait(journal.write(entry)).unwrap_err();
        assert!(matches!(error, JournalError::Conflict { step: 1, .. }), "{error}");
        let entry =
            Entry { run: run_id(1), header: None, after: Some(0), steps: vec![], mark: Some(Mark::Finished) };
        let error = wait(journal.write(entry)).unwrap_err();
        assert!(matches!(error, JournalError::Conflict { step: 1, .. }), "{error}");
    }
}

#[test]
fn once_a_turn_writes_everything_at_the_end() {
    for (journal, _folder) in journals() {
        let options = errors(1).journal(journal.clone()).durability(Durability::PerTurn);
        let ended = wait(retrying().run(Log::default(), options)).unwrap();
        assert_eq!(wait(retrying().state_at(&*journal, run_id(1), 5)).unwrap(), *ended.state());
        let none = errors(1).run(run_id(2)).journal(journal.clone()).durability(Durability::None);
        wait(retrying().run(Log::default(), none)).unwrap();
        assert_eq!(wait(journal.runs()).unwrap().len(), 1);
    }
}

#[test]
fn a_run_of_another_graph_is_refused_by_name() {
    let journal = Arc::new(MemoryJournal::new());
    wait(retrying().run(Log::default(), errors(0).pause_before("run").journal(journal.clone()))).unwrap();
    let other = Graph::<Log>::builder::<Other>("other")
        .start(Other::Run)
        .node(Other::Run, say("other"))
        .end(Other::Run)
        .build()
        .unwrap();
    let error = wait(other.resume(journal.clone(), run_id(1), RunOptions::new())).unwrap_err();
    assert!(error.to_string().contains("graph `retrying`"), "{error}");
    assert!(error.to_string().contains("not to `other`"), "{error}");
    let ended =
        wait(other.resume(journal.clone(), run_id(1), RunOptions::new().accept_other_graph())).unwrap();
    assert_eq!(ended.state().words, ["read", "other"]);

    let missing = wait(other.resume(journal, run_id(7), RunOptions::new())).unwrap_err();
    assert!(matches!(missing, ResumeError::Load(LoadError::UnknownRun { .. })));
}

crate::nodes! { pub(crate) enum Other { Run => "run" } }

#[test]
fn opens_only_its_own_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.sqlite");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    assert!(matches!(SqliteJournal::open(&path), Err(JournalError::NotAJournal(_))));
    let text = folder.path().join("text");
    std::fs::write(&text, "not a database at all, but long enough to be taken for one").unwrap();
    assert!(matches!(SqliteJournal::open(&text), Err(JournalError::NotAJournal(_))));
    let newer = folder.path().join("newer.sqlite");
    drop(SqliteJournal::open(&newer).unwrap());
    rusqlite::Connection::open(&newer).unwrap().pragma_update(None, "user_version", 9).unwrap();
    assert!(matches!(SqliteJournal::open(&newer), Err(JournalError::NewerFormat { found: 9, .. })));
    assert!(matches!(
        SqliteJournal::open(folder.path().join("no/such/folder")),
        Err(JournalError::ReadOnly(_))
    ));
}

#[test]
fn waits_for_another_process_that_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    let journal = Arc::new(SqliteJournal::open(&path).unwrap());
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let release = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        other.execute_batch("COMMIT").unwrap();
    });
    wait(retrying().run(Log::default(), errors(0).journal(journal))).unwrap();
    release.join().unwrap();
}

#[test]
fn a_node_that_asks_is_not_run_again_and_its_exit_sees_the_answer() {
    for (journal, _folder) in journals() {
        let asked = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&asked);
        let ask = node_fn(move |_: &Log, _| {
            count.fetch_add(1, Ordering::Relaxed);
            let changes = vec![Change::Said("asked".to_owned())];
            Ok(Outcome::Interrupt { changes, request: serde_json::json!({ "sql": "SELECT 1" }) })
        });
        let graph = retrying().with_node("run", ask).unwrap();
        let first = wait(graph.run(Log::default(), errors(0).journal(journal.clone()))).unwrap();
        let Ended::Interrupted { request, .. } = &first else { panic!("{first:?}") };
        assert_eq!(request["sql"], "SELECT 1");
        assert_eq!(first.state().words, ["read", "asked"]);
        let mark = wait(journal.summary(run_id(1))).unwrap().unwrap().mark;
        assert_eq!(mark, Mark::Interrupted { request: request.clone() });

        // The decision after the node is taken once the answer is there.
        let answer = RunOptions::new().answer(vec![Change::ErrorsToCome(1)]);
        let second = wait(graph.resume(journal.clone(), run_id(1), answer)).unwrap();
        assert_eq!(second.state().words, ["read", "asked", "repair", "asked"]);
        let third = wait(graph.resume(journal.clone(), run_id(1), RunOptions::new())).unwrap();
        assert_eq!(third.state().words, ["read", "asked", "repair", "asked", "close"]);
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        assert_eq!(wait(graph.state_at(&*journal, run_id(1), 7)).unwrap(), *third.state());
    }
}

#[test]
fn an_answer_that_nobody_waits_for_is_refused() {
    let dying = Arc::new(Dying { inner: MemoryJournal::new(), entries_left: AtomicU32::new(2) });
    wait(retrying().run(Log::default(), errors(0).journal(dying.clone()))).unwrap_err();
    let answer = RunOptions::new().answer(vec![Change::ErrorsToCome(1)]);
    let error = wait(retrying().resume(dying, run_id(1), answer)).unwrap_err();
    assert!(matches!(error, ResumeError::Load(LoadError::NotWaiting { .. })), "{error}");
}

/// The log of a later release: it counts words, and no longer knows errors.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Counted {
    count: usize,
}

impl State for Counted {
    type Change = usize;
    const VERSION: u32 = 2;

    fn apply(&mut self, more: &usize) {
        self.count += more;
    }

    fn migrate_snapshot(version: u32, snapshot: Value) -> Result<Value, String> {
        let words = snapshot["words"].as_array().ok_or_else(|| format!("no words in version {version}"))?;
        Ok(serde_json::json!({ "count": words.len() }))
    }

    fn migrate_change(_: u32, change: Value) -> Result<Vec<Value>, String> {
        Ok(if change.get("said").is_some() { vec![1.into()] } else { vec![] })
    }
}

#[test]
fn an_older_state_is_migrated_and_a_newer_one_refused() {
    let one = node_fn(|_: &Counted, _| Ok(Outcome::Done(vec![1])));
    let counting = Graph::<Counted>::builder::<Other>("counting");
    let counting = counting.start(Other::Run).node(Other::Run, one).end(Other::Run).build().unwrap();
    let old = Graph::<Log>::builder::<Other>("counting");
    let old = old.start(Other::Run).node(Other::Run, say("run")).end(Other::Run).build().unwrap();
    for (journal, _folder) in journals() {
        let options = errors(0).journal(journal.clone()).pause_before("run");
        let state = Log { words: vec!["before".to_owned()], ..Log::default() };
        wait(old.run(state, options)).unwrap();
        let ended = wait(counting.resume(journal.clone(), run_id(1), RunOptions::new())).unwrap();
        assert_eq!(ended.state().count, 2);

        let options = RunOptions::new().run(run_id(2)).journal(journal.clone());
        wait(counting.run(Counted { count: 0 }, options)).unwrap();
        let error = wait(old.resume(journal, run_id(2), RunOptions::new())).unwrap_err();
        assert!(
            matches!(error, ResumeError::Load(LoadError::OtherState { recorded: 2, present: 1, .. })),
            "{error}"
        );
    }
}

#[test]
fn a_damaged_journal_is_an_error_that_says_where() {
    let journal = MemoryJournal::new();
    let journal = Arc::new(journal);
    wait(retrying().run(Log::default(), errors(1).journal(journal.clone()))).unwrap();
    let record = wait(journal.read(run_id(1))).unwrap().unwrap();
    let load = |record: RunRecord| {
        let journal = Arc::new(MemoryJournal::with_run(run_id(1), record));
        wait(retrying().state_at(&*journal, run_id(1), 3)).unwrap_err().to_string()
    };
    let mut missing = record.clone();
    missing.steps.remove(1);
    assert!(load(missing).contains("step 1 is missing"));
    let mut unreadable = record.clone();
    unreadable.steps[2].changes = "[{\"unheard_of\":1}]".to_owned();
    assert!(load(unreadable).contains("step 2: unknown variant"));
    let mut exploding = record.clone();
    exploding.steps[1].changes = "[\"explode\"]".to_owned();
    assert!(load(exploding).contains("this change explodes"));
    let mut orphan = record;
    orphan.header.snapshot = None;
    assert!(load(orphan).contains("neither snapshot nor parent"));
}
