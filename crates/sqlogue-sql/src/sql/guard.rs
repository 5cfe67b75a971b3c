//! What every statement for a database passes: a text becomes a [`Checked`] statement here, or a [`Refusal`].
//!
//! Three looks, each at more of the text than the one before: the tokens (`scan`) bound its size
//! and count its statements; the parser makes sure that it is one query; a walk over the tree makes sure that
//! nothing inside it writes, locks or calls what may not be called. Databases have restrictions of their own behind this.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use sqlparser::ast::{Query, Statement};

use super::parse::{ParseError, parse};
use super::refusal::{Refusal, RefusalCode};
use super::scan::{ScanError, Scanner, Token};
use super::{Dialect, walk};

/// The longest text in bytes. Questions and reports stay far below; parsers and databases slow down above.
pub const MAX_LENGTH: usize = 20_000;

/// The most operators in one statement. Each can make the tree one level deeper.
pub const MAX_OPERATORS: usize = 300;

/// The most `UNION`, `INTERSECT` and `EXCEPT` in one statement.
pub const MAX_SET_OPERATORS: usize = 64;

/// The most calls of `POSITION` in one statement: the parser reads what is in their parentheses twice, and what is in
/// the parentheses of one in another four times.
const MAX_POSITIONS: usize = 8;

/// The deepest nesting of parentheses, brackets and `CASE`.
pub const MAX_NESTING: usize = 48;

/// One read-only statement of bounded size, as [`check`] found it: the only thing a database runs.
// The fields are private so that no statement can get round `check`.
#[derive(Clone)]
pub struct Checked {
    sql: String,
    dialect: Dialect,
    tree: Arc<Query>,
}

impl Checked {
    /// The statement, without comments around it and without a semicolon.
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// The dialect it was checked for.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    pub(super) fn tree(&self) -> &Query {
        &self.tree
    }
}

impl fmt::Debug for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checked")
            .field("sql", &self.sql)
            .field("dialect", &self.dialect)
            .finish_non_exhaustive()
    }
}

/// Two are equal where their texts are; comparing trees would recurse.
impl PartialEq for Checked {
    fn eq(&self, other: &Self) -> bool {
        self.dialect == other.dialect && self.sql == other.sql
    }
}

impl Eq for Checked {}

/// Lets a text through that is exactly one read-only query of bounded size.
///
/// White space, comments and semicolons around the query are dropped. On SQLite, PostgreSQL, MySQL and DuckDB `EXPLAIN` may stand
/// before it.
///
/// # Errors
/// A [`Refusal`] that names the rule.
///
/// ```
/// use sqlogue_sql::sql::{guard, Dialect, RefusalCode};
///
/// let checked = guard::check("SELECT 1 -- one\n;", Dialect::Sqlite)?;
/// assert_eq!(checked.sql(), "SELECT 1");
///
/// let refusal = guard::check("DELETE FROM orders", Dialect::Sqlite).unwrap_err();
/// assert_eq!(refusal.code, RefusalCode::WriteStatement);
/// # Ok::<(), sqlogue_sql::sql::Refusal>(())
/// ```
pub fn check(sql: &str, dialect: Dialect) -> Result<Checked, Refusal> {
    if sql.len() > MAX_LENGTH {
        return Err(Refusal::new(RefusalCode::TooLong));
    }
    let statement = measure(sql, dialect)?;
    let text = sql.get(statement.text).unwrap_or_default();
    let query = sql.get(statement.query).unwrap_or_default();
    let parsed = parse(query, dialect, statement.stack).map_err(|error| match error {
        ParseError::Syntax(message) => Refusal::parser(&message, query),
        ParseError::Depth => Refusal::new(RefusalCode::TooComplex),
        ParseError::Broken => Refusal::syntax("the parser gave up on it"),
    })?;
    let mut statements = parsed.into_iter();
    let tree = match (statements.next(), statements.next()) {
        (Some(Statement::Query(query)), None) => query,
        (Some(_), None) => return Err(Refusal::new(RefusalCode::NotAQuery)),
        (None, _) => return Err(Refusal::new(RefusalCode::Empty)),
        (Some(_), Some(_)) => return Err(Refusal::new(RefusalCode::SeveralStatements)),
    };
    walk::inspect(&tree, dialect)?;
    Ok(Checked { sql: text.to_owned(), dialect, tree: Arc::from(tree) })
}

