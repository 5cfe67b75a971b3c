//! Files of which a part is old and a part is new, made by copying what a writer has on disk in the middle of its work.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::tests::run;
use super::*;

const ROWS: i64 = 2_000;
const SUM: &str = "SELECT sum(x) FROM t";

/// A folder for databases, and what is done to them from outside.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The names of the files, sorted.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A writer on a database of `ROWS` rows, each 1, which spreads over many pages.
    fn writer(&self, name: &str, mode: &str) -> Connection {
        let writer = Connection::open(self.path(name)).unwrap();
        writer.pragma_update(None, "journal_mode", mode).unwrap();
        writer.execute_batch("PRAGMA cache_size = 5; PRAGMA wal_autocheckpoint = 0").unwrap();
        writer
            .execute_batch(&format!(
                "CREATE TABLE t (x INTEGER, pad TEXT);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})
                 INSERT INTO t SELECT 1, hex(zeroblob(200)) FROM n;"
            ))
            .unwrap();
        writer
    }

    /// Copies a database with what lies beside it, byte by byte, as a crash would leave it.
    fn copy(&self, from: &str, to: &str) {
        for suffix in ["", "-journal", "-wal"] {
            let (from, to) = (self.path(&format!("{from}{suffix}")), self.path(&format!("{to}{suffix}")));
            drop(fs::remove_file(&to));
            if from.exists() {
                fs::write(to, fs::read(from).unwrap()).unwrap();
            }
        }
    }

    /// What SQLite makes of a file without what lies beside it.
    fn torn_sum(&self, name: &str) -> i64 {
        fs::write(self.path("alone.db"), fs::read(self.path(name)).unwrap()).unwrap();
        let alone = Connection::open_with_flags(
            format!("file:{}?immutable=1", self.path("alone.db").display()),
            rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_URI,
        );
        let sum = alone.unwrap().query_row(SUM, [], |row| row.get(0)).unwrap();
        fs::remove_file(self.path("alone.db")).unwrap();
        sum
    }
}

