//! `sqlogue sessions`: conversations that are kept.

mod difference;
mod export;
mod look;
mod rerun;

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::connect::{Setup, read_file};
use super::failure::{Exit, Failure};
use super::output::Output;
use super::show::counted;
use sqlogue::engine::Turned;
use sqlogue::graph::{Clock as _, RunId, SystemClock, SystemIds};
use sqlogue::store::{ImportAs, Retention, Sessions, StoreError, StoredSession, TurnInfo};

/// What `sessions` takes.
#[derive(Debug, Args)]
pub(super) struct SessionsArguments {
    #[command(subcommand)]
    command: SessionsCommand,
}

/// What is done with stored conversations.
#[derive(Debug, Subcommand)]
enum SessionsCommand {
    /// List them, the latest used first
    List(look::ListArguments),
    /// Show one: its turns, one turn, or the state after one step
    Show(look::ShowArguments),
    /// Take the last turn of one back
    Undo { id: String },
    /// Bring it back
    Redo { id: String },
    /// Begin a conversation that goes on from another; nothing is copied
    Branch {
        id: String,
        /// The id of the new one; made up where there is none
        new_id: Option<String>,
        /// Go on after this turn instead of the last
        #[arg(long, value_name = "N")]
        turn: Option<u64>,
    },
    /// Write one into a file of its own, with everything to go on with it elsewhere; `--format markdown` is for reading
    Export {
        id: String,
        /// The file, beside which Markdown has its charts in a folder; standard output if none is given
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Rows too, as far as they are stored
        #[arg(long)]
        rows: bool,
        /// With `--format markdown`: run the queries whose rows are not stored again, for a table under each answer
        #[arg(long)]
        run: bool,
    },
    /// Make a conversation of an exported file
    Import {
        file: PathBuf,
        /// Its id here; made up where none is given
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// To be looked at and branched only
        #[arg(long)]
        read_only: bool,
    },
    /// Delete conversations for good
    Delete {
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Finish turns that were interrupted
    Resume { id: String },
    /// Drop turns that were interrupted
    Drop { id: String },
    /// Delete what is not to be kept
    Prune {
        /// Those not used for this number of days
        #[arg(long, value_name = "DAYS")]
        older_than: Option<u32>,
        /// All but this number of the latest used
        #[arg(long, value_name = "N")]
        keep: Option<usize>,
        /// The longest unused, until the store has at most this number of megabytes
        #[arg(long, value_name = "MB")]
        max_size: Option<u64>,
    },
    /// Give space that is not in use back to the system
    Vacuum,
    /// Ask everything again, with `--db` or `--reasoner` of now, and show what differs (then the exit code is 3)
    Rerun { id: String },
}

/// Does it.
pub(super) async fn run(arguments: &SessionsArguments, mut setup: Setup) -> Result<Exit, Failure> {
    let sessions = setup.sessions()?;
    let command = &arguments.command;
    let done = match command {
        SessionsCommand::List(list) => return look::list(&sessions, list, &setup).await,
        SessionsCommand::Show(show) => return look::show(&sessions, show, &setup).await,
        SessionsCommand::Rerun { id } => return rerun::run(&sessions, id, &setup).await,
        SessionsCommand::Export { id, output, rows, run } => {
            return export::run(
                &sessions,
                id,
                output.as_deref(),
                export::What { rows: *rows, run: *run },
                &setup,
            )
            .await;
        }
        SessionsCommand::Resume { id } => return resume(&sessions, id, &mut setup).await,
        SessionsCommand::Undo { id } => stands(&sessions.undo(id).await?.state.user_question),
        SessionsCommand::Redo { id } => stands(&sessions.redo(id).await?.state.user_question),
        SessionsCommand::Branch { id, new_id, turn } => {
            branch(&sessions, id, new_id.as_deref(), *turn).await?
        }
        SessionsCommand::Import { file, session, read_only } => {
            let new_id = session.clone().unwrap_or_else(new_id);
            let import_as = if *read_only { ImportAs::ReadOnly } else { ImportAs::Branch };
            let text = read_file("exported conversation", file, LARGEST)?;
            let now = SystemClock.now();
            let opened = sessions.import(&text, &new_id, import_as, &SystemIds, now).await;
            let opened = opened.map_err(|error| match error {
                StoreError::Damaged { .. } => Failure::usage(format!("`{}`: {error}", file.display())),
                error => error.into(),
            })?;
            let turns = counted(sessions.turns(&opened.session.id).await?.len() as u64, "turn");
            format!("Imported {turns} as {new_id}.")
        }
        SessionsCommand::Delete { ids } => {
            for id in ids {
                if !sessions.delete(id).await? {
                    return Err(StoreError::UnknownSession { id: id.clone() }.into());
                }
            }
            format!("Deleted {}.", counted(ids.len() as u64, "session"))
        }
        SessionsCommand::Drop { id } => {
            let interrupted = sessions.interrupted(id).await?;
            for turn in &interrupted {
                sessions.drop_turn(turn.run).await?;
            }
            format!("Dropped {}.", counted(interrupted.len() as u64, "interrupted turn"))
        }
        SessionsCommand::Prune { older_than, keep, max_size } => {
            prune(&sessions, *older_than, *keep, *max_size).await?
        }
        SessionsCommand::Vacuum => {
            let before = sessions.store().size().await?;
            sessions.vacuum().await?;
            let after = sessions.store().size().await?;
            format!("The store takes {after} bytes now; before, it took {before}.")
        }
    };
    let mut output = Output::standard();
    output.data(&(done + "\n"))?;
    output.flush()?;
    Ok(Exit::Answered)
}

/// An exported conversation larger than this is not read.
const LARGEST: u64 = 256 << 20;

fn new_id() -> String {
    Uuid::now_v7().to_string()
}

fn stands(question: &str) -> String {
    match question {
        "" => "The conversation stands at its beginning.".to_owned(),
        question => format!("The conversation stands after: {question}"),
    }
}

async fn branch(
    sessions: &Sessions,
    id: &str,
    new_id: Option<&str>,
    number: Option<u64>,
) -> Result<String, Failure> {
    let run = match number {
        Some(number) => Some(turn_of(sessions, id, number).await?.run),
        None => None,
    };
    let new_id = new_id.map_or_else(self::new_id, str::to_owned);
    sessions.branch(id, run, &new_id, SystemClock.now()).await?;
    Ok(format!("Go on with `sqlogue chat --session {new_id}`."))
}

async fn resume(sessions: &Sessions, id: &str, setup: &mut Setup) -> Result<Exit, Failure> {
    let opened = sessions.open(id).await?;
    let (interrupted, running) = (opened.interrupted, opened.running);
    let engine = setup.engine_of_session(id).await?;
    let mut output = Output::standard();
    if let Some(turn) = running.first() {
        output.data(&format!("{}: it is running in another process\n", turn.input))?;
    } else if interrupted.is_empty() {
        output.data("No turn was interrupted where the conversation stands.\n")?;
    }
    // Of several that began at one place, the first that is finished takes it; the others no longer fit.
    if let Some(turn) = interrupted.first() {
        let ended = match engine.resume(turn.run).await? {
            Turned::Done(answer) => answer.state.status.name().replace('_', " "),
            Turned::Paused(_) => "it waits for an approval, which `chat --confirm` asks for".to_owned(),
        };
        output.data(&format!("{}: {ended}\n", turn.input))?;
    }
    output.flush()?;
    Ok(Exit::Answered)
}

async fn prune(
    sessions: &Sessions,
    days: Option<u32>,
    keep: Option<usize>,
    megabytes: Option<u64>,
) -> Result<String, Failure> {
    let retention = Retention {
        max_age: days.map(|days| SignedDuration::from_hours(24 * i64::from(days))),
        max_sessions: keep,
        max_bytes: megabytes.map(|megabytes| megabytes.saturating_mul(1_000_000)),
    };
    if retention == Retention::default() {
        return Err(Failure::usage("nothing says what is to be deleted")
            .hint("use `--older-than DAYS`, `--keep N` or `--max-size MB`"));
    }
    let now: Timestamp = SystemClock.now();
    let pruned = sessions.prune(&retention, now).await?;
    Ok(format!("Deleted {}.", counted(pruned.sessions.len() as u64, "session")))
}

/// The turn of that number: the one on the way to where the session stands, then one that was undone.
pub(super) async fn turn_of(sessions: &Sessions, id: &str, number: u64) -> Result<TurnInfo, Failure> {
    let session = known(sessions, id).await?;
    let turns = sessions.turns(id).await?;
    let found = [session.position.head, session.position.tip]
        .into_iter()
        .find_map(|end| line(&turns, end).into_iter().find(|turn| turn.number == number))
        .or_else(|| turns.iter().rev().find(|turn| turn.number == number));
    found.cloned().ok_or_else(|| {
        Failure::usage(format!("session `{id}` has no turn {number}"))
            .hint(format!("`sqlogue sessions show {id}` lists them"))
    })
}

pub(super) async fn known(sessions: &Sessions, id: &str) -> Result<StoredSession, Failure> {
    sessions.store().session(id).await?.ok_or_else(|| StoreError::UnknownSession { id: id.to_owned() }.into())
}

/// The turns that lead to one, that one first.
pub(super) fn line(turns: &[TurnInfo], end: Option<RunId>) -> Vec<&TurnInfo> {
    let mut line = Vec::new();
    let mut next = end;
    while let Some(turn) = next.and_then(|run| turns.iter().find(|turn| turn.run == run)) {
        line.push(turn);
        next = turn.parent;
        if line.len() > turns.len() {
            break;
        }
    }
    line
}
