//! A first look at SQL text, token by token, before any parser sees it.
//!
//! Parsers recurse, and databases split texts into statements by rules of their own. What this scanner counts
//! (statements, operators, nesting) is bounded before anything recurses, and it reads quotes and comments as the
//! dialect's database does, so that the two agree on where a statement ends.

use std::ops::Range;

use super::Dialect;
use sqlogue_base::text::is_hidden;

/// One token that is neither white space nor a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, a keyword or a number.
    Word(&'a str),
    /// Something in quotes: a text or a quoted name.
    Quoted,
    /// One character of punctuation.
    Symbol(char),
}

/// What is wrong with a text already as a sequence of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanError {
    /// A quote is not closed.
    OpenQuote,
    /// A comment in the middle is not closed.
    OpenComment,
    /// A control character, or one that changes how the text around it looks, outside quotes; or NUL anywhere.
    ControlCharacter,
    /// A comment that the database runs or takes settings from: `/*! … */`, `/*+ … */`.
    RunComment,
    /// A comment in a comment, which DuckDB reads as such and the parser does not.
    NestedComment,
    /// A text in which backslashes escape, written in a way that the parser reads otherwise: `E'…'`.
    EscapedText,
    /// Two dashes that are a comment in other dialects, and two signs in this one.
    LooseDashes,
}

/// The tokens of a text with their places.
pub(super) struct Scanner<'a> {
    sql: &'a str,
    at: usize,
    dialect: Dialect,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(sql: &'a str, dialect: Dialect) -> Self {
        Self { sql, at: 0, dialect }
    }

    fn rest(&self) -> &'a str {
        self.sql.get(self.at..).unwrap_or_default()
    }

    /// Skips white space and comments.
    fn skip(&mut self) -> Result<(), ScanError> {
        loop {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else { return Ok(()) };
            let has_hashes = matches!(self.dialect, Dialect::BigQuery | Dialect::MySql);
            if rest.starts_with("--") || (first == '#' && has_hashes) {
                let next = rest.chars().nth(2).unwrap_or('\n');
                if self.dialect == Dialect::MySql && first == '-' && !matches!(next, ' ' | '\t' | '\n') {
                    return Err(ScanError::LooseDashes);
                }
                let end = rest.find('\n').unwrap_or(rest.len());
                let comment = rest.get(..end).unwrap_or_default();
                // Some databases end a comment at a carriage return, and others read on.
                if comment.trim_end_matches('\r').contains(['\r', '\0']) {
                    return Err(ScanError::ControlCharacter);
                }
                self.at += end;
            } else if rest.starts_with("/*") {
                self.at += self.comment(rest)?;
            } else if matches!(first, ' ' | '\t' | '\n' | '\r' | '\u{c}') {
                self.at += 1;
            } else {
                return Ok(());
            }
        }
    }

    /// The length of the comment that `rest` begins with.
    fn comment(&self, rest: &str) -> Result<usize, ScanError> {
        if rest.contains('\0') {
            return Err(ScanError::ControlCharacter);
        }
        if self.dialect == Dialect::MySql && ["/*!", "/*+", "/*M!"].iter().any(|run| rest.starts_with(run)) {
            return Err(ScanError::RunComment);
        }
        let bytes = rest.as_bytes();
        let mut depth = 0_usize;
        let mut at = 0;
        while let Some(pair) = bytes.get(at..at + 2) {
            match pair {
                // PostgreSQL's comments nest, the others' do not.
                b"/*" if depth == 0 || self.dialect == Dialect::Postgres => {
                    depth += 1;
                    at += 2;
                }
                b"/*" if self.dialect == Dialect::DuckDb => return Err(ScanError::NestedComment),
                b"*/" => {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        return Ok(at);
                    }
                }
                _ => at += 1,
            }
        }
        Err(ScanError::OpenComment)
    }

    /// The length of the quoted text that `rest` begins with.
    fn quoted(&self, rest: &str, close: char, backslash: bool) -> Result<usize, ScanError> {
        let mut characters = rest.char_indices().skip(1).peekable();
        while let Some((at, character)) = characters.next() {
            if character == '\0' {
                return Err(ScanError::ControlCharacter);
            } else if character == '\\' && backslash {
                characters.next();
            } else if character == close {
                let doubled = close != ']' && characters.peek().is_some_and(|(_, next)| *next == close);
                if !doubled {
                    return Ok(at + close.len_utf8());
                }
                characters.next();
            }
        }
        Err(ScanError::OpenQuote)
    }

    fn token(&mut self) -> Result<Option<(Token<'a>, Range<usize>)>, ScanError> {
        self.skip()?;
        let start = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let (token, length) = match first {
            '\'' if self.dialect == Dialect::DuckDb && self.follows_escape_prefix(start) => {
                return Err(ScanError::EscapedText);
            }
            '\'' => {
                let escapes = self.has_escapes() || self.follows_escape_prefix(start);
                (Token::Quoted, self.quoted(rest, '\'', escapes)?)
            }
            '"' => (Token::Quoted, self.quoted(rest, '"', self.has_escapes())?),
            '`' if !matches!(self.dialect, Dialect::Postgres | Dialect::DuckDb) => {
                (Token::Quoted, self.quoted(rest, '`', self.dialect == Dialect::BigQuery)?)
            }
            '[' if self.dialect == Dialect::Sqlite => (Token::Quoted, self.quoted(rest, ']', false)?),
            '$' if matches!(self.dialect, Dialect::Postgres | Dialect::DuckDb) => match dollar_quoted(rest) {
                Some(length) => (Token::Quoted, length?),
                None => (Token::Symbol('$'), 1),
            },
            _ if is_word(first) => {
                let length = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
                (Token::Word(rest.get(..length).unwrap_or_default()), length)
            }
            _ if is_hidden(first) => return Err(ScanError::ControlCharacter),
            _ => (Token::Symbol(first), first.len_utf8()),
        };
        self.at = start + length;
        Ok(Some((token, start..self.at)))
    }

    /// True where a backslash in any text escapes.
    fn has_escapes(&self) -> bool {
        matches!(self.dialect, Dialect::BigQuery | Dialect::MySql)
    }

    /// True where the quote at `start` belongs to `E'…'` of PostgreSQL and DuckDB, in which backslashes escape.
    fn follows_escape_prefix(&self, start: usize) -> bool {
        let before = self.sql.get(..start).unwrap_or_default();
        matches!(self.dialect, Dialect::Postgres | Dialect::DuckDb)
            && before.ends_with(['e', 'E'])
            && !before.get(..before.len() - 1).unwrap_or_default().ends_with(is_word)
    }
}

