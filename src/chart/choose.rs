//! Which picture fits. Nothing here draws.

use std::collections::{HashMap, HashSet};

use super::columns::{Column, Role, Table};
use super::picture::{Axis, MOST_SERIES, Places, Point, Series, extent};
use super::scale::exact;
use super::time::Grain;
use super::{Chart, Kind, bars};
use crate::base::number::{apart, grouped};

/// More points than these lie on top of each other.
const MOST_POINTS: usize = 5_000;

/// With so few times, bars say more than a line.
const FEW_TIMES: usize = 2;

/// So few times may be the colours of bars.
const TIMES_AS_COLOURS: usize = 6;

/// So few things with two numbers each are better read as a table or as bars.
const FEW_THINGS: usize = 5;

/// Numbers whose sizes differ by more do not share an axis: the smaller would be a line on the ground.
const FARTHEST: f64 = 50.0;

pub(super) fn choose(table: &Table<'_>) -> Chart {
    let measures = table.of(|role| role == Role::Measure);
    let times = table.of(|role| matches!(role, Role::Time(_)));
    let names = table.of(|role| matches!(role, Role::Name | Role::Steps));
    match (table.rows, measures.as_slice()) {
        ([], _) => return Chart::table("there are no rows"),
        (_, []) => return Chart::table("no column holds numbers to draw"),
        ([row], [measure]) => return number(table, measure, row),
        ([row], measures) if times.is_empty() && names.is_empty() => {
            return bars::side_by_side(measures, row);
        }
        ([_], _) => return Chart::table("one row with several parts is read at a glance"),
        _ => {}
    }
    // What each row has a name for needs no second one.
    let naming = names.iter().find(|name| name.role == Role::Name && tells_apart(name, table));
    let names = naming.map_or(names.clone(), |name| vec![*name]);
    match (measures.as_slice(), times.as_slice(), names.as_slice()) {
        (measures, [time], []) => over_time(table, time, measures),
        (measures, [time], [name]) if naming.is_none() => over_time_by(table, time, name, measures),
        ([y], [time], [name]) => scattered(table, (y, time), Some(name)),
        (measures, [], [name]) => by_name(table, name, measures),
        (measures, [], [first, second]) => bars::by_two(table, [first, second], measures),
        ([y, x], [], []) => scattered(table, (y, x), None),
        ([_], [], []) => Chart::table("the numbers have no names and no times to stand by"),
        _ => Chart::table(&format!("no picture shows {} columns at a glance", table.columns.len())),
    }
}

/// Whether no two rows have the same in this column.
pub(super) fn tells_apart(column: &Column, table: &Table<'_>) -> bool {
    let mut seen = HashSet::new();
    table.rows.iter().all(|row| column.text(row).is_none_or(|text| seen.insert(text)))
}

fn number(table: &Table<'_>, measure: &Column, row: &[crate::schema::Value]) -> Chart {
    let value = measure.number(row);
    let text = row.get(measure.index).map(|value| match value {
        crate::schema::Value::Integer(number) => apart(&number.to_string()),
        value => value.as_f64().map_or_else(|| value.to_string(), exact),
    });
    let others = table.columns.iter().filter(|column| column.index != measure.index);
    let others: Vec<String> = others.filter_map(|column| column.text(row)).collect();
    let title = match others.as_slice() {
        [] => capital(&measure.title),
        others => format!("{}: {}", capital(&measure.title), others.join(", ")),
    };
    let point = Point { at: 0.0, value, name: text.unwrap_or_default() };
    Chart {
        title,
        measure: axis(measure),
        series: vec![Series { name: String::new(), points: vec![point] }],
        ..Chart::empty(Kind::Number, "One number: the answer is a single one.".to_owned())
    }
}

fn over_time(table: &Table<'_>, time: &Column, measures: &[&Column]) -> Chart {
    let placed = rows_with_time(table, time);
    let mut chart = match measures {
        [measure, ..] if !(is_one_a_time(&placed) && is_series(table, &placed)) => {
            return scattered(table, (measure, time), None);
        }
        _ if placed.len() <= FEW_TIMES => return bars::by_name(table, time, measures),
        measures => lines(table, time, measures, &placed),
    };
    chart.note_timeless(table.rows.len() - placed.len(), time);
    chart
}

