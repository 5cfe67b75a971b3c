//! Why a statement may not run, in a word for programs and a sentence for people.

use serde::{Deserialize, Serialize};
use sqlogue_base::near;

/// Why a statement may not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// The rule that was broken; its name is stable.
    pub code: RefusalCode,
    /// What was refused, by which rule, and what to do instead; at most 300 characters, none of them a control
    /// character.
    pub reason: String,
}

/// The rules a statement can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalCode {
    /// There is no statement.
    Empty,
    /// The text is longer than any query needs to be.
    TooLong,
    /// Too many operators, set operators or levels of nesting.
    TooComplex,
    /// It does not follow the dialect's grammar.
    Syntax,
    /// A NUL, or another character that hides or changes what the text looks like.
    ControlCharacters,
    /// A comment that the database would run.
    Comment,
    /// More than one statement.
    SeveralStatements,
    /// It writes rows.
    WriteStatement,
    /// It changes tables, views, indexes or permissions.
    SchemaChange,
    /// It reads or changes settings.
    Pragma,
    /// It begins, ends or prepares something that outlives it.
    Transaction,
    /// It opens or closes another database.
    Attach,
    /// It rewrites or measures the database.
    Maintenance,
    /// An `EXPLAIN` that runs, or one that the dialect does not have.
    Explain,
    /// It is something else than a query.
    NotAQuery,
    /// It calls a function that may not be called.
    ForbiddenFunction,
    /// It reads a table that tells of the database's inside.
    ForbiddenTable,
    /// It locks the rows it reads.
    Locking,
}

/// The longest reason, in characters.
const LENGTH: usize = 300;

impl RefusalCode {
    /// The name as written in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong => "too_long",
            Self::TooComplex => "too_complex",
            Self::Syntax => "syntax",
            Self::ControlCharacters => "control_characters",
            Self::Comment => "comment",
            Self::SeveralStatements => "several_statements",
            Self::WriteStatement => "write_statement",
            Self::SchemaChange => "schema_change",
            Self::Pragma => "pragma",
            Self::Transaction => "transaction",
            Self::Attach => "attach",
            Self::Maintenance => "maintenance",
            Self::Explain => "explain",
            Self::NotAQuery => "not_a_query",
            Self::ForbiddenFunction => "forbidden_function",
            Self::ForbiddenTable => "forbidden_table",
            Self::Locking => "locking",
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::Empty => "there is no SQL to run; write one `SELECT`",
            Self::TooLong => {
                "the SQL is longer than 20,000 bytes, the most that may run; write a shorter query"
            }
            Self::TooComplex => {
                "the SQL has more operators (300), set operators (64) or levels of nesting (48) than may run; split it into smaller queries"
            }
            Self::Syntax => "the SQL cannot be parsed",
            Self::ControlCharacters => {
                "the SQL has a NUL or another invisible control character, which databases read differently; remove it"
            }
            Self::Comment => {
                "the SQL has a comment that the database runs or takes settings from (`/*! … */`, `/*+ … */`); remove it"
            }
            Self::SeveralStatements => {
                "the SQL has more than one statement, and only one may run; send them one by one"
            }
            Self::WriteStatement => {
                "the statement would write rows, and only reading is allowed; write a `SELECT`"
            }
            Self::SchemaChange => {
                "the statement would change tables or permissions, and only reading is allowed; write a `SELECT`"
            }
            Self::Pragma => {
                "the statement reads or changes the database's settings, which queries may not; ask for the schema instead"
            }
            Self::Transaction => {
                "the statement would begin or end something that outlives it, and each query stands alone; write a `SELECT`"
            }
            Self::Attach => {
                "the statement would open or close another database, and queries stay in theirs; write a `SELECT`"
            }
            Self::Maintenance => {
                "the statement would rewrite the database, and only reading is allowed; write a `SELECT`"
            }
            Self::Explain => {
                "only a plain `EXPLAIN` of one query may run (on SQLite `EXPLAIN QUERY PLAN` too); remove its options"
            }
            Self::NotAQuery => "the statement is not a query, and only queries may run; write a `SELECT`",
            Self::ForbiddenFunction => "the query calls a function that may not be called",
            Self::ForbiddenTable => {
                "the query reads one of the database's inner tables; ask for the schema instead"
            }
            Self::Locking => "the query would lock the rows it reads; remove `FOR UPDATE` or `FOR SHARE`",
        }
    }
}

impl Refusal {
    /// A refusal in the rule's own words.
    pub(super) fn new(code: RefusalCode) -> Self {
        Self { code, reason: code.reason().to_owned() }
    }

    /// A text that the parser cannot read; `message` is the parser's, which may quote the text.
    pub(super) fn parser(message: &str, sql: &str) -> Self {
        let misspelt = stumble(message).and_then(|(line, column)| misspelt(sql, line, column));
        let message = in_words(message).unwrap_or_else(|| message.to_owned());
        match misspelt {
            Some((word, keyword)) => {
                Self::unread(&message, &format!("did you mean `{keyword}` by `{word}`?"))
            }
            None => Self::syntax(&message),
        }
    }

