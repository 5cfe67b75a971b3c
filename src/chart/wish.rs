//! The picture that somebody wants, where the rows can be drawn so; else why they cannot.

use super::choose::{choose, is_one_a_time, lines, lines_by, points, rows_with_time, tells_apart};
use super::columns::{Column, Role, Table};
use super::{Chart, Kind, bars};

/// A kind of picture as people ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wish {
    /// Bars, beside each other or in parts where the rows ask for it.
    Bars,
    /// A line over time, or several.
    Line,
    /// A point for each row.
    Points,
    /// A pie, which is never drawn.
    Pie,
}

impl Wish {
    /// The kind of picture that is named in the words of somebody who wants one: *plot that as a line*.
    ///
    /// ```
    /// use sqlogue::chart::Wish;
    ///
    /// assert_eq!(Wish::said("as a bar chart, please"), Some(Wish::Bars));
    /// assert_eq!(Wish::said("plot that"), None);
    /// ```
    pub fn said(words: &str) -> Option<Self> {
        let words = words.split(|letter: char| !letter.is_alphanumeric());
        words.map(str::to_lowercase).find_map(|word| Self::named(&word))
    }

    /// The kind of picture by its name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bar" | "bars" | "column" | "columns" | "histogram" => Self::Bars,
            "line" | "lines" => Self::Line,
            "point" | "points" | "scatter" | "scatterplot" => Self::Points,
            "pie" | "donut" | "doughnut" => Self::Pie,
            _ => return None,
        })
    }

    /// The name that [`Wish::named`] knows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bars => "bars",
            Self::Line => "line",
            Self::Points => "points",
            Self::Pie => "pie",
        }
    }

    /// How it is said that there is none.
    fn refused(self) -> &'static str {
        match self {
            Self::Bars => "No bars",
            Self::Line => "No line",
            Self::Points => "No points",
            Self::Pie => "No pie",
        }
    }

    /// Whether a picture is of this kind.
    fn is(self, kind: Kind) -> bool {
        match kind {
            Kind::Bars | Kind::GroupedBars | Kind::StackedBars => self == Self::Bars,
            Kind::Lines => self == Self::Line,
            Kind::Points => self == Self::Points,
            Kind::Number | Kind::Table => false,
        }
    }
}

/// The picture of that kind; a table whose reason says why there is none, where there is none.
pub(super) fn granted(table: &Table<'_>, wish: Wish) -> Chart {
    let fitting = choose(table);
    if wish.is(fitting.kind) {
        return fitting;
    }
    let measures = table.of(|role| role == Role::Measure);
    if measures.is_empty() {
        // No rows, or no numbers among them: what is said of any picture.
        return fitting;
    }
    let chart = match wish {
        Wish::Bars => as_bars(table, &measures),
        Wish::Line => as_lines(table, &measures),
        Wish::Points => as_points(table, &measures),
        Wish::Pie => Chart::table("bars are easier to compare"),
    };
    match chart.kind {
        Kind::Table => Chart { reason: chart.reason.replacen("A table", wish.refused(), 1), ..chart },
        _ => chart,
    }
}

/// What each row has for a name, where it has one; all that may be one, where several of them make it up.
fn naming<'a>(table: &'a Table<'_>) -> Vec<&'a Column> {
    let names = table.of(|role| matches!(role, Role::Name | Role::Steps | Role::Time(_)));
    match names.iter().find(|name| name.role == Role::Name && tells_apart(name, table)) {
        Some(name) => vec![*name],
        None => names,
    }
}

fn as_bars(table: &Table<'_>, measures: &[&Column]) -> Chart {
    match (table.rows, measures, naming(table).as_slice()) {
        ([_], [_], _) => Chart::table("a single number has no other to stand beside"),
        ([row], measures, []) => bars::side_by_side(measures, row),
        (_, _, []) => Chart::table("the rows have no names for bars to stand by"),
        (_, measures, [name]) => bars::by_name(table, name, measures),
        (_, measures, [first, second]) => bars::by_two(table, [first, second], measures),
        (_, _, names) => {
            Chart::table(&format!("bars stand by one or two names, and these rows have {}", names.len()))
        }
    }
}

fn as_lines(table: &Table<'_>, measures: &[&Column]) -> Chart {
    let times = table.of(|role| matches!(role, Role::Time(_)));
    let names = table.of(|role| matches!(role, Role::Name | Role::Steps));
    let [time] = times.as_slice() else {
        return Chart::table(match times.len() {
            0 => "a line runs along a time, and no column holds one",
            _ => "a line runs along one time, and several columns hold one",
        });
    };
    let placed = rows_with_time(table, time);
    match names.as_slice() {
        _ if placed.len() < 2 => Chart::table("a line needs two times at least"),
        [] if is_one_a_time(&placed) => {
            let mut chart = lines(table, time, measures, &placed);
            chart.note_timeless(table.rows.len() - placed.len(), time);
            chart
        }
        [] => Chart::table(&format!(
            "several rows have the same {}, and a line has one number for each",
            time.title
        )),
        [name] => lines_by(table, time, name, measures),
        _ => Chart::table("a line for each pair of names is no picture any more"),
    }
}

fn as_points(table: &Table<'_>, measures: &[&Column]) -> Chart {
    let times = table.of(|role| matches!(role, Role::Time(_)));
    let names = table.of(|role| role == Role::Name);
    let name = names.first().copied();
    match (measures, times.as_slice()) {
        ([y], [x]) | ([y, x], []) => points(table, (y, x), name),
        ([_], []) => Chart::table("a point needs two numbers, or a number and a time, and each row has one"),
        _ => Chart::table("a point has two numbers, and each row has more"),
    }
}
