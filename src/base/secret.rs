//! Text that must not be shown: keys, and the passwords in addresses.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize, Serializer};

/// A key. It is shown as `[hidden]`, by `Debug` and when it is written to a file.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// What is shown in place of a key.
    pub const HIDDEN: &'static str = "[hidden]";

    /// Hides a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// True where there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.trim().is_empty()
    }

    /// The key itself, for the one place that sends it.
    pub(crate) fn expose(&self) -> &str {
        self.0.trim()
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "\"\"" } else { Self::HIDDEN })
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if self.is_empty() { "" } else { Self::HIDDEN })
    }
}

/// Takes the secrets of the settings out of texts that servers and libraries wrote.
#[derive(Clone, Default)]
pub(crate) struct Redactor {
    secrets: Vec<String>,
}

/// Shorter secrets would blank out ordinary words.
const SHORTEST_SECRET: usize = 4;

impl Redactor {
    /// Takes out these, and whatever [`redact`] recognises.
    pub(crate) fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let secrets = secrets.into_iter().map(|secret| secret.trim().to_owned());
        Self { secrets: secrets.filter(|secret| secret.len() >= SHORTEST_SECRET).collect() }
    }

    /// The text on one line, without secrets and control characters, at most `length` characters long.
    pub(crate) fn clean(&self, text: &str, length: usize) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            text = text.replace(secret.as_str(), Secret::HIDDEN);
        }
        let words: Vec<&str> = text
            .split(|character: char| character.is_whitespace() || character.is_control())
            .filter(|word| !word.is_empty())
            .collect();
        let line = redact(&words.join(" ")).into_owned();
        match line.char_indices().nth(length) {
            Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }
}

/// The text without what looks like a secret: the password in an address (`scheme://user:password@host`, with or without
/// the scheme), `password=…` and the like, keys as the well-known services make them, `Bearer …`, and private keys.
///
/// It is the one function that stands between a message and a secret in it. It knows no settings, so it takes out rather too
/// much than too little.
pub(crate) fn redact(text: &str) -> Cow<'_, str> {
    let mut hidden: Vec<Range<usize>> = Vec::new();
    let mut before = ["", ""];
    for word in words(text) {
        let found = text.get(word.clone()).unwrap_or_default();
        // `Authorization: Basic KEY`, or `Bearer` and a word that is no ordinary one.
        let [header, scheme] = before;
        let is_long = found.len() >= SHORTEST_KEY;
        if header.to_ascii_lowercase().ends_with("authorization:")
            || scheme.eq_ignore_ascii_case("bearer") && is_long
        {
            hidden.push(word.clone());
        }
        before = [scheme, found];
        let at = |range: Range<usize>| word.start + range.start..word.start + range.end;
        hidden.extend(password_of_address(found).map(at));
        hidden.extend(keys(found).into_iter().map(at));
    }
    hidden.extend(assigned(text));
    hidden.extend(private_keys(text));
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    hidden.sort_by_key(|range| (range.start, range.end));
    let mut shown = String::with_capacity(text.len());
    let mut end = 0;
    for range in hidden {
        if range.start >= end {
            shown.push_str(text.get(end..range.start).unwrap_or_default());
            shown.push_str(Secret::HIDDEN);
        }
        end = end.max(range.end);
    }
    shown.push_str(text.get(end..).unwrap_or_default());
    Cow::Owned(shown)
}

/// Whether there is a secret in a text.
pub(crate) fn holds_secret(text: &str) -> bool {
    matches!(redact(text), Cow::Owned(_))
}

/// The places of the words between white space.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = text.get(from..)?;
        let start = from + rest.find(|character: char| !character.is_whitespace())?;
        let rest = text.get(start..)?;
        let end = start + rest.find(char::is_whitespace).unwrap_or(rest.len());
        from = end;
        Some(start..end)
    })
}

/// What stands between the first colon after the scheme and the last `@`.
fn password_of_address(word: &str) -> Option<Range<usize>> {
    let end = word.rfind('@')?;
    let before = word.get(..end)?;
    // A password may hold slashes that should have been written otherwise, so the scheme is what has slashes behind it.
    let user = match before.find(":/") {
        Some(colon) => {
            let rest = before.get(colon + 1..)?;
            colon + 1 + rest.find(|character| character != '/').unwrap_or(rest.len())
        }
        None => 0,
    };
    let start = user + before.get(user..)?.find(':')? + 1;
    (start < end).then_some(start..end)
}

/// Names before an `=` whose value is a secret, in lower case and without `_` and `-`.
const NAMES: [&str; 10] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
];

