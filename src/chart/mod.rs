//! The picture that fits a result: one number, bars, lines, points, or none where a table says more.
//!
//! [`Chart::of`] chooses from the columns, the rows and the plan of the query, and says in one sentence why. What it chose is
//! written for other programs as Vega-Lite ([`Chart::to_vega_lite`]), drawn as SVG ([`Chart::to_svg`]) and in a terminal
//! ([`Chart::to_terminal`]); all three show the same points in the same order.
//!
//! ```
//! use sqlogue::chart::{Chart, Kind};
//! use sqlogue::schema::Value;
//!
//! let columns = ["status", "orders"].map(str::to_owned);
//! let rows = [("delivered", 1037), ("cancelled", 74)].map(|(name, count)| vec![Value::from(name), Value::from(count)]);
//! let chart = Chart::of(&columns, &rows, None);
//! assert_eq!(chart.kind(), Kind::Bars);
//! assert_eq!(chart.reason(), "Bars: one number of orders for each status.");
//! ```

mod bars;
mod choose;
mod columns;
mod picture;
mod scale;
mod summary;
mod svg;
mod terminal;
#[cfg(test)]
mod tests;
mod time;
mod vega_lite;
mod wish;

use serde::Serialize;

use crate::conversation::{ConversationState, Status};
use crate::database::Rows;
use crate::plan::QueryPlan;
use crate::schema::Value;
use picture::{Axis, Series};

pub use svg::Theme;
pub use wish::Wish;

/// What kind of picture it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// One number, written large.
    Number,
    /// One bar for each thing.
    Bars,
    /// Bars side by side for each thing, told apart by colour.
    GroupedBars,
    /// Bars made of coloured parts that add up.
    StackedBars,
    /// A line over time, or several.
    Lines,
    /// One point for each row, by two of its numbers.
    Points,
    /// No picture: the rows say more.
    Table,
}

impl Kind {
    /// The name as written in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Bars => "bars",
            Self::GroupedBars => "grouped_bars",
            Self::StackedBars => "stacked_bars",
            Self::Lines => "lines",
            Self::Points => "points",
            Self::Table => "table",
        }
    }
}

/// A picture of a result, chosen and not drawn yet.
///
/// It holds the points that are drawn, at most a few thousand, and not the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    kind: Kind,
    reason: String,
    /// What the picture leaves out, a sentence each.
    notes: Vec<String>,
    title: String,
    /// What the points stand along: time, things, or a number.
    along: Axis,
    /// What is measured.
    measure: Axis,
    /// What the colours tell apart; empty where there is one.
    colour: String,
    /// Whether bars lie: names of things are read more easily beside them.
    lying: bool,
    series: Vec<Series>,
}

impl Chart {
    /// The picture that fits these columns and rows. With the plan of their query it knows what was counted, grouped and
    /// sorted; without it, it goes by names and values.
    pub fn of(columns: &[String], rows: &[Vec<Value>], plan: Option<&QueryPlan>) -> Self {
        choose::choose(&columns::Table::new(columns, rows, plan))
    }

    /// The picture of the kind that somebody wants, where these rows can be drawn so; else a table whose reason says why they
    /// cannot. Without a wish it is the one that fits.
    pub fn wished(
        columns: &[String],
        rows: &[Vec<Value>],
        plan: Option<&QueryPlan>,
        wish: Option<Wish>,
    ) -> Self {
        match wish {
            Some(wish) => wish::granted(&columns::Table::new(columns, rows, plan), wish),
            None => Self::of(columns, rows, plan),
        }
    }

    /// The picture that fits the last answer of a conversation: of all its rows, where they are still at hand, else of those
    /// that the conversation keeps. None where nothing was answered yet.
    pub fn of_answer(state: &ConversationState, rows: Option<&Rows>) -> Option<Self> {
        Self::of_answer_as(state, rows, None)
    }

    /// The same of the kind that somebody wants, as [`Chart::wished`].
    pub fn of_answer_as(state: &ConversationState, rows: Option<&Rows>, wish: Option<Wish>) -> Option<Self> {
        let plan = state.current_plan();
        // After a turn that failed, the result that stands is the one before it.
        if let (Some(rows), Status::Completed) = (rows, state.status) {
            let mut chart = Self::wished(&rows.columns, &rows.rows, plan, wish);
            if rows.truncated {
                chart.notes.push(format!("Drawn from the first {} rows; there are more.", rows.rows.len()));
            }
            return Some(chart);
        }
        let result = state.current_result.as_deref()?;
        let mut chart = Self::wished(&result.columns, &result.rows, plan, wish);
        if result.truncated {
            let count = crate::base::number::grouped(result.row_count);
            chart.notes.push(format!("Drawn from the first {} of {count} rows.", result.rows.len()));
        }
        Some(chart)
    }

    /// What kind of picture it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Why it is this picture, in one sentence.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// What the picture leaves out, a sentence each: bars behind the longest, rows without a date, a second measure.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The highest and the lowest of what it shows, where it has one of each: `Highest: Books, 1,200. Lowest: Toys, 30.`
    ///
    /// None where there are several series or hardly any points, and where something is left out that may be beyond them.
    pub fn summary(&self) -> Option<String> {
        summary::summary(self)
    }

    /// What it shows, such as `Total by month and category`.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The same with another title, such as the question that was asked.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// True where there is something to draw: everything but a table.
    pub fn is_picture(&self) -> bool {
        self.kind != Kind::Table
    }

    /// The chart as Vega-Lite, version 6, with its data inside. None for a table.
    ///
    /// The description says why it is this picture; colours can be told apart by people who see fewer of them. Nothing in it
    /// names a host beside the schema's address, which no program has to fetch.
    pub fn to_vega_lite(&self) -> Option<serde_json::Value> {
        vega_lite::write(self)
    }

    /// The chart as an SVG document of so many pixels; at least 240 by 160, and higher where bars need it. A table gives a
    /// picture that says so.
    pub fn to_svg(&self, theme: Theme, width: u32, height: u32) -> String {
        svg::write(self, theme, width, height)
    }

    /// The chart in characters, lines of at most `width` places (at least 30), in colours or without. A table gives its reason.
    pub fn to_terminal(&self, width: usize, colours: bool) -> String {
        terminal::write(self, width, colours)
    }
}
