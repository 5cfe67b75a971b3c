//! What only a file can do wrong, and what is in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlogue::conversation::ConversationState;
use sqlogue::graph::{JournalError, RunErrorKind};
use sqlogue::store::{Keep, Safety, Sessions, SqliteOptions, SqliteStore, StoreError};
use tempfile::TempDir;

use crate::store_kit::{CELL, SAMPLE, resume, turn, turn_after};

fn open(path: &Path) -> Result<Sessions, StoreError> {
    open_with(path, SqliteOptions::default())
}

fn open_with(path: &Path, options: SqliteOptions) -> Result<Sessions, StoreError> {
    Ok(Sessions::new(Arc::new(SqliteStore::open(path, options)?)))
}

/// Everything in the store's file and its companions.
fn bytes(path: &Path) -> Vec<u8> {
    let folder = fs::read_dir(path.parent().unwrap()).unwrap().flatten();
    folder.flat_map(|entry| fs::read(entry.path()).unwrap()).collect()
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn place() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("inner").join("store.db");
    (folder, path)
}

#[tokio::test]
async fn another_process_sees_what_was_stored() {
    let (_folder, path) = place();
    let one = open(&path).unwrap();
    let (_, state) = turn(&one, "a", "one").await;
    let other = open(&path).unwrap();
    assert_eq!(other.open("a").await.unwrap().state.turns, state.turns);
    turn(&other, "a", "two").await;
    assert_eq!(one.open("a").await.unwrap().state.turn_number, 2);
}

#[tokio::test]
async fn rows_are_stored_only_when_asked_for() {
    let (_folder, path) = place();
    let sessions = open(&path).unwrap();
    for number in 0..6 {
        turn(&sessions, "a", &format!("question {number}")).await;
    }
    let found = bytes(&path);
    assert!(contains(&found, "question 3"));
    assert!(!contains(&found, CELL) && !contains(&found, SAMPLE));

    let (_folder, path) = place();
    let sessions = open_with(&path, SqliteOptions { keep: Keep::Rows, ..SqliteOptions::default() }).unwrap();
    let (_, state) = turn(&sessions, "a", "one").await;
    assert!(contains(&bytes(&path), CELL));
    assert_eq!(sessions.open("a").await.unwrap().state, state);
    assert!(!sessions.export("a", Keep::Shape).await.unwrap().contains(CELL));
    assert!(sessions.export("a", Keep::Rows).await.unwrap().contains(CELL));
    assert!(sessions.markdown("a").await.unwrap().contains(CELL));
}

#[tokio::test]
async fn what_is_deleted_is_gone_from_the_disk() {
    let (_folder, path) = place();
    let sessions = open(&path).unwrap();
    turn(&sessions, "kept", "a question to keep").await;
    for number in 0..20 {
        turn(&sessions, "a", &format!("the salary of Jane Roe {number}")).await;
    }
    assert!(contains(&bytes(&path), "Jane Roe"));
    sessions.delete("a").await.unwrap();
    let found = bytes(&path);
    assert!(!contains(&found, "Jane Roe"));
    assert!(contains(&found, "a question to keep"));
    let before = fs::metadata(&path).unwrap().len();
    sessions.vacuum().await.unwrap();
    assert!(fs::metadata(&path).unwrap().len() < before);
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = place();
    let sessions = open(&path).unwrap();
    turn(&sessions, "a", "one").await;
    for entry in fs::read_dir(path.parent().unwrap()).unwrap().flatten() {
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", entry.path());
    }
}

#[tokio::test]
async fn other_files_are_refused_and_left_alone() {
    let (folder, _) = place();
    let path = folder.path().join("store.db");
    fs::write(&path, "this is a letter, and by no means a database of any kind").unwrap();
    assert!(matches!(open(&path), Err(StoreError::NotAStore(_))));
    assert_eq!(fs::read_to_string(&path).unwrap().len(), 56);

    let path = folder.path().join("shop.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE customers (id)").unwrap();
    let before = fs::read(&path).unwrap();
    assert!(matches!(open(&path), Err(StoreError::NotAStore(_))));
    assert_eq!(fs::read(&path).unwrap(), before);

    let path = folder.path().join("newer.db");
    drop(open(&path).unwrap());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 9).unwrap();
    assert!(matches!(open(&path), Err(StoreError::NewerFormat { found: 9, known: 2 })));
    assert!(matches!(open(folder.path()), Err(StoreError::ReadOnly(_))), "it is a folder");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_place_that_cannot_be_written_is_said() {
    use std::os::unix::fs::PermissionsExt;
    assert!(matches!(open(Path::new("/proc/sqlogue/store.db")), Err(StoreError::ReadOnly(_))));
    let (_folder, path) = place();
    turn(&open(&path).unwrap(), "a", "one").await;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    // The superuser may write it all the same.
    if fs::OpenOptions::new().append(true).open(&path).is_err() {
        assert!(matches!(open(&path), Err(StoreError::ReadOnly(_))));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_file_is_waited_for() {
    let (_folder, path) = place();
    let sessions = open(&path).unwrap();
    turn(&sessions, "a", "one").await;
    let held = rusqlite::Connection::open(&path).unwrap();
    held.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = tokio::spawn({
        let sessions = sessions.clone();
        async move { turn(&sessions, "a", "two").await }
    });
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert!(!waiting.is_finished());
    assert_eq!(sessions.open("a").await.unwrap().state.turn_number, 1, "readers do not wait");
    held.execute_batch("COMMIT").unwrap();
    waiting.await.unwrap();
    assert_eq!(sessions.open("a").await.unwrap().state.turn_number, 2);
}

#[tokio::test]
async fn a_full_disk_is_said_and_loses_nothing() {
    let (_folder, path) = place();
    let (_, state) = turn(&open(&path).unwrap(), "a", "one").await;
    let options = SqliteOptions { max_bytes: Some(400_000), ..SqliteOptions::default() };
    let sessions = open_with(&path, options).unwrap();
    let mut full = None;
    for number in 0..200 {
        let fresh = ConversationState::new(format!("s{number}"), "shop");
        if let Err(error) =
            turn_after(&sessions, &format!("s{number}"), fresh, None, &"long ".repeat(200)).await
        {
            full = Some(error);
            break;
        }
    }
    assert!(matches!(full, Some(RunErrorKind::Journal(JournalError::Full))), "{full:?}");
    assert_eq!(sessions.open("a").await.unwrap().state.turns, state.turns);
    let sessions = open(&path).unwrap();
    turn(&sessions, "a", "two").await;
    // What the full disk interrupted can be ended now.
    for session in sessions.list(Default::default()).await.unwrap() {
        for broken in sessions.interrupted(&session.id).await.unwrap() {
            resume(&sessions, &session.id, broken.run).await;
        }
    }
}

#[tokio::test]
async fn the_end_of_a_turn_can_wait_for_the_disk() {
    let (_folder, path) = place();
    let options = SqliteOptions { safety: Safety::PowerCut, ..SqliteOptions::default() };
    let sessions = open_with(&path, options).unwrap();
    turn(&sessions, "a", "one").await;
    turn(&sessions, "a", "two").await;
    assert_eq!(sessions.open("a").await.unwrap().state.turn_number, 2);
}
