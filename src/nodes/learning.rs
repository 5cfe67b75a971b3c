//! What the nodes learn from a turn that is over.

use std::sync::Arc;

use super::{Memory, asked};
use crate::ambiguity::{Correction, Meaning};
use crate::conversation::{Change, ConversationState, ErrorKind, Route, Status};
use crate::graph::Context;
use crate::lesson::{
    Effect, FailedAttempt, Lesson, LessonChange, LessonMemory, Outcome, Settled, Teaching, TurnFacts, learn,
};
use crate::reasoner::Knowledge;
use crate::sql::guard;

impl Memory {
    /// Learns from a turn, and counts how the lessons fared that it used; what there is to tell of it.
    pub(super) async fn learnt(
        &self,
        state: &ConversationState,
        status: Status,
        knowledge: &Knowledge,
        context: &Context,
    ) -> Vec<Change> {
        let Some(memory) = &self.lessons else { return Vec::new() };
        let run = context.run().to_string();
        let question = asked(state);
        let failed: Vec<FailedAttempt<'_>> = state
            .scratch
            .failures
            .iter()
            .map(|failure| FailedAttempt { sql: &failure.sql, error: &failure.error.message })
            .collect();
        let settled: Vec<Settled> = match state.route {
            // `use X instead of Y` goes the inline way, and is a correction all the same.
            Some(Route::Correction | Route::Inline) if state.correction_attempts() > 0 => state
                .corrections
                .iter()
                .filter_map(|settled| to_settle(settled, question, state, knowledge))
                .collect(),
            _ => Vec::new(),
        };
        let sql = state.query.as_deref().unwrap_or_default();
        let used: Vec<Arc<Lesson>> =
            state.scratch.lessons.iter().filter(|lesson| lesson.shows_in(sql)).cloned().collect();
        let outcome = match (status, &state.error) {
            (Status::Completed, _) => Outcome::Succeeded,
            (Status::Failed, Some(error)) if error.kind == ErrorKind::QueryFailed => Outcome::Failed,
            _ => Outcome::Open,
        };
        let facts = TurnFacts {
            turn: &run,
            question,
            database: &self.name,
            at: context.now(),
            outcome,
            failed: &failed,
            sql: Some(sql).filter(|_| status == Status::Completed),
            settled: &settled,
            used: &used,
        };
        let mut learnt = learn(&facts, knowledge.schema());
        if state.scratch.confirmed {
            learnt.extend(self.confirmed(state, &run, knowledge, context));
        }
        learnt.extend(self.model_judged(state, status));
        let mut changes = Vec::new();
        if outcome == Outcome::Succeeded && !used.is_empty() {
            let reason = |lesson: &Arc<Lesson>| match lesson.teaching {
                Teaching::Definition { .. } => format!("By your definition ({}): {lesson}", lesson.id),
                _ => format!("By lesson {}: {lesson}", lesson.id),
            };
            let reasons = used.iter().map(reason).collect();
            changes.push(Change::Explained { reasons });
        }
        changes.extend(record(Arc::clone(memory), run, learnt).await);
        changes
    }
}

impl Memory {
    /// What the answer before teaches, once the person said that it is right.
    fn confirmed(
        &self,
        state: &ConversationState,
        run: &str,
        knowledge: &Knowledge,
        context: &Context,
    ) -> Vec<LessonChange> {
        // A follow-up says nothing on its own, and what was typed or stored as SQL is known.
        let answered = state.turns.last().filter(|turn| {
            turn.status == Status::Completed
                && turn.route == Some(Route::New)
                && guard::check(&turn.input, self.dialect).is_err()
        });
        let Some((turn, sql)) = answered.and_then(|turn| Some((turn, turn.query.as_deref()?))) else {
            return Vec::new();
        };
        if names_another_day(&turn.input, sql) {
            return Vec::new();
        }
        let facts = TurnFacts {
            turn: run,
            question: &turn.input,
            database: &self.name,
            at: context.now(),
            outcome: Outcome::Succeeded,
            failed: &[],
            sql: Some(sql),
            settled: &[Settled::Confirmed],
            used: &[],
        };
        learn(&facts, knowledge.schema())
    }

    /// Whether the SQL of a model gave what a person now says is right: by confirming the answer, or by choosing a reading.
    fn model_judged(&self, state: &ConversationState, status: Status) -> Option<LessonChange> {
        let chose = state.route == Some(Route::Correction)
            && status == Status::Completed
            && matches!(
                state.corrections.last(),
                Some(Correction::Reading { .. } | Correction::Statement { .. })
            );
        let (sql, result) = match (state.scratch.confirmed, chose) {
            (true, _) => (state.current_query.as_deref()?, state.current_result.as_deref()),
            (_, true) => (state.query.as_deref()?, state.result.as_deref()),
            _ => return None,
        };
        let written = state.written()?;
        let agreed = written.agrees(sql, result)?;
        Some(LessonChange::Judged { database: self.name.clone(), model: written.by.clone(), agreed })
    }
}

