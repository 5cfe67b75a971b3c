//! sqlogue

pub mod database;
pub mod plan;
pub mod schema;
pub mod sql;
