//! Rows as a table: for a terminal, as wide as it is; for a pipe, as wide as they are.

use std::borrow::Cow;

use super::number;
use super::style::{Ink, Style};
use super::text;
pub(crate) use sqlogue::answer::cell;
use sqlogue::schema::{Value, pieces};

/// A column narrower than this says too little; before that, columns are left out.
const NARROWEST: usize = 10;

/// The widest a column may be for a pipe: one long cell would push all others out of sight.
const WIDEST: usize = 200;

/// A table as text, and what it leaves out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// The lines, each ended.
    pub(crate) lines: String,
    /// The names of the columns that did not fit.
    pub(crate) left_out: Vec<String>,
    /// Whether some cells did not fit either.
    pub(crate) cut: bool,
    /// Whether it is wider than the terminal.
    pub(crate) wide: bool,
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figures {
    /// As programs read them.
    Plain,
    /// With their thousands apart.
    Grouped,
}

impl Figures {
    /// How those of a column are: years, numbers of things and the like are no amounts.
    pub(crate) fn of(self, column: &str) -> Self {
        const NAMES: [&str; 11] =
            ["id", "key", "no", "nr", "year", "zip", "postcode", "code", "phone", "number", "uuid"];
        match pieces(column).last() {
            Some(last) if NAMES.contains(&last.as_str()) && !column.contains('(') => Self::Plain,
            _ => self,
        }
    }
}

/// What is known of the numbers of a table; nothing by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Numbers {
    /// The totals to show below the columns that have one.
    pub(crate) totals: Option<Vec<Option<Value>>>,
    /// Whether the query leaves out rows by a limit, so that the totals are those of the rows that it keeps.
    pub(crate) is_part: bool,
    /// The columns whose numbers were computed, so that their last digits say nothing.
    pub(crate) computed: Vec<bool>,
}

/// Draws rows in at most `places`, or as wide as they are.
pub(crate) fn draw(columns: &[String], rows: &[Vec<Value>], places: Option<usize>, style: Style) -> Drawn {
    draw_with(columns, rows, &Numbers::default(), places, style)
}

/// The same with what is known of the numbers.
pub(crate) fn draw_with(
    columns: &[String],
    rows: &[Vec<Value>],
    numbers: &Numbers,
    places: Option<usize>,
    style: Style,
) -> Drawn {
    let rule = if places.is_some() { Rule::BOX } else { Rule::ASCII };
    let ways = Way::all(columns, rows, numbers, places);
    let cells = |row: &[Value]| -> Vec<String> {
        row.iter().zip(&ways).map(|(value, way)| way.write(value)).collect()
    };
    let headings: Vec<String> = columns.iter().map(|name| text::clean(name).into_owned()).collect();
    let body: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
    let totals = numbers.totals.as_ref().map(|totals| sums(totals, &ways, numbers.is_part));
    let natural: Vec<usize> = (0..columns.len())
        .map(|column| {
            let all = std::iter::once(&headings).chain(&body).chain(&totals);
            all.filter_map(|row| row.get(column)).map(|cell| text::width(cell)).max().unwrap_or(0)
        })
        .map(|width| width.clamp(1, WIDEST))
        .collect();
    let (widths, left_out) = fit(&natural, places);
    let sheet = Sheet { widths: &widths, ways: &ways, rule: &rule };
    let mut lines = sheet.row(&headings, |_, cell| style.paint(Ink::Bold, cell));
    lines.push_str(&sheet.line());
    for (values, row) in rows.iter().zip(&body) {
        lines.push_str(&sheet.row(row, |column, cell| match values.get(column) {
            Some(Value::Null) => style.paint(Ink::Dim, cell),
            _ => cell.to_owned(),
        }));
    }
    if let Some(totals) = totals {
        lines.push_str(&sheet.line());
        lines.push_str(&sheet.row(&totals, |_, cell| style.paint(Ink::Bold, cell)));
    }
    let left_out = headings.into_iter().skip(columns.len() - left_out).collect();
    let cut = widths.iter().zip(&natural).any(|(width, natural)| width < natural);
    Drawn { lines, left_out, cut, wide: false }
}

