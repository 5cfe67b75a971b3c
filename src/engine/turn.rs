//! One turn: what begins it, the walk, and what comes of it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::heard::{Heard, NOTHING_NEW, readable, returned};
use super::{Engine, QueryInput};
use crate::ambiguity::{self, Choice, Correction};
use crate::conversation::{Change, ConversationState, ErrorKind, Status, Turn, TurnError};
use crate::database::{DatabaseError, Rows};
use crate::error::Error;
use crate::graph::NodeName as _;
use crate::graph::{
    Ended, Journal, Observer, ResumeError, RunError, RunErrorKind, RunId, RunOptions, Waiting,
};
use crate::intent::{self, Courtesy, DialogContext, Intent, PastTurn, Signal};
use crate::plan::Confidence;
use crate::sql::guard;
use crate::store::StoreError;
use crate::workflow::{self, Stage};

/// How one turn is run.
#[derive(Default, Clone)]
pub struct TurnOptions {
    /// Whether the turn pauses with its SQL before it runs, until somebody approves it.
    pub confirm: bool,
    /// Whether the conversation goes over to the engine's database where it was about another one.
    pub switch_database: bool,
    /// Stops the turn when it fires.
    pub cancellation: Option<CancellationToken>,
    /// Somebody who is told everything that happens in this turn.
    pub observer: Option<Arc<dyn Observer<ConversationState>>>,
    /// The id of the turn, where the caller has one: a store then takes the turn once, however often it is asked for. A new
    /// one otherwise.
    pub run: Option<RunId>,
}

/// What came of a turn so far.
#[derive(Debug)]
pub enum Turned {
    /// It is over.
    Done(Box<Answer>),
    /// It waits for an approval of its SQL.
    Paused(Box<Paused>),
}

/// A turn that is over.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The conversation after it.
    pub state: ConversationState,
    /// All rows of its query, as far as the limits of the engine allow; the state keeps only the first.
    pub rows: Option<Arc<Rows>>,
    /// The nodes it went through, the planner as one.
    pub path: Vec<String>,
    /// Its id, in the journal too.
    pub run: RunId,
    /// How long it took.
    pub elapsed: Duration,
}

/// A turn that waits for an approval.
#[derive(Debug, Clone)]
pub struct Paused {
    /// The conversation so far.
    pub state: ConversationState,
    waiting: Waiting,
    started: Instant,
}

impl Paused {
    /// The SQL that would run.
    pub fn sql(&self) -> &str {
        self.state.query.as_deref().unwrap_or_default()
    }

    /// The turn's id.
    pub fn run(&self) -> RunId {
        self.waiting.run
    }
}

impl Answer {
    /// The words of the question that the answer does not account for; where there are any, it is not sure.
    pub fn left_out(&self) -> &[String] {
        &self.state.left_out
    }

    /// The other ways to read the question, the likeliest first; `2` as the next input takes the first of them.
    pub fn readings(&self) -> &[Choice] {
        self.state.other_readings()
    }
}

impl Engine {
    /// One turn of a conversation: takes the question and the state before, returns the state after.
    ///
    /// # Errors
    /// As [`crate::query_database`].
    pub async fn query_database(
        &self,
        input: impl Into<QueryInput>,
        previous_state: Option<ConversationState>,
    ) -> Result<ConversationState, Error> {
        Ok(self.ask(input, previous_state).await?.state)
    }

    /// The same as [`Engine::query_database`], with all rows and the path.
    ///
    /// # Errors
    /// As [`crate::query_database`].
    pub async fn ask(
        &self,
        input: impl Into<QueryInput>,
        previous_state: Option<ConversationState>,
    ) -> Result<Answer, Error> {
        match self.turn(input, previous_state, TurnOptions::default()).await? {
            Turned::Done(answer) => Ok(*answer),
            Turned::Paused(_) => Err(Error::NotApproved),
        }
    }

