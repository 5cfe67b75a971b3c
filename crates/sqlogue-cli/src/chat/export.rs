//! Results and drawings as files; what kind, their names say.

use std::path::Path;

use super::super::args::Format;
use super::super::show::answer;
use super::super::show::chart;
use super::super::show::delimited::{self, Texts};
use super::super::show::{html, parquet, workbook};
use sqlogue::chart::Chart;
use sqlogue::graph::Picture;
use sqlogue_base::files;

/// The extension in lower case.
fn extension(path: &str) -> String {
    Path::new(path)
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}

/// Writes rows to a file; on a page the question stands above them.
pub(super) fn rows(
    path: &str,
    question: &str,
    result: &answer::Result<'_>,
    texts: Texts,
) -> Result<(), String> {
    let written = |format| delimited::written(result, format, usize::MAX, texts).into_bytes();
    let content = match extension(path).as_str() {
        "xlsx" => workbook::xlsx(result.columns, result.rows)
            .map_err(|problem| format!("the rows do not become a workbook: {problem}"))?,
        "parquet" => parquet::parquet(result.columns, result.rows)
            .map_err(|problem| format!("the rows do not become a Parquet file: {problem}"))?,
        "html" | "htm" => html::page(question, result, result.rows).into_bytes(),
        "csv" => written(Format::Csv),
        "json" => written(Format::Json),
        "jsonl" | "ndjson" => written(Format::Jsonl),
        "md" | "markdown" => written(Format::Markdown),
        "" => {
            return Err(format!(
                "`{path}` does not say what kind of file it is\nhint: end it with .xlsx, .csv, .json, .jsonl, .md, .html or .parquet"
            ));
        }
        other => {
            return Err(format!(
                "results are not exported as .{other}\nhint: use .xlsx, .csv, .json, .jsonl, .md, .html or .parquet"
            ));
        }
    };
    write(path, &content)
}

/// Writes a drawing to a file.
pub(super) fn picture(path: &str, picture: &Picture) -> Result<(), String> {
    let content = match extension(path).as_str() {
        "svg" => picture.svg(),
        "dot" | "gv" => picture.dot(),
        "mmd" | "mermaid" => picture.mermaid(),
        "json" => picture.json(),
        other => {
            let wrong = no_kind(path, other, "drawing");
            return Err(format!("{wrong}\nhint: end it with .svg, .dot, .mmd or .json"));
        }
    };
    write(path, content.as_bytes())
}

/// What is wrong with the name of a file that says nothing of its kind, or names one that is not written.
fn no_kind(path: &str, extension: &str, what: &str) -> String {
    match extension {
        "" => format!("`{path}` does not say what kind of {what} it is"),
        other => format!("a {what} is not saved as .{other}"),
    }
}

/// Writes a chart to a file.
pub(super) fn chart(path: &str, drawn: &Chart) -> Result<(), String> {
    let content = match extension(path).as_str() {
        "svg" => chart::svg(drawn),
        "json" => chart::vega_lite(drawn).ok_or_else(|| drawn.reason().to_owned())?,
        other => {
            let wrong = no_kind(path, other, "picture");
            return Err(format!(
                "{wrong}\nhint: end it with .svg, or with .json for Vega-Lite; `bars`, `line` and `points` draw one here"
            ));
        }
    };
    write(path, content.as_bytes())
}

fn write(path: &str, content: &[u8]) -> Result<(), String> {
    files::replace(Path::new(path), content).map_err(|error| format!("`{path}` cannot be written: {error}"))
}