/// The length of PostgreSQL's `$tag$ … $tag$`, if `rest` begins with one.
fn dollar_quoted(rest: &str) -> Option<Result<usize, ScanError>> {
    let tag_end = rest.get(1..)?.find('$')? + 2;
    let tag = rest.get(..tag_end)?;
    let name = tag.get(1..tag_end - 1)?;
    if name.starts_with(|first: char| first.is_ascii_digit())
        || !name.chars().all(|c| c == '_' || c.is_alphanumeric())
    {
        return None;
    }
    let body = rest.get(tag_end..)?;
    if body.contains('\0') {
        return Some(Err(ScanError::ControlCharacter));
    }
    Some(body.find(tag).map(|end| tag_end + end + tag.len()).ok_or(ScanError::OpenQuote))
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_ascii_alphanumeric() || (!character.is_ascii() && !is_hidden(character))
}

impl<'a> Iterator for Scanner<'a> {
    type Item = Result<(Token<'a>, Range<usize>), ScanError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.token().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(sql: &str, dialect: Dialect) -> Result<Vec<&str>, ScanError> {
        Scanner::new(sql, dialect).map(|token| token.map(|(_, range)| &sql[range])).collect()
    }

    #[test]
    fn quotes_and_comments_are_read_as_the_database_reads_them() {
        use Dialect::{BigQuery, DuckDb, MySql, Postgres, Sqlite};
        assert_eq!(tokens("a;'b;''c'--;\n/*;*/d", Sqlite).unwrap(), ["a", ";", "'b;''c'", "d"]);
        assert_eq!(tokens("[a;b] `c;d` \"e;\"\"f\"", Sqlite).unwrap(), ["[a;b]", "`c;d`", "\"e;\"\"f\""]);
        assert_eq!(tokens("'a\\';b", Sqlite).unwrap(), ["'a\\'", ";", "b"]);
        assert_eq!(tokens("'a\\';b'", BigQuery).unwrap(), ["'a\\';b'"]);
        assert_eq!(tokens("/* /* */ 1", DuckDb), Err(ScanError::NestedComment));
        assert_eq!(tokens("E'a\\';b'", Postgres).unwrap(), ["E", "'a\\';b'"]);
        assert_eq!(tokens("$x$;$$;$x$ 1", Postgres).unwrap(), ["$x$;$$;$x$", "1"]);
        assert_eq!(tokens("/* /* */ ; */ 1", Postgres).unwrap(), ["1"]);
        assert_eq!(tokens("/* /* */ ; 1", Sqlite).unwrap(), [";", "1"]);
        assert_eq!(tokens("/* /* */ ; 1 # ;\n2 -- ;", MySql).unwrap(), [";", "1", "2"]);
        assert_eq!(
            tokens("'a\\';b' \"c\\\";\" `d\\`;", MySql).unwrap(),
            ["'a\\';b'", "\"c\\\";\"", "`d\\`", ";"]
        );
        assert_eq!(tokens("1 --1", MySql), Err(ScanError::LooseDashes));
        for sql in ["/*!1*/", "/*!50000 1*/", "/*M!1*/", "/*+ SET_VAR(a=1) */"] {
            assert_eq!(tokens(sql, MySql), Err(ScanError::RunComment), "{sql}");
            assert_eq!(tokens(sql, Sqlite), Ok(Vec::new()), "{sql}");
        }
        assert_eq!(tokens("/* a */ $x$;$x$ 'a\\'", DuckDb).unwrap(), ["$x$;$x$", "'a\\'"]);
        assert_eq!(tokens("E'a\\';b'", DuckDb), Err(ScanError::EscapedText));
        assert_eq!(tokens("'a", Sqlite), Err(ScanError::OpenQuote));
        assert_eq!(tokens("/*a", Sqlite), Err(ScanError::OpenComment));
        for sql in ["a\0", "'a\0'", "--\0", "a -- b\rc", "\u{feff}a", "a\u{202e}b", "\u{1b}"] {
            assert_eq!(tokens(sql, Sqlite), Err(ScanError::ControlCharacter), "{sql:?}");
        }
    }
}
