//! What a picture is made of: axes, series, points.

use super::time::Grain;

/// More colours than these nobody tells apart.
pub(super) const MOST_SERIES: usize = 8;

/// A direction of the picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Axis {
    /// What it shows, in words.
    pub(super) title: String,
    /// In what it is measured, where that is known.
    pub(super) unit: Option<String>,
    pub(super) places: Places,
}

/// What the places along an axis are.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Places {
    /// Numbers.
    #[default]
    Numbers,
    /// Times, in seconds since the beginning of 1970.
    Times(Grain),
    /// Things, by their names in this order; a place is the number of a name.
    Names(Vec<String>),
}

/// Points of one colour.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Series {
    /// What the colour stands for.
    pub(super) name: String,
    pub(super) points: Vec<Point>,
}

/// One point, or the end of one bar.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Point {
    /// The place along the axis.
    pub(super) at: f64,
    /// The number measured; none where it is NULL.
    pub(super) value: Option<f64>,
    /// What the point stands for, as the result writes it.
    pub(super) name: String,
}

impl Axis {
    /// The title with the unit.
    pub(super) fn heading(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} ({unit})", self.title),
            None => self.title.clone(),
        }
    }

    /// The names of the things along it.
    pub(super) fn names(&self) -> &[String] {
        match &self.places {
            Places::Names(names) => names,
            _ => &[],
        }
    }
}

/// The smallest and the largest of the numbers; none where there are none.
pub(super) fn extent(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    numbers.fold(None, |extent, number| {
        let (low, high) = extent.unwrap_or((number, number));
        Some((low.min(number), high.max(number)))
    })
}
