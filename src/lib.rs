//! sqlogue

pub mod plan;
pub mod schema;
pub mod reasoner;
