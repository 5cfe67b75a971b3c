//! `sqlogue classify`: what kind of input a line is, after the turns it comes with.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::args::Format;
use super::connect::Setup;
use super::databases::Databases;
use super::failure::{Exit, Failure};
use super::line::{to_json, unreadable};
use super::lines::{Input, Lines};
use super::output::Output;
use super::shapes;
use super::tally::{Became, LineArguments, Tally};
use sqlogue::intent::{self, DialogContext, PastTurn, Signal, Vocabulary};

/// What `classify` takes.
#[derive(Debug, Args)]
pub(super) struct ClassifyArguments {
    /// The folder of the databases that lines name; their tables and columns make the judgement better
    #[arg(long, value_name = "DIR")]
    database_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(super) lines: LineArguments,
}

/// What its help says of the lines.
pub(super) const LINES: &str = "\
Each line of standard input is an input with the turns before it:
  {\"id\": \"1\", \"database\": \"pets\", \"history\": [{\"input\": \"List dogs\", \"sql\": \"SELECT …\"}], \"input\": \"How many?\"}
Only `input` has to be there (`question` is read for it). Each line of standard output is a judgement:
  {\"id\":\"1\",\"intent\":\"refinement\",\"confidence\":\"medium\",\"signals\":[{\"rule\":\"ellipsis\",\"evidence\":\"How many\"}]}
`confidence` is how sure the intent is. `--json-schema` prints all fields.

Exit codes: 0 where any line was judged, 3 where none could be read";

/// One line of the input.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Utterance {
    /// The database, by its name in `--database-dir`; its words make the judgement better.
    database: Option<String>,
    /// The turns before, oldest first.
    #[serde(default)]
    history: Option<Vec<Earlier>>,
    /// What is said; `question` is read as well.
    #[serde(alias = "question")]
    input: String,
}

/// A turn before it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Earlier {
    /// What was said.
    #[serde(alias = "question")]
    input: String,
    /// The SQL of its answer; null where it had none.
    sql: Option<String>,
}

/// What an input was taken for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "Judgement")]
struct Verdict {
    /// What the line of the input calls itself.
    id: Json,
    /// What kind of input it is.
    #[schemars(extend("enum" = ["new_query", "refinement", "correction", "command"]))]
    intent: &'static str,
    /// How sure that is.
    #[schemars(extend("enum" = ["low", "medium", "high"]))]
    confidence: &'static str,
    /// The rules that fired.
    #[schemars(with = "Vec<SignalShape>")]
    signals: Vec<Signal>,
}

/// [`Signal`] for the schema: the library's own has none.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its shape is used")]
struct SignalShape {
    /// The name of the rule.
    rule: String,
    /// The words that it fired on, or what was seen in them.
    evidence: String,
}

/// Prints what the lines are made of.
pub(super) fn schema() -> Result<Exit, Failure> {
    shapes::print::<Utterance, Verdict>()
}

/// Reads to the end of standard input.
pub(super) async fn run(arguments: &ClassifyArguments, setup: Setup) -> Result<Exit, Failure> {
    setup.format("classify", &[Format::Jsonl, Format::Json])?;
    let mut words = Words {
        databases: arguments.database_dir.clone().map(|folder| Databases::new(setup, Some(folder))),
        known: HashMap::new(),
    };
    let mut output = Output::standard();
    let mut lines = Lines::new(io::stdin().lock());
    let mut tally = Tally::default();
    while let Some(Input { id, asked }) = lines.next::<Utterance>() {
        tally.count(if asked.is_ok() { Became::Answered } else { Became::Failed });
        let line = match asked {
            Ok(utterance) => to_json(&Verdict { id, ..classify(utterance, &mut words).await }),
            Err(problem) => unreadable(&id, &problem),
        };
        output.data(&(line + "\n"))?;
        output.flush()?;
    }
    Ok(tally.exit(arguments.lines.strict))
}

async fn classify(utterance: Utterance, words: &mut Words) -> Verdict {
    let Utterance { database, history, input } = utterance;
    let turns = history.unwrap_or_default().into_iter().map(|Earlier { input, sql }| PastTurn {
        succeeded: sql.is_some(),
        input,
        sql,
    });
    let mut context = DialogContext::new(turns);
    if let Some(vocabulary) = words.of(database.as_deref()).await {
        context = context.with_vocabulary(vocabulary);
    }
    let found = intent::classify(&input, &context);
    Verdict {
        id: Json::Null,
        intent: found.intent.name(),
        confidence: found.confidence.name(),
        signals: found.signals,
    }
}

/// The words of the databases that lines name.
struct Words {
    databases: Option<Databases>,
    known: HashMap<String, Option<Arc<Vocabulary>>>,
}

impl Words {
    /// A database that cannot be read costs its words, not the line.
    async fn of(&mut self, database: Option<&str>) -> Option<Arc<Vocabulary>> {
        let (databases, name) = (self.databases.as_mut()?, database?);
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let schema = match databases.engine(Some(name)) {
            Ok(engine) => engine.database().introspect().await.map_err(|error| error.to_string()),
            Err(problem) => Err(problem),
        };
        let vocabulary = match schema {
            Ok(schema) => Some(Arc::new(Vocabulary::of(&schema))),
            Err(problem) => {
                tracing::warn!(database = name, problem, "the words of the database are not known");
                None
            }
        };
        self.known.insert(name.to_owned(), vocabulary.clone());
        vocabulary
    }
}
