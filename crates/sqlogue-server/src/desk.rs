//! Everything that can be done, whichever way it was asked for: HTTP and MCP both come here.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value as Json;
use sqlogue::answer::{Form, Line};
use sqlogue::conversation::ConversationState;
use sqlogue::database::{DatabaseError, Rows};
use sqlogue::engine::{Engine, TurnOptions, Turned, top_level};
use sqlogue::graph::journal::RunRecord;
use sqlogue::graph::{RunId, Trace};
use sqlogue::sql::{Dialect, guard};
use sqlogue::store::{NewSession, Position, Retention, Sessions};
use sqlogue_base::json;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::conversations::{Conversations, head};
use crate::databases::Databases;
use crate::gate::Gate;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::owner::{self, Owner};
use crate::problem::Problem;
use crate::recent::Recent;
use crate::watch::Watch;
use crate::wire::{self, Conversation};

/// What is kept in memory where nothing is stored; conversations used longest ago are forgotten. In memory a turn takes about
/// twice the bytes that are counted of it.
pub(crate) const IN_MEMORY: Retention =
    Retention { max_age: None, max_sessions: Some(2_000), max_bytes: Some(64 << 20) };

/// After so many conversations and turns it is looked whether more is kept.
const OFTEN: usize = 100;

/// One server's desk. Shared by all that serve from it.
pub(crate) struct Desk {
    pub(crate) conversations: Conversations,
    pub(crate) gate: Gate,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) recent: Recent,
    pub(crate) options: Options,
    /// Turns that were begun; a shutdown waits for them.
    pub(crate) turns: TaskTracker,
    /// Fires when turns are to end now.
    pub(crate) stop: CancellationToken,
    /// What is kept of conversations that are forgotten when the process ends; none where they are stored.
    kept: Option<Retention>,
    /// Conversations and turns so far.
    made: AtomicUsize,
}

/// A turn that is over, or was over already when it was asked for.
pub(crate) struct Taken {
    pub(crate) run: RunId,
    pub(crate) state: ConversationState,
    pub(crate) rows: Option<Arc<Rows>>,
    pub(crate) path: Vec<String>,
    pub(crate) elapsed: Duration,
    /// Whether the schema of its database has exact numbers of rows.
    pub(crate) counted: bool,
    /// What else the person should know.
    pub(crate) notices: Vec<String>,
    /// Whether it was taken before, and this is the same again.
    pub(crate) replayed: bool,
}

impl Taken {
    /// The turn as the object that every face hands out.
    pub(crate) fn line(&self, conversation: &str, rows: usize, explain: bool) -> Line<'_> {
        let form = Form { rows: true, most: rows, explain, counted: self.counted };
        let line = Line::new(&self.state, self.rows.as_deref(), &self.path, self.elapsed, form);
        line.to(self.run.to_string().into(), conversation.into())
    }

    /// The same as a value, for whoever looks into it.
    pub(crate) fn json(&self, conversation: &str, rows: usize, explain: bool) -> Json {
        json::value(&self.line(conversation, rows, explain)).unwrap_or_default()
    }
}

impl Desk {
    pub(crate) fn new(
        databases: Databases,
        sessions: Sessions,
        kept: Option<Retention>,
        options: Options,
    ) -> Self {
        Self {
            conversations: Conversations::new(databases, sessions),
            gate: Gate::new(options.limits),
            metrics: Arc::new(Metrics::new()),
            recent: Recent::default(),
            options,
            turns: TaskTracker::new(),
            stop: CancellationToken::new(),
            kept,
            made: AtomicUsize::new(0),
        }
    }

    pub(crate) fn sessions(&self) -> &Sessions {
        &self.conversations.sessions
    }

