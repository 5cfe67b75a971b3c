//! Two judges of one question: the embedded rules with their readings, and somebody who wrote a query, a model mostly.
//!
//! They err in different ways, so that both come to the same rows hardly ever unless the rows are right. Where they differ,
//! Bayes' rule says whom to believe: the rules say how likely each of their readings is, as measured on other databases, and
//! of a model its record is known. Nothing here runs a query; what came of running is given.

use super::Trial;
use crate::plan::Confidence;

/// From this probability on an answer is as good as certain: where judges agree, more are right than are said to be.
const HIGH: f64 = 0.87;

/// From this probability on an answer is worth to be relied on.
const MEDIUM: f64 = 0.68;

/// Of answers where both are wrong, so many are wrong in the same way where the rules' likeliest reading is concerned. The
/// judges have the same words before them, so this is far more than chance.
const SAME_MISTAKE: f64 = 0.06;

/// The same for the other readings: each is one of many that a mistake may lead to.
const OTHER_MISTAKE: f64 = 0.03;

/// A right query finds nothing so many times as often as a wrong one does.
const NOTHING_FOUND: f64 = 0.15;

/// What failed is right so many times as often once it is repaired.
const REPAIRED: f64 = 0.5;

/// A query is right so many times as often, by its odds, for each further sample of its author that comes to the same. Samples
/// of one author share its mistakes, so this is far less than for another judge.
const SAMPLE_AGREES: f64 = 1.4;

/// The same for each that comes to something else.
const SAMPLE_DIFFERS: f64 = 0.7;

/// Where they differ, a reading that leaves words out is right so many times as often as one that does not: the other judge
/// may have read those words.
const LEAVES_OUT: f64 = 0.4;

/// So likely a reading must be for which a query is set aside that runs and finds something: below, the query is right more
/// often, as what the rules cannot read is not among their readings.
const SETS_ASIDE: f64 = 0.7;

/// No judge is surer of a question than this: there are questions that nobody can answer rightly.
const CERTAIN: f64 = 0.98;

/// What is known of both judges' answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence<'a> {
    /// How likely each of the rules' readings is right, the likeliest first.
    pub(super) rules: &'a [f64],
    /// Which of them leave words out.
    pub(super) leave_out: &'a [bool],
    /// What came of running each of them.
    pub(super) trials: &'a [Trial],
    /// What came of running the query that was written.
    pub(super) written: Trial,
    /// The rules' readings that come to the same as that query.
    pub(super) like: &'a [usize],
    /// How often whoever wrote it is right.
    pub(super) reliability: f64,
    /// How many further samples of that author came to the same as the query, and how many to something else.
    pub(super) samples: (u32, u32),
}

/// Which answer to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// The one that both come to, which is this reading of the rules.
    Both(usize),
    /// The query that was written.
    Written,
    /// The rules' likeliest reading.
    Rules,
}

/// An answer, and how likely it is right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Settled {
    pub(super) taken: Taken,
    pub(super) probability: f64,
    /// True where both have an answer that runs, and not the same.
    pub(super) is_disputed: bool,
}

impl Settled {
    /// How sure the answer is. What one of two judges says otherwise is never as good as certain.
    pub(super) fn confidence(self) -> Confidence {
        match self.is_disputed {
            true => confidence(self.probability).min(Confidence::Medium),
            false => confidence(self.probability),
        }
    }
}

/// A probability in the three steps that people can tell apart.
pub(super) fn confidence(probability: f64) -> Confidence {
    match probability {
        sure if sure >= HIGH => Confidence::High,
        sure if sure >= MEDIUM => Confidence::Medium,
        _ => Confidence::Low,
    }
}

