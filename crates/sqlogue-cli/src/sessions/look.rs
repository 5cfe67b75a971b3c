//! `sessions list` and `sessions show`.

use std::io::Write as _;

use clap::Args;
use serde_json::{Value as Json, json};

use super::super::args::Format;
use super::super::connect::Setup;
use super::super::failure::{Exit, Failure};
use super::super::line::to_json;
use super::super::output::Output;
use super::super::pager;
use super::super::show::style::{Ink, Style};
use super::super::show::{counted, number, sql, table, text};
use super::{difference, known, line, turn_of};
use sqlogue::conversation::ConversationState;
use sqlogue::graph::journal::{Mark, RunRecord};
use sqlogue::schema::Value;
use sqlogue::store::{SessionFilter, Sessions, StoredSession, TurnInfo};

/// What `sessions list` takes.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// How many at most
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only those that began with this database, by its name
    #[arg(long, value_name = "NAME")]
    database: Option<String>,
}

/// What `sessions show` takes.
#[derive(Debug, Args)]
pub(super) struct ShowArguments {
    id: String,
    /// One turn, by its number
    #[arg(long, value_name = "N")]
    turn: Option<u64>,
    /// The state after this step of the turn, as JSON
    #[arg(long, value_name = "K", requires = "turn")]
    step: Option<u32>,
    /// What the turn or the step changed
    #[arg(long, requires = "turn")]
    diff: bool,
}

/// Lists the sessions.
pub(super) async fn list(
    sessions: &Sessions,
    arguments: &ListArguments,
    setup: &Setup,
) -> Result<Exit, Failure> {
    let format = setup.format("sessions list", &[Format::Table, Format::Json, Format::Jsonl])?;
    let ListArguments { limit, database } = arguments;
    let filter = SessionFilter { limit: *limit, database: database.clone(), ..SessionFilter::default() };
    let found = sessions.list(filter).await?;
    let mut output = Output::standard();
    match format {
        Format::Json => output.data(&(to_json(&found) + "\n"))?,
        Format::Jsonl => {
            for session in &found {
                output.data(&(to_json(session) + "\n"))?;
            }
        }
        _ if found.is_empty() => output.data("No conversation is kept yet.\n")?,
        _ => {
            let view = setup.view(&output, "");
            let columns = ["session", "database", "used", "first question"].map(str::to_owned);
            let rows: Vec<Vec<Value>> = found.iter().map(row).collect();
            let drawn = table::draw(&columns, &rows, view.places, view.style);
            pager::show(&mut output, &drawn.lines)?;
        }
    }
    output.flush()?;
    Ok(Exit::Answered)
}

fn row(session: &StoredSession) -> Vec<Value> {
    let used = session.updated.strftime("%Y-%m-%d %H:%M").to_string();
    let [database, used, title] = match &session.damaged {
        Some(problem) => [String::new(), String::new(), format!("damaged: {problem}")],
        None => [session.database.clone(), used, session.title.clone()],
    };
    [session.id.clone(), database, used, title].map(Value::Text).to_vec()
}

/// Shows a session, a turn or a step.
pub(super) async fn show(
    sessions: &Sessions,
    arguments: &ShowArguments,
    setup: &Setup,
) -> Result<Exit, Failure> {
    let formats = [Format::Table, Format::Json, Format::Markdown];
    let format = setup.format("sessions show", &formats)?;
    let mut output = Output::standard();
    let view = setup.view(&output, "");
    let id = arguments.id.as_str();
    let session = known(sessions, id).await?;
    let shown = match arguments.turn {
        None if format == Format::Markdown => sessions.markdown(id).await?,
        None => {
            let turns = sessions.turns(id).await?;
            match format {
                Format::Json => to_json(&json!({"session": session, "turns": turns})) + "\n",
                _ => overview(&session, &turns, view.style),
            }
        }
        Some(number) => {
            let turn = turn_of(sessions, id, number).await?;
            match (arguments.diff, arguments.step) {
                (true, step) => changed(sessions, id, &turn, step).await?,
                (false, Some(step)) => pretty(&state_at(sessions, id, &turn, step).await?)?,
                (false, None) => {
                    let record = sessions.record(id, turn.run).await?;
                    match format {
                        Format::Json => to_json(&json!({"turn": turn, "record": record})) + "\n",
                        _ => one_turn(&turn, &record, view.places.unwrap_or(usize::MAX), view.style),
                    }
                }
            }
        }
    };
    match format {
        Format::Json | Format::Markdown => output.data(&shown)?,
        _ => pager::show(&mut output, &shown)?,
    }
    output.flush()?;
    Ok(Exit::Answered)
}

async fn state_at(
    sessions: &Sessions,
    id: &str,
    turn: &TurnInfo,
    step: u32,
) -> Result<ConversationState, Failure> {
    let last = turn.steps.saturating_sub(1);
    sessions
        .state_at(id, turn.run, Some(step))
        .await
        .map_err(|error| Failure::from(error).hint(format!("turn {} has the steps 0 to {last}", turn.number)))
}

