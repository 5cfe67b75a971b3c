//! What the nodes work with. A node holds only what it may touch: who holds [`Known`] can read what is known of the
//! database and run nothing on it, who holds [`Judges`] can ask what words mean, and so on.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::execute_query::ExecuteQuery;
use super::memory::Memory;
use super::readings::Trying;
use super::{Catalog, FullRows, ResultLimits, asked};
use crate::config::IntentStrategy;
use crate::conversation::ConversationState;
use crate::database::{Database, Limits};
use crate::graph::{Context, NodeError};
use crate::lesson::LessonMemory;
use crate::reasoner::{Ask, Judged, Knowledge, Reasoner, ReasonerError, RuleReasoner, Understanding, stored};
use crate::sql::Dialect;

/// All that a conversation graph is built from; each node is handed its part.
#[derive(Clone)]
pub struct Services {
    /// The database that is asked.
    pub database: Arc<dyn Database>,
    /// Who judges.
    pub reasoner: Arc<dyn Reasoner>,
    /// Who follows a query that is stored for a question: that needs no judgement.
    pub rules: Arc<RuleReasoner>,
    /// The database's schema and values, read once.
    pub catalog: Arc<Catalog>,
    /// What was learnt, where there is a memory.
    pub lessons: Option<Arc<dyn LessonMemory>>,
    /// The limits of every query.
    pub limits: Limits,
    /// How much of a result a conversation keeps.
    pub result_limits: ResultLimits,
    /// Who tells follow-ups from new questions.
    pub intent_strategy: IntentStrategy,
    /// How many turns a conversation keeps.
    pub max_turns: usize,
    /// How many corrections one question may take.
    pub max_correction_attempts: u32,
    /// Below this confidence (0 to 1) a join with several candidates is asked about.
    pub confidence_threshold: f64,
    /// The day that is taken for today; the clock's if none is set.
    pub today: Option<Date>,
    /// The full rows of turns under way, for whoever asked.
    pub full_rows: Arc<FullRows>,
}

impl Services {
    /// What is known of the database.
    pub fn known(&self) -> Known {
        let Self { database, catalog, lessons, .. } = self;
        Known { database: Arc::clone(database), catalog: Arc::clone(catalog), lessons: lessons.clone() }
    }

    /// Who judges what words mean.
    pub fn judges(&self) -> Judges {
        Judges {
            known: self.known(),
            reasoner: Arc::clone(&self.reasoner),
            rules: Arc::clone(&self.rules),
            today: self.today,
        }
    }

    /// What was learnt.
    pub fn memory(&self) -> Memory {
        Memory {
            name: self.database.name().to_owned(),
            dialect: self.database.dialect(),
            lessons: self.lessons.clone(),
        }
    }

    /// The node that runs the query of the answer.
    pub fn execute_query(&self) -> ExecuteQuery {
        ExecuteQuery {
            database: Arc::clone(&self.database),
            known: self.known(),
            limits: self.limits,
            result_limits: self.result_limits,
            full_rows: Arc::clone(&self.full_rows),
        }
    }

    /// Who runs readings before one is answered.
    pub fn trying(&self) -> Trying {
        Trying {
            database: Arc::clone(&self.database),
            limits: self.limits,
            full_rows: Arc::clone(&self.full_rows),
        }
    }
}

/// What is known of a database.
#[derive(Clone)]
pub struct Known {
    database: Arc<dyn Database>,
    catalog: Arc<Catalog>,
    lessons: Option<Arc<dyn LessonMemory>>,
}

impl Known {
    /// The schema and values of the database.
    pub(super) async fn knowledge(&self) -> Result<Arc<Knowledge>, NodeError> {
        Ok(self.catalog.knowledge(self.database.as_ref(), self.lessons.as_deref()).await?)
    }

    /// The dialect of the database.
    pub(super) fn dialect(&self) -> Dialect {
        self.database.dialect()
    }
}

/// Who judges what words mean, and what they go by.
#[derive(Clone)]
pub struct Judges {
    known: Known,
    reasoner: Arc<dyn Reasoner>,
    rules: Arc<RuleReasoner>,
    today: Option<Date>,
}

impl Judges {
    /// The schema and values of the database.
    pub(super) async fn knowledge(&self) -> Result<Arc<Knowledge>, NodeError> {
        self.known.knowledge().await
    }

    /// The dialect of the database.
    pub(super) fn dialect(&self) -> Dialect {
        self.known.dialect()
    }

    /// What a judgement may look at.
    pub(super) fn ask<'a>(
        &self,
        state: &'a ConversationState,
        knowledge: &'a Knowledge,
        context: &'a Context,
    ) -> Ask<'a> {
        Ask {
            question: asked(state),
            state,
            lessons: &state.scratch.lessons,
            knowledge,
            dialect: self.known.dialect(),
            now: self.now(context),
            progress: Some(context),
        }
    }

    /// Who judges what is asked: nobody but the rules where a query is stored for it.
    pub(super) fn reasoner(&self, ask: Ask<'_>) -> &dyn Reasoner {
        if stored(ask).is_some() { self.rules.as_ref() } else { self.reasoner.as_ref() }
    }

    /// What the question means.
    pub(super) async fn understand<'a>(
        &'a self,
        ask: Ask<'a>,
    ) -> Result<Judged<Understanding<'a>>, ReasonerError> {
        self.reasoner(ask).understand(ask).await
    }

    /// The time that questions are asked at: noon, where somebody said on which day.
    fn now(&self, context: &Context) -> Timestamp {
        let noon = self.today.map(|day| day.at(12, 0, 0, 0).to_zoned(TimeZone::system()));
        noon.and_then(Result::ok).map_or_else(|| context.now(), |noon| noon.timestamp())
    }
}
