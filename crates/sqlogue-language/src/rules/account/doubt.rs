//! What may speak against an answer, in words for people.

use std::fmt;

use sqlogue_sql::plan::QueryPlan;

/// A reason to doubt an answer that accounts for all words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// Somebody is asked for, and what is shown is no name.
    NoName,
    /// A sum or a mean counts rows of a table as often as a joined table has rows for them.
    CountedTwice,
    /// One of several dates was taken, and no word says which.
    AnyDate {
        /// The date that was taken.
        taken: String,
    },
    /// Rows are said to be the best, and no word says by what.
    AnyOrder,
    /// Words were taken for a value that no cell has, or that are hardly ever one.
    GuessedValue {
        /// The words.
        words: String,
    },
    /// One thing is asked for, and all rows are listed.
    ListForOne,
    /// Several things are asked for that come first, and only one is shown.
    OneOfSeveral,
    /// Two words beside each other were taken for two columns.
    TwoForOne {
        /// The words.
        words: String,
    },
    /// Something that another table describes is asked for, and only its key is shown.
    OnlyKey {
        /// The word for it.
        word: String,
    },
    /// Rows are asked for, and nothing of them is shown.
    NotShown {
        /// The word for them.
        word: String,
    },
    /// A word names a table and a number in it, and only the table was taken.
    TableForNumber {
        /// The word.
        word: String,
    },
    /// Rows are grouped by a column that a condition fixes, so that there is one group.
    FixedKey,
    /// A column is summarised in groups that are made by that very column.
    SummarisedKey,
    /// What was shown before is gone, and nobody asked for that.
    LostColumns,
    /// What restricted the rows before does not any longer, and nobody asked for that.
    LostConditions,
    /// Something was to come instead, and it came on top.
    NotReplaced,
    /// The query is the same as before.
    NothingChanged,
    /// A query that computes more than it shows was changed, and it is not known how often that is right.
    ChangedAnalysis,
    /// A word may name several columns of a table alike, and one was taken.
    AnyColumn {
        /// The word.
        word: String,
        /// The column that was taken.
        taken: String,
    },
    /// An adjective may speak of several columns of a table alike, and one was taken.
    AnyMeasured {
        /// The adjective.
        word: String,
        /// The column that was taken.
        taken: String,
    },
    /// A word may speak of several tables, and one was taken.
    AnyTable {
        /// The word.
        word: String,
        /// The table that was taken.
        taken: String,
    },
    /// Rows of several tables may tell when something was done, and those of one were taken.
    AnyEvent {
        /// The table that was taken.
        taken: String,
    },
    /// A word names no table, and all rows of one were taken.
    WholeTable {
        /// The word.
        word: String,
        /// The table that was taken.
        taken: String,
    },
    /// A word that names nothing was taken for something that is only near it in meaning.
    Stretched {
        /// The word.
        word: String,
    },
    /// The number of something is asked for beside other numbers, and not shown.
    LostCount {
        /// What was to be counted.
        word: String,
    },
    /// A time is compared with a column, and it is not told in which unit that is.
    AnyUnit {
        /// The column that was taken.
        taken: String,
    },
    /// Values are compared with those before them, and no word says by which unit of time.
    AnyPeriod,
    /// Groups are named, but not what is counted or summed for each.
    AnyMeasure,
    /// Rows that are money are counted for a share, and no word says whether their number or their total is meant.
    CountedMoney,
    /// Rows are brought together that have nothing in common but what both belong to.
    OnlyParent,
    /// One of several ways to join two tables was taken, and no word says which.
    AnyRole {
        /// The column that refers.
        taken: String,
    },
    /// Nothing is shown but what the question says itself.
    Echo,
    /// What will happen is asked for, and a date tells what has happened.
    Foretold {
        /// The date.
        taken: String,
    },
    /// A number before something that is counted was taken for how many rows are shown.
    SizeForLimit {
        /// The number and what is counted.
        words: String,
    },
    /// Another reading is nearly as likely.
    Rival {
        /// What that reading shows.
        shows: String,
    },
    /// No single thing speaks against it, and too many such answers are wrong.
    Unlikely {
        /// Of 100 such answers so many are wrong.
        percent: u8,
    },
}

