//! Charts in characters: bars of blocks, lines and points of dots.

mod bars;
mod canvas;

use super::scale::{Scale, figures};
use super::{Chart, Kind};
use crate::base::text::{clean, cut, width as places_of, wrap};

/// The narrowest picture.
const NARROWEST: usize = 30;

/// Colours of the sixteen that follow the theme of the terminal: blue, yellow, green, red, magenta, cyan, and two bright
/// ones.
const COLOURS: [&str; 8] = ["34", "33", "32", "31", "35", "36", "94", "93"];

/// What tells series apart where there are no colours: for bars, and for lines.
const FILLS: [char; 8] = ['█', '▒', '▓', '░', '#', '=', '+', '-'];
const GLYPHS: [char; 8] = ['●', '▲', '■', '◆', '○', '△', '□', '◇'];

pub(super) fn write(chart: &Chart, width: usize, colours: bool) -> String {
    let sheet = Sheet { width: width.max(NARROWEST), colours };
    let mut out = String::new();
    match chart.kind {
        Kind::Table => return wrap(&chart.reason, sheet.width, "") + "\n",
        Kind::Number => out.push_str(&sheet.number(chart)),
        Kind::Bars | Kind::GroupedBars | Kind::StackedBars => {
            sheet.head(&mut out, chart);
            bars::write(&mut out, chart, &sheet);
        }
        Kind::Lines | Kind::Points => {
            sheet.head(&mut out, chart);
            canvas::write(&mut out, chart, &sheet);
        }
    }
    for note in &chart.notes {
        out.push_str(&sheet.dim(&wrap(&clean(note), sheet.width, "")));
        out.push('\n');
    }
    out
}

/// What is drawn on.
struct Sheet {
    width: usize,
    colours: bool,
}

impl Sheet {
    /// The title, and what the colours stand for.
    fn head(&self, out: &mut String, chart: &Chart) {
        let title = match &chart.measure.unit {
            Some(unit) => format!("{} ({unit})", chart.title),
            None => chart.title.clone(),
        };
        for line in wrap(&clean(&title), self.width, "").lines() {
            out.push_str(&self.styled("1", line));
            out.push('\n');
        }
        if chart.series.len() < 2 {
            return;
        }
        let lines = chart.kind == Kind::Lines;
        let mut at = 0;
        // Numbers say nothing where it is not said of what.
        let is_number = |name: &str| name.chars().all(|letter| letter.is_ascii_digit());
        if !chart.colour.is_empty() && chart.series.iter().any(|series| is_number(&series.name)) {
            let heading = format!("{}: ", clean(&chart.colour));
            at = places_of(&heading);
            out.push_str(&heading);
        }
        for (number, series) in chart.series.iter().enumerate() {
            let name = clean(&series.name);
            let name = cut(&name, self.width / 2);
            let wide = places_of(&name) + 4;
            if at > 0 && at + wide > self.width {
                out.push('\n');
                at = 0;
            }
            at += wide;
            out.push_str(&format!("{} {name}  ", self.mark(number, lines)));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }

    fn number(&self, chart: &Chart) -> String {
        let figure = chart.series.first().and_then(|series| series.points.first());
        let figure = figure.map_or("", |point| point.name.as_str());
        let unit = chart.measure.unit.as_deref().map(|unit| format!(" {unit}")).unwrap_or_default();
        let figure = self.styled("1", &format!("{figure}{unit}"));
        format!("{}: {figure}\n", clean(&chart.title))
    }

    /// The sign of a series in the legend.
    fn mark(&self, series: usize, line: bool) -> String {
        let signs = if line { GLYPHS } else { FILLS };
        match self.colours {
            true => self.coloured(series, if line { "●" } else { "■" }),
            false => signs.get(series % signs.len()).map(char::to_string).unwrap_or_default(),
        }
    }

    fn coloured(&self, series: usize, text: &str) -> String {
        self.styled(COLOURS.get(series % COLOURS.len()).copied().unwrap_or("34"), text)
    }

    fn dim(&self, text: &str) -> String {
        self.styled("2", text)
    }

    fn styled(&self, code: &str, text: &str) -> String {
        match self.colours && !text.is_empty() {
            true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}
