//! The memory as the rest of the program sees it, and one that lives in memory only.

use std::sync::{Arc, Mutex, PoisonError};

use super::change::{Effect, Learned, LessonChange};
use super::error::{LessonError, LessonNotice};
use super::lessons::Lessons;
use super::model::Lesson;
use super::teaching::LessonId;

/// Where lessons are kept.
///
/// [`lessons`](Self::lessons) is quick and never fails: what cannot be read is left out and said in a [`LessonNotice`].
/// [`record`](Self::record) may wait for other processes; call it where waiting is allowed.
pub trait LessonMemory: Send + Sync {
    /// All lessons as they are now.
    fn lessons(&self) -> Arc<Lessons>;

    /// Applies changes to what is kept now, all of them or none.
    ///
    /// `turn` names what taught this. The changes of one name are applied once, however often they are recorded: a turn
    /// that is resumed after a crash teaches once.
    ///
    /// # Errors
    /// [`LessonError`] when they could not be kept; nothing has changed then.
    fn record(&self, turn: Option<&str>, changes: &[LessonChange]) -> Result<Recorded, LessonError>;

    /// What people should know about the memory since this was last asked.
    fn notices(&self) -> Vec<LessonNotice> {
        Vec::new()
    }

    /// Adds a lesson, as a person's command does.
    ///
    /// # Errors
    /// As [`record`](Self::record).
    fn add(&self, lesson: Lesson) -> Result<Recorded, LessonError> {
        self.record(None, &[LessonChange::Learn { lesson: Box::new(lesson) }])
    }

    /// Forgets a learned lesson, as a person's command does.
    ///
    /// # Errors
    /// [`LessonError::Unknown`] when there is none of that id, [`LessonError::HandWritten`] when it is not for a program
    /// to remove, and as [`record`](Self::record).
    fn remove(&self, id: &LessonId) -> Result<Recorded, LessonError> {
        let recorded = self.record(None, &[LessonChange::Remove { id: id.clone() }])?;
        if recorded.effects.is_empty() { Err(LessonError::Unknown { id: id.clone() }) } else { Ok(recorded) }
    }
}

/// What came of recording.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded {
    /// What each change did; empty where it had all been recorded before.
    pub effects: Vec<Effect>,
}

/// Lessons that are forgotten when the program ends: for tests, and where there is no folder to keep them in.
#[derive(Debug, Default)]
pub struct VolatileLessons {
    hand_written: Vec<Lesson>,
    learned: Mutex<Learned>,
}

impl VolatileLessons {
    /// A memory that begins with these lessons, as if people had written them.
    pub fn new(hand_written: impl IntoIterator<Item = Lesson>) -> Self {
        Self { hand_written: hand_written.into_iter().collect(), learned: Mutex::default() }
    }
}

impl LessonMemory for VolatileLessons {
    fn lessons(&self) -> Arc<Lessons> {
        let learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::new(Lessons::merged(&self.hand_written, &learned))
    }

    fn record(&self, turn: Option<&str>, changes: &[LessonChange]) -> Result<Recorded, LessonError> {
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Recorded { effects: learned.record(turn, changes).unwrap_or_default() })
    }
}