    /// The engine of a database.
    ///
    /// # Errors
    /// There is none of that name.
    pub(crate) fn engine(&self, name: Option<&str>) -> Result<&Engine, Problem> {
        let databases = &self.conversations.databases;
        databases.engine(name).ok_or_else(|| {
            let names: Vec<_> = databases.engines().iter().map(|engine| engine.database().name()).collect();
            let name = name.unwrap_or_default();
            Problem::unknown(format!(
                "there is no database `{name}` here (hint: there are {})",
                names.join(", ")
            ))
        })
    }

    /// Makes a conversation.
    ///
    /// # Errors
    /// There is no such database; there is such a conversation already.
    pub(crate) async fn create(
        &self,
        owner: &Owner,
        database: Option<&str>,
        id: Option<String>,
    ) -> Result<Conversation, Problem> {
        let database = self.engine(database)?.database().name().to_owned();
        let id = given_id(id)?;
        let stored =
            owner.stored(&id).ok_or_else(|| Problem::unusable("a conversation cannot have this id"))?;
        let (title, at, position) = (String::new(), wire::now(), Position::default());
        let new = NewSession { id: stored, database, title, at, position, read_only: false };
        let session = self.sessions().store().create(new).await?;
        self.forget_old().await;
        Ok(Conversation::of(&session, &id))
    }

    /// Keeps the memory of a server without a store within bounds.
    pub(crate) async fn forget_old(&self) {
        let Some(kept) = &self.kept else { return };
        if self.made.fetch_add(1, Ordering::Relaxed) % OFTEN == OFTEN - 1 {
            // What cannot be forgotten now is the next time.
            drop(self.sessions().prune(kept, wire::now()).await);
        }
    }

    /// Takes the last turn of a conversation back, or brings one back.
    ///
    /// # Errors
    /// There is nothing to take back.
    pub(crate) async fn step(&self, owner: &Owner, id: &str, what: Step) -> Result<Conversation, Problem> {
        let mut held = self.conversations.hold(owner, id).await?;
        let open = held.open()?;
        if open.waiting.is_some() {
            return Err(Problem::conflict("a turn waits for an approval (hint: approve or cancel it first)"));
        }
        let done = match what {
            Step::Undo => open.session.undo().await.map(|input| input.is_some()),
            Step::Redo => open.session.redo().await.map(|input| input.is_some()),
            Step::Clear => open.session.clear().await.map(|()| true),
        };
        match done {
            Ok(true) => self.conversations.look(owner, id).await,
            Ok(false) => Err(Problem::conflict(format!("there is nothing to {}", what.name()))),
            Err(error) => {
                held.forget();
                Err(error.into())
            }
        }
    }

    /// Makes a conversation that goes on from a turn of another.
    ///
    /// # Errors
    /// There is no such turn, or it was never finished.
    pub(crate) async fn branch(
        &self,
        owner: &Owner,
        id: &str,
        turn: Option<RunId>,
        new: Option<String>,
    ) -> Result<Conversation, Problem> {
        let (from, new) = (owner.stored(id).ok_or_else(|| Problem::no_conversation(id))?, given_id(new)?);
        let to = owner.stored(&new).ok_or_else(|| Problem::unusable("a conversation cannot have this id"))?;
        let opened = self.sessions().branch(&from, turn, &to, wire::now()).await?;
        Ok(Conversation::of(&opened.session, &new))
    }

    /// Lets others read a conversation as it stands now; gives the key by which they find it.
    ///
    /// # Errors
    /// There is no such conversation.
    pub(crate) async fn share(&self, owner: &Owner, id: &str) -> Result<String, Problem> {
        let from = owner.stored(id).ok_or_else(|| Problem::no_conversation(id))?;
        // Nobody can guess it, and nothing in it says whose it was.
        let key = Uuid::new_v4().simple().to_string();
        let to = owner::shared(&key);
        self.sessions().branch(&from, None, &to, wire::now()).await?;
        self.sessions().store().protect(&to).await?;
        Ok(key)
    }

