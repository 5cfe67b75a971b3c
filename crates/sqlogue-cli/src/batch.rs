//! `sqlogue batch`: many questions, a line of JSON each, answered in order.
//!
//! One thread reads, tasks answer, and the command itself writes. A line waits only for the turn before it in its own
//! conversation, so conversations run side by side, as many as `--jobs` allows.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;

use super::args::Format;
use super::connect::Setup;
use super::databases::Databases;
use super::failure::{Exit, Failure};
use super::line::{Form, Line, became, to_json, unreadable};
use super::lines::{Input, Lines};
use super::output::Output;
use super::recent::{Before, Left, Recent};
use super::shapes;
use super::tally::{Became, LineArguments, Tally};
use super::ticker::Ticker;
use sqlogue::conversation::ConversationState;
use sqlogue::engine::Engine;

/// What `batch` takes.
#[derive(Debug, Args)]
pub(super) struct BatchArguments {
    /// The folder of the databases that lines name: `DIR/name/name.sqlite` or `DIR/name.sqlite`
    #[arg(long, value_name = "DIR")]
    pub(super) database_dir: Option<PathBuf>,
    /// How many conversations run side by side
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Leave the rows out
    #[arg(long)]
    no_rows: bool,
    /// How many conversations stay in memory while the others wait in a private temporary file; 64 unless set
    /// (`sessions_in_memory` in the settings)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    sessions_in_memory: Option<u32>,
    #[command(flatten)]
    pub(super) lines: LineArguments,
}

