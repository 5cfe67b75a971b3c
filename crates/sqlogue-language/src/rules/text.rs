//! The question as tokens: words with their stems, numbers, quoted spans, punctuation.

mod reworded;

use super::grammar::WordLists;
use super::link::numbers::number_word;
use super::stem::{fold, root, stem};

/// A question cut into tokens.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The text as it was asked.
    pub text: String,
    /// Its tokens, politeness left out.
    pub tokens: Vec<Token>,
    /// What was only said before the question, as it was written; empty where nothing was.
    pub background: String,
}

/// One word, number, quotation or mark.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// As written; a quotation without its quotes.
    pub text: String,
    /// In lower case, without accents.
    pub lower: String,
    /// The key for inflected forms ([`stem`]).
    pub stem: String,
    /// The weaker key for derived forms ([`root`]).
    pub root: String,
    /// What it is.
    pub kind: TokenKind,
    /// Where it starts in the question, in bytes.
    pub start: usize,
    /// Where it ends in the question, in bytes.
    pub end: usize,
    /// True where it is taken for something that is only near it in meaning, since nothing better is known.
    pub is_stretched: bool,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word, or a mixture of letters and digits.
    Word,
    /// Digits, with or without a sign and a fraction.
    Number,
    /// Text in quotes.
    Quoted,
    /// A comma, a full stop, a question mark, an operator and the like.
    Mark,
    /// The `'s` of a possessive.
    Possessive,
}

impl Token {
    /// A quotation without its quotes, which stands at these bytes.
    pub fn quoted(text: &str, start: usize, end: usize) -> Self {
        token(text, TokenKind::Quoted, start, end)
    }

    /// A word that stands at these bytes.
    pub fn word(text: &str, start: usize, end: usize) -> Self {
        token(text, TokenKind::Word, start, end)
    }

    /// True for a word that starts with a capital letter.
    pub fn is_capitalised(&self) -> bool {
        self.kind == TokenKind::Word && self.text.chars().next().is_some_and(char::is_uppercase)
    }
}

/// Longer questions are cut here: nobody asks so much at once, and the work grows with the length.
const MAX_TOKENS: usize = 200;

impl Question {
    /// Cuts a text into tokens.
    pub fn new(text: &str) -> Self {
        let mut tokens = Tokenizer { text, at: 0 }.run();
        reworded::plainly(&mut tokens);
        Self { text: text.to_owned(), tokens, background: String::new() }
    }

    /// Several questions as one, each behind a full stop.
    pub fn joined(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            if !all.tokens.is_empty() {
                let at = all.text.len();
                all.text.push_str(". ");
                all.tokens.push(token(".", TokenKind::Mark, at, at + 1));
            }
            let before = all.text.len();
            all.text.push_str(&part.text);
            all.tokens.extend(part.tokens.into_iter().map(|token| Token {
                start: token.start + before,
                end: token.end + before,
                ..token
            }));
        }
        all
    }

    /// The lower-case form of the token at `index`; empty beyond the end.
    pub fn word(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &token.lower)
    }

    /// True where the words from `at` on ask for a number: *how many*, *number of*.
    pub fn asks_number(&self, at: usize) -> bool {
        matches!((self.word(at), self.word(at + 1)), ("number" | "count", "of") | ("how", "many"))
    }

    /// True for a participle where a description of what follows may begin: *number of **damaged** products*. Before a name, such
    /// a word says which rows are meant, and not only that something was done.
    pub fn opens_with_participle(&self, at: usize) -> bool {
        const BEFORE: [&str; 30] = [
            "of", "the", "all", "our", "my", "any", "many", "much", "each", "every", "no", "with", "without",
            "for", "from", "in", "by", "per", "and", "or", "average", "mean", "median", "total", "most",
            "number", "count", "%", "which", "what",
        ];
        let word = self.word(at);
        let is_participle = word.len() > 4 && ["ed", "wn", "ght"].iter().any(|ending| word.ends_with(ending));
        let says_more = is_participle && !WordLists::embedded().has("only_done", word);
        says_more && at.checked_sub(1).is_none_or(|before| BEFORE.contains(&self.word(before)))
    }

    /// True for *out* as where things are: *which books are out*, *still out*.
    pub fn says_out(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or("", |before| self.word(before));
        self.word(at) == "out"
            && !matches!(self.word(at + 1), "of" | "for" | "to")
            && matches!(before, "is" | "are" | "was" | "were" | "still" | "currently")
    }

    /// The part of the question that a range of tokens covers, as it was written.
    pub fn span_text(&self, start: usize, end: usize) -> &str {
        let from = self.tokens.get(start).map_or(0, |token| token.start);
        let to = end.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(from, |token| token.end);
        self.text.get(from..to).unwrap_or_default()
    }
}

