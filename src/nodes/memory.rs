//! What the nodes do with lessons: recall them for a question, and let them settle what would else be asked.

use std::sync::Arc;

use super::{Services, asked};
use crate::ambiguity::{Ambiguity, Correction};
use crate::conversation::{Change, ConversationState};
use crate::lesson::{Lesson, TableMapper, Teaching, Transformed};
use crate::plan::{JoinCondition, PlannedTable, PlannerOutput, QueryPlan};
use crate::reasoner::Rivals;
use crate::schema::Schema;
use crate::sql::{self, guard};

impl Services {
    /// The lessons that bear on what is asked, where there are any.
    pub(super) fn recalled(
        &self,
        question: &str,
        state: &ConversationState,
        schema: &Schema,
    ) -> Option<Change> {
        let memory = self.lessons.as_ref()?;
        let recall = memory.lessons().recall(question, self.database.name(), schema);
        for ignored in &recall.ignored {
            tracing::warn!(lesson = %ignored.lesson.id, because = %ignored.because, "a lesson is ignored");
        }
        let lessons: Vec<Arc<Lesson>> = recall.relevant.into_iter().map(|recalled| recalled.lesson).collect();
        (lessons != state.scratch.lessons).then_some(Change::LessonsRecalled { lessons })
    }

    /// The lessons about an error, beside those that are recalled already.
    pub(super) fn recalled_for_error(
        &self,
        state: &ConversationState,
        error: &str,
        schema: &Schema,
    ) -> Option<Change> {
        let memory = self.lessons.as_ref()?;
        let about = memory.lessons().for_error(error, self.database.name(), schema);
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
        let (table, lesson) = memory.lessons().settle(asked(state), &tables, self.database.name(), schema)?;
        Some((table.to_owned(), also(state, [lesson])))
    }

    /// The reading that was meant when this very question was asked before.
    pub(super) fn chosen_before<'a>(
        &self,
        questions: &'a [Rivals],
        state: &ConversationState,
    ) -> Option<&'a QueryPlan> {
        let lessons = &state.scratch.lessons;
        let sql = lessons.iter().find_map(|lesson| lesson.teaching.answer(asked(state)))?;
        let mut plans = questions.iter().flat_map(|question| &question.readings).map(|(_, plan)| plan);
        plans.find(|plan| sql::render(plan, self.database.dialect()) == sql)
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
                found.extend(lessons.join_between(&one.name, &other.name, self.database.name(), schema));
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
        if self.is_typed_sql(state) {
            return None;
        }
        let memory = self.lessons.as_ref()?;
        let lessons = memory.lessons();
        let chosen = state.corrections.iter().filter_map(|correction| match correction {
            Correction::TableSelection { selected_table, .. } => Some(selected_table.clone()),
            _ => None,
        });
        let mapper = TableMapper::new(&lessons, self.database.name(), schema).keeping(chosen);
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
        if self.is_typed_sql(state) {
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

    /// Whether the question is SQL: whoever types that names the tables in so many words.
    fn is_typed_sql(&self, state: &ConversationState) -> bool {
        guard::check(asked(state), self.database.dialect()).is_ok()
    }
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
