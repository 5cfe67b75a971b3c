//! What a power cut leaves. The order in which a process writes and syncs its store is recorded; then, for many moments, the
//! disk is put into a state that it could have been in: what was synced is there, and of the rest any part.
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use sqlogue::store::{Safety, Sessions, SqliteOptions, SqliteStore, StoreError};

use crate::store_kit::turn;

const FOLDER: &str = "RECORD_FOLDER";
const SAFETY: &str = "SQLOGUE_TEST_SAFETY";
/// How many states of the disk; the default keeps the usual run short.
const CUTS: &str = "SQLOGUE_TEST_CUTS";
/// Enough for the log to be moved into the file and begun anew.
const TURNS: usize = 60;
/// A disk writes so many bytes whole or not at all.
const SECTOR: usize = 512;

fn open(path: &Path, safety: Safety) -> Result<Sessions, StoreError> {
    let options = SqliteOptions { safety, ..SqliteOptions::default() };
    Ok(Sessions::new(Arc::new(SqliteStore::open(path, options)?)))
}

/// Not a test of its own: takes turns, and says of each when it is done.
#[tokio::test]
#[ignore = "run by the tests below"]
async fn child() {
    let (Ok(folder), Ok(safety)) = (std::env::var(FOLDER), std::env::var(SAFETY)) else { return };
    let safety = if safety == "power" { Safety::PowerCut } else { Safety::ProcessDeath };
    let path = Path::new(&folder).join("inner/store.db");
    let mut sessions = open(&path, safety).unwrap();
    for number in 0..TURNS {
        // Some are long, so that the log fills up.
        let question =
            format!("question {number} {}", "long ".repeat(if number % 3 == 0 { 2000 } else { 0 }));
        let (run, _) = turn(&sessions, "a", &question).await;
        println!("\ndone {run}");
        std::io::stdout().flush().unwrap();
        if number % 20 == 13 {
            drop(sessions);
            sessions = open(&path, safety).unwrap();
        }
    }
}

/// What the process did.
enum Step {
    Created(PathBuf),
    Removed(PathBuf),
    Written {
        path: PathBuf,
        at: usize,
        bytes: Vec<u8>,
    },
    Cut {
        path: PathBuf,
        at: usize,
    },
    Synced(PathBuf),
    /// It said that this turn is done.
    Said(String),
}

/// Runs the child with a library before the C library that writes down what it does; none where there is no C compiler.
fn recorded(safety: &str, folder: &Path) -> Option<Vec<Step>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/write_recorder.c");
    let (library, log) = (folder.join("recorder.so"), folder.join("log"));
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).arg("-ldl");
    let Ok(compiled) = compiler.output() else {
        assert!(std::env::var_os("CI").is_none(), "there is no C compiler");
        let _ = writeln!(std::io::stderr(), "SKIPPED what a power cut leaves: there is no C compiler");
        return None;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let place = folder.join("disk");
    fs::create_dir(&place).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store_power::child", "--ignored", "--nocapture"])
        .env(FOLDER, &place)
        .env(SAFETY, safety)
        .env("RECORD_TO", &log)
        .env("LD_PRELOAD", &library)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(read(&fs::read(&log).unwrap(), &place))
}

fn read(mut log: &[u8], place: &Path) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut take = |length: usize| {
        let (taken, rest) = log.split_at_checked(length)?;
        log = rest;
        Some(taken)
    };
    while let Some(head) = take(21) {
        let number = |from: usize| u64::from_le_bytes(head[from..from + 8].try_into().unwrap()) as usize;
        let path = take(u32::from_le_bytes(head[1..5].try_into().unwrap()) as usize).unwrap();
        let path = Path::new(std::str::from_utf8(path).unwrap());
        let path = path.strip_prefix(place).unwrap_or(path).to_owned();
        let (at, length) = (number(5), number(13));
        match head[0] {
            b'C' => steps.push(Step::Created(path)),
            b'U' => steps.push(Step::Removed(path)),
            b'T' => steps.push(Step::Cut { path, at }),
            b'S' => steps.push(Step::Synced(path)),
            b'W' => steps.push(Step::Written { path, at, bytes: take(length).unwrap().to_vec() }),
            _ => {
                let said = String::from_utf8_lossy(take(length).unwrap()).into_owned();
                steps.extend(
                    said.lines().filter_map(|line| Some(Step::Said(line.strip_prefix("done ")?.to_owned()))),
                );
            }
        }
    }
    steps
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

#[derive(Clone)]
enum Change {
    Write(usize, Vec<u8>),
    Cut(usize),
}

/// A file: what is on the disk for certain, and what may be.
#[derive(Clone, Default)]
struct File {
    certain: Vec<u8>,
    /// Since the last sync, in order.
    perhaps: Vec<Change>,
    /// Whether its name is certain.
    is_named: bool,
    /// Whether its name was taken away, which may not have come to the disk.
    is_removed: bool,
}

impl File {
    fn apply(content: &mut Vec<u8>, change: &Change) {
        match change {
            Change::Cut(at) => content.resize(*at, 0),
            Change::Write(at, bytes) => {
                content.resize(content.len().max(at + bytes.len()), 0);
                content[*at..at + bytes.len()].copy_from_slice(bytes);
            }
        }
    }

