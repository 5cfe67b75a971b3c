//! The integration tests, in one binary because each binary links the whole program again.
// `cfg(test)` always holds here; it tells clippy that helpers are tests too and may unwrap.
#![cfg(test)]

mod cli_ask;
mod cli_batch;
mod cli_chat;
mod cli_dialog_dm;
mod cli_dialog_irw;
mod cli_kit;
mod engine_kill;
mod flow;
mod graphs;
mod lesson_files;
mod paths;
mod store_conformance;
mod store_kill;
mod store_kit;
mod store_rebuild;
mod store_sqlite;
mod support;
mod tidy;
