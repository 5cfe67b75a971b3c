//! Charts as SVG, without an outside program.

mod marks;
mod plot;

use std::fmt::Write as _;

use super::{Chart, Kind};

/// The colours by Okabe and Ito, which people tell apart whatever colours they see; grey in place of black, which is no
/// colour on a dark ground, and yellow, which is hardly one on a white ground, last.
pub(super) const COLOURS: [&str; 8] =
    ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#999999", "#F0E442"];

/// The ground that a chart stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// White.
    Light,
    /// Nearly black.
    Dark,
    /// As whoever looks prefers it (`prefers-color-scheme`); white where that is not known.
    #[default]
    Auto,
}

/// What is not a series: its name as a class, and its colour on a light and on a dark ground.
const INKS: [(&str, &str, &str); 4] = [
    ("ground", "#ffffff", "#0d1117"),
    ("ink", "#1f2328", "#e6edf3"),
    ("faint", "#57606a", "#9198a1"),
    ("grid", "#d8dee4", "#30363d"),
];

const TITLE: f64 = 16.0;
const TEXT: f64 = 12.0;
/// Around everything.
const MARGIN: f64 = 14.0;

pub(super) fn write(chart: &Chart, theme: Theme, width: u32, height: u32) -> String {
    let (width, height) = (f64::from(width.clamp(240, 20_000)), f64::from(height.clamp(160, 20_000)));
    let mut page = Page { body: String::new(), theme, width, height };
    match chart.kind {
        Kind::Number => page.number(chart),
        Kind::Table => page.words(chart),
        _ => plot::draw(&mut page, chart),
    }
    page.document(chart)
}

/// A page that is drawn on.
struct Page {
    body: String,
    theme: Theme,
    width: f64,
    height: f64,
}

/// Where a text ends up beside its place.
#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

impl Page {
    fn document(self, chart: &Chart) -> String {
        let Self { body, theme, width, height } = self;
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\">\n\
             <title>{}</title>\n<desc>{}</desc>\n",
            escaped(&chart.title),
            escaped(&chart.reason)
        );
        if theme == Theme::Auto {
            out.push_str("<style>@media (prefers-color-scheme: dark) {");
            for (name, _, dark) in INKS {
                let _ = write!(out, " .{name} {{ fill: {dark} }} .{name}-line {{ stroke: {dark} }}");
            }
            out.push_str(" }</style>\n");
        }
        let _ = writeln!(out, "<rect width=\"100%\" height=\"100%\" {}/>", fill(theme, "ground"));
        out.push_str(&body);
        out.push_str("</svg>\n");
        out
    }

    fn text(&mut self, text: &str, (x, y): (f64, f64), anchor: Anchor, size: f64, ink: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if size > TEXT { " font-weight=\"600\"" } else { "" };
        let fill = fill(self.theme, ink);
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\"{anchor}{weight} {fill}>{text}</text>"
        );
    }

    /// A text that climbs to its place from below.
    fn climbing_text(&mut self, text: &str, (x, y): (f64, f64)) {
        let fill = fill(self.theme, "faint");
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-40)\" font-size=\"{TEXT}\" text-anchor=\"end\" {fill}>{text}</text>"
        );
    }

    fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), ink: &str) {
        let stroke = stroke(self.theme, ink);
        let _ = writeln!(
            self.body,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {stroke}/>"
        );
    }

    /// The title, in as many lines as it takes; where the next thing may begin.
    fn title(&mut self, chart: &Chart) -> f64 {
        let mut y = MARGIN;
        for line in wrapped(&chart.title, self.width - 2.0 * MARGIN, TITLE) {
            y += TITLE + 2.0;
            self.text(&line, (MARGIN, y), Anchor::Start, TITLE, "ink");
        }
        y + 8.0
    }

    /// The notes in lines, from the bottom up; where the last thing before them has to end.
    fn notes(&mut self, notes: &[String]) -> f64 {
        let lines: Vec<String> =
            notes.iter().flat_map(|note| wrapped(note, self.width - 2.0 * MARGIN, TEXT)).collect();
        let top = self.height - MARGIN - lines.len() as f64 * (TEXT + 3.0);
        for (number, line) in lines.iter().enumerate() {
            let y = top + (number + 1) as f64 * (TEXT + 3.0);
            self.text(line, (MARGIN, y), Anchor::Start, TEXT, "faint");
        }
        top
    }

    fn number(&mut self, chart: &Chart) {
        let figure = chart.series.first().and_then(|series| series.points.first());
        let figure = figure.map_or("", |point| point.name.as_str());
        let figure = match &chart.measure.unit {
            Some(unit) => format!("{figure} {unit}"),
            None => figure.to_owned(),
        };
        let size = (self.height / 3.0)
            .min(TITLE * (self.width - 2.0 * MARGIN) / text_width(&figure, TITLE))
            .clamp(TITLE, 96.0);
        let (x, y) = (self.width / 2.0, self.height / 2.0);
        self.text(&figure, (x, y + size / 3.0), Anchor::Middle, size, "ink");
        for (number, line) in wrapped(&chart.title, self.width - 2.0 * MARGIN, TEXT).iter().enumerate() {
            let y = y + size / 2.0 + (number + 1) as f64 * (TEXT + 6.0);
            self.text(line, (x, y), Anchor::Middle, TEXT, "faint");
        }
        self.notes(&chart.notes);
    }

    fn words(&mut self, chart: &Chart) {
        for (number, line) in wrapped(&chart.reason, self.width - 2.0 * MARGIN, TEXT).iter().enumerate() {
            let y = self.height / 2.0 + number as f64 * (TEXT + 4.0);
            self.text(line, (self.width / 2.0, y), Anchor::Middle, TEXT, "faint");
        }
        self.notes(&chart.notes);
    }
}

