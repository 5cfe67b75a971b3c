//! What conditions on rows are made of, and what else says which rows are meant.

use jiff::civil::Date;

use super::noun::{Noun, Words};
use super::time::Window;
use sqlogue_sql::plan::Comparison;
use sqlogue_sql::schema::Value;

/// How a contest ended for one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It has the greater number.
    Won,
    /// The other side has it.
    Lost,
    /// Both have the same number.
    Drawn,
    /// It has taken place: both sides have a number.
    Played,
    /// It has not taken place yet.
    Awaited,
}

/// A state that dates tell of. Verbs are given by their words: *logged*, *in*.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// It has begun and not ended on that day: *exhibitions on now*.
    OnNow(Date),
    /// Somebody lives, or is dead: *living artists*.
    Alive(bool),
    /// The last time that it was done lies before a window: *not logged in since June*.
    NotSince(Vec<String>, Window),
    /// There is no last time that it was done: *never logged in*.
    NeverDone(Vec<String>),
    /// It ends within a window: *contracts that run out this quarter*.
    EndsIn(Window),
    /// It is still to be done: *to be delivered*.
    Awaits(String),
}

/// A verb of trade.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trade {
    /// Where it stands.
    pub words: Words,
    /// True for *sell*, false for *buy* and *order*.
    pub sells: bool,
}

/// How often something was done with the same row.
#[derive(Debug, Clone, PartialEq)]
pub struct Again {
    /// The table of that row.
    pub same: Noun,
    /// True where it was bought or sold.
    pub sold: bool,
    /// How the number of times compares.
    pub operator: Comparison,
    /// With what.
    pub times: Value,
    /// When it was done, where that is said.
    pub window: Option<Window>,
}

/// Rows of which the first or the last for each subject is meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Utmost {
    /// The rows; none for those that tell what was done with the subject: *for the first time*.
    pub rows: Option<Noun>,
    /// True for the last.
    pub last: bool,
}

/// The first part of rows in an order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Portion {
    /// How much of all of them, in percent.
    pub percent: f64,
    /// True where it is a part of what they are ranked by, all of them together, and not of how many they are.
    pub of_measure: bool,
}

/// Over which rows a summary is made that a row compares with.
#[derive(Debug, Clone, PartialEq)]
pub enum Among {
    /// All of the table.
    All,
    /// Those that meet the question's other conditions: *desserts that cost more than the average dessert*.
    These,
    /// Those with the same value of a column: *above the average of their category*.
    Same(Noun),
}

/// How a text holds another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Like {
    /// Anywhere.
    Within,
    /// At its start.
    Start,
    /// At its end.
    End,
}
