//! What every database behind an adapter must withstand, whatever its dialect.

use std::time::{Duration, Instant};

use sqlogue::database::{Database, DatabaseError, Limits};
use sqlogue::sql::guard;
use tokio_util::sync::CancellationToken;

use crate::support::{query, query_within};

/// Puts every statement of a corpus to the database, shuffled, and asks the probes in turn: their answers stay what they were.
///
/// Every statement would write, wait, lock, read a file, tell secrets or outlive itself. Its id is the code of the guard's
/// refusal; `database` is what only the walls behind the guard can refuse, and `harmless` what only looks hostile.
pub(crate) async fn withstands(database: &dyn Database, corpus: &str, least: usize, probes: &[&str]) {
    #[derive(serde::Deserialize)]
    struct Line {
        id: String,
        sql: String,
    }
    let mut expected = Vec::new();
    for probe in probes {
        expected.push(query(database, probe).await.unwrap().rows);
    }
    let mut hostile: Vec<Line> = corpus.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(hostile.len() >= least);
    fastrand::Rng::with_seed(20).shuffle(&mut hostile);
    for (number, Line { id, sql }) in hostile.iter().enumerate() {
        let started = Instant::now();
        let result = query(database, sql).await;
        assert!(started.elapsed() < Duration::from_millis(5_500), "{sql}");
        match (id.as_str(), result) {
            ("harmless", Ok(_)) => {}
            ("database", Err(error)) => assert!(error.is_query_fault(), "{sql}: {error:?}"),
            (code, Err(DatabaseError::Refused(refusal))) => {
                assert_eq!(refusal.code.name(), code, "{sql}");
                assert!(refusal.reason.chars().count() <= 300, "{sql}");
            }
            (_, result) => panic!("{sql} gave {result:?}"),
        }
        let at = number % probes.len();
        assert_eq!(query(database, probes[at]).await.unwrap().rows, expected[at], "after {sql}");
    }
}

/// The database refuses a statement that got past the guard, for this reason.
pub(crate) async fn refuses(database: &dyn Database, sql: &str, code: &str) {
    match query(database, sql).await.unwrap_err() {
        DatabaseError::Refused(refusal) => assert_eq!(refusal.code.name(), code, "{sql}"),
        error => panic!("{sql}: {error:?}"),
    }
}

/// None of these statements, which would go on for ages, runs past a deadline of a second.
pub(crate) async fn keeps_deadlines(database: &dyn Database, bombs: &[&str]) {
    let limits = Limits { deadline: Duration::from_secs(1), ..Limits::default() };
    for sql in bombs {
        let started = Instant::now();
        let result = query_within(database, sql, &limits).await;
        let took = started.elapsed();
        assert!(took < Duration::from_millis(1_500), "{sql} took {took:?}");
        assert!(result.is_err(), "{sql} gave {result:?}");
    }
}

/// A table that is being changed is not waited for.
pub(crate) async fn gives_up_on_a_lock(database: &dyn Database, sql: &str) {
    let limits = Limits { deadline: Duration::from_secs(1), ..Limits::default() };
    let started = Instant::now();
    let error = query_within(database, sql, &limits).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Locked { .. } | DatabaseError::Deadline { .. }), "{error:?}");
    assert!(started.elapsed() < Duration::from_millis(1_500));
}

/// A query that is cancelled is told so at once. Another is abandoned: whoever calls sees that it ends.
pub(crate) async fn cancels_and_abandons(database: &dyn Database, endless: &str) {
    let endless = guard::check(endless, database.dialect()).unwrap();
    let limits = Limits { deadline: Duration::from_secs(60), ..Limits::default() };
    let cancel = CancellationToken::new();
    let soon = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        soon.cancel();
    });
    let started = Instant::now();
    let error = database.execute(&endless, &limits, &cancel).await.unwrap_err();
    assert_eq!(error, DatabaseError::Cancelled);
    assert!(started.elapsed() < Duration::from_secs(2));
    let never = CancellationToken::new();
    let abandoned =
        tokio::time::timeout(Duration::from_millis(300), database.execute(&endless, &limits, &never));
    assert!(abandoned.await.is_err());
}

/// What is still being done a moment later, by what a server says of it.
pub(crate) fn still_doing(asked: impl Fn() -> String) -> String {
    let started = Instant::now();
    loop {
        let doing = asked().trim().to_owned();
        if doing.is_empty() || started.elapsed() > Duration::from_secs(2) {
            return doing;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What holds hundreds of megabytes in a cell is cut or refused, and not read.
pub(crate) async fn reads_huge_cells_cheaply(database: &dyn Database, huge: &[&str]) {
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("VmHWM: 0 kB").to_owned();
        line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).unwrap_or(0)
    };
    let before = peak();
    for sql in huge {
        match query(database, sql).await {
            Ok(rows) => assert!(rows.truncated, "{sql}"),
            Err(DatabaseError::Limit { .. } | DatabaseError::Deadline { .. }) => {}
            Err(error) => panic!("{sql}: {error:?}"),
        }
    }
    let grown = (peak() - before) / 1024;
    assert!(grown < 256, "memory grew by {grown} MB");
    assert_eq!(query(database, "SELECT 1").await.unwrap().rows, [[1.into()]]);
}