/// The cells of the line of totals: the sums, and in the first column without numbers what they are, or where all columns are
/// numbers in the first without a sum.
fn sums(totals: &[Option<Value>], ways: &[Way], is_part: bool) -> Vec<String> {
    let written =
        |(sum, way): (&Option<Value>, &Way)| sum.as_ref().map(|sum| way.write(sum)).unwrap_or_default();
    let mut cells: Vec<String> = totals.iter().zip(ways).map(written).collect();
    let place = ways.iter().position(|way| !way.numeric).or(totals.iter().position(Option::is_none));
    if let Some(place) = place.and_then(|at| cells.get_mut(at)) {
        *place = if is_part { "total of these" } else { "total" }.to_owned();
    }
    cells
}

/// How the cells of a column are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    figures: Figures,
    /// How many digits stand behind the point of every number; as many as there are, where that is none.
    decimals: Option<usize>,
    /// Whether all cells are numbers, which stand on the right.
    numeric: bool,
}

impl Way {
    /// How the cells of each column are.
    pub(super) fn all(
        columns: &[String],
        rows: &[Vec<Value>],
        numbers: &Numbers,
        places: Option<usize>,
    ) -> Vec<Self> {
        (0..columns.len()).map(|column| Self::of(columns, rows, column, numbers, places)).collect()
    }

    fn of(
        columns: &[String],
        rows: &[Vec<Value>],
        column: usize,
        numbers: &Numbers,
        places: Option<usize>,
    ) -> Self {
        let numeric = is_numeric(rows, column);
        // For a pipe numbers stay as they are.
        let Some(name) = columns.get(column).filter(|_| places.is_some()) else {
            return Self { figures: Figures::Plain, decimals: None, numeric };
        };
        let computed = numbers.computed.get(column).copied().unwrap_or_default();
        let decimals = if numeric { decimals(rows, column, computed) } else { None };
        // Nobody writes 349.0 or 29.9 for a price.
        let decimals = if decimals == Some(1) && is_money(name) { Some(2) } else { decimals };
        Self { figures: Figures::Grouped.of(name), decimals, numeric }
    }

    /// A cell as people read it.
    pub(super) fn write(self, value: &Value) -> String {
        let number = self.decimals.zip(value.as_f64().filter(|_| !value.is_null()));
        match (number, self.figures) {
            (Some((decimals, number)), Figures::Grouped) => number::apart(&format!("{number:.decimals$}")),
            (Some((decimals, number)), Figures::Plain) => format!("{number:.decimals$}"),
            (None, figures) => figure(value, figures).into_owned(),
        }
    }
}

/// Whether a column is called as amounts of money are.
fn is_money(column: &str) -> bool {
    const NAMES: [&str; 12] = [
        "amount", "balance", "cost", "costs", "fee", "income", "payment", "price", "revenue", "sales",
        "salary", "turnover",
    ];
    let pieces = pieces(column);
    pieces.last().is_some_and(|last| NAMES.contains(&last.as_str()))
}

/// Fractions with more digits than these are no amounts that people wrote.
const MOST_DECIMALS: usize = 4;

/// How many digits stand behind the point of each number of a column, so that the points stand below each other: as many as
/// the longest fraction has. Computed fractions, which have no end, are rounded; none is cut that somebody wrote.
fn decimals(rows: &[Vec<Value>], column: usize, computed: bool) -> Option<usize> {
    let (mut longest, mut least, mut largest) = (0, f64::MAX, 0.0_f64);
    for value in rows.iter().filter_map(|row| row.get(column)).filter(|value| !value.is_null()) {
        let (written, size) = (cell(value), value.as_f64()?.abs());
        if !written.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '.' | '-')) {
            return None;
        }
        longest = longest.max(written.split_once('.').map_or(0, |(_, fraction)| fraction.len()));
        largest = largest.max(size);
        least = if size > 0.0 { least.min(size) } else { least };
    }
    match longest {
        0 => None,
        1..=MOST_DECIMALS => Some(longest),
        _ if computed && largest >= 1.0 => Some(2),
        _ if computed && least >= 0.001 => Some(MOST_DECIMALS),
        _ => None,
    }
}

/// Where the cells of a table stand.
struct Sheet<'a> {
    widths: &'a [usize],
    ways: &'a [Way],
    rule: &'a Rule,
}

