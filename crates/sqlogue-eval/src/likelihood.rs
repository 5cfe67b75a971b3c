//! Linear weights that raise the share of probability that right candidates have among all candidates of a question.

/// So many questions are looked at before the weights are changed.
const BATCH: usize = 64;

/// A candidate of a question.
#[derive(Debug)]
pub(crate) struct Vector {
    /// Its score without the weights.
    pub(crate) base: f32,
    /// The numbers of its features, with what each counts.
    pub(crate) values: Vec<(usize, f32)>,
    /// True where it is right.
    pub(crate) right: bool,
}

/// How weights are fitted.
pub(crate) struct Schedule {
    /// So many of the rounds go fast.
    pub(crate) quick: usize,
    /// How often all questions are looked at.
    pub(crate) rounds: usize,
    /// How fast weights shrink that nothing speaks for.
    pub(crate) decay: f32,
}

impl Schedule {
    /// The weights of so many features.
    pub(crate) fn fit(&self, questions: &[&[Vector]], size: usize) -> Vec<f32> {
        let tells = |question: &&&[Vector]| {
            question.iter().any(|candidate| candidate.right)
                && question.iter().any(|candidate| !candidate.right)
        };
        let useful: Vec<&&[Vector]> = questions.iter().filter(tells).collect();
        let mut adam = Adam::new(size);
        let mut gradient = vec![0.0; size];
        for round in 0..self.rounds {
            for batch in useful.chunks(BATCH) {
                gradient.fill(0.0);
                for question in batch {
                    follow(question, &adam.weights, &mut gradient, batch.len() as f32);
                }
                adam.update(&gradient, if round < self.quick { 0.02 } else { 0.005 }, self.decay);
            }
        }
        adam.weights
    }
}

/// Adds the slope of the loss of one question of so many.
fn follow(question: &[Vector], weights: &[f32], gradient: &mut [f32], of: f32) {
    let scores: Vec<f32> =
        question.iter().map(|candidate| candidate.base + dot(weights, &candidate.values)).collect();
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let powers: Vec<f32> = scores.iter().map(|score| (score - top).exp()).collect();
    let all: f32 = powers.iter().sum();
    let right: f32 =
        powers.iter().zip(question).filter(|(_, candidate)| candidate.right).map(|(power, _)| power).sum();
    for (power, candidate) in powers.iter().zip(question) {
        let wanted = if candidate.right { power / right.max(1e-12) } else { 0.0 };
        add(gradient, &candidate.values, (power / all - wanted) / of);
    }
}

/// Adam, with its usual settings.
struct Adam {
    weights: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    step: i32,
}

impl Adam {
    fn new(size: usize) -> Self {
        Self { weights: vec![0.0; size], mean: vec![0.0; size], square: vec![0.0; size], step: 0 }
    }

    fn update(&mut self, gradient: &[f32], rate: f32, decay: f32) {
        self.step += 1;
        let (one, two) = (1.0 - 0.9_f32.powi(self.step), 1.0 - 0.999_f32.powi(self.step));
        let state = self.weights.iter_mut().zip(&mut self.mean).zip(&mut self.square);
        for (((weight, mean), square), slope) in state.zip(gradient) {
            let slope = slope + decay * *weight;
            *mean = 0.9 * *mean + 0.1 * slope;
            *square = 0.999 * *square + 0.001 * slope * slope;
            *weight -= rate * (*mean / one) / ((*square / two).sqrt() + 1e-8);
        }
    }
}

fn dot(weights: &[f32], vector: &[(usize, f32)]) -> f32 {
    vector.iter().map(|(at, value)| weights.get(*at).copied().unwrap_or(0.0) * value).sum()
}

fn add(gradient: &mut [f32], vector: &[(usize, f32)], factor: f32) {
    for (at, value) in vector {
        if let Some(slope) = gradient.get_mut(*at) {
            *slope += factor * value;
        }
    }
}
