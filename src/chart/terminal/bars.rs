//! Lying bars, whatever way they lie in other pictures: a terminal has many lines and few columns.

use super::{Chart, FILLS, Kind, Sheet, clean, cut, figures, places_of};
use crate::chart::picture::{Point, extent};

/// Bars are at least so long.
const SHORTEST: usize = 8;

pub(super) fn write(out: &mut String, chart: &Chart, sheet: &Sheet) {
    let names: Vec<String> = chart.along.names().iter().map(|name| clean(name).into_owned()).collect();
    let widest = names.iter().map(|name| places_of(name)).max().unwrap_or(0).min(sheet.width * 2 / 5);
    let stacks = if chart.kind == Kind::StackedBars { stacks(chart) } else { Vec::new() };
    let ends = || chart.series.iter().flat_map(|series| &series.points).filter_map(|point| point.value);
    let sums = stacks.iter().map(|parts| parts.iter().map(|(_, value)| value).sum());
    let (low, high) = extent(ends().chain(sums.clone()).chain([0.0])).unwrap_or((0.0, 1.0));
    // The number beside a stack is its sum.
    let written = if stacks.is_empty() { ends().collect::<Vec<f64>>() } else { sums.clone().collect() };
    let figure = figures(written.into_iter());
    let label = |value: Option<f64>| value.map_or_else(|| "NULL".to_owned(), &figure);
    let labels = ends().chain([high]).map(|value| places_of(&label(Some(value)))).max().unwrap_or(1).max(4);
    let ruler = Ruler { low, high, places: sheet.width.saturating_sub(widest + labels + 2).max(SHORTEST) };
    for (at, name) in names.iter().enumerate() {
        let name = cut(name, widest);
        let begin = format!("{}{name} ", " ".repeat(widest.saturating_sub(places_of(&name))));
        if let Some(parts) = stacks.get(at) {
            let sum: f64 = parts.iter().map(|(_, value)| value).sum();
            out.push_str(&format!("{begin}{} {}\n", ruler.stack(parts, sheet), label(Some(sum))));
            continue;
        }
        for (number, series) in chart.series.iter().enumerate() {
            let begin = if number == 0 { begin.clone() } else { " ".repeat(widest + 1) };
            let Some(point) = bar_of(&series.points, at) else {
                // A pair that never came has no bar, but its name stays.
                if number == 0 {
                    out.push_str(&format!("{}\n", begin.trim_end()));
                }
                continue;
            };
            let bar = ruler.bar(point.value.unwrap_or_default());
            let bar = match sheet.colours {
                true => sheet.coloured(number, &bar),
                false => refilled(&bar, number),
            };
            let said = label(point.value);
            let said = if point.value.is_none() { sheet.dim(&said) } else { said };
            out.push_str(&format!("{begin}{bar} {said}\n"));
        }
    }
}

fn bar_of(points: &[Point], at: usize) -> Option<&Point> {
    points.iter().find(|point| point.at as usize == at)
}

/// The bar of a series that has a sign of its own in place of a colour.
fn refilled(bar: &str, series: usize) -> String {
    match FILLS.get(series % FILLS.len()) {
        Some(fill) if series > 0 => bar.chars().map(|block| if block == ' ' { ' ' } else { *fill }).collect(),
        _ => bar.to_owned(),
    }
}

/// For each name the series that have a part of it.
fn stacks(chart: &Chart) -> Vec<Vec<(usize, f64)>> {
    let mut stacks = vec![Vec::new(); chart.along.names().len()];
    for (number, series) in chart.series.iter().enumerate() {
        for point in &series.points {
            if let (Some(stack), Some(value)) = (stacks.get_mut(point.at as usize), point.value) {
                stack.push((number, value));
            }
        }
    }
    stacks
}

/// How long bars are.
struct Ruler {
    low: f64,
    high: f64,
    places: usize,
}

impl Ruler {
    /// Where a value lies, in eighths of a place from the left.
    fn eighths(&self, value: f64) -> usize {
        let share = (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0);
        if share.is_finite() {
            (share.clamp(0.0, 1.0) * (self.places * 8) as f64).round() as usize
        } else {
            0
        }
    }

    /// A bar from nothing to the value, with what is left of it.
    fn bar(&self, value: f64) -> String {
        // Nothing lies between two characters, so that no bar begins inside one.
        let zero = (self.eighths(0.0) + 4) / 8;
        if value < 0.0 {
            let long = (value / self.low * zero as f64).round().clamp(1.0, zero.max(1) as f64) as usize;
            return format!("{}{}", " ".repeat(zero.saturating_sub(long)), "█".repeat(long));
        }
        let free = (self.places.saturating_sub(zero) * 8) as f64;
        let long = if value > 0.0 { (value / self.high * free).round() as usize } else { 0 };
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"].get(long % 8).copied().unwrap_or("");
        // Something is never drawn as nothing.
        let rest = if long == 0 && value > 0.0 { "▏" } else { rest };
        format!("{}{}{rest}", " ".repeat(zero), "█".repeat(long / 8))
    }

    fn stack(&self, parts: &[(usize, f64)], sheet: &Sheet) -> String {
        let (mut reached, mut drawn) = (0.0, 0);
        let mut bar = String::new();
        for (series, value) in parts {
            reached += value;
            let end = (self.eighths(reached) + 4) / 8;
            let part = end.saturating_sub(drawn);
            drawn = drawn.max(end);
            match sheet.colours {
                true => bar.push_str(&sheet.coloured(*series, &"█".repeat(part))),
                false => bar.extend(std::iter::repeat_n(
                    FILLS.get(series % FILLS.len()).copied().unwrap_or('█'),
                    part,
                )),
            }
        }
        bar
    }
}
