//! A conversation as people read it.

use std::fmt::Write;
use std::sync::Arc;

use super::{Sessions, StoreError};
use crate::base::number::real;
use crate::base::text::markdown;
use crate::conversation::{QueryResult, Status, Turn};
use crate::schema::Value;

/// What is added to an answer that is written as Markdown.
#[derive(Debug, Clone, Default)]
pub struct Added {
    /// Its rows, for where they are not stored: from running its query again.
    pub rows: Option<Arc<QueryResult>>,
    /// The title of its picture, and where that is, from the place of the text: a path with `/` and without `<` or `>`.
    pub picture: Option<(String, String)>,
}

impl Sessions {
    /// The turns up to the head as Markdown, as a notebook has them: questions, what was changed, SQL, and the rows of each
    /// answer where they are stored.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`], [`StoreError::Damaged`].
    pub async fn markdown(&self, id: &str) -> Result<String, StoreError> {
        self.markdown_with(id, |_| Added::default()).await
    }

    /// The same with what is added to each answer from elsewhere.
    ///
    /// # Errors
    /// As [`Sessions::markdown`].
    pub async fn markdown_with(
        &self,
        id: &str,
        added: impl Fn(&Turn) -> Added,
    ) -> Result<String, StoreError> {
        let session = self.open(id).await?.session;
        let mut text = String::new();
        let title = if session.title.is_empty() { "Conversation" } else { session.title.as_str() };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "# {}\n\nDatabase {}, session {}",
            markdown(title),
            markdown(&session.database),
            markdown(&session.id)
        );
        for (number, (turn, stored)) in (1..).zip(self.answers(id).await?) {
            let stored = stored.filter(|result| !result.rows.is_empty());
            let Added { rows, picture } = added(&turn);
            let result = stored.or(rows).filter(|_| turn.status == Status::Completed);
            write_turn(&mut text, number, &turn, result.as_deref());
            if let Some((title, place)) = picture {
                let _ = writeln!(text, "\n![{}](<{place}>)", markdown(&title));
            }
        }
        Ok(text)
    }
}

fn write_turn(text: &mut String, number: usize, turn: &Turn, rows: Option<&QueryResult>) {
    let _ = writeln!(text, "\n## {number}. {}\n", markdown(&turn.input));
    let _ = writeln!(text, "{}", turn.timestamp.strftime("%Y-%m-%d %H:%M UTC"));
    if let Some(summary) = &turn.refinement_summary {
        let _ = writeln!(text, "\n{}", markdown(summary));
    }
    if let Some(query) = &turn.query {
        let fence = fence(query);
        let _ = writeln!(text, "\n{fence}sql\n{query}\n{fence}");
    }
    if let Some(result) = rows.filter(|result| !result.rows.is_empty()) {
        let _ = writeln!(text);
        return write_rows(text, result);
    }
    match (turn.status, &turn.result, &turn.error) {
        (Status::Completed, Some(result), _) => {
            let rows = if result.row_count == 1 { "row" } else { "rows" };
            let more = if result.more { "More than " } else { "" };
            let columns = markdown(&result.columns.join(", "));
            let _ = writeln!(text, "\n{more}{} {rows}: {columns}", result.row_count);
        }
        (_, _, Some(error)) => {
            let _ = writeln!(text, "\nFailed: {}", markdown(&error.message));
        }
        (Status::AwaitingCorrection, ..) => {
            let _ = writeln!(text, "\nA question back was asked.");
        }
        _ => {}
    }
}

fn write_rows(text: &mut String, result: &QueryResult) {
    let row = |cells: &mut dyn Iterator<Item = String>| {
        let cells: Vec<String> = cells.map(|cell| markdown(&cell)).collect();
        format!("| {} |", cells.join(" | "))
    };
    let _ = writeln!(text, "{}", row(&mut result.columns.iter().cloned()));
    let _ = writeln!(text, "|{}", " --- |".repeat(result.columns.len()));
    for cells in &result.rows {
        let _ = writeln!(text, "{}", row(&mut cells.iter().map(written)));
    }
    if result.truncated {
        let more = if result.more { "more than " } else { "" };
        let _ = writeln!(text, "\n({} of {more}{} rows)", result.rows.len(), result.row_count);
    }
}

/// A value as people read it.
fn written(value: &Value) -> String {
    match value {
        Value::Real(number) => real(*number),
        value => value.to_string(),
    }
}

/// A fence longer than any run of backticks in the text.
fn fence(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
