//! The reasoner that asks a language model.
//!
//! Every judgement is one or more small requests, each with a prompt that fits the budget of tokens and an answer of a
//! known shape:
//!
//! ```text
//! context, describe   what the model may see, as data         prompts/*.j2   how it is put
//! budget, tokens      as much of it as fits                   call           asked, read, asked once more
//! lenient, coerce     what models write, bent into shape      names          found in the schema
//! at_once, phases, planning, writing                          the judgements themselves
//! ```
//!
//! Whatever a model writes is a proposal: names are looked up, SQL goes through the guard, and what cannot be used ends
//! as a value that says why.

mod answers;
mod at_once;
mod book;
mod budget;
mod call;
mod coerce;
mod context;
mod data;
mod describe;
mod hints;
mod lenient;
mod names;
mod phases;
mod planning;
mod prompts;
mod shape;
mod tokens;
mod writing;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use self::book::Book;
use self::budget::Budget;
use self::call::Turn;
use self::prompts::Prompts;
use super::{
    Ask, JudgedIntent, Judgement, Phases, Reading, Reasoner, RouterOutput, Understanding, WrittenQuery,
};
use crate::conversation::{Failure, TurnError};
use crate::model::{
    Cached, ModelClient, ModelError, ModelErrorKind, ModelSettings, PhaseUse, Recorder, Replay,
};
use crate::plan::{
    JoinInference, PlannedTable, PlannerOutput, QueryPlan, QueryUnderstanding, TableRefinement,
    TableRelevance,
};

pub use hints::{Hinter, Hints, RuleHints};
pub use prompts::Task;
pub use tokens::{Estimate, Tokenizer, tokenizer};

/// The name that settings and messages use.
const NAME: &str = "openai";

/// Judges by asking a language model.
pub struct ModelReasoner {
    client: Arc<dyn ModelClient>,
    prompts: Prompts,
    budget: Budget,
    /// Tokens that the server takes in one request, as far as it has refused more.
    taken: AtomicUsize,
    caps: Caps,
    manner: Manner,
    book: Book,
    hinter: Option<Arc<dyn Hinter>>,
}

/// What turns may cost.
struct Caps {
    turn_time: Duration,
    max_calls: u32,
    turn_tokens: u64,
    session_tokens: u64,
    concurrency: usize,
    temperature: f32,
}

/// How questions are put to the model.
#[derive(Debug, Clone, Copy)]
struct Manner {
    phases: PhaseUse,
    reliability: f64,
    samples: u32,
    share_rows: bool,
}

#[cfg(feature = "model")]
fn client(settings: &ModelSettings) -> Result<Arc<dyn ModelClient>, ModelError> {
    Ok(Arc::new(crate::model::OpenAiClient::new(settings)?))
}

#[cfg(not(feature = "model"))]
fn client(_: &ModelSettings) -> Result<Arc<dyn ModelClient>, ModelError> {
    let problem = "this program was built without `model` (hint: build it with `--features model`)";
    Err(ModelError::new(ModelErrorKind::Setup, problem))
}

impl ModelReasoner {
    /// A reasoner that asks the server of the settings, or the recording that they name.
    ///
    /// # Errors
    /// The settings do not fit, or a file that they name cannot be used.
    pub fn from_settings(settings: &ModelSettings) -> Result<Self, ModelError> {
        let mut client: Arc<dyn ModelClient> = match &settings.replay {
            Some(path) => Arc::new(Replay::open(path)?),
            None => client(settings)?,
        };
        if let Some(path) = &settings.record {
            client = Arc::new(Recorder::create(client, path)?);
        }
        if settings.cache > 0 {
            client = Arc::new(Cached::new(client, settings.cache));
        }
        Self::new(client, settings)
    }

    /// A reasoner that asks `client`; of the settings it takes what concerns prompts and caps.
    ///
    /// # Errors
    /// The settings do not fit, or one of the prompts that replace ours is wrong.
    pub fn new(client: Arc<dyn ModelClient>, settings: &ModelSettings) -> Result<Self, ModelError> {
        if let Some(problem) = settings.problem() {
            return Err(ModelError::new(ModelErrorKind::Setup, problem));
        }
        let prompts = Prompts::new(settings.prompts.as_deref());
        let prompts = prompts.map_err(|problem| ModelError::new(ModelErrorKind::Setup, problem))?;
        let tokenizer = tokenizer(settings.tokenizer, &settings.model);
        Ok(Self {
            client,
            prompts,
            budget: Budget {
                max_tokens: settings.max_tokens as usize,
                answer_tokens: settings.answer_tokens as usize,
                tokenizer,
            },
            taken: AtomicUsize::new(usize::MAX),
            caps: Caps {
                turn_time: settings.turn_deadline(),
                max_calls: settings.max_calls,
                turn_tokens: settings.turn_token_limit,
                session_tokens: settings.session_token_limit,
                concurrency: settings.concurrency,
                temperature: settings.temperature,
            },
            manner: Manner {
                phases: settings.phases,
                reliability: settings.reliability,
                samples: settings.samples,
                share_rows: settings.share_rows,
            },
            book: Book::default(),
            hinter: None,
        })
    }

