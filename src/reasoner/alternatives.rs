//! Readings of a question that are about equally likely.
//!
//! Choosing costs a person more than reading an answer does, so readings are put to choose from only where one of two or three
//! is probably right, none is plainly likelier, and they differ in one thing that can be said in a few words: what is counted,
//! which column, which rows, what one row stands for, how tables are joined. Whether their results differ is for somebody
//! to find out who can run them, and whether the likeliest is answered first for somebody who knows what that costs.

mod difference;

use super::rules::cue::Cue;
use super::rules::lexicon::Lexicon;
use super::rules::stem::stem;
use super::rules::{Candidate, RankedReadings};
use crate::ambiguity::{AmbiguityKind, Choice, Correction, Meaning};
use crate::plan::{self, ColumnRef, PlannerOutput, QueryPlan};
use difference::{About, Said, Taken, difference};

/// The best reading is at least so likely where the person is asked before anything is answered: of what is less likely, none
/// of the readings may be right, and a choice would not repair that.
const LIKELY: f32 = 0.45;

/// The same where the best is answered and the others stand beside it: there they are of most use where it is not sure.
const OFFERED: f32 = 0.15;

/// A reading less likely than this part of the best one is no alternative.
const CLOSE: f32 = 0.25;

/// The same where no word decides between them.
const CLOSE_TIE: f32 = 0.05;

/// At most so many readings are offered.
const MOST: usize = 3;

/// A question with readings to choose from, the likeliest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternatives {
    /// What is unclear.
    pub kind: AmbiguityKind,
    /// The question to put.
    pub question: String,
    /// True where no word decides between them, so that nothing is answered before the person has chosen.
    pub is_tie: bool,
    /// The choices, each with the query that it means.
    pub readings: Vec<(Choice, QueryPlan)>,
}

/// So many changes are said one by one.
const FEW: usize = 4;

/// How else a follow-up may be meant: what each way to take it makes of the last query. `None` where there is no other way
/// that could be told apart in words.
pub(super) fn of_follow_up(
    previous: &QueryPlan,
    best: &QueryPlan,
    others: &[QueryPlan],
) -> Option<Alternatives> {
    let mut readings: Vec<(Choice, QueryPlan)> = Vec::new();
    for plan in std::iter::once(best).chain(others) {
        let changes = plan::compare(previous, plan);
        // What changes nearly everything is easier to take in as what is asked for then.
        let meaning = match changes.len() {
            0..=FEW => plan::summary(&changes).trim_end_matches('.').to_owned(),
            _ => format!("A new question: {plan:#}"),
        };
        let label = meaning.to_lowercase();
        if meaning.is_empty()
            || readings.len() == MOST
            || readings.iter().any(|(known, _)| known.label == label)
        {
            continue;
        }
        let correction = Correction::Reading { query_plan: Box::new(plan.clone()), means: None };
        readings.push((Choice { label, meaning, correction, sql: None, preview: None }, plan.clone()));
    }
    let stands_first = readings.first().is_some_and(|(_, first)| first == best);
    (stands_first && readings.len() > 1).then(|| Alternatives {
        kind: AmbiguityKind::Reading,
        question: "What do you want to change?".to_owned(),
        is_tie: false,
        readings,
    })
}

/// True for a plan that returns a summary of rows.
fn summarises(plan: &QueryPlan) -> bool {
    plan.select.projection.iter().any(|shown| shown.expr.is_aggregate())
}

