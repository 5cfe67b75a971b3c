//! Judgement: every decision that needs an understanding of language.
//!
//! The graph asks a [`Reasoner`] and cannot tell which one answers. [`RuleReasoner`] is embedded, deterministic
//! and needs nothing.

mod alternatives;
mod constraints;
mod dispute;
pub mod hybrid;
mod knowledge;
mod misnamed;
pub mod model;
mod repair;
mod rule_reasoner;
mod seconded;
mod settle;
mod statement;
mod understanding;
mod wanted;
mod whole;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;
use thiserror::Error;

use crate::conversation::{
    ConversationState, Failure, Judge, ProposedQuery, Route, RouterMode, SentCells, TurnError, Usage,
};
use crate::graph::Context;
use crate::intent::Intent;
use crate::lesson::Lesson;
use crate::plan::{Confidence, PlanEdit, PlannerOutput, QueryPlan};
use crate::sql::Dialect;

pub use alternatives::Alternatives;
pub use hybrid::HybridReasoner;
pub use knowledge::Knowledge;
pub use model::{ModelReasoner, RuleHints};
pub use repair::{no_such_values, renamed, respelt};
pub use rule_reasoner::RuleReasoner;
pub use seconded::SecondedReasoner;
pub use sqlogue_language::{Trial, rules};
pub use statement::{fits, stored};
pub use understanding::{Phases, Reading, Understanding};
pub use wanted::{Granted, grant, not_granted};
pub use whole::Whole;

/// A judgement on its way.
pub type Judgement<'a, T> = Pin<Box<dyn Future<Output = Result<Judged<T>, ReasonerError>> + Send + 'a>>;

/// A judgement and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged<T> {
    /// What was judged.
    pub value: T,
    /// What models cost on the way.
    pub usage: Usage,
    /// Which cells of the database they were shown.
    pub cells: Vec<SentCells>,
    /// Who judges the turn from here on, where that was decided on the way.
    pub judge: Option<Judge>,
    /// The query that was written for the question as a whole, where that was done on the way.
    pub proposal: Option<Box<ProposedQuery>>,
}

impl<T> Judged<T> {
    /// A judgement that cost nothing.
    pub fn free(value: T) -> Self {
        Self { value, usage: Usage::default(), cells: Vec::new(), judge: None, proposal: None }
    }

    /// The same with another value.
    fn map<U>(self, other: impl FnOnce(T) -> U) -> Judged<U> {
        let Self { value, usage, cells, judge, proposal } = self;
        Judged { value: other(value), usage, cells, judge, proposal }
    }
}

/// What every judgement may look at.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The question under way: this turn's input, or the one that a correction goes back to.
    pub question: &'a str,
    /// The conversation.
    pub state: &'a ConversationState,
    /// The lessons that bear on it: those of the state, or with those that the node that asks is about to publish.
    pub lessons: &'a [Arc<Lesson>],
    /// The database's schema and values.
    pub knowledge: &'a Knowledge,
    /// The dialect of the database.
    pub dialect: Dialect,
    /// The time that `today` and `last month` refer to.
    pub now: Timestamp,
    /// The node that asks, to be told how far a slow judgement is.
    pub progress: Option<&'a Context>,
}

/// How far an answer can be relied on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assurance {
    /// How sure it is what was meant.
    pub confidence: Confidence,
    /// The words that it does not account for.
    pub left_out: Vec<String>,
    /// What else speaks against it, one reason each.
    pub doubts: Vec<String>,
    /// How else it may be meant, where other ways come near.
    pub alternatives: Option<Alternatives>,
    /// True where the input means the same by itself: then it is no less sure because the answer before it was not sure.
    pub stands_alone: bool,
}

impl Assurance {
    /// What speaks against the answer, one reason a line.
    pub fn reasons(&self) -> Vec<String> {
        let words: Vec<String> = self.left_out.iter().map(|words| format!("`{words}`")).collect();
        let left_out = (!words.is_empty()).then(|| format!("left out: {}", words.join(", ")));
        left_out.into_iter().chain(self.doubts.iter().cloned()).collect()
    }
}

/// Where a follow-up goes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RouterOutput {
    /// The previous SQL with a small change.
    Inline {
        /// The new SQL.
        query: String,
        /// The same as a typed query, where that is known.
        plan: Option<Box<QueryPlan>>,
        /// What was changed and why, one reason a line.
        explanation: Vec<String>,
        /// How far it can be relied on.
        assurance: Assurance,
    },
    /// The planner, with instructions.
    Plan {
        /// How the planner is to work.
        mode: RouterMode,
        /// What it is to do.
        instructions: String,
        /// The same as typed edits of the current plan.
        edits: Vec<PlanEdit>,
        /// What is asked in full, where the input leaves out what only the conversation tells.
        question: Option<String>,
        /// How far a plan so changed can be relied on, where that is known before it is made.
        assurance: Option<Assurance>,
    },
    /// A fresh plan: the input has nothing to do with what came before.
    New,
    /// Nowhere: what was said was not understood.
    Failed(TurnError),
}

