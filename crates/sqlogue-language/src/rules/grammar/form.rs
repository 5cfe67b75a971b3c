//! The logical form: what a question means, independent of SQL and of how it was put.
//!
//! A [`Noun`] holds all tables and columns that its words may name; [`super::bind`] chooses for the whole question at once.

use super::recurring::Recurring;
use std::rc::Rc;

use jiff::civil::Date;

pub use super::bands::Bands;
use super::defined::Term;
pub use super::levels::Level;
pub use super::noun::{Named, Noun, Unsaid, Words};
pub use super::predicates::{Again, Among, Like, Outcome, Portion, State, Trade, Utmost};
use super::time::Window;
use super::units::Unit;
pub use super::waiting::Waiting;
use crate::rules::knowledge::{ColumnId, TableId};
use sqlogue_sql::plan::{Aggregate, Arithmetic, Comparison, Condition, Direction, Expr, TimeUnit};
use sqlogue_sql::schema::Value;

/// What a question asks for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// Whose rows are listed, counted or summarised, where it is said.
    pub subject: Option<Noun>,
    /// What is returned, in the order in which it is named.
    pub show: Vec<Show>,
    /// What one row of the result stands for.
    pub keys: Vec<Key>,
    /// Which rows count.
    pub preds: Vec<Pred>,
    /// Which groups count.
    pub having: Vec<Having>,
    /// How rows are sorted.
    pub order: Vec<(By, Direction)>,
    /// By what the first rows are taken.
    pub take: Option<Take>,
    /// The other end of the order, where both are meant: *the cheapest and the most expensive*.
    pub ends: Option<(By, Direction)>,
    /// How many rows are kept.
    pub limit: Option<u64>,
    /// Which part of the rows is kept, in place of a number of them.
    pub portion: Option<Portion>,
    /// How many come before the first that is kept: two before *the third most expensive*.
    pub skip: Option<u64>,
    /// How values compare with those before them.
    pub compare: Option<Compare>,
    /// Among whose rows places and shares are told: *ranked within their subject*.
    pub within: Option<Noun>,
    /// True where what is compared or added up is shown too.
    pub plain_too: bool,
    /// True where what all groups have together, or on average, is shown beside each.
    pub beside_overall: bool,
    /// Whether groups without rows are kept.
    pub zeros: bool,
    /// Whether equal rows are shown once.
    pub distinct: bool,
    /// The column by which windows and units of time count, where it is said.
    pub date: Option<Noun>,
    /// Of which rows that refer to the subject the first or the last is meant: *customers by month of their first order*.
    pub utmost: Option<Utmost>,
    /// True where the subject was read as what is counted.
    pub counts: bool,
    /// True for *who*: rows are shown by their names.
    pub names: bool,
    /// True for *who sold how many?*
    pub of_each_person: bool,
    /// The unit in which times are asked for.
    pub in_unit: Option<TimeUnit>,
    /// True where the numbers that are shown are added up.
    pub altogether: bool,
    /// Things of which is asked how often they are sold with each other.
    pub together: Option<Noun>,
    /// True where what is measured is meant on average.
    pub averaged: bool,
    /// At which end of rows with two ends things are meant, true for the first: *departing flights*, *away matches*.
    pub side: Option<bool>,
    /// Windows of time side by side: every measure is made for each. None, or at least two.
    pub versus: Vec<Window>,
    /// True where what was granted off the prices is no part of what was taken in: *net of discounts*.
    pub less_discount: bool,
    /// True where money is asked for in its own unit, and not in hundredths.
    pub whole_money: bool,
    /// True where it is asked what part of all rows the kept groups are.
    pub share_of_groups: bool,
    /// True where it is asked how many there are for each number, and not for the mean of the numbers.
    pub by_number: bool,
    /// True where it is asked how much of all the first few are together.
    pub share_of_first: bool,
    /// True where only those of which there is anything to tell are the whole: *of the customers who bought*.
    pub of_doers: bool,
    /// Whether every value has a column of its own, with the column that is named.
    pub pivot: Option<Option<Noun>>,
    /// To how many decimals computed numbers are rounded, where that is asked for.
    pub decimals: Option<u32>,
    /// Whether the columns that are shown are named one by one.
    pub columns: Columns,
    /// True where every column of the rows is shown.
    pub whole: bool,
    /// True where any rows will do, as many as the limit says.
    pub any: bool,
    /// What is to become of an earlier query; none where the words are no follow-up.
    pub follows: Option<Follows>,
}

/// Whether the columns that a row is shown by are named one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Columns {
    /// No list of them is given.
    #[default]
    Unsaid,
    /// They are shown beside the rows, which keep their names: *orders with customer, date and amount*.
    Beside,
    /// Nothing else is shown: *orders: customer, date, amount*.
    Alone,
}

