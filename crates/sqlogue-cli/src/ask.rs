//! `sqlogue ask`: one turn.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::Value as Json;

use super::args::Format;
use super::connect::{Setup, read_text};
use super::dry_run;
use super::failure::{Exit, Failure};
use super::line::{Form, Line, to_json};
use super::output::{self, Output};
use super::pager;
use super::show::answer::{self, View};
use super::show::chart::{self, PLACES};
use super::show::{delimited, html, parquet, sql, text, workbook};
use sqlogue::chart::{Chart, Wish};
use sqlogue::conversation::{ConversationState, Status};
use sqlogue::database::Database;
use sqlogue::dialog::Session;
use sqlogue::engine::{Answer, Engine, Paused, TurnOptions, Turned};
use sqlogue::graph::Recorder;
use sqlogue::intent::Intent;
use sqlogue::schema::Value;
use sqlogue_base::files;

/// What `ask` takes.
#[derive(Debug, Args)]
pub(super) struct AskArguments {
    /// The question, in plain words
    question: String,
    /// Go on with the conversation saved in this file
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Go on with the stored conversation of this name, or begin it
    #[arg(long, value_name = "ID", conflicts_with = "state")]
    session: Option<String>,
    /// Save the conversation to this file
    #[arg(long, value_name = "FILE")]
    save_state: Option<PathBuf>,
    /// Show the SQL and wait for a yes before it runs
    #[arg(long)]
    confirm: bool,
    /// Print what a model would be asked, and ask nobody
    #[arg(long, conflicts_with_all = ["save_state", "session", "save_run"])]
    dry_run: bool,
    /// Draw the answer in characters below its rows; `bars`, `line` or `points` instead of what fits, also for `--format svg`
    #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, value_parser = wish)]
    chart: Option<Option<Wish>>,
    /// Say how the question was understood
    #[arg(long)]
    explain: bool,
    /// Write the way through the graph to this file, for `sqlogue graph --run FILE`
    #[arg(long, value_name = "FILE")]
    save_run: Option<PathBuf>,
}

/// A kind of picture by its name.
fn wish(name: &str) -> Result<Wish, String> {
    Wish::named(name).ok_or_else(|| "a chart is `bars`, `line` or `points`".to_owned())
}

const FORMATS: &[Format] = &[
    Format::Table,
    Format::Json,
    Format::Jsonl,
    Format::Csv,
    Format::Markdown,
    Format::Html,
    Format::Xlsx,
    Format::Parquet,
    Format::Svg,
    Format::VegaLite,
];

/// Asks, saves, shows.
pub(super) async fn run(arguments: &AskArguments, mut setup: Setup) -> Result<Exit, Failure> {
    let format = setup.format("ask", FORMATS)?;
    if arguments.chart.is_some() && format != Format::Table && !is_drawing(format) {
        return Err(Failure::usage(format!(
            "`--chart` draws below a table, and not below `{}`",
            format.name()
        ))
        .hint("`--format svg` writes a drawing, `--format vega-lite` what draws one"));
    }
    let mut output = Output::standard();
    if matches!(format, Format::Xlsx | Format::Parquet) && output.terminal().is_some() {
        let name = format.name();
        return Err(Failure::usage(format!("`{name}` is nothing that a terminal can show"))
            .hint(format!("write it into a file: `… > answer.{name}`")));
    }
    let previous = arguments.state.as_deref().map(load).transpose()?;
    if arguments.dry_run {
        dry_run::show(&arguments.question, previous, &setup, &mut output).await?;
        return Ok(Exit::Answered);
    }
    let (engine, problem) = setup.kept_engine(arguments.session.as_deref()).await?;
    if let Some(problem) = problem {
        not_kept(&problem.message())?;
    }
    let previous = match &arguments.session {
        Some(id) => {
            let mut session = Session::open(engine.clone(), id).await?;
            for notice in session.take_notices() {
                output::tell(&format!("note: {}", text::clean(&notice.to_string())))?;
            }
            Some(session.state().clone())
        }
        None => previous,
    };
    let recorder = Arc::new(Recorder::new());
    let options = TurnOptions {
        confirm: arguments.confirm,
        observer: Some(recorder.clone()),
        ..TurnOptions::default()
    };
    let answer =
        turn(&engine, arguments, previous, options, |paused, cost| confirmed(paused, cost, &setup, &output))
            .await?;
    // Saved before it is shown: a turn that somebody has seen is not lost.
    let saved = arguments.save_state.as_deref().map_or(Ok(()), |path| save(&answer.state, path));
    let recorded = match (&arguments.save_run, recorder.last()) {
        (Some(path), Some(trace)) => write("recorded run", path, &(to_json(&trace) + "\n")),
        _ => Ok(()),
    };
    show(&answer, format, arguments, &setup, engine.database(), &mut output)?;
    saved.and(recorded)?;
    Ok(if answer::replied(&answer.state) { Exit::Answered } else { answer.state.status.into() })
}

