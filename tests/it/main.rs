//! The integration tests, in one binary because each binary links the whole program again.

mod cli_ask;
mod cli_batch;
mod cli_chat;
mod cli_dialog_dm;
mod cli_dialog_irw;
mod cli_kit;
mod engine_kill;
mod flow;
mod graphs;
mod paths;
mod support;
mod tidy;