impl Sheet<'_> {
    fn row(&self, cells: &[String], paint: impl Fn(usize, &str) -> String) -> String {
        let mut line = self.rule.left.to_owned();
        for (column, (places, way)) in self.widths.iter().zip(self.ways).enumerate() {
            if column > 0 {
                line.push_str(self.rule.between);
            }
            let cell = text::cut(cells.get(column).map_or("", String::as_str), *places);
            let padding = " ".repeat(places.saturating_sub(text::width(&cell)));
            let last = column + 1 == self.widths.len();
            let painted = paint(column, &cell);
            match way.numeric {
                true => line.extend([padding.as_str(), &painted]),
                false if last && self.rule.right.is_empty() => line.push_str(&painted),
                false => line.extend([painted.as_str(), &padding]),
            }
        }
        line + self.rule.right + "\n"
    }

    /// The line between the headings, the rows and the totals.
    fn line(&self) -> String {
        let dashes: Vec<String> = self.widths.iter().map(|width| self.rule.dash.repeat(width + 2)).collect();
        format!("{}{}{}\n", self.rule.line_left, dashes.join(self.rule.cross), self.rule.line_right)
    }
}

/// What stands between cells.
struct Rule {
    left: &'static str,
    between: &'static str,
    right: &'static str,
    line_left: &'static str,
    cross: &'static str,
    line_right: &'static str,
    dash: &'static str,
}

impl Rule {
    const BOX: Self =
        Self {
            left: " ", between: " │ ", right: "", line_left: "", cross: "┼", line_right: "", dash: "─"
        };
    const ASCII: Self = Self {
        left: "| ",
        between: " | ",
        right: " |",
        line_left: "|",
        cross: "|",
        line_right: "|",
        dash: "-",
    };
}

/// A value as people read it.
pub(crate) fn figure(value: &Value, figures: Figures) -> Cow<'_, str> {
    match (value, figures) {
        (Value::Integer(_) | Value::Real(_), Figures::Grouped) => number::apart(&cell(value)).into(),
        _ => cell(value),
    }
}

fn is_numeric(rows: &[Vec<Value>], column: usize) -> bool {
    let mut values =
        rows.iter().filter_map(|row| row.get(column)).filter(|value| !value.is_null()).peekable();
    values.peek().is_some() && values.all(|value| matches!(value, Value::Integer(_) | Value::Real(_)))
}

