//! The one place that calls the SQL parser.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sqlparser::ast::Statement;
use sqlparser::dialect::{
    BigQueryDialect, Dialect as Grammar, DuckDbDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect,
};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{TokenWithSpan, Tokenizer};

use super::Dialect;
use super::grammar::{SqliteGrammar, with_selects, without_hints};

/// The stack of the parser where the caller's is too small. The parser and the trees it makes recurse; with the sizes
/// that are let through to it they stay far below this in every build.
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

/// The statements of a text. The text must have been scanned: its size is what keeps the parser in bounds.
///
/// `need` is the stack in bytes that the text may take. Where the caller's has less left, parsing gets one of its own,
/// which costs more than parsing itself does.
pub(super) fn parse(sql: &str, dialect: Dialect, need: usize) -> Answer {
    stacker::maybe_grow(need.min(STACK), STACK, || {
        // A fault in the parser must cost one statement, not the program.
        catch_unwind(AssertUnwindSafe(|| parse_here(sql, dialect))).unwrap_or(Err(ParseError::Broken))
    })
}

fn parse_here(sql: &str, dialect: Dialect) -> Answer {
    let grammar: &dyn Grammar = match dialect {
        Dialect::Sqlite => &SqliteGrammar(SQLiteDialect {}),
        Dialect::Postgres => &PostgreSqlDialect {},
        Dialect::BigQuery => &BigQueryDialect {},
        Dialect::MySql => &MySqlDialect {},
        Dialect::DuckDb => &DuckDbDialect {},
    };
    let tokens = || {
        let tokens = Tokenizer::new(grammar, sql).tokenize_with_location().map_err(ParserError::from)?;
        Ok(if dialect == Dialect::Postgres { with_selects(tokens) } else { tokens })
    };
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
