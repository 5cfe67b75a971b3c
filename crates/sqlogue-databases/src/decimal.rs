//! Numbers of arbitrary precision, from their digits.

use sqlogue_sql::schema::Value;

/// Up to how many significant digits a floating-point number keeps every one.
const EXACT: usize = 15;

/// A decimal number with `scale` decimals as a value. `declared` is true where the column was declared with a precision,
/// and so every digit means something; the result of a computation has digits that mean nothing.
pub(crate) fn decimal(text: String, scale: usize, declared: bool) -> Option<Value> {
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    if fraction.bytes().all(|digit| digit == b'0') {
        return Some(match whole.parse::<i64>() {
            // A column with a scale holds fractions, even where one of its values has none.
            Ok(number) if scale == 0 || !declared => Value::Integer(number),
            Ok(number) if number.unsigned_abs() < (1 << 53) => Value::Real(number as f64),
            _ => Value::Text(text),
        });
    }
    let significant = text.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0').count();
    if declared && significant > EXACT {
        return Some(Value::Text(text));
    }
    text.parse().ok().map(Value::Real)
}