/// How a follow-up changes the query before it, besides what it says itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Follows {
    /// True for *also*, *too*, *add*: what is said comes on top.
    pub also: bool,
    /// True for *instead*, *rather than*: what is said takes the place of its like.
    pub instead: bool,
    /// True for *what about*, *the same for*: the query before with something else in it.
    pub same: bool,
    /// True for *only*, *just*: nothing else is shown.
    pub only: bool,
    /// What else is wished, in the order in which it is said.
    pub wishes: Vec<Wish>,
}

/// Something that can be said only of a query that was answered before.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    /// Only how many there are: *how many is that?*
    Count,
    /// The rows that were counted: *who are they?*
    Rows,
    /// What was measured as a share of its total.
    Share,
    /// What was measured, and neither its share nor its running total: *the plain numbers*.
    Plain,
    /// What was measured beside the same of another time; the time before where none is said.
    Against(Option<Window>),
    /// The same numbers summed up in another way: *the median instead of the total*.
    Summary(Statistic),
    /// The same of an earlier time: so many months before, or the time just before where none are said.
    Earlier(Option<i32>),
    /// A bound of what was measured: *only those above 100*.
    Bound(Comparison, Value),
    /// This is no longer shown, and nothing depends on it: *without the email*.
    Drop(Noun),
    /// Only the names are shown.
    NamesOnly,
    /// All rows again, of whatever kind: the conditions on the noun go, or all of them where none is named.
    All(Option<Noun>),
    /// All times again.
    AllTimes,
    /// The condition that holds this value goes.
    Forget(Named),
    /// Rows become columns, and columns rows.
    Swap,
    /// The first rows of what was shown, from this end.
    Take(Direction),
}

/// How numbers are summed up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Statistic {
    /// By an aggregate of SQL.
    Of(Aggregate),
    /// By the value in the middle.
    Median,
}

/// Something that is returned.
#[derive(Debug, Clone, PartialEq)]
pub enum Show {
    /// What a noun names: a column, or the rows of a table by their names.
    Noun(Noun),
    /// A summary.
    Measure(Measure),
}

/// A summary of many rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Measure {
    /// How many rows; of the subject where nothing is named.
    Count(Option<Noun>),
    /// How many different ones.
    Distinct(Noun),
    /// In how many different units of time something was done: *who ordered every month*.
    Periods(Unit),
    /// A summary of an attribute.
    Of(Aggregate, Attr),
    /// The value below which so many percent of the values lie; the median is that of 50.
    Percentile(u8, Attr),
    /// A summary of the times between a row of a table and the next, among those that belong to the same one where it is said to
    /// what.
    Interval(Aggregate, Noun, Option<Noun>, TimeUnit),
    /// How far the highest lies above the lowest.
    Spread(Attr),
    /// The mean of a measure that is made for each row of a table: *average number of orders per customer*.
    Mean(Box<Measure>, Per),
    /// One measure divided by another, which survives a zero.
    Ratio(Box<Measure>, Box<Measure>),
    /// One measure in percent of another.
    Percent(Box<Measure>, Box<Measure>),
    /// What is left of one measure once another is taken off.
    Less(Box<Measure>, Box<Measure>),
    /// By how many percent the second differs from the first.
    Change(Box<Measure>, Box<Measure>),
    /// How much of a whole, in percent.
    Share(Box<Measure>, Whole),
    /// A measure of the rows for which conditions hold.
    Where(Box<Measure>, Vec<Pred>),
    /// A measure of the rows that begin somewhere, or of those that end there: *departures*, *arrivals*.
    At(Box<Measure>, bool),
    /// What people have defined.
    Defined(Rc<Term>),
}

/// For what a measure is made whose mean is asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Per {
    /// Each row of a table.
    Row(Noun),
    /// Each of what the rows are parts of: *average basket*.
    Whole,
    /// Each unit of time.
    Time(Unit),
}

/// Of what a share is.
#[derive(Debug, Clone, PartialEq)]
pub enum Whole {
    /// Of all groups together.
    Total,
    /// Of the rows that the share's own conditions leave out too.
    Rows,
}

/// A value of one row.
#[derive(Debug, Clone, PartialEq)]
pub enum Attr {
    /// A column.
    Noun(Noun),
    /// The time from one date to another, in a unit.
    Between(Box<Attr>, Box<Attr>, TimeUnit),
    /// How long something lasted, in a unit where one is said: a column of times, or from the start to the end.
    Lasting(Words, Option<Noun>, Option<TimeUnit>),
    /// How long it waits, by the words that ask for it.
    Waited(Words, Waiting, TimeUnit),
    /// How old something is today, in whole years, and whether an age is spoken of: *older than 65*, but not *over 65*.
    Age(Words, bool),

