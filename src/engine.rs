//! The engine: one database, one reasoner, one graph; a turn is one call.
//!
//! This is the composition root, the one place that names concrete adapters.

mod global;
mod heard;
mod input;
mod open;
mod rows;
mod source;
mod stores;
mod stream;
mod turn;

pub use global::query_database;
pub use heard::{otherwise, why};
pub use input::QueryInput;
pub use open::{OpenedDatabase, load_limits, open, open_database, read_dictionary};
pub use rows::NotAnswered;
pub use source::DatabaseSource;
pub use stores::{default_store, open_lessons, open_store};
pub use stream::{TurnEvent, TurnStream};
pub use turn::{Answer, CorrectionInput, Paused, TurnOptions, Turned, top_level};

use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;

use crate::config::{ConfigError, IntentStrategy, ReasonerKind, Settings};
use crate::conversation::ConversationState;
use crate::database::{Database, Limits};
use crate::error::Error;
use crate::graph::{Clock, Graph, IdSource, Journal, Observer, SystemClock, SystemIds};
use crate::lesson::LessonMemory;
use crate::model::ModelError;
use crate::nodes::{Catalog, FullRows, ResultLimits, Services};
use crate::reasoner::{HybridReasoner, Reasoner, RuleReasoner, SecondedReasoner};
use crate::source::Described;
use crate::store::{Sessions, Store};
use crate::workflow;

/// Answers questions about one database. Cheap to clone; made by [`Engine::builder`].
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// use sqlogue::Engine;
///
/// let engine = Engine::builder().build()?; // the embedded sample database, the embedded rules
/// let first = engine.query_database("How many customers are there?", None).await?;
/// assert_eq!(first.query.as_deref(), Some("SELECT count(*) FROM customers"));
/// # Ok::<(), sqlogue::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Engine {
    graph: Graph<ConversationState>,
    services: Services,
    settings: Arc<Settings>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    journal: Option<Arc<dyn Journal>>,
    sessions: Option<Sessions>,
    observers: Vec<Arc<dyn Observer<ConversationState>>>,
}

/// Sets an [`Engine`] up; what is not set is as safe and as simple as can be.
#[derive(Default)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct EngineBuilder {
    settings: Settings,
    database: Option<Arc<dyn Database>>,
    reasoner: Option<Arc<dyn Reasoner>>,
    clock: Option<Arc<dyn Clock>>,
    today: Option<Date>,
    ids: Option<Arc<dyn IdSource>>,
    limits: Option<Limits>,
    journal: Option<Arc<dyn Journal>>,
    store: Option<Arc<dyn Store>>,
    lessons: Option<Arc<dyn LessonMemory>>,
    observers: Vec<Arc<dyn Observer<ConversationState>>>,
    graph: Option<GraphChange>,
}

/// What makes another graph of the conversation graph.
type GraphChange = Box<dyn FnOnce(Graph<ConversationState>, &Services) -> Graph<ConversationState> + Send>;

impl EngineBuilder {
    /// The settings, those of the database among them.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The database that is asked: its path or URL, the name that the settings give it, or one that is open already. By
    /// default it is that of the settings, or the embedded sample. What is a path, URL or name is opened by
    /// [`build`](Self::build), and it replaces the one in the settings, so set the [`settings`](Self::settings) first.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use sqlogue::Engine;
    /// use sqlogue::database::SqliteDatabase;
    ///
    /// let memory = SqliteDatabase::in_memory("stock", |connection| {
    ///     connection.execute_batch("CREATE TABLE parts (name TEXT); INSERT INTO parts VALUES ('bolt'), ('nut')")
    /// });
    /// let engine = Engine::builder().database(memory.map_err(sqlogue::Error::from)?).build()?;
    /// let answer = engine.ask("How many parts are there?", None).await?;
    /// assert_eq!(answer.rows()?.deserialize::<u64>()?, [2]);
    /// # Ok::<(), sqlogue::Error>(())
    /// # }).unwrap();
    /// ```
    pub fn database(mut self, database: impl Into<DatabaseSource>) -> Self {
        match database.into() {
            DatabaseSource::Url(url) => {
                self.database = None;
                self.settings.database = url;
            }
            DatabaseSource::Open(database) => self.database = Some(database),
        }
        self
    }

