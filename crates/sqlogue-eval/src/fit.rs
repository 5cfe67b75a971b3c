//! Fitting the weights of the ranking and the confidence from questions whose right answers are known.

use std::collections::{BTreeMap, HashMap};

use super::boost::{Row, boost, boost_order};
use super::likelihood::{Schedule, Vector};
use super::wording::fit_wording;
use sqlogue_language::Trial;
use sqlogue_language::rules::rank::{
    Aspects, Certainty, Features, KEPT, Order, Rated, Standing, TRIED, Weights, certainty_features,
    order_features,
};
use sqlogue_sql::plan::Confidence;

/// One question with its candidates.
#[derive(Debug, Clone)]
pub struct Labelled {
    /// The database; questions of one database are never both fitted to and measured on.
    pub database: String,
    /// True for a question as people ask it, and false for one of a benchmark.
    pub is_everyday: bool,
    /// Its words ([`words`](sqlogue_language::rules::rank::words)).
    pub words: Vec<String>,
    /// The candidates.
    pub candidates: Vec<LabelledCandidate>,
}

/// A candidate that was run.
#[derive(Debug, Clone, Default)]
pub struct LabelledCandidate {
    /// What speaks for it and against it.
    pub features: Features,
    /// What surrounds it.
    pub circumstances: Features,
    /// The parts of its plan.
    pub aspects: Aspects,
    /// The clauses of its plan ([`clauses`](sqlogue_language::rules::rank::clauses)).
    pub clauses: Vec<String>,
    /// What came of running it.
    pub trial: Trial,
    /// How sure it may be at most, whatever its probability: low where it leaves something out.
    pub most: Confidence,
    /// True where it gives the right rows, with the columns that the gold query shows.
    pub right: bool,
    /// True where it gives the right rows with more columns or fewer. Which columns a question wants beside what it names is
    /// a habit of its set; how sure an answer is must not depend on it.
    pub holds: bool,
}

/// One question's answer as a model judges it that has seen neither the question nor its database.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The database.
    pub database: String,
    /// How likely the first candidate is right.
    pub probability: f32,
    /// How sure it may be at most, whatever its probability: low where it leaves something out.
    pub most: Confidence,
    /// True for a question as people ask it.
    pub is_everyday: bool,
    /// True where it is.
    pub right: bool,
}

/// What the thresholds aim for.
#[derive(Debug, Clone, Copy)]
pub struct Aims {
    /// The share of right answers among those marked high.
    high: f32,
    /// The most wrong answers not marked low, as a share of all questions.
    wrong: f32,
    /// The same as a share of the questions as people ask them.
    everyday_wrong: f32,
}

impl Aims {
    /// For questions. They are stricter than what users are told, since the rules themselves were made on most of the
    /// databases.
    pub const QUESTIONS: Self = Self { high: 0.96, wrong: 0.05, everyday_wrong: 0.018 };
    /// For follow-ups.
    pub const FOLLOW_UPS: Self = Self { high: 0.95, wrong: 0.06, everyday_wrong: 0.02 };
}

/// Below this probability no answer is given.
const ANSWERED: f32 = 0.04;
const FOLDS: usize = 5;
/// How much a question as people ask it counts beside one of a benchmark, where it is learnt how sure an answer is.
const EVERYDAY: f32 = 3.0;
/// So many answers say nothing about a share.
const FEW: f32 = 20.0;
/// How the linear score is fitted.
const RANK: Schedule = Schedule { quick: 40, rounds: 60, decay: 0.002 };
/// What the linear score and the wording count beside the trees of the order, which do not see them.
const LINEAR: f32 = 0.75;

/// Fitted weights, and how questions are judged by weights fitted to other databases than theirs.
#[derive(Debug, Clone, Default)]
pub struct Fit {
    /// The weights.
    pub weights: Weights,
    /// The judgement where no candidate was run.
    pub untried: Vec<Judged>,
    /// The judgement where the best candidates were run.
    pub tried: Vec<Judged>,
}

/// The first candidates of a question, as they are judged.
#[derive(Debug, Clone)]
pub struct First {
    /// True for a question as people ask it.
    pub is_everyday: bool,
    /// The first where no candidate was run.
    pub untried: Sight,
    /// The first where the best candidates were run.
    pub tried: Sight,
}