    /// A turn that is over, as it was answered.
    ///
    /// # Errors
    /// There is no such turn in the conversation, or it is not over.
    pub(crate) async fn turn(&self, owner: &Owner, id: &str, run: RunId) -> Result<Taken, Problem> {
        let (stored, record) = self.record(owner, id, run).await?;
        if record.mark != sqlogue::graph::journal::Mark::Finished {
            return Err(Problem::conflict(
                "the turn is not over (hint: the list of turns says how it stands)",
            ));
        }
        let state = self.sessions().state_at(&stored, run, None).await?;
        let trace = Trace::of_record(run, &record);
        let path = top_level(trace.path());
        let elapsed = Duration::from_micros(trace.steps.iter().map(|step| step.took_us).sum());
        let rows = self.recent.get(run);
        let counted = self.counts(&state);
        Ok(Taken { run, state, rows, path, elapsed, counted, notices: Vec::new(), replayed: true })
    }

    /// Whether the schema that an answer was found by has exact numbers of rows and no estimates.
    pub(crate) fn counts(&self, state: &ConversationState) -> bool {
        let engine = self.conversations.databases.engine(Some(&state.database));
        engine.is_some_and(|engine| engine.database().dialect() == Dialect::Sqlite)
    }

    /// Everything written of a turn, with the stored id of its conversation.
    ///
    /// # Errors
    /// There is no such turn in the conversation.
    pub(crate) async fn record(
        &self,
        owner: &Owner,
        id: &str,
        run: RunId,
    ) -> Result<(String, RunRecord), Problem> {
        let stored = owner.stored(id).ok_or_else(|| Problem::no_conversation(id))?;
        let record = self.sessions().record(&stored, run).await?;
        Ok((stored, record))
    }

    /// All rows of a turn, and whether the query had to be run again for them.
    ///
    /// # Errors
    /// The turn has no rows; the query fails now.
    pub(crate) async fn rows(
        &self,
        owner: &Owner,
        id: &str,
        run: RunId,
    ) -> Result<(Arc<Rows>, bool), Problem> {
        // Whose it is comes first: rows at hand are no one's to see who may not see the turn.
        let taken = self.turn(owner, id, run).await?;
        if let Some(rows) = taken.rows {
            return Ok((rows, false));
        }
        let state = &taken.state;
        let query = state.query.as_deref().filter(|_| state.result.is_some());
        let query = query.ok_or_else(|| Problem::conflict("the turn has no rows"))?;
        let rows = Arc::new(self.run_sql(owner, self.engine(Some(&state.database))?, query, None).await?);
        self.recent.keep(run, &rows);
        Ok((rows, true))
    }

    /// Runs SQL that somebody wrote: through the guard, read-only, within the limits.
    ///
    /// # Errors
    /// The guard refuses it; the database fails, or a limit is reached.
    pub(crate) async fn run_sql(
        &self,
        owner: &Owner,
        engine: &Engine,
        sql: &str,
        most: Option<usize>,
    ) -> Result<Rows, Problem> {
        let database = engine.database();
        let checked = guard::check(sql, database.dialect()).map_err(|refusal| self.refused(refusal))?;
        let _permit = self.gate.turn(owner).await?;
        let mut limits = engine.services().limits;
        limits.rows = most.map_or(limits.rows, |most| most.min(limits.rows));
        let stop = self.stop.child_token();
        database.execute(&checked, &limits, &stop).await.map_err(|error| match error {
            DatabaseError::Refused(refusal) => self.refused(refusal),
            error => {
                let hint = error.hint().map(|hint| format!(" (hint: {hint})")).unwrap_or_default();
                Problem::unusable(format!("{error}{hint}"))
            }
        })
    }

    fn refused(&self, refusal: sqlogue::sql::Refusal) -> Problem {
        self.metrics.refused(refusal.code.name());
        Problem::refused(refusal)
    }

