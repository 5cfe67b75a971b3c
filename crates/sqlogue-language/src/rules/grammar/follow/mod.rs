//! Follow-ups as fragments: what is said after an answer is read like a question, and put together with the query that the
//! answer came from.
//!
//! ```text
//! earlier questions ──read again──> the query behind the last answer ─┐
//! follow-up ──chart, merge──> a fragment ─────────────────────────────┴──unify──> queries ──bind──> bound ──lower──> plans
//! ```
//!
//! The query behind an answer is not stored: the earlier questions are read once more, and of their readings that one is
//! taken which makes the very plan that was run; where there is none (typed SQL, a model's answer, an edited plan), the query
//! is lifted from the plan. So a state holds nothing that only this grammar can read.
//!
//! Such fragments are called non-sentential utterances (Fernández and Ginzburg, SIGdial 2002). To lay what is new over what was
//! said before, keeping what does not clash, is the overlay of Alexandersson and Becker (2001).

mod conditions;
mod lifted;
mod replaced;
mod shown;
mod unify;
mod wishes;

use std::collections::HashMap;

use super::bind::{Binding, Distances, Filler, bind};
use super::chart::{Item, chart};
use super::form::{Follows, Pred, Query, Words};
use super::lattice::Lattice;
use super::live::live;
use super::lower::lower;
use super::merge::{READINGS, Reading, merge};
use crate::rules::Options;
use crate::rules::account::Unread;
use crate::rules::knowledge::Knowledge;
use crate::rules::link::{Link, link};
use crate::rules::propose::key;
use crate::rules::text::Question;
use sqlogue_sql::plan::QueryPlan;

/// How many earlier questions are read again at most.
const READ_AGAIN: usize = 8;
/// How many readings of a fragment are put together with the query before.
const FRAGMENTS: usize = 24;
/// Words that place a time without a year.
const COUNTED_FROM_TODAY: &[&str] = &[
    "last",
    "this",
    "next",
    "previous",
    "prior",
    "past",
    "current",
    "ago",
    "today",
    "yesterday",
    "tomorrow",
    "since",
    "before",
    "after",
    "until",
    "till",
    "recent",
    "upcoming",
    "following",
    "same",
];
/// How many plans are handed on.
const KEPT: usize = 32;
/// What costs more than this to be left unread names something.
const TELLING: f32 = 1.0;

/// A question that was answered, with the plan that was run.
#[derive(Debug, Clone, Copy)]
pub struct Answered<'a> {
    /// What was said.
    pub said: &'a str,
    /// The plan that was run for it.
    pub plan: &'a QueryPlan,
}

/// A plan that a follow-up makes of the query before it.
#[derive(Debug, Clone)]
pub struct Followed {
    /// The plan.
    pub plan: QueryPlan,
    /// How well it fits the words: higher is better.
    pub score: f32,
    /// The words with content that have no part in it, as they were said.
    pub left_out: Vec<String>,
    /// What it costs to leave the words out that were not read.
    pub unread: f32,
    /// True where what was asked before is only nearly known.
    pub is_loose: bool,
    /// The rules and unifications that made it.
    pub rules: Vec<&'static str>,
}

/// A query that was asked, with what its words were taken for.
#[derive(Debug, Clone)]
struct Asked {
    query: Query,
    fillers: HashMap<Words, Filler>,
    /// True where it does not make the very plan that was run.
    is_loose: bool,
}

/// What a follow-up makes of the query behind the last answer, best first; nothing where that query is not known.
pub fn followed(
    earlier: &[Answered<'_>],
    said: &str,
    knowledge: &Knowledge,
    options: &Options,
) -> Vec<Followed> {
    let recent = earlier.get(earlier.len().saturating_sub(READ_AGAIN)..).unwrap_or_default();
    // The last question that was asked by itself begins what is still spoken of.
    for from in (0..recent.len()).rev() {
        let Some(talk) = recent.get(from..) else { continue };
        let conversation = Conversation::new(talk, said, knowledge, options);
        if let Some(followed) = conversation.followed(talk) {
            return followed;
        }
    }
    let last = earlier.last().and_then(|answered| lifted::lifted(answered.plan, knowledge, options.today));
    last.map(|asked| Conversation::new(&[], said, knowledge, options).after(asked)).unwrap_or_default()
}

/// Several questions in a row, linked one by one and read as one.
struct Conversation<'a> {
    knowledge: &'a Knowledge,
    options: &'a Options,
    question: Question,
    links: Vec<Link>,
    /// The tokens of each question.
    spans: Vec<Words>,
}