/// A first candidate with what tells how likely it is right.
#[derive(Debug, Clone)]
pub struct Sight {
    /// What tells it.
    pub features: Features,
    /// How sure it may be at most, whatever its probability: low where it leaves something out.
    pub most: Confidence,
    /// True where it is right.
    pub right: bool,
    /// True where it is but for the columns shown.
    pub holds: bool,
}

/// Fits all weights.
pub fn fit(questions: &[Labelled], aims: Aims) -> Fit {
    let mut names = Names::default();
    let data: Vec<Question> = questions.iter().map(|question| names.question(question)).collect();
    let linear = |wanted: &dyn Fn(usize) -> bool| {
        let inside = data.iter().filter(|question| wanted(question.fold));
        let of: Vec<&[Vector]> = inside.map(|question| question.candidates.as_slice()).collect();
        let rank = names.export(&RANK.fit(&of, names.len()));
        let weights = Weights { rank, ..Weights::default() };
        let inside: Vec<&Labelled> =
            questions.iter().filter(|question| wanted(fold_of(&question.database))).collect();
        let wording = fit_wording(&weights, &inside);
        let groups: Vec<Vec<(Features, bool)>> =
            inside.into_iter().filter_map(|question| group(&Ordered::by_score(&weights, question))).collect();
        let weights = Weights { wording, ..weights };
        Weights {
            order: Order { trees: boost_order(&groups), linear: LINEAR, ..Order::default() },
            ..weights
        }
    };
    // What comes after the order is fitted to orders of questions that the order has not seen.
    let (mut all, mut folded) = std::thread::scope(|scope| {
        let linear = &linear;
        let fold = |fold| scope.spawn(move || linear(&|other| other != fold));
        let folds: Vec<_> = (0..FOLDS).map(fold).collect();
        let all = linear(&|_| true);
        // A thread that panics has said so itself.
        let folded: Vec<Weights> = folds.into_iter().filter_map(|fold| fold.join().ok()).collect();
        (all, folded)
    });
    let scores = |question: &Labelled| -> Option<Vec<(f32, bool)>> {
        let weights = folded.get(fold_of(&question.database))?;
        let ordered = Ordered::by_score(weights, question).in_order(&weights.order);
        let right = ordered.candidates.iter().map(|candidate| candidate.right);
        Some(ordered.rated.iter().map(|rated| rated.score).zip(right).collect())
    };
    let scale = scale(&questions.iter().filter_map(scores).collect::<Vec<_>>());
    folded.iter_mut().chain([&mut all]).for_each(|weights| weights.order.scale = scale);
    let firsts: Vec<(&str, First)> = questions
        .iter()
        .filter_map(|question| {
            let weights = folded.get(fold_of(&question.database))?;
            Some((question.database.as_str(), first_of(weights, question)?))
        })
        .collect();
    let everyday = questions.iter().filter(|question| question.is_everyday).count();
    let all_of = (questions.len(), everyday, aims);
    let (untried, judged_untried) = fit_certainty(&firsts, |first| &first.untried, all_of);
    let (tried, judged_tried) = fit_certainty(&firsts, |first| &first.tried, all_of);
    Fit {
        weights: Weights { answered: ANSWERED, untried, tried, ..all },
        untried: judged_untried,
        tried: judged_tried,
    }
}

/// Candidates of a question in an order.
pub(crate) struct Ordered<'a> {
    pub(crate) candidates: Vec<&'a LabelledCandidate>,
    pub(crate) standings: Vec<Standing>,
    rated: Vec<Rated>,
}

