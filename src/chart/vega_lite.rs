//! Charts for other programs: Vega-Lite, version 6.

use serde_json::{Map, Value as Json, json};

use super::picture::{Axis, Places, Point, Series};
use super::svg::COLOURS;
use super::time::{self, Grain};
use super::{Chart, Kind};

const SCHEMA: &str = "https://vega.github.io/schema/vega-lite/v6.json";

/// A line of so few points shows where they are.
const FEW_POINTS: usize = 60;

pub(super) fn write(chart: &Chart) -> Option<Json> {
    let (mark, encoding) = match chart.kind {
        Kind::Table => return None,
        Kind::Number => {
            (json!({"type": "text", "fontSize": 48}), json!({"text": {"field": "name", "type": "nominal"}}))
        }
        Kind::Bars | Kind::GroupedBars | Kind::StackedBars => {
            (json!({"type": "bar", "color": COLOURS[0]}), bars(chart))
        }
        Kind::Lines => {
            let most = chart.series.iter().map(|series| series.points.len()).max().unwrap_or(0);
            (json!({"type": "line", "color": COLOURS[0], "point": most <= FEW_POINTS}), placed(chart))
        }
        Kind::Points => {
            (json!({"type": "point", "color": COLOURS[0], "filled": true, "opacity": 0.7}), placed(chart))
        }
    };
    let values: Vec<Json> = chart
        .series
        .iter()
        .enumerate()
        .flat_map(|(number, series)| {
            series.points.iter().map(move |point| datum(chart, (number, series), point))
        })
        .collect();
    Some(json!({
        "$schema": SCHEMA,
        "description": chart.reason,
        "title": {"text": chart.title, "subtitle": chart.notes, "anchor": "start"},
        "width": "container",
        "height": if chart.lying { json!({"step": step(chart)}) } else { json!(320) },
        "data": {"values": values},
        "mark": mark,
        "encoding": encoding,
        "config": {"range": {"category": COLOURS}},
    }))
}

/// How many pixels one bar takes.
fn step(chart: &Chart) -> usize {
    if chart.kind == Kind::GroupedBars { 12 } else { 22 }
}

fn datum(chart: &Chart, (number, series): (usize, &Series), point: &Point) -> Json {
    let mut datum = Map::new();
    match &chart.along.places {
        Places::Names(_) => {}
        Places::Times(_) => drop(datum.insert("at".to_owned(), json!(format!("{}Z", time::at(point.at))))),
        Places::Numbers => drop(datum.insert("at".to_owned(), json!(point.at))),
    }
    datum.insert("name".to_owned(), json!(point.name));
    datum.insert("value".to_owned(), json!(point.value));
    if chart.series.len() > 1 || !chart.colour.is_empty() {
        datum.insert("series".to_owned(), json!(series.name));
    }
    if chart.kind == Kind::StackedBars {
        datum.insert("order".to_owned(), json!(number));
    }
    Json::Object(datum)
}

fn bars(chart: &Chart) -> Json {
    let (along, value) = if chart.lying { ("y", "x") } else { ("x", "y") };
    let mut encoding = Map::new();
    let title = titled(&chart.along);
    let names = json!({"field": "name", "type": "nominal", "sort": chart.along.names(), "title": title});
    encoding.insert(along.to_owned(), names);
    encoding.insert(value.to_owned(), measure(chart));
    if chart.kind == Kind::GroupedBars {
        let series: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
        encoding
            .insert(format!("{along}Offset"), json!({"field": "series", "type": "nominal", "sort": series}));
    }
    if chart.kind == Kind::StackedBars {
        encoding.insert("order".to_owned(), json!({"field": "order", "type": "quantitative"}));
    }
    coloured(chart, &mut encoding);
    Json::Object(encoding)
}

/// Points along time or a number.
fn placed(chart: &Chart) -> Json {
    let mut encoding = Map::new();
    let at = match chart.along.places {
        // Without a zone of its own, a day would be the day before for half of the world.
        Places::Times(grain) => json!({
            "field": "at", "type": "temporal", "scale": {"type": "utc"}, "title": titled(&chart.along),
            "axis": {"format": format(grain), "labelOverlap": true},
        }),
        _ => json!({
            "field": "at", "type": "quantitative", "scale": {"zero": false}, "title": titled(&chart.along),
        }),
    };
    encoding.insert("x".to_owned(), at);
    encoding.insert("y".to_owned(), measure(chart));
    coloured(chart, &mut encoding);
    Json::Object(encoding)
}

fn format(grain: Grain) -> &'static str {
    match grain {
        Grain::Year => "%Y",
        Grain::Quarter => "%Y Q%q",
        Grain::Month => "%b %Y",
        Grain::Day => "%-d %b %Y",
        Grain::Second => "%-d %b %H:%M",
    }
}

fn measure(chart: &Chart) -> Json {
    let title = titled(&chart.measure);
    match chart.kind {
        Kind::GroupedBars => json!({"field": "value", "type": "quantitative", "title": title, "stack": null}),
        Kind::Points => {
            json!({"field": "value", "type": "quantitative", "title": title, "scale": {"zero": false}})
        }
        _ => json!({"field": "value", "type": "quantitative", "title": title}),
    }
}

fn coloured(chart: &Chart, encoding: &mut Map<String, Json>) {
    let several = chart.series.len() > 1 || !chart.colour.is_empty();
    if several {
        let names: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
        let title = if chart.colour.is_empty() { Json::Null } else { json!(chart.colour) };
        encoding.insert(
            "color".to_owned(),
            json!({"field": "series", "type": "nominal", "sort": names, "title": title}),
        );
    }
    let mut tooltip = vec![
        json!({"field": "name", "type": "nominal", "title": titled_or(&chart.along, "name")}),
        json!({"field": "value", "type": "quantitative", "title": titled_or(&chart.measure, "value")}),
    ];
    if several {
        let title = if chart.colour.is_empty() { "series" } else { &chart.colour };
        tooltip.insert(0, json!({"field": "series", "type": "nominal", "title": title}));
    }
    encoding.insert("tooltip".to_owned(), Json::Array(tooltip));
}

fn titled(axis: &Axis) -> Json {
    if axis.title.is_empty() { Json::Null } else { json!(axis.heading()) }
}

fn titled_or(axis: &Axis, other: &str) -> String {
    if axis.title.is_empty() { other.to_owned() } else { axis.heading() }
}