/// What a turn, or one step of it, did to the state.
async fn changed(
    sessions: &Sessions,
    id: &str,
    turn: &TurnInfo,
    step: Option<u32>,
) -> Result<String, Failure> {
    let start = match turn.parent {
        Some(parent) => sessions.state_at(id, parent, None).await?,
        None => {
            let session = known(sessions, id).await?;
            ConversationState::new(session.id, session.database)
        }
    };
    let (before, after) = match step {
        None => (start, sessions.state_at(id, turn.run, None).await?),
        Some(0) => (start, state_at(sessions, id, turn, 0).await?),
        Some(step) => {
            (state_at(sessions, id, turn, step - 1).await?, state_at(sessions, id, turn, step).await?)
        }
    };
    let lines = difference::of(&before, &after);
    Ok(if lines.is_empty() { "Nothing changed.\n".to_owned() } else { lines.join("\n") + "\n" })
}

fn pretty(state: &ConversationState) -> Result<String, Failure> {
    let json = serde_json::to_string_pretty(state).map_err(|error| Failure::internal(error.to_string()))?;
    Ok(json + "\n")
}

fn overview(session: &StoredSession, turns: &[TurnInfo], style: Style) -> String {
    let title = if session.title.is_empty() { "Nothing was asked yet." } else { &session.title };
    let about = format!(
        "session {}, database {}, made {}, used {}{}",
        session.id,
        session.database,
        session.created.strftime("%Y-%m-%d %H:%M"),
        session.updated.strftime("%Y-%m-%d %H:%M"),
        if session.read_only { ", read-only" } else { "" }
    );
    let mut shown = format!(
        "{}\n{}\n",
        style.paint(Ink::Bold, &text::clean(title)),
        style.paint(Ink::Dim, &text::clean(&about))
    );
    let current = line(turns, session.position.head);
    for turn in turns {
        let stands = current.iter().any(|other| other.run == turn.run);
        let mark = match &turn.mark {
            _ if turn.damaged.is_some() => "✗",
            Mark::Finished if session.position.head == Some(turn.run) => "▶",
            Mark::Finished if stands => " ",
            Mark::Finished => "↶",
            Mark::Abandoned { .. } => "×",
            _ => "…",
        };
        let outcome = style.paint(Ink::Dim, &text::clean(&outcome(turn)));
        match &turn.damaged {
            Some(_) => shown.push_str(&format!("  ? {mark} turn {}  {outcome}\n", turn.run)),
            None => {
                let input = text::clean(&turn.input);
                shown.push_str(&format!("{:>3} {mark} {input}  {outcome}\n", turn.number));
            }
        }
    }
    let other = turns.len().saturating_sub(current.len());
    if other > 0 {
        let note = format!("({} undone, of another branch, or not finished)", counted(other as u64, "turn"));
        shown.push_str(&(style.paint(Ink::Dim, &note) + "\n"));
    }
    shown
}

/// How a turn ended, or why it did not.
fn outcome(turn: &TurnInfo) -> String {
    match (&turn.damaged, &turn.mark, &turn.status) {
        (Some(problem), ..) => format!("damaged: {problem}"),
        (None, Mark::Abandoned { reason }, _) => format!("given up: {reason}"),
        (None, _, Some(status)) => status.replace('_', " "),
        (None, ..) if turn.running => "running".to_owned(),
        (None, ..) => "interrupted".to_owned(),
    }
}

fn one_turn(turn: &TurnInfo, record: &RunRecord, places: usize, style: Style) -> String {
    let mut shown = format!(
        "{}. {}\n{}\n",
        turn.number,
        style.paint(Ink::Bold, &text::clean(&turn.input)),
        style.paint(
            Ink::Dim,
            &format!(
                "{}, {}, run {}",
                turn.at.strftime("%Y-%m-%d %H:%M"),
                text::clean(&outcome(turn)),
                turn.run
            )
        )
    );
    if let Some(query) = &turn.query {
        shown.push_str(&(sql::show(query, places, style) + "\n"));
    }
    for step in &record.steps {
        let took = number::duration(std::time::Duration::from_micros(step.took_us));
        let changes = names(&step.changes).join(", ");
        shown.push_str(&format!(
            "{:>3}  {}  {}  {}\n",
            step.step,
            text::clean(&step.node),
            style.paint(Ink::Dim, &took),
            text::clean(&changes)
        ));
    }
    shown
}

/// The names of a step's changes.
fn names(changes: &str) -> Vec<String> {
    let changes: Vec<Json> = serde_json::from_str(changes).unwrap_or_default();
    changes.iter().filter_map(|change| change.get("change")?.as_str().map(str::to_owned)).collect()
}
