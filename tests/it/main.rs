<<<<<<< HEAD
//! The integration tests, in one binary because each binary links the whole program again.

mod engine_kill;
mod flow;
mod graphs;
mod paths;
mod support;
mod tidy;
=======
//! Integration tests, in one binary.

#[cfg(test)]
mod lesson_files;
#[cfg(test)]
mod store_conformance;
#[cfg(test)]
mod store_kill;
#[cfg(test)]
mod store_kit;
#[cfg(test)]
mod store_rebuild;
#[cfg(test)]
mod store_sqlite;
>>>>>>> memory
