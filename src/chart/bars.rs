//! Bars: for each thing, for each thing and colour, for each number of one row.

use std::collections::HashMap;

use super::choose::{NOTHING, axis_of_all, capital, comparable, listed, together};
use super::columns::{Column, Role, Sorted, Table};
use super::picture::{Axis, Places, Point, Series};
use super::{Chart, Kind};
use crate::schema::Value;
use sqlogue_base::calendar::{MONTHS, WEEKDAYS};

/// More bars than these are no picture any more.
pub(super) const MOST_BARS: usize = 30;

/// Where each has several bars, fewer are one.
const MOST_GROUPS: usize = 16;

/// Of so many names at most one in ten may come twice, as two people of one name do.
const NAMESAKES: usize = 10;

/// One bar for each number of a single row, where the numbers can be compared.
pub(super) fn side_by_side(measures: &[&Column], row: &[Value]) -> Chart {
    let values: Vec<Option<f64>> = measures.iter().map(|measure| measure.number(row)).collect();
    let sizes = || values.iter().flatten().map(|value| value.abs()).filter(|value| *value > 0.0);
    let (least, most) =
        sizes().fold((f64::MAX, 0.0_f64), |(low, high), size| (low.min(size), high.max(size)));
    let same_unit = measures.windows(2).all(|pair| matches!(pair, [one, other] if one.unit == other.unit));
    if !same_unit || most / least > 50.0 || measures.len() > MOST_BARS {
        return Chart::table("the numbers of one row are of different kinds");
    }
    let names: Vec<String> = measures.iter().map(|measure| measure.title.clone()).collect();
    let points = names.iter().zip(values).enumerate();
    let points =
        points.map(|(at, (name, value))| Point { at: at as f64, value, name: name.clone() }).collect();
    let unit = measures.first().and_then(|measure| measure.unit.clone());
    Chart {
        title: capital(&together(measures)),
        along: Axis { places: Places::Names(names), ..Axis::default() },
        measure: Axis { title: "value".to_owned(), unit, places: Places::Numbers },
        lying: true,
        series: vec![Series { name: String::new(), points }],
        ..Chart::empty(Kind::Bars, "Bars: one for each number of the row.".to_owned())
    }
}

/// One bar for each name, or one for each measure of a name.
pub(super) fn by_name(table: &Table<'_>, name: &Column, measures: &[&Column]) -> Chart {
    let (drawn, left) = comparable(measures, table);
    let mut names: Vec<String> =
        table.rows.iter().map(|row| name.text(row).unwrap_or_else(|| NOTHING.to_owned())).collect();
    let twice = make_different(&mut names);
    if table.grouped != Some(true) && twice * NAMESAKES > names.len() {
        return Chart::table(&format!("the same {} comes in several rows", name.title));
    }
    let value = |row: &usize| {
        let first = drawn.first().zip(table.rows.get(*row));
        first.and_then(|(measure, row)| measure.number(row))
    };
    let order = ordered(table, name, (0..names.len()).collect(), value, &[]);
    let most = if drawn.len() == 1 { MOST_BARS } else { MOST_GROUPS };
    let (kept, others) = cut(order, most);
    let points = |measure: &Column| {
        let bars = kept.iter().enumerate();
        bars.map(|(at, row)| Point {
            at: at as f64,
            value: table.rows.get(*row).and_then(|row| measure.number(row)),
            name: names.get(*row).cloned().unwrap_or_default(),
        })
        .collect()
    };
    let series = drawn.iter().map(|measure| Series { name: measure.title.clone(), points: points(measure) });
    let series = series.collect();
    let (kind, reason) = match drawn.as_slice() {
        [measure] if measure.title == "count" => {
            (Kind::Bars, format!("Bars: one count for each {}.", name.title))
        }
        [measure] => (Kind::Bars, format!("Bars: one number of {} for each {}.", measure.title, name.title)),
        drawn => {
            (Kind::GroupedBars, format!("Bars side by side: {} for each {}.", listed(drawn), name.title))
        }
    };
    let along = kept.iter().filter_map(|row| names.get(*row).cloned()).collect();
    let mut chart = Chart {
        title: capital(&format!("{} by {}", together(&drawn), name.title)),
        along: Axis { title: name.title.clone(), unit: None, places: Places::Names(along) },
        measure: axis_of_all(&drawn),
        lying: name.role == Role::Name,
        series,
        ..Chart::empty(kind, reason)
    };
    chart.note_others(others);
    chart.leave_out(&left);
    chart
}

