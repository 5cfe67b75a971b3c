//! Parts of a query: what a phrase of the question adds to it.

use super::form::{By, Columns, Compare, Having, Key, Measure, Noun, Portion, Pred, Take, Utmost, Wish};
use super::time::Window;
use sqlogue_sql::plan::{Aggregate, Direction, TimeUnit};

/// Part of a query, to be merged with the others.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A noun that plays whatever part is free: what is listed, what is returned, what is spoken of.
    Noun(Noun),
    /// Whose rows are counted or listed.
    Subject(Noun),
    /// A summary that is asked for.
    Measure(Measure),
    /// What one row of the result stands for.
    Key(Key),
    /// A condition on rows.
    Where(Pred),
    /// A condition on groups.
    Having(Having),
    /// How rows are sorted.
    Order(By, Direction),
    /// By what the first rows are taken.
    Take(Take),
    /// By what the first rows are taken, where it is said elsewhere how many.
    Decide(By),
    /// The other end of the order is meant too.
    Ends(By, Direction),
    /// How many rows are kept.
    Limit(u64),
    /// Which part of the rows is kept.
    Portion(Portion),
    /// How many rows are kept, whichever they are.
    Some(u64),
    /// The first or the last of these rows that each subject has.
    Utmost(Utmost),
    /// Rows are shown by their names.
    Names,
    /// Every column of the rows is shown.
    Whole,
    /// The measure before it, or the count, as a share of the total.
    ShareOfTotal,
    /// How values compare with those before them, with the measure where it is named.
    Compare(Compare, Option<Measure>),
    /// Places and shares are those among the rows with the same of this.
    Within(Noun),
    /// What is compared or added up is shown too.
    PlainToo,
    /// What all groups have together, or on average, is shown beside each.
    BesideOverall,
    /// So many of the first rows are left out.
    Skip(u64),
    /// Groups without rows are kept.
    Zeros,
    /// Equal rows are shown once.
    Distinct,
    /// Something that is returned, whatever else it may be.
    Shown(Noun),
    /// One of the columns that are named one by one: a column, or the name of what a row refers to.
    Column(Noun),
    /// The columns that are asked for are named one by one.
    Columns(Columns),
    /// When it happened is shown too.
    When,
    /// Numbers that are shown are added up.
    Altogether,
    /// How often these are sold with each other.
    Together(Noun),
    /// What is measured is asked for of each person.
    OfEachPerson,
    /// What is measured is meant on average.
    Averaged,
    /// How many there are, where nothing else is measured: *just the number*.
    Counted,
    /// Two windows side by side.
    Versus(Vec<Window>),
    /// What was granted off the prices is taken off what was taken in.
    LessDiscount,
    /// Money is shown in its own unit.
    WholeMoney,
    /// The date by which windows and units of time count.
    Date(Noun),
    /// At which end of rows with two ends things are meant, true for the first.
    Side(bool),
    /// Every value has a column of its own.
    Pivot(Option<Noun>),
    /// Two windows are compared in percent.
    InPercent,
    /// A summary of what the rows are worth.
    Worth(Aggregate),
    /// The measure that decides is shown too: *which three have the most sales, and how many?*
    HowMany,
    /// What a word before it means: *profit: price minus cost*.
    Defined(Measure),
    /// How much of all rows those are that the conditions leave, whenever they came to be.
    ShareOfAll,
    /// Times are shown in this unit.
    InUnit(TimeUnit),
    /// What part of all rows the groups are that are kept: *percentage of customers with more than 5 orders*.
    ShareOfGroups,
    /// How many there are for each number, in place of the mean of the numbers: *how many customers placed how many orders*.
    ByNumber,
    /// How much of all the first few are together: *the top 10 customers' share*.
    ShareOfFirst,
    /// Of what there is nothing to tell does not count: *of the customers who bought*.
    OfDoers,
    /// Computed numbers are rounded to so many decimals.
    Decimals(u32),
    /// What is said comes on top of what was asked before.
    Also,
    /// What is said takes the place of its like.
    Instead,
    /// The query before with something else in it.
    Same,
    /// Nothing else is shown.
    Only,
    /// Something that is wished of the query before.
    Wish(Wish),
    /// Several parts at once.
    All(Vec<Part>),
}
