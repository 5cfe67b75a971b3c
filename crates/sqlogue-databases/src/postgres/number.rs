//! Numbers of arbitrary precision, from the wire.

use std::fmt::Write as _;

use super::values::Reader;
use crate::decimal::decimal;
use sqlogue_sql::schema::Value;

/// A `numeric` as a value; `declared` is true where the column was declared with a precision.
pub(super) fn numeric(bytes: &[u8], declared: bool) -> Option<Value> {
    let mut reader = Reader::new(bytes);
    let count = reader.u16()?;
    let weight = reader.i16()?;
    let sign = reader.u16()?;
    let scale = usize::from(reader.u16()?);
    match sign {
        0xC000 => return Some(Value::Real(f64::NAN)),
        0xD000 => return Some(Value::Real(f64::INFINITY)),
        0xF000 => return Some(Value::Real(f64::NEG_INFINITY)),
        _ => {}
    }
    let mut digits = Vec::with_capacity(usize::from(count));
    for _ in 0..count {
        digits.push(reader.u16()?);
    }
    decimal(written(&digits, weight, sign == 0x4000, scale), scale, declared)
}

/// The digits, groups of four of them, as a decimal number with `scale` decimals.
fn written(groups: &[u16], weight: i16, negative: bool, scale: usize) -> String {
    let group = |at: i32| usize::try_from(at).ok().and_then(|at| groups.get(at)).copied().unwrap_or(0);
    let weight = i32::from(weight);
    let mut text = String::new();
    if negative {
        text.push('-');
    }
    // Writing to a String cannot fail.
    let _ = write!(text, "{}", group(0) * u16::from(weight >= 0));
    for at in 1..=weight {
        let _ = write!(text, "{:04}", group(at));
    }
    if scale > 0 {
        text.push('.');
        let end = text.len() + scale;
        // Groups before the first one given are zero.
        let mut at = weight + 1;
        while text.len() < end {
            let _ = write!(text, "{:04}", group(at));
            at += 1;
        }
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(groups: &[u16], weight: i16, sign: u16, scale: u16) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(u16::try_from(groups.len()).unwrap().to_be_bytes());
        bytes.extend(weight.to_be_bytes());
        bytes.extend(sign.to_be_bytes());
        bytes.extend(scale.to_be_bytes());
        groups.iter().for_each(|group| bytes.extend(group.to_be_bytes()));
        bytes
    }

    #[test]
    fn numbers_keep_what_they_say() {
        let read = |groups: &[u16], weight, sign, scale, declared| {
            numeric(&wire(groups, weight, sign, scale), declared).unwrap()
        };
        assert_eq!(read(&[1, 2345], 1, 0, 0, false), Value::Integer(12345));
        assert_eq!(read(&[12, 5000], 0, 0x4000, 2, true), Value::Real(-12.5));
        assert_eq!(read(&[12], 0, 0, 2, true), Value::Real(12.0));
        assert_eq!(read(&[12], 0, 0, 2, false), Value::Integer(12));
        assert_eq!(read(&[5], -2, 0, 8, false), Value::Real(0.000_000_05));
        assert_eq!(read(&[], 0, 0, 0, false), Value::Integer(0));
        assert_eq!(read(&[3, 3333, 3333, 3333, 3333], 0, 0, 16, false), Value::Real(10.0 / 3.0));
        let exact = "3.3333333333333333";
        assert_eq!(read(&[3, 3333, 3333, 3333, 3333], 0, 0, 16, true), Value::Text(exact.into()));
        let large = [1, 0, 0, 0, 0, 0];
        assert_eq!(read(&large, 5, 0, 0, false), Value::Text("100000000000000000000".into()));
        assert!(matches!(read(&[], 0, 0xC000, 0, false), Value::Real(number) if number.is_nan()));
        assert_eq!(numeric(&[0, 9, 0], false), None);
    }
}
