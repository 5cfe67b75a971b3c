//! Numbers for people.

/// A whole number with its thousands apart: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A fraction as people expect it: without the last digits, in which binary fractions differ from decimal ones.
pub fn real(number: f64) -> String {
    if !number.is_finite() {
        return number.to_string();
    }
    let rounded: f64 = format!("{number:.11e}").parse().unwrap_or(number);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        size if (1e-6..1e16).contains(&size) => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0.1 + 0.2, 12_345.600_000_000_002, -0.0, 3.0, 1e300, f64::NAN].map(real),
            ["0.3", "12345.6", "0", "3", "1e300", "NaN"]
        );
    }
}