/// A statement that no check has seen, to test what holds behind the guard.
#[cfg(any(test, feature = "unguarded-for-tests"))]
#[doc(hidden)]
pub fn unguarded(sql: &str) -> Option<Checked> {
    let harmless = check("SELECT 1", Dialect::Sqlite).ok()?;
    Some(Checked { sql: sql.to_owned(), ..harmless })
}

/// Where the statement is in its text, and where the query is in the statement.
struct Place {
    text: Range<usize>,
    query: Range<usize>,
    /// The stack in bytes that parsing it may take.
    stack: usize,
}

/// Reads the text token by token: one statement, of a kind that may run, of bounded size.
fn measure(sql: &str, dialect: Dialect) -> Result<Place, Refusal> {
    let mut text: Option<Range<usize>> = None;
    let mut query_start = None;
    let mut prefix: Vec<String> = Vec::new();
    let mut ended = false;
    let mut size = Size::default();
    for token in Scanner::new(sql, dialect) {
        let (token, range) = match token {
            Ok(token) => token,
            // Everything after the statement's end is a comment that is dropped, closed or not.
            Err(ScanError::OpenComment) => break,
            Err(ScanError::OpenQuote) => return Err(Refusal::syntax("a quote is not closed")),
            Err(ScanError::ControlCharacter) => return Err(Refusal::new(RefusalCode::ControlCharacters)),
            Err(ScanError::RunComment) => return Err(Refusal::new(RefusalCode::Comment)),
            Err(ScanError::NestedComment) => {
                return Err(Refusal::syntax("a comment holds the beginning of another"));
            }
            Err(ScanError::EscapedText) => {
                return Err(Refusal::syntax("a text is written without the `E` before it here"));
            }
            Err(ScanError::LooseDashes) => {
                return Err(Refusal::syntax("`--` is a comment only with a blank behind it"));
            }
        };
        if token == Token::Symbol(';') {
            ended = text.is_some();
            continue;
        }
        if ended {
            return Err(Refusal::new(RefusalCode::SeveralStatements));
        }
        size.count(token)?;
        // What begins with another word is refused by that word, whatever follows.
        let may_be_query = prefix.first().is_none_or(|first| first == "explain");
        if dialect == Dialect::MySql && may_be_query {
            mysql_only(token)?;
        }
        // To the parser alone it is a quote.
        if dialect == Dialect::DuckDb && token == Token::Symbol('`') {
            return Err(Refusal::syntax("names are quoted by `\"` here"));
        }
        if query_start.is_none() {
            let word = match token {
                Token::Word(word) => word,
                Token::Symbol('(') => "(",
                Token::Symbol(_) | Token::Quoted => "",
            };
            if is_query_start(word, dialect) {
                query_start = Some(range.start);
            } else {
                prefix.push(word.to_ascii_lowercase());
            }
            if prefix.len() > 3 {
                query_start = Some(range.start);
            }
        }
        text = Some(text.map_or(range.clone(), |text| text.start..range.end));
    }
    let Some(text) = text else { return Err(Refusal::new(RefusalCode::Empty)) };
    let prefix: Vec<&str> = prefix.iter().map(String::as_str).collect();
    match (prefix.as_slice(), dialect) {
        ([], _) => {}
        (["explain"] | ["explain", "query", "plan"], Dialect::Sqlite) => {}
        (["explain"], Dialect::Postgres | Dialect::MySql | Dialect::DuckDb) => {}
        (["explain", ..], _) => return Err(Refusal::new(RefusalCode::Explain)),
        ([first, ..], _) => return Err(Refusal::new(kind_of(first))),
    }
    let Some(start) = query_start else { return Err(Refusal::new(RefusalCode::NotAQuery)) };
    Ok(Place { query: start..text.end, text, stack: size.stack() })
}

/// Refuses what means something to MySQL that no tree would show: its variables, which a query can set, its files, and
/// the braces of ODBC, which it reads as if they were not there.
fn mysql_only(token: Token<'_>) -> Result<(), Refusal> {
    match token {
        Token::Symbol('@') => Err(Refusal::new(RefusalCode::Pragma)),
        Token::Symbol('{' | '}') => Err(Refusal::syntax("braces stand for nothing here")),
        Token::Word(word) if word.eq_ignore_ascii_case("into") => {
            Err(Refusal::new(RefusalCode::WriteStatement))
        }
        _ => Ok(()),
    }
}