fn shade(theme: Theme, ink: &str) -> &'static str {
    let found = INKS.iter().find(|(name, ..)| *name == ink);
    found.map_or("#57606a", |(_, light, dark)| if theme == Theme::Dark { dark } else { light })
}

/// What fills in this ink. The class is what the style sheet of a dark ground goes by.
fn fill(theme: Theme, ink: &str) -> String {
    format!("class=\"{ink}\" fill=\"{}\"", shade(theme, ink))
}

fn stroke(theme: Theme, ink: &str) -> String {
    format!("class=\"{ink}-line\" stroke=\"{}\"", shade(theme, ink))
}

/// The colour of the series of that number.
fn colour(series: usize) -> &'static str {
    COLOURS.get(series % COLOURS.len()).copied().unwrap_or("#0072B2")
}

/// About how wide a text is in Helvetica; a little too wide rather than too narrow.
fn text_width(text: &str, size: f64) -> f64 {
    let em = |character: char| match character {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '('
        | ')' => 0.34,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.9,
        character if character.is_uppercase() => 0.7,
        character if character.is_ascii() => 0.57,
        character => 0.6 * crate::base::text::width(character.encode_utf8(&mut [0; 4])) as f64,
    };
    text.chars().map(em).sum::<f64>() * size
}

/// The text, cut with an ellipsis where it is wider than so many pixels.
fn cut(text: &str, width: f64, size: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    for character in text.chars() {
        shown.push(character);
        if text_width(&shown, size) > width - size * 0.6 {
            shown.pop();
            break;
        }
    }
    format!("{}…", shown.trim_end())
}

/// The text in lines of at most so many pixels.
fn wrapped(text: &str, width: f64, size: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(line, size) + text_width(word, size) + size * 0.34 <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(cut(word, width, size)),
        }
    }
    lines
}

/// Other people's text, harmless in a document.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in crate::base::text::clean(text).chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // No XML holds them, not even written as references.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}
