//! What surrounds a candidate: how its question is put, and what the other candidates make of the same words. It says
//! nothing about which candidate is best, but much about whether the best is right.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;

use super::Features;
use super::features::is_soft;
use crate::rules::compose::Draft;
use crate::rules::cue::Cue;
use crate::rules::knowledge::Knowledge;
use crate::rules::link::{Chunk, Linked};
use sqlogue_sql::plan::QueryPlan;

/// The parts of a plan as numbers: candidates with the same number agree on that part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Aspects {
    /// What is returned.
    pub outputs: u64,
    /// From which tables.
    pub tables: u64,
    /// Of which rows.
    pub conditions: u64,
    /// In which groups, in which order, how many.
    pub arrangement: u64,
}

impl Aspects {
    /// The aspects of a plan.
    pub fn of(plan: &QueryPlan) -> Self {
        let select = &plan.select;
        let mut tables: Vec<&str> = select.tables().map(|table| table.name()).collect();
        tables.sort_unstable();
        Self {
            outputs: number(&(&select.projection, select.distinct)),
            tables: number(&tables),
            conditions: number(&(&select.filter, &select.having, &plan.set_operations)),
            arrangement: number(&(&select.group_by, &plan.order_by, plan.limit)),
        }
    }
}

fn number(part: &impl Serialize) -> u64 {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(part).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

/// The circumstances of one candidate; a name that is missing counts 0.
pub fn circumstances(draft: &Draft, linked: &Linked, knowledge: &Knowledge) -> Features {
    let mut features = Features::new();
    // How a question is put does not depend on who reads it: the grammar's cuts are of single words.
    let cut = if draft.grammar.is_some() { 0 } else { draft.cut };
    let chunks = linked.cuts.get(cut).map_or(&[][..], |(chunks, _)| chunks);
    question(chunks, linked, &mut features);
    features.push(("tables_known".to_owned(), (knowledge.tables().count() as f32).ln()));
    features.retain(|(_, value)| *value != 0.0);
    features
}

/// How the question is put.
fn question(chunks: &[Chunk], linked: &Linked, features: &mut Features) {
    let mut count = |name: &str, test: fn(Cue) -> bool| {
        let number = chunks.iter().filter(|chunk| chunk.cues().any(test)).count();
        features.push((format!("says_{name}"), number as f32));
    };
    count("and", |cue| cue == Cue::And);
    count("or", |cue| matches!(cue, Cue::Or | Cue::Either));
    count("both", |cue| cue == Cue::Both);
    count("not", |cue| matches!(cue, Cue::Not | Cue::Neither | Cue::Nor | Cue::NotEqual | Cue::But));
    count("each", |cue| cue == Cue::Each);
    count("distinct", |cue| cue == Cue::Distinct);
    count("relative", |cue| matches!(cue, Cue::Relative | Cue::Whose));
    count("most", |cue| matches!(cue, Cue::Superlative(..) | Cue::Most(_) | Cue::MostCommon(_)));
    count("comparison", |cue| matches!(cue, Cue::Compare(_) | Cue::Comparative(_) | Cue::Between));
    count("count", |cue| matches!(cue, Cue::HowMany | Cue::HowMuch));
    count("summary", |cue| matches!(cue, Cue::Aggregate(_)));
    count("order", |cue| matches!(cue, Cue::OrderBy | Cue::Direction(_) | Cue::Alphabetical));
    count("all", |cue| matches!(cue, Cue::All | Cue::Any | Cue::Details));
    count("stop", |cue| cue == Cue::Stop);
    features.push(("words".to_owned(), linked.question.tokens.len() as f32));
    let unknown = |chunk: &&Chunk| {
        !chunk.is_schema()
            && chunk.values.is_empty()
            && chunk.cue.is_none()
            && chunk.number.is_none()
            && chunk.date.is_none()
            && !is_soft(&chunk.text)
            && chunk.text.chars().any(char::is_alphanumeric)
    };
    features.push(("unknown_words".to_owned(), chunks.iter().filter(unknown).count() as f32));
    let numbers = chunks.iter().filter(|chunk| chunk.number.is_some() || chunk.date.is_some()).count();
    features.push(("numbers".to_owned(), numbers as f32));
    let second = linked.cuts.get(1).map_or(0.0, |(_, score)| *score);
    let best = linked.cuts.first().map_or(0.0, |(_, score)| *score);
    features.push(("cut_lead".to_owned(), (best - second).min(2.0)));
}
