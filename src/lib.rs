//! sqlogue

pub mod graph;
pub mod plan;
pub mod schema;
