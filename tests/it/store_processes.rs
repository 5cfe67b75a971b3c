//! Several processes and one store: made by all of them at once, live and dead turns, and two turns of which one is late.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlogue::conversation::{Change, ConversationState};
use sqlogue::graph::journal::Mark;
use sqlogue::graph::{Context, Node, NodeError, Outcome, RunErrorKind, RunId, RunOptions};
use sqlogue::store::{OpenedSession, Sessions, SqliteOptions, SqliteStore, StoreError, TurnInfo};

use crate::cli_kit::sqlogue;
use crate::store_kit::{GRAPH, options, resume, turn};

const PLACE: &str = "SQLOGUE_TEST_PLACE";
const SESSION: &str = "SQLOGUE_TEST_SESSION";
const LEASE: Duration = Duration::from_secs(2);
const AT_ONCE: usize = 16;

/// A store in a file, or on a server.
fn open(place: &str) -> Result<Sessions, StoreError> {
    #[cfg(feature = "postgres")]
    if place.starts_with("postgres:") {
        let store = sqlogue::store::PostgresStore::at(place, Default::default())?;
        return Ok(Sessions::new(Arc::new(store.with_lease(LEASE))));
    }
    let options = SqliteOptions { lease: LEASE, ..SqliteOptions::default() };
    Ok(Sessions::new(Arc::new(SqliteStore::open(place, options)?)))
}

fn say(words: &str) {
    println!("\n{words}");
    std::io::stdout().flush().unwrap();
}

