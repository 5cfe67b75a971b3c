//! What happens to learned lessons, and what it does to them.
//!
//! Changes are small and relative (`used once more`), never a whole file: so several processes can each apply theirs
//! to whatever the others have written meanwhile, and nothing is lost.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::model::Lesson;
use super::names::plain;
use super::teaching::{LessonId, Teaching};
use super::track::{self, TrackRecord};

/// A lesson less trusted than this is retired: after two contradictions, or five failures in a row.
const FLOOR: f64 = 0.3;

/// At most this many learned lessons are kept; the least trusted go first.
const MOST_LESSONS: usize = 2000;

/// So many of the latest turns are remembered by name, so that a turn that is finished twice, because its process
/// died in between, teaches once.
const MOST_RECORDED: usize = 256;

/// One thing that happens to the learned lessons.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LessonChange {
    /// Something was learned. Lessons that say otherwise about the same thing lose half their confidence.
    Learn {
        /// What.
        lesson: Box<Lesson>,
    },
    /// A lesson was used.
    Use {
        /// Which.
        id: LessonId,
        /// Whether the turn that used it succeeded.
        succeeded: bool,
        /// When.
        at: Timestamp,
    },
    /// A lesson is to be forgotten.
    Remove {
        /// Which.
        id: LessonId,
    },
    /// A person said what is right, and it is known whether a model's SQL gave the same.
    Judged {
        /// The database.
        database: String,
        /// The model.
        model: String,
        /// Whether it gave the same.
        agreed: bool,
    },
}

/// What a change did.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Effect {
    /// There is a new lesson, or one that was retired is back.
    Learned {
        /// The lesson.
        lesson: Box<Lesson>,
    },
    /// What was learned is known already.
    Confirmed {
        /// The lesson.
        id: LessonId,
    },
    /// A use was counted.
    Used {
        /// The lesson.
        id: LessonId,
        /// Its confidence now.
        confidence: f64,
    },
    /// A newer lesson says otherwise.
    Contradicted {
        /// The lesson that lost.
        id: LessonId,
        /// The newer one.
        by: LessonId,
        /// The confidence of the one that lost now.
        confidence: f64,
    },
    /// A lesson fell below the floor and is not used any more.
    Retired {
        /// The lesson.
        id: LessonId,
    },
    /// A lesson is forgotten.
    Removed {
        /// The lesson.
        id: LessonId,
    },
}

/// Everything that was learned: what `learned_lessons.json` holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Learned {
    /// The version of this form.
    pub(super) version: u64,
    /// The lessons, the oldest first.
    pub(super) lessons: Vec<Lesson>,
    /// How the hand-written lessons fared; their own file belongs to people.
    #[serde(default)]
    pub(super) hand_written: Vec<Fared>,
    /// How often models were right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) models: Vec<TrackRecord>,
    /// The names of the latest turns that were recorded.
    #[serde(default)]
    recorded: Vec<String>,
}

/// How a hand-written lesson fared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Fared {
    pub(super) id: LessonId,
    pub(super) usage_count: u64,
    pub(super) success_rate: f64,
}

impl Learned {
    /// The newest form this release reads and writes.
    pub(super) const VERSION: u64 = 1;

    /// What was read from a file, made safe to use.
    pub(super) fn sound(mut self) -> Self {
        self.lessons = self.lessons.into_iter().filter_map(Lesson::sound).collect();
        self
    }

    /// Applies changes, unless those of this turn were applied before. Gives what they did; `None` where there was
    /// nothing to do.
    pub(super) fn record(&mut self, turn: Option<&str>, changes: &[LessonChange]) -> Option<Vec<Effect>> {
        let turn = turn.map(|turn| plain(turn, 80));
        if changes.is_empty() || turn.as_ref().is_some_and(|turn| self.recorded.contains(turn)) {
            return None;
        }
        let mut effects = Vec::new();
        for change in changes {
            match change {
                LessonChange::Learn { lesson } => self.learn(lesson, &mut effects),
                LessonChange::Use { id, succeeded, at } => self.used(id, *succeeded, *at, &mut effects),
                LessonChange::Judged { database, model, agreed } => {
                    track::count(&mut self.models, &plain(database, 200), &plain(model, 200), *agreed);
                }
                LessonChange::Remove { id } => {
                    let before = self.lessons.len();
                    self.lessons.retain(|lesson| lesson.id != *id);
                    if self.lessons.len() < before {
                        effects.push(Effect::Removed { id: id.clone() });
                    }
                }
            }
        }
        self.recorded.extend(turn);
        self.recorded.drain(..self.recorded.len().saturating_sub(MOST_RECORDED));
        self.drop_least();
        self.version = Self::VERSION;
        Some(effects)
    }