/// A line for each measure, through rows in the order of time.
pub(super) fn lines(table: &Table<'_>, time: &Column, measures: &[&Column], placed: &[Placed<'_>]) -> Chart {
    let (drawn, left) = comparable(measures, table);
    let mut chart = Chart::lines(time, drawn.as_slice(), "");
    let series = drawn.iter();
    let series =
        series.map(|measure| Series { name: measure.title.clone(), points: line(placed, time, measure) });
    chart.series = series.collect();
    chart.leave_out(&left);
    chart
}

fn over_time_by(table: &Table<'_>, time: &Column, name: &Column, measures: &[&Column]) -> Chart {
    let placed = rows_with_time(table, time);
    let times: HashSet<u64> = placed.iter().map(|(at, _)| at.to_bits()).collect();
    let names: HashSet<Option<String>> = placed.iter().map(|(_, row)| name.text(row)).collect();
    if times.len() <= TIMES_AS_COLOURS && names.len() > 1 {
        return bars::by_two(table, [name, time], measures);
    }
    lines_by(table, time, name, measures)
}

/// A line for each name.
pub(super) fn lines_by(table: &Table<'_>, time: &Column, name: &Column, measures: &[&Column]) -> Chart {
    let Some((measure, others)) = measures.split_first() else { return Chart::table("nothing was measured") };
    let placed = rows_with_time(table, time);
    let mut series: Vec<(String, Vec<Placed<'_>>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (at, row) in &placed {
        let name = name.text(row).unwrap_or_else(|| NOTHING.to_owned());
        let known = *places.entry(name.clone()).or_insert(series.len());
        match series.get_mut(known) {
            Some((_, rows)) => rows.push((*at, row)),
            None => series.push((name, vec![(*at, row)])),
        }
    }
    if !series.iter().all(|(_, rows)| is_one_a_time(rows)) {
        return Chart::table(&format!("the same {} and {} come in several rows", time.title, name.title));
    }
    let mut chart = Chart::lines(time, &[measure], &name.title);
    chart.series =
        series.into_iter().map(|(name, rows)| Series { name, points: line(&rows, time, measure) }).collect();
    chart.keep_largest_series(&name.title);
    chart.leave_out(others);
    chart.note_timeless(table.rows.len() - placed.len(), time);
    chart
}

fn by_name(table: &Table<'_>, name: &Column, measures: &[&Column]) -> Chart {
    let numbered = name.role == Role::Steps && table.rows.len() > bars::MOST_BARS;
    match measures {
        [y] if numbered
            && table.rows.iter().all(|row| name.text(row).is_none() || name.number(row).is_some()) =>
        {
            points(table, (y, name), None)
        }
        [y, x] if table.grouped != Some(true) && name.role == Role::Name && table.rows.len() > FEW_THINGS => {
            points(table, (y, x), Some(name))
        }
        measures => bars::by_name(table, name, measures),
    }
}

/// Points, where there are enough of them to show anything.
fn scattered(table: &Table<'_>, numbers: (&Column, &Column), name: Option<&Column>) -> Chart {
    match table.rows.len() {
        0..FEW_THINGS => Chart::table("so few rows are read at a glance"),
        _ => points(table, numbers, name),
    }
}

