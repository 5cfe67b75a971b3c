//! A database whose writer was killed in the middle of a change, asked by the program.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use rusqlite::Connection;

use crate::cli_kit::call;

/// Set in the process that is killed: the database that it writes.
const WRITES: &str = "SQLOGUE_TEST_WRITES";

/// The process that is killed; without its environment there is nothing to do.
#[test]
fn writer() {
    let Some(path) = std::env::var_os(WRITES) else { return };
    let writer = Connection::open(path).unwrap();
    // So little memory that half of the change is on the disk before it ends.
    writer.execute_batch("PRAGMA cache_size = 5; BEGIN; UPDATE payments SET amount = 2").unwrap();
    println!("half is written");
    std::thread::sleep(std::time::Duration::from_secs(60));
}

#[test]
fn what_a_killed_writer_left_is_not_answered_from() {
    for mode in ["delete", "wal"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.db");
        let made = Connection::open(&path).unwrap();
        made.pragma_update(None, "journal_mode", mode).unwrap();
        made.execute_batch(
            "CREATE TABLE payments (id INTEGER PRIMARY KEY, amount INTEGER, note TEXT);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             INSERT INTO payments SELECT i, 1, hex(zeroblob(100)) FROM n;",
        )
        .unwrap();
        made.close().unwrap();
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["torn::writer", "--exact", "--nocapture"])
            .env(WRITES, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(writer.stdout.take().unwrap()).lines();
        assert!(said.map_while(Result::ok).any(|line| line.contains("half is written")));
        writer.kill().unwrap();
        writer.wait().unwrap();
        let left = std::fs::read(&path).unwrap();
        if mode == "wal" {
            // A copy of the folder has no index of the log.
            std::fs::remove_file(folder.path().join("shop.db-shm")).unwrap();
        }
        let names = || {
            let entries = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
            let mut names: Vec<_> = entries.collect();
            names.sort();
            names
        };
        let before = names();
        let question =
            ["--db", "shop.db", "--format", "csv", "ask", "What is the total amount of all payments?"];
        let outcome = call(folder.path(), &question, "");
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert_eq!(outcome.stdout.lines().nth(1), Some("5000"), "{mode}: {outcome:?}");
        assert_eq!((names(), std::fs::read(&path).unwrap()), (before, left), "nothing was touched");
    }
}

/// A copy that is under way is told from a damaged database.
#[test]
fn half_a_copy_says_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let made = Connection::open(&path).unwrap();
    made.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(50000))").unwrap();
    made.close().unwrap();
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let outcome = call(folder.path(), &["--db", "shop.db", "ask", "How many t are there?"], "");
    outcome.fails(2, "`shop.db` is incomplete");
    assert!(outcome.stderr.contains("hint: wait until the file is written, or copy it again"), "{outcome:?}");
}