/// Settles which answer to take.
pub(super) fn settle(evidence: Evidence<'_>) -> Settled {
    let mut beliefs = beliefs(evidence.rules, evidence.trials);
    let right = reliability(evidence.written, sampled(evidence.reliability, evidence.samples));
    let wrong = 1.0 - right;
    let agreed = evidence.like.iter().find_map(|at| beliefs.get(*at).map(|belief| (*at, *belief)));
    for (belief, leaves_out) in beliefs.iter_mut().zip(evidence.leave_out) {
        *belief *= if *leaves_out { LEAVES_OUT } else { 1.0 };
    }
    let first = beliefs.first().copied().unwrap_or(0.0);
    let known: f64 = beliefs.iter().sum();
    let unknown = 1.0 - known;
    if let Some((at, belief)) = agreed {
        let mistake = if at == 0 { SAME_MISTAKE } else { OTHER_MISTAKE };
        let both = belief * right;
        let all = both + (1.0 - belief) * wrong * mistake;
        let other = if at == 0 { 0.0 } else { first * wrong * mistake };
        return match other > both {
            // A reading that the rules hardly believe themselves is no second opinion.
            true => Settled { taken: Taken::Rules, probability: ratio(other, all), is_disputed: true },
            false => Settled { taken: Taken::Both(at), probability: ratio(both, all), is_disputed: false },
        };
    }
    let neither = unknown * wrong + (known - first) * wrong;
    let (written, rules) = match evidence.written {
        // Plans that differ may come to the same, so that they differ speaks for nobody.
        Trial::Untried => (right, 0.0),
        Trial::Failed => (right * (1.0 - first), first),
        Trial::Rows { .. } => {
            let all = unknown * right + neither + first * wrong;
            let rules = ratio(first * wrong, all);
            let is_likely = evidence.written.count() == Some(0) || rules >= SETS_ASIDE;
            (ratio(unknown * right, all), if is_likely { rules } else { 0.0 })
        }
    };
    let is_disputed = evidence.written.count().is_some_and(|count| count > 0);
    match rules > written {
        true => Settled { taken: Taken::Rules, probability: rules, is_disputed },
        false => Settled { taken: Taken::Written, probability: written, is_disputed },
    }
}

/// How likely each different result is the right one: that of the likeliest reading counts once, and readings that come to
/// the same as one before them not at all, so that the sum is at most [`CERTAIN`].
fn beliefs(rules: &[f64], trials: &[Trial]) -> Vec<f64> {
    let first = rules.first().copied().unwrap_or(0.0).clamp(0.0, CERTAIN);
    let is_like = |at: usize, other: usize| {
        let tried = |at: usize| trials.get(at).copied().filter(|trial| matches!(trial, Trial::Rows { .. }));
        tried(at).is_some() && tried(at) == tried(other)
    };
    let mut beliefs: Vec<f64> = vec![0.0; rules.len()];
    for (at, probability) in rules.iter().enumerate().skip(1) {
        let place = (0..at).find(|other| is_like(at, *other)).unwrap_or(at);
        if let Some(belief) = beliefs.get_mut(place) {
            *belief += probability;
        }
    }
    let others: f64 = beliefs.iter().skip(1).sum();
    let scale = if others > CERTAIN - first { (CERTAIN - first) / others } else { 1.0 };
    beliefs.iter_mut().for_each(|belief| *belief *= scale);
    if let Some(belief) = beliefs.first_mut() {
        *belief = first;
    }
    beliefs
}

/// How likely the written query is right before it is compared, by what came of it.
fn reliability(written: Trial, reliability: f64) -> f64 {
    let right = reliability.clamp(0.05, 0.95);
    match written {
        Trial::Failed => right * REPAIRED,
        Trial::Rows { count: 0, .. } => ratio(right * NOTHING_FOUND, right * NOTHING_FOUND + (1.0 - right)),
        Trial::Rows { .. } | Trial::Untried => right,
    }
}

