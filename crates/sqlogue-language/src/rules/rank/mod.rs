//! Ranking: which candidate is meant, and how sure that is.
//!
//! Every candidate has named features; a linear model scores them, and a sum of small trees turns the first candidate's
//! features, its circumstances, its lead over the others and, where candidates were run, what they found, into a
//! probability. All are fitted by `eval::fit` from questions with known answers, and stored in `data/weights.json`.

mod certainty;
mod circumstances;
mod dates;
pub mod features;
mod naming;
mod trees;
mod weights;

pub use certainty::{Rated, TRIED, certainty_features};
pub use circumstances::{Aspects, circumstances};
pub use features::{Features, features, ignored, nested};
pub use trees::{Tree, log_odds};
pub use weights::{Certainty, Weights};