async fn sum(database: &SqliteDatabase) -> i64 {
    match run(database, SUM).await.unwrap().rows[0][0] {
        Value::Integer(sum) => sum,
        ref other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_change_that_was_cut_off_is_undone_in_a_copy() {
    for mode in ["delete", "truncate", "persist"] {
        let place = Place::new();
        let writer = place.writer("live.db", mode);
        writer.execute_batch("BEGIN; UPDATE t SET x = 2").unwrap();
        place.copy("live.db", "torn.db");
        let torn = place.torn_sum("torn.db");
        assert!(torn > ROWS && torn < 2 * ROWS, "half of the pages are new: {torn}");
        writer.execute_batch("ROLLBACK").unwrap();

        let before = (place.names(), fs::read(place.path("torn.db")).unwrap());
        let database = SqliteDatabase::open(place.path("torn.db")).unwrap();
        assert_eq!(sum(&database).await, ROWS, "{mode}");
        assert_eq!((place.names(), fs::read(place.path("torn.db")).unwrap()), before, "nothing was touched");
        // Once somebody has put the file right and gone on, that is what is read.
        let other = Connection::open(place.path("torn.db")).unwrap();
        other.execute_batch("UPDATE t SET x = 3").unwrap();
        assert_eq!(sum(&database).await, 3 * ROWS, "{mode}");
    }
}

#[tokio::test]
async fn a_database_whose_writer_dies_is_read_as_it_was() {
    let place = Place::new();
    let writer = place.writer("live.db", "delete");
    place.copy("live.db", "torn.db");
    let database = SqliteDatabase::open(place.path("torn.db")).unwrap();
    assert_eq!(sum(&database).await, ROWS);
    writer.execute_batch("BEGIN; UPDATE t SET x = 2").unwrap();
    for suffix in ["-journal", ""] {
        let content = fs::read(place.path(&format!("live.db{suffix}"))).unwrap();
        fs::write(place.path(&format!("torn.db{suffix}")), content).unwrap();
    }
    assert!(place.torn_sum("torn.db") > ROWS);
    assert_eq!(sum(&database).await, ROWS);
}

#[tokio::test]
async fn a_change_of_two_databases_that_was_cut_off_leaves_no_trace() {
    let place = Place::new();
    place.writer("other.db", "delete").close().unwrap();
    let writer = place.writer("live.db", "delete");
    let attach = format!("ATTACH '{}' AS other", place.path("other.db").display());
    writer.execute_batch(&attach).unwrap();
    writer.execute_batch("BEGIN; UPDATE t SET x = 2; UPDATE other.t SET x = 2").unwrap();
    place.copy("live.db", "torn.db");
    let names = place.names();
    assert_eq!(sum(&SqliteDatabase::open(place.path("torn.db")).unwrap()).await, ROWS);
    assert_eq!(place.names(), names);
}

#[tokio::test]
async fn a_torn_database_that_is_too_large_to_copy_is_refused() {
    let place = Place::new();
    let writer = place.writer("live.db", "delete");
    writer.execute_batch("BEGIN; UPDATE t SET x = 2").unwrap();
    place.copy("live.db", "torn.db");
    // Empty space at the end costs nothing.
    fs::OpenOptions::new().write(true).open(place.path("torn.db")).unwrap().set_len(3 << 30).unwrap();
    let error = SqliteDatabase::open(place.path("torn.db")).unwrap_err();
    assert!(matches!(error, DatabaseError::Unfinished { .. }), "{error:?}");
    assert!(error.to_string().ends_with("it takes 3072 MB, and a copy at most 1024"), "{error}");
    assert!(error.hint().is_some());
}

#[tokio::test]
async fn a_log_that_was_left_is_merged_in_a_copy() {
    let place = Place::new();
    let writer = place.writer("live.db", "wal");
    writer.execute_batch("PRAGMA wal_checkpoint(truncate); UPDATE t SET x = 2").unwrap();
    place.copy("live.db", "committed.db");
    writer.execute_batch("BEGIN; UPDATE t SET x = 7").unwrap();
    place.copy("live.db", "torn.db");
    for name in ["committed.db", "torn.db"] {
        assert_eq!(place.torn_sum(name), ROWS, "the file alone is old");
        let names = place.names();
        let database = SqliteDatabase::open(place.path(name)).unwrap();
        assert_eq!(sum(&database).await, 2 * ROWS, "{name}");
        assert_eq!(place.names(), names, "no file was made beside it");
        let other = Connection::open(place.path(name)).unwrap();
        other.execute_batch("UPDATE t SET x = 3").unwrap();
        assert_eq!(sum(&database).await, 3 * ROWS, "{name}");
    }
}

#[tokio::test]
async fn what_lies_beside_the_file_that_a_link_leads_to_counts() {
    let place = Place::new();
    let writer = place.writer("live.db", "wal");
    writer.execute_batch("PRAGMA wal_checkpoint(truncate); UPDATE t SET x = 2").unwrap();
    std::os::unix::fs::symlink("live.db", place.path("link.db")).unwrap();
    assert_eq!(sum(&SqliteDatabase::open(place.path("link.db")).unwrap()).await, 2 * ROWS);
    place.copy("live.db", "left.db");
    std::os::unix::fs::symlink("left.db", place.path("other.db")).unwrap();
    assert_eq!(sum(&SqliteDatabase::open(place.path("other.db")).unwrap()).await, 2 * ROWS);
}

#[tokio::test]
async fn a_file_that_is_not_whole_says_so() {
    let place = Place::new();
    for mode in ["delete", "wal"] {
        let name = format!("{mode}.db");
        place.writer(&name, mode).close().unwrap();
        let whole = fs::read(place.path(&name)).unwrap();
        for (size, problem) in [
            (whole.len() / 2 / 4096 * 4096, "bytes are there"),
            (whole.len() - 100, "bytes are there"),
            (whole.len() - 4096, "bytes are there"),
            (40, "only its first 40 bytes are there"),
        ] {
            fs::write(place.path("part.db"), &whole[..size]).unwrap();
            let error = SqliteDatabase::open(place.path("part.db")).unwrap_err();
            assert!(matches!(error, DatabaseError::Incomplete { .. }), "{size}: {error:?}");
            assert!(error.to_string().contains(problem) && error.hint().is_some(), "{error}");
        }
        let mut long = whole.clone();
        long.extend([0; 100]);
        fs::write(place.path("part.db"), long).unwrap();
        let error = SqliteDatabase::open(place.path("part.db")).unwrap_err().to_string();
        assert!(error.ends_with("end within a page of 4096 bytes"), "{error}");
    }
}

#[tokio::test]
async fn a_file_that_becomes_part_of_itself_is_not_read_on() {
    let place = Place::new();
    place.writer("t.db", "delete").close().unwrap();
    let database = SqliteDatabase::open(place.path("t.db")).unwrap();
    assert_eq!(sum(&database).await, ROWS);
    let whole = fs::read(place.path("t.db")).unwrap();
    fs::write(place.path("t.db"), &whole[..whole.len() / 2]).unwrap();
    let error = run(&database, SUM).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Incomplete { .. }), "{error:?}");
    fs::remove_file(place.path("t.db")).unwrap();
    assert!(matches!(run(&database, SUM).await.unwrap_err(), DatabaseError::NotFound { .. }));
    fs::write(place.path("t.db"), &whole).unwrap();
    assert_eq!(sum(&database).await, ROWS);
}

