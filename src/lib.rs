//! sqlogue

pub mod database;
pub mod eval;
pub mod plan;
pub mod reasoner;
pub mod sample;
pub mod schema;
pub mod source;
pub mod sql;
