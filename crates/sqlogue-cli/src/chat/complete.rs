//! Completion: commands after a slash, values after a quote, else tables and columns.

use std::sync::{Arc, Mutex, PoisonError};

use reedline::{Completer, CompletionResult, Span, Suggestion};
use tokio::runtime::Handle;

use super::super::show::text;
use super::command::COMMANDS;
use sqlogue::database::ValueLimits;
use sqlogue::engine::Engine;
use sqlogue::schema::Schema;

/// More than this nobody looks through.
const MOST: usize = 60;

/// The commands that take one of few words.
const WAYS: [(&str, &[&str]); 4] = [
    ("/sql ", &["on", "off"]),
    ("/expand ", &["on", "off", "auto"]),
    ("/chart ", &["bars", "line", "points"]),
    ("/copy ", &["csv", "json", "markdown", "sql"]),
];

/// What a statement begins with.
const BEGINNINGS: [&str; 3] = ["select", "with", "explain"];

/// The words of SQL that are long enough to be completed.
const KEYWORDS: [&str; 16] = [
    "between",
    "count(",
    "desc",
    "distinct",
    "explain",
    "from",
    "group by",
    "having",
    "is not null",
    "is null",
    "join",
    "left join",
    "limit",
    "order by",
    "select",
    "where",
];

/// What can be completed. The schema is read at the first wish for it, so that the session begins at once.
pub(super) struct ChatCompleter {
    engine: Engine,
    runtime: Handle,
    words: Arc<Mutex<Option<Words>>>,
}

/// The words of a database.
#[derive(Default)]
struct Words {
    /// Tables and columns, each with what it is.
    names: Vec<(String, String)>,
    /// Values, each with its column.
    values: Vec<(String, String)>,
}

impl ChatCompleter {
    /// Completes the words of the engine's database.
    pub(super) fn new(engine: Engine, runtime: Handle) -> Self {
        Self { engine, runtime, words: Arc::default() }
    }

    fn read_words(&self) -> Words {
        let database = self.engine.database();
        let Ok(schema) = self.runtime.block_on(database.introspect()) else { return Words::default() };
        let limits = ValueLimits { per_column: 500, ..ValueLimits::default() };
        let mut values = self.runtime.block_on(database.text_values(&schema, &limits)).unwrap_or_default();
        // Kinds, cities and the like are meant more often than one name among many.
        values.sort_by_key(|column| column.values.len());
        let values = values.into_iter().flat_map(|column| {
            let place = format!("{}.{}", column.table, column.column);
            column.values.into_iter().map(move |value| (value, place.clone()))
        });
        Words { names: names(&schema), values: values.filter(|(value, _)| is_typable(value)).collect() }
    }

    /// What fits the word before the cursor.
    fn suggestions(&self, line: &str, cursor: usize) -> Vec<Suggestion> {
        let before = line.get(..cursor).unwrap_or(line);
        if before.starts_with('/') && !before.contains(char::is_whitespace) {
            let commands = COMMANDS.iter().map(|(name, takes, does)| {
                (
                    name.to_string(),
                    if takes.is_empty() { does.to_string() } else { format!("{takes}: {does}") },
                )
            });
            return fitting(commands, before, 0, cursor, true);
        }
        if let Some((_, ways)) = WAYS.iter().find(|(command, _)| before.starts_with(command)) {
            let (start, word) = last_word(before);
            let ways = ways.iter().map(|way| ((*way).to_owned(), String::new()));
            return fitting(ways, word, start, cursor, false);
        }
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let words = words.get_or_insert_with(|| self.read_words());
        if let Some((start, begun)) = open_quote(before) {
            return fitting(words.values.iter().cloned(), begun, start, cursor, false);
        }
        let (start, word) = last_word(before);
        if word.is_empty() {
            return Vec::new();
        }
        let first = before.split_whitespace().next().unwrap_or_default().to_lowercase();
        let is_sql = first.len() > 2 && BEGINNINGS.iter().any(|beginning| beginning.starts_with(&first));
        let keywords =
            KEYWORDS.iter().filter(|_| is_sql).map(|keyword| (in_case_of(word, keyword), String::new()));
        fitting(words.names.iter().cloned().chain(keywords), word, start, cursor, true)
    }
}

