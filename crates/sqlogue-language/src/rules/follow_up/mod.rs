//! Follow-ups: from what is said after an answer to edits of the plan behind it.
//!
//! What is said is a fragment of a question, put together with the question before it (`grammar/follow`); or one of some
//! clear constructions (`sort by price`, `how many are there?`), which have a file each and edit the plan, wherever it came
//! from; or it is said in full (`which of them …` becomes `which customers …`), composed like a question, and *merged* with
//! the previous plan; or it is a question of its own. All of these are candidates of one ranking.

mod asked_for;
mod bound;
mod changes;
mod choose;
mod columns;
mod constructions;
mod count;
mod counted;
mod counted_rows;
mod extreme;
mod flipped;
mod group;
mod heard;
mod holds;
mod impossible;
mod judge;
mod lifted;
mod merge;
mod of_shown;
mod opposite;
mod order;
mod ordered_groups;
mod previous;
mod reading;
mod resolve;
mod sense;
mod set_rows;
mod sets;
mod shared;
mod single;
mod sort;
mod spelling;
mod that_time;
mod totals;
mod value;
mod wanted;
mod ways;
mod who;
mod whole;
mod window;

pub use super::grammar::Answered;
use crate::intent::Intent;

use super::{Account, Doubt, Knowledge, Options};
use previous::Previous;
use reading::Reading;
use sqlogue_sql::plan::{Confidence, EditWeight, PlanEdit, QueryPlan, weight};
pub use wanted::{in_time, sorted};
pub use ways::{Way, ways};

/// What a follow-up does to the previous plan.
#[derive(Debug, Clone, PartialEq)]
pub enum FollowUp {
    /// It changes it.
    Edits {
        /// The changes, in order.
        edits: Vec<PlanEdit>,
        /// The plan with the changes applied.
        plan: Box<QueryPlan>,
        /// Why: one line for each thing that was recognised.
        evidence: Vec<String>,
        /// True where a construction was recognised, so that its words need not name anything.
        is_clear: bool,
        /// How sure that is.
        confidence: Confidence,
        /// What the changed plan leaves out of what was said.
        account: Account,
    },
    /// It asks a new thing, with the previous plan as context at most.
    NewQuestion {
        /// The question in full, with references replaced by what they stand for.
        question: String,
        /// The plan that the full question was composed to.
        plan: Box<QueryPlan>,
        /// Why.
        evidence: Vec<String>,
        /// How sure that is.
        confidence: Confidence,
        /// What speaks against it besides what its words leave out.
        doubts: Vec<Doubt>,
    },
    /// It is not understood.
    NotUnderstood {
        /// What was and what was not recognised.
        evidence: Vec<String>,
    },
}

/// A follow-up as it is most likely meant, and how else it may be meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Understood {
    /// What it most likely does.
    pub follow_up: FollowUp,
    /// The plans that come of the other ways to take it which are nearly as likely, the likeliest first.
    pub others: Vec<QueryPlan>,
    /// True where the input means the same by itself, so that nothing hangs on the answer before it.
    pub stands_alone: bool,
}

/// The edits of one construction, and what it recognised.
#[derive(Debug, Clone, PartialEq)]
struct Proposal {
    edits: Vec<PlanEdit>,
    evidence: String,
}

impl Proposal {
    fn new(evidence: impl Into<String>, edits: Vec<PlanEdit>) -> Self {
        Self { edits, evidence: evidence.into() }
    }
}

/// A composed question: a plan and how far it can be trusted, 0 to 1.
#[derive(Debug, Clone, PartialEq)]
struct Composed {
    plan: QueryPlan,
    probability: f32,
    confidence: Confidence,
    /// The words that it does not account for, in lower case.
    ignored: Vec<String>,
}

/// One way to read a follow-up; none where its words are not of that kind.
type Construction = fn(&Reading, &Previous<'_>) -> Option<Proposal>;

/// Reads a follow-up to the questions that were answered before, of which `previous` is the last one's plan.
///
/// All that can be made of it (edits, a fragment put together with the question before, a question of its own) is put in one
/// order, as readings of a first question are.
pub fn propose(
    input: &str,
    previous: &QueryPlan,
    earlier: &[Answered<'_>],
    intent: Option<(Intent, Confidence)>,
    knowledge: &Knowledge,
    options: &Options,
) -> Understood {
    choose::choose(input, ways(input, previous, earlier, intent, knowledge, options))
}

impl FollowUp {
    /// The plan that comes of it.
    pub fn plan(&self) -> Option<&QueryPlan> {
        match self {
            Self::Edits { plan, .. } | Self::NewQuestion { plan, .. } => Some(plan),
            Self::NotUnderstood { .. } => None,
        }
    }

    /// Why it is taken so.
    pub(super) fn evidence(self) -> Vec<String> {
        match self {
            Self::Edits { evidence, .. }
            | Self::NewQuestion { evidence, .. }
            | Self::NotUnderstood { evidence } => evidence,
        }
    }

    /// True where a construction was recognised, so that its words need not name anything.
    pub fn is_clear(&self) -> bool {
        matches!(self, Self::Edits { is_clear: true, .. })
    }

    /// Which way the turn takes, where the follow-up was understood.
    pub fn weight(&self) -> Option<EditWeight> {
        match self {
            Self::Edits { edits, .. } => weight(edits),
            Self::NewQuestion { .. } => Some(EditWeight::Rewrite),
            Self::NotUnderstood { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_ways;
