//! A chat whose store fails goes on in memory and says so, and loses nothing of what was stored.
#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use rusqlite::Connection;

use crate::cli_kit::{ECOMMERCE, Outcome, call, sqlogue};
use crate::support::File;

const STORE: &str = "place/kept.sqlite";
const CHAT: [&str; 7] = ["--db", "shop.sqlite", "--store", STORE, "chat", "--session", "a"];
const HOW_MANY: &str = "How many customers are there?";
const NOT_KEPT: &str = "goes on in memory only";

/// A shop, and a store with a conversation of one turn.
fn shop() -> File {
    let file = File::new("shop.sqlite", ECOMMERCE);
    let chat = call(file.folder(), &CHAT, &format!("{HOW_MANY}\n"));
    assert!(!chat.stdout.contains(NOT_KEPT), "{chat:?}");
    file
}

/// The chat goes on and takes turns back; it says once, and why, that it is not kept.
#[track_caller]
fn went_on(chat: &Outcome, why: &str) {
    chat.is_sound();
    assert_eq!(chat.code, 0, "{chat:?}");
    let told: Vec<&str> = chat.stdout.lines().filter(|line| line.contains(NOT_KEPT)).collect();
    assert!(told.len() == 1 && told[0].contains(why), "{why}: {chat:?}");
    assert!(chat.stdout.contains("WHERE city = 'Rome'"), "{chat:?}");
    assert!(chat.stdout.contains("Took back: only from Rome"), "{chat:?}");
}

/// The questions that were stored, and that the file is whole.
fn stored(file: &File) -> Vec<String> {
    let store = Connection::open(file.folder().join(STORE)).unwrap();
    let whole: String = store.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(whole, "ok");
    let mut turns = store.prepare("SELECT input FROM turns WHERE mark = '\"finished\"' ORDER BY id").unwrap();
    turns.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

const TALK: &str = "only from Rome\n/undo\n/new How many users are there?\n";

#[test]
fn another_process_has_locked_the_store() {
    let file = shop();
    let other = Connection::open(file.folder().join(STORE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    went_on(&call(file.folder(), &CHAT, TALK), "locked by another process");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(stored(&file), [HOW_MANY]);
    let again = call(file.folder(), &CHAT, "only from Rome\n");
    assert!(again.stdout.contains("WHERE city = 'Rome'") && !again.stdout.contains(NOT_KEPT), "{again:?}");
}

#[test]
fn a_newer_release_has_written_the_store() {
    let file = shop();
    let store = Connection::open(file.folder().join(STORE)).unwrap();
    store.pragma_update(None, "user_version", 99).unwrap();
    went_on(&call(file.folder(), &CHAT, &format!("{HOW_MANY}\n{TALK}")), "format 99, newer than 2");
    assert_eq!(stored(&file), [HOW_MANY]);
}

#[test]
fn the_store_may_only_be_read() {
    let file = shop();
    let place = file.folder().join("place");
    let may = |mode| fs::set_permissions(&place, fs::Permissions::from_mode(mode)).unwrap();
    let store = file.folder().join(STORE);
    fs::set_permissions(&store, fs::Permissions::from_mode(0o444)).unwrap();
    may(0o555);
    // The superuser may write everywhere, unless that power is laid down.
    let is_root = fs::OpenOptions::new().append(true).open(&store).is_ok();
    let before: &[&str] =
        if is_root { &["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"] } else { &[] };
    if is_root && Command::new("setpriv").arg("--version").output().is_err() {
        let _ = writeln!(std::io::stderr(), "SKIPPED the_store_may_only_be_read: `setpriv` is not installed");
        return;
    }
    let chat = through(file.folder(), before, &format!("{HOW_MANY}\n{TALK}"));
    may(0o755);
    went_on(&chat, "the store cannot be written");
    assert_eq!(stored(&file), [HOW_MANY]);
}

/// No file may grow beyond half a megabyte, so the store is full in the middle of the conversation.
#[test]
fn the_store_is_full() {
    let file = shop();
    let limited = ["sh", "-c", "trap '' XFSZ; ulimit -f 1024; exec \"$@\"", "sh"];
    let many = format!("/new {HOW_MANY}\n").repeat(40);
    let chat = through(file.folder(), &limited, &format!("{many}{TALK}"));
    went_on(&chat, "the store failed: disk I/O error");
    let stored = stored(&file);
    assert!((2..41).contains(&stored.len()) && stored.iter().all(|input| input == HOW_MANY), "{stored:?}");
}

/// The chat, started through another program.
fn through(folder: &Path, before: &[&str], input: &str) -> Outcome {
    let chat = sqlogue(folder);
    let mut words = before.iter().map(std::ffi::OsStr::new).chain([chat.get_program()]);
    let mut command = assert_cmd::Command::new(words.next().unwrap());
    command.args(words).args(CHAT).current_dir(folder).env_clear().env("HOME", folder);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let output = command.write_stdin(input).output().unwrap();
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
