//! What is wanted of an answer beside the question: its order, its size, its time.

use serde::{Deserialize, Serialize};

/// What a caller gives with a question and not in its words. It is applied to whatever the question becomes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wanted {
    /// How the rows are sorted, in words: `name`, `newest first`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort_order: Option<String>,
    /// At most this many rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_limit: Option<u64>,
    /// The time that is asked about, in words: `last month`, `since 2024`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_filter: Option<String>,
}

/// Longer words of an order or a time are cut here.
const LONGEST: usize = 300;

impl Wanted {
    /// True where nothing is wanted beside the question.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same without characters that control a terminal, cut to what is read, and without empty words.
    #[must_use]
    pub fn readable(self) -> Self {
        let clean = |words: String| {
            let words: String = words
                .chars()
                .map(|letter| if letter.is_control() { ' ' } else { letter })
                .take(LONGEST)
                .collect();
            Some(words.trim().to_owned()).filter(|words| !words.is_empty())
        };
        Self {
            sort_order: self.sort_order.and_then(clean),
            time_filter: self.time_filter.and_then(clean),
            ..self
        }
    }
}