    fn learn(&mut self, new: &Lesson, effects: &mut Vec<Effect>) {
        let subject = new.subject();
        for old in &mut self.lessons {
            let other = old.id != new.id && old.retired.is_none();
            // What merely happened does not outweigh what a person said.
            if other
                && old.origin.rank() <= new.origin.rank()
                && old.database == new.database
                && old.subject() == subject
            {
                old.confidence *= 0.5;
                let (id, by) = (old.id.clone(), new.id.clone());
                effects.push(Effect::Contradicted { id, by, confidence: old.confidence });
                retire(old, new.origin.at(), effects);
            }
        }
        match self.lessons.iter_mut().find(|known| known.id == new.id) {
            Some(known) => {
                let revived = known.retired.take().is_some();
                known.confidence =
                    if revived { new.confidence } else { known.confidence.max(new.confidence) };
                if new.origin.rank() >= known.origin.rank() {
                    known.origin = new.origin.clone();
                }
                merge(&mut known.teaching, &new.teaching);
                effects.push(if revived {
                    Effect::Learned { lesson: Box::new(known.clone()) }
                } else {
                    Effect::Confirmed { id: known.id.clone() }
                });
            }
            None => {
                self.lessons.push(new.clone());
                effects.push(Effect::Learned { lesson: Box::new(new.clone()) });
            }
        }
    }

    fn used(&mut self, id: &LessonId, succeeded: bool, at: Timestamp, effects: &mut Vec<Effect>) {
        if let Some(lesson) = self.lessons.iter_mut().find(|lesson| lesson.id == *id) {
            count(&mut lesson.usage_count, &mut lesson.success_rate, succeeded);
            lesson.confidence = if succeeded {
                lesson.confidence + (1.0 - lesson.confidence) * 0.1
            } else {
                lesson.confidence * 0.8
            };
            effects.push(Effect::Used { id: id.clone(), confidence: lesson.confidence });
            retire(lesson, Some(at), effects);
            return;
        }
        let place = self.hand_written.iter().position(|fared| fared.id == *id).unwrap_or_else(|| {
            self.hand_written.push(Fared { id: id.clone(), usage_count: 0, success_rate: 0.0 });
            self.hand_written.len() - 1
        });
        if let Some(fared) = self.hand_written.get_mut(place) {
            count(&mut fared.usage_count, &mut fared.success_rate, succeeded);
        }
    }

    fn drop_least(&mut self) {
        while self.lessons.len() > MOST_LESSONS {
            let trust = |lesson: &Lesson| (lesson.retired.is_none(), lesson.origin.rank(), lesson.confidence);
            let least = self.lessons.iter().enumerate().min_by(|(_, one), (_, other)| {
                let (one, other) = (trust(one), trust(other));
                one.0.cmp(&other.0).then(one.1.cmp(&other.1)).then(one.2.total_cmp(&other.2))
            });
            let Some((place, _)) = least else { return };
            self.lessons.remove(place);
        }
        self.hand_written.drain(..self.hand_written.len().saturating_sub(MOST_LESSONS));
    }
}

fn retire(lesson: &mut Lesson, at: Option<Timestamp>, effects: &mut Vec<Effect>) {
    if lesson.confidence < FLOOR && lesson.retired.is_none() {
        lesson.retired = Some(at.unwrap_or_default());
        effects.push(Effect::Retired { id: lesson.id.clone() });
    }
}

/// A running mean.
#[expect(clippy::cast_precision_loss, reason = "nobody uses a lesson 2^52 times")]
fn count(uses: &mut u64, rate: &mut f64, succeeded: bool) {
    let before = *uses as f64;
    *rate = (*rate * before + f64::from(u8::from(succeeded))) / (before + 1.0);
    *uses = uses.saturating_add(1);
}

/// Two lessons that say the same may have been learned among different tables.
fn merge(known: &mut Teaching, new: &Teaching) {
    if let (
        Teaching::TableMapping { instead_of: known, .. },
        Teaching::TableMapping { instead_of: new, .. },
    ) = (known, new)
    {
        for table in new {
            if known.len() < 100 && !known.iter().any(|other| other.eq_ignore_ascii_case(table)) {
                known.push(table.clone());
            }
        }
    }
}