fn load(path: &Path) -> Result<ConversationState, Failure> {
    if !path.exists() {
        return Err(Failure::usage(format!("there is no saved conversation `{}`", path.display()))
            .hint("leave `--state` out to begin a conversation, and save it with `--save-state`"));
    }
    let text = read_text("saved conversation", path)?;
    ConversationState::from_json(&text).map_err(|error| {
        let failure = Failure::from(sqlogue::Error::from(error));
        match failure {
            Failure::Told { exit, message, hint } => {
                let hint =
                    hint.or_else(|| Some("leave `--state` out to begin a new conversation".to_owned()));
                Failure::Told { exit, message: format!("`{}`: {message}", path.display()), hint }
            }
            Failure::NobodyReads => failure,
        }
    })
}

fn save(state: &ConversationState, path: &Path) -> Result<(), Failure> {
    let json = state
        .to_json()
        .map_err(|error| Failure::internal(format!("the conversation cannot be saved: {error}")))?;
    write("conversation", path, &(json + "\n"))
}

fn write(what: &str, path: &Path, content: &str) -> Result<(), Failure> {
    files::replace(path, content.as_bytes()).map_err(|error| {
        Failure::usage(format!("the {what} cannot be saved as `{}`: {error}", path.display()))
    })
}

async fn turn(
    engine: &Engine,
    arguments: &AskArguments,
    previous: Option<ConversationState>,
    options: TurnOptions,
    confirm: impl Fn(&Paused, Option<String>) -> Result<bool, Failure>,
) -> Result<Answer, Failure> {
    let question = arguments.question.as_str();
    let mut turned = match engine.turn(question, previous.clone(), options.clone()).await {
        Err(error) if error.is_storage() && engine.sessions().is_some() => {
            not_kept(&error.to_string())?;
            engine.without_store().turn(question, previous, options.clone()).await?
        }
        turned => turned?,
    };
    loop {
        match turned {
            Turned::Done(answer) => return Ok(*answer),
            Turned::Paused(paused) => {
                let yes = confirm(&paused, engine.cost(paused.sql()).await)?;
                turned = engine.approve(*paused, yes, options.clone()).await?;
            }
        }
    }
}

/// An answer is worth more than its record.
fn not_kept(problem: &str) -> Result<(), Failure> {
    Ok(output::tell(&format!("note: The conversation is not kept: {}", text::clean_lines(problem)))?)
}

/// Shows the SQL on standard error, where it is in no program's way, and reads a yes or no.
fn confirmed(paused: &Paused, cost: Option<String>, setup: &Setup, output: &Output) -> Result<bool, Failure> {
    let view = setup.view(output, "");
    let mut stderr = io::stderr();
    writeln!(stderr, "{}", sql::show(paused.sql(), view.places.unwrap_or(usize::MAX), view.style))?;
    if let Some(cost) = cost {
        writeln!(stderr, "It would read {cost}.")?;
    }
    write!(stderr, "Run this? [y/N] ")?;
    stderr.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    if !io::stdin().is_terminal() {
        writeln!(stderr)?;
    }
    Ok(is_yes(&line))
}

/// Only a clear yes is one.
pub(super) fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// The command that takes the choice of that number, where the conversation is kept.
fn choosing(number: usize, arguments: &AskArguments) -> Option<String> {
    match (&arguments.session, &arguments.save_state) {
        (Some(id), _) => Some(format!("sqlogue ask {number} --session {id}")),
        (None, Some(path)) => Some(format!("sqlogue ask {number} --state {}", path.display())),
        (None, None) => None,
    }
}

/// The rows in a form that is no text.
fn packed(result: &answer::Result<'_>, format: Format, rows: &[Vec<Value>]) -> Result<Vec<u8>, Failure> {
    let written = if format == Format::Xlsx {
        workbook::xlsx(result.columns, rows)
    } else {
        parquet::parquet(result.columns, rows)
    };
    written.map_err(|problem| {
        Failure::usage(format!("the rows cannot be written as `{}`: {problem}", format.name()))
            .hint("use another `--format`")
    })
}

/// True for what is told and is no error: the reply to a greeting, or to a command in plain words.
fn is_told(state: &ConversationState) -> bool {
    state.intent == Some(Intent::Command) || answer::replied(state)
}

fn is_drawing(format: Format) -> bool {
    matches!(format, Format::Svg | Format::VegaLite)
}