/// What its help says of the lines.
pub(super) const LINES: &str = "\
Each line of standard input is a question:
  {\"id\": \"q1\", \"session\": \"s1\", \"database\": \"shop\", \"input\": \"How many orders are there?\"}
Only `input` has to be there (`question` is read for it). Lines of one `session` are one conversation;
`database` is looked for in `--database-dir`. Each line of standard output is an answer:
  {\"id\":\"q1\",\"session\":\"s1\",\"turn\":1,\"status\":\"completed\",…,\"sql\":\"SELECT count(*) FROM orders\",
   \"answer_confidence\":\"high\",\"columns\":[\"count(*)\"],\"rows\":[[42]],…}
`confidence` is that of the intent, `answer_confidence` that of the answer. `--json-schema` prints all fields.

Exit codes: 0 where any line was answered, 3 where none was, 4 where none was and some ask back";

/// One line of the input.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Question {
    /// The conversation that the line is a turn of, by any name; a line without one stands alone.
    #[serde(default)]
    session: Json,
    /// The database, by its name in `--database-dir`; that of `--db` without.
    database: Option<String>,
    /// What is asked; `question` is read as well.
    #[serde(alias = "question")]
    input: String,
}

/// Prints what the lines are made of.
pub(super) fn schema() -> Result<Exit, Failure> {
    shapes::print::<Question, Line<'_>>()
}

/// So many lines may be read ahead of the one that is answered, for each job.
const AHEAD: usize = 16;

/// Reads to the end of standard input; a line that cannot be answered is reported like any other.
pub(super) async fn run(arguments: &BatchArguments, setup: Setup) -> Result<Exit, Failure> {
    setup.format("batch", &[Format::Jsonl, Format::Json])?;
    let jobs = usize::from(arguments.jobs);
    let form =
        Form { rows: !arguments.no_rows, most: setup.result_limit.unwrap_or(usize::MAX), ..Form::default() };
    let most = arguments.sessions_in_memory.unwrap_or(setup.settings.sessions_in_memory);
    let mut questions = read(jobs * AHEAD)?;
    let (answers, mut answered) = mpsc::channel::<JoinHandle<(String, Became)>>(jobs * AHEAD);
    let mut desk = Desk {
        databases: Databases::new(setup, arguments.database_dir.clone()),
        recent: Recent::new(usize::try_from(most).unwrap_or(usize::MAX)),
        permits: Arc::new(Semaphore::new(jobs)),
        form,
    };
    let asking = tokio::spawn(async move {
        while let Some(input) = questions.recv().await {
            if answers.send(desk.ask(input)).await.is_err() {
                return;
            }
        }
    });
    let mut output = Output::standard();
    let (mut tally, mut ticker) = (Tally::default(), Ticker::beside_answers());
    while let Some(answer) = answered.recv().await {
        // A line that brought its task down is still a line.
        let (line, became) = answer.await.unwrap_or_else(|error| {
            (unreadable(&Json::Null, &format!("internal error: {error}")), Became::Failed)
        });
        output.data(&(line + "\n"))?;
        output.flush()?;
        tally.count(became);
        ticker.draw(|| tally.shown());
    }
    ticker.wipe();
    drop(asking.await);
    Ok(tally.exit(arguments.lines.strict))
}

/// Reads lines on a thread of its own: standard input can only be waited for.
fn read(ahead: usize) -> Result<mpsc::Receiver<Input<Question>>, Failure> {
    let (sender, receiver) = mpsc::channel(ahead);
    let reading = move || {
        let mut lines = Lines::new(io::stdin().lock());
        while let Some(input) = lines.next::<Question>() {
            if sender.blocking_send(input).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name("standard input".into())
        .spawn(reading)
        .map_err(|error| Failure::internal(format!("standard input cannot be read: {error}")))?;
    Ok(receiver)
}

/// Hands lines to tasks in the order of the input.
struct Desk {
    databases: Databases,
    recent: Recent,
    permits: Arc<Semaphore>,
    form: Form,
}

impl Desk {
    fn ask(&mut self, input: Input<Question>) -> JoinHandle<(String, Became)> {
        let Input { id, asked } = input;
        let question = match asked {
            Ok(question) => question,
            Err(problem) => return tokio::spawn(async move { (unreadable(&id, &problem), Became::Failed) }),
        };
        let engine = self.databases.engine(question.database.as_deref());
        let (before, after) = match &question.session {
            Json::Null => (Before::Nothing, None),
            session => {
                let (before, after) = self.recent.next(session.to_string());
                (before, Some(after))
            }
        };
        let turn = Turn { id, question, engine, form: self.form };
        let permits = Arc::clone(&self.permits);
        tokio::spawn(async move {
            let previous = before.left().await;
            // Only now: a line that waits for another must not keep a place from it.
            let permit = permits.acquire().await;
            let (line, left) = match previous {
                Ok(previous) => turn.run(previous).await,
                Err(problem) => ((turn.lost(&problem), Became::Failed), Err(problem)),
            };
            drop(permit);
            // Nobody may be waiting for it.
            if let Some(after) = after {
                drop(after.send(left));
            }
            line
        })
    }
}

/// One line, ready to be answered.
struct Turn {
    id: Json,
    question: Question,
    engine: Result<Engine, String>,
    form: Form,
}

impl Turn {
    /// The line of a conversation that cannot be gone on with.
    fn lost(self, problem: &str) -> String {
        let problem = format!("the conversation so far is lost, so nothing was asked: {problem}");
        to_json(&Line::failed(&problem, self.form).to(self.id, self.question.session))
    }

    /// The line to print, and the conversation to go on with.
    async fn run(self, previous: Option<Box<ConversationState>>) -> ((String, Became), Left) {
        let Self { id, question, engine, form } = self;
        let Question { session, input, .. } = question;
        let asked = match engine {
            Ok(engine) => {
                engine.ask(input, previous.as_deref().cloned()).await.map_err(|error| error.to_string())
            }
            Err(problem) => Err(problem),
        };
        match asked {
            Ok(answer) => {
                let line =
                    Line::new(&answer.state, answer.rows.as_deref(), &answer.path, answer.elapsed, form);
                let became = became(&line);
                let line = to_json(&line.to(id, session));
                ((line, became), Ok(Some(Box::new(answer.state))))
            }
            // The conversation stands as it was; the next line of it can go on.
            Err(problem) => {
                let line = to_json(&Line::failed(&problem, form).to(id, session));
                ((line, Became::Failed), Ok(previous))
            }
        }
    }
}
