//! sqlogue

pub mod plan;
pub mod schema;
