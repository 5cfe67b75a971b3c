//! `sqlogue classify`: what kind of input a line is, after the turns it comes with.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::args::Format;
use super::connect::Setup;
use super::databases::Databases;
use super::failure::{Exit, Failure};
use super::line::{to_json, unreadable};
use super::lines::{Input, Lines};
use super::output::Output;
use crate::intent::{self, DialogContext, PastTurn, Signal, Vocabulary};

/// What `classify` takes.
#[derive(Debug, Args)]
pub(super) struct ClassifyArguments {
    /// The folder of the databases that lines name; their tables and columns make the judgement better
    #[arg(long, value_name = "DIR")]
    database_dir: Option<PathBuf>,
}

/// One line of the input.
#[derive(Debug, Serialize, Deserialize)]
struct Utterance {
    database: Option<String>,
    #[serde(default)]
    history: Option<Vec<Earlier>>,
    input: String,
}

/// A turn before it.
#[derive(Debug, Serialize, Deserialize)]
struct Earlier {
    input: String,
    sql: Option<String>,
}

/// One line of the output.
#[derive(Debug, Serialize)]
struct Verdict {
    id: Json,
    intent: &'static str,
    confidence: &'static str,
    signals: Vec<Signal>,
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
    while let Some(Input { id, asked }) = lines.next::<Utterance>() {
        let line = match asked {
            Ok(utterance) => to_json(&Verdict { id, ..classify(utterance, &mut words).await }),
            Err(problem) => unreadable(&id, &problem),
        };
        output.data(&(line + "\n"))?;
        output.flush()?;
    }
    Ok(Exit::Answered)
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
