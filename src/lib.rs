//! Ask a database questions in conversation.
//!
//! sqlogue (SQL + dialogue) turns a question into SQL, runs it read-only, and takes the next question as what it is: a
//! follow-up, a correction or something new. One call is one turn, [`query_database`]; a conversation is a chain of
//! [`ConversationState`]s.
//!
//! ```text
//! input ──► intent ──► router ──► planner ──► generate_query ──► execute_query ──► cleanup ──► state
//! ```
//!
//! ```
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! use sqlogue::Engine;
//!
//! let engine = Engine::builder().build()?; // the embedded sample database
//! let first = engine.query_database("How many customers are there?", None).await?;
//! let second = engine.query_database("Only from Germany", Some(first)).await?;
//! assert_eq!(second.query.as_deref(), Some("SELECT count(*) FROM customers WHERE country = 'Germany'"));
//! # Ok::<(), sqlogue::Error>(())
//! # }).unwrap();
//! ```
//!
//! The modules in reading order: [`graph`] is the engine; [`conversation`] the state; [`nodes`] the work and [`workflow`]
//! the wiring; [`reasoner`] judges what words mean; [`plan`] and [`sql`] are what a question becomes; [`engine`] puts it all
//! together; [`chart`] chooses the picture of an answer.

pub mod ambiguity;
pub mod answer;
pub mod blocking;
pub mod chart;
pub mod config;
pub mod conversation;
pub mod dialog;
pub mod engine;
pub mod error;
pub mod examples;
pub mod lesson;
pub mod nodes;
pub mod reasoner;
pub mod sentence;
pub mod store;
pub mod totals;
pub mod workflow;

use sqlogue_base::{self as base, files};
pub use sqlogue_databases::{self as database, sample, source};
pub use sqlogue_graph as graph;
pub use sqlogue_language::intent;
pub use sqlogue_model as model;
pub use sqlogue_sql::{plan, schema, sql};

pub use conversation::ConversationState;
pub use engine::{Engine, EngineBuilder, QueryInput, query_database};
pub use error::Error;

/// The examples of the README, which are compiled with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/charts.md")]
struct Charts;
