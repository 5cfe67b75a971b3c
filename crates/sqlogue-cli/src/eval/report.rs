//! The figures.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::measure::Outcome;
use crate::show::number;
use sqlogue::conversation::{ErrorKind, Status};
use sqlogue::plan::Confidence;
use sqlogue_eval::report::{Parts, Scored};

/// How well it went. Shares are between 0 and 1, and null where there is nothing to take a share of.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// All questions asked.
    questions: usize,
    /// Those whose gold query runs; all shares below are of these.
    scored: usize,
    /// Right answers.
    right: usize,
    /// Right answers among all questions: execution accuracy, or question match in conversations.
    accuracy: Option<f64>,
    /// Questions that got an answer.
    coverage: Option<f64>,
    /// Right answers among answers.
    precision: Option<f64>,
    /// Right answers among those of high confidence.
    precision_at_high: Option<f64>,
    /// Answers of high confidence among all questions.
    high: Option<f64>,
    /// The same for each confidence, if answers down to it are given, and by kind of clause.
    #[serde(flatten)]
    parts: Parts,
    /// Questions that were answered by a question back.
    asked_back: usize,
    /// Of these, the share where one of the options gives the right rows.
    right_offered: Option<f64>,
    /// Questions whose SQL the database refused or could not run.
    database_errors: usize,
    /// Conversations of which every scored question was answered rightly; only for conversations.
    #[serde(skip_serializing_if = "Option::is_none")]
    interaction_match: Option<f64>,
    /// The share of right answers by the turn's place in its conversation; only for conversations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_turn: Vec<Share>,
    /// Half of the turns after the first on a database took no longer, in milliseconds.
    median_ms: Option<f64>,
    /// 95 in 100 of them took no longer.
    p95_ms: Option<f64>,
    /// 99 in 100 of them took no longer.
    p99_ms: Option<f64>,
    /// Calls of a language model, all turns together.
    llm_calls: u64,
    /// Turns answered without any, among all turns.
    without_call: Option<f64>,
    databases: usize,
}

/// A part of a whole.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct Share {
    right: usize,
    of: usize,
}

impl Share {
    fn add(&mut self, right: bool) {
        self.right += usize::from(right);
        self.of += 1;
    }

    fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.right as f64 / self.of as f64)
    }
}

impl Report {
    /// The figures of all outcomes.
    pub(super) fn of(outcomes: &[Outcome], is_dialogue: bool) -> Self {
        let (mut all, mut answered, mut high) = (Share::default(), Share::default(), Share::default());
        let (mut interactions, mut offered) = (Share::default(), Share::default());
        let (mut by_turn, mut asked_back, mut database_errors) = (Vec::<Share>::new(), 0, 0);
        let mut whole: BTreeMap<(usize, usize), bool> = BTreeMap::new();
        for outcome in outcomes.iter().filter(|outcome| outcome.scored) {
            let right = outcome.right;
            all.add(right);
            if outcome.status == Status::Completed.name() {
                answered.add(right);
                if outcome.confidence == Some(Confidence::High) {
                    high.add(right);
                }
            }
            asked_back += usize::from(outcome.status == Status::AwaitingCorrection.name());
            if let Some(right) = outcome.right_offered {
                offered.add(right);
            }
            database_errors += usize::from(outcome.error == Some(ErrorKind::QueryFailed));
            by_turn.resize(by_turn.len().max(outcome.turn), Share::default());
            if let Some(share) = outcome.turn.checked_sub(1).and_then(|place| by_turn.get_mut(place)) {
                share.add(right);
            }
            *whole.entry(outcome.conversation).or_insert(true) &= right;
        }
        for right in whole.values() {
            interactions.add(*right);
        }
        let scored: Vec<Scored> =
            outcomes.iter().filter(|outcome| outcome.scored).map(Outcome::scored).collect();
        let mut times: Vec<u128> =
            outcomes.iter().filter(|outcome| !outcome.first).map(|outcome| outcome.elapsed_us).collect();
        times.sort_unstable();
        let mut without_call = Share::default();
        outcomes.iter().for_each(|outcome| without_call.add(outcome.llm_calls == 0));
        let mut databases: Vec<&str> = outcomes.iter().map(|outcome| outcome.database.as_str()).collect();
        databases.dedup();
        Self {
            questions: outcomes.len(),
            scored: all.of,
            right: all.right,
            accuracy: all.value(),
            coverage: Share { right: answered.of, of: all.of }.value(),
            precision: answered.value(),
            precision_at_high: high.value(),
            high: Share { right: high.of, of: all.of }.value(),
            parts: Parts::of(&scored),
            asked_back,
            right_offered: offered.value(),
            database_errors,
            interaction_match: interactions.value().filter(|_| is_dialogue),
            by_turn: if is_dialogue { by_turn } else { Vec::new() },
            median_ms: quantile(&times, 0.5),
            p95_ms: quantile(&times, 0.95),
            p99_ms: quantile(&times, 0.99),
            llm_calls: outcomes.iter().map(|outcome| outcome.llm_calls).sum(),
            without_call: without_call.value(),
            databases: databases.len(),
        }
    }

    /// The figures for people.
    pub(super) fn shown(&self) -> String {
        let percent =
            |share: Option<f64>| share.map_or("–".to_owned(), |share| format!("{:.1} %", share * 100.0));
        let time = |ms: Option<f64>| {
            ms.map_or("–".to_owned(), |ms| number::duration(Duration::from_secs_f64(ms / 1e3)))
        };
        let is_dialogue = !self.by_turn.is_empty();
        let mut facts = vec![
            (
                "questions",
                format!("{} over {} databases, {} scored", self.questions, self.databases, self.scored),
            ),
            (
                if is_dialogue { "question match" } else { "accuracy" },
                format!("{} ({} right)", percent(self.accuracy), self.right),
            ),
        ];
        if is_dialogue {
            facts.push(("interaction match", percent(self.interaction_match)));
            let turns: Vec<String> = (1..)
                .zip(&self.by_turn)
                .map(|(turn, share)| format!("{turn}: {}", percent(share.value())))
                .collect();
            facts.push(("by turn", turns.join("  ")));
        }
        let offered = match self.right_offered {
            Some(share) => format!(" (right among the options: {})", percent(Some(share))),
            None => String::new(),
        };
        facts.extend([
            (
                "coverage",
                format!("{} answered, {} asked back{offered}", percent(self.coverage), self.asked_back),
            ),
            (
                "precision",
                format!(
                    "{}; {} where confidence is high ({} of the questions)",
                    percent(self.precision),
                    percent(self.precision_at_high),
                    percent(self.high)
                ),
            ),
            ("database errors", self.database_errors.to_string()),
            (
                "model calls",
                format!("{}; {} of the questions without one", self.llm_calls, percent(self.without_call)),
            ),
            ("wrong, not low", percent(Some(self.parts.wrong_not_low))),
            (
                "latency",
                format!(
                    "median {}, p95 {}, p99 {}",
                    time(self.median_ms),
                    time(self.p95_ms),
                    time(self.p99_ms)
                ),
            ),
        ]);
        let facts: String = facts.into_iter().map(|(name, value)| format!("{name:<18} {value}\n")).collect();
        facts + &self.parts.text()
    }
}

/// A quantile of sorted microseconds, in milliseconds.
fn quantile(sorted: &[u128], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = (last as f64 * share).round() as usize;
    sorted.get(place).map(|us| *us as f64 / 1e3)
}