    /// One turn, with options: a pause for approval, cancellation, an observer.
    ///
    /// # Errors
    /// As [`crate::query_database`], and [`Error::Cancelled`].
    pub async fn turn(
        &self,
        input: impl Into<QueryInput>,
        previous_state: Option<ConversationState>,
        options: TurnOptions,
    ) -> Result<Turned, Error> {
        let database = self.services.database.name();
        let elsewhere = |state: &&ConversationState| options.switch_database && state.database != database;
        let switch = previous_state
            .as_ref()
            .filter(elsewhere)
            .map(|_| Change::DatabaseChanged { database: database.to_owned() });
        let state = match (&switch, previous_state) {
            (Some(_), Some(state)) => {
                state.validate()?;
                state
            }
            (_, previous_state) => self.previous(previous_state)?,
        };
        let mut seen = Cow::Borrowed(&state);
        if let Some(change) = &switch {
            seen.to_mut().apply(change);
        }
        let QueryInput { question, wanted, .. } = input.into();
        // *Did you mean `customers`?* and *yes* are the question with that name.
        let question = accepted(&question, &seen).unwrap_or(question);
        let run = options.run.unwrap_or_else(|| RunId::new(self.ids.next_id()));
        let heard = self.heard(&question, &seen).await;
        let mut opening = self.opening(&question, heard, &seen, run);
        let wanted = wanted.readable();
        if !wanted.is_empty() {
            opening.insert(1, Change::AskedWith { wanted });
        }
        let changes = switch.into_iter().chain(opening).collect();
        self.begin(state, changes, run, options).await
    }

    /// The turn that answers a question put to the person, in words or as a structured correction.
    ///
    /// # Errors
    /// As [`crate::query_database`].
    pub async fn continue_with_correction(
        &self,
        correction: impl Into<CorrectionInput>,
        state: ConversationState,
    ) -> Result<ConversationState, Error> {
        let correction = match correction.into() {
            CorrectionInput::Words(words) => return self.query_database(words, Some(state)).await,
            CorrectionInput::Structured(correction) => correction,
        };
        let state = self.previous(Some(state))?;
        let run = RunId::new(self.ids.next_id());
        let changes = vec![
            Change::TurnStarted { id: run.to_string(), at: self.clock.now(), input: correction.to_string() },
            Change::IntentDetected {
                intent: Intent::Correction,
                confidence: Confidence::High,
                signals: Vec::new(),
            },
            Change::CorrectionAdded { correction },
        ];
        match self.begin(state, changes, run, TurnOptions::default()).await? {
            Turned::Done(answer) => Ok(answer.state),
            Turned::Paused(_) => Err(Error::NotApproved),
        }
    }

    /// What SQL would cost to run, for people, where the database can say so at no cost: `1.2 GB of at most 10 GB`. Nothing
    /// where it cannot, or where something is wrong with the SQL, which running it will say.
    pub async fn cost(&self, sql: &str) -> Option<String> {
        let database = self.database();
        let checked = guard::check(sql, database.dialect()).ok()?;
        database.cost(&checked).await.ok().flatten()
    }

    /// Goes on with a turn that waits for an approval. Without approval the SQL does not run, and the turn fails.
    ///
    /// # Errors
    /// As [`crate::query_database`].
    pub async fn approve(
        &self,
        paused: Paused,
        approved: bool,
        options: TurnOptions,
    ) -> Result<Turned, Error> {
        let Paused { state, waiting, started } = paused;
        let answer = if approved { Vec::new() } else { vec![declined()] };
        let run = waiting.run;
        let options = self.options(&state.session_id, run, &options).answer(answer);
        let _rows = self.services.full_rows.of(run);
        let ended = self.graph.proceed(state, &waiting, options).await;
        self.ended(ended, started)
    }

    /// Finishes a turn that was killed or paused, from the engine's journal or store. Nodes that had finished are not run
    /// again, except one whose rows were not kept.
    ///
    /// # Errors
    /// The engine has no journal, or the journal does not know the turn; the conversation has moved on.
    pub async fn resume(&self, run: RunId) -> Result<Turned, Error> {
        self.resume_with(run, TurnOptions::default()).await
    }

    /// The same, with options. With `confirm` a turn that was not approved pauses (again) before its SQL runs.
    ///
    /// # Errors
    /// As [`resume`](Self::resume), and [`Error::Cancelled`].
    pub async fn resume_with(&self, run: RunId, options: TurnOptions) -> Result<Turned, Error> {
        let started = Instant::now();
        let session = self.prepared(run).await?;
        let Some(journal) = self.journal_of(&session) else {
            return Err(Error::internal("resume", "this engine was built without a journal"));
        };
        let options = self.options(&session, run, &options);
        let _rows = self.services.full_rows.of(run);
        let ended = self.graph.resume(journal, run, options).await;
        self.ended(ended, started)
    }

    /// Makes a stored turn ready to be resumed; the session it was begun in, empty where there is no store.
    async fn prepared(&self, run: RunId) -> Result<String, Error> {
        let Some(sessions) = &self.sessions else { return Ok(String::new()) };
        let turn = sessions.store().turn(run).await?.ok_or(StoreError::UnknownTurn { run })?;
        sessions.prepare_resume(&turn.session, run).await?;
        Ok(turn.session)
    }