#[tokio::test]
async fn a_file_that_is_replaced_is_opened_anew() {
    for mode in ["delete", "wal"] {
        let place = Place::new();
        place.writer("t.db", mode).close().unwrap();
        // Made in the same steps, so that SQLite's own counters are the same.
        let other = place.writer("other.db", mode);
        other.close().unwrap();
        let other = Connection::open(place.path("other.db")).unwrap();
        other.execute_batch("PRAGMA wal_autocheckpoint = 0; UPDATE t SET x = 5").unwrap();
        other.close().unwrap();
        let same = Connection::open(place.path("t.db")).unwrap();
        same.execute_batch("PRAGMA wal_autocheckpoint = 0; UPDATE t SET x = 4").unwrap();
        same.close().unwrap();
        let database = SqliteDatabase::open(place.path("t.db")).unwrap();
        assert_eq!(sum(&database).await, 4 * ROWS, "{mode}");
        let versions = || async {
            (database.schema_version().await.unwrap(), database.content_version().await.unwrap())
        };
        let first = versions().await;
        // In place: the file is the same, its content is not.
        fs::write(place.path("t.db"), fs::read(place.path("other.db")).unwrap()).unwrap();
        assert_eq!(sum(&database).await, 5 * ROWS, "{mode}");
        let second = versions().await;
        assert_eq!(second.0, first.0, "the tables are made by the same statements");
        assert_ne!(second.1, first.1, "the content is another one");
        // By another file of the same name, with other tables.
        let made = Connection::open(place.path("new.db")).unwrap();
        made.execute_batch("CREATE TABLE t (y, x); INSERT INTO t VALUES (0, 9)").unwrap();
        made.close().unwrap();
        fs::rename(place.path("new.db"), place.path("t.db")).unwrap();
        assert_eq!(sum(&database).await, 9, "{mode}");
        assert_ne!(versions().await.0, second.0);
    }
}

/// A query of about a second, which reads the first page of the table before and the others after it.
fn slow() -> String {
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500000) \
     SELECT sum(x) FROM t WHERE x + (SELECT count(*) FROM n) > 0"
        .into()
}

