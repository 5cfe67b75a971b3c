//! Statements where a question is expected: SQL that somebody typed, and orders to change data.

use super::Ask;
use crate::conversation::{ErrorKind, TurnError};
use crate::sql::{self, Dialect, guard};

/// Verbs that change data when they are said of a table.
const WRITES: [&str; 9] =
    ["delete", "drop", "truncate", "insert", "update", "alter", "create", "replace", "grant"];

/// What follows such a verb in SQL.
const OBJECTS: [&str; 8] = ["table", "tables", "into", "database", "view", "index", "from", "all"];

/// What an input is besides a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Statement {
    /// A query in SQL that may run as it is.
    Query(String),
    /// Something that is not done, and why.
    Refused(TurnError),
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
        return Some(Statement::Refused(TurnError::new(ErrorKind::Refused, message)));
    }
    // `table customers` is PostgreSQL's, and said so by people who want to see it too.
    let is_table = first == "table" && ask.dialect == Dialect::Postgres;
    if !is_table && !["select", "with", "values", "explain", "pragma", "attach"].contains(&first) {
        return None;
    }
    match guard::check(text, ask.dialect) {
        // English that happens to parse (`select the customers`) names no columns that exist.
        Ok(checked) if sql::resolve(&checked, ask.knowledge.schema()).is_empty() => {
            Some(Statement::Query(checked.sql().to_owned()))
        }
        Ok(_) => None,
        Err(refusal) if is_table || refusal.code == sql::RefusalCode::Syntax => None,
        Err(refusal) => Some(Statement::Refused(TurnError::new(ErrorKind::Refused, refusal.reason))),
    }
}