    /// The time from a date to today, in a unit.
    Since(Box<Attr>, Unit),
    /// What one row costs or is worth: a column of money.
    Price(Words),
    /// What one row costs or earns for each unit, by the word that says the unit in names: *45 a day*, *20 per hour*.
    Rate(Words, &'static str),
    /// When the row began that a column belongs to.
    Begin(Noun),
    /// What two columns of a row make: *price per square metre*, *price minus cost*.
    Math(Arithmetic, Box<Attr>, Box<Attr>),
    /// A value so many times: *90 % of the planned hours*, *twice the list price*.
    Times(f64, Box<Attr>),
    /// What running contracts bring in each month: *monthly recurring revenue*.
    Recurring(Words),
    /// What a price and a quantity make, or a column of amounts: *revenue*.
    Revenue(Words),
    /// The same less the discount, that which the noun names where one is named: *revenue after discount*, *net revenue*.
    Net(Words, Option<Noun>),
    /// What is left of a price once the cost is taken off: *profit*, *margin*.
    Profit(Words),
    /// What there is in stock, at its price: *stock value*.
    Stock(Words),
    /// How many pieces there are in stock, or have to be.
    Level(Words, Level),
    /// How many pieces were sold, ordered or used: the quantity beside a price.
    Sold(Words),
    /// How many pieces the rows of a table tell of, where they have a price and a quantity: *tickets sold*.
    Pieces(Noun),
    /// The column that an adjective speaks of: *oldest* of an age or a date of birth.
    Adjective(Words, usize),
    /// When a table's rows came to be.
    When(Noun),
    /// When something was done with a row: the date of the rows that refer to it, those that the verb names if it names any.
    Use(Noun, Option<Noun>),
    /// What a table's rows are worth: *the invoices' total*.
    Amount(Noun),
    /// What an earlier plan computes of a row of a table, as it is.
    Given(Box<Expr>, TableId),
}

/// What one row of a result stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Key {
    /// A column's value, or a table's row.
    Noun(Noun),
    /// A unit of time, of the column named or of the date that counts.
    Time(Unit, Option<Noun>),
    /// The bands that a number lies in.
    Bands(Attr, Rc<Bands>),
    /// The column that holds the value: *for apartments and houses*, *chairs, desks and so on*.
    ColumnOf(Named),
    /// The place of a table's rows, by the words that ask for it: *where do our customers live?*
    Place(Words, Noun),
}

