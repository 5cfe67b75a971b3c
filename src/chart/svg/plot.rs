//! The ground that marks stand on: axes, ticks, the legend.

use super::super::picture::{Places, extent};
use super::super::scale::Scale;
use super::super::{Chart, Kind, scale, time};
use super::{Anchor, MARGIN, Page, TEXT, colour, cut, marks, text_width};

/// Between a tick and its label.
const GAP: f64 = 6.0;
const LINE: f64 = TEXT + 4.0;

/// A rectangle that is drawn in, and what its sides measure.
pub(super) struct Plot<'a> {
    pub(super) chart: &'a Chart,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) values: Scale,
    /// The first and the last place along the other axis.
    pub(super) along: (f64, f64),
}

impl Plot<'_> {
    /// Where something stands: so far along, and of that value.
    pub(super) fn at(&self, share: f64, value: f64) -> (f64, f64) {
        let value = self.values.share(value);
        let (width, height) = (self.right - self.left, self.bottom - self.top);
        match self.chart.lying {
            true => (self.left + value * width, self.top + share * height),
            false => (self.left + share * width, self.bottom - value * height),
        }
    }

    /// How far along a place is, from 0 to 1.
    pub(super) fn share(&self, at: f64) -> f64 {
        let (first, last) = self.along;
        match &self.chart.along.places {
            Places::Names(names) => (at + 0.5) / names.len().max(1) as f64,
            _ if last > first => (at - first) / (last - first),
            _ => 0.5,
        }
    }

    /// How many pixels one name has.
    pub(super) fn band(&self) -> f64 {
        let length = if self.chart.lying { self.bottom - self.top } else { self.right - self.left };
        length / self.chart.along.names().len().max(1) as f64
    }
}

pub(super) fn draw(page: &mut Page, chart: &Chart) {
    let below = page.title(chart);
    let top = legend(page, chart, below);
    if chart.lying {
        page.height =
            page.height.max(top + MARGIN + 3.0 * LINE + thickness(chart) + notes_height(page, chart));
    }
    let bottom = page.notes(&chart.notes);
    let plot = laid_out(page, chart, top, bottom);
    value_axis(page, &plot);
    match &chart.along.places {
        Places::Names(names) if chart.lying => lying_names(page, &plot, names),
        Places::Names(names) => standing_names(page, &plot, names),
        _ => running_axis(page, &plot),
    }
    match chart.kind {
        Kind::Lines => marks::lines(page, &plot),
        Kind::Points => marks::points(page, &plot),
        Kind::StackedBars => marks::stacked(page, &plot),
        _ => marks::bars(page, &plot),
    }
}

/// The pixels that lying bars need.
fn thickness(chart: &Chart) -> f64 {
    let bars = if chart.kind == Kind::GroupedBars { chart.series.len() } else { 1 };
    chart.along.names().len() as f64 * (8.0 + 12.0 * bars as f64)
}

fn notes_height(page: &Page, chart: &Chart) -> f64 {
    let lines = chart.notes.iter().map(|note| super::wrapped(note, page.width - 2.0 * MARGIN, TEXT).len());
    lines.sum::<usize>() as f64 * (TEXT + 3.0) + MARGIN
}

/// The smallest and the largest value that the axis has to show.
fn value_range(chart: &Chart) -> (f64, f64) {
    let values = chart.series.iter().flat_map(|series| &series.points).filter_map(|point| point.value);
    let (low, high) = match chart.kind {
        Kind::StackedBars => (0.0, marks::totals(chart).into_iter().fold(0.0, f64::max)),
        _ => extent(values).unwrap_or((0.0, 1.0)),
    };
    match chart.kind {
        // A bar begins at nothing, whatever it ends at.
        Kind::Bars | Kind::GroupedBars | Kind::StackedBars => (low.min(0.0), high.max(0.0)),
        // Where nothing is not far off, a line that begins there says more.
        _ if low > 0.0 && low < high / 2.0 => (0.0, high),
        _ if low < high => (low, high),
        _ => (low.min(0.0), high.max(0.0)),
    }
}

fn laid_out<'a>(page: &Page, chart: &'a Chart, top: f64, bottom: f64) -> Plot<'a> {
    let (low, high) = value_range(chart);
    let length = if chart.lying { page.width * 0.6 / 90.0 } else { (bottom - top) / 50.0 };
    let values = Scale::covering(low, high, (length as usize).clamp(2, 8));
    let labels = values.ticks.iter().map(|tick| text_width(&values.label(*tick), TEXT));
    let widest_label = labels.fold(0.0, f64::max);
    let names = chart.along.names().iter().map(|name| text_width(name, TEXT)).fold(0.0, f64::max);
    let room = page.width - 2.0 * MARGIN;
    let places = chart.series.iter().flat_map(|series| &series.points).map(|point| point.at);
    let (first, last) = extent(places).unwrap_or((0.0, 1.0));
    let along = match chart.along.places {
        Places::Numbers => {
            let scale = Scale::covering(first, last, (page.width / 90.0) as usize);
            (scale.low, scale.high)
        }
        _ => (first, last),
    };
    let mut plot = Plot {
        chart,
        left: MARGIN + if chart.lying { names.min(room * 0.4) } else { widest_label } + GAP,
        right: page.width - MARGIN - if chart.lying { 12.0 } else { 4.0 },
        top: top + LINE + GAP,
        bottom: bottom - 2.0 * LINE - GAP,
        values,
        along,
    };
    if chart.kind == Kind::Bars && chart.lying {
        plot.right -= marks::widest_figure(chart);
    }
    if !chart.lying && names > plot.band() {
        plot.bottom -= (names.min(140.0) * 0.65 - TEXT).max(0.0);
        plot.left = plot.left.max(MARGIN + names.min(140.0) * 0.75 - plot.band() / 2.0);
    }
    plot.bottom = plot.bottom.max(plot.top + 20.0);
    plot
}