/// Bars for each pair of two names: the one that comes in fewer kinds is the colour.
pub(super) fn by_two(table: &Table<'_>, names: [&Column; 2], measures: &[&Column]) -> Chart {
    let Some((measure, left)) = measures.split_first() else { return Chart::table("nothing was measured") };
    let [one, other] = names;
    let (first, second) = (Kinds::of(table, one, other, measure), Kinds::of(table, other, one, measure));
    let (along, colour) =
        if first.names.len() < second.names.len() { (second, first) } else { (first, second) };
    let mut values: HashMap<(&str, &str), Option<f64>> = HashMap::new();
    for ((row, at), colour) in table.rows.iter().zip(&along.of_rows).zip(&colour.of_rows) {
        if values.insert((at, colour), measure.number(row)).is_some() {
            let (one, other) = (&along.column.title, &colour_title(names, along.column).title);
            return Chart::table(&format!("the same {one} and {other} come in several rows"));
        }
    }
    let (bars, others) = cut(along.names.clone(), MOST_GROUPS);
    let series = colour.names.iter().map(|name| Series {
        name: name.clone(),
        points: bars
            .iter()
            .enumerate()
            .filter_map(|(at, bar)| {
                let value = *values.get(&(bar.as_str(), name.as_str()))?;
                Some(Point { at: at as f64, value, name: bar.clone() })
            })
            .collect(),
    });
    let series: Vec<Series> = series.collect();
    let parts = measure.adds_up
        && [along.column, colour.column].iter().all(|column| column.role == Role::Name)
        && values.values().flatten().all(|value| *value >= 0.0);
    let (kind, way) = match parts {
        true => (Kind::StackedBars, "Bars in parts that add up"),
        false => (Kind::GroupedBars, "Bars side by side"),
    };
    let (one, other) = (&along.column.title, &colour.column.title);
    let mut chart = Chart {
        title: capital(&format!("{} by {one} and {other}", measure.title)),
        along: Axis { title: one.clone(), unit: None, places: Places::Names(bars) },
        measure: axis_of_all(&[measure]),
        colour: other.clone(),
        lying: along.column.role == Role::Name,
        series,
        ..Chart::empty(kind, format!("{way}: {} for each {one}, a colour for each {other}.", measure.title))
    };
    chart.note_others(others);
    chart.keep_largest_series(&colour.column.title);
    chart.leave_out(left);
    chart
}

fn colour_title<'a>(names: [&'a Column; 2], along: &Column) -> &'a Column {
    let [first, second] = names;
    if first.index == along.index { second } else { first }
}

/// The kinds that a column of names comes in.
struct Kinds<'a> {
    column: &'a Column,
    /// Each once, in the order in which they are drawn.
    names: Vec<String>,
    /// The kind of each row.
    of_rows: Vec<String>,
}

impl<'a> Kinds<'a> {
    fn of(table: &Table<'_>, column: &'a Column, other: &Column, measure: &Column) -> Self {
        let of_rows: Vec<String> =
            table.rows.iter().map(|row| column.text(row).unwrap_or_else(|| NOTHING.to_owned())).collect();
        let mut firsts: Vec<usize> = Vec::new();
        let mut sums: HashMap<&str, f64> = HashMap::new();
        for (row, (name, cells)) in of_rows.iter().zip(table.rows).enumerate() {
            let sum = sums.entry(name).or_insert_with(|| {
                firsts.push(row);
                0.0
            });
            *sum += measure.number(cells).unwrap_or_default();
        }
        let name = |row: &usize| of_rows.get(*row).cloned().unwrap_or_default();
        let order =
            ordered(table, column, firsts, |row| sums.get(name(row).as_str()).copied(), &[other.index]);
        let names = order.iter().map(name).collect();
        Self { column, names, of_rows }
    }
}

/// Rows in the order of their bars: by time, by steps, as the query sorted them, else by value, the largest first. An order
/// by one of the `others` says nothing about this name.
fn ordered(
    table: &Table<'_>,
    name: &Column,
    mut rows: Vec<usize>,
    value: impl Fn(&usize) -> Option<f64>,
    others: &[usize],
) -> Vec<usize> {
    let cells = |row: &usize| table.rows.get(*row).map_or(&[][..], Vec::as_slice);
    match name.role {
        Role::Time(_) => rows.sort_by(|one, other| order(name.time(cells(one)), name.time(cells(other)))),
        Role::Steps => {
            let step = |row: &usize| name.number(cells(row)).or_else(|| calendar(&name.text(cells(row))?));
            // Bands have an order that only the query knows.
            if rows.iter().any(|row| step(row).is_some()) {
                rows.sort_by(|one, other| order(step(one), step(other)));
            }
        }
        _ if match table.sorted {
            Sorted::No => false,
            Sorted::By(column) => !others.contains(&column),
            Sorted::Otherwise => true,
        } => {}
        _ => {
            rows.sort_by(|one, other| order(value(one).map(|value| -value), value(other).map(|value| -value)))
        }
    }
    rows
}

/// Numbers in their order, what is none last.
fn order(one: Option<f64>, other: Option<f64>) -> std::cmp::Ordering {
    one.unwrap_or(f64::INFINITY).total_cmp(&other.unwrap_or(f64::INFINITY))
}

/// The place of a month or a weekday in its year or week.
fn calendar(name: &str) -> Option<f64> {
    let mut names = MONTHS.iter().chain(&WEEKDAYS);
    names.position(|known| known.eq_ignore_ascii_case(name)).map(|at| at as f64)
}

/// The first of a list, and how many there are behind them.
fn cut<T>(mut list: Vec<T>, most: usize) -> (Vec<T>, usize) {
    let others = list.len().saturating_sub(most);
    list.truncate(most);
    (list, others)
}

/// Numbers names that come again; how many did.
fn make_different(names: &mut [String]) -> usize {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut again = 0;
    for name in names {
        let times = seen.entry(name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            again += 1;
            *name = format!("{name} ({times})");
        }
    }
    again
}

impl Chart {
    fn note_others(&mut self, others: usize) {
        if others > 0 {
            let them = if others == 1 { "other is" } else { "others are" };
            self.notes.push(format!("And {others} {them} not drawn."));
        }
    }
}
