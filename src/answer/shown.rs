//! The rows of an answer, wherever they are.

use crate::base::number::grouped;
use crate::conversation::{ConversationState, QueryResult};
use crate::database::Rows;
use crate::schema::Value;

/// The rows to show: all that came back, where they are still at hand, else those the conversation keeps.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shown<'a> {
    /// The names of its columns.
    pub columns: &'a [String],
    /// The rows at hand.
    pub rows: &'a [Vec<Value>],
    /// How many rows there are, shown or not.
    pub count: u64,
    /// Whether the database would have had more.
    pub truncated: bool,
}

impl<'a> Shown<'a> {
    /// The result of a turn; none where it has none.
    pub fn of(state: &'a ConversationState, rows: Option<&'a Rows>) -> Option<Self> {
        match (rows, state.result.as_deref()) {
            (Some(rows), _) => Some(Self::whole(rows)),
            (None, Some(kept)) => Some(Self::kept(kept)),
            (None, None) => None,
        }
    }

    /// All that a database gave.
    pub fn whole(rows: &'a Rows) -> Self {
        Self { columns: &rows.columns, rows: &rows.rows, count: rows.len() as u64, truncated: rows.truncated }
    }

    /// What a conversation keeps of a result.
    pub fn kept(kept: &'a QueryResult) -> Self {
        Self {
            columns: &kept.columns,
            rows: &kept.rows,
            count: kept.row_count,
            // States of the first release know only that something was cut.
            truncated: kept.more || kept.truncated && kept.rows.len() as u64 >= kept.row_count,
        }
    }

    /// What to say where only the first so many rows are shown; none where all are.
    pub fn cut(&self, shown: usize) -> Option<String> {
        let shown = shown as u64;
        match (shown < self.count, self.truncated) {
            (false, false) => None,
            (false, true) => Some(format!("the first {}; there are more", counted(self.count, "row"))),
            (true, false) => Some(format!("{} of {}", grouped(shown), counted(self.count, "row"))),
            (true, true) => Some(format!("{} of more than {}", grouped(shown), counted(self.count, "row"))),
        }
    }

    /// The same as a note, with what to do to get more; `max_rows` is the setting.
    pub fn cut_note(&self, shown: usize, max_rows: usize) -> Option<String> {
        let cut = self.cut(shown)?;
        let how = if shown < self.rows.len() {
            "`--result-limit ROWS` shows more"
        } else if (shown as u64) < self.count {
            "ask again to have all of them"
        } else if self.count >= max_rows as u64 {
            "`max_rows` in the settings, or `SQLOGUE_MAX_ROWS=ROWS`, allows more"
        } else {
            "a result has a limit in bytes; ask for fewer columns or rows"
        };
        // That there are more is what the rest of the note is about.
        let cut =
            cut.strip_suffix("; there are more").map_or_else(|| cut.clone(), |first| format!("only {first}"));
        Some(format!("note: {cut}; {how}."))
    }

    /// The first rows, at most so many.
    pub fn first(&self, rows: usize) -> &'a [Vec<Value>] {
        self.rows.get(..rows).unwrap_or(self.rows)
    }
}

/// A heading in numbers: `1 row`, `1,234 rows`.
pub fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(number))
}
