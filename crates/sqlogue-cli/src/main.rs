//! The `sqlogue` program: parse, call the engine, show what comes of it.
//!
//! One file a command; `show` is how answers look, `output` the one writer to standard output, `failure` how a command
//! ends without an answer. Nothing here judges, plans or touches a database: that is the engine's.

mod args;
mod ask;
mod batch;
mod chat;
mod check;
mod classify;
#[cfg(feature = "otel")]
mod collector;
#[cfg(not(feature = "otel"))]
#[path = "no_collector.rs"]
mod collector;
mod completions;
mod connect;
mod databases;
mod dry_run;
mod eval;
mod failure;
mod graph;
mod lessons;
mod line;
mod lines;
mod loading;
mod named;
mod output;
mod pager;
mod password;
mod recent;
mod references;
mod schema;
#[cfg(feature = "serve")]
mod serve;
mod sessions;
mod shapes;
mod show;
mod tally;
mod ticker;
mod trace;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser as _};
use tokio::runtime::{Builder, Runtime};

use args::{Arguments, Command};
use connect::Setup;
use failure::{Exit, Failure};
use sqlogue_base::secret::redact;

fn main() -> ExitCode {
    let invocation = match parse(std::env::args_os()) {
        Ok(invocation) => invocation,
        Err(exit) => return exit,
    };
    // Held to the end: what it has not taken by then is sent when it is let go.
    let _collector = match trace::begin(&invocation.arguments) {
        Ok(collector) => collector,
        Err(failure) => return failure.tell(),
    };
    run(invocation)
}

/// A command line that was understood.
#[derive(Debug)]
struct Invocation {
    arguments: Arguments,
    /// What to say before anything is done.
    warning: Option<String>,
}

/// Reads the command line; what cannot be read is said on standard error, and help on standard output.
///
/// # Errors
/// The code to exit with: 0 after help, 2 after a mistake.
fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Invocation, ExitCode> {
    let words: Vec<OsString> = arguments.into_iter().collect();
    match Arguments::try_parse_from(&words) {
        Ok(arguments) => {
            let warning = password::exposed(&arguments.common, &words);
            Ok(Invocation { arguments, warning })
        }
        Err(mut error) => {
            advise(&mut error);
            advise_question(&mut error, &words);
            // A closed pipe is nothing to complain about, least of all into that pipe.
            match redact(&error.to_string()) {
                Cow::Borrowed(_) => drop(error.print()),
                Cow::Owned(message) => drop(io::stderr().write_all(message.as_bytes())),
            }
            Err(if error.use_stderr() { Exit::Usage.into() } else { ExitCode::SUCCESS })
        }
    }
}

/// Says what would work to those who name a database or ask a question where a command is meant.
fn advise(error: &mut clap::Error) {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let is_question = word.contains(' ');
    let advice = if names_data(word) {
        "a database is named by `--db`, such as `sqlogue --db shop.db`"
    } else if is_question {
        "a question stands behind `ask`, such as `sqlogue ask \"How many customers are there?\"`"
    } else if let Some(near) =
        schema::nearest(word, Arguments::command().get_subcommands().map(clap::Command::get_name))
    {
        // The parser's own measure misses swapped letters.
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near.to_owned()]));
        return;
    } else {
        error.remove(ContextKind::SuggestedSubcommand);
        "`sqlogue --help` lists the commands; a database is named by `--db`"
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
}

/// Whether a word of the command line looks like a database.
fn names_data(word: &str) -> bool {
    let path = Path::new(word);
    word.contains("://") || path.exists() || path.extension().is_some() && !word.contains(' ')
}

/// Says what would work to those who name a database before their question, or write the question without quotes.
fn advise_question(error: &mut clap::Error, words: &[OsString]) {
    let Some(ContextValue::String(unread)) = error.get(ContextKind::InvalidArg) else { return };
    let asks = words.iter().any(|word| word == "ask");
    if !asks || error.kind() != ErrorKind::UnknownArgument || unread.starts_with('-') {
        return;
    }
    let is_value = |before: &OsString| before.to_string_lossy().starts_with("--");
    let is_data = |pair: &[OsString]| match pair {
        [before, word] => !is_value(before) && names_data(&word.to_string_lossy()),
        _ => false,
    };
    let advice = if words.windows(2).any(is_data) {
        "a database is named by `--db`, such as `sqlogue ask --db shop.db \"How many customers are there?\"`"
    } else {
        "a question stands in quotes, such as `sqlogue ask \"How many customers are there?\"`"
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
}

/// Runs the command and says on standard error why it failed, if it did.
fn run(invocation: Invocation) -> ExitCode {
    if let Some(warning) = &invocation.warning {
        // Where standard error is closed there is nobody to warn.
        drop(writeln!(io::stderr(), "{warning}"));
    }
    match command(invocation.arguments) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.tell(),
    }
}

fn command(arguments: Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        // What needs no settings works where they are wrong.
        Some(Command::Completions(completions)) => return completions::run(completions),
        Some(Command::Batch(batch)) if batch.lines.json_schema => return batch::schema(),
        Some(Command::Classify(classify)) if classify.lines.json_schema => return classify::schema(),
        Some(Command::Check(check)) if check.lines.json_schema => return check::schema(),
        _ => {}
    }
    let setup = Setup::new(arguments.common)?;
    let runtime = runtime()?;
    let exit = match arguments.command.unwrap_or_default() {
        Command::Chat(chat) => chat::run(&runtime, &chat, setup),
        Command::Ask(ask) => runtime.block_on(ask::run(&ask, setup)),
        Command::Batch(batch) => runtime.block_on(batch::run(&batch, setup)),
        Command::Graph(graph) => runtime.block_on(graph::run(&graph, setup)),
        Command::Classify(classify) => runtime.block_on(classify::run(&classify, setup)),
        Command::Check(check) => runtime.block_on(check::run(&check, setup)),
        Command::Eval(eval) => runtime.block_on(eval::run(&eval, setup)),
        Command::Schema(schema) => runtime.block_on(schema::run(&schema, setup)),
        Command::Lessons(lessons) => runtime.block_on(lessons::run(&lessons, setup)),
        Command::Completions(completions) => completions::run(&completions),
        Command::Sessions(sessions) => runtime.block_on(sessions::run(&sessions, setup)),
        #[cfg(feature = "serve")]
        Command::Serve(serve) => runtime.block_on(serve::run(&serve, setup)),
        #[cfg(feature = "serve")]
        Command::Mcp => runtime.block_on(serve::mcp(setup)),
    };
    // A query that was cancelled may still be winding down, and nobody waits for it.
    runtime.shutdown_background();
    exit
}

fn runtime() -> Result<Runtime, Failure> {
    Builder::new_multi_thread()
        .enable_all()
        // Plans nest, and walking them on the default 2 MB leaves little room in an unoptimised build.
        .thread_stack_size(8 << 20)
        .build()
        .map_err(|error| Failure::internal(format!("the runtime cannot be started: {error}")))
}
