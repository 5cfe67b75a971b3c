//! What a picture shows at a glance, in words: for those who hear it, and for those who want the number.

use super::picture::Point;
use super::scale::figure;
use super::{Chart, Kind};

/// Of fewer points everybody sees which is the highest.
const FEWEST: usize = 3;

/// The highest and the lowest of what is drawn, where it has one of each: `Highest: Books, 1,200. Lowest: Toys, 30.`
pub(super) fn summary(chart: &Chart) -> Option<String> {
    let [series] = chart.series.as_slice() else { return None };
    let measured = series.points.iter().filter(|point| point.value.is_some()).count();
    // What is left out may be higher or lower.
    if !matches!(chart.kind, Kind::Bars | Kind::Lines) || !chart.notes.is_empty() || measured < FEWEST {
        return None;
    }
    let (lowest, highest) =
        (only(&series.points, |one, other| one < other)?, only(&series.points, |one, other| one > other)?);
    Some(format!("Highest: {}. Lowest: {}.", named(highest), named(lowest)))
}

fn named(point: &Point) -> String {
    format!("{}, {}", point.name, point.value.map(figure).unwrap_or_default())
}

/// The one point that is beyond all others; none where two are level.
fn only(points: &[Point], beyond: impl Fn(f64, f64) -> bool) -> Option<&Point> {
    let measured = || points.iter().filter_map(|point| Some((point, point.value?)));
    let (first, value) = measured().reduce(|best, next| if beyond(next.1, best.1) { next } else { best })?;
    let level = measured().filter(|(_, other)| !beyond(value, *other)).count();
    (level == 1).then_some(first)
}

#[cfg(test)]
mod tests {
    use crate::chart::Chart;
    use crate::schema::Value;

    fn said(rows: &[(&str, f64)]) -> Option<String> {
        let columns = ["category", "revenue"].map(str::to_owned);
        let rows: Vec<_> =
            rows.iter().map(|(name, value)| vec![Value::from(*name), Value::Real(*value)]).collect();
        Chart::of(&columns, &rows, None).summary()
    }

    #[test]
    fn the_ends_are_named_where_there_is_one_of_each() {
        let books = ("Books", 1_200.5);
        assert_eq!(
            said(&[books, ("Games", 400.0), ("Toys", 30.0)]).as_deref(),
            Some("Highest: Books, 1,200.5. Lowest: Toys, 30.")
        );
        assert_eq!(said(&[books, ("Games", 1_200.5), ("Toys", 30.0)]), None);
        assert_eq!(said(&[books, ("Toys", 30.0)]), None);
        // What is not drawn may be lower.
        let many: Vec<String> = (0..40).map(|number| format!("thing {number}")).collect();
        let many: Vec<(&str, f64)> =
            many.iter().zip(1..).map(|(name, value)| (name.as_str(), f64::from(value))).collect();
        assert_eq!(said(&many), None);
    }
}
