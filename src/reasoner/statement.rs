//! Statements where a question is expected: SQL that somebody typed, and orders to change data.

use std::sync::Arc;

use super::{Ask, misnamed};
use crate::base::near;
use crate::conversation::{ErrorKind, Route, TurnError};
use crate::lesson::Lesson;
use crate::schema::Schema;
use crate::sql::{self, Dialect, guard};

/// Verbs that change data when they are said of a table.
const WRITES: [&str; 9] =
    ["delete", "drop", "truncate", "insert", "update", "alter", "create", "replace", "grant"];

/// What follows such a verb in SQL.
const OBJECTS: [&str; 8] = ["table", "tables", "into", "database", "view", "index", "from", "all"];

/// So much like `SELECT` a first word is that may stand for it: *selct*, *selet*, *slect*.
const NEAR: f64 = 0.75;

/// What an input is besides a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Statement {
    /// A query in SQL that may run as it is.
    Query(String),
    /// Something that is not done, and why.
    Refused(TurnError),
}

/// The query that a lesson stores for this very question, where it may run: somebody has already said what it means.
pub fn stored(ask: Ask<'_>) -> Option<String> {
    let state = ask.state;
    // What was settled just now stands above what was stored before.
    if state.route == Some(Route::Correction) || state.router_mode.is_some() {
        return None;
    }
    // A reading that was chosen once was chosen of a question that stands alone.
    let alone = !state.is_continuation || state.route == Some(Route::New);
    let holds = |lesson: &&Arc<Lesson>| alone || lesson.origin.is_by_hand();
    let sql = ask.lessons.iter().filter(holds).find_map(|lesson| lesson.teaching.answer(ask.question))?;
    fits(sql, ask.knowledge.schema(), ask.dialect).is_ok().then(|| sql.to_owned())
}

/// Whether a statement may run on a database with this schema.
///
/// # Errors
/// Why not, in words.
pub fn fits(sql: &str, schema: &Schema, dialect: Dialect) -> Result<(), String> {
    let checked = guard::check(sql, dialect).map_err(|refusal| refusal.reason)?;
    let findings: Vec<String> = sql::resolve(&checked, schema).iter().map(ToString::to_string).collect();
    if findings.is_empty() { Ok(()) } else { Err(findings.join("; ")) }
}

/// Recognises SQL, and orders to change data; `None` for everything else.
pub(super) fn recognise(ask: Ask<'_>) -> Option<Statement> {
    let text = ask.question.trim();
    let words: Vec<String> = text
        .split(|character: char| !(character.is_alphanumeric() || character == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let first = words.first()?.as_str();
    let is_known = |word: &String| {
        let names = ask.knowledge.schema().tables.iter().map(|table| table.name.to_lowercase());
        names.into_iter().any(|name| name == *word)
    };
    if WRITES.contains(&first)
        && words.iter().skip(1).any(|word| OBJECTS.contains(&word.as_str()) || is_known(word))
    {
        let message =
            "sqlogue only reads: nothing was changed, and nothing can be. Ask for what you want to see.";
        return Some(refused(message.to_owned()));
    }
    // `table customers` is PostgreSQL's, and said so by people who want to see it too.
    let is_table = first == "table" && ask.dialect == Dialect::Postgres;
    if !is_table && !["select", "with", "values", "explain", "pragma", "attach"].contains(&first) {
        return misspelt(text, first, ask).map(refused);
    }
    match guard::check(text, ask.dialect) {
        Ok(checked) => {
            let findings = sql::resolve(&checked, ask.knowledge.schema());
            if findings.is_empty() {
                return Some(Statement::Query(checked.sql().to_owned()));
            }
            // English that happens to parse (`select the customers`) names no columns that exist, either.
            misnamed::said(text, &words, &findings, ask.knowledge).map(refused)
        }
        Err(_) if is_table => None,
        Err(refusal)
            if refusal.code == sql::RefusalCode::Syntax && !misnamed::is_surely_sql(text, &words) =>
        {
            None
        }
        Err(refusal) => Some(refused(refusal.reason)),
    }
}

/// What to say where the first word comes near `SELECT` and the statement could run with that. *Selct customers* is no such
/// statement: it is read as a sentence.
fn misspelt(text: &str, first: &str, ask: Ask<'_>) -> Option<String> {
    let is_near = near::likeness(first, "select") >= NEAR && text.to_lowercase().starts_with(first);
    let rest = text.get(first.len()..).filter(|_| is_near)?;
    let meant = format!("SELECT{rest}");
    let checked = guard::check(&meant, ask.dialect).ok()?;
    let runs = sql::resolve(&checked, ask.knowledge.schema()).is_empty();
    runs.then(|| format!("`{first}` begins no SQL (hint: did you mean `{}`?)", checked.sql()))
}

fn refused(message: String) -> Statement {
    Statement::Refused(TurnError::new(ErrorKind::Refused, message))
}
