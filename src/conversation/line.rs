//! Lines of refinement about other databases, set aside until the conversation comes back to them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ConversationState, QueryResult};
use crate::ambiguity::Correction;
use crate::plan::{Confidence, QueryPlan};
use crate::schema::{Fingerprint, Schema};

/// At most so many lines are set aside, so that a conversation stays small.
const MOST: usize = 8;

/// What a follow-up goes on from: the query that stands, and what was settled on the way to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefinementLine {
    /// The database that it is about.
    pub database: String,
    /// The shape of its schema when it was last read.
    #[serde(default)]
    pub schema_fingerprint: Option<Fingerprint>,
    /// The input it began with.
    #[serde(default)]
    pub original_question: Option<String>,
    /// The last SQL that succeeded.
    #[serde(default)]
    pub current_query: Option<String>,
    /// The same as a typed query, where that is known.
    #[serde(default)]
    pub current_plan: Option<QueryPlan>,
    /// What it returned, without the rows.
    #[serde(default)]
    pub current_result: Option<Arc<QueryResult>>,
    /// How sure that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_confidence: Option<Confidence>,
    /// The tables that it speaks of.
    #[serde(default)]
    pub schema: Option<Arc<Schema>>,
    /// What the person settled.
    #[serde(default)]
    pub corrections: Vec<Correction>,
}

impl ConversationState {
    /// The query that stands about a database, this one or one that was spoken of before.
    pub fn query_about(&self, database: &str) -> Option<&str> {
        if self.database == database {
            return self.current_query.as_deref();
        }
        self.lines.iter().find(|line| line.database == database)?.current_query.as_deref()
    }

    /// Goes over to another database: the line of refinement about this one is set aside, and the one about the other
    /// taken up again. A question that is open is about the old database and dropped.
    pub(super) fn change_database(&mut self, database: &str) {
        if self.database == database {
            return;
        }
        let place = self.lines.iter().position(|line| line.database == database);
        let taken_up = place.map(|place| self.lines.remove(place));
        let left = RefinementLine {
            database: std::mem::replace(&mut self.database, database.to_owned()),
            schema_fingerprint: self.schema_fingerprint.take(),
            original_question: self.original_question.take(),
            current_query: self.current_query.take(),
            current_plan: self.current_plan.take(),
            current_result: self.current_result.take().map(|result| Arc::new(result.shape())),
            current_confidence: self.current_confidence.take(),
            schema: self.schema.take(),
            corrections: std::mem::take(&mut self.corrections),
        };
        if left.current_query.is_some() {
            self.lines.push(left);
            self.lines.drain(..self.lines.len().saturating_sub(MOST));
        }
        self.pending = None;
        self.readings = None;
        self.written = None;
        self.correction_attempts = 0;
        self.scratch = super::Scratch::default();
        if let Some(line) = taken_up {
            self.schema_fingerprint = line.schema_fingerprint;
            self.original_question = line.original_question;
            self.current_query = line.current_query;
            self.current_plan = line.current_plan;
            self.current_result = line.current_result;
            self.current_confidence = line.current_confidence;
            self.schema = line.schema;
            self.corrections = line.corrections;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ambiguity::{Ambiguity, AmbiguityKind, Choice};
    use crate::conversation::{Asked, Change, Readings};

    fn to(database: &str) -> Change {
        Change::DatabaseChanged { database: database.to_owned() }
    }

    #[test]
    fn each_database_has_its_own_line() {
        let mut state = ConversationState::new("s", "shop");
        state.current_query = Some("SELECT 1".to_owned());
        state.original_question = Some("one".to_owned());
        state.apply(&to("zoo"));
        assert_eq!((state.current_query.as_deref(), state.database.as_str()), (None, "zoo"));
        assert_eq!(state.query_about("shop"), Some("SELECT 1"));
        state.current_query = Some("SELECT 2".to_owned());
        state.apply(&to("shop"));
        assert_eq!(state.current_query.as_deref(), Some("SELECT 1"));
        assert_eq!(state.original_question.as_deref(), Some("one"));
        assert_eq!(state.query_about("zoo"), Some("SELECT 2"));
        assert_eq!(state.lines.len(), 1);
    }

    #[test]
    fn readings_stay_with_their_database() {
        let mut state = ConversationState::new("s", "shop");
        let choice = |label: &str| Choice {
            label: label.to_owned(),
            meaning: label.to_owned(),
            correction: Correction::TableSelection {
                selected_table: label.to_owned(),
                rejected_tables: Vec::new(),
            },
            sql: None,
            preview: None,
        };
        let choices =
            Ambiguity::new(AmbiguityKind::Reading, "Which?", vec![choice("a"), choice("b")]).unwrap();
        state.readings = Some(Readings { asked: Asked::default(), choices });
        state.apply(&to("shop"));
        assert!(state.readings.is_some());
        state.apply(&to("zoo"));
        assert_eq!(state.readings, None);
    }

    #[test]
    fn lines_are_few() {
        let mut state = ConversationState::new("s", "0");
        for number in 1..30 {
            state.current_query = Some("SELECT 1".to_owned());
            state.apply(&to(&number.to_string()));
        }
        assert_eq!(state.lines.len(), MOST);
        assert_eq!(state.lines[0].database, "21");
    }
}