fn is_query_start(word: &str, dialect: Dialect) -> bool {
    ["select", "with", "values", "("].iter().any(|start| word.eq_ignore_ascii_case(start))
        || dialect == Dialect::Postgres && word.eq_ignore_ascii_case("table")
        || dialect == Dialect::DuckDb && word.eq_ignore_ascii_case("from")
}

/// The kind of statement that begins with `word`, and is not a query.
fn kind_of(word: &str) -> RefusalCode {
    match word {
        "insert" | "update" | "delete" | "replace" | "merge" | "truncate" | "copy" | "upsert" => {
            RefusalCode::WriteStatement
        }
        "create" | "drop" | "alter" | "comment" | "rename" | "grant" | "revoke" | "reindex" => {
            RefusalCode::SchemaChange
        }
        "pragma" | "set" | "reset" | "show" | "flush" => RefusalCode::Pragma,
        "begin" | "commit" | "end" | "rollback" | "savepoint" | "release" | "start" | "abort" | "prepare"
        | "execute" | "deallocate" | "lock" | "unlock" | "xa" => RefusalCode::Transaction,
        "attach" | "detach" => RefusalCode::Attach,
        "vacuum" | "analyze" | "analyse" | "checkpoint" | "cluster" | "refresh" | "optimize" => {
            RefusalCode::Maintenance
        }
        _ => RefusalCode::NotAQuery,
    }
}

/// What of a statement can make trees deep.
#[derive(Default)]
struct Size {
    operators: usize,
    set_operators: usize,
    nesting: usize,
    deepest: usize,
    positions: usize,
    after_position: bool,
}

impl Size {
    fn nest(&mut self) {
        self.nesting += 1;
        self.deepest = self.deepest.max(self.nesting);
    }

    /// Several times what the parser was seen to take in an unoptimised build, in which it takes most.
    fn stack(&self) -> usize {
        (384 << 10) + (self.deepest << 18) + ((self.operators + self.set_operators) << 14)
    }

    fn count(&mut self, token: Token<'_>) -> Result<(), Refusal> {
        self.positions += usize::from(self.after_position && token == Token::Symbol('('));
        self.after_position = matches!(token, Token::Word(word) if word.eq_ignore_ascii_case("position"));
        match token {
            Token::Symbol('(' | '[' | '{') => self.nest(),
            Token::Symbol(')' | ']' | '}') => self.nesting = self.nesting.saturating_sub(1),
            Token::Symbol(',' | '.' | ';') | Token::Quoted => {}
            Token::Symbol(_) => self.operators += 1,
            Token::Word(word) => match Keyword::of(word).as_str() {
                "union" | "intersect" | "except" | "minus" => self.set_operators += 1,
                "case" => self.nest(),
                "end" => self.nesting = self.nesting.saturating_sub(1),
                "and" | "or" | "xor" | "not" | "is" | "in" | "like" | "ilike" | "between" | "glob"
                | "regexp" | "match" | "similar" | "collate" | "escape" | "isnull" | "notnull" | "div"
                | "at" | "overlaps" | "join" | "interval" | "prior" => {
                    self.operators += 1;
                }
                _ => {}
            },
        }
        let fits = self.operators <= MAX_OPERATORS
            && self.set_operators <= MAX_SET_OPERATORS
            && self.positions <= MAX_POSITIONS
            && self.nesting <= MAX_NESTING;
        if fits { Ok(()) } else { Err(Refusal::new(RefusalCode::TooComplex)) }
    }
}

/// The longest word that [`Size`] counts.
const KEYWORD: usize = 10;

/// A word in lower case, kept where it costs no allocation.
struct Keyword {
    letters: [u8; KEYWORD],
    length: usize,
}

impl Keyword {
    /// Empty where the word is too long to be counted.
    fn of(word: &str) -> Self {
        let mut letters = [0; KEYWORD];
        let length = match letters.get_mut(..word.len()) {
            Some(place) => {
                place.copy_from_slice(word.as_bytes());
                place.make_ascii_lowercase();
                word.len()
            }
            None => 0,
        };
        Self { letters, length }
    }

    fn as_str(&self) -> &str {
        self.letters.get(..self.length).and_then(|word| std::str::from_utf8(word).ok()).unwrap_or_default()
    }
}
