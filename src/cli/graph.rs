//! `sqlogue graph`: the graph that every turn walks through, and the way that a recorded turn took.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::args::Format;
use super::connect::{Setup, read_text};
use super::failure::{Exit, Failure};
use super::output::Output;
use super::sessions::{known, turn_of};
use crate::base::json;
use crate::graph::Trace;

/// What `graph` takes.
#[derive(Debug, Args)]
pub(super) struct GraphArguments {
    /// Paint the way that a recorded turn took; `ask --save-run FILE` saves one
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
    /// Paint the way that a turn of a stored conversation took: its last one, or `--turn`
    #[arg(long, value_name = "ID", conflicts_with = "run")]
    session: Option<String>,
    /// Which turn, by its number
    #[arg(long, value_name = "N", requires = "session")]
    turn: Option<u64>,
}

/// Draws the graph.
pub(super) async fn run(arguments: &GraphArguments, mut setup: Setup) -> Result<Exit, Failure> {
    let format = setup.format("graph", &[Format::Dot, Format::Mermaid, Format::Svg, Format::Json])?;
    let trace = match &arguments.session {
        Some(id) => Some(stored(id, arguments.turn, &mut setup).await?),
        None => arguments.run.as_deref().map(load).transpose()?,
    };
    // The graph is the same for every database, so the one that needs nothing will do.
    let engine = setup.engine_for(String::new())?;
    let graph = engine.graph();
    let picture = match &trace {
        Some(trace) => graph.picture_of(trace),
        None => graph.picture(),
    };
    let drawing = match format {
        Format::Mermaid => picture.mermaid(),
        Format::Svg => picture.svg(),
        Format::Json => picture.json(),
        _ => picture.dot(),
    };
    let mut output = Output::standard();
    output.data(&drawing)?;
    if !drawing.ends_with('\n') {
        output.data("\n")?;
    }
    output.flush()?;
    Ok(Exit::Answered)
}

fn load(path: &Path) -> Result<Trace, Failure> {
    let text = read_text("recorded run", path)?;
    json::read(&text).map_err(|error| {
        Failure::usage(format!("`{}` is no recorded run: {error}", path.display()))
            .hint("save one with `sqlogue ask QUESTION --save-run FILE`")
    })
}

async fn stored(id: &str, number: Option<u64>, setup: &mut Setup) -> Result<Trace, Failure> {
    let sessions = setup.sessions()?;
    let run = match number {
        Some(number) => turn_of(&sessions, id, number).await?.run,
        None => {
            let head = known(&sessions, id).await?.position.head;
            head.ok_or_else(|| Failure::usage(format!("no turn of session `{id}` is finished")))?
        }
    };
    Ok(Trace::of_record(run, &sessions.record(id, run).await?))
}
