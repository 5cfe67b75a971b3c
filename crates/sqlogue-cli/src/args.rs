//! The words of the command line.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use jiff::civil::Date;

#[cfg(feature = "serve")]
use super::serve;
use super::{ask, batch, chat, check, classify, completions, eval, graph, lessons, schema, sessions};
use sqlogue::config::ReasonerKind;
use sqlogue::model::PhaseUse;

/// Ask a database questions in conversation.
///
/// Without a command it opens a chat; without a database it asks a small sample database that ships inside. No key, no
/// file and no network are needed.
#[derive(Debug, Parser)]
#[command(name = "sqlogue", version, max_term_width = 100, after_help = EXAMPLES)]
pub(super) struct Arguments {
    // Under a heading of their own, so that each command's help begins with its own flags.
    #[command(flatten, next_help_heading = "Flags of every command")]
    pub(super) common: Common,
    #[command(flatten, next_help_heading = "Flags of every command")]
    pub(super) logging: Logging,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  sqlogue                                        chat about the sample database
  sqlogue --db shop.db                           chat about a database of yours
  sqlogue ask \"How many customers are there?\"    one question, one answer
  sqlogue ask \"Which are from Rome?\" --state talk.json --save-state talk.json
  sqlogue batch --db shop.db < questions.jsonl   many questions, as JSON lines

Exit codes:
  0 answered   1 internal error   2 wrong usage, or a file that cannot be used
  3 the turn failed   4 a correction is awaited
  Of the commands for many lines: 0 where any line was answered, or with `--strict` where all were";

/// What every command takes.
#[derive(Debug, Default, Args)]
pub(super) struct Common {
    /// The database to ask: a path or a URL such as `sqlite:shop.db`; the embedded sample if none is given
    // Its value may hold a password, so help must not show it.
    #[arg(long, global = true, value_name = "URL", env = "SQLOGUE_DATABASE", hide_env_values = true)]
    pub(super) db: Option<String>,
    /// A data dictionary in Excel: what the tables and columns of the database mean
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) dictionary: Option<PathBuf>,
    /// The settings file; `sqlogue.toml` in the current folder if there is one
    #[arg(long, global = true, value_name = "FILE", env = "SQLOGUE_CONFIG", hide_env_values = true)]
    pub(super) config: Option<PathBuf>,
    /// Who judges: `rules` needs no key and no network; `openai` asks a model; `hybrid` asks one where rules are unsure
    #[arg(long, global = true, value_name = "NAME", value_parser = reasoner)]
    pub(super) reasoner: Option<ReasonerKind>,
    /// How a model is asked: in one call (`never`), phase by phase (`always`), or as the schema's size has it (`auto`)
    #[arg(long, global = true, value_name = "WHEN", value_parser = phases)]
    pub(super) phases: Option<PhaseUse>,
    /// How often a model is asked for its query at most, where it and the rules come to different answers; 1 to 9
    #[arg(long, global = true, value_name = "N")]
    pub(super) samples: Option<u32>,
    /// Write every exchange with the model to this file, keys never
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Answer for the model from a recorded file, without any server
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "record")]
    pub(super) replay: Option<PathBuf>,
    /// How to print: `table`, `json`, `jsonl`, `csv` or `markdown`, an answer also as `html`, `xlsx` or `parquet`; charts as `svg`
    /// or `vega-lite`; graphs as `dot`, `mermaid`, `svg` or `json`
    #[arg(long, global = true, value_name = "FORMAT", hide_possible_values = true)]
    pub(super) format: Option<Format>,
    /// At most this many rows of a result are shown and kept in the conversation
    #[arg(long, global = true, value_name = "ROWS")]
    pub(super) result_limit: Option<usize>,
    /// CSV with every text as it is, also where a spreadsheet would run it as a formula
    #[arg(long, global = true)]
    pub(super) raw: bool,
    /// Read files anew, and keep no tables of them for the next time
    #[arg(long, global = true)]
    pub(super) no_file_cache: bool,
    /// Ask for the password of a PostgreSQL or MySQL database whose URL has none
    #[arg(long, short = 'W', global = true)]
    pub(super) password: bool,
    /// The day that `today` and `last month` are counted from, such as `2026-07-01`; the clock's if none is given
    #[arg(long, global = true, value_name = "DATE", value_parser = day)]
    pub(super) today: Option<Date>,
    /// Where conversations are kept: a file, or a `postgres://` URL
    // Its value may hold a password, so help must not show it.
    #[arg(long, global = true, value_name = "PLACE", hide_env_values = true)]
    pub(super) store: Option<String>,
}