fn listen() {
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// A node that works until it is told to be done.
struct Slow;

impl Node<ConversationState> for Slow {
    async fn run(&self, _: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        say(&format!("walking {}", context.run()));
        tokio::task::spawn_blocking(listen).await.unwrap();
        Ok(Outcome::Done(Vec::new()))
    }
}

/// Not tests of their own: what the other processes do.
#[tokio::test]
#[ignore = "run by the tests below"]
async fn first_turn() {
    let (Ok(place), Ok(session)) = (std::env::var(PLACE), std::env::var(SESSION)) else { return };
    say("ready");
    listen();
    turn(&open(&place).unwrap(), &session, "first").await;
    say("done");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by the tests below"]
async fn slow_turn() {
    let (Ok(place), Ok(session)) = (std::env::var(PLACE), std::env::var(SESSION)) else { return };
    let sessions = open(&place).unwrap();
    let OpenedSession { session: known, state, .. } = sessions.open(&session).await.unwrap();
    let (_, options) = options(&sessions, &session, "slow", known.position.head);
    match GRAPH.with_node("execute", Slow).unwrap().run(state, options).await.map_err(|error| error.kind) {
        Ok(_) => say("finished"),
        Err(RunErrorKind::Journal(error)) => say(&format!("conflict {error}")),
        Err(error) => panic!("{error}"),
    }
}

/// Another process.
struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(what: &str, place: &str, session: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("store_processes::{what}"), "--ignored", "--nocapture"])
            .env(PLACE, place)
            .env(SESSION, session)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    /// What it says after these words.
    fn says(&mut self, words: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "it ended without saying `{words}`");
            if let Some(rest) = line.strip_prefix(words) {
                return rest.trim().to_owned();
            }
        }
    }

    fn go_on(&mut self) {
        self.input.write_all(b"\n").unwrap();
    }

    fn signal(&self, name: &str) {
        let kill = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(kill.unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn make_at_once(place: &str) {
    let mut processes: Vec<Process> =
        (0..AT_ONCE).map(|number| Process::start("first_turn", place, &format!("{number}"))).collect();
    processes.iter_mut().for_each(|process| drop(process.says("ready")));
    processes.iter_mut().for_each(Process::go_on);
    processes.iter_mut().for_each(|process| drop(process.says("done")));
    let sessions = open(place).unwrap();
    for number in 0..AT_ONCE {
        let turns = sessions.turns(&number.to_string()).await.unwrap();
        assert!(turns.len() == 1 && turns[0].is_finished(), "{turns:?}");
    }
}

#[tokio::test]
async fn many_processes_make_a_new_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..15 {
        make_at_once(folder.path().join(format!("{round}.db")).to_str().unwrap()).await;
    }
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn many_processes_make_the_tables_of_a_server_at_once() {
    let Some(server) = crate::postgres_server::server("many_processes_make_the_tables_of_a_server_at_once")
    else {
        return;
    };
    for _ in 0..4 {
        make_at_once(&server.url(&server.database(""))).await;
    }
}

/// The program itself, which would answer all the same and say that nothing is kept.
#[test]
fn many_programs_keep_their_first_conversation_in_one_new_store() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..2 {
        let store = format!("{round}.sqlite");
        let asking: Vec<_> = (0..AT_ONCE)
            .map(|number| {
                let arguments = ["ask", "How many customers are there?", "--store", &store, "--session"];
                let mut ask = sqlogue(folder.path());
                ask.args(arguments).arg(number.to_string());
                std::thread::spawn(move || ask.output().unwrap())
            })
            .collect();
        for ask in asking {
            let output = ask.join().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        }
        let store = rusqlite::Connection::open(folder.path().join(store)).unwrap();
        let count = |table: &str| -> i64 {
            store.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
        };
        assert_eq!((count("sessions"), count("turns")), (AT_ONCE as i64, AT_ONCE as i64));
    }
}

/// How a turn looks to this process: whether it is running, and whether it is interrupted.
async fn seen(sessions: &Sessions, run: RunId) -> (bool, bool) {
    let OpenedSession { interrupted, running, .. } = sessions.open("a").await.unwrap();
    let has = |turns: &[TurnInfo]| turns.iter().any(|turn| turn.run == run);
    (has(&running), has(&interrupted))
}

async fn until_interrupted(sessions: &Sessions, run: RunId) -> Duration {
    let begun = Instant::now();
    while seen(sessions, run).await != (false, true) {
        assert!(begun.elapsed() < Duration::from_secs(30), "it is still taken for alive");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    begun.elapsed()
}

/// `change` sets the columns of a turn's lease: by whom it is held, and for how many seconds from now.
async fn live_and_dead(place: &str, change: impl Fn(&str, f64)) {
    let sessions = open(place).unwrap();
    turn(&sessions, "a", "one").await;
    let mut process = Process::start("slow_turn", place, "a");
    let run: RunId = process.says("walking").parse().unwrap();
    // Alive, also when one node takes longer than a lease.
    let begun = Instant::now();
    while begun.elapsed() < LEASE + LEASE / 2 {
        assert_eq!(seen(&sessions, run).await, (true, false), "after {:?}", begun.elapsed());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(matches!(sessions.prepare_resume("a", run).await, Err(StoreError::Running { .. })));
    assert!(matches!(sessions.drop_turn(run).await, Err(StoreError::Running { .. })));
    assert!(matches!(sessions.store().rewind(run, 1).await, Err(StoreError::Running { .. })));
    // Killed.
    process.signal("KILL");
    let took = until_interrupted(&sessions, run).await;
    #[cfg(target_os = "linux")]
    assert!(took < LEASE / 2, "on one machine its death is seen at once, not after {took:?}");
    let _ = took;
    drop(process);
    // A process elsewhere, of which only the lease is known.
    change("another machine", 1.0);
    assert_eq!(seen(&sessions, run).await, (true, false));
    assert!(matches!(sessions.prepare_resume("a", run).await, Err(StoreError::Running { .. })));
    until_interrupted(&sessions, run).await;
    // A lease that no clock could have given.
    change("another machine", 1e7);
    assert_eq!(seen(&sessions, run).await, (false, true));
    assert_eq!(resume(&sessions, "a", run).await.turn_number, 2);
    assert_eq!(sessions.open("a").await.unwrap().session.position.head, Some(run));
}

/// A process that stands still for longer than its lease is taken for dead; when it goes on, it comes too late.
async fn stopped(place: &str) {
    let sessions = open(place).unwrap();
    turn(&sessions, "a", "one").await;
    let mut process = Process::start("slow_turn", place, "a");
    let run: RunId = process.says("walking").parse().unwrap();
    process.signal("STOP");
    until_interrupted(&sessions, run).await;
    let state = resume(&sessions, "a", run).await;
    process.signal("CONT");
    process.go_on();
    assert!(process.says("conflict").contains("another process works"), "it is told");
    let opened = sessions.open("a").await.unwrap();
    assert_eq!((opened.session.position.head, opened.state.turn_number), (Some(run), state.turn_number));
    assert_eq!(sessions.turns("a").await.unwrap().len(), 2);
}

/// Two processes take a turn at one place of a conversation.
async fn loser(place: &str) {
    let sessions = open(place).unwrap();
    turn(&sessions, "a", "one").await;
    let mut processes = [(); 2].map(|()| Process::start("slow_turn", place, "a"));
    let runs: Vec<RunId> =
        processes.iter_mut().map(|process| process.says("walking").parse().unwrap()).collect();
    assert_eq!(sessions.running("a").await.unwrap().len(), 2);
    let [first, second] = &mut processes;
    first.go_on();
    first.says("finished");
    second.go_on();
    assert!(second.says("conflict").contains("was changed by somebody else"));
    // Its turn is closed, and nobody is asked to finish it.
    assert_eq!(
        (sessions.interrupted("a").await.unwrap(), sessions.running("a").await.unwrap()),
        (vec![], vec![])
    );
    let record = sessions.record("a", runs[1]).await.unwrap();
    assert!(matches!(record.mark, Mark::Abandoned { .. }), "{:?}", record.mark);
    assert!(matches!(sessions.prepare_resume("a", runs[1]).await, Err(StoreError::Abandoned { .. })));
    let resumed = GRAPH.resume(sessions.journal("a"), runs[1], RunOptions::new()).await;
    assert!(resumed.unwrap_err().to_string().contains("was given up"));
    // Also where the conversation comes back to where it began.
    sessions.undo("a").await.unwrap();
    assert_eq!(sessions.open("a").await.unwrap().interrupted, []);
    sessions.redo("a").await.unwrap();
    turn(&sessions, "a", "next").await;
}

/// Waits for ever.
struct Endless;

impl Node<ConversationState> for Endless {
    async fn run(&self, _: &ConversationState, _: &Context) -> Result<Outcome<Change>, NodeError> {
        std::future::pending().await
    }
}

async fn a_turn_that_is_walked_is_running(sessions: Sessions) {
    let (first, state) = turn(&sessions, "a", "one").await;
    let (run, options) = options(&sessions, "a", "endless", Some(first));
    let walk = tokio::spawn(async move {
        GRAPH.with_node("execute", Endless).unwrap().run(state, options).await.map(|_| ()).map_err(|_| ())
    });
    while sessions.store().turn(run).await.unwrap().is_none_or(|turn| turn.steps < 2) {
        tokio::task::yield_now().await;
    }
    let opened = sessions.open("a").await.unwrap();
    assert_eq!((opened.running[0].run, opened.interrupted.len()), (run, 0));
    assert_eq!(sessions.running("a").await.unwrap(), opened.running);
    assert!(matches!(sessions.prepare_resume("a", run).await, Err(StoreError::Running { .. })));
    assert!(matches!(sessions.drop_turn(run).await, Err(StoreError::Running { .. })));
    sessions.store().hold(run).await.unwrap();
    // A task that was dropped walks no more.
    walk.abort();
    walk.await.unwrap_err();
    let opened = sessions.open("a").await.unwrap();
    assert_eq!((opened.running.len(), opened.interrupted[0].run), (0, run));
    assert_eq!(resume(&sessions, "a", run).await.turn_number, 2);
}

mod in_memory {
    #[tokio::test]
    async fn a_turn_that_is_walked_is_running() {
        super::a_turn_that_is_walked_is_running(crate::store_conformance::memory(Default::default()).0).await;
    }
}

mod in_a_file {
    use crate::store_conformance::sqlite;

    fn place(folder: &tempfile::TempDir) -> String {
        folder.path().join("store.db").to_str().unwrap().to_owned()
    }

    #[tokio::test]
    async fn a_turn_that_is_walked_is_running() {
        let (sessions, _folder) = sqlite(Default::default());
        super::a_turn_that_is_walked_is_running(sessions).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_live_turn_is_running_and_a_dead_one_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(&folder);
        super::live_and_dead(&place, |holder, seconds| {
            let until = jiff::Timestamp::now().as_microsecond() + (seconds * 1e6) as i64;
            let store = rusqlite::Connection::open(&place).unwrap();
            let set = "UPDATE turns SET holder = ?1, lease = ?2 WHERE mark = '\"running\"'";
            store.execute(set, rusqlite::params![holder, until]).unwrap();
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_process_that_stood_still_comes_too_late() {
        let folder = tempfile::tempdir().unwrap();
        super::stopped(&place(&folder)).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_loser_of_a_write_is_told_and_its_turn_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        super::loser(&place(&folder)).await;
    }
}

#[cfg(feature = "postgres")]
mod on_a_server {
    use crate::postgres_server::server;
    use crate::store_conformance::postgres;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_turn_that_is_walked_is_running() {
        if let Some(sessions) = postgres(Default::default(), "a_turn_that_is_walked_is_running") {
            super::a_turn_that_is_walked_is_running(sessions).await;
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_live_turn_is_running_and_a_dead_one_interrupted() {
        let Some(server) = server("a_live_turn_is_running_and_a_dead_one_interrupted") else { return };
        let database = server.database("");
        let url = server.url(&database);
        super::live_and_dead(&url, |holder, seconds| {
            server.run(
                &database,
                &format!(
                    "UPDATE sqlogue.turns SET holder = '{holder}',
                         lease = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + ({seconds} * 1e6)::bigint
                     WHERE mark = '\"running\"';"
                ),
            );
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_process_that_stood_still_comes_too_late() {
        let Some(server) = server("a_process_that_stood_still_comes_too_late") else { return };
        super::stopped(&server.url(&server.database(""))).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_loser_of_a_write_is_told_and_its_turn_is_closed() {
        let Some(server) = server("the_loser_of_a_write_is_told_and_its_turn_is_closed") else { return };
        super::loser(&server.url(&server.database(""))).await;
    }
}
