//! The file of learned lessons: read, replaced under a lock, put aside when damaged.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::Deserialize;

use super::super::change::Learned;
use super::super::error::{LessonError, LessonNotice};
use crate::base::{input, json};
use crate::files;

/// A larger file was not written by sqlogue: two thousand lessons of the greatest length are smaller.
const LARGEST: u64 = 32 * 1024 * 1024;

const LOCK_FILE: &str = "learned_lessons.lock";

/// Held while the file is read and replaced; let go when dropped, or when the process dies.
pub(super) struct Lock {
    _file: File,
    folder: PathBuf,
}

/// Locks the file, waiting for other processes for so long.
pub(super) fn lock(folder: &Path, wait: Duration) -> Result<Lock, LessonError> {
    fs::create_dir_all(folder).map_err(|error| LessonError::io(folder, error))?;
    let path = folder.join(LOCK_FILE);
    let file = files::ensure(&path).map_err(|error| LessonError::io(&path, error))?;
    let deadline = Instant::now() + wait;
    // Polled, because a lock that is waited for cannot be given up when a stopped process holds it.
    let mut pause = Duration::from_micros(200);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock { _file: file, folder: folder.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(LessonError::io(&path, error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                return Err(LessonError::Locked { folder: folder.to_owned() });
            }
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(5));
            }
        }
    }
}

/// What was learned so far; nothing where there is no file.
pub(super) fn read(path: &Path) -> Result<Learned, LessonError> {
    let damaged = |problem: String| LessonError::Damaged { path: path.to_owned(), problem };
    let text = match input::bytes(path, LARGEST) {
        Ok(text) => text,
        Err(error) => {
            return match error.kind() {
                ErrorKind::NotFound => Ok(Learned::default()),
                ErrorKind::FileTooLarge => Err(damaged(error.to_string())),
                _ => Err(LessonError::io(path, error)),
            };
        }
    };
    #[derive(Deserialize)]
    struct Versioned {
        version: u64,
    }
    let Versioned { version } = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
    if version > Learned::VERSION {
        return Err(LessonError::NewerFormat {
            path: path.to_owned(),
            found: version,
            known: Learned::VERSION,
        });
    }
    let learned: Learned = str::from_utf8(&text)
        .map_err(|error| damaged(error.to_string()))
        .and_then(|text| json::read(text).map_err(damaged))?;
    Ok(learned.sound())
}

/// The same under the lock; a damaged file is moved out of the way, so that a new one can take its place.
pub(super) fn read_or_put_aside(
    _lock: &Lock,
    path: &Path,
) -> Result<(Learned, Option<LessonNotice>), LessonError> {
    let problem = match read(path) {
        Err(LessonError::Damaged { problem, .. }) => problem,
        learned => return learned.map(|learned| (learned, None)),
    };
    let kept = free_name(path);
    fs::rename(path, &kept).map_err(|error| LessonError::io(path, error))?;
    let notice = LessonNotice::KeptAside { path: path.to_owned(), kept, problem };
    tracing::warn!("{notice}");
    Ok((Learned::default(), Some(notice)))
}

/// A name for a damaged file that is not taken.
fn free_name(path: &Path) -> PathBuf {
    let stamp = Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let name = |number: u32| {
        let number = if number == 0 { String::new() } else { format!("-{number}") };
        path.with_extension(format!("json.damaged-{stamp}{number}"))
    };
    (0..1000).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(1000))
}

/// Replaces the file.
pub(super) fn write(lock: &Lock, path: &Path, learned: &Learned) -> Result<(), LessonError> {
    sweep(lock, path);
    let failed = |error| LessonError::io(path, error);
    let learned = json::value(learned).map_err(|error| failed(error.into()))?;
    files::replace(path, format!("{learned:#}\n").as_bytes()).map_err(failed)
}

/// Removes what processes left behind that died while writing. Only the holder of the lock writes, so what is there now
/// belongs to nobody.
fn sweep(lock: &Lock, path: &Path) {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return };
    let Ok(entries) = fs::read_dir(&lock.folder) else { return };
    for entry in entries.flatten() {
        let found = entry.file_name();
        let rest = found.to_str().and_then(|found| found.strip_prefix('.')?.strip_prefix(name));
        if rest.is_some_and(|rest| rest.starts_with('.') && rest.ends_with(files::SUFFIX)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
