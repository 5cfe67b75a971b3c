//! What people say to a database, and what it means, by rules.
//!
//! - [`intent`] says what kind of input a turn's is: a new question, a change to the last one, a correction, a command;
//! - [`rules`] turns a question, or a follow-up, into typed queries with the evidence for each.
//!
//! It is pure: texts, a schema and an index of its values go in, plans come out. No file, no network and no clock is touched.

pub mod intent;
pub mod rules;
mod trial;

pub use trial::Trial;
