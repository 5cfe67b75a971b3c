//! sqlogue

pub mod intent;
pub mod plan;
pub mod schema;
