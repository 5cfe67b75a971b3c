//! `sessions rerun`: a stored conversation asked again, as a test of what one relied on.

use std::collections::HashMap;
use std::io::Write as _;

use serde::Serialize;

use super::super::args::Format;
use super::super::connect::Setup;
use super::super::failure::{Exit, Failure};
use super::super::line::to_json;
use super::super::output::Output;
use super::super::show::style::{Ink, Style};
use super::super::show::{counted, text};
use super::{known, line};
use sqlogue::Error;
use sqlogue::conversation::{ConversationState, QueryResult};
use sqlogue::engine::{Engine, QueryInput, TurnOptions, Turned};
use sqlogue::store::Sessions;

/// One turn, then and now.
#[derive(Debug, Serialize)]
struct Compared {
    turn: u64,
    input: String,
    same: bool,
    /// What differs, a sentence each.
    differences: Vec<String>,
}

/// Asks everything again and tells what differs.
pub(super) async fn run(sessions: &Sessions, id: &str, setup: &Setup) -> Result<Exit, Failure> {
    let format = setup.format("sessions rerun", &[Format::Table, Format::Json, Format::Jsonl])?;
    let session = known(sessions, id).await?;
    let turns = sessions.turns(id).await?;
    let mut engines = Engines::new(setup);
    let mut output = Output::standard();
    let style = Style::new(output.colour());
    let mut now: Option<ConversationState> = None;
    let mut compared = Vec::new();
    for turn in line(&turns, session.position.head).into_iter().rev() {
        let then = sessions.state_at(id, turn.run, None).await?;
        let engine = engines.get(&then.database)?;
        let before = now.take().map(|state| renamed(state, &engine));
        let options = TurnOptions { switch_database: true, ..TurnOptions::default() };
        let asked = QueryInput::new(turn.input.as_str()).with(then.wanted.clone());
        let Turned::Done(answer) = engine.turn(asked, before, options).await? else {
            return Err(Error::NotApproved.into());
        };
        let differences = differences(&then, &answer.state);
        let line = Compared {
            turn: turn.number,
            input: turn.input.clone(),
            same: differences.is_empty(),
            differences,
        };
        match format {
            Format::Json => {}
            Format::Jsonl => output.data(&(to_json(&line) + "\n"))?,
            _ => output.write_all(told(&line, style).as_bytes())?,
        }
        compared.push(line);
        now = Some(answer.state);
    }
    let differ = compared.iter().filter(|line| !line.same).count() as u64;
    match format {
        Format::Json => output.data(&(to_json(&compared) + "\n"))?,
        Format::Jsonl => {}
        _ => {
            let all = counted(compared.len() as u64, "turn");
            output.data(&match differ {
                0 => format!("{all}, all the same\n"),
                differ => format!("{all}, {differ} not the same\n"),
            })?;
        }
    }
    output.flush()?;
    Ok(if differ == 0 { Exit::Answered } else { Exit::Failed })
}

/// The engines of one rerun: the one asked for, or the database that a turn was about, where the settings know it.
pub(super) struct Engines<'a> {
    setup: &'a Setup,
    open: HashMap<String, Engine>,
}

impl<'a> Engines<'a> {
    /// None is open yet.
    pub(super) fn new(setup: &'a Setup) -> Self {
        Self { setup, open: HashMap::new() }
    }

    /// The engine for turns about a database of that name.
    pub(super) fn get(&mut self, database: &str) -> Result<Engine, Failure> {
        let settings = &self.setup.settings;
        let named = settings.databases.contains_key(database) && !self.setup.has_database;
        let database = if named { database.to_owned() } else { settings.database.clone() };
        if let Some(engine) = self.open.get(&database) {
            return Ok(engine.clone());
        }
        let engine = self.setup.engine_for(database.clone())?;
        self.open.insert(database, engine.clone());
        Ok(engine)
    }
}

/// Another file is asked the same conversation: whatever it is called, it stands for the one of then.
fn renamed(mut state: ConversationState, engine: &Engine) -> ConversationState {
    if state.lines().is_empty() && state.database != engine.database().name() {
        engine.database().name().clone_into(&mut state.database);
    }
    state
}

fn differences(then: &ConversationState, now: &ConversationState) -> Vec<String> {
    let mut differences = Vec::new();
    if then.status != now.status {
        let (then, now) = (then.status.name(), now.status.name());
        differences.push(format!("it was {}, and is {}", then.replace('_', " "), now.replace('_', " ")));
    }
    if then.query != now.query {
        let shown = |query: &Option<String>| query.clone().unwrap_or_else(|| "none".to_owned());
        differences.push(format!("SQL then: {}", shown(&then.query)));
        differences.push(format!("SQL now:  {}", shown(&now.query)));
    }
    match (then.result.as_deref(), now.result.as_deref()) {
        (Some(then), Some(now)) => differences.extend(results(then, now)),
        (Some(_), None) => differences.push("there was a result, and is none".to_owned()),
        (None, Some(_)) => differences.push("there was no result, and is one".to_owned()),
        (None, None) => {}
    }
    differences
}

fn results(then: &QueryResult, now: &QueryResult) -> Vec<String> {
    let mut differences = Vec::new();
    if then.columns != now.columns {
        differences.push(format!(
            "columns then: {}; now: {}",
            then.columns.join(", "),
            now.columns.join(", ")
        ));
    }
    if then.row_count != now.row_count {
        let rows = |result: &QueryResult| counted(result.row_count, "row");
        differences.push(format!("{} then, {} now", rows(then), rows(now)));
    } else if !then.rows.is_empty() && then.rows != now.rows {
        // Where the rows of then were not kept, their number is all there is to compare.
        differences.push("the rows have changed".to_owned());
    }
    differences
}

fn told(line: &Compared, style: Style) -> String {
    let mark = if line.same { style.paint(Ink::Good, "same") } else { style.paint(Ink::Bad, "differs") };
    let mut told = format!("{:>3} {mark}  {}\n", line.turn, text::clean(&line.input));
    for difference in &line.differences {
        told.push_str(&format!("      {}\n", text::clean(difference)));
    }
    told
}
