//! `sqlogue check`: which SQL may run, and on request what comes of running it.

use std::io::{self, Write as _};

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;

use super::args::Format;
use super::connect::Setup;
use super::failure::{Exit, Failure};
use super::line::{to_json, unreadable};
use super::lines::{Input, Lines};
use super::output::Output;
use sqlogue::database::{DatabaseError, Limits};
use sqlogue::engine::Engine;
use sqlogue::sql::{Checked, Dialect, guard};

/// What `check` takes.
#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// The dialect of the SQL: `sqlite`, `postgres`, `bigquery` or `mysql`; the database's own if one is given
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<Dialect>,
    /// Run what is allowed, read-only and within the limits, on the database of `--db`
    #[arg(long)]
    execute: bool,
}

/// One line of the input.
#[derive(Debug, Serialize, Deserialize)]
struct Statement {
    sql: String,
}

/// One line of the output.
#[derive(Debug, Default, Serialize)]
struct Verdict {
    id: Json,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(flatten)]
    run: Option<Run>,
}

/// What came of running it.
#[derive(Debug, Serialize)]
struct Run {
    outcome: &'static str,
    row_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// Reads to the end of standard input.
pub(super) async fn run(arguments: &CheckArguments, setup: Setup) -> Result<Exit, Failure> {
    setup.format("check", &[Format::Jsonl, Format::Json])?;
    if arguments.execute && !setup.has_database {
        return Err(Failure::usage("`--execute` needs a database").hint("name one with `--db`"));
    }
    let engine = if setup.has_database { Some(setup.engine()?) } else { None };
    let own = engine.as_ref().map(|engine| engine.database().dialect());
    if let (Some(asked), Some(own)) = (arguments.dialect, own)
        && arguments.execute
        && asked != own
    {
        return Err(Failure::usage(format!("the database speaks `{own}`, not `{asked}`"))
            .hint("leave `--dialect` out"));
    }
    let dialect = arguments.dialect.or(own).unwrap_or_default();
    let mut output = Output::standard();
    let mut lines = Lines::new(io::stdin().lock());
    while let Some(Input { id, asked }) = lines.next::<Statement>() {
        let line = match asked {
            Ok(Statement { sql }) => {
                let engine = engine.as_ref().filter(|_| arguments.execute);
                to_json(&Verdict { id, ..verdict(&sql, dialect, engine).await })
            }
            Err(problem) => unreadable(&id, &problem),
        };
        output.data(&(line + "\n"))?;
        output.flush()?;
    }
    Ok(Exit::Answered)
}

async fn verdict(sql: &str, dialect: Dialect, engine: Option<&Engine>) -> Verdict {
    match guard::check(sql, dialect) {
        Ok(checked) => {
            let run = match engine {
                Some(engine) => Some(execute(&checked, engine).await),
                None => None,
            };
            Verdict { verdict: "allow", run, ..Verdict::default() }
        }
        Err(refusal) => Verdict {
            verdict: "reject",
            code: Some(refusal.code.name()),
            reason: Some(refusal.reason),
            run: engine.map(|_| Run { outcome: "rejected", row_count: None, message: None }),
            ..Verdict::default()
        },
    }
}

async fn execute(checked: &Checked, engine: &Engine) -> Run {
    let settings = engine.settings();
    let limits = Limits {
        rows: settings.max_rows,
        deadline: std::time::Duration::from_secs_f64(settings.query_timeout),
        ..Limits::default()
    };
    match engine.database().execute(checked, &limits, &CancellationToken::new()).await {
        Ok(rows) if rows.truncated => Run { outcome: "limit", row_count: Some(rows.len()), message: None },
        Ok(rows) => Run { outcome: "rows", row_count: Some(rows.len()), message: None },
        Err(error) => {
            let outcome = match &error {
                DatabaseError::Refused(_) => "rejected",
                DatabaseError::Deadline { .. } | DatabaseError::Limit { .. } => "limit",
                _ => "error",
            };
            Run { outcome, row_count: None, message: Some(error.to_string()) }
        }
    }
}
