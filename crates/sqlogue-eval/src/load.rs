//! Reading question files: Spider-, SParC- and CoSQL-shaped JSON.

use serde_json::Value as Json;
use thiserror::Error;

/// One question, or one conversation of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The database it is asked of.
    pub database: String,
    /// The turns, in order; one for a single question.
    pub turns: Vec<Turn>,
}

/// One question with its gold query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The question.
    pub question: String,
    /// The query that answers it.
    pub gold: String,
    /// False where the gold query is known not to run: the turn is asked but not scored.
    pub scored: bool,
}

/// Why a file could not be read.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It is no JSON.
    #[error("not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It is JSON, but no list of questions.
    #[error("expected a list of questions or conversations")]
    NoList,
    /// One entry lacks something.
    #[error("entry {index} has no `{field}`")]
    Missing {
        /// Which entry, from 0.
        index: usize,
        /// What is missing.
        field: &'static str,
    },
}

/// Reads the questions of a file.
///
/// # Errors
/// Where the text is not of any of the known shapes.
pub fn examples(text: &str) -> Result<Vec<Example>, LoadError> {
    let json: Json = serde_json::from_str(text)?;
    let list = json.as_array().ok_or(LoadError::NoList)?;
    list.iter().enumerate().map(|(index, entry)| example(entry, index)).collect()
}

fn example(entry: &Json, index: usize) -> Result<Example, LoadError> {
    let text = |names: &[&str]| {
        names.iter().find_map(|name| entry.get(name).and_then(Json::as_str)).map(str::to_owned)
    };
    let database = text(&["db_id", "database_id"]).ok_or(LoadError::Missing { index, field: "db_id" })?;
    if let Some(turns) = entry.get("interaction").and_then(Json::as_array) {
        let turns = turns.iter().map(|entry| turn(entry, index)).collect::<Result<_, _>>()?;
        return Ok(Example { database, turns });
    }
    Ok(Example { database, turns: vec![turn(entry, index)?] })
}

fn turn(entry: &Json, index: usize) -> Result<Turn, LoadError> {
    let text = |names: &[&str]| {
        names.iter().find_map(|name| entry.get(name).and_then(Json::as_str)).map(str::to_owned)
    };
    Ok(Turn {
        question: text(&["question", "utterance"]).ok_or(LoadError::Missing { index, field: "question" })?,
        gold: text(&["query"]).ok_or(LoadError::Missing { index, field: "query" })?,
        scored: entry.get("executable").and_then(Json::as_bool).unwrap_or(true),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes() {
        let single = r#"[{"db_id": "d", "question": "q", "query": "SELECT 1"}]"#;
        assert_eq!(examples(single).unwrap()[0].turns[0].gold, "SELECT 1");
        let conversation = r#"[{"database_id": "d", "interaction": [
            {"utterance": "a", "query": "SELECT 1"}, {"utterance": "b", "query": "x", "executable": false}]}]"#;
        let read = examples(conversation).unwrap();
        assert_eq!(read[0].turns.iter().map(|turn| turn.scored).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn damaged_files_say_what_is_wrong() {
        assert!(matches!(examples("{"), Err(LoadError::Json(_))));
        assert!(matches!(examples("{}"), Err(LoadError::NoList)));
        assert!(matches!(examples(r#"[{"db_id": "d"}]"#), Err(LoadError::Missing { field: "question", .. })));
    }
}