/// Whether a statement has a date whose year the question does not say: *last month* means another one the next time.
fn names_another_day(question: &str, sql: &str) -> bool {
    let is_day = |text: &str| {
        let mut parts = text.splitn(3, '-').map(|part| part.bytes().take_while(u8::is_ascii_digit).count());
        parts.next() == Some(4) && parts.next() == Some(2)
    };
    let mut texts = sql.split('\'').skip(1).step_by(2);
    texts.any(|text| is_day(text) && !text.get(..4).is_some_and(|year| question.contains(year)))
}

/// Writes down what was learnt. It may wait for other processes, so it is done where waiting is allowed.
async fn record(memory: Arc<dyn LessonMemory>, run: String, learnt: Vec<LessonChange>) -> Vec<Change> {
    let noted = |note: String| Change::Noted { note };
    let told = Arc::clone(&memory);
    let mut changes = Vec::new();
    if !learnt.is_empty() {
        let recorded = tokio::task::spawn_blocking(move || memory.record(Some(&run), &learnt)).await;
        match recorded {
            Ok(Ok(recorded)) => {
                let reasons: Vec<String> = recorded
                    .effects
                    .iter()
                    .filter_map(|effect| match effect {
                        Effect::Learned { lesson } => Some(format!("Learnt as {}: {lesson}", lesson.id)),
                        _ => None,
                    })
                    .collect();
                if !reasons.is_empty() {
                    changes.push(Change::Explained { reasons });
                }
            }
            Ok(Err(error)) => changes.push(noted(format!("What was learnt is not kept: {error}"))),
            Err(error) => changes.push(noted(format!("What was learnt is not kept: {error}"))),
        }
    }
    changes.extend(told.notices().iter().map(|notice| noted(notice.to_string())));
    changes
}

/// What a correction teaches, if it does.
fn to_settle(
    correction: &Correction,
    question: &str,
    state: &ConversationState,
    knowledge: &Knowledge,
) -> Option<Settled> {
    let said = |term: &str| question.to_lowercase().contains(&term.to_lowercase());
    Some(match correction {
        Correction::TableSelection { selected_table, rejected_tables } => {
            Settled::Table { selected: selected_table.clone(), rejected: rejected_tables.clone() }
        }
        Correction::JoinClarification { left, right } => {
            Settled::Join { left: left.clone(), right: right.clone() }
        }
        Correction::ColumnSelection { term, selected } => {
            // Whoever corrects what a lesson made of a word corrects the lesson.
            let learnt = state.scratch.lessons.iter().find_map(|lesson| match &lesson.teaching {
                Teaching::ColumnMapping { term: word, column, value: None }
                    if column.column.eq_ignore_ascii_case(term) =>
                {
                    Some(word)
                }
                _ => None,
            });
            // A word that was not said explains nothing the next time.
            let term = learnt.or_else(|| said(term).then_some(term))?;
            Settled::Column { term: term.clone(), column: selected.clone() }
        }
        Correction::ValueSelection { column, selected, rejected } => {
            // Who wants France instead of Germany does not say that Germany means France.
            let explains = said(rejected) && !knowledge.is_value(column, rejected);
            explains.then(|| Settled::Value {
                term: rejected.clone(),
                column: column.clone(),
                value: selected.clone(),
            })?
        }
        Correction::Reading { means: Some(Meaning { term, column, value }), .. } => match value {
            Some(value) => {
                Settled::Value { term: term.clone(), column: column.clone(), value: value.clone() }
            }
            None => Settled::Column { term: term.clone(), column: column.clone() },
        },
        Correction::Reading { means: None, .. } | Correction::Statement { .. } => Settled::Reading,
    })
}

#[cfg(test)]
mod tests {
    use super::names_another_day;

    #[test]
    fn a_date_that_the_question_does_not_say_moves() {
        let sql = "SELECT count(*) FROM orders WHERE day >= '2026-05-01' AND day < '2026-06-01'";
        assert!(names_another_day("orders last month", sql));
        assert!(!names_another_day("orders in May 2026", sql));
        assert!(!names_another_day("orders of 12-34", "SELECT 1 FROM orders WHERE code = '12-34'"));
    }
}