/// A reading that is half as likely as the best is nearly as likely, as far as a person cares.
const NEARLY: f32 = 0.5;

/// A reading that takes more bytes to say tells nobody anything in a line.
const SHORT: usize = 120;

/// True where two plans differ in nothing but the columns that they show, as far as can be seen without running them.
fn are_of_same_rows(one: &QueryPlan, other: &QueryPlan) -> bool {
    let tables = |plan: &QueryPlan| {
        let mut names: Vec<String> = plan.tables().into_iter().map(|used| used.table.clone()).collect();
        names.sort_unstable();
        names
    };
    let sums_up = |plan: &QueryPlan| {
        let is_grouped = !plan.select.group_by.is_empty();
        is_grouped || plan.select.projection.iter().any(|shown| shown.expr.is_aggregate())
    };
    let (a, b) = (&one.select, &other.select);
    (&a.filter, &a.having, a.group_by.is_empty(), sums_up(one))
        == (&b.filter, &b.having, b.group_by.is_empty(), sums_up(other))
        && (&one.order_by, one.limit, one.offset, &one.set_operations, &one.with)
            == (&other.order_by, other.limit, other.offset, &other.set_operations, &other.with)
        && tables(one) == tables(other)
}

impl Doubt {
    /// The doubt about an answer that is not sure although nothing speaks against it: the reading that comes next, where
    /// that is nearly as likely and has other rows, with how likely both are.
    pub fn of_likelihood((best, probability): (&QueryPlan, f32), next: Option<(&QueryPlan, f32)>) -> Self {
        let near = next.filter(|(plan, next)| *next >= NEARLY * probability && !are_of_same_rows(best, plan));
        match near.map(|(plan, _)| format!("{plan:#}")).filter(|shows| shows.len() <= SHORT) {
            Some(shows) => Self::Rival { shows },
            None => Self::Unlikely { percent: (100.0 - probability.clamp(0.0, 1.0) * 100.0).round() as u8 },
        }
    }

    /// True where a word may mean several things, and the likeliest was taken: the plan does all that the words ask for, so how
    /// likely it is decides how sure it is.
    pub fn is_choice(&self) -> bool {
        matches!(
            self,
            Self::AnyDate { .. }
                | Self::AnyColumn { .. }
                | Self::AnyMeasured { .. }
                | Self::AnyTable { .. }
                | Self::AnyEvent { .. }
                | Self::WholeTable { .. }
                | Self::AnyUnit { .. }
                | Self::AnyRole { .. }
                | Self::Stretched { .. }
        )
    }