    /// Shows the model what somebody else found: words of the question in the database, lessons.
    #[must_use]
    pub fn with_hints(mut self, hinter: Arc<dyn Hinter>) -> Self {
        self.hinter = Some(hinter);
        self
    }

    /// Counts tokens by another tokenizer, for models whose own one is known.
    #[must_use]
    pub fn with_tokenizer(mut self, tokenizer: Arc<dyn Tokenizer>) -> Self {
        self.budget.tokenizer = tokenizer;
        self
    }

    fn turn<'a>(&'a self, ask: Ask<'a>, phase: bool) -> Turn<'a> {
        Turn::new(ask, phase, self.book.open(&ask.state.scratch.turn_id, self.caps.turn_time))
    }

    /// The model's name at its server.
    fn model_name(&self) -> String {
        self.client.model().to_owned()
    }

    /// How often the model is right about the database: the setting, moved by what people said of its answers.
    fn reliability(&self, ask: Ask<'_>) -> f64 {
        let model = self.client.model();
        let record = ask.state.scratch.models.iter().find(|record| record.model == model);
        record.map_or(self.manner.reliability, |record| record.reliability(self.manner.reliability))
    }

    fn hints(&self, ask: &Ask<'_>) -> Hints {
        self.hinter.as_ref().map(|hinter| hinter.hints(ask)).unwrap_or_default()
    }
}

/// One judgement, with its cost whether it was made or not.
macro_rules! judge {
    ($self:ident, $ask:ident, $phase:expr, $turn:ident => $judged:expr) => {
        Box::pin(async move {
            let $turn = &$self.turn($ask, $phase);
            match $judged.await {
                Ok(value) => Ok($turn.judged(value)),
                Err(trouble) => Err($turn.failed(&trouble)),
            }
        })
    };
}

impl Reasoner for ModelReasoner {
    fn name(&self) -> &'static str {
        NAME
    }

    fn intent<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Option<JudgedIntent>> {
        judge!(self, ask, false, turn => self.judge_intent(turn))
    }

    fn route<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, RouterOutput> {
        judge!(self, ask, false, turn => self.judge_route(turn))
    }

    fn understand<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Understanding<'a>> {
        Box::pin(self.understood(ask))
    }

    fn samples<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Vec<WrittenQuery>> {
        judge!(self, ask, false, turn => self.write_samples(turn))
    }

    fn update_plan<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Result<Reading, TurnError>> {
        judge!(self, ask, true, turn => self.judge_update(turn))
    }

    fn generate_sql<'a>(&'a self, ask: Ask<'a>, plan: &'a PlannerOutput) -> Judgement<'a, WrittenQuery> {
        judge!(self, ask, false, turn => self.write_sql(turn, plan))
    }

    fn repair<'a>(&'a self, ask: Ask<'a>, failure: &'a Failure) -> Judgement<'a, Option<WrittenQuery>> {
        judge!(self, ask, false, turn => self.write_repair(turn, failure))
    }

    fn refine<'a>(
        &'a self,
        ask: Ask<'a>,
        sql: &'a str,
        _plan: Option<&'a QueryPlan>,
    ) -> Judgement<'a, Option<WrittenQuery>> {
        judge!(self, ask, false, turn => self.write_refinement(turn, sql))
    }

    fn reconsider<'a>(
        &'a self,
        ask: Ask<'a>,
        sql: &'a str,
        doubt: &'a str,
    ) -> Judgement<'a, Option<WrittenQuery>> {
        judge!(self, ask, false, turn => self.write_reconsidered(turn, sql, doubt))
    }
}

impl Phases for ModelReasoner {
    fn author(&self) -> String {
        self.model_name()
    }

    fn tables_at_once(&self, ask: Ask<'_>) -> usize {
        let tables = ask.knowledge.schema().tables.iter().collect::<Vec<_>>();
        match self.fits_at_once(&self.turn(ask, true), &tables) {
            true => usize::MAX,
            // A round is journaled when it is over, so a failure loses at most one.
            false => self.caps.concurrency,
        }
    }

    fn evaluate_tables<'a>(
        &'a self,
        ask: Ask<'a>,
        tables: &'a [String],
    ) -> Judgement<'a, Vec<TableRelevance>> {
        judge!(self, ask, true, turn => self.judge_tables(turn, tables))
    }

    fn refine_tables<'a>(
        &'a self,
        ask: Ask<'a>,
        candidates: &'a [TableRelevance],
    ) -> Judgement<'a, TableRefinement> {
        judge!(self, ask, true, turn => self.judge_candidates(turn, candidates))
    }

    fn synthesize<'a>(
        &'a self,
        ask: Ask<'a>,
        tables: &'a [PlannedTable],
    ) -> Judgement<'a, QueryUnderstanding> {
        judge!(self, ask, true, turn => self.judge_requirements(turn, tables))
    }

    fn infer_joins<'a>(
        &'a self,
        ask: Ask<'a>,
        understanding: &'a QueryUnderstanding,
    ) -> Judgement<'a, JoinInference> {
        judge!(self, ask, true, turn => self.judge_joins(turn, understanding))
    }

    fn compose(&self, ask: Ask<'_>) -> Result<Reading, TurnError> {
        self.compose_reading(ask)
    }
}

impl std::fmt::Debug for ModelReasoner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelReasoner").field("model", &self.client.model()).finish_non_exhaustive()
    }
}
