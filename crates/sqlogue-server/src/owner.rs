//! Whose a request is: tokens, and the conversations that belong to them.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use sqlogue_base::secret::Secret;
use subtle::ConstantTimeEq as _;

/// Ids of stored conversations begin with it where they belong to a token.
const MARK: char = '@';

/// Conversations that were shared to be read are nobody's.
const SHARED: &str = "@shared/";

/// A token shorter than this can be guessed.
const SHORTEST: usize = 16;

/// Who asks. Conversations of one owner do not exist for another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// Whoever can reach a server without tokens: those at this machine.
    Local,
    /// Who holds a token, by its name.
    Token(String),
}

impl Owner {
    /// The id under which a conversation of this owner is stored; none where no conversation has such an id.
    pub(crate) fn stored(&self, id: &str) -> Option<String> {
        let fits = !id.is_empty() && id.len() <= 120 && !id.contains(char::is_control);
        match self {
            _ if !fits => None,
            Self::Local => (!id.starts_with(MARK)).then(|| id.to_owned()),
            Self::Token(name) => Some(format!("{MARK}{name}/{id}")),
        }
    }

    /// The id that its owner knows a stored conversation by; none where it is somebody else's.
    pub(crate) fn shown<'a>(&self, stored: &'a str) -> Option<&'a str> {
        match self {
            Self::Local => (!stored.starts_with(MARK)).then_some(stored),
            Self::Token(name) => stored.strip_prefix(MARK)?.strip_prefix(name.as_str())?.strip_prefix('/'),
        }
    }

    /// What the ids of all its stored conversations begin with, where that says it.
    pub(crate) fn begins(&self) -> Option<String> {
        match self {
            Self::Local => None,
            Self::Token(name) => Some(format!("{MARK}{name}/")),
        }
    }
}

/// The id under which something shared is stored.
pub(crate) fn shared(key: &str) -> String {
    format!("{SHARED}{key}")
}

/// The tokens that a server takes.
#[derive(Debug, Clone, Default)]
pub struct Tokens {
    known: Vec<Token>,
}

#[derive(Debug, Clone)]
struct Token {
    name: String,
    digest: [u8; 32],
}

/// Why tokens cannot be used. No message holds a part of one.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TokenError {
    /// A token can be guessed.
    #[error(
        "the token in line {line} is too short (hint: a token has {SHORTEST} characters or more; \
         `openssl rand -hex 24` makes one)"
    )]
    Short {
        /// The line.
        line: usize,
    },
    /// A line has more than a name and a token.
    #[error("line {line} is no token (hint: write a token in each line, or a name, a space and a token)")]
    Line {
        /// The line.
        line: usize,
    },
    /// A name cannot be part of an id.
    #[error(
        "the name in line {line} is none (hint: use letters, digits, `-`, `_` and `.`; `shared` is taken)"
    )]
    Name {
        /// The line.
        line: usize,
    },
    /// Two lines say the same.
    #[error("the name or the token in line {line} was there before")]
    Twice {
        /// The line.
        line: usize,
    },
    /// There is none.
    #[error("there is no token in it")]
    None,
}

impl Tokens {
    /// Reads tokens, one a line: `TOKEN`, or `NAME TOKEN`. Conversations belong to the name, so a token with a name can be
    /// replaced and its holder keeps them. Empty lines and those that begin with `#` say nothing.
    ///
    /// # Errors
    /// [`TokenError`], by the number of the line.
    pub fn read(text: &str) -> Result<Self, TokenError> {
        let mut known: Vec<Token> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let mut words = text.split_whitespace();
            let (name, token) = match (words.next(), words.next(), words.next()) {
                (None, ..) => continue,
                (Some(word), ..) if word.starts_with('#') => continue,
                (Some(token), None, _) => (None, token),
                (Some(name), Some(token), None) => (Some(name), token),
                _ => return Err(TokenError::Line { line }),
            };
            if token.chars().count() < SHORTEST {
                return Err(TokenError::Short { line });
            }
            let digest = digest(token);
            let name = name.map_or_else(|| short(&digest), str::to_owned);
            if !is_name(&name) {
                return Err(TokenError::Name { line });
            }
            if known.iter().any(|token| token.name == name || token.digest == digest) {
                return Err(TokenError::Twice { line });
            }
            known.push(Token { name, digest });
        }
        if known.is_empty() { Err(TokenError::None) } else { Ok(Self { known }) }
    }

    /// One token without a name.
    ///
    /// # Errors
    /// [`TokenError::Short`].
    pub fn of(token: &Secret) -> Result<Self, TokenError> {
        Self::read(token.expose().trim())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Who holds this token. It takes as long for a wrong one as for a right one: digests are compared, all of them, and
    /// each in constant time.
    pub(crate) fn owner(&self, presented: &str) -> Option<Owner> {
        let presented = digest(presented);
        let mut found = None;
        for token in &self.known {
            if bool::from(token.digest.ct_eq(&presented)) {
                found = Some(token);
            }
        }
        found.map(|token| Owner::Token(token.name.clone()))
    }
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 60 && name != "shared" && name.chars().all(fits)
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// A name for who has none: it says nothing of the token that a digest does not.
fn short(digest: &[u8; 32]) -> String {
    digest.iter().take(8).fold(String::with_capacity(16), |mut name, byte| {
        // Writing to a String cannot fail.
        let _ = write!(name, "{byte:02x}");
        name
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "0123456789abcdef0123";

    #[test]
    fn a_token_is_known_by_its_whole_text() {
        let tokens = Tokens::read(&format!("# people\n\nann {LONG}a\n{LONG}b\n")).unwrap();
        assert_eq!(tokens.owner(&format!("{LONG}a")), Some(Owner::Token("ann".to_owned())));
        assert!(matches!(tokens.owner(&format!("{LONG}b")), Some(Owner::Token(name)) if name.len() == 16));
        for wrong in ["", LONG, "ann", &format!("{LONG}a "), &format!("{LONG}aa")] {
            assert_eq!(tokens.owner(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_by_its_line() {
        for (text, error) in [
            (String::new(), TokenError::None),
            ("# a\nshort".to_owned(), TokenError::Short { line: 2 }),
            (format!("a b {LONG}"), TokenError::Line { line: 1 }),
            (format!("a/b {LONG}"), TokenError::Name { line: 1 }),
            (format!("shared {LONG}"), TokenError::Name { line: 1 }),
            (format!("a {LONG}\na {LONG}x"), TokenError::Twice { line: 2 }),
        ] {
            let found = Tokens::read(&text).unwrap_err();
            assert_eq!(found, error);
            assert!(!found.to_string().contains(LONG));
        }
    }

    #[test]
    fn no_id_leads_to_another_owner() {
        let (ann, anna) = (Owner::Token("ann".to_owned()), Owner::Token("anna".to_owned()));
        for id in ["x", "../anna/x", "@anna/x", "a/x"] {
            let stored = ann.stored(id).unwrap();
            assert_eq!(ann.shown(&stored), Some(id));
            assert_eq!((anna.shown(&stored), Owner::Local.shown(&stored)), (None, None), "{id}");
        }
        assert_eq!(Owner::Local.stored("@ann/x"), None);
        assert_eq!(Owner::Local.stored("sales").as_deref(), Some("sales"));
    }
}