/// How likely the written query is right by what further samples of its author came to.
fn sampled(reliability: f64, (alike, other): (u32, u32)) -> f64 {
    let odds = |times: u32, each: f64| each.powi(i32::try_from(times).unwrap_or(i32::MAX));
    let right = reliability * odds(alike, SAMPLE_AGREES) * odds(other, SAMPLE_DIFFERS);
    ratio(right, right + (1.0 - reliability))
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: Trial = Trial::Rows { count: 3, digest: 1 };
    const OTHER: Trial = Trial::Rows { count: 2, digest: 2 };

    fn settled(rules: &[f64], trials: &[Trial], written: Trial, like: &[usize]) -> Settled {
        settle(Evidence { rules, leave_out: &[], trials, written, like, reliability: 0.7, samples: (0, 0) })
    }

    #[test]
    fn an_author_who_writes_the_same_again_is_believed_more() {
        let with = |samples| {
            let evidence = Evidence {
                rules: &[0.3],
                leave_out: &[],
                trials: &[ROWS],
                written: OTHER,
                like: &[],
                reliability: 0.7,
                samples,
            };
            settle(evidence).probability
        };
        assert!(with((2, 0)) > with((0, 0)) && with((0, 0)) > with((0, 2)));
        assert!((with((u32::MAX, 0))).is_finite() && with((0, u32::MAX)).is_finite());
    }

    #[test]
    fn what_both_come_to_is_surer_than_what_either_says() {
        for first in [0.3, 0.6, 0.9] {
            let both = settled(&[first], &[ROWS], ROWS, &[0]);
            assert!(both.taken == Taken::Both(0) && both.probability > first.max(0.7), "{both:?}");
        }
        assert_eq!(settled(&[0.6], &[ROWS], ROWS, &[0]).confidence(), Confidence::High);
    }

    #[test]
    fn where_they_differ_the_more_reliable_one_is_taken_and_nothing_is_certain() {
        let sure = settled(&[0.95], &[ROWS], OTHER, &[]);
        let unsure = settled(&[0.3], &[ROWS], OTHER, &[]);
        assert_eq!((sure.taken, unsure.taken), (Taken::Rules, Taken::Written));
        assert!(sure.probability < 0.95 && unsure.probability < 0.7);
        // The rules would be somewhat likelier.
        assert_eq!(settled(&[0.72], &[ROWS], OTHER, &[]).taken, Taken::Written);
    }

    #[test]
    fn a_reading_that_is_hardly_believed_is_no_second_opinion() {
        let against = settled(&[0.97, 0.0001], &[ROWS, OTHER], OTHER, &[1]);
        assert!(against.taken == Taken::Rules && against.confidence() < Confidence::High, "{against:?}");
        assert_eq!(settled(&[0.4, 0.2], &[ROWS, OTHER], OTHER, &[1]).taken, Taken::Both(1));
    }

    #[test]
    fn what_fails_or_finds_nothing_loses_to_a_reading_that_does_not() {
        for written in [Trial::Failed, Trial::Rows { count: 0, digest: 0 }] {
            assert_eq!(settled(&[0.6], &[ROWS], written, &[]).taken, Taken::Rules);
            assert_eq!(settled(&[], &[], written, &[]).taken, Taken::Written);
        }
    }

    #[test]
    fn results_that_are_alike_count_once_and_the_sum_stays_below_one() {
        let beliefs = beliefs(&[0.6, 0.5, 0.4, 0.3], &[ROWS, ROWS, OTHER, OTHER]);
        assert!(beliefs.iter().sum::<f64>() <= CERTAIN + 1e-9, "{beliefs:?}");
        assert!(beliefs[2] > 0.3 && beliefs[3] == 0.0, "{beliefs:?}");
    }

    #[test]
    fn a_query_that_was_not_run_is_as_reliable_as_its_author() {
        let untried = settled(&[0.9], &[Trial::Untried], Trial::Untried, &[]);
        assert_eq!(untried.taken, Taken::Written);
        assert!((untried.probability - 0.7).abs() < 1e-9);
    }
}
