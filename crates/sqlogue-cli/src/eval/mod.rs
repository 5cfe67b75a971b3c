//! `sqlogue eval`: how often answers are right, on questions with gold SQL.
//!
//! Every question goes through the engine as a user's would, every conversation on the system's own history. An answer is
//! right when its rows are those of the gold query, run by the same guard and limits.

mod measure;
mod report;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::Args;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::args::Format;
use super::connect::{Setup, read_file};
use super::databases::file_of;
use super::failure::{Exit, Failure};
use super::line::to_json;
use super::output::Output;
use super::ticker::Ticker;
use measure::{Outcome, measure};
use report::Report;
use sqlogue_eval::load::{self, Example};
use sqlogue_eval::report::misses;
use sqlogue_eval::split::Split;

/// What `eval` takes.
#[derive(Debug, Args)]
pub(super) struct EvalArguments {
    /// Questions with their SQL, shaped like Spider, SParC or CoSQL
    #[arg(long, value_name = "FILE")]
    questions: PathBuf,
    /// The folder of their databases: `DIR/name/name.sqlite` or `DIR/name.sqlite`
    #[arg(long, value_name = "DIR")]
    database_dir: PathBuf,
    /// Only the databases of one part: `fit`, or `held-out` for those that nothing was tuned on
    #[arg(long, value_name = "PART", value_parser = split)]
    split: Option<Split>,
    /// How many questions or conversations of each database; all unless set
    #[arg(long, value_name = "N")]
    each: Option<usize>,
    /// How many databases are measured side by side; latency is best measured with one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Write every question with its answer to this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    details: Option<PathBuf>,
    /// Write the wrong answers to this file, each with both queries
    #[arg(long, value_name = "FILE")]
    misses: Option<PathBuf>,
}

fn split(name: &str) -> Result<Split, String> {
    Split::named(name).ok_or_else(|| "the parts are `fit` and `held-out`".to_owned())
}

/// The most bytes of a file of questions.
const LARGEST: u64 = 256 << 20;

/// Asks everything and says how well it went.
pub(super) async fn run(arguments: &EvalArguments, setup: Setup) -> Result<Exit, Failure> {
    let format = setup.format("eval", &[Format::Table, Format::Json])?;
    let text = read_file("file of questions", &arguments.questions, LARGEST)?;
    let examples = load::examples(&text).map_err(|error| {
        Failure::usage(format!("`{}` cannot be used: {error}", arguments.questions.display()))
            .hint("it must be a JSON list with `db_id`, `question` and `query`, or with `interaction` in place of the two")
    })?;
    let is_dialogue = examples.iter().any(|example| example.turns.len() > 1);
    let groups = groups(examples, arguments);
    let outcomes = ask_all(groups, arguments, setup).await?;
    if let Some(path) = &arguments.details {
        let lines: String = outcomes.iter().map(|outcome| to_json(outcome) + "\n").collect();
        sqlogue_base::files::replace(path, lines.as_bytes()).map_err(|error| {
            Failure::usage(format!("the details cannot be saved as `{}`: {error}", path.display()))
        })?;
    }
    if let Some(path) = &arguments.misses {
        let scored: Vec<_> = outcomes.iter().filter(|outcome| outcome.scored).map(Outcome::scored).collect();
        sqlogue_base::files::replace(path, misses(&scored).as_bytes()).map_err(|error| {
            Failure::usage(format!("the misses cannot be saved as `{}`: {error}", path.display()))
        })?;
    }
    let report = Report::of(&outcomes, is_dialogue);
    let mut output = Output::standard();
    match format {
        Format::Json => output.data(&(to_json(&report) + "\n"))?,
        _ => output.data(&report.shown())?,
    }
    output.flush()?;
    Ok(Exit::Answered)
}

/// The questions of each database together, so that each database is opened once.
fn groups(examples: Vec<Example>, arguments: &EvalArguments) -> BTreeMap<String, Vec<Example>> {
    let mut groups: BTreeMap<String, Vec<Example>> = BTreeMap::new();
    for example in examples {
        if arguments.split.is_none_or(|split| Split::of(&example.database) == split) {
            let group = groups.entry(example.database.clone()).or_default();
            if arguments.each.is_none_or(|each| group.len() < each) {
                group.push(example);
            }
        }
    }
    groups
}

async fn ask_all(
    groups: BTreeMap<String, Vec<Example>>,
    arguments: &EvalArguments,
    setup: Setup,
) -> Result<Vec<Outcome>, Failure> {
    let count = groups.len();
    let questions: usize = groups.values().flatten().map(|example| example.turns.len()).sum();
    let asked = Arc::new(AtomicUsize::new(0));
    let (setup, permits) = (Arc::new(setup), Arc::new(Semaphore::new(arguments.jobs.into())));
    let mut tasks = JoinSet::new();
    for (position, (name, examples)) in groups.into_iter().enumerate() {
        let path = file_of(&arguments.database_dir, &name).map_err(Failure::usage)?;
        let (setup, permits, asked) = (Arc::clone(&setup), Arc::clone(&permits), Arc::clone(&asked));
        tasks.spawn(async move {
            let _permit = permits.acquire().await;
            let engine = setup.engine_for(path.to_string_lossy().into_owned())?;
            Ok::<_, sqlogue::Error>((position, measure(&engine, position, examples, &asked).await))
        });
    }
    let mut measured = Vec::with_capacity(count);
    let mut ticker = Ticker::new();
    let mut step = tokio::time::interval(Duration::from_millis(200));
    loop {
        tokio::select! {
            done = tasks.join_next() => {
                let Some(done) = done else { break };
                let (position, outcomes) = done.map_err(|error| Failure::internal(error.to_string()))??;
                measured.push((position, outcomes));
            }
            _ = step.tick() => {}
        }
        ticker.draw(|| {
            let asked = asked.load(Ordering::Relaxed);
            format!("{asked}/{questions} questions, {}/{count} databases", measured.len())
        });
    }
    ticker.wipe();
    measured.sort_by_key(|(position, _)| *position);
    Ok(measured.into_iter().flat_map(|(_, outcomes)| outcomes).collect())
}
