//! Window functions: values that look at other rows of the result without summarising them into one.

use serde::{Deserialize, Serialize};

use super::{Aggregate, Direction, Expr, Order};

/// A value computed over a window of rows around each row. Over groups, the rows are the groups, and what it is computed
/// from are their summaries: `sum(count(*)) over ()`.
///
/// ```
/// use sqlogue::plan::{Direction, Expr, Window};
///
/// let salary = || Expr::column("employees", "salary");
/// let rank = Window::rank().per(Expr::column("employees", "department")).by(salary(), Direction::Descending);
/// assert_eq!(format!("{:#}", Expr::from(rank)), "rank by salary descending for each department");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// What is computed.
    pub function: WindowFunction,
    /// What it is computed from: nothing for ranks, [`Expr::All`] in `count(*)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Expr>,
    /// Rows see only those that are equal in all of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partition_by: Vec<Expr>,
    /// In which order the rows stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order_by: Vec<Order>,
    /// Which of the rows count. Without it: with an ordering those up to the current row and its equals, without one all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<Frame>,
}

/// What is computed over a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowFunction {
    /// The number of the row, from 1, equal ones in any order.
    RowNumber,
    /// The rank, equal rows with the same and a gap after them.
    Rank,
    /// The rank, equal rows with the same and no gap after them.
    DenseRank,
    /// The share of rows that are not after this one, above 0 up to 1.
    CumulativeShare,
    /// Which of so many groups of equal size a row is in, from 1.
    Tile(u32),
    /// The value so many rows before; NULL where there is none.
    Lag(u32),
    /// The value so many rows after; NULL where there is none.
    Lead(u32),
    /// The value of the first row of the frame.
    First,
    /// The value of the last row of the frame.
    Last,
    /// A summary of the frame.
    Aggregate(Aggregate),
}

/// Which rows of a window count, by their number from the current row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// The first of them.
    pub from: FrameBound,
    /// The last of them.
    pub to: FrameBound,
}

/// One end of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameBound {
    /// The first row of the window.
    Start,
    /// So many rows before the current one.
    Before(u32),
    /// The current row.
    Current,
    /// So many rows after the current one.
    After(u32),
    /// The last row of the window.
    End,
}

impl Window {
    /// A function without arguments over all rows.
    #[must_use]
    pub fn new(function: WindowFunction, arguments: Vec<Expr>) -> Self {
        Self { function, arguments, partition_by: Vec::new(), order_by: Vec::new(), frame: None }
    }

    /// The number of each row.
    #[must_use]
    pub fn row_number() -> Self {
        Self::new(WindowFunction::RowNumber, Vec::new())
    }

    /// The rank, with gaps after ties.
    #[must_use]
    pub fn rank() -> Self {
        Self::new(WindowFunction::Rank, Vec::new())
    }

    /// The rank, without gaps.
    #[must_use]
    pub fn dense_rank() -> Self {
        Self::new(WindowFunction::DenseRank, Vec::new())
    }

    /// The value `rows` rows before.
    #[must_use]
    pub fn lag(value: Expr, rows: u32) -> Self {
        Self::new(WindowFunction::Lag(rows), vec![value])
    }

    /// The value `rows` rows after.
    #[must_use]
    pub fn lead(value: Expr, rows: u32) -> Self {
        Self::new(WindowFunction::Lead(rows), vec![value])
    }

    /// The value of the window's first row.
    #[must_use]
    pub fn first(value: Expr) -> Self {
        Self::new(WindowFunction::First, vec![value])
    }

    /// The value of the window's last row, whatever the current one.
    #[must_use]
    pub fn last(value: Expr) -> Self {
        Self::new(WindowFunction::Last, vec![value]).rows(FrameBound::Start, FrameBound::End)
    }

    /// A summary of all rows of the window, beside each of them: `sum(x) over ()`.
    #[must_use]
    pub fn aggregate(function: Aggregate, argument: Expr) -> Self {
        Self::new(WindowFunction::Aggregate(function), vec![argument])
    }

    /// A summary of the rows up to the current one; an ordering is still to be given ([`Window::by`]).
    #[must_use]
    pub fn running(function: Aggregate, argument: Expr) -> Self {
        Self::aggregate(function, argument).rows(FrameBound::Start, FrameBound::Current)
    }

    /// A summary of the current row and those before it, `rows` altogether; an ordering is still to be given.
    #[must_use]
    pub fn moving(function: Aggregate, argument: Expr, rows: u32) -> Self {
        let before = FrameBound::Before(rows.saturating_sub(1));
        Self::aggregate(function, argument).rows(before, FrameBound::Current)
    }

    /// The same, for each value of `key` by itself.
    #[must_use]
    pub fn per(mut self, key: Expr) -> Self {
        self.partition_by.push(key);
        self
    }

    /// The same in the order of `expr`, where the keys before it leave rows equal.
    #[must_use]
    pub fn by(mut self, expr: Expr, direction: Direction) -> Self {
        self.order_by.push(Order { expr, direction });
        self
    }

    /// The same over a part of the window's rows.
    #[must_use]
    pub fn rows(mut self, from: FrameBound, to: FrameBound) -> Self {
        self.frame = Some(Frame { from, to });
        self
    }

    /// Every expression in it.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let sorted = self.order_by.iter().map(|order| &order.expr);
        self.arguments.iter().chain(&self.partition_by).chain(sorted)
    }

    /// The same, to change them.
    pub(super) fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let sorted = self.order_by.iter_mut().map(|order| &mut order.expr);
        self.arguments.iter_mut().chain(&mut self.partition_by).chain(sorted)
    }
}

impl From<Window> for Expr {
    fn from(window: Window) -> Self {
        Self::Window(Box::new(window))
    }
}