/// Writes the chart for another program; what cannot be drawn is an error.
fn draw(chart: &Chart, format: Format, output: &mut Output) -> Result<(), Failure> {
    let drawn = match format {
        _ if !chart.is_picture() => None,
        Format::VegaLite => chart::vega_lite(chart),
        _ => Some(chart::svg(chart)),
    };
    let Some(drawn) = drawn else {
        let why = match chart.reason().strip_prefix("A table: ") {
            Some(why) => format!(": {why}"),
            None => format!(". {}", chart.reason()),
        };
        return Err(Failure::usage(format!("there is no picture of this answer{why}"))
            .hint("leave `--format` out to see its rows"));
    };
    Ok(output.data(&drawn)?)
}

/// Shows the rows of an answer, or its chart.
fn completed(
    answer: &Answer,
    format: Format,
    arguments: &AskArguments,
    setup: &Setup,
    view: &View,
    output: &mut Output,
) -> Result<(), Failure> {
    let Answer { state, rows, elapsed, .. } = answer;
    let rows = rows.as_deref();
    let wish = arguments.chart.flatten();
    let chart = || Chart::of_answer_as(state, rows, wish);
    match format {
        Format::Table => {
            let mut answered = answer::answered(state, rows, *elapsed, view);
            if let Some(chart) = arguments.chart.and_then(|_| chart()) {
                let drawn = chart.to_terminal(view.places.unwrap_or(PLACES), output.colour());
                let drawn = chart::no_picture(&drawn);
                answered.body.push_str(&(drawn + "\n"));
            }
            return Ok(pager::answer(output, &answered)?);
        }
        Format::Svg | Format::VegaLite if let Some(chart) = chart() => return draw(&chart, format, output),
        _ => {}
    }
    let result = answer::Result::of(state, rows).unwrap_or_default();
    let first = result.first(view.rows);
    match format {
        Format::Xlsx | Format::Parquet => output.write_all(&packed(&result, format, first)?)?,
        Format::Html => output.data(&html::page(&state.user_question, &result, first))?,
        _ => output.data(&delimited::written(&result, format, view.rows, setup.texts))?,
    }
    // A program that reads the rows cannot see that some are missing.
    if let Some(note) = result.cut_note(first.len(), setup.settings.max_rows) {
        output.flush()?;
        output::tell(&note)?;
    }
    Ok(())
}

fn show(
    answer: &Answer,
    format: Format,
    arguments: &AskArguments,
    setup: &Setup,
    database: &dyn Database,
    output: &mut Output,
) -> Result<(), Failure> {
    let Answer { state, rows, path, elapsed, .. } = answer;
    let view = setup.view(output, "`--explain`").of(database);
    let rows = rows.as_deref();
    if format == Format::Json {
        let form = Form { rows: true, most: view.rows, explain: arguments.explain, counted: view.counted };
        let line =
            Line::new(state, rows, path, *elapsed, form).to(Json::Null, state.session_id.as_str().into());
        output.data(&(to_json(&line) + "\n"))?;
        return Ok(output.flush()?);
    }
    match state.status {
        Status::Completed => {
            completed(answer, format, arguments, setup, &view, output)?;
            if format != Format::Table {
                output.flush()?;
                for line in answer::doubts(state, view.ask_why) {
                    output::tell(&line)?;
                }
            }
            if let Some(command) = choosing(2, arguments).filter(|_| !state.other_readings().is_empty()) {
                output.flush()?;
                output::tell(&format!("hint: take another reading with `{command}`"))?;
            }
        }
        Status::AwaitingCorrection => {
            output.write_all(answer::asked(state, &view).as_bytes())?;
            let hint = match choosing(1, arguments) {
                Some(command) => format!("answer with `{command}`"),
                None => "save the conversation with `--save-state FILE`, and answer with `sqlogue ask 1 --state FILE`".into(),
            };
            output.flush()?;
            output::tell(&format!("hint: {hint}"))?;
        }
        // A greeting, and what tells of the database or of the last answer, is no error, and no rows for a program either.
        Status::Failed if answer::asked_nothing(state) && is_told(state) => match format {
            Format::Table => writeln!(output, "{}", answer::failed(state))?,
            _ => output::tell(&answer::failed(state))?,
        },
        Status::Failed | Status::Open => output::tell(&format!("error: {}", answer::failed(state)))?,
    }
    if arguments.explain {
        // To a program only the rows are the answer.
        let why = answer::why(state, path, &view);
        if format == Format::Table { write!(output, "\n{why}")? } else { write!(io::stderr(), "{why}")? }
    }
    Ok(output.flush()?)
}
