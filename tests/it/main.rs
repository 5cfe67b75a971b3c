//! The integration tests, in one binary because each binary links the whole program again.

mod engine_kill;
mod flow;
mod graphs;
#[cfg(test)]
mod lesson_files;
mod paths;
#[cfg(test)]
mod store_conformance;
#[cfg(test)]
mod store_engine;
#[cfg(test)]
mod store_kill;
#[cfg(test)]
mod store_kit;
#[cfg(test)]
mod store_rebuild;
#[cfg(test)]
mod store_sqlite;
mod support;
mod tidy;