/// The values of `password=…`, `api_key = "…"` and the like.
fn assigned(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (equals, _) in text.match_indices('=') {
        let before = text.get(..equals).unwrap_or_default().trim_end_matches([' ', '"', '\'']);
        let name: String = before
            .chars()
            .rev()
            .take_while(|character| character.is_alphanumeric() || matches!(character, '_' | '-'))
            .filter(|character| character.is_alphanumeric())
            .collect();
        let name: String = name.chars().rev().flat_map(char::to_lowercase).collect();
        if !NAMES.iter().any(|known| name.ends_with(known)) {
            continue;
        }
        let after = text.get(equals + 1..).unwrap_or_default();
        let value = after.trim_start_matches(' ');
        let start = equals + 1 + after.len() - value.len();
        let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
        let range = match quote {
            Some(quote) => {
                let inner = value.get(1..).unwrap_or_default();
                start + 1..start + 1 + inner.find(quote).unwrap_or(inner.len())
            }
            None => {
                let end = value
                    .find(|c: char| c.is_whitespace() || matches!(c, '&' | ';' | '`' | '"' | '\'' | ','));
                start..start + end.unwrap_or(value.len())
            }
        };
        if !range.is_empty() {
            found.push(range);
        }
    }
    found
}

/// How the keys of well-known services begin. Servers echo them, often with a few characters blanked out, so the configured
/// key alone is not enough.
const KEYS: [&str; 15] = [
    "sk-",
    "sk_",
    "gsk_",
    "hf_",
    "AIza",
    "ya29.",
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "eyJ",
];

/// A shorter word that begins like a key is an ordinary one.
const SHORTEST_KEY: usize = 12;

/// The keys in a word, which may stand in quotes or behind other text.
fn keys(word: &str) -> Vec<Range<usize>> {
    let is_part =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.' | '*');
    let mut found = Vec::new();
    let mut from = 0;
    for part in word.split_inclusive(|character| !is_part(character)) {
        let key = part.trim_end_matches(|character| !is_part(character));
        if key.len() >= SHORTEST_KEY && KEYS.iter().any(|begin| key.starts_with(begin)) {
            found.push(from..from + key.len());
        }
        from += part.len();
    }
    found
}

/// Private keys as files hold them.
fn private_keys(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices("-----BEGIN ") {
        let rest = text.get(start..).unwrap_or_default();
        let end = match rest.find("-----END ") {
            Some(end) => end + rest.get(end..).and_then(|tail| tail.find('\n')).unwrap_or(rest.len() - end),
            None => rest.len(),
        };
        if rest.lines().next().is_some_and(|line| line.contains("PRIVATE KEY")) {
            found.push(start..start + end);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_shown() {
        let secret = Secret::new("sk-very-secret");
        assert_eq!(format!("{secret:?}"), "[hidden]");
        assert_eq!(serde_json::to_string(&secret).unwrap(), "\"[hidden]\"");
        assert_eq!(serde_json::from_str::<Secret>("\"abc\"").unwrap().expose(), "abc");
    }

    #[test]
    fn texts_lose_keys_lines_and_length() {
        let redactor = Redactor::new(["topsecret"]);
        let text = redactor.clean("bad key\ntopsecret, or 'sk-proj-****************abcd'\u{1b}[2J", 200);
        assert_eq!(text, "bad key [hidden], or '[hidden]' [2J");
        assert_eq!(redactor.clean("aaaa bbbb", 4), "aaaa…");
    }

    #[test]
    fn messages_lose_passwords_and_keys() {
        for (text, shown) in [
            ("no database at `postgres:/u:PW@h`", "no database at `postgres:/u:[hidden]@h`"),
            ("postgres://ada:p:w/x@y@db.example/shop?a=b", "postgres://ada:[hidden]@db.example/shop?a=b"),
            ("postgres://:PW@h", "postgres://:[hidden]@h"),
            ("ada:PW@db.example/shop", "ada:[hidden]@db.example/shop"),
            ("host=h password=PW user=u", "host=h password=[hidden] user=u"),
            ("host=h password='P W' user=u", "host=h password='[hidden]' user=u"),
            ("postgres://h/x?sslpassword=PW&a=b", "postgres://h/x?sslpassword=[hidden]&a=b"),
            ("api_key = \"PW\" # mine", "api_key = \"[hidden]\" # mine"),
            ("Authorization: Basic PW12", "Authorization: Basic [hidden]"),
            ("bearer 0123456789abcdef", "bearer [hidden]"),
            ("the key `sk-1234567890ab` is wrong", "the key `[hidden]` is wrong"),
            ("x -----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\ny", "x [hidden]\ny"),
        ] {
            assert_eq!(redact(text), shown);
            assert!(holds_secret(text), "{text}");
        }
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "postgres://ada@db.example:5432/shop",
            "mail bob@example.com: the key of orders",
            "SELECT a FROM t WHERE key = 'x' AND b = 12",
            "at 10:30 in `shop.db`: no such column: total",
            "it asks for a password",
            "the authorization was refused",
            "a basic question of the bearer",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}
