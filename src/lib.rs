//! sqlogue

pub mod ambiguity;
pub mod cli;
pub mod config;
pub mod conversation;
pub mod database;
pub mod dialog;
pub mod engine;
pub mod error;
pub mod eval;
pub mod graph;
pub mod intent;
pub mod lesson;
pub mod nodes;
pub mod plan;
pub mod reasoner;
pub mod sample;
pub mod schema;
pub mod source;
pub mod sql;
pub mod store;
pub mod workflow;

pub use conversation::ConversationState;
pub use engine::{Engine, QueryInput, query_database};
pub use error::Error;