    /// What the disk may hold: of what is not certain every part or none, and of a write also some of its sectors.
    fn left(&self, random: &mut Random) -> Option<Vec<u8>> {
        if (!self.is_named || self.is_removed) && random.below(2) == 0 {
            return None;
        }
        let mut content = self.certain.clone();
        // Sometimes nothing more was written, sometimes all, mostly something.
        let odds = [0, 1, 50, 90, 99, 100][random.below(6)];
        for change in &self.perhaps {
            if random.below(100) >= odds {
                continue;
            }
            match change {
                Change::Write(at, bytes) if odds < 100 && random.below(4) == 0 => {
                    let ends = (at / SECTOR + 1..).map(|sector| sector * SECTOR);
                    let mut from = *at;
                    for end in ends.take_while(|end| *end < at + bytes.len()).chain([at + bytes.len()]) {
                        if random.below(2) == 0 {
                            let part = bytes[from - at..end - at].to_vec();
                            Self::apply(&mut content, &Change::Write(from, part));
                        }
                        from = end;
                    }
                }
                change => Self::apply(&mut content, change),
            }
        }
        Some(content)
    }
}

#[derive(Default)]
struct Disk {
    files: BTreeMap<PathBuf, File>,
    said: Vec<String>,
}

impl Disk {
    fn follow(&mut self, step: &Step) {
        match step {
            Step::Said(run) => self.said.push(run.clone()),
            Step::Created(path) => {
                // A new file under an old name: what was there may come back, and the store has to do with either.
                let old = self.files.remove(path).filter(|file| file.is_named);
                let is_named = old.is_some();
                self.files.insert(path.clone(), File { is_named, ..File::default() });
            }
            Step::Removed(path) => {
                if let Some(file) = self.files.get_mut(path) {
                    file.is_removed = true;
                }
            }
            Step::Written { path, at, bytes } => {
                let change = Change::Write(*at, bytes.clone());
                self.files.entry(path.clone()).or_default().perhaps.push(change);
            }
            Step::Cut { path, at } => {
                self.files.entry(path.clone()).or_default().perhaps.push(Change::Cut(*at));
            }
            Step::Synced(path) => match self.files.get_mut(path) {
                Some(file) => {
                    for change in std::mem::take(&mut file.perhaps) {
                        File::apply(&mut file.certain, &change);
                    }
                }
                // A folder: the names in it are certain now.
                None => {
                    self.files.retain(|name, file| !(file.is_removed && name.parent() == Some(path)));
                    let inside = self.files.iter_mut().filter(|(name, _)| name.parent() == Some(path));
                    inside.for_each(|(_, file)| file.is_named = true);
                }
            },
        }
    }

    /// Puts a folder into a state that the disk may be left in.
    fn cut(&self, folder: &Path, random: &mut Random) {
        for (name, file) in &self.files {
            if let Some(content) = file.left(random) {
                let path = folder.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, content).unwrap();
            }
        }
    }
}

/// The turns that are left, in order; every one can be read.
async fn left(path: &Path) -> Vec<String> {
    let sessions = open(path, Safety::default()).unwrap();
    let whole: String = rusqlite::Connection::open(path)
        .unwrap()
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(whole, "ok");
    let opened = match sessions.open("a").await {
        Err(StoreError::UnknownSession { .. }) => return Vec::new(),
        opened => opened.unwrap(),
    };
    let turns = sessions.turns("a").await.unwrap();
    for turn in &turns {
        assert_eq!(turn.damaged, None);
        sessions.record("a", turn.run).await.unwrap();
    }
    let finished: Vec<String> =
        turns.iter().filter(|turn| turn.is_finished()).map(|turn| turn.run.to_string()).collect();
    assert_eq!(opened.state.turn_number, finished.len() as u64);
    finished
}

/// Cuts the power at many moments; the most turns that were said to be done and are not there.
async fn cut(safety: &str) -> Option<usize> {
    let folder = tempfile::tempdir().unwrap();
    let steps = recorded(safety, folder.path())?;
    let mut truth = Disk::default();
    steps.iter().for_each(|step| truth.follow(step));
    assert_eq!(truth.said.len(), TURNS);
    let cuts: usize = std::env::var(CUTS).ok().and_then(|cuts| cuts.parse().ok()).unwrap_or(120);
    let mut random = Random(5);
    let mut moments: Vec<usize> = (0..cuts).map(|_| random.below(steps.len() + 1)).collect();
    moments.sort_unstable();
    let (mut disk, mut done, mut most, mut seen) = (Disk::default(), 0, 0, BTreeSet::new());
    for (number, moment) in moments.into_iter().enumerate() {
        steps[done..moment].iter().for_each(|step| disk.follow(step));
        done = moment;
        let place = folder.path().join(format!("cut {number}"));
        fs::create_dir(&place).unwrap();
        disk.cut(&place, &mut random);
        let left = left(&place.join("inner/store.db")).await;
        assert!(truth.said.starts_with(&left), "after {moment} steps: they are the first turns, in order");
        most = most.max(disk.said.len().saturating_sub(left.len()));
        seen.insert(left.len());
        fs::remove_dir_all(place).unwrap();
    }
    println!(
        "{safety}: {} steps, {cuts} cuts, {} different ends, at most {most} turns lost",
        steps.len(),
        seen.len()
    );
    assert!(seen.len() > 10, "the cuts fall everywhere");
    Some(most)
}

#[tokio::test]
async fn a_turn_that_waited_for_the_disk_survives_a_power_cut() {
    let Some(lost) = cut("power").await else { return };
    assert_eq!(lost, 0, "what was said to be done is there");
}

#[tokio::test]
async fn a_power_cut_leaves_the_first_turns_whole() {
    let Some(lost) = cut("process").await else { return };
    assert!(lost > 0, "without waiting for the disk the last turns may go: the cuts are real");
}
