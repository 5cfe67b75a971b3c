//! One session with one person.

use std::sync::Arc;

use uuid::Uuid;

use super::Databases;
use super::context::RefinementContext;
use super::enrich::EnrichedResult;
use super::history::History;
use super::notice::Notice;
use crate::conversation::ConversationState;
use crate::engine::{Answer, Engine, Paused, TurnOptions, Turned};
use crate::error::Error;
use crate::intent::{self, DialogContext, PastTurn, Rule};

/// A conversation with its engine, from the first input to the last.
///
/// Its id changes only by a branch, and its database only where others are within reach. State changes are synchronous and take microseconds; only a turn waits for others.
#[derive(Clone)]
pub struct Session {
    pub(super) engine: Engine,
    pub(super) state: ConversationState,
    pub(super) history: History,
    /// Whether undo and redo go by the store, so that a clearing is all that is remembered here, until the next turn.
    pub(super) led_by_store: bool,
    /// Whether the next input is a new question, whatever it sounds like.
    pub(super) afresh: bool,
    /// Whether the person was told that old turns are dropped; said once, it is enough.
    pub(super) told_of_trimming: bool,
    /// What to tell with the next reply.
    pub(super) notices: Vec<Notice>,
    /// Other databases that it may go over to.
    pub(super) databases: Option<Arc<dyn Databases>>,
}

/// What came of an input.
#[derive(Debug)]
pub struct Reply {
    /// The result with the conversation around it.
    pub result: EnrichedResult,
    /// The turn, where there was one: with all rows and the path.
    pub answer: Option<Answer>,
    /// Why there was none.
    pub failure: Option<Error>,
    /// What else the person should know.
    pub notices: Vec<Notice>,
}

/// A reply, or a question for approval first.
#[derive(Debug)]
pub enum Said {
    /// The turn is over.
    Reply(Box<Reply>),
    /// The turn waits for an approval of its SQL.
    Waiting(Box<Waiting>),
}

/// A turn that waits for an approval.
#[derive(Debug)]
pub struct Waiting {
    paused: Paused,
    input: String,
    notices: Vec<Notice>,
}

impl Waiting {
    /// The SQL that would run.
    pub fn sql(&self) -> &str {
        self.paused.sql()
    }
}

impl Session {
    /// A session with a new id, in which nothing was said yet.
    pub fn new(engine: Engine) -> Self {
        Self::with_id(engine, Uuid::now_v7().to_string())
    }

    /// The same with a given id.
    pub fn with_id(engine: Engine, id: impl Into<String>) -> Self {
        let state = ConversationState::new(id, engine.database().name());
        Self::over(engine, state)
    }

    /// A session that goes on with a saved conversation.
    ///
    /// # Errors
    /// The conversation is about another database.
    pub fn resume(engine: Engine, state: ConversationState) -> Result<Self, Error> {
        let found = engine.database().name();
        if state.database != found {
            return Err(Error::OtherDatabase { expected: state.database, found: found.to_owned() });
        }
        Ok(Self::over(engine, state))
    }

    /// A session that goes on with the saved form of a conversation. Where that is damaged or of an unknown version, the
    /// session begins anew, and the first reply says so.
    ///
    /// # Errors
    /// The conversation is about another database.
    pub fn resume_json(engine: Engine, json: &str) -> Result<Self, Error> {
        match ConversationState::from_json(json) {
            Ok(state) => Self::resume(engine, state),
            Err(error) => {
                tracing::warn!(%error, "the saved conversation cannot be used");
                let mut session = Self::new(engine);
                session.notices.push(Notice::Reset);
                Ok(session)
            }
        }
    }

    fn over(engine: Engine, state: ConversationState) -> Self {
        Self {
            engine,
            state,
            history: History::default(),
            led_by_store: false,
            afresh: false,
            told_of_trimming: false,
            notices: Vec::new(),
            databases: None,
        }
    }

    /// The same without a memory of the states before each turn: undo and redo go by the store, as they do in every other
    /// process that shares it. For whoever holds many sessions: each takes no more than its state, and no turn waits until it
    /// is measured what is remembered.
    pub fn led_by_store(self) -> Self {
        Self { led_by_store: true, ..self }
    }

    /// The conversation as it stands.
    pub fn state(&self) -> &ConversationState {
        &self.state
    }

    /// The engine that answers.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The id, constant for the whole session.
    pub fn id(&self) -> &str {
        &self.state.session_id
    }

    /// The context in which `feedback` would refine the current query.
    pub fn context(&self, feedback: impl Into<String>) -> RefinementContext {
        RefinementContext::of(&self.state, feedback)
    }

    /// About how many bytes the session takes, measured by its saved form, with all that undo and redo need.
    pub fn size(&self) -> usize {
        super::history::size(&self.state) + self.history.size()
    }

