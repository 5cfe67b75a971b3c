//! Judgement: what a question means.

pub mod rules;
