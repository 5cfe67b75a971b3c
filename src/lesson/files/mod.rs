//! Lessons in files: one that people write, one that sqlogue keeps.
//!
//! | file in the folder | what it is |
//! | --- | --- |
//! | `lessons_learned.yaml` | what people write; never changed |
//! | `learned_lessons.json` | what was learned; replaced as a whole, so it is the old or the new one at every moment |
//! | `learned_lessons.lock` | empty; locked while the other is replaced, by the system, so a dead process holds nothing |

mod hand_written;
mod learned;

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::change::{Learned, LessonChange};
use super::error::{LessonError, LessonNotice};
use super::lessons::Lessons;
use super::memory::{LessonMemory, Recorded};
use super::model::Lesson;
use super::teaching::LessonId;

pub(super) use hand_written::{read_text, write_text};

/// The name of the file that people write.
pub const HAND_WRITTEN_FILE: &str = "lessons_learned.yaml";
/// The name of the file that sqlogue keeps.
pub const LEARNED_FILE: &str = "learned_lessons.json";

/// The lessons of a folder, shared with every process that uses the same one.
#[derive(Debug)]
pub struct LessonFiles {
    folder: PathBuf,
    wait: Duration,
    cache: Mutex<Cache>,
}

/// What was read last, and what the files looked like then.
#[derive(Debug, Default)]
struct Cache {
    stamps: Option<[Stamp; 2]>,
    hand_written: Vec<Lesson>,
    lessons: Arc<Lessons>,
    notices: Vec<LessonNotice>,
}

/// Enough of a file's metadata to see that it was replaced; `None` where there is none.
type Stamp = Option<(SystemTime, u64, u64)>;

impl LessonFiles {
    /// How long a change waits for other processes, unless [`waiting`](Self::waiting) says otherwise.
    pub const WAIT: Duration = Duration::from_secs(10);

    /// The lessons in a folder. Nothing is read or made yet; the folder is made when something is learned.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), wait: Self::WAIT, cache: Mutex::default() }
    }

    /// Waits so long for other processes.
    #[must_use]
    pub fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// The file that people write.
    pub fn hand_written_path(&self) -> PathBuf {
        self.folder.join(HAND_WRITTEN_FILE)
    }

    /// The file that sqlogue keeps.
    pub fn learned_path(&self) -> PathBuf {
        self.folder.join(LEARNED_FILE)
    }

    fn stamps(&self) -> [Stamp; 2] {
        [self.hand_written_path(), self.learned_path()].map(|path| stamp(&path))
    }

    /// Reads what has changed since it was last read.
    fn refresh(&self, cache: &mut Cache) {
        // Taken before reading: what changes meanwhile is read again next time.
        let stamps = self.stamps();
        if cache.stamps.as_ref() == Some(&stamps) {
            return;
        }
        let (hand_written, notices) = hand_written::read(&self.hand_written_path());
        cache.notices.extend(notices);
        cache.hand_written = hand_written;
        let learned = match learned::read(&self.learned_path()) {
            Ok(learned) => learned,
            Err(LessonError::Damaged { .. }) => self.put_aside(cache),
            Err(error) => {
                let problem = error.to_string();
                cache.notices.push(LessonNotice::Unusable { path: self.learned_path(), problem });
                Learned::default()
            }
        };
        cache.lessons = Arc::new(Lessons::merged(&cache.hand_written, &learned));
        cache.stamps = Some(stamps);
    }

    /// Moves a damaged file out of the way, if it still is one once nobody else is at it.
    fn put_aside(&self, cache: &mut Cache) -> Learned {
        let path = self.learned_path();
        let settled =
            learned::lock(&self.folder, self.wait).and_then(|lock| learned::read_or_put_aside(&lock, &path));
        match settled {
            Ok((learned, notice)) => {
                cache.notices.extend(notice);
                learned
            }
            Err(error) => {
                cache.notices.push(LessonNotice::Unusable { path, problem: error.to_string() });
                Learned::default()
            }
        }
    }

    fn change(
        &self,
        cache: &mut Cache,
        turn: Option<&str>,
        changes: &[LessonChange],
    ) -> Result<Recorded, LessonError> {
        let path = self.learned_path();
        let lock = learned::lock(&self.folder, self.wait)?;
        let (mut learned, notice) = learned::read_or_put_aside(&lock, &path)?;
        cache.notices.extend(notice);
        let effects = learned.record(turn, changes);
        if effects.is_some() {
            learned::write(&lock, &path, &learned)?;
            cache.lessons = Arc::new(Lessons::merged(&cache.hand_written, &learned));
            if let (Some([_, known]), [_, written]) = (&mut cache.stamps, self.stamps()) {
                *known = written;
            }
        }
        Ok(Recorded { effects: effects.unwrap_or_default() })
    }
}

fn stamp(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), metadata.len(), identity(&metadata)))
}

/// Tells a file from the one that replaced it, where two were written within one tick of the clock.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> u64 {
    0
}

impl LessonMemory for LessonFiles {
    fn lessons(&self) -> Arc<Lessons> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        self.refresh(&mut cache);
        Arc::clone(&cache.lessons)
    }

    fn record(&self, turn: Option<&str>, changes: &[LessonChange]) -> Result<Recorded, LessonError> {
        if changes.is_empty() {
            return Ok(Recorded::default());
        }
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        self.refresh(&mut cache);
        self.change(&mut cache, turn, changes)
    }

    fn notices(&self) -> Vec<LessonNotice> {
        std::mem::take(&mut self.cache.lock().unwrap_or_else(PoisonError::into_inner).notices)
    }

    fn remove(&self, id: &LessonId) -> Result<Recorded, LessonError> {
        let written = {
            let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            self.refresh(&mut cache);
            cache.hand_written.iter().any(|lesson| lesson.id == *id)
        };
        if written {
            return Err(LessonError::HandWritten { id: id.clone(), path: self.hand_written_path() });
        }
        let recorded = self.record(None, &[LessonChange::Remove { id: id.clone() }])?;
        if recorded.effects.is_empty() { Err(LessonError::Unknown { id: id.clone() }) } else { Ok(recorded) }
    }
}
