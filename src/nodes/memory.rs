//! What the nodes do with lessons: recall them for a question, and let them settle what would else be asked.

use std::sync::Arc;

use super::asked;
use crate::ambiguity::{Ambiguity, Correction};
use crate::conversation::{Change, ConversationState};
use crate::lesson::{Lesson, LessonMemory, TableMapper, Teaching, TrackRecord, Transformed};
use crate::plan::{JoinCondition, PlannedTable, PlannerOutput};
use crate::reasoner::fits;
use crate::schema::Schema;
use crate::sql::{Dialect, guard};

/// What was learnt about a database; nothing where there is no memory.
#[derive(Clone)]
pub struct Memory {
    pub(super) name: String,
    pub(super) dialect: Dialect,
    pub(super) lessons: Option<Arc<dyn LessonMemory>>,
}

impl Memory {
    /// Whether there is a memory.
    pub(super) fn learns(&self) -> bool {
        self.lessons.is_some()
    }

    /// The lessons that bear on what is asked, where there are any, and what there is to say of a query that is stored for
    /// the question and does not fit the database any longer.
    pub(super) fn recalled(&self, question: &str, state: &ConversationState, schema: &Schema) -> Vec<Change> {
        let Some(memory) = self.lessons.as_ref() else { return Vec::new() };
        let recall = memory.lessons().recall(question, &self.name, schema);
        let mut notes = Vec::new();
        let mut unfit = |lesson: &Lesson, because: &str| {
            let note = format!("The query stored for this question ({}) was not used: {because}.", lesson.id);
            notes.push(Change::Noted { note });
        };
        for ignored in &recall.ignored {
            tracing::warn!(lesson = %ignored.lesson.id, because = %ignored.because, "a lesson is ignored");
            if ignored.lesson.teaching.answer(question).is_some() {
                unfit(&ignored.lesson, &ignored.because.to_string());
            }
        }
        let mut lessons: Vec<Arc<Lesson>> =
            recall.relevant.into_iter().map(|recalled| recalled.lesson).collect();
        lessons.retain(|lesson| {
            let Some(sql) = lesson.teaching.answer(question) else { return true };
            let fits = fits(sql, schema, self.dialect);
            if let Err(because) = &fits {
                unfit(lesson, because);
            }
            fits.is_ok()
        });
        let changed = lessons != state.scratch.lessons;
        let recalled = changed.then_some(Change::LessonsRecalled { lessons });
        recalled.into_iter().chain(notes).collect()
    }

    /// How often models were right about the database, where people said what is right.
    pub(super) fn models(&self, state: &ConversationState) -> Option<Change> {
        let lessons = self.lessons.as_ref()?.lessons();
        let models: Vec<TrackRecord> = lessons.models(&self.name).cloned().collect();
        (models != state.scratch.models).then_some(Change::ModelsRecalled { models })
    }

    /// The same for a follow-up: what earlier questions named by a definition is still spoken of.
    pub(super) fn recalled_for_follow_up(&self, state: &ConversationState, schema: &Schema) -> Vec<Change> {
        const LOOK_BACK: usize = 8;
        let mut changes = self.recalled(&state.user_question, state, schema);
        let Some(memory) = self.lessons.as_ref() else { return changes };
        let mut lessons = after(&changes, state).to_vec();
        let known = lessons.len();
        let answered = state.turns.iter().rev().filter(|turn| turn.query.is_some());
        for turn in answered.take(LOOK_BACK) {
            for recalled in memory.lessons().recall(&turn.input, &self.name, schema).relevant {
                let lesson = recalled.lesson;
                let is_definition = matches!(lesson.teaching, Teaching::Definition { .. });
                if is_definition && !lessons.iter().any(|known| known.id == lesson.id) {
                    lessons.push(lesson);
                }
            }
        }
        if lessons.len() > known {
            changes.retain(|change| !matches!(change, Change::LessonsRecalled { .. }));
            changes.push(Change::LessonsRecalled { lessons });
        }
        changes
    }

    /// The lessons about an error, beside those that are recalled already.
    pub(super) fn recalled_for_error(
        &self,
        state: &ConversationState,
        error: &str,
        schema: &Schema,
    ) -> Option<Change> {
        let memory = self.lessons.as_ref()?;
        let about = memory.lessons().for_error(error, &self.name, schema);
        let mut lessons = state.scratch.lessons.clone();
        lessons.extend(about.into_iter().filter(|lesson| !state.scratch.lessons.contains(lesson)));
        (lessons.len() > state.scratch.lessons.len()).then_some(Change::LessonsRecalled { lessons })
    }

    /// The table that is meant among several that fit, where a lesson says so; with that lesson recalled.
    pub(super) fn settled(
        &self,
        unclear: &Ambiguity,
        state: &ConversationState,
        schema: &Schema,
    ) -> Option<(String, Change)> {
        let memory = self.lessons.as_ref()?;
        let tables: Vec<&str> = unclear.options().iter().map(|option| option.label.as_str()).collect();
        let (table, lesson) = memory.lessons().settle(asked(state), &tables, &self.name, schema)?;
        Some((table.to_owned(), also(state, [lesson])))
    }