struct Tokenizer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokenizer<'a> {
    fn run(mut self) -> Vec<Token> {
        let mut tokens: Vec<Token> = Vec::new();
        while let Some(letter) = self.peek() {
            if tokens.len() >= MAX_TOKENS {
                break;
            }
            if letter.is_whitespace() || letter.is_control() {
                self.at += letter.len_utf8();
                continue;
            }
            let start = self.at;
            if let Some((text, kind, end)) = super::signs::read(self.text, start) {
                self.at = end;
                tokens.push(token(&text, kind, start, end));
                continue;
            }
            if let Some((inner, end)) = self.quotation(letter) {
                self.at = end;
                tokens.push(token(inner, TokenKind::Quoted, start, end));
                continue;
            }
            if is_apostrophe(letter) && tokens.last().is_some_and(|last| last.end == start) {
                let rest = self.text.get(start + letter.len_utf8()..).unwrap_or_default();
                let possessive = rest.starts_with(['s', 'S'])
                    && !rest.get(1..).unwrap_or_default().starts_with(char::is_alphanumeric);
                self.at += letter.len_utf8() + usize::from(possessive);
                let text = self.text.get(start..self.at).unwrap_or_default();
                tokens.push(token(text, TokenKind::Possessive, start, self.at));
                continue;
            }
            if letter.is_alphanumeric() {
                let end = self.word_end();
                let text = self.text.get(start..end).unwrap_or_default();
                self.at = end;
                let digits = text.starts_with(|c: char| c.is_ascii_digit())
                    && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
                let kind = if digits { TokenKind::Number } else { TokenKind::Word };
                push_word(&mut tokens, text, kind, start, end);
                continue;
            }
            self.at += letter.len_utf8();
            let text = self.text.get(start..self.at).unwrap_or_default();
            tokens.push(token(text, TokenKind::Mark, start, self.at));
        }
        tokens
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at..).and_then(|rest| rest.chars().next())
    }

    /// The end of the word or number that starts here.
    fn word_end(&self) -> usize {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut letters = rest.char_indices().peekable();
        let mut previous = ' ';
        while let Some((offset, letter)) = letters.next() {
            let next = letters.peek().map_or(' ', |(_, next)| *next);
            let inside = letter.is_alphanumeric()
                || letter == '_'
                || (matches!(letter, '.' | ',') && previous.is_ascii_digit() && next.is_ascii_digit())
                || (matches!(letter, '-' | '/' | ':' | '.' | '@' | '&')
                    && previous.is_alphanumeric()
                    && next.is_alphanumeric())
                || (is_apostrophe(letter) && previous == 'n' && matches!(next, 't' | 'T'));
            if !inside {
                return self.at + offset;
            }
            previous = letter;
        }
        self.text.len()
    }

    /// The inside of a quotation that opens here, and where it ends.
    fn quotation(&self, open: char) -> Option<(&'a str, usize)> {
        let close: &[char] = match open {
            '"' | '“' | '”' => &['"', '”', '“'],
            '\'' | '‘' | '`' | '’' => &['\'', '’'],
            '«' => &['»'],
            _ => return None,
        };
        let before = self.text.get(..self.at)?.chars().next_back();
        if open != '"' && before.is_some_and(char::is_alphanumeric) {
            return None;
        }
        let start = self.at + open.len_utf8();
        let rest = self.text.get(start..)?;
        let single = matches!(open, '\'' | '‘' | '`' | '’');
        for (offset, letter) in rest.char_indices() {
            if !close.contains(&letter) {
                continue;
            }
            let after = rest.get(offset + letter.len_utf8()..)?;
            // An apostrophe inside a quotation does not close it.
            if single && after.starts_with(char::is_alphanumeric) {
                continue;
            }
            let inner = rest.get(..offset)?.trim();
            // LIKE patterns in quotes keep their sense without the wildcards at the ends.
            let end = start + offset + letter.len_utf8();
            return (!inner.is_empty() && inner.len() <= 200).then_some((inner, end));
        }
        None
    }
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '’' | '`')
}