/// How wide each column becomes, and how many columns from the end are left out.
///
/// Wide columns give way first: all columns wider than some bound are cut to it, and the bound is as large as it can be.
fn fit(natural: &[usize], places: Option<usize>) -> (Vec<usize>, usize) {
    let Some(places) = places else { return (natural.to_vec(), 0) };
    let mut shown = natural;
    loop {
        // A space before the first column, three characters between two, and one place free at the edge.
        let free = places.saturating_sub(shown.len().saturating_sub(1) * 3 + 2);
        let sum = |bound: usize| shown.iter().map(|width| (*width).min(bound)).sum::<usize>();
        let widest = shown.iter().copied().max().unwrap_or(0);
        let bound = (NARROWEST..=widest).rev().find(|bound| sum(*bound) <= free);
        match (bound, shown.split_last()) {
            (Some(bound), _) => {
                return (
                    shown.iter().map(|width| (*width).min(bound)).collect(),
                    natural.len() - shown.len(),
                );
            }
            (None, _) if sum(usize::MAX) <= free => return (shown.to_vec(), natural.len() - shown.len()),
            (None, Some((_, fewer))) if !fewer.is_empty() => shown = fewer,
            (None, _) => return (vec![free.max(1); shown.len()], natural.len() - shown.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> (Vec<String>, Vec<Vec<Value>>) {
        let columns = ["name", "orders", "city"].map(str::to_owned).to_vec();
        let rows = vec![
            vec![Value::from("Ada Lovelace of London"), Value::from(12), Value::Null],
            vec![Value::from("Bo\tB\u{1b}"), Value::from(3.5), Value::from("NULL")],
        ];
        (columns, rows)
    }

    #[test]
    fn a_pipe_gets_everything() {
        let (columns, rows) = rows();
        let drawn = draw(&columns, &rows, None, Style::default());
        assert_eq!(
            drawn.lines,
            "| name                   | orders | city   |\n\
             |------------------------|--------|--------|\n\
             | Ada Lovelace of London |     12 | NULL   |\n\
             | Bo B\u{fffd}                  |    3.5 | 'NULL' |\n"
        );
    }

    #[test]
    fn a_terminal_gets_what_fits() {
        let (columns, rows) = rows();
        let drawn = draw(&columns, &rows, Some(32), Style::default());
        assert_eq!(
            drawn.lines,
            " name         │ orders │ city\n\
             ──────────────┼────────┼────────\n \
             Ada Lovelac… │   12.0 │ NULL\n \
             Bo B\u{fffd}        │    3.5 │ 'NULL'\n"
        );
        assert!(drawn.lines.lines().all(|line| text::width(line) <= 32));
    }

    #[test]
    fn totals_say_what_they_are_where_all_columns_are_numbers() {
        let columns = ["hour", "rentals"].map(str::to_owned);
        let rows = [[Value::from(0), Value::from(715)], [Value::from(1), Value::from(663)]].map(Vec::from);
        let numbers = Numbers { totals: Some(vec![None, Some(Value::from(1378))]), ..Numbers::default() };
        let drawn = draw_with(&columns, &rows, &numbers, Some(40), Style::default());
        assert!(drawn.lines.ends_with("─┼─────────\n total │   1,378\n"), "{}", drawn.lines);
    }

    #[test]
    fn prices_have_two_digits_behind_the_point_or_none() {
        let columns = ["price", "stars", "unit_price"].map(str::to_owned);
        let rows = [[349.0, 4.5, 20.0], [29.9, 4.0, 7.0]].map(|row| row.map(Value::from).to_vec());
        let drawn = draw(&columns, &rows, Some(60), Style::default());
        let lines: Vec<&str> = drawn.lines.lines().skip(2).collect();
        assert_eq!(lines, [" 349.00 │   4.5 │         20", "  29.90 │   4.0 │          7"]);
    }

    #[test]
    fn points_stand_below_each_other_above_their_total() {
        let columns = ["name", "price", "share", "stock", "year"].map(str::to_owned);
        let row = |name: &str, price: f64, share: f64, stock: i64| {
            vec![Value::from(name), price.into(), share.into(), stock.into(), 2024.into()]
        };
        let rows = [row("Lamp", 1349.5, 1.0 / 3.0, 12), row("Desk", 20.25, 2.0 / 3.0, 1_000)];
        let totals = vec![None, None, None, Some(Value::from(1_012)), None];
        let numbers = Numbers {
            totals: Some(totals),
            is_part: false,
            computed: vec![false, false, true, false, false],
        };
        let drawn = draw_with(&columns, &rows, &numbers, Some(80), Style::default());
        assert_eq!(
            drawn.lines,
            " name  │    price │  share │ stock │ year\n\
             ───────┼──────────┼────────┼───────┼──────\n \
             Lamp  │ 1,349.50 │ 0.3333 │    12 │ 2024\n \
             Desk  │    20.25 │ 0.6667 │ 1,000 │ 2024\n\
             ───────┼──────────┼────────┼───────┼──────\n \
             total │          │        │ 1,012 │     \n"
        );
    }

    #[test]
    fn columns_that_do_not_fit_are_named() {
        let columns: Vec<String> = (0..20).map(|number| format!("column_{number}")).collect();
        let rows = vec![vec![Value::from(1_000_000_000); 20]];
        let drawn = draw(&columns, &rows, Some(40), Style::default());
        assert!(drawn.lines.lines().all(|line| text::width(line) <= 40), "{}", drawn.lines);
        assert_eq!(drawn.left_out.len(), 17);
        let narrow = draw(&columns, &rows, Some(1), Style::default());
        assert_eq!(narrow.left_out.len(), 19);
    }

    #[test]
    fn a_table_without_rows_or_columns_is_drawn_too() {
        assert_eq!(draw(&["a".into()], &[], None, Style::default()).lines, "| a |\n|---|\n");
        assert_eq!(draw(&[], &[], Some(10), Style::default()).left_out, Vec::<String>::new());
    }
}