    /// Goes on with a turn that another server left, as far as its journal knows it.
    pub(crate) async fn resumed(
        &self,
        engine: &Engine,
        run: RunId,
        confirm: bool,
        cancellation: CancellationToken,
    ) -> Result<Turned, Problem> {
        let watch = Watch::new(Arc::clone(&self.metrics), None);
        let options = TurnOptions {
            confirm,
            cancellation: Some(cancellation),
            observer: Some(Arc::new(watch)),
            ..TurnOptions::default()
        };
        Ok(engine.resume_with(run, options).await?)
    }

    /// Whether the conversation stands at that turn, as far as this server knows.
    pub(crate) fn stands_at(session: &sqlogue::dialog::Session, turn: RunId) -> bool {
        head(session) == Some(turn)
    }
}

/// What moves a conversation along its own line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    Undo,
    Redo,
    Clear,
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::Redo => "redo",
            Self::Clear => "clear",
        }
    }
}

/// An id that somebody wishes for a conversation, or a new one.
fn given_id(id: Option<String>) -> Result<String, Problem> {
    let Some(id) = id else { return Ok(Uuid::now_v7().to_string()) };
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if id.is_empty() || id.len() > 64 || !id.chars().all(fits) {
        return Err(Problem::unusable(
            "a conversation cannot have this id (hint: use at most 64 letters, digits, `-`, `_` and `.`)",
        ));
    }
    Ok(id)
}

#[cfg(test)]
mod tests {
    use sqlogue::store::{Keep, MemoryStore};

    use super::*;
    use crate::turns::{Asked, Came};

    /// The document describes a turn by [`wire::Turn`], and a turn is written by the library.
    #[tokio::test]
    async fn a_turn_is_as_it_is_described() {
        let sessions = Sessions::new(Arc::new(MemoryStore::new(Keep::Shape)));
        let databases =
            Databases::new(Engine::builder().build().unwrap(), Vec::new(), Vec::new()).keeping(&sessions);
        let desk = Arc::new(Desk::new(databases, sessions, None, Options::default()));
        let id = desk.create(&Owner::Local, None, None).await.unwrap().id;
        for input in ["show all customers", "only from Germany", "qwert zuiop", "sales"] {
            let asked = Asked { input: input.to_owned(), ..Asked::default() };
            let Came::Over(taken) = desk.ask(&Owner::Local, &id, asked, None).await.unwrap() else {
                panic!("{input}")
            };
            for explain in [false, true] {
                let json = taken.json(&id, 3, explain);
                let turn: wire::Turn = serde_json::from_value(json.clone()).unwrap();
                assert_eq!(serde_json::to_value(&turn).unwrap(), json, "{input}");
            }
        }
    }

    /// What is not stored does not grow without end, and the conversation that goes on stays.
    #[tokio::test]
    async fn memory_without_a_store_is_bounded() {
        const MOST: u64 = 150_000;
        let sessions = Sessions::new(Arc::new(MemoryStore::new(Keep::Shape)));
        let databases =
            Databases::new(Engine::builder().build().unwrap(), Vec::new(), Vec::new()).keeping(&sessions);
        let kept = Retention { max_bytes: Some(MOST), ..Retention::default() };
        let desk = Arc::new(Desk::new(databases, sessions, Some(kept), Options::default()));
        let (mut most, mut before, mut largest, mut id) = (0, 0, 0, String::new());
        for number in 0..2 * OFTEN {
            if number % 10 == 0 {
                id = desk.create(&Owner::Local, None, None).await.unwrap().id;
            }
            let asked = Asked { input: "SELECT 1 AS one".to_owned(), ..Asked::default() };
            desk.ask(&Owner::Local, &id, asked, None).await.unwrap();
            let size = desk.sessions().store().size().await.unwrap();
            (most, largest) = (most.max(size), largest.max(size.saturating_sub(before)));
            before = size;
        }
        assert!(most > MOST && most <= MOST + largest * OFTEN as u64, "{most}, by {largest} a turn");
        assert!(before < most, "nothing was ever forgotten: {before}");
        assert!(desk.conversations.look(&Owner::Local, &id).await.is_ok());
    }
}
