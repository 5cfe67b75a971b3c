//! Round ticks for numbers, and numbers as people read them.

use crate::base::number::{apart, real};

/// Numbers at round distances that cover a range, about `most` of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) ticks: Vec<f64>,
    step: f64,
}

impl Scale {
    /// Covers a range from round tick to round tick.
    pub(super) fn covering(low: f64, high: f64, most: usize) -> Self {
        let (low, high) = if low < high { (low, high) } else { around(low) };
        let rough = (high - low) / most.max(2) as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .into_iter()
            .map(|step| step * power)
            .find(|step| *step >= rough * 0.999);
        let step = step.unwrap_or(rough);
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        // Two numbers too close for a difference between them have no ticks of their own.
        // Nor have those whose next round number is too large to be one.
        let fits = step.is_finite() && step > 0.0 && last - first < 1_000.0;
        if !(fits && (first * step).is_finite() && (last * step).is_finite()) {
            return Self { low, high, ticks: vec![low, high], step: high - low };
        }
        let ticks: Vec<f64> =
            (0..=(last - first) as usize).map(|number| (first + number as f64) * step).collect();
        Self { low: first * step, high: last * step, ticks, step }
    }

    /// Where a number lies, from 0 to 1.
    pub(super) fn share(&self, number: f64) -> f64 {
        // Halves, since the whole of the largest range is no number.
        let share = (number / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0);
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }

    /// A tick as it is written.
    pub(super) fn label(&self, tick: f64) -> String {
        short(tick, self.step)
    }
}

/// A range around a number that stands alone.
fn around(number: f64) -> (f64, f64) {
    match number {
        number if number > 0.0 => (0.0, number),
        number if number < 0.0 => (number, 0.0),
        _ => (0.0, 1.0),
    }
}

/// A number of an axis whose ticks are `step` apart: `1,500`, `2.5M`, `0.25`.
fn short(number: f64, step: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let size = number.abs().max(step);
    for (from, by, letter) in [(1e12, 1e12, "T"), (1e9, 1e9, "B"), (1e6, 1e6, "M")] {
        if size >= from && size < 1e15 {
            return format!("{}{letter}", exact(number / by));
        }
    }
    // A sum of steps in binary fractions is not quite what it is in decimal ones.
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize + 1;
    let rounded: f64 = format!("{number:.decimals$}").parse().unwrap_or(number);
    exact(rounded)
}

/// A number beside a mark: as exact as anybody reads it there.
pub(super) fn figure(number: f64) -> String {
    let by = match number.abs() {
        size if size >= 1.0 => 1e2,
        size if size >= 1e-3 => 1e4,
        _ => return exact(number),
    };
    let rounded = (number * by).round() / by;
    exact(if rounded.is_finite() { rounded } else { number })
}

/// The same for numbers that stand below each other: with as many digits behind the point as the longest has.
pub(super) fn figures(numbers: impl Iterator<Item = f64>) -> impl Fn(f64) -> String {
    // A number so small or large that it is written with an exponent has a way of its own.
    let is_plain = |said: &str| !said.contains('e');
    let behind = |said: &str| said.split_once('.').map_or(0, |(_, behind)| behind.len());
    let longest =
        numbers.map(figure).filter(|said| is_plain(said)).map(|said| behind(&said)).max().unwrap_or(0);
    move |number| {
        let said = figure(number);
        let missing = if is_plain(&said) { longest.saturating_sub(behind(&said)) } else { 0 };
        let point = if missing > 0 && !said.contains('.') { "." } else { "" };
        format!("{said}{point}{}", "0".repeat(missing))
    }
}

/// A number with its thousands apart.
pub(super) fn exact(number: f64) -> String {
    apart(&real(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, most: usize) -> Vec<String> {
        let scale = Scale::covering(low, high, most);
        scale.ticks.iter().map(|tick| scale.label(*tick)).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 1037.0, 5), ["0", "250", "500", "750", "1,000", "1,250"]);
        assert_eq!(labels(0.0, 0.7, 4), ["0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(labels(-3.0, 8.0, 5), ["-5", "-2.5", "0", "2.5", "5", "7.5", "10"]);
        assert_eq!(labels(0.0, 4_200_000.0, 5), ["0", "1M", "2M", "3M", "4M", "5M"]);
        assert_eq!(labels(7.0, 7.0, 4), ["0", "2", "4", "6", "8"]);
        assert_eq!(labels(0.0, 0.0, 4), ["0", "0.25", "0.5", "0.75", "1"]);
    }

    #[test]
    fn no_range_is_too_odd() {
        for (low, high) in
            [(1e300, 1e308), (f64::MIN, f64::MAX), (1.0, 1.0 + f64::EPSILON), (-1e-320, 1e-320)]
        {
            let scale = Scale::covering(low, high, 5);
            assert!(!scale.ticks.is_empty() && scale.ticks.len() < 1_001, "{scale:?}");
            assert!((0.0..=1.0).contains(&scale.share(low)), "{scale:?}");
        }
    }

    #[test]
    fn figures_have_their_thousands_apart() {
        let said = [1_234_567.0, -1_234.5, 0.123_456, 1e-7, 4.181_818_181_82].map(figure);
        assert_eq!(said, ["1,234,567", "-1,234.5", "0.1235", "1e-7", "4.18"]);
        let numbers = [7.8, 7.44, 10_611.0, 1e-7];
        let said = numbers.map(figures(numbers.into_iter()));
        assert_eq!(said, ["7.80", "7.44", "10,611.00", "1e-7"]);
    }
}