    /// What kind of doubt it is, in two or three words.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoName => "no name",
            Self::CountedTwice => "counted twice",
            Self::AnyDate { .. } => "any date",
            Self::AnyOrder => "any order",
            Self::GuessedValue { .. } => "guessed value",
            Self::ListForOne => "list for one",
            Self::OneOfSeveral => "one of several",
            Self::TwoForOne { .. } => "two for one",
            Self::OnlyKey { .. } => "only key",
            Self::NotShown { .. } => "not shown",
            Self::TableForNumber { .. } => "table for number",
            Self::FixedKey => "fixed key",
            Self::SummarisedKey => "summarised key",
            Self::LostColumns => "lost columns",
            Self::LostConditions => "lost conditions",
            Self::NotReplaced => "not replaced",
            Self::NothingChanged => "nothing changed",
            Self::ChangedAnalysis => "changed analysis",
            Self::AnyColumn { .. } => "any column",
            Self::AnyMeasured { .. } => "any measured",
            Self::AnyTable { .. } => "any table",
            Self::AnyEvent { .. } => "any event",
            Self::WholeTable { .. } => "whole table",
            Self::Stretched { .. } => "stretched",
            Self::LostCount { .. } => "lost count",
            Self::AnyUnit { .. } => "any unit",
            Self::AnyPeriod => "any period",
            Self::AnyMeasure => "any measure",
            Self::CountedMoney => "counted money",
            Self::OnlyParent => "only parent",
            Self::AnyRole { .. } => "any role",
            Self::Echo => "echo",
            Self::Foretold { .. } => "foretold",
            Self::SizeForLimit { .. } => "size for limit",
            Self::Rival { .. } => "rival",
            Self::Unlikely { .. } => "unlikely",
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName => write!(f, "somebody is asked for, and what is shown is no name"),
            Self::CountedTwice => {
                write!(f, "rows may be counted more than once, because a joined table has several for each")
            }
            Self::AnyDate { taken } => write!(f, "no word says which date is meant; {taken} was taken"),
            Self::AnyOrder => write!(f, "no word says by what the rows are ranked"),
            Self::GuessedValue { words } => {
                write!(f, "`{words}` was taken for a value, which is no more than a guess")
            }
            Self::ListForOne => write!(f, "one thing is asked for, and all rows are listed"),
            Self::OneOfSeveral => write!(f, "several are asked for, and only the first one is shown"),
            Self::TwoForOne { words } => {
                write!(f, "`{words}` may be one thing, and was taken for two columns")
            }
            Self::OnlyKey { word } => write!(f, "of `{word}` only the key is shown"),
            Self::NotShown { word } => write!(f, "`{word}` are asked for, and none of them is shown"),
            Self::TableForNumber { word } => {
                write!(f, "`{word}` names a table and a number in it, and the number is not used")
            }
            Self::FixedKey => write!(
                f,
                "there is only one group, because a condition fixes the value that groups are made by"
            ),
            Self::SummarisedKey => write!(f, "each group has one value of what is summarised"),
            Self::LostColumns => write!(f, "what was shown before is not shown any longer"),
            Self::LostConditions => write!(f, "what restricted the rows before does not any longer"),
            Self::NotReplaced => {
                write!(f, "it came on top of what was asked before, and in place of nothing")
            }
            Self::NothingChanged => write!(f, "the query is the same as before"),
            Self::ChangedAnalysis => {
                write!(f, "the answer before calculates something, and changing that often goes wrong")
            }
            Self::AnyColumn { word, taken } | Self::AnyMeasured { word, taken } => {
                write!(f, "`{word}` may be several columns, and was taken for `{taken}`")
            }
            Self::AnyEvent { taken } => {
                write!(f, "no word says which rows tell of it; those of `{taken}` were taken")
            }
            Self::AnyTable { word, taken } => {
                write!(f, "`{word}` may be in several tables, and was taken from `{taken}`")
            }
            Self::WholeTable { word, taken } => {
                write!(f, "no table is called `{word}`, and all of `{taken}` was taken")
            }
            Self::Stretched { word } => {
                write!(f, "`{word}` names nothing here, and was taken for what is only near it in meaning")
            }
            Self::LostCount { word } => write!(f, "the number of `{word}` is asked for, and not shown"),
            Self::AnyUnit { taken } => write!(f, "it is not told in which unit of time `{taken}` is"),
            Self::AnyPeriod => write!(f, "it is not said by which unit of time values are compared"),
            Self::AnyMeasure => write!(f, "what is to be shown for each group is not said"),
            Self::CountedMoney => {
                write!(f, "it is a share of their number; of what they come to it may be another")
            }
            Self::OnlyParent => {
                write!(f, "what is brought together has nothing in common but what both belong to")
            }
            Self::AnyRole { taken } => {
                write!(f, "the tables are joined by `{taken}`, and could be joined by another column")
            }
            Self::Echo => write!(f, "nothing is shown but what the question says itself"),
            Self::Foretold { taken } => {
                write!(f, "it is asked what will be, and `{taken}` tells what has been")
            }
            Self::SizeForLimit { words } => {
                write!(f, "the number in `{words}` was taken for how many rows are shown")
            }
            Self::Rival { shows } => write!(f, "`{shows}` is nearly as likely"),
            Self::Unlikely { percent } => write!(f, "about {percent} of 100 such answers are wrong"),
        }
    }
}
