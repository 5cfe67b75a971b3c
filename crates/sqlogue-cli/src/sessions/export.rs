//! `sessions export`: a conversation as a file, to go on with elsewhere or to be read.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::super::args::Format;
use super::super::connect::Setup;
use super::super::failure::{Exit, Failure};
use super::super::output::Output;
use super::super::show::{answer, text};
use super::rerun::Engines;
use sqlogue::conversation::{QueryResult, Status, Turn};
use sqlogue::database::Limits;
use sqlogue::engine::Engine;
use sqlogue::sql::guard;
use sqlogue::store::{Keep, Sessions};
use sqlogue_base::files;

/// What is written beside the questions and their SQL.
#[derive(Debug, Clone, Copy)]
pub(super) struct What {
    /// Rows, as far as they are stored.
    pub(super) rows: bool,
    /// Rows from running the queries again.
    pub(super) run: bool,
}

/// Writes the conversation.
pub(super) async fn run(
    sessions: &Sessions,
    id: &str,
    file: Option<&Path>,
    what: What,
    setup: &Setup,
) -> Result<Exit, Failure> {
    let format = setup.format("sessions export", &[Format::Json, Format::Markdown])?;
    if what.run && format != Format::Markdown {
        return Err(Failure::usage("`--run` is for `--format markdown`")
            .hint("`--rows` puts the stored rows into an export as JSON"));
    }
    let text = match format {
        Format::Markdown if what.run => notebook(sessions, id, setup).await?,
        Format::Markdown => sessions.markdown(id).await?,
        _ => sessions.export(id, if what.rows { Keep::Rows } else { Keep::Shape }).await?,
    };
    // Whoever reads the file must know that the last result is not whole in it.
    let state = sessions.open(id).await?.state;
    if let Some(result) = state.current_result.as_deref().filter(|result| !result.rows.is_empty())
        && (what.rows || format == Format::Markdown)
        && let Some(note) = answer::Result::kept(result).cut_note(result.rows.len(), setup.settings.max_rows)
    {
        writeln!(std::io::stderr(), "{note}")?;
    }
    match file {
        Some(path) => files::replace(path, text.as_bytes()).map_err(|error| {
            Failure::usage(format!("the conversation cannot be written to `{}`: {error}", path.display()))
        })?,
        None => {
            let mut output = Output::standard();
            output.data(&text)?;
            output.flush()?;
        }
    }
    Ok(Exit::Answered)
}

/// The conversation with a table under each answer.
async fn notebook(sessions: &Sessions, id: &str, setup: &Setup) -> Result<String, Failure> {
    let mut engines = Engines::new(setup);
    let mut tables: HashMap<String, Arc<QueryResult>> = HashMap::new();
    for turn in sessions.history(id).await? {
        let (Some(sql), Status::Completed, Ok(run)) = (&turn.query, turn.status, turn.id.parse()) else {
            continue;
        };
        let state = sessions.state_at(id, run, None).await?;
        if state.result.as_ref().is_some_and(|result| !result.rows.is_empty()) {
            continue;
        }
        let engine = engines.get(&state.database)?;
        match again(sql, &engine, setup).await {
            Ok(result) => drop(tables.insert(turn.id.clone(), Arc::new(result))),
            Err(problem) => {
                let input = text::clean(&turn.input);
                writeln!(std::io::stderr(), "note: `{input}` has no table: {}", text::clean_lines(&problem))?;
            }
        }
    }
    Ok(sessions.markdown_with(id, |turn: &Turn| tables.get(&turn.id).cloned()).await?)
}

/// The first rows of a query, run as any other is: guarded, read-only, within the limits.
async fn again(sql: &str, engine: &Engine, setup: &Setup) -> Result<QueryResult, String> {
    let (database, settings) = (engine.database(), &setup.settings);
    let checked = guard::check(sql, database.dialect()).map_err(|refusal| refusal.reason)?;
    let limits = Limits {
        rows: settings.max_rows,
        deadline: Duration::from_secs_f64(settings.query_timeout),
        ..Limits::default()
    };
    let mut found = database
        .execute(&checked, &limits, &CancellationToken::new())
        .await
        .map_err(|error| error.to_string())?;
    let count = found.rows.len();
    found.rows.truncate(settings.result_limit);
    Ok(QueryResult {
        truncated: found.truncated || found.rows.len() < count,
        columns: found.columns,
        rows: found.rows,
        row_count: count as u64,
        more: found.truncated,
    })
}