impl<'a> Conversation<'a> {
    fn new(earlier: &[Answered<'_>], said: &str, knowledge: &'a Knowledge, options: &'a Options) -> Self {
        let (mut questions, mut links, mut spans, mut at) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for text in earlier.iter().map(|answered| answered.said).chain([said]) {
            let linked = link(text, knowledge, options.today);
            let end = at + linked.question.tokens.len();
            links.extend(linked.links.into_iter().map(|link| Link {
                start: link.start + at,
                end: link.end + at,
                ..link
            }));
            spans.push(Words::new(at, end));
            questions.push(linked.question);
            // A full stop stands between two questions.
            at = end + 1;
        }
        Self { knowledge, options, question: Question::joined(questions), links, spans }
    }

    fn lattice(&self) -> Lattice<'_> {
        Lattice::new(&self.question, &self.links, self.options.today)
            .defining(&self.options.definitions, self.knowledge)
    }

    /// The plans that the last question makes; none where one of the earlier answers cannot be understood again.
    fn followed(&self, earlier: &[Answered<'_>]) -> Option<Vec<Followed>> {
        let lattice = self.lattice();
        let first = *self.spans.first()?;
        let chart = live(chart(&lattice, first.end), self.knowledge);
        let distances = Distances::new(self.knowledge);
        let mut asked: Option<Asked> = None;
        for (answered, span) in earlier.iter().zip(&self.spans) {
            let made = match &asked {
                None => {
                    let readings = merge(&lattice, &chart, *span, &Query::default());
                    let readings = readings.into_iter().take(READINGS);
                    self.plans(readings.map(|reading| (reading, None)), &distances)
                }
                Some(before) => self.unified(before, fragments(&lattice, &chart, *span), &distances),
            };
            let wanted = key(answered.plan);
            let same = made.into_iter().find(|made| key(&made.plan) == wanted)?;
            asked = Some(Asked { query: same.query, fillers: same.binding.fillers, is_loose: false });
        }
        Some(self.plans_after(&asked?, &lattice, &chart, &distances))
    }

    /// The plans that the last question makes of a query that is known.
    fn after(&self, asked: Asked) -> Vec<Followed> {
        let lattice = self.lattice();
        let chart = live(chart(&lattice, 0), self.knowledge);
        self.plans_after(&asked, &lattice, &chart, &Distances::new(self.knowledge))
    }

    fn plans_after(
        &self,
        asked: &Asked,
        lattice: &Lattice<'_>,
        chart: &[Vec<Item>],
        distances: &Distances<'_>,
    ) -> Vec<Followed> {
        let Some(said) = self.spans.last() else { return Vec::new() };
        let made = self.unified(asked, fragments(lattice, chart, *said), distances);
        let left_out = |made: &Made| {
            let unread = Unread::new(&self.question, &made.plan, self.knowledge);
            let skipped = made.skipped.iter().copied();
            let missed = skipped.filter(|at| lattice.skip(*at) > 0.1 && !unread.is_met(*at));
            missed.map(|at| self.question.span_text(at, at + 1).to_owned()).collect()
        };
        let kept = made.into_iter().take(KEPT);
        let followed = kept.map(|made| Followed {
            left_out: left_out(&made),
            unread: made.skipped.iter().map(|at| lattice.skip(*at)).sum(),
            is_loose: asked.is_loose,
            plan: made.plan,
            score: made.score,
            rules: made.rules,
        });
        followed.collect()
    }

    /// The plans of fragments put together with the query before.
    fn unified(&self, before: &Asked, readings: Vec<Reading>, distances: &Distances<'_>) -> Vec<Made> {
        let mut queries = Vec::new();
        for mut reading in readings.into_iter().take(FRAGMENTS) {
            if !self.says_which_year() {
                replaced::into_year_of(&before.query, &mut reading.query);
            }
            for unified in unify::unify(&before.query, &before.fillers, &reading.query) {
                let mut reading = reading.clone();
                reading.score -= unified.price;
                reading.rules.extend(unified.ways);
                reading.query = unified.query;
                queries.push((reading, Some(before)));
            }
        }
        queries.sort_by(|(one, _), (other, _)| other.score.total_cmp(&one.score));
        self.plans(queries.into_iter(), distances)
    }

    /// True where the last question says a year, or counts from today.
    fn says_which_year(&self) -> bool {
        let Some(said) = self.spans.last() else { return false };
        (said.start..said.end).any(|at| {
            let word = self.question.word(at);
            let is_year = word.get(..4).is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
            is_year || COUNTED_FROM_TODAY.contains(&word)
        })
    }

    /// The plans of readings, best first, each once.
    fn plans<'b>(
        &self,
        readings: impl Iterator<Item = (Reading, Option<&'b Asked>)>,
        distances: &Distances<'_>,
    ) -> Vec<Made> {
        let mut made: Vec<Made> = Vec::new();
        let nothing = HashMap::new();
        for (reading, before) in readings {
            let known = before.map_or(&nothing, |before| &before.fillers);
            for binding in bind(&reading.query, distances, known) {
                for lowered in lower(&reading.query, &binding, self.knowledge, self.options.today) {
                    let score = reading.score + binding.score - lowered.price - 0.1 * lowered.joins.cost;
                    let known = made.iter_mut().find(|other| other.plan == lowered.plan);
                    if known.as_ref().is_some_and(|known| known.score >= score) {
                        continue;
                    }
                    let one = Made {
                        plan: lowered.plan,
                        score,
                        query: reading.query.clone(),
                        binding: binding.clone(),
                        skipped: reading.skipped.clone(),
                        rules: reading.rules.iter().chain(&lowered.supplied).copied().collect(),
                    };
                    match known {
                        Some(known) => *known = one,
                        None => made.push(one),
                    }
                }
            }
        }
        made.sort_by(|one, other| other.score.total_cmp(&one.score));
        made
    }
}

/// A plan with the query that it was made of.
struct Made {
    plan: QueryPlan,
    score: f32,
    query: Query,
    binding: Binding,
    skipped: Vec<usize>,
    rules: Vec<&'static str>,
}

/// What the words may say of a query that they go on from.
fn fragments(lattice: &Lattice<'_>, chart: &[Vec<Item>], said: Words) -> Vec<Reading> {
    let nothing = Query { follows: Some(Follows::default()), ..Query::default() };
    let mut readings = merge(lattice, chart, said, &nothing);
    keep_when_it_happened(&mut readings);
    // *Back to all customers* says of what there should be all; only *back to all* means everything.
    let names_rows = |reading: &Reading| {
        let is_named = |rule: &&str| matches!(*rule, "noun_is_subject" | "noun_is_shown_row");
        reading.rules.iter().any(is_named) || reading.skipped.iter().any(|at| lattice.skip(*at) > TELLING)
    };
    readings.retain(|reading| !reading.rules.contains(&"all_again") || !names_rows(reading));
    readings
}

/// *shipped after May* says when something was shipped: where a date is called so, it is not the status beside any other date.
fn keep_when_it_happened(readings: &mut Vec<Reading>) {
    let dated: Vec<Words> = readings
        .iter()
        .flat_map(|reading| &reading.query.preds)
        .filter_map(|pred| match pred {
            Pred::In(Some(noun), _) => Some(noun.words),
            _ => None,
        })
        .collect();
    readings.retain(|reading| {
        let preds = &reading.query.preds;
        let timed = preds.iter().any(|pred| matches!(pred, Pred::In(None, _)));
        let is_state = |pred: &Pred| match pred {
            Pred::Is { values, negated: false, .. } => {
                values.iter().any(|value| dated.contains(&value.words))
            }
            _ => false,
        };
        !timed || !preds.iter().any(is_state)
    });
}