impl Completer for ChatCompleter {
    fn complete(&mut self, line: &str, cursor: usize) -> CompletionResult {
        CompletionResult::fresh(self.suggestions(line, cursor))
    }
}

/// Those that begin with what was typed, in any case; none twice.
fn fitting(
    words: impl Iterator<Item = (String, String)>,
    begun: &str,
    start: usize,
    end: usize,
    space: bool,
) -> Vec<Suggestion> {
    let begun = begun.to_lowercase();
    let mut found: Vec<Suggestion> = Vec::new();
    for (value, about) in words.filter(|(word, _)| word.to_lowercase().starts_with(&begun)) {
        if found.iter().any(|other| other.value == value) {
            continue;
        }
        found.push(Suggestion {
            value,
            description: Some(about).filter(|about| !about.is_empty()),
            span: Span::new(start, end),
            append_whitespace: space,
            ..Suggestion::default()
        });
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// A keyword in capitals for those who type it so.
fn in_case_of(begun: &str, keyword: &str) -> String {
    let is_small = begun.chars().any(char::is_lowercase);
    if is_small { keyword.to_owned() } else { keyword.to_uppercase() }
}

/// Tables first: their names are what most questions begin with.
fn names(schema: &Schema) -> Vec<(String, String)> {
    let tables = schema.tables.iter().map(|table| (table.name.clone(), "table".to_owned()));
    let columns = schema.tables.iter().flat_map(|table| {
        table.columns.iter().map(|column| (column.name.clone(), format!("column of {}", table.name)))
    });
    tables.chain(columns).filter(|(name, _)| is_typable(name)).collect()
}

/// A value that a person would type: short, on one line, harmless to show.
fn is_typable(value: &str) -> bool {
    value.len() <= 60 && !value.is_empty() && matches!(text::clean(value), std::borrow::Cow::Borrowed(_))
}

/// Where the last word begins, and the word. Names may hold underscores, and stand after a dot.
fn last_word(text: &str) -> (usize, &str) {
    let start = text
        .rfind(|c: char| !c.is_alphanumeric() && c != '_')
        .map_or(0, |at| at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    (start, text.get(start..).unwrap_or_default())
}

/// Where the text inside a quote that is not closed yet begins, and the text. An apostrophe inside a word is no quote.
fn open_quote(text: &str) -> Option<(usize, &str)> {
    let mut open = None;
    let mut previous = ' ';
    for (at, character) in text.char_indices() {
        match open {
            Some((quote, _)) if character == quote => open = None,
            None if matches!(character, '\'' | '"') && !previous.is_alphanumeric() => {
                open = Some((character, at + 1));
            }
            _ => {}
        }
        previous = character;
    }
    let (_, start) = open?;
    Some((start, text.get(start..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_before_the_cursor_is_found() {
        assert_eq!(last_word("orders of cust"), (10, "cust"));
        assert_eq!(last_word("orders.to"), (7, "to"));
        assert_eq!(last_word("größe "), (8, ""));
    }

    #[test]
    fn quotes_are_told_from_apostrophes() {
        assert_eq!(open_quote("from 'Ro"), Some((6, "Ro")));
        assert_eq!(open_quote("from \"New Y"), Some((6, "New Y")));
        assert_eq!(open_quote("the customers' or"), None);
        assert_eq!(open_quote("from 'Rome' an"), None);
    }

    #[test]
    fn commands_tables_and_values_are_completed() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let engine = Engine::builder().build().unwrap();
        let completer = ChatCompleter::new(engine, runtime.handle().clone());
        let values = |line: &str| -> Vec<String> {
            completer.suggestions(line, line.len()).into_iter().map(|suggestion| suggestion.value).collect()
        };
        assert_eq!(values("/un"), ["/undo"]);
        assert_eq!(values("/sql o"), ["on", "off"]);
        assert_eq!(values("/chart l"), ["line"]);
        assert_eq!(values("/copy "), ["csv", "json", "markdown", "sql"]);
        assert!(values("how many cust").contains(&"customers".to_owned()));
        assert!(!values("customers from 'R").is_empty());
        assert!(values("how many ").is_empty());
        assert_eq!(values("SEL"), ["SELECT"]);
        assert_eq!(values("select name from customers wh"), ["where"]);
        assert!(values("customers wh").is_empty(), "no SQL");
    }
}