    /// How tables are joined, where lessons say so and the person said nothing else; with those lessons recalled.
    pub(super) fn joined(
        &self,
        tables: &[PlannedTable],
        state: &ConversationState,
        schema: &Schema,
    ) -> Option<(Vec<JoinCondition>, Change)> {
        let memory = self.lessons.as_ref()?;
        let lessons = memory.lessons();
        let settled = |one: &str, other: &str| {
            state.corrections.iter().any(|correction| {
                matches!(correction, Correction::JoinClarification { left, right }
                    if JoinCondition { left: left.clone(), right: right.clone() }.is_between(one, other))
            })
        };
        let mut found = Vec::new();
        for (at, one) in tables.iter().enumerate() {
            for other in tables.iter().skip(at + 1).filter(|other| !settled(&one.name, &other.name)) {
                found.extend(lessons.join_between(&one.name, &other.name, &self.name, schema));
            }
        }
        let (joins, lessons): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        (!joins.is_empty()).then(|| (joins, also(state, lessons)))
    }

    /// Gives the tables of a plan the names that they have by the lessons, before SQL is made of it; with those lessons
    /// recalled.
    pub(super) fn mapped(
        &self,
        output: &mut PlannerOutput,
        state: &ConversationState,
        schema: &Schema,
    ) -> Option<Change> {
        if self.is_written(state) {
            return None;
        }
        let memory = self.lessons.as_ref()?;
        let lessons = memory.lessons();
        let chosen = state.corrections.iter().filter_map(|correction| match correction {
            Correction::TableSelection { selected_table, .. } => Some(selected_table.clone()),
            _ => None,
        });
        let mapper = TableMapper::new(&lessons, &self.name, schema).keeping(chosen);
        let names: Vec<String> = output.tables.iter().map(|table| table.name.clone()).collect();
        let mut used = Vec::new();
        for Transformed { from, to, lesson } in mapper.transform_multiple(names.iter().map(String::as_str)) {
            let (Some(lesson), Some(table)) = (lesson, schema.table(&to)) else { continue };
            if names.contains(&table.name) {
                // Both are asked for.
                continue;
            }
            match output.with_table(&from, table) {
                Ok(mapped) => {
                    *output = mapped;
                    used.extend(lessons.get(&lesson).map(Arc::clone));
                }
                Err(column) => {
                    tracing::warn!(%lesson, from, to, column, "a lesson is not used: the table has no such column");
                }
            }
        }
        (!used.is_empty()).then(|| also(state, used))
    }

    /// The tables that lessons set aside: they look like the one that is meant, and are not.
    pub(super) fn set_aside<'a>(&self, state: &'a ConversationState) -> Vec<&'a str> {
        if self.is_written(state) {
            return Vec::new();
        }
        let chosen = |table: &str| {
            state.corrections.iter().any(|correction| {
                matches!(correction, Correction::TableSelection { selected_table, .. }
                    if selected_table.eq_ignore_ascii_case(table))
            })
        };
        let mut tables = Vec::new();
        for lesson in &state.scratch.lessons {
            let Teaching::TableMapping { schema_name, actual_name, instead_of, .. } = &lesson.teaching else {
                continue;
            };
            let others = instead_of.iter().chain([schema_name]).map(String::as_str);
            let others: Vec<&str> = others.filter(|other| !other.eq_ignore_ascii_case(actual_name)).collect();
            // What the person says now stands above what was learnt before.
            if !others.iter().any(|other| chosen(other)) {
                tables.extend(others);
            }
        }
        tables
    }

    /// Whether the question is SQL, or a query is stored for it: whoever writes that names the tables in so many words.
    pub(super) fn is_written(&self, state: &ConversationState) -> bool {
        let stored = |lesson: &Arc<Lesson>| lesson.teaching.answer(asked(state)).is_some();
        state.scratch.lessons.iter().any(stored) || guard::check(asked(state), self.dialect).is_ok()
    }
}

/// The lessons that bear on what is asked, once these changes have happened.
pub(super) fn after<'a>(changes: &'a [Change], state: &'a ConversationState) -> &'a [Arc<Lesson>] {
    let recalled = changes.iter().rev().find_map(|change| match change {
        Change::LessonsRecalled { lessons } => Some(lessons),
        _ => None,
    });
    recalled.unwrap_or(&state.scratch.lessons)
}

/// Recalls lessons beside those that are recalled already.
fn also(state: &ConversationState, more: impl IntoIterator<Item = Arc<Lesson>>) -> Change {
    let mut lessons = state.scratch.lessons.clone();
    for lesson in more {
        if !lessons.iter().any(|known| known.id == lesson.id) {
            lessons.push(lesson);
        }
    }
    Change::LessonsRecalled { lessons }
}