    /// The same for those who have nothing but a path or URL.
    pub fn url(self, url: impl Into<String>) -> Self {
        self.database(url.into())
    }

    /// Changes the graph that every turn walks, so that a node of one's own takes the place of another
    /// ([`Graph::with_node`]). The ids of the nodes have to stay: turns pause, and are resumed, by them.
    pub fn graph(
        mut self,
        change: impl FnOnce(Graph<ConversationState>, &Services) -> Graph<ConversationState> + Send + 'static,
    ) -> Self {
        self.graph = Some(Box::new(change));
        self
    }

    /// Who judges; by default what the settings say.
    pub fn reasoner(mut self, reasoner: Arc<dyn Reasoner>) -> Self {
        self.reasoner = Some(reasoner);
        self
    }

    /// Where the time comes from.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// The day that *today* and *last month* are counted from; by default the clock's. When turns happen is told by the
    /// clock all the same.
    pub fn today(mut self, day: Date) -> Self {
        self.today = Some(day);
        self
    }

    /// Where new ids come from.
    pub fn ids(mut self, ids: Arc<dyn IdSource>) -> Self {
        self.ids = Some(ids);
        self
    }

    /// What one query may cost; by default what the settings say.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Where turns are written down while they run, so that [`Engine::resume`] can finish one that was killed.
    pub fn journal(mut self, journal: Arc<dyn Journal>) -> Self {
        self.journal = Some(journal);
        self
    }

    /// Where conversations are kept: every turn is written under its conversation's id, and stands in place of a
    /// [`journal`](Self::journal).
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// What was learnt, and where it is learnt; by default the folder of the settings, if they name one. With
    /// `apply_memory` switched off there is none.
    pub fn lessons(mut self, lessons: Arc<dyn LessonMemory>) -> Self {
        self.lessons = Some(lessons);
        self
    }

    /// Adds somebody who is told everything that happens in every turn.
    pub fn observer(mut self, observer: Arc<dyn Observer<ConversationState>>) -> Self {
        self.observers.push(observer);
        self
    }

    /// Opens what has to be opened and builds the graph.
    ///
    /// # Errors
    /// The database cannot be opened, or the store of the settings, or the settings of the model do not fit.
    pub fn build(self) -> Result<Engine, Error> {
        let settings = self.settings;
        let database = match self.database {
            Some(database) => database,
            None => open_database(&settings, &mut |_| {})?.database,
        };
        let store = match self.store {
            Some(store) => Some(store),
            None => open_store(&settings)?,
        };
        let database = match &settings.dictionary {
            Some(path) => {
                let dictionary = read_dictionary(path, &settings)?;
                Arc::new(Described::with_dictionary(database, dictionary.schema))
            }
            None => database,
        };
        let reasoner = match self.reasoner {
            Some(reasoner) => reasoner,
            None => reasoner(&settings)?,
        };
        let limits = self.limits.unwrap_or_else(|| Limits {
            rows: settings.max_rows,
            deadline: Duration::from_secs_f64(settings.query_timeout),
            ..Limits::default()
        });
        let services = Services {
            database,
            reasoner,
            rules: Arc::new(RuleReasoner::default()),
            catalog: Arc::new(Catalog::new(settings.index_megabytes << 20)),
            lessons: self.lessons.filter(|_| settings.apply_memory).or_else(|| open_lessons(&settings)),
            limits,
            result_limits: ResultLimits { rows: settings.result_limit, ..ResultLimits::default() },
            // Where nothing is refined there is nothing to tell apart.
            intent_strategy: match settings.enable_dialog_refinement {
                true => settings.intent_detection_strategy,
                false => IntentStrategy::Rules,
            },
            max_turns: settings.max_conversation_turns,
            max_correction_attempts: settings.max_correction_attempts,
            confidence_threshold: settings.confidence_threshold,
            today: self.today,
            full_rows: Arc::new(FullRows::default()),
        };
        let graph = workflow::conversation_graph(&services, budgets(&settings))
            .map_err(|problems| Error::internal("the conversation graph", problems))?;
        let graph = match self.graph {
            Some(change) => change(graph, &services),
            None => graph,
        };
        Ok(Engine {
            graph,
            services,
            settings: Arc::new(settings),
            clock: self.clock.unwrap_or_else(|| Arc::new(SystemClock)),
            ids: self.ids.unwrap_or_else(|| Arc::new(SystemIds)),
            journal: self.journal,
            sessions: store.map(Sessions::new),
            observers: self.observers,
        })
    }
}

