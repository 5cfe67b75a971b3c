//! `sqlogue graph`: the graph that every turn walks through.

use std::path::PathBuf;

use clap::Args;

use super::args::Format;
use super::connect::Setup;
use super::failure::{Exit, Failure};

/// What `graph` takes.
#[derive(Debug, Args)]
pub(super) struct GraphArguments {
    /// Paint the way that a recorded run took
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
}

/// Draws the graph.
pub(super) async fn run(_arguments: &GraphArguments, setup: Setup) -> Result<Exit, Failure> {
    setup.format("graph", &[Format::Dot, Format::Mermaid, Format::Svg, Format::Json])?;
    Err(Failure::internal("not yet"))
}
