//! SQL that somebody typed with names that the database does not have: whether it is SQL, and what to say of it.

use super::Knowledge;
use crate::schema::Schema;
use crate::sql::Finding;

/// Words that stand where SQL has a column, and say that a sentence was meant.
const OF_SENTENCES: &[&str] = &[
    "a",
    "all",
    "an",
    "any",
    "both",
    "each",
    "every",
    "everyone",
    "everything",
    "it",
    "me",
    "my",
    "only",
    "our",
    "some",
    "the",
    "their",
    "them",
    "these",
    "those",
    "us",
];

/// What is counted or added up in SQL, and not in sentences, where a parenthesis follows at once.
const CALLS: &[&str] = &["count(", "sum(", "avg(", "min(", "max("];

/// More tables or columns than these nobody reads through for the right one.
const MOST_NAMED: usize = 12;

/// So many names that come near are offered.
const MOST_NEAR: usize = 2;

/// Whether a text that begins like SQL has what no sentence has; `words` are its words in lower case.
pub(super) fn is_surely_sql(text: &str, words: &[String]) -> bool {
    let text = text.trim();
    let behind = text.split_once(char::is_whitespace).map_or("", |(_, behind)| behind.trim_start());
    let lower = text.to_lowercase();
    behind.starts_with('*')
        || text.ends_with(';')
        || CALLS.iter().any(|call| lower.contains(call))
        || words.iter().any(|word| word == "from") && lower.contains("= '")
}

/// What is wrong with the names of a statement; none where it is no statement but a sentence that can be read as one.
pub(super) fn said(
    text: &str,
    words: &[String],
    findings: &[Finding],
    knowledge: &Knowledge,
) -> Option<String> {
    let is_sql = is_surely_sql(text, words)
        || words.iter().any(|word| word == "from")
            && !findings.iter().any(|finding| is_of_a_sentence(finding, knowledge));
    let said = findings.iter().map(|finding| wrong(finding, knowledge));
    is_sql.then(|| said.collect::<Vec<_>>().join("\n"))
}

/// Whether a name that the schema does not know is a word that people say: *the*, the plural of a name, a value, anything
/// in the place of a table.
fn is_of_a_sentence(finding: &Finding, knowledge: &Knowledge) -> bool {
    let name = match finding {
        Finding::UnknownTable { near, .. } if near.is_empty() => return true,
        Finding::UnknownTable { table, .. } => table,
        Finding::UnknownColumn { column, .. } => column,
        Finding::TableNotInUse { .. } => return false,
    };
    let lower = name.to_lowercase();
    OF_SENTENCES.contains(&lower.as_str())
        || is_name_in_other_number(&lower, knowledge.schema())
        || is_value(name, knowledge)
}

/// Whether a word is a name of the schema in the plural or the singular.
fn is_name_in_other_number(word: &str, schema: &Schema) -> bool {
    let numbers = [1, 2].map(|count| pluralizer::pluralize(word, count, false));
    let tables = schema.tables.iter().map(|table| &table.name);
    let columns = schema.tables.iter().flat_map(|table| &table.columns).map(|column| &column.name);
    tables.chain(columns).any(|name| numbers.iter().any(|number| number.eq_ignore_ascii_case(name)))
}

fn is_value(text: &str, knowledge: &Knowledge) -> bool {
    let hits = knowledge.words().values().find(text);
    hits.iter().any(|hit| hit.text.eq_ignore_ascii_case(text))
}

/// A name that is not there, in a sentence with those that may have been meant.
fn wrong(finding: &Finding, knowledge: &Knowledge) -> String {
    let schema = knowledge.schema();
    match finding {
        Finding::UnknownTable { table, near } => {
            let there = schema.tables.iter().map(|table| table.name.as_str());
            format!("There is no table `{table}`{}", instead(near, "The tables are", there))
        }
        Finding::UnknownColumn { column, near, .. } if near.is_empty() && is_value(column, knowledge) => {
            format!("There is no column `{column}`. A text stands between single quotes: `'{column}'`.")
        }
        Finding::UnknownColumn { column, table, near } => {
            let known = table.as_ref().and_then(|table| schema.table(table));
            let place =
                table.as_ref().map_or("the tables that are read".to_owned(), |table| format!("`{table}`"));
            let inside = |name: &String| {
                let (table, column) = name.split_once('.')?;
                known.filter(|known| known.name == table).map(|_| column.to_owned())
            };
            let near: Vec<String> =
                near.iter().map(|name| inside(name).unwrap_or_else(|| name.clone())).collect();
            let there = known.iter().flat_map(|table| &table.columns).map(|column| column.name.as_str());
            format!("There is no column `{column}` in {place}{}", instead(&near, "It has", there))
        }
        Finding::TableNotInUse { table, column } => {
            format!("`{table}.{column}` is used, but the query does not read `{table}`. Join it in `FROM`.")
        }
    }
}

/// How a sentence about a missing name ends: with the names that come near, or with all that there are, if they are few.
fn instead<'a>(near: &[String], list: &str, there: impl Iterator<Item = &'a str>) -> String {
    let quoted = |names: Vec<&str>| names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    if !near.is_empty() {
        let near = quoted(near.iter().take(MOST_NEAR).map(String::as_str).collect());
        return format!("; did you mean {}?", near.join(" or "));
    }
    let there = quoted(there.collect());
    match there.len() {
        1..=MOST_NAMED => format!(". {list} {}.", there.join(", ")),
        _ => ".".to_owned(),
    }
}