/// What the colours stand for, in as many lines as it takes; where the plot may begin.
fn legend(page: &mut Page, chart: &Chart, top: f64) -> f64 {
    if chart.series.len() < 2 {
        return top;
    }
    let (mut x, mut y) = (MARGIN, top + TEXT);
    for (number, series) in chart.series.iter().enumerate() {
        let name = cut(&series.name, page.width / 3.0, TEXT);
        let width = 16.0 + text_width(&name, TEXT) + 12.0;
        if x + width > page.width - MARGIN && x > MARGIN {
            (x, y) = (MARGIN, y + LINE + 2.0);
        }
        marks::swatch(page, (x, y - 10.0), colour(number));
        page.text(&name, (x + 16.0, y), Anchor::Start, TEXT, "ink");
        x += width;
    }
    y + GAP
}

/// The lines of the grid with what they measure, and the title of the axis.
fn value_axis(page: &mut Page, plot: &Plot<'_>) {
    for tick in &plot.values.ticks {
        let label = plot.values.label(*tick);
        let ink = if *tick == 0.0 { "faint" } else { "grid" };
        let ((x1, y1), (x2, y2)) = (plot.at(0.0, *tick), plot.at(1.0, *tick));
        page.line((x1, y1), (x2, y2), ink);
        match plot.chart.lying {
            true => page.text(&label, (x1, plot.bottom + LINE), Anchor::Middle, TEXT, "faint"),
            false => page.text(&label, (plot.left - GAP, y1 + 4.0), Anchor::End, TEXT, "faint"),
        }
    }
    let heading = plot.chart.measure.heading();
    let heading = cut(&heading, page.width - 2.0 * MARGIN, TEXT);
    match plot.chart.lying {
        true => {
            let place = ((plot.left + plot.right) / 2.0, plot.bottom + 2.0 * LINE);
            page.text(&heading, place, Anchor::Middle, TEXT, "ink");
        }
        false => page.text(&heading, (MARGIN, plot.top - 2.0 * GAP), Anchor::Start, TEXT, "ink"),
    }
}

fn lying_names(page: &mut Page, plot: &Plot<'_>, names: &[String]) {
    let heading = plot.chart.along.heading();
    page.text(&heading, (MARGIN, plot.top - 2.0 * GAP), Anchor::Start, TEXT, "ink");
    for (number, name) in names.iter().enumerate() {
        let (_, y) = plot.at(plot.share(number as f64), 0.0);
        let name = cut(name, plot.left - GAP - MARGIN + 1.0, TEXT);
        page.text(&name, (plot.left - GAP, y + 4.0), Anchor::End, TEXT, "ink");
    }
}

fn standing_names(page: &mut Page, plot: &Plot<'_>, names: &[String]) {
    let climbing = names.iter().any(|name| text_width(name, TEXT) > plot.band());
    for (number, name) in names.iter().enumerate() {
        let x = plot.left + plot.share(number as f64) * (plot.right - plot.left);
        match climbing {
            true => page.climbing_text(&cut(name, 140.0, TEXT), (x + 4.0, plot.bottom + TEXT)),
            false => page.text(name, (x, plot.bottom + LINE), Anchor::Middle, TEXT, "faint"),
        }
    }
    along_heading(page, plot);
}

/// The axis of times or numbers.
fn running_axis(page: &mut Page, plot: &Plot<'_>) {
    let (first, last) = plot.along;
    let most = ((plot.right - plot.left) / 90.0) as usize;
    let ticks = match plot.chart.along.places {
        Places::Times(grain) => time::ticks(first, last, grain, most),
        _ => {
            let scale = scale::Scale::covering(first, last, most);
            scale.ticks.iter().map(|tick| (*tick, scale.label(*tick))).collect()
        }
    };
    for (at, label) in ticks {
        let x = plot.left + plot.share(at) * (plot.right - plot.left);
        page.line((x, plot.bottom), (x, plot.bottom + 4.0), "faint");
        let half = text_width(&label, TEXT) / 2.0;
        let x = x.clamp(half + 2.0, (page.width - half - 2.0).max(half + 2.0));
        page.text(&label, (x, plot.bottom + LINE), Anchor::Middle, TEXT, "faint");
    }
    along_heading(page, plot);
}

fn along_heading(page: &mut Page, plot: &Plot<'_>) {
    let heading = plot.chart.along.heading();
    let bottom = page.height - notes_height(page, plot.chart);
    page.text(&heading, ((plot.left + plot.right) / 2.0, bottom - GAP), Anchor::Middle, TEXT, "ink");
}
