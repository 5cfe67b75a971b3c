//! The one place that calls the SQL parser.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::thread;

use sqlparser::ast::Statement;
use sqlparser::dialect::{BigQueryDialect, Dialect as Grammar, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{TokenWithSpan, Tokenizer};

use super::Dialect;
use super::grammar::{SqliteGrammar, without_hints};

/// The stack of the parsing thread. The parser and the trees it makes recurse; with the sizes that are let
/// through to it they stay far below this in every build.
const STACK: usize = 16 << 20;

/// How deep the parser may recurse into nested expressions.
const DEPTH: usize = 120;

/// Why a text has no tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ParseError {
    /// It does not follow the grammar.
    Syntax(String),
    /// It is nested too deeply.
    Depth,
    /// The parser itself failed.
    Broken,
}

type Answer = Result<Vec<Statement>, ParseError>;

struct Job {
    sql: String,
    dialect: Dialect,
    answer: SyncSender<Answer>,
}

/// The statements of a text. The text must have been scanned: its size is what keeps the parser in bounds.
///
/// Parsing happens on a thread of its own that lives as long as the program.
pub(super) fn parse(sql: &str, dialect: Dialect) -> Answer {
    static THREAD: Mutex<Option<Sender<Job>>> = Mutex::new(None);

    let (answer, answered) = sync_channel(1);
    let mut job = Job { sql: sql.to_owned(), dialect, answer };
    {
        let mut thread = THREAD.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // A second try, should the thread have ended.
        for _ in 0..2 {
            if thread.is_none() {
                *thread = start();
            }
            match thread.as_ref().map(|thread| thread.send(job)) {
                Some(Ok(())) => break,
                Some(Err(unsent)) => {
                    job = unsent.0;
                    *thread = None;
                }
                None => return Err(ParseError::Broken),
            }
        }
    }
    answered.recv().unwrap_or(Err(ParseError::Broken))
}

fn start() -> Option<Sender<Job>> {
    let (jobs, queue) = channel::<Job>();
    let thread = thread::Builder::new().name("sql parser".into()).stack_size(STACK).spawn(move || {
        while let Ok(Job { sql, dialect, answer }) = queue.recv() {
            // A fault in the parser must cost one statement, not all that follow.
            let result = catch_unwind(AssertUnwindSafe(|| parse_here(&sql, dialect)));
            let _ = answer.send(result.unwrap_or(Err(ParseError::Broken)));
        }
    });
    thread.ok().map(|_| jobs)
}

fn parse_here(sql: &str, dialect: Dialect) -> Answer {
    let grammar: &dyn Grammar = match dialect {
        Dialect::Sqlite => &SqliteGrammar(SQLiteDialect {}),
        Dialect::Postgres => &PostgreSqlDialect {},
        Dialect::BigQuery => &BigQueryDialect {},
    };
    let tokens = || Tokenizer::new(grammar, sql).tokenize_with_location().map_err(ParserError::from);
    let parsed = match tokens().and_then(|tokens| statements(grammar, tokens)) {
        // The first error is the one about what people wrote.
        Err(error @ ParserError::ParserError(_)) if dialect == Dialect::Sqlite => {
            let again = tokens().and_then(|tokens| statements(grammar, without_hints(tokens)));
            again.map_err(|_| error)
        }
        result => result,
    };
    parsed.map_err(|error| match error {
        ParserError::RecursionLimitExceeded => ParseError::Depth,
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => {
            ParseError::Syntax(message)
        }
    })
}

fn statements(grammar: &dyn Grammar, tokens: Vec<TokenWithSpan>) -> Result<Vec<Statement>, ParserError> {
    Parser::new(grammar).with_recursion_limit(DEPTH).with_tokens_with_locations(tokens).parse_statements()
}