impl<'a> Ordered<'a> {
    /// The candidates that come into question, by their linear score.
    pub(crate) fn by_score(weights: &Weights, question: &'a Labelled) -> Self {
        let mut scored: Vec<(f32, &LabelledCandidate)> =
            question.candidates.iter().map(|one| (weights.score(&one.features), one)).collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0));
        scored.truncate(KEPT);
        let heard = weights.wording.of(&question.words);
        for (score, candidate) in &mut scored {
            *score += heard.score(&candidate.clauses);
        }
        let standing = |(linear, candidate): &(f32, &LabelledCandidate)| Standing {
            features: candidate.features.clone(),
            circumstances: candidate.circumstances.clone(),
            linear: *linear,
            aspects: candidate.aspects,
        };
        let standings = scored.iter().map(standing).collect();
        Self { candidates: scored.into_iter().map(|(_, one)| one).collect(), standings, rated: Vec::new() }
    }

    fn in_order(self, order: &Order) -> Self {
        let (places, rated): (Vec<usize>, Vec<Rated>) = order.of(&self.standings).into_iter().unzip();
        let candidates = places.iter().filter_map(|at| self.candidates.get(*at).copied()).collect();
        let standings = places.iter().filter_map(|at| self.standings.get(*at).cloned()).collect();
        Self { candidates, standings, rated }
    }

    /// The same once the best were run.
    fn tried(mut self) -> Self {
        for (rated, candidate) in self.rated.iter_mut().zip(&self.candidates).take(TRIED) {
            rated.trial = candidate.trial;
        }
        self
    }

    fn first(&self) -> Option<Sight> {
        let (candidate, standing) = (self.candidates.first()?, self.standings.first()?);
        Some(Sight {
            features: certainty_features(&standing.features, &standing.circumstances, &self.rated),
            most: candidate.most,
            right: candidate.right,
            holds: candidate.holds,
        })
    }
}

/// What scores are to be multiplied by so that, taken for logarithms of probabilities, they make the right candidates of all
/// questions the likeliest.
fn scale(questions: &[Vec<(f32, bool)>]) -> f32 {
    let likelihood = |scale: f32| -> f64 {
        let of = |question: &Vec<(f32, bool)>| {
            let top = question.iter().map(|one| one.0).fold(f32::MIN, f32::max);
            let power = |one: &&(f32, bool)| f64::from(((one.0 - top) * scale).exp());
            let right: f64 = question.iter().filter(|one| one.1).map(|one| power(&one)).sum();
            let all: f64 = question.iter().map(|one| power(&one)).sum();
            if right > 0.0 { (right / all).ln() } else { 0.0 }
        };
        questions.iter().map(of).sum()
    };
    let scales = (1..=60).map(|step| step as f32 * 0.05);
    scales.max_by(|one, other| likelihood(*one).total_cmp(&likelihood(*other))).unwrap_or(1.0)
}

/// What the trees of an order learn from a question; none where no candidate is right, or all are.
fn group(ordered: &Ordered<'_>) -> Option<Vec<(Features, bool)>> {
    let right: Vec<bool> = ordered.candidates.iter().map(|candidate| candidate.right).collect();
    let tells = right.contains(&true) && right.contains(&false);
    tells.then(|| order_features(&ordered.standings).into_iter().zip(right).collect())
}

/// The first candidates of a question; none where there is no candidate.
pub fn first_of(weights: &Weights, question: &Labelled) -> Option<First> {
    let ordered = Ordered::by_score(weights, question).in_order(&weights.order);
    let untried = ordered.first()?;
    Some(First { is_everyday: question.is_everyday, untried, tried: ordered.tried().first()? })
}

/// The candidates of a question, by their numbers, in the order in which they are answers: those that come into question, then
/// the others.
pub fn order_of(weights: &Weights, question: &Labelled) -> Vec<usize> {
    let ordered = Ordered::by_score(weights, question).in_order(&weights.order);
    let number = |one: &&LabelledCandidate| {
        question.candidates.iter().position(|candidate| std::ptr::eq(candidate, *one))
    };
    let mut order: Vec<usize> = Vec::with_capacity(question.candidates.len());
    let best = ordered.candidates.iter().filter_map(number);
    for at in best.chain(0..question.candidates.len()) {
        if !order.contains(&at) {
            order.push(at);
        }
    }
    order
}