impl RouterOutput {
    /// The route it stands for, if it leads anywhere.
    pub fn route(&self) -> Option<Route> {
        match self {
            Self::Inline { .. } => Some(Route::Inline),
            Self::Plan { mode: RouterMode::Update, .. } => Some(Route::Update),
            Self::Plan { mode: RouterMode::Rewrite, .. } => Some(Route::Rewrite),
            Self::New => Some(Route::New),
            Self::Failed(_) => None,
        }
    }

    /// How else the follow-up may be meant, for somebody who puts that beside the answer.
    pub fn take_alternatives(&mut self) -> Option<Alternatives> {
        match self {
            Self::Inline { assurance, .. } | Self::Plan { assurance: Some(assurance), .. } => {
                assurance.alternatives.take()
            }
            Self::Plan { assurance: None, .. } | Self::New | Self::Failed(_) => None,
        }
    }
}

/// SQL that somebody wrote, with the typed query behind it where that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenQuery {
    /// The SQL.
    pub sql: String,
    /// The same as a typed query.
    pub plan: Option<QueryPlan>,
    /// What was done, a sentence.
    pub note: String,
}

/// What an input wants, by somebody who read it in context.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedIntent {
    /// What it wants.
    pub intent: Intent,
    /// How sure that is.
    pub confidence: Confidence,
    /// Why, a sentence.
    pub reasoning: String,
}

/// Everything that needs an understanding of language.
///
/// Each method is one judgement of one node; none of them touches a database or changes a state. A judgement that
/// cannot be made is an `Err` that says what the turn fails with.
pub trait Reasoner: Send + Sync {
    /// Its name, as settings and messages write it.
    fn name(&self) -> &'static str;

    /// What an input wants, where the classifier is not sure; `None` from those who know no better than it.
    fn intent<'a>(&'a self, _ask: Ask<'a>) -> Judgement<'a, Option<JudgedIntent>> {
        Box::pin(std::future::ready(Ok(Judged::free(None))))
    }

    /// Where a follow-up goes (the `router` node).
    fn route<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, RouterOutput>;

    /// What the question means. It is judged once a turn, however often it is asked for, and it is the source of all that the
    /// planner's nodes publish.
    fn understand<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Understanding<'a>>;

    /// Further queries for the question, each written anew by whoever wrote the first: to see whether it comes to the same each
    /// time. None from those who would write the same again, or were not told to.
    fn samples<'a>(&'a self, _ask: Ask<'a>) -> Judgement<'a, Vec<WrittenQuery>> {
        Box::pin(std::future::ready(Ok(Judged::free(Vec::new()))))
    }

    /// The previous plan, changed as the router's instructions say; or why no plan comes of them.
    fn update_plan<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Result<Reading, TurnError>>;

    /// SQL for a plan.
    fn generate_sql<'a>(&'a self, ask: Ask<'a>, plan: &'a PlannerOutput) -> Judgement<'a, WrittenQuery>;

    /// SQL in place of one that failed; `None` where there is nothing to repair.
    fn repair<'a>(&'a self, ask: Ask<'a>, failure: &'a Failure) -> Judgement<'a, Option<WrittenQuery>>;

    /// SQL in place of one that returned nothing; `None` where nothing is the right answer.
    fn refine<'a>(
        &'a self,
        ask: Ask<'a>,
        sql: &'a str,
        plan: Option<&'a QueryPlan>,
    ) -> Judgement<'a, Option<WrittenQuery>>;

    /// SQL in place of one whose result is suspicious, for the reason that `doubt` tells; `None` where the query stands, which
    /// is what all say who wrote none.
    fn reconsider<'a>(
        &'a self,
        _ask: Ask<'a>,
        _sql: &'a str,
        _doubt: &'a str,
    ) -> Judgement<'a, Option<WrittenQuery>> {
        Box::pin(std::future::ready(Ok(Judged::free(None))))
    }
}

/// Why a reasoner has no judgement: it does not understand, a server cannot be reached, an answer makes no sense.
#[derive(Debug, Error)]
#[error("{}", .error.message)]
pub struct ReasonerError {
    /// What the turn fails with.
    pub error: TurnError,
    /// What models cost until then.
    pub usage: Usage,
    /// Which cells of the database they were shown until then.
    pub cells: Vec<SentCells>,
}

impl From<TurnError> for ReasonerError {
    /// An error before any model was asked.
    fn from(error: TurnError) -> Self {
        Self { error, usage: Usage::default(), cells: Vec::new() }
    }
}
