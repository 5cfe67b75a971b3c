//! Hand-written and learned lessons together.

use std::sync::Arc;

use super::change::Learned;
use super::files::{read_text, write_text};
use super::model::Lesson;
use super::recall::Ignored;
use super::teaching::{LessonId, LessonKind};
use super::track::TrackRecord;
use crate::schema::Schema;

/// All lessons, hand-written and learned. Where two contradict each other both are listed, and one is used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lessons {
    all: Vec<Arc<Lesson>>,
    models: Vec<TrackRecord>,
}

/// Which lessons are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those about this database, or about every database.
    pub database: Option<String>,
    /// Only those of this kind.
    pub kind: Option<LessonKind>,
    /// Also those that are retired.
    pub retired: bool,
}

impl Lessons {
    /// These lessons, as if all were in one file.
    pub fn new(lessons: impl IntoIterator<Item = Lesson>) -> Self {
        Self { all: lessons.into_iter().map(Arc::new).collect(), models: Vec::new() }
    }

    /// Some of them.
    pub(super) fn of(lessons: impl IntoIterator<Item = Arc<Lesson>>) -> Self {
        Self { all: lessons.into_iter().collect(), models: Vec::new() }
    }

    /// Those that people wrote, with what is known of how they fared, and those that were learned.
    pub(super) fn merged(hand_written: &[Lesson], learned: &Learned) -> Self {
        let mut all = Vec::with_capacity(hand_written.len() + learned.lessons.len());
        for lesson in hand_written {
            let mut lesson = lesson.clone();
            // Where the same was learned before it was written down, what was counted then still counts.
            let twin = learned.lessons.iter().find(|learned| learned.id == lesson.id);
            if let Some(twin) = twin {
                (lesson.usage_count, lesson.success_rate) = (twin.usage_count, twin.success_rate);
            }
            if let Some(fared) = learned.hand_written.iter().find(|fared| fared.id == lesson.id) {
                (lesson.usage_count, lesson.success_rate) = (fared.usage_count, fared.success_rate);
            }
            all.push(Arc::new(lesson));
        }
        let known = |lesson: &Lesson| hand_written.iter().any(|written| written.id == lesson.id);
        all.extend(learned.lessons.iter().filter(|lesson| !known(lesson)).cloned().map(Arc::new));
        Self { all, models: learned.models.clone() }
    }

    /// How often models were right about a database.
    pub fn models<'a>(&'a self, database: &'a str) -> impl Iterator<Item = &'a TrackRecord> {
        self.models.iter().filter(move |record| record.database.eq_ignore_ascii_case(database))
    }

    /// Those that fit the filter: hand-written ones first, then the learned, oldest first.
    pub fn list<'a>(&'a self, filter: &'a Filter) -> impl Iterator<Item = &'a Arc<Lesson>> {
        self.all.iter().filter(|lesson| {
            filter.database.as_deref().is_none_or(|database| lesson.is_about(database))
                && filter.kind.is_none_or(|kind| lesson.teaching.kind() == kind)
                && (filter.retired || lesson.retired.is_none())
        })
    }

    /// The lesson of that id, retired or not.
    pub fn get(&self, id: &LessonId) -> Option<&Arc<Lesson>> {
        self.all.iter().find(|lesson| lesson.id == *id)
    }

    /// How many there are, retired ones too.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Those that hold for a database with this schema, one for each thing spoken of, and those that contradict the
    /// schema.
    ///
    /// Of several that speak of the same thing, people's come before learned ones, then corrections before recoveries,
    /// then those about this database before those about every one, then the newest.
    pub fn in_force(&self, database: &str, schema: &Schema) -> (Vec<Arc<Lesson>>, Vec<Ignored>) {
        let mut in_force: Vec<Arc<Lesson>> = Vec::new();
        let mut ignored = Vec::new();
        let usable = self.all.iter().filter(|lesson| lesson.is_about(database) && lesson.retired.is_none());
        let mut usable: Vec<&Arc<Lesson>> = usable.collect();
        // Sorting is stable: where all is equal, what stands first in the file holds.
        usable.sort_by(|one, other| {
            let order =
                |lesson: &Lesson| (lesson.origin.rank(), lesson.database.is_some(), lesson.origin.at());
            order(other).cmp(&order(one)).then(other.confidence.total_cmp(&one.confidence))
        });
        let mut subjects = std::collections::HashSet::new();
        for lesson in usable {
            match lesson.check(schema) {
                Err(because) => ignored.push(Ignored { lesson: Arc::clone(lesson), because }),
                Ok(()) if subjects.insert(lesson.subject()) => in_force.push(Arc::clone(lesson)),
                Ok(()) => {}
            }
        }
        (in_force, ignored)
    }

    /// Those that fit the filter as YAML in the form of `lessons_learned.yaml`, to be looked through and kept by hand.
    ///
    /// # Errors
    /// None that a lesson can cause; the YAML writer's signature has one.
    pub fn to_yaml(&self, filter: &Filter) -> Result<String, String> {
        write_text(self.list(filter).map(Arc::as_ref))
    }

    /// The lessons in such a text, and for each entry that could not be understood where it stands and why.
    ///
    /// # Errors
    /// What is wrong, where the text as a whole cannot be read.
    pub fn from_yaml(text: &str) -> Result<(Self, Vec<(String, String)>), String> {
        read_text(text).map(|(lessons, problems)| (Self::new(lessons), problems))
    }
}