/// One point for each row: `y` against `x`, which may be a time.
pub(super) fn points(table: &Table<'_>, (y, x): (&Column, &Column), name: Option<&Column>) -> Chart {
    let place = |row: &[crate::schema::Value]| match x.role {
        Role::Time(_) => x.time(row),
        _ => x.number(row),
    };
    let drawn = table.rows.iter().filter_map(|row| {
        let (at, value) = (place(row)?, y.number(row)?);
        let name = match name {
            Some(name) => name.text(row).unwrap_or_else(|| NOTHING.to_owned()),
            None => x.text(row).unwrap_or_default(),
        };
        Some(Point { at, value: Some(value), name })
    });
    let mut points: Vec<Point> = drawn.collect();
    let missing = table.rows.len() - points.len();
    if points.is_empty() {
        return Chart::table("no row has both numbers");
    }
    let all = points.len();
    if all > MOST_POINTS {
        let every = all.div_ceil(MOST_POINTS);
        points = points.into_iter().step_by(every).collect();
    }
    let reason = format!("Points: each row has its own {} and {}.", y.title, x.title);
    let mut chart = Chart {
        title: capital(&format!("{} against {}", y.title, x.title)),
        along: axis(x),
        measure: axis(y),
        ..Chart::empty(Kind::Points, reason)
    };
    if all > MOST_POINTS {
        chart.notes.push(format!(
            "{} of {} points are drawn, evenly chosen.",
            grouped(points.len() as u64),
            grouped(all as u64)
        ));
    }
    if missing > 0 {
        chart.notes.push(format!("{} without {} or {}: not drawn.", rows(missing), y.title, x.title));
    }
    chart.series = vec![Series { name: String::new(), points }];
    chart
}

/// What stands for NULL among names.
pub(super) const NOTHING: &str = "(none)";

/// A row with its time.
pub(super) type Placed<'a> = (f64, &'a [crate::schema::Value]);

pub(super) fn rows_with_time<'a>(table: &Table<'a>, time: &Column) -> Vec<Placed<'a>> {
    let rows = table.rows.iter();
    let mut placed: Vec<Placed<'a>> =
        rows.filter_map(|row| Some((time.time(row)?, row.as_slice()))).collect();
    if table.grouped != Some(false) {
        placed.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
    placed
}

pub(super) fn is_one_a_time(rows: &[Placed<'_>]) -> bool {
    let mut seen = HashSet::new();
    rows.iter().all(|(at, _)| seen.insert(at.to_bits()))
}

/// Whether rows follow each other in time: groups do, single things only where they were sorted so.
fn is_series(table: &Table<'_>, rows: &[Placed<'_>]) -> bool {
    table.grouped != Some(false) || rows.is_sorted_by(|one, other| one.0 <= other.0)
}

fn line(rows: &[Placed<'_>], time: &Column, measure: &Column) -> Vec<Point> {
    let point = |(at, row): &Placed<'_>| Point {
        at: *at,
        value: measure.number(row),
        name: time.text(row).unwrap_or_default(),
    };
    rows.iter().map(point).collect()
}

/// The measures that can share an axis with the first, and those that cannot.
pub(super) fn comparable<'a>(
    measures: &[&'a Column],
    table: &Table<'_>,
) -> (Vec<&'a Column>, Vec<&'a Column>) {
    let size = |column: &Column| {
        let sizes = table.rows.iter().filter_map(|row| column.number(row)).map(f64::abs);
        extent(sizes).map_or(0.0, |(_, largest)| largest)
    };
    let Some(first) = measures.first() else { return Default::default() };
    let largest = size(first);
    let fits = |column: &Column| {
        let ratio = size(column) / largest;
        column.unit == first.unit && ratio < FARTHEST && ratio > 1.0 / FARTHEST
    };
    let (mut drawn, mut left): (Vec<&Column>, Vec<&Column>) =
        measures.iter().partition(|column| column.index == first.index || fits(column));
    if drawn.len() > MOST_SERIES {
        left.extend(drawn.split_off(MOST_SERIES));
    }
    (drawn, left)
}

pub(super) fn axis(column: &Column) -> Axis {
    let places = match column.role {
        Role::Time(grain) => Places::Times(grain),
        _ => Places::Numbers,
    };
    Axis { title: column.title.clone(), unit: column.unit.clone(), places }
}

/// A measure that stands for several.
pub(super) fn axis_of_all(measures: &[&Column]) -> Axis {
    match measures {
        [measure] => axis(measure),
        measures => Axis {
            title: together(measures),
            unit: measures.first().and_then(|measure| measure.unit.clone()),
            places: Places::Numbers,
        },
    }
}

