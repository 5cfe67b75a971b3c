//! The memory that learns: what was settled once is not asked, and not got wrong, again.
//!
//! A [`Lesson`] says one thing about one database: that a table goes by another name, which column a word means, how
//! an error is repaired, how a kind of question is answered. Lessons that people write come from
//! `lessons_learned.yaml`, those that sqlogue learns from `learned_lessons.json`; [`Lessons`] is both together, and
//! where they contradict each other the hand-written one holds.
//!
//! | step | function |
//! | --- | --- |
//! | which lessons bear on a question | [`Lessons::recall`] |
//! | which name a table really has | [`TableMapper::transform`] |
//! | what a finished turn teaches | [`learn`] |
//! | keeping it | [`LessonMemory::record`], in files by [`LessonFiles`] |
//!
//! Nothing is learned from a guess: only from what a person settled or confirmed, and from a success that followed a failure. A
//! lesson is data: it is checked against the current schema before it is used, and whatever SQL comes of it meets the
//! same guard as any other.

mod change;
mod error;
mod files;
mod key;
mod learn;
mod lessons;
mod mapper;
mod memory;
mod model;
mod names;
mod recall;
mod recovery;
mod reference;
mod rule;
mod similar;
mod sql_names;
mod teaching;
#[cfg(test)]
mod tests;
mod track;

pub use change::{Effect, LessonChange};
pub use error::{LessonError, LessonNotice};
pub use files::{HAND_WRITTEN_FILE, LEARNED_FILE, LessonFiles};
pub use key::{Keys, PrimaryKey, with_keys};
pub use learn::{FailedAttempt, Outcome, Settled, TurnFacts, learn};
pub use lessons::{Filter, Lessons};
pub use mapper::{TableMapper, Transformed};
pub use memory::{LessonMemory, Recorded, VolatileLessons};
pub use model::{Contradiction, Lesson, Origin};
pub use recall::{Ignored, Recall, Recalled};
pub use reference::{Columns, Reference};
pub use rule::TransformationRule;
pub use teaching::{LessonId, LessonKind, Teaching};
pub use track::TrackRecord;
