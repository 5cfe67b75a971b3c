//! sqlogue

pub mod database;
pub mod eval;
pub mod intent;
pub mod plan;
pub mod sample;
pub mod schema;
pub mod reasoner;
pub mod source;
pub mod sql;