/// What may be asked, if the best reading, which is `best`, has alternatives: one question for each thing in which they differ
/// from it, that with the likeliest alternative first.
pub(super) fn alternatives(understanding: &RankedReadings, best: &PlannerOutput) -> Vec<Alternatives> {
    let Some(first) = understanding.candidates.first() else { return Vec::new() };
    // What no word decides is unclear however likely the reading is otherwise.
    if understanding.is_convincing() && !first.account.is_tie()
        || first.probability < if first.account.is_tie() { LIKELY } else { OFFERED }
        || best.query_plan.as_ref() != Some(&first.plan)
    {
        return Vec::new();
    }
    let mut questions: Vec<(About, Alternatives)> = Vec::new();
    let is_tie = first.account.is_tie();
    let least = first.probability * if is_tie { CLOSE_TIE } else { CLOSE };
    let close = |candidate: &&Candidate| candidate.probability >= least;
    for candidate in understanding.candidates.iter().skip(1).take_while(close) {
        // A reading that something speaks against is no alternative to one that nothing speaks against.
        if first.account.is_clear() && !candidate.account.is_clear() {
            continue;
        }
        // Whether rows are summarised is said by the question's words, and never by the choice of a column.
        if summarises(&first.plan) != summarises(&candidate.plan) {
            continue;
        }
        let Some(found) = difference(&first.plan, &candidate.plan) else { continue };
        if is_its_own(&found.first.taken, first) && !is_its_own(&found.other.taken, candidate) {
            continue;
        }
        let (own, other) = (choice(found.first, first), choice(found.other, candidate));
        // The best reading is called the same in all choices of a question.
        let known = questions.iter_mut().find(|(about, alternatives)| {
            *about == found.about && alternatives.readings.iter().any(|(choice, _)| choice.label == own.label)
        });
        match known {
            Some((_, alternatives)) => {
                let new = alternatives.readings.iter().all(|(choice, _)| choice.label != other.label);
                if new && alternatives.readings.len() < MOST {
                    alternatives.readings.push((other, candidate.plan.clone()));
                }
            }
            None => {
                let kind = match found.about {
                    About::Join => AmbiguityKind::JoinInference,
                    _ => AmbiguityKind::Reading,
                };
                let readings = vec![(own, first.plan.clone()), (other, candidate.plan.clone())];
                let question = found.about.question().to_owned();
                questions.push((found.about, Alternatives { kind, question, is_tie, readings }));
            }
        }
    }
    questions.into_iter().map(|(_, alternatives)| alternatives).collect()
}

/// True for a column that bears the name of its table: the `order_date` of `orders` is *the* date of an order, and nobody
/// need be asked whether another one was meant.
fn is_its_own(taken: &Taken, candidate: &Candidate) -> bool {
    let (Taken::Column(column) | Taken::Value(column, _)) = taken else { return false };
    let Some(table) = candidate.plan.table_in_use(&column.table) else { return false };
    let table = stem(&table.to_lowercase());
    column.column.to_lowercase().split('_').any(|word| stem(word) == table)
}

fn choice(said: Said, candidate: &Candidate) -> Choice {
    let correction = match said.taken {
        Taken::Join(join) => Correction::JoinClarification { left: join.left, right: join.right },
        taken => Correction::Reading {
            query_plan: Box::new(candidate.plan.clone()),
            means: meaning(&taken, candidate),
        },
    };
    Choice { label: said.label, meaning: said.meaning, correction, sql: None, preview: None }
}

/// The words that a reading takes for a column or a value.
fn meaning(taken: &Taken, candidate: &Candidate) -> Option<Meaning> {
    let (column, value) = match taken {
        Taken::Column(column) => (column, None),
        Taken::Value(column, value) => (column, Some(value)),
        Taken::Join(_) | Taken::Whole => return None,
    };
    let table = candidate.plan.table_in_use(&column.table)?;
    let said = candidate.evidence.meanings.iter().find(|word| {
        word.meaning.table.eq_ignore_ascii_case(table)
            && word.meaning.column.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(&column.column))
            && word.meaning.value.is_some() == value.is_some()
    })?;
    if says_more(&said.words) {
        return None;
    }
    let column = ColumnRef::new(table, column.column.clone());
    Some(Meaning { term: said.words.clone(), column, value: value.cloned() })
}

/// True for *heaviest* and *longer*, which also say in what order or on which side. As a name of a column they would lose that.
fn says_more(words: &str) -> bool {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let cues = Lexicon::embedded().cues_at(|at| words.get(at).map_or("", String::as_str));
    cues.iter().any(|(_, cue)| matches!(cue, Cue::Superlative(..) | Cue::Comparative(..)))
}