/// What several measures are called together: the words that all begin or end with, else all their names.
pub(super) fn together(measures: &[&Column]) -> String {
    let words: Vec<Vec<&str>> = measures.iter().map(|measure| measure.title.split(' ').collect()).collect();
    let Some((first, others)) = words.split_first() else { return String::new() };
    let shared = |matches: &dyn Fn(&[&str], usize) -> bool| {
        (0..first.len()).take_while(|at| others.iter().all(|other| matches(other, *at))).count()
    };
    let begin = shared(&|other, at| other.get(at) == first.get(at));
    let end = shared(&|other, at| other.iter().nth_back(at) == first.iter().nth_back(at));
    match (begin, end) {
        _ if others.is_empty() => listed(measures),
        (0, 0) => listed(measures),
        (0, end) => first.get(first.len() - end..).unwrap_or_default().join(" "),
        (begin, _) => first.get(..begin).unwrap_or_default().join(" "),
    }
}

pub(super) fn listed(columns: &[&Column]) -> String {
    let titles: Vec<&str> = columns.iter().map(|column| column.title.as_str()).collect();
    match titles.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The text with a capital letter at its beginning.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn rows(count: usize) -> String {
    format!("{} row{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

fn period(grain: Grain, title: &str) -> String {
    match grain {
        Grain::Second => "time".to_owned(),
        _ if title.is_empty() => "time".to_owned(),
        _ => title.to_owned(),
    }
}

impl Chart {
    pub(super) fn empty(kind: Kind, reason: String) -> Self {
        Self {
            kind,
            reason,
            notes: Vec::new(),
            title: String::new(),
            along: Axis::default(),
            measure: Axis::default(),
            colour: String::new(),
            lying: false,
            series: Vec::new(),
        }
    }

    pub(super) fn table(why: &str) -> Self {
        Self::empty(Kind::Table, format!("A table: {why}."))
    }

    fn lines(time: &Column, measures: &[&Column], colour: &str) -> Self {
        let what = listed(measures);
        let Role::Time(grain) = time.role else { return Self::table("there is no time") };
        let each = period(grain, &time.title);
        let (reason, by) = match (colour, measures) {
            ("", [_]) => (format!("A line: {what} for each {each}."), String::new()),
            ("", _) => (format!("Lines: {what} for each {each}."), String::new()),
            _ => (
                format!("Lines: {what} for each {each}, a line for each {colour}."),
                format!(" and {colour}"),
            ),
        };
        Self {
            title: capital(&format!("{} by {}{by}", together(measures), time.title)),
            along: axis(time),
            measure: axis_of_all(measures),
            colour: colour.to_owned(),
            ..Self::empty(Kind::Lines, reason)
        }
    }

    /// Keeps as many colours as can be told apart: those with the largest numbers.
    pub(super) fn keep_largest_series(&mut self, of: &str) {
        let others = self.series.len().saturating_sub(MOST_SERIES);
        if others == 0 {
            return;
        }
        let size =
            |series: &Series| series.points.iter().filter_map(|point| point.value).map(f64::abs).sum::<f64>();
        let mut sizes: Vec<f64> = self.series.iter().map(size).collect();
        sizes.sort_by(|one, other| other.total_cmp(one));
        let least = sizes.get(MOST_SERIES - 1).copied().unwrap_or_default();
        self.series.retain(|series| size(series) >= least);
        self.series.truncate(MOST_SERIES);
        self.notes
            .push(format!("The {MOST_SERIES} largest of {of}, and {others} others that are not drawn."));
    }

    /// Says which measures are not drawn.
    pub(super) fn leave_out(&mut self, left: &[&Column]) {
        if !left.is_empty() {
            self.notes.push(format!("Not drawn, since one axis does not fit both: {}.", listed(left)));
        }
    }

    pub(super) fn note_timeless(&mut self, missing: usize, time: &Column) {
        if missing > 0 {
            self.notes.push(format!("{} without {}: not drawn.", rows(missing), time.title));
        }
    }
}