/// How much is written about what sqlogue does, and in which form.
#[derive(Debug, Clone, Default, Args)]
pub struct Logging {
    /// Say on standard error what is done; twice for more
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// The form of these messages
    #[arg(long, global = true, value_name = "FORM", default_value = "text")]
    pub log_format: LogFormat,
    /// Which messages: a level, or `module=level` pairs
    #[arg(long, hide = true, env = "SQLOGUE_LOG")]
    pub log: Option<String>,
}

/// The form of the trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

impl Logging {
    /// The filter in tracing's words. Without a wish only errors are told: answers carry their own warnings.
    pub fn filter(&self) -> &str {
        match (self.verbose, &self.log) {
            (0, Some(filter)) if !filter.is_empty() => filter,
            (0, _) => "error",
            (1, _) => "sqlogue=info,warn",
            (2, _) => "sqlogue=debug,info",
            _ => "sqlogue=trace,debug",
        }
    }

    /// The form of the trace.
    pub fn form(&self) -> LogFormat {
        self.log_format
    }
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Table,
    Json,
    Jsonl,
    Csv,
    #[value(alias = "md")]
    Markdown,
    Dot,
    Mermaid,
    Svg,
    VegaLite,
    Xlsx,
    Parquet,
    Html,
}

impl Format {
    /// The name as it is typed.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
            Self::Dot => "dot",
            Self::Mermaid => "mermaid",
            Self::Svg => "svg",
            Self::VegaLite => "vega-lite",
            Self::Xlsx => "xlsx",
            Self::Parquet => "parquet",
            Self::Html => "html",
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Talk with a database; what happens when no command is given
    Chat(chat::ChatArguments),
    /// Ask one question
    Ask(ask::AskArguments),
    /// Answer questions from standard input, one JSON object a line
    #[command(after_help = batch::LINES)]
    Batch(batch::BatchArguments),
    /// Draw the graph that every turn walks through
    Graph(graph::GraphArguments),
    /// Tell new questions from follow-ups, one JSON object a line
    #[command(after_help = classify::LINES)]
    Classify(classify::ClassifyArguments),
    /// Say which SQL may run, one JSON object a line
    #[command(after_help = check::LINES)]
    Check(check::CheckArguments),
    /// Measure how often answers are right, on questions with gold SQL
    Eval(eval::EvalArguments),
    /// Show what sqlogue sees of a database: tables, columns, keys, samples
    Schema(schema::SchemaArguments),
    /// Conversations that are kept: list, show, undo, branch, export, delete
    Sessions(sessions::SessionsArguments),
    /// What was learnt about databases: list, show, add, remove, export
    Lessons(lessons::LessonsArguments),
    /// Serve browsers, programs and assistants over HTTP
    #[cfg(feature = "serve")]
    Serve(serve::ServeArguments),
    /// Serve an assistant on standard input and output (MCP)
    #[cfg(feature = "serve")]
    Mcp,
    /// Shell completions and man pages: print them, or install them for yourself
    Completions(completions::CompletionsArguments),
}

impl Default for Command {
    fn default() -> Self {
        Self::Chat(chat::ChatArguments::default())
    }
}

/// A reasoner by the name that the settings use.
fn reasoner(name: &str) -> Result<ReasonerKind, String> {
    serde_json::from_value(serde_json::Value::String(name.to_owned()))
        .map_err(|_| "`rules`, `openai` or `hybrid`".to_owned())
}

/// When a model is asked phase by phase, by the name that the settings use.
fn phases(name: &str) -> Result<PhaseUse, String> {
    serde_json::from_value(serde_json::Value::String(name.to_owned()))
        .map_err(|_| "`never`, `always` or `auto`".to_owned())
}

/// A day as `2026-07-01`.
fn day(text: &str) -> Result<Date, String> {
    text.parse().map_err(|_| "a day is written as year, month and day, such as `2026-07-01`".to_owned())
}
