//! What an input wants of the conversation: a new question, a change to the last one, an answer to what the
//! system asked, or a command.
//!
//! [`classify`] is a pure function of the input and a [`DialogContext`]; it takes microseconds, asks nobody, and
//! explains itself by [`Signal`]s. It works on the texts of the past turns alone and gets better with the
//! [`Vocabulary`] of the schema.
//!
//! ```
//! use sqlogue_language::intent::{DialogContext, Intent, PastTurn, classify};
//!
//! let context = DialogContext::new([PastTurn::answered("Show me all users", "SELECT * FROM users")]);
//! assert_eq!(classify("Only from last month", &context).intent, Intent::Refinement);
//! assert_eq!(classify("Show me all products", &context).intent, Intent::NewQuery);
//! ```
//!
//! The stages: `words` cuts the input, `command`, `spoken` and `correction` recognise what is not a question, `indicators`
//! are the rules promised word for word, `evidence` weighs how people really follow up, `classify` decides.

mod classify;
mod command;
mod context;
mod correction;
mod courtesy;
mod evidence;
mod indicators;
mod lexicon;
mod reference;
mod rule;
mod spoken;
mod vocabulary;
mod words;

pub use classify::classify;
pub use command::resets;
pub use context::{DialogContext, PastTurn, PendingQuestion};
pub use correction::is_correction;
pub use courtesy::{Courtesy, courtesy};
pub use lexicon::{is_slip_of, repaired};
pub use rule::{Rule, Signal};
pub use spoken::{Spoken, spoken};
pub use vocabulary::Vocabulary;

use serde::{Deserialize, Serialize};

use sqlogue_sql::plan::Confidence;

/// What an input wants of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// A question that stands on its own.
    NewQuery,
    /// A change to the last query, or a question about its answer.
    Refinement,
    /// An answer to the question that the system asked.
    Correction,
    /// An order to the session (`/clear`), not a question.
    Command,
}

/// An intent with how sure it is and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Classification {
    /// What the input wants.
    pub intent: Intent,
    /// How sure that is.
    pub confidence: Confidence,
    /// The rules that fired, those for the intent and those against it.
    pub signals: Vec<Signal>,
}

impl Intent {
    /// The name as written in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::NewQuery => "new_query",
            Self::Refinement => "refinement",
            Self::Correction => "correction",
            Self::Command => "command",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Labelled {
        history: Vec<Past>,
        input: String,
        label: Intent,
    }

    #[derive(Deserialize)]
    struct Past {
        input: String,
        sql: String,
    }

    #[test]
    fn at_least_95_of_our_100_labelled_inputs_are_right() {
        let rows: Vec<Labelled> = include_str!("../../../../tests/data/intent.jsonl")
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(rows.len(), 100);
        let wrong: Vec<String> = rows
            .iter()
            .filter_map(|row| {
                let turns = row.history.iter().map(|past| PastTurn::answered(&past.input, &past.sql));
                let result = classify(&row.input, &DialogContext::new(turns));
                (result.intent != row.label).then(|| format!("{}: {result:?}", row.input))
            })
            .collect();
        assert!(wrong.len() <= 5, "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn any_input_is_classified() {
        let context = DialogContext::new([PastTurn::answered("'\u{0}İ ’s", "SELECT '\" FROM [é")]);
        for input in ["", " ", "\u{0}", "’", "/", "{", "İİ?", "どの顧客ですか", &"how ".repeat(200_000)]
        {
            let _ = classify(input, &context);
            let _ = classify(input, &context.clone().with_pending([String::new()]));
        }
    }
}
