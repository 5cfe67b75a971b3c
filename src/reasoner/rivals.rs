//! Readings of a question that are about equally likely.
//!
//! Asking costs a person more than reading an answer does, so a question is put only where one of two or three readings is
//! probably right, none is plainly likelier, and they differ in one thing that can be said in a few words: what is counted,
//! which column, which rows, what one row stands for, how tables are joined. Whether their results differ is for somebody
//! to find out who can run them.

mod difference;

use super::rules::Understanding;
use crate::ambiguity::{AmbiguityKind, Choice, Correction};
use crate::plan::{Confidence, PlannerOutput, QueryPlan};
use difference::{About, difference};

/// The best reading is at least so likely; of what is less likely, none of the readings may be right, and asking would not
/// mend that.
const LIKELY: f32 = 0.45;

/// A reading less likely than this part of the best one is no rival.
const CLOSE: f32 = 0.4;

/// At most so many readings are offered.
const MOST: usize = 3;

/// Readings to choose from, the likeliest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Rivals {
    /// What is unclear.
    pub kind: AmbiguityKind,
    /// The question to put.
    pub question: String,
    /// The choices, each with the query that it means.
    pub readings: Vec<(Choice, QueryPlan)>,
}

/// What to ask, if the best reading, which is `best`, has rivals.
pub(super) fn rivals(understanding: &Understanding, best: &PlannerOutput) -> Option<Rivals> {
    let first = understanding.candidates.first()?;
    let convincing = first.confidence == Confidence::High;
    if convincing || first.probability < LIKELY || best.query_plan.as_ref() != Some(&first.plan) {
        return None;
    }
    let mut about: Option<About> = None;
    let mut readings: Vec<(Choice, QueryPlan)> = Vec::new();
    for candidate in understanding.candidates.iter().skip(1) {
        if candidate.probability < first.probability * CLOSE || readings.len() >= MOST {
            break;
        }
        let Some(found) = difference(&first.plan, &candidate.plan) else { continue };
        if readings.is_empty() {
            readings.push((choice(found.first, &first.plan), first.plan.clone()));
        }
        // All choices are about one thing, or the question would be several.
        let known = about.get_or_insert(found.about);
        let new = readings.iter().all(|(choice, _)| choice.label != found.other.label);
        if *known == found.about && new {
            readings.push((choice(found.other, &candidate.plan), candidate.plan.clone()));
        }
    }
    let (about, true) = (about?, readings.len() > 1) else { return None };
    let kind = match about {
        About::Join => AmbiguityKind::JoinInference,
        _ => AmbiguityKind::Reading,
    };
    Some(Rivals { kind, question: about.question().to_owned(), readings })
}

fn choice(said: difference::Said, plan: &QueryPlan) -> Choice {
    let reading = || Correction::Reading { query_plan: Box::new(plan.clone()) };
    Choice {
        correction: said.join.map_or_else(reading, |join| Correction::JoinClarification {
            left: join.left,
            right: join.right,
        }),
        label: said.label,
        meaning: said.meaning,
        preview: None,
    }
}
