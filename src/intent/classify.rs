//! The decision.

use super::context::DialogContext;
use super::evidence::{Background, evidence};
use super::rule::{Rule, Signal};
use super::vocabulary::SqlWords;
use super::words::Words;
use super::{Classification, Intent, command, correction, indicators};
use crate::plan::Confidence;

/// Tells what an input wants of the conversation.
///
/// The promised rules come first and decide where they are decisive: a reset, a first turn, a refinement keyword, a
/// short modification. Where the input starts like a new question, as most follow-ups of real people do (`How many
/// are there?`), the evidence is weighed: each rule that fires adds its weight, and the sign of the sum decides.
pub fn classify(input: &str, context: &DialogContext) -> Classification {
    decide_by_form(input, context).unwrap_or_else(|| decide_by_words(input, context))
}

/// Resets, commands and answers are known by their form.
fn decide_by_form(input: &str, context: &DialogContext) -> Option<Classification> {
    let sure = |intent, rule, evidence: &str| Classification {
        intent,
        confidence: Confidence::High,
        signals: vec![Signal::new(rule, evidence)],
    };
    if let Some((words, _)) = command::resets(input) {
        return Some(sure(Intent::NewQuery, Rule::Reset, words));
    }
    if let Some(name) = command::command(input) {
        return Some(sure(Intent::Command, Rule::Command, name));
    }
    let pending = context.pending.as_ref()?;
    let words = correction::is_correction(input, &pending.options)?;
    Some(sure(Intent::Correction, Rule::AnswersPending, &words))
}

fn decide_by_words(input: &str, context: &DialogContext) -> Classification {
    let words = Words::read(input);
    let answer = |intent, confidence, signals| Classification { intent, confidence, signals };
    if words.list.is_empty() {
        return answer(Intent::NewQuery, Confidence::Low, vec![Signal::new(Rule::Empty, "")]);
    }
    let Some((previous, sql)) = context.last_answered() else {
        return answer(Intent::NewQuery, Confidence::High, vec![Signal::new(Rule::NoPreviousQuery, "")]);
    };
    let new_query = indicators::of_new_query(&words);
    if let Some(refinement) = indicators::of_refinement(&words) {
        // Both kinds of indicator: the refinement wins, and says that it is not sure.
        let confidence = match (&new_query, refinement.rule) {
            (_, Rule::RefinementKeyword) => Confidence::High,
            (Some(other), _) if other.rule == Rule::QuestionWord => Confidence::Low,
            _ => Confidence::Medium,
        };
        let signals = [Some(refinement), new_query].into_iter().flatten().collect();
        return answer(Intent::Refinement, confidence, signals);
    }
    let follows_success = context.turns.last().is_some_and(|turn| turn.succeeded);
    if new_query.is_none() && follows_success {
        let short = indicators::is_short(&words);
        return answer(Intent::Refinement, Confidence::Medium, short.into_iter().collect());
    }
    let background = Background {
        question: Words::read(&previous.input),
        sql: SqlWords::read(sql),
        earlier_tables: earlier_tables(context),
        vocabulary: context.vocabulary.as_deref(),
    };
    let mut signals = evidence(&words, &background);
    let score: i32 = BIAS + signals.iter().map(|signal| signal.rule.weight()).sum::<i32>();
    signals.splice(0..0, new_query);
    let sure = score.abs() >= SURE;
    if score > 0 {
        // An input with indicators of both kinds is never sure.
        answer(Intent::Refinement, if sure { Confidence::Medium } else { Confidence::Low }, signals)
    } else {
        let against = signals.iter().any(|signal| signal.rule.weight() > 0);
        let confidence = match (sure, against) {
            (true, _) => Confidence::High,
            (false, false) => Confidence::High,
            (false, true) => Confidence::Medium,
        };
        answer(Intent::NewQuery, confidence, signals)
    }
}

/// What the sum starts from: most inputs after an answer are follow-ups.
const BIAS: i32 = 5;

/// From this distance on the sum is trusted.
const SURE: i32 = 15;

/// The stems of the tables that earlier queries used: what else people speak of in this conversation.
fn earlier_tables(context: &DialogContext) -> Vec<Box<str>> {
    const LOOK_BACK: usize = 3;
    let earlier = context.turns.iter().rev().filter_map(|turn| turn.sql.as_deref()).skip(1).take(LOOK_BACK);
    earlier.flat_map(|sql| SqlWords::read(sql).tables).collect()
}
