//! What an assistant may call.

use rmcp::handler::server::tool::{schema_for_input, schema_for_output};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::Assistant;
use crate::desk::Step;
use crate::http::page;
use crate::owner::Owner;
use crate::problem::Problem;
use crate::turns::{Asked, Came};
use crate::wire::{Conversation, Reading, RowPage, Turn};

/// So many rows an assistant gets unless it asks for more: they all pass through its context.
const ROWS: u32 = 50;

/// The most rows it gets at once.
const MOST: u32 = 1000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ask {
    /// The question or follow-up in plain words; also `2` for another reading, or one of `options`
    question: String,
    /// The conversation to go on with (`session` of an answer); the one of this MCP session unless given
    conversation: Option<String>,
    /// The database to begin a new conversation about
    database: Option<String>,
    /// True where the question has nothing to do with those before
    #[serde(default)]
    fresh: bool,
    /// At most so many rows in the answer; 50 unless set
    #[schemars(range(max = 1000))]
    rows: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RunSql {
    /// One SELECT in the dialect of the database
    sql: String,
    /// The database; the first one unless named
    database: Option<String>,
    /// At most so many rows; 50 unless set
    #[schemars(range(max = 1000))]
    rows: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Describe {
    /// The database; the first one unless named
    database: Option<String>,
    /// Only these tables
    tables: Option<Vec<String>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct About {
    /// The conversation; the one of this MCP session unless given
    conversation: Option<String>,
}

/// What is seen of a database.
#[derive(Debug, Serialize, JsonSchema)]
struct Described {
    /// The database
    database: String,
    /// The dialect of its SQL
    dialect: String,
    /// The databases that there are
    databases: Vec<String>,
    /// Its tables, columns, keys and samples
    schema: serde_json::Map<String, Json>,
}

/// Why an answer is what it is.
#[derive(Debug, Serialize, JsonSchema)]
struct Explained {
    /// The question
    question: String,
    /// How it ended
    status: String,
    /// Its SQL
    sql: Option<String>,
    /// How sure the answer is
    answer_confidence: Option<String>,
    /// The reasons, one a line
    explanation: Vec<String>,
    /// The words that the answer does not account for
    left_out: Vec<String>,
    /// The other ways to read the question
    readings: Vec<Reading>,
    /// The nodes of the graph that the turn went through
    path: Vec<String>,
}

/// The tools.
pub(super) fn all() -> Vec<Tool> {
    let reads = || ToolAnnotations::new().read_only(true).destructive(false).open_world(false);
    let moves =
        || ToolAnnotations::new().read_only(false).destructive(false).idempotent(false).open_world(false);
    vec![
        tool::<Ask, Turn>(
            "ask",
            "Ask a database",
            "Ask a question about a database in plain words, or a follow-up.",
            reads(),
        ),
        tool::<RunSql, RowPage>(
            "run_sql",
            "Run SQL",
            "Run one SELECT, checked, read-only and within limits.",
            reads(),
        ),
        tool::<Describe, Described>(
            "describe_schema",
            "Describe a database",
            "The tables, columns, keys and sample values of a database.",
            reads(),
        ),
        tool::<About, Explained>(
            "explain",
            "Explain the last answer",
            "Why the last answer is what it is.",
            reads(),
        ),
        tool::<About, Conversation>(
            "undo",
            "Undo the last turn",
            "Take the last turn of the conversation back. No data is changed.",
            moves(),
        ),
    ]
}

fn tool<I: JsonSchema + 'static, O: JsonSchema + 'static>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    // A struct is always an object, which is all that can be asked of it.
    let input = schema_for_input::<I>().unwrap_or_default();
    Tool::new(name, description, input)
        .with_title(title)
        .with_raw_output_schema(schema_for_output::<O>())
        .with_annotations(annotations)
}

impl Assistant {
    /// Calls a tool; none where there is no such tool.
    pub(super) async fn called(
        &self,
        name: &str,
        arguments: JsonObject,
        owner: &Owner,
    ) -> Option<Result<Json, Problem>> {
        Some(match name {
            "ask" => match read(arguments) {
                Ok(ask) => self.ask(owner, ask).await,
                Err(problem) => Err(problem),
            },
            "run_sql" => match read(arguments) {
                Ok(run) => self.run_sql(owner, run).await,
                Err(problem) => Err(problem),
            },
            "describe_schema" => match read(arguments) {
                Ok(describe) => self.describe(describe).await,
                Err(problem) => Err(problem),
            },
            "explain" => match read(arguments) {
                Ok(about) => self.explain(owner, about).await,
                Err(problem) => Err(problem),
            },
            "undo" => match read(arguments) {
                Ok(about) => self.undo(owner, about).await,
                Err(problem) => Err(problem),
            },
            _ => return None,
        })
    }

    async fn ask(&self, owner: &Owner, ask: Ask) -> Result<Json, Problem> {
        let id = self.conversation(owner, ask.conversation, ask.database.as_deref()).await?;
        let asked = Asked { input: ask.question, fresh: ask.fresh, ..Asked::default() };
        match self.desk.ask(owner, &id, asked, None).await? {
            Came::Over(taken) => Ok(taken.json(&id, rows(ask.rows), true)),
            Came::Waits(_) => Err(Problem::internal("a turn waits that was not asked to")),
        }
    }

    async fn run_sql(&self, owner: &Owner, run: RunSql) -> Result<Json, Problem> {
        let engine = self.desk.engine(run.database.as_deref())?;
        let most = rows(run.rows);
        let rows = self.desk.run_sql(owner, engine, &run.sql, Some(most)).await?;
        written(&page(&rows, 0, most, false))
    }

    async fn describe(&self, describe: Describe) -> Result<Json, Problem> {
        let engine = self.desk.engine(describe.database.as_deref())?;
        let knowledge = engine.knowledge().await?;
        let mut schema = knowledge.schema().clone();
        if let Some(names) = &describe.tables {
            if let Some(unknown) = names.iter().find(|name| schema.table(name).is_none()) {
                return Err(Problem::unknown(format!("there is no table `{unknown}`")));
            }
            schema = schema.filtered(|table| names.iter().any(|name| table.name.eq_ignore_ascii_case(name)));
        }
        let engines = self.desk.conversations.databases.engines();
        let Json::Object(schema) = written(&schema)? else {
            return Err(Problem::internal("a schema is no object"));
        };
        written(&Described {
            database: engine.database().name().to_owned(),
            dialect: engine.database().dialect().name().to_owned(),
            databases: engines.iter().map(|engine| engine.database().name().to_owned()).collect(),
            schema,
        })
    }

    async fn explain(&self, owner: &Owner, about: About) -> Result<Json, Problem> {
        let id = self.conversation_so_far(owner, about.conversation).await?;
        let head = self.desk.conversations.look(owner, &id).await?.head;
        let run = head.as_deref().and_then(|head| head.parse().ok());
        let run = run.ok_or_else(|| Problem::conflict("nothing was asked yet (hint: `ask` first)"))?;
        let taken = self.desk.turn(owner, &id, run).await?;
        let state = &taken.state;
        written(&Explained {
            question: state.user_question.clone(),
            status: state.status.name().to_owned(),
            sql: state.query.clone(),
            answer_confidence: state.answer_confidence.map(|confidence| confidence.name().to_owned()),
            explanation: state.explanation.clone(),
            left_out: state.left_out.clone(),
            readings: state
                .other_readings()
                .iter()
                .map(|choice| Reading { label: choice.label.clone(), sql: choice.sql.clone() })
                .collect(),
            path: taken.path.clone(),
        })
    }

    async fn undo(&self, owner: &Owner, about: About) -> Result<Json, Problem> {
        let id = self.conversation_so_far(owner, about.conversation).await?;
        written(&self.desk.step(owner, &id, Step::Undo).await?)
    }
}

fn rows(asked: Option<u32>) -> usize {
    asked.unwrap_or(ROWS).min(MOST) as usize
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Problem> {
    serde_json::from_value(Json::Object(arguments))
        .map_err(|error| Problem::unusable(format!("these are no arguments of the tool: {error}")))
}

fn written(value: &impl Serialize) -> Result<Json, Problem> {
    serde_json::to_value(value).map_err(Problem::internal)
}
