//! Rows as a table: for a terminal, as wide as it is; for a pipe, as wide as they are.

use std::borrow::Cow;

use super::number;
use super::style::{Ink, Style};
use super::text;
pub(crate) use sqlogue::answer::cell;
use sqlogue::schema::{Value, pieces};

/// A column narrower than this says too little; before that, columns are left out.
const NARROWEST: usize = 6;

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

/// Draws rows in at most `places`, or as wide as they are.
pub(crate) fn draw(columns: &[String], rows: &[Vec<Value>], places: Option<usize>, style: Style) -> Drawn {
    let mut cells: Vec<Vec<Cow<'_, str>>> = vec![columns.iter().map(|name| text::clean(name)).collect()];
    let figures = if places.is_some() { Figures::Grouped } else { Figures::Plain };
    let figures: Vec<Figures> = columns.iter().map(|name| figures.of(name)).collect();
    cells.extend(
        rows.iter().map(|row| row.iter().zip(&figures).map(|(value, as_)| figure(value, *as_)).collect()),
    );
    let natural: Vec<usize> = (0..columns.len())
        .map(|column| {
            cells.iter().filter_map(|row| row.get(column)).map(|cell| text::width(cell)).max().unwrap_or(0)
        })
        .map(|width| width.clamp(1, WIDEST))
        .collect();
    let (widths, left_out) = fit(&natural, places);
    let numeric: Vec<bool> = (0..columns.len()).map(|column| is_numeric(rows, column)).collect();
    let rule = if places.is_some() { Rule::BOX } else { Rule::ASCII };
    let mut lines = String::new();
    for (number, row) in cells.iter().enumerate() {
        // The first of `cells` are the headings; the row of values is one behind.
        let values = number.checked_sub(1).and_then(|number| rows.get(number));
        lines.push_str(rule.left);
        for (column, places) in widths.iter().enumerate() {
            if column > 0 {
                lines.push_str(rule.between);
            }
            let cell = row.get(column).map_or("", AsRef::as_ref);
            let cell = text::cut(cell, *places);
            let padding = " ".repeat(places.saturating_sub(text::width(&cell)));
            let last = column + 1 == widths.len();
            let ink = match values.map(|values| values.get(column)) {
                None => Some(Ink::Bold),
                Some(Some(Value::Null)) => Some(Ink::Dim),
                Some(_) => None,
            };
            let painted = ink.map_or_else(|| cell.to_string(), |ink| style.paint(ink, &cell));
            match numeric.get(column) {
                Some(true) => lines.extend([padding.as_str(), &painted]),
                _ if last && rule.right.is_empty() => lines.push_str(&painted),
                _ => lines.extend([painted.as_str(), &padding]),
            }
        }
        lines.push_str(rule.right);
        lines.push('\n');
        if number == 0 {
            lines.push_str(rule.line_left);
            let dashes: Vec<String> = widths.iter().map(|width| rule.dash.repeat(width + 2)).collect();
            lines.push_str(&dashes.join(rule.cross));
            lines.push_str(rule.line_right);
            lines.push('\n');
        }
    }
    let left_out =
        columns.iter().skip(columns.len() - left_out).map(|name| text::clean(name).into_owned()).collect();
    let cut = widths.iter().zip(&natural).any(|(width, natural)| width < natural);
    Drawn { lines, left_out, cut, wide: false }
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
             Ada Lovelac… │     12 │ NULL\n \
             Bo B\u{fffd}        │    3.5 │ 'NULL'\n"
        );
        assert!(drawn.lines.lines().all(|line| text::width(line) <= 32));
    }

    #[test]
    fn columns_that_do_not_fit_are_named() {
        let columns: Vec<String> = (0..20).map(|number| format!("column_{number}")).collect();
        let rows = vec![vec![Value::from(1_000_000_000); 20]];
        let drawn = draw(&columns, &rows, Some(40), Style::default());
        assert!(drawn.lines.lines().all(|line| text::width(line) <= 40), "{}", drawn.lines);
        assert_eq!(drawn.left_out.len(), 16);
        let narrow = draw(&columns, &rows, Some(1), Style::default());
        assert_eq!(narrow.left_out.len(), 19);
    }

    #[test]
    fn a_table_without_rows_or_columns_is_drawn_too() {
        assert_eq!(draw(&["a".into()], &[], None, Style::default()).lines, "| a |\n|---|\n");
        assert_eq!(draw(&[], &[], Some(10), Style::default()).left_out, Vec::<String>::new());
    }
}
