//! The dialects' grammars, where the parser's own idea of them falls short.

use std::any::TypeId;

use sqlparser::ast::{Expr, Statement};
use sqlparser::dialect::{Dialect, SQLiteDialect};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The parser's SQLite, with `IS` between any two values, and shifts.
#[derive(Debug)]
pub(super) struct SqliteGrammar(pub(super) SQLiteDialect);

impl Dialect for SqliteGrammar {
    fn dialect(&self) -> TypeId {
        self.0.dialect()
    }

    fn is_delimited_identifier_start(&self, character: char) -> bool {
        self.0.is_delimited_identifier_start(character)
    }

    fn identifier_quote_style(&self, identifier: &str) -> Option<char> {
        self.0.identifier_quote_style(identifier)
    }

    fn is_identifier_start(&self, character: char) -> bool {
        self.0.is_identifier_start(character) || (!character.is_ascii() && !character.is_whitespace())
    }

    fn is_identifier_part(&self, character: char) -> bool {
        self.is_identifier_start(character) || character.is_ascii_digit() || character == '$'
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        self.0.supports_filter_during_aggregation()
    }

    fn supports_in_empty_list(&self) -> bool {
        self.0.supports_in_empty_list()
    }

    fn supports_limit_comma(&self) -> bool {
        self.0.supports_limit_comma()
    }

    fn supports_dollar_placeholder(&self) -> bool {
        self.0.supports_dollar_placeholder()
    }

    fn supports_notnull_operator(&self) -> bool {
        self.0.supports_notnull_operator()
    }

    fn supports_comma_separated_trim(&self) -> bool {
        self.0.supports_comma_separated_trim()
    }

    fn supports_numeric_literal_underscores(&self) -> bool {
        self.0.supports_numeric_literal_underscores()
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }

    fn supports_window_clause_named_window_reference(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        self.0.supports_group_by_expr()
    }

    fn parse_statement(&self, parser: &mut Parser<'_>) -> Option<Result<Statement, ParserError>> {
        self.0.parse_statement(parser)
    }

    fn parse_infix(
        &self,
        parser: &mut Parser<'_>,
        left: &Expr,
        precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        if let Some(right) = self.is_value(parser, precedence) {
            return Some(right.map(|(negated, right)| {
                let (left, right) = (Box::new(left.clone()), Box::new(right));
                if negated { Expr::IsDistinctFrom(left, right) } else { Expr::IsNotDistinctFrom(left, right) }
            }));
        }
        self.0.parse_infix(parser, left, precedence)
    }
}

impl SqliteGrammar {
    /// What stands after `IS` or `IS NOT`, where it is a value and not one of the words the parser knows there.
    fn is_value(&self, parser: &mut Parser<'_>, precedence: u8) -> Option<Result<(bool, Expr), ParserError>> {
        let keyword = |token: &TokenWithSpan| match &token.token {
            Token::Word(word) => Some(word.keyword),
            _ => None,
        };
        if keyword(parser.peek_nth_token_ref(0)) != Some(Keyword::IS) {
            return None;
        }
        let negated = keyword(parser.peek_nth_token_ref(1)) == Some(Keyword::NOT);
        let next = keyword(parser.peek_nth_token_ref(if negated { 2 } else { 1 }));
        if matches!(next, Some(Keyword::NULL | Keyword::TRUE | Keyword::FALSE | Keyword::DISTINCT)) {
            return None;
        }
        parser.advance_token();
        if negated {
            parser.advance_token();
        }
        Some(parser.parse_subexpr(precedence).map(|right| (negated, right)))
    }
}

/// The tokens without hints to the query planner and without window exclusions, which the parser does not know.
/// They change neither what a query reads nor what it calls, and only the tree lacks them: the text that runs is
/// the original.
pub(super) fn without_hints(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_space = |token: &TokenWithSpan| matches!(token.token, Token::Whitespace(_));
    let tokens: Vec<TokenWithSpan> = tokens.into_iter().filter(|token| !is_space(token)).collect();
    let mut kept = Vec::with_capacity(tokens.len());
    let mut rest = tokens.as_slice();
    while let Some((first, after)) = rest.split_first() {
        let dropped = hint(kept.last(), rest);
        if dropped == 0 {
            kept.push(first.clone());
            rest = after;
        } else {
            rest = rest.get(dropped..).unwrap_or_default();
        }
    }
    kept
}

