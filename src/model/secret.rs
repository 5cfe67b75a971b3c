//! Text that must not be shown.

use std::fmt;

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

/// Takes secrets out of texts that servers and libraries wrote.
#[derive(Clone, Default)]
pub(crate) struct Redactor {
    secrets: Vec<String>,
}

/// Shorter secrets would blank out ordinary words.
const SHORTEST_SECRET: usize = 4;

impl Redactor {
    /// Takes out these, and whatever looks like a key.
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
            .map(|word| if looks_like_a_key(word) { Secret::HIDDEN } else { word })
            .collect();
        let line = words.join(" ");
        match line.char_indices().nth(length) {
            Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }
}

/// Servers echo keys, often with a few characters blanked out, so the configured key alone is not enough.
fn looks_like_a_key(word: &str) -> bool {
    let word = word.trim_matches(|character: char| !character.is_ascii_alphanumeric());
    word.len() >= 12 && ["sk-", "sk_", "gsk_", "hf_", "AIza"].iter().any(|prefix| word.starts_with(prefix))
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
        assert_eq!(text, "bad key [hidden], or [hidden] [2J");
        assert_eq!(redactor.clean("aaaa bbbb", 4), "aaaa…");
    }
}
