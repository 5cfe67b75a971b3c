//! Ranking: which candidate is meant, and how sure that is.
//!
//! Every candidate has named features; a linear model scores them, and a logistic one turns the first candidate's
//! features and its lead over the others into a probability. Both are fitted by `eval::fit` from questions with
//! known answers, and stored in `data/weights.json`.

mod certainty;
pub mod features;
mod weights;

pub use certainty::certainty_features;
pub use features::{Features, features};
pub use weights::Weights;