/// The number of tokens that a hint at the beginning of `rest` has.
fn hint(before: Option<&TokenWithSpan>, rest: &[TokenWithSpan]) -> usize {
    let words: Vec<String> = rest
        .iter()
        .take(4)
        .map(|token| match &token.token {
            Token::Word(word) if word.quote_style.is_none() => word.value.to_ascii_lowercase(),
            Token::LParen => "(".to_owned(),
            _ => String::new(),
        })
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let after_as =
        matches!(before, Some(TokenWithSpan { token: Token::Word(word), .. }) if word.keyword == Keyword::AS);
    let after_name = matches!(
        before,
        Some(TokenWithSpan { token: Token::Word(word), .. })
            if word.keyword == Keyword::NoKeyword || word.quote_style.is_some()
    );
    match words.as_slice() {
        ["materialized", "(", ..] if after_as => 1,
        ["not", "materialized", "(", ..] if after_as => 2,
        ["indexed", "by", ..] => 3,
        ["not", "indexed", ..] if after_name => 2,
        ["exclude", "ties" | "group", ..] => 2,
        ["exclude", "current", "row", ..] | ["exclude", "no", "others", ..] => 3,
        _ => 0,
    }
}

/// The tokens with `SELECT * FROM x` for PostgreSQL's `TABLE x`, so that such a query is seen and checked as what it is. Only
/// the tree has it so: the text that runs is the original.
pub(super) fn with_selects(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_space = |token: &TokenWithSpan| matches!(token.token, Token::Whitespace(_));
    let is_table = |token: &TokenWithSpan| matches!(&token.token, Token::Word(word) if word.keyword == Keyword::TABLE && word.quote_style.is_none());
    if !tokens.iter().any(is_table) {
        return tokens;
    }
    let tokens: Vec<TokenWithSpan> = tokens.into_iter().filter(|token| !is_space(token)).collect();
    let mut rewritten: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len() + 2);
    for (at, token) in tokens.iter().enumerate() {
        if is_table(token) && begins_query(rewritten.last()) && is_name(tokens.get(at + 1)) {
            let words = [Token::make_keyword("SELECT"), Token::Mul, Token::make_keyword("FROM")];
            rewritten.extend(words.map(|word| TokenWithSpan::new(word, token.span)));
        } else {
            rewritten.push(token.clone());
        }
    }
    rewritten
}

/// Whether a query can begin behind this token; elsewhere `table` is the name that a column is given.
fn begins_query(before: Option<&TokenWithSpan>) -> bool {
    match before.map(|token| &token.token) {
        None | Some(Token::LParen | Token::RParen) => true,
        Some(Token::Word(word)) => {
            word.quote_style.is_none()
                && matches!(
                    word.keyword,
                    Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT | Keyword::ALL | Keyword::DISTINCT
                )
        }
        Some(_) => false,
    }
}

/// Whether a token names a table: it is a word, and none that can only stand behind what a query returns.
fn is_name(token: Option<&TokenWithSpan>) -> bool {
    match token.map(|token| &token.token) {
        Some(Token::Word(word)) => {
            word.quote_style.is_some()
                || !matches!(
                    word.keyword,
                    Keyword::FROM
                        | Keyword::WHERE
                        | Keyword::GROUP
                        | Keyword::HAVING
                        | Keyword::WINDOW
                        | Keyword::UNION
                        | Keyword::INTERSECT
                        | Keyword::EXCEPT
                        | Keyword::ORDER
                        | Keyword::LIMIT
                        | Keyword::OFFSET
                        | Keyword::FETCH
                        | Keyword::FOR
                        | Keyword::INTO
                )
        }
        _ => false,
    }
}