    /// Where the turns of a conversation are written down.
    fn journal_of(&self, session: &str) -> Option<Arc<dyn Journal>> {
        match &self.sessions {
            Some(sessions) => Some(sessions.journal(session)),
            None => self.journal.clone(),
        }
    }

    /// The state a turn starts from.
    fn previous(&self, previous: Option<ConversationState>) -> Result<ConversationState, Error> {
        let name = self.services.database.name();
        let Some(state) = previous else {
            return Ok(ConversationState::new(self.ids.next_id().to_string(), name));
        };
        state.validate()?;
        if state.database != name {
            return Err(Error::OtherDatabase { expected: state.database, found: name.to_owned() });
        }
        Ok(state)
    }

    /// The changes that begin a turn: what was said, what kind of input it is, and what is wrong with it at first sight.
    fn opening(
        &self,
        words: &str,
        heard: Option<Heard>,
        state: &ConversationState,
        run: RunId,
    ) -> Vec<Change> {
        let (input, problem) = readable(words);
        let (input, classified) = match (intent::resets(&input), &heard) {
            (Some((reset, rest)), _) => {
                let signal = Signal { rule: intent::Rule::Reset, evidence: reset.to_owned() };
                (rest.to_owned(), (Intent::NewQuery, Confidence::High, vec![signal]))
            }
            (None, Some(heard)) => {
                let signal = Signal { rule: intent::Rule::Command, evidence: heard.command.to_owned() };
                (input, (Intent::Command, Confidence::High, vec![signal]))
            }
            (None, None) => {
                let classified = self.classify(&input, state);
                (input, classified)
            }
        };
        let (intent, confidence, signals) = classified;
        let mut changes = vec![
            Change::TurnStarted { id: run.to_string(), at: self.clock.now(), input: input.clone() },
            Change::IntentDetected { intent, confidence, signals },
        ];
        let problem =
            problem.or_else(|| input.is_empty().then(|| TurnError::new(ErrorKind::EmptyInput, NOTHING_NEW)));
        let problem =
            problem.or_else(|| heard.map(|heard| TurnError::new(ErrorKind::EmptyInput, heard.reply)));
        let courtesy = intent::courtesy(words).filter(|_| state.pending.is_none());
        if courtesy == Some(Courtesy::Agreement) && state.status == Status::Completed {
            changes.push(Change::AnswerConfirmed);
        }
        let problem = problem.or_else(|| {
            courtesy.map(|courtesy| TurnError::new(ErrorKind::EmptyInput, returned(courtesy, state)))
        });
        let problem = problem.or_else(|| {
            (intent == Intent::Command).then(|| {
                let message = "This is a command of the chat, not a question.".to_owned();
                TurnError::new(ErrorKind::NotUnderstood, message)
            })
        });
        // A command does not end the question that was asked back: what it has to tell is said, and the answer is awaited.
        changes.extend(problem.map(|error| match (intent, &state.pending) {
            (Intent::Command, Some(_)) => Change::Noted { note: error.message },
            _ => Change::TurnFailed { error },
        }));
        changes
    }

    fn classify(&self, input: &str, state: &ConversationState) -> (Intent, Confidence, Vec<Signal>) {
        if state.pending.is_none()
            && let Some(readings) = &state.readings
            && ambiguity::taken(input, &readings.choices).is_some()
        {
            let signal = Signal { rule: intent::Rule::AnswersPending, evidence: input.to_owned() };
            return (Intent::Correction, Confidence::High, vec![signal]);
        }
        if !self.settings.enable_dialog_refinement {
            return (Intent::NewQuery, Confidence::High, Vec::new());
        }
        // What held no question says nothing of what the next input refers to.
        let asked =
            |turn: &&Turn| turn.error.as_ref().is_none_or(|error| error.kind != ErrorKind::EmptyInput);
        let turns = state.turns.iter().filter(asked).map(|turn| PastTurn {
            input: turn.input.clone(),
            sql: turn.query.clone(),
            succeeded: turn.status == Status::Completed,
        });
        let mut context = DialogContext::new(turns);
        if let Some(pending) = &state.pending {
            context = context.with_pending(pending.options().iter().map(|choice| choice.label.clone()));
        }
        if let Some(vocabulary) = self.services.catalog.vocabulary() {
            context = context.with_vocabulary(vocabulary);
        }
        let classification = intent::classify(input, &context);
        if classification.confidence == Confidence::Low {
            tracing::warn!(input, intent = classification.intent.name(), "Ambiguous intent detected");
        }
        (classification.intent, classification.confidence, classification.signals)
    }

