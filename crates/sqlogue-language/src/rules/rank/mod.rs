//! Ranking: which candidate is meant, and how sure that is.
//!
//! Every candidate has named features. A linear model scores them and picks the few that come into question; a sum of small
//! trees, and how the words of the question go with the clauses of each plan, put these in order; and another turns the first candidate's features, its circumstances, its lead over the others
//! and, where candidates were run, what they found, into a probability. All are fitted by `eval::fit` from questions with known answers, and stored in `data/weights.json`.

mod certainty;
mod circumstances;
mod clauses;
mod dates;
pub mod features;
mod naming;
mod order;
mod trees;
mod weights;
mod wording;

pub use certainty::{Rated, TRIED, certainty_features};
pub use circumstances::{Aspects, circumstances};
pub use clauses::{clause_changes, clauses};
pub use features::{Features, features, ignored, nested};
pub use order::{KEPT, Order, Standing, order_features};
pub use trees::{Tree, log_odds};
pub use weights::{Certainty, Weights};
pub use wording::{ALWAYS, WORD, Wording, words};