    /// A text that cannot be read, and why.
    pub(super) fn syntax(message: &str) -> Self {
        Self::unread(message, "correct it and try again")
    }

    fn unread(message: &str, advice: &str) -> Self {
        let reason = format!("the SQL cannot be parsed: {message}; {advice}");
        Self { code: RefusalCode::Syntax, reason: shown(&reason) }
    }

    /// A function that may not be called.
    pub(super) fn function(name: &str) -> Self {
        let name: String = name.chars().take(60).collect();
        let reason =
            format!("the function `{name}` is not one of those a query may call; write the query without it");
        Self { code: RefusalCode::ForbiddenFunction, reason: shown(&reason) }
    }
}

/// What the parser says, as a person would; `None` where it says it in another form than `Expected: …, found: … at Line: 1, Column: 2`.
fn in_words(message: &str) -> Option<String> {
    let (expected, found) = message.split_once("Expected: ")?.1.split_once(", found: ")?;
    let expected = match expected {
        "end of statement" => "the statement should end".to_owned(),
        expected => format!("{expected} should stand"),
    };
    let (found, at) = match found.split_once(" at Line: ") {
        Some((found, place)) => {
            let (line, column) = place.split_once(", Column: ")?;
            (found, format!(" at line {line}, column {column}"))
        }
        None => (found, String::new()),
    };
    Some(match found {
        "EOF" => format!("it ends where {expected}"),
        found => format!("`{found}`{at} stands where {expected}"),
    })
}

/// The words that make a query, as far as people misspell them.
const KEYWORDS: &[&str] = &[
    "SELECT", "DISTINCT", "FROM", "JOIN", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION",
    "BETWEEN", "LIKE", "VALUES", "WITH",
];

/// So much alike a word and the keyword that it may stand for are: *form*, *wher*, *gruop*, but no *data*.
const ALIKE: f64 = 0.75;

/// The line and the column, from 1, where the parser could not go on.
fn stumble(message: &str) -> Option<(usize, usize)> {
    let (line, column) = message.rsplit_once(" at Line: ")?.1.split_once(", Column: ")?;
    Some((line.parse().ok()?, column.parse().ok()?))
}

/// The word there, or the one before it, that comes near a keyword, and the keyword. *from orders wher id = 1* is read as the
/// table `orders` by the name of `wher`, so that what cannot be read stands behind the mistake.
fn misspelt(sql: &str, line: usize, column: usize) -> Option<(&str, &'static str)> {
    let before = sql.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum::<usize>();
    let rest = sql.get(before..)?;
    let at = before + rest.char_indices().nth(column.checked_sub(1)?).map_or(rest.len(), |(at, _)| at);
    let (said, rest) = sql.split_at_checked(at)?;
    let is_other = |character: char| !(character.is_alphanumeric() || character == '_');
    // Behind the mistake stands a word; a bracket too many has no word to do with it.
    let there = rest.split(is_other).next().filter(|word| !word.is_empty())?;
    let one_before = said.trim_end().rsplit(is_other).next();
    std::iter::once(there).chain(one_before).find_map(|word| {
        let keyword = near::nearest(word, KEYWORDS.iter().copied(), ALIKE)?;
        (!word.eq_ignore_ascii_case(keyword)).then_some((word, keyword))
    })
}

fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::Dialect;
    use crate::sql::guard::check;

    #[test]
    fn the_parser_is_put_in_words() {
        for (said, words) in [
            (
                "sql parser error: Expected: end of statement, found: form at Line: 1, Column: 10",
                "`form` at line 1, column 10 stands where the statement should end",
            ),
            ("Expected: an expression, found: EOF", "it ends where an expression should stand"),
            (
                "Unterminated string literal at Line: 1, Column: 8",
                "Unterminated string literal at Line: 1, Column: 8",
            ),
        ] {
            let reason = Refusal::parser(said, "").reason;
            assert_eq!(reason, format!("the SQL cannot be parsed: {words}; correct it and try again"));
        }
    }

    #[test]
    fn a_misspelt_keyword_is_told() {
        for (sql, told) in [
            ("select * form orders", "did you mean `FROM` by `form`?"),
            ("select name\nfrom orders\nwher id = 1", "did you mean `WHERE` by `wher`?"),
            ("select city, count(*) from orders gruop by city", "did you mean `GROUP` by `gruop`?"),
            ("select * from orders oder by id", "did you mean `ORDER` by `oder`?"),
            ("select 'é' AS é form orders", "did you mean `FROM` by `form`?"),
            ("select * from orders )", "correct it and try again"),
        ] {
            let refusal = check(sql, Dialect::Sqlite).unwrap_err();
            assert!(refusal.reason.ends_with(told), "{sql}: {refusal}");
        }
    }
}
