//! Lines and points on a grid of dots, eight to a character.

use super::{Chart, GLYPHS, Kind, Scale, Sheet, places_of};
use crate::chart::picture::{Places, Series, extent};
use crate::chart::time;

/// The lines of text that a picture takes.
const HEIGHT: usize = 14;

/// So few points are drawn large.
const FEW_POINTS: usize = 200;

pub(super) fn write(out: &mut String, chart: &Chart, sheet: &Sheet) {
    let points =
        || chart.series.iter().flat_map(|series| &series.points).filter(|point| point.value.is_some());
    let (low, high) = extent(points().filter_map(|point| point.value)).unwrap_or((0.0, 1.0));
    let low = if low > 0.0 && (low < high / 2.0 || low == high) { 0.0 } else { low };
    let values = Scale::covering(low, high, 4);
    let (first, last) = extent(points().map(|point| point.at)).unwrap_or((0.0, 1.0));
    let labels: Vec<String> = values.ticks.iter().map(|tick| values.label(*tick)).collect();
    let widest = labels.iter().map(|label| places_of(label)).max().unwrap_or(0);
    let mut canvas = Canvas::new(sheet.width.saturating_sub(widest + 3).max(10));
    // Lines without colours are told apart by signs, and a few dots alone are hardly seen.
    let glyphs = match chart.kind {
        Kind::Lines => chart.series.len() > 1 && !sheet.colours,
        _ => points().count() <= FEW_POINTS,
    };
    for (number, series) in chart.series.iter().enumerate() {
        canvas.series(number, series, chart.kind == Kind::Lines, glyphs, |at, value| {
            let share = if last > first { (at - first) / (last - first) } else { 0.5 };
            (share, values.share(value))
        });
    }
    let row_of = |value: f64| ((1.0 - values.share(value)) * (HEIGHT - 1) as f64).round() as usize;
    for row in 0..HEIGHT {
        let label = values.ticks.iter().position(|tick| row_of(*tick) == row);
        let label = label.and_then(|at| labels.get(at)).map_or("", String::as_str);
        let axis = if label.is_empty() { "│" } else { "┤" };
        let line = format!(
            "{}{} {}",
            sheet.dim(&format!("{}{label} ", " ".repeat(widest.saturating_sub(places_of(label))))),
            sheet.dim(axis),
            canvas.row(row, sheet)
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let ticks = match chart.along.places {
        Places::Times(grain) => time::ticks(first, last, grain, canvas.width / 14),
        _ => {
            let scale = Scale::covering(first, last, canvas.width / 14);
            let inside = scale.ticks.iter().filter(|tick| (first..=last).contains(*tick));
            inside.map(|tick| (*tick, scale.label(*tick))).collect()
        }
    };
    let share = |at: f64| if last > first { (at - first) / (last - first) } else { 0.5 };
    let below = foot(&ticks, share, canvas.width);
    let margin = " ".repeat(widest + 1);
    out.push_str(&sheet.dim(&format!("{margin}└{}", "─".repeat(canvas.width + 1))));
    out.push('\n');
    out.push_str(&sheet.dim(format!("{margin}  {below}").trim_end()));
    out.push('\n');
    if chart.kind == Kind::Points {
        let heading = format!("{margin}  up: {}, right: {}", chart.measure.heading(), chart.along.heading());
        out.push_str(&sheet.dim(&heading));
        out.push('\n');
    }
}

/// The labels of the ticks on one line, each under its place, as many as fit.
fn foot(ticks: &[(f64, String)], share: impl Fn(f64) -> f64, width: usize) -> String {
    let mut line = String::new();
    for (at, label) in ticks {
        let place = (share(*at) * width.saturating_sub(1) as f64).round() as usize;
        let wide = places_of(label);
        let begin = place.saturating_sub(wide / 2).min(width.saturating_sub(wide));
        let taken = places_of(&line);
        if taken == 0 || begin > taken {
            line.push_str(&" ".repeat(begin.saturating_sub(taken)));
            line.push_str(label);
        }
    }
    line
}

/// A place of one character.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// The dots that are set, as Braille numbers them.
    dots: u8,
    series: usize,
    /// Whether the sign of the series stands here in place of dots.
    glyph: bool,
}

struct Canvas {
    width: usize,
    cells: Vec<Cell>,
}

impl Canvas {
    fn new(width: usize) -> Self {
        Self { width, cells: vec![Cell::default(); width * HEIGHT] }
    }

    fn series(
        &mut self,
        number: usize,
        series: &Series,
        joined: bool,
        glyphs: bool,
        place: impl Fn(f64, f64) -> (f64, f64),
    ) {
        let mut before: Option<(i64, i64)> = None;
        for point in &series.points {
            let Some(value) = point.value else {
                before = None;
                continue;
            };
            let (across, up) = place(point.at, value);
            let x = (across * (self.width * 2 - 1) as f64).round() as i64;
            let y = ((1.0 - up) * (HEIGHT * 4 - 1) as f64).round() as i64;
            if glyphs {
                self.set((x, y), number, true);
            } else if let (true, Some(before)) = (joined, before) {
                self.line(before, (x, y), number);
            } else {
                self.set((x, y), number, false);
            }
            before = Some((x, y));
        }
    }

    /// Sets the dots between two.
    fn line(&mut self, (x1, y1): (i64, i64), (x2, y2): (i64, i64), series: usize) {
        let steps = (x2 - x1).abs().max((y2 - y1).abs()).max(1);
        for step in 0..=steps {
            let between =
                |from: i64, to: i64| from + ((to - from) as f64 * step as f64 / steps as f64).round() as i64;
            self.set((between(x1, x2), between(y1, y2)), series, false);
        }
    }

    fn set(&mut self, (x, y): (i64, i64), series: usize, glyph: bool) {
        const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        let dot = DOTS.get(y % 4).and_then(|row| row.get(x % 2)).copied().unwrap_or(0);
        if let Some(cell) = self.cells.get_mut(y / 4 * self.width + x / 2).filter(|_| x / 2 < self.width) {
            *cell = Cell { dots: cell.dots | dot, series, glyph };
        }
    }

    fn row(&self, row: usize, sheet: &Sheet) -> String {
        let cells = self.cells.get(row * self.width..(row + 1) * self.width).unwrap_or_default();
        let mut line = String::new();
        for cell in cells {
            let sign = match cell {
                Cell { glyph: true, series, .. } => GLYPHS.get(series % GLYPHS.len()).copied().unwrap_or('●'),
                Cell { dots: 0, .. } => ' ',
                Cell { dots, .. } => char::from_u32(0x2800 + u32::from(*dots)).unwrap_or('.'),
            };
            match sign {
                ' ' => line.push(' '),
                sign => line.push_str(&sheet.coloured(cell.series, sign.encode_utf8(&mut [0; 4]))),
            }
        }
        line
    }
}
