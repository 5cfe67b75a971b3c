//! The integration tests, in one binary because each binary links the whole program again.

mod engine_kill;
mod flow;
mod graphs;
mod paths;
mod support;
mod tidy;
