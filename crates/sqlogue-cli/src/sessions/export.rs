//! `sessions export`: a conversation as a file, to go on with elsewhere or to be read.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::super::args::Format;
use super::super::connect::{Setup, limits};
use super::super::failure::{Exit, Failure};
use super::super::output::{self, Output};
use super::super::show::{answer, chart, text};
use super::rerun::Engines;
use sqlogue::chart::{Chart, Kind};
use sqlogue::conversation::{ConversationState, QueryResult, Status};
use sqlogue::database::Database;
use sqlogue::sql::guard;
use sqlogue::store::{Added, Keep, Sessions};
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
        Format::Markdown => notebook(sessions, id, file, what.run, setup).await?,
        _ => sessions.export(id, if what.rows { Keep::Rows } else { Keep::Shape }).await?,
    };
    // Whoever reads the file must know that the last result is not whole in it.
    let state = sessions.open(id).await?.state;
    if let Some(result) = state.current_result.as_deref().filter(|result| !result.rows.is_empty())
        && (what.rows || format == Format::Markdown)
        && let Some(note) = answer::Result::kept(result).cut_note(result.rows.len(), setup.settings.max_rows)
    {
        output::tell(&note)?;
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

/// The conversation as a notebook has it: with a table under each answer whose rows are known, and its chart in a file beside
/// the text, where the text is a file.
async fn notebook(
    sessions: &Sessions,
    id: &str,
    file: Option<&Path>,
    run: bool,
    setup: &Setup,
) -> Result<String, Failure> {
    let mut engines = Engines::new(setup);
    let mut added: HashMap<String, Added> = HashMap::new();
    for (number, turn) in (1..).zip(sessions.history(id).await?) {
        let (Some(sql), Status::Completed, Ok(step)) = (&turn.query, turn.status, turn.id.parse()) else {
            continue;
        };
        let state = sessions.state_at(id, step, None).await?;
        let is_stored = state.result.as_ref().is_some_and(|result| !result.rows.is_empty());
        let (rows, chart) = if is_stored {
            (None, Chart::of_answer(&state, None))
        } else if run {
            match again(sql, engines.get(&state.database)?.database(), &state, setup).await {
                Ok((result, chart)) => (Some(Arc::new(result)), Some(chart)),
                Err(problem) => {
                    let (input, problem) =
                        (text::clean(&turn.input), text::clean_lines(&problem).into_owned());
                    output::tell(&format!("note: `{input}` has no table: {problem}"))?;
                    continue;
                }
            }
        } else {
            continue;
        };
        // A single number, and a list of things, are better read than drawn.
        let is_drawn = |chart: &Chart| !matches!(chart.kind(), Kind::Number | Kind::Points | Kind::Table);
        let chart = chart.filter(is_drawn);
        let picture = match (chart, file) {
            (Some(chart), Some(file)) => Some((chart.title().to_owned(), drawn(&chart, file, number)?)),
            _ => None,
        };
        added.insert(turn.id.clone(), Added { rows, picture });
    }
    Ok(sessions.markdown_with(id, |turn| added.get(&turn.id).cloned().unwrap_or_default()).await?)
}

/// Draws the chart of an answer into a folder beside the text, `talk_files/2.svg` for `talk.md`; returns the place of the
/// drawing as the text names it.
fn drawn(chart: &Chart, file: &Path, number: usize) -> Result<String, Failure> {
    let stem = file.file_stem().map_or_else(|| "talk".into(), |stem| stem.to_string_lossy());
    let (folder, name) = (format!("{stem}_files"), format!("{number}.svg"));
    let path = file.with_file_name(&folder).join(&name);
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| files::replace(&path, chart::svg(chart).as_bytes())).map_err(|error| {
        Failure::usage(format!("the chart cannot be written to `{}`: {error}", path.display()))
    })?;
    // What could end the address, or begin another, is written by its number.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let address = folder.bytes().map(|byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    Ok(format!("{}/{name}", address.collect::<String>()))
}

/// The first rows of a query, run as any other is, guarded, read-only, within the limits; and the chart of all its rows.
async fn again(
    sql: &str,
    database: &dyn Database,
    state: &ConversationState,
    setup: &Setup,
) -> Result<(QueryResult, Chart), String> {
    let settings = &setup.settings;
    let checked = guard::check(sql, database.dialect()).map_err(|refusal| refusal.reason)?;
    let mut found = database
        .execute(&checked, &limits(settings), &CancellationToken::new())
        .await
        .map_err(|error| error.to_string())?;
    let chart = Chart::of(&found.columns, &found.rows, state.current_plan());
    let count = found.rows.len();
    found.rows.truncate(settings.result_limit);
    let result = QueryResult {
        truncated: found.truncated || found.rows.len() < count,
        columns: found.columns,
        rows: found.rows,
        row_count: count as u64,
        more: found.truncated,
    };
    Ok((result, chart))
}
