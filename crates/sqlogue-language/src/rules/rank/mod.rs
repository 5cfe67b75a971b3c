//! Ranking: which candidate is meant, and how sure that is.
//!
//! Every candidate has named features. A linear model scores them and picks the few that come into question; a sum of small
//! trees puts these in order; and another turns the first candidate's features, its circumstances, its lead over the others
//! and, where candidates were run, what they found, into a probability. All are fitted by `eval::fit` from questions with known answers, and stored in `data/weights.json`.

mod certainty;
mod circumstances;
mod dates;
pub mod features;
mod naming;
mod order;
mod trees;
mod weights;

pub use certainty::{Rated, TRIED, certainty_features};
pub use circumstances::{Aspects, circumstances};
pub use features::{Features, features, ignored, nested};
pub use order::{KEPT, Order, Standing, order_features};
pub use trees::{Tree, log_odds};
pub use weights::{Certainty, Weights};