/// Adds a word; `don't` becomes `do` and `not`, `7-day` and `3-bedroom` their number and what there are so many of, `july-sept` two
/// months; `2010-2012` becomes a range.
fn push_word(tokens: &mut Vec<Token>, text: &str, kind: TokenKind, start: usize, end: usize) {
    let lower = fold(text);
    if let Some(verb) = lower.strip_suffix("n't") {
        let verb = match verb {
            "ca" => "can",
            "wo" => "will",
            other => other,
        };
        tokens.push(token(verb, TokenKind::Word, start, end));
        tokens.push(token("not", TokenKind::Word, start, end));
        return;
    }
    if let Some((number, unit)) = text.split_once('-')
        && (number.bytes().all(|byte| byte.is_ascii_digit()) || number_word(&number.to_lowercase()).is_some())
        && (number.starts_with(|letter: char| letter.is_ascii_digit()) && is_plain_word(unit)
            || ["day", "week", "month", "quarter", "year", "hour", "minute"]
                .contains(&unit.to_lowercase().as_str()))
    {
        let middle = start + number.len();
        let kind = match number.starts_with(|letter: char| letter.is_ascii_digit()) {
            true => TokenKind::Number,
            false => TokenKind::Word,
        };
        tokens.push(token(number, kind, start, middle));
        tokens.push(token(unit, TokenKind::Word, middle + 1, end));
        return;
    }
    // *july-sept* are two months, and no word.
    if let Some((one, other)) = text.split_once(['-', '/'])
        && super::dates::month(one).is_some()
        && super::dates::month(other).is_some()
    {
        let middle = start + one.len();
        let dash = text.get(one.len()..=one.len()).unwrap_or_default();
        tokens.push(token(one, TokenKind::Word, start, middle));
        tokens.push(token(dash, TokenKind::Mark, middle, middle + 1));
        tokens.push(token(other, TokenKind::Word, middle + 1, end));
        return;
    }
    if lower == "cannot" {
        tokens.push(token("can", TokenKind::Word, start, end));
        tokens.push(token("not", TokenKind::Word, start, end));
        return;
    }
    tokens.push(token(text, kind, start, end));
}

/// True for a word in small letters that is long enough to be no part of a code: `bedroom`, and not `th`.
fn is_plain_word(text: &str) -> bool {
    text.len() > 2 && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn token(text: &str, kind: TokenKind, start: usize, end: usize) -> Token {
    let lower = fold(text);
    let (stem, root) = match kind {
        TokenKind::Word => (stem(text), root(text)),
        _ => (lower.clone(), lower.clone()),
    };
    Token { text: text.to_owned(), lower, stem, root, kind, start, end, is_stretched: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Question::new(text).tokens.into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn a_return_is_a_noun_where_nobody_asks_for_something() {
        let word = |text: &str, at: usize| Question::new(text).word(at).to_owned();
        assert_eq!(word("return rate by category", 0), "returns");
        assert_eq!(word("orders per return reason", 2), "returns");
        assert_eq!(word("return all orders", 0), "return");
        assert_eq!(word("find the orders and return their number", 4), "return");
    }

    #[test]
    fn words_numbers_quotes_and_marks() {
        assert_eq!(
            words("Please list Bob's orders over 1,200.50, named 'New York' or \"x\"."),
            ["list", "Bob", "'s", "orders", "over", "1,200.50", ",", "named", "New York", "or", "x", "."]
        );
        assert_eq!(words("Who doesn't?"), ["Who", "does", "not", "?"]);
        assert_eq!(words("on 2019-05-01 t-shirt"), ["on", "2019-05-01", "t-shirt"]);
        assert_eq!(words("7-day 3-star 5-HT"), ["7", "day", "3", "star", "5-HT"]);
        assert_eq!(words("july-sept 2026, sun-dried"), ["july", "-", "sept", "2026", ",", "sun-dried"]);
    }

    #[test]
    fn hostile_text_is_only_text() {
        for text in ["", "'", "\"", "''''", "\u{0}\u{7f}", "é'", "’’’", "1.", "1,,2"] {
            let _ = Question::new(text);
        }
        assert!(Question::new(&"word ".repeat(100_000)).tokens.len() <= MAX_TOKENS);
    }
}
