//! sqlogue
pub mod graph;
