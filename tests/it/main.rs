//! The integration tests, in one binary because each binary links the whole program again.

mod flow;
mod graphs;
mod support;
mod tidy;
