//! Cues: words that give a question its structure rather than name something in the database.

use sqlogue_sql::plan::{Aggregate, Comparison, Direction};

/// What a cue phrase says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cue {
    /// A request: *show*, *list*, *what are*.
    Show,
    /// *which*: what follows is asked for.
    Which,
    /// *who*: a person is asked for.
    Who,
    /// *how many*, *number of*.
    HowMany,
    /// *how much*.
    HowMuch,
    /// A summary: *average*, *total*.
    Aggregate(Aggregate),
    /// *for each*, *per*.
    Each,
    /// *sorted by*.
    OrderBy,
    /// *in descending order*; alphabetical order is ascending.
    Direction(Direction),
    /// *alphabetically*: ascending, by a text.
    Alphabetical,
    /// *more than*, *before*.
    Compare(Comparison),
    /// *older than*: which way depends on the column, by the adjective's number in the lexicon.
    Comparative(usize),
    /// *or more*, after a number.
    OrBeyond(Comparison),
    /// *other than*.
    NotEqual,
    /// *equal to*, *named*.
    Equal,
    /// *between*.
    Between,
    /// *containing*.
    Contains,
    /// *starting with*.
    StartsWith,
    /// *ending with*.
    EndsWith,
    /// *highest* (descending), *lowest* (ascending); with an adjective's number, *oldest*.
    Superlative(Direction, Option<usize>),
    /// *the most*: by a number, or by how many.
    Most(Direction),
    /// *most common*: by how many.
    MostCommon(Direction),
    /// *first*, *last*: an ordinal, or part of a name.
    Ordinal(Direction),
    /// *distinct*, *different*.
    Distinct,
    /// *both*.
    Both,
    /// *either*.
    Either,
    /// *neither*.
    Neither,
    /// *nor*.
    Nor,
    /// *and*.
    And,
    /// *or*.
    Or,
    /// *but*.
    But,
    /// A comma.
    Comma,
    /// The end of a sentence.
    Stop,
    /// *whose*.
    Whose,
    /// *who*, *that*, *with*: a description follows.
    Relative,
    /// *not*, *without*.
    Not,
    /// *all*.
    All,
    /// *all information*.
    Details,
    /// *is*, *are*.
    Be,
    /// *has*, *have*, *do*.
    Have,
    /// *times*, after a number.
    Times,
    /// *once*.
    Once,
    /// *any*, *at least one*.
    Any,
    /// *missing*.
    Null,
    /// *difference between*.
    Difference,
    /// *ratio of*.
    Ratio,
    /// *percentage of*.
    Percentage,
    /// *the same*.
    Same,
    /// *revenue*, *turnover*.
    Revenue,
}

impl Cue {
    /// The cue of a line's kind in `data/cues.tsv`.
    pub fn named(kind: &str) -> Option<Self> {
        use Direction::{Ascending, Descending};
        Some(match kind {
            "show" | "what" => Self::Show,
            "which" => Self::Which,
            "who" => Self::Who,
            "how_many" => Self::HowMany,
            "how_much" => Self::HowMuch,
            "avg" | "average_of" => Self::Aggregate(Aggregate::Avg),
            "sum" => Self::Aggregate(Aggregate::Sum),
            "max" => Self::Aggregate(Aggregate::Max),
            "min" => Self::Aggregate(Aggregate::Min),
            "each" => Self::Each,
            "order_by" => Self::OrderBy,
            "ascending" | "chronological" => Self::Direction(Ascending),
            "descending" => Self::Direction(Descending),
            "alphabetical" => Self::Alphabetical,
            "greater" => Self::Compare(Comparison::Greater),
            "at_least" => Self::Compare(Comparison::GreaterOrEqual),
            "less" => Self::Compare(Comparison::Less),
            "at_most" => Self::Compare(Comparison::LessOrEqual),
            "or_more" => Self::OrBeyond(Comparison::GreaterOrEqual),
            "or_less" => Self::OrBeyond(Comparison::LessOrEqual),
            "equal" => Self::Equal,
            "not_equal" => Self::NotEqual,
            "between" => Self::Between,
            "contains" => Self::Contains,
            "starts_with" => Self::StartsWith,
            "ends_with" => Self::EndsWith,
            "most" => Self::Most(Descending),
            "least" => Self::Most(Ascending),
            "most_common" => Self::MostCommon(Descending),
            "least_common" => Self::MostCommon(Ascending),
            "highest" => Self::Superlative(Descending, None),
            "lowest" => Self::Superlative(Ascending, None),
            "first" => Self::Ordinal(Ascending),
            "last" => Self::Ordinal(Descending),
            "distinct" => Self::Distinct,
            "both" => Self::Both,
            "either" => Self::Either,
            "neither" => Self::Neither,
            "nor" => Self::Nor,
            "and" => Self::And,
            "or" => Self::Or,
            "but" => Self::But,
            "comma" => Self::Comma,
            "stop" => Self::Stop,
            "whose" => Self::Whose,
            "relative" => Self::Relative,
            "not" => Self::Not,
            "all" => Self::All,
            "details" => Self::Details,
            "be" => Self::Be,
            "have" => Self::Have,
            "times" => Self::Times,
            "once" => Self::Once,
            "any" => Self::Any,
            "null" => Self::Null,
            "difference" => Self::Difference,
            "ratio" => Self::Ratio,
            "percentage" => Self::Percentage,
            "same" => Self::Same,
            "revenue" => Self::Revenue,
            _ => return None,
        })
    }
}