/// Fits what says how likely an answer is right, with the thresholds to probabilities of questions it has not seen.
fn fit_certainty(
    firsts: &[(&str, First)],
    sight: fn(&First) -> &Sight,
    questions: (usize, usize, Aims),
) -> (Certainty, Vec<Judged>) {
    let trees = |wanted: &dyn Fn(usize) -> bool| {
        let of = firsts.iter().filter(|first| wanted(fold_of(first.0)));
        let row = |(_, first): &(&str, First)| Row {
            features: sight(first).features.clone(),
            is_right: sight(first).holds,
            weight: if first.is_everyday { EVERYDAY } else { 1.0 },
        };
        boost(&of.map(row).collect::<Vec<_>>())
    };
    let mut judged: Vec<Judged> = Vec::new();
    for fold in 0..FOLDS {
        let folded = Certainty { trees: trees(&|other| other != fold), ..Certainty::default() };
        let outside = firsts.iter().filter(|first| fold_of(first.0) == fold);
        judged.extend(outside.map(|(database, first)| Judged {
            database: (*database).to_owned(),
            probability: folded.probability(&sight(first).features),
            most: sight(first).most,
            is_everyday: first.is_everyday,
            right: sight(first).right,
        }));
    }
    judged.sort_by(|one, other| other.probability.total_cmp(&one.probability));
    let (high, medium) = thresholds(&judged, questions);
    (Certainty { high, medium, trees: trees(&|_| true) }, judged)
}

/// The thresholds for high and medium, by the answers that may be either, for so many questions, and so many of them as
/// people ask them.
fn thresholds(judged: &[Judged], (questions, everyday, aims): (usize, usize, Aims)) -> (f32, f32) {
    let (mut high, mut medium) = (1.0, 1.0);
    let (mut sure, mut right) = (0.0_f32, 0.0_f32);
    let (mut wrong, mut everyday_wrong) = (0.0_f32, 0.0_f32);
    let one = |holds: bool| f32::from(u8::from(holds));
    for judged in judged.iter().filter(|judged| judged.most > Confidence::Low) {
        wrong += one(!judged.right);
        everyday_wrong += one(!judged.right && judged.is_everyday);
        if judged.most == Confidence::High {
            sure += 1.0;
            right += one(judged.right);
        }
        if sure > FEW && right / sure >= aims.high {
            high = judged.probability;
        }
        if everyday_wrong <= aims.everyday_wrong * everyday as f32 && wrong <= aims.wrong * questions as f32 {
            medium = judged.probability;
        }
    }
    (high, f32::min(medium, high))
}

fn fold_of(database: &str) -> usize {
    let sum: usize =
        database.bytes().fold(7, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
    (sum >> 3) % FOLDS
}

struct Question {
    fold: usize,
    candidates: Vec<Vector>,
}

/// Names of features as numbers.
#[derive(Default)]
struct Names {
    numbers: HashMap<String, usize>,
}

impl Names {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn vector(&mut self, features: &Features) -> Vec<(usize, f32)> {
        features
            .iter()
            .map(|(name, value)| {
                let next = self.numbers.len();
                (*self.numbers.entry(name.clone()).or_insert(next), *value)
            })
            .collect()
    }

    fn question(&mut self, question: &Labelled) -> Question {
        let candidates = question
            .candidates
            .iter()
            .map(|candidate| Vector {
                base: 0.0,
                values: self.vector(&candidate.features),
                right: candidate.right,
            })
            .collect();
        Question { fold: fold_of(&question.database), candidates }
    }

    fn export(&self, weights: &[f32]) -> BTreeMap<String, f32> {
        self.numbers
            .iter()
            .filter_map(|(name, at)| Some((name.clone(), *weights.get(*at)?)))
            .filter(|(_, weight)| weight.abs() > 0.003)
            .map(|(name, weight)| (name, (weight * 1000.0).round() / 1000.0))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_telling_feature_gets_the_weight() {
        let candidate = |name: &str, noise: usize, right| LabelledCandidate {
            features: vec![(name.to_owned(), 1.0), ("noise".to_owned(), noise as f32)],
            right,
            ..LabelledCandidate::default()
        };
        let question = |number: usize| Labelled {
            database: format!("db{number}"),
            is_everyday: false,
            words: Vec::new(),
            candidates: vec![candidate("good", number % 3, true), candidate("bad", number % 2, false)],
        };
        let questions: Vec<Labelled> = (0..200).map(question).collect();
        let Fit { weights, untried, tried } = fit(&questions, Aims::QUESTIONS);
        assert_eq!((untried.len(), tried.len()), (questions.len(), questions.len()));
        assert!(weights.rank["good"] > 1.0 && weights.rank["bad"] < -1.0);
        assert!(first_of(&weights, &questions[0]).unwrap().tried.right);
    }
}
