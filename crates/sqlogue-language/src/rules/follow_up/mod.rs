//! Follow-ups: from what is said after an answer to edits of the plan behind it.
//!
//! The default is to edit. Clear constructions (`sort by price`, `what about Rome?`, `how many are there?`) have a
//! file each and are tried in turn; each reads the linked words and either makes edits or steps aside. What none
//! of them takes is said in full (`which of them …` becomes `which customers …`), composed like a question, and
//! *merged* with the previous plan: what the words ask for is taken from them, what they leave unsaid from before.

mod bound;
mod columns;
mod count;
mod group;
mod judge;
mod lifted;
mod merge;
mod opposite;
mod order;
mod previous;
mod reading;
mod resolve;
mod spelling;
mod value;
mod wanted;
mod window;

use super::{Account, Doubt, Knowledge, Options, compose, understand};
use previous::Previous;
use reading::Reading;
use sqlogue_sql::plan::{Confidence, EditWeight, PlanEdit, QueryPlan, weight};
pub use wanted::{in_time, sorted};

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

/// What speaks against a plan that edits the previous one.
fn changed(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> Account {
    let mut account =
        Account::of_change(&reading.question, &reading.chunks, previous.plan, plan, previous.knowledge);
    account.doubts.extend(judge::of_edits(reading, previous, plan));
    account
}

/// Below this a composed question is not worth its edits.
const TRUSTED: f32 = 0.1;

/// Reads a follow-up to a question and the plan that answered it.
pub fn propose(
    input: &str,
    previous: &QueryPlan,
    previous_question: &str,
    knowledge: &Knowledge,
    options: &Options,
) -> FollowUp {
    let compose = |question: &str| {
        let candidates = understand(question, knowledge, options).candidates;
        // What is merged with the plan before must be of its form, which the composer's plans are.
        let composed = candidates.iter().find(|one| question != input && one.grammar.is_none());
        let best = composed.or(candidates.first())?.clone();
        Some(Composed {
            plan: best.plan,
            probability: best.probability,
            confidence: best.confidence,
            ignored: best.evidence.ignored.iter().map(|words| words.to_lowercase()).collect(),
        })
    };
    let Some(context) = Previous::new(previous, previous_question, knowledge) else {
        let evidence = vec!["the previous query uses no known table".to_owned()];
        return match compose(input) {
            Some(composed) => FollowUp::NewQuestion {
                question: input.to_owned(),
                confidence: composed.confidence.min(Confidence::Medium),
                plan: Box::new(composed.plan),
                evidence,
                doubts: Vec::new(),
            },
            None => FollowUp::NotUnderstood { evidence },
        };
    };
    let (input, of_set) = resolve::without_set(input);
    let mut reading = Reading::new(input, knowledge, options.today);
    let repaired = spelling::repaired(input, &reading, &context);
    let input = repaired.as_deref().unwrap_or(input);
    if repaired.is_some() {
        reading = Reading::new(input, knowledge, options.today);
    }
    reading.of_set = of_set;
    let reading = reading;
    let context = context.today(options.today);
    use Confidence::{High, Medium};
    // How sure each is was measured on conversations with known queries: what is `High` was right nine times of ten.
    const CONSTRUCTIONS: &[(Confidence, Construction)] = &[
        (High, order::most_of_groups),
        (High, order::other_end),
        (High, count::other_summary),
        (Medium, order::limit),
        (Medium, order::direction),
        (High, order::sort),
        (Medium, group::of_each_shown),
        (Medium, group::measured),
        (High, count::count),
        (High, count::summary),
        (Medium, opposite::opposite),
        (Medium, group::group),
        (High, columns::distinct),
        (Medium, lifted::lifted),
        (Medium, window::window),
        (Medium, value::changed),
        (Medium, bound::than_that),
        (Medium, bound::used_up),
        (Medium, bound::bound),
        (Medium, columns::when),
        (Medium, columns::earliest),
        (Medium, columns::removed),
        (Medium, columns::added),
        (Medium, columns::replaced),
    ];
    for (confidence, construction) in CONSTRUCTIONS {
        let Some(proposal) = construction(&reading, &context) else { continue };
        if !heeds_bounds(&reading, &proposal.edits) {
            continue;
        }
        // An edit that does not fit was the wrong reading; another construction may have the right one.
        if let Ok(plan) = previous.apply_all(&proposal.edits)
            && context.stays_sound(&plan)
        {
            let account = changed(&reading, &context, &plan);
            return FollowUp::Edits {
                edits: proposal.edits,
                plan: Box::new(plan),
                evidence: vec![proposal.evidence],
                is_clear: true,
                confidence: account.bound(*confidence),
                account,
            };
        }
    }
    if let Some(question) = value::other_entity(&reading, &context)
        && let Some(composed) = compose(&question).filter(|composed| composed.probability >= TRUSTED)
    {
        return FollowUp::NewQuestion {
            evidence: vec![format!("the same question about something else: {question}")],
            confidence: composed.confidence.min(Confidence::Medium),
            plan: Box::new(composed.plan),
            question,
            doubts: Vec::new(),
        };
    }
    let resolved = resolve::in_full(input, &context, &reading);
    let Some(composed) = compose(&resolved.question) else {
        return FollowUp::NotUnderstood { evidence: vec![format!("read as: {}", resolved.question)] };
    };
    merge::merge(&reading, &context, &resolved, composed)
}

/// False where a comparison with a number or a date was said, and no edit has one.
fn heeds_bounds(reading: &Reading, edits: &[PlanEdit]) -> bool {
    let bounds = |edit: &PlanEdit| {
        matches!(
            edit,
            PlanEdit::AddFilter { .. }
                | PlanEdit::ReplaceFilter { .. }
                | PlanEdit::FilterShown { .. }
                | PlanEdit::SetLimit { .. }
        )
    };
    compose::bounds(&reading.chunks).next().is_none() || edits.iter().any(bounds)
}

impl FollowUp {
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
