//! Measuring: how often an answer is right, by running it beside the gold query.

mod boost;
pub mod compare;
pub mod fit;
mod likelihood;
pub mod load;
pub mod report;
pub mod split;
mod wording;