    async fn begin(
        &self,
        state: ConversationState,
        changes: Vec<Change>,
        run: RunId,
        options: TurnOptions,
    ) -> Result<Turned, Error> {
        let started = Instant::now();
        let mut run_options = self.options(&state.session_id, run, &options).input(changes);
        if let Some(parent) = self.parent(&state).await? {
            run_options = run_options.parent(parent);
        }
        let _rows = self.services.full_rows.of(run);
        let ended = self.graph.run(state, run_options).await;
        self.ended(ended.map_err(ResumeError::Run), started)
    }

    /// The turn that left this state, where the journal has it: what the state was need not be stored again.
    async fn parent(&self, state: &ConversationState) -> Result<Option<RunId>, Error> {
        let (Some(journal), Some(turn)) = (self.journal_of(&state.session_id), state.turns.last()) else {
            return Ok(None);
        };
        let Ok(run) = turn.id.parse::<RunId>() else { return Ok(None) };
        let summary = journal.summary(run).await?;
        Ok(summary.filter(|summary| summary.mark == crate::graph::journal::Mark::Finished).map(|_| run))
    }

    fn options(&self, session: &str, run: RunId, options: &TurnOptions) -> RunOptions<ConversationState> {
        let mut run_options = RunOptions::new()
            .run(run)
            .clock(Arc::clone(&self.clock))
            .ids(Arc::clone(&self.ids))
            .step_limit(workflow::step_limit(super::budgets(&self.settings)));
        if let Some(journal) = self.journal_of(session) {
            run_options = run_options.journal(journal);
        }
        for observer in self.observers.iter().chain(&options.observer) {
            run_options = run_options.observer(Arc::clone(observer));
        }
        if let Some(token) = &options.cancellation {
            run_options = run_options.cancellation(token.clone());
        }
        if options.confirm {
            run_options = run_options.pause_before(Stage::ExecuteQuery.name());
        }
        run_options
    }

    fn ended(
        &self,
        ended: Result<Ended<ConversationState>, ResumeError<ConversationState>>,
        started: Instant,
    ) -> Result<Turned, Error> {
        match ended {
            Ok(Ended::Finished { run, state, path, .. }) => {
                let rows = self.services.full_rows.take(run);
                let rows = rows.filter(|_| state.status == Status::Completed);
                let path = top_level(path.iter().map(|id| &**id));
                Ok(Turned::Done(Box::new(Answer { state, rows, path, run, elapsed: started.elapsed() })))
            }
            Ok(Ended::Interrupted { state, waiting, .. }) => {
                Ok(Turned::Paused(Box::new(Paused { state, waiting, started })))
            }
            Err(ResumeError::Load(error)) => Err(Error::Resume(error)),
            Err(ResumeError::Run(error)) => Err(outer(error)),
        }
    }
}

/// A correction, in words or structured.
#[derive(Debug, Clone, PartialEq)]
pub enum CorrectionInput {
    /// As a person says it: `use table customers`, `2`.
    Words(String),
    /// As a program says it.
    Structured(Correction),
}

impl From<&str> for CorrectionInput {
    fn from(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

impl From<Correction> for CorrectionInput {
    fn from(correction: Correction) -> Self {
        Self::Structured(correction)
    }
}

/// What happens to a turn whose SQL nobody approved.
fn declined() -> Change {
    let message = "The query was not confirmed, so it did not run.";
    Change::QueryDeclined { error: TurnError::new(ErrorKind::NotConfirmed, message) }
}

/// The nodes of the conversation graph that a walk went through; those of a nested graph count as one.
pub fn top_level<'a>(path: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut top_level: Vec<String> = Vec::new();
    for id in path {
        let node = id.split_once('/').map_or(id, |(node, _)| node);
        if node.len() == id.len() || top_level.last().is_none_or(|last| last != node) {
            top_level.push(node.to_owned());
        }
    }
    top_level
}

fn outer(error: RunError<ConversationState>) -> Error {
    let place = error.node.as_deref().unwrap_or("the graph").to_owned();
    match error.kind {
        RunErrorKind::Cancelled => Error::Cancelled,
        RunErrorKind::Journal(error) => error.into(),
        RunErrorKind::NodeFailed(error) => match error.into_source().downcast::<DatabaseError>() {
            Ok(error) => Error::Database { error: *error },
            Err(source) => Error::internal(place, source),
        },
        kind => Error::internal(place, kind),
    }
}

/// The last input with a name that was offered in the place of a wrong one, where an input takes the offer. What answers the
/// question that was asked back is no such input.
fn accepted(input: &str, state: &ConversationState) -> Option<String> {
    let answers = |pending| ambiguity::answer(input, pending).is_some();
    let told = state.message.as_deref().filter(|_| !state.pending.as_ref().is_some_and(answers))?;
    ambiguity::accepted(input, &state.user_question, told)
}