fn reasoner(settings: &Settings) -> Result<Arc<dyn Reasoner>, Error> {
    let model = &settings.model;
    let reasoner: Result<Arc<dyn Reasoner>, ModelError> = match settings.reasoner {
        ReasonerKind::Rules => return Ok(Arc::new(RuleReasoner::default())),
        ReasonerKind::Openai => {
            SecondedReasoner::from_settings(model).map(|reasoner| Arc::new(reasoner) as Arc<dyn Reasoner>)
        }
        ReasonerKind::Hybrid => {
            HybridReasoner::from_settings(model).map(|reasoner| Arc::new(reasoner) as Arc<dyn Reasoner>)
        }
    };
    reasoner.map_err(|error| ConfigError::Invalid { problem: error.to_string() }.into())
}

fn budgets(settings: &Settings) -> workflow::LoopLimits {
    workflow::LoopLimits {
        retries: settings.max_sql_attempts,
        refinements: settings.max_refinements,
        ..workflow::LoopLimits::default()
    }
}

impl Engine {
    /// An engine for the database at a path or URL: `shop.db`, `postgres://user@host/name`, `bigquery://project/dataset`, a
    /// file of CSV, JSON or Parquet, or a workbook. Everything else is as the default is; [`builder`](Self::builder) sets more.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use sqlogue::Engine;
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("sales.csv");
    /// # std::fs::write(&path, "city,amount\nRome,3\nOslo,4\n").unwrap();
    /// # let url = path.to_str().unwrap();
    /// let engine = Engine::open(url)?; // `sales.csv`
    /// let answer = engine.query_database("How many sales are there?", None).await?;
    /// assert_eq!(answer.result_table().to_string().matches('2').count(), 1);
    /// # Ok::<(), sqlogue::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// The URL is of no kind that is known, or the database cannot be opened.
    pub fn open(url: &str) -> Result<Self, Error> {
        Self::builder().url(url).build()
    }

    /// Begins to set an engine up.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// The conversation graph, to be drawn or looked at.
    pub fn graph(&self) -> &Graph<ConversationState> {
        &self.graph
    }

    /// What its nodes work with, to build a graph of one's own from them.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// The conversations that are kept, where there is a store.
    pub fn sessions(&self) -> Option<&Sessions> {
        self.sessions.as_ref()
    }

    /// The same engine, which writes nothing down.
    #[must_use]
    pub fn without_store(&self) -> Self {
        Self { sessions: None, journal: None, ..self.clone() }
    }

    /// The same engine, which keeps conversations there.
    #[must_use]
    pub fn with_store(&self, store: Arc<dyn Store>) -> Self {
        Self { sessions: Some(Sessions::new(store)), journal: None, ..self.clone() }
    }

    /// The settings it was built with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The database that is asked.
    pub fn database(&self) -> &dyn Database {
        self.services.database.as_ref()
    }

    /// What is known of the database, read now if it was not read before or has changed since.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn knowledge(&self) -> Result<Arc<crate::reasoner::Knowledge>, Error> {
        let services = &self.services;
        Ok(services.catalog.knowledge(services.database.as_ref(), services.lessons.as_deref()).await?)
    }

    /// What is known of the database by its names alone, while [`Engine::knowledge`] still reads its values. `None` where not
    /// even the names were read. It is made anew by each call, and asks the database nothing.
    pub fn outline(&self) -> Option<crate::reasoner::Knowledge> {
        self.services.catalog.outline(self.database().dialect())
    }
}
