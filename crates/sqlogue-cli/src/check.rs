//! `sqlogue check`: which SQL may run, and on request what comes of running it.

use std::io::{self, Write as _};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;

use super::args::Format;
use super::connect::{Setup, limits};
use super::failure::{Exit, Failure};
use super::line::{to_json, unreadable};
use super::lines::{Input, Lines};
use super::output::Output;
use super::shapes;
use super::tally::{Became, LineArguments, Tally};
use sqlogue::database::DatabaseError;
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
    #[command(flatten)]
    pub(super) lines: LineArguments,
}

/// What its help says of the lines.
pub(super) const LINES: &str = "\
Each line of standard input is a statement:
  {\"id\": \"1\", \"sql\": \"DROP TABLE orders\"}
Each line of standard output is a verdict, `allow` or `reject`:
  {\"id\":\"1\",\"verdict\":\"reject\",\"code\":\"write_statement\",\"reason\":\"…\"}
With `--execute` it also has the `outcome` of running it: `rows`, `rejected`, `limit` or `error`.
`--json-schema` prints all fields.

Exit codes: 0 where any statement may run (with `--execute`: did run), 3 where none may";

/// One line of the input.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Statement {
    /// The SQL of one statement.
    sql: String,
}

/// What the guard says of a statement.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(title = "Verdict")]
struct Verdict {
    /// What the line of the statement calls itself.
    id: Json,
    /// Whether it may run.
    #[schemars(extend("enum" = ["allow", "reject"]))]
    verdict: &'static str,
    /// Which rule it breaks, such as `write_statement`.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    /// Why it may not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(flatten)]
    run: Option<Run>,
}

/// What came of running it.
#[derive(Debug, Serialize, JsonSchema)]
struct Run {
    /// Whether there were rows, it was refused, a limit cut it, or the database could not run it.
    #[schemars(extend("enum" = ["rows", "rejected", "limit", "error"]))]
    outcome: &'static str,
    /// How many rows.
    row_count: Option<usize>,
    /// What the database said.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl Verdict {
    fn became(&self) -> Became {
        match (self.verdict, &self.run) {
            ("allow", None) => Became::Answered,
            ("allow", Some(run)) if run.row_count.is_some() => Became::Answered,
            _ => Became::Failed,
        }
    }
}

/// Prints what the lines are made of.
pub(super) fn schema() -> Result<Exit, Failure> {
    shapes::print::<Statement, Verdict>()
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
    let mut tally = Tally::default();
    while let Some(Input { id, asked }) = lines.next::<Statement>() {
        let (line, became) = match asked {
            Ok(Statement { sql }) => {
                let engine = engine.as_ref().filter(|_| arguments.execute);
                let verdict = Verdict { id, ..verdict(&sql, dialect, engine).await };
                (to_json(&verdict), verdict.became())
            }
            Err(problem) => (unreadable(&id, &problem), Became::Failed),
        };
        tally.count(became);
        output.data(&(line + "\n"))?;
        output.flush()?;
    }
    Ok(tally.exit(arguments.lines.strict))
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
    let limits = limits(engine.settings());
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