#[tokio::test]
async fn a_file_that_changes_under_a_query_gives_one_state_or_none() {
    for mode in ["delete", "wal"] {
        let place = Place::new();
        place.writer("t.db", mode).close().unwrap();
        let other = place.writer("other.db", mode);
        other.execute_batch("UPDATE t SET x = 2").unwrap();
        other.close().unwrap();
        let new = fs::read(place.path("other.db")).unwrap();
        let database = SqliteDatabase::open(place.path("t.db")).unwrap();
        let path = place.path("t.db");
        let change = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(150));
            fs::write(path, new).unwrap();
        });
        let sql = slow();
        let checked = sqlogue_sql::sql::guard::check(&sql, Dialect::Sqlite).unwrap();
        let limits = Limits { deadline: std::time::Duration::from_secs(60), ..Limits::default() };
        let answer = database.execute(&checked, &limits, &CancellationToken::new()).await;
        change.join().unwrap();
        match answer {
            // What was there when the query began, or what is there since: each is whole.
            Ok(rows) => {
                let states = [ROWS, 2 * ROWS].map(|sum| vec![vec![Value::Integer(sum)]]);
                assert!(states.contains(&rows.rows), "{mode}: {:?}", rows.rows);
            }
            Err(error) => assert!(matches!(error, DatabaseError::Changing { .. }), "{error:?}"),
        }
        assert_eq!(sum(&database).await, 2 * ROWS);
    }
}

#[tokio::test]
async fn a_file_that_is_emptied_to_be_filled_anew_is_waited_for() {
    let place = Place::new();
    place.writer("t.db", "delete").close().unwrap();
    let path = place.path("t.db");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, []).unwrap();
    let filled = path.clone();
    let fill = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(30));
        fs::write(filled, whole).unwrap();
    });
    let database = SqliteDatabase::open(&path).unwrap();
    fill.join().unwrap();
    assert_eq!(sum(&database).await, ROWS);
    fs::write(&path, []).unwrap();
    let error = SqliteDatabase::open(&path).unwrap_err();
    assert!(matches!(error, DatabaseError::Empty { .. }), "{error:?}");
}

#[tokio::test]
async fn a_busy_database_is_read_all_the_same() {
    for mode in ["delete", "wal"] {
        let place = Place::new();
        let writer = place.writer("t.db", mode);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let path = place.path("t.db");
        // Two rows that belong together: whoever sees one changed and the other not has read a mixture.
        let changes = std::thread::spawn(move || {
            writer.execute_batch("PRAGMA cache_size = 2000; PRAGMA synchronous = off").unwrap();
            while !stopped.load(Ordering::Relaxed) {
                let changed = writer.execute_batch(&format!(
                    "UPDATE t SET x = x + 1 WHERE rowid = 1 OR rowid = {ROWS}; PRAGMA wal_checkpoint(passive);"
                ));
                match changed {
                    Err(error) if error.sqlite_error_code() != Some(rusqlite::ErrorCode::DatabaseBusy) => {
                        panic!("{error}")
                    }
                    _ => {}
                }
                // SQLite gives nobody a turn where one writer never pauses.
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            drop(writer);
        });
        let database = SqliteDatabase::open(&path).unwrap();
        let mut answered = 0;
        for _ in 0..100 {
            match run(&database, "SELECT min(x) = max(x) FROM t WHERE x > 1").await {
                Ok(rows) => {
                    let value = &rows.rows[0][0];
                    assert!(*value == Value::Null || *value == Value::Integer(1), "{mode}: {rows:?}");
                    answered += 1;
                }
                // A slow disk may give the writer more time than a reader waits.
                Err(error) => assert!(matches!(error, DatabaseError::Locked { .. }), "{error:?}"),
            }
        }
        assert!(answered > 0, "{mode}");
        stop.store(true, Ordering::Relaxed);
        changes.join().unwrap();
    }
}