    /// One turn. Whatever goes wrong is in the reply, and the session goes on.
    pub async fn say(&mut self, input: &str) -> Reply {
        match self.turn(input, TurnOptions::default()).await {
            Said::Reply(reply) => *reply,
            // It was not asked to wait, so this cannot be; if it were, nobody approves.
            Said::Waiting(waiting) => self.fail(Error::NotApproved, waiting.notices),
        }
    }

    /// One turn, with options: a pause for approval, cancellation, an observer.
    pub async fn turn(&mut self, input: &str, options: TurnOptions) -> Said {
        let mut notices = std::mem::take(&mut self.notices);
        let led_over = match self.led_over(input) {
            Ok(led_over) => led_over,
            Err(error) => return Said::Reply(Box::new(self.fail(error, notices))),
        };
        let input = match &led_over {
            Some((input, notice)) => {
                notices.push(notice.clone());
                input.as_str()
            }
            None => input,
        };
        let options = TurnOptions { switch_database: true, ..options };
        let stands = self.state.query_about(self.engine.database().name()).is_some();
        if !stands && refines(input) {
            tracing::info!(input, "nothing to refine; taken as a new query");
            notices.push(Notice::NothingToRefine);
        }
        let words = if std::mem::take(&mut self.afresh) { format!("/new {input}") } else { input.to_owned() };
        let turned = self.engine.turn(words.as_str(), Some(self.state.clone()), options.clone()).await;
        let turned = match turned {
            Err(Error::Load(error)) => {
                tracing::error!(%error, "the conversation cannot be used any further");
                self.reset();
                notices.push(Notice::Reset);
                self.engine.turn(words.as_str(), Some(self.state.clone()), options).await
            }
            Err(error) if error.is_storage() && self.engine.sessions().is_some() => {
                notices.push(self.keep_no_longer(&error));
                self.engine.turn(words.as_str(), Some(self.state.clone()), options).await
            }
            turned => turned,
        };
        self.turned(turned, input.to_owned(), notices)
    }

    /// Goes on with a turn that waits. Without approval its SQL does not run, and the turn fails.
    pub async fn approve(&mut self, waiting: Waiting, approved: bool, options: TurnOptions) -> Said {
        let Waiting { paused, input, mut notices } = waiting;
        let turned = match self.engine.approve(paused.clone(), approved, options.clone()).await {
            Err(error) if error.is_storage() && self.engine.sessions().is_some() => {
                notices.push(self.keep_no_longer(&error));
                self.engine.approve(paused, approved, options).await
            }
            turned => turned,
        };
        self.turned(turned, input, notices)
    }

    /// Makes the next input a new query, whatever it sounds like.
    pub fn start_afresh(&mut self) {
        self.afresh = true;
    }

    /// Begins anew under the same id: what was there cannot be trusted, so nothing of it is kept.
    fn reset(&mut self) {
        self.state = ConversationState::new(self.state.session_id.clone(), self.engine.database().name());
        self.history = History::default();
    }

    fn turned(&mut self, turned: Result<Turned, Error>, input: String, notices: Vec<Notice>) -> Said {
        match turned {
            Ok(Turned::Done(answer)) => Said::Reply(Box::new(self.take(*answer, &input, notices))),
            Ok(Turned::Paused(paused)) => {
                Said::Waiting(Box::new(Waiting { paused: *paused, input, notices }))
            }
            Err(error) => Said::Reply(Box::new(self.fail(error, notices))),
        }
    }

    /// The new state replaces the old one as a whole: there is no moment at which half of a turn has happened.
    fn take(&mut self, answer: Answer, input: &str, mut notices: Vec<Notice>) -> Reply {
        let result = EnrichedResult::of(&self.state, &answer.state);
        let before = std::mem::replace(&mut self.state, answer.state.clone());
        if before.turns.len() >= self.state.turns.len()
            && !std::mem::replace(&mut self.told_of_trimming, true)
        {
            notices.push(Notice::Trimmed { kept: self.state.turns.len() });
        }
        if self.led_by_store {
            self.history = History::default();
        } else {
            self.history.record(input, &before, &self.state);
        }
        Reply { result, answer: Some(answer), failure: None, notices }
    }

    fn fail(&self, error: Error, notices: Vec<Notice>) -> Reply {
        tracing::warn!(%error, "the turn could not be carried out");
        Reply {
            result: EnrichedResult::failed(&self.state, &error),
            answer: None,
            failure: Some(error),
            notices,
        }
    }
}

/// Whether an input would change a query, if there were one.
fn refines(input: &str) -> bool {
    let imagined = DialogContext::new([PastTurn::answered("", "SELECT 1")]);
    let signals = intent::classify(input, &imagined).signals;
    signals.iter().any(|signal| matches!(signal.rule, Rule::RefinementKeyword | Rule::ModifyingPhrase))
}