/// A condition on rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Pred {
    /// A column holds one of these values, in the column named where one is.
    Is {
        /// The values: any of them will do.
        values: Vec<Named>,
        /// The column, where it is said.
        column: Option<Noun>,
        /// True where none of them may be held.
        negated: bool,
    },
    /// An attribute compares with a number.
    Compare(Attr, Comparison, Value),
    /// An attribute lies between two numbers, both included.
    Range(Attr, Value, Value),
    /// An attribute compares with another.
    Attrs(Attr, Comparison, Attr),
    /// An attribute compares with a summary of it over rows; with a multiple of the summary where the attribute is so many times.
    Summary(Attr, Comparison, Aggregate, Among),
    /// Something happened within a window.
    In(Option<Noun>, Window),
    /// Something happened, but not within a window: *not counting August*.
    Outside(Option<Noun>, Window),
    /// Something happened on these days of the week, or at these hours of the day.
    On(Option<Noun>, Recurring),
    /// A flag: *active*, *discontinued*.
    Flag(Noun, bool),
    /// Something that has happened, as a date tells: *shipped*, *not closed*.
    Happened(Noun, bool),
    /// The day on which something is due next has gone by: *with an overdue inspection*.
    Overdue(Noun, Date),
    /// A column has a value, or none.
    Known(Noun, bool),
    /// Other rows of its table refer to it as theirs, or none do: *managers*, *who are not managers*.
    Superior(bool),
    /// The row of the table that this key identifies: *order 17*.
    Key(Noun, Value),
    /// A text holds another.
    Holds(Noun, Like, String),
    /// Related rows exist, or none do.
    Related(Group, bool),
    /// Rows that tell what was done with it, with conditions of their own, exist, or none do: *never used*; where the verb
    /// names a table, its rows.
    Used(Option<Noun>, Vec<Pred>, bool),
    /// Somebody is put down for it, or nobody is: *not assigned to anybody*, *without an assigned mechanic*.
    Assigned(Option<Noun>, bool),
    /// Rows that refer to the subject and meet the conditions lead to this value, or none do: *enrolled in both French and
    /// Spanish*. Where a verb of trade is said, the way leads through what was sold: *who bought a desk*.
    Through(Named, Option<Trade>, Vec<Pred>, bool),
    /// Rows that refer to the subject lead to this value, and none of them to another: *who only ever paid by card*. Where
    /// a verb of trade is said, the way leads through what was sold.
    Only(Named, Option<Trade>),
    /// An attribute compares with that of the row that bears this name: *dearer than the oak desk*.
    Beside(Attr, Comparison, Named),
    /// The row's superior is the one that bears this name, by the reference that the noun names where one is named:
    /// *who reports to Ann Smith*.
    Under(Named, Option<Noun>),
    /// It has not come to its end.
    Open {
        /// The end, where it is said: *paid* in *unpaid*.
        end: Option<String>,
        /// The day before which it was to end, where it is late: *overdue*.
        late_on: Option<Date>,
    },
    /// These rows of the query have not come to their end: *orders of current customers*.
    OpenRows(Noun),
    /// It has come to its end, within a window where one is said: *former members*, *ended since March*.
    Ended(Option<Window>),
    /// It is in a state that dates tell of: *on now*, *still alive*, *not logged in since June*.
    State(State),
    /// It came to its end after the day it was due, or not: *paid late*, *delivered on time*.
    Late(Option<Noun>, bool),
    /// It is of the last day there is, of that column or of the date that counts: *stock on the latest day*.
    LastDay(Option<ColumnId>),
    /// It is so now: *current balance*.
    Current,
    /// What people have defined: *active customers*.
    Defined(Rc<Term>),
    /// One of these holds: *out of stock or discontinued*.
    Any(Vec<Pred>),
    /// Where it came from and where it went: *from Oslo to Lima*.
    Way(Named, Named),
    /// How it ended, as the numbers of both sides tell, for the side that is said, true for the first: *home wins*, *draws*.
    Result(Outcome, Option<bool>),
    /// Its two references to the noun's table lead to one row, or to two: *returned to another branch*.
    SameEnds(Noun, bool),
    /// A column holds what the same column of the rows of a table holds that belong to it: *in the same city as their adviser*.
    SameAs(Noun, Noun, bool),
    /// It was done so often with one and the same row of another table: *who bought the same product twice*.
    Again(Again),
    /// It is the first or the last of these rows that somebody has, by the summary of their dates, or is not: *first orders*.
    Utmost(Noun, Aggregate, bool),
    /// A condition of an earlier plan, as it is, with the tables it speaks of.
    Given(Box<Condition>, Vec<TableId>),
}

/// Rows of a table with conditions of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The table.
    pub of: Noun,
    /// The conditions.
    pub preds: Vec<Pred>,
}

/// A condition on groups.
#[derive(Debug, Clone, PartialEq)]
pub struct Having {
    /// What is compared.
    pub measure: Measure,
    /// How.
    pub operator: Comparison,
    /// With what.
    pub with: Against,
}

/// What a group's measure is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Against {
    /// A number.
    Value(Value),
    /// The same measure of all rows together: *above the overall average*.
    Overall,
    /// So many times the mean of the measure over all groups: *more orders than the average customer*.
    MeanOfGroups(f64),
    /// What is usual among those of its own kind: *below the average of their own team*.
    MeanOfKind(Noun),
    /// A column of its own: *owes more than the credit limit*.
    Own(Noun),
    /// The same measure of the rows of one name: *more orders than Ann Smith*.
    Named(Named),
    /// How many different ones there are: *who bought from every category*.
    AllThereAre,
}

/// What rows are sorted by.
#[derive(Debug, Clone, PartialEq)]
pub enum By {
    /// A value of a row.
    Attr(Attr),
    /// A summary.
    Measure(Measure),
    /// The measure that the question asks for, or the first column.
    Shown,
    /// When the rows came to be: *newest first*.
    Date,
    /// What the rows or groups are called: *alphabetically*.
    Name,
}

/// By what the first rows are taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Take {
    /// By what.
    pub by: By,
    /// Which end comes first.
    pub direction: Direction,
    /// True where it only says by what: how many must be said elsewhere.
    pub open: bool,
    /// Of each of these, where it is said.
    pub each: Option<Key>,
    /// True where no rows are named of which the first are taken: *revenue per city, top 5*.
    pub alone: bool,
}

/// How values compare with those before them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Compare {
    /// All up to here.
    Running,
    /// The mean of so many of these units of time.
    Moving(u64, Unit),
    /// The change from the one before, in percent.
    Growth,
    /// The change from the one before, as it is.
    Difference,
    /// The change from the one before, as it is and in percent: *the change* may be either.
    Change,
    /// The change from the same one a year before, in percent.
    YearOnYear,
    /// The place in the order.
    Rank,
}
