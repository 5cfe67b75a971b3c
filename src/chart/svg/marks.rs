//! Bars, lines and points.

use std::fmt::Write as _;

use super::super::Chart;
use super::super::picture::{Point, Series};
use super::super::scale::figure;
use super::plot::Plot;
use super::{Anchor, Page, TEXT, colour, escaped, text_width};

/// A line of so few points shows where they are.
const FEW_POINTS: usize = 60;

/// So many points are drawn small.
const MANY_POINTS: usize = 300;

/// The sum of each stack.
pub(super) fn totals(chart: &Chart) -> Vec<f64> {
    let mut totals = vec![0.0; chart.along.names().len()];
    for point in chart.series.iter().flat_map(|series| &series.points) {
        if let (Some(total), Some(value)) = (totals.get_mut(point.at as usize), point.value) {
            *total += value;
        }
    }
    totals
}

/// The pixels that the number beside a bar takes.
pub(super) fn widest_figure(chart: &Chart) -> f64 {
    let points = chart.series.iter().flat_map(|series| &series.points);
    points.map(|point| text_width(&written(point), TEXT)).fold(0.0, f64::max)
}

fn written(point: &Point) -> String {
    point.value.map_or_else(|| "NULL".to_owned(), figure)
}

pub(super) fn swatch(page: &mut Page, (x, y): (f64, f64), colour: &str) {
    let _ = writeln!(
        page.body,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"11\" height=\"11\" rx=\"2\" fill=\"{colour}\"/>"
    );
}

/// Bars, those of one name side by side.
pub(super) fn bars(page: &mut Page, plot: &Plot<'_>) {
    let several = plot.chart.series.len();
    let thick = (plot.band() * 0.8).min(48.0 * several as f64) / several.max(1) as f64;
    for (number, series) in plot.chart.series.iter().enumerate() {
        let aside = (number as f64 - (several as f64 - 1.0) / 2.0) * thick;
        for point in &series.points {
            let value = point.value.unwrap_or_default();
            bar(page, plot, series, point, (0.0, value), (aside, thick * 0.92), colour(number));
            if several == 1 {
                label(page, plot, point);
            }
        }
    }
}

/// Bars whose parts stand on each other.
pub(super) fn stacked(page: &mut Page, plot: &Plot<'_>) {
    let thick = (plot.band() * 0.74).min(48.0);
    let mut reached = vec![0.0; plot.chart.along.names().len()];
    for (number, series) in plot.chart.series.iter().enumerate() {
        for point in &series.points {
            let Some(reached) = reached.get_mut(point.at as usize) else { continue };
            let from = *reached;
            *reached += point.value.unwrap_or_default();
            bar(page, plot, series, point, (from, *reached), (0.0, thick), colour(number));
        }
    }
}

/// One bar from one value to another, beside the middle of its name by so many pixels, and so thick.
fn bar(
    page: &mut Page,
    plot: &Plot<'_>,
    series: &Series,
    point: &Point,
    (from, to): (f64, f64),
    (aside, thick): (f64, f64),
    colour: &str,
) {
    let share = plot.share(point.at);
    let ((x1, y1), (x2, y2)) = (plot.at(share, from), plot.at(share, to));
    let (x, y) = (x1.min(x2), y1.min(y2));
    let (x, y, width, height) = match plot.chart.lying {
        true => (x, y + aside - thick / 2.0, (x2 - x1).abs(), thick),
        false => (x + aside - thick / 2.0, y, thick, (y2 - y1).abs()),
    };
    let said = said(series, point);
    let _ = writeln!(
        page.body,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"><title>{said}</title></rect>"
    );
}

/// The number at the end of a bar, where there is room for it.
fn label(page: &mut Page, plot: &Plot<'_>, point: &Point) {
    let text = written(point);
    let value = point.value.unwrap_or_default();
    let (x, y) = plot.at(plot.share(point.at), value);
    let ink = if point.value.is_some() { "ink" } else { "faint" };
    match plot.chart.lying {
        true if value < 0.0 => {
            let (zero, _) = plot.at(0.0, 0.0);
            page.text(&text, (zero + 4.0, y + 4.0), Anchor::Start, TEXT, ink);
        }
        true => page.text(&text, (x + 4.0, y + 4.0), Anchor::Start, TEXT, ink),
        false if text_width(&text, TEXT) > plot.band() => {}
        false if value < 0.0 => page.text(&text, (x, y + TEXT), Anchor::Middle, TEXT, ink),
        false => page.text(&text, (x, y - 3.0), Anchor::Middle, TEXT, ink),
    }
}

pub(super) fn lines(page: &mut Page, plot: &Plot<'_>) {
    for (number, series) in plot.chart.series.iter().enumerate() {
        let colour = colour(number);
        let mut path = String::new();
        let mut pen_is_down = false;
        for point in &series.points {
            // A line does not go on over what is not known.
            let Some(value) = point.value else {
                pen_is_down = false;
                continue;
            };
            let (x, y) = plot.at(plot.share(point.at), value);
            let _ = write!(path, "{}{x:.1},{y:.1} ", if pen_is_down { 'L' } else { 'M' });
            pen_is_down = true;
        }
        let _ = writeln!(
            page.body,
            "<path d=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-linejoin=\"round\"><title>{}</title></path>",
            path.trim_end(),
            escaped(&series.name)
        );
        let few = series.points.len() <= FEW_POINTS;
        for point in series.points.iter().filter(|_| few) {
            dot(page, plot, series, point, (2.6, "1"), colour);
        }
    }
}

pub(super) fn points(page: &mut Page, plot: &Plot<'_>) {
    for (number, series) in plot.chart.series.iter().enumerate() {
        let look = if series.points.len() > MANY_POINTS { (2.0, "0.5") } else { (4.0, "0.75") };
        for point in &series.points {
            dot(page, plot, series, point, look, colour(number));
        }
    }
}

fn dot(
    page: &mut Page,
    plot: &Plot<'_>,
    series: &Series,
    point: &Point,
    (radius, opacity): (f64, &str),
    colour: &str,
) {
    let Some(value) = point.value else { return };
    let (x, y) = plot.at(plot.share(point.at), value);
    let said = said(series, point);
    let _ = writeln!(
        page.body,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"><title>{said}</title></circle>"
    );
}

/// What a mark says to whoever points at it.
fn said(series: &Series, point: &Point) -> String {
    let value = written(point);
    let said = match series.name.as_str() {
        "" => format!("{}: {value}", point.name),
        name => format!("{}, {name}: {value}", point.name),
    };
    escaped(&said)
}
