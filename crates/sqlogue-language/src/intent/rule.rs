//! The rules, and what each weighs.

use serde::{Deserialize, Serialize};

/// One rule that fired, and the words it fired on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// Which rule.
    pub rule: Rule,
    /// The words, or what was seen in them.
    pub evidence: String,
}

impl Signal {
    /// A rule that fired, and the words it fired on.
    pub fn new(rule: Rule, evidence: impl Into<String>) -> Self {
        Self { rule, evidence: evidence.into() }
    }
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal, $weight:literal;)+) => {
        /// A rule of the classifier.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Rule {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The name as written in JSON.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            /// What the rule adds to the evidence: above zero for a refinement, below zero for a new question.
            ///
            /// Zero for rules that decide on their own.
            pub(super) fn weight(self) -> i32 {
                match self {
                    $(Self::$name => $weight,)+
                }
            }
        }
    };
}

// The weights are tenths of the logarithm of the odds, fitted on labelled conversations and then rounded by hand.
rules! {
    /// There is no answered query that could be refined.
    NoPreviousQuery = "no_previous_query", 0;
    /// `/new`, `new query`, `start over`.
    Reset = "reset", 0;
    /// A word after a slash.
    Command = "command", 0;
    /// It answers the open question.
    AnswersPending = "answers_pending", 0;
    /// There is nothing in it.
    Empty = "empty", 0;
    /// A language model was asked, and decided.
    Model = "model", 0;

    /// It starts with `only`, `also`, `add`, `sort by`, …
    RefinementKeyword = "refinement_keyword", 0;
    /// Such a word stands inside.
    RefinementKeywordInside = "refinement_keyword_inside", 0;
    /// `too many`, `wrong`, `show … too`.
    ModifyingPhrase = "modifying_phrase", 0;
    /// At most five words, none of which starts a new question.
    ShortInput = "short_input", 0;
    /// It starts with `show`, `what`, `how many`, …
    QuestionWord = "question_word", 0;
    /// More than five words.
    CompleteQuestion = "complete_question", 0;

    /// `they`, `its`, with nothing before it that it could stand for.
    Anaphora = "anaphora", 38;
    /// `those`, `these`, `that list`, `the ones`.
    Demonstrative = "demonstrative", 36;
    /// `of them`, `among these`, `the results`, `the same`.
    SetReference = "set_reference", 16;
    /// `they`, with a noun before it that it may stand for.
    AnaphoraInside = "anaphora_inside", 7;
    /// `what about`, `how about`, `same for`.
    Ellipsis = "ellipsis", 20;
    /// It starts in the middle: `for each`, `with`, `in`, `the`.
    Fragment = "fragment", 16;
    /// No word names anything: `which is the oldest?`.
    NoSubject = "no_subject", 21;
    /// It ends in `for each`.
    BareEach = "bare_each", 15;
    /// It starts by going on: `now`, `and`.
    GoesOn = "goes_on", 12;
    /// It goes on somewhere inside: `as well`, `now`.
    GoesOnInside = "goes_on_inside", 12;
    /// It starts with a verb that sorts: `order`, `rank`.
    OrderVerb = "order_verb", 10;
    /// It starts with a verb that changes: `limit`, `include`.
    ChangeVerb = "change_verb", 20;
    /// It says the last question again, with something more.
    ExtendsPrevious = "extends_previous", 9;
    /// It starts like the last question and differs in a word.
    SameShape = "same_shape", 7;
    /// It asks for a column that the last query shows.
    NamesPreviousColumn = "names_previous_column", 14;
    /// It names a value of the last query.
    NamesPreviousValue = "names_previous_value", 5;
    /// It names a table of an earlier query.
    NamesEarlierTable = "names_earlier_table", 18;
    /// It says the last question again, with something less.
    DropsCondition = "drops_condition", 6;
    /// It is long, as questions with conditions are.
    Long = "long", 5;
    /// It has a condition, an ordering or a superlative.
    HasCondition = "has_condition", 11;

    /// It names a table of the last query.
    NamesPreviousTable = "names_previous_table", -5;
    /// It asks which of a kind: `which customers`.
    WhichSubject = "which_subject", -10;
    /// It names a column of a table that the last query does not use.
    NamesOtherColumn = "names_other_column", -8;
    /// It names a table that the last query does not use.
    NamesOtherTable = "names_other_table", -7;
    /// It speaks of all or each of a kind.
    WholeSet = "whole_set", -19;
    /// It says what to count or list: `how many orders`, `names of customers`.
    NamedSubject = "named_subject", -11;
    /// It lists something without a condition.
    PlainListing = "plain_listing", -5;
    /// Most of its names are in neither the last query nor the last question.
    NewWords = "new_words", -6;
    /// Every table of the last query is named again, so nothing needs to be carried over.
    RepeatsAllTables = "repeats_all_tables", -12;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_json_names() {
        for rule in Rule::ALL {
            assert_eq!(serde_json::to_string(rule).unwrap(), format!("\"{}\"", rule.name()));
        }
    }
}
